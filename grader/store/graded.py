"""The result of one graded submission, as it is sent and as it is kept.

A record is large, and a run has many. So the data of each record for the overview and
`results.json` is made once, by the process that graded it, and kept with the record.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from grader.intake.submissions import HandIn
from grader.judging.plain import passed_groups
from grader.judging.record import (
    RECORD_SCHEMA,
    CaseResult,
    Record,
    plain_record,
    record_adapter,
    refuse_other_format,
)
from grader.messages import Message, message
from grader.suite.model import Suite
from grader.verdict import Status

_COMPRESSION: int = 6
_MAX_BYTES: Final = 256 * 1024 * 1024
"""More than any record has: a store may come from another machine, or be damaged."""


class Unpassed(NamedTuple):
    """A case that did not pass."""

    case_id: str
    verdict: str
    points: float
    max_points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One graded submission, with what reports other than its page need."""

    pattern: str
    """The hash of the pattern that its record is packed to."""
    status: Status
    score: float
    """In an entry of a store, the score that counts, with decisions applied."""
    max_score: float
    isolation: int
    """The isolation level at which it was graded."""
    is_lasting: bool
    """Whether grading again gives the same record, so that it holds for all with the same files."""
    unpassed: tuple[Unpassed, ...]
    data: bytes
    """The record, packed."""
    summary: bytes
    """Its entry in `results.json`, packed."""
    overview: bytes
    """Its row in the overview, packed."""


class Known(NamedTuple):
    """A packed record that does not have to be made again."""

    data: bytes
    is_lasting: bool


class Earlier(NamedTuple):
    """A packed record of the same files, on a suite with the same questions."""

    data: bytes
    pattern: bytes
    """The pattern that it is packed to."""
    is_lasting: bool


class Kept(NamedTuple):
    """A record in the store."""

    record_id: int
    is_lasting: bool
    status: str
    score: float
    max_score: float


class KeptRecords(NamedTuple):
    """Records to be copied to another store: rows of its tables."""

    hashed: Mapping[str, Sequence[tuple[Any, ...]]]
    """The rows that they refer to by hash, by name of the table: hash and content."""
    records: Sequence[tuple[Any, ...]]
    """The id comes first."""
    outcomes: Sequence[tuple[Any, ...]]
    """The id of the record comes first."""


def packed(data: bytes) -> bytes:
    """Return `data` compressed; the same data always gives the same bytes."""
    return zlib.compress(data, _COMPRESSION)


def unpacked(data: bytes) -> bytes:
    """Return what was `packed`; raises `ValueError` if it is damaged."""
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(data, _MAX_BYTES)
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from None
    # Cut off, or a bomb: a few bytes that would fill memory.
    if not decompressor.eof:
        raise ValueError("it is damaged: it is cut off, or far too large")
    return content


# Small records: the result that all who pass a case share is kept once, with the suite.
#
# The record of a right program has hundreds of cases equal to those of any other right program.
# These cases are the *pattern* of a suite. A packed record has a number for each case that equals
# the one in the pattern, and the whole case for any other.


_MAX_CACHED: Final = 16


