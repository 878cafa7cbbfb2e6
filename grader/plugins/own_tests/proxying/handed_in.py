"""Decides which modules tests expect from a submission, and where they are among its files."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from doctest import DocTestParser
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from grader.errors import UsageError
from grader.intake.submission import SourceFile, Submission, decode_source
from grader.intake.submissions import HandIn, build_submission
from grader.messages import message
from grader.sandbox.program import Program
from grader.suite.vocabulary import GIVABLE_PACKAGES, KNOWN_PACKAGES, STANDARD_MODULES
from grader.values.foreign_text import one_line

_SUFFIX: Final = ".py"
_ENVIRONMENT: Final = {"HOME": "/home/student", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
"""The usual variables, not those of this machine. Variables that tests set are added to them."""
_PYTEST_FILES: Final = frozenset({"conftest.py", "pytest.ini", "tox.ini", "setup.cfg"})
"""The names of files that configure pytest, in lower case."""
_MAX_LISTED_FILES: Final = 5
_IMPORT_STATEMENT: Final = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)


def python_files_in(folders: Iterable[Path]) -> list[Path]:
    """Return the Python files in `folders`, each once."""
    # `rglob` yields files in arbitrary order. One folder can contain another.
    return list(dict.fromkeys(file for folder in folders for file in sorted(folder.rglob("*.py"))))


def submission_of(hand_in: HandIn, tests: Sequence[Path]) -> Submission:
    """Return the submission in `hand_in`, with the modules that the test files `tests` import.

    If the student has handed in tests, a remark says that these tests are not run.
    """
    submission = _collect_submission(hand_in, tests)
    ignored = [name for name in hand_in.files if _is_pytest_file(PurePosixPath(name))]
    if not ignored:
        return submission
    files = ", ".join(map(one_line, ignored[:_MAX_LISTED_FILES]))
    if len(ignored) > _MAX_LISTED_FILES:
        files += ", ..."
    return replace(
        submission, remarks=(*submission.remarks, message("remark.own_tests", files=files))
    )


def _is_pytest_file(path: PurePosixPath) -> bool:
    """Return whether a file contains tests for pytest, or configures pytest."""
    is_test = path.suffix.lower() == _SUFFIX and path.name.startswith("test_")
    return is_test or path.name.lower() in _PYTEST_FILES


def _collect_submission(hand_in: HandIn, tests: Sequence[Path]) -> Submission:
    """Return the submission in `hand_in`, with the modules that the test files `tests` import.

    If none of these modules is recognised, or one is a package, all Python files become modules.
    """
    stems = {PurePosixPath(file).stem.casefold() for file in _python_files(hand_in)}
    imported = dict.fromkeys(modules_imported_by(tests))
    module_names = [
        name for name in imported if name.casefold() in stems or _must_be_handed_in(name, tests)
    ]
    if _packages_in(hand_in).intersection(module_names):
        return _collect_all_files(hand_in)
    submission = (
        build_submission(hand_in, module_names, _qualified_names_used(module_names, tests))
        if module_names
        else None
    )
    if submission is not None and submission.parts:
        return submission
    if _python_files(hand_in):
        return _collect_all_files(hand_in)
    # No file can be the module "?", so the result says why the hand-in cannot be graded.
    return submission or build_submission(hand_in, ["?"], ())


def modules_for(submission: Submission, tests: Sequence[Path]) -> list[str]:
    """Return the modules of `submission` that `tests` can import.

    A module beside the tests, or one that is installed here, takes precedence over one that was
    handed in. Raises `UsageError` if that leaves no module of the submission that the tests import.
    """
    imported = set(modules_imported_by(tests))
    shadowed = {
        name
        for name in {name.partition(".")[0] for name in submission.modules}
        if _path_beside(name, tests)
        or name in sys.stdlib_module_names
        or name in KNOWN_PACKAGES
        or _is_installed_package(name)
    }
    usable = [name for name in submission.modules if name.partition(".")[0] not in shadowed]
    imported_and_usable = imported.intersection(name.partition(".")[0] for name in usable)
    if imported & shadowed and not imported_and_usable and not missing_modules(submission, tests):
        name = min(imported & shadowed)
        place = "Python" if name in sys.stdlib_module_names else "an installed package"
        place = "the test folder" if _path_beside(name, tests) else place
        raise UsageError(
            f"the tests would not import {name} from the submission:"
            f" {place} has a module of that name",
            help="give the module of the exercise a unique name, and do not put a solution into"
            " the test folder",
        )
    return usable


def modules_replaced_in(submission: Submission, tests: Sequence[Path]) -> dict[str, str]:
    """Return the modules of `submission` that modules beside `tests` replace, with their paths.

    A module beside the tests that has the same text does not count.
    """
    replacements = {name: _path_beside(name, tests) for name in modules_imported_by(tests)}
    return {
        name: str(path)
        for name, path in replacements.items()
        if path and name in submission.modules and not _has_text_of(submission.modules[name], path)
    }


def _path_beside(name: str, tests: Iterable[Path]) -> Path | None:
    """Return the path of the module called `name` beside one of the `tests`, or None."""
    stems = [path.parent / name for path in tests]
    files = (file for stem in stems for file in (stem.with_suffix(_SUFFIX), stem / "__init__.py"))
    return next((file for file in files if file.is_file()), None)


def _has_text_of(file: SourceFile, path: Path) -> bool:
    """Return whether the file at `path` has the text of `file`."""
    return decode_source(path.read_bytes(), path.name).text == file.text


def _is_installed_package(name: str) -> bool:
    """Return whether the module called `name` belongs to an installed package."""
    with suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(name)
        return spec is not None and "site-packages" in Path(spec.origin or "").parts
    return False


def missing_modules(submission: Submission, tests: Sequence[Path]) -> list[str]:
    """Return the modules that `tests` import from the submission, but that `submission` lacks."""
    top_level_names = {name.partition(".")[0] for name in submission.modules}
    return [name for name in modules_wanted_by(tests) if name not in top_level_names]


def modules_imported_by(tests: Iterable[Path]) -> Iterator[str]:
    """Yield the top-level names of the modules that these test files import."""
    for mentions in _mentions_in(tests):
        yield from (name.partition(".")[0] for name in mentions.imported)


def _qualified_names_used(modules: Sequence[str], tests: Iterable[Path]) -> Iterator[str]:
    """Yield the names in `modules` that these test files use, in the form `module.name`."""
    for mentions in _mentions_in(tests):
        yield from (f"{module}.{name}" for module, name in mentions.used if module in modules)


def compares_by_id(tests: Iterable[Path]) -> bool:
    """Return whether these test files use `id`, as in `{id(node) for node in nodes}`."""
    return any(mentions.has_id for mentions in _mentions_in(tests))


class _Mentions(NamedTuple):
    """The names that occur in some source code."""

    imported: list[str]
    used: list[tuple[str, str]]
    """Pairs of a name that may be that of a module, and the name of an attribute."""
    has_id: bool
    """Whether the name `id` occurs."""


def _mentions_in(tests: Iterable[Path]) -> Iterator[_Mentions]:
    """Yield the names in each Python file, or doctest example, of these test files.

    Skips invalid code, which pytest reports itself.
    """
    for path in tests:
        for source in _code_in(path):
            with suppress(SyntaxError, ValueError):
                yield _mentions_of(source)


def _code_in(path: Path) -> Iterator[bytes | str]:
    """Yield the source of a Python file, or of each example in a file with doctest sessions.

    Yields nothing if the file cannot be read.
    """
    with suppress(OSError, ValueError):
        if path.suffix.lower() == _SUFFIX:
            yield path.read_bytes()
        else:
            text = path.read_text(encoding="utf-8", errors="replace")
            yield from (example.source for example in DocTestParser().get_examples(text))


@lru_cache(1_000)
def _mentions_of(source: bytes | str) -> _Mentions:
    """Return the names that occur in `source`.

    Raises `SyntaxError` or `ValueError` if it cannot be parsed.
    """
    imported, used = dict[str, None](), dict[tuple[str, str], None]()
    has_id = False
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported[node.module] = None
            used |= dict.fromkeys((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used[node.value.id, node.attr] = None
        elif isinstance(node, ast.Name):
            has_id = has_id or node.id == "id"
    return _Mentions([*imported], [*used], has_id)


def modules_wanted_by(tests: Sequence[Path]) -> list[str]:
    """Return the modules that `tests` import and that only a submission can have."""
    return [
        name
        for name in dict.fromkeys(modules_imported_by(tests))
        if _must_be_handed_in(name, tests)
    ]


def _must_be_handed_in(name: str, tests: Iterable[Path]) -> bool:
    """Return whether only a submission can have the module called `name`."""
    if (
        name in sys.stdlib_module_names
        or name in KNOWN_PACKAGES
        or name in _enclosing_packages(tests)
    ):
        return False
    neighbours = {file for path in tests for file in path.parent.glob(f"{name}*")}
    if any(file.stem == name for file in neighbours):
        return False
    # `ValueError` is raised for a module without a spec, such as `__main__`.
    with suppress(ImportError, ValueError):
        return importlib.util.find_spec(name) is None
    return True


def _enclosing_packages(tests: Iterable[Path]) -> set[str]:
    """Return the names of the packages that contain these test files."""
    folders = {folder for path in tests for folder in path.absolute().parents}
    return {folder.name for folder in folders if (folder / "__init__.py").is_file()}


def _python_files(hand_in: HandIn) -> list[str]:
    """Return the names of the Python files in a hand-in."""
    return [file for file in hand_in.files if file.lower().endswith(_SUFFIX)]


def _packages_in(hand_in: HandIn) -> set[str]:
    """Return the names of the packages in a hand-in.

    A package needs all of its files, as any of them can define what the package contains.
    """
    files = map(PurePosixPath, _python_files(hand_in))
    return {file.parent.name for file in files if file.name == "__init__.py"}


def _collect_all_files(hand_in: HandIn) -> Submission:
    """Return a submission with all files of `hand_in`.

    Modules are named after their paths below the folder of the topmost Python file.
    """
    files = sorted(map(PurePosixPath, _python_files(hand_in)), key=lambda path: len(path.parts))
    folder = files[0].parent
    if files[0].name == "__init__.py":  # its folder is a package, whose name modules begin with
        folder = folder.parent
    modules: dict[str, SourceFile] = {}
    data: dict[str, bytes] = {}
    for name, content in hand_in.files.items():
        path = PurePosixPath(name)
        if not path.is_relative_to(folder):
            continue
        path = path.relative_to(folder)
        if path.suffix.lower() != _SUFFIX:
            data[str(path)] = content
            continue
        parts = path.with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if parts and all(part.isidentifier() for part in parts):
            decoded = decode_source(content, str(path))
            text, encoding = decoded.text, decoded.encoding
            modules[".".join(parts)] = SourceFile(name=str(path), text=text, encoding=encoding)
    return Submission(
        student=hand_in.student,
        modules=modules,
        data=data,
        raw=hand_in.files,
        parts={name: name for name in modules},
        remarks=(*hand_in.remarks, *hand_in.refusals),
    )


def program_of(submission: Submission, packages: Sequence[str]) -> Program:
    """Return `submission` as a program that can import `packages` and the standard modules."""
    sources = {name: (file.name, file.text) for name, file in submission.modules.items()}
    program = Program.from_sources(sources, submission.data, (*STANDARD_MODULES, *packages))
    program.is_reused = True  # by default, each test has an executor of its own
    program.environment = _ENVIRONMENT
    return program


def packages_of(submission: Submission, tests: Iterable[Path]) -> tuple[str, ...]:
    """Return the third-party packages that `submission` imports and is allowed to use.

    Packages that are not installed here are left out. numpy is also included if `tests` import it,
    as they may pass arrays to the submission.
    """
    text = "\n".join(file.text for file in submission.modules.values())
    imported = {match[1] for match in _IMPORT_STATEMENT.finditer(text)}
    imported |= {"numpy"}.intersection(modules_imported_by(tests))
    return tuple(name for name in GIVABLE_PACKAGES if name in imported and _is_installed(name))


def _is_installed(name: str) -> bool:
    """Return whether a package is installed here."""
    return importlib.util.find_spec(name) is not None
