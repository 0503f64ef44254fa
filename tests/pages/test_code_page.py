"""The Code page without a browser: the script of the experiment on screen, and its table."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from test_pages import LANGUAGES, change, control, experiment, fine, go, notices, opened, texts

from core import edit
from core.experiment import Experiment
from core.presets import PRESETS, build, random
from core.script import script, to_script
from core.trace import trace
from ui import code_page

CAT = build("relations-en")


def code(app: AppTest) -> str:
    assert len(app.code) == 1
    return app.code[0].value + "\n"  # Streamlit takes the last one off


def table(app: AppTest) -> dict[str, list[str]]:
    """Each row of the table, by its symbols: what it is, shape, lines."""
    written = next(text for text in texts(app) if text.startswith("| symbol"))
    rows = [line.strip("| ").split(" | ") for line in written.split("\n")[2:]]
    assert all(len(row) == 4 for row in rows)
    return {row[0]: row[1:] for row in rows}


def size(*shape: int) -> str:
    return "\u00a0×\u00a0".join(map(str, shape))


def asked(now: Experiment | None = None, **parameters: object) -> AppTest:
    return opened("code", now, **{"lang": "en", **parameters})


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_shows_its_script(preset):
    app = asked(preset=preset)
    assert code(app) == to_script(build(preset))
    assert app.code[0].language == "python"
    assert not notices(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_how_to_run_it_in_both_languages(language):
    app = asked(lang=language)
    assert any("`python attention.py`" in text for text in texts(app))


def test_an_edit_changes_the_script_and_undo_changes_it_back():
    app = asked(CAT)
    change(app, lambda now: edit.paste(now, "w_q", 0, 0, np.array([[0.1 + 0.2]])))
    assert "0.30000000000000004" in code(app)
    assert code(app) == to_script(experiment(app))
    fine(control(app, "button-:material/undo:").click().run())
    assert code(app) == to_script(CAT)


def test_a_new_sentence_is_in_the_script():
    app = go(asked(CAT), "tokens")
    fine(control(app, "sentence").set_value("a cat meows").run())
    assert "'a', 'cat', 'meows'," in code(go(app, "code"))


def test_the_table_tells_shapes_and_lines():
    rows, places = table(asked(CAT)), script(CAT).places
    n, d_model, h, d = CAT.n, CAT.d_model, CAT.num_heads, CAT.d_k
    shapes = {symbol: shape for symbol, (_what, shape, _lines) in rows.items()}
    assert shapes == {
        "$X$": size(n, d_model),
        "$W_Q$, $W_K$, $W_V$": size(d_model, h * d),
        "$Q$, $K$, $V$": size(h, n, d),
        r"$Q K^{\top}$": size(h, n, n),
        r"$\sqrt{d_k}$": "1",
        r"$\operatorname{softmax}$": size(h, n, n),
        r"$\text{weights}$": size(h, n, n),
        r"$\text{weights} \; V$": size(h, n, d),
        "$W_O$": size(h * d, d_model),
        r"$\text{output}$": size(*trace(CAT).output.shape),
    }
    assert rows["$Q$, $K$, $V$"][2] == ", ".join(str(places[name].line) for name in "QKV")
    assert rows["$X$"][2] == str(places["X"].line)


def test_values_of_another_width_have_a_row_of_their_own():
    now = random(("a", "b"), d_model=4, num_heads=2, d_k=3)
    now = now.with_(w_v=now.w_v[:, :4], w_o=now.w_o[:4], mask="causal")
    rows = table(asked(now))
    assert rows["$W_Q$, $W_K$"][1] == size(4, 6)
    assert rows["$W_V$"][1] == size(4, 4)
    assert (rows["$Q$, $K$"][1], rows["$V$"][1]) == (size(2, 2, 3), size(2, 2, 2))
    assert rows[r"$\text{mask}$"][1] == size(2, 2)


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, r"\frac{Q K^{\top}}{\sqrt{d_k}}\right) V"),
        ({"mask": "causal"}, r"\frac{Q K^{\top}}{\sqrt{d_k}} + \text{mask}\right) V"),
        ({"divisor": "d_k", "temperature": 0.5}, r"\frac{Q K^{\top}}{d_k \cdot T}\right) V"),
        ({"divisor": "none"}, r"\left(Q K^{\top}\right) V"),
    ],
)
def test_the_formula_is_that_of_the_experiment(settings, shown):
    app = asked(CAT.with_(**settings))
    assert shown in app.latex[0].value
    what = {"none": "left out", "d_k": "T: temperature"}.get(settings.get("divisor"), "divisor")
    assert what in [row[0] for row in table(app).values()]


def test_a_hostile_token_stays_in_its_string():
    now = random(('"""; import os', "```\n$x$", "שלום", "\u202eabc"))
    assert code(asked(now)) == to_script(now)


def test_of_a_long_script_the_beginning_is_shown():
    app = asked(CAT)
    change(app, lambda now: random(now.tokens, d_model=128, num_heads=2))
    whole = to_script(experiment(app))
    assert len(whole) > code_page.LONG
    assert whole.startswith(code(app))
    assert code_page.BEGINNING * 0.9 < len(code(app)) <= code_page.BEGINNING + 1
    assert any("this is its beginning" in text for text in texts(app))
    assert table(app)["$W_O$"][2] == str(script(experiment(app)).places["W_O"].line)


def test_both_files_are_offered():
    buttons = asked().get("download_button")
    assert [one.proto.label for one in buttons] == [".py", ".ipynb"]


def test_it_links_to_the_pages_that_show_the_same():
    linked = {one.proto.page for one in asked().get("page_link")}
    assert linked >= {"tokens", "projections", "heatmap", "scaling", "heads"}
