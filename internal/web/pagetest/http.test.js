import assert from "node:assert/strict";
import test from "node:test";
import { exportGame, getJSON } from "../page/http.js";

/** Has the server answer in a way. @param {Response} response */
const server = (response) => { globalThis.fetch = async () => response; };

test("a refusal has the server's line, with the code and the field for the page", async () => {
  server(Response.json({ error: "move 2: no legal move", code: "illegal", field: "moves[1]" }, { status: 400 }));
  await assert.rejects(exportGame({}), (e) => e.message === "move 2: no legal move" && e.code === "illegal" && e.field === "moves[1]");
});

test("the code of a missing token, not the status, tells the user where the link is", async () => {
  server(Response.json({ error: "no", code: "token" }, { status: 401 }));
  await assert.rejects(getJSON("x"), (e) => /open the link that the program has printed/.test(e.message) && e.code === "token");
  server(new Response("<html>proxy</html>", { status: 401, statusText: "Unauthorized" }));
  await assert.rejects(getJSON("x"), (e) => e.message === "The server answers 401 Unauthorized" && e.code === "");
});

test("a server that is not there is told of", async () => {
  globalThis.fetch = async () => { throw new TypeError("failed"); };
  await assert.rejects(getJSON("x"), /cannot be reached/);
});
