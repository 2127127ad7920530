// Can you tell? What the best tests make of m words, and how fast their errors fall.
import { field, hint, html, settle, speaker, svg, tools, uid } from "./controls.js";
import { logSlider } from "./log_slider.js";
import { dot, softmax } from "./math.js";
import { game } from "./tell_game.js";
import { HOLDS, limit, onLattice, tester } from "./tell_math.js";
import { curves, GRID, humps } from "./tell_plots.js";
import { BEGUN, chance, LEAST, LIMITS, logLeast, tellSentence, wordsText } from "./tell_words.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { fixed, short, steady } from "./words.js";

const TRAITS = ["tokens", "scores", "beta", "m", "hold", "sample", "seed"];
const BETA = [0.1, 10];
const M = [1, 1000];
const inside = (x, [low, high]) => x >= low && x <= high;
const ROWS = GRID.filter((m) => /^[125]0*$/.test(m));

// What a link may set here.
render.fits = ({ scores, beta, m }) => inside(beta, BETA) && inside(m, M) && onLattice(scores);

// Computes what depends on the scores and β alone, in many small steps. `memo` keeps what
// depends on the scores alone.
function* stepping(scores, beta, memo, full) {
  const best = tester(scores, beta, memo);
  const each = (of) => Object.fromEntries(HOLDS.map((hold) => [hold, of(hold)]));
  const exponents = each(() => []);
  for (const hold of full ? HOLDS : []) {
    for (const m of GRID) yield exponents[hold].push(best(m, hold).exponent);
  }
  const means = [0, beta].map((b) => dot(softmax(scores, b), scores));
  return { scores, beta, best, each, means, exponents, limit: each((hold) => limit(scores, beta, hold)) };
}

