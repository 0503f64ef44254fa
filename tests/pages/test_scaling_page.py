"""The Scaling page without a browser: each step of the argument shows what core computes."""

import base64
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from test_pages import (
    charts,
    control,
    experiment,
    fine,
    keys,
    opened,
    panels,
    press,
    texts,
    values,
    view,
)

from core import edit, link, presets
from core.experiment import Experiment
from core.gradients import softmax_jacobian
from core.scaling import WIDTHS, Extremes, Law, measure, reversed_region
from core.trace import trace
from ui import law

STEPS = ("own", "spread", "learning", "overflow", "figures")
SHOWN = ("relations-en", "random", "article-numbers")
DIVISORS = ("none", "sqrt_d_k", "d_k", "sqrt_d_model")
ODD = {"keys": 9, "draws": 50, "width": 12, "from": "uniform", "seed": 3}


@pytest.fixture(autouse=True)
def few_tables(monkeypatch):
    """Known numbers for the last step instead of some seconds of drawing."""

    def known(d_k: int, **_others: object) -> Extremes:
        spread, largest, beyond = {4: (2.04, 13.1, 0), 512: (22.5, 91.2, 25)}[d_k]
        return Extremes(d_k, 1_000_000, spread, largest, beyond, 100)

    law._extremes.clear()
    monkeypatch.setattr(law, "extremes", known)
    yield
    law._extremes.clear()


def own(now: Experiment | None = None, **parameters: object) -> AppTest:
    return opened("scaling", now, **{"lang": "en", **parameters})


def step(why: str, **parameters: object) -> AppTest:
    return own(preset="random", why=why, **parameters)


@cache
def as_at_first() -> Law:
    """The measurement that is shown before anything was chosen."""
    return measure(keys=6, draws=300, seed=0, distribution="normal")


@cache
def as_odd() -> Law:
    return measure(keys=9, draws=50, seed=3, distribution="uniform")


