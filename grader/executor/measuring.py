"""Measures the cost of a call: bytes, comparisons, CPU time. Runs in the submission's process.

`measure_size` adds up the bytes of all objects that can be reached from a value and from the
submission's module variables. `count_comparisons` counts comparisons of integers that
`to_counting_ints` has put in place of plain ones. They are of a subclass, so that Python calls
their methods first, even where C code compares them with plain integers. `measure_time` reads the
CPU clock of this thread, which does not advance while another process runs.

No method of the submission is called here, except by the measured call. The submission shares this
process and could forge everything: the results are evidence about that submission only.
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
"""A block has enough calls to take this long, because shorter times are measured inaccurately."""
_ALL_BLOCKS_NS: Final = 60_000_000
_MAX_CALLS: Final = 1 << 20
"""The maximum number of calls in one block, in case the clock stands still. With a working clock,
any call repeated so often takes a measurable time."""

_clock: Final = time.thread_time_ns if hasattr(time, "thread_time_ns") else time.process_time_ns
_referents: Final = gc.get_referents
_gc_is_enabled: Final = gc.isenabled
_gc_disable: Final = gc.disable
_gc_enable: Final = gc.enable
_reference_count: Final = sys.getrefcount
_loaded_modules: Final = sys.modules
_mro: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_class_dict: Final[Callable[[type], Any]] = type.__dict__["__dict__"].__get__
_flags: Final[Callable[[type], int]] = type.__dict__["__flags__"].__get__
_module_dict: Final[Callable[[ModuleType], dict[str, Any]]] = vars(ModuleType)["__dict__"].__get__


def measure_time(thunk: Thunk) -> tuple[Any, int, int]:
    """Return the result of `thunk`, and the least and the most CPU nanoseconds per call.

    The times are measured over nine blocks of calls, or fewer if the blocks take too long. Garbage
    is not collected meanwhile.
    """
    answer = thunk()
    was_enabled = _gc_is_enabled()
    _gc_disable()  # a collection would count as time of the call
    try:
        calls, elapsed_ns = _calibrate(thunk)
        min_ns, max_ns, remaining_ns = elapsed_ns, elapsed_ns, _ALL_BLOCKS_NS - elapsed_ns
        for _ in range(BLOCKS):
            if remaining_ns < min_ns:
                break
            elapsed_ns = _time_block(thunk, calls)
            min_ns, max_ns = min(min_ns, elapsed_ns), max(max_ns, elapsed_ns)
            remaining_ns -= elapsed_ns
    finally:
        if was_enabled:
            _gc_enable()
    return answer, min_ns // calls, max_ns // calls


def _calibrate(thunk: Thunk) -> tuple[int, int]:
    """Return how many calls make a block long enough to measure, and its CPU nanoseconds."""
    calls = 1
    while (elapsed_ns := _time_block(thunk, calls)) < _BLOCK_NS and calls < _MAX_CALLS:
        calls *= 2
    return calls, elapsed_ns


def _time_block(thunk: Thunk, calls: int) -> int:
    """Return the CPU nanoseconds that `calls` calls of `thunk` take."""
    repeated = (None,) * calls  # cheaper to go through than a `range`, which creates integers
    start = _clock()
    for _ in repeated:
        thunk()
    return _clock() - start


class _Counter:
    """Counts comparisons and hashes of counting integers."""

    __slots__ = ("count", "last_compared", "steps")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Set all counts to 0."""
        self.count = 0
        self.steps = 0
        """Comparisons that look like steps through a `range`; they are not in `count`."""
        self.last_compared = 0
        """The plain integer that was compared last."""


_counter: Final = _Counter()
_USUAL_COUNTS: Final[list[int]] = []
"""The reference count, in `_count_comparison`, of an integer that only C code refers to."""
_LARGEST_SHARED: Final = 256
"""CPython shares integers up to this one, so their reference counts show nothing."""


