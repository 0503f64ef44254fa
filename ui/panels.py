"""Matrices of a trace as panels of the matrix component: names, labels, scales, masks."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.experiment import SYMBOLS, Experiment
from core.explain import numbered
from core.trace import Trace
from ui.language import _
from ui.matrix import Panel, panel

ROLES = {"query": "w_q", "key": "w_k", "value": "w_v"}
ROLE_SYMBOLS = {"query": "Q", "key": "K", "value": "V"}


def stage_name(stage: str) -> str:
    """A stage as it is called on screen."""
    return {
        "token_vectors": _("word vectors"),
        "embeddings": "X",
        "query": "Q",
        "key": "K",
        "value": "V",
        "scores": _("scores"),
        "scaled_scores": _("scaled"),
        "masked_scores": _("masked"),
        "weights": _("weights"),
        "head_outputs": _("head output"),
        "concatenated": _("heads side by side"),
        "output": _("output"),
    }[stage]


def pair_axes() -> tuple[str, str]:
    """What the rows and the columns of a matrix over pairs of tokens are."""
    return _("query: who looks"), _("key: who is looked at")


def component_texts() -> dict[str, str]:
    """What the matrix component itself says, in the reader's language."""
    return {
        "masked": _("masked out"),
        "row": _("row"),
        "column": _("column"),
        "edit_hint": _("Enter or double click to edit"),
        "toggle_hint": _("click or Space to switch"),
        "pick_hint": _("Point at a cell to read it"),
        "panels": _("Matrix to show"),
        "too_long": _("Nothing was pasted: the text is longer than 10 000 characters"),
        "take": _("Save as a picture or as numbers"),
        "take_svg": _("Picture (SVG)"),
        "take_png": _("Picture (PNG)"),
        "take_csv": _("Numbers (CSV)"),
        "below_zero": _("below 0"),
    }


@dataclass(frozen=True)
class Panels:
    """Makes the panels of one experiment, its trace and one head."""

    experiment: Experiment
    trace: Trace
    head: int

    @property
    def _many(self) -> bool:
        return self.experiment.num_heads > 1

    def token_vectors(self, *, editable: bool = False) -> Panel:
        """Word vectors, without positions: (n, d_model)."""
        return self._over_dimensions(
            stage_name("token_vectors"),
            self.experiment.token_vectors,
            editable=editable,
            saved_as="X",
        )

    def position_encoding(self) -> Panel:
        """What the positions add: (n, d_model)."""
        return self._over_dimensions(
            _("positions"),
            self.trace.position_encoding,
            title=_("+ positions, together X"),
        )

    def embeddings(self, *, editable: bool = False) -> Panel:
        """X, positions added: (n, d_model)."""
        # In a file X is without positions: they would be added twice.
        saved_as = "X" if self.experiment.positions == "off" else "X with positions"
        return self._over_dimensions(
            "X", self.trace.embeddings, editable=editable, saved_as=saved_as
        )

    def projection(self, name: str, *, editable: bool = False) -> Panel:
        """The head's columns of w_q, w_k or w_v: (d_model, d_k or d_v)."""
        columns = self.experiment.head_columns(self.head, name)
        values = getattr(self.experiment, name)[:, columns]
        return panel(
            SYMBOLS[name],
            values,
            self.experiment.dimension_labels(),
            numbered(values.shape[1]),
            editable=editable,
            saved_as=f"{SYMBOLS[name]} head {self.head}" if self._many else SYMBOLS[name],
        )

    def role(self, role: str) -> Panel:
        """Q, K or V of the head: (n, d_k or d_v)."""
        values = getattr(self.trace, role)[self.head]
        return panel(
            ROLE_SYMBOLS[role], values, self.experiment.labels(), numbered(values.shape[1])
        )

    def key_transposed(self) -> Panel:
        """Kᵀ of the head: (d_k, n)."""
        values = self.trace.key[self.head].T
        return panel("Kᵀ", values, numbered(values.shape[0]), self.experiment.labels())

    def pairs(self, stage: str, *, limit: float | None = None, title: str | None = None) -> Panel:
        """Scores, scaled, masked or weights of the head: (n, n)."""
        values = getattr(self.trace, stage)[self.head]
        row_axis, col_axis = pair_axes()
        after_mask = stage in ("masked_scores", "weights")
        return panel(
            stage_name(stage),
            values,
            self.experiment.labels(),
            self.experiment.labels(),
            row_axis=row_axis,
            col_axis=col_axis,
            scale="weights" if stage == "weights" else "signed",
            limit=limit,
            masked=~self.trace.allowed if after_mask else None,
            title=title,
        )

    def mask(self) -> Panel:
        """Who may look at whom, 1 or 0, to be switched: (n, n)."""
        row_axis, col_axis = pair_axes()
        return panel(
            _("who may look (1 = yes)"),
            self.trace.allowed.astype(float),
            self.experiment.labels(),
            self.experiment.labels(),
            row_axis=row_axis,
            col_axis=col_axis,
            scale="weights",
            toggle=True,
        )

    def head_output(self) -> Panel:
        """weights · V of the head: (n, d_v)."""
        values = self.trace.head_outputs[self.head]
        return panel(
            stage_name("head_outputs"),
            values,
            self.experiment.labels(),
            numbered(values.shape[1]),
        )

    def output(self) -> Panel:
        """All heads together: (n, d_model), or (n, h·d_v) without w_o."""
        return panel(
            stage_name("output"),
            self.trace.output,
            self.experiment.labels(),
            self.experiment.output_labels(),
        )

    def output_operands(self) -> tuple[Panel, Panel] | tuple[None, None]:
        """Heads side by side and W_O, whose product is the output; nothing without w_o."""
        w_o = self.experiment.w_o
        if w_o is None:
            return None, None
        inner = self.experiment.head_labels()
        heads = panel(
            stage_name("concatenated"), self.trace.concatenated, self.experiment.labels(), inner
        )
        columns = self.experiment.dimension_labels()
        return heads, panel("W_O", w_o, inner, columns, editable=True, saved_as="W_O")

    def score_limit(self) -> float:
        """One colour range for scores before and after scaling, so that they compare."""
        return float(
            np.abs([self.trace.scores[self.head], self.trace.scaled_scores[self.head]]).max()
        )

    def _over_dimensions(
        self,
        name: str,
        values: Array,
        *,
        editable: bool = False,
        title: str | None = None,
        saved_as: str = "",
    ) -> Panel:
        return panel(
            name,
            values,
            self.experiment.labels(),
            self.experiment.dimension_labels(),
            editable=editable,
            title=title,
            saved_as=saved_as,
        )
