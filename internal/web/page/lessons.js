// The rules explained with pictures: small boards, each with a move and what comes of it.
// lessons_test.go plays them by the rules.

import { Board } from "./board.js";
import { CardBoard } from "./cardboard.js";
import { el, openDialog } from "./dom.js";
import { gameInfo, hasCards } from "./games.js";
import { getJSON } from "./http.js";
import { t } from "./i18n.js";
import { splitPoints } from "./notation.js";

/**
 * The stones of a picture, and the move: a stone with a number, or the cross of a forbidden point.
 * @param {Lesson} lesson @param {string} verdict @param {number} size @returns {BoardView}
 */
function viewOf({ black, white, move, side = "B", taken = "" }, verdict, size) {
  const gone = splitPoints(taken);
  /** @type {(of: Side, points: string) => ShownStone[]} */
  const stones = (of, points) => splitPoints(points).filter((p) => !gone.includes(p)).map((point) => ({ side: of, point, number: 0 }));
  const view = { size, coordinates: false, numbers: true, side: null, can: () => false, taken: gone, stones: [...stones("B", black), ...stones("W", white)] };
  if (verdict === "forbidden") return { ...view, forbidden: [{ point: move, kinds: [] }] };
  return { ...view, stones: [...view.stones, { side, point: move, number: 1 }], last: move };
}

/** A picture, which is not played on, and its text. @param {SVGElement} board @param {string} verdict @param {Key} text */
function figure(board, verdict, text) {
  for (const attribute of ["data-testid", "role", "aria-label"]) board.removeAttribute(attribute);
  return el("figure", { "data-verdict": verdict }, el("div", { inert: true, "aria-hidden": "true" }, board), el("figcaption", { text: t(text) }));
}

/** The pictures of a rule set. @param {App} app @param {string} game @param {string} rules */
async function figures(app, game, rules) {
  /** @type {Lessons} */ const { size, gomoku, onitama } = await getJSON("assets/lessons.json");
  if (!hasCards(game)) {
    const all = gameInfo(game) && game === "gomoku" ? gomoku : [];
    return all.flatMap((lesson) => lesson.verdicts.filter((v) => v.rules.includes(rules)).map(({ verdict, text }) => {
      const board = new Board(() => {});
      board.draw(viewOf(lesson, verdict, size));
      return figure(board.element, verdict, text);
    }));
  }
  return Promise.all(onitama.map(async ({ deal, moves, verdict, text }) => {
    const position = await app.positions.ask({ game, initialPosition: deal, moves }), board = new CardBoard(() => {});
    board.draw({ position, last: moves[moves.length - 1], side: null, marks: null, hint: null, ask: () => {} });
    return figure(board.element, verdict, text);
  }));
}

/** Opens the explanation of a rule set. @param {App} app @param {string} game @param {string} rules */
export async function explain(app, game, rules) {
  const { title, about } = app.rule(rules);
  try {
    const pictures = await figures(app, game, rules);
    openDialog("lesson", title, el("p", { text: about }), el("div", { class: "lessons" }, ...pictures));
  } catch (e) { app.notice(e.message); }
}
