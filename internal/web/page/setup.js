// What an editor sets: stones on a board of cells, or the men and cards of a game that
// has them. Both begin with what is shown, and become a game that begins there.

import { manName } from "./cardboard.js";
import { el, field, segments, select } from "./dom.js";
import { Game } from "./game.js";
import { gameInfo } from "./games.js";
import { t } from "./i18n.js";
import { pointName, sideName } from "./notation.js";

/** The sides with their names. */
export const sides = () => /** @type {[Side, string][]} */ ([["B", t("black")], ["W", t("white")]]);

/** What a click puts. @param {HTMLElement} tools */
const putting = (tools) => el("div", { class: "field" }, el("span", { class: "label", text: t("putWhat") }), tools);

export class StoneSetup {
  /** @type {Map<string, Side>} */ stones = new Map(); // by point
  /** @type {Side | "none"} */ tool = "B"; // what a click puts there

  constructor(/** @type {App} */ app) {
    this.app = app;
    this.tools = segments(t("putWhat"), /** @type {[Side | "none", string][]} */ ([...sides(), ["none", t("erase")]]), this.tool, (v) => { this.tool = v; });
    this.element = putting(this.tools);
  }

  /** @param {Position} position */
  take(position) { this.stones = new Map(position.stones.map(([side, point]) => [point, side])); }

  /** Sets a point as the tool says; a stone that is there already is taken off. @param {string} point */
  put(point) {
    if (this.tool === "none" || this.stones.get(point) === this.tool) this.stones.delete(point);
    else this.stones.set(point, this.tool);
  }

  clear() { this.stones.clear(); }

  /** What is wrong with the count of stones, "" if nothing is; where stones are captured any count can come. @param {Side} first who is to move */
  wrong(first) {
    const count = [...this.stones.values()].filter((s) => s === "B").length, white = this.stones.size - count, want = first === "B" ? white : white + 1;
    return count === want || this.app.rule().captures ? "" : t("miscounted", { side: sideName(first), white, want, n: count });
  }

  game(/** @type {Side} */ first) {
    const { initialStones: _, initialPlayer: __, ...rest } = this.app.game.variant;
    const stones = [...this.stones].map(([point, side]) => /** @type {Stone} */ ([side, point]));
    return new Game({ ...rest, initialPlayer: first, ...(stones.length ? { initialStones: stones } : {}) });
  }
}

const SIZE = 5;
/** The letters of men in the text of a position. @type {{[man: string]: string}} */
const LETTERS = { "B-student": "x", "B-master": "X", "W-student": "o", "W-master": "O" };

export class CardSetup {
  /** @type {Map<string, [Side, string]>} */ men = new Map(); // by point: side and kind
  /** @type {string[]} */ cards = []; // two of Black's, two of White's, and the one beside the board
  tool = "B-student"; // what a click puts there

  constructor(/** @type {App} */ app) {
    this.app = app;
    /** @type {[string, string][]} */
    const men = sides().flatMap(([side]) => ["student", "master"].map((kind) => [`${side}-${kind}`, manName(side, kind)]));
    this.tools = segments(t("putWhat"), [...men, ["none", t("erase")]], this.tool, (v) => { this.tool = v; });
    this.tools.classList.add("men");
    this.selects = /** @type {HTMLSelectElement[]} */ ([]);
    this.hands = el("div", { class: "hands" });
    this.element = el("div", { class: "setmen" }, putting(this.tools), this.hands);
  }

  take(/** @type {Position} */ position) {
    this.men = new Map((position.pieces || []).map(([side, kind, point]) => [point, [side, kind]]));
    const { cards } = position;
    this.cards = cards ? [...cards.B, ...cards.W, cards.side] : [];
    const all = Object.keys(this.steps).sort();
    const names = [...sides().flatMap(([, side]) => [1, 2].map((n) => t("cardNumber", { side, n }))), t("cardAside")];
    this.selects = this.cards.map((card, i) => select({ "data-testid": `card-${i}`, on: { change: (e) => this.deal(i, e.target.value) } },
      all.map((name) => [name, name]), card));
    this.hands.replaceChildren(...this.selects.map((node, i) => field(names[i], node)));
  }

  /** What the cards do, by name. */
  get steps() {
    const info = gameInfo(this.app.game.variant.game);
    return (info && info.cards) || {};
  }

  /** Puts a card in a place; where it lies elsewhere, the two change places. @param {number} at @param {string} card */
  deal(at, card) {
    const there = this.cards.indexOf(card);
    if (there >= 0) this.cards[there] = this.cards[at];
    this.cards[at] = card;
    this.selects.forEach((node, i) => { node.value = this.cards[i]; });
    this.app.emit("edit");
  }

  /** Sets a square as the tool says; what is there already is taken off, and a side has one master. @param {string} point */
  put(point) {
    const on = this.men.get(point), [side, kind] = this.tool.split("-");
    if (this.tool === "none" || (on && on.join("-") === this.tool)) { this.men.delete(point); return; }
    if (kind === "master") for (const [p, man] of this.men) if (man.join("-") === this.tool) this.men.delete(p);
    this.men.set(point, [/** @type {Side} */ (side), kind]);
  }

  /** Takes the students off. */
  clear() { for (const [point, [, kind]] of this.men) if (kind !== "master") this.men.delete(point); }

  /** Which side lacks a master, in words, "" if none does. */
  wrong() {
    const without = sides().find(([side]) => ![...this.men.values()].some(([of, kind]) => of === side && kind === "master"));
    return without ? t("noMaster", { side: without[1] }) : "";
  }

  /** @param {Side} first who is to move */
  game(first) {
    const [b1, b2, w1, w2, aside] = this.cards;
    const rows = Array.from({ length: SIZE }, (_, i) => Array.from({ length: SIZE }, (__, x) => {
      const man = this.men.get(pointName(x, SIZE - 1 - i));
      return man ? LETTERS[man.join("-")] : "1";
    }).join("").replace(/1+/g, (empty) => String(empty.length)));
    return new Game({ ...this.app.game.variant, initialPosition: `${b1},${b2}/${w1},${w2}/${aside} ${rows.join("/")} ${first === "B" ? "first" : "second"}` });
  }

  /** What is seen of it. @param {Side} first @returns {Position} */
  position(first) {
    const [b1, b2, w1, w2, aside] = this.cards;
    return { turnNumber: 0, turns: 0, ply: 0, currentPlayer: first, stones: [], numbers: [], forbidden: [], legal: [], hash: "",
      pieces: [...this.men].map(([point, [side, kind]]) => [side, kind, point]), cards: { B: [b1, b2], W: [w1, w2], side: aside, steps: this.steps } };
  }
}
