// Uphill: each step of training goes as far as the ground is steep. One ball climbs the weight of the right word,
// where that is flat far behind; the other climbs its logarithm, which is steep there.
import { button, fill, glide, html, settle, speaker, tools } from "./controls.js";
import { traitsOf } from "./traits.js";
import { courseOf, HILLS, MOST_STEPS, placeAfter } from "./uphill_math.js";
import { hillPlot, LEADS, leadSlider } from "./uphill_plots.js";
import { behind, nextPress, PACES, uphillSentence } from "./uphill_words.js";
import { grouped } from "./words.js";

const TRAITS = ["lead", "steps"];
const NAMES = { weight: "weight of the right word", logarithm: "logarithm of that weight" };
const DIGITS = { weight: 5, logarithm: 1 };
const ROLL = 240; // milliseconds that a ball takes for a step
const TRIED = 2; // steps up the first hill, before there is a second one
const SEEN = 60; // where a link, or an answer, leads more steps on than these,
const SHOWN = 3000; // they are shown one after another, in so many milliseconds

// What a link may set here.
render.fits = ({ lead, steps }) => lead >= LEADS[0] && lead <= LEADS[1] && steps <= MOST_STEPS;

export function render({ model, el, page }) {
  const { read, change, reset, follow } = traitsOf(model, TRAITS, update);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let [lead, courses, needed, steps, pace] = [null, {}, {}, 0, 0];
  let [frame, seen, shown] = [0, 0, 0]; // the steps that were shown before the last change, and those that are

  // --- the parts -------------------------------------------------------------------------------
  const voice = speaker();
  const kit = tools({ page, reset: () => (halt(), reset()) });
  const plots = HILLS.map((hill) => hillPlot(hill, NAMES[hill]));
  const slider = leadSlider((to) => (halt(), change({ lead: to, steps: 0 }, true)));
  const count = html("span", { class: "ws-count" });
  const buttons = {
    step: button("One step", () => (halt(), change({ steps: ended() ? 0 : steps + 1 }))),
    run: button("Run", () => (pace === PACES.run ? stop() : go(PACES.run))),
    fast: button("Fast forward", () => (pace === PACES.fast ? stop() : go(PACES.fast))),
  };
  const label = Object.fromEntries(Object.entries(buttons).map(([key, { textContent }]) => {
    const text = html("span", {}, textContent);
    buttons[key].replaceChildren(text);
    return [key, text];
  }));
  fill(el,
    html("div", { class: "ws-hills" }, plots[0].root,
      html("div", { class: "ws-paces" }, ...Object.values(buttons), count), slider.root, plots[1].root),
    ...voice.parts, ...kit.parts,
  );
  kit.panel.replaceChildren(kit.options(), kit.status);

  // --- running ---------------------------------------------------------------------------------
  // Only where it ends, or is stopped, is told to the model: what runs meanwhile is seen, not kept.
  const ended = () => steps >= needed.weight;

  function halt() {
    cancelAnimationFrame(frame);
    pace = 0;
  }
  const stop = () => (halt(), change({ steps }));

  // Steps are counted at this pace until there are `last` of them.
  function play(last, at, done) {
    pace = at;
    const from = steps;
    let begun = null;
    const on = (now) => {
      begun ??= now;
      const due = Math.min(last, from + Math.floor(((now - begun) * pace) / 1000));
      if (due > steps) {
        steps = due;
        if (steps === last) return done();
        show(pace > PACES.run);
      }
      frame = requestAnimationFrame(on);
    };
    show(false);
    frame = requestAnimationFrame(on);
  }

  function go(next) {
    halt();
    if (ended()) steps = 0;
    if (calm.matches) change({ steps: needed.weight }, true);
    else play(needed.weight, next, stop);
  }

  // --- drawing -----------------------------------------------------------------------------------
  // Both balls hop at each step, however far it takes them; not where many steps are made at once.
  const motion = glide(([step, ...places]) => {
    const part = Math.abs(steps - seen) === 1 ? step - Math.floor(step) : 0;
    plots.forEach((plot, k) => {
      const hop = steps > needed[HILLS[k]] ? 0 : 4 * part * (1 - part);
      plot.draw(places[k], hop, steps, courses[HILLS[k]]);
    });
  }, ROLL);

  function show(jump) {
    [seen, shown] = [shown, steps];
    const places = HILLS.map((hill) => placeAfter(courses[hill], steps));
    plots.forEach((plot, k) => {
      const text = behind(places[k], steps, needed[HILLS[k]], DIGITS[HILLS[k]]);
      plot.tell(text);
    });
    count.textContent = `step ${grouped(Math.min(steps, needed.weight))}`;
    const next = nextPress({ steps, needed, pace });
    for (const [key, one] of Object.entries(buttons)) {
      one.classList.toggle("ws-meant", key === next);
      label[key].classList.toggle("ws-call", key === next);
    }
    plots[1].root.classList.toggle("ws-waits", steps < TRIED);
    label.step.textContent = ended() ? "Again" : "One step";
    label.run.textContent = pace === PACES.run ? "Pause" : "Run";
    label.fast.textContent = pace === PACES.fast ? "Pause" : "Fast forward";
    voice.say(uphillSentence({ lead, steps, needed }), !pace);
    motion.to([steps, ...places], jump);
  }

  function update(jump) {
    const state = read();
    if (pace) halt();
    if (state.lead !== lead) {
      lead = state.lead;
      courses = Object.fromEntries(HILLS.map((hill) => [hill, courseOf(hill, lead)]));
      needed = Object.fromEntries(HILLS.map((hill) => [hill, courses[hill].length - 1]));
      steps = 0;
    }
    slider.show(lead);
    const last = Math.min(state.steps, needed.weight);
    const many = last - steps;
    if (!jump && many > SEEN && !calm.matches) {
      return play(last, (1000 * many) / SHOWN, () => (halt(), show(true)));
    }
    steps = last;
    show(jump);
  }

  update(true);
  return settle(el, model, { kind: "ws-uphill", traits: TRAITS, parts: [motion, voice, { stop: halt }], follow });
}
