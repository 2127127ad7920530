// Two maps learn: two small transformers, alike but for the map in their heads, are trained side by side in the
// page. First the reader bets. Where the machine is slow, a recorded run is played in place of its own.
import { choice } from "./choices.js";
import { button, field, html, settle, speaker, tick, tools } from "./controls.js";
import { logSlider } from "./log_slider.js";
import { swatch } from "./map_panel.js";
import { traitsOf } from "./traits.js";
import { headGrid, rightPlot, task } from "./two_maps_plots.js";
import { ofRecord, race, upTo } from "./two_maps_runs.js";
import { recipe } from "./two_maps_trainer.js";
import {
  AT_REST, duration, headline, learningTables, LEGEND, MAP_NAMES, NEITHER, progressSentence, verdict, winner,
} from "./two_maps_words.js";
import { short } from "./words.js";

const TRAITS = ["first", "second", "rate", "beta", "rule", "layers", "symbols", "seed"];
const RATE = [0.001, 0.1];
const BETA = [0.01, 10];
const SEED = [0, 2 ** 31 - 1];
const LAYERS = 2;
const RULES = { fixed: "stays as it is", learned: "is learned, in each head", "log-n": "grows with log n" };
const PACE = 0.018; // seconds a step of two models takes for each layer, in a browser on a machine with two cores
const SLOW = 45; // seconds: who would wait longer is shown the recorded run
const JUDGED = 30; // steps, after which it is known how quick the machine is
const CLOSE_BY = 400; // steps: where the plot ends, if both runs are known to end before
const FRAME = 150; // milliseconds between two states of a recorded run
const PRESS = {
  bet: "Train", training: "Stop", stopped: "Go on", done: "Other random numbers", playing: "Train here",
  played: "Train here",
};
const SQUARE = "The heads: a row for each symbol, dark where it looks.";
const inside = (x, [low, high]) => x >= low && x <= high;
const differ = ({ first, second }) => first !== second;

