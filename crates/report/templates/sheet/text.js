// Text from outside, made safe to look at: nothing hidden, nothing that moves the text around it.
//
// The list is that of `report::text`. A joiner between letters of scripts that are written with joiners, or between the parts of
// an emoji, is spelling and stays; anywhere else it is shown.

const HIDDEN_RUN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\u{e0000}-\u{e0fff}]+/gu;
const JOINED_LETTER =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u;
const EMOJI_PART = /[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}]/u;
const MARK_NAMES = {
  "\u00ad": "soft hyphen", "\u200b": "zero-width space", "\u200c": "non-joiner", "\u200d": "joiner", "\u200e": "left-to-right mark",
  "\u200f": "right-to-left mark", "\u2028": "line separator", "\u2029": "paragraph separator", "\u202a": "left-to-right embedding",
  "\u202b": "right-to-left embedding", "\u202c": "end of direction", "\u202d": "left-to-right override",
  "\u202e": "right-to-left override", "\u2060": "word joiner", "\u2066": "left-to-right isolate", "\u2067": "right-to-left isolate",
  "\u2068": "first-strong isolate", "\u2069": "end of isolate", "\ufeff": "byte order mark", "\u0000": "null",
};
// Kinds of hidden characters spelt out in one run.
const MOST_MARKS = 8;

function codePoint(character) {
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

function isSpelling(text, start, run) {
  if (run !== "\u200c" && run !== "\u200d") return false;
  const before = Array.from(text.slice(Math.max(0, start - 2), start)).pop() || "";
  const after = Array.from(text.slice(start + 1, start + 3))[0] || "";
  const joins = (letter) => letter !== "" && (JOINED_LETTER.test(letter) || (run === "\u200d" && EMOJI_PART.test(letter)));
  return joins(before) && joins(after);
}

// A run of hidden characters in words: "U+200B zero-width space ×3".
function inWords(run) {
  const kinds = [];
  for (const character of run) {
    const last = kinds[kinds.length - 1];
    if (last && last.character === character) last.count += 1;
    else kinds.push({ character, count: 1 });
  }
  const words = kinds.slice(0, MOST_MARKS).map(({ character, count }) => {
    const name = MARK_NAMES[character] ? " " + MARK_NAMES[character] : "";
    return codePoint(character) + name + (count > 1 ? " ×" + count : "");
  });
  if (kinds.length > MOST_MARKS) words.push(kinds.length - MOST_MARKS + " more");
  return words.join(", ");
}

// The text in pieces `{start, end, mark}` in code units; `mark` is what to show instead of hidden characters.
function piecesOf(text) {
  const pieces = [];
  let shown = 0;
  const plain = (end) => {
    if (end > shown) pieces.push({ start: shown, end, mark: null });
  };
  for (const match of text.matchAll(HIDDEN_RUN)) {
    const start = match.index;
    const end = start + match[0].length;
    if (isSpelling(text, start, match[0])) continue;
    plain(start);
    // A carriage return that belongs to a line end is the line end.
    const lineEnd = match[0].endsWith("\r") && text[end] === "\n";
    const run = lineEnd ? match[0].slice(0, -1) : match[0];
    if (run !== "") pieces.push({ start, end, mark: inWords(run) });
    shown = end;
  }
  plain(text.length);
  return pieces;
}

// Fills an element with a text that begins at `base` of a longer one, with the code units of `spans` marked.
// Returns its leaves `{node, start, end}`, by which a selection finds its place in the longer text.
function fillWithText(element, text, base = 0, spans = []) {
  const leaves = [];
  const parts = document.createDocumentFragment();
  const add = (parent, start, end, mark) => {
    if (mark !== null) {
      const shown = document.createElement("span");
      shown.className = "hidden-mark";
      shown.textContent = "⟨" + mark + "⟩";
      parent.append(shown);
      leaves.push({ node: shown, start: base + start, end: base + end });
    } else {
      const node = document.createTextNode(text.slice(start, end));
      parent.append(node);
      leaves.push({ node, start: base + start, end: base + end });
    }
  };
  const edges = spans.flatMap(({ start, end }) => [start - base, end - base]).sort((left, right) => left - right);
  const isMarked = (place) => spans.some(({ start, end }) => start - base <= place && place < end - base);
  for (const piece of piecesOf(text)) {
    // A run of hidden characters is shown whole, marked where its beginning is.
    const cuts = piece.mark === null ? edges.filter((cut, at) => cut > piece.start && cut < piece.end && cut !== edges[at - 1]) : [];
    const ends = [...cuts, piece.end];
    let start = piece.start;
    for (const end of ends) {
      const parent = isMarked(start) ? document.createElement("mark") : parts;
      add(parent, start, end, piece.mark);
      if (parent !== parts) parts.append(parent);
      start = end;
    }
  }
  element.replaceChildren(parts);
  return leaves;
}

// The part of a text that a selection covers, in code units, or null.
function selectedSpan(leaves, range) {
  let start = null;
  let end = null;
  for (const leaf of leaves) {
    if (!range.intersectsNode(leaf.node)) continue;
    const isText = leaf.node.nodeType === Node.TEXT_NODE;
    const from = isText && leaf.node === range.startContainer ? leaf.start + range.startOffset : leaf.start;
    const to = isText && leaf.node === range.endContainer ? leaf.start + range.endOffset : leaf.end;
    if (to <= from) continue;
    start = start === null ? from : Math.min(start, from);
    end = end === null ? to : Math.max(end, to);
  }
  return start === null ? null : { start, end };
}

// Code units to characters and back: marks count characters, as every other program does.
function charactersBefore(text, unit) {
  let count = 0;
  for (const _ of text.slice(0, unit)) count += 1;
  return count;
}

function unitsBefore(text, characters) {
  let units = 0;
  let left = characters;
  for (const character of text) {
    if (left === 0) break;
    units += character.length;
    left -= 1;
  }
  return units;
}

// One line of someone's text, hidden characters in words.
function visibleLine(text) {
  return text
    .split(/\s+/u)
    .join(" ")
    .replace(HIDDEN_RUN, (run, start, whole) => (isSpelling(whole, start, run) ? run : "⟨" + inWords(run) + "⟩"));
}
