import assert from "node:assert/strict";
import test from "node:test";
import { Exercise } from "../page/exercise.js";
import { newApp, opinion, settled } from "./fakes.js";

/** An exercise over a game with two mistakes of Black's. */
async function exercising() {
  const { app, socket, told } = await newApp({ prefs: { sweepVisits: 10 } });
  app.view = "analyse";
  for (const move of ["h8", "i9", "j10", "k11"]) app.play(move);
  await settled();
  [[0.6, "h9"], [0.3, "i9"], [0.3, "j9"], [0.05, "k11"], [0.05, ""]].forEach(([value, best], turn) => Object.assign(app.game.line()[turn], { values: { mcts: value }, best: { mcts: best }, found: { mcts: { line: [best, "a1"] } } }));
  const exercise = new Exercise(app), text = () => document.querySelector(".told").textContent;
  exercise.start();
  await settled();
  return { app, socket, told, exercise, text };
}

test("each mistake is a task, before which the game stands, and what engines think is covered", async () => {
  const { app, exercise, text } = await exercising();
  assert.equal(text(), "1 of 2: Black played h8?? and gave away 30%. What is better?");
  assert.deepEqual([app.game.current.turn, app.engineHidden, document.querySelector(".exercise").hidden], [0, true, false]);
  exercise.go(1);
  assert.deepEqual([app.game.current.turn, text()], [2, "2 of 2: Black played j10?? and gave away 25%. What is better?"]);
});

test("an exercise at the position that is shown covers it too", async () => {
  const { app, exercise } = await exercising(), heard = [];
  exercise.end();
  app.on((what) => heard.push([what, app.engineHidden]));
  exercise.start();
  assert.deepEqual([app.game.current.turn, heard], [0, [["prefs", true]]]);
});

test("the engine's move solves a task at once, and its line can be stepped through", async () => {
  const { app, socket, exercise, text } = await exercising();
  assert.equal(exercise.tries("h9"), true);
  assert.equal(text(), "h9 is the engine's move too.");
  assert.deepEqual([app.preview.moves, app.preview.pinned, socket.queries.length], [["h9", "a1"], true, 0]);
});

test("another move is judged by the engine, and may be tried again", async () => {
  const { socket, exercise, text } = await exercising();
  exercise.tries("a1");
  const [{ message, turns }] = socket.queries;
  assert.deepEqual([message.moves, message.engine, message.maxVisits, turns], [["a1"], "mcts", 10, [1]]);
  assert.equal(text(), "a1: the engine looks at it…");
  exercise.tries("b1"); // while the engine looks
  assert.equal(socket.queries.length, 1);
  socket.queries[0].answer(opinion("mcts", "x1", { winrate: 0.6, currentPlayer: "W" }));
  assert.equal(text(), "a1 gives away 20%. Try another move.");
  exercise.tries("b2");
  socket.queries[1].answer(opinion("mcts", "x1", { winrate: 0.42, currentPlayer: "W" }));
  assert.equal(text(), "b2 is good.");
});

test("the answer can be shown, and after the last task the exercise ends", async () => {
  const { app, told, exercise, text } = await exercising();
  exercise.show();
  assert.equal(text(), "h9 was better.");
  exercise.go(1);
  exercise.go(2);
  assert.deepEqual([app.engineHidden, exercise.task, document.body.hasAttribute("data-covered"), told.notices.at(-1)], [false, null, false, "That was the last one."]);
  assert.equal(exercise.tries("h9"), false);
});

test("leaving the position or the view ends it, and what was asked", async () => {
  for (const leave of [(app) => app.seek(3), (app) => app.show("play")]) {
    const { app, socket, exercise } = await exercising();
    exercise.tries("a1");
    leave(app);
    assert.deepEqual([exercise.task, app.engineHidden, socket.open().length], [null, false, 0]);
  }
});

test("a game without known mistakes has none, and says so", async () => {
  const { app, told } = await newApp(), exercise = new Exercise(app);
  exercise.start();
  assert.match(told.notices[0], /^No mistakes/);
  assert.equal(app.engineHidden, false);
});

test("a move that wins at once, and one of which the engine says nothing", async () => {
  const { socket, exercise, text } = await exercising();
  exercise.tries("a1");
  socket.queries[0].answer({ noResults: true, error: "it is busy" });
  assert.equal(text(), "it is busy");
  exercise.tries("a2");
  socket.queries[1].answer({ noResults: true, outcome: { winner: "B", reason: "line" } });
  assert.equal(text(), "a2 is good.");
});
