// The games of the page: unpacks their table and, one by one, their turns. viewer/encode.rs describes
// the packing. `fusionGames(element)` gives
//
//   table, count      the columns about the games, and their number
//   load(game)        a game for the viewer
//   text(game)        its text, as the file of the run has it, but for the evaluations
window.fusionGames = async (source) => {
  "use strict";

  const [HEADS, SPECIALS, WAYS] = [0, 1, 2];
  const PLACES = 17;
  const SPELLED = 255;
  const WIDTH = 79;

  const model = JSON.parse(source.textContent);
  const packed = Uint8Array.from(atob(model.data), (letter) => letter.charCodeAt(0));
  const inflater = new DecompressionStream("deflate-raw");
  const writer = inflater.writable.getWriter();
  // What fails here fails below, too.
  writer.write(packed).catch(() => {});
  writer.close().catch(() => {});
  const bytes = new Uint8Array(await new Response(inflater.readable).arrayBuffer());
  const table = JSON.parse(new TextDecoder().decode(bytes.subarray(0, model.table)));
  const { lists } = table;
  let next = model.table;
  const streams = model.streams.map((length) => (next += length) - length);
  const contexts = new Map(lists.contexts.map(({ before, effects }) => [before.join(), effects]));
  const figures = new Map(lists.figures.map((figure, i) => [figure, i]));

  /** What stands on a space, as the side sees it: its own pieces are those of the first side. */
  const own = (content, side) => (content && side ? ((content - 1) ^ 1) + 1 : content);
  const sideOf = (content) => (content - 1) & 1;
  const kindOf = (content) => lists.kinds[(content - 1) >> 1];

  /** Where the actions of the game after the last one that was played begin. */
  let kept = { next: -1, at: [] };

  /**
   * Where a game's actions begin in each stream; games before it in its block are played through. The
   * caller plays the game, which moves the cursor on to the next one.
   */
  function cursor(game) {
    const block = Math.floor(game / table.block);
    const begin = block * table.block;
    const known = kept.next >= begin && kept.next <= game;
    const at = known ? kept.at : streams.map((start, stream) => start + (table.blocks[block][stream] ?? 0));
    for (let before = known ? kept.next : begin; before < game; before++) play(before, at, () => {});
    kept = { next: game + 1, at };
    return at;
  }

  /** Plays a game's actions; `visit` gets each with what stands on the spaces after it. Moves the cursor on. */
  function play(game, at, visit) {
    const start = lists.starts[table.start[game]];
    const shape = lists.shapes[start.shape];
    const known = new Map(shape.spaces.map(({ column, row }, i) => [`${column},${row}`, i]));
    const contents = new Uint16Array(shape.spaces.length);
    const used = [[], []];
    let side = start.second ? 1 : 0;

    const number = (stream) => {
      let [value, scale] = [0, 1];
      for (;;) {
        const byte = bytes[at[stream]++];
        value += (byte & 127) * scale;
        if (byte < 128) return value;
        scale *= 128;
      }
    };
    /** Column and row of a space; rows count forwards for the side that acts. */
    const place = (space) => (space === null ? [0, 0] : [shape.spaces[space].column, shape.spaces[space].row * (side ? -1 : 1)]);
    const away = ([column, row], [columns, rows]) => known.get(`${column + columns},${(row + rows) * (side ? -1 : 1)}`);

    function change(changes, to) {
      for (const [space, content] of changes) {
        const before = contents[space];
        contents[space] = content;
        if (before && content && sideOf(before) === sideOf(content)) continue;
        if (before) used[sideOf(before)].splice(used[sideOf(before)].indexOf(space), 1);
        if (content) used[sideOf(content)].unshift(space);
      }
      if (to === null || !contents[to]) return;
      const list = used[sideOf(contents[to])];
      list.unshift(...list.splice(list.indexOf(to), 1));
    }

    function action() {
      const head = bytes[at[HEADS]++];
      const [found, index] = head === SPELLED ? [number(SPECIALS), number(SPECIALS)] : [head % PLACES, Math.floor(head / PLACES)];
      const from = found ? used[side][found - 1] : null;
      const mover = from === null ? 0 : own(contents[from], side);
      const figure = figures.get(mover ? kindOf(mover).figure : "");
      const way = lists.ways[figure][number(WAYS + figure)];
      const to = way ? away(place(from), way) : null;
      const target = to === null ? 0 : own(contents[to], side);
      const effect = contexts.get(`${mover},${target}`)[index];
      const base = place(to ?? from);
      const changes = effect.changes.map(([where, content]) => [where === 0 ? from : where === 1 ? to : away(base, where), own(content, side)]);
      change(changes, to);
      return { from, to, effect, side };
    }

    change(start.pieces, null);
    for (let ply = 0; ply < table.plies[game]; ply++) {
      const done = action();
      visit(done, contents);
      if (done.effect.ends) side = 1 - side;
    }
  }

  /** A text with the names of an action's spaces, which characters of control stand for. */
  function named(text, from, to, shape) {
    const space = (index) => shape.spaces[index];
    const names = {
      "\u0001": () => space(from).name,
      "\u0002": () => space(to).name,
      "\u0003": () => shape.column_names[space(from).column],
      "\u0004": () => shape.row_names[space(from).row],
    };
    return text.replace(/[\u0001-\u0004]/g, (mark) => names[mark]());
  }

  /** A position as the viewer wants it: the pieces and their spaces. */
  function position(contents, shape) {
    const found = [];
    contents.forEach((content, index) => {
      if (content) found.push({ space: shape.spaces[index].name, side: sideOf(content) ? "second" : "first", ...kindOf(content) });
    });
    return found;
  }

  /** A game for the viewer. */
  function load(game) {
    const start = lists.starts[table.start[game]];
    const shape = lists.shapes[start.shape];
    const first = new Uint16Array(shape.spaces.length);
    for (const [space, content] of start.pieces) first[space] = content;
    const view = {
      rules: table.names.rules[table.rules[game]],
      start: start.text,
      board: shape,
      players: table.players,
      result: table.names.result[table.result[game]],
      ending: table.names.ending[table.ending[game]],
      number: start.number,
      second: start.second,
      opening: 0,
      positions: [position(first, shape)],
      turns: [],
    };
    const wdl = table.shown[game]?.wdl ?? [];
    let [ply, turn] = [0, null];
    play(game, cursor(game), ({ from, to, effect, side }, contents) => {
      if (!turn) {
        turn = { words: "", side: side ? "second" : "first", actions: [], wdl: null, whole: false };
        view.turns.push(turn);
        if (ply < table.opening_plies[game]) view.opening = view.turns.length;
      }
      turn.words = turn.words.slice(0, turn.words.length - effect.cut) + named(effect.words, from, to, shape);
      turn.wdl ??= wdl[ply] ?? null;
      turn.actions.push({
        from: from === null ? null : shape.spaces[from].name,
        to: to === null ? null : shape.spaces[to].name,
        kind: effect.kind,
        label: effect.label,
        text: named(effect.text, from, to, shape),
      });
      view.positions[view.turns.length] = position(contents, shape);
      ply++;
      if (effect.ends) [turn.whole, turn] = [true, null];
    });
    return view;
  }

  // ---- Texts ----

  /** Words in lines that are not too long. */
  function wrapped(words) {
    const lines = [""];
    for (const word of words) {
      const line = lines[lines.length - 1];
      if (line !== "" && line.length + 1 + word.length > WIDTH) lines.push(word);
      else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    }
    return lines;
  }

  /** A game as the file of the run has it, but for the evaluations. */
  function text(game) {
    const { number, second, turns, result } = load(game);
    const numbered = (index, dots) => `${number + ((index + (second ? 1 : 0)) >> 1)}${dots}`;
    const words = turns.map((turn) => (turn.whole ? turn.words : `[${turn.actions.map((action) => action.text).join(" ")}]`));
    const layouts = {
      running: () => [words.join(" ")],
      lines: () => words.map((turn, i) => `${numbered(i, turns[i].side === "first" ? "." : "...")} ${turn}`),
      tags: () => {
        const tokens = turns.map(({ side, words }, i) => (side === "first" ? `${numbered(i, ".")} ${words}` : i === 0 ? `${numbered(i, "...")} ${words}` : words));
        return ["", ...wrapped([...tokens, result])];
      },
    };
    return [...table.head[game].map((line) => table.names.head[line]), ...layouts[table.layout](), "", ""].join("\n");
  }

  return { table, count: table.plies.length, load, text };
};
