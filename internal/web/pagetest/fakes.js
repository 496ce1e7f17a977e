// A browser without a screen, and a server that the tests play.

import { readFileSync } from "node:fs";
import { mock } from "node:test";
import { Window } from "happy-dom";
import { Refusal } from "../page/http.js";

const html = readFileSync(new URL("../page/index.html", import.meta.url), "utf8");
const body = /<body[^>]*>(.*)<\/body>/s.exec(html)[1];

/** Puts up an empty page, as index.html has it, at an address; what the browser has kept from before is gone. */
export function openPage(hash = "") {
  const window = new Window({ url: `http://localhost:8080/${hash}` });
  window.document.body.innerHTML = body;
  for (const name of ["window", "document", "location", "history", "CSS", "ResizeObserver"]) {
    Object.defineProperty(globalThis, name, { value: name === "window" ? window : window[name], configurable: true, writable: true });
  }
  return window;
}

/** Lets everything happen that waits for nothing but a promise. */
export const settled = () => new Promise((resolve) => { setImmediate(resolve); });

/** Makes the clock and setTimeout the test's own, from a time on; returns what lets milliseconds pass. */
export function ownTime(now = 1_000_000) {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now });
  return (ms) => mock.timers.tick(ms);
}

/**
 * What is seen of a position where no stone is ever taken. Whoever has five stones in
 * row 1 has won, whatever stands between.
 */
export function positionOf(fields) {
  const first = fields.initialPlayer || "B", second = first === "B" ? "W" : "B";
  const stones = [...(fields.initialStones || []), ...fields.moves.map((move, i) => [i % 2 ? second : first, move])];
  const numbers = stones.map((_, i) => Math.max(0, i + 1 - (fields.initialStones || []).length));
  const winner = ["B", "W"].find((side) => stones.filter(([of, point]) => of === side && /^[a-v]1$/.test(point)).length >= 5);
  return {
    turnNumber: fields.moves.length, turns: fields.moves.length, ply: fields.moves.length, currentPlayer: fields.moves.length % 2 ? second : first,
    stones, numbers, lastMove: fields.moves.at(-1), forbidden: [], legal: null, hash: fields.moves.join(""), text: fields.moves.join(""),
    ...(winner ? { outcome: { winner, reason: "line" } } : {}),
  };
}

/** The server's side of the socket: it tells positions by itself; the test answers the rest. */
export class FakeSocket {
  asked = []; // actions: {message, answer(echo), refuse(text, code, field)}
  queries = []; // {message, turns, answer(fields, last), refuse(text), ended, finished}

  ask(message) {
    return new Promise((resolve, reject) => {
      const refuse = (error, code = "busy", field = "") => reject(new Refusal({ error, code, field }));
      if (message.action !== "query_position") { this.asked.push({ message, answer: resolve, refuse }); return; }
      const bad = message.moves.findIndex((move, i) => message.moves.indexOf(move) !== i);
      if (bad >= 0) refuse(`move ${bad + 1}, ${message.moves[bad]}: the point is taken`, "illegal", `moves[${bad}]`);
      else resolve({ position: positionOf(message) });
    });
  }

  query(message, turns, answer, refuse) {
    const q = { message, turns, ended: false, finished: false,
      answer: (fields, last = true) => { if (!q.ended) answer({ turnNumber: turns[0], isDuringSearch: !last, ...fields }, last); },
      refuse: (error) => refuse(new Refusal({ error, code: "busy" })) };
    this.queries.push(q);
    return { drop: () => { q.ended = true; }, stop: () => { q.finished = true; } };
  }

  /** The queries that nobody has ended, of an engine. */
  open(engine) { return this.queries.filter((q) => !q.ended && (!engine || q.message.engine === engine)); }
}

/** An engine's opinion in which a move is the best. */
export function opinion(engine, move, { winrate = 0.5, currentPlayer = "B", visits = 10, nodes = 10, choice, pv = [move], ...info } = {}) {
  return { moveInfos: [{ move, order: 0, visits, winrate, prior: 0.5, pv, ...info }], rootInfo: { engine, currentPlayer, visits, winrate, nodes, depth: 1, selDepth: 1, choice } };
}

/** What a server without files says of itself. */
export const config = (changes = {}) => ({
  version: "test", commit: "", models: ["uniform"], engines: ["each", "mcts", "alphabeta"], review: [],
  games: [{ name: "gomoku", board: "cells", sizes: [5, 22], defaultRule: "caro", defaultSize: 15, rules: [rule("caro"), rule("freestyle"), { ...rule("pente"), captures: true }] },
    { name: "onitama", board: "cards", sizes: [5, 5], defaultRule: "onitama", defaultSize: 5, rules: [rule("onitama")] },
    { name: "mnk", board: "cells", sizes: [4, 4], defaultRule: "three", defaultSize: 4, rules: [rule("three")] }],
  levels: [{ name: "easy", nodes: 100 }, { name: "medium", nodes: 1000 }],
  defaults: { game: "gomoku", rule: "caro", size: 15, engine: "each", maxVisits: 400, maxNodes: 20000 },
  page: "1", scale: { grades: [["best", 0], ["good", 0.01], ["inaccuracy", 0.05], ["mistake", 0.1], ["blunder", 0.2]].map(([name, loss]) => ({ class: name, loss })),
    accuracy: { scale: 103.1668, rate: 4.354, less: 3.1669 } },
  limits: { maxVisits: 1000, maxNodes: 100000, maxTime: 10, reportEvery: 0.1, line: 65536, queries: 100, body: 1 << 20 },
  ...changes,
});

const rule = (name) => ({ name, title: name, about: "", captures: false, forbidden: "none" });

/** An app with a fake server and a time of its own, and what it has told the user. */
export async function newApp({ prefs = {}, hash = "", ...changes } = {}) {
  openPage(hash);
  const pass = ownTime();
  const [{ App }, { Positions }, { Prefs }] = await Promise.all([import("../page/app.js"), import("../page/positions.js"), import("../page/prefs.js")]);
  const told = { said: [], notices: [] }, socket = new FakeSocket();
  const app = new App({ prefs: Object.assign(new Prefs(), prefs), config: config(changes), socket, positions: new Positions(socket),
    say: (text) => told.said.push(text), notice: (text, action) => { told.notices.push(text); told.action = action; } });
  return { app, socket, told, pass };
}
