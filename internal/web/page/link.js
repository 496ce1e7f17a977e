// The address of a position: everything that is needed to show it again stands
// behind the #.

import { Game } from "./game.js";
import { gameOfRules } from "./games.js";
import { t } from "./i18n.js";
import { splitPoints } from "./notation.js";

/** @type {View[]} */ const VIEWS = ["play", "analyse", "review", "share"];
/** @type {Side[]} */ const SIDES = ["B", "W"];

/** The fragment of a game and a view, without #. @param {Game} game @param {View} view */
export function fragment(game, view) {
  const v = game.variant;
  const parts = [`v=${v.rules}`];
  const line = game.line().slice(1).map((n) => n.move);
  if (game.cards) {
    parts.push(`deal=${encodeURI(v.initialPosition || "")}`);
    if (line.length) parts.push("m=" + line.map((m) => m.replace(" ", "-")).join("."));
  } else {
    parts.push(`s=${v.size}`);
    if (v.openRule) parts.push("open=1");
    for (const side of SIDES) {
      const stones = (v.initialStones || []).filter((s) => s[0] === side).map((s) => s[1]);
      if (stones.length) parts.push(`${side.toLowerCase()}=${stones.join("")}`);
    }
    if (v.initialPlayer) parts.push(`first=${v.initialPlayer}`);
    if (v.captured) parts.push(`taken=${v.captured.join(",")}`);
    if (line.length) parts.push("m=" + line.join(""));
  }
  if (game.current.turn !== line.length) parts.push(`turn=${game.current.turn}`);
  parts.push(`view=${view}`);
  return parts.join("&");
}

/** The points that a field of a link has; throws where it has anything else. @param {URLSearchParams} of @param {string} field */
function pointsIn(of, field) {
  const text = of.get(field) || "", points = splitPoints(text);
  if (points.join("") !== text) throw new Error(t("badLink", { field, text: text.slice(0, 20) }));
  return points;
}

/**
 * What a fragment says: {game, view}, each null where it says nothing of it. Throws where it names a board that there cannot be.
 * @returns {{game: Game | null, view: View | null}}
 */
export function parseFragment(/** @type {string} */ text) {
  const of = new URLSearchParams(text.replace(/^#/, ""));
  const view = VIEWS.find((v) => v === of.get("view")) || null;
  const rules = of.get("v");
  if (!rules) return { game: null, view };
  const turn = /^\d{1,4}$/.test(of.get("turn") || "") ? Number(of.get("turn")) : undefined;
  const info = gameOfRules(rules);
  if (info && info.board === "cards") {
    const deal = of.get("deal");
    if (!deal) throw new Error(t("noCards", { game: info.rules[0].title }));
    const moves = (of.get("m") || "").split(".").filter(Boolean).map((m) => m.replace("-", " "));
    return { game: Game.from({ game: info.name, initialPosition: deal, moves, turn }), view };
  }
  const [least, most] = info ? info.sizes : [5, 22], size = Number(of.get("s") || (info ? info.defaultSize : 15));
  if (!(Number.isInteger(size) && size >= least && size <= most)) throw new Error(t("badSize", { size: String(of.get("s")).slice(0, 20), least, most }));
  /** @type {Partial<Variant>} */
  const variant = { game: info && info.name, rules, size, openRule: of.get("open") === "1" };
  /** @type {Stone[]} */ const stones = [];
  for (const side of SIDES) {
    for (const p of pointsIn(of, side.toLowerCase())) stones.push([side, p]);
  }
  if (stones.length) variant.initialStones = stones;
  const first = SIDES.find((side) => side === of.get("first"));
  if (first) variant.initialPlayer = first;
  const taken = (of.get("taken") || "").split(",").map(Number);
  if (taken.length === 2 && taken.every(Number.isInteger)) variant.captured = taken;
  return { game: Game.from({ ...variant, moves: pointsIn(of, "m"), turn }), view };
}
