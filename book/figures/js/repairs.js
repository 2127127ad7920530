// Repairs: one row of scores and one softmax, which is repaired in one of five ways; what happens to the scores is
// pressed, and what a repair keeps and gains is tried out.
import { choice } from "./choices.js";
import { button, CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import {
  alike, inSituation, lampsOf, REPAIRS, repaired, SITUATIONS, total, usedScores,
} from "./repairs_math.js";
import { knobs, lampTable, marks, weightRow } from "./repairs_plots.js";
import { KNOBS, moreName, NAMES, PRESSES, repairsSentence, scored } from "./repairs_words.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { percent } from "./words.js";

const TRAITS = ["repair", "situation", "sink", "gate", "cap", "gain", "typical", "tokens", "scores"];
const ASKED = { shift: 2, join: 0, long: 6, times: 5 }; // the lamp or the gain that a situation asks about
const ROOM = 0.25; // a bar of this length has room for what is said of the rest

// What a link may set here.
render.fits = (state) => Object.values(KNOBS).every(({ trait, ticks: [low, high], step }) =>
  state[trait] >= low && state[trait] <= high && (step < 1 || Number.isInteger(state[trait])));

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores"), once: ["tokens", "scores"], render: () => render({ model, el, page }),
  });
  const { tokens } = read();

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const presses = Object.keys(SITUATIONS).map((one) => {
    const made = button(PRESSES[one], () => change({ situation: read().situation === one ? "none" : one }));
    return [one, made];
  });
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  presses[0][1].append(call);
  const all = weightRow("ws-all-words");
  const rows = [...tokens, ""].map((_, i) => weightRow(i < tokens.length ? "" : "ws-more-words"));
  const which = choice("the repair", NAMES, (repair) => change({ repair }));
  const sliders = knobs((values) => change(values, true));
  const lamps = marks();
  const table = lampTable(Object.values(NAMES));
  const key = (kind, text) => html("span", {}, html("i", { class: `ws-dot ${kind}` }), text);
  const [own, before] = [html("b"), key("ws-before", "before")];
  const softmaxs = key("ws-plain", "plain softmax");
  fill(el,
    html("div", { class: "ws-presses", role: "group", "aria-label": "what happens" },
      ...presses.map(([, made]) => made)),
    html("div", { class: "ws-board" },
      html("div", { class: "ws-word-row ws-keys" }, html("span"), html("span", { class: "ws-given" }, "score"),
        html("span", { class: "ws-legend" }, key("ws-weight", own), softmaxs, before)),
      all.root, ...rows.map((row) => row.root)),
    which.root, sliders.root, lamps.root, ...voice.parts, ...kit.parts);
  kit.panel.append(kit.options(), kit.status, table.root);

  // --- drawing -----------------------------------------------------------------------------------
  const n = rows.length;
  const bars = glide((shown) => {
    all.draw(shown[2 * n], 1);
    rows.forEach((row, i) => row.draw(shown[i], shown[n + i]));
  }, CHANGE);
  const lights = glide(lamps.draw, CHANGE);

  function update(jump) {
    const state = read();
    const { repair, situation, scores } = state;
    const now = inSituation(state);
    const used = usedScores(repair, state, { ...now, words: tokens.length + now.more });
    const [weights, softmax] = [repair, "none"].map((one) => repaired(one, state, now));
    const was = repaired(repair, state, { row: scores });
    const marked = (w, before) => (alike(w, before) ? null : before);
    const share = total(weights);
    const rest = share < 1 - ROOM ? `no word ${percent(1 - share)}` : "";
    all.show({ called: "all words", scored: "", value: percent(share), before: marked(share, total(was)), rest });
    rows.forEach((row, i) => {
      const there = i < now.row.length;
      row.show({
        called: i < tokens.length ? tokens[i] : moreName(state, now.more), absent: !there,
        scored: there ? scored(now.row[i] * now.times, used[i]) : "", value: there ? percent(weights[i]) : "",
        before: i < was.length ? marked(weights[i], was[i]) : null,
      });
    });
    own.textContent = NAMES[repair];
    softmaxs.classList.toggle("ws-absent", repair === "none");
    before.classList.toggle("ws-absent", situation === "none");
    for (const [one, made] of presses) made.setAttribute("aria-pressed", String(one === situation));
    const start = model.get("start");
    const fresh = situation === "none" && repair === start.repair;
    presses[0][1].classList.toggle("ws-meant", fresh);
    call.classList.toggle("ws-gone", !fresh);
    which.show(repair);
    sliders.show(state);
    const tried = REPAIRS.map((one) => lampsOf(one, state));
    const on = tried[REPAIRS.indexOf(repair)];
    lamps.show(on, ASKED[situation] ?? -1);
    table.show(tried);
    voice.say(repairsSentence(state));
    const full = (list) => rows.map((_, i) => list[i] ?? 0);
    bars.to([...full(weights), ...full(softmax), share], jump);
    lights.to(on.slice(0, 4).map(Number), jump);
  }

  update(true);
  return ends(settle(el, model, { kind: "ws-repairs", traits: TRAITS, parts: [bars, lights, voice], follow }));
}
