import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../page/game.js";
import { Play } from "../page/play.js";
import { newApp, opinion, settled } from "./fakes.js";

const caro = { game: "gomoku", rules: "caro", size: 15 };
const line = (app) => app.game.line().slice(1).map((n) => n.move);

/** A page with the view Play, whose positions are known. */
async function newPlay(changes) {
  const { app, socket, told, pass } = await newApp(changes);
  const play = new Play(app);
  app.parts = { play };
  app.moved("game");
  await settled();
  /** The user moves, where the page lets them. */
  const moves = async (...list) => {
    for (const move of list) {
      assert.ok(play.input(), `the user may not play ${move}`);
      play.move(move);
      await settled();
    }
  };
  /** The engine answers what it was asked last. */
  const engine = async (move, more) => {
    const q = socket.open().at(-1);
    assert.ok(q, `nobody asks for ${move}`);
    q.ended = false;
    q.answer(opinion("alphabeta", move, more));
    q.ended = true;
    await settled();
  };
  return { app, play, socket, told, pass, moves, engine };
}

/** A game that the user has begun: Black is the user's unless `choices` says otherwise. */
async function begun(choices = {}, changes) {
  const all = await newPlay(changes);
  const start = all.play.start({ variant: caro, engines: { B: false, W: true }, strength: { level: "easy" }, opening: "empty", ...choices });
  await settled();
  return { ...all, start };
}

test("user and engine move in turn, and the user not while the engine thinks", async () => {
  const { app, play, socket, moves, engine } = await begun();
  assert.equal(play.input(), "B");
  assert.equal(socket.queries.length, 0);
  await moves("h8");
  assert.equal(play.thinking, true);
  assert.equal(play.input(), null);
  const { message, turns } = socket.queries[0];
  assert.deepEqual([message.level, message.moves, turns], ["easy", ["h8"], [1]]);
  await engine("i9");
  assert.deepEqual(line(app), ["h8", "i9"]);
  assert.equal(play.input(), "B");
  assert.equal(socket.open().length, 0);
});

test("the engine begins where it has Black", async () => {
  const { app, play, engine } = await begun({ engines: { B: true, W: false } });
  await engine("h8");
  assert.deepEqual(line(app), ["h8"]);
  assert.equal(play.input(), "W");
});

test("a level plays the move that it chooses, not the best one", async () => {
  const { app, moves, engine } = await begun();
  await moves("h8");
  await engine("i9", { choice: "a1" });
  assert.deepEqual(line(app), ["h8", "a1"]);
});

test("the game ends where the rules end it, and nobody moves any more", async () => {
  const { app, play, told, moves, engine } = await begun();
  for (const [mine, its] of [["a1", "a9"], ["b1", "b9"], ["c1", "c9"], ["d1", "d9"]]) { await moves(mine); await engine(its); }
  await moves("e1");
  assert.equal(play.status, "over");
  assert.equal(play.result, "Black wins: five in a row.");
  assert.equal(app.game.reason, play.result);
  assert.ok(told.said.includes(play.result));
  assert.equal(play.input(), null);
  assert.equal(play.thinking, false);
});

test("with engines on both sides the game goes on by itself", async () => {
  const { app, play, engine } = await begun({ engines: { B: true, W: true } });
  await engine("h8");
  await engine("i9");
  assert.equal(play.input(), null);
  await engine("j10");
  assert.deepEqual(line(app), ["h8", "i9", "j10"]);
});

test("two people move both sides", async () => {
  const { app, socket, moves } = await begun({ engines: { B: false, W: false } });
  await moves("h8", "i9", "j10");
  assert.deepEqual(line(app), ["h8", "i9", "j10"]);
  assert.equal(socket.queries.length, 0);
});

test("what the engine is asked for", async () => {
  const { app, play } = await newPlay();
  play.seed = 7;
  assert.deepEqual(play.asked({ level: "easy" }), { level: "easy", seed: 7 });
  const { maxVisits, maxNodes } = app.config.limits, overrideSettings = { maxTime: 5 };
  assert.deepEqual(play.asked({ engine: "alphabeta", nodes: 500 }), { engine: "alphabeta", maxNodes: 500, play: true });
  assert.deepEqual(play.asked({ engine: "alphabeta", depth: 6 }), { engine: "alphabeta", maxNodes, play: true, maxDepth: 6 });
  assert.deepEqual(play.asked({ engine: "alphabeta", seconds: 5 }), { engine: "alphabeta", maxNodes, play: true, overrideSettings });
  assert.deepEqual(play.asked({ engine: "mcts", playouts: 400 }), { engine: "mcts", maxVisits: 400, play: true });
  assert.deepEqual(play.asked({ engine: "mcts", seconds: 5 }), { engine: "mcts", maxVisits, play: true, overrideSettings });
});

