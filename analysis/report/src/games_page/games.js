// The page of all games: what the address says is what is shown.
(async () => {
  "use strict";

  const file = document.body.dataset.gamesFile;
  const status = document.getElementById("status");
  const source = document.getElementById("games-model");
  if (typeof DecompressionStream === "undefined") {
    status.textContent = `This browser is too old for this page: it lacks DecompressionStream. The games are in ${file}.`;
    return;
  }
  let games;
  try {
    games = await window.fusionGames(source);
  } catch (error) {
    status.textContent = `The games in this page cannot be read (${error.message}): the file is damaged. They are also in ${file}.`;
    return;
  }
  status.hidden = true;
  document.getElementById("content").hidden = false;
  if (games.count === 0) return;

  const { table } = games;
  /** Milliseconds without a change after which the address says what is shown. */
  const REST = 250;
  const viewer = window.fusionViewer(document.getElementById("viewer"));
  const text = document.getElementById("text");
  const said = document.getElementById("said");
  let game = null;
  let ply = 0;
  let filters = {};
  let pending = null;

  // ---- The address ----

  /** A game's name in the address: measurement, rules, nodes and opening. */
  const name = (index) =>
    [table.names.measurement[table.measurement[index]], table.names.rules[table.rules[index]], table.nodes[index], table.opening[index]]
      .map(encodeURIComponent)
      .join("/");
  const byName = new Map(Array.from({ length: games.count }, (_, index) => [name(index), index]));

  /** The address for these filters and the game on the board. */
  function address() {
    const parts = list.names
      .filter((part) => filters[part])
      .map((part) => `${part}=${encodeURIComponent(filters[part])}`);
    if (game !== null) parts.push(`game=${name(game)}`);
    if (game !== null && ply > 0) parts.push(`ply=${ply}`);
    return `#${parts.join("&")}`;
  }

  /**
   * Says in the address what is shown, once that rests: browsers limit how often it may change. No
   * entry in the history for every step.
   */
  function write() {
    clearTimeout(pending);
    pending = setTimeout(() => history.replaceState(null, "", address()), REST);
  }

  function read() {
    const next = {};
    let wanted = null;
    let at = 0;
    for (const part of location.hash.slice(1).split("&")) {
      const [key, value = ""] = part.split(/=(.*)/s);
      let text;
      try {
        text = decodeURIComponent(value);
      } catch {
        continue;
      }
      if (key === "game") wanted = byName.get(value.split("/").map(decodeURIComponent).map(encodeURIComponent).join("/"));
      else if (key === "ply") at = Number(text);
      else if (list.names.includes(key)) next[key] = text;
    }
    filters = next;
    list.apply(filters);
    open(wanted ?? list.matching()[0] ?? 0, at);
  }

  // ---- The game on the board ----

  const field = (column, index) => list.cells[column](index);

  /** The game in words, with links to the others from its opening. */
  function describe() {
    const facts = [
      `${field("rules", game)} at ${field("nodes", game)} nodes a move`,
      `opening ${field("opening", game)}`,
      `${field("result", game)}, ${field("ending", game)}`,
      `${field("plies", game)} plies`,
    ];
    if (table.drama[game] !== null) facts.push(`drama ${field("drama", game)}`);
    document.getElementById("about").textContent = facts.join(" · ");
    const same = document.getElementById("same");
    const others = [];
    for (let other = 0; other < games.count && others.length < 24; other++) {
      const alike = table.opening[other] === table.opening[game] && table.measurement[other] === table.measurement[game];
      if (!alike || other === game) continue;
      const link = document.createElement("a");
      link.href = `#game=${name(other)}`;
      link.dataset.open = other;
      const nodes = table.nodes[other] === table.nodes[game] ? "" : ` at ${field("nodes", other)} nodes`;
      link.textContent = `${field("rules", other)}${nodes}: ${field("result", other)}`;
      others.push(link);
    }
    same.hidden = others.length === 0;
    same.replaceChildren("From the same opening: ", ...others.flatMap((link, i) => (i > 0 ? [", ", link] : [link])));
  }

  function open(index, at = 0) {
    game = index;
    ply = 0;
    viewer.show(games.load(index), at);
    text.textContent = games.text(index);
    said.textContent = "";
    describe();
    list.show(index);
    write();
  }

  const list = window.fusionList(games, {
    opened: (index) => open(index),
    changed: (next) => {
      filters = next;
      list.apply(filters);
      list.show(game);
      write();
    },
  });

  viewer.changed = (now) => {
    ply = now;
    write();
  };

  // ---- Text ----

  async function copy() {
    try {
      await navigator.clipboard.writeText(text.textContent);
      said.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(text);
      said.textContent = document.execCommand("copy") ? "Copied." : "Marked: copy it with the keyboard.";
    }
  }

  function save() {
    // In the order of the page, in which a game begins where the one before it ends.
    const chosen = [...list.matching()].sort((a, b) => a - b);
    const texts = chosen.map((index) => games.text(index)).join("");
    const url = URL.createObjectURL(new Blob([texts], { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = file;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  document.getElementById("copy").addEventListener("click", copy);
  document.getElementById("save").addEventListener("click", save);
  document.getElementById("same").addEventListener("click", (event) => {
    const other = event.target.dataset.open;
    if (other === undefined) return;
    event.preventDefault();
    open(Number(other));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    if (event.key === "n") list.step(1);
    if (event.key === "p") list.step(-1);
  });
  addEventListener("hashchange", read);
  read();
})();
