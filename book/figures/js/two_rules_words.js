// The rules, the flow and the words of *two rules*.
import { callToken, markName } from "./marks.js";
import { softmax, squareNorm } from "./math.js";

// What rule A and rule B make of the scores.
export const byRule = (scores, own) => ({ A: softmax(scores, own), B: squareNorm(scores) });

export const whole = (w) => `${Math.round(100 * w)}%`;

// What the ten points have done, in short: to the word with the most weight, unless nothing moved at all.
export function movedText(before, now) {
  const most = before.indexOf(Math.max(...before));
  const still = before.every((w, i) => whole(w) === whole(now[i]));
  return still ? "+10: nothing moved" : `+10: ${whole(before[most])} → ${whole(now[most])}`;
}

// --- how far a reader has come -------------------------------------------------------------------

const SEEN = ["one", "word", "both", "ten", "all"];

// A link may have a rule or a guess without what comes before them: that counts as seen.
export function seenIn({ rule, ten, guess, seen }) {
  const least = ten === "yes" ? "ten" : rule === "B" || guess !== "none" ? "both" : "one";
  return SEEN[Math.max(SEEN.indexOf(seen), SEEN.indexOf(least))];
}

// The whole state after a reader has changed something in it; `start` is that in which the figure begins.
export function after(state, values, start) {
  const next = { ...state, ...values };
  const other = state.ten === "yes" && next.ten === "yes" && next.rule !== state.rule;
  const back = seenIn(state) === "one" && state.last !== start.last && next.last === start.last;
  return { ...next, seen: other ? "all" : seenIn({ ...next, seen: back ? "word" : seenIn(state) }) };
}

// What a reader does next, the one thing that catches the eye: "word", "back" (to the first last word, since the
// rules are so close only there), "A", "B", "bet", "ten", or "" in the end.
export function nextOf(state, start) {
  const seen = seenIn(state);
  const other = state.rule === "A" ? "B" : "A";
  const away = state.last !== start.last;
  if (seen === "one") return away ? "back" : "word";
  if (seen === "word") return away ? "word" : other;
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
function compared({ tokens, nouns, rule, guess, seen }, now, then) {
  const [first, second] = nouns.map((noun) => tokens.indexOf(noun)).sort((i, j) => now[j] - now[i]);
  const has = `“${tokens[first]}” has ${whole(now[first])} and “${tokens[second]}” ${whole(now[second])}`;
  const most = now.indexOf(Math.max(...now));
  const mark = markName(tokens[most]) ? ` ${callToken(tokens[most]).replace("the", "The")} has the most.` : "";
  const other = rule === "A" ? "B" : "A";
  const was = `Under rule ${other} it was ${whole(then[first])} and ${whole(then[second])}.`;
  return `Under rule ${rule}, ${has}.${seen === "both" && guess === "none" ? ` ${was}` : ""}${mark}`;
}

// `before` are the weights of both rules without the ten points, `now` those with them, if given. The figure
// begins in the state `start`.
export function rulesSentence(state, before, now, start) {
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
  if (seen === "ten" || seen === "all") return `${says}\n${answer(guess)}`;
  if (guess !== "none") return `You chose ${guess}. Test it: give everybody ten points more.\n${says}`;
  return nextOf(state, start) === "back" ? `${says} Now go back to “${start.last}”.` : says;
}
