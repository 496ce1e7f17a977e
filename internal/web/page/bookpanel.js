// The panel of the opening book: the switch of its layer, its moves, and a form for
// the label and the comment of the position shown.

import { bookRate, bookText, labelText, visitsOf } from "./book.js";
import { button, byId, drawOnce, el, field, hundredths, moveTable, prefSwitch, select, short } from "./dom.js";
import { annotateBook } from "./http.js";
import { number, t } from "./i18n.js";

const LABELS = /** @type {const} */ ([["none", "labelNone"], ["win", "labelWin"], ["loss", "labelLoss"], ["draw", "labelDraw"], ["forced", "labelForced"], ["excluded", "labelExcluded"]]);

export class BookPanel {
  /** @type {{key: string, saw: Annotation} | null} */ form = null; // of which position the form is, and what it showed

  constructor(/** @type {App} */ app, /** @type {Book} */ book) {
    this.app = app;
    this.book = book;
    const place = byId("view-book"), info = app.config.book;
    if (!info) { place.remove(); return; }
    this.about = el("small", { class: "progresstext", "data-testid": "book-about" });
    this.rows = el("tbody");
    this.table = moveTable("book-moves", [[t("move")], [t("valuePercent")], [t("visits")], [t("label")]], this.rows, "book");
    this.label = select({ "data-testid": "book-label" }, LABELS.map(([label, key]) => [label, t(key)]));
    this.comment = el("textarea", { rows: 2, maxlength: info.commentBytes, "data-testid": "book-comment" });
    this.author = el("input", { type: "text", maxlength: 60, value: app.prefs.author, autocomplete: "nickname", "data-testid": "book-author", on: { change: (e) => app.set("author", e.target.value.trim()) } });
    this.save = el("button", { type: "submit", text: t("keepInBook"), "data-testid": "book-save" });
    this.edit = el("form", { class: "newgame", "aria-label": t("labelAndComment"), on: { submit: (e) => { e.preventDefault(); this.send(); } } },
      el("div", { class: "pair" }, field(t("thisPositionIs"), this.label), field(t("yourName"), this.author)), field(t("comment"), this.comment), el("div", { class: "actions" }, this.save));
    this.said = el("p", { class: "comment", "data-testid": "book-said" });
    place.append(el("div", { class: "head" }, el("h2", { text: t("book") }), this.about, prefSwitch(app, "book", t("show"))), this.said, this.table, this.edit);
    app.on((what) => { if (what !== "preview" && app.view === "analyse") this.draw(); });
    this.draw();
  }

  draw() {
    const { app, book } = this, info = app.config.book, view = book.at();
    if (!info || !this.rows || !this.edit || !this.table || !this.about || !this.said) return;
    this.table.hidden = !view || !view.moves.length;
    this.edit.hidden = !view || !info.editable;
    this.about.textContent = !book.wanted ? info.name : !view ? "…" : view.moves.length ? t("bookMoves", { n: view.moves.length }) : t(view.found ? "bookEnds" : "notInBook");
    const said = book.said();
    this.said.textContent = [said.label === "none" ? "" : t("labelled", { label: labelText(said.label) }), said.comment].filter(Boolean).join(" ");
    this.said.hidden = !view || !this.said.textContent;
    drawOnce(this.rows, JSON.stringify([view, book.wanted, app.game.key()]), () => (view ? view.moves : []).flatMap((m) => this.row(m)));
    if (view) this.fill(app.game.key(), said);
  }

  /** A move, and under it the comment. @param {BookSaid & {move: string}} m */
  row(m) {
    const rate = bookRate(m), values = (m.values || []).map((v) => t("valueForOpponent", { engine: v.engine, value: number(v.value, { minimumFractionDigits: 2, maximumFractionDigits: 2 }) })).join(", ");
    const play = button(m.move, undefined, () => this.app.play(m.move), { title: t("playThis"), "data-move": m.move, "aria-label": t("playBookMove", { move: m.move }) });
    const cells = [m.proof ? bookText(m) : rate === null ? "" : hundredths(rate, 1), visitsOf(m) ? short(visitsOf(m)) : "", labelText(m.label)];
    const row = el("tr", { title: values || undefined }, el("td", {}, play), ...cells.map((text, i) => el("td", { text, class: i === 0 && m.proof ? m.proof : undefined })));
    return m.comment ? [row, el("tr", { class: "said" }, el("td", { colspan: 4, text: m.comment }))] : [row];
  }

  /** Shows in the form what is said of a position, unless the user has changed it there. @param {string} key @param {Annotation} said */
  fill(key, said) {
    if (!this.label || !this.comment) return;
    const same = this.form && this.form.key === key, saw = this.form ? this.form.saw : said;
    if (!same || this.label.value === saw.label) this.label.value = said.label;
    if (!same || this.comment.value === saw.comment) this.comment.value = said.comment;
    this.form = { key, saw: said };
  }

  /** Sends what is in the form. Where somebody else was faster their words are shown above it, and the user's stay in it. */
  async send() {
    const { app, form } = this;
    if (!form || !this.label || !this.comment || !this.save || form.key !== app.game.key()) return;
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
