// The tokens of the pretrained encoder: pieces of words, as its own tokenizer makes them.
//
// Here and in encoder_engine.js each part is a function declaration that uses no name but those of the others, so
// that all of it can be sent to a Worker as text.

// A text as the vocabulary has it: typed marks apart, no control characters, no accents, lower case, and spaces
// around each sign and each ideograph. Parts that are marks are strings that begin with "[".
function plainWords(text) {
  const spaces = /[\t\n\r\p{Zs}\u2028\u2029]/gu;
  // Letter by letter, since JavaScript makes of a whole word's last Σ a ς. What is not assigned (\p{Cn}) stays: it
  // may be younger than this list.
  const lower = (part) => Array.from(part, (letter) => letter.toLowerCase()).join("");
  const clean = (part) =>
    part
      .replace(/[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, "")
      .replace(spaces, " ")
      .replace(ideographs(), " $& ")
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");
  const signs = /[!-/:-@[-`{-~]|\p{P}/gu;
  return text.split(/(\[(?:PAD|UNK|CLS|SEP|MASK)\])/u).flatMap((part, i) => {
    if (i % 2) return [part];
    return lower(clean(part)).replace(signs, " $& ").split(/[\s\u0085]+/u).filter(Boolean);
  });
}

// The ideographs that are words of their own, in the ranges that the tokenizer has for them.
function ideographs() {
  const ranges = [
    [0x3400, 0x4dbf], [0x4e00, 0x9fff], [0xf900, 0xfaff], [0x20000, 0x2a6df], [0x2a700, 0x2b73f],
    [0x2b740, 0x2b81f], [0x2b920, 0x2ceaf], [0x2f800, 0x2fa1f],
  ];
  const written = ranges.map(([low, high]) => `\\u{${low.toString(16)}}-\\u{${high.toString(16)}}`);
  return new RegExp(`[${written.join("")}]`, "gu");
}

// A tokenizer with this vocabulary, one word a line: of a text its tokens between two marks, their ids, and if it
// was `cut` since it has more than `most`.
export function wordPieces(lines, most) {
  const words = lines.split("\n");
  const ids = new Map(words.map((word, id) => [word, id]));

  // The longest piece first, again and again; a word of which some part is in no piece is unknown as a whole.
  function pieces(word) {
    const letters = Array.from(word);
    const found = [];
    if (letters.length > 100) return ["[UNK]"];
    for (let from = 0; from < letters.length; ) {
      let to = letters.length;
      const piece = () => (from ? "##" : "") + letters.slice(from, to).join("");
      while (to > from && !ids.has(piece())) to -= 1;
      if (to === from) return ["[UNK]"];
      found.push(piece());
      from = to;
    }
    return found;
  }

  return (text) => {
    const found = plainWords(text).flatMap(pieces);
    const tokens = ["[CLS]", ...found.slice(0, most - 2), "[SEP]"];
    return { tokens, ids: tokens.map((token) => ids.get(token)), cut: found.length > most - 2 };
  };
}

// All of this as text.
export function tokensText() {
  return [plainWords, ideographs, wordPieces].join("\n");
}
