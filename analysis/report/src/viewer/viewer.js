// The board viewer: plays through a game, turn by turn. It knows no rules; the game that it is given has
// all its positions. `fusionViewer(element)` gives the viewer, and `show(game, turn)` shows a game:
//
//   rules, start      rule set, and the first position as text if it is not the rules' own
//   board, players    shape of the board, and the names of the players
//   result, ending    how it ended: the result's token, and words
//   opening           number of turns that are the opening's
//   number, second    number of the first turn, and whether the second player has it
//   positions         pieces before the first turn and after each: [{ space: "e1", side, figure, name, parts }]
//   turns             { words, side, actions, wdl }: `actions` are { from, to, kind, label, text }; `wdl` is
//                     the first player's win, draw and loss that the search expected before it, or null
//
// `changed`, if set, is called with the number of turns whenever another position is shown.
window.fusionViewer = (root) => {
  const find = (selector) => root.querySelector(selector);
  const board = find(".board svg");
  const slider = find(".viewer-slider");
  const list = find(".moves");
  const graph = find(".graph");
  const areas = find(".areas");
  const marks = find(".graph-marks");
  const playButton = find('[data-action="play"]');
  const playLink = find(".viewer-play a");

  const PLAY = "M7 4l12 8-12 8z";
  const PAUSE = "M7 5h3v14h-3zM14 5h3v14h-3z";
  const INTERVAL = 800;
  /** Kinds of actions that have a mark, and its symbol. */
  const MARKED = { fusion: "merge", fission: "split" };

  let game = null;
  let ply = 0;
  let flipped = false;
  let timer = null;

  const title = (text) => svg("title", {}, text);
  const plies = () => game.turns.length;
  /** What a step is called: a turn of several actions is more than a ply. */
  const unit = () => (game.turns.every(({ actions }) => actions.length === 1) ? "ply" : "turn");
  const ended = () => ({ "1-0": `${game.players[0]} won`, "0-1": `${game.players[1]} won`, "1/2-1/2": "Drawn", "*": "No result" })[game.result];
  const marksOf = (turn) => Object.keys(MARKED).filter((kind) => turn.actions.some((action) => action.kind === kind));

  // ---- The board ----

  function drawBoard() {
    const layout = layOut(game.board, flipped);
    const pieces = game.positions[ply];
    const actions = ply > 0 ? game.turns[ply - 1].actions : [];
    const spaces = (some) => new Set(some.flatMap(({ from, to }) => [from, to]).filter(Boolean));
    const of = (kind) => actions.filter((action) => action.kind === kind);
    const badge = (space, kind) => {
      const [x, y] = layout.corner(space);
      const use = svg("use", { href: `#mark-${MARKED[kind]}` }, title(kind));
      return svg("g", { class: `mark ${kind}`, transform: `translate(${x + 36} ${y + 9})` }, use);
    };
    const merged = [...new Set(of("fusion").map(({ to }) => to))];
    board.setAttribute("viewBox", layout.viewBox);
    board.replaceChildren(
      ...layout.spaces(),
      ...[...spaces(actions)].map((space) => layout.square(space, "last")),
      ...pieces.map((piece) => layout.piece(piece, game.players)),
      ...merged.flatMap((space) => [layout.ring(space, "ring"), badge(space, "fusion")]),
      ...[...spaces(of("fission"))].map((space) => badge(space, "fission")),
    );
    board.setAttribute("aria-label", piecesInWords(pieces, game.players));
  }

  // ---- The moves ----

  const turnNumber = (index) => game.number + ((index + (game.second ? 1 : 0)) >> 1);
  const number = (index) => `${turnNumber(index)}${game.turns[index].side === "first" ? "." : "…"}`;

  function icon(kind) {
    const attributes = { class: `mark ${kind}`, viewBox: "-9 -9 18 18", role: "img" };
    return svg("svg", attributes, title(kind), svg("use", { href: `#mark-${MARKED[kind]}` }));
  }

  function moveButton(turn, index) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.ply = index + 1;
    button.textContent = turn.words;
    // One stop for the Tab key; the arrow keys do the rest.
    button.tabIndex = -1;
    if (index < game.opening) button.classList.add("opening");
    for (const kind of marksOf(turn)) {
      button.classList.add(kind);
      button.append(" ", icon(kind));
    }
    return button;
  }

  function drawMoves() {
    list.replaceChildren();
    list.classList.toggle("long", unit() === "turn");
    game.turns.forEach((turn, index) => {
      if (turn.side === "first" || index === 0) {
        const item = document.createElement("li");
        item.value = turnNumber(index);
        item.classList.toggle("half", turn.side === "second");
        list.append(item);
      }
      list.lastElementChild.append(moveButton(turn, index));
    });
    const kinds = Object.keys(MARKED).filter((kind) => list.querySelector(`button.${kind}`));
    find(".viewer-kinds").replaceChildren(...kinds.flatMap((kind) => [icon(kind), ` ${kind} `]));
    list.scrollTop = 0;
  }

  function markMove() {
    for (const old of list.querySelectorAll("[aria-current]")) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    const current = list.querySelector(`[data-ply="${ply}"]`);
    const stop = current || list.querySelector("button");
    if (stop) stop.tabIndex = 0;
    if (!current) {
      list.scrollTop = 0;
      return;
    }
    current.setAttribute("aria-current", "true");
    // Not scrollIntoView: that would move the page as well.
    const above = current.offsetTop - list.offsetTop;
    if (above < list.scrollTop) list.scrollTop = above;
    const below = above + current.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below;
  }

  // ---- The evaluation ----

  const percent = (x) => `${x.toFixed(3)}%`;
  const at = (index) => percent((100 * index) / Math.max(1, plies()));

  /** Runs of plies that have an evaluation, as [first, after the last]. */
  function runs() {
    const found = [];
    game.turns.forEach(({ wdl }, i) => {
      if (!wdl) return;
      const last = found[found.length - 1];
      if (last && last[1] === i) last[1] = i + 1;
      else found.push([i, i + 1]);
    });
    return found;
  }

  function area(name, [from, to], low, high) {
    const steps = [];
    for (let i = from; i < to; i++) steps.push([i, high(game.turns[i].wdl)], [i + 1, high(game.turns[i].wdl)]);
    for (let i = to - 1; i >= from; i--) steps.push([i + 1, low(game.turns[i].wdl)], [i, low(game.turns[i].wdl)]);
    const points = steps.map(([x, y]) => `${x},${1000 - y}`).join(" ");
    return svg("polygon", { class: name, points });
  }

  function drawGraph() {
    const evaluated = runs();
    find(".evaluation").hidden = evaluated.length === 0;
    areas.setAttribute("viewBox", `0 0 ${Math.max(1, plies())} 1000`);
    areas.replaceChildren();
    marks.replaceChildren();
    // The first player at the bottom; thousandths of the sum, which rounding leaves near 1000.
    const scaled = (part) => (wdl) => (1000 * part(wdl)) / (wdl[0] + wdl[1] + wdl[2]);
    const none = () => 0;
    const win = scaled((wdl) => wdl[0]);
    const draw = scaled((wdl) => wdl[0] + wdl[1]);
    for (const run of evaluated) {
      areas.append(area("eval-win", run, none, win), area("eval-draw", run, win, draw));
      areas.append(area("eval-loss", run, draw, () => 1000));
    }
    const { opening } = game;
    if (opening > 0) {
      const zone = { class: "opening-zone", y: 6, height: 120, width: at(opening) };
      marks.append(svg("rect", zone, title("opening")));
    }
    marks.append(svg("rect", { class: "frame", y: 6, width: "100%", height: 120 }));
    marks.append(svg("line", { class: "half", x1: 0, x2: "100%", y1: 66, y2: 66 }));
    game.turns.forEach((turn, i) => {
      for (const kind of marksOf(turn)) {
        const name = `${number(i)} ${turn.words}, ${kind}`;
        const place = { class: `tick-${kind}`, x1: at(i + 1), x2: at(i + 1), y1: 129, y2: 138 };
        marks.append(svg("line", place, title(name)));
      }
    });
    const step = [5, 10, 20, 50, 100, 200].find((step) => plies() / step <= 6) || 500;
    for (let i = 0; i <= plies(); i += step) {
      // The last label must not leave the plot.
      const anchor = i === 0 ? "start" : i > 0.96 * plies() ? "end" : "middle";
      const label = i === 0 ? `${unit()} 0` : String(i);
      marks.append(svg("text", { class: "tick", x: at(i), y: 156, "text-anchor": anchor }, label));
    }
    marks.append(svg("line", { class: "cursor", y1: 0, y2: 138 }));
  }

  function markGraph() {
    const cursor = marks.querySelector(".cursor");
    cursor.setAttribute("x1", at(ply));
    cursor.setAttribute("x2", at(ply));
    const wdl = game.turns[ply]?.wdl;
    const line = find(".viewer-wdl");
    if (wdl) {
      const share = (i) => `${((100 * wdl[i]) / (wdl[0] + wdl[1] + wdl[2])).toFixed(1)}%`;
      line.textContent = `Here: ${game.players[0]} wins ${share(0)}, draw ${share(1)}, ${game.players[1]} wins ${share(2)}.`;
    } else if (ply === plies()) {
      line.textContent = `Here: the game is over, ${game.result}.`;
    } else {
      line.textContent = "Here: not searched.";
    }
  }

  // ---- What the reader does ----

  function describe() {
    const parts = [];
    if (ply === 0) parts.push("Start position");
    else {
      const turn = game.turns[ply - 1];
      parts.push(`${number(ply - 1)} ${turn.words}`, turn.actions.map(({ label }) => label).join(", "));
      if (ply <= game.opening) parts.push("opening");
    }
    if (ply === plies()) parts.push(`${ended()}: ${game.ending}`);
    return parts.join(" · ");
  }

  /** Where one can play on from the position: rules and moves are in the address of that page. */
  function linkToPlay() {
    const { playPage } = document.body.dataset;
    playLink.parentElement.hidden = !playPage;
    if (!playPage) return;
    const parts = [`rules=${encodeURIComponent(game.rules)}`];
    if (game.start) parts.push(`start=${encodeURIComponent(game.start)}`);
    const texts = game.turns.slice(0, ply).flatMap(({ actions }) => actions.map(({ text }) => encodeURIComponent(text)));
    if (texts.length > 0) parts.push(`moves=${texts.join(",")}`);
    playLink.href = `${playPage}#${parts.join("&")}&side=both`;
  }

  function go(to) {
    ply = Math.max(0, Math.min(plies(), Math.round(to) || 0));
    slider.value = ply;
    slider.setAttribute("aria-valuetext", `${unit()} ${ply} of ${plies()}`);
    drawBoard();
    markMove();
    markGraph();
    linkToPlay();
    find(".viewer-move").textContent = describe();
    const action = (name) => find(`[data-action="${name}"]`);
    for (const name of ["first", "previous"]) action(name).disabled = ply === 0;
    for (const name of ["next", "last"]) action(name).disabled = ply === plies();
    if (ply === plies()) stop();
    viewer.changed?.(ply);
  }

  function setPlaying(playing) {
    const name = playing ? "Pause" : "Play";
    playButton.setAttribute("aria-label", name);
    playButton.title = name;
    playButton.querySelector("path").setAttribute("d", playing ? PAUSE : PLAY);
    // Moves that follow each other by themselves are not read out.
    find(".viewer-move").setAttribute("aria-live", playing ? "off" : "polite");
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    setPlaying(false);
  }

  function toggle() {
    if (timer !== null) return stop();
    if (ply === plies()) go(0);
    setPlaying(true);
    timer = setInterval(() => go(ply + 1), INTERVAL);
  }

  /** A step by hand ends the playing. */
  function jump(to) {
    stop();
    go(to);
  }

  function flip() {
    flipped = !flipped;
    drawBoard();
  }

  function show(next, at = 0) {
    stop();
    game = next;
    slider.max = plies();
    drawMoves();
    drawGraph();
    root.hidden = false;
    go(at);
  }

  const ACTIONS = {
    first: () => jump(0),
    previous: () => jump(ply - 1),
    play: toggle,
    next: () => jump(ply + 1),
    last: () => jump(plies()),
    flip,
  };
  const KEYS = {
    ArrowLeft: "previous",
    ArrowRight: "next",
    ArrowUp: "previous",
    ArrowDown: "next",
    Home: "first",
    End: "last",
    " ": "play",
    f: "flip",
    F: "flip",
  };

  root.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.action) ACTIONS[button.dataset.action]();
    if (button.dataset.ply) jump(Number(button.dataset.ply));
  });
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const tag = event.target.tagName;
    // These have their own use for these keys.
    if (tag === "SELECT" || tag === "INPUT" || (tag === "BUTTON" && event.key === " ")) return;
    const action = KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    ACTIONS[action]();
    // Focus follows the current move through the list.
    if (event.target.dataset.ply) list.querySelector('[tabindex="0"]').focus({ preventScroll: true });
  });
  slider.addEventListener("input", () => jump(Number(slider.value)));
  graph.addEventListener("click", (event) => {
    const box = graph.getBoundingClientRect();
    jump(Math.round((plies() * (event.clientX - box.left)) / box.width));
  });

  const viewer = { show, changed: null };
  return viewer;
};
