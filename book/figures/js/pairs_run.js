// The pretrained encoder on one sentence after another.
import { placeIn, placesOf } from "./pairs_math.js";

// Runs these texts under a change; after each, `take` gets {text, place, tokens, layers, vector}: of each layer the
// weights of all its heads, as encoder_service.js gives them. True once all are done; `ends` says whether to stop.
export async function runThrough(encoder, texts, change, { take, ends }) {
  for (const [place, text] of texts.entries()) {
    const layers = [];
    const found = await encoder.run(text, change, { onLayer: ({ layer, weights }) => (layers[layer - 1] = weights) });
    if (!found || ends()) return false;
    take({ text, place, layers, ...found });
  }
  return true;
}

// Writes into a table (pairs_math.js) what "it" gives both nouns in a sentence that has been run.
export function writeNouns(table, { place, tokens, layers }, nouns) {
  const n = tokens.length;
  const asks = tokens.indexOf("it");
  const places = nouns.map((noun) => placesOf(tokens, noun));
  layers.forEach((weights, layer) => {
    const heads = weights.length / n ** 2;
    for (let head = 0; head < heads; head++) {
      places.forEach((those, noun) => {
        const sum = those.reduce((total, j) => total + weights[(head * n + asks) * n + j], 0);
        table[placeIn(place, layer * heads + head) + noun] = sum;
      });
    }
  });
}
