"""Code that students were given, and left as it was, is none of theirs; what they changed is."""

from __future__ import annotations

from typing import Final

import pytest
from builders import HEAD, submission
from builders import suite as parse
from surveyed_sources import digests

from grader.judging.judge import grade
from grader.judging.record import Record
from grader.reporting.index_entry import IndexEntry
from grader.reporting.index_page import index_page
from grader.reporting.student_page import student_page
from grader.sandbox.zygote import Zygote
from grader.suite.diagnostics import InvalidSuite
from grader.verdict import RuleVerdict

GIVEN: Final = '''
def show(board):
    """Show the board."""
    rows = [list(row) for row in board]
    if type(rows) == list: print(rows)
'''
TABLE: Final = "TABLE = ((0, 3), (1, 3), (2, 3), (0, 5), (1, 5), (2, 5))\n"
OWN: Final = "def rays(column):\n    return {(row, column) for row in range(3)}\n"
BODY: Final = """\
defines: [rays]
advice: true
handed_out:
  show: ["{show}"]
  TABLE: ["{table}"]
groups: [{{id: rays, points: 3}}]
rules:
  constructs: [{{forbid: [list comprehension]}}]
  docstrings: [{{}}]
  interference: [{{}}]
sessions:
- id: s
  steps:
  - {{do: 'rays(3)', returns: '{{(0, 3), (1, 3), (2, 3)}}', group: rays}}
  - {{do: 'rays(5)', returns: '{{(0, 5), (1, 5), (2, 5)}}', group: rays}}
- id: t
  visibility: hidden
  steps:
  - {{do: 'rays(2)', returns: '{{(0, 2), (1, 2), (2, 2)}}', group: rays, case: h2}}
  - {{do: 'rays(7)', returns: '{{(0, 7), (1, 7), (2, 7)}}', group: rays, case: h7}}
  - {{do: 'rays(9)', returns: '{{(0, 9), (1, 9), (2, 9)}}', group: rays, case: h9}}
"""


def record_of(zygote: Zygote, source: str) -> Record:
    """Return the record of `source`, where GIVEN and TABLE were handed out."""
    found = digests(zygote, f"{GIVEN}{TABLE}", "show", "TABLE")
    body = BODY.format(show=found["show"], table=found["TABLE"])
    return grade(parse(body, HEAD.replace("defines: []\n", "")), submission(source), zygote)


@pytest.mark.parametrize(
    "written",
    [
        GIVEN.replace("Show the board.", "Muestra el tablero."),
        GIVEN.replace("    rows", "    # mine\n\n    rows").replace("list(row)", "(list( row ))"),
    ],
)
def test_same_code_has_the_same_digest(zygote: Zygote, written: str) -> None:
    """Docstrings, comments and blanks make no difference to what code says."""
    assert digests(zygote, GIVEN, "show") == digests(zygote, written, "show")


@pytest.mark.parametrize(
    "written",
    [
        GIVEN.replace("print(rows)", "print(row)"),
        GIVEN.replace("print(rows)", "print(rows, 1)"),
        GIVEN.replace("==", "is"),
        GIVEN.replace('"""Show the board."""', '"""Show the board."""; "x"'),
        f"@print\n{GIVEN.lstrip()}",
    ],
)
def test_other_code_has_another_digest(zygote: Zygote, written: str) -> None:
    """Whatever else is changed makes it the student's own."""
    assert digests(zygote, GIVEN, "show") != digests(zygote, written, "show")


def test_huge_numbers_have_digests_too(zygote: Zygote) -> None:
    """Python writes no number of thousands of digits in decimals; in a source it may stand."""
    one, other = (f"TABLE = 0x{digit * 9_000}\n" for digit in "12")
    assert digests(zygote, one, "TABLE") != digests(zygote, other, "TABLE")


def with_given(*, changed: bool) -> str:
    """Return a submission with code that was given, as it was or as a student has changed it."""
    if changed:
        return f"{GIVEN.replace('Show the board.', '')}    return rows\n{OWN}"
    return f"{GIVEN}{OWN.replace('    ret', '    ' + chr(34) * 6 + chr(10) + '    ret')}"


@pytest.mark.parametrize(
    ("changed", "verdict"), [(False, RuleVerdict.PASSED), (True, RuleVerdict.BROKEN)]
)
def test_given_code_breaks_no_rule(zygote: Zygote, *, changed: bool, verdict: RuleVerdict) -> None:
    """What it does is not the student's doing; changed, it is."""
    record = record_of(zygote, with_given(changed=changed))
    assert [verdict, RuleVerdict.PASSED, verdict] == [rule.verdict for rule in record.rules]


def test_given_table_is_no_copied_answer(zygote: Zygote) -> None:
    """Answers that stand in code that was given were not copied into it by the student."""
    wrong = OWN.rstrip() + " if column in (3, 5) else 0\n"
    (cheat,) = record_of(zygote, f"{TABLE.replace('TABLE', 'OTHER')}{wrong}").staff_remarks
    assert "staff.hard_coded" == cheat.key
    assert () == record_of(zygote, f"{TABLE}{wrong}").staff_remarks
    edited = record_of(zygote, f"{TABLE.replace('(0, 3), ', '(0, 3),  (1, 1), (0, 3), ')}{wrong}")
    assert ["staff.hard_coded"] == [each.key for each in edited.staff_remarks]


def test_staff_read_what_is_printed_unasked(zygote: Zygote) -> None:
    """The beginning of it, on one line, unless it is hidden; students hear that there is some."""
    source = OWN.replace("    return", "    print('Cheating with\\n<b>', column)\n    return")
    record = record_of(zygote, source)
    (told,) = record.staff_remarks
    assert {"text": "Cheating with⏎<b> 3 | Cheating with⏎<b> 5"} == dict(told.parameters)
    entry = IndexEntry.of(record, "x.html")
    page = index_page([entry], language="en", interrupted=False)
    assert () == entry.staff_remarks
    assert "Cheating with⏎&lt;b&gt; 3" in page
    assert "Cheating" not in student_page(record).partition('id="code"')[0]


@pytest.mark.parametrize("name", ["m.show", "x.y"])
def test_name_in_another_module_is_refused(name: str) -> None:
    """What is handed out is in a module that students hand in."""
    text = BODY.format(show="0" * 64, table="0" * 64).replace("  show:", f"  {name}:")
    with pytest.raises(InvalidSuite, match="not in a module that students hand in"):
        parse(text, HEAD.replace("defines: []\n", ""))
