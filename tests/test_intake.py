"""Hand-ins as they come, of any name: who handed in, and which file is graded."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from handed_in import (
    SOURCE,
    entries,
    main_name,
    obstacle,
    put,
    remarks,
    students,
    taken,
    taken_from,
)

from grader.cli.sources import SourceOptions, find_plans
from grader.errors import NothingToGrade, UsageError
from grader.intake.opening import open_source
from grader.intake.submissions import single_entry

# Who handed in


def test_files_and_folders_are_students_in_the_order_of_their_names(tmp_path: Path) -> None:
    """One file or one folder per student, both in one folder of hand-ins."""
    put(tmp_path, "zoe.py", "An Peeters/akari.py", "jan.PY")
    assert ["An Peeters", "jan", "zoe"] == students(tmp_path)


def test_what_is_no_hand_in_is_passed_over(tmp_path: Path) -> None:
    """Spreadsheets of the course, hidden files and what systems leave behind are nobody's."""
    put(tmp_path, "grades.csv", ".hidden.py", "old.py~", "jan.pyc", "__MACOSX/a.py", "venv/b.py")
    put(tmp_path, ".git/c.py", "__pycache__/d.py", "jan.py")
    assert ["jan"] == students(tmp_path)


def test_one_file_is_a_folder_of_one(tmp_path: Path) -> None:
    """A file can be named instead of a folder."""
    assert ["jan"] == students(put(tmp_path, "jan.py") / "jan.py")


def test_a_folder_named_like_a_file_is_a_folder(tmp_path: Path) -> None:
    """A folder `jan.py` that holds the file is a hand-in, under its whole name."""
    (entry,) = entries(put(tmp_path, "jan.py/akari.py"))
    assert "jan.py" == entry.student
    assert "akari.py" == main_name(taken_from(entry))


def test_students_equal_up_to_case_are_told_apart(tmp_path: Path) -> None:
    """The second `jan` has a number and a remark; nobody's work hides another's."""
    found = entries(put(tmp_path, "JAN.py", "jan.py", "jan/akari.py"))
    assert ["JAN", "jan (2)", "jan (3)"] == [entry.student for entry in found]
    assert [[], ["remark.same_name"], ["remark.same_name"]] == [
        [remark.key for remark in entry.remarks] for entry in found
    ]


def test_a_number_that_is_taken_is_not_given_again(tmp_path: Path) -> None:
    """A student who is really named `jan (2)` does not share that name."""
    put(tmp_path, "JAN.py", "jan.py", "jan (2).py")
    assert sorted(["JAN", "jan (2)", "jan (3)"]) == sorted(set(students(tmp_path)))


def test_two_spellings_of_one_accent_are_one_name(tmp_path: Path) -> None:
    """A name with a combining accent equals the same name with an accented letter."""
    put(tmp_path, *(f"{unicodedata.normalize(form, 'Élise')}.py" for form in ("NFC", "NFD")))
    (entry,) = entries(tmp_path)
    assert "Élise" == entry.student
    assert ["refused.twice"] == [refusal.key for refusal in entry.hand_in().refusals]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\nb.py", "a b"),
        (b"a\x1b[31mb.py", "a␛[31mb"),
        (b"a\xff\xfe.py", "a\\udcff\\udcfe"),
        ("a\u202eb.py".encode(), "a\\u202eb"),
        (b" .py", "?"),
        (b"-rf.py", "-rf"),
        (b"<script>.py", "<script>"),
        (b"x" * 200 + b".py", "x" * 120),
    ],
)
def test_hostile_names_become_plain_text(tmp_path: Path, name: bytes, shown: str) -> None:
    """Newlines, escapes, bytes that are no text and overrides never reach a report as such."""
    path = os.path.join(os.fsencode(tmp_path), name)
    with open(path, "wb") as file:
        file.write(SOURCE)
    (entry,) = entries(tmp_path)
    assert shown == entry.student
    submission = taken_from(entry)
    assert SOURCE.decode() == submission.modules["akari"].text
    for text in (*submission.raw, main_name(submission) or ""):
        assert text.replace("\n", "").isprintable()


def test_long_names_that_are_cut_alike_are_told_apart(tmp_path: Path) -> None:
    """Two names that differ only far behind are two students."""
    put(tmp_path, "x" * 150 + "a.py", "x" * 150 + "b.py")
    assert ["x" * 120, "x" * 120 + " (2)"] == students(tmp_path)


