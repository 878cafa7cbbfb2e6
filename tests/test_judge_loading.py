"""Submissions that lack names, cannot be loaded or run with files of the suite."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import graded, submission, suite
from judged_calls import BLIND, CALLS, remarks, said, verdicts

from grader.judging.judge import grade
from grader.judging.record import Record
from grader.messages import message
from grader.sandbox.zygote import Zygote
from grader.verdict import Status

HEAD = """\
exercise: sample
title: Sample
language: en
module: sample
"""
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
    return grade(suite(NAMES, DEFINES), submission(source), zygote)


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
            "class Solution:\n    def make_move(self): pass\n    def is_solved(self): pass\n",
            "Your file defines make_move, is_solved only inside the class Solution. ",
        ),
        (
            "class A:\n    def make_move(self): pass\nclass B:\n    def is_solved(self): pass\n",
            "Your file does not define make_move, is_solved. ",
        ),
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
        (">>> def f():\n...     return 1\n", "ungradable.pasted"),
        ("def f():\n    return 1\n>>> f()\n1\n", "ungradable.pasted"),
        ("\n```python\ndef f(): pass\n```\n", "ungradable.pasted"),
        ("Python 3.12.1 (main, Dec  7 2023) [GCC] on linux\nx = 1\n", "ungradable.pasted"),
        ('def f():\n    """\n    >>> f(\n    """\n    return )\n', "ungradable.syntax"),
        ("print 'hello'\n", "ungradable.python2"),
        ("raise ValueError, 'no'\n", "ungradable.python2"),
        ("x = 1 <> 2\n", "ungradable.python2"),
        ("try: pass\nexcept ValueError, e: pass\n", "ungradable.python2"),
        ("x = 1\x00\n", "ungradable.source"),
        ("x = '\ud800'\n", "ungradable.source"),
        ("1 / 0\n", "loading.error"),
        ("import socket\nsocket.socket()\n", "loading.not_allowed"),
        ("import numpy_\n", "loading.error"),
        ("n = input()\n", "loading.input"),
        ("import helper\n", "loading.helper"),
        ("exit()\n", "loading.exited"),
        ("import os; os._exit(0)\n", "loading.exited"),
        ("import os; os.abort()\n", "loading.crashed"),
        ("x = 'x' * 10**12\n", "loading.memory"),
        ("while True: pass\n", "loading.timed_out"),
        ("while True: print('x' * 1000)\n", "loading.output"),
        (BLIND, "loading.tampered"),
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
    assert ["PASSED", "PASSED"] == verdicts(grade(suite(body), cheat, zygote))


def test_an_ungradable_submission_is_not_run(zygote: Zygote) -> None:
    """What intake found is the remark; there is nothing else to say."""
    reason = message("ungradable.empty", file="sample.py")
    blocked = replace(submission("1 / 0\n"), ungradable=reason, remarks=(message("remark.prints"),))
    record = grade(suite(CALLS), blocked, zygote)
    assert Status.UNGRADABLE is record.status
    assert (reason, message("remark.prints")) == record.remarks
    assert ["skipped.ungradable"] == said(record.cases[0])


def test_an_import_that_fails_only_later_is_told(zygote: Zygote) -> None:
    """A file that loads once and not again fails its cases with the reason, never by passing."""
    source = """
        import sys
        frame = sys._getframe()
        while "plans" not in frame.f_locals:
            frame = frame.f_back
        codes, _ = frame.f_locals["plans"][-1]
        if "g" in codes[-1].co_names:
            raise KeyError("second thoughts")
        def f(n): return n
        g = f
    """
    body = """
        groups: [{id: g, points: 1}, {id: h, points: 1}]
        sessions:
        - {id: open, steps: [{do: f(1), returns: '1', group: g}]}
        - id: closed
          visibility: hidden
          steps:
          - {do: g(2), returns: '2', group: h}
          - {do: g(3), raises: ValueError, group: h}
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
    record = grade(suite(body, head), submission("def f():\n    return 1\n"), zygote)
    assert ["n0", None] == [case.cause for case in record.cases]


@pytest.mark.parametrize("form", ["{}", "{}\nfrom math import *\nfrom random import *"])
def test_names_that_are_asked_for_are_found_among_any_number(zygote: Zygote, form: str) -> None:
    """What a star import brings along crowds out nothing that the exercise asks for."""
    many = "\n".join(f"name_{number} = {number}" for number in range(1_000))
    source = form.format("from many import *") + "\ndef make_move(n): return 2\n"
    record = grade(suite(NAMES, DEFINES), submission(source, many=many), zygote)
    assert ["WRONG", "SKIPPED"] == verdicts(record)
    right = f"{source}def is_solved(n): return 1\n"
    record = grade(suite(NAMES, DEFINES), submission(right, many=many), zygote)
    assert ["WRONG", "PASSED"] == verdicts(record)


def test_a_star_import_changes_no_built_in_of_a_step(zygote: Zygote) -> None:
    """`open` of `os` is no built-in, and nobody asks for it; who writes one meets it at home."""
    steps = """
        groups: [{id: g, points: 1}]
        writes: [a.txt]
        sessions:
        - id: s
          steps:
          - {do: save(), group: g}
          - {do: "open('a.txt').read()", returns: "'1'", group: g}
    """
    save = "def save(): io.open('a.txt', 'w').write('1')\n"
    star = f"import io\nfrom os import *\n{save}"
    own = f"import io\n{save}def open(name): return io.StringIO('2')\n"
    assert ["PASSED", "PASSED"] == verdicts(graded(zygote, steps, star))
    assert ["PASSED", "WRONG"] == verdicts(graded(zygote, steps, own))
