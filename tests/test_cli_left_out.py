"""What is left out of a class is told, and what is no download is told as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import RIGHT, SUITE, grader, write
from downloads import zipped
from made_archives import tarred

CODE = RIGHT.encode()
HIDDEN = "it is hidden: its name begins with a dot"
BACKUP = "it is named like what an editor has as a backup"
TOOL = "it is named like a folder of a program"


@pytest.fixture(autouse=True)
def suite(here: Path) -> Path:
    """An exercise that is handed in as `double.py`."""
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))
    return here


def handed_over(files: dict[str, bytes], kind: str) -> str:
    """Return the name of a class with `files`, as a folder or as an archive."""
    if kind == "folder":
        for name, data in files.items():
            path = Path("class", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return "class"
    make = {"zip": zipped, "tar": tarred}[kind]
    Path(f"class.{kind}").write_bytes(make(files))
    return f"class.{kind}"


@pytest.mark.parametrize("kind", ["folder", "zip", "tar"])
def test_who_is_called_like_what_programs_leave_behind_is_told(
    capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    """A folder or file that holds work never vanishes, and its name says why it is left out."""
    odd = (
        ".bert/double.py",
        ".dora.py",
        ".eva/in/double.ipynb",
        "anna~/double.py",
        "env/double.py",
    )
    files = dict.fromkeys(("carl/double.py", "emma/double.py", *odd, "fred.py~"), CODE)
    done = grader(capfd, "plan", handed_over(files, kind), "--exercise", "double")
    said = " ".join(done.out.split())
    assert "2 students found" in said
    help_ = "; give it another name if it is a hand-in"
    assert f"left out, as {HIDDEN}{help_} (3): " in said
    assert f"left out, as {BACKUP}{help_} (2): " in said
    assert f"left out, as {TOOL}{help_} (1): env" in said
    assert all(name in said for name in (".bert", ".dora.py", ".eva", "anna~", "fred.py~"))


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_what_programs_leave_behind_is_not_told(
    capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    """Nor is a backup beside its file, or what is hidden in a hand-in."""
    noise = (
        ".DS_Store",
        "__MACOSX/._x.py",
        "Thumbs.db",
        ".git/hooks/a.py",
        ".vscode/a.py",
        ".#a.py",
    )
    more = (
        "._bob.py",
        "~$bob.docx",
        "bob.py~",
        "ann/.old/double.py",
        "ann/double.py~",
        ".gitignore",
    )
    files = dict.fromkeys(("ann/double.py", "bob.py", *noise, *more), CODE)
    done = grader(capfd, "plan", handed_over(files, kind), "--exercise", "double")
    assert (0, "") == (done.code, done.err)
    assert "2 students found" in done.out
    assert "left out" not in done.out


def test_who_is_alone_and_hidden_is_named_where_nobody_is_found(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The error says whose folder was passed over, and why."""
    write("class/.bert/double.py", RIGHT)
    done = grader(capfd, "grade", "class", "--exercise", "double")
    assert 5 == done.code
    assert f".bert: {HIDDEN}" in done.err


def test_an_archive_in_an_archive_is_no_backup_for_its_name(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """`env.zip` and `anna~.zip` are those of students, though their folders would not be."""
    one = zipped({"double.py": CODE})
    name = handed_over({"env.zip": one, "anna~.zip": one, ".kim.zip": one}, "zip")
    done = grader(capfd, "plan", name, "--exercise", "double")
    assert ["anna~", "env"] == [
        line.split()[0] for line in done.out.splitlines() if line.endswith("double.py")
    ]
    assert "(1): .kim.zip" in done.out


def test_folders_of_no_exercise_are_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Beside those of exercises a folder that is misspelt would be gone in silence."""
    for name in ("double/ann.py", "dubble/bob.py", "docs/x.py"):
        write(f"in/{name}", RIGHT)
    done = grader(capfd, "plan", "in")
    assert "left out, as no exercise is called so: dubble\n" in done.err


@pytest.mark.parametrize("verb", ["plan", "grade"])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "class.zip has 0 bytes: the download broke off"),
        (b"<!DOCTYPE html>\n<title>Log in", "class.zip is a web page and no archive"),
        (b"\xef\xbb\xbf \n<!-- x -->\n<HTML lang=en>", "class.zip is a web page and no archive"),
        ("\ufeff<html>".encode("utf-16-le"), "class.zip is a web page and no archive"),
        (b"<?xml version='1.0'?><!DOCTYPE html>", "class.zip is a web page and no archive"),
        (b"<htmlx>", "nobody is recognised in class.zip"),
    ],
)
def test_what_is_no_download_is_told(
    capfd: pytest.CaptureFixture[str], verb: str, data: bytes, said: str
) -> None:
    """A browser saves the page to log in with under the name of the download."""
    Path("class.zip").write_bytes(data)
    done = grader(capfd, verb, "class.zip", "--exercise", "double")
    assert (5, "") == (done.code, done.out)
    assert f"error: {said}" in done.err
