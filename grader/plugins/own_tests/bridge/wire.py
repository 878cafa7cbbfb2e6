"""The tags, classes and names that messages consist of, and the errors for invalid messages."""

from __future__ import annotations

import builtins
import collections
import dataclasses
import datetime as dt
import decimal
import fractions
import inspect
import pathlib
import types
from collections.abc import Callable, Mapping
from typing import Any, Final


class Malformed(ValueError):
    """The other side sent an invalid message."""


class Uncrossable(TypeError):
    """A value cannot be sent to the other side; the text names it and suggests a remedy."""


class Unanswered(Uncrossable):
    """The other side has replied that its result cannot be sent."""


class WireTag:
    """The first element of a tagged value; `grader.protocol.ValueTag` has more such tags."""

    REF: Final = "x"
    """`["x", key]`: an object with a key, or a container in the same message"""
    OBJECT: Final = "o"
    """`["o", key, class, content]`: an object of the sender"""
    RAISED: Final = "e"
    """`["e", key, class, arguments, cause, context, is the context hidden, attributes]`"""
    FUNCTION: Final = "f*"
    """`["f*", key, name, docstring, parameters, is it a method]`: a function of the sender, for
    which the receiver makes a real function"""
    KNOWN: Final = "k"
    """`["k", name]`: a class that both sides have"""
    NAMED: Final = "K"
    """`["K", module, name]`: an object of the standard library, which the receiver looks up"""
    MODULE: Final = "m*"
    """`["m*", name]`: a module of the submission"""
    METHOD: Final = "M"
    """`["M", object, name]`: a method of an object that the receiver has"""
    SINGLE: Final = "N"
    """`["N", name]`: an object in `SINGLES`, such as NotImplemented"""
    SLICE: Final = "S"
    """`["S", start, stop, step]`"""
    BUILT: Final = "B"
    """`["B", class, arguments]`: an immutable value of the standard library, such as a date"""


# Read through `type`: a metaclass can define `__getattribute__`, which would run foreign code.
dict_of: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__
mro_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
bases_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__bases__"].__get__

PICKLED_PROXY_MARK: Final = b"grader.plugins.own_tests.bridge.proxies"
"""The bytes that occur in every pickle of a proxy, as it names the module of `restore_proxy`."""
MAX_NODES: Final = 400_000
"""The maximum number of values in one message."""
MAX_TUPLES: Final = 60
"""The maximum depth of nested tuples, for which both sides recurse. The count restarts inside each
container."""
MAX_NAME_CHARS: Final = 200
"""The maximum length of a name: the sender cuts the names of classes, the receiver refuses longer
names."""
MAX_ANCESTORS: Final = 300
"""The maximum number of ancestors that all bases of a class have together: computing its method
resolution order takes quadratic time."""
MAX_PERMANENT: Final = 5_000
"""The limit on classes and modules of the other side: as they are never released, they could
otherwise use up the memory of this side."""

# The enum of parameter kinds has no public name.
_PARAMETER_KINDS: Final[Any] = type(inspect.Parameter.POSITIONAL_ONLY)
SINGLES: Final[dict[str, object]] = {
    "None": None,
    "NotImplemented": NotImplemented,
    "Ellipsis": Ellipsis,
    **{
        f"dataclasses.{name}": getattr(dataclasses, name)
        for name in ("_FIELD", "_FIELD_CLASSVAR", "_FIELD_INITVAR", "MISSING", "KW_ONLY")
    },
    "inspect._empty": inspect.Parameter.empty,
    **{f"inspect.{kind.name}": kind for kind in _PARAMETER_KINDS},
}
"""Objects that exist once in each process, and that programs compare with `is`."""
SINGLE_IDS: Final = {id(value): name for name, value in SINGLES.items()}

_KNOWN: Final = (
    *(bool, int, float, complex, str, bytes, bytearray, tuple, list, set, frozenset, dict),
    *(object, type, range, slice, type(None), collections.deque, collections.Counter),
    *(collections.OrderedDict, collections.defaultdict, fractions.Fraction, decimal.Decimal),
    *(dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone),
    *(cls for cls in vars(builtins).values() if isinstance(cls, type)
      and issubclass(cls, BaseException)),
)  # fmt: skip
KNOWN: Final[dict[str, type]] = {cls.__name__: cls for cls in _KNOWN}
"""Classes that both sides have and that are safe to call."""
KNOWN_IDS: Final = {id(value): name for name, value in KNOWN.items()}

