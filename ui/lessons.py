"""What the Learning page teaches: the race, what forms in the matrices, many seeds, why depth."""

from dataclasses import replace

import numpy as np
import streamlit as st

from core.experiment import SYMBOLS
from core.explain import numbered
from core.training.learner import NAMED, Frame, Learner, Settings
from core.training.model import LAYER_NAMES
from core.training.race import Race
from ui import controls, describe, figures, plot, racing, session
from ui.heatmaps import Tile
from ui.ideas import columns, height, idea
from ui.language import _, _n, percent, significant

_D_K, _RATES = ("16", "64", "128"), ("0.003", "0.001", "0.0003")
_SEEDS = ("5", "10", "20")
_EARLY = 50  # steps: before any learner is done, so that both still have something to learn


def the_race() -> None:
    """The same layer with and without the scale."""
    settings, limit = _settings()
    with idea("task"):
        say = st.markdown if session.lectures() else st.caption
        say(
            _(
                "Twelve letters in a ring. At each place four questions: which letter is before, "
                "behind, first, and at the mirrored place? Same start, same letters for both."
            )
        )
    racing.race("race", _arms(settings), limit, _rows, _verdict)


def many_seeds() -> None:
    """Every seed's outcome, so that no one has to trust a lucky run."""
    settings, limit = _settings()
    st.markdown(
        _("One run may be lucky. The same race from one seed after the other, and how each ended:")
    )
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with row:
        st.markdown(_("seeds"), width="content")
        seeds = int(controls.option("seeds", _("seeds"), {n: n for n in _SEEDS}, "10"))
    racing.sweep(row, _arms(replace(settings, seed=0)), seeds, limit)


def depth() -> None:
    """A task that one layer cannot learn and two can."""
    settings = Settings(task="induction", num_heads=2, d_k=32, d_v=32, seed=_seed())
    arms = {"two": replace(settings, layers=2), "one": replace(settings, layers=1)}
    racing.race("depth", arms, 300, _rows, _why_depth)


def formed() -> None:
    """The matrices before and after, and the patterns between positions."""
    race = racing.kept_race("race")
    if race is None or race.step == 0:
        st.markdown(_("Here you see what has formed in the race, once it has run."))
        st.button(
            _("Start the race"),
            key="formed-start",
            icon=":material/play_arrow:",
            on_click=_start_race,
        )
        return
    arm = session.option("arm", ("0", "1"), "0")
    learner = list(race.learners.values())[int(arm)]
    first, last = learner.frames[0], learner.frames[-1]
    positions = numbered(len(learner.example))
    limit = float(np.abs(last.patterns).max())
    rows = [
        (
            name,
            [
                Tile(title, pattern, positions, positions, limit=limit)
                for title, pattern in zip(_head_names(frame), frame.patterns, strict=True)
            ],
        )
        for name, frame in ((_("before"), first), (_("step {n}", n=last.step), last))
    ]
    left, right = columns([1, 1.05], ("patterns", "matrices"))
    with left:
        st.markdown(_("**Positions asking positions:** P·W_Q·W_Kᵀ·Pᵀ, one per head"))
        plot.show(
            figures.gallery(rows, height=height(400, 330)),
            key="race-patterns",
            alt=_n(
                "Scores between positions alone, before and after {count} step. The heads now: "
                "{heads}.",
                "Scores between positions alone, before and after {count} steps. The heads now: "
                "{heads}.",
                count=last.step,
                heads=describe.listed(_head_names(last)),
            ),
        )
    with right:
        st.markdown(_("**The weights**, all heads side by side"))
        plot.show(
            figures.gallery(_weight_rows(learner), height=height(400, 330), shapes=True),
            key="race-matrices",
            alt=_n(
                "W_Q, W_K, W_V and W_O before and after {count} step.",
                "W_Q, W_K, W_V and W_O before and after {count} steps.",
                count=last.step,
            ),
        )
    with idea("words"):
        _say_formed(learner, last)


