import assert from "node:assert/strict";
import test from "node:test";
import { MoveList } from "../page/movelist.js";
import { newApp } from "./fakes.js";

/** The list, in which variations stand in brackets. */
function textOf(place) {
  const text = (node) => [...node.children].map((c) => (c.className === "variation" ? `(${text(c)})` : c.textContent)).join(" ");
  return text(place.querySelector('[data-testid="moves"]'));
}

async function listed(...lines) {
  const { app } = await newApp(), place = document.getElementById("view-moves"), list = new MoveList(app, place);
  for (const line of lines) {
    app.seek(0);
    for (const move of line) app.play(move);
  }
  list.draw();
  return { app, list, place, button: (n, move) => place.querySelector(`[aria-label^="Move ${n}, ${move}"]`) };
}

test("moves stand in order with their numbers, variations beside the move that they replace", async () => {
  const { place } = await listed(["h8", "i9", "j10"], ["h8", "a1", "b1"], ["g7"]);
  assert.equal(textOf(place), "1 h8 (1 g7) 2 i9 (2 a1 3 b1) 3 j10");
});

test("an empty game says so", async () => {
  assert.equal(textOf((await listed()).place), "No moves yet.");
});

test("a click goes to the move, which is marked as the current one", async () => {
  const { app, button, place } = await listed(["h8", "i9", "j10"]);
  button(2, "i9").click();
  assert.equal(app.game.current.move, "i9");
  assert.equal(place.querySelectorAll("[aria-current]").length, 1);
  assert.equal(place.querySelector("[aria-current]").getAttribute("aria-label"), "Move 2, i9");
});

test("mistakes and comments can be seen, the comment of the current move be read", async () => {
  const { app, list, button, place } = await listed(["h8", "i9"]);
  app.game.current.comment = "why?";
  app.grades = new Map([[app.game.current, "mistake"]]);
  list.draw();
  assert.equal(button(2, "i9").getAttribute("aria-label"), "Move 2, i9, mistake");
  assert.equal(button(2, "i9").textContent, "2 i9?");
  assert.match(button(2, "i9").className, /mistake noted/);
  assert.equal(place.querySelector(".comment").textContent, "why?");
  app.seek(1);
  assert.equal(place.querySelector(".comment").hidden, true);
});

test("the current move can be deleted with what follows, not the start, and not while a game is played", async () => {
  const { app, place, list } = await listed(["h8", "i9", "j10"]), drop = place.querySelector(".quiet");
  app.seek(2);
  drop.click();
  assert.equal(textOf(place), "1 h8");
  app.locked = () => true;
  list.draw();
  assert.equal(drop.disabled, true);
  app.locked = () => false;
  app.seek(0);
  assert.equal(drop.disabled, true);
});

test("of a game that is played its own moves are listed", async () => {
  const { app, place, list } = await listed(["h8", "i9", "j10"], ["h8", "a1"]);
  app.limit = () => app.game.root.children[0].children[0];
  list.draw();
  assert.equal(textOf(place), "1 h8 2 i9");
});
