// Dispersion: the weight of the best of n tokens as n grows, under three maps and two rules for β.
import { choice } from "./choices.js";
import { CHANGE, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { FEWEST, leadAmong, MOST, topAmong, WIDEST } from "./dispersion_math.js";
import { areOne, curvesOf, dispersionCurves, meltingBars, placeOf } from "./dispersion_plots.js";
import {
  betaText, dispersionSentence, dispersionTable, RULES, tickText, countOf, TRENDS,
} from "./dispersion_words.js";
import { lineSlider } from "./line_slider.js";
import { logSlider } from "./log_slider.js";
import { traitsOf } from "./traits.js";
import { short } from "./words.js";

const TRAITS = ["crowd", "rule", "trend", "lead"];

// What a link may set here.
render.fits = ({ crowd, lead }) =>
  Number.isInteger(crowd) && crowd >= FEWEST && crowd <= MOST && lead >= 0 && lead <= WIDEST;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);

  // --- the parts -------------------------------------------------------------------------------
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const head = (...inside) => html("div", { class: "ws-head" }, ...inside);
  const voice = speaker();
  const kit = tools({ page, reset });
  const rules = choice("inverse temperature", RULES, (rule) => change({ rule }));
  const trends = choice("lead of the best token", TRENDS, (trend) => change({ trend }));
  const curves = dispersionCurves();
  const bars = meltingBars();
  const [size, beta, lead] = [span("ws-value"), span("ws-aside"), span("ws-note")];
  const many = (n) => `${countOf(n)} tokens`;
  const slider = logSlider({
    name: "number of tokens n", low: FEWEST, high: MOST, whole: true, tickText,
    choose: (crowd, jump) => change({ crowd }, jump), spoken: many,
  });
  const leadText = (x) => `lead ${short(x)} ${x === 1 ? "point" : "points"}`;
  const leadSlider = lineSlider({
    kind: "ws-lead", name: `lead among ${FEWEST} tokens`, note: `of the best among ${FEWEST} tokens`, ends: [],
    ticks: [0, 2, 4, 6, 8, 10, WIDEST], step: 0.1, shown: leadText, spoken: leadText,
    choose: (x) => change({ lead: Number(x.toFixed(1)) }, true),
  });
  const table = dispersionTable();
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "let the text grow");
  slider.root.querySelector(".ws-track").append(call);
  el.classList.add("ws-maps");
  fill(el,
    html("div", { class: "ws-growth" }, head(size, lead, beta), bars.root, curves.root, slider.root),
    ...voice.parts, ...kit.parts);
  kit.panel.append(
    html("div", { class: "ws-rules" }, rules.root, trends.root),
    leadSlider.root, kit.options(), kit.status, table.root);

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide(([place, ...shown]) => {
    bars.draw(shown.slice(0, 3), place);
    curves.draw(place, shown.slice(0, 3), shown.slice(3));
  }, CHANGE);

  function update(jump) {
    const state = read();
    const { crowd: n } = state;
    const weights = topAmong(n, state);
    rules.show(state.rule);
    trends.show(state.trend);
    slider.show(n);
    leadSlider.show(state.lead);
    size.textContent = `${countOf(n)} words`;
    lead.textContent = leadText(leadAmong(n, state.trend, state.lead));
    beta.replaceChildren(
      betaText(n, state.rule), span("ws-how", state.rule === "grows" ? ", as log n" : ""),
      span("ws-how", state.trend === "shrinks" ? "; lead as 1/n" : ""));
    curves.name(weights);
    bars.name(weights, countOf(n - 1));
    const lines = curvesOf(state);
    for (const part of [curves, bars]) part.join(areOne(lines));
    const begun = n !== model.get("start").crowd;
    call.classList.toggle("ws-done", begun);
    slider.root.classList.toggle("ws-meant-knob", !begun);
    call.classList.toggle("ws-before", placeOf(n) > 0.5);
    call.style.setProperty("--ws-at", placeOf(n).toFixed(4));
    table.show(state);
    voice.say(dispersionSentence(state));
    motion.to([placeOf(n), ...weights, ...lines], jump);
  }

  const leave = settle(el, model, { kind: "ws-dispersion", traits: TRAITS, parts: [motion, voice], follow });
  update(true);
  return leave;
}
