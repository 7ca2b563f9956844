// The page: one game, the position on the board, and the side to move.
import { clearLines, showBar, showGraph, showLines } from "./analysis.js";
import { makeBoard } from "./board.js";
import { fillLevels, makeNewGame, makeRules, makeTexts } from "./dialogs.js";
import { openEngine } from "./engine.js";
import { defineFigures, html, pieceIcon } from "./figures.js";

const find = (id) => document.getElementById(id);

/** Milliseconds of a slice of a search: the page stops the engine between slices. */
const SLICE_TIME = 90;
/** Positions of an analysis, of a hint, and of a ply in the evaluation of a whole game. */
const ANALYSIS = 3_000_000;
const HINT = 20_000;
const WHOLE = 4_000;
/** The engine answers no faster, so that one sees what it does. */
const LEAST_TIME = 350;

const game = { rules: "fusion-2020", start: null, moves: [], sides: "first", level: 2, seed: 1 };
let ask = null;
let levels = [];
let info = null;
let whole = null;
let view = null;
let ply = 0;
let epoch = 0;
let flipped = false;
let analysing = false;
let hint = null;
let thinking = false;
let chances = [];
let slice = 2_000;

const at = (plies) => ({ rules: game.rules, start: game.start, moves: game.moves.slice(0, plies) });
const plies = () => game.moves.length;
const owner = (side) => info.players[side === "first" ? 0 : 1];
/** The turns of the game with the plies before and after them. */
function turnsOfGame() {
  let end = 0;
  return whole.turns.map((turn) => ({ ...turn, begin: end, end: (end += turn.plies) }));
}
/** The turn of a position, from 0, if the first player had begun. */
function numberOf(where) {
  const before = turnsOfGame().filter((turn) => turn.end <= where && (turn.end < where || whole.history[where]?.side !== turn.side)).length;
  return before + ((whole.history[0]?.side ?? view.side) === "second" ? 1 : 0);
}
const isHuman = (side) => game.sides === "both" || game.sides === side;
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

function say(text, kind = "") {
  find("message").replaceChildren(html("span", { className: kind, textContent: text }));
}

// ---- The address ----

function writeAddress() {
  const parts = [`rules=${encodeURIComponent(game.rules).replaceAll("%3D", "=").replaceAll("%2C", ",")}`];
  if (game.start) parts.push(`start=${encodeURIComponent(game.start)}`);
  if (plies()) parts.push(`moves=${game.moves.map(encodeURIComponent).join(",")}`);
  if (game.sides !== "first") parts.push(`side=${game.sides}`);
  if (game.level !== 2) parts.push(`level=${game.level}`);
  const address = `#${parts.join("&")}`;
  if (location.hash !== address) history.replaceState(null, "", address);
}

/** The game that the address names. */
function readAddress() {
  const found = {};
  for (const part of location.hash.slice(1).split("&").filter((part) => part.includes("="))) {
    const [name] = part.split("=", 1);
    try {
      found[name] = decodeURIComponent(part.slice(name.length + 1));
    } catch {
      // A text that is not encoded correctly is taken as it is.
      found[name] = part.slice(name.length + 1);
    }
  }
  const level = Number(found.level);
  const hasLevel = found.level && Number.isInteger(level) && level in levels;
  return {
    rules: found.rules ?? game.rules,
    start: found.start ?? null,
    moves: found.moves ? found.moves.split(",") : [],
    sides: ["first", "second", "both", "none"].includes(found.side) ? found.side : "first",
    level: hasLevel ? level : game.level,
  };
}

// ---- Showing ----

function showPlayers() {
  const [top, bottom] = flipped ? ["first", "second"] : ["second", "first"];
  for (const [place, side] of [["top", top], ["bottom", bottom]]) {
    const lost = whole.history.slice(0, ply).map((move) => move.captures).filter((piece) => piece && piece.side !== side);
    const icons = html("div", { className: "lost", title: "Captured" }, ...lost.map(pieceIcon));
    const held = view.reserves.filter((reserve) => reserve.side === side);
    const reserve = html("div", { className: "reserve", title: "Reserve" }, ...held.map((reserve) => html("span", { title: `${reserve.count} ${reserve.name}` }, pieceIcon(reserve), html("small", { textContent: reserve.count }))));
    const who = isHuman(side) ? (game.sides === "both" ? "" : "you") : `engine, ${levels[game.level].name.toLowerCase()}`;
    const element = find(`player-${place}`);
    element.replaceChildren(html("i", { className: "turn" }), html("b", { textContent: owner(side) }), html("span", { textContent: who }), reserve, icons);
    element.classList.toggle("moves-now", view.side === side && !view.outcome);
  }
}

