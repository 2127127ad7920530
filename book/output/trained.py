"""What the committed runs of `book.models.two_softmaxes` found: a second softmax, and what it does to training."""

from functools import cache

import numpy as np

from book.models.results import results, select
from book.models.two_softmaxes import AFTER, RATES, TASKS

FEW, WRONG, MANY = TASKS  # ten classes, ten with wrong labels, three hundred


@cache
def found():
    """The file of the experiment."""
    return results("two_softmaxes")


def right(task, optimiser, softmaxes, rate, after=AFTER[-1]):
    """The share of new points that a network names after so many steps: (seeds,)."""
    classes, _, wrong = task
    setting = {"classes": classes, "wrong": wrong, "optimiser": optimiser, "rate": rate, "softmaxes": softmaxes}
    return np.array([run["right"][AFTER.index(after)] for run in select(found(), **setting)])


def at_best(task, optimiser, softmaxes, after=AFTER[-1]):
    """The same at the rate that is best for this number of softmaxes, by the median of the seeds: (seeds,)."""
    return max((right(task, optimiser, softmaxes, rate, after) for rate in RATES[optimiser]), key=np.median)


def cost(task, optimiser, after=AFTER[-1]):
    """What a second softmax costs, each at its best rate: the median share with one, less that with two."""
    one, two = (np.median(at_best(task, optimiser, count, after)) for count in (1, 2))
    return one - two
