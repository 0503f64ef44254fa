"""Every formula is true: what stands on both sides of its = signs is the same number."""

import inspect
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import edit, presets
from core.experiment import Experiment
from core.explain import (
    Explanation,
    Masked,
    PlainSum,
    Quotient,
    SoftmaxCell,
    SumOfProducts,
    explain,
)
from core.trace import trace
from ui.formulas import MAX_TERMS, divisor, formula, number

RELATIONS = presets.build("relations-en")
NUMBERS = presets.build("article-numbers")
SMALL = presets.random(("a", "b", "c"), seed=7, d_model=4, num_heads=1)
BIASED = presets.random(("a", "b", "c"), seed=2, d_model=4, num_heads=2).with_(
    b_q=[0.5, -0.25, 0, 1], b_k=[-1, 0, 0, 2], b_v=[1, 2, 3, 4], b_o=[-1, 0, 0.125, 3]
)
DIGITS = inspect.signature(number).parameters["digits"].default
UNIT = 0.5 * 10**-DIGITS  # how far a number that is written may be from the number that is meant
PAIRS = ("scores", "scaled_scores", "masked_scores", "weights")
ROLES = ("query", "key", "value")


def sides(latex: str) -> list[str]:
    return latex.split(" = ")


def evaluate(latex: str) -> float:
    """Work out LaTeX that holds numbers, + - \\cdot, \\frac, \\sqrt, e^{…} and 10^{…}."""
    text = latex.replace(r"\cdot", "*").replace(r"\infty", "inf")
    while match := re.search(r"\\frac\{([^{}]*)\}\{([^{}]*)\}|\\sqrt\{([^{}]*)\}|\^\{([^{}]*)\}",
                             text):  # fmt: skip
        above, below, root, power = match.groups()
        made = (
            f"(({above})/({below}))" if above is not None
            else f"sqrt({root})" if root is not None
            else f"**({power})"
        )  # fmt: skip
        text = text[: match.start()] + made + text[match.end() :]
    assert re.fullmatch(r"(?:[-+*/(). \d]|inf|sqrt|e)*", text), text
    names = {"inf": math.inf, "sqrt": math.sqrt, "e": math.e, "__builtins__": {}}
    return float(eval(text, names))


def of(experiment: Experiment, stage: str, head: int, row: int, column: int):
    explanation = explain(experiment, trace(experiment), stage, head, row, column)
    return explanation, formula(explanation, experiment)


def cells(experiment: Experiment, stage: str):
    """All cells of a stage; a stage without heads counts as one head."""
    values = getattr(trace(experiment), stage)
    values = values if values.ndim == 3 else values[None]
    return [tuple(map(int, cell)) for cell in np.ndindex(values.shape)]


def rounding(explanation: Explanation) -> float:
    """How far a side may be from the value when every number in it is off by at most UNIT."""
    match explanation:
        case SumOfProducts(_, terms, _):
            units = 1 + sum(abs(term.left) + abs(term.right) + UNIT for term in terms)
        case PlainSum() | Masked():
            units = 2.0
        case Quotient(_, score, divisor, temperature):
            below = divisor * temperature
            units = 1 + (1 + abs(score) * (1 + divisor) / (below - UNIT)) / below
        case SoftmaxCell():
            units = 4.0
    return UNIT * units + 1e-9


def holds(latex: str, explanation: Explanation) -> None:
    worked_out = [evaluate(side) for side in sides(latex)]
    assert len(worked_out) > 1
    for side in worked_out:
        assert side == pytest.approx(explanation.value, abs=rounding(explanation)), latex
    assert worked_out[-1] == pytest.approx(explanation.value, abs=UNIT + 1e-9), latex


def test_the_reader_of_formulas_can_tell_wrong_from_right():
    assert evaluate(r"2 \cdot (-0.5) + \frac{1}{\sqrt{4}}") == -0.5
    assert evaluate(r"\frac{e^{1 - (-1)}}{e^{2}}") == pytest.approx(1)
    assert evaluate(r"-2.50 \cdot 10^{-5}") == -2.5e-5
    with pytest.raises(AssertionError):
        holds("1 + 1 = 3", PlainSum(2.0, 1.0, 1.0))
    with pytest.raises(AssertionError):
        holds("1 + 1.1 = 2", PlainSum(2.0, 1.0, 1.0))
    holds("1 + 1 = 2", PlainSum(2.0, 1.0, 1.0))


@pytest.mark.parametrize("experiment", [RELATIONS, BIASED, SMALL], ids=["made", "biased", "drawn"])
@pytest.mark.parametrize("stage", [*ROLES, "scores", "head_outputs", "output"])
def test_terms_add_up_to_the_cell(experiment, stage):
    seen = 0
    for head, row, column in cells(experiment, stage):
        explanation, latex = of(experiment, stage, head, row, column)
        if r"\cdots" in latex:
            continue
        seen += 1
        holds(latex, explanation)
        if isinstance(explanation, PlainSum):
            continue
        shown = [term for term in explanation.terms if term.product]
        assert latex.count(r"\cdot ") - latex.count(r"\cdot 10^") == len(shown)
    assert seen, "every sum was too long to be checked"


@pytest.mark.parametrize("positions", ["off", "sinusoidal"])
def test_a_vector_and_its_position_add_up(positions):
    experiment = NUMBERS.with_(positions=positions)
    for _, row, column in cells(experiment, "embeddings"):
        explanation, latex = of(experiment, "embeddings", 0, row, column)
        holds(latex, explanation)


