"""Records in little room: what all who pass a case have in common is kept once, with the suite.

A right program has hundreds of cases of which its record says no more than that of any other right
one. These cases, as such a record has them, are the *pattern* of a suite. A packed record has a
number for each case that is as in the pattern, and the whole case for any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from typing import Final

from pydantic import TypeAdapter, ValidationError

from grader.judging.plain import passed_groups
from grader.judging.record import RECORD_SCHEMA, CaseResult, Record
from grader.store.graded import packed, unpacked
from grader.suite.model import Suite
from grader.suite.session import Session

_MOST_KEPT: Final = 16


class Pattern:
    """The cases of one suite as they stand in the record of who passes them."""

    def __init__(self, cases: tuple[CaseResult, ...]) -> None:
        """Keep records to `cases`."""
        self._cases: Final = cases
        self._places: Final = {_name(case): place for place, case in enumerate(cases)}
        self._own: Final = {id(case): place for place, case in enumerate(cases)}
        """The same by the very objects, which most records have: it is the quicker way."""

    @classmethod
    def of(cls, suite: Suite) -> Pattern:
        """Return the pattern of `suite`, with all the alternatives that its pools have."""
        cases: dict[tuple[str, str, float], CaseResult] = {}
        for each in _variants(suite):
            for group in passed_groups(each):
                cases.update((_name(case), case) for case in group.cases)
        return cls(tuple(cases.values()))

    @staticmethod
    @lru_cache(_MOST_KEPT)
    def from_bytes(data: bytes) -> Pattern:
        """Return the pattern that `to_bytes` made `data` of; raises `ValueError` if damaged."""
        return Pattern(_cases_adapter().validate_python(json.loads(unpacked(data))))

    def to_bytes(self) -> bytes:
        """Return the pattern as it is kept: the same bytes each time."""
        return packed(self._json)

    @cached_property
    def _json(self) -> bytes:
        plain = _cases_adapter().dump_python(self._cases, mode="json")
        return json.dumps(plain).encode("ascii")

    @cached_property
    def sha256(self) -> str:
        """By what a record knows the pattern that its numbers are about."""
        return sha256(self._json).hexdigest()

    def pack(self, record: Record) -> bytes:
        """Return `record` as it travels and is kept: the same bytes each time."""
        return packed(self._text(record))

    def _text(self, record: Record) -> bytes:
        plain = _adapter().dump_python(_without_cases(record), mode="json")
        for form, group in zip(plain["groups"], record.groups, strict=True):
            form["cases"] = [
                self._short(case) if (own := self._own.get(id(case))) is None else own
                for case in group.cases
            ]
        document = {"schema": RECORD_SCHEMA, "pattern": self.sha256, "record": plain}
        return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii")

    def unpack(self, data: bytes) -> Record:
        """Return what `pack` has packed; raises `ValueError` saying what is wrong."""
        try:
            text = unpacked(data)
            document = json.loads(text)
            if document["schema"] != RECORD_SCHEMA:
                raise ValueError(f"it has the format {document['schema']!r}, not {RECORD_SCHEMA}")
            if document["pattern"] != self.sha256:
                raise ValueError("it was packed to another pattern")
            plain = document["record"]
            for form in plain["groups"]:
                form["cases"] = [self._whole(case) for case in form["cases"]]
            record = _adapter().validate_python(plain)
        except ValidationError as error:
            first, *_ = error.errors()
            place = ".".join(map(str, first["loc"]))
            raise ValueError(f"it is no record: {place}: {first['msg']}") from None
        except (KeyError, TypeError, IndexError, RecursionError) as error:
            raise ValueError(f"it is no record: {error!r}") from None
        # The validation converts, such as "1" to 1, and ignores unknown keys: that shows here.
        if self._text(record) != text:
            raise ValueError("it has values that no record has")
        return record

    def _short(self, case: CaseResult) -> object:
        place = self._places.get(_name(case))
        if place is not None and self._cases[place] == case:
            return place
        return _case_adapter().dump_python(case, mode="json")

    def _whole(self, case: object) -> object:
        return self._cases[case] if isinstance(case, int) else case


def _variants(suite: Suite) -> Iterator[Suite]:
    """Yield `suite` with other alternatives of its pools, until each has been in one of them."""
    pools: dict[str, list[Session]] = {}
    for session in suite.sessions:
        if session.pool is not None:
            pools.setdefault(session.pool, []).append(session)
    for number in range(max(map(len, pools.values()), default=1)):
        chosen = {each[number % len(each)].id for each in pools.values()}
        sessions = (one for one in suite.sessions if one.pool is None or one.id in chosen)
        yield suite.changed(sessions=tuple(sessions))


def _name(case: CaseResult) -> tuple[str, str, float]:
    return case.id, case.code, case.max_points


def _without_cases(record: Record) -> Record:
    return replace(record, groups=tuple(replace(each, cases=()) for each in record.groups))


@cache
def _adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record)


@cache
def _case_adapter() -> TypeAdapter[CaseResult]:
    return TypeAdapter(CaseResult)


@cache
def _cases_adapter() -> TypeAdapter[tuple[CaseResult, ...]]:
    return TypeAdapter(tuple[CaseResult, ...])
