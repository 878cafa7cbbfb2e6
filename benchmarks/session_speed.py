"""How long one published session takes, against `python -m doctest` on the same solution.

Run: python benchmarks/session_speed.py

Both sides alternate within one run, so that whatever else the machine does hits both. The solution
is YinYang's reference; for doctest the session of the spec stands in its docstring.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.preparing import runner_for
from grader.judging.rules import KINDS
from grader.sandbox.planning import whole_session
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 40
SESSIONS_PER_ROUND = 5


def doctest_file(folder: Path) -> Path:
    """Write the reference with the session of the spec as its docstring; return the file."""
    lines = (ROOT / "reference/yinyang/spec.md").read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(">>> "))
    last = max(i for i, line in enumerate(lines) if line.startswith(">>> ")) + 1
    session = "\n".join(lines[first : last + 1])  # the prose after the last value is left out
    source = (ROOT / "reference/yinyang/yinyang.py").read_text(encoding="utf-8")
    path = folder / "yinyang.py"
    path.write_text(f"{source}\n__test__ = {{'session': {session!r}}}\n", encoding="utf-8")
    return path


def seconds(action: Callable[[], object]) -> float:
    """Return how long `action` takes on the clock."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Measure and print medians and their ratio."""
    suite = load_suite(ROOT / "testsuites/yinyang.yaml", KINDS)
    reference = ROOT / "reference/yinyang/yinyang.py"
    submission = read_submission(Entry("reference", reference), suite.modules, suite.defines)
    plan = whole_session(suite.sessions[0])
    with tempfile.TemporaryDirectory() as folder, Zygote() as zygote:
        command = [sys.executable, "-m", "doctest", str(doctest_file(Path(folder)))]
        runner = runner_for(suite, submission, zygote)

        def run_doctest() -> None:
            subprocess.run(command, stdout=subprocess.DEVNULL, check=False)

        def run_session() -> None:
            runner.run(plan, modules=suite.modules)

        def grade_submission() -> None:
            grade(suite, submission, zygote)

        times: dict[str, list[float]] = {"doctest": [], "session": [], "submission": []}
        for _ in range(ROUNDS):
            times["doctest"].append(seconds(run_doctest))
            times["session"] += [seconds(run_session) for _ in range(SESSIONS_PER_ROUND)]
            times["submission"] += [seconds(grade_submission) for _ in range(SESSIONS_PER_ROUND)]
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"isolation level                         {zygote.isolation.level}")
    print(f"python -m doctest, fresh interpreter    {medians['doctest'] * 1000:7.2f} ms")
    for name, label in (
        ("session", "session in an executor"),
        ("submission", "submission compiled, run and judged"),
    ):
        ratio = medians["doctest"] / medians[name]
        print(f"{label:<39} {medians[name] * 1000:7.2f} ms   {ratio:5.1f} times as fast")


if __name__ == "__main__":
    main()
