"""Lecture mode without a browser: what is on screen, one step on and back, lists of steps."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from test_pages import ROOT, charts, control, experiment, keys, notices, opened, view
from test_pages import change as change_outside
from test_pages import go as go_outside
from test_pages import press as press_outside

from core import edit, lecture, link, presets
from core.experiment import Experiment
from core.lecture import Lecture, Step
from core.presets.views import View
from core.trace import trace
from ui import controls, racing, session
from ui.lecture import dialog
from ui.lecture.walk import IDEAS, OPTIONS, PAGES, PLACES, STOPS, Stop

LANGUAGES = ("en", "zh")
TITLES = ("start", "tokens", "projections", "dot", "scaling", "learning", "softmax", "heatmap",
          "masks", "heads", "code", "summary")  # fmt: skip
# Views that the walk leaves out on purpose: they show side by side what it shows one by one.
LEFT_OUT = {("heatmap", "stage", "all")}
PREPARED = "lecture:prepared"
NUMBERS = edit.set_cell(presets.build("article-numbers"), "w_q", 0, 0, 0.1 + 0.2)
RELATIONS = edit.set_cell(presets.build("relations-en"), "w_k", 1, 1, -1 / 3)
RANDOM = presets.random(("one", "two", "three"), seed=5, d_model=8, num_heads=4)

each_stop = pytest.mark.parametrize(
    "stop", STOPS, ids=lambda stop: "-".join((stop.page, *filter(None, stop.options.values())))
)


def begin(page: str = "start", now: Experiment | None = None, **parameters: Any) -> AppTest:
    """The app in lecture mode, as somebody opens it from a link."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if now is not None:
        parameters |= {"preset": now.preset, "x": link.to_link(now)}
    for name, value in {"lecture": "on", "lang": "en", **parameters}.items():
        if value:
            app.query_params[name] = str(value)
    return fine(app.switch_page(f"pages/{page}.py").run())


def fine(app: AppTest) -> AppTest:
    assert not app.exception, [one.message for one in app.exception]
    assert "page" in keys(app)
    return app.switch_page(f"pages/{page(app)}.py")  # where the app itself has turned to


def press(app: AppTest, key: str) -> AppTest:
    return fine(app.button(key=key).click().run())


def on(app: AppTest) -> AppTest:
    return press(app, "lecture-next")


def back(app: AppTest) -> AppTest:
    return press(app, "lecture-back")


def page(app: AppTest) -> str:
    return app.session_state[session._PAGE]


def option(app: AppTest, name: str) -> str:
    return app.session_state[session._OPTIONS].get(name, "")


def lectures(app: AppTest) -> bool:
    return "lecture-way" in keys(app)


def position(app: AppTest) -> tuple[int, int]:
    """What the counter says: the place, from 1, and how many there are."""
    at = re.fullmatch(r"(\d+)\u202f/\u202f(\d+)", app.button(key="lecture-overview").label)
    assert at
    return int(at[1]), int(at[2])


def drawn_ideas(app: AppTest) -> list[str]:
    """The ideas that the page draws, in its order, shown or not."""
    found = (getattr(one, "key", None) or "" for one in app.main)
    return [key.removeprefix("idea-") for key in found if key.startswith("idea-")]


def styles(app: AppTest) -> str:
    return "".join(one.proto.body for one in app.get("html"))


def shown_idea(app: AppTest) -> str:
    """The idea that the style leaves on the screen; "" where it hides none."""
    found = re.findall(r"not\(:has\(> \.st-key-idea-([\w-]+)\)\)", styles(app))
    assert len(found) <= 1
    return found[0] if found else ""


def place(app: AppTest) -> tuple[str, dict[str, str], str]:
    """What is on screen, as a place of the walk."""
    chosen = {name: option(app, name) for name in OPTIONS if option(app, name)}
    return page(app), chosen, shown_idea(app)


def as_place(one: Any) -> tuple[str, dict[str, str], str]:
    return one.page, {name: value for name, value in one.options.items() if value}, one.idea


