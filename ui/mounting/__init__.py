"""Components whose code travels once a page.

Streamlit sends a component's inline JavaScript again with every change of its data. So what is
mounted for each change is a few lines, ``mount.js``; they hand it to the code, which a component
that never changes brings to the page: ``install.js`` and, after it, the ``View`` of the component.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent

_ask: Callable[[], Mapping[str, Any]] = dict


def follow(ask: Callable[[], Mapping[str, Any]]) -> None:
    """From now on ``ask`` tells how components look; it is called whenever one is drawn.

    What it says: ``hues`` (``positive``, ``negative`` and ``weights``, each as red, green and
    blue), and ``grey``, whether more ink stands for more and no hue means anything. Nothing said
    is a component's own look.
    """
    global _ask
    _ask = ask


def mounted(name: str, folder: Path) -> tuple[Callable[..., Any], Callable[[], object]]:
    """Register the component whose code is every .js of a folder and whose style is every .css.

    Returns
    -------
    mount : callable
        Draws one, as what ``st.components.v2.component`` returns does; its data say how it looks
        too.
    bring_code : callable
        Brings the code to the page; once, outside of fragments that run again.
    """

    def read(place: Path) -> str:
        return place.read_text(encoding="utf-8").replace("NAME", name)

    def all_of(ending: str) -> str:
        return "\n".join(one.read_text(encoding="utf-8") for one in sorted(folder.glob(ending)))

    draw = st.components.v2.component(f"attention_{name}", js=read(_HERE / "mount.js"))

    def mount(*, data: dict[str, Any], **how: Any) -> object:
        look = _ask()
        return draw(data={**data, "look": look} if look else data, **how)

    code = st.components.v2.component(
        f"attention_{name}_code",
        js=read(_HERE / "install.js") + all_of("*.js"),
    )
    css = all_of("*.css")
    return mount, lambda: code(key=f"{name}-code", data={"css": css}, height=1)
