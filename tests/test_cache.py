"""The same files on the same suite are graded once, and what is remembered is what was graded."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from command_line import RIGHT, WRONG, grader, write
from record_samples import case, group, record
from ruled_records import one_of_each

from grader import cache, run
from grader.cache import LONG_S, PASSING_TROUBLES, Cache, is_lasting
from grader.errors import OutputError, ZygoteError
from grader.intake.submission import Submission
from grader.intake.submissions import discover
from grader.judging.advice.linting import WALL_S
from grader.judging.judge import grade as judge
from grader.judging.record import Record, from_json, to_json
from grader.judging.rules import KINDS
from grader.messages import message
from grader.reporting.wording import say
from grader.run import Task, grade_all
from grader.sandbox.executor import Isolation
from grader.sandbox.sessions import Gate
from grader.suite.hidden import drawn
from grader.suite.loading import load_whole_suite, parse_suite
from grader.suite.model import Suite
from grader.verdict import RuleVerdict, Status, Verdict

PATIENT: Final = (
    "limits: {cpu_s: 20, wall_s: 20, session_cpu_s: 20, session_wall_s: 20,"
    " submission_cpu_s: 60, submission_wall_s: 60}\n"
)
SUITE: Final = f"""\
exercise: sample
title: Sample
language: en
module: sample
defines: [double]
{PATIENT}groups: [{{id: g, points: 2}}]
sessions:
  - id: example
    steps:
      - {{do: double(2), returns: "4", group: g}}
"""
HIDDEN: Final = """\
exercise: sample
sessions:
  - {id: one, pool: p, steps: [{do: double(3), returns: "6", group: g, case: p}]}
  - {id: two, pool: p, steps: [{do: double(4), returns: "8", group: g, case: p}]}
"""
ISOLATION: Final = Isolation(level=3, layers=(("seccomp", 1),), python_version="3.11.7")
NEVER_LASTING: Final = ("TIMED_OUT", "MEMORY", "CRASHED", "TAMPERED", "NOT_RUN", "FAULT")


def suite_of(text: str = SUITE) -> Suite:
    """Return the suite in `text`."""
    return parse_suite(text.encode(), "sample.yaml", KINDS)


def submission(student: str = "jan", text: str = RIGHT) -> Submission:
    """Return a submission of one file."""
    raw = {"sample.py": text.encode()}
    return Submission(student=student, modules={}, data={}, raw=raw)


def hand_in(folder: Path, student: str, text: str = RIGHT, name: str = "sample.py") -> None:
    """Put a hand-in of one file in a folder of its own."""
    (folder / student).mkdir(parents=True)
    (folder / student / name).write_text(text)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The students whose submissions were really graded."""
    students: list[str] = []

    def counted(suite: Suite, one: Submission, *more: Any) -> Record:
        students.append(one.student)
        return judge(suite, one, *more)

    monkeypatch.setattr(run, "grade", counted)
    monkeypatch.setattr(cache, "BRIEF_CPU_S", 20.0)  # however busy the machine is
    return students


def graded(tasks: list[Task], known: Cache | None = None) -> dict[str, Record]:
    """Return the records of `tasks` by student."""
    records: dict[str, Record] = {}

    def sink(_: int, one: Record) -> None:
        records[one.student] = one

    assert grade_all(tasks, jobs=2, sink=sink, cache=known)
    return records


def test_the_same_files_are_graded_once(tmp_path: Path, judged: list[str]) -> None:
    """The records of the others are the same but for the student, also side by side."""
    for student in ("an", "bo", "cas", "dirk"):
        hand_in(tmp_path, student)
    records = graded([Task(suite_of(), entry) for entry in discover(tmp_path)])
    assert 1 == len(judged)
    assert {"an", "bo", "cas", "dirk"} == records.keys()
    for student, found in records.items():
        assert (student, student) == (found.id, found.student)
        assert records["an"] == replace(found, id="an", student="an")


@pytest.mark.parametrize(
    ("text", "name", "suite"),
    [
        (RIGHT + "\n", "sample.py", SUITE),
        (RIGHT.replace("\n", "\r\n"), "sample.py", SUITE),
        (RIGHT, "other.py", SUITE),
        (RIGHT, "sample.py", SUITE.replace("points: 2", "points: 3")),
    ],
    ids=["one byte more", "other line ends", "other name", "other suite"],
)
def test_what_differs_is_graded(
    tmp_path: Path, judged: list[str], text: str, name: str, suite: str
) -> None:
    """One byte, a name or another suite is enough."""
    hand_in(tmp_path, "an")
    hand_in(tmp_path, "bo", text, name)
    an, bo = discover(tmp_path)
    graded([Task(suite_of(), an), Task(suite_of(suite), bo)])
    assert ["an", "bo"] == sorted(judged)


