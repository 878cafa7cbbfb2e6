"""Hand-ins as they come: any name, any encoding, any kind of file; nothing is lost."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.errors import NothingToGrade, UsageError
from grader.intake.files import MAX_DEPTH, MAX_FILE_BYTES, MAX_FILES, Refused, ignored, read_file
from grader.intake.source_text import decode_source
from grader.intake.submissions import Entry, discover, read, single_entry
from grader.submission import Submission
from grader.wording import LANGUAGES, say

NOBODY: Final = 65534
SOURCE: Final = b"class Akari:\n    pass\n"


def put(folder: Path, *names: str, data: bytes = SOURCE) -> Path:
    """Write a file of each name below `folder`, folders included; return `folder`."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def taken(path: Path, *defines: str) -> Submission:
    """Return the submission at `path` for the exercise `akari`."""
    return read(Entry("student", path), "akari", defines or ("Akari",))


def students(folder: Path) -> list[str]:
    """Return the students who handed in below `folder`."""
    return [entry.student for entry in discover(folder)]


def remarks(submission: Submission) -> list[str]:
    """Return the keys of what is remarked; each can be said in each language."""
    for remark in submission.remarks:
        assert all(say(remark, language) for language in LANGUAGES)
    return [remark.key for remark in submission.remarks]


def main_name(submission: Submission) -> str | None:
    """Return the name of the file that is graded."""
    return None if submission.main is None else submission.main.name


def obstacle(submission: Submission) -> str:
    """Return in English why nothing of `submission` can be run."""
    assert submission.obstacle is not None
    return say(submission.obstacle, "en")


# Who handed in


def test_files_and_folders_are_students_in_the_order_of_their_names(tmp_path: Path) -> None:
    """One file or one folder per student, both in one folder of hand-ins."""
    put(tmp_path, "zoe.py", "An Peeters/akari.py", "jan.PY")
    assert ["An Peeters", "jan", "zoe"] == students(tmp_path)


def test_what_is_no_hand_in_is_passed_over(tmp_path: Path) -> None:
    """Spreadsheets of the course, hidden files and what systems leave behind are nobody's."""
    put(tmp_path, "grades.csv", ".hidden.py", "old.py~", "x.pyc", "__MACOSX/a.py", "venv/b.py")
    put(tmp_path, ".git/c.py", "__pycache__/d.py", "jan.py")
    assert ["jan"] == students(tmp_path)


def test_one_file_is_a_folder_of_one(tmp_path: Path) -> None:
    """A file can be named instead of a folder."""
    assert [Entry("jan", tmp_path / "jan.py")] == discover(put(tmp_path, "jan.py") / "jan.py")


def test_a_folder_named_like_a_file_is_a_folder(tmp_path: Path) -> None:
    """A folder `jan.py` that holds the file is a hand-in, under its whole name."""
    (entry,) = discover(put(tmp_path, "jan.py/akari.py"))
    assert "jan.py" == entry.student
    assert "akari.py" == main_name(taken(entry.path))


def test_students_equal_up_to_case_are_told_apart(tmp_path: Path) -> None:
    """The second `jan` has a number and a remark; nobody's work hides another's."""
    entries = discover(put(tmp_path, "JAN.py", "jan.py", "jan/akari.py"))
    assert ["JAN", "jan (2)", "jan (3)"] == [entry.student for entry in entries]
    assert [[], ["remark.same_name"], ["remark.same_name"]] == [
        [remark.key for remark in entry.remarks] for entry in entries
    ]


def test_a_number_that_is_taken_is_not_given_again(tmp_path: Path) -> None:
    """A student who is really named `jan (2)` does not share that name."""
    put(tmp_path, "JAN.py", "jan.py", "jan (2).py")
    assert sorted(["JAN", "jan (2)", "jan (3)"]) == sorted(set(students(tmp_path)))


def test_two_spellings_of_one_accent_are_one_name(tmp_path: Path) -> None:
    """A name with a combining accent equals the same name with an accented letter."""
    put(tmp_path, *(f"{unicodedata.normalize(form, 'Élise')}.py" for form in ("NFC", "NFD")))
    assert {"Élise", "Élise (2)"} == set(students(tmp_path))


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
    (entry,) = discover(tmp_path)
    assert shown == entry.student
    submission = taken(entry.path)
    assert SOURCE.decode() == (submission.main and submission.main.text)
    for text in (*submission.raw, main_name(submission) or ""):
        assert text.replace("\n", "").isprintable()


