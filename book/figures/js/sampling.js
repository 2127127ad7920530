// Sampling: logits, the weights that a cut leaves, and draws that pile up against them.
import { choice } from "./choices.js";
import { button, field, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { logSlider } from "./log_slider.js";
import { standardError } from "./race_math.js";
import { cutControls } from "./sampling_cut.js";
import { sample, sum } from "./sampling_math.js";
import { samplingPlots, scaleFor } from "./sampling_plots.js";
import { bare, logitText, samplingSentence, samplingTable, shown } from "./sampling_words.js";
import { traitsOf } from "./traits.js";
import { grouped, percent, short, steady } from "./words.js";

const TRAITS = [
  "tokens", "logits", "before", "step", "temperature", "cut", "top_k", "top_p", "min_p", "earlier", "draws",
  "seed",
];
const RANGES = {
  temperature: [0.1, 10], top_k: [1, 1000], top_p: [0.01, 1], min_p: [0.01, 1], draws: [0, 10000],
  seed: [0, 2 ** 31 - 1],
};
const ALONE = 10; // characters with a column of their own
const RUN = 100; // draws of a press
const inside = (x, [low, high]) => x >= low && x <= high;

// What a link may set here.
render.fits = (values) =>
  values.step < values.before.length && Object.entries(RANGES).every(([key, range]) => inside(values[key], range));

const allThere = ({ tokens, logits, before, step }) =>
  step < logits.length && before.length === logits.length && logits[step].length === tokens.length;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole: allThere });
  let state = read();
  let [plot, table, steps, cuts, columns, built] = [];

  // --- the parts ---------------------------------------------------------------------------------
  const part = (kind, ...all) => html("span", { class: kind }, ...all);
  const head = (...all) => html("div", { class: "ws-head" }, ...all);
  const voice = speaker();
  const kit = tools({ page, reset });
  const text = html("p", { class: "ws-before" });
  const [remain, many, value] = ["ws-aside", "ws-note", "ws-value"].map((kind) => part(kind));
  const heat = part("ws-note");
  const run = button(`draw ${RUN}`, () => change({ draws: Math.min(RANGES.draws[1], state.draws + RUN) }));
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  const clear = button("clear", () => change({ draws: 0 }));
  const slider = logSlider({
    name: "temperature T", low: RANGES.temperature[0], high: RANGES.temperature[1],
    choose: (temperature, jump) => change({ temperature }, jump), spoken: (x) => `T = ${short(x)}`,
  });
  const order = choice("what comes first", { temperature: "temperature first", cut: "cut first" }, (earlier) =>
    change({ earlier }),
  );
  const typed = Object.fromEntries(
    ["draws", "seed"].map((name) => [
      name,
      field(
        name, { type: "text", inputmode: "numeric", spellcheck: "false" },
    (x) => inside(x, RANGES[name]) && Number.isInteger(x), (x) => change({ [name]: x }), kit.note)]));
  const labels = Object.entries(typed).map(([name, { input }]) =>
    html("label", { class: "ws-typed" }, part("", name), input),
  );
  const key = part("ws-aside", part("ws-key ws-of-weight"), "weight kept", part("ws-key ws-of-band"), "± 2 s.e.");

  function build() {
    const { tokens, before } = state;
    columns = Math.min(tokens.length, ALONE + 1);
    plot = samplingPlots(columns);
    table = samplingTable(columns);
    cuts = cutControls(tokens.length, change);
    const texts = before.map((line) => (line.length > 24 ? `…${line.slice(-23)}` : line));
    steps = choice("which step", Object.fromEntries(texts.map((line, i) => [i, line])), (i) =>
      change({ step: Number(i) }),
    );
    fill(el,
      text,
      html("div", { class: "ws-stage" },
        head(part("ws-axis", "weight"), heat, remain),
        html("div", { class: "ws-columns" }, plot.roots.weights, plot.roots.words, plot.roots.drawn),
        head(part("ws-axis", "drawn"), many, key)),
      html("div", { class: "ws-deeds" }, cuts.kinds,
        html("div", { class: "ws-runs", role: "group", "aria-label": "draw" }, run, clear, call)),
      html("div", { class: "ws-pair" }, html("div", { class: "ws-heat" }, value, slider.root), cuts.slider),
      ...voice.parts,
      ...kit.parts,
    );
    kit.panel.replaceChildren(steps.root, order.root, kit.options(...labels), kit.status, table.root);
    built = JSON.stringify([tokens, before]);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const NAMES = ["kept", "cut", "after", "share", "error"];
  const motion = glide((all) => {
    const [top, least] = all;
    const lists = NAMES.map((_, k) => all.slice(2 + k * columns, 2 + (k + 1) * columns));
    plot.draw({ top, least, ...Object.fromEntries(NAMES.map((name, k) => [name, lists[k]])) });
  });

  function update(jump) {
    state = read();
    const { tokens, logits, before, step } = state;
    const other = built !== JSON.stringify([tokens, before]);
    if (other) build();
    const { temperature, earlier, draws, cut } = state;
    const found = sample(logits[step], state);
    const { order: ranks, sorted, kept, counts } = found;
    // What each column holds: one place of the ranking, the last all that remain.
    const rest = ranks.map((_, place) => place).slice(ALONE);
    const places = Array.from({ length: columns }, (_, c) => (c < ALONE ? [c] : rest));
    const total = (list, keep = () => true) =>
      places.map((all) => sum(all.filter(keep).map((place) => list[place])));
    const weights = {
      kept: total(found.before, (c) => c < kept), cut: total(found.before, (c) => c >= kept),
      after: total(found.after),
    };
    const counted = total(counts);
    const share = counted.map((count) => (draws ? count / draws : 0));
    const error = weights.after.map((w) => (draws && w > 0 && w < 1 ? standardError(w, draws) : 0));
    const names = places.map((all) =>
      all.length === 1 && all[0] < ALONE ? shown(tokens[ranks[all[0]]]) : `+${all.length}`,
    );
    const whole = total(found.before);
    const top = scaleFor([...whole, ...weights.after, ...share]);
    const seen = earlier === "cut" ? 1 : temperature;
    text.textContent = `${before[step].replaceAll("\n", "↵")}▁`;
    heat.textContent = `in %, T = ${short(seen)}${cut === "nothing" ? "" : "; hatched: cut"}`;
    remain.textContent = cut === "nothing" ? `${tokens.length} characters` : `${kept} of ${tokens.length} remain`;
    many.textContent = draws ? `in %, of ${grouped(draws)}` : "";
    value.textContent = `T = ${steady(temperature)}`;
    const cutOf = (w) => (w ? `, of which cut ${percent(w)}` : "");
    const said = (list, told) => names.map((name, c) => `${name} ${told(list[c], c)}`).join(", ");
    plot.label({
      names, before: whole.map(bare), shares: share.map((part) => (draws ? bare(part) : "")), draws,
      kept: kept < Math.min(tokens.length, columns) && cut !== "nothing" ? kept : null, bar: cut === "min-p", top,
      said: {
        weights: `weights before the cut: ${said(whole, (w, c) => percent(w) + cutOf(weights.cut[c]))}`,
        drawn: `draws, of ${draws}: \
${said(counted, (count, c) => `${count}, weight ${percent(weights.after[c])}`)}`,
      },
    });
    run.classList.toggle("ws-meant", !draws);
    call.hidden = draws > 0;
    clear.classList.toggle("ws-gone", !draws);
    slider.show(temperature);
    cuts.show(state);
    steps.show(String(step));
    order.show(earlier);
    typed.draws.show(String(draws));
    typed.seed.show(String(state.seed));
    table.show(places.map((all, c) => ({
      name: names[c], logit: logitText(all.map((place) => sorted[place])), before: whole[c],
      after: weights.after[c], count: counted[c],
    })),
  );
    voice.say(samplingSentence(state, found, tokens));
    const bar = state.min_p * found.before[0];
    motion.to([top, bar, ...weights.kept, ...weights.cut, ...weights.after, ...share, ...error], jump || other);
  }

  update(true);
  return settle(el, model, { kind: "ws-sampling", traits: TRAITS, parts: [motion, voice], follow });
}
