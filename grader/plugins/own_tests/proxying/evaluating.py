"""Keeps tests from running what a submission says: its annotations, its `repr`, its pickles.

`eval(repr(p)) == p` and `typing.get_type_hints(f)` run text in the process of the tests, and nobody
can tell whose text it is. So what is run there may name what is harmless, and nothing else.

A pickle can run anything as well, and a test may load one from a file that the submission has
written. So only plain values are made of it, and what the submission itself restores.
"""

from __future__ import annotations

import builtins
import cmath
import dis
import math
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from grader.plugins.own_tests.bridge.proxies import is_mirror, is_proxy
from grader.plugins.own_tests.bridge.wire import KNOWN, KNOWN_IDS, RESTORED

_TEXT: Final = "<string>"
"""The file that code says to come from which was compiled of a text."""
_READERS_OF_ANNOTATIONS: Final = frozenset({"typing", "inspect", "annotationlib"})
_IN_ANNOTATIONS: Final = frozenset(
    {
        *("RESUME", "CACHE", "NOP", "LOAD_NAME", "LOAD_CONST", "LOAD_SMALL_INT", "LOAD_ATTR"),
        *("BINARY_SUBSCR", "BINARY_OP", "BUILD_TUPLE", "BUILD_LIST", "RETURN_VALUE"),
        *("RETURN_CONST", "EXTENDED_ARG", "LIST_EXTEND", "PRECALL", "NOT_TAKEN"),
    }
)
_FUNCTIONS: Final = frozenset(
    {
        *("abs", "all", "any", "ascii", "bin", "bool", "bytes", "bytearray", "chr", "complex"),
        *("dict", "divmod", "enumerate", "filter", "float", "frozenset", "hash", "hex", "id"),
        *("int", "isinstance", "issubclass", "len", "list", "map", "max", "min", "object", "oct"),
        *("ord", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str"),
        *("sum", "tuple", "zip"),
    }
)
"""Built-ins that compute, and do nothing else."""
_VALUES: Final = (
    *(bool, int, float, complex, str, bytes, range, type(None)),
    *(list, dict, set, frozenset, tuple),
)
_LEADING_OUT: Final = ("_", "gi_", "cr_", "ag_", "tb_", "f_", "co_")
"""How names begin by which frames are reached, and from there all that there is."""
_READING_TEXT: Final = frozenset({"format", "format_map", "mro"})
"""Methods that look attributes up whose names stand in a text."""
_NOT_IN_TEXT: Final = ("IMPORT", "MATCH", "STORE_GLOBAL", "DELETE")
"""How instructions begin that name what is not among the names of code, or change what is there."""
_CLASSES: Final = (date, datetime, time, timedelta, Decimal, Fraction)


def executing(code: object, folders: tuple[Path, ...], frame: FrameType) -> str | None:
    """Return what a test does in `frame` that is to run `code`, None if it may.

    Tests are what lies in `folders`.
    """
    if not isinstance(code, CodeType):
        return None
    module = frame.f_globals.get("__name__")
    if code.co_filename == _TEXT:
        if module in _READERS_OF_ANNOTATIONS and not _is_annotation(code):
            return "evaluates an annotation of a function that calls something; let it be a type"
        if module == "dataclasses" and _is_on_submission(frame) and not _is_of_dataclass(code):
            return "makes a dataclass that builds on one of the submission, whose fields are none"
    path = Path(frame.f_code.co_filename)
    if any(path.is_relative_to(folder) for folder in folders):  # whatever file the text claims
        odd = next(_odd(code, frame), None)
        if odd is not None:
            return (
                f"evaluates text with {odd!r} in it, which a submission may have made up; let the"
                " test call it itself, or the text name classes of the submission and numbers only"
            )
    return None


def _is_annotation(code: CodeType) -> bool:
    return all(each.opname in _IN_ANNOTATIONS for each in dis.get_instructions(code)) and not any(
        name.startswith("_") for name in code.co_names
    )


def _is_of_dataclass(code: CodeType) -> bool:
    """Return whether `code` defines a method as dataclasses have them, whatever fields are called.

    The names of fields stand in its text, and a submission says what they are.
    """
    for each in dis.get_instructions(code):
        name = each.argval if isinstance(each.argval, str) else ""
        if each.opname in {"LOAD_GLOBAL", "LOAD_NAME"} and name not in _IN_METHODS:
            return False
        is_asked = each.opname in {"LOAD_ATTR", "LOAD_METHOD"} and name.startswith("__")
        if (is_asked and name not in _OF_METHODS) or name in _READING_TEXT:
            return False
        if each.opname.startswith(_NOT_IN_TEXT):
            return False
    return all(  # no field is a generator, which would lead to frames
        not each.co_name.startswith("<") and _is_of_dataclass(each)
        for each in code.co_consts
        if isinstance(each, CodeType)
    )


_IN_METHODS: Final = frozenset({"NotImplemented", "hash", "super", "type", "__create_fn__"})
_OF_METHODS: Final = frozenset(
    {"__class__", "__qualname__", "__setattr__", "__delattr__", "__post_init__"}
)


def _is_on_submission(frame: FrameType | None) -> bool:
    """Return whether one of the callers makes a class that builds on one of a submission."""
    while frame is not None and frame.f_globals.get("__name__") == "dataclasses":
        cls = frame.f_locals.get("cls")
        if isinstance(cls, type) and is_mirror(cls):
            return True
        frame = frame.f_back
    return False


def _odd(code: CodeType, frame: FrameType) -> Iterator[str]:
    """Yield what `code` has that may do more than compute, if it is run in `frame`."""
    yield from (name for name in code.co_names if not _is_harmless(name, frame))
    for each in dis.get_instructions(code):
        if each.opname.startswith(_NOT_IN_TEXT):
            yield each.opname.partition("_")[0].lower()
        elif each.opname == "STORE_NAME" and each.argval in frame.f_globals:
            yield each.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _odd(inner, frame)


def _is_harmless(name: str, frame: FrameType) -> bool:
    """Return whether whoever has `name` can run nothing by it, as it is known in `frame`."""
    if name.startswith(_LEADING_OUT) or name in _READING_TEXT:
        return False
    for names in (frame.f_locals, frame.f_globals):
        if name in names:
            value = names[name]
            return (
                is_proxy(value)
                or (isinstance(value, type) and (is_mirror(value) or id(value) in KNOWN_IDS))
                or type(value) in _VALUES
                or any(value is each for each in (math, cmath, *_CLASSES))
            )
    return name in _FUNCTIONS or not hasattr(builtins, name)


_CANNOT_CHANGE: Final = 1 << 8
"""The flag of a class of which nothing can be set: a pickle sets attributes of what it names."""
_IN_PICKLES: Final = frozenset(
    {
        *((each.__module__, name) for name, each in KNOWN.items()
          if each is not type and each.__flags__ & _CANNOT_CHANGE),
        *((RESTORED.decode(), "restored"), ("_codecs", "encode"), ("copyreg", "__newobj__")),
        *(("copyreg", "_reconstructor"), ("types", "SimpleNamespace")),
        *((module, name) for module in ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
          for name in ("ndarray", "dtype", "_reconstruct", "scalar")),
        *(("numpy._core.numeric", "_frombuffer"), ("numpy.core.numeric", "_frombuffer")),
    }
)  # fmt: skip
"""What makes plain values, whatever it is called with."""
_OLD_MODULES: Final = {"__builtin__": "builtins", "copy_reg": "copyreg"}
"""What old protocols call modules."""


def unpickling(module: object, name: object) -> str | None:
    """Return what a test does that loads a pickle with such a name in it, None if it may."""
    if (_OLD_MODULES.get(str(module), module), name) in _IN_PICKLES:
        return None
    return (
        f"unpickles {module}.{name}: a pickle that a submission has made up could run anything; let"
        " the submission load it, by a function of its own, or pickle plain values"
    )
