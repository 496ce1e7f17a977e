// The panel of Analyse: both engines side by side, their verdict, the best moves
// and their lines.

import { byId, el, percent, segments, select, short } from "./dom.js";
import { opinions } from "./analysis.js";
import { lineButtons, pointsAt } from "./lines.js";
import { forBlack, sideName } from "./notation.js";
import { claimWords, proofText, proofWords } from "./overlay.js";

const VISITS = [50, 100, 400, 1600, 6400, 25600, 102400], NODES = [2000, 20000, 100000, 500000, 2000000];
const NAMES = { mcts: "Tree search", alphabeta: "Alpha-beta" };
const CLASS = { mcts: "tree", alphabeta: "classical" };

/** The choices up to a bound, with the value that is chosen now. */
function choices(values, most, now) {
  const list = values.filter((v) => !most || v <= most);
  if (!list.includes(now)) list.push(now);
  return list.sort((a, b) => a - b).map((v) => [v, short(v)]);
}

export class AnalysePanel {
  constructor(app, analysis, actions) {
    Object.assign(this, { app, analysis, actions });
    this.chosen = null; // the row whose lines are shown
    const place = byId("view-analyse");
    byId("view-tools").append(this.tools());
    place.append(this.settings(), this.cards(), this.verdict = el("div", { class: "verdict", "data-testid": "verdict" }), this.table(), this.lines());
    place.addEventListener("pointerdown", () => { this.held = true; });
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => { if (this.held) setTimeout(() => { this.held = false; this.draw(); }); });
    }
    app.on((what) => {
      if (what === "move" || what === "game") this.chosen = null;
      if (what !== "preview" && app.view === "analyse") this.draw();
    });
  }

  settings() {
    const { app } = this, { prefs, config } = app;
    const engines = [["both", "Both"], ["mcts", "Tree"], ["alphabeta", "Alpha-beta"]].filter(([e]) => config.engines.includes(e));
    const number = (name, label, values, most) => el("label", { class: "inline" }, el("span", { text: label }),
      select({ "data-testid": `set-${name}`, on: { change: (e) => app.set(name, Number(e.target.value)) } }, choices(values, most, prefs[name]), prefs[name]));
    this.live = el("input", { type: "checkbox", role: "switch", checked: prefs.live, "data-testid": "live-analysis", on: { change: (e) => app.set("live", e.target.checked) } });
    return el("div", { class: "settings" },
      el("label", { class: "switch" }, this.live, el("span", { text: "Engine" })),
      segments("Engines", engines, prefs.engine, (v) => app.set("engine", v)),
      el("div", { class: "wrap" }, number("visits", "Playouts", VISITS, config.limits.maxVisits), number("nodes", "Nodes", NODES, config.limits.maxNodes),
        number("lines", "Moves", [1, 3, 5, 8, 12, 20])),
      el("div", { class: "wrap" }, segments("On the board", [["winrate", "Win %"], ["visits", "Visits"], ["prior", "Prior"], ["none", "Off"]], prefs.show, (v) => app.set("show", v))));
  }

  /** The buttons that stand beside the status. */
  tools() {
    return el("div", { class: "wrap" },
        el("button", { type: "button", text: "Opening", title: "Put up a balanced opening (b)", "data-testid": "opening", on: { click: () => this.actions.opening() } }),
        el("button", { type: "button", text: "New…", title: "Another board or rule set", "data-testid": "new-board", on: { click: () => this.actions.fresh() } }));
  }

  cards() {
    const card = (engine) => {
      const parts = { rate: el("strong"), move: el("b", { "data-testid": `best-${engine}` }), effort: el("small"), bar: el("i") };
      const node = el("div", { class: `engine ${CLASS[engine]}`, "data-testid": `engine-${engine}` },
        el("div", { class: "name" }, el("span", { class: "key", "aria-hidden": "true" }), NAMES[engine]),
        el("div", { class: "figures" }, parts.move, parts.rate), parts.effort, el("div", { class: "progress", "aria-hidden": "true" }, parts.bar));
      return [node, parts];
    };
    const [m, mp] = card("mcts"), [a, ap] = card("alphabeta");
    this.engineCards = { mcts: { node: m, ...mp }, alphabeta: { node: a, ...ap } };
    return el("div", { class: "engines" }, m, a);
  }

  table() {
    this.rows = el("tbody");
    return el("div", { class: "tablebox" }, el("table", { class: "top", "data-testid": "top-moves" },
      el("thead", {}, el("tr", {}, ...[["Move", ""], ["Win %", "tree"], ["Visits", "tree"], ["Prior", "tree"], ["Win %", "classical"], ["Depth", "classical"]]
        .map(([text, name]) => el("th", { scope: "col", class: name, text })))), this.rows));
  }

  lines() {
    this.pvs = { mcts: el("div", { class: "pvline" }), alphabeta: el("div", { class: "pvline" }) };
    return el("div", { class: "pvs", "data-testid": "pvs" }, this.pvs.mcts, this.pvs.alphabeta);
  }

  draw() {
    if (this.held) return; // what is being clicked stays where it is
    const { app } = this, result = this.analysis.at(), over = app.position && app.position.outcome;
    const answer = result && !over ? result.answer : null, of = opinions(answer);
    for (const engine of ["mcts", "alphabeta"]) this.drawCard(engine, of[engine]);
    this.drawVerdict(answer, of, over);
    this.drawRows(of);
    this.drawLines(of);
    if (this.live.checked !== app.prefs.live) this.live.checked = app.prefs.live;
  }

  drawCard(engine, opinion) {
    const card = this.engineCards[engine], { prefs } = this.app;
    const asked = prefs.engine === "both" || prefs.engine === engine;
    card.node.classList.toggle("unasked", !asked);
    const busy = asked && this.analysis.running;
    card.node.setAttribute("aria-busy", String(Boolean(busy)));
    if (!opinion) {
      card.rate.textContent = "";
      card.move.textContent = busy ? "…" : "–";
      card.effort.textContent = asked ? (busy ? "thinking" : "") : "not asked";
      card.bar.style.width = "0";
      return;
    }
    const { rootInfo, moveInfos } = opinion, proof = rootInfo.proven || rootInfo.claim;
    card.move.textContent = moveInfos[0].move;
    card.node.classList.toggle("long", moveInfos[0].move.length > 4);
    card.rate.textContent = percent(rootInfo.winrate);
    const [count, unit] = engine === "mcts" ? [rootInfo.visits, "visit"] : [rootInfo.nodes, "node"];
    const facts = [`${short(count)} ${unit}${count === 1 ? "" : "s"}`];
    if (!proof) facts.push(`depth ${rootInfo.depth}/${rootInfo.selDepth}`);
    if (opinion.shortened) facts.push("cut short");
    card.effort.replaceChildren(...(proof ? [el("span", { class: `proof ${proof.result}`, text: rootInfo.proven ? proofWords(proof) : claimWords(proof) })] : []),
      ...facts.flatMap((text, i) => [i ? " · " : "", el("span", { text })]));
    card.bar.style.width = busy ? percent(Math.min(1, engine === "mcts" ? rootInfo.visits / prefs.visits : rootInfo.nodes / prefs.nodes)) : "0";
  }

  drawVerdict(answer, of, over) {
    const { app } = this, box = this.verdict;
    box.className = "verdict";
    if (over) { box.replaceChildren(app.outcomeText(over)); return; }
    const v = answer && answer.verdict;
    if (!v) {
      const same = of.mcts && of.alphabeta;
      const alike = same && of.mcts.moveInfos[0].move === of.alphabeta.moveInfos[0].move;
      box.classList.toggle("differ", Boolean(same && !alike));
      box.replaceChildren(!answer ? (app.prefs.live ? "" : "The engine is off.") : !same ? `${sideName(app.toMove)} to move.`
        : alike ? `Both play ${of.mcts.moveInfos[0].move}.` : `They differ: ${of.mcts.moveInfos[0].move} and ${of.alphabeta.moveInfos[0].move}.${this.analysis.running ? " Looking deeper…" : ""}`);
      return;
    }
    box.classList.add(v.verdict === "differ" || v.verdict === "unproven" ? "differ" : "blunder");
    const text = v.verdict === "differ" ? differText(v, of) : blunderText(v);
    box.replaceChildren(el("span", { text }));
    if (v.proof) box.append(el("button", { type: "button", text: "Proof", "data-testid": "proof",
      on: { click: () => app.setPreview({ title: `Proof by ${v.proof.by}`, base: app.game.current, moves: v.proof.line, at: 1, pinned: true }) } }),
    lineButtons(app, `Proof by ${v.proof.by}`, v.proof.line, "proofline"));
  }

  drawRows(of) {
    const shape = JSON.stringify([of.mcts && of.mcts.moveInfos, of.alphabeta && of.alphabeta.moveInfos, this.app.prefs.lines, this.app.game.key()]);
    if (shape === this.rowsShape) return;
    this.rowsShape = shape;
    this.rows.parentNode.classList.toggle("wide", this.app.game.cards);
    const count = this.app.prefs.lines, moves = new Map();
    const add = (engine) => { for (const info of (of[engine] ? of[engine].moveInfos : []).slice(0, count)) moves.set(info.move, { ...moves.get(info.move), [engine]: info }); };
    add("mcts");
    add("alphabeta");
    const total = (m) => (m.mcts ? m.mcts.visits : 0);
    const rank = (m) => Math.min(m.mcts ? m.mcts.order : 99, m.alphabeta ? m.alphabeta.order + 0.5 : 99);
    const list = [...moves].sort(([, a], [, b]) => rank(a) - rank(b) || total(b) - total(a)).slice(0, count);
    const rows = list.map(([move, m]) => this.row(move, m));
    while (rows.length < count) rows.push(el("tr", { class: "empty" }, el("td", { text: " " }), ...Array.from({ length: 5 }, () => el("td"))));
    const focused = document.activeElement && this.rows.contains(document.activeElement) ? document.activeElement.dataset.move : null;
    this.rows.replaceChildren(...rows);
    if (focused) { const again = this.rows.querySelector(`[data-move="${CSS.escape(focused)}"]`); if (again) again.focus(); }
    this.shownMoves = moves;
  }

  row(move, m) {
    const rate = (info) => (info ? (info.proven ? proofText(info.proven) : info.claim ? proofText(info.claim) + "?" : percent(info.winrate)) : "");
    const button = el("button", { type: "button", text: move, "data-move": move, title: "Play this move",
      "aria-label": `Play ${move}${m.mcts ? `, tree search ${rate(m.mcts)}, ${m.mcts.visits} visits` : ""}${m.alphabeta ? `, alpha-beta ${rate(m.alphabeta)}` : ""}`,
      on: { click: () => this.app.play(move), focus: () => this.choose(move) } });
    const cell = (text, name, info) => el("td", { class: `${name} ${info && info.proven ? info.proven.result : ""}`, text });
    const first = (info) => (info && info.order === 0 ? " first" : "");
    const cells = [cell(rate(m.mcts), `tree${first(m.mcts)}`, m.mcts), cell(m.mcts ? short(m.mcts.visits) : "", "tree"), cell(m.mcts ? percent(m.mcts.prior) : "", "tree"),
      cell(rate(m.alphabeta), `classical${first(m.alphabeta)}`, m.alphabeta), cell(m.alphabeta && m.alphabeta.depth ? String(m.alphabeta.depth) : "", "classical")];
    const row = el("tr", { class: this.chosen === move ? "chosen" : "", "data-row": move, title: "Show the lines of this move", on: { click: (e) => { if (!e.target.closest("button")) this.choose(move); } } }, el("td", {}, button), ...cells);
    for (const [i, engine] of ["mcts", "mcts", "mcts", "alphabeta", "alphabeta"].entries()) {
      if (m[engine]) pointsAt(this.app, cells[i], `${NAMES[engine]}: ${move}`, lineOf(m[engine]));
    }
    return row;
  }

  choose(move) {
    if (this.chosen === move) return;
    this.chosen = move;
    for (const row of this.rows.children) row.classList.toggle("chosen", row.dataset.row === move);
    this.drawLines(opinions((this.analysis.at() || {}).answer));
  }

  drawLines(of) {
    for (const engine of ["mcts", "alphabeta"]) {
      const infos = of[engine] ? of[engine].moveInfos : [];
      const info = infos.find((i) => i.move === this.chosen) || (this.chosen && infos.length && this.shownMoves && this.shownMoves.has(this.chosen) ? null : infos[0]);
      const shape = info ? JSON.stringify([this.app.game.key(), lineOf(info), info.proven]) : "";
      if (this.pvs[engine].shape === shape) continue;
      this.pvs[engine].shape = shape;
      this.pvs[engine].replaceChildren(el("span", { class: `key ${CLASS[engine]}`, title: NAMES[engine] }),
        info ? lineButtons(this.app, `${NAMES[engine]}${info.proven ? `, ${proofWords(info.proven)}` : ""}`, lineOf(info), CLASS[engine]) : "");
    }
  }
}

