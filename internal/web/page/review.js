// Review: files that were named on the command line, game by game, with what
// the search saw.

import { button, byId, el, gameRow, moveTable, percent, select, short } from "./dom.js";
import { Game } from "./game.js";
import { getJSON } from "./http.js";
import { refusalText, t } from "./i18n.js";
import { lineButtons } from "./lines.js";
import { blunderText } from "./analysepanel.js";
import { proofWords } from "./overlay.js";
import { forBlack } from "./notation.js";

const PAGE = 50, ROWS = 8;
/** The kinds of files in words; others are called by their names. @param {string} kind */
const kindText = (kind) => (kind === "sgf" ? "SGF" : kind === "crosscheck" ? t("crosscheck") : kind === "shard" || kind === "samples" ? t("samples") : kind);

/** The game that a file has, with the notes of its turns put into the nodes. @param {GameData} data */
export function gameOf(data) {
  const game = Game.from({ ...data, turn: undefined });
  const line = game.line(), offset = line.length - 1 - (data.moves || []).length;
  /** @type {(turn: number) => GameNode | undefined} */
  const at = (turn) => line[turn + (data.tree ? 0 : Math.max(0, offset))];
  (data.values || []).forEach((v, turn) => {
    const node = at(turn);
    if (typeof v === "number" && node) node.values = { mcts: v };
  });
  for (const note of data.turns || []) {
    const node = at(note.turnNumber);
    if (!node) continue;
    node.notes = note;
    node.differ = Boolean(note.verdict);
    const side = game.side(node);
    /** @type {(v: number) => number} */ const black = (v) => forBlack((v + 1) / 2, side);
    if (node.values.mcts === undefined && typeof note.rootQ === "number") node.values = { mcts: black(note.rootQ) };
    if (note.mcts && typeof note.mcts.value === "number") node.values = { ...node.values, mcts: black(note.mcts.value) };
    if (note.alphabeta && typeof note.alphabeta.value === "number") node.values = { ...node.values, alphabeta: black(note.alphabeta.value) };
    const best = note.visits && note.visits.length ? note.visits.reduce((a, b) => (b[1] > a[1] ? b : a))[0] : "";
    if (best) node.best = { mcts: best };
  }
  return game;
}

export class Review {
  /** @type {Listed[]} */ games = []; // the part of the list that is shown
  from = 0; // its first game
  total = 0;
  of = ""; // the file that these are of
  wanted = 0; // the games that were asked for, counted

  constructor(/** @type {App} */ app) {
    this.app = app;
    const files = app.config.review || [];
    this.any = files.length > 0;
    this.file = select({ "data-testid": "review-file", on: { change: () => { this.from = 0; this.list(); } } },
      files.map((f) => [String(f.id), `${f.path} (${kindText(f.kind)}${f.games >= 0 ? `, ${f.games}` : ""})`]));
    this.box = el("ol", { class: "games", "data-testid": "review-games", "aria-label": t("games") });
    /** @type {(text: string, label: string, call: () => void) => HTMLElement} */
    const step = (text, label, call) => button(text, undefined, call, { "aria-label": label, title: label });
    this.range = el("output", { "aria-label": t("gamesShown") });
    this.pager = el("div", { class: "pager" }, step("‹", t("earlierGames"), () => this.page(-1)), this.range, step("›", t("laterGames"), () => this.page(1)),
      step(t("previous"), t("previousGame"), () => this.neighbour(-1)), step(t("next"), t("nextGame"), () => this.neighbour(1)));
    this.notes = el("div", { class: "notes", "data-testid": "review-notes" });
    this.own = button(t("reviewOwn"), "review-own", () => { app.set("sweep", true); app.set("live", true); app.show("analyse"); }, { class: "primary" });
    const none = app.config.review ? el("p", { class: "about" }, t("noFiles"), el("code", { text: "carozero serve runs/one games.sgf rows.jsonl" }), t("noFilesEither"))
      : el("p", { class: "about", text: t("dropAnywhere") });
    byId("view-review").append(...(files.length ? [el("label", { class: "field" }, el("span", { class: "label", text: t("file") }), this.file), this.box, this.pager] : [this.own, none]), this.notes);
    app.on((what) => {
      if (what === "view" && app.view === "review") this.open();
      if (["position", "move", "game", "view"].includes(what) && app.view === "review") this.drawNotes();
    });
  }

  /** Where the game that is shown is from, if that is a file which is here. */
  get origin() {
    const { origin, config } = this.app;
    return origin && (config.review || []).some((f) => f.id === origin.file) ? origin : null;
  }

  /** The number of the game that is shown, if it is of the chosen file, else -1. */
  get here() {
    const { origin } = this;
    return origin && String(origin.file) === this.file.value ? origin.n : -1;
  }

  /** Shows the list, once it is looked at. */
  open() {
    if (!this.any || this.games.length) return;
    const { origin } = this;
    if (origin) { this.file.value = String(origin.file); this.from = Math.floor(origin.n / PAGE) * PAGE; }
    this.list().then(() => this.again());
  }

  /** After a reload the notes of the game that was looked at are fetched again. */
  async again() {
    const { app, origin } = this, { game } = app;
    if (!origin || game.line().some((n) => n.notes)) return;
    const fresh = gameOf(await getJSON(`api/review/${origin.file}/${origin.n}`)), to = game.line();
    fresh.line().forEach((n, i) => { if (to[i] && to[i].move === n.move) { to[i].notes = n.notes; to[i].values = { ...n.values, ...to[i].values }; } });
    app.emit("position");
  }

