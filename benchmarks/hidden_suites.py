"""What hidden suites cost and show: the references on everything, and counterexamples.

Run: python benchmarks/hidden_suites.py [exercise ...]

Each wrong solution of an exercise is graded with and without counterexamples, in turn, so that
whatever else the machine does hits both. Rules and advice are left out.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from grader.judging.judge import grade
from grader.judging.record import GroupResult, Record
from grader.judging.rules import KINDS
from grader.plugins.authoring.solutions import read_solutions, submission_of
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.suite.files import load_whole_suite
from grader.suite.model import Feedback, Suite
from grader.suite.vocabulary import optional_packages
from grader.verdict import Verdict, Visibility

ROOT = Path(__file__).resolve().parents[1]
EXERCISES = ("yinyang", "akari", "str8ts", "triomino", "1010")
ROUNDS = 15


def main() -> None:
    """Measure the exercises that are named, or all of them, and print a line or two of each."""
    for exercise in sys.argv[1:] or EXERCISES:
        whole = load_whole_suite(ROOT / f"testsuites/{exercise}.yaml", KINDS)
        suite = whole.with_changes(rules=(), advice=False)
        modules = suite.modules
        folder = ROOT / "reference" / exercise
        reference = {name: (folder / f"{name}.py").read_text("utf-8") for name in modules}
        with new_sandbox(optional_packages(suite.imports)) as sandbox:
            taken_ms = [1000 * timed(suite, reference, sandbox)[0] for _ in range(ROUNDS)]
            print(
                f"{exercise}: the reference takes {statistics.median(taken_ms):.0f} ms", flush=True
            )
            wrong = [dict(each.sources) for each in read_solutions(folder / "faulty", reference)]
            compare(suite, wrong, sandbox)


def timed(suite: Suite, sources: dict[str, str], sandbox: Sandbox) -> tuple[float, Record]:
    """Return how many seconds it takes to grade a program, and the record."""
    submission = submission_of(suite, sources, "somebody")
    start = time.perf_counter()
    record = grade(suite, submission, sandbox)
    return time.perf_counter() - start, record


def compare(suite: Suite, programs: Sequence[dict[str, str]], sandbox: Sandbox) -> None:
    """Grade `programs` with and without counterexamples, and print what these cost and show."""
    silent = suite.with_changes(feedback=Feedback.COUNT)
    costs_s, lines = [], []
    in_need = shown = 0
    for sources in programs:
        without_s, record = timed(silent, sources, sandbox)
        if not any(map(is_in_need, record.groups)):
            continue
        with_s, record = timed(suite, sources, sandbox)
        costs_s.append(with_s - without_s)
        found = [len(e.transcript) for group in record.groups if (e := group.counterexample)]
        in_need += 1
        shown += bool(found)
        lines += found
    print(f"  {in_need} wrong solutions fail hidden cases of a group and no public ones")
    print(f"  {shown} of them see {len(lines)} counterexamples, of {spread(lines, '.0f')} lines")
    print(f"  looking for them takes {spread(costs_s, '.2f')} s", flush=True)


def is_in_need(group: GroupResult) -> bool:
    """Return whether hidden cases of a group failed, and no public ones."""
    verdicts = {visibility: set[Verdict]() for visibility in Visibility}
    for case in group.cases:
        verdicts[case.visibility].add(case.verdict)
    failed = verdicts[Visibility.HIDDEN] - {Verdict.PASSED, Verdict.NOT_RUN, Verdict.SKIPPED}
    return bool(failed) and verdicts[Visibility.PUBLIC] <= {Verdict.PASSED}


def spread(numbers: Sequence[float], form: str) -> str:
    """Return the median, the 95th percentile and the most of some numbers."""
    if not numbers:
        return "no"
    ordered = sorted(numbers)
    found = (statistics.median(ordered), ordered[int(0.95 * len(ordered))], ordered[-1])
    return "median {}, 95 % {}, most {}".format(*(format(number, form) for number in found))


if __name__ == "__main__":
    main()
