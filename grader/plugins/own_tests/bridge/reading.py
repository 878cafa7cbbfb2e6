"""Decodes the values in messages without trusting their content.

Whatever the other side sends becomes a value, a proxy or a `Malformed` error. None of it is run as
code. A message can refer only to those objects of this side whose keys the other side was given.
"""

from __future__ import annotations

import datetime as dt
import pathlib
import sys
from collections.abc import Callable
from decimal import InvalidOperation
from fractions import Fraction
from types import FunctionType, MethodType, NoneType
from typing import Any, Final, get_args, get_type_hints

from grader.plugins.own_tests.bridge.checked_shapes import (
    as_int,
    as_key,
    as_list,
    as_name,
    as_pair,
    as_parts,
    as_text,
)
from grader.plugins.own_tests.bridge.containers import KINDS, SharedContainer
from grader.plugins.own_tests.bridge.hosts import Host
from grader.plugins.own_tests.bridge.mirrors import MirroredClass, empty_instance, mirror_of
from grader.plugins.own_tests.bridge.parameters import signature_of
from grader.plugins.own_tests.bridge.plain_values import MAX_FRACTION_BITS, PLAIN
from grader.plugins.own_tests.bridge.proxies import (
    Proxy,
    RemoteReference,
    Requester,
    is_mirror,
    set_reference,
)
from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import (
    IMMUTABLE_BASES,
    MAX_ANCESTORS,
    MAX_TUPLES,
    Malformed,
    WireTag,
    mro_of,
)
from grader.protocol import ValueTag

_MAX_FILL_S: Final = 2.0
"""The CPU time for filling one container. Filling a set takes quadratic time if hashes collide."""
_FIELD_TYPES: Final = tuple(get_type_hints(MirroredClass).values())
_BATCH: Final = 500
"""How many elements are hashed before the CPU time is read again."""
_MAX_INTERNED_CHARS: Final = 20


