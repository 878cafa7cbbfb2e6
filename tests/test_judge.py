"""How a submission earns its points: each rule of a session, on real executors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from builders import by_id, graded, submission, suite

from grader.judge import grade
from grader.messages import message
from grader.observation import Died
from grader.record import CaseResult, LineState, Record
from grader.recording import Recorder
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate, SessionRun, SessionRunner
from grader.verdict import Status, Verdict
from grader.wording import say

HEAD = """\
exercise: sample
title: Sample
language: en
module: sample
"""
COUNTER = """
    groups: [{id: g, points: 4}]
    sessions:
    - id: s
      steps:
      - {do: c = C()}
      - {do: c.peek(), returns: '0', group: g}
      - {do: c.peek(), returns: '0', group: g}
      - {do: c.peek(), returns: '0', group: g}
      - {do: c.up(), same_as: c, group: g}
"""
CALLS = """
    limits: {cpu_s: 0.2}
    groups: [{id: g, points: 1}, {id: h, points: 1}]
    sessions:
    - id: s
      steps:
      - {do: f(1), returns: '1', group: g}
      - {do: f(2), returns: '2', group: g}
      - {do: f(3), returns: '3', group: g}
      - {do: f(4), returns: '4', group: g}
      - {do: h(5), returns: '5', group: h}
"""
BLIND = """\
import os
for fd in range(3, 64):
  try: os.write(fd, b'x' * 64)
  except OSError: pass
"""


def verdicts(record: Record) -> list[str]:
    """Return the verdicts of all cases, in order."""
    return [case.verdict.value for case in record.cases]


def said(case: CaseResult) -> list[str]:
    """Return the keys of what is said about a case."""
    return [each.key for each in case.explanation]


def remarks(record: Record) -> list[str]:
    """Return the remarks in English; each of them can be said."""
    return [say(each, "en") for each in record.remarks]


def test_everything_passes(zygote: Zygote) -> None:
    """A submission without mistakes has all points, and nothing is said about it."""
    source = "class C:\n  def peek(self): return 0\n  def up(self): return self\n"
    record = graded(zygote, COUNTER, source)
    assert ["PASSED"] * 4 == verdicts(record)
    assert (Status.GRADED, 4.0, 4.0) == (record.status, record.score, record.max_score)
    assert () == record.remarks
    assert not any(case.explanation or case.transcript for case in record.cases)
    assert [1.0] * 4 == [case.points for case in record.cases]


def test_the_first_failure_stands_and_victims_have_their_own_chance(zygote: Zygote) -> None:
    """A question that changes the answer fails once, where it first shows."""
    source = """
        class C:
            def __init__(self): self.n = 0
            def peek(self): self.n += 1; return self.n - 1
            def up(self): return self
    """
    record = graded(zygote, COUNTER, source)
    assert ["PASSED", "WRONG", "PASSED", "PASSED"] == verdicts(record)
    first = record.cases[1]
    assert ["wrong.value", "wrong.only_in_session"] == said(first)
    assert (0.0, 1.0, 3.0) == (first.points, first.max_points, record.score)
    assert ["c = C()", "c.peek()", "c.peek()"] == [line.code for line in first.transcript]
    assert ("0", "1") == (first.expected, first.got)


def test_the_smallest_session_that_shows_it_is_told(zygote: Zygote) -> None:
    """A failure that its own session shows as well is told by that one."""
    source = "class C:\n  def peek(self): return 0\n  def up(self): return C()\n"
    record = graded(zygote, COUNTER, source)
    assert ["PASSED", "PASSED", "PASSED", "WRONG"] == verdicts(record)
    last = record.cases[3]
    assert ["c = C()", "c.up()"] == [line.code for line in last.transcript]
    assert [LineState.DONE, LineState.FAILED] == [line.state for line in last.transcript]
    assert ["same.other"] == said(last)


ACTIONS = """
    groups: [{id: make, points: 1}, {id: go, points: 1}, {id: ask, points: 2}]
    sessions:
    - id: s
      steps:
      - {do: p = P(1), group: make}
      - {do: p.go(2), same_as: p, group: go}
      - {do: p.x, returns: '3', group: ask}
      - {do: p.x, returns: '3', group: ask}
      - {do: q = P(9), group: make}
      - {do: q.x, returns: '9', group: ask}
