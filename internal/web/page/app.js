// The program: the game that is shown, what is known of its position, and who wants to hear of changes. Views hang on it; it draws
// nothing itself.

import { Game } from "./game.js";
import { gameOfRules, knowGames, usualGame } from "./games.js";
import { t } from "./i18n.js";
import { fragment, parseFragment } from "./link.js";
import { other, sideName } from "./notation.js";
import { store } from "./prefs.js";

const KEY = "carozero.session", SAVE_AFTER = 150;

// The codes of refusals that say that the game is wrong. After others, as when the server is busy, it is not.
const WRONG_GAME = ["invalid", "illegal", "too_big"];

// How games end, in words, and how other games than the usual one do.
/** @type {{[reason: string]: Key}} */
const ENDS = { line: "endLine", capture: "endCapture", stream: "endStream", full: "endFull", "no-moves": "endNoMoves" };
/** @type {{[reason: string]: Key}} */ const OWN_ENDS = { capture: "endMaster", line: "endOwnLine" };

export class App {
  /** @type {View} */ view = "play";
  /** @type {Position | null} */ position = null; // of the current node, once the server has told it
  /** @type {Preview | null} */ preview = null;
  /** @type {Origin | null} */ origin = null;
  /** @type {Map<GameNode, string>} */ grades = new Map(); // the classes of the line's moves
  exercising = false; // whether the user is to find a move
  editing = false; // whether the stones of the board are being set
  /** @type {((event: AppEvent) => void)[]} */ listeners = [];
  /** @type {{[name: string]: {toJSON: () => unknown, restore: (kept: any) => void}}} */ parts = {}; // what is kept beside the game
  locked = () => false; // whether the board is not free to be changed
  /** @type {() => GameNode | null} */ limit = () => null; // where a running game stands
  focusBoard = () => {};
  /** @type {GameNode | null} */ spoken = null; // the node that was announced last
  made = false; // whether the user has made moves in the game that is shown, or set its stones
  byKeys = false; // whether a key was pressed last, and not the mouse
  /** @type {(() => void) | null} */ bringBack = null; // what brings back the game that was taken away last
  fallback = false; // whether the usual board was put up in place of one that there cannot be
  saving = 0; // the timer of what is kept soon

  /**
   * `say` is for screen readers, `notice` for everybody.
   * @param {{prefs: Prefs, config: Config, socket: Pick<Socket, "ask" | "query">, positions: Positions,
   *   say: (text: string) => void, notice: Notice}} parts
   */
  constructor({ prefs, config, socket, positions, say, notice }) {
    this.prefs = prefs;
    this.config = config;
    this.socket = socket;
    this.positions = positions;
    this.say = say;
    this.notice = notice;
    knowGames(config.games);
    this.game = new Game(this.usual());
  }

  /** The engines that are asked, both or one of them: those that the user chose, where the server has them. */
  get engine() {
    const { engines } = this.config;
    return engines.includes(this.prefs.engine) ? this.prefs.engine : engines[0];
  }

  /** Whether what the engines think is to stay unseen. */
  get engineHidden() { return this.exercising || this.editing; }

  /** Covers what the engines think while the user is to find a move, or shows it again. @param {boolean} on */
  cover(on) {
    this.exercising = on;
    document.body.toggleAttribute("data-covered", on);
    this.emit("prefs"); // all is drawn anew, and the engines stop or go on
  }

  /** The variant that the user likes, or the server's default. @returns {Variant} */
  usual() {
    const { game, rule, size } = this.config.defaults, { prefs } = this, info = usualGame();
    if (!info) return { game, rules: rule, size: prefs.size || 15, openRule: prefs.openRule };
    const rules = [prefs.rules, rule].find((name) => info.rules.some((r) => r.name === name)) || info.defaultRule, [least, most] = info.sizes;
    return { game: info.name, rules, size: prefs.size || Math.min(most, Math.max(least, size)), openRule: prefs.openRule };
  }

  /** @returns {RuleInfo} */
  rule(name = this.game.variant.rules) {
    const known = this.config.games.flatMap((g) => g.rules).find((r) => r.name === name);
    return known || { name, title: name, about: "", captures: false, forbidden: "none" };
  }

  /** Calls a listener after changes, or after those alone that are named. @param {(event: AppEvent) => void} listener @param {...AppEvent} events */
  on(listener, ...events) {
    this.listeners.push(events.length ? (event) => { if (events.includes(event)) listener(event); } : listener);
  }

  emit(/** @type {AppEvent} */ event) { for (const listener of this.listeners) listener(event); }

  show(/** @type {View} */ view) {
    if (this.view === view) return;
    this.editing = false;
    this.view = view;
    this.setPreview(null);
    this.emit("view");
    this.save(true);
  }