def test_long_names_that_are_cut_alike_are_told_apart(tmp_path: Path) -> None:
    """Two names that differ only far behind are two students."""
    put(tmp_path, "x" * 150 + "a.py", "x" * 150 + "b.py")
    assert ["x" * 120, "x" * 120 + " (2)"] == students(tmp_path)


def test_missing_folder_is_told(tmp_path: Path) -> None:
    """The error names the folder, and says what to name."""
    with pytest.raises(UsageError) as caught:
        discover(tmp_path / "nowhere")
    assert f"no such file or folder: {tmp_path / 'nowhere'}" == caught.value.message
    assert "name the folder that holds one file or one folder per student" == caught.value.help


@pytest.mark.parametrize("find", [discover, single_entry])
def test_a_name_too_long_for_the_system_is_a_missing_folder(
    find: Callable[[Path], object], tmp_path: Path
) -> None:
    """What no file can be named is told like any other missing file."""
    with pytest.raises(UsageError, match="no such file or folder"):
        find(tmp_path / ("x" * 300))


@pytest.mark.parametrize("names", [(), ("README.txt",), (".hidden.py", "notes.md")])
def test_folder_without_hand_ins_is_told(tmp_path: Path, names: tuple[str, ...]) -> None:
    """An empty folder, or one with only a README, has nothing to grade."""
    with pytest.raises(NothingToGrade) as caught:
        discover(put(tmp_path, *names))
    assert f"nothing to grade in {tmp_path}: no Python file and no folder" == caught.value.message


def test_own_folder_needs_a_python_file(tmp_path: Path) -> None:
    """`check` of a folder that holds none says so."""
    with pytest.raises(NothingToGrade) as caught:
        single_entry(put(tmp_path, "README.txt"))
    assert f"no Python file in {tmp_path}" == caught.value.message


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
        (("oplossing.py",), "oplossing.py", []),
        (("oplossing.py", "README.txt"), "oplossing.py", ["remark.file_name"]),
        (("AKARI.PY", "hulp.py"), "AKARI.PY", ["remark.file_name"]),
        (("Akari.py", "akari.py"), "akari.py", []),
        (("hulp.py", "akari.py"), "akari.py", []),
        (("in/akari.py", "in/hulp.py"), "akari.py", []),
        (("akari.py", "oud/akari.py"), "akari.py", []),
        (("README.txt", "__pycache__/akari.py"), None, []),
        (("README.txt",), None, []),
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


def test_single_file_of_any_name_is_graded_without_a_word(tmp_path: Path) -> None:
    """In a folder of hand-ins the file is named after its student."""
    submission = taken(put(tmp_path, "jan.py") / "jan.py")
    assert ("jan.py", []) == (main_name(submission), remarks(submission))


@pytest.mark.parametrize("line", [b"class Akari:\n pass\n", b"def Akari():\n pass\n"])
def test_the_defining_file_of_several_is_graded(tmp_path: Path, line: bytes) -> None:
    """Without a file of the asked name, the one that defines what is asked is taken."""
    put(tmp_path, "a.py", data=b"x = 1\nclass AkariTest: pass\n")
    put(tmp_path, "b.py", data=line)
    submission = taken(tmp_path)
    assert "b.py" == main_name(submission)
    assert ["remark.file_name"] == remarks(submission)
    assert {"a"} == submission.modules.keys()


@pytest.mark.parametrize("data", [SOURCE, b"x = 1\n"])
def test_several_files_that_could_be_it_are_an_obstacle(tmp_path: Path, data: bytes) -> None:
    """When two define what is asked, or none does, nobody guesses."""
    submission = taken(put(tmp_path, "v1.py", "v2.py", data=data))
    assert None is submission.main
    assert "There are several files (v1.py, v2.py), and none is named akari.py." == obstacle(
        submission
    )


