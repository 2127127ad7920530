// Which sections of the book answer a question, and in what order. It reads SEARCH_INDEX and touches no page.
//
// Each word of the question is looked for by itself. What it counts for depends on where it stands: in the title
// of a page most, then in a heading or a name, then in the text, where a rare word counts for more. A synonym
// counts in titles and headings alone, and for less; so does a longer word that begins with what was asked. The
// title of the page around a section helps a section that has something of its own. A section that has every word
// comes with the sum of them; only where none has all do those with some of them come.

const COUNTS = { page: 100, section: 40, function: 40, term: 40, source: 20, verdict: 10 };
const AROUND = 12;
const TEXT = 2; // at most 25 with the rarest words
const IN_LAST_PARTS = 0.3; // of that, in exercises and in what comes next, which name what is treated elsewhere
const AS_SYNONYM = 0.6;
const AS_BEGINNING = 0.3;

// ---- words --------------------------------------------------------------------------------------

const PIECES = /[\p{L}\p{N}\p{M}_]+|[√∞]/gu;
const plain = (text) => text.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase();
const wordsOf = (text) => (text.match(PIECES) ?? []).flatMap((piece) => plain(piece).match(PIECES) ?? []);

// Endings that make no other word: weight, weights, weighted; scale, scaling; entropy, entropies.
const ENDING = /(?:ies|ings|ing|ed|es|s|e|y)$/;
const ENDINGS = new Set(["", "e", "ed", "es", "s", "y", "ies", "ing", "ings"]);
const stem = (word) => {
  if (word.includes("_") || word.endsWith("ss")) return word;
  const short = word.replace(ENDING, "");
  return short.length > 2 ? short : word;
};

// How well a word of the book fits one of the question: 1 if it is the same but for its ending, less if longer.
const fit = (word, asked) => {
  if (word === asked) return 1;
  const start = stem(asked);
  if (start.length > 2 && word.startsWith(start) && ENDINGS.has(word.slice(start.length))) return 1;
  return asked.length > 2 && word.startsWith(asked) ? AS_BEGINNING : 0;
};

// ---- the index, unpacked ------------------------------------------------------------------------

const COMMON = new Set(SEARCH_INDEX.common.split(" "));
const isTelling = (word) => !COMMON.has(word) && !/^[a-z0-9]$/.test(word);
const without = (words, test) => (words.some(test) ? words.filter(test) : words);

// What each section is: where it leads, what it is called, what surrounds it.
const SECTIONS = SEARCH_INDEX.sections.map(([page, kind, anchor, title, line]) => {
  const [address, pageTitle, group, part] = SEARCH_INDEX.pages[page];
  const href = kind === "page" ? address : `${address}#${anchor}`;
  const words = without(wordsOf(title), (word) => !COMMON.has(word));
  return { kind, href, anchor, title, line, pageTitle, group, part, words, around: wordsOf(pageTitle) };
});
const VOCABULARY = SEARCH_INDEX.words.split(" ");
const PLACES = SEARCH_INDEX.places.split(" ");
const SYNONYMS = Object.entries(SEARCH_INDEX.synonyms).map(([words, others]) => [
  words.split(" "), wordsOf(others),
]);

// The sections whose text has a word, as [number, how much]: "3,1.,a.." is in sections
// 3, 4 and 14, there more often.
const placesOf = (k) => {
  let number = 0;
  return PLACES[k].split(",").map((place) => {
    const [step] = place.split(".");
    number += parseInt(step, 36);
    return [number, 1 + (place.length - step.length) / 2];
  });
};

// ---- one word of the question -------------------------------------------------------------------

// How well some words have what is asked for; the earlier among them, the better, for a title has its topic first.
const fitIn = (words, asked) => words.reduce(
  (best, word, k) => Math.max(best, fit(word, asked) * (0.7 + 0.3 / (1 + k))), 0);

// What the word counts for in the title of each section.
const inTitles = (asked) => SECTIONS.map(({ kind, words }) => fitIn(words, asked) * COUNTS[kind]);

// What the word counts for in the text of each section.
function inTexts(asked) {
  const counts = SECTIONS.map(() => 0);
  VOCABULARY.forEach((word, k) => {
    const fits = fit(word, asked);
    if (!fits) return;
    const places = placesOf(k);
    const rare = Math.log(1 + SECTIONS.length / places.length);
    for (const [number, often] of places) {
      const part = /^(exercises|next)\b/.test(SECTIONS[number].anchor) ? IN_LAST_PARTS : 1;
      counts[number] = Math.max(counts[number], fits * rare * often * part * TEXT);
    }
  });
  return counts;
}

// The other words for one word of a question; those of several words need the whole question.
const synonymsOf = (asked, question) => SYNONYMS
  .filter(([words]) => words.some((word) => fit(word, asked) === 1))
  .filter(([words]) => words.every((word) => question.some((one) => fit(word, one) === 1)))
  .flatMap(([, others]) => others);

// What the word counts for in each section, by itself and by the best of its synonyms.
function countsOf(asked, question) {
  const [titles, texts] = [inTitles(asked), inTexts(asked)];
  const others = synonymsOf(asked, question).map(inTitles);
  return titles.map((count, k) => Math.max(count, ...others.map((other) => AS_SYNONYM * other[k])) + texts[k]);
}

// ---- the question -------------------------------------------------------------------------------

// A name as it may be typed: causal_mask, causal mask, Chernoff('s) exponent, value (of a token).
const nameOf = (text) => wordsOf(text.replace(/\(.*?\)/g, "").replace(/[’']s\b/g, "").replace(/_/g, " "));
const isNamed = ({ kind, title }, name) => {
  if (kind !== "function" && kind !== "term") return false;
  const own = nameOf(title);
  return own.length === name.length && own.every((word, k) => fit(word, name[k]) === 1);
};

// Every section that has one of the words, with how many of them it has and what they count for.
function scored(asked, question) {
  const counts = asked.map((word) => countsOf(word, question));
  return SECTIONS.map((section, k) => {
    const own = counts.map((count) => count[k]);
    const around = asked.map((word) => fitIn(section.around, word) * AROUND);
    const has = own.some(Boolean) ? own.filter((count, w) => count + around[w] > 0).length : 0;
    return { section, has, score: [...own, ...around].reduce((sum, one) => sum + one, 0) };
  });
}

// The results for a question: those to start with, the rest by groups, the words to mark, and whether all were
// found. What the reader asked for by its name, in the glossary or the reference, stands beside the best chapter.
function search(text) {
  const whole = text.replace(/^\s*lib\./, "");
  const question = [...new Set(wordsOf(whole))];
  const asked = without(question, isTelling);
  const found = scored(asked, question);
  const most = Math.max(0, ...found.map(({ has }) => has));
  const results = found.filter(({ has }) => has && has === most)
    .sort((a, b) => b.score - a.score).map(({ section }) => section);
  const named = results.filter((section) => isNamed(section, nameOf(whole))).sort((a, b) => b.group - a.group);
  const chapter = results.find(({ group }) => group === 0);
  const first = named.length ? [chapter, ...named.slice(0, 2)].filter(Boolean) : [];
  const rest = results.filter((section) => !first.includes(section));
  const groups = SEARCH_INDEX.groups.map((name, group) => [name, rest.filter((one) => one.group === group)]);
  const marked = [...asked, ...asked.flatMap((word) => synonymsOf(word, question))];
  return { first, groups, total: results.length, complete: most === asked.length, marked };
}

// Whether a word of a result is one of those that were asked for.
const isMarked = (piece, marked) => wordsOf(piece).some((word) => marked.some((asked) => fit(word, asked) > 0));
