"""What one submission may cost us, and the ways in that look alike and are not."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

import pytest
from builders import by_id, graded, submission, suite

from grader.judging.judge import grade
from grader.messages import message
from grader.reporting.writing import is_special, write_atomically
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.verdict import RuleVerdict

GRADER = str(Path(sys.executable).with_name("grader"))

CASES = """
limits: {cpu_s: 0.2, wall_s: 0.3, session_wall_s: 0.6}
groups: [{id: a, points: 1}, {id: b, points: 1}]
sessions:
- id: one
  steps:
  - {do: f(1), returns: "1", group: a}
  - {do: f(2), returns: "2", group: a}
  - {do: f(3), returns: "3", group: b}
  - {do: f(4), returns: "4", group: b}
"""


def verdicts(zygote: Zygote, source: str) -> list[str]:
    """Return the verdicts of the four cases on `source`."""
    return [str(case.verdict) for case in by_id(graded(zygote, CASES, source)).values()]


def test_steps_that_sleep_a_little_each_run_out_of_the_session(zygote: Zygote) -> None:
    """No step is too slow by itself, but the session has a limit of its own."""
    source = "import time\ndef f(n):\n    time.sleep(0.25)\n    return n\n"
    assert ["PASSED", "PASSED", "TIMED_OUT", "PASSED"] == verdicts(zygote, source)


def test_reply_that_comes_in_drops_is_late(zygote: Zygote) -> None:
    """Bytes that trickle in do not put off the time that an answer may take."""
    source = """
    import gc, os, struct
    from threading import Lock
    lock = Lock()
    lock.acquire()
    def f(n):
        if n == 2:
            channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
            os.write(channel._fd, struct.pack(">I8s", 4_000_000, channel._nonce))
            while True:
                os.write(channel._fd, b" ")
                lock.acquire(timeout=0.001)
        return n
    """
    assert ["PASSED", "TIMED_OUT", "PASSED", "PASSED"] == verdicts(zygote, source)


WIDE = "".join(f"{'x' * 190}{number} = 0\n" for number in range(400))
"""Names that come back with each import: more than 50,000 bytes."""


def test_submission_that_gives_back_too_much_is_not_tried_on(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading replies costs the judge; beyond a total, failing cases get no second chance."""
    monkeypatch.setattr("grader.sandbox.budget.MAX_SUBMISSION_REPLY_BYTES", 50_000)
    source = f"{WIDE}def f(n):\n    return n if n < 2 else 0\n"
    assert ["PASSED", "WRONG", "NOT_RUN", "NOT_RUN"] == verdicts(zygote, source)


RULED = """
helpers: [f]
rules:
  recursion:
  - {function: f, sizes: [3, 6], call: f(n), points: 1}
  constructs:
  - {id: no-classes, forbid: [class]}
groups: [{id: a, points: 4}]
sessions:
- id: one
  steps:
  - {do: f(1), returns: "1", group: a}
"""
RECURSIVE = "def f(n):\n    return 1 if n < 2 else 2 + f(n - 1)\n"


def test_submission_that_gives_back_too_much_is_not_probed(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the same total no rule has a session any more; those on the source are judged."""
    patient = {rule.id: rule.verdict for rule in graded(zygote, RULED, RECURSIVE).rules}
    monkeypatch.setattr("grader.sandbox.budget.MAX_SUBMISSION_REPLY_BYTES", 1)
    ruled = {rule.id: rule for rule in graded(zygote, RULED, RECURSIVE).rules}
    verdicts = {name: rule.verdict for name, rule in ruled.items()}
    assert {
        "recursion/f": RuleVerdict.PASSED,
        "constructs/no-classes": RuleVerdict.PASSED,
    } == patient
    assert patient | {"recursion/f": RuleVerdict.SKIPPED} == verdicts
    assert (message("not_run.replies"),) == ruled["recursion/f"].evidence


def test_a_rule_comes_to_no_end_when_the_budget_is_spent(zygote: Zygote) -> None:
    """One rule may probe dozens of times: who waits in its probes alone is not waited for."""
    waits = "lock.acquire(timeout=0.2 * (n == 2))"
    source = "from threading import Lock\nlock = Lock()\nlock.acquire()\n"
    source += RECURSIVE.replace(":\n", f":\n    {waits}\n")
    asked = suite(RULED.replace("[3, 6]", "[3, 4, 5, 6]"))
    asked = asked.changed(limits=Limits(submission_wall_s=0.15))
    record = grade(asked, submission(source), zygote)
    (ruling,) = [rule for rule in record.rules if rule.id == "recursion/f"]
    assert (message("not_run.budget"),) == ruling.evidence[:1]
    assert "staff.budget" in {each.key for each in record.staff_remarks}


def test_submission_that_gives_back_too_much_is_not_traced(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the same total nobody looks into why calls went too deep."""
    source = f"{WIDE}def f(n):\n    return f(n + 1)\n"
    monkeypatch.setattr("grader.sandbox.budget.MAX_SUBMISSION_REPLY_BYTES", 50_000)
    first, *others = by_id(graded(zygote, CASES, source)).values()
    assert ["error.recursion"] == [each.key for each in first.explanation]
    assert {"not_run.replies"} == {each.key for case in others for each in case.explanation}


def grader(
    *arguments: object, stdout: int | IO[bytes] = subprocess.PIPE, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    command = [GRADER, *map(str, arguments)]
    return subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, cwd=cwd, text=True, check=False
    )


def test_check_tells_a_class_from_a_student(root: Path) -> None:
    """A folder in which many files define the exercise is refused, and the right verb is named."""
    done = grader("check", root / "submissions/yinyang")
    assert 2 == done.returncode
    assert "lijkt een map met inzendingen" in done.stderr
    assert "grader grade" in done.stderr


@pytest.mark.commands
def test_nothing_is_graded_twice_and_reports_are_no_hand_ins(root: Path, tmp_path: Path) -> None:
    """The same folder given twice counts once; the folder of reports inside it does not count."""
    source = (root / "reference/yinyang/yinyang.py").read_bytes()
    (tmp_path / "an.py").write_bytes(source)
    command = ("grade", tmp_path, tmp_path, "--exercise", "yinyang", "--out", tmp_path / "reports")
    first = grader(*command, cwd=root)
    second = grader(*command, cwd=root)
    assert (0, 0) == (first.returncode, second.returncode)
    assert "graded 1 of 1" in second.stderr
    assert "is left out: it is the folder for the reports, not a hand-in" in second.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has /dev/full")
def test_full_standard_output_is_not_a_failed_check(root: Path) -> None:
    """What cannot be printed is told, with an exit code of its own."""
    with open("/dev/full", "wb") as full:
        done = grader("check", root / "reference/yinyang/yinyang.py", "--json", stdout=full)
    assert 6 == done.returncode
    assert "error: cannot write to standard output: No space left on device\n" == done.stderr


def test_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """A report that goes to a pipe or a device leaves it what it is."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"report")
    reader.join()
    assert [b"report"] == received
    assert is_special(pipe)