// What a link may set here.
render.fits = (state) =>
  differ(state) && inside(state.rate, RATE) && inside(state.beta, BETA) && inside(state.seed, SEED) &&
  inside(state.layers, [1, LAYERS]);

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, begin, { whole: differ });
  const { runs: recorded, choices: ofRecorded } = model.get("record");
  const { steps, heads, room, enough } = recipe();
  // "bet" at rest; "training", "stopped", "done"; where the recorded run is shown "playing" and "played".
  let how = "bet";
  let bet = null; // the place of a map, or 2 for neither
  let training = null;
  let played = null; // what is shown of the recorded runs
  let patient = false; // whoever wants to train here, however long it takes
  let pace = PACE; // as long as this page has not trained
  let timer = 0;

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset });
  const pick = (name, title, other) => {
    const options = Object.entries(MAP_NAMES).map(([value, text]) => html("option", { value }, text));
    const select = html("select", {}, ...options);
    // Whoever chooses the other's map swaps the two.
    select.addEventListener("change", () =>
      change(
        select.value === read()[other]
          ? { [name]: select.value, [other]: read()[name] }
          : { [name]: select.value },
      ),
    );
    return { select, root: html("label", { class: `ws-typed ws-${name}` }, html("span", {}, title), select) };
  };
  const picks = [pick("first", "the first map", "second"), pick("second", "the second map", "first")];
  const bets = [0, 1, 2].map((place) => {
    const made = button("", () => {
      bet = bet === place ? null : place;
      show(false);
    });
    made.classList.add("ws-bet", ["ws-first", "ws-second", "ws-neither"][place]);
    return made;
  });
  const press = button("Train", () => (how === "training" ? pause() : how === "done" ? another() : train()));
  press.classList.add("ws-train");
  const note = html("span", { class: "ws-note ws-progress" });
  const question = html("p", { class: "ws-question", "aria-live": "polite" });
  const asked = task();
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "place your bet");
  const plot = rightPlot(steps, enough);
  const grids = [0, 1].map((side) => headGrid(side, { layers: LAYERS, heads, room }));
  const tables = learningTables(steps, 50, LAYERS, heads);
  const printed = html("p", { class: "ws-printed" });
  el.replaceChildren(
    html("div", { class: "ws-duel" },
      html("div", { class: "ws-bets" }, html("div", { class: "ws-ask" },
        question, asked.root,
        html("div", { class: "ws-sides", role: "group", "aria-label": "your bet" }, call, ...bets),
        html("div", { class: "ws-go" }, press, note))),
      plot.root,
      html("div", { class: "ws-grids" },
        ...grids.map(({ root }) => root), html("p", { class: "ws-note" }, SQUARE))),
    ...voice.parts, printed, ...kit.parts,
  );
  const size = html("span", { class: "ws-value" });
  const slider = logSlider({
    name: "inverse temperature β", low: BETA[0], high: BETA[1], choose: (beta) => change({ beta }),
    spoken: (x) => `β = ${short(x)}`,
  });
  const rules = choice("what becomes of β", RULES, (rule) => change({ rule }));
  const deep = choice("layers", { 2: "two layers", 1: "one layer" }, (layers) =>
    change({ layers: Number(layers) }),
  );
  const repeats = tick("symbols may repeat in a block", (on) => change({ symbols: on ? "repeat" : "differ" }));
  const seed = field("seed", { type: "text", inputmode: "numeric", spellcheck: "false" },
    (x) => inside(x, SEED) && Number.isInteger(x), (x) => change({ seed: x }), kit.note);
  const rate = field("step size", { type: "text", inputmode: "decimal", spellcheck: "false" },
    (x) => inside(x, RATE), (x) => change({ rate: x }), kit.note);
  const typed = ({ input }, text) => html("label", { class: "ws-typed" }, html("span", {}, text), input);
  kit.panel.append(
    html("div", { class: "ws-head" }, size, html("span", { class: "ws-note" }, "the usual is 1/√16 = 0.25")),
    slider.root,
    html("div", { class: "ws-options" }, ...picks.map(({ root }) => root)),
    html("div", { class: "ws-rules-of" }, html("span", { class: "ws-note" }, "β"), rules.root), deep.root,
    kit.options(repeats.root, typed(rate, "step size"), typed(seed, "seed")), kit.status,
    html("p", { class: "ws-legend" }, LEGEND), tables.root);

  // --- runs ------------------------------------------------------------------------------------
  const maps = () => [read().first, read().second];
  const choices = (map) => {
    const { rate: own, beta, rule, layers, symbols, seed: number } = read();
    return { map, seed: number, rate: own, beta, rule, layers, repeats: symbols === "repeat" };
  };
  const known = () => {
    const isRecorded = Object.entries(ofRecorded).every(([name, value]) => read()[name] === value);
    return isRecorded ? maps().map((map) => ofRecord(recorded[map])) : null;
  };
  // How many steps it will take: at most all.
  const lastStep = () => Math.max(...(known()?.map(({ step }) => step.at(-1)) ?? [steps]));
  const secondsFrom = (step) => (lastStep() - step) * pace * read().layers;

  // Back to the bet, whatever has been going on.
  function begin() {
    end();
    [how, bet, training, played, patient] = ["bet", null, null, null, false];
    const { first, second, rate: own, beta, rule, layers, symbols, seed: number } = read();
    Object.assign(el.dataset, { first, second });
    maps().forEach((map, side) => (picks[side].select.value = map));
    size.textContent = `β = ${short(beta)}`;
    slider.show(beta);
    rules.show(rule);
    deep.show(String(layers));
    repeats.box.checked = symbols === "repeat";
    seed.show(String(number));
    rate.show(String(own));
    show(true);
  }

  function train() {
    patient = patient || how === "playing" || how === "played";
    clearTimeout(timer);
    played = null;
    training ??= race(maps().map(choices), hear);
    how = "training";
    show(true);
    training.go();
  }

  function hear() {
    const step = training.step();
    if (step > 0) pace = training.pace() / read().layers;
    if (training.isOver()) how = "done";
    else if (!patient && step >= JUDGED && known() && lastStep() * training.pace() > SLOW) return play();
    show(how === "done");
  }

  function pause() {
    training.halt();
    how = "stopped";
    show(true);
  }

  // The same with other random numbers.
  const another = () => change({ seed: (read().seed + 1) % SEED[1] });

  function play() {
    training.halt();
    how = "playing";
    const all = known();
    let count = matchMedia("(prefers-reduced-motion: reduce)").matches ? steps : 0;
    const next = () => {
      count += 1;
      played = all.map((run) => upTo(run, count));
      if (all.every(({ step }) => count >= step.length)) how = "played";
      else timer = setTimeout(next, FRAME);
      show(how === "played");
    };
    next();
  }

  function end() {
    clearTimeout(timer);
    training?.stop();
  }

  // --- drawing -----------------------------------------------------------------------------------
  const noteOf = () => {
    const step = training?.step();
    if (how === "bet") return `${duration(secondsFrom(0), known())}, in your browser`;
    if (how === "training") return step ? `step ${step}, ${duration(secondsFrom(step), known())} left` : "step 0";
    if (how === "stopped") return `stopped at step ${step}`;
    if (how === "done") return "";
    return `Recorded on another machine; yours would take ${duration(secondsFrom(0), true)}.`;
  };

  function show(aloud) {
    const two = maps();
    const isBet = how === "bet";
    const isOver = how === "done" || how === "played";
    const runs = isBet ? known() : (played ?? training.runs); // at rest for paper alone, where nothing trains
    el.classList.toggle("ws-kept", isBet && runs !== null);
    el.dataset.how = how;
    plot.draw(two, runs, lastStep() <= CLOSE_BY ? CLOSE_BY : steps);
    asked.show(isOver);
    two.forEach((map, side) => {
      grids[side].draw(map, runs?.[side].heads, heads * read().layers, isBet);
      tables.show(side, map, isBet ? null : runs[side], read().beta);
      bets[side].replaceChildren(swatch(["first", "second"][side]), html("span", {}, MAP_NAMES[map]));
    });
    plot.name(two, isBet ? null : runs);
    bets[2].textContent = NEITHER;
    bets.forEach((one, place) => {
      one.setAttribute("aria-pressed", String(bet === place));
      one.disabled = !isBet;
      one.classList.toggle("ws-meant", isBet && bet === null);
      one.classList.toggle("ws-won", isOver && winner(runs) === place);
    });
    press.textContent = PRESS[how];
    press.disabled = isBet && bet === null;
    press.classList.toggle("ws-meant", isBet && bet !== null);
    call.classList.toggle("ws-done", bet !== null);
    const head = isOver ? headline(two, runs, bet) : "Which learns to copy first?";
    if (question.textContent !== head) question.textContent = head; // it is read aloud, once
    note.textContent = noteOf();
    printed.textContent = isBet && runs ? `A recorded run. ${verdict(two, runs)}` : "";
    voice.say(isBet ? AT_REST : isOver ? verdict(two, runs) : progressSentence(two, runs), aloud);
  }

  const leave = settle(el, model, { kind: "ws-learn", traits: TRAITS, parts: [voice, { stop: end }], follow });
  el.classList.add("ws-maps");
  begin();
  return leave;
}
