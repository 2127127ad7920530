// The pretrained encoder: what its layers make of tokens, and what its heads do instead where they are changed.
// Its weights stay in the bytes in which they came (`encoder_files.py`): a quarter of the memory, and no slower.
import { addRow, geluTable, layerNorm, linearIn, productsText } from "./encoder_products.js";
import { tokensText, wordPieces } from "./encoder_tokens.js";
import { cut, weigh } from "./transformer_maps.js";

// The arrays of a file, {name: numbers}; of a matrix its bytes, its scales and its shape.
function unpacked({ parts, bytes }) {
  const text = atob(bytes);
  const raw = new Uint8Array(text.length);
  for (let i = 0; i < raw.length; i++) raw[i] = text.charCodeAt(i);
  let at = 0;
  const take = (Kind, count) => {
    const length = count * Kind.BYTES_PER_ELEMENT;
    at += length;
    return new Kind(raw.slice(at - length, at).buffer);
  };
  const found = {};
  for (const [name, { shape: [rows, cols], block, unit }] of Object.entries(parts)) {
    if (cols === undefined) {
      found[name] = take(Float32Array, rows);
    } else {
      const whole = take(Int8Array, rows * cols);
      const scales = Float64Array.from(take(Uint16Array, (rows * cols) / block), (scale) => scale * unit);
      found[name] = { whole, scales, rows, cols, block };
    }
  }
  return found;
}

// What a head does under a change {map, beta, scope, off}: its map and the factor of its own β; null if it is off.
// The scope is "all" or {layer, head}, counted from 1; without a head it is the whole layer.
function changeOf({ map = "softmax", beta = 1, scope = "all", off = false }, layer, head) {
  const meant = scope === "all" || (scope.layer === layer + 1 && (scope.head ?? head + 1) === head + 1);
  if (!meant) return { map: "softmax", beta: 1 };
  return off || map === "none" ? null : { map, beta };
}

// The encoder. Files are added as they come, and their names are those of encoder_files.py.
export function encoder() {
  const [layers, shards] = [[], []];
  const gelu = geluTable();
  let [sizes, first, split] = [null, null, null];

  function add(name, value) {
    const [kind, ...numbers] = name.split("/").at(-1).split("-");
    if (kind === "words") {
      ({ sizes } = value);
      first = unpacked(value);
      split = wordPieces(value.words, sizes.most);
      return { sizes, pieces: value.pieces };
    }
    if (kind === "rows") shards[Number(numbers[0])] = unpacked(value).rows;
    else layers[numbers[0] - 1] = { ...layers[numbers[0] - 1], ...unpacked(value) };
    return null;
  }
  const tokens = (text) => split(text);
  // The vectors with which the first layer begins.
  function embed(ids) {
    const { width, shard } = sizes;
    const x = new Float64Array(ids.length * width);
    ids.forEach((id, i) => {
      addRow(shards[Math.floor(id / shard)], id % shard, x, i * width);
      addRow(first.positions, i, x, i * width);
    });
    return layerNorm(x, width, first.norm, first.normBias);
  }
  // Scores, before β, and weights of all heads, row by row, and what the heads put out, side by side.
  function attended(layer, q, k, v, change) {
    const { width, heads } = sizes;
    const [n, own] = [q.length / width, width / heads];
    const [scores, weights] = [new Float64Array(heads * n * n), new Float64Array(heads * n * n)];
    const mixed = new Float64Array(q.length);
    for (let head = 0; head < heads; head++) {
      const how = changeOf(change, layer, head);
      for (let i = 0, at = head * n * n; i < n; i++, at += n) {
        const mine = i * width + head * own;
        for (let j = 0; j < n; j++) {
          const theirs = j * width + head * own;
          for (let c = 0; c < own; c++) scores[at + j] += q[mine + c] * k[theirs + c];
        }
        if (!how) continue;
        weigh(how.map, scores, how.beta / Math.sqrt(own), at, n, weights);
        for (let j = 0; j < n; j++) {
          const [w, theirs] = [weights[at + j], j * width + head * own];
          for (let c = 0; w && c < own; c++) mixed[mine + c] += w * v[theirs + c];
        }
      }
    }
    return { scores, weights, mixed };
  }
  // What a layer, counted from 0, makes of vectors; in x, which is not changed.
  function layer(k, x, change) {
    const { width } = sizes;
    const [n, own] = [x.length / width, layers[k]];
    const [q, key, v] = ["query", "key", "value"].map((name) => linearIn(x, n, own[name], own[`${name}Bias`]));
    const { scores, weights, mixed } = attended(k, q, key, v, change);
    const y = linearIn(mixed, n, own.out, own.outBias);
    for (let i = 0; i < y.length; i++) y[i] += x[i];
    layerNorm(y, width, own.outNorm, own.outNormBias);
    const z = linearIn(linearIn(y, n, own.inner, own.innerBias).map(gelu), n, own.outer, own.outerBias);
    for (let i = 0; i < z.length; i++) z[i] += y[i];
    layerNorm(z, width, own.outerNorm, own.outerNormBias);
    return { x: z, scores: Float32Array.from(scores), weights: Float32Array.from(weights) };
  }
  // The vector of the sentence: the mean over its tokens, of length 1.
  function pooled(x) {
    const { width } = sizes;
    const mean = new Float64Array(width);
    x.forEach((xi, i) => (mean[i % width] += xi));
    const length = Math.hypot(...mean);
    return Float32Array.from(mean, (m) => m / length);
  }
  return { add, tokens, embed, layer, pooled };
}

// All of this as text, for a Worker.
export function encoderText() {
  return [tokensText(), productsText(), weigh, cut, unpacked, changeOf, encoder].join("\n");
}