"""


def test_skipped_cases_name_the_step_that_broke_down(zygote: Zygote) -> None:
    """What needs a step that raises is not tried, and says which step that is."""
    source = (
        "class P:\n  def __init__(self, x): self.x = x\n  def go(self, by): raise KeyError(by)\n"
    )
    record = graded(zygote, ACTIONS, source)
    assert {
        "make/1": Verdict.PASSED,
        "make/2": Verdict.PASSED,
        "go/1": Verdict.ERROR,
        "ask/1": Verdict.SKIPPED,
        "ask/2": Verdict.SKIPPED,
        "ask/3": Verdict.PASSED,
    } == {case.id: case.verdict for case in record.cases}
    skipped = by_id(record)["ask/1"]
    assert "p.go(2)" == skipped.cause
    assert (message("skipped.step", code="p.go(2)"),) == skipped.explanation
    states = [(line.code, line.state) for line in skipped.transcript]
    assert [("p = P(1)", LineState.DONE), ("p.go(2)", LineState.CAUSE)] == states
    error = by_id(record)["go/1"]
    assert error.source is not None
    assert (3, "go", "sample.py") == (error.source.line, error.source.function, error.source.file)
    assert "raise KeyError" in error.source.text


def test_a_wrong_answer_excuses_nothing(zygote: Zygote) -> None:
    """A step that returned the wrong thing was done; what comes after it is tried on its own."""
    source = """
        class P:
            def __init__(self, x): self.x = x
            def go(self, by): self.x += by
    """
    record = graded(zygote, ACTIONS, source)
    assert [("go/1", Verdict.WRONG)] == [
        (case.id, case.verdict) for case in record.cases if case.verdict is not Verdict.PASSED
    ]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("import os; os._exit(0)", "EXITED"),
        ("import os; os.abort()", "CRASHED"),
        ("exit()", "EXITED"),
        ("return 'x' * 10**12", "MEMORY"),
        ("import socket; socket.socket()", "FORBIDDEN"),
        ("input()", "ERROR"),
        ("return f(n)", "ERROR"),
        ("open('/etc/passwd')", "ERROR"),
        ("import os; os.closerange(3, 64)", "EXITED"),
        (BLIND.replace("\n", "\n    "), "TAMPERED"),
    ],
)
def test_one_bad_case_leaves_the_others_their_points(
    zygote: Zygote, body: str, verdict: str
) -> None:
    """However a step goes down, what comes after it is tried in a fresh executor."""
    source = f"def f(n):\n  if n == 2:\n    {body}\n  return n\ndef h(n): return n\n"
    record = graded(zygote, CALLS, source)
    assert ["PASSED", verdict, "PASSED", "PASSED", "PASSED"] == verdicts(record)
    assert 1.75 == record.score
    assert len(said(record.cases[1])) >= 1


def test_too_much_output_in_one_step(zygote: Zygote) -> None:
    """A flood costs its own case only."""
    body = CALLS.replace("cpu_s: 0.2", "cpu_s: 2, output_chars: 1000")
    source = "def f(n):\n  while n == 2: print('x' * 99)\n  return n\ndef h(n): return n\n"
    record = graded(zygote, body, source)
    assert ["PASSED", "OUTPUT", "PASSED", "PASSED", "PASSED"] == verdicts(record)


def test_after_some_time_outs_a_group_is_not_run(zygote: Zygote) -> None:
    """An endless loop is not run forty times; what was not run is not called wrong."""
    source = "def f(n):\n  while True: pass\ndef h(n): return n\n"
    record = graded(zygote, CALLS, source)
    assert ["TIMED_OUT", "TIMED_OUT", "NOT_RUN", "NOT_RUN", "PASSED"] == verdicts(record)
    assert ["not_run.timeouts"] == said(record.cases[2])
    assert "3" == record.cases[2].expected


DEFINES = HEAD + "defines: [make_move, is_solved]\n"
NAMES = """
    groups: [{id: g, points: 1}, {id: h, points: 1}]
    sessions:
    - id: s
      steps:
      - {do: make_move(1), returns: '1', group: g}
      - {do: x = is_solved(1)}
      - {do: x, returns: '1', group: h}
