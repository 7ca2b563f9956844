// The laboratory: a question about rule sets, the games that answer it, and the answer as it comes.
import { decoded, encodedRules, holdsRules } from "./address.js";
import { download, zip } from "./archive.js";
import { hasProgram, result, startWorker } from "./engine.js";
import { html } from "./figures.js";
import { openStore } from "./store.js";
import { makeStudy } from "./study.js";

const find = (id) => document.getElementById(id);

/** The most rule sets of a study, and the games that are listed at first and added by each press. */
const MOST_RULES = 6;
const LISTED = 20;
/** Limits and first values of the numbers of a question. */
const NUMBERS = { openings: [2, 10_000, 100], nodes: [1, 100_000, 400], seed: [1, 1e9, 1] };
/** Where a running study in another page of this browser is known. */
const LOCK = "fusion-chess-lab-study";

const isPhone = () => matchMedia("(pointer: coarse)").matches && Math.min(screen.width, screen.height) < 600;
const cores = () => navigator.hardwareConcurrency || 2;
/** A rule set without the hash of its definition. */
const plain = (rules) => rules.replace(/@[0-9a-f]+/, "");
/** A rule set without its changes, and the name of its file. */
const base = (rules) => rules.split(",")[0];
const fileOf = (rules) => rules.split("#")[0];
const many = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function timeLeft(milliseconds) {
  const minutes = milliseconds / 60_000;
  if (minutes < 1) return "less than a minute left";
  if (minutes < 90) return `about ${many(Math.round(minutes), "minute")} left`;
  return `about ${many(Math.round(minutes / 60), "hour")} left`;
}

/** Whether the part of an address after the page is a question. */
export const asksToMeasure = (hash) => hash.startsWith("#measure=");

/**
 * Makes the laboratory. `presets` are the rule sets to choose from and `files` returns the reader's own files. `handlers` has
 *   open(rules, start, moves)   shows a game on the board
 */
