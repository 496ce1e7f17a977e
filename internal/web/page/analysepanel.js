// The panel of Analyse: both engines side by side, their verdict, the best moves
// and their lines.

import { button, byId, capital, cssPercent, drawOnce, el, moveTable, percent, prefSelect, prefSwitch, saveFile, segments, short } from "./dom.js";
import { opinions } from "./analysis.js";
import { gradeText, judge, lossText, SIGNS, sumOf } from "./grades.js";
import { t } from "./i18n.js";
import { lineButtons, pointsAt } from "./lines.js";
import { forBlack, pointsOf, sideName } from "./notation.js";
import { claimWords, proofText, proofWords } from "./overlay.js";

const VISITS = [50, 100, 400, 1600, 6400, 25600, 102400], NODES = [2000, 20000, 100000, 500000, 2000000];
const SHOWN = 40; // of the worst moves
/** @type {Side[]} */ const SIDES = ["B", "W"];
/** @type {EngineName[]} */ const ENGINES = ["mcts", "alphabeta"];
const NAMES = /** @type {const} */ ({ mcts: "treeSearch", alphabeta: "alphabeta" });
const CLASS = { mcts: "tree", alphabeta: "classical" };

/** What a row knows of a move. @typedef {{[engine in EngineName]?: MoveInfo}} Row */

export class AnalysePanel {
  chosen = ""; // the move whose lines are shown
  held = false; // whether a pointer is down
  /** @type {Map<string, Row>} */ shownMoves = new Map();

