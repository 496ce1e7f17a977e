// What answers the page where no server does: two workers, one for each engine, behind what
// looks like fetch and like a WebSocket.

import { t } from "../page/i18n.js";

/**
 * The program: the address of the workers' script, and the compiled module.
 * @typedef {{script: string, module: WebAssembly.Module}} Program
 */
/**
 * What brings the program and networks by their names, and is told when the program is ready.
 * @typedef {{program: () => Promise<Program>, network: (name: string) => Promise<Uint8Array>, ready: () => void}} Bring
 */

const OPEN = 1, CLOSED = 3; // states of a WebSocket

/** The engine that is to see a message; alpha-beta also does what needs none. @param {{engine?: string}} message */
const engineOf = ({ engine }) => (engine === "mcts" || engine === "each" ? "mcts" : "alphabeta");

/** The engines, and the connection to them. They start when it is dialled, the tree search when it is first asked. */
export class Engines {
  readyState = 0;
  /** @type {Wire["onopen"]} */ onopen = null;
  /** @type {Wire["onmessage"]} */ onmessage = null;
  /** @type {Wire["onclose"]} */ onclose = null;
  /** @type {{[engine: string]: Worker}} */ workers = {};
  /** @type {Program | undefined} */ program;
  /** @type {Map<number, {asked: object, then: (answer: Response) => void}>} */ waiting = new Map(); // requests
  count = 0; // of requests

  /** @param {Config} config @param {Bring} bring */
  constructor(config, bring) {
    this.config = config;
    this.bring = bring;
  }

  /** Starts the engines, and returns the connection to them. @returns {Wire} */
  dial() {
    this.readyState = 0;
    this.bring.program().then((program) => {
      this.program = program;
      this.start("alphabeta");
    }, (error) => this.lost(error.message));
    return this;
  }

  /** @param {string} engine */
  start(engine) {
    const { script, module } = /** @type {Program} */ (this.program), worker = new Worker(script);
    this.workers[engine] = worker;
    const own = (/** @type {any} */ said) => { if (worker === this.workers[engine]) this.hear(worker, said); };
    worker.onmessage = ({ data }) => own(data);
    worker.onerror = (e) => own({ ended: e.message });
    worker.postMessage({ module });
    return worker;
  }

  /** @param {Worker} worker @param {any} said */
  async hear(worker, { ready, line, need, id, answer, ended }) {
    if (line) this.onmessage?.({ data: line });
    else if (ended !== undefined) this.lost(t("engineEnded", { why: ended }));
    else if (need) {
      const reply = await this.bring.network(need).then((bytes) => ({ bytes }), (e) => ({ error: e.message }));
      worker.postMessage({ network: need, ...reply });
    } else if (ready && worker === this.workers.alphabeta) {
      this.readyState = OPEN;
      this.onopen?.({});
      this.bring.ready();
      for (const request of this.waiting.values()) worker.postMessage({ request: request.asked });
    } else if (id) {
      const { status, type, headers, body } = answer;
      this.waiting.get(id)?.then(new Response(body, { status, headers: { "Content-Type": type, ...headers } }));
      this.waiting.delete(id);
    }
  }

  /** One engine ends, and all are started again by whoever holds the connection. @param {string} reason */
  lost(reason) {
    if (this.readyState === CLOSED) return;
    this.close();
    const failed = () => Response.json({ error: reason }, { status: 503 });
    for (const { then } of this.waiting.values()) then(failed());
    this.waiting.clear();
    this.onclose?.({ reason });
  }

  close() {
    this.readyState = CLOSED;
    for (const worker of Object.values(this.workers)) worker.terminate();
    this.workers = {};
  }

  /** @param {string} line */
  send(line) {
    const message = JSON.parse(line), engine = engineOf(message);
    const all = Object.values(this.workers), to = () => [this.workers[engine] || this.start(engine)];
    for (const worker of message.action === "terminate" ? all : to()) worker.postMessage({ line });
  }

  /** Answers a request as fetch does. @type {NonNullable<Served["ask"]>} */
  async ask(path, options = {}) {
    if (path === "api/config") return Response.json(this.config);
    if (!path.startsWith("api/")) return fetch(path, options);
    const { method = "GET", headers } = options, type = new Headers(headers).get("Content-Type") || "";
    const body = new Uint8Array(await new Response(options.body).arrayBuffer());
    const asked = { id: ++this.count, method, path, type, body };
    return new Promise((then) => {
      this.waiting.set(asked.id, { asked, then });
      if (this.readyState === OPEN) this.workers.alphabeta.postMessage({ request: asked });
    });
  }
}
