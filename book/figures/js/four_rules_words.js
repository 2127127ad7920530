// What *four rules* computes and says: three ways to make weights, and the ratio of two of them.
import { entmax, normalised, softmax } from "./math.js";
import { list } from "./side_by_side_words.js";
import { short } from "./words.js";

const MAPS = {
  softmax: (scores) => softmax(scores),
  // Over the largest first, so that no square overflows.
  squares: (scores) => {
    const most = Math.max(...scores);
    return normalised(scores.map((s) => (s > 0 ? (s / most) ** 2 : 0)));
  },
  sparsemax: (scores) => entmax(scores, 1, 2),
};
export const NAMES = Object.keys(MAPS);
export const weightsUnder = (name, scores) => MAPS[name](scores);

// How many times the weight of token i that of token j is, in a few words.
export function ratioText(name, scores, i, j) {
  if (name === "softmax") return short(Math.exp(scores[i] - scores[j])); // also where both weights round to 0
  const weights = weightsUnder(name, scores);
  if (weights[i] === 0 && weights[j] === 0) return "none : none";
  return short(weights[i] / weights[j]);
}

const close = (a, b) => Math.abs(a - b) < 1e-9;
const points = (x) => `${short(Math.abs(x))} ${Math.abs(x) === 1 ? "point" : "points"} ${x > 0 ? "more" : "less"}`;

export function rulesSentence({ tokens, scores, token, against, was }) {
  const [one, other] = [token, against].map((i) => `“${tokens[i]}”`);
  const now = NAMES.map((name) => ratioText(name, scores, token, against));
  const before = NAMES.map((name) => ratioText(name, was, token, against));
  const moved = scores.map((s, i) => s - was[i]);
  const rise = moved[token];
  const pairStays = close(rise, 0) && close(moved[against], 0);
  const some = moved.some((x) => !close(x, 0));
  if (!some || !(pairStays || moved.every((x) => close(x, rise)))) {
    const told = NAMES.map((name, k) => `${now[k]} under ${name}`);
    return `The weight of ${one} over that of ${other}: ${list(told)}.`;
  }
  const opening = pairStays
    ? `${one} and ${other} kept their scores, others moved.`
    : `Everybody has ${points(rise)}.`;
  const kept = NAMES.filter((_, k) => now[k] === before[k]);
  const lost = NAMES.map((name, k) => [name, k]).filter(([, k]) => now[k] !== before[k])
    .map(([name, k]) => `${name} from ${before[k]} to ${now[k]}`);
  const stays = kept.length ? `Under ${list(kept)} the ratio of ${one} to ${other} stays` : "";
  const goes = lost.length ? `${kept.length ? "it" : "The ratio"} goes under ${list(lost)}` : "";
  return `${opening} ${[stays, goes].filter(Boolean).join("; ")}.`;
}
