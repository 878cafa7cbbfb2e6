"""A suite with its hidden part: what a student gets of it, its points, and who hears of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from builders import HEAD, by_id, submission
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
from grader.suite.hidden import drawn, merged
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
POOLS
"""
ALTERNATIVE: Final = """\
- id: zebrafish-{letter}
  pool: zebrafish-pool
  steps:
  - {{do: twice({number}), returns: "{double}", group: twice}}
  - {{do: "twice(['zebrafish', {number}])", raises: "TypeError: zebrafish", group: refused}}
"""
POOL: Final = "".join(
    ALTERNATIVE.format(letter=letter, number=number, double=2 * number)
    for number, letter in enumerate("abcd", start=10)
)
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


def whole(pools: str = POOL, public: str = PUBLIC) -> Suite:
    """Return the public suite with the hidden one."""
    suite = parse_suite((HEAD + public).encode(), "sample.yaml", KINDS)
    text = HIDDEN.replace("POOLS\n", pools)
    return merged(suite, parse_hidden_suite(text.encode(), "sample.hidden.yaml", suite))


def graded(zygote: Zygote, source: str, suite: Suite | None = None) -> Record:
    """Return the record of `source` on the whole suite, as the student `jan` gets it."""
    suite = suite or whole()
    return grade(drawn(suite, suite.seed, "jan"), submission(source), zygote)


def sessions_of(suite: Suite, seed: str | None, student: str) -> list[str]:
    """Return the ids of the sessions that `student` gets."""
    return [session.id for session in drawn(suite, seed, student).sessions]


# Pools


def test_each_student_gets_one_session_of_each_pool() -> None:
    """Sessions that are in no pool are everybody's."""
    for student in ("an", "jan", "", "ünï\ncödé"):
        *others, last = sessions_of(whole(), "seed", student)
        assert ["example", "zebrafish-alone", "zebrafish-staff"] == others
        assert last in {"zebrafish-a", "zebrafish-b", "zebrafish-c", "zebrafish-d"}


def test_draw_depends_on_seed_and_student() -> None:
    """Over a class the sessions of a pool are drawn about equally often."""
    suite, class_of = whole(), range(400)
    counts = Counter(sessions_of(suite, "seed", f"student-{n}")[-1] for n in class_of)
    assert 4 == len(counts)
    assert min(counts.values()) > 60
    others = [sessions_of(suite, "other", f"student-{n}")[-1] for n in class_of]
    again = [sessions_of(suite, "seed", f"student-{n}")[-1] for n in class_of]
    assert 200 < sum(one != other for one, other in zip(again, others, strict=True))


def test_draw_does_not_depend_on_order() -> None:
    """Neither the order of sessions, nor how a system spells accents, changes what is drawn."""
    suite = whole()
    turned = suite.changed(sessions=suite.sessions[::-1])
    for number in range(20):
        student = f"renée-{number}"
        assert sessions_of(suite, "s", student) == sessions_of(turned, "s", student)[::-1]
        spelt = student.replace("é", "e\N{COMBINING ACUTE ACCENT}")
        assert sessions_of(suite, "s", student) == sessions_of(suite, "s", spelt)


def test_draw_of_one_pool_does_not_depend_on_the_others() -> None:
    """Who gets what of a pool stays when a pool is added."""
    more = POOL + POOL.replace("zebrafish-pool", "more").replace("id: zebrafish", "id: more")
    for number in range(20):
        before = sessions_of(whole(), "s", str(number))
        assert before == sessions_of(whole(more), "s", str(number))[: len(before)]


def test_who_mends_a_pool_draws_no_other_one_again() -> None:
    """Each pool has a seed of its own, from what it asks, unless one is given for all."""
    other = POOL.replace("zebrafish-pool", "more").replace("id: zebrafish", "id: more")
    suites = [whole(POOL + each) for each in (other, other.replace("twice(10)", "twice(100)"))]
    students = [f"student-{number}" for number in range(100)]
    draws = [[sessions_of(suite, None, one)[-2:] for one in students] for suite in suites]
    assert [own for own, _ in draws[0]] == [own for own, _ in draws[1]]
    moved = sum(one != two for (_, one), (_, two) in zip(*draws, strict=True))
    assert 50 < moved < 100
    given = [[sessions_of(suite, "s", one) for one in students] for suite in suites]
    assert given[0] == given[1]


