"""No platform: folders, files and archives named after students; several layouts; patterns."""

from __future__ import annotations

import re

import pytest
from named_sources import YINYANG, attempts, found, left_out, source

from grader.errors import UsageError
from grader.intake.layouts import recognise_layouts
from grader.intake.layouts.recognition import KnownExercise, compile_pattern
from grader.messages import message


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ann.py", "Bob Maes/src/a.py"], [("Bob Maes", "src/a.py"), ("ann", "ann.py")]),
        (["ann.docx", "bob.ipynb"], [("ann", "ann.docx"), ("bob", "bob.ipynb")]),
        (["yinyang.py"], [("-", "yinyang.py")]),
        (["all/ann/a.py", "all/bob/a.py"], [("ann", "a.py"), ("bob", "a.py")]),
        (["ann/src/a.py", "ann/tests/a.py"], [("ann", "src/a.py, tests/a.py")]),
        (
            ["ann/work.zip/a.py", "ann/work.tar.gz/a.py"],
            [("ann", "work.tar.gz/a.py, work.zip/a.py")],
        ),
        (["ann/a.py", "ann/src/b.py"], [("ann", "a.py, src/b.py")]),
    ],
)
def test_a_folder_has_one_folder_or_file_for_each_student(
    names: list[str], expected: list[tuple[str, str]]
) -> None:
    """A folder around all is nobody, where there is no Python file in it itself."""
    recognition = found(source(*names, name="in"))
    assert "plain" == recognition.layout
    assert expected == attempts(recognition)


@pytest.mark.parametrize(
    "names",
    [
        ["yinyang.py"],
        ["oplossing.py"],
        ["yinyang.py", "hulp.py"],
        ["ann/yinyang.py"],
        ["work/src/oplossing.py", "work/tests/proef.py"],
    ],
)
def test_an_archive_that_may_be_of_one_student_is_nobody(names: list[str]) -> None:
    """Nobody is called `canvas` because a file is."""
    assert [] == recognise_layouts(source(*names, name="canvas.zip"), YINYANG)


def test_files_that_import_each_other_are_of_one_student() -> None:
    """Their names are those of modules, not of people."""
    given = source("spel.py", texts={"start.py": "from spel import maak_bord\n"}, name="x.zip")
    assert [] == recognise_layouts(given, YINYANG)


def test_a_file_that_imports_itself_imports_no_other_one() -> None:
    """It says nothing about the files beside it."""
    given = source("ann.py", texts={"bob.py": "import bob\n"}, name="class.zip")
    assert ["ann", "bob"] == [who for who, _ in attempts(found(given))]


@pytest.mark.parametrize(
    "names",
    [["ann.py", "bob.py"], ["ann/a.py", "bob/a.py"], ["c/ann/a.py", "c/bob/a.py"]],
)
def test_an_archive_may_be_of_a_class(names: list[str]) -> None:
    """With a folder around, or without."""
    recognition = found(source(*names, name="class.zip"))
    assert ["ann", "bob"] == [who for who, _ in attempts(recognition)]


def test_a_layout_can_be_named() -> None:
    """Who names it has looked: then an archive of one is one."""
    given = source("ann/yinyang.py", name="class.zip")
    assert [("ann", "yinyang.py")] == attempts(found(given, layout="plain"))


def test_what_is_no_hand_in_is_left_out() -> None:
    """A table of the course, or a link, is nobody's work."""
    given = source(
        "ann.py", "points.xlsx", name="in", refusals=(("bob", message("refused.link", file="bob")),)
    )
    recognition = found(given)
    assert [("ann", "ann.py")] == attempts(recognition)
    reason = "the path is neither a Python file nor a folder"
    assert {"points.xlsx": reason, "bob": "refused.link"} == left_out(recognition)


def test_a_link_that_stands_for_a_hand_in_is_one() -> None:
    """Its student reads why it was not taken."""
    refusal = message("refused.link", file="ann.py")
    (attempt,) = found(source(name="in", refusals=(("ann.py", refusal),))).attempts
    assert "ann" == attempt.person.name
    assert (refusal,) == attempt.refusals


