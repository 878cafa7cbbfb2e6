"""Measures what a call costs: bytes, comparisons, CPU time. Runs beside the submission.

`size` adds up what a value and the module variables of the submission take, down to the last object
that they reach. `counts` counts comparisons: of integers that `counting` has put in the place of
others. They are of a subclass, so that Python asks them first, even where a list in C compares them
with plain ones. `timed` reads the CPU clock of this thread, which stands still while another
process has the core.

No method that the submission wrote is called here, but by the call that is measured. It shares this
process and could forge all of it: evidence about itself, and about nobody else.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import ModuleSpec
from types import CodeType, FrameType, FunctionType, MethodDescriptorType, ModuleType
from typing import Any, Final, TypeAlias

from grader.executor.imports import SubmissionImporter

Thunk: TypeAlias = Callable[[], Any]

BLOCKS: Final = 9
_BLOCK_NS: Final = 300_000
_ALL_BLOCKS_NS: Final = 60_000_000
_MOST_CALLS: Final = 1 << 20
"""In one block: calls take more than a nanosecond, whatever the clock says."""

_clock: Final = time.thread_time_ns if hasattr(time, "thread_time_ns") else time.process_time_ns
_referents: Final = gc.get_referents
_gc_is_enabled: Final = gc.isenabled
_gc_disable: Final = gc.disable
_gc_enable: Final = gc.enable
_references: Final = sys.getrefcount
_loaded_modules: Final = sys.modules
_mro: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_class_dict: Final[Callable[[type], Any]] = type.__dict__["__dict__"].__get__
_flags: Final[Callable[[type], int]] = type.__dict__["__flags__"].__get__
_module_dict: Final[Callable[[ModuleType], dict[str, Any]]] = vars(ModuleType)["__dict__"].__get__


def timed(thunk: Thunk) -> tuple[Any, int, int]:
    """Return what `thunk` gives the first time, and the CPU nanoseconds that a call takes.

    The least of nine blocks of calls, or of as many as there is time for, comes before the most.
    """
    answer = thunk()
    was_enabled = _gc_is_enabled()
    _gc_disable()
    try:
        calls, spent = _calibrated(thunk)
        least, most, left = spent, spent, _ALL_BLOCKS_NS - spent
        for _ in range(BLOCKS):
            if left < least:
                break
            spent = _block(thunk, calls)
            least, most, left = min(least, spent), max(most, spent), left - spent
    finally:
        if was_enabled:
            _gc_enable()
    return answer, least // calls, most // calls


def _calibrated(thunk: Thunk) -> tuple[int, int]:
    """Return how many calls make a block that is long enough, and how long it took."""
    calls = 1
    while (spent := _block(thunk, calls)) < _BLOCK_NS and calls < _MOST_CALLS:
        calls *= 2
    return calls, spent


def _block(thunk: Thunk, calls: int) -> int:
    repeated = (None,) * calls
    start = _clock()
    for _ in repeated:
        thunk()
    return _clock() - start


class _Counter:
    """How often integers that count were compared or hashed, and what was compared last."""

    __slots__ = ("count", "last", "steps")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.count = 0
        self.steps = 0
        """Comparisons that look like steps in a walk through a `range`, and are not in `count`."""
        self.last = 0


_counter: Final = _Counter()
_USUAL_REFERENCES: Final[list[int]] = []
"""How many references there are to an integer that only C code holds, where `_note` looks at it."""
_LARGEST_SHARED: Final = 256
"""CPython keeps the integers up to this one, so their references tell nothing."""


def _note(other: object) -> None:
    """Count one comparison, apart if it may be a step in a walk through a `range`.

    `x in range(1, 2049)` looks at nothing for a plain `x`, but at all numbers for a subclass: that
    is our doing. They come one by one, new ones that nobody else holds.
    """
    if type(other) is int:
        is_new = _references(other) <= _USUAL_REFERENCES[0]  # before we hold it, too
        last, _counter.last = _counter.last, other
        if is_new or (0 <= other <= _LARGEST_SHARED and other == last + 1):
            _counter.steps += 1
            return
    _counter.count += 1


def _counting_methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
        yield name, _comparing(int.__dict__[name])
    yield "__hash__", _hashing(int.__dict__["__hash__"])


def _comparing(compare: Callable[[int, object], Any]) -> Callable[..., Any]:
    def compared(self: int, other: object, /) -> Any:
        _note(other)
        return compare(self, other)

    return compared


def _hashing(hash_of: Callable[[int], int]) -> Callable[[int], int]:
    def hashed(self: int, /) -> int:
        _counter.count += 1
        return hash_of(self)

    return hashed


CountingInt: Final[Any] = type("int", (int,), {"__slots__": (), **dict(_counting_methods())})
"""An integer that counts how often it is compared and hashed."""


class _Probe(int):
    """An integer that learns how many references there are to what a range compares it with."""

    __slots__ = ()

    def __eq__(self, other: object, /) -> bool:
        _learn(other)
        return False

    __hash__ = int.__hash__


def _learn(other: object) -> None:
    _USUAL_REFERENCES.append(_references(other))


def _learn_references() -> None:
    assert _Probe() not in range(1 << 20, (1 << 20) + 2)
    _USUAL_REFERENCES[:] = [max(_USUAL_REFERENCES)]


_learn_references()


def counting(value: Any) -> Any:
    """Return `value` with integers that count in the place of others, however deep they are."""
    return _mapped(value, int, CountingInt)


def counts(thunk: Thunk) -> tuple[Any, int, int]:
    """Return what `thunk` gives, with plain integers, and the comparisons that it took.

    The first number leaves out what may be our doing, see `_note`; the second one does not. It is
    called twice, and the second time counts: who remembers answers is fast in all honesty.
    """
    answer = thunk()
    _counter.clear()
    thunk()
    count, steps = _counter.count, _counter.steps
    return _mapped(answer, CountingInt, int), count, count + steps


def _mapped(value: Any, old: type, new: Callable[[Any], Any]) -> Any:
    """Return `value` with what is exactly `old` made `new`, in exact tuples, lists, sets, dicts."""
    kind = type(value)
    if kind is old:
        return new(value)
    if kind is tuple or kind is list or kind is set or kind is frozenset:
        return kind([_mapped(item, old, new) for item in value])
    if kind is dict:
        return {_mapped(k, old, new): _mapped(v, old, new) for k, v in value.items()}
    return value


_SKIPPED: Final = (type, ModuleType, CodeType, FrameType)
_OWN_TO_PYTHON: Final = frozenset({"__builtins__", "__loader__", "__spec__"})
MAX_OBJECTS: Final = 4_000_000
_HAS_GC_HEAD: Final = 1 << 14
"""Py_TPFLAGS_HAVE_GC: the collector keeps two pointers in front of objects of such a type."""
_GC_HEAD_BYTES: Final = 16


UNKNOWN: Final = -1, -1
"""The figures of what is too much to go through."""


def size(value: Any, most: int = MAX_OBJECTS) -> tuple[int, int]:
    """Return the bytes that `value` reaches, and those that it and all module variables reach.

    These are `UNKNOWN` where that is more than `most` objects.
    """
    walk = _Walk(most)
    own = walk.bytes_of([value])
    others = walk.bytes_of(_module_variables())
    return UNKNOWN if walk.is_cut_short else (own, own + others)


class _Walk:
    """Goes from object to object, and adds up what those take that it has not met yet."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._met: Final[dict[int, object]] = {}
        """Objects by their id, kept alive so that the id stays theirs."""
        self.is_cut_short = False
        """Whether there is more than the `most` objects that are met."""

    def bytes_of(self, roots: Iterable[Any]) -> int:
        """Return the bytes of all that can be reached from `roots` and is new."""
        total, waiting = 0, list(roots)
        while waiting and not self.is_cut_short:
            thing = waiting.pop()
            if id(thing) in self._met or issubclass(type(thing), _SKIPPED):
                continue
            self.is_cut_short = len(self._met) >= self._most
            self._met[id(thing)] = thing
            total += _own_bytes(thing)
            waiting += _reached(thing)
        return total


