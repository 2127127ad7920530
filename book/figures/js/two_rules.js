// Two rules: a sentence with the weights of a real head, under rule A or rule B. The last word is pressed to
// change; then the other rule, a guess, and ten points more for everybody are offered, one after the other.
import { choice } from "./choices.js";
import { button, CHANGE, fill, glide, html, settle, speaker, svg, tick, tools } from "./controls.js";
import { headTable } from "./head_table.js";
import { markName } from "./marks.js";
import { spread } from "./spread.js";
import { traitsOf } from "./traits.js";
import { after, byRule, movedText, nextOf, RULES, rulesSentence, seenIn, whole } from "./two_rules_words.js";
import { fixed } from "./words.js";

const TRAITS = ["last", "rule", "ten", "guess", "seen"];
// CSS pixels, and letters that the ring takes.
const ARCS = { heights: [150, 92], thick: [52, 34], wide: 3.4, past: true, self: false };
const NOTED = 0.05; // a weight from which on its percentage is written
const LEGEND = "Grey numbers are scores. A rule makes weights of them: the thicker the arc, the more.";
const TURNS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

// The last word in its ring: each press, and each arrow key, brings another. `press` and `turn` take the next one.
function ring(words, word, { press: pressed, turn: turned }) {
  const name = html("span", { class: "ws-name" });
  const turn = svg("svg", { class: "ws-turn", viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: "M13.5 8a5.5 5.5 0 1 1-1.6-3.9M12.4 .8v3.6H8.8" }));
  const press = html("button", { type: "button", class: "ws-ring" }, name, turn);
  const by = (step) => words.at((words.indexOf(word()) + step) % words.length);
  press.addEventListener("click", () => pressed(by(1)));
  press.addEventListener("keydown", (event) => {
    const step = TURNS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    turned(by(step));
  });
  return {
    root: html("span", { class: "ws-word" }, press), // which is tinted in a still picture too
    press,
    show(text) {
      name.textContent = text;
      press.setAttribute("aria-label", `${text}: the last word, press for another`);
    },
  };
}

// Rule A and rule B; how each is called is told once it has been found out, and what the ten points did stays.
function ruleChoice(pick) {
  const each = (kind) => Object.keys(RULES).map(() => html("small", { class: kind }));
  const [names, traces] = [each("ws-rule-name"), each("ws-trace-of")];
  const labels = Object.keys(RULES).map((rule, i) =>
    html("span", {}, html("b", {}, `rule ${rule}`), names[i], traces[i]));
  const options = Object.fromEntries(Object.keys(RULES).map((rule, i) => [rule, labels[i]]));
  const both = choice("the rule", options, pick);
  return {
    ...both,
    name: (told) => Object.values(RULES).forEach((name, i) => (names[i].textContent = told ? name : "")),
    trace: (texts) => traces.forEach((trace, i) => (trace.textContent = texts[i])),
  };
}

function bet(pick) {
  const question = html("span", {}, "Which of the two is in nearly every language model?");
  const answers = Object.keys(RULES).map((rule) => {
    const answer = button("", () => pick(rule));
    answer.append(html("span", { class: "ws-long" }, "guess "), rule);
    answer.setAttribute("aria-label", `guess ${rule}`);
    return answer;
  });
  const called = { class: "ws-bet", role: "group", "aria-label": question.textContent };
  return { root: html("div", called, question, ...answers), answers };
}

// What to press next has a halo, and a badge; two buttons share no badge.
function pointer(targets) {
  const badge = html("span", { class: "ws-call", "aria-hidden": "true" });
  return (next) => {
    for (const all of Object.values(targets)) {
      for (const one of all) one.classList.toggle("ws-meant", Boolean(targets[next]?.includes(one)));
    }
    badge.remove();
    badge.textContent = next === "back" ? "back" : "press";
    if (targets[next]?.length === 1) targets[next][0].append(badge);
  };
}

