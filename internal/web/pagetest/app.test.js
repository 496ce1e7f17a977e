import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../page/game.js";
import { fragment } from "../page/link.js";
import { Refusal } from "../page/http.js";
import { newApp, settled } from "./fakes.js";

const line = (app) => app.game.line().slice(1).map((n) => n.move);
const gameOf = (...moves) => { const g = new Game({ game: "gomoku", rules: "caro", size: 15 }); for (const m of moves) g.play(m); return g; };

test("a page begins with the server's rules, or those that the user likes", async () => {
  assert.deepEqual((await newApp()).app.game.variant, { game: "gomoku", rules: "caro", size: 15 });
  assert.deepEqual((await newApp({ prefs: { rules: "freestyle", size: 19 } })).app.game.variant, { game: "gomoku", rules: "freestyle", size: 19 });
  assert.equal((await newApp({ prefs: { rules: "gone" } })).app.game.variant.rules, "caro");
});

test("a move is told when it is made and when the server has taken it", async () => {
  const { app, told } = await newApp(), heard = [];
  app.on((what) => heard.push(what));
  app.play("h8");
  assert.deepEqual(heard, ["move"]);
  assert.equal(app.position, null);
  await settled();
  assert.deepEqual(heard, ["move", "position"]);
  assert.equal(app.toMove, "W");
  assert.deepEqual(told.said, ["Black h8. White to move."]);
});

test("a position that comes late is not taken for that of another move", async () => {
  const { app, socket } = await newApp(), ask = socket.ask.bind(socket), late = [];
  socket.ask = (message) => new Promise((resolve) => { late.push(() => resolve(ask(message))); });
  app.play("h8");
  app.play("i9");
  late[1]();
  await settled();
  late[0]();
  await settled();
  assert.deepEqual(app.position.stones, [["B", "h8"], ["W", "i9"]]);
});

test("a move that the server does not take is taken out again, and the user is told why", async () => {
  const { app, told } = await newApp();
  app.play("h8");
  await settled();
  app.play("h8");
  await settled();
  assert.deepEqual(line(app), ["h8"]);
  assert.match(told.notices[0], /taken/);
  assert.deepEqual(app.position.stones, [["B", "h8"]]);
});

test("an illegal move within a link is taken out with what follows it", async () => {
  const { app, told } = await newApp();
  app.load(gameOf("h8", "i9", "h8", "j10"));
  await settled();
  assert.deepEqual(line(app), ["h8", "i9"]);
  assert.equal(told.notices.length, 1);
  assert.equal(app.position.turnNumber, 2);
});

for (const code of ["busy", "failed", "internal", ""]) {
  test(`a refusal that does not say that the game is wrong takes nothing away: ${code || "no code"}`, async () => {
    const { app, socket, told } = await newApp();
    socket.ask = () => Promise.reject(new Refusal({ error: "move 1: too many queries wait", code, field: code && "moves[0]" }));
    app.play("h8");
    await settled();
    assert.deepEqual(line(app), ["h8"]);
    assert.deepEqual(told.notices, ["move 1: too many queries wait"]);
  });
}

for (const [code, field, left] of [["illegal", "moves[1]", ["h8"]], ["invalid", "moves[2][1]", ["h8", "i9"]], ["too_big", "moves", ["h8", "i9", "j10"]]]) {
  test(`the move that the field names is taken out, whatever the words are: ${code} ${field}`, async () => {
    const { app, socket } = await newApp(), ask = socket.ask.bind(socket), moves = ["h8", "i9", "j10", "k11"];
    socket.ask = (m) => (m.moves.length === moves.length ? Promise.reject(new Refusal({ error: "so nicht", code, field })) : ask(m));
    app.load(gameOf(...moves));
    await settled();
    assert.deepEqual(line(app), left);
  });
}

test("a board that there cannot be gives way to the usual one", async () => {
  const { app, socket } = await newApp(), ask = socket.ask.bind(socket);
  socket.ask = (m) => (m.rules === "nonsense" ? Promise.reject(new Refusal({ error: "rules: unknown", code: "invalid", field: "rules.name" })) : ask(m));
  app.load(new Game({ game: "gomoku", rules: "nonsense", size: 15 }));
  await settled();
  assert.equal(app.game.variant.rules, "caro");
  assert.equal(app.position.turnNumber, 0);
});

test("branches beside a move are gone through in a circle", async () => {
  const { app } = await newApp();
  for (const m of ["a1", "b2", "c3"]) { app.seek(0); app.play(m); }
  app.sibling(1);
  assert.equal(app.game.current.move, "a1");
  app.sibling(-1);
  assert.equal(app.game.current.move, "c3");
});

test("ends of games are told in words", async () => {
  const { app } = await newApp();
  assert.equal(app.outcomeText({ winner: "B", reason: "line" }), "Black wins: five in a row.");
  assert.equal(app.outcomeText({ winner: "none", reason: "full" }), "Draw: the board is full.");
  app.load(new Game({ game: "onitama", initialPosition: "Boar,Cobra/Crab,Crane/Dragon" }));
  assert.equal(app.outcomeText({ winner: "W", reason: "capture" }), "White wins: the master is taken.");
});

