// Filters, counts and the sorted list of the games.
window.fusionList = (games, told) => {
  "use strict";

  const { opened, changed } = told;
  const { table, count } = games;
  const form = document.getElementById("filters");
  const list = document.getElementById("list");
  const body = list.tBodies[0];
  const PAGE = 50;
  const DRAMA = 10000;
  /** What happens in games: numbers by game, and words. */
  const EVENTS = new Map([...table.events.map(({ name, plural, counts }) => [name, { plural, counts }]), ["lead_changes", { plural: "changes of the lead", counts: table.lead_changes }]]);
  const collator = new Intl.Collator("en", { numeric: true });
  const numbers = new Intl.NumberFormat("en");
  const ofName = (column) => (game) => table.names[column][table[column][game]];
  const number = (column) => (game) => Number(table[column][game]);

  /** What can be chosen: how a game's value is found and what the choices are called. */
  const CHOICES = {
    measurement: { of: ofName("measurement") },
    rules: { of: ofName("rules") },
    nodes: { of: (game) => String(table.nodes[game]), words: (nodes) => numbers.format(nodes) },
    result: {
      of: ofName("result"),
      words: (result) => ({ "1-0": `1-0, ${table.players[0]} won`, "0-1": `0-1, ${table.players[1]} won`, "1/2-1/2": "1/2-1/2, drawn", "*": "* no result" })[result],
    },
    ending: { of: (game) => table.names.ending[table.ending[game]] },
    with: { every: (game) => [...EVENTS.keys()].filter((event) => EVENTS.get(event).counts[game] > 0), words: (event) => EVENTS.get(event)?.plural },
  };
  const RANGES = {
    opening: number("opening"),
    plies: number("plies"),
    drama: (game) => (table.drama[game] === null ? NaN : table.drama[game] / DRAMA),
  };
  const COLUMNS = {
    rules: CHOICES.rules.of,
    nodes: number("nodes"),
    measurement: CHOICES.measurement.of,
    opening: RANGES.opening,
    result: CHOICES.result.of,
    ending: CHOICES.ending.of,
    plies: RANGES.plies,
    drama: RANGES.drama,
    lead_changes: number("lead_changes"),
  };

  let state = {};
  let matching = [];
  let page = 0;
  let current = null;

  const values = (name) => (game) => CHOICES[name].every?.(game) ?? [CHOICES[name].of(game)];

  // ---- Filters ----

  /** `12-40`, `12-` or `-40` as limits. */
  function limits(text) {
    const found = /^([\d.]*)-([\d.]*)$/.exec(text ?? "");
    if (!found) return null;
    const [low, high] = [found[1] === "" ? -Infinity : Number(found[1]), found[2] === "" ? Infinity : Number(found[2])];
    return Number.isNaN(low) || Number.isNaN(high) ? null : [low, high];
  }

  /** Tests by name, of the filters that are set. */
  function tests() {
    const found = {};
    for (const name of Object.keys(CHOICES)) {
      if (state[name]) found[name] = (game) => values(name)(game).includes(state[name]);
    }
    for (const [name, of] of Object.entries(RANGES)) {
      const range = limits(state[name]);
      if (range) found[name] = (game) => of(game) >= range[0] && of(game) <= range[1];
    }
    return found;
  }

  /** Which games match, and for each choice how many would if it were chosen. */
  function filter() {
    const all = Object.entries(tests());
    const counts = Object.fromEntries(Object.keys(CHOICES).map((name) => [name, new Map()]));
    matching = [];
    for (let game = 0; game < count; game++) {
      const failed = all.filter(([, test]) => !test(game));
      if (failed.length > 1) continue;
      if (failed.length === 0) matching.push(game);
      for (const name of Object.keys(CHOICES)) {
        if (failed.length === 1 && failed[0][0] !== name) continue;
        for (const value of values(name)(game)) counts[name].set(value, (counts[name].get(value) ?? 0) + 1);
      }
    }
    return counts;
  }

  function sort() {
    const [, minus, name] = /^(-?)(\w+)$/.exec(state.sort ?? "") ?? [];
    const of = Object.hasOwn(COLUMNS, name ?? "") ? COLUMNS[name] : null;
    for (const header of list.tHead.rows[0].cells) {
      const sorted = of && header.dataset.column === name;
      if (sorted) header.setAttribute("aria-sort", minus ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
    }
    if (!of) return;
    const sign = minus ? -1 : 1;
    const keyed = matching.map((game) => [game, of(game)]);
    // Games without a value stay last both ways; equal ones in their order.
    const missing = ([, value]) => Number.isNaN(value);
    const compare = ([a, x], [b, y]) =>
      sign * (typeof x === "string" ? collator.compare(x, y) : x - y || 0) || a - b;
    matching = [...keyed.filter((item) => !missing(item)).sort(compare), ...keyed.filter(missing)].map(([game]) => game);
  }

  function option(value, text) {
    const element = document.createElement("option");
    element.value = value;
    element.textContent = text;
    return element;
  }

  /** The choices that any game has, with how many match. */
  function fill(counts) {
    for (const [name, choice] of Object.entries(CHOICES)) {
      const select = form.elements[name];
      for (const element of select.options) {
        if (element.value === "") continue;
        const words = choice.words?.(element.value) ?? element.value;
        element.textContent = `${words} (${numbers.format(counts[name].get(element.value) ?? 0)})`;
      }
      select.value = state[name] ?? "";
    }
    for (const name of Object.keys(RANGES)) {
      const [low, high] = /^([\d.]*)-([\d.]*)$/.exec(state[name] ?? "")?.slice(1) ?? ["", ""];
      for (const [end, value] of [["from", low], ["to", high]]) {
        const field = form.elements[`${name}-${end}`];
        // What is being typed is not taken away.
        if (field !== document.activeElement) field.value = value;
      }
    }
    const words = matching.length === 1 ? "game matches" : "games match";
    document.getElementById("matching").textContent = `${numbers.format(matching.length)} of ${numbers.format(count)} ${words}.`;
  }

  function prepare() {
    for (const [name, choice] of Object.entries(CHOICES)) {
      const found = new Set();
      for (let game = 0; game < count; game++) values(name)(game).forEach((value) => found.add(value));
      const select = form.elements[name];
      const order = name === "with" ? [...EVENTS.keys()].filter((event) => found.has(event)) : [...found].sort(collator.compare);
      select.append(...order.map((value) => option(value, choice.words?.(value) ?? value)));
      // A filter of one choice is none.
      select.closest("label").hidden = found.size < 2;
      const columns = [...list.querySelectorAll(`[data-column="${name}"]`)];
      columns.forEach((column) => (column.hidden = found.size < 2));
    }
    for (const [name, of] of Object.entries(RANGES)) {
      let [low, high] = [Infinity, -Infinity];
      for (let game = 0; game < count; game++) {
        const value = of(game);
        if (value < low) low = value;
        if (value > high) high = value;
      }
      if (low > high) continue;
      form.elements[`${name}-from`].placeholder = low;
      form.elements[`${name}-to`].placeholder = high;
    }
  }

  // ---- The list ----

  const CELLS = {
    rules: (game) => COLUMNS.rules(game),
    nodes: (game) => numbers.format(table.nodes[game]),
    measurement: (game) => COLUMNS.measurement(game),
    opening: (game) => String(table.opening[game]),
    result: (game) => COLUMNS.result(game),
    ending: (game) => COLUMNS.ending(game),
    plies: (game) => numbers.format(table.plies[game]),
    drama: (game) => (table.drama[game] === null ? "–" : RANGES.drama(game).toFixed(3)),
    lead_changes: (game) => numbers.format(table.lead_changes[game]),
  };

  function row(game) {
    const element = document.createElement("tr");
    element.dataset.game = game;
    element.tabIndex = -1;
    for (const header of list.tHead.rows[0].cells) {
      const cell = document.createElement(header.dataset.column === "rules" ? "th" : "td");
      if (cell.tagName === "TH") cell.scope = "row";
      cell.textContent = CELLS[header.dataset.column](game);
      cell.hidden = header.hidden;
      cell.className = header.className;
      element.append(cell);
    }
    return element;
  }

  const pages = () => Math.max(1, Math.ceil(matching.length / PAGE));

  function draw() {
    page = Math.max(0, Math.min(pages() - 1, page));
    const first = page * PAGE;
    const shown = matching.slice(first, first + PAGE);
    body.replaceChildren(...shown.map(row));
    list.closest(".scroll").scrollTop = 0;
    const range = shown.length === 0 ? "None" : `${numbers.format(first + 1)} to ${numbers.format(first + shown.length)}`;
    document.getElementById("range").textContent = `${range} of ${numbers.format(matching.length)}`;
    document.getElementById("earlier").disabled = page === 0;
    document.getElementById("later").disabled = page === pages() - 1;
    mark();
  }

  /** Marks the game that is shown; one row can be reached with the Tab key. */
  function mark() {
    let stop = body.rows[0];
    for (const element of body.rows) {
      const shown = Number(element.dataset.game) === current;
      element.tabIndex = -1;
      if (shown) stop = element;
      if (shown) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    }
    if (stop) stop.tabIndex = 0;
  }

  /** Another set of filters. */
  function apply(next) {
    state = next;
    const counts = filter();
    sort();
    fill(counts);
    page = 0;
    draw();
  }

  /** The game that the board shows. */
  function show(game) {
    current = game;
    const at = matching.indexOf(game);
    const wanted = Math.floor(at / PAGE);
    if (at >= 0 && wanted !== page) {
      page = wanted;
      draw();
    } else mark();
  }

  /** The game so many places after the current one, if there is one. */
  function step(by) {
    const at = matching.indexOf(current);
    const next = matching[at < 0 ? 0 : at + by];
    if (next !== undefined) opened(next);
  }

  function turn(by, focus) {
    page += by;
    draw();
    if (focus) body.rows[0]?.focus();
  }

  function read() {
    const next = { sort: state.sort };
    for (const name of Object.keys(CHOICES)) next[name] = form.elements[name].value;
    for (const name of Object.keys(RANGES)) {
      const [low, high] = ["from", "to"].map((end) => form.elements[`${name}-${end}`].value.trim());
      next[name] = low === "" && high === "" ? "" : `${low}-${high}`;
    }
    changed(next);
  }

  form.addEventListener("input", read);
  form.addEventListener("submit", (event) => event.preventDefault());
  // The fields are empty only after the event.
  form.addEventListener("reset", () => setTimeout(read));
  list.tHead.addEventListener("click", (event) => {
    const column = event.target.closest("th")?.dataset.column;
    if (!event.target.closest("button") || !column) return;
    const sort = { [column]: `-${column}`, [`-${column}`]: "" }[state.sort] ?? column;
    changed({ ...state, sort });
  });
  body.addEventListener("click", (event) => {
    const element = event.target.closest("tr");
    if (element) opened(Number(element.dataset.game));
  });
  body.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const element = event.target.closest("tr");
    const focus = (to) => {
      if (to) {
        element.tabIndex = -1;
        to.tabIndex = 0;
        to.focus();
      }
    };
    const keys = {
      ArrowDown: () => focus(element.nextElementSibling),
      ArrowUp: () => focus(element.previousElementSibling),
      Home: () => focus(body.rows[0]),
      End: () => focus(body.rows[body.rows.length - 1]),
      PageDown: () => page < pages() - 1 && turn(1, true),
      PageUp: () => page > 0 && turn(-1, true),
      Enter: () => opened(Number(element.dataset.game)),
      " ": () => opened(Number(element.dataset.game)),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.getElementById("earlier").addEventListener("click", () => turn(-1));
  document.getElementById("later").addEventListener("click", () => turn(1));

  prepare();
  return { apply, show, step, matching: () => matching, cells: CELLS, names: [...Object.keys(CHOICES), ...Object.keys(RANGES), "sort"] };
};
