// The pretrained encoder on one sentence after another.

// Runs these texts under a change; after each, `take` gets {text, place, tokens, layers, vector}: of each layer
// the weights of all its heads, as encoder_service.js gives them. True once all are done; `ends` says whether to
// stop.
export async function runThrough(encoder, texts, change, { take, ends }) {
  for (const [place, text] of texts.entries()) {
    const layers = [];
    const onLayer = ({ layer, weights }) => (layers[layer - 1] = weights);
    const found = await encoder.run(text, change, { onLayer });
    if (!found || ends()) return false;
    take({ text, place, layers, ...found });
  }
  return true;
}
