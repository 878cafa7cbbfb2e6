"""How many submissions are graded per second, and what the judge's memory does meanwhile.

Run: python benchmarks/throughput.py [count] [jobs]
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from grader.intake.submissions import discover
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.run import Task, grade_all
from grader.sandbox.sandbox import usable_cores
from grader.suite.loading import load_suite

ROOT = Path(__file__).resolve().parents[1]


def fill(folder: Path, sources: Sequence[Path], count: int) -> None:
    """Put `count` copies of `sources` in turn into `folder`."""
    for number in range(count):
        shutil.copy(sources[number % len(sources)], folder / f"student_{number:04}.py")


def measure(label: str, sources: Sequence[Path], count: int, jobs: int) -> None:
    """Grade `count` submissions made from `sources`; print the rate and the growth of memory."""
    suite = load_suite(ROOT / "testsuites/yinyang.yaml", KINDS)
    peaks: list[int] = []

    def sink(_index: int, _record: Record) -> None:
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    with tempfile.TemporaryDirectory() as name:
        fill(Path(name), sources, count)
        tasks = [Task(suite, entry) for entry in discover(Path(name))]
        start = time.perf_counter()
        grade_all(tasks, jobs=jobs, sink=sink)
        elapsed_s = time.perf_counter() - start
    warm, last = peaks[len(peaks) // 4], peaks[-1]
    print(
        f"{label:<34} {count / elapsed_s:6.0f} per second with {jobs} jobs;"
        f" judge {last // 1024} MiB, {last - warm:+} KiB since the first quarter"
    )


def main() -> None:
    """Measure right solutions alone, and a class as it is."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else usable_cores()
    reference = ROOT / "reference/yinyang"
    right = [reference / "yinyang.py", *sorted((reference / "correct").glob("*.py"))]
    faulty = sorted((reference / "faulty").glob("*.py"))
    endless = {"recursie_zonder_bezocht.py"}
    measure("right solutions", right, count, jobs)
    measure("reference alone", right[:1], count, jobs)
    measure(
        "every second one faulty",
        [
            path
            for pair in zip(right * len(faulty), faulty, strict=False)
            for path in pair
            if path.name not in endless
        ],
        count,
        jobs,
    )


if __name__ == "__main__":
    main()
