import assert from "node:assert/strict";
import test from "node:test";
import { Editor } from "../page/editor.js";
import { Game } from "../page/game.js";
import { fragment, parseFragment } from "../page/link.js";
import { config, newApp, settled } from "./fakes.js";

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
  assert.deepEqual([...editor.stones.stones], [["h8", "B"], ["i9", "W"]]);
  editor.put("j10");
  editor.put("k11");
  editor.stones.tool = "W";
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
  assert.deepEqual([told.notices.at(-1), app.game, app.editing, editor.stones.stones.size], ["both sides have a winning line", game, true, 2]);
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
  assert.deepEqual([app.editing, app.engineHidden], [false, false]);
  app.show("analyse");
  editor.begin();
  assert.equal(editor.stones.stones.get("a1"), "B");
  editor.cancel();
  editor.begin();
  assert.equal(editor.stones.stones.has("a1"), false);
});

test("an empty board is a position too; a running game is not edited", async () => {
  const { app, editor } = await editing();
  editor.clear();
  await editor.done();
  await settled();
  assert.deepEqual([app.game.variant.initialStones, app.position.stones], [undefined, []]);
  app.locked = () => true;
  editor.begin();
  assert.equal(app.editing, false);
});

const steps = Object.fromEntries(["Boar", "Cobra", "Crab", "Crane", "Dragon", "Eel"].map((name) => [name, [[0, 1]]]));

/** An editor of a position of cards, of which the server tells the men. */
async function dealing(changes = {}) {
  const { games } = config();
  const { app, told } = await newApp({ games: games.map((g) => (g.board === "cards" ? { ...g, cards: steps } : g)) });
  app.view = "analyse";
  app.game = new Game({ game: "onitama", initialPosition: "Crab,Crane/Boar,Cobra/Dragon" });
  app.position = { currentPlayer: "B", stones: [], pieces: [["B", "master", "c1"], ["B", "student", "a1"], ["W", "master", "c5"]],
    cards: { B: ["Crab", "Crane"], W: ["Boar", "Cobra"], side: "Dragon", steps: {} }, ...changes };
  const editor = new Editor(app);
  editor.begin();
  return { app, told, editor, men: editor.men };
}

test("men and cards are set by hand, and become the start of a game", async () => {
  const { app, editor, men } = await dealing();
  assert.deepEqual([editor.stones.element.hidden, men.element.hidden, men.selects.map((s) => s.value)], [true, false, ["Crab", "Crane", "Boar", "Cobra", "Dragon"]]);
  editor.put("a1"); // off
  editor.put("b2");
  men.tool = "W-master";
  editor.put("d4"); // the only one
  men.tool = "W-student";
  editor.put("e5");
  men.deal(0, "Eel");
  men.deal(2, "Dragon"); // which lies beside the board
  editor.first = "W";
  assert.deepEqual(men.position("W").cards, { B: ["Eel", "Crane"], W: ["Dragon", "Cobra"], side: "Boar", steps });
  await editor.done();
  const { variant } = app.game;
  assert.deepEqual([variant.initialPosition, app.game.side(), app.editing], ["Eel,Crane/Dragon,Cobra/Boar 4o/3O1/5/1x3/2X2 second", "W", false]);
  assert.equal(parseFragment(fragment(app.game, "analyse")).game.variant.initialPosition, variant.initialPosition);
});

test("a side without a master is refused, and clearing keeps the masters", async () => {
  const { app, told, editor, men } = await dealing();
  men.tool = "none";
  editor.put("c5");
  await editor.done();
  assert.deepEqual([told.notices.at(-1), app.editing], ["White has no master.", true]);
  men.tool = "W-master";
  editor.put("e5");
  editor.clear();
  assert.deepEqual([...men.men], [["c1", ["B", "master"]], ["e5", ["W", "master"]]]);
});
