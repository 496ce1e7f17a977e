// A rule for ESLint: the page's modules hold no words for people, which are in messages/.
//
// Two things are words. Whatever goes to where people read or hear it, if it has two
// letters in a row: the texts and names of elements, notices, errors. And, wherever it
// stands, text of two words or with a capital, unless the document's own language is
// spoken there: classes, selectors, headers, names that are compared with.

const SINKS = new Set(["text", "title", "aria-label", "aria-valuetext", "placeholder", "alt", "textContent", "nodeValue", "innerText", "ariaLabel"]);
/** Functions whose first argument is for people. */
const TOLD = new Set(["notice", "say", "Error", "createTextNode", "setCustomValidity", "field", "segments", "alert", "confirm", "prompt"]);
const MACHINES = new Set(["class", "className", "style", "viewBox", "rel", "d", "transform"]);
const SELECTING = new Set(["all", "querySelector", "querySelectorAll", "closest", "matches", "setAttribute", "toggle", "add", "remove", "createElement", "createElementNS", "execCommand"]);

/** What is not translated: keys as events name them, formats, names of programs and cards, headers. */
const NAMES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Delete", "Escape", "Esc", "SGF", "SVG", "PNG",
  "CaroZero", "Onitama", "W", "B", "Infinity", "English", "Tiếng Việt", "POST", "Content-Type", "carozero serve runs/one games.sgf rows.jsonl"]);

const nameOf = (node) => (!node ? "" : node.type === "MemberExpression" ? nameOf(node.property) : String(node.name ?? node.value ?? ""));

/** Where a literal ends up: "sink", "machine" or "" for neither, as the nearest node around it says. */
function place(node) {
  for (let inner = node, at = node.parent; at; inner = at, at = at.parent) {
    if (at.type.endsWith("Statement") || at.type === "ClassBody" || at.type.startsWith("Import") || at.type === "ArrowFunctionExpression") return at.type.startsWith("Import") ? "machine" : "";
    if (at.type === "Property" || at.type === "PropertyDefinition") {
      if (at.key === inner) return "machine";
      if (SINKS.has(nameOf(at.key))) return "sink";
      if (MACHINES.has(nameOf(at.key))) return "machine";
    }
    if (at.type === "AssignmentExpression" && at.right === inner) {
      if (SINKS.has(nameOf(at.left))) return "sink";
      if (MACHINES.has(nameOf(at.left))) return "machine";
    }
    if (at.type === "BinaryExpression" && /^[=!]==$/.test(at.operator)) return "machine";
    if (at.type === "CallExpression" || at.type === "NewExpression") {
      const called = nameOf(at.callee);
      if (called === "t" || (called === "refusalText" && at.arguments[0] === inner) || ((called === "el" || called === "svg") && at.arguments[0] === inner)) return "machine";
      if (called === "setAttribute" && at.arguments[1] === inner && SINKS.has(nameOf(at.arguments[0]))) return "sink";
      if (SELECTING.has(called)) return "machine";
      if (TOLD.has(called) && at.arguments[0] === inner) return "sink";
    }
  }
  return "";
}

/** Whether a text has words for people, standing in a place. */
function hasWords(text, where) {
  const bare = text.trim();
  if (NAMES.has(bare) || where === "machine") return false;
  return where === "sink" ? /\p{L}{2}/u.test(bare) : /\p{L}\p{P}*\s+\p{L}{2}/u.test(bare) || /^\p{Lu}\p{Ll}/u.test(bare) || /\p{L}{2}[…!]/u.test(bare);
}

export const words = {
  meta: { type: "problem", messages: { words: "Words for people are in messages/: '{{text}}'. Use t() of i18n.js." }, schema: [] },
  create(context) {
    const look = (node, text) => { if (hasWords(text, place(node))) context.report({ node, messageId: "words", data: { text } }); };
    return {
      Literal(node) { if (typeof node.value === "string") look(node, node.value); },
      TemplateElement(node) { look(node.parent, node.value.cooked); },
    };
  },
};
