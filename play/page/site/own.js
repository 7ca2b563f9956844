// Games of a reader's own file: read, kept in this browser, and offered for a new game.
import { html } from "./figures.js";

const find = (id) => document.getElementById(id);

/** Where the browser keeps the files. */
const PLACE = "fusion-chess-lab-files";
/** The most characters of a file, and the most problems that are listed. */
const LONGEST = 200_000;
const MOST_PROBLEMS = 50;

function kept() {
  try {
    const files = JSON.parse(localStorage.getItem(PLACE)) ?? [];
    return files.filter(({ name, text }) => typeof name === "string" && typeof text === "string");
  } catch {
    return [];
  }
}

/** Keeps the files. Returns whether the browser does. */
function keep(files) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(files.map(({ name, text }) => ({ name, text }))));
    return true;
  } catch {
    return false;
  }
}

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/**
 * Reads the files that the browser keeps, and makes the part of the dialog for them. `handlers` has
 *   changed()      the list of games is another one
 *   opened()       a file was dropped on the page: the dialog is to be open
 *   chosen(name)   a file was read: this is its first game
 */
export async function makeOwnFiles(ask, handlers) {
  const files = [];

  /** Sends a file to the engine. A file that is no list of sections has problems and no games. */
  async function read(name, text) {
    if (text.length > LONGEST) return { name, text, games: [], problems: [`${name}: it has more than ${LONGEST.toLocaleString("en")} characters`] };
    try {
      return { text, ...(await ask({ request: "file", name, text })) };
    } catch (error) {
      return { name, text, games: [], problems: error.message.split("\n") };
    }
  }

  function show() {
    find("own-files").replaceChildren(...files.map((file) => {
      const remove = html("button", { type: "button", className: "quiet", textContent: "Remove", ariaLabel: `Remove ${file.name}` });
      remove.addEventListener("click", () => {
        files.splice(files.indexOf(file), 1);
        keep(files);
        show();
        tell(`${file.name} was removed.`, []);
        find("own-choose").focus();
      });
      return html("li", {}, html("span", {}, html("code", { textContent: file.name }), `: ${file.games.map((game) => game.about).join(", ") || "no game that can be played"}`), remove);
    }));
    handlers.changed();
  }

  function tell(text, problems) {
    const more = problems.length - MOST_PROBLEMS;
    find("own-status").textContent = text;
    find("own-problems").replaceChildren(
      ...problems.slice(0, MOST_PROBLEMS).map((problem) => html("li", { textContent: problem })),
      ...(more > 0 ? [html("li", { textContent: `And ${more} more.` })] : []),
    );
  }

  /** Adds a file. One with the same name is replaced. */
  async function add(name, text) {
    const file = await read(name, text);
    const { games, problems } = file;
    if (!games.length) return tell(`${file.name} has no game that can be played.`, problems);
    const place = files.findIndex((other) => other.name === file.name);
    files.splice(place < 0 ? files.length : place, place < 0 ? 0 : 1, file);
    const stays = keep(files) ? "" : " This browser does not keep it: it is gone when the page is closed.";
    const rest = problems.length ? ` ${counted(problems.length, "problem")} of other sections:` : "";
    show();
    tell(`${counted(games.length, "game")} of ${file.name} can be played.${stays}${rest}`, [...problems, ...games.flatMap((game) => game.remarks)]);
    await handlers.chosen(games[0].name);
  }

  async function addFile(file) {
    if (!file) return;
    // The engine says what is wrong with a text; longer ones are not even read.
    const text = file.size > 4 * LONGEST ? " ".repeat(LONGEST + 1) : await file.text();
    await add(file.name, text);
  }

  /** A name for a text that was pasted. */
  function unused() {
    const names = ["pasted.ini", ...Array.from({ length: files.length + 1 }, (_, i) => `pasted-${i + 2}.ini`)];
    return names.find((name) => files.every((file) => file.name !== name));
  }

  const failed = (error) => tell("The file could not be read.", [error.message]);
  find("own-choose").addEventListener("click", () => find("own-file").click());
  find("own-file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    addFile(file).catch(failed);
  });
  find("own-read").addEventListener("click", () => {
    const text = find("own-text").value;
    const known = files.find((file) => file.text === text);
    add(known?.name ?? unused(), text).catch(failed);
  });
  const hasFile = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    find("own").open = true;
    Promise.resolve(handlers.opened()).then(() => addFile(event.dataTransfer.files[0])).catch(failed);
  });

  for (const { name, text } of kept()) files.push(await read(name, text));
  show();
  return { files: () => files };
}
