"""What crosses the bridge is, on the other side, what it was: values, containers, objects."""

from __future__ import annotations

import argparse
import copy
import datetime as dt
import enum
import pickle
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from itertools import tee
from pathlib import Path
from threading import Thread
from typing import Any, Final

import numpy as np
import pytest
from bridged import Bridged

from grader.plugins.own_tests.bridge.containers import KINDS
from grader.plugins.own_tests.bridge.mirrors import MirroredClass, empty_instance, mirror_of
from grader.plugins.own_tests.bridge.proxies import RemoteReference, set_reference
from grader.plugins.own_tests.bridge.wire import Malformed, Unanswered, Uncrossable
from grader.plugins.own_tests.bridge.writing import support_numpy

support_numpy(np)
VALUES = (
    *(
        None,
        True,
        False,
        0,
        -1,
        2**63,
        -(2**200),
        1.5,
        float("inf"),
        1 + 2j,
        "",
        "é\0\ud800",
        b"\0a",
    ),
    *((), (1, (2, "x")), frozenset({1, 2}), range(1, 9, 2), slice(1, None, 2), ..., NotImplemented),
    *(Fraction(1, 3), Decimal("1.10"), dt.date(2026, 1, 2), dt.time(3, 4), dt.timedelta(5, 6)),
    *(dt.datetime(2026, 1, 2, 3, tzinfo=dt.UTC), Path("a/b"), int, ValueError),
)
ECHO = "def echo(x): return x"


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_cross_as_what_they_are(value: object) -> None:
    """A value comes back equal, and of the same type."""
    back = Bridged(ECHO).echo(value)
    assert type(value) is type(back)
    assert value == back


@pytest.mark.parametrize(
    "value",
    [
        *([1, [2]], {1, 2}, {"a": [1]}, deque([1, 2], 3), Counter("abca"), bytearray(b"ab")),
        *(OrderedDict(a=1, b=2), defaultdict(list, {1: [2]})),
    ],
    ids=repr,
)
def test_containers_are_real_and_the_same(value: object) -> None:
    """A container that is handed over and handed back is the very same one."""
    assert Bridged(ECHO).echo(value) is value


ARRAYS = (
    *(np.array([[1, 2], [3, 4]], np.uint8), np.array(1.5), np.zeros((0, 3))),
    *(np.array(["a", "bc"]), np.array([b"x"]), np.array([1j, np.nan])),
    *(np.array([True, False]), np.array(["2026-01-02"], "M8[D]")),
    *(np.arange(6).reshape(2, 3).T, np.asfortranarray(np.eye(2)[:, ::-1])),
)


@pytest.mark.parametrize("value", ARRAYS, ids=repr)
def test_arrays_are_real_and_the_same(value: Any) -> None:
    """An array that is handed over is one of the same type, shape and elements there."""
    far: Any = Bridged("def parts(x): return x.dtype.str, x.shape, x.tolist(), x\nmade = []")
    dtype, shape, elements, back = far.parts(value)
    assert (value.dtype.str, value.shape) == (dtype, shape)
    np.testing.assert_array_equal(elements, value.tolist())
    assert back is value


def test_arrays_of_objects_have_them() -> None:
    """What is in an array of objects crosses as it would in a list."""
    far: Any = Bridged(
        "import numpy as np\nclass C: pass\nc = C()\na = np.array([[1], c, None], object)"
    )
    first, second, third = far.a
    assert ([1], None) == (first, third)
    assert far.c is second


def test_changes_in_an_array_reach_the_other_side() -> None:
    """Both sides see what either has written; an array that looks into another one still does."""
    far: Any = Bridged(
        "def fill(a): a[:] = 7\n"
        "def row(a): return a[1]\n"
        "def flat(a): return a.reshape(-1)\n"
        "def total(a): return int(a.sum())\n"
    )
    grid = np.zeros((2, 2), int)
    row, flat = far.row(grid), far.flat(grid)
    row[0] = 5
    flat[0] = 2
    assert [[2, 0], [5, 0]] == grid.tolist()
    assert 7 == far.total(grid)
    far.fill(row)
    assert [[2, 0], [7, 7]] == grid.tolist()
    grid[:] = 1
    assert 2 == far.total(row)