def test_folder_without_python_is_an_obstacle(tmp_path: Path) -> None:
    """A folder with only a README says which file was expected."""
    submission = taken(put(tmp_path, "README.txt"))
    assert (
        "There is no Python file in this submission, only README.txt; akari.py was expected."
    ) == obstacle(submission)
    assert {"README.txt"} == submission.raw.keys()


def test_empty_file_is_an_obstacle(tmp_path: Path) -> None:
    """Nothing but blank lines says that the file is empty."""
    submission = taken(put(tmp_path, "akari.py", data=b"\r\n \t\n") / "akari.py")
    assert "akari.py is empty." == obstacle(submission)


def test_helpers_and_data_beside_the_main_file_go_along(tmp_path: Path) -> None:
    """What lies in the folder of the main file can be imported and opened; the rest is kept."""
    put(tmp_path, "werk/akari.py", "werk/hulp.py", "werk/geen naam.py", "werk/rooster.txt")
    submission = taken(put(tmp_path, "elders/ander.py", "elders/x.txt"))
    assert {"hulp"} == submission.modules.keys()
    assert {"rooster.txt"} == submission.data.keys()
    assert 6 == len(submission.raw)


def test_folders_below_the_main_file_go_along(tmp_path: Path) -> None:
    """Packages have dotted names, data have their path; a package hides a file of its name."""
    put(tmp_path, "werk/akari.py", "werk/a/__init__.py", "werk/a/b.py", "werk/a/geen naam.py")
    put(tmp_path, "werk/a.py", "werk/a/c/d.txt", "a/x.py", "a/x.txt")
    submission = taken(tmp_path)
    assert {"a": "a/__init__.py", "a.b": "a/b.py"} == {
        name: file.name for name, file in submission.modules.items()
    }
    assert {"a/c/d.txt"} == submission.data.keys()


@pytest.mark.parametrize("name", ["json", "random", "io"])
def test_helper_named_after_a_standard_module_has_a_remark(tmp_path: Path, name: str) -> None:
    """It hides that module from the student's own code."""
    submission = taken(put(tmp_path, "akari.py", f"{name}.py"))
    assert ["remark.shadows"] == remarks(submission)
    assert {name} == submission.modules.keys()


@pytest.mark.skipif(os.name == "nt", reason="a backslash cannot be in a name there")
def test_backslashes_in_names_are_folders(tmp_path: Path) -> None:
    """What an archive of Windows left behind is found where the program looks for it."""
    put(tmp_path, "akari.py", "lib\\hulp.py", "data\\\\words.txt", "__MACOSX\\akari.py", "a\\.b")
    submission = taken(tmp_path)
    assert ["lib.hulp"] == list(submission.modules)
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


# What is no ordinary file


def symlink(path: Path) -> None:
    """Make a link to a file that must stay secret."""
    path.symlink_to("/etc/passwd")


def dangling(path: Path) -> None:
    """Make a link to nothing."""
    path.symlink_to("nothing")


def loop(path: Path) -> None:
    """Make a link to itself."""
    path.symlink_to(path.name)


def link_to_folder(path: Path) -> None:
    """Make a link to a folder."""
    path.symlink_to("/etc")


def fifo(path: Path) -> None:
    """Make a pipe that nobody writes to."""
    os.mkfifo(path)


