// The board of the gomoku family, drawn as SVG: a grid of points for keyboards and screen readers, and layers of stones and marks.

import { svg } from "./dom.js";
import { kindNames, t } from "./i18n.js";
import { pointName, pointOf, sideName } from "./notation.js";

const CELL = 40, RADIUS = 18.2;
const TOUCH = 28; // below so many pixels a point a tap has to be confirmed

/** The points with dots on a board of that size, as columns and rows. @param {number} size */
function dots(size) {
  const mid = (size - 1) / 2, edge = size >= 13 ? 3 : 2, edges = size < 7 ? [] : [edge, size - 1 - edge];
  const at = edges.flatMap((x) => edges.map((y) => [x, y]));
  if (!Number.isInteger(mid)) return at;
  return [...at, [mid, mid], ...(size < 19 ? [] : edges.flatMap((e) => [[mid, e], [e, mid]]))];
}

/** The gradients that stones are filled with; their colours are the style sheet's. */
export function stoneGradients() {
  /** @type {(id: string, from: string, mid: string, to: string) => SVGElement} */
  const gradient = (id, from, mid, to) => svg("radialGradient", { id, cx: "36%", cy: "32%", r: "72%" },
    svg("stop", { offset: "0", class: from }), svg("stop", { offset: ".45", class: mid }), svg("stop", { offset: "1", class: to }));
  return svg("defs", {}, gradient("stone-b", "b0", "b1", "b2"), gradient("stone-w", "w0", "w1", "w2"));
}

/** Which way keys move the focus. @type {{[key: string]: number[]}} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  Home: [-99, 0], End: [99, 0], PageUp: [0, 99], PageDown: [0, -99] };

/**
 * The squares of a board as rows of cells, of which one can be reached by Tab; they are put into its `cells`, too.
 * @param {Squares} board @param {number} size in squares @param {number} width of one
 */
export function gridRows(board, size, width) {
  board.cells.clear();
  const cell = (/** @type {string} */ point) => {
    const { x, y } = board.at(point), made = svg("rect", { x: x - width / 2, y: y - width / 2, width, height: width, role: "gridcell",
      tabindex: point === board.focus ? 0 : -1, "data-point": point, "aria-label": point });
    board.cells.set(point, made);
    return made;
  };
  const all = [...Array(size).keys()];
  return all.map((y) => svg("g", { role: "row" }, ...all.map((x) => cell(pointName(x, size - 1 - y)))));
}

/** Names a cell, by the words that there are. @param {SVGElement} cell @param {...(string | number | false | null | undefined)} words */
export function nameCell(cell, ...words) {
  const label = words.filter(Boolean).join(", ");
  if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
}

/** Moves the focus of a board as a key says; false if the key does not. @param {Squares} board @param {string} key @param {number} size */
export function moveFocus(board, key, size) {
  const step = STEPS[key], at = pointOf(board.focus), was = board.cells.get(board.focus);
  if (!step || !at || !was) return false;
  const bound = (/** @type {number} */ v) => Math.max(0, Math.min(size - 1, v)), way = board.flipped ? -1 : 1;
  board.focus = pointName(bound(at.x + way * step[0]), bound(at.y + way * step[1]));
  const cell = board.cells.get(board.focus) || was;
  was.setAttribute("tabindex", "-1");
  cell.setAttribute("tabindex", "0");
  cell.focus();
  return true;
}

/**
 * What the two boards share. @typedef {{flipped: boolean, focus: string, cells: Map<string, SVGElement>,
 *   at: (point: string) => {x: number, y: number}}} Squares
 */

/** The point at which something has happened, if it is one. @param {Event} event */
export const pointAt = (event) => /** @type {SVGElement} */ (event.target).dataset.point;

/**
 * A move of the book: a tag under what the engines say, or a mark of its own.
 * @param {number} x @param {number} y @param {BookMark} b @param {boolean} alone
 */
