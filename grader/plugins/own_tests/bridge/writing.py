"""Encodes values for messages, with the classes and changes that are new to the other side."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter
from typing import Any, Final

from grader.plugins.own_tests.bridge import arrays
from grader.plugins.own_tests.bridge.containers import KINDS, SharedContainer, kind_of
from grader.plugins.own_tests.bridge.hosts import Encoded, Host
from grader.plugins.own_tests.bridge.mirrors import MirroredClass
from grader.plugins.own_tests.bridge.plain_values import (
    encode_decimal,
    encode_int,
    encode_scalar,
    fraction_parts,
)
from grader.plugins.own_tests.bridge.proxies import is_mirror, is_proxy, reference_of
from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import (
    EXCEPTION_MODULES,
    IMMUTABLE_BASES,
    KNOWN_IDS,
    MAX_ANCESTORS,
    MAX_NAME_CHARS,
    MAX_NODES,
    MAX_TUPLES,
    METACLASS_ONLY,
    NOT_MIRRORED,
    PATHS,
    PICKLED_PROXY_MARK,
    REAL_IDS,
    SINGLE_IDS,
    SPECIALS,
    Uncrossable,
    WireTag,
    bases_of,
    dict_of,
    mro_of,
)
from grader.protocol import ValueTag

_MAX_CAUSES: Final = 6
"""The maximum number of levels of causes and contexts that are sent with an exception."""
_name_slot: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__
_qualified_slot: Final[Callable[[type], str]] = type.__dict__["__qualname__"].__get__


class Writer:
    """Encodes the values of one message; methods raise `Uncrossable` if a value cannot be sent."""

    def __init__(self, tables: Tables, host: Host, classes: list[Encoded]) -> None:
        """Append descriptions of new classes to `classes`, each class after its bases."""
        self._tables: Final = tables
        self._host: Final = host
        self._classes: Final = classes
        self._nodes_left = MAX_NODES

    def write(self, value: Any, levels: int = MAX_TUPLES) -> Encoded:
        """Return the encoded `value`; `levels` is the permitted depth of nested tuples."""
        if value is None or value is True or value is False:
            return value
        self._nodes_left -= 1
        if self._nodes_left < 0:
            raise Uncrossable(
                f"too many values at once: at most {MAX_NODES:,} can be sent; pass fewer"
            )
        cls = type(value)
        if cls is str:
            return value
        if cls is int:
            return encode_int(value)
        if writer := _WRITERS.get(id(cls)):
            return writer(self, value, levels)
        return self._object(value, cls, levels)

    def containers(self) -> list[Encoded]:
        """Return the contents of all containers that have changed since the last message.

        Marks the containers as sent. If one of them cannot be sent, none is marked, and the
        exception is raised again.
        """
        encoded: list[Encoded] = []
        undo: list[tuple[SharedContainer, Any, bool]] = []
        try:
            # Writing a container can register more of them.
            while entries := self._tables.shared.changed():
                for entry in entries:
                    undo.append((entry, entry.snapshot, entry.is_known))
                    entry.snapshot = entry.kind.take_snapshot(entry.value)
                    is_new, entry.is_known = not entry.is_known, True
                    encoded.append(self._content(entry, is_new=is_new))
        except BaseException:  # no message is sent, so the other side keeps the old contents
            for entry, snapshot, is_known in reversed(undo):
                entry.snapshot, entry.is_known = snapshot, is_known
            raise
        return encoded

    def _content(self, entry: SharedContainer, *, is_new: bool) -> Encoded:
        """Return the encoded content of a container, with its class and kind if it is new."""
        value, kind = entry.value, entry.kind
        parts = [self.write(part) for part in kind.parts(value)]
        if not is_new:
            return [entry.key, parts]
        cls = None if type(value) is kind.base else self.class_(type(value))
        return [entry.key, parts, kind.name, cls, self.write(kind.constructor_argument(value))]

    def bytes_(self, value: bytes, levels: int) -> Encoded:
        """Encode bytes; raises `Uncrossable` if they contain the pickle of a proxy."""
        if PICKLED_PROXY_MARK in value:
            raise Uncrossable(
                "an object of the submission that a test has pickled cannot be sent back to the"
                " submission; let the submission pickle it, or pass the object itself"
            )
        return [ValueTag.BYTES, value.hex()]

    def parts(self, value: Any, levels: int) -> Encoded:
        """Encode a value that consists of a fixed number of attributes, such as a range."""
        tag, parts_of = _PARTS[type(value)]
        return [tag, *map(self.write, parts_of(value))]

    def tuple_(self, value: tuple[Any, ...], levels: int) -> Encoded:
        return [ValueTag.TUPLE, self._items(value, levels)]

    def frozenset_(self, value: frozenset[Any], levels: int) -> Encoded:
        return [ValueTag.FROZENSET, self._items(value, levels)]

    def _items(self, value: Any, levels: int) -> list[Encoded]:
        """Return the encoded elements, which are one level deeper than `value`."""
        if not levels:
            raise Uncrossable(
                f"tuples are nested deeper than {MAX_TUPLES} levels; pass a flatter value"
            )
        return [self.write(item, levels - 1) for item in value]

    def container(self, value: Any, levels: int) -> Encoded:
        """Return a reference to a container, which is registered if it is new."""
        entry = self._tables.shared.entry_of(value)
        if entry is None:
            kind = kind_of(value)
            assert kind is not None, "a value of this type must be a container"
            for dependency in kind.needs(value):
                self.container(dependency, levels)
            entry = self._tables.shared.add(SharedContainer(self._tables.new_key(), value, kind))
        return [WireTag.REF, entry.key]

    def date(self, value: Any, levels: int) -> Encoded:
        """Encode a date or time; it is sent as a proxy if its time zone is not a `timezone`."""
        zone = getattr(value, "tzinfo", None)
        # A subclass of `tzinfo` has code of its own.
        if zone is not None and type(zone) is not dt.timezone:
            return self._object(value, type(value), levels)
        names = _DATE_PARTS[type(value)]
        parts = tuple(getattr(value, name) for name in names)
        return [WireTag.BUILT, type(value).__name__, self._items(parts, levels)]

    def zone(self, value: dt.timezone, levels: int) -> Encoded:
        return [WireTag.BUILT, "timezone", self._items((value.utcoffset(None),), levels)]

    def _object(self, value: Any, cls: type, levels: int) -> Encoded:
        """Encode a value whose class has no writer, as a proxy if nothing else applies."""
        if name := SINGLE_IDS.get(id(value)):
            return [WireTag.SINGLE, name]
        shared = self._tables.shared.entry_of(value)
        if shared is not None:
            return [WireTag.REF, shared.key]
        if is_proxy(value):
            return self._reference(value)
        if issubclass(cls, type):
            return self._class_value(value)
        if (copy_key := self._tables.key_of_copy(value)) is not None:
            return [WireTag.REF, -copy_key]
        if issubclass(cls, BaseException):
            return self.exception(value, levels=levels)
        if (encoded := self._encoded_by_host(value)) is not None:
            return encoded
        if kind_of(value) is not None:
            return self.container(value, 0)
        bases = (base for base in IMMUTABLE_BASES if issubclass(cls, base))
        base = next(bases, None)
        content = None if base is None else self.write(_as_plain_base(value, base))
        return [WireTag.OBJECT, self._tables.key_for(value), self.class_(cls), content]

    def _class_value(self, cls: type) -> Encoded:
        """Encode a class that occurs as a value, as the host decides unless both sides know it."""
        is_known_there = id(cls) in KNOWN_IDS or is_mirror(cls)
        encoded = None if is_known_there else self._encoded_by_host(cls)
        return self.class_(cls) if encoded is None else encoded

    def _encoded_by_host(self, value: Any) -> Encoded | None:
        """Return the host's encoding of `value`, or None if the host has none."""
        return self._host.encode_own(value, self.write)

    def _reference(self, value: Any) -> Encoded:
        """Return a reference to the other side's object that the proxy `value` represents.

        Raises `Uncrossable` if that object belonged to a process that has ended.
        """
        reference = reference_of(value)
        if not self._host.is_current(reference):
            raise Uncrossable(
                "an object from the submission was carried over from another test, but each test"
                " runs the submission in a new process; create it in a fixture, or use"
                " --fresh=session"
            )
        return [WireTag.REF, -reference.key]

    def exception(
        self, error: BaseException, cause_levels: int = _MAX_CAUSES, levels: int = MAX_TUPLES
    ) -> Encoded:
        """Return the encoded `error`, with at most `cause_levels` levels of causes and contexts.

        In its arguments, tuples may be nested `levels - 1` deep.
        """
        if is_proxy(error):
            return self._reference(error)
        if (copy_key := self._tables.key_of_copy(error)) is not None:
            return [WireTag.REF, -copy_key]
        cause, context = (
            # A chain of causes can be long, or even cyclic.
            None
            if linked is None or cause_levels == 0
            else self.exception(linked, cause_levels - 1)
            for linked in (error.__cause__, error.__context__)
        )
        return [
            WireTag.RAISED,
            self._tables.key_for(error),
            self._exception_class(type(error)),
            self._items(self._host.visible_arguments(error), levels),
            cause,
            context,
            error.__suppress_context__,
            self._attributes(error),
        ]

    def _attributes(self, error: BaseException) -> list[Encoded]:
        """Return the attributes of an exception, if the other side makes a real exception from it.

        Returns an empty list if the other side makes a proxy.
        """
        is_known = id(type(error)) in KNOWN_IDS or _is_sent_by_name(type(error))
        attributes = error.__dict__ if is_known else {}
        return [
            [name, self.write(value)] for name, value in attributes.items() if name != "__notes__"
        ]

    def _exception_class(self, cls: type) -> Encoded:
        """Encode the class of an exception, by name if it is in the standard library."""
        if _is_sent_by_name(cls) and id(cls) not in KNOWN_IDS:
            return [WireTag.NAMED, dict_of(cls)["__module__"], _qualified_slot(cls)]
        return self.class_(cls)

    def class_(self, cls: type) -> Encoded:
        """Return an encoded class; when it is first sent, the message also gets its description."""
        if name := KNOWN_IDS.get(id(cls)):
            return [WireTag.KNOWN, name]
        if is_mirror(cls):
            return self._reference(cls)
        key = self._tables.key_of_local(cls)
        if key is None:
            if sum(len(mro_of(base)) + 1 for base in bases_of(cls)) > MAX_ANCESTORS:
                raise Uncrossable(
                    f"a class with more than {MAX_ANCESTORS} ancestors cannot be sent; use fewer"
                    " base classes"
                )
            key = self._tables.add_permanent(cls)
            try:
                self._classes.append(self._description(cls, key))
            except BaseException:  # otherwise the next message would refer to an unknown key
                self._tables.forget([key])
                raise
        return [WireTag.REF, key]

    def _description(self, cls: type, key: int) -> Encoded:
        """Return the encoded description of a class: its key, and the fields of `MirroredClass`."""
        body, meta = dict_of(cls), type(cls)
        names = [name for name in body if type(name) is str and name not in self._host.hidden_names]
        specials = {name for name in names if name in SPECIALS}
        for base in mro_of(cls)[1:]:
            if issubclass(base, type) and base is not type:
                specials |= {name for name in dict_of(base) if name in SPECIALS}
        if not issubclass(cls, type):
            specials -= METACLASS_ONLY
        absent = sorted(name for name in specials if body.get(name, 0) is None)
        module = body.get("__module__")
        definition: dict[str, Any] = {
            "name": _clip(_name_slot(cls)),
            "qualified": _clip(_qualified_slot(cls)),
            "module": _clip(module) if type(module) is str else "builtins",
            "bases": [self.class_(base) for base in bases_of(cls)],
            "meta": None if meta is type else self.class_(meta),
            "specials": sorted(specials.difference(absent)),
            "absent": absent,
            "names": [
                name
                for name in names
                if name not in SPECIALS
                and name not in NOT_MIRRORED
                and name.isascii()
                and len(name) <= MAX_NAME_CHARS
                and "\0" not in name
            ],
            "real": REAL_IDS.get(id(cls)),
        }
        return [key, *MirroredClass(**definition)]