"""


def named(zygote: Zygote, source: str) -> Record:
    """Return the record of `source`, which has names to define."""
    return grade(suite(NAMES, DEFINES), submission(source), zygote, Gate())


def test_a_missing_name_skips_the_cases_that_need_it(zygote: Zygote) -> None:
    """A function that is not there yet is named, and costs its own cases only."""
    record = named(zygote, "def make_move(n): return n\n")
    assert ["PASSED", "SKIPPED"] == verdicts(record)
    assert "is_solved" == record.cases[1].cause
    assert (message("skipped.name", name="is_solved", near=""),) == record.cases[1].explanation


def test_a_misspelt_name_is_offered(zygote: Zygote) -> None:
    """A name that is near is named as well."""
    record = named(zygote, "def make_move(n): return n\ndef isSolved(n): return n\n")
    expected = message("skipped.name_near", name="is_solved", near="isSolved")
    assert (expected,) == record.cases[1].explanation


@pytest.mark.parametrize(
    ("source", "remark"),
    [
        ("x = 1\n", "Your file does not define make_move, is_solved. "),
        ("", "Your file does not define make_move, is_solved. "),
        (
            "def makeMove(n): return n\n",
            "Your file does not define make_move, is_solved, but it does define makeMove. ",
        ),
    ],
)
def test_a_file_that_defines_nothing_of_it_cannot_be_graded(
    zygote: Zygote, source: str, remark: str
) -> None:
    """When every name is missing the file is for another exercise, or misspelt throughout."""
    record = named(zygote, source)
    assert Status.UNGRADABLE is record.status
    assert remarks(record)[0].startswith(remark)
    assert {"SKIPPED"} == set(verdicts(record))


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("def f(:\n", "ungradable.syntax"),
        ("def f():\nreturn 1\n", "ungradable.syntax"),
        ("if 1:\n\tx = 1\n        y = 2\n", "ungradable.syntax"),
        ("x = 'never closed\n", "ungradable.syntax"),
        ("print 'hello'\n", "ungradable.python2"),
        ("raise ValueError, 'no'\n", "ungradable.python2"),
        ("x = 1 <> 2\n", "ungradable.python2"),
        ("try: pass\nexcept ValueError, e: pass\n", "ungradable.python2"),
        ("x = 1\x00\n", "ungradable.source"),
        ("x = '\ud800'\n", "ungradable.source"),
        ("1 / 0\n", "ungradable.import.error"),
        ("import socket\nsocket.socket()\n", "ungradable.import.not_allowed"),
        ("import numpy_\n", "ungradable.import.error"),
        ("n = input()\n", "ungradable.import.input"),
        ("import helper\n", "ungradable.import.helper"),
        ("exit()\n", "ungradable.import.exited"),
        ("import os; os._exit(0)\n", "ungradable.import.exited"),
        ("import os; os.abort()\n", "ungradable.import.crashed"),
        ("x = 'x' * 10**12\n", "ungradable.import.memory"),
        ("while True: pass\n", "ungradable.import.timed_out"),
        ("while True: print('x' * 1000)\n", "ungradable.import.output"),
        (BLIND, "ungradable.import.tampered"),
    ],
)
def test_files_that_cannot_be_loaded(zygote: Zygote, source: str, key: str) -> None:
    """Each way in which a file cannot be loaded has its own remark, and no case is called wrong."""
    body = CALLS.replace("cpu_s: 0.2", "cpu_s: 0.2, output_chars: 10000")
    record = graded(zygote, body, source, helper="def broken(:\n")
    assert Status.UNGRADABLE is record.status
    assert [key] == [each.key for each in record.remarks]
    assert all(remarks(record))
    assert {"SKIPPED"} == set(verdicts(record))
    assert (0.0, 2.0) == (record.score, record.max_score)
    assert 5 == len(record.cases)


def test_a_syntax_error_is_shown_with_its_line(zygote: Zygote) -> None:
    """The line and the text of it stand in the remark."""
    record = graded(zygote, CALLS, "x = 1\ndef f(:\n  return 1\n")
    (remark,) = remarks(record)
    assert remark.startswith("sample.py is not valid Python, so nothing in it can be run. Line 2: ")
    assert remark.endswith("def f(:")


def test_source_that_is_too_deep_for_the_compiler(zygote: Zygote) -> None:
    """Source that the compiler refuses, or goes down on, is the submission's trouble alone."""
    for source in ("x = " + "(" * 5_000 + ")" * 5_000, "x = " + "-" * 100_000 + "1"):
        record = graded(zygote, CALLS, source + "\n")
        assert Status.UNGRADABLE is record.status
        assert remarks(record)
    assert graded(zygote, CALLS, "def f(n): return n\nh = f\n").score == 2.0


