// The panel of the opening book: the switch of its layer, its moves, and a form for the label and the comment of the position.

import { bookRate, bookText, LABELS, labelText, visitsOf } from "./book.js";
import { button, byId, drawOnce, el, field, hundredths, moveTable, prefSwitch, select, short } from "./dom.js";
import { annotateBook } from "./http.js";
import { number, t } from "./i18n.js";

const TWO_DIGITS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

export class BookPanel {
  /** @type {{key: string, saw: Annotation} | null} */ form = null; // of which position the form is, and what it showed

  constructor(/** @type {App} */ app, /** @type {Book} */ book, /** @type {NonNullable<Config["book"]>} */ info) {
    this.app = app;
    this.book = book;
    this.info = info;
    this.about = el("small", { class: "progresstext", "data-testid": "book-about" });
    this.rows = el("tbody");
    this.table = moveTable("book-moves", [[t("move")], [t("valuePercent")], [t("visits")], [t("label")]], this.rows, "book");
    this.label = select({ "data-testid": "book-label" }, Object.entries(LABELS).map(([label, key]) => [label, t(key)]));
    this.comment = el("textarea", { rows: 2, maxlength: info.commentBytes, "data-testid": "book-comment" });
    this.author = el("input", { type: "text", maxlength: 60, value: app.prefs.author, autocomplete: "nickname", "data-testid": "book-author",
      on: { change: (e) => app.set("author", e.target.value.trim()) } });
    this.save = el("button", { type: "submit", text: t("keepInBook"), "data-testid": "book-save" });
    this.edit = el("form", { class: "newgame", "aria-label": t("labelAndComment"), on: { submit: (e) => { e.preventDefault(); this.send(); } } },
      el("div", { class: "pair" }, field(t("thisPositionIs"), this.label), field(t("yourName"), this.author)),
      field(t("comment"), this.comment), el("div", { class: "actions" }, this.save));
    this.said = el("p", { class: "comment", "data-testid": "book-said" });
    byId("view-book").append(el("div", { class: "head" }, el("h2", { text: t("book") }), this.about, prefSwitch(app, "book", t("show"))),
      this.said, this.table, this.edit);
    app.on((event) => { if (event !== "preview" && app.view === "analyse") this.draw(); });
    this.draw();
  }

  draw() {
    const { app, book, info } = this, view = book.at(), said = book.said(), n = view ? view.moves.length : 0;
    this.table.hidden = !n;
    this.edit.hidden = !view || !info.editable;
    this.about.textContent = !book.wanted ? info.name : !view ? "…" : n ? t("bookMoves", { n }) : t(view.found ? "bookEnds" : "notInBook");
    this.said.textContent = [said.label !== "none" && t("labelled", { label: labelText(said.label) }), said.comment].filter(Boolean).join(" ");
    this.said.hidden = !view || !this.said.textContent;
    drawOnce(this.rows, JSON.stringify([view, book.wanted, app.game.key()]), () => (view ? view.moves : []).flatMap((m) => this.row(m)));
    if (view) this.fill(app.game.key(), said);
  }

  /** A move, and under it the comment. @param {BookSaid & {move: string}} m */
  row(m) {
    const rate = bookRate(m), { move, comment } = m;
    const values = (m.values || []).map((v) => t("valueForOpponent", { engine: v.engine, value: number(v.value, TWO_DIGITS) })).join(", ");
    const play = button(move, undefined, () => this.app.play(move),
      { title: t("playThis"), "data-move": move, "aria-label": t("playBookMove", { move }) });
    const cells = [m.proof ? bookText(m) : rate === null ? "" : hundredths(rate, 1), visitsOf(m) ? short(visitsOf(m)) : "", labelText(m.label)];
    const row = el("tr", { title: values || undefined }, el("td", {}, play),
      ...cells.map((text, i) => el("td", { text, class: i === 0 && m.proof ? m.proof : undefined })));
    return comment ? [row, el("tr", { class: "said" }, el("td", { colspan: 4, text: comment }))] : [row];
  }

  /** Shows in the form what is said of a position, unless the user has changed it there. @param {string} key @param {Annotation} said */
  fill(key, said) {
    const saw = this.form && this.form.key === key ? this.form.saw : null;
    if (!saw || this.label.value === saw.label) this.label.value = said.label;
    if (!saw || this.comment.value === saw.comment) this.comment.value = said.comment;
    this.form = { key, saw: said };
  }

  /** Sends what is in the form. Where somebody else was faster their words are shown above it, and the user's stay in it. */
  async send() {
    const { app, form } = this;
    if (!form || form.key !== app.game.key()) return;
    const say = { label: this.label.value, comment: this.comment.value.replace(/\s+/g, " ").trim() };
    this.save.disabled = true;
    try {
      await annotateBook({ ...app.game.fields(), saw: form.saw, say, author: app.prefs.author });
      this.comment.value = say.comment;
      app.say(t("keptInBook"));
    } catch (e) { app.notice(e.message); }
    this.save.disabled = false;
    await this.book.again();
  }
}
