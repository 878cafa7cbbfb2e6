"""What the overview of a large course costs: 1,000 students by 40 groups, made up.

Run: python benchmarks/dashboard.py [file to write the page to [other pages]]

Prints how long it takes to keep what the page needs of each record and how much memory that takes
until the end of the run, and then how long it takes to make the page, and how large it is. Where
there are Chromium and Playwright, a page that was written is opened as well, each time in a new
browser, until its first picture is drawn. Other pages, such as one of an older version, are opened
in turn with it, so that what else the machine does hits all of them alike.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
import tracemalloc
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from grader.judging.record import (
    CaseResult,
    Conditions,
    GroupResult,
    LineStatus,
    Record,
    SourceLine,
    TranscriptLine,
)
from grader.messages import message
from grader.reporting.index_page import IndexEntry, index_page
from grader.suite.limits import Limits
from grader.verdict import Status, Verdict, Visibility

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

STUDENTS = 1_000
GROUPS = 40
CASES = 4
SESSIONS = 20
TRACED = 100
WRONG_ANSWERS = 30
"""Different wrong answers to one case, the first ones more often given than the last."""
OPENED = 7
_DRAWN: Final = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_PARTS: Final = ("RecalcStyleDuration", "LayoutDuration", "ScriptDuration")


def main() -> None:
    """Make the records one by one, as a run does, and the page of what was kept of them."""
    sessions = {
        f"group-{group}/{case}": f"Session {group % SESSIONS}"
        for group in range(GROUPS)
        for case in range(CASES)
    }
    kept_s, entries = 0.0, []
    for number in range(STUDENTS):
        made_up = record(number)
        start = time.perf_counter()
        entries.append(
            IndexEntry.from_record(made_up, f"course/{made_up.id}.html", sessions=sessions)
        )
        kept_s += time.perf_counter() - start
    start = time.perf_counter()
    page = index_page(entries, language="en", interrupted=False)
    made_s = time.perf_counter() - start
    print(f"kept of each record: {1000 * kept_s / STUDENTS:5.1f} ms, {_kilobytes(sessions):.0f} kB")
    print(f"the page:            {made_s:5.2f} s, {len(page.encode()) / 1e6:.2f} MB")
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(page, encoding="utf-8")
        _tell_opening([Path(name).resolve() for name in sys.argv[1:]])


def _tell_opening(pages: list[Path]) -> None:
    """Print how long it takes to open each of `pages`."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not everybody has it
    except ImportError:
        program = None
    if program is None:
        print("opening it:          not measured: that takes Chromium and Playwright")
        return
    with sync_playwright() as driver:
        taken = [[_opened(driver, program, page) for page in pages] for _ in range(OPENED)]
    for number, page in enumerate(pages):
        whole, *parts = map(median, zip(*(times[number] for times in taken), strict=True))
        told = ", ".join(
            f"{name.removesuffix('Duration')} {part:.2f}"
            for name, part in zip(_PARTS, parts, strict=True)
        )
        print(f"opening {page.name}: {whole:5.2f} s, of which {told}")


def _opened(driver: Playwright, program: str, page: Path) -> tuple[float, ...]:
    """Return the seconds until `page` was drawn, and those of its parts."""
    browser = driver.chromium.launch(executable_path=program)
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable")
    start = time.perf_counter()
    tab.goto(page.as_uri())
    tab.evaluate(_DRAWN)
    whole = time.perf_counter() - start
    metrics = session.send("Performance.getMetrics")["metrics"]
    browser.close()
    by_name = {each["name"]: each["value"] for each in metrics}
    return whole, *(by_name[name] for name in _PARTS)


def _kilobytes(sessions: dict[str, str]) -> float:
    """Return how much memory stays taken by what is kept of a record, on average."""
    tracemalloc.start()
    entries = [IndexEntry.from_record(record(n), "", sessions=sessions) for n in range(TRACED)]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / len(entries) / 1e3


def record(number: int) -> Record:
    """Return the record of a made-up student, the same in each run."""
    chance = random.Random(number)
    skill = chance.betavariate(3, 1.5)
    groups = tuple(_group(group, skill, chance) for group in range(GROUPS))
    remarks = (message("remark.prints"),) if chance.random() < 0.2 else ()
    return Record(
        id=f"student_{number:04}",
        student=f"student_{number:04}",
        exercise="course",
        title="A whole course",
        language="en",
        spec=None,
        status=Status.GRADED,
        score=sum(group.points for group in groups),
        max_score=float(GROUPS * CASES),
        remarks=remarks,
        groups=groups,
        files=(),
        conditions=Conditions(
            suite_sha256="0" * 64,
            grader_version="0",
            python_version="3.11.7",
            isolation=3,
            layers=(("seccomp", True),),
            limits=Limits(),
        ),
    )


def _group(group: int, skill: float, chance: random.Random) -> GroupResult:
    ease = 0.4 + 0.6 * (1 - group / GROUPS)
    cases = tuple(
        _case(f"group-{group}", case, chance, passed=chance.random() < skill**0.5 * ease + 0.1)
        for case in range(CASES)
    )
    return GroupResult(
        id=f"group-{group}",
        title=f"function_number_{group}",
        points=sum(case.points for case in cases),
        max_points=float(CASES),
        cases=cases,
    )


def _case(group: str, case: int, chance: random.Random, *, passed: bool) -> CaseResult:
    code = f"function_{group.replace('-', '_')}({case}, [(1, 2), (3, 4)])"
    if passed:
        verdict, answer = Verdict.PASSED, 0
    else:
        verdict = chance.choice((Verdict.WRONG, Verdict.WRONG, Verdict.ERROR))
        answer = int(chance.paretovariate(1)) % WRONG_ANSWERS
    got = None if passed else f"[({answer}, {case}), (2, 3)]\n" + "-W-B--\n" * 6
    lines = [
        TranscriptLine(code=f"board_{line} = Board({line})", output="", state=LineStatus.DONE)
        for line in range(6)
    ]
    failing = TranscriptLine(code=code, output=got or "", state=LineStatus.FAILED)
    return CaseResult(
        id=f"{group}/{case}",
        group=group,
        code=code,
        verdict=verdict,
        points=float(passed),
        max_points=1.0,
        visibility=Visibility.PUBLIC if case else Visibility.HIDDEN,
        expected=None if passed else "[(1, 2), (2, 3)]",
        got=got,
        transcript=() if passed else (*lines, failing),
        source=None
        if verdict is not Verdict.ERROR
        else SourceLine(file="x.py", line=answer + 1, function="f", text=f"return x[{answer}]"),
    )


if __name__ == "__main__":
    main()
