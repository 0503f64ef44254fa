"""The whole computation as one picture, the pinned pair outlined."""

from core.experiment import Experiment
from core.trace import Trace
from ui import describe, figures, plot, session
from ui.ideas import height
from ui.tiles import tiles


def show_pipeline(key: str, experiment: Experiment, result: Trace) -> None:
    """Draw every stage of the current head."""
    head = session.head()
    stages = ("scores", "scaled_scores", "masked_scores", "weights")
    plot.show(
        figures.pipeline(
            tiles(experiment, result, head),
            dict.fromkeys(stages, session.pair()),
            height=height(228, 350),
        ),
        key=key,
        alt=describe.pipeline_alt(experiment, head),
    )
