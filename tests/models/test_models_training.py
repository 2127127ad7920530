"""Training: what was done is kept, whatever ends it, and goes on to the same bits; and the bar."""

import io
import math
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, replace

import pytest
import torch
from calls import named

from book.models import progress, training
from book.models.progress import Bar
from book.models.tasks import Batch, Repeated, Task
from book.models.training import train
from book.models.transformer import Config, Transformer

TASK = Repeated(symbols=5, room=11, prefix=2, periods=(2, 3))
CONFIG = Config(symbols=5, room=11, width=6, heads=2, layers=1, mlp=7, learn_beta=True)
SETTINGS = {"steps": 19, "seed": 3, "batch": 7, "warm_up": 5, "cool_down": 4, "every": 3}


def run(file=None, task=TASK, **changes):
    """A model, trained, and its losses."""
    model = Transformer(CONFIG, seed=1)
    return model, train(model, task, file=file, **SETTINGS | changes)


@pytest.fixture(scope="module")
def whole():
    """What a run gives that nobody disturbs."""
    return run()


def goes_on_to(whole, file):
    """The run that left `file` goes on from there, and ends as one that was never broken off."""
    model, losses = run(file)
    assert losses == whole[1]
    for name, parameter in whole[0].state_dict().items():
        assert torch.equal(model.state_dict()[name], parameter), name


def kept(file):
    return len(torch.load(file, weights_only=True)["losses"])


class BrokenError(Exception):
    pass


def at_batch(monkeypatch, number, what):
    """Have `what` happen when that batch is drawn, counted from 1."""
    real, drawn = Repeated.batch, []

    def batch(self, size, generator):
        drawn.append(size)
        if len(drawn) == number:
            what()
        return real(self, size, generator)

    monkeypatch.setattr(Repeated, "batch", batch)


def at_save(monkeypatch, number, what):
    """Have `what` happen to the file when the state is kept for that time, counted from 1."""
    real, saved = torch.save, []

    def save(state, opened):
        saved.append(state)
        if len(saved) == number:
            what(opened)
        real(state, opened)

    monkeypatch.setattr(torch, "save", save)


def broken(*_):
    raise BrokenError


def half_written(opened):
    opened.write(b"half of one")
    raise BrokenError


def ctrl_c(*_):
    signal.raise_signal(signal.SIGINT)


def ctrl_c_twice():
    ctrl_c()
    ctrl_c()
    pytest.fail("it did not come through")


@pytest.fixture
def as_in_python(monkeypatch):
    """Ctrl-C raises KeyboardInterrupt, as it does where no tool has taken it over."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("as_in_python")
@pytest.mark.parametrize(
    ("moment", "number", "what", "error", "steps"),
    [
        (at_batch, 9, broken, BrokenError, 6),
        (at_batch, 8, ctrl_c, KeyboardInterrupt, 8),  # it waits for the step, and keeps it
        (at_batch, 8, ctrl_c_twice, KeyboardInterrupt, 6),  # the second one does not wait
        (at_save, 2, ctrl_c, KeyboardInterrupt, 7),
        (at_save, 7, ctrl_c, KeyboardInterrupt, 19),
        (at_save, 3, half_written, BrokenError, 6),
    ],
)
def test_a_run_that_ends_early_goes_on_from_its_checkpoint_to_the_same_bits(
    whole, tmp_path, monkeypatch, moment, number, what, error, steps
):
    file = tmp_path / "run.pt"
    moment(monkeypatch, number, what)
    with pytest.raises(error):
        run(file)
    assert kept(file) == steps
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    goes_on_to(whole, file)
    assert [path.name for path in tmp_path.iterdir()] == ["run.pt"]
    monkeypatch.undo()
    at_batch(monkeypatch, 1, broken)
    assert len(run(file)[1]) == 19, "no batch is drawn: all of it was there"


def test_where_others_handle_ctrl_c_they_still_do(monkeypatch):
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        at_batch(monkeypatch, 4, ctrl_c)
        assert len(run()[1]) == 19
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


CHILD = f"""
import sys
from book.models.tasks import Repeated
from book.models.training import train
from book.models.transformer import Config, Transformer

real, steps = Repeated.batch, []

def batch(self, size, generator):
    steps.append(size)
    if len(steps) == 8:
        print("at the eighth", flush=True)
        sys.stdin.readline()
    return real(self, size, generator)

