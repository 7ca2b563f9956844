// The dialogs: a new game with its rules, the rules in pictures, positions and games as text.
import { drawPiece, svg } from "./drawing.js";
import { arrow, html } from "./figures.js";

const find = (id) => document.getElementById(id);

/** Fills a selection with the levels of strength. */
export function fillLevels(select, levels) {
  select.replaceChildren(...levels.map((level, i) => {
    const effort = `${level.nodes.toLocaleString("en")} positions a move`;
    const title = level.temperature ? `${effort}, often not the best move` : effort;
    return html("option", { value: i, textContent: level.name, title });
  }));
}

/** What a mix of rules changes in its preset, in sentences; empty if nothing. */
export const changesOf = (rules) =>
  rules.toggles.filter((toggle) => toggle.changed).map((toggle) => toggle.sentence ?? `${toggle.name}: ${toggle.value}.`).join(" ");

/** What a rule set is, in a few words: the name of its section where a file defines it. */
export const aboutOf = (rules) => rules.about || plain(rules.preset).replace(/^.*#/, "");

/** The name of a rule set without the hash of its definition. */
const plain = (name) => name.replace(/@[0-9a-f]+/, "");

// ---- A new game ----

/** The dialog for a new game. `files` returns the reader's own files. `begin` is called with rules, sides and level. */
export function makeNewGame(ask, presets, files, begin) {
  const dialog = find("new-game");
  let rules = null;
  const option = ({ name, about }, text) => html("option", { value: name, textContent: text ?? `${about} (${name})` });
  const other = html("option", { value: "", hidden: true });

  /** Fills the list of games, and shows the one whose rules are shown. */
  function fill() {
    const groups = files().filter(({ games }) => games.length);
    find("preset").replaceChildren(
      ...presets.map((preset) => option(preset)),
      ...groups.map(({ name, games }) => html("optgroup", { label: `Your file ${name}` }, ...games.map((game) => option(game, game.about)))),
      other,
    );
    if (rules) choose();
  }

  function choose() {
    const name = plain(rules.name);
    const isOffered = [...find("preset").options].some((option) => option.value === name);
    other.textContent = rules.name === rules.preset ? `${aboutOf(rules)} (${name})` : "A mix of rules";
    find("preset").value = isOffered ? name : "";
  }

  async function load(name) {
    find("refused").textContent = "";
    try {
      rules = await ask({ request: "rules", rules: name });
    } catch (error) {
      find("refused").textContent = error.message;
      return;
    }
    choose();
    const changed = changesOf(rules);
    const differing = rules.toggles.filter((toggle) => toggle.differs && !toggle.changed).map((toggle) => toggle.sentence);
    const least = changed ? 2 : 4;
    const rest = differing.length > least ? ` And ${differing.length - least} more differences from ${rules.known_name}.` : "";
    const same = rules.sentences.length ? "“Rules” has its pieces and its board." : `The rules of ${rules.known_name}.`;
    find("summary").replaceChildren(
      ...(changed ? [html("b", { textContent: `${rules.name}. You changed ${rules.preset}: ${changed}` }), " "] : [`${rules.name}. `]),
      `${differing.slice(0, least).join(" ") || (changed ? "" : same)}${rest} Played by ${rules.engine.words}.`,
    );
    find("toggles").replaceChildren(...rules.toggles.map(row));
  }

  function row(toggle) {
    const select = html("select", { ariaLabel: toggle.words });
    select.append(...toggle.choices.map((choice) =>
      html("option", { value: choice.value, textContent: choice.refused ? `${choice.value} (contradiction)` : choice.value })));
    select.value = toggle.value;
    select.addEventListener("change", () => {
      const choice = toggle.choices.find((choice) => choice.value === select.value);
      if (choice.rules) return load(choice.rules);
      find("refused").textContent = choice.refused;
      select.value = toggle.value;
    });
    const sentence = toggle.sentence ?? "It changes nothing under these rules.";
    // What the sentence says, or the name, is not said again.
    const isSaid = [sentence, toggle.name].some((text) => text.toLowerCase().includes(toggle.words.toLowerCase()));
    const words = html("p", {}, sentence, html("small", { textContent: isSaid ? toggle.name : `${toggle.name}: ${toggle.words}` }));
    const kind = toggle.differs ? " differs" : toggle.sentence ? "" : " idle";
    return html("div", { className: `toggle${kind}` }, words, select);
  }

  find("preset").addEventListener("change", (event) => load(event.target.value));
  dialog.querySelector("form").addEventListener("submit", () => {
    if (rules) begin(rules.name, find("new-sides").value, Number(find("new-level").value));
  });
  const open = async (name, sides, level) => {
    find("new-sides").value = sides;
    find("new-level").value = level;
    await load(name);
    dialog.showModal();
  };
  fill();
  return { open, load, fill, chosen: () => rules };
}

// ---- The rules in pictures ----

const UNIT = 45;

function smallBoard(board, example) {
  const corner = (name) => {
    const space = board.spaces.find((space) => space.name === name);
    return [space.column * UNIT, (board.rows - 1 - space.row) * UNIT];
  };
  const picture = svg("svg", { class: "small", viewBox: `0 0 ${board.columns * UNIT} ${board.rows * UNIT}`, role: "img" });
  for (const space of board.spaces) {
    const [x, y] = corner(space.name);
    picture.append(svg("rect", { class: space.dark ? "dark" : "light", x, y, width: UNIT, height: UNIT }));
  }
  for (const piece of example.pieces) {
    const [x, y] = corner(piece.space);
    const drawn = drawPiece(piece);
    drawn.setAttribute("transform", `translate(${x} ${y})`);
    picture.append(drawn);
  }
  if (example.from && example.from !== example.to) {
    const not = example.label ? "" : " not";
    const [from, to] = [corner(example.from), corner(example.to)].map((point) => point.map((x) => x + UNIT / 2));
    picture.append(...arrow(from, to, `arrow${not}`, `head${not}`, 22));
  }
  picture.setAttribute("aria-label", `A board with the move ${example.move}`);
  return picture;
}

/** The dialog with the rules in pictures. `play` is called with rules, start and moves of a board. */
export function makeRules(ask, play) {
  const dialog = find("rules");
  return async (name) => {
    const rules = await ask({ request: "rules", rules: name });
    find("rules-title").textContent = aboutOf(rules);
    // What was changed comes first.
    const differing = rules.toggles.filter((toggle) => toggle.differs || toggle.changed);
    differing.sort((a, b) => Number(b.changed) - Number(a.changed));
    const changed = changesOf(rules);
    const differs = differing.length ? `What differs from ${rules.known_name}. Green moves are legal, red ones are not.` : rules.sentences.length ? "" : `Nothing differs from ${rules.known_name}.`;
    find("rules-about").textContent = `${rules.name}. ${changed ? `Changed in ${rules.preset}: ${changed} ` : ""}${rules.lessons.length || rules.sentences.length ? "The whole rules. " : ""}${[differs, `Played by ${rules.engine.words}.`].filter(Boolean).join(" ")}`;
    const sentences = rules.sentences.map((text) => ({ text, differs: false }));
    const whole = sentences.length ? [{ title: "The rules", words: [], sentences, pictures: [] }] : rules.lessons;
    find("differences").replaceChildren(...whole.map(lesson), ...differing.map((toggle) => difference(rules, toggle)));
    dialog.showModal();
    dialog.scrollTop = 0;
  };

  /** A board with its words. */
  function picture(name, board, example, words) {
    const says = example.label
      ? `${example.words}: ${example.label}${example.ending ? `, ${example.ending}` : ""}.`
      : `Not legal. ${example.why ?? ""}`;
    const button = html("button", { type: "button", className: "quiet", textContent: "Play on from here" });
    button.addEventListener("click", () => {
      dialog.close();
      play(name, example.start, example.moves);
    });
    const shown = html("div", { className: "example" }, smallBoard(board, example), html("p", { textContent: words ?? says }));
    if (example.playable) shown.append(button);
    return shown;
  }

  /** A section of the rules of a game that few readers know. */
  function lesson({ title, words, sentences, pictures }) {
    const told = sentences.map(({ text, differs }) => html("li", { className: differs ? "differs" : "", textContent: text }));
    const boards = pictures.map((example) => picture(example.rules, example.board, example, example.says));
    return html("section", { className: "difference lesson" }, html("h3", { textContent: title }), ...words.map((text) => html("p", { textContent: text })), html("ul", {}, ...told), html("div", { className: "examples" }, ...boards));
  }

  function difference(rules, toggle) {
    const boards = toggle.examples.map((example) => picture(rules.name, rules.board, example));
    const words = html("h3", { textContent: `${toggle.changed ? "Changed: " : ""}${toggle.sentence ?? toggle.words}` });
    const value = html("p", {}, html("code", { textContent: `${toggle.name}=${toggle.value}` }));
    return html("section", { className: "difference" }, words, value, html("div", { className: "examples" }, ...boards));
  }
}

// ---- Texts ----

/** The dialog with positions and games as text. `load` takes rules, start and moves. */
export function makeTexts(ask, current, load) {
  const dialog = find("texts");
  const refuse = (error) => {
    find("texts-refused").textContent = error.message;
  };
  const copy = async (id) => {
    const field = find(id);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand("copy");
    }
  };
  const actions = {
    "copy-position": () => copy("position-text"),
    "copy-game": () => copy("game-text"),
    "set-position": async () => {
      const at = { rules: current().at.rules, start: find("position-text").value.trim(), moves: [] };
      await ask({ request: "position", at });
      await load(at.rules, at.start, []);
      dialog.close();
    },
    "set-game": async () => {
      const game = await ask({ request: "import", text: find("game-text").value });
      await load(game.rules, game.start, [], game);
      dialog.close();
    },
  };
  dialog.addEventListener("click", (event) => {
    const action = actions[event.target.closest("button")?.dataset.do];
    find("texts-refused").textContent = "";
    action?.().catch(refuse);
  });
  return async () => {
    const { game, position, players } = current();
    find("position-text").value = position.text;
    find("game-text").value = await ask({ request: "export", game, players });
    find("texts-refused").textContent = "";
    dialog.showModal();
  };
}
