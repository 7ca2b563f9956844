// The board: draws a position and turns clicks, drags and keys into pairs of spaces. The
// legal moves come with the position.
import { EDGE, SIZE, drawPiece, layOut, pieceName, piecesInWords, svg } from "./drawing.js";
import { arrow } from "./figures.js";

/** Pixels that a pointer moves before a press is a drag. */
const SLACK = 5;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * Makes a board in an element. `handlers` has
 *   moved(from, to, point)   the player wants to move; `point` is where on the page
 *   chosen(space)            a piece of the side to move was chosen, or null
 */
export function makeBoard(root, handlers) {
  const picture = svg("svg", { tabindex: 0, role: "application" });
  root.replaceChildren(picture);
  let position = null;
  let shown = { flipped: false, active: false, last: null, hint: null };
  /** Where the parts of the board are in the picture. */
  let layout = null;
  let chosen = null;
  let cursor = null;
  let press = null;

  const pieceOn = (name) => position.pieces.find((piece) => piece.space === name);
  const movesFrom = (name) => position.legal.filter((move) => move.from === name);
  /** Moves about a space that lead nowhere: a piece comes there, or something is done on the spot. */
  const movesOn = (name) => position.legal.filter((move) => !move.from && move.to === name);
  const isOwn = (name) => pieceOn(name)?.side === position.side;
  /** Whether a click on a space chooses the piece there, because it may lead to other spaces. */
  const isChosenFirst = (name) => isOwn(name) && (movesFrom(name).length > 0 || movesOn(name).length === 0);
  /** The space from which all moves lead, if there is only one: the turn of a piece that goes on. */
  function onlyOrigin(next) {
    const from = new Set(next.legal.map((move) => move.from).filter(Boolean));
    const others = next.legal.some((move) => !move.from && move.to && !from.has(move.to));
    return from.size === 1 && !others ? [...from][0] : null;
  }

  function drawMarks() {
    const { last, hint } = shown;
    const { middle, ring, square } = layout;
    for (const name of last ? [last.from, last.to] : []) if (name) picture.append(square(name, "last"));
    for (const name of position.threatened) picture.append(square(name, "threat"));
    for (const name of position.in_turn) picture.append(ring(name, "ring turn"));
    if (chosen) picture.append(square(chosen, "chosen"));
    if (last?.kind === "fusion") picture.append(ring(last.to, "ring"));
    if (last?.kind === "fission") picture.append(...[last.from, last.to].map((name) => ring(name, "ring fission")));
    if (hint) picture.append(...arrow(middle(hint.from ?? hint.to), middle(hint.to), "hint", "hint-head", 17));
  }

  function drawPieces() {
    for (const piece of position.pieces) {
      const drawn = layout.piece(piece, position.players);
      if (press?.dragging && press.space === piece.space) drawn.classList.add("lifted");
      picture.append(drawn);
    }
  }

  /** Dots where the chosen piece may go. Dashed ones split or merge it. */
  function drawTargets() {
    const plain = new Set(["plain", "capture", "castling", "en-passant", "promotion"]);
    const kinds = new Map();
    for (const move of chosen ? movesFrom(chosen) : []) {
      kinds.set(move.to, kinds.get(move.to) || plain.has(move.kind));
    }
    if (chosen && movesOn(chosen).length) kinds.set(chosen, false);
    for (const [name, isPlain] of kinds) {
      const [cx, cy] = layout.middle(name);
      const special = isPlain ? "" : " special";
      picture.append(
        pieceOn(name)
          ? svg("circle", { class: `target${special}`, cx, cy, r: 20 })
          : svg("circle", { class: `dot${special}`, cx, cy, r: 6.5 }),
      );
    }
    if (cursor) {
      const [x, y] = layout.corner(cursor);
      picture.append(svg("rect", { class: "cursor", x: x + 2, y: y + 2, width: SIZE - 4, height: SIZE - 4, rx: 3 }));
    }
  }

  function draw() {
    if (!position) return;
    layout = layOut(position.board, shown.flipped);
    document.documentElement.style.setProperty("--ratio", layout.ratio.toFixed(4));
    picture.setAttribute("viewBox", layout.viewBox);
    picture.replaceChildren(...layout.spaces());
    drawMarks();
    drawPieces();
    drawTargets();
    const where = cursor ? `${cursor}: ${pieceOn(cursor) ? pieceName(pieceOn(cursor), position.players) : "empty"}. ` : "";
    picture.setAttribute("aria-label", `${where}Arrow keys move the cursor, Enter chooses. ${piecesInWords(position.pieces, position.players)}`);
  }

  function choose(name) {
    chosen = name;
    handlers.chosen(name);
    draw();
  }

  /** A space was clicked, or chosen by a key. */
  function pick(name, point) {
    if (!shown.active) return;
    const from = chosen;
    const leads = from && movesFrom(from).some((move) => move.to === name);
    const here = movesOn(name).length > 0;
    if (leads || (from && from !== name && !here && !isOwn(name))) {
      choose(null);
      handlers.moved(from, name, point);
    } else if (from === name) {
      // The only piece that may move stays chosen.
      choose(onlyOrigin(position));
      if (here) handlers.moved(null, name, point);
    } else if (isChosenFirst(name)) choose(name);
    else if (here) {
      choose(null);
      handlers.moved(null, name, point);
    } else if (pieceOn(name) || position.legal.some((move) => !move.from && move.to)) handlers.moved(name, name, point);
  }

  /** Units of the picture for a pixel, and where the board begins on the page. */
  function scale() {
    const box = picture.getBoundingClientRect();
    const unit = layout.width / box.width;
    return { unit, left: box.left + EDGE / unit, top: box.top };
  }

  function spaceAt(event) {
    const { unit, left, top } = scale();
    const { columns, rows } = position.board;
    const x = Math.floor(((event.clientX - left) * unit) / SIZE);
    const y = Math.floor(((event.clientY - top) * unit) / SIZE);
    const [column, row] = shown.flipped ? [columns - 1 - x, y] : [x, rows - 1 - y];
    return position.board.spaces.find((space) => space.column === column && space.row === row)?.name;
  }

  function pointOf(name) {
    const { unit, left, top } = scale();
    const [x, y] = layout.middle(name);
    return [left + x / unit, top + y / unit];
  }

  function drag(event) {
    const { unit, left, top } = scale();
    const [x, y] = [(event.clientX - left) * unit - SIZE / 2, (event.clientY - top) * unit - SIZE / 2];
    press.ghost.setAttribute("transform", `translate(${x} ${y})`);
  }

  picture.addEventListener("pointerdown", (event) => {
    if (!position || event.button) return;
    cursor = null;
    const space = spaceAt(event);
    if (!space) return;
    press = { space, x: event.clientX, y: event.clientY, dragging: false, wasChosen: chosen === space };
    if (shown.active && isChosenFirst(space) && !(chosen && movesFrom(chosen).some((move) => move.to === space))) {
      if (!press.wasChosen) choose(space);
      press.canDrag = true;
      picture.setPointerCapture(event.pointerId);
    }
  });
  picture.addEventListener("pointermove", (event) => {
    if (!press?.canDrag) return;
    if (!press.dragging && Math.hypot(event.clientX - press.x, event.clientY - press.y) > SLACK) {
      press.dragging = true;
      draw();
      press.ghost = drawPiece(pieceOn(press.space));
      press.ghost.classList.add("dragged");
      picture.append(press.ghost);
    }
    if (press.dragging) drag(event);
  });
  picture.addEventListener("pointerup", (event) => {
    const ended = press;
    press = null;
    if (!ended) return;
    const space = spaceAt(event);
    if (ended.dragging) {
      const from = ended.space;
      if (space && space !== from) {
        choose(null);
        handlers.moved(from, space, [event.clientX, event.clientY]);
      } else draw();
    } else if (!ended.canDrag && space) pick(space, [event.clientX, event.clientY]);
    else if (ended.wasChosen && space === ended.space) pick(space, [event.clientX, event.clientY]);
  });
  picture.addEventListener("pointercancel", () => {
    press = null;
    draw();
  });
  picture.addEventListener("keydown", (event) => {
    if (!position || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in ARROWS) {
      const [dx, dy] = ARROWS[event.key].map((step) => (shown.flipped ? -step : step));
      const at = layout.known.get(cursor ?? chosen ?? position.board.spaces[0].name);
      const next = position.board.spaces.find((space) => space.column === at.column + dx && space.row === at.row + dy);
      cursor = next?.name ?? at.name;
      draw();
    } else if ((event.key === "Enter" || event.key === " ") && cursor) pick(cursor, pointOf(cursor));
    else if (event.key === "Escape" && (chosen || cursor)) {
      cursor = null;
      choose(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // The outline of the focus is for those who use keys.
  addEventListener("keydown", () => root.classList.add("keys"), true);
  addEventListener("pointerdown", () => root.classList.remove("keys"), true);
  picture.addEventListener("blur", () => {
    cursor = null;
    draw();
  });

  return {
    /** Shows a position. `options`: flipped, active (the player may move), last (a move), hint. */
    show(next, options) {
      if (next !== position) chosen = options.active ? onlyOrigin(next) : null;
      position = next;
      shown = options;
      draw();
    },
    pointOf,
  };
}
