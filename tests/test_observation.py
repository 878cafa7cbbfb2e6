"""Observations are checked shape by shape on their way in; whatever is odd is a breach."""

from __future__ import annotations

import contextlib
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ProtocolError
from grader.protocol import (
    MAX_FRAMES,
    MAX_MESSAGE_CHARS,
    MAX_NAME_CHARS,
    MAX_STDOUT_CHARS,
    ValueLimits,
)
from grader.sandbox.observation import (
    Frame,
    Observation,
    Raised,
    Returned,
    decode_import,
    decode_observation,
)
from grader.values.tree import Sequence

RETURNED: Final[dict[str, Any]] = {
    "value": 5,
    "id": None,
    "bound": {},
    "stdout": "",
    "overflow": False,
}
EXCEPTION: Final[dict[str, Any]] = {
    "types": ["KeyError", "LookupError", "Exception", "BaseException"],
    "message": "'a'",
    "depth": 1,
    "frames": [["sample.py", 3, "f"]],
}
RAISED: Final[dict[str, Any]] = {"raised": EXCEPTION, "stdout": "", "overflow": False}
BINDS: Final = ("p", "q")


def test_a_returned_value() -> None:
    """A value, the identity of its object and those of the names that the step bound."""
    facts = RETURNED | {"value": ["l", []], "id": 3, "bound": {"q": None, "p": 3}, "stdout": "hi"}
    outcome = Returned(value=Sequence("list", ()), identity=3, bound=(("p", 3), ("q", None)))
    assert Observation(outcome=outcome, stdout="hi") == decode_observation(facts, BINDS)


def test_a_part_of_the_output() -> None:
    """What the step printed itself, where the submission printed the rest."""
    observation = decode_observation(RETURNED | {"stdout": "debug\n2\n", "own": "2\n"}, ())
    assert ("debug\n2\n", "2\n") == observation.outputs
    assert ("2\n",) == decode_observation(RETURNED | {"stdout": "2\n"}, ()).outputs


def test_a_raised_exception() -> None:
    """Types, message, depth and frames of an exception."""
    outcome = Raised(
        type_names=("KeyError", "LookupError", "Exception", "BaseException"),
        message="'a'",
        frames=(Frame("sample.py", 3, "f"),),
        depth=1,
    )
    assert Observation(outcome=outcome) == decode_observation(RAISED, BINDS)


def test_a_line_that_python_does_not_know_is_zero() -> None:
    """Code without a line of its own has a frame nevertheless."""
    facts = {**RAISED, "raised": {**EXCEPTION, "frames": [["f.py", None, "f"]]}}
    outcome = decode_observation(facts, ()).outcome
    assert isinstance(outcome, Raised)
    assert (Frame("f.py", 0, "f"),) == outcome.frames


NAMES: Final[dict[str, Any]] = {"defined": ["f"], "takes": {}, "absent": [], "stops": []}


def test_an_import() -> None:
    """The import of a submission tells which names it defines."""
    stop = {"file": "a.py", "line": 3, "raised": EXCEPTION}
    told = {"defined": ["f", "C"], "takes": {"f": [1, 2]}, "absent": ["numpy"], "stops": [stop]}
    imported = decode_import(RETURNED | {"value": None} | told)
    assert frozenset({"f", "C"}) == imported.defined
    assert {"f": range(1, 3)} == imported.takes
    assert frozenset({"numpy"}) == imported.absent
    assert [("a.py", 3)] == [(each.file, each.line) for each in imported.stops]
    assert frozenset() == decode_import(RAISED).defined


def without(facts: dict[str, Any], key: str) -> dict[str, Any]:
    """Return `facts` less one key."""
    return {name: value for name, value in facts.items() if name != key}


MALFORMED: Final[dict[str, object]] = {
    "null": None,
    "a list": [],
    "a text": "value",
    "nothing": {},
    **{f"no {key}": without(RETURNED, key) for key in RETURNED},
    **{f"raised, no {key}": without(RAISED, key) for key in RAISED},
    "a value and an exception": RETURNED | RAISED,
    "a surplus key": RETURNED | {"verdict": "PASSED"},
    "output that is no text": RETURNED | {"stdout": 5},
    "output that is null": RETURNED | {"stdout": None},
    "too much output": RETURNED | {"stdout": "x" * (MAX_STDOUT_CHARS + 1)},
    "overflow as a number": RETURNED | {"overflow": 0},
    "overflow as null": RETURNED | {"overflow": None},
    "a part of the output as null": RETURNED | {"stdout": "ab", "own": None},
    "a part of the output that is all": RETURNED | {"stdout": "ab", "own": "ab"},
    "an identity that is a text": RETURNED | {"id": "3"},
    "an identity that is a boolean": RETURNED | {"id": True},
    "an identity that is a float": RETURNED | {"id": 1.0},
    "a negative identity": RETURNED | {"id": -1},
    "an identity of many digits": RETURNED | {"id": 10**4_000},
    "bound names as a list": RETURNED | {"bound": []},
    "a bound name too many": RETURNED | {"bound": {"p": 1}},
    "a value without a tag": RETURNED | {"value": 1.5},
    "an exception that is null": RAISED | {"raised": None},
    "an exception that is a text": RAISED | {"raised": "KeyError"},
    "an exception with a surplus key": RAISED | {"raised": {**EXCEPTION, "verdict": "PASSED"}},
    **{
        f"an exception, no {key}": RAISED | {"raised": without(EXCEPTION, key)} for key in EXCEPTION
    },
    **{
        f"an exception with {key}={str(value)[:20]!r}": RAISED
        | {"raised": {**EXCEPTION, key: value}}
        for key, value in (
            ("types", []),
            ("types", "KeyError"),
            ("types", [5]),
            ("types", ["x"] * 21),
            ("types", ["x" * (MAX_NAME_CHARS + 1)]),
            ("types", {"KeyError": 1}),
            ("message", None),
            ("message", 5),
            ("message", "x" * (MAX_MESSAGE_CHARS + 1)),
            ("depth", -1),
            ("depth", 10**4_000),
            ("depth", True),
            ("depth", 1.5),
            ("depth", None),
            ("frames", None),
            ("frames", {}),
            ("frames", [["f.py", 1, "f"]] * (MAX_FRAMES + 1)),
            ("frames", [["f.py", 1]]),
            ("frames", [["f.py", 1, "f", 2]]),
            ("frames", ["abc"]),
            ("frames", [["f.py", "1", "f"]]),
            ("frames", [["f.py", True, "f"]]),
            ("frames", [["f.py", 10**4_000, "f"]]),
            ("frames", [[5, 1, "f"]]),
            ("frames", [["f.py", 1, None]]),
            ("frames", [["f.py", 1, "f" * 10_000]]),
        )
    },
}


