// Elements. Text only ever becomes a text node, so that nothing that a file or
// a peer says is read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
    else if (name === "text") node.textContent = value;
    else if (name === "value" || name === "checked" || name === "selected" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== false));
  return node;
}

/** An HTML element: attributes, listeners in `on`, `text`, and children. */
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element, likewise. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** The element with the id. */
export const byId = (id) => document.getElementById(id);

/** A select of [value, label] pairs. */
export function select(props, options, chosen) {
  const node = el("select", props, ...options.map(([value, label]) => el("option", { value, text: label })));
  if (chosen !== undefined) node.value = chosen;
  return node;
}

/** A labelled control in a form. */
export function field(label, control, help) {
  return el("label", { class: "field" }, el("span", { class: "label", text: label }), control,
    help && el("small", { text: help }));
}

/**
 * A row of buttons of which one is pressed. Returns the element, with `value`
 * to read and `choose(value)` to set.
 */
export function segments(label, options, chosen, changed) {
  const node = el("div", { class: "segments", role: "group", "aria-label": label });
  const buttons = new Map();
  node.choose = (value) => {
    node.value = value;
    for (const [v, b] of buttons) b.setAttribute("aria-pressed", String(v === value));
  };
  for (const [value, text, title] of options) {
    const button = el("button", { type: "button", text, title, "data-value": value,
      on: { click: () => { node.choose(value); if (changed) changed(value); } } });
    buttons.set(value, button);
    node.append(button);
  }
  node.choose(chosen);
  return node;
}

/** 1234 as "1.2k". */
export function short(n) {
  if (n < 1000) return String(n);
  for (const [unit, by] of [["k", 1e3], ["M", 1e6], ["G", 1e9]]) {
    if (n < by * 999.5) return (n < by * 9.95 ? (n / by).toFixed(1).replace(/\.0$/, "") : Math.round(n / by)) + unit;
  }
  return n.toExponential(1);
}

/** 0.583 as "58.3%". */
export const percent = (p, digits = 1) => (100 * p).toFixed(digits) + "%";

/** Puts text onto the clipboard; false where the browser refuses. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "off", value: text, "aria-hidden": "true" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