  /** Changes a preference. @template {PrefName} K @param {K} name @param {Prefs[K]} value */
  set(name, value) {
    this.prefs.set(name, value);
    this.emit("prefs");
  }

  /**
   * Shows another game; the user's own, of which it has not all, may be brought back, in the view where it was.
   * @param {Game} game @param {Origin | null} origin
   */
  load(game, origin = null, view = this.view, push = true) {
    const { root, variant } = this.game, any = root.children.length > 0 || Boolean(variant.initialStones);
    const lost = this.made && any && !game.nodeOf(this.game);
    this.takeAway(lost && t("gameGone"), () => {
      this.game = game;
      this.origin = origin;
      this.preview = null;
      this.made = false;
      this.moved("game", push);
    }, view);
  }

  /**
   * Makes a change that takes a game or moves away; if something is to be told of it, they may be brought back.
   * @param {string | false} told @param {() => (() => void) | void} change returns what puts moves into the game again
   */
  takeAway(told, change, view = this.view) {
    const { game, origin } = this, at = game.current, parts = JSON.parse(JSON.stringify(this.parts)), undo = change();
    if (!told) return;
    this.bringBack = () => {
      this.bringBack = null;
      if (undo) undo();
      game.go(at);
      this.view = view;
      this.made = false;
      this.load(game, origin);
      for (const [name, part] of Object.entries(this.parts)) part.restore(parts[name]);
      this.made = true;
      this.moved("move");
      this.emit("view");
    };
    this.notice(told, [t("bringBack"), () => this.bringBack?.()]);
  }

  /**
   * Plays a move where the game stands; the server's word on it comes later. `made(node)` is called before anybody hears of it.
   * @param {string} move @param {(node: GameNode) => void} [made]
   */
  play(move, made) {
    const before = this.game.current, size = before.children.length, node = this.game.play(move);
    this.made = true;
    if (before.children.length > size) node.fresh = true;
    if (made) made(node);
    this.preview = null;
    this.moved("move");
  }

  go(/** @type {GameNode} */ node) {
    if (this.editing || (node === this.game.current && !this.preview)) return;
    this.game.go(node);
    this.preview = null;
    this.moved("move");
  }

  /** Goes to a turn of the line; in a running game no further than it stands. @param {number} turn */
  seek(turn) {
    const line = this.line();
    this.go(line[Math.max(0, Math.min(line.length - 1, turn))]);
  }

  /** The nodes that can be gone to: those of a game that is played, else the line that is shown. */
  line() { return this.game.line(this.limit()); }

  /** Whether another game may be shown; says why not. */
  free() {
    if (this.locked()) this.notice(t("gameRunning"));
    return !this.locked();
  }

  step(/** @type {number} */ by) { this.seek(this.game.current.turn + by); }

  /** Goes to the next branch beside the current move. @param {number} by */
  sibling(by) {
    const at = this.game.current, all = at.parent ? at.parent.children : [];
    if (all.length > 1 && !this.limit()) this.go(all[(all.indexOf(at) + by + all.length) % all.length]);
  }

  /** Deletes a move and what follows, which may be brought back. @param {GameNode} node */
  remove(node) { this.takeAway(node.children.length > 0 && t("deleted"), () => this.cut(node)); }

  /** Takes a move out with what follows, and returns what puts it in again. @param {GameNode} node */
  cut(node) {
    const undo = this.game.remove(node);
    this.preview = null;
    this.moved("move");
    return undo;
  }

  /** Tells of the new place, asks for its position and tells of that. @param {AppEvent} event */
  moved(event, push = false) {
    const game = this.game, node = game.current;
    this.position = this.positions.peek(game);
    this.emit(event);
    this.save(push);
    if (this.position) { this.arrived(node); return; }
    this.positions.get(game).then((position) => {
      if (game !== this.game || node !== game.current) return;
      this.position = position;
      this.arrived(node);
    }, (error) => this.refused(game, node, error));
  }

  arrived(/** @type {GameNode} */ node) {
    this.fallback = false;
    if (node.fresh || this.spoken !== node) this.announce(node);
    node.fresh = false;
    this.spoken = node;
    this.emit("position");
  }

  /**
   * A move that the server does not take is taken out again, with what follows it.
   * @param {Game} game @param {GameNode} node @param {Error & {code?: string, field?: string}} error
   */
  refused(game, node, error) {
    if (game !== this.game) return;
    this.notice(error.message);
    if (!WRONG_GAME.includes(error.code || "")) return;
    const m = /^moves(?:\[(\d+)\])?/.exec(error.field || ""), line = game.line();
    const bad = !m ? game.root : m[1] ? line[Math.min(line.length - 1, Number(m[1]) + 1)] : node;
    if (bad.parent) game.remove(bad);
    else if (this.fallback) return;
    else {
      this.fallback = true;
      this.game = new Game(this.usual());
    }
    this.moved(bad.parent ? "move" : "game");
  }

