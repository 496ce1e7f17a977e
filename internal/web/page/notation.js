// Moves and points as text: a column letter from the left and a row number
// from below, so "a1" is the lower left corner.

import { t } from "./i18n.js";

/** The point in a column and a row, both from 0, as text. @type {(x: number, y: number) => string} */
export const pointName = (x, y) => String.fromCharCode(97 + x) + (y + 1);

/** The column and row of a point, or null. @param {string} text */
export function pointOf(text) {
  const m = /^([a-v])([1-9][0-9]?)$/.exec(text);
  return m ? { x: m[1].charCodeAt(0) - 97, y: Number(m[2]) - 1 } : null;
}

/** The moves of "h8i9j10". @type {(text: string) => string[]} */
export const splitPoints = (text) => text.match(/[a-v][1-9][0-9]?/g) || [];

/** The moves of a text that has nothing but moves, as "1. h8 2. i9", "H8,I9" or, by column and row, "8,8 9,9"; else "". */
export function movesIn(/** @type {string} */ text) {
  const words = text.toLowerCase().replace(/(^|\s)\d+\s*\.+(?=\s*[a-v(\d])/g, "$1").trim();
  if (/^([a-v][1-9][0-9]?[\s,;-]*)+$/.test(words)) return splitPoints(words).join("");
  if (!/^(\(?[1-9][0-9]?\s*,\s*[1-9][0-9]?\)?([\s;]+|$))+$/.test(words)) return "";
  return [...words.matchAll(/(\d+)\s*,\s*(\d+)/g)].map(([, x, y]) => pointName(Number(x) - 1, Number(y) - 1)).join("");
}

/** @type {(side: Side) => Side} */
export const other = (side) => (side === "B" ? "W" : "B");

/** @type {(side: Side) => string} */
export const sideName = (side) => t(side === "B" ? "black" : "white");

/** Onitama's move "crane a1a2" in parts; `from` and `to` are absent for a pass. @returns {{card: string, from?: string, to?: string}} */
export function cardMove(/** @type {string} */ text) {
  const [card, step] = text.split(" ");
  const m = /^([a-e][1-5])([a-e][1-5])$/.exec(step || "");
  return m ? { card, from: m[1], to: m[2] } : { card };
}

/** A win rate for the side to move as Black's. @type {(winrate: number, side: Side) => number} */
export const forBlack = (winrate, side) => (side === "B" ? winrate : 1 - winrate);

/** What an outcome is worth to Black. @param {Winner} winner */
export const pointsOf = (winner) => ({ B: 1, W: 0, none: 0.5 })[winner];
