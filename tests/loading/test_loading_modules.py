"""What a suite of several modules becomes, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.judging.rules import KINDS
from grader.suite.code import MAX_CODE_BYTES
from grader.suite.loading import InvalidSuite, parse_suite
from grader.suite.model import Suite

GOOD = """\
exercise: shapes
title: Shapes
language: en
modules: [Point, Shape, Game]
defines: [Point.shift, Game.play, Game.Refused]
given: {helper: ours/helper.py, src.helper: ours/helper.py}
stand_ins: {Point: ours/Point.py, Shape: ours/Shape.py}
groups: [{id: g, points: 1}]
sessions:
- id: all
  steps:
  - {do: "Point.shift(1)", returns: "2", group: g}
- id: some
  uses: [Shape, Game]
  stand_ins: [Point, Shape]
  observers: [Shape.count()]
  steps:
  - {do: "Game.play(Shape.make())", raises: Refused, group: g}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of suites, with the files of ours that they name beside it."""
    (tmp_path / "ours").mkdir()
    for name in ("helper", "Point", "Shape"):
        (tmp_path / "ours" / f"{name}.py").write_text(f"NAME = {name!r}\r\n", encoding="utf-8")
    (tmp_path / "suites").mkdir()
    return tmp_path / "suites"


def loaded(text: str, folder: Path) -> Suite:
    """Return the suite `text` of a file in `folder`."""
    return parse_suite(text.encode(), str(folder / "shapes.yaml"), KINDS)


def problems(text: str, folder: Path) -> list[str]:
    """Return `line:column message` of all that is wrong with the suite; each tells a way out."""
    with pytest.raises(InvalidSuite) as caught:
        loaded(text, folder)
    assert all(one.help for one in caught.value.diagnostics)
    return [f"{one.line}:{one.column} {one.message}" for one in caught.value.diagnostics]


def test_every_key_arrives(folder: Path) -> None:
    """Modules keep their order, and files of ours are read."""
    suite = loaded(GOOD, folder)
    assert (("Point", "Shape", "Game"), "modules") == (suite.modules, suite.binds)
    assert {"helper": "NAME = 'helper'\n", "src.helper": "NAME = 'helper'\n"} == suite.given
    assert {"Point": "NAME = 'Point'\n", "Shape": "NAME = 'Shape'\n"} == suite.stand_ins
    every, some = suite.sessions
    assert (suite.modules, ()) == (every.modules, every.stand_ins)
    assert (("Shape", "Game"), ("Point", "Shape")) == (some.modules, some.stand_ins)
    assert ("Shape.count()",) == some.steps[0].observers


def test_files_lie_below_the_suite_or_beside_its_folder(folder: Path) -> None:
    """A path counts from the folder of the suite first, then from the one above."""
    (folder / "ours").mkdir()
    (folder / "ours" / "Point.py").write_text("NAME = 'nearer'\n", encoding="utf-8")
    assert "NAME = 'nearer'\n" == loaded(GOOD, folder).stand_ins["Point"]
    text = GOOD.replace("Shape: ours", "Shape: ../ours")
    assert "NAME = 'Shape'\n" == loaded(text, folder).stand_ins["Shape"]


def test_code_of_ours_is_part_of_the_hash(folder: Path) -> None:
    """A record must tell a suite with other stand-ins from this one."""
    before = loaded(GOOD, folder).sha256
    assert before == loaded(GOOD, folder).sha256
    (folder.parent / "ours" / "Point.py").write_text("NAME = 'other'\n", encoding="utf-8")
    assert before != loaded(GOOD, folder).sha256


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("title", "module: shapes\ntitle", ["5:1 'module' is given already"]),
        ("[Point, Shape, Game]", "[]", ["4:1 'modules' is empty"]),
        (
            "Shape, Game]\ndef",
            "Game, Game]\ndef",
            [
                "4:24 the module 'Game' is given twice",
                "7:35 unknown module 'Shape'",
                "14:10 unknown module 'Shape'",
                "15:22 unknown module 'Shape'",
            ],
        ),
        ("modules: [Point", "modules: [__Point", ["4:11 '__Point' is a name that Python reserves"]),
        ("[Point.shift,", "[shift,", ["5:11 the module is missing in 'shift'"]),
        ("[Point.shift,", "[Pont.shift,", ["5:11 unknown module 'Pont' (did you mean 'Point'?)"]),
        ("[Point.shift,", "[Point.a.b,", ["5:11 'Point.a.b' is not a name to define"]),
        ("{helper:", "{Game:", ["6:9 'Game' is handed in by students, so it cannot be given"]),
        ("src.helper:", "src.:", ["6:33 'src.' is not the name of a module"]),
        (
            "helper: ours/helper.py,",
            "helper: ours/helper.txt,",
            ["6:17 'ours/helper.txt' is not the path of a Python file in this project"],
        ),
        (
            "helper: ours/helper.py,",
            "helper: /ours/helper.py,",
            ["6:17 '/ours/helper.py' is not the path of a Python file in this project"],
        ),
        ("helper: ours/helper.py,", "helper: ours/x.py,", ["6:17 there is no file 'ours/x.py'"]),
        (
            "{Point: ours",
            "{Pont: ours",
            [
                "7:13 unknown module 'Pont' (did you mean 'Point'?)",
                "15:15 there is no stand-in for 'Point'",
            ],
        ),
        (
            "uses: [Shape,",
            "uses: [Shap,",
            [
                "14:10 unknown module 'Shap' (did you mean 'Shape'?)",
                "16:15 the observer reads 'Shape', which no step of the session binds",
                "18:10 the step reads 'Shape', which its session does not use",
            ],
        ),
        ("uses: [Shape, Game]", "uses: []", ["14:3 'uses' is empty"]),
        (
            "uses: [Shape, Game]",
            "uses: [Game, Game]",
            [
                "14:16 the module 'Game' is given twice",
                "16:15 the observer reads 'Shape', which no step of the session binds",
                "18:10 the step reads 'Shape', which its session does not use",
            ],
        ),
        (
            "stand_ins: [Point, Shape]",
            "stand_ins: [Game]",
            ["15:15 there is no stand-in for 'Game'"],
        ),
        (
            "uses: [Shape, Game]",
            "uses: [Shape]",
            [
                "15:3 all modules that this session uses have stand-ins",
                "18:10 the step reads 'Game', which its session does not use",
            ],
        ),
        (
            "[Shape.count()]",
            "[count()]",
            ["16:15 the observer reads 'count', which no step of the session binds"],
        ),
    ],
)
def test_mistakes(folder: Path, old: str, new: str, says: list[str]) -> None:
    """What a suite says of its modules must fit together."""
    assert 1 == GOOD.count(old)
    assert says == problems(GOOD.replace(old, new), folder)


def test_keys_for_several_modules_need_them(folder: Path) -> None:
    """With a single module there is nothing to use, and nothing that could give way."""
    text = GOOD.replace("modules: [Point, Shape, Game]", "module: shapes")
    found = [line.partition(" ")[2] for line in problems(text, folder)]
    assert [
        "'Point.shift' has a module, but the exercise has only one module",
        "'Game.play' has a module, but the exercise has only one module",
        "'Game.Refused' has a module, but the exercise has only one module",
        "'stand_ins' has no effect for a single module without helpers",
        "'uses' has no effect for a single module",
        "'stand_ins' has no effect for a single module",
    ] == [line for line in found if "observer" not in line]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"def f(:\n", "'ours/helper.py' is not valid Python: invalid syntax"),
        (b"x = '\xff'\n", "'ours/helper.py' is not UTF-8 (line 1)"),
        (b"x = '\0'\n", "'ours/helper.py' is not valid Python: source code "),
        (b"#" * (MAX_CODE_BYTES + 1), "'ours/helper.py' is larger than 1024 KiB"),
    ],
)
def test_code_that_nobody_could_import(folder: Path, data: bytes, says: str) -> None:
    """A file of ours has to be a text that compiles; nothing of it is run here."""
    (folder.parent / "ours" / "helper.py").write_bytes(data)
    assert [True, True] == [says in line for line in problems(GOOD, folder)]


def test_code_of_ours_is_not_run(folder: Path) -> None:
    """Loading a suite runs nothing."""
    (folder.parent / "ours" / "helper.py").write_text("raise SystemExit\n", encoding="utf-8")
    assert "raise SystemExit\n" == loaded(GOOD, folder).given["helper"]
