// The connection: JSON messages over a WebSocket. It comes back by itself, and
// what had no answer yet is asked again.

const FIRST_WAIT = 250, LONGEST_WAIT = 8000, BEAT = 15000;

export class Socket {
  /** `state` is called with "open", or "lost" and the seconds to the next try; `notice` with what concerns no query. */
  constructor(url, { state, notice }) {
    this.url = url;
    this.state = state;
    this.notice = notice;
    this.open = new Map(); // by id: what has no final answer yet
    this.count = 0;
    this.tries = 0;
    this.silent = 0;
    this.tag = Math.random().toString(36).slice(2, 8);
    window.addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.hurry(); });
    setInterval(() => this.beat(), BEAT);
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = 0;
    const ws = this.ws = new WebSocket(this.url);
    ws.onopen = () => {
      this.tries = 0;
      this.silent = 0;
      this.state("open");
      for (const q of this.open.values()) this.send(q);
    };
    ws.onmessage = (event) => { this.silent = 0; this.receive(JSON.parse(event.data)); };
    ws.onclose = (event) => { if (ws === this.ws) this.lost(event); };
  }

  lost(event) {
    if (event && event.reason) this.notice(event.reason);
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.tries) * (0.75 + Math.random() / 2);
    this.tries++;
    this.state("lost", wait / 1000);
    this.timer = setTimeout(() => this.connect(), wait);
  }

  /** Tries at once where the next try would come later. */
  hurry() { if (this.timer) { this.tries = 0; this.connect(); } }

  /** Finds connections that are dead without having been closed. */
  beat() {
    if (this.ws.readyState !== WebSocket.OPEN || document.hidden) return;
    if (this.silent++ === 0) return;
    if (this.silent === 2) this.ask({ action: "query_version" }).catch(() => {});
    if (this.silent > 2) {
      const ws = this.ws;
      this.ws = null;
      ws.close();
      this.lost();
    }
  }

  get connected() { return Boolean(this.ws) && this.ws.readyState === WebSocket.OPEN; }

  send(q) {
    if (!this.connected) return;
    const message = { ...q.message };
    if (q.turns) message.analyzeTurns = [...q.turns];
    this.ws.send(JSON.stringify(message));
  }

  receive(m) {
    const q = m.id === undefined ? null : this.open.get(m.id);
    if (m.warning !== undefined) return;
    if (!q) {
      if (m.error && m.id === undefined) this.notice(m.error);
      return;
    }
    if (m.error !== undefined && m.turnNumber === undefined) {
      this.open.delete(m.id);
      q.fail(Object.assign(new Error(m.error), { field: m.field || "" }));
      return;
    }
    if (q.turns) {
      if (m.isDuringSearch === false) q.turns.delete(m.turnNumber);
      const last = q.turns.size === 0;
      if (last) this.open.delete(m.id);
      q.answer(m, last);
      return;
    }
    this.open.delete(m.id);
    q.answer(m, true);
  }

  begin(message, turns, answer, fail) {
    const id = `${this.tag}-${++this.count}`;
    const q = { message: { ...message, id }, turns: turns && new Set(turns), answer, fail };
    this.open.set(id, q);
    this.send(q);
    return id;
  }

  /** Asks for an action; resolves to its echo. */
  ask(message) {
    return new Promise((resolve, reject) => this.begin(message, null, resolve, reject));
  }

  /**
   * Asks about turns of a game. `answer(message, last)` gets every answer, passing
   * ones included, `fail(error)` a refusal. Returns two functions: `end` ends it,
   * after which nothing more is told; `finish` has what is under way answered soon,
   * with what is known by then.
   */
  query(message, turns, answer, fail) {
    const id = this.begin(message, turns, answer, fail);
    const terminate = () => {
      if (this.connected) this.ws.send(JSON.stringify({ id: `${this.tag}-${++this.count}`, action: "terminate", terminateId: id }));
    };
    return { end: () => { if (this.open.delete(id)) terminate(); }, finish: () => { if (this.open.has(id)) terminate(); } };
  }

  /** The one answer of one turn. */
  once(message, turn) {
    return new Promise((resolve, reject) => {
      this.query(message, [turn], (m, last) => { if (last) resolve(m); }, reject);
    });
  }
}
