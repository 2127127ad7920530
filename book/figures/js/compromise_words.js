// What the compromise says of its state, in words.
import { KINDS, betterPin, pointOf, solve, standing, within } from "./compromise_answer.js";
import { normalised } from "./math.js";
import { fixed, percent, short } from "./words.js";

export const points = (x) => (Math.abs(x) === Infinity ? short(x) : Math.abs(x) >= 1e4 ? short(x) : fixed(x, 2));

const shares = (tokens, p) => tokens.map((token, i) => `“${token}” ${percent(p[i])}`).join(", ");

export const nullName = (u) => (u.every((x) => x === u[0]) ? "equal weights" : "the null");
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// The top in a sentence: which map makes it, and at the ends of the price why it is there.
function theTop({ tokens, scores, mode, divergence }, { beta, pi, u }) {
  const { map, one } = KINDS[divergence];
  if (scores.every((s) => s === scores[0])) return `The scores are equal, so the top is ${nullName(u)}.`;
  if (beta === 0) {
    return mode === "budget" ? `The budget allows nothing but ${nullName(u)}.` : `The top is ${nullName(u)}.`;
  }
  const first = pi.filter((w) => w > 0).length;
  if (beta === Infinity) {
    const best = first === 1 ? `“${tokens[pi.indexOf(1)]}”` : `the ${first} best words`;
    return mode === "budget"
      ? `The budget is enough for all the weight on ${best}.`
      : `The top has all the weight on ${best}.`;
  }
  const at = mode === "budget" ? ` at a price of ${short(1 / beta)} per ${one}` : "";
  return `The top is ${map}${at}: ${shares(tokens, pi)}.`;
}

function here(state, { u }, now) {
  const { mode, epsilon, divergence } = state;
  const { unit } = KINDS[divergence];
  const spends = `spend ${fixed(now.spent, 3)} of ${short(epsilon)}${unit && ` ${unit}`}`;
  if (mode === "budget") {
    const more = within(state, now) ? "." : ": more than the budget.";
    return `You earn ${points(now.earned)} and ${spends}${more}`;
  }
  if (now.spent === 0) return `${capital(nullName(u))} pay${u.every((x) => x === u[0]) ? "" : "s"} nothing: ` +
    `you keep ${points(now.kept)}.`;
  if (state.beta === 0) return `At this price any claim costs more than it can earn.`;
  if (state.beta === Infinity) return `Claims are free: you keep all that you earn, ${points(now.kept)}.`;
  return `You earn ${points(now.earned)} and pay ${points(now.paid)}, so you keep ${points(now.kept)}.`;
}

export const AT_REST = "The lighter the ground, the more you keep.";

export function compromise(state) {
  const best = solve(state);
  const now = standing(pointOf(state), state, best.beta);
  const pin = betterPin(state, best.beta);
  const found = pin ? standing(normalised(pin), state, best.beta) : now;
  const budget = state.mode === "budget";
  const worth = (one) => points(budget ? one.earned : one.kept);
  if (state.top === "hidden") {
    return here(state, best, now) + (pin ? `\nYour best so far is ${worth(found)}.` : "");
  }
  const verb = budget ? (pin ? "earned" : "earn") : pin ? "kept" : "keep";
  const does = budget ? "earns" : "keeps";
  const none = budget ? "You are beyond the budget" : "At this price any claim costs too much";
  const lost = budget ? !within(state, found) : found.kept === -Infinity;
  const mine = lost ? none : `You ${verb} ${worth(found)}`;
  const most = worth({ earned: best.gain, kept: best.left });
  const top = !lost && most === worth(found) ? `, and the top ${does} no more.` : `; the top ${does} ${most}.`;
  return `${mine}${top}\n${theTop(state, best)}`;
}