/** The proof's line if there is one, else the expected one. */
function lineOf(info) {
  if (info.proven && info.proven.line && info.proven.line.length) return info.proven.line[0] === info.move ? info.proven.line : [info.move, ...info.proven.line];
  return info.pv;
}

/** A disagreement in words in which no blunder is proven; `of` are the opinions by engine. */
export function differText(v, of) {
  const proofOf = (opinion, move) => ((opinion && opinion.moveInfos.find((i) => i.move === move)) || {}).proven;
  const m = proofOf(of.mcts, v.mctsMove), a = proofOf(of.alphabeta, v.alphabetaMove);
  const lost = [of.mcts, of.alphabeta].map((o) => o && o.rootInfo && o.rootInfo.proven).find((p) => p && p.result === "loss");
  if (lost) return `They differ: ${v.mctsMove} and ${v.alphabetaMove}; every move loses, proven in ${lost.plies}.`;
  if (!m && !a) return `They differ: ${v.mctsMove} and ${v.alphabetaMove}; neither is proven to be a mistake.`;
  if (m && a && m.result === a.result) return `They differ: ${v.mctsMove} and ${v.alphabetaMove}; both are proven ${{ win: "wins", loss: "losses", draw: "draws" }[m.result]}.`;
  const each = (move, proof) => `${move}, ${proof ? `a ${proofWords(proof)}` : "of which nothing is proven"}`;
  return `They differ: ${each(v.mctsMove, m)}, and ${each(v.alphabetaMove, a)}.`;
}

