// Who looks at whom in a head: a square with a row for each query, from the top, and a column for each key.
import { svg } from "./controls.js";

// The cells of a triangle, given row by row, as one path for each shade from 1 on: stretches of a row that are alike, in
// units of a cell.
export function shadePaths(triangle, t, shades) {
  const paths = Array.from({ length: shades }, () => []);
  for (let i = 0, row = 0; i < t; row += ++i) {
    for (let j = 0, end; j <= i; j = end) {
      const shade = triangle[row + j];
      for (end = j + 1; end <= i && triangle[row + end] === shade; ) end += 1;
      if (shade > 0) paths[shade - 1].push(`M${j} ${i}h${end - j}v1H${j}`);
    }
  }
  return paths.map((parts) => parts.join(""));
}

export function squareMap(t, shades, kind) {
  const bed = svg("path", { class: "ws-seen", d: `M0 0${"h1v1".repeat(t)}H0` });
  const paths = Array.from({ length: shades }, (_, k) => svg("path", { class: "ws-shade", "fill-opacity": ((k + 1) / shades).toFixed(3) }));
  const root = svg("svg", { class: `ws-square ${kind}`, viewBox: `0 0 ${t} ${t}`, role: "img" }, bed, ...paths);
  return {
    root,
    // Without a triangle it is empty.
    show(triangle) {
      const drawn = triangle ? shadePaths(triangle, t, shades) : paths.map(() => "");
      drawn.forEach((d, k) => paths[k].setAttribute("d", d));
    },
  };
}
