// Trainings of *two maps learn* as they run, each in a Worker of its own; where the page may have none, in slices.
import { recipe, trainerText, training } from "./two_maps_trainer.js";

// A Worker is asked for one state after another, so to pause is not to ask.
const ANSWERS = `
let run;
onmessage = ({ data }) => {
  run ??= training(data);
  let found = null;
  while (!found) found = run.advance();
  postMessage(found);
};`;

// Trains with these choices; `hear(state, seconds)` is called for each state, with the time that has been spent.
export function trainee(choices, hear) {
  const { steps } = recipe();
  let worker = null;
  let run = null; // on the page's own thread
  let [going, asked, held] = [false, false, null];
  let [last, timer, spent, since] = [-1, 0, 0, 0];

  function next() {
    if (!going || asked) return;
    asked = true;
    if (worker) worker.postMessage(choices);
    else timer = setTimeout(slice);
  }
  // One step at a time, so that the page can answer in between.
  function slice() {
    const found = run.advance();
    if (found) take(found);
    else timer = setTimeout(slice);
  }
  function take(found) {
    asked = false;
    if (!going) {
      held = found; // what was under way when the reader paused
      return;
    }
    if (found.step > last) {
      last = found.step;
      const seconds = spent + (performance.now() - since) / 1000;
      if (last >= steps) stop();
      hear(found, seconds);
    }
    next();
  }
  // A Worker that has failed leaves nothing behind, but its numbers come again: what has been heard is not heard twice.
  function alone() {
    worker?.terminate();
    worker = null;
    run = training(choices);
    asked = false;
    next();
  }
  function begin() {
    try {
      const address = URL.createObjectURL(new Blob([trainerText(), ANSWERS], { type: "text/javascript" }));
      worker = new Worker(address);
      worker.onmessage = ({ data }) => take(data);
      worker.onerror = (event) => {
        event.preventDefault();
        alone();
      };
    } catch {
      alone(); // the page's rules, or the browser's, forbid it
    }
  }
  function pause() {
    if (going) spent += (performance.now() - since) / 1000;
    going = false;
    if (!worker) {
      clearTimeout(timer);
      asked = false;
    }
  }
  function stop() {
    pause();
    worker?.terminate();
  }
  return {
    go() {
      [going, since] = [true, performance.now()];
      if (!worker && !run) begin();
      if (held) take(held);
      else next();
      held = null;
    },
    pause,
    stop,
  };
}

// What is kept of a run: a list for each curve, and how its heads stand at its end.
export const emptyRun = () => ({ step: [], loss: [], accuracy: [], induction: [], heads: null, seconds: null });

export function addState(run, { step, loss, accuracy, heads }, seconds) {
  run.step.push(step);
  run.loss.push(loss);
  run.accuracy.push(accuracy);
  run.induction.push(Math.max(...heads.map((head) => head.induction)));
  run.heads = heads;
  run.seconds = seconds;
}

export const isDone = (run) => run.step.at(-1) === recipe().steps;

// A recorded run: the shades of its heads are written in letters, "a" for 0.
export const ofRecord = ({ heads, ...curves }) => ({
  ...curves,
  step: curves.loss.map((_, k) => recipe().every * k),
  heads: heads.map(({ shades, ...rest }) => ({ ...rest, shades: Array.from(shades, (letter) => letter.charCodeAt(0) - 97) })),
  seconds: null,
});
