"""`grader doctor`: what isolates submissions on this machine, as tried, not as assumed."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from typing import Final

import click

from grader.cli.options import json_option
from grader.errors import HostError
from grader.reporting.results import as_json
from grader.reporting.wording import say
from grader.sandbox.isolation import LEAST_LEVEL, Layers, gaps
from grader.sandbox.sandbox import probe_isolation
from grader.seams import EXTRAS, PLATFORMS, RESULTS, VERBS

_LEVELS: Final = {
    0: "none: run your own code only",
    1: "core: system calls filtered, resources limited, no access to files",
    2: "core with Landlock: two walls around files, network and other programs",
    3: "core within namespaces: behind the walls, an empty file system",
}
_LAYERS: Final = {
    "seccomp": "system-call filter",
    "landlock_abi": "Landlock",
    "namespaces": "namespaces",
    "rlimits": "resource limits",
    "no_new_privs": "no new privileges",
    "uid_dropped": "other user",
    "parent_death_signal": "end with the grader",
}
_IMPROVEMENTS: Final = {
    "seccomp": "use a Linux kernel with seccomp, on x86_64 or aarch64",
    "landlock_abi": "Linux 5.13 or newer, with `landlock` among the security modules (lsm=)",
    "namespaces": "allow this Python user namespaces (sysctl user.max_user_namespaces; where "
    "AppArmor restricts them, a profile with `userns`); root outside containers needs none, a "
    "container needs CAP_SYS_ADMIN and must not forbid mount",
    "uid_dropped": "as root, submissions run as nobody",
}
"""How to get the layers that can be added to a host."""


@click.command("doctor")
@json_option
def command(as_json_: bool) -> None:
    """Show how well this machine isolates code, and what is not enforced."""
    level, layers = probe_isolation()
    of_tests = dict(probe_isolation(of_tests=True)[1])
    if as_json_:
        document = {
            "schema": "grader/doctor/1",
            "level": level,
            "layers": dict(layers),
            "tests": of_tests,
            "gaps": [gap.key.removeprefix("gap.") for gap in gaps(layers)],
        }
        sys.stdout.write(as_json(document).decode())
    else:
        _print_isolation(level, layers, of_tests)
    # At the end, so that the output shows what is missing.
    if level < LEAST_LEVEL:
        raise HostError(
            "this machine cannot grade the code of others safely",
            help=f"{_IMPROVEMENTS['seccomp']}; see docs/explanation/trust.md",
        )


def _print_isolation(level: int, layers: Layers, of_tests: Mapping[str, int]) -> None:
    """Print the layers in force, the level, the gaps, and how to improve."""
    click.echo(f"{platform.system()} {platform.release()}, Python {platform.python_version()}")
    states = dict(layers)
    for name, title in _LAYERS.items():
        state = states[name]
        shown = f"in force (ABI {state})" if name == "landlock_abi" and state else "in force"
        click.echo(f"  {title:<22} {shown if state else 'NOT in force'}")
    click.echo(f"isolation level {level} of 3: {_LEVELS[level]}")
    click.echo(f"your own tests: {_isolation_of_tests(of_tests)}")
    for gap in gaps(layers):
        click.echo(f"not enforced: {say(gap, 'en')}")
    for name, improvement in _IMPROVEMENTS.items():
        if not states[name]:
            click.echo(f"to improve: {improvement}")
    if missing := set().union(*(seam.missing() for seam in (VERBS, PLATFORMS, EXTRAS, RESULTS))):
        click.echo(f"plug-ins that are not installed: {', '.join(sorted(missing))}")


def _isolation_of_tests(layers: Mapping[str, int]) -> str:
    """Return in words what confines the process in which an instructor's own tests run."""
    if not layers["seccomp"]:
        return "NOT isolated"
    if layers["namespaces"]:
        return "isolated, within namespaces of their own"
    if layers["landlock_abi"]:
        return (
            "isolated; without namespaces, they can see names and sizes of files outside, and"
            " what they write is limited a moment late"
        )
    return "no other programs, no network; NOT kept from files that their user can read"
