import assert from "node:assert/strict";
import test from "node:test";
import { Prefs, store } from "../page/prefs.js";
import { openPage } from "./fakes.js";

test("what the user chose is kept, and holds after a reload", () => {
  openPage();
  const prefs = new Prefs();
  assert.equal(prefs.visits, 400);
  prefs.set("visits", 1600);
  prefs.set("theme", "dark");
  const again = new Prefs();
  assert.deepEqual({ ...again }, { ...prefs });
  assert.equal(again.visits, 1600);
  assert.equal(document.documentElement.dataset.theme, "dark");
});

test("what is kept of another kind, or is no preference, is passed over", () => {
  openPage();
  store.set("localStorage", "carozero.prefs", { visits: "many", numbers: false, theme: "pink", engine: "abacus", apply: "x", unknown: 1 });
  const prefs = new Prefs();
  assert.equal(prefs.visits, 400);
  assert.equal(prefs.numbers, false);
  assert.equal(prefs.theme, "auto");
  assert.equal(prefs.engine, "each");
  assert.equal(typeof prefs.apply, "function");
  assert.equal("unknown" in prefs, false);
});

test("a browser that keeps nothing, or something broken, is no hindrance", () => {
  const window = openPage();
  window.localStorage.setItem("carozero.prefs", "{broken");
  assert.equal(new Prefs().visits, 400);
  Object.defineProperty(window, "localStorage", { get() { throw new Error("refused"); } });
  const prefs = new Prefs();
  let failed = 0;
  store.failed = () => { failed++; };
  prefs.set("visits", 50);
  store.failed = () => {};
  assert.deepEqual([prefs.visits, failed], [50, 1]);
});