def numbers(packed: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def says(app: AppTest, *numbers: str) -> bool:
    """Whether one text of the page names these numbers, in this order, whatever its words."""
    for text in texts(app):
        named = iter(re.findall(r"(?<![\d.])\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]\d+)?|∞|nan", text))
        if all(number in named for number in numbers):
            return True
    return False


def below_the_pictures(app: AppTest) -> np.ndarray:
    """The numbers under the matrices, or under the pictures: a row for each."""
    names = ("spread of scores", "largest weight", "entropy, bits", "Jacobian norm")
    lines = [text.split("  \n") for text in texts(app) if "  \n" in text]
    if lines[0] == [f":small[{name}]" for name in names]:
        columns = [[number.strip("*") for number in column] for column in lines[1:]]
    else:  # each with its name
        found = [[re.fullmatch(r":small\[(.*) \*\*(.*)\*\*\]", one) for one in c] for c in lines]
        assert [[one[1] for one in column if one] for column in found] == [list(names)] * 4
        columns = [[one[2] for one in column if one] for column in found]
    assert all(largest.endswith("%") for _spread, largest, *_more in columns)
    return np.array([[read(number.rstrip("%")) for number in column] for column in columns])


def read(number: str) -> float:
    """A number as the page writes it: 7.85×10⁻⁵."""
    mantissa, _ten, exponent = number.partition("×10")
    return float(
        f"{mantissa}e{exponent.translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789')) or 0}"
    )


def same_below(app: AppTest, now: Experiment, head: int, query: int) -> None:
    """What stands under the pictures is what core computes, to the digits that are written."""
    shown = below_the_pictures(app)
    assert len(shown) == len(DIVISORS)
    for column, divisor in zip(shown, DIVISORS, strict=True):
        result = trace(now.with_(divisor=divisor))
        row = result.weights[head, query]
        spread = np.std(result.scaled_scores[head][now.may_attend])
        entropy = -sum(p * np.log2(p) for p in row if p > 0)
        jacobian = np.linalg.norm(softmax_jacobian(row))
        expected = [spread, 100 * max(row), entropy, jacobian]
        # Three digits, a percentage with one more; what is below 3e-8 may have been rounded away.
        np.testing.assert_allclose(column[[0, 2, 3]], np.delete(expected, 1), rtol=5e-3, atol=3e-8)
        assert column[1] == pytest.approx(expected[1], abs=0.051)


# ---- every step ----


@pytest.mark.parametrize("why", STEPS)
@pytest.mark.parametrize("preset", SHOWN)
def test_every_step_opens(preset, why):
    app = own(preset=preset, why=why)
    assert control(app, "option-why").value == why
    assert len(charts(app)) == {"spread": 2, "learning": 1}.get(why, 0)
    assert len(panels(app)) == {"own": 4}.get(why, 0)
    assert not any("nan" in text for text in texts(app) if why != "overflow")
    assert not any("{" in text for text in texts(app)), "a field was not filled in"


def test_a_walk_through_the_steps_and_back():
    app = own(preset="relations-en")
    for before, after in pairwise(STEPS):
        assert control(app, "option-why").value == before
        press(app, "why-chevron_right")
        assert app.query_params["why"] == after
    assert app.button(key="why-chevron_right").disabled
    for _step in STEPS[1:]:
        press(app, "why-chevron_left")
    assert control(app, "option-why").value == "own"
    assert "why" not in app.query_params
    assert app.button(key="why-chevron_left").disabled


def test_a_step_that_does_not_exist():
    assert control(own(preset="random", why="everything"), "option-why").value == "own"


# ---- the reader's own experiment ----


@pytest.mark.parametrize("preset", SHOWN)
def test_the_numbers_below_the_pictures(preset):
    app = own(preset=preset, q=3)
    now, (head, query, _key) = experiment(app), view(app)
    assert query == 3
    same_below(app, now, head, query)


def test_the_numbers_follow_the_mask_the_head_and_the_temperature():
    now = presets.build("random").with_(mask="causal", temperature=0.5, divisor="d_k")
    app = own(now, q=4, head=2)
    same_below(app, now, 2, 4)


def test_a_row_with_no_key_left():
    allowed = np.ones((4, 4), dtype=bool)
    allowed[1] = False
    now = presets.build("article-numbers").with_(mask="manual", allowed=allowed)
    app = own(now, q=1)
    same_below(app, now, 0, 1)
    assert below_the_pictures(app)[:, 1:].tolist() == [[0, 0, 0]] * 4


def test_the_matrices_are_the_weights_with_each_divisor():
    now = presets.build("article-numbers")
    drawn = panels(own(now))
    assert len(drawn) == 4
    for one, divisor in zip(drawn, DIVISORS, strict=True):
        assert one["scale"] == "weights"
        np.testing.assert_array_equal(values(one), trace(now.with_(divisor=divisor)).weights[0])


def test_a_longer_sentence_is_four_pictures_on_one_scale():
    now = presets.random(tuple(f"word{i}" for i in range(13)))
    app = own(now, q=12)
    drawn = [one for one in charts(app)[0]["data"] if one["type"] == "heatmap"]
    assert len(drawn) == 4
    for one, divisor in zip(drawn, DIVISORS, strict=True):
        weights = trace(now.with_(divisor=divisor)).weights[0]
        np.testing.assert_allclose(numbers(one["z"]).reshape(13, 13), weights, atol=1e-6)
        assert (one["zmin"], one["zmax"]) == (0, 1)
    same_below(app, now, 0, 12)


@pytest.mark.parametrize(("preset", "d_k"), [("random", 64), ("article-numbers", 16)])
def test_another_d_k_changes_queries_and_keys_only(preset, d_k):
    app = own(preset=preset)
    before = experiment(app)
    fine(control(app, "own-d_k").set_value(d_k).run())
    after = experiment(app)
    assert after == presets.with_d_k(before, d_k)
    assert after.with_(w_q=before.w_q, w_k=before.w_k) == before
    same_below(app, after, *view(app)[:2])
    assert link.from_link(preset, app.query_params["x"]) == after
    fine(control(app, "own-d_k").set_value(before.d_k).run())
    assert experiment(app) == before


def test_the_choice_of_d_k_holds_the_one_that_is_there():
    now = presets.with_d_k(presets.random(("a", "b"), d_model=32, num_heads=16), 10)
    group = control(own(now), "own-d_k")
    assert group.options == ["1", "4", "10", "16", "64"], "256 in 16 heads is too wide"
    assert group.value == 10


@pytest.mark.parametrize("preset", [name for name in presets.PRESETS if name.count("-") > 1]
                                   + ["relations-en", "relations-zh"])  # fmt: skip
def test_no_choice_of_d_k_for_what_was_made_by_hand(preset):
    app = own(preset=preset)
    assert "own-d_k" not in keys(app)
    assert any(text.startswith(f"d_k = {experiment(app).d_k}, ") for text in texts(app))
    press(app, "own-random")
    assert experiment(app) == presets.random(presets.build(preset).tokens)
    assert "own-random" not in keys(app)
    assert control(app, "own-d_k").value == 4


def random_at(d_k: int, first: float | None = None) -> Experiment:
    now = presets.with_d_k(presets.build("random"), d_k)
    return now if first is None else edit.set_cell(now, "token_vectors", 0, 0, first)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (random_at(4), "does not help the gradient"),
        (random_at(64), "react to the scores only"),
        (presets.with_d_k(presets.build("article-numbers"), 1024), "react to the scores any more"),
        (random_at(256, first=60), "do not react to the scores at all"),
    ],
    ids=["small", "wide", "saturated", "saturated-with-the-scale"],
)
def test_the_sentence_fits_the_gradient(now, said):
    app = own(now, q=0, head=0)
    none, scaled = below_the_pictures(app)[:2, 3]
    assert (none < scaled) == ("only" in said or "any more" in said)
    (sentence,) = [text for text in texts(app) if "the weights" in text or "its weights" in text]
    assert said in sentence


