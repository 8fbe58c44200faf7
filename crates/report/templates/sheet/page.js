// The sheet at work: what keys and buttons do, and where the grader is.

// A pause after which time on an answer no longer counts, and how often the clock is read.
const IDLE_MS = 120000;
const TICK_MS = 5000;
// Times on an answer shorter than this are passing through.
const GLANCE_MS = 300;

class Page {
  constructor(data) {
    this.data = data;
    this.paper = data.paper;
    this.locked = data.locked;
    this.sheet = new Sheet(data.paper);
    this.kept = new Kept();
    this.keys = new Keys(this.kept);
    for (const mark of data.marks) this.sheet.apply(mark);
    const on = {
      marks: (marks) => this.takeIn(marks), anew: (marks) => this.beginAnew(marks), state: (state) => this.showState(state), other: () => this.warnOfOther(),
      renumbered: (nth) => this.sheet.taken.add(nth), finished: () => this.becomeLocked(),
    };
    this.keeper = data.kind === "file" ? new FileKeeper(data, this.kept, on) : new ServedKeeper(data, this.kept, on);
    for (const mark of this.keeper.held().sort((a, b) => a.nth - b.nth)) this.sheet.apply(mark);
    this.keeper.lastNth = Math.max(this.keeper.lastNth, this.sheet.latest);
    if (data.kind === "file") this.locked = this.keeper.finished;
    this.unit = 0;
    this.place = 0;
    this.clock = { ms: 0, from: performance.now(), active: performance.now() };
    this.insisting = null;
  }

  start() {
    const name = this.paper.rubric ? visibleLine(this.paper.rubric) : "Grading sheet";
    $("rubric-name").textContent = name;
    $("grader-name").textContent = "Sheet of " + visibleLine(this.paper.grader);
    document.title = name;
    afterDialog = () => this.focusCurrent();
    this.listen();
    if (this.data.kind === "file") this.keeper.save();
    else if (this.keeper.held().length > 0) this.keeper.save();
    else this.showState({ kind: "saved", at: null });
    if (!this.kept.lasts) this.notice("fleeting", "This browser keeps nothing for this page" + (this.data.kind === "file" ? ": save the result before you close it." : "; answers are safe once they are saved."));
    this.resume();
    if (this.locked) this.becomeLocked();
    else if (this.sheet.counts().open === 0) this.showFinish();
  }

  // Goes to the first open question after the last thing done.
  resume() {
    const { last } = this.sheet;
    const unit = last === null ? 0 : this.paper.units.findIndex((other) => other.unit === last.unit);
    const place = this.openAfter(Math.max(0, unit), -1);
    if (place !== null) this.go(place.unit, place.place);
    else this.go(Math.max(0, unit), 0);
  }

  get current() {
    const unit = this.paper.units[this.unit];
    const criterion = this.paper.criteria[unit.criteria[this.place]];
    return { unit, criterion, cell: criterion ? this.sheet.cell(unit.unit, criterion.criterion) : emptyCell() };
  }

  // The next open cell from a place on, going round once; null where none is left.
  openAfter(unit, place) {
    const { units } = this.paper;
    for (let step = 0; step <= units.length; step += 1) {
      const at = (unit + step) % units.length;
      const asked = this.sheet.criteriaOf(units[at]);
      for (let index = step === 0 ? place + 1 : 0; index < asked.length; index += 1) {
        if (this.sheet.status(units[at].unit, asked[index].criterion) === "open") return { unit: at, place: index };
      }
    }
    return null;
  }

  go(unit, place) {
    const isOther = unit !== this.unit || !this.drawn;
    if (isOther && this.drawn) this.leaveUnit();
    this.unit = unit;
    this.place = place;
    this.insisting = null;
    this.hideFinish();
    if (isOther) this.drawUnit();
    this.draw();
    this.focusCurrent();
    if (isOther) this.scroller().scrollTo(0, 0);
  }

  leaveUnit() {
    this.tick();
    const ms = Math.round(this.clock.ms);
    this.clock.ms = 0;
    if (ms >= GLANCE_MS && !this.locked) this.mark({ act: "seen", ms }, null);
  }

  // Time counts while the page is in view and somebody was at it lately.
  tick(wasVisible = document.visibilityState === "visible") {
    const now = performance.now();
    const until = Math.min(now, this.clock.active + IDLE_MS);
    if (wasVisible && $("finish").hidden && until > this.clock.from) this.clock.ms += until - this.clock.from;
    this.clock.from = now;
  }