@pytest.mark.parametrize("value", [np.float32(1.5), np.int8(-3), np.str_("é")], ids=repr)
def test_numbers_of_numpy_are_its_own(value: Any) -> None:
    """They come back of the same type; what is no number of numpy's is none of Python's."""
    back = Bridged(ECHO).echo(value)
    assert (type(value), value) == (type(back), back)


def test_an_array_of_records_is_refused() -> None:
    """It says which way out there is."""
    with pytest.raises(Uncrossable, match="use an array of numbers"):
        Bridged(ECHO).echo(np.zeros(2, "i4,f8"))


@pytest.mark.parametrize(
    ("room", "shape", "offset", "strides"),
    [
        (0, (1000,), 0, (8,)),
        (10, (11,), 0, (8,)),
        (10, (2,), -8, (8,)),
        (10, (2,), 0, (-8,)),
        (10, (2, 2), 0, (64, 16)),
        (10, (2,), 2**80, (8,)),
        (10, (1,), 0, (2**80,)),
        (10, (2,), 0, (8.0,)),
        (10, (2,), 0, (8, 8)),
        (10, (2,), 0, None),
    ],
)
def test_no_array_reaches_out_of_another_one(
    room: int, shape: object, offset: int, strides: object
) -> None:
    """What is told of an array that looks into another one is checked here: numpy does not."""
    with pytest.raises(Malformed):
        KINDS["ndarray"].make(None, ("<u8", shape, np.zeros(room), offset, strides))


def test_arrays_look_into_all_of_another_one() -> None:
    """One that begins at the end, and one of nothing, are as they are on the other side."""
    far: Any = Bridged("def ends(a): return a[::-1], a[3:], a[:1, :0]")
    grid = np.arange(6).reshape(3, 2)
    backwards, *empty = far.ends(grid)
    assert [[4, 5], [2, 3], [0, 1]] == backwards.tolist()
    assert [(0, 2), (1, 0)] == [each.shape for each in empty]


def test_an_array_is_never_resized() -> None:
    """Its memory stays where it is, as others look into it; its shape can change."""
    kind, array = KINDS["ndarray"], np.zeros(1)
    first = array[:1]
    with pytest.raises(Malformed, match="must not change"):
        kind.fill(array, [True, (5,), bytes(40)])
    kind.fill(array, [True, (1, 1), np.float64(2).tobytes()])
    assert [2.0] == first.tolist()
    assert "[[2.]]" == str(array)
    far: Any = Bridged("def grow(a): a.resize((9,), refcheck=False)")
    with pytest.raises(Unanswered, match="cannot be resized"):
        far.grow(array)


def test_an_array_that_cannot_be_written_to_stays_so() -> None:
    """Whoever writes to it has the exception; one that is thawed for that is frozen again."""
    far: Any = Bridged(
        "def double(a): a *= 2\n"
        "def thaw(a): a.flags.writeable = True; a *= 2; a.flags.writeable = False\n"
        "def inside(a): return a[1:]\n"
    )
    array = np.ones(2)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        far.double(array)
    assert not far.inside(array).flags.writeable
    far.thaw(array)
    assert ([2, 2], False) == (array.tolist(), array.flags.writeable)
    array.flags.writeable = True
    far.double(array)
    assert [4, 4] == array.tolist()


def test_a_container_keeps_what_it_was_made_with() -> None:
    """A deque keeps its length, a defaultdict its factory, an OrderedDict its order."""
    far: Any = Bridged(
        "from collections import *\n"
        "d = deque([1, 2], 2)\n"
        "f = defaultdict(int, a=1)\n"
        "o = OrderedDict(a=1, b=2); o.move_to_end('a')\n"
    )
    assert 2 == far.d.maxlen
    assert 0 == far.f["new"]
    assert ["b", "a"] == list(far.o)