class MessageReader:
    """Decodes the values of one message; all methods raise `Malformed` if it is invalid."""

    def __init__(self, tables: Tables, requester: Requester, host: Host, process: int) -> None:
        self._tables: Final = tables
        self._requester: Final = requester
        self.host: Final = host
        self._process: Final = process
        self._object_mirror: type | None = None
        self._received: Final[dict[int, Any]] = {}
        """Containers of this message by key: a nested request can release one before it is used."""

    def classes(self, encoded: Any) -> None:
        """Create and register mirrors for the new classes that a message describes."""
        for description in as_list(encoded):
            key, *parts = as_parts(description, 1 + len(_FIELD_TYPES))
            if self._tables.is_full or self._tables.remote(as_key(key)) is not None:
                raise Malformed("a class is described twice, or there are too many classes")
            definition = MirroredClass(*map(self._read_field, parts, _FIELD_TYPES))
            if sum(len(mro_of(base)) for base in definition.bases) > MAX_ANCESTORS:
                raise Malformed(
                    f"a class has too many ancestors: at most {MAX_ANCESTORS} are allowed"
                )
            mirror = mirror_of(definition, RemoteReference(self._requester, key, self._process))
            self._tables.keep(key, mirror)

    def _read_field(self, encoded: Any, field_type: Any) -> Any:
        """Return one field of a class description; `field_type` is its type in `MirroredClass`."""
        if field_type is str:
            return as_name(encoded)
        if field_type is type:
            return self._read_class(encoded)
        inner, other_type = get_args(field_type)
        if other_type is not NoneType:  # `tuple[inner, ...]`
            return tuple(self._read_field(item, inner) for item in as_list(encoded))
        return None if encoded is None else self._read_field(encoded, inner)

    def containers(self, encoded: Any) -> None:
        """Fill the containers that are new or have changed.

        Adding an object of the other side to a set can send a request for its hash. So all
        containers are registered first, and the message with that request leaves out those that
        are still being filled.
        """
        entries = [
            (self._mark_busy(item), as_list(item[1])) for item in map(as_list, as_list(encoded))
        ]
        for entry, parts in entries:
            values = [self.read(part) for part in parts]
            try:
                self._fill(entry, values)
            except TypeError as error:
                raise Malformed("an element does not fit its container") from error
            finally:
                entry.snapshot, entry.is_known = entry.kind.take_snapshot(entry.value), True
                entry.is_busy = False

    def _mark_busy(self, encoded: list[Any]) -> SharedContainer:
        """Mark the shared container that `encoded` refers to as busy, and return its table entry.

        If the container is new, it is created and registered first.
        """
        if len(encoded) == 2:
            # A key is positive for the side that assigned it, and negative for the other side.
            entry = self._tables.shared.at(-as_int(encoded[0]))
            if entry is None:
                raise Malformed("no shared container has this key")
        else:
            entry = self._new_entry(*as_parts(encoded, 5))
        entry.is_busy = True
        self._received[entry.key] = entry.value
        return entry

    def _new_entry(
        self, key: Any, _parts: Any, kind_name: Any, cls: Any, encoded_argument: Any
    ) -> SharedContainer:
        """Create and register the empty container that a message describes."""
        kind = KINDS.get(as_text(kind_name))
        if kind is None or self._tables.shared.at(-as_key(key)) is not None:
            raise Malformed("a new container has an unknown kind, or a key in use")
        mirror = None if cls is None else self._read_class(cls)
        is_permitted = mirror is not None and not kind.is_final and is_mirror(mirror)
        if mirror is not None and not (is_permitted and issubclass(mirror, kind.base)):
            raise Malformed("the class of a container does not fit its kind")
        value = kind.make(mirror, self.read(encoded_argument))
        if mirror is not None:
            set_reference(value, RemoteReference(self._requester, key, self._process))
        return self._tables.shared.add(SharedContainer(-key, value, kind))

    def _fill(self, entry: SharedContainer, values: list[Any]) -> None:
        """Replace the content of a container; raises `Malformed` if hashing takes too long."""
        if len(values) > _BATCH and entry.kind.name == "set":
            set.clear(entry.value)
            self._add_in_batches(entry.value, values, "filling a set takes too long")
            return
        if len(values) > _BATCH and isinstance(entry.value, dict):
            # First fill a set with the keys, to measure whether their hashes collide.
            self._add_in_batches(set(), values[::2], "filling a dictionary takes too long")
        entry.kind.fill(entry.value, values)

    def _add_in_batches(self, hashed: set[Any], values: list[Any], message: str) -> None:
        """Add `values` to a set in batches; raises `Malformed` if that takes too much CPU time."""
        start_s = self.host.used_cpu_s()
        for first in range(0, len(values), _BATCH):
            set.update(hashed, values[first : first + _BATCH])
            if self.host.used_cpu_s() - start_s > _MAX_FILL_S:
                raise Malformed(message)

    def read(self, encoded: Any, levels: int = MAX_TUPLES) -> Any:
        """Return the value of `encoded`, in which tuples may be nested `levels` deep."""
        cls = type(encoded)
        # Some programs compare short strings with `is`, which works within one process.
        if cls is str:
            return sys.intern(encoded) if len(encoded) <= _MAX_INTERNED_CHARS else encoded
        if encoded is None or cls in (bool, int):
            return encoded
        if cls is not list or not encoded or type(encoded[0]) is not str or levels < 0:
            raise Malformed("expected an encoded value")
        try:
            if decode := PLAIN.get(encoded[0]):
                return decode(encoded[1:])
            if reader := _READERS.get(encoded[0]):
                return reader(self, encoded[1:], levels)
        except (OverflowError, InvalidOperation, TypeError, ZeroDivisionError) as error:
            raise Malformed("a value has invalid parts") from error
        raise Malformed("unknown tag of a value")

    def _read_class(self, encoded: Any) -> type:
        """Return the class that `encoded` refers to."""
        cls = self.read(encoded)
        if not issubclass(type(cls), type):
            raise Malformed("expected a class")
        checked: type = cls
        return checked

    def items(self, parts: list[Any], levels: int) -> list[Any]:
        """Return the elements of a tuple or frozenset."""
        return [self.read(item, levels - 1) for item in as_list(*as_parts(parts, 1))]

    def ref(self, parts: list[Any], levels: int) -> Any:
        """Return the object with a given key: a container, an object of this side, or a proxy."""
        (key,) = as_parts(parts, 1)
        # The containers of this side are registered with the sign that this side sees.
        if -as_int(key) in self._received:
            return self._received[-key]
        entry = self._tables.shared.at(-key)
        if entry is not None:
            return entry.value
        if key < 0:
            return self._tables.local(-key)
        value = self._tables.remote(key)
        if value is None:
            raise Malformed("no object of the other side has this key")
        return value

    def object_(self, parts: list[Any], levels: int) -> Any:
        """Return the proxy of an object of the other side; create one if there is none here."""
        key, encoded_cls, encoded_content = as_parts(parts, 3)
        existing = self._tables.remote(as_key(key))
        if existing is not None:
            return existing
        cls = self._read_class(encoded_cls)
        if cls is object:
            cls = self._object_mirror = self._object_mirror or self._mirror_of_object(key)
        content = None if encoded_content is None else self.read(encoded_content)
        if not is_mirror(cls) or cls is Proxy or issubclass(cls, BaseException):
            raise Malformed("the class of a proxy is not a mirror of a plain class")
        for base in IMMUTABLE_BASES:
            if issubclass(cls, base) and type(content) is not base:
                raise Malformed("the content of an object does not fit its class")
        value = empty_instance(cls, content)
        set_reference(value, RemoteReference(self._requester, key, self._process))
        self._tables.add_remote(key, value)
        return value

    def _mirror_of_object(self, key: int) -> type:
        """Return a mirror for instances of `object` itself."""
        definition = MirroredClass("object", "object", "builtins", (), None, (), (), (), None)
        return mirror_of(
            definition, RemoteReference(self._requester, key, self._process), real=object
        )

    def function(self, parts: list[Any], levels: int) -> Any:
        """Return a local function or method that calls one on the other side.

        The same function is returned again for as long as it exists.
        """
        key, name, text, parameters, is_method = as_parts(parts, 5)
        existing = self._tables.remote(as_key(key))
        if existing is not None:
            return existing
        function = _remote_function(self._requester, self._tables, key, is_method=is_method is True)
        function.__name__ = function.__qualname__ = as_name(name)
        function.__doc__ = None if text is None else as_text(text)
        if parameters is not None:
            function.__dict__["__signature__"] = signature_of(
                parameters, is_method=is_method is True
            )
        value = MethodType(function, _Owner()) if is_method is True else function
        self._tables.add_remote(key, value, is_copy=True)
        return value

    def raised(self, parts: list[Any], levels: int) -> BaseException:
        """Return a local copy, or a proxy, of an exception of the other side."""
        key, encoded_cls, args, cause, context, is_context_hidden, attributes = as_parts(parts, 7)
        existing = self._tables.remote(as_key(key))
        if existing is not None:
            if not isinstance(existing, BaseException):
                raise Malformed("the key of an exception belongs to another object")
            return existing
        cls = self._read_class(encoded_cls)
        if not issubclass(cls, BaseException):
            raise Malformed("the class of an exception is not an exception class")
        arguments = tuple(self.items([args], levels))
        error = _create_exception(cls, arguments)
        if is_mirror(cls):
            set_reference(error, RemoteReference(self._requester, key, self._process))
        self._tables.add_remote(key, error, is_copy=not is_mirror(cls))
        for name, value in map(as_pair, as_list(attributes)):
            if not is_mirror(cls) and not as_text(name).startswith("__"):
                error.__dict__[name] = self.read(value)
        error.__cause__ = self._read_cause(cause)
        error.__context__ = self._read_cause(context)
        error.__suppress_context__ = is_context_hidden is True
        return error

    def _read_cause(self, encoded: Any) -> BaseException | None:
        """Return the cause or context of an exception, or None if it has none."""
        error = None if encoded is None else self.read(encoded)
        if error is not None and not isinstance(error, BaseException):
            raise Malformed("the cause of an exception is not an exception")
        return error

    def method(self, parts: list[Any], levels: int) -> Any:
        """Return the method with the given name of an object that this side has."""
        value, name = as_parts(parts, 2)
        return self.host.method(self.read(value), as_text(name))

    def range_(self, parts: list[Any], levels: int) -> range:
        """Return a range; its bounds and step must be integers."""
        start, stop, step = (as_int(self.read(part)) for part in as_parts(parts, 3))
        if not step:
            raise Malformed("the step of a range is 0")
        return range(start, stop, step)

    def fraction(self, parts: list[Any], levels: int) -> Fraction:
        """Return a fraction whose parts are not too long."""
        numerator, denominator = (as_int(self.read(part)) for part in as_parts(parts, 2))
        if max(numerator.bit_length(), denominator.bit_length()) > MAX_FRACTION_BITS:
            raise Malformed("a fraction is too long")
        return Fraction(numerator, denominator)

    def built(self, parts: list[Any], levels: int) -> Any:
        """Return a value that a permitted class of the standard library builds."""
        name, encoded = as_parts(parts, 2)
        build = _BUILDERS.get(as_text(name))
        if build is None:
            raise Malformed("unknown class of a value")
        try:
            return build(*self.items([encoded], levels))
        except (TypeError, ValueError) as error:
            raise Malformed("a value cannot be built from its arguments") from error

    def frozenset_(self, parts: list[Any], levels: int) -> frozenset[Any]:
        """Return a frozenset; the limit on the time for filling a set applies."""
        entry = SharedContainer(0, set(), KINDS["set"])
        self._fill(entry, self.items(parts, levels))
        return frozenset(entry.value)


