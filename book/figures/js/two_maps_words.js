// What *two maps learn* says, and its tables of numbers.
import { html } from "./controls.js";
import { recipe } from "./two_maps_trainer.js";
import { fixed, percent, short } from "./words.js";

export const MAP_NAMES = {
  softmax: "softmax", entmax: "entmax", sparsemax: "sparsemax", sigmoid_weights: "sigmoid",
  relu_norm: "ReLU over its sum",
};
export const NEITHER = "neither";
export const headText = (k, heads) => `${Math.floor(k / heads) + 1}.${(k % heads) + 1}`;
const upper = (text) => text[0].toUpperCase() + text.slice(1);

// The step at which enough was right, or null.
export function arrival({ step, accuracy }, enough = recipe().enough) {
  const k = accuracy.findIndex((share) => share >= enough);
  return k < 0 ? null : step[k];
}

// Which of the two was first: its place, or 2 for neither.
export function winner(runs) {
  const [one, other] = runs.map((run) => arrival(run) ?? Infinity);
  return one === other ? 2 : one < other ? 0 : 1;
}

// What a head has come to do, in words for those who have not read of such heads. It looks one back in the first
// round of the block: later, where there is something to copy, its picture scatters.
const CLEAR = 0.7;
export function doing({ previous, induction }) {
  if (induction >= CLEAR) return "copies";
  return previous >= CLEAR ? "one back at first" : "";
}

// How long a training takes; "at most", if it is not known when it ends.
export function duration(seconds, isKnown) {
  const size = seconds < 1.5 ? "1 second" : seconds < 20 ? `${Math.round(seconds)} seconds`
    : seconds < 90 ? `${5 * Math.round(seconds / 5)} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `${isKnown ? "about" : "at most"} ${size}`;
}

const HONEST = "One run shows little: another seed, step size or β can turn it round.";
// From which share on a run is close to its end, and for how many steps it may be before one is told.
const CLOSE = { share: 0.97, steps: 50 };

export const AT_REST = "Both begin with the same random numbers, and read the same texts.";

// Rounded down: 98% is said of no run that has not arrived there.
export const rightText = (share) => `${Math.floor(100 * share + 1e-9)}%`;

function outcome(names, runs, who) {
  const { steps } = recipe();
  const at = runs.map((run) => arrival(run));
  if (who === 2) {
    if (at[0] === null) return `Neither got there in ${steps} steps.`;
    return `Neither was first: both took ${at[0]} steps.`;
  }
  const other = names[1 - who];
  const its = at[1 - who];
  if (its === null) {
    return `${upper(names[who])} was first, after ${at[who]} steps; ${other} did not get there in ${steps}.`;
  }
  const close = arrival(runs[1 - who], CLOSE.share);
  const aside = its - close < CLOSE.steps ? "" : ` (${percent(CLOSE.share)} right after ${close})`;
  return `${upper(names[who])} was first, after ${at[who]} steps, ${other} after ${its}${aside}.`;
}

// How it ended.
export function verdict(maps, runs) {
  const names = maps.map((map) => MAP_NAMES[map]);
  return `${outcome(names, runs, winner(runs))}\n${HONEST}`;
}

// The same in a few words, large, and what became of the bet: the place of a map, or 2 for neither.
export function headline(maps, runs, bet) {
  const who = winner(runs);
  const name = upper([...maps.map((map) => MAP_NAMES[map]), NEITHER][who].split(" ")[0]);
  return `${name} was first: you ${bet === who ? "won" : "lost"}!`;
}

// How it stands on the way.
export function progressSentence(maps, runs) {
  const [one, other] = maps.map((map) => MAP_NAMES[map]);
  if (!runs.every(({ step }) => step.length)) return `${upper(one)} and ${other} begin to learn.`;
  const [first, second] = runs.map(({ accuracy }) => rightText(accuracy.at(-1)));
  const step = Math.max(...runs.map((run) => run.step.at(-1)));
  return `After ${step} steps ${one} has ${first} right, ${other} ${second}.`;
}

function tableOf(heads, rows) {
  const cells = rows.map(() => heads.slice(1).map(() => html("td")));
  return {
    cells,
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...heads.map((text) => html("th", { scope: "col" }, text)))),
      html("tbody", {}, ...rows.map((text, i) =>
        html("tr", {}, html("th", { scope: "row" }, text), ...cells[i])))),
  };
}

export const LEGEND = `A run ends when 98% are right; every ten steps it is tried. \
Previous: a head’s weight on the symbol just before, in the first round of the block. From ${percent(CLEAR)} on \
it looks one back. Induction: on what followed this same symbol earlier, from the second round on. From \
${percent(CLEAR)} on it copies. Spread: how many equal weights are as spread out.`;

// The curves at every `stride`-th step, and the heads.
export function learningTables(steps, stride, layers, heads) {
  const at = Array.from({ length: Math.floor(steps / stride) + 1 }, (_, k) => k * stride);
  const three = ["loss", "accuracy", "induction"];
  const curves = [0, 1].map(() => tableOf(["step", ...three], at.map(String)));
  const labels = Array.from({ length: layers * heads }, (_, k) => headText(k, heads));
  const each = [0, 1].map(() => tableOf(["head", "previous", "induction", "spread", "β"], labels));
  const titles = [0, 1].map(() => html("caption"));
  curves.forEach(({ root }, side) => root.append(titles[side]));
  return {
    root: html(
      "div", { class: "ws-tables" }, ...[0, 1].map((side) => html("div", {}, curves[side].root, each[side].root)),
    ),
    show(side, map, run, own) {
      titles[side].textContent = MAP_NAMES[map];
      curves[side].cells.forEach((row, i) => row.forEach((cell, j) => {
        const k = run?.step.indexOf(at[i]) ?? -1;
        const value = k < 0 ? null : run[three[j]][k];
        cell.textContent = value === null ? "–" : j === 0 ? fixed(value, 3) : percent(value);
      }));
      each[side].cells.forEach((row, i) => {
        const head = run?.heads?.[i];
        const texts = head
          ? [percent(head.previous), percent(head.induction), fixed(head.spread, 2), short(head.beta ?? own)]
          : ["–", "–", "–", "–"];
        row.forEach((cell, j) => (cell.textContent = texts[j]));
      });
    },
  };
}
