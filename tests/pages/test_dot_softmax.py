"""The Dot product and Softmax pages without a browser: what they show is what core computes."""

import base64
import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from test_pages import (
    change,
    charts,
    control,
    experiment,
    fine,
    notices,
    opened,
    press,
    texts,
    view,
)

from core import presets
from core.attention import softmax
from core.dot import compare, disagreement, pairwise
from core.experiment import Experiment
from core.metrics import entropy_bits
from core.softmax_steps import TRIAD, steps
from core.trace import trace
from ui.soft import constant

PRESETS = ("relations-en", "random", "article-numbers")
DOT = ("arrows", "people", "dimensions", "attention")
SOFT = ("stages", "temperature", "constant", "differences")


def dot(lesson: str, now: Experiment | None = None, **more: object) -> AppTest:
    return opened("dot", now, **{"lang": "en", "preset": "random", "dot": lesson, **more})


def soft(lesson: str, now: Experiment | None = None, **more: object) -> AppTest:
    return opened("softmax", now, **{"lang": "en", "preset": "random", "soft": lesson, **more})


def array(packed: object) -> np.ndarray:
    """What Plotly sends of an array, packed or not."""
    if isinstance(packed, dict):
        return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])
    return np.array(packed, dtype=float)


def components(app: AppTest) -> list[dict]:
    return [json.loads(one.proto.json or "{}") for one in app.get("bidi_component")]


def dragged(app: AppTest) -> list[dict]:
    return [one for one in components(app) if "form" in one]


def product(app: AppTest) -> np.ndarray:
    """The numbers of the last panel of the page's matrices."""
    panel = [one["panels"][-1] for one in components(app) if "panels" in one][-1]
    sent = np.frombuffer(base64.b64decode(panel["values"]), panel["dtype"])
    return sent.reshape(len(panel["rows"]), len(panel["cols"]))


def metrics(app: AppTest) -> list[str]:
    return [one.value for one in app.metric]


def latex(app: AppTest) -> str:
    return " ".join(one.value for one in app.get("latex"))


def said(app: AppTest) -> str:
    return "\n".join(texts(app)).replace("\\", "")


def bars(app: AppTest, chart: int, panel: int = 0) -> np.ndarray:
    return array(charts(app)[chart]["data"][panel]["y"])


def row_of(app: AppTest) -> np.ndarray:
    """The pinned row: scores, scaled and masked, of the keys that may be looked at."""
    now, (head, query, _key) = experiment(app), view(app)
    result = trace(now)
    return result.masked_scores[head, query][result.allowed[query]]


# ---- every lesson ----


@pytest.mark.parametrize("lesson", DOT)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_lesson_of_the_dot_product(preset, lesson):
    app = dot(lesson, preset=preset)
    assert control(app, "option-dot").value == lesson
    assert not any("{" in text or "nan" in text for text in texts(app))


@pytest.mark.parametrize("lesson", SOFT)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_lesson_of_softmax(preset, lesson):
    app = soft(lesson, preset=preset, scores="pinned")
    assert control(app, "option-soft").value == lesson
    assert not any("{" in text or "nan" in text for text in texts(app))


@pytest.mark.parametrize("lesson", SOFT)
@pytest.mark.parametrize("scores", ["article", "even"])
def test_every_lesson_on_the_other_scores(scores, lesson):
    assert len(dragged(soft(lesson, scores=scores))) == (lesson in ("stages", "differences"))


# ---- two arrows ----


def test_the_arrows_as_numbers():
    app = dot("arrows")
    assert metrics(app) == ["5", "0.7071", "45.0°"]
    assert "3 \\cdot 1 + 1 \\cdot 2 = \\mathbf{5}" in latex(app)
    assert "|a|\\,|b| \\cos\\theta &= 3.162 \\cdot 2.236 \\cdot 0.7071 = \\mathbf{5}" in latex(app)
    assert dragged(app)[0]["values"] == [3, 1, 1, 2]
    assert "On the same side" in said(app)


@pytest.mark.parametrize(
    ("example", "shown", "words"),
    [
        ("same", ["5", "1.0000", "0.0°"], "On the same side"),
        ("right", ["0", "0.0000", "90.0°"], "At right angles"),
        ("against", ["-10", "-1.0000", "180.0°"], "Against each other"),
        ("longer", ["10", "0.7071", "45.0°"], "On the same side"),
    ],
)
def test_examples(example, shown, words):
    app = press(dot("arrows"), f"dot-{example}")
    assert metrics(app) == shown
    assert words in said(app)


def test_b_is_not_doubled_out_of_the_plane():
    app = press(press(dot("arrows"), "dot-longer"), "dot-against")
    assert app.button(key="dot-longer").disabled


def test_fields_set_the_arrows():
    app = dot("arrows")
    for key, value in (("a1", "-2.5"), ("a2", "0.1"), ("b1", "−1"), ("b2", "4")):
        fine(control(app, f"dot-{key}").set_value(value).run())
    result = compare(np.array([-2.5, 0.1]), np.array([-1.0, 4.0]))
    assert dragged(app)[0]["values"] == [-2.5, 0.1, -1, 4]
    assert [float(text.rstrip("°")) for text in metrics(app)] == pytest.approx(
        [result.value, result.cosine, result.degrees], abs=0.05
    )


