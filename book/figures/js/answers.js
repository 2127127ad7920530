// A prediction that is answered moves the figure that shows the answer, whether that is drawn already
// or comes later. In a notebook each figure is a module of its own, and cells run in any order: what
// they share is in the document.
import { fromHash, same } from "./address.js";

const EVENT = "ws-answer";
// A figure's name -> the state that was told last.
const answered = () => (document[Symbol.for(EVENT)] ??= new Map());
const nameIn = (state) => state.split("?")[0];

// `state` is what stands after # in a link to it, such as "beta-weights?beta=4".
export function tellFigure(state) {
  answered().set(nameIn(state), state);
  dispatchEvent(new CustomEvent(EVENT, { detail: state }));
}

// A figure that comes later is not moved any more; one that has moved stays.
export const forgetAnswer = (state) => answered().delete(nameIn(state));

// Moves this figure when it is told to. One that comes later is moved unless it has left its start: a link, or the
// reader, has then set it. Neither focus nor page moves. Returns a function that ends this.
export function followAnswers(el, model) {
  const [name, start, address] = [model.get("name") ?? el.id, model.get("start"), model.get("address")];
  const take = (state) => {
    const values = state && fromHash(`#${state}`, name, { start, address });
    if (!values) return;
    for (const [key, value] of Object.entries(values)) model.set(key, value);
    model.save_changes();
  };
  const hear = (event) => take(event.detail);
  addEventListener(EVENT, hear);
  if (Object.keys(address).every((key) => same(model.get(key), start[key]))) take(answered().get(name));
  return () => removeEventListener(EVENT, hear);
}
