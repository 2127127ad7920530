"""Every public function of `lib` that computes, with arguments that fit: for questions that are asked of all."""

import contextlib
import inspect
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from maps import NAMES, TAKE_A_PRIOR
from optional_torch import ALONE

import lib


class Call(NamedTuple):
    """A function with arguments by name, and what some of the questions need to know of it."""

    function: Callable
    floats: dict  # its arrays of floats, in NumPy
    rest: dict = {}  # all other arguments: masks, integers, names  # noqa: RUF012
    decide: tuple = ()  # the arrays whose widest dtype is that of the result; the first one unless it is said
    size: float = 1.0  # how many times the bound for weights a result may be off

    def __call__(self, make=np.asarray, **others):
        """The results as a tuple, from arrays as `make` makes them of NumPy's."""
        given = (self.arguments | others).items()
        made = {name: make(x) if isinstance(x, np.ndarray) else x for name, x in given}
        results = self.function(**made)
        return results if isinstance(results, tuple) else (results,)

    @property
    def paths(self):
        """Those that any arrays can take."""
        by_a_kernel = (
            not ALONE and self.rest.get("weights") in ("sparsemax", "entmax") and "alpha" not in self.floats
        )
        return ("auto", "blocks", "readable", *["fused"] * by_a_kernel) if self.takes("path") else (None,)

    def by(self, path):
        return self if path is None else self._replace(rest=self.rest | {"path": path})

    @property
    def arguments(self):
        return self.floats | self.rest

    @property
    def arrays(self):
        """All of its arrays, masks too."""
        return {name: x for name, x in self.arguments.items() if isinstance(x, np.ndarray)}

    def takes(self, name):
        return name in inspect.signature(self.function).parameters

    def without(self, *names):
        return self._replace(floats={name: x for name, x in self.floats.items() if name not in names})


@contextlib.contextmanager
def named(*what):
    """A failure within says of what it is."""
    try:
        yield
    except BaseException as error:
        error.add_note("of " + ", ".join(map(str, what)))
        raise


def merge_attention(first, second, first_lse, second_lse):
    return lib.merge_attention([first, second], [first_lse, second_lse])


def calls(lead=(5,), n=7, seed=0):
    """The calls by name. `lead` are the axes before the n entries of those that take rows."""
    rng, rows = np.random.default_rng(seed), (*lead, n)
    scores, grad = 2 * rng.normal(size=(2, *rows))
    prior, where = rng.uniform(0.1, 1, size=n), rng.random(rows) < 0.7
    where[..., :1] = True
    p, q = rng.uniform(0.01, 1, size=(2, *rows))
    p, q = p / p.sum(-1, keepdims=True), q / q.sum(-1, keepdims=True)
    each = (*lead, 1)
    beta = np.resize([0.7, -1.3, 1.0, 2.0, 0.01], each)
    alpha = np.resize([1.0, 1.2, 1.5, 2.0, 2.5], each)
    dense, seen = {"scores": scores, "beta": beta}, {"where": where}
    sparse = dense | {"prior": prior}
    slope = {"weights": p, "grad": grad, "beta": beta}
    of_rows = {
        "softmax": Call(lib.softmax, sparse, seen),
        "log_softmax": Call(lib.log_softmax, sparse, seen, size=10),
        "log_partition": Call(lib.log_partition, sparse, seen, size=10),
        "sparsemax": Call(lib.sparsemax, sparse, seen),
        "entmax": Call(lib.entmax, sparse | {"alpha": alpha}, seen),
        "entmax at 1.3": Call(lib.entmax, sparse, seen | {"alpha": 1.3}),
        "entmax at 1.5": Call(lib.entmax, dense, seen),
        "relu_norm": Call(lib.relu_norm, dense, seen),
        "sigmoid_weights": Call(lib.sigmoid_weights, dense | {"bias": prior}, seen),
        "softmax_plus_one": Call(lib.softmax_plus_one, dense | {"sink": beta[::-1] - 1}, seen),
        "entropy": Call(lib.entropy, {"p": p}),
        "effective_count": Call(lib.effective_count, {"p": p}, size=n),
        "kl_divergence": Call(lib.kl_divergence, {"p": p, "q": q}, decide=("p", "q")),
        "objective": Call(lib.objective, {"p": p} | sparse, decide=("p", "scores"), size=200),
        "beta_for_kl": Call(lib.beta_for_kl, {"scores": scores, "epsilon": p[..., -1], "prior": prior}, seen),
        "softmax_jacobian": Call(lib.softmax_jacobian, {"weights": p, "beta": beta}),
        "softmax_vjp": Call(lib.softmax_vjp, slope, decide=("weights", "grad"), size=8),
        "sparsemax_vjp": Call(lib.sparsemax_vjp, slope, decide=("weights", "grad"), size=8),
        "entmax_vjp": Call(lib.entmax_vjp, slope | {"alpha": alpha}, decide=("weights", "grad"), size=8),
    }  # fmt: skip
    return of_rows


def attention_calls(heads=3, shared=3, seed=0):
    """Those of attention: 5 queries, 7 keys, of width 2, values of width 11, masks and all."""
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(2, *shape)) for shape in ((heads, 5, 2), (shared, 7, 2), (shared, 7, 11)))
    floats = {"q": q, "k": k, "v": v, "beta": rng.uniform(0.5, 1.5, size=(heads, 1, 1))}
    log_prior = {"log_prior": rng.normal(size=(5, 7))}
    seen = {"causal": True, "lengths": np.array([5, 3]), "offset": np.array([2, -1])}
    where = {"where": rng.random((5, 7)) < 0.8}
    found = {}
    for name in NAMES:
        prior = log_prior if name in TAKE_A_PRIOR else {}
        found[f"attention by {name}"] = Call(lib.attention, floats | prior, seen | where | {"weights": name})
    found["attention by entmax, an alpha for each head"] = Call(
        lib.attention, floats | {"alpha": np.resize([1.0, 1.3, 2.0], (heads, 1, 1))}, seen | {"weights": "entmax"}
    )
    sinks = {"sink": rng.normal(size=(heads, 1, 1))}
    found["attention by softmax_plus_one, a sink for each head"] = Call(
        lib.attention, floats | sinks, seen | where | {"weights": "softmax_plus_one"}
    )
    found["attention_with_lse"] = Call(lib.attention_with_lse, floats | log_prior, seen | where)
    lse = rng.normal(size=(2, heads, 5))
    of_sets = {"first": 3 * q, "second": q, "first_lse": lse, "second_lse": lse[::-1].copy()}
    weights = rng.dirichlet(np.ones(7), size=(2, heads, 5))
    found |= {
        "merge_attention": Call(merge_attention, of_sets),
        "linear_attention": Call(
            lib.linear_attention, {"q": q, "k": k, "v": v}, {"causal": True, "where": rng.random(7) < 0.7}
        ),
        "attention_distance": Call(lib.attention_distance, {"weights": weights}, {"offset": np.array([1, 4])}),
    }
    decide = {"q": ("q", "k", "v"), "first": ("first", "second"), "weights": ()}
    return {name: call._replace(decide=decide[next(iter(call.floats))], size=8) for name, call in found.items()}


CALLS = calls() | attention_calls()