  /** @param {App} app @param {Analysis} analysis @param {{opening: () => void, fresh: () => void, edit: () => void}} actions */
  constructor(app, analysis, actions) {
    this.app = app;
    this.analysis = analysis;
    this.actions = actions;
    this.cards = { mcts: this.card("mcts"), alphabeta: this.card("alphabeta") };
    this.verdict = el("div", { class: "verdict", "data-testid": "verdict" });
    this.rows = el("tbody");
    this.pvs = { mcts: el("div", { class: "pvline" }), alphabeta: el("div", { class: "pvline" }) };
    const place = byId("view-analyse");
    byId("view-tools").append(this.tools());
    this.truth = el("div", { class: "solved", hidden: true, "data-testid": "solved" });
    place.append(this.settings(), this.truth, el("div", { class: "engines" }, this.cards.mcts.node, this.cards.alphabeta.node), this.verdict,
      moveTable("top-moves", [[t("move")], [t("winPercent"), "tree"], [t("visits"), "tree"], [t("prior"), "tree"], [t("winPercent"), "classical"], [t("depth"), "classical"]], this.rows),
      el("div", { class: "pvs", "data-testid": "pvs" }, this.pvs.mcts, this.pvs.alphabeta));
    place.addEventListener("pointerdown", () => { this.held = true; });
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => { if (this.held) setTimeout(() => { this.held = false; this.draw(); }); });
    }
    app.on((what) => {
      if (what === "move" || what === "game") this.chosen = "";
      if (what !== "preview" && app.view === "analyse") this.draw();
    });
  }

  settings() {
    const { app } = this, { prefs, config } = app;
    const engines = /** @type {[string, string][]} */ ([["each", t("each")], ["mcts", t("tree")], ["alphabeta", t("alphabeta")]]).filter(([e]) => config.engines.includes(e));
    const { limits } = config;
    /** @param {NumberPref} name @param {string} label @param {number[]} values */
    const number = (name, label, values, most = 0) => el("label", { class: "inline" }, el("span", { text: label }),
      prefSelect(app, name, values.filter((v) => !most || v <= most), (v) => (v ? short(v) : "–")));
    return el("div", { class: "settings" },
      prefSwitch(app, "live", t("engine")),
      segments(t("engines"), engines, app.engine, (v) => app.set("engine", v)),
      el("div", { class: "wrap" }, number("visits", t("playouts"), VISITS, limits.maxVisits), number("nodes", t("nodes"), NODES, limits.maxNodes),
        number("lines", t("moves"), [1, 3, 5, 8, 12, 20])),
      el("div", { class: "wrap" }, number("byTime", t("seconds"), [0, 1, 2, 5, 10, 30, 60], limits.maxTime), number("byDepth", t("depth"), [0, 4, 6, 8, 10, 12, 14, 16, 20])),
      el("div", { class: "wrap" }, segments(t("onTheBoard"), /** @type {[string, string][]} */ ([["winrate", t("winPercent")], ["visits", t("visits")], ["prior", t("prior")], ["none", t("off")]]), prefs.show, (v) => app.set("show", v))));
  }

  /** The buttons that stand beside the status. */
  tools() {
    return el("div", { class: "wrap" },
      button(t("opening"), "opening", () => this.actions.opening(), { title: t("openingAbout") }),
      button(t("newDots"), "new-board", () => this.actions.fresh(), { title: t("newAbout") }),
      button(t("edit"), "edit", () => this.actions.edit(), { title: t("editPosition") }));
  }

  /** What an engine thinks, in short. @param {EngineName} engine */
  card(engine) {
    const parts = { rate: el("strong"), move: el("b", { "data-testid": `best-${engine}` }), truth: el("span", { "data-testid": `truth-${engine}` }), effort: el("small"), bar: el("i") };
    const node = el("div", { class: `engine ${CLASS[engine]}`, "data-testid": `engine-${engine}` },
      el("div", { class: "name" }, el("span", { class: "key", "aria-hidden": "true" }), t(NAMES[engine])),
      el("div", { class: "figures" }, parts.move, parts.truth, parts.rate), parts.effort, el("div", { class: "progress", "aria-hidden": "true" }, parts.bar));
    return { node, ...parts };
  }

  draw() {
    if (this.held) return; // what is being clicked stays where it is
    const { app } = this, result = this.analysis.at(), over = app.position ? app.position.outcome : undefined;
    const answer = result && !over ? result.answer : null, of = opinions(answer);
    for (const engine of ENGINES) this.drawCard(engine, of[engine]);
    this.drawTruth();
    this.drawVerdict(answer, of, over);
    this.drawRows(of);
    this.drawLines(of);
  }

  drawCard(/** @type {EngineName} */ engine, /** @type {Opinion | null} */ opinion) {
    const card = this.cards[engine], { prefs } = this.app;
    const asked = this.app.engine === "each" || this.app.engine === engine;
    card.node.classList.toggle("unasked", !asked);
    const busy = asked && this.analysis.running;
    card.node.setAttribute("aria-busy", String(Boolean(busy)));
    card.truth.replaceChildren(...(opinion ? this.truthOf(opinion.moveInfos[0].move) : []));
    if (!opinion) {
      card.rate.textContent = "";
      card.move.textContent = busy ? "…" : "–";
      card.effort.textContent = asked ? (busy ? t("thinking") : "") : t("notAsked");
      card.bar.style.width = "0";
      return;
    }
    const { rootInfo, moveInfos } = opinion, proof = rootInfo.proven || rootInfo.claim;
    card.move.textContent = moveInfos[0].move;
    card.node.classList.toggle("long", moveInfos[0].move.length > 4);
    card.rate.textContent = percent(moveInfos[0].winrate); // the move's, as in the table
    const n = engine === "mcts" ? rootInfo.visits : rootInfo.nodes;
    const facts = [t(engine === "mcts" ? "visitCount" : "nodeCount", { n, count: short(n) })];
    if (!proof) facts.push(t("depthReached", { depth: rootInfo.depth, selective: rootInfo.selDepth }));
    if (opinion.shortened) facts.push(t("cutShort"));
    card.effort.replaceChildren(...(proof ? [el("span", { class: `proof ${proof.result}`, text: rootInfo.proven ? proofWords(proof) : claimWords(proof) })] : []),
      ...facts.flatMap((text, i) => [i ? " · " : "", el("span", { text })]));
    const run = this.analysis.running, share = prefs.byTime ? (run ? (Date.now() - run.since) / 1000 / prefs.byTime : 0)
      : engine === "mcts" ? rootInfo.visits / prefs.visits : prefs.byDepth ? rootInfo.depth / prefs.byDepth : rootInfo.nodes / prefs.nodes;
    card.bar.style.width = busy ? cssPercent(Math.min(1, share)) : "0";
  }

  /** What solved endgames say of the position. */
  drawTruth() {
    const { app } = this, endgame = app.position && app.position.endgame;
    this.truth.hidden = !endgame;
    if (!endgame) return;
    const { result, winner, plies, line, moves } = endgame;
    const title = winner === "none" || !winner ? t("solvedDraw") : t("solvedWins", { side: sideName(winner), n: plies });
    drawOnce(this.truth, app.game.key(), () => [el("span", { class: `truth ${result}`, text: title }), lineButtons(app, t("solvedLine"), line || [moves[0].move], "proofline")]);
  }

  /** What a move comes to by solved endgames, as something to show; nothing where they do not say it. @param {string} move */
  truthOf(move) {
    const { position } = this.app, known = position && position.endgame && position.endgame.moves.find((m) => m.move === move);
    return known ? [el("span", { class: `truth ${known.result}`, title: t("solvedMove", { proof: proofWords(known) }), text: proofText(known) })] : [];
  }

  /** @param {Answer | null} answer @param {Opinions} of @param {Outcome | undefined} over */
  drawVerdict(answer, of, over) {
    const { app } = this, box = this.verdict;
    box.className = "verdict";
    if (over) { box.replaceChildren(app.outcomeText(over)); return; }
    const v = answer && answer.verdict;
    if (!v) {
      const m = of.mcts && of.mcts.moveInfos[0].move, a = of.alphabeta && of.alphabeta.moveInfos[0].move;
      box.classList.toggle("differ", Boolean(m && a && m !== a));
      box.replaceChildren(...this.certificate(of), !answer ? (app.prefs.live ? "" : t("engineOff")) : !m || !a ? t("sideToMove", { side: sideName(app.toMove) })
        : m === a ? t("bothPlay", { move: m }) : [t("differ", { a: m, b: a }), this.analysis.running && t("lookingDeeper")].filter(Boolean).join(" "));
      return;
    }
    box.classList.add(v.verdict === "differ" || v.verdict === "unproven" ? "differ" : "blunder");
    const text = v.verdict === "differ" ? differText(v, of) : blunderText(v);
    box.replaceChildren(...this.certificate(of), el("span", { text }));
    const { proof } = v, title = proof ? t("proofBy", { engine: proof.by }) : "";
    if (proof) box.append(button(t("proof"), "proof", () => app.setPreview({ title, base: app.game.current, moves: proof.line, at: 1, pinned: true })),
      lineButtons(app, title, proof.line, "proofline"));
  }

  /** The button that saves the certificate of a proven win of stones. @param {Opinions} of */
  certificate(of) {
    const proven = [of.mcts, of.alphabeta].map((o) => o?.rootInfo?.proven).find((p) => p && p.result !== "draw");
    return proven && proven.winner && !this.app.game.cards ? [button(t("certificate"), "certificate", () => this.saveCertificate(proven.winner), { title: t("certificateAbout") })] : [];
  }

  async saveCertificate(/** @type {Winner | undefined} */ winner) {
    const { app } = this;
    try {
      const { certificate } = await app.socket.ask({ action: "query_certificate", ...app.game.fields(), winner });
      if (certificate) saveFile(new Blob([Uint8Array.from(atob(certificate.file), (c) => c.charCodeAt(0))]), `carozero-${app.game.variant.rules}.cert`);
    } catch (e) { app.notice(e.message); }
  }

  drawRows(/** @type {Opinions} */ of) {
    const drawnFrom = JSON.stringify([of.mcts && of.mcts.moveInfos, of.alphabeta && of.alphabeta.moveInfos, this.app.prefs.lines, this.app.game.key(), Boolean(this.app.position && this.app.position.endgame)]);
    drawOnce(this.rows, drawnFrom, () => this.makeRows(of));
  }

  makeRows(/** @type {Opinions} */ of) {
    /** @type {HTMLElement} */ (this.rows.parentNode).classList.toggle("wide", this.app.game.cards);
    const count = this.app.prefs.lines;
    /** @type {Map<string, Row>} */ const moves = new Map();
    for (const engine of ENGINES) for (const info of movesOf(of[engine]).slice(0, count)) moves.set(info.move, { ...moves.get(info.move), [engine]: info });
    const total = (/** @type {Row} */ m) => (m.mcts ? m.mcts.visits : 0);
    /** @param {Row} m */
    const rank = (m) => Math.min(m.mcts ? m.mcts.order : 99, m.alphabeta ? m.alphabeta.order + 0.5 : 99);
    const list = [...moves].sort(([, a], [, b]) => rank(a) - rank(b) || total(b) - total(a)).slice(0, count);
    const rows = list.map(([move, m]) => this.row(move, m));
    while (rows.length < count) rows.push(el("tr", { class: "empty" }, el("td", { text: " " }), ...Array.from({ length: 5 }, () => el("td"))));
    this.shownMoves = moves;
    return rows;
  }

  row(/** @type {string} */ move, /** @type {Row} */ m) {
    /** @param {MoveInfo | undefined} info */
    const rate = (info) => (info ? (info.proven ? proofText(info.proven) : info.claim ? proofText(info.claim) + "?" : percent(info.winrate)) : "");
    const play = el("button", { type: "button", text: move, "data-move": move, title: t("playThis"),
      "aria-label": [t("playMove", { move }), m.mcts && t("treeSays", { rate: rate(m.mcts), n: m.mcts.visits }), m.alphabeta && t("classicalSays", { rate: rate(m.alphabeta) })].filter(Boolean).join(", "),
      on: { click: () => this.app.play(move), focus: () => this.choose(move) } });
    /** @param {string} text @param {string} name @param {MoveInfo} [info] */
    const cell = (text, name, info) => el("td", { class: `${name} ${info && info.proven ? info.proven.result : ""}`, text });
    const first = (/** @type {MoveInfo | undefined} */ info) => (info && info.order === 0 ? " first" : "");
    const cells = [cell(rate(m.mcts), `tree${first(m.mcts)}`, m.mcts), cell(m.mcts ? short(m.mcts.visits) : "", "tree"), cell(m.mcts ? percent(m.mcts.prior) : "", "tree"),
      cell(rate(m.alphabeta), `classical${first(m.alphabeta)}`, m.alphabeta), cell(m.alphabeta && m.alphabeta.depth ? String(m.alphabeta.depth) : "", "classical")];
    const row = el("tr", { class: this.chosen === move ? "chosen" : "", "data-row": move, title: t("showLines"), on: { click: (e) => { if (!e.target.closest("button")) this.choose(move); } } }, el("td", {}, play, " ", ...this.truthOf(move)), ...cells);
    for (const [i, c] of cells.entries()) {
      const engine = ENGINES[i < 3 ? 0 : 1], info = m[engine];
      if (info) pointsAt(this.app, c, t("engineMove", { engine: t(NAMES[engine]), move }), lineOf(info));
    }
    return row;
  }

  choose(/** @type {string} */ move) {
    if (this.chosen === move) return;
    this.chosen = move;
    for (const row of this.rows.children) row.classList.toggle("chosen", /** @type {HTMLElement} */ (row).dataset.row === move);
    const known = this.analysis.at();
    this.drawLines(opinions(known && known.answer));
  }

  drawLines(/** @type {Opinions} */ of) {
    for (const engine of ENGINES) {
      const infos = movesOf(of[engine]);
      const info = infos.find((i) => i.move === this.chosen) || (this.shownMoves.has(this.chosen) ? null : infos[0]);
      drawOnce(this.pvs[engine], info ? JSON.stringify([this.app.game.key(), lineOf(info), info.proven]) : "", () => [el("span", { class: `key ${CLASS[engine]}`, title: t(NAMES[engine]) }),
        info ? lineButtons(this.app, [t(NAMES[engine]), proofWords(info.proven)].filter(Boolean).join(", "), lineOf(info), CLASS[engine]) : ""]);
    }
  }
}

