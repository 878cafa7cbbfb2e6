"""Where it stops, on paper: a simulation of large runs, with constants that were measured.

Run: python benchmarks/scale.py
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace

from grader.run.engines import Engine
from grader.run.grading import MIN_CHUNKS_PER_WORKER

WORKER_S = 0.33
"""CPU time of a submission in its worker: YinYang, hidden suite, pages, half of a class wrong."""
MAIN_S = 0.006
"""CPU time of a submission in the main process: read, sent, taken in, kept, and in the index."""
CHUNK_S = 1 / 384
"""What the scheduler of Dask needs for a chunk."""
STORE_KB, PAGE_KB, RESULTS_KB = 13, 122, 48
SLOW_SHARE, SLOW_S = 0.01, 20.0
"""A submission in a hundred loops for ever here and there, until its limits end it."""
CHUNK = 50
RUNS = [(100_000, each) for each in (2, 16, 64, 256)] + [(1_000_000, each) for each in (64, 256)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a run takes."""

    wall_s: float
    main_s: float
    """Of it, how long the main process works."""
    worker_s: float
    tail_s: float
    """How long the last worker works after the first has nothing to do."""


def simulated(count: int, workers: int, seed: int = 0) -> Cost:
    """Return the cost of `count` submissions: chunks as they are cut, one process takes all in."""
    draw = random.Random(seed).random
    engine = Engine(start=NotImplemented, workers=workers, chunk_size=CHUNK)
    free, under_way = [0.0] * workers, list[tuple[float, int]]()
    left, main_s, busy_s, worker_s = count, 0.0, 0.0, 0.0
    while left or under_way:
        if left and len(under_way) < engine.max_in_progress:
            size = max(
                1, min(engine.chunk_size, left // (engine.parallel_chunks * MIN_CHUNKS_PER_WORKER))
            )
            cost_s = sum(SLOW_S if draw() < SLOW_SHARE else WORKER_S for _ in range(size))
            end_s = max(free[0], main_s) + CHUNK_S + cost_s
            heapreplace(free, end_s)
            heappush(under_way, (end_s, size))
            left, worker_s = left - size, worker_s + cost_s
        else:
            end_s, size = heappop(under_way)
            main_s = max(main_s, end_s) + size * MAIN_S
            busy_s += size * MAIN_S
    return Cost(wall_s=main_s, main_s=busy_s, worker_s=worker_s, tail_s=max(free) - min(free))


def table() -> str:
    """Return a row for each run."""
    rows = [
        "submissions  workers   hours  main busy  tail s  core hours  store GB  pages GB  json GB"
    ]
    for count, workers in RUNS:
        cost = simulated(count, workers)
        rows.append(
            f"{count:11,} {workers:8} {cost.wall_s / 3600:7.1f} {cost.main_s / cost.wall_s:10.0%}"
            f" {cost.tail_s:7.0f} {(cost.worker_s + cost.main_s) / 3600:11.0f}"
            + "".join(f" {count * each / 1e6:9.1f}" for each in (STORE_KB, PAGE_KB))
            + f" {count * RESULTS_KB / 1e6:8.1f}"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
