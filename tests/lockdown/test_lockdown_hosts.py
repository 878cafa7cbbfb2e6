"""The hosts that other tests run in are what they say."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path

import hosts
import pytest
from attempts import raw_fork, start_thread
from hosts import CLONE_NEW, in_container, without_namespaces
from locked_forks import as_root_only, described, on_linux, reports_of, write_line

pytestmark = [*on_linux, as_root_only]


@pytest.mark.parametrize("host", [in_container, without_namespaces], ids=lambda host: host.__name__)
def test_no_namespace_of_any_kind(host: hosts.Host) -> None:
    """Where namespaces are refused, clone(2) makes none of them, and threads and forks go on."""

    def be_host(fd: int) -> None:
        host()
        start_thread()
        raw_fork("clone", signal.SIGCHLD)()
        flags = CLONE_NEW.values()
        refusals = [described(raw_fork("clone", flag | signal.SIGCHLD)) for flag in flags]
        write_line(fd, {"errnos": [refusal.get("errno") for refusal in refusals]})

    assert [{"errnos": [errno.EPERM] * 7}] == reports_of(be_host)


def run_in(host: str, command: str, home: Path) -> str:
    """Return what a shell prints that runs `command` in a host of its own."""
    done = subprocess.run(
        [sys.executable, hosts.__file__, host, "--home", str(home), "--", "/bin/sh", "-c", command],
        check=True,
        capture_output=True,
        text=True,
        cwd="/",
    )
    return done.stdout


@pytest.mark.parametrize(
    ("host", "user"),
    [
        ("as_root", "0 root"),
        ("as_user", "65534 nobody"),
        ("in_container", "0 root"),
        ("in_container_as_user", "65534 nobody"),
    ],
)
def test_command_runs_as_the_user_of_its_host(host: str, user: str, tmp_path: Path) -> None:
    """A command has the user of its host, under its name, with a home of its own."""
    printed = run_in(host, 'echo "$(id -u) $USER $HOME"', tmp_path)

    assert f"{user} {tmp_path}\n" == printed


@pytest.mark.parametrize("host", ["in_container", "in_container_as_user"])
def test_command_runs_in_a_container(host: str, tmp_path: Path) -> None:
    """A command is held by filters and has at most the capabilities that Docker gives."""
    printed = run_in(host, "grep -E '^(CapBnd|Seccomp):' /proc/self/status", tmp_path)

    assert "CapBnd:\t00000000a80425fb\nSeccomp:\t2\n" == printed
