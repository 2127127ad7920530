// Trainings of *two maps learn* as they run, each in a Worker of its own; where the page may have none, in slices.
import { recipe, trainerText, training } from "./two_maps_trainer.js";

// A Worker answers each request with one state, so to pause is not to ask.
const ANSWERS = `
let run;
onmessage = ({ data }) => {
  run ??= training(data);
  let found = null;
  while (!found) found = run.advance();
  postMessage(found);
};`;

// A training with these choices. To `ask` is to ask for one more state, unless one is awaited: `hear` is called
// with it, and with the seconds that have been spent.
export function trainee(choices, hear) {
  let worker = null;
  let run = null; // on the page's own thread
  let [wanted, underWay, held] = [false, false, null];
  let [last, timer, spent, since] = [-1, 0, 0, 0];

  function ask() {
    if (wanted) return;
    if (!worker && !run) begin();
    [wanted, since] = [true, performance.now()];
    send();
  }
  function send() {
    if (held) take(held);
    else if (!worker) timer = setTimeout(slice);
    else if (!underWay) {
      underWay = true;
      worker.postMessage(choices);
    }
  }
  // One step at a time, so that the page can answer in between.
  function slice() {
    const found = run.advance();
    if (found) take(found);
    else timer = setTimeout(slice);
  }
  function take(found) {
    [underWay, held] = [false, null];
    if (!wanted) {
      held = found; // what was under way when the reader paused
    } else if (found.step <= last) {
      send(); // a Worker has failed after this step, and all begins again
    } else {
      halt();
      last = found.step;
      hear(found, spent);
    }
  }
  function alone() {
    worker?.terminate();
    [worker, underWay, run] = [null, false, training(choices)];
    if (wanted) send();
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
  function halt() {
    if (wanted) spent += (performance.now() - since) / 1000;
    wanted = false;
    clearTimeout(timer);
  }
  function stop() {
    halt();
    worker?.terminate();
  }
  return { ask, halt, stop };
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
  heads: heads.map(({ shades, ...rest }) => ({
    ...rest, shades: Array.from(shades, (letter) => letter.charCodeAt(0) - 97),
  })),
  seconds: null,
});
