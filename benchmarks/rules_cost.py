"""What the rules cost: one submission of 1010! graded with all rules and advice, and without any.

Run: python benchmarks/rules_cost.py [folder of a submission]

Both are measured in turn, so that whatever else the machine does hits both.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.rules import KINDS
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 15


def main() -> None:
    """Measure and print the medians, and what each kind of rule takes by itself."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "reference/1010"
    suite = load_suite(ROOT / "testsuites/1010.yaml", KINDS)
    submission = read_submission(Entry(folder.name, folder), suite.modules, suite.defines)
    kinds = dict.fromkeys(rule.id.partition("/")[0] for rule in suite.rules)
    suites = {
        "no rules": suite.with_changes(rules=(), advice=False),
        "all rules and advice": suite,
        "advice": suite.with_changes(rules=()),
        **{
            kind: suite.with_changes(
                advice=False, rules=tuple(r for r in suite.rules if r.id.startswith(kind))
            )
            for kind in kinds
        },
    }
    times: dict[str, list[float]] = {label: [] for label in suites}
    with Zygote() as zygote:
        for _ in range(ROUNDS):
            for label, each in suites.items():
                start = time.perf_counter()
                grade(each, submission, zygote)
                times[label].append(time.perf_counter() - start)
    bare = statistics.median(times.pop("no rules"))
    print(f"{'no rules':<22} {bare * 1000:6.0f} ms")
    for label, measured in times.items():
        print(f"{label:<22} {(statistics.median(measured) - bare) * 1000:+6.0f} ms")


if __name__ == "__main__":
    main()
