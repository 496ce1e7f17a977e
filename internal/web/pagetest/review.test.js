import assert from "node:assert/strict";
import test from "node:test";
import { gameOf, Review } from "../page/review.js";
import { newApp, settled } from "./fakes.js";

const caro = { game: "gomoku", rules: "caro", size: 15 };

test("what a search saw stands at its turn, as Black's chances", () => {
  const game = gameOf({ ...caro, moves: ["h8", "i9"], turns: [{ turnNumber: 0, rootQ: 0.5, visits: [["a1", 3], ["h8", 7]] }, { turnNumber: 1, rootQ: 0.5 }] });
  const [start, first, second] = game.line();
  assert.deepEqual([start.values, first.values, second.values], [{ mcts: 0.75 }, { mcts: 0.25 }, {}]);
  assert.deepEqual(start.best, { mcts: "h8" });
  assert.equal(first.notes.turnNumber, 1);
  assert.equal(second.notes, null);
});

test("values of a game are Black's already, and null where nothing is known", () => {
  const [a, b, c] = gameOf({ ...caro, moves: ["h8", "i9"], values: [0.5, null, 0.9] }).line();
  assert.deepEqual([a.values, b.values, c.values], [{ mcts: 0.5 }, {}, { mcts: 0.9 }]);
});

test("turns of a game from a position count from that position", () => {
  const game = gameOf({ ...caro, initialPosition: "h8i9", moves: ["j10"], turns: [{ turnNumber: 0, rootQ: 0 }] });
  assert.equal(game.line()[2].notes.turnNumber, 0);
});

test("rows of a cross-check have both engines' values, and where they differ", () => {
  const [node] = gameOf({ ...caro, moves: [], turns: [{ turnNumber: 0, mcts: { move: "a1", value: 1 }, alphabeta: { move: "b1", value: -1 }, verdict: { verdict: "differ" } }] }).line();
  assert.deepEqual([node.values, node.differ], [{ mcts: 1, alphabeta: 0 }, true]);
});

const files = [{ id: 0, path: "runs/one", kind: "shard", games: 120 }, { id: 1, path: "games.sgf", kind: "sgf", games: 2 }];
const totals = { 0: 120, 1: 2 };

/** The view Review of two files; what was asked for is in `asked`. */
async function reviewing(changes = {}) {
  const all = await newApp({ review: files, ...changes }), asked = [];
  globalThis.fetch = async (path) => {
    asked.push(path);
    const m = /^api\/review\/(\d+)(?:\/(\d+))?(?:\?from=(\d+)&count=(\d+))?$/.exec(path), total = m && totals[m[1]];
    if (!total) return Response.json({ error: "there is no such file" }, { status: 404 });
    if (m[2]) return Response.json({ ...caro, moves: ["h8", "i9"], title: `${m[1]}/${m[2]}`, turns: [{ turnNumber: 1, played: "i9", rootQ: 0.5, visits: [["i9", 3], ["a1", 1]] }] });
    const games = Array.from({ length: Math.min(Number(m[4]), total - Number(m[3])) }, (_, i) => ({ n: Number(m[3]) + i, rules: "caro", size: 15, plies: 2 }));
    return Response.json({ total, games });
  };
  const review = new Review(all.app);
  const find = (name) => document.querySelector(`[aria-label="${name}"]`);
  const list = () => [...document.querySelectorAll('[data-testid="review-games"] button')];
  const shown = async (call) => { call(); for (let i = 0; i < 5; i++) await settled(); };
  await shown(() => all.app.show("review"));
  return { ...all, review, asked, list, shown, press: (name) => shown(() => find(name).click()), choose: (n) => shown(() => {
    review.file.value = String(n);
    review.file.dispatchEvent(new window.Event("change"));
  }) };
}

test("the games of a file are listed page by page", async () => {
  const { asked, list, review, press } = await reviewing();
  assert.equal(list().length, 50);
  assert.equal(review.range.textContent, "1–50 of 120");
  await press("Later games");
  await press("Later games");
  assert.equal(review.range.textContent, "101–120 of 120");
  await press("Later games");
  assert.equal(asked.length, 3);
  assert.equal(list()[0].querySelector("b").textContent, "101");
});

test("a game that is chosen is shown where the file has something to say", async () => {
  const { app, list, shown } = await reviewing();
  await shown(() => list()[3].click());
  assert.deepEqual([app.game.title, app.game.current.turn, app.origin], ["0/3", 1, { file: 0, n: 3 }]);
  assert.equal(list()[3].getAttribute("aria-current"), "true");
  const notes = document.querySelector('[data-testid="review-notes"]').textContent;
  assert.match(notes, /Played.*i9/);
  assert.match(notes, /75\.0%/);
});

