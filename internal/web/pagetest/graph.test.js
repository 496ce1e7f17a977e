import assert from "node:assert/strict";
import test from "node:test";
import { Graph } from "../page/graph.js";
import { openPage } from "./fakes.js";

function drawn(turns, turn, ...marked) {
  openPage();
  const sought = [], graph = new Graph((to) => sought.push(to));
  graph.element.getBoundingClientRect = () => ({ left: 100, width: 212 });
  graph.draw(turns, turn, ...marked);
  return { graph, sought, d: (name) => graph.element.querySelector(`path.${name}`).getAttribute("d") };
}

const rates = (...list) => list.map((mcts) => ({ mcts }));
const key = (graph, name) => graph.element.dispatchEvent(new window.KeyboardEvent("keydown", { key: name, bubbles: true }));

test("screen readers hear the turn and Black's chances", () => {
  const { graph } = drawn(rates(0.5, 0.6, undefined), 1);
  assert.deepEqual(["aria-valuemax", "aria-valuenow", "aria-valuetext"].map((n) => graph.element.getAttribute(n)), ["2", "1", "turn 1 of 2, Black 60.0%"]);
  graph.draw(rates(0.5, 0.6, undefined), 2);
  assert.equal(graph.element.getAttribute("aria-valuetext"), "turn 2 of 2");
});

test("Black's chances go from bottom to top, turns from left to right", () => {
  const { d } = drawn(rates(0, 1, 0.5), 0);
  assert.deepEqual([d("line.tree"), d("area")], ["M0 100.0L1 0.0L2 50.0", "M0 100L0 100.0L1 0.0L2 50.0V100Z"]);
});

test("where values are missing the curve has a gap, a value alone is a dot", () => {
  const { d } = drawn(rates(0.5, 0.5, undefined, 0.5, undefined, 0.5, 0.5), 0);
  assert.equal(d("line.tree"), "M0 50.0L1 50.0M3 50.0M5 50.0L6 50.0");
  assert.equal(d("dot.tree"), "M3 50.0h0");
});

test("each engine has its curve, mistakes and differences their marks", () => {
  const { d } = drawn([{ mcts: 0.5, alphabeta: 0.6 }, { mcts: 0.5, alphabeta: 0.4 }], 0, [1], [0, 1]);
  assert.deepEqual(["line.tree", "line.classical", "bad", "differ"].map(d), ["M0 50.0L1 50.0", "M0 40.0L1 60.0", "M1 50.0h0", "M0 106v-8M1 106v-8"]);
});

test("keys go through the turns, not beyond the ends", () => {
  const { graph, sought } = drawn(rates(...Array(30).fill(0.5)), 5);
  for (const name of ["ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "x"]) key(graph, name);
  assert.deepEqual(sought, [4, 6, 15, 0, 0, 29]);
});

test("a click goes to the turn below it", () => {
  const { graph, sought } = drawn(rates(0.5, 0.5, 0.5, 0.5, 0.5), 0);
  for (const x of [106, 130, 135, 206, 400, 0]) graph.point({ clientX: x });
  assert.deepEqual(sought, [0, 0, 1, 2, 4, 0]);
  graph.draw(rates(0.5), 0);
  graph.point({ clientX: 206 });
  assert.equal(sought.length, 6);
});

test("the turn that is pointed at is told with its value", () => {
  const { graph } = drawn(rates(0.5, 0.6, undefined), 0);
  graph.element.dispatchEvent(new window.PointerEvent("pointermove", { clientX: 205, buttons: 0 }));
  assert.equal(graph.tip.textContent, "turn 1 of 2, Black 60.0%");
  graph.element.dispatchEvent(new window.PointerEvent("pointerleave"));
  assert.equal(graph.tip.textContent, "");
});