def _count_comparison(other: object) -> None:
    """Count one comparison with `other`.

    A comparison that might come from stepping through a `range` is counted separately. If `x` is a
    plain integer, `x in range(1, 2049)` makes no comparisons. If it is an instance of our subclass,
    Python compares it with each number, which is not the submission's fault. Such a number is
    recognised in two ways: nothing else refers to it, or it is small and follows the number that
    was compared last, because CPython shares small integers.
    """
    if type(other) is int:
        is_new = _reference_count(other) <= _USUAL_COUNTS[0]  # read before we add a reference
        last, _counter.last_compared = _counter.last_compared, other
        if is_new or (0 <= other <= _LARGEST_SHARED and other == last + 1):
            _counter.steps += 1
            return
    _counter.count += 1


def _counting_methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the name and the function of each special method of a counting integer."""
    for name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
        yield name, _make_comparison(int.__dict__[name])
    yield "__hash__", _make_hash(int.__dict__["__hash__"])


def _make_comparison(compare: Callable[[int, object], Any]) -> Callable[..., Any]:
    """Return a method that counts a comparison, then does what `compare` does."""

    def comparison(self: int, other: object, /) -> Any:
        _count_comparison(other)
        return compare(self, other)

    return comparison


def _make_hash(hash_of: Callable[[int], int]) -> Callable[[int], int]:
    """Return a method that counts a hash, then does what `hash_of` does."""

    def counted_hash(self: int, /) -> int:
        _counter.count += 1
        return hash_of(self)

    return counted_hash


CountingInt: Final[Any] = type("int", (int,), {"__slots__": (), **dict(_counting_methods())})
"""An integer that counts how often it is compared and hashed."""


class _Probe(int):
    """An integer that records the reference counts of the numbers that a range compares it with."""

    __slots__ = ()

    def __eq__(self, other: object, /) -> bool:
        _record_references(other)
        return False

    __hash__ = int.__hash__


def _record_references(other: object) -> None:
    _USUAL_COUNTS.append(_reference_count(other))


def _measure_references() -> None:
    """Store in `_USUAL_COUNTS` the reference count of a number that only C code refers to."""
    assert _Probe() not in range(1 << 20, (1 << 20) + 2)
    _USUAL_COUNTS[:] = [max(_USUAL_COUNTS)]


_measure_references()


def to_counting_ints(value: Any) -> Any:
    """Return `value` with all integers in it, at any depth, replaced with counting ones."""
    return _convert(value, int, CountingInt)


def count_comparisons(thunk: Thunk) -> tuple[Any, int, int]:
    """Return the result of `thunk`, with plain integers, and two counts of its comparisons.

    The first count leaves out comparisons that our subclass might have caused; the second includes
    them. See `_count_comparison`. `thunk` is called twice, and the second call is counted, because
    programs can cache answers.
    """
    answer = thunk()
    _counter.clear()
    thunk()
    count, steps = _counter.count, _counter.steps
    return _convert(answer, CountingInt, int), count, count + steps


def _convert(value: Any, old_type: type, convert: Callable[[Any], Any]) -> Any:
    """Return `value` with `convert` applied to each object of exactly `old_type`, at any depth."""
    kind = type(value)
    if kind is old_type:
        return convert(value)
    if kind is tuple or kind is list or kind is set or kind is frozenset:
        return kind([_convert(item, old_type, convert) for item in value])
    if kind is dict:
        return {
            _convert(key, old_type, convert): _convert(item, old_type, convert)
            for key, item in value.items()
        }
    return value


_SKIPPED: Final = (type, ModuleType, CodeType, FrameType)
_MODULE_ATTRIBUTES: Final = frozenset({"__builtins__", "__loader__", "__spec__"})
MAX_OBJECTS: Final = 4_000_000
_HAS_GC_HEAD: Final = 1 << 14
"""Py_TPFLAGS_HAVE_GC: objects of such a type are preceded by two pointers for the collector."""
_GC_HEAD_BYTES: Final = 16


UNKNOWN: Final = -1, -1
"""The sizes if there are too many objects."""


def measure_size(value: Any, max_objects: int = MAX_OBJECTS) -> tuple[int, int]:
    """Return the bytes reachable from `value`, and those from `value` and all module variables.

    Return `UNKNOWN` if there are more than `max_objects` objects.
    """
    walk = _Walk(max_objects)
    # One walk for both, so that what the value and the variables share is counted once.
    value_bytes = walk.bytes_of([value])
    variable_bytes = walk.bytes_of(_module_variables())
    return UNKNOWN if walk.is_cut_short else (value_bytes, value_bytes + variable_bytes)


class _Walk:
    """Walks from object to object, and adds up the sizes of those not visited before."""

    def __init__(self, max_objects: int) -> None:
        self._max_objects: Final = max_objects
        self._visited: Final[dict[int, object]] = {}
        """Objects by id, kept alive so that the id is not reused."""
        self.is_cut_short = False
        """Whether there were more than `max_objects` objects."""

    def bytes_of(self, roots: Iterable[Any]) -> int:
        """Return the bytes of all objects reachable from `roots` that were not visited before."""
        total, pending = 0, list(roots)
        while pending and not self.is_cut_short:
            item = pending.pop()
            if id(item) in self._visited or issubclass(type(item), _SKIPPED):
                continue
            self.is_cut_short = len(self._visited) >= self._max_objects
            self._visited[id(item)] = item
            total += _own_bytes(item)
            pending += _references_of(item)
        return total


def _module_variables() -> list[Any]:
    """Return the values of all variables of the submission's modules and of their classes."""
    namespaces = []
    for module in list(_loaded_modules.values()):
        if type(module) is not ModuleType:
            continue
        namespace = _module_dict(module)
        spec = namespace.get("__spec__")
        if type(spec) is ModuleSpec and type(spec.loader) is SubmissionImporter:
            namespaces.append(namespace)
    names = {namespace.get("__name__") for namespace in namespaces}
    values = [
        value
        for namespace in namespaces
        for name, value in namespace.items()
        if name not in _MODULE_ATTRIBUTES
    ]
    classes = [value for value in values if issubclass(type(value), type)]
    for cls in classes:
        attributes = _class_dict(cls)
        module_name = attributes.get("__module__")
        if type(module_name) is str and module_name in names:
            values += attributes.values()
    return values


