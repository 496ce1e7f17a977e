// The connection: JSON messages over a WebSocket, or over what stands in its place. It
// comes back by itself, and what had no answer yet is asked again.

import { refusalText } from "./i18n.js";
import { Refusal } from "./http.js";

const FIRST_WAIT = 250, LONGEST_WAIT = 8000, BEAT = 4000;
const OPEN = 1; // the state of a connection that stands
const TRY_LATER = 1013; // the code of a close that says so

/**
 * What has no final answer yet: an action's echo (`turns` is null), or answers for turns.
 * @typedef {{message: object, turns: null, answer: (echo: Message) => void, fail: (error: Error) => void}
 *   | {message: object, turns: Set<number>, answer: (answer: Answer, last: boolean) => void, fail: (error: Error) => void}} Open
 */

/** @typedef {{state: (state: "open" | "lost", seconds?: number) => void, notice: (text: string) => void}} Calls */

export class Socket {
  timer = 0; // of the next try to connect
  /** @type {Wire | null} */ ws = null;
  count = 0; // of queries
  tries = 0; // to connect, since the last time that it was possible
  silent = 0; // looks at the connection since it last said anything

  /**
   * `dial` makes a connection; `state` is called with "open", or "lost" and the seconds to the next try; `notice` with
   * what concerns no query. @param {Served["dial"]} dial @param {Calls} calls
   */
  constructor(dial, { state, notice }) {
    this.dial = dial;
    this.state = state;
    this.notice = notice;
    /** @type {Map<string, Open>} */ this.open = new Map(); // by id: what has no final answer yet
    this.tag = Math.random().toString(36).slice(2, 8);
    window.addEventListener("online", () => this.reconnectNow());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.reconnectNow(); });
    setInterval(() => this.beat(), BEAT);
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = 0;
    const ws = this.ws = this.dial();
    ws.onopen = () => {
      this.tries = 0;
      this.silent = 0;
      this.state("open");
      for (const q of this.open.values()) this.send(q);
    };
    ws.onmessage = (event) => { this.silent = 0; this.receive(JSON.parse(event.data)); };
    ws.onclose = (event) => { if (ws === this.ws) this.lost(event); };
  }

  /** A reason without a code is in the user's language. @param {{reason?: string, code?: number}} [event] */
  lost(event) {
    if (event && event.reason) this.notice(event.code ? refusalText(event.code === TRY_LATER ? "busy" : "failed", event.reason) : event.reason);
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.tries) * (0.75 + Math.random() / 2);
    this.tries++;
    this.state("lost", wait / 1000);
    this.timer = setTimeout(() => this.connect(), wait);
  }

  /** Tries at once where the next try would come later. */
  reconnectNow() { if (this.timer) { this.tries = 0; this.connect(); } }

  /** Finds connections that are dead without having been closed. */
  beat() {
    if (!this.ws || this.ws.readyState !== OPEN || document.hidden) return;
    if (this.silent++ === 0) return;
    if (this.silent === 2) this.ask({ action: "query_version" }).catch(() => {});
    if (this.silent > 2) {
      const ws = this.ws;
      this.ws = null;
      ws.close();
      this.lost();
    }
  }

  /** Sends a message if there is a connection. @param {object} message */
  write(message) {
    if (this.ws && this.ws.readyState === OPEN) this.ws.send(JSON.stringify(message));
  }

  /** Asks what has no answer yet. @param {Open} q */
  send(q) {
    this.write(q.turns ? { ...q.message, analyzeTurns: [...q.turns] } : q.message);
  }

  receive(/** @type {Message} */ m) {
    const id = m.id || "", q = this.open.get(id);
    if (m.warning !== undefined) return;
    if (!q) {
      if (m.error && m.id === undefined) this.notice(new Refusal(m).message);
      return;
    }
    if (m.error !== undefined && m.turnNumber === undefined) {
      this.open.delete(id);
      q.fail(new Refusal(m));
      return;
    }
    if (q.turns) {
      const answer = /** @type {Answer} */ (m);
      if (m.isDuringSearch === false) q.turns.delete(answer.turnNumber);
      const last = q.turns.size === 0;
      if (last) this.open.delete(id);
      q.answer(answer, last);
      return;
    }
    this.open.delete(id);
    q.answer(m);
  }

  /** Asks, and returns the id that it is asked by. @param {Open} q */
  begin(q) {
    const id = `${this.tag}-${++this.count}`;
    q.message = { ...q.message, id };
    this.open.set(id, q);
    this.send(q);
    return id;
  }

  /** Asks for an action; resolves to its echo. @param {object} message @returns {Promise<Message>} */
  ask(message) {
    return new Promise((answer, fail) => { this.begin({ message, turns: null, answer, fail }); });
  }

  /**
   * Asks about turns of a game. `answer(message, last)` gets every answer, passing ones included, `fail(error)` a refusal.
   * What it returns ends it, after which nothing more is told, or has what is under way answered soon, with what is known
   * by then.
   * @type {(message: object, turns: number[], answer: (answer: Answer, last: boolean) => void, fail: (error: Error) => void) => Query}
   */
  query(message, turns, answer, fail) {
    const id = this.begin({ message, turns: new Set(turns), answer, fail });
    const terminate = () => this.write({ id: `${this.tag}-${++this.count}`, action: "terminate", terminateId: id });
    return { drop: () => { if (this.open.delete(id)) terminate(); }, stop: () => { if (this.open.has(id)) terminate(); } };
  }
}
