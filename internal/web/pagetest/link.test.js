import assert from "node:assert/strict";
import test from "node:test";
import { Game } from "../page/game.js";
import { fragment, parseFragment } from "../page/link.js";
import { config } from "./fakes.js";
import { knowGames } from "../page/games.js";

knowGames(config().games);

const back = (game, view = "analyse") => parseFragment("#" + fragment(game, view));

test("a link shows the same game at the same turn in the same view", () => {
  const game = new Game({ game: "gomoku", rules: "caro", size: 15, openRule: true });
  for (const m of ["h8", "i9", "j10"]) game.play(m);
  game.seek(1);
  const { game: again, view } = back(game, "review");
  assert.equal(view, "review");
  assert.equal(again.key(), game.key());
  assert.deepEqual(again.line().map((n) => n.move), ["", "h8", "i9", "j10"]);
});

test("a link has the stones, the captures and the player of a position", () => {
  const game = new Game({ game: "gomoku", rules: "pente", size: 19, initialStones: [["B", "a1"], ["W", "b2"], ["W", "t19"]], initialPlayer: "W", captured: [4, 2] });
  assert.deepEqual(back(game).game.fields(), game.fields());
});

test("a link has the cards and the moves of Onitama", () => {
  const game = new Game({ game: "onitama", initialPosition: "Boar,Cobra/Crab,Crane/Dragon" });
  game.play("crab a1a2");
  game.play("boar");
  assert.deepEqual(back(game).game.fields(), game.fields());
});

test("an address that says nothing of a game leaves it", () => {
  assert.deepEqual(parseFragment(""), { game: null, view: null });
  assert.deepEqual(parseFragment("#view=share"), { game: null, view: "share" });
  assert.deepEqual(parseFragment("#view=elsewhere"), { game: null, view: null });
});

test("a link to a board that there cannot be says what is wrong", () => {
  for (const s of ["4", "23", "15.5", "x", "-15"]) assert.throws(() => parseFragment(`#v=caro&s=${s}`), /size of a board: s=.*5 to 22/);
  assert.throws(() => parseFragment("#v=onitama"), /no cards/);
});

test("a stranger's garbage in a link is refused as a whole, with the field that has it", () => {
  for (const [field, text] of [["m", "h8<script>"], ["m", "h8i9j"], ["m", "%%%"], ["b", "zz9"], ["w", "h8 i9"], ["m", "h".repeat(100000)]]) {
    assert.throws(() => parseFragment(`#v=caro&${field}=${encodeURIComponent(text)}`), (e) => e.message.startsWith(`This link is damaged: ${field}=`) && e.message.length < 90, `${field}=${text.slice(0, 20)}`);
  }
});

test("what is no turn is the end of the game", () => {
  for (const turn of ["", "x", "-1", "99999"]) assert.equal(parseFragment(`#v=caro&m=h8i9&turn=${turn}`).game.current.turn, 2);
  assert.equal(parseFragment("#v=caro&m=h8i9&turn=0").game.current.turn, 0);
});

test("a link to a position that was set up is found again in the game that it is of", () => {
  const game = new Game({ game: "gomoku", rules: "caro", size: 15, initialStones: [["B", "a1"], ["W", "b1"], ["B", "c1"], ["W", "d1"]] });
  game.play("h8");
  const at = game.nodeOf(back(game).game);
  assert.equal(at, game.current);
});
