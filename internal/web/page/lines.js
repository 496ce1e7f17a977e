// Expected lines as buttons: pointing at one shows it on the board, a click
// holds it there to be stepped through.

import { button, el } from "./dom.js";
import { t } from "./i18n.js";

/** Ends what is shown while something is pointed at. @param {App} app */
const leave = (app) => () => { if (app.preview && !app.preview.pinned) app.setPreview(null); };

/** The moves of a line that begins at the current node. @param {App} app @param {string} title @param {string[]} moves @param {string} name */
export function lineButtons(app, title, moves, name) {
  const base = app.game.current;
  /** @type {(n: number, pinned: boolean) => void} */
  const at = (n, pinned) => app.setPreview({ title, base, moves, at: n, pinned });
  const list = el("span", { class: `pv ${name}`, role: "group", "aria-label": title, on: { pointerleave: leave(app) } });
  moves.forEach((move, i) => {
    list.append(el("button", { type: "button", text: move, "aria-label": t("lineMove", { title, n: i + 1, move }),
      on: { click: () => at(i + 1, true), pointerenter: () => { if (!app.preview || !app.preview.pinned) at(i + 1, false); } } }));
  });
  return list;
}

/** Shows a line while something is pointed at. @param {App} app @param {HTMLElement} node @param {string} title @param {string[]} moves */
export function pointsAt(app, node, title, moves) {
  const base = app.game.current;
  node.addEventListener("pointerenter", (e) => {
    if (e.pointerType !== "touch" && !(app.preview && app.preview.pinned)) app.setPreview({ title, base, moves, at: moves.length, pinned: false });
  });
  node.addEventListener("pointerleave", leave(app));
}

/** The bar under the board while a line is shown. */
export class PreviewBar {
  constructor(/** @type {App} */ app, /** @type {HTMLElement} */ place) {
    this.app = app;
    this.title = el("span", { class: "title" });
    const named = (/** @type {string} */ label) => ({ "aria-label": label, title: label });
    this.count = el("output", { "aria-label": t("moveOfLine") });
    place.append(this.title, button("◂", "preview-back", () => app.stepPreview(-1), named(t("oneBack"))), this.count,
      button("▸", "preview-next", () => app.stepPreview(1), named(t("oneOn"))),
      button(t("playIt"), "preview-play", () => app.playPreview(), named(t("playLine"))),
      button("✕", "preview-close", () => app.setPreview(null), named(t("leaveLine"))));
    this.place = place;
    app.on((event) => { if (event !== "analysis" && event !== "prefs") this.draw(); });
  }

  draw() {
    const p = this.app.preview;
    this.place.classList.toggle("shown", Boolean(p && p.pinned));
    this.place.inert = !(p && p.pinned);
    if (!p) return;
    this.title.textContent = p.title;
    this.count.textContent = `${p.at} / ${p.moves.length}`;
  }
}
