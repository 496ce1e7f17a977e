import assert from "node:assert/strict";
import test from "node:test";
import { short, percent } from "../page/dom.js";
import { cardMove, movesIn, forBlack, pointName, pointOf, splitPoints } from "../page/notation.js";

test("a1 is the lower left corner, and names are read as they are written", () => {
  assert.equal(pointName(0, 0), "a1");
  assert.equal(pointName(7, 14), "h15");
  for (let x = 0; x < 22; x++) for (let y = 0; y < 22; y++) assert.deepEqual(pointOf(pointName(x, y)), { x, y });
});

test("what is no point is none", () => {
  for (const text of ["", "h", "8h", "h0", "h08", "w1", "H8", "h8i9", "h123"]) assert.equal(pointOf(text), null, text);
});

test("moves in a row are split", () => {
  assert.deepEqual(splitPoints("h8i9j10"), ["h8", "i9", "j10"]);
  assert.deepEqual(splitPoints("a11"), ["a11"]);
  assert.deepEqual(splitPoints(""), []);
});

test("a move of Onitama has a card and two squares, a pass only a card", () => {
  assert.deepEqual(cardMove("crane a1a2"), { card: "crane", from: "a1", to: "a2" });
  assert.deepEqual(cardMove("crane"), { card: "crane" });
});

test("win rates are shown as Black's", () => {
  assert.equal(forBlack(0.75, "B"), 0.75);
  assert.equal(forBlack(0.75, "W"), 0.25);
});

test("large numbers are short, and never round into a fourth digit", () => {
  const want = { 0: "0", 999: "999", 1000: "1k", 1234: "1.2k", 9949: "9.9k", 9950: "10k", 999499: "999k", 999500: "1M", 2500000: "2.5M", 3e9: "3G" };
  for (const [n, text] of Object.entries(want)) assert.equal(short(Number(n)), text);
  assert.equal(percent(0.5831), "58.3%");
  assert.equal(percent(1, 0), "100%");
});

test("a list of moves is read as people write it, and nothing else is", () => {
  for (const text of ["h8i9j7", "1. h8 2. i9 3. j7", "1.h8 i9 2... j7", "H8 I9 J7", "H8,I9,J7", "h8-i9-j7\n", "8,8 9,9 10,7", "(8, 8); (9,9); (10,7)"]) assert.equal(movesIn(text), "h8i9j7", text);
  for (const text of ["", "h8 or i9", "(;GM[4];B[hh])", "8,8,1 9,9,2", "0,0 1,1", "z8", "https://h8"]) assert.equal(movesIn(text), "", text);
});