def _say_formed(learner: Learner, last: Frame) -> None:
    """What can be seen in the patterns, in words."""
    found = [
        name
        for name, mass in zip(_head_names(last), last.role_mass, strict=True)
        if mass.max() >= NAMED
    ]
    if not found:
        st.markdown(
            _n(
                "After {count} step no head has found a job yet.",
                "After {count} steps no head has found a job yet.",
                count=last.step,
            )
        )
        return
    st.markdown(
        _(
            "On the left noise has become patterns: {found}. Nobody wrote them; the loss did. W_Q "
            "and W_K moved by {change} of their size and look as random as before: the pattern is "
            "in the product W_Q·W_Kᵀ, not in single numbers.",
            found=describe.listed(found),
            change=percent(_change(learner)),
        )
    )  # fmt: skip


def _start_race() -> None:
    session.set_option("lesson", "race", "race")
    session.run("race")


def controls_of(lesson: str) -> None:
    """What can be chosen in a lesson."""
    if lesson == "formed":
        controls.option("arm", _("Learner"), {"0": _("÷ √d_k"), "1": _("no scale")}, "0")
    if lesson in ("race", "seeds"):
        st.markdown("d_k", width="content")
        controls.option("race-d_k", "d_k", {n: n for n in _D_K}, "64")
        st.markdown(_("rate"), width="content")
        controls.option("rate", _("rate"), {n: n for n in _RATES}, _RATES[0])
    if lesson in ("race", "depth"):
        controls.number_option("race-seed", _("seed"), (0, 999), 0)


def _settings() -> tuple[Settings, int]:
    """d_k, rate and seed of the four questions, and how many steps there are."""
    d_k = session.option("race-d_k", _D_K, "64")
    rate = session.option("rate", _RATES, _RATES[0])
    limit = 300 if rate == _RATES[0] else 1000
    return Settings(d_k=int(d_k), rate=float(rate), seed=_seed()), limit


def _seed() -> int:
    return int(session.option("race-seed", tuple(map(str, range(1000))), "0"))


def _arms(settings: Settings) -> dict[str, Settings]:
    return {"scaled": settings, "unscaled": replace(settings, scaled=False)}


def _rows(race: Race, step: int) -> list[tuple[str, list[Tile]]]:
    """A row a learner, a heatmap a head."""
    rows = []
    for arm, learner in race.learners.items():
        frame = learner.frames[step]
        labels = [f"{letter}·{i}" for i, letter in enumerate(learner.example)]
        rows.append(
            (racing.arm_name(arm), racing.head_tiles(frame, labels, _titles(learner, frame)))
        )
    return rows


def _titles(learner: Learner, frame: Frame) -> list[str]:
    if learner.settings.layers == 1:
        return _head_names(frame)
    heads = range(learner.settings.num_heads)
    return [
        _("layer {layer}, head {head}", layer=layer + 1, head=head)
        for layer in range(learner.settings.layers)
        for head in heads
    ]


def _head_names(frame: Frame) -> list[str]:
    """What each head does where it is plain; else its number."""
    roles = [_("previous"), _("next"), _("first"), _("mirror")]
    names = []
    for head, mass in enumerate(frame.role_mass):
        best = int(mass.argmax())
        names.append(roles[best] if mass[best] >= NAMED else _("head {head}", head=head))
    return names


def _weight_rows(learner: Learner) -> list[tuple[str, list[Tile]]]:
    now = {name: learner.parameters[name][0] for name in LAYER_NAMES}
    # A few numbers are far larger than all others, which would be too faint to see.
    limits = {name: float(np.quantile(np.abs(matrix), 0.99)) for name, matrix in now.items()}
    start = {name: learner.start[name][0] for name in LAYER_NAMES}
    return [
        (
            title,
            [
                Tile(
                    SYMBOLS[name],
                    matrix,
                    numbered(matrix.shape[0]),
                    numbered(matrix.shape[1]),
                    limit=limits[name],
                )
                for name, matrix in matrices.items()
            ],
        )
        for title, matrices in (
            (_("before"), start), (_("step {n}", n=learner.frames[-1].step), now)
        )
    ]  # fmt: skip


