import assert from "node:assert/strict";
import test from "node:test";
import { Editor } from "../page/editor.js";
import { newApp, settled } from "./fakes.js";

/** An editor of the position after some moves. */
async function editing(moves = ["h8", "i9"], changes = {}) {
  const { app, socket, told } = await newApp(changes);
  app.view = "analyse";
  for (const move of moves) app.play(move);
  app.moved("move");
  await settled();
  const editor = new Editor(app);
  editor.begin();
  return { app, socket, told, editor };
}

test("a position begins with the stones that are shown, and becomes the start of a game", async () => {
  const { app, editor } = await editing();
  assert.deepEqual([...editor.stones], [["h8", "B"], ["i9", "W"]]);
  editor.put("j10");
  editor.put("k11");
  editor.tool = "W";
  editor.put("h8"); // in place of the black one
  editor.put("i9"); // off
  editor.first = "W";
  await editor.done();
  await settled();
  assert.deepEqual([app.game.variant.initialStones, app.game.variant.initialPlayer, app.game.current.turn, app.editing], [[["B", "j10"], ["B", "k11"], ["W", "h8"]], "W", 0, false]);
  assert.equal(app.position.currentPlayer, "W");
});

test("what the rules do not know is told in the server's words, and the stones stay", async () => {
  const { app, told, editor } = await editing(), { game } = app;
  app.positions.get = () => Promise.reject(new Error("both sides have a winning line"));
  await editor.done();
  assert.deepEqual([told.notices.at(-1), app.game, app.editing, editor.stones.size], ["both sides have a winning line", game, true, 2]);
});

test("no side has more stones than its turns give it, unless stones can be captured", async () => {
  const { app, told, editor } = await editing();
  editor.put("j10");
  await editor.done();
  assert.equal(told.notices.at(-1), "Black to move: 1 white and 1 black stones go together, not 2 black ones.");
  editor.first = "W";
  await editor.done();
  assert.equal(app.editing, false);
  const taken = await editing(["h8", "i9"], { hash: "" });
  taken.app.game.variant.rules = "pente";
  taken.editor.put("j10");
  await taken.editor.done();
  assert.equal(taken.app.editing, false);
});

test("nobody goes elsewhere in the game meanwhile; another view keeps the stones, Cancel does not", async () => {
  const { app, editor } = await editing();
  editor.put("a1");
  app.step(-1);
  assert.equal(app.game.current.turn, 2);
  app.show("play");
  assert.deepEqual([app.editing, app.covered], [false, false]);
  app.show("analyse");
  editor.begin();
  assert.equal(editor.stones.get("a1"), "B");
  editor.cancel();
  editor.begin();
  assert.equal(editor.stones.has("a1"), false);
});

test("an empty board is a position too; cards and running games are not edited", async () => {
  const { app, editor } = await editing();
  editor.clear();
  await editor.done();
  await settled();
  assert.deepEqual([app.game.variant.initialStones, app.position.stones], [undefined, []]);
  app.locked = () => true;
  editor.begin();
  assert.equal(app.editing, false);
});