  // Records an act; `criterion` is null where it is about the whole answer.
  mark(act, criterion, unit = this.current.unit.unit) {
    const about = criterion === null ? {} : { criterion };
    const mark = { unit, ...about, ...act, at: new Date().toISOString(), nth: this.keeper.nth() };
    this.sheet.apply(mark);
    this.keeper.add(mark);
    return mark;
  }

  // Answers the question on the screen and goes on.
  answer(act) {
    const { unit, criterion } = this.current;
    if (!criterion) return;
    const wasComplete = this.sheet.isComplete(unit);
    this.mark(act, criterion.criterion);
    this.say("Answer " + (this.unit + 1) + ", question " + (this.place + 1) + ": " + answerWords(act, criterion.card) + ".");
    const asked = unit.criteria.length;
    if (wasComplete) {
      // A change of mind on an answer that was complete stays with it.
      this.go(this.unit, Math.min(this.place + 1, asked - 1));
      return;
    }
    const next = this.openAfter(this.unit, this.place);
    if (next === null) {
      this.draw();
      this.leaveUnit();
      this.showFinish();
      return;
    }
    // Questions of this answer first, also those above.
    if (next.unit !== this.unit && !this.sheet.isComplete(unit)) this.goToUnit(this.unit);
    else this.go(next.unit, next.place);
  }

  // The first open question of an answer, or -1.
  openIn(unit) {
    const { unit: id } = this.paper.units[unit];
    return this.sheet.criteriaOf(this.paper.units[unit]).findIndex(({ criterion }) => this.sheet.status(id, criterion) === "open");
  }

  run(action, value) {
    const change = CHANGES[action];
    if (change !== undefined) {
      if (this.locked) this.say("This sheet is locked; nothing can be changed.");
      else change(this, value);
      return;
    }
    MOVES[action](this);
  }

  undo() {
    const entry = this.sheet.undoing();
    if (entry === null) {
      this.say("There is nothing to undo.");
      return;
    }
    this.mark(entry.back, entry.criterion, entry.unit);
    // A withdrawal took the entry away by itself; any other way back stands behind it as a new one.
    if (entry.back.act !== "withdraw") this.sheet.past.splice(-2);
    const unit = this.paper.units.findIndex((other) => other.unit === entry.unit);
    const place = this.sheet.criteriaOf(this.paper.units[unit]).findIndex(({ criterion }) => criterion === entry.criterion);
    this.drawnSpan = undefined;
    this.go(unit, place);
    this.say("Undone: " + answerWords(this.current.cell.answer, this.current.criterion.card) + " again.");
  }

  skip() {
    const { unit, criterion } = this.current;
    const open = this.sheet.criteriaOf(unit).filter((other) => this.sheet.status(unit.unit, other.criterion) === "open");
    askSkip(open.length, (reason, all) => {
      const others = all ? open.filter((other) => other !== criterion) : [];
      for (const other of others) this.mark({ act: "skip", reason }, other.criterion);
      this.answer({ act: "skip", reason });
    });
  }

  comment() {
    const { criterion, cell } = this.current;
    askComment(cell.comment, (text) => {
      if (text === cell.comment) return;
      this.mark({ act: "comment", text }, criterion.criterion);
      this.draw();
      this.say(text === "" ? "Comment taken away." : "Comment kept.");
    });
  }

  // Marks the selected part of the answer; with nothing selected, takes the mark away.
  evidence() {
    const { unit, criterion, cell } = this.current;
    const selection = getSelection();
    const range = selection.rangeCount > 0 && !selection.isCollapsed ? selection.getRangeAt(0) : null;
    const span = range === null ? null : selectedSpan(this.leaves, range);
    const text = unit.response.map((turn) => turn.text).join("\n");
    if (span === null && cell.evidence === null) {
      this.say("Select a passage of the answer first.");
      return;
    }
    if (span === null) this.mark({ act: "evidence", start: 0, end: 0, quote: "" }, criterion.criterion);
    else {
      const start = charactersBefore(text, span.start);
      const quote = text.slice(span.start, span.end);
      this.mark({ act: "evidence", start, end: start + charactersBefore(quote, quote.length), quote }, criterion.criterion);
    }
    selection.removeAllRanges();
    this.draw();
    this.say(span === null ? "Evidence taken away." : "Evidence marked.");
  }

