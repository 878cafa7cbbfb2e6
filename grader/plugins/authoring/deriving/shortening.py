"""Finds shorter sessions for the cases of a derived suite, with the answers of the reference.

A case after thirty moves seldom fails because of all of them. A student who fails it is shown the
shortest session in which the submission fails in the same way. The right answer there must be
known, and only the reference gives it. So some sessions are tried on it and kept in the suite: the
fewest steps with the same answer, the fewest with any, and a few between these and all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from grader.intake.submissions import Entry, read
from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, breakdowns, observed
from grader.judging.preparing import runner_for
from grader.judging.shortening import expanded, shorter_session
from grader.plugins.authoring.deriving.derivation import Derivation
from grader.plugins.authoring.generating.oracle import sayable
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

_Kept: TypeAlias = tuple[int, ...]
"""Indexes of the steps before a case."""
_MAX_ANSWER_CHARS: Final = 400
"""People read suites, so longer answers are left out."""
_MAX_SESSIONS_OF_CASE: Final = 6
_LATEST: Final = (2, 4)
"""Numbers of latest actions to try besides the steps that the case cannot do without."""
_OTHERS: Final = (2, 10)
"""Numbers of first and latest unneeded steps to try with a case."""
_ANSWER_KEYS: Final = ("returns", "stdout")
"""Keys of a step for which the reference can give another answer."""


def with_shorter(done: Derivation, suite: Suite, reference: Path, sandbox: Sandbox) -> Derivation:
    """Return the derivation with shorter sessions for its cases; `suite` is its suite."""
    finder = _Finder(suite, reference.parent, sandbox)
    sessions = [*done.document["sessions"]]
    for index, session in enumerate(suite.sessions[: done.session_count]):
        steps = [*sessions[index]["steps"]]
        for case in session.cases:
            if found := finder.of(session, case):
                step = {**steps[case.step_index], "shorter": [*map(OneLine, found)]}
                steps[case.step_index] = step
        sessions[index] = {**sessions[index], "steps": steps}
    return replace(done, document={**done.document, "sessions": sessions})


def unproven(suite: Suite, folder: Path, sandbox: Sandbox) -> Iterator[str]:
    """Yield the cases of `suite` with a shorter session that the reference in `folder` fails.

    An edit by hand may have changed the right answers.
    """
    written = [
        (session, case, shorter)
        for session in suite.sessions
        for case in session.cases
        for shorter in session.steps[case.step_index].shorter or ()
    ]
    if not written:
        return
    finder = _Finder(suite, folder, sandbox)
    for session, case, shorter in written:
        if not all(finder.holds(session, case, each) for each in expanded(session, shorter)):
            yield case.id


class _Finder:
    """Tries sessions on the reference in `folder`."""

    def __init__(self, suite: Suite, folder: Path, sandbox: Sandbox) -> None:
        submission = read(Entry("reference", folder), suite.modules, suite.defines)
        self._runner: Final = runner_for(suite, submission, sandbox)
        self._checker: Final = AnswerChecker(suite, sandbox)

    def holds(self, session: Session, case: Case, shorter: Shorter) -> bool:
        """Return whether the reference passes `case` in the `shorter` session, run by itself."""
        tries = _Tries(self._runner, self._checker, session, case)
        return tries.holds(tries.of(shorter_session(session, case, shorter)))

    def of(self, session: Session, case: Case) -> list[dict[str, Any]]:
        """Return the shorter sessions of `case`, as a suite writes them."""
        # A program starts afresh in each step, so earlier steps do not matter.
        if session.runs:
            return []
        tries = _Tries(self._runner, self._checker, session, case)
        needed = needed_steps(session, case.step_index)
        same, found = needed, dict[_Kept, dict[str, str]]()
        if len(needed) > 1:
            same = tries.fewest(needed, tries.holds)
            bare = tries.fewest(same, lambda each: tries.answer(each) is not None)
            for kept in (same, bare, *_between(session, bare, needed)):
                answer = None if kept in {needed, *found} else tries.answer(tries.alone(kept))
                if answer is not None and len(found) < _MAX_SESSIONS_OF_CASE:
                    found[kept] = answer
        written = [{"after": _numbers(kept), **answer} for kept, answer in found.items()]
        others = tries.indifferent(same, needed)
        more = [{"after": _numbers(same), "one_of": _numbers(others)}] if others else []
        return [*written, *more]


class _Tried(NamedTuple):
    """A session and its run on the reference."""

    session: Session
    run: SessionRun


class _Tries:
    """Tries one case after some of its needed steps; runs each session only once."""

    def __init__(
        self, runner: SessionRunner, checker: AnswerChecker, session: Session, case: Case
    ) -> None:
        self._runner: Final = runner
        self._checker: Final = checker
        self._session: Final = session
        self._case: Final = case
        self._alone: dict[_Kept, _Tried] = {}
        step = session.steps[case.step_index]
        keys = (key for key in _ANSWER_KEYS if getattr(step, key) is not None)
        self._key: Final = next(keys, None)

    def alone(self, kept: _Kept) -> _Tried:
        """Return the run of the case after the steps that are `kept`."""
        if kept not in self._alone:
            self._alone[kept] = self.of(self._after(kept))
        return self._alone[kept]

    def of(self, session: Session) -> _Tried:
        """Return the run of `session` on the reference, in an executor of its own."""
        run = self._runner.run(whole_session(session), modules=session.modules)
        return _Tried(session, run)

    def holds(self, tried: _Tried) -> bool:
        """Return whether the reference passes the case in this run."""
        session, run = tried
        (placed,) = session.cases
        seen = observed(run, self._checker.outcomes(session.steps, run))
        result = assess(session, placed, seen)
        return result is not None and result.passed and not breakdowns(run)

    def answer(self, tried: _Tried) -> dict[str, str] | None:
        """Return the right answer in this run, {} if it is that of the whole session.

        None if the reference breaks down there, or no literal says its answer.
        """
        if self.holds(tried):
            return {}
        session, run = tried
        if self._key is None or len(run.observations) < len(run.plan) or breakdowns(run):
            return None
        text = _said(run.observations[-1], self._key)
        if text is None or len(text) > _MAX_ANSWER_CHARS:
            return None
        answer: dict[str, str] = {self._key: text}
        before = tuple(range(len(session.steps) - 1))
        (*_, asked) = self._after(before, answer).steps
        right = session.changed(steps=(*session.steps[:-1], asked))
        return answer if self.holds(_Tried(right, run)) else None

    def fewest(self, kept: _Kept, will_do: Callable[[_Tried], bool]) -> _Kept:
        """Return `kept` without the steps that are not needed for `will_do`.

        Candidates are found together in one executor, which is fast, and confirmed alone.
        """
        steps = self._session.steps
        # Bindings come last, as other steps need their names.
        acting = [index for index in kept if not steps[index].binds]
        if will_do(self.alone(_without(kept, acting))):
            kept = _without(kept, acting)
        elif acting:
            fewer = [self._after(_without(kept, [index])) for index in acting]
            plans = [whole_session(each) for each in fewer]
            runs = self._runner.run_together(plans, modules=self._session.modules)
            tried = map(_Tried, fewer, runs)
            spared = [index for index, each in zip(acting, tried, strict=True) if will_do(each)]
            # Together they may be needed: each was spared while the others stayed.
            for group in (spared, *([index] for index in spared)):
                if will_do(self.alone(_without(kept, group))):
                    kept = _without(kept, group)
        # Without its binding, a name that is also a module would mean the module.
        modules = {*self._session.modules}
        binding = [i for i in kept if steps[i].binds and modules.isdisjoint(steps[i].binds)]
        for index in binding:
            if len(binding) > 1 and will_do(self.alone(_without(kept, [index]))):
                kept = _without(kept, [index])
        return kept

    def indifferent(self, kept: _Kept, needed: _Kept) -> _Kept:
        """Return the steps not `needed` that do not change the answer if added to those `kept`.

        Some mistakes show only with such a step, mostly the latest: in an object that changes when
        it is only asked something, for one.
        """
        steps = self._session.steps
        rest = [
            index
            for index in range(self._case.step_index)
            if index not in needed and steps[index].raises is None
        ]
        others = rest if len(rest) <= sum(_OTHERS) else rest[: _OTHERS[0]] + rest[-_OTHERS[1] :]
        if not others or len(rest) + len(needed) < 2:
            return ()
        written = {"after": _numbers(kept), "one_of": _numbers(others)}
        expected = expanded(self._session, Shorter.checked(written))
        sessions = (shorter_session(self._session, self._case, each) for each in expected)
        # `expanded` yields the latest step first.
        tried = zip(reversed(others), map(self.of, sessions), strict=True)
        return tuple(sorted(index for index, each in tried if self.holds(each)))

    def _after(self, kept: _Kept, answer: Mapping[str, str] | None = None) -> Session:
        shorter = Shorter.checked({"after": _numbers(kept), **(answer or {})})
        return shorter_session(self._session, self._case, shorter)


def _between(session: Session, bare: _Kept, needed: _Kept) -> Iterator[_Kept]:
    """Yield sets of steps between the `bare` ones and all `needed` ones.

    Each adds the first step of one kind, by the text before its `(`, or the latest steps.
    """
    rest = [index for index in needed if index not in bare]
    # From the last on, so that the first of each kind stays.
    kinds = {session.steps[index].code.partition("(")[0]: index for index in reversed(rest)}
    for index in sorted(kinds.values()):
        yield tuple(sorted((*bare, index)))
    for count in _LATEST:
        yield tuple(sorted({*bare, *rest[-count:]}))


def _said(seen: Observation, key: str) -> str | None:
    match seen.outcome:
        case Returned(value=Atom(None)) if key == "stdout":
            return seen.stdout
        case Returned(value=value) if key == "returns" and sayable(value):
            return literal(value)
    return None


def _without(kept: _Kept, left_out: Collection[int]) -> _Kept:
    return tuple(index for index in kept if index not in left_out)


def _numbers(kept: Sequence[int]) -> list[int]:
    return [index + 1 for index in kept]  # suites count from 1