const movesOf = (/** @type {Opinion | null} */ opinion) => (opinion ? opinion.moveInfos : []);

/** The proof's line if there is one, else the expected one. @param {MoveInfo} info */
function lineOf(info) {
  if (info.proven && info.proven.line && info.proven.line.length) return info.proven.line[0] === info.move ? info.proven.line : [info.move, ...info.proven.line];
  return info.pv;
}

/** Where both choices are proven to have one result. @type {{[result in Result]: Key}} */
const BOTH = { win: "differWins", loss: "differLosses", draw: "differDraws" };

/** A disagreement in words in which no blunder is proven. @param {Verdict} v @param {Opinions} of */
export function differText(v, of) {
  const moves = { a: v.mctsMove, b: v.alphabetaMove };
  /** @param {Opinion | null} opinion @param {string} move */
  const proofOf = (opinion, move) => movesOf(opinion).find((i) => i.move === move)?.proven;
  const m = proofOf(of.mcts, v.mctsMove), a = proofOf(of.alphabeta, v.alphabetaMove);
  const lost = [of.mcts, of.alphabeta].map((o) => o?.rootInfo?.proven).find((p) => p && p.result === "loss");
  if (lost) return t("differLost", { ...moves, n: lost.plies });
  if (!m && !a) return t("differNeither", moves);
  if (m && a && m.result === a.result) return t(BOTH[m.result], moves);
  /** @param {string} move @param {Proof} [proof] */
  const each = (move, proof) => (proof ? t("moveProven", { move, proof: proofWords(proof) }) : t("moveUnproven", { move }));
  return t("differEach", { a: each(v.mctsMove, m), b: each(v.alphabetaMove, a) });
}

