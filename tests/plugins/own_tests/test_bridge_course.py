"""What programs of a course do with each other's objects works over the bridge, too."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from bridged import Bridged

COINS = """
class Coin:
    def __init__(self, value): self.value = value
    def __eq__(self, other): return self.value == other.value
    def __hash__(self): return hash(self.value)
def purse(n): return {Coin(i) for i in range(n)}
def by_coin(n): return [{Coin(i): [i]} for i in range(n)]
def size(coins): return len(coins)
"""


def test_objects_with_a_hash_of_their_own_come_in_sets() -> None:
    """To fill a set asks for hashes; meanwhile its maker lets go of it, and it comes whole."""
    far = Bridged(COINS)
    assert {far.Coin(0), far.Coin(1), far.Coin(2)} == far.purse(3)
    assert [{far.Coin(0): [0]}, {far.Coin(1): [1]}] == far.by_coin(2)
    assert 3 == far.size(far.purse(3))


HERO = """
class Hero:
    hp = 3
    def hit(self): self.hp -= 1; del self.shield
"""
METACLASSES = """
from abc import ABC
class Shape(ABC): pass
class Plain: pass
class Counting(type): pass
class Counted(metaclass=Counting): pass
"""


def test_a_class_is_an_instance_of_its_metaclass() -> None:
    """`isinstance(Shape, ABCMeta)` holds, and a metaclass of theirs is one, too."""
    far = Bridged(METACLASSES)
    assert isinstance(far.Shape, ABCMeta)
    assert far.Shape.__class__ is ABCMeta
    assert not isinstance(far.Plain, ABCMeta)
    assert isinstance(far.Counted, far.Counting)
    assert isinstance(far.Plain, type)


def test_a_class_of_this_side_notices_what_is_set() -> None:
    """Its `__setattr__` goes on by `super()` to the one that the object has there."""
    far: Any = Bridged(HERO)
    noticed: list[object] = []

    class Logged(far.Hero):  # type: ignore[misc]
        def __setattr__(self, name: str, value: object) -> None:
            noticed.append((name, value))
            super().__setattr__(name, value)

        def __delattr__(self, name: str) -> None:
            noticed.append(name)
            super().__delattr__(name)

    hero = Logged()
    hero.shield = True
    hero.hit()
    assert [("shield", True), ("hp", 2), "shield"] == noticed
    assert (2, False) == (hero.hp, hasattr(hero, "shield"))


def test_proxies_are_held_where_somebody_looks_at_them_by_id() -> None:
    """The `id` of an object is not soon that of another one, and the same when it comes again."""
    far: Any = Bridged("class Node: pass\nnodes = Node(), Node()\ndef at(n): return nodes[n]\n")
    far.near.side.tables.keep_recent()
    first = id(far.at(0))
    assert first != id(far.at(1))
    assert first == id(far.at(0))
    assert first == id(far.at(0))
