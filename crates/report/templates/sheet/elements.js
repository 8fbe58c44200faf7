// Elements, and what every page shows alike. Every text is set as text, never as mark-up.

const $ = (id) => document.getElementById(id);

// An element with attributes and children; a child that is a string becomes text.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function button(words, press, attributes = {}, key = "") {
  const made = el("button", { type: "button", ...attributes });
  if (key !== "") made.append(el("kbd", { "aria-hidden": "true" }, key), " ");
  made.append(el("span", {}, words));
  made.addEventListener("click", press);
  return made;
}

// Someone's text as a block: its own direction, every hidden character shown.
function textBlock(text, className = "text") {
  const block = el("div", { class: className, dir: "auto" });
  fillWithText(block, text);
  return block;
}

const ROLE_WORDS = { user: "User", assistant: "Answer", system: "Instructions", developer: "Instructions", tool: "Tool" };

// Turns as blocks; returns the leaves of their texts, counted in the texts joined by line feeds.
function fillWithTurns(element, turns, spans = []) {
  const leaves = [];
  let base = 0;
  const blocks = turns.map((turn) => {
    const text = el("div", { class: "text", dir: "auto" });
    leaves.push(...fillWithText(text, turn.text, base, spans));
    base += turn.text.length + 1;
    const role = turns.length > 1 || turn.role !== "assistant" ? el("h3", { class: "role" }, ROLE_WORDS[turn.role] || visibleLine(turn.role)) : null;
    return el("div", { class: "turn" }, ...(role ? [role] : []), text);
  });
  if (turns.length === 0) blocks.push(el("p", { class: "soft" }, "There is no text here."));
  element.replaceChildren(...blocks);
  return leaves;
}

// The levels of a scale, or null for yes or no, each with the digit that chooses it: its value where all values are digits, else
// its place.
function levelsOf(card) {
  const levels = card.scale.levels;
  if (!levels) return null;
  const areDigits = levels.every(({ value }) => Number.isInteger(value) && value >= 0 && value <= 9);
  return levels.map((level, place) => ({ ...level, digit: areDigits ? String(level.value) : place < 10 ? String((place + 1) % 10) : "" }));
}

// What the rubric says about a criterion, beside the question itself.
function rubricText(card) {
  const parts = [["Meets it", card.pass_example, "pass"], ["Just misses", card.fail_example, "fail"], ["Where the line is", card.boundary, "ruling"]];
  const shown = parts.filter(([, text]) => text);
  const list = el("dl", { class: "card" });
  for (const [name, text, kind] of shown) list.append(el("div", { class: kind }, el("dt", {}, name), el("dd", {}, textBlock(text))));
  return list;
}