class Pattern:
    """The cases of one suite, as in the record of a student who passes them all."""

    def __init__(self, cases: tuple[CaseResult, ...]) -> None:
        """Pack records to `cases`."""
        self._cases: Final = cases
        self._positions: Final = {_case_key(case): position for position, case in enumerate(cases)}
        self._by_identity: Final = {id(case): position for position, case in enumerate(cases)}
        """The same by identity: faster, and most records have these very objects."""

    @classmethod
    def of(cls, suite: Suite) -> Pattern:
        """Return the pattern of `suite`."""
        return cls(tuple(case for group in passed_groups(suite) for case in group.cases))

    @staticmethod
    @lru_cache(_MAX_CACHED)
    def from_bytes(data: bytes) -> Pattern:
        """Return the pattern that `to_bytes` turned into `data`; raises `ValueError` if damaged."""
        return Pattern(_cases_adapter().validate_python(json.loads(unpacked(data))))

    def to_bytes(self) -> bytes:
        """Return the pattern as it is kept: always the same bytes."""
        return packed(self._json)

    @cached_property
    def _json(self) -> bytes:
        plain = _cases_adapter().dump_python(self._cases, mode="json")
        return json.dumps(plain).encode("ascii")

    @cached_property
    def sha256(self) -> str:
        """The hash by which a record names the pattern that its numbers refer to."""
        return sha256(self._json).hexdigest()

    def pack(self, record: Record) -> bytes:
        """Return `record` as it is sent and kept: always the same bytes."""
        return packed(self._text(record))

    def _text(self, record: Record) -> bytes:
        """Return `record` as JSON, with numbers for cases that are in the pattern."""
        plain = plain_record(_without_cases(record))
        for form, group in zip(plain["groups"], record.groups, strict=True):
            form["cases"] = [
                self._packed_case(case)
                if (position := self._by_identity.get(id(case))) is None
                else position
                for case in group.cases
            ]
        document = {"schema": RECORD_SCHEMA, "pattern": self.sha256, "record": plain}
        return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")

    def unpack(self, data: bytes) -> Record:
        """Return the record in packed `data`; raises `ValueError` saying what is wrong."""
        try:
            text = unpacked(data)
            document = json.loads(text)
            refuse_other_format(document["schema"])
            if document["pattern"] != self.sha256:
                raise ValueError("it was packed to another pattern")
            plain = document["record"]
            for form in plain["groups"]:
                form["cases"] = [self._unpacked_case(case) for case in form["cases"]]
            record = record_adapter().validate_python(plain)
        except ValidationError as error:
            first, *_ = error.errors()
            place = ".".join(map(str, first["loc"]))
            raise ValueError(f"it is not a record: {place}: {first['msg']}") from None
        except (KeyError, TypeError, IndexError, RecursionError) as error:
            raise ValueError(f"it is not a record: {error!r}") from None
        # pydantic converts "1" to 1 and ignores unknown keys; packing again reveals that.
        if self._text(record) != text:
            raise ValueError("it has values that no record has")
        return record

    def _packed_case(self, case: CaseResult) -> object:
        position = self._positions.get(_case_key(case))
        if position is not None and self._cases[position] == case:
            return position
        return _case_adapter().dump_python(case, mode="json")

    def _unpacked_case(self, case: object) -> object:
        return self._cases[case] if isinstance(case, int) else case


def _case_key(case: CaseResult) -> tuple[str, str, float]:
    return case.id, case.code, case.max_points


def _without_cases(record: Record) -> Record:
    return replace(record, groups=tuple(replace(each, cases=()) for each in record.groups))


@cache
def _case_adapter() -> TypeAdapter[CaseResult]:
    return TypeAdapter(CaseResult)


@cache
def _cases_adapter() -> TypeAdapter[tuple[CaseResult, ...]]:
    return TypeAdapter(tuple[CaseResult, ...])


# Hand-ins as a store keeps them, so that they can be graded again without their folder.


def packed_hand_in(hand_in: HandIn) -> bytes:
    """Return `hand_in` as it is kept, without its student: others may hand in the same."""
    document = {
        "files": {name: _plain(data) for name, data in hand_in.files.items()},
        "remarks": [each.to_json() for each in hand_in.remarks],
        "refusals": [each.to_json() for each in hand_in.refusals],
        "is_named_after_student": hand_in.is_named_after_student,
    }
    return packed(json.dumps(document).encode("ascii"))


@dataclass(frozen=True, slots=True)
class KeptHandIn:
    """A hand-in as an earlier run kept it."""

    student: str
    sha256: str
    """Its hash, by which its record is found without reading the hand-in."""
    content: Callable[[str], bytes]
    """Returns the content with this hash, packed."""

    def hand_in(self) -> HandIn:
        """Return what was handed in; raises `ValueError` if it is damaged."""
        return unpacked_hand_in(self.content(self.sha256), self.student)


def unpacked_hand_in(data: bytes, student: str) -> HandIn:
    """Return what `student` handed in; raises `ValueError` saying what is wrong with `data`."""
    try:
        document = json.loads(unpacked(data))
        return HandIn(
            student=student,
            files={str(name): _bytes(content) for name, content in document["files"].items()},
            remarks=tuple(_messages(document["remarks"])),
            refusals=tuple(_messages(document["refusals"])),
            is_named_after_student=bool(document.get("is_named_after_student")),
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"it is not a hand-in: {error!r}") from None


def _plain(data: bytes) -> str | list[str]:
    """Return `data` as text or, if it is not UTF-8, as base64 in a list: text is shorter."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return [base64.b64encode(data).decode("ascii")]


def _bytes(content: str | list[str]) -> bytes:
    if isinstance(content, str):
        return content.encode("utf-8")
    return base64.b64decode(content[0], validate=True)


def _messages(forms: Iterable[Any]) -> Iterable[Message]:
    for form in forms:
        yield message(form["key"], **form["parameters"])
