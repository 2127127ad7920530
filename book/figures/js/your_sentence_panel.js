// The place where *your sentence* asks to load the model, says how far that is, and then shows what becomes of the
// sentence's vector: how far a change turns it, and which of ten sentences are nearest.
import { button, glide, html, svg } from "./controls.js";
import { inMegabytes } from "./encoder_words.js";
import { fixed } from "./words.js";

export const NEAREST = 3;
const DIAL = { x: 22, y: 78, long: 68 }; // where the arrow begins, and how long it is, in CSS pixels

// Where an arrow of this length ends, turned so far.
function tip(degrees, long) {
  const angle = (Math.PI / 180) * degrees;
  return [DIAL.x + long * Math.cos(angle), DIAL.y - long * Math.sin(angle)].map((x) => x.toFixed(2));
}

// An arrow that turns away from where it was.
function dial() {
  const { x, y, long } = DIAL;
  const was = svg("path", { class: "ws-was-there", d: `M${x} ${y}H${x + long}` });
  const fan = svg("path", { class: "ws-fan" });
  const arrow = svg("path", { class: "ws-arrow" });
  const head = svg("path", { class: "ws-arrow-head", d: "M1 0L-9 -5V5Z" });
  const plot = svg("svg", { class: "ws-svg ws-dial", viewBox: "0 0 96 84", role: "img" }, fan, was, arrow, head);
  const text = html("b", { class: "ws-turned" });
  const motion = glide(([degrees]) => {
    const [end, wide] = [tip(degrees, long).join(" "), 0.62 * long];
    arrow.setAttribute("d", `M${x} ${y}L${end}`);
    head.setAttribute("transform", `translate(${end}) rotate(${-degrees.toFixed(2)})`);
    const [from, to] = [0, degrees].map((one) => tip(one, wide).join(" "));
    fan.setAttribute("d", `M${x} ${y}L${from}A${wide} ${wide} 0 0 0 ${to}Z`);
  });
  return {
    root: html("div", { class: "ws-turning" }, html("p", { class: "ws-note" }, "sentence vector"), plot, text),
    stop: motion.stop,
    show(degrees) {
      text.textContent = degrees < 0.5 ? "unchanged" : `turned by ${Math.round(degrees)}°`;
      plot.setAttribute("aria-label", `the sentence’s vector, ${text.textContent}`);
      motion.to([degrees]);
    },
  };
}

// The nearest sentences, each over a bar as long as its cosine.
function nearestList() {
  const lines = Array.from({ length: NEAREST }, () => {
    const made = (kind) => html("span", { class: `ws-near-${kind}` });
    const [text, number, bar] = ["text", "number", "bar"].map(made);
    return { text, number, bar, root: html("li", {}, text, number, bar) };
  });
  const name = html("p", { class: "ws-note" }, "nearest of ten sentences");
  const list = html("ol", { class: "ws-nearest", "aria-label": "the nearest of ten sentences" },
    ...lines.map((one) => one.root));
  return {
    root: html("div", { class: "ws-near" }, name, list),
    // [{text, cosine}], or null while it is computed.
    show(found) {
      list.classList.toggle("ws-old", !found);
      if (!found) return;
      lines.forEach(({ text, number, bar }, i) => {
        text.textContent = found[i]?.text ?? "";
        number.textContent = found[i] ? fixed(found[i].cosine, 2) : "";
        bar.style.setProperty("--ws-part", Math.max(0, found[i]?.cosine ?? 0).toFixed(3));
      });
    },
  };
}

// `load` is called when a reader presses the button; `whole` is how many bytes there are, and `note` says whence
// they come. Where the book was built without the model, `whole` is 0, and there is no button.
export function modelPanel({ whole, note, load }) {
  const lead = html("p", { class: "ws-lead" });
  const press = button("", load);
  const bar = html("div", { class: "ws-loaded", role: "progressbar", "aria-label": "loaded" }, html("span"));
  const ask = html("div", { class: "ws-invite" }, lead,
    ...(whole ? [html("div", { class: "ws-do" }, press, bar), html("p", { class: "ws-note" }, note)] : []));
  const [turning, near] = [dial(), nearestList()];
  const result = html("div", { class: "ws-result" }, turning.root, near.root);
  const root = html("div", { class: "ws-model" }, ask, result);
  turning.show(0);
  return {
    root, press,
    stop: turning.stop,
    turned: turning.show,
    nearest: near.show,
    // `needs`: what a reader has asked for that has to be loaded first, in words.
    show({ stage, bytes }, needs, vector) {
      root.dataset.stage = vector ? "done" : stage;
      const come = `${inMegabytes(Math.min(bytes, whole), 1)} of ${inMegabytes(whole)} MB`;
      const leads = {
        none: needs ? `This copy of the book was built without the model, which could show ${needs}.` : "",
        absent: needs ? `Load the model to see ${needs}.` : "Your own sentence, more maps, all heads:",
        loading: `Loading: ${come}`,
        failed: `It stopped at ${come}.`,
        here: "The model is here, and runs.",
      };
      if (lead.textContent !== leads[stage]) lead.textContent = leads[stage];
      press.textContent = stage === "failed" ? "Try again" : `Load the model, ${inMegabytes(whole)} MB`;
      const part = whole ? Math.min(1, bytes / whole) : 0;
      bar.setAttribute("aria-valuenow", Math.round(100 * part));
      bar.style.setProperty("--ws-part", part.toFixed(3));
    },
  };
}
