"""Races of the Learning page: learners that are kept in the session and run a little at each tick.

The tick is a fragment that the browser asks for, so nothing runs when nobody looks: no thread, and
no more than a slice of a second at a time, so that other readers get their turn.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from time import perf_counter
from typing import TypeVar, cast

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from threadpoolctl import ThreadpoolController

from core.training.learner import Frame, Learner, Settings
from core.training.race import Outcome, Race, Sweep
from ui import controls, curves, figures, plot, session
from ui.curves import WITH, WITHOUT, Chart, Curve
from ui.heatmaps import Tile
from ui.ideas import columns, height, idea
from ui.language import _, _n, percent, significant, whole
from ui.literal import literal

TICK = 0.4  # seconds from one frame to the next
_SLICE = 0.25  # seconds of computing in one tick, at most
_HEIGHT = 295
_SPEEDS = (1, 2, 5, 10, 25)
_POINTS = 200  # of a curve; more cannot be told apart

T = TypeVar("T")
Arms = Mapping[str, Settings]
Rows = Callable[[Race, int], Sequence[tuple[str, Sequence[Tile]]]]


def arm_name(arm: str) -> str:
    """A learner in the reader's language; its key stays the same when that changes."""
    return {
        "scaled": _("÷ √d_k"),
        "unscaled": _("no scale"),
        "two": _("2 layers"),
        "one": _("1 layer"),
    }[arm]


