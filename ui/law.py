"""Random queries and keys: what d_k does to scores, softmax and gradients, measured."""

from typing import cast

import numpy as np
import streamlit as st

from core.attention import softmax
from core.mistakes import naive_softmax
from core.scaling import (
    MAX_KEYS,
    WIDTHS,
    Arm,
    Distribution,
    Estimate,
    Extremes,
    Law,
    chance_beyond,
    extremes,
    measure,
    reversed_region,
)
from ui import controls, curves, describe, plot, session
from ui.curves import WITH, WITHOUT, Chart, Curve
from ui.ideas import columns, height, idea
from ui.language import _, decimal, significant, whole
from ui.parts import GREY

_DRAWS = (50, 100, 300, 1000)
_COST = 120_000_000  # random numbers for one measurement; more would keep the reader waiting
_HEIGHT, _TALL = 325, 420
_HARDLY_LESS = 0.9  # of a gradient: more than this is not called vanishing
_DEFAULTS = {"keys": "6", "from": "normal", "draws": "300", "seed": "0", "width": "64"}


def spread() -> None:
    """Measured against predicted spread of q·k, and the scores before and after at one d_k."""
    law, place = _measured()
    before, after = law.spread, _divided(law.spread, law.widths)
    left, right = columns([1, 1], ("law", "scores"))
    x = np.array(law.widths, dtype=float)
    plot.show(
        curves.charts(
            [
                Chart(
                    _("standard deviation of the scores"),
                    x,
                    [
                        Curve(_("predicted: ∝ √d_k"), law.predicted, GREY, dash="dot"),
                        _points(_("q·k, measured"), before, WITHOUT),
                        _points(_("q·k ÷ √d_k, measured"), after, WITH),
                    ],
                    log_x=True,
                    log_y=True,
                    mark=law.widths[place],
                    name_x="d_k",
                )
            ],
            1,
            height=height(_HEIGHT, 330),
        ),
        key="law-spread",
        at=left,
        alt=_(
            "The standard deviation of q·k grows with the root of d_k, from {first} to {last}; "
            "divided by √d_k it stays at {flat}.",
            first=decimal(before.mean[0], 2),
            last=decimal(before.mean[-1], 1),
            flat=decimal(after.mean[place], 2),
        ),
    )
    scores = law.scores[place].ravel()
    d_k = law.widths[place]
    plot.show(
        curves.distributions(
            [
                ("q·k", scores, WITHOUT),
                ("q·k ÷ √d_k", scores / np.sqrt(d_k), WITH),
            ],
            float(before.mean[place]),
            _("score, at d_k = {d_k}", d_k=d_k),
            height=height(_HEIGHT, 330),
        ),
        key="law-scores",
        at=right,
        alt=_("Distribution of the scores at d_k {d_k}, wide before and narrow after.", d_k=d_k),
    )
    with idea("words"):
        _say_spread(law, place, before, after)
        _how(law)


def _say_spread(law: Law, place: int, before: Estimate, after: Estimate) -> None:
    d_k = law.widths[place]
    st.markdown(
        _(
            "At d_k = {d_k} the scores measured here have the standard deviation **{measured} ± "
            "{error}**; theory says {predicted}. After ÷ √d_k it is **{after}**, and about the "
            "same at every d_k. A dot product adds d_k products; the spread of such a sum grows "
            "with √d_k.",
            d_k=d_k,
            measured=significant(before.mean[place], 3),
            error=significant(2 * before.error[place], 1),
            predicted=significant(law.predicted[place], 3),
            after=significant(after.mean[place], 3),
        )
    )