  announce(/** @type {GameNode} */ node) {
    const p = this.position, words = [];
    if (!p) return;
    if (node.parent) words.push(t("moveMade", { side: sideName(this.sideOf(node)), move: node.move }));
    if (p.taken && p.taken.length) words.push(t("captured", { points: p.taken.join(", ") }));
    words.push(p.outcome ? this.outcomeText(p.outcome) : t("sideToMove", { side: sideName(p.currentPlayer) }));
    this.say(words.join(" "));
  }

  /** Who made the move that led to a node. @param {GameNode} node @returns {Side} */
  sideOf(node) { return other(this.game.side(node)); }

  /** Who is to move. */
  get toMove() { return this.position ? this.position.currentPlayer : this.game.side(); }

  outcomeText(/** @type {Outcome} */ o) {
    const own = gameOfRules(this.game.variant.rules) !== usualGame(), key = own && OWN_ENDS[o.reason] || ENDS[o.reason];
    const why = key ? t(key) : o.reason;
    return o.winner === "none" ? t("drawn", { why }) : t("wins", { side: sideName(o.winner), why });
  }

  setPreview(/** @type {Preview | null} */ preview) {
    const before = this.preview;
    this.preview = preview;
    if (preview || before) this.emit("preview");
  }

  /** Goes along the expected line that is held. @param {number} by */
  stepPreview(by) {
    const p = this.preview;
    if (p) this.setPreview({ ...p, at: Math.max(0, Math.min(p.moves.length, p.at + by)), pinned: true });
  }

  /** Plays the expected line up to where it is shown. */
  playPreview() {
    if (!this.preview) return;
    const { moves, at } = this.preview;
    this.preview = null;
    this.made = true;
    for (const move of moves.slice(0, at)) this.game.play(move);
    this.moved("move");
  }

  /** Keeps everything, soon; at once where the browser's "back" is to return to what was before. */
  save(push = false) {
    if (push) this.saveNow("pushState");
    else if (!this.saving) this.saving = setTimeout(() => this.saveNow("replaceState"), SAVE_AFTER);
  }

  saveNow(/** @type {"pushState" | "replaceState"} */ how) {
    clearTimeout(this.saving);
    this.saving = 0;
    const hash = "#" + fragment(this.game, this.view);
    if (hash !== location.hash) history[how](null, "", hash);
    this.keep();
  }

  /** Keeps everything in the browser's storage. */
  keep() {
    /** @type {{[name: string]: unknown}} */
    const kept = { view: this.view, game: this.game.toJSON(), origin: this.origin, hash: location.hash };
    for (const [name, part] of Object.entries(this.parts)) kept[name] = part.toJSON();
    store.set("sessionStorage", KEY, kept);
    store.set("localStorage", KEY, kept);
  }

  /**
   * Takes up what was kept, or what the address says. After a reload what this tab kept is newer than the address, and knows more;
   * a link in a new tab wins.
   */
  restore() {
    const own = store.get("sessionStorage", KEY), kept = own || store.get("localStorage", KEY);
    /** @type {ReturnType<typeof parseFragment>} */ let linked = { game: null, view: null }, game = null;
    try { linked = parseFragment(location.hash); } catch (e) { this.notice(e.message); }
    try { if (kept) game = Game.from(kept.game); } catch { /* of another version: as if nothing was kept */ }
    const same = game && (!linked.game || kept.hash === location.hash || (own && game.nodeOf(linked.game)));
    if (same && game) {
      this.game = game;
      this.made = true;
      this.origin = kept.origin || null;
      for (const [name, part] of Object.entries(this.parts)) part.restore(kept[name]);
    } else if (linked.game) this.game = linked.game;
    this.view = linked.view || (same && kept.view) || "play";
  }

  /** Follows an address that the user typed, or went back to. @param {string} hash what followed in it, which a save may have replaced since */
  followAddress(hash) {
    if (hash === "#" + fragment(this.game, this.view)) return;
    let linked;
    try { linked = parseFragment(hash); } catch (e) { this.notice(e.message); return; }
    const { view } = this;
    if (linked.view) this.view = linked.view;
    this.preview = null;
    const here = linked.game && this.game.nodeOf(linked.game);
    if (linked.game && !here) this.load(linked.game, null, view, false);
    else {
      if (here) this.game.go(here);
      this.moved("move");
    }
    this.emit("view");
  }
}
