"""Checks that the machine has the isolation and packages that grading needs."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from grader.errors import HostError
from grader.sandbox.isolation import LEAST_LEVEL, Isolation
from grader.sandbox.sandbox import FreshSandbox
from grader.sandbox.zygote import package_folder
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages


def require_isolation(isolation: Isolation, least_level: int = LEAST_LEVEL) -> None:
    """Raise `HostError` if `isolation` is below `least_level`."""
    if isolation.level >= least_level:
        return
    if isolation.level == 0:
        raise HostError(
            "this machine cannot isolate submissions (isolation level 0)",
            help="grade on Linux (on Windows: in WSL2) or in CI; add --trust-submissions only if"
            " you would run each of them yourself",
        )
    raise HostError(
        f"this machine offers isolation level {isolation.level}, but level {least_level} is"
        " required",
        help="`grader doctor` shows what is missing and what would help;"
        f" --isolation {isolation.level} accepts the lower level",
    )


def require_system(least_level: int) -> None:
    """Raise `HostError` if this operating system cannot isolate at `least_level`.

    Called before any worker is started, because otherwise each worker would fail.
    """
    if sys.platform != "linux":
        require_isolation(FreshSandbox.isolation, least_level)


def require_packages(suites: Iterable[Suite]) -> None:
    """Raise `HostError` if an exercise needs a package that is not installed."""
    for suite in suites:
        for name in optional_packages(suite.imports):
            try:
                package_folder(name)
            except HostError as error:
                message = f"the exercise {suite.exercise} needs {name}, which is not installed"
                raise HostError(message, help=error.help) from error
