// The game that the page holds: a start, a tree of moves and a place in it.
// It knows no rules; what a position is the server says.

import { gameInfo, gameOfRules, hasCards, oneSize, usualGame } from "./games.js";
import { other, splitPoints } from "./notation.js";

/** A move in the tree, or the start, which has none. */
export class Node {
  turn = 0;

  constructor(/** @type {string} */ move, /** @type {Node | null} */ parent) {
    this.move = move;
    this.parent = parent;
    if (parent) this.turn = parent.turn + 1;
    /** @type {Node[]} */ this.children = [];
    this.chosen = 0; // the child that "forward" goes to
    this.comment = "";
    /** @type {Values} */ this.values = {}; // Black's win rate by engine, as a sweep or a file has it
    /** @type {{[engine: string]: boolean}} */ this.looked = {}; // whether a value is of a look at the position
    /** @type {Best | undefined} */ this.best = undefined; // the engines' moves
    /** @type {Found | undefined} */ this.found = undefined; // the lines that they expect, and what is proven
    /** @type {TurnNote | null} */ this.notes = null; // what a reviewed file says of the turn
    /** @type {Drawn | null} */ this.drawn = null; // labels and marks of points, of a file
    this.differ = false; // whether the engines' moves differ
    this.over = false; // whether no engine is to be asked any more
    this.fresh = false; // whether the move was just made
  }

  next() { return this.children[this.chosen] || null; }

  /** The moves from the start up to here. */
  moves() {
    const list = [];
    for (let n = /** @type {Node} */ (this); n.parent; n = n.parent) list.push(n.move);
    return list.reverse();
  }
}

/** What a game begins from. Fields are those of a query. @returns {Variant} */
export function variantOf(/** @type {Partial<Variant>} */ v) {
  const info = (v.game ? gameInfo(v.game) : gameOfRules(v.rules)) || usualGame();
  if (info && info.board === "cards") return { game: info.name, rules: info.defaultRule, size: info.defaultSize, initialPosition: v.initialPosition };
  /** @type {Variant} */
  const out = { game: info ? info.name : v.game || "", rules: /** @type {string} */ (v.rules), size: /** @type {number} */ (v.size) };
  if (v.openRule) out.openRule = v.openRule;
  if (v.initialPlayer) out.initialPlayer = v.initialPlayer;
  if (v.captured) out.captured = v.captured;
  if (v.initialStones && v.initialStones.length) {
    out.initialStones = [...v.initialStones].sort(([a], [b]) => Number(a === "W") - Number(b === "W")); // Black's first, as links have them
  }
  return out;
}

const NAMES = /** @type {const} */ (["title", "black", "white", "result", "reason"]);

export class Game {
  title = "";
  black = "";
  white = "";
  result = ""; // as SGF writes it
  reason = "";

  constructor(/** @type {Partial<Variant> & Names} */ variant) {
    this.variant = variantOf(variant);
    this.root = new Node("", null);
    /** @type {Node} */ this.current = this.root; // the node that is shown
    if (!this.cards && variant.initialPosition) {
      for (const move of splitPoints(variant.initialPosition)) this.play(move);
    }
    for (const name of NAMES) this[name] = variant[name] || "";
  }

  /** Who is to move at a start whose men were set by hand, as its text ends; null of the usual men. */
  get setByHand() { return / (first|second)$/.exec(this.variant.initialPosition || ""); }

  get cards() { return hasCards(this.variant.game); }

  /** The fields of a query for the line that ends in a node. @returns {Fields} */
  fields(node = this.current) {
    const v = this.variant;
    if (this.cards) return { game: v.game, initialPosition: v.initialPosition, moves: node.moves() };
    /** @type {Fields} */ const f = { moves: [], rules: v.openRule ? { name: v.rules, openRule: true } : v.rules };
    const usual = usualGame();
    if (usual && v.game !== usual.name) f.game = v.game;
    if (!oneSize(v.game)) {
      f.boardXSize = v.size;
      f.boardYSize = v.size;
    }
    if (v.initialStones) f.initialStones = v.initialStones;
    if (v.initialStones || v.initialPlayer) f.initialPlayer = v.initialPlayer || this.first();
    if (v.captured) f.captured = v.captured;
    f.moves = node.moves();
    return f;
  }

  /** A name of a position, the same for the same moves from the same start. */
  key(node = this.current) { return JSON.stringify(this.fields(node)); }

  /** Who makes the first move, as far as it can be told without the rules. @returns {Side} */
  first() {
    if (this.variant.initialPlayer) return this.variant.initialPlayer;
    if (this.cards) return this.setByHand?.[1] === "second" ? "W" : "B";
    let lead = 0;
    for (const [side] of this.variant.initialStones || []) lead += side === "B" ? 1 : -1;
    return lead > 0 ? "W" : "B";
  }

  /** Who is to move at a node. */
  side(node = this.current) { return node.turn % 2 ? other(this.first()) : this.first(); }

