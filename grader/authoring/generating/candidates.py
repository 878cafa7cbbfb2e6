"""Makes the sessions that may be chosen: from scripts, by way of the oracle, to a suite of them."""

from __future__ import annotations

import runpy
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from grader.authoring.generating.oracle import Oracle
from grader.authoring.generating.scripts import Draws, Generator, Script
from grader.authoring.suite_text import as_yaml
from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.suite.diagnostics import read_source
from grader.suite.loading import parse_suite
from grader.suite.model import Suite
from grader.suite.reading import read_document
from grader.values.display import one_line

_OWN_KEYS: Final = frozenset({"groups", "sessions", "rules", "advice"})
"""What a suite of candidates does not take over from the public one."""
Document = Mapping[str, Any]


def load_generator(path: Path) -> Generator:
    """Return the `GENERATOR` of the module at `path`, which is code of the course and is run.

    Raises `SuiteError` when there is none.
    """
    advice = "write a module that binds GENERATOR beside the reference; see the how-to for authors"
    if not path.is_file():
        raise SuiteError(f"no generator at {one_line(str(path))}", help=advice)
    try:
        names = runpy.run_path(str(path), run_name=path.stem)
    except (Exception, SystemExit) as error:  # who leaves quietly has made nothing either
        what = f"{type(error).__name__}: {one_line(str(error))}"
        message = f"the generator {one_line(str(path))} cannot be loaded: {what}"
        raise SuiteError(message) from error
    generator = names.get("GENERATOR")
    if not isinstance(generator, Generator):
        raise SuiteError(f"{one_line(str(path))} binds no GENERATOR", help=advice)
    return generator


def scripts(generator: Generator, seed: str, count: int) -> Iterator[tuple[str, Script]]:
    """Yield directed scripts and then `count` random ones, each with what it was drawn from.

    That is the seed of its draws, and "" for a directed one.
    """
    for script in generator.directed():
        yield "", script
    for number in range(count):
        drawn_from = f"{seed}:{generator.version}:{number}"
        yield drawn_from, generator.session(Draws(drawn_from), 0)


def session_documents(
    oracle: Oracle, drawn: Iterator[tuple[str, Script]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the session of each script, and what it was drawn from; each session once.

    Sessions without a case are left out.
    """
    seen = set()
    for drawn_from, script in drawn:
        document = oracle.session(script)
        key = repr(document["steps"])
        if key not in seen and any("group" in step for step in document["steps"]):
            seen.add(key)
            yield drawn_from, document


def suite_of(public: Path, generator: Generator, documents: Mapping[str, Document]) -> Suite:
    """Return the suite at `public` with the sessions of `documents`, by their ids, for its own.

    It has the groups that these sessions have cases of. Raises `SuiteError`.
    """
    if not documents:
        raise SuiteError(
            "the generator makes no session with a case",
            help="give lines a group, and look at what the reference refuses",
        )
    data = read_document(read_source(public.read_bytes(), str(public))).data
    assert isinstance(data, dict), "a suite that was loaded before is a mapping"
    used = {
        step["group"]
        for session in documents.values()
        for step in session["steps"]
        if "group" in step
    }
    groups = [*data["groups"], *map(asdict, generator.groups)]
    document = {
        **{key: value for key, value in data.items() if key not in _OWN_KEYS},
        "groups": [group for group in groups if group["id"] in used],
        "sessions": [{"id": name, **session} for name, session in documents.items()],
    }
    if missing := sorted(used - {group["id"] for group in groups}):
        raise SuiteError(
            f"the generator has cases of a group that is not there: {', '.join(missing)}",
            help="name it in the groups of the generator, or correct its id",
        )
    text = as_yaml(document, schema="", origin="candidates")
    # Beside the public suite, for the files that it names; no line of it is to blame.
    return parse_suite(text.encode(), str(public.with_name("what the generator made")), KINDS)
