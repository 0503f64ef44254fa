"""Short lectures to begin with: opened as one's own list, to walk through or to change."""

from core import link, presets
from core.experiment import Experiment
from core.lecture import Lecture, Step
from ui.language import _, current

_WIDE = 64  # d_k at which the missing divisor is seen at once
SCALING, ROLES = "scaling", "roles"


def names() -> dict[str, str]:
    """What there is, as it is called in the reader's language."""
    return {
        SCALING: _("√d_k in four minutes"),
        ROLES: _("Q, K and V in five minutes"),
    }


def lecture(name: str) -> Lecture:
    """One of them, with the experiments of the reader's language."""
    steps = {SCALING: _scaling, ROLES: _roles}[name]()
    return Lecture(names()[name], tuple(steps))


def _sentence() -> Experiment:
    return presets.build(f"relations-{current()}")


def _scaling() -> list[Step]:
    wide = presets.with_d_k(presets.random(_sentence().tokens), _WIDE)
    drawn = {"preset": wide.preset, "x": link.to_link(wide)}
    return [
        Step("scaling", drawn, _("The same weights with and without ÷ √d_k")),
        Step("scaling", {**drawn, "why": "spread"}, _("Scores grow with √d_k")),
        Step("scaling", {**drawn, "why": "learning"}, _("Softmax saturates, its gradient fades")),
        Step("scaling", {**drawn, "why": "overflow"}, _("It is not overflow")),
        Step("learning", drawn, _("A race: with the scale and without")),
    ]


def _roles() -> list[Step]:
    sentence = {"preset": _sentence().preset}
    return [
        Step("start", sentence, _("A word looks at others")),
        Step("start", {**sentence, "start": "library"}, _("A library: query, keys, values")),
        Step("projections", sentence, _("X times W_Q is Q")),
        Step("projections", {**sentence, "role": "key"}, _("X times W_K is K")),
        Step("heatmap", {**sentence, "stage": "scores"}, _("Q·Kᵀ: every query meets every key")),
        Step("heatmap", sentence, _("Softmax makes shares of it")),
        Step("heatmap", {**sentence, "stage": "head_outputs"}, _("The shares mix the values")),
    ]
