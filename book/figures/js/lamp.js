// The lamp of a wish.
import { svg } from "./controls.js";

const LAMP = { size: 38, disc: 9, rays: 8, flash: 16 }; // CSS pixels

// A bulb: it shines while it is on, and is empty and struck through when it is out. `draw` takes how much of it is
// on, from 0 to 1; in between a ring leaves it. One that has `just` gone out keeps a ring.
export function lampOf(name) {
  const [x, y] = [LAMP.size / 2, LAMP.disc + LAMP.rays + 1];
  const circle = (kind, r = LAMP.disc, down = 0) => svg("circle", { cx: x, cy: y + down, r, class: kind });
  const [halo, rim, disc] = [circle("ws-halo", LAMP.disc + LAMP.rays), circle("ws-rim"), circle("ws-disc")];
  const [flash, just] = [circle("ws-flash"), circle("ws-just", LAMP.disc + LAMP.rays + 1, 2)];
  const rays = svg("circle", { cx: x, cy: y, r: LAMP.disc + 5.5, class: "ws-rays", pathLength: 8 });
  const neck = `M${x - 4} ${y + 8.5}v7.5q0 1.5 1.5 1.5h5q1.5 0 1.5 -1.5v-7.5M${x - 4} ${y + 12.5}h8`;
  const foot = svg("path", { class: "ws-foot", d: neck });
  const stroke = svg("path", { class: "ws-struck" });
  const size = { width: LAMP.size, height: LAMP.size, viewBox: `0 0 ${LAMP.size} ${LAMP.size}` };
  const root = svg("svg", { class: "ws-lamp", ...size, role: "img" },
    halo, rays, rim, disc, foot, stroke, flash, just);
  return {
    root,
    show(on, gone) {
      root.setAttribute("aria-label", `${name}: ${on ? "on" : "out"}`);
      root.classList.toggle("ws-on", on);
      just.setAttribute("visibility", gone ? "visible" : "hidden");
    },
    draw(on) {
      disc.setAttribute("r", LAMP.disc * on);
      for (const light of [halo, rays]) light.setAttribute("opacity", on);
      flash.setAttribute("r", LAMP.disc + LAMP.flash * (1 - on));
      flash.setAttribute("opacity", on < 1 ? on : 0);
      const reach = (LAMP.disc + 5) * Math.SQRT1_2 * (1 - on);
      stroke.setAttribute("d", `M${x - reach} ${y + reach}L${x + reach} ${y - reach}`);
      stroke.setAttribute("visibility", on < 1 ? "visible" : "hidden");
    },
  };
}
