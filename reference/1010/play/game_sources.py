"""The four modules of 1010!: from a folder of a student, the missing ones from the reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from grader.errors import UsageError
from grader.intake.submission import decode_source
from grader.intake.submissions import Entry, collect_hand_in
from grader.sandbox.program import Program
from grader.values.foreign_text import one_line

MODULES: Final = ("Position", "Block", "Board", "Game")
"""In the order in which they build on each other."""
Sources: TypeAlias = dict[str, tuple[str, str]]
"""File name and text, by module name."""
_MODULE_OF: Final = {f"{module}.py".casefold(): module for module in MODULES}
"""Some hand in `board.py`; the executor knows it by that name too."""


def sources_in(folder: Path) -> Sources:
    """Return those of the modules that lie in `folder`, and the Python files beside them.

    A module may lie deeper, and its name be in small letters, as hand-ins are. Raises
    `UsageError` when there is none of them.
    """
    shown = one_line(str(folder))
    if not folder.is_dir():
        raise UsageError(f"no such folder: {shown}")
    files = collect_hand_in(Entry("", folder)).files
    homes = {home for home in (_home(files, module) for module in MODULES) if home is not None}
    if not homes:
        wanted = ", ".join(f"{module}.py" for module in MODULES)
        raise UsageError(
            f"none of the modules lies in {shown}", help=f"at least one is needed of {wanted}"
        )
    sources: Sources = {}
    for name in sorted(files, key=_depth):
        path = PurePosixPath(name)
        if path.parent in homes and path.suffix.lower() == ".py" and path.stem.isidentifier():
            module = _MODULE_OF.get(path.name.casefold(), path.stem)
            sources.setdefault(module, (path.name, decode_source(files[name], name).text))
    return sources


def _home(files: Mapping[str, bytes], module: str) -> PurePosixPath | None:
    """Return the least deep folder that has `module`, None if there is none."""
    named = [
        name for name in files if _MODULE_OF.get(PurePosixPath(name).name.casefold()) == module
    ]
    return PurePosixPath(min(named, key=_depth)).parent if named else None


def _depth(name: str) -> tuple[int, str]:
    return (name.count("/"), name)


def program_of(own: Sources, reference: Sources) -> tuple[Program, list[str]]:
    """Return the program made of `own` modules, and which of `MODULES` it has of `reference`."""
    borrowed = [module for module in MODULES if module not in own]
    sources = {**own, **{module: reference[module] for module in borrowed}}
    return Program.from_sources(sources, {}), borrowed