test("an expected line is stepped through and played up to where it is shown", async () => {
  const { app } = await newApp();
  app.play("h8");
  app.setPreview({ title: "t", base: app.game.current, moves: ["i9", "j10", "k11"], at: 1, pinned: true });
  app.stepPreview(1);
  app.stepPreview(-5);
  assert.equal(app.preview.at, 0);
  app.stepPreview(2);
  app.playPreview();
  assert.deepEqual(line(app), ["h8", "i9", "j10"]);
  assert.equal(app.preview, null);
});

test("the address has the game, soon after a move and at once after another game", async () => {
  const { app, pass } = await newApp();
  app.play("h8");
  assert.equal(location.hash, "");
  pass(200);
  assert.equal(location.hash, `#${fragment(app.game, "play")}`);
  app.load(gameOf("a1"));
  assert.equal(location.hash, `#${fragment(app.game, "play")}`);
});

test("a reload brings back the game with its variations and comments", async () => {
  const { app, pass } = await newApp();
  for (const m of ["h8", "i9"]) app.play(m);
  app.seek(1);
  app.play("a1");
  app.game.current.comment = "why?";
  app.view = "analyse";
  pass(200);
  const { App } = await import("../page/app.js");
  const again = new App({ prefs: app.prefs, config: app.config, socket: app.socket, positions: app.positions, say() {}, notice() {} });
  again.restore();
  assert.deepEqual(JSON.parse(JSON.stringify(again.game)), JSON.parse(JSON.stringify(app.game)));
  assert.equal(again.view, "analyse");
});

test("a link in a new tab wins over what is kept", async () => {
  const { app } = await newApp({ hash: "#v=freestyle&s=19&m=a1b2&view=analyse" });
  app.restore();
  assert.deepEqual([app.game.variant.rules, app.game.variant.size, app.view], ["freestyle", 19, "analyse"]);
  assert.deepEqual(line(app), ["a1", "b2"]);
});

test("a broken link is told, and the page begins all the same", async () => {
  const { app, told } = await newApp({ hash: "#v=caro&s=99" });
  app.restore();
  assert.equal(told.notices.length, 1);
  assert.equal(app.game.variant.size, 15);
});

test("going back in the browser goes back in the game, whose variations stay", async () => {
  const { app } = await newApp();
  for (const m of ["h8", "i9"]) app.play(m);
  app.seek(1);
  app.play("a1");
  const game = app.game;
  location.hash = `#${fragment(gameOf("h8", "i9"), "analyse")}`;
  app.followAddress(location.hash);
  assert.equal(app.game, game);
  assert.equal(app.game.current.move, "i9");
  assert.equal(app.view, "analyse");
  assert.equal(app.game.tree().length, 3);
  location.hash = "#v=caro&s=9&m=e5&view=play";
  app.followAddress(location.hash);
  assert.equal(app.game.variant.size, 9);
});

test("an address is followed although the game before was saved over it meanwhile", async () => {
  const { app } = await newApp();
  app.play("h8");
  app.saveNow("replaceState");
  app.followAddress("#v=caro&s=9&m=e5&view=play");
  assert.equal(app.game.variant.size, 9);
});

test("while a game is played no other one is shown, and the user is told", async () => {
  const { app, told } = await newApp();
  app.locked = () => true;
  assert.equal(app.free(), false);
  assert.equal(told.notices.length, 1);
});

test("the user's own game that another takes the place of can be brought back", async () => {
  const { app, told } = await newApp();
  const other = (moves) => Game.from({ game: "gomoku", rules: "caro", size: 15, moves });
  app.load(other(["a1"])); // nothing was there
  app.load(other(["h8"])); // what was there was not the user's
  app.play("i9");
  app.load(other(["h8", "i9", "j7"])); // has all of it
  assert.deepEqual(told.notices, []);
  app.play("b2");
  app.seek(3);
  app.view = "play";
  app.followAddress("#v=caro&s=9&m=e5&view=analyse");
  assert.equal(app.game.variant.size, 9);
  told.action[1]();
  assert.deepEqual([app.view, app.game.current.move, app.game.line().length], ["play", "j7", 5]);
  app.load(Game.from({ game: "gomoku", rules: "caro", size: 15, initialStones: [["B", "h8"]] }));
  app.made = true; // as after an edit
  app.load(other(["a1"]));
  assert.equal(told.notices.length, 3);
});

test("moves that are deleted with what follows can be brought back, in their place", async () => {
  const { app, told } = await newApp();
  for (const m of ["h8", "i9", "j7"]) app.play(m);
  app.seek(0);
  app.play("a1");
  app.remove(app.game.current); // alone: nothing is said
  app.seek(1);
  app.remove(app.game.current);
  assert.deepEqual([told.notices, app.game.root.children.length], [["Deleted."], 0]);
  app.play("b2");
  app.bringBack();
  assert.deepEqual([app.game.root.children.map((n) => n.move), app.game.current.move, app.game.line().length], [["h8", "b2"], "h8", 4]);
  assert.equal(app.bringBack, null);
});
