// What *the Jacobian* draws: the map of slopes, the curve of what is left of the answer, and its table.
import { atPlace, END, TOP } from "./beta_slider.js";
import { html, svg } from "./controls.js";
import { largestFactor, softmax } from "./math.js";
import { columnsOf, middleOf } from "./score_row.js";
import { fixed, percent } from "./words.js";

const CELL = 21; // CSS pixels
const DEEPEST = 0.5; // how opaque a cell may get, so that its number can be read
const PLOT_LEFT = { top: 16, height: 42, total: 66 };

// A square for each pair: the row's weight, the column's score.
export function slopeMap(tokens) {
  const n = tokens.length;
  const [at, middle] = [columnsOf(n, 1), middleOf(n)];
  const all = tokens.flatMap((_, i) => tokens.map((__, j) => [i, j]));
  const place = ([i, j]) => ({ ...at(j), y: CELL * i, height: CELL });
  const beds = all.map((pair) => svg("rect", { ...place(pair), class: "ws-bed" }));
  // What loses is an outline, which has to stand inside its cell.
  const cells = all.map((pair) =>
    svg("rect", {
      ...place(pair), style: `--ws-x:${at(pair[1]).x};--ws-wide:${at(pair[1]).width};--ws-y:${CELL * pair[0]}px`,
    }),
  );
  const labels = all.map(([i, j]) => svg("text", { x: middle(j), y: CELL * i + 15, class: "ws-label" }));
  const root = svg("svg", { class: "ws-svg ws-map", height: CELL * n, role: "img" }, ...beds, ...cells, ...labels);
  return {
    root,
    rows: html(
      "ol", { class: "ws-rows", "aria-hidden": "true" },
      ...tokens.map((token) => html("li", { title: token }, token)),
    ),
    name(words, slopes) {
      slopes.flat().forEach((x, k) => {
        labels[k].textContent = x >= 0.005 ? `+${fixed(x, 2)}` : fixed(x, 2);
        labels[k].classList.toggle("ws-faint", Math.abs(x) < 0.005);
        cells[k].setAttribute("class", `ws-cell ${x < 0 ? "ws-minus" : "ws-plus"}`);
      });
      const own = words.map((word, i) => `${word} ${fixed(slopes[i][i], 2)}`).join(", ");
      root.setAttribute(
        "aria-label",
        `slopes, a row for each weight, a column for each score; each weight by its own score: ${own}`,
      );
    },
    // The root makes small slopes visible beside large ones.
    draw: (depth) => depth.forEach((x, k) => {
      for (const part of ["fill-opacity", "stroke-opacity"]) {
        cells[k].setAttribute(part, (DEEPEST * Math.sqrt(Math.abs(x))).toFixed(4));
      }
    }),
  };
}

// What is left of the answer, from 0 to 1, against β, on the slider's scale.
export function leftCurve() {
  const { top, height, total } = PLOT_LEFT;
  const y = (part) => top + (1 - part) * height;
  const path = svg("path", { class: "ws-left" });
  const rule = (part, kind) => svg("line", { x1: 0, x2: "100%", y1: y(part), y2: y(part), class: kind });
  const level = (part) => svg("text", { class: "ws-label ws-level", x: "100%", y: y(part) - 4 }, percent(part));
  const ends = [0, 100].map((x) => svg("circle", { class: "ws-end", cx: `${x}%`, r: 3 }));
  const now = svg("line", { class: "ws-now", y1: top - 8, y2: total });
  const dot = svg("circle", { class: "ws-here", r: 5 });
  const box = { viewBox: `0 0 ${TOP} ${total}`, preserveAspectRatio: "none", width: "100%", height: total };
  const root = svg("svg", { class: "ws-svg ws-curves", height: total, role: "img" },
    rule(1, "ws-all"), level(1), rule(0.5, "ws-all"), level(0.5), rule(0, "ws-zero"), now, svg("svg", box, path),
    ...ends, dot,
  );
  let drawn = ""; // the scores and the sign of β for which the curve stands
  return {
    root,
    name(scores, sign, left) {
      root.setAttribute("aria-label", `the norm as a part of its bound, against β: here ${percent(left)}`);
      if (drawn === `${sign} ${scores}`) return;
      drawn = `${sign} ${scores}`;
      const points = [];
      for (let place = END; place <= TOP - END; place += 2) {
        points.push(`${place} ${y(2 * largestFactor(softmax(scores, sign * atPlace(place)))).toFixed(2)}`);
      }
      path.setAttribute("d", `M${points.join("L")}`);
      ends[0].setAttribute("cy", y(2 * largestFactor(softmax(scores, 0))));
      ends[1].setAttribute("cy", y(0));
    },
    draw(left, place) {
      for (const end of ["x1", "x2"]) now.setAttribute(end, `${(100 * place) / TOP}%`);
      dot.setAttribute("cx", `${(100 * place) / TOP}%`);
      dot.setAttribute("cy", y(left));
    },
  };
}

export function jacobianTable(tokens) {
  const rows = tokens.map((token) => {
    const cells = tokens.map(() => html("td"));
    return { root: html("tr", {}, html("th", { scope: "row" }, token), ...cells), cells };
  });
  const heads = [html("td"), ...tokens.map((text) => html("th", { scope: "col" }, text))];
  return {
    root: html("table", { class: "ws-table" }, html("caption", {}, "slopes, in weight per point"),
      html("thead", {}, html("tr", {}, ...heads)), html("tbody", {}, ...rows.map((row) => row.root))),
    show: (slopes) =>
      rows.forEach(({ cells }, i) => cells.forEach((cell, j) => (cell.textContent = fixed(slopes[i][j], 3)))),
  };
}
