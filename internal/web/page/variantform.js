// The choice of a game, its rules and its size.

import { deal } from "./cardboard.js";
import { button, el, field, select } from "./dom.js";
import { t } from "./i18n.js";
import { explain } from "./lessons.js";
import { gameInfo, hasCards, oneSize, usualGame } from "./games.js";

export class VariantForm {
  onchange = () => {}; // called when the user has chosen something else

  constructor(/** @type {App} */ app, /** @type {string} */ name) {
    this.app = app;
    const { games } = app.config, others = games.filter((g) => g !== usualGame());
    /** @param {string} label @param {GameInfo[]} of */
    const group = (label, of) => el("optgroup", { label },
      ...of.flatMap(({ name: game, rules }) => rules.map((r) => el("option", { value: `${game}/${r.name}`, text: r.title }))));
    const groups = [group(t("fiveInARow"), games.filter((g) => !others.includes(g))), ...(others.length ? [group(t("otherGames"), others)] : [])];
    this.rules = el("select", { "data-testid": `${name}-rules`, on: { change: () => this.changed() } }, ...groups);
    const [least, most] = usualGame()?.sizes || [15, 15];
    this.size = select({ "data-testid": `${name}-size`, on: { change: () => this.changed() } },
      Array.from({ length: most - least + 1 }, (_, i) => [String(least + i), `${least + i} × ${least + i}`]));
    this.open = el("input", { type: "checkbox", on: { change: () => this.changed() } });
    this.about = el("span");
    const why = button(t("rulesExplained"), `${name}-explain`, () => explain(app, this.chosen[0], this.chosen[1]), { class: "quiet" });
    this.openRule = el("label", { class: "check" }, this.open, el("span", { text: t("openRule") }));
    this.element = el("div", { class: "variant" }, el("div", { class: "pair" }, field(t("rules"), this.rules), field(t("size"), this.size)),
      el("p", { class: "about" }, this.about, " ", why), this.openRule);
    this.take(app.game.variant);
  }

  /** Shows a variant. @param {Variant} v */
  take(v) {
    this.rules.value = `${v.game}/${v.rules}`;
    if (!oneSize(v.game)) this.size.value = String(v.size);
    this.open.checked = Boolean(v.openRule);
    this.draw();
  }

  changed() {
    const { app } = this;
    if (this.usual) {
      app.prefs.set("rules", this.rules.value.split("/")[1]);
      app.prefs.set("size", Number(this.size.value));
      app.prefs.set("openRule", this.open.checked);
    }
    this.draw();
    this.onchange();
  }

  /** Whether a variant is the one that is chosen. @param {Variant} v */
  shows(v) {
    if (this.rules.value !== `${v.game}/${v.rules}`) return false;
    return oneSize(v.game) || this.size.value === String(v.size) && this.open.checked === Boolean(v.openRule);
  }

  /** The game and the rule set that are chosen. */
  get chosen() { return this.rules.value.split("/"); }

  get cards() { return hasCards(this.chosen[0]); }

  get usual() { return gameInfo(this.chosen[0]) === usualGame(); }

  draw() {
    const rule = this.app.rule(this.rules.value.split("/")[1]);
    this.about.textContent = rule.about;
    this.size.disabled = oneSize(this.chosen[0]);
    this.open.disabled = !this.usual;
    this.openRule.classList.toggle("hidden", !this.usual);
  }

  /** The variant that is chosen; cards are dealt anew each time. @returns {Partial<Variant>} */
  value() {
    const [game, rules] = this.chosen, info = gameInfo(game);
    if (this.cards) return { game, initialPosition: deal(game) };
    return { game, rules, size: info && oneSize(game) ? info.defaultSize : Number(this.size.value), openRule: this.usual && this.open.checked };
  }
}
