"""What is left out of a class is told, and what is no download is told as what it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import RIGHT, SUITE, grader, write
from downloads import zipped
from made_archives import tarred

from grader.intake.people import Person
from grader.reporting.index_entry import does_something
from grader.store.runs import RunEntry, distinct_names
from grader.store.store import Store

CODE = RIGHT.encode()
HIDDEN = "it is hidden, because its name starts with a dot"
BACKUP = "it is named like an editor's backup file"
TOOL = "it is named like a folder that a program creates"


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
    help_ = "; rename it if it is a hand-in"
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
    assert "left out, because no exercise has that name: dubble\n" in done.err


@pytest.mark.parametrize("verb", ["plan", "grade"])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the download class.zip is empty"),
        (b"<!DOCTYPE html>\n<title>Log in", "class.zip is a web page instead of an archive"),
        (
            b"\xef\xbb\xbf \n<!-- x -->\n<HTML lang=en>",
            "class.zip is a web page instead of an archive",
        ),
        ("\ufeff<html>".encode("utf-16-le"), "class.zip is a web page instead of an archive"),
        (b"<?xml version='1.0'?><!DOCTYPE html>", "class.zip is a web page instead of an archive"),
        (b"<htmlx>", "no student was found in class.zip"),
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


def test_a_run_and_its_index_know_what_was_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    """With the reason, and as text: names are those of strangers."""
    for name in ("ann/double.py", "bob/double.py", ".<b>bert/double.py", "notes.md"):
        write(f"class/{name}", RIGHT)
    done = grader(capfd, "grade", "class", "--exercise", "double")
    assert "(1): .<b>bert" in done.err
    with Store.reading(Path("reports")) as store:
        told = {each.path: each.reason for each in store.run.left_out}
    assert {".<b>bert", "notes.md"} == told.keys()
    assert told[".<b>bert"].startswith(HIDDEN)
    page = Path("reports/index.html").read_text()
    assert "Left out: 2 files or folders" in page
    assert ".&lt;b&gt;bert</code>" in page


def test_a_run_with_pseudonyms_tells_no_names_of_what_was_left_out(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """They may be those of students."""
    for name in ("ann/double.py", "bob/double.py", ".bert/double.py"):
        write(f"class/{name}", RIGHT)
    assert 0 == grader(capfd, "grade", "class", "--exercise", "double", "--pseudonyms").code
    assert ".bert" not in Path("reports/index.html").read_text()


def test_who_handed_in_the_same_files_is_told_to_staff(capfd: pytest.CaptureFixture[str]) -> None:
    """By name, whatever the files are called, and not where they are as they were handed out."""
    own, other = "x = 2\n", "y = 2\n"
    empty = '"""Double."""\n\n\ndef double(x):\n    """Return twice x."""\n    pass  # here\n'
    for student, text in {
        "ann": RIGHT + own,
        "bob": RIGHT + own,
        "cas": RIGHT + other,
        "dee": empty,
        "eva": empty,
        "fay": "",
        "gil": "",
    }.items():
        write(f"class/{student}.py", text)
    assert 0 == grader(capfd, "grade", "class", "--exercise", "double").code
    page = Path("reports/index.html").read_text()
    assert "The same files: 2 submissions" in page
    section = page.partition('id="same-files"')[2].partition("</section>")[0]
    named = re.findall(r">(\w+)</a>", section)
    assert ["ann", "bob"] == named
    assert "bob" not in Path("reports/double/ann.html").read_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x):\n    ...\n\nclass A:\n    pass\n", False),
        ("import math\n\n@property\ndef f(x): raise NotImplementedError('later')\n", False),
        ("# all\ndef f(x):\n    '''Do it.\n    More.'''\n    return None\n", False),
        ("def f(x):\n    return x\n", True),
        ("def f(x): return x\n", True),
        ("LIMIT = 3\n", True),
    ],
)
def test_a_file_to_be_filled_in_does_nothing(text: str, expected: bool) -> None:
    """Heads, docstrings and empty bodies are nobody's work."""
    assert expected == does_something(text)


