// A game against the engine: whose turn it is, what the engine is asked, swap2,
// clocks and how it ends.

import { Clock } from "./clock.js";
import { Game } from "./game.js";
import { other, sideName } from "./notation.js";

const PRIORITY = 200, HINT = { engine: "mcts", maxVisits: 400 };

export class Play {
  constructor(app) {
    this.app = app;
    this.reset();
    app.on((what) => {
      if (what === "game" && !this.starting) this.forget();
      if (what === "move" || what === "game") this.hint = null;
      if (what === "position") this.arrived();
      if (what === "view") {
        if (app.view === "play" && this.locked && !this.atTip) app.go(this.tip);
        this.arrived();
      }
    });
  }

  reset() {
    if (this.end) this.end();
    Object.assign(this, { status: "idle", engines: { B: false, W: false }, strength: null, clock: null, result: "", swap: "", seed: 0, tip: null,
      end: null, hint: null, thinking: false, trouble: "" });
  }

  /** Shows a game which is the one that is played, so that it is not forgotten. */
  takingUp(show) {
    this.starting = true;
    show();
    this.starting = false;
  }

  /** Another game is shown: what was played is over. */
  forget() {
    if (this.status === "idle") return;
    this.reset();
    this.app.tell("play");
  }

  get running() { return this.status === "running"; }

  /** A game in which the board is not free to be changed. */
  get locked() { return this.status === "running" || this.status === "swap"; }

  /** Whether the current node is where the game stands. */
  get atTip() { return this.app.game.current === this.tip; }

  /**
   * Begins a game: `engines` says which sides the engine has, `strength` what it
   * is asked for, `opening` is empty, balanced, swap2-you or swap2-engine, `clock`
   * is null or has minutes and increment.
   */
  async start({ variant, engines, strength, opening, clock }) {
    const { app } = this;
    this.reset();
    Object.assign(this, { strength, engines, seed: 1 + Math.floor(Math.random() * 1e9) });
    this.takingUp(() => app.load(new Game(variant)));
    if (clock) this.clock = new Clock(clock);
    this.tip = app.game.current;
    if (opening.startsWith("swap2")) {
      this.status = "swap";
      this.swap = opening === "swap2-you" ? "put3" : "wait3";
      if (this.swap === "wait3") this.askSwap();
    } else {
      this.status = "running";
      if (opening === "balanced") await this.balanced();
    }
    app.tell("play");
    this.arrived();
  }

  /** Puts a balanced opening up. */
  async balanced() {
    const { app } = this, game = app.game;
    this.thinking = true;
    app.tell("play");
    try {
      const moves = await askOpening(app, game);
      if (game !== app.game) return;
      for (const move of moves) app.game.play(move);
      this.tip = app.game.current;
      app.moved("move");
    } catch (e) { app.notice(e.message); }
    this.thinking = false;
  }

  /** The side that the user moves for now, or null. */
  input() {
    const { app } = this;
    if (!app.position || app.position.outcome) return null;
    const side = app.position.currentPlayer;
    if (app.view !== "play") return side;
    if (this.status === "idle" || this.status === "over") return this.status === "over" ? null : side;
    if (!this.atTip || this.thinking) return null;
    if (this.status === "swap") return this.swap === "put3" || this.swap === "put2" ? side : null;
    return this.engines[side] ? null : side;
  }

  /** Takes a move of the user. */
  move(move) {
    this.app.play(move);
    if (this.locked && this.app.view === "play") this.moved();
  }

  /** A move was made in the running game. */
  moved() {
    this.tip = this.app.game.current;
    if (this.clock && this.running) this.clock.start(this.app.game.side(), true);
  }