def _module_variables() -> list[Any]:
    """Return what the modules of the submission and their classes have under names."""
    namespaces = []
    for module in list(_loaded_modules.values()):
        if type(module) is not ModuleType:
            continue
        namespace = _module_dict(module)
        spec = namespace.get("__spec__")
        if type(spec) is ModuleSpec and type(spec.loader) is SubmissionImporter:
            namespaces.append(namespace)
    names = {namespace.get("__name__") for namespace in namespaces}
    found = [v for space in namespaces for k, v in space.items() if k not in _OWN_TO_PYTHON]
    classes = [each for each in found if issubclass(type(each), type)]
    for each in classes:
        attributes = _class_dict(each)
        module_name = attributes.get("__module__")
        if type(module_name) is str and module_name in names:
            found += attributes.values()
    return found


def _reached(thing: Any) -> list[Any]:
    if type(thing) is FunctionType:  # its module's names and its code are no data
        held = (thing.__closure__, thing.__defaults__, thing.__kwdefaults__, thing.__dict__)
        return [each for each in held if each]
    ndarray = _ndarray()
    if ndarray is not None and issubclass(type(thing), ndarray):
        return [_class_dict(ndarray)["base"].__get__(thing)]
    return _referents(thing)


def _ndarray() -> type | None:
    """Return numpy's class of arrays, if numpy is there: the collector does not see into them."""
    numpy = _loaded_modules.get("numpy")
    found = None if type(numpy) is not ModuleType else _module_dict(numpy).get("ndarray")
    return found if isinstance(found, type) else None


def _own_bytes(thing: Any) -> int:
    """Return the bytes of `thing` alone, as told by C code: its class may have a `__sizeof__`."""
    if type(thing) is FunctionType:
        return 0
    for base in _mro(type(thing)):
        measure = _class_dict(base).get("__sizeof__")
        if type(measure) is MethodDescriptorType:
            told: int = measure(thing)
            return told + (_GC_HEAD_BYTES if _flags(type(thing)) & _HAS_GC_HEAD else 0)
    return 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "size": size,
    "counting": counting,
    "counts": counts,
    "timed": timed,
}
"""What the steps of a probe call."""
