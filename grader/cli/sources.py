"""Finds the sources to grade, and makes a plan for each exercise."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from grader.cli.sound_sources import (
    require_complete,
    require_course,
    require_majority,
    require_python,
    require_students,
)
from grader.cli.suites import find_suite_with_wording
from grader.cli.terminal import join_names, join_people, warn
from grader.errors import NothingToGrade, UsageError
from grader.intake.files import is_ignored
from grader.intake.kinds import (
    PYTHON,
    is_archive,
    suffix_of,
    without_suffix,
)
from grader.intake.layouts.recognition import KnownExercise, compile_pattern
from grader.intake.opening import open_source
from grader.intake.people import Attempt
from grader.intake.plan import Choice, Plan, PlanEntry, PlanOptions, make_plan
from grader.intake.roster import read_roster
from grader.intake.sources import Source
from grader.reporting.plan_text import reason_text
from grader.run.tasks import Task
from grader.store.runs import AttemptFacts, LeftOutPath
from grader.store.store import STORE_NAME
from grader.suite.exercises import FOLDER_NAME as SUITES
from grader.suite.exercises import REFERENCES, suite_paths, suites_folder
from grader.suite.files import stray_hidden_suites
from grader.suite.model import Suite
from grader.values.foreign_text import escape_controls, one_line

_COURSE_FOLDERS: Final = frozenset({SUITES, REFERENCES, "submissions", "docs"})
"""Names of a course's folders. Beside a folder of suites, they are not names of students."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """The command-line options about sources and suites."""

    exercise: str | None = None
    suites: Path | None = None
    public: bool = False
    layout: str | None = None
    pattern: str | None = None
    roster: Path | None = None
    attempt: str = Choice.LATEST
    partial: bool = False
    """Whether to grade even if a part of the class might be missing."""


@dataclass(frozen=True, slots=True)
class PlannedExercise:
    """A plan, and its suite if it is known."""

    plan: Plan
    suite: Suite | None

    @property
    def exercise(self) -> str | None:
        """The name of the exercise, or None if it is unknown."""
        return _exercise_name(self.suite)


def _exercise_name(suite: Suite | None) -> str | None:
    return None if suite is None else suite.exercise


def find_plans(
    paths: Sequence[Path], options: SourceOptions, *, reports: Path | None, needs_suite: bool
) -> list[PlannedExercise]:
    """Return a plan for each exercise in the sources at `paths`.

    The folder `reports` does not count as a hand-in. Raises `NothingToGrade` if nobody is
    recognised in a source, and `UsageError` if `needs_suite` but the exercise is unknown.
    """
    finder = _SuiteFinder(options.suites, public=options.public)
    by_suite: dict[str | None, tuple[Suite | None, list[Path]]] = {}
    for path in paths:
        for suite, source_path in _find_sources(
            path, options.exercise, finder, needs_suite=needs_suite
        ):
            by_suite.setdefault(_exercise_name(suite), (suite, []))[1].append(source_path)
    plans = [
        plan_for(suite, source_paths, options, reports=reports)
        for suite, source_paths in by_suite.values()
    ]
    # Warn only now, because errors about sources come first.
    finder.warn_of_unused_hidden(options.exercise)
    return plans


def plan_for(
    suite: Suite | None, paths: Iterable[Path], options: SourceOptions, *, reports: Path | None
) -> PlannedExercise:
    """Return the plan for grading all sources at `paths` with `suite`.

    Raises `NothingToGrade` if a source is unusable, and `UsageError` for an unsuitable roster.
    """
    plan_options = _plan_options(options)
    outermost = _outermost_paths(paths)
    sources = [_without_grader_files(path, open_source(path), reports) for path in outermost]
    with_hand_ins = [source for source in sources if source is not None]
    for source in with_hand_ins:
        require_complete(source)
    if not with_hand_ins:
        raise NothingToGrade(
            "there is nothing to grade: only folders of the grader are in"
            f" {join_names(map(str, outermost))}",
            help="give the path of the folder or download with the hand-ins",
        )
    plan = make_plan(with_hand_ins, replace(plan_options, known_exercise=_known_exercise(suite)))
    require_students(plan)
    if not options.partial:
        require_majority(plan)
    require_course(plan, plan_options.roster)
    return PlannedExercise(plan, suite)


