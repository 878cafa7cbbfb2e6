"""Runs the siblings of a hidden suite on one submission, after all points are settled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from grader.judging.clean_runs import clean_sessions
from grader.judging.counterexamples import CounterexampleResult
from grader.judging.load_errors import LoadErrors
from grader.judging.missing_names import missing_names_in
from grader.judging.results import Results, TrialResult
from grader.judging.trials import Trials
from grader.suite.hidden import join_sessions
from grader.suite.model import Suite
from grader.suite.session import Session


class SiblingTrials:
    """Runs siblings on one submission; see `grader.judging.counterexamples`."""

    def __init__(
        self,
        suite: Suite,
        trials: Trials,
        load_errors: LoadErrors,
        explain: Callable[[TrialResult, Results], Results],
    ) -> None:
        """Run siblings with `trials`, and pass their results through `explain`."""
        self._suite: Final = suite
        self._trials: Final = trials
        self._load_errors: Final = load_errors
        self._explain: Final = explain

    def clean_sessions(self, siblings: tuple[Session, ...]) -> Collection[Session]:
        """Run `siblings` in one executor; return those in which every case passes.

        Return () if the budget is spent, or if there is only one sibling.
        """
        if self._trials.runner.why_exhausted:
            return ()
        joined = join_sessions(siblings)
        # A single sibling has no parts. It is run alone later anyway.
        if not joined.parts:
            return ()
        runs = self._trials.trial_of(joined).run_whole()
        return clean_sessions([*zip(joined.parts, runs, strict=True)], self._trials.checker)

    def expect(self, siblings: Sequence[Session]) -> None:
        """Announce that `siblings` will run alone, so that they can share executors."""
        for sibling in siblings:
            self._trials.expect(sibling)

    def run_alone(self, sibling: Session) -> CounterexampleResult | None:
        """Run `sibling` alone and return its result. Return None if the budget is spent.

        The result is empty if the modules of `sibling` cannot be loaded.
        """
        if self._trials.runner.why_exhausted:
            return None
        if self._load_errors.known_errors(sibling.modules):
            return CounterexampleResult(results={}, died=False)
        trial = self._trials.trial_of(sibling)
        (run,) = trial.run_whole()
        results: Results = {}
        if run.is_loaded:
            attempt = TrialResult(
                sibling,
                run,
                missing_names_in(self._suite, self._load_errors.submission, sibling, run),
            )
            results = self._explain(attempt, trial.results(attempt))
        return CounterexampleResult(results=results, died=run.death is not None)
