"""A library: a search asks, labels of books announce, contents are handed over.

Label dimensions come first, then those of the contents; a book has both, a search only labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from core.arrays import Array
from core.attention import multi_head_attention
from core.experiment import Experiment
from core.presets.handbuilt import Head, weights

LABELS = ("Python", "beginner", "cooking", "history", "maths", "children")
CONTENTS = ("code", "exercises", "recipes", "stories", "proofs", "pictures")
LABELS_ZH = ("Python", "入门", "烹饪", "历史", "数学", "儿童")
CONTENTS_ZH = ("代码", "习题", "菜谱", "故事", "证明", "图画")
WIDTH = len(LABELS)  # d_k = d_v: one slot a label, one a content

# Without it the best of eight books would get a third of the weight, and everything be grey.
SHARPNESS = 5.0
DEFAULT_SEARCH = (1.0, 1.0, 0.0, 0.0, 0.0, 0.0)  # Python for a beginner
MAX_LEVEL = 2.0  # of one word of a search

_SHELF = (
    # title, the same in Chinese, labels in their order, contents in theirs
    ("Python primer", "Python入门", (1, 1, 0, 0, 0, 0), (0.8, 0.7, 0, 0, 0, 0.3)),
    ("Python and primes", "Python与素数", (1, 0, 0, 0, 0.8, 0), (0.9, 0.4, 0, 0, 0.6, 0)),
    ("Book of proofs", "证明之书", (0, 0, 0, 0, 1, 0), (0, 0.5, 0, 0, 1, 0.1)),
    ("Counting games", "数数游戏", (0, 0.6, 0, 0, 0.6, 1), (0, 0.9, 0, 0.2, 0, 0.8)),
    ("Fairy tales", "童话故事", (0, 0, 0, 0, 0, 1), (0, 0, 0, 1, 0, 0.7)),
    ("World history", "世界历史", (0, 0, 0, 1, 0, 0), (0, 0, 0, 0.9, 0, 0.4)),
    ("Story of bread", "面包的历史", (0, 0, 0.8, 0.8, 0, 0), (0, 0, 0.5, 0.8, 0, 0.3)),
    ("First kitchen", "厨房入门", (0, 0.6, 1, 0, 0, 0), (0, 0.2, 1, 0, 0, 0.6)),
)  # fmt: skip
_SEARCH_NAMES = {"en": "your search", "zh": "你的搜索"}
_HEAD_NAMES = {"en": "look-up", "zh": "查找"}
SEARCH = 0  # where the search stands among the tokens of the experiment; books follow


@dataclass(frozen=True)
class LookUp:
    """What a search finds: n books, d labels or contents."""

    query: Array  # (d,)
    keys: Array  # (n, d)
    values: Array  # (n, d)
    scores: Array  # (n,)    q · k
    weights: Array  # (n,)    softmax of the scaled scores
    parts: Array  # (n, d)  what each book adds: its weight times its value
    soft: Array  # (d,)    what is taken home: the sum of all parts
    best: tuple[int, ...]  # the book with the highest score; several when they tie
    hard: Array  # (d,)    a hard look-up: the first of the best books and nothing else
    output: Array  # (d_model,)  the soft one, written back among the labels and contents


def labels(language: str) -> tuple[str, ...]:
    """What a search can ask for."""
    return LABELS_ZH if language == "zh" else LABELS


def contents(language: str) -> tuple[str, ...]:
    """What a reader can take home."""
    return CONTENTS_ZH if language == "zh" else CONTENTS


def titles(language: str) -> tuple[str, ...]:
    """The books in their order on the shelf."""
    return tuple(chinese if language == "zh" else english for english, chinese, *_ in _SHELF)


def look_up(search: Sequence[float]) -> LookUp:
    """Cross-attention with one query, the search, and a key for each book of the shelf."""
    w_q, w_k, w_v, w_o = _weights()
    stages = multi_head_attention(
        _search_vector(search), w_q, w_k, w_v, w_o, num_heads=1, context=_books()
    )
    scores, row, values = stages.scores[0, 0], stages.weights[0, 0], stages.value[0]
    # Sums in another order differ in the last bit, and still tie.
    best = tuple(int(i) for i in np.flatnonzero(scores >= scores.max() - 1e-9))
    return LookUp(
        query=stages.query[0, 0],
        keys=stages.key[0],
        values=values,
        scores=scores,
        weights=row,
        parts=row[:, None] * values,
        soft=stages.head_outputs[0, 0],
        best=best,
        hard=values[best[0]],
        output=stages.output[0],
    )


def experiment(search: Sequence[float] = DEFAULT_SEARCH, language: str = "en") -> Experiment:
    """The same as self-attention: the search and the books are tokens of one sentence.

    The search does not look at itself, so that its row is the one of :func:`look_up`; books look
    at all.
    """
    tokens = (_SEARCH_NAMES[language], *titles(language))
    allowed = np.ones((len(tokens), len(tokens)), dtype=bool)
    allowed[SEARCH, SEARCH] = False
    w_q, w_k, w_v, w_o = _weights()
    return Experiment(
        tokens=tokens,
        token_vectors=np.concatenate([_search_vector(search), _books()]),
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=w_o,
        mask="manual",
        allowed=allowed,
        dimension_names=(*labels(language), *contents(language)),
        head_names=(_HEAD_NAMES[language],),
        preset=f"library-{language}",
    )


def english() -> Experiment:
    """A beginner looks for Python."""
    return experiment()


def chinese() -> Experiment:
    """The same in Chinese, with the same numbers."""
    return experiment(language="zh")


def _search_vector(search: Sequence[float]) -> Array:
    """A search as a token, without contents: (1, d_model)."""
    vector = np.zeros((1, len(LABELS) + len(CONTENTS)))
    vector[0, : len(LABELS)] = search
    return vector


def _books() -> Array:
    """The books as tokens: (n, d_model)."""
    return np.array([(*announced, *inside) for _en, _zh, announced, inside in _SHELF], dtype=float)


@cache
def _weights() -> tuple[Array, Array, Array, Array]:
    """Each label has its slot in queries and keys, each content in values."""
    head = Head(
        asks=[(label, slot, SHARPNESS) for slot, label in enumerate(LABELS)],
        announces=[(label, slot, 1.0) for slot, label in enumerate(LABELS)],
        hands_over=CONTENTS,
    )
    return weights([head], (*LABELS, *CONTENTS), WIDTH)
