// The page's words in the user's language. Modules hold keys of messages, never words;
// i18n.test.js and the lint see to that.

import { en } from "./messages/en.js";
import { server, vi } from "./messages/vi.js";

/** @typedef {keyof typeof en} Key */
/** @typedef {{[name: string]: string}} Words */
/** @typedef {string | Words} Text */
/**
 * What the server says in English, in another language: rule sets, levels and kinds of forbidden points by their names, refusals
 * by their codes. @typedef {{rules: {[name: string]: {title: string, about: string}}, levels: Words, kinds: Words, codes: Words}} ServerWords
 */
/** @typedef {{name: string, messages: {[key in Key]: Text}, server?: ServerWords}} Language */

/** The languages that the page speaks, by their tags; `name` is what a language calls itself. @type {{[tag: string]: Language}} */
export const LANGUAGES = { en: { name: "English", messages: en }, vi: { name: "Tiếng Việt", messages: vi, server } };

let tag = "en";
let plurals = new Intl.PluralRules(tag);

/** The tag of the language that is spoken. */
export const language = () => tag;

/**
 * The first of the wanted languages that the page speaks, else English; "" wants nothing.
 * @param {readonly string[]} wanted tags, as "vi" or "vi-VN"
 */
export const firstSpoken = (wanted) => wanted.map((w) => w.toLowerCase().split("-")[0]).find((w) => Object.hasOwn(LANGUAGES, w)) || "en";

/** Speaks a language from now on. What is drawn already stays as it is. @param {string} to one of LANGUAGES */
export function speak(to) {
  tag = to;
  plurals = new Intl.PluralRules(to);
}

/** A message with its values. Where its text depends on a number, that is `n`. @param {Key} key @param {{[place: string]: string | number}} [values] */
export function t(key, values = {}) {
  const message = /** @type {Text} */ (LANGUAGES[tag].messages[key]);
  const text = typeof message === "string" ? message : message[plurals.select(Number(values.n))] || message.other;
  return text.replace(/\{(\w+)\}/g, (_, place) => String(values[place]));
}

/** What the server has, with its rule sets described in the language that is spoken. @param {Config} config @returns {Config} */
export function inLanguage(config) {
  const words = LANGUAGES[tag].server;
  return words ? { ...config, games: config.games.map((g) => ({ ...g, rules: g.rules.map((r) => ({ ...r, ...words.rules[r.name] })) })) } : config;
}

/** A level in words. @param {string} name */
export const levelName = (name) => LANGUAGES[tag].server?.levels[name] ?? name;

/** Kinds of forbidden points in words. @param {string[]} kinds */
export const kindNames = (kinds) => kinds.map((kind) => LANGUAGES[tag].server?.kinds[kind] ?? kind).join(", ");

/** What the server refuses, by its code in the language that is spoken, or in its own words. @param {string | undefined} code @param {string} error */
export function refusalText(code, error) {
  const words = code && LANGUAGES[tag].server?.codes[code];
  return words ? `${words}.` : error;
}

/** A list of which one is to be chosen: "a, b or c". @param {string[]} items */
export const either = (items) => new Intl.ListFormat(tag, { type: "disjunction" }).format(items);

/** A number with the language's separators. @param {number} n @param {Intl.NumberFormatOptions} [options] */
export const number = (n, options) => new Intl.NumberFormat(tag, options).format(n);

/**
 * Puts the words into the page's own elements: data-t names an element's text, data-label
 * its name and its tip, to which data-key adds a key, data-tip the tip alone.
 */
export function translatePage() {
  document.documentElement.lang = tag;
  const each = (/** @type {string} */ name, /** @type {(element: HTMLElement, text: string) => void} */ put) => {
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`[data-${name}]`))) {
      put(element, t(/** @type {Key} */ (element.dataset[name])));
    }
  };
  /** @param {HTMLElement} element @param {string} text */
  const tip = (element, text) => { element.title = element.dataset.key ? t("withKey", { text, key: element.dataset.key }) : text; };
  each("t", (element, text) => { element.textContent = text; });
  each("label", (element, text) => { element.setAttribute("aria-label", text); if (element.dataset.key) tip(element, text); });
  each("tip", tip);
}
