// Which of two nouns each head looks at more: the twin of book/encoder_story.py. A table of weights is flat, in
// the order pair, sentence of the pair, head through all layers, noun.
export const EVERY_HEAD = 72;
const MOST_KEPT = 65535; // of 16 bits

export function nounWeights(packed) {
  const bytes = atob(packed);
  return Float64Array.from({ length: bytes.length / 2 }, (_, i) =>
    (bytes.charCodeAt(2 * i) + 256 * bytes.charCodeAt(2 * i + 1)) / MOST_KEPT);
}

const NOUNS = 2;
export const placeIn = (sentence, head) => (sentence * EVERY_HEAD + head) * NOUNS;

// The weights of "it" on the first and on the second noun.
export function onNouns(table, pair, which, head) {
  const at = placeIn(2 * pair + which, head);
  return [table[at], table[at + 1]];
}

// Whether a head is right: in the first sentence of a pair "it" is the first noun, in the second the second.
export function isRight(table, pair, which, head) {
  const [first, second] = onNouns(table, pair, which, head);
  return which ? second > first : first > second;
}
export const timesRight = (table, pair, head) => isRight(table, pair, 0, head) + isRight(table, pair, 1, head);

const pairsIn = (table) => table.length / placeIn(2, 0);
const allPairs = (table) => [...Array(pairsIn(table)).keys()];

// For how many pairs each head is right in both sentences.
export const bothCounts = (table) => Array.from({ length: EVERY_HEAD }, (_, head) =>
  allPairs(table).filter((pair) => timesRight(table, pair, head) === 2).length);

// How often a head is right, and how much of its weight is on the nouns.
export function storyOf(table, head) {
  const pairs = allPairs(table);
  const times = pairs.map((pair) => timesRight(table, pair, head));
  const many = (count) => times.filter((one) => one === count).length;
  const sums = pairs.flatMap((pair) => [0, 1].map((which) => {
    const [first, second] = onNouns(table, pair, which, head);
    return first + second;
  }));
  return {
    both: many(2), one: many(1), none: many(0), of: pairs.length, sentences: many(2) * 2 + many(1),
    share: sums.reduce((sum, x) => sum + x, 0) / sums.length,
  };
}

// The pairs in three groups: right in both sentences, in one, in none. Those that lean to the first noun stand
// before those that lean to the second.
export function groupsOf(table, head) {
  const first = (pair) => [0, 1].reduce((sum, which) => {
    const [a, b] = onNouns(table, pair, which, head);
    return sum + Math.sign(a - b);
  }, 0);
  const times = (count) => allPairs(table).filter((pair) => timesRight(table, pair, head) === count);
  return [2, 1, 0].map((count) => times(count).sort((a, b) => first(b) - first(a) || a - b));
}

// Where each pair stands, in lines and columns, if each group begins a line: {at: [[column, line, group]], lines}.
export function standing(groups, columns) {
  const at = [];
  let line = 0;
  groups.forEach((pairs, group) => {
    pairs.forEach((pair, i) => (at[pair] = [i % columns, line + Math.floor(i / columns), group]));
    line += Math.ceil(pairs.length / columns);
  });
  return { at, lines: line };
}

// The places of the tokens that make a word, which may be in several pieces.
export function placesOf(tokens, word) {
  for (let first = 0; first < tokens.length; first++) {
    let made = "";
    for (let last = first; last < tokens.length && made.length < word.length; last++) {
      made += tokens[last].replace(/^##/, "");
      if (made === word) return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    }
  }
  return [];
}

// Writes into a table (pairs_math.js) what "it" gives both nouns in a sentence that has been run.
export function writeNouns(table, { place, tokens, layers }, nouns) {
  const n = tokens.length;
  const asks = tokens.indexOf("it");
  const places = nouns.map((noun) => placesOf(tokens, noun));
  layers.forEach((weights, layer) => {
    const heads = weights.length / n ** 2;
    for (let head = 0; head < heads; head++) {
      places.forEach((those, noun) => {
        const sum = those.reduce((total, j) => total + weights[(head * n + asks) * n + j], 0);
        table[placeIn(place, layer * heads + head) + noun] = sum;
      });
    }
  });
}
