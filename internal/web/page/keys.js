// Keys, and the page that explains them.

import { byId, el, openDialog } from "./dom.js";
import { t } from "./i18n.js";

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
    [["ArrowLeft"], t("back"), () => (held(app) ? app.stepPreview(-1) : app.step(-1))],
    [["ArrowRight"], t("forward"), () => (held(app) ? app.stepPreview(1) : app.step(1))],
    [["ArrowUp"], t("keyPrevious"), () => app.sibling(-1)],
    [["ArrowDown"], t("keyNext"), () => app.sibling(1)],
    [["Home"], t("toStart"), () => app.seek(0)],
    [["End"], t("toEnd"), () => app.seek(Infinity)],
    [[" "], t("keyEngine"), () => { if (!app.locked() || byId("board-place").contains(document.activeElement)) play.engineMove(); }],
    [["e"], t("keyHurry"), () => play.moveNow()],
    [["h"], t("hint"), () => play.showHint()],
    [["u"], t("takeBack"), () => play.takeBack()],
    [["Delete"], t("deleteFromHere"), () => { if (!app.locked() && app.game.current.parent) app.remove(app.game.current); }],
    [["z"], t("keyBringBack"), () => app.bringBack?.()],
    [["b"], t("keyOpening"), () => opening()],
    [["a"], t("keyLive"), () => app.set("live", !app.prefs.live)],
    [["m"], t("keyMarks"), () => app.set("show", next(SHOW, app.prefs.show))],
    [["n"], t("numbersOnStones"), () => app.set("numbers", !app.prefs.numbers)],
    [["c"], t("keyCoordinates"), () => app.set("coordinates", !app.prefs.coordinates)],
    [["f"], t("flip"), () => app.set("flipped", !app.prefs.flipped)],
    [["t"], t("lightOrDark"), () => { app.set("theme", next(THEMES, app.prefs.theme)); app.say(colours(app)); }],
    [["g"], t("keyBoard"), () => focusBoard()],
    [["1"], t("play"), () => app.show("play")], [["2"], t("analyse"), () => app.show("analyse")],
    [["3"], t("review"), () => app.show("review")], [["4"], t("share"), () => app.show("share")],
    [["Escape"], t("keyLeave"), () => { if (app.preview) app.setPreview(null); else if (document.activeElement) /** @type {HTMLElement} */ (document.activeElement).blur(); }],
    [["?"], t("keyHelp"), () => help()],
  ];
}

const held = (/** @type {App} */ app) => app.preview && app.preview.pinned;

/** The colours that are chosen, in words. @param {App} app */
export const colours = (app) => t("colours", { theme: t(app.prefs.theme === "light" ? "themeLight" : app.prefs.theme === "dark" ? "themeDark" : "themeAuto") });

/** Listens to the whole page, and to the buttons that name a key; but not where text or a list is being used. @param {App} app @param {Binding[]} list */
export function listen(app, list) {
  for (const [event, byKeys] of /** @type {const} */ ([["keydown", true], ["pointerdown", false]])) document.addEventListener(event, () => { app.byKeys = byKeys; }, true);
  const calls = new Map(list.flatMap(([keys, , call]) => keys.map((k) => [k, call])));
  for (const [keys, , call] of list) for (const k of keys) document.querySelector(`button[data-key="${NAMES[k] || k}"]`)?.addEventListener("click", call);
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
  const rows = () => list.map(([keys, text]) => el("div", {}, el("dt", {}, ...keys.map((k) => el("kbd", { text: k === " " ? t("space") : NAMES[k] || k }))), el("dd", { text })));
  const marks = [["tree", t("legendTree")], ["classical", t("legendClassical")]];
  return () => openDialog("help", t("keysAndMarks"), el("dl", { class: "keys" }, ...rows()),
    el("ul", { class: "legend" }, ...marks.map(([name, text]) => el("li", {}, el("span", { class: `key ${name}` }), el("span", { text }))),
      el("li", {}, el("b", { text: t("legendProofs") }), el("span", { text: t("legendProven") }))),
    el("p", { class: "about", text: t("about", { version: app.config.version, networks: (app.config.models || []).join(", ") || t("none") }) }));
}
