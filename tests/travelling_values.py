"""Values on their way to the judge: all built-in ones, and what they should become."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from hypothesis import strategies as st

from grader.executor.encoding import encode
from grader.values.decoding import decode
from grader.values.tree import Atom, Collection, Mapping, Sequence, Value


def travelled(value: object) -> Value:
    """Return `value` as the judge sees it."""
    return decode(json.loads(json.dumps(encode(value))))


def as_value(value: Any) -> Value:
    """Return the node that built-in `value` should become; written apart from the encoder."""
    match value:
        case tuple() | list():
            return Sequence(type(value).__name__, tuple(map(as_value, value)))
        case set() | frozenset():
            return Collection(type(value).__name__, tuple(map(as_value, value)))
        case dict():
            return Mapping(tuple((as_value(key), as_value(item)) for key, item in value.items()))
        case _:
            return Atom(value)


_ATOMS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(2**200), max_value=2**200),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters(codec=None), max_size=20),
    st.binary(max_size=20),
    st.decimals(),
    st.fractions(),
    st.builds(range, st.integers(), st.integers(), st.integers(min_value=1)),
)
_HASHABLE: Final = st.recursive(
    _ATOMS.filter(lambda atom: not (isinstance(atom, Decimal) and atom.is_snan())),
    lambda inner: st.one_of(st.tuples(inner, inner), st.frozensets(inner, max_size=4)),
    max_leaves=5,
)
BUILT_IN: Final = st.recursive(
    st.one_of(_ATOMS, _HASHABLE),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.tuples(inner, inner),
        st.sets(_HASHABLE, max_size=5),
        st.dictionaries(_HASHABLE, inner, max_size=5),
    ),
    max_leaves=15,
)


@dataclass
class Point:
    """A plain dataclass."""

    x: int
    y: object = None