# ---- the walk and the pages know each other ----


def at(stop: Stop, **parameters: Any) -> AppTest:
    """A view in lecture mode, with what it needs to have something to show."""
    app = begin(stop.page, **{**stop.options, **parameters})
    if stop.options.get("lesson") == "formed":
        app = begin("learning", **parameters)
        press(app, "race-one")
        while option(app, "lesson") != "formed":
            on(app)
    return app


@pytest.mark.parametrize("language", LANGUAGES)
@each_stop
def test_the_ideas_of_a_view_are_those_of_the_walk(stop, language, monkeypatch):
    """None is forgotten, none is misspelt, and they come in the order in which they are drawn."""
    monkeypatch.setattr(racing, "_SLICE", -1.0)
    app = at(stop, lang=language)
    assert page(app) == stop.page
    assert drawn_ideas(app) == list(stop.ideas)
    assert shown_idea(app) == (stop.ideas[0] if stop.ideas else "")


MASKED = presets.build("relations-en").with_(
    mask="manual", allowed=np.tile(np.arange(11)[:, None] != 8, 11)
)
OTHERS = {
    "numbers": NUMBERS,
    "three tokens": presets.random(("a", "b", "c"), d_model=4, num_heads=1),
    "one token": presets.random(("a",), d_model=4, num_heads=1),
    "a row without a key": MASKED,
    "no positions": RELATIONS.with_(positions="off"),
    "16 heads": presets.random(("a", "b"), d_model=16, num_heads=16),
}


@pytest.mark.parametrize("name", OTHERS)
@each_stop
@pytest.mark.thorough
def test_no_place_is_empty_whatever_the_experiment(stop, name):
    """An idea that is not drawn would leave a screen with nothing on it."""
    app = begin(stop.page, OTHERS[name], **stop.options, q=8)
    found = drawn_ideas(app)
    assert not found or set(found) >= set(stop.ideas)


@each_stop
def test_all_ideas_are_shown_outside_of_a_lecture(stop):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in {**stop.options, "idea": stop.ideas[-1] if stop.ideas else ""}.items():
        if value:
            app.query_params[name] = value
    fine(app.switch_page(f"pages/{stop.page}.py").run())
    assert not shown_idea(app)
    assert "--lecture" not in styles(app)
    assert not lectures(app)


@pytest.mark.parametrize(
    "steps", [None, [Step("learning", {"lesson": "formed"}), Step("code", {})]]
)
def test_an_idea_that_is_not_there_yet_is_passed_over(steps):
    """Before a race has run its page says so, once."""
    words = {"list": lecture.to_link(Lecture("n", tuple(steps))), "step": 1} if steps else {}
    app = begin("learning", lesson="formed", **words)
    assert drawn_ideas(app) == []
    on(app)
    assert (page(app), option(app, "lesson")) == (("code", "") if steps else ("learning", "seeds"))
    back(app)
    assert (page(app), option(app, "lesson")) == ("learning", "formed")
    formed = [i for i, one in enumerate(PLACES, 1) if one.options.get("lesson") == "formed"]
    assert position(app)[0] == (1 if steps else formed[0])
    back(app)
    assert option(app, "lesson") == ("formed" if steps else "")


def test_every_page_is_in_the_walk_in_the_order_of_the_path():
    assert tuple(dict.fromkeys(stop.page for stop in STOPS)) == TITLES
    assert set(TITLES) == PAGES
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == PAGES


@pytest.fixture
def choices(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, set[str]]]:
    """What ``controls.steps`` and ``controls.view`` have been asked for, as words of the link."""
    found: dict[str, set[str]] = {}

    def watched(draw: Any) -> Any:
        def call(name: str, label: str, names: dict[str, str], default: str) -> str:
            found[name] = {"" if value == default else value for value in names}
            return draw(name, label, names, default)

        return call

    for name in ("steps", "view"):
        monkeypatch.setattr(controls, name, watched(getattr(controls, name)))
    return found


