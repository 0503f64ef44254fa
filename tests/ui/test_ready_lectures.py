"""The short lectures that are there to begin with."""

import pytest

from core import lecture, link
from core.link import MAX_LENGTH
from ui import language
from ui.lecture import ready
from ui.lecture.walk import PAGES, STOPS


@pytest.fixture(params=["en", "zh"])
def spoken(request):
    language.follow(lambda: request.param)
    yield request.param
    language.follow(lambda: "en")


@pytest.fixture(params=[ready.SCALING, ready.ROLES])
def made(request, spoken):
    return ready.lecture(request.param)


def test_it_is_shared_as_a_link_and_comes_back(made):
    text = lecture.to_link(made)
    assert len(text) < MAX_LENGTH
    assert lecture.from_link(text, PAGES) == made


def test_every_step_opens_an_experiment_in_the_readers_language(made, spoken):
    for step in made.steps:
        now = link.from_link(step.state["preset"], step.state.get("x", ""))
        chinese = any("\u4e00" <= letter <= "\u9fff" for letter in "".join(now.tokens))
        assert chinese == (spoken == "zh")


def test_every_step_is_a_view_of_the_walk(made):
    for step in made.steps:
        options = {k: v for k, v in step.state.items() if k not in ("preset", "x")}
        views = [stop.options for stop in STOPS if stop.page == step.page]
        assert any(
            all(options.get(name, "") == value for name, value in view.items()) for view in views
        ), step


def test_titles_are_said_once(made):
    titles = [step.title for step in made.steps]
    assert all(titles)
    assert len(set(titles)) == len(titles)


def test_the_scale_is_shown_where_it_matters(spoken):
    for step in ready.lecture(ready.SCALING).steps:
        assert link.from_link(step.state["preset"], step.state["x"]).d_k == 64
