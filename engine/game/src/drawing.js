// Draws boards and pieces as SVG, whatever the game. The figures of the pieces are symbols of the page:
// `figure-R` for the letter R.

/** The namespace of SVG, from the parser: pages that hold this script name no address. */
const SVG = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;
/** Side of a space in units of the picture. */
export const SIZE = 45;
/** Room at the left and below for the names of rows and columns. */
export const EDGE = 14;

/** An SVG element with attributes and children. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The different figures of a piece in order, each with how often it occurs. */
function figuresOf(piece) {
  const counts = new Map();
  for (const part of piece.figure) counts.set(part, (counts.get(part) ?? 0) + 1);
  return [...counts];
}

/**
 * A piece in a square of 45 units: its figures side by side on one plate. A figure that occurs several
 * times is drawn once, with its number.
 */
export function drawPiece(piece) {
  const parts = figuresOf(piece);
  const group = svg("g", { class: `piece ${piece.side}` });
  const number = (count, x) => {
    if (count > 1) group.append(svg("text", { class: "number", x, y: 44, "text-anchor": "middle" }, String(count)));
  };
  if (parts.length === 1) {
    const [[part, count]] = parts;
    group.append(svg("use", { href: `#figure-${part}` }));
    group.append(svg("rect", { x: 10, y: 33.5, width: 25, height: 5, rx: 1.5 }));
    number(count, 38);
    return group;
  }
  const [wide, apart] = parts.length === 2 ? [0.74, 19.8] : parts.length === 3 ? [0.56, 13.4] : [1.7 / parts.length, 41 / parts.length];
  const high = 0.98;
  parts.forEach(([part], i) => {
    const middle = 22.5 + (i - (parts.length - 1) / 2) * apart;
    const shift = `translate(${middle - 22.5 * wide} ${33.5 * (1 - high)})`;
    group.append(svg("use", { href: `#figure-${part}`, transform: `${shift} scale(${wide} ${high})` }));
  });
  group.append(svg("rect", { class: "plate", x: 2.5, y: 33.5, width: 40, height: 6.5, rx: 3.2 }));
  parts.forEach(([, count], i) => number(count, 22.5 + (i - (parts.length - 1) / 2) * apart));
  return group;
}

/** What a piece is called, with what it is made of. */
export function pieceName(piece, players) {
  const owner = players[piece.side === "first" ? 0 : 1];
  return `${owner} ${piece.name}${piece.parts ? ` (${piece.parts})` : ""}`;
}

/** The pieces of both players and their spaces in words. */
export function piecesInWords(pieces, players) {
  const names = (side) => pieces.filter((piece) => piece.side === side).map((piece) => `${piece.name} ${piece.space}`).join(", ");
  return `${players[0]}: ${names("first")}. ${players[1]}: ${names("second")}.`;
}

/** A board as seen by the first player, or turned: where its spaces are in a picture, and its parts. */
export function layOut(board, flipped) {
  const { columns, rows } = board;
  const [width, height] = [columns * SIZE + EDGE, rows * SIZE + EDGE];
  const known = new Map(board.spaces.map((space) => [space.name, space]));
  const place = ({ column, row }) =>
    flipped ? [(columns - 1 - column) * SIZE, row * SIZE] : [column * SIZE, (rows - 1 - row) * SIZE];
  const corner = (name) => place(known.get(name));
  const middle = (name) => corner(name).map((x) => x + SIZE / 2);

  function spaces() {
    const parts = [];
    for (const space of board.spaces) {
      const [x, y] = place(space);
      const shade = space.dark ? "dark" : "light";
      parts.push(svg("rect", { class: shade, x, y, width: SIZE, height: SIZE, "data-space": space.name }));
      // Beside the board, where no piece stands on them.
      const label = (text, dx, dy) =>
        parts.push(svg("text", { class: "coordinate", x: x + dx, y: y + dy, "text-anchor": "middle", "aria-hidden": "true" }, text));
      if (x === 0 && board.row_names.length) label(board.row_names[space.row], -7, 26.5);
      if (y === (rows - 1) * SIZE && board.column_names.length) label(board.column_names[space.column], SIZE / 2, SIZE + 11);
    }
    return parts;
  }

  return {
    width,
    ratio: width / height,
    viewBox: `${-EDGE} 0 ${width} ${height}`,
    known,
    corner,
    middle,
    spaces,
    /** A mark that covers a space. */
    square(name, kind) {
      const [x, y] = corner(name);
      return svg("rect", { class: kind, x, y, width: SIZE, height: SIZE });
    },
    ring(name, kind) {
      const [cx, cy] = middle(name);
      return svg("circle", { class: kind, cx, cy, r: 21 });
    },
    /** A piece on its space, with its name. */
    piece(piece, players) {
      const drawn = drawPiece(piece);
      drawn.setAttribute("transform", `translate(${corner(piece.space).join(" ")})`);
      drawn.append(svg("title", {}, `${pieceName(piece, players)}, ${piece.space}`));
      return drawn;
    },
  };
}