@pytest.mark.parametrize("name", TITLES)
def test_every_choice_of_a_view_is_in_the_walk(name, choices):
    begin(name)
    left_out = {(page, option, value) for page, option, value in LEFT_OUT if page == name}
    offered = {(name, option, value) for option, values in choices.items() for value in values}
    walked = {
        (stop.page, option, value)
        for stop in STOPS
        for option, value in stop.options.items()
        if stop.page == name
    }
    assert offered - left_out == walked
    assert left_out <= offered


def test_no_place_comes_twice():
    places = [(*as_place(one)[::2], *sorted(one.options.items())) for one in PLACES]
    assert len(set(places)) == len(places)


def test_names_fit_into_a_link():
    """What the address says beside the experiment is read only up to a length."""
    assert all(len(name) <= 20 for name in OPTIONS)
    assert all(len(idea) <= 40 and re.fullmatch(r"[a-z0-9-]*", idea) for idea in IDEAS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_walk_to_its_end_and_back_meets_each_place_once(language):
    app, count = begin(lang=language), len(PLACES)
    every = list(enumerate(PLACES, 1))
    # Before a race has run there is nothing to walk through in what it forms.
    first, *_others, last = [one for one in every if one[1].options.get("lesson") == "formed"]
    for number, expected in [one for one in every if one[0] <= first[0] or one[0] > last[0]]:
        assert place(app) == as_place(expected)
        assert position(app) == (number, count)
        on(app)
    assert position(app) == (count, count)  # not beyond its end
    for number, expected in [one for one in every if one[0] <= first[0] or one[0] > last[0]][::-1]:
        assert place(app) == as_place(expected)
        assert position(app) == (number, count)
        back(app)
    assert position(app) == (1, count)
    assert not app.session_state[session._HISTORY].past


@pytest.mark.parametrize("number", range(0, len(PLACES), 7))
def test_a_reload_opens_the_same_place(number):
    one = PLACES[number]
    app = begin(one.page, **one.options, idea=one.idea)
    assert position(app) == (number + 1, len(PLACES))
    assert place(app) == as_place(one)
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    again.query_params = app.query_params
    fine(again.switch_page(f"pages/{page(app)}.py").run())
    assert place(again) == as_place(one)
    assert position(again) == position(app)


@pytest.mark.parametrize(
    ("name", "value"),
    [("idea", "nonsense"), ("idea", "shelf"), ("idea", "<b>"), ("step", "1"), ("step", "0"),
     ("step", "-1"), ("step", "999"), ("step", "x"), ("lecture", "on "), ("lecture", "off")],
)  # fmt: skip
def test_a_word_that_says_nothing_here(name, value):
    app = begin(**{name: value})
    assert shown_idea(app) == ("lines" if lectures(app) else "")
    assert lectures(app) == (name != "lecture")
    assert "<b>" not in styles(app).replace("<style>", "")


def test_going_on_from_a_view_that_the_walk_leaves_out():
    app = begin("heatmap", stage="all")
    assert shown_idea(app) == ""
    first = next(i for i, one in enumerate(PLACES, 1) if one.page == "heatmap")
    assert position(app)[0] == first
    assert position(on(app))[0] == first + 1


@pytest.mark.parametrize("name", TITLES)
def test_the_frame_is_away(name):
    app = begin(name)
    assert not keys(app) & {"path", "preset", "head", "option-guess", "page-head"}
    assert "lecture-keys" in keys(app)


# ---- pictures and their numbers ----


def test_the_pictures_of_a_lecture_hold_the_numbers_of_the_trace():
    now = presets.random(tuple("abcdefghijklmnop"), seed=2, d_model=8, num_heads=4)
    found = [
        np.frombuffer(base64.b64decode(one["z"]["bdata"]), one["z"]["dtype"]).reshape(now.n, now.n)
        for chart in charts(begin("heads", now))
        for one in chart["data"]
        if "z" in one
    ]
    np.testing.assert_allclose(found, trace(now).weights, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["start", "scaling", "heads", "softmax", "summary"])
def test_every_picture_of_a_lecture_is_enlarged(name):
    sizes = [chart["layout"]["font"]["size"] for chart in charts(begin(name))]
    assert sizes
    assert min(sizes) >= 20


# ---- leaving, and coming back ----


def test_leaving_keeps_what_is_on_screen():
    app = begin("heatmap", NUMBERS, stage="scores", idea="arithmetic", q=2, k=1)
    before = experiment(app), view(app), page(app)
    press(app, "lecture-end")
    assert not lectures(app)
    assert (experiment(app), view(app), page(app)) == before
    assert control(app, "option-stage").value == "scores"
    assert not {"lecture", "step", "idea"} & set(app.query_params)
    assert app.query_params["stage"] == "scores"
    assert not shown_idea(app)


def test_what_is_on_screen_is_where_a_lecture_begins(prepare):
    app = prepare("heatmap", NUMBERS, stage="scores", q=2, k=1)
    press(app, "lecture-start-here")
    assert lectures(app)
    assert (page(app), experiment(app), view(app)) == ("heatmap", NUMBERS, (0, 2, 1))
    assert place(app)[1:] == ({"stage": "scores"}, "matrices")


def test_the_whole_walk_begins_at_its_beginning_with_the_experiment_on_screen(prepare):
    app = prepare("heads", NUMBERS, part="query")
    press(app, "lecture-start-walk")
    assert place(app) == as_place(PLACES[0])
    assert position(app) == (1, len(PLACES))
    assert experiment(app) == NUMBERS


# ---- guess first ----


def answers(app: AppTest) -> set[str]:
    return {key for key in keys(app) if key.startswith("answer-")}


def test_a_question_its_answer_then_the_page():
    app = begin(guess="first")
    assert answers(app)
    assert not drawn_ideas(app)
    assert not charts(app)
    on(app)
    assert not answers(app)
    assert not drawn_ideas(app), "the answer has the screen for itself"
    (question,) = [one.value for one in app.markdown if one.value.startswith("## ")]
    assert "Which word" in question
    assert [one.value for one in app.subheader]
    on(app)
    assert drawn_ideas(app) == ["lines", "pipeline"]
    assert (shown_idea(app), position(app)[0]) == ("lines", 1)
    assert not app.subheader
    assert (shown_idea(on(app)), position(app)[0]) == ("pipeline", 2)


def test_a_guess_is_answered_and_then_the_page_comes():
    app = press(begin(guess="first"), "answer-start-1")
    assert app.success or app.info
    assert not drawn_ideas(app)
    assert drawn_ideas(on(app))
    assert not app.success
    assert not app.info


def test_the_page_stays_when_another_pair_is_pinned():
    """The question would be another one then."""
    app = on(on(begin(guess="first")))
    change_view(app, query=3)
    fine(app.run())
    assert drawn_ideas(app)
    assert not answers(app)


def test_the_next_page_asks_too_and_so_does_the_first_when_one_comes_back():
    app = on(on(begin(guess="first")))
    while page(app) == "start":
        on(app)
    assert page(app) == "tokens"
    assert answers(app)
    back(app)
    assert page(app) == "start"
    assert answers(app) or not drawn_ideas(app)


def test_every_place_is_reached_with_questions_in_the_way():
    app, seen = begin(guess="first"), []
    for _ in range(3 * len(PLACES)):
        if drawn_ideas(app) or not answers(app):
            seen.append(position(app)[0])
        if position(app)[0] == len(PLACES):
            break
        on(app)
    formed = [i for i, one in enumerate(PLACES, 1) if one.options.get("lesson") == "formed"]
    expected = set(range(1, len(PLACES) + 1)) - set(formed[1:])  # no race has run yet
    assert sorted(set(seen)) == sorted(expected)
    assert seen == sorted(seen)


# ---- a list of one's own ----


@pytest.fixture
def prepare(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Open a page with the dialog of lecture mode drawn on it.

    AppTest runs the whole script at every click, and so a real dialog closes.
    """
    monkeypatch.setattr(dialog, "button", dialog._dialog)
    return lambda name, now=None, **options: opened(name, now, lang="en", **options)


def change_view(app: AppTest, head: int = 0, query: int = 0, key: int = 0) -> None:
    app.session_state[session._VIEW] = View(head, query, key)


def steps(app: AppTest) -> tuple[Step, ...]:
    return app.session_state[PREPARED].steps


def two_steps(prepare: Any) -> AppTest:
    """Two pages on two experiments, and a third one on screen."""
    app = prepare("heatmap", NUMBERS, stage="scores", head=0, q=2, k=1)
    press_outside(app, "lecture-add")
    change_outside(app, lambda _: RANDOM)
    go_outside(app, "heads")
    control(app, "option-part").set_value("query").run()
    change_view(app, 3, 1, 2)
    press_outside(app, "lecture-add")
    assert len(steps(app)) == 2
    control(app, "preset").set_value("relations-en").run()
    return go_outside(app, "tokens")


FIRST = ("heatmap", NUMBERS, (0, 2, 1), "scores", "")
SECOND = ("heads", RANDOM, (3, 1, 2), "scores", "query")  # options of other pages stay too


def state(app: AppTest) -> tuple[Any, ...]:
    part, stage = option(app, "part"), option(app, "stage")
    return page(app), experiment(app), view(app), stage, part


def meddle(app: AppTest) -> None:
    """What a lecturer may do between two steps."""
    history = app.session_state[session._HISTORY]
    app.session_state[session._HISTORY] = history.record(RELATIONS.with_(temperature=3.0))
    change_view(app, 2, 9, 4)
    app.session_state[session._OPTIONS] |= {"stage": "output", "part": "cost", "view": "lines"}
    fine(app.run())


def test_each_step_shows_what_it_was_added_with(prepare):
    app = press(two_steps(prepare), "lecture-start-list")
    assert lectures(app)
    assert (state(app), position(app), shown_idea(app)) == (FIRST, (1, 2), "matrices")
    on(app)
    assert (state(app), position(app), shown_idea(app)) == (FIRST, (1, 2), "arithmetic")
    on(app)
    assert (state(app), position(app), shown_idea(app)) == (SECOND, (2, 2), "lines")
    assert (state(on(app)), shown_idea(app)) == (SECOND, "table")
    assert (state(on(app)), position(app), shown_idea(app)) == (SECOND, (2, 2), "table")
    back(back(app))
    assert (state(app), position(app), shown_idea(app)) == (FIRST, (1, 2), "arithmetic")
    back(back(app))
    assert (state(app), position(app), shown_idea(app)) == (FIRST, (1, 2), "matrices")


def test_each_step_shows_it_again_after_the_reader_changed_things(prepare):
    app = press(two_steps(prepare), "lecture-start-list")
    meddle(app)
    assert experiment(app) == RELATIONS.with_(temperature=3.0)
    while position(app)[0] == 1:
        on(app)
    assert state(app) == SECOND
    meddle(app)
    while position(app)[0] == 2:
        back(app)
    assert state(app) == FIRST
    assert option(app, "view") == ""


def test_a_step_can_be_taken_back(prepare):
    app = two_steps(prepare)
    before = experiment(app)
    press(app, "lecture-start-list")
    press(app, "lecture-end")
    press_outside(app, "button-:material/undo:")
    assert experiment(app) == before


def test_titles_say_page_and_view(prepare):
    app = two_steps(prepare)
    assert [step.title for step in steps(app)] == ["Attention: 1 Q·Kᵀ", "Heads: One query"] or [
        step.title.partition(":")[0] for step in steps(app)
    ] == ["Attention", "Heads"]
    assert control(app, "lecture-title-0").value == steps(app)[0].title


def test_steps_are_named_moved_and_removed(prepare):
    app = two_steps(prepare)
    first, second = steps(app)
    control(app, "lecture-title-1").set_value("  B猫 ").run()
    assert [step.title for step in steps(app)] == [first.title, "B猫"]
    press_outside(app, "lecture-up-1")
    assert [step.page for step in steps(app)] == ["heads", "heatmap"]
    assert control(app, "lecture-title-0").value == "B猫"
    assert app.button(key="lecture-up-0").disabled
    assert app.button(key="lecture-down-1").disabled
    press_outside(app, "lecture-down-0")
    assert [step.page for step in steps(app)] == ["heatmap", "heads"]
    assert steps(app) == (first, Step(second.page, second.state, "B猫"))
    press_outside(app, "lecture-remove-0")
    assert [step.title for step in steps(app)] == ["B猫"]
    press_outside(app, "lecture-remove-0")
    assert not steps(app)
    assert "list" not in app.query_params
    assert "lecture-start-list" not in keys(app)


def test_a_name_is_kept(prepare):
    app = prepare("start")
    control(app, "lecture-name").set_value("Mañana 猫").run()
    assert app.session_state[PREPARED].name == "Mañana 猫"
    assert control(app, "lecture-name").value == "Mañana 猫"
    assert lecture.from_link(app.query_params["list"], PAGES).name == "Mañana 猫"


def test_the_hundred_and_first_step_is_refused(prepare):
    app = prepare("start")
    app.session_state[PREPARED] = Lecture("", (Step("start", {}),) * 100)
    press_outside(app, "lecture-add")
    assert len(steps(app)) == 100
    assert "at most 100 steps" in notices(app)[0]


# ---- the link of a list, and a reload ----


def link_of(app: AppTest) -> dict[str, str]:
    return {name: app.query_params[name] for name in app.query_params}


def opened_link(words: dict[str, str], at: str = "start") -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in words.items():
        app.query_params[name] = value
    return fine(app.switch_page(f"pages/{at}.py").run())


def sent(app: AppTest) -> list[tuple[str, str, str]]:
    data = [json.loads(one.proto.json or "{}") for one in app.get("bidi_component")]
    found = [panel for one in data for panel in one.get("panels", ())]
    return [(one["name"], one["dtype"], one["values"]) for one in found]


def test_the_link_of_a_list_opens_at_its_step_with_the_same_numbers(prepare, monkeypatch):
    app = press(two_steps(prepare), "lecture-start-list")
    for expected in (FIRST, SECOND):
        words = link_of(app)
        assert words["lecture"] == "on"
        assert "x" not in words, "the list holds the experiment"
        for somewhere in ("start", expected[0]):
            other = opened_link(words, somewhere)
            assert state(other) == expected
            assert (position(other), shown_idea(other)) == (position(app), shown_idea(app))
            assert experiment(other) == expected[1]  # arrays too, to the last bit
            for name in ("w_q", "w_k", "w_v", "token_vectors"):
                mine, theirs = (getattr(e, name) for e in (expected[1], experiment(other)))
                assert mine.tobytes() == theirs.tobytes()
            assert sent(other) == sent(app)
            assert charts(other) == charts(app)
            assert steps(other) == steps(app)
            assert notices(other) == []
        while state(app) == expected and (position(app)[0], shown_idea(app)) != (2, "table"):
            on(app)


def test_a_reload_in_the_middle_of_a_step_stays_at_its_idea(prepare):
    app = on(press(two_steps(prepare), "lecture-start-list"))
    other = opened_link(link_of(app), page(app))
    assert (position(other), shown_idea(other)) == ((1, 2), "arithmetic")
    assert state(other) == FIRST


def test_a_reload_in_a_changed_step_loses_nothing(prepare):
    app = press(two_steps(prepare), "lecture-start-list")
    meddle(app)
    other = opened_link(link_of(app), page(app))
    assert experiment(other) == RELATIONS.with_(temperature=3.0)
    assert view(other) == (2, 9, 4)
    assert steps(other) == steps(app)
    assert position(other) == (1, 2)
    while position(other)[0] == 1:
        on(other)
    assert state(other) == SECOND


def test_a_list_is_in_the_address_before_it_is_started(prepare):
    app = two_steps(prepare)
    other = opened_link(link_of(app), "tokens")
    assert steps(other) == steps(app)
    assert not lectures(other)
    assert experiment(other) == experiment(app)


def test_leaving_a_list_keeps_it_for_the_next_time(prepare):
    app = press(two_steps(prepare), "lecture-start-list")
    before = state(app)
    press(app, "lecture-end")
    assert state(app) == before
    assert not lectures(app)
    assert len(steps(app)) == 2
    assert "list" in app.query_params
    press(app, "lecture-start-list")
    assert position(app) == (1, 2)


def test_a_list_goes_on_where_it_was_left(prepare):
    app = press(two_steps(prepare), "lecture-start-list")
    assert "lecture-start-left" not in [one.key for one in app.button]
    while position(app)[0] == 1:
        on(app)
    at_second = state(app)
    press(app, "lecture-end")
    press(app, "lecture-start-left")
    assert (position(app), state(app)) == ((2, 2), at_second)
    press(app, "lecture-end")
    press(app, "lecture-remove-0")
    assert "lecture-start-left" not in [one.key for one in app.button], "it is the first now"
    press(app, "lecture-remove-0")
    assert "lecture-start-left" not in [one.key for one in app.button], "it is gone"


@pytest.mark.parametrize("words", [{}, {"step": "1"}, {"step": "2", "lecture": "on"}])
@pytest.mark.parametrize("text", ["garbage", "1", "1abc", "2" + "A" * 50, "猫", "\0", "1" * 9000])
def test_garbage_for_a_list_opens_the_default_with_a_sentence(text, words):
    app = opened_link({"list": text, "lang": "en", **words})
    assert experiment(app) == presets.build("relations-en")
    assert len(notices(app)) == 1
    assert notices(app)[0].endswith(".")
    assert not steps(app)
    assert "list" not in app.query_params
    assert lectures(app) == ("lecture" in words)
    assert notices(fine(app.run())) == []


def test_a_cut_list_keeps_the_experiment_of_the_link():
    text = lecture.to_link(Lecture("n", (Step("start", {"preset": "random"}),)))
    app = opened_link({"list": text[:-9], "preset": "article-numbers", "lang": "en"})
    assert experiment(app) == presets.build("article-numbers")
    assert len(notices(app)) == 1


# ---- files ----


def upload(app: AppTest, data: bytes) -> AppTest:
    app.file_uploader(key="lecture-upload").set_value(("lecture.json", data, "application/json"))
    return fine(app.run())


def test_a_saved_list_opens_elsewhere(prepare):
    text = lecture.to_json(two_steps(prepare).session_state[PREPARED])
    app = upload(prepare("start"), text.encode())
    press(app, "lecture-start-list")
    assert state(app) == FIRST
    on(on(app))
    assert state(app) == SECOND


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"{}", b"[" * 100_000, b" " * 6_000_000])
def test_a_file_that_is_no_list_changes_nothing_and_says_so(prepare, data):
    app = two_steps(prepare)
    before = steps(app)
    upload(app, data)
    assert steps(app) == before
    assert len(notices(app)) == 1
    assert notices(app)[0].endswith(r".")


# ---- steps that cannot be opened ----


def with_steps(*made: Step, **words: str) -> AppTest:
    """A lecture of these steps, on, at the first."""
    words = {"lecture": "on", "step": "1", "lang": "en", **words}
    return opened_link({**words, "list": lecture.to_link(Lecture("", made))}, made[0].page)


GOOD = Step("projections", {"preset": "apple-fruit-en", "roles": "two", "q": "1"})
BROKEN = {
    "cut": {"preset": "article-numbers", "x": link.to_link(NUMBERS)[:-4]},
    "no preset": {"preset": "nonsense"},
    "another version": {"preset": "random", "x": "2abc"},
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_step_leaves_all_as_it_is_and_says_so(kind):
    app = with_steps(GOOD, Step("summary", BROKEN[kind]))
    for _ in range(2):
        on(app)
    before = state(app), position(app), shown_idea(app)
    assert before[1:] == ((1, 2), "words")
    on(app)
    assert (state(app), position(app), shown_idea(app)) == before
    assert len(notices(app)) == 1
    assert notices(app)[0].endswith(".")
    assert notices(fine(app.run())) == []


def test_a_broken_step_on_the_way_back_leaves_all_as_it_is():
    app = with_steps(Step("summary", BROKEN["cut"]), GOOD, step="2")
    before = state(app), position(app), shown_idea(app)
    assert before[1:] == ((2, 2), "weights")
    back(app)
    assert (state(app), position(app), shown_idea(app)) == before
    assert len(notices(app)) == 1


def test_a_list_that_begins_with_a_broken_step_begins_with_the_next(prepare):
    app = prepare("heatmap", NUMBERS)
    app.session_state[PREPARED] = Lecture("", (Step("summary", BROKEN["cut"]), GOOD))
    fine(app.run())
    press(app, "lecture-start-list")
    assert position(app) == (2, 2)
    assert page(app) == GOOD.page


def test_a_list_of_broken_steps_is_not_begun(prepare):
    app = prepare("heatmap", NUMBERS)
    app.session_state[PREPARED] = Lecture("", (Step("summary", BROKEN["cut"]),))
    fine(app.run())
    press(app, "lecture-start-list")
    assert (page(app), experiment(app)) == ("heatmap", NUMBERS)
    assert not lectures(app)
    assert len(notices(app)) == 1


@pytest.mark.parametrize(
    "words",
    [{"embed": "true"}, {"embed_options": "show_toolbar"}, {"list": "x"}, {"lecture": "off"},
     {"lang": "zh"}, {"step": "9"}, {"idea": "x"}, {"guess": "first"}, {"palette": "grey"},
     {"": "x"}, {"stage": "nonsense"}, {"q": "999", "k": "-1", "head": "x"}, {"stage": "é" * 80},
     {f"o{i}": "1" for i in range(29)}],
    ids=str,
)  # fmt: skip
def test_a_step_with_words_of_somebody_else(words):
    """A list may come from anybody; nothing in it may break the page or end the lecture."""
    app = with_steps(GOOD, Step("heatmap", {"preset": "random", **words}))
    while position(app)[0] == 1:
        on(app)
    assert (page(app), position(app)) == ("heatmap", (2, 2))
    assert experiment(app).preset == "random"
    assert option(app, "guess") == option(app, "palette") == ""
    assert option(app, "lang") in ("", "en")
    fine(app.run())


def test_a_step_of_an_experiment_too_long_for_a_link_is_kept(prepare):
    wide = presets.random(("a", "b"), seed=3, d_model=64)
    big = RANDOM.with_(
        tokens=("a", "b"), token_vectors=wide.token_vectors, w_o=None, num_heads=1,
        **dict.fromkeys(("w_q", "w_k", "w_v"), np.random.default_rng(0).normal(size=(64, 64))),
    )  # fmt: skip
    assert len(link.to_link(big)) > link.MAX_LENGTH
    app = prepare("heatmap", NUMBERS)
    change_outside(app, lambda _: big)
    press_outside(app, "lecture-add")
    control(app, "preset").set_value("relations-en").run()
    press(app, "lecture-start-list")
    assert experiment(app) == big
    made = app.session_state[PREPARED]
    assert lecture.from_json(lecture.to_json(made), PAGES) == made
    assert "list" not in app.query_params
    assert json.loads(lecture.to_json(made))["experiments"] == [link.to_link(big)]
