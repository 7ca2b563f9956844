// The page: one game, the position on the board, and the side to move.
import { addressOf, holdsRules, readAddress } from "./address.js";
import { clearLines, showBar, showGraph, showLines } from "./analysis.js";
import { makeBoard } from "./board.js";
import { aboutOf, changesOf, fillLevels, makeNewGame, makeRules, makeTexts } from "./dialogs.js";
import { openEngine } from "./engine.js";
import { defineFigures, html, pieceIcon } from "./figures.js";
import { asksToMeasure, canMeasure, makeLab } from "./lab.js";
import { moveFocus, showMoves, turnOf } from "./moves.js";
import { makeOwnFiles } from "./own.js";
import { branch, child, fromRead, lineTo, promote, root, toRead } from "./record.js";

const find = (id) => document.getElementById(id);

/** Milliseconds of a slice of a search: the page stops the engine between slices. */
const SLICE_TIME = 90;
/** Positions of an analysis, of a hint, and of a ply in the evaluation of a whole game. */
const ANALYSIS = 3_000_000;
const HINT = 20_000;
const WHOLE = 4_000;
/** The engine answers no faster, so that one sees what it does. */
const LEAST_TIME = 350;

const game = { rules: "fusion-2020", start: null, sides: "first", level: 2, seed: 1, tags: [], result: "" };
/** The moves as a tree, and the line of it that is played. */
let record = root();
let line = [];
/** Whether the address has parts that could not be read, and stays as it is. */
let kept = false;
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

const at = (plies) => ({ rules: game.rules, start: game.start, moves: line.slice(0, plies).map((move) => move.text) });
const plies = () => line.length;
const here = () => line[ply - 1] ?? record;
const owner = (side) => info.players[side === "first" ? 0 : 1];
/** The number of the turn that goes on or begins on the board, from 0, and whether it goes on. */
function turnHere() {
  if (!ply) return [view.side === "second" ? 1 : 0, false];
  const goesOn = here().side === view.side;
  return [turnOf(here()) + (goesOn ? 0 : 1), goesOn];
}
const isHuman = (side) => game.sides === "both" || game.sides === side;
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

function say(text, kind = "") {
  find("message").replaceChildren(html("span", { className: kind, textContent: text }));
}

// ---- The address ----

/** The whole game, as it is written. */
const written = () => ({ rules: game.rules, start: game.start, tags: game.tags, result: game.result, ...toRead(record) });

/** Writes the address, and the game with its variations beside it: going back and loading again show it. */
function writeAddress() {
  if (kept || lab?.isOpen()) return;
  const address = addressOf(game, line, info.definition);
  history.replaceState({ address, game: written() }, "", address);
}

