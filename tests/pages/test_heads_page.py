"""The Heads page without a browser: every lesson, the shape of the heads, clicks, mistakes."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from test_pages import (
    charts,
    control,
    experiment,
    fine,
    go,
    notices,
    opened,
    panels,
    press,
    texts,
    values,
    view,
)

from core import edit, link, presets
from core.heads import head_contributions
from core.mistakes import attention_by_reshape
from core.trace import trace
from ui import session

LESSONS = ("grid", "query", "job", "one", "cost", "output", "mistakes")
SHOWN = ("relations-en", "relations-zh", "random", "article-numbers", "article-sentence-en")
RELATIONS = presets.build("relations-en")
RESULT = trace(RELATIONS)


def lesson(part, preset="relations-en", **more):
    return opened("heads", **{"preset": preset, "part": part, "lang": "en", **more})


def drawn(app):
    """The numbers of every heatmap of the first chart that shows numbers."""
    found = [one for one in charts(app)[0]["data"] if one["type"] == "heatmap"]
    packed = [one["z"] for one in found if "%{z" in one["hovertemplate"]]
    return [values({**_panel(one), "values": one["bdata"]}) for one in packed]


def side_by_side(app):
    """The numbers of the matrices of weights that stand side by side."""
    return [values(one) for one in panels(app) if one["scale"] == "weights"]


def _panel(packed):
    rows, columns = (range(int(size)) for size in packed["shape"].split(","))
    return {"dtype": packed["dtype"], "rows": rows, "cols": columns}


def table(app, heading):
    """The cells of the Markdown table whose first line holds this text, without its heading."""
    found = [text for text in texts(app) if text.startswith("|") and heading in text.split("\n")[0]]
    assert len(found) == 1
    lines = [re.split(r"(?<!\\)\|", line)[1:-1] for line in found[0].split("\n")[2:]]
    return [[cell.strip().strip("*") for cell in line] for line in lines]


# ---- every lesson ----


@pytest.mark.parametrize("part", LESSONS)
@pytest.mark.parametrize("preset", SHOWN)
def test_every_lesson_opens(preset, part):
    app = lesson(part, preset, lang="zh" if preset == "relations-zh" else "en")
    assert control(app, "option-part").value == part
    assert experiment(app) == presets.build(preset)
    assert notices(app) == []
    assert not [text for text in texts(app) if re.search(r"\{\w|\bnan\b", text)]


def test_a_walk_through_the_lessons():
    app = lesson("grid")
    for name in LESSONS[1:]:
        press(app, "part-chevron_right")
        assert control(app, "option-part").value == app.query_params["part"] == name
    assert app.button(key="part-chevron_right").disabled


@pytest.mark.parametrize("part", LESSONS)
def test_one_token_and_nothing_to_measure(part):
    one = presets.random(("one",), d_model=4, num_heads=2)
    app = opened("heads", one, part=part, lang="en")
    notes = [
        note["text"] for chart in charts(app) for note in chart["layout"].get("annotations", ())
    ]
    assert not [text for text in (*texts(app), *notes) if re.search(r"\bnan\b", text)]


# ---- number and width of heads ----


@pytest.mark.parametrize(
    ("preset", "count", "told"),
    [
        ("relations-en", 2, "no number changed"),
        ("random", 16, "no number changed"),
        ("article-sentence-en", 8, "W_Q, W_K, W_V, W_O changed"),
        ("article-numbers", 8, "W_Q, W_K, W_V changed"),
    ],
)
def test_another_number_of_heads(preset, count, told):
    before = presets.build(preset)
    app = lesson("grid", preset, head=before.num_heads - 1, q=2, k=1)
    fine(control(app, "num-heads").set_value(count).run())
    now = experiment(app)
    assert now == edit.set_heads(before, count)
    assert (now.tokens, now.token_vectors.tobytes()) == (
        before.tokens,
        before.token_vectors.tobytes(),
    )
    assert view(app) == (min(before.num_heads, count) - 1, 2, 1)
    assert len(notices(app)) == 1
    assert told in notices(app)[0].replace("\\", "")
    shown = side_by_side(app) if count <= 4 else drawn(app)
    np.testing.assert_allclose(shown, trace(now).weights, atol=1e-6)
    fine(app.run())
    assert notices(app) == []


def test_numbers_of_heads_on_offer_divide_d_model():
    assert control(lesson("grid"), "num-heads").options == ["1", "2", "4", "8", "16"]
    five = presets.random(("a", "b"), d_model=8, num_heads=5)
    assert control(opened("heads", five), "num-heads").options == ["1", "2", "4", "5", "8"]


def test_the_preset_s_own_number_brings_its_names_back():
    app = lesson("grid")
    fine(control(app, "num-heads").set_value(8).run())
    assert experiment(app).head_names == ()
    fine(control(app, "num-heads").set_value(4).run())
    assert experiment(app) == RELATIONS


@pytest.mark.parametrize(("preset", "d_k"), [(SHOWN[0], 1), *((name, 6) for name in SHOWN)])
def test_another_d_k(preset, d_k):
    before = presets.build(preset)
    app = lesson("grid", preset)
    fine(control(app, "d_k").set_value(d_k).run())
    assert experiment(app) == edit.set_d_k(before, d_k)
    [notice] = notices(app)
    assert "W_Q, W_K changed" in notice.replace("\\", "")
    assert experiment(app).token_vectors.tobytes() == before.token_vectors.tobytes()


# ---- a click in the grid ----


def _clicked():
    """A script: the callback alone, as if the browser had sent a point."""
    from ui import session
    from ui.heads import grid

    session.begin()
    grid._click()


def click(*points):
    app = AppTest.from_function(_clicked)
    app.query_params["preset"] = "relations-en"
    app.session_state["heads-grid"] = SimpleNamespace(selection=SimpleNamespace(points=points))
    app.run()
    assert not app.exception, app.exception[0].message
    return view(app)


FIRST_VIEW = (2, 8, 1)


@pytest.mark.parametrize("cell", [[0, 0, 0], [3, 10, 10], [1, 4, 9]])
def test_a_click_chooses_the_head_and_the_pair(cell):
    assert click({"customdata": cell}) == tuple(cell)


def test_a_click_on_nothing_changes_nothing():
    assert click() == FIRST_VIEW
    assert click({}) == FIRST_VIEW


@pytest.mark.parametrize(
    "customdata",
    [
        [4, 0, 0], [0, 11, 0], [0, 0, 11], [-1, 0, 0], [0, 0, -1],
        None, {"0": 0, "1": 0, "2": 0}, [0, 0], [0, 0, 0, 0],
        "000", ["a", 0, 0], [None, 0, 0], [math.nan, 0, 0], [0, math.inf, 0], [0, 0, 0.5],
    ],
    ids=str,
)  # fmt: skip
def test_a_click_that_no_cell_sends_changes_nothing(customdata):
    assert click({"customdata": customdata}) == FIRST_VIEW


# ---- what the lessons say ----


def test_the_table_of_one_query_is_its_weights():
    app = lesson("query", q=8)
    [shown] = [one for one in panels(app) if one["cols"] == list(RELATIONS.labels())]
    np.testing.assert_array_equal(values(shown), RESULT.weights[:, 8])


def test_the_relations_and_what_one_head_makes_of_them():
    one = trace(edit.set_heads(RELATIONS, 1)).weights[0]
    pairs = presets.right_pairs(RELATIONS)
    expected = [
        [f"{RELATIONS.head_names[p.head]}: {RELATIONS.labels()[p.query]}",
         RELATIONS.labels()[p.key],
         f"{RESULT.weights[p.head, p.query, p.key]:.0%}", f"{one[p.query, p.key]:.0%}"]
        for p in pairs if p.head < 3
    ]  # fmt: skip
    back = np.arange(1, RELATIONS.n)
    means = [m[back, back - 1].mean() for m in (RESULT.weights[3], one)]
    expected.append(["position, mean of 10", "", *(f"{mean:.0%}" for mean in means)])
    app = lesson("one")
    assert table(app, "right key") == expected
    kept = sum(one[p.query, p.key] >= 0.5 for p in pairs)
    assert 0 < kept < len(pairs)
    claim = f"in {len(pairs)} of {len(pairs)} cases"
    assert any(claim in t and f"weights: {kept} of {len(pairs)}" in t for t in texts(app))


def test_a_head_that_lost_its_key_is_not_said_to_find_it():
    """Head 1 asks nothing any more, so its two pairs are lost."""
    w_q = RELATIONS.w_q.copy()
    w_q[:, RELATIONS.head_columns(1, "w_q")] = 0
    app = opened("heads", RELATIONS.with_(w_q=w_q), part="one", lang="en")
    assert ["meaning: cat·1", "meows·2", "9%"] in [row[:3] for row in table(app, "right key")]
    assert [text for text in texts(app) if "in 14 of 16 cases" in text]


def test_a_pair_that_the_mask_forbids_is_not_counted():
    app = opened("heads", RELATIONS.with_(mask="causal"), part="one", lang="en")
    assert "meaning: cat·1" not in [row[0] for row in table(app, "right key")]
    assert [text for text in texts(app) if "of 15 cases" in text]


@pytest.mark.parametrize("now", [edit.set_heads(RELATIONS, 2), edit.remove(RELATIONS, 0)])
def test_in_another_sentence_or_with_other_heads_nobody_knows_the_right_key(now):
    app = opened("heads", now, part="one", lang="en")
    assert not [text for text in texts(app) if "right key" in text and text.startswith("|")]


def test_one_head_has_nothing_to_compare():
    app = lesson("one", "article-numbers")
    assert not charts(app)
    assert any("has one head" in text for text in texts(app))


def test_the_job_of_a_pair_is_its_score():
    app = lesson("job", head=0, q=2, k=1)
    assert table(app, "adds") == [
        ["verb: 1", "9", "doer: 1", "+9"],
        ["sum", "", "", "9"],
    ]
    assert any("asks for" in text and "doer" in text for text in texts(app))


@pytest.mark.parametrize("preset", ["random", "article-numbers"])
def test_random_weights_have_no_job(preset):
    app = lesson("job", preset)
    assert any("no job" in text for text in texts(app))
    assert not any("So in this head" in text for text in texts(app))


def test_a_head_that_is_switched_off_is_not_heard():
    app = lesson("output")
    fine(control(app, "output-heads-4").set_value([0, 1, 3]).run())
    change = np.abs(head_contributions(RELATIONS, RESULT)[2]).max()
    assert any(f"**{change:.3g}**" in text for text in texts(app))
    fine(control(app, "output-heads-4").set_value([]).run())
    change = np.abs(RESULT.output).max()
    assert any(f"**{change:.3g}**" in text for text in texts(app))


def test_the_cost_of_this_experiment():
    rows = {row[0]: row[1:] for row in table(lesson("cost"), "this experiment")}
    assert rows == {
        "parameters": ["1,024", "1,024"],  # 4 · 16²
        "multiplications, projections": ["11,264", "11,264"],  # for each of 11 tokens
        "multiplications, Q·Kᵀ and weights·V": ["3,872", "3,872"],  # 11² · 16, twice
        "weights to hold": ["484", "121"],
    }
    models = {row[0]: row[1:] for row in table(lesson("cost"), "d_model printed")}
    assert models["GPT-3 175B"] == ["96", "128", "12,288", "12,288", "603,979,776"]
    assert [name for name, row in models.items() if "≠" in row[2]] == ["GPT-3 XL", "GPT-3 13B"]


# ---- mistakes on purpose ----


@pytest.mark.parametrize(
    ("mistake", "wrong"),
    [
        ("sqrt_d_model", trace(RELATIONS.with_(divisor="sqrt_d_model")).weights),
        ("reshape", attention_by_reshape(RELATIONS, RESULT).weights),
    ],
)
def test_a_mistake_is_chosen_and_said_to_be_wrong(mistake, wrong):
    app = lesson("mistakes")
    assert control(app, "mistake").value == "none"
    assert not app.error
    np.testing.assert_allclose(drawn(app), RESULT.weights, atol=1e-6)

    address = dict(app.query_params)
    fine(control(app, "mistake").set_value(mistake).run())
    [said] = app.error
    assert said.value.startswith("Wrong")
    assert f"{np.abs(wrong - RESULT.weights).max():.1%}" in said.value
    np.testing.assert_allclose(drawn(app), [*RESULT.weights, *wrong], atol=1e-6)
    assert dict(app.query_params) == address
    assert experiment(app) == RELATIONS
    assert not app.session_state[session._HISTORY].past

    go(go(app, "heatmap"), "heads")
    assert control(app, "mistake").value == "none"
    assert not app.error


def test_a_link_cannot_switch_a_mistake_on():
    app = lesson("mistakes", mistake="reshape", x=link.to_link(RELATIONS))
    assert control(app, "mistake").value == "none"
    assert not app.error