def _change(learner: Learner) -> float:
    """How far W_Q and W_K have moved, in parts of their first size."""
    names = ("w_q", "w_k")
    moved = sum(np.linalg.norm(learner.parameters[n] - learner.start[n]) ** 2 for n in names)
    size = sum(np.linalg.norm(learner.start[n]) ** 2 for n in names)
    return float(np.sqrt(moved / size))


def _verdict(race: Race) -> None:
    """What vanishes and what does not, in the numbers of this very race."""
    if race.step < _EARLY:
        return
    scores = list(racing.average(race, "score_gradient", _EARLY).values())
    query = list(racing.average(race, "query_gradient", _EARLY).values())
    st.markdown(
        _(
            "Over the first {count} steps the learner without the scale had {scores} times the "
            "gradient **at softmax's input** that the other had, and {query} times the gradient of "
            "**W_Q**.",
            count=_EARLY,
            scores=significant(scores[1] / scores[0], 2),
            query=significant(query[1] / query[0], 2),
        )
    )
    one_hot = list(racing.average(race, "saturated", _EARLY).values())
    if scores[1] < scores[0] and query[1] > query[0] and one_hot[1] > max(0.5, one_hot[0]):
        st.markdown(
            _(
                "So while it learns not all gradients vanish. In these steps {share} of its rows "
                "were one-hot and answered to nothing; the others took steps that are too large. "
                "With the scale a row becomes one-hot too, but only after it has found its place.",
                share=percent(one_hot[1]),
            )
        )
    if not race.finished:
        return
    scaled, unscaled = race.learners.values()
    if scaled.settings.rate < float(_RATES[0]):
        _with_small_steps(unscaled)
    elif unscaled.reached is not None:
        st.markdown(
            _(
                "At this width the learner without the scale got there too, at step {reached}. "
                "Wider heads make its scores larger: try d_k 64 or 128.",
                reached=unscaled.reached,
            )
        )
    else:
        slower = st.button(
            _("Does it learn with steps ten times smaller?"),
            key="race-slow",
            icon=":material/slow_motion_video:",
        )
        if slower:
            session.set_option("rate", _RATES[0], _RATES[-1])
            st.rerun()  # another race, and its controls lie outside of this fragment


def _with_small_steps(unscaled: Learner) -> None:
    last = unscaled.frames[-1]
    if unscaled.reached is None:
        text = _(
            "With smaller steps the learner without the scale got to {accuracy} in {steps} steps. "
            "Other seeds may get there: see lesson 3.",
            accuracy=percent(last.accuracy, 1),
            steps=last.step,
        )
    else:
        text = _(
            "With smaller steps the learner without the scale learns too, at step {reached}. So "
            "the words for wide heads are “needs much smaller steps”, not “cannot”.",
            reached=unscaled.reached,
        )
    st.markdown(text)


def _why_depth(race: Race) -> None:
    two, one = race.learners.values()
    if two.reached is None:
        st.caption(
            _(
                "A block of letters is repeated; its length differs from problem to problem. Which "
                "letter comes next? One must find the same letter earlier and say what stood "
                "*after* it. Letters may look back only. Press Play."
            )
        )
        return
    st.markdown(
        _(
            "Two layers got 99 % right at step {two}; one layer is at {one} after {step}. Two can "
            "pass a note: in the first layer each place gathers what stands before it, in the "
            "second a head looks for the place whose note is the present letter; here it puts "
            "{mass} of its weight there. One layer cannot: when it looks, no note is written yet.",
            two=two.reached,
            one=percent(one.frames[-1].accuracy),
            step=race.step,
            mass=percent(two.frames[-1].role_mass.max()),
        )
    )
