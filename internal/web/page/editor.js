// A position edited by hand: stones, or men and cards, are set and taken off, and the server says whether the rules know it.

import { button, byId, el, segments } from "./dom.js";
import { t } from "./i18n.js";
import { CardSetup, sides, StoneSetup } from "./setup.js";

export class Editor {
  /** @type {Side} */ first = "B"; // to move
  /** @type {GameNode | null} */ from = null; // where what is set is from
  asking = false;

  constructor(/** @type {App} */ app) {
    this.app = app;
    this.stones = new StoneSetup(app);
    this.men = new CardSetup(app);
    this.mover = segments(t("whoMoves"), sides(), this.first, (v) => { this.first = v; });
    this.box = el("div", { class: "editor", hidden: true, role: "group", "aria-label": t("editPosition"), "data-testid": "editor" },
      this.stones.element, this.men.element, el("div", { class: "field" }, el("span", { class: "label", text: t("whoMoves") }), this.mover),
      el("div", { class: "actions" }, button(t("useIt"), "editor-done", () => this.done(), { class: "primary" }),
        button(t("clearBoard"), "editor-clear", () => this.clear()), button(t("cancel"), "editor-cancel", () => this.cancel())));
    byId("view-editor").append(this.box);
    app.on(() => { this.from = null; }, "game");
    app.on(() => { app.editing = false; }, "game", "move");
    app.on(() => this.draw(), "game", "move", "view");
  }

  /** What is set in the game that is shown. */
  get setup() { return this.app.game.cards ? this.men : this.stones; }

  /** Begins with what is shown, or where it was left. */
  begin() {
    const { app } = this, { position } = app;
    if (!app.free() || !position) return;
    app.setPreview(null);
    if (this.from !== app.game.current) {
      this.from = app.game.current;
      this.setup.take(position);
      this.mover.choose(this.first = position.currentPlayer);
    }
    this.change(true);
    app.focusBoard();
  }

  /** Sets a point as the tool says. @param {string} point */
  put(point) {
    this.setup.put(point);
    this.app.emit("edit");
  }

  clear() {
    this.setup.clear();
    this.app.emit("edit");
  }

  /** Puts the position up, if the rules know it; else says why not, and all stays. */
  async done() {
    const { app } = this;
    if (this.asking) return;
    const wrong = this.setup.wrong(this.first);
    if (wrong) { app.notice(wrong); return; }
    const game = this.setup.game(this.first);
    this.asking = true;
    try {
      await app.positions.get(game);
      if (!app.editing) return;
      app.load(game);
      app.made = true;
    } catch (e) { app.notice(e.message); } finally { this.asking = false; }
  }

  cancel() {
    this.from = null;
    this.change(false);
  }

  change(/** @type {boolean} */ editing) {
    this.app.editing = editing;
    this.draw();
    this.app.emit("edit");
    this.app.emit("prefs"); // the engines stop, or go on
  }

  draw() {
    this.box.hidden = !this.app.editing;
    this.stones.element.hidden = this.setup !== this.stones;
    this.men.element.hidden = this.setup !== this.men;
  }
}
