// Who looks at whom in a head: a square with a row for each query, from the top, and a column for each key.
import { svg } from "./controls.js";

// The cells as one path for each shade from 1 on: stretches of a row that are alike, in units of a cell.
// `shadeAt(i, j)` is that of query i on key j.
export function shadePaths(shadeAt, t, shades) {
  const paths = Array.from({ length: shades }, () => []);
  for (let i = 0; i < t; i++) {
    for (let j = 0, end; j <= i; j = end) {
      const shade = shadeAt(i, j);
      for (end = j + 1; end <= i && shadeAt(i, end) === shade; ) end += 1;
      if (shade > 0) paths[shade - 1].push(`M${j} ${i}h${end - j}v1H${j}`);
    }
  }
  return paths.map((parts) => parts.join(""));
}

// A square of so many shades, empty until it is shown one.
export function shadedSquare(shades, kind = "") {
  const bed = svg("path", { class: "ws-seen" });
  const paths = Array.from({ length: shades }, (_, k) =>
    svg("path", { class: "ws-shade", "fill-opacity": ((k + 1) / shades).toFixed(3) }),
  );
  const root = svg("svg", { class: `ws-square${kind}`, preserveAspectRatio: "none" }, bed, ...paths);
  return {
    root,
    show(shadeAt, t) {
      root.setAttribute("viewBox", `0 0 ${t} ${t}`);
      bed.setAttribute("d", `M0 0${"h1v1".repeat(t)}H0`);
      shadePaths(shadeAt, t, shades).forEach((d, k) => paths[k].setAttribute("d", d));
    },
  };
}
