// The traits of a figure's model: read as one state, written as one change.

// JSON has no infinity: there it is the word "inf" or "-inf".
export const fromJson = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);
const toJson = (value) => (Math.abs(value) === Infinity ? (value < 0 ? "-inf" : "inf") : value);

// What a view does with the traits called `names`. `update` draws the state anew; with `true` it does so at once,
// without motion. It hears of a change that the figure makes itself when all of it is made, and only once.
export function traitsOf(model, names, update) {
  let quiet = false;
  function change(values, jump = false) {
    quiet = true;
    for (const [name, value] of Object.entries(values)) model.set(name, toJson(value));
    quiet = false;
    model.save_changes();
    update(jump);
  }
  return {
    read: () => Object.fromEntries(names.map((name) => [name, fromJson(model.get(name))])),
    change,
    reset: () => change(structuredClone(model.get("start"))),
    follow: () => quiet || update(false),
  };
}
