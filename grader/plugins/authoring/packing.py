"""Packs a suite: one file that has the code in it that the suite names in others, and its spec."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from grader.judging.rules import KINDS
from grader.plugins.authoring.suite_text import key_text
from grader.suite.code import read_code
from grader.suite.diagnostics import read_source
from grader.suite.loading import load_suite, parse_suite
from grader.suite.reading import read_document

_NAMING: Final = ("given", "checkers", "stand_ins")
_SCHEMA_LINE: Final = re.compile(r"\A# yaml-language-server:.*\n")


def packed_suite(path: Path) -> str:
    """Return the text of the suite at `path`, with what it names in other files under `packed`.

    Raises what `load_suite` raises. It says no longer where a schema is: nobody knows where it
    goes.
    """
    load_suite(path, KINDS)
    data = read_document(read_source(path.read_bytes(), str(path))).data
    text = without_schema(path)
    if "packed" in data or not (files := dict(_named(path, data))):
        return text
    whole = f"{text.rstrip()}\n{key_text('packed', files)}"
    parse_suite(whole.encode(), path.name, KINDS)  # else it would be the students who find out
    return whole


def without_schema(path: Path) -> str:
    """Return the text of the suite at `path` without the line that says where its schema is."""
    return _SCHEMA_LINE.sub("", path.read_text(encoding="utf-8-sig"))


def _named(path: Path, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each file that the suite at `path`, which holds `data`, names, with its text."""
    spec = data.get("spec")
    if spec is not None and (path.parent / spec).is_file():
        yield spec, (path.parent / spec).read_text(encoding="utf-8")
    for key in _NAMING:
        for file in data.get(key, {}).values():
            yield file, read_code(path.parent, file)
