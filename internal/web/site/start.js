// The page's beginning without a server: brings the program, and has the browser keep the site.

import { number, t } from "../page/i18n.js";
import { begin } from "../page/main.js";
import { Engines } from "./engines.js";
import { first, unpacked, whole } from "./whole.js";

const { config, script, wasm, networks } = site;
/** @type {Told} */ let told;
/** @type {Map<SiteFile, number>} */ const coming = new Map(); // bytes that have come, of what is still to come

const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const megabytes = (/** @type {number} */ n) => number(n / 1e6, ONE_DIGIT);

/** Files, unpacked; says how much of them has come. @param {SiteFile[]} files */
async function bring(...files) {
  for (const file of files) coming.set(file, 0);
  const tell = () => {
    let got = 0, all = 0;
    for (const [file, n] of coming) { got += n; all += file.bytes; }
    if (all) told.away(t("engineComes", { got: megabytes(got), all: megabytes(all) }));
    else if (engines.readyState === 1) told.away("");
  };
  const one = async (/** @type {SiteFile} */ file) => {
    try {
      return unpacked(await whole(file, (got) => { coming.set(file, got); tell(); }));
    } catch (e) {
      throw new Error(t("notCome", { file: e.message }), { cause: e });
    } finally {
      if (coming.delete(file)) tell();
    }
  };
  return first(() => Promise.all(files.map(one)));
}

/** @typedef {import("./engines.js").Program} Program */

/** @type {Promise<Program> | null} */ let program = null; // once it is asked for
let keeping = 0; // the timer, once the engine is there
const engines = new Engines(config, {
  program() {
    const come = async () => {
      await null; // until told is there
      if (typeof WebAssembly !== "object") {
        told.away(t("noWebAssembly"));
        return new Promise(() => {}); // never
      }
      const [code, module] = await bring(script, wasm);
      const source = new Blob([await code.arrayBuffer()], { type: "text/javascript" });
      const compiled = await WebAssembly.compile(await module.arrayBuffer());
      return { script: URL.createObjectURL(source), module: compiled };
    };
    program ||= come().catch((e) => { program = null; throw e; });
    return program;
  },
  async network(name) {
    const [bytes] = await bring(networks[name]);
    return new Uint8Array(await bytes.arrayBuffer());
  },
  ready() { keeping ||= setTimeout(keep, PAUSE); },
});

const PAUSE = 2000; // in which the line is free for what the user asks first

/** Has the browser keep the site, and offers its next version when that is there as a whole. */
async function keep() {
  const { serviceWorker } = navigator, controlled = Boolean(serviceWorker?.controller);
  try {
    const kept = await serviceWorker.register("sw.js");
    const look = () => {
      const { active, waiting, installing } = kept;
      if (controlled && waiting) told.outdated(() => waiting.postMessage("replace"));
      if (!active && !waiting && !installing) told.notice(t("notOffline"));
      if (installing) installing.onstatechange = look;
    };
    kept.onupdatefound = look;
    look();
    if (controlled) serviceWorker.oncontrollerchange = () => location.reload();
  } catch { told.notice(t("notOffline")); }
}

begin({
  ask: (path, options) => engines.ask(path, options), dial: () => engines.dial(), watch(shown) { told = shown; },
});