test("a user who resigns has lost", async () => {
  const black = await begun();
  black.play.resign();
  assert.equal(black.play.result, "White wins: Black resigned.");
  const white = await begun({ engines: { B: true, W: false } });
  white.play.resign();
  assert.equal(white.play.result, "Black wins: White resigned.");
  assert.equal(white.socket.open().length, 0);
});

test("taking back goes to the user's last turn, also from under the engine's search", async () => {
  const { app, play, socket, moves, engine } = await begun();
  await moves("h8");
  await engine("i9");
  await moves("j10");
  play.takeBack();
  await settled();
  assert.deepEqual(line(app), ["h8", "i9"]);
  assert.equal(socket.open().length, 0);
  assert.equal(play.input(), "B");
  play.takeBack();
  await settled();
  assert.deepEqual(line(app), []);
});

test("the engine's first move is not taken back: it would only make it again", async () => {
  const { app, play, engine } = await begun({ engines: { B: true, W: false } });
  await engine("h8");
  play.takeBack();
  await settled();
  assert.deepEqual(line(app), ["h8"]);
});

test("a game that is over goes on after a move was taken back", async () => {
  const { app, play, moves, engine } = await begun();
  await moves("h8");
  await engine("i9");
  play.resign();
  play.takeBack();
  await settled();
  assert.equal(play.running, true);
  assert.equal(play.result, "");
  assert.deepEqual(line(app), []);
  assert.equal(play.input(), "B");
});

test("between two people one move is taken back", async () => {
  const { app, play, moves } = await begun({ engines: { B: false, W: false } });
  await moves("h8", "i9", "j10");
  play.takeBack();
  await settled();
  assert.deepEqual(line(app), ["h8", "i9"]);
});

test("the user may look at earlier moves meanwhile: the answer goes to the end of the game", async () => {
  const { app, play, socket, moves, engine } = await begun();
  await moves("h8");
  app.seek(0);
  await settled();
  assert.equal(play.input(), null);
  assert.equal(socket.open().length, 1);
  await engine("i9");
  assert.equal(app.game.current.turn, 0);
  assert.equal(play.gameEnd.move, "i9");
  app.seek(Infinity);
  await settled();
  assert.equal(app.game.current.move, "i9");
  assert.equal(play.input(), "B");
});

test("what is tried in another view is no move of the game", async () => {
  const { app, play, moves, engine } = await begun();
  await moves("h8");
  await engine("i9");
  app.show("analyse");
  play.move("a1");
  await settled();
  assert.equal(play.gameEnd.move, "i9");
  app.show("play");
  await settled();
  assert.equal(app.game.current.move, "i9");
  await moves("j10");
  assert.equal(play.gameEnd.move, "j10");
});

test("another game ends what was played", async () => {
  const { app, play, socket, moves } = await begun();
  await moves("h8");
  app.load(new Game(caro));
  assert.equal(play.status, "idle");
  assert.equal(socket.open().length, 0);
});

test("a game can go on from the board as it is, without what follows there", async () => {
  const { app, play } = await newPlay();
  for (const m of ["h8", "i9", "j10"]) app.play(m);
  app.seek(2);
  await settled();
  assert.equal(play.canGoOn, true);
  await play.start({ variant: caro, engines: { B: false, W: true }, strength: { level: "easy" }, opening: "here" });
  await settled();
  assert.deepEqual(line(app), ["h8", "i9"]);
  assert.equal(play.input(), "B");
});

test("a balanced opening is put up before the game begins", async () => {
  const { app, play, socket } = await begun({ opening: "balanced", engines: { B: true, W: false } });
  assert.equal(socket.asked[0].message.action, "query_opening");
  assert.equal(play.input(), null);
  assert.equal(socket.queries.length, 0);
  socket.asked[0].answer({ openings: [{ moves: ["h8", ["W", "i9"]] }] });
  await settled();
  assert.deepEqual(line(app), ["h8", "i9"]);
  assert.deepEqual(socket.queries[0].message.moves, ["h8", "i9"]);
});

test("without an opening the game begins on the empty board, and the user is told", async () => {
  const { play, socket, told } = await begun({ opening: "balanced" });
  socket.asked[0].refuse("too busy");
  await settled();
  assert.deepEqual(told.notices, ["too busy"]);
  assert.equal(play.input(), "B");
});

test("who resigns while an opening is looked for gets none", async () => {
  const { app, play, socket } = await begun({ opening: "balanced" });
  play.resign();
  socket.asked[0].answer({ openings: [{ moves: ["h8"] }] });
  await settled();
  assert.deepEqual(line(app), []);
  assert.equal(play.status, "over");
});

