"""Notebooks as hand-ins: what goes wrong is told by cell."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from builders import HEAD, suite
from rich.console import Console

from grader.intake.notebooks import cell_at
from grader.intake.submissions import Entry
from grader.judging.record import Record
from grader.reporting.case_view import case_view
from grader.reporting.screen import print_screen
from grader.reporting.wording import Locale
from grader.run.tasks import Task
from grader.run.worker import grade_task
from grader.verdict import Status

BODY = """
groups: [{id: g, points: 1}]
limits: {cpu_s: 0.2}
sessions: [{id: s, steps: [{do: f(1), returns: "1", group: g}]}]
"""


def graded(folder: Path, *cells: str, head: str = HEAD) -> Record:
    """Return the record of a notebook with these cells of code."""
    written = [{"cell_type": "code", "source": cell} for cell in cells]
    (folder / "sample.ipynb").write_text(json.dumps({"cells": written}))
    return grade_task(Task(suite(BODY, head), Entry("ada", folder)))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (1, {"cell": 1, "cell_line": 0}),
        (3, {"cell": 1, "cell_line": 2}),
        (6, {"cell": 2, "cell_line": 1}),
    ],
)
def test_cells_are_found_from_their_headings(line: int, found: dict[str, int]) -> None:
    """The line of a cell is counted from its first one, and only notebooks have cells."""
    text = "# cell 1\na\nb\n\n# cell 2\nc"
    assert found == cell_at("a.ipynb", text, line)
    assert {} == cell_at("a.py", text, line)
    assert {} == cell_at("a.ipynb", "a\nb", 2)


@pytest.mark.parametrize(
    ("language", "place"), [("en", "(cell 2), line 3"), ("nl", "(cel 2), regel 3")]
)
def test_an_exception_is_told_by_cell(tmp_path: Path, language: str, place: str) -> None:
    """The line that raised is that of the cell."""
    record = graded(tmp_path, "x = 1", "\ndef f(n):\n    return 1 // 0")
    (case,) = record.cases
    source = case_view(case, record, Locale.for_language(language)).source
    assert source is not None
    assert f"sample.ipynb {place}" in source


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (("x = 1", "\n\ndef f(:"), "sample.ipynb (cell 2), line 3: this is not valid Python"),
        (("x = 1", "x // 0"), "sample.ipynb (cell 2) fails"),
        (
            ("def f(n): return 1 // n", "def g():\n    f(0)\ng()", "f(:"),
            "sample.ipynb (cell 2), line 3: ZeroDivisionError: integer division or modulo by zero",
        ),
        (("f(:", "def f(n): return n"), "sample.ipynb (cell 1), line 1 is not valid Python: "),
    ],
)
def test_what_cannot_be_loaded_is_told_by_cell(
    tmp_path: Path, cells: tuple[str, ...], said: str
) -> None:
    """So is what Python cannot read, and what fails while it is loaded."""
    console = Console(width=200, record=True, file=io.StringIO())
    print_screen(graded(tmp_path, *cells), console)
    assert said in console.export_text()


def test_the_cell_that_was_run_is_told(tmp_path: Path) -> None:
    """Not the one that defines what fails in it."""
    cells = ("def g(n):\n    return 1 // n", "\ng(0)")
    record = graded(tmp_path, *cells, head=HEAD.replace("[]", "[f]"))
    assert Status.UNGRADABLE is record.status
    told = dict(record.remarks[0].parameters)
    assert (2, 2) == (told["cell"], told["cell_line"])


RIGHT = "def f(n):\n    return 1"


@pytest.mark.parametrize(
    "cells",
    [
        ("f(1)", RIGHT),
        (RIGHT, "assert f(1) == 5", "x = f(1)"),
        ("name = input()", RIGHT),
        ("def g(:", "print('never closed", RIGHT),
        ("while True: pass", RIGHT, "while True: f(1)"),
        ("exit()", RIGHT),
        ("from google.colab import drive\ndrive.mount('/content')", RIGHT),
        ("import otter\ngrader = otter.Notebook()", RIGHT + "\ngrader.check('q1')"),
        ("from IPython.display import *\nimport IPython\nHTML('a')\ndisplay(Out[3], _)", RIGHT),
        ("get_ipython().run_line_magic('matplotlib', 'inline')\n%time v = 1", RIGHT, "v"),
        ("async def wait(): return 1\nv = await wait()", "def f(n): return v"),
        ("from __future__ import annotations", "def f(n: later): return 1"),
        ("files = !ls\nfor each in files: print(each)\nfiles.n + 1", "def f(n): return 1"),
        ("from ipywidgets import interact\n@interact(n=3)\n" + RIGHT,),
        ("help(print)\n" + RIGHT,),
        ("%%capture out\nprint(1)", "out.show()\n" + RIGHT),
    ],
)
def test_a_right_notebook_is_right_whatever_else_its_cells_do(
    tmp_path: Path, cells: tuple[str, ...]
) -> None:
    """A cell that fails takes nothing along, and what Jupyter gives is there."""
    assert 1.0 == graded(tmp_path, *cells).score


def test_a_wrong_notebook_is_wrong(tmp_path: Path) -> None:
    """What stands in a cell behind the statement that fails is not there."""
    record = graded(tmp_path, "def g(n): return 1", "1 // 0\nf = g")
    assert 0.0 == record.score
    (_, remark) = record.remarks
    assert "left_out.error" == remark.key
