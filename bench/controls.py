"""What is measured: the main controls of each page, how each is worked, and what must change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Locator, Page

Watch = list[tuple[str, str]]  # (reader in probe.js, where it looks)
Step = Callable[[Page, int], None]

OUTLINE, ARITHMETIC, OTHER = "outline", "arithmetic", "other"


@dataclass(frozen=True)
class Control:
    """One thing that a reader does.

    Attributes
    ----------
    name : str
        As it is printed.
    event : {"keydown", "click"}
        The browser's event from which the time runs.
    act : callable
        Works the control; called with the page and the number of the turn. Even and odd turns go
        there and back, so that the page does not drift.
    watches : mapping of str to Watch
        What must change, by what it is called.
    goals : mapping of str to str
        Which goal holds for a watch; ``OTHER`` where it is not named.
    prepare : callable, optional
        Done before the clock is set, such as typing the text that Enter will send.
    """

    name: str
    event: str
    act: Step
    watches: dict[str, Watch]
    goals: dict[str, str]
    prepare: Step | None = None


@dataclass(frozen=True)
class Group:
    """The controls of one page, measured turn by turn, each turn beside one of the bare app.

    Attributes
    ----------
    page : str
        As it is printed; empty where a page is measured in two parts.
    path : str
        Where it begins.
    ready : Watch
        Must not be empty before the first turn.
    controls : tuple of Control
    begin : callable, optional
        Done once, on the page at ``path``.
    """

    page: str
    path: str
    ready: Watch
    controls: tuple[Control, ...]
    begin: Callable[[Page], None] | None = None


PAGE = ".st-key-page"
FIGURES: Watch = [("images", PAGE)]
MATRICES: Watch = [("cells", PAGE)]
WORDS: Watch = [("text", ".st-key-arithmetic"), ("cells", ".st-key-arithmetic")]
PICKED = {"outline": OUTLINE, "arithmetic": ARITHMETIC}


def _button(page: Page, key: str, place: int = 0) -> Locator:
    return page.locator(_keyed(key)).locator("button:visible").nth(place)


def _keyed(key: str) -> str:
    """A control that was moved from elsewhere is a new widget, with a version in its key."""
    return f".st-key-{key}, [class*='st-key-{key}-v']"


def _cell(page: Page, key: str, grid: int, row: int, col: int) -> Locator:
    panel = page.locator(f".st-key-{key} [role=grid]").nth(grid)
    return panel.locator(".row").nth(row).get_by_role("gridcell").nth(col)


def _choose(key: str, *places: int) -> Step:
    """Click buttons of a row, one a turn, round and round."""
    return lambda page, turn: _button(page, key, places[turn % len(places)]).click()


def _pick(key: str, grid: int, row: int, col: int) -> Control:
    """Go one cell to the right by arrow key, then back."""

    def prepare(page: Page, turn: int) -> None:
        _cell(page, key, grid, row, col + turn % 2).focus()

    return Control(
        "pick a cell, arrow key",
        "keydown",
        lambda page, turn: page.keyboard.press(("ArrowRight", "ArrowLeft")[turn % 2]),
        {"outline": [("ring", f".st-key-{key}")], "arithmetic": WORDS},
        PICKED,
        prepare,
    )


def slide(name: str, key: str, watches: dict[str, Watch]) -> Control:
    """One step of a slider by arrow key, then back."""
    return Control(
        name,
        "keydown",
        lambda page, turn: page.keyboard.press(("ArrowRight", "ArrowLeft")[turn % 2]),
        watches,
        {},
        lambda page, turn: page.locator(key).locator("input[type=range]").focus(),
    )


def _edit(key: str, grid: int, row: int, col: int) -> Control:
    """Type a number over a cell; the time runs from Enter.

    The number is another one every fourth turn: role and head, chosen in between, come round in
    four turns, and each has numbers of its own.
    """

    def prepare(page: Page, turn: int) -> None:
        _cell(page, key, grid, row, col).focus()
        page.keyboard.press(("1", "2")[turn // 4 % 2])

    return Control(
        "edit a cell, Enter",
        "keydown",
        lambda page, turn: page.keyboard.press("Enter"),
        {"product": [("product", f".st-key-{key}")]},
        {},
        prepare,
    )


def _rename() -> Control:
    field = ":is(" + _keyed("rename") + ") input"
    return Control(
        "rename a token, Enter",
        "keydown",
        lambda page, turn: page.locator(field).press("Enter"),
        {"row labels": [("labels", ".st-key-token-vectors")]},
        {},
        lambda page, turn: page.locator(field).fill(("cat", "it")[turn % 2]),
    )


def _step() -> Control:
    """Step back from the fourth stage to the first, then forward again."""
    return Control(
        "step to another stage",
        "click",
        lambda page, turn: _button(
            page, f"stage-chevron_{'left' if turn % 6 < 3 else 'right'}"
        ).click(),
        {"matrices": MATRICES},
        {},
    )  # fmt: skip


def _head(watches: dict[str, Watch]) -> Control:
    return Control("head", "click", _choose("head", 0, 1, 2, 3), watches, {})


def _undo() -> Control:
    """Undo the changes of ``_change_then_heads`` one by one, then redo them."""
    return Control(
        "undo and redo a change",
        "click",
        lambda page, turn: _button(
            page, f"button--material-{'undo' if turn % 8 < 4 else 'redo'}-"
        ).click(),
        {"matrices": MATRICES},
        {},
    )  # fmt: skip


def _change_then_heads(page: Page) -> None:
    """Make changes that can be undone, and go on to the page by its link."""
    for key, place in (("mask", 1), ("divisor", 1), ("divisor", 2), ("divisor", 3)):
        _button(page, key, place).click()
        page.wait_for_timeout(700)
    page.locator("a[href$='/heads']:visible").first.click()


WEIGHTS: Watch = [("cells", ".st-key-weights")]

BARE_READY: Watch = [("images", "body")]
BARE = slide("slider, arrow key", ".stSlider", {"figure": BARE_READY})

GROUPS = (
    Group(
        "Start",
        "/",
        FIGURES,
        (
            Control(
                "pick a word",
                "click",
                _choose("start-query", 4, 8),
                {
                    "sentence": [("text", f"{PAGE} strong")],
                    "figures": [*FIGURES, ("lines", PAGE)],
                },
                {},
            ),
            _head({"figures": FIGURES}),
        ),
    ),
    Group(
        "Tokens",
        "/tokens",
        [("cells", ".st-key-token-vectors")],
        (
            Control(
                "positions, off and on",
                "click",
                _choose("positions", 0, 1),
                {"matrices": MATRICES},
                {},
            ),
            _rename(),
        ),
    ),
    Group(
        "Projections",
        "/projections",
        [("cells", ".st-key-arithmetic")],
        (
            _pick("projection", 2, 8, 0),
            _edit("projection", 1, 0, 0),
            Control(
                "role, Q and K",
                "click",
                _choose("option-role", 1, 0),
                {"matrices": [("cells", ".st-key-projection")]},
                {},
            ),
            _head({"matrices": [("cells", ".st-key-projection")]}),
        ),
    ),
    Group(
        "Heatmap",
        "/heatmap",
        [("cells", ".st-key-arithmetic")],
        (
            _pick("weights", 0, 8, 1),
            Control("mask, causal", "click", _choose("mask", 1, 0), {"weights": WEIGHTS}, {}),
            Control("divisor", "click", _choose("divisor", 1, 0), {"weights": WEIGHTS}, {}),
            slide("temperature, arrow key", _keyed("temperature"), {"weights": WEIGHTS}),
            _head({"weights": WEIGHTS}),
        ),
    ),
    Group("", "/heatmap", [("cells", ".st-key-arithmetic")], (_step(),)),
    Group("Scaling", "/scaling", MATRICES, (_head({"matrices": MATRICES}),)),
    Group("Heads", "/heatmap", MATRICES, (_undo(),), _change_then_heads),
)
