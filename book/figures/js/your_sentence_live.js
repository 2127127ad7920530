// What the loaded encoder makes of a sentence under a change, and without it: asked anew whenever either changes.
import { turnOf } from "./encoder_words.js";
import { rowsOf } from "./your_sentence_math.js";

const isOwn = ({ beta, score_map: map }, own) => map === "softmax" && beta === own;

// The change as encoder_service.js takes it; one that changes nothing is the same for all heads.
function changeAskedFor(state, own) {
  if (isOwn(state, own)) return {};
  const { layer, head, beta, score_map: map, scope } = state;
  return { map, beta: beta / own, scope: scope === "all" ? "all" : { layer, head } };
}

// `came` is called with what is found of a sentence, {text, tokens, cut, weights, scores}, after each layer: rows
// of weights for each head, through all layers that have come. `done` is called once all is there: with that and
// its vector, with the same in the model as it is, with the angle between the two vectors, and with the change.
export function liveSentence(encoder, own, { came, done }) {
  let newest = ""; // what was asked last
  let base = {}; // the last sentence in the model as it is
  let lasted = 0; // milliseconds that the last run took

  async function found(text, change, isOld) {
    const split = await encoder.tokens(text);
    if (!split || isOld()) return null;
    const now = { text, ...split, weights: [], scores: [] };
    function onLayer({ layer, n, ...made }) {
      for (const kind of ["weights", "scores"]) {
        const heads = rowsOf(made[kind], n);
        heads.forEach((rows, head) => (now[kind][(layer - 1) * heads.length + head] = rows));
      }
      if (change) came(now);
    }
    const began = performance.now();
    const end = await encoder.run(text, change ?? {}, { onLayer });
    if (encoder.state.stage === "here") lasted = performance.now() - began;
    return end && { ...now, vector: end.vector };
  }

  async function ask(state, text) {
    const change = changeAskedFor(state, own);
    const key = JSON.stringify([text, change]);
    if (key === newest) return;
    newest = key;
    const isOld = () => key !== newest;
    const now = await found(text, change, isOld);
    if (now && !change.map) base = now;
    if (now && !isOld() && base.text !== text) base = (await found(text, null, isOld)) ?? base;
    if (now && !isOld() && base.text === text) done(now, base, turnOf(now.vector, base.vector), change);
    else if (!isOld()) newest = ""; // it may be asked for again
  }
  return { ask, again: () => (newest = ""), lasted: () => lasted };
}
