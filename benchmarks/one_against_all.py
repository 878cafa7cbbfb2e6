"""What one hostile submission costs the rest of its batch: time, memory, disk, size of its page.

Run: python benchmarks/one_against_all.py [shape ...]

Each shape is graded among the same honest neighbours, with two workers; the first line is these
alone. Each neighbour must get the record that it gets then. A shape is a right solution to Yin-Yang
of which all methods do what is said here, or one that does so as it loads.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from peers import GRADER, REFERENCE, SUITES

NEIGHBOURS = 8
HOSTILE = "zz_hostile"
METHODS = """
def _bad(*given, **named):
{body}
for _name in [name for name in vars(YinYang) if callable(getattr(YinYang, name))]:
    if _name not in ("__class__", "__new__", "__init__"):
        setattr(YinYang, _name, _bad)
"""
IN_METHODS = {
    "busy loop": "while True: pass",
    "naps just under the limit": "import time; time.sleep(4.5)",
    "memory to the limit": "x = []\nwhile True: x.append(bytearray(1 << 20))",
    "memory, held and touched": "x = bytearray(100 << 20)\nwhile True: x[::4096] = x[::4096]",
    "print flood": "while True: print('x' * 10_000)",
    "prints just under the limit": "print(('<b>&' * 25 + chr(10)) * 900)",
    "huge text": "return '<&' * 40_000",
    "huge list": "return [[number] * 10 for number in range(1_700)]",
    "deep nesting": "x = []\nfor _ in range(39): x = [x]\nreturn x",
    "exceptions with long messages": "raise ValueError('<script>' * 100_000)",
    "exceptions in chains": """\
try:
    raise KeyError(1)
except KeyError as error:
    raise ValueError(repr(error) * 1000) from error""",
    "colliding hashes": "return {number * ((1 << 61) - 1) for number in range(15_000)}",
    "big ints to text": "import sys; sys.set_int_max_str_digits(0); return str(7 ** 3_000_000)",
    "catastrophic pattern": "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
    "many files": "for number in range(1_000_000): open(f'f{number}', 'w').write('x' * 100)",
    "recursion to the limit": "import sys; sys.setrecursionlimit(20_000); return _bad()",
    "finalizers without end": """\
class X:
    def __del__(self):
        while True: pass
return X()""",
    "names as markup": "return type('<img src=x onerror=alert(1)>' * 500, (), {})()",
}
AT_LOAD = {
    "gigantic source": "DATA = [\n" + "'<b>&quot;', " * 80_000 + "]\n",
    "a thousand classes": "".join(f"class C{n}:\n    def m(self): pass\n" for n in range(1_000)),
    "import of heavy packages": "import unittest, urllib, html, argparse, decimal, numpy\n",
    "a line that does not load": "x = '" + "<&" * 400_000 + "\n",
    "threads": """\
import threading
for _ in range(500):
    try: threading.Thread(target=input).start()
    except RuntimeError: pass
""",
}
FILES = {"many modules": 199}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a batch cost."""

    wall_s: float
    cpu_s: float
    judges_mib: float
    """The most that judge and workers had resident, together."""
    executors_mib: float
    """The same of zygotes and executors."""
    kept_kib: float
    """On disk, in all."""
    page_kib: float
    """The largest page."""
    records: dict[str, object]


