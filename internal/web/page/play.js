// A game against the engine: whose turn it is, what the engine is asked, swap2,
// clocks and how it ends.

import { Clock } from "./clock.js";
import { Game } from "./game.js";
import { refusalText, t } from "./i18n.js";
import { other, sideName } from "./notation.js";

const PRIORITY = 200, REPORTS = 0.2;

/** @typedef {(move: string, answer: Answer, node: GameNode) => void} Then */

export class Play {
  /** @type {PlayStatus} */ status = "idle";
  /** @type {Engines} */ engines = { B: false, W: false }; // the sides that the engine has
  /** @type {Strength | null} */ strength = null;
  /** @type {Clock | null} */ clock = null;
  result = ""; // in words
  /** @type {Swap} */ swap = ""; // how far swap2 is
  seed = 0;
  /** @type {{move: string, rate: number} | null} */ hint = null;
  /** @type {"" | "opening" | "swap2"} */ waiting = ""; // what was asked for and holds up the game
  trouble = ""; // why the engine did not answer
  /** @type {Search | null} */ search = null;
  /** @type {GameNode | null} */ booked = null; // where the engine's last move led, if it came from the book
  timer = 0; // of the next move of a game that is watched
  paused = false; // whether such a game is halted
  anew = false; // whether the next game begins anew, not at the position on the board
  starting = false; // whether the game that is shown now is the one that is played

  constructor(/** @type {App} */ app) {
    this.app = app;
    this.gameEnd = app.game.root; // where the game stands
    app.locked = () => this.locked;
    app.limit = () => (app.view === "play" && this.status !== "idle" ? this.gameEnd : null);
    app.on((what) => {
      if (what === "game" && !this.starting) this.forget();
      if ((what === "game" && !this.starting) || (what === "move" && this.status === "idle")) this.anew = false;
      if (what === "move" || what === "game") this.hint = null;
      if (what === "position") this.arrived();
      if (what === "view") {
        const { current } = app.game;
        if (app.limit() && (this.locked ? !this.atGameEnd : !app.line().includes(current))) app.go(this.gameEnd);
        this.arrived();
      }
    });
  }

  reset() {
    this.stop();
    this.status = "idle";
    this.engines = { B: false, W: false };
    this.strength = this.clock = this.hint = null;
    this.result = this.swap = this.waiting = this.trouble = "";
    this.paused = false;
    this.seed = 0;
    this.gameEnd = this.app.game.root;
  }

  /** Shows a game which is the one that is played, so that it is not forgotten. @param {() => void} show */
  takingUp(show) {
    this.starting = true;
    show();
    this.starting = false;
  }

  /** Another game is shown: what was played is over. */
  forget() {
    if (this.status === "idle") return;
    this.reset();
    this.app.emit("play");
  }

  get running() { return this.status === "running"; }

  /** Whether the engine is at work: on a move or a hint (search), on an opening or swap2 (waiting says on what). */
  get thinking() { return Boolean(this.search) || this.waiting !== ""; }

  /** Whether a game can go on from the position on the board. */
  get canGoOn() {
    const { game, position } = this.app;
    return (game.cards || game.current.turn > 0 || Boolean(game.variant.initialStones)) && !(position && position.outcome);
  }

  /** A game in which the board is not free to be changed. */
  get locked() { return this.status === "running" || this.status === "swap"; }

  /** Whether the current node is where the game stands. */
  get atGameEnd() { return this.app.game.current === this.gameEnd; }

  /**
   * Begins a game: `engines` says which sides the engine has, `strength` what it
   * is asked for, `opening` is here (from the position on the board), empty,
   * balanced, swap2-you or swap2-engine, `clock` is null or has minutes and increment.
   * @param {{variant: Partial<Variant>, engines: Engines, strength: Strength, opening: string, clock: Times | null}} choices
   */
  async start({ variant, engines, strength, opening, clock }) {
    const { app } = this;
    this.reset();
    this.strength = strength;
    this.engines = engines;
    this.seed = 1 + Math.floor(Math.random() * 1e9);
    this.takingUp(() => app.load(opening === "here" ? app.game.upToHere() : new Game(variant)));
    this.anew = true;
    if (clock) this.clock = new Clock(clock);
    this.gameEnd = app.game.current;
    if (opening.startsWith("swap2")) {
      this.status = "swap";
      this.swap = opening === "swap2-you" ? "put3" : "wait3";
      if (this.swap === "wait3") this.askSwap();
    } else {
      this.status = "running";
      if (opening === "balanced") await this.balanced();
    }
    app.emit("play");
    this.arrived();
  }

