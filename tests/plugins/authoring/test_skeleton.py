"""The files that students start from: complete where code is given, silent about the rest."""

from __future__ import annotations

import ast
import io
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from test_recursion_catalogue import suite_of

from grader.errors import SuiteError, UsageError
from grader.plugins.authoring.skeleton import (
    SETTINGS_NAME,
    ModuleSkeleton,
    given_digests,
    skeleton,
    skeleton_files,
)
from grader.sandbox.zygote import Zygote
from grader.suite.diagnostics import InvalidSuite

ROOT: Final = Path(__file__).resolve().parents[3]
REFERENCE: Final = ROOT / "reference/1010"
MODULES: Final = ("Position", "Block", "Board", "Game")
GIVEN: Final = {
    "Position": set[str](),
    "Block": {"print_block", "select_standard_block"},
    "Board": {"print_board"},
    "Game": {"game_move", "play_game"},
}
FUNCTIONS: Final = {"Position": 13, "Block": 12, "Board": 22, "Game": 4}
"""How many functions the hand-out has."""
TELLING: Final = (
    "frontier",
    "reached",
    "ring",
    "tuple of its dimension",
    "positive integer and a set",
    "block is a set",
    "leftmost dot",
    "itertools",
    "permutations",
    "noqa",
    "TODO",
)
"""What only the reference does, or what is for its authors only."""


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """The skeleton of 1010!, by file name."""
    return skeleton_files(REFERENCE)


def functions_of(source: str) -> dict[str, ast.FunctionDef]:
    """Return the functions at the top of `source`, by name."""
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def reference_of(module: str) -> str:
    """Return the source of `module` in the reference."""
    return (REFERENCE / f"{module}.py").read_text(encoding="utf-8")


def loaded(sources: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """Return the modules of 1010! made of `sources`, by name."""
    modules = {}
    for name in MODULES:
        modules[name] = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, modules[name])
        exec(compile(sources[name], f"{name}.py", "exec"), modules[name].__dict__)
    return modules


def test_skeleton_has_all_files(files: dict[str, str]) -> None:
    """One file for each module, and the window as it is."""
    assert [*(f"{name}.py" for name in MODULES), "GUI.py"] == list(files)
    assert (REFERENCE / "GUI.py").read_text(encoding="utf-8") == files["GUI.py"]


@pytest.mark.parametrize("module", MODULES)
def test_functions_to_write_are_empty(files: dict[str, str], module: str) -> None:
    """What students have to write has its docstring and nothing else."""
    asked = {
        name: function
        for name, function in functions_of(files[f"{module}.py"]).items()
        if name[0] != "_"
    }
    assert FUNCTIONS[module] == len(asked)
    for name in asked.keys() - GIVEN[module]:
        assert ast.get_docstring(asked[name])
        assert ["Expr", "Pass"] == [type(node).__name__ for node in asked[name].body], name


@pytest.mark.parametrize("module", MODULES)
def test_given_functions_are_complete(files: dict[str, str], module: str) -> None:
    """What is given is what the reference has, helpers included."""
    own, reference = functions_of(files[f"{module}.py"]), functions_of(reference_of(module))
    helpers = {name for name in own if name[0] == "_"}
    for name in GIVEN[module] | helpers:
        assert ast.unparse(reference[name]) == ast.unparse(own[name])


@pytest.mark.parametrize("module", MODULES)
def test_headings_are_those_of_the_hand_out(files: dict[str, str], module: str) -> None:
    """A heading is that of the reference, without the parameters that the reference has added."""
    reference = functions_of(reference_of(module))
    added = {"are_chained_rec": "positions", "are_chainable": "board, positions"}
    for name, function in functions_of(files[f"{module}.py"]).items():
        expected = added.get(name, ast.unparse(reference[name].args))
        assert expected == ast.unparse(function.args)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("words", TELLING)
def test_skeleton_does_not_tell_how_it_is_done(
    files: dict[str, str], module: str, words: str
) -> None:
    """No text says how the reference represents something or goes about it."""
    folded = " ".join(files[f"{module}.py"].split())
    assert words not in folded.replace("string", "")


def test_telling_words_are_in_the_reference() -> None:
    """Each of them would be noticed: the reference has it, but for those that nobody has."""
    reference = " ".join(" ".join(reference_of(module).split()) for module in MODULES)
    assert ["TODO"] == [words for words in TELLING if words not in reference]


