// Outside the frame: five rules in columns, with the weights that each gives to three of the words, and above them
// five tests. A test is pressed, the scores change, the bars follow, and each rule gets a mark that stays.
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { mapTable } from "./map_panel.js";
import { marked, NEWCOMER, passing, TESTS, underTest, weightsUnderAll } from "./outside_math.js";
import { ruleColumn, testButton } from "./outside_plots.js";
import { NAMES, outsideSentence, question, readOf, shareText, TOLD } from "./outside_words.js";
import { oneForEachToken, traitsOf } from "./traits.js";

const TRAITS = ["test", "asked", "tokens", "scores"];
const ALL = Object.keys(TESTS);
const BRIEF = ["softmax", "ReLU", "sigmoid", "plus one", "linear"]; // the rules, where columns are narrow
const KEYS = "For linear attention each key is one number, the score, and the query is 1. \
Sigmoid has the bias −log n.";

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores"), once: ["tokens", "scores"], render: () => render({ model, el, page }),
  });
  const { tokens, scores: given } = read();
  const words = [...tokens, NEWCOMER[0]]; // the last row of the table waits for the newcomer

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  // Drawn are the words that the tests ask about: the best, the second and the worst.
  const drawn = [...new Set(marked(given))].sort((i, j) => i - j);
  const names = drawn.map((i) => tokens[i]);
  const first = drawn.indexOf(marked(given)[0]);
  const told = ALL.map((name) => TOLD[name].press);
  const rules = NAMES.map((name, r) => ruleColumn([name, BRIEF[r]], names, first, told));
  const tests = ALL.map((name) => testButton(TOLD[name].press, () => {
    const { test, asked } = read();
    const made = ALL.filter((one) => one === name || asked.includes(one));
    change({ test: name === test ? "none" : name, asked: made });
  }));
  const ofMarks = html("p", { class: "ws-of-marks" }, "tests passed");
  const table = mapTable(words, BRIEF);
  fill(el,
    html("div", { class: "ws-tests", role: "group", "aria-label": "tests" }, ...tests.map((test) => test.root)),
    html("p", { class: "ws-drawn" }, "weights", html("span", { class: "ws-brief" }, ` of ${names.join(", ")}`)),
    html("div", { class: "ws-rules" }, ...rules.map((rule) => rule.root), ofMarks),
    ...voice.parts, ...kit.parts);
  kit.panel.append(kit.options(), kit.status, html("p", { class: "ws-text" }, KEYS), table.root);

  // --- drawing -----------------------------------------------------------------------------------
  const n = drawn.length;
  const motion = glide((shown) => {
    rules.forEach((rule, r) => rule.draw(shown.slice(r * n, (r + 1) * n)));
  }, CHANGE);

  function update(jump) {
    const state = read();
    const { test, asked, scores } = state;
    const now = underTest(scores, test);
    const made = ALL.filter((one) => one === test || asked.includes(one));
    const passed = Object.fromEntries(made.map((one) => [one, passing(scores, one)]));
    const [before, weights] = [weightsUnderAll(scores), weightsUnderAll(now)];
    const seen = (all) => drawn.map((i) => all[i]);
    rules.forEach((rule, r) => {
      const [was, is] = [seen(before[r]), seen(weights[r])];
      const reading = test === "none" ? null : readOf(test, tokens, scores, [before[r], weights[r]]);
      rule.show(is.map(shareText), was, is, ALL.map((one) => passed[one]?.[r]), reading);
    });
    tests.forEach((one, k) =>
      one.show(question(ALL[k], tokens, scores), ALL[k] === test, !made.length && !k));
    ofMarks.hidden = test !== "none";
    const texts = weights.map((all) => words.map((_, i) => (i in all ? shareText(all[i]) : "–")));
    table.show([...now, ...(now.length < words.length ? [NaN] : [])], texts);
    voice.say(outsideSentence(state, passed));
    motion.to(weights.flatMap(seen), jump);
  }

  update(true);
  return ends(settle(el, model, { kind: "ws-outside", traits: TRAITS, parts: [motion, voice], follow }));
}
