"""The result of one graded submission, as workers send it and stores keep it.

Records are large, and a run has many. So the process that graded a submission also prepares its
data for the overview and `results.json`, which is stored with the record.
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
from grader.judging.passed_results import passed_groups
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
"""More than any record needs; limited because a store might be damaged or not be ours."""


class UnpassedCase(NamedTuple):
    """A case that did not pass."""

    case_id: str
    verdict: str
    points: float
    max_points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One graded submission, with the data that reports other than its page need."""

    pattern: str
    """The hash of the pattern relative to which the record is packed."""
    status: Status
    score: float
    """The score; when read from a store, the mark, with decisions applied."""
    max_score: float
    isolation: int
    """The isolation level at which it was graded."""
    is_lasting: bool
    """Whether grading again gives the same record, so that it can be shared for the same files."""
    unpassed: tuple[UnpassedCase, ...]
    data: bytes
    """The packed record."""
    summary: bytes
    """The packed entry for `results.json`."""
    overview: bytes
    """The packed row of the overview."""


class KnownRecord(NamedTuple):
    """A packed record that does not have to be made again."""

    data: bytes
    is_lasting: bool


class EarlierRecord(NamedTuple):
    """A packed record of the same files, graded on a suite with the same questions."""

    data: bytes
    pattern: bytes
    """The packed pattern relative to which the record is packed."""
    is_lasting: bool


class StoredRecord(NamedTuple):
    """A record in the store."""

    record_id: int
    is_lasting: bool
    status: str
    score: float
    max_score: float


class RecordRows(NamedTuple):
    """Rows of a store's tables, to be copied to another store."""

    referenced: Mapping[str, Sequence[tuple[Any, ...]]]
    """The rows that the records refer to by hash, keyed by table: hash and content."""
    records: Sequence[tuple[Any, ...]]
    """Rows of the table `record`; the id comes first."""
    outcomes: Sequence[tuple[Any, ...]]
    """Rows of the table `outcome`; the id of the record comes first."""


def compress(data: bytes) -> bytes:
    """Return `data` compressed; the same data always gives the same bytes."""
    return zlib.compress(data, _COMPRESSION)


def decompress(data: bytes) -> bytes:
    """Return the content of packed `data`, or raise `ValueError` if it is damaged."""
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(data, _MAX_BYTES)
    except zlib.error as error:
        raise ValueError(f"it cannot be decompressed: {error}") from None
    # Truncated, or a decompression bomb: a few bytes that would fill memory.
    if not decompressor.eof:
        raise ValueError("it is truncated, or far too large")
    return content


# Patterns keep records small: the results that correct programs share are stored once per suite.
#
# The record of a correct program has hundreds of cases that equal those of any other correct
# program. These cases are the *pattern* of the suite. A packed record contains a number for each
# case that equals one in the pattern, and the complete case otherwise.


_MAX_CACHED: Final = 16


