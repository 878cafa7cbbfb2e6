"""Finds names with which a program could detect or deceive a probe that watches it.

A program that detects a probe can behave well while it is watched. It cannot name the instruments,
so it has to inspect how its own code runs: code objects, frames, modules and their tables, counters
of the interpreter, or the clock. Any name that gives access to these is suspicious, even if it is
put together at run time. Such a name proves nothing: a person has to look at the code.
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Container, Iterator
from typing import Any, Final, cast

from grader.executor.syntax.names import LocatedName, imports_at, resolve_name
from grader.executor.syntax.tree import Visit

_MODULES: Final = frozenset(
    (
        *("__main__", "bdb", "builtins", "code", "codeop", "ctypes", "dis", "faulthandler", "gc"),
        *("importlib", "inspect", "linecache", "marshal", "opcode", "pkgutil", "runpy", "symtable"),
        *("resource", "trace", "tracemalloc"),
    )
)
"""Modules that give access to how code runs."""
_NAMES: Final = frozenset(
    (
        *("builtins.compile", "builtins.eval", "builtins.exec", "builtins.RecursionError"),
        *("builtins.globals", "builtins.locals", "builtins.vars"),
        *("string.Formatter", "threading.setprofile", "threading.settrace"),
        *("threading.setprofile_all_threads", "threading.settrace_all_threads"),
        *("traceback.extract_stack", "traceback.extract_tb", "traceback.format_stack"),
        *("traceback.print_stack", "traceback.walk_stack", "traceback.walk_tb"),
        *("traceback.StackSummary", "traceback.TracebackException"),
        *("types.CodeType", "types.FunctionType"),
        *("time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.perf_counter_ns"),
        *("time.process_time", "time.process_time_ns", "time.thread_time", "time.thread_time_ns"),
        *("time.time", "time.time_ns", "timeit.default_timer", "timeit.timeit"),
    )
)
"""Full names of functions and classes that give access to how code runs."""
_HARMLESS_IN_SYS: Final = frozenset(
    (
        *("argv", "byteorder", "exit", "float_info", "getrecursionlimit", "getsizeof", "int_info"),
        *("maxsize", "maxunicode", "path", "platform", "set_int_max_str_digits"),
        *("setrecursionlimit", "stderr", "stdin", "stdout", "version", "version_info"),
    )
)
"""Names in `sys` that do not show how code runs."""
_HARMLESS: Final = frozenset(
    (
        *("__all__", "__annotations__", "__call__", "__doc__", "__file__", "__get__", "__main__"),
        *("__module__", "__name__", "__next__", "__del__", "__qualname__", "__slots__"),
        *("__enter__", "__exit__", "__bool__", "__missing__", "__version__", "__author__"),
    )
).union(dir(int), dir(list), dir(dict), dir(set), dir(str)) - {"__dir__", "__getattribute__"}
"""Names with underscores that ordinary programs use, and that show nothing about how code runs."""
_INTERNAL_TYPES: Final = (
    *(types.AsyncGeneratorType, types.CodeType, types.CoroutineType, types.FrameType),
    *(types.FunctionType, types.GeneratorType, types.MethodType, types.ModuleType),
    *(types.TracebackType, BaseException, type),
)
_ATTRIBUTES: Final = (
    frozenset(name for kind in _INTERNAL_TYPES for name in dir(kind) if "_" in name).union(
        {"__builtins__", "__wrapped__", "_current_frames", "_getframe", "currentframe"}
    )
    - _HARMLESS
    - {"with_traceback", "add_note"}
)
"""Attributes, of any object, that show how code runs."""
_BY_NAME: Final = {
    "builtins.getattr": 1,
    "builtins.setattr": 1,
    "builtins.delattr": 1,
    "builtins.__import__": 0,
    "importlib.import_module": 0,
    "operator.attrgetter": 0,
    "operator.methodcaller": 0,
}
"""Functions that look up attributes or modules by name, and the index of the name argument."""
_WORD: Final = re.compile(r"\w+")
_FRAGMENT: Final = re.compile(r"\w*(?:__[a-z]|[a-z]__)\w*")
_FORMATS: Final = frozenset({"format", "format_map"})
"""Methods of `str` that look up the attributes named in a template, as in `"{0.__class__}"`."""


def find_suspicious_names(
    visit: Visit, submission_modules: Container[str] = ()
) -> Iterator[LocatedName]:
    """Yield the suspicious names at `visit`.

    A name in a standard module is left out if one of the `submission_modules` hides that module.
    """
    for name, span in _suspicious_names(visit):
        if name.partition(".")[0] not in submission_modules:
            yield LocatedName(name, span)


def _suspicious_names(visit: Visit) -> Iterator[LocatedName]:
    """Yield the suspicious names at `visit`, even in modules that the submission hides."""
    source, node = visit.scope.module.source, cast("Any", visit.node)
    for name, span in imports_at(visit):
        if any(_is_internal(part) for part in name.lstrip(".").split(".")):
            yield LocatedName(name, span)
    match node:
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Constant():
            if (suspicious_name := _suspicious_name_at(visit)) is not None:
                yield LocatedName(suspicious_name, source.span(node))
        case ast.ImportFrom(module=str() as origin, level=0, names=names):
            for alias in names:
                if (prefix := _revealing_prefix(f"{origin}.{alias.name}")) is not None:
                    yield LocatedName(prefix, source.span(alias))


def _is_internal(module: str) -> bool:
    """Return whether the module called `module` gives access to how code runs."""
    return module in _MODULES or (module.startswith("_") and module != "__future__")


def _suspicious_name_at(visit: Visit) -> str | None:
    """Return the suspicious name that the node at `visit` reads or contains, or None."""
    node: Any = visit.node
    match node:
        case ast.Constant(value=value):
            if not isinstance(value, str) or isinstance(visit.parent, ast.Expr):
                return None  # a string that is a statement, such as a docstring
            return value if _mentions_internals(value) else None
        case ast.Call() if (internal_name := _dynamic_lookup(node, visit)) is not None:
            return internal_name
        case ast.Name(id="__builtins__"):
            return "__builtins__"
    name = None if visit.in_annotation else resolve_name(node, visit.scope)
    # `types.FunctionType` is checked as a whole; `types` alone is harmless.
    if name is not None and not isinstance(visit.parent, ast.Attribute):
        internal_name = _revealing_prefix(name)
        if internal_name is not None:
            return internal_name.removeprefix("builtins.")
    return node.attr if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES else None


def _revealing_prefix(name: str) -> str | None:
    """Return the shortest prefix of `name` that gives access to how code runs, or None."""
    parts = name.split(".")
    for count, part in enumerate(parts[1:], start=2):
        prefix = ".".join(parts[:count])
        if prefix in _NAMES or (parts[0] != "builtins" and _is_internal(part)):
            return prefix
        if parts[count - 2] == "sys" and part not in _HARMLESS_IN_SYS:
            return prefix
    return None


def _dynamic_lookup(node: ast.Call, visit: Visit) -> str | None:
    """Return the name of the function that `node` calls to look up a name made at run time.

    Return None if `node` is not such a call.
    """
    match node.func:
        case ast.Attribute(value=template, attr=method) if method in _FORMATS:
            # A literal template is searched for names itself, like any other string.
            is_literal = isinstance(template, ast.Constant | ast.JoinedStr)
            return None if is_literal else method
    name = resolve_name(node.func, visit.scope)
    if name is None or name not in _BY_NAME:
        return None
    index = _BY_NAME[name]
    name_arguments = node.args[index : index + 1] if name.startswith("builtins.") else node.args
    are_literals = all(isinstance(argument, ast.Constant) for argument in name_arguments)
    return None if are_literals else name.rpartition(".")[2]


def _mentions_internals(text: str) -> bool:
    """Return whether `text` contains a name that gives access to how code runs, or part of one."""
    if not _ATTRIBUTES.isdisjoint(_WORD.findall(text)):
        return True
    # A program can join fragments such as "__co" and "de__" at run time.
    fragments = set(_FRAGMENT.findall(text)) - _HARMLESS
    return any(fragment in name for fragment in fragments for name in _ATTRIBUTES)
