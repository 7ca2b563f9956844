// The list of moves: a row for a turn of each side, with comments and variations below it.
import { html } from "./figures.js";

const GLYPHS = ["", "!", "?", "!!", "??", "!?", "?!"];
const OTHERS = { 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓", 18: "+−", 19: "−+" };
const glyph = (number) => GLYPHS[number] ?? OTHERS[number] ?? `$${number}`;

/** The turns of a main line from a move on: moves of one side in a row. */
function turnsFrom(first) {
  const turns = [];
  for (let at = first; at; at = at.children[0]) {
    const last = turns.at(-1);
    if (last && last[0].side === at.side) last.push(at);
    else turns.push([at]);
  }
  return turns;
}

/** The number of a move's turn, from 0, if the first player had begun. */
export function turnOf(move) {
  let number = 0;
  let at = move;
  for (; at.parent?.parent; at = at.parent) if (at.side !== at.parent.side) number++;
  return number + (at.side === "second" ? 1 : 0);
}

/** Shows the game from its beginning. `current` is the move before the position on the board, and `chosen` is called
 * with the move that is clicked. */
export function showMoves(list, root, current, chosen) {
  const buttons = [];
  function button(turn) {
    const last = turn.at(-1);
    const words = (last.turnWords ?? turn.map((move) => move.words).join(" ")) + turn.flatMap((move) => move.glyphs).map(glyph).join(" ");
    const made = html("button", { type: "button", textContent: words, title: last.label ?? words, className: turn.length === 1 ? (last.kind ?? "") : "", tabIndex: -1 });
    made.addEventListener("click", () => chosen(last));
    if (turn.includes(current)) made.setAttribute("aria-current", "true");
    buttons.push(made);
    return made;
  }
  const comments = (turn) => turn.filter((move) => move.comment).map((move) => html("p", { className: "comment", textContent: move.comment }));
  /** A variation in words: `1… e5 2. Nf3`, with those in it. */
  function variation(first) {
    const shown = html("div", { className: "variation", role: "group", ariaLabel: "Variation" });
    if (first.before) shown.append(html("span", { className: "comment", textContent: first.before }));
    const turns = turnsFrom(first);
    turns.forEach((turn, i) => {
      const number = turnOf(turn[0]);
      if (number % 2 === 0) shown.append(`${number / 2 + 1}. `);
      else if (i === 0) shown.append(`${(number + 1) / 2}… `);
      shown.append(button(turn), " ", ...comments(turn), ...others(turn, i === 0 ? first : null));
    });
    return shown;
  }
  /** The variations of the moves of a turn, but for the move itself with which a variation begins. */
  const others = (turn, begins) => turn.filter((move) => move !== begins).flatMap((move) => (move.parent.children[0] === move ? move.parent.children.slice(1).map(variation) : []));
  const items = [];
  const turns = turnsFrom(root.children[0]);
  list.classList.toggle("long", turns.some((turn) => turn.length > 1 || (turn.at(-1).turnWords ?? turn[0].words).length > 14));
  if (root.before) items.push(html("p", { className: "comment", textContent: root.before }));
  for (let i = 0; i < turns.length; ) {
    const row = [turns[i++]];
    if (row[0][0].side === "first" && turns[i]) row.push(turns[i++]);
    const item = html("li", {});
    if (row[0][0].side === "second") item.append(html("span", { className: "skip", textContent: "…" }));
    item.append(...row.map(button), ...row.flatMap(comments), ...row.flatMap((turn) => others(turn, null)));
    items.push(item);
  }
  list.replaceChildren(...items);
  // One of them is reached by the Tab key, the others from there by arrows.
  const here = list.querySelector("[aria-current]");
  const reached = here ?? buttons[0];
  if (reached) reached.tabIndex = 0;
  if (here) list.scrollTop += here.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
}

/** Moves the focus among the buttons of an element by arrows, Home and End. Returns whether the key is one of them. */
export function moveFocus(element, key) {
  const buttons = [...element.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[key];
  if (to === undefined || !buttons.length) return false;
  buttons[(to + buttons.length) % buttons.length].focus();
  return true;
}
