"""`grader doctor`: what stands between a submission and this machine, tried and not assumed."""

from __future__ import annotations

import platform
import sys
from typing import Final

import click

from grader.cli.options import json_option
from grader.errors import HostError
from grader.output import as_json
from grader.sandbox.probing import probe

_LEVELS: Final = {
    0: "none: run your own code only",
    1: "core: system calls filtered, resources limited, no file in reach",
    2: "core with Landlock: two walls around the file system",
    3: "core within namespaces of its own",
}
_LAYERS: Final = {
    "seccomp": ("system-call filter", "any system call is open to a submission"),
    "landlock_abi": ("Landlock", "one wall instead of two around files and network"),
    "rlimits": ("resource limits", "memory, CPU, processes and files are not limited"),
    "no_new_privs": ("no new privileges", "a setuid program could give privileges back"),
    "uid_dropped": ("other user", "submissions run as the user who grades"),
    "parent_death_signal": ("end with the grader", "an executor may outlive a killed grader"),
}


@click.command("doctor")
@json_option
def command(as_json_: bool) -> None:
    """Tell what isolation this machine gives, and what is not enforced."""
    level, layers = probe()
    if as_json_:
        document = {"schema": "grader/doctor/1", "level": level, "layers": dict(layers)}
        sys.stdout.write(as_json(document).decode())
    else:
        click.echo(f"{platform.system()} {platform.release()}, Python {platform.python_version()}")
        for key, (name, gap) in _LAYERS.items():
            state = layers[key]
            shown = f"in force (ABI {state})" if key == "landlock_abi" and state else "in force"
            click.echo(f"  {name:<22} {shown if state else 'NOT in force: ' + gap}")
        click.echo(f"isolation level {level}: {_LEVELS[level]}")
    if level < 1:
        raise HostError(
            "submissions of strangers cannot be graded safely here",
            help="use a Linux kernel with seccomp; see docs/architecture.md",
        )
