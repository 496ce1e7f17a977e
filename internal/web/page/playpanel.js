// The panel of Play: the form of a new game, and what can be done during one;
// and the seats above and below the board.

import { button, byId, drawOnce, el, field, percent, prefSelect, segments, select } from "./dom.js";
import { clockText } from "./clock.js";
import { Game } from "./game.js";
import { levelName, number, t } from "./i18n.js";
import { sideName } from "./notation.js";
import { VariantForm } from "./variantform.js";

/** @type {Side[]} */ const SIDES = ["W", "B"];
const TICK = 500; // milliseconds between looks at how long the engine thinks
const PLAYOUTS = [100, 200, 400, 800, 1600, 3200, 6400], NODES = [1000, 10000, 50000, 200000, 1000000];
/** What bounds the engine by the choices of the user: engine, bound and preference. @type {{[custom: string]: [string, string, NumberPref]}} */
const CUSTOM = { mcts: ["mcts", "playouts", "playouts"], time: ["mcts", "seconds", "seconds"], alphabeta: ["alphabeta", "nodes", "abnodes"],
  abtime: ["alphabeta", "seconds", "seconds"], abdepth: ["alphabeta", "depth", "abdepth"] };
const title = (/** @type {string} */ name) => name.charAt(0).toUpperCase() + name.slice(1);