function statusText() {
  const { outcome, side, threatened } = view;
  if (outcome) {
    const result = outcome.winner ? `${owner(outcome.winner)} wins` : "Draw";
    return `${result}: ${outcome.words}`;
  }
  const check = threatened.length ? ", in check" : "";
  if (thinking) return `${owner(side)} is thinking${check}`;
  return `${owner(side)} to move${check}`;
}

function turnButton({ words, begin, end }) {
  const move = whole.history[begin];
  const [title, kind] = end === begin + 1 ? [move.label, move.kind] : [words, ""];
  const button = html("button", { type: "button", textContent: words, title, className: kind, tabIndex: -1 });
  button.dataset.ply = end;
  if (begin < ply && ply <= end) button.setAttribute("aria-current", "true");
  return button;
}

/** Buttons for what is about no space, such as the end of a turn. */
function showChoices(active) {
  const moves = active ? view.legal.filter((move) => !move.to) : [];
  const button = ({ text, label }) => {
    const button = html("button", { type: "button", textContent: label[0].toUpperCase() + label.slice(1) });
    button.dataset.move = text;
    button.addEventListener("click", () => play(text).catch((error) => say(error.message, "why")));
    return button;
  };
  find("choices").replaceChildren(...moves.map(button));
  find("choices").hidden = !moves.length;
}