  /** The node of a move at a node, which is put there unless it is there already. @param {Node} at @param {string} move */
  add(at, move) {
    let index = at.children.findIndex((c) => c.move === move);
    if (index < 0) index = at.children.push(new Node(move, at)) - 1;
    at.chosen = index;
    return at.children[index];
  }

  /** Plays a move at the current node; a move that is there already is gone to. @param {string} move */
  play(move) {
    this.current = this.add(this.current, move);
    return this.current;
  }

  /** A game of its own that stands where this one does, without what follows and without names. */
  upToHere() {
    const game = new Game(this.variant);
    for (const move of this.current.moves()) game.play(move);
    return game;
  }

  /** The nodes that are shown: the line to the current node, and on along it; or the line to another. @param {Node | null} [end] */
  line(end) {
    const nodes = [];
    for (let n = /** @type {Node | null} */ (end || this.current); n; n = n.parent) nodes.push(n);
    nodes.reverse();
    for (let n = end ? null : this.current.next(); n; n = n.next()) nodes.push(n);
    return nodes;
  }

  go(/** @type {Node} */ node) {
    for (let n = node; n.parent; n = n.parent) n.parent.chosen = n.parent.children.indexOf(n);
    this.current = node;
  }

  /** Goes to a turn of the line that is shown. @param {number} turn */
  seek(turn) {
    const line = this.line();
    this.current = line[Math.max(0, Math.min(line.length - 1, turn))];
  }

  /** The node at which another game of the same start stands, where this tree has all of it; else null. @param {Game} game */
  nodeOf(game) {
    if (JSON.stringify(game.variant) !== JSON.stringify(this.variant)) return null;
    let node = this.root, at = game.current.turn ? null : node;
    for (const { move, turn } of game.line().slice(1)) {
      const next = node.children.find((c) => c.move === move);
      if (!next) return null;
      node = next;
      if (turn === game.current.turn) at = node;
    }
    return at;
  }

  /** Takes a node and what follows it out of the tree; returns what puts it there again. @param {Node} node */
  remove(node) {
    const at = node.parent;
    if (!at) return () => {};
    const index = at.children.indexOf(node);
    for (let n = /** @type {Node | null} */ (this.current); n; n = n.parent) if (n === node) { this.current = at; break; }
    at.children.splice(index, 1);
    at.chosen = 0;
    return () => { if (!at.children.includes(node)) at.children.splice(index, 0, node); };
  }

  /** The tree as a flat list, parents before children, the main line first. */
  tree() {
    /** @type {TreeItem[]} */ const list = [];
    const walk = [{ node: this.root, parent: -1 }];
    for (let step = walk.pop(); step; step = walk.pop()) {
      const { node, parent } = step;
      let at = -1;
      if (node.parent) {
        /** @type {TreeItem} */ const item = { parent, move: node.move };
        if (node.comment) item.comment = node.comment;
        if (Object.keys(node.values).length) item.values = node.values;
        if (node.best) item.best = node.best;
        if (node.found) item.found = node.found;
        Object.assign(item, node.drawn);
        at = list.push(item) - 1;
      }
      for (let i = node.children.length - 1; i >= 0; i--) walk.push({ node: node.children[i], parent: at });
    }
    return list;
  }

  /** Everything, to be kept or sent. */
  toJSON() {
    /** @type {Kept} */
    const keep = { variant: this.variant, comment: this.root.comment, values: this.root.values, tree: this.tree(),
      line: this.line().slice(1).map((n) => n.move), turn: this.current.turn };
    if (this.root.best) Object.assign(keep, { best: this.root.best, found: this.root.found });
    for (const name of NAMES) if (this[name]) keep[name] = this[name];
    return keep;
  }

  /** The game that toJSON, an import or a file has; throws where it is none. @param {Kept} kept */
  static from(kept) {
    const game = new Game({ ...kept.variant, ...(kept.variant ? {} : kept), title: kept.title, black: kept.black,
      white: kept.white, result: kept.result, reason: kept.reason });
    const start = game.current;
    start.comment = kept.comment || "";
    start.values = kept.values && !Array.isArray(kept.values) ? kept.values : {};
    start.best = kept.best;
    start.found = kept.found;
    /** @type {Node[]} */ const nodes = [];
    for (const item of kept.tree || []) {
      const parent = item.parent < 0 ? start : nodes[item.parent];
      const node = new Node(String(item.move), parent);
      node.comment = String(item.comment || "");
      if (item.best) node.best = item.best;
      if (item.found) node.found = item.found;
      if (item.labels || item.marks) node.drawn = { labels: item.labels, marks: item.marks };
      if (item.values) node.values = item.values;
      else if (typeof item.value === "number") node.values = { mcts: item.value };
      parent.children.push(node);
      nodes.push(node);
    }
    if (!nodes.length) for (const move of kept.moves || []) game.play(Array.isArray(move) ? move[1] : move);
    game.current = start;
    for (const move of kept.line || []) {
      const at = game.current.children.find((c) => c.move === move);
      if (!at) break;
      game.go(at);
    }
    game.seek(kept.turn === undefined ? game.line().length - 1 : kept.turn);
    return game;
  }
}
