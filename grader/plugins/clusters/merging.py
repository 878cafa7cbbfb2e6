"""Merges the stores of shards into one run.

Records are copied byte for byte, so the reports are the same as those of an undivided run. An
unfinished shard contributes the records that it has; merging again later adds the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from grader.errors import RecordError, UsageError
from grader.store.keys import RecordKey
from grader.store.runs import GradedEntry, Run, RunEntry, Shard
from grader.store.store import Store
from grader.values.foreign_text import one_line
from grader.verdict import Status

_MAX_LISTED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """The entries to merge from the stores of shards."""

    run: Run
    """The whole run, without the shard setting."""
    count: int
    """The number of shards."""
    entries_by_folder: Mapping[Path, Mapping[int, GradedEntry]]
    """The entries to copy from the store in each folder, keyed by position in the run."""

    @property
    def missing(self) -> Iterator[tuple[Shard, Sequence[RunEntry]]]:
        """Each incomplete shard, with its missing entries."""
        found_positions = {
            position for entries in self.entries_by_folder.values() for position in entries
        }
        for number in range(1, self.count + 1):
            shard = Shard(number, self.count)
            positions = shard.positions(len(self.run.entries))
            if missing_entries := [
                self.run.entries[position]
                for position in positions
                if position not in found_positions
            ]:
                yield shard, missing_entries

    @property
    def mixed_exercises(self) -> list[str]:
        """The exercises graded with different versions of the grader, Python or a package."""
        environments_by_exercise: dict[str, set[str]] = {}
        for entries in self.entries_by_folder.values():
            for graded in entries.values():
                environments_by_exercise.setdefault(graded.entry.exercise, set()).add(
                    graded.environment
                )
        return [
            exercise
            for exercise, environments in environments_by_exercise.items()
            if len(environments) > 1
        ]


def plan_merge(folders: Sequence[Path]) -> Merge:
    """Return the entries to merge from the stores in `folders`.

    Raises `UsageError` if they do not belong to one run, and `RecordError` if two of them have
    different records of the same submission.
    """
    runs: dict[Path, Run] = {}
    # The chosen entries by position in the run, each with its folder and the digest of its record.
    chosen: dict[int, tuple[Path, GradedEntry, str]] = {}
    conflicts: list[str] = []
    for folder in dict.fromkeys(folders):  # a folder that is given twice is read once
        with Store.reading(folder) as store:
            runs[folder] = store.run
            _require_one_run(runs)
            positions = {entry: position for position, entry in enumerate(store.run.entries)}
            for graded in store.graded_entries():
                digest = sha256(store.data(graded.record_id)).hexdigest()
                position = positions[graded.entry]
                if (
                    conflicting := _conflicting_folder(chosen.get(position), graded, digest)
                ) is not None:
                    conflicts.append(
                        f"{one_line(graded.entry.student)}: {conflicting} and {folder}"
                    )
                # A fault does not judge the submission, so any other record replaces it.
                elif position not in chosen or chosen[position][1].status == Status.FAULT:
                    chosen[position] = (folder, graded, digest)
    if conflicts:
        raise _conflict_error(conflicts)
    entries_by_folder: dict[Path, dict[int, GradedEntry]] = {folder: {} for folder in runs}
    for position, (folder, graded, _) in chosen.items():
        entries_by_folder[folder][position] = graded
    run = next(iter(runs.values()))
    assert run.settings.shard is not None, "`_require_one_run` requires shards"
    undivided = replace(run, settings=replace(run.settings, shard=None))
    return Merge(run=undivided, count=run.settings.shard.count, entries_by_folder=entries_by_folder)


def _conflicting_folder(
    chosen: tuple[Path, GradedEntry, str] | None, graded: GradedEntry, digest: str
) -> Path | None:
    """Return the folder of the `chosen` entry if its record differs from that of `graded`.

    `digest` is that of the record of `graded`. Return None if nothing is chosen yet, or if the
    records do not conflict; faults never do.
    """
    if chosen is None or Status.FAULT in {chosen[1].status, graded.status}:
        return None
    return None if chosen[2] == digest else chosen[0]


def _conflict_error(conflicts: Sequence[str]) -> RecordError:
    """Return the error that lists the first `conflicts`, each a student and two folders."""
    omitted = len(conflicts) - _MAX_LISTED
    listed = [*conflicts[:_MAX_LISTED], *[f"... and {omitted} more"] * (omitted > 0)]
    lines = "\n".join(f"  {one_line(conflict, 500)}" for conflict in listed)
    return RecordError(
        f"two shards graded the same submission with different results:\n{lines}",
        help="omit one of the shards, or grade one of them again with --fresh",
    )


def _require_one_run(runs: Mapping[Path, Run]) -> None:
    """Raise `UsageError` unless the last of `runs` is a shard of the same run as the first.

    The runs are keyed by folder, and those before the last have been checked already.
    """
    (first, first_run), (last, last_run) = next(iter(runs.items())), list(runs.items())[-1]
    if last_run.settings.shard is None:
        raise UsageError(
            f"{one_line(str(last))} is not a shard: it was graded without --shard",
            help="give the folders that `grader grade --shard` created",
        )
    if (difference := _describe_difference(first_run, last_run)) is not None:
        raise UsageError(
            f"{one_line(str(first))} and {one_line(str(last))} belong to different runs:"
            f" {difference}",
            help="grade all shards with the same submissions, suites and options",
        )


def _describe_difference(first_run: Run, last_run: Run) -> str | None:
    """Return a description of how two runs differ, apart from which shards they are.

    Return None if they do not differ. Both runs must be shards.
    """
    for run, other_run, label in ((first_run, last_run, "first"), (last_run, first_run, "second")):
        other_entries = {*other_run.entries}
        unmatched = next((entry for entry in run.entries if entry not in other_entries), None)
        if unmatched is not None:
            return f"{one_line(unmatched.student)} ({unmatched.exercise}) is in the {label} only"
    if first_run.entries != last_run.entries:
        return "the order of the submissions differs"
    shards = first_run.settings.shard, last_run.settings.shard
    assert shards[0] is not None, "`_require_one_run` requires shards"
    assert shards[1] is not None, "`_require_one_run` requires shards"
    if shards[0].count != shards[1].count:
        return f"shard {shards[0]} and shard {shards[1]}"
    for exercise, suite in first_run.suites.items():
        if suite != last_run.suites.get(exercise):
            return f"the suite of {exercise} differs"
    options, other_options = first_run.to_json(), last_run.to_json()
    for name, value in options.items():
        if name not in {"shard", "sources"} and value != other_options[name]:
            values = f"{value} and {other_options[name]}"
            return f"{name.replace('_', ' ')}, {one_line(values)}"
    return None


def copy_entries(merge: Merge, store: Store) -> None:
    """Begin the run of `merge` in `store`, and copy all entries and their decisions to it.

    If `store` already has the record of an entry, the entry is only linked to that record.
    """
    store.begin(merge.run, {})  # `copy_records` copies the patterns too
    for folder, entries in merge.entries_by_folder.items():
        with Store.reading(folder) as shard:
            store.decide(shard.decisions)
            existing = {
                position: _existing_id(graded, shard, store) for position, graded in entries.items()
            }
            store.link_records(
                {
                    position: record_id
                    for position, record_id in existing.items()
                    if record_id is not None
                }
            )
            store.copy_records(
                {
                    position: graded.record_id
                    for position, graded in entries.items()
                    if existing[position] is None
                },
                shard,
            )


def _record_key(graded: GradedEntry, shard: Store) -> RecordKey:
    """Return the key under which to store the record that `shard` holds for `graded`."""
    return RecordKey(
        sha256=graded.key,
        submission=graded.submission,
        suite=graded.suite,
        environment=graded.environment,
        facts=shard.facts(graded.environment),
    )


def _existing_id(graded: GradedEntry, shard: Store, store: Store) -> int | None:
    """Return the id in `store` of the record that `shard` has of `graded`.

    Return None if `store` does not have the same record, byte for byte.
    """
    existing = store.find_record(graded.entry, _record_key(graded, shard))
    if existing is None or store.data(existing.record_id) != shard.data(graded.record_id):
        return None
    return existing.record_id
