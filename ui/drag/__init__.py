"""The drag component: two arrows, or a row of bars, whose tips a person moves."""

from ui.drag.component import arrows, bars, drag_code

__all__ = ["arrows", "bars", "drag_code"]
