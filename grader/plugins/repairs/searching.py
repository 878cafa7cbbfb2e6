"""Searches for an edit of a hand-in that fixes a failing group, and breaks nothing else.

Lines that run in failing cases, but rarely in passing ones, are suspected most. Each edit is tried
on one failing case, then on more. Most edits are tried in batches in one executor, where the code
of a function in the imported module is replaced. The remaining edits are graded as whole hand-ins,
which is the only proof. The budget is a count instead of a time, so that a hand-in gets the same
repair on any machine.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import Final, TypeVar

from grader.intake.submission import Submission
from grader.judging.answers import AnswerChecker
from grader.judging.clean_runs import find_failed_cases
from grader.judging.judge import OtherSeedSandboxes, grade
from grader.judging.preparing import build_program, with_given_code
from grader.judging.record import GroupResult, Record, Repair
from grader.plugins.repairs.cases import LocatedCase, RepairTrial, StartingCases, find_cases
from grader.plugins.repairs.proposer import ProposedEdit, Proposer, Suspicion, normalize_newlines
from grader.plugins.repairs.proposing import RAN_LINES
from grader.sandbox.budget import Budget
from grader.sandbox.observation import Returned
from grader.sandbox.planning import Item, own_session, whole_session
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.suite.model import RepairReaders, Suite
from grader.values.tree import Atom
from grader.values.tree import Sequence as Items
from grader.verdict import Verdict

_T = TypeVar("_T")
MAX_EDITS: Final = 2_000
MAX_RUNS: Final = 8_000
"""The limit on runs for one hand-in."""
_RUNS_IF_KILLED: Final = 20
"""A run that must be killed counts as this many runs."""
MAX_PROOFS: Final = 6
"""The limit on edits that are graded in one search, each with the whole hand-in."""
_BATCH_SIZE: Final = 40
"""The number of edits that are tried in one executor."""
_MAX_REMAINING: Final = 800
"""The limit on edits that are tried further after each trial."""
_MAX_FAILING: Final = 8
_MAX_PASSING: Final = 24
"""The numbers of cases from which the suspicion of lines is computed."""
_MAX_TRIED_FAILING: Final = 30
_MAX_TRIED_PASSING: Final = 60
"""The numbers of failing cases and whole sessions on which edits are tried before grading."""
_CPU_S: Final = 0.05
"""The limit per step while edits are tried. It is short, because many edits cause endless loops."""
_MAX_S: Final = 40.0
"""The limit on the time of all executors together. Only code that computes in C or sleeps reaches
it, because it is far beyond what other code needs."""


def add_repairs(
    suite: Suite,
    submission: Submission,
    record: Record,
    sandbox: Sandbox,
    reseeded: OtherSeedSandboxes | None = None,
) -> Record:
    """Return `record` with repairs for all failing groups, or else for a single group.

    The single group is the one that lost the most points. If no repairs are found, the returned
    record has none. With `reseeded` sandboxes, no edit is proven by luck, as
    `grader.judging.judge.grade` explains.
    """
    search = _Search(suite, submission, record, sandbox, reseeded)
    failing_groups = [group for group in record.groups if group.max_points - group.points > 0]
    failing_groups.sort(key=lambda group: group.points - group.max_points)
    # Usually, a single mistake makes all of these groups fail.
    repairs = [*search.for_groups(failing_groups)]
    if not repairs and len(failing_groups) > 1:
        repairs += search.for_groups(failing_groups[:1])
    return replace(record, repairs=tuple(repairs))


class _Search:
    """Searches for repairs of one hand-in, within one budget for all searches."""

    def __init__(
        self,
        suite: Suite,
        submission: Submission,
        record: Record,
        sandbox: Sandbox,
        reseeded: OtherSeedSandboxes | None,
    ) -> None:
        """Prepare the search for repairs of `submission`, which was graded with `record`."""
        # Without repairs, because grading an edit must not search for repairs again.
        self._suite: Final = suite.with_changes(repairs=None)
        self._is_for_students: Final = suite.repairs is RepairReaders.STUDENTS
        self._submission: Final = submission
        self._record: Final = record
        self._sandbox: Final = sandbox
        self._reseeded: Final = reseeded
        self._budget: Final = Budget()
        self._proposer: Final = Proposer(sandbox, self._budget)
        self._runs_left = MAX_RUNS
        self._checker: Final = AnswerChecker(suite, sandbox)
        self._program: Final = build_program(suite, with_given_code(suite, submission))
        self._limits: Final = suite.limits.with_changes(cpu_s=min(suite.limits.cpu_s, _CPU_S))

    def for_groups(self, groups: Sequence[GroupResult]) -> Iterator[Repair]:
        """Find the smallest edit that fixes all `groups`, and yield a repair for each fixed group.

        The edit can fix further groups too. Yield nothing if no edit is found within the budget.
        """
        cases = find_cases(self._suite, self._record, groups)
        if not cases.failing:
            return
        trials = [*self._failing_trials(_spread(cases.failing, _MAX_TRIED_FAILING))]
        if not trials:
            return
        # Sorted by turn, because edits of several files take turns too.
        edits = sorted(self._proposed_edits(cases), key=lambda edit: edit.turn)[:MAX_EDITS]
        for edit in self._edits_passing_all(edits, trials, cases.sessions)[:MAX_PROOFS]:
            if self._is_budget_used_up:
                return
            submission = self._edited_submission(edit)
            fixed = self._fixed_groups(
                grade(self._suite, submission, self._sandbox, self._reseeded)
            )
            if {group.id for group in groups} <= {*fixed}:
                yield from (self._repair(group, edit, submission) for group in fixed)
                return

    def _proposed_edits(self, cases: StartingCases) -> Iterator[ProposedEdit]:
        """Yield the proposed edits of all files that ran in failing cases."""
        for name, suspicion in self._suspicions(cases).items():
            text = self._program.sources[name][1]
            yield from self._proposer.propose(name, text, suspicion, MAX_EDITS)

    def _suspicions(self, cases: StartingCases) -> Mapping[str, Suspicion]:
        """Return the suspicion of each line that ran in a failing case, keyed by module name.

        The suspicion is the Ochiai coefficient. It is 1 for lines that ran in all failing cases and
        in no other case.
        """
        failing = _spread(cases.failing, _MAX_FAILING)
        passing = _spread(cases.passing, _MAX_PASSING)
        lines = [*self._executed_lines([*failing, *passing])]
        in_failing, in_passing = lines[: len(failing)], lines[len(failing) :]
        suspicions: dict[str, dict[int, float]] = {}
        # Sorted, because the order of sets differs from run to run.
        for name, line in sorted(set().union(*in_failing)):
            failed_count = sum((name, line) in ran for ran in in_failing)
            passed_count = sum((name, line) in ran for ran in in_passing)
            coefficient = failed_count / math.sqrt(len(in_failing) * (failed_count + passed_count))
            suspicions.setdefault(name, {})[line] = round(coefficient, 4)
        return suspicions

    def _executed_lines(self, cases: Sequence[LocatedCase]) -> Iterator[frozenset[tuple[str, int]]]:
        """Run the session of each case, and yield the lines that ran, with their module names.

        Yield an empty set for a case whose run ends early, or after the budget is used up.
        """
        instrumented = {}
        for name in self._own_modules:
            text = self._proposer.instrument(self._program.sources[name][1])
            if text is not None:
                instrumented[name] = (self._program.sources[name][0], text)
        runner = self._runner({**self._program.sources, **instrumented}, self._suite.limits)
        loaded = "__import__('sys').modules.get"  # a session can import only some of the modules
        line_sets = (f"getattr({loaded}({name!r}), {RAN_LINES!r}, ())" for name in instrumented)
        query = ", ".join(f"sorted({line_set})" for line_set in line_sets)
        for session, case in cases:
            items = own_session(session, case.step_index, observed=False)
            # The index is beyond all steps of the session.
            plan = (*items, Item(step_index=sys.maxsize, code=f"[{query}]"))
            if self._is_budget_used_up:
                yield frozenset()
                continue
            run = runner.run(plan, modules=session.modules)
            yield frozenset(_recorded_lines(run, [*instrumented])) if run.completed else frozenset()

    @cached_property
    def _own_modules(self) -> list[str]:
        """The names under which the student's modules are imported."""
        parts = self._submission.parts
        return [parts[name] for name in self._suite.modules if name in parts]

    def _failing_trials(self, cases: Sequence[LocatedCase]) -> Iterator[RepairTrial]:
        """Run the sessions of `cases`, and yield a trial for each case that fails again.

        The trial runs the case's own session if the case fails in it, or else the whole session.
        A case that passes now, for example because it depends on randomness, has no trial. Stop
        early if the budget is used up.
        """
        short, full = self._limits, self._suite.limits
        runners = {
            # Keyed by id, because limits contain a dict and so have no hash.
            id(limits): self._runner(self._program.sources, limits)
            for limits in (short, full)
        }
        for session, case in cases:
            if self._is_budget_used_up:
                return
            own_trial = RepairTrial(
                session, own_session(session, case.step_index), frozenset({case}), short
            )
            whole_trial = own_trial._replace(plan=whole_session(session), limits=full)
            for trial in (own_trial, own_trial._replace(limits=full), whole_trial):
                run = runners[id(trial.limits)].run(trial.plan, modules=session.modules)
                if run.completed and not self._passes(trial, run):
                    yield trial
                    break
            else:
                if not run.completed:  # in an endless loop, the short limit suffices
                    yield own_trial

    def _passes(self, trial: RepairTrial, run: SessionRun) -> bool:
        """Return whether all cases of `trial` pass in its `run`."""
        failed = find_failed_cases(trial.session, run, self._checker)
        return run.completed and trial.cases.isdisjoint(failed)

    def _edits_passing_all(
        self,
        edits: Sequence[ProposedEdit],
        failing: Sequence[RepairTrial],
        sessions: Sequence[RepairTrial],
    ) -> list[ProposedEdit]:
        """Return the `edits` with which the `failing` trials and `sessions` pass, smallest first.

        If very many edits fix one case, only the smallest are tried further. Return an empty list
        if the budget is used up.
        """
        passing = _spread(sessions, _MAX_TRIED_PASSING)
        remaining = [*edits]
        # Alternating, so that edits that break something are dropped early too.
        for trial in filter(None, chain.from_iterable(zip_longest(failing, passing))):
            batches = (
                remaining[start : start + _BATCH_SIZE]
                for start in range(0, len(remaining), _BATCH_SIZE)
            )
            remaining = [edit for batch in batches for edit in self._edits_passing(batch, trial)]
            remaining.sort(key=lambda edit: (edit.size, -edit.suspicion))
            remaining = remaining[:_MAX_REMAINING]
        return [] if self._is_budget_used_up else remaining

    def _edits_passing(
        self, edits: Sequence[ProposedEdit], trial: RepairTrial
    ) -> list[ProposedEdit]:
        """Run `trial` with each of `edits`, and return those with which its cases pass.

        The runs are subtracted from the budget. Return an empty list if the budget is used up.
        """
        session, plan, _, limits = trial
        by_name = {f"_edit_{index}": edit for index, edit in enumerate(edits)}
        # Edits outside functions have no patch, and run in separate executors.
        patches = {name: self._patch(edit) for name, edit in by_name.items()}
        sent = {name: (f"{name}.py", text) for name, text in patches.items() if text is not None}
        patched = self._runner({**self._program.sources, **sent}, limits)
        for name in sent:
            patched.expect([plan], modules=(name, *session.modules))
        passing: list[ProposedEdit] = []
        for name, edit in by_name.items():
            if self._is_budget_used_up:
                return []
            if name in sent:
                run = patched.run(plan, modules=(name, *session.modules))
            else:
                file, text = self._program.sources[edit.module_name]
                sources = {**self._program.sources, edit.module_name: (file, edit.apply_to(text))}
                run = self._runner(sources, limits).run(plan, modules=session.modules)
            self._runs_left -= 1 if run.death is None else _RUNS_IF_KILLED
            if self._passes(trial, run):
                passing.append(edit)
        return passing

    def _patch(self, edit: ProposedEdit) -> str | None:
        return edit.patch_source(self._program.sources[edit.module_name][1])

    def _runner(self, sources: Mapping[str, tuple[str, str]], limits: Limits) -> SessionRunner:
        """Return a runner of the program with other `sources`."""
        # The caches are new, because otherwise the program would share those of the original.
        program = replace(
            self._program,
            sources=sources,
            loads=0,
            errors={},
            compiled={},
            mentions={},
            is_reused=True,
        )
        return SessionRunner(self._sandbox, program, limits, self._budget)

    @property
    def _is_budget_used_up(self) -> bool:
        """Whether the budget for this hand-in is used up."""
        is_late = self._budget.cpu_s + self._budget.idle_s > _MAX_S
        return self._runs_left <= 0 or is_late

    def _edited_submission(self, edit: ProposedEdit) -> Submission:
        """Return the submission with `edit` applied to the file that it changes."""
        file = self._submission.modules[edit.module_name]
        changed = replace(file, text=edit.apply_to(file.text))
        return replace(
            self._submission, modules={**self._submission.modules, edit.module_name: changed}
        )

    def _fixed_groups(self, record: Record) -> list[str]:
        """Return the ids of the groups that pass in `record` but did not pass before.

        Return an empty list if a case that passed before now fails, if rule penalties have
        increased, or if the status of the record has changed.
        """
        before, after = self._record, {case.id: case.verdict for case in record.cases}
        breaks_case = any(
            case.verdict is Verdict.PASSED and after.get(case.id) is not Verdict.PASSED
            for case in before.cases
        )
        breaks_rule = sum(rule.penalty for rule in record.rules) > sum(
            rule.penalty for rule in before.rules
        )
        if breaks_case or breaks_rule or record.status is not before.status:
            return []
        return [
            group.id
            for group in before.groups
            if group.passed < len(group.cases)
            and all(after[case.id] is Verdict.PASSED for case in group.cases)
        ]

    def _repair(self, group_id: str, edit: ProposedEdit, submission: Submission) -> Repair:
        """Return the repair of a group by `edit`, which results in the edited `submission`."""
        file = self._submission.modules[edit.module_name]
        first, old, new = _difference(
            normalize_newlines(file.text).split("\n"),
            submission.modules[edit.module_name].text.split("\n"),
        )
        return Repair(
            group=group_id,
            file=file.name,
            line=edit.line,
            first=first,
            kind=edit.kind,
            is_told=self._is_for_students,
            before="\n".join(old),
            after="\n".join(new),
        )


def _recorded_lines(run: SessionRun, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the lines in the last observation of `run`, each with the name of its module.

    `names` are the modules in the order in which their lines were requested.
    """
    match run.observations[-1].outcome:
        case Returned(value=Items(items=lists)):
            for name, lines in zip(names, lists, strict=False):
                if isinstance(lines, Items):
                    for line in lines.items:
                        if isinstance(line, Atom) and isinstance(line.value, int):
                            yield name, line.value


def _spread(items: Sequence[_T], most: int) -> list[_T]:
    """Return up to `most` of `items`, evenly spread over all of them."""
    step = max(1.0, len(items) / most)
    return [items[int(index * step)] for index in range(min(most, len(items)))]


def _difference(old: list[str], new: list[str]) -> tuple[int, list[str], list[str]]:
    """Return the number of the first differing line, counted from 1, and the differing lines.

    The differing lines are those of each text from there on, except equal lines at the end.
    """
    start = next(
        (
            index
            for index, (before, after) in enumerate(zip(old, new, strict=False))
            if before != after
        ),
        min(len(old), len(new)),
    )
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return start + 1, old[start : len(old) - end], new[start : len(new) - end]
