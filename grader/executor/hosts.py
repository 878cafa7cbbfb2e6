"""Plug-ins that an executor serves: who else than the judge may work with a submission.

The judge names them when it starts the interpreter, which imports them before it is locked: no
submission chooses one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

Host: TypeAlias = Callable[..., None]
"""Serves over the channel what comes behind the first message, in the given surroundings, until the
other end hangs up. It is told the names of the submission's files."""
HOSTS: Final[Mapping[str, str]] = {
    "tests": "grader.plugins.own_tests.host",
    "similarity": "grader.plugins.similarity.reader",
}
"""The module of each, which has a function `serve`."""


def loaded(names: Iterable[str]) -> dict[str, Host]:
    """Return the hosts that are called `names`."""
    modules: dict[str, Any] = {name: importlib.import_module(HOSTS[name]) for name in names}
    return {name: module.serve for name, module in modules.items()}
