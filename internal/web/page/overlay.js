// Marks over the board: what the engines, or a file, say of the moves; and proofs and verdicts in words.

import { capital, hundredths, short } from "./dom.js";
import { opinions } from "./analysis.js";
import { t } from "./i18n.js";
import { pointName } from "./notation.js";

const TREE_SHOWN = 14;
/** What results are called: in a letter, proven, and claimed. @type {{[result in Result]: [Key, Key, Key]}} */
const RESULTS = {
  win: ["letterWin", "provenWin", "claimsWin"], loss: ["letterLoss", "provenLoss", "claimsLoss"], draw: ["letterDraw", "provenDraw", "claimsDraw"],
};

/** A result in a letter. @param {Result} result */
export const resultLetter = (result) => t(RESULTS[result][0]);

/** A proof in a few letters: "W5", a win five plies from here; "L4"; "D". @param {Proof | undefined} proof */
export const proofText = (proof) => (proof ? resultLetter(proof.result) + (proof.result === "draw" ? "" : proof.plies) : "");

/** A proof in words; a shard does not say in how many plies. @param {Proof | undefined} proof */
export const proofWords = (proof) => (proof ? t(RESULTS[proof.result][1], { n: proof.plies || "?" }) : "");

/** A result that is claimed, not proven, in words. @param {Proof} claim */
export const claimWords = (claim) => t(RESULTS[claim.result][2], { n: claim.plies });

/** What is proven of a choice, and what is only suspected. @type {{[blunder in Blunder]: [Key, Key]}} */
const BLUNDERS = { loses: ["blunderLoses", "maybeLoses"], misses_win: ["blunderMisses", "maybeMisses"] };

/** What is said of both engines' choices, with what each has proven of its own. @param {Verdict} v @param {Opinions} of */
export function verdictText(v, of = { mcts: null, alphabeta: null }) {
  if (v.verdict === "agree") return t("bothPlay", { move: v.mctsMove });
  /** @type {(move: string, opinion: Opinion | null) => string} */
  const withProof = (move, opinion) => {
    const proof = opinion?.moveInfos.find((i) => i.move === move)?.proven;
    return proof ? t("moveProven", { move, proof: proofWords(proof) }) : move;
  };
  /** @type {(engine: string, move: string, blunder?: Blunder, suspect?: Blunder) => string} */
  const says = (engine, move, blunder, suspect) => {
    const key = blunder ? BLUNDERS[blunder][0] : suspect && BLUNDERS[suspect][1];
    return key ? t(key, { engine, move }) : "";
  };
  const text = capital([says(t("theTree"), v.mctsMove, v.mctsBlunder, v.mctsUnproven),
    says(t("theAlphabeta"), v.alphabetaMove, v.alphabetaBlunder, v.alphabetaUnproven)].filter(Boolean).join("; "));
  if (!text) return t("differ", { a: withProof(v.mctsMove, of.mcts), b: withProof(v.alphabetaMove, of.alphabeta) });
  return v.proof ? t("blunderProven", { text, n: v.proof.plies }) : `${text}.`;
}

/** The class of what shows a verdict. @param {Verdict} v */
export const verdictClass = ({ verdict }) => `verdict ${verdict === "agree" ? "" : verdict === "differ" || verdict === "unproven" ? "differ" : "blunder"}`;

/** What stands on a mark of the tree search. @param {MoveInfo} info @param {string} show */
function treeText(info, show) {
  if (info.proven) return proofText(info.proven);
  return show === "visits" ? short(info.visits) : hundredths(show === "prior" ? info.prior : info.winrate);
}

function classicalText(/** @type {MoveInfo} */ info, /** @type {string} */ show) {
  if (info.proven) return proofText(info.proven);
  if (info.claim) return proofText(info.claim) + "?";
  return show === "visits" ? `d${info.depth || 0}` : hundredths(info.winrate);
}

/** The mark of a move, which is put there unless it is there already. @param {Marks} marks @param {string} move */
function markOf(marks, move) {
  const mark = marks.get(move) || {};
  marks.set(move, mark);
  return mark;
}

