// A position edited by hand: stones are set and taken off, and the server says whether
// the rules know such a position.

import { byId, el, segments } from "./dom.js";
import { Game } from "./game.js";
import { t } from "./i18n.js";
import { sideName } from "./notation.js";

export class Editor {
  /** @type {Map<string, Side>} */
  stones = new Map(); // by point
  /** @type {Side | "none"} */
  tool = "B"; // what a click puts there
  /** @type {Side} */
  first = "B"; // to move
  /** @type {GameNode | null} */
  from = null; // where the stones are from
  asking = false;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {[Side, string][]} */
    const sides = [["B", t("black")], ["W", t("white")]];
    this.tools = segments(t("putWhat"), /** @type {[Side | "none", string][]} */ ([...sides, ["none", t("erase")]]), this.tool, (v) => { this.tool = v; });
    this.mover = segments(t("whoMoves"), sides, this.first, (v) => { this.first = v; });
    /** @type {(text: string, id: string, call: () => void, name?: string) => HTMLElement} */
    const button = (text, id, call, name) => el("button", { type: "button", class: name, text, "data-testid": id, on: { click: call } });
    this.box = el("div", { class: "editor", hidden: true, role: "group", "aria-label": t("editPosition"), "data-testid": "editor" },
      el("div", { class: "field" }, el("span", { class: "label", text: t("putWhat") }), this.tools), el("div", { class: "field" }, el("span", { class: "label", text: t("whoMoves") }), this.mover),
      el("div", { class: "actions" }, button(t("useIt"), "editor-done", () => this.done(), "primary"), button(t("clearBoard"), "editor-clear", () => this.clear()), button(t("cancel"), "editor-cancel", () => this.cancel())));
    byId("view-editor").append(this.box);
    app.on((what) => {
      if (what === "game") this.from = null;
      if (what === "game" || what === "move") app.editing = false;
      if (what === "game" || what === "move" || what === "view") this.draw();
    });
  }

  /** Begins with the stones that are shown, or where it was left. */
  begin() {
    const { app } = this, { position } = app;
    if (!app.free() || !position) return;
    if (app.game.cards) { app.notice(t("noEditing")); return; }
    app.setPreview(null);
    if (this.from !== app.game.current) {
      this.from = app.game.current;
      this.stones = new Map(position.stones.map(([side, point]) => [point, side]));
      this.mover.choose(this.first = position.currentPlayer);
    }
    this.change(true);
    app.focusBoard();
  }

  /** Sets a point as the tool says; a stone that is there already is taken off. @param {string} point */
  put(point) {
    if (this.tool === "none" || this.stones.get(point) === this.tool) this.stones.delete(point);
    else this.stones.set(point, this.tool);
    this.app.tell("edit");
  }

  clear() {
    this.stones.clear();
    this.app.tell("edit");
  }

  /** Puts the position up, if the rules know it; else says why not, and the stones stay. */
  async done() {
    const { app } = this;
    if (this.asking) return;
    const wrong = this.miscounted();
    if (wrong) { app.notice(wrong); return; }
    const { initialStones: _, initialPlayer: __, ...rest } = app.game.variant;
    const stones = [...this.stones].map(([point, side]) => /** @type {Stone} */ ([side, point]));
    const game = new Game({ ...rest, initialPlayer: this.first, ...(stones.length ? { initialStones: stones } : {}) });
    this.asking = true;
    try {
      await app.positions.get(game);
      if (app.editing) app.load(game);
    } catch (e) { app.notice(e.message); } finally { this.asking = false; }
  }

  /** What is wrong with the count of stones, "" if nothing is; where stones are captured any count can come. */
  miscounted() {
    const count = [...this.stones.values()].filter((s) => s === "B").length, white = this.stones.size - count, want = this.first === "B" ? white : white + 1;
    return count === want || this.app.rule().captures ? "" : t("miscounted", { side: sideName(this.first), white, want, n: count });
  }

  cancel() {
    this.from = null;
    this.change(false);
  }

  /** @param {boolean} editing */
  change(editing) {
    this.app.editing = editing;
    this.draw();
    this.app.tell("edit");
    this.app.tell("prefs"); // the engines stop, or go on
  }

  draw() { this.box.hidden = !this.app.editing; }
}
