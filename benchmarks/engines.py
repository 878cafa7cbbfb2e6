"""What Dask costs beside processes of this machine: cheap submissions, four workers each.

Run: python benchmarks/engines.py [count]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from peers import GRADER

COUNT, WORKERS = 1000, 4
SUITE = """\
exercise: double
title: Double
language: en
module: double
defines: [double]
groups: [{id: g, points: 1}]
sessions: [{id: s, steps: [{do: double(2), returns: "4", group: g}]}]
"""


@contextmanager
def running(folder: Path, command: str, *arguments: str) -> Iterator[None]:
    """Run a command of Dask's in the meantime."""
    started = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{command}", "--no-dashboard", *arguments],
        cwd=folder,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        started.terminate()
        started.wait()


def graded_s(folder: Path, out: str, options: Sequence[str]) -> float:
    """Return the seconds that a run takes, from when its workers are there."""
    command = (*GRADER, "grade", "class", "--exercise", "double.yaml", "--out", out, *options)
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Grade the same class both ways; print how long each takes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    with tempfile.TemporaryDirectory() as name:
        folder, file = Path(name), Path(name) / "scheduler.json"
        (folder / "double.yaml").write_text(SUITE, encoding="utf-8")
        (folder / "class").mkdir()
        for number in range(count):
            text = f"def double(x):\n    return 2 * x\n\nNUMBER = {number}\n"
            (folder / "class" / f"s{number:05}.py").write_text(text, encoding="utf-8")
        near_s = graded_s(folder, "near", ["--jobs", str(WORKERS)])
        at = ("--scheduler-file", str(file))
        options = (f"--nworkers={WORKERS}", "--nthreads=1", "--local-directory=scratch")
        with (
            running(folder, "scheduler", "--host=127.0.0.1", "--port=18786", *at),
            running(folder, "worker", *at, *options),
        ):
            while not file.exists():
                time.sleep(0.1)
            engine = ("--engine", "dask=tcp://127.0.0.1:18786")
            graded_s(folder, "warm", engine)
            far_s = graded_s(folder, "far", engine)
        same = (folder / "near/results.json").read_bytes()
        assert same == (folder / "far/results.json").read_bytes()
    print(f"{count:,} submissions, {WORKERS} workers: local {near_s:.1f} s, Dask {far_s:.1f} s")
    print(f"Dask takes {far_s / near_s:.2f} times as long")


if __name__ == "__main__":
    main()
