"""The hand-ins of a run that are compared, and the code that was given to all."""

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
from grader.plugins.similarity.beside import OtherReport
from grader.plugins.similarity.comparing import ClassLikeness, Likeness, compared
from grader.plugins.similarity.evidence import SharedEvidence
from grader.plugins.similarity.fingerprints import Fingerprint, Sources, read_all, sources_of
from grader.plugins.similarity.kept import KeptProgram
from grader.reporting.class_analysis import Failure
from grader.reporting.reading import overview_of
from grader.store.graded import unpacked_hand_in
from grader.store.runs import GradedEntry, RunEntry
from grader.store.store import Store
from grader.suite.exercises import REFERENCES, find_suite, suites_folder
from grader.values.foreign_text import one_line

_MAX_GIVEN: Final = 200
"""The limit on handed-out files; a larger folder must be something else."""


@dataclass(frozen=True, kw_only=True)
class ComparedClass:
    """The hand-ins of an exercise, in the order of the run, with their similarities."""

    exercise: str
    title: str
    entries: Sequence[RunEntry]
    submissions: Sequence[str]
    """The hash of each hand-in: equal for equal files."""
    fingerprints: Sequence[Fingerprint]
    given: Sequence[Fingerprint]
    failures: Mapping[int, Sequence[Failure]]
    beside: Sequence[OtherReport] = ()
    """Reports of other programs on it."""

    @cached_property
    def given_hashes(self) -> frozenset[int]:
        """The fragments of all code that was handed out."""
        return frozenset(each for one in self.given for each in one.hashes)

    @cached_property
    def likeness(self) -> ClassLikeness:
        """The similarities of the hand-ins."""
        hashes = [each.hashes for each in self.fingerprints]
        also = (pair for each in self.beside for pair in each.outliers)
        return compared(hashes, self.given_hashes, also=also)

    @cached_property
    def found_by_others(self) -> list[Likeness]:
        """The pairs that are outliers for other programs only, the most similar first."""
        found = (pair for pair in self.likeness.pairs if self.found_only_by(pair))
        return sorted(found, key=lambda pair: -max(each.of(pair) or 0.0 for each in self.beside))

    def found_only_by(self, pair: Likeness) -> list[str]:
        """Return the other programs for which `pair` is an outlier, if it is none here."""
        if id(pair) in self._own:
            return []
        return [each.tool for each in self.beside if each.stands_out(pair)]

    @cached_property
    def _own(self) -> frozenset[int]:
        return frozenset(id(each) for each in self.likeness.outliers)  # `likeness` keeps them alive

    @cached_property
    def evidence(self) -> SharedEvidence:
        """The evidence for pairs."""
        groups = self.likeness.groups
        return SharedEvidence(self.fingerprints, self.given, self.failures, groups)

    def earlier(self, others: Sequence[KeptProgram]) -> list[tuple[Likeness, KeptProgram]]:
        """Return the outliers among pairs of a hand-in and one of `others`."""
        own = [each.hashes for each in self.fingerprints]
        hashes = [*own, *(each.hashes for each in others)]
        found = compared(hashes, self.given_hashes, own=len(own)).outliers
        return [(pair, others[pair.second - len(own)]) for pair in found if pair.second >= len(own)]

    @property
    def troubles(self) -> Iterator[tuple[RunEntry, str]]:
        """The hand-ins that could not be read in full, and why."""
        for entry, each in zip(self.entries, self.fingerprints, strict=True):
            if each.trouble:
                yield entry, each.trouble


def compared_classes(
    store: Store, exercises: Iterable[str], given: Sequence[Path], suites: Path | None
) -> Iterator[ComparedClass]:
    """Yield each of `exercises` of the run in `store`.

    Code at the paths in `given` counts as handed out. Raises `UsageError` for a run without files.
    """
    require_files(store)
    lines = list(store.lines())
    for exercise in exercises:
        own = [line for line in lines if line.entry.exercise == exercise]
        # Equal hand-ins are read once.
        by_hash = {line.submission: hand_in_of(store, line) for line in own}
        sources = {name: sources_of(hand_in) for name, hand_in in by_hash.items()}
        read = dict(zip(sources, read_all(list(sources.values())), strict=True))
        yield ComparedClass(
            exercise=exercise,
            title=store.run.suites[exercise].title if exercise in store.run.suites else exercise,
            entries=[line.entry for line in own],
            submissions=[line.submission for line in own],
            fingerprints=[read[line.submission] for line in own],
            given=read_all([[each] for each in handed_out(exercise, given, suites)]),
            failures=_failures(store, own),
        )


def require_files(store: Store) -> None:
    """Raise `UsageError` if the run in `store` has kept no files."""
    if not store.run.settings.keeps_hand_ins:
        raise UsageError(
            "this run stores no files: students have pseudonyms, and files may reveal their names",
            help="grade the class again without --pseudonyms, into a private folder",
        )


def hand_in_of(store: Store, line: GradedEntry) -> HandIn:
    """Return a hand-in; raises `RecordError` if it is damaged in the store."""
    try:
        return unpacked_hand_in(store.content(line.submission), line.entry.student)
    except ValueError as error:
        raise RecordError(
            f"the files of {one_line(line.entry.called)} cannot be read: {one_line(str(error))}"
        ) from error


def _failures(store: Store, lines: Sequence[GradedEntry]) -> dict[int, Sequence[Failure]]:
    places = {line.entry.name: place for place, line in enumerate(lines)}
    found: dict[int, Sequence[Failure]] = {}
    for entry, graded in store:
        if entry.name in places:
            with suppress(GraderError):  # a damaged record says nothing about the files
                found[places[entry.name]] = overview_of(entry, graded).failures
    return found


def handed_out(exercise: str, given: Sequence[Path], suites: Path | None) -> Sources:
    """Return the files that the whole class has: given code, the reference, and `given` paths.

    Without the course at hand, only the `given` paths are known.
    """
    found: list[tuple[str, str]] = []
    with suppress(GraderError):
        suite = find_suite(exercise, suites, KINDS)
        found += ((f"{name}.py", text) for name, text in suite.given.items())
        folder = suites_folder(suites).parent / REFERENCES / suite.exercise
        paths = (folder / f"{module}.py" for module in suite.modules)
        found += (_read(path) for path in paths if path.is_file())
    for path in given:
        # The system has them in any order.
        inside = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        if not inside or len(inside) > _MAX_GIVEN:
            raise UsageError(
                f"{one_line(str(path))} has {len(inside)} Python files",
                help="name the given code: a few files, or a folder of them",
            )
        found += map(_read, inside)
    return found


def _read(path: Path) -> tuple[str, str]:
    try:
        return path.name, path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(path))}: {error.strerror}") from error
