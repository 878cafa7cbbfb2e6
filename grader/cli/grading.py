"""What grading verbs share: turns tasks into records in a store, and shows the progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from grader.cli.progress import RunProgress
from grader.cli.sources import PlannedExercise
from grader.cli.terminal import say
from grader.intake.plan import PlanEntry
from grader.intake.submissions import HandIn
from grader.reporting.output import run_entries
from grader.reporting.pseudonyms import Pseudonyms
from grader.run.chunks import Terms
from grader.run.engines import Engine, make_engine
from grader.run.grading import grade_all
from grader.run.keeping import FinishedSubmission, StoreKeeper
from grader.run.tasks import Task
from grader.run.worker import GradedRecord
from grader.sandbox.sandbox import start_early, usable_cores
from grader.store.graded import Pattern
from grader.store.runs import Price, Run, RunEntry, RunSettings, SuiteFacts
from grader.store.store import Store
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages

EXIT_INTERRUPTED: Final = 130
_EntryName: TypeAlias = tuple[str, str]
"""The names of an exercise and of a student."""
Scores: TypeAlias = Callable[[Sequence[PlannedExercise]], Mapping[_EntryName, float]]
"""Grades plans, and returns the points that each student earned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTasks:
    """The tasks to grade, and how to grade them."""

    tasks: Sequence[Task]
    run: Run
    pseudonyms: Pseudonyms | None = None
    make_record: Callable[[HandIn], GradedRecord] | None = None
    """Makes the record of a hand-in, in place of the judge."""

    @property
    def share(self) -> range:
        """The indices of the tasks to grade now: all, or those of a shard."""
        shard = self.run.settings.shard
        return range(len(self.tasks)) if shard is None else shard.positions(len(self.tasks))

    def engine(self, name: str, jobs: int | None, *, is_new: bool = False) -> Engine:
        """Return the engine called `name` with `jobs` workers, by default one per core.

        If `is_new`, no submission was graded before, so workers start a sandbox immediately.
        Raises `UsageError` if the engine is unknown.
        """
        # A sandbox that is started early has no optional packages.
        needs_usual_sandbox = any(not optional_packages(task.suite.imports) for task in self.tasks)
        prepare = start_early if is_new and needs_usual_sandbox else None
        # Never more workers than submissions, but at least one even if the shard is empty.
        return make_engine(name, max(1, min(jobs or usable_cores(), len(self.share))), prepare)

    def grade_into(
        self,
        store: Store,
        folder: Path,
        engine: Engine,
        *,
        earlier: Store | None = None,
        on_done: Callable[[FinishedSubmission], None] = lambda _: None,
        words: tuple[str, str] = ("grading", "graded"),
    ) -> tuple[StoreKeeper, bool]:
        """Grade the tasks that are not in `store` with `engine`, and write pages to `folder`.

        Records and decisions of an `earlier` run are reused. Progress is shown with the two verb
        forms `words`, and `on_done` is called after each submission. Returns the keeper, and
        whether grading finished without being interrupted.
        """
        suites = {task.suite.sha256: task.suite for task in self.tasks}
        store.begin(self.run, _patterns_of(suites.values()))
        if earlier is not None:
            store.decide(earlier.decisions)
        if not engine.workers:
            say("waiting for a worker: none is connected yet")
        with RunProgress(
            len(self.share), *words, workers=lambda: engine.parallel_chunks
        ) as progress:

            def report_done(submission: FinishedSubmission) -> None:
                progress.count_done(submission)
                on_done(submission)

            keeper = StoreKeeper(store, self.run, folder, on_done=report_done, earlier=earlier)
            terms = Terms(
                settings=self.run.settings, pseudonyms=self.pseudonyms, make_record=self.make_record
            )
            try:
                return keeper, grade_all(self.tasks, keeper, terms, engine, self.share)
            finally:
                keeper.link_pending()  # also after an interruption, to save what was graded


