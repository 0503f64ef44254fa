"""How the heads' answers become one output: side by side times W_O, or added up."""

import numpy as np
import streamlit as st

from core.heads import head_contributions, output_of
from core.trace import trace
from ui import plot, session
from ui.heads.figures import product_by_heads, sum_of_heads
from ui.heads.names import head_names
from ui.heads.switches import switches
from ui.heatmaps import Tile
from ui.ideas import height, idea
from ui.language import _, significant
from ui.panels import stage_name


def output() -> None:
    """The product, the sum, and the output with some heads switched off."""
    experiment = session.experiment()
    result = trace(experiment)
    names, labels = head_names(experiment), experiment.labels()
    inner, outer = experiment.head_labels(), experiment.output_labels()
    w_o = experiment.w_o
    if w_o is None:
        st.markdown(
            _("This experiment has no W_O: its output is the heads side by side, as they are.")
        )
        w_o = np.eye(result.output.shape[1])
    with idea("product"):
        plot.show(
            product_by_heads(
                Tile(stage_name("concatenated"), result.concatenated, labels, inner),
                Tile("W_O", w_o, inner, outer),
                Tile(stage_name("output"), result.output, labels, outer),
                experiment.num_heads,
                [str(t) for t in range(len(names))] if session.lectures() else names,
                height(195, 230),
            ),
            key="heads-product",
            alt=_("The heads side by side, each in a frame of its own, times W_O is the output."),
        )
    with idea("sum"):
        on = switches("output", _("Heads that speak"), names)
        parts = head_contributions(experiment, result)
        total = output_of(experiment, result, on)
        limit = float(max(np.abs(parts).max(), np.abs(total).max(), np.abs(result.output).max()))
        silent = np.zeros_like(parts[0])
        added = [
            Tile(name, parts[t] if t in on else silent, labels, outer, limit=limit)
            for t, name in enumerate(names)
        ]
        if experiment.b_o is not None and experiment.w_o is not None:
            bias = np.broadcast_to(experiment.b_o, total.shape)
            added.append(Tile("b_O", bias, labels, outer, limit=limit))
        plot.show(
            sum_of_heads(
                added,
                Tile(_("sum"), total, labels, outer, limit=limit),
                height(150 * (1 + len(added) // 9), 170),
            ),
            key="heads-sum",
            alt=_(
                "Each head's own contribution through its rows of W_O; they add up to the output."
            ),
        )
        _say(float(np.abs(total - result.output).max()), len(on) == len(names))


def _say(difference: float, all_on: bool) -> None:
    experiment = session.experiment()
    if all_on:
        st.markdown(
            _(
                "Head t meets only its own rows of W_O (d_v = {d_v}), so the product is a sum with "
                "one contribution per head (h = {h}). Sum and output differ by at most "
                "{difference}. Switch a head off to hear the others without it.",
                d_v=experiment.d_v,
                h=experiment.num_heads,
                difference=significant(difference, 1),
            )
        )
    else:
        st.markdown(
            _(
                "With these heads only, the output changes by up to **{difference}** in a cell.",
                difference=significant(difference, 3),
            )
        )
