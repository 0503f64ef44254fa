"""How the model of core.training learns, over many seeds; see README.md here.

python bench/training_study.py [--seeds N]
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.training.learner import Learner, Settings

EARLY = 100  # a step in the middle of learning
COLUMNS = (
    "run", "reached", "steps: median (range)", "right at end: median (least)",
    "own role", "mass", "one-hot", "dL/dscore at 0", f"at {EARLY}", "dL/dW_Q at 0", f"at {EARLY}",
    "steps/s",
)  # fmt: skip


def runs() -> Iterator[tuple[str, dict[str, object], int, int]]:
    """Give name, settings, steps and seeds of each run."""
    for d_k in (16, 64, 128):
        for scaled in (True, False):
            name = f"four questions, d_k {d_k}, {'scaled' if scaled else 'unscaled'}"
            yield name, {"d_k": d_k, "scaled": scaled}, 300, 10
    slow = {"d_k": 128, "scaled": False, "rate": 3e-4}
    yield "four questions, d_k 128, unscaled, rate 3e-4", slow, 1000, 6
    for layers in (2, 1):
        shape = {"layers": layers, "num_heads": 2, "d_k": 32, "d_v": 32}
        yield f"induction, layers {layers}", {"task": "induction", **shape}, 200, 8


def learn(settings: Settings, steps: int) -> tuple[Learner, float]:
    """Run all steps; return the learner and its steps a second."""
    learner = Learner(settings)
    begin = time.perf_counter()
    for _ in range(steps):
        learner.step()
    return learner, steps / (time.perf_counter() - begin)


def row(name: str, learners: list[Learner], speeds: list[float]) -> tuple[str, ...]:
    """Sum up one run over its seeds."""
    reached = [learner.reached for learner in learners]
    # A seed that never got there counts as endless.
    endless = [np.inf if step is None else step for step in reached]
    last = [learner.frames[-1] for learner in learners]
    accuracies = [frame.accuracy for frame in last]
    roles = [frame.role_mass.argmax(axis=1) for frame in last]
    own = sum(len(set(found)) == len(found) for found in roles)
    has_choice = len(learners[0].task.questions) > 1
    first, early = ([learner.frames[i] for learner in learners] for i in (0, EARLY))
    return (
        name,
        f"{len(learners) - reached.count(None)} of {len(learners)}",
        f"{np.median(endless):.0f} ({min(endless):.0f}–{max(endless):.0f})",
        f"{np.median(accuracies):.3f} ({min(accuracies):.3f})",
        f"{own} of {len(learners)}" if has_choice else "",
        f"{np.mean([frame.role_mass.max(axis=1).mean() for frame in last]):.2f}",
        f"{np.mean([frame.saturated for frame in last]):.2f}",
        *(f"{np.mean([f.score_gradient for f in frames]):.1e}" for frames in (first, early)),
        *(f"{np.mean([f.query_gradient for f in frames]):.1e}" for frames in (first, early)),
        f"{np.median(speeds):.0f}",
    )


def main() -> None:
    """Print one line of a Markdown table for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="at most so many seeds a run")
    most = parser.parse_args().seeds
    print("|", " | ".join(COLUMNS), "|")
    print("|" + "---|" * len(COLUMNS))
    with threadpool_limits(1):
        for name, changes, steps, seeds in runs():
            found = [
                learn(Settings(seed=seed, **changes), steps) for seed in range(min(seeds, most))
            ]
            print("|", " | ".join(row(name, *map(list, zip(*found, strict=True)))), "|", flush=True)


if __name__ == "__main__":
    main()