def test_missing_folder_is_told(tmp_path: Path) -> None:
    """The error names the folder, and says what to name."""
    with pytest.raises(UsageError) as caught:
        open_source(tmp_path / "nowhere")
    assert f"no such file or folder: {tmp_path / 'nowhere'}" == caught.value.message
    assert (
        "check the path: it is relative to the current folder unless it starts with /"
        == caught.value.help
    )


@pytest.mark.parametrize("find", [open_source, single_entry])
def test_a_name_too_long_for_the_system_is_a_missing_folder(
    find: Callable[[Path], object], tmp_path: Path
) -> None:
    """What no file can be named is told like any other missing file."""
    with pytest.raises(UsageError, match="no such file or folder"):
        find(tmp_path / ("x" * 300))


@pytest.mark.parametrize("names", [(), ("README.txt",), (".DS_Store", "notes.md")])
def test_folder_without_hand_ins_is_told(tmp_path: Path, names: tuple[str, ...]) -> None:
    """An empty folder, or one with only a README, has nothing to grade."""
    asked = SourceOptions(exercise="yinyang")
    with pytest.raises(NothingToGrade) as caught:
        find_plans([put(tmp_path, *names)], asked, reports=None, needs_suite=True)
    shown = tmp_path.name
    assert f"there is no Python file and no folder in {shown}" == caught.value.message


def test_own_folder_needs_a_python_file(tmp_path: Path) -> None:
    """`check` of a folder that holds none says so."""
    with pytest.raises(NothingToGrade) as caught:
        single_entry(put(put(tmp_path, "README.md"), "README.txt", data=b"nothing here"))
    assert f"there is no Python file in {tmp_path}" == caught.value.message


def test_own_folder_may_hold_python_in_text(tmp_path: Path) -> None:
    """What `check` can rescue is something to check."""
    assert "akari.txt" == main_name(taken(single_entry(put(tmp_path, "akari.txt")).path))


def test_own_folder_may_shout(tmp_path: Path) -> None:
    """A file AKARI.PY counts in a folder of one's own, as it does in a folder of hand-ins."""
    entry = single_entry(put(tmp_path, "AKARI.PY"))
    assert "AKARI.PY" == main_name(taken(entry.path))


def test_own_folder_is_named_after_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`grader check .` has a student too."""
    monkeypatch.chdir(put(tmp_path, "jan/akari.py") / "jan")
    assert "jan" == single_entry(Path()).student


# Which file is graded


@pytest.mark.parametrize(
    ("names", "main", "said"),
    [
        (("akari.py",), "akari.py", []),
        (("oplossing.py",), "oplossing.py", ["remark.file_name"]),
        (("oplossing.py", "README.md"), "oplossing.py", ["remark.file_name"]),
        (("AKARI.PY", "hulp.py"), "AKARI.PY", ["remark.file_name"]),
        (("Akari.py", "akari.py"), "akari.py", []),
        (("hulp.py", "akari.py"), "akari.py", []),
        (("in/akari.py", "in/hulp.py"), "akari.py", []),
        (("akari.py", "oud/akari.py"), "akari.py", []),
        (("README.md", "__pycache__/akari.py"), None, []),
        (("README.md",), None, []),
        ((), None, []),
    ],
)
def test_main_file(
    tmp_path: Path, names: tuple[str, ...], main: str | None, said: list[str]
) -> None:
    """The file with the asked name, spelled exactly if there is a choice, or the only one."""
    submission = taken(put(tmp_path, *names))
    assert main == main_name(submission)
    assert said == remarks(submission)


def test_a_file_with_the_name_of_its_student_is_graded_without_a_word(tmp_path: Path) -> None:
    """In a folder with a file for each student, nobody else's name is wrong; elsewhere it is."""
    for entry in entries(put(tmp_path, "JAN.py", "jan.py")):
        assert {"remark.same_name"} >= set(remarks(taken_from(entry)))
        assert ["remark.file_name"] == remarks(taken(tmp_path / next(iter(entry.attempt.leaves))))


@pytest.mark.parametrize("line", [b"class Akari:\n pass\n", b"def Akari():\n pass\n"])
def test_the_defining_file_of_several_is_graded(tmp_path: Path, line: bytes) -> None:
    """Without a file of the asked name, the one that defines what is asked is taken."""
    put(tmp_path, "a.py", data=b"x = 1\nclass AkariTest: pass\n")
    put(tmp_path, "b.py", data=line)
    submission = taken(tmp_path)
    assert "b.py" == main_name(submission)
    assert ["remark.file_name"] == remarks(submission)
    assert {"a", "akari"} == submission.modules.keys()