function bookMark(x, y, b, alone) {
  const shape = `book ${b.proven || ""}${b.best ? " best" : ""}`;
  const text = b.text || "·", parts = alone
    ? [svg("rect", { class: `${shape} alone`, x: x - 16.5, y: y - 16.5, width: 33, height: 33, rx: 9 }), svg("text", { x, y: y + 4.6, text })]
    : [svg("rect", { class: shape, x: x - 17, y: y + 8, width: 34, height: 12, rx: 4 }), svg("text", { class: "small", x, y: y + 17.5, text })];
  if (b.sign) parts.push(svg("text", { class: "sign", x: x + 13, y: y - 9, text: b.sign }));
  return parts;
}

/** A part of a picture that screen readers do not hear. @param {string} name */
export const layer = (name) => svg("g", { class: name, "aria-hidden": "true" });

export class Board {
  size = 0;
  coordinates = false;
  flipped = false;
  focus = ""; // the point that Tab reaches
  laid = 0; // the size that it is a point of
  pointer = ""; // the kind of pointer that was used last
  aimed = ""; // the point of a tap that is not confirmed
  /** @type {BoardView | null} */ view = null;
  /** @type {Map<string, SVGElement>} */ cells = new Map(); // by point
  /** @type {{[name in "below" | "stones" | "marks" | "above"]: SVGElement}} */
  layers = { below: layer("below"), stones: layer("stones"), marks: layer("marks"), above: layer("above") };
  shadow = svg("circle", { class: "shadow", r: RADIUS, visibility: "hidden" });

  /** `play(point)` is called for a click, a confirmed tap or Enter on a point. @param {(point: string) => void} play */
  constructor(play) {
    this.play = play;
    this.element = svg("svg", { class: "board", role: "grid", "aria-label": t("board"), "data-testid": "board" });
    this.element.addEventListener("pointerdown", (e) => {
      if (e.pointerType !== "touch") e.preventDefault();
      this.pointer = e.pointerType;
    });
    this.element.addEventListener("mousedown", (e) => e.preventDefault());
    this.element.addEventListener("click", (e) => this.click(e));
    this.element.addEventListener("pointermove", (e) => this.hover(e.pointerType === "touch" ? null : pointAt(e)));
    this.element.addEventListener("pointerleave", () => this.hover(null));
    this.element.addEventListener("keydown", (e) => this.key(e));
  }

  /** Lays the grid for a size. @param {BoardView} view */
  lay({ size, coordinates, flipped = false }) {
    if (this.size === size && this.coordinates === coordinates && this.flipped === flipped) return;
    Object.assign(this, { size, coordinates, flipped });
    const span = (size - 1) * CELL, pad = coordinates ? 42 : 26;
    this.element.setAttribute("viewBox", `${-pad} ${-pad} ${span + 2 * pad} ${span + 2 * pad}`);
    this.element.setAttribute("aria-rowcount", String(size));
    this.element.setAttribute("aria-colcount", String(size));
    const lines = svg("g", { class: "lines" });
    for (let i = 0; i < size; i++) {
      const edge = i === 0 || i === size - 1 ? "edge" : undefined;
      lines.append(svg("line", { x1: 0, x2: span, y1: i * CELL, y2: i * CELL, class: edge }),
        svg("line", { y1: 0, y2: span, x1: i * CELL, x2: i * CELL, class: edge }));
    }
    for (const [x, y] of dots(size)) lines.append(svg("circle", { cx: x * CELL, cy: y * CELL, r: 3.6 }));
    const names = layer("coordinates");
    if (coordinates) {
      for (let i = 0; i < size; i++) {
        const { x, y } = this.at(pointName(i, i));
        names.append(svg("text", { x, y: span + 35, text: String.fromCharCode(97 + i) }), svg("text", { x: -31, y: y + 4.5, text: String(i + 1) }));
      }
    }
    this.element.replaceChildren(stoneGradients(),
      svg("rect", { class: "wood", x: -pad, y: -pad, width: span + 2 * pad, height: span + 2 * pad }),
      lines, names, ...Object.values(this.layers), this.shadow, this.grid());
  }

