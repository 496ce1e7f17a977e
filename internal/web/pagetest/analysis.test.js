import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Analysis, note, opinions } from "../page/analysis.js";
import { gaugeValue } from "../page/analysepanel.js";
import { Node } from "../page/game.js";
import { newApp, opinion, settled } from "./fakes.js";

/** The view Analyse after some moves. */
async function analysing({ moves = ["h8"], ...changes } = {}) {
  const { app, socket, told, pass } = await newApp(changes);
  const analysis = new Analysis(app);
  app.view = "analyse";
  for (const move of moves) app.play(move);
  await settled();
  pass(100);
  return { app, analysis, socket, told, pass };
}

test("the position that is looked at is asked about, within the server's bounds", async () => {
  const { socket } = await analysing({ prefs: { visits: 5000, engine: "mcts" } });
  const [{ message, turns }] = socket.queries;
  assert.deepEqual([message.engine, message.maxVisits, message.moves, turns], ["mcts", 1000, ["h8"], [1]]);
  assert.equal("maxNodes" in message, false);
});

test("alpha-beta is asked for as many moves as are shown", async () => {
  const { socket } = await analysing({ prefs: { engine: "alphabeta", lines: 8, nodes: 2000 } });
  const [{ message }] = socket.queries;
  assert.deepEqual([message.engine, message.maxNodes, message.lines, message.includePolicy], ["alphabeta", 2000, 8, false]);
});

test("a time or a depth bounds the engines in place of playouts and nodes", async () => {
  const { message: timed } = (await analysing({ prefs: { engine: "each", byTime: 5 } })).socket.queries[0];
  assert.deepEqual([timed.overrideSettings, timed.maxVisits, timed.maxNodes, timed.maxDepth], [{ maxTime: 5 }, 1000, 100000, undefined]);
  const { message: deep } = (await analysing({ prefs: { engine: "each", byDepth: 6, visits: 50 } })).socket.queries[0];
  assert.deepEqual([deep.overrideSettings, deep.maxVisits, deep.maxNodes, deep.maxDepth], [undefined, 50, 100000, 6]);
  const { message: tree } = (await analysing({ prefs: { engine: "mcts", byDepth: 6, visits: 50 } })).socket.queries[0];
  assert.equal(tree.maxDepth, undefined);
});

test("nothing is asked while the user is to find a move", async () => {
  const { app, analysis, socket, pass } = await analysing({ prefs: { engine: "mcts" } });
  assert.equal(socket.open().length, 1);
  app.exercising = true;
  app.emit("prefs");
  assert.equal(socket.open().length, 0);
  app.exercising = false;
  app.emit("prefs");
  pass(100);
  assert.deepEqual([socket.open().length, Boolean(analysis.running)], [1, true]);
});

test("nothing is asked in other views, with the engine off, or after the end", async () => {
  assert.equal((await analysing({ prefs: { live: false } })).socket.queries.length, 0);
  assert.equal((await analysing({ moves: ["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9", "e1"] })).socket.queries.length, 0);
  const { app, socket, pass } = await analysing({ prefs: { engine: "mcts" } });
  app.show("play");
  pass(100);
  assert.equal(socket.open().length, 0);
});

test("a position passed quickly is not asked about", async () => {
  const { app, socket, pass } = await analysing({ prefs: { engine: "mcts" } });
  app.play("i9");
  await settled();
  pass(20);
  app.play("j10");
  await settled();
  pass(100);
  assert.deepEqual(socket.queries.map((q) => q.message.moves.length), [1, 3]);
  assert.equal(socket.open().length, 1);
});

test("what is known is shown while the search goes on, and kept for when the user comes back", async () => {
  const { app, analysis, socket, pass } = await analysing({ prefs: { engine: "mcts" } });
  socket.queries[0].answer(opinion("mcts", "i9", { winrate: 0.25, currentPlayer: "W" }), false);
  assert.equal(opinions(analysis.at().answer).mcts.moveInfos[0].move, "i9");
  assert.equal(analysis.at().done, false);
  assert.ok(analysis.running);
  assert.equal(gaugeValue(app, analysis), 0.75);
  socket.queries[0].answer(opinion("mcts", "j10"));
  assert.equal(analysis.at().done, true);
  assert.equal(analysis.running, null);
  app.seek(0);
  await settled();
  pass(100);
  app.seek(1);
  await settled();
  pass(100);
  assert.equal(socket.queries.filter((q) => q.message.moves.length === 1).length, 1);
  assert.equal(opinions(analysis.at().answer).mcts.moveInfos[0].move, "j10");
});

