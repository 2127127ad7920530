"""What tests of *two maps learn* share: its curves as points, its buttons, and a Worker that answers at once."""

import numpy as np

from book.figures.two_maps_learn import record

CURVES = {"loss": 3.5, "accuracy": 1, "induction": 1}
LOOK = """() => ({
  paths: [...document.querySelectorAll('.ws-learning path')].map(el => el.getAttribute('d')),
  scores: [...document.querySelectorAll('.ws-scored b')].map(el => el.textContent),
  cells: [...document.querySelectorAll('.ws-square .ws-shade')].map(el => el.getAttribute('d')).join(''),
})"""


def points(path):
    """The points [x, y] of a path, in percent of the plot from its upper left corner."""
    return np.array([[float(x) for x in one.split()] for one in path[1:].split("L")]) if path else np.zeros((0, 2))


def curves(page):
    """{(curve, side): its points}: the second map is drawn below the first."""
    paths = page.evaluate(LOOK)["paths"]
    return {(name, side): points(paths[2 * k + 1 - side]) for k, name in enumerate(CURVES) for side in (0, 1)}


def recorded(name, map_):
    values = np.array(record()["runs"][map_][name])
    return np.stack([100 * np.arange(len(values)) / 60, 100 * (1 - np.minimum(values / CURVES[name], 1))], axis=-1)


# A Worker that answers at once, with made-up states: what is tested is the figure, not the training.
QUICK = """() => {
  window.spoken = [];
  const aloud = document.querySelector('.ws-say + [aria-live]');
  new MutationObserver(() => window.spoken.push(aloud.textContent)).observe(aloud, { childList: true });
  window.ended = 0;
  window.wait = 4;
  const shades = new Uint8Array(528).fill(4);
  const head = level => ({ previous: 0.5, induction: level, spread: 2, beta: 0.3, shades });
  window.Worker = class {
    step = -10;
    postMessage() {
      this.step += 10;
      const level = this.step / 600;
      const heads = [0.1, 0.1, level, 0].map(head);
      const data = { step: this.step, loss: 3 - 3 * level, accuracy: level, heads };
      setTimeout(() => this.onmessage({ data }), window.wait);
    }
    terminate() { window.ended += 1; }
  };
}"""
DONE = "document.querySelector('.ws-train').textContent === 'Train again'"
