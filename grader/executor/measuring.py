"""Measures what a call costs: bytes, comparisons, CPU time. Runs in the submission's process.

`size` adds up the bytes of all objects that a value and the submission's module variables reach.
`counts` counts comparisons of integers that `counting` has put in place of plain ones. They are of
a subclass, so that Python calls their methods first, even where C code compares them with plain
ones. `timed` reads the CPU clock of this thread, which stands still while another process runs.

No method of the submission is called here, except by the measured call. The submission shares this
process and could forge everything: the results are evidence about itself only.
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
_MAX_CALLS: Final = 1 << 20
"""Limit for one block, in case the clock is wrong: a call takes more than a nanosecond."""

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
    """Return the first result of `thunk`, and the least and most CPU nanoseconds per call.

    These are taken over nine blocks of calls, or as many as there is time for.
    """
    answer = thunk()
    was_enabled = _gc_is_enabled()
    _gc_disable()  # a collection would count as time of the call
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
    """Return how many calls make a block long enough to measure, and its nanoseconds."""
    calls = 1
    while (spent := _block(thunk, calls)) < _BLOCK_NS and calls < _MAX_CALLS:
        calls *= 2
    return calls, spent


def _block(thunk: Thunk, calls: int) -> int:
    repeated = (None,) * calls
    start = _clock()
    for _ in repeated:
        thunk()
    return _clock() - start


class _Counter:
    """Counts comparisons and hashes of counting integers, and keeps the last other operand."""

    __slots__ = ("count", "last", "steps")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Set all counts to 0."""
        self.count = 0
        self.steps = 0
        """Comparisons that look like steps through a `range`; they are not in `count`."""
        self.last = 0


_counter: Final = _Counter()
_USUAL_REFERENCES: Final[list[int]] = []
"""The reference count that `_note` sees for an integer that only C code holds."""
_LARGEST_SHARED: Final = 256
"""CPython shares integers up to this one, so their reference counts say nothing."""


def _note(other: object) -> None:
    """Count one comparison, separately if it may be a step through a `range`.

    `x in range(1, 2049)` compares nothing for a plain `x`, but all numbers for our subclass: the
    submission is not to blame. Such numbers come in order, and nothing else refers to them.
    """
    if type(other) is int:
        is_new = _references(other) <= _USUAL_REFERENCES[0]  # read before we refer to it, too
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
    """An integer that records the reference counts of what a range compares it with."""

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
    """Return `value` with all integers in it, at any depth, replaced by counting ones."""
    return _mapped(value, int, CountingInt)


def counts(thunk: Thunk) -> tuple[Any, int, int]:
    """Return the result of `thunk`, with plain integers, and its number of comparisons twice.

    The first number leaves out those that our subclass may have caused, see `_note`. It is called
    twice, and the second time is counted: programs may remember answers.
    """
    answer = thunk()
    _counter.clear()
    thunk()
    count, steps = _counter.count, _counter.steps
    return _mapped(answer, CountingInt, int), count, count + steps


def _mapped(value: Any, old: type, new: Callable[[Any], Any]) -> Any:
    """Return `value` with `new` applied to all of exact type `old`, also in built-in containers."""
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
"""Py_TPFLAGS_HAVE_GC: objects of such a type have two pointers in front, for the collector."""
_GC_HEAD_BYTES: Final = 16


UNKNOWN: Final = -1, -1
"""The result if there are too many objects."""


def size(value: Any, most: int = MAX_OBJECTS) -> tuple[int, int]:
    """Return the bytes of all that `value` reaches, and of what it and all module variables reach.

    Return `UNKNOWN` for more than `most` objects.
    """
    walk = _Walk(most)
    own = walk.bytes_of([value])
    others = walk.bytes_of(_module_variables())
    return UNKNOWN if walk.is_cut_short else (own, own + others)


class _Walk:
    """Walks from object to object, and adds up the sizes of those not met before."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._met: Final[dict[int, object]] = {}
        """Objects by id, kept alive so that the id is not reused."""
        self.is_cut_short = False
        """Whether there were more than `most` objects."""

    def bytes_of(self, roots: Iterable[Any]) -> int:
        """Return the bytes of all objects reached from `roots` that were not met before."""
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
    """Return the values of all names in the submission's modules and their classes."""
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
    if type(thing) is FunctionType:  # its globals and its code are not counted as data
        held = (thing.__closure__, thing.__defaults__, thing.__kwdefaults__, thing.__dict__)
        return [each for each in held if each]
    ndarray = _ndarray()
    if ndarray is not None and issubclass(type(thing), ndarray):
        return [_class_dict(ndarray)["base"].__get__(thing)]
    return _referents(thing)


def _ndarray() -> type | None:
    """Return numpy's array class, if loaded: the collector does not know what arrays refer to."""
    numpy = _loaded_modules.get("numpy")
    found = None if type(numpy) is not ModuleType else _module_dict(numpy).get("ndarray")
    return found if isinstance(found, type) else None


def _own_bytes(thing: Any) -> int:
    """Return the bytes of `thing` alone, by a `__sizeof__` in C: its class may define its own."""
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
"""The functions that steps of a probe can call."""
