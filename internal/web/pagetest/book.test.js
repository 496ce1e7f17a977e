import assert from "node:assert/strict";
import test from "node:test";
import { addBook, Book, bookRate, bookText, visitsOf } from "../page/book.js";
import { Game } from "../page/game.js";
import { newApp, settled } from "./fakes.js";

const said = (more) => ({ author: "a", time: "", ...more });
const info = { name: "caro.book", editable: true, commentBytes: 4096 };
const variant = { game: "gomoku", rules: "caro", size: 15 };

test("a value is a share of the points", () => {
  assert.deepEqual([said({ value: 0 }), said({ value: -1 }), said({})].map(bookRate), [0.5, 0, null]);
  assert.deepEqual([said({ value: 0.24 }), said({ value: 1, proof: "win" }), said({ proof: "draw" }), said({})].map(bookText), ["62", "W", "D", ""]);
  assert.equal(visitsOf(said({ values: [{ engine: "mcts", value: 0, nodes: 400 }, { engine: "minimax", value: 0, nodes: 7 }, { engine: "alphabeta", value: 0 }] })), 400);
});

test("the book's marks stand beside those of the engines, with all that is said in words", () => {
  const marks = addBook(new Map([["h8", { tree: { text: "50", share: 1 }, label: "tree search 50" }]]),
    { found: true, moves: [{ move: "h8", ...said({ value: 0.2, comment: "wide" }) }, { move: "i9", ...said({ label: "excluded" }) }] });
  assert.deepEqual(marks.get("h8").book, { text: "60", sign: "✎", best: true, proven: undefined });
  assert.equal(marks.get("h8").label, "tree search 50, book 60, wide");
  assert.equal(marks.get("i9").label, "book move, excluded");
  assert.equal(marks.get("i9").book.sign, "×");
  assert.equal(addBook(new Map(), null).size, 0);
});

test("the book is asked where its layer is on, once for each position, and not beyond Analyse", async () => {
  const { app, socket } = await newApp({ book: info, prefs: { book: false } });
  const book = new Book(app);
  app.load(new Game(variant));
  app.show("analyse");
  await settled();
  assert.equal(socket.asked.length, 0);
  app.set("book", true);
  await settled();
  assert.deepEqual(socket.asked.map((a) => [a.message.action, a.message.moves]), [["query_book", []]]);
  socket.asked[0].answer({ book: { found: true, here: said({ label: "forced", comment: "x" }), moves: [] } });
  await settled();
  app.emit("prefs");
  assert.deepEqual([book.said(), socket.asked.length], [{ label: "forced", comment: "x" }, 1]);
  app.play("h8");
  await settled();
  assert.deepEqual([book.at(), socket.asked.length, socket.asked[1].message.moves], [null, 2, ["h8"]]);
  socket.asked[1].refuse("the book is damaged", "failed");
  await settled();
  assert.equal(book.at(), null);
  app.show("play");
  app.play("i9");
  await settled();
  assert.equal(socket.asked.length, 2);
});

/** A panel at an empty board of which the book says something. */
async function panelOf(changes = {}) {
  const parts = await newApp({ book: { ...info, ...changes }, prefs: { book: true } });
  const { BookPanel } = await import("../page/bookpanel.js");
  parts.app.load(new Game(variant));
  parts.app.show("analyse");
  const book = new Book(parts.app), panel = new BookPanel(parts.app, book, parts.app.config.book);
  await settled();
  book.follow();
  const tell = async (label, comment) => {
    parts.socket.asked.at(-1).answer({ book: { found: true, here: said({ label, comment }), moves: [{ move: "h8", ...said({ value: 0.5, comment: "<b>bold</b>" }) }] } });
    await settled();
  };
  return { ...parts, book, panel, tell };
}

test("comments are text, never markup; without leave to write there is no form", async () => {
  const { panel, tell } = await panelOf({ editable: false });
  await tell("win", "<img src=x>");
  assert.equal(panel.said.textContent, "Label: win. <img src=x>");
  assert.equal(panel.table.querySelector("b, img"), null);
  assert.ok(panel.table.textContent.includes("<b>bold</b>"));
  assert.ok(panel.edit.hidden);
});

test("what the user has typed outlasts a refusal, and what somebody else has said is shown", async () => {
  const { panel, tell, told, socket } = await panelOf();
  await tell("none", "old");
  assert.equal(panel.comment.value, "old");
  panel.comment.value = "mine\nin two lines";
  const sent = [];
  globalThis.fetch = async (path, { body }) => {
    sent.push([path, JSON.parse(body)]);
    return { ok: sent.length > 1, json: async () => ({ error: "somebody else has changed it meanwhile: nothing was written", code: "changed" }) };
  };
  const sending = panel.send();
  await settled();
  await tell("draw", "theirs");
  await sending;
  assert.deepEqual(sent[0], ["api/book", { ...sent[0][1], moves: [], saw: { label: "none", comment: "old" }, say: { label: "none", comment: "mine in two lines" } }]);
  assert.match(told.notices.at(-1), /somebody else/);
  assert.deepEqual([panel.comment.value, panel.label.value, panel.said.textContent], ["mine\nin two lines", "draw", "Label: draw. theirs"]);
  const again = panel.send();
  await settled();
  await tell("draw", "mine in two lines");
  await again;
  assert.deepEqual(sent[1][1].saw, { label: "draw", comment: "theirs" });
  assert.deepEqual([panel.comment.value, socket.asked.length], ["mine in two lines", 3]);
});
