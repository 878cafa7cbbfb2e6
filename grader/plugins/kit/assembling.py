"""Assembles a kit: a program, the modules of the judge that a check needs, and a suite."""

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
from grader.plugins.kit.data import encoded
from grader.reporting.wording import Locale, catalog
from grader.seams import EXTRAS
from grader.suite.model import Suite
from grader.verdict import Visibility

_OLDEST: Final = (3, 11)
_PROGRAM: Final = "grader.plugins.kit.check"
_ROOTS: Final = (
    *(_PROGRAM, "grader.executor.alone", "grader.judging.remaking"),
    *(EXTRAS.table[name].partition(":")[0] for name in ("pictures", "calls", "drawings")),
)
"""The main module, the one that it runs in another process, the one whose text it sends there, and
those that draw."""
_HERE: Final = "grader.plugins.kit"
_IN_THE_PLACE_OF: Final = {
    "grader.executor.instruments": f"{_HERE}.absent",
    "grader.judging.surveyed": f"{_HERE}.unsurveyed",
    "grader.sandbox.zygote": f"{_HERE}.starting",
    "yaml": f"{_HERE}.absent",
}
"""Replacements for modules in a kit, under the same names."""
_WHOLE: Final = ("rich",)
"""Pure Python packages that a kit contains whole, with their licence."""
_LINE: Final = 96
_KIT: Final = '''\
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
    """Return the text of a kit for the public part of `suite`: one self-contained Python file."""
    locale = Locale.of(suite.language)
    oldest = ".".join(map(str, _OLDEST))
    changes = {"rules": (), "advice": False, "handed_out": {}, "equivalent": ()}
    left_out = {"rules": len(suite.rules), "advice": suite.advice}
    made = {"python": sys.version_info[:2]}
    data = {"suite": encoded(public_part(suite).changed(**changes)), **left_out, **made}
    return _KIT.format(
        title=_in_docstring(suite.title),
        about=_in_docstring(locale("kit_about", kit=kit_name(suite.exercise))),
        version=__version__,
        exercise=suite.exercise,
        oldest=oldest,
        # Without its docstring, as the kit has one of its own.
        bootstrap=(files(__package__) / "bootstrap.py").read_text("utf-8").split('"""', 2)[2],
        suite=_packed(json.dumps(data, separators=(",", ":"))),
        modules=_packed(json.dumps({**_modules(), **catalog_file(suite.language)})),
        program=_PROGRAM,
        oldest_version=_OLDEST,
        too_old=ascii(locale("kit_too_old", oldest=oldest)),
    )


def public_part(suite: Suite) -> Suite:
    """Return `suite` with its public sessions and their groups only."""
    sessions = tuple(each for each in suite.sessions if each.visibility is Visibility.PUBLIC)
    asked = {case.group for session in sessions for case in session.cases}
    groups = tuple(group for group in suite.groups if group.id in asked)
    return suite.changed(sessions=sessions, groups=groups)


def kit_name(exercise: str) -> str:
    """Return the file name of the kit of `exercise`."""
    return f"check_{exercise}.py"


def _in_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'")


def _packed(text: str) -> str:
    # Its alphabet has no quotes and no backslashes, so any text fits into a literal.
    packed = base64.b85encode(zlib.compress(text.encode(), 9)).decode("ascii")
    return "\n".join(packed[at : at + _LINE] for at in range(0, len(packed), _LINE))


def catalog_file(
    *languages: str, said_as: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return the wording catalog in these `languages`, as one file: its text by its path.

    `said_as` maps keys to other keys, whose sentences replace theirs.
    """
    lines: dict[str, list[str]] = {}
    for language in languages:
        texts = catalog(language)
        for key in texts:
            said = json.dumps(texts[said_as.get(key, key)], ensure_ascii=False)
            lines.setdefault(key, [f"{key}:\n"]).append(f"  {language}: {said}\n")
    text = "".join("".join(each) for each in lines.values())
    return {"grader/reporting/wording/sentences.yaml": text}


@cache
def _modules() -> Mapping[str, str]:
    """Return the files of the judge and its packages that a kit needs, by path."""
    packages = dict(file for package in _WHOLE for file in package_files(package))
    return {**packages, **modules_for(_ROOTS, _IN_THE_PLACE_OF)}


def modules_for(roots: Iterable[str], in_the_place_of: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of `roots`, and of our modules that they import, by path.

    `in_the_place_of` maps modules to their replacements.
    """
    found: dict[str, str] = {}
    waiting = [*roots]
    while waiting:
        module = waiting.pop()
        path, source = _module(module, in_the_place_of.get(module, module))
        if source is not None and path not in found:
            found[path] = _unexplained(source)
            # Importing a module imports the packages around it first.
            packages = (module.rsplit(".", count)[0] for count in range(1, module.count(".") + 1))
            waiting += [*_imported(source), *packages]
    return found


def package_files(name: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of the files of a third-party package that is installed here."""
    for file in metadata.files(name) or ():
        if file.suffix == ".py":
            yield file.as_posix(), _unexplained(file.read_text("utf-8"))
        elif file.stem == "LICENSE":
            yield file.as_posix(), file.read_text("utf-8")


def _module(name: str, taken: str) -> tuple[str, str | None]:
    """Return the path of the module `name`, and the text of `taken`, None if it is not ours."""
    path, taken = name.replace(".", "/"), taken.replace(".", "/")
    for end in (".py", "/__init__.py"):
        first, _, below = f"{taken}{end}".partition("/")
        file = files("grader") / below
        if first == "grader" and file.is_file():
            return f"{path}{end}", file.read_text("utf-8")
    return path, None


def _unexplained(source: str) -> str:
    """Return a module without comments and docstrings, which nobody reads in a kit."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [each for each in node.body if not _is_text(each)] or [ast.Pass()]
    return ast.unparse(tree)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _imported(source: str) -> set[str]:
    """Return the names that a module with this `source` imports; not all need be modules."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "our own imports are absolute"
            found |= {str(node.module), *(f"{node.module}.{each.name}" for each in node.names)}
    return found
