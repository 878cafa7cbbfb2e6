"""A suite with its hidden part: what a student gets of it, its points, and who hears of it."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from builders import HEAD, submission
from command_line import Done, grader, write
from filed_runs import filed
from rich.console import Console

from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.reporting.results import summary_of
from grader.reporting.student_page import student_page
from grader.reporting.terminal import print_record
from grader.sandbox.zygote import Zygote
from grader.suite.hidden import merge_suites
from grader.suite.limits import Limits
from grader.suite.loading import parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.verdict import Verdict

PUBLIC: Final = """\
board: {cells: {white: w, empty: "-"}}
groups: [{id: twice, points: 4}, {id: str, points: 1}]
sessions:
- id: example
  steps:
  - {do: twice(2), returns: "4", group: twice}
  - {do: twice(3), returns: "6", group: twice}
  - {do: shown(1), returns: "'1'", group: str}
"""
HIDDEN: Final = """\
exercise: sample
share: 0.75
feedback: count
groups: [{id: refused, title: what is refused, points: 2}]
sessions:
- id: zebrafish-alone
  title: the zebrafish session
  steps:
  - {do: "twice('zebra' + 'fish')", returns: "'zebrafish-twice'", group: twice, case: zebrafish,
     line: 4711, note: a zebrafish note}
  - {do: "print('zebrafish')", stdout: "ww\\n-w\\nzebrafish", group: twice}
- id: zebrafish-staff
  visibility: staff
  steps:
  - {do: twice('zebrafish'), returns: "'zebrafish'", group: twice}
- id: zebrafish-ten
  steps:
  - {do: twice(10), returns: "20", group: twice}
  - {do: "twice(['zebrafish', 10])", raises: "TypeError: zebrafish", group: refused}
"""
RIGHT: Final = """
    def shown(n): return str(n)
    def twice(n):
        if isinstance(n, list): raise TypeError('zebrafish')
        return 'zebrafish-twice' if n == 'zebrafish' else 2 * n
"""
COPIED: Final = """
    def shown(n): return str(n)
    def twice(n): return {2: 4, 3: 6}[n]
"""


def whole(public: str = PUBLIC) -> Suite:
    """Return the public suite with the hidden one."""
    suite = parse_suite((HEAD + public).encode(), "sample.yaml", KINDS)
    return merge_suites(suite, parse_hidden_suite(HIDDEN.encode(), "sample.hidden.yaml", suite))


def graded(zygote: Zygote, source: str, suite: Suite | None = None) -> Record:
    """Return the record of `source` on the whole suite."""
    return grade(suite or whole(), submission(source), zygote)


# The seed of what probes ask


def seed_of_hidden(text: str) -> str:
    """Return the seed of the hidden suite `text`."""
    public = parse_suite((HEAD + PUBLIC).encode(), "sample.yaml", KINDS)
    return parse_hidden_suite(text.encode(), "sample.hidden.yaml", public).seed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("feedback: count", "feedback: clause"),
        ("share: 0.75", "share: 0.8"),
        ("sessions:", "equivalent: [{mutant: 1f0c8a3e, reason: it is the same}]\nsessions:"),
        ("\n", "\r\n"),
        ('returns: "20"', 'returns: "21"'),
        ("sessions:", "# mended\nsessions:"),
    ],
)
def test_who_mends_something_else_draws_the_same(old: str, new: str) -> None:
    """Nothing but what is asked decides on the numbers that probes draw."""
    changed = HIDDEN.replace(old, new)
    assert changed != HIDDEN
    assert seed_of_hidden(HIDDEN) == seed_of_hidden(changed)


@pytest.mark.parametrize(
    ("old", "new"), [("do: twice(10)", "do: twice(100)"), ("id: zebrafish-ten", "id: zebrafish-x")]
)
def test_seed_is_as_secret_as_the_sessions(old: str, new: str) -> None:
    """Who does not know all that is asked, and where, cannot work out the seed."""
    changed = HIDDEN.replace(old, new)
    assert changed != HIDDEN
    assert seed_of_hidden(HIDDEN) != seed_of_hidden(changed)


def test_seed_does_not_depend_on_order() -> None:
    """Sessions can be moved about."""
    head, first, *rest = HIDDEN.split("- id: ")
    moved = "- id: ".join([head, *rest, first])
    assert seed_of_hidden(HIDDEN) == seed_of_hidden(moved)


# Records


def test_hidden_cases_earn_their_share(zygote: Zygote) -> None:
    """Who writes down the published answers has what the share leaves, and half of a refusal."""
    record = graded(zygote, COPIED)
    assert [1.0, 1.0, 1.0] == [group.points for group in record.groups]
    assert 7.0 == record.max_score
    worth = {case.id: case.max_points for case in record.groups[0].cases}
    assert {
        "twice/1": 0.5,
        "twice/2": 0.5,
        "twice/zebrafish": 0.75,
        "twice/zebrafish-alone-2": 0.75,
        "twice/zebrafish-staff-1": 0.75,
        "twice/zebrafish-ten-1": 0.75,
    } == worth


# Nothing hidden is told to students

WRONG: Final = """
    import sys
    def shown(n): return str(n)
    def twice(n):
        if n in (2, 3): return 2 * n
        sys.stdout.write(f'got {n}')
        if isinstance(n, str): raise ValueError(n)
        return [n, n]
