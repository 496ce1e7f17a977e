import assert from "node:assert/strict";
import test from "node:test";
import { Play } from "../page/play.js";
import { statusText } from "../page/playpanel.js";
import { newApp, opinion, settled } from "./fakes.js";

const caro = { game: "gomoku", rules: "caro", size: 15 };

async function playing(choices) {
  const { app, socket, pass } = await newApp(), play = new Play(app);
  app.moved("game");
  await settled();
  if (choices) await play.start({ variant: caro, engines: { B: false, W: true }, strength: { level: "easy" }, opening: "empty", ...choices });
  await settled();
  return { app, socket, play, pass, status: () => statusText(app, play) };
}

test("before a game it says whose move it is, and on what board", async () => {
  const { app, status } = await playing();
  assert.equal(status(), "Black to move · caro, 15 × 15");
  Object.assign(app.game, { black: "A", white: "B" });
  assert.equal(status(), "Black to move · A – B");
});

test("in a game it says whose turn it is, what the engine is at, and how it ended", async () => {
  const { app, play, socket, pass, status } = await playing({});
  assert.equal(status(), "Your move: Black.");
  play.move("h8");
  await settled();
  assert.equal(status(), "The engine thinks…");
  pass(3000);
  assert.equal(status(), "The engine thinks… 3 s");
  play.moveNow();
  assert.equal(status(), "The engine moves… 3 s");
  app.seek(0);
  await settled();
  assert.equal(status(), "You look at an earlier move. End goes back to the game.");
  app.seek(1);
  await settled();
  socket.queries[0].answer(opinion("alphabeta", "i9"));
  await settled();
  assert.equal(status(), "Your move: Black.");
  play.resign();
  assert.equal(status(), "White wins: Black resigned.");
});
