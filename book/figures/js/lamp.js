// The lamp of a wish.
import { svg } from "./controls.js";

const LAMP = { size: 22, disc: 7, flash: 12 }; // CSS pixels

// A bulb: it shines while it is on, and is empty and struck through when it is out. `draw` takes how much of it is
// on, from 0 to 1; in between a ring leaves it. One that has `just` gone out keeps a ring.
export function lampOf(name) {
  const [x, y] = [LAMP.size / 2, LAMP.disc + 1];
  const circle = (kind, r = LAMP.disc, down = 0) => svg("circle", { cx: x, cy: y + down, r, class: kind });
  const [rim, disc, flash] = ["ws-rim", "ws-disc", "ws-flash"].map((kind) => circle(kind));
  const just = circle("ws-just", LAMP.disc + 8, 2.5);
  const neck = `M${x - 3} ${y + 6.5}v5q0 1.5 1.5 1.5h3q1.5 0 1.5 -1.5v-5M${x - 3} ${y + 9.5}h6`;
  const foot = svg("path", { class: "ws-foot", d: neck });
  const stroke = svg("path", { class: "ws-struck" });
  const size = { width: LAMP.size, height: LAMP.size, viewBox: `0 0 ${LAMP.size} ${LAMP.size}` };
  const root = svg("svg", { class: "ws-lamp", ...size, role: "img" },
    rim, disc, foot, stroke, flash, just);
  return {
    root,
    show(on, gone) {
      root.setAttribute("aria-label", `${name}: ${on ? "on" : "out"}`);
      root.classList.toggle("ws-on", on);
      just.setAttribute("visibility", gone ? "visible" : "hidden");
    },
    draw(on) {
      disc.setAttribute("r", LAMP.disc * on);
      flash.setAttribute("r", LAMP.disc + LAMP.flash * (1 - on));
      flash.setAttribute("opacity", on < 1 ? on : 0);
      const reach = (LAMP.disc + 3.5) * Math.SQRT1_2 * (1 - on);
      stroke.setAttribute("d", `M${x - reach} ${y + reach}L${x + reach} ${y - reach}`);
      stroke.setAttribute("visibility", on < 1 ? "visible" : "hidden");
    },
  };
}
