"""What hypothesis draws for the maps: rows of scores, priors beside them, and β.

Sizes are primes, so that no axis is mistaken for another; tenths make ties likely.
"""

from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

sizes = st.sampled_from([2, 3, 5, 7])
numbers = st.integers(-80, 80).map(lambda k: k / 10)
positive = st.integers(1, 60).map(lambda k: k / 20)
betas = st.integers(-60, 60).map(lambda k: k / 20)
rows = st.sampled_from([1, 2, 3, 5, 7]).flatmap(lambda n: hnp.arrays(float, n, elements=numbers))
pairs = sizes.flatmap(  # scores and a prior
    lambda n: st.tuples(
        hnp.arrays(float, n, elements=numbers),
        hnp.arrays(float, n, elements=st.integers(1, 30).map(lambda k: k / 10)),
    )
)