  flag() {
    const { criterion, cell } = this.current;
    this.mark({ act: cell.flagged ? "unflag" : "flag" }, criterion.criterion);
    this.draw();
    this.say(cell.flagged ? "Flagged." : "Flag taken away.");
  }

  // Goes on to the next answer; the first time, questions left open are pointed at.
  complete() {
    const { unit } = this.current;
    const open = this.sheet.criteriaOf(unit).filter(({ criterion }) => this.sheet.status(unit.unit, criterion) === "open");
    if (open.length > 0 && this.insisting !== unit.unit) {
      this.go(this.unit, this.openIn(this.unit));
      this.insisting = unit.unit;
      this.say((open.length === 1 ? "One question is" : open.length + " questions are") + " open here. Again to leave them open.");
      return;
    }
    if (this.sheet.counts().open === 0) this.showFinish();
    else this.move(1);
  }

  // The actions that this sheet has a use for.
  actionsShown() {
    const scales = this.paper.criteria.map(({ card }) => levelsOf(card));
    const digits = scales.flatMap((levels) => (levels === null ? [] : levels.map(({ digit }) => "level-" + digit)));
    return ACTIONS.filter(({ id, scope }) => (scope === "levels" ? digits.includes(id) : scope === "any" || scales.includes(null)));
  }

  move(step) {
    const unit = this.unit + step;
    if (unit < 0 || unit >= this.paper.units.length) {
      this.say(step > 0 ? "This is the last answer." : "This is the first answer.");
      return;
    }
    this.goToUnit(unit);
  }

  // Goes to an answer: to its first open question, or to its first.
  goToUnit(unit) {
    this.go(unit, Math.max(0, this.openIn(unit)));
  }

  moveCriterion(step) {
    const place = this.place + step;
    const { unit } = this.current;
    if (place >= 0 && place < unit.criteria.length) this.go(this.unit, place);
  }

  // Marks of another window, or of a file: returns whether any was new.
  takeIn(marks) {
    const isNew = [...marks].sort((a, b) => a.nth - b.nth).map((mark) => this.sheet.apply(mark)).some(Boolean);
    if (isNew && this.drawn) this.draw();
    return isNew;
  }

  // The sheet as the server has it, whatever this window showed.
  beginAnew(marks) {
    this.sheet.clear();
    this.takeIn(marks);
    if (this.drawn) this.draw();
  }

  becomeLocked() {
    this.locked = true;
    this.notice("locked", "This sheet is locked: it can be read, and nothing can be changed. Thank you.");
    if (this.drawn) this.draw();
    if (!$("finish").hidden) this.showFinish();
  }

  async lock() {
    this.leaveUnit();
    if (!(await this.keeper.lock())) {
      this.notice("lock", "The sheet could not be locked; what you answered is kept. Try again in a moment.");
      return;
    }
    this.becomeLocked();
    if (this.data.kind === "file") this.keeper.download();
    this.showFinish();
  }
}

// What changes the sheet, and what only moves about in it.
const CHANGES = {
  "met": (page) => page.answer({ act: "verdict", label: 1 }),
  "not-met": (page) => page.answer({ act: "verdict", label: 0 }),
  "level": (page, value) => page.answer({ act: "verdict", label: value }),
  "cannot": (page) => page.answer({ act: "cannot_assess" }),
  "cannot-3": (page) => page.answer({ act: "cannot_assess" }),
  "unclear": (page) => page.answer({ act: "unclear" }),
  "not-applicable": (page) => page.answer({ act: "not_applicable" }),
  "skip": (page) => page.skip(),
  "undo": (page) => page.undo(),
  "flag": (page) => page.flag(),
  "comment": (page) => page.comment(),
  "evidence": (page) => page.evidence(),
};
const MOVES = {
  "complete": (page) => page.complete(),
  "down": (page) => page.moveCriterion(1),
  "up": (page) => page.moveCriterion(-1),
  "right": (page) => page.move(1),
  "left": (page) => page.move(-1),
  "next-open": (page) => {
    const open = page.openAfter(page.unit, page.place);
    if (open !== null) page.go(open.unit, open.place);
    else page.showFinish();
  },
  "overview": (page) => showOverview(page),
  "help": (page) => showKeys(page.keys, page.actionsShown(), () => page.draw()),
};
// Keys that may be held down.
const HELD = ["down", "up", "right", "left"];
