// The form of an outcome: what has to be written so that a disagreement can end.

function field(id, label, control) {
  control.setAttribute("id", id);
  return el("div", { class: "field" }, el("label", { for: id }, label), control);
}

function area(value, rows) {
  const box = el("textarea", { rows: String(rows), dir: "auto" });
  box.value = value;
  return box;
}

function line(value) {
  const box = el("input", { type: "text", dir: "auto", autocomplete: "off" });
  box.value = value;
  return box;
}

function selection(options, chosen) {
  const made = el("select", {}, ...options.map(({ value, words }) => el("option", { value: String(value), selected: value === chosen }, words)));
  return made;
}

const ABOUT = {
  ruling: "It goes to the end of the boundary, where graders of the next round read it.",
  wording: "One text of the criterion is replaced; the reason stays in its history.",
  slip: "One grader misread. The rubric and the labels stay; the ledger records what was meant.",
  deletion: "A matter of taste, or nothing that can be decided: the criterion leaves the rubric file.",
};
const SETTLE = { ruling: "Write the ruling", wording: "Write the new wording", slip: "Record the slip", deletion: "Delete the criterion" };

// The parts of a form, and how to read them: `read` gives what was decided, with texts trimmed.
function formOf(outcome, { one, card, levels, draft }) {
  if (outcome === "ruling") {
    const text = area(draft.text || "", 4);
    return { parts: [field("text", "The ruling, as graders will read it", text)], first: text, read: () => ({ text: text.value.trim() }) };
  }
  if (outcome === "deletion") {
    const text = area(draft.text || "", 2);
    return { parts: [field("text", "Why it goes", text)], first: text, read: () => ({ text: text.value.trim() }) };
  }
  if (outcome === "slip") {
    const judge = selection(one.labels.map((given) => ({ value: given.judge, words: visibleLine(given.judge) })), draft.judge);
    const label = selection([], null);
    const offer = () => {
      const given = one.labels.find((given) => given.judge === judge.value);
      const others = levels.filter((level) => given === undefined || level !== given.label);
      label.replaceChildren(...selection(others.map((level) => ({ value: level, words: labelText(level, levels, card) })), draft.label).childNodes);
    };
    offer();
    judge.addEventListener("change", offer);
    const text = area(draft.text || "", 2);
    return {
      parts: [el("div", { class: "pair" }, field("judge", "Who slipped", judge), field("label", "Which label was meant", label)), field("text", "What happened", text)],
      first: judge, read: () => ({ judge: judge.value, label: Number(label.value), text: text.value.trim() }),
    };
  }
  const old = (id) => (card === null ? "" : card[id] || "");
  const which = selection(FIELDS.map(({ id, words }) => ({ value: id, words })), draft.field || "question");
  const text = area(draft.text || old(which.value), 4);
  which.addEventListener("change", () => { text.value = old(which.value); });
  const why = line(draft.why || "");
  return {
    parts: [field("field", "Which text", which), field("text", "The new text", text), field("why", "Why", why)],
    first: text, read: () => ({ field: which.value, text: text.value.trim(), why: why.value.trim() }),
  };
}

// What is missing in what was decided, or null.
function missing(decided, by, card) {
  if (decided.text === "") return "Write the text first.";
  if (decided.outcome === "wording" && card !== null && decided.text === (card[decided.field] || "")) return "The new text is the old one.";
  if (decided.why === "") return "Say why: the reason stays in the history of the criterion.";
  return by === "" ? "Say who settles it." : null;
}
