"""Formats plans for `grader plan`, as text for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.cells import cell_len, set_cell_size

from grader.intake.kinds import suffix_of
from grader.intake.layouts.recognition import LeftOut
from grader.intake.people import Attempt, Person
from grader.intake.plan import Plan, PlanEntry, PlanSource
from grader.messages import Message
from grader.reporting.wording import DEFAULT_LANGUAGE, format_message
from grader.values.foreign_text import count_noun, one_line

PLAN_SCHEMA: Final = "grader/plan/1"
WIDTH: Final = 80
_MAX_LISTED: Final = 40
"""If a class has more students, only those with notes are listed."""
_NAME_WIDTH: Final = 26
_TIME_WIDTH: Final = 16
_ATTEMPT_WIDTH: Final = 8
_MAX_NAMED: Final = 5
_MAX_CHARS: Final = 300
_PYTHON: Final = frozenset({".py", ".pyw"})


def reason_text(reason: str | Message) -> str:
    """Return the `reason` why something was left out or refused, as English text."""
    return reason if isinstance(reason, str) else format_message(reason, DEFAULT_LANGUAGE)


# Text for people


def plan_lines(plan: Plan, exercise: str | None, *, everybody: bool = False) -> Iterator[str]:
    """Yield the lines of `plan`, wrapped at 80 columns where possible.

    The lines start with the name of the `exercise`, unless it is None. If `everybody`, every
    student is listed, even in a large class.
    """
    if exercise is not None:
        yield f"{exercise}:"
    yield from _wrap(_source_lines(plan))
    yield ""
    yield from _table(plan, everybody=everybody)
    yield from _wrap(_missing_line(plan))
    for source in plan.sources:
        yield from _wrap(_left_out_lines(source.left_out, 3))
        if source.is_half_lost:
            yield from _wrap([_warning_about_lost(source)])
    yield from _wrap(_guess_lines(plan.guesses, len(plan.guesses)))


def lines_before_grading(plan: Plan) -> Iterator[str]:
    """Yield the lines printed before grading; a plain folder without surprises has none."""
    if any(layout != "plain" for source in plan.sources for layout in source.layouts):
        yield from _source_lines(plan)
        if empty := sum(not entry.attempt.leaves for entry in plan.entries):
            yield f"without any file: {count_noun(empty, 'student')}"
    if several := sum(len(entry.attempts) > 1 for entry in plan.entries):
        yield f"with several attempts, of which one is graded: {count_noun(several, 'student')}"
    yield from _missing_line(plan)
    for source in plan.sources:
        yield from _left_out_lines(source.left_out, 1)
    refused = [
        f"{entry.student}: {reason_text(reason)}"
        for entry in plan.entries
        for reason in entry.attempt.refusals
    ]
    if refused:
        yield f"refused from hand-ins ({len(refused)}): {_join_limited(refused, _MAX_NAMED)}"
    yield from _guess_lines(plan.guesses, 3)


def _source_lines(plan: Plan) -> Iterator[str]:
    """Yield the evidence for the layout of each source, and then the number of students."""
    for source in plan.sources:
        for evidence in source.evidence:
            yield f"{one_line(source.name, 60)}: {one_line(evidence)}"
    yield f"{count_noun(len(plan.entries), 'student')} found"


def _table(plan: Plan, *, everybody: bool) -> Iterator[str]:
    """Yield the lines of the table of students.

    In a large class only students with notes are listed, unless `everybody` is True.
    """
    entries = plan.entries
    listed = entries
    if len(entries) > _MAX_LISTED and not everybody:
        listed = tuple(entry for entry in entries if _notes(entry))
    if listed:
        yield _row("student", "attempt", "handed in", "files")
    for entry in listed:
        files = _files(entry.attempt)
        notes = _notes(entry, len(entry.attempt.refusals) if everybody else 2)
        yield _row(entry.student, _attempt_text(entry), _time_text(entry.attempt.submitted), files)
        notes = notes if entry.attempt.leaves else notes[1:]  # the row shows the first note already
        yield from (f"  {line}" for line in _wrap(["; ".join(notes)] if notes else []))
    if len(listed) < len(entries):
        unlisted = count_noun(len(entries) - len(listed), "student")
        yield f"{'and ' * bool(listed)}{unlisted} with one attempt and Python; --all lists them"


def _row(name: str, attempt: str, time: str, files: str) -> str:
    cells = ((name, _NAME_WIDTH), (attempt, _ATTEMPT_WIDTH), (time, _TIME_WIDTH))
    start = "  ".join(_pad(one_line(text), width) for text, width in cells)
    return f"{start}  {files}".rstrip()


def _pad(text: str, width: int) -> str:
    # Measured in columns, not characters, because some names have wide characters.
    if cell_len(text) > width:
        text = f"{set_cell_size(text, width - 1).rstrip()}…"
    return set_cell_size(text, width)


def _attempt_text(entry: PlanEntry) -> str:
    count = len(entry.attempts)
    number = entry.attempts.index(entry.attempt) + 1
    return "" if count == 1 else f"{number} of {count}"


def _time_text(time: datetime | None) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M}"


def _files(attempt: Attempt) -> str:
    """Return the names of the files in `attempt`, cut to fit in the rest of the row."""
    # Six columns are the gaps that separate the four cells.
    width = WIDTH - _NAME_WIDTH - _ATTEMPT_WIDTH - _TIME_WIDTH - 6
    paths = [one_line(path, 60) for path in attempt.leaves] or ["nothing"]
    text = ", ".join(paths)
    if cell_len(text) <= width:
        return text
    if len(paths) > 1:
        more = f" +{len(paths) - 1}"
        return f"{_pad(paths[0], width - len(more)).rstrip()}{more}"
    return _pad(text, width).rstrip()


def _notes(entry: PlanEntry, max_refusals: int = 2) -> list[str]:
    """Return notes about whatever staff should look at in `entry`, or nothing if all is normal."""
    attempt, notes = entry.attempt, []
    if not attempt.leaves:
        notes.append("nothing handed in")
    elif not any(suffix_of(path) in _PYTHON for path in attempt.leaves):
        notes.append("no .py file: the other files are searched for code")
    if len(entry.attempts) > 1:
        notes.append("other attempts are not graded")
    if attempt.is_late:
        notes.append("late according to the platform")
    if entry.deadline is not None:
        notes.append(f"deadline: {one_line(entry.deadline)}")
    notes += [
        one_line(reason_text(reason), _MAX_CHARS) for reason in attempt.refusals[:max_refusals]
    ]
    if len(attempt.refusals) > max_refusals:
        notes.append(f"and {len(attempt.refusals) - max_refusals} more, which --all lists")
    return notes


def _missing_line(plan: Plan) -> Iterator[str]:
    """Yield a line with the people who handed in nothing, if there are any."""
    if plan.missing:
        names = _join_limited((person.display_name for person in plan.missing), 20)
        text = "on the roster, but without a hand-in" if plan.has_roster else "handed in nothing"
        yield f"{text} ({len(plan.missing)}): {names}"


def _left_out_lines(left_out: Iterable[LeftOut], max_lines: int) -> Iterator[str]:
    """Yield the paths that were left out, grouped by reason.

    For each reason, about as many paths are listed as fit in `max_lines`.
    """
    by_reason: dict[str, list[str]] = {}
    for item in left_out:
        reason = item.reason
        key, text = (
            (reason, item.path) if isinstance(reason, str) else (reason.key, reason_text(reason))
        )
        by_reason.setdefault(key, []).append(text)
    for key, paths in by_reason.items():
        # A key with a dot belongs to a message, whose sentence already states path and reason.
        why = "" if "." in key else f", as {key}"
        yield f"left out{why} ({len(paths)}): {_join_limited(paths, max_lines * _MAX_NAMED)}"


def _warning_about_lost(source: PlanSource) -> str:
    """Return a warning that many of the paths left out of `source` might be hand-ins."""
    return (
        f"look at this: only {count_noun(source.person_count, 'hand-in')} found in"
        f" {one_line(source.name, 60)}, and {len(source.lost_paths)} of the paths left out might be"
        " hand-ins; add --layout or --pattern, or grade without these paths with --partial"
    )


def _guess_lines(guesses: Sequence[str], max_guesses: int) -> Iterator[str]:
    """Yield the first of `guesses`, which staff should check, and how many more there are."""
    for guess in guesses[:max_guesses]:
        yield f"look at this: {one_line(guess, 300)}"
    if len(guesses) > max_guesses:
        yield f"and {len(guesses) - max_guesses} more to look at: see `grader plan`"


def _join_limited(texts: Iterable[str], max_texts: int) -> str:
    all_texts = [one_line(text, _MAX_CHARS) for text in texts]
    more = len(all_texts) - max_texts
    return ", ".join(all_texts[:max_texts]) + (f" and {more} more" if more > 0 else "")


def _wrap(lines: Iterable[str]) -> Iterator[str]:
    """Yield `lines` wrapped at spaces, with continuation lines indented."""
    for line in lines:
        indent, current = "", ""
        for word in line.split(" "):
            if current and cell_len(indent + current) + 1 + cell_len(word) > WIDTH:
                yield indent + current
                indent, current = "  ", word
            else:
                current = f"{current} {word}" if current else word
        yield indent + current


# JSON for programs


def plan_fields(plan: Plan, exercise: str | None) -> dict[str, Any]:
    """Return `plan` as JSON data."""
    return {
        "exercise": exercise,
        "sources": [_source_fields(source) for source in plan.sources],
        "students": [_entry_fields(entry) for entry in plan.entries],
        "missing": None if plan.missing is None else [*map(_person_fields, plan.missing)],
        "guesses": list(plan.guesses),
    }


def _source_fields(source: PlanSource) -> Mapping[str, Any]:
    """Return a source of a plan, and what was left out of it, as JSON data."""
    return {
        "name": source.name,
        "layouts": list(source.layouts),
        "evidence": list(source.evidence),
        "people": source.person_count,
        "left_out": [
            {"path": item.path, "reason": reason_text(item.reason)} for item in source.left_out
        ],
    }


def _entry_fields(entry: PlanEntry) -> Mapping[str, Any]:
    """Return a student of a plan as JSON data, with all attempts and the one to grade."""
    return {
        "student": entry.student,
        **_person_fields(entry.person),
        "graded": entry.attempts.index(entry.attempt),
        "attempts": [_attempt_fields(attempt) for attempt in entry.attempts],
    }


def _person_fields(person: Person) -> dict[str, Any]:
    """Return a person as JSON data; a group is a person with members."""
    return {
        "name": person.name,
        "user": person.user,
        "id": person.id,
        "email": person.email,
        "members": [_person_fields(member) for member in person.members],
    }


def _attempt_fields(attempt: Attempt) -> Mapping[str, Any]:
    """Return an attempt, with its files and refusals, as JSON data."""
    return {
        "number": attempt.number,
        "submitted": None if attempt.submitted is None else attempt.submitted.isoformat(),
        "is_late": attempt.is_late,
        "files": [
            {"path": path, "size_bytes": leaf.size_bytes} for path, leaf in attempt.leaves.items()
        ],
        "refused": [reason_text(reason) for reason in attempt.refusals],
    }
