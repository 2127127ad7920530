// The pretrained encoder at work for a figure: what it loads, when, and in which order it computes.
import { encoderAtWork } from "./encoder_worker.js";

// Why a change cannot be computed; null if it can.
function refusalOf({ map = "softmax", beta = 1, scope = "all" }) {
  const maps = ["softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm", "none"];
  if (!maps.includes(map)) return `there is no map ${map}`;
  // Where β = ∞, a near tie turns round by what the bytes have lost.
  if (!(beta >= 0 && beta < Infinity)) return "β is a number from 0 on, and not ∞";
  return scope === "all" || scope.layer >= 1 ? null : "the scope is all, or a layer and a head";
}

// How a change acts in a layer, counted from 0: the same words if it acts the same, none if it does nothing there.
function actsIn({ map = "softmax", beta = 1, scope = "all", off = false }, layer) {
  const here = scope === "all" || scope.layer === layer + 1;
  const silent = off || map === "none";
  if (!here || (!silent && map === "softmax" && beta === 1)) return "";
  return `${silent ? "none" : `${map} ${beta}`} ${scope.head ?? "all"}`;
}

// The service. `load(name)` is a promise of the value of a file (`encoder_files.py`).
//
// - `start(tell)` loads the words and the layers, and tells after each file {loaded, total, layers}: bytes, and
//   how many layers are there. If a file fails, so does the promise; what has come stays, and `start` goes on
//   from it.
// - `tokens(text)`: {tokens, ids, cut}.
// - `run(text, change, { onLayer })`: {tokens, ids, cut, vector}, and before it of each layer, counted from 1,
//   {layer, weights, scores, n}: n × n numbers for each head, scores before β. The newest request wins: one that
//   is computed is finished; one that waits, for its turn or for a file, is given up, and comes to null.
// - `vectors(texts, change)`: the vectors of these sentences, computed while nothing else is; null if others were
//   asked for since, by `vectors([])` too.
// - `stop()` ends it all: what was asked for does not come any more.
//
// A change is {map, beta, scope, off}: a map by its name in lib or "none", a factor of the model's own β, "all"
// heads or {layer, head} from 1 on, and whether those heads are off.
export function encoderService(load) {
  let helper = null; // a promise of who computes
  let about = null; // sizes and pieces
  let here = new Map(); // promises of files, by their names; those that have come are in `come`
  let come = new Set();
  let [waiting, idle, busy, over] = [null, null, false, false];
  let wake = () => {};
  let last = { key: "", steps: [] }; // layer by layer, what the last run found
  const known = new Map(); // vectors of other sentences

  function forget() {
    [helper, about, last] = [null, null, { key: "", steps: [] }];
    [here, come] = [new Map(), new Set()];
  }
  const who = () => (helper ??= encoderAtWork(forget));
  async function ask(...what) {
    const { ask: of } = await who();
    return of(...what);
  }
  // A file that could not be loaded may be asked for again.
  function get(name) {
    if (!here.has(name)) {
      const [mine, coming] = [here, load(`encoder/${name}`).then((value) => ask("add", name, value))];
      mine.set(name, coming.then((found) => {
        if (mine === here) come.add(name);
        return found;
      }, (error) => {
        mine.delete(name);
        throw error;
      }));
    }
    return here.get(name);
  }
  async function words() {
    about = await get("words");
    return about;
  }
  const pieces = (layer) => Object.keys(about.pieces).filter((name) => name.startsWith(`layer-${layer}-`));
  const missing = (names) => names.filter((name) => !come.has(name));

  async function start(tell = () => {}) {
    await words();
    const names = Object.keys(about.pieces);
    const sum = (those) => those.reduce((total, name) => total + about.pieces[name], 0);
    function state() {
      let layers = 0;
      while (layers < about.sizes.layers && !missing(pieces(layers + 1)).length) layers += 1;
      tell({ loaded: sum(names.filter((name) => come.has(name))), total: sum(names), layers });
    }
    state();
    const left = missing(names);
    // Two at a time, in order: while one is read, the next one comes.
    async function line() {
      while (left.length && !over) {
        await get(left.shift());
        state();
      }
    }
    try {
      await Promise.all([line(), line()]);
    } catch (error) {
      left.length = 0;
      throw error;
    }
  }

  async function tokens(text) {
    await words();
    return ask("tokens", text);
  }

  const shardsOf = (ids) =>
    [...new Set(ids.map((id) => `rows-${String(Math.floor(id / about.sizes.shard)).padStart(3, "0")}`))];
  // Whether these files are there. What is missing is loaded, and waited for until something newer is asked for.
  async function ready(names, isOld) {
    for (let wanted = missing(names); wanted.length; wanted = missing(names)) {
      if (isOld()) return false;
      const newer = new Promise((go) => (wake = go));
      await Promise.race([Promise.all(wanted.map(get)), newer]);
    }
    return true;
  }
  async function whole({ text, change, onLayer }) {
    const isOld = () => waiting !== null;
    const found = await tokens(text);
    const n = found.ids.length;
    const key = found.ids.join(" ");
    if (last.key !== key) last = { key, steps: [] };
    const { steps } = last;
    if (!(await ready(shardsOf(found.ids), isOld))) return null;
    let x = null;
    for (let k = 0; k < about.sizes.layers; k++) {
      const acts = actsIn(change, k);
      if (steps[k]?.acts !== acts) {
        steps.length = k; // what comes after has to be computed anew
        if (!(await ready(pieces(k + 1), isOld))) return null;
        x ??= k ? steps[k - 1].x : await ask("embed", found.ids);
        steps.push({ acts, ...(await ask("layer", k, x, change)) });
      }
      const { weights, scores } = steps[k];
      ({ x } = steps[k]);
      onLayer?.({ layer: k + 1, weights, scores, n });
    }
    return { ...found, vector: await ask("pooled", x) };
  }
  // One step of what is done while nothing else is: a layer of a sentence.
  async function idleStep(job) {
    const { texts, change, found } = job;
    const text = texts[found.length];
    const key = JSON.stringify([text, change]);
    if (known.has(key)) {
      found.push(known.get(key));
    } else if (!job.x) {
      const { ids } = await tokens(text);
      const there = await ready([...shardsOf(ids), ...Object.keys(about.pieces)], () => waiting || idle !== job);
      if (there) [job.x, job.layer] = [await ask("embed", ids), 0];
    } else if (job.layer < about.sizes.layers) {
      job.x = (await ask("layer", job.layer, job.x, change)).x;
      job.layer += 1;
    } else {
      if (known.size > 500) known.clear();
      known.set(key, await ask("pooled", job.x));
      job.x = null;
    }
  }
  async function step() {
    const job = waiting ?? idle;
    try {
      if (job === waiting) {
        waiting = null;
        job.take(await whole(job));
      } else if (job.found.length < job.texts.length) {
        await idleStep(job);
      } else {
        idle = null;
        job.take(job.found);
      }
    } catch (error) {
      if (job === idle) idle = null;
      job.fail(error);
    }
  }
  async function work() {
    if (busy) return;
    busy = true;
    while ((waiting || idle) && !over) await step();
    busy = false;
  }
  function asked(job) {
    return new Promise((take, fail) => {
      const refused = refusalOf(job.change);
      if (refused) throw new RangeError(refused);
      const mine = { ...job, take, fail };
      const older = job.texts ? idle : waiting;
      older?.take(null);
      if (job.texts) idle = mine;
      else waiting = mine;
      wake();
      work();
    });
  }
  return {
    start, tokens,
    run: (text, change = {}, { onLayer } = {}) => asked({ text, change, onLayer }),
    vectors: (texts, change = {}) => asked({ texts, change, found: [], x: null, layer: 0 }),
    stop() {
      over = true;
      helper?.then((those) => those.stop());
    },
  };
}
