import assert from "node:assert/strict";
import test from "node:test";
import { note } from "../page/analysis.js";
import { Game } from "../page/game.js";
import { accuracyOf, gradeOf, judge, SIGNS, sumOf, turnsOf } from "../page/grades.js";
import { config, newApp, opinion, settled } from "./fakes.js";

const { scale } = config();

/** An app with a game of three moves of which some things are known. */
async function judged() {
  const { app } = await newApp();
  for (const move of ["h8", "i9", "j10"]) app.play(move);
  await settled();
  return { app, line: app.game.line() };
}

// internal/review/review_test.go has the same rows.
test("a loss has the class and the accuracy that the server's scale gives it", () => {
  for (const [loss, grade, accuracy] of [[0, "best", 100], [0.0099, "best", 95.6465], [0.01, "good", 95.6038], [0.0499, "good", 79.8525],
    [0.05, "inaccuracy", 79.8163], [0.0999, "inaccuracy", 63.6119], [0.1, "mistake", 63.5828], [0.1999, "mistake", 40.0392], [0.2, "blunder", 40.0204], [0.9, "blunder", 0], [1, "blunder", 0]]) {
    assert.equal(gradeOf(scale, loss), grade, String(loss));
    assert.ok(Math.abs(accuracyOf(scale, loss) - accuracy) < 1e-3, `${loss}: ${accuracyOf(scale, loss)}`);
  }
  assert.deepEqual(Object.keys(SIGNS), scale.grades.slice(2).map((g) => g.class));
});

test("a move is judged by what it took from its side, and the engine's own is best", async () => {
  const { app, line: [start, black, white, last] } = await judged();
  start.values = { mcts: 0.6 };
  black.values = { mcts: 0.45 }; // Black loses 0.15
  white.values = { mcts: 0.9 }; // White loses 0.45
  last.values = { mcts: 0.95 }; // Black loses nothing
  start.best = { mcts: "a1" };
  start.found = { mcts: { line: ["a1", "b2"], proven: { result: "win", plies: 5 } } };
  const all = judge(app);
  assert.deepEqual(all.map((m) => [m.node.move, m.mover, Number(m.loss.toFixed(3)), m.grade, m.best]),
    [["h8", "B", 0.15, "mistake", "a1"], ["i9", "W", 0.45, "blunder", undefined], ["j10", "B", 0, "best", undefined]]);
  assert.deepEqual([all[0].line, all[0].proven], [["a1", "b2"], { result: "win", plies: 5 }]);
  const sum = sumOf(scale, all, "B");
  assert.deepEqual([sum.moves, sum.count("mistake"), sum.count("blunder")], [2, 1, 0]);
  assert.ok(Math.abs(sum.accuracy - (accuracyOf(scale, 0.15) + 100) / 2) < 1e-3);
  start.best = { mcts: "h8" };
  assert.deepEqual([judge(app)[0].grade, judge(app)[0].loss], ["best", 0]);
});

test("only values of one engine are compared, and what is not known is not judged", async () => {
  const { app, line: [start, black, white] } = await judged();
  assert.deepEqual(judge(app), []);
  assert.equal(sumOf(scale, [], "W").moves, 0);
  start.values = { mcts: 0.9 };
  black.values = { alphabeta: 0.1 };
  white.values = { alphabeta: 0.8 };
  assert.deepEqual(judge(app).map((m) => m.node.move), ["i9"]);
});

test("what is proven counts before the win rate, and its line is kept with the game", async () => {
  const { app, line: [start, black] } = await judged(), proven = { result: "win", plies: 3, line: ["i9", "a1", "b2"] };
  const lost = opinion("mcts", "i9", { winrate: 0.7, currentPlayer: "W" });
  note(start, opinion("mcts", "h8", { winrate: 0.5, pv: ["h8", "c3"] }));
  note(black, { ...lost, rootInfo: { ...lost.rootInfo, proven } });
  assert.deepEqual(black.values, { mcts: 0 });
  const again = Game.from(JSON.parse(JSON.stringify(app.game.toJSON())));
  for (const game of [app.game, again]) {
    assert.deepEqual(turnsOf(game).map((t) => [t.turnNumber, t.value, t.best, t.line, t.proven]),
      [[0, 0.5, "h8", ["h8", "c3"], undefined], [1, 0, "i9", ["i9", "a1", "b2"], { result: "win", plies: 3 }]]);
  }
});
