// What the server refuses.

import { refusalText } from "./i18n.js";

/** An error of the server: its text is for the user, its code and the path of the field at fault are for the page. */
export class Refusal extends Error {
  /** @param {{error?: string, code?: string, field?: string}} said */
  constructor({ error = "", code = "", field = "" }) {
    super(refusalText(code, error));
    this.code = code;
    this.field = field;
  }
}
