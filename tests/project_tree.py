"""The files of this project, for the tests that read them."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

TEXT_SUFFIXES = {"", ".json", ".jsonl", ".md", ".py", ".pyi", ".rs", ".sh", ".toml", ".txt", ".yml"}


def tracked(*suffixes: str) -> list[Path]:
    """The files under version control with one of these endings; all text files if none is given."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    wanted = set(suffixes) or TEXT_SUFFIXES
    files = [ROOT / name for name in listed if name and Path(name).suffix in wanted and (ROOT / name).is_file()]
    assert files, f"no file with {sorted(wanted)} under {ROOT}: this check would look at nothing"
    return sorted(files)


def lines(path: Path) -> list[str]:
    """The lines of a text file."""
    return path.read_text(encoding="utf-8").splitlines()


def name(path: Path) -> str:
    """A file's name inside the project."""
    return path.relative_to(ROOT).as_posix()