def shapes() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each shape with its files."""
    right = (REFERENCE / "yinyang.py").read_text(encoding="utf-8")
    for name, body in IN_METHODS.items():
        indented = "\n".join(f"    {line}" for line in body.split("\n"))
        yield name, {"yinyang.py": right + METHODS.format(body=indented)}
    for name, text in AT_LOAD.items():
        yield name, {"yinyang.py": f"{text}{right}"}
    for name, count in FILES.items():
        others = {f"module_{n}.py": f"def f{n}(): '{'<&' * 9_000}'\n" for n in range(count)}
        yield name, {"yinyang.py": right, **others}


def write_neighbours(folder: Path) -> None:
    """Write hand-ins that have nothing to do with it, each of them different."""
    sources = sorted((REFERENCE / "faulty").glob("*.py"))[: NEIGHBOURS // 2]
    sources += sorted((REFERENCE / "correct").glob("*.py"))[: NEIGHBOURS - len(sources)]
    for number, source in enumerate(sources):
        place = folder / f"student_{number}"
        place.mkdir(parents=True)
        shutil.copy(source, place / "yinyang.py")


def cost_of(batch: Path, out: Path) -> Cost:
    """Grade `batch` and return what that cost."""
    command = [*GRADER, "grade", str(batch), *SUITES, "--jobs", "2", "--out", str(out)]
    start_s = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peaks = [0.0, 0.0]
    watcher = threading.Thread(target=_watch, args=(process.pid, peaks), daemon=True)
    watcher.start()
    _, _, used = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start_s
    watcher.join()
    files = [path for path in out.rglob("*") if path.is_file()]
    entries = json.loads((out / "results.json").read_bytes())["submissions"]
    return Cost(
        wall_s=wall_s,
        cpu_s=used.ru_utime + used.ru_stime,
        judges_mib=peaks[0],
        executors_mib=peaks[1],
        kept_kib=sum(path.stat().st_size for path in files) / 1024,
        page_kib=max(path.stat().st_size for path in files if path.suffix == ".html") / 1024,
        records={each["id"]: each for each in entries if each["id"] != HOSTILE},
    )


def _watch(pid: int, peaks: list[float]) -> None:
    """Keep in `peaks` how much memory `pid` and what it started had, as long as it runs."""
    while (found := _resident(pid)) is not None:
        peaks[:] = map(max, peaks, found)
        time.sleep(0.02)


def _resident(pid: int) -> tuple[float, float] | None:
    """Return what judges and executors have resident, in MiB; None when `pid` has ended."""
    parents, sizes, sandboxed = {}, {}, set()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            stat = (place / "stat").read_text().rpartition(")")[2].split()
            command = (place / "cmdline").read_bytes()
        except OSError:
            continue
        number = int(place.name)
        parents[number], sizes[number] = int(stat[1]), int(stat[21]) * 4096 / 2**20
        if number == pid and stat[0] == "Z":
            return None
        if b"grader.executor" in command:
            sandboxed.add(number)
    if pid not in parents:
        return None
    family = {pid}
    while more := {each for each, parent in parents.items() if parent in family} - family:
        family |= more
    held = family & sandboxed
    return sum(map(sizes.__getitem__, family - held)), sum(map(sizes.__getitem__, held))


def main() -> None:
    """Measure and print a table."""
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as made:
        top = Path(made)
        write_neighbours(top / "calm")
        calm = cost_of(top / "calm", top / "out-calm")
        print(
            "| what it does | CPU s | clock s | judge and workers MiB | executors MiB"
            " | kept KiB | its page KiB |\n|---|---|---|---|---|---|---|"
        )
        _print_row("(eight neighbours alone)", calm, None)
        for number, (name, files) in enumerate(shapes()):
            if wanted and name not in wanted:
                continue
            batch = top / f"batch-{number}"
            write_neighbours(batch)
            place = batch / HOSTILE
            place.mkdir()
            for file, text in files.items():
                (place / file).write_text(text, encoding="utf-8")
            cost = cost_of(batch, top / f"out-{number}")
            _print_row(name, cost, calm)
            if cost.records != calm.records:
                print(f"{name}: a neighbour has another record", file=sys.stderr)


def _print_row(name: str, cost: Cost, calm: Cost | None) -> None:
    more = ("+", calm.cpu_s, calm.wall_s, calm.kept_kib) if calm else ("", 0.0, 0.0, 0.0)
    sign, cpu_s, wall_s, kept_kib = more
    print(
        f"| {name} | {sign}{max(0, cost.cpu_s - cpu_s):.0f}"
        f" | {sign}{max(0, cost.wall_s - wall_s):.0f}"
        f" | {cost.judges_mib:.0f} | {cost.executors_mib:.0f}"
        f" | {sign}{max(0, cost.kept_kib - kept_kib):.0f} | {cost.page_kib:.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