def test_changes_in_place_reach_the_other_side() -> None:
    """Both sides see what either has done to a list, a set or a dictionary, nested ones too."""
    far: Any = Bridged(
        "inner = [1]\n"
        "kept = {'inner': inner, 'set': set()}\n"
        "def grow(rows): rows[0].append(9); rows.sort(reverse=True)\n"
        "def total(): return sum(inner) + len(kept['set'])\n"
    )
    rows = [[1], [2]]
    far.grow(rows)
    assert [[2], [1, 9]] == rows
    kept = far.kept
    kept["inner"].append(5)
    kept["set"].add("x")
    assert 7 == far.total()
    assert far.inner is kept["inner"]


def test_aliases_stay_aliases() -> None:
    """One list at two places is one list there, and a list can hold itself."""
    far = Bridged("def same(a, b): return a is b[0]\ndef loop(): x = []; x.append(x); return x")
    rows = [1]
    assert far.same(rows, (rows,))
    assert not far.same([1], ([1],))
    loop = far.loop()
    assert loop is loop[0]


def test_containers_that_nobody_holds_are_let_go() -> None:
    """A thousand lists that are used once leave nothing behind on either side."""
    far = Bridged("def make(x): return [x, [x]]\ndef noop(): pass")
    for number in range(50):
        assert number == far.make([number])[0][0]
    far.noop()
    far.noop()
    for host in (far.near, far.far):
        assert 3 > len(host.side.tables.shared._by_key)


CLASSES = """
class Vector:
    'A vector.'
    made = 0
    def __init__(self, x, y): self.x, self.y = x, y; Vector.made += 1
    def __add__(self, o):
        if not isinstance(o, Vector): return NotImplemented
        return Vector(self.x + o.x, self.y + o.y)
    def __rmul__(self, n): return Vector(n * self.x, n * self.y)
    def __eq__(self, o): return isinstance(o, Vector) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __repr__(self): return f"Vector({self.x}, {self.y})"
    def __iter__(self): yield self.x; yield self.y
    def __bool__(self): return bool(self.x or self.y)
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __call__(self, *a, **k): return (a, sorted(k.items()))
    def __enter__(self): return self
    def __exit__(self, kind, error, trace): self.x = kind and kind.__name__; return True
    @property
    def length(self): return (self.x ** 2 + self.y ** 2) ** 0.5
    @staticmethod
    def zero(): return Vector(0, 0)
    @classmethod
    def one(cls): return cls(1, 1)
class Plain:
    def __eq__(self, o): return True
class Child(Vector):
    pass
v = Vector(3, 4)
"""


@pytest.fixture(scope="module")
def far() -> Any:
    """Some classes on the other side."""
    return Bridged(CLASSES)


