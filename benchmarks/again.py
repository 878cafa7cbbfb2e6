"""What it costs to grade a class again: nothing changed, or other points.

Run: python benchmarks/again.py [exercise [count ...]]

Whole commands, as a user types them; the hand-ins are right and all different. CPU seconds are
those of all processes, so they say something on a busy machine too.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from class_writer import ROOT, write_class
from peers import GRADER
from real_class import cost_of

COUNTS: Final = (200, 2_000)


def write_suites(folder: Path, exercise: str) -> None:
    """Write the suites of `exercise` with other points."""
    reference = folder / "reference" / exercise
    shutil.copytree(ROOT / "reference" / exercise, reference)
    (folder / "testsuites").mkdir()
    for name in (f"{exercise}.yaml", f"{exercise}.hidden.yaml"):
        text = (ROOT / "testsuites" / name).read_text(encoding="utf-8")
        text = re.sub(r"points: (\d+)", r"points: 1\1", text, count=1)
        (folder / "testsuites" / name).write_text(text, encoding="utf-8")


def measure(exercise: str, count: int) -> None:
    """Grade a class of `count`, and again; print what each command costs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_class(folder / exercise, exercise, count, right_only=True)
        write_suites(folder / "points", exercise)
        suites = str(ROOT / "testsuites")
        grade = ("grade", exercise, "--suites", suites, "--out", "run")
        regrade = ("regrade", "run", "--suites")
        commands = {
            "all": grade,
            "the same command": grade,
            "regraded, nothing changed": (*regrade, suites, "--out", "same"),
            "regraded, other points": (*regrade, "points/testsuites", "--out", "points-run"),
        }
        whole_s = 0.0
        print(f"{count:,} of {exercise:<20} {'CPU s':>7} {'share':>7} {'clock s':>8} {'judge':>8}")
        for label, command in commands.items():
            cost = cost_of((*GRADER, *command), folder)
            whole_s = whole_s or cost.cpu_s
            print(
                f"{label:<30} {cost.cpu_s:7.1f} {cost.cpu_s / whole_s:7.1%} {cost.wall_s:8.1f}"
                f" {cost.peak_mib:4.0f} MiB"
            )
        print(f"store: {(folder / 'run' / 'run.db').stat().st_size / 1e6:.1f} MB")


def main() -> None:
    """Measure a class of each size that is asked for."""
    exercise, *counts = [*sys.argv[1:], *["yinyang"] * (len(sys.argv) < 2)]
    for count in map(int, counts) if counts else COUNTS:
        measure(exercise, count)


if __name__ == "__main__":
    main()
