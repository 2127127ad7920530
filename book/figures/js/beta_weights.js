// β and the weights: scores above, the words between, weights below, column by column.
import { betaSlider, TOP } from "./beta_slider.js";
import { glide, hint, html, readings, settle, speaker, svg, tools, uid } from "./controls.js";
import { MOST_WORDS, othersText, manyOf, weightsAmong } from "./crowd.js";
import { crowdSlider } from "./crowd_slider.js";
import { curvePlot } from "./curves.js";
import { lastingRoom, roomForTwice } from "./grips.js";
import { admissible, dot, effectiveCount, entropy, klDivergence } from "./math.js";
import { columnsOf, middleOf, scoreRow, setBar } from "./score_row.js";
import { numbers, renew } from "./table.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { amount, fixed, percent, sentence } from "./words.js";

// Heights in CSS pixels.
const WEIGHT = { height: 128, top: 22 };
const [BAR, OUTLINE] = [0.56, 0.74]; // widths, in columns
const ROOM = 24; // what a label needs to stand between two lines, in pixels
const TRAITS = ["tokens", "scores", "beta", "prior", "where", "crowd"];

// What a link may set here.
render.fits = ({ crowd }) => crowd >= 0 && crowd <= MOST_WORDS;

export async function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores", "prior", "where"),
  });
  let state = read();
  let [row, columns, crowd] = [];
  let plain = false; // without the null and what is measured from it

  function changeOne(key, i, value, jump = false) {
    const plain = { prior: () => state.scores.map(() => 1), where: () => state.scores.map(() => true) };
    const list = [...(state[key] ?? plain[key]())];
    list[i] = value;
    if (key === "prior" && !list.some((u) => u > 0)) {
      kit.note("The null must be above 0 somewhere.");
      return update(true);
    }
    if (key === "where" && list.every(Boolean)) change({ where: null });
    else change({ [key]: list }, jump);
  }

  // --- the parts -------------------------------------------------------------------------------
  const hatch = uid();
  const lines = { id: hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const pattern = () => svg("pattern", lines, svg("path", { d: "M0 0V6", class: "ws-hatch" }));
  const weightPlot = svg("svg", { class: "ws-svg", height: WEIGHT.height, role: "img" });
  const scorePlace = html("div"); // of the scores and the words
  const measures = readings(["expected score", "entropy H", "effective tokens", "KL from the null"]);
  const voice = speaker();
  const kit = tools({ reset, page });
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note);
  const curves = model.get("curves") ? curvePlot(slider, model.get("plain")) : null;
  const place = html("div"); // of the table
  let table = null;

  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const head = (name, symbol, ...asides) =>
    html("div", { class: "ws-head" }, span("ws-axis", name, html("i", {}, symbol)), ...asides);
  const query = model.get("query") ? [span("ws-note", `for the query “${model.get("query")}”`)] : [];
  const ofNull = span("ws-null", span("ws-key"), "null ", html("i", {}, "u"));
  const key = span("ws-aside", span("ws-key ws-full"), "100%", ofNull);
  const rows = [
    head("score ", "s", ...query, hint("drag a bar")),
    scorePlace,
    head("weight ", "π", key),
    weightPlot,
  ];
  // Where there are curves they lead, and the rows of bars wait behind “More”.
  const [crowdPlace, ringPlace] = [html("div"), html("div", { class: "ws-rings" })];
  if (curves) slider.track.before(ringPlace);
  kit.panel.append(
    ...(curves ? rows : []), kit.options(slider.typed, slider.flip), kit.status, measures.root, place,
  );
  const inside = [...(curves ? [slider.root, crowdPlace] : [...rows, slider.root]), ...voice.parts, ...kit.parts];

  // --- columns: built anew when the tokens change ------------------------------------------------
  function build() {
    const { tokens } = state;
    const [at, outline, middle] = [
      columnsOf(tokens.length, BAR), columnsOf(tokens.length, OUTLINE), middleOf(tokens.length),
    ];
    const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
    row = scoreRow({
      tokens, value: (i) => state.scores[i], set: (i, x, jump) => changeOne("scores", i, x, jump),
      first: state.scores.indexOf(Math.max(...state.scores)),
    });
    row.words.at(-1).classList.toggle("ws-from", tokens.at(-1) === model.get("query"));
    columns = tokens.map((_, i) => ({
      weight: svg("rect", { ...at(i), class: "ws-weight" }),
      prior: svg("rect", { ...outline(i), class: "ws-prior" }),
      weightLabel: svg("text", { x: middle(i), class: "ws-label ws-accent" }),
    }));
    row.grips.forEach((grip, i) => [grip, row.words[i]].forEach((part) => curves?.follow(part, i)));
    const all = (...keys) => columns.flatMap((column) => keys.map((k) => column[k]));
    row.plot.append(svg("defs", {}, pattern()));
    const bars = all("weight", "prior", "weightLabel");
    weightPlot.replaceChildren(rule(WEIGHT.top, "ws-all"), ...bars, rule(WEIGHT.height - 0.5, "ws-zero"));
    scorePlace.replaceChildren(...row.parts);
    el.style.setProperty("--ws-n", tokens.length);
    if (curves && model.get("plain")) {
      crowd = crowdSlider(tokens.length, (n, jump) => change({ crowd: n }, jump));
      crowdPlace.replaceChildren(crowd.root);
      ringPlace.replaceChildren(crowd.ring);
    }
    table = numbers(tokens, changeOne, kit.note);
    renew(place, table.root);
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = columns.length;
    const [low, high, ...all] = shown;
    const part = (k) => all.slice(k * n, (k + 1) * n);
    const [scores, weights, null_] = [part(0), part(1), part(2)];
    row.draw(scores, low, high);
    const yWeight = (w) => WEIGHT.top + (1 - w) * (WEIGHT.height - WEIGHT.top - 1);
    columns.forEach((column, i) => {
      const [w, u] = [weights[i], null_[i]];
      setBar(column.weight, yWeight(0), yWeight(w));
      setBar(column.prior, yWeight(0), yWeight(u));
      const inside = plain || yWeight(w) - yWeight(u) > ROOM; // between the bar and the prior's line above it
      column.weightLabel.setAttribute("y", yWeight(inside ? w : Math.max(w, u)) - 6);
    });
    curves?.draw({ ...state, scores, crowd: Math.exp(shown.at(-2)) }, shown.at(-1));
    crowd?.draw(shown.at(-1) / TOP);
  });

  function update(jump) {
    const next = read();
    const rebuilt = !columns || next.tokens.join("\n") !== state.tokens.join("\n");
    state = { ...next, crowd: model.get("plain") ? next.crowd : 0 };
    plain = Boolean(model.get("plain") && !state.prior);
    el.classList.toggle("ws-plain", plain);
    if (rebuilt) build();
    const weights = weightsAmong(state);
    const u = weightsAmong(state, 0);
    const open = admissible(state.scores, state);
    const count = open.filter(Boolean).length;
    const range = row.room(lastingRoom(model, roomForTwice));
    row.show(weights);
    columns.forEach(({ weightLabel }, i) => {
      weightLabel.textContent = open[i] ? percent(weights[i]) : "out";
      weightLabel.classList.toggle("ws-none", weights[i] === 0);
      for (const part of [row.bars[i], row.words[i], weightLabel]) part.classList.toggle("ws-out", !open[i]);
      row.bars[i].style.fill = open[i] ? "" : `url(#${hatch})`;
    });
    const said = state.tokens.map((token, i) => `${token} ${percent(weights[i])}`).join(", ");
    weightPlot.setAttribute("aria-label", `weights: ${said}`);
    measures.show([
      [amount(dot(weights, state.scores)), ""],
      [fixed(entropy(weights), 2), `of ${fixed(Math.log(Math.max(1, count)), 2)} nats`],
      [fixed(effectiveCount(weights), 1), `of ${count}`],
      [fixed(klDivergence(weights, u), 2), "nats"],
    ]);
    voice.say(sentence(state, plain, crowd && weights) + othersText(state, weights));
    crowd?.show(state, model.get("start"));
    slider.show(state.beta);
    table.show(state, weights);
    motion.to([...range, ...state.scores, ...weights, ...u, Math.log(manyOf(state)), slider.place()], jump);
  }

  await page?.pause(0);
  el.replaceChildren(...inside);
  const leave = settle(el, model, {
    kind: "ws-weights", traits: TRAITS, parts: [motion, voice],
    follow,
  });
  update(true);
  return leave;
}
