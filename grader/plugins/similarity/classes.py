"""Collects the hand-ins of a run that are compared, and the code that was given to all students."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from grader.errors import GraderError, RecordError, UsageError
from grader.intake.submissions import HandIn
from grader.judging.rules import KINDS
from grader.plugins.similarity.comparing import ClassLikeness, Likeness, compare_programs
from grader.plugins.similarity.evidence import SharedEvidence
from grader.plugins.similarity.fingerprint_files import KeptProgram
from grader.plugins.similarity.fingerprints import Fingerprint, Sources, read_all, sources_of
from grader.plugins.similarity.other_reports import OtherReport
from grader.reporting.class_analysis import Failure
from grader.reporting.reading import GRADE_AGAIN, read_overview
from grader.store.graded import unpack_hand_in
from grader.store.runs import GradedEntry, RunEntry
from grader.store.store import Store
from grader.suite.exercises import REFERENCES, find_suite, suites_folder
from grader.values.foreign_text import one_line

_MAX_GIVEN: Final = 200
"""The limit on files per path of `--given`. A larger folder probably contains something else."""


@dataclass(frozen=True, kw_only=True)
class ComparedClass:
    """The hand-ins of an exercise, in the order of the run, with their similarities."""

    exercise: str
    title: str
    entries: Sequence[RunEntry]
    file_hashes: Sequence[str]
    """The hash of each hand-in's files."""
    fingerprints: Sequence[Fingerprint]
    given: Sequence[Fingerprint]
    """The fingerprints of code that was handed out to all students."""
    failures: Mapping[int, Sequence[Failure]]
    """The failed cases of each hand-in whose record can be read, keyed by its index."""
    other_reports: Sequence[OtherReport] = ()
    """The reports of other similarity checkers on this class."""

    @cached_property
    def given_hashes(self) -> frozenset[int]:
        """The hashes of the fragments in all code that was handed out."""
        return frozenset(fragment for program in self.given for fragment in program.hashes)

    @cached_property
    def likeness(self) -> ClassLikeness:
        """The similarities of the hand-ins."""
        hashes = [fingerprint.hashes for fingerprint in self.fingerprints]
        extra_pairs = (pair for report in self.other_reports for pair in report.outliers)
        return compare_programs(hashes, self.given_hashes, extra_pairs=extra_pairs)

    @cached_property
    def outliers_elsewhere(self) -> list[Likeness]:
        """The pairs that are outliers only for other checkers.

        The pair with the highest similarity in one of their reports comes first.
        """
        pairs = (pair for pair in self.likeness.pairs if self.disagreeing_checkers(pair))
        return sorted(
            pairs,
            key=lambda pair: (
                -max(report.similarity_of(pair) or 0.0 for report in self.other_reports)
            ),
        )

    def disagreeing_checkers(self, pair: Likeness) -> list[str]:
        """Return the checkers for which `pair` is an outlier, unless it is an outlier here too."""
        if id(pair) in self._outlier_ids:
            return []
        return [report.tool for report in self.other_reports if report.is_outlier(pair)]

    @cached_property
    def _outlier_ids(self) -> frozenset[int]:
        return frozenset(id(pair) for pair in self.likeness.outliers)  # `likeness` keeps them alive

    @cached_property
    def evidence(self) -> SharedEvidence:
        """The evidence for pairs of the class."""
        groups = self.likeness.groups
        return SharedEvidence(self.fingerprints, self.given, self.failures, groups)

    def outliers_with_earlier(
        self, programs: Sequence[KeptProgram]
    ) -> list[tuple[Likeness, KeptProgram]]:
        """Return the outliers that pair a hand-in with one of `programs`, and that program."""
        hashes = [fingerprint.hashes for fingerprint in self.fingerprints]
        count = len(hashes)
        all_hashes = [*hashes, *(program.hashes for program in programs)]
        outliers = compare_programs(all_hashes, self.given_hashes, class_size=count).outliers
        return [(pair, programs[pair.second - count]) for pair in outliers if pair.second >= count]

    @property
    def problems(self) -> Iterator[tuple[RunEntry, str]]:
        """The hand-ins that could not be read completely, each with the reason."""
        for entry, fingerprint in zip(self.entries, self.fingerprints, strict=True):
            if fingerprint.problem:
                yield entry, fingerprint.problem


