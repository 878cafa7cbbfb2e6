"""Reports on disk: whole or not at all, under names that every system can hold."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import OutputError
from grader.reporting.writing import MAX_NAME_CHARS, file_stem, write_atomically


def names_in(folder: Path) -> list[str]:
    """Return the names of all files in `folder`."""
    return sorted(path.name for path in folder.iterdir())


def test_file_has_the_data(tmp_path: Path) -> None:
    """What is written can be read, and nothing else is in the folder."""
    write_atomically(tmp_path / "a.html", b"new")
    assert b"new" == (tmp_path / "a.html").read_bytes()
    assert ["a.html"] == names_in(tmp_path)


def test_old_file_is_replaced(tmp_path: Path) -> None:
    """A second report takes the place of the first."""
    (tmp_path / "a.html").write_bytes(b"a much longer old report")
    write_atomically(tmp_path / "a.html", b"new")
    assert b"new" == (tmp_path / "a.html").read_bytes()


def test_mode_is_that_of_ordinary_files(tmp_path: Path) -> None:
    """The umask decides who may read a report."""
    (tmp_path / "ordinary").touch()
    write_atomically(tmp_path / "a.html", b"new")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ordinary", "a.html")]
    assert modes[0] == modes[1]


@pytest.mark.parametrize("step", ["fsync", "write"])
def test_trouble_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A full disk is told with its way out, and nothing half-written stays."""
    target = tmp_path / "a.html"
    target.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError) as caught:
        write_atomically(target, b"new")
    assert f"cannot write {target}: No space left on device" == caught.value.message
    assert "free some space on that disk, or choose another folder" == caught.value.help
    assert b"old" == target.read_bytes()
    assert ["a.html"] == names_in(tmp_path)


def test_interruption_leaves_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of writing stays what it is, and removes the part."""

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "a.html", b"new")
    assert [] == names_in(tmp_path)


def test_missing_folder_is_told_with_its_way_out(tmp_path: Path) -> None:
    """The error names the path, the reason and what to do."""
    with pytest.raises(OutputError, match="No such file or directory") as caught:
        write_atomically(tmp_path / "no" / "a.html", b"new")
    assert "create the folder first, or choose another folder" == caught.value.help


def test_folder_in_the_way_is_told(tmp_path: Path) -> None:
    """A folder with the name of the report is an error, and stays."""
    (tmp_path / "a.html").mkdir()
    with pytest.raises(OutputError, match="cannot write"):
        write_atomically(tmp_path / "a.html", b"new")
    assert ["a.html"] == names_in(tmp_path)


def test_path_that_no_system_takes_is_told(tmp_path: Path) -> None:
    """A NUL in a path is an error like any other, and is not printed as it is."""
    with pytest.raises(OutputError) as caught:
        write_atomically(tmp_path / "a\x00b" / "c", b"new")
    assert "\x00" not in caught.value.message


@pytest.mark.parametrize(
    ("student", "name"),
    [
        ("student-017", "student-017"),
        ("Elise De Smet", "elise-de-smet"),
        ("Zoë Müller", "zoe-muller"),
        ("Łukasz Søren Weiß", "lukasz-soren-weiss"),
        ("de_clercq_nina", "de_clercq_nina"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\Windows\\x", "c-windows-x"),
        (".htaccess", "htaccess"),
        ("李小龙", "student"),
        ("", "student"),
        ("...", "student"),
        ("index", "student-index"),
        ("INDEX", "student-index"),
        ("CON", "student-con"),
        ("com1", "student-com1"),
        ("Lpt9", "student-lpt9"),
        ("con.txt", "con-txt"),
        ("<script>", "script"),
        ("a\x00\n\u202eb", "a-b"),
        ("\ud800", "student"),
        ("x" * 10_000_000, "x" * 60),
    ],
)
def test_names_are_safe_and_readable(student: str, name: str) -> None:
    """The name of a file reads like that of the student, and can be a file anywhere."""
    assert name == file_stem(student, set())


def test_names_that_are_taken_get_a_number() -> None:
    """Students of the same name have pages of their own."""
    taken: set[str] = set()
    names = [file_stem(student, taken) for student in ("Jan", "jan", "JAN!", "Jän")]
    assert ["jan", "jan-2", "jan-3", "jan-4"] == names
    assert set(names) == taken


def test_names_differ_where_case_does_not_count() -> None:
    """On many file systems `JAN` and `jan` are one file."""
    assert "jan-2" == file_stem("JAN", {"jan"})


def test_names_that_are_taken_are_not_gone_through() -> None:
    """Naming the files of a class takes a time that grows with the class, not with its square."""

    class Names(set[str]):
        def __iter__(self) -> Iterator[str]:
            raise AssertionError("each name is gone through for each student")

    taken = Names()
    assert ["jan", "jan-2"] == [file_stem("Jan", taken) for _ in range(2)]


def test_numbered_names_keep_their_length() -> None:
    """A number takes the place of the end of a long name."""
    names = {file_stem("x" * 99, taken) for taken in (set(), {"x" * 60})}
    assert {"x" * 60, "x" * 58 + "-2"} == names


@given(st.lists(st.text(), min_size=1, max_size=20))
def test_every_name_is_safe_and_unique(students: list[str]) -> None:
    """Whatever students are called, names are short, ASCII, unique and not reserved."""
    taken: set[str] = set()
    names = [file_stem(student, taken) for student in students]
    assert len(students) == len(set(names))
    for stem in names:
        assert 1 <= len(stem) <= MAX_NAME_CHARS
        assert stem not in {"index", "con", "nul", "aux", "prn"}
        assert set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_")
