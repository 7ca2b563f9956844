// Runs before the page's own scripts: gathers errors, and files instead of saving them.
window.watched = { errors: [], files: [], width: 0 };
addEventListener("error", (event) => window.watched.errors.push(event.message));
addEventListener("unhandledrejection", (event) => window.watched.errors.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) =>
  window.watched.errors.push(`${event.violatedDirective} forbids ${event.blockedURI}`),
);
console.error = console.warn = (...args) => window.watched.errors.push(args.join(" "));
// Reading a Blob takes time that does not pass in the test.
window.Blob = class extends Blob {
  constructor(parts, options) {
    super(parts, options);
    this.text = parts.join("");
  }
};
URL.createObjectURL = (blob) => {
  window.watched.files.push({ text: blob.text });
  return "#";
};
HTMLAnchorElement.prototype.click = function () {
  window.watched.files.at(-1).name = this.download;
};