REFUSED = """
    limits: {cpu_s: 0.2}
    groups: [{id: g, points: 2}, {id: h, points: 1}]
    sessions:
    - id: s
      observers: [str(p)]
      steps:
      - {do: p = P()}
      - {do: p.no(1), raises: 'ValueError: no', group: g}
      - {do: p.no(2), raises: 'ValueError: no', group: g}
      - {do: p.x, returns: '0', group: h}
"""


@pytest.mark.parametrize(
    ("text", "refusal", "expected"),
    [
        ("return str(self.x)", "raise ValueError('no')", ["PASSED", "PASSED", "PASSED"]),
        (
            "return str(self.x)",
            "self.x += 1; raise ValueError('no')",
            ["WRONG", "WRONG", "PASSED"],
        ),
        ("return 5", "raise ValueError('no')", ["PASSED", "PASSED", "PASSED"]),
        ("raise KeyError", "self.x += 1; raise ValueError('no')", ["PASSED", "PASSED", "WRONG"]),
        ("import os; os._exit(0)", "raise ValueError('no')", ["PASSED", "PASSED", "PASSED"]),
        ("any(iter(int, 1))", "raise ValueError('no')", ["PASSED", "PASSED", "PASSED"]),
    ],
    ids=["kept", "changed", "no text", "raising text", "killing text", "endless text"],
)
def test_a_refused_action_may_change_nothing(
    zygote: Zygote, text: str, refusal: str, expected: list[str]
) -> None:
    """Looks before and after a refusal must agree; a look that fails is no witness, nor a fault."""
    source = f"""
        class P:
            x = 0
            def __str__(self): {text}
            def no(self, n): {refusal}
    """
    record = graded(zygote, REFUSED, source)
    assert expected == verdicts(record)
    if expected[0] == "WRONG":
        assert ["unchanged.differs"] == said(record.cases[0])


def test_printing_where_none_is_asked_is_remarked(zygote: Zygote) -> None:
    """Prints that were left in cost nothing, and are mentioned once."""
    record = graded(zygote, CALLS, "def f(n):\n  print('debug')\n  return n\nh = f\n")
    assert ["PASSED"] * 5 == verdicts(record)
    assert ["remark.prints"] == [each.key for each in record.remarks]


def test_hidden_sessions_are_judged_like_public_ones(zygote: Zygote) -> None:
    """How a session travels makes no difference for what comes of it."""
    source = """
        class P:
            def __init__(self, x): self.x = x
            def go(self, by): raise KeyError(by)
    """
    public = graded(zygote, ACTIONS, source)
    hidden = graded(
        zygote, ACTIONS.replace("- id: s\n", "- id: s\n      visibility: hidden\n"), source
    )
    assert verdicts(public) == verdicts(hidden)
    assert {"hidden"} == {case.visibility.value for case in hidden.cases}
    assert public.score == hidden.score


