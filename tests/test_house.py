"""The walls of the house: who may import whom, who may write what."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OWN = ("app", "pages", "ui", "core")
ASIDE = {"node_modules", "__pycache__"}
TEXT = {".py", ".js", ".css", ".md", ".toml", ".txt", ".po", ".pot", ".yml", ".yaml", ".cfg", ""}
SESSION = ROOT / "ui" / "session.py"

CORE = sorted((ROOT / "core").rglob("*.py"))
UI = sorted((ROOT / "ui").rglob("*.py"))
PAGES = sorted((ROOT / "pages").glob("*.py"))
EVERY = [ROOT / "app.py", *PAGES, *UI, *CORE]


def each(files: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", files, ids=lambda path: str(path.relative_to(ROOT)))


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imported(path: Path) -> set[str]:
    """Full names of all modules that a file imports, in functions too."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "__import__", f"{path}: imports stand in import lines"
    return names


def roots(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def file_of(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.exists()), None)


def reached_from(path: Path) -> set[Path]:
    """The file and every file of our own that it imports, however far away."""
    reached, waiting = set(), [path]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            mine = (name for name in imported(one) if name.partition(".")[0] in OWN)
            waiting += [found for name in mine if (found := file_of(name))]
    return reached


def test_the_house_is_where_it_is_looked_for():
    assert {path.stem for path in PAGES} >= {"start", "tokens", "projections", "heatmap", "heads"}
    assert SESSION in UI
    assert ROOT / "core" / "attention.py" in CORE
    figures = {str(path.relative_to(ROOT)) for path in reached_from(ROOT / "ui" / "figures.py")}
    assert {"ui/literal.py", "core/arrays.py"} <= figures


@each(CORE)
def test_core_is_numpy_and_the_standard_library(path):
    allowed = {"numpy", "rjieba", "core"} | set(sys.stdlib_module_names)
    assert roots(path) <= allowed


@each(UI)
def test_ui_knows_no_page(path):
    assert not roots(path) & {"pages", "app"}


@each(PAGES)
def test_a_page_imports_no_page(path):
    others = {page.stem for page in PAGES} - {"tokens"}  # core has a module of that name
    assert not roots(path) & ({"pages", "app"} | others)
    assert not any(name.startswith("pages") for name in imported(path))


@pytest.mark.parametrize("name", ["figures", "curves", "library_figures", "two_sentences_figures"])
def test_figures_are_pure(name):
    for path in reached_from(ROOT / "ui" / f"{name}.py"):
        assert "streamlit" not in roots(path), path


def test_figures_and_core_load_without_streamlit():
    modules = ["ui.figures", "ui.curves", "ui.literal"]
    modules += (f"core.{path.stem}" for path in CORE[1:4])
    code = f"import {', '.join(modules)}, sys; print({{'streamlit', 'pandas'}} & {{*sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout == "set()\n", run.stderr


@each(PAGES)
def test_a_page_begins_with_the_guard(path):
    body = tree(path).body
    assert ast.get_docstring(tree(path))
    first = next(node for node in body[1:] if not isinstance(node, ast.Import | ast.ImportFrom))
    assert ast.unparse(first) == "shell.guard()"


@each([path for path in EVERY if path != SESSION])
def test_only_the_session_writes_the_experiment(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not node.value.startswith("explorer:"), "a key of ui/session.py"
        elif isinstance(node, ast.Attribute):
            assert node.attr != "query_params", "the link is written by ui/session.py"
            if isinstance(node.value, ast.Name) and node.value.id == "session":
                assert not node.attr.startswith("_"), f"session.{node.attr} is private"
        elif isinstance(node, ast.ImportFrom) and node.module == "ui.session":
            assert not any(alias.name.startswith("_") for alias in node.names)


def test_the_session_holds_keys_of_its_own():
    """The wall above looks for a prefix; this says that the prefix is really in use."""
    from ui import session

    names = ("_HISTORY", "_VIEW", "_PICKS", "_NOTICES", "_LINKED", "_OPTIONS")
    keys = [getattr(session, name) for name in names]
    assert all(key.startswith("explorer:") for key in keys)
    assert len(set(keys)) == len(keys)


def source_files() -> Iterator[Path]:
    for folder, inner, files in os.walk(ROOT):
        hidden = {name for name in inner if name.startswith(".") and name != ".streamlit"}
        inner[:] = [name for name in inner if name not in ASIDE | hidden]
        yield from (path for name in files if (path := Path(folder, name)).suffix in TEXT)


def test_no_file_points_out_of_the_house():
    outside = "../" + "shared"
    files = list(source_files())
    assert set(EVERY) <= set(files)
    assert not [path for path in files if outside in path.read_text("utf-8", errors="replace")]
