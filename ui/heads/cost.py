"""What heads cost: this experiment both ways, and models that were published."""

import streamlit as st

from core.cost import MODELS, attention_cost
from core.experiment import Experiment
from ui import session
from ui.ideas import columns
from ui.language import _, _n, whole


def costs() -> None:
    """This experiment with its heads and with one; published models."""
    left, right = columns([1, 1.35], ("experiment", "models"))
    with left:
        if session.experiment().num_heads == 1:
            st.markdown(_("This experiment has one head. Choose more above to compare."))
        else:
            _this_experiment(session.experiment())
    with right:
        _real_models()


def _this_experiment(experiment: Experiment) -> None:
    h, d_k, d_v = experiment.num_heads, experiment.d_k, experiment.d_v
    many, one = (
        attention_cost(
            experiment.n,
            experiment.d_model,
            heads,
            h * d_k // heads,
            h * d_v // heads,
            output_projection=experiment.w_o is not None,
            biases=experiment.b_q is not None,
        )
        for heads in (h, 1)
    )
    rows = {
        _("parameters"): [cost.parameters for cost in (many, one)],
        _("multiplications, projections"): [cost.projections for cost in (many, one)],
        _("multiplications, Q·Kᵀ and weights·V"): [cost.pairs for cost in (many, one)],
        _("weights to hold"): [cost.weights for cost in (many, one)],
    }
    head = _n(
        "| this experiment: {count} token | {h} heads of {d_k} | 1 head of {width} |",
        "| this experiment: {count} tokens | {h} heads of {d_k} | 1 head of {width} |",
        count=experiment.n,
        h=h,
        d_k=d_k,
        width=h * d_k,
    )
    lines = [head, "|---|---:|---:|"]
    lines += [f"| {name} | {whole(a)} | {whole(b)} |" for name, (a, b) in rows.items()]
    with st.container(key="numbers-cost"):
        st.markdown("\n".join(lines))
    st.caption(
        _(
            "Many heads cost no more parameters and no more multiplications, since each is "
            "narrower. Only the tables of weights are {h} times as many.",
            h=h,
        )
    )


def _real_models() -> None:
    lines = [
        _("| model | heads | width | heads × width | d_model printed | attention parameters |"),
        "|---|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    for model in MODELS:
        width = whole(model.width)
        product = width if model.multiplies_out else f"**{width} ≠**"
        lines.append(
            f"| {model.name} | {model.num_heads} | {model.d_head} | {product} | "
            f"{whole(model.d_model)} | {whole(model.parameters)} |"
        )
    with st.container(key="numbers-models"):
        st.markdown("\n".join(lines))
    wrong = [model for model in MODELS if not model.multiplies_out]
    st.caption(
        _(
            "Two rows of the GPT-3 paper's table 2.1 do not multiply out: {first} and "
            "{second}. They are shown as printed.",
            first=f"{wrong[0].name} {wrong[0].num_heads} × {wrong[0].d_head} = "
            f"{whole(wrong[0].width)} ≠ {whole(wrong[0].d_model)}",
            second=f"{wrong[1].name} {wrong[1].num_heads} × {wrong[1].d_head} = "
            f"{whole(wrong[1].width)} ≠ {whole(wrong[1].d_model)}",
        )
    )
