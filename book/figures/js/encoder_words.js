// What all figures with the pretrained encoder name and measure alike.

export const MAPS_IN_HEADS = {
  softmax: "softmax", entmax: "entmax", sparsemax: "sparsemax", sigmoid_weights: "sigmoid", relu_norm: "ReLU",
  none: "off",
};

// The cosine of two vectors of length 1, and how far one is turned from the other, in degrees.
export const cosineOf = (a, b) => Math.max(-1, Math.min(1, a.reduce((sum, x, i) => sum + x * b[i], 0)));
export const turnOf = (a, b) => (180 / Math.PI) * Math.acos(cosineOf(a, b));

export const inMegabytes = (bytes, digits = 0) => (bytes / 1e6).toFixed(digits);
