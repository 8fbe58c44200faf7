// The screen of a page: drawing, telling, and listening. It adds to the class of `page.js`.

const FOLD_KEPT = "calibrant.folded";

Object.assign(Page.prototype, {
  drawUnit() {
    const { unit } = this.current;
    this.drawn = true;
    $("item-title").textContent = "Answer " + (this.unit + 1) + " of " + this.paper.units.length;
    $("prompt").hidden = unit.prompt.length === 0;
    fillWithTurns($("prompt-turns"), unit.prompt);
    this.drawnSpan = undefined;
  },

  draw() {
    const { unit, criterion } = this.current;
    const asked = this.sheet.criteriaOf(unit);
    this.drawResponse();
    const canUndo = this.sheet.past.length > 0;
    const boxes = asked.map((other, place) =>
      criterionBox({
        criterion: other, cell: this.sheet.cell(unit.unit, other.criterion), place, isCurrent: other === criterion, keys: this.keys,
        run: (action, value) => this.run(action, value), choose: (chosen) => this.go(this.unit, chosen), locked: this.locked, canUndo,
      }),
    );
    const held = $("criteria").contains(document.activeElement);
    $("criteria").replaceChildren(...boxes);
    if (held) this.focusCurrent();
    $("asking-title").textContent = asked.length === 0 ? "Nothing is asked of this answer" : "Question " + (this.place + 1) + " of " + asked.length;
    this.drawCounts();
    this.drawButtons();
  },

  // The answer, with the evidence for the question on the screen; drawn again only where the evidence is another.
  drawResponse() {
    const { unit, cell } = this.current;
    const { evidence } = cell;
    const drawn = JSON.stringify([unit.unit, evidence]);
    if (drawn === this.drawnSpan) return;
    this.drawnSpan = drawn;
    const text = evidence === null ? "" : unit.response.map((turn) => turn.text).join("\n");
    const span = evidence === null ? null : { start: unitsBefore(text, evidence.start), end: unitsBefore(text, evidence.end) };
    this.leaves = fillWithTurns($("response"), unit.response, span === null ? [] : [span]);
  },

  drawCounts() {
    const counts = this.sheet.counts();
    const progress = $("progress");
    progress.max = Math.max(1, counts.all);
    progress.value = counts.done + counts.skipped;
    $("counts").textContent = countsWords(counts, counts.ms + this.clock.ms);
  },

  // Keys on the buttons that are always there.
  drawButtons() {
    for (const fixed of document.querySelectorAll("[data-action]")) {
      const key = this.keys.label(fixed.dataset.action);
      const words = fixed.dataset.words || fixed.textContent;
      fixed.dataset.words = words;
      fixed.replaceChildren(...(key === "" ? [] : [el("kbd", { "aria-hidden": "true" }, key), " "]), words);
    }
  },

  // The question being asked has the focus: a screen reader reads it, and no button takes the next key for itself.
  focusCurrent() {
    const box = document.querySelector(".criterion.current");
    if (box === null || $("dialog").open) return;
    box.focus({ preventScroll: true });
    this.showCurrent(box);
  },

  // Moves the column of questions, not the page, until the question being asked is at its head.
  showCurrent(box = document.querySelector(".criterion.current")) {
    const column = $("criteria");
    if (box !== null && column.scrollHeight > column.clientHeight) column.scrollTop = box.offsetTop - column.offsetTop - 8;
  },

  // What scrolls the answer: its column, or the whole page where there is one column.
  scroller() {
    const column = document.querySelector(".reading");
    return getComputedStyle(column).overflowY === "auto" ? column : window;
  },

  say(words) {
    const sentence = words.charAt(0).toUpperCase() + words.slice(1);
    $("told").textContent = sentence;
  },

  notice(id, words) {
    let line = document.getElementById("notice-" + id);
    if (line === null) {
      line = el("div", { class: "notice " + id, id: "notice-" + id }, el("p", {}), button("Hide", () => line.remove(), { class: "quiet" }));
      $("notices").append(line);
    }
    line.querySelector("p").textContent = words;
    this.showCurrent();
  },

  withdrawNotice(id) {
    const line = document.getElementById("notice-" + id);
    if (line !== null) line.remove();
  },

  warnOfOther() {
    this.notice("other", "This sheet is open in another window too. Both are kept; for each question the newest answer counts.");
  },

  showState(state) {
    const saved = $("saved");
    const time = state.at ? state.at.toTimeString().slice(0, 8) : "";
    saved.className = "saved " + state.kind;
    saved.textContent = stateWords(state, time);
    if (state.kind === "closed") {
      this.notice("closed", "The server does not know this window any more. " + state.waiting + " marks wait in this browser; open your link again and they are sent.");
    } else if (state.kind === "failed") {
      this.notice("failed", "The server does not answer. Go on grading: what you press is kept in this browser and sent as soon as it answers.");
    } else if (state.kind === "refused") {
      this.notice("refused", "The server refused a mark: " + visibleLine(state.why).slice(0, 300));
    } else if (state.kind === "saved") {
      this.withdrawNotice("failed");
      this.withdrawNotice("closed");
    } else if (state.kind === "locked") {
      this.becomeLocked();
    }
  },

  showFinish() {
    const counts = this.sheet.counts();
    $("finish").hidden = false;
    $("sheet").hidden = true;
    $("finish-title").textContent = this.locked ? "Your sheet is locked" : counts.open > 0 ? counts.open + " questions are open" : "Every question has an answer";
    const facts = el("p", {}, countsWords(counts, counts.ms + this.clock.ms));
    $("finish-words").replaceChildren(facts, ...this.leftovers("Skipped", (cell) => cell.answer !== null && cell.answer.act === "skip"), ...this.leftovers("Flagged", (cell) => cell.flagged), ...this.finishAdvice());
    const tools = $("finish").querySelector(".finish-tools");
    tools.replaceChildren();
    if (!this.locked && counts.open === 0) tools.append(button("Lock my sheet", () => this.confirmLock(), { class: "main" }));
    if (this.data.kind === "file") tools.append(button("Save result", () => this.keeper.download(), { class: this.locked ? "main" : "" }));
    tools.append(button("Look through the answers", () => this.go(this.unit, this.place), { class: "quiet" }));
    $("finish-title").focus();
    window.scrollTo(0, 0);
  },

  hideFinish() {
    $("finish").hidden = true;
    $("sheet").hidden = false;
  },

  finishAdvice() {
    if (this.data.kind === "file") return [el("p", {}, this.locked ? "Send the saved result back to whoever gave you this sheet." : "Lock your sheet when you are content with it; then save the result and send it back.")];
    return this.locked ? [el("p", {}, "You can close this window.")] : [el("p", {}, "Lock your sheet when you are content with it. Until then everything can be changed.")];
  },

  // A list of links to the cells for which something holds.
  leftovers(title, holds) {
    const links = [];
    this.paper.units.forEach((unit, at) => {
      this.sheet.criteriaOf(unit).forEach(({ criterion, card }, place) => {
        if (holds(this.sheet.cell(unit.unit, criterion))) links.push(el("li", {}, button("Answer " + (at + 1) + ": " + visibleLine(card.question), () => this.go(at, place), { class: "quiet" })));
      });
    });
    return links.length === 0 ? [] : [el("h3", {}, title), el("ul", { class: "leftovers" }, ...links)];
  },

  confirmLock() {
    const { skipped } = this.sheet.counts();
    const words = skipped === 0 ? "" : skipped === 1 ? "One skipped question stays without a verdict. " : skipped + " skipped questions stay without a verdict. ";
    ask({
      title: "Lock this sheet?", acceptWords: "Lock for good", leaveWords: "Not yet",
      body: [el("p", {}, words + "Afterwards it can be read, and nothing can be changed.")],
      accept: () => {
        this.lock();
        return null;
      },
    });
  },

  pressedKey(event) {
    if ($("dialog").open || isTyping() || event.isComposing) return;
    const key = pressed(event);
    const isControl = event.target.closest && event.target.closest("button, summary, a, input") !== null;
    if (key === null || (isControl && (key === "Enter" || key === " "))) return;
    const { criterion } = this.current;
    const levels = criterion ? levelsOf(criterion.card) : null;
    const scope = levels === null ? "binary" : "levels";
    const action = this.keys.action(key, scope) || this.keys.action(sameplace(event), scope);
    if (action === null) {
      this.scrolled(event, key);
      return;
    }
    event.preventDefault();
    if (event.repeat && !HELD.includes(action)) return;
    if (!$("finish").hidden && CHANGES[action] !== undefined && action !== "undo") return;
    if (action.startsWith("level-")) this.pressedLevel(levels, action.slice("level-".length));
    else this.run(action);
  },

  pressedLevel(levels, digit) {
    const level = levels.find((other) => other.digit === digit);
    if (level === undefined) this.say("No level has the key " + digit + ".");
    else this.run("level", level.value);
  },

  // Keys that scroll move the answer, wherever the focus is.
  scrolled(event, key) {
    const down = { PageDown: 1, " ": event.shiftKey ? -1 : 1, PageUp: -1 }[key];
    if (down === undefined) return;
    event.preventDefault();
    this.scroller().scrollBy({ top: down * window.innerHeight * 0.8 });
  },

  listen() {
    document.addEventListener("keydown", (event) => this.pressedKey(event));
    for (const kind of ["keydown", "pointerdown", "pointermove", "scroll"]) {
      addEventListener(kind, () => { this.clock.active = performance.now(); }, { passive: true, capture: true });
    }
    const typing = () => { $("typing").hidden = !isTyping(); };
    document.addEventListener("focusin", typing);
    document.addEventListener("focusout", typing);
    for (const fixed of document.querySelectorAll("[data-action]")) fixed.addEventListener("click", () => this.run(fixed.dataset.action));
    $("fold").addEventListener("click", () => this.fold(!document.body.classList.contains("folded")));
    this.fold(this.kept.get(FOLD_KEPT) !== null);
    setInterval(() => { this.tick(); this.drawCounts(); }, TICK_MS);
    document.addEventListener("visibilitychange", () => this.tick(document.visibilityState === "hidden"));
    addEventListener("pagehide", () => this.leaveUnit());
    addEventListener("beforeunload", (event) => {
      if (!this.keeper.isSafeToLeave()) event.preventDefault();
    });
    addEventListener("beforeprint", () => document.body.append(printedSheet(this.sheet)));
    addEventListener("afterprint", () => $("printed").remove());
    this.listenToFiles();
  },

  // In a narrow window, the rubric's text folded away, or in view.
  fold(isFolded) {
    document.body.classList.toggle("folded", isFolded);
    $("fold").textContent = isFolded ? "Show rubric" : "Hide rubric";
    $("fold").setAttribute("aria-expanded", String(!isFolded));
    if (isFolded) this.kept.set(FOLD_KEPT, "1");
    else this.kept.remove(FOLD_KEPT);
  },

  // Lets the grader choose a result that this page saved elsewhere.
  openFile() {
    $("file").click();
  },

  listenToFiles() {
    if (this.data.kind !== "file") return;
    $("save-file").hidden = false;
    $("save-file").addEventListener("click", () => this.keeper.download());
    $("file").addEventListener("change", async () => {
      const [file] = $("file").files;
      if (file === undefined) return;
      const wrong = this.keeper.open(await file.text());
      $("file").value = "";
      if (wrong !== null) {
        this.notice("file", wrong);
        return;
      }
      this.notice("file", "The result is taken in.");
      if (this.keeper.finished) this.becomeLocked();
      this.resume();
    });
  },
});

function stateWords(state, time) {
  switch (state.kind) {
    case "saved": return time === "" ? "nothing to save" : "saved " + time;
    case "saving": return "saving…";
    case "failed": return "not saved, will retry (" + state.waiting + " waiting)";
    case "closed": return "not saved: open your link again";
    case "refused": return "a mark was refused";
    case "locked": return "locked";
    case "kept": return "kept in this browser " + time + (state.loose > 0 ? " · " + state.loose + " not in a saved file" : "");
    default: return "not kept: save the result";
  }
}
