// Questions of the page to the grader, one at a time, in the browser's own dialog: focus stays inside, Esc leaves.

// Where the focus goes after a dialog whose opener is gone; the page sets it.
let afterDialog = () => {};

// Shows a dialog. `accept` returns null to close it, or what is wrong; where it is absent there is nothing to accept.
function ask({ title, body, accept = null, acceptWords = "Save", leaveWords = "Leave", focus = null }) {
  const dialog = $("dialog");
  const back = document.activeElement;
  const wrong = el("p", { class: "wrong", role: "alert" });
  const tools = el("p", { class: "dialog-tools" });
  const leave = button(leaveWords, () => dialog.close(), { class: "quiet" });
  const form = dialog.querySelector("form");
  if (accept !== null) tools.append(el("button", { type: "submit", class: "main" }, acceptWords));
  tools.append(leave);
  $("dialog-title").textContent = title;
  $("dialog-body").replaceChildren(...body, wrong, tools);
  form.onsubmit = (event) => {
    event.preventDefault();
    const trouble = accept === null ? null : accept();
    if (trouble === null) dialog.close();
    else wrong.textContent = trouble;
  };
  dialog.onclose = () => {
    $("dialog-body").replaceChildren();
    if (back && back !== document.body && back.isConnected) back.focus({ preventScroll: true });
    else afterDialog();
  };
  if (dialog.open) dialog.close();
  dialog.showModal();
  (focus || $("dialog-title")).focus();
  return dialog;
}

function typingBadge() {
  return el("p", { class: "typing" }, "keys are off while typing");
}

// A text box that takes Ctrl+Enter, or Enter where it has one line, for "save".
function textBox(label, value, lines) {
  const box = lines > 1 ? el("textarea", { rows: String(lines), id: "box", dir: "auto" }) : el("input", { type: "text", id: "box", dir: "auto" });
  box.value = value;
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) box.form.requestSubmit();
  });
  return { box, parts: [el("label", { for: "box" }, label), box, typingBadge()] };
}

function askComment(before, keep) {
  const { box, parts } = textBox("Your comment on this question of this answer", before, 5);
  ask({
    title: "Comment", body: [...parts, el("p", { class: "soft" }, "Ctrl+Enter saves.")], focus: box,
    accept: () => {
      keep(box.value.trim());
      return null;
    },
  });
}

const SKIP_REASONS = ["Later", "Not my field", "The text is damaged", "I know this text"];

function askSkip(openHere, keep) {
  const { box, parts } = textBox("Why? A word is enough; a skipped question is counted apart and can be answered later.", "", 1);
  const all = el("input", { type: "checkbox", id: "all" });
  const quick = el("p", { class: "quick" }, ...SKIP_REASONS.map((reason) => button(reason, () => { box.value = reason; box.form.requestSubmit(); }, { class: "quiet" })));
  const whole = openHere > 1 ? [el("p", {}, all, " ", el("label", { for: "all" }, "all " + openHere + " open questions of this answer"))] : [];
  ask({
    title: "Skip", body: [...parts, quick, ...whole], acceptWords: "Skip", focus: box,
    accept: () => {
      if (box.value.trim() === "") return "A skip needs a reason.";
      keep(box.value.trim(), all.checked);
      return null;
    },
  });
}

// The list of keys, in which each can be changed.
function showKeys(keys, actions, changed) {
  const rows = el("table", { class: "keys" });
  const said = el("p", { class: "wrong", role: "alert" });
  const fill = (focusOn = null) => {
    rows.replaceChildren(...actions.map((action) => keyRow(action, keys, rows, said, fill)));
    const again = focusOn === null ? null : rows.querySelector('[data-change="' + focusOn + '"]');
    if (again) again.focus();
    changed();
  };
  fill();
  const reset = button("Back to the first keys", () => { keys.reset(); said.textContent = ""; fill(); }, { class: "quiet" });
  ask({
    title: "Keys", leaveWords: "Close",
    body: [el("p", { class: "soft" }, "One key answers, saves and goes on. Page keys and the space bar scroll. Keys are off while you type."), rows, said, el("p", {}, reset)],
  });
}

function keyRow(action, keys, rows, said, fill) {
  const change = el("button", { type: "button", class: "quiet", "data-change": action.id, "aria-label": "Change the key of: " + action.words }, "Change");
  change.addEventListener("click", () => {
    change.textContent = "Press a key";
    said.textContent = "Press the new key for: " + action.words + ". Esc leaves it as it is.";
    const take = (event) => {
      const key = pressed(event);
      if (key === null) return;
      event.preventDefault();
      event.stopPropagation();
      change.removeEventListener("keydown", take);
      const taken = key === "Escape" ? undefined : keys.bind(action.id, key);
      if (taken === undefined) said.textContent = "";
      else if (taken === null) said.textContent = action.words + ": " + keyWords(key);
      else said.textContent = keyWords(key) + " is taken by “" + taken.words + "”; nothing was changed.";
      fill(action.id);
    };
    change.addEventListener("keydown", take);
  });
  const caps = keys.of(action.id).map((key) => el("kbd", {}, keyWords(key)));
  return el("tr", {}, el("th", { scope: "row" }, action.words), el("td", {}, ...caps), el("td", {}, change));
}

// Every answer as a button that leads to it.
function showOverview(page) {
  const dialog = $("dialog");
  const leaving = (then) => () => {
    dialog.close();
    then();
  };
  const tiles = page.paper.units.map((unit, place) => overviewTile(page, unit, place, leaving(() => page.goToUnit(place))));
  const legend = el("p", { class: "soft" }, "Filled: answered. Half: begun. Striped: with a skip. ⚑: flagged.");
  const tools = el("p", { class: "quick" });
  if (page.sheet.counts().open === 0) tools.append(button("Finish", leaving(() => page.showFinish())));
  if (page.data.kind === "file" && !page.locked) tools.append(button("Open a saved result", leaving(() => page.openFile())));
  ask({ title: "Overview", leaveWords: "Close", body: [el("div", { class: "tiles" }, ...tiles), legend, ...(tools.firstChild ? [tools] : [])] });
}

function overviewTile({ sheet, unit: at }, unit, place, press) {
  const cells = sheet.criteriaOf(unit).map(({ criterion }) => sheet.cell(unit.unit, criterion));
  const decided = cells.filter(({ answer }) => answer !== null).length;
  const isSkipped = cells.some(({ answer }) => answer !== null && answer.act === "skip");
  const isFlagged = cells.some(({ flagged }) => flagged);
  const begun = decided > 0 ? "begun" : "open";
  const kind = decided < cells.length ? begun : isSkipped ? "skipped" : "done";
  const words = "Answer " + (place + 1) + ": " + decided + " of " + cells.length + (isSkipped ? ", skipped" : "") + (isFlagged ? ", flagged" : "");
  const attributes = { type: "button", class: "tile " + kind, "aria-label": words, title: words, "aria-current": place === at ? "true" : null };
  const tile = el("button", attributes, String(place + 1), isFlagged ? el("span", { class: "tile-flag" }, "⚑") : null);
  tile.addEventListener("click", press);
  return tile;
}
