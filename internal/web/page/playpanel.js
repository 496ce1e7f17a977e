// The panel of Play: the form of a new game, and what can be done during one;
// and the seats above and below the board.

import { byId, el, field, segments, select } from "./dom.js";
import { clockText } from "./clock.js";
import { sideName } from "./notation.js";
import { VariantForm } from "./variantform.js";

const TICK = 500; // milliseconds between looks at how long the engine thinks
const PLAYOUTS = [100, 200, 400, 800, 1600, 3200, 6400], NODES = [1000, 10000, 50000, 200000, 1000000];
const title = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** A strength in words. */
function strengthText(s) {
  if (!s) return "";
  if (s.level) return s.level;
  if (s.engine === "alphabeta") return `alpha-beta, ${s.nodes.toLocaleString("en")} nodes`;
  return s.seconds ? `tree search, ${s.seconds} s` : `tree search, ${s.playouts.toLocaleString("en")} playouts`;
}

export class PlayPanel {
  constructor(app, play) {
    Object.assign(this, { app, play });
    this.form = this.makeForm();
    this.game = this.makeGame();
    byId("view-play").append(this.form, this.game);
    this.draw();
    app.on((what) => {
      if (what === "game" && play.status === "idle") this.variant.take(app.game.variant);
      if (["play", "view", "game", "position", "move"].includes(what)) this.draw();
    });
  }

