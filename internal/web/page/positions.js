// Positions as the server describes them, kept while they may be looked at again.

const KEPT = 3000;

/** The values of the keys that were set last, so many of them. @template V @extends {Map<string, V>} */
export class Recent extends Map {
  constructor(/** @type {number} */ most) {
    super();
    this.most = most;
  }

  set(/** @type {string} */ key, /** @type {V} */ value) {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.most) this.delete(/** @type {string} */ (this.keys().next().value));
    return this;
  }
}

export class Positions {
  constructor(/** @type {Pick<Socket, "ask">} */ socket) {
    this.socket = socket;
    /** @type {Recent<Position>} */ this.known = new Recent(KEPT); // by key
    /** @type {Map<string, Promise<Position>>} */ this.asked = new Map();
  }

  /** The position, if it is known. @param {Game} game */
  peek(game, node = game.current) { return this.known.get(game.key(node)) || null; }

  /** The position; rejects where a move is illegal. @param {Game} game */
  get(game, node = game.current) { return this.ask(game.fields(node)); }

  /** @param {Fields} fields @returns {Promise<Position>} */
  ask(fields) {
    const key = JSON.stringify(fields);
    const known = this.known.get(key);
    if (known) return Promise.resolve(known);
    let asked = this.asked.get(key);
    if (!asked) {
      asked = this.socket.ask({ action: "query_position", ...fields }).then((m) => {
        const position = /** @type {Position} */ (m.position);
        this.known.set(key, position);
        return position;
      }).finally(() => this.asked.delete(key));
      this.asked.set(key, asked);
    }
    return asked;
  }
}