class Pattern:
    """The cases of one suite, as in the record of a student who passes them all."""

    def __init__(self, cases: tuple[CaseResult, ...]) -> None:
        """Pack records relative to `cases`."""
        self._cases: Final = cases
        self._positions: Final = {_case_key(case): position for position, case in enumerate(cases)}
        self._by_identity: Final = {id(case): position for position, case in enumerate(cases)}
        """The positions keyed by identity, which is faster: most records have those very cases."""

    @classmethod
    def from_suite(cls, suite: Suite) -> Pattern:
        """Return the pattern of `suite`: the cases of a student who passes them all."""
        return cls(tuple(case for group in passed_groups(suite) for case in group.cases))

    @staticmethod
    @lru_cache(_MAX_CACHED)
    def from_bytes(data: bytes) -> Pattern:
        """Return the pattern in `data`, from `to_bytes`, or raise `ValueError` if it is damaged."""
        return Pattern(_cases_adapter().validate_python(json.loads(decompress(data))))

    def to_bytes(self) -> bytes:
        """Return the packed pattern; equal patterns give equal bytes."""
        return compress(self._cases_json)

    @cached_property
    def _cases_json(self) -> bytes:
        plain = _cases_adapter().dump_python(self._cases, mode="json")
        return json.dumps(plain).encode("ascii")

    @cached_property
    def sha256(self) -> str:
        """The hash by which packed records refer to this pattern."""
        return sha256(self._cases_json).hexdigest()

    def pack(self, record: Record) -> bytes:
        """Return `record` packed for workers and stores; equal records give equal bytes."""
        return compress(self._record_json(record))

    def _record_json(self, record: Record) -> bytes:
        """Return `record` as JSON, with numbers in place of the cases that are in the pattern."""
        plain = plain_record(_without_cases(record))
        for plain_group, group in zip(plain["groups"], record.groups, strict=True):
            plain_group["cases"] = [
                self._pack_case(case)
                if (position := self._by_identity.get(id(case))) is None
                else position
                for case in group.cases
            ]
        document = {"schema": RECORD_SCHEMA, "pattern": self.sha256, "record": plain}
        return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")

    def unpack(self, data: bytes) -> Record:
        """Return the record in packed `data`.

        Raises `ValueError` if it is damaged or malformed, or packed with another pattern.
        """
        try:
            text = decompress(data)
            document = json.loads(text)
            refuse_other_format(document["schema"])
            if document["pattern"] != self.sha256:
                raise ValueError("it was packed with another pattern")
            plain = document["record"]
            for group in plain["groups"]:
                group["cases"] = [self._unpack_case(case) for case in group["cases"]]
            record = record_adapter().validate_python(plain)
        except ValidationError as error:
            problem, *_ = error.errors()  # one is enough to show that it is not a record
            location = ".".join(map(str, problem["loc"]))
            raise ValueError(f"it is not a record: {location}: {problem['msg']}") from None
        except (KeyError, TypeError, IndexError, RecursionError) as error:
            raise ValueError(f"it is not a record: {error!r}") from None
        # pydantic converts "1" to 1 and ignores unknown keys; packing again reveals both.
        if self._record_json(record) != text:
            raise ValueError("it has values that no record has")
        return record

    def _pack_case(self, case: CaseResult) -> object:
        """Return the position of `case` in the pattern, or its JSON data if it is not in it."""
        position = self._positions.get(_case_key(case))
        if position is not None and self._cases[position] == case:
            return position
        return _case_adapter().dump_python(case, mode="json")

    def _unpack_case(self, case: object) -> object:
        return self._cases[case] if isinstance(case, int) else case


def _case_key(case: CaseResult) -> tuple[str, str, float]:
    return case.id, case.code, case.max_points


def _without_cases(record: Record) -> Record:
    return replace(record, groups=tuple(replace(group, cases=()) for group in record.groups))


@cache
def _case_adapter() -> TypeAdapter[CaseResult]:
    return TypeAdapter(CaseResult)


@cache
def _cases_adapter() -> TypeAdapter[tuple[CaseResult, ...]]:
    return TypeAdapter(tuple[CaseResult, ...])


# A store keeps packed hand-ins, so that they can be graded again without their folder.


def pack_hand_in(hand_in: HandIn) -> bytes:
    """Return `hand_in` packed for a store.

    The student is left out, because other students might hand in the same files.
    """
    document = {
        "files": {name: _encode_file(data) for name, data in hand_in.files.items()},
        "remarks": [remark.to_json() for remark in hand_in.remarks],
        "refusals": [refusal.to_json() for refusal in hand_in.refusals],
        "is_named_after_student": hand_in.is_named_after_student,
    }
    return compress(json.dumps(document).encode("ascii"))


@dataclass(frozen=True, slots=True)
class StoredHandIn:
    """A hand-in in the store of an earlier run."""

    student: str
    sha256: str
    """Its hash, by which its record is found without unpacking the hand-in."""
    content: Callable[[str], bytes]
    """Returns the packed hand-in with a given hash."""

    def hand_in(self) -> HandIn:
        """Return the hand-in, unpacked, or raise `ValueError` if it is damaged."""
        return unpack_hand_in(self.content(self.sha256), self.student)


def unpack_hand_in(data: bytes, student: str) -> HandIn:
    """Return the hand-in of `student` in packed `data`, or raise `ValueError` if it is damaged."""
    try:
        document = json.loads(decompress(data))
        return HandIn(
            student=student,
            files={str(name): _decode_file(content) for name, content in document["files"].items()},
            remarks=tuple(_parse_messages(document["remarks"])),
            refusals=tuple(_parse_messages(document["refusals"])),
            is_named_after_student=bool(document.get("is_named_after_student")),
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"it is not a hand-in: {error!r}") from None


def _encode_file(data: bytes) -> str | list[str]:
    """Return `data` as text, which is shorter, or in base64 in a list if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return [base64.b64encode(data).decode("ascii")]


def _decode_file(content: str | list[str]) -> bytes:
    """Return the bytes that `_encode_file` converted to `content`."""
    if isinstance(content, str):
        return content.encode("utf-8")
    return base64.b64decode(content[0], validate=True)


def _parse_messages(documents: Iterable[Any]) -> Iterable[Message]:
    for document in documents:
        yield message(document["key"], **document["parameters"])
