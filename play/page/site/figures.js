// Elements of the page, and pictures beside the board.

import { drawPiece, svg } from "./drawing.js";

/** An HTML element with properties and children. */
export function html(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Makes the figures of a game's pieces available. They come from the engine. */
export function defineFigures(figures) {
  document.getElementById("figures")?.remove();
  const parsed = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg"><defs>${figures}</defs></svg>`, "image/svg+xml");
  const holder = document.importNode(parsed.documentElement, true);
  holder.id = "figures";
  holder.setAttribute("aria-hidden", "true");
  holder.style.cssText = "position:absolute;width:0;height:0";
  document.body.prepend(holder);
}

/** A piece as a picture of its own. */
export function pieceIcon(piece) {
  return svg("svg", { viewBox: "0 0 45 45", "aria-hidden": "true" }, drawPiece(piece));
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