def learning() -> None:
    """Softmax and the true backward pass over d_k, with and without the scale."""
    law, place = _measured()
    titles = {
        "largest": _("largest weight"),
        "entropy": _("entropy, bits"),
        "jacobian": _("Jacobian norm of softmax"),
        "d_scores": _("gradient at softmax's input, mean size"),
        "d_query": _("gradient at q, norm"),
        "d_key": _("gradient at K, norm"),
    }
    ranges = {"largest": (0, 1.02), "entropy": (0, np.log2(law.keys) * 1.02), "jacobian": (0, 0.52)}
    panels = [
        Chart(
            title,
            np.array(law.widths, dtype=float),
            [
                _band(_("without scale"), getattr(law.unscaled, name), WITHOUT),
                _band("÷ √d_k", getattr(law.scaled, name), WITH),
            ],
            log_x=True,
            range_y=ranges.get(name) or _from_zero(law, name),
            mark=law.widths[place],
            shaded=reversed_region(law) if name == "jacobian" else None,
            name_x="d_k" if name in ("d_scores", "d_query", "d_key") else "",
        )
        for name, title in titles.items()
    ]
    picture, text = columns([2.5, 1], ("curves", "words"))
    plot.show(
        curves.charts(panels, 3, height=height(_TALL, 340)),
        key="law-learning",
        at=picture,
        alt=_(
            "Six curves over d_k. Without the scale the Jacobian norm goes from {first} to {last}; "
            "with it, from {scaled_first} to {scaled_last}.",
            first=decimal(law.unscaled.jacobian.mean[0], 3),
            last=decimal(law.unscaled.jacobian.mean[-1], 3),
            scaled_first=decimal(law.scaled.jacobian.mean[0], 3),
            scaled_last=decimal(law.scaled.jacobian.mean[-1], 3),
        ),
    )
    with text:
        _what_vanishes(law, place)
        _reversal(law)
        _how(law)


def _what_vanishes(law: Law, place: int) -> None:
    scores, query = (
        getattr(law.unscaled, field).mean[place] / getattr(law.scaled, field).mean[place]
        for field in ("d_scores", "d_query")
    )
    values = {
        "d_k": law.widths[place],
        "scores": significant(scores, 2),
        "query": significant(query, 2),
        "root": significant(np.sqrt(law.widths[place]), 3),
    }
    if law.widths[place] == 1:
        text = _("At d_k = 1 the divisor is 1: both curves are the same. Move d_k up.")
    elif scores > _HARDLY_LESS:
        text = _(
            "At d_k = {d_k} hardly anything has vanished yet: without the scale the gradient at "
            "softmax's input is {scores} times what it is with it, at q {query} times. Move d_k "
            "up.",
            **values,
        )
    elif query > 1:
        text = _(
            "**What vanishes is the gradient at softmax's input.** At d_k = {d_k} it is, without "
            "the scale, {scores} times what it is with it. The gradient at q is {query} times as "
            "large, not smaller: on its way back it is multiplied by K, and without the scale "
            "nothing divides by √d_k = {root}. So the steps are not small but badly aimed: most "
            "queries get hardly any, a few get a large one.",
            **values,
        )
    else:
        text = _(
            "**What vanishes is the gradient at softmax's input.** At d_k = {d_k} it is, without "
            "the scale, {scores} times what it is with it; the gradient at q is {query} times.",
            **values,
        )
    st.markdown(text)


def _reversal(law: Law) -> None:
    """Where the claim is loose: scores too small to saturate anything."""
    region = reversed_region(law)
    if region.any():
        widths = np.array(law.widths)[region]
        st.markdown(
            _(
                "**Not monotone:** at d_k {widths} (grey) softmax reacts *more* without the "
                "scale. Its Jacobian norm is largest, 0.5, when two keys share the weight; scores "
                "that are too small for that gain by growing.",
                widths=describe.listed(map(str, widths)),
            )
        )
    else:
        st.button(
            _("Always? Try small scores"),
            key="law-reversal",
            on_click=_show_reversal,
            icon=":material/help:",
        )


def _show_reversal() -> None:
    """Small scores: coordinates between −1 and 1, eight keys, d_k 12."""
    for name, value in {"keys": "8", "from": "uniform", "width": "12", "draws": "1000"}.items():
        session.set_option(name, _DEFAULTS[name], value)


