// The engine in a worker, so that the page never waits for it. The first message has the program and
// the network, each compressed and as base64; every other one a request with its number.
"use strict";

let engine = null;

async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Calls a function of the engine with bytes, and returns the text of its reply. */
function call(name, bytes) {
  const address = engine.allocate(bytes.length);
  new Uint8Array(engine.memory.buffer, address, bytes.length).set(bytes);
  const reply = engine[name](address, bytes.length) >>> 0;
  const length = new DataView(engine.memory.buffer).getUint32(reply, true);
  return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, reply + 4, length));
}

async function open({ program, network }) {
  const [code, weights] = await Promise.all([unpacked(program), unpacked(network)]);
  const { instance } = await WebAssembly.instantiate(code, {});
  engine = instance.exports;
  const refused = call("open", weights);
  if (refused) throw new Error(refused);
}

self.onmessage = async ({ data }) => {
  try {
    if (data.program) {
      await open(data);
      self.postMessage({ ready: true });
    } else {
      const reply = call("handle", new TextEncoder().encode(data.text));
      self.postMessage({ number: data.number, reply });
    }
  } catch (error) {
    self.postMessage({ number: data.number, failed: String(error) });
  }
};