/** A blunder in words. */
export function blunderText(v) {
  const known = { loses: "loses", misses_win: "misses a win" }, maybe = { loses: "loses, but perhaps every move does", misses_win: "seems to miss a win, which is not proven" };
  const says = (name, move, blunder, unproven) => (blunder || unproven) && `${name}'s ${move} ${known[blunder] || maybe[unproven]}`;
  const text = [says("The tree search", v.mctsMove, v.mctsBlunder, v.mctsUnproven), says("alpha-beta", v.alphabetaMove, v.alphabetaBlunder, v.alphabetaUnproven)].filter(Boolean).join("; ");
  const other = v.mctsBlunder && !v.alphabetaBlunder ? ` Alpha-beta plays ${v.alphabetaMove}.` : !v.mctsBlunder && v.alphabetaBlunder ? ` The tree search plays ${v.mctsMove}.` : "";
  return text.charAt(0).toUpperCase() + text.slice(1) + (v.proof ? `, proven in ${v.proof.plies}.` : ".") + other;
}

/** The curve, the worst moves, and how far the sweep is. */
export class GraphPanel {
  constructor(app, sweep, graph) {
    Object.assign(this, { app, sweep, graph });
    this.progress = el("small", { class: "progresstext", "data-testid": "sweep" });
    this.toggle = el("input", { type: "checkbox", role: "switch", checked: app.prefs.sweep, on: { change: (e) => app.set("sweep", e.target.checked) } });
    this.switch = el("label", { class: "switch" }, this.toggle, el("span", { text: "Whole game" }));
    this.worst = el("ol", { class: "worst", "data-testid": "worst", "aria-label": "Worst moves" });
    byId("view-graph").append(el("div", { class: "head" }, el("h2", { text: "Black's chances" }), this.progress, this.switch), graph.element, this.worst);
    app.on((what) => { if (what !== "preview" && (app.view === "analyse" || app.view === "review")) this.draw(); });
  }

