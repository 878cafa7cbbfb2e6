"""A suite that was read is kept, and taken again only where nothing that made it changed."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, process, write

from grader.judging.rules import KINDS
from grader.suite import cache, files, loading
from grader.suite.cache import MAX_BYTES, OFF_VARIABLE, keep, recalled
from grader.suite.fields import Form
from grader.suite.files import load_suite, load_whole_suite, required_names
from grader.suite.loading import InvalidSuite
from grader.suite.model import Suite

PUBLIC: Final = """\
exercise: double
title: A title
language: en
module: double
defines: [double]
spec: spec.md
given: {helper: helper.py}
checkers: {asker: asker.py}
clauses: [{id: twice, quote: twice as much}]
groups: [{id: g, points: 2}]
rules:
  loops: [{functions: [double], forbid: [while]}]
sessions:
  - id: example
    steps:
      - {do: double(2), returns: "4", group: g, clause: twice}
"""
HIDDEN: Final = """\
exercise: double
clauses: [{id: more, quote: a number}]
sessions:
  - id: other
    steps:
      - {do: double(3), returns: "6", group: g, clause: more}
"""
Load = Callable[[Path, tuple[str, ...]], Suite]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which suites are kept, of a user who has nothing there yet."""
    monkeypatch.delenv(OFF_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "grader" / "suites"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return the public suite of a course in which files are older than a moment."""
    folder = tmp_path / "course"
    folder.mkdir()
    texts = {
        "double.yaml": PUBLIC,
        "double.hidden.yaml": HIDDEN,
        "spec.md": "It is twice as much.\nIt takes a number.\n",
        "helper.py": "LARGEST = 9\n",
        "asker.py": "def ask(answer): return True\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
        os.utime(folder / name, (1_000_000_000, 1_000_000_000))
    return folder / "double.yaml"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets one longer with each suite that is really read."""
    seen: list[int] = []
    read = loading.parse_suites

    def counted(*given: object) -> object:
        seen.append(1)
        return read(*given)  # type: ignore[arg-type]  # whatever it takes

    monkeypatch.setattr(loading, "parse_suites", counted)
    return seen


def told(value: object) -> object:
    """Return what `value` of a suite says, field by field."""
    if isinstance(value, Form):
        return type(value), {name: told(getattr(value, name)) for name in type(value).form_keys}
    return [told(each) for each in value] if isinstance(value, tuple) else value


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("load", [load_suite, load_whole_suite])
def test_a_suite_is_read_once(load: Load, course: Path, reads: list[int]) -> None:
    """What is taken again is the suite that was read, to the last field."""
    first, again = load(course, KINDS), load(course, KINDS)
    assert 1 == len(reads)
    assert told(first) == told(again)


@pytest.mark.usefixtures("kept")
def test_the_hidden_part_makes_another_suite(course: Path, reads: list[int]) -> None:
    """Who asks for the public suite never gets the whole one, nor the other way round."""
    found = [len(load(course, KINDS).sessions) for load in (load_whole_suite, load_suite) * 2]
    assert ([2, 1, 2, 1], 2) == (found, len(reads))


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("double.yaml", PUBLIC.replace("A title", "Another")),
        ("double.hidden.yaml", HIDDEN.replace("other", "others")),
        ("spec.md", "\nIt is twice as much.\nIt takes a number.\n"),
        ("helper.py", "LARGEST = 8\n"),
        ("asker.py", "def ask(answer): return False\n"),
    ],
)
def test_whatever_it_is_made_from_is_looked_at(
    name: str, text: str, course: Path, reads: list[int]
) -> None:
    """Each of the files that a suite consists of makes another one when it says something else."""
    before = load_whole_suite(course, KINDS)
    (course.parent / name).write_text(text)
    after = load_whole_suite(course, KINDS)
    assert 2 == len(reads)
    assert before.sha256 != after.sha256


@pytest.mark.usefixtures("kept")
def test_a_mistake_is_told_each_time(course: Path) -> None:
    """A file that is gone, or a suite that was never in order, is a mistake as without a cache."""
    load_suite(course, KINDS)
    (course.parent / "helper.py").unlink()
    for _ in range(2):
        with pytest.raises(InvalidSuite, match=r"there is no file 'helper\.py'"):
            load_suite(course, KINDS)


@pytest.mark.usefixtures("kept")
def test_a_nearer_file_counts(course: Path, reads: list[int]) -> None:
    """A file that is named from the folder above is not taken once a nearer one is there."""
    above = course.parent.parent / "helper.py"
    (course.parent / "helper.py").rename(above)
    load_suite(course, KINDS)
    (course.parent / "helper.py").write_text("LARGEST = 7\n")
    assert "LARGEST = 7\n" == load_suite(course, KINDS).given["helper"]
    assert 2 == len(reads)


@pytest.mark.usefixtures("kept")
def test_a_spec_that_may_have_changed_meanwhile_is_read_again(
    course: Path, reads: list[int]
) -> None:
    """A text that was saved this moment may not be the one that was looked at."""
    os.utime(course.parent / "spec.md")
    load_suite(course, KINDS)
    load_suite(course, KINDS)
    assert 2 == len(reads)


