"""The matrix component: matrices that a person reads, picks from and edits."""

from ui.matrix.component import (
    DEFAULT_TEXTS,
    Edit,
    Panel,
    Pick,
    Slot,
    matrix_code,
    matrix_product,
    on_draw,
    panel,
)

__all__ = [
    "DEFAULT_TEXTS",
    "Edit",
    "Panel",
    "Pick",
    "Slot",
    "matrix_code",
    "matrix_product",
    "on_draw",
    "panel",
]
