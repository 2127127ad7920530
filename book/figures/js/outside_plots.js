// The board of *outside the frame*: a column for each rule, with a row of bars for each word that is drawn and a
// row of marks for each test.
import { button, html, svg } from "./controls.js";
import { scoreText } from "./words.js";

const ROOM = 0.55; // up to this weight there is room for its number beside a bar

// The weight of a word under a rule, with a line where it was before the test; `told` if its number stands by it.
function shareBar(told) {
  const bar = svg("rect", { x: 0, y: 0, height: "100%", class: "ws-weight" });
  const was = svg("line", { y1: -3, y2: "100%", class: "ws-was" });
  const text = svg("text", { y: "50%", dy: 4.5, class: "ws-label" });
  const plot = svg("svg", { class: "ws-svg ws-strip", role: "img" },
    svg("line", { x1: 0, x2: 0, y1: -4, y2: "130%", class: "ws-zero" }), bar, was, ...(told ? [text] : []));
  let least = 0; // where its number may begin: beyond that line
  return {
    root: plot,
    show(name, value, before, now) {
      least = Math.min(before, ROOM);
      plot.setAttribute("aria-label", `${name} ${value}`);
      text.textContent = value;
      for (const end of ["x1", "x2"]) was.setAttribute(end, `${100 * Math.min(before, 1)}%`);
      was.setAttribute("visibility", Math.abs(before - now) > 1e-9 ? "visible" : "hidden");
    },
    draw(w) {
      const wide = Math.min(w, 1);
      bar.setAttribute("width", `${100 * wide}%`);
      text.setAttribute("x", `${100 * Math.max(wide, least)}%`);
      text.setAttribute("dx", wide > ROOM ? -2 : 2);
      text.classList.toggle("ws-inside", wide > ROOM);
    },
  };
}

// A row for a word: its name, its score, and its bar under each rule.
export function wordRow(word, rules, told) {
  const bars = rules.map(() => shareBar(told));
  const name = html("span", { class: "ws-name" }, word);
  return {
    root: html("div", { class: "ws-word-row", role: "group", "aria-label": word },
      html("span", { class: "ws-who" }, name),
      ...bars.map((bar) => bar.root)),
    draw: (weights) => bars.forEach((bar, r) => bar.draw(weights[r])),
    show(s, texts, before, now) {
      name.title = `${scoreText(s)} points`;
      bars.forEach((bar, r) => bar.show(rules[r], texts[r], before[r], now[r]));
    },
  };
}

// A mark: not known yet, kept or broken, and what was read under the test that is made now.
function markOf(rule) {
  const size = { width: 22, height: 22, viewBox: "0 0 24 24" };
  const root = svg("svg", { class: "ws-verdict", ...size, role: "img" },
    svg("text", { class: "ws-open", x: 12, y: 18 }, "?"),
    svg("path", { class: "ws-passed", d: "M5 12.5L10 17.5L19 7" }),
    svg("circle", { class: "ws-fell", cx: 12, cy: 12, r: 11 }),
    svg("path", { class: "ws-cross", d: "M8 8L16 16M16 8L8 16" }));
  const [was, now] = [html("span", { class: "ws-before" }), html("b")];
  const reading = html("span", { class: "ws-reading" }, was, now);
  return {
    cell: html("span", { class: "ws-marked" }, root, reading),
    // `read` is the value before and now, or nothing.
    show(passes, read) {
      root.dataset.is = passes === undefined ? "open" : passes ? "kept" : "broken";
      root.setAttribute("aria-label", `${rule}: ${passes === undefined ? "not tested" : root.dataset.is}`);
      was.textContent = read ? `${read[0]} → ` : "";
      now.textContent = read?.[1] ?? "";
      reading.hidden = !read;
    },
  };
}

// A row for a test: the button that makes it, with what it asks, and a mark for each rule.
export function testRow(does, rules, press) {
  const made = button("", press);
  const asks = html("span", { class: "ws-asks" });
  const call = html("span", { class: "ws-call", "aria-hidden": "true" }, "press");
  made.append(html("b", {}, does), asks, call);
  const marks = rules.map(markOf);
  return {
    root: html("div", { class: "ws-test-row", role: "group", "aria-label": does },
      made, ...marks.map((mark) => mark.cell)),
    // Whether it is the test that is made, and whether it is the one to press.
    show(question, now, meant, passed, readings) {
      asks.textContent = question;
      made.setAttribute("aria-pressed", String(now));
      made.classList.toggle("ws-meant", meant);
      call.hidden = !meant;
      marks.forEach((mark, r) => mark.show(passed?.[r], now ? readings[r] : null));
    },
  };
}