def device(path: Path) -> None:
    """Make a device that has no end, where that is allowed."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
        os.close(os.open(path, os.O_RDONLY))
    except PermissionError:
        pytest.skip("devices cannot be made or opened here")


def listening(path: Path) -> None:
    """Make a socket."""
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def large(path: Path) -> None:
    """Make a file of one byte too many, without taking its room on disk."""
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)


SPECIAL: Final = [
    (symlink, "{} is a link, not a file, and was not read."),
    (dangling, "{} is a link, not a file, and was not read."),
    (loop, "{} is a link, not a file, and was not read."),
    (link_to_folder, "{} is a link, not a file, and was not read."),
    (fifo, "{} is not an ordinary file and was not read."),
    (device, "{} is not an ordinary file and was not read."),
    (listening, "{} could not be read: No such device or address"),
    (large, "{} is larger than 1024 KiB and was not read."),
]


@pytest.mark.parametrize(("make", "reason"), SPECIAL)
def test_special_file_as_hand_in_is_ungradable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], reason: str
) -> None:
    """It stands in the list of students with its reason, and nothing of it was read."""
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    make(Path("jan.py"))
    (entry,) = discover(tmp_path)
    submission = taken(entry.path)
    assert reason.format("jan.py") == obstacle(submission)
    assert ({}, []) == (submission.raw, remarks(submission)), "said once, as the obstacle"


@pytest.mark.parametrize(("make", "reason"), SPECIAL)
def test_special_file_beside_the_main_file_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], reason: str
) -> None:
    """The submission is graded without it, and its student reads why."""
    monkeypatch.chdir(put(tmp_path, "akari.py"))
    make(Path("data.txt"))
    submission = taken(tmp_path)
    assert "akari.py" == main_name(submission)
    assert [reason.format("data.txt")] == [say(one, "en") for one in submission.remarks]


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    """A folder that links to itself or to another's work is neither walked nor read."""
    put(tmp_path, "jan/akari.py", "an/akari.py")
    (tmp_path / "jan" / "up").symlink_to(tmp_path)
    (tmp_path / "piet").symlink_to(tmp_path / "an")
    assert ["an", "jan"] == students(tmp_path), "a link beside the hand-ins is nobody's"
    submission = taken(tmp_path / "jan")
    assert {"akari.py"} == submission.raw.keys()
    assert ["refused.link"] == remarks(submission)


def test_hard_limit_of_a_file_is_exact(tmp_path: Path) -> None:
    """A file of just the most bytes is read whole."""
    data = b"#" * MAX_FILE_BYTES
    assert data == read_file(put(tmp_path, "a.py", data=data) / "a.py", "a.py")


def test_too_many_files_are_cut_off(tmp_path: Path) -> None:
    """The main file, at the top, is found first; the student reads that there were too many."""
    put(tmp_path, "akari.py", *(f"z/{number}.txt" for number in range(MAX_FILES)), data=b"x")
    submission = taken(tmp_path)
    assert "akari.py" == main_name(submission)
    assert MAX_FILES == len(submission.raw)
    assert ["refused.many"] == remarks(submission)


def test_too_many_refusals_are_cut_off(tmp_path: Path) -> None:
    """A folder full of links does not fill the report with remarks."""
    put(tmp_path, "akari.py")
    for number in range(MAX_FILES + 50):
        (tmp_path / f"link{number:03}").symlink_to("x")
    submission = taken(tmp_path)
    assert MAX_FILES == len(remarks(submission))
    assert "refused.many" == remarks(submission)[-1]


def test_too_much_together_is_cut_off(tmp_path: Path) -> None:
    """Many files that are each small enough are bounded together."""
    put(tmp_path, "akari.py")
    put(tmp_path, *(f"z{number}.bin" for number in range(9)), data=b"x" * MAX_FILE_BYTES)
    submission = taken(tmp_path)
    assert ["The files take more than 8 MiB together; the others were not read."] == [
        say(one, "en") for one in submission.remarks
    ]


def test_folders_are_walked_to_a_bounded_depth(tmp_path: Path) -> None:
    """A file in the deepest folder that counts is found, one below it is not."""
    put(tmp_path, "/".join("a" * MAX_DEPTH) + "/akari.py")
    assert "akari.py" == main_name(taken(tmp_path))
    put(tmp_path / "deeper", "/".join("a" * (MAX_DEPTH + 1)) + "/akari.py")
    assert None is main_name(taken(tmp_path / "deeper"))