/** A strength in words. @param {Strength | null} s */
function strengthText(s) {
  if (!s) return "";
  if (s.level) return levelName(s.level);
  const engine = t(s.engine === "alphabeta" ? "theAlphabeta" : "treeShort");
  if (s.seconds) return t("strengthSeconds", { engine, n: number(s.seconds) });
  if (s.depth) return t("strengthDepth", { engine, n: s.depth });
  return s.engine === "alphabeta" ? t("strengthNodes", { nodes: number(s.nodes || 0) }) : t("strengthPlayouts", { engine, playouts: number(s.playouts || 0) });
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
    this.side = segments(t("youPlay"), /** @type {[string, string][]} */ ([["B", t("black")], ["W", t("white")], ["random", t("random")], ["both", t("both")], ["none", t("watch")]]), prefs.side, (v) => prefs.set("side", v));
    this.level = segments(t("strength"), /** @type {[string, string, string?][]} */ ([...config.levels.map((l) => [l.name, title(levelName(l.name)), t("nodesAMove", { nodes: number(l.nodes) })]), ["custom", t("custom")]]),
      prefs.level, (v) => { prefs.set("level", v); this.showCustom(); });
    /** @type {Map<LevelInfo, HTMLElement>} */
    this.ratings = new Map(config.levels.map((l) => [l, el("small", { class: "rating" })]));
    for (const [l, rating] of this.ratings) this.level.querySelector(`[data-value="${CSS.escape(l.name)}"]`)?.append(rating);
    /** @param {NumberPref} name @param {string} label @param {number[]} values */
    const amount = (name, label, values) => field(label, prefSelect(app, name, values, number));
    this.engine = select({ "data-testid": "play-engine", on: { change: (e) => { prefs.set("custom", e.target.value); this.showCustom(); } } },
      [["mcts", t("treePlayouts")], ["time", t("treeTime")], ["alphabeta", t("alphabetaNodes")], ["abtime", t("alphabetaTime")], ["abdepth", t("alphabetaDepth")]], prefs.custom);
    const seconds = amount("seconds", t("secondsAMove"), [0.5, 1, 2, 5, 10, 20, 30]), playouts = amount("playouts", t("playoutsAMove"), PLAYOUTS);
    this.amounts = { mcts: playouts, alphabeta: amount("abnodes", t("nodesPerMove"), NODES), time: seconds, abtime: seconds,
      abdepth: amount("abdepth", t("depth"), [2, 4, 6, 8, 10, 12, 14, 16, 20]) };
    this.custom = el("div", { class: "pair" }, field(t("engine"), this.engine), ...new Set(Object.values(this.amounts)));
    this.opening = select({ "data-testid": "play-opening", on: { change: (e) => this.chooseOpening(e.target.value) } },
      [["empty", t("emptyBoard")], ["balanced", t("balanced")], ["swap2-you", t("swap2You")], ["swap2-engine", t("swap2Engine")]], prefs.opening);
    this.here = el("option", { value: "here", text: t("asItIs") });
    this.startButton = el("button", { type: "submit", class: "primary", text: t("play"), "data-testid": "start" });
    this.clock = select({ "data-testid": "play-clock", on: { change: (e) => { prefs.set("clock", e.target.value); this.showCustom(); } } },
      [["off", t("noClock")], ["on", t("minutesSeconds")]], prefs.clock);
    /** @param {"minutes" | "increment"} name @param {string} label @param {number} least */
    const count = (name, label, least) => field(label, el("input", { type: "number", min: least, max: 180, step: 1, value: prefs[name], inputmode: "numeric",
      on: { change: (e) => { if (e.target.reportValidity()) prefs.set(name, Number(e.target.value)); } } }));
    this.times = el("fieldset", { class: "pair" }, count("minutes", t("minutesASide"), 1), count("increment", t("secondsAMove"), 0));
    this.form = el("form", { class: "newgame", "aria-label": t("newGame"), on: { submit: (e) => { e.preventDefault(); this.start(); } } },
      this.variant.element, el("div", { class: "field" }, el("span", { class: "label", text: t("youPlay") }), this.side),
      el("div", { class: "field" }, el("span", { class: "label", text: t("engine") }), this.level), this.custom,
      el("div", { class: "pair" }, field(t("opening"), this.opening), field(t("clock"), this.clock)), this.times,
      this.startButton);
    this.showCustom();
    this.buttons = {
      hint: button(t("hint"), "hint", () => play.showHint(), { title: t("hintAbout") }), back: button(t("takeBack"), "undo", () => play.takeBack(), { title: t("takeBackAbout") }),
      resign: button(t("resign"), "resign", () => play.resign()), again: button(t("newGame"), "again", () => this.again()),
      pause: button(t("pause"), "pause", () => play.togglePause()),
      retry: button(t("askAgain"), "retry", () => play.arrived()),
    };
    this.choices = el("div", { class: "choices", role: "group", "aria-label": t("swap2") });
    this.about = el("p", { class: "about" });
    this.pace = el("label", { class: "inline" }, el("span", { text: t("pauseBetween") }), prefSelect(app, "pause", [0, 0.5, 1, 2, 5], number));
    this.game = el("div", { class: "game" }, this.choices, el("div", { class: "actions" }, ...Object.values(this.buttons), this.pace), this.about);
    byId("view-play").append(this.form, this.game);
    this.draw();
    app.on((what) => {
      if (what === "game" && play.status === "idle") this.variant.take(app.game.variant);
      if (["play", "view", "game", "position", "move"].includes(what)) this.draw();
    });
  }

  showCustom() {
    const { prefs } = this.app, custom = prefs.level === "custom";
    this.custom.classList.toggle("hidden", !custom);
    const shown = Object.entries(this.amounts).find(([name]) => name === prefs.custom);
    for (const node of Object.values(this.amounts)) node.classList.toggle("hidden", !shown || node !== shown[1]);
    this.times.hidden = this.times.disabled = prefs.clock !== "on"; // what is disabled is not checked either
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
    for (const option of opening.options) option.disabled = cards && !["here", "empty"].includes(option.value);
    const empty = opening.querySelector('[value="empty"]');
    if (empty) empty.textContent = t(cards ? "newCards" : "emptyBoard");
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
    const { prefs } = this.app;
    if (prefs.level !== "custom") return { level: prefs.level };
    const [engine, bound, value] = CUSTOM[prefs.custom] || CUSTOM.mcts;
    return { engine, [bound]: prefs[value] };
  }

  start() {
    const { prefs } = this.app;
    let side = this.side.value;
    if (side === "random") side = Math.random() < 0.5 ? "B" : "W";
    const engines = { B: side === "W" || side === "none", W: side === "B" || side === "none" };
    this.play.start({ variant: this.variant.value(), engines, strength: this.strength(), opening: this.opening.value,
      clock: prefs.clock === "on" ? { minutes: prefs.minutes, increment: prefs.increment } : null });
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
    app.takeAway(play.locked && t("gameGone"), () => {
      play.reset();
      play.anew = true;
      this.variant.take(app.game.variant);
      app.emit("play");
      app.save();
    });
  }

  draw() {
    const { play, app } = this, idle = play.status === "idle";
    this.form.hidden = !idle;
    this.game.hidden = idle;
    if (idle) this.drawOpening();
    else {
      const b = this.buttons;
      b.hint.disabled = !play.running || play.thinking || !play.input();
      b.back.disabled = play.status === "swap" || !play.gameEnd.parent;
      b.resign.disabled = !play.running;
      b.retry.hidden = !play.trouble;
      b.hint.hidden = b.back.hidden = play.watched;
      this.pace.hidden = b.pause.hidden = !play.watched || !play.running;
      b.pause.textContent = t(play.paused ? "goOn" : "pause");
      const rule = app.rule();
      this.about.textContent = `${boardText(app)}. ${rule.about}`;
    }
    this.drawChoices();
  }

  drawChoices() {
    const { play } = this, primary = { class: "primary" };
    drawOnce(this.choices, play.swap, () => (play.swap !== "choose3" ? [] : [button(t("takeBlack"), "take-black", () => play.take("B"), primary),
      button(t("takeWhite"), "take-white", () => play.take("W"), primary), button(t("putTwo"), "add-two", () => play.addTwo(), primary)]));
  }
}

