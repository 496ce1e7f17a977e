// Keys, and the page that explains them.

import { byId, el, openDialog } from "./dom.js";
import { t } from "./i18n.js";

const SHOW = ["winrate", "visits", "prior", "none"], THEMES = ["auto", "light", "dark"];

/** @typedef {[key: string, text: string, call: () => void]} Binding */

/**
 * What the keys do. A key is the event's `key`.
 * @param {App} app
 * @param {{play: Play, opening: () => void, focusBoard: () => void, help: () => void}} calls
 * @returns {Binding[]}
 */
export function bindings(app, { play, opening, focusBoard, help }) {
  /** @type {(list: string[], value: string) => string} */
  const next = (list, value) => list[(list.indexOf(value) + 1) % list.length];
  const step = (/** @type {number} */ by) => (app.preview?.pinned ? app.stepPreview(by) : app.step(by));
  return [
    ["ArrowLeft", t("back"), () => step(-1)], ["ArrowRight", t("forward"), () => step(1)],
    ["ArrowUp", t("keyPrevious"), () => app.sibling(-1)],
    ["ArrowDown", t("keyNext"), () => app.sibling(1)],
    ["Home", t("toStart"), () => app.seek(0)],
    ["End", t("toEnd"), () => app.seek(Infinity)],
    [" ", t("keyEngine"), () => { if (!app.locked() || byId("board-place").contains(document.activeElement)) play.engineMove(); }],
    ["e", t("keyHurry"), () => play.moveNow()],
    ["h", t("hint"), () => play.showHint()],
    ["u", t("takeBack"), () => play.takeBack()],
    ["Delete", t("deleteFromHere"), () => { if (!app.locked() && app.game.current.parent) app.remove(app.game.current); }],
    ["z", t("keyBringBack"), () => app.bringBack?.()],
    ["b", t("keyOpening"), () => opening()],
    ["a", t("keyLive"), () => app.set("live", !app.prefs.live)],
    ["m", t("keyMarks"), () => app.set("show", next(SHOW, app.prefs.show))],
    ["n", t("numbersOnStones"), () => app.set("numbers", !app.prefs.numbers)],
    ["c", t("keyCoordinates"), () => app.set("coordinates", !app.prefs.coordinates)],
    ["f", t("flip"), () => app.set("flipped", !app.prefs.flipped)],
    ["t", t("lightOrDark"), () => { app.set("theme", next(THEMES, app.prefs.theme)); app.say(colours(app)); }],
    ["g", t("keyBoard"), () => focusBoard()],
    ["1", t("play"), () => app.show("play")], ["2", t("analyse"), () => app.show("analyse")],
    ["3", t("review"), () => app.show("review")], ["4", t("share"), () => app.show("share")],
    ["Escape", t("keyLeave"), () => (app.preview ? app.setPreview(null) : /** @type {HTMLElement | null} */ (document.activeElement)?.blur())],
    ["?", t("keyHelp"), () => help()],
  ];
}

/** The colours that are chosen, in words. @param {App} app */
export const colours = (app) => t("colours", { theme: t(app.prefs.theme === "light" ? "themeLight" : app.prefs.theme === "dark" ? "themeDark" : "themeAuto") });

/** Listens to the whole page, and to the buttons that name a key; but not where text or a list is being used. @param {App} app @param {Binding[]} list */
export function listen(app, list) {
  for (const name of ["keydown", "pointerdown"]) document.addEventListener(name, () => { app.byKeys = name === "keydown"; }, true);
  const calls = new Map(list.map(([key, , call]) => [key, call]));
  for (const [key, , call] of list) document.querySelector(`button[data-key="${NAMES[key] || key}"]`)?.addEventListener("click", call);
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
const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

/** What opens the help. @param {App} app @param {Binding[]} list */
export function helpDialog(app, list) {
  const name = (/** @type {string} */ key) => (key === " " ? t("space") : NAMES[key] || key);
  const rows = () => list.map(([key, text]) => el("div", {}, el("dt", {}, el("kbd", { text: name(key) })), el("dd", { text })));
  const marks = [["tree", t("legendTree")], ["classical", t("legendClassical")]];
  return () => openDialog("help", t("keysAndMarks"), el("dl", { class: "keys" }, ...rows()),
    el("ul", { class: "legend" }, ...marks.map(([mark, text]) => el("li", {}, el("span", { class: `key ${mark}` }), el("span", { text }))),
      el("li", {}, el("b", { text: t("legendProofs") }), el("span", { text: t("legendProven") }))),
    el("p", { class: "about", text: t("about", { version: app.config.version, networks: (app.config.models || []).join(", ") || t("none") }) }));
}