def overflow() -> None:
    """Where exp overflows beside the spread of the scores; naive and stable softmax."""
    law, place = _measured()
    sigma = float(law.spread.mean[place])
    limits = {"float32": np.log(np.finfo(np.float32).max), "float64": np.log(np.finfo(float).max)}
    st.markdown(
        _(
            "**The reason is not overflow.** Softmax subtracts the largest score first, which "
            "changes no weight and leaves nothing above e⁰ = 1 to compute, however large the "
            "scores are."
        )
    )
    st.markdown(
        _(
            "Without that: e^x overflows above **{single}** in float32 and **{double}** in "
            "float64. At d_k = {d_k} the scores have a standard deviation of **{spread}**, so "
            "that is {times_single} and {times_double} standard deviations away.",
            d_k=law.widths[place],
            spread=significant(sigma, 3),
            single=decimal(limits["float32"], 1),
            double=decimal(limits["float64"], 1),
            times_single=significant(limits["float32"] / sigma, 3),
            times_double=significant(limits["float64"] / sigma, 3),
        )
    )
    x = np.array([1000.0, 1001.0, 1002.0])
    rows = {
        _("scores"): x,
        _("naive: e^x ÷ sum"): naive_softmax(x),
        _("stable: e^(x − max) ÷ sum"): softmax(x),
        _("stable, of the scores minus 1000"): softmax(x - 1000),
    }
    lines = [
        f"| {name} | " + " | ".join(significant(v, 6) for v in row) + " |"
        for name, row in rows.items()
    ]
    with st.container(key="numbers-overflow"):
        header = "| " + _("words") + " | a | b | c |"
        st.markdown("\n".join([header, "|---|---:|---:|---:|", *lines]))
    st.caption(
        _("nan means “not a number”: ∞ ÷ ∞. The last two rows agree: only differences count.")
    )


def loose_figures() -> None:
    """What articles often say about the size of dot products, measured."""
    with st.spinner(_("Measuring…")):
        small, large = _extremes()
        law = _measure(6, 300, 0, "normal")
    at = law.widths.index(large.d_k)
    rows = [
        _(
            "| At d_k = 4 a dot product is a few at most. | standard deviation {spread}; the "
            "largest of 10,000 is about {largest} | nearly right: a few, hardly ever more |",
            spread=significant(small.spread, 3),
            largest=significant(small.largest, 2),
        ),
        _(
            "| At d_k = 512 it reaches hundreds. | standard deviation {spread}; the largest of "
            "10,000 is about {largest}; beyond ±100: {count} of {total} (a normal distribution: "
            "one in {normal}) | too much: tens, and hardly ever 100 |",
            spread=significant(large.spread, 3),
            largest=whole(large.largest),
            count=large.beyond,
            total=whole(large.count),
            normal=whole(1 / chance_beyond(large.limit, large.spread)),
        ),
        _(
            "| Such scores saturate softmax. | at d_k = 512 the largest of 6 weights is {without} "
            "on average, {scaled} with ÷ √d_k | right: tens are enough |",
            without=decimal(law.unscaled.largest.mean[at], 3),
            scaled=decimal(law.scaled.largest.mean[at], 3),
        ),
        _(
            "| So the gradient vanishes and learning stops. | gradient at softmax's input {scores} "
            "times that with ÷ √d_k, gradient at q {query} times | too strong: it fades at "
            "softmax's input, not at q; learning needs much smaller steps |",
            scores=significant(law.unscaled.d_scores.mean[at] / law.scaled.d_scores.mean[at], 2),
            query=significant(law.unscaled.d_query.mean[at] / law.scaled.d_query.mean[at], 2),
        ),
    ]
    header = _("| often said | measured here, q and k from N(0, 1) | so |")
    # In a lecture one claim at a time.
    for number, some in enumerate([[row] for row in rows] if session.lectures() else [rows], 1):
        with idea(f"said-{number}"):
            st.markdown("\n".join([header, "|---|---|---|", *some]))
    if session.lectures():
        return
    st.caption(
        _(
            "Sizes: {tables} tables of 100 queries × 100 keys at each d_k; weights and gradients: "
            "{draws} draws. A trained model need not have numbers of variance 1.",
            tables=large.count // 10_000,
            draws=law.draws,
        )
    )