# ---- random queries and keys ----


def test_the_spread_is_drawn_as_it_was_measured():
    app = step("spread", **ODD)
    known = as_odd()
    predicted, before, after = charts(app)[0]["data"]
    root = np.sqrt(WIDTHS)
    for one, y, error in (
        (predicted, np.array(root) / 3, None),
        (before, known.spread.mean, 2 * known.spread.error),
        (after, known.spread.mean / root, 2 * known.spread.error / root),
    ):
        np.testing.assert_array_equal(numbers(one["x"]), WIDTHS)
        np.testing.assert_allclose(numbers(one["y"]), y, rtol=1e-6)
        if error is not None:
            np.testing.assert_allclose(numbers(one["error_y"]["array"]), error, rtol=1e-6)
    marks = [one["x0"] for one in charts(app)[0]["layout"]["shapes"]]
    assert marks == [12]
    place = WIDTHS.index(12)
    measured, error = known.spread.mean[place], 2 * known.spread.error[place]
    after = measured / np.sqrt(12)
    assert says(app, "12", f"{measured:.3g}", f"{error:.1g}", "1.15", f"{after:.3g}")
    wide, narrow = (numbers(one["y"]) for one in charts(app)[1]["data"])
    assert narrow.max() > 2 * wide.max()


def test_the_curves_of_learning_are_the_two_arms():
    app = step("learning", **ODD)
    known = as_odd()
    lines = [one for one in charts(app)[0]["data"] if one.get("name")]
    fields = ("largest", "entropy", "jacobian", "d_scores", "d_query", "d_key")
    wanted = [(arm, field) for field in fields for arm in ("unscaled", "scaled")]
    bands = [one for one in charts(app)[0]["data"] if not one.get("name")]
    for line, band, (arm, field) in zip(lines, bands, wanted, strict=True):
        assert line["name"] == {"unscaled": "without scale", "scaled": "÷ √d_k"}[arm]
        estimate = getattr(getattr(known, arm), field)
        np.testing.assert_allclose(numbers(line["y"]), estimate.mean, rtol=1e-6)
        upper = numbers(band["y"])[: len(WIDTHS)]
        np.testing.assert_allclose(upper, estimate.mean + 2 * estimate.error, rtol=1e-6)
    place = WIDTHS.index(12)
    ratios = [
        getattr(known.unscaled, field).mean[place] / getattr(known.scaled, field).mean[place]
        for field in ("d_scores", "d_query")
    ]
    assert says(app, "12", *(f"{ratio:.2g}" for ratio in ratios))


@pytest.mark.parametrize("why", ["spread", "learning"])
def test_draws_and_keys_that_were_chosen_are_told(why):
    assert says(step(why, **ODD), "20", "50", "9")


def test_a_choice_is_kept_in_the_link():
    app = step("spread", draws=50)
    fine(control(app, "option-keys").set_value(3).run())
    fine(control(app, "option-draws").set_value("100").run())
    fine(control(app, "option-width").set_value(16).run())
    assert says(app, "20", "100", "3")
    assert says(app, "16", "4")
    kept = {name: app.query_params[name] for name in ("keys", "draws", "width")}
    assert kept == {"keys": "3", "draws": "100", "width": "16"}


