// The exercise "find the better move": at each of the mistakes of a game, what would have been better. An engine judges what is
// tried.

import { note, quickly } from "./analysis.js";
import { button, byId, el } from "./dom.js";
import { Node } from "./game.js";
import { gradeOf, judge, lossText, SIGNS } from "./grades.js";
import { t } from "./i18n.js";
import { pointsOf, sideName } from "./notation.js";

export class Exercise {
  /** @type {Judged[]} */ tasks = [];
  at = -1; // the task at hand; -1: none
  told = ""; // what is said of it
  solved = false;
  /** @type {Query | null} */ asked = null; // about what was tried

  constructor(/** @type {App} */ app) {
    this.app = app;
    this.said = el("p", { class: "told", role: "status", "data-testid": "exercise-text" });
    this.next = button(t("next"), "exercise-next", () => this.go(this.at + 1));
    this.box = el("div", { class: "exercise", hidden: true, role: "group", "aria-label": t("findBetter"), "data-testid": "exercise" }, this.said,
      el("div", { class: "actions" }, button(t("show"), "exercise-show", () => this.show()), this.next,
        button(t("endExercise"), "exercise-end", () => this.end())));
    byId("view-exercise").append(this.box);
    app.on((event) => {
      if (!this.task) return;
      if (event === "game" || event === "view" || (event === "move" && app.game.current !== this.task.node.parent)) this.end();
      else if (event === "position") this.draw();
    });
  }

  /** The task at hand. */
  get task() { return this.at < 0 ? null : this.tasks[this.at]; }

  /** Begins with the mistakes that are known by now. */
  start() {
    this.tasks = judge(this.app).filter((m) => m.best && (m.grade === "mistake" || m.grade === "blunder"));
    if (!this.tasks.length) { this.app.notice(t("noMistakes")); return; }
    this.go(0);
  }

  go(/** @type {number} */ at) {
    if (this.asked) this.asked.drop();
    this.asked = null;
    if (at >= this.tasks.length) { this.end(); this.app.notice(t("exerciseDone")); return; }
    this.at = at;
    this.solved = false;
    if (!this.app.exercising) this.app.cover(true);
    const m = this.tasks[at];
    this.told = t("exerciseTask", { n: at + 1, all: this.tasks.length, side: sideName(m.mover), move: m.node.move + SIGNS[m.grade], loss: lossText(m.loss) });
    this.app.seek(m.node.turn - 1);
    this.draw();
    this.app.focusBoard();
  }

  /** Takes a move that the user tries; false where no exercise goes on. @param {string} move */
  tries(move) {
    const { task, app } = this;
    if (!task) return false;
    if (this.solved || this.asked) return true;
    if (move === task.best) { this.solve(t("exerciseBest", { move })); return true; }
    const at = /** @type {GameNode} */ (task.node.parent), engine = at.values.mcts !== undefined ? "mcts" : "alphabeta", before = Number(at.values[engine]);
    const fields = app.game.fields(at);
    fields.moves = [...fields.moves, move];
    this.say(t("exerciseTrying", { move }));
    this.asked = app.socket.query({ ...fields, ...quickly(app, engine), priority: 100 }, [fields.moves.length], (answer) => {
      this.asked = null;
      if (this.task !== task) return;
      const tried = new Node(move, at);
      if (answer.outcome) tried.values[engine] = pointsOf(answer.outcome.winner);
      else note(tried, answer);
      const black = tried.values[engine];
      if (black === undefined) { this.say(answer.error || t("exerciseUnknown", { move })); return; }
      const loss = Math.max(0, (task.mover === "B" ? 1 : -1) * (before - black)), grade = gradeOf(app.config.scale, loss);
      if (SIGNS[grade]) this.say(t("exerciseWorse", { move, loss: lossText(loss) }));
      else this.solve(t("exerciseGood", { move }));
    }, (error) => { this.asked = null; this.say(error.message); });
    return true;
  }

  /** Ends the task, and holds the better line on the board, to be stepped through. @param {string} text */
  solve(text) {
    const { task, app } = this;
    this.solved = true;
    this.say(text);
    if (task) app.setPreview({ title: t("betterLine"), base: app.game.current, moves: task.line, at: 1, pinned: true });
  }

  /** Shows what was better. */
  show() {
    if (this.task?.best) this.solve(t("exerciseShown", { move: this.task.best }));
  }

  say(/** @type {string} */ text) {
    this.told = text;
    this.draw();
  }

  end() {
    if (this.asked) this.asked.drop();
    this.asked = null;
    this.at = -1;
    this.draw();
    this.app.cover(false);
  }

  draw() {
    this.box.hidden = !this.task;
    if (this.said.textContent !== this.told) this.said.textContent = this.told;
    this.next.textContent = t(this.at + 1 < this.tasks.length ? "next" : "finish");
  }
}