@pytest.mark.parametrize("facts", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_observations_are_refused(facts: object) -> None:
    """What is out of shape is a breach of the protocol."""
    with pytest.raises(ProtocolError):
        decode_observation(facts, ())


def test_a_value_is_held_to_the_caps_of_the_suite() -> None:
    """What goes over them is a breach, though it would be none for another suite."""
    facts = RETURNED | {"value": ["l", [1, 2]], "id": 0}
    assert decode_observation(facts, (), ValueLimits(value_items=3)) == decode_observation(
        facts, ()
    )
    with pytest.raises(ProtocolError):
        decode_observation(facts, (), ValueLimits(value_items=2))


@pytest.mark.parametrize("bound", [{}, {"p": 1}, {"p": 1, "r": 2}, {"p": 1, "q": 2, "r": 3}])
def test_exactly_the_names_of_the_step_are_bound(bound: dict[str, int]) -> None:
    """A reply cannot leave out a name that was asked for, nor add one."""
    with pytest.raises(ProtocolError):
        decode_observation(RETURNED | {"bound": bound}, BINDS)


@pytest.mark.parametrize("identity", ["1", True, -1, 1.5, []])
def test_identities_of_names_are_numbers(identity: object) -> None:
    """An identity is a number or nothing."""
    with pytest.raises(ProtocolError):
        decode_observation(RETURNED | {"bound": {"p": identity, "q": None}}, BINDS)


@pytest.mark.parametrize(
    "facts",
    [
        None,
        [],
        RETURNED | NAMES | {"defined": None},
        RETURNED | NAMES | {"defined": "f"},
        RETURNED | NAMES | {"defined": [5]},
        RETURNED | NAMES | {"defined": ["f"] * 501},
        RETURNED | NAMES | {"defined": ["f" * (MAX_NAME_CHARS + 1)]},
        RETURNED | NAMES | {"defined": {}},
        RETURNED | NAMES | {"takes": None},
        RETURNED | NAMES | {"takes": {"g": [1, 1]}},
        RETURNED | NAMES | {"takes": {"f": 1}},
        RETURNED | NAMES | {"takes": {"f": [1]}},
        RETURNED | NAMES | {"takes": {"f": [1, 2.5]}},
        RETURNED | NAMES | {"takes": {"f": [-1, 1]}},
        RETURNED | NAMES | {"absent": None},
        RETURNED | NAMES | {"absent": ["<b>"]},
        RETURNED | NAMES | {"absent": [[]]},
        RETURNED | NAMES | {"surplus": 1},
    ],
    ids=range(18),
)
def test_malformed_imports_are_refused(facts: object) -> None:
    """The names that an import defines are few and short, or it is a breach."""
    with pytest.raises(ProtocolError):
        decode_import(facts)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.floats()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
_FACTS = st.fixed_dictionaries(
    {},
    optional={
        "value": st.one_of(_JSON, st.just(5)),
        "id": st.one_of(_JSON, st.none()),
        "bound": st.one_of(_JSON, st.just({})),
        "stdout": st.one_of(_JSON, st.just("")),
        "overflow": st.one_of(_JSON, st.booleans()),
        "own": st.one_of(_JSON, st.text(max_size=2)),
        "raised": st.fixed_dictionaries(
            {"types": _JSON, "message": _JSON, "depth": _JSON, "frames": _JSON}
        ),
        "defined": _JSON,
        "takes": st.one_of(_JSON, st.just({})),
        "absent": st.one_of(_JSON, st.just([])),
    },
)


@given(st.one_of(_JSON, _FACTS))
def test_any_json_is_an_observation_or_a_breach(facts: object) -> None:
    """Whatever an executor sends, the judge survives it."""
    for read in (decode_import, lambda given: decode_observation(given, ())):
        with contextlib.suppress(ProtocolError):
            read(facts)
