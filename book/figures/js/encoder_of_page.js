// The pretrained encoder of a page: one for all figures that ask for it, and loaded once a reader wants it.
import { encoderService } from "./encoder_service.js";

let one = null; // what is at work on this page

// In a notebook Python sends the files, one for each message.
function fromPython(model) {
  const waiting = new Map();
  let hears = false;
  function hear({ name, value, wrong }) {
    const asked = waiting.get(name);
    waiting.delete(name);
    if (wrong) asked?.fail(new Error(wrong));
    else asked?.take(value);
  }
  return (name) =>
    new Promise((take, fail) => {
      if (!hears) model.on("msg:custom", hear);
      hears = true;
      waiting.set(name, { take, fail });
      model.send({ load: name });
    });
}

// How many bytes came with a file; text is counted by its letters.
const bytesIn = ({ bytes, words = "" }) => Math.floor((3 * bytes.length) / 4) + words.length;

function begin(load) {
  const hearers = new Set();
  const state = { stage: "absent", bytes: 0, layers: 0 };
  const newest = new Map(); // of each figure, what it has asked last
  let turn = null; // whose request is computed, and when that is over
  function tell(news) {
    Object.assign(state, news);
    for (const hear of hearers) hear(state);
  }
  const service = encoderService(async (name) => {
    const value = await load(name);
    tell({ bytes: state.bytes + bytesIn(value) });
    return value;
  });
  async function start() {
    if (state.stage === "loading" || state.stage === "here") return;
    tell({ stage: "loading" });
    try {
      await service.start(({ layers }) => tell({ layers }));
      tell({ stage: "here" });
    } catch {
      tell({ stage: "failed" });
    }
  }
  async function guarded(promise) {
    try {
      return await promise;
    } catch {
      if (hearers.size) tell({ stage: "failed" });
      return null;
    }
  }
  // Figures take turns; of one figure the newest request wins.
  async function run(owner, ...asked) {
    const mine = {};
    newest.set(owner, mine);
    while (turn && turn.owner !== owner) {
      await turn.over;
      if (newest.get(owner) !== mine) return null;
    }
    const over = guarded(service.run(...asked));
    turn = { owner, over };
    const found = await over;
    if (turn.over === over) turn = null;
    return found;
  }
  return {
    state, hearers, start, run, stop: service.stop,
    tokens: (text) => guarded(service.tokens(text)),
    vectors: (...asked) => guarded(service.vectors(...asked)),
  };
}

// The encoder for one figure. `state` is {stage, bytes, layers}: "absent", "loading", "failed" or "here", how many
// bytes have come, and how many layers; `hear` is called when it changes. `start` loads, and goes on where it
// failed. `run`, `tokens` and `vectors` are those of encoder_service.js, but null where something could not be
// loaded. `leave` ends it for this figure, and for all if it was the last.
export function modelOf(page, model, hear) {
  one ??= begin(page?.loadData ?? fromPython(model));
  const mine = one;
  mine.hearers.add(hear);
  return {
    ...mine,
    run: (...asked) => mine.run(hear, ...asked),
    leave() {
      mine.hearers.delete(hear);
      if (mine.hearers.size) return;
      mine.stop();
      if (one === mine) one = null;
    },
  };
}
