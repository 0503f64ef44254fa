"""Presets: experiments that exist before anybody has done anything. A preset is data.

``PRESETS`` names them all; ``build`` makes one. "random" keeps whatever tokens it is given.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from core.arrays import Array
from core.draw import weight_matrix, word_vector
from core.errors import Refusal, mark, mark_n
from core.experiment import MAX_WIDTH, Experiment
from core.presets import apple, article, library, relations
from core.presets.handbuilt import Pair, word_vectors

RANDOM = "random"
RANDOM_D_MODEL, RANDOM_HEADS = 16, 4

_BUILDERS: dict[str, Callable[[], Experiment]] = {
    "relations-en": relations.english,
    "relations-zh": relations.chinese,
    "article-sentence-en": article.sentence_english,
    "article-sentence-zh": article.sentence_chinese,
    "library-en": library.english,
    "library-zh": library.chinese,
    **{name: partial(apple.build, name) for name in apple.SENTENCES},
    "article-numbers": article.numbers,
}
Vocabulary = Mapping[str, Mapping[str, float]]
_VOCABULARIES: dict[str, tuple[tuple[str, ...], Vocabulary]] = {
    "relations-en": (relations.DIMENSIONS, relations.VOCABULARY_EN),
    "relations-zh": (relations.DIMENSIONS_ZH, relations.VOCABULARY_ZH),
    "article-sentence-en": (article.DIMENSIONS, article.VOCABULARY_EN),
    "article-sentence-zh": (article.DIMENSIONS_ZH, article.VOCABULARY_ZH),
    # A word has no place in a library: new ones get zeros.
    "library-en": ((*library.LABELS, *library.CONTENTS), {}),
    "library-zh": ((*library.LABELS_ZH, *library.CONTENTS_ZH), {}),
    **{name: (apple.dimensions(name), apple.vocabulary(name)) for name in apple.SENTENCES},
}
_PAIRS = {"relations-en": relations.PAIRS_EN, "relations-zh": relations.PAIRS_ZH}
PRESETS = (*_BUILDERS, RANDOM)


def build(name: str) -> Experiment:
    """Make the preset of this name.

    Raises
    ------
    KeyError
        If there is no such preset.
    """
    if name == RANDOM:
        return random(relations.TOKENS_EN)
    return _BUILDERS[name]()


def random(
    tokens: tuple[str, ...],
    *,
    seed: int = 0,
    d_model: int = RANDOM_D_MODEL,
    num_heads: int = RANDOM_HEADS,
    d_k: int | None = None,
) -> Experiment:
    """Draw everything at random for these tokens: vectors N(0, 1), weights N(0, 1/d_model).

    Parameters
    ----------
    d_k : int, optional
        Width of one head (d_v is the same); d_model / num_heads, at least 1, when none is given.
    """
    d_k = max(1, d_model // num_heads) if d_k is None else d_k
    width = num_heads * d_k
    return Experiment(
        tokens=tokens,
        token_vectors=np.array([word_vector(token, d_model, seed) for token in tokens]),
        w_q=weight_matrix("w_q", d_model, width, seed),
        w_k=weight_matrix("w_k", d_model, width, seed),
        w_v=weight_matrix("w_v", d_model, width, seed),
        w_o=weight_matrix("w_o", width, d_model, seed),
        num_heads=num_heads,
        preset=RANDOM,
        seed=seed,
    )


def is_drawn(experiment: Experiment) -> bool:
    """Tell whether a rule drew the weights, so that W_Q and W_K can be drawn at another width."""
    if experiment.preset == "article-numbers":
        return experiment.d_model == article.D_MODEL
    return experiment.preset == RANDOM


def with_d_k(experiment: Experiment, d_k: int) -> Experiment:
    """Draw W_Q and W_K anew, d_k wide in each head, by the rule and seed that drew them before.

    All else stays, the widths of the values too; biases of the queries and keys are dropped.

    Raises
    ------
    Refusal
        If the weights were not drawn by a rule, or the width does not fit.
    """
    if not is_drawn(experiment):
        raise Refusal(mark("These weights were not drawn by a rule, so d_k cannot be changed."))
    check_d_k(d_k, experiment.num_heads)
    width = experiment.num_heads * d_k
    if experiment.preset == RANDOM:
        w_q, w_k = (
            weight_matrix(name, experiment.d_model, width, experiment.seed)
            for name in ("w_q", "w_k")
        )
    else:
        drawn = article.numbers(width)
        w_q, w_k = drawn.w_q, drawn.w_k
    return experiment.with_(w_q=w_q, w_k=w_k, b_q=None, b_k=None)


def check_d_k(d_k: int, num_heads: int) -> None:
    """Refuse a width of one head that is too small, or too large for so many heads."""
    if not 0 < num_heads * d_k <= MAX_WIDTH:
        raise Refusal(
            mark_n(
                "d_k is {value}; with {count} head it can be 1 to {limit}.",
                "d_k is {value}; with {count} heads it can be 1 to {limit}.",
            ),
            value=d_k,
            count=num_heads,
            limit=MAX_WIDTH // num_heads,
        )


def head_names(preset: str, num_heads: int) -> tuple[str, ...]:
    """Names of the preset's heads when it has so many, else none."""
    if preset not in _BUILDERS:
        return ()
    built = build(preset)
    return built.head_names if built.num_heads == num_heads else ()


def right_pairs(experiment: Experiment) -> tuple[Pair, ...]:
    """Which key each head of the preset must find for which query.

    Empty where nobody said so: in another sentence, or with another number of heads.
    """
    pairs = _PAIRS.get(experiment.preset, ())
    if not pairs:
        return ()
    built = build(experiment.preset)
    same = experiment.tokens == built.tokens and experiment.num_heads == built.num_heads
    return pairs if same else ()


def unknown_words(experiment: Experiment) -> tuple[str, ...]:
    """Words of the sentence that the preset's dictionary lacks and that are still all zeros."""
    return tuple(
        token
        for token, vector in zip(experiment.tokens, experiment.token_vectors, strict=True)
        if not knows(experiment, token) and not vector.any()
    )


def knows(experiment: Experiment, word: str) -> bool:
    """Tell whether the preset's dictionary has this word; random vectors exist for every word."""
    vocabulary = _vocabulary(experiment)
    return vocabulary is None or word.lower() in vocabulary


def vector_for(experiment: Experiment, word: str) -> Array:
    """The vector that a new word starts with: (d_model,).

    That of an equal word in the sentence; else the preset's dictionary, with zeros for a word
    that is not in it; else a random draw from the experiment's seed.
    """
    if word in experiment.tokens:
        equal: Array = experiment.token_vectors[experiment.tokens.index(word)]
        return equal
    vocabulary = _vocabulary(experiment)
    if vocabulary is None:
        return word_vector(word, experiment.d_model, experiment.seed)
    looked_up: Array = word_vectors([word], experiment.dimension_names, vocabulary)[0]
    return looked_up


def _vocabulary(experiment: Experiment) -> Vocabulary | None:
    """The preset's dictionary; none where the dimensions are no longer the preset's."""
    dimensions, vocabulary = _VOCABULARIES.get(experiment.preset, ((), None))
    return vocabulary if experiment.dimension_names == dimensions else None
