"""What of a record is asked for on the command line, and whether all of it is right."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from grader.cli.remembering import failed_last, remember_failed
from grader.errors import GraderError, UsageError
from grader.judging.record import Record
from grader.reporting.screen import print_screen
from grader.reporting.terminal import print_record
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale
from grader.values.display import one_line
from grader.verdict import RuleVerdict, Status, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What of a record is asked for."""

    everything: bool = False
    verbose: bool = False
    wanted: str | None = None
    """Only cases that have this in their id or code."""
    exitfirst: bool = False
    last_failed: bool = False
    """Only cases that failed when the same was checked before, if there are any."""


def print_asked(record: Record, asked: Asked, console: Console) -> None:
    """Print of `record` what is `asked` for."""
    if asked.everything:
        print_record(record, console)
    else:
        print_screen(record, console, only_first=asked.exitfirst, every_case=asked.verbose)


def chosen_of(record: Record, path: Path, asked: Asked) -> Record:
    """Return `record` with only the cases that are `asked` for; keep which of all failed."""
    if record.status is not Status.GRADED:
        return record
    cases = [case for group in visible_groups(record) for case in group.cases]
    failed = failed_last(path, record.exercise) if asked.last_failed else None
    remember_failed(
        path, record.exercise, [each.id for each in cases if each.verdict is not Verdict.PASSED]
    )
    if asked.wanted is not None:
        text = asked.wanted.casefold()
        chosen = frozenset(
            each.id for each in cases if text in f"{each.id}\n{each.code}".casefold()
        )
        if not chosen:
            raise misuse(record.language, "no_case", wanted=repr(one_line(asked.wanted)))
        record = _only(record, chosen)
    if failed and (chosen := failed & {case.id for case in record.cases}):
        record = _only(record, chosen)
    return record


def _only(record: Record, chosen: Collection[str]) -> Record:
    """Return `record` with only the cases that are `chosen`, and no rules."""
    groups = []
    for group in record.groups:
        cases = tuple(case for case in group.cases if case.id in chosen)
        points, most = sum(case.points for case in cases), sum(case.max_points for case in cases)
        if cases:
            groups.append(replace(group, cases=cases, points=points, max_points=most, hidden=None))
    return replace(
        record,
        groups=tuple(groups),
        score=sum(group.points for group in groups),
        max_score=sum(group.max_points for group in groups),
        rules=(),
        advice=(),
    )


def is_right(record: Record) -> bool:
    """Return whether every case passed and no rule that costs points is broken."""
    broken = (rule.costs and rule.verdict is RuleVerdict.BROKEN for rule in record.rules)
    return all(case.verdict is Verdict.PASSED for case in record.cases) and not any(broken)


def misuse(
    language: str, key: str, kind: type[GraderError] = UsageError, **parameters: str | int
) -> GraderError:
    """Return a mistake in the command of a student, in the language of her exercise."""
    locale = Locale.of(language)
    return kind(
        locale(f"usage_{key}", **parameters),
        help=locale(f"usage_{key}_help", **parameters),
        labels=labels(locale),
    )


def labels(locale: Locale) -> tuple[str, str]:
    """Return what stands before an error that is told in the language of `locale`."""
    return locale("usage_label"), locale("usage_label_help")