test("next and previous go on over the ends of a page, and stop at the ends of the file", async () => {
  const { app, list, shown, press, review } = await reviewing();
  await shown(() => list()[49].click());
  await press("Next game");
  assert.equal(app.game.title, "0/50");
  assert.equal(review.range.textContent, "51–100 of 120");
  await press("Previous game");
  assert.equal(app.game.title, "0/49");
  await shown(() => review.show(0));
  await press("Previous game");
  assert.equal(app.game.title, "0/0");
});

test("while a game is played none is opened", async () => {
  const { app, list, shown, told } = await reviewing();
  app.locked = () => true;
  await shown(() => list()[0].click());
  assert.equal(app.origin, null);
  assert.equal(told.notices.length, 1);
});

test("without files the page says how to name some", async () => {
  await reviewing({ review: [] });
  assert.match(document.getElementById("view-review").textContent, /carozero serve runs\/one/);
});

test("in another file, next and previous begin with that file, not where the game of the other one stood", async () => {
  const { app, list, shown, press, choose } = await reviewing();
  await shown(() => list()[7].click());
  await choose(1);
  await press("Next game");
  assert.equal(app.game.title, "1/0");
  await press("Next game");
  assert.equal(app.game.title, "1/1");
});

test("a game of a file that the server does not have any more is no hindrance", async () => {
  const { review, asked, told, app, shown, list } = await reviewing({ review: [files[1]] });
  app.show("play");
  review.games = [];
  app.origin = { file: 0, n: 60 };
  await shown(() => app.show("review"));
  assert.deepEqual(told.notices, []);
  assert.ok(asked.every((path) => path.startsWith("api/review/1?from=0")), String(asked));
  assert.equal(list().length, 2);
});

test("of two games that were chosen quickly the second is shown, whichever comes first", async () => {
  const { app, review, shown } = await reviewing(), answer = globalThis.fetch, late = [];
  globalThis.fetch = (path) => new Promise((resolve) => { late.push(() => resolve(answer(path))); });
  const first = review.show(3), second = review.show(4);
  late[1]();
  await second;
  late[0]();
  await first;
  await shown(() => {});
  assert.equal(app.game.title, "0/4");
});

test("of a file that cannot be read no games are listed, least of all those of another", async () => {
  const { choose, list, told, review } = await reviewing(), answer = globalThis.fetch;
  globalThis.fetch = (path) => (path.startsWith("api/review/1") ? Promise.resolve(Response.json({ error: "it is gone" }, { status: 400 })) : answer(path));
  await choose(1);
  assert.deepEqual([list().length, review.range.textContent, told.notices], [0, "none", ["it is gone"]]);
  await choose(0);
  assert.equal(list().length, 50);
});

test("a part of the list that does not come leaves the one that is shown, and is the next to be asked for", async () => {
  const { list, press, review } = await reviewing(), answer = globalThis.fetch;
  let busy = true;
  globalThis.fetch = (path) => (busy ? Promise.resolve(Response.json({ error: "busy" }, { status: 429 })) : answer(path));
  await press("Later games");
  assert.equal(list().length, 50);
  busy = false;
  await press("Later games");
  assert.equal(review.range.textContent, "51–100 of 120");
});

test("of a file that has become shorter the list begins again", async () => {
  const { press, review, list } = await reviewing();
  globalThis.fetch = async (path) => Response.json({ total: 1, games: path.includes("from=0&") ? [{ n: 0, rules: "caro", size: 15, plies: 2 }] : [] });
  await press("Later games");
  assert.deepEqual([review.range.textContent, list().length], ["1–1 of 1", 1]);
});

test("when another game stands there than the list says, the list is asked for again", async () => {
  const { list, shown, asked, told, app } = await reviewing(), answer = globalThis.fetch;
  globalThis.fetch = (path) => (path === "api/review/0/3" ? Promise.resolve(Response.json({ error: "it has changed", code: "changed" }, { status: 409 })) : answer(path));
  await shown(() => list()[3].click());
  assert.deepEqual([asked.length, asked[1], app.origin, told.notices], [2, asked[0], null, ["it has changed"]]);
});

test("without files Review leads to the review of the game on the board", async () => {
  const { app } = await newApp({ prefs: { sweep: false, live: false } }), review = new Review(app);
  app.show("review");
  assert.equal(review.own.disabled, true);
  app.play("h8");
  assert.equal(review.own.disabled, false);
  review.own.click();
  assert.deepEqual([app.view, app.prefs.sweep, app.prefs.live], ["analyse", true, true]);
});