  makeForm() {
    const { app } = this, { prefs, config } = app;
    this.variant = new VariantForm(app, "play");
    this.variant.onchange = () => { this.play.anew = true; this.drawOpening(); };
    this.side = segments("You play", [["B", "Black"], ["W", "White"], ["random", "Random"], ["both", "Both"], ["none", "Watch"]], prefs.side, (v) => prefs.set("side", v));
    this.level = segments("Engine's strength", [...config.levels.map((l) => [l.name, title(l.name), `${l.nodes.toLocaleString("en")} nodes a move`]), ["custom", "Custom"]],
      prefs.level, (v) => { prefs.set("level", v); this.showCustom(); });
    const amount = (name, label, values) => {
      const list = values.includes(prefs[name]) ? values : [...values, prefs[name]].sort((a, b) => a - b);
      return field(label, select({ on: { change: (e) => prefs.set(name, Number(e.target.value)) } }, list.map((v) => [v, v.toLocaleString("en")]), prefs[name]));
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
    const count = (name, label, least) => field(label, el("input", { type: "number", min: least, max: 180, step: 1, value: prefs[name], inputmode: "numeric",
      on: { change: (e) => { const v = Number(e.target.value); if (v >= least && v <= 180) prefs.set(name, v); else e.target.value = prefs[name]; } } }));
    this.times = el("div", { class: "pair" }, count("minutes", "Minutes a side", 1), count("increment", "Seconds a move", 0));
    const form = el("form", { class: "newgame", "aria-label": "New game", on: { submit: (e) => { e.preventDefault(); this.start(); } } },
      this.variant.element, el("div", { class: "field" }, el("span", { class: "label", text: "You play" }), this.side),
      el("div", { class: "field" }, el("span", { class: "label", text: "Engine" }), this.level), this.custom,
      el("div", { class: "pair" }, this.openingField = field("Opening", this.opening), field("Clock", this.clock)), this.times,
      this.startButton);
    this.showCustom();
    return form;
  }

  showCustom() {
    const { prefs } = this.app, custom = prefs.level === "custom";
    this.custom.classList.toggle("hidden", !custom);
    for (const [name, node] of Object.entries(this.amounts)) node.classList.toggle("hidden", name !== prefs.custom);
    if (this.times) this.times.classList.toggle("hidden", prefs.clock !== "on");
  }

  /** What a game begins from; the board as it is can be chosen where the form has its rules. */
  drawOpening() {
    const { play, opening, here, variant } = this, { onitama } = variant;
    const can = play.canGoOn && variant.shows(this.app.game.variant);
    if (can && !here.parentNode) opening.prepend(here);
    else if (!can) here.remove();
    for (const option of opening.options) option.disabled = onitama && !["here", "empty"].includes(option.value);
    opening.querySelector('[value="empty"]').textContent = onitama ? "New cards" : "Empty board";
    opening.value = can && !play.anew ? "here" : onitama ? "empty" : this.app.prefs.opening;
    if (!opening.value) opening.value = "empty";
    this.startButton.textContent = opening.value === "here" ? "Play from here" : "Play";
  }

  chooseOpening(value) {
    this.play.anew = value !== "here";
    if (this.play.anew && !this.variant.onitama) this.app.prefs.set("opening", value);
    this.drawOpening();
  }

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

  makeGame() {
    const { play } = this;
    const button = (text, id, call, about) => el("button", { type: "button", text, title: about, "data-testid": id, on: { click: call } });
    this.buttons = {
      hint: button("Hint", "hint", () => play.showHint(), "What the engine would play (h)"), back: button("Take back", "undo", () => play.takeBack(), "Take back to your last turn (u)"),
      resign: button("Resign", "resign", () => play.resign()), again: button("New game", "again", () => this.again()),
      retry: button("Ask again", "retry", () => play.arrived()),
    };
    this.choices = el("div", { class: "choices", role: "group", "aria-label": "Swap2" });
    this.about = el("p", { class: "about" });
    return el("div", { class: "game" }, this.choices, el("div", { class: "actions" }, ...Object.values(this.buttons)), this.about);
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
      b.back.disabled = play.status === "swap" || !play.tip || !play.tip.parent;
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
    const button = (text, id, call) => el("button", { type: "button", class: "primary", text, "data-testid": id, on: { click: call } });
    const list = !/^choose/.test(swap) ? [] : [button("Take Black", "take-black", () => play.take("B")), button("Take White", "take-white", () => play.take("W"))];
    if (swap === "choose3") list.push(button("Put two more", "add-two", () => play.addTwo()));
    this.choices.replaceChildren(...list);
  }
}

const SWAP = {
  put3: "Swap2: put three stones, black, white, black. The engine then takes a colour.", wait3: "Swap2: the engine puts three stones…",
  choose3: "Swap2: which colour do you take? White is to move.", put2: "Swap2: put a white and a black stone.",
  choose5: "Swap2: which colour do you take? White is to move.", "wait-choice": "Swap2: the engine chooses a colour…",
};

/** What the engine is at. */
function thinkText({ search, waiting }) {
  if (!search) return waiting === "opening" ? "Looking for a balanced opening…" : "The engine thinks…";
  const seconds = Math.floor((Date.now() - search.since) / 1000), time = seconds > 0 ? ` ${seconds} s` : "";
  return search.hint ? `Looking for a hint…${time}` : `The engine ${search.hurried ? "moves" : "thinks"}…${time}`;
}

const hintText = ({ move, rate }) => `Hint: ${move}, ${rate}%`;

/** What stands above the panel. */
export function statusText(app, play) {
  if (app.view === "play" && play.status !== "idle") {
    if (play.status === "over") return play.result;
    if (play.status === "swap") return SWAP[play.swap] || "";
    if (play.trouble) return play.trouble;
    if (!play.atTip) return "You look at an earlier move. End goes back to the game.";
    if (play.thinking) return thinkText(play);
    if (play.hint) return hintText(play.hint);
    if (!app.position) return "…";
    return play.engines[app.position.currentPlayer] ? "The engine's turn." : `Your move: ${sideName(app.position.currentPlayer)}.`;
  }
  if (app.view !== "review" && play.hint) return hintText(play.hint);
  const { game } = app, names = [game.black, game.white].filter(Boolean).join(" – ");
  const rule = app.rule(), board = game.cards ? rule.title : `${rule.title}, ${game.variant.size} × ${game.variant.size}`;
  if (app.position && app.position.outcome) return app.outcomeText(app.position.outcome);
  return [app.position ? `${sideName(app.position.currentPlayer)} to move` : "", game.title || names || board].filter(Boolean).join(" · ");
}

/** How far the engine is with its move, and what ends its search; beside the status. */
export class ThinkBar {
  constructor(app, play) {
    Object.assign(this, { app, play });
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
  constructor(app, play) {
    Object.assign(this, { app, play, seats: {} });
    for (const side of ["W", "B"]) {
      const parts = { name: el("span", { class: "who" }), taken: el("span", { class: "taken" }), clock: el("span", { class: "clock", role: "timer", "aria-label": `${sideName(side)}'s clock` }) };
      const node = byId(`seat-${side.toLowerCase()}`);
      node.append(el("span", { class: `side ${side === "B" ? "black" : "white"}`, "aria-hidden": "true" }), parts.name, parts.taken, parts.clock);
      this.seats[side] = { node, ...parts };
    }
    app.on((what) => { if (what !== "analysis" && what !== "preview") this.draw(); });
    setInterval(() => { this.play.tick(); this.clocks(); }, 100);
  }

  draw() {
    const { app, play } = this;
    for (const side of ["W", "B"]) {
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
    for (const side of ["W", "B"]) {
      const node = this.seats[side].clock, text = clock ? clockText(clock.at(side)) : "";
      if (node.textContent !== text) node.textContent = text;
      node.classList.toggle("low", Boolean(clock) && clock.at(side) < 20000);
    }
  }
}
