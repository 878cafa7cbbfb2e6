"""Checks that the machine has the isolation and packages that grading needs."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from grader.errors import HostError
from grader.sandbox.isolation import LEAST_LEVEL, Isolation
from grader.sandbox.sandbox import FreshSandbox
from grader.sandbox.zygote import package_folder
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among


def require_isolation(isolation: Isolation, least_level: int = LEAST_LEVEL) -> None:
    """Raise `HostError` if `isolation` is below `least_level`."""
    if isolation.level >= least_level:
        return
    if isolation.level == 0:
        raise HostError(
            "this machine cannot isolate submissions (isolation level 0)",
            help="grade on Linux (on Windows: in WSL2) or in CI; add --trust-submissions only if"
            " you would run every one of them yourself",
        )
    raise HostError(
        f"this machine gives isolation level {isolation.level}, and level {least_level} is asked",
        help="`grader doctor` tells what is missing and what would help;"
        f" --isolation {isolation.level} makes do with less",
    )


def require_system(least_level: int) -> None:
    """Raise `HostError` if this system has no isolation, before any worker is started."""
    if sys.platform != "linux":
        require_isolation(FreshSandbox.isolation, least_level)


def require_packages(suites: Iterable[Suite]) -> None:
    """Raise `HostError` if an exercise needs a package that is not installed."""
    for suite in suites:
        for name in packages_among(suite.imports):
            try:
                package_folder(name)
            except HostError as error:
                message = f"the exercise {suite.exercise} needs {name}, which is not installed"
                raise HostError(message, help=error.help) from error
