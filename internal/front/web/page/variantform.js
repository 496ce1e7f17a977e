// The choice of a game, its rules and its size.

import { el, field, select } from "./dom.js";

/** A random order of a list. @param {string[]} list */
function shuffled(list) {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

// The names of Onitama's cards; what they do the server tells.
const DECK = ["Boar", "Cobra", "Crab", "Crane", "Dragon", "Eel", "Elephant", "Frog", "Goose", "Horse", "Mantis", "Monkey", "Ox", "Rabbit", "Rooster", "Tiger"];

/** A deal of Onitama: five of the cards at random. */
function deal() {
  const five = shuffled(DECK).slice(0, 5);
  return `${five[0]},${five[1]}/${five[2]},${five[3]}/${five[4]}`;
}

export class VariantForm {
  onchange = () => {}; // called when the user has chosen something else

  /** @param {App} app @param {string} name */
  constructor(app, name) {
    this.app = app;
    const groups = app.config.games.map((g) => el("optgroup", { label: g.name === "gomoku" ? "Five in a row" : "Other games" },
      ...g.rules.map((r) => el("option", { value: `${g.name}/${g.name === "onitama" ? "onitama" : r.name}`, text: r.title }))));
    this.rules = el("select", { "data-testid": `${name}-rules`, on: { change: () => this.changed() } }, ...groups);
    const [least, most] = app.sizes;
    this.size = select({ "data-testid": `${name}-size`, on: { change: () => this.changed() } },
      Array.from({ length: most - least + 1 }, (_, i) => [String(least + i), `${least + i} × ${least + i}`]));
    this.open = el("input", { type: "checkbox", on: { change: () => this.changed() } });
    this.about = el("p", { class: "about" });
    this.openRule = el("label", { class: "check" }, this.open, el("span", { text: "Third stone at least three away from the first" }));
    this.element = el("div", { class: "variant" }, el("div", { class: "pair" }, field("Rules", this.rules), field("Size", this.size)), this.about, this.openRule);
    this.take(app.game.variant);
  }

  /** Shows a variant. @param {Variant} v */
  take(v) {
    this.rules.value = `${v.game}/${v.rules}`;
    if (v.game !== "onitama") this.size.value = String(v.size);
    this.open.checked = Boolean(v.openRule);
    this.draw();
  }

  changed() {
    const { app } = this;
    if (!this.onitama) {
      app.prefs.set("rules", this.rules.value.split("/")[1]);
      app.prefs.set("size", Number(this.size.value));
      app.prefs.set("openRule", this.open.checked);
    }
    this.draw();
    this.onchange();
  }

  /** Whether a variant is the one that is chosen. @param {Variant} v */
  shows(v) {
    if (this.onitama || v.game === "onitama") return this.onitama && v.game === "onitama";
    return this.rules.value === `${v.game}/${v.rules}` && this.size.value === String(v.size) && this.open.checked === Boolean(v.openRule);
  }

  get onitama() { return this.rules.value === "onitama/onitama"; }

  draw() {
    const rule = this.app.rule(this.rules.value.split("/")[1]);
    this.about.textContent = rule.about;
    this.size.disabled = this.open.disabled = this.onitama;
    this.openRule.classList.toggle("hidden", this.onitama);
  }

  /** The variant that is chosen; Onitama's cards are dealt anew each time. @returns {Partial<Variant>} */
  value() {
    if (this.onitama) return { game: "onitama", initialPosition: deal() };
    return { game: "gomoku", rules: this.rules.value.split("/")[1], size: Number(this.size.value), openRule: this.open.checked };
  }
}
