"""Downloads of Moodle: folders and none, teams, blind marking, text that was typed in."""

from __future__ import annotations

import pytest
from named_sources import attempts, found, left_out, source

_FILE = "assignsubmission_file"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(
            ["Ann Peeters_123_assignsubmission_file/src/yinyang.py"],
            [("Ann Peeters, id=123", "src/yinyang.py")],
            id="a folder for a student",
        ),
        pytest.param(
            ["Ann Peeters_123_assignsubmission_file_/yinyang.py"],
            [("Ann Peeters, id=123", "yinyang.py")],
            id="up to 4.0",
        ),
        pytest.param(
            ["Ann Peeters_123_assignsubmission_file_my_yinyang.py"],
            [("Ann Peeters, id=123", "my_yinyang.py")],
            id="no folders",
        ),
        pytest.param(
            ["INF1-Yin Yang-99/José Mª d'Hondt-van der Aa_7_assignsubmission_file/a.py"],
            [("José Mª d'Hondt-van der Aa, id=7", "a.py")],
            id="a folder around all, and a name with a hyphen",
        ),
        pytest.param(
            [
                "Ann Peeters_1_assignsubmission_file/work/yinyang.py",
                "Li_2_assignsubmission_file/y.py",
            ],
            [("Ann Peeters, id=1", "work/yinyang.py"), ("Li, id=2", "y.py")],
            id="a name of one word",
        ),
        pytest.param(
            [f"u0123{n} Ann Peeters_{n}_{_FILE}/a.py" for n in (1, 2)],
            [
                ("Ann Peeters, user=u01231, id=1", "a.py"),
                ("Ann Peeters, user=u01232, id=2", "a.py"),
            ],
            id="user names first, and two of one name",
        ),
        pytest.param(
            [f"u{n}_Ann Peeters_{n}_{_FILE}/a.py" for n in (1, 2)],
            [("Ann Peeters, user=u1, id=1", "a.py"), ("Ann Peeters, user=u2, id=2", "a.py")],
            id="user names first, of a site that leaves the underscore",
        ),
        pytest.param(
            [f"G{n} Alfa_{n}_{_FILE}/a.py" for n in (1, 2)],
            [("G1 Alfa, id=1", "a.py"), ("G2 Alfa, id=2", "a.py")],
            id="teams with a number are no user names",
        ),
        pytest.param(
            [f"Deelnemer_{n}_{_FILE}/a.py" for n in (1, 2)],
            [("-, id=1", "a.py"), ("-, id=2", "a.py")],
            id="blind",
        ),
        pytest.param([f"Participant_7_{_FILE}/a.py"], [("-, id=7", "a.py")], id="blind, one"),
        pytest.param(
            [f"Groep 5_81_{_FILE}/a.py", f"Groep 6_82_{_FILE}/a.py", f"Default group_{_FILE}/b.py"],
            [("Default group", "b.py"), ("Groep 5, id=81", "a.py"), ("Groep 6, id=82", "a.py")],
            id="teams, from 4.2 on",
        ),
        pytest.param(
            [
                f"Team 1-Ann_1_{_FILE}/a.py",
                f"Team 1-Bob_2_{_FILE}/a.py",
                f"Team 2-Cas_3_{_FILE}/a.py",
            ],
            [("Team 1: Ann, id=1 + Bob, id=2", "a.py"), ("Team 2: Cas, id=3", "a.py")],
            id="teams, before",
        ),
        pytest.param(
            [
                f"A-Ann_1_{_FILE}/a.py",
                f"A-Bob_2_{_FILE}/b.py",
                f"A-Cas_3_{_FILE}/a.py",
            ],
            [("Ann, id=1", "a.py"), ("Bob, id=2", "b.py"), ("Cas, id=3", "a.py")],
            id="a group of students who hand in alone",
        ),
        pytest.param(
            [f"Anne-Marie Maes_1_{_FILE}/a.py", f"Anne-Sophie Maes_2_{_FILE}/b.py"],
            [("Anne-Marie Maes, id=1", "a.py"), ("Anne-Sophie Maes, id=2", "b.py")],
            id="two whose names begin alike are no team",
        ),
    ],
)
def test_names_tell_student_and_id(names: list[str], expected: list[tuple[str, str]]) -> None:
    """The name, the id that the gradebook has too, and the tree as it was handed in."""
    recognition = found(source(*names))
    assert "moodle" == recognition.layout
    assert expected == attempts(recognition)


def test_typed_text_counts_where_there_is_nothing_else() -> None:
    """Beside a file it would only be in the way."""
    given = source(
        "Ann_1_assignsubmission_file/yinyang.py",
        "Ann_1_assignsubmission_onlinetext/onlinetext.html",
        "Bob_2_assignsubmission_onlinetext/onlinetext.html",
    )
    assert [("Ann, id=1", "yinyang.py"), ("Bob, id=2", "onlinetext.html")] == attempts(found(given))


def test_feedback_was_not_handed_in() -> None:
    """Comments that a teacher gave lie beside the files that they are about."""
    comments = "Ann_1_assignfeedback_comments/comments.html"
    recognition = found(source("Ann_1_assignsubmission_file/yinyang.py", comments))
    assert [("Ann, id=1", "yinyang.py")] == attempts(recognition)
    assert {comments: "it is feedback, not a hand-in"} == left_out(recognition)


def test_an_empty_folder_is_a_student_with_nothing() -> None:
    """Whoever has a folder is told of, files or none."""
    given = source("Ann_1_assignsubmission_file/a.py", empty=("Bob_2_assignsubmission_file",))
    assert [("Ann, id=1", "a.py"), ("Bob, id=2", "nothing")] == attempts(found(given))


def test_what_an_editor_left_behind_is_no_file() -> None:
    """Neither `__pycache__` nor `.idea` belongs to what was handed in."""
    folder = "Ann_1_assignsubmission_file"
    given = source(f"{folder}/a.py", f"{folder}/__pycache__/a.pyc", f"{folder}/.idea/x.xml")
    assert [("Ann, id=1", "a.py")] == attempts(found(given))
