"""Assembles a kit from a program, the judge modules that a check needs, and a suite."""

from __future__ import annotations

import ast
import base64
import json
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from grader import __version__
from grader.plugins.kit.data import encode
from grader.reporting.wording import Locale, catalog
from grader.seams import EXTRAS
from grader.suite.model import Suite
from grader.verdict import Visibility

_OLDEST_PYTHON: Final = (3, 11)
_PROGRAM: Final = "grader.plugins.kit.check"
_ROOTS: Final = (
    *(_PROGRAM, "grader.executor.alone", "grader.judging.remaking"),
    *(EXTRAS.table[name].partition(":")[0] for name in ("pictures", "calls", "drawings")),
)
"""The main module, the module that it runs in another process, the module whose source it sends to
that process, and the modules that draw."""
_PACKAGE: Final = "grader.plugins.kit"
_REPLACEMENTS: Final = {
    "grader.executor.instruments": f"{_PACKAGE}.absent",
    "grader.judging.survey_judge": f"{_PACKAGE}.unsurveyed",
    "grader.sandbox.zygote": f"{_PACKAGE}.starting",
    "yaml": f"{_PACKAGE}.absent",
}
"""The modules that a kit contains under the names of other modules, keyed by these names."""
_WHOLE_PACKAGES: Final = ("rich",)
"""Pure Python packages that a kit contains completely, with their licences."""
_LINE_CHARS: Final = 96
_KIT_TEMPLATE: Final = '''\
#!/usr/bin/env python3
"""{title}

{about}

Made by grader {version} from the examples of {exercise}. It needs Python {oldest} or newer, and
nothing else. With --unpack FOLDER it writes the modules that it is made of.
"""
{bootstrap}

SUITE = """
{suite}
"""

MODULES = """
{modules}
"""

if __name__ == "__main__":
    start({program!r}, MODULES, SUITE, {oldest_version}, {too_old})
'''


def kit_text(suite: Suite) -> str:
    """Return the source of the kit for the public part of `suite`: one self-contained file."""
    locale = Locale.for_language(suite.language)
    oldest = ".".join(map(str, _OLDEST_PYTHON))
    suite_changes = {"rules": (), "advice": False, "handed_out": {}, "equivalent": ()}
    omissions = {"rules": len(suite.rules), "advice": suite.advice}
    python_version = {"python": sys.version_info[:2]}
    data = {
        "suite": encode(public_part(suite).with_changes(**suite_changes)),
        **omissions,
        **python_version,
    }
    return _KIT_TEMPLATE.format(
        title=_in_docstring(suite.title),
        about=_in_docstring(locale("kit_about", kit=kit_name(suite.exercise))),
        version=__version__,
        exercise=suite.exercise,
        oldest=oldest,
        # Without the module docstring, because the kit has its own.
        bootstrap=(files(__package__) / "bootstrap.py").read_text("utf-8").split('"""', 2)[2],
        suite=_compress(json.dumps(data, separators=(",", ":"))),
        modules=_compress(json.dumps({**_modules(), **catalog_file(suite.language)})),
        program=_PROGRAM,
        oldest_version=_OLDEST_PYTHON,
        too_old=ascii(locale("kit_too_old", oldest=oldest)),
    )


def public_part(suite: Suite) -> Suite:
    """Return `suite` with only its public sessions and their groups."""
    sessions = tuple(
        session for session in suite.sessions if session.visibility is Visibility.PUBLIC
    )
    group_ids = {case.group for session in sessions for case in session.cases}
    groups = tuple(group for group in suite.groups if group.id in group_ids)
    return suite.with_changes(sessions=sessions, groups=groups)


def kit_name(exercise: str) -> str:
    """Return the file name of the kit for `exercise`."""
    return f"check_{exercise}.py"


def _in_docstring(text: str) -> str:
    """Return `text` with characters that would change or end a docstring escaped or replaced."""
    return text.replace("\\", "\\\\").replace('"', "'")


def _compress(text: str) -> str:
    """Return `text` compressed, as lines of base 85."""
    # The alphabet of base 85 has no quotes or backslashes, so the text fits into a literal.
    packed = base64.b85encode(zlib.compress(text.encode(), 9)).decode("ascii")
    return "\n".join(
        packed[start : start + _LINE_CHARS] for start in range(0, len(packed), _LINE_CHARS)
    )


def catalog_file(
    *languages: str, replacement_keys: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return the wording catalog in these `languages` as a dict with one file: its path and text.

    `replacement_keys` maps keys to other keys, whose sentences replace their own.
    """
    lines: dict[str, list[str]] = {}
    for language in languages:
        texts = catalog(language)
        for key in texts:
            sentence = json.dumps(texts[replacement_keys.get(key, key)], ensure_ascii=False)
            lines.setdefault(key, [f"{key}:\n"]).append(f"  {language}: {sentence}\n")
    text = "".join("".join(entry_lines) for entry_lines in lines.values())
    return {"grader/reporting/wording/sentences.yaml": text}


@cache
def _modules() -> Mapping[str, str]:
    """Return the files of the judge and of packages that a kit needs, keyed by path."""
    packages = dict(file for package in _WHOLE_PACKAGES for file in package_files(package))
    return {**packages, **modules_for(_ROOTS, _REPLACEMENTS)}


def modules_for(roots: Iterable[str], replacements: Mapping[str, str]) -> dict[str, str]:
    """Return the sources of `roots` and, transitively, of the grader modules that they import.

    `replacements` maps module names to the names of the modules that replace them. The result is
    keyed by path.
    """
    texts: dict[str, str] = {}
    pending = [*roots]
    while pending:
        module_name = pending.pop()
        path, source = _read_module(module_name, replacements.get(module_name, module_name))
        if source is not None and path not in texts:
            texts[path] = _without_explanations(source)
            # Importing a module first imports its parent packages.
            packages = (
                module_name.rsplit(".", count)[0] for count in range(1, module_name.count(".") + 1)
            )
            pending += [*_imported_names(source), *packages]
    return texts


def package_files(name: str) -> Iterator[tuple[str, str]]:
    """Yield the path and text of each module and licence of an installed third-party package.

    Raises `PackageNotFoundError` if the package is not installed.
    """
    for file in metadata.files(name) or ():
        if file.suffix == ".py":
            yield file.as_posix(), _without_explanations(file.read_text("utf-8"))
        elif file.stem == "LICENSE":
            yield file.as_posix(), file.read_text("utf-8")


def _read_module(name: str, replacement: str) -> tuple[str, str | None]:
    """Return the path for the module `name`, and the source of the module `replacement`.

    The source is None if `replacement` is not one of the grader's modules.
    """
    path, replacement = name.replace(".", "/"), replacement.replace(".", "/")
    for suffix in (".py", "/__init__.py"):
        package, _, relative_path = f"{replacement}{suffix}".partition("/")
        file = files("grader") / relative_path
        if package == "grader" and file.is_file():
            return f"{path}{suffix}", file.read_text("utf-8")
    return path, None


def _without_explanations(source: str) -> str:
    """Return the source of a module without comments and docstrings, to make kits smaller."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [
                statement for statement in node.body if not _is_string_statement(statement)
            ] or [ast.Pass()]
    return ast.unparse(tree)


def _is_string_statement(statement: ast.stmt) -> bool:
    """Return whether `statement` consists of a string, such as a docstring."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _imported_names(source: str) -> set[str]:
    """Return the names that a module with this `source` imports.

    For `from x import y`, both `x` and `x.y` are included, because `y` can be a module.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports of the grader are absolute"
            names |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names
