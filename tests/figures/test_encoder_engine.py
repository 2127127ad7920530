"""The pretrained encoder in JavaScript: that of NumPy on the same weights, and near to the exact one."""

import math
import os
import random
from itertools import product

import numpy as np
import pytest
from encoder_made import IN_NODE, LETTERS, MAPS, MOST, real, run, small, values, weights_of
from encoder_texts import TEXTS
from in_node import SEED, ask

from book.models import encoder
from book.models import encoder_files as files

FILES = ["encoder_engine"]
CHANGES = [
    *({"map": name, "beta": beta} for name, beta in product(MAPS, [0, 0.25, 1, 4])),
    {"map": "entmax", "beta": 2.5, "scope": {"layer": 2, "head": 1}},
    {"map": "sigmoid_weights", "scope": {"layer": 1, "head": 2}},
    {"beta": 3, "scope": {"layer": 1}},
    {"off": True},
    {"map": "none"},
    {"off": True, "scope": {"layer": 2, "head": 2}},
    {"map": "none", "beta": 5, "scope": {"layer": 1, "head": 1}},
]


def under_node(of, texts, changes):
    """What JavaScript finds, text by text and within it change by change."""
    rows = [{"text": text, "change": change} for text in texts for change in changes]
    rows[0]["values"] = of
    return ask(IN_NODE.replace("COUNT", str(of["encoder/words"]["sizes"]["layers"])), rows, files=FILES)


def assert_equal(found, expected):
    """Weights to 1e-6, the vector to 1e-5, scores to what float32 holds of them."""
    for mine, theirs in zip(found["layers"], expected["layers"], strict=True):
        shape = theirs["scores"].shape
        np.testing.assert_allclose(np.reshape(mine["weights"], shape), theirs["weights"], rtol=0, atol=1e-6)
        np.testing.assert_allclose(np.reshape(mine["scores"], shape), theirs["scores"], rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(found["vector"], expected["vector"], rtol=0, atol=1e-5)


def test_a_small_encoder_is_that_of_numpy_whatever_is_changed():
    of = values(small())
    weights = weights_of(of)
    texts = ["", "a", "abc de", "whoever asks, and why", "z" * 80]
    found = iter(under_node(of, texts, CHANGES))
    own = {}
    for text in texts:
        for change in CHANGES:
            one = next(found)
            assert_equal(one, run(one["ids"], weights, change))
            own.setdefault(text, []).append(one["vector"])
    assert one["cut"]
    assert len(one["ids"]) == MOST
    seen = np.round(own["abc de"], 4)
    alike = 2 + 2 + 2  # β = 0 with three maps; ReLU at three β > 0; at β = 0 it is the same as off, and as none
    assert len(np.unique(seen, axis=0)) == len(CHANGES) - alike


@pytest.mark.parametrize(("heads", "layers", "inner"), [(4, 3, 64), (6, 1, 192)])
def test_its_sizes_are_those_of_the_files(heads, layers, inner):
    of = values(small(layers, heads, inner, words=130))
    (found,) = under_node(of, ["some words"], [{}])
    assert_equal(found, run(found["ids"], weights_of(of), {}))


def test_the_bend_is_exact_to_nine_digits():
    xs = np.concatenate([np.linspace(-9, 9, 4001), [-math.inf, -40, 40, 1e-9, -1e-9]])
    found = ask("((gelu) => (x) => gelu(x))(geluTable())", xs.tolist(), files=FILES)
    exact = [0 if x < -30 else x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in xs]
    np.testing.assert_allclose(np.array(found, float), exact, rtol=0, atol=1e-9)


# --- the real one ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    """The real files, the weights that they hold, and the exact ones."""
    of = real()
    exact = {name: array.astype(float) for name, array in of.weights.items()}
    kept = values(of)
    return kept, weights_of(kept), exact


def test_eight_bits_keep_the_vectors_of_sentences_and_what_heads_look_at(model):
    kept, weights, exact = model
    assert len(set(TEXTS)) == 60
    found = under_node(kept, TEXTS, [{}])
    lengths = {len(one["ids"]) for one in found}
    assert (min(lengths), max(lengths) >= 58) == (3, True)
    assert not any(one["cut"] for one in found)
    cosines, off = [], []
    for one in found:
        assert_equal(one, run(one["ids"], weights, {}))
        true = run(one["ids"], exact, {})
        cosines.append(float(np.dot(one["vector"], true["vector"])))
        layers = zip(one["layers"], true["layers"], strict=True)
        off += [np.abs(np.ravel(mine["weights"]) - np.ravel(theirs["weights"])).mean() for mine, theirs in layers]
    assert min(cosines) >= 0.999
    assert max(off) < 0.005


REAL_CHANGES = [
    *({"map": name, "beta": beta} for name, beta in [("entmax", 1), ("sparsemax", 1), ("relu_norm", 1)]),
    {"map": "sigmoid_weights"},
    {"beta": 0},
    {"beta": 2.5},
    {"map": "sparsemax", "beta": 0.35, "scope": {"layer": 4, "head": 2}},
    {"off": True, "scope": {"layer": 6, "head": 12}},
    {"map": "none"},
]


def test_the_real_encoder_is_that_of_numpy_with_other_maps_too(model):
    kept, weights, _ = model
    texts = TEXTS[3:45:14]
    found = iter(under_node(kept, texts, REAL_CHANGES))
    for _ in texts:
        for change in REAL_CHANGES:
            one = next(found)
            assert_equal(one, run(one["ids"], weights, change))


# --- its tokens ------------------------------------------------------------------------------------

TOKENS = """((split) => (row) => {
  if (row.words) return void (split = wordPieces(row.words, row.most));
  return split(row.text);
})()"""
SCRAPS = [
    *"Ärger naïve café Łódź ǅ İstanbul ΣΊΣΥΦΟΣ ὈΔΥΣΣΕΎΣ Straße ﬁn ½ x² ① Ⅷ Å e\u0301 a\u0300\u0323 ñ".split(),
    *"😂 👩‍👩‍👧 🇫🇷 ❤️ ✓ → € £5 ¿qué? «oui» „ja“ … — – ‘a’ “b” § © ™ _x_ a_b $x$ `y` ~ ^ | < > = +".split(),
    *"中文 汉字かな カタカナ 한국어 한글 العربية עברית हिन्दी ไทย ਪੰਜਾਬੀ தமிழ் 𠀀𠀁 豈 㐀 𝒳 𝟘".split(),
    *"don't it's U.S.A. e-mail http://a.b/c?d=e f@g.h #tag @me 3.14 1,000 12:30 100% C++ x=y; a/b".split(),
    *[
        "[MASK]",
        "[CLS]",
        "[mask]",
        "a[SEP]b",
        "[UNK]",
        "[PAD] x",
        "[ MASK ]",
        "##ing",
        "##",
        "a\u00adb",
        "a\u200bb",
    ],
    *[
        "a\u200db",
        "\ufeffa",
        "a\u00a0b",
        "a\u3000b",
        "a\u2028b",
        "a\u0085b",
        "a\tb",
        "a\nb",
        "a\rb",
        "a\x00b",
        "a\x07b",
    ],
    *["a\x0bb", "a\x0cb", "a\x1cb", "\ufffdx", "w" * 100, "w" * 101, "é" * 100, "é" * 101, "\ue000p", "a\u2060b"],
    *["a\u180eb", "\u1680", "\u202fz", "a\u205fb", "\u0345", "ͅa", "ﷺ", "a\u0301\u0301", "Ǆ", "ẞ", "K", "Ω", "ŉ"],
]


def made_up(count, words):
    """Sentences of words of the vocabulary, of pieces glued to each other, and of scraps."""
    draw = random.Random(SEED)

    def part():
        kind = draw.random()
        if kind < 0.45:
            word = draw.choice(words).removeprefix("##")
            return draw.choice([word, word.upper(), word.capitalize()])
        if kind < 0.6:
            return "".join(draw.choice(words).removeprefix("##") for _ in range(draw.randint(2, 3)))
        if kind < 0.85:
            return draw.choice(SCRAPS)
        if kind < 0.95:
            return "".join(draw.choice(LETTERS + "àéîõüçñ.,'-") for _ in range(draw.randint(1, 12)))
        return "".join(draw.choice(SCRAPS) for _ in range(2))

    space = lambda: draw.choice([" ", " ", " ", " ", "  ", "", "\t"])  # noqa: E731
    return ["".join(part() + space() for _ in range(draw.randint(0, 14))) for _ in range(count)]


@pytest.fixture(scope="module")
def tokenizer():
    real()
    if os.environ.get("CI") != "true":
        pytest.importorskip("tokenizers")
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(files.folder() / "tokenizer.json"))
    found.no_padding()
    found.enable_truncation(MOST)
    return found


