"""The experiment as a program: its text, its files, and where in it each symbol is computed."""

from functools import partial

import streamlit as st

from core.experiment import Experiment
from core.script import Place, script, to_notebook, to_script
from ui.ideas import height
from ui.language import _, decimal

FILE = "attention"
HEIGHT, CAPTION = 440, 38  # in pixels
LONG = 200_000  # characters, from which a browser is slow with the colours
BEGINNING = 20_000  # characters shown of a long program
_SHOWN = "code:shown"

_LATEX = {
    "scores": r"Q K^{\top}",
    "divisor": r"\sqrt{d_k}",
    "mask": r"\text{mask}",
    "softmax": r"\operatorname{softmax}",
    "weights": r"\text{weights}",
    "head_outputs": r"\text{weights} \; V",
    "output": r"\text{output}",
}


def program(experiment: Experiment) -> dict[str, Place]:
    """Show the script and offer it as a file; return where it computes what."""
    text, length, places = _shown(experiment)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            _("Run it with {command}; it needs only NumPy.", command=f"`python {FILE}.py`"),
            width="content",
        )
        st.space("stretch")
        for ending, make, kind, explanation in (
            ("py", to_script, "text/x-python", _("Download the script")),
            ("ipynb", to_notebook, "application/x-ipynb+json", _("Download it as a notebook")),
        ):
            st.download_button(
                f".{ending}",
                partial(make, experiment),  # made when it is asked for
                file_name=f"{FILE}.{ending}",
                mime=kind,
                on_click="ignore",
                icon=":material/download:",
                help=explanation,
            )
    whole = len(text) == length
    if not whole:
        st.caption(
            _(
                "The script is {size} MB long; this is its beginning. The files are complete.",
                size=decimal(length / 1e6, 1),
            )
        )
    with st.container(key="code-text"):
        st.code(text, line_numbers=True, height=height(HEIGHT if whole else HEIGHT - CAPTION, 320))
    return places


def _shown(experiment: Experiment) -> tuple[str, int, dict[str, Place]]:
    """What is on screen of the script, its full length, its places; written once."""
    known, *shown = st.session_state.get(_SHOWN, (None, "", 0, {}))
    if known is not experiment:
        made = script(experiment)
        text = made.text
        if len(text) > LONG:
            text = text[: text.rindex("\n", 0, BEGINNING)]
        shown = [text, len(made.text), made.places]
        st.session_state[_SHOWN] = (experiment, *shown)
    text, length, places = shown
    return text, length, places


def formula(experiment: Experiment) -> None:
    """Attention as one formula, with what this experiment has."""
    below = _divisor(experiment)
    scaled = rf"\frac{{Q K^{{\top}}}}{{{below}}}" if below else r"Q K^{\top}"
    mask = "" if experiment.mask == "none" else r" + \text{mask}"
    st.latex(
        r"\small \operatorname{Attention}(Q, K, V) = "
        rf"\operatorname{{softmax}}\left({scaled}{mask}\right) V"
    )


def table(experiment: Experiment, places: dict[str, Place]) -> None:
    """Each symbol of the formula: what it is, its shape, the line that computes it."""
    header = (_("symbol"), _("what it is"), _("shape"), _("line"))
    rows = [f"| {' | '.join(header)} |", "|---|---|---|---|"]
    symbols = _LATEX | {"divisor": _divisor(experiment) or _LATEX["divisor"]}
    for names, meaning in _meanings(experiment).items():
        # Where the shapes in one row differ, it becomes two.
        for shape in dict.fromkeys(places[name].shape for name in names if name in places):
            alike = [name for name in names if places[name].shape == shape]
            written = ", ".join(f"${symbols.get(name, name)}$" for name in alike)
            size = "\u00a0×\u00a0".join(map(str, shape)) or "1"
            lines = ", ".join(str(places[name].line) for name in alike)
            rows.append(f"| {written} | {meaning} | {size} | {lines} |")
    with st.container(key="numbers-code"):
        st.markdown("\n".join(rows))


def _meanings(experiment: Experiment) -> dict[tuple[str, ...], str]:
    """What stands in one row of the table, by its names in the script's places."""
    divisor = _("divisor") if _divisor(experiment) else _("left out")
    return {
        ("X",): _("one row a token"),
        ("W_Q", "W_K", "W_V"): _("learned matrices"),
        ("Q", "K", "V"): _("X times each W"),
        ("scores",): _("scores"),
        ("divisor",): divisor if experiment.temperature == 1 else _("T: temperature"),
        ("mask",): _("who may look"),
        ("softmax",): _("scores → shares"),
        ("weights",): _("rows sum to 1"),
        ("head_outputs",): _("values, mixed"),
        ("W_O",): _("joins the heads"),
        ("output",): _("one row a token"),
    }


def pages() -> None:
    """The pages that show the same in pictures."""
    with st.container(horizontal=True, gap=None):
        for name, label in (
            ("tokens", _("**Tokens:** X")),
            ("projections", _("**Projections:** W, Q, K, V")),
            ("heatmap", _("**Attention:** Q Kᵀ to weights V")),
            ("scaling", _("**Scaling:** √d_k")),
            ("heads", _("**Heads:** W_O")),
        ):
            st.page_link(f"pages/{name}.py", label=label, width="content")


def _divisor(experiment: Experiment) -> str:
    """What the scores are divided by, as LaTeX; nothing where they are not divided."""
    divisors = {"sqrt_d_k": r"\sqrt{d_k}", "none": "", "d_k": "d_k",
                "sqrt_d_model": r"\sqrt{d_{\text{model}}}"}  # fmt: skip
    temperature = "T" if experiment.temperature != 1 else ""
    return r" \cdot ".join(filter(None, (divisors[experiment.divisor], temperature)))
