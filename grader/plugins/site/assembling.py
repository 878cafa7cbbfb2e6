"""Assembles the assets of a site: the modules of a judge and of an executor."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from grader.judging.rules import KINDS
from grader.plugins.kit.assembling import catalog_file, modules_for, package_files, public_part
from grader.plugins.kit.data import encoded
from grader.plugins.site.codemirror import editor_script
from grader.plugins.site.pyodide import Pyodide, as_script
from grader.seams import EXTRAS
from grader.suite import vocabulary
from grader.suite.model import Suite

_HERE: Final = "grader.plugins.site"
_JUDGE: Final = (
    f"{_HERE}.judging",
    "grader.judging.remaking",
    *(each.partition(":")[0] for each in KINDS),
    *(EXTRAS.table[name].partition(":")[0] for name in ("pictures", "calls", "drawings")),
)
"""The entry points of the judge: the script, and modules that it loads by name."""
_EXECUTOR: Final = (f"{_HERE}.executing",)
_REPLACED: Final = {
    "grader.sandbox.zygote": "grader.plugins.kit.starting",
    "pydantic": f"{_HERE}.checking",
    "yaml": "grader.plugins.kit.absent",
}
"""Modules that a browser cannot use, with their replacements."""
_SAID_AS: Final = {
    "report.isolation_0": "report.site_isolation",
    "gap.everything": "report.site_gaps",
}
"""Sentences about our sandbox, replaced by those about the browser's."""
_PACKAGES: Final = ("jinja2", "markupsafe")
EDITOR: Final = "codemirror.js"
_SCRIPTS: Final = ("loading.js", "judge.js", "executor.js")
_EPOCH: Final = (2020, 1, 1, 0, 0, 0)
"""The fixed time of members, so that the same modules give the same archive."""


def shared_files(pyodide: Pyodide) -> dict[str, bytes]:
    """Return the files that all pages of a site load, by name."""
    # Without its packages, Pyodide cannot load any of them.
    info = json.loads(pyodide.files["pyodide-lock.json"])["info"]
    executor = _archive(modules_for(_EXECUTOR, _REPLACED))
    return {
        "pyodide.asm.wasm": pyodide.files["pyodide.asm.wasm"],
        "pyodide.js": as_script(pyodide.files),
        "library.zip": pyodide.compiled(pyodide.files["python_stdlib.zip"]),
        "lock.json": json.dumps({"info": info, "packages": {}}).encode(),
        "executor.zip": pyodide.compiled(executor),
        "executor.json": _words().encode(),
        EDITOR: editor_script(),
        **{name: (files(_HERE) / name).read_bytes() for name in _SCRIPTS},
    }


def exercise_files(suite: Suite, pyodide: Pyodide) -> dict[str, bytes]:
    """Return the other files that a page of `suite` loads, by name."""
    # Browsers have no ruff for advice, and nobody hands in there, so addresses make no sense.
    shown = public_part(suite).changed(advice=False, site_url=None, contact=None)
    data = json.dumps(encoded(shown), separators=(",", ":"))
    return {
        judge_name(suite): pyodide.compiled(_judge(*_languages(suite))),
        f"{suite.exercise}.json": data.encode(),
    }


def judge_name(suite: Suite) -> str:
    """Return the name of the archive with the judge for the languages of `suite`."""
    return f"judge-{'-'.join(_languages(suite))}.zip"


def _languages(suite: Suite) -> tuple[str, ...]:
    return tuple(dict.fromkeys((suite.language, *suite.also_in)))


@cache
def _judge(*languages: str) -> bytes:
    """Return a zip with the modules of the judge, and its wording in these `languages`."""
    packages = dict(file for package in _PACKAGES for file in package_files(package))
    modules = modules_for(_JUDGE, _REPLACED)
    said = catalog_file(*languages, said_as=_SAID_AS)
    return _archive({**packages, **_templates(), **modules, **said})


def _words() -> str:
    """Return the start message of executors: see `executing.start`."""
    words = {"preload": vocabulary.PRELOADED, "packages": vocabulary.PACKAGES, "hosts": ()}
    return json.dumps(words)


def _templates() -> Mapping[str, str]:
    folder = files("grader.reporting") / "templates"
    return {
        f"grader/reporting/templates/{file.name}": file.read_text("utf-8")
        for file in folder.iterdir()
        if file.is_file()
    }


def _archive(members: Mapping[str, str]) -> bytes:
    written = io.BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for path, text in sorted(members.items()):
            archive.writestr(ZipInfo(path, _EPOCH), text, ZIP_DEFLATED)
    return written.getvalue()
