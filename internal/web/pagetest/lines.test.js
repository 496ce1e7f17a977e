import assert from "node:assert/strict";
import test from "node:test";
import { lineButtons, PreviewBar } from "../page/lines.js";
import { newApp } from "./fakes.js";

async function lined() {
  const { app } = await newApp(), place = document.getElementById("preview");
  app.play("h8");
  new PreviewBar(app, place);
  const list = lineButtons(app, "Alpha-beta", ["i9", "j10", "k11"], "classical"), buttons = [...list.querySelectorAll("button")];
  const points = (node, type) => node.dispatchEvent(new window.Event(type));
  return { app, place, list, buttons, points };
}

test("pointing at a move shows the line up to it, pointing elsewhere hides it", async () => {
  const { app, list, buttons, points } = await lined();
  assert.equal(buttons[1].getAttribute("aria-label"), "Alpha-beta, 2: j10");
  points(buttons[1], "pointerenter");
  assert.deepEqual([app.preview.at, app.preview.pinned, app.preview.base], [2, false, app.game.current]);
  points(list, "pointerleave");
  assert.equal(app.preview, null);
});

test("a click holds the line, which can be stepped through and left", async () => {
  const { app, place, list, buttons, points } = await lined(), press = (name) => place.querySelector(`[data-testid="preview-${name}"]`).click();
  buttons[1].click();
  points(buttons[0], "pointerenter");
  points(list, "pointerleave");
  assert.deepEqual([app.preview.at, app.preview.pinned], [2, true]);
  assert.equal(place.querySelector("output").textContent, "2 / 3");
  press("next");
  press("next");
  assert.equal(app.preview.at, 3);
  press("back");
  assert.equal(place.querySelector("output").textContent, "2 / 3");
  assert.ok(place.classList.contains("shown") && !place.inert);
  press("close");
  assert.equal(app.preview, null);
  assert.ok(!place.classList.contains("shown") && place.inert);
});

test("a line is played as far as it is shown", async () => {
  const { app, place, buttons } = await lined();
  buttons[1].click();
  place.querySelector('[data-testid="preview-play"]').click();
  assert.deepEqual(app.game.current.moves(), ["h8", "i9", "j10"]);
});