def test_other_drawn_sessions_are_graded(tmp_path: Path, judged: list[str]) -> None:
    """Who got another session of a pool has a record of her own; who got the same shares one."""
    (tmp_path / "sample.yaml").write_text(SUITE)
    (tmp_path / "sample.hidden.yaml").write_text(HIDDEN)
    suite = load_whole_suite(tmp_path / "sample.yaml", KINDS)
    for number in range(8):
        hand_in(tmp_path / "in", f"s{number}")
    tasks = [Task(drawn(suite, "s", one.student), one) for one in discover(tmp_path / "in")]
    records = graded(tasks)
    assert 2 == len({found.conditions.drawn for found in records.values()}) == len(judged)
    for task in tasks:
        expected = tuple(one.id for one in task.suite.sessions if one.pool is not None)
        assert expected == records[task.entry.student].conditions.drawn


@pytest.mark.usefixtures("here", "judged")
def test_a_time_out_is_never_remembered(tmp_path: Path, judged: list[str]) -> None:
    """Neither in memory nor in the folder: the next one may have more luck."""
    endless = "def double(x):\n    while True: pass\n"
    hand_in(tmp_path / "in", "an", endless)
    hand_in(tmp_path / "in", "bo", endless)
    brief = SUITE.replace("{cpu_s: 20", "{cpu_s: 0.2")
    records = graded(
        [Task(suite_of(brief), one) for one in discover(tmp_path / "in")], Cache(tmp_path / "kept")
    )
    assert {Verdict.TIMED_OUT} == {one.verdict for found in records.values() for one in found.cases}
    assert ["an", "bo"] == sorted(judged)
    assert [] == list((tmp_path / "kept").iterdir())


# What is kept


class Grading:
    """Grades for a cache of one's own; counts how often, and may be told what to do meanwhile."""

    def __init__(self, made: Record, meanwhile: Callable[[Gate], object] = lambda _: None) -> None:
        self.made = made
        self.meanwhile = meanwhile
        self.count = 0

    def __call__(self, gate: Gate) -> Record:
        """Return the record."""
        self.count += 1
        self.meanwhile(gate)
        return self.made


MADE: Final = record(group("f", case(), case("f/2", Verdict.WRONG)), id="jan", student="jan")


def asked(known: Cache, grading: Grading, one: Submission | None = None) -> Record:
    """Ask `known` for the record of a submission."""
    return known.record(suite_of(), one or submission(), ISOLATION, Gate(), grading)


def kept_file(folder: Path) -> Path:
    """Keep a record in `folder`, and return its file."""
    assert MADE == asked(Cache(folder), Grading(MADE))
    (path,) = folder.iterdir()
    return path


def test_a_later_run_takes_what_was_kept(tmp_path: Path) -> None:
    """The record is the same, with the name of whoever hands it in now; the folder names nobody."""
    path = kept_file(tmp_path / "a" / "kept")
    again = Grading(MADE)
    found = asked(Cache(path.parent), again, submission("an"))
    assert (replace(MADE, id="an", student="an"), 0) == (found, again.count)
    document = json.loads(path.read_bytes())
    assert path.stem == document["key"]
    assert ("", "") == (document["record"]["id"], document["record"]["student"])


@pytest.mark.parametrize(
    "forged",
    [
        lambda _: b"",
        lambda data: data[:-20],
        lambda data: data[:-1],
        lambda data: data + b" ",
        lambda _: b"\xff" * 100,
        lambda _: b"[" * 100_000,
        lambda _: to_json(MADE),
        lambda data: data.replace(b'{"key":"', b'{"key":"0'),
        lambda data: data.replace(b"grader/record/3", b"grader/record/0"),
        lambda data: data.replace(b'"score":', b'"more":1,"score":'),
        lambda data: data.replace(b'"verdict":"WRONG"', b'"verdict":"FAULT"', 1),
    ],
)
def test_a_file_that_is_not_sound_is_graded_anew(
    tmp_path: Path, forged: Callable[[bytes], bytes]
) -> None:
    """Whatever stands in it, nothing of it is believed, and the next run finds a sound one."""
    path = kept_file(tmp_path)
    data = path.read_bytes()
    assert data != forged(data)
    path.write_bytes(forged(data))
    grading = Grading(MADE)
    assert (MADE, 1) == (asked(Cache(tmp_path), grading), grading.count)
    assert data == path.read_bytes()