EXCEPTION_MODULES: Final = frozenset(
    {
        *("binascii", "configparser", "copy", "csv", "dataclasses", "decimal", "json.decoder"),
        *("queue", "re", "statistics", "string", "struct", "uuid", "zlib", "asyncio.exceptions"),
        *("graphlib", "contextvars", "concurrent.futures._base", "pickle", "_pickle", "shutil"),
        "tokenize",
    }
)
"""Modules of the standard library whose exceptions are sent by name."""

_SENT_BY_NAME: Final = """
    builtins: abs all any bin chr divmod hex len max min oct ord pow repr round sorted sum
    math: acos asin atan atan2 ceil comb cos dist exp factorial fabs floor fmod fsum gcd hypot
    math: isclose isqrt lcm log log10 log2 perm prod sin sqrt tan trunc
    operator: add and_ concat contains eq floordiv ge getitem gt inv is_ is_not le lt mod mul ne neg
    operator: not_ or_ pos pow sub truediv truth xor
    time: monotonic perf_counter process_time sleep time
    typing: Any Callable ClassVar Dict Final FrozenSet Iterable Iterator List Literal Mapping
    typing: NoReturn Optional Sequence Set Tuple Type Union
"""
SENT_BY_NAME: Final = frozenset(
    (module, name)
    for module, _, names in (line.strip().partition(": ") for line in _SENT_BY_NAME.splitlines())
    for name in names.split()
)
"""Objects that a submission is allowed to send by name: functions without harmful side effects, and
names of types."""

IMMUTABLE_BASES: Final = (bool, int, float, complex, str, bytes, tuple, frozenset)
"""Immutable base classes: the proxy of an instance of a subclass holds a copy of its content."""
PATHS: Final = (pathlib.PosixPath, pathlib.PurePosixPath, pathlib.WindowsPath)
"""Classes of paths, which are sent as text."""

_REAL: Final[tuple[Any, ...]] = (
    *(types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.GeneratorType),
    *(types.CodeType, types.ModuleType, types.CoroutineType, types.MappingProxyType),
    *(types.AsyncGeneratorType, types.MethodWrapperType, types.WrapperDescriptorType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, property, classmethod),
    *(staticmethod, type({}.keys()), type({}.values()), type({}.items()), zip, map, filter),
    *(enumerate, reversed, memoryview, types.GenericAlias, types.UnionType),
)
REAL: Final[dict[str, type]] = {cls.__name__: cls for cls in _REAL}
"""Built-in classes that mirrors do not inherit from. A proxy claims one as its `__class__`, for the
sake of `isinstance`."""
REAL_IDS: Final = {id(value): name for name, value in REAL.items()}

_SPECIALS: Final = """
    repr str bytes format bool len length_hint hash call fspath
    iter next reversed contains getitem setitem delitem missing
    enter exit aenter aexit aiter anext await
    lt le eq ne gt ge neg pos abs invert int float complex index round trunc floor ceil
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor
    iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor
    get set delete set_name instancecheck subclasscheck
"""
SPECIALS: Final = frozenset(f"__{name}__" for name in _SPECIALS.split())
"""Methods that Python looks up on the class of an object, so that a mirror must have them."""
METACLASS_ONLY: Final = frozenset({"__instancecheck__", "__subclasscheck__"})
"""Special methods that a mirror has only if its class is a metaclass."""
NOT_MIRRORED: Final = frozenset(
    {
        *("__new__", "__getattribute__", "__getattr__", "__class__", "__dict__", "__weakref__"),
        *("__slots__", "__init_subclass__", "__class_getitem__", "__del__"),
        *("__subclasshook__", "__prepare__", "__module__", "__qualname__", "__doc__", "__mro__"),
        *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__copy__"),
        *("__deepcopy__", "__dir__", "__sizeof__", "__classcell__", "__name__", "__bases__"),
    }
)
"""Names in a class that its mirror never copies."""
