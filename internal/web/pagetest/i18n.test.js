import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { cssPercent, hundredths, percent, short } from "../page/dom.js";
import { either, firstSpoken, inLanguage, kindNames, language, LANGUAGES, levelName, number, refusalText, speak, t, translatePage } from "../page/i18n.js";
import { openPage } from "./fakes.js";

const page = new URL("../page/", import.meta.url);
const read = (name) => readFileSync(new URL(name, page), "utf8");
const { en } = Object.fromEntries(Object.entries(LANGUAGES).map(([tag, { messages }]) => [tag, messages]));
const texts = (message) => (typeof message === "string" ? [message] : Object.values(message));
const placesOf = (message) => [...new Set(texts(message).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, place]) => place)))].sort();

/** Speaks a language for as long as a test runs. */
function speaking(context, tag) {
  speak(tag);
  context.after(() => speak("en"));
}

for (const [tag, { messages }] of Object.entries(LANGUAGES)) {
  test(`${tag} has every message, with the places and the plurals that it needs`, () => {
    assert.deepEqual(Object.keys(messages).filter((key) => !(key in en)), [], "messages that English has not");
    const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories.toSorted();
    for (const [key, english] of Object.entries(en)) {
      assert.ok(key in messages, `${key} is not translated`);
      const message = messages[key];
      for (const text of texts(message)) assert.ok(text.trim(), `${key} is empty`);
      assert.deepEqual(placesOf(message), placesOf(english), `the places of ${key}`);
      if (typeof message !== "string") assert.deepEqual(Object.keys(message).toSorted(), categories, `the plurals of ${key}`);
    }
  });
}

test("every message is used, and none is asked for that there is not", () => {
  const html = read("index.html");
  const inPage = [...html.matchAll(/data-(?:t|label|tip)="(\w+)"/g)].map(([, key]) => key);
  assert.deepEqual(inPage.filter((key) => !(key in en)), []);
  const sources = [".", "../site"].flatMap((dir) => readdirSync(new URL(dir, page)).filter((name) => /\.js(on)?$/.test(name)).map((name) => read(`${dir}/${name}`)));
  const used = new Set([...inPage, ...sources.flatMap((source) => [...source.matchAll(/"(\w+)"/g)].map(([, word]) => word))]);
  assert.deepEqual(Object.keys(en).filter((key) => !used.has(key)), []);
});

test("the page's own elements have no words but the program's name and what is read without it", () => {
  const html = read("index.html").replace(/<(title|noscript|p id="failed")[^]*?<\/(title|noscript|p)>/g, "");
  const shown = html.slice(html.indexOf("<body")).replace(/<svg.*?<\/svg>/gs, "");
  const words = shown.split(/<[^>]*>/).map((text) => text.trim()).filter((text) => /\p{L}/u.test(text));
  assert.deepEqual(words, ["CaroZero"]);
  assert.deepEqual(shown.match(/ (title|alt|placeholder|aria-label|aria-description)="[^"]*"/g), null);
});

test("the language is the first of the wanted ones that the page speaks", () => {
  for (const [wanted, want] of [[[], "en"], [["fr", "de-DE"], "en"], [["EN-gb", "fr"], "en"], [["", "vi-VN", "en"], "vi"], [["VI"], "vi"], [["constructor", "__proto__"], "en"]]) {
    assert.equal(firstSpoken(wanted), want, wanted.join());
  }
});

test("a message takes its values, and the text that its number asks for", () => {
  assert.equal(language(), "en");
  assert.equal(t("wins", { side: "{why}", why: "x" }), "{why} wins: x.");
  assert.equal(t("visitCount", { n: 1, count: "1" }), "1 visit");
  assert.equal(t("visitCount", { n: 2, count: "2" }), "2 visits");
  assert.equal(t("visitCount", { n: 1200, count: "1.2k" }), "1.2k visits");
  assert.equal(number(1234567), "1,234,567");
  assert.deepEqual([["a"], ["a", "b"]].map(either), ["a", "a or b"]);
});

test("the page's elements get their words, names and tips", (context) => {
  openPage();
  for (const [tag, { messages }] of Object.entries(LANGUAGES)) {
    speaking(context, tag);
    translatePage();
    const last = document.getElementById("to-last"), theme = document.getElementById("tool-theme");
    assert.equal(document.documentElement.lang, tag);
    assert.equal(document.getElementById("skip").textContent, messages.toBoard);
    assert.deepEqual([last.getAttribute("aria-label"), last.title], [messages.toEnd, `${messages.toEnd} (End)`]);
    assert.deepEqual([theme.getAttribute("aria-label"), theme.title], [null, `${messages.lightOrDark} (t)`]);
  }
});

test("in Vietnamese numbers have its separators, and the server's words are its own", (context) => {
  const config = { games: [{ name: "gomoku", rules: [{ name: "caro", title: "Caro", about: "Exactly five." }, { name: "other", title: "Other", about: "Else." }] }] };
  assert.equal(inLanguage(config), config);
  assert.deepEqual([refusalText("busy", "wait"), levelName("easy"), kindNames(["overline", "new"])], ["wait", "easy", "overline, new"]);
  speaking(context, "vi");
  assert.deepEqual([number(1234567.5), percent(0.5831), hundredths(0.5831), hundredths(0.5831, 1), short(1234), short(51234), cssPercent(0.5831)],
    ["1.234.567,5", "58,3%", "58", "58,3", "1,2k", "51k", "58.3%"]);
  assert.deepEqual([refusalText("busy", "wait"), refusalText("new", "wait"), refusalText(undefined, "wait")], [`${LANGUAGES.vi.server.codes.busy}.`, "wait", "wait"]);
  assert.deepEqual([levelName("easy"), levelName("other"), kindNames(["overline", "new"])], ["dễ", "other", "năm dài, new"]);
  const [caro, other] = inLanguage(config).games[0].rules;
  assert.match(caro.about, /Đúng năm quân/);
  assert.equal(other.about, "Else.");
  assert.equal(t("visitCount", { n: 1, count: "1" }), "1 lượt thăm");
});

test("every code of a refusal is translated, but that of a token, which the page words itself", () => {
  const { enum: codes } = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8")).components.schemas.Code;
  assert.deepEqual(Object.keys(LANGUAGES.vi.server.codes).toSorted(), codes.filter((code) => code !== "token").toSorted());
});
