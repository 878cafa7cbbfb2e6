"""A plug-in that is taken away: what needs it says so, and all else is as it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, SUITE, Done, write

from grader.seams import EXTRAS, PLATFORMS, PLUGINS, RESULTS, VERBS

TRIES: Final = """\
import contextlib, io, json, sys
from grader.cli.verbs import main
told = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["grader", *words]
    code, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try: main()
        except SystemExit as end: code = end.code or 0
    told.append((code, out.getvalue(), err.getvalue()))
print(json.dumps(told))
"""
OPTIONS: Final[Mapping[str, Sequence[str]]] = {
    "--dodona": ("check", "class/an.py", "--dodona"),
    "--engine": ("grade", "class", "--exercise", "double", "--engine", "mine:pool"),
    "--github": ("check", "class/an.py", "--github"),
    "--junit": ("grade", "class", "--exercise", "double", "--junit", "out.xml"),
    "--from-tests": ("derive", "--from-tests", "class", "--reference", "class"),
}
"""How what a verb can do besides is asked for."""
ALSO: Final = {"authoring": ("kit",), "kit": ("site",)}
"""Verbs of plug-ins that lean on another."""


def plugin_of(place: str) -> str:
    """Return the name of the plug-in, if any, that has what is at `place`."""
    return place.removeprefix(f"{PLUGINS}.").partition(".")[0]


def asked(plugin: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each thing that needs a plug-in, and the words that ask for it."""
    for name, place in VERBS.table.items():
        if plugin_of(place) == plugin or name in ALSO.get(plugin, ()):
            yield f"grader {name}", (name,)
    for name, place in EXTRAS.table.items():
        if plugin_of(place) == plugin and name in OPTIONS:
            yield name, OPTIONS[name]
    for name, place in PLATFORMS.table.items():
        if plugin_of(place) == plugin:
            yield f"the layout {name}", ("plan", "class", "--exercise", "double", "--layout", name)
    for name, place in RESULTS.table.items():
        if plugin_of(place) == plugin:
            yield f"--results {name}", ("check", "class/an.py", "--results", f"{name}=out.txt")


PLUGINS_OF_OURS: Final = sorted(
    {
        plugin_of(place)
        for seam in (VERBS, PLATFORMS, EXTRAS, RESULTS)
        for place in seam.table.values()
        if place.startswith(PLUGINS)
    }
)


def test_the_tables_name_all_plugins(root: Path) -> None:
    """A plug-in that no table names could not come in."""
    folders = {each.parent.name for each in root.glob("grader/plugins/*/__init__.py")}
    assert folders == set(PLUGINS_OF_OURS)


@pytest.mark.commands
@pytest.mark.parametrize("plugin", PLUGINS_OF_OURS)
def test_what_needs_it_says_so(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plugin: str
) -> None:
    """One sentence that names it, and exit code 2; a folder is graded, and the doctor tells."""
    ours = shutil.copytree(root / "grader", tmp_path / "without" / "grader")
    shutil.rmtree(ours / "plugins" / plugin)
    monkeypatch.chdir(tmp_path)
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))
    write("class/an.py", RIGHT)
    needing = dict(asked(plugin))
    grade = ("grade", "class", "--exercise", "double", "--json", "--jobs", "1")
    done = tried([*needing.values(), grade, ("doctor",)], ours.parent)
    *refused, graded, told = done
    help_ = "  = help: install all of sessiongrader, which includes it\n"
    assert [
        Done(2, "", f"error: {name} needs the plug-in {plugin}, which is not installed\n{help_}")
        for name in needing
    ] == refused
    assert (0, 2) == (graded.code, json.loads(graded.out)["submissions"][0]["score"]), graded.err
    assert told.out.endswith(
        f"plug-ins that are not installed: {plugin}; install all of sessiongrader to add them\n"
    )


def tried(commands: Sequence[Sequence[str]], path: Path) -> list[Done]:
    """Return what became of commands, one after the other, with the grader that is at `path`."""
    done = subprocess.run(
        [sys.executable, "-c", TRIES, json.dumps(commands)],
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [Done(*each) for each in json.loads(done.stdout)]
