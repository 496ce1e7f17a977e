// Requests to the server beside the socket, by paths relative to the page's own, or to what
// answers in its place. A refusal becomes an Error with the server's one line.

import { refusalText, t } from "./i18n.js";

/** An error of the server: its text is for the user, its code and the path of the field at fault are for the page. */
export class Refusal extends Error {
  /** @param {{error?: string, code?: string, field?: string}} said */
  constructor({ error = "", code = "", field = "" }) {
    super(refusalText(code, error));
    this.code = code;
    this.field = field;
  }
}

async function refusal(/** @type {Response} */ response) {
  /** @type {{error?: string, code?: string, field?: string}} */ let said = {};
  try { said = await response.json(); } catch { /* no JSON: the status has to do */ }
  if (said.code === "token") said.error = t("needsToken");
  return new Refusal({ ...said, error: said.error || t("serverAnswers", { status: `${response.status} ${response.statusText}` }) });
}

/** What sends requests. @type {NonNullable<Served["ask"]>} */
let send = (path, options) => fetch(path, options);

/** Has requests sent by something else, as by what answers in place of a server. @param {NonNullable<Served["ask"]>} other */
export const sendBy = (other) => { send = other; };

/** @param {string} path @param {RequestInit} [options] */
async function ask(path, options) {
  let response;
  try {
    response = await send(path, options);
  } catch {
    throw new Error(t("unreachable"));
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** The JSON that GET answers with. @param {string} path */
export const getJSON = async (path) => (await ask(path)).json();

/** The games in a file's bytes or a text. @returns {Promise<GameData[]>} */
export async function importGames(/** @type {string | ArrayBuffer} */ body, { game = "", rules = "", size = 0 } = {}) {
  const query = new URLSearchParams();
  if (game) query.set("game", game);
  if (rules) query.set("rules", rules);
  if (size) query.set("size", String(size));
  const response = await ask(`api/import?${query}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body });
  return (await response.json()).games;
}

/** @param {string} path @param {object} message */
const post = (path, message) => ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) });

/** Sets the label and the comment of a game's last position in the book. @param {object} message */
export const annotateBook = (message) => post("api/book", message);

/** A game in a format, as a Blob. @param {object} message */
export const exportGame = async (message) => (await post("api/export", message)).blob();
