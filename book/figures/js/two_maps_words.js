// What *two maps learn* says, and its tables of numbers.
import { html } from "./controls.js";
import { fixed, percent, short } from "./words.js";

export const MAP_NAMES = {
  softmax: "softmax", entmax: "entmax, α = 1.5", sparsemax: "sparsemax", sigmoid_weights: "sigmoid",
  relu_norm: "ReLU over its sum",
};
const inText = (map) => MAP_NAMES[map].split(",")[0];
const ENOUGH = 0.98;

export const headText = (k, heads) => `${Math.floor(k / heads) + 1}.${(k % heads) + 1}`;
export const spreadText = (spread) => `${fixed(spread, 1)} ${fixed(spread, 1) === "1.0" ? "token" : "tokens"}`;

// The first step at which 98% are right, or null.
export function enoughAt(run) {
  const k = run.accuracy.findIndex((share) => share >= ENOUGH);
  return k < 0 ? null : run.step[k];
}

// Beside the name of a map: where its numbers come from, and when it was good.
export function noteOf(run, recorded, done) {
  if (!run?.heads) return "not trained";
  const at = enoughAt(run);
  const when = at === null ? `${done ? "never" : "not yet"} 98%` : `98% at step ${at}`;
  return `${recorded ? "recorded: " : ""}${when}`;
}

const upper = (text) => text[0].toUpperCase() + text.slice(1);

// A share as the heads have it: ".99".
export const scoreOf = (share) => fixed(share, 2).replace(/^0/, "");

const headsSentence = (names, runs) => {
  const [one, other] = runs.map((run) => scoreOf(run.induction.at(-1)));
  return `The best induction head scores ${one} with ${names[0]}, ${other} with ${names[1]}.`;
};

const OPENINGS = { recorded: "Recorded runs: ", done: "Trained here: " };

// `how` is one of these, or "training", "paused" or "mixed", if only one of the two has been trained here.
export function learningSentence(how, maps, runs) {
  const names = maps.map(inText);
  if (!runs.every((run) => run?.heads)) {
    return how === "training" ? `${upper(names[0])} and ${names[1]} begin to learn.`
      : `With these choices nothing has been trained yet.\n\
Press Train: ${names[0]} and ${names[1]} learn here, in the page.`;
  }
  const ends = runs.map((run) => percent(run.accuracy.at(-1)));
  if (how === "training" || how === "paused") {
    const steps = runs.map((run) => run.step.at(-1));
    const [where, other] = steps[0] === steps[1] ? ["", ""] : steps.map((step) => ` at step ${step}`);
    const opening = `${how === "paused" ? "Paused. " : ""}${where ? "" : `At step ${steps[0]} `}`;
    const who = where ? upper(names[0]) : names[0];
    const first = `${who} gets ${ends[0]} right${where}, ${names[1]} ${ends[1]}${other}`;
    return `${opening}${first}.\n${headsSentence(names, runs)}`;
  }
  const [one, other] = runs.map(enoughAt);
  const then = other === null ? "never" : `at step ${other}`;
  let first = `${names[0]} gets 98% right at step ${one}, ${names[1]} ${then}`;
  if (one === null) first = `${names[0]} never gets 98% right, ${names[1]} does at step ${other}`;
  if (one === null && other === null) {
    first = `${names[0]} ends with ${ends[0]} right, ${names[1]} with ${ends[1]}`;
  }
  return `${how === "mixed" ? upper(first) : OPENINGS[how] + first}.\n${headsSentence(names, runs)}`;
}

function tableOf(heads, rows) {
  const cells = rows.map(() => heads.slice(1).map(() => html("td")));
  const names = rows.map((text) => html("th", { scope: "row" }, text));
  return {
    names,
    cells,
    root: html("table", { class: "ws-table" },
      html("thead", {}, html("tr", {}, ...heads.map((text) => html("th", { scope: "col" }, text)))),
      html("tbody", {}, ...rows.map((_, i) => html("tr", {}, names[i], ...cells[i])))),
  };
}

export const LEGEND = "Previous: a head’s weight on the symbol just before, in the first round of the block. \
Induction: on what followed this same symbol earlier, from the second round on. \
Spread: how many equal weights are as spread out.";

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
      const seconds = run?.seconds ? `, ${fixed(run.seconds, 1)} s here` : "";
      titles[side].textContent = `${MAP_NAMES[map]}${seconds}`;
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