"""


def reports(record: Record, folder: Path) -> dict[str, str]:
    """Return what students can read of `record`, by where it stands."""
    filed(folder, record)
    said = StringIO()
    print_record(record, Console(file=said, width=200))
    return {
        "page": student_page(record),
        "file": (folder / record.exercise / "student.html").read_text(encoding="utf-8"),
        "terminal": said.getvalue(),
    }


@pytest.mark.parametrize("source", [COPIED, WRONG, "def shown(n): return str(n)\ntwice = 5\n"])
def test_students_read_nothing_hidden(zygote: Zygote, tmp_path: Path, source: str) -> None:
    """No input, output, name, title, line or picture of a hidden case is in what students read."""
    record = graded(zygote, source)
    assert "zebrafish" in json.dumps(summary_of(record))
    for where, text in reports(record, tmp_path).items():
        for secret in ("zebra", "4711", whole().seed):
            assert secret not in text, f"{where}: {secret}"


def test_students_read_how_many_hidden_cases_failed(zygote: Zygote, tmp_path: Path) -> None:
    """What students do read of the hidden cases of a group is how many of their demands are met."""
    said = reports(graded(zygote, COPIED), tmp_path)
    assert "Hidden cases: 0 of 3 demands are met." in said["page"]
    assert "Hidden cases: 0.5 of 1 demand is met." in said["page"], "right but for its message"


FAILING: Final = (
    ("return 0", Verdict.WRONG),
    ("raise KeyError(n)", Verdict.ERROR),
    ("print(n); return 2 * n", Verdict.WRONG),
    ("import os; os._exit(3)", Verdict.EXITED),
    ("import os; os.abort()", Verdict.CRASHED),
    ("import socket; socket.socket()", Verdict.FORBIDDEN),
    ("print('x' * 10**7)", Verdict.OUTPUT),
    ("bytearray(1 << 33)", Verdict.MEMORY),
    ("forge()", Verdict.TAMPERED),
    ("while True: pass", Verdict.TIMED_OUT),
)


def test_students_do_not_read_how_hidden_cases_failed(zygote: Zygote) -> None:
    """However a hidden case fails, its student reads the same: it would tell what was asked."""
    reference, *others = (told_to_student(failing(zygote, *each)) for each in FAILING)
    for (how, _), other in zip(FAILING[1:], others, strict=True):
        assert reference == other, how


def told_to_student(seen: Record) -> list[object]:
    """Return all that a student reads."""
    said = StringIO()
    print_record(seen, Console(file=said, width=200))
    return [student_page(seen), said.getvalue()]


def failing(zygote: Zygote, how: str, verdict: Verdict) -> Record:
    """Return a record, without its code, that fails a hidden case like that."""
    source = f"""
        def forge():
            import os
            for fd in range(3, 16):
                try: os.write(fd, b'x' * 64)
                except OSError: pass
        def shown(n): return str(n)
        def twice(n):
            if n in (2, 3): return 2 * n
            if n == 'zebrafish':
                {how}
            return 0
    """
    record = graded(zygote, source, whole().with_changes(limits=Limits(cpu_s=0.2)))
    assert any(case.verdict is verdict for case in record.cases), how
    return replace(record, files=(), sources=())


# The command line

SUITE: Final = f"{HEAD}{PUBLIC}".replace("defines: []", "defines: [twice, shown]")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with both parts of the suite and two hand-ins."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    write("testsuites/sample.yaml", SUITE)
    write("testsuites/sample.hidden.yaml", HIDDEN)
    write("sample/an.py", dedent(COPIED))
    write("sample/jan.py", dedent(RIGHT))
    return tmp_path


def graded_by(
    capfd: pytest.CaptureFixture[str], *options: str
) -> tuple[Done, list[dict[str, object]]]:
    """Return what `grader grade` says, and the entries of its results."""
    done = grader(capfd, "grade", "sample", "--json", "--no-reports", *options)
    assert 0 == done.code, done.err
    return done, json.loads(done.out)["submissions"]


@pytest.mark.usefixtures("course")
def test_grade_takes_the_whole_suite(capfd: pytest.CaptureFixture[str]) -> None:
    """The hidden suite is used where it lies beside the public one, and a line says so."""
    done, entries = graded_by(capfd)
    assert "sample: 3 public and 5 hidden cases\ngraded 2 of 2\n" == done.err
    assert [("an", 3.0, 7.0), ("jan", 5.5, 7.0)] == [
        (entry["student"], entry["score"], entry["max_score"]) for entry in entries
    ]


@pytest.mark.parametrize("options", [(), ("--exercise", "testsuites/sample.yaml")])
@pytest.mark.usefixtures("course")
def test_grade_warns_of_hidden_suites_that_nobody_uses(
    capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """A name that fits no suite would leave the hidden cases out without a word."""
    Path("testsuites/sample.hidden.yaml").rename("testsuites/sample.hidden.yml")
    write("testsuites/smaple.hidden.yaml", "exercise: sample\n")
    done, entries = graded_by(capfd, *options)
    assert (
        "warning: hidden suites not used, because testsuites has no suite that they belong to: "
        "sample.hidden.yml, smaple.hidden.yaml; "
        "rename them, as NAME.hidden.yaml belongs to NAME.yaml\n"
        "graded 2 of 2\n"
    ) == done.err.replace(f"{Path.cwd()}/", "")
    assert [5.0, 5.0] == [entry["max_score"] for entry in entries]
    assert "graded 2 of 2\n" == graded_by(capfd, "--public", *options)[0].err


@pytest.mark.usefixtures("course")
def test_grade_can_leave_the_hidden_suite_out(capfd: pytest.CaptureFixture[str]) -> None:
    """With --public it is as if there were no hidden suite."""
    done, entries = graded_by(capfd, "--public")
    assert "graded 2 of 2\n" == done.err
    assert [5.0, 5.0] == [entry["score"] for entry in entries]


@pytest.mark.commands
@pytest.mark.usefixtures("course")
def test_grading_again_gives_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    """The same suite gives the same results, whoever else is graded, byte for byte."""
    first, entries = graded_by(capfd)
    second, _ = graded_by(capfd, "--jobs", "1")
    assert first.out == second.out
    Path("sample/an.py").unlink()
    assert entries[1:] == graded_by(capfd)[1]


@pytest.mark.usefixtures("course")
def test_a_mark_does_not_hang_on_a_name(capfd: pytest.CaptureFixture[str]) -> None:
    """Whoever hands a file in is asked the same, and gets the same points for it."""
    for number in range(20):
        write(f"sample/student-{number}.py", dedent(COPIED))
    _, entries = graded_by(capfd)
    own = [each for each in entries if each["student"] != "jan"]
    told = {json.dumps([each["score"], each["cases"]]) for each in own}
    assert (21, 1) == (len(own), len(told))


@pytest.mark.usefixtures("course")
def test_check_takes_the_public_suite_alone(capfd: pytest.CaptureFixture[str]) -> None:
    """Who checks at home hears nothing of hidden cases, and a hidden suite is no exercise."""
    for options in ((), ("--exercise", "sample"), ("--exercise", "testsuites/sample.yaml")):
        done = grader(capfd, "check", "sample/an.py", "--json", *options)
        (entry,) = json.loads(done.out)["submissions"]
        assert (0, "") == (done.code, done.err)
        assert (5.0, 5.0, 3) == (entry["score"], entry["max_score"], len(entry["cases"]))


@pytest.mark.parametrize("verb", ["grade", "check"])
@pytest.mark.usefixtures("course")
def test_hidden_suite_by_itself_is_refused(capfd: pytest.CaptureFixture[str], verb: str) -> None:
    """Who names the hidden suite is told to name the public one."""
    path = "testsuites/sample.hidden.yaml"
    done = grader(capfd, verb, "sample/an.py", "--exercise", path)
    assert (3, "") == (done.code, done.out)
    assert (
        f"error: {path} is only the hidden part of a suite\n"
        "  = help: give the path of the public suite, sample.yaml\n"
    ) == done.err


@pytest.mark.usefixtures("course")
def test_mistake_in_a_hidden_suite_stops_grading_only(capfd: pytest.CaptureFixture[str]) -> None:
    """Grading without the hidden cases would be no less than wrong; checking needs none."""
    write("testsuites/sample.hidden.yaml", "exercise: sample\nsessions: []\n")
    done = grader(capfd, "grade", "sample", "--no-reports", "--json")
    assert (3, "") == (done.code, done.out)
    assert "'sessions' is empty" in done.err
    assert 0 == grader(capfd, "check", "sample/an.py").code


# The hash of a reference
