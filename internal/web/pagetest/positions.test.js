import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../page/game.js";
import { Positions } from "../page/positions.js";
import { FakeSocket } from "./fakes.js";

const game = () => { const g = new Game({ game: "gomoku", rules: "caro", size: 15 }); g.play("h8"); return g; };

function counted() {
  const socket = new FakeSocket(), ask = socket.ask.bind(socket);
  let asked = 0;
  socket.ask = (message) => { asked++; return ask(message); };
  return { positions: new Positions(socket), asked: () => asked };
}

test("a position is asked for once, also while its answer is under way", async () => {
  const { positions, asked } = counted(), g = game();
  assert.equal(positions.peek(g), null);
  const [a, b] = await Promise.all([positions.get(g), positions.get(g)]);
  assert.equal(a, b);
  assert.equal(await positions.get(game()), a);
  assert.equal(positions.peek(g), a);
  assert.equal(asked(), 1);
  assert.deepEqual(a.stones, [["B", "h8"]]);
});

test("a refusal is told, and asked about anew the next time", async () => {
  const { positions, asked } = counted(), g = game();
  g.play("h8");
  await assert.rejects(positions.get(g), /taken/);
  await assert.rejects(positions.get(g), /taken/);
  assert.equal(asked(), 2);
});

test("only so many positions are kept, the newest", async () => {
  const { positions, asked } = counted();
  const fields = (n) => ({ rules: "caro", moves: [], n });
  for (let n = 0; n <= 3000; n++) await positions.ask(fields(n));
  await positions.ask(fields(3000));
  assert.equal(asked(), 3001);
  await positions.ask(fields(0));
  assert.equal(asked(), 3002);
});