def test_pools_of_one_student_are_drawn_apart() -> None:
    """What is drawn from one pool tells nothing of what is drawn from another."""
    more = POOL + POOL.replace("zebrafish-pool", "more").replace("id: zebrafish", "id: more")
    pairs = {tuple(sessions_of(whole(more), "s", str(number))[-2:]) for number in range(200)}
    assert 16 == len(pairs)


def test_most_points_do_not_depend_on_the_draw() -> None:
    """Every student has the same cases, by id and by group, and the same points to earn."""
    suite = whole()
    each = [drawn(suite, "s", str(number)) for number in range(20)]
    assert {7.0} == {sum(group.points for group in one.groups) for one in each}
    ids = {tuple(case.id for session in one.sessions for case in session.cases) for one in each}
    assert 1 == len(ids)


def seed_of_hidden(text: str) -> str:
    """Return the seed of the hidden suite `text`."""
    public = parse_suite((HEAD + PUBLIC).encode(), "sample.yaml", KINDS)
    return parse_hidden_suite(text.encode(), "sample.hidden.yaml", public).seed


WHOLE_HIDDEN: Final = HIDDEN.replace("POOLS\n", POOL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("feedback: count", "feedback: clause"),
        ("share: 0.75", "share: 0.8"),
        ("sessions:", "equivalent: [{mutant: 1f0c8a3e, reason: it is the same}]\nsessions:"),
        ("\n", "\r\n"),
        ("twice('zebrafish')", "twice('other')"),
        ("sessions:", "# mended\nsessions:"),
    ],
)
def test_who_mends_something_else_draws_the_same(old: str, new: str) -> None:
    """Nothing but the pools decides on who gets what of them."""
    changed = WHOLE_HIDDEN.replace(old, new)
    assert changed != WHOLE_HIDDEN
    assert seed_of_hidden(WHOLE_HIDDEN) == seed_of_hidden(changed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("do: twice(10)", "do: twice(100)"),
        ("id: zebrafish-a\n", "id: zebrafish-e\n"),
        ("zebrafish-pool", "another-pool"),
    ],
)
def test_seed_is_as_secret_as_the_pools(old: str, new: str) -> None:
    """Who does not know all that the pools ask, and where, cannot work out the seed."""
    changed = WHOLE_HIDDEN.replace(old, new)
    assert changed != WHOLE_HIDDEN
    assert seed_of_hidden(WHOLE_HIDDEN) != seed_of_hidden(changed)


def test_seed_does_not_depend_on_order() -> None:
    """Sessions of a pool can be moved about."""
    first, *rest = POOL.split("- id: ")[1:]
    moved = "".join(f"- id: {each}" for each in (*rest, first))
    assert seed_of_hidden(WHOLE_HIDDEN) == seed_of_hidden(HIDDEN.replace("POOLS\n", moved))


def test_suite_without_pools_is_for_everybody() -> None:
    """Where there is nothing to draw, everybody gets the suite itself."""
    suite = parse_suite((HEAD + PUBLIC).encode(), "sample.yaml", KINDS)
    assert suite is drawn(suite, suite.seed, "jan")


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
        "twice/zebrafish-pool-1": 0.75,
    } == worth


def test_record_says_what_was_drawn(zygote: Zygote) -> None:
    """Staff can grade again on the very sessions that a student had."""
    record = graded(zygote, RIGHT)
    (session,) = record.conditions.drawn
    assert sessions_of(whole(), whole().seed, "jan")[-1] == session
    assert [session] == summary_of(record)["drawn"]
    assert by_id(record)["refused/zebrafish-pool-1"].points == 2.0


