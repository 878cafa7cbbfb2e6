"""The witnesses of the hostile runs, tried on a program that is in no sandbox: each notices it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pytest
from hostile_runs import STAGE_PROGRAM
from hostile_stage import Plan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is for Linux")

FROM_THE_FOLDER: Final = "import sys; sys.path.insert(0, sys.argv[1])\n"
TOUCHES_NOTHING: Final = "import witnesses; print(len(witnesses.FILES))"
LEFT: Final = f"/var/tmp/grader-left-{os.getpid()}"
OPEN_FILES: Final = ("read", "written", "gone")
WITNESSES: Final = [
    *("socket TCP", "socket UDP", "socket UNIX", "socket UNIX_DATAGRAM"),
    *("socket ABSTRACT", "socket ABSTRACT_DATAGRAM"),
    *("read/grader-witness", "written/grader-witness", "gone/grader-witness"),
    *("ShdPnd of the canary", "niceness of the canary", "limits of the canary"),
    *("shm is", "sem is", "msg is", "POSIX queue is"),
]
TOUCHES_ALL: Final = """
import ctypes, os, resource, signal, socket, struct
import witnesses

here = "127.0.0.1"
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, (here, witnesses.TCP)),
    (socket.AF_INET, socket.SOCK_DGRAM, (here, witnesses.UDP)),
    (socket.AF_UNIX, socket.SOCK_STREAM, witnesses.UNIX),
    (socket.AF_UNIX, socket.SOCK_DGRAM, witnesses.UNIX_DATAGRAM),
    (socket.AF_UNIX, socket.SOCK_STREAM, witnesses.ABSTRACT),
    (socket.AF_UNIX, socket.SOCK_DGRAM, witnesses.ABSTRACT_DATAGRAM),
):
    opened = socket.socket(family, kind)
    opened.connect(address)
    opened.send(b"x")

for path in witnesses.FILES:
    what = os.path.basename(os.path.dirname(path))
    if what == "read":
        open(path).read()
    elif what == "written":
        open(path, "a").write("x")
    else:
        os.unlink(path)

os.setpriority(os.PRIO_PROCESS, witnesses.CANARY_PID, 19)
resource.prlimit(witnesses.CANARY_PID, resource.RLIMIT_CORE, (0, 0))
os.kill(witnesses.CANARY_PID, signal.SIGURG)

library = ctypes.CDLL(None)
library.shmat.restype = ctypes.c_void_p
library.shmat(witnesses.SYSTEM_V_SHM, None, 0)
library.semop(witnesses.SYSTEM_V_SEM, struct.pack("=Hhh", 0, 1, 0), 1)
library.msgsnd(witnesses.SYSTEM_V_MSG, struct.pack("@l8s", 1, b"x"), 8, 0)
queue = library.mq_open(witnesses.POSIX_QUEUE.encode(), os.O_WRONLY)
library.mq_send(queue, b"x", 1, 0)

open("left", "w").close()
open(LEFT, "w").close()
if not os.fork():
    os.setsid()
    os.closerange(0, 3)
    signal.pause()
"""


def report_on(program: str, folder: Path) -> dict[str, Any]:
    """Return what the stage reports of a Python program that runs without any sandbox."""
    for name in ("work", "open", "home", *OPEN_FILES):
        (folder / name).mkdir()
    modules = str(folder / "open")
    files = [str(folder / name) for name in OPEN_FILES]
    plan = Plan(
        host="as_root",
        uid=os.geteuid(),
        home=str(folder / "home"),
        work=str(folder / "work"),
        open_folder=str(folder / "open"),
        kept=[str(folder), sys.prefix, sys.base_prefix, str(STAGE_PROGRAM.parents[1])],
        commands=[[sys.executable, "-c", FROM_THE_FOLDER + program, modules]],
        secrets=dict.fromkeys(("environment", *files), "secret"),
        announced=[f"{modules}/witnesses.py"],
        grace_s=0.2,
    )
    (folder / "plan.json").write_text(json.dumps(asdict(plan)))
    subprocess.run([sys.executable, str(STAGE_PROGRAM), str(folder / "plan.json")], check=True)
    report: dict[str, Any] = json.loads((folder / "plan.report").read_text())
    assert [0] == [done["code"] for done in report["done"]], report["done"]
    return report


def test_witnesses_keep_quiet_about_nothing(tmp_path: Path) -> None:
    """A program that harms nobody leaves no word of itself."""
    report = report_on(TOUCHES_NOTHING, tmp_path)
    assert [] == report["noticed"]
    assert [] == report["processes_left"]
    assert report["files_left"] in ([], None)


def test_each_witness_notices_what_is_done_to_it(tmp_path: Path) -> None:
    """Whatever is reached, read, changed, signalled or left behind is told."""
    report = report_on(f"LEFT = {LEFT!r}\n{TOUCHES_ALL}", tmp_path)
    noticed = "\n".join(report["noticed"])
    for name in WITNESSES:
        assert name in noticed
    assert 1 == len(report["processes_left"])
    assert sys.executable in report["processes_left"][0]
    if report["files_left"] is None:
        os.unlink(LEFT)
    else:
        assert {LEFT, str(tmp_path / "work" / "left")} == set(report["files_left"])