@pytest.fixture
def deep_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with more folders in each other than Python has calls."""
    folder = tmp_path / "handed in"
    levels = [folder.joinpath(*["d"] * depth) for depth in range(1_500)]
    for level in levels:
        level.mkdir()
    yield folder
    for level in reversed(levels[1:]):  # whoever else takes them away calls itself
        level.rmdir()


def test_very_deep_folder_is_read_no_deeper_than_others(deep_folder: Path) -> None:
    """One's own folder is looked through as far as those of a class, and the rest is told."""
    nothing = taken(single_entry(deep_folder).path)
    assert "d/d/d/d/d lies more than 4 folders deep and was not read." == obstacle(nothing)
    put(deep_folder, "akari.py")
    found = taken(single_entry(deep_folder).path)
    assert ("akari.py", ["refused.deep"]) == (main_name(found), remarks(found))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of an ordinary user, whom we are for the test: root may read everything."""
    # Not below `tmp_path`, which only root may enter, and whose owner pytest checks.
    with tempfile.TemporaryDirectory() as name:
        if is_root := os.geteuid() == 0:
            os.chown(name, NOBODY, -1)
            os.seteuid(NOBODY)
        try:
            yield Path(name, "in")
        finally:
            if is_root:
                os.seteuid(0)


def test_unreadable_file_is_told(folder: Path) -> None:
    """A file that the system does not let us read says so to its student."""
    (put(folder, "akari.py") / "akari.py").chmod(0)
    submission = taken(folder / "akari.py")
    assert "akari.py could not be read: Permission denied" == obstacle(submission)


def test_unreadable_folder_of_hand_ins_is_told(folder: Path) -> None:
    """A folder that cannot be listed is the user's trouble, not an empty folder."""
    put(folder, "jan.py")
    folder.chmod(0)
    try:
        with pytest.raises(UsageError) as caught:
            discover(folder)
    finally:
        folder.chmod(0o700)
    assert f"cannot read {folder}: Permission denied" == caught.value.message


def test_folder_that_may_be_listed_but_not_entered_breaks_nothing(folder: Path) -> None:
    """Every name in it is there, and says that it could not be read."""
    put(folder, "jan.py", "an/akari.py")
    folder.chmod(0o400)
    try:
        (entry,) = discover(folder)
        submission = taken(entry.path)
        whole = taken(folder)
    finally:
        folder.chmod(0o700)
    assert "jan.py could not be read: Permission denied" == obstacle(submission)
    assert 2 == len([whole.obstacle, *whole.remarks])


def test_unreadable_folder_of_a_student_is_told(folder: Path) -> None:
    """Her folder is not said to be empty: it could not be read."""
    put(folder, "jan/akari.py")
    (folder / "jan").chmod(0)
    try:
        (entry,) = discover(folder)
        submission = taken(entry.path)
    finally:
        (folder / "jan").chmod(0o700)
    assert "jan could not be read: Permission denied" == obstacle(submission)


def test_file_that_went_away_is_told(tmp_path: Path) -> None:
    """Between finding and reading, a file can vanish."""
    with pytest.raises(Refused) as caught:
        read_file(tmp_path / "gone.py", "gone.py")
    assert "gone.py could not be read: No such file or directory" == say(caught.value.reason, "en")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("akari.py", False), (".akari.py", True), ("a.py~", True), ("venv", True), ("a.pyc", True)],
)
def test_leftovers(name: str, expected: bool) -> None:
    """Names that editors and systems leave behind are known."""
    assert expected == ignored(name)


# Encodings


