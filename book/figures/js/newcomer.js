// A word that waits beside a row and joins it: pulled in and out with a pointer or a finger, or pressed.
import { CHANGE, glide, html } from "./controls.js";

const STILL = 6; // CSS pixels: one that is moved less is pressed

// `inside` is what the word is made of, `edge` where the row ends in percent of the width, `home(joins)` where the
// middle of the word is at rest, in percent; `turn(joins)` lets it join or leave.
export function newcomer({ name, inside, edge, home, turn }) {
  const call = html("span", { class: "ws-call" }, "drag me in");
  const word = html("button", { type: "button", class: "ws-newcomer", "aria-label": name }, ...inside, call);
  const root = html("div", { class: "ws-guest" }, word); // it has the place: the button of a picture has no style
  let joined = false;
  let from = null; // where the pointer took it
  let dragged = false;
  const motion = glide(([x, y]) => {
    root.style.setProperty("left", `${x}%`);
    root.style.setProperty("--ws-lift", `${y}px`);
  }, CHANGE);

  word.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    word.setPointerCapture(event.pointerId);
    const width = root.parentElement.getBoundingClientRect().width;
    from = { x: event.clientX, y: event.clientY, home: home(joined), width };
    dragged = false;
  });
  word.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    dragged ||= Math.hypot(dx, dy) > STILL;
    if (!dragged) return;
    root.classList.add("ws-held");
    const x = from.home + (100 * dx) / from.width;
    motion.to([x, dy], true);
    if (x < edge !== joined) turn(x < edge);
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    word.addEventListener(end, () => {
      if (!from) return;
      from = null;
      root.classList.remove("ws-held");
      setTimeout(() => (dragged = false)); // after the click that a mouse makes of a drag
      motion.to([home(joined), 0]);
    });
  }
  word.addEventListener("click", () => {
    if (!dragged) turn(!joined);
  });
  return {
    root,
    motion,
    show(joins, jump) {
      joined = joins;
      word.setAttribute("aria-pressed", String(joins));
      word.classList.toggle("ws-meant", !joins);
      if (!from) motion.to([home(joins), 0], jump);
    },
  };
}
