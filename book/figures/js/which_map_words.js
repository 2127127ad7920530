// What *which map* says, and how its dots lie.
export const CHANGE_NAMES = {
  half: "half its β", double: "twice its β", entmax: "entmax 1.5", sparsemax: "sparsemax",
  relu_norm: "ReLU over its sum", sigmoid_weights: "sigmoid", none: "no attention",
};

export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

// How high each dot lies, from −1 to 1: neighbours lie apart, in five lines.
export function heightsOf(values) {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const heights = [];
  order.forEach((place, rank) => (heights[place] = [0, -0.5, 0.5, -1, 1][rank % 5]));
  return heights;
}

const degreesText = (x) => `${Math.round(x)}°`;
export const medianText = (values) => degreesText(medianOf(values));

// Of what has been tried last, and against no attention at all.
export function whichSentence({ last, degrees, tried, here }) {
  if (!last) return "All heads of this model have softmax. Put something else in.";
  const median = medianOf(degrees[last]);
  const where = last === "none" ? " at all" : " in all heads";
  const says = `With ${CHANGE_NAMES[last]}${where} the vector of a sentence turns by ${degreesText(median)}.`;
  const worse = last !== "none" && tried.includes("none") && median > medianOf(degrees.none);
  return `${says}${worse ? " No attention at all turns it less far." : ""}${here ? " Computed here." : ""}`;
}
