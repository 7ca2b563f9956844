// The page of a run that works: reads its data again and again and draws them. All numbers and their
// intervals come from the server.
(() => {
  "use strict";

  /** Milliseconds between two readings. */
  const EVERY = 2000;
  const SERIES = 6;
  const SVG = "http://www.w3.org/2000/svg";
  const find = (id) => document.getElementById(id);
  let seen = null;
  let text = "";

  function html(name, properties = {}, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  function svg(name, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const cell = (content, className = "") => html("td", { className }, content);
  const row = (className, ...cells) => html("tr", { className }, ...cells);
  const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  function table(className, columns, rows) {
    const heads = columns.map(([name, kind]) => html("th", { scope: "col", className: kind, textContent: name }));
    const all = html("table", { className }, html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows));
    return html("div", { className: "scroll" }, all);
  }

  // ---- What is left ----

  function showParts({ parts, problems }) {
    const rows = parts.map((part) => {
      const bar = html("progress", { max: Math.max(1, part.planned), value: part.done, ariaLabel: part.name });
      const states = { done: "done", working: "not known yet", quiet: "stopped", waiting: "not begun" };
      return row(part.state, cell(part.name, "text"), cell(bar, "wide"), cell(part.words, "text"), cell(part.left ?? states[part.state], "text"));
    });
    find("parts").tBodies[0].replaceChildren(...rows);
    find("problems").hidden = problems.length === 0;
    find("problems").replaceChildren(...problems.map((textContent) => html("li", { textContent })));
    const working = parts.filter((part) => part.state === "working");
    const open = parts.filter((part) => part.state !== "done");
    const quiet = parts.filter((part) => part.state === "quiet");
    const names = (some) => some.map((part) => part.name).join(", ");
    const title = working.length ? `Working: ${names(working)}` : quiet.length ? `Stopped: ${names(quiet)}` : open.length ? "Between two parts" : "Done";
    find("title").textContent = parts.length ? title : "Nothing here yet";
    const next = working.find((part) => part.left);
    const words = working.map((part) => part.words).join("; ");
    const stopped = `${quiet.map((part) => part.words).join("; ")}; none was finished in the last ten minutes. The same command continues the run.`;
    const resting = open.length ? `${counted(open.length, "part")} of ${parts.length} left.` : "All parts are finished.";
    const empty = "Games are shown as soon as there are any.";
    find("lead").textContent = next ? `${words}; about ${next.left} left.` : words || (quiet.length ? stopped : parts.length ? resting : empty);
  }

  // ---- Measurements ----

  /** An interval between 0 and `top` on a line of its own. */
  function intervalBar([value, low, high], className, top) {
    const percent = (share) => `${((100 * share) / top).toFixed(2)}%`;
    const line = (x1, x2, y, kind) => svg("line", { class: kind, x1: percent(x1), x2: percent(x2), y1: y, y2: y });
    const halves = [0, top / 2, top].map((x) => svg("line", { class: "grid", x1: percent(x), x2: percent(x), y1: 2, y2: 20 }));
    return svg("svg", { class: className, "aria-hidden": "true" }, line(0, top, 11, "grid"), ...halves,
      line(low, high, 11, "range"), svg("circle", { class: "value", cx: percent(value), cy: 11, r: 5 }));
  }

  /** A step that gives at most `most` ticks up to `top`. */
  function niceStep(top, most) {
    const rough = top / most;
    const ten = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((factor) => factor * ten).find((step) => step >= rough);
  }

  /** A plot of lines [[x, y, low, high], ...] with axes from the smallest to the largest value. */
  function plot({ title, lines, label, from, percent }) {
    const points = lines.flatMap((line) => line.points);
    const [x0, x1] = [Math.min(...points.map((p) => p[0])), Math.max(...points.map((p) => p[0]))];
    const lows = points.map((p) => p[2] ?? p[1]);
    const highs = points.map((p) => p[3] ?? p[1]);
    const step = niceStep(Math.max(...highs) - (from ?? Math.min(...lows)) || 1, 4);
    const bottom = from ?? Math.floor(Math.min(...lows) / step) * step;
    const top = Math.max(bottom + step, Math.ceil(Math.max(...highs) / step - 1e-9) * step);
    const [height, foot] = [180, 190];
    const x = (value) => (100 * (value - x0)) / (x1 - x0 || 1);
    const y = (value) => height * (1 - (value - bottom) / (top - bottom)) + 6;
    const area = svg("svg", { x: 46, width: "calc(100% - 56px)", height: foot, viewBox: `0 0 100 ${foot}`, preserveAspectRatio: "none", style: "overflow: visible" });
    const picture = svg("svg", { role: "img", "aria-label": title, height: 220 });
    const digits = Math.max(0, Math.min(4, -Math.floor(Math.log10(step) + 1e-9)));
    for (let value = bottom; value <= top + step / 2; value += step) {
      const name = percent ? `${Math.round(100 * value)}%` : value.toFixed(digits);
      picture.append(svg("text", { class: "tick", x: 40, y: y(value) + 4, "text-anchor": "end" }, name));
      area.append(svg("line", { class: "grid", x1: 0, x2: 100, y1: y(value), y2: y(value), "vector-effect": "non-scaling-stroke" }));
    }
    for (const { points, series, dashed } of lines) {
      if (points[0]?.length > 2) {
        const edge = [...points.map((p) => [x(p[0]), y(p[3])]), ...[...points].reverse().map((p) => [x(p[0]), y(p[2])])];
        area.append(svg("polygon", { class: `range series-${series}`, points: edge.map((p) => p.join(",")).join(" ") }));
      }
      area.append(svg("polyline", { class: `line series-${series}${dashed ? " dashed" : ""}`, points: points.map((p) => `${x(p[0])},${y(p[1])}`).join(" ") }));
    }
    picture.append(area);
    const ends = [["start", "46", x0], ["end", "calc(100% - 10px)", x1]];
    for (const [anchor, place, value] of x1 > x0 ? ends : ends.slice(1)) {
      const tick = svg("text", { class: "tick", y: foot + 12, "text-anchor": anchor }, `${value.toLocaleString("en")} ${label}`);
      tick.style.transform = `translateX(${/^\d+$/.test(place) ? `${place}px` : "0"})`;
      if (anchor === "end") tick.setAttribute("x", "98.5%");
      picture.append(tick);
    }
    const keys = lines.map(({ name, series, dashed }) => html("li", { className: `series-${series}${dashed ? " dashed" : ""}`, textContent: name }));
    return html("figure", { className: "curve-plot" }, html("p", { className: "panel-title", textContent: title }), picture, html("ul", { className: "keys" }, ...keys));
  }

  const armName = (arm, several) => (several ? `${arm.rules} at ${arm.nodes.toLocaleString("en")} nodes` : arm.rules);

  /** The arms that the plot shows: those of the most nodes, of the primary comparison first. */
  function plotted(arms, primary) {
    const most = Math.max(...arms.map((arm) => arm.nodes));
    const rank = (arm) => (primary?.names.includes(arm.rules) ? 0 : 1);
    return arms.filter((arm) => arm.nodes === most).sort((a, b) => rank(a) - rank(b)).slice(0, SERIES);
  }

  function armsTable(arms, several, shown) {
    const top = Math.min(1, Math.ceil(10 * Math.max(...arms.map((arm) => arm.share[2]))) / 10);
    const series = (arm) => (shown.includes(arm) ? `series-${shown.indexOf(arm)}` : "series-none");
    const rows = arms.map((arm) =>
      row("", cell(html("code", { textContent: armName(arm, several) }), "text"), cell(arm.draws.toLocaleString("en"), "wide"), cell(arm.words),
        cell(arm.interval, "wide"), cell(intervalBar(arm.share, series(arm), top), "interval")));
    return table("arms", [["Rule set", "text"], ["Draws", "wide"], ["Share", ""], ["95% interval", "wide"], [`0 to ${Math.round(100 * top)}%`, "interval text"]], rows);
  }

  function difference({ names: [first, second], difference: [value], words, interval, evidence }) {
    const less = value < 0 ? "less" : "more";
    const said = value === 0 ? `So far ${first} and ${second} are drawn equally often` : `So far ${first} is drawn ${less} often than ${second}: ${words} percentage points`;
    const chance = evidence ? `If chance did it, only 1 run in ${evidence} would ever look so clear.` : "This may still be chance.";
    return html("p", { className: "difference" }, `${said} (anytime-valid 95% interval ${interval}). ${chance}`);
  }

  /** The address of a game on the board: the page on which people play lies beside this one. */
  function address(game) {
    const parts = [`rules=${encodeURIComponent(game.rules)}`];
    if (game.start) parts.push(`start=${encodeURIComponent(game.start)}`);
    parts.push(`moves=${game.moves.map(encodeURIComponent).join(",")}`, "side=both");
    return `play.html#${parts.join("&")}`;
  }

  function gamesTable(name, games) {
    const rows = games.map((game) => {
      const key = [name, game.rules, game.nodes, game.opening].join(" ");
      const isNew = seen && !seen.has(key);
      const link = html("a", { href: address(game), target: "_blank", textContent: game.result });
      return Object.assign(row(isNew ? "new" : "", cell(html("code", { textContent: game.rules }), "text"), cell(game.nodes.toLocaleString("en"), "wide"),
        cell(game.opening, "wide"), cell(link), cell(game.ending, "text"), cell(game.plies)), { key });
    });
    return table("last", [["Rule set", "text"], ["Nodes", "wide"], ["Opening", "wide"], ["Result", ""], ["Ending", "text"], ["Plies", ""]], rows);
  }

  function measurement({ name, state: { openings, arms, primary, games, unreadable } }) {
    const several = new Set(arms.map((arm) => arm.nodes)).size > 1;
    const parts = [html("h2", { textContent: name === "measure" ? "Draws" : `Draws: ${name}` })];
    if (primary) parts.push(difference(primary));
    if (arms.length) {
      const shown = plotted(arms, primary);
      parts.push(armsTable(arms, several, shown));
      parts.push(html("p", { className: "fine", textContent: `${counted(openings, "opening")} that every rule set has finished. Later games do not count yet, since drawn games take longest. Intervals of shares are Wilson’s, for one look; that of the difference is valid at any time.` }));
      const lines = shown.map((arm, i) => ({ name: armName(arm, several), series: i, points: arm.curve }));
      if (arms[0].curve.length > 2) parts.push(plot({ title: "Share of draws, as openings were finished", lines, label: "openings", from: 0, percent: true }));
      if (shown.length < arms.length) parts.push(html("p", { className: "fine", textContent: `The plot has ${shown.length} of ${arms.length} lines of the table: those of the most nodes a move, first the two that are compared.` }));
    } else parts.push(html("p", { textContent: "No opening is finished under every rule set yet." }));
    if (unreadable) parts.push(html("p", { className: "fine", textContent: `${counted(unreadable, "game")} could not be read.` }));
    if (games.length) parts.push(html("h3", { textContent: "The last games" }), gamesTable(name, games), html("p", { className: "fine", textContent: "A result opens the game on the board." }));
    return html("section", { className: "measurement" }, ...parts);
  }

  // ---- Training ----

  function curve(rows, title, [train, held], label) {
    const line = (name, key, series, dashed) => ({ name, series, dashed, points: rows.filter((row) => row[key] !== null).map((row) => [row.step, row[key]]) });
    const lines = [line("training", train, 0, false), line("held out", held, 1, true)].filter((line) => line.points.length > 1);
    return lines.length ? [plot({ title, lines, label })] : [];
  }

  function showTraining({ fit, generations }) {
    const plots = fit ? [
      ...curve(fit.rows, `${fit.name}: policy, cross-entropy in nats`, ["policy_loss", "held_out_policy_loss"], "steps"),
      ...curve(fit.rows, `${fit.name}: value, cross-entropy in nats`, ["value_loss", "held_out_value_loss"], "steps"),
    ] : [];
    find("curves").replaceChildren(...plots);
    const number = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits).replace("-", "−"));
    const ends = ({ elo_low: low, elo_high: high }) => (high === null ? `above ${number(low, 0)}` : low === null ? `below ${number(high, 0)}` : `${number(low, 0)} to ${number(high, 0)}`);
    const elo = (gate) => (gate.elo === null ? `${ends(gate)} (one-sided)` : `${number(gate.elo, 0)} (${ends(gate)})`);
    const rows = (generations ?? []).map(({ generation, accepted, games, fit, gate }) =>
      row("", cell(generation), cell(games.toLocaleString("en")), cell(number(fit.held_out_policy_loss, 3)), cell(number(fit.held_out_value_loss, 3)),
        cell(gate ? elo(gate) : "no match"), cell(accepted ? "accepted" : "not accepted", "text")));
    const columns = [["Generation", ""], ["Games", ""], ["Policy, held out", ""], ["Value, held out", ""], ["Elo against the best before (95%)", ""], ["", "text"]];
    find("generations").replaceChildren(...(rows.length ? [table("", columns, rows)] : []));
    find("training").hidden = plots.length === 0 && rows.length === 0;
  }

  // ---- Reading ----

  function show(state) {
    showParts(state);
    find("report").hidden = !state.report;
    const lists = state.measurements.map(measurement);
    const scrolled = scrollY;
    find("measurements").replaceChildren(...lists);
    scrollTo(scrollX, scrolled);
    seen = new Set([...document.querySelectorAll(".last tr")].map((row) => row.key));
    showTraining(state);
    document.body.dataset.games = state.parts.reduce((sum, part) => sum + part.done, 0);
  }

  async function read() {
    try {
      const response = await fetch("state");
      const next = await response.text();
      if (!response.ok) throw new Error(next);
      // What the reader has marked or focused stays, as long as nothing is new.
      if (next !== text) show(JSON.parse((text = next)));
      document.body.dataset.ready = "true";
    } catch (error) {
      find("lead").textContent = `The server does not answer (${error.message}). Run \`fusion watch\` again.`;
      text = "";
    }
    setTimeout(read, EVERY);
  }

  read();
})();