def test_all_modules_of_an_exercise_in_one_folder_are_of_one_student() -> None:
    """They are four files of one hand-in, not the hand-ins of four."""
    wanted = KnownExercise(exercise="1010", modules=("Board", "Game"))
    assert [] == recognise_layouts(source("Board.py", "Game.py", name="ann"), wanted)


def test_a_folder_with_the_module_and_what_it_imports_is_of_one_student() -> None:
    """Its helper is nobody; beside files that it does not import it may be anybody's."""
    alone = source("hulp.py", texts={"yinyang.py": "from hulp import x\n"}, name="ann")
    assert [] == recognise_layouts(alone, YINYANG)
    assert 2 == len(found(source("hulp.py", "yinyang.py", name="in")).attempts)


def test_files_beside_the_folder_of_a_class_are_left_out() -> None:
    """What a teacher has put there is no student, and neither is the folder."""
    students = ("c/group/ann/yinyang.py", "c/group/bob/yinyang.py")
    recognition = found(source("solution.py", *students, name="class.tar.xz"))
    assert ["ann", "bob"] == [who for who, _ in attempts(recognition)]
    assert ["solution.py"] == list(left_out(recognition))


def test_a_project_is_of_nobody() -> None:
    """Its folders are called `src` and `tests`, as no student is."""
    given = source("setup.py", "src/a.py", "tests/test_a.py", name="in")
    assert [] == recognise_layouts(given, YINYANG)


@pytest.mark.parametrize(
    ("names", "nobody"),
    [
        (["ann/a.py", "bob/a.py", "tests/test_a.py"], "tests/test_a.py"),
        (["ann/a.py", "bob/a.py", "opgave.docx"], "opgave.docx"),
        (["ann.py", "bob.py", "ann.pyc"], "ann.pyc"),
    ],
)
def test_what_is_called_as_no_student_is_left_out(names: list[str], nobody: str) -> None:
    """It is told, and can be asked for."""
    recognition = found(source(*names, name="in"))
    assert ["ann", "bob"] == [who for who, _ in attempts(recognition)]
    assert [nobody] == list(left_out(recognition))
    assert 3 == len(found(source(*names, name="in"), layout="plain").attempts)


def test_what_may_be_a_teachers_is_told() -> None:
    """A student may be called so, and is graded."""
    recognition = found(source("ann/a.py", "Oplossing/a.py", "bob/a.py", name="in"))
    assert 3 == len(recognition.attempts)
    told = (
        "`Oplossing` is assumed to be a student's work, but may be a teacher's;"
        " if so, ignore its result"
    )
    assert (told,) == recognition.guesses


def test_who_hands_in_what_python_has_compiled_is_told() -> None:
    """It is a hand-in of the wrong kind, as a document is."""
    recognition = found(source("ann.pyc", "bob.py", name="in"))
    assert [("ann", "ann.pyc"), ("bob", "bob.py")] == attempts(recognition)


def test_folders_for_versions_are_attempts() -> None:
    """As Teams keeps them; the tenth comes after the second, and what lies beside them first."""
    folders = ("Ann/Ex", "Ann/Ex/Version 10", "Ann/Ex/Version 2", "Bo/Ex")
    paths = [f"Work/{folder}/yinyang.py" for folder in folders]
    recognition = found(source(*paths))
    assert [
        ("Ann", "yinyang.py #10"),
        ("Ann", "yinyang.py #2"),
        ("Ann", "Ex/yinyang.py #1"),
        ("Bo", "Ex/yinyang.py"),
    ] == attempts(recognition)


def test_a_pattern_tells_students_where_no_layout_does() -> None:
    """Its groups are the facts."""
    pattern = r"(?P<student>.+)--(?P<id>\d+)--(?P<number>\d)--(?P<file>.+)"
    given = source("Ann Maes--12--2--yinyang.py", "notes.txt")
    (recognition,) = recognise_layouts(given, YINYANG, pattern=pattern)
    assert [("Ann Maes, id=12", "yinyang.py #2")] == attempts(recognition)
    assert {"notes.txt": "the path does not match --pattern"} == left_out(recognition)


@pytest.mark.parametrize("text", ["(", "(?P<file>.+)"])
def test_a_pattern_that_tells_nobody_is_refused(text: str) -> None:
    """It must be a regular expression with a group for who handed in."""
    with pytest.raises(UsageError, match=re.escape("--pattern")):
        compile_pattern(text)
