// Sortable tables and CSV downloads. Without it the page reads the same.
(() => {
  "use strict";

  const collator = new Intl.Collator("en", { numeric: true });
  const NUMBER = /^[<>]?([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?)/;

  /** The number that a cell's text begins with; null if it begins with none. */
  function number(text) {
    if (text.startsWith("∞")) return Infinity;
    const found = text.replace("−", "-").match(NUMBER);
    if (!found) return null;
    const value = Number(found[1].replaceAll(",", ""));
    // "<0.001" comes before "0.001".
    return text.startsWith("<") ? value - 1e-12 : value;
  }

  const text = (cell) => cell.textContent.trim();
  const missing = (content) => content === "–" || content === "";

  /** The rows in order of a column; cells without a value stay last in both directions. */
  function sorted(rows, column, descending) {
    const keyed = rows.map((row) => ({ row, content: text(row.cells[column]) }));
    const present = keyed.filter((item) => !missing(item.content));
    const numeric = present.every((item) => number(item.content) !== null);
    const compare = numeric
      ? (a, b) => number(a.content) - number(b.content) || 0
      : (a, b) => collator.compare(a.content, b.content);
    present.sort((a, b) => (descending ? compare(b, a) : compare(a, b)));
    return [...present, ...keyed.filter((item) => missing(item.content))].map((item) => item.row);
  }

  /** Makes the table's headers buttons: ascending, descending, as it was. */
  function makeSortable(table) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    if (original.length < 2) return;
    const headers = [...table.tHead.rows[0].cells];
    headers.forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: null }[header.getAttribute("aria-sort")];
        const direction = next === undefined ? "ascending" : next;
        headers.forEach((other) => other.removeAttribute("aria-sort"));
        if (direction) header.setAttribute("aria-sort", direction);
        body.append(...(direction ? sorted(original, column, direction === "descending") : original));
      });
    });
  }

  /** A cell for a machine: plain minus, no thousands separators, nothing for a dash. */
  function plain(content) {
    if (missing(content)) return "";
    const ascii = content.replace(/−(?=[\d.])/g, "-");
    return /^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(ascii) ? ascii.replaceAll(",", "") : ascii;
  }

  /** A text that a spreadsheet shows and does not compute: not a number that begins with a sign. */
  const noFormula = (content) =>
    /^[=+\-@\t\r]/.test(content) && !/^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(content) ? `'${content}` : content;

  const field = (content) =>
    /[",\r\n]/.test(content) ? `"${content.replaceAll('"', '""')}"` : content;

  /** A table's cells as CSV, in the order in which they stand. */
  function tableCsv(table) {
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => field(noFormula(plain(text(cell))))));
    return rows.map((row) => row.join(",") + "\n").join("");
  }

  /** A figure's CSV, as it was before it was escaped for its element. */
  const figureCsv = (element) =>
    element.textContent.replaceAll("&lt;", "<").replaceAll("&amp;", "&");

  function save(name, content) {
    const url = URL.createObjectURL(new Blob([content], { type: "text/csv;charset=utf-8" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  document.querySelectorAll("table.data").forEach(makeSortable);

  document.querySelectorAll("button.csv").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      const data = button.dataset.csv && document.getElementById(button.dataset.csv);
      const table = button.closest("table");
      save(button.dataset.file, data ? figureCsv(data) : tableCsv(table));
    });
  });

  // A link into a folded section opens it.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  // The same link again changes no address.
  document.querySelectorAll("nav.contents a").forEach((link) => {
    link.addEventListener("click", () => setTimeout(reveal));
  });
  if (location.hash) reveal();

  // What is folded away on the screen belongs on paper.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => folded.forEach((details) => (details.open = false)));
})();