  async list() {
    const file = this.file.value;
    try {
      const answer = await getJSON(`api/review/${file}?from=${this.from}&count=${PAGE}`);
      if (file !== this.file.value) return;
      if (this.from && this.from >= answer.total) { this.from = 0; this.list(); return; } // it is shorter now
      [this.games, this.total, this.of] = [answer.games, answer.total, file];
      if (answer.error) this.app.notice(refusalText(answer.code, answer.error));
    } catch (e) {
      if (file !== this.file.value) return;
      this.app.notice(e.message);
      if (file === this.of) { this.from = this.games.length ? this.games[0].n : 0; return; }
      [this.games, this.total, this.of] = [[], 0, ""]; // those of the file before would be taken for its own
    }
    this.draw();
  }

  /** Shows another part of the list. @param {number} by */
  page(by) {
    const from = this.from + by * PAGE;
    if (from < 0 || from >= this.total) return;
    this.from = from;
    this.list();
  }

  draw() {
    const { here } = this;
    this.box.replaceChildren(...this.games.map((g) => gameRow(g.n + 1, g.title || `${g.rules} ${g.size}×${g.size}`, g.result || "", () => this.show(g.n),
      { plies: g.plies === undefined ? "" : t("gameMoves", { n: g.plies }), current: g.n === here })));
    this.range.textContent = this.total ? t("rangeOf", { from: this.from + 1, to: this.from + this.games.length, all: this.total }) : t("none");
  }

  async show(/** @type {number} */ n) {
    const { app } = this, file = Number(this.file.value);
    if (!app.free()) return;
    const wanted = ++this.wanted;
    try {
      const game = gameOf(await getJSON(`api/review/${file}/${n}`));
      if (wanted !== this.wanted || !app.free()) return;
      const notes = game.line().filter((m) => m.notes);
      if (notes.length) game.go(notes[0]);
      else game.seek(0);
      app.load(game, { file, n });
    } catch (e) {
      app.notice(e.message);
      if (e.code === "changed") this.list();
      return;
    }
    this.draw();
  }

  /** Shows a game before or after. @param {number} by */
  neighbour(by) {
    const { here } = this, n = here < 0 ? this.from : here + by;
    if (n < 0 || n >= this.total) return;
    const from = Math.floor(n / PAGE) * PAGE;
    if (from !== this.from) { this.from = from; this.list(); }
    this.show(n);
  }

  drawNotes() {
    const note = this.app.game.current.notes;
    this.own.disabled = !this.app.game.root.children.length;
    if (!note) { this.notes.replaceChildren(el("p", { class: "none", text: this.app.origin ? t("nothingSaid") : "" })); return; }
    /** @type {(q: number | undefined) => string | null} */
    const rate = (q) => (typeof q === "number" ? percent((q + 1) / 2) : null);
    const facts = /** @type {[string, string | null | undefined][]} */ ([[t("root"), rate(note.rootQ)], [t("network"), rate(note.netQ)], [t("played"), note.played], [t("proof"), note.proven && proofWords(note.proven)]]).filter(([, v]) => v);
    /** @type {(HTMLElement | null)[]} */
    const parts = [el("h2", { text: t("searchSaw") }), el("dl", { class: "facts" }, ...facts.flatMap(([k, v]) => [el("dt", { text: k }), el("dd", { text: v })]))];
    if (note.verdict) parts.push(this.verdict(note.verdict));
    for (const [name, engine, opinion] of /** @type {[string, string, TurnOpinion | undefined][]} */ ([[t("treeSearch"), "tree", note.mcts], [t("alphabeta"), "classical", note.alphabeta]])) {
      if (opinion && opinion.move) parts.push(el("div", { class: "opinion" }, el("span", { class: `key ${engine}` }), el("b", { text: opinion.move }), ` ${rate(opinion.value) || ""} `,
        opinion.pv && opinion.pv.length ? lineButtons(this.app, name, opinion.pv, engine) : ""));
    }
    if (note.proven && note.proven.line) parts.push(lineButtons(this.app, t("proof"), note.proven.line, "proofline"));
    parts.push(this.table(note));
    this.notes.replaceChildren(...parts.filter((part) => part !== null));
  }

  verdict(/** @type {Verdict} */ v) {
    const text = v.verdict === "differ" ? t("differ", { a: v.mctsMove, b: v.alphabetaMove }) : v.verdict === "agree" ? t("bothPlay", { move: v.mctsMove }) : blunderText(v);
    const box = el("div", { class: `verdict ${v.verdict === "differ" || v.verdict === "unproven" ? "differ" : v.verdict === "agree" ? "" : "blunder"}` }, el("span", { text }));
    if (v.proof) box.append(lineButtons(this.app, t("proofBy", { engine: v.proof.by }), v.proof.line, "proofline"));
    return box;
  }

  table(/** @type {TurnNote} */ note) {
    const visits = new Map(note.visits || []), policy = new Map(note.policy || []);
    /** @type {(of: Map<string, number>, move: string) => number} */ const count = (of, move) => of.get(move) || 0;
    const moves = [...new Set([...visits.keys(), ...policy.keys()])].sort((a, b) => count(visits, b) - count(visits, a) || count(policy, b) - count(policy, a));
    if (!moves.length) return null;
    const total = [...visits.values()].reduce((a, b) => a + b, 0);
    return moveTable("review-moves", [[t("move")], [t("visits")], [t("shareOfVisits")], [t("target")]], el("tbody", {}, ...moves.slice(0, ROWS).map((m) => el("tr", { class: m === note.played ? "chosen" : "" },
      ...[m, visits.has(m) ? short(count(visits, m)) : "", total && visits.has(m) ? percent(count(visits, m) / total) : "", policy.has(m) ? percent(count(policy, m)) : ""].map((text) => el("td", { text }))))));
  }
}
