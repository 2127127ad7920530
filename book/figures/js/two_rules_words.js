// The rules, the flow and the words of *two rules*.
import { callToken, markName } from "./marks.js";
import { softmax, squareNorm } from "./math.js";

// What rule A and rule B make of the scores.
export const byRule = (scores, own) => ({ A: softmax(scores, own), B: squareNorm(scores) });

export const whole = (w) => `${Math.round(100 * w)}%`;

// --- how far a reader has come -------------------------------------------------------------------

const SEEN = ["one", "both", "ten", "all"];

// A link may have a rule or a guess without what comes before them: that counts as seen.
export function seenIn({ rule, ten, guess, seen }) {
  const least = ten === "yes" ? "ten" : rule === "B" || guess !== "none" ? "both" : "one";
  return SEEN[Math.max(SEEN.indexOf(seen), SEEN.indexOf(least))];
}

// The whole state after a reader has changed something in it.
export function after(state, values) {
  const next = { ...state, ...values };
  const other = state.ten === "yes" && next.ten === "yes" && next.rule !== state.rule;
  return { ...next, seen: other ? "all" : seenIn({ ...next, seen: seenIn(state) }) };
}

// What a reader does next, the one thing that catches the eye: "word", "A", "B", "bet", "ten", or "" in the end.
export function nextOf(state, start) {
  const seen = seenIn(state);
  const other = state.rule === "A" ? "B" : "A";
  if (seen === "one") return state.last === start.last ? "word" : other;
  if (seen === "both") return state.guess === "none" ? "bet" : "ten";
  return seen === "ten" && state.ten === "yes" ? other : "";
}

// --- words ----------------------------------------------------------------------------------------

export const RULES = { A: "softmax", B: "squares" };

function answer(guess) {
  const ending = "B squares the positive scores.";
  if (guess === "none") return `A is softmax, the rule of nearly every language model. ${ending}`;
  return `You chose ${guess}, ${guess === "A" ? "and so it is: A is softmax" : "but it is A: softmax"}. ${ending}`;
}

// What `now` gives the two nouns, the one that it gives more first, and, while that is the point, what the other
// rule gives them.
function compared({ tokens, nouns, rule, seen }, now, then) {
  const [first, second] = nouns.map((noun) => tokens.indexOf(noun)).sort((i, j) => now[j] - now[i]);
  const has = `“${tokens[first]}” has ${whole(now[first])} and “${tokens[second]}” ${whole(now[second])}`;
  const most = now.indexOf(Math.max(...now));
  const mark = markName(tokens[most]) ? ` ${callToken(tokens[most]).replace("the", "The")} has the most.` : "";
  const other = rule === "A" ? "B" : "A";
  const was = `Under rule ${other} it was ${whole(then[first])} and ${whole(then[second])}.`;
  return `Under rule ${rule}, ${has}.${seen === "both" ? ` ${was}` : ""}${mark}`;
}

// `before` are the weights of both rules without the ten points, and `now` with them, if they are given.
export function rulesSentence(state, before, now) {
  const { tokens, nouns, rule, ten, guess } = state;
  const seen = seenIn(state);
  let says = compared({ ...state, seen }, before[rule], before[rule === "A" ? "B" : "A"]);
  if (ten === "yes") {
    const first = nouns.map((noun) => tokens.indexOf(noun)).reduce((i, j) =>
      (before[rule][j] > before[rule][i] ? j : i));
    const [was, is] = [before, now].map((weights) => whole(weights[rule][first]));
    const end = rule === "A" ? `still ${is}. Nothing moves.` : `${is}.`;
    says = `Under rule ${rule}, “${tokens[first]}” has ${was}; with ten points more for everybody, ${end}`;
  }
  return seen === "ten" || seen === "all" ? `${says}\n${answer(guess)}` : says;
}