/** The overlay of an answer, by move; `show` says what is written. @param {Answer | null | undefined} answer @param {string} show @param {number} lines */
export function answerMarks(answer, show, lines) {
  /** @type {Marks} */ const marks = new Map();
  if (!answer || show === "none") return marks;
  const { mcts, alphabeta } = opinions(answer);
  if (mcts) addTree(marks, mcts, answer, show);
  alphabeta?.moveInfos.slice(0, lines).forEach((info, i) => {
    markOf(marks, info.move).classical = { text: classicalText(info, show), best: i === 0, proven: info.proven?.result };
  });
  letters(marks, mcts?.moveInfos[0].move, alphabeta?.moveInfos[0].move);
  label(marks, "treeMark");
  return marks;
}

/** @param {Marks} marks @param {Opinion} mcts @param {Answer} answer @param {string} show */
function addTree(marks, mcts, answer, show) {
  const most = Math.max(1, ...mcts.moveInfos.map((i) => i.visits));
  if (show === "prior" && Array.isArray(answer.policy)) {
    const size = Math.round(Math.sqrt(answer.policy.length - 1)), top = Math.max(...answer.policy, 0.001);
    answer.policy.forEach((p, i) => {
      if (p < 0.01 || i >= size * size) return;
      const move = pointName(i % size, size - 1 - Math.floor(i / size));
      markOf(marks, move).tree = { text: hundredths(p), share: p / top, best: move === mcts.moveInfos[0].move };
    });
    return;
  }
  mcts.moveInfos.slice(0, TREE_SHOWN).forEach((info, i) => {
    const share = info.proven ? 1 : show === "prior" ? info.prior : info.visits / most;
    markOf(marks, info.move).tree = { text: treeText(info, show), share, best: i === 0, proven: info.proven?.result };
  });
}

/** Where the engines' choices differ each gets its letter. @param {Marks} marks @param {string} [m] @param {string} [a] */
function letters(marks, m, a) {
  if (!m || !a || m === a) return;
  for (const [move, letter] of [[m, "M"], [a, "A"]]) markOf(marks, move).letter = letter;
}

/** Says of all marks what they show, and which are an engine's choice. @param {Marks} marks @param {Key} key of what the tree search says */
function label(marks, key) {
  for (const m of marks.values()) {
    m.best = Boolean(m.tree?.best || m.classical?.best);
    m.label = [m.tree && t(key, { text: m.tree.text }), m.classical && t("classicalSays", { rate: m.classical.text })].filter(Boolean).join(", ");
  }
}

/** The overlay of what a file says of a turn. @param {TurnNote | null} note @param {string} show */
export function noteMarks(note, show) {
  /** @type {Marks} */ const marks = new Map();
  if (!note || show === "none") return marks;
  const list = show === "prior" && note.policy ? note.policy : note.visits || note.policy || [];
  const most = Math.max(1e-9, ...list.map(([, n]) => n)), total = list.reduce((sum, [, n]) => sum + n, 0);
  [...list].sort((a, b) => b[1] - a[1]).slice(0, TREE_SHOWN).forEach(([move, n], i) => {
    const text = show === "visits" && Number.isInteger(n) ? short(n) : hundredths(n / total);
    if (n > 0) markOf(marks, move).tree = { text, share: n / most, best: i === 0 };
  });
  const { verdict } = note, rate = (/** @type {number | undefined} */ v) => (typeof v === "number" ? hundredths((v + 1) / 2) : "");
  const m = note.mcts?.move || verdict?.mctsMove, a = note.alphabeta?.move || verdict?.alphabetaMove;
  if (m) markOf(marks, m).tree = { text: rate(note.mcts?.value), share: 1, best: true };
  if (a) markOf(marks, a).classical = { text: rate(note.alphabeta?.value), best: true };
  letters(marks, m, a);
  label(marks, "visitedMark");
  return marks;
}
