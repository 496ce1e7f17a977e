// The panel of Play: the form of a new game, and what can be done during one; and the seats above and below the board.

import { button, byId, capital, el, field, percent, prefSelect, segments, select } from "./dom.js";
import { Game } from "./game.js";
import { levelName, number, t } from "./i18n.js";
import { sideName } from "./notation.js";
import { VariantForm } from "./variantform.js";

/** @type {Side[]} */ const SIDES = ["W", "B"];
const TICK = 500; // milliseconds between looks at how long the engine thinks
const PLAYOUTS = [100, 200, 400, 800, 1600, 3200, 6400], NODES = [1000, 10000, 50000, 200000, 1000000];
/**
 * What bounds the engine by the user's choice: what it is called, the engine, the bound, the preference, its name and values.
 * @type {[string, Key, string, string, NumberPref, Key, number[]][]}
 */
const CUSTOM = [
  ["mcts", "treePlayouts", "mcts", "playouts", "playouts", "playoutsAMove", PLAYOUTS],
  ["time", "treeTime", "mcts", "seconds", "seconds", "secondsAMove", [0.5, 1, 2, 5, 10, 20, 30]],
  ["alphabeta", "alphabetaNodes", "alphabeta", "nodes", "abnodes", "nodesPerMove", NODES],
  ["abtime", "alphabetaTime", "alphabeta", "seconds", "seconds", "secondsAMove", [0.5, 1, 2, 5, 10, 20, 30]],
  ["abdepth", "alphabetaDepth", "alphabeta", "depth", "abdepth", "depth", [2, 4, 6, 8, 10, 12, 14, 16, 20]],
];

/** A strength in words. @param {Strength | null} s */
function strengthText(s) {
  if (!s) return "";
  if (s.level) return levelName(s.level);
  const engine = t(s.engine === "alphabeta" ? "theAlphabeta" : "treeShort");
  if (s.seconds) return t("strengthSeconds", { engine, n: number(s.seconds) });
  if (s.depth) return t("strengthDepth", { engine, n: s.depth });
  if (s.nodes) return t("strengthNodes", { nodes: number(s.nodes) });
  return t("strengthPlayouts", { engine, playouts: number(s.playouts || 0) });
}

export class PlayPanel {
  constructor(/** @type {App} */ app, /** @type {Play} */ play) {
    this.app = app;
    this.play = play;
    const { prefs, config } = app;
    this.variant = new VariantForm(app, "play");
    this.variant.onchange = () => {
      app.load(new Game(this.variant.value()), null, app.view, false);
      play.anew = true;
      this.drawOpening();
    };
    /** @type {[string, string][]} */
    const sides = [["B", t("black")], ["W", t("white")], ["random", t("random")], ["both", t("both")], ["none", t("watch")]];
    this.side = segments(t("youPlay"), sides, prefs.side, (v) => prefs.set("side", v));
    /** @type {(l: LevelInfo) => [string, string, string]} */
    const level = ({ name, nodes }) => [name, capital(levelName(name)), t("nodesAMove", { nodes: number(nodes) })];
    this.level = segments(t("strength"), [...config.levels.map(level), ["custom", t("custom")]], prefs.level,
      (v) => { prefs.set("level", v); this.showCustom(); });
    /** @type {Map<LevelInfo, HTMLElement>} */
    this.ratings = new Map(config.levels.map((l) => [l, el("small", { class: "rating" })]));
    for (const [l, rating] of this.ratings) this.level.querySelector(`[data-value="${CSS.escape(l.name)}"]`)?.append(rating);
    this.engine = select({ "data-testid": "play-engine", on: { change: (e) => { prefs.set("custom", e.target.value); this.showCustom(); } } },
      CUSTOM.map(([name, label]) => [name, t(label)]), prefs.custom);
    this.amount = el("div");
    this.custom = el("div", { class: "pair" }, field(t("engine"), this.engine), this.amount);
    this.opening = select({ "data-testid": "play-opening", on: { change: (e) => this.chooseOpening(e.target.value) } },
      [["empty", t("emptyBoard")], ["balanced", t("balanced")]], prefs.opening);
    this.here = el("option", { value: "here", text: t("asItIs") });
    this.startButton = el("button", { type: "submit", class: "primary", text: t("play"), "data-testid": "start" });
    this.form = el("form", { class: "newgame", "aria-label": t("newGame"), on: { submit: (e) => { e.preventDefault(); this.start(); } } },
      this.variant.element, el("div", { class: "field" }, el("span", { class: "label", text: t("youPlay") }), this.side),
      el("div", { class: "field" }, el("span", { class: "label", text: t("engine") }), this.level), this.custom,
      field(t("opening"), this.opening), this.startButton);
    this.showCustom();
    this.buttons = {
      hint: button(t("hint"), "hint", () => play.showHint(), { title: t("hintAbout") }),
      back: button(t("takeBack"), "undo", () => play.takeBack(), { title: t("takeBackAbout") }),
      resign: button(t("resign"), "resign", () => play.resign()), again: button(t("newGame"), "again", () => this.again()),
      pause: button(t("pause"), "pause", () => play.togglePause()),
      retry: button(t("askAgain"), "retry", () => play.arrived()),
    };
    this.about = el("p", { class: "about" });
    this.pace = el("label", { class: "inline" }, el("span", { text: t("pauseBetween") }), prefSelect(app, "pause", [0, 0.5, 1, 2, 5], number));
    this.game = el("div", { class: "game" }, el("div", { class: "actions" }, ...Object.values(this.buttons), this.pace), this.about);
    byId("view-play").append(this.form, this.game);
    this.draw();
    app.on(() => { if (play.status === "idle") this.variant.take(app.game.variant); }, "game");
    app.on(() => this.draw(), "play", "view", "game", "position", "move");
  }

