"""What five ways to attention cost one head, counted: products, bytes moved, bytes held.

There are n tokens, each with a key and a value of width d. Either all of them ask, or one new token does, whose
key and value are among the n. Numbers are float32, 4 bytes each.
"""

WINDOW = 256  # tokens: how far a query looks back where attention has a window
ITEM = 4  # bytes of a number
TOKENS = tuple(2**k for k in range(6, 21))  # for which the figure has a place
WIDTHS = (16, 32, 64, 128, 256)
ASKS = ("all", "one")


def pairs(n, asks):
    """How many pairs of a query and a key have a score: if each is scored, if none is later, in a window."""
    if asks == "one":
        return n, n, min(n, WINDOW)
    reach = min(n, WINDOW)
    return n * n, n * (n + 1) // 2, n * reach - reach * (reach - 1) // 2


def counts(n, d, asks="all"):
    """For each way (products, bytes moved, bytes held).

    Products are multiplications, of queries with keys and of weights with values. Moved is what has to pass
    between main memory and processor even if nothing passes twice; held is what lies in memory at once,
    queries, keys, values and outputs included.
    """
    n_q = n if asks == "all" else 1
    every, causal, near = pairs(n, asks)
    asked, cache = 2 * n_q * d, 2 * n * d  # numbers: queries and outputs; keys and values
    seen = cache if asks == "all" else 2 * min(n, WINDOW) * d  # what a window leaves of them
    running = 2 * n_q  # of each query the largest score so far and a sum
    state = d * (d + 1)  # numbers of the two sums of linear attention: a table, and the sum of the keys
    joined = d * d + state  # products of a token: to join the table, and to ask both
    if asks == "all":
        linear = n * joined, asked + cache, asked + cache + state
    else:  # the new token joins the sums before it asks
        linear = joined, asked + 2 * d + 2 * state, asked + 2 * d + state
    numbers = {
        "scores stored": (2 * d * every, asked + cache + 4 * every, asked + cache + 2 * every),
        "fused": (2 * d * every, asked + cache, asked + cache + running),
        "later hidden": (2 * d * causal, asked + cache, asked + cache + running),
        f"window of {WINDOW}": (2 * d * near, asked + seen, asked + seen + running),
        "linear": linear,
    }
    return {way: (products, ITEM * moved, ITEM * held) for way, (products, moved, held) in numbers.items()}