// The percentage of a word, with the one that it had struck out before it.
function shareOf(part) {
  const [was, is] = [html("s"), html("span")];
  part.append(was, is);
  return {
    recall: (text) => (was.textContent = text),
    draw(w, noted) {
      is.textContent = noted ? whole(w) : "";
      part.style.setProperty("--ws-part", w.toFixed(4)); // its size
    },
  };
}

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const { own, more, rows, model: source } = model.get("head");
  const all = Object.values(rows);
  const n = all[0].tokens.length;
  let noted = []; // of each token, whether its percentage is written
  let tried = new Set(); // the rules under which everybody has got the ten points

  // --- the parts -------------------------------------------------------------------------------
  const start = () => model.get("start");
  const set = (values) => change(after(read(), values, start()));
  const voice = speaker();
  const kit = tools({
    page,
    reset() {
      tried = new Set();
      reset();
    },
  });
  const word = ring(Object.keys(rows), () => read().last, {
    turn: (last) => set({ last }),
    press: (last) => set({ last: nextOf(read(), start()) === "back" ? start().last : last }), // as the badge says
  });
  const sentence = spread(all, "it", { ...ARCS, last: word.root });
  const shares = sentence.parts.map(shareOf);
  const rules = ruleChoice((rule) => set({ rule }));
  const ten = tick("everybody gets ten points more", (on) => set({ ten: on ? "yes" : "no" }));
  const ask = bet((guess) => {
    set({ guess });
    ten.box.focus({ preventScroll: true }); // what was pressed has gone
  });
  const slot = html("div", { class: "ws-slot" }, html("p", { class: "ws-legend" }, LEGEND), ask.root, ten.root);
  const words = choice(
    "the last word", Object.fromEntries(Object.keys(rows).map((one) => [one, one])), (last) => set({ last }),
  );
  const [a, b] = rules.root.children;
  const point = pointer({
    word: [word.press], back: [word.press], A: [a], B: [b], bet: ask.answers, ten: [ten.root],
  });
  const table = headTable(n, ["token", "score", "rule A", "rule B"]);
  fill(el,
    html("p", { class: "ws-head" }, "Where does “it” look?"),
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
      shares[i].draw(weights[i], noted[i]);
    });
  }, CHANGE);

  function update(jump) {
    const state = read();
    const { last, rule } = state;
    const { tokens, nouns, scores } = rows[last];
    const higher = scores.map((s) => s + (state.ten === "yes" ? more : 0));
    const [before, now] = [scores, higher].map((row) => byRule(row, own));
    const weights = now[rule];
    const next = nextOf(state, start());
    const told = ["ten", "all"].includes(seenIn(state));
    const had = before[rule];
    noted = weights.map((w, i) => Math.max(w, had[i]) >= NOTED);
    shares.forEach(({ recall }, i) =>
      recall(noted[i] && whole(had[i]) !== whole(weights[i]) ? whole(had[i]).slice(0, -1) : ""));
    tokens.forEach((token, i) => {
      if (sentence.words[i] !== word.root) sentence.words[i].textContent = markName(token) ?? token;
    });
    word.show(last);
    sentence.recall(state.ten === "yes" ? had : weights.map(() => 0)); // a rim where weight is lost
    sentence.call(`weights from “it”: ${tokens.map((token, i) =>
      `${markName(token) ? `${markName(token)} mark` : token} ${whole(weights[i])}`).join(", ")}`);
    rules.show(rule);
    rules.name(told);
    if (state.ten === "yes") tried.add(rule);
    if (seenIn(state) === "all") tried = new Set(Object.keys(RULES));
    const raised = byRule(scores.map((s) => s + more), own);
    rules.trace(Object.keys(RULES).map((one) => (tried.has(one) ? movedText(before[one], raised[one]) : "")));
    ten.box.checked = state.ten === "yes";
    words.show(last);
    slot.dataset.open = ["one", "word"].includes(seenIn(state)) ? "" : next === "bet" ? "bet" : "ten";
    point(next);
    Object.assign(el.dataset, { next, ten: state.ten });
    table.show(tokens, higher, now.A, now.B);
    voice.say(rulesSentence({ ...state, tokens, nouns }, before, now, start()));
    motion.to([...higher, ...weights], jump);
  }

  update(true);
  return settle(el, model, { kind: "ws-two-rules", traits: TRAITS, parts: [motion, voice], follow });
}
