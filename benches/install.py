"""What installing and importing Octavo costs: writes benches/results/install.json, a table in docs/guide/install.md."""

import datetime as dt
import json
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = 9

IMPORT = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"


def import_ms(module: str) -> float:
    """Median time of a first import in a fresh interpreter, files warm."""
    command = [sys.executable, "-c", IMPORT.format(module)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as compiled:
        environment["PYTHONPYCACHEPREFIX"] = compiled  # as installed: modules are compiled before the first import
        printed = [subprocess.check_output(command, env=environment, text=True) for _ in range(RUNS + 1)]
    return sorted(map(float, printed[1:]))[RUNS // 2] * 1000


def main() -> None:
    """Measure and write."""
    (wheel,) = (ROOT / "dist").glob("octavo-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    version = platform.python_version()
    result = {
        "command": "make wheel && .venv/bin/python benches/install.py",
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {version}",
        "columns": ["what one installs", "figure"],
        "rows": [
            ["run-time dependencies", "0"],
            ["wheel", f"{wheel.stat().st_size / 1e6:.1f} MB"],
            ["unpacked", f"{unpacked / 1e6:.1f} MB"],
            ["`import octavo`, median of 9 fresh interpreters", f"{import_ms('octavo'):.0f} ms"],
            ["`import json`, the same way", f"{import_ms('json'):.0f} ms"],
        ],
    }
    target = ROOT / "benches/results/install.json"
    target.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
