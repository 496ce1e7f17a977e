import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { openPage } from "./fakes.js";
import { CardBoard } from "../page/cardboard.js";

const legal = ["crab a1a2", "crab c1c2", "crane a1a2", "crane b1b2"];
const position = (more) => ({ hash: "x", currentPlayer: "B", legal, pieces: [["B", "student", "a1"], ["B", "student", "b1"], ["B", "master", "c1"], ["W", "master", "c5"]],
  cards: { B: ["Crab", "Crane"], W: ["Boar", "Cobra"], side: "Dragon", steps: { Crab: [[0, 1], [2, 0], [-2, 0]] } }, ...more });

let board, played, asked;

beforeEach(() => {
  openPage();
  played = [];
  asked = [];
  board = new CardBoard((move) => played.push(move));
  document.body.append(board.element);
  shows();
});

const shows = (more = {}, at = {}) => board.draw({ position: position(at), last: null, hint: null, marks: null, side: "B", ask: (text) => asked.push(text), ...more });
const click = (...names) => { for (const name of names) board.element.querySelector(`[data-point="${name}"], [data-card="${name}"]`).dispatchEvent(new window.Event("click", { bubbles: true })); };
const label = (name) => board.element.querySelector(`[data-point="${name}"], [data-card="${name}"]`).getAttribute("aria-label");

test("a move is a piece and a square, where one card leads there", () => {
  click("c1");
  assert.equal(label("c2"), "c2, empty, can be moved to");
  assert.equal(label("c1"), "c1, Black master, chosen");
  click("c2");
  assert.deepEqual(played, ["crab c1c2"]);
});

test("where two cards lead there the card is asked for", () => {
  click("a1", "a2");
  assert.deepEqual([played, asked], [[], ["Which card: Crab or Crane?"]]);
  click("crane");
  assert.deepEqual(played, ["crane a1a2"]);
});

test("the card may be chosen first", () => {
  click("crab", "a1", "a2");
  assert.deepEqual(played, ["crab a1a2"]);
});

test("a card that does not move the chosen piece is forgotten", () => {
  click("crane", "c1", "c2");
  assert.deepEqual(played, ["crab c1c2"]);
});

test("a square that no card leads to does nothing, another piece is another choice", () => {
  click("c1", "e5", "b1", "b2");
  assert.deepEqual(played, ["crane b1b2"]);
});

test("while it is not the user's turn nothing can be chosen", () => {
  shows({ side: null });
  click("c1", "c2", "crab");
  assert.deepEqual(played, []);
  assert.equal(label("c1"), "c1, Black master");
});

test("a new position forgets what was chosen in the one before", () => {
  click("c1");
  shows({}, { hash: "y" });
  click("c2");
  assert.deepEqual(played, []);
});

test("where no piece can move a card is passed with", () => {
  shows({}, { hash: "y", legal: ["crab", "crane"] });
  click("crane");
  assert.deepEqual(played, ["crane"]);
});

test("screen readers hear what a card does and whose it is", () => {
  assert.equal(label("crab"), "Crab, Black's card: 1 forward; 2 right; 2 left");
});

test("squares are dark and light in turn, and two are temples", () => {
  assert.deepEqual(["a5", "b5", "c5", "a4", "b4"].map((point) => board.squares.get(point).getAttribute("class")), ["even", "odd", "temple", "odd", "even"]);
});
