import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, test } from "node:test";
import { Engines } from "../site/engines.js";
import { openPage, ownTime, settled } from "./fakes.js";
import { exportGame, getJSON, importGames, sendBy } from "../page/http.js";
import { Socket } from "../page/socket.js";

let workers, notices, states, engines, socket, pass;

class FakeWorker {
  sent = [];
  ended = false;
  constructor() { workers.push(this); }
  postMessage(message) { this.sent.push(message); }
  terminate() { this.ended = true; }
  says(data) { this.onmessage({ data }); }
  answers(message) { this.says({ line: JSON.stringify(message) }); }
  get lines() { return this.sent.filter((m) => m.line).map((m) => JSON.parse(m.line)); }
}

beforeEach(async () => {
  openPage();
  pass = ownTime();
  [workers, notices, states] = [[], [], []];
  globalThis.Worker = FakeWorker;
  const network = async (name) => { if (name === "bad.line") throw new Error("cut"); return new Uint8Array([1]); };
  engines = new Engines({ version: "1" }, { program: async () => ({ script: "blob:x", module: "module" }), network, ready() {} });
  sendBy((path, options) => engines.ask(path, options));
  socket = new Socket(() => engines.dial(), { state: (state) => states.push(state), notice: (text) => notices.push(text) });
  await settled();
});

test("the tree search has a worker of its own, which starts when it is first asked", async () => {
  const [classical] = workers;
  assert.deepEqual(classical.sent, [{ module: "module" }]);
  socket.ask({ action: "query_position" });
  assert.deepEqual(classical.lines, [], "nothing is asked before the program is there");
  classical.says({ ready: true });
  assert.deepEqual(states, ["open"]);
  for (const engine of ["mcts", "each", "alphabeta"]) socket.query({ engine }, [0], assert.fail, assert.fail);
  socket.query({ level: "easy" }, [0], assert.fail, assert.fail);
  assert.equal(workers.length, 2);
  assert.deepEqual(classical.lines.map((m) => m.action || m.level || m.engine), ["query_position", "alphabeta", "easy"]);
  assert.deepEqual(workers[1].lines.map((m) => m.engine), ["mcts", "each"]);
});

test("a query that is ended is ended in whichever worker has it", () => {
  workers[0].says({ ready: true });
  socket.query({ engine: "mcts" }, [0], assert.fail, assert.fail).drop();
  for (const worker of workers) assert.equal(worker.lines.at(-1).action, "terminate");
});

test("a network that a worker needs is brought, or why it does not come", async () => {
  workers[0].says({ need: "good.line" });
  workers[0].says({ need: "bad.line" });
  await settled();
  assert.deepEqual(workers[0].sent.slice(1), [{ network: "good.line", bytes: new Uint8Array([1]) }, { network: "bad.line", error: "cut" }]);
});

test("requests wait for the program, and are answered as a server would", async () => {
  assert.deepEqual(await getJSON("api/config"), { version: "1" });
  const games = importGames("(;)", { game: "gomoku", rules: "caro", size: 15 }), bad = exportGame({ format: "x" });
  await settled();
  assert.equal(workers[0].sent.length, 1);
  workers[0].says({ ready: true });
  const [one, two] = workers[0].sent.slice(1).map((m) => m.request);
  assert.deepEqual([one.method, one.path, one.type, new TextDecoder().decode(one.body)],
    ["POST", "api/import?game=gomoku&rules=caro&size=15", "application/octet-stream", "(;)"]);
  workers[0].says({ id: two.id, answer: { status: 400, type: "application/json", body: '{"error":"bad format","code":"invalid"}' } });
  workers[0].says({ id: one.id, answer: { status: 200, type: "application/json", body: new TextEncoder().encode('{"games":[{}]}'), headers: {} } });
  await assert.rejects(bad, (e) => e.message === "bad format" && e.code === "invalid");
  assert.deepEqual(await games, [{}]);
});

test("a worker that ends is told of, and all are started again and asked again what had no answer", async () => {
  workers[0].says({ ready: true });
  const position = socket.ask({ action: "query_position", moves: [] }), save = exportGame({});
  socket.query({ engine: "mcts" }, [0], assert.fail, assert.fail);
  await settled();
  const failed = assert.rejects(save, /out of memory/), old = [...workers];
  old[1].says({ ended: "fatal error: out of memory" });
  old[0].says({ ended: "late" });
  await failed;
  assert.ok(old.every((worker) => worker.ended));
  assert.deepEqual(notices, ["The engine has ended and starts again: fatal error: out of memory"]);
  pass(1000);
  await settled();
  assert.equal(workers.length, 3);
  workers[2].says({ ready: true });
  assert.deepEqual(states, ["open", "lost", "open"]);
  const [again] = workers[2].lines;
  workers[2].answers({ id: again.id, action: "query_position", position: { hash: "x" } });
  assert.equal((await position).position.hash, "x");
  assert.deepEqual(workers[3].lines.map((m) => m.engine), ["mcts"]);
});

test("a program that does not come is told of and asked for again", async () => {
  let tries = 0;
  engines = new Engines({}, { program: async () => { tries++; throw new Error("board did not arrive whole."); }, network: assert.fail, ready() {} });
  socket = new Socket(() => engines.dial(), { state: (state) => states.push(state), notice: (text) => notices.push(text) });
  await settled();
  assert.deepEqual(notices, ["board did not arrive whole."]);
  pass(1000);
  await settled();
  assert.equal(tries, 2);
});

test("a file that came cut, or is another, is asked for again; a kept one is not", async () => {
  const store = new Map(), bytes = new TextEncoder().encode("the file"), sha256 = createHash("sha256").update(bytes).digest("hex");
  globalThis.navigator ||= {}; // of Node.js 20
  globalThis.caches = { open: async () => ({ match: async (key) => store.get(key), put: async (key, r) => { store.set(key, r); } }) };
  const { whole } = await import("../site/whole.js"), file = { path: "assets/file.bin", type: "a/b", bytes: 8, sha256 }, asked = [], heard = [];
  const come = ["the ", "the life", "the file, and more", bytes];
  globalThis.fetch = async (path, { cache }) => { asked.push(cache); return new Response(come.shift()); };
  assert.deepEqual(await inTime(whole(file, (n) => heard.push(n))), bytes);
  assert.deepEqual(asked, ["no-cache", "reload", "reload", "reload"]);
  assert.equal(heard.at(-1), 8);
  assert.equal([...store.values()][0].headers.get("Content-Type"), "a/b");
  await whole(file);
  assert.equal(asked.length, 4);
  globalThis.fetch = async () => new Response("no", { status: 404 });
  await assert.rejects(inTime(whole({ ...file, sha256: "0" })), /assets\/file.bin/);
});

/** Lets time pass until a promise is kept or broken. */
async function inTime(promise) {
  const state = { over: false }, end = () => { state.over = true; };
  promise.then(end, end);
  while (!state.over) { await settled(); pass(1000); }
  return promise;
}
