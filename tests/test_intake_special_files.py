"""Hand-ins with what is no ordinary file, is too much or too deep, or may not be read."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from handed_in import entries, main_name, obstacle, put, remarks, students, taken, taken_from

from grader.cli.sources import SourceOptions, find_plans
from grader.errors import NothingToGrade
from grader.intake.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    SubmissionError,
    file_content,
    is_ignored,
)
from grader.intake.members import MAX_LEVELS
from grader.intake.submissions import single_entry
from grader.reporting.wording import format_message

NOBODY: Final = 65534


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
    (symlink, "{} is a link, not a file, and was not read. Hand in the file it points to."),
    (dangling, "{} is a link, not a file, and was not read. Hand in the file it points to."),
    (loop, "{} is a link, not a file, and was not read. Hand in the file it points to."),
    (link_to_folder, "{} is a link, not a file, and was not read. Hand in the file it points to."),
    (fifo, "{} is a device or another special file and was not read. Hand in a regular file."),
    (device, "{} is a device or another special file and was not read. Hand in a regular file."),
    (listening, "{} is a device or another special file and was not read. Hand in a regular file."),
    (large, "{} is larger than 1024 KiB and was not read. Hand in a smaller file."),
]


@pytest.mark.parametrize(("make", "reason"), SPECIAL)
def test_special_file_as_hand_in_is_ungradable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], reason: str
) -> None:
    """It stands in the list of students with its reason, and nothing of it was read."""
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    make(Path("jan.py"))
    (entry,) = entries(tmp_path)
    submission = taken_from(entry)
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
    assert [reason.format("data.txt")] == [format_message(one, "en") for one in submission.remarks]


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
    assert data == file_content(str(put(tmp_path, "a.py", data=data) / "a.py"), "a.py")(
        MAX_FILE_BYTES
    )


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
    too_large = "Together, the files are larger than 8 MiB, so not all of them were read."
    assert [f"{too_large} Hand in fewer or smaller files."] == [
        format_message(one, "en") for one in submission.remarks
    ]


def test_folders_are_walked_to_a_bounded_depth(tmp_path: Path) -> None:
    """A file in the deepest folder that counts is found, one below it is not."""
    put(tmp_path, "/".join("a" * (MAX_LEVELS - 1)) + "/akari.py")
    assert "akari.py" == main_name(taken(tmp_path))
    put(tmp_path / "deeper", "/".join("a" * MAX_LEVELS) + "/akari.py")
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
    deepest = "/".join("d" * MAX_LEVELS)
    too_deep = f"{deepest} is more than 64 folders deep and was not read. Use fewer folders."
    assert too_deep == obstacle(nothing)
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
        with pytest.raises(NothingToGrade, match="Permission denied"):
            find_plans([folder], SourceOptions(exercise="yinyang"), reports=None, needs_suite=True)
    finally:
        folder.chmod(0o700)


def test_folder_that_may_be_listed_but_not_entered_breaks_nothing(folder: Path) -> None:
    """Every name in it is there, and says that it could not be read."""
    put(folder, "jan.py", "an/akari.py")
    folder.chmod(0o400)
    try:
        an, jan = entries(folder)
        submission = taken_from(jan)
        assert "an could not be read: Permission denied" == obstacle(taken_from(an))
        whole = taken(folder)
    finally:
        folder.chmod(0o700)
    assert "jan.py could not be read: Permission denied" == obstacle(submission)
    assert 2 == len([whole.ungradable, *whole.remarks])


def test_unreadable_folder_of_a_student_is_told(folder: Path) -> None:
    """Her folder is not said to be empty: it could not be read."""
    put(folder, "jan/akari.py")
    (folder / "jan").chmod(0)
    try:
        (entry,) = entries(folder)
        submission = taken_from(entry)
    finally:
        (folder / "jan").chmod(0o700)
    assert "jan could not be read: Permission denied" == obstacle(submission)


def test_file_that_went_away_is_told(tmp_path: Path) -> None:
    """Between finding and reading, a file can vanish."""
    with pytest.raises(SubmissionError) as caught:
        file_content(str(tmp_path / "gone.py"), "gone.py")(1)
    assert "gone.py could not be read: No such file or directory" == format_message(
        caught.value.reason, "en"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("akari.py", False),
        (".akari.py", True),
        ("a.py~", True),
        ("venv", True),
        ("__pycache__", True),
    ],
)
def test_leftovers(name: str, expected: bool) -> None:
    """Names that editors and systems leave behind are known."""
    assert expected == is_ignored(name)