  /** The points as cells of a grid, of which one can be reached by Tab. */
  grid() {
    if (!this.focus || this.laid !== this.size) this.focus = pointName(this.size >> 1, this.size >> 1);
    this.laid = this.size;
    return svg("g", { class: "cells" }, ...gridRows(this, this.size, CELL));
  }

  /** Where a point is drawn. @param {string} point */
  at(point) {
    const p = pointOf(point) || { x: 0, y: 0 }, last = this.size - 1;
    return this.flipped ? { x: (last - p.x) * CELL, y: p.y * CELL } : { x: p.x * CELL, y: (last - p.y) * CELL };
  }

  /**
   * Shows a view; `side` is the side that the user may move for, `can(point)` says where.
   * @param {BoardView} view
   */
  draw(view) {
    this.lay(view);
    this.view = view;
    this.element.setAttribute("aria-readonly", String(!view.side));
    /** @param {string} point */
    const on = (point) => { const p = pointOf(point); return p && p.x < this.size && p.y < this.size; };
    this.layers.below.replaceChildren(...this.forbidden(view), ...this.faint(view), ...this.winning(view));
    this.layers.stones.replaceChildren(...view.stones.filter((s) => on(s.point)).map((s) => this.stone(s, view)));
    this.layers.marks.replaceChildren(...[...(view.marks || new Map())].filter(([p]) => on(p)).map(([p, m]) => this.mark(p, m)));
    this.layers.above.replaceChildren(...this.drawn(view.drawn || {}, on), ...this.single(view.hint, "hint"));
    this.label(view);
    if (!view.side) this.shadow.setAttribute("visibility", "hidden");
  }

  stone(/** @type {ShownStone} */ s, /** @type {BoardView} */ view) {
    const { x, y } = this.at(s.point);
    const last = s.point === view.last && !s.ghost;
    const g = svg("g", { class: `stone ${s.side === "B" ? "black" : "white"}${s.ghost ? " ghost" : ""}${last ? " last" : ""}` },
      svg("circle", { class: "cast", cx: x + 1.2, cy: y + 2, r: RADIUS }),
      svg("circle", { class: "body", cx: x, cy: y, r: RADIUS }));
    const number = s.ghost ? s.number : view.numbers && s.number;
    if (number) g.append(svg("text", { x, y: y + 5.2, text: String(number), class: number > 99 ? "long" : undefined }));
    if (last && !number) g.append(svg("circle", { class: "dot", cx: x, cy: y, r: 5 }));
    if (last) g.append(svg("circle", { class: "halo", cx: x, cy: y, r: RADIUS + 1 }));
    return g;
  }

  forbidden(/** @type {BoardView} */ view) {
    return (view.forbidden || []).map((f) => {
      const { x, y } = this.at(f.point), d = 6;
      return svg("path", { class: "forbidden", d: `M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}` });
    });
  }

  faint(/** @type {BoardView} */ view) {
    return [...(view.taken || []).flatMap((p) => this.single(p, "taken", RADIUS - 3)), ...this.single(view.next, "next")];
  }

  single(/** @type {string | null | undefined} */ point, /** @type {string} */ name, r = RADIUS) {
    if (!point || !pointOf(point)) return [];
    const { x, y } = this.at(point);
    return [svg("circle", { class: name, cx: x, cy: y, r })];
  }

  winning(/** @type {BoardView} */ view) {
    if (!view.line || view.line.length < 2) return [];
    const p = view.line.map((q) => this.at(q)).sort((a, b) => a.x - b.x || a.y - b.y);
    const a = p[0], b = p[p.length - 1];
    return [svg("line", { class: "won", x1: a.x, y1: a.y, x2: b.x, y2: b.y }),
      ...p.map((q) => svg("circle", { class: "won", cx: q.x, cy: q.y, r: RADIUS + 0.5 }))];
  }

