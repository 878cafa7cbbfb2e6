"""`grader site`: writes pages that check in the browser, for students who can install nothing."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import click

from grader.cli.options import suites_option
from grader.cli.suites import worded_suite
from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.plugins.site.assembling import EDITOR, exercise_files, shared_files
from grader.plugins.site.codemirror import PACKAGES
from grader.plugins.site.npm import provide
from grader.plugins.site.pages import (
    absent_packages,
    exercise_page,
    index_page,
    offline_script,
    packed,
    version_of,
)
from grader.plugins.site.pyodide import PACKAGE, Pyodide
from grader.reporting.writing import write_below
from grader.suite.exercises import suite_paths, suites_folder
from grader.suite.model import Suite
from grader.values.foreign_text import one_line


@click.command("site")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option("--exercise", "exercises", metavar="NAME", multiple=True, help="Only this exercise.")
@click.option("--alone", is_flag=True, help="Write self-contained pages that need no server.")
@click.option(
    "--packages",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The folder with the npm packages. Default: npm downloads them once.",
)
@suites_option
def command(
    folder: Path,
    exercises: tuple[str, ...],
    suites: Path | None,
    packages: Path | None,
    *,
    alone: bool,
) -> None:
    """Write a page for each exercise into DIR, which checks files in the browser.

    Copy DIR to any web server. With --alone each page is one file, which also works from a memory
    stick or a learning platform. Nothing is sent anywhere, and only public cases are checked.
    """
    found = [worded_suite(name, suites) for name in exercises or suite_paths(suites_folder(suites))]
    for suite in found:
        if missing := absent_packages(suite):
            warn(f"{suite.exercise} is left out: it needs {missing}, which browsers do not have")
    made = [suite for suite in found if not absent_packages(suite)]
    if not made:
        raise UsageError("none of the exercises can be checked in a browser")
    provide((PACKAGE, *PACKAGES), packages)
    package = Pyodide()
    shared = shared_files(package)
    parts = [exercise_files(suite, package) for suite in made]
    if alone:
        written = {
            f"{suite.exercise}.html": exercise_page(
                suite, shared[EDITOR], {**shared, **own}
            ).encode()
            for suite, own in zip(made, parts, strict=True)
        }
    else:
        written = _folder(found, made, ChainMap(shared, *parts))
    for name, data in written.items():
        write_below(folder, name, data)
    say(f"written: {one_line(str(folder))}")


def _folder(found: list[Suite], made: list[Suite], parts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return all files of a site, by name."""
    loaded = {f"{name}.packed": packed(data) for name, data in parts.items()}
    version = version_of(loaded)
    pages = {"index.html": index_page(found, made[0].language).encode()}
    for suite in made:
        pages[f"{suite.exercise}.html"] = exercise_page(
            suite, parts[EDITOR], version=version
        ).encode()
    return {
        **pages,
        **loaded,
        "offline.js": offline_script(pages, loaded, version),
        "licences.txt": (files(__package__) / "licences.txt").read_bytes(),
    }
