"""Which layers are in force, as the lock reports and as the probe feels."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hosts import Host, as_root, as_user, refuse_outside, without_landlock, without_namespaces
from locked_forks import (
    as_root_only,
    everywhere,
    in_executor,
    in_turn,
    on_linux,
    reports_of,
    write_line,
)

from grader.executor import lockdown
from grader.executor.isolation_layers import NO_LAYERS, IsolationLayers
from grader.executor.probe import probe_layers

pytestmark = on_linux

ALL: Final = IsolationLayers(
    no_new_privs=True,
    uid_dropped=True,
    seccomp=True,
    landlock_abi=7,
    namespaces=True,
    rlimits=True,
    parent_death_signal=True,
)


@pytest.mark.parametrize(
    ("layers", "level"),
    [
        (ALL, 3),
        (replace(ALL, uid_dropped=False), 3),
        (replace(ALL, landlock_abi=0), 3),
        (replace(ALL, namespaces=False), 2),
        (replace(ALL, namespaces=False, landlock_abi=0), 1),
        (replace(ALL, seccomp=False), 0),
        (replace(ALL, no_new_privs=False), 0),
        (replace(ALL, rlimits=False), 0),
        (NO_LAYERS, 0),
    ],
)
def test_level(layers: IsolationLayers, level: int) -> None:
    """Namespaces make 3, Landlock alone 2, the core alone 1; without it there is no isolation."""
    assert level == layers.level


def test_layers_survive_the_wire() -> None:
    """Layers travel as JSON."""
    assert ALL == IsolationLayers.from_json(json.loads(json.dumps(ALL.to_json())))


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {**ALL.to_json(), "surplus": True},
        {**ALL.to_json(), "seccomp": 1},
        {**ALL.to_json(), "seccomp": "yes"},
        {**ALL.to_json(), "landlock_abi": True},
    ],
)
def test_malformed_layers_are_refused(data: object) -> None:
    """Nothing is guessed about isolation."""
    with pytest.raises(ValueError, match="isolation layer"):
        IsolationLayers.from_json(data)


@everywhere
def test_probe_finds_what_the_lock_reports(surroundings: Callable[[], object]) -> None:
    """What the probe felt is what a zygote on the same host says is in force."""
    (probed,) = reports_of(
        lambda fd: in_turn(surroundings, lambda: write_line(fd, probe_layers().to_json()))
    )

    assert in_executor(int, surroundings).layers == IsolationLayers.from_json(probed)


def test_probe_without_seccomp() -> None:
    """On a host that lets nobody load a filter the level is 0."""

    def be_probed(fd: int) -> None:
        refuse_outside("seccomp", errno.EPERM)
        layers = probe_layers()
        write_line(fd, {"level": layers.level, "seccomp": layers.seccomp})

    assert [{"level": 0, "seccomp": False}] == reports_of(be_probed)


@pytest.mark.parametrize("user", [as_root, as_user])
@pytest.mark.parametrize("refused", ["unshare", "mount", "pivot_root", "umount2"])
def test_namespaces_that_stop_halfway_are_none(user: Host, refused: str) -> None:
    """Where a security module refuses one of the steps, the other layers hold and level 2 is told.

    An executor sees no more than it would have seen without the steps before.
    """
    if user is as_root and os.geteuid() != 0:
        pytest.skip("only root can be root")

    def host() -> None:
        refuse_outside(refused, errno.EPERM)
        user()

    seen = in_executor(lambda: os.listdir("/"), host)
    assert "PermissionError" == seen.raised
    assert (False, 2) == (seen.layers.namespaces, seen.layers.level)


@as_root_only
def test_probe_without_landlock() -> None:
    """On a host without Landlock and namespaces the level is 1."""

    def be_probed(fd: int) -> None:
        without_landlock()
        without_namespaces()
        write_line(fd, {"level": probe_layers().level})

    assert [{"level": 1}] == reports_of(be_probed)


def test_probe_on_a_host_that_cannot_lock() -> None:
    """Where a lock fails, the probe finds nothing, and says so in time."""

    def be_probed(fd: int) -> None:
        refuse_outside("capset", errno.EPERM)
        write_line(fd, probe_layers().to_json())

    (report,) = reports_of(be_probed)
    assert NO_LAYERS == IsolationLayers.from_json(report)


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("sys.platform = 'darwin'; ctypes.CDLL = None", id="macos"),
        pytest.param("sys.platform = 'win32'; ctypes.CDLL = None; del os.uname", id="windows"),
        pytest.param("os.uname = lambda: argparse.Namespace(machine='riscv64')", id="riscv"),
    ],
)
def test_other_systems_have_no_layers(host: str) -> None:
    """The modules load on other systems and processors, where every layer is reported missing."""
    program = f"""
import argparse, ctypes, os, sys
{host}
sys.modules["resource"] = None
from grader.executor import lockdown, probe
lock = lockdown.lock_zygote()
lockdown.lock_child(lock, memory_bytes=1, cpu_s=1, keep_fd=3)
print(lock.layers == probe.probe_layers(), lock.layers.level)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(lockdown.__file__).parents[2],
    )

    assert "True 0\n" == done.stdout
