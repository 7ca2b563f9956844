// Drives the page of all games and tells the page around the frame what it found, for
// tests/pages/report-test. `window.expected` has the rows of games.csv and the games of games.pgn
// without their comments. The script `browser-before` has run before the page's own scripts.
addEventListener("load", async () => {
  "use strict";

  const { errors, files } = window.watched;
  const { rows, texts, left, file, main, other } = window.expected;
  const isChess = file === "games.pgn";
  const failures = [];
  const check = (name, holds, detail = "") => {
    if (!holds) failures.push(`${name}${detail === "" ? "" : `: ${detail}`}`);
  };
  const equal = (name, found, expected) =>
    check(name, found === expected, `${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const find = (id) => document.getElementById(id);

  function overflow() {
    const width = document.documentElement.clientWidth;
    equal("width of the window", innerWidth, window.watched.width);
    const wide = document.documentElement.scrollWidth;
    if (wide <= width) return;
    const scrolls = (e) => e && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
    const culprits = all("body *").filter((e) => e.getBoundingClientRect().right > width + 0.5 && !scrolls(e.parentElement));
    check("no sideways scrolling", false, `${wide} px wide: ${culprits.slice(0, 5).map((e) => `${e.tagName}.${e.className}`).join(", ")}`);
  }

  async function test() {
    for (let i = 0; i < 200 && find("content").hidden; i++) await wait(20);
    check("the games are shown", !find("content").hidden, find("status").textContent);
    overflow();

    const form = find("filters");
    const number = (text) => Number(text.replaceAll(",", ""));
    const matching = () => number(find("matching").textContent.split(" ")[0]);
    const body = find("list").tBodies[0];
    const set = (name, value) => {
      form.elements[name].value = value;
      form.elements[name].dispatchEvent(new Event("input", { bubbles: true }));
    };
    const clear = async () => {
      form.reset();
      await wait(20);
    };
    equal("all games match at first", matching(), rows.length);
    equal("and that is said", find("matching").textContent, `${rows.length} of ${rows.length} games match.`);

    // ---- Every filter, against the rows themselves ----
    const endings = { threefold: "threefold repetition", "fifty-move": "fifty-move rule", "dead-position": "dead position", cap: "cap (no result)", tables: "adjudicated by tables", kings: "kings taken", ...(isChess ? {} : { stalemate: "stalemate (a loss)" }) };
    const values = {
      rules: (row) => row.rules,
      nodes: (row) => row.nodes,
      measurement: (row) => row.measurement,
      result: (row) => row.result,
      ending: (row) => endings[row.ending] ?? row.ending,
    };
    for (const [name, of] of Object.entries(values)) {
      const options = [...form.elements[name].options].filter((option) => option.value !== "");
      equal(`choices of ${name}`, options.length, new Set(rows.map(of)).size);
      for (const { value } of options) {
        const expected = rows.filter((row) => of(row) === value).length;
        const option = [...form.elements[name].options].find((option) => option.value === value);
        check(`count of ${name} ${value}`, option.textContent.endsWith(`(${expected})`), option.textContent);
        set(name, value);
        equal(`games with ${name} ${value}`, matching(), expected);
        set(name, "");
      }
    }
    for (const event of ["captures", "lead_changes", ...(isChess ? ["fusions", "royal_fusions", "fissions"] : [])]) {
      set("with", event);
      equal(`games with ${event}`, matching(), rows.filter((row) => Number(row[event]) > 0).length);
    }
    await clear();
    for (const [name, column, from, to] of [["opening", "opening", 1, 2], ["plies", "plies", 40, 90], ["drama", "drama", 0.1, 0.4]]) {
      const value = (row) => (row[column] === "" ? NaN : Math.round(row[column] * 10000) / 10000);
      set(`${name}-from`, String(from));
      equal(`${name} from ${from}`, matching(), rows.filter((row) => value(row) >= from).length);
      set(`${name}-to`, String(to));
      equal(`${name} from ${from} to ${to}`, matching(), rows.filter((row) => value(row) >= from && value(row) <= to).length);
      await clear();
    }
    equal("cleared", matching(), rows.length);
    set("rules", main);
    set("result", "1-0");
    equal("two filters", matching(), rows.filter((row) => row.rules === main && row.result === "1-0").length);
    await wait(400);
    check("the filters are in the address", location.hash.includes(`rules=${encodeURIComponent(main)}`) && location.hash.includes("result=1-0"), location.hash);
    await clear();

    // ---- The list ----
    const column = (name) => {
      const index = [...find("list").tHead.rows[0].cells].findIndex((cell) => cell.dataset.column === name);
      return [...body.rows].map((row) => row.cells[index].textContent);
    };
    const sortBy = (name) => find("list").querySelector(`th[data-column="${name}"] button`).click();
    const sorted = (values, sign) => values.every((v, i) => i === 0 || sign * (v - values[i - 1]) >= 0);
    sortBy("plies");
    check("sorted by length", sorted(column("plies").map(number), 1));
    sortBy("plies");
    check("sorted by length, the longest first", sorted(column("plies").map(number), -1));
    equal("the longest", number(column("plies")[0]), Math.max(...rows.map((row) => Number(row.plies))));
    sortBy("plies");
    sortBy("drama");
    sortBy("drama");
    check("sorted by drama", sorted(column("drama").filter((text) => text !== "–").map(Number), -1));
    sortBy("drama");
    const key = (name, target) => target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    body.rows[0].focus();
    key("ArrowDown", document.activeElement);
    check("arrow keys go through the list", document.activeElement === body.rows[1]);
    key("Enter", document.activeElement);
    equal("Enter shows the game", body.querySelector("[aria-current]"), body.rows[1]);
    key("n", document.body);
    equal("n shows the next game", body.querySelector("[aria-current]"), body.rows[2]);
    key("p", document.body);
    equal("p shows the one before", body.querySelector("[aria-current]"), body.rows[1]);
    if (rows.length > 50) {
      find("later").click();
      equal("the list is turned", find("range").textContent, `51 to ${Math.min(100, rows.length)} of ${rows.length}`);
      find("earlier").click();
    }

    // ---- The board and the text of every game ----
    const viewer = find("viewer");
    const plies = () => Number(viewer.querySelector(".viewer-slider").max);
    const press = (action) => viewer.querySelector(`[data-action="${action}"]`).click();
    const onBoard = () => all(".piece > title", viewer).map((title) => title.textContent);
    const pieces = () => onBoard().sort().join("; ");
    const seen = new Set();
    let queens = 0;
    for (;;) {
      for (const row of [...body.rows]) {
        row.click();
        const text = find("text").textContent;
        check(`the text is that of ${file}`, texts.includes(text), text.slice(0, 900));
        seen.add(text);
        const moves = all(".moves button", viewer);
        equal("every turn can be shown", moves.length, plies());
        press("last");
        check("the board of the last position", all(".piece", viewer).length > 0 && all(".last", viewer).length > 0);
        if (!isChess) continue;
        check("two sides with a royal piece each", onBoard().filter((name) => /King/.test(name)).length === 2, pieces());
        if (text.includes('"orthodox"') || !text.includes("RuleSet")) {
          press("first");
          queens += onBoard().filter((name) => name.includes(" Queen,")).length;
          check("no plates under orthodox rules", all(".plate", viewer).length === 0);
        }
      }
      if (find("later").disabled) break;
      find("later").click();
    }
    equal("games seen", seen.size, new Set(texts).size);
    check("orthodox Queens are Queens", !isChess || queens > 0);
    press("first");
    const start = pieces();
    press("next");
    check("a step changes the board", pieces() !== start);
    await wait(400);
    check("the ply is in the address", location.hash.includes("ply=1"), location.hash);
    press("previous");
    equal("and back", pieces(), start);

    // ---- Playing on ----
    const onward = viewer.querySelector(".viewer-play");
    check("no link to a page that is not there", onward.hidden);
    document.body.dataset.playPage = "../play.html";
    press("next");
    press("next");
    const [page, hash] = viewer.querySelector(".viewer-play a").getAttribute("href").split("#");
    const named = new Map(hash.split("&").map((part) => part.split("=").map(decodeURIComponent)));
    equal("the page on which people play", page, "../play.html");
    equal("its rules", named.get("rules"), find("about").textContent.split(" at ")[0]);
    const moves = named.get("moves").split(",").length;
    check("its moves", isChess ? moves === 2 : moves >= 2, String(moves));
    check("the link is shown", !onward.hidden && named.get("side") === "both");
    delete document.body.dataset.playPage;
    press("first");
    check("and hidden", onward.hidden);

    // ---- Copying and saving ----
    let copied = null;
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async (text) => (copied = text) } });
    find("copy").click();
    await wait(20);
    equal("the text is copied", copied, find("text").textContent);
    equal("and that is said", find("said").textContent, "Copied.");
    set("rules", main);
    find("save").click();
    const saved = files.at(-1);
    equal("saved under", saved.name, file);
    equal("games saved", saved.text.split(isChess ? '[Event "' : "Measurement ").length - 1, rows.filter((row) => row.rules === main).length);
    await clear();

    // ---- Links ----
    const deep = `#rules=${other}&sort=-plies&game=measure/${other}/6/2&ply=3`;
    location.hash = deep;
    await wait(50);
    equal("a link's filter", matching(), rows.filter((row) => row.rules === other).length);
    check("a link's game", find("about").textContent.startsWith(`${other} at 6 nodes a move · opening 2 ·`), find("about").textContent);
    equal("a link's ply", viewer.querySelector(".viewer-slider").value, "3");
    const same = all("#same a");
    equal("games from the same opening", same.length, rows.filter((row) => row.measurement === "measure" && row.opening === "2").length - 1);
    same[0].dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    check("such a game is shown", find("about").textContent.includes("opening 2") && !find("about").textContent.startsWith(`${other} at`), find("about").textContent);
    for (const odd of ["#game=%E0%A4%A&ply=x", "#game=%FF&sort=constructor", "#plies=1-&drama=.-.&with=x&rules=%3Cb%3E", "#=&&&"]) {
      location.hash = odd;
      await wait(30);
    }
    check("odd links do no harm", matching() <= rows.length);
    equal("nothing became markup", all("img, iframe, b:not(header b), u").length, 0);
    equal("text from files is text", window.injected, undefined);
    check("what is left out is said", all(".note").length === left, String(all(".note").length));
    overflow();
  }

  try {
    await test();
  } catch (error) {
    failures.push(`the test itself: ${error.stack}`);
  }
  parent.postMessage(JSON.stringify({ failures: [...errors.map((error) => `script error: ${error}`), ...failures], files: {}, hasViewer: false }), "*");
});
