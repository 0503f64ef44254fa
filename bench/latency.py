"""How long the app takes to answer, beside a bare Streamlit app on the same machine.

Run ``python bench/latency.py``; see ``bench/README.md`` for what the columns mean.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from controls import (
    ARITHMETIC,
    BARE,
    BARE_READY,
    GROUPS,
    OTHER,
    OUTLINE,
    PAGE,
    Control,
    Group,
    Watch,
)
from playwright.sync_api import Browser, Page, Playwright, ViewportSize, sync_playwright
from servers import serve

VIEWPORT: ViewportSize = {"width": 1280, "height": 720}
CHROMIUM_ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
PROBE = Path(__file__).with_name("probe.js")
APP, BARE_APP = "app.py", "bench/bare_app.py"
DEFAULT_RUNS = 15
WARM_UP_TURNS = 2
LEAST_TURNS = 5  # on a slow machine, where the time is up before all turns are made
SECONDS = 110  # for all controls together
COLD_STARTS = 3
TIMEOUT_MS = 30_000
SETTLE_MS = 500
OUTLINE_MS = 34.0  # two frames of a 60 Hz screen
RATIOS = {ARITHMETIC: 1.2, OTHER: 1.5}
COLD_RATIO = 1.3

Sample = dict[str, Any]  # as probe.js resolves it


def main() -> None:
    """Measure, print, and write the samples where they are wanted."""
    options = _options()
    # A terminated run ends like an interrupted one: through every `finally`.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bare_options = ("cured",) if options.cured_bare else ()
    report: dict[str, Any] = {"runs": options.runs, "cured_bare": options.cured_bare}
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        # Two browsers: of two pages in one, the one behind would be given a frame a second.
        browser = stack.enter_context(_browser(playwright))
        bare_browser = stack.enter_context(_browser(playwright))
        with ExitStack() as servers:
            app = servers.enter_context(serve(APP))
            bare = servers.enter_context(serve(BARE_APP, bare_options))
            beside = servers.enter_context(_open(bare_browser, bare))
            _settle(beside, BARE_READY)
            report["groups"] = [
                _measure_group(browser, app, beside, group, options.runs) for group in GROUPS
            ]
        report["cold_start"] = _measure_cold(browser, bare_options)
    _print(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Latency of the app beside a bare Streamlit app.")
    parser.add_argument(
        "--runs", type=int, default=DEFAULT_RUNS, help="turns of each control (%(default)s)"
    )
    parser.add_argument("--json", type=Path, help="also write every sample to this file")
    parser.add_argument(
        "--cured-bare",
        action="store_true",
        help="give the bare app the app's own cure of the garbage collector: a stricter measure",
    )
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be 1 or more")
    return options


def _browser(playwright: Playwright) -> Browser:
    own = playwright.chromium.executable_path
    names = ("chromium", "chromium-browser", "google-chrome")
    found = [own] if Path(own).exists() else [shutil.which(name) for name in names]
    path = next((one for one in found if one), None)
    if path is None:
        sys.exit("No Chromium found: run `playwright install chromium`.")
    return playwright.chromium.launch(executable_path=path, args=list(CHROMIUM_ARGS))


# Warm: the controls --------------------------------------------------------------------------


@contextmanager
def _open(browser: Browser, url: str, script: str = "") -> Iterator[Page]:
    """A page with the probe in it, and a line of script more."""
    with browser.new_context(viewport=VIEWPORT) as context:
        context.add_init_script(PROBE.read_text(encoding="utf-8") + script)
        page = context.new_page()
        page.goto(url)
        yield page


def _measure_group(
    browser: Browser, app: str, beside: Page, group: Group, runs: int
) -> dict[str, Any]:
    """All controls of one page, and the bare app, one after the other in every turn."""
    print(f"{group.page or '(second part)'} …", file=sys.stderr, flush=True)
    samples: dict[str, list[Sample]] = {control.name: [] for control in group.controls}
    bare_samples: list[Sample] = []
    measured = sum(len(one.controls) + 1 for one in GROUPS)
    seconds = SECONDS * max(1.0, runs / DEFAULT_RUNS) * (len(group.controls) + 1) / measured
    with _open(browser, app + group.path) as page:
        if group.begin:
            _settle(page, [("cells", PAGE)])
            group.begin(page)
        _settle(page, group.ready)
        deadline = time.monotonic() + seconds
        for turn in range(runs + WARM_UP_TURNS):
            if turn >= WARM_UP_TURNS + LEAST_TURNS and time.monotonic() > deadline:
                break
            taken = [(bare_samples, _measure(beside, BARE, turn))]
            taken += [(samples[one.name], _measure(page, one, turn)) for one in group.controls]
            if turn >= WARM_UP_TURNS:
                for kept, sample in taken:
                    kept.append(sample)
    return {"page": group.page, "bare": bare_samples, "controls": samples}


def _settle(page: Page, ready: Watch) -> None:
    """Wait until a page shows what it is measured by, and its script has ended."""
    page.wait_for_function(
        "(ready) => latencyProbe.idle() && latencyProbe.read(ready)", arg=ready, timeout=TIMEOUT_MS
    )
    page.wait_for_timeout(SETTLE_MS)


def _measure(page: Page, control: Control, turn: int) -> Sample:
    """One turn of a control."""
    if control.prepare:
        control.prepare(page, turn)
    page.evaluate(
        "([event, watches]) => latencyProbe.arm(event, watches)", [control.event, control.watches]
    )
    control.act(page, turn)
    sample: Sample = page.evaluate("() => latencyProbe.result")
    return sample


# Cold: from nothing to the first figure ---------------------------------------------------------


def _measure_cold(browser: Browser, bare_options: Sequence[str]) -> dict[str, list[float]]:
    print("Cold start …", file=sys.stderr, flush=True)
    times: dict[str, list[float]] = {"app": [], "bare": []}
    for _ in range(COLD_STARTS):
        times["bare"].append(_cold_start(browser, BARE_APP, bare_options))
        times["app"].append(_cold_start(browser, APP))
    return times


def _cold_start(browser: Browser, script: str, options: Sequence[str] = ()) -> float:
    """Milliseconds from the start of a server's process to the first heatmap on screen."""
    started = time.time()
    with (
        serve(script, options) as url,
        _open(browser, url, "latencyProbe.awaitFigure();") as page,
    ):
        page.wait_for_function("latencyProbe.figureAt", timeout=TIMEOUT_MS)
        figure_at = float(page.evaluate("latencyProbe.figureAt"))
    return figure_at - 1000 * started


