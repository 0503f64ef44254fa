"""Tokens: from a sentence to vectors."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from core import edit, files
from core.arrays import Array
from core.experiment import MAX_D_MODEL, MAX_TOKEN_LENGTH, Experiment
from core.positions import SLOW_STEPS
from core.trace import Trace, trace
from ui import controls, describe, sentence, session, shell
from ui.ideas import columns, height, idea
from ui.language import _, decimal, mark
from ui.literal import literal
from ui.matrix import Pick, matrix_product
from ui.panels import Panels, component_texts

shell.guard()


def body() -> None:
    """Sentence, single tokens, the matrix X, where it comes from, files."""
    with idea("sentence"):
        _sentence()
        controls.choose_token("token-choice", lambda i: session.pin(query=i))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _one_token()
            st.space("stretch")
            _positions()
            _draw()
        sentence.unknown_words()
    experiment = session.experiment()
    result = trace(experiment)
    _matrices(experiment, result)


def _sentence() -> None:
    """The whole sentence, how it is cut, and files."""
    if session.lectures():
        sentence.field()
        sentence.cutting()
        return
    text, how, load = st.columns([6, 4.2, 1.3], vertical_alignment="center")
    with text:
        sentence.field()
    with how:
        sentence.cutting()
    with load.popover(_("Files"), width="stretch"):
        _files()


def _one_token() -> None:
    """Rename the pinned token, move it, remove it, or add one after it."""
    now = session.experiment()
    index, _key = session.pair()
    controls.text(
        "rename",
        _("Rename the token"),
        now.tokens[index],
        _rename,
        max_chars=MAX_TOKEN_LENGTH,
        width=130,
    )
    actions = (
        (_("Left"), _("Move it to the left"), "arrow_back", lambda: _move(-1), index > 0),
        (_("Right"), _("Move it to the right"), "arrow_forward", lambda: _move(1),
         index < now.n - 1),
        (_("Add"), _("Add a token after it"), "add", _add, True),
        (_("Remove"), _("Take it out"), "delete", _remove, now.n > 1),
    )  # fmt: skip
    for label, explanation, icon, act, possible in actions:
        st.button(
            label,
            key=f"token-{icon}",
            icon=f":material/{icon}:",
            on_click=act,
            disabled=not possible,
            help=explanation,
        )


def _rename(word: str) -> None:
    index, _key = session.pair()
    session.change(lambda e: edit.rename(e, index, word))


def _move(by: int) -> None:
    index, _key = session.pair()  # asked now: the button may be older than the last pick
    to = max(0, min(index + by, session.experiment().n - 1))
    _change_and_pin(lambda e: edit.move(e, index, to), to)


def _add() -> None:
    after = session.pair()[0] + 1
    _change_and_pin(lambda e: edit.insert(e, after, _("new")), after)


def _remove() -> None:
    index, _key = session.pair()
    _change_and_pin(lambda e: edit.remove(e, index), index)


def _change_and_pin(make: Callable[[Experiment], Experiment], query: int) -> None:
    if session.change(make):
        session.pin(query=query)


def _positions() -> None:
    now = session.experiment()
    names = {"off": _("off"), "sinusoidal": _("sinusoidal"), "clock": _("clock")}
    if now.positions != "clock" and not now.dimension_names:
        del names["clock"]  # no dimension is kept for it
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", width="content", wrap=False
    ):
        st.markdown(_("Positions"), width="content")
        controls.choose(
            "positions",
            _("Positions"),
            names,
            now.positions,
            lambda chosen: session.change(lambda e: e.with_(positions=chosen)),
        )


def _draw() -> None:
    """Width and seed; another of either draws all numbers at random."""
    now = session.experiment()
    for key, label, value, limits, change in (
        ("d_model", "d_model", now.d_model, (1, MAX_D_MODEL),
         lambda chosen: _redraw(now.seed, chosen)),
        ("seed", _("seed"), now.seed, (0, 2**31 - 1), _redraw),
    ):  # fmt: skip
        st.markdown(label, width="content")
        explanation = _(
            "Another one draws all vectors and matrices at random. Undo brings these back."
        )
        controls.whole_number(key, label, value, limits, change, width=72, help=explanation)


def _redraw(seed: int, d_model: int | None = None) -> None:
    session.change(lambda now: edit.redraw(now, seed=seed, d_model=d_model))


def _matrices(experiment: Experiment, result: Trace) -> None:
    """Word vectors to edit; beside them what the positions add."""
    panels = Panels(experiment, result, session.head())
    on = experiment.positions != "off"
    left, right = columns([1, 1], ("vectors", "positions")) if on else (idea("vectors"), None)
    if not on and session.lectures():
        with idea("positions"):
            st.markdown(_("Positions are off: X is the word vectors as they are."))
    tall = height(290, 318)
    with left:
        matrix_product(
            panels.token_vectors(editable=True),
            key="token-vectors",
            pick=session.picked("token-vectors"),
            on_pick=_pick,
            on_edit=partial(session.write_numbers, "token_vectors"),
            texts=component_texts(),
            max_height=tall,
        )
    if right:
        with right:
            matrix_product(
                panels.position_encoding(),
                key="position-encoding",
                texts=component_texts(),
                max_height=tall,
            )
    # Below both; in a lecture with the one that it is about.
    with (right or left) if session.lectures() else st.container():
        _equal_words(experiment, result)


def _pick(pick: Pick) -> None:
    session.remember_pick("token-vectors", pick)
    session.pin(query=pick.row)


def _equal_words(experiment: Experiment, result: Trace) -> None:
    """Two equal words: equal vectors, and how far positions move them apart."""
    pair = _first_equal_pair(experiment.tokens, experiment.token_vectors)
    if not session.lectures():
        st.caption(
            _("Double click a cell to edit it, or paste a block from a spreadsheet over it.")
        )
    if experiment.positions == "clock" and experiment.n > SLOW_STEPS:
        st.caption(
            _(
                "The clock's slow hand turns once in {count} tokens: positions {count} apart look "
                "alike.",
                count=SLOW_STEPS,
            )
        )
    if pair is None:
        return
    i, j = pair
    labels = describe.short_labels(experiment)
    distance = float(np.linalg.norm(result.embeddings[i] - result.embeddings[j]))
    if experiment.positions == "off":
        text = _(
            "{first} and {second} are the same token, so they have the same vector. Without "
            "positions attention cannot tell them apart.",
            first=labels[i],
            second=labels[j],
        )
    else:
        text = _(
            "{first} and {second} are the same token, so they have the same vector. Positions move "
            "their rows of X apart, by a distance of {distance}.",
            first=labels[i],
            second=labels[j],
            distance=decimal(distance, 2),
        )
    st.markdown(literal(text))


def _first_equal_pair(words: tuple[str, ...], vectors: Array) -> tuple[int, int] | None:
    """Two equal tokens with equal vectors; words before punctuation."""
    order = sorted(range(len(words)), key=lambda j: not any(map(str.isalnum, words[j])))
    for j in order:
        i = words.index(words[j])
        if i < j and np.array_equal(vectors[i], vectors[j]):
            return i, j
    return None


def _files() -> None:
    now = session.experiment()
    if now.w_q.size > files.LARGE:
        st.caption(
            _("At this size a saved file may pass the {limit} MB that can be loaded.",
              limit=files.MAX_BYTES // 1_000_000)
        )  # fmt: skip
    st.file_uploader(
        _("Load an experiment, tokens, X or W (CSV, JSON, NPZ, HTML, PY, IPYNB; 5 MB)"),
        key="upload",
        on_change=_load,
    )
    for label, name, make, kind in (
        (_("Tokens and vectors (CSV)"), "experiment.csv", files.to_csv, "text/csv"),
        (_("All of it (JSON)"), "experiment.json", files.to_json, "application/json"),
        (_("All of it (NPZ)"), "experiment.npz", files.to_npz, "application/octet-stream"),
    ):
        st.download_button(
            label,
            partial(make, now),  # made when it is asked for
            file_name=name,
            mime=kind,
            on_click="ignore",
            icon=":material/download:",
            width="stretch",
        )


def _load() -> None:
    upload = st.session_state["upload"]
    if upload is not None:
        session.open_file(lambda now: files.read(upload.name, upload.getvalue(), now))


shell.show(
    "tokens",
    mark("A sentence becomes tokens, and each token a row of numbers: its vector."),
    body,
    heads=False,
)
