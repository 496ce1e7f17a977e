import assert from "node:assert/strict";
import test from "node:test";
import { Game, variantOf } from "../page/game.js";
import { config } from "./fakes.js";
import { knowGames } from "../page/games.js";

knowGames(config().games);

const caro = { game: "gomoku", rules: "caro", size: 15 };
const played = (...moves) => { const game = new Game(caro); for (const m of moves) game.play(m); return game; };
const shown = (game) => game.line().slice(1).map((n) => n.move);

test("a move that is there already is gone to, another one is a variation", () => {
  const game = played("h8", "i9", "j10");
  game.seek(1);
  game.play("i9");
  assert.deepEqual(shown(game), ["h8", "i9", "j10"]);
  game.seek(1);
  game.play("g7");
  assert.deepEqual(shown(game), ["h8", "g7"]);
  assert.equal(game.tree().length, 4);
});

test("the line that is shown goes on along the branch that was chosen last", () => {
  const game = played("h8", "i9");
  game.seek(0);
  game.play("a1");
  game.seek(0);
  assert.deepEqual(shown(game), ["a1"]);
  game.go(game.root.children[0].children[0]);
  game.seek(0);
  assert.deepEqual(shown(game), ["h8", "i9"]);
  game.go(game.root.children[1]);
  game.seek(0);
  assert.deepEqual(shown(game), ["a1"]);
});

test("a turn beyond the ends is the end", () => {
  const game = played("h8", "i9");
  game.seek(-3);
  assert.equal(game.current, game.root);
  game.seek(Infinity);
  assert.equal(game.current.move, "i9");
});

test("who is to move", () => {
  const game = played("h8");
  assert.equal(game.side(game.root), "B");
  assert.equal(game.side(), "W");
  assert.equal(new Game({ ...caro, initialStones: [["B", "a1"]] }).side(), "W");
  assert.equal(new Game({ ...caro, initialStones: [["B", "a1"], ["W", "b1"]] }).side(), "B");
  assert.equal(new Game({ ...caro, initialStones: [["B", "a1"]], initialPlayer: "B" }).side(), "B");
});

test("removing a move takes what follows with it, and the place goes back before it", () => {
  const game = played("h8", "i9", "j10");
  game.remove(game.root.children[0].children[0]);
  assert.equal(game.current.move, "h8");
  assert.deepEqual(shown(game), ["h8"]);
  game.remove(game.root);
  assert.deepEqual(shown(game), ["h8"]);
});

test("removing a variation leaves the place where it is", () => {
  const game = played("h8", "i9");
  game.seek(1);
  game.play("a1");
  game.go(game.root.children[0].children[0]);
  game.remove(game.root.children[0].children[1]);
  assert.equal(game.current.move, "i9");
});

test("a query has the rules, the size and the moves up to the place", () => {
  const game = played("h8", "i9");
  game.seek(1);
  assert.deepEqual(game.fields(), { rules: "caro", boardXSize: 15, boardYSize: 15, moves: ["h8"] });
  const open = new Game({ ...caro, openRule: true, initialStones: [["W", "a1"]], captured: [2, 0] });
  assert.deepEqual(open.fields(), { rules: { name: "caro", openRule: true }, boardXSize: 15, boardYSize: 15,
    initialStones: [["W", "a1"]], initialPlayer: "B", captured: [2, 0], moves: [] });
  const cards = new Game({ game: "onitama", initialPosition: "Boar,Cobra/Crab,Crane/Dragon" });
  cards.play("crab a1a2");
  assert.deepEqual(cards.fields(), { game: "onitama", initialPosition: "Boar,Cobra/Crab,Crane/Dragon", moves: ["crab a1a2"] });
});

test("equal positions of equal starts have equal keys", () => {
  const a = played("h8", "i9"), b = played("h8", "i9");
  assert.equal(a.key(), b.key());
  b.seek(1);
  assert.notEqual(a.key(), b.key());
});

test("a game that is kept comes back whole: variations, comments, values, names, the place", () => {
  const game = played("h8", "i9", "j10");
  game.title = "Final";
  game.black = "A";
  game.reason = "Black wins: five in a row.";
  game.root.comment = "start";
  game.current.comment = "good";
  game.current.values = { mcts: 0.75 };
  game.current.best = { mcts: "a1" };
  game.current.drawn = { labels: [["a1", "x"]], marks: [["b1", "circle"]] };
  game.seek(1);
  game.play("g7");
  game.play("f6");
  game.seek(2);
  const again = Game.from(JSON.parse(JSON.stringify(game)));
  assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(game)));
  assert.deepEqual(shown(again), ["h8", "g7", "f6"]);
  assert.equal(again.current.move, "g7");
  const j10 = again.root.children[0].children[0].children[0];
  assert.equal(j10.comment, "good");
  assert.deepEqual(j10.values, { mcts: 0.75 });
  assert.deepEqual(j10.drawn, { labels: [["a1", "x"]], marks: [["b1", "circle"]] });
});

test("a game of the server is read: moves with or without sides, values of a tree, a position to begin with", () => {
  assert.deepEqual(shown(Game.from({ ...caro, moves: [["B", "h8"], "i9"] })), ["h8", "i9"]);
  const tree = Game.from({ ...caro, tree: [{ parent: -1, move: "h8", value: 0.5 }, { parent: 0, move: "i9" }, { parent: 0, move: "a1" }] });
  assert.deepEqual(shown(tree), ["h8", "i9"]);
  assert.deepEqual(tree.root.children[0].values, { mcts: 0.5 });
  const position = Game.from({ ...caro, initialPosition: "h8i9", moves: ["j10"] });
  assert.deepEqual(shown(position), ["h8", "i9", "j10"]);
});

test("what is no game is refused", () => {
  assert.throws(() => Game.from({ ...caro, tree: [{ parent: 7, move: "h8" }] }));
  assert.throws(() => Game.from(null));
});

test("a game up to here has nothing of what follows, and no names", () => {
  const game = played("h8", "i9", "j10");
  game.black = "A";
  game.seek(2);
  const here = game.upToHere();
  assert.deepEqual(shown(here), ["h8", "i9"]);
  assert.equal(here.black, "");
  assert.equal(here.current.move, "i9");
});

test("a game is found in a tree that has all of it", () => {
  const game = played("h8", "i9", "j10");
  const part = played("h8", "i9");
  part.seek(1);
  assert.equal(game.nodeOf(part), game.root.children[0]);
  assert.equal(game.nodeOf(played("h8", "a1")), null);
  assert.equal(game.nodeOf(new Game({ ...caro, size: 19 })), null);
  const start = played("h8");
  start.seek(0);
  assert.equal(game.nodeOf(start), game.root);
});

test("a variant has what a query has, and nothing that is empty", () => {
  assert.deepEqual(variantOf({ ...caro, openRule: false, initialStones: [], title: "x" }), caro);
});
