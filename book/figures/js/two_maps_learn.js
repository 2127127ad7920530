// Two maps learn: two small transformers, alike but for the map in their heads, are
// trained side by side in the page.
import { choice } from "./choices.js";
import { button, field, html, settle, speaker, tick, tools } from "./controls.js";
import { logSlider } from "./log_slider.js";
import { traitsOf } from "./traits.js";
import { headGrid, learningCurves } from "./two_maps_plots.js";
import { addState, emptyRun, isDone, ofRecord, trainee } from "./two_maps_runs.js";
import { recipe } from "./two_maps_trainer.js";
import { learningSentence, learningTables, LEGEND, MAP_NAMES, noteOf } from "./two_maps_words.js";
import { short } from "./words.js";

const TRAITS = ["first", "second", "beta", "rule", "layers", "symbols", "seed"];
const BETA = [0.01, 10];
const SEED = [0, 2 ** 31 - 1];
const LAYERS = 2;
const RULES = { fixed: "stays as it is", learned: "is learned, in each head", "log-n": "grows with log n" };
const inside = (x, [low, high]) => x >= low && x <= high;
const differ = ({ first, second }) => first !== second;

// What a link may set here.
render.fits = (state) =>
  differ(state) && inside(state.beta, BETA) && inside(state.seed, SEED) && inside(state.layers, [1, LAYERS]);

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update, { whole: differ });
  const { runs: recorded, choices: ofRecorded } = model.get("record");
  const { steps, heads, room } = recipe();
  // What has been trained here, by its choices: { run, work, fresh }, of which `fresh` is not shown yet.
  const kept = new Map();
  let going = false;

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset: () => {
    forget(() => true);
    reset();
  } });
  const pick = (name, title, other) => {
    const options = Object.entries(MAP_NAMES).map(([value, text]) => html("option", { value }, text));
    const select = html("select", { "aria-label": title }, ...options);
    // Whoever chooses the other's map swaps the two.
    select.addEventListener("change", () =>
      change(
        select.value === read()[other]
          ? { [name]: select.value, [other]: read()[name] }
          : { [name]: select.value },
      ),
    );
    return { select, root: html("label", { class: "ws-map-of" }, select) };
  };
  const picks = {
    first: pick("first", "the first map", "second"), second: pick("second", "the second map", "first"),
  };
  const press = button("Train", () => (going ? pause() : train()));
  press.classList.add("ws-train");
  const progress = html("span", { class: "ws-note ws-progress" });
  const curves = learningCurves(steps);
  const grids = [0, 1].map((side) => headGrid(side, { layers: LAYERS, heads, room }));
  const tables = learningTables(steps, 50, LAYERS, heads);
  el.replaceChildren(
    html(
      "div", { class: "ws-pick-two" }, picks.first.root, html("span", { class: "ws-note" }, "and"),
      picks.second.root, press, progress,
    ),
    curves.root,
    html("div", { class: "ws-pair" }, ...grids.map((grid) => grid.root)),
    html("p", { class: "ws-legend" }, LEGEND),
    ...voice.parts,
    ...kit.parts,
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
  kit.panel.append(
    html("div", { class: "ws-head" }, size, html("span", { class: "ws-note" }, "the usual is 1/√16 = 0.25")),
    slider.root,
    html("div", { class: "ws-rules-of" }, html("span", { class: "ws-note" }, "β"), rules.root), deep.root,
    kit.options(repeats.root,
      html("label", { class: "ws-typed" }, html("span", {}, "seed"), seed.input)), kit.status,
    html("p", { class: "ws-legend" }, LEGEND), tables.root);

  // --- runs ------------------------------------------------------------------------------------
  const maps = () => [read().first, read().second];
  const choices = (map) => {
    const { beta, rule, layers, symbols, seed: own } = read();
    return { map, seed: own, beta, rule, layers, repeats: symbols === "repeat" };
  };
  const key = (map) => JSON.stringify(choices(map));
  const isRecorded = () => Object.entries(ofRecorded).every(([name, value]) => read()[name] === value);
  const known = Object.fromEntries(Object.entries(recorded).map(([map, run]) => [map, ofRecord(run)]));
  const runOf = (map) => kept.get(key(map))?.run ?? (isRecorded() ? known[map] : null);

  // Stops and drops trainings, of which `which` says by key and entry which ones.
  function forget(which) {
    for (const [name, entry] of kept) {
      if (!which(name, entry)) continue;
      entry.work.stop();
      kept.delete(name);
    }
  }

  function train() {
    const two = maps().map(key);
    if (two.every((name) => kept.has(name) && isDone(kept.get(name).run))) forget((name) => two.includes(name));
    for (const map of maps().filter((map) => !kept.has(key(map)))) {
      const entry = { run: emptyRun(), fresh: null };
      entry.work = trainee(choices(map), (...found) => {
        entry.fresh = found;
        collect();
      });
      kept.set(key(map), entry);
    }
    goOn(true);
  }

  // The two stay side by side: those that have most steps to go take the next ones, and
  // what they find is shown at once.
  function behind() {
    const open = maps().map((map) => kept.get(key(map))).filter(({ run }) => !isDone(run));
    const least = Math.min(...open.map(({ run }) => run.step.length));
    return open.filter(({ run }) => run.step.length === least);
  }
  function goOn(aloud) {
    const next = behind();
    going = next.length > 0;
    show(aloud || !going);
    for (const { work } of next.filter(({ fresh }) => !fresh)) work.ask();
  }
  function collect() {
    const next = behind();
    if (!next.every(({ fresh }) => fresh)) return;
    for (const entry of next) {
      addState(entry.run, ...entry.fresh);
      entry.fresh = null;
      if (isDone(entry.run)) entry.work.stop();
    }
    goOn(false);
  }

  function halt() {
    going = false;
    for (const { work } of kept.values()) work.halt();
  }

  function pause() {
    halt();
    show(true);
  }

  // --- drawing -----------------------------------------------------------------------------------
  function update() {
    const shown = maps().map(key);
    halt();
    forget((name, { run }) => !isDone(run) && !shown.includes(name));
    const { first, second, beta, rule, layers, symbols, seed: own } = read();
    Object.assign(el.dataset, { first, second });
    picks.first.select.value = first;
    picks.second.select.value = second;
    size.textContent = `β = ${short(beta)}`;
    slider.show(beta);
    rules.show(rule);
    deep.show(String(layers));
    repeats.box.checked = symbols === "repeat";
    seed.show(String(own));
    show(true);
  }

  function show(aloud) {
    const two = maps();
    const runs = two.map(runOf);
    const live = two.map((map) => kept.get(key(map))?.run);
    const begun = live.filter((run) => run && !isDone(run));
    const how = going ? "training" : begun.some((run) => run.heads) ? "paused"
      : live.every(Boolean) ? "done" : live.some(Boolean) ? "mixed" : "recorded";
    two.forEach((map, side) => {
      curves.draw(side, runs[side]);
      grids[side].name(MAP_NAMES[map], noteOf(runs[side], !live[side], runs[side] && isDone(runs[side])));
      grids[side].draw(runs[side]?.heads, heads * read().layers);
      tables.show(side, map, runs[side], read().beta);
    });
    curves.name(two.map((map) => MAP_NAMES[map]), runs);
    press.textContent = going ? "Pause" : how === "paused" ? "Continue" : how === "done" ? "Train again" : "Train";
    const at = Math.min(...live.map((run) => run?.step.at(-1) ?? 0));
    progress.textContent =
      going || how === "paused" ? `step ${at} of ${steps}` : how === "recorded" ? "trains here, in the page" : "";
    voice.say(learningSentence(how, two, runs), aloud);
  }

  const stop = () => forget(() => true);
  const leave = settle(el, model, { kind: "ws-learn", traits: TRAITS, parts: [voice, { stop }], follow });
  el.classList.add("ws-maps");
  update();
  return leave;
}
