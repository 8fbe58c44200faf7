// Keeping marks: in this browser first, then wherever the page came from. Nothing is forgotten before it is known to be safe.

// Marks sent in one request, and about how many characters.
const MOST_SENT = 200;
const MOST_CHARACTERS = 100000;
// Seconds between attempts while the server does not answer: doubled from the first to the last.
const FIRST_WAIT_S = 1;
const LAST_WAIT_S = 15;

// The browser's store; where it is closed to pages, a store that lasts as long as the page.
class Kept {
  constructor() {
    this.memory = null;
    try {
      localStorage.setItem("calibrant.probe", "1");
      localStorage.removeItem("calibrant.probe");
    } catch {
      this.memory = new Map();
    }
  }

  get(key) {
    return this.memory === null ? localStorage.getItem(key) : this.memory.get(key) || null;
  }

  // Returns whether the value will last.
  set(key, value) {
    if (this.memory !== null) {
      this.memory.set(key, value);
      return false;
    }
    try {
      localStorage.setItem(key, value);
      return true;
    } catch {
      return false;
    }
  }

  remove(key) {
    if (this.memory === null) localStorage.removeItem(key);
    else this.memory.delete(key);
  }

  keys(prefix) {
    const all = this.memory === null ? Object.keys(localStorage) : [...this.memory.keys()];
    return all.filter((key) => key.startsWith(prefix)).sort();
  }

  get lasts() {
    return this.memory === null;
  }
}

// Marks of one sheet on their way. Every mark has its own entry in the browser's store, so that two windows of one sheet never
// overwrite each other's; a window learns of the other's marks by the events of that store.
class Keeper {
  // `on` has `marks(list)`, `anew(list)`, `state(state)`, `renumbered(nth)`, `other()` and `finished()`; see `page.js`.
  constructor(data, kept, on) {
    this.data = data;
    this.kept = kept;
    this.on = on;
    this.place = "calibrant/" + data.paper.exercise + "/" + data.paper.grader + "/";
    this.window = String(Math.floor(Math.random() * 2 ** 48));
    this.waiting = new Map();
    this.lastNth = 0;
    this.known = data.marks.length;
    this.wait = FIRST_WAIT_S;
    this.sending = false;
    this.state = { kind: "saved", at: null };
    for (const key of kept.keys(this.place + "mark/")) this.queue(JSON.parse(kept.get(key)));
    addEventListener("storage", (event) => this.heard(event));
    addEventListener("online", () => this.send());
    this.tell("here");
  }

  // Marks that this browser holds and the page's data did not.
  held() {
    return [...this.waiting.values()];
  }

  queue(mark) {
    this.waiting.set(mark.nth, mark);
    this.lastNth = Math.max(this.lastNth, mark.nth);
  }

  // A number no other mark of this grader has: the time, with a random part so that two windows do not meet.
  nth() {
    const drawn = Date.now() * 1000 + Math.floor(Math.random() * 1000);
    this.lastNth = Math.max(this.lastNth + 1, drawn);
    return this.lastNth;
  }

  add(mark) {
    this.waiting.set(mark.nth, mark);
    this.kept.set(this.entry(mark.nth), JSON.stringify(mark));
    this.save();
  }

  // The name of a mark's entry: names sort as marks were made.
  entry(nth) {
    return this.place + "mark/" + String(nth).padStart(17, "0");
  }

  tell(kind) {
    this.kept.set(this.place + "window", JSON.stringify({ kind, window: this.window, at: Date.now() }));
  }

  heard(event) {
    if (event.key === null || !event.key.startsWith(this.place) || event.newValue === null) return;
    const said = JSON.parse(event.newValue);
    if (event.key === this.place + "window") {
      if (said.window === this.window) return;
      this.on.other();
      if (said.kind === "here") this.tell("also here");
    } else if (event.key.startsWith(this.place + "mark/")) {
      this.lastNth = Math.max(this.lastNth, said.nth);
      this.heardMark(said);
      this.on.marks([said]);
    } else {
      this.heardElse(event.key.slice(this.place.length));
    }
  }