@st.cache_resource
def _pool() -> ThreadpoolController:
    """Look once for the libraries that start threads; looking takes longer than a step."""
    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Matrices this small are slower on several threads, and much slower on a busy machine."""
    with _pool().limit(limits=1):
        yield


def race(name: str, arms: Arms, limit: int, rows: Rows, below: Callable[[Race], None]) -> None:
    """Draw a race: buttons, pictures of the step on show, its numbers.

    Parameters
    ----------
    name : str
        Of the race among all that the session keeps.
    arms : mapping
        Settings by the name of the learner; a change of any starts the race anew.
    limit : int
        Steps.
    rows : callable
        The heatmaps of a step: named rows of tiles.
    below : callable
        Says what the race has shown so far.
    """
    running = _kept(name, (tuple(arms.items()), limit), lambda: Race(arms, limit))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _buttons(name, running)
    # A fragment of its own: a tick sends the pictures and nothing else.
    every = TICK if session.runs(name) and not running.finished else None
    st.fragment(partial(_tick, name, running, rows, below), run_every=every)()


def kept_race(name: str) -> Race | None:
    """The race of this name, if there is one."""
    _key, running = st.session_state.get(name, (None, None))
    return running if isinstance(running, Race) else None


def _kept(name: str, key: Hashable, make: Callable[[], T]) -> T:
    """What the session keeps under this name, made anew when ``key`` has changed."""
    known, thing = st.session_state.get(name, (None, None))
    if known != key:
        thing = make()
        st.session_state[name] = (key, thing)
        st.session_state[_shown_key(name)] = None
        if known is not None and session.runs(name):
            session.run(None)  # another race than the one that was started
    return cast(T, thing)


def _shown_key(name: str) -> str:
    return f"{name}-shown"


def _buttons(name: str, running: Race) -> None:
    playing = session.runs(name) and not running.finished
    st.button(
        _("Pause") if playing else _("Play"),
        key=f"{name}-play",
        icon=":material/pause:" if playing else ":material/play_arrow:",
        disabled=running.finished,
        on_click=session.run,
        args=(None if playing else name,),
        shortcut="Space",
    )
    st.button(
        _("One step"),
        key=f"{name}-one",
        icon=":material/skip_next:",
        disabled=playing or running.finished,
        on_click=_one_step,
        args=(name, running),
    )
    st.button(
        _("Again from 0"),
        key=f"{name}-again",
        icon=":material/restart_alt:",
        disabled=running.step == 0,
        on_click=_forget,
        args=(name,),
    )
    if session.lectures():
        return
    st.markdown(_("steps a frame"), width="content")
    controls.option("speed", _("steps a frame"), {str(n): str(n) for n in _SPEEDS}, "5")
    _open_elsewhere(running)


def _one_step(name: str, running: Race) -> None:
    with one_thread():
        running.advance()
    st.session_state[_shown_key(name)] = None


def _forget(name: str) -> None:
    session.run(None)
    st.session_state.pop(name, None)


def _open_elsewhere(running: Race) -> None:
    """A learner as it is now, as the experiment of all other pages."""
    with st.popover(_("Open it on the other pages"), icon=":material/open_in_new:"):
        for number, (arm, learner) in enumerate(running.learners.items()):
            for layer in range(learner.settings.layers):
                name = arm_name(arm)
                of = _("{arm}, layer {layer}", arm=name, layer=layer + 1)
                st.button(
                    of if learner.settings.layers > 1 else name,
                    key=f"open-{number}-{layer}",
                    on_click=_open,
                    args=(learner, layer),
                    width="stretch",
                )
        st.caption(
            _(
                "X is what enters the layer: letter and position, normalised. It is too large for "
                "a link; save it as a file on the Tokens page."
            )
        )


def _open(learner: Learner, layer: int) -> None:
    session.open_file(lambda _now: learner.experiment(layer))
    session.pin_strongest(session.pair()[0])
    session.notify(
        _n(
            "The trained layer is open on all pages, as it is after {count} step.",
            "The trained layer is open on all pages, as it is after {count} steps.",
            count=learner.frames[-1].step,
        )
    )


def _tick(name: str, running: Race, rows: Rows, below: Callable[[Race], None]) -> None:
    """One frame: some steps where the race runs, then the pictures."""
    if session.runs(name) and not running.finished:
        _advance(running, int(session.option("speed", tuple(map(str, _SPEEDS)), "5")))
        st.session_state[_shown_key(name)] = None
        if running.finished:
            session.run(None)
            st.rerun()  # the buttons lie outside of this fragment
    step = _time(name, running)
    left, right = columns([1.12, 1], ("weights", "curves"))
    drawn = rows(running, step)
    plot.show(
        figures.gallery(drawn, height=height(_HEIGHT, 264)),
        key=f"{name}-weights",
        at=left,
        alt=_n(
            "Weights of each head on one fixed example after {count} step: {rows}.",
            "Weights of each head on one fixed example after {count} steps: {rows}.",
            count=step,
            rows=_("; ").join(row for row, _tiles in drawn),
        ),
    )
    plot.show(
        curves.charts(_charts(running, step), 2, height=height(_HEIGHT, 264)),
        key=f"{name}-curves",
        at=right,
        alt=_("Loss, right answers, one-hot rows and the gradient at softmax's input."),
    )
    with idea("numbers"):
        _table(running, step)
        below(running)


def _advance(running: Race | Sweep, steps: int | None = None) -> None:
    """Make some steps, at least one, until the slice of this tick is used up."""
    end = perf_counter() + _SLICE
    with one_thread():
        for _step in count() if steps is None else range(steps):
            running.advance()
            if running.finished or perf_counter() > end:
                break


def _time(name: str, running: Race) -> int:
    """The step on show: the last one, or an earlier one when the reader goes back."""
    shown = st.session_state.get(_shown_key(name))
    step = running.step if shown is None else min(int(shown), running.step)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            _("**Step {step}** of {limit}", step=step, limit=running.limit), width="content"
        )
        if running.step and not session.runs(name):
            controls.slide(
                f"{name}-time",
                _("Step"),
                step,
                (0, running.step),
                lambda chosen: st.session_state.__setitem__(_shown_key(name), chosen),
                step=1,
            )
        else:
            st.progress(step / running.limit)
    return step


def _charts(running: Race, shown: int) -> list[Chart]:
    titles = {
        "loss": _("loss"),
        "accuracy": _("right answers"),
        "saturated": _("one-hot rows (largest weight > 0.99)"),
        "score_gradient": _("mean |gradient at softmax's input|"),
    }
    steps = np.unique(np.linspace(0, running.step, _POINTS).astype(int))
    return [
        Chart(
            title,
            steps.astype(float),
            [
                Curve(
                    arm_name(arm),
                    np.array([getattr(learner.frames[i], field) for i in steps]),
                    colour,
                )
                for (arm, learner), colour in zip(
                    running.learners.items(), (WITH, WITHOUT), strict=True
                )
            ],
            log_y=field in ("loss", "score_gradient"),
            range_y=(0, 1.02) if field in ("accuracy", "saturated") else None,
            range_x=(0, running.limit),
            mark=shown if shown < running.step else None,
        )
        for field, title in titles.items()
    ]


def _table(running: Race, step: int) -> None:
    header = _(
        "| learner | right answers | loss | one-hot rows | mean gradient at softmax's input | "
        "norm of W_Q's gradient | 99 % right |"
    )
    lines = [header, "|---|---:|---:|---:|---:|---:|---|"]
    for arm, frame in running.frames_at(step).items():
        reached = running.learners[arm].reached
        cells = (
            f"**{literal(arm_name(arm))}**",
            percent(frame.accuracy, 1),
            significant(frame.loss, 3),
            percent(frame.saturated, 1),
            significant(frame.score_gradient, 2),
            significant(frame.query_gradient, 2),
            _("not yet") if reached is None or reached > step else _("at step {n}", n=reached),
        )
        lines.append("| " + " | ".join(cells) + " |")
    with st.container(key="numbers-race"):
        st.markdown("\n".join(lines))


def average(running: Race, field: str, first: int) -> dict[str, float]:
    """Mean of a measurement over the first steps, for each learner."""
    return {
        arm: float(np.mean([getattr(frame, field) for frame in learner.frames[:first]]))
        for arm, learner in running.learners.items()
    }


def sweep(row: DeltaGenerator, arms: Arms, seeds: int, limit: int) -> None:
    """Draw the same race over many seeds: start and stop, progress, how each one ended.

    Sweeps with other settings stay in the table, so that they can be compared.

    Parameters
    ----------
    row : container
        Where the button goes.
    arms, limit
        As for :func:`race`.
    seeds : int
        How many.
    """
    sweeps: dict[str, Sweep] = st.session_state.setdefault("sweeps", {})
    settings = next(iter(arms.values()))
    name = f"sweep {settings.d_k} {settings.rate} {seeds}"
    running = sweeps.setdefault(name, Sweep(arms, seeds, limit))
    on = session.runs(name) and not running.finished
    row.button(
        _("Stop") if on else _("Run {count} seeds", count=seeds),
        key="sweep-run",
        icon=":material/stop:" if on else ":material/play_arrow:",
        disabled=running.finished,
        on_click=session.run,
        args=(None if on else name,),
    )
    st.fragment(partial(_sweep_tick, name, sweeps), run_every=TICK if on else None)()


def _sweep_tick(name: str, sweeps: Mapping[str, Sweep]) -> None:
    running = sweeps[name]
    if session.runs(name) and not running.finished:
        _advance(running)
        if running.finished:
            session.run(None)
            st.rerun()  # the button lies outside of this fragment
    st.progress(
        running.progress,
        _("{done} of {all} seeds", done=len(running.outcomes), all=running.seeds),
    )
    shown = [one for one in sweeps.values() if one.outcomes]
    if not shown:
        return
    seeds = max(len(one.outcomes) for one in shown)
    columns = [
        (one.arms[arm], arm, [outcome[arm] for outcome in one.outcomes])
        for one in shown
        for arm in one.arms
    ]
    lines = [
        _("| seed |") + "".join(f" {_column_name(how, arm)} |" for how, arm, _ends in columns),
        "|---|" + "---:|" * len(columns),
        _("| **99 % right** |") + "".join(f" {_summary(ends)} |" for _t, _a, ends in columns),
    ]
    for seed in range(seeds):
        cells = [_ended(ends[seed]) if seed < len(ends) else "" for _t, _a, ends in columns]
        lines.append(f"| {seed} | " + " | ".join(cells) + " |")
    with st.container(key="numbers-sweep"):
        st.markdown("\n".join(lines))
    st.caption(
        _(
            "One row per seed. Bold: the step at which 99 % of the answers were right. Otherwise: "
            "the share of right answers at the end."
        )
    )


def _column_name(settings: Settings, arm: str) -> str:
    return _(
        "d_k {d_k}, rate {rate}, {arm}",
        d_k=settings.d_k,
        rate=settings.rate,
        arm=literal(arm_name(arm)),
    )


def _ended(outcome: Outcome) -> str:
    return percent(outcome.accuracy, 1) if outcome.reached is None else f"**{outcome.reached}**"


def _summary(outcomes: Sequence[Outcome]) -> str:
    reached = [one.reached for one in outcomes if one.reached is not None]
    share = _("**{count} of {all}**", count=len(reached), all=len(outcomes))
    if not reached:
        return share
    return share + _(", median step {step}", step=whole(np.median(reached)))


def head_tiles(frame: Frame, labels: Sequence[str], names: Sequence[str]) -> list[Tile]:
    """The weights of every head of every layer."""
    flat = frame.weights.reshape(-1, *frame.weights.shape[-2:])
    return [
        Tile(name, values, labels, labels, weights=True)
        for name, values in zip(names, flat, strict=True)
    ]
