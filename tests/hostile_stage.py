"""Runs commands in a kind of host between witnesses, and writes down what these noticed.

It is a process of its own, because what it does to itself is not to be undone: it takes a view of
its own of the places where anybody may make files (where it may), and it becomes the parent of
every process that outlives its own. From a test:

    python tests/hostile_stage.py PLAN
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from hostile_witnesses import PUBLIC_PLACES, Canary, Files, Ipc, Sockets, Witness
from hosts import CLONE_NEW, LIBC

from grader.executor import kernel

HOSTS_PROGRAM: Final = str(Path(__file__).with_name("hosts.py"))
PR_SET_CHILD_SUBREAPER: Final = 36
MS_BIND: Final = 4096
MS_PRIVATE_EVERYWHERE: Final = 1 << 18 | 1 << 14
POLL_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run where, between which witnesses."""

    host: str
    uid: int
    """The user that executors run as there."""
    home: str
    work: str
    """The working folder; witnesses are in it, and nothing may come."""
    open_folder: str
    """Where witnesses are that need a folder, reached by everybody."""
    kept: list[str]
    """Folders that the commands need, wherever they lie."""
    commands: list[list[str]]
    secrets: dict[str, str]
    """By where they lie: in the `environment`, or as a witness in a folder, `work` included."""
    announced: list[str]
    """Files of attacks that are told where the witnesses are."""
    grace_s: float = 10.0
    """How long a process that has been killed may take to be gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a command ended, what it said and how long it took."""

    code: int
    out: str
    err: str
    wall_s: float


@dataclass(slots=True, kw_only=True)
class Report:
    """What was seen."""

    done: list[Done] = field(default_factory=list)
    noticed: list[str] = field(default_factory=list)
    """What the witnesses noticed."""
    processes_left: list[str] = field(default_factory=list)
    files_left: list[str] | None = None
    """None where others may make files beside us: then nobody can tell whose they are."""


def main() -> None:
    """Carry out the plan in the file that the command line names; write the report beside it."""
    path = Path(sys.argv[1])
    plan = Plan(**json.loads(path.read_text()))
    report = Report()
    os.umask(0)
    kernel.call("prctl", PR_SET_CHILD_SUBREAPER, 1)
    alone = take_own_view(plan.kept)
    with ExitStack() as until:
        witnesses, canary = place_witnesses(plan, until, alone=alone)
        announce(plan.announced, witnesses)
        before = set(listed(plan, alone=alone))
        report.done += [run(plan, command) for command in plan.commands]
        report.processes_left += outliving(canary.pid, plan.grace_s)
        report.noticed += [said for witness in witnesses for said in witness.noticed()]
        if alone:
            report.files_left = sorted(set(listed(plan, alone=alone)) ^ before)
    path.with_suffix(".report").write_text(json.dumps(asdict(report)))


def take_own_view(kept: Sequence[str]) -> bool:
    """Have empty public places and System V objects of our own; say whether that worked."""
    try:
        kernel.call("unshare", CLONE_NEW["mount"] | CLONE_NEW["ipc"])
    except OSError:  # not root, or a container that forbids it
        return False
    mount(None, "/", MS_PRIVATE_EVERYWHERE)
    below = [folder for folder in kept if folder.startswith(tuple(f"{p}/" for p in PUBLIC_PLACES))]
    opened = {folder: os.open(folder, os.O_PATH) for folder in below}
    for place in filter(os.path.isdir, PUBLIC_PLACES):
        mount("tmpfs", place, 0)
    for folder, fd in opened.items():
        os.makedirs(folder, mode=0o755, exist_ok=True)
        mount(f"/proc/self/fd/{fd}", folder, MS_BIND)
        os.close(fd)
    return True


def mount(source: str | None, target: str, flags: int) -> None:
    """Mount, or raise OSError."""
    kind = b"tmpfs" if source == "tmpfs" else None
    what = None if source is None else source.encode()
    if LIBC.mount(what, target.encode(), kind, flags, b"mode=1777" if kind else None):
        raise OSError(f"cannot mount {source} on {target}")


def place_witnesses(
    plan: Plan, until: ExitStack, *, alone: bool
) -> tuple[Sequence[Witness], Canary]:
    """Put the witnesses in their places."""
    folders = {Path(f): secret for f, secret in plan.secrets.items() if os.path.isabs(f)}
    canary = Canary(plan.uid, until)
    sockets = Sockets(Path(plan.open_folder), until)
    return (sockets, Files(folders, until), Ipc(until, alone=alone), canary), canary


def announce(paths: Sequence[str], witnesses: Sequence[Witness]) -> None:
    """Write where the witnesses are as a Python module to each of `paths`."""
    addresses = {name: at for witness in witnesses for name, at in witness.addresses().items()}
    text = "".join(f"{name} = {address!r}\n" for name, address in addresses.items())
    for path in paths:
        Path(path).write_text(f'"""Where the witnesses are."""\n\n{text}', encoding="utf-8")


def listed(plan: Plan, *, alone: bool) -> Iterator[str]:
    """Yield all that there is in the public places, save for `kept`, and in the working folder."""
    yield from sorted(str(path) for path in Path(plan.work).rglob("*"))
    kept = {Path(folder) for folder in plan.kept}
    for place in PUBLIC_PLACES if alone else ():
        for folder, folders, files in os.walk(place):
            folders[:] = [name for name in folders if Path(folder, name) not in kept]
            yield from (str(Path(folder, name)) for name in (*folders, *files))


def run(plan: Plan, command: Sequence[str]) -> Done:
    """Run `command` in the host of the plan."""
    begin_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, HOSTS_PROGRAM, plan.host, "--home", plan.home, "--", *command],
        cwd=plan.work,
        env={
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LANG": "C.UTF-8",
            "WITNESS": plan.secrets["environment"],
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        umask=0o022,
        check=False,
    )
    wall_s = round(time.monotonic() - begin_s, 2)
    return Done(code=done.returncode, out=done.stdout, err=done.stderr, wall_s=wall_s)


def outliving(canary: int, grace_s: float) -> list[str]:
    """Return what still runs of the commands' processes, and end it; the dying are waited for."""
    end_s = time.monotonic() + grace_s
    while orphans := [child for child in children() if child != canary]:
        if time.monotonic() > end_s:
            return [ended(child) for child in orphans]
        for child in orphans:
            os.waitpid(child, os.WNOHANG)
        time.sleep(POLL_S)
    return []


def ended(child: int) -> str:
    """End a process; return the command line that it had."""
    command = Path(f"/proc/{child}/cmdline").read_text()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return command


def children() -> list[int]:
    """Return the processes that have us for their parent, by birth or as orphans."""
    return [int(pid) for pid in Path("/proc/thread-self/children").read_text().split()]


if __name__ == "__main__":
    main()