# The table --------------------------------------------------------------------------------------


def _print(report: dict[str, Any]) -> None:
    goals = {
        (group.page, control.name, watch): control.goals.get(watch, OTHER)
        for group in GROUPS
        for control in group.controls
        for watch in control.watches
    }
    print("\nMedians in ms. Bare app: slider arrow key → heatmap painted. Ratio: against that.\n")
    print(_line("page", "control", "→ what changed", "ms", "ratio", "server", "browser", "KB", ""))
    print("-" * 111)
    bares = []
    for group in report["groups"]:
        bare = _row(group["bare"], "figure")
        bares.append(bare["ms"])
        turns = f"bare app, {len(group['bare'])} turns"
        print(_line(group["page"], turns, "figure", *_cells(bare, 1.0), ""))
        for name, samples in group["controls"].items():
            for watch in samples[0]["paints"]:
                goal = goals[group["page"], name, watch]
                row = _row(samples, watch)
                ratio = row["ms"] / bare["ms"]
                verdict = _verdict(goal, row["ms"], ratio)
                print(_line("", name, watch, *_cells(row, ratio), verdict))
    cold = {name: median(times) for name, times in report["cold_start"].items()}
    ratio = cold["app"] / cold["bare"]
    print("-" * 111)
    print(f"Bare rerun over all pages: {median(bares):.0f} ms")
    print(
        f"Cold start to first figure, median of {COLD_STARTS}: app {cold['app']:.0f} ms, "
        f"bare {cold['bare']:.0f} ms, ratio {ratio:.2f}  {_against(ratio, COLD_RATIO, '×')}"
    )


def _row(samples: Sequence[Sample], watch: str) -> dict[str, float]:
    """Medians of one watch; a turn in which nothing changed counts as endless."""

    def middle(value: Callable[[dict[str, float]], float]) -> float:
        paints = [one["paints"][watch] for one in samples]
        return median(value(paint) if paint else float("inf") for paint in paints)

    return {
        "ms": middle(lambda paint: paint["last"]),
        "server": middle(lambda paint: max(0.0, paint["arrived"] - paint["sent"])),
        "browser": middle(
            lambda paint: paint["last"] - max(0.0, paint["arrived"] - paint["sent"])
        ),
        "bytes": median(one["bytes"] for one in samples),
    }  # fmt: skip


def _cells(row: dict[str, float], ratio: float) -> tuple[str, ...]:
    return (
        f"{row['ms']:.0f}",
        f"{ratio:.2f}",
        f"{row['server']:.0f}",
        f"{row['browser']:.0f}",
        f"{row['bytes'] / 1000:.1f}",
    )


def _verdict(goal: str, milliseconds: float, ratio: float) -> str:
    if goal == OUTLINE:
        return _against(milliseconds, OUTLINE_MS, " ms")
    return _against(ratio, RATIOS[goal], "×")


def _against(value: float, goal: float, unit: str) -> str:
    return f"{'met   ' if value <= goal else 'MISSED'} (≤ {goal:g}{unit})"


def _line(page: str, control: str, watch: str, *cells: str) -> str:
    *numbers, verdict = cells
    columns = "".join(f"{one:>8}" for one in numbers)
    return f"{page:<12}{control:<25}{watch:<14}{columns}   {verdict}".rstrip()


if __name__ == "__main__":
    main()
