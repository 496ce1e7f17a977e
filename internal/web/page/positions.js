// Positions as the server describes them, kept while they may be looked at again.

const KEPT = 3000;

export class Positions {
  constructor(socket) {
    this.socket = socket;
    this.known = new Map(); // by key
    this.asked = new Map();
  }

  /** The position, if it is known. */
  peek(game, node = game.current) { return this.known.get(game.key(node)) || null; }

  /** The position; rejects where a move is illegal. */
  get(game, node = game.current) { return this.ask(game.fields(node)); }

  ask(fields) {
    const key = JSON.stringify(fields);
    const known = this.known.get(key);
    if (known) return Promise.resolve(known);
    let asked = this.asked.get(key);
    if (!asked) {
      asked = this.socket.ask({ action: "query_position", ...fields }).then((m) => {
        this.known.set(key, m.position);
        if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value);
        return m.position;
      }).finally(() => this.asked.delete(key));
      this.asked.set(key, asked);
    }
    return asked;
  }
}
