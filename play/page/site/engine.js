// Requests to the engine: in a worker of this page, or at the server that the page came from.

/** Whether the page has the program in it, so that it can start workers. */
export const hasProgram = () => !document.documentElement.dataset.server;

/** The result of a reply. A rejected request is an error with the kind of the rejection. */
export function result(text) {
  const reply = JSON.parse(text);
  if (reply.error) throw Object.assign(new Error(reply.error.message), reply.error);
  return reply.ok;
}

/** Opens the engine and returns a function that sends a request and returns a promise of its result. */
export async function openEngine() {
  const send = hasProgram() ? (await startWorker("play")).send : remote;
  return async (request) => result(await send(JSON.stringify(request)));
}

/** The server keeps what searches have found, for each page. */
const session = Math.random().toString(36).slice(2);

async function remote(text) {
  const headers = { "Content-Type": "application/json", "X-Session": session };
  const response = await fetch("engine", { method: "POST", headers, body: text });
  if (!response.ok) throw new Error(`The server answered: ${response.status} ${await response.text()}`);
  return response.text();
}

const part = (id) => document.getElementById(id).textContent.trim();

/**
 * Starts a worker with the program, to "play" or to "measure", with files of the reader. Returns `send`, which takes the text of a
 * request and returns a promise of its reply, and `end`, which ends the worker at once.
 */
export async function startWorker(purpose, files = []) {
  const source = URL.createObjectURL(new Blob([part("worker")], { type: "text/javascript" }));
  const worker = new Worker(source);
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
  const networks = [...document.querySelectorAll(".network")].map((network) => ({ path: network.dataset.path, data: network.textContent.trim() }));
  worker.postMessage({ program: part("program"), networks, files, purpose });
  await ready;
  URL.revokeObjectURL(source);
  const send = (text) =>
    new Promise((resolve, reject) => {
      waiting.set(++number, { resolve, reject });
      worker.postMessage({ number, text });
    });
  return { send, end: () => worker.terminate() };
}
