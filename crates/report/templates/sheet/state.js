// What a sheet says: marks in, the present state of every cell out. A cell is one criterion of one answer.

// Acts that leave a cell with an answer; `withdraw` takes it away again.
const ANSWERS = ["verdict", "not_applicable", "cannot_assess", "unclear", "skip"];

class Sheet {
  constructor(paper) {
    this.paper = paper;
    this.clear();
  }

  clear() {
    this.cells = new Map();
    this.seen = new Map();
    this.taken = new Set();
    // Acts that undo can take back, oldest first.
    this.past = [];
    this.last = null;
    this.latest = 0;
    for (const unit of this.paper.units) {
      for (const index of unit.criteria) this.cells.set(cellKey(unit.unit, this.paper.criteria[index].criterion), emptyCell());
    }
  }

  cell(unit, criterion) {
    return this.cells.get(cellKey(unit, criterion));
  }

  // Takes a mark in, once; returns whether it was new.
  apply(mark) {
    if (this.taken.has(mark.nth)) return false;
    this.taken.add(mark.nth);
    this.latest = Math.max(this.latest, mark.nth);
    if (mark.act === "seen") {
      this.seen.set(mark.unit, (this.seen.get(mark.unit) || 0) + mark.ms);
      return true;
    }
    const cell = this.cell(mark.unit, mark.criterion);
    // A mark about a whole answer, or about something this page does not show, is kept and says nothing here.
    if (!cell) return true;
    const before = { ...cell };
    takeIn(cell, mark);
    this.last = { unit: mark.unit, criterion: mark.criterion };
    this.remember(mark, before);
    return true;
  }

  remember(mark, before) {
    if (mark.act !== "withdraw") {
      this.past.push({ unit: mark.unit, criterion: mark.criterion, act: mark.act, before });
      return;
    }
    const same = (entry) => entry.unit === mark.unit && entry.criterion === mark.criterion && ANSWERS.includes(entry.act);
    for (let at = this.past.length - 1; at >= 0; at -= 1) {
      if (same(this.past[at])) {
        this.past.splice(at, 1);
        return;
      }
    }
  }

  // "open", "done" or "skipped".
  status(unit, criterion) {
    const { answer } = this.cell(unit, criterion);
    if (answer === null) return "open";
    return answer.act === "skip" ? "skipped" : "done";
  }

  criteriaOf(unit) {
    return unit.criteria.map((index) => this.paper.criteria[index]);
  }

  isComplete(unit) {
    return this.criteriaOf(unit).every(({ criterion }) => this.status(unit.unit, criterion) !== "open");
  }

  counts() {
    const counts = { all: this.cells.size, done: 0, skipped: 0, open: 0, flagged: 0, ms: 0 };
    for (const cell of this.cells.values()) {
      if (cell.answer === null) counts.open += 1;
      else if (cell.answer.act === "skip") counts.skipped += 1;
      else counts.done += 1;
      if (cell.flagged) counts.flagged += 1;
    }
    for (const ms of this.seen.values()) counts.ms += ms;
    return counts;
  }

  // The latest act, with the act `back` that brings its cell to what it was before; null where there is nothing to undo.
  undoing() {
    const entry = this.past[this.past.length - 1];
    if (entry === undefined) return null;
    return { ...entry, back: actBack(entry, this.cell(entry.unit, entry.criterion)) };
  }
}

function cellKey(unit, criterion) {
  return JSON.stringify([unit, criterion]);
}

function emptyCell() {
  return { answer: null, flagged: false, comment: "", evidence: null };
}

function takeIn(cell, mark) {
  if (ANSWERS.includes(mark.act)) cell.answer = actOf(mark);
  else if (mark.act === "withdraw") cell.answer = null;
  else if (mark.act === "flag") cell.flagged = true;
  else if (mark.act === "unflag") cell.flagged = false;
  else if (mark.act === "comment") cell.comment = mark.text;
  else if (mark.act === "evidence") cell.evidence = mark.quote === "" ? null : actOf(mark);
}

// The act of a mark: its word and the values beside it.
function actOf(mark) {
  const { unit, criterion, at, nth, ...act } = mark;
  return act;
}

function actBack(entry, cell) {
  const { before } = entry;
  if (ANSWERS.includes(entry.act)) return before.answer === null ? { act: "withdraw" } : before.answer;
  if (entry.act === "flag" || entry.act === "unflag") return { act: cell.flagged ? "unflag" : "flag" };
  if (entry.act === "comment") return { act: "comment", text: before.comment };
  return before.evidence === null ? { act: "evidence", start: 0, end: 0, quote: "" } : before.evidence;
}