def test_operators_are_looked_up_on_classes(far: Any) -> None:
    """Python finds on a mirror what is on the class, and nothing else."""
    v = far.Vector(3, 4)
    assert far.Vector(4, 6) == v + far.Vector(1, 2)
    assert far.Vector(6, 8) == 2 * v
    with pytest.raises(TypeError):
        v + 1
    with pytest.raises(TypeError):
        v < far.v  # noqa: B015
    assert "Vector(3, 4)" == repr(v) == str(v) == f"{v}"
    assert [3, 4] == list(v) == [*v]
    assert not far.Vector.zero()
    assert 4 == v[-1]
    assert ((1,), [("k", 2)]) == v(1, k=2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(far.Plain())
    assert not callable(far.Plain())


def test_identity_classes_and_attributes(far: Any) -> None:
    """`is`, `type`, `isinstance` and attributes are what they are in one process."""
    v = far.v
    assert v is far.v
    assert type(v) is far.Vector
    assert v.__class__ is far.Vector
    assert isinstance(far.Child.one(), far.Vector)
    assert issubclass(far.Child, far.Vector)
    assert not isinstance(far.Plain(), far.Vector)
    assert ("Vector", "A vector.", 5.0) == (far.Vector.__name__, v.__doc__, v.length)
    v.new = [1]
    v.new.append(2)
    assert [1, 2] == far.v.new
    assert {"x", "new"} <= set(dir(v))
    del v.new
    assert not hasattr(v, "new")
    assert 1 < far.Vector.made


def test_equal_objects_find_each_other_in_sets(far: Any) -> None:
    """Hashing and equality are those of the class, in sets that are on this side."""
    assert {far.Vector(1, 2)} == {far.Vector(1, 2)}
    assert far.Vector(1, 2) in {far.Vector(1, 2): 1}


def test_with_statements_and_their_exceptions(far: Any) -> None:
    """A context manager learns of an exception, and may swallow it."""
    v = far.Vector(1, 1)
    with v as entered:
        assert entered is v
        raise KeyError
    assert "KeyError" == v.x  # type: ignore[unreachable]  # for who cannot know its `__exit__`


def test_what_cannot_be_copied_is_not_said_to() -> None:
    """`itertools.tee` copies an iterator that has `__copy__`, and remembers the rest of others."""
    one, other = tee(Bridged("def count():\n    yield from range(3)").count())
    assert ([0, 1, 2], [0, 1, 2]) == (list(one), list(other))


def test_copies_are_made_where_the_object_is(far: Any) -> None:
    """A deep copy keeps what is shared in it; what cannot be pickled there is not here."""
    v = far.Vector([1], 2)
    shallow, (deep, deep_too) = copy.copy(v), copy.deepcopy((v, v))
    assert shallow.x is v.x
    assert deep is deep_too
    assert [1] == deep.x
    assert deep.x is not v.x
    with pytest.raises(Exception, match=r"cannot be requested by name here|import of module 'far'"):
        pickle.dumps(v)


def test_subclasses_of_builtins() -> None:
    """A list, a tuple, an int and a dictionary of a class of theirs are such here as well."""
    far: Any = Bridged(
        "from collections import namedtuple\n"
        "class Stack(list):\n"
        "    def push(self, x): self.append(x)\n"
        "class Meters(int): pass\n"
        "Point = namedtuple('Point', 'x y')\n"
    )
    stack: Any = far.Stack([1])
    stack.push(2)
    assert [1, 2] == stack
    assert issubclass(type(stack), list)
    assert [0, 1, 2] == [0] + stack  # noqa: RUF005
    stack[0] = 5
    assert 7 == sum(stack)
    stack.push(1)
    assert [5, 2, 1] == sorted(stack, reverse=True)
    assert (3, far.Meters) == (far.Meters(3), type(far.Meters(3)))
    point = far.Point(1, y=2)
    assert (1, 2) == point
    x, y = point
    assert (1, 2, 1) == (x, y, point.x)
    assert isinstance(point, tuple)


def test_enums() -> None:
    """Members are the same each time; a class of them is iterated, asked and indexed."""
    far = Bridged("import enum\nclass Light(enum.Enum):\n    RED = 1\n    GREEN = 2\n")
    assert far.Light.RED is far.Light(1) is far.Light["RED"]
    assert ["RED", "GREEN"] == [each.name for each in far.Light]
    assert issubclass(far.Light, enum.Enum)
    assert isinstance(far.Light.RED, enum.Enum)
    assert 2 == len(far.Light)
    assert "Light.RED" == str(far.Light.RED)


def test_exceptions_are_of_their_classes() -> None:
    """A class of theirs that derives from ValueError can be caught as both; the cause is there."""
    far: Any = Bridged(
        "class Bad(ValueError):\n"
        "    def __init__(self, text, code): super().__init__(text); self.code = code\n"
        "def fail():\n"
        "    try: {}['a']\n"
        "    except KeyError as error: raise Bad('no', 7) from error\n"
    )
    with pytest.raises(far.Bad, match="no") as caught:
        far.fail()
    raised: Any = caught.value
    assert issubclass(type(raised), ValueError)
    assert (7, ("no",)) == (raised.code, raised.args)
    assert isinstance(raised.__cause__, KeyError)


def test_callbacks_and_their_exceptions() -> None:
    """Functions of this side are called from there; what they raise comes back as itself."""
    far: Any = Bridged(
        "def apply(f, *a): return f(*a)\n"
        "def careful(f):\n"
        "    try: f()\n"
        "    except KeyError as error: return error\n"
        "def twice(f): return lambda x: f(f(x))\n"
    )
    seen: list[int] = []
    mine = KeyError("mine")

    def fail() -> None:
        raise mine

    assert 6 == far.apply(lambda a, b: a * b, 2, 3)
    far.apply(lambda x: seen.append(x), 1)  # noqa: PLW0108 - a function of this side
    assert [1] == seen
    with pytest.raises(KeyError) as caught:
        far.apply(fail)
    assert mine is caught.value
    assert mine is far.careful(fail)
    assert 8 == far.twice(lambda x: 2 * x)(2)
    assert 3 == far.apply(far.apply, lambda: 3)


def test_calls_that_never_end_end_as_recursion() -> None:
    """Sides that call each other without end get the error that one side alone would get."""
    far = Bridged("def apply(f, *a): return f(*a)")

    def again() -> Any:
        return far.apply(again)

    with pytest.raises(RecursionError):
        again()
    assert 1 == far.apply(lambda: 1)


def test_threads_of_this_side_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """One waits for the other; where it would wait forever, it is told so."""
    far: Any = Bridged("total = []\ndef add(x): total.append(x)\ndef call(f): return f()")
    threads = [Thread(target=far.add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {*range(8)} == {*far.total}
    monkeypatch.setattr("grader.plugins.own_tests.bridge.side._LOCK_TIMEOUT_S", 0.01)
    trouble: list[BaseException] = []

    def request() -> None:
        try:
            far.add(9)
        except Uncrossable as error:
            trouble.append(error)

    def wait() -> None:
        thread = Thread(target=request)
        thread.start()
        thread.join()

    far.call(wait)
    assert "wait for the thread" in str(trouble)


def test_what_could_not_be_told_is_told_whole_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where something in a list raises when looked at, the other side knows nothing of the list."""
    far = Bridged(ECHO)

    class Odd:
        is_odd = True

        @property
        def here(self) -> None:
            if self.is_odd:
                raise ZeroDivisionError

    odd = Odd()
    monkeypatch.setattr(
        far.near, "encode_own", lambda value, _write: value.here if value is odd else None
    )
    items = [1, odd]
    with pytest.raises(ZeroDivisionError):
        far.echo(items)
    odd.is_odd = False
    assert far.echo(items) is items


def test_generators_go_on_where_they_were() -> None:
    """`next`, `send`, `throw` and `close` reach a generator; its end is a StopIteration."""
    far: Any = Bridged(
        "closed = []\n"
        "def count():\n"
        "    try:\n"
        "        x = 0\n"
        "        while x < 9: x = (yield x) or x + 1\n"
        "    finally: closed.append(1)\n"
    )
    numbers = far.count()
    assert (0, 1, 7, 8) == (next(numbers), next(numbers), numbers.send(7), next(numbers))
    assert [] == list(numbers)
    numbers = far.count()
    next(numbers)
    numbers.close()
    assert [1, 1] == far.closed
    with pytest.raises(StopIteration):
        next(numbers)


def test_classes_of_this_side_build_on_theirs() -> None:
    """A method that is defined here is called from there, and finds the one that it overrides."""
    far: Any = Bridged(
        "class Shape:\n"
        "    def __init__(self, n): self.n = n\n"
        "    def area(self): raise NotImplementedError\n"
        "    def double(self): return 2 * self.area()\n"
    )

    class Square(far.Shape):  # type: ignore[misc]
        def __init__(self, n: int) -> None:
            super().__init__(n + 1)

        def area(self) -> int:
            return int(self.n) ** 2

        def double(self) -> int:
            return int(super().double()) + 1

    square = Square(2)
    assert (9, 19) == (square.area(), square.double())
    assert isinstance(square, far.Shape)
    assert type(square) is Square
    with pytest.raises(NotImplementedError):
        far.Shape(1).area()


def test_an_object_of_another_life_is_refused() -> None:
    """What was made in an executor that is gone cannot be used, and says what to do."""
    there = Bridged(CLASSES)
    there.near.side.process = 1
    v = there.Vector(1, 2)
    there.near.side.process = 2
    with pytest.raises(Uncrossable, match="--fresh=session"):
        repr(v)


@pytest.mark.parametrize(
    "told",
    [
        *([], ["?"], [1], ["x", 99], ["x", "1"], ["o", 99, ["k", "int"], None], ["k", "eval"]),
        *(["f", "x"], ["i", "12"], ["q", 1, 0], ["q", 1, 2, 3], ["r", 0, 1, 0], ["m", "1e999999"]),
        *(["B", "date", [0, 0, 0]], ["B", "system", []], ["N", "x"], ["b", "zz"], {"a": 1}, 1.5),
        *(["o", 5, ["k", "object"], 1], ["e", 5, ["k", "int"], [], None, None, False, []]),
        *(["K", "os", "system"], ["M", "a", "__class__"], ["o", -1, ["k", "object"], None]),
        *([["t", [["t", []]]]], ["z", [["x", 7]]], ["f*", 5, "a\0b", None, None]),
    ],
    ids=repr,
)
def test_what_no_side_sends_is_malformed(told: Any) -> None:
    """Nothing that arrives is believed: what has not its shape ends it all."""
    reader = Bridged(ECHO).near.side._apply({})
    if told == ["o", 5, ["k", "object"], 1]:
        assert "object" in repr(reader.read(told))  # it holds nothing, so what it says is ignored
    else:
        with pytest.raises(Malformed):
            reader.read(told)


def test_sets_of_numbers_that_collide_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set that would take forever to make is not made."""
    far = Bridged(ECHO)
    clock = iter(range(1000))
    monkeypatch.setattr(far.near, "used_cpu_s", lambda: float(next(clock)))
    reader = far.near.side._apply({})
    with pytest.raises(Malformed, match="takes too long"):
        reader.containers([[1, list(range(5000)), "set", None, None]])


def test_methods_of_a_standard_class_are_not_run_here(tmp_path: Path) -> None:
    """Whoever claims to be of a class that opens files, and to define nothing, is asked as well."""
    requester: Any = _Asker()
    place = RemoteReference(requester, 1, 0)
    told: tuple[Any, ...] = ("FileType", "FileType", "argparse", (), None, (), (), (), None)
    mirror = mirror_of(MirroredClass(*told), place)
    assert issubclass(mirror, argparse.FileType)
    proxy: Any = empty_instance(mirror, None)
    set_reference(proxy, place)
    assert "special" == proxy(str(tmp_path / "a"))
    assert [] == list(tmp_path.iterdir())


class _Asker:
    """Answers with what it is asked."""

    def request(self, act: str, *_about: Any) -> str:
        """Return the act."""
        return act


def test_a_class_of_too_many_others_is_refused() -> None:
    """To put its bases in order would take this side hours, where nobody looks at the clock."""
    source = "class C0: pass\n" + "".join(f"class C{n + 1}(C{n}): pass\n" for n in range(310))
    far = Bridged(f"{source}def made(): return C310()\ndef echo(x): return x")
    for _ in range(2):
        with pytest.raises(Unanswered, match="use fewer base classes"):
            far.made()
    assert 1 == far.echo(1)
    keys = range(1000, 1310)
    classes: list[Any] = [[key, "C", "C", "m", [["x", key - 1]], *_NOTHING] for key in keys]
    classes[0][4] = []
    with pytest.raises(Malformed, match="too many ancestors"):
        Bridged(ECHO).near.side._apply({"classes": classes})


_NOTHING: Final[tuple[Any, ...]] = (None, [], [], [], None)
"""The rest of the description of a class: it has no metaclass and no methods."""


def test_classes_are_counted_over_all_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever makes a new class for each call fills the memory of this side, where they stay."""
    monkeypatch.setattr("grader.plugins.own_tests.bridge.tables.MAX_PERMANENT", 10)
    far = Bridged("def made(): return type('New', (), {})()\ndef echo(x): return x")
    made = [far.made() for _ in range(5)]
    assert 5 == len(set(map(type, made)))
    with pytest.raises(Unanswered, match="too many classes"):
        made += [far.made() for _ in range(6)]
    assert made[0] is far.echo(made[0])
    with pytest.raises(Malformed, match="a class is described twice"):
        far.near.side._apply({"classes": [[99, "New", "New", "m", [], *_NOTHING]]})
