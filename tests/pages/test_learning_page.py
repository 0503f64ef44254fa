"""The Learning page without a browser: one run of the app is one tick of the race."""

import base64

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from test_pages import ROOT, charts, experiment, keys, texts, view

from core.trace import trace
from ui import racing
from ui.numerals import Numerals

LESSONS = ("race", "formed", "seeds", "depth")


@pytest.fixture(autouse=True)
def one_step_a_tick(monkeypatch):
    """However slow the machine, a tick ends after a step, so that steps can be counted."""
    monkeypatch.setattr(racing, "_SLICE", -1.0)


def fine(app):
    """This page shows no experiment, so it has not the frame that the others have."""
    assert not app.exception, [one.message for one in app.exception]
    assert "page" in keys(app)
    return app


def lesson(name, **parameters):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    for option, value in {"lesson": name, "lang": "en", **parameters}.items():
        app.query_params[option] = str(value)
    return fine(app.switch_page("pages/learning.py").run())


def press(app, key):
    return fine(app.button(key=key).click().run())


def race(app, name="race"):
    return app.session_state[name][1]


def play(app, name="race", runs=1):
    press(app, f"{name}-play")
    for _ in range(runs - 1):
        fine(app.run())
    return app


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_lesson_opens(name, language):
    lesson(name, lang=language)


def test_nothing_runs_before_play():
    app = lesson("race")
    fine(app.run())
    assert race(app).step == 0


def test_play_makes_steps_and_pause_ends_them():
    app = play(lesson("race"), runs=3)
    assert race(app).step == 3
    press(app, "race-play")
    fine(app.run())
    assert race(app).step == 3


def test_one_step_is_one_step():
    app = press(lesson("race"), "race-one")
    assert race(app).step == 1


def test_it_stops_when_the_page_is_left():
    app = play(lesson("race"))
    step = race(app).step
    fine(app.switch_page("pages/tokens.py").run())
    fine(app.switch_page("pages/learning.py").run())
    fine(app.run())
    assert race(app).step == step


@pytest.mark.parametrize(
    ("option", "value"), [("race-d_k", "16"), ("rate", "0.001"), ("race-seed", 3)]
)
def test_other_settings_are_another_race(option, value):
    app = lesson("race", **{option: value})
    settings = next(iter(race(app).learners.values())).settings
    found = {"race-d_k": settings.d_k, "rate": settings.rate, "race-seed": settings.seed}
    assert str(found[option]) == str(value)


def test_hostile_options_fall_back():
    app = lesson("race", **{"race-d_k": "999999", "rate": "nan", "race-seed": "-1", "speed": "1e9"})
    settings = next(iter(race(app).learners.values())).settings
    assert (settings.d_k, settings.rate, settings.seed) == (64, 0.003, 0)


def test_the_arms_differ_in_the_scale_alone():
    one, other = race(lesson("race")).learners.values()
    assert (one.settings.scaled, other.settings.scaled) == (True, False)
    assert one.example == other.example


def test_pictures_and_table_show_the_step_on_show():
    app = play(lesson("race"), runs=2)
    press(app, "race-play")
    frames = race(app).frames_at(race(app).step)
    heatmaps = [trace for trace in charts(app)[0]["data"] if trace["type"] == "heatmap"]
    shown = [
        np.frombuffer(base64.b64decode(one["z"]["bdata"]), np.float32).reshape(12, 12)
        for one in heatmaps
    ]
    expected = [head for frame in frames.values() for head in frame.weights[0]]
    np.testing.assert_allclose(shown, expected)
    table = next(text for text in texts(app) if text.startswith("| learner"))
    for frame in frames.values():
        assert f"{frame.accuracy:.1%}" in table
        assert f" {Numerals('en').significant(frame.score_gradient, 2)} " in table


def test_a_trained_layer_opens_on_the_other_pages():
    app = play(lesson("race"), runs=2)
    press(app, "race-play")
    press(app, "open-1-0")
    learner = race(app).learners["unscaled"]
    assert experiment(app) == learner.experiment()
    assert experiment(app).divisor == "none"
    head, query, key = view(app)
    assert key == trace(experiment(app)).weights[head, query].argmax()
    for page in ("tokens", "heatmap", "heads", "scaling", "summary"):
        fine(app.switch_page(f"pages/{page}.py").run())


def test_what_forms_waits_for_the_race():
    app = lesson("formed")
    assert not charts(app)
    press(app, "formed-start")
    assert race(app).step >= 1


def test_another_language_keeps_the_race():
    app = press(lesson("race"), "race-one")
    app.session_state["explorer:options"]["lang"] = "zh"
    fine(app.run())
    assert race(app).step == 1


def test_a_sweep_runs_and_stops():
    app = press(lesson("seeds", seeds="5", **{"race-d_k": "16"}), "sweep-run")
    (sweep,) = app.session_state["sweeps"].values()
    assert sweep.progress > 0
    press(app, "sweep-run")
    stopped = sweep.progress
    fine(app.run())
    assert sweep.progress == stopped


def test_two_layers_and_one_race_on_the_second_task():
    app = play(lesson("depth"), "depth")
    two, one = race(app, "depth").learners.values()
    assert (two.settings.layers, one.settings.layers) == (2, 1)
    assert two.settings.task == one.settings.task == "induction"
