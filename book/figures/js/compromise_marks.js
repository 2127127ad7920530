// What stands on the hill of *the compromise*: equal weights, the best that was found, the top, and what to do.
import { KINDS } from "./compromise_answer.js";
import { nullName } from "./compromise_words.js";
import { html } from "./controls.js";
import { normalised } from "./math.js";
import { SIDE, TALL, place } from "./triangle.js";

const APART = 0.2; // nearer to the null than this, in some weight, the knob takes the place of its name
const HIGH_UP = 100; // units from the upper corner, within which a name goes below its own
const ROOM = 240; // for a name beside its point, in units of the triangle
const MARGIN = 150; // for the name of the top in the margin beside the triangle

const tag = (kind, ...inside) => html("span", { class: `ws-tag ws-${kind}`, "aria-hidden": "true" }, ...inside);

export function put(part, p) {
  const [x, y] = place(p);
  part.style.left = `${(100 * x) / SIDE}%`;
  part.style.top = `${(100 * y) / TALL}%`;
}

// The side of the triangle that is nearest to this point, left or right, and whether a name has room beyond it.
function beyond(p) {
  const [x, y] = place(p);
  const right = x > SIDE / 2;
  const edge = (SIDE / 2) * (1 + (right ? y : -y) / TALL);
  return { x, y, right, edge, room: (right ? SIDE - edge : edge) > MARGIN };
}

export function hillMarks() {
  const tags = {
    null: tag("of-null"), pin: tag("of-pin"), top: tag("of-best"), call: tag("call", "drag me uphill"),
  };
  const marks = { null: tag("ring"), pin: tag("pin") };
  const root = html("div"); // those of them that are to be seen
  return {
    root,
    atPoint(p) {
      put(tags.call, p);
      const [x, y] = place(p);
      tags.call.classList.toggle("ws-left", x >= SIDE / 2); // between two spokes, and in the triangle
      tags.call.classList.toggle("ws-high", y < HIGH_UP); // beside the knob, where the triangle is narrow
    },
    // A line leads from the top to its name in the margin, if it has room there.
    atTop(pi) {
      put(tags.top, pi);
      const { x, y, edge, room } = beyond(pi);
      tags.top.style.setProperty("--ws-away", room ? (100 * (edge - x)) / SIDE : 0);
      return room ? `M${x.toFixed(1)} ${y.toFixed(1)}H${(edge + 22 * Math.sign(edge - x)).toFixed(1)}` : "";
    },
    // The names of pin and top stand on either side, so that they do not meet where the reader came close.
    show({ state, still, p, u, pi, pin, texts }) {
      const shown = state.top === "shown";
      const away = u[0] > APART && p.some((w, i) => Math.abs(w - u[i]) > APART);
      const named = away && !shown;
      root.replaceChildren(
        marks.null, ...(named ? [tags.null] : []), ...(pin ? [marks.pin, tags.pin] : []),
        ...(shown ? [tags.top] : []), ...(still && !shown ? [tags.call] : []));
      for (const part of [marks.null, tags.null]) put(part, u);
      tags.null.textContent = nullName(u);
      const [{ x, y, right: nearRight, room }, [x0]] = [beyond(pi), place(u)];
      const [xPin, yPin] = place(pin ? normalised(pin) : u);
      if (pin) for (const part of [marks.pin, tags.pin]) put(part, normalised(pin));
      if (pin) tags.pin.textContent = texts[3];
      const { map } = KINDS[state.divergence];
      if (shown) tags.top.replaceChildren(html("span", {}, map), " ", html("span", {}, texts[4]));
      const right = room ? nearRight : y > HIGH_UP && (pin ? xPin : x0) < x;
      tags.top.classList.toggle("ws-out", room);
      tags.top.classList.toggle("ws-left", room ? !right : right ? x > SIDE - ROOM : x > ROOM);
      tags.top.classList.toggle("ws-high", y < HIGH_UP);
      tags.pin.classList.toggle("ws-high", yPin < HIGH_UP);
      tags.pin.classList.toggle("ws-left", right ? xPin > ROOM : xPin > SIDE - ROOM);
    },
  };
}
