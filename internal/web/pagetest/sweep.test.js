import assert from "node:assert/strict";
import test from "node:test";
import { Sweep } from "../page/sweep.js";
import { newApp, opinion, settled } from "./fakes.js";

/** The view Analyse with a game of some moves, swept. */
async function sweeping({ moves = ["h8", "i9", "j10"], ...changes } = {}) {
  const { app, socket, pass } = await newApp(changes);
  const sweep = new Sweep(app);
  app.view = "analyse";
  for (const move of moves) app.play(move);
  await settled();
  pass(1000);
  const answer = (turn, more, last) => socket.queries.at(-1).answer({ isDuringSearch: false, ...more, turnNumber: turn }, last);
  return { app, socket, sweep, pass, answer };
}

test("every turn of the game is asked about, behind what the user looks at", async () => {
  const { socket } = await sweeping({ prefs: { engine: "each", sweepVisits: 10 } });
  const [{ message, turns }] = socket.queries;
  assert.deepEqual(turns, [0, 1, 2, 3]);
  assert.deepEqual([message.moves, message.engine, message.maxVisits, message.maxNodes], [["h8", "i9", "j10"], "each", 10, 500]);
  assert.ok(message.priority < 0);
});

test("a long game is asked about in parts, and nothing twice", async () => {
  const moves = Array.from({ length: 30 }, (_, i) => `${"abcdefghijklmno"[i % 15]}${5 + Math.floor(i / 15)}`);
  const { socket, sweep, pass } = await sweeping({ moves, prefs: { engine: "mcts" } });
  const [first] = socket.queries;
  for (const [i, turn] of first.turns.entries()) {
    first.answer({ ...opinion("mcts", "a1"), turnNumber: turn, isDuringSearch: false }, i === first.turns.length - 1);
  }
  assert.deepEqual(sweep.progress(), { known: 24, all: 31 });
  pass(1000);
  assert.deepEqual(socket.queries[1].turns, [24, 25, 26, 27, 28, 29, 30]);
});

test("nothing is swept in other views, with the switch off, or on an empty board", async () => {
  assert.equal((await sweeping({ prefs: { sweep: false } })).socket.queries.length, 0);
  assert.equal((await sweeping({ moves: [] })).socket.queries.length, 0);
  const { app, socket, pass } = await sweeping();
  app.show("play");
  pass(1000);
  assert.equal(socket.open().length, 0);
});

test("a turn that is over has the value of its end, one that failed is not asked about again", async () => {
  const { app, sweep, pass, answer, socket } = await sweeping({ prefs: { engine: "mcts" } });
  answer(3, { noResults: true, outcome: { winner: "W", reason: "line" } }, false);
  answer(0, { noResults: true, error: "x" }, false);
  answer(1, { ...opinion("mcts", "a1") }, false);
  answer(2, { ...opinion("mcts", "a1") }, true);
  assert.deepEqual(app.game.line()[3].values, { mcts: 0, alphabeta: 0 });
  assert.deepEqual(sweep.progress(), { known: 4, all: 4 });
  pass(1000);
  assert.equal(socket.queries.length, 1);
});

test("another game ends the sweep of the one before", async () => {
  const { app, socket } = await sweeping(), { Game } = await import("../page/game.js");
  app.load(new Game({ game: "gomoku", rules: "caro", size: 15 }));
  assert.equal(socket.open().length, 0);
});

test("without a network the curve is alpha-beta's", async () => {
  const { socket, sweep, answer } = await sweeping({ engines: ["alphabeta"], prefs: { engine: "each" } });
  assert.equal(socket.queries[0].message.engine, "alphabeta");
  assert.equal("maxVisits" in socket.queries[0].message, false);
  for (const turn of [0, 1, 2, 3]) answer(turn, opinion("alphabeta", "a1"), turn === 3);
  assert.deepEqual(sweep.progress(), { known: 4, all: 4 });
});
