"""What older versions of Python cannot do with values and kinds; rewritten code calls it."""

import collections
import collections.abc
import contextlib
import copy
import operator
import re

_OF = {
    None: "dict frozenset list set tuple type",
    collections: "ChainMap Counter OrderedDict defaultdict deque",
    collections.abc: "AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable"
    " Collection Container Coroutine Generator ItemsView Iterable Iterator KeysView Mapping"
    " MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set ValuesView",
    contextlib: "AbstractContextManager AbstractAsyncContextManager",
    re: "Match Pattern",
}
_OF_NUMPY = "ndarray dtype number integer floating inexact"
NAMES = frozenset(" ".join(_OF.values()).split() + _OF_NUMPY.split())
_KINDS = [dict, frozenset, list, set, tuple, type]
_KINDS += [getattr(module, name) for module, names in _OF.items() if module for name in names.split()]


def either(left, right):
    """Return `left | right`, of dictionaries and of kinds too."""
    try:
        return operator.or_(left, right)
    except TypeError:
        if isinstance(left, dict) and isinstance(right, dict):
            both = copy.copy(left)
            both.update(right)
            return both
        if _makes_union(left, right):
            return Union(left, right)
        raise


def merged(left, right):
    """Return `left` after `left |= right`, of dictionaries too."""
    if type(left) is dict:
        left.update(right)
        return left
    try:
        return operator.ior(left, right)
    except TypeError:
        return either(left, right)


def of_kind(cls, index):
    """Return `cls[index]`, of kinds too: `list[int]`."""
    try:
        return cls[index]
    except TypeError:
        if any(cls is each for each in _KINDS) or _is_of_numpy(cls):
            return Kind(cls, index)
        raise


def zipped(called, *items, strict=False, **others):
    """Return `zip(*items, strict=strict)`, or what the program calls `zip`."""
    if called is not zip or others:
        return called(*items, strict=strict, **others)
    return _strictly(items) if strict else zip(*items)


def _strictly(items):
    iterators = [iter(each) for each in items]
    missing = object()
    while iterators:
        row = []
        for number, each in enumerate(iterators, 1):
            found = next(each, missing)
            if found is missing and number > 1:
                raise ValueError(_unlike(number, "shorter"))
            if found is missing:
                for later, other in enumerate(iterators[1:], 2):
                    if next(other, missing) is not missing:
                        raise ValueError(_unlike(later, "longer"))
                return
            row.append(found)
        yield tuple(row)


def _unlike(number, how):
    others = "argument 1" if number == 2 else "arguments 1-%d" % (number - 1)
    return "zip() argument %d is %s than %s" % (number, how, others)


def removeprefix(text, prefix):
    """Return `text.removeprefix(prefix)`."""
    if not isinstance(text, (str, bytes, bytearray)):
        return text.removeprefix(prefix)
    return text[len(prefix) :] if text.startswith(prefix) else text[:]


def removesuffix(text, suffix):
    """Return `text.removesuffix(suffix)`."""
    if not isinstance(text, (str, bytes, bytearray)):
        return text.removesuffix(suffix)
    return text[: -len(suffix)] if suffix and text.endswith(suffix) else text[:]


class _Named:
    """What stands for a kind, and can be part of one."""

    def __or__(self, other):
        if _makes_union(self, other):
            return Union(self, other)
        return NotImplemented

    def __ror__(self, other):
        if _makes_union(other, self):
            return Union(other, self)
        return NotImplemented

    def __eq__(self, other):
        return type(self) is type(other) and self._parts() == other._parts()

    def __hash__(self):
        return hash(self._parts())


class Kind(_Named):
    """Stands for `list[int]` and its like."""

    def __init__(self, origin, index):
        self.__origin__ = origin
        self.__args__ = index if isinstance(index, tuple) else (index,)

    def _parts(self):
        return self.__origin__, repr(self.__args__)

    def __call__(self, *args, **named):
        return self.__origin__(*args, **named)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__origin__, name)

    def __getitem__(self, index):
        return Kind(self.__origin__, index)

    def __mro_entries__(self, _bases):
        return (self.__origin__,)

    def __instancecheck__(self, _value):
        raise TypeError("isinstance() argument 2 cannot be a parameterized generic")

    def __subclasscheck__(self, _cls):
        raise TypeError("issubclass() argument 2 cannot be a parameterized generic")

    def __repr__(self):
        origin = self.__origin__
        module = "" if origin.__module__ == "builtins" else origin.__module__ + "."
        return "%s%s[%s]" % (module, origin.__qualname__, ", ".join(map(_shown, self.__args__)))


class Union(_Named):
    """Stands for `int | None` and its like."""

    def __init__(self, *kinds):
        parts = []
        for kind in kinds:
            for each in kind.__args__ if isinstance(kind, Union) else (kind,):
                each = type(None) if each is None else each
                if each not in parts:
                    parts.append(each)
        self.__args__ = tuple(parts)

    def _parts(self):
        return frozenset(map(_shown, self.__args__))

    def __call__(self, *_args, **_named):
        raise TypeError("'types.UnionType' object is not callable")

    def __instancecheck__(self, value):
        return isinstance(value, self.__args__)

    def __subclasscheck__(self, cls):
        return issubclass(cls, self.__args__)

    def __repr__(self):
        return " | ".join(map(_shown, self.__args__))


class Annotated:
    """Stands for `typing.Annotated`: the kind itself."""

    def __class_getitem__(cls, index):
        return index[0]


def _shown(kind):
    if kind is type(None):
        return "None"
    if kind is Ellipsis:
        return "..."
    if not isinstance(kind, type):
        return repr(kind)
    return kind.__qualname__ if kind.__module__ == "builtins" else kind.__module__ + "." + kind.__qualname__


def _makes_union(left, right):
    """Return whether Python 3.10 makes a union of these."""
    if left is None and right is None:
        return False
    return all(
        each is None
        or isinstance(each, (type, Kind, Union))
        or _is_of_typing(each)
        or (isinstance(each, str) and _is_of_typing(other))
        for each, other in ((left, right), (right, left))
    )


def _is_of_typing(value):
    return type(value).__module__ == "typing"


def _is_of_numpy(cls):
    return isinstance(cls, type) and cls.__module__ == "numpy" and cls.__name__ in _OF_NUMPY.split()
