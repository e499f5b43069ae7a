"""Documentation that cannot lie: every Python block runs, every table is up to date, every link leads somewhere."""

import ast
import asyncio
import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from project_tree import ROOT, name, tracked

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/guide").rglob("*.md"))]
BLOCK = re.compile(r"^```python[^\n]*\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[int, str]]:
    """The Python blocks of a page, each with the line it starts on."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start("code")), found["code"]) for found in BLOCK.finditer(text)]


def run(page: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a page from top to bottom in one namespace, as its reader would; `await` may stand at top level."""
    monkeypatch.chdir(ROOT)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    found = blocks(page)
    for line, code in found:
        run_block(page, line, code, namespace)
    return len(found)


def run_block(page: Path, line: int, code: str, namespace: dict[str, Any]) -> None:
    # Empty lines in front make a traceback point into the page.
    compiled = compile("\n" * line + code, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(compiled, namespace)  # noqa: S307 - the code is the project's own documentation
    if inspect.iscoroutine(result):
        asyncio.run(result)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_python_block_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(page, monkeypatch)


def test_the_documentation_has_code_to_run() -> None:
    assert blocks(ROOT / "README.md"), "README shows no example"
    assert sum(len(blocks(page)) for page in PAGES) >= 2


def test_a_block_that_lies_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n```python\nlength = 1\n```\n\n```python\nassert length == 2\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        run(page, monkeypatch)
    assert caught.traceback[-1].lineno == 7  # counted from 0: the second block of the page


ORDER = "The examples of this page build on each other"


def stand_alone(page: Path) -> bool:
    """Whether every block of a page runs without those before it."""
    for line, code in blocks(page):
        try:
            run_block(page, line, code, {"__name__": "__main__"})
        except NameError:
            return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_whose_blocks_build_on_each_other_says_so_at_its_top(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    top = page.read_text(encoding="utf-8").split("```", maxsplit=1)[0]
    assert (ORDER in top) == (not stand_alone(page))


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="signatures are written as Python 3.11 prints them")
def test_what_is_generated_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    generate = generator()
    assert {"README.md", "docs/reference/api.md"} <= {name(path) for path in generate.pages()}
    status = generate.main(["--check"])
    assert status == 0, capsys.readouterr().out


def test_a_table_follows_its_result_file() -> None:
    result = {"columns": ["a", "b"], "rows": [["x", "1"]], "date": "2026-01-01", "command": "c", "machine": "m"}
    assert generator().table(result).splitlines()[:3] == ["| a | b |", "| --- | ---: |", "| x | 1 |"]
    with pytest.raises(ValueError, match="2 cells"):
        generator().table(result | {"rows": []})


def test_every_link_inside_the_project_leads_somewhere() -> None:
    links = [
        (page, target.split("#")[0])
        for page in tracked(".md")
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
        if not target.startswith(("http:", "https:", "mailto:", "#"))
    ]
    assert len(links) > 5
    assert [f"{name(page)}: {target}" for page, target in links if not (page.parent / target).exists()] == []


def test_every_command_that_the_documentation_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?m)^([a-z-]+):", makefile))
    named = {
        command
        for page in tracked(".md")
        for command in re.findall(r"`make ([a-z-]+)", page.read_text(encoding="utf-8"))
    }
    assert {"demo", "test"} <= named
    assert named - targets == set()
