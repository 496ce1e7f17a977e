// The panel of Analyse: both engines side by side, their verdict, the best moves and their lines.

import { button, byId, cssPercent, drawOnce, el, moveTable, percent, prefSelect, prefSwitch, saveFile, segments, short } from "./dom.js";
import { opinions } from "./analysis.js";
import { t } from "./i18n.js";
import { lineButtons, pointsAt } from "./lines.js";
import { forBlack, pointsOf, sideName } from "./notation.js";
import { claimWords, proofText, proofWords, verdictClass, verdictText } from "./overlay.js";

const VISITS = [50, 100, 400, 1600, 6400, 25600, 102400], NODES = [2000, 20000, 100000, 500000, 2000000];
/** @type {EngineName[]} */ const ENGINES = ["mcts", "alphabeta"];
const NAMES = /** @type {const} */ ({ mcts: "treeSearch", alphabeta: "alphabeta" });
const CLASS = { mcts: "tree", alphabeta: "classical" };

/** What a row knows of a move. @typedef {{[engine in EngineName]?: MoveInfo}} Row */

export class AnalysePanel {
  chosen = ""; // the move whose lines are shown
  pressed = false; // whether a pointer is down
  /** @type {Map<string, Row>} */ shownMoves = new Map();

  /** @param {App} app @param {Analysis} analysis @param {{opening: () => void, fresh: () => void, edit: () => void}} actions */
  constructor(app, analysis, actions) {
    this.app = app;
    this.analysis = analysis;
    this.cards = { mcts: this.card("mcts"), alphabeta: this.card("alphabeta") };
    this.verdict = el("div", { class: "verdict", "data-testid": "verdict" });
    this.rows = el("tbody");
    this.pvs = { mcts: el("div", { class: "pvline" }), alphabeta: el("div", { class: "pvline" }) };
    this.solved = el("div", { class: "solved", hidden: true, "data-testid": "solved" });
    const place = byId("view-analyse");
    byId("view-tools").append(el("div", { class: "wrap" }, button(t("opening"), "opening", actions.opening, { title: t("openingAbout") }),
      button(t("newDots"), "new-board", actions.fresh, { title: t("newAbout") }),
      button(t("edit"), "edit", actions.edit, { title: t("editPosition") })));
    /** @type {[string, string?][]} */
    const columns = [[t("move")], [t("winPercent"), "tree"], [t("visits"), "tree"], [t("prior"), "tree"],
      [t("winPercent"), "classical"], [t("depth"), "classical"]];
    place.append(this.settings(), this.solved, el("div", { class: "engines" }, this.cards.mcts.node, this.cards.alphabeta.node), this.verdict,
      moveTable("top-moves", columns, this.rows), el("div", { class: "pvs", "data-testid": "pvs" }, this.pvs.mcts, this.pvs.alphabeta));
    place.addEventListener("pointerdown", () => { this.pressed = true; });
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => { if (this.pressed) setTimeout(() => { this.pressed = false; this.draw(); }); });
    }
    app.on((event) => {
      if (event === "move" || event === "game") this.chosen = "";
      if (event !== "preview" && app.view === "analyse") this.draw();
    });
  }

  settings() {
    const { app } = this, { prefs, config: { limits } } = app;
    /** @type {[string, string][]} */ const engines = [["each", t("each")], ["mcts", t("tree")], ["alphabeta", t("alphabeta")]];
    /** @type {[string, string][]} */
    const marks = [["winrate", t("winPercent")], ["visits", t("visits")], ["prior", t("prior")], ["none", t("off")]];
    /** @type {(name: NumberPref, label: string, values: number[], most?: number) => HTMLElement} */
    const number = (name, label, values, most) => el("label", { class: "inline" }, el("span", { text: label }),
      prefSelect(app, name, values.filter((v) => !most || v <= most), (v) => (v ? short(v) : "–")));
    const wrap = (/** @type {HTMLElement[]} */ ...parts) => el("div", { class: "wrap" }, ...parts);
    return el("div", { class: "settings" }, prefSwitch(app, "live", t("engine")),
      segments(t("engines"), engines.filter(([e]) => app.config.engines.includes(e)), app.engine, (v) => app.set("engine", v)),
      wrap(number("visits", t("playouts"), VISITS, limits.maxVisits), number("nodes", t("nodes"), NODES, limits.maxNodes),
        number("lines", t("moves"), [1, 3, 5, 8, 12, 20])),
      wrap(number("byTime", t("seconds"), [0, 1, 2, 5, 10, 30, 60], limits.maxTime),
        number("byDepth", t("depth"), [0, 4, 6, 8, 10, 12, 14, 16, 20])),
      wrap(segments(t("onTheBoard"), marks, prefs.show, (v) => app.set("show", v))));
  }

  /** What an engine thinks, in short. @param {EngineName} engine */
  card(engine) {
    const rate = el("strong"), move = el("b", { "data-testid": `best-${engine}` }), solved = el("span", { "data-testid": `truth-${engine}` });
    const effort = el("small"), bar = el("i");
    const node = el("div", { class: `engine ${CLASS[engine]}`, "data-testid": `engine-${engine}` },
      el("div", { class: "name" }, el("span", { class: "key", "aria-hidden": "true" }), t(NAMES[engine])),
      el("div", { class: "figures" }, move, solved, rate), effort, el("div", { class: "progress", "aria-hidden": "true" }, bar));
    return { node, rate, move, solved, effort, bar };
  }

  draw() {
    if (this.pressed) return; // what is being clicked stays where it is
    const { app } = this, result = this.analysis.at(), over = app.position ? app.position.outcome : undefined;
    const answer = result && !over ? result.answer : null, of = opinions(answer);
    for (const engine of ENGINES) this.drawCard(engine, of[engine]);
    this.drawSolved();
    this.drawVerdict(answer, of, over);
    const drawnFrom = [of.mcts?.moveInfos, of.alphabeta?.moveInfos, app.prefs.lines, app.game.key(), Boolean(app.position?.endgame)];
    drawOnce(this.rows, JSON.stringify(drawnFrom), () => this.makeRows(of));
    this.drawLines(of);
  }

  drawCard(/** @type {EngineName} */ engine, /** @type {Opinion | null} */ opinion) {
    const card = this.cards[engine], asked = this.app.engine === "each" || this.app.engine === engine;
    const busy = asked && Boolean(this.analysis.running);
    card.node.classList.toggle("unasked", !asked);
    card.node.setAttribute("aria-busy", String(busy));
    card.solved.replaceChildren(...(opinion ? this.solvedMove(opinion.moveInfos[0].move) : []));
    card.bar.style.width = busy && opinion ? cssPercent(Math.min(1, this.share(engine, opinion))) : "0";
    if (!opinion) {
      card.rate.textContent = "";
      card.move.textContent = busy ? "…" : "–";
      card.effort.textContent = asked ? (busy ? t("thinking") : "") : t("notAsked");
      return;
    }
    const { rootInfo, moveInfos: [best] } = opinion, proof = rootInfo.proven || rootInfo.claim;
    card.move.textContent = best.move;
    card.node.classList.toggle("long", best.move.length > 4);
    card.rate.textContent = percent(best.winrate); // the move's, as in the table
    const n = engine === "mcts" ? rootInfo.visits : rootInfo.nodes;
    const facts = [t(engine === "mcts" ? "visitCount" : "nodeCount", { n, count: short(n) })];
    if (!proof) facts.push(t("depthReached", { depth: rootInfo.depth, selective: rootInfo.selDepth }));
    if (opinion.shortened) facts.push(t("cutShort"));
    const words = proof && el("span", { class: `proof ${proof.result}`, text: rootInfo.proven ? proofWords(proof) : claimWords(proof) });
    card.effort.replaceChildren(...(words ? [words] : []), ...facts.flatMap((text, i) => [i ? " · " : "", el("span", { text })]));
  }

  /** How much of what it may spend an engine has spent. @param {EngineName} engine @param {Opinion} opinion */
  share(engine, { rootInfo }) {
    const { prefs } = this.app, { running } = this.analysis;
    if (prefs.byTime) return running ? (Date.now() - running.since) / 1000 / prefs.byTime : 0;
    if (engine === "mcts") return rootInfo.visits / prefs.visits;
    return prefs.byDepth ? rootInfo.depth / prefs.byDepth : rootInfo.nodes / prefs.nodes;
  }

  /** What solved endgames say of the position. */
  drawSolved() {
    const { app } = this, endgame = app.position && app.position.endgame;
    this.solved.hidden = !endgame;
    if (!endgame) return;
    const { result, winner, plies, line, moves } = endgame;
    const text = winner === "none" || !winner ? t("solvedDraw") : t("solvedWins", { side: sideName(winner), n: plies });
    drawOnce(this.solved, app.game.key(), () => [el("span", { class: `truth ${result}`, text }),
      lineButtons(app, t("solvedLine"), line || [moves[0].move], "proofline")]);
  }

  /** What a move comes to by solved endgames, as something to show; nothing where they do not say it. @param {string} move */
  solvedMove(move) {
    const known = this.app.position?.endgame?.moves.find((m) => m.move === move);
    return known ? [el("span", { class: `truth ${known.result}`, title: t("solvedMove", { proof: proofWords(known) }), text: proofText(known) })] : [];
  }

  /** @param {Answer | null} answer @param {Opinions} of @param {Outcome | undefined} over */
  drawVerdict(answer, of, over) {
    const { app, verdict: box } = this, v = answer && answer.verdict, [m, a] = [of.mcts?.moveInfos[0].move, of.alphabeta?.moveInfos[0].move];
    box.className = v ? verdictClass(v) : `verdict ${m && a && m !== a ? "differ" : ""}`;
    const words = () => {
      if (over) return app.outcomeText(over);
      if (v) return verdictText(v, of);
      if (!answer) return app.prefs.live ? "" : t("engineOff");
      if (!m || !a) return t("sideToMove", { side: sideName(app.toMove) });
      if (m === a) return t("bothPlay", { move: m });
      return [t("differ", { a: m, b: a }), this.analysis.running && t("lookingDeeper")].filter(Boolean).join(" ");
    };
    box.replaceChildren(...this.certificate(of), el("span", { text: words() }));
    if (!v || !v.proof) return;
    const title = t("proofBy", { engine: v.proof.by }), moves = v.proof.line;
    box.append(button(t("proof"), "proof", () => app.setPreview({ title, base: app.game.current, moves, at: 1, pinned: true })),
      lineButtons(app, title, moves, "proofline"));
  }

  /** The button that saves the certificate of a proven win of stones. @param {Opinions} of */
  certificate(of) {
    const winner = [of.mcts, of.alphabeta].map((o) => o?.rootInfo?.proven).find((p) => p && p.result !== "draw")?.winner;
    if (!winner || this.app.game.cards) return [];
    return [button(t("certificate"), "certificate", () => this.saveCertificate(winner), { title: t("certificateAbout") })];
  }

  async saveCertificate(/** @type {Winner} */ winner) {
    const { app } = this, name = `carozero-${app.game.variant.rules}.cert`;
    try {
      const { certificate } = await app.socket.ask({ action: "query_certificate", ...app.game.fields(), winner });
      if (certificate) saveFile(new Blob([Uint8Array.from(atob(certificate.file), (c) => c.charCodeAt(0))]), name);
    } catch (e) { app.notice(e.message); }
  }

  makeRows(/** @type {Opinions} */ of) {
    /** @type {HTMLElement} */ (this.rows.parentNode).classList.toggle("wide", this.app.game.cards);
    const count = this.app.prefs.lines;
    /** @type {Map<string, Row>} */ const moves = this.shownMoves = new Map();
    for (const engine of ENGINES) {
      for (const info of movesOf(of[engine]).slice(0, count)) moves.set(info.move, { ...moves.get(info.move), [engine]: info });
    }
    /** @param {Row} m */
    const rank = (m) => Math.min(m.mcts ? m.mcts.order : 99, m.alphabeta ? m.alphabeta.order + 0.5 : 99);
    const list = [...moves].sort(([, a], [, b]) => rank(a) - rank(b) || (b.mcts?.visits || 0) - (a.mcts?.visits || 0)).slice(0, count);
    const rows = list.map(([move, m]) => this.row(move, m));
    while (rows.length < count) rows.push(el("tr", { class: "empty" }, el("td", { text: " " }), ...Array.from({ length: 5 }, () => el("td"))));
    return rows;
  }

  row(/** @type {string} */ move, /** @type {Row} */ m) {
    /** @param {MoveInfo | undefined} info */
    const rate = (info) => (!info ? "" : info.proven ? proofText(info.proven) : info.claim ? proofText(info.claim) + "?" : percent(info.winrate));
    const label = [t("playMove", { move }), m.mcts && t("treeSays", { rate: rate(m.mcts), n: m.mcts.visits }),
      m.alphabeta && t("classicalSays", { rate: rate(m.alphabeta) })].filter(Boolean).join(", ");
    const play = button(move, undefined, () => this.app.play(move), { "data-move": move, title: t("playThis"), "aria-label": label });
    play.addEventListener("focus", () => this.choose(move));
    const { mcts, alphabeta } = m;
    const row = el("tr", { class: this.chosen === move ? "chosen" : "", "data-row": move, title: t("showLines"),
      on: { click: (e) => { if (!e.target.closest("button")) this.choose(move); } } }, el("td", {}, play, " ", ...this.solvedMove(move)));
    /** @type {(engine: EngineName, info: MoveInfo | undefined, texts: string[]) => void} */
    const cells = (engine, info, texts) => texts.forEach((text, i) => {
      const shape = i ? "" : `${info?.order === 0 ? "first" : ""} ${info?.proven?.result || ""}`;
      const cell = el("td", { class: `${CLASS[engine]} ${shape}`, text });
      if (info) pointsAt(this.app, cell, t("engineMove", { engine: t(NAMES[engine]), move }), lineOf(info));
      row.append(cell);
    });
    cells("mcts", mcts, [rate(mcts), mcts ? short(mcts.visits) : "", mcts ? percent(mcts.prior) : ""]);
    cells("alphabeta", alphabeta, [rate(alphabeta), alphabeta?.depth ? String(alphabeta.depth) : ""]);
    return row;
  }

  choose(/** @type {string} */ move) {
    if (this.chosen === move) return;
    this.chosen = move;
    for (const row of this.rows.children) row.classList.toggle("chosen", /** @type {HTMLElement} */ (row).dataset.row === move);
    this.drawLines(opinions(this.analysis.at()?.answer));
  }

  drawLines(/** @type {Opinions} */ of) {
    const { app } = this;
    for (const engine of ENGINES) {
      const infos = movesOf(of[engine]), name = t(NAMES[engine]);
      const info = infos.find((i) => i.move === this.chosen) || (this.shownMoves.has(this.chosen) ? null : infos[0]);
      drawOnce(this.pvs[engine], info ? JSON.stringify([app.game.key(), lineOf(info), info.proven]) : "", () => [
        el("span", { class: `key ${CLASS[engine]}`, title: name }),
        info ? lineButtons(app, [name, proofWords(info.proven)].filter(Boolean).join(", "), lineOf(info), CLASS[engine]) : ""]);
    }
  }
}

const movesOf = (/** @type {Opinion | null} */ opinion) => (opinion ? opinion.moveInfos : []);

/** The proof's line if there is one, else the expected one. @param {MoveInfo} info */
function lineOf({ move, proven, pv }) {
  const line = proven?.line || [];
  return !line.length ? pv : line[0] === move ? line : [move, ...line];
}

/** Black's win rate at the current node as far as anything says it that may be seen, or null. @param {App} app @param {Analysis} analysis */
export function gaugeValue(app, analysis) {
  const { position } = app;
  if (app.engineHidden) return null;
  const known = position && (position.outcome || position.endgame);
  if (known) return pointsOf(known.winner || "none");
  const of = opinions(app.view === "analyse" ? analysis.at()?.answer : null), best = of.mcts || of.alphabeta;
  if (best) return forBlack(best.rootInfo.winrate, best.rootInfo.currentPlayer);
  const { values } = app.game.current;
  return values.mcts ?? values.alphabeta ?? null;
}
