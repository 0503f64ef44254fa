"""Who has no mouse, a phone, no patience for motion, other eyes, or reads Chinese: all is there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect
from test_app import (  # noqa: F401  (a fixture)
    DRAWN,
    HEAD,
    PHONE,
    RELATIONS,
    RIGHT,
    UNDO,
    Visit,
    cell,
    control,
    every_page,
    in_address,
    in_the_link,
    numbers,
    out_of_address,
    parameters,
    place,
    ready,
    shows,
    until,
    visit,
)
from test_axe import serious

from core import edit
from core.attention import softmax
from core.softmax_steps import TRIAD
from core.trace import trace

pytestmark = pytest.mark.browser

STILL: Mapping[str, Any] = {"reduced_motion": "reduce"}
CHINESE: Mapping[str, Any] = {"locale": "zh-CN", **STILL}
MOST_STOPS = 90  # of the keyboard on one page

# ---- the keyboard ----

# The element that has the focus, in whatever shadow it lies.
HELD = """let held = document.activeElement;
  while (held?.shadowRoot?.activeElement) held = held.shadowRoot.activeElement;"""
# Whether it lies in a place of the page and, of itself, is something.
HOLDS = f"""([where, what]) => {{ {HELD}
  const above = (one) => one.closest(where) || (one.getRootNode().host
    && above(one.getRootNode().host));
  return Boolean(held && held !== document.body && above(held) && held.matches(what));
}}"""


def holds(page: Page, where: str, what: str = "*") -> bool:
    return bool(page.evaluate(HOLDS, [where, what]))


def held(page: Page) -> str:
    """What has the focus, for a sentence."""
    return page.evaluate(f"() => {{ {HELD} return held?.outerHTML.slice(0, 200) ?? ''; }}")


def reach(page: Page, where: str, what: str = "*", key: str = "Tab") -> None:
    """Press Tab, or another key, until the focus is there."""
    for _ in range(MOST_STOPS):
        if holds(page, where, what):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{where} {what} is not reached by {key}; the focus is on {held(page)}")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def quiet(page: Page) -> None:
    """Wait until nothing on the page is older than the last run, and all of it is drawn."""
    page.wait_for_function(
        """() => document.querySelector('[data-test-script-state="notRunning"]')
          && !document.querySelector('.st-key-page [data-stale="true"]')
          && getComputedStyle(document.querySelector('.st-key-corner')).position === 'fixed'
          && ![...document.querySelectorAll('[data-testid=stSkeleton]')]
            .some((one) => one.checkVisibility())
          && [...document.querySelectorAll('.stPlotlyChart, [class*=st-key-picture-]')]
            .every((one) => one.querySelector('.main-svg'))
          && [...document.querySelectorAll('[class*=st-key-more-] button')]
            .every((button) => button.innerText.trim() || !button.checkVisibility())"""
    )


def at(key: str) -> str:
    """The place of a control by its key; one that was moved has a version behind it."""
    return f'.st-key-{key}, [class*="st-key-{key}-v"]'


def use(page: Page, where: str, *keys: str, what: str = "button", key: str = "Tab") -> None:
    """Go to a control by keys, and press some on it."""
    quiet(page)
    reach(page, where, what, key)
    press(page, *keys)


def pick(page: Page, key: str, text: str, way: str = "Tab") -> None:
    """Choose one of a row of buttons: Tab to the row, arrows in it, Space on the button."""
    use(page, at(key), what="[role=radio]", key=way)
    for arrow in ["ArrowRight"] * 12 + ["ArrowLeft"] * 12:
        if page.evaluate(f"() => {{ {HELD} return held.innerText.trim(); }}").startswith(text):
            page.keyboard.press("Space")
            return
        page.keyboard.press(arrow)
    raise AssertionError(f"Arrow keys do not reach {text} of {key}: {held(page)}")


def follow(page: Page, name: str) -> None:
    """Go to the next page by the link at the foot, which is the last stop."""
    use(page, ".st-key-path", "Enter", what=f'a[href$="{name}"]')
    until(lambda: place(page), lambda found: f"/{name}" in found, name)
    ready(page, name)


def test_the_first_pages_by_keys_alone(visit: Visit) -> None:  # noqa: F811
    page = visit(**STILL)
    use(page, at("sentence"), "Control+a", what="input")
    page.keyboard.type("the dog chases the cat")
    page.keyboard.press("Enter")
    now = edit.set_tokens(RELATIONS, ["the", "dog", "chases", "the", "cat"])
    until(lambda: in_the_link(page), lambda found: found == now)
    pick(page, "start-query", "dog")
    in_address(page, q="1")
    pick(page, "head", "1", "Shift+Tab")
    in_address(page, head="1")

    follow(page, "tokens")
    use(page, at("rename"), "Control+a", what="input")
    page.keyboard.type("wolf")
    page.keyboard.press("Enter")
    now = edit.rename(now, 1, "wolf")
    until(lambda: in_the_link(page), lambda found: found == now)
    use(page, ".st-key-token-vectors", "Control+Home", "ArrowDown", "ArrowRight",
        what="[role=gridcell]")  # fmt: skip
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    shows(page, "token-vectors", 0, edit.set_cell(now, "token_vectors", 1, 1, 2.5).token_vectors)
    use(page, UNDO, "Enter", key="Shift+Tab")
    until(lambda: in_the_link(page), lambda found: found == now)
    shows(page, "token-vectors", 0, now.token_vectors)

    follow(page, "projections")
    shows(page, "projection", RIGHT, now.w_q[:, now.head_columns(1, "w_q")])
    use(page, ".st-key-projection", "ArrowDown", "ArrowRight", what='[aria-label^="Q,"] *')
    in_address(page, q="2")
    left = trace(now).embeddings[2]
    right = now.w_q[:, now.head_columns(1, "w_q")][:, 1]
    shows(page, "terms-query", 0, np.array([left, right, left * right]))
    pick(page, "option-role", "K", "Shift+Tab")
    in_address(page, role="key")
    shows(page, "projection", 2, trace(now).key[1])


def test_the_middle_pages_by_keys_alone(visit: Visit) -> None:  # noqa: F811
    page = visit("dot", **STILL)
    use(page, ".st-key-dot-arrows", "ArrowRight", "Shift+ArrowUp", what="[role=slider]")
    assert "3.1, 2" in held(page)
    expect(page.locator("[data-testid=stMetricValue]").first).to_have_text("7.1")  # · (1, 2)

    follow(page, "scaling")
    use(page, ".st-key-why-chevron_right", "Enter")
    in_address(page, why="spread")
    use(page, at("option-width"), "ArrowRight", what="input")
    until(lambda: parameters(page).get("width"), lambda found: found is not None)

    page.goto(place(page).partition("scaling")[0] + "softmax")
    ready(page, "softmax")
    use(page, ".st-key-page", "ArrowUp", "ArrowUp", what="[role=slider].handle")
    expect(page.locator(".handle").first).to_have_attribute("aria-valuetext", "3.4")
    weights = softmax(np.array([3.4, *TRIAD[1:]]))  # the message of the second press has come
    until(lambda: numbers(page, "soft-numbers")[-1], lambda found: np.allclose(found, weights))
    use(page, ".st-key-soft-reset", "Enter", key="Shift+Tab")
    expect(page.locator(".handle").first).to_have_attribute("aria-valuetext", "3.2")


def test_the_last_pages_by_keys_alone(visit: Visit) -> None:  # noqa: F811
    page = visit("heatmap", **STILL)
    for stage in ("head_outputs", "output"):
        use(page, ".st-key-stage-chevron_right", "Enter")
        in_address(page, stage=stage)
    pick(page, "mask", "causal")
    until(lambda: in_the_link(page).mask, lambda found: found == "causal")
    pick(page, "option-stage", "3", "Shift+Tab")
    in_address(page, stage="masked_scores")
    pick(page, "mask", "by hand")
    until(lambda: in_the_link(page).mask, lambda found: found == "manual")
    now = in_the_link(page)
    use(page, ".st-key-mask-by-hand", "Control+Home", "Space", what="[role=gridcell]")
    changed = edit.toggle_mask(now, 0, 0)
    until(lambda: in_the_link(page), lambda found: found == changed)

    follow(page, "masks")
    for lesson in ("minus", "arrive"):
        use(page, ".st-key-masks-chevron_right", "Enter")
        in_address(page, masks=lesson)
    use(page, ".st-key-mask-next", "Enter")
    in_address(page, arrived="4")

    follow(page, "heads")
    use(page, ".st-key-part-chevron_right", "Enter")
    in_address(page, part="query")
    use(page, ".st-key-heads-table", "Control+Home", what="[role=gridcell]")
    in_address(page, head="0")


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def open_and_close(page: Page, where: str, opened: Locator) -> None:
    """A dialog by keys: it takes the focus, holds it, and gives it back where it was."""
    use(page, where, "Enter")
    expect(opened).to_be_visible()
    until(lambda: holds(page, "[role=dialog]"), bool, "the focus in the dialog")
    inside = []
    for _ in range(40):  # all of it, and round
        page.keyboard.press("Tab")
        inside.append(holds(page, "[role=dialog]"))
    assert inside.count(True) >= 3
    page.keyboard.press("Escape")
    hint = page.locator("[data-testid=stTooltipContent]")
    until(lambda: opened.count() == 0 or hint.count() == 0, bool)
    if opened.count():  # the first Escape was for the hint of the button with the focus
        page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    until(lambda: holds(page, where), bool, f"the focus back on {where}, not {held(page)}")


def test_dialogs_open_and_close_by_keys(visit: Visit) -> None:  # noqa: F811
    page = visit(**STILL)
    for where in (".st-key-share", ".st-key-lecture-open", ".st-key-more-start-lines"):
        open_and_close(page, where, dialog(page))
        press(page, "Shift+Tab", "Tab")
        assert holds(page, where), "the order goes on from there"

    # The popover of the palettes.
    use(page, ".st-key-corner [data-testid=stPopover]", "Enter", key="Shift+Tab")
    choice = page.locator(".st-key-option-palette")
    expect(choice).to_be_visible()
    pick(page, "option-palette", "colour-blind")
    in_address(page, palette="safe")
    page.keyboard.press("Escape")
    expect(choice).to_be_hidden()
    until(
        lambda: holds(page, ".st-key-corner [data-testid=stPopover]"), bool, "the focus given back"
    )

    pick(page, "option-lang", "中文")
    in_address(page, lang="zh")
    expect(page.locator("[data-testid=stTopNavLink]").first).to_have_text("首页")


def test_the_menu_of_a_matrix_by_keys(visit: Visit) -> None:  # noqa: F811
    page = visit("tokens", **STILL)
    use(page, ".st-key-token-vectors", "Enter", what=".take")
    items = page.get_by_role("menuitem")
    expect(items.first).to_be_focused()
    press(page, "ArrowDown")
    expect(items.nth(1)).to_be_focused()
    press(page, "Escape")
    expect(items.first).to_be_hidden()
    until(lambda: holds(page, ".st-key-token-vectors", ".take"), bool, "the focus given back")
    press(page, "Tab")
    assert not holds(page, ".st-key-token-vectors", ".take")


def test_lecture_mode_by_keys(visit: Visit) -> None:  # noqa: F811
    page = visit("dot", **STILL)
    use(page, ".st-key-lecture-open", "Enter")
    use(page, ".st-key-lecture-start-here", "Enter")
    in_address(page, lecture="on")
    expect(page.locator(".st-key-lecture-end")).to_be_visible()
    expect(dialog(page)).to_have_count(0)
    assert all(NAMED.search(name) for name in page.evaluate(NAMES))
    quiet(page)
    page.keyboard.press("PageDown")
    in_address(page, idea="numbers")
    use(page, ".st-key-lecture-end", "Enter")
    expect(page.locator(".st-key-corner")).to_be_visible()
    out_of_address(page, "lecture")


# How the stop looks that has the focus: itself, what is around it (a field has its frame there)
# and in it (the grip of a handle). A background alone is no ring.
LOOK = """(held) => {
  const names = ['outlineStyle', 'outlineWidth', 'boxShadow', 'borderTopColor', 'strokeWidth'];
  const parts = [held, held.parentElement, held.parentElement?.parentElement,
    ...held.querySelectorAll('.grip')].filter(Boolean);
  return parts.map((part) => {
    const style = getComputedStyle(part);
    return names.map((name) => style[name]).join();
  }).join(' | ');
}"""
FRAME = "await new Promise((next) => requestAnimationFrame(next));"
# The number of the stop; its look with the focus is kept.
STOP = f"""async (first) => {{
  if (first) {FRAME}
  {HELD}
  if (!held || held === document.body || held === document.documentElement) return 'none';
  window.stops ||= new Map();
  if (!window.stops.has(held)) {{
    const box = held.getBoundingClientRect();
    const shown = box.width > 1 && box.height > 1 && held.checkVisibility({{
      visibilityProperty: true }});
    window.stops.set(held, [String(window.stops.size), ({LOOK})(held), shown]);
  }}
  return window.stops.get(held)[0];
}}"""
# The stops that cannot be seen, or look the same without the focus.
UNSEEN = f"""async () => {{
  {HELD}
  held.blur();
  {FRAME}
  return [...window.stops].filter(([one, [, look, shown]]) => !shown || look === ({LOOK})(one))
    .map(([one]) => one.outerHTML.slice(0, 160));
}}"""
# An icon's name is no name of a button: "restart_alt icon" says nothing to anybody.
NAMES = """() => [...document.querySelectorAll('button')].filter((one) => one.checkVisibility())
  .map((one) => {
    const copy = one.cloneNode(true);
    for (const part of copy.querySelectorAll('[aria-hidden=true]')) part.remove();
    return (one.ariaLabel || copy.textContent).trim();
  })"""
NAMED = re.compile(r".(?<! icon)$")
NUMBERS = "Its numbers, as a table and to take away"
# The frame that scrolls is Streamlit's: a ring would surround the window, after each click too.
THEIR_STOP = "<main"


def stops(page: Page, key: str, *, first: bool) -> list[str]:
    """The stops of the keyboard from where it is to the end of the page, each by its number."""
    found: list[str] = []
    begun = page.evaluate(STOP, first)
    for _ in range(MOST_STOPS):
        page.keyboard.press(key)
        stop = page.evaluate(STOP, first)
        if stop in ("none", begun, *found[:1]):
            return found
        assert stop not in found, f"{key} goes round at {held(page)}"
        found.append(stop)
    raise AssertionError(f"There is no end: {held(page)}")


@pytest.mark.thorough
def test_no_page_traps_the_keyboard_and_each_stop_is_seen(visit: Visit) -> None:  # noqa: F811
    """On the way, in English: buttons have names, and pictures a text."""
    unseen: dict[str, list[str]] = {}
    nameless: dict[str, list[str]] = {}
    for name, page in every_page(visit, locale="en-US", **STILL):
        quiet(page)
        forth = stops(page, "Tab", first=True)
        assert len(forth) > 20
        # Back from the last of them.
        page.evaluate("[...window.stops.keys()].at(-1).focus()")
        back = [forth[-1], *stops(page, "Shift+Tab", first=False)]
        assert back == forth[::-1], name
        dark = [one for one in page.evaluate(UNSEEN) if not one.startswith(THEIR_STOP)]
        unseen |= {name: dark} if dark else {}
        wrong = [one for one in page.evaluate(NAMES) if not NAMED.search(one)]
        for alt, button in page.evaluate(PICTURES):
            if len(alt) < 20 or HAN.search(alt) or not button.endswith(NUMBERS):
                wrong.append(f"{alt}: {button}")
        nameless |= {name: wrong} if wrong else {}
    assert (unseen, nameless) == ({}, {})
    # This test can tell: without its ring a button is found.
    page.add_style_tag(content="* { outline: 0 !important; box-shadow: none !important; "
                       "border-color: red !important; }")  # fmt: skip
    page.evaluate("window.stops = new Map()")
    reach(page, ".st-key-share")
    page.evaluate(STOP, True)
    assert page.evaluate(UNSEEN)


# ---- motion ----

# All that moves, frame by frame, in shadows too.
RECORD = """() => {
  window.moves = new Set();
  const roots = (root) => [root, ...[...root.querySelectorAll('*')]
    .flatMap((one) => (one.shadowRoot ? roots(one.shadowRoot) : []))];
  const look = () => {
    for (const root of roots(document)) for (const one of root.getAnimations()) {
      const name = one.animationName || one.transitionProperty;
      window.moves.add(`${name} of ${one.effect?.target?.outerHTML?.slice(0, 120)}`);
    }
    window.frames_seen = (window.frames_seen || 0) + 1;
    requestAnimationFrame(look);
  };
  look();
}"""


def moved(page: Page) -> list[str]:
    """What has moved since the last time, after the next few frames."""
    page.evaluate("window.frames_seen = 0")
    page.wait_for_function("window.frames_seen > 12")
    return page.evaluate(
        "() => { const all = [...window.moves]; window.moves.clear(); return all; }"
    )


def test_nothing_moves_for_whoever_asks_for_less(visit: Visit) -> None:  # noqa: F811
    found: dict[str, dict[str, list[str]]] = {}
    for asked in ("reduce", "no-preference"):
        page = visit(reduced_motion=asked)
        quiet(page)
        page.evaluate(RECORD)
        seen = found.setdefault(asked, {})
        page.locator(".st-key-start-query").get_by_role("radio").nth(3).click()
        in_address(page, q="3")
        quiet(page)
        seen["click"] = moved(page)
        page.locator(".st-key-share button:visible").click()
        expect(dialog(page)).to_be_visible()
        seen["dialog"] = moved(page)
        page.keyboard.press("Escape")
        expect(dialog(page)).to_have_count(0)
        page.locator(".st-key-share button:visible").hover()
        expect(page.locator("[data-testid=stTooltipContent]")).to_be_visible()
        seen["hint"] = moved(page)
        page.locator(".st-key-preset").get_by_role("combobox").click()
        expect(page.get_by_role("option").first).to_be_visible()
        seen["list"] = moved(page)
        page.keyboard.press("Escape")
        page.locator(".st-key-path a").click()
        ready(page, "tokens")
        quiet(page)
        seen["page"] = moved(page)
    assert not any(found["reduce"].values()), found["reduce"]
    assert all(found["no-preference"][name] for name in ("click", "dialog", "hint"))


def test_escape_closes_a_dialog_that_has_lost_the_focus(visit: Visit) -> None:  # noqa: F811
    """A button that is disabled while it makes a large file gives the focus to nothing."""
    page = visit(**STILL)
    use(page, ".st-key-more-start-lines", "Enter")
    button = dialog(page).get_by_role("button", name="One page that still hovers")
    button.focus()
    button.evaluate("button => { button.disabled = true; }")
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("Escape")
    expect(dialog(page)).to_have_count(0)


# ---- a phone ----

TOUCH: Mapping[str, Any] = {
    "viewport": PHONE,
    "has_touch": True,
    "is_mobile": True,
    **STILL,
}
# Small things of Streamlit's own that no setting makes larger.
THEIR_SMALL = ("Clear value", "Help")
# Controls that reach beyond the right edge where nothing scrolls, and those that are too small.
CONTROLS = """(theirs) => {
  const all = (root) => [...root.querySelectorAll('*')]
    .flatMap((one) => (one.shadowRoot ? [one, ...all(one.shadowRoot)] : [one]));
  const scrolls = (one) => {
    for (let x = one; x; x = x.parentElement || x.getRootNode().host) {
      const style = getComputedStyle(x);
      if (/auto|scroll/.test(style.overflowX) && x.scrollWidth > x.clientWidth
        && x.getBoundingClientRect().right <= innerWidth + 1) return true;
    }
    return false;
  };
  const where = document.querySelectorAll('.st-key-page, .st-key-corner');
  const cut = [], small = [];
  for (const one of [...where].flatMap(all)) {
    if (!one.matches(`button, a[href], summary, [role=radio], [role=combobox], [role=gridcell],
      [data-testid=stSlider], .hit, input:not([type=range], [type=file])`)) continue;
    if (one.disabled || !one.checkVisibility({ visibilityProperty: true })) continue;
    const box = one.getBoundingClientRect(), name = one.ariaLabel || one.textContent;
    if (!box.width || theirs.some((word) => name.startsWith(word))) continue;
    const text = `${one.tagName} ${name.slice(0, 40)} ${box.width} × ${box.height}`;
    if ((box.right > innerWidth + 1 || box.left < -1) && !scrolls(one)) cut.push(text);
    // The frame of a field is what is tapped.
    const frame = one.tagName === 'INPUT' ? one.parentElement.getBoundingClientRect() : box;
    if (Math.min(frame.width, frame.height) < 23.9) small.push(text);
  }
  return [cut, small];
}"""


@pytest.mark.thorough
def test_on_a_phone_all_is_in_reach_of_a_finger(visit: Visit) -> None:  # noqa: F811
    cut: dict[str, list[str]] = {}
    small: dict[str, list[str]] = {}
    wide: dict[str, list[int]] = {}
    for name, page in every_page(visit, **TOUCH):
        quiet(page)
        over = page.evaluate(
            """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
              .map((one) => one.scrollWidth - one.clientWidth)"""
        )
        wide |= {name: over} if max(over) > 0 else {}
        off, tiny = page.evaluate(CONTROLS, list(THEIR_SMALL))
        cut |= {name: off} if off else {}
        small |= {name: tiny} if tiny else {}
    assert (wide, cut, small) == ({}, {}, {})
    far = "position: fixed !important; left: 380px; height: 9px"
    page.add_style_tag(content=f".st-key-path a {{ {far} }}")
    assert all(page.evaluate(CONTROLS, list(THEIR_SMALL))), "this test can tell"


def test_on_a_phone_a_matrix_at_a_time_and_a_tap_picks(visit: Visit) -> None:  # noqa: F811
    page = visit("projections", **TOUCH)
    quiet(page)
    grids = page.locator(".st-key-projection [role=grid]")
    tabs = page.locator(".st-key-projection .tabs button")
    for slot in (0, 1, 2):
        tabs.nth(slot).tap()
        expect(tabs.nth(slot)).to_have_attribute("aria-pressed", "true")
        expect(grids.nth(slot)).to_be_visible()
        assert [one.is_visible() for one in grids.all()].count(True) == 1
    cell(page, "projection", 2, 4, 2).tap()
    in_address(page, q="4")
    mark = page.locator(".st-key-projection .ring:visible")
    assert (mark.get_attribute("data-row"), mark.get_attribute("data-col")) == ("4", "2")
    left = trace(RELATIONS).embeddings[4]
    right = RELATIONS.w_q[:, RELATIONS.head_columns(HEAD, "w_q")][:, 2]
    until(lambda: numbers(page, "terms-query").shape, lambda found: found == (3, 16))
    shows(page, "terms-query", 0, np.array([left, right, left * right]))


def test_on_a_phone_the_corner_leaves_the_menu_free(visit: Visit) -> None:  # noqa: F811
    page = visit(**TOUCH)
    menu = page.get_by_test_id("stExpandSidebarButton")
    expect(menu).to_be_visible()
    own = menu.bounding_box()
    boxes = [one.bounding_box() for one in page.locator(".st-key-corner button:visible").all()]
    assert len(boxes) == 5
    assert own
    for box in boxes:
        assert box
        assert box["x"] >= own["x"] + own["width"] or box["y"] >= own["y"] + own["height"]
        assert box["x"] + box["width"] <= PHONE["width"]
    for one, two in pairwise(boxes):
        assert one["x"] + one["width"] <= two["x"] + 1.5, "they do not lie on each other"
    menu.tap()  # and it opens
    link = page.get_by_test_id("stSidebarNavLink").filter(has_text="Heads")
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "false")
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").tap(trial=True)
    link.tap()
    ready(page, "heads")
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")


# ---- contrast ----


def too_faint(page: Page) -> list[str]:
    found = Axe().run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    return [node["html"][:160] for one in found for node in one["nodes"]]


@pytest.mark.thorough
@pytest.mark.parametrize("palette", ["", "safe", "grey"])
def test_contrast_in_each_palette(visit: Visit, palette: str) -> None:  # noqa: F811
    page = visit(parameters={"palette": palette} if palette else {}, **STILL)
    base, _, query = place(page).partition("?")
    faint = {}
    for name in ("start", "projections", "heads"):
        if name != "start":
            page.goto(f"{base}{name}?{query}")
            ready(page, name)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            until(lambda: darkness(page), lambda found, now=scheme: found == (now == "dark"))
            quiet(page)
            faint[name, scheme] = too_faint(page)
    assert not any(faint.values()), faint
    page.add_style_tag(content=".st-key-page h1 * { color: #8888 !important; }")
    assert too_faint(page), "this test can tell"


def darkness(page: Page) -> bool:
    colour = page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    return max(map(int, re.findall(r"\d+", colour)[:3])) < 60


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_opens_shuts_nobody_out(visit: Visit, scheme: str) -> None:  # noqa: F811
    page = visit(color_scheme=scheme, **STILL)
    quiet(page)
    found = {}
    for name in ("share", "lecture-open", "more-start-lines"):
        page.locator(f".st-key-{name} button:visible").click()
        expect(dialog(page)).to_be_visible()
        if name == "share":
            expect(dialog(page).locator("img")).to_be_visible()
        quiet(page)
        found[name] = serious(page)
        page.keyboard.press("Escape")
        expect(dialog(page)).to_have_count(0)
    page.locator(".st-key-corner [data-testid=stPopover] button:visible").click()
    expect(page.locator(".st-key-option-palette")).to_be_visible()
    found["palette"] = serious(page)
    assert not any(found.values()), found


# ---- pictures, matrices and words, on each page and in each lesson ----

LESSONS = {
    "dot": "dot",
    "scaling": "why",
    "learning": "lesson",
    "softmax": "soft",
    "heatmap": "stage",
    "masks": "masks",
    "heads": "part",
}
# Another choice of a page: its option, and which of the buttons.
MORE = {"start": ("start", 1), "projections": ("roles", 1), "heatmap": ("view", 1)}
HALVES = {
    # the pages, and at least how many views, pictures and matrices there are
    "first": (("start", "tokens", "projections", "dot", "scaling", "learning"), 18, 15, 12),
    "second": (("softmax", "heatmap", "masks", "heads", "code", "summary"), 24, 15, 30),
}


def every_lesson(
    visit: Visit,  # noqa: F811
    names: Sequence[str],
    **options: Any,
) -> Iterator[tuple[str, Page]]:
    """Each of the pages, on it each lesson from the first to the last, and what else there is."""
    page = visit(names[0], **options)
    base = page.evaluate("location.origin")
    for name in names:
        if name != names[0]:
            page.goto(f"{base}/{name if name != 'start' else ''}")
            ready(page, name)
        quiet(page)
        if name == "heatmap":  # it begins in the middle
            _turn(page, "stage", 0)
        if name == "learning":  # what has formed is shown after a step
            page.locator(".st-key-race-one button:visible").click()
            expect(page.locator(".st-key-numbers-race")).to_be_visible()
            quiet(page)
        yield name, page
        lessons = page.locator(f".st-key-option-{LESSONS.get(name)}").get_by_role("radio").count()
        for lesson in range(1, lessons):
            _turn(page, LESSONS[name], lesson)
            yield f"{name} {lesson + 1}", page
        if name in MORE:
            option, choice = MORE[name]
            if name == "heatmap":
                _turn(page, "stage", 3)
            _turn(page, option, choice)
            yield f"{name} {option}", page


def _turn(page: Page, option: str, choice: int) -> None:
    """Choose a lesson, and wait until it is drawn: then it is in the address."""
    before = page.evaluate("location.search")
    control(page, f"option-{option}").get_by_role("radio").nth(choice).click()
    page.wait_for_function("before => location.search !== before", arg=before)
    quiet(page)


# Of each picture its text and whether a button gives its numbers; of each matrix its name.
PICTURES = """() => [...document.querySelectorAll('.js-plotly-plot')].map((picture) => {
  const spoken = picture.closest('[role=img], [role=figure]');
  const kept = picture.closest('[class*=st-key-picture-]');
  const button = [...kept?.querySelectorAll('[class*=st-key-more-] button') ?? []]
    .find((one) => one.checkVisibility());
  return [spoken?.getAttribute('aria-label') ?? '', button?.innerText.trim() ?? ''];
})"""
GRIDS = """() => [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
  .flatMap((host) => [...host.shadowRoot?.querySelectorAll('.mx') ?? []])
  .flatMap((one) => [...one.querySelectorAll('.grid')].map((grid) => [grid.getAttribute('role'),
    grid.getAttribute('aria-label') ?? '',
    [...grid.querySelectorAll('[role=gridcell]')].filter((cell) => !cell.ariaLabel
      && !cell.textContent).length]))"""
HAN = re.compile("[\u4e00-\u9fff]")

# Latin words that a Chinese page shows, each with the reason why it stays.
FUNCTION, FORMAT, KEY, MODEL = "a function's name", "a format", "a key's name", "a model's name"
LATIN: dict[str, str] = {
    "softmax": FUNCTION, "Softmax": FUNCTION, "cos": FUNCTION, "max": FUNCTION, "exp": FUNCTION,
    "NaN": "a number's notation", "nan": "a number's notation",
    "float": "a type of numbers: float32", "reshape": "NumPy's function",
    "CSV": FORMAT, "JSON": FORMAT, "NPZ": FORMAT, "HTML": FORMAT, "SVG": FORMAT, "PNG": FORMAT,
    "IPYNB": FORMAT,
    "ipynb": FORMAT, "NumPy": "a library", "Python": "a language, also in titles of books",
    "python": "a command", "attention": "the file of that command",
    "Tab": KEY, "Enter": KEY, "Shift": KEY, "Page": KEY, "Down": KEY,
    "Transformer": MODEL, "BERT": MODEL, "GPT": MODEL, "base": MODEL, "small": MODEL,
    "Small": MODEL, "Medium": MODEL, "Large": MODEL,
}  # fmt: skip
ON_THE_CODE_PAGE = {
    "Attention": "the formula", "weights": "a name in the script", "output": "a name in the script",
}  # fmt: skip
SYMBOLS = re.compile(r"d_model|d_[kv]\b|\be\d+\b")
# Texts that are seen, in shadows, pictures and fields too. Code is code; the name of an icon is
# drawn as the icon; formulas are there twice, once as MathML that is not seen.
SEEN = """() => {
  const texts = [];
  const seen = (one) => !one || (one.checkVisibility({ visibilityProperty: true })
    && parseFloat(getComputedStyle(one).fontSize) > 2
    && !one.closest('pre, .katex-mathml, [data-testid=stIconMaterial], style, script'));
  const walk = (node) => {
    for (const child of node.childNodes) {
      if (child.nodeType === 3) { if (seen(child.parentElement)) texts.push(child.data); }
      else walk(child);
    }
    if (node.shadowRoot) walk(node.shadowRoot);
    if (node.nodeType !== 1 || !node.checkVisibility()) return;
    if (node.tagName === 'INPUT') texts.push(node.value || node.placeholder);
    for (const part of ['::before', '::after']) {
      const { content } = getComputedStyle(node, part);
      if (/^"/.test(content)) texts.push(content);
    }
  };
  walk(document.body);
  return texts.filter((text) => /[A-Za-z]{3}/.test(text));
}"""


def english(page: Page, allowed: Mapping[str, str]) -> list[str]:
    """Latin words of three letters or more that are seen and not allowed, with their text."""
    found = []
    for text in page.evaluate(SEEN):
        words = re.findall(r"[A-Za-z]{3,}", SYMBOLS.sub(" ", text))
        found += [f"{word}: {text.strip()[:80]}" for word in words if word not in allowed]
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("half", HALVES)
def test_each_lesson_in_chinese(visit: Visit, half: str) -> None:  # noqa: F811
    """Pictures speak, matrices are labelled grids, and no English is left."""
    left, mute, count = {}, {}, Counter[str]()
    names, *least = HALVES[half]
    for name, page in every_lesson(visit, names, **CHINESE):
        expect(page.get_by_test_id("stSkipToContent")).to_have_css("font-size", "0px")
        words = english(page, LATIN | (ON_THE_CODE_PAGE if name == "code" else {}))
        left |= {name: words} if words else {}
        pictures, grids = page.evaluate(PICTURES), page.evaluate(GRIDS)
        silent = [one for one in pictures if not HAN.search(one[0]) or not HAN.search(one[1])]
        silent += [one for one in grids if one[0] != "grid" or "×" not in one[1] or one[2]]
        mute |= {name: silent} if silent else {}
        count.update(views=1, pictures=len(pictures), grids=len(grids))
    assert (left, mute) == ({}, {})
    found = [count[what] for what in ("views", "pictures", "grids")]
    assert all(some >= few for some, few in zip(found, least, strict=True)), found


def test_what_opens_in_chinese(visit: Visit) -> None:  # noqa: F811
    page = visit("tokens", **CHINESE)
    quiet(page)
    page.locator(".st-key-idea-sentence [data-testid=stPopover] button:visible").click()
    zone = page.get_by_test_id("stFileUploaderDropzone")
    expect(zone).to_be_visible()
    after = "one => [getComputedStyle(one).fontSize, getComputedStyle(one, '::after').content]"
    assert zone.locator("button p").evaluate(after) == ["0px", '"上传"']
    size, limit = zone.locator("[data-testid=stFileUploaderDropzoneInstructions] span").evaluate(
        after
    )
    assert size == "0px"
    assert "5" in limit
    assert HAN.search(limit)
    left = {"files": english(page, LATIN)}
    page.keyboard.press("Escape")
    page.goto(place(page).replace("tokens", ""))
    ready(page, "start")
    quiet(page)
    for name in ("share", "lecture-open", "more-start-lines"):
        page.locator(f".st-key-{name} button:visible").click()
        expect(dialog(page)).to_be_visible()
        quiet(page)
        left[name] = english(page, LATIN)
        page.keyboard.press("Escape")
        expect(dialog(page)).to_have_count(0)
    page.keyboard.press("Tab")  # the first stop of all, seen only with the focus
    page.get_by_test_id("stSkipToContent").focus()
    left["skip"] = english(page, LATIN)
    assert not any(left.values()), left
