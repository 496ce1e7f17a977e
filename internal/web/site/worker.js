// An engine: the program in a worker of the page. It gets the program first, as a compiled
// module, then lines and requests for it; networks come when it asks for them.

/** @typedef {{id: number, method: string, path: string, type: string, body: Uint8Array}} Asked */
/** @typedef {(method: string, path: string, type: string, body: Uint8Array) => Promise<object>} Request */
/** @typedef {{line: (text: string) => void, onLine: (text: string) => void, request: Request}} Program */

const all = /** @type {typeof globalThis & {carozero: Program, [name: string]: any}} */ (globalThis);
/** @typedef {{resolve: (bytes: Uint8Array) => void, reject: (error: Error) => void}} Needed */

/** @type {Map<string, Needed>} */ const needed = new Map(); // networks that have not come
/** @type {string[]} */ const said = []; // what the program has printed: at the end, why it ends

all.needNetwork = (/** @type {string} */ need) => new Promise((resolve, reject) => {
  needed.set(need, { resolve, reject });
  postMessage({ need });
});
console.log = (text) => { said.push(...String(text).split("\n")); };

const ready = new Promise((then) => {
  all.carozeroReady = () => {
    all.carozero.onLine = (line) => postMessage({ line });
    postMessage({ ready: true });
    then(null);
  };
});

/** Runs the program until it ends, which it does only by a fault. @param {WebAssembly.Module} module */
async function run(module) {
  const go = new all.Go();
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  postMessage({ ended: said.find((line) => /^(panic|fatal error):/.test(line)) || said.at(-1) || "" });
}

/** Answers a request. @param {Asked} asked */
async function answer({ id, method, path, type, body }) {
  postMessage({ id, answer: await all.carozero.request(method, path, type, body) });
}

onmessage = async ({ data }) => {
  if (data.module) { run(data.module).catch((e) => postMessage({ ended: String(e) })); return; }
  if (data.network) {
    const waiting = needed.get(data.network);
    if (data.bytes) waiting?.resolve(data.bytes);
    else waiting?.reject(new Error(data.error));
    return;
  }
  await ready;
  if (data.line) all.carozero.line(data.line);
  else answer(data.request);
};