  become(state) {
    this.state = state;
    this.on.state(state);
  }
}

// Served: marks go to the server, which answers when they are in the ledger.
class ServedKeeper extends Keeper {
  constructor(data, kept, on) {
    super(data, kept, on);
    // The other window sends its own marks, and this one knows them.
    this.theirs = new Set();
    this.most = MOST_SENT;
  }

  heardMark(mark) {
    this.theirs.add(mark.nth);
  }

  heardElse() {}

  save() {
    this.become(this.state.kind === "failed" ? this.state : { kind: "saving" });
    this.send();
  }

  async send() {
    if (this.sending || this.waiting.size === 0) return;
    this.sending = true;
    clearTimeout(this.timer);
    const batch = this.batch();
    const failure = await this.post(batch);
    this.sending = false;
    if (failure !== null && failure.kind === "refused") {
      this.refused(batch, failure);
      return;
    }
    if (failure !== null && failure.kind === "locked") {
      this.tooLate();
      return;
    }
    if (failure === null) {
      this.wait = FIRST_WAIT_S;
      for (const mark of batch) this.forget(mark.nth);
      if (this.waiting.size === 0) this.become({ kind: "saved", at: new Date() });
      else this.send();
      return;
    }
    this.become(failure);
    if (failure.kind === "failed") {
      this.timer = setTimeout(() => this.send(), this.wait * 1000);
      this.wait = Math.min(LAST_WAIT_S, this.wait * 2);
    }
  }

  // The oldest marks that fit into one request; at least one.
  batch() {
    const batch = [];
    let characters = 0;
    for (const mark of [...this.waiting.values()].sort((a, b) => a.nth - b.nth)) {
      characters += JSON.stringify(mark).length;
      if (batch.length > 0 && (batch.length >= this.most || characters > MOST_CHARACTERS)) break;
      batch.push(mark);
    }
    return batch;
  }

  // A mark that is refused never becomes right by being sent again: it is named, and the others go on their way.
  refused(batch, failure) {
    if (batch.length === 1) this.forget(batch[0].nth);
    this.most = batch.length === 1 ? MOST_SENT : 1;
    this.become(failure);
    this.send();
  }

  // The sheet was locked in another window: what came after is not part of it, and is not shown as if it were.
  async tooLate() {
    const late = this.waiting.size;
    for (const nth of [...this.waiting.keys()]) this.forget(nth);
    this.become({ kind: "locked", late });
    const answer = await fetch("api/marks", { headers: this.headers(), cache: "no-store" });
    if (answer.ok) this.on.anew((await answer.json()).marks);
  }

  forget(nth) {
    this.waiting.delete(nth);
    this.kept.remove(this.entry(nth));
  }

  // Null where the marks are in the ledger; else what to say.
  async post(batch) {
    let answer;
    try {
      answer = await this.fetch("api/marks", { marks: batch });
    } catch {
      return { kind: "failed", waiting: this.waiting.size };
    }
    if (answer.ok) {
      const { marks, last, late } = await answer.json();
      const expected = this.known + batch.length - late.length;
      this.known = marks;
      this.sendLater(last, batch.filter((mark) => late.includes(mark.nth)));
      // Marks of a window in another browser: this page takes them in, so that both show the same.
      if (marks > expected + this.theirs.size) this.catchUp();
      this.theirs.clear();
      return null;
    }
    if (answer.status === 409) return { kind: "locked" };
    if (answer.status === 401 || answer.status === 403) return { kind: "closed", waiting: this.waiting.size };
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) return { kind: "refused", why: await answer.text() };
    return { kind: "failed", waiting: this.waiting.size };
  }

  // Marks that another window overtook on their way: they are sent again, as the newest, in their order.
  sendLater(last, marks) {
    this.lastNth = Math.max(this.lastNth, last);
    for (const mark of marks) {
      const again = { ...mark, nth: this.nth() };
      this.waiting.set(again.nth, again);
      this.kept.set(this.entry(again.nth), JSON.stringify(again));
      this.on.renumbered(again.nth);
    }
  }

  async catchUp() {
    const answer = await fetch("api/marks", { headers: this.headers(), cache: "no-store" });
    if (!answer.ok) return;
    const { marks } = await answer.json();
    this.known = marks.length;
    if (this.on.marks(marks)) this.on.other();
  }

  async lock() {
    while (this.waiting.size > 0) {
      await this.send();
      if (["failed", "closed", "refused"].includes(this.state.kind)) return false;
      if (this.waiting.size > 0) await new Promise((done) => setTimeout(done, 50));
    }
    try {
      const answer = await this.fetch("api/lock", {});
      return answer.ok;
    } catch {
      return false;
    }
  }

  headers() {
    return { "content-type": "application/json", "x-calibrant-sheet": this.data.guard };
  }

  fetch(path, body) {
    return fetch(path, {
      method: "POST", headers: this.headers(), body: JSON.stringify(body), cache: "no-store", keepalive: JSON.stringify(body).length < 60000,
    });
  }

  isSafeToLeave() {
    return this.waiting.size === 0;
  }
}

