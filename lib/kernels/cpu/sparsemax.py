"""Sparsemax, entmax with α = 2: wᵢ = [zᵢ − τ]₊, with τ such that the weights sum to 1."""

from lib.kernels.cpu.compile import PART, compiled, summing


@compiled
def threshold(z, tau):
    """τ, from a value not above it, exactly, as a sum of two: Michelot's algorithm.

    The excess over 1, shared among those above τ, moves τ up to where it belongs if they stay above it;
    none that has fallen below comes back. So once their number stays the same, τ is the answer.
    """
    before = len(z) + 1
    while True:
        total, count = _sums(z, tau)
        step = (total - 1.0) / count
        if count >= before:
            return tau, step
        tau, before = tau + step, count


@compiled
def _sums(z, tau):
    total, count = 0.0, 0
    for start in range(0, len(z), PART):
        more_total, more_count = _part(z[start : start + PART], tau)
        total += more_total
        count += more_count
    return total, count


@summing
def _part(z, tau):
    total, count = 0.0, 0
    for i in range(len(z)):
        total += max(z[i] - tau, 0.0)
        count += z[i] > tau
    return total, count
