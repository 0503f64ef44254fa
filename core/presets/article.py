"""The article's two examples: its random numbers, and its sentence with its scores."""

from collections.abc import Mapping

import numpy as np

from core.experiment import Experiment
from core.presets.handbuilt import Head, weights, word_vectors

SEED = 42
N, D_MODEL, D_K = 4, 8, 4


def numbers(width: int = D_K) -> Experiment:
    """4 tokens, d_model 8, d_k 4, one head, from NumPy's legacy generator with seed 42.

    The order of the draws is X, W_Q, W_K, W_V, all N(0, 1).
    """
    rng = np.random.RandomState(SEED)
    x = rng.randn(N, D_MODEL)
    w_q, w_k, w_v = (rng.randn(D_MODEL, width) for _ in range(3))
    return Experiment(
        tokens=("a", "b", "c", "d"),
        token_vectors=x,
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        preset="article-numbers",
        seed=SEED,
    )


DIMENSIONS = ("animate", "place", "state", "pronoun", "verb", "noun", "degree", "function")
DIMENSIONS_ZH = ("生命", "地点", "状态", "代词", "动词", "名词", "程度", "虚词")

# The pronoun writes 3.2, 1.8 and 0.4 into the slots of animate, state and place; a key puts 2
# into its own slot, and √d_k = 2 takes it out again: the scaled scores are these very numbers.
# Slot 3 is where verbs, degrees and function words say "not me".
HEAD = Head(
    asks=[
        ("pronoun", 0, 3.2), ("pronoun", 1, 1.8), ("pronoun", 2, 0.4), ("pronoun", 3, 1.0),
        ("verb", 0, 2.5), ("verb", 2, 1.5),
        ("state", 0, 2.0), ("state", 1, 0.5),
        ("degree", 1, 2.0),
        ("noun", 0, 0.5), ("noun", 2, 0.5), ("noun", 3, 0.5),
    ],
    announces=[
        ("animate", 0, 2.0), ("state", 1, 2.0), ("place", 2, 2.0),
        ("verb", 3, -0.8), ("degree", 3, -1.6), ("function", 3, -2.4),
    ],
    hands_over=["animate", "state", "place", "noun"],
)  # fmt: skip

# Where the article's three words and its pronoun stand.
IT, ANIMAL, STREET, TIRED = 7, 1, 5, 10
TOKENS_EN = (
    "The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too", "tired",
)  # fmt: skip
IT_ZH, ANIMAL_ZH, STREET_ZH, TIRED_ZH = 7, 1, 4, 9
TOKENS_ZH = ("那只", "动物", "没有", "过", "马路", "，", "因为", "它", "太", "累", "了")

VOCABULARY_EN: dict[str, Mapping[str, float]] = {
    "animal": {"animate": 1, "noun": 1},
    "street": {"place": 1, "noun": 1},
    "tired": {"state": 1},
    "wide": {"state": 1},
    "it": {"pronoun": 1},
    "cross": {"verb": 1},
    "was": {"verb": 0.5, "function": 0.5},
    "didn't": {"function": 1, "verb": 0.5},
    "too": {"degree": 1},
    "the": {"function": 1},
    "because": {"function": 1},
}
_TRANSLATION = dict(zip(DIMENSIONS, DIMENSIONS_ZH, strict=True))
VOCABULARY_ZH: dict[str, Mapping[str, float]] = {
    word: {_TRANSLATION[name]: number for name, number in VOCABULARY_EN[same].items()}
    for word, same in {
        "动物": "animal", "马路": "street", "累": "tired", "宽": "wide", "它": "it", "过": "cross",
        "没有": "didn't", "太": "too", "那只": "the", "因为": "because", "，": "the", "了": "the",
    }.items()
}  # fmt: skip


def sentence_english() -> Experiment:
    """ "The animal didn't cross the street because it was too tired"."""
    return _sentence("article-sentence-en", TOKENS_EN, DIMENSIONS, VOCABULARY_EN, "reference")


def sentence_chinese() -> Experiment:
    """The same roles in Chinese, with the same weights."""
    return _sentence("article-sentence-zh", TOKENS_ZH, DIMENSIONS_ZH, VOCABULARY_ZH, "指代")


def _sentence(
    name: str,
    tokens: tuple[str, ...],
    dimensions: tuple[str, ...],
    vocabulary: Mapping[str, Mapping[str, float]],
    head_name: str,
) -> Experiment:
    w_q, w_k, w_v, w_o = weights([HEAD], DIMENSIONS, D_K)
    return Experiment(
        tokens=tokens,
        token_vectors=word_vectors(tokens, dimensions, vocabulary),
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=w_o,
        dimension_names=dimensions,
        head_names=(head_name,),
        preset=name,
    )