test("an engine that fails says so, and can be asked again", async () => {
  const { play, socket, told, moves, engine, app } = await begun();
  await moves("h8");
  socket.queries[0].answer({ noResults: true, error: "no network" });
  await settled();
  assert.equal(play.trouble, "no network");
  assert.deepEqual(told.notices, ["no network"]);
  assert.equal(play.thinking, false);
  play.arrived();
  await engine("i9");
  assert.deepEqual(line(app), ["h8", "i9"]);
  assert.equal(play.trouble, "");
});

test("an engine that is hurried answers as soon as it knows something", async () => {
  const { play, socket, moves } = await begun();
  await moves("h8");
  const q = socket.queries[0];
  play.moveNow();
  assert.equal(q.finished, false);
  q.answer(opinion("alphabeta", "i9", { nodes: 50 }), false);
  assert.equal(q.finished, true);
  assert.equal(play.search.share, 0.5);
});

test("a hint is shown and not played, and is gone after the next move", async () => {
  const { app, play, socket, told, moves, engine } = await begun();
  play.showHint();
  assert.deepEqual([socket.queries[0].message.engine, socket.queries[0].message.maxVisits], ["mcts", 400]);
  await engine("h8", { winrate: 0.6 });
  assert.deepEqual(play.hint, { move: "h8", rate: 60 });
  assert.ok(told.said.includes("Hint: h8, 60 percent."));
  assert.deepEqual(line(app), []);
  await moves("i9");
  assert.equal(play.hint, null);
});

test("a hint without a network is alpha-beta's", async () => {
  const { play, socket } = await begun({}, { engines: ["alphabeta"] });
  play.showHint();
  assert.equal(socket.queries[0].message.engine, "alphabeta");
});

test("the engine may move for the user", async () => {
  const { app, play, engine } = await begun();
  play.engineMove();
  await engine("h8");
  assert.deepEqual(line(app), ["h8"]);
  assert.equal(play.thinking, true);
  play.engineMove();
  assert.deepEqual(line(app), ["h8"]);
});

test("a game survives a reload: sides, strength and the engine's turn", async () => {
  const { app, play, moves, engine } = await begun();
  await moves("h8");
  await engine("i9");
  await moves("j10");
  const kept = JSON.parse(JSON.stringify({ play, game: app.game }));
  const again = await newPlay();
  again.app.game = Game.from(kept.game);
  again.play.restore(kept.play);
  again.play.takingUp(() => again.app.moved("game"));
  await settled();
  assert.equal(again.play.running, true);
  assert.deepEqual(again.socket.queries.at(-1).message.moves, ["h8", "i9", "j10"]);
  assert.equal(again.socket.queries.at(-1).message.level, "easy");
  await again.engine("a1");
  assert.equal(again.play.gameEnd.move, "a1");
});

test("a kept game whose moves are not there is forgotten", async () => {
  const { play, moves } = await begun();
  await moves("h8");
  const kept = JSON.parse(JSON.stringify(play)), again = await newPlay();
  again.play.restore(kept);
  assert.equal(again.play.status, "idle");
});

test("moves that were taken back can be had again, and so can a running game that was put away", async () => {
  const { app, play, told, moves, engine } = await begun();
  await moves("h8");
  await engine("i9");
  play.takeBack();
  await settled();
  assert.deepEqual(line(app), []);
  told.action[1]();
  await settled();
  assert.deepEqual([line(app), play.status, play.input(), play.gameEnd.move], [["h8", "i9"], "running", "B", "i9"]);
  app.followAddress("#v=caro&s=9&m=e5&view=play");
  assert.equal(play.status, "idle");
  app.bringBack();
  await settled();
  assert.deepEqual([line(app), play.status, play.engines, app.view], [["h8", "i9"], "running", { B: false, W: true }, "play"]);
});

test("variations that were tried elsewhere are none of the game that is played", async () => {
  const { app, play, moves, engine } = await begun();
  await moves("h8");
  await engine("i9");
  app.view = "analyse";
  app.play("a1");
  app.play("a2");
  app.view = "play";
  app.emit("view");
  const shown = () => app.line().slice(1).map((n) => n.move);
  assert.deepEqual([shown(), app.game.current.move], [["h8", "i9"], "i9"]);
  play.resign();
  app.view = "analyse";
  app.play("b1");
  app.view = "play";
  app.emit("view");
  assert.deepEqual([shown(), app.game.current.move], [["h8", "i9"], "i9"]);
  app.seek(1);
  app.sibling(1);
  assert.equal(app.game.current.move, "h8");
});

test("a game that is watched goes at the user's pace, and can be halted", async () => {
  const { play, socket, engine, pass } = await begun({ engines: { B: true, W: true } }, { prefs: { pause: 2 } });
  assert.equal(socket.open().length, 0);
  pass(2000);
  await engine("h8");
  play.togglePause();
  pass(5000);
  assert.deepEqual([socket.open().length, play.status], [0, "running"]);
  play.togglePause();
  pass(2000);
  assert.equal(socket.open().length, 1);
});
