// What is on the screen: elements built from a sheet.

const ANSWER_WORDS = {
  not_applicable: "does not apply", cannot_assess: "cannot assess", unclear: "criterion unclear", skip: "skipped",
};

function answerWords(answer, card) {
  if (answer === null) return "open";
  if (answer.act !== "verdict") return ANSWER_WORDS[answer.act];
  if (levelsOf(card) !== null) return "level " + answer.label;
  return answer.label === 1 ? "met" : "not met";
}

function answerKind(answer) {
  if (answer === null) return "open";
  if (answer.act !== "verdict") return answer.act === "skip" ? "skipped" : "other";
  return answer.label === 1 ? "met" : answer.label === 0 ? "not-met" : "level";
}

// The buttons that answer a criterion.
function choices(card, cell, keys, run, locked) {
  const is = (act, label) => cell.answer !== null && cell.answer.act === act && (label === undefined || cell.answer.label === label);
  const choice = (words, action, key, pressedNow, className) =>
    button(words, () => run(action), { class: "choice " + className, "aria-pressed": String(pressedNow), disabled: locked }, key);
  const levels = levelsOf(card);
  const main = el("div", { class: levels ? "choices levels" : "choices" });
  if (levels === null) {
    main.append(
      choice("Met", "met", keys.label("met"), is("verdict", 1), "met"),
      choice("Not met", "not-met", keys.label("not-met"), is("verdict", 0), "not-met"),
    );
  } else {
    for (const level of levels) {
      const words = level.anchor ? level.value + " – " + visibleLine(level.anchor) : String(level.value);
      const key = level.digit === "" ? "" : keys.label("level-" + level.digit);
      const made = button(words, () => run("level", level.value), { class: "choice level", dir: "auto", "aria-pressed": String(is("verdict", level.value)), disabled: locked }, key);
      main.append(made);
    }
  }
  const more = el("div", { class: "choices lesser" });
  const cannot = levels === null ? "cannot-3" : "cannot";
  more.append(
    choice("Cannot assess", cannot, keys.label(cannot), is("cannot_assess"), "other"),
    choice("Criterion unclear", "unclear", keys.label("unclear"), is("unclear"), "other"),
    choice("Does not apply", "not-applicable", keys.label("not-applicable"), is("not_applicable"), "other"),
  );
  return [main, more];
}

// What a grader can add to an answer of his.
function additions(cell, keys, run, locked, canUndo) {
  const tool = (words, action, attributes = {}) =>
    button(words, () => run(action), { class: "quiet", disabled: locked, ...attributes }, keys.label(action));
  return el(
    "div", { class: "additions" },
    tool("Evidence", "evidence", { title: "Select a passage of the answer first" }), tool("Comment", "comment"),
    tool("Flag", "flag", { "aria-pressed": String(cell.flagged) }), tool("Skip", "skip"),
    tool("Undo", "undo", { disabled: locked || !canUndo }),
  );
}

function remarks(cell) {
  const list = el("dl", { class: "remarks" });
  const add = (name, text) => list.append(el("div", {}, el("dt", {}, name), el("dd", {}, textBlock(text))));
  if (cell.answer !== null && cell.answer.act === "skip") add("Skipped because", cell.answer.reason);
  if (cell.comment) add("Your comment", cell.comment);
  if (cell.evidence) add("Evidence", cell.evidence.quote);
  return list;
}

// One criterion: a line, or the whole card where it is the one being asked.
function criterionBox({ criterion, cell, place, isCurrent, keys, run, choose, locked, canUndo }) {
  const id = "criterion-" + place;
  const kind = answerKind(cell.answer);
  const words = answerWords(cell.answer, criterion.card);
  const question = el("span", { class: "question", dir: "auto" }, visibleLine(criterion.card.question));
  const state = el("span", { class: "state " + kind }, (cell.flagged ? "⚑ " : "") + words);
  const box = el("div", { class: "criterion" + (isCurrent ? " current" : ""), role: "group", "aria-labelledby": id, tabindex: isCurrent ? "-1" : null });
  if (!isCurrent) {
    const open = el("button", { type: "button", id, class: "line", "aria-expanded": "false" }, question, state);
    open.addEventListener("click", () => choose(place));
    box.append(el("h3", {}, open));
    return box;
  }
  box.append(
    el("h3", { id }, question, " ", state), rubricText(criterion.card), ...choices(criterion.card, cell, keys, run, locked),
    additions(cell, keys, run, locked, canUndo), remarks(cell),
  );
  return box;
}

function minutes(ms) {
  const all = Math.floor(ms / 60000);
  if (all < 1) return "under a minute";
  if (all < 60) return all + " min";
  return Math.floor(all / 60) + " h " + (all % 60) + " min";
}

function countsWords(counts, ms) {
  const words = [counts.done + " done", counts.open + " left"];
  if (counts.skipped > 0) words.push(counts.skipped + " skipped");
  if (counts.flagged > 0) words.push(counts.flagged + " flagged");
  words.push(minutes(ms));
  return words.join(" · ");
}

// The whole sheet for paper: each card once, then every answer with its questions and room for a tick.
function printedSheet(sheet) {
  const pages = el("section", { id: "printed" });
  sheet.paper.criteria.forEach(({ card }, place) => {
    const anchored = (levelsOf(card) || []).filter(({ anchor }) => anchor);
    const anchors = anchored.map(({ value, anchor }) => el("li", {}, value + " – " + visibleLine(anchor)));
    const shown = el("div", { class: "printed-card" }, el("h3", {}, place + 1 + ". ", visibleLine(card.question)), rubricText(card));
    if (anchors.length > 0) shown.append(el("ul", {}, ...anchors));
    pages.append(shown);
  });
  sheet.paper.units.forEach((unit, place) => {
    const [prompt, response] = [el("div"), el("div")];
    fillWithTurns(prompt, unit.prompt);
    fillWithTurns(response, unit.response);
    const rows = unit.criteria.map((index) => {
      const { criterion, card } = sheet.paper.criteria[index];
      const { answer, comment } = sheet.cell(unit.unit, criterion);
      const levels = levelsOf(card);
      const boxes = levels ? levels.map(({ value }) => "☐ " + value) : ["☐ met", "☐ not met"];
      const given = answer === null ? [...boxes, "☐ cannot assess"].join("   ") : answerWords(answer, card);
      return el("p", {}, index + 1 + ". ", visibleLine(card.question), el("br"), el("strong", {}, given), comment ? " – " + visibleLine(comment) : "");
    });
    const asked = unit.prompt.length > 0 ? [el("h3", { class: "role" }, "What was asked"), prompt, el("h3", { class: "role" }, "The answer")] : [];
    pages.append(el("div", { class: "printed-unit" }, el("h2", {}, "Answer " + (place + 1)), ...asked, response, ...rows));
  });
  return pages;
}