def test_a_file_under_another_name_is_not_taken(tmp_path: Path) -> None:
    """A sound record of other files counts for these no more than any other file."""
    path = kept_file(tmp_path)
    other, grading = submission(text=WRONG), Grading(replace(MADE, title="Another"))
    asked(Cache(tmp_path), grading, other)
    (its_path,) = set(tmp_path.iterdir()) - {path}
    its_path.write_bytes(path.read_bytes())
    assert "Another" == asked(Cache(tmp_path), grading, other).title
    assert 2 == grading.count


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("put", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_what_is_no_file_is_left_alone(tmp_path: Path, put: Callable[[Path], None]) -> None:
    """Nobody waits for a pipe, reads without end or fails for a folder that has the name."""
    path = kept_file(tmp_path)
    path.unlink()
    put(path)
    assert MADE == asked(Cache(tmp_path), Grading(MADE))


@pytest.mark.parametrize("name", ["_code_sha256", "_version"])
def test_other_code_has_other_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A record is not taken from another grader, nor where a package has another version."""
    suite = suite_of(SUITE + "imports: [standard, numpy]\n")
    grading = Grading(MADE)
    for value in ("1", "2", "2"):
        monkeypatch.setattr(cache, name, lambda *_, told=value: told)
        Cache(tmp_path).record(suite, submission(), ISOLATION, Gate(), grading)
    assert 2 == grading.count


@pytest.mark.parametrize(
    "isolation",
    [
        replace(ISOLATION, level=2),
        replace(ISOLATION, layers=()),
        replace(ISOLATION, python_version="3.12.1"),
    ],
)
def test_other_walls_have_other_records(isolation: Isolation) -> None:
    """What a record says about how it was made is true of each that has it."""
    known, grading = Cache(), Grading(MADE)
    for each in (ISOLATION, isolation, isolation):
        known.record(suite_of(), submission(), each, Gate(), grading)
    assert 2 == grading.count


@pytest.mark.parametrize(
    "change",
    [
        {"ungradable": message("ungradable.empty")},
        {"remarks": (message("remark.same_name", name="Jan"),)},
        {"data": {"x.txt": b"1"}},
        {"parts": {"sample": "sample"}},
    ],
)
def test_all_that_was_read_is_in_the_key(change: dict[str, Any]) -> None:
    """Remarks, data files and what the modules are called make another record."""
    known, grading = Cache(), Grading(MADE)
    for one in (submission(), replace(submission(), **change)):
        asked(known, grading, one)
    assert 2 == grading.count


def alone(gate: Gate) -> None:
    """Run a session in doubt."""
    with gate.alone():
        pass


def test_a_session_in_doubt_is_never_remembered() -> None:
    """What ran alone ran out of time on the clock before, and who knows what came of that."""
    known, grading = Cache(), Grading(MADE, alone)
    for _ in range(3):
        assert MADE == asked(known, grading)
    assert 3 == grading.count


def test_a_long_session_is_never_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock may have cut something off of which the record does not tell."""
    now = iter(range(100))
    monkeypatch.setattr("grader.cache.time.monotonic", lambda: next(now))

    def long(gate: Gate) -> None:
        with gate.shared():
            pass

    known, grading = Cache(), Grading(MADE, long)
    assert [MADE] * 2 == [asked(known, grading), asked(known, grading)]
    assert 2 == grading.count


@pytest.mark.parametrize("verdict", Verdict)
def test_verdicts_that_last(verdict: Verdict) -> None:
    """What hangs on time, on memory or on us is graded anew, also in a counterexample."""
    one = record(group("f", case(), case(verdict=verdict)))
    shown = record(replace(group("f", case()), counterexample=case(verdict=verdict)))
    assert (verdict.value not in NEVER_LASTING,) * 2 == (is_lasting(one), is_lasting(shown))


@pytest.mark.parametrize("key", sorted(PASSING_TROUBLES))
def test_remarks_about_trouble_do_not_last(key: str) -> None:
    """Each of them can be said, and none is remembered, whoever reads it."""
    assert say(message(key, file="f", names="n"), "en")
    assert not is_lasting(replace(MADE, remarks=(message(key),)))
    assert not is_lasting(replace(MADE, staff_remarks=(message(key),)))


def test_rules_that_do_not_last() -> None:
    """A doubt, a rule that a clock found broken and a slow probe are looked at again."""
    (rule, *_) = one_of_each().rules
    sure = replace(rule, verdict=RuleVerdict.PASSED, evidence=())
    assert is_lasting(replace(MADE, rules=(sure,)))
    for change in (
        {"verdict": RuleVerdict.REVIEW},
        {"evidence": (message("cost.above_linear"), message("cost.time_measured"))},
        {"evidence": (message("rule.slow"),)},
    ):
        assert not is_lasting(replace(MADE, rules=(replace(sure, **change),))), change


def test_a_fault_does_not_last() -> None:
    """What we failed on is graded again."""
    assert not is_lasting(replace(MADE, status=Status.FAULT))


def test_ruff_has_as_long_as_the_cache_believes() -> None:
    """Who took less time in all lost no advice to a busy machine."""
    assert LONG_S <= WALL_S


def test_a_failure_is_not_remembered() -> None:
    """Who waits for somebody whose sandbox broke grades by herself."""

    def breaks(_: Gate) -> None:
        if grading.count == 1:
            raise ZygoteError("gone")

    known, grading = Cache(), Grading(MADE, breaks)
    with pytest.raises(ZygoteError):
        asked(known, grading)
    assert (MADE, 2) == (asked(known, grading), grading.count)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that were not asked for the longest are forgotten first."""
    monkeypatch.setattr(cache, "_MOST_IN_MEMORY", 2)
    known, grading = Cache(), Grading(MADE)
    for text in ("a", "b", "a", "c", "a", "b"):
        asked(known, grading, submission(text=text))
    assert 4 == grading.count, "a, b, c, and b again"


def test_a_full_disk_stops_the_keeping_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first failure is told, and none is tried after it."""
    tries: list[Path] = []

    def full(path: Path, _: bytes) -> None:
        tries.append(path)
        raise OutputError("no space left")

    monkeypatch.setattr(cache, "write_atomically", full)
    known, grading = Cache(tmp_path), Grading(MADE)
    for text in ("a", "b"):
        assert MADE == asked(known, grading, submission(text=text))
    assert (1, "no space left") == (len(tries), str(known.trouble))


# The command


@pytest.mark.usefixtures("here")
def test_grade_with_a_cache(capfd: pytest.CaptureFixture[str], judged: list[str]) -> None:
    """The second run grades what is new only, and its results are the same to the byte."""
    for student, text in (("jan", RIGHT), ("an", WRONG), ("bo", "def double(x)\n")):
        write(f"double/{student}/double.py", text)
    args = ("grade", "double", "--cache", "kept/here")
    assert 0 == grader(capfd, *args, "--out", "first").code
    assert 3 == len(judged)
    assert 0 == grader(capfd, *args, "--out", "second").code
    assert 3 == len(judged)
    for name in ("results.json", "index.html", "double/an.html", "records/double/jan.json"):
        assert Path("first", name).read_bytes() == Path("second", name).read_bytes(), name
    write("double/cas/double.py", RIGHT + "\n")
    assert 0 == grader(capfd, *args, "--out", "third").code
    assert [*judged[:3], "cas"] == judged
    assert "cas" == from_json(Path("third/records/double/cas.json").read_bytes()).student


@pytest.mark.usefixtures("here")
def test_a_cache_among_the_hand_ins(capfd: pytest.CaptureFixture[str]) -> None:
    """It is no student."""
    write("double/jan/double.py", RIGHT)
    args = ("grade", "double", "--cache", "double/kept")
    assert 0 == grader(capfd, *args).code
    done = grader(capfd, *args)
    assert "kept is the cache, not a hand-in\n" in done.err
    assert "graded 1 of 1" in done.err


@pytest.mark.usefixtures("here")
def test_a_cache_that_cannot_be_written(capfd: pytest.CaptureFixture[str]) -> None:
    """One warning, and all is graded."""
    write("double/jan/double.py", RIGHT)
    write("double/an/double.py", WRONG)
    write("file", "")
    done = grader(capfd, "grade", "double", "--cache", "file/kept")
    assert 0 == done.code
    assert 1 == done.err.count("warning: not all records were kept for later runs: ")
    assert "graded 2 of 2" in done.err