test("another choice of engine or of bounds asks again", async () => {
  const { app, socket, pass } = await analysing({ prefs: { engine: "mcts" } });
  socket.queries[0].answer(opinion("mcts", "i9"));
  app.set("theme", "dark");
  pass(100);
  assert.equal(socket.queries.length, 1);
  app.set("visits", 800);
  pass(100);
  assert.equal(socket.queries[1].message.maxVisits, 800);
  app.set("engine", "alphabeta");
  pass(100);
  assert.deepEqual(socket.open().at(-1).message.engine, "alphabeta");
  assert.equal(socket.open().filter((q) => q.message.maxVisits === 800).length, 0);
});

test("the last answer goes into the curve, as Black's chances", async () => {
  const { app, socket } = await analysing({ prefs: { engine: "mcts" } });
  socket.queries[0].answer(opinion("mcts", "i9", { winrate: 0.75, currentPlayer: "W" }));
  assert.deepEqual(app.game.current.values, { mcts: 0.25 });
  assert.deepEqual(app.game.current.best, { mcts: "i9" });
});

test("an engine that fails says so, and what was known stays", async () => {
  const { analysis, socket, told } = await analysing({ prefs: { engine: "mcts" } });
  socket.queries[0].answer(opinion("mcts", "i9"), false);
  socket.queries[0].answer({ noResults: true, error: "no network" });
  assert.deepEqual(told.notices, ["no network"]);
  assert.equal(opinions(analysis.at().answer).mcts.moveInfos[0].move, "i9");
  assert.equal(analysis.running, null);
});

test("a query that is refused is told, and nothing goes on", async () => {
  const { analysis, socket, told } = await analysing({ prefs: { engine: "mcts" } });
  socket.queries[0].refuse("too many queries wait");
  assert.deepEqual(told.notices, ["too many queries wait"]);
  assert.equal(analysis.running, null);
});

test("opinions are told apart by their engine, alone or beside each other", () => {
  const m = opinion("mcts", "h8"), a = opinion("alphabeta", "i9");
  assert.deepEqual(opinions(null), { mcts: null, alphabeta: null });
  assert.equal(opinions({ ...a }).alphabeta.moveInfos[0].move, "i9");
  assert.equal(opinions({ ...a }).mcts, null);
  assert.deepEqual([opinions({ ...m, alphabeta: a }).mcts.moveInfos[0].move, opinions({ ...m, alphabeta: a }).alphabeta.moveInfos[0].move], ["h8", "i9"]);
});

test("a node knows both engines' values, and whether they differ", () => {
  const node = new Node("h8", null);
  note(node, { ...opinion("mcts", "h8", { winrate: 0.75 }), alphabeta: opinion("alphabeta", "i9", { winrate: 0.25 }), verdict: { verdict: "differ" } });
  assert.deepEqual([node.values, node.best, node.differ], [{ mcts: 0.75, alphabeta: 0.25 }, { mcts: "h8", alphabeta: "i9" }, true]);
});

test("what a review said of a position stays when somebody looks at it", () => {
  const node = new Node("h8", null), say = (winrate, look) => note(node, opinion("mcts", "h8", { winrate }), look);
  for (const [winrate, look, want] of [[0.5, true, 0.5], [0.6, true, 0.6], [0.7, false, 0.7], [0.8, true, 0.7]]) {
    say(winrate, look);
    assert.equal(node.values.mcts, want);
  }
});

test("only so many positions are remembered", async () => {
  const { analysis } = await analysing();
  for (let n = 0; n < 500; n++) analysis.results.set(String(n), { answer: {}, sign: "", done: true });
  assert.equal(analysis.results.size, 400);
  assert.equal(analysis.results.has("99"), false);
  assert.equal(analysis.results.has("499"), true);
});

test("without a network only alpha-beta is asked, whatever was chosen elsewhere", async () => {
  for (const engine of ["each", "mcts"]) {
    const { socket } = await analysing({ engines: ["alphabeta"], prefs: { engine } });
    const [{ message }] = socket.queries;
    assert.deepEqual([message.engine, "maxVisits" in message, message.maxNodes], ["alphabeta", false, 20000]);
    assert.equal(socket.queries.length, 1);
  }
});

test("both engines are asked at once, by one query a position", async () => {
  const { app, socket, pass } = await analysing({ prefs: { engine: "each" } });
  assert.deepEqual(socket.queries.map((q) => q.message.engine), ["each"]);
  app.play("i9");
  await settled();
  pass(100);
  assert.deepEqual(socket.queries.map((q) => [q.message.engine, q.ended]), [["each", true], ["each", false]]);
});

