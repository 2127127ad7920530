// The sentences of *your sentence* that are recorded: one stands in the page, the others are loaded when they are
// asked for; in a notebook Python sends them.
import { scoresOf, weightsOf, workOf } from "./your_sentence_math.js";

// `own` is the model's own β, and `fail` is called if a sentence could not be loaded.
export function recordedSentences({ model, page, sentences, own, fail }) {
  const known = {}; // what has come, by its name
  let asked = null; // what is being loaded, and
  let coming = null; // when it has come

  function made({ name, tokens, scale, roots }) {
    const scores = scoresOf({ tokens, scale, roots });
    const weights = scores.map((one) => weightsOf(one, own));
    return { name, text: sentences[name].text, tokens, scores, weights, works: weights.map(workOf) };
  }
  // The sentence that the page has now.
  function here() {
    const shown = model.get("shown");
    return (known[shown.name] ??= made(shown));
  }
  // This sentence, or null while it is on its way.
  function get(name) {
    here();
    if (known[name] || !page?.loadData || asked === name) return known[name] ?? null;
    asked = name;
    coming = page.loadData(`your_sentence-${name}`).then((value) => model.set("shown", value), fail)
      .finally(() => (asked = null));
    return null;
  }
  return { here, get, coming: () => coming };
}
