"""Repairs: what is proposed, what counts as a proof, and who reads of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from builders import submission, suite
from command_line import grader
from read_pages import Reader

from grader.judging.judge import grade
from grader.judging.record import Record, Repair
from grader.plugins.repairs import searching
from grader.plugins.repairs.proposer import Proposer
from grader.plugins.repairs.proposing import instrument, propose
from grader.plugins.repairs.searching import repaired
from grader.reporting.repair_view import repair_lines, repair_notes, repair_sentence
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.reporting.wording import LANGUAGES, Locale, catalog
from grader.run.worker import Worker
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite

# What is proposed

MENDED: Final[Mapping[str, tuple[str, str, str]]] = {
    "comparison": ("def f(x):\n    return x > 1\n", "x > 1", "x >= 1"),
    "number": ("def f(x):\n    return x + 4\n", "4", "5"),
    "bound": ("def f(x):\n    return x[i]\ni = 0\n", "i]", "i + 1]"),
    "condition, other index": (
        "def f(p):\n    if p[0] < 0:\n        return 1\n",
        "p[0] < 0:",
        "(p[0] < 0 or p[1] < 0):",
    ),
    "condition, from elsewhere": (
        "def f(r, k):\n    return r > k\ndef g(r, k):\n    if not r:\n        return k\n",
        "not r:",
        "(not r or r > k):",
    ),
    "missing_statement": (
        "def f(x):\n    y = [x]\n    assert x, 'no'\n    return y * 2\ndef g(x):\n    return x\n",
        "def g(x):\n    return x",
        "def g(x):\n    assert x, 'no'\n    return x",
    ),
    "missing_statement, at the end": (
        "class C:\n    def f(self):\n        self.x = 1\n",
        "self.x = 1",
        "self.x = 1\n        return self",
    ),
    "result": (
        "def f(x):\n    if x:\n        return None\n    raise ValueError('no')\n",
        "return None",
        "raise ValueError('no')",
    ),
    "value, attribute": (
        "class C:\n    def f(self):\n        self.w = self.z = 1\n        return self.w\n",
        "return self.w",
        "return self.z",
    ),
    "value, of the class": (
        "class C:\n    def f(self, n):\n        C.n = n\n",
        "C.n = n",
        "self.n = n",
    ),
    "value, number": ("def f(n):\n    return 36\n", "36", "n"),
    "value, text": ("def f(n):\n    return 'a' if n else 'b'\n", "'a'", "'b'"),
    "member": ("def f(x, y):\n    return [x], (y, x)\n", "[x]", "[x, y]"),
    "member, letter": ("def f(x):\n    return x in 'W-', x in 'B'\n", "'W-'", "'W-B'"),
    "call, with a name": (
        "def f(x):\n    return sorted(x), min(x, key=len)\n",
        "sorted(x)",
        "sorted(x, key=len)",
    ),
    "call, by another value": (
        "def f(x):\n    return sorted(x, key=abs), min(x, key=len)\n",
        "abs",
        "len",
    ),
    "place, out": (
        "def f(x):\n    for y in x:\n        print(y)\n        return y\n",
        "        return y",
        "        pass\n    return y",
    ),
    "place, before": (
        "def f(x):\n    x.pop()\n    assert x\n",
        "x.pop()\n    assert x",
        "assert x\n    x.pop()",
    ),
    "swap": ("def f(a, b):\n    return a\n", "(a, b)", "(b, a)"),
    "swap, indices": ("def f(a, i, j):\n    return a[i][j]\n", "a[i][j]", "a[j][i]"),
    "like_its_twin": (
        (
            "def f_up(a):\n    up = a\n    print(up)\n    assert up\n    return up\n"
            "def f_down(a):\n    down = a\n    print(down)\n    return down\n"
        ),
        "    print(down)\n",
        "    print(down)\n    assert down\n",
    ),
}


@pytest.mark.parametrize("case", MENDED)
def test_each_kind_of_mistake_has_its_edit(case: str) -> None:
    """What is wrong, once, is among what is proposed with what should stand there."""
    source, wrong, right = MENDED[case]
    assert 1 == source.count(wrong)
    lines = range(1, source.count("\n") + 1)
    _, made = json.loads(propose("sample", source, dict.fromkeys(lines, 1.0), 10_000))
    texts = {_edited(source, changes) for _, (kind, *_, changes, _) in made if _is(kind, case)}
    assert source.replace(wrong, right) in texts


def _is(kind: str, case: str) -> bool:
    return kind == case.partition(",")[0]


def _edited(source: str, changes: list[tuple[int, int, str]]) -> str:
    for low, high, text in sorted(changes, reverse=True):
        source = source[:low] + text + source[high:]
    return source


def test_small_edits_of_suspicious_lines_come_first() -> None:
    """Of like edits the one in the line that is suspected most has its turn first."""
    source = "def f(x):\n    y = x + 10\n    return y + 20\n"
    _, made = json.loads(propose("sample", source, {2: 0.2, 3: 1.0}, 10_000))
    numbers = [told[1] for _, told in made if told[0] == "number"]
    assert [3, 3, 2, 2] == numbers


def test_nothing_is_proposed_where_nothing_is_suspected() -> None:
    """A line that did not run where something failed is left alone."""
    source = "def f(x):\n    return x + 10\n"
    assert [[], []] == json.loads(propose("sample", source, {}, 10_000))
    assert [] == json.loads(propose("sample", source, {2: 1.0}, 0))[1]


def test_lines_that_ran_are_noted() -> None:
    """Each statement of a function notes its line, in branches and handlers too."""
    source = (
        "from __future__ import annotations\n"
        "def f(x):\n"
        "    try:\n"
        "        if x:\n"
        "            return 1 / 0\n"
        "    except ZeroDivisionError:\n"
        "        return 2\n"
        "    return 3\n"
    )
    names: dict[str, object] = {}
    exec(instrument(source), names)
    assert 2 == names["f"](1)  # type: ignore[operator] # a function
    assert {3, 4, 5, 7} == names["_lines_that_ran"]


# What counts as a proof

COUNTING: Final = """\
{more}
groups: [{{id: low, points: 2}}, {{id: high, points: 3}}]
sessions:
  - id: first
    steps:
      - {{do: low(1), returns: "True", group: low}}
      - {{do: low(2), returns: "True", group: low}}
      - {{do: low(3), returns: "False", group: low}}
  - id: second
    steps:
      - {{do: high(3), returns: "True", group: high}}
      - {{do: high(2), returns: "False", group: high}}
