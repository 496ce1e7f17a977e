// Share: the game as a link, text, SGF, files and pictures; and games from text, files and what is dropped or pasted.

import { button, byId, copy, el, field, gameRow, saveFile } from "./dom.js";
import { Game } from "./game.js";
import { turnsOf } from "./grades.js";
import { exportGame, importGames } from "./http.js";
import { language, t } from "./i18n.js";
import { fragment } from "./link.js";
import { movesIn } from "./notation.js";

const NAMES = /** @type {const} */ (["title", "black", "white", "result"]);
const MOST = 4 << 20;

/** A picture of dots in place of an SVG, as a Blob. @param {string} svg */
async function pngOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = el("canvas", { width: image.width, height: image.height });
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(image, 0, 0);
  return /** @type {Blob} */ (await new Promise((/** @type {BlobCallback} */ done) => { canvas.toBlob(done); }));
}

export class Share {
  timer = 0; // of the SGF that is asked for soon

  constructor(/** @type {App} */ app) {
    this.app = app;
    const linkRow = this.line("share-link", t("link")), textRow = this.line("share-text", t("position"));
    this.link = linkRow.input;
    this.text = textRow.input;
    this.sgf = el("textarea", { rows: 5, readonly: true, spellcheck: "false", "data-testid": "share-sgf" });
    const record = field("SGF", this.sgf);
    this.recordName = /** @type {HTMLElement} */ (record.querySelector(".label"));
    this.recordCopy = button(t("copy"), undefined, () => this.copy(this.sgf.value));
    /** @param {string[]} format its name in the program and its own */
    const save = ([format, name]) => button(name, `save-${format}`, () => this.save(format));
    this.paste = el("textarea", { rows: 4, spellcheck: "false", placeholder: t("pasteHint"), "data-testid": "import-text" });
    this.file = el("input", { type: "file", class: "off", tabindex: -1, "aria-label": t("fileToOpen"), "data-testid": "import-file",
      on: { change: () => this.readFile(this.file.files && this.file.files[0]) } });
    this.found = el("ol", { class: "games" });
    const row = (/** @type {string[][]} */ files) => el("div", { class: "actions" }, ...files.map(save));
    this.files = { stones: row([["sgf", "SGF"]]), cards: row([["text", t("asText")]]) };
    byId("view-share").append(
      this.found, el("h2", { text: t("give") }), linkRow.row, textRow.row, el("div", { class: "copyline" }, record, this.recordCopy),
      this.files.stones, this.files.cards, el("div", { class: "actions" }, ...[["svg", "SVG"], ["png", "PNG"]].map(save)),
      el("h2", { text: t("take") }), field(t("pasteHere"), this.paste),
      el("div", { class: "actions" }, button(t("readIt"), "import", () => this.read(this.paste.value), { class: "primary" }),
        button(t("openFile"), undefined, () => this.file.click()), this.file),
      el("p", { class: "about", text: t("dropAnywhere") }));
    this.watchDrops();
    document.addEventListener("paste", (e) => {
      if (/** @type {Element} */ (e.target).closest("input, textarea")) return;
      const text = e.clipboardData && e.clipboardData.getData("text");
      if (text && text.trim()) { e.preventDefault(); this.read(text); }
    });
    app.on(() => { if (app.view === "share") this.draw(); }, "view", "position", "game", "move");
  }

  /** A text that can be copied. @param {string} name @param {string} label */
  line(name, label) {
    const input = el("input", { type: "text", readonly: true, spellcheck: "false", "data-testid": name, on: { focus: (e) => e.target.select() } });
    const copies = button(t("copy"), undefined, () => this.copy(input.value), { "aria-label": t("copyWhat", { what: label.toLowerCase() }) });
    return { input, row: el("div", { class: "copyline" }, field(label, input), copies) };
  }

