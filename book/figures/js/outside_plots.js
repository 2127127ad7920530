// What *outside the frame* draws: for each rule the weights of a few words as bars, with a mark for each test, and
// the buttons that make the tests.
import { button, html, svg } from "./controls.js";

const BAR = 0.72; // of a column
const NEAR_BAR = 0.14; // a line this little above a bar leaves no room for the bar's number between them

// The weights of the words under a rule, with lines where they were before the test; that of the `first` is told.
function shareBars(n, first) {
  const part = (x) => `${(100 * x) / n}%`;
  const places = Array.from({ length: n }, (_, i) => i + (1 - BAR) / 2);
  const bars = places.map((x) => svg("rect", { x: part(x), width: part(BAR), class: "ws-weight" }));
  const lines = places.map((x) => svg("line", { x1: part(x), x2: part(x + BAR), class: "ws-was" }));
  const label = svg("text", { x: part(first + 0.5), dy: -5, class: "ws-label" });
  const flat = (y, kind) => svg("line", { x1: 0, x2: "100%", y1: y, y2: y, class: kind });
  const plot = svg("svg", { class: "ws-svg ws-strip", role: "img" },
    flat(0, "ws-all"), flat("100%", "ws-zero"), ...bars, ...lines, label);
  const up = (w) => `${100 * (1 - Math.min(w, 1))}%`;
  let was = 0; // of the first
  return {
    root: plot,
    show(said, value, before, now) {
      was = before[first];
      plot.setAttribute("aria-label", said);
      label.textContent = value;
      lines.forEach((line, i) => {
        for (const end of ["y1", "y2"]) line.setAttribute(end, up(before[i]));
        line.setAttribute("visibility", Math.abs(before[i] - now[i]) > 1e-9 ? "visible" : "hidden");
      });
    },
    draw(weights) {
      weights.forEach((w, i) => {
        bars[i].setAttribute("y", up(w));
        bars[i].setAttribute("height", `${100 * Math.min(w, 1)}%`);
      });
      const w = weights[first];
      label.setAttribute("y", up(w < was && was - w < NEAR_BAR ? was : w));
    },
  };
}

// A mark: a dot while it is not known, then a tick or a cross.
function markOf(called) {
  const root = svg("svg", { class: "ws-verdict", viewBox: "0 0 24 24", role: "img" },
    svg("circle", { class: "ws-open", cx: 12, cy: 12, r: 3 }),
    svg("path", { class: "ws-passed", d: "M5 12.5L10 17.5L19 7" }),
    svg("circle", { class: "ws-fell", cx: 12, cy: 12, r: 11 }),
    svg("path", { class: "ws-cross", d: "M8 8L16 16M16 8L8 16" }));
  return {
    root,
    show(passes) {
      root.dataset.is = passes === undefined ? "open" : passes ? "kept" : "broken";
      root.setAttribute("aria-label", `${called}: ${passes === undefined ? "not tested" : root.dataset.is}`);
    },
  };
}

// A column for a rule: the bars of the words, its names (the second where there is little room), a mark for each
// test, and what is read of it under the test that is made.
export function ruleColumn(names, words, first, tests) {
  const bars = shareBars(words.length, first);
  const marks = tests.map((test) => markOf(`${names[0]}, ${test}`));
  const [what, before, now] = [["span", "ws-what"], ["span", "ws-before"], ["b", ""]].map(([tag, kind]) =>
    html(tag, { class: kind }));
  const reading = html("span", { class: "ws-reading" }, what, before, now);
  return {
    root: html("div", { class: "ws-rule", role: "group", "aria-label": names[0] },
      bars.root,
      html("span", { class: "ws-words", "aria-hidden": "true" },
        ...words.map((word) => html("span", { class: "ws-name" }, word))),
      html("b", { class: "ws-rule-name ws-axis" },
        html("span", { class: "ws-full" }, names[0]), html("span", { class: "ws-brief" }, names[1])),
      html("span", { class: "ws-marks" }, ...marks.map((mark) => mark.root)),
      reading),
    draw: bars.draw,
    // `read` is what is read, and its value before and now; or nothing.
    show(texts, was, is, passed, read) {
      const said = words.map((word, i) => `${word} ${texts[i]}`).join(", ");
      bars.show(said, texts[first], was, is);
      marks.forEach((mark, k) => mark.show(passed[k]));
      what.textContent = read?.[0] ?? "";
      before.textContent = read ? `${read[1]} → ` : "";
      now.textContent = read?.[2] ?? "";
    },
  };
}

// The button that makes a test, with what it asks.
export function testButton(does, press) {
  const root = button("", press);
  const asks = html("span", { class: "ws-asks" });
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  root.append(html("b", {}, does), " ", asks, call);
  return {
    root,
    // Whether it is the test that is made, and whether it is the one to press.
    show(question, now, meant) {
      asks.textContent = question;
      root.setAttribute("aria-pressed", String(now));
      root.classList.toggle("ws-meant", meant);
      call.hidden = !meant;
    },
  };
}
