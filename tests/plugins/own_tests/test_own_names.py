"""What a submission finds out about objects of the tests: their names, and whether they live."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from command_line import write
from own_tests import make_folders, summary, verdicts

pytestmark = pytest.mark.own_tests


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with one for a submission and one for tests."""
    return make_folders(tmp_path, monkeypatch)


def passed(submission: str, tests: str) -> None:
    """Assert that a submission passes tests."""
    write("handed/sol.py", submission)
    write("tests/test_sol.py", tests)
    found = verdicts(summary("tests", "--submission=handed"))
    assert found
    assert set(found.values()) == {"PASSED"}, found


WEAK: Final = """\
import inspect, weakref
class Subject:
    def __init__(self):
        self.weak, self.strong, self.methods = weakref.WeakSet(), [], []
    def watch(self, each): self.weak.add(each)
    def keep(self, each): self.strong.append(each)
    def call(self, method):
        assert inspect.ismethod(method), method
        self.methods.append(weakref.WeakMethod(method))
    def drop(self): self.strong.clear()
    def __len__(self): return len(self.weak) + sum(each() is not None for each in self.methods)
    def tell(self, value):
        for each in list(self.weak): each.update(value)
        for each in self.methods:
            if each() is not None: each()(value)
    def back(self): return [*self.weak, *self.strong]
"""
WATCHING: Final = """\
import gc, weakref
import pytest
from sol import Subject
class Screen:
    def __init__(self): self.seen = []
    def update(self, value): self.seen.append(value)

@pytest.fixture
def subject(): return Subject()

def test_told_while_it_lives(subject):
    screen = Screen()
    subject.watch(screen); subject.watch(screen)
    subject.tell(1); subject.tell(2)
    assert screen.seen == [1, 2]
def test_gone_when_the_test_lets_go(subject):
    screen = Screen()
    subject.watch(screen)
    assert len(subject) == 1
    del screen
    assert len(subject) == 0
    subject.tell(1)
def test_kept_by_the_submission(subject):
    screen = Screen()
    subject.watch(screen); subject.keep(screen)
    del screen
    assert len(subject) == 1
    subject.tell(1)
    screen, again = subject.back()
    assert screen is again and screen.seen == [1]
    subject.drop()
    del again
    assert len(subject) == 1
    subject.tell(2)
    assert screen.seen == [1, 2]
def test_collected(subject):
    screen = Screen()
    ref = weakref.ref(screen)
    subject.watch(screen)
    del screen
    gc.collect()
    assert ref() is None
def test_held_by_the_submission_only_then_not(subject):
    screen = Screen()
    ref = weakref.ref(screen)
    subject.keep(screen)
    del screen
    gc.collect()
    assert ref() is not None
    subject.drop()
    gc.collect()
    assert ref() is None
def test_of_the_submission(subject):
    ref = weakref.ref(subject)
    assert ref() is subject
def test_weak_methods(subject):
    screen, other = Screen(), Screen()
    subject.call(screen.update); subject.call(other.update)
    subject.tell(1)
    assert (screen.seen, other.seen, len(subject)) == ([1], [1], 2)
    del screen
    assert len(subject) == 1
    subject.tell(2)
    assert other.seen == [1, 2]
def test_only_handed_over(subject):
    subject.watch(Screen())
    assert len(subject) == 0
"""


def test_what_a_submission_holds_weakly_lives_as_long_as_in_one_process() -> None:
    """Observers are there while tests hold them; what a submission keeps stays."""
    passed(WEAK, WATCHING)


METHODS: Final = """\
import inspect
class Bus:
    def __init__(self): self.handlers = []
    def on(self, handler): self.handlers.append(handler); return handler
    def off(self, handler): self.handlers.remove(handler)
    def has(self, handler): return handler in self.handlers, handler in set(self.handlers)
    def tell(self, *args):
        for each in self.handlers: each(*args)
    def takes(self): return [str(inspect.signature(each)) for each in self.handlers]
    def owners(self): return [vars(each.__self__) for each in self.handlers]
    def names(self): return [each.__name__ for each in self.handlers]
"""
LISTENING: Final = """\
import unittest
from sol import Bus
class Counter:
    def __init__(self): self.n, self.expected = 0, 42
    def bump(self, by=1): self.n += by
    def drop(self): self.n -= 1
def test_equal_methods_are_equal():
    bus, one, two = Bus(), Counter(), Counter()
    bus.on(one.bump)
    assert bus.has(one.bump) == (True, True)
    assert bus.has(two.bump) == bus.has(one.drop) == (False, False)
    bus.off(one.bump)
    bus.tell(1)
    assert (one.n, two.n) == (0, 0)
def test_it_comes_back():
    bus, one = Bus(), Counter()
    assert bus.on(one.bump) == one.bump
    bus.tell(5)
    assert one.n == 5
def test_what_it_is():
    bus = Bus()
    bus.on(Counter().bump)
    assert bus.takes() in (["(by=Ellipsis)"], ["(by=...)"], ["(by=1)"])
    assert bus.names() == ["bump"]
def test_its_object_is_not_handed_over():
    bus = Bus()
    bus.on(Counter().bump)
    assert bus.owners() == [{}]
class TestBus(unittest.TestCase):
    def note(self, value): self.value = value
    def test_method_of_a_test(self):
        bus = Bus()
        bus.on(self.note)
        bus.tell(3)
        self.assertEqual(self.value, 3)
        bus.off(self.note)
"""


