"""`grader site`: writes pages that check in the browser, without any installation."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import click

from grader.cli.options import suites_option
from grader.cli.suites import find_suite_with_wording
from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.plugins.site.assembling import EDITOR, exercise_files, shared_files
from grader.plugins.site.codemirror import PACKAGES
from grader.plugins.site.npm import provide
from grader.plugins.site.pages import (
    absent_packages,
    compress,
    exercise_page,
    index_page,
    offline_script,
    version_of,
)
from grader.plugins.site.pyodide import PACKAGE, Pyodide
from grader.reporting.writing import write_below
from grader.suite.exercises import suite_paths, suites_folder
from grader.suite.model import Suite
from grader.values.foreign_text import one_line


@click.command("site")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--exercise",
    "exercises",
    metavar="NAME",
    multiple=True,
    help="Write a page for this exercise only; repeatable.",
)
@click.option("--alone", is_flag=True, help="Write self-contained pages that need no server.")
@click.option(
    "--packages",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The folder with archives of the npm packages. Default: npm downloads them once.",
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

    Copy DIR to any web server. With --alone, each page is a single file, which also works from a
    memory stick or a learning platform. No files are uploaded, and only public cases are checked.
    """
    all_suites = [
        find_suite_with_wording(name, suites)
        for name in exercises or suite_paths(suites_folder(suites))
    ]
    for suite in all_suites:
        if missing := absent_packages(suite):
            warn(f"{suite.exercise} is left out: it needs {missing}, which browsers do not have")
    usable_suites = [suite for suite in all_suites if not absent_packages(suite)]
    if not usable_suites:
        raise UsageError(
            "none of the exercises can be checked in a browser",
            help="choose exercises that need no packages, with --exercise",
        )
    provide((PACKAGE, *PACKAGES), packages)
    pyodide = Pyodide()
    shared_assets = shared_files(pyodide)
    exercise_assets = [exercise_files(suite, pyodide) for suite in usable_suites]
    if alone:
        contents = {
            f"{suite.exercise}.html": exercise_page(
                suite, shared_assets[EDITOR], {**shared_assets, **own_assets}
            ).encode()
            for suite, own_assets in zip(usable_suites, exercise_assets, strict=True)
        }
    else:
        contents = _site_files(all_suites, usable_suites, ChainMap(shared_assets, *exercise_assets))
    for name, data in contents.items():
        write_below(folder, name, data)
    say(f"written: {one_line(str(folder))}")


def _site_files(
    all_suites: list[Suite], usable_suites: list[Suite], parts: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return all files of a site, keyed by name.

    The index lists `all_suites`; only those in `usable_suites` have pages. `parts` has the assets,
    keyed by name.
    """
    assets = {f"{name}.packed": compress(data) for name, data in parts.items()}
    version = version_of(assets)
    pages = {"index.html": index_page(all_suites, usable_suites[0].language).encode()}
    for suite in usable_suites:
        pages[f"{suite.exercise}.html"] = exercise_page(
            suite, parts[EDITOR], version=version
        ).encode()
    return {
        **pages,
        **assets,
        "offline.js": offline_script(pages, assets, version),
        "licences.txt": (files(__package__) / "licences.txt").read_bytes(),
    }