  /** The engine and the bound that the user chose. */
  get bound() { return CUSTOM.find(([name]) => name === this.app.prefs.custom) || CUSTOM[0]; }

  showCustom() {
    const [, , , , pref, label, values] = this.bound;
    this.custom.hidden = this.app.prefs.level !== "custom";
    this.amount.replaceChildren(field(t(label), prefSelect(this.app, pref, values, number)));
  }

  /** What a game begins from; the board as it is can be chosen where the form has its rules. */
  drawOpening() {
    for (const [level, rating] of this.ratings) {
      const elo = level.elo && level.elo[this.variant.chosen[0]];
      rating.textContent = elo === undefined ? "" : String(elo);
      rating.title = elo === undefined ? "" : t("eloAbout");
    }
    const { play, opening, here, variant } = this, { cards } = variant;
    const can = play.canGoOn && variant.shows(this.app.game.variant);
    if (can && !here.parentNode) opening.prepend(here);
    else if (!can) here.remove();
    for (const option of opening.options) {
      option.disabled = cards && option.value === "balanced";
      if (option.value === "empty") option.textContent = t(cards ? "newCards" : "emptyBoard");
    }
    opening.value = can && !play.anew ? "here" : cards ? "empty" : this.app.prefs.opening;
    if (!opening.value) opening.value = "empty";
    this.startButton.textContent = t(opening.value === "here" ? "playFromHere" : "play");
  }

  chooseOpening(/** @type {string} */ value) {
    this.play.anew = value !== "here";
    if (this.play.anew && !this.variant.cards) this.app.prefs.set("opening", value);
    this.drawOpening();
  }

  /** @returns {Strength} */
  strength() {
    const { prefs } = this.app, [, , engine, bound, pref] = this.bound;
    return prefs.level === "custom" ? { engine, [bound]: prefs[pref] } : { level: prefs.level };
  }

  start() {
    let side = this.side.value;
    if (side === "random") side = Math.random() < 0.5 ? "B" : "W";
    const engines = { B: side === "W" || side === "none", W: side === "B" || side === "none" };
    this.play.start({ variant: this.variant.value(), engines, strength: this.strength(), opening: this.opening.value });
    this.app.focusBoard();
  }

  /** To the form, for a game from the position that is shown. */
  fromHere() {
    const { play, app } = this;
    if (!app.free()) return;
    if (app.position && app.position.outcome) { app.notice(t("overHere")); return; }
    play.fromHere();
    this.variant.take(app.game.variant);
    app.show("play");
    app.emit("play");
    app.save();
    this.startButton.focus({ preventScroll: true });
    this.form.scrollIntoView({ block: "nearest" });
  }

  /** Back to the form, for a new game. */
  again() {
    const { play, app } = this;
    app.takeAway(play.running && t("gameGone"), () => {
      play.reset();
      play.anew = true;
      this.variant.take(app.game.variant);
      app.emit("play");
      app.save();
    });
  }

  draw() {
    const { play, app, buttons: b } = this, idle = play.status === "idle";
    this.form.hidden = !idle;
    this.game.hidden = idle;
    if (idle) { this.drawOpening(); return; }
    b.hint.disabled = !play.running || play.thinking || !play.input();
    b.back.disabled = !play.gameEnd.parent;
    b.resign.disabled = !play.running;
    b.retry.hidden = !play.trouble;
    b.hint.hidden = b.back.hidden = play.watched;
    this.pace.hidden = b.pause.hidden = !play.watched || !play.running;
    b.pause.textContent = t(play.paused ? "goOn" : "pause");
    this.about.textContent = `${boardText(app)}. ${app.rule().about}`;
  }
}

