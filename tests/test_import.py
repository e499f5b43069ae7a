"""What `import octavo` costs and does not do."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from octavo import build_info
from octavo._build import warn_unless_optimised
from timing import assert_within

DRIVERS = ("asyncpg", "psycopg", "redis", "sqlalchemy")
FRAMEWORKS = ("anthropic", "numpy", "openai", "pydantic", "rich", "tiktoken", "tokenizers", "torch", "transformers")

# Every audit event of the interpreter is recorded while the package is imported: a connection, a thread or a
# process cannot be started without one.
PROBE = """
import json, os, sys, threading, time
events = []
sys.addaudithook(lambda name, _: events.append(name))
started = time.process_time()
import octavo
seconds = time.process_time() - started
seen, loaded = sorted(set(events)), sorted(sys.modules)
print(json.dumps({
    "seconds": seconds,
    "events": seen,
    "threads": len(os.listdir("/proc/self/task")) if sys.platform == "linux" else threading.active_count(),
    "modules": loaded,
}))
"""


def probe() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROBE], capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


# Where nothing can be reached and nothing can be written, as in an air-gapped container.
ALONE = """
import json, socket, sys
def blocked(*_):
    raise OSError("no network")
socket.socket.connect = blocked
written = []
sys.addaudithook(lambda name, given: written.append(str(given[0])) if name == "open" and given[2] & 0o3 else None)
import octavo
counts = [octavo._core.Encoding(name).count("hello") for name in ("o200k_base", "cl100k_base")]
try:
    octavo._core.Encoding("p50k_base")
except octavo.errors.UnknownEncodingError as error:
    refusal = str(error)
print(json.dumps({"counts": counts, "refusal": refusal, "written": written}))
"""


def test_counting_needs_no_network_and_writes_no_file(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "ignore", "-c", ALONE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["counts"] == [1, 1]
    assert "p50k_base" in result["refusal"]
    assert "o200k_base" in result["refusal"], "the refusal says what there is"
    assert result["written"] == []


def test_importing_opens_no_connection_and_starts_no_thread_or_process() -> None:
    result = probe()
    assert "import" in result["events"], "the audit hook saw nothing"
    started = ("socket.", "subprocess.", "os.system", "os.posix_spawn", "os.fork", "urllib.", "_thread.start")
    assert [event for event in result["events"] if event.startswith(started)] == []
    assert result["threads"] == 1


def test_importing_loads_no_driver_and_no_framework() -> None:
    modules = probe()["modules"]
    assert "octavo._core" in modules
    assert [name for name in (*DRIVERS, *FRAMEWORKS) if name in modules] == []


def test_public_modules_are_there_after_the_import() -> None:
    code = (
        "import octavo; print(*(getattr(octavo, one).__name__ for one in ('privacy', 'pruning', 'ledger', 'errors')))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["octavo.privacy", "octavo.pruning", "octavo.ledger", "octavo.errors"], done.stderr


def test_importing_takes_less_than_150_ms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As installed: with compiled modules at hand, which some development machines forbid.
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    # Processor time: what the import costs, not what else the machine was doing. The first writes the compiled modules.
    probe()
    assert_within(0.150, lambda: probe()["seconds"])


def test_a_build_without_optimisation_warns() -> None:
    slow: Any = SimpleNamespace(optimised=False, opt_level="0")
    with pytest.warns(RuntimeWarning, match=r"without optimisation \(opt-level 0\)"):
        warn_unless_optimised(slow)


def test_an_optimised_build_does_not_warn() -> None:
    fast: Any = SimpleNamespace(optimised=True, opt_level="3")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_unless_optimised(fast)


def test_the_build_says_what_it_is() -> None:
    build = build_info()
    assert build.profile in ("debug", "release")
    assert build.optimised == (build.opt_level != "0")
    assert build.version in repr(build)
    assert build.target.count("-") >= 2
