"""The wheel that people install: its tag, what is in it, and that it works where there is nothing but Python."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

SMOKE = """
import importlib.util
import octavo
assert importlib.util.find_spec("rich") is None, "the environment is not empty"
assert octavo.build_info().optimised, octavo.build_info()
assert octavo.build_info().profile == "release", octavo.build_info()
assert octavo.counter_for("gpt-4o").count("hello world") == 2
messages = [{"role": "user", "content": f"message {number}"} for number in range(40)]
context = octavo.assemble(messages, budget=100, model="gpt-4o")
assert context.fits and context.messages[-1] is messages[-1]
assert str(context.report)
print(octavo.__version__)
"""

CONVERSATION = {"id": "one", "format": "openai", "tools": [], "messages": [{"role": "user", "content": "hello world"}]}


@pytest.fixture(scope="module")
def wheel() -> Path:
    wheels = list((ROOT / "dist").glob("octavo-*.whl"))
    if not wheels and "CI" not in os.environ:
        pytest.skip("no wheel in dist/: `make wheel` builds it")
    assert len(wheels) == 1, f"dist/ should hold one wheel, not {wheels}"
    return wheels[0]


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """An environment that holds the wheel alone, with no compiler on the path and no index to ask."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    empty = folder / "path"
    empty.mkdir()
    environment = {"PATH": str(empty), "HOME": str(folder), "PIP_CONFIG_FILE": os.devnull}
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--find-links",
        str(wheel.parent),
        "octavo",
    ]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    return python, environment


def test_one_wheel_serves_every_python_from_3_11(wheel: Path) -> None:
    assert wheel.stem.split("-")[2:4] == ["cp311", "abi3"]


def test_the_wheel_holds_the_package_and_nothing_of_the_development(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "octavo/_core.abi3.so" in names
    assert {"octavo/py.typed", "octavo/caching/prices.json"} <= set(names)
    assert "octavo/_core.pyi" in names
    assert {name.rpartition("/")[2] for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE"}
    strangers = [name for name in names if not name.startswith(("octavo/", "octavo-"))]
    assert strangers == []


def test_the_wheel_asks_for_nothing_else(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    lines = archive.read(metadata).decode().splitlines()
    required = [line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert "Name: octavo" in lines
    assert required == []


def test_the_wheel_works_with_nothing_but_python(bare: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    python, environment = bare
    command = [str(python), "-c", SMOKE]
    done = subprocess.run(command, check=False, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0.1.0"


def test_the_command_works_with_nothing_but_python(bare: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    python, environment = bare
    (tmp_path / "one.jsonl").write_text(json.dumps(CONVERSATION) + "\n", encoding="utf-8")
    command = [str(python.parent / "octavo"), "count", "one.jsonl", "--model", "gpt-4o", "--json"]
    done = subprocess.run(command, check=False, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)
    assert (counted["id"], counted["method"]) == ("one", "exact")
    assert counted["tokens"] > 2
    command = [str(python.parent / "octavo"), "bench", "quality", "one.jsonl", "--rooms", "500", "--json"]
    done = subprocess.run(command, check=False, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["room"] == 500