def _references_of(item: Any) -> list[Any]:
    """Return the objects that `item` refers to, except code and globals, which are not data."""
    if type(item) is FunctionType:
        parts = (item.__closure__, item.__defaults__, item.__kwdefaults__, item.__dict__)
        return [part for part in parts if part]
    ndarray = _ndarray()
    if ndarray is not None and issubclass(type(item), ndarray):
        return [_class_dict(ndarray)["base"].__get__(item)]
    return _referents(item)


def _ndarray() -> type | None:
    """Return numpy's array class, or None if numpy is not loaded."""
    # A special case, because the garbage collector cannot see the references of arrays.
    numpy = _loaded_modules.get("numpy")
    array_class = None if type(numpy) is not ModuleType else _module_dict(numpy).get("ndarray")
    return array_class if isinstance(array_class, type) else None


def _own_bytes(item: Any) -> int:
    """Return the bytes of `item` alone, or 0 for a function.

    Uses the nearest `__sizeof__` in C, because a class of the submission might override it.
    """
    if type(item) is FunctionType:
        return 0
    for base in _mro(type(item)):
        measure = _class_dict(base).get("__sizeof__")
        if type(measure) is MethodDescriptorType:
            byte_count: int = measure(item)
            return byte_count + (_GC_HEAD_BYTES if _flags(type(item)) & _HAS_GC_HEAD else 0)
    return 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "size": measure_size,
    "counting": to_counting_ints,
    "counts": count_comparisons,
    "timed": measure_time,
}
"""The functions that steps of a probe can call."""