def test_record_without_pools_has_nothing_drawn(zygote: Zygote) -> None:
    """Results of a suite without pools say nothing of draws."""
    alone = ALTERNATIVE.format(letter="x", number=1, double=2)
    record = graded(zygote, RIGHT, whole(alone.replace("  pool: zebrafish-pool\n", "")))
    assert () == record.conditions.drawn
    assert "drawn" not in summary_of(record)


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
        for secret in ("zebra", "4711", *record.conditions.drawn, whole().seed):
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
    record = graded(zygote, source, whole().changed(limits=Limits(cpu_s=0.2)))
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
    write("testsuites/sample.hidden.yaml", HIDDEN.replace("POOLS\n", POOL))
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
        "warning: not used, as no suite in testsuites has their name: "
        "sample.hidden.yml, smaple.hidden.yaml\ngraded 2 of 2\n"
    ) == done.err.replace(f"{Path.cwd()}/", "")
    assert [5.0, 5.0] == [entry["max_score"] for entry in entries]
    assert "graded 2 of 2\n" == graded_by(capfd, "--public", *options)[0].err


@pytest.mark.usefixtures("course")
def test_grade_can_leave_the_hidden_suite_out(capfd: pytest.CaptureFixture[str]) -> None:
    """With --public it is as if there were no hidden suite."""
    done, entries = graded_by(capfd, "--public")
    assert "graded 2 of 2\n" == done.err
    assert [5.0, 5.0] == [entry["score"] for entry in entries]
    assert not any("drawn" in entry for entry in entries)


@pytest.mark.commands
@pytest.mark.usefixtures("course")
def test_grading_again_draws_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    """The same suite draws the same for a student, whoever else is graded, byte for byte."""
    first, entries = graded_by(capfd)
    second, _ = graded_by(capfd, "--jobs", "1")
    assert first.out == second.out
    Path("sample/an.py").unlink()
    assert entries[1:] == graded_by(capfd)[1]


@pytest.mark.commands
@pytest.mark.usefixtures("course")
def test_seed_draws_otherwise(capfd: pytest.CaptureFixture[str]) -> None:
    """Another seed makes another draw, and one seed draws the same each time."""
    draws = [
        str([entry["drawn"] for entry in graded_by(capfd, "--seed", seed)[1]])
        for seed in ("1", "2", "1")
    ]
    assert draws[0] == draws[2] != draws[1]


@pytest.mark.usefixtures("course")
def test_who_has_a_pseudonym_gets_what_is_drawn_for_that(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The sessions of a student tell no name, and who hands in the same is not called the same."""
    for name in "bcdefgh":
        write(f"sample/{name}.py", dedent(COPIED))
    done = grader(capfd, "grade", "sample", "--json", "--pseudonyms")
    entries = json.loads(done.out)["submissions"]
    assert [f"student-{number:03}" for number in range(1, 10)] == [each["id"] for each in entries]
    suite = whole()
    for each in entries:
        own = sessions_of(suite, None, each["student"])
        assert {*each["drawn"]} <= {*own}
    assert len({str(each["drawn"]) for each in entries}) > 1


@pytest.mark.usefixtures("course")
def test_seed_without_a_hidden_suite_is_a_contradiction(capfd: pytest.CaptureFixture[str]) -> None:
    """Where the hidden suite is left out there is nothing to draw."""
    done = grader(capfd, "grade", "sample", "--public", "--seed", "x")
    assert (2, "") == (done.code, done.out)
    assert "--public and --seed contradict each other" in done.err


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
        f"error: {path} is the hidden part of a suite, and no suite by itself\n"
        "  = help: name the public one, sample.yaml\n"
    ) == done.err


@pytest.mark.usefixtures("course")
def test_mistake_in_a_hidden_suite_stops_grading_only(capfd: pytest.CaptureFixture[str]) -> None:
    """Grading without the hidden cases would be no less than wrong; checking needs none."""
    write("testsuites/sample.hidden.yaml", "exercise: sample\nsessions: []\n")
    done = grader(capfd, "grade", "sample", "--no-reports", "--json")
    assert (3, "") == (done.code, done.out)
    assert "'sessions' is empty" in done.err
    assert 0 == grader(capfd, "check", "sample/an.py").code


@pytest.mark.usefixtures("course")
def test_overview_takes_a_pool_for_one_session(capfd: pytest.CaptureFixture[str]) -> None:
    """The overview for staff has a row for the pool, whoever got which session of it."""
    assert 0 == grader(capfd, "grade", "sample").code
    page = Path("reports/index.html").read_text(encoding="utf-8")
    assert "zebrafish-pool" in page
    assert "zebrafish-a" not in page.replace("zebrafish-alone", "")


# The hash of a reference
