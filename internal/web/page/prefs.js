// What the user chose, kept in the browser.

const KEY = "carozero.prefs";

const DEFAULTS = {
  theme: "auto", numbers: true, coordinates: true, sound: false,
  live: true, engine: "both", visits: 400, nodes: 20000, lines: 5, show: "winrate",
  sweepVisits: 50, sweep: true,
  level: "medium", custom: "mcts", playouts: 400, abnodes: 50000, seconds: 2, side: "B",
  opening: "empty", clock: "off", minutes: 5, increment: 3,
  rules: "", size: 0, openRule: false,
};

/** Storage that may be refused, as in private windows. */
export const store = {
  get(area, key) {
    try { return JSON.parse(window[area].getItem(key)); } catch { return null; }
  },
  set(area, key, value) {
    try { window[area].setItem(key, JSON.stringify(value)); } catch { /* full or refused: nothing is kept */ }
  },
};

/** The preferences: read the fields, change them by set. */
export class Prefs {
  constructor() {
    Object.assign(this, DEFAULTS);
    const kept = store.get("localStorage", KEY) || {};
    for (const [name, value] of Object.entries(DEFAULTS)) {
      if (typeof kept[name] === typeof value) this[name] = kept[name];
    }
    this.theme = ["auto", "light", "dark"].includes(this.theme) ? this.theme : "auto";
    this.apply();
  }

  set(name, value) {
    this[name] = value;
    store.set("localStorage", KEY, Object.fromEntries(Object.keys(DEFAULTS).map((k) => [k, this[k]])));
    this.apply();
  }

  apply() {
    document.documentElement.dataset.theme = this.theme;
  }
}
