// The race: each token's score plus noise, the best wins, and wins pile up against softmax.
import { choice } from "./choices.js";
import { button, field, glide, hint, html, settle, speaker, tools } from "./controls.js";
import { logSlider } from "./log_slider.js";
import { softmax } from "./math.js";
import { noiseKeeper, NOISES, raceAll, standardError } from "./race_math.js";
import { plots, span, topShare } from "./race_plots.js";
import { errorsAway, racesText, raceSentence } from "./race_words.js";
import { oneForEachToken, traitsOf } from "./traits.js";
import { fixed, grouped, percent, scoreText, short, steady } from "./words.js";

const TRAITS = ["tokens", "scores", "beta", "noise", "races", "seed"];
const BETA = [0.1, 10];
const RACES = [0, 100000];
const SEED = [0, 2 ** 31 - 1];
const RUNS = [1, 10, 100, 1000];
const inside = (x, [low, high]) => x >= low && x <= high;

// What a link may set here.
render.fits = ({ beta, races, seed }) => inside(beta, BETA) && inside(races, RACES) && inside(seed, SEED);

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole: oneForEachToken("scores") });
  const draws = noiseKeeper();
  let state = read();
  let plot = null;

  // --- the parts -------------------------------------------------------------------------------
  const part = (kind, ...all) => html("span", { class: kind }, ...all);
  const head = (...all) => html("div", { class: "ws-head" }, ...all);
  const symbol = (text) => html("i", {}, text);
  const voice = speaker();
  const kit = tools({ page, reset });
  const stand = html("div", { class: "ws-lane-stand" });
  const pile = html("div", { class: "ws-pile-stand" });
  const which = part("ws-note");
  const many = part("ws-note");
  const size = part("ws-value");
  const runs = RUNS.map((k) => button(`+${k}`, () => change({ races: Math.min(RACES[1], state.races + k) })));
  runs.forEach((one, i) => one.setAttribute("aria-label", `+${RUNS[i]} ${RUNS[i] === 1 ? "race" : "races"}`));
  const clear = button("Clear", () => change({ races: 0 }));
  const runRow = html("div", { class: "ws-runs", role: "group", "aria-label": "run races" },
    html("span", { class: "ws-note", "aria-hidden": "true" }, "run"), ...runs, clear);
  const kinds = choice("noise", Object.fromEntries(NOISES.map((kind) => [kind, kind])), (noise) =>
    change({ noise }),
  );
  const slider = logSlider({
    name: "inverse temperature β, one over the size of the noise", low: BETA[0], high: BETA[1],
    choose: (beta, jump) => change({ beta }, jump),
    spoken: (x) => `β = ${short(x)}, noise of size ${short(1 / x)}`,
  });
  const noiseSize = part("ws-aside");
  const key = part("ws-aside", part("ws-key ws-of-softmax"), "softmax ", symbol("π"),
    part("ws-key ws-of-band"), "± 2 ", part("ws-wide", "standard errors"), part("ws-short", "s.e."));
  el.replaceChildren(
    head(part("ws-axis", "score ", symbol("s"), " plus noise"), which, hint("run more races")),
    stand,
    head(part("ws-axis", "wins"), many, key),
    pile,
    runRow,
    html("div", { class: "ws-kinds" }, part("ws-note", "noise"), kinds.root),
    ...voice.parts,
    ...kit.parts,
  );
  const typed = (name, range, whole, choose) =>
    field(name, { type: "text", inputmode: "decimal", spellcheck: "false" },
      (x) => inside(x, range) && (!whole || Number.isInteger(x)), choose, kit.note);
  const fields = {
    β: typed("β", BETA, false, (beta) => change({ beta })),
    races: typed("races", RACES, true, (races) => change({ races })),
    seed: typed("seed", SEED, true, (seed) => change({ seed })),
  };
  const labels = Object.entries(fields).map(([name, { input }]) =>
    html("label", { class: "ws-typed" }, part("", name), input));
  let table = null;
  const standard = (x) => (state.races ? fixed(x, 1) : "–");

  function numbers(tokens, scores) {
    const cells = tokens.map(() => Array.from({ length: 5 }, () => html("td")));
    const title = (text, scope) => html("th", { scope }, text);
    const heads = ["token", "score", "last race", "wins", "softmax", "standard errors away"];
    return {
      root: html("table", { class: "ws-table" },
        html("thead", {}, html("tr", {}, ...heads.map((text) => title(text, "col")))),
        html("tbody", {}, ...tokens.map((token, i) => html("tr", {}, title(token, "row"), ...cells[i])))),
      show({ wins, last }, weights, away) {
        tokens.forEach((_, i) => {
          const texts = [scoreText(scores[i]), state.races ? fixed(last[i], 2) : "–", grouped(wins[i]),
            percent(weights[i]), standard(away[i])];
          cells[i].forEach((cell, j) => (cell.textContent = texts[j]));
        });
      },
    };
  }

  function build() {
    plot = plots(state.tokens, state.scores);
    stand.replaceChildren(plot.lanes, plot.words);
    pile.replaceChildren(plot.shares);
    table = numbers(state.tokens, state.scores);
    kit.panel.replaceChildren(
      head(size, part("ws-note", "one over the size of the noise"), noiseSize), slider.root,
      kit.options(...labels), kit.status, table.root);
  }

  // --- drawing -----------------------------------------------------------------------------------
  // One list of numbers glides: four for the axes, then four for each token.
  const motion = glide((shown) => {
    const n = state.tokens.length;
    const list = (k) => shown.slice(4 + k * n, 4 + (k + 1) * n);
    const [low, high, beta, top] = shown;
    plot.draw({ low, high, beta, top, last: list(0), share: list(1), softmax: list(2), error: list(3) });
  });

  function update(jump) {
    const next = read();
    const other =
      !plot || JSON.stringify([next.tokens, next.scores]) !== JSON.stringify([state.tokens, state.scores]);
    state = next;
    if (other) build();
    const { tokens, scores, beta, noise, races } = state;
    const found = raceAll(state, draws);
    const weights = softmax(scores, beta);
    const share = found.wins.map((count) => (races ? count / races : 0));
    const error = weights.map((w) => (races ? standardError(w, races) : 0));
    const away = races ? errorsAway(found.wins, races, weights) : tokens.map(() => 0);
    const winner = tokens[found.winner];
    which.textContent = races ? `race ${grouped(races)}: “${winner}” is best` : "no race yet";
    many.textContent = `of ${racesText(races)}`;
    size.textContent = `β = ${steady(beta)}`;
    noiseSize.textContent = noise === "none" ? "no noise" : `size 1/β = ${steady(1 / beta)}`;
    plot.label(state, found);
    plot.lanes.setAttribute("aria-label", races
      ? `race ${races}, score plus noise: \
${tokens.map((token, i) => `${token} ${fixed(found.last[i], 2)}`).join(", ")}`
      : `scores: ${tokens.map((token, i) => `${token} ${scoreText(scores[i])}`).join(", ")}`);
    const said = tokens.map((token, i) => `${token} ${found.wins[i]}, softmax ${percent(weights[i])}`).join("; ");
    plot.shares.setAttribute("aria-label", `wins of ${races} races: ${said}`);
    kinds.show(noise);
    slider.show(beta);
    fields.β.show(String(beta));
    fields.races.show(String(races));
    fields.seed.show(String(state.seed));
    table.show(found, weights, away);
    voice.say(raceSentence(state, found.wins, weights));
    const top = topShare([...share, ...weights]);
    motion.to([...span(scores, beta), beta, top, ...found.last, ...share, ...weights, ...error], jump || other);
  }

  const leave = settle(el, model, {
    kind: "ws-race", traits: TRAITS, parts: [motion, voice],
    follow,
  });
  update(true);
  return leave;
}