/** The rule set and the size of the board that is shown. @param {App} app */
function boardText(app) {
  const rule = app.rule().title, { size } = app.game.variant;
  return app.game.cards ? rule : t("ruleAndSize", { rule, size });
}

/** What the engine is at. @param {Play} play */
function thinkText({ search }) {
  if (!search) return t("lookingForOpening");
  const n = Math.floor((Date.now() - search.since) / 1000), text = t(search.hint ? "lookingForHint" : search.hurried ? "engineMoves" : "engineThinks");
  return n > 0 ? t("forSeconds", { text, n }) : text;
}

/** @param {{move: string, rate: number}} hint */
const hintText = ({ move, rate }) => t("hintIs", { move, rate: percent(rate / 100, 0) });

/** What stands above the panel. @param {App} app @param {Play} play */
export function statusText(app, play) {
  const { game, position } = app;
  if (app.view === "play" && play.status !== "idle") {
    if (!play.running) return play.result;
    if (play.trouble) return play.trouble;
    if (!play.atGameEnd) return t("earlierMove");
    if (play.thinking) return thinkText(play);
    if (play.hint) return hintText(play.hint);
    if (!position) return "…";
    if (play.engines[position.currentPlayer]) return t("enginesTurn");
    return [turnText(app, play), play.booked === play.gameEnd && t("fromBook")].filter(Boolean).join(" ");
  }
  if (app.view !== "review" && play.hint) return hintText(play.hint);
  if (position && position.outcome) return turnText(app, play);
  const names = [game.black, game.white].filter(Boolean).join(" – ");
  return [turnText(app, play), game.title || names || boardText(app)].filter(Boolean).join(" · ");
}

/** Whose turn it is, or how the game ended, in a few words. @param {App} app @param {Play} play */
export function turnText(app, play) {
  const { position } = app;
  if (!position) return "";
  if (position.outcome) return app.outcomeText(position.outcome);
  const own = app.view === "play" && play.running && !play.engines[position.currentPlayer];
  return t(own ? "yourMove" : "toMoveShort", { side: sideName(position.currentPlayer) });
}

/** How far the engine is with its move, and what ends its search; beside the status. */
export class ThinkBar {
  constructor(/** @type {App} */ app, /** @type {Play} */ play) {
    this.play = play;
    this.button = button("", "move-now", () => play.moveNow(), { title: t("hurryAbout") });
    this.bar = el("progress", { max: 1, "aria-label": t("engineProgress"), "data-testid": "think" });
    byId("view-think").append(this.button, this.bar);
    app.on(() => this.draw(), "think", "play", "view");
    setInterval(() => { if (play.search) app.emit("think"); }, TICK);
    this.draw();
  }

  draw() {
    const { search } = this.play;
    byId("view-think").classList.toggle("shown", Boolean(search));
    this.button.disabled = !search || search.hurried;
    const text = t(search && search.hint ? "hintNow" : "moveNow");
    if (this.button.textContent !== text) this.button.textContent = text; // a click on text that is replaced is lost
    this.bar.value = search ? search.share : 0;
  }
}

/** The two seats, with names and captures. @param {App} app @param {Play} play */
export function seats(app, play) {
  const parts = SIDES.map((side) => {
    const name = el("span", { class: "who" }), taken = el("span", { class: "taken" }), node = byId(`seat-${side.toLowerCase()}`);
    node.append(el("span", { class: `side ${side === "B" ? "black" : "white"}`, "aria-hidden": "true" }), name, taken);
    return { side, node, name, taken };
  });
  const draw = () => {
    const { position, game } = app;
    for (const { side, node, name, taken } of parts) {
      const own = t(play.engines[side === "B" ? "W" : "B"] ? "seatYou" : "seatPlayer");
      const who = play.status === "idle" ? (side === "B" ? game.black : game.white)
        : play.engines[side] ? t("seatEngine", { strength: strengthText(play.strength) }) : own;
      name.textContent = who ? t("seat", { side: sideName(side), who }) : sideName(side);
      const captured = position && position.captured;
      taken.textContent = captured ? t("seatCaptured", { n: captured[side === "B" ? 0 : 1] }) : "";
      node.classList.toggle("toplay", Boolean(position && !position.outcome && position.currentPlayer === side && play.status !== "over"));
    }
  };
  app.on((event) => { if (event !== "analysis" && event !== "preview") draw(); });
  draw();
}
