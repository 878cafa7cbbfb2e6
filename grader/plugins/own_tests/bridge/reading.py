"""Decodes the values of messages, and trusts nothing in them.

Whatever the other side sends becomes a value, a proxy or `Malformed`. None of it is run as code,
and of this side's objects it reaches only those that it was given a key for.
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

from grader.plugins.own_tests.bridge.containers import KINDS, SharedContainer
from grader.plugins.own_tests.bridge.hosts import Host
from grader.plugins.own_tests.bridge.mirrors import MirroredClass, empty_instance, mirror_of
from grader.plugins.own_tests.bridge.parameters import signature_of
from grader.plugins.own_tests.bridge.plain import PLAIN
from grader.plugins.own_tests.bridge.proxies import Asker, ObjectPlace, Proxy, is_mirror, set_place
from grader.plugins.own_tests.bridge.shapes import (
    as_int,
    as_key,
    as_list,
    as_name,
    as_pair,
    as_parts,
    as_text,
)
from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import (
    IMMUTABLE_BASES,
    MAX_TUPLES,
    Malformed,
    WireTag,
    mro_of,
)
from grader.protocol import ValueTag

_MAX_ANCESTORS: Final = 300
"""Summed over all bases: computing the method resolution order takes quadratic time."""
_PATIENCE_S: Final = 2.0
"""CPU time for filling one container: colliding numbers make a set quadratic."""
_MAX_FRACTION_BITS: Final = 66_439  # 20,000 decimal digits
_DEFINITION: Final = tuple(get_type_hints(MirroredClass).values())
_BATCH: Final = 500
_MAX_INTERNED: Final = 20


class MessageReader:
    """Decodes one message."""

    def __init__(self, tables: Tables, asker: Asker, host: Host, process: int) -> None:
        self._tables: Final = tables
        self._asker: Final = asker
        self.host: Final = host
        self._process: Final = process
        self._plain: type | None = None
        self._received: Final[dict[int, Any]] = {}
        """Containers of this message by key: a nested request may release one meanwhile."""

    def classes(self, encoded: Any) -> None:
        """Register the new classes that a message describes."""
        for each in as_list(encoded):
            key, *parts = as_parts(each, 1 + len(_DEFINITION))
            if self._tables.is_full or self._tables.remote(as_key(key)) is not None:
                raise Malformed("a class too many")
            definition = MirroredClass(*map(self._part_of_definition, parts, _DEFINITION))
            if sum(len(mro_of(base)) for base in definition.bases) > _MAX_ANCESTORS:
                raise Malformed("a class of too many others")
            mirror = mirror_of(definition, ObjectPlace(self._asker, key, self._process))
            self._tables.keep(key, mirror)

    def _part_of_definition(self, encoded: Any, kind: Any) -> Any:
        if kind is str:
            return as_name(encoded)
        if kind is type:
            return self._class(encoded)
        inner, other = get_args(kind)
        if other is not NoneType:  # a tuple, of any length
            return tuple(self._part_of_definition(each, inner) for each in as_list(encoded))
        return None if encoded is None else self._part_of_definition(encoded, inner)

    def containers(self, encoded: Any) -> None:
        """Fill the containers that are new or have changed.

        Putting an object of the other side into a set may request its hash. So all containers are
        registered first, and busy ones are left out of that request.
        """
        entries = [(self._entry(each), as_list(each[1])) for each in map(as_list, as_list(encoded))]
        for entry, parts in entries:
            values = [self.read(part) for part in parts]
            try:
                self._fill(entry, values)
            except TypeError as error:
                raise Malformed("an element that no container takes") from error
            finally:
                entry.note, entry.is_known = entry.kind.note(entry.value), True
                entry.is_busy = False

    def _entry(self, encoded: list[Any]) -> SharedContainer:
        if len(encoded) == 2:
            # Keys that are positive there are negative here.
            entry = self._tables.shared.at(-as_int(encoded[0]))
            if entry is None:
                raise Malformed("a container that there is not")
        else:
            entry = self._new_entry(*as_parts(encoded, 5))
        entry.is_busy = True
        self._received[entry.key] = entry.value
        return entry

    def _new_entry(
        self, key: Any, _parts: Any, kind_name: Any, cls: Any, extra: Any
    ) -> SharedContainer:
        kind = KINDS.get(as_text(kind_name))
        if kind is None or self._tables.shared.at(-as_key(key)) is not None:
            raise Malformed("an impossible container")
        mirror = None if cls is None else self._class(cls)
        is_own = mirror is not None and not kind.is_final and is_mirror(mirror)
        if mirror is not None and not (is_own and issubclass(mirror, kind.base)):
            raise Malformed("a container of an impossible class")
        value = kind.make(mirror, self.read(extra))
        if mirror is not None:
            set_place(value, ObjectPlace(self._asker, key, self._process))
        return self._tables.shared.add(SharedContainer(-key, value, kind))

    def _fill(self, entry: SharedContainer, values: list[Any]) -> None:
        if len(values) > _BATCH and entry.kind.name == "set":
            set.clear(entry.value)
            self._add(entry.value, values, "a set that takes forever")
            return
        if len(values) > _BATCH and isinstance(entry.value, dict):
            # Keys that collide show here, before they fill the dictionary.
            self._add(set(), values[::2], "a dictionary that takes forever")
        entry.kind.fill(entry.value, values)

    def _add(self, hashed: set[Any], values: list[Any], complaint: str) -> None:
        begin_s = self.host.patience()
        for start in range(0, len(values), _BATCH):
            set.update(hashed, values[start : start + _BATCH])
            if self.host.patience() - begin_s > _PATIENCE_S:
                raise Malformed(complaint)

    def read(self, encoded: Any, levels: int = MAX_TUPLES) -> Any:
        """Return the value of `encoded`."""
        cls = type(encoded)
        if cls is str:  # programs compare short texts by identity, which works in one process
            return sys.intern(encoded) if len(encoded) <= _MAX_INTERNED else encoded
        if encoded is None or cls in (bool, int):
            return encoded
        if cls is not list or not encoded or type(encoded[0]) is not str or levels < 0:
            raise Malformed("a value that is none")
        try:
            if plain := PLAIN.get(encoded[0]):
                return plain(encoded[1:])
            if reader := _READERS.get(encoded[0]):
                return reader(self, encoded[1:], levels)
        except (OverflowError, InvalidOperation, TypeError, ZeroDivisionError) as error:
            raise Malformed("an impossible value") from error
        raise Malformed("a value of no kind")

    def _class(self, encoded: Any) -> type:
        cls = self.read(encoded)
        if not issubclass(type(cls), type):
            raise Malformed("a class that is none")
        found: type = cls
        return found

    def items(self, parts: list[Any], levels: int) -> list[Any]:
        return [self.read(each, levels - 1) for each in as_list(*as_parts(parts, 1))]

    def ref(self, parts: list[Any], levels: int) -> Any:
        (key,) = as_parts(parts, 1)
        if -as_int(key) in self._received:
            return self._received[-key]
        entry = self._tables.shared.at(-key)
        if entry is not None:
            return entry.value
        if key < 0:
            return self._tables.local(-key)
        value = self._tables.remote(key)
        if value is None:
            raise Malformed("an object that was not told of")
        return value

    def object_(self, parts: list[Any], levels: int) -> Any:
        key, encoded_cls, encoded_content = as_parts(parts, 3)
        known = self._tables.remote(as_key(key))
        if known is not None:
            return known
        cls = self._class(encoded_cls)
        if cls is object:
            cls = self._plain = self._plain or self._plain_mirror(key)
        content = None if encoded_content is None else self.read(encoded_content)
        if not is_mirror(cls) or cls is Proxy or issubclass(cls, BaseException):
            raise Malformed("an object of an impossible class")
        for base in IMMUTABLE_BASES:
            if issubclass(cls, base) and type(content) is not base:
                raise Malformed("an object that holds something else than its class says")
        value = empty_instance(cls, content)
        set_place(value, ObjectPlace(self._asker, key, self._process))
        self._tables.add_remote(key, value)
        return value

    def _plain_mirror(self, key: int) -> type:
        definition = MirroredClass("object", "object", "builtins", (), None, (), (), (), None)
        return mirror_of(definition, ObjectPlace(self._asker, key, self._process), real=object)

    def function(self, parts: list[Any], levels: int) -> Any:
        key, name, text, parameters, is_method = as_parts(parts, 5)
        known = self._tables.remote(as_key(key))
        if known is not None:
            return known
        function = _function(self._asker, self._tables, key, is_method=is_method is True)
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
        key, encoded_cls, args, cause, context, hidden, attributes = as_parts(parts, 7)
        known = self._tables.remote(as_key(key))
        if known is not None:
            if not isinstance(known, BaseException):
                raise Malformed("an exception that is none")
            return known
        cls = self._class(encoded_cls)
        if not issubclass(cls, BaseException):
            raise Malformed("an exception that is none")
        arguments = tuple(self.items([args], levels))
        error = _exception(cls, arguments)
        if is_mirror(cls):
            set_place(error, ObjectPlace(self._asker, key, self._process))
        self._tables.add_remote(key, error, is_copy=not is_mirror(cls))
        for name, value in map(as_pair, as_list(attributes)):
            if not is_mirror(cls) and not as_text(name).startswith("__"):
                error.__dict__[name] = self.read(value)
        error.__cause__ = self._cause(cause)
        error.__context__ = self._cause(context)
        error.__suppress_context__ = hidden is True
        return error

    def _cause(self, encoded: Any) -> BaseException | None:
        error = None if encoded is None else self.read(encoded)
        if error is not None and not isinstance(error, BaseException):
            raise Malformed("a cause that is not an exception")
        return error

    def method(self, parts: list[Any], levels: int) -> Any:
        value, name = as_parts(parts, 2)
        return self.host.method(self.read(value), as_text(name))

    def range_(self, parts: list[Any], levels: int) -> range:
        start, stop, step = (as_int(self.read(each)) for each in as_parts(parts, 3))
        if not step:
            raise Malformed("a range without a step")
        return range(start, stop, step)

    def fraction(self, parts: list[Any], levels: int) -> Fraction:
        numerator, denominator = (as_int(self.read(each)) for each in as_parts(parts, 2))
        if max(numerator.bit_length(), denominator.bit_length()) > _MAX_FRACTION_BITS:
            raise Malformed("a fraction that is too long")
        return Fraction(numerator, denominator)

    def built(self, parts: list[Any], levels: int) -> Any:
        name, encoded = as_parts(parts, 2)
        build = _BUILT.get(as_text(name))
        if build is None:
            raise Malformed("a value of no kind")
        try:
            return build(*self.items([encoded], levels))
        except (TypeError, ValueError) as error:
            raise Malformed("an impossible value") from error

    def frozenset_(self, parts: list[Any], levels: int) -> frozenset[Any]:
        entry = SharedContainer(0, set(), KINDS["set"])
        self._fill(entry, self.items(parts, levels))
        return frozenset(entry.value)


_READERS: Final[dict[str, Callable[[MessageReader, list[Any], int], Any]]] = {
    WireTag.REF: MessageReader.ref,
    WireTag.OBJECT: MessageReader.object_,
    WireTag.FUNCTION: MessageReader.function,
    WireTag.RAISED: MessageReader.raised,
    WireTag.NAMED: lambda reader, parts, _: reader.host.named(*map(as_text, as_parts(parts, 2))),
    WireTag.MODULE: lambda reader, parts, _: reader.host.module(as_name(*as_parts(parts, 1))),
    WireTag.METHOD: MessageReader.method,
    WireTag.SLICE: lambda reader, parts, _: slice(*map(reader.read, as_parts(parts, 3))),
    WireTag.BUILT: MessageReader.built,
    ValueTag.RANGE: MessageReader.range_,
    ValueTag.FRACTION: MessageReader.fraction,
    ValueTag.TUPLE: lambda reader, parts, levels: tuple(reader.items(parts, levels)),
    ValueTag.FROZENSET: MessageReader.frozenset_,
}
_BUILT: Final[dict[str, Callable[..., Any]]] = {
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
    """The `__self__` of a method whose real object stays on the other side."""


def _function(asker: Asker, tables: Tables, key: int, *, is_method: bool) -> FunctionType:
    """Return a function that calls the object with this key on the other side."""

    def function(*args: Any, **keywords: Any) -> Any:
        return asker.ask("call", tables.remote(key), args[is_method:], tuple(keywords.items()))

    function.__module__ = "__main__"
    return function  # type: ignore[return-value]  # what `def` makes is one


def _exception(cls: type, arguments: tuple[Any, ...]) -> BaseException:
    """Return an exception of `cls`, a mirror or a class of the standard library."""
    if not is_mirror(cls):
        try:
            made = cls(*arguments)
            if isinstance(made, BaseException):
                return made
        except Exception:  # noqa: BLE001, S110 - its constructor takes other arguments than `args`
            pass
    error: BaseException = BaseException.__new__(cls, *arguments)
    BaseException.args.__set__(error, arguments)  # type: ignore[attr-defined]  # a descriptor
    return error