@pytest.mark.parametrize(("typed", "notice"), [("abc", "is not a number"), ("5.1", "within ±5"),
                                               ("0,5", "a comma")])  # fmt: skip
def test_a_field_refuses(typed, notice):
    app = dot("arrows")
    fine(control(app, "dot-a1").set_value(typed).run())
    assert notice in notices(app)[0].replace("\\", "")
    assert dragged(app)[0]["values"] == [3, 1, 1, 2]
    assert control(app, "dot-a1").value == "3"


def test_a_right_angle_shows_no_rounding():
    """The cosine of these tenths is 9e-18; nobody should see a power of ten."""
    app = dot("arrows")
    app.session_state["dot:arrows"] = (0.6, 0.2, -0.1, 0.3)
    fine(app.run())
    assert metrics(app) == ["0", "0.0000", "90.0°"]
    assert "At right angles" in said(app)
    assert "10^" not in latex(app)


def test_an_arrow_of_length_zero():
    app = dot("arrows")
    app.session_state["dot:arrows"] = (0.0, 0.0, 1.0, 2.0)
    fine(app.run())
    assert metrics(app) == ["0", "–", "–"]
    assert "No angle" in said(app)


# ---- people, four dimensions ----


def test_people():
    app = dot("people")
    people = np.array([[1, 0], [0, 1], [0.7, 0.7], [0.9, 0.2]])
    np.testing.assert_array_equal(product(app), pairwise(people))
    assert "0.9 \\cdot 0.7 + 0.2 \\cdot 0.7 = \\mathbf{0.77}" in latex(app)
    fine(control(app, "dot-you0").set_value("-1").run())
    assert "(-1) \\cdot 0.7 + 0.2 \\cdot 0.7 = \\mathbf{-0.56}" in latex(app)
    assert "below 0" in said(app)
    fine(control(app, "dot-you1").set_value("1.5").run())
    assert "within ±1" in notices(app)[0].replace("\\", "")


def test_four_dimensions():
    app = dot("dimensions")
    assert "0.8 \\cdot 0.7 + 0.3 \\cdot 0.2 + 0.9 \\cdot 0.8 + 0.1 \\cdot 0.5" in latex(app)
    np.testing.assert_allclose(bars(app, 1), [0.56, 0.06, 0.72, 0.05, 1.39])
    press(app, "dot-four-unrelated")
    assert "\\mathbf{0}" in latex(app)
    assert "angle is 90.0°" in said(app)
    app.session_state["dot:four"] = (0.0,) * 4
    assert "length 0" in said(fine(app.run()))


# ---- the experiment's own query and key ----


@pytest.mark.parametrize("preset", PRESETS)
def test_the_pinned_score_term_by_term(preset):
    app = dot("attention", preset=preset)
    result, (head, query, key) = trace(experiment(app)), view(app)
    terms = result.query[head, query] * result.key[head, key]
    score = result.scores[head, query, key]
    np.testing.assert_allclose(bars(app, 0), [*terms, score], rtol=1e-12, atol=1e-12)
    shown = product(app)
    np.testing.assert_array_equal(shown[0], result.scores[head, query])
    np.testing.assert_allclose(shown[1], np.linalg.norm(result.key[head], axis=1), rtol=1e-12)
    pair = compare(result.query[head, query], result.key[head, key])
    assert f"cosine **{pair.cosine:.3f}**" in said(app)


@pytest.mark.parametrize("preset", PRESETS)
def test_keys_whose_order_differs(preset):
    app = dot("attention", preset=preset)
    now, (head, query, _key) = experiment(app), view(app)
    result, labels = trace(now), now.labels()
    found = disagreement(result.query[head, query], result.key[head], result.allowed[query])
    if found is None:
        assert "both give the same order" in said(app)
    else:
        assert f"order differs: {labels[found[0]]} has the larger dot product" in said(app)
        assert f"{labels[found[1]]} the larger cosine" in said(app)


def test_a_key_of_length_zero():
    app = dot("attention", preset="relations-en", q=8, k=0)
    assert "One of the two has length 0" in said(app)
    fine(control(app, "dot-query").set_value(3).run())
    assert view(app)[1] == 3


# ---- softmax ----


def test_the_article_and_its_printed_weights():
    app = soft("stages")
    np.testing.assert_array_equal(bars(app, 1), softmax(np.array(TRIAD)))
    np.testing.assert_allclose(bars(app, 0), np.exp(TRIAD))
    text = said(app)
    for part in ("0.72, 0.22, 0.06", "0.765, 0.189, 0.047", "e^1.4 = 4.06", "0.72 ÷ 0.22 = 3.27"):
        assert part in text


