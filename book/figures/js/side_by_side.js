// Side by side: one row of scores and one β through softmax, entmax and sparsemax, and the same for two tokens.
import { betaSlider } from "./beta_slider.js";
import { fill, glide, hint, html, settle, speaker, tick, tools } from "./controls.js";
import { lastingRoom } from "./grips.js";
import { lineSlider } from "./line_slider.js";
import { mapCells, mapPanel, mapTable } from "./map_panel.js";
import { entmax } from "./math.js";
import { scoreRow } from "./score_row.js";
import { reachesZero, supportOf } from "./side_by_side_math.js";
import { dropouts, LEADS, twoTokens } from "./side_by_side_plots.js";
import { haveWeight, sideSentence, weightText } from "./side_by_side_words.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { fixed, short } from "./words.js";

const TRAITS = ["tokens", "scores", "beta", "alpha", "ticks", "pair"];
const NAMES = ["softmax", "entmax", "sparsemax"];
const HEIGHT = 176; // of the row of scores, in CSS pixels

// What a link may set here.
render.fits = ({ alpha }) => alpha >= 1 && alpha <= 2;

export function render({ model, el, page }) {
  const { read, change, reset, follow, ends } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores"), once: ["pair"], render: () => render({ model, el, page }),
  });
  let state = read();
  let [row, panels, table] = [];

  // --- the parts: those with a column for each token are built anew when the tokens change ------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note);
  const drops = dropouts(["entmax", "sparsemax"]);
  const two = twoTokens(NAMES);
  slider.track.before(drops.root);
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const marks = tick("ticks where a token drops out", (on) => change({ ticks: on ? "shown" : "hidden" }, true));
  const head = (name, symbol, ...rest) =>
    html("div", { class: "ws-head" }, span("ws-axis", name, html("i", {}, symbol)), ...rest);
  // One beside β, where there is room, and one behind “More”: the style sheet shows the one or the other.
  const alphaSliders = ["ws-alpha", "ws-alpha ws-kept"].map((kind) => lineSlider({
    kind, name: "α of entmax", note: "of entmax", ticks: [1, 1.5, 2], step: 0.01, ends: ["softmax", "sparsemax"],
    shown: (x) => `α = ${fixed(x, 2)}`, spoken: (x) => `α = ${short(x)}`,
    choose: (x) => change({ alpha: x }, true),
  }));

  function build() {
    const { tokens } = state;
    row = scoreRow({
      tokens,
      value: (i) => state.scores[i],
      set: (i, x, jump) => change({ scores: state.scores.map((s, k) => (k === i ? x : s)) }, jump),
      height: HEIGHT,
    });
    panels = NAMES.map((name) => mapPanel(name, tokens));
    table = mapTable(tokens, NAMES);
    const scores = [head("score ", "s", hint("drag a score")), ...row.parts];
    const cells = mapCells(tokens, scores, panels, [slider.root, alphaSliders[0].root]);
    const title = html(
      "div", { class: "ws-head ws-of-two" }, span("ws-axis", "two tokens"),
      span("ws-note", "weight of one, against its lead"),
    );
    const pair = [title, two.keys, two.root];
    fill(el, cells, ...(state.pair ? pair : []), ...voice.parts, ...kit.parts);
    kit.panel.replaceChildren(
      alphaSliders[1].root, ...(state.pair ? [] : pair),
      kit.options(slider.typed, slider.flip, marks.root), kit.status, table.root);
    el.style.setProperty("--ws-n", tokens.length);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = state.tokens.length;
    const m = LEADS.length;
    const part = (from, size) => shown.slice(from, from + size);
    row.draw(part(2, n), shown[0], shown[1]);
    panels.forEach((panel, k) => panel.draw(part(2 + (k + 1) * n, n)));
    two.draw(NAMES.map((_, k) => part(2 + 4 * n + k * m, m)));
  });

  // How a map's first zero is told.
  const told = (from, sign) =>
    from === Infinity ? "no zero at a finite β" : `first zero at β = ${short(sign * from)}`;

  function update(jump) {
    const next = read();
    const rebuilt = !row || String(next.tokens) !== String(state.tokens);
    state = next;
    const { tokens, scores, beta, alpha } = state;
    if (rebuilt) build();
    const range = row.room(lastingRoom(model));
    const sign = beta < 0 ? -1 : 1;
    const alphas = [1, alpha, 2];
    const weights = alphas.map((a) => entmax(scores, beta, a));
    const there = alphas.map((a) => supportOf(scores, a, beta));
    const zeros = alphas.map((a) => reachesZero(scores, a, sign));
    const firsts = zeros.map((sizes) => Math.min(...sizes));
    const texts = weights.map((all, k) => all.map((w, i) => (there[k][i] ? weightText(w, true) : "0")));
    row.show(weights[0]);
    panels.forEach((panel, k) => {
      const called = NAMES[k] === "entmax" ? `entmax, α = ${short(alpha)}` : NAMES[k];
      panel.name(called, texts[k], there[k], haveWeight(there[k]), told(firsts[k], sign));
    });
    drops.show(zeros.slice(1));
    el.dataset.ticks = state.ticks;
    marks.box.checked = state.ticks === "shown";
    const ends = alphas.map((a) => (beta === 0 || a === 1 ? Infinity : 1 / ((a - 1) * Math.abs(beta))));
    const points = (end) => `${short(end)} ${end === 1 ? "point" : "points"}`;
    const reaches = (end) => (end === Infinity ? "never reaches 0" : `reaches 0 at ${points(end)}`);
    const spoken = ends.map((end, k) => `${NAMES[k]} ${reaches(end)}`);
    two.name(Math.abs(beta) === Infinity ? ends.map(() => Infinity) : ends, sign, spoken.join(", "));
    for (const one of alphaSliders) one.show(alpha);
    voice.say(
      sideSentence({
        tokens, scores, beta, alpha, firsts: firsts.map((from) => sign * from),
        counts: there.map((has) => has.filter(Boolean).length),
      }),
    );
    slider.show(beta);
    table.show(scores, texts);
    const curves = alphas.map((a) => LEADS.map((x) => entmax([x, 0], beta, a)[0]));
    motion.to([...range, ...scores, ...weights.flat(), ...curves.flat()], jump || rebuilt);
  }

  update(true);
  el.classList.add("ws-maps");
  return ends(settle(el, model, { kind: "ws-side", traits: TRAITS, parts: [motion, voice], follow }));
}
