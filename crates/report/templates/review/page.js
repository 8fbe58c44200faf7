// The page: a queue, the disagreement that is talked about, and the form that ends it.

class Review {
  constructor(data) {
    this.data = data;
    this.now = data.now;
    this.drafts = new Map();
    this.by = "";
    this.outcome = null;
    this.form = null;
    this.busy = false;
    const open = data.queue.findIndex((_, place) => this.isOpen(place));
    this.at = open < 0 ? 0 : open;
  }

  isOpen(place) {
    const { ended } = this.now.standing[place];
    return ended === null;
  }

  start() {
    const { data } = this;
    $("before").addEventListener("click", () => this.go(this.at - 1));
    $("after").addEventListener("click", () => this.go(this.at + 1));
    $("open-keys").addEventListener("click", () => $("keys").showModal());
    document.addEventListener("keydown", (event) => this.press(event));
    const typing = () => { $("typing").hidden = !isTyping(); };
    document.addEventListener("focusin", typing);
    document.addEventListener("focusout", () => setTimeout(typing));
    const round = data.round === null ? "Labels from tables" : "Round " + data.round;
    $("round-name").textContent = round + " · " + data.judges.map(visibleLine).join(", ");
    this.show();
  }

  show() {
    this.showBar();
    this.showQueue();
    this.showItem();
  }

  showBar() {
    const { rubric, standing } = this.now;
    const settled = standing.filter(({ ended }) => ended !== null).length;
    $("rubric-name").textContent = rubric !== null && rubric.name ? visibleLine(rubric.name) : "Review of disagreements";
    $("counts").textContent = settled + " of " + standing.length + " settled";
    $("progress").max = Math.max(1, standing.length);
    $("progress").value = settled;
    const version = rubric === null ? "" : rubric.version === null ? "no version" : "version " + rubric.version;
    $("version").textContent = rubric === null ? "no rubric file" : visibleLine(rubric.file.split(/[\\/]/).pop()) + ", " + version;
  }

