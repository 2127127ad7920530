// β and the weights: scores above, the words between, weights below, column by column.
import { shade } from "./arcs.js";
import { betaSlider } from "./beta_slider.js";
import { glide, hint, html, readings, settle, speaker, svg, tools, uid } from "./controls.js";
import { curvePlot } from "./curves.js";
import { grip, roomFor } from "./grips.js";
import { admissible, dot, effectiveCount, entropy, klDivergence, nullWeights, softmax } from "./math.js";
import { numbers, renew } from "./table.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { amount, fixed, percent, scoreText, sentence } from "./words.js";

// Heights in CSS pixels.
const SCORE = { height: 168, top: 30, bottom: 24 };
const WEIGHT = { height: 128, top: 22 };
const [BAR, OUTLINE] = [0.56, 0.74]; // widths, in columns
const ROOM = 24; // what a label needs to stand between two lines, in pixels
const TRAITS = ["tokens", "scores", "beta", "prior", "where"];

export async function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, {
    whole: oneForEachToken("scores", "prior", "where"),
  });
  let state = read();
  let range = roomFor(state.scores);
  let columns = null;
  let plain = false; // without the null and what is measured from it
  let held = false;

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
  const scorePlot = svg("svg", { class: "ws-svg", height: SCORE.height, "aria-hidden": "true" });
  const weightPlot = svg("svg", { class: "ws-svg", height: WEIGHT.height, role: "img" });
  const grips = html("div", { class: "ws-grips", role: "group", "aria-label": "scores" });
  const words = html("ol", { class: "ws-tokens ws-sentence", "aria-hidden": "true" });
  const measures = readings(["expected score", "entropy H", "effective tokens", "KL from the null"]);
  const voice = speaker();
  const kit = tools({ reset, page });
  const slider = betaSlider((beta, jump) => change({ beta }, jump), kit.note, { presets: model.get("presets") });
  const curves = model.get("curves") ? curvePlot(slider) : null;
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
    html("div", { class: "ws-plot" }, scorePlot, grips),
    words,
    head("weight ", "π", key),
    weightPlot,
  ];
  // Where there are curves they lead, and the rows of bars wait behind “More”.
  const led = [head("weight ", "π", span("ws-note", "of each word, at every β"), hint("move β"))];
  kit.panel.append(
    ...(curves ? rows : []), kit.options(slider.typed, slider.flip), kit.status, measures.root, place,
  );
  const inside = [...(curves ? led : rows), slider.root, ...voice.parts, ...kit.parts];

  // --- columns: built anew when the tokens change ------------------------------------------------
  function build() {
    const n = state.tokens.length;
    held = false; // a knob that goes can no longer say that it is let go
    const at = (i, width) => ({ x: `${(100 * (i + 0.5 - width / 2)) / n}%`, width: `${(100 * width) / n}%` });
    const middle = (i) => `${(100 * (i + 0.5)) / n}%`;
    const rule = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
    const zero = rule(0, "ws-zero");
    columns = state.tokens.map((token, i) => ({
      score: svg("rect", { ...at(i, BAR), class: "ws-score" }),
      scoreLabel: svg("text", { x: middle(i), class: "ws-label" }),
      weight: svg("rect", { ...at(i, BAR), class: "ws-weight" }),
      prior: svg("rect", { ...at(i, OUTLINE), class: "ws-prior" }),
      weightLabel: svg("text", { x: middle(i), class: "ws-label ws-accent" }),
      grip: gripOf(token, i, n),
      word: html(
        "li", { class: `ws-word${token === model.get("query") && i === n - 1 ? " ws-from" : ""}`, title: token },
        token,
      ),
    }));
    columns.zero = zero;
    columns.forEach(({ grip, word }, i) => [grip.root, word].forEach((part) => curves?.follow(part, i)));
    const all = (...keys) => columns.flatMap((column) => keys.map((k) => column[k]));
    scorePlot.replaceChildren(svg("defs", {}, pattern()), zero, ...all("score", "scoreLabel"));
    const bars = all("weight", "prior", "weightLabel");
    weightPlot.replaceChildren(rule(WEIGHT.top, "ws-all"), ...bars, rule(WEIGHT.height - 0.5, "ws-zero"));
    grips.replaceChildren(...columns.map((column) => column.grip.root));
    words.replaceChildren(...all("word"));
    el.style.setProperty("--ws-n", n);
    words.style.setProperty("--ws-longest", Math.max(...state.tokens.map((token) => token.length)));
    table = numbers(state.tokens, changeOne, kit.note);
    renew(place, table.root);
  }

  function gripOf(token, i, n) {
    return grip({
      name: `score of ${token} (token ${i + 1} of ${n})`,
      left: (100 * i) / n,
      width: 100 / n,
      value: () => state.scores[i],
      bounds: () => range,
      unit: () => (SCORE.height - SCORE.top - SCORE.bottom) / (range[1] - range[0]),
      set: (value, jump) => value !== state.scores[i] && changeOne("scores", i, value, jump),
      hold(taken) {
        held = taken;
        if (!taken) update(false); // the scale grows only when a drag has ended
      },
    });
  }

  // --- drawing -----------------------------------------------------------------------------------
  const motion = glide((shown) => {
    const n = columns.length;
    const [low, high] = shown;
    // The halves are subtracted, since the difference of two huge scores may be infinite.
    const share = (s) => (high / 2 - s / 2) / (high / 2 - low / 2);
    const yScore = (s) => SCORE.top + share(s) * (SCORE.height - SCORE.top - SCORE.bottom);
    const yWeight = (w) => WEIGHT.top + (1 - w) * (WEIGHT.height - WEIGHT.top - 1);
    const bar = (rect, y0, y1) => {
      rect.setAttribute("y", Math.min(y0, y1));
      rect.setAttribute("height", Math.abs(y1 - y0));
    };
    for (const end of ["y1", "y2"]) columns.zero.setAttribute(end, yScore(0));
    columns.forEach((column, i) => {
      const [s, w, u] = [shown[2 + i], shown[2 + n + i], shown[2 + 2 * n + i]];
      bar(column.score, yScore(0), yScore(s));
      column.scoreLabel.setAttribute("y", yScore(s) + (s < 0 ? 21 : -12));
      column.grip.root.style.top = `${yScore(s)}px`;
      bar(column.weight, yWeight(0), yWeight(w));
      bar(column.prior, yWeight(0), yWeight(u));
      const inside = plain || yWeight(w) - yWeight(u) > ROOM; // between the bar and the prior's line above it
      column.weightLabel.setAttribute("y", yWeight(inside ? w : Math.max(w, u)) - 6);
    });
    curves?.draw({ ...state, scores: shown.slice(2, 2 + n) }, shown.at(-1));
  });

  function update(jump) {
    const next = read();
    const rebuilt = !columns || next.tokens.join("\n") !== state.tokens.join("\n");
    state = next;
    plain = Boolean(model.get("plain") && !state.prior);
    el.classList.toggle("ws-plain", plain);
    if (rebuilt) build();
    if (!held) range = roomFor(state.scores);
    const weights = softmax(state.scores, state.beta, state);
    const u = nullWeights(state.scores, state);
    const open = admissible(state.scores, state);
    const count = open.filter(Boolean).length;
    columns.forEach((column, i) => {
      const text = scoreText(state.scores[i]);
      column.scoreLabel.textContent = text;
      column.weightLabel.textContent = open[i] ? percent(weights[i]) : "out";
      shade(column.word, weights[i]);
      column.weightLabel.classList.toggle("ws-none", weights[i] === 0);
      for (const part of [column.score, column.word, column.weightLabel]) {
        part.classList.toggle("ws-out", !open[i]);
      }
      column.score.style.fill = open[i] ? "" : `url(#${hatch})`;
      column.grip.show(`${state.tokens[i]}, score ${text}`);
    });
    const said = state.tokens.map((token, i) => `${token} ${percent(weights[i])}`).join(", ");
    weightPlot.setAttribute("aria-label", `weights: ${said}`);
    measures.show([
      [amount(dot(weights, state.scores)), ""],
      [fixed(entropy(weights), 2), `of ${fixed(Math.log(Math.max(1, count)), 2)} nats`],
      [fixed(effectiveCount(weights), 1), `of ${count}`],
      [fixed(klDivergence(weights, u), 2), "nats"],
    ]);
    voice.say(sentence(state, plain));
    slider.show(state.beta);
    table.show(state, weights);
    motion.to([...range, ...state.scores, ...weights, ...u, slider.place()], jump);
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
