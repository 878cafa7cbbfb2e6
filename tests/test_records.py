"""Records can be read back: exactly, or not at all."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from hashlib import sha256
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from record_samples import HOSTILE_TEXTS, hostile_record, yinyang_record
from ruled_records import hostile

from grader.judging.record import RECORD_SCHEMA, Record, from_json, to_json
from grader.suite.limits import Limits


def spelt(text: str) -> str:
    """Return `text` with a high and a low surrogate in a row as the character that they spell."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


ANY: Final[dict[Any, st.SearchStrategy[Any]]] = {
    str: st.text(st.characters(), max_size=8).map(spelt),
    float: st.floats(allow_nan=False, allow_infinity=False),
    int: st.integers(),
    bool: st.booleans(),
    NoneType: st.none(),
    Limits: st.just(Limits(cpu_s=0.5)),
}


def anything(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for all that a field of this type can hold."""
    parts = get_args(kind)
    if kind in ANY:
        return ANY[kind]
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return st.builds(kind, **{each.name: anything(hints[each.name]) for each in fields(kind)})
    if get_origin(kind) in {UnionType, Union}:
        return st.one_of(*map(anything, parts))
    if get_origin(kind) is Literal:
        return st.sampled_from(parts)
    if get_origin(kind) is tuple and parts[-1] is ...:
        return st.lists(anything(parts[0]), max_size=2).map(tuple)
    if get_origin(kind) is tuple:
        return st.tuples(*map(anything, parts))
    assert issubclass(kind, Enum), kind
    return st.sampled_from(kind)


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(anything(Record))
def test_any_record_is_read_back_as_it_was(written: Record) -> None:
    """Whatever its fields hold, it is equal to what was written, and written again the same."""
    data = to_json(written)
    assert written == from_json(data)
    assert data == to_json(from_json(data))


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_is_read_back_as_it_was(name: str) -> None:
    """Lone surrogates, control characters and the like are what they were; the file is ASCII."""
    text = HOSTILE_TEXTS[name][:1_000]
    for written in (hostile_record(text), hostile(text)):
        data = to_json(written)
        assert data.isascii()
        assert b"\n" == data[-1:]
        assert data.count(b"\n") == 1, "one record is one line"
        assert written == from_json(data)


SOUND: Final = json.loads(to_json(yinyang_record()))


def changed(**fields_of_record: object) -> bytes:
    """Return a record with other fields."""
    return json.dumps({**SOUND, "record": {**SOUND["record"], **fields_of_record}}).encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON"),
        (to_json(yinyang_record())[:-100], "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b"[]", "not a record"),
        (b'{"schema": "grader/record/9"}', "not a record"),
        (b'{"schema": "grader/record/0", "record": {}}', "'grader/record/0'"),
        (b'{"schema": "grader/record/4", "record": {}}', "made by an earlier version"),
        (b'{"schema": "grader/record/99", "record": {}}', "made by a newer version"),
        (b'{"schema": "grader/record/10", "record": {}}', "Field required"),
        (changed(status="splendid"), "'graded', 'ungradable' or 'fault'"),
        (changed(score="17.5"), "values that no record has"),
        (changed(extra=1), "values that no record has"),
        (changed(score=None), "valid number"),
    ],
)
def test_what_is_no_record_is_refused(data: bytes, reason: str) -> None:
    """Nothing is guessed and nothing is converted."""
    with pytest.raises(ValueError, match=reason):
        from_json(data)


def test_a_record_in_one_language_says_nothing_of_others() -> None:
    """So it has the same bytes as before others could be chosen, and those of before are read."""
    assert b"also_in" not in to_json(yinyang_record())
    both = replace(yinyang_record(), also_in=("en",))
    assert both == from_json(to_json(both))


def shape_of(kind: Any) -> object:
    """Return what a value of this type is made of, in words that do not depend on a library."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return sorted(str(each.value) for each in kind)
    if kind is Limits:
        return {
            name: shape_of(each)
            for name, each in get_type_hints(Limits).items()
            if name in Limits.form_keys
        }
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return {each.name: shape_of(hints[each.name]) for each in fields(kind)}
    if parts := get_args(kind):
        origin = "either" if get_origin(kind) in {UnionType, Union} else get_origin(kind).__name__
        return [origin, *map(shape_of, parts)]
    return getattr(kind, "__name__", str(kind))


SHAPES: Final = {
    "grader/record/1": "3d8e9e6e6915dff3244392f8b440dc21ea284c11eccb24126f0fdbf065da289c",
    "grader/record/2": "50e66a7aa23c43a8241497a64d0246fbb2ad8091507ba4afea054b4e3d35bcc4",
    "grader/record/3": "80925759ab6415cee6da68544c3b711cf0e453b5703064b1326fb6feb9213102",
    "grader/record/4": "31276781a67ddf470273dace5ae3099d60384c8246b4b45e9297754eefacc3a6",
    "grader/record/5": "9c758983279e341eea75e7b3132b374b7cd4f7350bf8d28169a65d8917a9aeca",
    "grader/record/6": "423111da8c8db70a5ef4b44932efc786fc67f1c985720ac126f76391709f66d8",
    "grader/record/7": "2ac52670120ab6f6fcc5981db3968cda9b54fe30a04e45462916589a35e15929",
    "grader/record/8": "8fe51369ec699d425f4675bf286adf95834a4767a96d4b64c15f4abad687192b",
    "grader/record/9": "f3ca5bf9161eed9c6c97b9fb3e200266d3a3acb17d7b7a3816d6d8fe2bc0f600",
    "grader/record/10": "a5661f4241b4deda5c9b4fef81216bf5c6acc10595cdcb22e3c66dd4f1abe877",
}
"""The shape of records in each format that was ever written."""


def test_records_of_another_shape_have_a_format_of_their_own() -> None:
    """Who changes what a record holds gives the format a new number, and adds its shape here.

    A field that is left out where it is empty takes nothing from who reads earlier records.
    """
    shape = json.dumps(shape_of(Record))
    assert SHAPES[RECORD_SCHEMA] == sha256(shape.encode()).hexdigest()