"""
WRONG: Final = """\
def low(x):
    return x < 2


def high(x):
    return x > 2
"""
STAFF: Final = "repairs: staff"


def counting(more: str = STAFF) -> Suite:
    """Return the suite of two functions, with `more` in it."""
    return suite(COUNTING.format(more=more))


def searched(zygote: Zygote, source: str, asked: Suite | None = None) -> Record:
    """Return the record of `source` with the repairs that are found for it."""
    asked, handed_in = asked or counting(), submission(source)
    return repaired(asked, handed_in, grade(asked, handed_in, zygote), zygote)


def test_the_smallest_edit_is_found_and_told_by_its_lines(zygote: Zygote) -> None:
    """A repair says in which line it is, of what kind, and what stands there before and after."""
    expected = Repair(
        group="low",
        file="sample.py",
        line=2,
        first=2,
        before="    return x < 2",
        after="    return x <= 2",
        kind="comparison",
        is_told=False,
    )
    found = searched(zygote, WRONG)
    assert (expected,) == found.repairs
    assert found == searched(zygote, WRONG)


def test_one_edit_is_the_repair_of_all_groups_that_it_mends(zygote: Zygote) -> None:
    """Where a helper is wrong, both of its callers are told the same."""
    source = (
        "def beyond(x):\n    return x > 1\n\n\n"
        "def low(x):\n    return not beyond(x)\n\n\ndef high(x):\n    return beyond(x)\n"
    )
    repairs = searched(zygote, source).repairs
    assert [("low", 2), ("high", 2)] == [(each.group, each.line) for each in repairs]
    assert {"    return x > 2"} == {each.after for each in repairs}


def test_of_two_mistakes_the_dearer_one_has_a_repair(zygote: Zygote) -> None:
    """What no single edit mends is looked at in the group that lost most."""
    (repair,) = searched(zygote, WRONG.replace("x > 2", "x >= 2")).repairs
    assert ("high", 6) == (repair.group, repair.line)


def test_an_edit_that_breaks_something_else_is_no_proof(zygote: Zygote) -> None:
    """Two groups that ask the opposite of one function cannot both be mended."""
    body = COUNTING.format(more=STAFF).replace("do: high(", "do: low(")
    source = "def low(x):\n    return x < 3\n"
    assert () == searched(zygote, source, suite(body)).repairs


@pytest.mark.parametrize(
    "source",
    [
        WRONG.replace("x < 2", "2"),
        "import sys\ndef low(x):\n    sys.exit()\ndef high(x):\n    return x > 2\n",
        "def high(x):\n    return x > 2\n",
        "low = high = None\n",
    ],
)
def test_what_has_no_small_repair_gets_none(zygote: Zygote, source: str) -> None:
    """A constant answer, an exit, a missing name: nothing is made up."""
    assert all(each.group == "low" for each in searched(zygote, source).repairs)


def test_a_file_may_do_what_it_likes_when_it_is_run_with_edits(zygote: Zygote) -> None:
    """A submission that looks for the edited modules can at most spoil its own repair."""
    source = (
        "import sys\n"
        "if any(name.startswith('_edit_') for name in sys.modules):\n    sys.exit()\n" + WRONG
    )
    assert () == searched(zygote, source).repairs


def test_a_search_comes_to_its_end(zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the runs of a hand-in are used up, it has no repair; runs that are ended use up more."""
    monkeypatch.setattr(searching, "MAX_RUNS", 1)
    assert () == searched(zygote, WRONG).repairs
    monkeypatch.setattr(searching, "MAX_RUNS", 300)
    assert () != searched(zygote, WRONG).repairs
    monkeypatch.setattr(searching, "_RUNS_IF_KILLED", 300)
    endless = WRONG.replace("    return x < 2", "    while x < 1:\n        pass\n    return x < 2")
    assert () == searched(zygote, endless).repairs


