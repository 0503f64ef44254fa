"""A question for each page, to be answered before the page shows the answer.

What is right is worked out from the experiment on screen, never written down.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.attention import softmax
from core.cost import attention_cost
from core.experiment import Experiment
from core.metrics import row_sums
from core.presets import library as shelf
from core.scaling import predicted_spread
from core.trace import trace
from ui import describe, library, session
from ui.language import _, _n, current, decimal, percent, significant, whole


@dataclass(frozen=True)
class Question:
    """What is asked, what can be answered, which answer is right, and why."""

    text: str
    answers: Sequence[str]
    right: Collection[int]
    because: str


def ask(page: str) -> Question | None:
    """The question of a page, for the experiment on screen; None for a page without one."""
    make = _QUESTIONS.get(page)
    asked = make(session.experiment()) if make else None
    # Where there is but one answer, or all are right, there is nothing to ask.
    return asked if asked and len(asked.right) < len(set(asked.answers)) else None


def _all_of(values: Array, best: float) -> list[int]:
    """Places of the best value: several where it is shared."""
    return [i for i, value in enumerate(values) if np.isclose(value, best)]


def _strongest_key(now: Experiment) -> Question:
    head, (query, _key) = session.head(), session.pair()
    weights = trace(now).weights[head, query]
    labels = describe.short_labels(now)
    best = int(weights.argmax())
    return Question(
        _("Which word will {query} look at most?", query=labels[query]),
        labels,
        _all_of(weights, weights[best]),
        _("It is {key}, with {share} of the weight.", key=labels[best],
          share=percent(weights[best], 1)),
    )  # fmt: skip


def _start(now: Experiment) -> Question:
    """About the sentence, or about the library while that is on screen."""
    return _best_book() if library.shows() else _strongest_key(now)


def _best_book() -> Question:
    found = library.found()
    titles = shelf.titles(current())
    best = int(found.weights.argmax())
    return Question(
        _("You search for {words}. Which book will count most?", words=library.search_in_words()),
        titles,
        _all_of(found.weights, found.weights[best]),
        _("{book}, with {share} of the weight.", book=titles[best],
          share=percent(found.weights[best], 1)),
    )  # fmt: skip


def _numbers_a_token(now: Experiment) -> Question:
    counts = sorted({now.n, now.d_model, now.d_k, now.n * now.d_model})
    return Question(
        _n("A sentence of {count} token. How many numbers is each token made of here?",
           "A sentence of {count} tokens. How many numbers is each token made of here?",
           count=now.n),
        [whole(count) for count in counts],
        [counts.index(now.d_model)],
        _n("X has one row per token and d_model = {count} column: {count} number each.",
           "X has one row per token and d_model = {count} columns: {count} numbers each.",
           count=now.d_model),
    )  # fmt: skip


def _shape_of_q(now: Experiment) -> Question:
    shapes = list(
        dict.fromkeys([(now.n, now.d_k), (now.d_model, now.d_k), (now.n, now.n), (now.d_k, now.n)])
    )
    shapes.sort()
    return Question(
        _(
            "X is {n} × {d_model}, W_Q of one head {d_model} × {d_k}. Which is the shape of X W_Q?",
            n=now.n,
            d_model=now.d_model,
            d_k=now.d_k,
        ),
        [f"{rows} × {columns}" for rows, columns in shapes],
        [shapes.index((now.n, now.d_k))],
        _n("One row per token, one column for the head's {count} number: {n} × {count}.",
           "One row per token, one column for each of the head's {count} numbers: {n} × {count}.",
           n=now.n, count=now.d_k),
    )  # fmt: skip


def _right_angle(_now: Experiment) -> Question:
    product = float(np.array([2.0, 1.0]) @ np.array([-1.0, 2.0]))
    signs = (_("below 0"), "0", _("above 0"))
    return Question(
        _("Two arrows stand at right angles. What is their dot product?"),
        signs,
        [int(np.sign(product)) + 1],
        _("[2, 1] · [−1, 2] = −2 + 2 = {product}: neither is like the other.",
          product=significant(product, 2)),
    )  # fmt: skip


def _how_much_wider(_now: Experiment) -> Question:
    narrow, wide = predicted_spread((4, 64))
    factor = float(wide / narrow)
    factors = (1.0, 4.0, 16.0)
    return Question(
        _("d_k grows from 4 to 64, sixteen times. How much wider do the scores q·k spread?"),
        [f"× {significant(value, 2)}" for value in factors],
        [factors.index(factor)],
        _("Their spread grows with √d_k: √64 / √4 = {times}.", times=significant(factor, 2)),
    )


def _ratio_of_weights(_now: Experiment) -> Question:
    scores = np.array([3.2, 1.8])
    weights = softmax(scores)
    values = [scores[0] / scores[1], scores[0] - scores[1], weights[0] / weights[1]]
    texts = [decimal(value, 2) for value in sorted(values)]
    return Question(
        _("Scores 3.2 and 1.8: how many times the second's weight does the first get?"),
        texts,
        [texts.index(decimal(values[2], 2))],
        _("e to the difference: e^1.4 = {ratio}, whatever other words there are.",
          ratio=decimal(values[2], 2)),
    )  # fmt: skip


def _row_sum(now: Experiment) -> Question:
    result = trace(now)
    query, _key = session.pair()
    total = float(row_sums(result.weights[session.head()])[query])
    answers = list(dict.fromkeys(("0", "1", str(now.n))))
    return Question(
        _n("The weights of {query} over the only token: what do they add up to?",
           "The weights of {query} over all {count} tokens: what do they add up to?",
           query=describe.short_labels(now)[query], count=now.n),
        answers,
        [answers.index(f"{total:.0f}")],
        _("To 1: softmax shares one whole out among the keys.")
        if total
        else _("To 0: the mask leaves this query no key to look at."),
    )  # fmt: skip


def _first_token(now: Experiment) -> Question:
    allowed = now.with_(mask="causal").may_attend[0]
    counts = sorted({0, int(allowed.sum()), now.n})
    return Question(
        _("Nobody may look ahead. How many tokens can the first one look at?"),
        [str(count) for count in counts],
        [counts.index(int(allowed.sum()))],
        _("It can look at one token: itself."),
    )


def _cost_of_heads(now: Experiment) -> Question:
    many, one = (
        attention_cost(now.n, now.d_model, h, now.num_heads * now.d_k // h,
                       now.num_heads * now.d_v // h).parameters
        for h in (now.num_heads, 1)
    )  # fmt: skip
    return Question(
        _("Several narrow heads against one as wide as all of them: who needs more parameters?"),
        (_("the several"), _("the one"), _("both the same")),
        [0 if many > one else 1 if many < one else 2],
        _("{many} and {one}: the same matrices, only cut.", many=whole(many), one=whole(one)),
    )


_QUESTIONS: dict[str, Callable[[Experiment], Question]] = {
    "start": _start,
    "tokens": _numbers_a_token,
    "projections": _shape_of_q,
    "dot": _right_angle,
    "scaling": _how_much_wider,
    "softmax": _ratio_of_weights,
    "heatmap": _row_sum,
    "masks": _first_token,
    "heads": _cost_of_heads,
}