function showMoves() {
  const list = find("moves");
  const items = [];
  const turns = turnsOfGame();
  list.classList.toggle("long", turns.some(({ plies, words }) => plies > 1 || words.length > 14));
  for (let i = 0; i < turns.length; ) {
    // A row is a turn of each side.
    const item = html("li", {});
    if (turns[i].side === "second") item.append(html("span", { className: "skip", textContent: "…" }));
    item.append(turnButton(turns[i++]));
    if (turns[i - 1].side === "first" && turns[i]) item.append(turnButton(turns[i++]));
    items.push(item);
  }
  list.replaceChildren(...items);
  const current = list.querySelector("[aria-current]");
  const row = current?.parentElement;
  if (row) list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function show() {
  const active = !view.outcome && !thinking && (isHuman(view.side) || ply < plies());
  const last = ply > 0 ? whole.history[ply - 1] : null;
  board.show(view, { flipped, active, last, hint });
  showPlayers();
  showMoves();
  showChoices(active);
  find("status").textContent = statusText();
  showChances();
  const enable = (name, on) => {
    for (const button of document.querySelectorAll(`[data-do="${name}"]`)) button.disabled = !on;
  };
  enable("first", ply > 0);
  enable("previous", ply > 0);
  enable("next", ply < plies());
  enable("last", ply < plies());
  enable("back", plies() > 0);
  enable("hint", !view.outcome && !thinking);
  enable("move", !view.outcome && !thinking);
  document.body.dataset.position = view.text;
  document.body.dataset.moves = game.moves.join(" ");
  document.body.dataset.thinking = thinking;
}

function showChances() {
  showBar(chances[ply] ?? null, flipped, info.players);
  showGraph(chances, plies(), ply, (to) => go(to));
}

/** Loads the position of a ply and shows it, then lets the engine do its part. */
async function refresh() {
  const now = ++epoch;
  hint = null;
  thinking = false;
  const complete = await ask({ request: "position", at: at(plies()) });
  const shown = ply === plies() ? complete : await ask({ request: "position", at: at(ply) });
  if (now !== epoch) return;
  [whole, view] = [complete, shown];
  game.rules = complete.rules;
  // An address may have them in people's notation.
  game.moves = complete.history.map((move) => move.text);
  writeAddress();
  show();
  attend(now).catch((error) => say(error.message, "why"));
}

// ---- The engine ----

/** Repeats a request, slice by slice, until it is done or something else is shown. */
async function slices(request, now, each) {
  for (;;) {
    const began = performance.now();
    const found = await ask({ ...request, slice });
    const took = performance.now() - began;
    if (took > 4) slice = Math.round(Math.min(400_000, Math.max(500, slice * Math.min(4, SLICE_TIME / took))));
    if (now !== epoch) return null;
    each(found);
    if (found.done) return found;
  }
}

const keep = (found, where) => {
  if (found.lines.length) chances[where] = found.lines[0].wdl;
};

/** The engine moves if it is its turn, or analyses the position on the board. */
async function attend(now) {
  if (view.outcome) {
    const { winner } = view.outcome;
    chances[ply] = winner ? (winner === "first" ? [1000, 0, 0] : [0, 0, 1000]) : [0, 1000, 0];
    if (analysing) clearLines("The game is over.");
    return showChances();
  }
  if (ply === plies() && !isHuman(view.side)) return engineMoves(now);
  if (analysing) await analyse(now);
}

async function engineMoves(now) {
  thinking = true;
  show();
  const began = performance.now();
  const request = { request: "play", at: at(ply), level: game.level, seed: game.seed + ply };
  const found = await slices(request, now, () => {});
  if (!found?.move) return;
  if (levels[game.level].temperature === 0 || analysing) keep(found, ply);
  await pause(Math.max(0, LEAST_TIME - (performance.now() - began)));
  if (now === epoch) await play(found.move);
}

async function analyse(now) {
  clearLines("Searching");
  const request = { request: "search", at: at(ply), nodes: ANALYSIS, lines: 3 };
  const where = ply;
  await slices(request, now, (found) => {
    if (!found.lines.length) return;
    keep(found, where);
    showLines(found, numberOf(where), info.players, play);
    showChances();
  });
}

async function showHint() {
  const now = ++epoch;
  say("Looking for a good move.");
  const found = await slices({ request: "search", at: at(ply), nodes: HINT, lines: 1 }, now, () => {});
  if (!found) return;
  const best = view.legal.find((move) => move.text === found.lines[0].moves[0]);
  keep(found, ply);
  hint = best;
  say(`Hint: ${best.words}. ${best.label}.`);
  show();
  if (analysing) await analyse(now);
}

/** Evaluates every position of the game that has no chances yet. */
async function evaluateWhole() {
  const now = ++epoch;
  for (let where = 0; where <= plies(); where++) {
    if (chances[where]) continue;
    const request = { request: "search", at: at(where), nodes: WHOLE, lines: 1 };
    try {
      if (!(await slices(request, now, (found) => keep(found, where)))) return;
    } catch {
      break;
    }
    showChances();
  }
  if (analysing) await analyse(now);
}

// ---- Moving ----

async function play(text) {
  closeMenu();
  say("");
  const kept = game.moves.slice(0, ply);
  game.moves = [...kept, text];
  chances.length = Math.min(chances.length, ply + 1);
  ply = plies();
  await refresh();
}

async function moved(from, to, point) {
  if (from === to) {
    say((await ask({ request: "why", at: at(ply), from, to })) ?? "", "why");
    return;
  }
  // Moves about the space itself have no origin.
  const moves = view.legal.filter((move) => move.from === from && move.to === to);
  // That only a part of the piece can go there may be a surprise.
  if (moves.length === 1 && moves[0].kind !== "fission") await play(moves[0].text);
  else if (moves.length) openMenu(moves, point);
  else say((await ask({ request: "why", at: at(ply), from: from ?? to, to })) ?? "", "why");
}

function openMenu(moves, [x, y]) {
  const menu = find("menu");
  menu.replaceChildren(...moves.map((move) => {
    const button = html("button", { type: "button" }, ...(move.becomes ? [pieceIcon(move.becomes)] : []), html("span", { textContent: move.label }));
    button.setAttribute("role", "menuitem");
    button.dataset.move = move.text;
    button.addEventListener("click", () => play(move.text));
    return button;
  }));
  menu.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = Math.min(Math.max(8, x - width / 2), innerWidth - width - 8);
  const top = y + 24 + height < innerHeight ? y + 24 : Math.max(8, y - height - 24);
  menu.style.left = `${left + scrollX}px`;
  menu.style.top = `${top + scrollY}px`;
  menu.querySelector("button").focus({ preventScroll: true });
}

function closeMenu() {
  find("menu").hidden = true;
}

function takeBack() {
  if (!plies()) return;
  game.moves.pop();
  while (plies() && game.sides !== "both" && !isHuman(whole.history[plies()].side)) game.moves.pop();
  if (game.sides !== "both" && !isHuman(whole.history[plies()].side)) game.sides = "both";
  find("sides").value = game.sides;
  chances.length = Math.min(chances.length, plies() + 1);
  ply = plies();
  say("");
  return refresh();
}

function go(to) {
  ply = Math.max(0, Math.min(plies(), to));
  closeMenu();
  say("");
  return refresh();
}

/** Begins a game. If the rules or moves are refused, the old one stays. */
async function begin(next) {
  const before = { ...game };
  Object.assign(game, { start: null, moves: [] }, next);
  try {
    const rules = await ask({ request: "rules", rules: game.rules });
    const first = await ask({ request: "position", at: at(plies()) });
    info = rules;
    whole = view = first;
  } catch (error) {
    Object.assign(game, before);
    throw error;
  }
  await ask({ request: "new" });
  defineFigures(info.figures);
  game.rules = info.name;
  ply = plies();
  chances = [];
  flipped = game.sides === "second";
  find("about").textContent = info.about;
  find("rules-name").textContent = info.name;
  find("sides").value = game.sides;
  find("level").value = game.level;
  for (const select of [find("sides"), find("new-sides")]) {
    [...select.options].slice(0, 2).forEach((option, i) => (option.textContent = info.players[i]));
  }
  document.querySelectorAll(".legend li").forEach((item, i) => {
    item.textContent = ["first", "draw", "second"][i] === "draw" ? "draw" : `${info.players[i ? 1 : 0]} wins`;
  });
  say(plies() ? "" : "Choose a piece to see its moves.");
  await refresh();
}

const board = makeBoard(find("board"), {
  moved: (from, to, point) => moved(from, to, point).catch((error) => say(error.message, "why")),
  chosen: (space) => say((space && view.restrictions[space]) ?? "", "why"),
});

// ---- What the reader does ----

const newSeed = () => Math.floor(Math.random() * 1e9);

const ACTIONS = {
  first: () => go(0),
  previous: () => go(ply - 1),
  next: () => go(ply + 1),
  last: () => go(plies()),
  flip: () => {
    flipped = !flipped;
    show();
  },
  back: takeBack,
  hint: showHint,
  move: async () => {
    const now = ++epoch;
    await engineMoves(now);
  },
  analyse: () => {
    analysing = !analysing;
    document.querySelector('[data-do="analyse"]').setAttribute("aria-pressed", analysing);
    find("analysis").hidden = !analysing;
    return refresh();
  },
  whole: evaluateWhole,
  new: () => dialogs.newGame(game.rules, game.sides, game.level),
  rules: () => dialogs.rules(game.rules),
  texts: () => dialogs.texts(),
};
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", f: "flip", Backspace: "back", h: "hint", m: "move", a: "analyse", n: "new" };
let dialogs = null;

const run = (action) => Promise.resolve(action?.()).catch((error) => say(error.message, "why"));

function listen() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!event.target.closest("#menu") && !event.target.closest("#board")) closeMenu();
    if (button?.dataset.do === "close") button.closest("dialog").close();
    else if (button?.dataset.ply) run(() => go(Number(button.dataset.ply)));
    else if (button?.dataset.do in ACTIONS) run(ACTIONS[button.dataset.do]);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") closeMenu();
    if (/^(SELECT|INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    const name = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    const button = name && document.querySelector(`[data-do="${name}"]`);
    if (!button || button.disabled) return;
    event.preventDefault();
    run(ACTIONS[name]);
  });
  find("board").addEventListener("pointerdown", closeMenu);
  find("sides").addEventListener("change", (event) => {
    game.sides = event.target.value;
    if (game.sides === "first" || game.sides === "second") flipped = game.sides === "second";
    run(refresh);
  });
  find("level").addEventListener("change", (event) => {
    game.level = Number(event.target.value);
    run(refresh);
  });
  addEventListener("hashchange", () => {
    run(() => begin(readAddress()));
  });
}