def test_the_files_of_the_suite_win(zygote: Zygote) -> None:
    """A submission cannot bring an easier puzzle under the name of ours; others it can read."""
    body = """
        files:
          puzzle.txt: hard
        groups: [{id: g, points: 1}]
        sessions:
        - id: s
          steps:
          - {do: f('puzzle.txt'), returns: "'hard'", group: g}
          - {do: "f('own' + '.txt')", returns: "'own'", group: g}
    """
    cheat = replace(
        submission("def f(name): return open(name).read()\n"),
        data={"puzzle.txt": b"easy", "own.txt": b"own"},
    )
    assert ["PASSED", "PASSED"] == verdicts(grade(suite(body), cheat, zygote, Gate()))


def test_a_submission_with_an_obstacle_is_not_run(zygote: Zygote) -> None:
    """What intake found is the remark; there is nothing else to say."""
    obstacle = message("ungradable.empty", file="sample.py")
    blocked = replace(submission("1 / 0\n"), obstacle=obstacle, remarks=(message("remark.prints"),))
    record = grade(suite(CALLS), blocked, zygote, Gate())
    assert Status.UNGRADABLE is record.status
    assert (obstacle, message("remark.prints")) == record.remarks
    assert ["skipped.ungradable"] == said(record.cases[0])


def test_a_fault_is_ours(zygote: Zygote) -> None:
    """A fault is told to everybody, its evidence to staff, and no case is called wrong."""
    record = Recorder(suite(CALLS), submission(""), zygote.isolation).fault("Traceback: ours")
    assert Status.FAULT is record.status
    assert {"FAULT"} == set(verdicts(record))
    assert {"Traceback: ours"} == {case.staff_evidence for case in record.cases}
    assert ["fault.ours"] == said(record.cases[0])
    assert "Traceback" not in " ".join(remarks(record))


def test_a_record_says_how_it_was_made(zygote: Zygote) -> None:
    """Hashes of the suite and of each file, versions, isolation and limits stand in the record."""
    whole = suite(CALLS)
    record = grade(whole, submission("def f(n): return n\nh = f\n"), zygote, Gate())
    assert whole.sha256 == record.conditions.suite_sha256
    assert zygote.isolation.level == record.conditions.isolation
    assert whole.limits == record.conditions.limits
    (file,) = record.files
    assert ("sample.py", 25, "utf-8") == (file.name, file.size_bytes, file.encoding)
    assert 64 == len(file.sha256)


@pytest.mark.parametrize(
    "values",
    [
        {"[0] * 30_000": "wrong.too_large.nodes", "loop": "wrong.too_large.depth"},
        {"'x' * 200_000": "wrong.too_large.text", "10**9_000": "wrong.too_large.digits"},
    ],
)
def test_monstrous_values_are_wrong_and_nothing_worse(
    zygote: Zygote, values: Mapping[str, str]
) -> None:
    """Huge or endless values are wrong answers with a sentence of their own."""
    for expression, key in values.items():
        source = (
            f"loop = []\nloop.append(loop)\ndef f(n): return {expression}\ndef h(n): return n\n"
        )
        record = graded(zygote, CALLS, source)
        assert [key] == said(record.cases[0])
        assert "PASSED" == verdicts(record)[-1]


def test_after_many_time_outs_nothing_new_is_tried(zygote: Zygote) -> None:
    """Endless loops in one group after another come to an end; what passed has passed."""
    groups = ", ".join(f"{{id: g{n}, points: 1}}" for n in range(5))
    steps = "\n".join(f"  - {{do: f({n}), returns: '{n}', group: g{n}}}" for n in range(5))
    body = (
        f"limits: {{cpu_s: 0.1, timeouts: 2}}\ngroups: [{groups}]\nsessions:\n- id: s\n  steps:\n"
    )
    record = graded(zygote, body + steps, "def f(n):\n  while n: pass\n  return n\n")
    assert ["PASSED", "TIMED_OUT", "TIMED_OUT", "NOT_RUN", "NOT_RUN"] == verdicts(record)


