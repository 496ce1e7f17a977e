// Asks what the server has, and puts the parts of the page together.

import { Analysis } from "./analysis.js";
import { AnalysePanel, gaugeValue } from "./analysepanel.js";
import { App } from "./app.js";
import { addBook, Book } from "./book.js";
import { BookPanel } from "./bookpanel.js";
import { button, byId, cssPercent, el, openDialog } from "./dom.js";
import { Editor } from "./editor.js";
import { Exercise } from "./exercise.js";
import { Game } from "./game.js";
import { GraphPanel } from "./graph.js";
import { getJSON, sendBy } from "./http.js";
import { firstSpoken, inLanguage, language, LANGUAGES, speak, t, translatePage } from "./i18n.js";
import { bindings, colours, helpDialog, listen } from "./keys.js";
import { PreviewBar } from "./lines.js";
import { MoveList } from "./movelist.js";
import { answerMarks, noteMarks } from "./overlay.js";
import { askOpening, Play } from "./play.js";
import { PlayPanel, seats, statusText, ThinkBar, turnText } from "./playpanel.js";
import { Positions } from "./positions.js";
import { Prefs, store } from "./prefs.js";
import { Review } from "./review.js";
import { completePreview, Scene } from "./scene.js";
import { Share } from "./share.js";
import { Socket } from "./socket.js";
import { Sweep } from "./sweep.js";
import { VariantForm } from "./variantform.js";

const NOTICE = 6000;

let noticeTimer = 0;

/** Shows a line for some seconds. @type {Notice} */
function notice(text, action) {
  const box = byId("notice"), hide = () => { box.hidden = true; };
  box.replaceChildren(el("span", { text }), ...(action ? [button(action[0], "notice-action", () => { hide(); action[1](); })] : []),
    button("", "notice-close", hide, { class: "close", "aria-label": t("close") }));
  box.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(hide, NOTICE);
}

/** Tells screen readers. @param {string} text */
const say = (text) => { byId("live").textContent = text; };

/**
 * The line that tells of the connection: that it is lost; once it is back, whether the page is older than the program; and
 * what else keeps the engine away.
 * @param {() => void} retry @param {string} page the digest of what the page is made of
 */
function connection(retry, page) {
  const box = byId("connection"), text = el("span"), again = button(t("tryNow"), undefined, retry);
  box.append(text, again);
  let lost = false, stale = false;
  const outdated = (reload = () => location.reload()) => {
    box.hidden = false;
    text.textContent = t("updated");
    again.replaceWith(button(t("reloadPage"), "reload", reload));
    stale = true;
  };
  const compare = async () => {
    try { if ((await getJSON("api/config")).page !== page) outdated(); } catch { /* the next connection asks again */ }
  };
  const away = (/** @type {string} */ line) => {
    if (stale) return;
    box.hidden = !line;
    again.hidden = !lost;
    text.textContent = line;
  };
  /** @param {"open" | "lost"} state @param {number} seconds to the next try */
  const told = (state, seconds = 0) => {
    if (state === "open" && lost) compare();
    lost = state === "lost";
    document.body.dataset.connection = state;
    away(lost ? t("connectionLost", { n: Math.ceil(seconds) }) : "");
  };
  return { outdated, away, state: told };
}

/** A dialog for another board. @param {App} app */
function freshDialog(app) {
  if (!app.free()) return;
  const form = new VariantForm(app, "fresh"), ok = el("button", { type: "submit", class: "primary", text: t("putItUp"), "data-testid": "fresh-ok" });
  openDialog("fresh", t("newBoard"), el("form", { method: "dialog", on: { submit: () => app.load(new Game(form.value())) } }, form.element,
    el("div", { class: "actions" }, ok)));
}

/** Puts a balanced opening up in Analyse. @param {App} app */
async function putOpening(app) {
  if (app.view !== "analyse" || !app.free()) return;
  const game = new Game(app.game.variant);
  try {
    const was = app.game, moves = await askOpening(app, game);
    if (app.game !== was) return;
    for (const move of moves) game.play(move);
    app.load(game);
  } catch (e) { app.notice(e.message); }
}

/** The elements that a selector finds. @param {string} selector */
const all = (selector) => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(selector)]);

/** The button for the next language. The page is loaded anew in it, and takes up what it kept. @param {App} app */
function languages(app) {
  const tags = Object.keys(LANGUAGES), next = tags[(tags.indexOf(language()) + 1) % tags.length], { name } = LANGUAGES[next];
  const tool = byId("tool-language");
  tool.hidden = tags.length < 2;
  tool.append(el("span", { text: next.toUpperCase() }));
  Object.assign(tool, { lang: next, title: name });
  tool.addEventListener("click", () => {
    app.set("language", next);
    app.saveNow("replaceState");
    location.reload();
  });
}