/** Shows the first position until the engine is ready, or an empty board if the address names another position. */
function showFirst() {
  const first = JSON.parse(find("first-position").textContent);
  const { rules, start, moves, sides } = readAddress();
  const isFirst = !start && !moves.length && first.presets.includes(rules);
  const position = { ...first.position, legal: [], threatened: [], in_turn: [], restrictions: {} };
  if (isFirst) defineFigures(first.figures);
  else position.pieces = [];
  board.show(position, { flipped: sides === "second", active: false, last: null, hint: null });
}

async function start() {
  showFirst();
  ask = await openEngine();
  const offered = await ask({ request: "start" });
  levels = offered.levels;
  fillLevels(find("level"), levels);
  fillLevels(find("new-level"), levels);
  game.seed = newSeed();
  dialogs = {
    newGame: makeNewGame(ask, offered.presets, (rules, sides, level) => run(() => begin({ rules, sides, level, seed: newSeed() }))),
    rules: makeRules(ask, (rules, start, moves) => run(() => begin({ rules, start, moves, sides: "both" }))),
    texts: makeTexts(
      ask,
      () => ({ at: at(plies()), position: view, players: ["first", "second"].map((side) => (isHuman(side) ? "Player" : `Engine (${levels[game.level].name})`)) }),
      (rules, start, moves) => run(() => begin({ rules, start, moves, sides: moves.length ? "both" : game.sides })),
    ),
  };
  listen();
  try {
    await begin(readAddress());
  } catch (error) {
    await begin({});
    say(`The address names no game: ${error.message}`, "why");
  }
  document.body.dataset.ready = "true";
}

start().catch((error) => {
  find("status").textContent = "The engine cannot start here.";
  say(error.message, "why");
});
