"""Says how a submission was graded: what has to be the same for the result to be the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from grader.display import one_line
from grader.isolation import Layers, gaps
from grader.record import Record
from grader.reporting.voice import Voice

Fact: TypeAlias = tuple[str, tuple[str, ...]]
"""A name, and what is to be told about it, line by line."""

_MEBIBYTE = 1024 * 1024


def conditions(record: Record, voice: Voice) -> tuple[Fact, ...]:
    """Return what there is to know about how `record` came to be."""
    return tuple(_facts(record, voice))


def _facts(record: Record, voice: Voice) -> Iterator[Fact]:
    made_by = record.conditions
    yield (
        voice("how_versions"),
        (
            f"grader {one_line(made_by.grader_version)}",
            f"Python {one_line(made_by.python_version)}",
        ),
    )
    yield voice("how_suite"), (one_line(record.exercise), _hash(made_by.suite_sha256))
    yield voice("how_isolation"), (level_told(made_by.isolation, voice),)
    yield voice("how_gaps"), gaps_told(made_by.layers, voice)
    yield voice("how_limits"), tuple(_limits(record, voice))
    for file in record.files:
        encoding = file.encoding or voice("how_no_source")
        yield (
            voice("how_file", file=one_line(file.name, 120)),
            (f"{voice.size(file.size_bytes)}, {one_line(encoding)}", _hash(file.sha256)),
        )
    if not record.files:
        yield voice("how_files"), (voice("how_no_files"),)


def level_told(level: int, voice: Voice) -> str:
    """Return which isolation level it is, and what that means."""
    # A level that is not known is described as the weakest: nothing may look safer than it is.
    known = level if level in {1, 2, 3} else 0
    return voice("how_level", level=level, meaning=voice(f"isolation_{known}"))


def gaps_told(layers: Layers, voice: Voice) -> tuple[str, ...]:
    """Return a sentence for each thing that is not enforced, or one that says there is none."""
    return tuple(map(voice.tell, gaps(layers))) or (voice("how_no_gaps"),)


def _limits(record: Record, voice: Voice) -> Iterator[str]:
    limits = record.conditions.limits
    yield voice("limit_cpu", seconds=voice.number(limits.cpu_s))
    yield voice("limit_session", seconds=voice.number(limits.session_cpu_s))
    yield voice("limit_wall", seconds=voice.number(limits.wall_s))
    yield voice("limit_memory", mebibytes=voice.number(limits.memory_bytes / _MEBIBYTE))
    yield voice("limit_output", characters=voice.count(limits.output_chars))
    yield voice("limit_recursion", depth=voice.count(limits.recursion))
    yield voice("limit_timeouts", count=limits.group_timeouts)


def _hash(digest: str) -> str:
    return f"SHA-256 {one_line(digest)}"
