"""Hosts: plug-ins that let code other than the judge work with a submission.

The judge names them when it starts the interpreter, which imports them before it is locked down: a
submission cannot choose one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

Host: TypeAlias = Callable[..., None]
"""Serves the messages after the first one on the channel, in the given surroundings, until the
other end closes it. It gets the names of the submission's files."""
HOSTS: Final[Mapping[str, str]] = {
    "tests": "grader.plugins.own_tests.host",
    "similarity": "grader.plugins.similarity.reader",
}
"""The module of each host, which has a function `serve`."""


def loaded(names: Iterable[str]) -> dict[str, Host]:
    """Return the hosts with these `names`."""
    modules: dict[str, Any] = {name: importlib.import_module(HOSTS[name]) for name in names}
    return {name: module.serve for name, module in modules.items()}
