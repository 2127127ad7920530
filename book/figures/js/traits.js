// The traits of a figure's model: read as one state, written as one change.

// JSON has no infinity: there it is the word "inf" or "-inf".
export const fromJson = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);
const toJson = (value) => (Math.abs(value) === Infinity ? (value < 0 ? "-inf" : "inf") : value);

// Whether each of the lists called `names` has one entry for each token; a list that is null is not there.
export const oneForEachToken = (...names) => (state) =>
  names.every((name) => !state[name] || state[name].length === state.tokens.length);

// What a view does with the traits called `names`. `update` draws the state anew; with `true` it does so at once,
// without motion. It hears of a change that the figure makes itself when all of it is made, and only once.
//
// From Python traits come one after another: until the state is `whole`, the view waits. Some views make
// their parts once, for the values that the traits `once` have: when one of these changes, such a view ends,
// and `render` makes it again.
export function traitsOf(model, names, update, { whole, once = [], render } = {}) {
  let quiet = false;
  let end;
  const read = () => Object.fromEntries(names.map((name) => [name, fromJson(model.get(name))]));
  const given = () => JSON.stringify(once.map((name) => model.get(name)));
  const made = given();
  function show(jump) {
    if (whole && !whole(read())) return;
    if (!once.length || given() === made) return update(jump);
    end();
    end = render();
  }
  function change(values, jump = false) {
    quiet = true;
    for (const [name, value] of Object.entries(values)) model.set(name, toJson(value));
    quiet = false;
    model.save_changes();
    show(jump);
  }
  return {
    read,
    change,
    reset: () => change(structuredClone(model.get("start"))),
    follow: () => quiet || show(false),
    // Takes the function that ends the view, and returns one that also ends what took its place.
    ends(leave) {
      end = leave;
      return () => end();
    },
  };
}