_READERS: Final[dict[str, Callable[[MessageReader, list[Any], int], Any]]] = {
    WireTag.REF: MessageReader.ref,
    WireTag.OBJECT: MessageReader.object_,
    WireTag.FUNCTION: MessageReader.function,
    WireTag.RAISED: MessageReader.raised,
    WireTag.NAMED: lambda reader, parts, _: reader.host.standard_object(
        *map(as_text, as_parts(parts, 2))
    ),
    WireTag.MODULE: lambda reader, parts, _: reader.host.module(as_name(*as_parts(parts, 1))),
    WireTag.METHOD: MessageReader.method,
    WireTag.SLICE: lambda reader, parts, _: slice(*map(reader.read, as_parts(parts, 3))),
    WireTag.BUILT: MessageReader.built,
    ValueTag.RANGE: MessageReader.range_,
    ValueTag.FRACTION: MessageReader.fraction,
    ValueTag.TUPLE: lambda reader, parts, levels: tuple(reader.items(parts, levels)),
    ValueTag.FROZENSET: MessageReader.frozenset_,
}
_BUILDERS: Final[dict[str, Callable[..., Any]]] = {
    "date": dt.date,
    "datetime": dt.datetime,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "timezone": dt.timezone,
    "path": lambda text: pathlib.Path(as_text(text)),
    "property": property,
    "staticmethod": staticmethod,
    "classmethod": classmethod,
}


class _Owner:
    """The `__self__` of a method whose real owner stays on the other side."""


def _remote_function(
    requester: Requester, tables: Tables, key: int, *, is_method: bool
) -> FunctionType:
    """Return a function that calls the object with `key` on the other side."""

    def function(*args: Any, **keywords: Any) -> Any:
        # The first argument of a method is its `_Owner`, which exists only on this side.
        return requester.request(
            "call", tables.remote(key), args[is_method:], tuple(keywords.items())
        )

    function.__module__ = "__main__"
    return function  # type: ignore[return-value]  # `def` creates a `FunctionType`


def _create_exception(cls: type, arguments: tuple[Any, ...]) -> BaseException:
    """Return an exception of `cls`, which is a mirror or a class of the standard library.

    The constructor is bypassed if `cls` is a mirror, or if the constructor rejects the arguments.
    """
    if not is_mirror(cls):
        try:
            exception = cls(*arguments)
            if isinstance(exception, BaseException):
                return exception
        except Exception:  # noqa: BLE001, S110 - the constructor may take arguments other than `args`
            pass
    error: BaseException = BaseException.__new__(cls, *arguments)
    BaseException.args.__set__(error, arguments)  # type: ignore[attr-defined]  # a descriptor
    return error
