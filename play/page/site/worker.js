// The program in a worker, so that the page never waits for it. The first message has the program and
// the networks, each compressed and as base64, files of the reader, and the purpose: to play, or to measure.
// Every other message is a request with its number.
"use strict";

let engine = null;
let measures = false;

async function unpacked(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const encoded = (text) => new TextEncoder().encode(text);

/** Hands bytes, in one or more parts, to a function of the engine, and returns its result. */
function give(name, ...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const address = engine.allocate(length);
  let end = address >>> 0;
  for (const part of parts) {
    new Uint8Array(engine.memory.buffer, end, part.length).set(part);
    end += part.length;
  }
  return engine[name](address, length);
}

/** The text of a reply at an address. */
function textAt(address) {
  const reply = address >>> 0;
  const length = new DataView(engine.memory.buffer).getUint32(reply, true);
  return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, reply + 4, length));
}

async function open({ program, networks, files, purpose }) {
  const [code, ...weights] = await Promise.all([program, ...networks.map((network) => network.data)].map(unpacked));
  const { instance } = await WebAssembly.instantiate(code, {});
  engine = instance.exports;
  measures = purpose === "measure";
  if (measures) {
    networks.forEach(({ path }, i) => give("hold", encoded(`${path}\0`), weights[i]));
    for (const { name, text } of files) give("hold", encoded(`${name}\0${text}`));
    return;
  }
  for (const network of weights) give("network", network);
  const refused = textAt(engine.open());
  if (refused) throw new Error(refused);
}

self.onmessage = async ({ data }) => {
  try {
    if (data.program) {
      await open(data);
      self.postMessage({ ready: true });
    } else {
      const reply = textAt(give(measures ? "measure" : "handle", encoded(data.text)));
      self.postMessage({ number: data.number, reply });
    }
  } catch (error) {
    self.postMessage({ number: data.number, failed: String(error) });
  }
};
