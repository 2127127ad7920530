// The training of *two maps learn*: a small transformer learns to go on with a block of symbols that repeats.
//
// As in transformer_training.js each part is a function declaration that uses no name but those of the others, and
// `trainerText` is all of it: what a Worker gets, and what node runs for the recorded runs.
import { randomAt, spreadSeed } from "./random.js";
import { forward, named, predictions, sizeOf } from "./transformer_math.js";
import { adamW, backward, clip, lossGradient, transformerText, warmUp } from "./transformer_training.js";

// What is trained, on what, and how.
export function recipe() {
  return {
    symbols: 16, room: 32, width: 32, heads: 2,
    periods: [3, 12], batch: 16, seen: 20, pictured: 5,
    betas: [0.9, 0.99], decay: 0.01, longest: 1, warm: 20,
    steps: 600, every: 10, enough: 0.98,
  };
}

// A run ends once enough is right, or with the last step.
export function isOver({ step, accuracy }) {
  return accuracy >= recipe().enough || step >= recipe().steps;
}

// Numbers of a seed's own stream, one after another.
function drawing(seed) {
  const own = spreadSeed(seed);
  let k = 0;
  const even = () => randomAt(own, k++);
  const normal = () => Math.sqrt(-2 * Math.log(1 - even())) * Math.cos(2 * Math.PI * even());
  return { normal, below: (n) => Math.floor(n * even()) };
}

// The parameters at the start. Queries and keys begin at half the usual size: at the full size sparsemax may begin
// with heads that are so sharp that they never learn.
function beginning(shape, draw, beta) {
  const flat = new Float64Array(sizeOf(shape));
  const all = named(shape, flat);
  const usual = shape.width ** -0.5;
  const sizes = { query: usual / 2, key: usual / 2, value: usual, out: usual };
  const fill = (part, size) => part.forEach((_, i) => (part[i] = size * draw.normal()));
  fill(all.embed, 1);
  fill(all.position, 1);
  for (const layer of all.layers) for (const name of Object.keys(sizes)) fill(layer[name], sizes[name]);
  fill(all.unembed, usual);
  all.logBeta.fill(Math.log(beta));
  return { flat, all };
}

// Sequences in which a block repeats from the first symbol on, the symbol that comes next where it can be known,
// which is from the second round on, else −1, and the period of each sequence. `period(b)` is that of the b-th;
// the symbols of a block differ unless they `repeat`.
function sequences(draw, count, period, repeat) {
  const { symbols, room } = recipe();
  const tokens = new Int32Array(count * room);
  const targets = new Int32Array(count * room).fill(-1);
  const periods = Array.from({ length: count }, (_, b) => period(b));
  periods.forEach((length, b) => {
    const block = Array.from({ length: symbols }, (_, i) => i);
    for (let i = 0; i < length; i++) {
      const j = i + draw.below(symbols - i);
      [block[i], block[j]] = [block[j], block[i]];
    }
    if (repeat) for (let i = 0; i < length; i++) block[i] = draw.below(symbols);
    for (let i = 0; i < room; i++) {
      tokens[b * room + i] = block[i % length];
      if (i >= length && i + 1 < room) targets[b * room + i] = block[(i + 1) % length];
    }
  });
  return { tokens, targets, periods };
}

// How many targets count, how surprising they are, in nats, and how many of them are
// the model's first choice: sums.
function scored(logits, symbols, targets) {
  const { chances, surprise } = predictions(logits, symbols, targets);
  let [count, loss, right] = [0, 0, 0];
  targets.forEach((target, i) => {
    if (target < 0) return;
    const row = chances.subarray(i * symbols, (i + 1) * symbols);
    count += 1;
    loss += surprise[i];
    right += Number(row.every((chance, j) => j === target || chance < row[target]));
  });
  return { chances, count, loss: loss / count, accuracy: right / count };
}