test("of both engines what is known is shown as it comes: alpha-beta's opinion first", async () => {
  const { app, analysis, socket } = await analysing({ prefs: { engine: "each" } }), [q] = socket.queries;
  const known = () => { const of = opinions(analysis.at().answer); return [of.mcts, of.alphabeta].map((o) => o && o.moveInfos[0].move); };
  const early = opinion("alphabeta", "i9", { winrate: 0.25, currentPlayer: "W" });
  q.answer(early, false);
  assert.deepEqual(known(), [null, "i9"]);
  assert.equal(gaugeValue(app, analysis), 0.75);
  q.answer({ ...opinion("mcts", "j10"), alphabeta: early }, false);
  assert.deepEqual(known(), ["j10", "i9"]);
  q.answer({ ...opinion("mcts", "k11"), alphabeta: early, verdict: { verdict: "differ" } });
  assert.deepEqual(known(), ["k11", "i9"]);
  assert.deepEqual([app.game.current.differ, analysis.at().done, analysis.running], [true, true, null]);
});

test("asked anew, both engines' opinions stay until there are newer ones", async () => {
  const { app, analysis, socket, pass } = await analysing({ prefs: { engine: "each" } });
  const known = () => { const of = opinions(analysis.at().answer); return [of.mcts, of.alphabeta].map((o) => o && o.moveInfos[0].move); };
  socket.queries[0].answer({ ...opinion("mcts", "j10"), alphabeta: opinion("alphabeta", "i9") });
  app.set("visits", 800);
  pass(100);
  assert.deepEqual(known(), ["j10", "i9"]);
  socket.queries[1].answer(opinion("alphabeta", "a1"), false);
  assert.deepEqual(known(), ["j10", "a1"]);
  assert.equal(analysis.at().done, false);
  socket.queries[1].answer({ ...opinion("mcts", "b2"), alphabeta: opinion("alphabeta", "a1") }, false);
  assert.deepEqual(known(), ["b2", "a1"]);
  app.set("engine", "alphabeta");
  pass(100);
  socket.queries[2].answer(opinion("alphabeta", "c3"), false);
  assert.deepEqual(known(), [null, "c3"]);
});

const endgame = { result: "win", winner: "B", plies: 3, line: ["a2", "b2", "c2"], moves: [{ move: "a2", result: "win", plies: 3 }, { move: "j9", result: "loss", plies: 2 }] };

test("in a solved endgame the engines think without it, and it stands beside them and in the curve", async () => {
  const { AnalysePanel } = await import("../page/analysepanel.js");
  const { app, analysis, socket } = await analysing({ moves: ["h8", "i9"], prefs: { engine: "each", visits: 50 } });
  assert.equal("useEndgames" in socket.queries[0].message, false);
  const panel = new AnalysePanel(app, analysis, {});
  app.position = { ...app.position, endgame };
  app.emit("position");
  await settled();
  mock.timers.tick(100);
  const { message, answer } = socket.queries.at(-1);
  assert.equal(message.useEndgames, false);
  answer({ ...opinion("mcts", "j9", { winrate: 0.9 }), alphabeta: opinion("alphabeta", "a2", { winrate: 0.2 }), endgame });
  assert.deepEqual(app.game.current.values, { mcts: 1, alphabeta: 1 });
  assert.deepEqual(app.game.current.found.alphabeta, { line: ["a2", "b2", "c2"], proven: { result: "win", plies: 3 } });
  assert.deepEqual(app.game.current.best, { mcts: "a2", alphabeta: "a2" });
  assert.equal(gaugeValue(app, analysis), 1);
  const text = (id) => document.querySelector(`[data-testid="${id}"]`).textContent;
  assert.deepEqual([text("best-mcts"), text("truth-mcts"), text("truth-alphabeta"), panel.solved.hidden], ["j9", "L2", "W3", false]);
  assert.match(text("solved"), /^Solved: Black wins in 3\.a2b2c2$/);
  app.play("a2");
  await settled();
  assert.deepEqual([panel.solved.hidden, text("truth-mcts")], [true, ""]);
});

test("a solved draw has its best move, and is half a win", () => {
  const node = new Node("", null);
  note(node, { ...opinion("mcts", "i9", { winrate: 0.9 }), endgame: { result: "draw", winner: "none", plies: 0, moves: [{ move: "b3", result: "draw", plies: 0 }] } });
  assert.deepEqual([node.values, node.best, node.found.mcts.line], [{ mcts: 0.5 }, { mcts: "b3" }, ["b3"]]);
});
