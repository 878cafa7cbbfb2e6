"""What a class costs, as a user types it: half of it right, half with the mistakes that we know.

Run: python benchmarks/class_of_students.py [--right] [count ...]

With --right all of it is right.

The files are all different. doctest, which is measured in the same run, checks some of them, each
in a fresh interpreter and behind no wall.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from peers import CHECKED, GRADER, MODULE, REFERENCE, SUITES, peers, prepared

from grader.plugins.authoring.solutions import solutions

COUNT = 100
CHECKED_BY_DOCTEST = 60
SLOW = ("alle_viertallen.py", "leest_eigen_tekst.py")
"""Right solutions that are slow on purpose: no class has one in eight of these."""
WAYS = {
    "public, no reports": ("--public", "--no-reports", "--json"),
    "public": ("--public",),
    "with the hidden suite": (),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a command used, with all that it started."""

    cpu_s: float
    wall_s: float
    peak_mib: float
    """Of the largest process, which is the judge."""


def write_class(folder: Path, count: int, *, right_only: bool = False) -> None:
    """Write `count` different hand-ins, right ones and, unless these are all, others in turn."""
    found = sorted((REFERENCE / "correct").glob("*.py"))
    paths = [REFERENCE / CHECKED, *(path for path in found if path.name not in SLOW)]
    right = [path.read_text(encoding="utf-8") for path in paths]
    beside = solutions(REFERENCE / "faulty", {MODULE: right[0]})
    wrong = [each.sources[MODULE] for each in beside if not each.is_unseen]
    others = right if right_only else wrong
    in_turn = (text for pair in zip(cycle(right), cycle(others)) for text in pair)
    folder.mkdir()
    for number, text in enumerate(islice(in_turn, count)):
        own = f"{text}\nNUMBER_IN_CLASS = {number}\n"
        (folder / f"student_{number:05}.py").write_text(own, encoding="utf-8")


def cost_of(command: Sequence[str], folder: Path) -> Cost:
    """Run `command` in `folder`; what it says goes nowhere."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, used = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    peak_mib = used.ru_maxrss / 1024
    return Cost(cpu_s=used.ru_utime + used.ru_stime, wall_s=wall_s, peak_mib=peak_mib)


def doctest_s(folder: Path) -> float:
    """Return what doctest takes for one of the class in `folder`, on average."""
    doctest, hand_ins = peers()[0], sorted(folder.glob("*.py"))[:CHECKED_BY_DOCTEST]
    with tempfile.TemporaryDirectory() as name:
        there = prepared(doctest, Path(name) / "doctest", "")
        used_s = 0.0
        for path in hand_ins:
            (there / CHECKED).write_bytes(path.read_bytes())
            used_s += cost_of(doctest.command, there).cpu_s
    return used_s / len(hand_ins)


def measure(count: int, *, right_only: bool) -> None:
    """Grade a class of `count` in all ways; print what each one costs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_class(folder / "class", count, right_only=right_only)
        base_s = doctest_s(folder / "class")
        print(f"{count:,} submissions, doctest {1000 * base_s:.0f} ms of CPU each")
        print(
            f"{'':<22} {'a second':>9} {'CPU ms':>7} {'x doctest':>9} {'judge':>8} {'written':>9}"
        )
        for number, (label, options) in enumerate(WAYS.items()):
            out = folder / f"reports-{number}"
            command = (*GRADER, "grade", "class", *SUITES, "--out", str(out), *options)
            cost = cost_of(command, folder)
            each_s, written = cost.cpu_s / count, sum(map(_size, out.rglob("*")))
            print(
                f"{label:<22} {count / cost.wall_s:9.1f} {1000 * each_s:7.0f}"
                f" {each_s / base_s:9.2f} {cost.peak_mib:4.0f} MiB {written / 1e6:6.1f} MB"
            )


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def main() -> None:
    """Measure a class of each size that is asked for."""
    counts = [int(each) for each in sys.argv[1:] if each != "--right"]
    for count in counts or [COUNT]:
        measure(count, right_only="--right" in sys.argv)


if __name__ == "__main__":
    main()
