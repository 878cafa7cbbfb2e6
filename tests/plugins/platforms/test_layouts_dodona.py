"""Exports of Dodona: the table says whose each file is, whatever the arrangement."""

from __future__ import annotations

import pytest
from named_sources import YINYANG, attempts, found, left_out, source

_HEADER = (
    "filename,id,username,last_name,first_name,full_name,email,status,submission_id,"
    "name_en,name_nl,exercise_id,created_at\n"
)


def _line(filename: str, who: str, number: int = 1, *, exercise: str = "Yin Yang") -> str:
    """Return a line of the table, with first and last name in each other's column."""
    first, _, last = who.partition(" ")
    return (
        f"{filename},{number},{first.lower()},{first},{last},{who},{first.lower()}@example.org,"
        f"correct,{number},{exercise},{exercise},77,2025-10-07 21:15:02 +0200\n"
    )


@pytest.mark.parametrize(
    ("file", "table"),
    [
        ("Yin Yang/Ann de Vos.py", "info.csv"),
        ("Ann de Vos/Yin Yang.py", "info.csv"),
        ("Ann de Vos/123.py", "info.csv"),
        ("Reeks 1/Yin Yang/Ann de Vos-1.py", "info.csv"),
    ],
)
@pytest.mark.parametrize("around", ["", "export/"])
def test_the_table_tells_whose_a_file_is(file: str, table: str, around: str) -> None:
    """In all three arrangements and with a folder around; the full name is the one that holds."""
    given = source(
        f"{around}{file}", texts={f"{around}{table}": _HEADER + _line(file, "Ann de Vos")}
    )
    recognition = found(given)
    assert "dodona" == recognition.layout
    expected = "Ann de Vos, user=ann, id=1, email=ann@example.org"
    name = file.rpartition("/")[2]
    assert [(expected, f"{name} 2025-10-07 21:15")] == attempts(recognition)


def test_a_file_without_content_is_nothing() -> None:
    """Dodona writes one for each student who has handed in nothing: it is nobody's hand-in."""
    lines = _line("E/Ann.py", "Ann") + _line("E/Bob.py", "Bob", 2)
    recognition = found(source("E/Bob.py", texts={"E/Ann.py": b"", "info.csv": _HEADER + lines}))
    assert ["Bob"] == [each.person.name for each in recognition.attempts]
    assert ["Ann"] == [person.name for person in recognition.missing]
    assert {} == left_out(recognition)


def test_several_exercises_are_told_apart_by_their_name() -> None:
    """Only hand-ins for the exercise that is graded count; the others are left out."""
    table = (
        _HEADER + _line("Yin Yang/Ann.py", "Ann") + _line("Akari/Ann.py", "Ann", exercise="Akari")
    )
    recognition = found(
        source("Yin Yang/Ann.py", "Akari/Ann.py", texts={"info.csv": table}), YINYANG
    )
    assert 1 == len(recognition.attempts)
    assert {"Akari/Ann.py": "it belongs to another exercise"} == left_out(recognition)


def test_a_table_of_something_else_is_none_of_dodona() -> None:
    """A student may hand in a file of that name."""
    given = source("ann/a.py", "bob/b.py", texts={"ann/info.csv": "filename,x\na.py,1\n"})
    assert "plain" == found(given).layout


def test_what_is_not_in_the_table_is_left_out() -> None:
    """Nothing leads out of the folder; who has a line and no file has handed in nothing."""
    lines = _line("E/Ann.py", "Ann") + _line("E/Gone.py", "Gone") + _line("../../E/x.py", "Eve")
    recognition = found(source("E/Ann.py", "E/New.py", texts={"info.csv": _HEADER + lines}))
    assert ["Ann.py", "", ""] == [", ".join(each.leaves) for each in recognition.attempts]
    assert {"E/New.py": "it is not listed in info.csv"} == left_out(recognition)


def test_a_row_that_ends_before_its_file_name_is_no_hand_in() -> None:
    """The table is hostile input: it never stops the others from being graded."""
    table = "id,filename\n1,ann/a.py\n2\n"
    recognition = found(source("ann/a.py", texts={"info.csv": table}))
    assert ("dodona", 1) == (recognition.layout, len(recognition.attempts))


def test_a_row_without_its_file_is_told() -> None:
    """Its student is there, with nothing, and a teacher sees that a file is gone."""
    table = _HEADER + _line("ann.py", "Ann Maes") + _line("bob.py", "Bob Vos", 2)
    recognition = found(source("ann.py", texts={"info.csv": table}))
    assert ["ann.py 2025-10-07 21:15", "nothing 2025-10-07 21:15"] == [
        what for _, what in attempts(recognition)
    ]
    assert ("Bob Vos: the file listed in info.csv is missing",) == recognition.guesses
