"""What our modules take from newer versions of Python, for older ones."""

import bisect as _bisect
import dataclasses as _dataclasses
import enum as _enum
import functools as _functools
import importlib as _importlib
import operator as _operator
import os as _os
import sys as _sys
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from datetime import timezone as _timezone

__all__ = [
    "NoNode_",
    "bisect_left_",
    "bisect_right_",
    "ior_",
    "is_mapping_",
    "is_relative_to_",
    "is_sequence_",
    "joined_",
    "or_",
    "orig_argv_",
    "positional_",
    "removeprefix_",
    "removesuffix_",
    "rest_",
    "stdlib_module_names_",
    "total_",
    "zip_",
]


class _Anything:
    """Stands for what only annotations and checks of types use."""

    def __init__(self, *_args, **_settings):
        """Take whatever is given."""

    def __class_getitem__(cls, _item):
        return cls


Annotated = Buffer = Never = NoReturn = ParamSpec = Self = TypeAlias = ZoneInfo = _Anything
NoneType = type(None)
UTC = _timezone.utc


def resolve_name(name):
    """Return what a module and a name in it stand for: `decimal:Decimal`."""
    module, _, rest = name.partition(":")
    return _functools.reduce(getattr, rest.split("."), _importlib.import_module(module))


class NoNode_:
    """Stands for a node of newer syntax: no tree has one."""


def assert_never(value):
    """Raise: this value should not be."""
    raise AssertionError(repr(value))


def override(function):
    """Return the function."""
    return function


def get_args(_kind):
    """Return nothing: kinds are for checks that a kit does not make."""
    return ()


def cache(function):
    """Remember what the function returned."""
    return _functools.lru_cache(maxsize=None)(function)


def pairwise(items):
    """Return each item with the next one."""
    listed = list(items)
    return zip(listed, listed[1:])


class StrEnum(str, _enum.Enum):
    """Members are texts."""

    def __str__(self):
        return str(self.value)

    def __format__(self, spec):
        return format(str(self.value), spec)

    @staticmethod
    def _generate_next_value_(name, _start, _count, _last):
        return name.lower()


def dataclass(cls=None, **settings):
    """Make a data class, without slots where there are none yet."""
    if cls is None:
        return lambda each: dataclass(each, **settings)
    if _sys.version_info < (3, 11) and settings.pop("weakref_slot", False):
        settings.pop("slots")
    if _sys.version_info >= (3, 10):
        return _dataclasses.dataclass(**settings)(cls)
    settings.pop("slots", None)
    own = cls.__dict__.get("__annotations__", {})
    keywords = own if settings.pop("kw_only", False) else ()
    inherited = getattr(cls, "_keywords_only", frozenset()) - frozenset(own)
    cls._keywords_only = inherited | frozenset(keywords)
    made = _dataclasses.dataclass(init=False, **settings)(cls)
    fields = _dataclasses.fields(made)
    made.__match_args__ = tuple(
        each.name for each in fields if each.init and each.name not in made._keywords_only
    )
    if "__init__" not in cls.__dict__:
        made.__init__ = _init_of(made)
    return made


_MADE_LATER = object()


def _init_of(cls):
    """Return an `__init__` in which fields that are for keywords only come last."""
    space = {"_set": object.__setattr__, "_later": _MADE_LATER}
    plain, keyword, body = [], [], []
    for field in _dataclasses.fields(cls):
        name, value = field.name, field.name
        parameter = name
        if field.default is not _dataclasses.MISSING:
            space["_default_" + name] = field.default
            parameter += "=_default_" + name
        elif field.default_factory is not _dataclasses.MISSING:
            space["_make_" + name] = field.default_factory
            parameter += "=_later"
            value = "(_make_{0}() if {0} is _later else {0})".format(name)
        if field.init:
            (keyword if name in cls._keywords_only else plain).append(parameter)
        elif "=_later" in parameter:
            value = "_make_{0}()".format(name)
        else:
            continue
        body.append("_set(self, {0!r}, {1})".format(name, value))
    parameters = ["self"] + plain + (["*"] + keyword if keyword else [])
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = ["def __init__(" + ", ".join(parameters) + "):"] + (body or ["pass"])
    exec("\n    ".join(lines), space)
    return space["__init__"]


class _Folder:
    def __init__(self, path):
        self._path = path

    @property
    def name(self):
        return _os.path.basename(self._path)

    def iterdir(self):
        return [
            _Folder(_os.path.join(self._path, name)) for name in sorted(_os.listdir(self._path))
        ]

    def __truediv__(self, name):
        return _Folder(_os.path.join(self._path, name))

    def read_text(self, encoding="utf-8"):
        with open(self._path, encoding=encoding) as file:
            return file.read()


def files(package):
    """Return the folder of a package."""
    return _Folder(_os.path.dirname(_sys.modules[package].__file__))


def or_(left, right):
    """Return `left | right`, of dictionaries too."""
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    if isinstance(left, type) or isinstance(right, type):
        return (left, right)
    return _operator.or_(left, right)


def ior_(left, right):
    """Return `left` after `left |= right`, of dictionaries too."""
    if isinstance(left, dict):
        left.update(right)
        return left
    return _operator.ior(left, right)


def joined_(*pieces):
    """Return what an f-string gives."""
    return "".join(pieces)


def zip_(*items, strict=False):
    """Return pairs, of lists that are as long as each other where that is asked."""
    if not strict:
        return zip(*items)
    lists = [list(each) for each in items]
    if len({len(each) for each in lists}) > 1:
        raise ValueError("zip() arguments are not as long as each other")
    return zip(*lists)


class _Keyed:
    def __init__(self, items, key):
        self._items, self._key = items, key

    def __len__(self):
        return len(self._items)

    def __getitem__(self, index):
        return self._key(self._items[index])


def bisect_left_(items, wanted, key):
    """Return where `wanted` belongs among the keys of items, before its like."""
    return _bisect.bisect_left(_Keyed(items, key), wanted)


def bisect_right_(items, wanted, key):
    """Return where `wanted` belongs among the keys of items, after its like."""
    return _bisect.bisect_right(_Keyed(items, key), wanted)


def removeprefix_(text, prefix):
    """Return a text without a prefix."""
    return text[len(prefix) :] if prefix and text.startswith(prefix) else text


def removesuffix_(text, suffix):
    """Return a text without a suffix."""
    return text[: -len(suffix)] if suffix and text.endswith(suffix) else text


def total_(counted):
    """Return the sum of what was counted."""
    return sum(counted.values())


def is_relative_to_(path, other):
    """Return whether a path is below another one."""
    try:
        path.relative_to(other)
    except ValueError:
        return False
    return True


def is_sequence_(value):
    """Return whether a pattern of a sequence may fit."""
    return isinstance(value, _Sequence) and not isinstance(value, (str, bytes, bytearray))


def is_mapping_(value):
    """Return whether a pattern of a mapping may fit."""
    return isinstance(value, _Mapping)


def rest_(value, keys):
    """Return what a pattern of a mapping leaves."""
    return {key: value[key] for key in value if key not in keys}


_ITSELF = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def positional_(value, cls, number):
    """Return what a pattern of a class holds against its pattern with this number."""
    if cls in _ITSELF:
        return value
    names = getattr(cls, "__match_args__", None) or cls._fields
    return getattr(value, names[number])


orig_argv_ = getattr(_sys, "orig_argv", [])
stdlib_module_names_ = getattr(_sys, "stdlib_module_names", None) or frozenset(
    "{stdlib_module_names}".split()
)
