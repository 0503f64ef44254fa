"""The matrix component: matrices that a person reads, picks from and edits."""

from ui.matrix.component import DEFAULT_TEXTS, Edit, Panel, Pick, matrix_code, matrix_product, panel

__all__ = ["DEFAULT_TEXTS", "Edit", "Panel", "Pick", "matrix_code", "matrix_product", "panel"]
