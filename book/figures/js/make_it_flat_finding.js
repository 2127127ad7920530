// What happens when the line of *make it flat* has become flat: the curve becomes the exponential, and then log
// paper comes on. Who has bent it sees it for a while on the paper that it was bent on.
import { glide } from "./controls.js";

const [EACH, BEAT] = [900, 1500]; // milliseconds: each of the two, and the while between

// `draw` hears how far it is: 1 is the exponential on linear paper, 2 is log paper.
export function finding(draw) {
  const motion = glide(([found]) => draw(found), EACH);
  let [goal, timer] = [undefined, 0];
  const stop = () => clearTimeout(timer);
  function go(to, jump) {
    stop();
    motion.to([to], jump);
  }
  return {
    to(found, bent, jump) {
      if (found === goal) return;
      const waits = found && bent && !matchMedia("(prefers-reduced-motion: reduce)").matches;
      go(waits ? 1 : 2 * found, jump || goal === undefined);
      if (waits) timer = setTimeout(() => go(2), EACH + BEAT);
      goal = found;
    },
    // Nobody waits who turns the line.
    finish: () => goal && go(2),
    stop() {
      stop();
      motion.stop();
    },
  };
}
