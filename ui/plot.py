"""How every Plotly picture is shown: alt text, no tool bar, and its numbers to take away."""

from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import files
from core.experiment import Experiment
from ui import controls, drawn, palette_choice, palettes, session, twins
from ui.enlarge import enlarged
from ui.foreign import plotly_texts
from ui.language import _, later
from ui.literal import literal
from ui.palettes import Palette
from ui.parts import Table
from ui.view_page import Picture

_SHOWN = 2500  # cells of tables; a browser needs seconds for more


def show(
    figure: go.Figure, key: str, alt: str, at: DeltaGenerator | None = None, **how: Any
) -> None:
    """Show a picture, with a button for its numbers.

    Parameters
    ----------
    figure : go.Figure
    key : str
        Key of the picture; its container is called ``picture-KEY``.
    alt : str
        What it shows, in words made from the data.
    at : container, optional
        Where it goes.
    **how
        Handed on to ``st.plotly_chart``: ``on_select`` and the like.
    """
    drawn.note(f"picture {key}", Picture(figure, alt))
    with (at or st).container(key=f"picture-{key}"):
        shown = enlarged(figure) if session.lectures() else figure
        shown = painted(shown, palette_choice.current())
        st.plotly_chart(shown, key=key, alt=alt, config={"displayModeBar": False}, **how)
        explanation = _("Its numbers, as a table and to take away")
        if controls.icon_button(f"more-{key}", "table_view", explanation):
            st.dialog(_("The numbers of this picture"), width="large")(_take_away)(figure, key, alt)


class _Checked(go.Figure):  # type: ignore[misc]  # Plotly has no types
    """A picture as data that Plotly has checked before, which it would do again otherwise."""

    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__()
        self._spec = spec

    def to_dict(self) -> dict[str, Any]:
        return self._spec


def painted(figure: go.Figure, palette: Palette) -> go.Figure:
    """The picture in a palette, to be shown; the default one is the picture itself."""
    return _Checked(palettes.recolour(figure.to_dict(), palette)) if palette.inks else figure


def _take_away(figure: go.Figure, key: str, alt: str) -> None:
    """The same numbers as tables, as files, and as a picture to save."""
    found = figure.tables
    paper = palettes.on_paper(palette_choice.current())
    st.caption(literal(alt))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            _("Numbers (CSV)"),
            lambda: twins.to_csv(found),
            file_name=f"{key}.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            _("One page that still hovers (HTML)"),
            later(partial(_page, figure, alt, session.experiment(), paper)),
            file_name=f"{key}.html",
            mime="text/html",
            icon=":material/download:",
            on_click="ignore",
        )
        kind = st.segmented_control(
            _("Picture"), ["svg", "png"], default="svg", required=True, key=f"kind-{key}",
            label_visibility="collapsed", format_func=str.upper,
        )  # fmt: skip
        if not paper.grey:
            names = {False: _("as on screen"), True: _("for grey print")}
            grey = st.segmented_control(
                _("Colours"), list(names), default=False, required=True, key=f"colours-{key}",
                label_visibility="collapsed", format_func=names.__getitem__,
            )  # fmt: skip
            paper = palettes.PRINT if grey else paper
    st.plotly_chart(
        twins.on_paper(figure, paper),
        key=f"paper-{key}-{kind}-{paper.name}",
        theme=None,
        config={
            "displaylogo": False,
            "displayModeBar": True,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": {"format": kind, "filename": key, "scale": 2},
            **plotly_texts(),
        },
        alt=alt,
    )
    st.caption(_("The camera at the picture's corner saves it."))
    cells = 0
    for table in found:
        cells += len(table.rows) * len(table.header)
        if cells > _SHOWN:
            st.caption(_("More tables are in the CSV."))
            break
        _table(table)


def _page(figure: go.Figure, alt: str, experiment: Experiment, palette: Palette) -> str:
    return twins.to_html(figure, alt, files.to_json(experiment), palette)


def _table(table: Table) -> None:
    lines = ["| " + " | ".join(literal(name) or "·" for name in table.header) + " |"]
    lines.append("|---|" + "---:|" * (len(table.header) - 1))
    lines += ["| " + " | ".join(map(literal, row)) + " |" for row in table.rows]
    st.markdown(f"**{literal(table.title)}**" if table.title else "")
    with st.container(key=f"numbers-{id(table)}"):
        st.markdown("\n".join(lines))
