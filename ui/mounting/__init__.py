"""Components whose code travels once a page.

Streamlit sends a component's inline JavaScript again with every change of its data. So what is
mounted for each change is a few lines, ``mount.js``; they hand it to the code, which a component
that never changes brings to the page: ``install.js`` and, after it, the ``View`` of the component.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent


def mounted(name: str, folder: Path) -> tuple[Callable[..., Any], Callable[[], object]]:
    """Register the component whose code is ``name``.js and whose style is ``name``.css.

    Returns
    -------
    mount : callable
        Draws one, as what ``st.components.v2.component`` returns does.
    bring_code : callable
        Brings the code to the page; once, outside of fragments that run again.
    """

    def read(place: Path) -> str:
        return place.read_text(encoding="utf-8").replace("NAME", name)

    mount = st.components.v2.component(f"attention_{name}", js=read(_HERE / "mount.js"))
    code = st.components.v2.component(
        f"attention_{name}_code",
        js=read(_HERE / "install.js") + (folder / f"{name}.js").read_text(encoding="utf-8"),
    )
    css = (folder / f"{name}.css").read_text(encoding="utf-8")
    return mount, lambda: code(key=f"{name}-code", data={"css": css}, height=1)
