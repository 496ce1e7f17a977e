// The panel of Play: the form of a new game, and what can be done during one;
// and the seats above and below the board.

import { byId, el, field, segments, select } from "./dom.js";
import { clockText } from "./clock.js";
import { sideName } from "./notation.js";
import { VariantForm } from "./variantform.js";

/** @type {Side[]} */
const SIDES = ["W", "B"];
const TICK = 500; // milliseconds between looks at how long the engine thinks
const PLAYOUTS = [100, 200, 400, 800, 1600, 3200, 6400], NODES = [1000, 10000, 50000, 200000, 1000000];
/** @param {number} [n] */
const inEnglish = (n = 0) => n.toLocaleString("en");
/** @param {string} name */
const title = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** A strength in words. @param {Strength | null} s */
function strengthText(s) {
  if (!s) return "";
  if (s.level) return s.level;
  if (s.engine === "alphabeta") return `alpha-beta, ${inEnglish(s.nodes)} nodes`;
  return s.seconds ? `tree search, ${s.seconds} s` : `tree search, ${inEnglish(s.playouts)} playouts`;
}

export class PlayPanel {
  swapDrawn = ""; // how far swap2 is, as it was drawn

  /** @param {App} app @param {Play} play */
  constructor(app, play) {
    this.app = app;
    this.play = play;
    const { prefs, config } = app;
    this.variant = new VariantForm(app, "play");
    this.variant.onchange = () => { this.play.anew = true; this.drawOpening(); };
    this.side = segments("You play", /** @type {[string, string][]} */ ([["B", "Black"], ["W", "White"], ["random", "Random"], ["both", "Both"], ["none", "Watch"]]), prefs.side, (v) => prefs.set("side", v));
    this.level = segments("Engine's strength", /** @type {[string, string, string?][]} */ ([...config.levels.map((l) => [l.name, title(l.name), `${inEnglish(l.nodes)} nodes a move`]), ["custom", "Custom"]]),
      prefs.level, (v) => { prefs.set("level", v); this.showCustom(); });
    /** @param {"playouts" | "abnodes" | "seconds"} name @param {string} label @param {number[]} values */
    const amount = (name, label, values) => {
      const list = values.includes(prefs[name]) ? values : [...values, prefs[name]].sort((a, b) => a - b);
      return field(label, select({ on: { change: (e) => prefs.set(name, Number(e.target.value)) } }, list.map((v) => [v, inEnglish(v)]), prefs[name]));
    };
    this.engine = select({ "data-testid": "play-engine", on: { change: (e) => { prefs.set("custom", e.target.value); this.showCustom(); } } },
      [["mcts", "Tree search, playouts"], ["time", "Tree search, time"], ["alphabeta", "Alpha-beta, nodes"]], prefs.custom);
    this.amounts = { mcts: amount("playouts", "Playouts a move", PLAYOUTS), alphabeta: amount("abnodes", "Nodes a move", NODES), time: amount("seconds", "Seconds a move", [0.5, 1, 2, 5, 10, 20, 30]) };
    this.custom = el("div", { class: "pair" }, field("Engine", this.engine), ...Object.values(this.amounts));
    this.opening = select({ "data-testid": "play-opening", on: { change: (e) => this.chooseOpening(e.target.value) } },
      [["empty", "Empty board"], ["balanced", "Balanced, at random"], ["swap2-you", "Swap2, you begin"], ["swap2-engine", "Swap2, the engine begins"]], prefs.opening);
    this.here = el("option", { value: "here", text: "The board as it is" });
    this.startButton = el("button", { type: "submit", class: "primary", text: "Play", "data-testid": "start" });
    this.clock = select({ "data-testid": "play-clock", on: { change: (e) => { prefs.set("clock", e.target.value); this.showCustom(); } } },
      [["off", "None"], ["on", "Minutes + seconds"]], prefs.clock);
    /** @param {"minutes" | "increment"} name @param {string} label @param {number} least */
    const count = (name, label, least) => field(label, el("input", { type: "number", min: least, max: 180, step: 1, value: prefs[name], inputmode: "numeric",
      on: { change: (e) => { const v = Number(e.target.value); if (v >= least && v <= 180) prefs.set(name, v); else e.target.value = String(prefs[name]); } } }));
    this.times = el("div", { class: "pair" }, count("minutes", "Minutes a side", 1), count("increment", "Seconds a move", 0));
    this.form = el("form", { class: "newgame", "aria-label": "New game", on: { submit: (e) => { e.preventDefault(); this.start(); } } },
      this.variant.element, el("div", { class: "field" }, el("span", { class: "label", text: "You play" }), this.side),
      el("div", { class: "field" }, el("span", { class: "label", text: "Engine" }), this.level), this.custom,
      el("div", { class: "pair" }, field("Opening", this.opening), field("Clock", this.clock)), this.times,
      this.startButton);
    this.showCustom();
    /** @type {(text: string, id: string, call: () => void, about?: string) => HTMLButtonElement} */
    const button = (text, id, call, about) => el("button", { type: "button", text, title: about, "data-testid": id, on: { click: call } });
    this.buttons = {
      hint: button("Hint", "hint", () => play.showHint(), "What the engine would play (h)"), back: button("Take back", "undo", () => play.takeBack(), "Take back to your last turn (u)"),
      resign: button("Resign", "resign", () => play.resign()), again: button("New game", "again", () => this.again()),
      retry: button("Ask again", "retry", () => play.arrived()),
    };
    this.choices = el("div", { class: "choices", role: "group", "aria-label": "Swap2" });
    this.about = el("p", { class: "about" });
    this.game = el("div", { class: "game" }, this.choices, el("div", { class: "actions" }, ...Object.values(this.buttons)), this.about);
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
    for (const [name, node] of Object.entries(this.amounts)) node.classList.toggle("hidden", name !== prefs.custom);
    this.times.classList.toggle("hidden", prefs.clock !== "on");
  }

