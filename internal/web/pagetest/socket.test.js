import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { openPage, ownTime, settled } from "./fakes.js";
import { Socket } from "../page/socket.js";

let made = []; // the connections, the newest last

class FakeWebSocket {
  readyState = 0;
  sent = [];
  constructor() { made.push(this); }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 3; }
  opens() { this.readyState = 1; this.onopen(); }
  breaks(reason = "") { this.readyState = 3; this.onclose({ reason }); }
  says(message) { this.onmessage({ data: JSON.stringify(message) }); }
}

let socket, pass, states, notices;

beforeEach(() => {
  openPage();
  pass = ownTime();
  made = [];
  states = [];
  notices = [];
  socket = new Socket(() => new FakeWebSocket(), { state: (state) => states.push(state), notice: (text) => notices.push(text) });
});

const last = () => made.at(-1);

test("an action is resolved by its echo, refused by an error with its code and the field at fault", async () => {
  last().opens();
  const position = socket.ask({ action: "query_position", moves: ["h8"] }), bad = socket.ask({ action: "query_position", moves: ["zz"] });
  const [first, second] = last().sent;
  assert.deepEqual(first.moves, ["h8"]);
  last().says({ id: second.id, error: "moves: no point", code: "invalid", field: "moves[0]" });
  last().says({ id: first.id, action: "query_position", position: { hash: "x" } });
  assert.equal((await position).position.hash, "x");
  await assert.rejects(bad, (e) => e.message === "moves: no point" && e.code === "invalid" && e.field === "moves[0]");
});

test("answers on the way are told, the last one of all turns is the end", () => {
  last().opens();
  const got = [];
  socket.query({ moves: [] }, [0, 1], (answer, end) => got.push([answer.turnNumber, answer.isDuringSearch, end]), assert.fail);
  const { id, analyzeTurns } = last().sent[0];
  assert.deepEqual(analyzeTurns, [0, 1]);
  last().says({ id, turnNumber: 1, isDuringSearch: true });
  last().says({ id, turnNumber: 1, isDuringSearch: false });
  last().says({ id, turnNumber: 0, isDuringSearch: false });
  last().says({ id, turnNumber: 0, isDuringSearch: false });
  assert.deepEqual(got, [[1, true, false], [1, false, false], [0, false, true]]);
});

test("a query that is ended is told of no more, and the server ends it", () => {
  last().opens();
  const { drop, stop } = socket.query({ moves: [] }, [0], assert.fail, assert.fail);
  const { id } = last().sent[0];
  drop();
  drop();
  stop();
  assert.deepEqual(last().sent.slice(1).map((m) => [m.action, m.terminateId]), [["terminate", id]]);
  last().says({ id, turnNumber: 0, isDuringSearch: false });
});

test("a query that is to be finished still tells its answer", () => {
  last().opens();
  const got = [];
  const { stop } = socket.query({ moves: [] }, [0], (answer) => got.push(answer.turnNumber), assert.fail);
  stop();
  assert.equal(last().sent[1].action, "terminate");
  last().says({ id: last().sent[0].id, turnNumber: 0, isDuringSearch: false });
  assert.deepEqual(got, [0]);
});

test("what is asked before the connection stands is asked then", () => {
  socket.ask({ action: "query_version" });
  assert.equal(last().sent.length, 0);
  last().opens();
  assert.deepEqual(last().sent.map((m) => m.action), ["query_version"]);
});

test("after a lost connection it comes back, and asks again what had no answer, and only that", async () => {
  last().opens();
  const version = socket.ask({ action: "query_version" });
  socket.query({ moves: [] }, [0, 1], () => {}, assert.fail);
  const [asked, query] = last().sent;
  last().says({ id: asked.id, version: "1" });
  last().says({ id: query.id, turnNumber: 0, isDuringSearch: false });
  await version;
  last().breaks();
  assert.deepEqual(states, ["open", "lost"]);
  pass(1000);
  assert.equal(made.length, 2);
  last().opens();
  assert.deepEqual(last().sent.map((m) => [m.id, m.analyzeTurns]), [[query.id, [1]]]);
});

test("tries to connect come ever later, but at once when the user wants", () => {
  for (let n = 0; n < 8; n++) { last().breaks(); pass(10_000); }
  assert.equal(made.length, 9);
  last().breaks();
  pass(1000);
  assert.equal(made.length, 9);
  socket.reconnectNow();
  assert.equal(made.length, 10);
});

test("a connection that says nothing at all is given up for a new one", async () => {
  last().opens();
  const dead = last();
  pass(4000);
  assert.equal(dead.sent.length, 0);
  pass(4000);
  assert.deepEqual(dead.sent.map((m) => m.action), ["query_version"]);
  pass(4000);
  assert.equal(dead.readyState, 3);
  pass(1000);
  assert.equal(made.length, 2);
  last().opens();
  await settled();
});

test("a connection that says something lives on", () => {
  last().opens();
  for (let n = 0; n < 10; n++) { pass(4000); last().says({ warning: "w" }); }
  assert.equal(made.length, 1);
});

test("nothing is looked at while there is no connection", () => {
  last().opens();
  for (let n = 0; n < 3; n++) socket.beat();
  assert.equal(socket.ws, null);
  socket.beat();
  assert.equal(states.at(-1), "lost");
});

test("why a connection was closed, and errors of no query, are told", () => {
  last().opens();
  last().says({ error: "not JSON" });
  last().breaks("too many messages");
  assert.deepEqual(notices, ["not JSON", "too many messages"]);
});