/** A blunder in words. @param {Verdict} v */
export function blunderText(v) {
  /** @type {{[blunder in Blunder]: Key}} */
  const known = { loses: "blunderLoses", misses_win: "blunderMisses" }, maybe = /** @type {typeof known} */ ({ loses: "maybeLoses", misses_win: "maybeMisses" });
  /** @param {string} engine @param {string} move @param {Blunder} [blunder] @param {Blunder} [unproven] */
  const says = (engine, move, blunder, unproven) => (blunder ? t(known[blunder], { engine, move }) : unproven ? t(maybe[unproven], { engine, move }) : "");
  const all = [says(t("theTree"), v.mctsMove, v.mctsBlunder, v.mctsUnproven), says(t("theAlphabeta"), v.alphabetaMove, v.alphabetaBlunder, v.alphabetaUnproven)].filter(Boolean).join("; ");
  const text = capital(all), what = v.proof ? t("blunderProven", { text, n: v.proof.plies }) : t("blunderUnproven", { text });
  if (v.mctsBlunder && !v.alphabetaBlunder) return `${what} ${t("playsInstead", { engine: t("alphabeta"), move: v.alphabetaMove })}`;
  if (!v.mctsBlunder && v.alphabetaBlunder) return `${what} ${t("playsInstead", { engine: t("theTree"), move: v.mctsMove })}`;
  return what;
}

