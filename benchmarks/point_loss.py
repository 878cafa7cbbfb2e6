"""What one mistake costs: our points against scoring each example of the long session.

Run: python benchmarks/point_loss.py [exercise ...]

Each single-fault variant is graded: syntactic mutants of the reference and the faulty solutions of
the catalogue. The yardstick scores the examples of the spec one by one in the long session, each
worth the same, with the same expectations and no second chance.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.intake.submission import SourceFile, Submission
from grader.judging.answers import AnswerChecker
from grader.judging.judge import grade
from grader.judging.matching import assess, observations_by_step
from grader.judging.preparing import runner_for
from grader.judging.rules import KINDS
from grader.plugins.authoring.mutating import mutants
from grader.plugins.authoring.solutions import read_solutions
from grader.sandbox.planning import whole_session
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.suite.files import load_suite
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages
from grader.verdict import Status

ROOT = Path(__file__).resolve().parents[1]
LIMITS = Limits(cpu_s=0.2)
"""Short limits: an endless mutant should not take all day. The references need milliseconds."""


@dataclass(frozen=True)
class Loss:
    """Which part of the points a variant loses, ours and by the yardstick."""

    variant: str
    ours: float
    step_by_step: float


def variants(exercise: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the source of each single-fault variant."""
    folder = ROOT / "reference" / exercise
    reference = (folder / f"{exercise}.py").read_text(encoding="utf-8")
    for solution in read_solutions(folder / "faulty", {exercise: reference}):
        if not solution.is_unseen:
            yield solution.name, solution.sources[exercise]
    for mutant in mutants(exercise, reference):
        yield f"line {mutant.line}: {mutant.mutator}", mutant.source


def step_by_step(suite: Suite, submission: Submission, sandbox: Sandbox) -> float:
    """Return the part of the examples that fail in the long session."""
    runner = runner_for(suite, submission, sandbox)
    checker = AnswerChecker(suite, sandbox)
    lines: dict[int | None, bool] = {}
    for session in suite.sessions:
        run = runner.run(whole_session(session, observed=True), modules=session.modules)
        seen = observations_by_step(run, checker.outcomes(session.steps, run))
        for case in session.cases:
            outcome = assess(session, case, seen)
            line = session.steps[case.step_index].line
            lines[line] = lines.get(line, True) and outcome is not None and outcome.passed
    return 1 - sum(lines.values()) / len(lines)


def suite_of(exercise: str) -> Suite:
    """Return the published suite with short limits."""
    suite = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    return suite.with_changes(limits=LIMITS)


def losses(exercise: str, suite: Suite, sandbox: Sandbox) -> Iterator[Loss]:
    """Yield the loss of each variant that can be run and loses anything by either count."""
    for name, text in variants(exercise):
        source = SourceFile(name=f"{exercise}.py", text=text, encoding="utf-8")
        submission = Submission(
            student=name,
            modules={exercise: source},
            data={},
            raw={},
            parts={exercise: exercise},
        )
        record = grade(suite, submission, sandbox)
        if record.status is not Status.GRADED:
            continue
        loss = Loss(
            name, 1 - record.score / record.max_score, step_by_step(suite, submission, sandbox)
        )
        if loss.ours > 0 or loss.step_by_step > 0:
            yield loss


def main() -> None:
    """Print the medians, and every variant for which ours costs more."""
    for exercise in sys.argv[1:] or ("yinyang", "akari", "str8ts"):
        suite = suite_of(exercise)
        with new_sandbox(optional_packages(suite.imports)) as sandbox:
            found = list(losses(exercise, suite, sandbox))
        ours = statistics.median(loss.ours for loss in found)
        theirs = statistics.median(loss.step_by_step for loss in found)
        dearer = [loss for loss in found if loss.ours > loss.step_by_step + 1e-9]
        print(
            f"{exercise:<8} {len(found):4} variants; median loss {ours:6.1%},"
            f" step by step {theirs:6.1%}; dearer than step by step: {len(dearer)}"
        )
        for loss in dearer:
            print(f"    {loss.variant:<50} {loss.ours:6.1%} > {loss.step_by_step:6.1%}")


if __name__ == "__main__":
    main()