  showQueue() {
    const { queue, texts, criteria } = this.data;
    const lists = criteria.map(({ criterion, agreed, compared }) => {
      const rows = queue.map((one, place) => ({ one, place })).filter(({ one }) => one.criterion === criterion);
      if (rows.length === 0) return null;
      const items = rows.map(({ one, place }) => {
        const open = this.isOpen(place);
        const words = betweenWords(one, texts[place].levels);
        const made = el(
          "button", { type: "button", class: "entry" + (open ? "" : " ended"), "aria-current": place === this.at ? "true" : null },
          el("span", { class: "entry-labels" }, words),
          el("span", { class: "entry-query", dir: "auto" }, open ? visibleLine(one.query) : "✓ " + endedWords(this.now.standing[place].ended)),
        );
        made.addEventListener("click", () => this.go(place));
        return el("li", {}, made);
      });
      const agreement = el("p", { class: "soft" }, "agreed on " + agreed + " of " + compared);
      return el("section", {}, el("h3", { dir: "auto" }, visibleLine(criterion)), agreement, el("ul", {}, ...items));
    });
    $("queue").replaceChildren(...lists.filter((list) => list !== null), ...this.unlabelled());
    const current = $("queue").querySelector("[aria-current]");
    if (current) current.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Answers for which somebody gave a reason instead of a label.
  unlabelled() {
    const rows = this.data.without_label;
    if (rows.length === 0) return [];
    const items = rows.map((row) => {
      const said = row.reasons.map(({ judge, status, comment }) => {
        const words = visibleLine(judge) + ": " + (REASON_WORDS[status] || status);
        return el("span", { class: "entry-query" }, comment ? words + " – " + visibleLine(comment) : words);
      });
      return el("li", { class: "entry plain" }, el("span", { class: "entry-labels" }, visibleLine(row.criterion)), el("span", { class: "entry-query" }, visibleLine(row.query)), ...said);
    });
    return [el("details", {}, el("summary", {}, "Without a label (" + rows.length + ")"), el("ul", {}, ...items))];
  }

  showItem() {
    const one = this.data.queue[this.at];
    if (one === undefined) {
      $("item-title").textContent = "There is nothing to settle";
      $("asking-title").textContent = "No disagreements";
      $("prompt").hidden = true;
      return;
    }
    const { prompt, answer, levels } = this.data.texts[this.at];
    const { card, ended } = this.now.standing[this.at];
    const where = one.system ? " · " + visibleLine(one.system) : "";
    $("item-title").textContent = "Disagreement " + (this.at + 1) + " of " + this.data.queue.length + where;
    $("asking-title").textContent = visibleLine(one.criterion);
    $("prompt").hidden = prompt.length === 0;
    fillWithTurns($("prompt-turns"), prompt);
    const whole = answer.map(({ text }) => text).join("\n");
    const spans = one.labels.flatMap((given) => given.evidence || []);
    fillWithTurns($("response"), answer, spans.map(({ start, end }) => ({ start: unitsBefore(whole, start), end: unitsBefore(whole, end) })));
    $("before").disabled = this.at === 0;
    $("after").disabled = this.at + 1 === this.data.queue.length;
    $("card").replaceChildren(...this.cardParts(one, card, levels));
    this.showOutcomes(one, card, ended);
    this.showForm();
  }

  cardParts(one, card, levels) {
    const question = card === null
      ? el("p", { class: "soft" }, "The criterion is not in the rubric file now.")
      : el("h3", { class: "question", dir: "auto" }, visibleLine(card.question));
    const tags = (one.tags || []).map((tag) => el("span", { class: "tag", dir: "auto" }, visibleLine(tag)));
    const facts = el("p", { class: "facts-line soft" }, el("span", {}, sizeWords(one, levels)), el("code", {}, one.id), ...tags);
    const labels = one.labels.map((given) => {
      const said = el("div", { class: "label" }, el("p", { class: "label-head" },
        el("span", { class: "judge", dir: "auto" }, visibleLine(given.judge)),
        el("span", { class: "state " + labelKind(given.label, levels), dir: "auto" }, labelText(given.label, levels, card))));
      if (given.comment) said.append(textBlock(given.comment, "text said"));
      for (const { quote } of given.evidence || []) {
        const passage = el("mark", { dir: "auto" });
        fillWithText(passage, quote);
        said.append(el("p", { class: "quote" }, passage));
      }
      return said;
    });
    return [question, ...(card === null ? [] : [rubricText(card)]), el("div", { class: "labels" }, ...labels), facts];
  }

  showOutcomes(one, card, ended) {
    if (ended !== null) {
      const by = [ended.by ? "by " + visibleLine(ended.by) : "", ended.at.slice(0, 10)].filter((words) => words !== "").join(", ");
      const box = el("div", { class: "settled" }, el("h3", {}, "Settled: " + endedWords(ended)), textBlock(ended.text), el("p", { class: "soft" }, by));
      $("outcomes").replaceChildren(box);
      return;
    }
    if (this.now.rubric === null) {
      $("outcomes").replaceChildren(el("p", { class: "soft" }, "No rubric file was named, so nothing can be settled here: --rubric FILE."));
      return;
    }
    const choice = ({ id, key, words }) =>
      button(words, () => this.choose(id), { class: "choice outcome", "aria-pressed": String(this.outcome === id), disabled: card === null }, keyWords(key));
    const later = button("Later", () => this.later(), { class: "choice outcome lesser-choice" }, "L");
    const ask = el("p", { class: "soft ask" }, "How does it end? A majority is no way.");
    $("outcomes").replaceChildren(ask, el("div", { class: "choices outcomes" }, ...OUTCOMES.map(choice), later));
  }

  draftKey() {
    return this.data.queue[this.at].id + "/" + this.outcome;
  }

  showForm() {
    if (this.outcome === null || this.data.queue.length === 0 || !this.isOpen(this.at)) {
      this.form = null;
      $("form").replaceChildren();
      return;
    }
    const one = this.data.queue[this.at];
    const { card } = this.now.standing[this.at];
    const parts = formOf(this.outcome, { one, card, levels: this.data.texts[this.at].levels, draft: this.drafts.get(this.draftKey()) || {} });
    const by = line(this.by);
    const served = this.data.kind === "served";
    const wrong = el("p", { class: "wrong", role: "alert", id: "wrong" });
    const outcome = el("div", { id: "preview" });
    const settle = el("button", { type: "submit", class: "main", id: "settle" }, served ? SETTLE[this.outcome] : "Copy the command");
    const tools = el("p", { class: "dialog-tools" }, settle, button("Leave", () => this.choose(null), { class: "quiet" }), el("kbd", { "aria-hidden": "true" }, "Ctrl Enter"));
    const form = el("form", { class: "outcome-form" }, el("p", { class: "soft" }, ABOUT[this.outcome]), ...parts.parts, field("by", "Settled by", by), outcome, wrong, tools);
    this.form = { ...parts, by, wrong, outcome };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    form.addEventListener("input", () => this.typed());
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
      // Enter in a line of text would settle what is half written.
      else if (event.key === "Enter" && event.target.tagName === "INPUT") event.preventDefault();
    });
    $("form").replaceChildren(form);
    this.typed();
  }

  decided() {
    return { outcome: this.outcome, ...this.form.read() };
  }

  // What was typed is kept for when somebody comes back, and shown as it would stand.
  typed() {
    this.by = this.form.by.value.trim();
    const decided = this.decided();
    this.drafts.set(this.draftKey(), decided);
    clearTimeout(this.soon);
    if (this.data.kind !== "served") {
      const command = commandOf(this.data.command, this.data.queue[this.at].id, decided, this.by);
      const box = el("textarea", { readonly: true, rows: "4", id: "command", class: "command", "aria-label": "The command that settles it" });
      box.value = command;
      this.form.outcome.replaceChildren(box);
      return;
    }
    this.soon = setTimeout(() => this.preview(), 350);
  }

  body(decided) {
    return { disagreement: this.data.queue[this.at].id, rubric: this.now.rubric.hash, by: this.by, ...decided };
  }

  async preview() {
    const form = this.form;
    if (form === null) return;
    const decided = this.decided();
    if (decided.outcome === "slip" || missing(decided, "someone", this.now.standing[this.at].card) !== null) {
      form.outcome.replaceChildren();
      return;
    }
    try {
      const { status, body } = await this.send("api/preview", this.body(decided));
      if (this.form !== form) return;
      if (status === 200) form.outcome.replaceChildren(changeBlock(body.changes));
      else form.outcome.replaceChildren(el("p", { class: "wrong" }, visibleLine(body.why)));
    } catch {
      // The preview is only a help; settling says what is wrong.
    }
  }

  async submit() {
    if (this.form === null || this.busy) return;
    const decided = this.decided();
    const wrong = missing(decided, this.by, this.now.standing[this.at].card);
    this.form.wrong.textContent = wrong || "";
    if (wrong !== null) return;
    if (this.data.kind !== "served") {
      this.copy();
      return;
    }
    this.busy = true;
    $("settle").disabled = true;
    try {
      const { status, body } = await this.send("api/settle", this.body(decided));
      if (status === 200) this.settled(body);
      else this.refused(status, body);
    } catch {
      this.form.wrong.textContent = "The server does not answer. What you wrote is still here; load the page again before you settle anew.";
    }
    this.busy = false;
    if ($("settle")) $("settle").disabled = false;
  }

  settled({ now, outcome, stale }) {
    const { criterion } = this.data.queue[this.at];
    this.drafts.delete(this.draftKey());
    this.now = now;
    this.outcome = null;
    this.notice("");
    this.show();
    const { file, version } = now.rubric;
    const name = visibleLine(file.split(/[\\/]/).pop());
    const words = ["Settled as " + endedWords({ outcome }) + "."];
    words.push(outcome === "slip" ? name + " stays as it is." : name + (version === null ? " is written." : " is version " + version + " now."));
    if (stale > 0 && outcome !== "deletion") words.push(stale + (stale === 1 ? " verdict on " : " verdicts on ") + visibleLine(criterion) + " are of the earlier wording: grade a new round.");
    $("told").textContent = words.join(" ");
    $("criteria").scrollTop = $("criteria").scrollHeight;
    $("item-title").focus({ preventScroll: true });
  }

  refused(status, body) {
    if (body.now) {
      this.now = body.now;
      this.notice(body.why);
      this.show();
      return;
    }
    this.form.wrong.textContent = visibleLine(body.why);
  }

  async send(path, body) {
    const headers = { "content-type": "application/json", "x-calibrant-sheet": this.data.guard };
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), cache: "no-store" });
    const text = await answer.text();
    const isJson = (answer.headers.get("content-type") || "").startsWith("application/json");
    return { status: answer.status, body: isJson ? JSON.parse(text) : { why: text } };
  }

  copy() {
    const box = $("command");
    box.focus();
    box.select();
    const done = () => { $("told").textContent = "Copied. Run it in the folder of the project."; };
    const failed = () => { $("told").textContent = "The command is selected: copy it with Ctrl+C."; };
    if (navigator.clipboard) navigator.clipboard.writeText(box.value).then(done, failed);
    else failed();
  }

  choose(outcome) {
    if (this.data.queue.length === 0 || !this.isOpen(this.at) || this.now.rubric === null) return;
    if (outcome !== null && this.now.standing[this.at].card === null) return;
    this.outcome = outcome;
    this.showOutcomes(this.data.queue[this.at], this.now.standing[this.at].card, null);
    this.showForm();
    if (this.form === null) {
      $("item-title").focus({ preventScroll: true });
      return;
    }
    $("form").scrollIntoView({ block: "end" });
    this.form.first.focus({ preventScroll: true });
  }

  later() {
    const { length } = this.data.queue;
    const places = Array.from({ length }, (_, step) => (this.at + step + 1) % length);
    const next = places.find((place) => place !== this.at && this.isOpen(place));
    if (next !== undefined) this.go(next);
    else $("told").textContent = length > 0 && this.isOpen(this.at) ? "This is the last open one." : "Every disagreement is settled.";
  }

  go(place) {
    if (place < 0 || place >= this.data.queue.length) return;
    this.at = place;
    this.outcome = null;
    $("told").textContent = "";
    this.showQueue();
    this.showItem();
    document.querySelector(".reading").scrollTop = 0;
    $("criteria").scrollTop = 0;
    $("item-title").focus({ preventScroll: true });
  }

  notice(words) {
    const close = button("Close", () => this.notice(""), { class: "quiet" });
    $("notices").replaceChildren(...(words === "" ? [] : [el("p", { class: "notice" }, el("span", {}, visibleLine(words)), close)]));
  }

  press(event) {
    if ($("keys").open) return;
    if (isTyping()) {
      if (event.key === "Escape") $("item-title").focus({ preventScroll: true });
      return;
    }
    const key = pressed(event);
    if (key === null || this.data.queue.length === 0) return;
    const does = (name) => this.act(name);
    if (!does(key)) {
      const other = sameplace(event);
      if (other === null || !does(other)) return;
    }
    event.preventDefault();
  }

  // Does what a key means; whether it means anything.
  act(key) {
    const outcome = OUTCOMES.find((one) => one.key === key);
    if (outcome !== undefined) this.choose(outcome.id);
    else if (key === "j" || key === "ArrowDown") this.go(this.at + 1);
    else if (key === "k" || key === "ArrowUp") this.go(this.at - 1);
    else if (key === "l" || key === "o") this.later();
    else if (key === "?" || key === "h") $("keys").showModal();
    else return false;
    return true;
  }
}
