// A game against the engine: whose turn it is, what the engine is asked, and how it ends.

import { Game } from "./game.js";
import { refusalText, t } from "./i18n.js";
import { other, sideName } from "./notation.js";

const PRIORITY = 200, REPORTS = 0.2;

/** @typedef {(move: string, answer: Answer, node: GameNode) => void} Then */

export class Play {
  /** @type {PlayStatus} */ status = "idle";
  /** @type {Engines} */ engines = { B: false, W: false }; // the sides that the engine has
  /** @type {Strength | null} */ strength = null;
  result = ""; // in words
  seed = 0;
  /** @type {{move: string, rate: number} | null} */ hint = null;
  opening = false; // whether a balanced opening was asked for, and holds up the game
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
    app.locked = () => this.running;
    app.limit = () => (app.view === "play" && this.status !== "idle" ? this.gameEnd : null);
    app.on((event) => {
      if (event === "game" && !this.starting) this.forget();
      if ((event === "game" && !this.starting) || (event === "move" && this.status === "idle")) this.anew = false;
      if (event === "move" || event === "game") this.hint = null;
      if (event === "position") this.arrived();
      if (event === "view") {
        const { current } = app.game;
        if (app.limit() && (this.running ? !this.atGameEnd : !app.line().includes(current))) app.go(this.gameEnd);
        this.arrived();
      }
    });
  }

  reset() {
    this.stop();
    Object.assign(this, { status: "idle", engines: { B: false, W: false }, strength: null, hint: null, opening: false, paused: false, seed: 0 });
    this.result = this.trouble = "";
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

  /** Whether a game goes on, in which the board is not free to be changed. */
  get running() { return this.status === "running"; }

  /** Whether the engine is at work: on a move or a hint (search), or on an opening. */
  get thinking() { return Boolean(this.search) || this.opening; }

  /** Whether a game can go on from the position on the board. */
  get canGoOn() {
    const { game, position } = this.app;
    return (game.cards || game.current.turn > 0 || Boolean(game.variant.initialStones)) && !(position && position.outcome);
  }

  /** Whether the current node is where the game stands. */
  get atGameEnd() { return this.app.game.current === this.gameEnd; }

  /**
   * Begins a game: `engines` says which sides the engine has, `strength` what it is asked for, `opening` is here (from the
   * position on the board), empty or balanced.
   * @param {{variant: Partial<Variant>, engines: Engines, strength: Strength, opening: string}} choices
   */
  async start({ variant, engines, strength, opening }) {
    const { app } = this;
    this.reset();
    Object.assign(this, { strength, engines, status: "running", seed: 1 + Math.floor(Math.random() * 1e9) });
    this.takingUp(() => app.load(opening === "here" ? app.game.upToHere() : new Game(variant)));
    this.anew = true;
    this.gameEnd = app.game.current;
    if (opening === "balanced") await this.balanced();
    app.emit("play");
    this.arrived();
  }

  /** Puts a balanced opening up. */
  async balanced() {
    const { app } = this, game = app.game;
    this.opening = true;
    app.emit("play");
    /** @type {string[]} */ let moves = [];
    try { moves = await askOpening(app, game); } catch (e) { if (game === app.game) app.notice(e.message); }
    if (game !== app.game || !this.opening) return; // another game, or resigned meanwhile
    this.opening = false;
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
    if (app.view !== "play" || this.status === "idle") return side;
    return !this.running || !this.atGameEnd || this.thinking || this.engines[side] ? null : side;
  }

  /** Takes a move at the current node, which is the game's where one is played. @param {string} move */
  move(move) {
    const { app } = this;
    app.play(move, (node) => { if (this.running && app.view === "play") this.gameEnd = node; });
  }

  /** Takes the engine's move at a node, which the user may have left meanwhile to look elsewhere. @param {GameNode} node @param {string} move */
  reply(node, move) {
    const { app } = this, here = node === app.game.current;
    if ((here && app.view === "play") || !this.running) {
      if (here) this.move(move);
    } else if (node === this.gameEnd) {
      this.gameEnd = app.game.add(node, move);
      app.emit("analysis"); // what is shown of the game, not what is looked at
    }
  }

  /** The position is known: the game may be over, or it is the engine's turn. */
  arrived() {
    const { app } = this, { position } = app;
    if (this.running && position && this.atGameEnd && !this.opening) {
      if (position.outcome) this.finish(app.outcomeText(position.outcome));
      else if (this.engines[position.currentPlayer] && !this.search && app.view === "play") this.thinkSoon();
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
    this.arrived();
  }

  finish(/** @type {string} */ result) {
    this.stop();
    Object.assign(this, { opening: false, status: "over", result });
    this.app.game.reason = result;
    this.app.say(result);
    this.app.save();
    this.app.emit("play");
  }

  /** The fields that ask for a move of a strength. @param {Strength | null} strength @returns {Asked} */
  asked(strength) {
    const s = strength || { level: "medium" }, { book, limits } = this.app.config;
    if (s.level) return { level: s.level, seed: this.seed };
    /** @type {Asked} */ const asked = { engine: s.engine || "mcts", play: true };
    if (asked.engine === "alphabeta") asked.maxNodes = s.nodes || limits.maxNodes || 100000000;
    else asked.maxVisits = s.playouts || limits.maxVisits || 1000000;
    if (book) asked.seed = this.seed;
    if (s.depth) asked.maxDepth = s.depth;
    if (s.seconds) asked.overrideSettings = { maxTime: s.seconds };
    return asked;
  }

  /**
   * Lets the engine find a move, which `then(move, answer, node)` gets. While it searches, `search` says since when, how far it
   * is (0 to 1), whether it is for a hint, and whether the user wants it to end.
   * @param {Strength | null} strength @param {Then} then
   */
  ask(strength, then, hint = false) {
    const { app } = this, game = app.game, node = game.current, asked = this.asked(strength);
    this.stop();
    this.trouble = "";
    /** @type {Search} */
    const search = this.search = { since: Date.now(), share: 0, hint, hurried: false, begun: false, drop: () => {}, stop: () => {} };
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
    if (this.search) this.search.drop();
    this.search = null;
  }

  /**
   * Takes note of how far a search is. What the user wants to end is ended once something is known.
   * @param {Search} search @param {Asked} asked @param {Answer} answer
   */
  report(search, asked, { rootInfo }) {
    if (!rootInfo) return;
    const nodes = this.app.config.levels.find((l) => l.name === asked.level)?.nodes || asked.maxNodes;
    search.begun = true;
    if (asked.maxDepth) search.share = rootInfo.depth / asked.maxDepth;
    else if (asked.overrideSettings) search.share = (Date.now() - search.since) / 1000 / asked.overrideSettings.maxTime;
    else if (nodes) search.share = rootInfo.nodes / nodes;
    else if (asked.maxVisits) search.share = rootInfo.visits / asked.maxVisits;
    search.share = Math.min(1, search.share);
    if (search.hurried) search.stop();
    this.app.emit("think");
  }

  /** Has the engine move now, with what it knows. */
  moveNow() {
    const { search } = this;
    if (!search || search.hurried) return;
    search.hurried = true;
    if (search.begun) search.stop();
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
    this.ask(tree ? { engine: "mcts", playouts: 400 } : { engine: "alphabeta", nodes: 50000 }, (move, answer, node) => {
      if (node !== app.game.current) return;
      const rate = Math.round(100 * (answer.rootInfo ? answer.rootInfo.winrate : 0));
      this.hint = { move, rate };
      app.say(t("hintSaid", { move, n: rate }));
      app.emit("hint");
    }, true);
  }

  /** Lets the engine make the move that the user would have to make. */
  engineMove() {
    if (this.input() && !this.thinking) this.ask(this.strength, (move, _, node) => this.reply(node, move));
  }

  /** Back to the form, for a game from the position on the board. */
  fromHere() {
    this.reset();
    this.anew = false;
  }

  /** Takes back to the user's last turn. */
  takeBack() {
    const { app, engines } = this, at = (/** @type {GameNode} */ node) => engines[app.game.side(node)];
    if (this.status === "idle" || app.view !== "play") { app.step(-1); return; }
    if (!this.gameEnd.parent) return;
    let node = this.gameEnd.parent;
    if (engines.B !== engines.W) while (node.parent && at(node)) node = node.parent;
    if (this.running && engines.B !== engines.W && at(node) && this.gameEnd.turn <= 1) return; // it would only move again
    let gone = this.gameEnd;
    while (gone.parent && gone.parent !== node) gone = gone.parent;
    app.takeAway(t("takenBack"), () => {
      this.stop();
      Object.assign(this, { opening: false, result: "", status: "running" });
      this.gameEnd = app.game.current = node;
      return app.cut(gone);
    });
  }

  resign() {
    if (!this.running) return;
    const loser = this.engines.B !== this.engines.W ? (this.engines.B ? "W" : "B") : this.app.toMove;
    this.finish(t("resigned", { winner: sideName(other(loser)), loser: sideName(loser) }));
  }

  toJSON() {
    const { status, engines, strength, result, seed, anew, paused } = this;
    return { anew, paused, status, engines, strength, result, seed, line: status === "idle" ? [] : this.gameEnd.moves() };
  }

  restore(/** @type {KeptPlay | undefined} */ kept) {
    this.anew = Boolean(kept && kept.anew);
    if (!kept || !["running", "over"].includes(kept.status) || !kept.engines) return;
    let gameEnd = this.app.game.root;
    for (const move of kept.line || []) {
      const next = gameEnd.children.find((c) => c.move === move);
      if (!next) return;
      gameEnd = next;
    }
    const { status, engines, strength, result, seed, paused = false } = kept;
    Object.assign(this, { paused, status, engines, strength, result, seed, gameEnd });
  }
}

/** A balanced opening for the game's variant. @param {App} app @param {Game} game */
export async function askOpening(app, game) {
  const fields = { ...game.fields(game.root), moves: [] };
  const answer = await app.socket.ask({ action: "query_opening", ...fields, seed: 1 + Math.floor(Math.random() * 1e9), count: 1 });
  const found = answer.openings && answer.openings[0];
  if (!found) throw new Error(t(answer.noResults ? "noTime" : "noOpening"));
  return found.moves.map((move) => (Array.isArray(move) ? move[1] : move));
}
