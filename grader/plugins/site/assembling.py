"""Assembles the assets of a site: archives with the modules of the judge and the executor."""

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
from grader.plugins.kit.data import encode
from grader.plugins.site.codemirror import editor_script
from grader.plugins.site.pyodide import Pyodide, bundle_as_script
from grader.seams import EXTRAS
from grader.suite import vocabulary
from grader.suite.model import Suite

_PACKAGE: Final = "grader.plugins.site"
_JUDGE_MODULES: Final = (
    f"{_PACKAGE}.judging",
    "grader.judging.remaking",
    *(kind.partition(":")[0] for kind in KINDS),
    *(EXTRAS.table[name].partition(":")[0] for name in ("pictures", "calls", "drawings")),
)
"""The modules that the judge starts from: its script, and modules that are loaded by name."""
_EXECUTOR_MODULES: Final = (f"{_PACKAGE}.executing",)
_REPLACEMENTS: Final = {
    "grader.sandbox.zygote": "grader.plugins.kit.starting",
    "pydantic": f"{_PACKAGE}.checking",
    "yaml": "grader.plugins.kit.absent",
}
"""Modules that cannot be used in a browser, mapped to their replacements."""
_SENTENCE_REPLACEMENTS: Final = {
    "report.isolation_0": "report.site_isolation",
    "gap.everything": "report.site_gaps",
}
"""The keys of sentences about our sandbox, mapped to those of sentences about the browser's, which
replace them."""
_PACKAGES: Final = ("jinja2", "markupsafe")
EDITOR: Final = "codemirror.js"
_SCRIPTS: Final = ("loading.js", "judge.js", "executor.js")
_EPOCH: Final = (2020, 1, 1, 0, 0, 0)
"""The fixed timestamp of archive members, so that the same modules give the same archive."""


def shared_files(pyodide: Pyodide) -> dict[str, bytes]:
    """Return the files that all pages of a site load, keyed by name.

    Raises `HostError` if an npm package is not in the cache, or if compiling fails.
    """
    # The list of packages is emptied, so that Pyodide cannot load any.
    info = json.loads(pyodide.files["pyodide-lock.json"])["info"]
    executor = _archive(modules_for(_EXECUTOR_MODULES, _REPLACEMENTS))
    return {
        "pyodide.asm.wasm": pyodide.files["pyodide.asm.wasm"],
        "pyodide.js": bundle_as_script(pyodide.files),
        "library.zip": pyodide.compile_archive(pyodide.files["python_stdlib.zip"]),
        "lock.json": json.dumps({"info": info, "packages": {}}).encode(),
        "executor.zip": pyodide.compile_archive(executor),
        "executor.json": _start_message().encode(),
        EDITOR: editor_script(),
        **{name: (files(_PACKAGE) / name).read_bytes() for name in _SCRIPTS},
    }


def exercise_files(suite: Suite, pyodide: Pyodide) -> dict[str, bytes]:
    """Return the files that a page needs only for `suite`, keyed by name.

    Raises `HostError` if compiling fails.
    """
    # Advice needs ruff, which browsers lack. Links to the site and to staff are for reports on work
    # that was handed in.
    public_suite = public_part(suite).with_changes(advice=False, site_url=None, contact=None)
    data = json.dumps(encode(public_suite), separators=(",", ":"))
    return {
        judge_archive_name(suite): pyodide.compile_archive(_judge_archive(*_languages(suite))),
        f"{suite.exercise}.json": data.encode(),
    }


def judge_archive_name(suite: Suite) -> str:
    """Return the name of the archive with the judge and the languages of `suite`."""
    return f"judge-{'-'.join(_languages(suite))}.zip"


def _languages(suite: Suite) -> tuple[str, ...]:
    return tuple(dict.fromkeys((suite.language, *suite.also_in)))


@cache
def _judge_archive(*languages: str) -> bytes:
    """Return a zip with the modules of the judge and its wording in `languages`; cached."""
    packages = dict(file for package in _PACKAGES for file in package_files(package))
    modules = modules_for(_JUDGE_MODULES, _REPLACEMENTS)
    wording = catalog_file(*languages, replacement_keys=_SENTENCE_REPLACEMENTS)
    return _archive({**packages, **_templates(), **modules, **wording})


def _start_message() -> str:
    """Return the JSON that executors are started with; see `executing.start`."""
    settings = {"preload": vocabulary.PRELOADED, "packages": vocabulary.KNOWN_PACKAGES, "hosts": ()}
    return json.dumps(settings)


def _templates() -> Mapping[str, str]:
    """Return the templates of pages, keyed by path in the archive."""
    folder = files("grader.reporting") / "templates"
    return {
        f"grader/reporting/templates/{file.name}": file.read_text("utf-8")
        for file in folder.iterdir()
        if file.is_file()
    }


def _archive(members: Mapping[str, str]) -> bytes:
    """Return a zip with `members`, texts keyed by path. Equal members give equal bytes."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for path, text in sorted(members.items()):
            archive.writestr(ZipInfo(path, _EPOCH), text, ZIP_DEFLATED)
    return buffer.getvalue()