def _patterns_of(suites: Iterable[Suite]) -> dict[str, bytes]:
    """Return the patterns that records of `suites` are packed with, keyed by hash."""
    return {pattern.sha256: pattern.to_bytes() for pattern in map(Pattern.from_suite, suites)}


def make_run_entries(
    tasks: Sequence[Task], pseudonyms: Pseudonyms | None = None
) -> tuple[RunEntry, ...]:
    """Return a run entry for each of `tasks`; `pseudonyms` hide persons and attempts."""
    name_of = str if pseudonyms is None else pseudonyms.pseudonym_of
    entries = run_entries((task.suite.exercise, name_of(task.entry.student)) for task in tasks)
    if pseudonyms is not None:
        return entries
    return tuple(
        replace(entry, person=task.person, attempt=task.attempt)
        for entry, task in zip(entries, tasks, strict=True)
    )


def suite_facts(suite: Suite) -> SuiteFacts:
    """Return the facts about `suite` that a run stores."""
    max_score = sum(group.points for group in suite.groups)
    return SuiteFacts(
        sha256=suite.sha256,
        asks=suite.asks,
        title=suite.title,
        max_score=max_score,
        prices=tuple(
            Price(id=rule.id, group=rule.group, points=rule.points, cap=rule.cap)
            for rule in suite.rules
            if rule.costs_points
        ),
    )


def describe_run(
    tasks: Sequence[Task], settings: RunSettings, pseudonyms: Pseudonyms | None = None
) -> Run:
    """Return the description of a run of `tasks`, to be stored with its records."""
    suites = {task.suite.exercise: task.suite for task in tasks}
    return Run(
        entries=make_run_entries(tasks, pseudonyms),
        language=tasks[0].suite.language,
        settings=settings,
        suites={exercise: suite_facts(suite) for exercise, suite in suites.items()},
    )


# The best of several attempts


def choose_best_attempts(plans: list[PlannedExercise], scores: Scores) -> list[PlannedExercise]:
    """Return `plans` with each student's best attempt, or the latest of equally good ones.

    All first attempts are graded with `scores`, then all second ones, and so on. In later rounds, a
    student with fewer attempts takes part with her latest one, whose record already exists. If
    nobody has several attempts, nothing is graded.
    """
    entries = [
        (planned.exercise or "", entry) for planned in plans for entry in planned.plan.entries
    ]
    max_attempts = max((len(entry.attempts) for _, entry in entries), default=1)
    if max_attempts == 1:
        return plans
    best: dict[_EntryName, tuple[float, int]] = {}
    for index in range(max_attempts):
        round_plans = [
            _with_attempts(planned, dict.fromkeys(_entry_names(planned), index))
            for planned in plans
        ]
        earned = scores(round_plans)
        for exercise, entry in entries:
            name = exercise, entry.student
            if index < len(entry.attempts):
                # Compared as tuples, so that the later of two equal attempts wins. The default is
                # -1, so that an attempt without points counts too.
                best[name] = max(best.get(name, (-1.0, 0)), (earned.get(name, 0.0), index))
    chosen = {name: index for name, (_, index) in best.items()}
    return [_with_attempts(planned, chosen) for planned in plans]


def _entry_names(planned: PlannedExercise) -> list[_EntryName]:
    """Return the names of exercise and student for each entry in a plan."""
    return [(planned.exercise or "", entry.student) for entry in planned.plan.entries]


def _with_attempts(planned: PlannedExercise, indices: Mapping[_EntryName, int]) -> PlannedExercise:
    """Return `planned` with each student's attempt at her index, or her last if she has fewer."""

    def with_attempt(entry: PlanEntry, name: _EntryName) -> PlanEntry:
        return replace(entry, attempt=entry.attempts[min(indices[name], len(entry.attempts) - 1)])

    entries = map(with_attempt, planned.plan.entries, _entry_names(planned))
    return replace(planned, plan=replace(planned.plan, entries=tuple(entries)))
