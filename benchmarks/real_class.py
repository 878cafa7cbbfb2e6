"""What a class costs that is as real ones are, as a user types it: by kind, and who takes longest.

Run: python benchmarks/real_class.py [--exercise NAME ...] [--count N] [--seed N] [--right]
                                     [--save FILE] [--compare FILE] [options of grader grade ...]

The hidden suite is used and pages are written, unless options such as --public say otherwise; with
--right all of the class is right. doctest, which is measured in the same run, checks the published
session of YinYang with right solutions, each in a fresh interpreter and behind no wall.

What comes of it is kept with --save. With --compare the points and the verdicts of each hand-in are
compared with what was kept of the same class, such as by another commit.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from class_writer import EXERCISES, ROOT, HandIn, Kind, made_class, write_class
from peers import CHECKED, GRADER, MODULE, peers, prepared

COUNT: Final = 200
CHECKED_BY_DOCTEST: Final = 30
SLOWEST: Final = 10
_RESULTS: Final = "reports/results.json"
Kept: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What came of each hand-in, by the name of its student, as it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a command used, with all that it started."""

    cpu_s: float
    wall_s: float
    peak_mib: float
    """Of the largest process, which is the judge."""
    code: int
    """What it left with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a hand-in."""

    kind: Kind
    origin: str
    status: str
    score: float
    seconds: float
    verdicts: Mapping[str, int]