/** The curve, how good both sides' moves were, the worst of them, and how far the sweep is. */
export class GraphPanel {
  /** @param {App} app @param {Sweep} sweep @param {Graph} graph @param {{exercise: () => void, save: (format: string) => void}} actions */
  constructor(app, sweep, graph, actions) {
    this.app = app;
    this.sweep = sweep;
    this.graph = graph;
    this.progress = el("small", { class: "progresstext", "data-testid": "sweep" });
    this.switch = prefSwitch(app, "sweep", t("wholeGame"));
    this.worst = el("ol", { class: "worst", "data-testid": "worst", "aria-label": t("worstMoves") });
    this.sums = el("div", { class: "sums", "data-testid": "sums" });
    this.buttons = [button(t("findBetter"), "find-better", actions.exercise), button(t("saveReview"), "save-review", () => actions.save("html")),
      button(t("saveReviewSGF"), "save-review-sgf", () => actions.save("sgf"))];
    byId("view-graph").append(el("div", { class: "head" }, el("h2", { text: t("chances") }), this.progress, this.switch), graph.element, this.sums, el("div", { class: "actions" }, ...this.buttons), this.worst);
    app.on((what) => { if (what !== "preview" && (app.view === "analyse" || app.view === "review")) this.draw(); });
  }

  draw() {
    const { app } = this, line = app.game.line(), judged = judge(app);
    const worst = judged.filter((m) => SIGNS[m.grade]).sort((x, y) => y.loss - x.loss).slice(0, SHOWN);
    app.grades = new Map(judged.map((m) => [m.node, m.grade]));
    this.graph.draw(line.map((n) => n.values), app.game.current.turn, worst.map((w) => w.node.turn), line.filter((n) => n.differ).map((n) => n.turn));
    this.switch.hidden = app.view !== "analyse";
    const p = this.sweep.progress();
    this.progress.textContent = app.view === "analyse" && app.prefs.sweep && p.known < p.all && p.all > 1 ? t("ofAll", { n: p.known, all: p.all }) : "";
    for (const each of this.buttons) each.disabled = !judged.length;
    this.buttons[2].hidden = app.game.cards; // which have no form as SGF
    const drawnFrom = judged.map((w) => `${w.node.turn}${w.node.move}${w.loss.toFixed(3)}${w.best}${w.line.length}`).join();
    drawOnce(this.sums, drawnFrom, () => SIDES.map((side) => this.sum(judged, side)));
    drawOnce(this.worst, drawnFrom, () => worst.map((w) => el("li", {}, el("button", { type: "button", on: { click: () => app.seek(w.node.turn - 1) } },
      el("span", { class: `side ${w.mover === "B" ? "black" : "white"}`, role: "img", "aria-label": sideName(w.mover) }), el("b", { text: `${w.node.turn}. ${w.node.move}` }),
      el("span", { class: "loss", text: `−${lossText(w.loss)}` }), w.best ? el("span", { class: "better", text: t("better", { move: w.best }) }) : null),
    w.line.length ? button(t(w.proven ? "proof" : "line"), `line-${w.node.turn}`, () => this.hold(w), { class: "lineof", title: t("lineInstead", { move: w.node.move, n: w.node.turn }) }) : null)));
  }

