// The board of pieces that move by cards: five by five squares, and the five cards beside it. Where the pieces stand and what the
// cards do the server tells.

import { capital, drawOnce, svg } from "./dom.js";
import { gridRows, layer, moveFocus, nameCell, stoneGradients } from "./board.js";
import { gameInfo } from "./games.js";
import { either, t } from "./i18n.js";
import { cardMove, pointName, pointOf, sideName } from "./notation.js";

const SIZE = 5, CELL = 76, LEFT = 26, TOP = 60;
const CARD = { x: 420, width: 78, height: 93, gap: 99 };

/** A deal: five of a game's cards at random. @param {string} game */
export function deal(game) {
  const left = Object.keys(gameInfo(game)?.cards || {});
  const [a, b, c, d, e] = Array.from({ length: 5 }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
  return `${a},${b}/${c},${d}/${e}`;
}

/** A man in words. @param {Side} side @param {string} kind */
export const manName = (side, kind) => t(kind === "master" ? "masterOf" : "studentOf", { side: sideName(side) });

/** Where a card leads, in words. @param {[number, number][]} vectors */
function spoken(vectors) {
  return vectors.map(([dx, dy]) => {
    const ahead = t(dy > 0 ? "stepForward" : "stepBack", { n: Math.abs(dy) });
    const aside = t(dx > 0 ? "stepRight" : "stepLeft", { n: Math.abs(dx) });
    return dx && dy ? t("stepBoth", { a: ahead, b: aside }) : dx ? aside : ahead;
  }).join("; ");
}

export class CardBoard {
  focus = "c1"; // the square that Tab reaches
  flipped = false;
  /** @type {CardView | null} */ view = null;
  // What is chosen of a move.
  /** @type {string | null} */ card = null;
  /** @type {string | null} */ from = null;
  /** @type {string | null} */ to = null;

  /** `play(move)` gets a move's text. @param {(move: string) => void} play */
  constructor(play) {
    this.play = play;
    /** @type {Map<string, SVGElement>} */ this.cells = new Map();
    /** @type {Map<string, SVGElement>} */ this.squares = new Map();
    this.layers = { pieces: layer("pieces"), marks: layer("marks"), cards: svg("g", { class: "cards" }) };
    this.grid = svg("g", { class: "cells", role: "grid", "aria-label": t("squares"), "aria-rowcount": SIZE, "aria-colcount": SIZE });
    this.element = svg("svg", { class: "board cardboard", viewBox: "0 0 500 500", role: "group", "aria-label": "Onitama",
      "data-testid": "board" });
    this.element.addEventListener("mousedown", (e) => e.preventDefault());
    this.element.addEventListener("click", (e) => this.click(/** @type {Element} */ (e.target).closest("[data-point],[data-card]")));
    this.element.addEventListener("keydown", (e) => this.key(e));
    this.lay();
  }

  clear() { this.card = this.from = this.to = null; }

  /** Where the middle of a square is drawn. @param {string} point */
  at(point) {
    const p = pointOf(point) || { x: 0, y: 0 }, [x, y] = this.flipped ? [SIZE - 1 - p.x, SIZE - 1 - p.y] : [p.x, p.y];
    return { x: LEFT + (x + 0.5) * CELL, y: TOP + (SIZE - y - 0.5) * CELL };
  }

  lay() {
    this.grid.replaceChildren(...gridRows(this, SIZE, CELL));
    const names = [...Array(SIZE).keys()].flatMap((i) => {
      const { x, y } = this.at(pointName(i, i));
      return [svg("text", { x: 13, y: y + 5, text: String(i + 1) }), svg("text", { x, y: TOP + SIZE * CELL + 20, text: String.fromCharCode(97 + i) })];
    });
    for (const [i, point] of [...this.cells.keys()].entries()) {
      const { x, y } = this.at(point), shape = point === "c1" || point === "c5" ? "temple" : i % 2 ? "odd" : "even";
      this.squares.set(point, svg("rect", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, class: shape }));
    }
    this.element.replaceChildren(stoneGradients(), svg("rect", { class: "wood", width: 500, height: 500 }),
      svg("g", { class: "squares" }, ...this.squares.values()), svg("g", { class: "coordinates", "aria-hidden": "true" }, ...names),
      this.layers.pieces, this.layers.marks, this.grid, this.layers.cards);
  }

  /** Shows a view: `side` is the side that the user may move for, `edit` is there where squares are set. @param {CardView} view */
  draw(view) {
    if (!this.view || this.view.position.hash !== view.position.hash || this.view.side !== view.side) this.clear();
    this.view = view;
    if (this.flipped !== Boolean(view.flipped)) {
      this.flipped = !this.flipped;
      this.lay();
    }
    this.grid.setAttribute("aria-readonly", String(!view.side && !view.edit));
    this.redraw();
  }

  /** The legal moves, none where the user may not move. */
  get legal() { return (this.view && this.view.side && this.view.position.legal) || []; }

  /** The legal moves that go on from what is chosen already. */
  options() {
    return this.legal.map((text) => ({ text, ...cardMove(text) }))
      .filter((m) => (!this.card || m.card === this.card) && (!this.from || m.from === this.from) && (!this.to || m.to === this.to));
  }

  redraw() {
    if (!this.view) return;
    const { position, last, hint, marks } = this.view;
    const options = this.from ? this.options() : [];
    const lit = new Set(options.flatMap((m) => m.to || [])), trail = cardMove(last || "");
    for (const [point, square] of this.squares) {
      square.classList.toggle("chosen", point === this.from);
      square.classList.toggle("trail", point === trail.from || point === trail.to);
    }
    this.layers.pieces.replaceChildren(...(position.pieces || []).map(([side, kind, point]) => this.piece(side, kind, point)),
      ...[...lit].map((point) => svg("circle", { class: "target", cx: this.at(point).x, cy: this.at(point).y, r: 11 })));
    /** @param {[string, Mark]} mark */
    const worth = ([, m]) => m.best || m.letter || (m.tree && m.tree.share > 0.6);
    const arrows = [...(marks || new Map())].filter(worth).sort(([, a], [, b]) => Number(Boolean(a.best)) - Number(Boolean(b.best)))
      .slice(-6).map(([move, m]) => this.arrow(move, m));
    if (hint) arrows.push(this.arrow(hint, {}, "hint"));
    this.layers.marks.replaceChildren(...arrows);
    this.drawCards(this.view);
    this.label(this.view, lit);
  }

  /** @param {Side} side @param {string} kind @param {string} point */
  piece(side, kind, point) {
    const { x, y } = this.at(point), master = kind === "master";
    const g = svg("g", { class: `stone ${side === "B" ? "black" : "white"}` },
      svg("circle", { class: "cast", cx: x + 2, cy: y + 3, r: master ? 27 : 20 }),
      svg("circle", { class: "body", cx: x, cy: y, r: master ? 27 : 20 }));
    if (master) g.append(svg("path", { class: "crown", d: "M-12 9V-8L-5 -1L0 -11L5 -1L12 -8V9Z", transform: `translate(${x} ${y})` }));
    return g;
  }

  arrow(/** @type {string} */ text, /** @type {Mark} */ m, name = m.letter === "A" || !m.tree ? "classical" : "tree") {
    const move = cardMove(text);
    if (!move.from || !move.to) return svg("g");
    const a = this.at(move.from), b = this.at(move.to);
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1, ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
    const tip = { x: b.x - ux * 8, y: b.y - uy * 8 }, base = { x: tip.x - ux * 16, y: tip.y - uy * 16 };
    const g = svg("g", { class: `arrow ${name}${m.best ? " best" : ""}` },
      svg("line", { x1: a.x + ux * 14, y1: a.y + uy * 14, x2: base.x, y2: base.y }),
      svg("path", { d: `M${tip.x} ${tip.y}L${base.x - uy * 9} ${base.y + ux * 9}L${base.x + uy * 9} ${base.y - ux * 9}Z` }));
    const label = [m.tree && m.tree.text, m.classical && m.classical.text].filter(Boolean).join(" · ");
    if (label && m.best) g.append(svg("text", { x: b.x, y: b.y + 16, text: label }));
    return g;
  }

  /** @param {CardView} view */
  drawCards({ position, side }) {
    const { cards } = position;
    if (!cards) return;
    const places = /** @type {[string, Side | ""][]} */ ([...cards.W.map((c) => [c, "W"]), [cards.side, ""], ...cards.B.map((c) => [c, "B"])]);
    if (this.flipped) places.reverse();
    const usable = new Set(this.options().map((m) => m.card));
    // A click on a card that is replaced is lost.
    drawOnce(this.layers.cards, JSON.stringify([places, [...usable], this.card, side, this.flipped]), () => places.map(([card, owner], i) => {
      const name = card.toLowerCase(), mine = Boolean(owner) && owner === side && (usable.has(name) || name === this.card);
      return this.drawCard(card, owner, i, mine, cards.steps);
    }));
  }

  /**
   * `mine` says whether the user may choose it, `steps` what the cards do.
   * @param {string} card @param {Side | ""} owner @param {number} index @param {boolean} mine @param {Cards["steps"]} steps
   */
  drawCard(card, owner, index, mine, steps) {
    const name = card.toLowerCase(), y = 5 + index * CARD.gap, cell = 11.5, left = CARD.x + (CARD.width - 5 * cell) / 2;
    const vectors = steps[capital(name)] || [];
    const whose = owner ? t("cardOf", { side: sideName(owner) }) : t("besideBoard");
    const g = svg("g", { class: `card ${owner === "B" ? "black" : owner === "W" ? "white" : "aside"}${mine ? " mine" : ""}`,
      role: "button", tabindex: mine ? 0 : -1, "data-card": name, "aria-pressed": String(name === this.card), "aria-disabled": String(!mine),
      "aria-label": t("cardSays", { card: capital(name), whose, steps: spoken(vectors) }) },
    svg("rect", { class: "back", x: CARD.x, y, width: CARD.width, height: CARD.height, rx: 6 }),
    svg("text", { x: CARD.x + CARD.width / 2, y: y + 17, text: capital(name) }));
    const turn = (owner === "W") === this.flipped ? 1 : -1;
    for (let r = 0; r < 5; r++) {
      for (let c = 0; c < 5; c++) {
        const dx = (c - 2) * turn, dy = (2 - r) * turn;
        const kind = dx === 0 && dy === 0 ? "self" : vectors.some((v) => v[0] === dx && v[1] === dy) ? "goes" : "";
        g.append(svg("rect", { class: `dotcell ${kind}`, x: left + c * cell, y: y + 26 + r * cell, width: cell - 1.5, height: cell - 1.5, rx: 1.5 }));
      }
    }
    return g;
  }

  label(/** @type {CardView} */ view, /** @type {Set<string>} */ lit) {
    const on = new Map((view.position.pieces || []).map(([side, kind, point]) => [point, manName(side, kind)]));
    for (const [point, cell] of this.cells) {
      nameCell(cell, point, on.get(point) || t("empty"), point === this.from && t("chosen"), lit.has(point) && t("canMoveTo"));
    }
  }

  click(/** @type {Element | null} */ target) {
    if (!target || !this.view || !(this.view.side || this.view.edit)) return;
    const { card, point } = /** @type {SVGElement} */ (target).dataset;
    if (card) this.chooseCard(card);
    else if (point) this.choosePoint(point);
  }

  chooseCard(/** @type {string} */ card) {
    if (!this.legal.some((text) => cardMove(text).card === card)) return;
    const to = this.to;
    this.card = this.card === card && !to ? null : card;
    if (to) { this.finish(); return; }
    const options = this.options();
    if (options.length === 1 && !options[0].from) { this.finish(); return; }
    if (this.from && !options.length) this.from = null;
    this.redraw();
  }

  choosePoint(/** @type {string} */ point) {
    if (!this.view) return;
    const { position, side, edit } = this.view;
    if (edit) { edit(point); return; }
    const own = (position.pieces || []).some(([of, , p]) => p === point && of === side);
    if (own) {
      const from = this.from === point ? null : point;
      this.from = from;
      this.to = null;
      if (from && !this.options().length) this.card = null;
      this.redraw();
      return;
    }
    if (!this.from) return;
    this.to = point;
    if (this.options().length) this.finish();
    else this.to = null;
  }

  /** Plays if one move is left; else the card has to be chosen. */
  finish() {
    const options = this.options();
    if (options.length === 1) {
      this.clear();
      this.play(options[0].text);
      return;
    }
    if (this.view) this.view.ask(t("whichCard", { cards: either(options.map((m) => capital(m.card))) }));
    this.redraw();
  }

  key(/** @type {KeyboardEvent} */ event) {
    const { card } = /** @type {SVGElement} */ (event.target).dataset;
    if (card && (event.key === "Enter" || event.key === " ")) this.chooseCard(card);
    else if (!card && event.key === "Enter") this.choosePoint(this.focus);
    else if (card || !moveFocus(this, event.key, SIZE)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