  /** Puts a balanced opening up. */
  async balanced() {
    const { app } = this, game = app.game;
    this.waiting = "opening";
    app.emit("play");
    /** @type {string[]} */ let moves = [];
    try { moves = await askOpening(app, game); } catch (e) { if (game === app.game) app.notice(e.message); }
    if (game !== app.game || this.waiting !== "opening") return; // another game, or resigned meanwhile
    this.waiting = "";
    for (const move of moves) this.gameEnd = game.add(this.gameEnd, move);
    if (app.view !== "play") return;
    app.game.go(this.gameEnd);
    app.moved("move");
  }

  /** The side that the user moves for now, or null. */
  input() {
    const { app } = this;
    if (!app.position || app.position.outcome) return null;
    const side = app.position.currentPlayer;
    if (app.view !== "play") return side;
    if (this.status === "idle" || this.status === "over") return this.status === "over" ? null : side;
    if (!this.atGameEnd || this.thinking) return null;
    if (this.status === "swap") return this.swap === "put3" || this.swap === "put2" ? side : null;
    return this.engines[side] ? null : side;
  }

  /** Takes a move at the current node, which is the game's where one is played. @param {string} move */
  move(move) {
    const { app } = this;
    app.play(move, (node) => { if (this.locked && app.view === "play") this.advance(node); });
  }

  /** The running game has come to a node. @param {GameNode} node */
  advance(node) {
    this.gameEnd = node;
    if (this.clock && this.running) this.clock.start(this.app.game.side(node), true);
  }

  /** Takes the engine's move at a node, which the user may have left meanwhile to look elsewhere. @param {GameNode} node @param {string} move */
  reply(node, move) {
    const { app } = this, there = node === app.game.current && app.view === "play";
    if (there || !this.locked) { if (node === app.game.current) this.move(move); return; }
    if (node !== this.gameEnd) return;
    this.advance(app.game.add(node, move));
    app.emit("analysis"); // what is shown of the game, not what is looked at
  }

  /** The position is known: the game may be over, or it is the engine's turn. */
  arrived() {
    const { app } = this;
    if (!this.locked || !app.position || !this.atGameEnd || this.waiting) { app.emit("play"); return; }
    if (this.status === "swap") { this.swapArrived(); return; }
    if (app.position.outcome) this.finish(app.outcomeText(app.position.outcome));
    else {
      if (this.clock && !this.paused && this.clock.running !== app.position.currentPlayer) this.clock.start(app.position.currentPlayer, false);
      if (this.engines[app.position.currentPlayer] && !this.search && app.view === "play") this.thinkSoon();
    }
    app.emit("play");
  }

  /** Whether the engine plays both sides. */
  get watched() { return this.engines.B && this.engines.W; }

  /** Lets the engine think; where the user watches, after the pause that they want between moves. */
  thinkSoon() {
    const { app } = this, pause = this.watched ? 1000 * app.prefs.pause : 0;
    clearTimeout(this.timer);
    if (this.paused) return;
    if (!pause) this.think();
    else this.timer = setTimeout(() => { if (this.running && this.atGameEnd && !this.search && app.view === "play") this.think(); }, pause);
  }

  /** Halts a game that is watched, or lets it go on. */
  togglePause() {
    this.paused = !this.paused;
    clearTimeout(this.timer);
    if (this.clock && this.paused) this.clock.start("", false);
    this.arrived();
  }

  finish(/** @type {string} */ result) {
    this.stop();
    this.waiting = "";
    this.status = "over";
    this.result = result;
    if (this.clock) this.clock.start("", false);
    this.app.game.reason = result;
    this.app.say(result);
    this.app.save();
    this.app.emit("play");
  }

  /** The fields that ask for a move of a strength. @param {Strength | null} strength @returns {Asked} */
  asked(strength) {
    const s = strength || { level: "medium" }, { book, limits } = this.app.config, drawn = book ? { seed: this.seed } : {};
    if (s.level) return { level: s.level, seed: this.seed };
    const engine = s.engine || "mcts", classical = engine === "alphabeta";
    const bound = classical ? { maxNodes: s.nodes || limits.maxNodes || 100000000 } : { maxVisits: s.playouts || limits.maxVisits || 1000000 };
    /** @type {Asked} */ const asked = { engine, ...bound, play: true, ...drawn };
    if (s.depth) asked.maxDepth = s.depth;
    if (s.seconds) {
      let seconds = s.seconds;
      if (this.clock && this.clock.running) seconds = Math.max(0.05, Math.min(seconds, this.clock.at(this.clock.running) / 15000));
      asked.overrideSettings = { maxTime: seconds };
    }
    return asked;
  }

