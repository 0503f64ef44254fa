"""Matrices of weights side by side, to pick from: a matrix component each.

Plotly draws a text for every number in a cell, and a page with four matrices of eleven tokens took
more than twice as long as one of our own component. So whatever has numbers in its cells is drawn
by that; where there is no room for them, or more matrices, ``ui.figures.grid`` is the picture.
"""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import session
from ui.heatmaps import Tile
from ui.matrix import Pick, matrix_product, panel
from ui.panels import component_texts, pair_axes

_TOKENS, _MATRICES = 12, 4  # at most, so that a number fits into a cell


def fits(tiles: Sequence[Tile]) -> bool:
    """Whether these matrices have room for their numbers; never on a lecture screen."""
    side = max(max(tile.values.shape) for tile in tiles)
    return side <= _TOKENS and len(tiles) <= _MATRICES and not session.lectures()


def weights(
    place: str, tiles: Sequence[Tile], on_pick: Callable[[int, Pick], None], *, max_height: int
) -> list[DeltaGenerator]:
    """Draw the matrices, the pinned pair outlined in each.

    Parameters
    ----------
    place : str
        Key of the row; each matrix has it with its number.
    tiles : sequence of Tile
    on_pick : callable
        Called with the number of the matrix and the cell that was picked.
    max_height : int
        In pixels.

    Returns
    -------
    list of container
        The column of each matrix, for what stands below it.
    """
    row_axis, col_axis = pair_axes()
    columns = st.columns(len(tiles), gap="small")
    for number, (column, tile) in enumerate(zip(columns, tiles, strict=True)):
        with column:
            matrix_product(
                panel(
                    "w",  # what is read out of a cell has little room
                    tile.values,
                    tile.rows,
                    tile.columns,
                    row_axis=row_axis,
                    col_axis=col_axis,
                    scale="weights",
                    masked=tile.masked,
                    title=tile.title,
                ),
                key=f"{place}-{number}",
                pick=Pick("product", *session.pair()),
                on_pick=partial(on_pick, number),
                texts=component_texts(),
                max_height=max_height,
            )
    return columns