export function makeLab(ask, presets, files, handlers) {
  let rules = ["fusion-2020", "fusion-1999"];
  /** Texts of the rule sets that files define, by the rule set without changes. */
  const definitions = new Map();
  let study = null;
  let store = null;
  let listed = LISTED;
  let wasHidden = false;
  let release = null;

  // ---- The question ----

  function fillPresets() {
    const groups = files().filter(({ games }) => games.length);
    find("asked-preset").replaceChildren(
      ...presets.map(({ name, about }) => html("option", { value: name, textContent: `${about} (${name})` })),
      ...groups.map(({ name, games }) => html("optgroup", { label: `Your file ${name}` }, ...games.map((game) => html("option", { value: game.name, textContent: game.about })))),
    );
  }

  function showAsked() {
    find("asked").replaceChildren(...rules.map((name) => {
      const remove = html("button", { type: "button", className: "quiet", textContent: "Remove", ariaLabel: `Remove ${plain(name)}` });
      remove.addEventListener("click", run(() => setRules(rules.filter((other) => other !== name))));
      return html("li", {}, html("code", { textContent: plain(name) }), remove);
    }));
    find("asked-add").disabled = rules.length >= MOST_RULES;
    find("start").disabled = rules.length === 0;
    const [first, second] = rules.map(plain);
    find("asked-question").textContent =
      rules.length === 0 ? "Add a rule set." : rules.length === 1 ? `How often is ${first} drawn?` : rules.length === 2 ? `Is ${first} less drawish than ${second}?` : "Which of these is the least drawish?";
    writeAddress();
  }

  /** The name of a rule set, whose definition is kept if a file has it. */
  async function toName(text) {
    const { name, definition } = await ask({ request: "rules", rules: text });
    if (definition) definitions.set(definition.name, definition.text);
    return name;
  }

  async function setRules(next) {
    const names = [];
    for (const text of next) names.push(await toName(text));
    rules = [...new Set(names)].slice(0, MOST_RULES);
    showAsked();
  }

  /** Definitions of the rule sets of the question: pairs of a name and a text. */
  const defined = () => [...definitions].filter(([name]) => rules.some((text) => base(text) === name));

  /** Files with these definitions, for the workers. */
  function definedFiles() {
    const texts = {};
    for (const [name, text] of defined()) (texts[fileOf(name)] ??= []).push(text);
    return Object.entries(texts).map(([name, parts]) => ({ name, text: parts.join("\n") }));
  }

  const number = (name) => {
    const [least, most, usual] = NUMBERS[name];
    const value = Math.round(Number(find(`asked-${name}`).value));
    return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : usual;
  };
  const workers = () => Math.min(64, Math.max(1, Math.round(Number(find("asked-workers").value)) || 1));

  function address() {
    const linked = defined().filter(([, text]) => holdsRules({ text }));
    const names = rules.map((name) => (linked.some(([of]) => of === base(name)) ? name : plain(name)));
    const encoded = names.map(encodedRules).join(";");
    const texts = linked.map((pair) => `&definition=${pair.map(encodeURIComponent).join(":")}`).join("");
    const player = find("asked-player").value;
    return `#measure=${encoded}&openings=${number("openings")}&nodes=${number("nodes")}&player=${player}&seed=${number("seed")}${texts}`;
  }

  function writeAddress() {
    if (!find("lab").hidden) history.replaceState(null, "", address());
  }

  /** Takes the rule sets of an address. Those that are wrong are added to the problems; `wrong` has those of definitions. */
  async function readRules(texts, wrong, problems) {
    const known = [];
    for (const text of texts) {
      try {
        known.push(await toName(text));
      } catch (error) {
        problems.push(`The rules “${text}”: ${wrong.get(base(text)) ?? error.message}.`);
      }
    }
    if (known.length > MOST_RULES) problems.push(`A study here has at most ${MOST_RULES} rule sets.`);
    if (known.length) rules = [...new Set(known)].slice(0, MOST_RULES);
  }

  /** Reads the question of an address. What means nothing is named, and the rest is taken. */
  async function readAddress(hash) {
    const problems = [];
    // What is defined can then be named.
    const parts = hash.slice(1).split("&").sort((a, b) => b.startsWith("definition=") - a.startsWith("definition="));
    const wrong = new Map();
    for (const part of parts) {
      const [name, value = ""] = [part.split("=", 1)[0], part.slice(part.indexOf("=") + 1)];
      if (name === "definition") {
        const [of, text = ""] = value.split(":").map(decoded);
        await ask({ request: "definition", name: of, text }).catch((error) => wrong.set(of, error.message));
      } else if (name === "measure") {
        await readRules(value.split(";").filter(Boolean).map(decoded), wrong, problems);
      } else if (name in NUMBERS) {
        find(`asked-${name}`).value = value;
        if (String(number(name)) !== value) problems.push(`“${value}” is no number of ${name} from ${NUMBERS[name][0]} to ${NUMBERS[name][1].toLocaleString("en")}.`);
        find(`asked-${name}`).value = number(name);
      } else if (name === "player" && ["network", "material"].includes(value)) find("asked-player").value = value;
      else problems.push(`“${part}” is no part of a question.`);
    }
    open();
    say(problems.join(" "));
  }

  function say(text) {
    find("lab-message").textContent = text;
  }

  // ---- The study ----

  async function begin() {
    const network = find("asked-player").value === "material" ? "pvs:material" : null;
    const asked = { rules, openings: number("openings"), nodes: number("nodes"), network, seed: number("seed") };
    const texts = definedFiles();
    for (const name of ["openings", "nodes", "seed"]) find(`asked-${name}`).value = asked[name];
    if (!(await lock())) return;
    const worker = await startWorker("measure", texts);
    const { study: text, ...made } = result(await worker.send(JSON.stringify({ measure: "ask", ...asked })));
    const next = { ...made, text, files: texts, pool: null, behaviour: null };
    const games = study ? [...study.state.played] : [];
    const isMore = study && extendsStudy(next, study.state.study);
    const kept = isMore ? games : [];
    if (isMore) next.behaviour = study.state.study.behaviour;
    const isLoss = games.length > kept.length;
    if (isLoss && !confirm(`This replaces the study of ${study.state.study.rules.map(plain).join(", ")} with its ${many(games.length, "game")}.`)) return worker.end();
    replace(next, kept, worker);
    if (!store) notKept("it has no storage for this page");
    await study.play(workers());
  }

  /** Whether a study is the one before, perhaps with more openings. It then begins with the games of that one. */
  function extendsStudy(next, before) {
    const same = ({ text, files }) => JSON.stringify([text.replace(/^count = \d+$/m, ""), files]);
    return next.games >= before.games && same(next) === same(before);
  }

  /** Makes this the page that measures. Returns false if another page of this browser does. */
  async function lock() {
    if (release || !navigator.locks) return true;
    return new Promise((resolve) => {
      navigator.locks.request(LOCK, { ifAvailable: true }, (granted) => {
        if (!granted) say("Another page of this browser measures. Close it, or go on there.");
        resolve(Boolean(granted));
        return granted ? new Promise((done) => { release = done; }) : undefined;
      });
    });
  }

  /** Shows a study, with the games that it has, in place of the one before. */
  function replace(next, games, worker = null) {
    study?.end();
    listed = LISTED;
    wasHidden = false;
    study = makeStudy(next, games, {
      changed: show,
      began: (begun) => store?.begin(begun, games).catch(notKept),
      played: (number, game) => store?.add(number, game).catch(notKept),
      failed: (error) => say(`The study cannot go on: ${error.message}`),
    }, worker);
    fillGames();
    show();
  }

  function notKept(error) {
    store = null;
    say(`This browser does not keep the games (${error.message ?? error}): do not close the page before you have saved the study.`);
  }

  async function goOn() {
    if (await lock()) await study.play(workers());
  }

  async function discard() {
    study.end();
    study = null;
    await store?.clear();
    release?.();
    release = null;
    document.title = "Play · Fusion Chess Lab";
    show();
  }

  // ---- Showing ----

  function status() {
    const { study: of, played, playing, paused, found, rate } = study.state;
    if (!of.pool) return playing ? `Making the openings: ${found} so far.` : "Not begun.";
    const games = `${played.size.toLocaleString("en")} of ${many(of.games, "game")}`;
    if (study.isWhole()) return `All ${many(of.games, "game")} are played.`;
    if (paused) return `Paused at ${games}.`;
    if (!playing) return `${games}, not finished.`;
    const left = rate > 0 ? `, ${timeLeft((of.games - played.size) / rate)}` : "";
    const note = wasHidden ? " The page was hidden for a while: browsers give hidden pages less time." : "";
    return `${games}${left}.${note}`;
  }

  function show() {
    find("lab-study").hidden = !study;
    if (!study) return;
    const { study: of, played, playing, results } = study.state;
    find("lab-name").textContent = of.rules.map(plain).join(" · ");
    find("lab-status").textContent = status();
    find("lab-progress").max = of.games;
    find("lab-progress").value = played.size;
    find("lab-pause").hidden = study.isWhole() && Boolean(results);
    find("lab-pause").textContent = playing ? "Pause" : study.isWhole() ? "Show the results" : "Go on";
    find("lab-save").disabled = !results;
    find("lab-text").textContent = of.text;
    find("lab-command").textContent = `./scripts/study ${of.name}/study.toml`;
    document.title = playing ? `${Math.floor((100 * played.size) / of.games)}% · Measure` : "Measure · Fusion Chess Lab";
    document.body.dataset.played = played.size;
    document.body.dataset.openings = results?.openings ?? 0;
    showResults(results);
    showGames();
  }

  /** A share as a bar with its interval. */
  function bar({ value, low, high }) {
    const percent = (share) => `${100 * share}%`;
    const filled = html("i", { className: "value" });
    filled.style.width = percent(value);
    const interval = html("i", { className: "interval" });
    [interval.style.left, interval.style.width] = [percent(low), percent(high - low)];
    return html("div", { className: "share-bar", ariaHidden: "true" }, filled, interval);
  }

  let shownResults = null;

  function showResults(results) {
    find("lab-results").hidden = !results;
    if (!results || results === shownResults) return;
    shownResults = results;
    const label = (text) => study.state.study.rules.reduce((named, name) => named.replaceAll(name, plain(name)), text);
    const { verdict, arms, pairs, openings, planned, players } = results;
    find("lab-verdict").textContent = openings < planned ? `So far: ${verdict.headline}` : verdict.headline;
    find("lab-sentence").textContent = label(verdict.sentence);
    const marked = (text) => label(text).split("`").map((part, place) => (place % 2 ? html("code", { textContent: part }) : part));
    find("lab-remarks").replaceChildren(...verdict.remarks.map((text) => html("li", {}, ...marked(text))));
    find("lab-arms").replaceChildren(...arms.map((arm) => {
      const facts = [
        `Drawn in ${arm.draws.words} of ${many(arm.games, "game")}, 95% interval ${arm.draws.interval}.`,
        arm.white ? `${players[0]} scores ${arm.white.words} (${arm.white.interval}).` : "",
        `Half of the games end within ${many(Math.round(arm.plies[2]), "ply").replace("plys", "plies")}.`,
        `Endings: ${arm.endings.map(([name, count]) => `${name} ${count}`).join(", ")}.`,
      ];
      return html("li", {}, html("code", { textContent: plain(arm.rules) }), bar(arm.draws), html("p", { textContent: facts.filter(Boolean).join(" ") }));
    }));
    find("lab-pairs").replaceChildren(...pairs.map(({ first, second, difference }) =>
      html("li", {}, html("b", { textContent: difference.words }), ` points: ${plain(first)} less ${plain(second)}, anytime-valid 95% interval ${difference.interval}`)));
    find("lab-openings").textContent = `From ${many(openings, "opening")}${arms.length > 1 ? " that all rule sets have finished" : ""}.`;
  }

  function fillGames() {
    const names = study.state.study.rules;
    find("lab-filter").replaceChildren(html("option", { value: "", textContent: "all rule sets" }), ...names.map((name) => html("option", { value: name, textContent: plain(name) })));
    find("lab-games").replaceChildren();
    shownGames = "";
  }

  let shownGames = "";

  function showGames() {
    const wanted = find("lab-filter").value;
    const { rules: names } = study.state.study;
    // Rule sets are sorted in the order of the games' numbers, and there is one number of nodes.
    const at = [...names].sort().indexOf(wanted);
    const all = [...study.state.played].sort(([a], [b]) => a - b).filter(([number]) => !wanted || number % names.length === at);
    const some = all.slice(0, listed).map(([number, text]) => [number, JSON.parse(text)]);
    const key = some.map(([number]) => number).join() + wanted;
    find("lab-more").hidden = all.length <= listed;
    if (key === shownGames) return;
    shownGames = key;
    find("lab-games").replaceChildren(...some.map(([number, game]) => {
      const { row } = game;
      const button = html("button", { type: "button", className: "quiet", textContent: "Open", ariaLabel: `Open game ${number + 1}` });
      button.addEventListener("click", () => {
        const moves = [...game.opening.split(" ").filter(Boolean), ...game.moves.map(([text]) => text)];
        handlers.open(row.rules, game.start ?? null, moves);
      });
      return html("li", {}, html("span", { textContent: `${plain(row.rules)}, opening ${Number(row.opening) + 1}: ${row.result}, ${row.ending.replaceAll("_", " ")}, ${row.plies} plies` }), button);
    }));
  }

  async function save() {
    const { study: of } = study.state;
    const own = of.files.map(({ name, text }) => [name, text]);
    download(`${of.name}.zip`, zip(of.name, [...(await study.files()), ...own]));
  }

  // ---- The page ----

  function open() {
    find("table").hidden = true;
    find("lab").hidden = false;
    document.body.dataset.view = "lab";
    find("to-lab").textContent = "Board";
    fillPresets();
    showAsked();
  }

  function close() {
    if (find("lab").hidden) return;
    find("lab").hidden = true;
    find("table").hidden = false;
    document.body.dataset.view = "board";
    find("to-lab").textContent = "Measure";
  }

  const run = (action) => () => Promise.resolve(action()).catch((error) => say(error.message));

  function listen() {
    find("asked-add").addEventListener("click", run(() => setRules([...rules, find("asked-preset").value])));
    find("question").addEventListener("submit", (event) => {
      event.preventDefault();
      say("");
      run(begin)();
    });
    for (const name of ["openings", "nodes", "seed", "player"]) find(`asked-${name}`).addEventListener("change", writeAddress);
    find("lab-pause").addEventListener("click", run(() => (study.state.playing ? study.pause() : goOn())));
    find("lab-discard").addEventListener("click", run(discard));
    find("lab-save").addEventListener("click", run(save));
    find("lab-more").addEventListener("click", () => {
      listed += LISTED;
      showGames();
    });
    find("lab-filter").addEventListener("change", showGames);
    find("lab-copy").addEventListener("click", run(() => {
      const isLong = defined().some(([, text]) => !holdsRules({ text }));
      say(isLong ? "The rules are too long for the address: it asks this question only in a browser that keeps their file." : "");
      return navigator.clipboard.writeText(location.href.replace(/#.*/, "") + address());
    }));
    document.addEventListener("visibilitychange", () => {
      if (document.hidden && study?.state.playing) wasHidden = true;
    });
  }

  async function start() {
    find("asked-workers").value = isPhone() ? Math.min(2, cores()) : cores();
    for (const [name, [least, most, usual]] of Object.entries(NUMBERS)) Object.assign(find(`asked-${name}`), { min: least, max: most, value: usual });
    listen();
    store = await openStore();
    const kept = await store?.load().catch(() => null);
    if (!kept) return;
    // The board can show the games of rules that came with an address.
    for (const { name, text } of kept.study.files) {
      const of = kept.study.rules.filter((rules) => fileOf(rules) === name).map(base);
      for (const rules of new Set(of)) await ask({ request: "definition", name: rules, text }).catch((error) => say(error.message));
    }
    replace(kept.study, kept.games);
  }

  return {
    start,
    open,
    close,
    fill: fillPresets,
    readAddress,
    isOpen: () => !find("lab").hidden,
    toggle: () => (find("lab").hidden ? open() : close()),
    /** Asks about a rule set and, if it is a mix, about the preset that it changes. */
    async about(name, preset) {
      await setRules([name, preset]);
      open();
    },
  };
}

/** Whether the page can measure: it has the program in it. */
export const canMeasure = () => hasProgram();
