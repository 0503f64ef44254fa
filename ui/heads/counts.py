"""How many heads there are and how wide each is: a control above every lesson."""

from collections.abc import Callable

import streamlit as st

from core import edit
from core.experiment import MAX_HEADS, MAX_WIDTH, Experiment
from ui import controls, describe, session
from ui.language import _, _n, significant


def shape() -> None:
    """Number of heads and width of each, behind a button that tells both."""
    now = session.experiment()
    label = _n(
        "{count} head, d_k {d_k}", "{count} heads, d_k {d_k}", count=now.num_heads, d_k=now.d_k
    )
    with st.popover(label, icon=":material/view_week:"):
        st.markdown(_("Number of heads: what divides d_model = {d_model}", d_model=now.d_model))
        fitting = {h for h in range(1, MAX_HEADS + 1) if now.d_model % h == 0}
        offered = sorted(fitting | {now.num_heads})
        controls.choose(
            "num-heads",
            _("Number of heads"),
            {h: str(h) for h in offered},
            now.num_heads,
            lambda h: _change(lambda e: edit.set_heads(e, h)),
        )
        st.markdown(
            _(
                "Width of a query and a key in each head, d_k. As a rule d_model / h = {rule}, but "
                "any width works:",
                rule=significant(now.d_model / now.num_heads, 4),
            )
        )
        controls.whole_number(
            "d_k",
            "d_k",
            now.d_k,
            (1, MAX_WIDTH // now.num_heads),
            lambda d_k: _change(lambda e: edit.set_d_k(e, d_k)),
        )


def _change(make: Callable[[Experiment], Experiment]) -> None:
    """Change the shape and say what was drawn anew; the current head is clamped."""
    before = session.experiment()
    if not session.change(make):
        return
    after = session.experiment()
    drawn = edit.changed_matrices(before, after)
    if drawn:
        text = _(
            "{matrices} changed with the width; tokens and X stay. Undo brings the old ones back.",
            matrices=describe.listed(drawn),
        )
    elif after.num_heads == 1:
        text = _("The same matrices as one head of width {d_k}: no number changed.", d_k=after.d_k)
    else:
        text = _(
            "The same matrices, cut into {heads} heads of width {d_k}: no number changed.",
            heads=after.num_heads,
            d_k=after.d_k,
        )
    session.notify(text)
