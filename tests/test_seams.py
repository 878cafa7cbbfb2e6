"""Where plug-ins come in: tables of ours, entry points of others."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Final

import click
import pytest
from command_line import Done, process, write

from grader.cli.verbs import program
from grader.errors import UsageError
from grader.seams import PLATFORMS, RESULTS, VERBS, Seam

PLUGIN: Final = """\
import click
class LAYOUT:
    name, pages, is_common = "ours", None, False
    recognise = staticmethod(lambda source, wanted: None)
ODD = 5
@click.command()
@click.argument("name")
def greet(name):
    "Greet somebody."
    click.echo(f"hello {name}")
"""
ENTRY_POINTS: Final = """\
[grader.verbs]
greet = greeting:greet
grade = greeting:greet
broken = greeting:nothing
lost = no_such_module:command
odd = greeting:ODD
rude = leaving:command
[grader.platforms]
ours = greeting:LAYOUT
moodle = greeting:LAYOUT
"""


@pytest.fixture
def with_a_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages, in which a stranger's distribution brings verbs."""
    monkeypatch.chdir(tmp_path)
    write("packages/greeting.py", PLUGIN)
    write("packages/leaving.py", "import sys\nsys.exit(3)\n")
    write("packages/greeting-1.dist-info/METADATA", "Name: greeting\nVersion: 1\n")
    write("packages/greeting-1.dist-info/entry_points.txt", ENTRY_POINTS)
    return tmp_path / "packages"


@pytest.mark.parametrize("seam", [VERBS, PLATFORMS, RESULTS], ids=lambda seam: seam.group)
def test_what_a_strangers_object_needs_our_own_have(seam: Seam) -> None:
    """A stranger's object is refused without it, so it is an attribute that is used."""
    assert seam.needs is not None
    assert all(hasattr(known, seam.needs) for known in seam.load_installed())


def grader(packages: Path, *words: str) -> Done:
    """Run the command line where there are more packages."""
    known = os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")])
    return process(*words, PYTHONPATH=known)


def test_help_tells_what_each_verb_of_ours_does() -> None:
    """The table of verbs and the texts of `grader --help` have the same names."""
    assert set(VERBS.table) == set(program.list_commands(click.Context(program)))


def test_a_stranger_brings_a_verb(with_a_plugin: Path) -> None:
    """It is listed behind ours, broken or not, and called like them; it replaces none of ours."""
    assert Done(0, "hello you\n", "") == grader(with_a_plugin, "greet", "you")
    assert "hello" not in grader(with_a_plugin, "grade", "nobody").out
    verbs = re.findall(r"^  (\w+)", grader(with_a_plugin, "--help").out, re.MULTILINE)
    assert ["doctor", "greet", "broken", "lost", "odd", "rude"] == verbs[-6:]


def test_a_stranger_brings_a_platform(with_a_plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has its name, behind those of ours; what cannot be imported is an error of ours."""
    monkeypatch.syspath_prepend(with_a_plugin)
    assert [*PLATFORMS.table, "ours"] == PLATFORMS.names()
    assert ["ours"] == [each.name for each in PLATFORMS.load_third_party()]
    (with_a_plugin / "greeting.py").write_text("LAYOUT = 1 / 0\n")
    monkeypatch.delitem(sys.modules, "greeting")
    with pytest.raises(UsageError, match="the layout ours cannot be imported: division by zero"):
        PLATFORMS.load("ours")
    assert [] == list(PLATFORMS.load_third_party()), "nobody else has to mind"


def test_a_broken_platform_stops_nobody(with_a_plugin: Path) -> None:
    """Who does not name it plans and grades as ever; who does is told."""
    (with_a_plugin / "greeting.py").write_text("LAYOUT = 5\nODD = 5\ngreet = nothing = None\n")
    write("class/an.py", "def double(x):\n    return 2 * x\n")
    assert 0 == grader(with_a_plugin, "plan", "class").code
    done = grader(with_a_plugin, "plan", "class", "--layout", "ours")
    assert 2 == done.code
    assert "error: the plug-in for the layout ours provides 5, which has no pages\n" in done.err


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("broken", "cannot be imported: "),
        ("lost", "cannot be imported: "),
        ("odd", "provides 5, which has no get_short_help_str\n"),
        ("rude", "cannot be imported: 3\n"),
    ],
)
def test_a_broken_plugin_is_told_in_a_sentence(with_a_plugin: Path, name: str, why: str) -> None:
    """Not as a traceback, with what is wrong and where it is; it ends nothing by itself."""
    done = grader(with_a_plugin, name)
    assert (2, "") == (done.code, done.out)
    assert done.err.startswith(f"error: the plug-in for grader {name} {why}")
    assert 2 == len(done.err.splitlines())
