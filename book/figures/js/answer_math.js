// Reads what a reader has typed, and judges it as Python does (`complaint` in book/judging.py).

const SIGNS = [[/[−–]/g, "-"], [/[·×]/g, "*"], [/[÷⁄]/g, "/"], [/√/g, " sqrt "], [/(\d)[\s\u202f]+(?=\d)/g, "$1"]];
const TOKEN = /\s*(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|[a-z]+|[-+*/^()%])/gy;
const NAMED = { log: Math.log, ln: Math.log, exp: Math.exp, sqrt: Math.sqrt };
// 1,000: thousands to one reader, thousandths to another.
const TWO_READINGS = /(?:^|[^\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])/;

function tokensOf(text) {
  TOKEN.lastIndex = 0;
  const found = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const token = TOKEN.exec(text);
    if (!token) return null;
    found.push(token[1]);
  }
  return found;
}

// The number that a text is, NaN if it is none: 0.75, 0,75, 75%, 3/4, 2 log 10, e^-2, (1 + √6)/5.
export function readNumber(text) {
  let plain = text.trim().toLowerCase();
  if (TWO_READINGS.test(plain)) return NaN;
  for (const [sign, to] of [...SIGNS, [/(\d),(?=\d)/g, "$1."]]) plain = plain.replace(sign, to);
  const tokens = tokensOf(plain.trim());
  if (!tokens?.length) return NaN;
  let at = 0;
  const next = (...wanted) => (wanted.includes(tokens[at]) ? tokens[at++] : null);
  function atom() {
    const token = tokens[at++];
    if (token === "e") return Math.E;
    if (token === "(") {
      const inside = sum();
      return next(")") ? inside : NaN;
    }
    if (Object.hasOwn(NAMED, token)) return NAMED[token](tokens[at] === "(" ? atom() : power());
    const number = /^[\d.]/.test(token) ? Number(token) : NaN;
    return next("%") ? number / 100 : number;
  }
  function power() {
    const base = atom();
    return next("^") ? base ** signed() : base;
  }
  const signed = () => (next("-") ? -signed() : (next("+"), power()));
  function product() {
    let all = signed();
    while (/^[*/(a-z]/.test(tokens[at] ?? "")) {
      if (next("/")) all /= signed();
      else all *= (next("*"), signed()); // 2 log 10 needs no sign
    }
    return all;
  }
  function sum() {
    let all = product();
    for (let sign = next("+", "-"); sign; sign = next("+", "-")) all += sign === "+" ? product() : -product();
    return all;
  }
  const value = sum();
  return at === tokens.length && Number.isFinite(value) ? value : NaN;
}

const near = (row, wanted, within) => row.every((x, i) => Math.abs(x - wanted[i]) <= within);
const side = (x, right) => `too ${x < right ? "small" : "large"}`;

const JUDGES = {
  number({ right, within, slips }, x) {
    if (Math.abs(x - right) <= within) return null;
    const slip = slips.find(([value, room]) => Math.abs(x - value) <= room);
    return slip ? slip[2] : `T${side(x, right).slice(1)}.`;
  },
  row({ names, right, within, weights, slips }, row) {
    if (near(row, right, within)) return null;
    const slip = slips.find(([wanted, room]) => near(row, wanted, room));
    if (slip) return slip[2];
    if (weights && row.some((x) => x < 0)) return "A weight is never below 0.";
    const beyond = row.reduce((sum, x) => sum + x, 0) - 1;
    if (weights && Math.abs(beyond) > row.length * within) {
      return `The weights sum to ${beyond > 0 ? "more" : "less"} than 1.`;
    }
    const i = row.findIndex((x, k) => Math.abs(x - right[k]) > within);
    return `“${names[i]}” is ${side(row[i], right[i])}.`;
  },
  choice: ({ wrong }, word) => wrong[word] ?? null,
  words({ options, right, wrong }, given) {
    const misplaced = options.find((word) => given.includes(word) !== right.includes(word));
    return misplaced === undefined ? null : wrong[misplaced];
  },
};

const OPEN = {
  number: "Type your answer first.", row: "Fill in every field first.", choice: "Choose an answer first.",
  words: "Tick at least one first.",
};
const unread = (text) => (TWO_READINGS.test(text)
  ? `“${text.trim()}” can be read in two ways: leave the comma out, or write a point.`
  : `“${text.trim()}” is not a number that I can read.`);

// What becomes of an answer, given as text: {word, says}.
export function judge({ asked, why }, given) {
  const open = { word: "Open", says: OPEN[asked.kind] };
  const verdict = (says) => (says === null ? { word: "Right", says: why } : { word: "Not yet", says });
  if (asked.kind === "choice") return asked.options.includes(given) ? verdict(JUDGES.choice(asked, given)) : open;
  if (asked.kind === "words") {
    const words = given.split(",").filter((word) => asked.options.includes(word));
    return words.length ? verdict(JUDGES.words(asked, words)) : open;
  }
  const texts = asked.kind === "row" ? given.split(";") : [given];
  if (texts.length !== (asked.names ?? [0]).length || !texts.every((text) => text.trim())) return open;
  const numbers = texts.map(readNumber);
  const bad = numbers.findIndex(Number.isNaN);
  if (bad >= 0) return { word: "Not yet", says: unread(texts[bad]) };
  return verdict(JUDGES[asked.kind](asked, asked.kind === "row" ? numbers : numbers[0]));
}
