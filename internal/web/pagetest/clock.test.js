import assert from "node:assert/strict";
import test from "node:test";
import { Clock, clockText } from "../page/clock.js";

test("only the side to move loses time, and gets the increment when it has moved", () => {
  const clock = new Clock({ minutes: 1, increment: 2 });
  clock.start("B", false, 0);
  assert.equal(clock.at("B", 10_000), 50_000);
  assert.equal(clock.at("W", 10_000), 60_000);
  clock.start("W", true, 10_000);
  assert.equal(clock.at("B", 99_000), 52_000);
  assert.equal(clock.at("W", 15_000), 55_000);
});

test("without a move there is no increment", () => {
  const clock = new Clock({ minutes: 1, increment: 2 });
  clock.start("B", false, 0);
  clock.start("W", false, 10_000);
  assert.equal(clock.at("B", 10_000), 50_000);
});

test("a side falls when its time is over, and no time is below nothing", () => {
  const clock = new Clock({ minutes: 1, increment: 0 });
  assert.equal(clock.fallen(1e9), "");
  clock.start("W", false, 0);
  assert.equal(clock.fallen(59_999), "");
  assert.equal(clock.fallen(60_000), "W");
  assert.equal(clock.at("W", 70_000), 0);
  clock.start("", false, 70_000);
  assert.equal(clock.fallen(1e9), "");
});

test("a clock that was kept goes on running while the page is closed", () => {
  const clock = new Clock({ minutes: 5, increment: 1 });
  clock.start("B", false, 1000);
  const again = new Clock(JSON.parse(JSON.stringify(clock)));
  assert.equal(again.at("B", 61_000), 240_000);
  again.start("W", true, 61_000);
  assert.equal(again.at("B", 61_000), 241_000);
});

test("times are read as on a clock, the last seconds with tenths", () => {
  const want = { 300000: "5:00", 299001: "5:00", 61000: "1:01", 10000: "0:10", 9999: "10.0", 9300: "9.3", 1: "0.1", 0: "0.0" };
  for (const [ms, text] of Object.entries(want)) assert.equal(clockText(Number(ms)), text);
});
