// Trainings of *two maps learn* as they run, side by side, each in a Worker of its own; where the page may have
// none, in slices.
import { isOver, recipe, trainerText, training } from "./two_maps_trainer.js";

// A Worker answers each request with one state, so to pause is not to ask.
const TRAINER_ANSWERS = `
let run;
onmessage = ({ data }) => {
  run ??= training(data);
  let found = null;
  while (!found) found = run.advance();
  postMessage(found);
};`;

// A training with these choices. To `ask` is to ask for one more state, unless one is awaited: `hear` is called
// with it, and with the seconds that have been spent.
function trainee(choices, hear) {
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
      const address = URL.createObjectURL(new Blob([trainerText(), TRAINER_ANSWERS], { type: "text/javascript" }));
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

// What is kept of a run: lists for the curves and of the seconds spent, and how its heads stand at its end.
const emptyRun = () => ({ step: [], loss: [], accuracy: [], induction: [], seconds: [], heads: null });

function addState(run, { step, loss, accuracy, heads }, seconds) {
  run.step.push(step);
  run.loss.push(loss);
  run.accuracy.push(accuracy);
  run.induction.push(Math.max(...heads.map((head) => head.induction)));
  run.heads = heads;
  run.seconds.push(seconds);
}

const last = (list) => list.at(-1);
// Seconds for a step, from the later half of a run: at first a Worker starts, and its code is not quick yet.
function paceOf({ step, seconds }) {
  const from = Math.floor((step.length - 1) / 2);
  return (last(seconds) - seconds[from]) / (last(step) - step[from]);
}
export const hasEnded = ({ step, accuracy }) =>
  step.length > 0 && isOver({ step: last(step), accuracy: last(accuracy) });

// Two trainings side by side: those that have most steps to go take the next ones, and what they find is told at
// once.
export function race(choices, tell) {
  let going = false;
  const lanes = choices.map((own) => {
    const lane = { run: emptyRun(), fresh: null };
    lane.work = trainee(own, (...found) => {
      lane.fresh = found;
      collect();
    });
    return lane;
  });
  const runs = lanes.map(({ run }) => run);
  const open = () => lanes.filter(({ run }) => !hasEnded(run));
  const step = () => Math.min(...open().map(({ run }) => last(run.step) ?? -1));
  const behind = () => open().filter(({ run }) => (last(run.step) ?? -1) === step());

  function collect() {
    const next = behind();
    if (!next.every(({ fresh }) => fresh)) return;
    for (const lane of next) {
      addState(lane.run, ...lane.fresh);
      lane.fresh = null;
      if (hasEnded(lane.run)) lane.work.stop();
    }
    tell();
    if (going) go();
  }
  function go() {
    going = true;
    for (const { work, fresh } of behind()) if (!fresh) work.ask();
  }
  function halt() {
    going = false;
    for (const { work } of lanes) work.halt();
  }
  function stop() {
    going = false;
    for (const { work } of lanes) work.stop();
  }
  return {
    runs, go, halt, stop,
    isOver: () => runs.every(hasEnded),
    // How many steps both have done, and how many seconds a step takes, of which nothing is known at the first.
    step: () => Math.max(0, step()),
    pace: () => Math.max(...runs.map(paceOf)),
  };
}

// A recorded run: the shades of its heads are written in letters, "a" for 0.
export const ofRecord = ({ heads, ...curves }) => ({
  ...curves,
  step: curves.loss.map((_, k) => recipe().every * k),
  heads: heads.map(({ shades, ...rest }) => ({
    ...rest, shades: Array.from(shades, (letter) => letter.charCodeAt(0) - 97),
  })),
});

// As it was after its first `count` states; how its heads stood is kept of its end alone.
export function upTo(run, count) {
  const [step, accuracy, loss, induction] = ["step", "accuracy", "loss", "induction"].map((name) =>
    run[name].slice(0, count),
  );
  return { step, accuracy, loss, induction, heads: count < run.step.length ? null : run.heads };
}
