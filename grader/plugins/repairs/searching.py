"""Searches for an edit of a hand-in that fixes a failing group, and breaks nothing else.

Lines that run in failing cases, and seldom in passing ones, are suspected first. Each edit is tried
on one failing case, then on more; most are tried in batches in one executor, which replaces the
code of a function of the imported module. Edits that remain are graded as whole hand-ins: only that
is a proof. The budget is counted, not timed, so a hand-in gets the same repair on any machine.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import Final, NamedTuple, TypeAlias, TypeVar

from grader.intake.submission import Submission
from grader.judging.answers import AnswerChecker
from grader.judging.going_well import failing
from grader.judging.judge import Reseeded, grade
from grader.judging.preparing import program_of, with_given
from grader.judging.record import GroupResult, Record, Repair
from grader.plugins.repairs.proposer import ProposedEdit, Proposer, Suspicion, lines_alike
from grader.plugins.repairs.proposing import NOTED
from grader.sandbox.budget import Budget
from grader.sandbox.observation import Returned
from grader.sandbox.planning import Item, own_session, whole_session
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.suite.model import Readers, Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.values.tree import Atom
from grader.values.tree import Sequence as Items
from grader.verdict import Verdict

_T = TypeVar("_T")
_Place: TypeAlias = tuple[Session, Case]
MAX_EDITS: Final = 2_000
MAX_RUNS: Final = 8_000
"""The budget of runs for one hand-in."""
_RUNS_IF_ENDED: Final = 20
"""A run that has to be ended counts as this many."""
MAX_PROOFS: Final = 6
"""Edits graded for one group, each with the whole hand-in."""
_TOGETHER: Final = 40
_MAX_MENDING: Final = 800
_FAILING: Final = 8
_PASSING: Final = 24
"""Numbers of cases for the suspicion of lines."""
_MORE_FAILING: Final = 30
_MORE_PASSING: Final = 60
"""Numbers of cases, and of whole sessions, on which to try an edit before it is graded."""
_CPU_S: Final = 0.05
"""The limit per step while edits are tried: many edits cause endless loops."""
_MAX_S: Final = 40.0
"""The limit on all executors together, by the clock: only for code that computes in C or sleeps,
and far beyond what other code needs."""
_UNTRIED: Final = frozenset({Verdict.PASSED, Verdict.FAULT, Verdict.NOT_RUN, Verdict.TAMPERED})


class _Try(NamedTuple):
    """A plan to run, and the cases that should pass in it."""

    session: Session
    plan: tuple[Item, ...]
    cases: frozenset[Case]
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cases:
    """The failing cases of a group, shortest first, and passing cases, that group first."""

    failing: Sequence[_Place]
    passing: Sequence[_Place]
    sessions: Sequence[_Try]
    """Whole sessions, with their passing cases."""


def repaired(
    suite: Suite,
    submission: Submission,
    record: Record,
    sandbox: Sandbox,
    reseeded: Reseeded | None = None,
) -> Record:
    """Return `record` with a repair of all failing groups, or else of the one that lost most.

    With `reseeded` sandboxes, no edit is proved by luck; see `grader.judging.judge.grade`.
    """
    search = _Search(suite, submission, record, sandbox, reseeded)
    lost = [group for group in record.groups if group.max_points - group.points > 0]
    lost.sort(key=lambda group: group.points - group.max_points)
    found = [*search.for_groups(lost)]  # most often there is one mistake
    if not found and len(lost) > 1:
        found += search.for_groups(lost[:1])
    return replace(record, repairs=tuple(found))


class _Search:
    """Searches for repairs of one hand-in."""

    def __init__(
        self,
        suite: Suite,
        submission: Submission,
        record: Record,
        sandbox: Sandbox,
        reseeded: Reseeded | None,
    ) -> None:
        # Otherwise grading an edit would search for repairs again.
        self._suite: Final = suite.changed(repairs=None)
        self._is_told: Final = suite.repairs is Readers.STUDENTS
        self._submission: Final = submission
        self._record: Final = record
        self._sandbox: Final = sandbox
        self._reseeded: Final = reseeded
        self._budget: Final = Budget()
        self._proposer: Final = Proposer(sandbox, self._budget)
        self._runs_left = MAX_RUNS
        self._checker: Final = AnswerChecker(suite, sandbox)
        self._program: Final = program_of(suite, with_given(suite, submission))
        self._limits: Final = suite.limits.changed(cpu_s=min(suite.limits.cpu_s, _CPU_S))

    def for_groups(self, groups: Sequence[GroupResult]) -> Iterator[Repair]:
        """Yield the smallest repair found for all of `groups`, for each group that it fixes."""
        cases = self._cases(groups)
        if not cases.failing:
            return
        wrong = [*self._failing(_spread(cases.failing, _MORE_FAILING))]
        if not wrong:
            return
        # Those of several files take turns too.
        edits = sorted(self._edits(cases), key=lambda each: each.turn)[:MAX_EDITS]
        for edit in self._passing(edits, wrong, cases.sessions)[:MAX_PROOFS]:
            if self._is_over:
                return
            submission = self._edited(edit)
            mended = self._mended(grade(self._suite, submission, self._sandbox, self._reseeded))
            if {group.id for group in groups} <= {*mended}:
                yield from (self._repair(each, edit, submission) for each in mended)
                return

    def _cases(self, groups: Sequence[GroupResult]) -> _Cases:
        places = {
            case.id: (session, case)
            for session in self._suite.sessions
            if not session.runs
            for case in session.cases
        }
        tried = [each for each in self._record.cases if each.id in places]
        asked = {group.id for group in groups}
        wrong = [
            places[each.id]
            for each in tried
            if each.group in asked and each.verdict not in _UNTRIED
        ]
        well = [each for each in tried if each.verdict is Verdict.PASSED]
        passed = {each.id for each in well}
        well.sort(key=lambda each: each.group not in asked)
        return _Cases(
            failing=sorted(wrong, key=lambda each: len(own_session(each[0], each[1].step_index))),
            passing=[places[each.id] for each in well],
            sessions=[
                _Try(session, whole_session(session), frozenset(own), self._suite.limits)
                for session in self._suite.sessions
                if not session.runs and (own := [c for c in session.cases if c.id in passed])
            ],
        )

    def _edits(self, cases: _Cases) -> Iterator[ProposedEdit]:
        """Yield edits of all files that ran in failing cases."""
        for name, suspicion in self._suspicions(cases).items():
            text = self._program.sources[name][1]
            yield from self._proposer.proposed(name, text, suspicion, MAX_EDITS)

    def _suspicions(self, cases: _Cases) -> Mapping[str, Suspicion]:
        """Return the suspicion of each line that ran in a failing case, by module.

        It is the Ochiai coefficient: 1 for lines that ran in all failing cases and nowhere else.
        """
        wrong, well = _spread(cases.failing, _FAILING), _spread(cases.passing, _PASSING)
        seen = [*self._lines([*wrong, *well])]
        in_wrong, in_well = seen[: len(wrong)], seen[len(wrong) :]
        found: dict[str, dict[int, float]] = {}
        # Sorted, since the order of sets differs from run to run.
        for name, line in sorted(set().union(*in_wrong)):
            failed = sum((name, line) in each for each in in_wrong)
            passed = sum((name, line) in each for each in in_well)
            part = failed / math.sqrt(len(in_wrong) * (failed + passed))
            found.setdefault(name, {})[line] = round(part, 4)
        return found

    def _lines(self, places: Sequence[_Place]) -> Iterator[frozenset[tuple[str, int]]]:
        """Yield the lines that run in each of `places`, by module; none if the run ends early."""
        noted = {}
        for name in self._own_modules:
            text = self._proposer.noted(self._program.sources[name][1])
            if text is not None:
                noted[name] = (self._program.sources[name][0], text)
        runner = self._runner({**self._program.sources, **noted}, self._suite.limits)
        loaded = "__import__('sys').modules.get"  # a session may import some of the modules
        notes = (f"getattr({loaded}({name!r}), {NOTED!r}, ())" for name in noted)
        asked = ", ".join(f"sorted({each})" for each in notes)
        for session, case in places:
            own = own_session(session, case.step_index, observed=False)
            # The index is beyond all steps of the session.
            plan = (*own, Item(step_index=sys.maxsize, code=f"[{asked}]"))
            if self._is_over:
                yield frozenset()
                continue
            run = runner.run(plan, modules=session.modules)
            yield frozenset(_told(run, [*noted])) if run.went_on else frozenset()

    @cached_property
    def _own_modules(self) -> list[str]:
        """The names under which the student's modules are imported."""
        parts = self._submission.parts
        return [parts[name] for name in self._suite.modules if name in parts]

    def _failing(self, places: Sequence[_Place]) -> Iterator[_Try]:
        """Yield runs in which the cases fail again: their own sessions, or else whole ones.

        A case that passes now, such as one that depends on chance, has none.
        """
        little, all_of_it = self._limits, self._suite.limits
        runners = {
            # Limits hold a dictionary, so they have no hash.
            id(each): self._runner(self._program.sources, each)
            for each in (little, all_of_it)
        }
        for session, case in places:
            if self._is_over:
                return
            own = _Try(session, own_session(session, case.step_index), frozenset({case}), little)
            whole = own._replace(plan=whole_session(session), limits=all_of_it)
            for each in (own, own._replace(limits=all_of_it), whole):
                run = runners[id(each.limits)].run(each.plan, modules=session.modules)
                if run.went_on and not self._is_well(each, run):
                    yield each
                    break
            else:
                if not run.went_on:  # an endless loop gets the short limit
                    yield own

    def _is_well(self, tried: _Try, run: SessionRun) -> bool:
        failed = failing(tried.session, run, self._checker)
        return run.went_on and tried.cases.isdisjoint(failed)

    def _passing(
        self, edits: Sequence[ProposedEdit], wrong: Sequence[_Try], sessions: Sequence[_Try]
    ) -> list[ProposedEdit]:
        """Return the `edits` that fix the failing runs and keep the others, smallest first.

        If very many fix one case, only the smallest are tried further.
        """
        well = _spread(sessions, _MORE_PASSING)
        left = [*edits]
        for each in filter(None, chain.from_iterable(zip_longest(wrong, well))):
            parts = (left[at : at + _TOGETHER] for at in range(0, len(left), _TOGETHER))
            left = [edit for part in parts for edit in self._passing_one(part, each)]
            left = sorted(left, key=lambda edit: (edit.size, -edit.suspicion))[:_MAX_MENDING]
        return [] if self._is_over else left

    def _passing_one(self, edits: Sequence[ProposedEdit], tried: _Try) -> list[ProposedEdit]:
        """Return the `edits` with which the cases of one run pass."""
        session, plan, _, limits = tried
        small = {f"_edit_{number}": each for number, each in enumerate(edits)}
        # Edits outside functions have no patch, and run in executors of their own.
        patches = {name: self._patch(each) for name, each in small.items()}
        sent = {name: (f"{name}.py", text) for name, text in patches.items() if text is not None}
        patched = self._runner({**self._program.sources, **sent}, limits)
        for name in sent:
            patched.expect([plan], modules=(name, *session.modules))
        passing: list[ProposedEdit] = []
        for name, edit in small.items():
            if self._is_over:
                return []
            if name in sent:
                run = patched.run(plan, modules=(name, *session.modules))
            else:
                file, text = self._program.sources[edit.module]
                sources = {**self._program.sources, edit.module: (file, edit.of_file(text))}
                run = self._runner(sources, limits).run(plan, modules=session.modules)
            self._runs_left -= 1 if run.died is None else _RUNS_IF_ENDED
            if self._is_well(tried, run):
                passing.append(edit)
        return passing

    def _patch(self, edit: ProposedEdit) -> str | None:
        return edit.of_function(self._program.sources[edit.module][1])

    def _runner(self, sources: Mapping[str, tuple[str, str]], limits: Limits) -> SessionRunner:
        # Notes of its own, or it would share those of the original.
        program = replace(
            self._program, sources=sources, loads=0, errors={}, compiled={}, mentions={}, lasts=True
        )
        return SessionRunner(self._sandbox, program, limits, self._budget)

    @property
    def _is_over(self) -> bool:
        """Whether the budget for one hand-in is used up."""
        is_late = self._budget.cpu_s + self._budget.idle_s > _MAX_S
        return self._runs_left <= 0 or is_late

    def _edited(self, edit: ProposedEdit) -> Submission:
        file = self._submission.modules[edit.module]
        changed = replace(file, text=edit.of_file(file.text))
        return replace(self._submission, modules={**self._submission.modules, edit.module: changed})

    def _mended(self, record: Record) -> list[str]:
        """Return the groups that pass in `record` and did not before; none if anything broke."""
        before, after = self._record, {each.id: each.verdict for each in record.cases}
        broken = any(
            each.verdict is Verdict.PASSED and after.get(each.id) is not Verdict.PASSED
            for each in before.cases
        )
        # An edit must not break rules either.
        costly = sum(each.penalty for each in record.rules) > sum(
            each.penalty for each in before.rules
        )
        if broken or costly or record.status is not before.status:
            return []
        return [
            group.id
            for group in before.groups
            if group.passed < len(group.cases)
            and all(after[each.id] is Verdict.PASSED for each in group.cases)
        ]

    def _repair(self, group: str, edit: ProposedEdit, submission: Submission) -> Repair:
        file = self._submission.modules[edit.module]
        first, old, new = _difference(
            lines_alike(file.text).split("\n"), submission.modules[edit.module].text.split("\n")
        )
        return Repair(
            group=group,
            file=file.name,
            line=edit.line,
            first=first,
            kind=edit.kind,
            is_told=self._is_told,
            before="\n".join(old),
            after="\n".join(new),
        )


def _told(run: SessionRun, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    match run.observations[-1].outcome:
        case Returned(value=Items(items=lists)):
            for name, lines in zip(names, lists, strict=False):
                if isinstance(lines, Items):
                    for each in lines.items:
                        if isinstance(each, Atom) and isinstance(each.value, int):
                            yield name, each.value


def _spread(items: Sequence[_T], most: int) -> list[_T]:
    """Return at most `most` of `items`, evenly spread."""
    step = max(1.0, len(items) / most)
    return [items[int(at * step)] for at in range(min(most, len(items)))]


def _difference(old: list[str], new: list[str]) -> tuple[int, list[str], list[str]]:
    """Return the first line that differs, 1-based, and the different lines on both sides."""
    same = next(
        (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    end = 0
    while end < min(len(old), len(new)) - same and old[-1 - end] == new[-1 - end]:
        end += 1
    return same + 1, old[same : len(old) - end], new[same : len(new) - end]