def cost_of(command: Sequence[str], folder: Path) -> Cost:
    """Run `command` in `folder`; what it says goes nowhere."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    return Cost(
        cpu_s=used.ru_utime + used.ru_stime,
        wall_s=wall_s,
        peak_mib=used.ru_maxrss / 1024,
        code=os.waitstatus_to_exitcode(status),
    )


def doctest_s(solutions: Sequence[HandIn]) -> float:
    """Return the CPU time that doctest takes for one of these, on average."""
    doctest, used_s = peers()[0], 0.0
    with tempfile.TemporaryDirectory() as name:
        there = prepared(doctest, Path(name) / "doctest", "")
        for each in solutions:
            (there / CHECKED).write_bytes(each.files[CHECKED])
            used_s += cost_of(doctest.command, there).cpu_s
    return used_s / len(solutions)


def measure(exercise: str, asked: argparse.Namespace, options: Sequence[str]) -> dict[str, Result]:
    """Grade a class; print what it costs, and return what came of each hand-in, by its student."""
    solutions = made_class(MODULE, CHECKED_BY_DOCTEST, right_only=True)
    half = len(solutions) // 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = write_class(
            folder / "class", exercise, asked.count, right_only=asked.right, seed=asked.seed
        )
        suites = ("--exercise", exercise, "--suites", str(ROOT / "testsuites"))
        out = ("--out", "reports", "--events", "events.jsonl")
        before_s = doctest_s(solutions[:half])
        cost = cost_of((*GRADER, "grade", "class", *suites, *out, *options), folder)
        if cost.code:
            raise SystemExit(f"grader grade of {exercise} left with {cost.code}")
        base_s = (before_s + doctest_s(solutions[half:])) / 2
        results = _results(made, folder)
        written = sum(path.stat().st_size for path in folder.glob("reports/**/*.*"))
    each_s = cost.cpu_s / asked.count
    print(f"{exercise}, {asked.count:,} hand-ins; doctest takes {1000 * base_s:.0f} ms of CPU")
    print(
        f"CPU {cost.cpu_s:.1f} s, clock {cost.wall_s:.1f} s: each {1000 * each_s:.0f} ms of CPU,"
        f" {each_s / base_s:.2f} x doctest, {asked.count / cost.wall_s:.1f} a second;"
        f" judge {cost.peak_mib:.0f} MiB, written {written / 1e6:.1f} MB"
    )
    print(*_tables(results), sep="\n")
    return results


def _results(made: Sequence[HandIn], folder: Path) -> dict[str, Result]:
    """Return what came of each hand-in of a class, as events and results tell it."""
    lines = (folder / "events.jsonl").read_text(encoding="ascii").splitlines()
    events = {each["student"]: each for each in map(json.loads, lines) if "student" in each}
    verdicts = dict[str, Counter[str]]()
    if (path := folder / _RESULTS).exists():  # there is none with --no-reports
        for told in json.loads(path.read_bytes())["submissions"]:
            verdicts[told["student"]] = Counter(case["verdict"] for case in told["cases"])
    return {
        each.student: Result(
            kind=each.kind,
            origin=each.origin,
            status=events[each.student]["status"],
            score=events[each.student]["score"],
            seconds=events[each.student]["seconds"] or 0.0,
            verdicts=dict(sorted(verdicts.get(each.student, Counter()).items())),
        )
        for each in made
    }


def _tables(results: Mapping[str, Result]) -> Iterator[str]:
    """Yield how long the hand-ins took, by kind; who took longest; and all verdicts."""
    whole_s = sum(each.seconds for each in results.values())
    heads = ("sum s", "share", "median", "90 %", "99 %", "most s")
    yield f"{'':<10} {'number':>6} " + " ".join(f"{head:>8}" for head in heads)
    for kind in (*Kind, None):
        took = sorted(each.seconds for each in results.values() if kind in {each.kind, None})
        if took:
            parts = " ".join(f"{_percentile(took, part):8.2f}" for part in (0.5, 0.9, 0.99, 1))
            share = sum(took) / whole_s
            yield f"{kind or 'all':<10} {len(took):6} {sum(took):8.1f} {share:8.1%} {parts}"
    yield "the slowest:"
    for student, each in sorted(results.items(), key=lambda pair: -pair[1].seconds)[:SLOWEST]:
        yield f"{each.seconds:8.2f} s  {student}  {each.kind:<10}  {each.origin}"
    totals = Counter[str]()
    for each in results.values():
        totals.update(each.verdicts)
    yield "verdicts: " + ", ".join(f"{name} {number}" for name, number in sorted(totals.items()))


def _percentile(ordered: Sequence[float], part: float) -> float:
    return ordered[math.ceil(part * len(ordered)) - 1]


def differences(before: Kept, after: Kept) -> Iterator[str]:
    """Yield a line for each hand-in that got something else, or that is not the same hand-in."""
    for student in sorted({*before, *after}):
        then, now = before.get(student), after.get(student)
        if then is None or now is None or then["origin"] != now["origin"]:
            yield f"{student} is not the same hand-in"
            continue
        parts = [
            f"{what} {then[what]} -> {now[what]}"
            for what in ("status", "score")
            if then[what] != now[what]
        ]
        numbers = [Counter[str](each["verdicts"]) for each in (then, now)]
        parts += [
            f"{verdict} {numbers[0][verdict]} -> {numbers[1][verdict]}"
            for verdict in sorted(numbers[0] | numbers[1])
            if numbers[0][verdict] != numbers[1][verdict]
        ]
        if parts:
            yield f"{student} ({now['kind']}: {now['origin']}): {', '.join(parts)}"


def main() -> None:
    """Measure a class of each exercise that is asked for."""
    parser = argparse.ArgumentParser(description="Other options are those of grader grade.")
    parser.add_argument("--exercise", nargs="+", choices=EXERCISES, default=[MODULE])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--right", action="store_true")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--compare", type=Path)
    asked, options = parser.parse_known_args()
    kept: dict[str, Kept] = {}
    for exercise in asked.exercise:
        results = measure(exercise, asked, options)
        kept[exercise] = {student: asdict(each) for student, each in results.items()}
        if asked.compare:
            before = json.loads(asked.compare.read_bytes())[exercise]
            lines = list(differences(before, kept[exercise]))
            print(*(lines or ["no points and no verdicts differ"]), sep="\n")
        print()
    if asked.save:
        asked.save.write_text(json.dumps(kept, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