@pytest.mark.parametrize(
    ("name", "value", "default"),
    [
        ("keys", "999", 6), ("keys", "1", 6), ("keys", "1e1", 6), ("keys", "٣", 6),
        ("draws", "abc", "300"), ("draws", "1000000", "300"),
        ("width", "5", 64), ("width", "-1", 64), ("from", "<b>", "normal"), ("seed", "-1", 0),
    ],
)  # fmt: skip
def test_an_option_that_does_not_exist(name, value, default):
    app = step("spread", **{name: value})
    assert control(app, f"option-{name}").value == default
    assert name not in app.query_params


def test_many_keys_leave_fewer_draws(monkeypatch):
    asked = []
    monkeypatch.setattr(law, "_measure", lambda *what: asked.append(what) or as_at_first())
    app = step("overflow", keys=64, draws=1000)
    group = control(app, "option-draws")
    assert (group.options, group.value) == (["50", "100"], "100")
    assert asked == [(64, 100, 0, "normal")]


def test_the_reversal_button_shows_a_reversal():
    app = step("learning")
    assert not [one for one in charts(app)[0]["layout"]["shapes"] if one["type"] == "rect"]
    press(app, "law-reversal")
    chosen = [control(app, f"option-{name}").value for name in ("keys", "from", "width", "draws")]
    assert chosen == [8, "uniform", 12, "1000"]
    assert "law-reversal" not in keys(app)
    law = measure(keys=8, draws=1000, seed=0, distribution="uniform")
    reversed_at = np.array(law.widths)[reversed_region(law)]
    grey = [one for one in charts(app)[0]["layout"]["shapes"] if one["type"] == "rect"]
    assert {one["xref"] for one in grey} == {"x3"}, "in the panel of the Jacobian norm"
    inside = [any(one["x0"] <= width <= one["x1"] for one in grey) for width in law.widths]
    assert list(np.array(law.widths)[inside]) == list(reversed_at)
    assert 12 in reversed_at
    assert 512 not in reversed_at
    assert says(app, *map(str, reversed_at), "0.5")


def test_overflow_is_far_away():
    app = step("overflow", width=16)
    sigma = as_at_first().spread.mean[WIDTHS.index(16)]
    away = (f"{limit / sigma:.3g}" for limit in (88.7228, 709.783))
    assert says(app, "88.7", "709.8", "16", f"{sigma:.3g}", *away)
    stable = ("0.0900306", "0.244728", "0.665241")
    assert says(app, "1000", "1001", "1002", "nan", "nan", "nan", *stable, *stable)


def test_what_is_often_said_beside_what_was_measured():
    app, known, at = step("figures"), as_at_first(), WIDTHS.index(512)
    assert says(app, "4", "2.04", "13", "512", "22.5", "91", "25", "1,000,000")
    largest = (f"{arm.largest.mean[at]:.3f}" for arm in (known.unscaled, known.scaled))
    ratios = (
        f"{getattr(known.unscaled, field).mean[at] / getattr(known.scaled, field).mean[at]:.2g}"
        for field in ("d_scores", "d_query")
    )
    assert says(app, "512", *largest, *ratios)


def test_nothing_beyond_the_limit(monkeypatch):
    nothing = Extremes(512, 1_000_000, 22.5, 91.2, 0, 100)
    monkeypatch.setattr(law, "extremes", lambda *_where, **_how: nothing)
    assert says(step("figures"), "100", "0", "1,000,000")


def test_the_options_survive_an_edit_and_its_undo():
    app = step("own", **ODD)
    fine(control(app, "own-d_k").set_value(16).run())
    press(app, "button-:material/undo:")
    assert experiment(app) == presets.build("random")
    press(app, "why-chevron_right")
    assert control(app, "option-keys").value == 9


def test_an_edited_weight_is_dropped_by_another_d_k_and_comes_back_by_undo():
    edited = edit.set_cell(presets.build("random"), "w_q", 0, 0, 9)
    app = own(edited)
    fine(control(app, "own-d_k").set_value(16).run())
    assert experiment(app) == presets.with_d_k(presets.build("random"), 16)
    press(app, "button-:material/undo:")
    assert experiment(app) == edited
