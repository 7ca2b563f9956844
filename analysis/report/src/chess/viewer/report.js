// The games of the report on the board, one chosen from a list. The page's data says which squares
// each move changes.
(() => {
  "use strict";

  const source = document.getElementById("viewer-model");
  if (!source) return;
  const model = JSON.parse(source.textContent);
  if (model.games.length === 0) return;
  const root = document.getElementById("viewer");
  const viewer = window.fusionViewer(root);
  const select = document.getElementById("viewer-game");
  const why = root.querySelector(".viewer-why");
  const link = root.querySelector(".viewer-link");

  const words = (text) => (text === "" ? [] : text.split(" "));

  /** A piece of FEN, a letter or components in braces, as the viewer wants it. */
  function piece(text) {
    const letters = text.match(/\w/g);
    const color = letters[0] === letters[0].toLowerCase() ? "b" : "w";
    return color + letters.map((letter) => model.pieces[letter.toLowerCase()]).join("");
  }

  /** FEN's placement as squares. */
  function placement(fen) {
    const squares = {};
    fen.split("/").forEach((rank, i) => {
      let file = 0;
      for (const part of rank.match(/\{\w+\}|./g)) {
        if (/\d/.test(part)) file += Number(part);
        else squares["abcdefgh"[file++] + (8 - i)] = piece(part);
      }
    });
    return squares;
  }

  function load(view) {
    const positions = [placement(view.start)];
    for (const change of words(view.changes)) {
      const squares = { ...positions[positions.length - 1] };
      for (const [, square, now] of change.matchAll(/([a-h][1-8])(\{\w+\}|.)/g)) {
        if (now === "-") delete squares[square];
        else squares[square] = piece(now);
      }
      positions.push(squares);
    }
    return {
      rules: view.rules,
      from: view.from,
      result: view.result,
      ending: view.ending,
      openingPlies: view.opening_plies,
      wholeQueen: view.whole_queen,
      positions,
      san: words(view.san),
      moves: words(view.moves),
      kinds: words(view.kinds).map((kinds) => [...kinds].filter((kind) => kind !== "-")),
      wdl: words(view.wdl).map((wdl) => (wdl === "-" ? null : wdl.split("/").map(Number))),
    };
  }

  function choose(index) {
    const view = model.games[index];
    why.textContent = view.why;
    why.hidden = view.why === "";
    if (link) {
      const game = ["measure", view.rules, view.nodes, view.opening].map(encodeURIComponent);
      link.href = `games.html#game=${game.join("/")}`;
    }
    viewer.show(load(view));
  }

  // Games by rule set and nodes, in the order of the data, unless each has a reason of its own.
  const told = model.games.every((view) => view.title !== "");
  const groups = new Map();
  model.games.forEach((view, i) => {
    const option = document.createElement("option");
    option.value = i;
    const plies = words(view.san).length;
    const game = `${view.rules}: ${view.result}, ${view.ending}, ${plies} plies, opening ${view.opening}`;
    option.textContent = told ? `${view.title}. ${game}` : game;
    if (told) return select.append(option);
    const name = `${view.rules}, ${view.nodes.toLocaleString("en")} nodes a move`;
    if (!groups.has(name)) {
      const group = document.createElement("optgroup");
      group.label = name;
      groups.set(name, group);
      select.append(group);
    }
    groups.get(name).append(option);
  });
  select.addEventListener("change", () => choose(Number(select.value)));
  choose(0);
})();
