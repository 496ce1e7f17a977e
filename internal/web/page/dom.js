// Elements. Text only ever becomes a text node, so that nothing that a file or a peer says is read as markup.

import { number, t } from "./i18n.js";

const SVG = "http://www.w3.org/2000/svg";

/** @template {Element} E @param {E} node @param {Props<E>} props @param {(Child | Child[])[]} children */
function fill(node, props, children) {
  const plain = /** @type {{[property: string]: unknown}} */ (/** @type {unknown} */ (node));
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, call] of Object.entries(value)) node.addEventListener(event, /** @type {EventListener} */ (call));
    else if (name === "text") node.textContent = String(value);
    else if (name === "value" || name === "checked" || name === "selected" || name === "disabled") plain[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== false));
  return node;
}

/**
 * An HTML element: attributes, listeners in `on`, `text`, and children.
 * @template {keyof HTMLElementTagNameMap} K @param {K} tag @param {Props<HTMLElementTagNameMap[K]>} [props] @param {...(Child | Child[])} children
 */
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * An SVG element, likewise.
 * @template {keyof SVGElementTagNameMap} K @param {K} tag @param {Props<SVGElementTagNameMap[K]>} [props] @param {...(Child | Child[])} children
 */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** The element with the id, which the page has. @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** A select of [value, label] pairs. @param {Props<HTMLSelectElement>} props @param {(string | number)[][]} options @param {string | number} [chosen] */
export function select(props, options, chosen) {
  const node = el("select", props, ...options.map(([value, label]) => el("option", { value, text: label })));
  if (chosen !== undefined) node.value = String(chosen);
  return node;
}

/**
 * A button; `more` are further properties.
 * @param {string} text @param {string | undefined} id @param {() => void} call @param {Props<HTMLButtonElement>} [more]
 */
export const button = (text, id, call, more = {}) => el("button", { type: "button", text, "data-testid": id, on: { click: call }, ...more });

/**
 * A select of numbers that is a preference; its present value is one of them.
 * @param {App} app @param {NumberPref} name @param {number[]} values @param {(value: number) => string} [show]
 */
export function prefSelect(app, name, values, show = String) {
  const now = app.prefs[name], list = [...new Set([...values, now])].sort((a, b) => a - b);
  return select({ "data-testid": `set-${name}`, on: { change: (e) => app.set(name, Number(e.target.value)) } }, list.map((v) => [v, show(v)]), now);
}

/** @type {WeakMap<Element, string>} */ const drawnFrom = new WeakMap();

/**
 * Fills a node with what make() returns, unless it was filled for the same key; the focus stays on the same move or card.
 * @param {Element} node @param {string} key @param {() => (Node | string)[]} make
 */
export function drawOnce(node, key, make) {
  if (drawnFrom.get(node) === key) return;
  drawnFrom.set(node, key);
  const { move, card } = node.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset : {};
  node.replaceChildren(...make());
  if (!move && !card) return;
  /** @type {HTMLElement | null} */ (node.querySelector(`[data-${move ? "move" : "card"}="${CSS.escape(move || card || "")}"]`))?.focus();
}

/** Opens a dialog with a title and a button that closes it; once closed it is gone. @param {string} id @param {string} title @param {...Node} children */
export function openDialog(id, title, ...children) {
  const close = button("", undefined, () => dialog.close(), { class: "close", "aria-label": t("close") });
  const dialog = el("dialog", { id, "aria-labelledby": `${id}-title`, "data-testid": id, on: { close: () => dialog.remove() } },
    el("div", { class: "head" }, el("h2", { id: `${id}-title`, text: title }), close), ...children);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A switch of a preference. @param {App} app @param {"live" | "sweep" | "book"} name @param {string} text */
export function prefSwitch(app, name, text) {
  const input = el("input", { type: "checkbox", role: "switch", checked: app.prefs[name], "data-testid": `switch-${name}`,
    on: { change: (e) => app.set(name, e.target.checked) } });
  app.on(() => { input.checked = app.prefs[name]; }, "prefs");
  return el("label", { class: "switch" }, input, el("span", { text }));
}

/**
 * A table of moves: its columns, each a text and perhaps a class, and the body.
 * @param {string} id @param {[string, string?][]} columns @param {HTMLElement} body
 */
export function moveTable(id, columns, body, name = "") {
  return el("div", { class: "tablebox" }, el("table", { class: `top ${name}`, "data-testid": id },
    el("thead", {}, el("tr", {}, ...columns.map(([text, of]) => el("th", { scope: "col", class: of, text })))), body));
}

/**
 * A row of a list of games.
 * @param {number} n @param {string} what @param {string} result @param {() => void} open @param {{plies?: string, current?: boolean}} more
 */
export function gameRow(n, what, result, open, { plies = "", current = false } = {}) {
  return el("li", {}, el("button", { type: "button", "aria-current": current && "true", on: { click: open } }, el("b", { text: String(n) }),
    el("span", { class: "what", text: what }), el("span", { class: "plies", text: plies }), el("span", { class: "result", text: result })));
}

/** A labelled control in a form. @param {string} label @param {HTMLElement} control */
export function field(label, control) {
  return el("label", { class: "field" }, el("span", { class: "label", text: label }), control);
}

/**
 * A row of buttons of which one is pressed. Returns the element, with `value` to read and `choose(value)` to set.
 * @template {string} V @param {string} label @param {[V, string, string?][]} options @param {V} chosen @param {(value: V) => void} [changed]
 */
export function segments(label, options, chosen, changed) {
  /** @type {Map<V, HTMLButtonElement>} */ const buttons = new Map();
  const node = Object.assign(el("div", { class: "segments", role: "group", "aria-label": label }), {
    value: chosen,
    choose(/** @type {V} */ value) {
      node.value = value;
      for (const [v, b] of buttons) b.setAttribute("aria-pressed", String(v === value));
    },
  });
  for (const [value, text, title] of options) {
    buttons.set(value, button(text, undefined, () => { node.choose(value); changed?.(value); }, { title, "data-value": value }));
  }
  node.append(...buttons.values());
  node.choose(chosen);
  return node;
}

const UNITS = ["", "k", "M", "G"];

/** 1234 as "1.2k". @param {number} n */
export function short(n) {
  const unit = n < 999.5 ? 0 : n < 999.5e3 ? 1 : n < 999.5e6 ? 2 : 3, by = 1000 ** unit;
  return number(n / by, { maximumFractionDigits: n < by * 9.95 ? 1 : 0, useGrouping: false }) + UNITS[unit];
}

/** 0.583 as "58.3%". @param {number} p */
export const percent = (p, digits = 1) => number(p, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits });

/** 0.583 as "58", for where there is no room. @param {number} p */
export const hundredths = (p, digits = 0) => number(100 * p, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });

/** 0.583 as style sheets write it. @param {number} p */
export const cssPercent = (p) => `${(100 * p).toFixed(1)}%`;

/** A text that begins with a capital letter. @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Puts text onto the clipboard; false where the browser refuses. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "off", value: text, "aria-hidden": "true" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** Has the browser save a file. @param {Blob} blob @param {string} name */
export function saveFile(blob, name) {
  const url = URL.createObjectURL(blob), link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
