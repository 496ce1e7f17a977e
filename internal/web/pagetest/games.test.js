import assert from "node:assert/strict";
import test from "node:test";
import { config, newApp } from "./fakes.js";
import { Game } from "../page/game.js";
import { gameOfRules, hasCards, knowGames, oneSize, usualGame } from "../page/games.js";
import { fragment, parseFragment } from "../page/link.js";

test("what a game's board is the server says", () => {
  knowGames(config().games);
  assert.equal(usualGame().name, "gomoku");
  assert.deepEqual(["gomoku", "onitama", "mnk", "chess"].map(hasCards), [false, true, false, false]);
  assert.deepEqual(["gomoku", "onitama", "mnk", "chess"].map(oneSize), [false, true, true, false]);
  assert.deepEqual(["pente", "onitama", "three", "nonsense"].map((r) => gameOfRules(r).name), ["gomoku", "onitama", "mnk", "gomoku"]);
});

test("a third game is asked about by its name, and the usual one as ever", () => {
  knowGames(config().games);
  const game = new Game({ game: "mnk", rules: "three", size: 4 });
  game.play("b2");
  assert.deepEqual(game.fields(), { moves: ["b2"], rules: "three", game: "mnk" });
  assert.equal(new Game({ game: "gomoku", rules: "caro", size: 15 }).key(), '{"moves":[],"rules":"caro","boardXSize":15,"boardYSize":15}');
});

test("a link to a third game shows it again, and its sizes are its own", () => {
  knowGames(config().games);
  const game = new Game({ game: "mnk", rules: "three", size: 4 });
  game.play("b2");
  game.play("d4");
  assert.deepEqual(parseFragment("#" + fragment(game, "play")).game.variant, game.variant);
  assert.deepEqual(parseFragment("#v=three&m=b2").game.fields(), { moves: ["b2"], rules: "three", game: "mnk" });
  assert.throws(() => parseFragment("#v=three&s=15"), /s=15, want 4 to 4/);
});

test("what ends a third game is no five in a row", async () => {
  const { app } = await newApp();
  app.load(new Game({ game: "mnk", rules: "three", size: 4 }));
  assert.equal(app.outcomeText({ winner: "B", reason: "line" }), "Black wins: the line is complete.");
  assert.equal(app.outcomeText({ winner: "none", reason: "full" }), "Draw: the board is full.");
});

test("games that are no five in a row stand in one group of the form", async () => {
  const { app } = await newApp(), { VariantForm } = await import("../page/variantform.js");
  const groups = [...new VariantForm(app, "fresh").rules.querySelectorAll("optgroup")];
  assert.deepEqual(groups.map((g) => [g.label, [...g.querySelectorAll("option")].map((o) => o.value)]),
    [["Five in a row", ["gomoku/caro", "gomoku/freestyle", "gomoku/pente"]], ["Other games", ["onitama/onitama", "mnk/three"]]]);
});

test("a third game is chosen in the form, and is not taken for what the user likes", async () => {
  const { app } = await newApp();
  const { VariantForm } = await import("../page/variantform.js");
  const form = new VariantForm(app, "fresh");
  form.take({ game: "mnk", rules: "three", size: 4 });
  form.changed();
  assert.deepEqual([form.size.disabled, form.open.disabled, form.cards], [true, true, false]);
  assert.deepEqual(form.value(), { game: "mnk", rules: "three", size: 4, openRule: false });
  assert.ok(form.shows({ game: "mnk", rules: "three", size: 4 }));
  assert.ok(!form.shows(app.game.variant));
  assert.deepEqual(app.usual(), { game: "gomoku", rules: "caro", size: app.prefs.size || 15, openRule: app.prefs.openRule });
});
