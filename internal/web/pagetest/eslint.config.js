// The rules for the page's JavaScript and for its tests.

import js from "@eslint/js";
import globals from "globals";
import { words } from "./words.js";

export default [
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "no-shadow": "error",
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-implicit-globals": "error",
      "no-template-curly-in-string": "error",
      "no-promise-executor-return": "error",
      "no-unmodified-loop-condition": "error",
      "no-self-compare": "error",
      "no-constructor-return": "error",
      "require-atomic-updates": "error",
      "array-callback-return": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
    },
  },
  {
    files: ["page/**", "site/**"],
    languageOptions: { globals: { ...globals.browser, site: "readonly" } },
    rules: {
      "no-restricted-properties": ["error",
        { property: "innerHTML", message: "Text of files and peers must not be read as markup: use el() of dom.js." },
        { property: "outerHTML", message: "Text of files and peers must not be read as markup: use el() of dom.js." },
        { property: "insertAdjacentHTML", message: "Text of files and peers must not be read as markup: use el() of dom.js." }],
    },
  },
  { files: ["page/**", "site/**"], ignores: ["page/messages/**"], plugins: { page: { rules: { words } } }, rules: { "page/words": "error" } },
  { files: ["pagetest/**"], languageOptions: { globals: { ...globals.node, ...globals.browser } } },
];
