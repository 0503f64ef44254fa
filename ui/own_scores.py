"""The reader's own experiment under four divisors, on one colour scale."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import presets
from core.experiment import MAX_WIDTH, Divisor, Experiment
from core.gradients import jacobian_norm
from core.metrics import entropy_bits
from core.trace import Trace, trace
from ui import controls, describe, figures, plot, session, side_by_side
from ui.ideas import height, idea
from ui.language import _, percent, significant
from ui.literal import literal
from ui.matrix import Pick
from ui.panels import pair_axes
from ui.tiles import weights_tile

_LINE = "  \n"  # ends a line of Markdown
_NOTHING = 1e-9
_SHARED = 0.25  # of the weight on the second key: the row hesitates between two
_WIDTHS = (1, 4, 16, 64, 256)
# The pictures of figures.grid, so that numbers stand below their picture.
_COLUMNS = (0.105, 0.206, 0.206, 0.206, 0.206, 0.07)


def four_divisors() -> None:
    """The four pictures, four numbers under each, and what they say."""
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    names = describe.divisors(experiment)
    order: tuple[Divisor, ...] = ("none", "sqrt_d_k", "d_k", "sqrt_d_model")
    results = {name: trace(experiment.with_(divisor=name)) for name in order}
    titles = {name: _("÷ {divisor}", divisor=names[name]) for name in order}
    titles["none"] = _("no divisor")
    tiles = [
        weights_tile(experiment, result, head, title=titles[name])
        for name, result in results.items()
    ]
    facts = {name: _facts(result, head, query) for name, result in results.items()}
    small = side_by_side.fits(tiles)
    with idea("pictures"):
        if small:
            below = side_by_side.weights("scaling-own", tiles, _pick, max_height=290)
            _numbers_below(below, facts)
        else:
            plot.show(
                figures.grid(
                    tiles,
                    columns=len(order),
                    axes=pair_axes(),
                    outline=(query, key),
                    height=height(320, 310),
                    narrow=session.lectures(),
                ),
                key="scaling-own",
                alt=_("The same weights with four divisors, side by side on one colour scale."),
            )
    with idea("numbers"):
        if not small:
            _numbers(facts)
        _summary(facts["none"], facts["sqrt_d_k"], query)


def _pick(_number: int, pick: Pick) -> None:
    session.pin(pick.row, pick.col)


def width() -> None:
    """Let d_k change where a rule drew the weights; else say why it cannot."""
    now = session.experiment()
    st.space("stretch")
    if presets.is_drawn(now):
        most = MAX_WIDTH // now.num_heads
        widths = sorted({*(width for width in _WIDTHS if width <= most), now.d_k})
        st.markdown(
            "d_k",
            width="content",
            help=_(
                "Another d_k draws W_Q and W_K anew by the same rule, seed {seed}. X, W_V and all "
                "else stay.",
                seed=now.seed,
            ),
        )
        controls.choose(
            "own-d_k", "d_k", {width: str(width) for width in widths}, now.d_k, _set_width
        )
    else:
        st.caption(
            _("d_k = {d_k}, fixed", d_k=now.d_k),
            width="content",
            help=_(
                "These weights were written by hand, loaded or learned: no rule says how they "
                "would look at another width, so d_k cannot change here."
            ),
        )
        st.button(
            _("Use random numbers"),
            key="own-random",
            icon=":material/casino:",
            help=_("Draw all numbers at random for this sentence; then d_k can change."),
            on_click=session.load_preset,
            args=(presets.RANDOM,),
            type="tertiary",
        )


def _set_width(width: int) -> None:
    session.change(lambda now: presets.with_d_k(now, width))


def _facts(result: Trace, head: int, query: int) -> dict[str, float]:
    """Numbers of one divisor: the head's scores, and the pinned query's row."""
    row = result.weights[head, query]
    scores = result.scaled_scores[head][result.allowed]
    return {
        "spread": float(scores.std()) if scores.size else 0.0,
        "largest": float(row.max()),
        "second": float(np.sort(row)[-2]) if len(row) > 1 else 0.0,
        "entropy": float(entropy_bits(row)),
        "jacobian": float(jacobian_norm(row)),
    }


def _names() -> dict[str, str]:
    """What the four numbers are."""
    return {
        "spread": _("spread of scores"),
        "largest": _("largest weight"),
        "entropy": _("entropy, bits"),
        "jacobian": _("Jacobian norm"),
    }


def _meaning() -> str:
    return _(
        "Spread: the standard deviation of all scores of this head. The others belong to the "
        "pinned query's row. Entropy: 0 when one key gets all, log₂ n when all get the same. "
        "Jacobian norm (Frobenius): how much the weights move when a score moves; at 0 no "
        "gradient gets through softmax."
    )


def _numbers_below(
    columns: Sequence[DeltaGenerator], facts: dict[Divisor, dict[str, float]]
) -> None:
    """The four numbers of each matrix, with their names, in its own column."""
    for number, (column, fact) in enumerate(zip(columns, facts.values(), strict=True)):
        lines = [f":small[{name} **{_written(key, fact[key])}**]" for key, name in _names().items()]
        column.markdown(_LINE.join(lines), help=None if number else _meaning())


def _numbers(facts: dict[Divisor, dict[str, float]]) -> None:
    """The four numbers of each picture, in a column below it."""
    names = _names()
    if session.lectures():  # one below the other, each with its name
        _table(names, facts)
        return
    first, *cells = st.columns(_COLUMNS, gap=None)
    first.markdown(_LINE.join(f":small[{name}]" for name in names.values()), help=_meaning())
    for cell, fact in zip(cells, facts.values(), strict=False):
        cell.markdown(
            _LINE.join(f"**{_written(name, fact[name])}**" for name in names),
            text_alignment="center",
        )


def _table(names: dict[str, str], facts: dict[Divisor, dict[str, float]]) -> None:
    divisors = describe.divisors(session.experiment())
    lines = [
        f"| | {' | '.join(divisors[name] for name in facts)} |",
        "|---|" + "---:|" * len(facts),
    ]
    for name, meaning in names.items():
        cells = " | ".join(_written(name, fact[name]) for fact in facts.values())
        lines.append(f"| {meaning} | {cells} |")
    with st.container(key="numbers-own"):
        st.markdown("\n".join(lines))


def _written(name: str, number: float) -> str:
    return percent(number, 1) if name == "largest" else _small(number)


def _small(number: float) -> str:
    """Three digits; what only rounding has left is called 0."""
    return significant(number, 3) if number > _NOTHING else "0"


def _summary(none: dict[str, float], scaled: dict[str, float], query: int) -> None:
    experiment: Experiment = session.experiment()
    values = {
        "query": describe.short_labels(experiment)[query],
        "before": percent(none["largest"], 1),
        "after": percent(scaled["largest"], 1),
        "second": percent(none["second"], 1),
        "narrower": significant(np.sqrt(experiment.d_k), 3),
        "ratio": significant(none["jacobian"] / max(scaled["jacobian"], _NOTHING), 2),
    }
    if none["spread"] <= _NOTHING:
        text = _("All scores of this head are equal: there is nothing to scale.")
    elif experiment.d_k == 1:
        text = _("At d_k = 1 the divisor is 1: there is nothing to scale yet.")
    elif scaled["jacobian"] <= _NOTHING:
        text = _("With ÷ √d_k too, the weights of this row do not react to the scores at all.")
    elif none["jacobian"] <= _NOTHING:
        text = _(
            "÷ √d_k makes the scores {narrower} times narrower. Without it, {query} puts {before} "
            "on one key instead of {after}, and its weights do not react to the scores any more.",
            **values,
        )
    elif none["jacobian"] < scaled["jacobian"]:
        text = _(
            "÷ √d_k makes the scores {narrower} times narrower. Without it, {query} puts {before} "
            "on one key instead of {after}, and its weights react to the scores only {ratio} times "
            "as much.",
            **values,
        )
    elif none["second"] > _SHARED:
        text = _(
            "÷ √d_k makes the scores {narrower} times narrower. In this row the weights react "
            "{ratio} times as much without it, since two keys share it: {before} and {second}. "
            "That is rare; look at other rows.",
            **values,
        )
    else:
        text = _(
            "÷ √d_k makes the scores {narrower} times narrower. In this row that does not help the "
            "gradient: without it the weights react {ratio} times as much. Small scores are like "
            "that; see the third step.",
            **values,
        )
    st.markdown(literal(text))
