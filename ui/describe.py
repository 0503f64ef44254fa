"""Sentences made from the data: the pinned pair in words, and alt text for pictures."""

from collections.abc import Iterable

import numpy as np

from core.arrays import Array
from core.experiment import Experiment
from core.trace import Trace
from ui.language import _, numerals, percent, significant
from ui.literal import short


def short_labels(experiment: Experiment) -> tuple[str, ...]:
    """Tokens with their positions, cut to what a sentence or a button can hold."""
    return tuple(short(label, 24) for label in experiment.labels())


def divisors(experiment: Experiment) -> dict[str, str]:
    """Each divisor that can be chosen, with its number for this experiment."""
    return {
        "sqrt_d_k": f"√d_k = {significant(np.sqrt(experiment.d_k), 3)}",
        "none": _("none"),
        "d_k": f"d_k = {experiment.d_k}",
        "sqrt_d_model": f"√d_model = {significant(np.sqrt(experiment.d_model), 3)}",
    }


def pinned_sentence(experiment: Experiment, result: Trace, head: int, query: int, key: int) -> str:
    """ "it·8 takes 41 % of its output from cat·1.", and what to say when it may not look."""
    labels = short_labels(experiment)
    if not result.allowed[query].any():
        return _(
            "{query} has nothing to attend to: the mask leaves it no key, so its output is 0.",
            query=labels[query],
        )
    if not result.allowed[query, key]:
        return _(
            "{query} may not look at {key}: the mask forbids it.",
            query=labels[query],
            key=labels[key],
        )
    row = result.weights[head, query][result.allowed[query]]
    if _even(row):
        return _(
            "{query} asks nothing in this head: each of {count} keys gets the same {share}.",
            query=labels[query],
            count=len(row),
            share=percent(row[0], 1),
        )
    weights = result.weights[head, query]
    best = int(weights.argmax())
    values = {
        "query": labels[query],
        "key": labels[key],
        "share": percent(weights[key], 1),
        "head": head,
        "most": percent(weights[best], 1),
        "best": labels[best],
    }
    if weights[key] < weights[best]:
        return _("{query} takes {share} from {key} here; most, {most}, from {best}.", **values)
    if experiment.num_heads > 1:
        return _("In head {head}, {query} takes {share} from {key}.", **values)
    return _("{query} takes {share} of its output from {key}.", **values)


def looks_at(experiment: Experiment, result: Trace, head: int, query: int) -> str:
    """ "it·8 looks at cat·1 99%, mouse·6 1%.", for one head."""
    labels = short_labels(experiment)
    if _even(result.weights[head, query][result.allowed[query]]):
        return _("Head {head}: {query} asks nothing.", head=head, query=labels[query])
    return _(
        "Head {head}: {query} looks at {keys}.",
        head=head,
        query=labels[query],
        keys=strongest(labels, result.weights[head, query]) or _("nothing"),
    )


def _even(row: Array) -> bool:
    """Whether all keys that may be looked at get the same."""
    return len(row) > 1 and float(np.ptp(row)) < 1e-9


_WORTH_SAYING = 0.005  # a weight that rounds to 0 % is left out


def strongest(labels: tuple[str, ...], row: Array, count: int = 3) -> str:
    """The keys of one row with the largest weights, with their shares."""
    order = np.argsort(-row, kind="stable")[:count]
    say = numerals()
    return listed(f"{labels[j]} {say.percent(row[j])}" for j in order if row[j] >= _WORTH_SAYING)


def listed(parts: Iterable[str]) -> str:
    """Parts as a list in the reader's language."""
    return _(", ").join(parts)


def lines_alt(experiment: Experiment, weights: Array, query: int) -> str:
    """Alt text of the lines between tokens."""
    labels = short_labels(experiment)
    return _(
        "Lines from each token to the tokens it looks at. {query} looks at: {keys}.",
        query=labels[query],
        keys=strongest(labels, weights[query]) or _("nothing"),
    )


def heads_alt(experiment: Experiment, result: Trace, query: int) -> str:
    """Alt text of the grid of heads."""
    labels = short_labels(experiment)
    parts = [
        _("head {head}: {keys}", head=t, keys=strongest(labels, result.weights[t, query], 1))
        for t in range(experiment.num_heads)
    ]
    return _(
        "One heatmap of weights for each head. What {query} looks at most: {heads}.",
        query=labels[query],
        heads=_("; ").join(parts),
    )


def pipeline_alt(experiment: Experiment, head: int) -> str:
    """Alt text of the picture of the whole computation."""
    return _(
        "X ({n} × {d_model}) becomes Q, K and V ({n} × {d_k}) in head {head}; Q times K transposed "
        "gives the scores ({n} × {n}), which are scaled, masked and turned into weights; the "
        "weights mix V, and all heads together give the output.",
        n=experiment.n,
        d_model=experiment.d_model,
        d_k=experiment.d_k,
        head=head,
    )
