// Values of the whole game, turn by turn, in the background.

import { note, quickly } from "./analysis.js";
import { pointsOf } from "./notation.js";

const CHUNK = 24, WAIT = 400;

export class Sweep {
  /** @type {(() => void) | null} */ drop = null; // ends what is being asked
  timer = 0;

  constructor(/** @type {App} */ app) {
    this.app = app;
    app.on(() => this.stop(), "game");
    app.on(() => this.later(), "game", "position", "view", "prefs");
  }

  /** How many turns of the line are known, and how many there are. */
  progress() {
    const line = this.app.game.line();
    return { known: line.filter((n) => this.knows(n)).length, all: line.length };
  }

  knows(/** @type {GameNode} */ node) {
    const want = this.app.engine, told = (/** @type {EngineName} */ e) => node.values[e] !== undefined && !node.looked[e];
    return node.over || ((want === "alphabeta" || told("mcts")) && (want === "mcts" || told("alphabeta")));
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.follow(), WAIT);
  }

  /** Goes on with what is not known yet; ends where nobody looks. */
  follow() {
    const { app } = this;
    if (app.view !== "analyse" || !app.prefs.sweep) { this.stop(); return; }
    if (this.drop || !app.position) return; // what the user looks at is asked about first
    const line = app.game.line();
    if (line.length < 2) return;
    const todo = line.filter((n) => !this.knows(n)).slice(0, CHUNK);
    if (todo.length) this.ask(line[line.length - 1], new Map(todo.map((n) => [n.turn, n])));
  }

  /** Asks about nodes, by turn, of the line that ends in `last`. @param {GameNode} last @param {Map<number, GameNode>} nodes */
  ask(last, nodes) {
    const { app } = this, message = { ...app.game.fields(last), ...quickly(app, app.engine), analysisPVLen: 12, priority: -50 };
    ({ drop: this.drop } = app.socket.query(message, [...nodes.keys()], (answer, done) => {
      if (answer.isDuringSearch) return;
      const node = nodes.get(answer.turnNumber);
      if (node) this.take(node, answer);
      if (done) { this.drop = null; this.later(); }
      app.emit("analysis");
    }, () => { this.drop = null; }));
  }

  take(/** @type {GameNode} */ node, /** @type {Answer} */ answer) {
    if (answer.outcome) {
      const v = pointsOf(answer.outcome.winner);
      node.values = { mcts: v, alphabeta: v };
      node.over = true;
    } else if (!answer.noResults) note(node, answer);
    else node.over = true; // it failed, and would fail again
  }

  stop() {
    clearTimeout(this.timer);
    if (this.drop) this.drop();
    this.drop = null;
  }
}
