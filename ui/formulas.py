r"""Explanations as LaTeX. Numbers and symbols only: no text of the reader goes in here."""

import math
import re
from decimal import ROUND_HALF_UP, Decimal

from core.experiment import Experiment
from core.explain import Explanation, Masked, PlainSum, Quotient, SoftmaxCell, SumOfProducts

MAX_TERMS = 5


def number(value: float, digits: int = 3) -> str:
    """A number as LaTeX: at most ``digits`` decimals, no trailing zeros."""
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    if value and not 10**-digits <= abs(value) < 1e7:
        mantissa, exponent = f"{value:.2e}".split("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
    # A tie goes up, as in the cells of the matrices beside it; Python's own format takes the even.
    text = str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def divisor(experiment: Experiment) -> str:
    """The divisor as LaTeX, such as √4."""
    return {
        "sqrt_d_k": rf"\sqrt{{{experiment.d_k}}}",
        "none": "1",
        "d_k": str(experiment.d_k),
        "sqrt_d_model": rf"\sqrt{{{experiment.d_model}}}",
    }[experiment.divisor]


def formula(
    explanation: Explanation, experiment: Experiment, *, most_terms: int = MAX_TERMS
) -> str:
    """The arithmetic of one cell, from its operands to its value; of a long sum some terms."""
    if isinstance(explanation, SumOfProducts):
        return _sum_of_products(explanation, most_terms)
    if isinstance(explanation, PlainSum):
        return (
            f"{number(explanation.left)} + {_bracketed(explanation.right)}"
            f" = {number(explanation.value)}"
        )
    if isinstance(explanation, Quotient):
        return _quotient(explanation, experiment)
    if isinstance(explanation, Masked):
        return _masked(explanation)
    return _softmax(explanation)


def _sum_of_products(explanation: SumOfProducts, most_terms: int) -> str:
    """Every term that is not 0, or the largest ones when there are many."""
    terms = [term for term in explanation.terms if term.product]
    left_out = len(terms) > most_terms
    if left_out:
        largest = sorted(terms, key=lambda term: -abs(term.product))[:most_terms]
        terms = [term for term in terms if term in largest]
    parts = [rf"{_bracketed(term.left)} \cdot {_bracketed(term.right)}" for term in terms]
    parts += [r"\cdots"] if left_out else []
    parts += [_bracketed(explanation.bias)] if explanation.bias is not None else []
    return f"{' + '.join(parts) or '0'} = {number(explanation.value)}"


def _quotient(explanation: Quotient, experiment: Experiment) -> str:
    below = divisor(experiment)
    if explanation.temperature != 1:
        below += rf" \cdot {number(explanation.temperature)}"
    above = number(explanation.score)
    worked_out = explanation.divisor * explanation.temperature
    return (
        rf"\frac{{{above}}}{{{below}}} = \frac{{{above}}}{{{number(worked_out)}}}"
        f" = {number(explanation.value)}"
    )


def _masked(explanation: Masked) -> str:
    if explanation.allowed:
        return f"{number(explanation.score)} + 0 = {number(explanation.value)}"
    return rf"{number(explanation.score)} - \infty = -\infty"


def _softmax(explanation: SoftmaxCell) -> str:
    score = explanation.scores[explanation.column]
    if math.isinf(explanation.largest):
        return r"\frac{e^{-\infty}}{0} \;\to\; 0"
    exponential = explanation.exponentials()[explanation.column]
    shifted = (
        r"-\infty" if math.isinf(score) else rf"{number(score)} - {_bracketed(explanation.largest)}"
    )
    return (
        rf"\frac{{e^{{{shifted}}}}}{{\sum_k e^{{s_k - {_bracketed(explanation.largest)}}}}}"
        rf" = \frac{{{number(exponential)}}}{{{number(explanation.row_sum())}}}"
        f" = {number(explanation.value)}"
    )


_SYMBOLS = {
    r"\cdots": "…", r"\cdot": "·", r"\infty": "∞", r"\sum": "Σ", r"\to": "→", r"\;": "", "-": "−",
}  # fmt: skip
_INNERMOST = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}|\\sqrt\{([^{}]*)\}|([\^_])\{([^{}]*)\}")


def plain(latex: str) -> str:
    """A formula of this module as one line of plain text: fractions with a stroke."""

    def flat(found: re.Match[str]) -> str:
        above, below, root, high, raised = found.groups()
        if root is not None:
            return f"√{_grouped(root)}"
        if high is not None:
            return f"{high}{_grouped(raised)}"
        return f"{_grouped(above)} / {_grouped(below)}"

    while (shorter := _INNERMOST.sub(flat, latex)) != latex:
        latex = shorter
    for symbol, character in _SYMBOLS.items():
        latex = latex.replace(symbol, character)
    return " ".join(latex.split())


def _grouped(part: str) -> str:
    return part if re.fullmatch(r"[\w.]+", part) else f"({part})"


def _bracketed(value: float) -> str:
    text = number(value)
    return f"({text})" if text.startswith("-") else text
