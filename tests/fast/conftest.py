"""What the tests of the quicker ways share: a record of all calls of torch's kernel."""

from typing import Any, NamedTuple

import pytest


class Call(NamedTuple):
    """What torch's kernel was given once, and what it gave."""

    q: Any
    k: Any
    v: Any
    mask: Any
    options: dict
    output: Any

    @property
    def causal(self):
        return self.options.get("is_causal", False)

    @property
    def sizes(self):
        """The numbers of queries and keys."""
        return self.q.shape[2], self.k.shape[2]


@pytest.fixture
def kernel(monkeypatch):
    """Every call of torch's kernel during a test."""
    from torch.nn.functional import scaled_dot_product_attention

    from lib.fast import sdpa_run

    seen = []

    def spy(q, k, v, mask=None, **options):
        seen.append(Call(q, k, v, mask, options, scaled_dot_product_attention(q, k, v, mask, **options)))
        return seen[-1].output

    monkeypatch.setattr(sdpa_run, "scaled_dot_product_attention", spy)
    return seen
