// The moves of the game as a list, with variations and comments.

import { button, drawOnce, el } from "./dom.js";
import { gradeText, SIGNS } from "./grades.js";
import { t } from "./i18n.js";

export class MoveList {
  /** @type {HTMLElement | undefined} */ here = undefined; // the button of the current move

  constructor(/** @type {App} */ app, /** @type {HTMLElement} */ place) {
    this.app = app;
    this.list = el("div", { class: "moves", role: "group", "aria-label": t("moves"), "data-testid": "moves" });
    this.comment = el("p", { class: "comment" });
    this.drop = button(t("deleteFromHere"), undefined, () => app.remove(app.game.current), { class: "quiet", title: t("deleteAbout") });
    place.append(el("div", { class: "head" }, el("h2", { text: t("moves") }), this.drop), this.list, this.comment);
    /** @type {Map<GameNode, HTMLElement>} */ this.buttons = new Map();
    app.on(() => this.draw(), "game", "move", "analysis", "view", "play");
  }

  draw() {
    const { game } = this.app;
    drawOnce(this.list, this.drawnFrom(), () => {
      this.buttons.clear();
      if (this.app.limit()) return this.app.line().slice(1).map((node) => this.button(node));
      return game.root.children.length ? this.line(game.root, 0) : [el("span", { class: "none", text: t("noMoves") })];
    });
    const here = this.buttons.get(game.current);
    if (this.here && this.here !== here) this.here.removeAttribute("aria-current");
    this.here = here;
    if (here) {
      here.setAttribute("aria-current", "true");
      const box = this.list.getBoundingClientRect(), at = here.getBoundingClientRect();
      if (at.top < box.top || at.bottom > box.bottom) this.list.scrollTop += at.top - box.top - box.height / 2;
    } else this.list.scrollTop = 0;
    this.drop.disabled = !game.current.parent || this.app.locked();
    this.comment.textContent = game.current.comment;
    this.comment.hidden = !game.current.comment;
  }

  /** What the list depends on. */
  drawnFrom() {
    const { game, grades } = this.app, tree = game.tree().map(({ parent, move, comment }) => [parent, move, comment]);
    return JSON.stringify([this.app.limit()?.moves(), [...grades].map(([n, grade]) => n.turn + grade), tree]);
  }

  /** The moves after a node, with the variations beside each. @param {GameNode} from @param {number} depth @returns {HTMLElement[]} */
  line(from, depth) {
    const out = [];
    let node = from;
    while (node.children.length) {
      const [main, ...others] = node.children;
      out.push(this.button(main));
      for (const side of others) {
        if (depth > 12) break;
        out.push(el("span", { class: "variation" }, this.button(side), ...this.line(side, depth + 1)));
      }
      node = main;
    }
    return out;
  }

  button(/** @type {GameNode} */ node) {
    const grade = this.app.grades.get(node) || "", sign = SIGNS[grade], label = t("moveIs", { n: node.turn, move: node.move });
    const place = el("button", { type: "button", class: `move ${sign ? grade : ""}${node.comment ? " noted" : ""}`,
      "aria-label": sign ? `${label}, ${gradeText(grade)}` : label, on: { click: () => this.app.go(node) } },
    el("span", { class: "n", text: `${node.turn} ` }), node.move, sign ? el("span", { class: "sign", "aria-hidden": "true", text: sign }) : null);
    this.buttons.set(node, place);
    return place;
  }
}