def tasks_of(planned: PlannedExercise) -> list[Task]:
    """Return a task for each hand-in in a plan.

    Raises `NothingToGrade` if no hand-in has a file that might be for the exercise.
    """
    suite = planned.suite
    assert suite is not None, "grading needs a suite, so its plans have one"
    require_python(planned.plan, suite)
    return [
        Task(
            suite,
            entry,
            person=entry.person if _is_identified(entry) else None,
            attempt=_attempt_facts(entry.attempt),
        )
        for entry in planned.plan.entries
    ]


def left_out_paths(plans: Iterable[PlannedExercise]) -> tuple[LeftOutPath, ...]:
    """Return the distinct paths that `plans` leave out, in the form that a run stores."""
    return tuple(
        dict.fromkeys(
            LeftOutPath(
                escape_controls(omitted.path or source.name),
                escape_controls(reason_text(omitted.reason)),
            )
            for planned in plans
            for source in planned.plan.sources
            for omitted in source.left_out
        )
    )


def _is_identified(entry: PlanEntry) -> bool:
    """Return whether more is known about the student of `entry` than the name of her file."""
    person = entry.person
    return person != replace(person, user=None, id=None, email=None, name=person.handle)


def _attempt_facts(attempt: Attempt) -> AttemptFacts | None:
    """Return what the platform recorded about `attempt`, or None if it recorded nothing."""
    facts = AttemptFacts(
        number=attempt.number, submitted=attempt.submitted, is_late=attempt.is_late
    )
    return None if facts == AttemptFacts() else facts


def _plan_options(options: SourceOptions) -> PlanOptions:
    """Return the options for the plan, after reading the roster and checking the pattern.

    Raises `UsageError` if one of them is invalid, or if a pattern is combined with a layout.
    """
    if options.pattern is not None:
        compile_pattern(options.pattern)
        if options.layout is not None:
            raise UsageError(
                "--layout and --pattern contradict each other", help="leave out one of them"
            )
    return PlanOptions(
        layout=options.layout,
        pattern=options.pattern,
        roster=None if options.roster is None else read_roster(options.roster),
        choice=Choice(options.attempt),
    )


def _known_exercise(suite: Suite | None) -> KnownExercise:
    if suite is None:
        return KnownExercise()
    return KnownExercise(exercise=suite.exercise, modules=tuple(suite.modules))


def _outermost_paths(paths: Iterable[Path]) -> list[Path]:
    """Return the distinct `paths` as absolute paths, without those inside another one.

    So no hand-in is graded twice.
    """
    absolute = dict.fromkeys(path.absolute() for path in paths)  # an ordered set
    return [path for path in absolute if not any(folder in path.parents for folder in absolute)]


# Suites


@dataclass(frozen=True, slots=True)
class _SuiteFinder:
    """Finds suites, with hidden parts unless only the public ones are requested."""

    folder: Path | None
    public: bool

    def suite(self, exercise: str) -> Suite:
        return find_suite_with_wording(exercise, self.folder, whole=not self.public)

    def known(self) -> Mapping[str, Path]:
        return suite_paths(suites_folder(self.folder))

    def warn_of_unused_hidden(self, exercise: str | None) -> None:
        """Warn about hidden suites that are unused because no suite has their name."""
        if self.public:
            return
        is_path = exercise is not None and exercise.endswith((".yaml", ".yml"))
        folder = Path(exercise or "").parent if is_path else suites_folder(self.folder)
        if unused := stray_hidden_suites(folder):
            folder_text = one_line(str(folder))
            warn(
                f"hidden suites not used, because {folder_text} has no suite that they belong to:"
                f" {join_people(unused, 10)}; rename them, as NAME.hidden.yaml belongs to NAME.yaml"
            )


