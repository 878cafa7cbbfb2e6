"""Exports from Gradescope: a folder per submission, with owners in `submission_metadata.yml`.

That file also contains the results of all tests, and can be large. So libyaml parses it as a stream
of events, of which only those about people are kept.
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
from grader.plugins.platforms.dates import parse_iso_time
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import Platform
from grader.values.foreign_text import one_line

_METADATA: Final = "submission_metadata.yml"
_MAX_TABLES: Final = 20
_MAX_BYTES: Final = 64 * 1024 * 1024
_MAX_EVENTS: Final = 5_000_000
_MAX_DEPTH: Final = 64
_MAX_PATH_LENGTH: Final = 4
"""The length of the longest path that `_read_metadata` uses: `key/submitters/index/fact`."""
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML might lack libyaml


@dataclass(slots=True)
class _Metadata:
    """The metadata of one submission."""

    submitters: list[dict[str, str]] = field(default_factory=list)
    created_at: str = ""


def _recognise(source: Source, _known: KnownExercise) -> Recognition | None:
    """Return the submissions that metadata files in `source` list, or None if there are none."""
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
        metadata_by_key, problem = _read_metadata(table.leaf)
        guesses += [f"{table.path} could be read only in part: {problem}"] if problem else []
        names_below = [
            name for name in names if name.parts[: len(folder)] == folder and name != table
        ]
        by_submission = _group_by_submission(names_below, len(folder))
        for key, files in by_submission.items():
            if key in metadata_by_key:
                attempts.append(_attempt(key, metadata_by_key[key], files, len(folder) + 1))
                fitting |= {file.path for file in files}
        for key, metadata in metadata_by_key.items():
            if not metadata.submitters:
                guesses.append(f"{one_line(key, 60)}: {_METADATA} lists no submitter")
            if key not in by_submission:
                guesses.append(f"{one_line(key, 60)}: the folder of the submission is missing")
                # An attempt without files, so that the student is not forgotten.
                attempts.append(_attempt(key, metadata))
    if not attempts:
        return None
    unlisted = [name for name in names if name.path not in fitting]
    return Recognition(
        layout="gradescope",
        evidence=f"{len(attempts)} submissions are listed in Gradescope's {_METADATA}",
        fitting=frozenset(fitting),
        attempts=tuple(attempts),
        left_out=tuple(LeftOut(name.path, f"it is not listed in {_METADATA}") for name in unlisted),
        guesses=tuple(guesses),
    )


def _group_by_submission(names: Iterable[Name], depth: int) -> Mapping[str, list[Name]]:
    by_submission: dict[str, list[Name]] = {}
    for name in names:
        by_submission.setdefault(name.parts[depth], []).append(name)
    return by_submission


def _attempt(key: str, metadata: _Metadata, names: Sequence[Name] = (), depth: int = 0) -> Attempt:
    """Return the attempt with the files `names`, whose paths in the submission start at `depth`."""
    builder = AttemptBuilder()
    for name in names:
        builder.add_file(name, "/".join(name.parts[depth:]) or name.parts[-1])
    return builder.attempt(_person(key, metadata), submitted=parse_iso_time(metadata.created_at))


def _person(folder_name: str, metadata: _Metadata) -> Person:
    """Return the submitter or the group; if nobody is listed, use the folder's name as a handle."""
    people = [
        Person(
            name=submitter.get("name") or None,
            id=submitter.get("sid") or None,
            email=submitter.get("email") or None,
        )
        for submitter in metadata.submitters
    ]
    if len(people) == 1:
        return people[0]
    if not people:
        return Person(handle=folder_name)
    names = [person.name or person.email or person.id or "?" for person in people]
    return Person(name=" & ".join(names), members=tuple(people))


def _read_metadata(leaf: Leaf | None) -> tuple[dict[str, _Metadata], str | None]:
    """Return each submission's metadata, and why the file was not read completely, or None."""
    metadata: dict[str, _Metadata] = {}
    try:
        data = b"" if leaf is None else leaf.read(_MAX_BYTES)
        for path, value in _scalars(data):
            match path:
                case [str(key), "created_at"] | [str(key), "created_at", "utc"]:
                    metadata.setdefault(key, _Metadata()).created_at = value
                case [str(key), "submitters", int(index), str(fact)]:
                    submitters = metadata.setdefault(key, _Metadata()).submitters
                    while len(submitters) <= index:
                        submitters.append({})
                    submitters[index][fact] = value.strip()
    except SubmissionError:
        return metadata, "it is too large or damaged"
    except (yaml.YAMLError, ValueError, UnicodeError) as error:
        return metadata, str(error).partition("\n")[0]
    return metadata, None


@dataclass(slots=True)
class _OpenCollection:
    """A collection in the stream that has not ended yet.

    `key` is the last key of a mapping, or the index of the last item of a sequence.
    """

    key: str | int | None
    is_mapping: bool
    awaits_key: bool


def _scalars(data: bytes) -> Iterator[tuple[Sequence[str | int], str]]:
    """Yield the scalars in `data`, each with its path of keys and indices.

    Raises `YAMLError` if the document is malformed, and `ValueError` if it has too many entries, is
    nested too deeply, or has a key that is not a scalar.
    """
    stack: list[_OpenCollection] = []
    for count, event in enumerate(yaml.parse(data, Loader=_LOADER)):
        if count > _MAX_EVENTS or len(stack) > _MAX_DEPTH:
            raise ValueError("there are too many entries, or they are nested too deeply")
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        top = stack[-1] if stack else None
        if top is not None and top.awaits_key:
            # Keys are Ruby symbols such as `:submitters`; drop the colon.
            top.key = event.value.lstrip(":") if isinstance(event, yaml.ScalarEvent) else None
            top.awaits_key = False
            if isinstance(event, yaml.CollectionStartEvent):
                raise ValueError("a key is not a scalar")
            continue
        _enter_value(top)
        # Aliases are not followed, so that they cannot expand exponentially.
        if isinstance(event, yaml.ScalarEvent):
            if len(stack) <= _MAX_PATH_LENGTH and None not in (
                path := [collection.key for collection in stack]
            ):
                yield [key for key in path if key is not None], event.value
        elif isinstance(event, yaml.CollectionStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            stack.append(_OpenCollection(None if is_mapping else -1, is_mapping, is_mapping))


def _enter_value(top: _OpenCollection | None) -> None:
    """Record that a value starts in the collection `top`; do nothing if there is no collection."""
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
