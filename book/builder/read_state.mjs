// Reads states of figures as the page does. One a line: {"module", "address", "state", "text"} in, {"values"} or
// {"error"} out. `module` and `address` are the sources of ES modules, the figure's view and address.js; `state`
// is the figure's own, and `text` what a phrase says of another, such as "beta=4".
import { createInterface } from "node:readline";
import { standIn } from "./stand_in_dom.mjs";

standIn();
const load = (text) => import(`data:text/javascript,${encodeURIComponent(text)}`);

async function read({ module, address, state, text }) {
  const { readParts } = await load(address);
  const { default: view } = await load(module);
  const parts = text ? text.split("&") : []; // no part: as at the start
  const asked = parts.map((part) => readParts(part, state)[0]);
  const wrong = parts.filter((_, i) => !asked[i]);
  if (wrong.length) throw new Error(`it has no ${wrong.join(", no ")}`);
  const values = { ...state.start, ...Object.fromEntries(asked) };
  if (view.render.fits && !view.render.fits({ ...state, ...values })) throw new Error(`it cannot show ${text}`);
  return { values };
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await read(JSON.parse(line)).catch(
    (error) => ({ error: error.name === "Error" ? error.message : String(error) }));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