def test_methods_of_tests_are_equal_where_they_are_the_same() -> None:
    """`obj.method` is made anew each time, and can be found and removed by a submission."""
    passed(METHODS, LISTENING)


NAMES: Final = """\
import typing
@typing.runtime_checkable
class Drawable(typing.Protocol):
    def draw(self): ...
@typing.runtime_checkable
class Named(typing.Protocol):
    name: str
class Own:
    def __init__(self): self.title = "o"
def has_name(value): return isinstance(value, Named)
def can_draw(value): return isinstance(value, Drawable)
def line(value): return [each.__name__ for each in type(value).__mro__]
class cached:
    def __init__(self, function): self.function = function
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, owner=None):
        if obj is None: return self
        value = obj.__dict__[self.name] = self.function(obj)
        return value
class positive:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None): return self if obj is None else obj.__dict__[self.name]
    def __set__(self, obj, value):
        if value < 0: raise ValueError(value)
        obj.__dict__[self.name] = value
    def __delete__(self, obj): del obj.__dict__[self.name]
def shown(obj): return sorted(vars(obj))
def in_class(obj): return sorted(name for name in type(obj).__dict__)
def update(obj, **names): obj.__dict__.update(names)
class Keeper:
    def keep(self, obj): self.names = vars(obj)
    def has(self): return dict(self.names)
def overwrite(obj):
    obj.__dict__["_secret"] = 0
    obj.__dict__["__class__"] = int
    return shown(obj)
"""
ASKING: Final = """\
import typing
from unittest.mock import Mock
import pytest
from sol import Keeper, Named, Own, cached, can_draw, has_name, in_class, line, overwrite
from sol import positive, shown, update
class Shape:
    kind = "shape"
    def draw(self): return "."
    def _answer(self): return 42
class Dot(Shape):
    def __init__(self): self.x, self._secret = 1, 2
def test_protocol():
    assert can_draw(Dot()) and can_draw(Shape())
    assert not can_draw(3) and not can_draw(object())
def test_protocol_of_data():
    class Person:
        def __init__(self): self.name = "x"
    @typing.runtime_checkable
    class Titled(typing.Protocol):
        title: str
    assert has_name(Person()) and not has_name(Dot()) and isinstance(Person(), Named)
    assert isinstance(Own(), Titled) and not isinstance(Dot(), Titled)
def test_line(): assert line(Dot()) == ["Dot", "Shape", "object"]
def test_cached():
    class Circle:
        made = 0
        @cached
        def area(self): self.made += 1; return [3]
    circle = Circle()
    assert circle.area is circle.area and circle.made == 1
    circle.area = 5
    assert vars(circle) == {"made": 1, "area": 5}
def test_descriptor():
    class Item:
        price = positive()
    one, two = Item(), Item()
    one.price, two.price = 1, 2
    assert (one.price, two.price) == (1, 2)
    with pytest.raises(ValueError): one.price = -1
    del two.price
    with pytest.raises(KeyError): two.price
    assert one.price == 1
def test_names():
    dot = Dot()
    assert shown(dot) == ["x"]
    assert "_answer" not in in_class(Shape()) and {"kind", "draw"} <= set(in_class(Shape()))
    update(dot, y=3, x=4)
    assert (dot.x, dot.y, dot._secret) == (4, 3, 2)
def test_kept_in_step():
    keeper, dot = Keeper(), Dot()
    keeper.keep(dot)
    dot.x, dot.z = 5, 6
    assert keeper.has() == {"x": 5, "z": 6}
    del dot.x
    assert keeper.has() == {"z": 6}
def test_private_names_stay_what_they_are():
    dot = Dot()
    overwrite(dot)
    assert dot._secret == 2 and type(dot) is Dot and "__class__" not in vars(dot)
def test_mock():
    mock = Mock(); mock(1)
    assert "method_calls" not in shown(mock)
"""


def test_names_of_objects_of_tests() -> None:
    """A descriptor keeps values on objects of the tests; private names of theirs are not shown."""
    passed(NAMES, ASKING)
