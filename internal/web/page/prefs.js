// What the user chose, kept in the browser.

const KEY = "carozero.prefs";

/** Storage that may be refused, as in private windows. `failed` is called where something could not be kept. */
export const store = {
  failed: () => {},
  /** What is kept, as JSON has it, or null. @param {"localStorage" | "sessionStorage"} area @param {string} key */
  get(area, key) {
    try { return JSON.parse(window[area].getItem(key) || "null"); } catch { return null; }
  },
  /** @param {"localStorage" | "sessionStorage"} area @param {string} key @param {unknown} value */
  set(area, key, value) {
    try { window[area].setItem(key, JSON.stringify(value)); } catch { this.failed(); }
  },
};

/** The preferences: read the fields, change them by set. */
export class Prefs {
  language = ""; theme = "auto"; numbers = true; coordinates = true; flipped = false;
  live = true; engine = "each"; visits = 400; nodes = 20000; lines = 5; show = "winrate"; book = false; author = "";
  byTime = 0; byDepth = 0; // seconds and depth of an analysis; 0: the playouts and nodes bound it
  sweepVisits = 50; sweep = true;
  level = "medium"; custom = "mcts"; playouts = 400; abnodes = 50000; seconds = 2; abdepth = 8; side = "B";
  opening = "empty"; pause = 0;
  rules = ""; size = 0; openRule = false;

  constructor() {
    const kept = store.get("localStorage", KEY) || {};
    for (const [name, value] of Object.entries(this)) {
      if (typeof kept[name] === typeof value) Object.assign(this, { [name]: kept[name] });
    }
    if (!["each", "mcts", "alphabeta"].includes(this.engine)) this.engine = "each";
    this.theme = ["auto", "light", "dark"].includes(this.theme) ? this.theme : "auto";
    this.apply();
  }

  /** @template {PrefName} K @param {K} name @param {Prefs[K]} value */
  set(name, value) {
    Object.assign(this, { [name]: value });
    store.set("localStorage", KEY, this);
    this.apply();
  }

  apply() {
    document.documentElement.dataset.theme = this.theme;
  }
}
