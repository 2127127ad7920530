// Draw a sample and guess where it is from; the same seed and number give the same sample.
import { button, html } from "./controls.js";
import { softmax } from "./math.js";
import { randomAt, spreadSeed } from "./random.js";
import { wordsText } from "./tell_words.js";
import { fixed, scoreText } from "./words.js";

const FEW = 5; // up to so many words are shown one by one; of more it is said how often each came

// The sample of this seed and number. One with a larger m begins with the same words.
export function drawSample({ scores, beta, m, seed, sample }) {
  const own = spreadSeed(seed) ^ Math.imul(sample, 0x85ebca6b);
  let k = 0;
  const next = () => randomAt(own, k++);
  const fromPi = next() < 0.5;
  const coin = next();
  const weights = softmax(scores, fromPi ? beta : 0);
  const drawn = Array.from({ length: m }, () => {
    let left = next();
    const i = weights.findIndex((w) => (left -= w) < 0);
    return i < 0 ? weights.indexOf(Math.max(...weights)) : i; // the weights may sum to a little less than 1
  });
  const sum = drawn.reduce((total, i) => total + scores[i], 0);
  return { fromPi, coin, drawn, sum, mean: sum / m };
}

// What lies on the table, as pairs of a word and what is written under it: each word with its score, or of a long
// sample each with how often it came, high scores first.
export function laid({ drawn }, { tokens, scores }) {
  if (drawn.length <= FEW) return drawn.map((i) => [tokens[i], scoreText(scores[i])]);
  const counts = new Map();
  for (const i of [...tokens.keys()].sort((i, j) => scores[j] - scores[i])) {
    counts.set(tokens[i], (counts.get(tokens[i]) ?? 0) + drawn.filter((k) => k === i).length);
  }
  return [...counts].map(([word, count]) => [word, `${count}×`]);
}

export const testSays = ({ sum, coin }, { bar, toss }) => {
  const over = sum - bar;
  return Math.abs(over) < 1e-6 ? coin < toss : over > 0; // true: π
};

// `draw()` asks for the next sample; `mark(mean or null)` shows its mean score in the plot.
export function game({ draw, mark }) {
  const table = html("div", { class: "ws-drawn-words" });
  const verdict = html("p", { class: "ws-ask" });
  // What is said when a sample is drawn or guessed; what lies on the table changes while a slider moves, too.
  const spoken = html("p", { class: "ws-unseen", "aria-live": "polite" });
  const next = button("", () => {
    draw();
    spoken.textContent = `${[...table.children].map((one) => one.textContent).join(", ")}. Where from?`;
    guesses[0].focus();
  });
  const sides = [["equal chances", false], ["softmax’s weights", true]];
  const guesses = sides.map(([name, pi]) => button(name, () => guess(pi)));
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  const root = html(
    "div", { class: "ws-game" }, table, spoken,
    html("div", { class: "ws-answers" }, next, call, ...guesses, verdict),
  );
  let tally = { rounds: 0, reader: 0, test: 0, expected: 0 };
  let pending = null;
  let done = null; // the number of the sample that was guessed, and the state in which

  const words = (pi) => sides[Number(pi)][0];
  const keyOf = ({ m, beta, hold, seed }) => [m, beta, hold, seed].join();
  function guess(pi) {
    const { state, sample, test } = pending;
    const says = testSays(sample, test);
    tally.rounds += 1;
    tally.reader += pi === sample.fromPi;
    tally.test += says === sample.fromPi;
    tally.expected += 1 - (Math.exp(test.logFalseAlarm) + Math.exp(test.logMiss)) / 2;
    done = { sample: state.sample, key: keyOf(state), mean: sample.mean };
    done.sampled = sample;
    done.text = `${pi === sample.fromPi ? "Right" : "No"}: ${words(sample.fromPi)}.
You: ${tally.reader} of ${tally.rounds} right. The line: ${tally.test}.`;
    done.said = `${done.text} The mean score is ${fixed(sample.mean, 2)}, and the line says ${words(says)}. It is \
right ${fixed(tally.expected, 1)} times of ${tally.rounds} on average.`;
    show(state, test);
    spoken.textContent = done.said;
    next.focus();
  }

  function show(state, test) {
    const asked = state.sample > 0 && done?.sample !== state.sample;
    const over = !asked && done?.key === keyOf(state) && state.sample > 0;
    pending = asked ? { state, test, sample: drawSample(state) } : null;
    const sample = pending?.sample ?? (over ? done.sampled : null);
    const shown = sample ? laid(sample, state) : Array.from({ length: Math.min(state.m, FEW) }, () => ["?", ""]);
    table.classList.toggle("ws-to-draw", !sample);
    table.replaceChildren(...shown.map(([word, under]) =>
      html("span", {}, html("b", {}, word), " ", html("small", {}, under))));
    verdict.textContent = over ? done.text : "";
    next.textContent = tally.rounds ? "Draw again" : `Draw ${wordsText(state.m)}`;
    next.hidden = asked;
    call.hidden = state.sample > 0;
    next.classList.toggle("ws-meant", !call.hidden);
    for (const one of guesses) one.hidden = !asked;
    mark(over ? done.mean : null);
  }
  return {
    root,
    show,
    reset() {
      tally = { rounds: 0, reader: 0, test: 0, expected: 0 };
      done = null;
    },
  };
}
