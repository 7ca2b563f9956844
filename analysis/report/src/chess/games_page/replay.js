// The games of the page: unpacks their table and, one by one, their moves. How moves are packed is
// said in games_page/moves.rs.
window.fusionGames = async (source) => {
  "use strict";

  const COMPONENTS = "KRBNPM";
  const BLACK = 64;
  const PAWN = 16;
  const QUEEN = 2 | 4;
  const CODED = 192;
  const SPELLED = 240;
  const [FISSION, PROMOTION] = [1, 2];
  const KINDS = "fscxpmd";
  const MARKS = ["", "+", "#"];
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
  let next = model.table;
  const streams = model.streams.map((length) => (next += length) - length);
  const starts = table.names.start;

  const square = (index) => "abcdefgh"[index & 7] + ((index >> 3) + 1);

  function letters(piece, q) {
    if (q && piece === QUEEN) return "Q";
    return [...COMPONENTS].filter((_, bit) => (piece >> bit) & 1).join("");
  }

  /** The kinds of a set of bits, in their order. */
  const kindsOf = (bits) => [...KINDS].filter((_, bit) => (bits >> bit) & 1);

  /** Where the moves of the game after the last one that was played begin. */
  let kept = { next: -1, at: [] };

  /**
   * Where a game's moves begin in each stream; games before it in its block are played through. The
   * caller plays the game, which moves the cursor on to the next one.
   */
  function cursor(game) {
    const block = Math.floor(game / model.block);
    const begin = block * model.block;
    const known = kept.next >= begin && kept.next <= game;
    const at = known ? kept.at : table.blocks[block].map((length, stream) => streams[stream] + length);
    for (let before = known ? kept.next : begin; before < game; before++) play(before, at, () => {});
    kept = { next: game + 1, at };
    return at;
  }

  /** Plays a game's plies; `visit` gets each with the squares after it. Moves the cursor on. */
  function play(game, at, visit) {
    const start = starts[table.start[game]];
    const squares = Uint8Array.from(start.squares);
    let color = start.black_to_move ? BLACK : 0;
    const owned = (index, side) => squares[index] !== 0 && (squares[index] & BLACK) === side;
    const lists = new Map([0, BLACK].map((side) => [side, []]));
    for (let index = 0; index < 64; index++) {
      if (squares[index]) lists.get(squares[index] & BLACK).push(index);
    }
    for (let ply = 0; ply < table.plies[game]; ply++) {
      const read = () => bytes[at[1]++];
      const head = bytes[at[0]++];
      const found = head < SPELLED
        ? short(head, squares, lists.get(color), color, start.q, at, read)
        : spelled(head, read);
      for (const [index, piece] of found.changes) squares[index] = piece;
      for (const [side, list] of lists) {
        const kept = list.filter((index) => owned(index, side));
        const arrived = found.changes
          .map(([index]) => index)
          .filter((index) => owned(index, side) && !kept.includes(index))
          .sort((a, b) => b - a);
        const all = [...arrived, ...kept];
        const place = all.indexOf(found.to);
        if (place > 0) all.unshift(...all.splice(place, 1));
        lists.set(side, all);
      }
      color ^= BLACK;
      visit(found, squares);
    }
  }

  /** A ply of a head, a target and perhaps a code. */
  function short(head, squares, list, color, q, at, read) {
    const coded = head >= CODED;
    const from = list[head & 15];
    const mark = coded ? (head - CODED) >> 4 : ((head >> 4) % 3);
    const [code, named] = coded ? split(read()) : [0, Math.floor(head / 48)];
    const detail = coded ? read() : 0;
    const piece = squares[from] & ~BLACK;
    const mover = code === FISSION ? 1 << detail : piece;
    const way = bytes[at[2 + mover]++];
    const ranks = Math.floor(way / 15) - 7;
    const to = from + (way % 15) - 7 + 8 * (color ? -ranks : ranks);
    const there = squares[to];
    const merges = there !== 0 && (there & BLACK) === color;
    const fusion = code === 0 && merges;
    const capture = there !== 0 && !merges;
    const arrives = code >= PROMOTION ? detail : fusion ? piece | (there & ~BLACK) : mover;
    const stays = piece === mover ? 0 : (piece & ~mover) | color;
    const origin = square(from);
    let san = "";
    if (mover === PAWN) san = capture ? origin[0] : "";
    else san = letters(mover, q) + ["", origin[0], origin[1], origin][named];
    san += (capture ? "x" : "") + square(to);
    if (fusion || code >= PROMOTION) san += "=" + letters(arrives, q);
    const bits = [0, 2, 16, 32, 64][code] | (fusion ? 1 : 0) | (capture ? 8 : 0);
    return { from, to, changes: [[from, stays], [to, arrives | color]], kinds: kindsOf(bits), san: san + MARKS[mark] };
  }

  /** A code and how the origin is named. */
  const split = (byte) => [byte & 15, byte >> 4];

  /** A ply that is spelled out. */
  function spelled(head, read) {
    const [from, to, bits, count] = [read(), read(), read(), read()];
    const changes = Array.from({ length: count }, () => [read(), read()]);
    const text = Array.from({ length: read() }, () => String.fromCharCode(read())).join("");
    return { from, to, changes, kinds: kindsOf(bits), san: text + MARKS[head - SPELLED] };
  }

  /** A position as the viewer wants it. */
  function position(squares) {
    const found = {};
    squares.forEach((piece, index) => {
      if (piece) found[square(index)] = (piece & BLACK ? "b" : "w") + letters(piece & ~BLACK, false);
    });
    return found;
  }

  /** A game for the viewer. */
  function load(game) {
    const start = starts[table.start[game]];
    const view = {
      rules: table.names.rules[table.rules[game]],
      from: start.tags.find(([name]) => name === "FEN")?.[1] ?? null,
      result: table.names.result[table.result[game]],
      ending: table.names.ending[table.ending[game]].words,
      openingPlies: table.opening_plies[game],
      wholeQueen: start.whole_queen,
      positions: [position(Uint8Array.from(start.squares))],
      san: [],
      moves: [],
      kinds: [],
      wdl: [],
    };
    play(game, cursor(game), (ply, squares) => {
      view.positions.push(position(squares));
      view.san.push(ply.san);
      view.moves.push(square(ply.from) + square(ply.to));
      view.kinds.push(ply.kinds);
      view.wdl.push(null);
    });
    return view;
  }

  // ---- PGN ----

  const escaped = (value) => value.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ").replace(/["\\]/g, "\\$&");

  function tags(game) {
    const start = starts[table.start[game]];
    const nodes = table.nodes[game];
    const network = table.names.network[table.network[game]].replace(/[0-9a-f]{64}/, (hash) => hash.slice(0, 12));
    const player = `${network} at ${nodes} nodes`;
    return [
      ["Event", "Measurement"],
      ["Site", "?"],
      ["Date", "????.??.??"],
      ["Round", String(table.opening[game])],
      ["White", player],
      ["Black", player],
      ["Result", table.names.result[table.result[game]]],
      ...start.tags,
      ...table.names.ending[table.ending[game]].tags,
    ];
  }

  /** A game as `games.pgn` has it, but for the evaluations. */
  function pgn(game) {
    const start = starts[table.start[game]];
    const lines = tags(game).map(([name, value]) => `[${name} "${escaped(value)}"]`);
    lines.push("");
    let line = "";
    const token = (text) => {
      if (line !== "" && line.length + 1 + text.length > WIDTH) {
        lines.push(line);
        line = "";
      }
      line += line === "" ? text : ` ${text}`;
    };
    let ply = start.black_to_move ? 1 : 0;
    let first = true;
    play(game, cursor(game), ({ san }) => {
      const number = start.number + (ply >> 1);
      if (ply % 2 === 0) token(`${number}. ${san}`);
      else token(first ? `${number}... ${san}` : san);
      first = false;
      ply++;
    });
    token(table.names.result[table.result[game]]);
    lines.push(line, "", "");
    return lines.join("\n");
  }

  return { table, count: table.plies.length, load, pgn };
};
