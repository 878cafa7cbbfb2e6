"""Exports of Gradescope: a folder per submission, and `submission_metadata.yml` with its owners.

That file also has the results of all tests, and may be large. So it is parsed as a stream of events
by libyaml, and only those about people are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from grader.intake.files import SubmissionError
from grader.intake.layouts.recognition import (
    AttemptBuilder,
    KnownExercise,
    LeftOut,
    Name,
    Recognition,
    names_of,
)
from grader.intake.people import Attempt, Person
from grader.intake.sources import Leaf, Source
from grader.plugins.platforms.dates import iso_time
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import Platform
from grader.values.foreign_text import one_line

_METADATA: Final = "submission_metadata.yml"
_MAX_TABLES: Final = 20
_MAX_BYTES: Final = 64 * 1024 * 1024
_MAX_EVENTS: Final = 5_000_000
_MAX_DEPTH: Final = 64
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML may lack libyaml


@dataclass(slots=True)
class _Metadata:
    """The metadata of one submission."""

    submitters: list[dict[str, str]] = field(default_factory=list)
    created_at: str = ""


def _recognise(source: Source, _known: KnownExercise) -> Recognition | None:
    names = names_of(source)
    tables = [name for name in names if name.parts[-1] == _METADATA and name.leaf is not None]
    del tables[_MAX_TABLES:]
    if not tables:
        return None
    attempts: list[Attempt] = []
    fitting = {table.path for table in tables}
    guesses: list[str] = []
    for table in tables:
        folder = table.parts[:-1]
        told, damage = _read(table.leaf)
        guesses += [f"{table.path} could be read only in part: {damage}"] if damage else []
        below = [name for name in names if name.parts[: len(folder)] == folder and name != table]
        by_submission = _by_submission(below, len(folder))
        for key, of_key in by_submission.items():
            if key in told:
                attempts.append(_attempt(key, told[key], of_key, len(folder) + 1))
                fitting |= {name.path for name in of_key}
        for key, each in told.items():
            if not each.submitters:
                guesses.append(f"{one_line(key, 60)}: {_METADATA} does not say whose it is")
            if key not in by_submission:
                guesses.append(f"{one_line(key, 60)}: its folder is not there")
                # Without files, so that the student is not forgotten.
                attempts.append(_attempt(key, each))
    if not attempts:
        return None
    others = [name for name in names if name.path not in fitting]
    return Recognition(
        layout="gradescope",
        evidence=f"{len(attempts)} submissions are in the file {_METADATA} of Gradescope",
        fitting=frozenset(fitting),
        attempts=tuple(attempts),
        left_out=tuple(LeftOut(name.path, f"it is not in {_METADATA}") for name in others),
        guesses=tuple(guesses),
    )


def _by_submission(names: Iterable[Name], depth: int) -> Mapping[str, list[Name]]:
    found: dict[str, list[Name]] = {}
    for name in names:
        found.setdefault(name.parts[depth], []).append(name)
    return found


def _attempt(key: str, told: _Metadata, names: Sequence[Name] = (), depth: int = 0) -> Attempt:
    pile = AttemptBuilder()
    for name in names:
        pile.add_file(name, "/".join(name.parts[depth:]) or name.parts[-1])
    return pile.attempt(_person(key, told), submitted=iso_time(told.created_at))


def _person(key: str, told: _Metadata) -> Person:
    """Return who handed in, by name of the folder if the metadata names nobody."""
    people = [
        Person(
            name=each.get("name") or None,
            id=each.get("sid") or None,
            email=each.get("email") or None,
        )
        for each in told.submitters
    ]
    if len(people) == 1:
        return people[0]
    if not people:
        return Person(handle=key)
    names = [each.name or each.email or each.id or "?" for each in people]
    return Person(name=" & ".join(names), members=tuple(people))


def _read(leaf: Leaf | None) -> tuple[dict[str, _Metadata], str | None]:
    """Return the metadata of each submission, and the problem if the file was not read whole."""
    told: dict[str, _Metadata] = {}
    try:
        data = b"" if leaf is None else leaf.read(_MAX_BYTES)
        for path, value in _scalars(data):
            match path:
                case [str(key), "created_at"] | [str(key), "created_at", "utc"]:
                    told.setdefault(key, _Metadata()).created_at = value
                case [str(key), "submitters", int(number), str(fact)]:
                    submitters = told.setdefault(key, _Metadata()).submitters
                    while len(submitters) <= number:
                        submitters.append({})
                    submitters[number][fact] = value.strip()
    except SubmissionError:
        return told, "it is too large, or damaged"
    except (yaml.YAMLError, ValueError, UnicodeError) as error:
        return told, str(error).partition("\n")[0]
    return told, None


@dataclass(slots=True)
class _Open:
    """An open collection of the stream: its last key, or the index of its last item."""

    key: str | int | None
    is_mapping: bool
    awaits_key: bool


def _scalars(data: bytes) -> Iterator[tuple[Sequence[str | int], str]]:
    """Yield the scalars of `data` with their path of keys, Ruby symbols without their colon.

    Raises `ValueError` if there are too many, or if they are nested too deeply.
    """
    stack: list[_Open] = []
    for count, event in enumerate(yaml.parse(data, Loader=_LOADER)):
        if count > _MAX_EVENTS or len(stack) > _MAX_DEPTH:
            raise ValueError("it has too many entries, or too deep ones")
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        top = stack[-1] if stack else None
        if top is not None and top.awaits_key:
            # Keys are Ruby symbols, such as `:submitters`.
            top.key = event.value.lstrip(":") if isinstance(event, yaml.ScalarEvent) else None
            top.awaits_key = False
            if isinstance(event, yaml.CollectionStartEvent):
                raise ValueError("a key is not a scalar")
            continue
        _step(top)
        # An alias is not followed, so nothing can expand.
        if isinstance(event, yaml.ScalarEvent):
            if len(stack) <= _DEEPEST and None not in (path := [each.key for each in stack]):
                yield [key for key in path if key is not None], event.value
        elif isinstance(event, yaml.CollectionStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            stack.append(_Open(None if is_mapping else -1, is_mapping, is_mapping))


_DEEPEST: Final = 4


def _step(top: _Open | None) -> None:
    """Record that a value starts in the collection `top`."""
    if top is None:
        return
    if isinstance(top.key, int):
        top.key += 1
    top.awaits_key = top.is_mapping


GRADESCOPE: Final = Platform(
    name="gradescope",
    recognise=_recognise,
    gradebooks=(
        Dialect(
            name="Gradescope grades",
            languages=(Words("en", "sid, email", maxima="{item} - max points | max points"),),
            mark=r"(?!sections?$|.* - |max points$|status$|submission |view count$|total lateness)"
            r"(?P<item>[^:]+)",
        ),
    ),
)
