"""`grader doctor`: tests what isolates submissions on this machine."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from typing import Final

import click

from grader.cli.options import json_option
from grader.errors import HostError
from grader.reporting.results import as_json
from grader.reporting.wording import format_message
from grader.sandbox.isolation import LEAST_LEVEL, Layers, gaps
from grader.sandbox.sandbox import probe_isolation
from grader.seams import EXTRAS, PLATFORMS, RESULTS, VERBS

_LEVELS: Final = {
    0: "none: run only your own code",
    1: "core: filtered system calls, limited resources, no access to files",
    2: "core with Landlock: two layers protect files, network and other programs",
    3: "core within namespaces: in addition, the file system is empty",
}
_LAYERS: Final = {
    "seccomp": "system-call filter",
    "landlock_abi": "Landlock",
    "namespaces": "namespaces",
    "rlimits": "resource limits",
    "no_new_privs": "no new privileges",
    "uid_dropped": "unprivileged user",
    "parent_death_signal": "end with the grader",
}
_CORE_LAYERS: Final = ("seccomp", "rlimits", "no_new_privs")
"""The layers without which there is no isolation at all."""
_IMPROVEMENTS: Final = {
    "seccomp": "use a Linux kernel with seccomp, on x86_64 or aarch64",
    "landlock_abi": "use Linux 5.13 or newer, with `landlock` among the security modules (lsm=)",
    "namespaces": "allow this Python user namespaces (sysctl user.max_user_namespaces; where "
    "AppArmor restricts them, add a profile with `userns`). Root outside a container does not need "
    "them; a container needs CAP_SYS_ADMIN, and must not forbid mount",
    "uid_dropped": "run the grader as root, which lets submissions run as nobody",
}
"""How to enable the layers that a host might lack, keyed by layer."""


@click.command("doctor")
@json_option
def command(as_json_: bool) -> None:
    """Show how well this machine isolates submissions, and which limits it cannot enforce."""
    level, layers = probe_isolation()
    test_layers = dict(probe_isolation(for_tests=True)[1])
    if as_json_:
        document = {
            "schema": "grader/doctor/1",
            "level": level,
            "layers": dict(layers),
            "tests": test_layers,
            "gaps": [gap.key.removeprefix("gap.") for gap in gaps(layers)],
        }
        sys.stdout.write(as_json(document).decode())
    else:
        _print_isolation(level, layers, test_layers)
    # Raised only now, so that the output above shows what is missing.
    if level < LEAST_LEVEL:
        missing = [name for name in _CORE_LAYERS if not dict(layers).get(name)]
        advice = [_IMPROVEMENTS[name] for name in missing if name in _IMPROVEMENTS]
        raise HostError(
            "this machine cannot run other people's code safely; what is missing:"
            f" {', '.join(_LAYERS[name] for name in missing)}",
            help="; ".join([*advice, "see docs/explanation/trust.md"]),
        )


def _print_isolation(level: int, layers: Layers, test_layers: Mapping[str, int]) -> None:
    """Print the layers and the level of isolation, its gaps, and how to improve it.

    Missing plug-ins are listed too.
    """
    click.echo(f"{platform.system()} {platform.release()}, Python {platform.python_version()}")
    states = dict(layers)
    for name, title in _LAYERS.items():
        state = states[name]
        active = f"in force (ABI {state})" if name == "landlock_abi" and state else "in force"
        click.echo(f"  {title:<22} {active if state else 'NOT in force'}")
    click.echo(f"isolation level {level} of 3: {_LEVELS[level]}")
    click.echo(f"your own tests: {_describe_test_isolation(test_layers)}")
    for gap in gaps(layers):
        click.echo(f"not enforced: {format_message(gap, 'en')}")
    for name, improvement in _IMPROVEMENTS.items():
        if not states[name]:
            click.echo(f"to improve: {improvement}")
    if missing := set().union(
        *(seam.missing_plugins() for seam in (VERBS, PLATFORMS, EXTRAS, RESULTS))
    ):
        names = ", ".join(sorted(missing))
        advice = "install all of sessiongrader to add them"
        click.echo(f"plug-ins that are not installed: {names}; {advice}")


def _describe_test_isolation(layers: Mapping[str, int]) -> str:
    """Describe what confines the process in which an instructor's own tests run."""
    if not layers["seccomp"]:
        return "NOT isolated"
    if layers["namespaces"]:
        return "isolated, within namespaces of their own"
    if layers["landlock_abi"]:
        return (
            "isolated; without namespaces, they can see the names and sizes of files outside, and"
            " the limit on what they write takes effect with a delay"
        )
    return "no other programs and no network, but they CAN read all files that their user can read"