export async function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole: oneForEachToken("scores") });
  let state = read();
  // Exponents, and the game behind “More”; or the game alone, where a page has not yet spoken of exponents.
  const full = model.get("exponents");
  const memo = new Map();
  let known = null;
  function know({ scores, beta }) {
    if (known?.scores === scores && known.beta === beta) return known;
    if (known?.scores !== scores) memo.clear();
    const steps = stepping(scores, beta, memo, full);
    let step = steps.next();
    while (!step.done) step = steps.next();
    return (known = step.value);
  }
  if (page) {
    // The first state takes a phone long enough to be felt: with pauses, the page can be used meanwhile.
    const steps = stepping(state.scores, state.beta, memo, full);
    let step = steps.next();
    for (; !step.done; step = steps.next()) await page.pause();
    known = step.value;
  }

  // --- the parts -------------------------------------------------------------------------------
  const span = (kind, ...inside) => html("span", { class: kind }, ...inside);
  const head = (...parts) => html("div", { class: "ws-head" }, ...parts);
  const voice = speaker();
  const kit = tools({
    page,
    reset() {
      quiz.reset();
      reset();
    },
  });
  let plot = null;
  const stand = html("div");
  const quiz = game({ draw: () => change({ sample: state.sample + 1 }), mark: (mean) => plot.mark(mean) });
  const rise = curves();
  const count = span("ws-value");
  const beta = span("ws-value");
  const says = (m) => `m = ${wordsText(m)}`;
  const stands = (m) => (full ? says(m) : wordsText(m));
  const mSlider = logSlider({
    name: "words seen m", low: M[0], high: M[1], whole: true, spoken: says, choose: (m) => change({ m }),
  });
  const betaSlider_ = logSlider({
    name: "inverse temperature β", low: BETA[0], high: BETA[1], choose: (x) => change({ beta: x }),
    spoken: (x) => `β = ${short(x)}, temperature ${short(1 / x)}`,
  });
  const rows = tests();
  const set = (value, slider) => html("div", { class: "ws-valued" }, value, slider.root);
  const seen = [quiz.root, stand];
  el.replaceChildren(
    ...(full
      ? [
        head(span("ws-axis", "exponent"), span("ws-note", "−log(error)/m, nats a word"), hint("move m")),
        html("div", { class: "ws-rise" }, rise.root), mSlider.root, head(count, span("ws-note", "seen")),
        rows.root,
      ]
      : [...seen, set(count, mSlider)]),
    ...(full ? [set(beta, betaSlider_)] : []),
    ...voice.parts,
    ...kit.parts,
  );
  const typed = (name, [low, high], whole, choose) =>
    field(name, { type: "text", inputmode: "decimal", spellcheck: "false" },
      (x) => inside(x, [low, high]) && (!whole || Number.isInteger(x)), choose, kit.note);
  const mField = typed("m", M, true, (m) => change({ m }));
  const betaField = typed("β", BETA, false, (x) => change({ beta: x }));
  const label = (name, { input }) => html("label", { class: "ws-typed" }, span("", name), input);
  const table = numbers();
  kit.panel.replaceChildren(
    ...(full ? seen : [set(beta, betaSlider_)]),
    kit.options(label("m", mField), label("β", betaField)), kit.status,
    ...(full ? [table.root] : []),
  );

  // Which error is held: one row each, with what the test then comes to.
  function tests() {
    const group = uid();
    const made = HOLDS.map((hold, i) => {
      const box = html("input", { type: "radio", name: group, value: hold, "aria-labelledby": `${group}-${i}` });
      box.addEventListener("change", () => change({ hold }));
      const line = svg("svg", { class: "ws-swatch", width: 24, height: 10, "aria-hidden": "true" },
        svg("line", { class: `ws-exponent ws-test-${i}`, x1: 0, x2: 24, y1: 5, y2: 5 }));
      const cells = [0, 1, 2].map(() => span("ws-cell"));
      const name = html("span", { class: "ws-held", id: `${group}-${i}` }, hold);
      return { hold, box, cells, root: html("label", { class: "ws-test" }, box, line, name, ...cells) };
    });
    const heads = ["held at 5%", "least error", "exponent", "its limit"].map((text) => span("", text));
    return {
      root: html("div", { class: "ws-tests", role: "radiogroup", "aria-label": "error held at 5%" },
        html("div", { class: "ws-test ws-heads", "aria-hidden": "true" }, ...heads),
        ...made.map((row) => row.root),
      ),
      show(best, limits, m, chosen) {
        for (const { hold, box, cells } of made) {
          box.checked = hold === chosen;
          cells[0].replaceChildren(span("ws-wide", `${LEAST[hold]} `), chance(logLeast(best[hold], m)));
          cells[1].textContent = steady(best[hold].exponent);
          cells[2].replaceChildren(span("ws-wide", `${LIMITS[hold]} `), steady(limits[hold]));
        }
      },
    };
  }

  function numbers() {
    const cells = [...ROWS, "limit"].map(() => HOLDS.map(() => html("td")));
    const title = (text, scope) => html("th", { scope }, text);
    const line = (name, i) => html("tr", {}, title(String(name), "row"), ...cells[i]);
    const heads = ["words m", "misses held", "false alarms held", "neither held"].map((text) =>
      title(text, "col"),
    );
    return {
      root: html("table", { class: "ws-table" }, html("caption", {}, "exponents, nats a word"),
        html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...[...ROWS, "limit"].map(line))),
      show({ exponents, limit: ends }) {
        const at = (hold, i) => (i < ROWS.length ? exponents[hold][GRID.indexOf(ROWS[i])] : ends[hold]);
        cells.forEach((row, i) => row.forEach((cell, j) => (cell.textContent = steady(at(HOLDS[j], i)))));
      },
    };
  }

  // --- drawing -----------------------------------------------------------------------------------
  function update() {
    const next = read();
    if (!plot || String(next.scores) !== String(state.scores)) {
      plot = humps(next.scores);
      stand.replaceChildren(...plot.parts);
    }
    state = next;
    const { best, each, means, limit: ends, exponents } = know(state);
    const { m, hold } = state;
    const found = each((one) => best(m, one));
    const sums = [found["false alarms"].sums, found.misses.sums]; // under u, and under π
    const { bar, toss } = found[hold];
    const at = fixed(bar / m, 2);
    const start = model.get("start");
    const waits = !full && hold === "neither" && state.sample === 0 && m === start.m && state.beta === start.beta;
    plot.show({
      m, sums, means, test: found[hold], waits,
      said: `mean score under u about ${fixed(means[0], 2)}, under π about ${fixed(means[1], 2)}; \
says π ${toss < 1 ? `above ${at}` : `from ${at} on`}`,
    });
    count.textContent = stands(m);
    beta.textContent = `β = ${steady(state.beta)}`;
    mSlider.show(m);
    betaSlider_.show(state.beta);
    mField.show(String(m));
    betaField.show(short(state.beta));
    if (full) {
      rise.show({ m, hold, limit: ends, exponents, tests: found });
      rows.show(found, ends, m, hold);
      table.show(known);
    }
    quiz.show(state, found[hold]);
    voice.say(waits ? BEGUN : tellSentence(state, found[hold], full ? ends[hold] : null));
  }

  const leave = settle(el, model, {
    kind: "ws-tell", traits: TRAITS, parts: [voice],
    follow,
  });
  update();
  return leave;
}
