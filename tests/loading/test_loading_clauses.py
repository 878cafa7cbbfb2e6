"""Clauses: what settles a case is quoted from the spec, or is a reading of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from grader.judging.rules import KINDS
from grader.suite.clauses import SpecText
from grader.suite.files import load_whole_suite
from grader.suite.loading import InvalidSuite
from grader.suite.model import Suite

SPEC: Final = """\
# Box

A box has a size. Adding more than
fits   must raise
a `ValueError`.

## Removing

Removing more than there is must raise
a `KeyError`.
"""
PUBLIC: Final = """\
exercise: box
title: Box
language: en
module: box
defines: [Box]
clauses:
- {id: empty, reading: an empty box may be removed from}
groups: [{id: add, points: 2}, {id: free, points: 0}]
sessions:
- id: example
  steps:
  - {do: box = Box(3), group: add}
  - {do: box.add(4), group: free, raises: ValueError, clause: empty}
"""
HIDDEN: Final = """\
exercise: box
clauses:
- {id: fits, quote: Adding … must raise a `ValueError`}
- {id: twice, reading: adding twice is no mistake}
sessions:
- id: full
  steps:
  - {do: box = Box(3)}
  - {do: box.add(4), raises: ValueError, group: add, clause: fits}
  - {do: box.add(5), raises: ValueError, group: add, clause: fits, line: 1}
  - {do: box.add(1), group: free, clause: twice}
  - {do: box.add(2), group: add, clause: empty}
siblings:
- id: s1
  steps:
  - {do: Box(1).add(2), raises: ValueError, group: add, clause: fits}
