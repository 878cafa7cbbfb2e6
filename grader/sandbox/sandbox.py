"""Where executors come from, what isolation they get, and how many can run side by side.

Here, and nowhere else, it is decided which kind of sandbox this system has.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final

from grader.errors import HostError
from grader.sandbox.executor import Sandbox
from grader.sandbox.fresh import FreshSandbox
from grader.sandbox.isolation import Layers
from grader.sandbox.zygote import ENVIRONMENT, PACKAGE_ROOT, Zygote

__all__ = ["Sandbox", "new_sandbox", "probe_isolation", "usable_cores"]

_PROBE_WALL_S: Final = 60.0
_PROBE: Final = (
    "import json, sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.executor.probe import probe_layers; "
    "layers = probe_layers(); "
    "print(json.dumps({'level': layers.level, 'layers': layers.to_json()}))"
)


def usable_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def new_sandbox(packages: Sequence[str] = (), seed: int = 0) -> Sandbox:
    """Return the kind of sandbox that this system can have; raises `ZygoteError`.

    Its executors can be given `packages` besides what is usual; raises `HostError` for one that is
    not installed. What would differ from run to run is pinned to `seed` in them; marks are given
    with 0. Call it in the main thread, which has to outlive a zygote.
    """
    is_linux = sys.platform == "linux"
    return Zygote(packages=packages, seed=seed) if is_linux else FreshSandbox(packages, seed)


def probe_isolation() -> tuple[int, Layers]:
    """Try in a throw-away interpreter what isolation this machine gives.

    Return the level reached here and the state of each layer; raises `HostError`.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-S", "-B", "-c", _PROBE, PACKAGE_ROOT],
            capture_output=True,
            env=ENVIRONMENT,
            timeout=_PROBE_WALL_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise HostError("the probe of the sandbox did not end") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise HostError(f"the probe of the sandbox failed: {reason[-1]}")
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts["level"], tuple(facts["layers"].items())