def test_given_code_works_with_what_students_write(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the functions of the reference in it, the skeleton plays as the reference does."""
    reference = {name: reference_of(name) for name in MODULES}
    completed = {}
    for name in MODULES:
        tree = ast.parse(files[f"{name}.py"])
        written = functions_of(reference[name])
        kept = {each for node in tree.body for each in [getattr(node, "name", None)] if each}
        missing = [written[each] for each in written if each not in kept]
        constants = [node for node in ast.parse(reference[name]).body if is_constant(node)]
        body = [
            written[node.name]
            if isinstance(node, ast.FunctionDef) and node.name not in GIVEN[name]
            else node
            for node in tree.body
        ]
        imports = ast.parse("import itertools").body
        completed[name] = ast.unparse(ast.Module([*imports, *constants, *missing, *body], []))
    assert game_of(reference, monkeypatch) == game_of(completed, monkeypatch)


def is_constant(node: ast.stmt) -> bool:
    """Return whether `node` gives a name to a value that needs no function."""
    return isinstance(node, ast.Assign) and not any(
        isinstance(each, ast.Call) for each in ast.walk(node)
    )


def game_of(sources: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a game at the keyboard prints with the modules made of `sources`."""
    modules = loaded(sources, monkeypatch)
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 1\n9 9\nx\n3 3\n\n"))
    modules["Block"].random.seed(3)
    printed = io.StringIO()
    with redirect_stdout(printed):
        modules["Game"].play_game()
    return printed.getvalue()


@pytest.mark.parametrize(
    "form",
    [
        ModuleSkeleton(given=["gone"]),
        ModuleSkeleton(left_out=["gone"]),
        ModuleSkeleton(headings={"gone": "board"}),
        ModuleSkeleton(texts={"gone": "A text."}),
    ],
)
def test_unknown_name_is_refused(form: ModuleSkeleton) -> None:
    """Settings that speak of what the reference does not define are out of date."""
    with pytest.raises(SuiteError, match=r"Board\.py does not define: gone"):
        skeleton("def here():\n    return 1\n", "Board", form, [])


def test_what_is_not_given_is_left_out() -> None:
    """Helpers, constants and imports that no given code needs are the reference's own."""
    source = (
        '"""A module."""\nimport math\nimport random\nimport Block\n'
        'ONE: int = 1\n"""One."""\nTWO = 2\n\n'
        "def given():\n    return _given() + random.random()\n\n"
        "def _given():\n    return ONE\n\n"
        "def asked(a, b=2):\n    '''Do it.'''\n    return _own() + math.pi\n\n"
        "def _own():\n    return TWO\n"
    )
    expected = (
        '"""A module."""\n\nimport random\n\nimport Block\n\nONE: int = 1\n"""One."""\n\n\n'
        "def given():\n    return _given() + random.random()\n\n\n"
        "def _given():\n    return ONE\n\n\n"
        'def asked(a, b=2):\n    """Do it."""\n    pass\n'
    )
    assert expected == skeleton(source, "A", ModuleSkeleton(given=["given"]), ["Block"])


def test_unknown_key_is_refused_with_its_place(tmp_path: Path) -> None:
    """A slip of the pen in the settings is told with its line."""
    shutil.copytree(REFERENCE, tmp_path / "1010", ignore=shutil.ignore_patterns("faulty"))
    settings = tmp_path / "1010" / SETTINGS_NAME
    settings.write_text(settings.read_text().replace("left_out:", "leftout:"))
    with pytest.raises(InvalidSuite, match="leftout"):
        skeleton_files(tmp_path / "1010")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x = '\xff'\n", r"a\.py is not UTF-8"),
        (b"x = 1\n" * 400_000, r"a\.py is larger than 2 MB"),
        (b"x = 1\ny = = 2\n", r"a\.py, line 2 is not Python: invalid syntax"),
    ],
)
def test_reference_that_cannot_be_read_is_told(tmp_path: Path, data: bytes, said: str) -> None:
    """With its name and the reason, also as a file that is only copied."""
    (tmp_path / "a.py").write_bytes(data)
    (tmp_path / SETTINGS_NAME).write_text("modules: {a: {}}\n")
    with pytest.raises((SuiteError, UsageError), match=said):
        skeleton_files(tmp_path)
    (tmp_path / SETTINGS_NAME).write_text("modules: {}\ncopied: [a.py]\n")
    if "Python" not in said:
        with pytest.raises(UsageError, match=said):
            skeleton_files(tmp_path)


