"""Fixtures for tests in a real Chromium.

``serve(script)`` starts Streamlit and gives a URL, ``open_page(url)`` opens it. A test fails
when its page asked for anything beyond this machine, or when a script error went unhandled.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Playwright, Route, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_ARGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
START_SECONDS = 30


def settled(page: Page, timeout: float = 15_000) -> None:
    """Wait until the script of a Streamlit page has run to its end.

    Parameters
    ----------
    page : Page
        A page with a Streamlit app.
    timeout : float
        Milliseconds after which it is an error.
    """
    page.wait_for_selector(
        '[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=timeout
    )


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Playwright, started once."""
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def chromium_path(playwright: Playwright) -> str:
    """Path of Playwright's own Chromium, or of one that the system has.

    Without one the test is skipped; on a build machine (``CI=true``) it fails.
    """
    own = playwright.chromium.executable_path
    found = [own] if Path(own).exists() else [shutil.which(name) for name in CHROMIUM_NAMES]
    path = next((one for one in found if one), None)
    if path is None:
        sentence = "No Chromium found: run `playwright install chromium` to test in a browser."
        if os.environ.get("CI") == "true":
            pytest.fail(sentence)
        pytest.skip(sentence)
    return path


@pytest.fixture(scope="session")
def browser(playwright: Playwright, chromium_path: str) -> Iterator[Browser]:
    """One headless browser for all tests."""
    running = playwright.chromium.launch(executable_path=chromium_path, args=list(CHROMIUM_ARGS))
    yield running
    running.close()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Factory: start a Streamlit script from the root of the repository, once, and give its URL."""
    running: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], str]] = {}

    def start(script: str | Path, *options: str) -> str:
        call = (str(script), *options)
        if call in running:
            return running[call][1]
        log = tmp_path_factory.mktemp("serve") / "streamlit.log"
        with log.open("wb") as output:
            port = _free_port()
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "streamlit", "run", str(script)),
                    f"--server.port={port}",
                    "--server.address=127.0.0.1",
                    "--server.headless=true",
                    "--server.fileWatcherType=none",
                    "--browser.gatherUsageStats=false",
                    *options,
                ],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        url = f"http://127.0.0.1:{port}"
        running[call] = process, url
        _wait_for_health(process, url, log)
        return url

    yield start
    for process, _ in running.values():
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Factory: open a URL in a fresh context, cut off from the network, and wait until it settles.

    Keyword arguments go to ``browser.new_context``, such as ``viewport`` or ``color_scheme``.
    """
    contexts = []
    outside: list[str] = []
    errors: list[str] = []

    def guard(route: Route) -> None:
        target = urlsplit(route.request.url)
        if target.scheme in {"blob", "data"} or target.hostname in {"127.0.0.1", "localhost"}:
            route.continue_()
        else:
            outside.append(route.request.url)
            route.abort()

    def open_url(url: str, **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.route("**/*", guard)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        settled(page)
        return page

    yield open_url
    for context in contexts:
        context.close()
    assert not outside, f"The page asked for things beyond this machine: {outside}"
    assert not errors, f"Errors in the page: {errors}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for_health(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    process.kill()
    pytest.fail(f"Streamlit did not start in {START_SECONDS} s:\n{log.read_text()[-2000:]}")
