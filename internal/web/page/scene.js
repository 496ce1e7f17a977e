// What the board shows: the position, or what can be told of it before the
// server has answered, and over it marks, an expected line, a hint.

import { Board } from "./board.js";
import { CardBoard } from "./cardboard.js";
import { kindNames, t } from "./i18n.js";
import { other } from "./notation.js";

export class Scene {
  /** @type {Position | null} */ lastCards = null; // of the board of cards, as it was drawn last

  /**
   * `marks()` gives the current overlay, `input()` the side that the user may move for, `play(move)` takes a move;
   * `editor` has the stones while they are being set.
   * @param {App} app
   * @param {HTMLElement} place
   * @param {{marks: () => Marks | null, input: () => Side | null, play: (move: string) => void, hint: () => string | null, editor: Editor}} calls
   */
  constructor(app, place, { marks, input, play, hint, editor }) {
    this.editor = editor;
    this.app = app;
    this.place = place;
    this.marks = marks;
    this.input = input;
    this.play = play;
    this.hint = hint;
    this.board = new Board((point) => this.point(point));
    this.cards = new CardBoard((move) => this.play(move));
  }

  /** Takes a click on a point. @param {string} point */
  point(point) {
    const view = this.board.view;
    if (this.app.editing) { this.editor.put(point); return; }
    if (this.app.preview && this.app.preview.pinned) { this.app.setPreview(null); return; }
    if (!view) return;
    if (view.side && view.can(point)) this.play(point);
    else if (view.side) this.refuse(view, point);
  }

  /** Says why a point cannot be played; to everybody where it is not plain to see. @param {BoardView} view @param {string} point */
  refuse(view, point) {
    const { app } = this, f = (view.forbidden || []).find((q) => q.point === point);
    if (f) app.notice(t("isForbidden", { point, kinds: kindNames(f.kinds) }));
    else if (view.stones.some((s) => s.point === point)) app.say(t("isTaken", { point }));
    else app.notice(t("cannotBePlayed", { point }));
  }

  draw() {
    const cards = this.app.game.cards;
    const shown = cards ? this.cards.element : this.board.element;
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

  view() {
    const { app } = this, { game } = app, p = app.preview;
    if (app.editing) return this.edited();
    const position = p && p.position ? p.position : app.position;
    /** @type {BoardView} */
    const view = { stones: [], size: game.variant.size, coordinates: app.prefs.coordinates, flipped: app.prefs.flipped, numbers: app.prefs.numbers, side: this.input(), can: () => false };
    if (position) this.fromPosition(view, position);
    else this.fromMoves(view);
    if (p) { this.ghosts(view, p, Boolean(p.position)); return view; }
    const next = game.current.next();
    if (app.view !== "play" && next) view.next = next.move;
    view.marks = this.marks();
    view.drawn = game.current.drawn;
    view.hint = this.hint();
    return view;
  }

  /** The stones that are being set. @returns {BoardView} */
  edited() {
    const { app } = this, { stones, tool } = this.editor.stones;
    return { stones: [...stones].map(([point, side]) => ({ side, point, number: 0 })), size: app.game.variant.size, coordinates: app.prefs.coordinates,
      flipped: app.prefs.flipped, numbers: false, side: tool === "none" ? null : tool, can: (point) => !stones.has(point) };
  }

  fromPosition(/** @type {BoardView} */ view, /** @type {Position} */ position) {
    view.stones = position.stones.map(([side, point], i) => ({ side, point, number: position.numbers[i] }));
    view.last = position.lastMove;
    view.taken = position.taken;
    view.forbidden = position.forbidden;
    view.line = position.line;
    const taken = new Set(view.stones.map((s) => s.point).concat(position.forbidden.map((f) => f.point)));
    const legal = position.legal && new Set(position.legal);
    view.over = Boolean(position.outcome);
    if (view.over) view.side = null;
    view.can = (point) => (legal ? legal.has(point) : !taken.has(point));
  }

  /** The stones as the moves have them: what is right unless something was captured. @param {BoardView} view */
  fromMoves(view) {
    const { game } = this.app;
    const start = this.app.positions.peek(game, game.current.parent || game.root);
    const moves = game.current.moves();
    if (start && game.current.parent) {
      view.stones = start.stones.map(([side, point], i) => ({ side, point, number: start.numbers[i] }));
      view.stones.push({ side: start.currentPlayer, point: game.current.move, number: game.current.turn });
    } else {
      view.stones = (game.variant.initialStones || []).map(([side, point]) => ({ side, point, number: 0 }));
      moves.forEach((point, i) => view.stones.push({ side: i % 2 ? other(game.first()) : game.first(), point, number: i + 1 }));
    }
    view.last = game.current.move || undefined;
    view.side = null;
  }

  /** Adds an expected line up to where it is shown; `told` says that the view has its position already. @param {BoardView} view @param {Preview} p @param {boolean} told */
  ghosts(view, p, told) {
    const first = this.app.game.side(p.base), shown = p.moves.slice(0, p.at);
    view.side = p.pinned ? view.side : null;
    view.can = () => false;
    view.last = undefined;
    if (told) {
      for (const s of view.stones) if (s.number > p.base.turn) Object.assign(s, { ghost: true, number: s.number - p.base.turn });
      return;
    }
    const there = new Set(view.stones.map((s) => s.point));
    shown.forEach((point, i) => {
      if (!there.has(point)) view.stones.push({ side: i % 2 ? other(first) : first, point, number: i + 1, ghost: true });
    });
  }

  drawCards() {
    const { app, editor } = this, p = app.preview;
    if (app.editing) {
      this.cards.draw({ position: editor.men.position(editor.first), flipped: app.prefs.flipped, last: null, side: null, marks: null, hint: null, ask: (text) => app.notice(text), edit: (point) => editor.put(point) });
      return;
    }
    const position = (p && p.position) || app.position || this.lastCards;
    if (!position || !position.cards) return;
    this.lastCards = position;
    const here = position === app.position && !p;
    const last = p && p.at ? p.moves[p.at - 1] : app.game.current.move;
    this.cards.draw({ position, flipped: app.prefs.flipped, last: last || null, side: here && !position.outcome ? this.input() : null,
      marks: here ? this.marks() : null, hint: here ? this.hint() : null, ask: (text) => app.notice(text) });
  }
}

/** Fetches the position of an expected line where the stones alone do not tell it. @param {App} app */
export function completePreview(app) {
  const p = app.preview;
  if (!p || p.position || p.asked === p.at) return;
  if (!app.game.cards && !app.rule().captures) return;
  p.asked = p.at;
  const fields = app.game.fields(p.base);
  fields.moves = fields.moves.concat(p.moves.slice(0, p.at));
  app.positions.ask(fields).then((position) => {
    if (app.preview !== p) return;
    p.position = position;
    app.emit("preview");
  }, () => {});
}