  /**
   * Lets the engine find a move, which `then(move, answer, node)` gets. While it
   * searches, `search` says since when, how far it is (0 to 1), whether it is for a
   * hint, and whether the user wants it to end.
   */
  ask(/** @type {Strength | null} */ strength, /** @type {Then} */ then, hint = false) {
    const { app } = this, game = app.game, node = game.current, asked = this.asked(strength);
    this.stop();
    this.trouble = "";
    /** @type {Search} */
    const search = this.search = { since: Date.now(), share: 0, hint, hurried: false, begun: false, end: () => {}, finish: () => {} };
    const message = { ...game.fields(node), ...asked, priority: PRIORITY, reportDuringSearchEvery: Math.max(REPORTS, app.config.limits.reportEvery || 0) };
    Object.assign(search, app.socket.query(message, [node.turn], (answer, last) => {
      if (!last) { this.report(search, asked, answer); return; }
      this.search = null;
      const move = answer.rootInfo && answer.moveInfos ? answer.rootInfo.choice || answer.moveInfos[0].move : "";
      if (game !== app.game) { /* another game is shown */ }
      else if (move) then(move, answer, node);
      else if (answer.error) this.fail(refusalText(answer.code, answer.error));
      else if (node === game.current) this.arrived(); // ended before it began
      app.emit("play");
    }, (error) => { this.search = null; this.fail(error.message); }));
    app.emit("play");
  }

  /** Ends the search, of which nothing more is wanted. */
  stop() {
    clearTimeout(this.timer);
    if (this.search) this.search.end();
    this.search = null;
  }

  /** Takes note of how far a search is. What the user wants to end is ended once something is known. @param {Search} search @param {Asked} asked @param {Answer} answer */
  report(search, asked, { rootInfo }) {
    if (!rootInfo) return;
    const level = this.app.config.levels.find((l) => l.name === asked.level);
    const nodes = level ? level.nodes : asked.maxNodes;
    search.begun = true;
    if (asked.maxDepth) search.share = rootInfo.depth / asked.maxDepth;
    else if (nodes && !asked.overrideSettings) search.share = rootInfo.nodes / nodes;
    else if (asked.overrideSettings) search.share = (Date.now() - search.since) / 1000 / asked.overrideSettings.maxTime;
    else if (asked.maxVisits) search.share = rootInfo.visits / asked.maxVisits;
    search.share = Math.min(1, search.share);
    if (search.hurried) search.finish();
    this.app.emit("think");
  }

  /** Has the engine move now, with what it knows. */
  moveNow() {
    const { search } = this;
    if (!search || search.hurried) return;
    search.hurried = true;
    if (search.begun) search.finish();
    this.app.emit("think");
  }

  fail(/** @type {string} */ text) {
    this.trouble = text;
    this.app.notice(text);
    this.app.emit("play");
  }

  think() {
    this.ask(this.strength, (move, answer, node) => {
      this.reply(node, move);
      this.booked = answer.rootInfo && answer.rootInfo.book ? this.gameEnd : null;
    });
  }

  /** Shows what the engine would play for the user. */
  showHint() {
    const { app } = this;
    if (!app.position || app.position.outcome || this.thinking) return;
    const tree = app.config.engines.includes("mcts") && !app.game.cards;
    /** @type {Then} */ const found = (move, answer, node) => {
      if (node !== app.game.current) return;
      const rate = Math.round(100 * (answer.rootInfo ? answer.rootInfo.winrate : 0));
      this.hint = { move, rate };
      app.say(t("hintSaid", { move, n: rate }));
      app.emit("hint");
    };
    this.ask(tree ? { engine: "mcts", playouts: 400 } : { engine: "alphabeta", nodes: 50000 }, found, true);
  }

  /** Lets the engine make the move that the user would have to make. */
  engineMove() {
    const { app } = this;
    if (!app.position || app.position.outcome || this.thinking || !this.input()) return;
    this.ask(this.strength, (move, answer, node) => this.reply(node, move));
  }

  /** Back to the form, for a game from the position on the board. */
  fromHere() {
    this.reset();
    this.anew = false;
  }

