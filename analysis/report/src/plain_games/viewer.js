// Plays through games on a board, turn by turn.
(() => {
  const SIZE = 45;
  const EDGE = 16;
  const find = (id) => document.getElementById(id);
  const games = JSON.parse(find("turns-model").textContent);
  let game = games[0];
  let turn = 0;

  function svg(name, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /** What stands on the spaces after some turns. */
  function placed(turns) {
    const spaces = new Map(Object.entries(game.start));
    for (const { changes } of game.turns.slice(0, turns)) for (const [space, piece] of Object.entries(changes)) spaces.set(space, piece);
    return spaces;
  }

  /** Draws a piece: a figure for each different letter, with its number if that is above one. */
  function draw(text, x, y) {
    const counts = new Map();
    for (const letter of text.slice(1)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const group = svg("g", { class: `piece ${text[0] === "1" ? "first" : "second"}`, transform: `translate(${x} ${y})` });
    const figures = [...counts];
    const apart = figures.length === 1 ? 0 : 40 / figures.length;
    const wide = figures.length === 1 ? 1 : Math.min(0.74, 1.7 / figures.length);
    figures.forEach(([letter, count], i) => {
      const middle = 22.5 + (i - (figures.length - 1) / 2) * apart;
      group.append(svg("use", { href: `#figure-${letter}`, transform: `translate(${middle - 22.5 * wide} 0) scale(${wide} 1)` }));
      if (count > 1) group.append(svg("text", { class: "number", x: middle + (figures.length === 1 ? 15 : 0), y: 44, "text-anchor": "middle" }, count));
    });
    group.append(svg("rect", figures.length === 1 ? { x: 10, y: 33.5, width: 25, height: 5, rx: 1.5 } : { x: 2.5, y: 33.5, width: 40, height: 6, rx: 3 }));
    return group;
  }

  function show() {
    const board = find("turns-board");
    board.setAttribute("viewBox", `${-EDGE} 0 ${game.columns * SIZE + EDGE} ${game.rows * SIZE + EDGE}`);
    board.replaceChildren();
    const corner = (space) => [space.column * SIZE, (game.rows - 1 - space.row) * SIZE];
    const standing = placed(turn);
    const changed = turn ? game.turns[turn - 1].changes : {};
    for (const space of game.spaces) {
      const [x, y] = corner(space);
      board.append(svg("rect", { class: space.dark ? "dark" : "light", x, y, width: SIZE, height: SIZE }));
      if (space.name in changed) board.append(svg("rect", { class: "changed", x, y, width: SIZE, height: SIZE }));
      const label = (text, dx, dy) => board.append(svg("text", { class: "name", x: x + dx, y: y + dy, "text-anchor": "middle" }, text));
      if (space.column === 0) label(space.name.replace(/^[a-z]+/, ""), -8, 27);
      if (space.row === 0) label(space.name.replace(/[0-9]+$/, ""), SIZE / 2, SIZE + 12);
    }
    for (const space of game.spaces) if (standing.get(space.name)) board.append(draw(standing.get(space.name), ...corner(space)));
    const now = turn ? game.turns[turn - 1] : null;
    board.setAttribute("aria-label", now ? `Board after ${now.words}` : "Board at the start");
    for (const button of document.querySelectorAll("#turns [data-to]")) {
      button.disabled = ["first", "previous"].includes(button.dataset.to) ? turn === 0 : turn === game.turns.length;
    }
    for (const button of find("turns-list").querySelectorAll("button")) {
      const here = Number(button.dataset.turn) === turn;
      button.toggleAttribute("aria-current", here);
      const list = find("turns-list");
      if (here) list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  }

  function begin(next) {
    [game, turn] = [next, 0];
    find("turns-about").textContent = game.about;
    const items = [];
    game.turns.forEach(({ side, words }, i) => {
      if (side === "first" || !items.length) items.push(document.createElement("li"));
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: words, title: game.players[side === "first" ? 0 : 1] });
      button.dataset.turn = i + 1;
      items.at(-1).append(button);
    });
    find("turns-list").replaceChildren(...items);
    show();
  }

  const go = { first: () => 0, previous: () => turn - 1, next: () => turn + 1, last: () => game.turns.length };
  find("turns").addEventListener("click", ({ target }) => {
    const { to, turn: chosen } = target.dataset;
    if (to) turn = Math.max(0, Math.min(game.turns.length, go[to]()));
    else if (chosen) turn = Number(chosen);
    else return;
    show();
  });
  const select = find("turns-game");
  select.replaceChildren(...games.map((each, i) => new Option(each.title, i)));
  select.addEventListener("change", () => begin(games[select.value]));
  find("turns").hidden = false;
  begin(game);
})();