  /** What a game begins from; the board as it is can be chosen where the form has its rules. */
  drawOpening() {
    const { play, opening, here, variant } = this, { cards } = variant;
    const can = play.canGoOn && variant.shows(this.app.game.variant);
    if (can && !here.parentNode) opening.prepend(here);
    else if (!can) here.remove();
    for (const option of opening.options) option.disabled = cards && !["here", "empty"].includes(option.value);
    const empty = opening.querySelector('[value="empty"]');
    if (empty) empty.textContent = cards ? "New cards" : "Empty board";
    opening.value = can && !play.anew ? "here" : cards ? "empty" : this.app.prefs.opening;
    if (!opening.value) opening.value = "empty";
    this.startButton.textContent = opening.value === "here" ? "Play from here" : "Play";
  }

  /** @param {string} value */
  chooseOpening(value) {
    this.play.anew = value !== "here";
    if (this.play.anew && !this.variant.cards) this.app.prefs.set("opening", value);
    this.drawOpening();
  }

  /** @returns {Strength} */
  strength() {
    const { prefs } = this.app;
    if (prefs.level !== "custom") return { level: prefs.level };
    if (prefs.custom === "alphabeta") return { engine: "alphabeta", nodes: prefs.abnodes };
    return prefs.custom === "time" ? { engine: "mcts", seconds: prefs.seconds } : { engine: "mcts", playouts: prefs.playouts };
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

  /** Back to the form, for a new game. */
  again() {
    const { play, app } = this;
    play.reset();
    play.anew = true;
    this.variant.take(app.game.variant);
    app.tell("play");
    app.save();
  }

  draw() {
    const { play, app } = this, idle = play.status === "idle";
    this.form.hidden = !idle;
    this.game.hidden = idle;
    if (idle) this.drawOpening();
    else {
      const b = this.buttons;
      b.hint.disabled = !play.running || play.thinking || !play.input();
      b.back.disabled = play.status === "swap" || !play.tip.parent;
      b.resign.disabled = !play.running;
      b.retry.hidden = !play.trouble;
      const rule = app.rule();
      this.about.textContent = `${rule.title}${app.game.cards ? "" : `, ${app.game.variant.size} × ${app.game.variant.size}`}. ${rule.about}`;
    }
    this.drawChoices();
  }

  drawChoices() {
    const { play } = this, { swap } = play;
    if (this.swapDrawn === swap) return;
    this.swapDrawn = swap;
    /** @type {(text: string, id: string, call: () => void) => HTMLElement} */
    const button = (text, id, call) => el("button", { type: "button", class: "primary", text, "data-testid": id, on: { click: call } });
    this.choices.replaceChildren(...(swap !== "choose3" ? [] : [button("Take Black", "take-black", () => play.take("B")),
      button("Take White", "take-white", () => play.take("W")), button("Put two more", "add-two", () => play.addTwo())]));
  }
}

/** What stands above the panel while swap2 goes on. @type {{[swap in Swap]: string}} */
const SWAP = {
  "": "",
  put3: "Swap2: put three stones, black, white, black. The engine then takes a colour.", wait3: "Swap2: the engine puts three stones…",
  choose3: "Swap2: which colour do you take? White is to move.", put2: "Swap2: put a white and a black stone.",
  "wait-choice": "Swap2: the engine chooses a colour…",
};

/** What the engine is at. @param {Play} play */
function thinkText({ search, waiting }) {
  if (!search) return waiting === "opening" ? "Looking for a balanced opening…" : "The engine thinks…";
  const seconds = Math.floor((Date.now() - search.since) / 1000), time = seconds > 0 ? ` ${seconds} s` : "";
  return search.hint ? `Looking for a hint…${time}` : `The engine ${search.hurried ? "moves" : "thinks"}…${time}`;
}

/** @param {{move: string, rate: number}} hint */
const hintText = ({ move, rate }) => `Hint: ${move}, ${rate}%`;

/** What stands above the panel. @param {App} app @param {Play} play */
export function statusText(app, play) {
  if (app.view === "play" && play.status !== "idle") {
    if (play.status === "over") return play.result;
    if (play.status === "swap") return SWAP[play.swap];
    if (play.trouble) return play.trouble;
    if (!play.atTip) return "You look at an earlier move. End goes back to the game.";
    if (play.thinking) return thinkText(play);
    if (play.hint) return hintText(play.hint);
    if (!app.position) return "…";
    return play.engines[app.position.currentPlayer] ? "The engine's turn." : `Your move: ${sideName(app.position.currentPlayer)}.${play.booked === play.tip ? " The engine's came from the book." : ""}`;
  }
  if (app.view !== "review" && play.hint) return hintText(play.hint);
  const { game } = app, names = [game.black, game.white].filter(Boolean).join(" – ");
  const rule = app.rule(), board = game.cards ? rule.title : `${rule.title}, ${game.variant.size} × ${game.variant.size}`;
  if (app.position && app.position.outcome) return app.outcomeText(app.position.outcome);
  return [app.position ? `${sideName(app.position.currentPlayer)} to move` : "", game.title || names || board].filter(Boolean).join(" · ");
}

/** How far the engine is with its move, and what ends its search; beside the status. */
export class ThinkBar {
  /** @param {App} app @param {Play} play */
  constructor(app, play) {
    this.app = app;
    this.play = play;
    this.button = el("button", { type: "button", title: "With what the engine knows by now (e)", "data-testid": "move-now", on: { click: () => play.hurry() } });
    this.bar = el("progress", { max: 1, "aria-label": "How far the engine is", "data-testid": "think" });
    byId("view-think").append(this.button, this.bar);
    app.on((what) => { if (["think", "play", "view"].includes(what)) this.draw(); });
    setInterval(() => { if (this.play.search) this.app.tell("think"); }, TICK);
    this.draw();
  }

