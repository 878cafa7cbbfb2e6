"""The corpus of attacks from among an instructor's own tests, in each kind of host.

It is taken for granted that code of a submission runs there, by a hole that nobody knows of yet:
the tests call the function of `holes` that a hand-in names.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from hostile_stage import Plan
from hosts import FOR_COMMANDS
from own_tests import GRADER
from selection import SELECTION

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the wall is for Linux"),
    pytest.mark.walls(one_in=1),
    pytest.mark.timeout(900),
]
TESTS: Final = Path(__file__).parents[2]
NOBODY: Final = 65534
TARGET: Final = """\
import holes, sol
def test_first(): assert sol.answer(1) == 1
def test_attack(tmp_path): getattr(holes, sol.attack)(tmp_path)
def test_last(): assert sol.answer(2) == 2
"""
REFUSED: Final = (
    *("reads", "reads_the_environment", "writes", "connects", "starts_processes"),
    *("attacks_processes", "talks_past_files", "leaves_things_behind"),
)
"""What is refused all that it tries: its test passes, or is told to ask for what is not there."""
ENDED: Final = {
    "fills_the_disk": {"PASSED", "OUTPUT"},
    "goes_on_for_ever": {"TIMED_OUT"},
    "sleeps": {"TIMED_OUT"},
    # Half a second is not always enough to fill it, for instance on a busy machine.
    "fills_the_memory": {"MEMORY", "ERROR", "TIMED_OUT"},
    "exits": {"EXITED"},
    "crashes": {"CRASHED"},
    "raises": {"WRONG"},
    "wants_a_secret": {"ERROR"},
}
"""What its own test comes to, and no other."""
BLAMING: Final = ("ends_oddly", "ends_twice", "says_a_fault", "reports_nonsense")
"""What would have the tests be at fault."""
FORGED: Final = (
    *("forges_the_next", "forges_a_second_say", "forges_a_test", "forges_points", "ends_early"),
    *("says_nonsense", "borrows_too_much", "ends_what_was_not_lent", "says_the_same_for_ever"),
    "asks_and_does_not_listen",
)
"""What ends all tests of its own hand-in that are to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What came of the corpus in a host."""

    verdicts: dict[str, dict[str, str]]
    """Of each hand-in, by the names of its tests."""
    scores: dict[str, float]
    statuses: dict[str, str]
    report: dict[str, Any]
    secrets: list[str]
    reports: str
    """All text of the reports."""


def python_for(host: str) -> list[str]:
    """Return a command that runs the grader in `host`, where this Python may not be in reach."""
    site = str(Path(pytest.__file__).parents[1])
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        command = ["env", f"PYTHONPATH={TESTS.parent}:{site}", python, "-P", "-c"]
        tried = [
            sys.executable,
            str(TESTS / "hosts.py"),
            host,
            "--",
            *command,
            "import click, grader",
        ]
        if subprocess.run(tried, capture_output=True, check=False, cwd="/").returncode == 0:
            return [*command, GRADER]
    pytest.skip("no Python that its user can run")


@pytest.fixture(scope="module", params=FOR_COMMANDS)
def seen(request: pytest.FixtureRequest) -> Iterator[Seen]:
    """The corpus, as a class with honest hand-ins, between witnesses in a kind of host."""
    host = request.param
    if host != "as_user" and os.geteuid() != 0:
        pytest.skip("only root can set this host up")
    if not request.config.stash[SELECTION].tries_walls_of_tests(host):
        pytest.skip("drawn for another commit: a host takes a minute")
    folder = Path(tempfile.mkdtemp(prefix="grader-walls-"))
    try:
        folder.chmod(0o755)
        plan = lay_out(folder, host, python_for(host))
        written = folder / "plan.json"
        written.write_text(json.dumps(asdict(plan)))
        stage = [sys.executable, str(TESTS / "hostile_stage.py"), str(written)]
        subprocess.run(stage, env={"PATH": os.environ.get("PATH", os.defpath)}, check=True)
        report = json.loads(written.with_suffix(".report").read_text())
        yield seen_in(folder / "reports", report, [*plan.secrets.values()])
    finally:
        shutil.rmtree(folder)


def lay_out(folder: Path, host: str, python: list[str]) -> Plan:
    """Lay out tests, hand-ins and secrets; return what to do with them."""
    uid = NOBODY if os.geteuid() == 0 else os.geteuid()
    for name in ("work", "open", "home", "reports", "tests", "handed"):
        (folder / name).mkdir()
        (folder / name).chmod(0o777 if name in {"work", "open"} else 0o755)
        if name in {"home", "reports"}:
            os.chown(folder / name, uid, -1)
    (folder / "tests" / "test_target.py").write_text(TARGET)
    shutil.copy(Path(__file__).with_name("holes.py"), folder / "tests")
    for attack in ("honest", "other", *REFUSED, *ENDED, *FORGED, *BLAMING):
        called = "nothing" if attack in {"honest", "other"} else attack
        source = f"attack = {called!r}\ndef answer(n): return n\n"
        (folder / "handed" / attack).mkdir()
        (folder / "handed" / attack / "sol.py").write_text(source)
    places = ["environment", *filter(os.path.isdir, ("/tmp", "/var/tmp", "/dev/shm"))]
    tests, handed = f"{folder}/tests/test_target.py", f"--submission={folder}/handed"
    return Plan(
        host=host,
        uid=uid,
        home=str(folder / "home"),
        work=str(folder / "work"),
        open_folder=str(folder / "open"),
        kept=[str(folder), str(TESTS.parent), sys.prefix, sys.base_prefix],
        commands=[[*python, "pytest", tests, handed, "--seconds=0.5", f"--out={folder}/reports"]],
        secrets={
            place: f"secret-{secrets.token_hex(16)}" for place in [*places, str(folder / "work")]
        },
        announced=[str(folder / "tests" / "witnesses.py")],
    )


def seen_in(reports: Path, report: dict[str, Any], kept: list[str]) -> Seen:
    """Return what is in `reports`, and what the stage saw."""
    text = "".join(
        path.read_text(errors="replace") for path in reports.rglob("*") if path.is_file()
    )
    try:
        entries = json.loads((reports / "results.json").read_text())["submissions"]
    except OSError:
        raise AssertionError(report["done"]) from None
    return Seen(
        verdicts={
            each["student"]: {
                case["id"].rpartition("::")[2]: case["verdict"] for case in each["cases"]
            }
            for each in entries
        },
        scores={each["student"]: each["score"] for each in entries},
        statuses={each["student"]: each["status"] for each in entries},
        report=report,
        secrets=kept,
        reports=text,
    )


def test_what_is_outside_is_out_of_reach(seen: Seen) -> None:
    """Each attempt is refused: a test that got through fails, which is a wrong one."""
    assert {} == {
        name: found
        for name in REFUSED
        if (found := seen.verdicts[name])["test_attack"] not in {"PASSED", "FORBIDDEN"}
        or {found["test_first"], found["test_last"]} != {"PASSED"}
    }


def test_nothing_is_noticed_outside(seen: Seen) -> None:
    """No file was read or changed, no socket heard, no process touched."""
    assert [] == seen.report["noticed"]


def test_nothing_is_left_behind(seen: Seen) -> None:
    """No process outlives its hand-in, and no file."""
    assert [] == seen.report["processes_left"]
    assert not seen.report["files_left"]


def test_no_secret_comes_out(seen: Seen) -> None:
    """Neither in reports nor in what is printed."""
    said = seen.reports + "".join(each["out"] + each["err"] for each in seen.report["done"])
    assert [] == [each for each in seen.secrets if each in said]


def test_nobody_brings_a_fault_about(seen: Seen) -> None:
    """What the tests are blamed for, they are blamed for with everybody; the class is graded."""
    assert {"graded"} == {*seen.statuses.values()}
    assert [0] == [each["code"] for each in seen.report["done"]]
    assert "/usr/share" not in "".join(each["err"] for each in seen.report["done"])


def test_an_attack_costs_its_own_test(seen: Seen) -> None:
    """Whatever ends the process, the tests before and after it are judged."""
    assert {} == {
        name: found
        for name, expected in ENDED.items()
        if (found := seen.verdicts[name])["test_attack"] not in expected
        or {found["test_first"], found["test_last"]} != {"PASSED"}
    }


def test_a_forged_word_costs_its_own_hand_in(seen: Seen) -> None:
    """It earns nothing from there on, and is told as what it is."""
    assert {} == {
        name: found
        for name in FORGED
        if (found := seen.verdicts[name])["test_last"] not in {"TAMPERED", "NOT_RUN"}
        or seen.scores[name] > 2
    }


def test_honest_hand_ins_are_as_ever(seen: Seen) -> None:
    """They lie among all these, and have their points."""
    assert (3.0, 3.0) == (seen.scores["honest"], seen.scores["other"])
