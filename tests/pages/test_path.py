"""Guess first: questions, answers, and what is right."""

import numpy as np
import pytest
from test_pages import PAGES, change, control, experiment, fine, keys, opened, press, texts

from core import presets
from core.experiment import Experiment
from core.trace import trace
from ui import questions, session

RELATIONS = presets.build("relations-en")
ASKING = (
    "start",
    "tokens",
    "projections",
    "dot",
    "scaling",
    "softmax",
    "heatmap",
    "masks",
    "heads",
)


def asked(page, now=None, **parameters):
    return opened(page, now, guess="first", lang="en", **parameters)


def answers(app, page):
    return [key for key in keys(app) if key.startswith(f"answer-{page}-") and key[-1].isdigit()]


@pytest.mark.parametrize("page", ASKING)
def test_a_page_waits_for_a_guess_and_then_shows(page):
    app = asked(page)
    assert len(answers(app, page)) >= 2
    assert not app.get("plotly_chart")
    press(app, f"answer-{page}-0")
    assert not answers(app, page)
    assert app.success or app.info


@pytest.mark.parametrize("page", ["code", "summary", "learning"])
def test_a_page_without_a_question_shows_at_once(page):
    app = opened("start", guess="first", lang="en")
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    assert not answers(app, page)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_asked_by_itself(page):
    assert not answers(opened(page), page)


def test_the_right_word_is_the_one_with_the_largest_weight():
    app = asked("start")
    best = int(trace(RELATIONS).weights[2, 8].argmax())
    press(app, f"answer-start-{best}")
    assert r"98\.8%" in app.success[0].value
    wrong = asked("start")
    press(wrong, f"answer-start-{best + 1}")
    assert r"98\.8%" in wrong.info[0].value


def test_who_just_wants_to_see_sees():
    app = asked("heatmap")
    press(app, "answer-heatmap-show")
    assert not app.success
    assert not app.info
    assert not answers(app, "heatmap")


def ask(page: str, now: Experiment) -> questions.Question | None:
    """The question for an experiment, without the app."""
    app = opened("tokens", now)
    found = []

    def look() -> None:
        found.append(questions.ask(page))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "experiment", lambda: experiment(app))
        patch.setattr(session, "head", lambda: 0)
        patch.setattr(session, "pair", lambda: (0, 0))
        patch.setattr(questions.library, "shows", lambda: False)
        look()
    return found[0]


def test_a_tie_has_several_right_answers_or_is_not_asked():
    even = RELATIONS.with_(w_q=np.zeros_like(RELATIONS.w_q))
    assert ask("start", even) is None
    two = RELATIONS.with_(mask="causal", w_q=np.zeros_like(RELATIONS.w_q))
    question = ask("start", two.with_(mask="manual", allowed=np.arange(11) < [[2]] * 11))
    assert list(question.right) == [0, 1]


def test_a_row_without_a_key_adds_up_to_nothing():
    allowed = np.ones((11, 11), dtype=bool)
    allowed[0] = False
    question = ask("heatmap", RELATIONS.with_(mask="manual", allowed=allowed))
    assert [question.answers[i] for i in question.right] == ["0"]
    assert "no key" in question.because


def test_one_token_has_no_answer_twice():
    one = presets.random(("a",), d_model=4, num_heads=1)
    for page in ASKING:
        question = ask(page, one)
        assert question is None or len(set(question.answers)) == len(question.answers)


def test_a_guess_that_no_longer_exists_is_asked_again():
    app = asked("start", presets.random(RELATIONS.tokens))
    press(app, "answer-start-10")
    change(app, lambda e: e.with_(tokens=e.tokens[:3], token_vectors=e.token_vectors[:3]))
    assert answers(app, "start")


def test_the_strip_marks_what_was_seen():
    app = opened("start", lang="en")
    fine(app.switch_page("pages/tokens.py").run())
    marks = next(text for text in texts(app) if "step 2 of 12" in text)
    assert marks.startswith("✓●○")
    assert control(app, "option-guess").value == ""
