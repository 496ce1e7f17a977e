// Marks over the board: what the engines, or a file, say of the moves.

import { hundredths, short } from "./dom.js";
import { opinions } from "./analysis.js";
import { t } from "./i18n.js";

const TREE_SHOWN = 14;
/** @type {{[result in Result]: Key}} */
const PROOFS = { win: "provenWin", loss: "provenLoss", draw: "provenDraw" }, CLAIMS = /** @type {typeof PROOFS} */ ({ win: "claimsWin", loss: "claimsLoss", draw: "claimsDraw" });

/** A proof in a few letters: "W5", a win five plies from here; "L4"; "D". @param {Proof | undefined} proof */
export function proofText(proof) {
  if (!proof) return "";
  return proof.result === "draw" ? t("letterDraw") : t(proof.result === "win" ? "letterWin" : "letterLoss") + proof.plies;
}

/** A proof in words. @param {Proof | undefined} proof */
export function proofWords(proof) {
  if (!proof) return "";
  return t(PROOFS[proof.result], { n: proof.plies || "?" }); // a shard does not say it
}

/** A result that is claimed, not proven, in words. @param {Proof} claim */
export function claimWords(claim) {
  return t(CLAIMS[claim.result], { n: claim.plies });
}

/** What stands on a mark. @param {MoveInfo} info @param {string} show @param {number} total */
function treeText(info, show, total) {
  if (info.proven) return proofText(info.proven);
  if (show === "visits") return short(info.visits);
  if (show === "prior") return hundredths(info.prior);
  if (show === "share") return hundredths(info.visits / Math.max(1, total));
  return hundredths(info.winrate);
}

function classicalText(/** @type {MoveInfo} */ info, /** @type {string} */ show) {
  if (info.proven) return proofText(info.proven);
  if (info.claim) return proofText(info.claim) + "?";
  if (show === "visits") return `d${info.depth || 0}`;
  return hundredths(info.winrate);
}

/** The mark of a move, which is put there unless it is there already. @param {Marks} marks @param {string} move */
function markOf(marks, move) {
  const mark = marks.get(move) || {};
  marks.set(move, mark);
  return mark;
}

/** The overlay of an answer, by move; `show` says what is written. @param {Answer | null} answer @param {string} show @param {number} lines */
export function answerMarks(answer, show, lines) {
  /** @type {Marks} */ const marks = new Map();
  if (!answer || show === "none") return marks;
  const { mcts, alphabeta } = opinions(answer);
  if (mcts) addTree(marks, mcts, answer, show);
  if (alphabeta) {
    alphabeta.moveInfos.slice(0, lines).forEach((info, i) => {
      markOf(marks, info.move).classical = { text: classicalText(info, show), best: i === 0, proven: info.proven && info.proven.result };
    });
  }
  letters(marks, mcts && mcts.moveInfos[0].move, alphabeta && alphabeta.moveInfos[0].move);
  for (const m of marks.values()) {
    m.best = Boolean((m.tree && m.tree.best) || (m.classical && m.classical.best));
    m.label = [m.tree && t("treeMark", { text: m.tree.text }), m.classical && t("classicalSays", { rate: m.classical.text })].filter(Boolean).join(", ");
  }
  return marks;
}

/** @param {Marks} marks @param {Opinion} mcts @param {Answer} answer @param {string} show */
function addTree(marks, mcts, answer, show) {
  const total = mcts.moveInfos.reduce((sum, i) => sum + i.visits, 0);
  const most = Math.max(1, ...mcts.moveInfos.map((i) => i.visits));
  if (show === "prior" && Array.isArray(answer.policy)) {
    const size = Math.round(Math.sqrt(answer.policy.length - 1)), top = Math.max(...answer.policy, 0.001);
    answer.policy.forEach((p, i) => {
      if (p < 0.01 || i >= size * size) return;
      const move = String.fromCharCode(97 + (i % size)) + (size - Math.floor(i / size));
      markOf(marks, move).tree = { text: hundredths(p), share: p / top, best: move === mcts.moveInfos[0].move };
    });
    return;
  }
  mcts.moveInfos.slice(0, TREE_SHOWN).forEach((info, i) => {
    markOf(marks, info.move).tree = { text: treeText(info, show, total), share: info.proven ? 1 : show === "prior" ? info.prior : info.visits / most, best: i === 0, proven: info.proven && info.proven.result };
  });
}

/** Where the engines' choices differ each gets its letter. @param {Marks} marks @param {string | null | undefined} m @param {string | null | undefined} a */
function letters(marks, m, a) {
  if (!m || !a || m === a) return;
  for (const [move, letter] of [[m, "M"], [a, "A"]]) markOf(marks, move).letter = letter;
}

/** The overlay of what a file says of a turn. @param {TurnNote | null} note @param {string} show */
export function noteMarks(note, show) {
  /** @type {Marks} */ const marks = new Map();
  if (!note || show === "none") return marks;
  const list = show === "prior" && note.policy ? note.policy : note.visits || note.policy || [];
  const most = Math.max(1e-9, ...list.map(([, n]) => n)), total = list.reduce((sum, [, n]) => sum + n, 0);
  [...list].sort((a, b) => b[1] - a[1]).slice(0, TREE_SHOWN).forEach(([move, n], i) => {
    if (n > 0) markOf(marks, move).tree = { text: show === "visits" && Number.isInteger(n) ? short(n) : hundredths(n / total), share: n / most, best: i === 0 };
  });
  /** @type {TurnOpinion | undefined} */ const m = note.mcts || (note.verdict && { move: note.verdict.mctsMove });
  /** @type {TurnOpinion | undefined} */
  const a = note.alphabeta || (note.verdict && { move: note.verdict.alphabetaMove });
  const rate = (/** @type {number | undefined} */ v) => (typeof v === "number" ? hundredths((v + 1) / 2) : "");
  if (m && m.move) markOf(marks, m.move).tree = { text: rate(m.value), share: 1, best: true };
  if (a && a.move) markOf(marks, a.move).classical = { text: rate(a.value), best: true };
  letters(marks, m && m.move, a && a.move);
  for (const mark of marks.values()) mark.label = [mark.tree && t("visitedMark", { text: mark.tree.text }), mark.classical && t("classicalSays", { rate: mark.classical.text })].filter(Boolean).join(", ");
  return marks;
}
