"""Puts a kit together: our modules for Python 3.8, parts for what they leave out, and a suite."""

from __future__ import annotations

import base64
import json
import sys
import zlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Final

from grader import __version__
from grader.plugins.kit.data import encoded
from grader.plugins.kit.lowering import imported_modules, lowered
from grader.reporting.wording import Locale, catalog
from grader.suite.model import Suite

_ROOTS: Final = ("grader.kit_main", "grader.kit_data", "grader.executor.alone", "grader.backports")
_SENT: Final = "grader/judging/remaking.py"
"""Read as text and sent to an executor, which knows nothing of ours: it stays as it is."""
_STAND_INS: Final = ("pydantic.py", "pydantic_core.py", "rich")
"""Parts that stand in for packages which are not of the standard library."""
_LINE: Final = 96
_BOOTSTRAP: Final = "bootstrap.py"


def kit_text(suite: Suite) -> str:
    """Return the text of a kit for the public `suite`: a Python file that needs no other one."""
    locale = Locale.of(suite.language)
    name = kit_name(suite.exercise)
    changes = {"rules": (), "advice": False, "handed_out": {}, "equivalent": ()}
    left_out = {"rules": len(suite.rules), "advice": suite.advice}
    made = {"python": sys.version_info[:2]}
    data = {"suite": encoded(suite.changed(**changes)), **left_out, **made}
    bootstrap = (files(__package__) / "parts" / _BOOTSTRAP).read_text(encoding="utf-8")
    return bootstrap.format(
        title=_in_docstring(suite.title),
        about=_in_docstring(locale("kit_about", kit=name)),
        version=__version__,
        exercise=suite.exercise,
        suite=_packed(json.dumps(data, separators=(",", ":"))),
        modules=_packed(json.dumps(dict(_modules(), **_catalog(suite.language)))),
    )


def kit_name(exercise: str) -> str:
    """Return the name of the file that is the kit of `exercise`."""
    return f"check_{exercise}.py"


def _in_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', "'")


def _packed(text: str) -> str:
    packed = base64.b85encode(zlib.compress(text.encode(), 9)).decode("ascii")
    return "\n".join(packed[at : at + _LINE] for at in range(0, len(packed), _LINE))


def _catalog(language: str) -> dict[str, str]:
    said = {key: json.dumps(text, ensure_ascii=False) for key, text in catalog(language).items()}
    lines = "".join(f"{key}:\n  {language}: {text}\n" for key, text in said.items())
    return {"grader/reporting/wording/sentences.yaml": lines}


@cache
def _modules() -> Mapping[str, str]:
    """Return all that a kit needs of the judge: files by their paths."""
    parts = dict(_parts(files(__package__) / "parts", PurePosixPath()))
    found = {path: text for path, text in parts.items() if path.split("/")[0] in _STAND_INS}
    found[_SENT] = _text(_SENT) or ""
    waiting = [*_ROOTS]
    while waiting:
        module = waiting.pop()
        for path in (f"{module.replace('.', '/')}.py", f"{module.replace('.', '/')}/__init__.py"):
            text = parts.get(path) or _ours(path)
            if text is None or path in found:
                continue
            found[path] = text
            packages = (module.rsplit(".", count)[0] for count in range(1, module.count(".") + 1))
            waiting += [*imported_modules(text), *packages]
    return found


def _ours(path: str) -> str | None:
    """Return the module of ours at `path` for Python 3.8, None where there is none."""
    text = _text(path)
    return None if text is None else lowered(text)


def _text(path: str) -> str | None:
    first, _, below = path.partition("/")
    file = files("grader") / below
    return file.read_text(encoding="utf-8") if first == "grader" and file.is_file() else None


def _parts(folder: Traversable, path: PurePosixPath) -> list[tuple[str, str]]:
    found = []
    for each in folder.iterdir():
        if each.is_dir():
            found += _parts(each, path / each.name) if each.name != "__pycache__" else []
        else:
            text = each.read_text(encoding="utf-8")
            names = " ".join(sorted(sys.stdlib_module_names))
            found.append((str(path / each.name), text.replace("{stdlib_module_names}", names)))
    return found
