// Outside the frame: five rules in rows, five tests in columns. A test is pressed, the scores change, and each row
// shows what becomes of its weights and gets a mark that stays.
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { mapTable } from "./map_panel.js";
import { NEWCOMER, passing, TESTS, underTest, weightsUnderAll } from "./outside_math.js";
import { ruleRow, scoreStrip, testButtons } from "./outside_plots.js";
import { AT_REST, NAMES, outsideSentence, question, readingOf, TOLD } from "./outside_words.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { percent, scoreText } from "./words.js";

const TRAITS = ["test", "asked", "tokens", "scores"];
const ALL = Object.keys(TESTS);
const HEADS = ["softmax", "ReLU", "sigmoid", "plus one", "linear"]; // of the table
const KEYS = "For linear attention each key is one number, the score, and the query is 1. \
Sigmoid has the bias −log n.";

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores"), once: ["tokens"], render: () => render({ model, el, page }),
  });
  const { tokens } = read();
  const words = [...tokens, NEWCOMER[0]]; // the last column waits for the newcomer
  const n = words.length;

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const tests = testButtons(ALL, TOLD, (test) => {
    const { test: old, asked } = read();
    const made = ALL.filter((one) => one === test || asked.includes(one));
    change({ test: old === test ? "none" : test, asked: made });
  });
  const asks = html("p", { class: "ws-asks", "aria-hidden": "true" });
  const strip = scoreStrip(n);
  const rows = NAMES.map((name) => ruleRow(name, n, ALL));
  const cells = words.map((word) => html("li", {}, word));
  const table = mapTable(words, HEADS);
  fill(el,
    html("div", { class: "ws-board-head" }, asks, tests.root),
    html("div", { class: "ws-rule-row ws-score-row" },
      html("b", { class: "ws-rule-name ws-axis" }, "scores"), strip.root,
      html("ol", { class: "ws-row-words", "aria-hidden": "true" }, ...cells), tests.numbers),
    ...rows.map((row) => row.root), ...voice.parts, ...kit.parts);
  kit.panel.append(kit.options(), kit.status, html("p", { class: "ws-text" }, KEYS), table.root);
  el.style.setProperty("--ws-n", n);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const part = (k) => shown.slice(k * n, (k + 1) * n);
    strip.draw(part(0));
    rows.forEach((row, r) => row.draw(part(r + 1)));
  }, CHANGE);

  function update(jump) {
    const state = read();
    const { test, asked, scores } = state;
    const now = underTest(scores, test);
    const made = ALL.filter((one) => one === test || asked.includes(one));
    const passed = Object.fromEntries(made.map((one) => [one, passing(scores, one)]));
    const [before, weights] = [weightsUnderAll(scores), weightsUnderAll(now)];
    const there = words.slice(0, now.length);
    rows.forEach((row, r) => {
      row.show(readingOf(test, tokens, scores, before[r], weights[r]), before[r], weights[r], there);
      ALL.forEach((one, k) => row.marks[k].show(TOLD[one].press, passed[one]?.[r], one === test));
    });
    tests.show(test, !made.length);
    asks.textContent = test === "none" ? AT_REST : question(test, tokens, scores);
    cells.at(-1).classList.toggle("ws-absent", now.length < n);
    strip.name(`scores: ${there.map((word, i) => `${word} ${scoreText(now[i])}`).join(", ")}`);
    const texts = weights.map((all) => words.map((_, i) => (i in all ? percent(all[i]) : "–")));
    table.show([...now, ...(now.length < n ? [NaN] : [])], texts);
    voice.say(outsideSentence(state, passed));
    const padded = (all) => [...all, ...Array(n - all.length).fill(0)];
    motion.to([now, ...weights].flatMap(padded), jump);
  }

  update(true);
  return ends(settle(el, model, { kind: "ws-outside", traits: TRAITS, parts: [motion, voice], follow }));
}
