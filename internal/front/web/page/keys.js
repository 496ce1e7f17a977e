// Keys, and the page that explains them.

import { byId, el } from "./dom.js";

const SHOW = ["winrate", "visits", "prior", "none"], THEMES = ["auto", "light", "dark"];

/** @typedef {[keys: string[], text: string, call: () => void]} Binding */

/**
 * What the keys do. A key is the event's `key`.
 * @param {App} app
 * @param {{play: Play, opening: () => void, focusBoard: () => void, help: () => void}} calls
 * @returns {Binding[]}
 */
export function bindings(app, { play, opening, focusBoard, help }) {
  /** @type {(list: string[], value: string) => string} */
  const next = (list, value) => list[(list.indexOf(value) + 1) % list.length];
  return [
    [["ArrowLeft"], "back", () => (held(app) ? app.stepPreview(-1) : app.step(-1))],
    [["ArrowRight"], "forward", () => (held(app) ? app.stepPreview(1) : app.step(1))],
    [["ArrowUp"], "previous variation", () => app.sibling(-1)],
    [["ArrowDown"], "next variation", () => app.sibling(1)],
    [["Home"], "to the start", () => app.seek(0)],
    [["End"], "to the end", () => app.seek(Infinity)],
    [[" "], "the engine moves", () => play.engineMove()],
    [["e"], "the engine ends its search and moves", () => play.hurry()],
    [["h"], "hint", () => play.showHint()],
    [["u"], "take back", () => play.takeBack()],
    [["Delete"], "delete the move and what follows", () => { if (!app.locked() && app.game.current.parent) app.remove(app.game.current); }],
    [["b"], "a balanced opening (Analyse)", () => opening()],
    [["a"], "engine on or off (Analyse)", () => app.set("live", !app.prefs.live)],
    [["m"], "what the marks show", () => app.set("show", next(SHOW, app.prefs.show))],
    [["n"], "numbers on the stones", () => app.set("numbers", !app.prefs.numbers)],
    [["c"], "coordinates", () => app.set("coordinates", !app.prefs.coordinates)],
    [["s"], "sound", () => app.set("sound", !app.prefs.sound)],
    [["t"], "light or dark", () => app.set("theme", next(THEMES, app.prefs.theme))],
    [["g"], "to the board; there arrows move, Enter plays", () => focusBoard()],
    [["1"], "Play", () => app.show("play")], [["2"], "Analyse", () => app.show("analyse")],
    [["3"], "Review", () => app.show("review")], [["4"], "Share", () => app.show("share")],
    [["Escape"], "leave a line, or the board", () => { if (app.preview) app.setPreview(null); else if (document.activeElement) /** @type {HTMLElement} */ (document.activeElement).blur(); }],
    [["?"], "this help", () => help()],
  ];
}

/** @param {App} app */
const held = (app) => app.preview && app.preview.pinned;

/** Listens to the whole page, but not where text or a list is being used. @param {Binding[]} list */
export function listen(list) {
  const calls = new Map(list.flatMap(([keys, , call]) => keys.map((k) => [k, call])));
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || document.querySelector("dialog[open]")) return;
    const target = /** @type {Element} */ (e.target);
    if (target.closest("textarea, select, input:not([type=checkbox]):not([readonly])")) return;
    if (e.key === " " && target.closest("button, input, a, summary")) return;
    const call = calls.get(e.key);
    if (!call) return;
    e.preventDefault();
    call();
  });
}

/** @type {{[key: string]: string}} */
const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc" };

/** Fills the help and returns what opens it. @param {App} app @param {Binding[]} list */
export function helpDialog(app, list) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("help"));
  const rows = () => list.map(([keys, text]) => el("div", {}, el("dt", {}, ...keys.map((k) => el("kbd", { text: NAMES[k] || k }))), el("dd", { text })));
  const marks = [["tree", "a disc: what the tree search thinks of the move, darker the more it was visited; the letter M is its choice where the engines differ"],
    ["classical", "a square: the same of alpha-beta; the letter A is its choice"]];
  return () => {
    dialog.replaceChildren(el("div", { class: "head" }, el("h2", { id: "help-title", text: "Keys and marks" }),
      el("button", { type: "button", "aria-label": "Close", text: "✕", on: { click: () => dialog.close() } })),
    el("dl", { class: "keys" }, ...rows()),
    el("ul", { class: "legend" }, ...marks.map(([name, text]) => el("li", {}, el("span", { class: `key ${name}` }), el("span", { text }))),
      el("li", {}, el("b", { text: "W5, L4, D" }), el("span", { text: "proven: a win in five plies, a loss in four, a draw, for the side to move" }))),
    el("p", { class: "about", text: `CaroZero ${app.config.version} · networks: ${(app.config.models || []).join(", ") || "none"}` }));
    dialog.showModal();
  };
}
