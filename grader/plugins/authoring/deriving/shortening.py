"""Finds shorter sessions for the cases of a derived suite, with the answers of the reference.

A case after thirty moves seldom fails because of all of them. A student who fails it is shown the
shortest session in which the submission fails in the same way. The right answer in that session
must be known, and only the reference has it. So some sessions are run on the reference and stored
in the suite: the fewest steps with the same answer, the fewest steps with any answer, and a few
sessions between the latter and all steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from grader.intake.submissions import Entry, read_submission
from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, breakdowns, observations_by_step
from grader.judging.preparing import runner_for
from grader.judging.shortening import expand_alternatives, shorter_session
from grader.plugins.authoring.deriving.derivation import Derivation
from grader.plugins.authoring.generating.oracle import has_literal
from grader.plugins.authoring.suite_text import OneLine
from grader.sandbox.observation import Observation, Returned
from grader.sandbox.planning import needed_steps, whole_session
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case, Shorter
from grader.values.display import literal
from grader.values.tree import Atom

_StepIndexes: TypeAlias = tuple[int, ...]
"""Indexes of the steps before a case."""
_MAX_ANSWER_CHARS: Final = 400
"""Longer answers are omitted, because people read suites."""
_MAX_SESSIONS_PER_CASE: Final = 6
_LATEST_COUNTS: Final = (2, 4)
"""How many of the latest needed steps are tried in addition to the fewest steps."""
_MAX_UNNEEDED: Final = (2, 10)
"""The largest numbers of first and of latest unneeded steps that are tried with a case."""
_ANSWER_KEYS: Final = ("returns", "stdout")
"""Keys of a step under which the reference can have another answer."""


def add_shorter_sessions(
    derivation: Derivation, suite: Suite, reference: Path, sandbox: Sandbox
) -> Derivation:
    """Return `derivation` with shorter sessions for its cases.

    The shorter sessions are found by running `suite`, which is parsed from the derivation, on the
    `reference`. Handwritten sessions stay unchanged.
    """
    finder = _Finder(suite, reference.parent, sandbox)
    sessions = [*derivation.document["sessions"]]
    for index, session in enumerate(suite.sessions[: derivation.session_count]):
        steps = [*sessions[index]["steps"]]
        for case in session.cases:
            if shorter := finder.find_shorter(session, case):
                step = {**steps[case.step_index], "shorter": [*map(OneLine, shorter)]}
                steps[case.step_index] = step
        sessions[index] = {**sessions[index], "steps": steps}
    return replace(derivation, document={**derivation.document, "sessions": sessions})


def find_outdated_cases(suite: Suite, folder: Path, sandbox: Sandbox) -> Iterator[str]:
    """Yield the ids of cases with a shorter session that the reference in `folder` fails.

    The id is repeated for each such session. The shorter sessions in `suite` can be outdated,
    because a manual edit can change right answers.
    """
    shorter_sessions = [
        (session, case, shorter)
        for session in suite.sessions
        for case in session.cases
        for shorter in session.steps[case.step_index].shorter or ()
    ]
    if not shorter_sessions:
        return
    finder = _Finder(suite, folder, sandbox)
    for session, case, shorter in shorter_sessions:
        if not all(
            finder.holds(session, case, variant)
            for variant in expand_alternatives(session, shorter)
        ):
            yield case.id


class _Finder:
    """Finds shorter sessions by running the reference in `folder`."""

    def __init__(self, suite: Suite, folder: Path, sandbox: Sandbox) -> None:
        submission = read_submission(Entry("reference", folder), suite.modules, suite.defines)
        self._runner: Final = runner_for(suite, submission, sandbox)
        self._checker: Final = AnswerChecker(suite, sandbox)

    def holds(self, session: Session, case: Case, shorter: Shorter) -> bool:
        """Return whether the reference passes `case` in the `shorter` session, run separately."""
        attempts = _CaseAttempts(self._runner, self._checker, session, case)
        return attempts.holds(attempts.run(shorter_session(session, case, shorter)))

    def find_shorter(self, session: Session, case: Case) -> list[dict[str, Any]]:
        """Return shorter sessions for `case`, in the form in which they are written in a suite.

        If there are neutral steps, the last session offers a choice of them. Return an empty list
        if `session` runs programs.
        """
        # Each step of a session with `runs` starts its program again, so earlier steps do not
        # matter.
        if session.runs_programs:
            return []
        attempts = _CaseAttempts(self._runner, self._checker, session, case)
        needed = needed_steps(session, case.step_index)
        same_answer, answers = needed, dict[_StepIndexes, dict[str, str]]()
        if len(needed) > 1:
            same_answer = attempts.remove_unneeded(needed, attempts.holds)
            any_answer = attempts.remove_unneeded(
                same_answer, lambda attempt: attempts.answer(attempt) is not None
            )
            for step_indexes in (
                same_answer,
                any_answer,
                *_selections_between(session, any_answer, needed),
            ):
                answer = (
                    None
                    if step_indexes in {needed, *answers}
                    else attempts.answer(attempts.run_after(step_indexes))
                )
                if answer is not None and len(answers) < _MAX_SESSIONS_PER_CASE:
                    answers[step_indexes] = answer
        documents = [
            {"after": _numbers(step_indexes), **answer} for step_indexes, answer in answers.items()
        ]
        neutral = attempts.neutral_steps(same_answer, needed)
        with_neutral = (
            [{"after": _numbers(same_answer), "one_of": _numbers(neutral)}] if neutral else []
        )
        return [*documents, *with_neutral]


class _Attempt(NamedTuple):
    """A session and its run on the reference."""

    session: Session
    run: SessionRun


class _CaseAttempts:
    """Tries one case after some of its needed steps, and caches the runs."""

    def __init__(
        self, runner: SessionRunner, checker: AnswerChecker, session: Session, case: Case
    ) -> None:
        """Prepare to try `case` of `session` with the `runner` of the reference."""
        self._runner: Final = runner
        self._checker: Final = checker
        self._session: Final = session
        self._case: Final = case
        self._cache: dict[_StepIndexes, _Attempt] = {}
        step = session.steps[case.step_index]
        # A case with another expectation, such as an exception, has no other answer.
        keys = (key for key in _ANSWER_KEYS if getattr(step, key) is not None)
        self._key: Final = next(keys, None)

    def run_after(self, kept: _StepIndexes) -> _Attempt:
        """Return the run of the case after only the steps in `kept`, from the cache if possible."""
        if kept not in self._cache:
            self._cache[kept] = self.run(self._after(kept))
        return self._cache[kept]

    def run(self, session: Session) -> _Attempt:
        """Run `session` on the reference in a separate executor, and return the run."""
        run = self._runner.run(whole_session(session), modules=session.modules)
        return _Attempt(session, run)

    def holds(self, attempt: _Attempt) -> bool:
        """Return whether the reference passes the case in this run."""
        session, run = attempt
        (case,) = session.cases
        observations = observations_by_step(run, self._checker.outcomes(session.steps, run))
        result = assess(session, case, observations)
        return result is not None and result.passed and not breakdowns(run)

    def answer(self, attempt: _Attempt) -> dict[str, str] | None:
        """Return the right answer in this run, as keys of a suite.

        Return an empty dict if it is the answer of the whole session. Return None if the reference
        breaks down, or if its answer has no literal or is too long.
        """
        if self.holds(attempt):
            return {}
        session, run = attempt
        if self._key is None or len(run.observations) < len(run.plan) or breakdowns(run):
            return None
        text = _answer_text(run.observations[-1], self._key)
        if text is None or len(text) > _MAX_ANSWER_CHARS:
            return None
        answer: dict[str, str] = {self._key: text}
        before = tuple(range(len(session.steps) - 1))
        (*_, last) = self._after(before, answer).steps
        corrected = session.with_changes(steps=(*session.steps[:-1], last))
        return answer if self.holds(_Attempt(corrected, run)) else None

    def remove_unneeded(
        self, kept: _StepIndexes, is_acceptable: Callable[[_Attempt], bool]
    ) -> _StepIndexes:
        """Return `kept` without the steps that an acceptable run does not need.

        `is_acceptable` decides whether a run is acceptable. Candidates are found in one shared
        executor, which is fast, and confirmed in separate ones.
        """
        steps = self._session.steps
        # Steps that bind names are removed last, because other steps need the names.
        acting = [index for index in kept if not steps[index].binds]
        if is_acceptable(self.run_after(_without(kept, acting))):
            kept = _without(kept, acting)
        elif acting:
            fewer = [self._after(_without(kept, [index])) for index in acting]
            plans = [whole_session(session) for session in fewer]
            runs = self._runner.run_together(plans, modules=self._session.modules)
            attempts = map(_Attempt, fewer, runs)
            spared = [
                index
                for index, attempt in zip(acting, attempts, strict=True)
                if is_acceptable(attempt)
            ]
            # Some might be needed after all, because each was removed while the others stayed.
            for group in (spared, *([index] for index in spared)):
                if is_acceptable(self.run_after(_without(kept, group))):
                    kept = _without(kept, group)
        # The binding of a name that is also a module is kept, or the name would mean the module.
        modules = {*self._session.modules}
        binding = [i for i in kept if steps[i].binds and modules.isdisjoint(steps[i].binds)]
        for index in binding:
            if len(binding) > 1 and is_acceptable(self.run_after(_without(kept, [index]))):
                kept = _without(kept, [index])
        return kept

    def neutral_steps(self, kept: _StepIndexes, needed: _StepIndexes) -> _StepIndexes:
        """Return the steps not in `needed` that do not change the answer when added to `kept`.

        Some mistakes appear only after such a step, most often after the latest one. An example is
        a method that changes its object when it should only return something.
        """
        steps = self._session.steps
        rest = [
            index
            for index in range(self._case.step_index)
            if index not in needed and steps[index].raises is None
        ]
        candidates = (
            rest
            if len(rest) <= sum(_MAX_UNNEEDED)
            else rest[: _MAX_UNNEEDED[0]] + rest[-_MAX_UNNEEDED[1] :]
        )
        if not candidates or len(rest) + len(needed) < 2:
            return ()
        document = {"after": _numbers(kept), "one_of": _numbers(candidates)}
        variants = expand_alternatives(self._session, Shorter.validate(document))
        sessions = (shorter_session(self._session, self._case, shorter) for shorter in variants)
        # `expand_alternatives` yields the latest step first.
        attempts = zip(reversed(candidates), map(self.run, sessions), strict=True)
        return tuple(sorted(index for index, attempt in attempts if self.holds(attempt)))

    def _after(self, kept: _StepIndexes, answer: Mapping[str, str] | None = None) -> Session:
        """Return the session of the case after the steps in `kept`, expecting `answer` if given."""
        shorter = Shorter.validate({"after": _numbers(kept), **(answer or {})})
        return shorter_session(self._session, self._case, shorter)


def _selections_between(
    session: Session, fewest: _StepIndexes, needed: _StepIndexes
) -> Iterator[_StepIndexes]:
    """Yield some selections of steps that contain `fewest` and are contained in `needed`.

    Each adds the first step of one kind to `fewest`, or some of the latest steps. The kind of
    a step is the text before its `(`.
    """
    rest = [index for index in needed if index not in fewest]
    # In reverse order, so that the first step of each kind overwrites later ones.
    kinds = {session.steps[index].code.partition("(")[0]: index for index in reversed(rest)}
    for index in sorted(kinds.values()):
        yield tuple(sorted((*fewest, index)))
    for count in _LATEST_COUNTS:
        yield tuple(sorted({*fewest, *rest[-count:]}))


def _answer_text(observation: Observation, key: str) -> str | None:
    """Return the answer in `observation` for `key` as text, or None if it has no literal."""
    match observation.outcome:
        case Returned(value=Atom(None)) if key == "stdout":
            return observation.stdout
        case Returned(value=value) if key == "returns" and has_literal(value):
            return literal(value)
    return None


def _without(kept: _StepIndexes, removed: Collection[int]) -> _StepIndexes:
    return tuple(index for index in kept if index not in removed)


def _numbers(kept: Sequence[int]) -> list[int]:
    return [index + 1 for index in kept]  # suites count from 1
