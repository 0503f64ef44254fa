"""An experiment as a program that needs nothing but NumPy: a script, or a notebook.

The program takes the steps of :mod:`core.attention` in the same order, so that it computes the
same to the last bit, and only those steps that the experiment has.
"""

import base64
import json
from dataclasses import dataclass, replace
from typing import Any

from core import carried, files, link
from core.experiment import Experiment
from core.script.functions import functions
from core.script.numbers import numbers
from core.script.plan import Plan, Step, aligned, text


@dataclass(frozen=True)
class Place:
    """Where a script computes something."""

    line: int  # counted from 1
    shape: tuple[int, ...]  # () for one number; one head has no axis of its own


@dataclass(frozen=True)
class Script:
    """A program, and where in it each matrix and each stage comes to be."""

    text: str
    places: dict[str, Place]  # by the names in core.script.plan.DIMENSIONS


def script(experiment: Experiment) -> Script:
    """Write an experiment as a script that prints its weights and its output.

    Run or imported, its names ``weights`` (h, n, n) and ``output`` hold them in full.
    """
    plan = Plan(experiment)
    gap = [Step(""), Step("")]
    steps = [
        Step('"""Self-attention, step by step: needs Python and NumPy, nothing else."""'),
        Step(""),
        *functions(plan),
        *gap,
        *numbers(plan),
        *gap,
        *_run(plan),
        *gap,
        Step('if __name__ == "__main__":'),
        *(replace(step, code=f"    {step.code}") for step in _look(plan)),
        *gap,
        Step("# By the line below the app opens this file again; it does not read the code above."),
        *map(Step, carried.comment(_state(experiment))),
    ]
    places = {}
    line = 1
    for step in steps:
        if step.computes:
            places[step.computes] = Place(line, plan.shape(step.computes))
        line += 1 + step.code.count("\n")
    return Script(text(steps) + "\n", places)


def _state(experiment: Experiment) -> dict[str, str]:
    """What gives the experiment back: as in an address, or all of it where that is too long."""
    text = link.to_link(experiment)
    if len(text) > link.MAX_LENGTH:
        return {"npz": base64.urlsafe_b64encode(files.to_npz(experiment)).decode()}
    return {"preset": experiment.preset, **({"x": text} if text else {})}


def to_script(experiment: Experiment) -> str:
    """Only the text of :func:`script`."""
    return script(experiment).text


def to_notebook(experiment: Experiment) -> str:
    """Write the same program as a notebook (.ipynb)."""
    plan = Plan(experiment)
    cells = [
        _cell("title", "# Self-attention, step by step\n\nThe functions, in plain NumPy:"),
        _cell("functions", text(functions(plan))),
        _cell("experiment-title", "The experiment, number for number:"),
        _cell("experiment", text(numbers(plan))),
        _cell("run-title", "Run it:"),
        _cell("run", text(_run(plan))),
        _cell("look-title", "Look at it:"),
        _cell("look", text(_look(plan))),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {
            "kernelspec": kernel,
            "language_info": {"name": "python"},
            **carried.metadata(_state(experiment)),
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, ensure_ascii=False, indent=1)


def _cell(name: str, source: str) -> dict[str, Any]:
    common = {"id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    if name.endswith("title"):
        return {"cell_type": "markdown", **common}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **common}


def _run(plan: Plan) -> list[Step]:
    """One call of the layer."""
    call = Step(f"weights, output = self_attention({plan.parameters})")
    if plan.many:
        return [call]
    note = "(1, n, n)  an axis for the heads, as where there are more"
    return aligned([call, Step("weights = weights[np.newaxis]", note)])


def _look(plan: Plan) -> list[Step]:
    """Print the results, rounded for reading."""
    what = "a row for each query, a column for each key"
    if plan.many:
        weights = [
            "for t in range(h):",
            rf'    print(f"\nweights of head {{t}}: {what}")',
            "    print(weights[t])",
        ]
    else:
        weights = [rf'print("\nweights: {what}")', "print(weights[0])"]
    lines = [
        'np.set_printoptions(precision=3, suppress=True, floatmode="fixed", linewidth=120)',
        'print("tokens:", tokens)',
        *weights,
        r'print("\noutput: a row for each token")',
        "print(output)",
    ]
    return [Step(line) for line in lines]