  /** The labels and marks that a file puts on points. @param {Drawn} drawn @param {(point: string) => unknown} on */
  drawn({ labels = [], marks = [] }, on) {
    /** @type {{[kind: string]: string}} */
    const shape = { square: "M-9 -9h18v18h-18z", triangle: "M0 -11L10 7H-10z", cross: "M-8 -8L8 8M8 -8L-8 8",
      circle: "M-10 0a10 10 0 1 0 20 0a10 10 0 1 0 -20 0" };
    const place = (/** @type {string} */ point) => { const { x, y } = this.at(point); return `translate(${x} ${y})`; };
    return [...marks.filter(([p, kind]) => on(p) && shape[kind]).map(([p, kind]) => svg("path", { class: "drawn", d: shape[kind], transform: place(p) })),
      ...labels.filter(([p]) => on(p)).map(([p, text]) => svg("text", { class: "drawn", y: 5, transform: place(p), text: text.slice(0, 4) }))];
  }

  /** The engines' marks on a point: a disc for the tree search, a square for alpha-beta. @param {string} point @param {Mark} m */
  mark(point, m) {
    const { x, y } = this.at(point);
    const g = svg("g", { class: `mark${m.best ? " best" : ""}` });
    if (m.tree) {
      g.append(svg("circle", { class: `tree ${m.tree.proven || ""}${m.tree.best ? " best" : ""}`, cx: x, cy: y, r: 16.5,
        "fill-opacity": (0.58 + 0.4 * Math.sqrt(m.tree.share)).toFixed(3) }));
    }
    if (m.classical) {
      const shape = `classical ${m.classical.proven || ""}${m.tree ? "" : " alone"}${m.classical.best ? " best" : ""}`;
      g.append(svg("rect", { class: shape, x: x - 17.5, y: y - 17.5, width: 35, height: 35, rx: 5 }));
    }
    const texts = [{ text: m.tree?.text, name: "t" }, { text: m.classical?.text, name: "c" }].filter(({ text }) => text);
    texts.forEach(({ text, name }, i) => {
      const dy = texts.length === 1 ? 4.6 : i === 0 ? -1.5 : 11;
      g.append(svg("text", { class: `${name}${texts.length > 1 ? " two" : ""}`, x, y: y + dy, text }));
    });
    if (m.book) g.append(...bookMark(x, y, m.book, !m.tree && !m.classical));
    if (m.letter) {
      g.append(svg("circle", { class: `badge ${m.letter === "M" ? "tree" : "classical"}`, cx: x + 14, cy: y - 14, r: 8.5 }),
        svg("text", { class: "letter", x: x + 14, y: y - 10, text: m.letter }));
    }
    return g;
  }

  label(/** @type {BoardView} */ view) {
    const what = new Map();
    for (const { side, point, number, ghost } of view.stones) {
      what.set(point, [ghost ? t("expectedStone", { side: sideName(side) }) : sideName(side), number && t("moveNumber", { n: number }),
        point === view.last && t("lastMove")].filter(Boolean).join(", "));
    }
    for (const f of view.forbidden || []) what.set(f.point, t("forbiddenFor", { kinds: kindNames(f.kinds) }));
    for (const [point, cell] of this.cells) {
      nameCell(cell, point, what.get(point) || t("empty"), view.marks?.get(point)?.label, view.hint === point && t("hintHere"));
    }
  }

  /** Shows where a stone would be put. @param {string | null | undefined} point */
  hover(point) {
    const side = point && this.view && this.view.can(point) ? this.view.side : null;
    this.shadow.setAttribute("visibility", side ? "visible" : "hidden");
    if (!point || !side) return;
    const { x, y } = this.at(point);
    const shape = { cx: x, cy: y, class: `shadow ${side === "B" ? "black" : "white"}` };
    for (const [name, value] of Object.entries(shape)) this.shadow.setAttribute(name, String(value));
  }

  click(/** @type {MouseEvent} */ event) {
    const point = pointAt(event);
    if (!point) return;
    const small = this.element.getBoundingClientRect().width / this.size < TOUCH;
    if (this.pointer === "touch" && small && this.aimed !== point) {
      this.aimed = point;
      this.hover(point);
      return;
    }
    this.aimed = "";
    this.play(point);
  }

  key(/** @type {KeyboardEvent} */ event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.view?.over) return;
    if (event.key === "Enter") this.play(this.focus);
    else if (!moveFocus(this, event.key, this.size)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
