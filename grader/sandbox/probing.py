"""Finds out what isolation this machine gives, by trying it in a throw-away interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Final

from grader.errors import HostError
from grader.isolation import Layers
from grader.sandbox.zygote import ENVIRONMENT, PACKAGE_ROOT

_WALL_S: Final = 60.0
_PROGRAM: Final = (
    "import json, sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.executor.probe import probe_layers; "
    "layers = probe_layers(); "
    "print(json.dumps({'level': layers.level, 'layers': layers.to_json()}))"
)


def probe() -> tuple[int, Layers]:
    """Return the level reached here and the state of each layer; raises `HostError`."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-S", "-B", "-c", _PROGRAM, PACKAGE_ROOT],
            capture_output=True,
            env=ENVIRONMENT,
            timeout=_WALL_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise HostError("the probe of the sandbox did not end") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise HostError(f"the probe of the sandbox failed: {reason[-1]}")
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts["level"], tuple(facts["layers"].items())