def test_line_ends_do_not_matter(zygote: Zygote) -> None:
    """A file with the line ends of another system has the same repair."""
    (repair,) = searched(zygote, WRONG.replace("\n", "\r\n")).repairs
    assert ("    return x < 2", "    return x <= 2") == (repair.before, repair.after)


def test_what_cannot_be_read_has_no_edits(zygote: Zygote) -> None:
    """Neither what is no Python nor what takes a parser down is an error of ours."""
    proposer = Proposer(zygote)
    for source in ("def f(:\n", "(" * 100_000, "\0", "-" * 100_000 + "1\n"):
        assert proposer.instrument(source) is None
        assert [] == [*proposer.propose("sample", source, {1: 1.0}, 10)]


def test_private_names_and_nested_functions_can_be_mended(zygote: Zygote) -> None:
    """A method is tried as it is in its class, a function with the variables around it."""
    source = (
        "class Limit:\n"
        "    def __init__(self):\n        self.__most = 2\n\n"
        "    def __low(self, x):\n        def within(y):\n            return y < self.__most\n"
        "        return within(x)\n\n\n"
        "    def low(self, x):\n        return self.__low(x)\n\n\n"
        "def low(x):\n    return Limit().low(x)\n\n\ndef high(x):\n    return x > 2\n"
    )
    (repair,) = searched(zygote, source).repairs
    assert "            return y <= self.__most" == repair.after


