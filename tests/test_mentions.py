"""What compiled code is found to mention that may differ from run to run."""

from __future__ import annotations

from textwrap import dedent

import pytest

from grader.executor.mentions import detect_mentions

MANY_CONSTANTS = "\n".join(f"a{number} = {number}.5" for number in range(300))
"""After these, constants and names have numbers that do not fit into one byte."""


def found(source: str) -> tuple[bool, bool]:
    """Return what the code of `source` mentions: sets, chance."""
    return detect_mentions([compile(dedent(source), "sample.py", "exec", dont_inherit=True)])


@pytest.mark.parametrize(
    ("source", "sets", "chance"),
    [
        ("x = set(y)", True, False),
        ("x = frozenset(y)", True, False),
        ("x = {1, 2}", True, False),
        ("x = {\n  (1, 2),\n  (3, 4),\n}", True, False),
        ("x = {w for w in y}", True, False),
        ("x = {w[1:] for w in y}", True, False),
        ("x = {*y}", True, False),
        ("x = map(set, y)", True, False),
        ("x = f'{set(y)}'", True, False),
        ("x = a.keys() - b", True, False),
        ("x = a | b.items()", True, False),
        ("a |= b.keys()", True, False),
        ("x = {}", False, False),
        ("x = {1: 2, 'a': 'b'}", False, False),
        ("x = {w: 1 for w in y}", False, False),
        ("x = sorted(a.keys())", False, False),
        ("x = f'{y}' + '{z}' + \"{w}\"", False, False),
        ('"""A set( of {random} words."""', False, False),
        ("# a set of random {x}", False, False),
        ("x = reset(y) + settings", False, False),
        ("x = hash(y)", False, True),
        ("x = id (y)", False, True),
        ("x = grid(y)", False, False),
        ("import random", False, True),
        ("from random import choice as pick", False, True),
        ("import numpy\nx = numpy.random.rand()", False, True),
        ("from time import time", False, True),
        ("x = os.urandom(3)", False, True),
        ("import random; x = {1}", True, True),
    ],
)
def test_what_code_mentions(source: str, sets: bool, chance: bool) -> None:
    """Sets in any spelling, and chance, are found in code, not in comments and plain texts."""
    assert (sets, chance) == found(source)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return {x}",
        "def f(x):\n    def g():\n        return lambda: {x, 1}\n    return g",
        "class C:\n    def f(self):\n        return set()",
        "class C:\n    words = {'een', 'twee'}",
        "f = lambda x: [{y} for y in x]",
        "async def f(x):\n    return [y async for y in x if {y}]",
    ],
)
def test_code_in_code_is_searched(source: str) -> None:
    """Functions, classes, lambdas and comprehensions, however deep."""
    assert (True, False) == found(source)


@pytest.mark.parametrize("before", ["", MANY_CONSTANTS], ids=["few", "many"])
@pytest.mark.parametrize(
    ("source", "sets"),
    [
        ("x = y in {'a', 'b', 'c'}", False),
        ("x = y not in {'a', 'b', 'c'}", False),
        ("x = y in {'a', 'b', 'c'} and z in {1, 2, 3}", False),
        ("for w in {'a', 'b', 'c'}: pass", True),
        ("x = [w for w in {'a', 'b', 'c'}]", True),
        ("x = list({'a', 'b', 'c'})", True),
        ("x = y in {'a', 'b', 'c'}\nfor w in {1, 2, 3}: pass", True),
        ("x = y in {'a', 'b', 'c'}\nz = len({'a', 'b', 'c'})", True),
    ],
)
def test_looking_for_an_element_has_no_order(source: str, sets: bool, before: str) -> None:
    """A constant set that nothing is done with but `in` gives rise to no suspicion."""
    assert (sets, False) == found(f"{before}\n{source}\n")
