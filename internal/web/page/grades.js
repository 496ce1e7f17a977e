// How good the moves of a game were, by the server's scale: internal/review has the definitions.

import { percent } from "./dom.js";
import { t } from "./i18n.js";
import { other } from "./notation.js";

/** @type {EngineName[]} */ const ENGINES = ["mcts", "alphabeta"];

/** What stands behind moves that were no good ones. @type {{[grade: string]: string}} */
export const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** What such moves are called. @param {string} grade one of SIGNS */
export const gradeText = (grade) => t(grade === "inaccuracy" ? "gradeInaccuracy" : grade === "mistake" ? "gradeMistake" : "gradeBlunder");

/** A loss in percent, rounded down, so that none looks like one of the next class. @param {number} loss */
export const lossText = (loss) => percent(Math.floor(100 * loss + 1e-9) / 100, 0);

/** The class of a loss, from 0 to 1. @param {Scale} scale @param {number} loss */
export function gradeOf({ grades }, loss) {
  return grades.reduce((best, g) => (loss >= g.loss ? g.class : best), grades[0].class);
}

/** How accurate a move is, from 0 to 100. @param {Scale} scale @param {number} loss */
export function accuracyOf({ accuracy: a }, loss) {
  return Math.max(0, Math.min(100, a.scale * Math.exp(-a.rate * loss) - a.less));
}

/** The first engine that knows all of some nodes. @param {GameNode[]} nodes */
const knower = (...nodes) => ENGINES.find((e) => nodes.every((n) => n.values[e] !== undefined));

/** The moves of the line that is shown, those of which enough is known. @param {App} app @returns {Judged[]} */
export function judge({ game, config }) {
  const line = game.line();
  /** @type {Judged[]} */ const out = [];
  for (let i = 1; i < line.length; i++) {
    const before = line[i - 1], node = line[i], engine = knower(before, node);
    if (!engine) continue;
    const mover = other(game.side(node)), best = before.best?.[engine];
    const fall = (mover === "B" ? 1 : -1) * (Number(before.values[engine]) - Number(node.values[engine]));
    const loss = best === node.move ? 0 : Math.max(0, fall), { line: expected = best ? [best] : [], proven } = before.found?.[engine] || {};
    out.push({ node, mover, loss, grade: gradeOf(config.scale, loss), best, line: expected, proven });
  }
  return out;
}

/** What the moves of a side amount to. @param {Scale} scale @param {Judged[]} judged @param {Side} side */
export function sumOf(scale, judged, side) {
  const own = judged.filter((m) => m.mover === side);
  const count = (/** @type {string} */ grade) => own.filter((m) => m.grade === grade).length;
  return { moves: own.length, accuracy: own.reduce((sum, m) => sum + accuracyOf(scale, m.loss), 0) / Math.max(1, own.length), count };
}

/** What is known of the line's positions, as an export takes it. @param {Game} game */
export function turnsOf(game) {
  return game.line().flatMap((node) => {
    const engine = knower(node);
    if (!engine) return [];
    const value = Math.max(0, Math.min(1, Number(node.values[engine])));
    return [{ turnNumber: node.turn, value, best: node.best?.[engine], ...node.found?.[engine] }];
  });
}