  /** Holds what was better than a move on the board, to be stepped through. @param {Judged} m */
  hold(m) {
    const { app } = this;
    app.seek(m.node.turn - 1);
    app.setPreview({ title: t(m.proven ? "proof" : "betterLine"), base: app.game.current, moves: m.line, at: 1, pinned: true });
  }

  /** A side's accuracy, and how many of its moves were no good ones. @param {Judged[]} judged @param {Side} side */
  sum(judged, side) {
    const { moves, accuracy, count } = sumOf(this.app.config.scale, judged, side);
    return el("p", { "data-testid": `accuracy-${side}` }, el("span", { class: `side ${side === "B" ? "black" : "white"}`, "aria-hidden": "true" }), el("b", { text: sideName(side) }),
      ` ${t("accuracyIs", { rate: moves ? percent(accuracy / 100) : "–" })}`,
      ...Object.entries(SIGNS).flatMap(([grade, sign]) => [" ", el("span", { class: grade, title: gradeText(grade) }, el("span", { "aria-hidden": "true", text: `${sign} ` }), el("span", { class: "off", text: gradeText(grade) }), ` ${count(grade)}`)]));
  }
}

/** Black's win rate at the current node as far as anything says it that may be seen, or null. @param {App} app @param {Analysis} analysis */
export function gaugeValue(app, analysis) {
  const { position } = app;
  if (app.engineHidden) return null;
  const known = position && (position.outcome || position.endgame);
  if (known) return pointsOf(known.winner || "none");
  const result = app.view === "analyse" ? analysis.at() : null, of = opinions(result && result.answer), best = of.mcts || of.alphabeta;
  if (best) return forBlack(best.rootInfo.winrate, best.rootInfo.currentPlayer);
  const { values } = app.game.current;
  return values.mcts ?? values.alphabeta ?? null;
}