def _is_sent_by_name(cls: type) -> bool:
    """Return whether `cls` is an exception class that is sent by name."""
    module = dict_of(cls).get("__module__")
    return type(module) is str and module in EXCEPTION_MODULES


def _clip(text: str) -> str:
    """Return `text`, shortened if it is long, as an exact `str` and not a subclass."""
    # `str.__str__` returns an exact `str`, while slicing a subclass would run its code.
    return str.__str__(text)[:MAX_NAME_CHARS]


def _as_plain_base(value: Any, base: type) -> Any:
    """Return `value`, an instance of a subclass of `base`, as a plain `base`.

    No methods of the subclass are called.
    """
    if base is str:
        return str.__str__(value)
    if base is tuple:
        return tuple(tuple.__iter__(value))
    if base is frozenset:
        return frozenset(frozenset.__iter__(value))
    if base is bytes:
        return bytes(bytes.__iter__(value))
    if base is complex:
        return complex(complex.__pos__(value))
    return base.__int__(value) if base is int else base.__float__(value)  # type: ignore[attr-defined]


_DATE_PARTS: Final[dict[type, tuple[str, ...]]] = {
    dt.date: ("year", "month", "day"),
    dt.datetime: (*("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo"),),
    dt.time: ("hour", "minute", "second", "microsecond", "tzinfo"),
    dt.timedelta: ("days", "seconds", "microseconds"),
}
_PARTS: Final[dict[type, tuple[str, Callable[[Any], tuple[Any, ...]]]]] = {
    range: (ValueTag.RANGE, attrgetter("start", "stop", "step")),
    slice: (WireTag.SLICE, attrgetter("start", "stop", "step")),
    Fraction: (ValueTag.FRACTION, fraction_parts),
}
"""The tag of each class, and a function that returns the attributes of an instance."""


