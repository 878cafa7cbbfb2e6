"""Hand-ins for exercises of several modules."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from handed_in import obstacle, put, remarks

from grader.intake.submission import Submission
from grader.intake.submissions import Entry, read_submission
from grader.reporting.wording import format_message

MODULES: Final = ("Point", "Shape", "Game")


def several(path: Path) -> Submission:
    """Return the submission at `path` for an exercise of three modules."""
    return read_submission(Entry("student", path), MODULES, ("Point.f", "Game.g"))


@pytest.mark.parametrize("folder", ["", "src/", "practicum/", "my work/1.2/"])
def test_modules_are_found_together(tmp_path: Path, folder: str) -> None:
    """Modules lie in the folder that was handed in, or deeper; helpers and data go with them."""
    names = ("Point.py", "Shape.py", "Game.py", "tools.py", "lib/more.py", "grid.txt")
    submission = several(put(tmp_path, *(folder + name for name in names)))
    assert {name: name for name in MODULES} == submission.parts
    assert {*MODULES, "tools", "lib.more"} == submission.modules.keys()
    assert ["grid.txt"] == [*submission.data]
    assert [] == remarks(submission)


def test_missing_modules_are_left_out(tmp_path: Path) -> None:
    """What is there is taken; what is not is for the judge to tell."""
    submission = several(put(tmp_path, "Point.py", "Game.py"))
    assert {"Point": "Point", "Game": "Game"} == submission.parts
    assert None is submission.ungradable


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
    (said,) = (format_message(remark, "en") for remark in submission.remarks)
    assert said.endswith("other files (new): Point.py, Shape.py")


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
    assert submission.ungradable is not None
    assert key == submission.ungradable.key
    assert "Point.py, Shape.py, Game.py" in format_message(submission.ungradable, "en")


def test_a_refused_module_tells_why(tmp_path: Path) -> None:
    """When the only file could not be read, that is the reason."""
    (tmp_path / "Point.py").symlink_to("/etc/passwd")
    assert (
        "Point.py is a link, not a file, and was not read. Hand in the file it points to."
        == obstacle(several(tmp_path))
    )


def test_a_folder_can_be_a_module(tmp_path: Path) -> None:
    """That is one with its name; what lies in it is its own, and no other version."""
    put(tmp_path, "Point/__init__.py", "Shape.py", data=b"from .point import f\n")
    put(tmp_path, "Point/Point.py", "Game.py", data=b"from Point import f\n")
    submission = several(tmp_path)
    assert {name: name for name in MODULES} == submission.parts
    assert {*MODULES, "Point.Point"} == submission.modules.keys()
    assert [] == remarks(submission)


def test_modules_elsewhere_come_along_where_they_are_imported(tmp_path: Path) -> None:
    """But for those that nobody imports, and for other copies of what is asked."""
    put(tmp_path, "a/Point.py", "a/Shape.py", data=b"import lib.tools, Game, one\n")
    put(tmp_path, "lib/tools.py", "lib/more.py", "Game.py", "two.py", "a/one.py", "one.py")
    submission = several(tmp_path)
    assert {"Point", "Shape", "one", "lib.tools", "lib.more"} == submission.modules.keys()
    assert "../lib/tools.py" == submission.modules["lib.tools"].name
    assert "one.py" == submission.modules["one"].name


def test_what_a_module_lacks_is_told_where_it_is(tmp_path: Path) -> None:
    """It may be in a file that nobody imports."""
    put(tmp_path, "Point.py", "Game.py")
    put(tmp_path, "rest.py", data=b"def f(): 0\ndef g(): 0\n")
    told = [format_message(remark, "en").partition(":")[0] for remark in several(tmp_path).remarks]
    assert [
        f"{file}.py was graded, but does not define {name}. That code is in rest.py"
        for file, name in (("Point", "f"), ("Game", "g"))
    ] == told
    put(tmp_path, "Point.py", "Game.py", data=b"from rest import f, g\n")
    assert [] == remarks(several(tmp_path))