@pytest.mark.parametrize(
    ("data", "text", "encoding", "remark"),
    [
        (b"", "", "utf-8", None),
        (b"a = 1\n", "a = 1\n", "utf-8", None),
        ("é = 1\n".encode(), "é = 1\n", "utf-8", None),
        (b"a\r\nb\r\n", "a\nb\n", "utf-8", None),
        (b"a\rb\r", "a\nb\n", "utf-8", None),
        (b"\xef\xbb\xbfa\n", "a\n", "utf-8-sig", None),
        (b"\xef\xbb\xbf# coding: latin-1\n\xc3\xa9", "# coding: latin-1\né", "utf-8-sig", None),
        (b"# coding: latin-1\n\xe9", "# coding: latin-1\né", "iso8859-1", "remark.legacy"),
        (b"#!x\n# -*- coding: cp1252 -*-\n\x80", "€", "cp1252", "remark.legacy"),
        (b"#\r\n# vim: set fileencoding=iso-8859-15 :\r\n\xa4", "€", "iso8859-15", "remark.legacy"),
        (b"a\nb\n# coding: latin-1\n\xc3\xa9", "é", "utf-8", None),
        (b"a = 1\n# coding: latin-1\n\xc3\xa9", "é", "utf-8", None),
        (b"a = 'caf\xe9'\n", "a = 'café'\n", "cp1252", "remark.encoding"),
        (b"a\nb\xe9\n", "bé\n", "cp1252", "remark.encoding"),
        (b"\x81\xe9", "\x81é", "latin-1", "remark.encoding"),
        (b"# coding: ascii\n\xc3\xa9", "é", "utf-8", None),
        (b"# coding: ascii\n\xe9", "é", "cp1252", "remark.encoding"),
        (b"# coding: cp1252\n\x81", "\x81", "latin-1", "remark.encoding"),
        (b"# coding: klingon\na", "a", "utf-8", "remark.coding"),
        (b"# coding: rot13\nn", "n", "utf-8", "remark.coding"),
        (b"# coding: zlib\na\xe9", "aé", "cp1252", "remark.coding"),
        (b"# coding: utf-16\na", "a", "utf-8", "remark.coding"),
        (b"# coding: " + b"x" * 5000 + b"\na", "a", "utf-8", "remark.coding"),
        ("a = 'é'\n".encode("utf-16"), "a = 'é'\n", "utf-16", "remark.wide"),
        (b"\xfe\xff\x00a\x00\r\x00\n", "a\n", "utf-16", "remark.wide"),
        (b"\xff\xfea", "\ufffd", "utf-16", "remark.wide"),
        ("a = 'é'\n".encode("utf-32"), "a = 'é'\n", "utf-32", "remark.wide"),
        (b"\0\0\xfe\xff" + "a\r\n".encode("utf-32-be"), "a\n", "utf-32", "remark.wide"),
        (b"\xff\xfe\0\0a", "\ufffd", "utf-32", "remark.wide"),
        (b"a\x00b", "a\x00b", "utf-8", None),
        (b"\x00" * 9, "\x00" * 9, "utf-8", None),
    ],
)
def test_encoding(data: bytes, text: str, encoding: str, remark: str | None) -> None:
    """Text is what its author saw; what Python itself would refuse has a remark."""
    decoded = decode_source(data, "a.py")
    assert decoded.text.endswith(text)
    assert encoding == decoded.encoding
    assert remark == (decoded.remark and decoded.remark.key)
    if decoded.remark is not None:
        assert all(say(decoded.remark, language) for language in LANGUAGES)


def test_remark_about_bytes_names_the_line() -> None:
    """The first byte that is no UTF-8 is on line 3."""
    remark = decode_source(b"a\nb\nc = '\xe9'\n", "a.py").remark
    assert remark is not None
    assert (
        "a.py is not UTF-8 (line 3); Python itself would refuse it. It was read as an older"
        " encoding; save it as UTF-8."
    ) == say(remark, "en")


@pytest.mark.parametrize(("encoding", "said"), [("utf-16", "UTF-16"), ("utf-32", "UTF-32")])
def test_remark_about_a_wide_encoding_names_it(encoding: str, said: str) -> None:
    """The student reads what the file is, not what it looks like at first."""
    remark = decode_source("a = 1\n".encode(encoding), "a.py").remark
    assert remark is not None
    assert f"a.py is {said}; Python itself would refuse it. Save it as UTF-8." == say(remark, "en")


@given(st.binary(max_size=60))
@example(b"\xff\xfe\x00\x00\x00\xd8\x00\x00\xff")
@example(b"# coding: \xff\n")
@example(b"\xff\xfe\x00\xd8")
@example(b"# coding: utf_8_sig\n\xe9")
@example(b"# coding: unicode_escape\n\\N{BEL}")
def test_every_sequence_of_bytes_is_decoded(data: bytes) -> None:
    """Whatever was handed in decodes to something, with plain newlines."""
    decoded = decode_source(data, "a.py")
    assert "\r" not in decoded.text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff")))
def test_utf8_is_read_as_it_was_written(text: str) -> None:
    """A text in UTF-8 without a coding line comes through unchanged."""
    decoded = decode_source(b"#\n#\n" + text.encode(), "a.py")
    assert ("#\n#\n" + text, None) == (decoded.text, decoded.remark)


