"""Determines the names under which the files beside a student's modules are imported.

A helper module can be in a folder that other files import as a package, or have the marks of a copy
in its name. It must still be found by the `import` statements that its author wrote.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple, TypeAlias

from grader.intake.candidates import INIT, spellings
from grader.intake.kinds import PYTHON
from grader.intake.modules import FoundModules
from grader.intake.names import squeeze
from grader.intake.rescue import imported_modules
from grader.intake.submission import SourceFile
from grader.messages import Message, message

_STANDARD_MODULES: Final = sys.stdlib_module_names

_Helpers: TypeAlias = Sequence[tuple[PurePosixPath, SourceFile]]


class ImportNames(NamedTuple):
    """How files import each other, which determines the names of helper modules."""

    packages: Mapping[tuple[str, ...], str]
    """The import names of folders that are modules of the exercise, keyed by path parts."""
    package: str | None
    """The name of the folder that contains all files, if it is imported as a package."""
    imported: Collection[str]
    """The names of all top-level modules that the files import."""
    missing_by_spelling: Mapping[str, str]
    """Imported names without a file, keyed by their squeezed name."""

    def intended_path(self, path: PurePosixPath) -> PurePosixPath:
        """Return `path` with the file name under which other files import it, if they do.

        For a copy such as `item-1.py`, that is the name without the copy marks.
        """
        if path.stem in self.imported:
            return path
        for spelling in spellings(path.name):
            if (name := self.missing_by_spelling.get(spelling)) is not None:
                return path.with_name(f"{name}{PYTHON}")
        return path

    def named_modules(self, helpers: _Helpers, remarks: list[Message]) -> dict[str, SourceFile]:
        """Return the `helpers`, keyed by import name, and append remarks on names to `remarks`."""
        modules: dict[str, SourceFile] = {}
        for path, source in helpers:
            intended = self.intended_path(path)
            if intended != path:
                remarks.append(message("remark.file_name", file=source.name, module=intended.name))
            if (name := _dotted_name(self.path_in_package(intended))) is not None:
                # Deeper files come later, so a package hides a file of the same name, as in Python.
                modules[name] = source
                if name in _STANDARD_MODULES:
                    remarks.append(message("remark.shadows", module=name))
        return modules

    def path_in_package(self, path: PurePosixPath) -> PurePosixPath:
        """Return `path` inside its package, or unchanged if it is imported without a package."""
        for folder, module in self.packages.items():
            if path.parts[: len(folder)] == folder:
                return PurePosixPath(module, *path.parts[len(folder) :])
        is_top_level = path.with_suffix("").parts[0] in self.imported
        return path if self.package is None or is_top_level else self.package / path


def find_import_names(
    found: FoundModules, exercise_modules: Mapping[str, SourceFile], helpers: _Helpers
) -> ImportNames:
    """Return the names under which the exercise's modules and the `helpers` import the helpers.

    They include names that no file has, in case a file's name differs only in its spelling.
    """
    paths = [path for path, _ in helpers]
    sources = [*exercise_modules.values(), *(source for _, source in helpers)]
    imported = frozenset[str]().union(*(imported_modules(source.text) for source in sources))
    folder = found.folder.name
    # If a helper already has the folder's name, that name means the helper, not the package.
    is_taken = any(folder in {path.parts[0], path.stem} for path in paths)
    used_names = {*found.imported_by.values()}.union(*({path.stem, *path.parts} for path in paths))
    return ImportNames(
        packages={
            file.path.parent.relative_to(found.folder).parts: found.imported_by[module]
            for module, file in found.files.items()
            if file.path.name == INIT
        },
        package=folder if folder in imported and not is_taken else None,
        imported=imported,
        # Sorted, so that the choice between two names that are equal when squeezed is stable.
        missing_by_spelling={
            squeeze(name): name for name in sorted(imported - used_names - _STANDARD_MODULES)
        },
    )


def find_imported_modules(
    modules: Mapping[PurePosixPath, SourceFile], wanted: set[str]
) -> Iterator[tuple[str, SourceFile]]:
    """Yield the dotted name and the source of each wanted module.

    It is wanted if its name or its folder is in `wanted`, or if a wanted module imports it. Modules
    without a valid dotted name are left out. The names that wanted modules import are added to
    `wanted`.
    """
    remaining = dict(modules)
    while new := [path for path in remaining if wanted & {*path.with_suffix("").parts}]:
        for path in new:
            source = remaining.pop(path)
            wanted |= imported_modules(source.text)
            if (name := _dotted_name(path)) is not None:
                yield name, source


def _dotted_name(path: PurePosixPath) -> str | None:
    """Return the dotted name of the module at `path`, or None if it is not a valid name."""
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None
