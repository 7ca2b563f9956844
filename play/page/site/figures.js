// Pieces as SVG: each is the figures of its parts, side by side on one plate.

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** An HTML element with properties and children. */
export function html(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Makes the figures of a game's pieces available. They come from the engine. */
export function defineFigures(figures) {
  document.getElementById("figures")?.remove();
  const parsed = new DOMParser().parseFromString(`<svg xmlns="${SVG}"><defs>${figures}</defs></svg>`, "image/svg+xml");
  const holder = document.importNode(parsed.documentElement, true);
  holder.id = "figures";
  holder.setAttribute("aria-hidden", "true");
  holder.style.cssText = "position:absolute;width:0;height:0";
  document.body.prepend(holder);
}

/** The different figures of a piece in order, each with how often it occurs. */
function figuresOf(piece) {
  const counts = new Map();
  for (const part of piece.figure) counts.set(part, (counts.get(part) ?? 0) + 1);
  return [...counts];
}

/** A piece in a square of 45 units. A figure that occurs several times is drawn once, with its number. */
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

/** A piece as a picture of its own. */
export function pieceIcon(piece) {
  return svg("svg", { viewBox: "0 0 45 45", "aria-hidden": "true" }, drawPiece(piece));
}

/** What a piece is called, with what it is made of. */
export function pieceName(piece, players) {
  const owner = players[piece.side === "first" ? 0 : 1];
  return `${owner} ${piece.name}${piece.parts ? ` (${piece.parts})` : ""}`;
}

/** An arrow between two points of a board, with `kind` in the classes of its parts. */
export function arrow([x1, y1], [x2, y2], line, head, size) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - size * dx, y2 - size * dy];
  const wing = size * 0.62;
  const points = [[x2, y2], [bx - wing * dy, by + wing * dx], [bx + wing * dy, by - wing * dx]];
  return [
    svg("line", { class: line, x1, y1, x2: bx, y2: by }),
    svg("polygon", { class: head, points: points.map((point) => point.join(",")).join(" ") }),
  ];
}
