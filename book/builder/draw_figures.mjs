// Draws figures with their own views. One a line: {"module", "attributes", "state"} in, {"html", "sentence"} or
// {"error"} out. `module` is the source of an ES module with the view; the others belong to the root element.
import { createInterface } from "node:readline";
import { Element, standIn } from "./stand_in_dom.mjs";
import { stillPicture } from "./still_picture.mjs";

standIn();
Object.assign(console, { log: console.error }); // the answers alone go to stdout

function modelOf(state) {
  const values = { ...structuredClone(state.start), ...state };
  return {
    get: (key) => values[key], set: (key, value) => (values[key] = value), save_changes() {}, on() {}, off() {},
  };
}

async function draw({ module, attributes, state }) {
  const { default: view } = await import(`data:text/javascript,${encodeURIComponent(module)}`);
  const el = new Element("div");
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  await view.render({ model: modelOf(state), el, page: { pause() {} } });
  if (!el.textContent.trim()) throw new Error("the view draws nothing");
  const html = stillPicture(el);
  const wrong = / (?:d|x|y|[xy][12]|c[xy]|r|width|height|style)="[^"]*(?:NaN|undefined)/.exec(html);
  if (wrong) throw new Error(`the view draws${wrong[0]}"`);
  return { html, sentence: el.querySelector(".ws-say")?.textContent ?? null };
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await draw(JSON.parse(line)).catch((error) => ({ error: String(error) }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
