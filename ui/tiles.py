"""Stages of a trace as tiles for the pictures of many matrices."""

from core.experiment import Experiment
from core.explain import numbered
from core.trace import Trace
from ui.heatmaps import Tile
from ui.panels import ROLE_SYMBOLS, stage_name


def tiles(experiment: Experiment, result: Trace, head: int) -> dict[str, Tile]:
    """Every stage of one head, named as in the trace."""
    labels = experiment.labels()
    made = {
        "embeddings": Tile("X", result.embeddings, labels, experiment.dimension_labels()),
        "output": Tile(stage_name("output"), result.output, labels, experiment.output_labels()),
        "head_outputs": Tile(
            stage_name("head_outputs"), result.head_outputs[head], labels, numbered(experiment.d_v)
        ),
    }
    for role, symbol in ROLE_SYMBOLS.items():
        values = getattr(result, role)[head]
        made[role] = Tile(symbol, values, labels, numbered(values.shape[1]))
    for stage in ("scores", "scaled_scores", "masked_scores", "weights"):
        made[stage] = weights_tile(experiment, result, head, stage)
    return made


def weights_tile(
    experiment: Experiment, result: Trace, head: int, stage: str = "weights", title: str = ""
) -> Tile:
    """One matrix over pairs of tokens."""
    return Tile(
        title or stage_name(stage),
        getattr(result, stage)[head],
        experiment.labels(),
        experiment.labels(),
        weights=stage == "weights",
        masked=~result.allowed if stage in ("masked_scores", "weights") else None,
    )
