// The opening book: what it says of the position that is shown and of the moves there, as a layer over the board that can be
// switched on.

import { hundredths } from "./dom.js";
import { t } from "./i18n.js";
import { resultLetter } from "./overlay.js";

const SHOWN = 40; // moves that are marked
const SIGNS = /** @type {{[label: string]: string}} */ ({ forced: "!", excluded: "×" });

/** What is said of a position of which nothing is. @type {Annotation} */
const NOTHING = { label: "none", comment: "" };

/** The labels that a position can have, in words. @type {{[label: string]: Key}} */
export const LABELS = { none: "labelNone", win: "saidWin", loss: "saidLoss", draw: "saidDraw", forced: "saidForced", excluded: "saidExcluded" };

export class Book {
  /** @type {{key: string, view: BookData} | null} */ known = null;
  asking = ""; // the key of the position that the server was asked about

  constructor(/** @type {App} */ app) {
    this.app = app;
    app.on(() => this.follow(), "position", "view", "prefs", "game", "move");
  }

  get wanted() {
    const { app } = this;
    return Boolean(app.config.book && app.prefs.book && app.view === "analyse" && app.position && !app.position.outcome);
  }

  /** What the book says of the current position, or null where it is off or not known yet. */
  at() { return this.wanted && this.known && this.known.key === this.app.game.key() ? this.known.view : null; }

  /** What is said of the current position itself. @returns {Annotation} */
  said() {
    const view = this.at(), here = view && view.here;
    return here ? { label: here.label || "none", comment: here.comment || "" } : NOTHING;
  }

  /** Asks about the current position where that is wanted and not done. */
  follow() {
    const key = this.wanted ? this.app.game.key() : "";
    if (key && key !== this.asking && this.known?.key !== key) this.ask(key);
  }

  /** Asks again, since the book has changed. */
  async again() {
    this.known = null;
    this.asking = "";
    if (this.wanted) await this.ask(this.app.game.key());
  }

  async ask(/** @type {string} */ key) {
    const { app } = this;
    this.asking = key;
    try {
      const said = await app.socket.ask({ action: "query_book", ...app.game.fields() });
      if (this.asking === key && said.book) this.known = { key, view: said.book };
    } catch (e) {
      if (this.asking === key) app.notice(e.message);
    }
    if (this.asking === key) this.asking = "";
    app.emit("analysis");
  }
}

/** A value from -1 to 1 as a share of the points; null without one. @param {BookSaid} said */
export const bookRate = (said) => (said.value === undefined ? null : (said.value + 1) / 2);

/** The visits and nodes of the engines that have judged a position. @param {BookSaid} said */
export const visitsOf = (said) => (said.values || []).reduce((sum, v) => sum + (v.engine === "minimax" ? 0 : v.nodes || 0), 0);

/** A label in a word; "" for none. @param {string} [label] */
export const labelText = (label = "none") => (label === "none" ? "" : LABELS[label] ? t(LABELS[label]) : label);

/** What stands for a move. @param {BookSaid} said */
export function bookText(said) {
  const rate = bookRate(said);
  return said.proof ? resultLetter(said.proof) : rate === null ? "" : hundredths(rate);
}

/** Adds the book's moves to the marks over the board. @param {Marks} marks @param {BookData | null} view */
export function addBook(marks, view) {
  for (const [i, m] of (view ? view.moves : []).slice(0, SHOWN).entries()) {
    const mark = marks.get(m.move) || {}, text = bookText(m), sign = SIGNS[m.label || ""] || "";
    mark.book = { text, sign: sign + (m.comment ? "✎" : ""), best: i === 0, proven: m.proof };
    mark.label = [mark.label, text ? t("bookMark", { text }) : t("bookMove"), labelText(m.label), m.comment]
      .filter(Boolean).join(", ");
    marks.set(m.move, mark);
  }
  return marks;
}
