// Requests to the engine: in a worker of this page, or at the server that the page came from.

/** Opens the engine and returns a function that sends a request and returns a promise of its reply.
 * A rejected request is an error with the kind of the rejection. */
export async function openEngine() {
  const send = document.documentElement.dataset.server ? remote : await local();
  return async (request) => {
    const reply = JSON.parse(await send(JSON.stringify(request)));
    if (reply.error) throw Object.assign(new Error(reply.error.message), reply.error);
    return reply.ok;
  };
}

/** The server keeps what searches have found, for each page. */
const session = Math.random().toString(36).slice(2);

async function remote(text) {
  const headers = { "Content-Type": "application/json", "X-Session": session };
  const response = await fetch("engine", { method: "POST", headers, body: text });
  if (!response.ok) throw new Error(`The server answered: ${response.status} ${await response.text()}`);
  return response.text();
}

async function local() {
  const part = (id) => document.getElementById(id).textContent.trim();
  const source = new Blob([part("worker")], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source));
  const waiting = new Map();
  let number = 0;
  const ready = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (data.ready) return resolve();
      if (data.number === undefined) return reject(new Error(data.failed));
      const { resolve: done, reject: fail } = waiting.get(data.number);
      waiting.delete(data.number);
      if (data.failed) fail(new Error(`The engine has stopped: ${data.failed}`));
      else done(data.reply);
    };
    worker.onerror = (event) => reject(new Error(event.message));
  });
  const networks = [...document.querySelectorAll(".network")].map((part) => part.textContent.trim());
  worker.postMessage({ program: part("program"), networks });
  await ready;
  return (text) =>
    new Promise((resolve, reject) => {
      waiting.set(++number, { resolve, reject });
      worker.postMessage({ number, text });
    });
}