def _writer_of_plain(encode: Callable[[Any], Encoded]) -> Callable[[Writer, Any, int], Encoded]:
    """Return a writer for values that contain no other values; `encode` encodes one."""
    return lambda _writer, value, _levels: encode(value)


_write_scalar: Final = _writer_of_plain(encode_scalar)
_write_single: Final = _writer_of_plain(lambda value: [WireTag.SINGLE, SINGLE_IDS[id(value)]])
_WRITERS_BY_TYPE: Final[dict[type, Callable[[Writer, Any, int], Encoded]]] = {
    float: _writer_of_plain(lambda value: [ValueTag.FLOAT, repr(value)]),
    complex: _writer_of_plain(lambda value: [ValueTag.COMPLEX, repr(value.real), repr(value.imag)]),
    Decimal: _writer_of_plain(encode_decimal),
    type(NotImplemented): _write_single,
    type(Ellipsis): _write_single,
    **dict.fromkeys(PATHS, _writer_of_plain(lambda value: [WireTag.BUILT, "path", [str(value)]])),
    bytes: Writer.bytes_,
    tuple: Writer.tuple_,
    frozenset: Writer.frozenset_,
    dt.timezone: Writer.zone,
    **dict.fromkeys(_PARTS, Writer.parts),
    **dict.fromkeys(_DATE_PARTS, Writer.date),
    **{kind.base: Writer.container for kind in KINDS.values()},
}
_WRITERS: Final = {id(cls): writer for cls, writer in _WRITERS_BY_TYPE.items()}
"""Keyed by the id of the class: a lookup by class would run `__hash__` and `__eq__` of its
metaclass."""


def support_numpy(numpy: Any) -> None:
    """Send arrays and scalars of `numpy` as values from now on."""
    _WRITERS[id(numpy.ndarray)] = Writer.container
    _WRITERS.update((id(cls), _write_scalar) for cls in arrays.register_numpy(numpy))
