"""Creates the trials of one submission, which share its budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from grader.judging.answers import AnswerChecker
from grader.judging.trial import Trial
from grader.sandbox.planning import Item, own_session, whole_session
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import remove_definitions
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case


class Trials:
    """Creates the trials of one submission, which share its budget."""

    def __init__(self, suite: Suite, runner: SessionRunner, checker: AnswerChecker) -> None:
        """Prepare to run sessions of `suite` with `runner`; `checker` runs the suite's checkers."""
        self.suite: Final = suite
        self.runner: Final = runner
        self.checker: Final = checker
        self._stand_in_runners: dict[tuple[str, ...], SessionRunner] = {}

    @property
    def looks_died(self) -> bool:
        """Whether the executor has died in any look."""
        return self.runner.budget.deaths_in_looks > 0

    def with_helpers(self, names: Sequence[str], group: str) -> Trials:
        """Return trials with our helpers called `names`, for cases of `group`.

        If `group` tests a helper, neither that helper nor later ones are sent to executors.
        """
        (module,) = self.suite.modules
        defines, helpers = self.suite.defines, self.suite.helpers
        later = helpers[helpers.index(group) :] if group in helpers else ()
        source = remove_definitions(self.suite.stand_ins[module], (*defines, *later))
        return Trials(self.suite, self.runner.with_helpers(module, source, names), self.checker)

    def with_runner(self, runner: SessionRunner) -> Trials:
        """Return trials of the same submission with another `runner`."""
        return Trials(self.suite, runner, self.checker)

    def expect(self, session: Session, failed_cases: Iterable[Case] = ()) -> None:
        """Announce that `session` will run as a whole, and `failed_cases` in their own sessions.

        Announced sessions can run in lots.
        """
        whole_plan, looks = self._whole_plan(session), self.runner.budget.includes_looks
        own_plans = [own_session(session, case.step_index, observed=looks) for case in failed_cases]
        plans = [whole_plan, *(plan for plan in own_plans if plan != whole_plan[: len(plan)])]
        self.runner.expect(plans, modules=session.modules)
        if own_plans and (stand_in_runner := self._stand_in_runner(session)):
            stand_in_runner.expect(own_plans, modules=session.modules)

    def peek_lot_run(self, session: Session) -> SessionRun | None:
        """Return the run of `session` in a lot, without removing it.

        Return None if it has not run in a lot, or if the run has already been taken.
        """
        return self.runner.peek(self._whole_plan(session), session.modules)

    def _whole_plan(self, session: Session) -> tuple[Item, ...]:
        """Return the plan of the whole `session`, with looks unless too many looks have died."""
        return whole_session(session, observed=self.runner.budget.includes_looks)

    def trial_of(self, session: Session) -> Trial:
        """Return the trial of `session`."""
        return Trial(self.runner, session, self.checker, self._stand_in_runner(session))

    def _stand_in_runner(self, session: Session) -> SessionRunner | None:
        """Return the cached runner with the stand-ins of `session`, or None if there are none."""
        names = session.stand_ins
        if names and names not in self._stand_in_runners:
            sources = {name: self.suite.stand_ins[name] for name in names}
            self._stand_in_runners[names] = self.runner.with_stand_ins(sources)
        return self._stand_in_runners.get(names)
