import assert from "node:assert/strict";
import test from "node:test";
import { answerMarks, claimWords, noteMarks, proofText, proofWords, verdictText } from "../page/overlay.js";
import { opinion } from "./fakes.js";

const info = (move, order, more) => ({ move, order, visits: 10, winrate: 0.5, prior: 0.1, pv: [move], ...more });
const many = (engine, ...infos) => ({ ...opinion(engine, "a1"), moveInfos: infos });
const texts = (marks, of) => Object.fromEntries([...marks].filter(([, m]) => m[of]).map(([move, m]) => [move, m[of].text]));

test("proofs and claims in letters and in words", () => {
  assert.deepEqual([{ result: "win", plies: 5 }, { result: "loss", plies: 4 }, { result: "draw", plies: 9 }, undefined].map(proofText), ["W5", "L4", "D", ""]);
  assert.equal(proofWords({ result: "loss", plies: 4 }), "proven loss in 4");
  assert.equal(proofWords({ result: "draw", plies: 4 }), "proven draw");
  assert.equal(claimWords({ result: "win", plies: 7 }), "claims a win in 7");
});

test("marks say what was chosen to be shown; the most visited move is the darkest", () => {
  const answer = many("mcts", info("h8", 0, { visits: 1500, winrate: 0.61, prior: 0.3 }), info("i9", 1, { visits: 500, winrate: 0.4, prior: 0.05 }));
  const want = { winrate: { h8: "61", i9: "40" }, visits: { h8: "1.5k", i9: "500" }, prior: { h8: "30", i9: "5" } };
  for (const [show, of] of Object.entries(want)) assert.deepEqual(texts(answerMarks(answer, show, 5), "tree"), of);
  const marks = answerMarks(answer, "visits", 5);
  assert.equal(marks.get("h8").tree.share, 1);
  assert.ok(marks.get("h8").best && !marks.get("i9").best);
  assert.equal(marks.get("h8").label, "tree search 1.5k");
  assert.equal(answerMarks(answer, "none", 5).size, 0);
  assert.equal(answerMarks(null, "winrate", 5).size, 0);
});

test("a proof stands where the number would, a claim with a question mark", () => {
  const answer = { ...many("mcts", info("h8", 0, { proven: { result: "win", plies: 5 } })), alphabeta: many("alphabeta", info("h8", 0, { claim: { result: "win", plies: 7 } })) };
  const mark = answerMarks(answer, "winrate", 5).get("h8");
  assert.deepEqual([mark.tree.text, mark.classical.text, mark.label], ["W5", "W7?", "tree search W5, alpha-beta W7?"]);
});

test("of alpha-beta so many moves are marked as are shown, and where the engines differ each has its letter", () => {
  const answer = { ...many("mcts", info("h8", 0)), alphabeta: many("alphabeta", info("i9", 0), info("j10", 1), info("k11", 2)) };
  const marks = answerMarks(answer, "winrate", 2);
  assert.deepEqual(Object.keys(texts(marks, "classical")), ["i9", "j10"]);
  assert.deepEqual([marks.get("h8").letter, marks.get("i9").letter, marks.get("j10").letter], ["M", "A", undefined]);
  const same = answerMarks({ ...many("mcts", info("h8", 0)), alphabeta: many("alphabeta", info("h8", 0)) }, "winrate", 2);
  assert.equal(same.get("h8").letter, undefined);
});

test("the network's policy is shown on the points that it is of", () => {
  const policy = Array(26).fill(0); // five by five and a pass: the first row is the highest
  policy[0] = 0.5;
  policy[22] = 0.25;
  policy[25] = 0.25;
  const marks = answerMarks({ ...many("mcts", info("a5", 0)), policy }, "prior", 5);
  assert.deepEqual(texts(marks, "tree"), { a5: "50", c1: "25" });
});

test("what a file says of a turn", () => {
  const note = { turnNumber: 0, visits: [["i9", 25], ["h8", 75]], policy: [["h8", 1]] };
  assert.deepEqual(texts(noteMarks(note, "share"), "tree"), { h8: "75", i9: "25" });
  assert.deepEqual(texts(noteMarks(note, "visits"), "tree"), { h8: "75", i9: "25" });
  assert.deepEqual(texts(noteMarks(note, "prior"), "tree"), { h8: "100" });
  assert.ok(noteMarks(note, "share").get("h8").tree.best);
  const rows = noteMarks({ turnNumber: 0, mcts: { move: "h8", value: 0.5 }, alphabeta: { move: "i9", value: -1 } }, "share");
  assert.deepEqual([rows.get("h8").tree.text, rows.get("i9").classical.text, rows.get("h8").letter, rows.get("i9").letter], ["75", "0", "M", "A"]);
  assert.equal(noteMarks(null, "share").size, 0);
});

const verdict = { verdict: "differ", mctsMove: "h8", alphabetaMove: "i9" };

test("engines that differ, in words", () => {
  const both = (m, a) => ({ mcts: many("mcts", info("h8", 0, m && { proven: m })), alphabeta: many("alphabeta", info("i9", 0, a && { proven: a })) });
  const win = { result: "win", plies: 5 };
  assert.equal(verdictText(verdict, both()), "They differ: h8 and i9.");
  assert.equal(verdictText(verdict, both(win)), "They differ: h8 (proven win in 5) and i9.");
  assert.equal(verdictText(verdict, both(win, { result: "draw" })), "They differ: h8 (proven win in 5) and i9 (proven draw).");
  assert.equal(verdictText(verdict), "They differ: h8 and i9.");
  assert.equal(verdictText({ verdict: "agree", mctsMove: "h8", alphabetaMove: "h8" }), "Both play h8.");
});

test("blunders, in words", () => {
  const says = (blunders) => verdictText({ ...verdict, verdict: "blunder", ...blunders });
  assert.equal(says({ mctsBlunder: "loses", proof: { plies: 6 } }), "The tree search's h8 loses, proven in 6.");
  assert.equal(says({ mctsBlunder: "loses", alphabetaBlunder: "loses", proof: { plies: 6 } }), "The tree search's h8 loses; alpha-beta's i9 loses, proven in 6.");
  assert.equal(says({ mctsUnproven: "misses_win" }), "The tree search's h8 seems to miss a win, which is not proven.");
});
