"""What the walls cost: one published session with all layers, and with none, side by side.

Run: python benchmarks/isolation_cost.py

Two zygotes take turns, session by session, so that whatever else the machine does hits both. The
one without walls differs in nothing but that it and its executors lock nothing.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from unittest import mock

from grader.intake.submissions import Entry, read_submission
from grader.judging.preparing import runner_for
from grader.judging.rules import KINDS
from grader.sandbox import zygote as zygotes
from grader.sandbox.planning import whole_session
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 400
WITHOUT_WALLS = """\
import os, sys
sys.path.insert(0, sys.argv[1])
from grader.executor import lockdown, zygote
open_lock = lockdown.ZygoteLockdown(layers=lockdown.NO_LAYERS, zygote_pid=os.getpid())
lockdown.lock_zygote = lambda: open_lock
zygote.main(*sys.argv[2:4], int(sys.argv[4]))
"""


def without_walls() -> Zygote:
    """Return a zygote that locks neither itself nor its executors."""
    with mock.patch.object(zygotes, "_PROGRAM", WITHOUT_WALLS):
        return Zygote()


def main() -> None:
    """Measure and print medians, first deciles and their ratios."""
    suite = load_suite(ROOT / "testsuites/yinyang.yaml", KINDS)
    entry = Entry("reference", ROOT / "reference/yinyang/yinyang.py")
    submission = read_submission(entry, suite.modules, suite.defines)
    plan = whole_session(suite.sessions[0])
    with Zygote() as walled, without_walls() as bare:
        runners = {each: runner_for(suite, submission, each) for each in (walled, bare)}
        times: dict[Zygote, list[float]] = {walled: [], bare: []}
        for number in range(ROUNDS):
            for each in (walled, bare) if number % 2 else (bare, walled):
                start = time.perf_counter()
                runners[each].run(plan, modules=suite.modules)
                times[each].append(time.perf_counter() - start)
    print(f"isolation levels {walled.isolation.level} and {bare.isolation.level}")
    for label, share in (("median", 0.5), ("first decile", 0.1)):
        with_walls, without = (
            statistics.quantiles(times[each], n=10)[round(10 * share) - 1]
            for each in (walled, bare)
        )
        cost = with_walls / without - 1
        print(
            f"{label:<13} {with_walls * 1000:6.2f} ms with walls, {without * 1000:6.2f} without:"
            f" {cost:+.1%}"
        )


if __name__ == "__main__":
    main()