def test_exercise_without_settings_is_refused(tmp_path: Path) -> None:
    """An exercise that has no skeleton is told so."""
    with pytest.raises(UsageError, match=SETTINGS_NAME):
        skeleton_files(tmp_path)


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `grader skeleton` in the folder `cwd`."""
    return subprocess.run(
        [sys.executable, "-c", "from grader.cli.verbs import main; main()", "skeleton", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def test_command_writes_the_files(files: dict[str, str], tmp_path: Path) -> None:
    """`grader skeleton` writes the files to a folder of its own making, and names them."""
    done = run("1010", "--out", "new/start", cwd=tmp_path)
    assert (0, "") == (done.returncode, done.stderr)
    written = {path.name: path.read_text() for path in (tmp_path / "new/start").iterdir()}
    assert files == written
    assert {f"new/start/{name}" for name in files} == set(done.stdout.split())


def test_command_overwrites_nothing(tmp_path: Path) -> None:
    """A folder with work in it is left as it is."""
    mine = tmp_path / "skeleton/Board.py"
    mine.parent.mkdir()
    mine.write_text("mine = 1\n")
    done = run("1010", cwd=tmp_path)
    assert 2 == done.returncode
    assert "already contains Board.py" in done.stderr
    assert [mine] == list(mine.parent.iterdir())
    assert "mine = 1\n" == mine.read_text()


def test_command_says_that_it_cannot_make_the_folder(tmp_path: Path) -> None:
    """A file in the way of the folder is told with its path."""
    (tmp_path / "way").write_text("")
    done = run("1010", "--out", "way/start", cwd=tmp_path)
    assert 6 == done.returncode
    assert "cannot create the folder way/start" in done.stderr


def test_command_knows_exercises_with_a_skeleton_only(tmp_path: Path) -> None:
    """An exercise that is not there, or has no skeleton, ends as a wrong use."""
    for exercise, said in (("nonesuch", "unknown exercise"), ("akari", SETTINGS_NAME)):
        done = run(exercise, cwd=tmp_path)
        assert 2 == done.returncode
        assert said in done.stderr


CLASS = """
import math


class Base:
    pass


class Ratio(Base):
    \"\"\"A ratio.\"\"\"

    SECRET = 1

    @property
    def above(self):
        return 1

    @math.trunc
    def add(self, other, *, exact=True):
        \"\"\"Return the sum.\"\"\"
        return self._sum(other)

    def __hash__(self):
        return hash(1)

    def _sum(self, other):
        return 2

    def __own(self):
        return 3
"""


def test_a_class_has_the_headings_of_its_methods() -> None:
    """Its text, its bases and what students call stay; how it is done goes."""
    form = ModuleSkeleton(
        introduction="Ratios.",
        left_out=["Ratio.__hash__"],
        headings={"Ratio.add": "self, other"},
        texts={"Ratio.above": "The part above."},
    )
    assert (
        '"""Ratios."""\n\n\n'
        "class Base:\n    pass\n\n\n"
        'class Ratio(Base):\n    """A ratio."""\n\n'
        "    @property\n    def above(self):\n"
        '        """The part above."""\n        pass\n\n'
        '    def add(self, other):\n        """Return the sum."""\n        pass\n'
    ) == skeleton(CLASS, "ratio", form, ())


def test_coroutines_are_asked_for_as_functions_are() -> None:
    """At the top and in a class, with two blank lines around them."""
    source = """
async def fetch(url):
    \"\"\"Return the page.\"\"\"
    return await get(url)


async def get(url):
    return url


class Client:
    async def close(self):
        await self.x
"""
    assert (
        '"""Pages."""\n\n\n'
        'async def fetch(url):\n    """Return the page."""\n    pass\n\n\n'
        "async def get(url):\n    return url\n\n\n"
        "class Client:\n    async def close(self):\n        pass\n"
    ) == skeleton(source, "m", ModuleSkeleton(introduction="Pages.", given=["get"]), ())


def test_suite_of_the_practicum_knows_what_is_given(zygote: Zygote) -> None:
    """All code of its skeleton that is given whole is known to the suite as it stands there."""
    found = given_digests(REFERENCE, zygote)
    known = suite_of("1010").handed_out
    assert found.keys() == known.keys()
    assert [] == [name for name, digest in found.items() if digest not in known[name]]
