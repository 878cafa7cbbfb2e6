"""Prevents tests from running code of a submission: its annotations, its `repr`, its pickles.

`eval(repr(p)) == p` and `typing.get_type_hints(f)` run a string as code in the process of the
tests. A string that is not in a file of the tests may come from a submission, so it is only allowed
to use harmless names. Modules that a test calls are not allowed to run such a string either, except
for a few modules that generate code themselves.

A pickle can run arbitrary code as well, and a test can load one from a file that the submission has
written. So a pickle is only allowed to contain plain values, and proxies, which the submission
itself restores.
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
# Instructions that read names and build values but call nothing, in all versions since Python 3.11.
_ANNOTATION_INSTRUCTIONS: Final = frozenset(
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
"""Prefixes of attributes that lead to frames, and so to every object in the process."""
_INDIRECT_LOOKUPS: Final = frozenset({"format", "format_map", "mro"})
"""Methods that look up attributes named in a string, or lead to base classes."""
_FORBIDDEN_INSTRUCTIONS: Final = ("IMPORT", "MATCH", "STORE_GLOBAL", "DELETE")
"""Prefixes of instructions that use names outside `co_names`, or change existing names."""
_NAME_INSTRUCTIONS: Final = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT")
_HARMLESS_CLASSES: Final = (date, datetime, time, timedelta, Decimal, Fraction)


class EvaluationGuard:
    """Decides which strings are allowed to run as code in the process of the tests."""

    def __init__(
        self, folders: tuple[Path, ...], files: Iterable[Path], in_test: Callable[[], bool]
    ) -> None:
        """Trust strings that occur in the test `files`, which are in `folders`.

        `in_test` returns whether a test is running. While it is, code counts as run by a test even
        if none of its callers is in the tests.
        """
        self._folders: Final = folders
        self._files: Final = tuple(files)
        self._in_test: Final = in_test
        self._last_compiled: object = None
        self._temporary: Final = f"{os.path.realpath(tempfile.gettempdir())}/"

    def record_source(self, text: object) -> None:
        """Store the source that is being compiled, as its code is usually executed next."""
        self._last_compiled = text.decode(errors="replace") if isinstance(text, bytes) else text

    @cached_property
    def _test_strings(self) -> frozenset[str]:
        return frozenset(text for path in self._files for text in _strings_in(path))

    def is_in_test_files(self, text: object) -> bool:
        """Return whether `text` is a string that occurs in a file of the tests."""
        return isinstance(text, str) and text.strip() in self._test_strings

    def execution_complaint(self, code: object, frame: FrameType) -> str | None:
        """Return a complaint if a test must not run `code` in `frame`, else None.

        Forgets the source that was last compiled.
        """
        if not isinstance(code, CodeType):
            return None
        # The source belongs only to this `exec`, as the next one may run older code.
        text, self._last_compiled = self._last_compiled, None
        module_name = str(frame.f_globals.get("__name__"))
        if self._is_in_tests(frame):
            return None if self.is_in_test_files(text) else _complaint_about_text(code, frame)
        if _is_importer(frame):
            return next(filter(None, map(self.loading_complaint, _code_files(code, frame))), None)
        if module_name in _READERS_OF_ANNOTATIONS:
            return None if _is_annotation(code) else _ANNOTATION_COMPLAINT
        if module_name == "dataclasses":
            is_submission_class = _is_making_dataclass(frame)
            is_called_by_test = is_submission_class or self._is_called_by_test(frame)
            forbidden_names = _INDIRECT_LOOKUPS if is_submission_class else frozenset()
            return (
                _DATACLASS_COMPLAINT
                if is_called_by_test and not _is_dataclass_method(code, forbidden_names)
                else None
            )
        if (
            not self._is_called_by_test(frame)
            or module_name.partition(".")[0] in _CODE_GENERATORS
            or self.is_in_test_files(text)
        ):
            return None
        if module_name == "timeit" and all(map(self.is_in_test_files, _timed_statements(text))):
            return None
        return (
            f"lets {module_name} run a string that is in no file of the tests, so that a submission"
            " may have made it up; let the test call the function directly"
        )

    def _is_in_tests(self, frame: FrameType) -> bool:
        """Return whether the code of `frame` is in a folder of the tests."""
        path = Path(frame.f_code.co_filename)
        return any(map(path.is_relative_to, self._folders))

    def _is_called_by_test(self, frame: FrameType) -> bool:
        """Return whether a test runs the code of `frame`, rather than a module being imported."""
        caller: FrameType | None = frame
        while caller is not None:
            if self._is_in_tests(caller):
                return True
            if caller.f_globals.get("__name__") == _IMPORT_SYSTEM:
                return False
            caller = caller.f_back
        return self._in_test()

    def loading_complaint(self, file: object) -> str | None:
        """Return a complaint if a test loads code that a submission may have written, else None.

        Submissions can write in temporary folders.
        """
        if not isinstance(file, str):
            return None
        resolved = os.path.realpath(file)
        is_beside = any(Path(resolved).is_relative_to(folder.resolve()) for folder in self._folders)
        if resolved.startswith(self._temporary) and not is_beside:
            return (
                f"runs {Path(resolved).name} from a temporary folder, where a submission can write;"
                " put the file beside the tests"
            )
        return None


def _code_files(code: CodeType, frame: FrameType | None) -> Iterator[str]:
    """Yield the files that `code` may come from.

    Compiled code can claim any `co_filename`, so the paths in the importer's frames are included.
    """
    yield code.co_filename
    while frame is not None and _is_importer(frame):
        for value in frame.f_locals.values():
            path = value.path if isinstance(value, _FILE_LOADERS) else value
            if type(path) is str and path.startswith("/"):
                yield path
        frame = frame.f_back


def _is_importer(frame: FrameType) -> bool:
    """Return whether `frame` belongs to a module that imports files."""
    is_frozen = frame.f_code.co_filename.startswith("<frozen ")
    return is_frozen or str(frame.f_globals.get("__name__")) in _IMPORTER_MODULES


def bytecode_complaint(frame: FrameType) -> str | None:
    """Return a complaint if `frame` must not create code from bytes, else None.

    Importers of Python files, and the grader, are allowed to do that.
    """
    if _is_importer(frame) or str(frame.f_globals.get("__name__")).startswith("grader."):
        return None
    return (
        "creates code from bytes that a submission may have made up; let the test import the code"
    )


_IMPORT_SYSTEM: Final = "importlib._bootstrap"
_FILE_LOADERS: Final = (SourceFileLoader, SourcelessFileLoader, ExtensionFileLoader)
_IMPORTER_MODULES: Final = frozenset({"_pytest.assertion.rewrite", "runpy", "zipimport", "pkgutil"})
_CODE_GENERATORS: Final = frozenset(
    {"collections", "enum", "unittest", "attr", "attrs", "hypothesis", "grader", "pdb"}
)
"""Packages that generate code from names, not from values. The exception is pdb, which runs what we
type at our own terminal."""
_NAME_CHECKERS: Final = frozenset({"dataclasses", "unittest.mock", "attr", "attrs", "hypothesis"})
"""Modules that check a name with its own methods, which a subclass of `str` can override."""


def code_generator_calling(frame: FrameType | None) -> str | None:
    """Return the name of the module that called the grader's code in `frame`.

    Returns None if that module does not generate code.
    """
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("grader."):
        frame = frame.f_back
    module_name = "" if frame is None else str(frame.f_globals.get("__name__"))
    is_generator = not _NAME_CHECKERS.isdisjoint({module_name, module_name.partition(".")[0]})
    return module_name if is_generator else None


_ANNOTATION_COMPLAINT: Final = (
    "evaluates an annotation that calls something, or uses a name that begins with an underscore;"
    " use a type as the annotation"
)
_DATACLASS_COMPLAINT: Final = (
    "creates a dataclass from a class of the submission whose fields are invalid;"
    " let the submission create the dataclass itself"
)
_TIMEIT_TEMPLATE: Final = re.compile(
    r"def inner\(_it, _timer.*?\):\n    (?P<setup>.*?)\n    _t0 = .*?"
    r"for _i in _it:\n        (?P<stmt>.*?)(?:\n        pass)?\n    _t1 = ",
    re.DOTALL,
)


def _timed_statements(text: object) -> Iterator[str]:
    """Yield the statements that timeit has put into its template, except for calls to functions.

    If `text` is not such a template, yield a string that occurs in no file of the tests.
    """
    match = _TIMEIT_TEMPLATE.search(text) if isinstance(text, str) else None
    if match is None:
        yield "\0"  # occurs in no file of the tests, so it is refused
        return
    for statement, indent in ((match["setup"], 4), (match["stmt"], 8)):
        dedented = statement.replace("\n" + indent * " ", "\n").strip()
        if dedented not in {"pass", "_setup()", "_stmt()"}:
            yield dedented


def _strings_in(path: Path) -> Iterator[str]:
    """Yield the strings in a file of the tests: string literals and doctest examples."""
    with suppress(OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield from (example.source.strip() for example in DocTestParser().get_examples(text))
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value.strip()


def path_parts_in_strings(paths: Iterable[Path]) -> frozenset[str]:
    """Return the parts of all paths that occur in strings of the tests at `paths`."""
    texts = (text for path in paths for text in _strings_in(path))
    return frozenset(name for text in texts for name in re.split(r"[/\\]", text) if name)


def _complaint_about_text(code: CodeType, frame: FrameType) -> str | None:
    """Return a complaint if a test must not evaluate `code`, else None.

    The source of `code` is in no file of the tests.
    """
    suspicious = next(_suspicious_parts(code, frame), None)
    if suspicious is None:
        return None
    return (
        f"evaluates a string with {suspicious!r} in it, which a submission may have made up;"
        " let the test call the function itself, or use only numbers and imported classes of the"
        " submission in the string"
    )


def _is_annotation(code: CodeType) -> bool:
    """Return whether `code` calls nothing, and uses only public names."""
    return all(
        step.opname in _ANNOTATION_INSTRUCTIONS for step in dis.get_instructions(code)
    ) and not any(name.startswith("_") for name in code.co_names)


def _is_dataclass_method(code: CodeType, forbidden_names: frozenset[str]) -> bool:
    """Return whether `dataclasses` may have generated `code` as a method, whatever its fields.

    The names of fields are part of the code. A submission can choose any names except for
    `forbidden_names`.
    """
    for step in dis.get_instructions(code):
        name = step.argval if isinstance(step.argval, str) else ""
        if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"} and name not in _GLOBALS_IN_METHODS:
            return False
        is_special = step.opname in {"LOAD_ATTR", "LOAD_METHOD"} and name.startswith("__")
        if (is_special and name not in _SPECIALS_IN_METHODS) or name in forbidden_names:
            return False
        if step.opname.startswith(_FORBIDDEN_INSTRUCTIONS):
            return False
    return all(  # a generator expression in a default would give access to stack frames
        not nested.co_name.startswith("<") and _is_dataclass_method(nested, forbidden_names)
        for nested in code.co_consts
        if isinstance(nested, CodeType)
    )


_GLOBALS_IN_METHODS: Final = frozenset({"NotImplemented", "hash", "super", "type", "__create_fn__"})
_SPECIALS_IN_METHODS: Final = frozenset(
    {"__class__", "__qualname__", "__setattr__", "__delattr__", "__post_init__"}
)


def _is_making_dataclass(frame: FrameType | None) -> bool:
    """Return whether `frame` or a caller is turning a class of a submission into a dataclass."""
    while frame is not None and frame.f_globals.get("__name__") == "dataclasses":
        cls = frame.f_locals.get("cls")
        if isinstance(cls, type) and is_mirror(cls):
            return True
        frame = frame.f_back
    return False


def _suspicious_parts(code: CodeType, frame: FrameType) -> Iterator[str]:
    """Yield the names and instructions in `code` that could do more than compute in `frame`."""
    yield from (name for name in code.co_names if not _is_harmless(name, frame))
    for step in dis.get_instructions(code):
        if step.opname.startswith(_FORBIDDEN_INSTRUCTIONS):
            yield step.opname.partition("_")[0].lower()
        elif step.opname.startswith(_NAME_INSTRUCTIONS) and not _is_defined(step.argval, frame):
            # `eval` can get other namespaces, in which the name can be anything.
            yield step.argval
        elif step.opname == "STORE_NAME" and step.argval in frame.f_globals:
            yield step.argval
    for nested in code.co_consts:
        if isinstance(nested, CodeType):
            yield from _suspicious_parts(nested, frame)


def _is_defined(name: str, frame: FrameType) -> bool:
    """Return whether `name` is defined where `frame` evaluates code."""
    return name in _FUNCTIONS or name in frame.f_locals or name in frame.f_globals


def _is_harmless(name: str, frame: FrameType) -> bool:
    """Return whether code in `frame` can use `name` without being able to run anything else."""
    if name.startswith(_ESCAPING_PREFIXES) or name in _INDIRECT_LOOKUPS:
        return False
    for namespace in (frame.f_locals, frame.f_globals):
        if name in namespace:
            value = namespace[name]
            return (
                is_proxy(value)
                or (isinstance(value, type) and (is_mirror(value) or id(value) in KNOWN_IDS))
                or any(value is known for known in (math, cmath, *_HARMLESS_CLASSES))
            )
    # `co_names` contains attribute names, too.
    return name in _FUNCTIONS or not hasattr(builtins, name)


_IMMUTABLE_TYPE_FLAG: Final = 1 << 8
"""`Py_TPFLAGS_IMMUTABLETYPE`: a pickle can set attributes of any other class that it names."""
_HARMLESS_GLOBALS: Final = frozenset(
    {
        *((cls.__module__, name) for name, cls in KNOWN.items()
          if cls is not type and cls.__flags__ & _IMMUTABLE_TYPE_FLAG),
        *((PICKLED_PROXY_MARK.decode(), "restore_proxy"), ("_codecs", "encode")),
        *(("copyreg", "__newobj__"), ("copyreg", "_reconstructor"), ("types", "SimpleNamespace")),
        *((module, name) for module in ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
          for name in ("ndarray", "dtype", "_reconstruct", "scalar")),
        *(("numpy._core.numeric", "_frombuffer"), ("numpy.core.numeric", "_frombuffer")),
    }
)  # fmt: skip
"""Globals that create only plain values, whatever their arguments are."""
_OLD_MODULES: Final = {"__builtin__": "builtins", "copy_reg": "copyreg"}
"""Module names of Python 2, which old protocols use."""


def pickle_complaint(module: object, name: object) -> str | None:
    """Return a complaint about loading a pickle with this global, or None if it is harmless."""
    if (_OLD_MODULES.get(str(module), module), name) in _HARMLESS_GLOBALS:
        return None
    return (
        f"unpickles {module}.{name}, with which a submission's pickle could run any code;"
        " let a function of the submission load the pickle, or pickle plain values only"
    )
