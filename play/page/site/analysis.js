// Evaluations: the bar beside the board, the best lines, and the graph over the game.
import { svg } from "./drawing.js";
import { html } from "./figures.js";

const find = (id) => document.getElementById(id);
const percent = (share) => `${Math.round(share / 10)}%`;

/** Shows chances beside the board; `wdl` is per mille for the first player, or null. */
export function showBar(wdl, flipped, players) {
  const bar = find("bar");
  bar.hidden = !wdl;
  bar.classList.toggle("flipped", flipped);
  if (!wdl) return;
  ["first", "draw", "second"].forEach((name, i) => {
    bar.querySelector(`.${name}`).style.flexGrow = wdl[i];
  });
  const words = `${players[0]} wins ${percent(wdl[0])}, draw ${percent(wdl[1])}, ${players[1]} wins ${percent(wdl[2])}`;
  bar.setAttribute("aria-label", words);
  bar.title = words;
}

/** What a line is worth: its end if that is proven, else the score of the first player. */
function worth(line) {
  if (line.plies_to_end !== null) {
    // Where turns have several plies, their number says little.
    if (line.turns.some((turn) => turn.plies > 1)) return line.plies_to_end > 0 ? "+#" : "−#";
    const moves = Math.ceil(Math.abs(line.plies_to_end) / 2);
    return `${line.plies_to_end > 0 ? "+" : "−"}#${moves}`;
  }
  const score = line.value / 100;
  return `${score < 0 ? "−" : "+"}${Math.abs(score).toFixed(2)}`;
}

/** A line's turns with their numbers. Turn 0 is the first player's first one; `goesOn` if it has begun already. */
function numbered(turns, first, goesOn) {
  const number = (i) => {
    const at = first + i;
    if (i === 0 && goesOn) return `${Math.floor(at / 2) + 1}… `;
    if (at % 2 === 0) return `${at / 2 + 1}. `;
    return i === 0 ? `${(at + 1) / 2}… ` : "";
  };
  return turns.map(({ words }, i) => number(i) + words);
}

/** Shows the best lines of a search, the first turn with this number; `goesOn` if it has begun already. `played` is
 * called with the first move of a line that is clicked. */
export function showLines(found, turn, goesOn, players, played) {
  const [win, draw, loss] = found.lines[0].wdl;
  find("wdl").textContent = `${players[0]} ${percent(win)} · draw ${percent(draw)} · ${players[1]} ${percent(loss)}`;
  find("effort").textContent = `depth ${found.depth} · ${found.visited.count.toLocaleString("en")} ${found.visited.unit}`;
  const items = found.lines.map((line) => {
    const [first, ...rest] = numbered(line.turns, turn, goesOn);
    const button = html("button", { type: "button", textContent: first, title: "Play this move" });
    button.addEventListener("click", () => played(line.moves[0]));
    return html("li", {}, html("b", { textContent: worth(line) }), html("span", {}, button, ` ${rest.join(" ")}`));
  });
  find("lines").replaceChildren(...items);
}

/** Empties the lines while a new search begins. */
export function clearLines(text) {
  find("wdl").textContent = text;
  find("effort").textContent = "";
  find("lines").replaceChildren();
}

/** Draws the chances over the game. `chances` has them by ply, or nothing. */
export function showGraph(chances, plies, now, jump) {
  const figure = find("graph");
  const known = chances.filter(Boolean).length;
  figure.hidden = known === 0;
  if (!known) return;
  const picture = figure.querySelector("svg");
  const columns = Math.max(plies + 1, 2);
  const x = (ply) => `${(100 * ply) / columns}%`;
  const column = (ply, from, to, name) =>
    svg("rect", { class: name, x: x(ply), width: `${100 / columns + 0.05}%`, y: (96 * from) / 1000, height: (96 * (to - from)) / 1000 });
  const parts = [svg("rect", { class: "none", width: "100%", height: 96 })];
  for (let ply = 0; ply <= plies; ply++) {
    if (!chances[ply]) continue;
    const [win, draw, loss] = chances[ply];
    parts.push(column(ply, 0, loss, "second"), column(ply, loss, loss + draw, "draw"), column(ply, 1000 - win, 1000, "first"));
  }
  parts.push(svg("line", { class: "half", x1: 0, x2: "100%", y1: 48, y2: 48 }));
  parts.push(svg("rect", { class: "frame", width: "100%", height: 96 }));
  const here = `${(100 * (now + 0.5)) / columns}%`;
  parts.push(svg("line", { class: "now", x1: here, x2: here, y1: -3, y2: 99 }));
  picture.replaceChildren(...parts);
  picture.onclick = (event) => {
    const box = picture.getBoundingClientRect();
    jump(Math.min(plies, Math.floor(((event.clientX - box.left) / box.width) * columns)));
  };
}
