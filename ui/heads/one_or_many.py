"""One head against many: what a single one must give up."""

import streamlit as st

from core import presets
from core.experiment import Experiment
from core.trace import Trace, trace
from ui import describe, figures, plot, session
from ui.heads.names import head_name
from ui.ideas import columns, height
from ui.language import _, _n, percent, significant
from ui.literal import literal
from ui.panels import pair_axes
from ui.tiles import weights_tile


def one_or_many() -> None:
    """The current head beside one wide head; each relation's weight on its right key."""
    experiment, head = session.experiment(), session.head()
    if experiment.num_heads == 1:
        st.markdown(_("This experiment has one head. Choose more above to compare."))
        return
    one = experiment.with_(num_heads=1, head_names=())
    results = trace(experiment), trace(one)
    left, right = columns([1.25, 1], ("pictures", "relations"))
    with left:
        plot.show(
            figures.grid(
                [
                    weights_tile(experiment, results[0], head, title=head_name(experiment, head)),
                    weights_tile(one, results[1], 0, title=_("one head of width {w}", w=one.d_k)),
                ],
                columns=2,
                axes=pair_axes(),
                outline=session.pair(),
                height=height(360, 330),
                narrow=True,
            ),
            key="heads-one",
            alt=_("Weights of the current head beside those of one head made of all matrices."),
        )
        st.caption(
            _(
                "The same W_Q and W_K, not cut: q·k of the one head is the sum of the q·k of all "
                "heads. It is divided by {wide}, that of each narrow head by {narrow}.",
                wide=significant(one.divisor_value, 3),
                narrow=significant(experiment.divisor_value, 3),
            )
        )
    with right:
        _relations(experiment, *results)


def _relations(experiment: Experiment, many: Trace, one: Trace) -> None:
    """The weight on the right key, where somebody has said which one is right."""
    pairs = [p for p in presets.right_pairs(experiment) if many.allowed[p.query, p.key]]
    if not pairs:
        st.markdown(
            _(
                "Which key is the right one is written down only for the preset with four "
                "relations, in its own sentence and with its four heads. There it can be measured."
            )
        )
        return
    labels = describe.short_labels(experiment)
    lines = [_("| question | right key | its own head | one head |"), "|---|---|---:|---:|"]
    groups: dict[int, list[tuple[float, float]]] = {}
    for pair in pairs:
        own = float(many.weights[pair.head, pair.query, pair.key])
        shared = float(one.weights[0, pair.query, pair.key])
        groups.setdefault(pair.head, []).append((own, shared))
        if len(pairs) <= 8 or pair.head < experiment.num_heads - 1:
            lines.append(
                f"| {literal(_short_name(experiment, pair.head))}: {literal(labels[pair.query])} | "
                f"{literal(labels[pair.key])} | {_marked(own)} | {_marked(shared)} |"
            )
    last = groups.get(experiment.num_heads - 1, [(0.0, 0.0)])
    lines.append(
        _(
            "| {name}, mean of {count} | | {own} | {shared} |",
            name=literal(_short_name(experiment, experiment.num_heads - 1)),
            count=len(last),
            own=_marked(sum(o for o, _s in last) / len(last)),
            shared=_marked(sum(s for _o, s in last) / len(last)),
        )
    )
    with st.container(key="numbers-relations"):
        st.markdown("\n".join(lines))
    found, kept = (
        sum(shares[way] >= 0.5 for group in groups.values() for shares in group) for way in (0, 1)
    )
    st.markdown(
        _n(
            "With a head for each question the right key gets half of the weight or more in "
            "{found} of {count} case. The one head serves every question with one set of weights: "
            "{kept} of {count}. (These are the matrices of the many heads; one head that learned "
            "by itself could do somewhat better.)",
            "With a head for each question the right key gets half of the weight or more in "
            "{found} of {count} cases. The one head serves every question with one set of weights: "
            "{kept} of {count}. (These are the matrices of the many heads; one head that learned "
            "by itself could do somewhat better.)",
            count=len(pairs),
            found=found,
            kept=kept,
        )
    )


def _short_name(experiment: Experiment, head: int) -> str:
    return experiment.head_names[head] if experiment.head_names else head_name(experiment, head)


def _marked(share: float) -> str:
    text = percent(share)
    return f"**{text}**" if share < 0.5 else text
