"""Detects which required names a submission lacks, and explains why to the student."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from grader.intake.submission import Submission
from grader.judging.load_errors import place_in
from grader.judging.source_hints import class_with_method
from grader.messages import Message, message
from grader.sandbox.observation import Stop
from grader.sandbox.planning import session_calls
from grader.sandbox.session_runs import SessionRun
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.values.foreign_text import one_line

_MIN_SIMILARITY: Final = 0.75
"""The minimum similarity at which a defined name is suggested for a missing one."""


def missing_names_in(
    suite: Suite, submission: Submission, session: Session, run: SessionRun
) -> Mapping[str, Message]:
    """Return the required names that the modules of `session` did not define in `run`.

    Each name is mapped to an explanation for cases that need it. No names are returned if the
    modules were not loaded or `session` runs programs. A helper that cannot take as many arguments
    as the suite passes is an unrelated function of the same name, and counts as missing.
    """
    required = (*suite.defines, *suite.helpers)
    missing: dict[str, Message] = {}
    if (
        not run.is_loaded or session.runs_programs
    ):  # programs are not imported: their names are unknown
        return missing
    for module in session.modules:
        prefix = suite.prefix(module)
        defined = _unprefixed_names(prefix, run.imported.defined)
        for short, similar in missing_names(_unprefixed_names(prefix, required), defined).items():
            name = f"{prefix}{short}"
            missing[name] = message("skipped.name", name=name, near="")
            if similar:
                missing[name] = message("skipped.name_near", name=name, near=f"{prefix}{similar}")
            elif class_name := class_with_method(_source_text(submission, module), short):
                missing[name] = message("skipped.name_in_class", name=name, named=class_name)
            elif stop_parameters := _stop_parameters(submission, module, short, run.imported.stops):
                missing[name] = message("skipped.name_stopped", name=name, **stop_parameters)
    for name in _uncallable_helpers(suite, run.imported.takes):
        missing[name] = message("skipped.name_other", name=name)
    return missing


def _source_text(submission: Submission, module: str) -> str:
    """Return the source of `module`, or "" if it was not handed in."""
    source = submission.modules.get(submission.parts.get(module, ""))
    return "" if source is None else source.text


def _stop_parameters(
    submission: Submission, module: str, name: str, stops: Collection[Stop]
) -> dict[str, str | int] | None:
    """Return message parameters for the place where `module` stopped before it defined `name`.

    Return None if it did not stop before the definition.
    """
    source = submission.modules.get(submission.parts.get(module, ""))
    if source is None or not stops:
        return None
    definition = re.compile(rf"[ \t]*(?:(?:async )?def |class )?{re.escape(name)}\b")
    # The text is only searched, as the judge must not parse a submission.
    numbered = enumerate(source.text.split("\n"), 1)
    definition_line = next((number for number, line in numbered if definition.match(line)), 0)
    lines_before = [
        stop.line for stop in stops if stop.file == source.name and stop.line <= definition_line
    ]
    return place_in(source, max(lines_before)) if lines_before else None


def _uncallable_helpers(suite: Suite, takes: Mapping[str, range]) -> Iterator[str]:
    """Yield the helpers that accept none of the argument counts that `suite` passes to them.

    `takes` maps functions to the argument counts that they accept.
    """
    helpers = [name for name in suite.helpers if name in takes]
    calls = frozenset[tuple[str, int]]().union(
        *map(session_calls, suite.sessions if helpers else ())
    )
    for name in helpers:
        counts = {count for called, count in calls if called == name}
        if counts and counts.isdisjoint(takes[name]):
            yield name


def _unprefixed_names(prefix: str, names: Iterable[str]) -> list[str]:
    """Return those of `names` that start with `prefix`, with the prefix removed."""
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def missing_names(required: Collection[str], defined: Collection[str]) -> Mapping[str, str]:
    """Return a dict from each undefined name in `required` to a similar defined name, or ""."""
    # Sorted, because the order of a set would make the suggestion random.
    by_normalized = {_normalize_name(name): name for name in sorted(defined)}
    suggestions = {}
    for name in required:
        if name not in defined:
            matches = get_close_matches(
                _normalize_name(name), by_normalized, n=1, cutoff=_MIN_SIMILARITY
            )
            suggestions[name] = one_line(by_normalized[matches[0]]) if matches else ""
    return suggestions


def _normalize_name(name: str) -> str:
    return name.casefold().replace("_", "")


def nothing_defined(missing: Mapping[str, str], submission: Submission) -> Message:
    """Return the message to a student whose file defines none of the required names.

    `missing` maps these names to similar defined ones, or "". If a single class has methods with
    all these names, the message names the class.
    """
    similar = ", ".join(name for name in missing.values() if name)
    key = "ungradable.names_near" if similar else "ungradable.names"
    (source, *_) = (submission.modules[alias] for alias in submission.parts.values())
    classes = {class_with_method(source.text, name) for name in missing}
    if len(classes) == 1 and (class_name := classes.pop()):
        return message("ungradable.names_in_class", names=", ".join(missing), named=class_name)
    return message(key, names=", ".join(missing), near=similar)