/** The buttons at the top, as far as they do not what a key does. @param {App} app */
function tools(app) {
  for (const each of all("#views button")) each.addEventListener("click", () => app.show(/** @type {View} */ (each.dataset.view)));
  const draw = () => {
    byId("tool-numbers").setAttribute("aria-pressed", String(app.prefs.numbers));
    byId("tool-theme").setAttribute("aria-label", colours(app));
  };
  languages(app);
  byId("skip").addEventListener("click", (e) => { e.preventDefault(); app.focusBoard(); });
  app.on(draw, "prefs");
  draw();
}

/** What stands outside the panels: views, turn, status, gauge. @param {App} app @param {Play} play @param {Analysis} analysis */
function frame(app, play, analysis) {
  const views = all("#views button"), panels = all("aside .view"), gauge = byId("gauge"), [bar] = all("#gauge div");
  const draw = () => {
    document.body.dataset.view = app.view;
    for (const each of views) each.ariaCurrent = each.dataset.view === app.view ? "page" : null;
    for (const panel of panels) panel.hidden = !panel.dataset.for?.split(" ").includes(app.view);
    const { turn } = app.game.current, last = app.line().length - 1;
    byId("turn").textContent = `${turn} / ${last}`;
    for (const id of ["to-first", "to-back"]) byId(id).toggleAttribute("disabled", turn === 0);
    for (const id of ["to-next", "to-last"]) byId(id).toggleAttribute("disabled", turn === last);
    byId("status").textContent = statusText(app, play);
    document.title = [turnText(app, play), "CaroZero"].filter(Boolean).join(" · ");
    document.body.toggleAttribute("data-flipped", app.prefs.flipped);
    const value = gaugeValue(app, analysis);
    gauge.classList.toggle("known", value !== null);
    bar.style.height = cssPercent(value ?? 0.5);
  };
  app.on(draw);
  draw();
}

/** Puts the page up. @param {Served} served */
async function put({ ask, dial, watch }) {
  if (ask) sendBy(ask);
  const prefs = new Prefs();
  speak(firstSpoken([prefs.language, ...navigator.languages]));
  translatePage();
  /** @type {Config} */ const config = inLanguage(await getJSON("api/config"));
  const told = connection(() => socket.reconnectNow(), config.page), socket = new Socket(dial, { state: told.state, notice });
  if (watch) watch({ ...told, notice });
  store.failed = () => { store.failed = () => {}; notice(t("notKept")); };
  const app = new App({ prefs, config, socket, positions: new Positions(socket), say, notice });
  const play = new Play(app), analysis = new Analysis(app), book = new Book(app), sweep = new Sweep(app);
  app.parts = { play };
  app.restore();

  const editor = new Editor(app), exercise = new Exercise(app);
  const marks = () => {
    if (app.engineHidden) return null;
    if (app.view === "review") return noteMarks(app.game.current.notes, prefs.show);
    if (app.view !== "analyse" || !app.position || app.position.outcome) return null;
    return addBook(answerMarks(analysis.at()?.answer, prefs.show, prefs.lines), book.at());
  };
  const scene = new Scene(app, byId("board-place"), { marks, editor, input: () => play.input(), hint: () => play.hint && play.hint.move,
    play: (move) => { if (!exercise.tries(move)) play.move(move); } });
  app.focusBoard = () => scene.focus();
  const share = new Share(app);
  new GraphPanel(app, sweep, { exercise: () => exercise.start(), save: (format) => share.saveReview(format) });
  new MoveList(app, byId("view-moves"));
  new AnalysePanel(app, analysis, { opening: () => putOpening(app), fresh: () => freshDialog(app), edit: () => editor.begin() });
  if (config.book) new BookPanel(app, book, config.book);
  else byId("view-book").remove();
  const panel = new PlayPanel(app, play);
  byId("view-here").append(button(t("playFromHere"), "play-here", () => panel.fromHere(), { title: t("playFromHereAbout") }));
  seats(app, play);
  new ThinkBar(app, play);
  new PreviewBar(app, byId("preview"));
  new Review(app);
  let help = () => {};
  const list = bindings(app, { play, opening: () => putOpening(app), focusBoard: () => scene.focus(), help: () => help() });
  help = helpDialog(app, list);
  listen(app, list);
  tools(app);
  frame(app, play, analysis);
  app.on(() => completePreview(app), "preview");
  app.on(() => scene.draw());
  window.addEventListener("hashchange", (e) => app.followAddress(new URL(e.newURL).hash));
  window.addEventListener("pagehide", () => app.keep());
  play.takingUp(() => app.moved("game"));
  app.emit("view");
  document.body.dataset.ready = "true";
}

/** Puts the page up in front of what answers it. @param {Served} served */
export const begin = (served) => put(served).catch((e) => notice(t("reload", { problem: e.message })));
