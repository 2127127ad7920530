// The recorded weights of *pairs*: those of the open head stand in the page, those of all heads are loaded when
// another one is asked for; in a notebook Python sends them.
import { nounWeights, placeIn } from "./pairs_math.js";

// `came` is called once the heads have been loaded, and `fail` if they could not be. `table` holds what is here.
export function recordedPairs({ model, page, sentences, came, fail }) {
  const table = new Float64Array(placeIn(sentences, 0));
  const known = new Set();
  let [all, coming] = [false, null];

  function take(packed) {
    table.set(nounWeights(packed));
    all = true;
    came();
  }
  // Whether this head is here. If it is not, it is on its way.
  function has(head) {
    const { head: one, weights } = model.get("shown");
    if (!all && !known.has(one)) {
      const found = nounWeights(weights);
      for (let i = 0; i < sentences; i++) table.set(found.subarray(2 * i, 2 * i + 2), placeIn(i, one));
      known.add(one);
    }
    const here = all || known.has(head);
    if (!here && page?.loadData) {
      coming ??= page.loadData("pairs-recorded").then(take, fail).finally(() => (coming = null));
    }
    return here;
  }
  return { table, has, coming: () => coming };
}
