// The games of the report on the board, one chosen from a list.
(async () => {
  "use strict";

  const source = document.getElementById("viewer-model");
  if (!source) return;
  const root = document.getElementById("viewer");
  const select = document.getElementById("viewer-game");
  const why = root.querySelector(".viewer-why");
  const link = root.querySelector(".viewer-link");
  let games;
  try {
    games = await window.fusionGames(source);
  } catch (error) {
    // Too old a browser, or a damaged file.
    root.insertAdjacentText("beforebegin", `The games cannot be shown: ${error.message}.`);
    return;
  }
  const { table, count } = games;
  const viewer = window.fusionViewer(root);
  const rules = (game) => table.names.rules[table.rules[game]];

  function choose(game) {
    why.textContent = table.shown[game].why;
    why.hidden = why.textContent === "";
    if (link) {
      const name = ["measure", rules(game), table.nodes[game], table.opening[game]].map(encodeURIComponent);
      link.href = `games.html#game=${name.join("/")}`;
    }
    viewer.show(games.load(game));
  }

  // Games by rule set and nodes, in the order of the data, unless each has a reason of its own.
  const hasReasons = table.shown.every(({ title }) => title !== "");
  const groups = new Map();
  for (let game = 0; game < count; game++) {
    const option = document.createElement("option");
    option.value = game;
    const ending = table.names.ending[table.ending[game]];
    const words = `${rules(game)}: ${table.names.result[table.result[game]]}, ${ending}, ${table.plies[game]} plies, opening ${table.opening[game]}`;
    option.textContent = hasReasons ? `${table.shown[game].title}. ${words}` : words;
    if (hasReasons) {
      select.append(option);
      continue;
    }
    const name = `${rules(game)}, ${table.nodes[game].toLocaleString("en")} nodes a move`;
    if (!groups.has(name)) {
      const group = document.createElement("optgroup");
      group.label = name;
      groups.set(name, group);
      select.append(group);
    }
    groups.get(name).append(option);
  }
  select.addEventListener("change", () => choose(Number(select.value)));
  choose(0);
})();