// A file: marks stay in this browser, and go home in a file the grader saves.
class FileKeeper extends Keeper {
  constructor(data, kept, on) {
    super(data, kept, on);
    this.carried = Number(kept.get(this.place + "carried") || 0);
  }

  // The other window's marks are ours as well: one browser, one sheet.
  heardMark(mark) {
    this.waiting.set(mark.nth, mark);
  }

  heardElse(name) {
    if (name === "carried") this.carried = Number(this.kept.get(this.place + "carried") || 0);
    if (name === "finished") this.on.finished();
    this.become(this.state);
  }

  save() {
    this.become({ kind: this.kept.lasts ? "kept" : "fleeting", at: new Date(), loose: this.loose() });
  }

  // Marks that no saved file holds yet; times alone are not worth a reminder.
  loose() {
    return [...this.waiting.values()].filter((mark) => mark.nth > this.carried && mark.act !== "seen").length;
  }

  get finished() {
    return this.kept.get(this.place + "finished") !== null;
  }

  async lock() {
    this.kept.set(this.place + "finished", new Date().toISOString());
    return true;
  }

  result() {
    const marks = [...this.waiting.values()].sort((a, b) => a.nth - b.nth);
    const { exercise, grader } = this.data.paper;
    return { format: "calibrant.marks/1", exercise, grader, finished: this.finished, marks };
  }

  // Offers the result as a file to save.
  download() {
    const file = new Blob([JSON.stringify(this.result(), null, 1) + "\n"], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = fileName(this.data.paper);
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    this.carried = this.lastNth;
    this.kept.set(this.place + "carried", String(this.lastNth));
    this.save();
  }

  // Takes in a result saved elsewhere; returns what is wrong with it, or null.
  open(text) {
    let result;
    try {
      result = JSON.parse(text);
    } catch {
      return "This file holds no JSON. Choose the result file that this page saved.";
    }
    if (result === null || result.format !== "calibrant.marks/1" || !Array.isArray(result.marks)) {
      return "This file is no result of a sheet. Choose the result file that this page saved.";
    }
    const { exercise, grader } = this.data.paper;
    if (result.exercise !== exercise || result.grader !== grader) {
      return "This result belongs to another sheet: to " + visibleLine(String(result.grader)) + ", or to another round.";
    }
    const marks = result.marks.filter((mark) => Number.isSafeInteger(mark.nth) && typeof mark.act === "string" && typeof mark.unit === "string");
    for (const mark of marks) {
      this.queue(mark);
      this.kept.set(this.entry(mark.nth), JSON.stringify(mark));
    }
    if (result.finished === true) this.kept.set(this.place + "finished", new Date().toISOString());
    this.on.marks(marks);
    this.save();
    return null;
  }

  isSafeToLeave() {
    return this.loose() === 0;
  }
}

// A name for a file that no id can lead elsewhere.
function fileName(paper) {
  const grader = paper.grader.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 40) || "grader";
  return "result-" + grader + "-" + paper.exercise.slice(0, 8) + ".json";
}