  /** Takes back to the user's last turn. */
  takeBack() {
    const { app } = this;
    if (this.status === "idle" || app.view !== "play") { app.step(-1); return; }
    if (this.status === "swap" || !this.gameEnd.parent) return;
    const wasOver = this.status === "over";
    let node = this.gameEnd.parent;
    while (node.parent && this.engines[app.game.side(node)] && !this.engines[other(app.game.side(node))]) node = node.parent;
    if (this.engines[app.game.side(node)] && !node.parent && !wasOver && !this.engines.B !== !this.engines.W && this.gameEnd.turn <= 1) return;
    let gone = this.gameEnd;
    while (gone.parent && gone.parent !== node) gone = gone.parent;
    app.takeAway(t("takenBack"), () => {
      this.stop();
      this.waiting = this.result = "";
      this.status = "running";
      this.gameEnd = app.game.current = node;
      if (this.clock) this.clock.start(app.game.side(node), false);
      return app.cut(gone);
    });
  }

  resign() {
    if (!this.running) return;
    const mine = this.engines.B !== this.engines.W ? (this.engines.B ? "W" : "B") : this.app.toMove;
    this.finish(t("resigned", { winner: sideName(other(mine)), loser: sideName(mine) }));
  }

  /** Looks whether a clock has run out. */
  tick() {
    if (!this.clock || !this.running) return;
    const side = this.clock.fallen();
    if (side) this.finish(t("outOfTime", { winner: sideName(other(side)), loser: sideName(side) }));
  }

  // Swap2: three stones, then the other side takes a colour or puts two more.

  swapArrived() {
    const { app } = this, stones = app.game.current.turn;
    if (this.swap === "put3" && stones === 3) { this.swap = "wait-choice"; this.askSwap(); }
    if (this.swap === "put2" && stones === 5) { this.swap = "wait-choice"; this.askSwap(); }
    app.emit("play");
  }

  async askSwap() {
    const { app } = this, game = app.game;
    this.waiting = "swap2";
    app.emit("play");
    try {
      const fields = game.fields();
      const answer = await app.socket.ask({ action: "query_swap2", ...fields });
      if (game !== app.game || this.status !== "swap") return;
      this.waiting = "";
      if (answer.noResults) throw new Error(t("noTime"));
      this.swapAnswer(answer, fields.moves.length);
    } catch (e) {
      if (game === app.game) { this.reset(); this.fail(e.message); }
    }
    app.emit("play");
  }

  swapAnswer(/** @type {Message} */ answer, /** @type {number} */ stones) {
    const { app } = this;
    if (stones === 0) {
      for (const move of answer.moves || []) app.game.play(pointOfMove(move));
      this.gameEnd = app.game.current;
      this.swap = "choose3";
      app.moved("move");
      return;
    }
    app.say(t("engineTakes", { side: sideName(answer.choice === "black" ? "B" : "W") }));
    this.take(answer.choice === "black" ? "W" : "B");
  }

  /** The user has a colour now, and the game begins. @param {Side} side */
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
    this.app.emit("play");
  }

  toJSON() {
    const { status, engines, strength, clock, result, swap, seed, gameEnd, anew, paused } = this, line = status === "idle" ? [] : gameEnd.moves();
    return { anew, paused, status, engines, strength, clock, result, swap, seed, line };
  }

  restore(/** @type {KeptPlay | undefined} */ kept) {
    this.anew = Boolean(kept && kept.anew);
    if (!kept || kept.status === "idle" || !kept.engines) return;
    let gameEnd = this.app.game.root;
    for (const move of kept.line || []) {
      const next = gameEnd.children.find((c) => c.move === move);
      if (!next) return;
      gameEnd = next;
    }
    const { status, engines, strength, result, swap, seed, paused = false } = kept;
    Object.assign(this, { paused, status, engines, strength, result, swap, seed, gameEnd, clock: kept.clock ? new Clock(kept.clock) : null });
    if (this.swap.startsWith("wait")) this.askSwap();
  }
}

const pointOfMove = (/** @type {PlayedMove} */ move) => (Array.isArray(move) ? move[1] : move);

/** A balanced opening for the game's variant. @param {App} app @param {Game} game */
export async function askOpening(app, game) {
  const fields = { ...game.fields(game.root), moves: [] };
  const answer = await app.socket.ask({ action: "query_opening", ...fields, seed: 1 + Math.floor(Math.random() * 1e9), count: 1 });
  const found = answer.openings && answer.openings[0];
  if (!found) throw new Error(t(answer.noResults ? "noTime" : "noOpening"));
  return found.moves.map(pointOfMove);
}
