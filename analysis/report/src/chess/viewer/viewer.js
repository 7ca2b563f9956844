// The board viewer: plays through a game. It knows no rules; the game that it is given has all its
// positions. `fusionViewer(element)` gives the viewer, and `show(game, ply)` shows a game:
//
//   rules, from       rule set, and the first position as FEN if it is not the rules' own
//   result, ending    how it ended: PGN's token, and words
//   openingPlies      plies of the opening
//   positions         before the first ply and after each: { e1: "wK", a8: "bRBN", ... }
//   san, moves        notation and squares ("e2e4") of each ply
//   kinds             letters of KINDS of each ply
//   wdl               win, draw and loss that White expected before each ply, or null
//   wholeQueen        under its rules nothing merges or splits: a Queen is one figure
//
// `changed`, if set, is called with the ply whenever another position is shown.
window.fusionViewer = (root) => {
  "use strict";

  const find = (selector) => root.querySelector(selector);
  const board = find(".board svg");
  const slider = find(".viewer-slider");
  const list = find(".moves");
  const graph = find(".graph");
  const areas = find(".areas");
  const marks = find(".graph-marks");
  const playButton = find('[data-action="play"]');
  const playLink = find(".viewer-play a");

  const SQUARE = 45;
  const PLAY = "M7 4l12 8-12 8z";
  const PAUSE = "M7 5h3v14h-3zM14 5h3v14h-3z";
  const INTERVAL = 800;
  const KINDS = { f: "fusion", s: "fission", c: "castling", x: "capture", p: "promotion", m: "metamorphosis", d: "demotion", o: "self-capture" };
  const BADGES = { f: "fusion", s: "fission" };
  const ENDS = { "1-0": "White won", "0-1": "Black won", "1/2-1/2": "Drawn", "*": "No result" };

  let game = null;
  let ply = 0;
  let flipped = false;
  let timer = null;

  /** An SVG element with attributes and children. */
  function svg(name, attributes = {}, ...children) {
    const element = document.createElementNS(board.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const title = (text) => svg("title", {}, text);
  const plies = () => game.moves.length;

  // ---- The board ----

  /** A piece's components; its colour comes first. */
  const components = (piece) => piece.slice(1);
  const isWhite = (piece) => piece[0] === "w";
  const isQueen = (piece) => game.wholeQueen && components(piece) === "RB";
  const pieceName = (piece) => (isQueen(piece) ? "Q" : components(piece));

  function corner(square) {
    const file = square.charCodeAt(0) - 97;
    const rank = Number(square[1]) - 1;
    return flipped ? [(7 - file) * SQUARE, rank * SQUARE] : [file * SQUARE, (7 - rank) * SQUARE];
  }

  /** A piece in a square of 45 units. A compound is its components on one plate. */
  function drawPiece(piece) {
    const parts = pieceName(piece);
    const group = svg("g", { class: isWhite(piece) ? "piece white" : "piece black" });
    if (parts.length === 1) {
      group.append(svg("use", { href: `#figure-${parts}` }));
      group.append(svg("rect", { x: 10, y: 33.5, width: 25, height: 5, rx: 1.5 }));
      return group;
    }
    const [x, apart] = parts.length === 2 ? [0.74, 19.8] : [0.56, 13.4];
    const y = 0.98;
    [...parts].forEach((part, i) => {
      const middle = 22.5 + (i - (parts.length - 1) / 2) * apart;
      const shift = `translate(${middle - 22.5 * x} ${33.5 * (1 - y)})`;
      group.append(svg("use", { href: `#figure-${part}`, transform: `${shift} scale(${x} ${y})` }));
    });
    group.append(svg("rect", { class: "plate", x: 2.5, y: 33.5, width: 40, height: 6.5, rx: 3.2 }));
    return group;
  }

  function badge(square, kind) {
    const [x, y] = corner(square);
    const use = svg("use", { href: `#mark-${kind}` }, title(kind));
    return svg("g", { class: `mark ${kind}`, transform: `translate(${x + 36} ${y + 9})` }, use);
  }

  function drawBoard() {
    board.replaceChildren();
    for (let rank = 1; rank <= 8; rank++) {
      for (const file of "abcdefgh") {
        const [x, y] = corner(file + rank);
        const dark = (file.charCodeAt(0) + rank) % 2 === 0;
        const shade = dark ? "dark" : "light";
        board.append(svg("rect", { class: shade, x, y, width: SQUARE, height: SQUARE }));
        // Beside the board, where no piece stands on them.
        const middle = { class: "coordinate", "text-anchor": "middle" };
        if (x === 0) {
          board.append(svg("text", { ...middle, x: -8, y: y + 26.5 }, String(rank)));
        }
        if (y === 7 * SQUARE) {
          board.append(svg("text", { ...middle, x: x + 22.5, y: y + SQUARE + 12.5 }, file));
        }
      }
    }
    if (ply > 0) {
      const move = game.moves[ply - 1];
      for (const square of [move.slice(0, 2), move.slice(2)]) {
        const [x, y] = corner(square);
        board.append(svg("rect", { class: "last", x, y, width: SQUARE, height: SQUARE }));
      }
    }
    const squares = game.positions[ply];
    for (const [square, piece] of Object.entries(squares)) {
      const [x, y] = corner(square);
      const drawn = drawPiece(piece);
      drawn.setAttribute("transform", `translate(${x} ${y})`);
      drawn.dataset.square = square;
      drawn.append(title(`${isWhite(piece) ? "White" : "Black"} ${pieceName(piece)} ${square}`));
      board.append(drawn);
    }
    if (ply > 0) {
      const move = game.moves[ply - 1];
      const [from, to] = [move.slice(0, 2), move.slice(2)];
      if (game.kinds[ply - 1].includes("f")) {
        const [x, y] = corner(to);
        board.append(svg("circle", { class: "ring", cx: x + 22.5, cy: y + 22.5, r: 21 }));
        board.append(badge(to, "fusion"));
      } else if (game.kinds[ply - 1].includes("s")) {
        board.append(badge(from, "fission"), badge(to, "fission"));
      }
    }
    const side = (white) =>
      Object.entries(squares)
        .filter(([, piece]) => isWhite(piece) === white)
        .map(([square, piece]) => pieceName(piece) + square)
        .sort()
        .join(", ");
    board.setAttribute("aria-label", `White: ${side(true)}. Black: ${side(false)}.`);
  }

  // ---- The moves ----

  const number = (index) => `${Math.floor(index / 2) + 1}${index % 2 ? "…" : "."}`;
  const kindNames = (index) => game.kinds[index].map((kind) => KINDS[kind]).join(", ");

  function moveButton(index) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.ply = index + 1;
    button.textContent = game.san[index];
    // One stop for the Tab key; the arrow keys do the rest.
    button.tabIndex = -1;
    if (index < game.openingPlies) button.classList.add("opening");
    for (const kind of game.kinds[index]) {
      if (!(kind in BADGES)) continue;
      button.classList.add(BADGES[kind]);
      const use = svg("use", { href: `#mark-${BADGES[kind]}` });
      const attributes = { class: `mark ${BADGES[kind]}`, viewBox: "-9 -9 18 18", role: "img" };
      button.append(" ", svg("svg", attributes, title(BADGES[kind]), use));
    }
    return button;
  }

  function drawMoves() {
    list.replaceChildren();
    for (let index = 0; index < plies(); index += 2) {
      const item = document.createElement("li");
      item.append(moveButton(index));
      if (index + 1 < plies()) item.append(moveButton(index + 1));
      list.append(item);
    }
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
    const row = current.parentElement;
    const above = row.offsetTop - list.offsetTop;
    if (above < list.scrollTop) list.scrollTop = above;
    const below = above + row.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below;
  }

  // ---- The evaluation ----

  const percent = (x) => `${x.toFixed(3)}%`;
  const at = (index) => percent((100 * index) / Math.max(1, plies()));

  /** Runs of plies that have an evaluation, as [first, after the last]. */
  function runs() {
    const found = [];
    game.wdl.forEach((wdl, i) => {
      if (!wdl) return;
      const last = found[found.length - 1];
      if (last && last[1] === i) last[1] = i + 1;
      else found.push([i, i + 1]);
    });
    return found;
  }

  function area(name, [from, to], low, high) {
    const steps = [];
    for (let i = from; i < to; i++) steps.push([i, high(game.wdl[i])], [i + 1, high(game.wdl[i])]);
    for (let i = to - 1; i >= from; i--) steps.push([i + 1, low(game.wdl[i])], [i, low(game.wdl[i])]);
    const points = steps.map(([x, y]) => `${x},${1000 - y}`).join(" ");
    return svg("polygon", { class: name, points });
  }

  function drawGraph() {
    const evaluated = runs();
    find(".evaluation").hidden = evaluated.length === 0;
    areas.setAttribute("viewBox", `0 0 ${Math.max(1, plies())} 1000`);
    areas.replaceChildren();
    marks.replaceChildren();
    // White at the bottom; thousandths of the sum, which rounding leaves near 1000.
    const scaled = (part) => (wdl) => (1000 * part(wdl)) / (wdl[0] + wdl[1] + wdl[2]);
    const none = () => 0;
    const win = scaled((wdl) => wdl[0]);
    const draw = scaled((wdl) => wdl[0] + wdl[1]);
    for (const run of evaluated) {
      areas.append(area("eval-win", run, none, win), area("eval-draw", run, win, draw));
      areas.append(area("eval-loss", run, draw, () => 1000));
    }
    const opening = game.openingPlies;
    if (opening > 0) {
      const zone = { class: "opening-zone", y: 6, height: 120, width: at(opening) };
      marks.append(svg("rect", zone, title("opening")));
    }
    marks.append(svg("rect", { class: "frame", y: 6, width: "100%", height: 120 }));
    marks.append(svg("line", { class: "half", x1: 0, x2: "100%", y1: 66, y2: 66 }));
    game.kinds.forEach((kinds, i) => {
      for (const kind of kinds) {
        if (!(kind in BADGES)) continue;
        const name = `${number(i)} ${game.san[i]}, ${BADGES[kind]}`;
        const place = { class: `tick-${BADGES[kind]}`, x1: at(i + 1), x2: at(i + 1), y1: 129, y2: 138 };
        marks.append(svg("line", place, title(name)));
      }
    });
    const step = [5, 10, 20, 50, 100, 200].find((step) => plies() / step <= 6) || 500;
    for (let i = 0; i <= plies(); i += step) {
      // The last label must not leave the plot.
      const anchor = i === 0 ? "start" : i > 0.96 * plies() ? "end" : "middle";
      const label = i === 0 ? "ply 0" : String(i);
      marks.append(svg("text", { class: "tick", x: at(i), y: 156, "text-anchor": anchor }, label));
    }
    marks.append(svg("line", { class: "cursor", y1: 0, y2: 138 }));
  }

  function markGraph() {
    const cursor = marks.querySelector(".cursor");
    cursor.setAttribute("x1", at(ply));
    cursor.setAttribute("x2", at(ply));
    const wdl = game.wdl[ply];
    const line = find(".viewer-wdl");
    if (wdl) {
      const share = (i) => `${((100 * wdl[i]) / (wdl[0] + wdl[1] + wdl[2])).toFixed(1)}%`;
      line.textContent = `Here: White wins ${share(0)}, draw ${share(1)}, Black wins ${share(2)}.`;
    } else if (ply === plies()) {
      line.textContent = `Here: the game is over, ${game.result}.`;
    } else {
      line.textContent = "Here: not searched.";
    }
  }

  // ---- What the reader does ----

  function describe() {
    const { openingPlies: opening, ending, result } = game;
    const parts = [];
    if (ply === 0) parts.push("Start position");
    else {
      parts.push(`${number(ply - 1)} ${game.san[ply - 1]}`);
      if (kindNames(ply - 1)) parts.push(kindNames(ply - 1));
      if (ply <= opening) parts.push("opening");
    }
    if (ply === plies()) parts.push(`${ENDS[result] || result}: ${ending}`);
    return parts.join(" · ");
  }

  /** Where one can play on from the position: rules and moves are in the address of that page. */
  function linkToPlay() {
    const { playPage } = document.body.dataset;
    playLink.parentElement.hidden = !playPage;
    if (!playPage) return;
    const parts = [`rules=${encodeURIComponent(game.rules)}`];
    if (game.from) parts.push(`start=${encodeURIComponent(game.from)}`);
    if (ply > 0) parts.push(`moves=${game.san.slice(0, ply).map(encodeURIComponent).join(",")}`);
    playLink.href = `${playPage}#${parts.join("&")}&side=both`;
  }

  function go(to) {
    ply = Math.max(0, Math.min(plies(), Math.round(to) || 0));
    slider.value = ply;
    slider.setAttribute("aria-valuetext", `${ply} of ${plies()} plies`);
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