  draw() {
    const { app } = this, line = app.game.line(), worst = this.sweep.worst();
    app.badTurns = worst.map((w) => w.node);
    this.graph.draw(line.map((n) => n.values), app.game.current.turn, worst.map((w) => w.node.turn), line.filter((n) => n.differ).map((n) => n.turn));
    this.switch.hidden = app.view !== "analyse";
    const p = this.sweep.progress();
    this.progress.textContent = app.view === "analyse" && app.prefs.sweep && p.known < p.all && p.all > 1 ? `${p.known} of ${p.all}` : "";
    const shape = worst.map((w) => `${w.node.turn}${w.node.move}${w.loss.toFixed(3)}${w.best}`).join();
    if (shape === this.shape) return;
    this.shape = shape;
    this.worst.replaceChildren(...worst.map((w) => el("li", {}, el("button", { type: "button",
      "aria-label": `Move ${w.node.turn}, ${sideName(w.mover)} ${w.node.move}, loses ${percent(w.loss, 0)}${w.best ? `, better ${w.best}` : ""}`,
      on: { click: () => app.seek(w.node.turn - 1) } },
    el("span", { class: `side ${w.mover === "B" ? "black" : "white"}`, "aria-hidden": "true" }), el("b", { text: `${w.node.turn}. ${w.node.move}` }),
    el("span", { class: "loss", text: `−${percent(w.loss, 0)}` }), w.best ? el("span", { class: "better", text: `better ${w.best}` }) : null))));
  }
}

/** Black's win rate at the current node as far as anything says it, or null. */
export function gaugeValue(app, analysis) {
  const { position } = app;
  if (position && position.outcome) return { B: 1, W: 0, none: 0.5 }[position.outcome.winner];
  const result = app.view === "analyse" && analysis.at(), of = opinions(result && result.answer), best = of.mcts || of.alphabeta;
  if (best) return forBlack(best.rootInfo.winrate, best.rootInfo.currentPlayer);
  const { values } = app.game.current;
  return values.mcts ?? values.alphabeta ?? null;
}
