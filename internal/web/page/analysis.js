// What the engines think of the position that is shown: asked while the user
// looks at it, kept by position.

import { forBlack } from "./notation.js";

const KEPT = 400, WAIT = 50;

export class Analysis {
  /** @type {{key: string, sign: string, end: () => void} | null} */
  running = null;
  timer = 0;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Map<string, Known>} */
    this.results = new Map(); // by position
    app.on((what) => {
      if (what === "game" || what === "move") this.stop();
      if (["position", "view", "prefs", "game", "move"].includes(what)) this.follow();
    });
  }

  /** The fields of a query that the preferences ask for. */
  settings() {
    const { prefs, config } = this.app;
    /** @type {{engine: string, maxVisits?: number, maxNodes?: number, lines?: number}} */
    const s = { engine: this.app.engine };
    if (s.engine !== "alphabeta") s.maxVisits = Math.min(prefs.visits, config.limits.maxVisits || Infinity);
    if (s.engine !== "mcts") {
      s.maxNodes = Math.min(prefs.nodes, config.limits.maxNodes || Infinity);
      s.lines = prefs.lines;
    }
    return s;
  }

  /** What is known of a node, or null. */
  at(node = this.app.game.current) { return this.results.get(this.app.game.key(node)) || null; }

  get wanted() { return this.app.view === "analyse" && this.app.prefs.live && this.app.position && !this.app.position.outcome; }

  /** Asks about the current position, where that is wanted and not done yet. */
  follow() {
    const { app } = this, sign = JSON.stringify(this.settings());
    if (!this.wanted) { this.stop(); return; }
    const key = app.game.key();
    if (this.running && this.running.key === key && this.running.sign === sign) return;
    this.stop();
    const known = this.results.get(key);
    if (known && known.done && known.sign === sign) return;
    this.running = { key, sign, end: () => {} };
    this.timer = setTimeout(() => this.begin(app.game, app.game.current, key, sign), WAIT);
    app.tell("analysis");
  }

  /** @param {Game} game @param {GameNode} node @param {string} key @param {string} sign */
  begin(game, node, key, sign) {
    const { app } = this, run = this.running;
    const message = { ...game.fields(node), ...this.settings(), reportDuringSearchEvery: Math.max(0.12, app.config.limits.reportEvery || 0),
      analysisPVLen: 14, includePolicy: JSON.parse(sign).engine !== "alphabeta", priority: 50 };
    /** @type {Opinion | null} */
    let early = null;
    const endEarly = message.engine !== "both" ? () => {} : this.askEarly(message, node.turn, (opinion) => {
      early = opinion;
      const known = this.results.get(key);
      if (this.running !== run || (known && known.done)) return;
      this.keep(key, { answer: known ? { ...known.answer, alphabeta: opinion } : /** @type {Answer} */ ({ ...opinion }), sign, done: false });
      app.tell("analysis");
    });
    const { end } = app.socket.query(message, [node.turn], (answer, last) => {
      if (early && !answer.noResults && !answer.alphabeta) answer.alphabeta = early;
      if (answer.noResults && answer.error) app.notice(answer.error);
      const before = this.results.get(key);
      if (!answer.noResults && (last || !before || !before.done || before.sign !== sign)) this.keep(key, { answer, sign, done: last });
      if (last && !answer.noResults) note(node, answer);
      if (last && this.running === run) this.running = null;
      app.tell("analysis");
    }, (error) => {
      if (this.running === run) this.running = null;
      app.notice(error.message);
      app.tell("analysis");
    });
    if (run) run.end = () => { end(); endEarly(); };
  }

  /**
   * Where both engines are asked alpha-beta answers only at the end: it is asked alone as well, to be seen sooner.
   * @param {any} message
   * @param {number} turn
   * @param {(opinion: Opinion) => void} tell
   */
  askEarly({ maxVisits, includePolicy, reportDuringSearchEvery, ...message }, turn, tell) {
    return this.app.socket.query({ ...message, engine: "alphabeta", priority: 51 }, [turn], (answer, last) => {
      if (last && answer.moveInfos && answer.rootInfo) tell({ moveInfos: answer.moveInfos, rootInfo: answer.rootInfo });
    }, () => {}).end;
  }

  /** @param {string} key @param {Known} result */
  keep(key, result) {
    this.results.delete(key);
    this.results.set(key, result);
    if (this.results.size > KEPT) this.results.delete(/** @type {string} */ (this.results.keys().next().value));
  }

  stop() {
    clearTimeout(this.timer);
    if (!this.running) return;
    this.running.end();
    this.running = null;
  }
}

/** What an answer says itself, less what stands beside it; null where that is nothing. @param {Partial<Opinion>} answer */
const ownOpinion = (answer) => (answer.rootInfo ? /** @type {Opinion} */ (answer) : null);

/** Puts what an answer says of a position into its node, for the curve. @param {GameNode} node @param {Answer} answer */
export function note(node, answer) {
  /** @param {Opinion | null | undefined} opinion */
  const of = (opinion) => {
    if (!opinion) return;
    const { engine } = opinion.rootInfo;
    node.values = { ...node.values, [engine]: forBlack(opinion.rootInfo.winrate, opinion.rootInfo.currentPlayer) };
    node.best = { ...node.best, [engine]: opinion.moveInfos[0].move };
  };
  of(ownOpinion(answer));
  of(answer.alphabeta);
  node.differ = Boolean(answer.verdict);
}

/** The opinions in an answer by engine. @param {Answer | null | undefined} answer */
export function opinions(answer) {
  /** @type {Opinions} */
  const out = { mcts: null, alphabeta: (answer && answer.alphabeta) || null };
  const own = answer && ownOpinion(answer);
  if (own) out[own.rootInfo.engine] = own;
  return out;
}