  draw() {
    this.link.value = `${location.origin}${location.pathname}#${fragment(this.app.game, "analyse")}`;
    this.text.value = this.app.position ? this.app.position.text || "" : "";
    const { cards } = this.app.game, name = cards ? t("asText") : "SGF";
    this.recordName.textContent = name;
    this.recordCopy.setAttribute("aria-label", t("copyWhat", { what: name }));
    this.files.stones.hidden = cards;
    this.files.cards.hidden = !cards;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.drawRecord(), 120);
  }

  /** Shows the game as the text of a file: SGF, or for a game of cards a line of moves. */
  async drawRecord() {
    const { game } = this.app, key = game.key();
    try {
      const text = await (await exportGame(this.message(game.cards ? "text" : "sgf"))).text();
      if (game === this.app.game && key === game.key()) this.sgf.value = text;
    } catch (e) { this.sgf.value = e.message; }
  }

  async copy(/** @type {string} */ text) {
    this.app.notice((await copy(text)) ? t("copied") : t("cannotCopy"));
  }

  /** The body of an export. @param {string} format */
  message(format) {
    const { game, prefs } = this.app, line = game.line(), v = game.variant;
    /** @type {Fields} */
    const message = { format, ...game.fields(line[line.length - 1]), turnNumber: game.current.turn, numbers: prefs.numbers };
    if (!game.cards) {
      message.rules = v.rules;
      if (v.openRule) message.openRule = true;
    }
    const tree = game.tree().map(({ parent, move, comment, labels, marks }) => ({ parent, move, comment, labels, marks }));
    if (tree.length > line.length - 1 || tree.some((n) => n.comment || n.labels || n.marks)) message.tree = tree;
    if (game.root.comment) message.comment = game.root.comment;
    for (const name of NAMES) if (game[name]) message[name] = game[name];
    return message;
  }

  /** Saves the game with what is known of its moves, as a page or as SGF. @param {string} format */
  saveReview(format) { return this.save(format, { turns: turnsOf(this.app.game), language: language() }); }

  /** @param {string} format @param {object} [more] fields of the export */
  async save(format, more = {}) {
    try {
      const png = format === "png";
      let blob = await exportGame({ ...this.message(png ? "svg" : format), ...more });
      if (png) blob = await pngOf(await blob.text());
      saveFile(blob, `carozero-${this.app.game.variant.rules}.${format === "text" ? "txt" : format}`);
    } catch (e) { this.app.notice(e.message); }
  }

  async readFile(/** @type {File | null} */ file) {
    if (!file) return;
    this.file.value = "";
    if (file.size > MOST) { this.app.notice(t("fileTooBig", { file: file.name })); return; }
    await this.read(await file.arrayBuffer());
  }

  /** Reads a text or bytes, or follows a link of this page. @param {string | ArrayBuffer} body */
  async read(body) {
    const { app } = this;
    if (typeof body === "string") {
      const text = body.trim();
      if (!text) { app.notice(t("nothingToRead")); return; }
      const link = /^https?:\/\/\S+?(#v=\S+)$/.exec(text);
      if (link) { location.hash = link[1]; return; }
    }
    if (!app.free()) return;
    try {
      const { cards, variant: { game, rules, size } } = app.game, moves = typeof body === "string" && !cards && movesIn(body);
      const games = await importGames(moves || body, cards ? {} : { game, rules, size });
      if (!games || !games.length) throw new Error(t("noGame"));
      this.list(games);
      this.open(games[0]);
      if (games.length > 1) app.show("share"); // where the others can be chosen
    } catch (e) { app.notice(e.message); }
  }

  /** Several games are listed, to be chosen from. @param {GameData[]} games */
  list(games) {
    this.found.replaceChildren(...(games.length < 2 ? [] : games.map((g, i) => gameRow(i + 1,
      g.title || [g.black, g.white].filter(Boolean).join(" – ") || g.rules || t("game"), g.result || "", () => this.open(g)))));
  }

  open(/** @type {GameData} */ g) {
    const { app } = this, game = Game.from(g);
    app.load(game);
    if (app.view === "play") app.show("analyse");
    app.say(t("gameRead", { n: game.line().length - 1 }));
    if (g.unknownRules) app.notice(t("unknownRules", { rules: g.unknownRules, taken: game.variant.rules }));
    else if (g.notes) app.notice(g.notes.join("; "));
  }

  watchDrops() {
    const sign = byId("drop");
    let depth = 0;
    /** @param {DragEvent} e */
    const files = (e) => e.dataTransfer && [...e.dataTransfer.types].some((type) => type === "Files" || type === "text/plain");
    document.addEventListener("dragenter", (e) => { if (files(e)) { depth++; sign.hidden = false; e.preventDefault(); } });
    document.addEventListener("dragover", (e) => { if (files(e)) e.preventDefault(); });
    document.addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); if (!depth) sign.hidden = true; });
    document.addEventListener("drop", (e) => {
      depth = 0;
      sign.hidden = true;
      if (!e.dataTransfer || !files(e)) return;
      e.preventDefault();
      if (e.dataTransfer.files.length) this.readFile(e.dataTransfer.files[0]);
      else this.read(e.dataTransfer.getData("text"));
    });
  }
}
