// The win-rate curve of a game, Black's chances by turn, and what stands with it: how good the moves were, and the worst of them.

import { button, byId, drawOnce, el, percent, prefSwitch, svg } from "./dom.js";
import { gradeText, judge, lossText, SIGNS, sumOf } from "./grades.js";
import { t } from "./i18n.js";
import { sideName } from "./notation.js";

const PAD = 6; // pixels beside the curve, as the style sheet has it
const SHOWN = 40; // of the worst moves
/** @type {Side[]} */ const SIDES = ["B", "W"];
/** @type {[EngineName, string][]} */ const LINES = [["mcts", "tree"], ["alphabeta", "classical"]];

/** A place of the curve, whose unit is a turn from left to right, and a percent from top to bottom. @param {number} turn @param {number} v */
const place = (turn, v) => `${turn} ${(100 * (1 - v)).toFixed(1)}`;

/**
 * A curve, which is not drawn where values are missing; the first has an area below it.
 * @param {Values[]} turns @param {EngineName} engine @param {string} name
 */
function curve(turns, engine, name) {
  const at = turns.map((values) => values[engine] ?? undefined);
  let line = "", area = "", alone = "";
  at.forEach((v, i) => {
    if (v === undefined) return;
    const begins = at[i - 1] === undefined, ends = at[i + 1] === undefined, point = place(i, v);
    line += (begins ? "M" : "L") + point;
    area += (begins ? `M${i} 100L` : "L") + point + (ends ? "V100Z" : "");
    if (begins && ends) alone += `M${point}h0`;
  });
  const parts = [svg("path", { class: `line ${name}`, d: line }), svg("path", { class: `dot ${name}`, d: alone })];
  return engine === "mcts" ? [svg("path", { class: "area", d: area }), ...parts] : parts;
}

/** The curve; a click or an arrow key goes to a turn. */
export class Graph {
  /** @type {Values[]} */ turns = [];
  turn = 0;

  /** `seek(turn)` is called for a click or a key. @param {(turn: number) => void} seek */
  constructor(seek) {
    this.seek = seek;
    this.svg = svg("svg", { class: "curve", "aria-hidden": "true", preserveAspectRatio: "none" });
    this.tip = el("span", { class: "tip", "aria-hidden": "true", "data-testid": "graph-tip" });
    this.element = el("div", { class: "graph", role: "slider", tabindex: 0, "aria-label": t("winRateByTurn"), "data-testid": "graph",
      "aria-valuemin": 0, on: { keydown: (e) => this.key(e) } }, this.svg, this.tip);
    this.element.addEventListener("pointerdown", (e) => this.point(e));
    this.element.addEventListener("pointermove", (e) => {
      if (e.buttons & 1) this.point(e);
      this.tip.textContent = this.words(this.turnAt(e));
    });
    this.element.addEventListener("pointerleave", () => { this.tip.textContent = ""; });
  }

  /** Shows turns, the current one, and turns that are marked. @param {Values[]} turns @param {number} turn @param {number[]} bad @param {number[]} differ */
  draw(turns, turn, bad = [], differ = []) {
    Object.assign(this, { turns, turn });
    const width = Math.max(1, turns.length - 1);
    for (const [name, value] of [["max", turns.length - 1], ["now", turn], ["text", this.words(turn)]]) {
      this.element.setAttribute(`aria-value${name}`, String(value));
    }
    const dot = (/** @type {number} */ n) => { const v = this.value(n); return v === undefined ? "" : `M${place(n, v)}h0`; };
    this.svg.setAttribute("viewBox", `0 0 ${width} 100`);
    this.svg.replaceChildren(svg("path", { class: "quarter", d: `M0 25H${width}M0 75H${width}` }), svg("path", { class: "even", d: `M0 50H${width}` }),
      ...LINES.flatMap(([engine, name]) => curve(turns, engine, name)),
      svg("path", { class: "differ", d: differ.map((n) => `M${n} 106v-8`).join("") }), svg("path", { class: "dot bad", d: bad.map(dot).join("") }),
      svg("path", { class: "now", d: `M${turn} -6V106` }), svg("path", { class: "dot here", d: dot(turn) }));
  }

  /** A turn and its value in words. @param {number} n */
  words(n) {
    const v = this.value(n), last = this.turns.length - 1;
    return v === undefined ? t("turnOf", { n, last }) : t("turnOfBlack", { n, last, rate: percent(v) });
  }

  value(/** @type {number} */ turn) { const at = this.turns[turn] || {}; return at.mcts ?? at.alphabeta; }

  /** Goes to a turn, or to the nearest end. @param {number} turn */
  to(turn) { return Math.max(0, Math.min(this.turns.length - 1, turn)); }

  /** The turn that is pointed at. @param {PointerEvent} event */
  turnAt({ clientX }) {
    const { left, width } = this.element.getBoundingClientRect();
    return this.to(Math.round(((clientX - left - PAD) / (width - 2 * PAD)) * (this.turns.length - 1)));
  }

