// Outside the frame: one row of scores, shifted and repeated, through softmax and three maps that
// are no answer to its problem.
import { betaSlider } from "./beta_slider.js";
import { fill, glide, hint, html, settle, speaker, tick, tools } from "./controls.js";
import { lastingRoom } from "./grips.js";
import { lineSlider } from "./line_slider.js";
import { logSlider } from "./log_slider.js";
import { mapCells, mapPanel, mapTable } from "./map_panel.js";
import { fourMaps, MAPS, total } from "./outside_math.js";
import { FAR, SHIFTS, sumsPlot } from "./outside_plots.js";
import { NAMES, outsideSentence, restText, shiftText, sumText, sumVaries, totalText } from "./outside_words.js";
import { scoreRow } from "./score_row.js";
import { oneForEachToken, traitsOf } from "./traits.js";

const TRAITS = ["tokens", "scores", "beta", "shift", "copies", "bias", "only", "sliders"];
const MOST_COPIES = 100;
const HEIGHT = 176; // of the row of scores, in CSS pixels
const HEADS = ["softmax", "ReLU", "sigmoid", "plus one"]; // of the table
const tidy = (x) => Math.round(x * 1e6) / 1e6;

// What a link may set here.
render.fits = ({ shift, copies }) => Math.abs(shift) <= FAR && copies >= 1 && copies <= MOST_COPIES;

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores"), once: ["only", "sliders"], render: () => render({ model, el, page }),
  });
  let state = read();
  const { only, sliders } = state;
  const which = MAPS.map((_, k) => k).filter((k) => only.includes(NAMES[k])); // the maps that are drawn
  const summed = which.some(sumVaries);
  let [row, panels, table] = [];

  // --- the parts: those with a column for each token are built anew when the tokens change ------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note);
  const shiftSlider = lineSlider({
    kind: "ws-shift", name: "shift of all scores", note: "added to every score", ticks: [-4, -2, 0, 2, 4],
    step: 0.1,
    ends: [], shown: shiftText, spoken: shiftText, choose: (x) => change({ shift: tidy(x) }, true),
  });
  const times = (x) => (x === 1 ? "each token once" : `each token ${x} times`);
  const copiesValue = html("span", { class: "ws-value" });
  const copiesSlider = logSlider({
    name: "copies of each token", low: 1, high: MOST_COPIES, whole: true, spoken: times,
    choose: (copies, jump) => change({ copies }, jump),
  });
  const copiesPart = html("div", {}, html("div", { class: "ws-head" }, copiesValue), copiesSlider.root);
  const stays = tick("keep the bias of sigmoid as the row grows", (on) =>
    change({ bias: on ? "stays" : "follows" }),
  );
  const own = [["shift", shiftSlider.root], ["copies", copiesPart]];
  const movers = own.filter(([name]) => sliders.includes(name)).map(([, root]) => root);
  const sums = sumsPlot(which.map((k) => MAPS[k]), which.map((k) => NAMES[k]), sliders.includes("shift"));
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const head = (name, ...notes) => html("div", { class: "ws-head" }, span("ws-axis", name), ...notes);
  // The curves stand on the scale of the shift: its thumb stands under the line that says where it is.
  if (summed && sliders.includes("shift")) shiftSlider.track.before(sums.keys, sums.root);

  function build() {
    const { tokens } = state;
    row = scoreRow({
      tokens,
      value: (i) => tidy(state.scores[i] + state.shift),
      set: (i, x, jump) =>
        change({ scores: state.scores.map((s, k) => (k === i ? tidy(x - state.shift) : s)) }, jump),
      height: HEIGHT,
    });
    panels = which.map((k) => mapPanel(MAPS[k], tokens));
    table = mapTable(tokens, which.map((k) => HEADS[k]));
    const scores = [head("score after the shift", hint("drag a score")), ...row.parts];
    const ofBeta = sliders.includes("beta") ? [slider.root] : [];
    // Where sums change, their curves lead, and the bars wait behind “More”.
    const cells = mapCells(tokens, scores, panels, [...(summed ? [] : movers), ...ofBeta]);
    const apart = sliders.includes("shift") ? [] : [sums.keys, sums.root];
    const led = [
      head("sum of the weights", span("ws-note", "against the shift"), hint("move the shift")), ...apart,
      ...movers,
    ];
    fill(el, ...(summed ? led : [cells]), ...voice.parts, ...kit.parts);
    const settings = [
      ...(only.includes("sigmoid") ? [stays.root] : []),
      ...(sliders.includes("beta") ? [slider.typed, slider.flip] : []),
    ];
    kit.panel.replaceChildren(...(summed ? [cells] : []), kit.options(...settings), kit.status, table.root);
    el.style.setProperty("--ws-n", tokens.length);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = state.tokens.length;
    const [low, high, shift, ...all] = shown;
    const part = (from, size) => all.slice(from, from + size);
    row.draw(part(0, n), low, high);
    const weights = which.map((_, at) => part((at + 1) * n, n));
    panels.forEach((panel, at) => panel.draw(weights[at]));
    const curves = (1 + which.length) * n; // where they begin
    sums.draw(shift, weights.map(total), which.map((_, at) => part(curves + at * SHIFTS.length, SHIFTS.length)));
  });

  function update(jump) {
    const next = read();
    const rebuilt = !row || String(next.tokens) !== String(state.tokens);
    state = next;
    const { tokens, scores, beta, shift, copies, bias } = state;
    if (rebuilt) build();
    // Room for every shift, so that the scale stays where it is while the shift moves.
    const range = row.room(lastingRoom(model, (all) => [
      Math.min(-1, Math.floor(Math.min(...all))) - FAR, Math.max(2, Math.ceil(Math.max(...all))) + FAR,
    ]));
    const at = (x) => fourMaps(scores.map((s) => s + x), beta, copies, bias);
    const weights = at(shift);
    const all = weights.map(total);
    const finite = Math.abs(beta) < Infinity;
    const there = weights.map((w, k) => w.map((x) => x > 0 || (finite && k !== 1))); // a rounded 0 is no 0
    const texts = weights.map((w, k) => w.map((x, i) => (there[k][i] ? (x === 0 ? "<0.1%" : totalText(x)) : "0")));
    const positive = there[1].filter(Boolean).length;
    const asides = [
      "a shift does nothing",
      positive ? `${positive} of ${tokens.length} above 0` : "none above 0: no weights",
      `bias −log ${tokens.length * (bias === "follows" ? copies : 1)}`,
      `${restText(all[3], finite)} to nothing`,
    ];
    row.show(weights[0]);
    const sum = (k) => sumText(all[k], k, finite);
    which.forEach((k, at) =>
      panels[at].name(NAMES[k], texts[k], there[k], summed ? `sum ${sum(k)}` : "", asides[k]),
    );
    sums.name(which.map((k) => `${NAMES[k]} ${sum(k)}`));
    shiftSlider.show(shift);
    copiesSlider.show(copies);
    copiesValue.textContent = `copies of each token: ${copies}`;
    stays.box.checked = bias === "stays";
    slider.show(beta);
    voice.say(outsideSentence({ tokens, scores, beta, shift, copies, weights, sums: all, which, sliders }));
    table.show(scores.map((s) => s + shift), which.map((k) => texts[k]));
    const curves = SHIFTS.map((x) => at(x).map(total));
    const shifted = scores.map((s) => s + shift);
    const drawn = [...which.flatMap((k) => weights[k]), ...which.flatMap((k) => curves.map((c) => c[k]))];
    motion.to([...range, shift, ...shifted, ...drawn], jump || rebuilt);
  }

  update(true);
  el.classList.add("ws-maps");
  el.classList.toggle("ws-few", !summed);
  return ends(settle(el, model, { kind: "ws-outside", traits: TRAITS, parts: [motion, voice], follow }));
}
