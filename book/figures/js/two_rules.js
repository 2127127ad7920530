// Two rules: a sentence with the weights of a real head, under rule A or rule B. The last word is pressed to
// change; then the other rule, a guess, and ten points more for everybody are offered, one after the other.
import { choice } from "./choices.js";
import { button, CHANGE, fill, glide, html, settle, speaker, svg, tick, tools } from "./controls.js";
import { headTable } from "./head_table.js";
import { markName } from "./marks.js";
import { spread } from "./spread.js";
import { traitsOf } from "./traits.js";
import { after, byRule, nextOf, RULES, rulesSentence, seenIn, whole } from "./two_rules_words.js";
import { fixed } from "./words.js";

const TRAITS = ["last", "rule", "ten", "guess", "seen"];
// CSS pixels, and letters that the ring takes.
const ARCS = { heights: [150, 92], thick: [52, 34], wide: 3.4, past: true };
const SHOWN = 3; // percentages: those of the largest weights
const TURNS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

// The last word in its ring: each press, and each arrow key, brings another.
function ring(words, word, pick) {
  const name = html("span", { class: "ws-name" });
  const turn = svg("svg", { class: "ws-turn", viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: "M13.5 8a5.5 5.5 0 1 1-1.6-3.9M12.4 .8v3.6H8.8" }));
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  const press = html("button", { type: "button", class: "ws-ring" }, name, turn, badge);
  const by = (step) => pick(words.at((words.indexOf(word()) + step) % words.length));
  press.addEventListener("click", () => by(1));
  press.addEventListener("keydown", (event) => {
    const step = TURNS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    by(step);
  });
  return {
    root: html("span", { class: "ws-word" }, press), // which is tinted in a still picture too
    show(text) {
      name.textContent = text;
      press.setAttribute("aria-label", `${text}: the last word, press for another`);
    },
  };
}

// Rule A and rule B; how each is called is told once it has been found out.
function ruleChoice(pick) {
  const names = Object.keys(RULES).map(() => html("small"));
  const labels = Object.keys(RULES).map((rule, i) => html("span", {}, html("b", {}, `rule ${rule}`), names[i]));
  const options = Object.fromEntries(Object.keys(RULES).map((rule, i) => [rule, labels[i]]));
  const both = choice("the rule", options, pick);
  return {
    ...both,
    name: (told) => Object.values(RULES).forEach((name, i) => (names[i].textContent = told ? name : "")),
  };
}

function bet(pick) {
  const question = html("span", {}, "Which of the two is in nearly every language model?");
  const answers = Object.keys(RULES).map((rule) => button(rule, () => pick(rule)));
  return html("div", { class: "ws-bet", role: "group", "aria-label": question.textContent }, question, ...answers);
}

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const { own, more, rows, model: source } = model.get("head");
  const all = Object.values(rows);
  const n = all[0].tokens.length;
  let shown = []; // the places of the largest weights

  // --- the parts -------------------------------------------------------------------------------
  const set = (values) => change(after(read(), values));
  const voice = speaker();
  const kit = tools({ page, reset });
  const word = ring(Object.keys(rows), () => read().last, (last) => set({ last }));
  const sentence = spread(all, "it", { ...ARCS, last: word.root });
  const rules = ruleChoice((rule) => set({ rule }));
  const ten = tick("everybody gets ten points more", (on) => set({ ten: on ? "yes" : "no" }));
  const ask = bet((guess) => {
    set({ guess });
    ten.box.focus({ preventScroll: true }); // what was pressed has gone
  });
  const slot = html("div", { class: "ws-slot" }, ask, ten.root);
  const words = choice(
    "the last word", Object.fromEntries(Object.keys(rows).map((one) => [one, one])), (last) => set({ last }),
  );
  const legend = html("p", { class: "ws-legend" });
  const table = headTable(n, ["token", "score", "rule A", "rule B"]);
  fill(el,
    legend,
    sentence.root,
    html("div", { class: "ws-acts" }, rules.root, slot),
    ...voice.parts,
    ...kit.parts,
  );
  kit.panel.append(kit.options(words.root), kit.status, table.root,
    html("p", { class: "ws-text" },
      `From ${source}. A score is the product of the query of “it” with the key of a token.`));

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((now) => {
    const [scores, weights] = [now.slice(0, n), now.slice(n)];
    sentence.draw(weights);
    scores.forEach((s, i) => {
      sentence.small[i].textContent = fixed(s, 1);
      sentence.parts[i].textContent = shown.includes(i) ? whole(weights[i]) : "";
    });
  }, CHANGE);

  function update(jump) {
    const state = read();
    const { last, rule } = state;
    const { tokens, nouns, scores } = rows[last];
    const higher = scores.map((s) => s + (state.ten === "yes" ? more : 0));
    const [before, now] = [scores, higher].map((row) => byRule(row, own));
    const weights = now[rule];
    const next = nextOf(state, model.get("start"));
    const told = ["ten", "all"].includes(seenIn(state));
    shown = weights.map((_, i) => i).sort((i, j) => weights[j] - weights[i]).slice(0, SHOWN);
    tokens.forEach((token, i) => {
      if (sentence.words[i] !== word.root) sentence.words[i].textContent = markName(token) ?? token;
    });
    word.show(last);
    legend.textContent = `arcs: weights from “it”${state.ten === "yes" ? ", grey: before" : ""} · small: scores`;
    sentence.recall(state.ten === "yes" ? before[rule] : weights.map(() => 0)); // a rim where weight is lost
    sentence.call(`weights from “it”: ${tokens.map((token, i) =>
      `${markName(token) ? `${markName(token)} mark` : token} ${whole(weights[i])}`).join(", ")}`);
    rules.show(rule);
    rules.name(told);
    ten.box.checked = state.ten === "yes";
    words.show(last);
    slot.dataset.open = seenIn(state) === "one" ? "" : next === "bet" ? "bet" : "ten";
    Object.assign(el.dataset, { next, ten: state.ten });
    table.show(tokens, higher, now.A, now.B);
    voice.say(rulesSentence({ ...state, tokens, nouns }, before, now));
    motion.to([...higher, ...weights], jump);
  }

  update(true);
  return settle(el, model, { kind: "ws-two-rules", traits: TRAITS, parts: [motion, voice], follow });
}
