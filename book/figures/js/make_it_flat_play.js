// What a reader does to the curve of *make it flat*, and which earlier curves stay behind.
import { bent, caught, factorsOf, scaled, slopeOf, stepped } from "./make_it_flat_math.js";
import { GHOSTS } from "./make_it_flat_plots.js";

const REACH = 9; // pixels, within which a knob snaps to the factor of another step
const [LEAST, MOST] = [1 / 8, 40]; // of a factor
const HIGHEST = 25 / 29; // the highest share at rest, over that of a knob that is pulled above the paper
const DRAWN = 25; // what the highest share is drawn as

const limited = (factor) => Math.min(MOST, Math.max(LEAST, factor));
export const sameRule = (a, b) => {
  const others = factorsOf(b);
  return factorsOf(a).every((x, i) => Math.abs(Math.log(x / others[i])) < 1e-4);
};

// `state()` is the figure's state, `change` changes it, `pixels()` says how many of them a share of 25 takes.
export function bending({ state, change, pixels }) {
  let held = null; // while a pointer holds a knob: the shares where it was taken, and how high the paper is
  let series = null; // the knob that keys are bending: many presses are one try
  let tries = [];

  function remember(shares) {
    tries = [...tries.filter((one) => !sameRule(one, shares)), shares].slice(-GHOSTS);
  }
  // Either the line is flat, or it waits for the next try.
  function settleFor(shares) {
    const beta = slopeOf({ shares, beta: null });
    change(beta === null ? { shares } : { shares, beta: Number(beta.toFixed(3)) });
  }
  return {
    tries: () => tries,
    holds: () => held !== null,
    top: () => held?.top,
    take() {
      const highest = Math.max(...state().shares);
      held = { shares: state().shares, highest, top: highest };
      series = null;
    },
    // The knob k has been pulled `dy` pixels down from where it was taken.
    bend(k, dy) {
      const { shares, highest } = held;
      const [own, before] = [shares[k], shares[k - 1]].map((one) => (DRAWN * one) / highest);
      const far = (a, b) => Math.abs(a - b) * before * pixels();
      const factor = caught(shares, k, limited((own - dy / pixels()) / before), far, REACH);
      const next = bent(shares, k, (factor * before) / own);
      held.top = Math.max(highest, next[k] * HIGHEST); // what is held stays on the paper, and the rest sinks
      change({ shares: next }, true);
    },
    // False if it has only been touched.
    letGo(moved) {
      const { shares } = held;
      held = null;
      if (!moved) return false;
      remember(shares);
      settleFor(scaled(state().shares));
      return true;
    },
    step(k, times) {
      const { shares } = state();
      if (series !== k) remember(shares);
      series = k;
      settleFor(scaled(bent(shares, k, limited(stepped(shares, k, times)) / factorsOf(shares)[k - 1])));
    },
    // Other shares take the place of these.
    leave(shares) {
      if (!sameRule(shares, state().shares)) remember(state().shares);
      series = null;
    },
    forget() {
      [tries, series] = [[], null];
    },
  };
}
