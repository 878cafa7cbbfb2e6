"""The seal on data: stand-ins do what the data does, and note who touches them."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from textwrap import dedent
from types import ModuleType
from typing import Any, cast

import pytest

from grader.executor.sealing import MAX_TOUCHES, Seal, Sealed


def armed(source: str, made_by: tuple[str, ...] = ("make",)) -> tuple[Seal, dict[str, Any]]:
    """Return a seal on the module `m` with this `source`, and the names in that module."""
    module = ModuleType("m")
    exec(dedent(source), module.__dict__)
    names = [f"m.{name}" for name in made_by]
    seal = Seal({"made_by": names, "known_to": names})
    seal.arm({"m": module})
    return seal, module.__dict__


@pytest.mark.parametrize(
    ("data", "do"),
    [
        (7, lambda x: (x + 1, 1 + x, x - 1, 1 - x, x * 2, x // 2, 20 // x, x % 4, 20 % x)),
        (7, lambda x: (x**2, 2**x, divmod(x, 3), divmod(20, x), x / 2, 14 / x)),
        (7, lambda x: (x << 1, 1 << x, x >> 1, 999 >> x, x & 5, 5 & x, x | 8, x ^ 1, 1 ^ x)),
        (7, lambda x: (-x, +x, abs(x), ~x, int(x), float(x), round(x), operator.index(x))),
        (7, lambda x: (x < 8, x <= 7, x > 8, x >= 7, x == 7, x != 7, 7 == x, bool(x))),
        (7, lambda x: (list(range(x)), [0] * x, "abcdefgh"[x], hash(x), repr(x), f"{x:3}")),
        ([3, 1, 2], lambda x: (sorted(x), list(reversed(x)), x.index(1), x[1:], 3 in x, len(x))),
        ({"a": 1}, lambda x: (dict(x), {**x}, list(x.items()), x | {"b": 2}, {"b": 2} | x)),
        ({1, 2}, lambda x: (x | {3}, {3} - x, x <= {1, 2, 3}, x & x, set(x))),
        ((1, {2: 3}), lambda x: (x[1][2], x * 2, [*x], copy.copy(x) == x)),
    ],
)
def test_stand_ins_do_what_the_data_does(data: Any, do: Callable[[Any], Any]) -> None:
    """Each operation on a stand-in gives what it gives on the data."""
    _, names = armed("def make(data): return data")
    sealed = names["make"](copy.deepcopy(data))
    assert Sealed is type(sealed)
    assert do(data) == do(sealed)


def test_stand_ins_change_as_the_data_does() -> None:
    """Changes in place go to the data, and the stand-in stays what the name stands for."""
    _, names = armed("data = [3, 1]\ndef make(): return data")
    sealed = same = names["make"]()
    sealed += [2]
    sealed[0] = 5
    del sealed[1]
    sealed.append(9)
    assert sealed is same
    assert [5, 2, 9] == names["data"]
    with pytest.raises(TypeError):
        hash(sealed)
    with pytest.raises(AttributeError):
        _ = sealed.missing
    with pytest.raises(TypeError, match="not callable"):
        sealed()


def test_copies_of_stand_ins_are_sealed() -> None:
    """A copy, deep or not, is data too, and its own."""
    _, names = armed("def make(): return [[1]]")
    sealed = names["make"]()
    for twin in (copy.copy(sealed), copy.deepcopy(sealed)):
        assert Sealed is type(twin)
        assert twin == sealed
        assert twin is not sealed


def test_same_data_has_the_same_stand_in() -> None:
    """`is` says of stand-ins what it says of the data."""
    _, names = armed("kept = []\ndef make(new): return [] if new else kept")
    make = names["make"]
    assert make(new=False) is make(new=False)
    assert make(new=True) is not make(new=True)


def test_touches_name_function_and_line() -> None:
    """A touch is that of the innermost code of the submission; what others do is not noted."""
    source = """
    def make(): return [1, 2]
    def outer(data):
        def inner():
            return data[0]
        return inner() + max(data) + inner()
    """
    seal, names = armed(source)
    data = names["make"]()
    assert 2 == len(data)
    assert 4 == names["outer"](data)
    assert {
        "touches": [
            ["m.outer.<locals>.inner", 5, "index", True, 2],
            ["m.outer", 6, "iterate", True, 1],
        ],
        "missing": [],
        "made": 1,
    } == seal.evidence()


def test_touches_are_bounded() -> None:
    """A submission that looks in from ever more places does not fill the report."""
    body = "    data[0]\n" * (MAX_TOUCHES + 50)
    seal, names = armed(f"def make(): return [1]\ndef look(data):\n{body}")
    names["look"](names["make"]())
    assert MAX_TOUCHES == len(cast("list[object]", seal.evidence()["touches"]))


def test_makers_that_are_missing() -> None:
    """A maker that is not a function, or is not there, is told of."""
    seal, _ = armed("class make: pass", made_by=("make", "other"))
    assert ["m.make", "m.other"] == seal.evidence()["missing"]
