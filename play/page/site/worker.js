// The engine in a worker, so that the page never waits for it. The first message has the program and
// the networks, each compressed and as base64; every other one a request with its number.
"use strict";

let engine = null;

async function unpacked(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Hands bytes to a function of the engine, and returns its result. */
function give(name, bytes) {
  const address = engine.allocate(bytes.length);
  new Uint8Array(engine.memory.buffer, address, bytes.length).set(bytes);
  return engine[name](address, bytes.length);
}

/** The text of a reply at an address. */
function textAt(address) {
  const reply = address >>> 0;
  const length = new DataView(engine.memory.buffer).getUint32(reply, true);
  return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, reply + 4, length));
}

async function open({ program, networks }) {
  const [code, ...weights] = await Promise.all([program, ...networks].map(unpacked));
  const { instance } = await WebAssembly.instantiate(code, {});
  engine = instance.exports;
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
      const reply = textAt(give("handle", new TextEncoder().encode(data.text)));
      self.postMessage({ number: data.number, reply });
    }
  } catch (error) {
    self.postMessage({ number: data.number, failed: String(error) });
  }
};