@pytest.mark.usefixtures("kept")
def test_other_code_reads_anew(
    course: Path, reads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another version of ours has kept is not taken."""
    load_suite(course, KINDS)
    monkeypatch.setattr(files, "_code_version", lambda: ("another version",))
    load_suite(course, KINDS)
    assert 2 == len(reads)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _foreign(path: Path) -> None:
    packed = pickle.dumps(print)
    path.write_bytes(hashlib.sha256(packed).digest() + packed)


def _open_to_others(path: Path) -> None:
    path.chmod(0o644)


def _folder_open_to_others(path: Path) -> None:
    path.parent.chmod(0o755)


def _linked_folder(path: Path) -> None:
    path.parent.rename(path.parent.parent / "elsewhere")
    path.parent.symlink_to("elsewhere")


def _emptied(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "spoil", [_cut, _foreign, _open_to_others, _folder_open_to_others, _linked_folder, _emptied]
)
def test_doubt_means_reading_anew(
    spoil: Callable[[Path], None], kept: Path, course: Path, reads: list[int]
) -> None:
    """What is damaged, or what others may have written, is not taken, and no mistake."""
    load_suite(course, KINDS)
    (path,) = kept.iterdir()
    spoil(path)
    assert "double" == load_suite(course, KINDS).exercise
    assert 2 == len(reads)


@pytest.mark.skipif(not hasattr(os, "geteuid") or bool(os.geteuid()), reason="only root gives away")
def test_what_another_user_wrote_is_not_believed(
    kept: Path, course: Path, reads: list[int]
) -> None:
    """A file or a folder of somebody else is left alone, and nothing is kept beside it."""
    load_suite(course, KINDS)
    (path,) = kept.iterdir()
    os.chown(path, 12345, 12345)
    load_suite(course, KINDS)
    os.chown(kept, 12345, 12345)
    load_suite(course, KINDS)
    assert 3 == len(reads)


def test_it_is_for_its_user_alone(kept: Path, course: Path) -> None:
    """Hidden suites are in there: nobody else can read it, whatever the umask says."""
    before = os.umask(0)
    try:
        load_whole_suite(course, KINDS)
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in (kept, kept.parent)}
    assert ({0o700}, {0o600}) == (modes, {path.stat().st_mode & 0o777 for path in kept.iterdir()})


def test_it_does_not_grow(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not used for longest goes first, and what is too large is not kept at all."""
    monkeypatch.setattr(cache, "MAX_BYTES_IN_ALL", 3_000)
    for number in range(3):
        keep(f"old-{number}", b"x" * 900)
        os.utime(kept / f"old-{number}", (number, number))
    assert b"x" * 900 == recalled("old-0")
    keep("new", b"y" * 900)
    keep("large", b"z" * MAX_BYTES)
    assert {"old-0", "old-2", "new"} == {path.name for path in kept.iterdir()}


def test_names_are_kept_too(kept: Path, course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which names a suite asks for is read once, and anew when its text has changed."""
    first = required_names(course)
    monkeypatch.setattr(loading, "read_required_names", lambda _text: {"defines": ["other"]})
    assert first == required_names(course)
    course.write_text(PUBLIC + "\n")
    assert {"defines": ["other"]} == required_names(course)
    assert 2 == len([*kept.iterdir()])


def test_a_variable_does_without(
    kept: Path, course: Path, reads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is not wanted, nothing is kept, and nothing that was is taken."""
    load_suite(course, KINDS)
    monkeypatch.setenv(OFF_VARIABLE, "1")
    load_suite(course, KINDS)
    assert (2, 1) == (len(reads), len([*kept.iterdir()]))


@pytest.mark.usefixtures("kept")
def test_without_a_home_it_goes_without(
    course: Path, reads: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place that is no folder, or that is not told from the root, is no mistake."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for place in (str(tmp_path / "file"), "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", place)
        load_suite(course, KINDS)
    assert 2 == len(reads)
    assert not Path("relative").exists()


def test_commands_say_the_same(
    kept: Path, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check and a run on a suite that was kept give what they gave when it was read."""
    monkeypatch.chdir(tmp_path)
    file = write("class/ada/double.py", RIGHT)
    checks = [process("check", file, "--suites", str(course.parent), "--json") for _ in range(2)]
    assert checks[0] == checks[1]
    assert 0 == checks[0].code, checks[0].err
    grade = ("grade", "class", "--exercise", str(course), "--out")
    for out in ("first", "second"):
        assert 0 == process(*grade, out).code
    assert 3 == len([*kept.iterdir()])
    first, second = (Path(out, "results.json").read_bytes() for out in ("first", "second"))
    assert first == second


@pytest.mark.usefixtures("kept")
def test_a_check_imports_nothing_to_read_a_suite_again(course: Path, tmp_path: Path) -> None:
    """A kept suite without rules needs no pydantic and no YAML; one that is read needs both."""
    course.write_text(
        PUBLIC.replace("rules:\n  loops: [{functions: [double], forbid: [while]}]\n", "")
    )
    (tmp_path / "double.py").write_text(RIGHT)
    program = (
        "import sys\nfrom grader.cli.verbs import main\ntry: main()\nfinally: "
        "print(sorted({'pydantic', 'yaml'} & sys.modules.keys()))"
    )
    check = ("check", str(tmp_path / "double.py"), "--suites", str(course.parent))
    said = [
        subprocess.run(
            [sys.executable, "-c", program, *check], capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    last = [each.stdout.splitlines()[-1] for each in said]
    assert ["['pydantic', 'yaml']", "[]"] == last
