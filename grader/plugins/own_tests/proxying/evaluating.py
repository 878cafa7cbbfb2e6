"""Keeps tests from running code of a submission: its annotations, its `repr`, its pickles.

`eval(repr(p)) == p` and `typing.get_type_hints(f)` run text in the process of the tests. A text
that is not in a file of the tests may come from a submission, so it may use harmless names alone.
No other module may run such text there either, but for a few that generate code themselves.

A pickle can run anything as well, and a test may load one from a file that the submission has
written. So it may hold plain values only, and proxies, which the submission itself restores.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import dis
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from doctest import DocTestParser
from fractions import Fraction
from functools import cached_property
from importlib.machinery import ExtensionFileLoader, SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from grader.plugins.own_tests.bridge.proxies import is_mirror, is_proxy
from grader.plugins.own_tests.bridge.wire import KNOWN, KNOWN_IDS, PICKLED_PROXY_MARK

_READERS_OF_ANNOTATIONS: Final = frozenset({"typing", "inspect", "annotationlib"})
# They read names and build values, but call nothing; of all versions from 3.11 on.
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
"""Built-ins that only compute."""
_ESCAPING_PREFIXES: Final = ("_", "gi_", "cr_", "ag_", "tb_", "f_", "co_")
"""Prefixes of attributes that lead to frames, and from there to everything."""
_TEXT_METHODS: Final = frozenset({"format", "format_map", "mro"})
"""Methods that look up attributes whose names are in a string, or lead to base classes."""
_FORBIDDEN_INSTRUCTIONS: Final = ("IMPORT", "MATCH", "STORE_GLOBAL", "DELETE")
"""Prefixes of instructions that use names outside of `co_names`, or change existing names."""
_NAME_INSTRUCTIONS: Final = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT")
_CLASSES: Final = (date, datetime, time, timedelta, Decimal, Fraction)


class Evaluating:
    """Decides which text may run in the process of the tests."""

    def __init__(
        self, folders: tuple[Path, ...], files: Iterable[Path], in_test: Callable[[], bool]
    ) -> None:
        """Know the texts in the test `files`, which are in `folders`.

        `in_test` tells whether a test runs; then code without a caller in the tests counts as well.
        """
        self._folders: Final = folders
        self._files: Final = tuple(files)
        self._in_test: Final = in_test
        self._last_compiled: object = None
        self._temporary: Final = f"{os.path.realpath(tempfile.gettempdir())}/"

    def compiling(self, text: object) -> None:
        """Note a text that is compiled: `exec` of its code usually follows at once."""
        self._last_compiled = text.decode(errors="replace") if isinstance(text, bytes) else text

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(text for path in self._files for text in _texts_in(path))

    def is_of_tests(self, text: object) -> bool:
        """Return whether a text occurs in a file of the tests."""
        return isinstance(text, str) and text.strip() in self._texts

    def executing(self, code: object, frame: FrameType) -> str | None:
        """Say what a test does that runs `code` in `frame`, or return None if that is permitted."""
        if not isinstance(code, CodeType):
            return None
        # For this `exec` only: the next may run older code.
        text, self._last_compiled = self._last_compiled, None
        module = str(frame.f_globals.get("__name__"))
        if self._is_in_tests(frame):
            return None if self.is_of_tests(text) else _refusal_of_text(code, frame)
        if _loads(frame):
            return next(filter(None, map(self.loading, _code_files(code, frame))), None)
        if module in _READERS_OF_ANNOTATIONS:
            return None if _is_annotation(code) else _ANNOTATION
        if module == "dataclasses":
            is_of_submission = _is_submission_class(frame)
            is_called_by_test = is_of_submission or self._is_called_by_test(frame)
            forbidden_names = _TEXT_METHODS if is_of_submission else frozenset()
            return (
                _DATACLASS
                if is_called_by_test and not _is_dataclass_method(code, forbidden_names)
                else None
            )
        if (
            not self._is_called_by_test(frame)
            or module.partition(".")[0] in _CODE_GENERATORS
            or self.is_of_tests(text)
        ):
            return None
        if module == "timeit" and all(map(self.is_of_tests, _timed_statements(text))):
            return None
        return (
            f"has {module} run a text that stands in no file of the tests, which a submission may"
            " have made up; let the test call what it wants to know itself"
        )

    def _is_in_tests(self, frame: FrameType) -> bool:
        path = Path(frame.f_code.co_filename)
        return any(map(path.is_relative_to, self._folders))

    def _is_called_by_test(self, frame: FrameType) -> bool:
        """Return whether a test runs this, rather than a module that is being imported."""
        caller: FrameType | None = frame
        while caller is not None:
            if self._is_in_tests(caller):
                return True
            if caller.f_globals.get("__name__") == _IMPORTING:
                return False
            caller = caller.f_back
        return self._in_test()

    def loading(self, file: object) -> str | None:
        """Say what a test does if it loads code that a submission may have written."""
        if not isinstance(file, str):
            return None
        place = os.path.realpath(file)
        is_beside = any(Path(place).is_relative_to(each.resolve()) for each in self._folders)
        if place.startswith(self._temporary) and not is_beside:
            return (
                f"runs {Path(place).name} from a temporary folder, where a submission can write;"
                " let it lie beside the tests"
            )
        return None


def _code_files(code: CodeType, frame: FrameType | None) -> Iterator[str]:
    """Yield the files that `code` may come from: compiled code can claim any `co_filename`."""
    yield code.co_filename
    while frame is not None and _loads(frame):
        for value in frame.f_locals.values():
            place = value.path if isinstance(value, _FILE_LOADERS) else value
            if type(place) is str and place.startswith("/"):
                yield place
        frame = frame.f_back


def _loads(frame: FrameType) -> bool:
    is_frozen = frame.f_code.co_filename.startswith("<frozen ")
    return is_frozen or str(frame.f_globals.get("__name__")) in _LOADERS


def refusal_of_bytecode(frame: FrameType) -> str | None:
    """Say what `frame` does if it makes code from bytes; None if it is a Python importer."""
    if _loads(frame) or str(frame.f_globals.get("__name__")).startswith("grader."):
        return None
    return "makes code of bytes, which a submission may have made up; let the test import it"


_IMPORTING: Final = "importlib._bootstrap"
_FILE_LOADERS: Final = (SourceFileLoader, SourcelessFileLoader, ExtensionFileLoader)
_LOADERS: Final = frozenset({"_pytest.assertion.rewrite", "runpy", "zipimport", "pkgutil"})
_CODE_GENERATORS: Final = frozenset(
    {"collections", "enum", "unittest", "attr", "attrs", "hypothesis", "grader", "pdb"}
)
"""Packages that generate code from names, not from values; pdb runs what is typed at our own
terminal."""
_NAME_CHECKERS: Final = frozenset({"dataclasses", "unittest.mock", "attr", "attrs", "hypothesis"})
"""Those that check a name with its own methods, which a subclass of `str` can override."""


def maker_of_code(frame: FrameType | None) -> str | None:
    """Return the module that calls the bridge in `frame`, if it generates code from names."""
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("grader."):
        frame = frame.f_back
    module = "" if frame is None else str(frame.f_globals.get("__name__"))
    is_maker = not _NAME_CHECKERS.isdisjoint({module, module.partition(".")[0]})
    return module if is_maker else None


_ANNOTATION: Final = "evaluates an annotation of a function that calls something; let it be a type"
_DATACLASS: Final = "makes a dataclass of a submission's making, whose fields are none"
_TIMED: Final = re.compile(
    r"def inner\(_it, _timer.*?\):\n    (?P<setup>.*?)\n    _t0 = .*?"
    r"for _i in _it:\n        (?P<stmt>.*?)(?:\n        pass)?\n    _t1 = ",
    re.DOTALL,
)


def _timed_statements(text: object) -> Iterator[str]:
    """Yield the statements that timeit has put into its template, but for calls of functions."""
    match = _TIMED.search(text) if isinstance(text, str) else None
    if match is None:
        yield "\0"  # in no file of tests, so it is refused
        return
    for each, indent in ((match["setup"], 4), (match["stmt"], 8)):
        plain = each.replace("\n" + indent * " ", "\n").strip()
        if plain not in {"pass", "_setup()", "_stmt()"}:
            yield plain


def _texts_in(path: Path) -> Iterator[str]:
    """Yield the texts in a file of tests: string literals, and doctest examples."""
    with suppress(OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield from (each.source.strip() for each in DocTestParser().get_examples(text))
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value.strip()


def names_in_texts(paths: Iterable[Path]) -> frozenset[str]:
    """Return the names in texts of the tests that may be files or folders."""
    texts = (text for path in paths for text in _texts_in(path))
    return frozenset(name for text in texts for name in re.split(r"[/\\]", text) if name)


def _refusal_of_text(code: CodeType, frame: FrameType) -> str | None:
    """Say what a test does that evaluates foreign `code`, or return None if it is harmless."""
    suspicious = next(_suspicious_names(code, frame), None)
    if suspicious is None:
        return None
    return (
        f"evaluates text with {suspicious!r} in it, which a submission may have made up;"
        " let the test call it itself, or the text name numbers, and classes of the submission as"
        " the test knows them"
    )


def _is_annotation(code: CodeType) -> bool:
    return all(each.opname in _IN_ANNOTATIONS for each in dis.get_instructions(code)) and not any(
        name.startswith("_") for name in code.co_names
    )


def _is_dataclass_method(code: CodeType, forbidden_names: frozenset[str]) -> bool:
    """Return whether `code` is a method as `dataclasses` generates it, whatever its fields.

    Names of fields are part of its text, and a submission may choose them, except for
    `forbidden_names`.
    """
    for each in dis.get_instructions(code):
        name = each.argval if isinstance(each.argval, str) else ""
        if each.opname in {"LOAD_GLOBAL", "LOAD_NAME"} and name not in _IN_METHODS:
            return False
        is_special = each.opname in {"LOAD_ATTR", "LOAD_METHOD"} and name.startswith("__")
        if (is_special and name not in _OF_METHODS) or name in forbidden_names:
            return False
        if each.opname.startswith(_FORBIDDEN_INSTRUCTIONS):
            return False
    return all(  # a generator expression as a field would lead to frames
        not each.co_name.startswith("<") and _is_dataclass_method(each, forbidden_names)
        for each in code.co_consts
        if isinstance(each, CodeType)
    )


_IN_METHODS: Final = frozenset({"NotImplemented", "hash", "super", "type", "__create_fn__"})
_OF_METHODS: Final = frozenset(
    {"__class__", "__qualname__", "__setattr__", "__delattr__", "__post_init__"}
)


def _is_submission_class(frame: FrameType | None) -> bool:
    """Return whether one of the callers makes a dataclass of a class of a submission."""
    while frame is not None and frame.f_globals.get("__name__") == "dataclasses":
        cls = frame.f_locals.get("cls")
        if isinstance(cls, type) and is_mirror(cls):
            return True
        frame = frame.f_back
    return False


def _suspicious_names(code: CodeType, frame: FrameType) -> Iterator[str]:
    """Yield the names and instructions in `code` that may do more than compute in `frame`."""
    yield from (name for name in code.co_names if not _is_harmless(name, frame))
    for each in dis.get_instructions(code):
        if each.opname.startswith(_FORBIDDEN_INSTRUCTIONS):
            yield each.opname.partition("_")[0].lower()
        elif each.opname.startswith(_NAME_INSTRUCTIONS) and not _is_known(each.argval, frame):
            yield each.argval  # `eval` may be given other names, where it is anything
        elif each.opname == "STORE_NAME" and each.argval in frame.f_globals:
            yield each.argval
    for nested in code.co_consts:
        if isinstance(nested, CodeType):
            yield from _suspicious_names(nested, frame)


def _is_known(name: str, frame: FrameType) -> bool:
    return name in _FUNCTIONS or name in frame.f_locals or name in frame.f_globals


def _is_harmless(name: str, frame: FrameType) -> bool:
    """Return whether `name` gives code no way to run anything in `frame`."""
    if name.startswith(_ESCAPING_PREFIXES) or name in _TEXT_METHODS:
        return False
    for names in (frame.f_locals, frame.f_globals):
        if name in names:
            value = names[name]
            return (
                is_proxy(value)
                or (isinstance(value, type) and (is_mirror(value) or id(value) in KNOWN_IDS))
                or any(value is each for each in (math, cmath, *_CLASSES))
            )
    return name in _FUNCTIONS or not hasattr(builtins, name)  # names of attributes are here, too


_CANNOT_CHANGE: Final = 1 << 8
"""`Py_TPFLAGS_IMMUTABLETYPE`: a pickle can set attributes of any other class that it names."""
_IN_PICKLES: Final = frozenset(
    {
        *((each.__module__, name) for name, each in KNOWN.items()
          if each is not type and each.__flags__ & _CANNOT_CHANGE),
        *((PICKLED_PROXY_MARK.decode(), "restore_proxy"), ("_codecs", "encode")),
        *(("copyreg", "__newobj__"), ("copyreg", "_reconstructor"), ("types", "SimpleNamespace")),
        *((module, name) for module in ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
          for name in ("ndarray", "dtype", "_reconstruct", "scalar")),
        *(("numpy._core.numeric", "_frombuffer"), ("numpy.core.numeric", "_frombuffer")),
    }
)  # fmt: skip
"""Globals that only make plain values, whatever their arguments."""
_OLD_MODULES: Final = {"__builtin__": "builtins", "copy_reg": "copyreg"}
"""Module names of Python 2, which old protocols use."""


def refusal_of_pickle(module: object, name: object) -> str | None:
    """Say what a test does that loads a pickle with this global; None if that is permitted."""
    if (_OLD_MODULES.get(str(module), module), name) in _IN_PICKLES:
        return None
    return (
        f"unpickles {module}.{name}: a pickle that a submission has made up could run anything; let"
        " the submission load it, by a function of its own, or pickle plain values"
    )