def test_a_long_sum_shows_its_largest_terms_and_says_that_there_are_more():
    experiment = presets.random(("a", "b"), seed=1, d_model=16, num_heads=1)
    explanation, latex = of(experiment, "query", 0, 0, 0)
    left, value = sides(latex)
    assert left.count(r"\cdots") == 1
    terms = [evaluate(part) for part in left.split(" + ") if r"\cdots" not in part]
    assert len(terms) == MAX_TERMS
    largest = sorted((term.product for term in explanation.terms), key=abs)[-MAX_TERMS:]
    np.testing.assert_allclose(sorted(terms), sorted(largest), atol=rounding(explanation))
    assert evaluate(value) == pytest.approx(explanation.value, abs=UNIT)


def test_no_term_at_all_is_zero():
    zero = edit.set_tokens(RELATIONS, ["unheard-of", "cat"])
    assert of(zero, "query", 0, 0, 0)[1] == "0 = 0"


@pytest.mark.parametrize("temperature", [1.0, 0.5, 3.0])
@pytest.mark.parametrize("name", ["sqrt_d_k", "none", "d_k", "sqrt_d_model"])
def test_the_quotient_is_the_scaled_score(name, temperature):
    experiment = NUMBERS.with_(divisor=name, temperature=temperature)
    assert evaluate(divisor(experiment)) == pytest.approx(experiment.divisor_value)
    for head, row, column in cells(experiment, "scaled_scores"):
        explanation, latex = of(experiment, "scaled_scores", head, row, column)
        holds(latex, explanation)
        below = re.match(r"\\frac\{[^{}]*\}\{(.*?)\} = ", latex)[1]
        assert evaluate(below) == pytest.approx(
            experiment.divisor_value * temperature, abs=UNIT * experiment.divisor_value
        )


def test_the_mask_lets_a_score_pass_or_makes_it_minus_infinity():
    experiment = NUMBERS.with_(mask="causal")
    for head, row, column in cells(experiment, "masked_scores"):
        explanation, latex = of(experiment, "masked_scores", head, row, column)
        if column > row:
            assert evaluate(sides(latex)[-1]) == -math.inf
            assert evaluate(sides(latex)[0]) == -math.inf
        else:
            holds(latex, explanation)


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("experiment", [NUMBERS, RELATIONS], ids=["42", "made"])
def test_a_weight_is_its_share_of_the_row(experiment, mask):
    experiment = experiment.with_(mask=mask)
    for head, row, column in cells(experiment, "weights"):
        explanation, latex = of(experiment, "weights", head, row, column)
        symbols, quotient, value = sides(latex)
        assert evaluate(quotient) == pytest.approx(explanation.value, abs=4 * UNIT)
        assert evaluate(value) == pytest.approx(explanation.value, abs=UNIT)
        exponent, largest = re.fullmatch(
            r"\\frac\{e\^\{(.*?)\}\}\{\\sum_k e\^\{s_k - (.*?)\}\}", symbols
        ).groups()
        above, below = re.fullmatch(r"\\frac\{(.*)\}\{(.*)\}", quotient).groups()
        assert math.exp(evaluate(exponent)) == pytest.approx(evaluate(above), abs=4 * UNIT)
        assert evaluate(largest) == pytest.approx(explanation.largest, abs=UNIT)
        assert evaluate(below) == pytest.approx(explanation.row_sum(), abs=UNIT)


def test_a_row_with_no_key_left_has_weight_zero():
    allowed = np.ones((4, 4), dtype=bool)
    allowed[1] = False
    latex = of(NUMBERS.with_(mask="manual", allowed=allowed), "weights", 0, 1, 2)[1]
    assert latex.endswith(" 0")
    assert "nan" not in latex


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (100.0, "100"), (1e6, "1000000"),
        (0.5, "0.5"), (0.25, "0.25"), (math.inf, r"\infty"), (-math.inf, r"-\infty"),
        (2.5e-5, r"2.50 \cdot 10^{-5}"), (-2.5e-5, r"-2.50 \cdot 10^{-5}"),
        (1e-300, r"1.00 \cdot 10^{-300}"),
    ],
)  # fmt: skip
def test_numbers(value, text):
    assert number(value) == text


@settings(max_examples=300, deadline=None)
@given(st.floats(-1e6, 1e6, allow_subnormal=False), st.integers(1, 6))
def test_any_number_is_close_to_what_is_written(value, digits):
    worked_out = evaluate(number(value, digits))
    far = abs(worked_out - value)
    assert far <= 0.5 * 10**-digits + 1e-9
    assert far <= 0.005 * abs(value) or abs(value) >= 10**-digits
    assert (worked_out == 0) == (value == 0), "a small number is no zero"


def test_no_text_of_the_reader_gets_into_a_formula():
    names = tuple(rf"\href{{x}}$<b>{i}" for i in range(8))
    tokens = (r"\href{a}", "$b$", "<c>", "d")
    experiment = NUMBERS.with_(tokens=tokens, dimension_names=names, head_names=("$h$",))
    for stage in (*ROLES, *PAIRS, "head_outputs", "output", "embeddings"):
        latex = of(experiment, stage, 0, 1, 2)[1]
        assert not re.search(r"href|\$|<", latex)