def compare_classes(
    store: Store, exercises: Iterable[str], given: Sequence[Path], suites: Path | None
) -> Iterator[ComparedClass]:
    """Read and yield the class of each of `exercises` in the run in `store`.

    Code at the paths in `given` counts as handed out, as does code that the suite in the folder
    `suites` gives. Raises `UsageError` if the run does not store hand-ins, or if a path in `given`
    contains no Python files, too many, or unreadable ones. Raises `RecordError` if a hand-in is
    damaged in the store.
    """
    require_files(store)
    graded_entries = list(store.graded_entries())
    for exercise in exercises:
        class_entries = [graded for graded in graded_entries if graded.entry.exercise == exercise]
        # Equal hand-ins are read only once.
        by_hash = {graded.submission: hand_in_of(store, graded) for graded in class_entries}
        sources = {sha256: sources_of(hand_in) for sha256, hand_in in by_hash.items()}
        fingerprints = dict(zip(sources, read_all(list(sources.values())), strict=True))
        yield ComparedClass(
            exercise=exercise,
            title=store.run.suites[exercise].title if exercise in store.run.suites else exercise,
            entries=[graded.entry for graded in class_entries],
            file_hashes=[graded.submission for graded in class_entries],
            fingerprints=[fingerprints[graded.submission] for graded in class_entries],
            given=read_all([[file] for file in handed_out_files(exercise, given, suites)]),
            failures=_failures(store, class_entries),
        )


def require_files(store: Store) -> None:
    """Raise `UsageError` if the run in `store` does not contain the hand-ins."""
    if not store.run.settings.keeps_hand_ins:
        raise UsageError(
            "this run stores no files: students have pseudonyms, and files may reveal their names",
            help="grade the class again without --pseudonyms, into a private folder",
        )


def hand_in_of(store: Store, graded: GradedEntry) -> HandIn:
    """Return the hand-in of `graded`. Raises `RecordError` if it is damaged in the store."""
    try:
        return unpack_hand_in(store.content(graded.submission), graded.entry.student)
    except ValueError as error:
        raise RecordError(
            f"the files of {one_line(graded.entry.display_name)} ({graded.entry.exercise})"
            f" cannot be read: {one_line(str(error))}",
            help=GRADE_AGAIN,
        ) from error


def _failures(store: Store, class_entries: Sequence[GradedEntry]) -> dict[int, Sequence[Failure]]:
    """Return the failed cases of the hand-ins whose record can be read, keyed by hand-in index."""
    indexes = {graded.entry.identity: index for index, graded in enumerate(class_entries)}
    failures: dict[int, Sequence[Failure]] = {}
    for entry, graded in store:
        if entry.identity in indexes:
            with suppress(GraderError):  # files can be compared even if the record is damaged
                failures[indexes[entry.identity]] = read_overview(entry, graded).failures
    return failures


def handed_out_files(exercise: str, given: Sequence[Path], suites: Path | None) -> Sources:
    """Return the code that all students might have.

    This is the code of the modules that the suite gives, of the reference, and at the paths in
    `given`. If the suite cannot be found, only those paths are used.

    Raises `UsageError` if a path contains no Python files or too many, or if a file cannot be read.
    """
    code: list[tuple[str, str]] = []
    with suppress(GraderError):
        suite = find_suite(exercise, suites, KINDS)
        code += ((f"{name}.py", text) for name, text in suite.given.items())
        folder = suites_folder(suites).parent / REFERENCES / suite.exercise
        paths = (folder / f"{module}.py" for module in suite.modules)
        code += (_read_file(path) for path in paths if path.is_file())
    for path in given:
        # Sorted, as the file system lists files in no particular order.
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        if not files or len(files) > _MAX_GIVEN:
            number = f"{len(files)} Python files, over {_MAX_GIVEN}" if files else "no Python files"
            raise UsageError(
                f"{one_line(str(path))} contains {number}",
                help="name a file of given code with --given, or a folder of 1 to"
                f" {_MAX_GIVEN} such files",
            )
        code += map(_read_file, files)
    return code


def _read_file(path: Path) -> tuple[str, str]:
    try:
        return path.name, path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}: {error.strerror}",
            help="check the path after --given, and the permissions of the file",
        ) from error
