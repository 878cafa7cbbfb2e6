"""Tries siblings on a submission, when all of its points are settled."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from grader.judging.counterexamples import CounterexampleResult, brief, tried_briefly
from grader.judging.going_well import gone_well
from grader.judging.load_errors import LoadErrors, missing_in
from grader.judging.results import Results, TrialResult
from grader.judging.trial import Trials
from grader.sandbox.observation import Died
from grader.suite.hidden import together
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.suite.session import Session


class SiblingTrials:
    """What siblings come to on one submission; see `grader.judging.counterexamples.Tries`."""

    def __init__(
        self,
        suite: Suite,
        trials: Trials,
        load_errors: LoadErrors,
        explained: Callable[[TrialResult, Results], Results],
    ) -> None:
        """Run them apart from the `trials` that count; what is shown of them is `explained`."""
        self._suite: Final = suite
        self._trials: Final = trials.apart()
        self._load_errors: Final = load_errors
        self._explained: Final = explained

    def gone_well(self, siblings: tuple[Session, ...]) -> Collection[Session]:
        """Return those of `siblings` that go well when they run one after the other, once."""
        if self._trials.runner.spent:
            return ()
        joined = together(siblings)
        if not joined.parts:
            return ()
        runs = self._trials.of(joined, brief(self._suite.limits)).run_whole()
        return gone_well([*zip(joined.parts, runs, strict=True)], self._trials.checker)

    def alone(self, sibling: Session) -> CounterexampleResult | None:
        """Try a session that counts for nothing, for what it shows; None when nothing is left."""
        if self._trials.runner.spent:
            return None
        if self._load_errors.among(sibling.modules):
            return CounterexampleResult(results={}, died=False)
        return tried_briefly(self._suite.limits, partial(self._within, sibling))

    def _within(self, sibling: Session, limits: Limits) -> tuple[Results, Died | None]:
        """Return the results of `sibling` within `limits`, and how the executor died if it did."""
        trial = self._trials.of(sibling, limits)
        (run,) = trial.run_whole()
        last = (run.imported.observation, *run.observations)[-1].outcome
        end = last if isinstance(last, Died) else None
        if not run.loaded:
            return {}, end
        attempt = TrialResult(sibling, run, missing_in(self._suite, sibling, run))
        return self._explained(attempt, trial.results(attempt)), end
