import assert from "node:assert/strict";
import test from "node:test";
import { Board } from "../page/board.js";
import { CardBoard } from "../page/cardboard.js";
import { bindings, listen } from "../page/keys.js";
import { PlayPanel } from "../page/playpanel.js";
import { Play } from "../page/play.js";
import { newApp, openPage, settled } from "./fakes.js";

const press = (target, key) => target.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

/** A board of five lines on the page. */
function board(view) {
  const played = [], made = new Board((point) => played.push(point));
  document.getElementById("board-place").append(made.element);
  made.draw({ size: 5, coordinates: true, numbers: true, side: "B", stones: [], can: () => true, ...view });
  return { made, played };
}

test("space lets the engine play in a running game only where the board has the focus", async () => {
  const { app, socket } = await newApp(), play = new Play(app);
  listen(app, bindings(app, { play, opening: () => {}, focusBoard: () => {}, help: () => {} }));
  await play.start({ variant: app.usual(), engines: { B: false, W: true }, strength: { level: "easy" }, opening: "empty" });
  await settled();
  press(document.body, " ");
  assert.equal(socket.queries.length, 0);
  const { made } = board({});
  const cell = made.cells.get("c3");
  cell.focus();
  press(cell, " ");
  assert.equal(socket.queries.length, 1);
});

test("on a board where the game is over, arrows go through the game", async () => {
  openPage();
  const { made, played } = board({ over: true, side: null }), heard = [];
  document.body.addEventListener("keydown", (e) => heard.push(e.key));
  for (const key of ["ArrowLeft", "Enter"]) press(made.cells.get("c3"), key);
  assert.deepEqual([heard, played, made.focus], [["ArrowLeft", "Enter"], [], "c3"]);
});

test("a board that is turned round has a1 in the upper right corner, and arrows go where they point", () => {
  openPage();
  const { made } = board({ flipped: true }), cards = new CardBoard(() => {});
  assert.deepEqual(made.at("a1"), { x: 160, y: 0 });
  press(made.cells.get("c3"), "ArrowUp");
  assert.equal(made.focus, "c2");
  const before = cards.at("a1");
  cards.draw({ position: { pieces: [["B", "master", "a1"]], stones: [], legal: [] }, flipped: true, last: null, side: null, marks: null, hint: null, ask: () => {} });
  assert.ok(cards.at("a1").x > before.x && cards.at("a1").y < before.y);
  assert.equal(Number(cards.element.querySelector("circle.body").getAttribute("cx")), cards.at("a1").x);
});

test("the rules that are chosen are on the board at once", async () => {
  const { app } = await newApp(), play = new Play(app), panel = new PlayPanel(app, play);
  panel.variant.rules.value = "gomoku/pente";
  panel.variant.size.value = "9";
  panel.variant.changed();
  assert.deepEqual([app.game.variant.rules, app.game.variant.size, play.anew], ["pente", 9, true]);
});
