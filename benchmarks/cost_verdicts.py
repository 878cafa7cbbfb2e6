"""How often the verdicts on cost are right while the machine is busy.

Run: python benchmarks/cost_verdicts.py [runs]

Each representation of a board in tests/representations is judged so many times, 50 unless said
otherwise, while other processes keep every core busy. Per representation, it prints how often the
verdict on memory was right and how often that on time, and at the end how long a verdict took.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from board_sources import BOARDS, MEMORY, Board, ruling_on, runner, time_of  # noqa: E402 - it lies beside the tests

from grader.judging.probing import ProbeRunner  # noqa: E402
from grader.judging.results import Ruling  # noqa: E402
from grader.judging.rules.cost import Cost  # noqa: E402
from grader.sandbox.zygote import Zygote  # noqa: E402

RUNS = 50
DEMAND = time_of("constant")


@contextmanager
def busy() -> Iterator[None]:
    """Keep every core busy meanwhile."""
    command = [sys.executable, "-c", "while True: sum(range(100_000))"]
    loads = [subprocess.Popen(command) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for load in loads:
            load.kill()
            load.wait()


def judged(rule: Cost, board: Board, zygote: Zygote) -> Ruling:
    """Return what a prober of its own finds of `board`."""
    return ruling_on(rule, ProbeRunner(runner(zygote, board.source)))


def main() -> None:
    """Judge, and print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    seconds: dict[str, list[float]] = {"memory": [], "time": []}

    def right(kind: str, rule: Cost, board: Board) -> int:
        count = 0
        for _ in range(runs):
            start = time.perf_counter()
            finding = judged(rule, board, zygote)
            seconds[kind].append(time.perf_counter() - start)
            count += finding.verdict == getattr(board, kind)
        return count

    print(f"{'representation':<42} {'memory':>8} {'time':>8}   of {runs} runs are right")
    with busy(), Zygote() as zygote:
        for name, board in BOARDS.items():
            memory = right("memory", MEMORY, board)
            in_time = right("time", DEMAND, board)
            print(f"{name:<42} {memory:>8} {in_time:>8}", flush=True)
    for kind, taken in seconds.items():
        median_ms = 1000 * statistics.median(taken)
        print(
            f"a verdict on {kind:<6} takes {median_ms:6.0f} ms on the busy machine, in the median"
        )


if __name__ == "__main__":
    main()
