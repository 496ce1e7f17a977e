// What the board shows: the position, or what can be told of it before the server has answered, and over it marks, an expected
// line, a hint.

import { Board } from "./board.js";
import { CardBoard } from "./cardboard.js";
import { kindNames, t } from "./i18n.js";
import { other } from "./notation.js";

export class Scene {
  /** @type {Position | null} */ lastCards = null; // of the board of cards, as it was drawn last

  /**
   * `marks()` gives the current overlay, `input()` the side that the user may move for, `play(move)` takes a move; `editor` has
   * the stones while they are being set.
   * @param {App} app
   * @param {HTMLElement} place
   * @param {{marks: () => Marks | null, input: () => Side | null, play: (move: string) => void, hint: () => string | null,
   *   editor: Editor}} calls
   */
  constructor(app, place, calls) {
    this.app = app;
    this.place = place;
    this.calls = calls;
    this.board = new Board((point) => this.point(point));
    this.cards = new CardBoard((move) => calls.play(move));
  }

  /** Takes a click on a point. @param {string} point */
  point(point) {
    const { app, calls } = this, { view } = this.board;
    if (app.editing) calls.editor.put(point);
    else if (app.preview && app.preview.pinned) app.setPreview(null);
    else if (view && view.side && view.can(point)) calls.play(point);
    else if (view && view.side) this.refuse(view, point);
  }

  /** Says why a point cannot be played; to everybody where it is not plain to see. @param {BoardView} view @param {string} point */
  refuse(view, point) {
    const { app } = this, f = (view.forbidden || []).find((q) => q.point === point);
    if (f) app.notice(t("isForbidden", { point, kinds: kindNames(f.kinds) }));
    else if (view.stones.some((s) => s.point === point)) app.say(t("isTaken", { point }));
    else app.notice(t("cannotBePlayed", { point }));
  }

  draw() {
    const { cards } = this.app.game, shown = cards ? this.cards.element : this.board.element;
    if (this.place.firstChild !== shown) this.place.replaceChildren(shown);
    if (cards) this.drawCards();
    else this.board.draw(this.view());
  }

  /** The page goes to the whole board, and the focus of who uses the keyboard to its point in reach. */
  focus() {
    /** @type {SVGElement | null} */ const cell = this.place.querySelector('[tabindex="0"]');
    if (cell && this.app.byKeys) cell.focus({ preventScroll: true });
    const table = this.place.closest(".table");
    if (table) table.scrollIntoView({ block: "nearest" });
  }

  /** @returns {BoardView} */
  view() {
    const { app, calls } = this, { game, prefs, preview: p } = app, { coordinates, flipped, numbers } = prefs;
    /** @type {BoardView} */
    const view = { stones: [], size: game.variant.size, coordinates, flipped, numbers, side: calls.input(), can: () => false };
    if (app.editing) {
      const { stones, tool } = calls.editor.stones;
      return { ...view, stones: [...stones].map(([point, side]) => ({ side, point, number: 0 })), numbers: false,
        side: tool === "none" ? null : tool, can: (point) => !stones.has(point) };
    }
    const position = p && p.position ? p.position : app.position;
    if (position) this.fromPosition(view, position);
    else this.fromMoves(view);
    if (p) { this.ghosts(view, p); return view; }
    const next = game.current.next();
    return { ...view, next: app.view !== "play" && next ? next.move : undefined, marks: calls.marks(), drawn: game.current.drawn, hint: calls.hint() };
  }

  fromPosition(/** @type {BoardView} */ view, /** @type {Position} */ position) {
    const { stones, numbers, lastMove: last, taken, forbidden, line, outcome, legal } = position;
    const full = new Set([...stones.map(([, point]) => point), ...forbidden.map((f) => f.point)]), free = legal && new Set(legal);
    Object.assign(view, { last, taken, forbidden, line, over: Boolean(outcome), side: outcome ? null : view.side });
    view.stones = stonesOf(stones, numbers);
    view.can = (point) => (free ? free.has(point) : !full.has(point));
  }

  /** The stones as the moves have them: what is right unless something was captured. @param {BoardView} view */
  fromMoves(view) {
    const { game, positions } = this.app, { current } = game, before = current.parent && positions.peek(game, current.parent);
    if (before) {
      view.stones = [...stonesOf(before.stones, before.numbers), { side: before.currentPlayer, point: current.move, number: current.turn }];
    } else {
      view.stones = [...stonesOf(game.variant.initialStones || []), ...inTurn(game.first(), current.moves())];
    }
    view.last = current.move || undefined;
    view.side = null;
  }

  /** Adds an expected line up to where it is shown, unless the view has its position already. @param {BoardView} view @param {Preview} p */
  ghosts(view, p) {
    Object.assign(view, { side: p.pinned ? view.side : null, can: () => false, last: undefined });
    if (p.position) {
      for (const s of view.stones) if (s.number > p.base.turn) Object.assign(s, { ghost: true, number: s.number - p.base.turn });
      return;
    }
    const there = new Set(view.stones.map((s) => s.point)), expected = inTurn(this.app.game.side(p.base), p.moves.slice(0, p.at));
    view.stones.push(...expected.filter((s) => !there.has(s.point)).map((s) => ({ ...s, ghost: true })));
  }

  drawCards() {
    const { app, calls } = this, p = app.preview, { flipped } = app.prefs, ask = (/** @type {string} */ text) => app.notice(text);
    if (app.editing) {
      const position = calls.editor.men.position(calls.editor.first);
      this.cards.draw({ position, flipped, last: null, side: null, marks: null, hint: null, ask, edit: (point) => calls.editor.put(point) });
      return;
    }
    const position = (p && p.position) || app.position || this.lastCards;
    if (!position || !position.cards) return;
    this.lastCards = position;
    const here = position === app.position && !p, last = p && p.at ? p.moves[p.at - 1] : app.game.current.move;
    this.cards.draw({ position, flipped, last: last || null, side: here && !position.outcome ? calls.input() : null,
      marks: here ? calls.marks() : null, hint: here ? calls.hint() : null, ask });
  }
}

/** Stones to be shown, with their numbers. @param {Stone[]} stones @param {number[]} numbers @returns {ShownStone[]} */
const stonesOf = (stones, numbers = []) => stones.map(([side, point], i) => ({ side, point, number: numbers[i] || 0 }));

/** Stones that are put in turn. @param {Side} first @param {string[]} points @returns {ShownStone[]} */
const inTurn = (first, points) => points.map((point, i) => ({ side: i % 2 ? other(first) : first, point, number: i + 1 }));

/** Fetches the position of an expected line where the stones alone do not tell it. @param {App} app */
export function completePreview(app) {
  const p = app.preview;
  if (!p || p.position || p.asked === p.at || (!app.game.cards && !app.rule().captures)) return;
  p.asked = p.at;
  const fields = app.game.fields(p.base);
  fields.moves = fields.moves.concat(p.moves.slice(0, p.at));
  app.positions.ask(fields).then((position) => {
    if (app.preview !== p) return;
    p.position = position;
    app.emit("preview");
  }, () => {});
}