def _find_sources(
    path: Path, exercise: str | None, finder: _SuiteFinder, *, needs_suite: bool
) -> Sequence[tuple[Suite | None, Path]]:
    """Return the sources at `path`, each with its suite, or with None if that is unknown.

    Raises `UsageError` if `needs_suite` but the exercise is unknown.
    """
    if exercise is not None:
        return [(finder.suite(exercise), path)]
    known_suites = finder.known()
    folder_name = path.resolve().name
    name = next(
        (name for name in (folder_name, without_suffix(folder_name)) if name in known_suites), None
    )
    if name is not None:
        return [(finder.suite(name), path)]
    exercises_below = [name for name in known_suites if os.path.isdir(path / name)]
    if not exercises_below and needs_suite:
        # Called only for its error about a missing or empty folder, which takes precedence.
        require_students(make_plan([open_source(path)], PlanOptions()))
        raise UsageError(
            f"the exercise of {one_line(str(path))} is unknown",
            help=f"add --exercise NAME with one of: {join_names(known_suites)}"
            if known_suites
            else "choose a folder that contains suites with --suites",
        )
    if not exercises_below:
        return [(None, path)]
    _warn_of_unknown(path, known_suites)
    return [(finder.suite(name), path / name) for name in exercises_below]


def _warn_of_unknown(path: Path, known_names: Iterable[str]) -> None:
    """Warn about folders and archives in `path` that might be exercises, but have no suite.

    Runs and the folders of a course are not mentioned.
    """
    siblings = list[str]()
    with suppress(OSError):  # the plan reports a folder that cannot be read
        siblings = sorted(set(os.listdir(path)).difference(known_names, _COURSE_FOLDERS))
    unknown = [
        name
        for name in siblings
        if is_archive(name) or (os.path.isdir(path / name) and not is_ignored(name))
        if not _is_run(path / name)
    ]
    if unknown:
        warn(f"left out, because no exercise has that name: {join_people(unknown)}")


# Files of the grader itself


def _without_grader_files(source_path: Path, source: Source, reports: Path | None) -> Source | None:
    """Return `source` without the grader's own files, or None if nothing else is left.

    Warns about what is left out. Raises `NothingToGrade` if the source is itself a run.
    """
    if not os.path.isdir(source_path):
        return source
    if _is_run(source_path) and not _has_python(source):
        raise NothingToGrade(
            f"{one_line(str(source_path))} is a run, not a folder of hand-ins",
            help="give the path of the hand-ins; to grade a run again, use `grader regrade`",
        )
    top_names = {path.partition("/")[0] for path in source.paths()}
    grader_folders = {
        top: description
        for top in sorted(top_names)
        if (description := _grader_folder_kind(source_path / top, top_names, reports))
    }
    for top, description in grader_folders.items():
        warn(f"{one_line(str(source_path / top))} is left out: it is {description}, not a hand-in")
    if grader_folders and grader_folders.keys() == top_names:
        return None
    paths = (*source.paths(), *source.hidden_paths)
    return source.without({path for path in paths if path.partition("/")[0] in grader_folders})


def _is_run(path: Path) -> bool:
    return os.path.isfile(path / STORE_NAME)  # unlike `Path.is_file`, it never raises


def _has_python(source: Source) -> bool:
    return any(suffix_of(leaf.path) == PYTHON for leaf in source.leaves)


def _grader_folder_kind(path: Path, siblings: Iterable[str], reports: Path | None) -> str | None:
    """Return words for a warning that say what folder of the grader `path` is, or None."""
    if reports is not None and _is_report_folder(path, reports.absolute()):
        return "the folder for the reports"
    if _is_run(path):
        return "a run"
    if path.name in _COURSE_FOLDERS and SUITES in siblings and os.path.isdir(path):
        return "part of the course"
    return None


def _is_report_folder(path: Path, reports: Path) -> bool:
    """Return whether `path` is the report folder, or an earlier or regraded run beside it."""
    if path == reports:
        return True
    ending = path.name.removeprefix(reports.name)
    has_run_name = path == reports.with_name(f"{reports.name}{ending}") and (
        ending == "-regraded" or re.fullmatch("[.][0-9]+", ending, re.ASCII) is not None
    )
    return has_run_name and _is_run(path)
