// What was pressed, whatever the keyboard.

const KEY_WORDS = { ArrowDown: "↓", ArrowUp: "↑", ArrowRight: "→", ArrowLeft: "←", " ": "Space", Escape: "Esc" };

function keyWords(key) {
  if (KEY_WORDS[key]) return KEY_WORDS[key];
  return key.length === 1 ? key.toUpperCase() : key;
}

// What was pressed, as keys are written here; null for a key that only changes others, or that the browser means for itself.
function pressed(event) {
  if (["Shift", "Control", "Alt", "Meta", "AltGraph", "Dead", "Process", "Tab"].includes(event.key)) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.altKey) return null;
  if (event.ctrlKey || event.metaKey) return key === "z" && !event.shiftKey ? "Ctrl+z" : null;
  return key;
}

// The key at the same place of a Latin keyboard, for layouts in which a letter key writes no Latin letter, or a digit needs Shift.
function sameplace(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  const letter = /^Key([A-Z])$/.exec(event.code || "");
  if (letter && !/^[a-z]$/i.test(event.key)) return letter[1].toLowerCase();
  const digit = /^Digit([0-9])$/.exec(event.code || "");
  return digit && !/^[0-9]$/.test(event.key) ? digit[1] : null;
}

function isTyping() {
  const at = document.activeElement;
  return at !== null && (at.tagName === "TEXTAREA" || at.tagName === "SELECT" || (at.tagName === "INPUT" && at.type !== "checkbox"));
}
