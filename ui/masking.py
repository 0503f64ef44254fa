"""Masks: why a query must not look ahead, how it is kept from it, and what that makes possible."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.arrays import Array, BoolArray
from core.experiment import Experiment
from core.generation import Arrival, arrival
from core.mistakes import zero_after_softmax, zero_before_softmax
from core.trace import Trace, trace
from ui import controls, describe, figures, plot, session
from ui.heatmaps import Tile
from ui.ideas import columns, height, idea
from ui.language import _, _n, decimal, percent, significant
from ui.literal import literal
from ui.panels import pair_axes
from ui.tiles import weights_tile

_NOTHING = 1e-12
_MENDED = 1e-6
_WORTH_SAYING = 0.005  # a share that rounds to 0 %


def no_looking_ahead() -> None:
    """Weights with and without a causal mask; what the pinned query would read of the future."""
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    free, causal = _both(experiment)
    if not session.lectures():
        controls.choose_token("mask-query", lambda i: session.pin(query=i))
    with idea("pictures"):
        _two(experiment, head, free, causal, outline=(query, key))
    with idea("words"):
        st.markdown(literal(_read_ahead(free.weights[head], query)))


def _read_ahead(weights: Array, query: int) -> str:
    """How much the pinned query takes from later tokens; else which one takes most."""
    labels = describe.short_labels(session.experiment())
    ahead = np.triu(weights, k=1).sum(axis=1)
    who = query if ahead[query] >= _WORTH_SAYING else int(ahead.argmax())
    values = {"query": labels[who], "share": percent(ahead[who], 1)}
    if ahead[who] < _WORTH_SAYING:
        return _("In this head no token takes anything worth saying from those after it.")
    text = _n(
        "Without a mask {query} takes {share} from the one token after it. A model that learns to "
        "guess the next token would read the answer instead of guessing, and when it writes, that "
        "token does not exist yet.",
        "Without a mask {query} takes {share} from the {count} tokens after it. A model that "
        "learns to guess the next token would read the answer instead of guessing, and when it "
        "writes, those tokens do not exist yet.",
        count=len(labels) - 1 - who,
        **values,
    )
    if who == query:
        return text
    pinned = labels[query]
    return _("{pinned} hardly looks ahead here, but others do. {text}", pinned=pinned, text=text)


def minus_infinity() -> None:
    """The pinned row under a causal mask, done right and done wrong."""
    experiment, head = session.experiment(), session.head()
    query, _key = session.pair()
    _free, causal = _both(experiment)
    scores, allowed = causal.scaled_scores[head], causal.allowed
    cut = zero_after_softmax(scores, allowed)
    total = cut.sum(axis=-1, keepdims=True)
    right = causal.weights[head]
    again = cut / np.where(total == 0, 1, total)
    ways = (
        (_("−∞ before softmax"), right, True),
        (_("0 after softmax"), cut, False),
        (_("0 after, then ÷ row sum"), again, bool(np.allclose(again, right, atol=_MENDED))),
        (_("score 0 before softmax"), zero_before_softmax(scores, allowed), False),
    )
    if not session.lectures():
        controls.choose_token("mask-query", lambda i: session.pin(query=i))
    if session.lectures():  # two by two: right and wrong
        for name, two in (("pictures", ways[:2]), ("more", ways[2:])):
            with idea(name):
                _ways(two, query, allowed, f"mask-{name}")
    else:
        _ways(ways, query, allowed, "mask-ways")
    with idea("words"):
        _why_infinity(right, again, cut, ways[3][1], allowed, query)


def _ways(
    ways: Sequence[tuple[str, Array, bool]], query: int, allowed: BoolArray, key: str
) -> None:
    """Weights of some ways to mask, each with whether it is right."""
    labels = session.experiment().labels()
    plot.show(
        figures.grid(
            [
                Tile(title, weights, labels, labels, weights=True,
                     masked=~allowed if holds else None)
                for title, weights, holds in ways
            ],
            columns=len(ways),
            axes=pair_axes(),
            outline=session.pair(),
            height=height(330, 345),
            narrow=session.lectures(),
            notes=[
                [_("right") if holds else _("WRONG"),
                 _("sum of the pinned row: {sum}", sum=decimal(weights[query].sum(), 4))]
                for _title, weights, holds in ways
            ],
        ),
        key=key,
        alt=_("One causal mask done in four ways: two are right and equal, two are wrong."),
    )  # fmt: skip


def _why_infinity(
    right: Array, again: Array, cut: Array, leaking: Array, allowed: BoolArray, query: int
) -> None:
    """What is lost in the pinned row; else in the one where most is."""
    mended: BoolArray = np.abs(again - right).max(axis=1) <= _MENDED
    if not mended[query]:
        st.markdown(
            _(
                "**0 after softmax** leaves this row with a sum of {sum}: the forbidden keys had "
                "taken all that float64 can hold. Dividing by the row sum cannot bring it back. "
                "−∞ before softmax never lets them take anything.",
                sum=significant(cut[query].sum(), 3),
            )
        )
        return
    labels = describe.short_labels(session.experiment())
    lost = np.where(mended, 1 - cut.sum(axis=1), 0)
    leaks = np.where(mended, np.where(allowed, 0, leaking).sum(axis=1), 0)
    worth = np.maximum(lost, leaks) >= _WORTH_SAYING
    # Another row: the one that loses most, else the one that leaks most.
    who = query if worth[query] else int((lost if lost.max() >= _WORTH_SAYING else leaks).argmax())
    pinned = literal(labels[query])
    if allowed[query].all():
        st.markdown(_("In the row of {token} no key is forbidden.", token=pinned))
    elif not worth[query]:
        st.markdown(
            _(
                "In the row of {token} the forbidden keys would get almost nothing, so all four "
                "look alike.",
                token=pinned,
            )
        )
    if lost[who] >= _WORTH_SAYING:
        st.markdown(
            _(
                "**0 after softmax** leaves the row of {token} with a sum of {sum}: its output "
                "shrinks by what the forbidden keys had taken, and their scores still decide how "
                "much. Dividing by the row sum mends it and gives what −∞ gives (largest "
                "difference {difference}), with one step more.",
                token=literal(labels[who]),
                sum=decimal(cut[who].sum(), 4),
                difference=significant(np.abs(right[who] - again[who]).max(), 1),
            )
        )
    if leaks[who] >= _WORTH_SAYING:
        st.markdown(
            _(
                "**Score 0** is no mask at all: e⁰ = 1, so in the row of {token} the forbidden "
                "keys still get {leak}. e to the −∞ is 0: that is why it is −∞.",
                token=literal(labels[who]),
                leak=percent(leaks[who], 1),
            )
        )


def one_by_one() -> None:
    """Tokens arrive one after the other; what each changes in the rows before it."""
    experiment, head = session.experiment(), session.head()
    count = _count(experiment.n)
    arms = {
        _("no mask"): arrival(experiment.with_(mask="none"), count),
        _("causal"): arrival(experiment.with_(mask="causal"), count),
    }
    labels = [label if i < count else f"?·{i}" for i, label in enumerate(experiment.labels())]
    tiles = []
    for name, arm in arms.items():
        whole = np.full((experiment.n, experiment.n), np.nan)
        whole[:count, :count] = arm.result.weights[head]
        hidden = np.zeros(whole.shape, dtype=bool)
        hidden[:count, :count] = ~arm.result.allowed
        tiles.append(Tile(name, whole, labels, labels, weights=True, masked=hidden))
    left, right = columns([1.9, 1], ("picture", "words"))
    plot.show(
        figures.grid(
            tiles,
            columns=2,
            axes=pair_axes(),
            outline=(count - 1, count - 1),
            height=height(400, 330),
            narrow=True,
        ),
        key="mask-arrival",
        at=left,
        alt=_n(
            "Weights over the first token, without a mask and with a causal one.",
            "Weights over the first {count} tokens, without a mask and with a causal one.",
            count=count,
        ),
    )
    with right:
        arrived = _("{token} arrives.", token=describe.short_labels(experiment)[count - 1])
        st.markdown(f"**{literal(arrived)}**")
        _changes(arms, head, count)


def _count(n: int) -> int:
    """How many tokens are there already: a slider with a button for one more."""
    seen = int(session.option("arrived", tuple(map(str, range(1, n + 1))), str(min(3, n))))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            _("Next token"),
            key="mask-next",
            icon=":material/skip_next:",
            disabled=seen >= n,
            on_click=session.set_option,
            args=("arrived", str(min(3, n)), str(min(n, seen + 1))),
        )
        return controls.scale_option(
            "arrived", _("tokens"), tuple(range(1, n + 1)), min(3, n), width=420
        )


def _changes(arms: dict[str, Arrival], head: int, count: int) -> None:
    """How much the rows before changed, each way."""
    if count == 1:
        st.markdown(_("It is the first one: there is no row before it to change."))
        return
    lines = [_("| rows before it | weights change by up to | output by up to |"), "|---|---:|---:|"]
    for name, arm in arms.items():
        lines.append(f"| {name} | {_change(arm.weights[head])} | {_change(arm.output)} |")
    with st.container(key="numbers-arrival"):
        st.markdown("\n".join(lines))
    st.markdown(
        _(
            "With the causal mask the rows before it stay as they were: row i needs tokens 0 … i "
            "and no other. So a model that writes may keep the K and V of all earlier tokens and "
            "compute one new row a token; that store is called the KV cache. Without the mask "
            "every row would have to be computed again."
        )
    )


def _change(changes: Array) -> str:
    largest = float(changes.max())
    return significant(largest, 3) if largest > _NOTHING else "0"


def _both(experiment: Experiment) -> tuple[Trace, Trace]:
    return trace(experiment.with_(mask="none")), trace(experiment.with_(mask="causal"))


def _two(
    experiment: Experiment, head: int, free: Trace, causal: Trace, outline: tuple[int, int]
) -> None:
    plot.show(
        figures.grid(
            [
                weights_tile(experiment, free, head, title=_("no mask")),
                weights_tile(experiment, causal, head, title=_("causal mask")),
            ],
            columns=2,
            axes=pair_axes(),
            outline=outline,
            height=height(360, 330),
            narrow=session.lectures(),
        ),
        key="mask-two",
        alt=_("Weights without a mask, and with one that hides all later tokens."),
    )