// What a head does on these sequences, from shares of each query's weight. `previous` is the mean share on
// the token just before, in the first round, where later rounds need it; `induction`, from the second round
// on, that on the tokens that came after this same one before; `spread`, there too, the mean of how many
// equal weights are as spread out.
function measured(weights, heads, head, periods) {
  const { room: t } = recipe();
  const sums = { previous: 0, induction: 0, spread: 0 };
  const counted = { first: 0, later: 0 };
  periods.forEach((period, b) => {
    for (let i = 1; i < t; i++) {
      const from = ((b * heads + head) * t + i) * t;
      const row = weights.subarray(from, from + i + 1);
      const total = row.reduce((sum, w) => sum + w, 0) || 1;
      if (i < period) {
        counted.first += 1;
        sums.previous += row[i - 1] / total;
        continue;
      }
      counted.later += 1;
      for (let j = i - period + 1; j > 0; j -= period) sums.induction += row[j] / total;
      let entropy = 0;
      for (const w of row) if (w > 0) entropy -= (w / total) * Math.log(w / total);
      sums.spread += Math.exp(entropy);
    }
  });
  const { previous, induction, spread } = sums;
  return {
    previous: previous / counted.first, induction: induction / counted.later, spread: spread / counted.later,
  };
}

// The weights of a head on one sequence as shades from 0 to 8, even in the root of the weight: row by row, of each
// query those of the tokens that it sees.
function shadesOf(weights, from) {
  const { room: t } = recipe();
  const shades = new Uint8Array((t * (t + 1)) / 2);
  for (let i = 0, k = 0; i < t; i++) {
    for (let j = 0; j <= i; j++, k++) {
      shades[k] = Math.round(8 * Math.sqrt(Math.min(1, weights[from + i * t + j])));
    }
  }
  return shades;
}

// A training. `advance` takes a step, at first none, and returns null or, now and then, how things stand: on
// sequences that it never learns from, the same in every training. Two trainings with the same seed begin with the
// same numbers and learn from the same sequences.
export function training({ map, seed, rate, beta, rule, layers, repeats }) {
  const plan = recipe();
  const { room: t, symbols, heads, periods: [low, high] } = plan;
  const shape = { symbols, room: t, width: plan.width, heads, layers };
  const draw = drawing(seed);
  const { flat, all } = beginning(shape, draw, beta);
  const gradient = new Float64Array(flat.length);
  const gradients = named(shape, gradient);
  const learnt = rule === "learned" ? flat.length : flat.length - all.logBeta.length;
  const learn = adamW(flat.subarray(0, learnt), plan);
  const options = { length: t, maps: map, logN: rule === "log-n" };
  const span = high - low + 1;
  const seen = sequences(drawing(-1), plan.seen, (b) => low + (b % span), repeats);
  let step = -1;

  function state() {
    const found = forward(shape, all, seen.tokens, options);
    const { loss, accuracy } = scored(found.logits, symbols, seen.targets);
    const each = found.layers.flatMap(({ weights }, l) => Array.from({ length: heads }, (_, head) => ({
      ...measured(weights, heads, head, seen.periods),
      beta: Math.exp(all.logBeta[l * heads + head]),
      shades: shadesOf(weights, (plan.pictured * heads + head) * t * t),
    })));
    return { step, loss, accuracy, heads: each };
  }

  function learnOnce() {
    const { tokens, targets } = sequences(draw, plan.batch, () => low + draw.below(span), repeats);
    const found = forward(shape, all, tokens, options);
    const { chances } = predictions(found.logits, symbols, targets);
    gradient.fill(0);
    backward(shape, all, found, lossGradient(chances, symbols, targets), gradients);
    clip(gradient.subarray(0, learnt), plan.longest);
    learn(gradient.subarray(0, learnt), rate * warmUp(step, plan.warm));
  }

  function advance() {
    step += 1;
    if (step > 0) learnOnce();
    return step % plan.every === 0 ? state() : null;
  }
  return { advance };
}

// All of this as text.
export function trainerText() {
  const parts = [randomAt, recipe, isOver, drawing, beginning, sequences, scored, measured, shadesOf, training];
  return [transformerText(), `const spreadSeed = ${spreadSeed};`, ...parts].join("\n");
}