Repeated.batch = batch
train(Transformer({CONFIG!r}, seed=1), {TASK!r}, file=sys.argv[1], **{SETTINGS!r})
"""


def test_a_process_that_is_killed_loses_nothing(whole, tmp_path):
    file = tmp_path / "run.pt"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", CHILD, str(file)], **pipes) as child:
        assert child.stdout.readline() == "at the eighth\n", child.stderr.read()
        child.kill()
        _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (-signal.SIGKILL, "")
    assert kept(file) == 6
    goes_on_to(whole, file)


def test_the_checkpoint_of_another_run_or_model_is_refused(tmp_path):
    file = tmp_path / "run.pt"
    run(file, steps=3)
    other_task = Repeated(symbols=5, room=11, prefix=3, periods=(2, 3))
    others = {"steps": 23, "seed": 4, "batch": 5, "rate": 0.1, "decay": 0.0, "warm_up": 0, "task": other_task}
    for name, value in others.items():
        with named(name), pytest.raises(ValueError, match=r"run\.pt is from another run; remove it"):
            run(file, **{"steps": 3} | {name: value})
    other = Transformer(replace(CONFIG, learn_beta=False))
    with pytest.raises(ValueError, match="from another run"):
        train(other, TASK, file=file, **SETTINGS | {"steps": 3})


@pytest.mark.parametrize("junk", [b"", {"model": 1}], ids=str)
def test_what_is_no_checkpoint_is_refused(tmp_path, junk):
    file = tmp_path / "run.pt"
    file.write_bytes(junk) if isinstance(junk, bytes) else torch.save(junk, file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"run\.pt is not a checkpoint of `train`"):
        run(file)
    assert file.read_bytes() == before


def test_a_run_that_makes_no_sense_is_refused():
    for changes in ({"steps": -1}, {"batch": 0}, {"every": 0}, {"rate": 0.0}, {"rate": math.nan}, {"decay": -1}):
        (name,) = changes
        with pytest.raises(ValueError, match=name):
            run(**changes)


def test_what_a_run_is_made_from_reads_the_same_in_every_process():
    text = training.described(training.train, Config(symbols=3, room=2, weights=torch.softmax), (1, 0.5))
    assert "0x" not in text
    assert "(1, 0.5)" in text


class Spy(torch.optim.AdamW):
    """Notes the rate and the length of the gradient at each step."""

    def __init__(self, groups, **options):
        super().__init__(groups, **options)
        Spy.rates, Spy.lengths = [], []
        Spy.decays = {p.ndim: group["weight_decay"] for group in self.param_groups for p in group["params"]}

    def step(self, closure=None):
        grads = [p.grad for group in self.param_groups for p in group["params"]]
        Spy.rates.append(self.param_groups[0]["lr"])
        Spy.lengths.append(torch.stack([grad.norm() for grad in grads]).norm().item())
        return super().step(closure)


def test_the_rate_rises_stays_and_falls_and_gradients_are_clipped(monkeypatch):
    monkeypatch.setattr(torch.optim, "AdamW", Spy)
    run(steps=11, rate=0.4, warm_up=4, cool_down=2, clip=0.01, decay=0.3)
    assert pytest.approx([0.1, 0.2, 0.3, *[0.4] * 7, 0.2]) == Spy.rates
    assert max(Spy.lengths) == pytest.approx(0.01, rel=1e-3)
    assert Spy.decays == {2: 0.3, 1: 0.0}, "a learned β does not decay"
    run(steps=2, rate=0.4, warm_up=0, cool_down=0)
    assert Spy.rates == [0.4, 0.4]


def test_the_seed_fixes_the_batches_and_nobody_elses_numbers_change(whole):
    state = torch.random.get_rng_state()
    assert run()[1] == whole[1]
    assert run(seed=4)[1] != whole[1]
    assert torch.equal(torch.random.get_rng_state(), state)


@dataclass(frozen=True)
class Next(Task):
    """After each token comes the one that follows it in the alphabet."""

    def batch(self, size, generator):
        tokens = torch.randint(5, (size, 11), generator=generator)
        return Batch(tokens, (tokens + 1) % 5, torch.ones_like(tokens, dtype=torch.bool))


@pytest.mark.parametrize("weights", ["softmax", "relu_norm", "softmax_plus_one"])
def test_it_learns(weights):
    model = Transformer(Config(symbols=5, room=11, width=12, heads=2, layers=1, weights=weights))
    losses = train(model, Next(), steps=120, batch=31, rate=0.02)
    assert losses[0] > math.log(5) / 2
    assert losses[-1] < 0.05
    assert Next().accuracy(model, Next().batch(31, torch.Generator())) == 1.0


# The bar.


class Terminal(io.StringIO):
    def __init__(self, tty=True):
        super().__init__()
        self.isatty = lambda: tty


@pytest.mark.parametrize(
    ("tty", "bar", "shown"), [(False, None, False), (True, None, True), (False, True, True), (True, False, False)]
)
def test_the_bar_is_on_a_terminal_or_where_it_is_asked_for(monkeypatch, tty, bar, shown):
    terminal = Terminal(tty)
    monkeypatch.setattr(sys, "stderr", terminal)
    run(bar=bar)
    text = terminal.getvalue()
    assert bool(text) == shown
    assert not shown or re.search(r"█{20} 19/19, 0 s left loss \d\.\d{3}", text)
    assert not shown or text.endswith("\r\x1b[K"), "the line is clean again"


def test_the_estimate_rests_on_what_was_done_since_the_start(monkeypatch):
    terminal, now = Terminal(), [100.0]
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    bar = Bar(100, done=90)
    now[0] += 0.05
    bar.step("early")
    assert terminal.getvalue() == "", "not more often than ten times a second"
    now[0] += 3.95
    bar.step("half a minute")  # 2 steps in 4 seconds, 8 to come
    assert terminal.getvalue() == "\r\x1b[K" + "█" * 18 + "░░ 92/100, 16 s left half a minute"
