"""`grader doctor`, and what an ordinary user can do."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, SUITE, Done, grader, process

from grader.executor.isolation_layers import NO_LAYERS, IsolationLayers

NOBODY: Final = 65534


def test_doctor_tells_each_layer(capfd: pytest.CaptureFixture[str]) -> None:
    """Seven layers, in force or not; the level; and each gap with what would help."""
    done = grader(capfd, "doctor")
    lines = done.out.splitlines()
    assert all(re.search(r" (in force|NOT in force)", line) for line in lines[1:8])
    level = re.fullmatch(r"isolation level (\d) of 3: .+", lines[8])
    assert level is not None
    assert (0 if int(level[1]) else 4) == done.code
    missing = done.out.count("NOT in force")
    assert (missing > 0) == any(line.startswith("not enforced: ") for line in lines[9:])
    assert all(
        line.startswith(("not enforced: ", "to improve: ", "plug-ins ")) for line in lines[10:]
    )
    assert lines[9].startswith(
        "your own tests: isolated, " if level[1] == "3" else "your own tests: "
    )


def test_doctor_json(capfd: pytest.CaptureFixture[str]) -> None:
    """The same facts for a program, alone on standard output."""
    document = json.loads(grader(capfd, "doctor", "--json").out)
    assert ["schema", "level", "layers", "tests", "gaps"] == list(document)
    assert "grader/doctor/1" == document["schema"]
    assert {field.name for field in fields(IsolationLayers)} == set(document["layers"])
    assert document["layers"].keys() == document["tests"].keys()


def test_doctor_without_isolation_is_4(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing holds, each gap is told, and the way out."""
    layers = tuple(NO_LAYERS.to_json().items())
    monkeypatch.setattr("grader.cli.doctor.probe_isolation", lambda **_: (0, layers))
    done = grader(capfd, "doctor")
    assert 4 == done.code
    assert 7 == done.out.count("NOT in force\n")
    assert "your own tests: NOT isolated\n" in done.out
    assert "isolation level 0 of 3: none: run only your own code\n" in done.out
    assert "not enforced: Nothing is enforced: a submission can do anything" in done.out
    assert 4 == done.out.count("to improve: ")
    assert (
        "error: this machine cannot run other people's code safely; what is missing: "
        "system-call filter, resource limits, no new privileges\n"
        "  = help: use a Linux kernel with seccomp, on x86_64 or aarch64; "
        "see docs/explanation/trust.md\n"
    ) == done.err


def test_probe_that_fails_is_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A probe that breaks down says why, with exit 4."""
    monkeypatch.setattr("grader.sandbox.sandbox._PROBE", "raise OSError('no more processes')")
    done = grader(capfd, "doctor")
    assert (4, "") == (done.code, done.out)
    error, advice = done.err.splitlines()
    assert "error: the sandbox probe failed: OSError: no more processes" == error
    assert advice.strip().startswith("= help: check that ")


def ordinary(*args: str) -> Done:
    """Run the command line as an ordinary user."""
    if os.geteuid() != 0:
        return process(*args)
    # An interpreter in root's home is not there for others; the system's is, with our packages.
    python = f"/usr/bin/python3.{sys.version_info.minor}"
    if not os.access(python, os.X_OK):
        pytest.skip("no interpreter of this version that every user may run")
    return process(*args, user=NOBODY, python=python, HOME="/")


def test_doctor_as_an_ordinary_user() -> None:
    """Nothing but the change of user needs root."""
    as_root = json.loads(process("doctor", "--json").out)
    document = json.loads(ordinary("doctor", "--json").out)
    assert as_root["level"] == document["level"]
    assert {**as_root["layers"], "uid_dropped": False} == document["layers"]


def test_check_as_an_ordinary_user() -> None:
    """A student needs no rights on her machine."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        file = Path(name, "mine.py")
        file.write_text(RIGHT)
        suite = Path(name, "double.yaml")
        suite.write_text(SUITE.format(name="double", defines="double", call="double(2)"))
        done = ordinary("check", str(file), "--exercise", str(suite))
    assert (0, "") == (done.code, done.err)