def test_remarks_about_helpers_name_the_helper(tmp_path: Path) -> None:
    """Each file of a submission is decoded by itself."""
    put(put(tmp_path, "akari.py"), "hulp.py", data=b"x = '\xe9'\n")
    (remark,) = taken(tmp_path).remarks
    assert say(remark, "en").startswith("hulp.py is not UTF-8 (line 1)")


# Exercises of several modules

MODULES: Final = ("Point", "Shape", "Game")


def several(path: Path) -> Submission:
    """Return the submission at `path` for an exercise of three modules."""
    return read(Entry("student", path), MODULES, ("Point.f", "Game.g"))


@pytest.mark.parametrize("folder", ["", "src/", "practicum/", "my work/1.2/"])
def test_modules_are_found_together(tmp_path: Path, folder: str) -> None:
    """Modules lie in the folder that was handed in, or deeper; helpers and data go with them."""
    names = ("Point.py", "Shape.py", "Game.py", "tools.py", "lib/more.py", "grid.txt")
    submission = several(put(tmp_path, *(folder + name for name in names)))
    assert {name: name for name in MODULES} == submission.parts
    assert {*MODULES, "tools", "lib.more"} == submission.modules.keys()
    assert (["grid.txt"], None) == ([*submission.data], submission.main)
    assert [] == remarks(submission)


def test_missing_modules_are_left_out(tmp_path: Path) -> None:
    """What is there is taken; what is not is for the judge to tell."""
    submission = several(put(tmp_path, "Point.py", "Game.py"))
    assert {"Point": "Point", "Game": "Game"} == submission.parts
    assert None is submission.obstacle


def test_a_module_alone(tmp_path: Path) -> None:
    """A single file can be one of the modules."""
    submission = several(put(tmp_path, "Shape.py") / "Shape.py")
    assert {"Shape": "Shape"} == submission.parts


def test_copies_of_modules_are_never_mixed(tmp_path: Path) -> None:
    """The folder with most of them is taken, and what is not used is told."""
    files = ("Point.py", "Shape.py", "new/Point.py", "new/Shape.py", "new/Game.py")
    submission = several(put(tmp_path, *files))
    assert {name: name for name in MODULES} == submission.parts
    assert {"new/Point.py", "new/Shape.py", "new/Game.py"} < submission.raw.keys()
    (said,) = (say(remark, "en") for remark in submission.remarks)
    assert said.endswith("which is in new: Point.py, Shape.py")


def test_of_two_whole_copies_the_outer_one_is_taken(tmp_path: Path) -> None:
    """An old copy in a folder below stays there."""
    files = [f"{folder}{name}.py" for folder in ("", "old/") for name in MODULES]
    put(tmp_path, *files)
    (tmp_path / "Point.py").write_bytes(b"here = 1\n")
    submission = several(tmp_path)
    assert "here = 1\n" == submission.modules["Point"].text
    assert ["remark.other_folder"] == remarks(submission)


def test_modules_in_other_letters(tmp_path: Path) -> None:
    """A name that differs by case will do, under that name; an exact one comes first."""
    submission = several(put(tmp_path, "POINT.py", "Point.py", "shape.PY", "GAME.py"))
    assert {"Point": "Point", "Shape": "shape", "Game": "GAME"} == submission.parts
    assert ["remark.module_name", "remark.module_name"] == remarks(submission)


@pytest.mark.parametrize(
    ("names", "key"),
    [
        (("mine.py",), "ungradable.no_modules"),
        (("Point.txt",), "ungradable.no_python_only"),
        ((), "ungradable.no_python"),
    ],
)
def test_no_module_at_all(tmp_path: Path, names: tuple[str, ...], key: str) -> None:
    """Without any of the modules there is nothing to grade, which says what was expected."""
    submission = several(put(tmp_path, *names))
    assert submission.obstacle is not None
    assert key == submission.obstacle.key
    assert "Point.py, Shape.py, Game.py" in say(submission.obstacle, "en")


def test_a_refused_module_tells_why(tmp_path: Path) -> None:
    """When the only file could not be read, that is the reason."""
    (tmp_path / "Point.py").symlink_to("/etc/passwd")
    assert "Point.py is a link, not a file, and was not read." == obstacle(several(tmp_path))