"""


def loaded(
    folder: Path, hidden: str = HIDDEN, public: str = PUBLIC, spec: bytes | None = SPEC.encode()
) -> Suite:
    """Return the whole suite of these texts; there is no spec where that is None."""
    if spec is not None:
        (folder / "spec.md").write_bytes(spec)
    (folder / "box.yaml").write_text(public, encoding="utf-8")
    (folder / "box.hidden.yaml").write_text(hidden, encoding="utf-8")
    return load_whole_suite(folder / "box.yaml", KINDS)


def problems(
    folder: Path, hidden: str = HIDDEN, public: str = PUBLIC, spec: bytes | None = SPEC.encode()
) -> list[str]:
    """Return `line:column message` of all that is wrong with these texts."""
    with pytest.raises(InvalidSuite) as caught:
        loaded(folder, hidden, public, spec)
    return [
        f"{one.line}:{one.column} {one.message}".replace(str(folder), "")
        for one in caught.value.diagnostics
    ]


def changed(old: str, new: str, text: str = HIDDEN) -> str:
    """Return `text` with one change."""
    assert 1 == text.count(old)
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("quote", "line"),
    [
        ("A box has a size", 3),
        ("must raise a `ValueError`", 4),
        ("more than fits must raise", 3),
        ("than\n  fits\tmust", 3),
        ("Removing more", 9),
        ("Removing more … raise", 9),
        ("Removing \u2026 raise \u2026 `KeyError`", 10),
        ("more than \u2026 more than", 9),
        ("`KeyError`.\u2026", 10),
        ("\u2026 Box", 1),
        ("must raise an error", None),
        ("`KeyError` \u2026 `ValueError`", None),
        ("box Has", None),
        ("\u2026", None),
    ],
)
def test_quote_is_found_on_the_line_of_its_last_part(quote: str, line: int | None) -> None:
    """Blanks and line ends do not count, and parts follow each other; all else does."""
    assert line == SpecText(SPEC).find_line(quote)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_nothing_is_quoted_from_an_empty_text(text: str) -> None:
    """Marks of ellipsis alone are no words, and there are none to be found."""
    assert [None, None] == [SpecText(text).find_line(quote) for quote in ("a", "\u2026 \u2026")]


def test_cases_stand_on_the_line_that_their_clause_quotes(tmp_path: Path) -> None:
    """A step has the line of its clause, unless it names one; a reading has none."""
    full = loaded(tmp_path).sessions[1]
    assert [None, 4, 1, None, None] == [step.line for step in full.steps]
    assert [None, "fits", "fits", "twice", "empty"] == [step.clause for step in full.steps]


def test_lines_of_the_spec_are_part_of_the_hash(tmp_path: Path) -> None:
    """Records tell them: one that has others is another one, and what is not quoted is none."""
    before = loaded(tmp_path)
    same = loaded(tmp_path, spec=SPEC.replace("there is", "it has").encode())
    moved = loaded(tmp_path, spec=SPEC.replace("# Box\n", "# Box\n\n").encode())
    assert (before.sha256, before.asks) == (same.sha256, same.asks)
    assert before.sha256 != moved.sha256
    assert before.asks != moved.asks, "no record with the old lines is scored again"


def test_readings_of_the_public_suite_are_published(tmp_path: Path) -> None:
    """They settle hidden cases that earn points; those of the hidden suite stay with us."""
    whole = loaded(tmp_path)
    assert ["empty", "fits", "twice"] == [clause.id for clause in whole.clauses]
    assert ["an empty box may be removed from"] == whole.published_readings


def test_hidden_group_may_weigh_a_public_one_anew(tmp_path: Path) -> None:
    """Its points replace those of the public suite; title and place stay, and it needs no case."""
    groups = "groups: [{id: free, points: 0.5}, {id: own, points: 3}]\n"
    session = "- {id: o, steps: [{do: Box(1).size, returns: '1', group: own, clause: fits}]}\n"
    hidden = changed("- id: full\n", f"{session}- id: full\n").replace(
        "clause: twice", "clause: fits"
    )
    whole = loaded(tmp_path, changed("sessions:\n", f"{groups}sessions:\n", hidden))
    assert {"add": 2, "free": 0.5, "own": 3} == {each.id: each.points for each in whole.groups}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Adding …", "Putting …", "3:21 these words are not in /spec.md"),
        (
            "group: free, clause: twice",
            "group: add, clause: twice",
            "11:42 'twice' is an unpublished reading, and 'add' earns points",
        ),
        (
            "group: add, clause: empty",
            "group: add",
            "12:29 no clause settles this case of 'add', which earns points",
        ),
        ("clause: empty}", "clause: emty}", "12:42 unknown clause 'emty' (did you mean 'empty'?)"),
        (
            "Box(1).add(2), raises: ValueError, group: add, clause: fits",
            "Box(1).add(2), raises: ValueError, group: add, clause: fit",
            "16:65 unknown clause 'fit' (did you mean 'fits'?)",
        ),
        ("id: twice", "id: fits", "4:8 the id 'fits' is given twice"),
        ("id: twice", "id: empty", "4:8 the clause 'empty' is already in the public suite"),
        ("reading: adding", "reading: a, quote: adding", "4:3 this clause has both"),
        (", reading: adding twice is no mistake", "", "4:3 this clause has neither"),
        ("Box(3)}", "Box(3), clause: fits}", "8:24 'clause' has no effect without a group"),
    ],
)
def test_mistake(tmp_path: Path, old: str, new: str, said: str) -> None:
    """Each mistake in what settles the cases is told at its place."""
    found = problems(tmp_path, changed(old, new))
    assert said in [one[: len(said)] for one in found], found


@pytest.mark.parametrize("spec", [None, b"\xff\xfe\xfd"], ids=["not there", "no UTF-8"])
def test_spec_that_cannot_be_read_settles_nothing(tmp_path: Path, spec: bytes | None) -> None:
    """Where a clause quotes a text, the text has to be there."""
    reason = "No such file or directory" if spec is None else "it is not UTF-8"
    message = f"2:1 quotes cannot be checked: /spec.md cannot be read: {reason}"
    assert message in problems(tmp_path, spec=spec)


def test_readings_need_no_spec(tmp_path: Path) -> None:
    """Who quotes nothing needs no text to quote from."""
    readings = HIDDEN.replace("quote: Adding", "reading: Adding").replace("points: 2", "points: 0")
    assert loaded(tmp_path, readings, PUBLIC.replace("points: 2", "points: 0"), None).clauses


def test_clauses_of_the_public_suite_are_looked_up_too(tmp_path: Path) -> None:
    """A quote in a public suite is held against the spec that the suite names."""
    quoting = changed("reading: an", "quote: an", PUBLIC)
    (found,) = problems(tmp_path, public=quoting)
    assert "7:22 these words are not in /spec.md" == found
    unknown = changed("clause: empty", "clause: full", PUBLIC)
    assert ["13:63 unknown clause 'full'"] == problems(tmp_path, public=unknown)


def test_hidden_suite_without_clauses_is_as_it_was(tmp_path: Path) -> None:
    """An author who writes a few sessions need not say what settles them."""
    hidden = "exercise: box\nsessions: [{id: s, steps: [{do: Box(1), group: add}]}]\n"
    assert loaded(tmp_path, hidden, spec=None).sessions
