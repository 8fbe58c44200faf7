// Words for what is on the page.

// How a disagreement can end. There is no vote among these.
const OUTCOMES = [
  { id: "ruling", key: "r", words: "Boundary ruling", ended: "boundary ruling" },
  { id: "wording", key: "w", words: "New wording", ended: "new wording" },
  { id: "slip", key: "s", words: "Grader slip", ended: "grader slip" },
  { id: "deletion", key: "d", words: "Delete the criterion", ended: "criterion deleted" },
];
const FIELDS = [
  { id: "question", words: "the question" },
  { id: "pass_example", words: "the example that meets it" },
  { id: "fail_example", words: "the example that just misses" },
  { id: "boundary", words: "the whole boundary" },
];
const REASON_WORDS = {
  not_applicable: "does not apply", cannot_assess: "cannot assess", unclear: "criterion unclear", skipped: "skipped",
};

// A label: yes or no where the scale is that, else the level.
function labelWords(label, levels) {
  const isBinary = levels.length === 2 && levels[0] === 0 && levels[1] === 1;
  return isBinary ? (label === 1 ? "met" : "not met") : String(label);
}

function labelKind(label, levels) {
  if (labelWords(1, levels) !== "met") return "level";
  return label === 1 ? "met" : "not-met";
}

// A label with what its level means.
function labelText(label, levels, card) {
  const known = card === null ? null : levelsOf(card);
  const level = known === null ? undefined : known.find(({ value }) => value === label);
  const words = labelWords(label, levels);
  return level !== undefined && level.anchor ? words + " – " + visibleLine(level.anchor) : words;
}

function betweenWords(one, levels) {
  return labelWords(one.low, levels) + " · " + labelWords(one.high, levels);
}

// How far apart, and where on the scale.
function sizeWords(one, levels) {
  if (labelWords(1, levels) === "met") return "not met against met";
  const apart = one.size === 1 ? "one level apart" : one.size + " levels apart";
  const isMiddle = one.size === 1 && one.low !== levels[0] && one.high !== levels[levels.length - 1];
  return isMiddle ? apart + ", in the middle of the scale" : apart;
}

function endedWords(ended) {
  const found = OUTCOMES.find(({ id }) => id === ended.outcome);
  return found === undefined ? ended.outcome : found.ended;
}

// A word as a POSIX shell reads it back.
function shellWord(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

// The command that settles a disagreement as a form says.
function commandOf(start, id, decided, by) {
  const flag = (name, value) => ["--" + name + "=" + value];
  const words = [...start, "--disagreement", id, "--outcome", decided.outcome];
  for (const name of ["judge", "label", "field"]) if (decided[name] !== undefined) words.push(...flag(name, decided[name]));
  words.push(...flag("text", decided.text || "…"));
  if (decided.why !== undefined) words.push(...flag("why", decided.why || "…"));
  if (by !== "") words.push(...flag("by", by));
  return words.map(shellWord).join(" ");
}

// Lines that go and lines that come, each with its sign.
function changeBlock(changes) {
  const block = el("div", { class: "changes", role: "group", "aria-label": "What the rubric file becomes" });
  const row = (sign, kind, text) => {
    const line = el("span", { class: "change-text", dir: "auto" });
    fillWithText(line, text);
    return el("div", { class: "change " + kind }, el("span", { class: "sign" }, sign), line);
  };
  for (const change of changes) {
    block.append(el("p", { class: "change-place" }, "line " + change.line));
    block.append(...change.before.map((text) => row("−", "gone", text)), ...change.after.map((text) => row("+", "new", text)));
  }
  return block;
}
