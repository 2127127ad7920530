// Outside the frame: five rules in columns, with the weights that each gives to three of the words, and five tests
// in rows. A test is pressed, the scores change, the bars follow, and each rule gets a mark that stays.
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { mapTable } from "./map_panel.js";
import { marked, NEWCOMER, passing, TESTS, underTest, weightsUnderAll } from "./outside_math.js";
import { testRow, wordRow } from "./outside_plots.js";
import { NAMES, outsideSentence, question, shareText, TOLD } from "./outside_words.js";
import { oneForEachToken, traitsOf } from "./traits.js";

const TRAITS = ["test", "asked", "tokens", "scores"];
const ALL = Object.keys(TESTS);
const HEADS = ["softmax", "ReLU", "sigmoid", "plus one", "linear"]; // of the columns, where these are narrow
const KEYS = "For linear attention each key is one number, the score, and the query is 1. \
Sigmoid has the bias −log n.";

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores"), once: ["tokens", "scores"], render: () => render({ model, el, page }),
  });
  const { tokens } = read();
  const words = [...tokens, NEWCOMER[0]]; // the last row of the table waits for the newcomer

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  // Drawn are the words that the tests ask about: the best, the second and the worst.
  const drawn = [...new Set(marked(read().scores))].sort((i, j) => i - j);
  const rows = drawn.map((i) => wordRow(tokens[i], NAMES, i === marked(read().scores)[0]));
  const tests = ALL.map((name) => testRow(TOLD[name].press, NAMES, () => {
    const { test, asked } = read();
    const made = ALL.filter((one) => one === name || asked.includes(one));
    change({ test: name === test ? "none" : name, asked: made });
  }));
  const heads = NAMES.map((name, r) => html("b", { class: "ws-rule-name ws-axis" },
    html("span", { class: "ws-full" }, name),
    html("span", { class: "ws-brief" }, HEADS[r])));
  const table = mapTable(words, HEADS);
  fill(el,
    html("div", { class: "ws-rule-row" }, html("span", { class: "ws-who" }, "weight"), ...heads),
    ...rows.map((row) => row.root),
    html("div", { class: "ws-tests", role: "group", "aria-label": "tests" }, ...tests.map((row) => row.root)),
    ...voice.parts, ...kit.parts);
  kit.panel.append(kit.options(), kit.status, html("p", { class: "ws-text" }, KEYS), table.root);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    rows.forEach((row, k) => row.draw(shown.slice(k * NAMES.length, (k + 1) * NAMES.length)));
  }, CHANGE);

  function update(jump) {
    const state = read();
    const { test, asked, scores } = state;
    const now = underTest(scores, test);
    const made = ALL.filter((one) => one === test || asked.includes(one));
    const passed = Object.fromEntries(made.map((one) => [one, passing(scores, one)]));
    const [before, weights] = [weightsUnderAll(scores), weightsUnderAll(now)];
    const of = (all, i) => all.map((row) => row[i]);
    rows.forEach((row, k) => {
      const [was, is] = [of(before, drawn[k]), of(weights, drawn[k])];
      row.show(now[drawn[k]], is.map(shareText), was, is);
    });
    tests.forEach((row, k) => {
      const name = ALL[k];
      const texts = (w) => TOLD[name].read(w, marked(scores));
      const readings = NAMES.map((_, r) => [texts(before[r]), texts(weights[r])]);
      row.show(question(name, tokens, scores), name === test, !made.length && !k, passed[name], readings);
    });
    const texts = weights.map((all) => words.map((_, i) => (i in all ? shareText(all[i]) : "–")));
    table.show([...now, ...(now.length < words.length ? [NaN] : [])], texts);
    voice.say(outsideSentence(state, passed));
    motion.to(drawn.flatMap((i) => of(weights, i)), jump);
  }

  update(true);
  return ends(settle(el, model, { kind: "ws-outside", traits: TRAITS, parts: [motion, voice], follow }));
}