def test_several_files_of_which_none_can_be_it_are_an_obstacle(tmp_path: Path) -> None:
    """When none defines what is asked, nobody guesses."""
    submission = taken(put(tmp_path, "v1.py", "v2.py", data=b"x = 1\n"))
    assert (0, 0) == (len(submission.modules), len(submission.parts))
    assert "There are several files (v1.py, v2.py), and none is named akari.py." == obstacle(
        submission
    )


def test_folder_without_python_is_an_obstacle(tmp_path: Path) -> None:
    """A folder with only a README says which file was expected."""
    submission = taken(put(tmp_path, "README.md"))
    assert (
        "There is no Python file in this submission, only README.md. Expected: akari.py"
    ) == obstacle(submission)
    assert {"README.md"} == submission.raw.keys()


def test_empty_file_is_an_obstacle(tmp_path: Path) -> None:
    """Nothing but blank lines says that the file is empty."""
    submission = taken(put(tmp_path, "akari.py", data=b"\r\n \t\n") / "akari.py")
    assert "akari.py is empty." == obstacle(submission)


def test_helpers_and_data_beside_the_main_file_go_along(tmp_path: Path) -> None:
    """What lies in the folder of the main file can be imported and opened; the rest is kept."""
    put(tmp_path, "werk/akari.py", "werk/hulp.py", "werk/geen naam.py", "werk/rooster.txt")
    submission = taken(put(tmp_path, "elders/ander.py", "elders/x.txt"))
    assert {"hulp", "akari"} == submission.modules.keys()
    assert {"rooster.txt"} == submission.data.keys()
    assert 6 == len(submission.raw)


def test_folders_below_the_main_file_go_along(tmp_path: Path) -> None:
    """Packages have dotted names, data have their path; a package hides a file of its name."""
    put(tmp_path, "werk/akari.py", "werk/a/__init__.py", "werk/a/b.py", "werk/a/geen naam.py")
    put(tmp_path, "werk/a.py", "werk/a/c/d.txt", "a/x.py", "a/x.txt")
    submission = taken(tmp_path)
    assert {"a": "a/__init__.py", "a.b": "a/b.py", "akari": "akari.py"} == {
        name: file.name for name, file in submission.modules.items()
    }
    assert {"a/c/d.txt"} == submission.data.keys()


@pytest.mark.parametrize("name", ["json", "random", "io"])
def test_helper_named_after_a_standard_module_has_a_remark(tmp_path: Path, name: str) -> None:
    """It hides that module from the student's own code."""
    submission = taken(put(tmp_path, "akari.py", f"{name}.py"))
    assert ["remark.shadows"] == remarks(submission)
    assert {name, "akari"} == submission.modules.keys()


@pytest.mark.skipif(os.name == "nt", reason="a backslash cannot be in a name there")
def test_backslashes_in_names_are_folders(tmp_path: Path) -> None:
    """What an archive of Windows left behind is found where the program looks for it."""
    put(tmp_path, "akari.py", "lib\\hulp.py", "data\\\\words.txt", "__MACOSX\\akari.py", "a\\.b")
    submission = taken(tmp_path)
    assert ["lib.hulp", "akari"] == list(submission.modules)
    assert ["data/words.txt"] == list(submission.data)
    assert [] == remarks(submission)


@pytest.mark.skipif(os.name == "nt", reason="a backslash cannot be in a name there")
def test_name_with_a_backslash_takes_no_other_name(tmp_path: Path) -> None:
    """The file that lies in the folder is read; the other one, and one without a name, are told."""
    put(put(tmp_path, "akari.py", "a/b.txt", data=b"real"), "\\", "a\\b.txt", data=b"other")
    submission = taken(tmp_path)
    assert {"a/b.txt": b"real"} == dict(submission.data)
    assert ["refused.backslash"] * 2 == remarks(submission)


def test_files_of_editors_in_a_submission_are_passed_over(tmp_path: Path) -> None:
    """Byte code, backups and hidden files are no part of a submission."""
    put(tmp_path, "akari.py", "akari.py~", "._akari.py", ".vscode/x.py", "__pycache__/akari.pyc")
    assert {"akari.py"} == taken(tmp_path).raw.keys()
