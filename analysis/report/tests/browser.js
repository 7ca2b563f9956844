// Drives the report page's controls and tells the page around the frame that this one is shown in
// what it found, for tests/pages/report-test to read: a window cannot be as narrow as a telephone, a
// frame can. The script `browser-before` has
// gathered errors and files since before the page's own scripts ran.
addEventListener("load", async () => {
  "use strict";

  const { errors, files } = window.watched;
  const failures = [];
  const check = (name, holds, detail = "") => {
    if (!holds) failures.push(`${name}${detail === "" ? "" : `: ${detail}`}`);
  };
  const equal = (name, found, expected) =>
    check(name, found === expected, `${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // ---- Nothing sticks out ----

  function overflow() {
    const width = document.documentElement.clientWidth;
    equal("width of the window", innerWidth, window.watched.width);
    const wide = document.documentElement.scrollWidth;
    if (wide <= width) return;
    const scrolls = (e) => e && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
    const culprits = all("main *, header *, footer *, nav")
      .filter((e) => e.getBoundingClientRect().right > width + 0.5 && !scrolls(e.parentElement));
    const names = culprits.slice(0, 5).map((e) => `${e.tagName}.${e.getAttribute("class")}`);
    check("no sideways scrolling", false, `${wide} px wide: ${names.join(", ")}`);
  }

  // ---- Readable text ----

  const parse = (color) => color.match(/[\d.]+/g).map(Number);

  function luminance([r, g, b]) {
    const linear = [r, g, b].map((value) => {
      const c = value / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  }

  /** The nearest background that hides what is behind it. */
  function background(element) {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  }

  function contrast() {
    const seen = new Set();
    for (const element of all("body *")) {
      const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "");
      const drawn = element.closest("svg");
      if (!own || element.closest("script, style, noscript, [hidden], details:not([open]) > :not(summary)")) continue;
      // Text on coloured shapes, text that is not drawn, and what cannot be used now.
      if (element.closest(".board, .on-dark, .on-light, title, desc, :disabled, option, optgroup")) continue;
      const style = getComputedStyle(element);
      const front = luminance(parse(drawn ? style.fill : style.color));
      const back = luminance(background(drawn ? drawn.parentElement : element));
      const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      const name = `${element.tagName}.${element.getAttribute("class")}`;
      if (ratio < 4.5 && !seen.has(name)) {
        seen.add(name);
        check("readable text", false, `${name} “${element.textContent.trim().slice(0, 30)}” has contrast ${ratio.toFixed(2)}`);
      }
    }
  }

  // ---- Tables ----

  function tables() {
    const number = (text) => Number(text.replace("−", "-").replace(/[,%]/g, "").match(/^<?([-+]?[\d.]+)/)?.[1]);
    const name = (table) => table.caption.textContent.trim();
    const rowsOf = (table) => [...table.tBodies[0].rows];
    const results = all("table.data").filter((table) => rowsOf(table).length > 1);
    check("sortable tables", results.length > 2, results.length);
    for (const table of results) {
      const before = rowsOf(table);
      [...table.tHead.rows[0].cells].forEach((header, column) => {
        const button = header.querySelector("button");
        const label = `${name(table)}, ${header.textContent}`;
        check(`${label}: has a name`, button.textContent.trim() !== "");
        const cells = () => rowsOf(table).map((row) => row.cells[column].textContent.trim());
        const present = () => cells().filter((text) => text !== "–");
        for (const [direction, sign] of [["ascending", 1], ["descending", -1]]) {
          button.click();
          equal(`${label}: state`, header.getAttribute("aria-sort"), direction);
          const values = present().map(number);
          const ordered = values.every((v, i) => i === 0 || Number.isNaN(v + values[i - 1]) || sign * (v - values[i - 1]) >= 0);
          check(`${label}: ${direction}`, ordered, present().join(" | "));
          const dashes = cells().length - present().length;
          check(`${label}: dashes last`, cells().slice(cells().length - dashes).every((text) => text === "–"));
        }
        button.click();
        equal(`${label}: state in the end`, header.getAttribute("aria-sort"), null);
        check(`${label}: order in the end`, rowsOf(table).every((row, i) => row === before[i]));
      });
    }
  }

  function downloads() {
    const buttons = all("button.csv");
    check("CSV buttons", buttons.length > 8, buttons.length);
    check("CSV buttons are shown", buttons.every((button) => !button.hidden));
    buttons.forEach((button) => button.click());
    equal("files saved", files.length, buttons.length);
  }

  // ---- The viewer ----

  async function viewer() {
    const root = document.getElementById("viewer");
    if (!root) return false;
    for (let i = 0; i < 200 && root.hidden; i++) await wait(20);
    const { isChess } = window.watched;
    const find = (selector) => root.querySelector(selector);
    const board = find(".board");
    const slider = find(".viewer-slider");
    const select = find("select");
    const press = (action) => find(`[data-action="${action}"]`).click();
    const key = (name, target = board) =>
      target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    const ply = () => Number(slider.value);
    const plies = () => Number(slider.max);
    const onBoard = () => all(".piece > title", board).map((title) => title.textContent);
    const pieces = () => onBoard().sort().join("; ");
    const choose = (index) => {
      select.selectedIndex = index;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    };

    check("viewer is shown", !root.hidden);
    check("several games", select.options.length > (isChess ? 3 : 1));
    const start = pieces();
    if (isChess) {
      equal("pieces at the start", onBoard().length, 32);
      const whole = select.selectedOptions[0].textContent.includes("orthodox");
      equal("compounds at the start", all(".plate", board).length, whole ? 0 : 2);
    }
    check("the board in words", find(".board svg").getAttribute("aria-label").startsWith("White: "));

    // Step by step and at once lead to the same position, there and back.
    for (let i = 0; i < plies(); i++) press("next");
    const end = pieces();
    press("first");
    equal("first", pieces(), start);
    press("last");
    equal("last", pieces(), end);
    check("next is off at the end", find('[data-action="next"]').disabled);
    for (let i = 0; i < plies(); i++) press("previous");
    equal("previous", pieces(), start);

    key("ArrowRight");
    key("ArrowRight");
    key("ArrowLeft");
    equal("arrow keys", ply(), 1);
    key("End");
    equal("End", ply(), plies());
    key("Home");
    equal("Home", ply(), 0);
    key("ArrowRight", select);
    equal("keys of the list of games are its own", ply(), 0);

    slider.value = 7;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    equal("slider", find("[aria-current]").dataset.ply, "7");

    const graph = find(".graph");
    const box = graph.getBoundingClientRect();
    const clientX = box.left + 0.5 * box.width;
    graph.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX, clientY: box.top + 50 }));
    equal("graph", ply(), Math.round(plies() / 2));
    check("graph is drawn", all(".areas polygon", root).length >= 3);

    const move = find('.moves [data-ply="9"]');
    move.click();
    equal("a move", ply(), 9);
    check("the move is marked", move.getAttribute("aria-current") === "true");
    check("the move is announced", find(".viewer-move").textContent.includes(move.textContent.trim().split(" ")[0]));
    check("expectation in words", /White wins [\d.]+%, draw/.test(find(".viewer-wdl").textContent));

    const square = () => find('[data-space="a1"]').getAttribute("y");
    const unturned = square();
    press("flip");
    check("turned", square() !== unturned);
    key("f");
    equal("turned back", square(), unturned);

    press("first");
    press("play");
    await wait(2000);
    equal("two moves played in two seconds", ply(), 2);
    press("play");
    await wait(2000);
    equal("paused", ply(), 2);

    // Moves of every game, and what marks fusions and fissions.
    const marked = { fusion: 0, fission: 0 };
    for (let index = 0; index < select.options.length; index++) {
      choose(index);
      equal("a new game starts at its start", ply(), 0);
      // The Queen is one piece where nothing merges or splits.
      const named = (list) => list.replaceAll(" (Rook and Bishop)", "");
      if (isChess) equal("start of a new game", named(pieces()), named(start));
      const moves = all(".moves button", root);
      const some = moves.filter((_, i) => i % 9 === 0 || i + 1 === moves.length);
      for (const button of [...some, ...all("button.fusion, button.fission", root).slice(0, 6), moves.at(-1)]) {
        button.click();
        check("the last turn is marked", ply() === 0 || all(".last", board).length > 0);
        if (isChess) {
          const kings = onBoard().filter((name) => /King/.test(name));
          equal(`royal pieces, game ${index}, ply ${ply()}`, kings.length, 2);
        }
        for (const kind of ["fusion", "fission"]) {
          const badges = all(`.mark.${kind}`, board).length;
          const expected = button.classList.contains(kind) ? (kind === "fusion" ? 1 : 2) : 0;
          check(`badges, game ${index}, ply ${ply()}`, isChess ? badges === expected : badges >= expected);
          if (expected > 0) marked[kind]++;
        }
      }
      const announced = find(".viewer-move").textContent;
      check("the end is announced", /won|Drawn|No result/.test(announced), announced);
    }
    check("fusions and fissions are shown", !isChess || (marked.fusion > 0 && marked.fission > 0));
    choose(0);
    return true;
  }

  // ---- Links into folded sections open them ----

  async function reveals() {
    // `click` is watched for downloads.
    const press = (link) => link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    const links = all("nav.contents a");
    const target = (link) => document.getElementById(link.getAttribute("href").slice(1));
    const folded = links.filter((link) => target(link).tagName === "DETAILS" && !target(link).open);
    check("sections of detail are folded", folded.length > 2, folded.length);
    for (const link of folded) {
      press(link);
      await wait(20);
      check("a link opens its section", target(link).open, link.textContent);
      target(link).open = false;
      press(link);
      await wait(20);
      check("and again", target(link).open, link.textContent);
      target(link).open = false;
    }
  }

  const links = all('a[href^="#"]').map((link) => link.getAttribute("href"));
  check("contents", links.length > 8 && links.every((link) => document.getElementById(link.slice(1))));
  const ids = all("[id]").map((element) => element.id);
  const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
  check("ids are unique", twice.length === 0, twice.join(" "));
  let hasViewer = false;
  try {
    overflow();
    contrast();
    await reveals();
    tables();
    downloads();
    hasViewer = await viewer();
    all("details").forEach((details) => (details.open = true));
    overflow();
    contrast();
  } catch (error) {
    failures.push(`the test itself: ${error.stack}`);
  }
  const findings = {
    failures: [...errors.map((error) => `script error: ${error}`), ...failures],
    files: Object.fromEntries(files.map((file) => [file.name, file.text])),
    hasViewer,
  };
  parent.postMessage(JSON.stringify(findings), "*");
});