  point(/** @type {PointerEvent} */ event) { if (this.turns.length > 1) this.seek(this.turnAt(event)); }

  key(/** @type {KeyboardEvent} */ event) {
    /** @type {{[key: string]: number}} */
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.seek(this.to(this.turn + by));
  }
}

/** The curve, how good both sides' moves were, the worst of them, and how far the sweep is. */
export class GraphPanel {
  /** @param {App} app @param {Sweep} sweep @param {{exercise: () => void, save: (format: string) => void}} actions */
  constructor(app, sweep, actions) {
    this.app = app;
    this.sweep = sweep;
    this.graph = new Graph((turn) => app.seek(turn));
    this.progress = el("small", { class: "progresstext", "data-testid": "sweep" });
    this.switch = prefSwitch(app, "sweep", t("wholeGame"));
    this.worst = el("ol", { class: "worst", "data-testid": "worst", "aria-label": t("worstMoves") });
    this.sums = el("div", { class: "sums", "data-testid": "sums" });
    this.buttons = [button(t("findBetter"), "find-better", actions.exercise), button(t("saveReview"), "save-review", () => actions.save("html")),
      button(t("saveReviewSGF"), "save-review-sgf", () => actions.save("sgf"))];
    byId("view-graph").append(el("div", { class: "head" }, el("h2", { text: t("chances") }), this.progress, this.switch),
      this.graph.element, this.sums, el("div", { class: "actions" }, ...this.buttons), this.worst);
    app.on((event) => { if (event !== "preview" && (app.view === "analyse" || app.view === "review")) this.draw(); });
  }

  draw() {
    const { app } = this, line = app.game.line(), judged = judge(app), { known, all } = this.sweep.progress();
    const worst = judged.filter((m) => SIGNS[m.grade]).sort((x, y) => y.loss - x.loss).slice(0, SHOWN);
    app.grades = new Map(judged.map((m) => [m.node, m.grade]));
    this.graph.draw(line.map((n) => n.values), app.game.current.turn, worst.map((m) => m.node.turn), line.filter((n) => n.differ).map((n) => n.turn));
    this.switch.hidden = app.view !== "analyse";
    const shown = app.view === "analyse" && app.prefs.sweep && known < all && all > 1;
    this.progress.textContent = shown ? t("ofAll", { n: known, all }) : "";
    for (const each of this.buttons) each.disabled = !judged.length;
    this.buttons[2].hidden = app.game.cards; // which have no form as SGF
    const drawnFrom = judged.map((m) => `${m.node.turn}${m.node.move}${m.loss.toFixed(3)}${m.best}${m.line.length}`).join();
    drawOnce(this.sums, drawnFrom, () => SIDES.map((side) => this.sum(judged, side)));
    drawOnce(this.worst, drawnFrom, () => worst.map((m) => this.bad(m)));
  }

  /** A move that was no good one, what was better, and its line. @param {Judged} m */
  bad(m) {
    const { turn, move } = m.node, stone = { class: `side ${m.mover === "B" ? "black" : "white"}`, role: "img", "aria-label": sideName(m.mover) };
    return el("li", {}, el("button", { type: "button", on: { click: () => this.app.seek(turn - 1) } }, el("span", stone), el("b", { text: `${turn}. ${move}` }),
      el("span", { class: "loss", text: `−${lossText(m.loss)}` }), m.best && el("span", { class: "better", text: t("better", { move: m.best }) })),
    m.line.length > 0 && button(t(m.proven ? "proof" : "line"), `line-${turn}`, () => this.hold(m),
      { class: "lineof", title: t("lineInstead", { move, n: turn }) }));
  }

  /** Holds what was better than a move on the board, to be stepped through. @param {Judged} m */
  hold(m) {
    const { app } = this;
    app.seek(m.node.turn - 1);
    app.setPreview({ title: t(m.proven ? "proof" : "betterLine"), base: app.game.current, moves: m.line, at: 1, pinned: true });
  }

  /** A side's accuracy, and how many of its moves were no good ones. @param {Judged[]} judged @param {Side} side */
  sum(judged, side) {
    const { moves, accuracy, count } = sumOf(this.app.config.scale, judged, side);
    /** @type {(grade: string, sign: string) => HTMLElement} */
    const counted = (grade, sign) => el("span", { class: grade, title: gradeText(grade) },
      el("span", { "aria-hidden": "true", text: `${sign} ` }), el("span", { class: "off", text: gradeText(grade) }), ` ${count(grade)}`);
    return el("p", { "data-testid": `accuracy-${side}` }, el("span", { class: `side ${side === "B" ? "black" : "white"}`, "aria-hidden": "true" }),
      el("b", { text: sideName(side) }), ` ${t("accuracyIs", { rate: moves ? percent(accuracy / 100) : "–" })}`,
      ...Object.entries(SIGNS).flatMap(([grade, sign]) => [" ", counted(grade, sign)]));
  }
}
