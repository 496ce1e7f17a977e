// What the engines think of the position that is shown: asked while the user looks at it, kept by position.

import { refusalText } from "./i18n.js";
import { forBlack } from "./notation.js";
import { Recent } from "./positions.js";

const KEPT = 400, WAIT = 50, LINE = 60;

export class Analysis {
  /** @type {{key: string, sign: string, since: number, drop: () => void} | null} */ running = null;
  timer = 0;

  constructor(/** @type {App} */ app) {
    this.app = app;
    /** @type {Recent<Known>} */ this.results = new Recent(KEPT); // by position
    app.on(() => this.stop(), "game", "move");
    app.on(() => this.follow(), "position", "view", "prefs", "game", "move");
  }

  /** The fields of a query that the preferences ask for. */
  settings() {
    const { prefs, config } = this.app;
    /** @type {Asked} */ const s = { engine: this.app.engine };
    if (config.book) s.useBook = false; // a layer shows what the book says
    if (this.app.position?.endgame) s.useEndgames = false; // it stands beside what they think themselves
    const { maxVisits = 1000000, maxNodes = 100000000 } = config.limits, { byTime, byDepth } = prefs;
    if (byTime) s.overrideSettings = { maxTime: byTime };
    if (s.engine !== "alphabeta") s.maxVisits = byTime ? maxVisits : Math.min(prefs.visits, maxVisits);
    if (s.engine !== "mcts") {
      s.maxNodes = byTime || byDepth ? maxNodes : Math.min(prefs.nodes, maxNodes);
      if (byDepth) s.maxDepth = byDepth;
      s.lines = prefs.lines;
    }
    return s;
  }

  /** What is known of a node, or null. */
  at(node = this.app.game.current) { return this.results.get(this.app.game.key(node)) || null; }

  get wanted() {
    const { view, prefs, engineHidden, position } = this.app;
    return view === "analyse" && prefs.live && !engineHidden && position && !position.outcome;
  }

  /** Asks about the current position, where that is wanted and not done yet. */
  follow() {
    const { app } = this, sign = JSON.stringify(this.settings());
    if (!this.wanted) { this.stop(); return; }
    const key = app.game.key();
    if (this.running && this.running.key === key && this.running.sign === sign) return;
    this.stop();
    const known = this.results.get(key);
    if (known && known.done && known.sign === sign) return;
    this.running = { key, sign, since: Date.now(), drop: () => {} };
    this.timer = setTimeout(() => this.begin(app.game, app.game.current, key, sign), WAIT);
    app.emit("analysis");
  }

  /** @param {Game} game @param {GameNode} node @param {string} key @param {string} sign */
  begin(game, node, key, sign) {
    const { app } = this, run = this.running;
    const message = { ...game.fields(node), ...this.settings(), reportDuringSearchEvery: Math.max(0.12, app.config.limits.reportEvery || 0),
      analysisPVLen: 14, includePolicy: app.engine !== "alphabeta", priority: 50 };
    const { drop } = app.socket.query(message, [node.turn], (answer, last) => {
      if (answer.noResults && answer.error) app.notice(refusalText(answer.code, answer.error));
      const before = this.results.get(key);
      const better = last || !before || !before.done || before.sign !== sign, whole = last || message.engine !== "each";
      if (!answer.noResults && better) this.results.set(key, { answer: whole ? answer : beside(before, answer), sign, done: last });
      if (!answer.noResults && last) note(node, answer, true);
      if (last && this.running === run) this.running = null;
      app.emit("analysis");
    }, (error) => {
      if (this.running === run) this.running = null;
      app.notice(error.message);
      app.emit("analysis");
    });
    if (run) run.drop = drop;
  }

  stop() {
    clearTimeout(this.timer);
    if (!this.running) return;
    this.running.drop();
    this.running = null;
  }
}

/** The fields of a query that bound a short search. @param {App} app @param {string} engine */
export function quickly({ prefs, config }, engine) {
  return { engine, ...(config.book ? { useBook: false } : {}), ...(engine === "alphabeta" ? {} : { maxVisits: prefs.sweepVisits }),
    ...(engine === "mcts" ? {} : { maxNodes: prefs.sweepVisits * 50 }) };
}

/** What an answer says itself, less what stands beside it; null where that is nothing. @param {Partial<Opinion>} answer */
const ownOpinion = (answer) => (answer.rootInfo ? /** @type {Opinion} */ (answer) : null);

/** An answer on the way, with what was known of the tree search before where only alpha-beta, which thinks first, has something to say yet. */
function beside(/** @type {Known | undefined} */ before, /** @type {Answer} */ answer) {
  const own = ownOpinion(answer);
  return before && own && own.rootInfo.engine === "alphabeta" && opinions(before.answer).mcts ? { ...before.answer, alphabeta: own } : answer;
}

/**
 * Puts what an answer says of a position into its node, for the curve and the grades; solved
 * endgames say it for the engines. A look at the position leaves what a review or a file says.
 */
export function note(/** @type {GameNode} */ node, /** @type {Answer} */ answer, look = false) {
  const { endgame } = answer;
  const of = (/** @type {Opinion | null | undefined} */ opinion) => {
    if (!opinion) return;
    const { engine, winrate, currentPlayer } = opinion.rootInfo, proven = endgame || opinion.rootInfo.proven;
    if (look && node.values[engine] !== undefined && !node.looked[engine]) return;
    node.looked[engine] = look;
    const [{ move, pv }] = endgame ? [{ move: endgame.moves[0].move, pv: [endgame.moves[0].move] }] : opinion.moveInfos;
    const line = proven && proven.line && proven.line[0] === move ? proven.line : pv;
    node.values = { ...node.values, [engine]: forBlack(proven ? { win: 1, draw: 0.5, loss: 0 }[proven.result] : winrate, currentPlayer) };
    node.best = { ...node.best, [engine]: move };
    node.found = { ...node.found, [engine]: { line: line.slice(0, LINE), ...(proven ? { proven: { result: proven.result, plies: proven.plies } } : {}) } };
  };
  of(ownOpinion(answer));
  of(answer.alphabeta);
  node.differ = Boolean(answer.verdict);
}

/** The opinions in an answer by engine. @param {Answer | null | undefined} answer */
export function opinions(answer) {
  /** @type {Opinions} */ const out = { mcts: null, alphabeta: (answer && answer.alphabeta) || null };
  const own = answer && ownOpinion(answer);
  if (own) out[own.rootInfo.engine] = own;
  return out;
}