  draw() {
    const { search } = this.play;
    byId("view-think").classList.toggle("shown", Boolean(search));
    this.button.disabled = !search || search.hurried;
    const text = search && search.hint ? "Hint now" : "Move now";
    if (this.button.textContent !== text) this.button.textContent = text; // a click on text that is replaced is lost
    this.bar.value = search ? search.share : 0;
  }
}

/** The two seats: name, captures and clock. */
export class Seats {
  /** @param {App} app @param {Play} play */
  constructor(app, play) {
    this.app = app;
    this.play = play;
    this.seats = { W: this.seat("W"), B: this.seat("B") };
    app.on((what) => { if (what !== "analysis" && what !== "preview") this.draw(); });
    setInterval(() => { this.play.tick(); this.clocks(); }, 100);
  }

  /** @param {Side} side */
  seat(side) {
    const name = el("span", { class: "who" }), taken = el("span", { class: "taken" }), clock = el("span", { class: "clock", role: "timer", "aria-label": `${sideName(side)}'s clock` });
    const node = byId(`seat-${side.toLowerCase()}`);
    node.append(el("span", { class: `side ${side === "B" ? "black" : "white"}`, "aria-hidden": "true" }), name, taken, clock);
    return { node, name, taken, clock };
  }

  draw() {
    const { app, play } = this;
    for (const side of SIDES) {
      const seat = this.seats[side], engine = play.engines[side];
      const plays = play.status === "running" || play.status === "over";
      const name = side === "B" ? app.game.black : app.game.white;
      seat.name.textContent = plays ? `${sideName(side)} · ${engine ? `engine, ${strengthText(play.strength)}` : play.engines[side === "B" ? "W" : "B"] ? "you" : "player"}`
        : name ? `${sideName(side)} · ${name}` : sideName(side);
      const captured = app.position && app.position.captured, n = captured ? captured[side === "B" ? 0 : 1] : 0;
      seat.taken.textContent = captured ? `${n} captured` : "";
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
