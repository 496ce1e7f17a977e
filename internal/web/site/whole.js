// Files of the site, whole or not at all. They are kept by their digests, so that what two
// versions share comes once.

const TRIES = 4, WAIT = 400;

/** What keeps the files below this address; none where the browser keeps none. */
const store = globalThis.caches?.open(`carozero ${new URL("./", location.href).pathname}`).catch(() => null);

/** What a file is kept by. @param {SiteFile} file */
export const keyOf = (file) => new URL(`kept/${file.sha256}`, location.href).href;

/** A file as it is kept, if it is. @param {SiteFile} file */
export const kept = async (file) => (await store)?.match(keyOf(file));

/** Forgets all files but these. @param {SiteFile[]} files */
export async function keepOnly(files) {
  const all = await store, keys = files.map(keyOf);
  for (const request of (await all?.keys()) || []) if (!keys.includes(request.url)) await all?.delete(request);
}

/**
 * Whether bytes are those of a file. Pages that came by plain http have no digests: there the length has to do.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {SiteFile} file
 */
async function fits(bytes, file) {
  if (bytes.length !== file.bytes || !globalThis.crypto.subtle) return bytes.length === file.bytes;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((b) => b.toString(16).padStart(2, "0")).join("") === file.sha256;
}

/** Fetches a file. @param {SiteFile} file @param {RequestCache} cache @param {(got: number) => void} heard */
async function fetched(file, cache, heard) {
  const { body, ok } = await fetch(file.path, { cache });
  if (!ok || !body) throw new Error(file.path);
  const parts = [], reader = body.getReader();
  for (let got = 0, part = await reader.read(); part.value && got <= file.bytes; part = await reader.read()) {
    parts.push(part.value);
    heard(got += part.value.length);
  }
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  if (!await fits(bytes, file)) throw new Error(file.path);
  const answer = new Response(bytes, { headers: { "Content-Type": file.type } });
  await (await store)?.put(keyOf(file), answer).catch(() => {}); // as whoever needs it kept will see
  return bytes;
}

/**
 * The bytes of a file, kept or fetched. What came cut, or is another file by its digest, is asked for again; what
 * does not come at all is an Error with its path. `heard` is told of the bytes that have come. Nobody else below
 * this address fetches the file meanwhile.
 * @param {SiteFile} file @param {(got: number) => void} [heard] @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function whole(file, heard = () => {}) {
  const come = async () => {
    const had = await kept(file);
    if (had) return new Uint8Array(await had.arrayBuffer());
    for (let n = 1; ; n++) {
      try {
        return await fetched(file, n > 1 ? "reload" : "no-cache", heard);
      } catch (e) {
        if (n === TRIES) throw e;
        await new Promise((then) => { setTimeout(then, WAIT * 2 ** n); });
      }
    }
  };
  return navigator.locks ? navigator.locks.request(keyOf(file), come) : come();
}

const FIRST = new URL("first", location.href).href;

/** Runs what brings files that the page waits for. @template T @param {() => Promise<T>} come @returns {Promise<T>} */
export const first = async (come) =>
  (navigator.locks ? navigator.locks.request(FIRST, { mode: "shared" }, come) : come());

/** Waits until no page waits for files. */
export const afterFirst = async () => navigator.locks?.request(FIRST, () => {});

/** What was packed by gzip. @param {Uint8Array<ArrayBuffer>} bytes */
export const unpacked = (bytes) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
