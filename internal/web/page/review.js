// Review: files that were named on the command line, game by game, with what the search saw.

import { button, byId, el, field, gameRow, moveTable, percent, select, short } from "./dom.js";
import { Game } from "./game.js";
import { getJSON } from "./http.js";
import { refusalText, t } from "./i18n.js";
import { lineButtons } from "./lines.js";
import { proofWords, verdictClass, verdictText } from "./overlay.js";
import { forBlack } from "./notation.js";

const PAGE = 50, ROWS = 8;
/** The kinds of files in words. @type {{[kind: string]: Key}} */
const KINDS = { crosscheck: "crosscheck", shard: "samples", samples: "samples" };

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
    /** @type {(engine: EngineName, v: number | undefined) => void} */
    const value = (engine, v) => { if (typeof v === "number") node.values = { ...node.values, [engine]: forBlack((v + 1) / 2, game.side(node)) }; };
    if (node.values.mcts === undefined) value("mcts", note.rootQ);
    value("mcts", note.mcts?.value);
    value("alphabeta", note.alphabeta?.value);
    const best = note.visits?.length ? note.visits.reduce((a, b) => (b[1] > a[1] ? b : a))[0] : "";
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
      files.map(({ id, path, kind, games }) => [id, `${path} (${KINDS[kind] ? t(KINDS[kind]) : kind}${games >= 0 ? `, ${games}` : ""})`]));
    this.box = el("ol", { class: "games", "data-testid": "review-games", "aria-label": t("games") });
    /** @type {(text: string, label: string, call: () => void) => HTMLElement} */
    const step = (text, label, call) => button(text, undefined, call, { "aria-label": label, title: label });
    this.range = el("output", { "aria-label": t("gamesShown") });
    const pager = el("div", { class: "pager" }, step("‹", t("earlierGames"), () => this.page(-1)), this.range,
      step("›", t("laterGames"), () => this.page(1)), step(t("previous"), t("previousGame"), () => this.neighbour(-1)),
      step(t("next"), t("nextGame"), () => this.neighbour(1)));
    this.notes = el("div", { class: "notes", "data-testid": "review-notes" });
    this.own = button(t("reviewOwn"), "review-own", () => { app.set("sweep", true); app.set("live", true); app.show("analyse"); },
      { class: "primary" });
    const none = el("p", { class: "about" }, ...(app.config.review
      ? [t("noFiles"), el("code", { text: "carozero serve runs/one games.sgf rows.jsonl" }), t("noFilesEither")] : [t("dropAnywhere")]));
    byId("view-review").append(...(files.length ? [field(t("file"), this.file), this.box, pager] : [this.own, none]), this.notes);
    app.on(() => { if (app.view === "review") this.open(); }, "view");
    app.on(() => { if (app.view === "review") this.drawNotes(); }, "position", "move", "game", "view");
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
    fresh.line().forEach(({ move, notes, values }, i) => {
      if (to[i]?.move === move) Object.assign(to[i], { notes, values: { ...values, ...to[i].values } });
    });
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
    this.box.replaceChildren(...this.games.map(({ n, title, rules, size, result = "", plies }) => gameRow(n + 1, title || `${rules} ${size}×${size}`,
      result, () => this.show(n), { plies: plies === undefined ? "" : t("gameMoves", { n: plies }), current: n === here })));
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
    this.notes.replaceChildren(...(note ? this.told(note) : [el("p", { class: "none", text: this.app.origin ? t("nothingSaid") : "" })]));
  }

  /** What a file says of a turn. @param {TurnNote} note */
  told({ rootQ, netQ, played, proven, verdict, mcts, alphabeta, visits = [], policy = [] }) {
    const { app } = this, rate = (/** @type {number | undefined} */ q) => (typeof q === "number" ? percent((q + 1) / 2) : "");
    /** @type {HTMLElement[]} */
    const parts = [el("h2", { text: t("searchSaw") }), el("dl", { class: "facts" },
      ...[[t("root"), rate(rootQ)], [t("network"), rate(netQ)], [t("played"), played], [t("proof"), proofWords(proven)]]
        .flatMap(([name, text]) => (text ? [el("dt", { text: name }), el("dd", { text })] : [])))];
    if (verdict) {
      const { proof } = verdict;
      parts.push(el("div", { class: verdictClass(verdict) }, el("span", { text: verdictText(verdict) }),
        proof && lineButtons(app, t("proofBy", { engine: proof.by }), proof.line, "proofline")));
    }
    /** @type {(name: string, engine: string, opinion: TurnOpinion | undefined) => void} */
    const opinion = (name, engine, said) => {
      if (said?.move) parts.push(el("div", { class: "opinion" }, el("span", { class: `key ${engine}` }), el("b", { text: said.move }),
        ` ${rate(said.value)} `, said.pv?.length ? lineButtons(app, name, said.pv, engine) : ""));
    };
    opinion(t("treeSearch"), "tree", mcts);
    opinion(t("alphabeta"), "classical", alphabeta);
    if (proven && proven.line) parts.push(lineButtons(app, t("proof"), proven.line, "proofline"));
    const seen = new Map(visits), target = new Map(policy), total = visits.reduce((sum, [, n]) => sum + n, 0);
    const rows = [...new Set([...visits, ...policy].map(([move]) => move))].map((move) => ({ move, n: seen.get(move), p: target.get(move) }))
      .sort((a, b) => (b.n || 0) - (a.n || 0) || (b.p || 0) - (a.p || 0)).slice(0, ROWS);
    if (rows.length) {
      parts.push(moveTable("review-moves", [[t("move")], [t("visits")], [t("shareOfVisits")], [t("target")]], el("tbody", {},
        ...rows.map(({ move, n, p }) => el("tr", { class: move === played ? "chosen" : "" },
          ...[move, n === undefined ? "" : short(n), total && n !== undefined ? percent(n / total) : "", p === undefined ? "" : percent(p)]
            .map((text) => el("td", { text })))))));
    }
    return parts;
  }
}
