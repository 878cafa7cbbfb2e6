"""Turns values into what a message holds of them, and says what the other side has not seen yet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Protocol, TypeAlias

from grader.plugins.own_tests.bridge import arrays
from grader.plugins.own_tests.bridge.containers import KINDS, SharedContainer, kind_of
from grader.plugins.own_tests.bridge.proxies import ObjectPlace, is_mirror, is_proxy, place_of
from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import (
    EXCEPTION_MODULES,
    IMMUTABLE_BASES,
    INSTANCE_ONLY,
    KNOWN_IDS,
    MADE_ELSEWHERE,
    MOST_NAME_CHARS,
    MOST_NODES,
    MOST_TUPLES,
    PATHS,
    REAL_IDS,
    RESTORED,
    SINGLE_IDS,
    SPECIALS,
    Uncrossable,
    WireTag,
)
from grader.protocol import SMALL_INT_BITS, ValueTag

Told: TypeAlias = Any
"""What stands for a value in a message: what JSON has, but for floats."""
_MOST_CAUSES: Final = 6
_name_slot: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__
_qualified_slot: Final[Callable[[type], str]] = type.__dict__["__qualname__"].__get__
_bases_slot: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__bases__"].__get__
_mro_slot: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_class_dict: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__


class Teller(Protocol):
    """What one side decides about its own objects."""

    untold: frozenset[str]
    """Names in its classes that the other side has no use for."""

    def life_of(self, place: ObjectPlace) -> bool:
        """Return whether what is at `place` is of the other side as it is now."""

    def own(self, value: Any, write: Callable[[Any], Told]) -> Told | None:
        """Return how an object of this side travels; None for one that stays here.

        Raises `Uncrossable` for what the other side may not even know of.
        """

    def arguments_of(self, error: BaseException) -> tuple[Any, ...]:
        """Return those of the arguments of an exception that the other side may know."""


class Writer:
    """Writes what one message holds."""

    def __init__(self, tables: Tables, teller: Teller, classes: list[Told]) -> None:
        """Add to `classes` those that the other side has not seen, each after its bases."""
        self._tables: Final = tables
        self._teller: Final = teller
        self._classes: Final = classes
        self._nodes_left = MOST_NODES

    def write(self, value: Any, levels: int = MOST_TUPLES) -> Told:
        """Return what stands for `value`; raises `Uncrossable`."""
        if value is None or value is True or value is False:
            return value
        self._nodes_left -= 1
        if self._nodes_left < 0:
            raise Uncrossable("too many values at once: at most 400,000 can be handed over")
        cls = type(value)
        if cls is str:
            return value
        if cls is int:
            return value if value.bit_length() <= SMALL_INT_BITS else [ValueTag.INT, hex(value)]
        if writer := _WRITERS.get(id(cls)):
            return writer(self, value, levels)
        return self._object(value, cls)

    def containers(self) -> list[Told]:
        """Return what is in the containers that hold something else than the other side knows.

        Written one by one, they can bring in others.
        """
        told: list[Told] = []
        before: list[tuple[SharedContainer, Any, bool]] = []
        try:
            while entries := self._tables.shared.changed():
                for entry in entries:
                    before.append((entry, entry.note, entry.is_known))
                    entry.note = entry.kind.note(entry.value)
                    is_new, entry.is_known = not entry.is_known, True
                    told.append(self._content(entry, is_new=is_new))
        except BaseException:  # then nothing of this is sent
            for entry, entry.note, entry.is_known in before:
                if not entry.is_known:
                    self._tables.shared.forget([entry.key])
            raise
        return told

    def _content(self, entry: SharedContainer, *, is_new: bool) -> Told:
        value, kind = entry.value, entry.kind
        parts = [self.write(part) for part in kind.parts(value)]
        if not is_new:
            return [entry.key, parts]
        cls = None if type(value) is kind.base else self.class_(type(value))
        return [entry.key, parts, kind.name, cls, self.write(kind.made_with(value))]

    def float_(self, value: float, levels: int) -> Told:
        return [ValueTag.FLOAT, repr(value)]

    def complex_(self, value: complex, levels: int) -> Told:
        return [ValueTag.COMPLEX, repr(value.real), repr(value.imag)]

    def bytes_(self, value: bytes, levels: int) -> Told:
        if RESTORED in value:
            raise Uncrossable(
                "what a test has pickled of the submission cannot be handed to it; let the"
                " submission pickle it, or hand over the object"
            )
        return [ValueTag.BYTES, value.hex()]

    def range_(self, value: range, levels: int) -> Told:
        return [ValueTag.RANGE, *map(self.write, (value.start, value.stop, value.step))]

    def fraction(self, value: Fraction, levels: int) -> Told:
        return [ValueTag.FRACTION, self.write(value.numerator), self.write(value.denominator)]

    def decimal(self, value: Decimal, levels: int) -> Told:
        return [ValueTag.DECIMAL, str(value)]

    def tuple_(self, value: tuple[Any, ...], levels: int) -> Told:
        return [ValueTag.TUPLE, self._items(value, levels)]

    def frozenset_(self, value: frozenset[Any], levels: int) -> Told:
        return [ValueTag.FROZENSET, self._items(value, levels)]

    def _items(self, value: Any, levels: int) -> list[Told]:
        if not levels:
            raise Uncrossable(f"tuples nested deeper than {MOST_TUPLES} levels")
        return [self.write(item, levels - 1) for item in value]

    def container(self, value: Any, levels: int) -> Told:
        entry = self._tables.shared.entry_of(value)
        if entry is None:
            kind = kind_of(value)
            assert kind is not None, "its type is in the table"
            for each in kind.needs(value):
                self.container(each, levels)
            entry = self._tables.shared.add(SharedContainer(self._tables.new_key(), value, kind))
        return [WireTag.REF, entry.key]

    def scalar(self, value: Any, levels: int) -> Told:
        return [ValueTag.SCALAR, value.dtype.str, value.tobytes().hex()]

    def slice_(self, value: slice, levels: int) -> Told:
        return [WireTag.SLICE, *map(self.write, (value.start, value.stop, value.step))]

    def single(self, value: object, levels: int) -> Told:
        return [WireTag.SINGLE, SINGLE_IDS[id(value)]]

    def path(self, value: Any, levels: int) -> Told:
        return [WireTag.BUILT, "path", [str(value)]]

    def date(self, value: Any, levels: int) -> Told:
        zone = getattr(value, "tzinfo", None)
        if zone is not None and type(zone) is not dt.timezone:
            return self._object(value, type(value))
        names = _DATE_PARTS[type(value)]
        parts = [self.write(getattr(value, name)) for name in names]
        return [WireTag.BUILT, type(value).__name__, parts]

    def zone(self, value: dt.timezone, levels: int) -> Told:
        return [WireTag.BUILT, "timezone", [self.write(value.utcoffset(None))]]

    def _object(self, value: Any, cls: type) -> Told:
        if name := SINGLE_IDS.get(id(value)):
            return [WireTag.SINGLE, name]
        shared = self._tables.shared.entry_of(value)
        if shared is not None:
            return [WireTag.REF, shared.key]
        if is_proxy(value):
            return self._theirs(value)
        if issubclass(cls, type):
            return self._class_value(value)
        if (copy_key := self._tables.key_of_copy(value)) is not None:
            return [WireTag.REF, -copy_key]
        if issubclass(cls, BaseException):
            return self.exception(value)
        if (own := self._own(value)) is not None:
            return own
        if kind_of(value) is not None:
            return self.container(value, 0)
        bases = (base for base in IMMUTABLE_BASES if issubclass(cls, base))
        base = next(bases, None)
        content = None if base is None else self.write(_plain(value, base))
        return [WireTag.OBJECT, self._tables.key_for(value), self.class_(cls), content]

    def _class_value(self, cls: type) -> Told:
        is_told = id(cls) in KNOWN_IDS or is_mirror(cls)
        own = None if is_told else self._own(cls)
        return self.class_(cls) if own is None else own

    def _own(self, value: Any) -> Told | None:
        return self._teller.own(value, self.write)

    def _theirs(self, value: Any) -> Told:
        place = place_of(value)
        if not self._teller.life_of(place):
            raise Uncrossable(
                "an object of the submission was kept from one test to another, and each test has"
                " a submission of its own; make it in a fixture, or try --fresh=session"
            )
        return [WireTag.REF, -place.key]

    def exception(self, error: BaseException, causes: int = _MOST_CAUSES) -> Told:
        """Return what stands for `error`, an exception of this side, and for what led to it."""
        if is_proxy(error):
            return self._theirs(error)
        if (copy_key := self._tables.key_of_copy(error)) is not None:
            return [WireTag.REF, -copy_key]
        cause, context = (
            None if each is None or causes == 0 else self.exception(each, causes - 1)
            for each in (error.__cause__, error.__context__)
        )
        return [
            WireTag.RAISED,
            self._tables.key_for(error),
            self._exception_class(type(error)),
            [self.write(each) for each in self._teller.arguments_of(error)],
            cause,
            context,
            error.__suppress_context__,
            self._attributes(error),
        ]

    def _attributes(self, error: BaseException) -> list[Told]:
        """Return what stands for what is kept on an exception that has no proxy."""
        is_known = id(type(error)) in KNOWN_IDS or _is_standard(type(error))
        kept = error.__dict__ if is_known else {}
        return [[name, self.write(each)] for name, each in kept.items() if name != "__notes__"]

    def _exception_class(self, cls: type) -> Told:
        if _is_standard(cls) and id(cls) not in KNOWN_IDS:
            return [WireTag.NAMED, _class_dict(cls)["__module__"], _qualified_slot(cls)]
        return self.class_(cls)

    def class_(self, cls: type) -> Told:
        """Return what stands for a class, which is described when it is met first."""
        if name := KNOWN_IDS.get(id(cls)):
            return [WireTag.KNOWN, name]
        if is_mirror(cls):
            return self._theirs(cls)
        key = self._tables.key_of_mine(cls)
        if key is None:
            key = self._tables.add_mine(cls)
            self._classes.append(self._described(cls, key))
        return [WireTag.REF, key]

    def _described(self, cls: type, key: int) -> Told:
        body, meta = _class_dict(cls), type(cls)
        names = [name for name in body if type(name) is str and name not in self._teller.untold]
        specials = {name for name in names if name in SPECIALS}
        for base in _mro_slot(cls)[1:]:
            if issubclass(base, type) and base is not type:
                specials |= {name for name in _class_dict(base) if name in SPECIALS}
        if not issubclass(cls, type):
            specials -= INSTANCE_ONLY
        absent = sorted(name for name in specials if body.get(name, 0) is None)
        module = body.get("__module__")
        return [
            key,
            _clipped(_name_slot(cls)),
            _clipped(_qualified_slot(cls)),
            _clipped(module) if type(module) is str else "builtins",
            [self.class_(base) for base in _bases_slot(cls)],
            None if meta is type else self.class_(meta),
            sorted(specials.difference(absent)),
            absent,
            [n for n in names if n not in SPECIALS and n not in MADE_ELSEWHERE and n.isascii()],
            REAL_IDS.get(id(cls)),
        ]


def _is_standard(cls: type) -> bool:
    module = _class_dict(cls).get("__module__")
    return type(module) is str and module in EXCEPTION_MODULES


def _clipped(text: str) -> str:
    return str.__str__(text)[:MOST_NAME_CHARS]


def _plain(value: Any, base: type) -> Any:
    """Return what `value`, of a subclass of `base`, holds as a `base`."""
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
_BY_TYPE: Final[dict[type, Callable[[Writer, Any, int], Told]]] = {
    float: Writer.float_,
    complex: Writer.complex_,
    bytes: Writer.bytes_,
    range: Writer.range_,
    Fraction: Writer.fraction,
    Decimal: Writer.decimal,
    tuple: Writer.tuple_,
    frozenset: Writer.frozenset_,
    slice: Writer.slice_,
    type(NotImplemented): Writer.single,
    type(Ellipsis): Writer.single,
    dt.timezone: Writer.zone,
    **dict.fromkeys(PATHS, Writer.path),
    **dict.fromkeys(_DATE_PARTS, Writer.date),
    **{kind.base: Writer.container for kind in KINDS.values()},
}
_WRITERS: Final = {id(cls): writer for cls, writer in _BY_TYPE.items()}
"""By identity: a look-up by class would ask its metaclass for `__hash__` and `__eq__`."""


def know_numpy(numpy: Any) -> None:
    """Tell of arrays and numbers of `numpy` as what they are."""
    _WRITERS[id(numpy.ndarray)] = Writer.container
    _WRITERS.update((id(cls), Writer.scalar) for cls in arrays.learn(numpy))