@pytest.mark.parametrize("preset", PRESETS)
def test_the_pinned_row(preset):
    app = soft("stages", preset=preset, scores="pinned")
    scores = row_of(app)
    assert dragged(app)[0]["values"] == scores.tolist()
    np.testing.assert_array_equal(bars(app, 1), softmax(scores.astype(float)))
    np.testing.assert_allclose(product(app), [scores, np.exp(scores), softmax(scores)], rtol=1e-15)


def test_equal_scores():
    app = soft("stages", scores="even")
    np.testing.assert_array_equal(bars(app, 1), [0.25] * 4)
    assert "each of 4 gets 0.250" in said(app)


def test_masked_keys_are_named_and_a_row_without_any_says_so():
    now = presets.build("article-numbers").with_(mask="causal")
    app = soft("stages", now, scores="pinned", q=1)
    assert "Left out by the mask, with weight 0: c·2, d·3." in said(app)
    assert len(dragged(app)[0]["values"]) == 2
    allowed = np.ones((4, 4), bool)
    allowed[1] = False
    change(app, lambda e: e.with_(mask="manual", allowed=allowed))
    assert "leaves the pinned row no key" in said(app)
    assert not dragged(app)


def test_moved_scores_follow_all_lessons_and_end_with_their_row():
    app = soft("stages", scores="pinned", preset="article-numbers")
    first = row_of(app)
    moved = (1.0, 2.0, 3.0, 4.0)
    app.session_state["soft:moved"] = ("pinned", tuple(first), moved)
    fine(app.run())
    np.testing.assert_array_equal(bars(app, 1), softmax(np.array(moved)))
    press(app, "soft-chevron_right")
    np.testing.assert_array_equal(bars(app, 0, 1), softmax(np.array(moved)))
    change(app, lambda e: e.with_(divisor="none"))
    np.testing.assert_array_equal(bars(app, 0, 1), softmax(row_of(app)))
    change(app, lambda e: e.with_(divisor="sqrt_d_k"))
    press(app, "soft-reset")
    np.testing.assert_array_equal(bars(app, 0, 1), softmax(first))


def test_temperature():
    app = soft("temperature")
    fine(control(app, "soft-t").set_value(2.5).run())
    weights = softmax(np.array(TRIAD) / 2.5)
    np.testing.assert_allclose(bars(app, 0, 0), [1, 0, 0])
    np.testing.assert_allclose(bars(app, 0, 1), weights, rtol=1e-14)
    np.testing.assert_allclose(bars(app, 0, 2), [1 / 3] * 3)
    assert f"entropy **{entropy_bits(weights):.3f}** of at most 1.585 bits" in said(app)
    assert "animal gets all" in said(app)


@pytest.mark.parametrize(
    ("c", "words"),
    [(1000, "∞ ÷ ∞ is NaN"), (-1000, "0 ÷ 0 is NaN"), (100, "still works"), (0, "to the last bit")],
)
def test_a_constant(c, words):
    app = press(soft("constant"), f"soft-c-{c}")
    assert words in said(app)
    np.testing.assert_allclose(bars(app, 0), softmax(np.array(TRIAD)), atol=1e-12)
    stable, naive = (
        np.frombuffer(base64.b64decode(one["panels"][0]["values"])).reshape(-1, 3)
        for one in components(app)
        if "panels" in one
    )
    np.testing.assert_allclose(stable[1], [0, -1.4, -2.8], atol=1e-12)
    assert np.isnan(naive[-1]).all() == (abs(c) == 1000)


def test_differences():
    app = soft("differences")
    assert "the ratio is 4.055, and e^1.4 = 4.055" in said(app)
    press(app, "soft-d-2")
    weights = softmax(np.array([3.8, 1.8, 0.4]))
    assert f"animal has the weight {weights[0]:.4f}, tired {weights[1]:.4f}" in said(app)
    assert "the ratio is 7.389, and e^2 = 7.389" in said(app)
    assert dragged(app)[0]["values"] == pytest.approx([3.8, 1.8, 0.4])
    ratio = next(one for one in charts(app)[0]["data"] if one.get("mode") == "markers")
    np.testing.assert_allclose(array(ratio["y"]), np.exp(array(ratio["x"])), rtol=1e-5)


def test_one_key_has_no_difference():
    app = soft("differences", presets.random(("one",)), scores="pinned")
    assert "this row has one" in said(app)


def test_huge_scores_and_many_tokens():
    now = presets.build("article-numbers")
    now = now.with_(w_q=now.w_q * 1e5, w_k=now.w_k * 1e5)
    for lesson in SOFT:
        assert not re.search(r"\b(nan|inf)\b", said(soft(lesson, now, scores="pinned")))
    many = presets.random(tuple(f"t{i}" for i in range(64)))
    assert len(dragged(soft("stages", many, scores="pinned"))[0]["values"]) == 64


def test_a_sum_that_overflows_alone_is_told():
    """Each e^(x + c) fits, their sum does not: every naive weight is 0 and none is NaN."""
    found = steps(np.full(4, -0.5) + 710)
    assert np.isfinite(found.plain).all()
    naive = found.plain / found.plain_total
    assert (naive == 0).all()
    said = constant._naive(naive, found.weights, found.plain_total, found.largest)
    assert "their sum is too large" in said