def _measured() -> tuple[Law, int]:
    """Controls of the measurement, the measurement, and the place of the chosen d_k in it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        width = controls.scale_option("width", "d_k", WIDTHS, int(_DEFAULTS["width"]), width=150)
        if not session.lectures():
            _how_to_measure()
    keys, source, draws, seed = (_chosen(name) for name in ("keys", "from", "draws", "seed"))
    with st.spinner(_("Measuring…")):
        law = _measure(int(keys), int(draws), int(seed), cast(Distribution, source))
    return law, WIDTHS.index(width)


def _choices(name: str) -> tuple[str, ...]:
    """What can be chosen; no more draws than a reader would wait for."""
    if name == "draws":
        keys = int(_chosen("keys"))
        return tuple(str(n) for n in _DRAWS if n * (keys + 1) * sum(WIDTHS) <= _COST)
    return {
        "keys": tuple(map(str, range(2, MAX_KEYS + 1))),
        "from": ("normal", "uniform"),
        "seed": tuple(map(str, range(1000))),
    }[name]


def _default(name: str) -> str:
    """The default; of the draws the most that there are, where that is less."""
    choices = _choices(name)
    return _DEFAULTS[name] if _DEFAULTS[name] in choices else choices[-1]


def _chosen(name: str) -> str:
    return session.option(name, _choices(name), _default(name))


def _how_to_measure() -> None:
    controls.number_option("keys", _("keys"), (2, MAX_KEYS), int(_DEFAULTS["keys"]))
    st.markdown(_("from"), width="content")
    names = {"normal": "N(0, 1)", "uniform": _("uniform, −1 … 1")}
    controls.option("from", _("numbers from"), names, _DEFAULTS["from"])
    st.markdown(_("draws"), width="content")
    controls.option("draws", _("draws"), {n: n for n in _choices("draws")}, _default("draws"))
    controls.number_option("seed", _("seed"), (0, 999), int(_DEFAULTS["seed"]))


@st.cache_data(max_entries=20, show_spinner=False)
def _measure(keys: int, draws: int, seed: int, source: Distribution) -> Law:
    return measure(keys=keys, draws=draws, seed=seed, distribution=source)


@st.cache_data(show_spinner=False)
def _extremes() -> tuple[Extremes, Extremes]:
    return extremes(4, limit=100, tables=300), extremes(512, limit=100, tables=300)


def _how(law: Law) -> None:
    st.caption(
        _(
            "Measured at {count} values of d_k, {draws} draws each of one query and {keys} keys. "
            "Bars and bands: ± 2 standard errors of the mean over draws.",
            count=len(law.widths),
            draws=law.draws,
            keys=law.keys,
        )
    )


def _divided(spread: Estimate, widths: tuple[int, ...]) -> Estimate:
    root = np.sqrt(np.array(widths, dtype=float))
    return Estimate(spread.mean / root, spread.error / root)


def _points(name: str, estimate: Estimate, colour: str) -> Curve:
    return Curve(name, estimate.mean, colour, 2 * estimate.error, points=True)


def _band(name: str, estimate: Estimate, colour: str) -> Curve:
    return Curve(name, estimate.mean, colour, 2 * estimate.error)


def _from_zero(law: Law, field: str) -> tuple[float, float]:
    arms: tuple[Arm, Arm] = (law.unscaled, law.scaled)
    tops = []
    for arm in arms:
        estimate: Estimate = getattr(arm, field)
        tops.append(float((estimate.mean + 2 * estimate.error).max()))
    return 0, 1.05 * max(tops)