# Who asks for it


def test_nothing_is_searched_unless_the_suite_asks() -> None:
    """Without the key a record has no repairs, and with it those of what fails only."""
    right = WRONG.replace("x < 2", "x <= 2")
    with Worker() as worker:
        for asked, source, found in (
            (counting(""), WRONG, 0),
            (counting(), right, 0),
            (counting(), "low = 3 +\n", 0),
            (counting(), WRONG, 1),
        ):
            handed_in = submission(source)
            record, _ = worker.grade(asked, handed_in)
            assert found == len(worker.add_repairs(asked, handed_in, record).repairs)


# Who reads of it


def words_of(page: str) -> str:
    """Return the text of `page` in one line."""
    return " ".join("".join(Reader(page).text).split())


def test_students_read_the_line_and_the_kind_where_the_suite_says_so(zygote: Zygote) -> None:
    """The edit itself is for staff, and so is everything where the suite says `staff`."""
    said = "One small change at line 2 of sample.py"
    for more, is_told in ((STAFF, False), ("repairs: students", True)):
        record = searched(zygote, WRONG, counting(more))
        page = words_of(student_page(record))
        assert is_told == (said in page)
        assert "x <= 2" not in page
        sheet = words_of(defence_sheet(record))
        assert "- 2: return x < 2" in sheet
        assert "+ 2: return x <= 2" in sheet


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_kind_has_words_in_each_language(language: str) -> None:
    """Whatever is proposed can be told."""
    locale = Locale.of(language)
    kinds = {case.partition(",")[0] for case in MENDED} | {"calculation", "call", "statement"}
    assert {f"report.repair_{kind}" for kind in (*kinds, "text", "told", "proven")} == {
        key for key in catalog(language) if key.startswith("report.repair_")
    }
    assert all(locale(f"repair_{kind}") for kind in kinds)


def test_what_is_told_is_foreign_text(zygote: Zygote) -> None:
    """Nothing of the file is markup, and nothing of it takes more than its lines."""
    (repair,) = searched(zygote, WRONG, counting("repairs: students")).repairs
    hostile = "<script>\x1b[2J" + "x" * 5_000
    many = replace(repair, before=hostile, after="\n".join([hostile] * 500), file=hostile)
    record = replace(searched(zygote, WRONG), repairs=(many,))
    assert "<script>\x1b" not in defence_sheet(record) + student_page(record)
    lines = [*repair_notes(record, Locale.of("en")), *repair_lines("low", record)]
    assert not any("\x1b" in line or len(line) > 300 for line in lines)
    assert len(lines) <= 20
    assert None is repair_sentence("high", record, Locale.of("en"))


def test_a_run_keeps_repairs_and_shows_them_to_staff(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """`results.json` and `grader show` have the edit."""
    (tmp_path / "testsuites").mkdir()
    head = "exercise: sample\ntitle: Sample\nlanguage: en\nmodule: sample\ndefines: [low, high]\n"
    (tmp_path / "testsuites/sample.yaml").write_text(head + COUNTING.format(more=STAFF))
    (tmp_path / "in").mkdir()
    (tmp_path / "in/ann.py").write_text(WRONG)
    out = str(tmp_path / "run")
    asked = ("--suites", str(tmp_path / "testsuites"), "--exercise", "sample", "--out", out)
    assert 0 == grader(capfd, "grade", str(tmp_path / "in"), *asked, "--jobs", "1").code
    (entry,) = json.loads((tmp_path / "run/results.json").read_text())["submissions"]
    assert ["low"] == [each["group"] for each in entry["repairs"]]
    shown = grader(capfd, "show", out, "ann")
    assert "+ 2:     return x <= 2" in shown.out
