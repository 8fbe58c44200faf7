// Keys: which key does what, and how a grader changes it. Keys are names of `event.key`, so they follow the keyboard's layout.

// `scope` is the kind of criterion an action belongs to; "any" is all of them.
const ACTIONS = [
  { id: "met", scope: "binary", words: "Met", keys: ["1", "y"] },
  { id: "not-met", scope: "binary", words: "Not met", keys: ["2", "n"] },
  { id: "cannot-3", scope: "binary", words: "Cannot assess (yes/no questions)", keys: ["3"] },
  ...Array.from({ length: 10 }, (_, digit) => ({
    id: "level-" + digit, scope: "levels", words: "Level with the digit " + digit, keys: [String(digit)],
  })),
  { id: "cannot", scope: "any", words: "Cannot assess", keys: ["x"] },
  { id: "unclear", scope: "any", words: "The criterion is unclear", keys: ["q"] },
  { id: "not-applicable", scope: "any", words: "Does not apply here", keys: ["a"] },
  { id: "skip", scope: "any", words: "Skip, with a reason", keys: ["s"] },
  { id: "undo", scope: "any", words: "Undo", keys: ["u", "Ctrl+z"] },
  { id: "flag", scope: "any", words: "Flag, or take the flag away", keys: ["f"] },
  { id: "comment", scope: "any", words: "Comment", keys: ["c"] },
  { id: "evidence", scope: "any", words: "Mark the selected text as evidence", keys: ["e"] },
  { id: "complete", scope: "any", words: "Complete this answer and go on", keys: ["Enter"] },
  { id: "down", scope: "any", words: "Next criterion", keys: ["ArrowDown"] },
  { id: "up", scope: "any", words: "Criterion before", keys: ["ArrowUp"] },
  { id: "right", scope: "any", words: "Next answer", keys: ["ArrowRight"] },
  { id: "left", scope: "any", words: "Answer before", keys: ["ArrowLeft"] },
  { id: "next-open", scope: "any", words: "Next open question", keys: ["o"] },
  { id: "overview", scope: "any", words: "Overview of all answers", keys: ["m"] },
  { id: "help", scope: "any", words: "This list of keys", keys: ["?", "h"] },
];
const KEYS_KEPT = "calibrant.keys";

class Keys {
  constructor(kept) {
    this.kept = kept;
    this.bound = new Map(ACTIONS.map((action) => [action.id, [...action.keys]]));
    let changed = {};
    try {
      changed = JSON.parse(kept.get(KEYS_KEPT) || "{}");
    } catch {
      changed = {};
    }
    for (const [id, keys] of Object.entries(changed)) {
      const isKeys = Array.isArray(keys) && keys.every((key) => typeof key === "string");
      if (this.bound.has(id) && isKeys) this.bound.set(id, keys);
    }
  }

  of(id) {
    return this.bound.get(id);
  }

  // The first key of an action as it stands on a button.
  label(id) {
    const [key] = this.of(id);
    return key === undefined ? "" : keyWords(key);
  }

  // The action of a key for a criterion of this scope, or null.
  action(key, scope) {
    const matches = (action) => (action.scope === "any" || action.scope === scope) && this.of(action.id).includes(key);
    const found = ACTIONS.find(matches);
    return found ? found.id : null;
  }

  // The action that has this key already where both could be meant, or null.
  conflict(id, key) {
    const { scope } = ACTIONS.find((action) => action.id === id);
    const meet = (other) => other.id !== id && (other.scope === scope || other.scope === "any" || scope === "any");
    return ACTIONS.find((other) => meet(other) && this.of(other.id).includes(key)) || null;
  }

  // Gives an action this one key; the conflict is returned and nothing changes where there is one.
  bind(id, key) {
    const taken = this.conflict(id, key);
    if (taken === null) {
      this.bound.set(id, [key]);
      this.keep();
    }
    return taken;
  }

  reset() {
    for (const action of ACTIONS) this.bound.set(action.id, [...action.keys]);
    this.kept.remove(KEYS_KEPT);
  }

  keep() {
    this.kept.set(KEYS_KEPT, JSON.stringify(Object.fromEntries(this.bound)));
  }
}
