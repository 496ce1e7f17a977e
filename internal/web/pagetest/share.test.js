import assert from "node:assert/strict";
import test from "node:test";
import { Share } from "../page/share.js";
import { newApp, settled } from "./fakes.js";

const caro = { game: "gomoku", rules: "caro", size: 15 };
const byTest = (name) => document.querySelector(`[data-testid="${name}"]`);

/** The view Share; `imports` is what the server reads out of anything. */
async function sharing(imports = [], changes = {}) {
  const all = await newApp(changes), asked = [];
  globalThis.fetch = async (path, options) => {
    asked.push({ path, body: options.body });
    if (path === "api/export") return new Response("(;GM[4])");
    return imports.length ? Response.json({ games: imports }) : Response.json({ error: "this is no game" }, { status: 400 });
  };
  const share = new Share(all.app);
  all.app.view = "share";
  const read = async (body, name) => { await share.read(body, name); await settled(); };
  return { ...all, share, asked, read };
}

test("the link and the text are of the game that is shown", async () => {
  const { app } = await sharing();
  for (const m of ["h8", "i9"]) app.play(m);
  await settled();
  assert.equal(byTest("share-link").value, "http://localhost:8080/#v=caro&s=15&m=h8i9&view=analyse");
  assert.equal(byTest("share-text").value, "h8i9");
});

test("a plain game is exported as its moves, with the turn of a picture", async () => {
  const { app, share } = await sharing();
  for (const m of ["h8", "i9"]) app.play(m);
  app.seek(1);
  assert.deepEqual(share.message("sgf"), { format: "sgf", rules: "caro", boardXSize: 15, boardYSize: 15, moves: ["h8", "i9"], turnNumber: 1, numbers: true });
});

test("variations, comments, names and the opening rule are exported too", async () => {
  const { app, share } = await sharing(), { Game } = await import("../page/game.js");
  app.load(new Game({ ...caro, openRule: true }));
  app.play("h8");
  app.game.current.comment = "why?";
  app.seek(0);
  app.play("a1");
  Object.assign(app.game, { black: "A", result: "B+" });
  app.game.root.comment = "start";
  const message = share.message("sgf");
  assert.deepEqual([message.rules, message.openRule, message.black, message.result, message.comment], ["caro", true, "A", "B+", "start"]);
  assert.deepEqual(message.tree.map(({ parent, move, comment }) => [parent, move, comment]), [[-1, "h8", "why?"], [-1, "a1", undefined]]);
});

test("a list of moves is read as people write them", async () => {
  const { asked, read } = await sharing([{ ...caro, moves: ["h8", "i9"] }]);
  for (const text of ["1. h8 2. i9", "H8,I9", "(;GM[4];B[hh])"]) await read(text);
  assert.deepEqual(asked.filter(({ path }) => path.startsWith("api/import")).map(({ body }) => body), ["h8i9", "h8i9", "(;GM[4];B[hh])"]);
});

test("a game that is read is shown, where it can be looked at", async () => {
  const { app, asked, read, told } = await sharing([{ ...caro, moves: ["h8", "i9"], title: "Final" }]);
  app.view = "play";
  await read("h8i9");
  assert.match(asked[0].path, /^api\/import\?game=gomoku&rules=caro&size=15$/);
  assert.equal(app.game.title, "Final");
  assert.equal(app.game.current.turn, 2);
  assert.equal(app.view, "analyse");
  assert.ok(told.said.includes("Game read, 2 moves."));
});

test("rules that nobody knows are told, beside those that were taken", async () => {
  const { read, told } = await sharing([{ ...caro, moves: ["h8"], unknownRules: "Pente" }, { ...caro, moves: ["a1"] }]);
  await read("games");
  assert.deepEqual(told.notices, ["The game calls its rules “Pente”, which is none of the rule sets here: it is shown as caro."]);
  document.querySelectorAll("#view-share .games button")[1].click();
  assert.equal(told.notices.length, 1);
});

test("what is read beside a third game may be of that game, beside cards of any", async () => {
  const { app, asked, read } = await sharing([{ ...caro, moves: ["h8"] }]), { Game } = await import("../page/game.js");
  app.load(new Game({ game: "mnk", rules: "three", size: 4 }));
  await read("b2a1");
  app.load(new Game({ game: "onitama", initialPosition: "Boar,Cobra/Crab,Crane/Dragon" }));
  await read("h8i9");
  assert.deepEqual(asked.map((a) => a.path), ["api/import?game=mnk&rules=three&size=4", "api/import?"]);
});

test("of several games the first is shown, the others can be chosen", async () => {
  const { app, read, share } = await sharing([{ ...caro, moves: ["h8"], title: "One" }, { ...caro, moves: ["a1"], black: "A", white: "B" }]);
  await read("games");
  const list = [...document.querySelectorAll("#view-share .games button")];
  assert.deepEqual(list.map((b) => b.querySelector(".what").textContent), ["One", "A – B"]);
  list[1].click();
  assert.equal(app.game.current.move, "a1");
  assert.equal(document.querySelector("#view-share").firstElementChild, share.found);
  app.view = "analyse";
  await read("x");
  assert.equal(app.view, "share");
});

test("what cannot be read is told, and the game stays", async () => {
  const { app, read, told } = await sharing();
  app.play("h8");
  await read("garbage");
  await read("   ");
  assert.deepEqual(told.notices, ["this is no game", "There is nothing to read: paste a game or a position first."]);
  assert.equal(app.game.current.move, "h8");
});

test("a link of a page like this one is followed, and nobody is asked", async () => {
  const { asked, read } = await sharing();
  await read("http://other:1234/board/#v=caro&s=9&m=e5&view=play");
  assert.equal(location.hash, "#v=caro&s=9&m=e5&view=play");
  assert.equal(asked.length, 0);
});

test("while a game is played nothing is read in its place", async () => {
  const { app, read, asked } = await sharing([{ ...caro, moves: [] }]);
  app.locked = () => true;
  await read("h8");
  assert.equal(asked.length, 0);
});

test("a file that is too large is not sent", async () => {
  const { share, asked, told } = await sharing();
  await share.readFile({ name: "big.sgf", size: (4 << 20) + 1 });
  assert.deepEqual(told.notices, ["big.sgf has more than 4 MiB."]);
  assert.equal(asked.length, 0);
});

test("games of cards are shared as text", async () => {
  const { app, share, asked, pass } = await sharing(), { Game } = await import("../page/game.js");
  const shows = async (initialPosition) => {
    app.load(new Game({ game: "onitama", initialPosition }));
    await settled();
    pass(200);
    await settled();
    return share.sgf.value;
  };
  assert.equal(await shows("Crab,Crane/Boar,Cobra/Dragon"), "(;GM[4])");
  assert.deepEqual([JSON.parse(asked.at(-1).body).format, share.files.stones.hidden, share.files.cards.hidden, share.recordName.textContent], ["text", true, false, "Text"]);
  app.load(new Game(caro));
  await settled();
  assert.deepEqual([share.files.stones.hidden, share.files.cards.hidden, share.recordName.textContent], [false, true, "SGF"]);
});
