"""Hosts: plug-ins that let code other than the judge work with a submission.

The judge names the hosts when it starts the interpreter, which imports them before it is locked
down. So a submission cannot choose one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

Host: TypeAlias = Callable[..., None]
"""Called as `serve(channel, first, surroundings, file_names)`: serves the messages on the channel,
beginning with `first`, until the other end closes the channel."""
HOSTS: Final[Mapping[str, str]] = {
    "tests": "grader.plugins.own_tests.host",
    "similarity": "grader.plugins.similarity.reader",
}
"""The module of each host, which has a function `serve`."""


def load_hosts(names: Iterable[str]) -> dict[str, Host]:
    """Import the hosts called `names`, and return their `serve` functions, keyed by host name."""
    modules: dict[str, Any] = {name: importlib.import_module(HOSTS[name]) for name in names}
    return {name: module.serve for name, module in modules.items()}