/** What stands above the panel while swap2 goes on. @type {{[swap in Exclude<Swap, "">]: Key}} */
const SWAP = { put3: "swapPut3", wait3: "swapWait3", choose3: "swapChoose3", put2: "swapPut2", "wait-choice": "swapWaitChoice" };

/** The rule set and the size of the board that is shown. @param {App} app */
function boardText(app) {
  const rule = app.rule().title, { size } = app.game.variant;
  return app.game.cards ? rule : t("ruleAndSize", { rule, size });
}

/** What the engine is at. @param {Play} play */
function thinkText({ search, waiting }) {
  if (!search) return t(waiting === "opening" ? "lookingForOpening" : "engineThinks");
  const n = Math.floor((Date.now() - search.since) / 1000), text = t(search.hint ? "lookingForHint" : search.hurried ? "engineMoves" : "engineThinks");
  return n > 0 ? t("forSeconds", { text, n }) : text;
}

/** @param {{move: string, rate: number}} hint */
const hintText = ({ move, rate }) => t("hintIs", { move, rate: percent(rate / 100, 0) });

/** What stands above the panel. @param {App} app @param {Play} play */
export function statusText(app, play) {
  if (app.view === "play" && play.status !== "idle") {
    if (play.status === "over") return play.result;
    if (play.status === "swap") return play.swap && t(SWAP[play.swap]);
    if (play.trouble) return play.trouble;
    if (!play.atGameEnd) return t("earlierMove");
    if (play.thinking) return thinkText(play);
    if (play.hint) return hintText(play.hint);
    if (!app.position) return "…";
    return play.engines[app.position.currentPlayer] ? t("enginesTurn")
      : [t("yourMove", { side: sideName(app.position.currentPlayer) }), play.booked === play.gameEnd && t("fromBook")].filter(Boolean).join(" ");
  }
  if (app.view !== "review" && play.hint) return hintText(play.hint);
  const { game } = app, names = [game.black, game.white].filter(Boolean).join(" – ");
  if (app.position && app.position.outcome) return app.outcomeText(app.position.outcome);
  return [app.position ? t("toMoveShort", { side: sideName(app.position.currentPlayer) }) : "", game.title || names || boardText(app)].filter(Boolean).join(" · ");
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
    this.app = app;
    this.play = play;
    this.button = button("", "move-now", () => play.moveNow(), { title: t("hurryAbout") });
    this.bar = el("progress", { max: 1, "aria-label": t("engineProgress"), "data-testid": "think" });
    byId("view-think").append(this.button, this.bar);
    app.on((what) => { if (["think", "play", "view"].includes(what)) this.draw(); });
    setInterval(() => { if (this.play.search) this.app.emit("think"); }, TICK);
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

/** The two seats: name, captures and clock. */
export class Seats {
  constructor(/** @type {App} */ app, /** @type {Play} */ play) {
    this.app = app;
    this.play = play;
    this.seats = { W: this.seat("W"), B: this.seat("B") };
    app.on((what) => { if (what !== "analysis" && what !== "preview") this.draw(); });
    setInterval(() => { this.play.tick(); this.clocks(); }, 100);
  }

  seat(/** @type {Side} */ side) {
    const name = el("span", { class: "who" }), taken = el("span", { class: "taken" }), clock = el("span", { class: "clock", role: "timer", "aria-label": t("clockOf", { side: sideName(side) }) });
    const node = byId(`seat-${side.toLowerCase()}`);
    node.append(el("span", { class: `side ${side === "B" ? "black" : "white"}`, "aria-hidden": "true" }), name, taken, clock);
    return { node, name, taken, clock };
  }

  draw() {
    const { app, play } = this;
    for (const side of SIDES) {
      const seat = this.seats[side], engine = play.engines[side];
      const plays = play.status === "running" || play.status === "over";
      const who = !plays ? (side === "B" ? app.game.black : app.game.white)
        : engine ? t("seatEngine", { strength: strengthText(play.strength) }) : t(play.engines[side === "B" ? "W" : "B"] ? "seatYou" : "seatPlayer");
      seat.name.textContent = who ? t("seat", { side: sideName(side), who }) : sideName(side);
      const captured = app.position && app.position.captured, n = captured ? captured[side === "B" ? 0 : 1] : 0;
      seat.taken.textContent = captured ? t("seatCaptured", { n }) : "";
      seat.node.classList.toggle("toplay", Boolean(app.position && !app.position.outcome && app.position.currentPlayer === side && play.status !== "over"));
    }
    this.clocks();
  }

  clocks() {
    const { clock } = this.play;
    for (const side of SIDES) {
      const node = this.seats[side].clock, text = clock ? clockText(clock.at(side)) : "";
      if (node.textContent !== text) node.textContent = text;
      node.classList.toggle("low", clock !== null && clock.at(side) < 20000);
    }
  }
}