  /** The position is known: the game may be over, or it is the engine's turn. */
  arrived() {
    const { app } = this;
    const waits = this.thinking && !this.end; // for an opening, or for swap2
    if (!this.locked || !app.position || !this.atTip || waits) { app.tell("play"); return; }
    if (this.status === "swap") { this.swapArrived(); return; }
    if (app.position.outcome) this.finish(app.outcomeText(app.position.outcome));
    else {
      if (this.clock && this.clock.running !== app.position.currentPlayer) this.clock.start(app.position.currentPlayer, false);
      if (this.engines[app.position.currentPlayer] && !this.end && app.view === "play") this.think();
    }
    app.tell("play");
  }

  finish(result) {
    if (this.end) this.end();
    this.end = null;
    this.thinking = false;
    this.status = "over";
    this.result = result;
    if (this.clock) this.clock.start("", false);
    this.app.game.reason = result;
    this.app.say(result);
    this.app.save();
    this.app.tell("play");
  }

  /** The fields that ask for a move of a strength. */
  asked(strength) {
    const s = strength || { level: "medium" };
    if (s.level) return { level: s.level, seed: this.seed };
    if (s.engine === "alphabeta") return { engine: "alphabeta", maxNodes: s.nodes };
    if (s.seconds) {
      let seconds = s.seconds;
      if (this.clock && this.clock.running) seconds = Math.max(0.05, Math.min(seconds, this.clock.at(this.clock.running) / 15000));
      return { engine: "mcts", maxVisits: this.app.config.limits.maxVisits || 1000000, overrideSettings: { maxTime: seconds } };
    }
    return { engine: "mcts", maxVisits: s.playouts };
  }

  /** Lets the engine find a move, which `then` gets. */
  ask(strength, then) {
    const { app } = this, game = app.game, node = game.current;
    if (this.end) this.end();
    this.thinking = true;
    this.trouble = "";
    app.tell("play");
    const over = () => { this.end = null; this.thinking = false; };
    this.end = app.socket.query({ ...game.fields(node), ...this.asked(strength), priority: PRIORITY }, [node.turn], (answer, last) => {
      if (!last) return;
      over();
      if (game !== app.game || node !== game.current) { app.tell("play"); return; }
      const move = answer.noResults ? "" : (answer.rootInfo.choice || answer.moveInfos[0].move);
      if (move) then(move, answer);
      else if (answer.error) this.fail(answer.error);
      app.tell("play");
    }, (error) => { over(); this.fail(error.message); });
  }

  fail(text) {
    this.trouble = text;
    this.app.notice(text);
    this.app.tell("play");
  }

  think() { this.ask(this.strength, (move) => this.move(move)); }

  /** Shows what the engine would play for the user. */
  showHint() {
    const { app } = this;
    if (!app.position || app.position.outcome || this.end) return;
    const engine = app.config.engines.includes("mcts") ? HINT : { engine: "alphabeta", maxNodes: 50000 };
    const found = (move, answer) => {
      this.hint = move;
      app.say(`Hint: ${move}, ${Math.round(100 * answer.rootInfo.winrate)} percent.`);
      app.tell("hint");
    };
    this.ask(app.game.cards ? { engine: "alphabeta", nodes: 50000 } : { engine: engine.engine, playouts: engine.maxVisits, nodes: engine.maxNodes }, found);
  }

  /** Lets the engine make the move that the user would have to make. */
  engineMove() {
    const { app } = this;
    if (!app.position || app.position.outcome || this.end || !this.input()) return;
    this.ask(this.strength, (move) => this.move(move));
  }

  /** Takes back to the user's last turn. */
  takeBack() {
    const { app } = this;
    if (this.status === "idle" || app.view !== "play") { app.step(-1); return; }
    if (this.status === "swap" || !this.tip.parent) return;
    if (this.end) this.end();
    this.end = null;
    this.thinking = false;
    const wasOver = this.status === "over";
    let node = this.tip.parent;
    while (node.parent && this.engines[app.game.side(node)] && !this.engines[other(app.game.side(node))]) node = node.parent;
    if (this.engines[app.game.side(node)] && !node.parent && !wasOver && !this.engines.B !== !this.engines.W && this.tip.turn <= 1) return;
    this.status = "running";
    this.result = "";
    const gone = node.children.find((c) => { for (let n = this.tip; n; n = n.parent) if (n === c) return true; return false; });
    this.tip = node;
    app.game.current = node;
    app.say("Taken back.");
    if (this.clock) this.clock.start(app.game.side(node), false);
    app.remove(gone);
  }

