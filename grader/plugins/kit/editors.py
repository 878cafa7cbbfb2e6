"""Builds a folder for VS Code with a kit, a task that runs it, and a problem matcher."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from grader.judging.rules import KINDS
from grader.plugins.authoring.schema import schema_files
from grader.suite.model import Suite

_EPOCH: Final = (2020, 1, 1, 0, 0, 0)
"""A fixed date and time, so that the same kit gives the same archive."""
_SCHEMAS: Final = ".vscode/schemas"
_PROBLEM_MATCHER: Final = {
    "owner": "grader",
    "fileLocation": ["autoDetect", "${workspaceFolder}"],
    "severity": "error",
    "pattern": {"regexp": r"^\s+(\S.*\.py):(\d+)\s+(.*)$", "file": 1, "line": 2, "message": 3},
}
"""The problem matcher for the locations of failures in the output of a kit."""


def editor_archive(suite: Suite, name: str, kit: bytes) -> bytes:
    """Return a zip archive with the `kit` of `suite` as the file `name`, and a task to run it."""
    schemas = schema_files(KINDS)
    files = {
        name: kit,
        ".vscode/tasks.json": _json(_tasks(suite, name)),
        ".vscode/settings.json": _json(_settings(list(schemas))),
        **{f"{_SCHEMAS}/{file}": text.encode() for file, text in schemas.items()},
    }
    archive = BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as zip_file:
        for path, data in files.items():
            zip_file.writestr(ZipInfo(path, _EPOCH), data, ZIP_DEFLATED)
    return archive.getvalue()


def _tasks(suite: Suite, name: str) -> object:
    """Return a list of VS Code tasks with one task, which runs the kit in the file `name`."""
    task = {
        "label": f"check {suite.exercise}",
        "detail": suite.title,
        "type": "process",
        # The interpreter that the student selected, because `python` can be another one.
        "command": "${command:python.interpreterPath}",
        "args": [f"${{workspaceFolder}}/{name}"],
        "group": {"kind": "test", "isDefault": True},
        "presentation": {"clear": True},
        "problemMatcher": _PROBLEM_MATCHER,
    }
    return {"version": "2.0.0", "tasks": [task]}


def _settings(schemas: list[str]) -> object:
    """Return the VS Code settings, which apply `schemas` to public and hidden suites."""
    public, hidden = sorted(schemas, key=lambda file: "hidden" in file)  # False sorts first
    return {
        "files.exclude": {"**/__pycache__": True},
        "yaml.schemas": {
            f"{_SCHEMAS}/{public}": ["testsuites/*.yaml", "!testsuites/*.hidden.yaml"],
            f"{_SCHEMAS}/{hidden}": "testsuites/*.hidden.yaml",
        },
    }


def _json(data: object) -> bytes:
    return (json.dumps(data, indent=2) + "\n").encode()