def test_an_import_that_fails_only_later_is_told(zygote: Zygote) -> None:
    """A file that loads once and not again fails its cases with the reason, never by passing."""
    source = """
        import sys
        frame = sys._getframe()
        while frame.f_code.co_name != "run":
            frame = frame.f_back
        if not frame.f_locals["request"]["binds"]:
            raise KeyError("second thoughts")
        def f(n): return n
    """
    body = """
        groups: [{id: g, points: 1}, {id: h, points: 1}]
        sessions:
        - {id: open, steps: [{do: f(1), returns: '1', group: g}]}
        - id: closed
          visibility: hidden
          steps:
          - {do: f(2), returns: '2', group: h}
          - {do: f(3), raises: ValueError, group: h}
    """
    record = graded(zygote, body, source)
    assert (Status.GRADED, 1.0) == (record.status, record.score)
    assert ["PASSED", "ERROR", "ERROR"] == verdicts(record)
    assert "KeyError: 'second thoughts'" == record.cases[1].got


def test_of_several_missing_names_the_same_one_is_told(zygote: Zygote) -> None:
    """A step that uses many missing names names the first of them, not a chance one."""
    names = [f"n{number}" for number in range(9)]
    body = f"""
    groups: [{{id: a, points: 1}}, {{id: b, points: 1}}]
    sessions:
    - id: one
      steps:
      - {{do: "[{", ".join(reversed(names))}]", group: a}}
      - {{do: f(), returns: "1", group: b}}
    """
    head = f"{HEAD}defines: [f, {', '.join(names)}]\n"
    record = grade(suite(body, head), submission("def f():\n    return 1\n"), zygote, Gate())
    assert ["n0", None] == [case.cause for case in record.cases]


ENDLESS_IN_HIDDEN_SESSIONS = """
    limits: {cpu_s: 0.1}
    groups: [{id: ends, points: 1}, {id: endless, points: 1}]
    sessions:
    - {id: seen, steps: [{do: ends(), returns: '1', group: ends}]}
""" + "".join(
    f"""
    - id: s{number}
      visibility: hidden
      steps:
      - {{do: endless(), returns: '1', group: endless}}
      - {{do: ends(), returns: '1', group: ends}}
"""
    for number in range(12)
)


def test_hidden_sessions_that_never_end_are_bounded(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some that ran out of time as a whole, only what can still earn points is tried."""
    timed_out: list[bool] = []
    run = SessionRunner.run

    def counting(self: SessionRunner, *plan: Any, **how: Any) -> SessionRun | None:
        done = run(self, *plan, **how)
        last = done.observations[-1].outcome if done and done.observations else None
        timed_out.append(isinstance(last, Died))
        return done

    monkeypatch.setattr(SessionRunner, "run", counting)
    source = """
        def ends():
            return 1

        def endless():
            while True:
                pass
    """
    record = graded(zygote, ENDLESS_IN_HIDDEN_SESSIONS, source)
    assert 1.0 == record.groups[0].points
    assert 0.0 == record.groups[1].points
    whole, of_group = 6, 2
    assert sum(timed_out) <= whole + of_group


def test_refusal_after_a_broken_setup_earns_nothing(zygote: Zygote) -> None:
    """Who refuses all refuses the set-up too: the right refusal was never tried."""
    body = """
        groups: [{id: refused, points: 1}]
        sessions:
        - id: s
          steps:
          - {do: c = C()}
          - {do: c.up()}
          - {do: c.up(), raises: ValueError, group: refused}
    """
    source = """
        class C:
            def up(self):
                raise ValueError
    """
    record = graded(zygote, body, source)
    assert (Verdict.SKIPPED, 0.0) == (record.cases[0].verdict, record.score)
