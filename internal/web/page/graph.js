// The win-rate curve of a game: Black's chances by turn. A click or an arrow key
// goes to a turn.

import { el, percent, svg } from "./dom.js";
import { t } from "./i18n.js";

const HEIGHT = 110, PAD = 6;
/** @type {[EngineName, string][]} */ const LINES = [["mcts", "tree"], ["alphabeta", "classical"]];

export class Graph {
  /** @type {Values[]} */ turns = [];
  turn = 0;
  /** @type {number[]} */ bad = [];
  /** @type {number[]} */ differ = [];
  width = 0;

  /** `seek(turn)` is called for a click or a key. @param {(turn: number) => void} seek */
  constructor(seek) {
    this.seek = seek;
    this.svg = svg("svg", { class: "curve", "aria-hidden": "true" });
    this.tip = el("span", { class: "tip", "aria-hidden": "true", "data-testid": "graph-tip" });
    this.element = el("div", { class: "graph", role: "slider", tabindex: 0, "aria-label": t("winRateByTurn"), "data-testid": "graph",
      "aria-valuemin": 0, on: { keydown: (e) => this.key(e) } }, this.svg, this.tip);
    this.element.addEventListener("pointerdown", (e) => this.point(e));
    this.element.addEventListener("pointermove", (e) => {
      if (e.buttons & 1) this.point(e);
      this.tip.textContent = this.words(this.turnAt(e));
    });
    this.element.addEventListener("pointerleave", () => { this.tip.textContent = ""; });
    new ResizeObserver(() => this.redraw()).observe(this.element);
  }

  /** Shows turns, the current one, and turns that are marked. @param {Values[]} turns @param {number} turn @param {number[]} bad @param {number[]} differ */
  draw(turns, turn, bad = [], differ = []) {
    Object.assign(this, { turns, turn, bad, differ });
    this.element.setAttribute("aria-valuemax", String(turns.length - 1));
    this.element.setAttribute("aria-valuenow", String(turn));
    this.element.setAttribute("aria-valuetext", this.words(turn));
    this.redraw();
  }

  redraw() {
    const width = this.element.clientWidth;
    if (!width) return;
    this.width = width;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    /** @type {SVGElement[]} */
    const parts = [0.25, 0.5, 0.75].map((v) => svg("line", { class: v === 0.5 ? "even" : "quarter", x1: 0, x2: width, y1: this.y(v), y2: this.y(v) }));
    for (const [engine, name] of LINES) parts.push(...this.curve(engine, name));
    for (const turn of this.differ) parts.push(svg("path", { class: "differ", d: `M${this.x(turn) - 3} ${HEIGHT}h6l-3 -6z` }));
    for (const turn of this.bad) {
      const v = this.value(turn);
      if (v !== undefined) parts.push(svg("circle", { class: "bad", cx: this.x(turn), cy: this.y(v), r: 4 }));
    }
    parts.push(svg("line", { class: "now", x1: this.x(this.turn), x2: this.x(this.turn), y1: 0, y2: HEIGHT }));
    const v = this.value(this.turn);
    if (v !== undefined) parts.push(svg("circle", { class: "now", cx: this.x(this.turn), cy: this.y(v), r: 3.5 }));
    this.svg.replaceChildren(...parts);
  }

  /** A turn and its value in words. @param {number} n */
  words(n) {
    const v = this.value(n), last = this.turns.length - 1;
    return v === undefined ? t("turnOf", { n, last }) : t("turnOfBlack", { n, last, rate: percent(v) });
  }

  value(/** @type {number} */ turn) { const at = this.turns[turn] || {}; return at.mcts ?? at.alphabeta; }

  x(/** @type {number} */ turn) { return PAD + (turn / Math.max(1, this.turns.length - 1)) * (this.width - 2 * PAD); }

  y(/** @type {number} */ v) { return PAD + (1 - v) * (HEIGHT - 2 * PAD); }

  /** A curve, in pieces where values are missing; the first has an area below it. @param {EngineName} engine @param {string} name */
  curve(engine, name) {
    /** @type {number[][][]} */ const pieces = [];
    /** @type {number[][]} */ let piece = [];
    this.turns.forEach((values, i) => {
      const v = values[engine];
      if (v === undefined || v === null) { if (piece.length) pieces.push(piece); piece = []; return; }
      piece.push([this.x(i), this.y(v)]);
    });
    if (piece.length) pieces.push(piece);
    return pieces.flatMap((p) => {
      const d = "M" + p.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
      if (p.length === 1) return [svg("circle", { class: `single ${name}`, cx: p[0][0], cy: p[0][1], r: 2.5 })];
      /** @type {SVGElement[]} */ const out = [svg("path", { class: `line ${name}`, d })];
      if (engine === "mcts") out.unshift(svg("path", { class: "area", d: `${d}L${p[p.length - 1][0].toFixed(1)} ${HEIGHT}L${p[0][0].toFixed(1)} ${HEIGHT}Z` }));
      return out;
    });
  }

  /** The turn that is pointed at. @param {PointerEvent} event */
  turnAt(event) {
    const box = this.element.getBoundingClientRect(), last = this.turns.length - 1;
    return Math.max(0, Math.min(last, Math.round(((event.clientX - box.left - PAD) / (box.width - 2 * PAD)) * last)));
  }

  point(/** @type {PointerEvent} */ event) { if (this.turns.length > 1) this.seek(this.turnAt(event)); }

  key(/** @type {KeyboardEvent} */ event) {
    const last = this.turns.length - 1;
    /** @type {{[key: string]: number}} */
    const steps = { ArrowLeft: this.turn - 1, ArrowDown: this.turn - 1, ArrowRight: this.turn + 1, ArrowUp: this.turn + 1,
      PageDown: this.turn - 10, PageUp: this.turn + 10, Home: 0, End: last };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.seek(Math.max(0, Math.min(last, to)));
  }
}