  resign() {
    if (!this.running) return;
    const mine = this.engines.B !== this.engines.W ? (this.engines.B ? "W" : "B") : this.app.toMove;
    this.finish(`${sideName(other(mine))} wins: ${sideName(mine)} resigned.`);
  }

  /** Looks whether a clock has run out. */
  tick() {
    if (!this.clock || !this.running) return;
    const side = this.clock.fallen();
    if (side) this.finish(`${sideName(other(side))} wins: ${sideName(side)} ran out of time.`);
  }

  // Swap2: three stones, then the other side takes a colour or puts two more.

  swapArrived() {
    const { app } = this, stones = app.game.current.turn;
    if (this.swap === "put3" && stones === 3) { this.swap = "wait-choice"; this.askSwap(); }
    if (this.swap === "put2" && stones === 5) { this.swap = "wait-choice"; this.askSwap(); }
    app.tell("play");
  }

  async askSwap() {
    const { app } = this, game = app.game;
    this.thinking = true;
    app.tell("play");
    try {
      const fields = game.fields();
      const answer = await app.socket.ask({ action: "query_swap2", ...fields });
      if (game !== app.game || this.status !== "swap") return;
      this.thinking = false;
      this.swapAnswer(answer, fields.moves.length);
    } catch (e) {
      this.thinking = false;
      if (game === app.game) { this.reset(); this.fail(e.message); }
    }
    app.tell("play");
  }

  swapAnswer(answer, stones) {
    const { app } = this;
    if (stones === 0 || answer.choice === "add") {
      for (const move of answer.moves) app.game.play(Array.isArray(move) ? move[1] : move);
      this.tip = app.game.current;
      this.swap = stones === 0 ? "choose3" : "choose5";
      app.moved("move");
      return;
    }
    app.say(`The engine takes ${answer.choice === "black" ? "Black" : "White"}.`);
    this.take(answer.choice === "black" ? "W" : "B");
  }

  /** The user has a colour now, and the game begins. */
  take(side) {
    this.engines = { B: side !== "B", W: side !== "W" };
    this.status = "running";
    this.swap = "";
    this.app.save();
    this.arrived();
  }

  /** The user puts two more stones. */
  addTwo() {
    this.swap = "put2";
    this.app.tell("play");
  }

  toJSON() {
    const { status, engines, strength, clock, result, swap, seed, app, tip } = this;
    return { status, engines, strength, clock, result, swap, seed, tip: tip ? tip.turn : 0, line: tip ? tip.moves() : [], at: app.game.current.turn };
  }

  restore(kept) {
    if (!kept || kept.status === "idle" || !kept.engines) return;
    let tip = this.app.game.root;
    for (const move of kept.line || []) {
      tip = tip.children.find((c) => c.move === move);
      if (!tip) return;
    }
    const { status, engines, strength, result, swap, seed } = kept;
    Object.assign(this, { status, engines, strength, result, swap, seed, tip, clock: kept.clock ? new Clock(kept.clock) : null });
    if (this.swap.startsWith("wait")) this.askSwap();
  }
}

/** A balanced opening for the game's variant. */
export async function askOpening(app, game) {
  const fields = { ...game.fields(game.root), moves: [] };
  const answer = await app.socket.ask({ action: "query_opening", ...fields, seed: 1 + Math.floor(Math.random() * 1e9), count: 1 });
  const found = answer.openings && answer.openings[0];
  if (!found) throw new Error("No balanced opening was found.");
  return found.moves.map((m) => (Array.isArray(m) ? m[1] : m));
}
