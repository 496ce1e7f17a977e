// What the server refuses.

/** An error of the server: its text is for the user, its code and the path of the field at fault are for the page. */
export class Refusal extends Error {
  /** @param {{error?: string, code?: string, field?: string}} said */
  constructor({ error = "", code = "", field = "" }) {
    super(error);
    this.code = code;
    this.field = field;
  }
}