def split(texts):
    first = {"words": "\n".join(files.files().words), "most": MOST}
    return ask(TOKENS, [first, *({"text": text} for text in texts)], files=FILES)[1:]


def test_tokens_are_those_of_its_own_tokenizer(tokenizer):
    texts = [*TEXTS, *SCRAPS, *made_up(4000, files.files().words)]
    every = split(texts)
    for text, found in zip(texts, every, strict=True):
        expected = tokenizer.encode(text)
        assert (found["tokens"], found["ids"]) == (expected.tokens, expected.ids), ascii(text)
        assert found["cut"] == bool(expected.overflowing), ascii(text)
    assert 20 < sum(found["cut"] for found in every) < 1000


def test_every_sign_becomes_what_its_own_tokenizer_makes_of_it(tokenizer):
    """But for some hundred that are younger than that tokenizer's tables, or that JavaScript knows better."""
    signs = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    texts = ["".join(f"a{sign}b " for sign in signs[k : k + 20]) for k in range(0, len(signs), 20)]
    texts = [text for text in texts if not text.isascii()]
    some = [*texts[:3000], *texts[3000::40]]  # all of the first planes, and some of what follows
    pairs = zip(tokenizer.encode_batch(some), split(some), strict=True)
    assert sum(expected.ids != found["ids"] for expected, found in pairs) <= 60


def test_the_encoder_that_is_loaded_has_the_tokens_and_cosines_of_its_authors(tokenizer):
    found = encoder.load(files.folder())
    assert found.sha256.startswith("53aa5117")
    assert found.tokens("Sing, goddess!") == ["[CLS]", "sing", ",", "goddess", "!", "[SEP]"]
