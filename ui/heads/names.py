"""Heads in words: their names, and the job that their numbers earn."""

from core.experiment import Experiment
from ui.language import _


def head_name(experiment: Experiment, head: int) -> str:
    """ "head 2 reference", or "head 2" where heads have no names."""
    given = experiment.head_names
    name = given[head] if given else ""
    return _("head {head}", head=head) + (f" {name}" if name else "")


def head_names(experiment: Experiment) -> list[str]:
    """Names of all heads."""
    return [head_name(experiment, head) for head in range(experiment.num_heads)]


def job_name(job: str) -> str:
    """A job as :func:`core.heads.job` calls it, in words; "" for none."""
    return {
        "even": _("asks nothing"),
        "previous": _("looks one back"),
        "itself": _("looks at itself"),
        "following": _("looks one ahead"),
        "first": _("looks at the first"),
        "": "",
    }[job]