/** Opens the game or the question of the address. What is good of it stays, and the rest is named. */
async function openAddress() {
  const { hash } = location;
  if (lab && asksToMeasure(hash)) {
    // The board has a game, too.
    if (!info) await begin({});
    return lab.readAddress(hash);
  }
  lab?.close();
  const { problems, definition, ...next } = readAddress(game, levels);
  const refused = async (request) => {
    try {
      await ask(request);
    } catch (error) {
      return error;
    }
  };
  // The address may define what its rules name. A wrong definition is named only if the rules are not known anyway.
  const wrong = definition && (await refused({ request: "definition", name: next.rules.split(",")[0], text: definition }));
  const rules = await refused({ request: "rules", rules: next.rules });
  if (rules) {
    if (wrong) problems.push(`The definition: ${wrong.message}.`);
    problems.push(`The rules “${next.rules}”: ${rules.message}.`);
    const parts = next.rules.split(",");
    next.rules = "";
    for (const part of parts) {
      const more = [next.rules, part].filter(Boolean).join(",");
      if (!(await refused({ request: "rules", rules: more }))) next.rules = more;
    }
    next.rules ||= "fusion-2020";
  }
  const position = (moves) => ({ request: "position", at: { rules: next.rules, start: next.start, moves } });
  const start = await refused(position([]));
  if (start) {
    problems.push(`The start “${next.start}”: ${start.message}. This is the initial position of ${next.rules}${next.moves.length ? ", without the moves of the address" : ""}.`);
    [next.start, next.moves] = [null, []];
  }
  const bad = await refused(position(next.moves));
  if (bad) {
    problems.push(`The address has ${next.moves.length} moves; ${bad.message}. The ${bad.good} before it are on the board.`);
    next.moves = next.moves.slice(0, bad.good ?? 0);
  }
  const saved = !problems.length && history.state?.address === location.hash ? history.state.game : null;
  kept = problems.length > 0;
  await begin({ ...next, read: saved });
  if (kept) say(problems.join(" "), "why");
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
  const told = ply === plies() && !branch(here()) && { "1-0": `${info.players[0]} wins`, "0-1": `${info.players[1]} wins`, "1/2-1/2": "Draw" }[game.result];
  if (outcome) {
    const result = outcome.winner ? `${owner(outcome.winner)} wins` : "Draw";
    return `${result}: ${outcome.words}`;
  }
  if (told) return `${told}, as the text of the game has it`;
  const check = threatened.length ? ", in check" : "";
  if (thinking) return `${owner(side)} is thinking${check}`;
  return `${owner(side)} to move${check}`;
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

function show() {
  const active = !view.outcome && !thinking && (isHuman(view.side) || ply < plies());
  const last = ply > 0 ? whole.history[ply - 1] : null;
  board.show(view, { flipped, active, last, hint });
  showPlayers();
  showMoves(find("moves"), record, here(), (move) => run(() => select(move)));
  find("promote").hidden = !branch(here());
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
  document.body.dataset.moves = line.map((move) => move.text).join(" ");
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
  // An address may have moves in people's notation.
  complete.history.forEach(({ text, words, side, kind, label }, i) => Object.assign(line[i], { text, words, side, kind, label }));
  let end = 0;
  for (const turn of complete.turns) line[(end += turn.plies) - 1].turnWords = turn.words;
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
  if (ply === plies() && !isHuman(view.side) && !kept) return engineMoves(now);
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
    showLines(found, ...turnHere(), info.players, play);
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
  say(`Hint: ${best.words}. ${best.label.charAt(0).toUpperCase()}${best.label.slice(1)}.`);
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
  const before = here();
  const others = before.children.length;
  const ended = !others && !branch(before) && game.result && game.result !== "*";
  // In a game that was read, other moves are variations. In a game that is played here, they are the game.
  const next = child(before, text, !game.read);
  const isNew = before.children.length > others;
  if (isNew && others) say("The moves that were played before stay in the list as a variation.");
  if (isNew && ended) {
    say(`The game goes on, so its result ${game.result} no longer holds.`);
    game.result = "";
    game.tags = game.tags.filter(([name]) => !["Termination", "Ending"].includes(name));
  }
  if (isNew && others && game.read) say("The move is a variation: the game that was read stays.");
  kept = false;
  setLine(lineTo(next, true), ply + 1);
  await refresh();
}

/** Shows a line at a ply. Chances of positions that are no longer in it are forgotten. */
function setLine(next, at) {
  const same = next.findIndex((move, i) => move !== line[i]);
  chances.length = Math.min(chances.length, (same < 0 ? next.length : same) + 1);
  [line, ply] = [next, at];
}

/** Goes to a move of the game, of any variation. */
function select(move) {
  closeMenu();
  say("");
  if (!line.includes(move)) setLine(lineTo(move, true), 0);
  ply = lineTo(move).length;
  return refresh();
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

/** What had the focus before the menu. */
let before = null;

function openMenu(moves, [x, y]) {
  const menu = find("menu");
  menu.replaceChildren(...moves.map((move) => {
    const button = html("button", { type: "button" }, ...(move.becomes ? [pieceIcon(move.becomes)] : []), html("span", { textContent: move.label }));
    button.setAttribute("role", "menuitem");
    button.tabIndex = -1;
    button.dataset.move = move.text;
    button.addEventListener("click", () => play(move.text));
    return button;
  }));
  before = document.activeElement;
  menu.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = Math.min(Math.max(8, x - width / 2), innerWidth - width - 8);
  const top = y + 24 + height < innerHeight ? y + 24 : Math.max(8, y - height - 24);
  menu.style.left = `${left + scrollX}px`;
  menu.style.top = `${top + scrollY}px`;
  menu.querySelector("button").focus({ preventScroll: true });
}

/** Closes the menu. The focus returns to where it was. */
function closeMenu() {
  const hadFocus = find("menu").contains(document.activeElement);
  find("menu").hidden = true;
  if (!hadFocus) return;
  const svg = find("board").querySelector("svg");
  (before?.isConnected && before !== document.body ? before : svg).focus({ preventScroll: true });
}

/** Takes back the player's last move. What has variations after it stays in the list. */
function takeBack() {
  if (!plies()) return;
  const sideAt = () => whole.history[line.length].side;
  const back = () => {
    const last = line.at(-1);
    line = line.slice(0, -1);
    if (!last.children.length) last.parent.children = last.parent.children.filter((move) => move !== last);
  };
  back();
  while (plies() && game.sides !== "both" && !isHuman(sideAt())) back();
  if (game.sides !== "both" && !isHuman(sideAt())) game.sides = "both";
  find("sides").value = game.sides;
  kept = false;
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

/** Begins a game: `read` with its variations, or `moves`. If something is refused, the old one stays. `isNew` keeps the
 * old game in the browser's history. */
async function begin({ moves = [], read = null, isNew = false, ...next }) {
  const to = { ...game, start: null, ...next };
  let made = root();
  if (read) made = fromRead(read);
  else moves.reduce((at, text) => child(at, text), made);
  const all = lineTo(made, true);
  // Games of an address are shown along its moves.
  let chosen = made;
  for (const text of moves) chosen = chosen.children.find((move) => move.text === text) ?? chosen;
  const shown = moves.length ? lineTo(chosen) : all;
  const rules = await ask({ request: "rules", rules: to.rules });
  const first = await ask({ request: "position", at: { rules: to.rules, start: to.start, moves: shown.map((move) => move.text) } });
  Object.assign(game, to, { read: Boolean(read?.tags?.length || read?.result), tags: read?.tags ?? [], result: read?.result ?? "" });
  [info, record, line] = [rules, made, shown];
  whole = view = first;
  if (isNew) {
    kept = false;
    history.pushState(null, "", addressOf(game, line, info.definition));
  }
  await ask({ request: "new" });
  defineFigures(info.figures);
  game.rules = info.name;
  ply = plies();
  chances = [];
  flipped = game.sides === "second";
  const changed = changesOf(info);
  find("about").textContent = changed ? `${aboutOf(info)}, changed: ${changed}` : aboutOf(info);
  find("rules-name").textContent = info.name;
  find("sides").value = game.sides;
  find("level").value = game.level;
  for (const select of [find("sides"), find("new-sides")]) {
    [...select.options].slice(0, 2).forEach((option, i) => (option.textContent = info.players[i]));
  }
  document.querySelectorAll(".legend li").forEach((item, i) => {
    item.textContent = ["first", "draw", "second"][i] === "draw" ? "draw" : `${info.players[i ? 1 : 0]} wins`;
  });
  const remarks = [...(read?.remarks ?? []), ...(first.remarks ?? [])];
  if (read?.unread) say(`The text is read up to here. ${read.unread}`, "why");
  else if (remarks.length) say(remarks.join(" "), "why");
  else if (!holdsRules(info.definition)) say("The rules are too long for the address: it opens this game only in a browser that keeps its file.", "why");
  else say(plies() ? "" : "Choose a piece to see its moves.");
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
  promote: () => {
    promote(here());
    return select(here());
  },
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
  new: () => dialogs.newGame.open(game.rules, game.sides, game.level),
  rules: () => dialogs.rules(game.rules),
  texts: () => dialogs.texts(),
  lab: () => {
    lab.toggle();
    if (!lab.isOpen()) writeAddress();
  },
  "measure-this": () => {
    const rules = dialogs.newGame.chosen();
    find("new-game").close();
    return lab.about(rules.name, rules.preset);
  },
};
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", f: "flip", Backspace: "back", h: "hint", m: "move", a: "analyse", n: "new" };
let dialogs = null;
/** The laboratory; null where a server runs the engine. */
let lab = null;

const consumed = (event) => {
  event.preventDefault();
  event.stopPropagation();
};
const run = (action) => Promise.resolve(action?.()).catch((error) => say(error.message, "why"));

function listen() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!event.target.closest("#menu") && !event.target.closest("#board")) closeMenu();
    if (button?.dataset.do === "close") button.closest("dialog").close();
    else if (button?.dataset.do in ACTIONS) run(ACTIONS[button.dataset.do]);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") || lab?.isOpen()) return;
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
  addEventListener("popstate", () => run(openAddress));
  find("moves").addEventListener("keydown", (event) => moveFocus(find("moves"), event.key) && consumed(event));
  find("menu").addEventListener("keydown", (event) => {
    if (event.key === "Tab" || event.key === "Escape") {
      closeMenu();
      consumed(event);
    } else if (moveFocus(find("menu"), event.key)) consumed(event);
  });
}

/** Shows the first position until the engine is ready, or an empty board if the address names another position. */
function showFirst() {
  const first = JSON.parse(find("first-position").textContent);
  const { rules, start, moves, sides } = readAddress(game, levels);
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
  const own = await makeOwnFiles(ask, {
    changed: () => {
      dialogs?.newGame.fill();
      lab?.fill();
    },
    opened: () => find("new-game").open || dialogs.newGame.open(game.rules, game.sides, game.level),
    chosen: (name) => dialogs.newGame.load(name),
  });
  dialogs = {
    newGame: makeNewGame(ask, offered.presets, own.files, (rules, sides, level) => {
      lab?.close();
      run(() => begin({ rules, sides, level, seed: newSeed(), isNew: true }));
    }),
    rules: makeRules(ask, (rules, start, moves) => run(() => begin({ rules, start, moves, sides: "both", isNew: true }))),
    texts: makeTexts(
      ask,
      () => ({ at: at(plies()), game: written(), position: view, players: ["first", "second"].map((side) => (isHuman(side) ? "Player" : `Engine (${levels[game.level].name})`)) }),
      (rules, start, moves, read) => run(() => begin({ rules, start, moves, read, sides: read ? "both" : game.sides, isNew: true })),
    ),
  };
  if (canMeasure()) {
    lab = makeLab(ask, offered.presets, own.files, {
      open: (rules, start, moves) => run(async () => {
        lab.close();
        await begin({ rules, start, moves, sides: "both", isNew: true });
      }),
    });
    await lab.start();
  }
  for (const id of ["to-lab", "measure-this"]) find(id).hidden = !lab;
  listen();
  await openAddress();
  document.body.dataset.ready = "true";
}

start().catch((error) => {
  find("status").textContent = "The engine cannot start here.";
  say(error.message, "why");
});