def test_two_students_of_one_name_are_told_apart(capfd: pytest.CaptureFixture[str]) -> None:
    """In the form of the index, by `mark` and its list, and where marks are exported."""
    for number in ("7", "8"):
        write(f"class/Wei Chen_{number}_assignsubmission_file/double.py", RIGHT)
    assert 0 == grader(capfd, "grade", "class", "--exercise", "double").code
    apart = ["Wei Chen (7)", "Wei Chen (8)"]
    page = Path("reports/index.html").read_text()
    form = page.partition('<select name="student">')[2].partition("</select>")[0]
    assert apart == re.findall(r">\s*(\w[^<]*?)\s*</option>", form)
    asked = ("--exercise", "double", "--comment", "Good.", "--by", "me")
    done = grader(capfd, "mark", "reports", "Wei Chen (8)", *asked)
    assert "Wei Chen (8) (double): 2 of 2" in done.err
    assert "Wei Chen (8) (double)" in grader(capfd, "mark", "reports", "--list").out
    write("marks.csv", "name,double\nWei Chen,\nBob,\n")
    done = grader(capfd, "export", "reports", "--into", "marks.csv")
    assert all(f"{each}: somebody else in the run has this name" in done.err for each in apart)


def test_names_are_told_apart_by_what_the_run_knows() -> None:
    """By the name of the run where two are called the same, and not otherwise."""

    def entry(student: str, name: str | None = None) -> RunEntry:
        person = None if name is None else Person(name=name)
        return RunEntry(exercise="double", student=student, stem="x", person=person)

    entries = [entry("r1", "Wei Chen"), entry("r2", "wei chen"), entry("Wei Chen (2)"), entry("r3")]
    assert ["Wei Chen (r1)", "wei chen (r2)", "Wei Chen (2)", "r3"] == [
        *distinct_names(entries).values()
    ]
    rival = [entry("x", "Wei"), entry("Wei", "Wei"), entry("Wei (x)")]
    assert 3 == len(set(distinct_names(rival).values()))


_BLACKBOARD = "Oef_r0101_poging_2026-10-07-21-15-02_double.py"


@pytest.mark.commands
@pytest.mark.parametrize(
    ("layout", "files", "lost"),
    [
        ((), (_BLACKBOARD, "bob/double.py"), "bob"),
        ((), (f"all/{_BLACKBOARD}", "all/bob/double.py"), "all/bob"),
        ((), ("ann/double.py", ".b.ert/double.py"), ".b.ert"),
        (("--layout", "blackboard"), (_BLACKBOARD, "bob.py", "cas.py", "dee.py"), "dee.py"),
        (("--pattern", ".*ann/(?P<student>.+)"), ("ann/x.py", "bob/x.py", "bob/y.py"), "bob"),
    ],
)
def test_a_class_of_which_half_is_left_out_is_refused(
    capfd: pytest.CaptureFixture[str],
    layout: tuple[str, ...],
    files: tuple[str, ...],
    lost: str,
) -> None:
    """With the names of what would be lost; `--partial` goes on, and `plan` shows all of it."""
    args = (handed_over(dict.fromkeys(files, CODE), "folder"), "--exercise", "double", *layout)
    refused = grader(capfd, "grade", *args)
    assert (5, "") == (refused.code, refused.out)
    assert "error: only 1 hand-in in class would be graded; " in refused.err
    assert lost in refused.err
    assert not Path("reports").exists()
    plan = grader(capfd, "plan", *args)
    assert (0, True) == (plan.code, "with --partial" in " ".join(plan.out.split()))
    assert 0 == grader(capfd, "grade", *args, "--partial").code


@pytest.mark.commands
@pytest.mark.parametrize(
    "files",
    [
        ("ann/double.py", "README.md", "notes.txt", "task.pdf", "tests/a.py", "bob/double.py"),
        ("ann.py", "bob.py", "bob.py~", "old.py~", "cas.py~", ".remarks.txt"),
        (_BLACKBOARD, _BLACKBOARD.replace("r0101", "r0102"), "cas/double.py"),
    ],
)
def test_what_is_nobodys_work_is_no_lost_class(
    capfd: pytest.CaptureFixture[str], files: tuple[str, ...]
) -> None:
    """Texts, backups and what nobody is called do not keep a class from being graded."""
    name = handed_over(dict.fromkeys(files, CODE), "folder")
    assert 0 == grader(capfd, "grade", name, "--exercise", "double").code
