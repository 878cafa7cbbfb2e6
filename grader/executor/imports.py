"""What the code of a submission may import, and what it gets for any other import.

The suite says which modules are allowed; those of the submission always are. The rule applies to
the submission's own code, which runs with our built-ins, and so with our `__import__`. The standard
library still imports what it needs. It is a rule for teaching: a submission can evade it, but
gains nothing by that, as the isolation is in the kernel.

Other modules can be imported, as editors add imports unasked, but not used: a stand-in takes their
place, whether the real one is installed here or not. An import of a third-party package whose
failure would be caught is a test whether the package is installed: it fails.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import importlib.util
import marshal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from types import CodeType, FrameType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from grader.executor.jupyter import IDLE, idle_module
from grader.executor.rewriting import run_code
from grader.protocol import NOT_ALLOWED

if TYPE_CHECKING:
    from grader.executor.stops import Stops

STANDARD: Final = sys.stdlib_module_names
_ALWAYS: Final = frozenset({"__future__", "__main__"})
"""A directive, and the program itself: not modules in the sense of a suite."""
_ABSENT_PARTS: Final = frozenset(
    {
        *("importlib.metadata", "importlib.resources", "logging.config", "logging.handlers"),
        *("unittest.async_case", "unittest.mock"),
        *("urllib.error", "urllib.request", "urllib.response", "urllib.robotparser"),
    }
)
"""Submodules that get a stand-in although their package is available. Imports of other missing
names must fail: a program may catch the error of `from collections import Mapping`."""
_NAME_TESTS: Final = frozenset({"NameError", "globals", "locals", "vars", "dir"})
"""Names with which a program tests whether a name exists: `except NameError: memo = {}`."""
_MIN_SIMILARITY: Final = 0.75
"""How similar the name of a module must be to be suggested."""
_unmarshal: Final = marshal.loads
_import: Final = builtins.__import__
_import_module: Final = importlib.import_module


Compiled: TypeAlias = tuple[tuple[CodeType, ...], frozenset[int]]
"""The code, one for each cell of a notebook, and the lines where a missing module is caught."""


class ModuleCode:
    """A module of the submission: its code is unmarshalled when it is imported, if it ever is."""

    def __init__(
        self,
        file: str,
        code: Compiled | bytes | Exception,
        bound: Callable[[CodeType], CodeType] | None = None,
    ) -> None:
        """Keep the name of the file, and the code, perhaps marshalled, or the error of compiling.

        `bound`, if given, is applied to the code before it is run.
        """
        self.file: Final = file
        self.code: Final = code
        self._bound: Final = bound

    def executable(self) -> Compiled:
        """Return the code of the module; raises the exception of compiling it."""
        if isinstance(self.code, Exception):
            raise self.code
        compiled: Compiled = _unmarshal(self.code) if isinstance(self.code, bytes) else self.code
        codes, tried = compiled
        return (codes if self._bound is None else tuple(map(self._bound, codes))), tried


Modules = Mapping[str, ModuleCode]


class ModuleNotAllowed(ModuleNotFoundError):
    """A submission uses a module that its exercise does not allow."""


def _not_allowed(name: str) -> ModuleNotAllowed:
    return ModuleNotAllowed(NOT_ALLOWED.format(name), name=name)


class StandIn(ModuleType):
    """A module that is not allowed, or a name in it: any use raises `ModuleNotAllowed`."""

    def __init__(self, name: str, refused: str) -> None:
        """Stand in for `name`; the error says that module `refused` is not allowed."""
        super().__init__(name)
        self.__dict__["__refused__"] = refused
        self.__dict__["__all__"] = ()  # for `import *`

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse, except for dunder names and lookups by Python's import system."""
        is_pythons = name.startswith("__") and name.endswith("__")
        caller_globals = sys._getframe(1).f_globals  # noqa: SLF001 - `import` looks up attributes, too
        if is_pythons or caller_globals.get("__name__") == "importlib._bootstrap":
            raise AttributeError(name)
        self._refuse()

    def __bool__(self) -> bool:
        """Return True, as any module does: a program may test whether it has a module."""
        return True

    def _refuse(self, *_args: object, **_named: object) -> NoReturn:
        raise _not_allowed(self.__dict__["__refused__"])


_USING_METHODS: Final = """
    call getitem setitem delitem iter next reversed len contains mro_entries enter exit
    instancecheck subclasscheck str format int float complex index round trunc floor ceil
    lt le gt ge eq ne neg pos abs invert
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor
"""
"""The special methods that count as a use: `2 * pi` uses `math`, too."""
for _use in _USING_METHODS.split():
    setattr(StandIn, f"__{_use}__", StandIn._refuse)  # noqa: SLF001 - it is our own


class SubmissionImporter(MetaPathFinder, Loader):
    """Finds and loads the modules of the submission, from code compiled before it ran."""

    def __init__(self, modules: Modules, namespace: ModuleType, rule: ImportRule) -> None:
        """Load `modules` by name; their code runs with the built-ins in `namespace`, by `rule`."""
        self._modules: Final = modules
        self._builtins: Final = namespace
        self._rule: Final = rule
        self.stops: Stops | None = None
        """If set, runs the modules and keeps those that stop."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for a module of the submission, None for any other."""
        if fullname in self._modules:
            file = self._modules[fullname].file
            # A folder may have the same name as the graded file in it.
            is_package = file.endswith("__init__.py") or self._has_submodules(fullname)
            return importlib.machinery.ModuleSpec(
                fullname, self, origin=file, is_package=is_package
            )
        if self._has_submodules(fullname):
            return importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        if self._intended_module(fullname) is not None:
            return importlib.machinery.ModuleSpec(fullname, self)
        return None

    def _intended_module(self, fullname: str) -> str | None:
        """Return the one module whose name is `fullname`, ignoring case and its package.

        Both its name here and the name of its file count. Return None if none or several match.
        """
        top_level, last_part = _top_level(fullname), fullname.rpartition(".")[2]
        if top_level in STANDARD:
            return None
        candidates = {fullname.casefold()}
        if top_level in self._modules or self._has_submodules(top_level):
            candidates.add(last_part.casefold())
        matches = [
            name
            for name, module in self._modules.items()
            for names in [(name, name.rpartition(".")[2], name_at_home(module) or name)]
            if not candidates.isdisjoint(map(str.casefold, names))
        ]
        return matches[0] if len(matches) == 1 else None

    def _has_submodules(self, fullname: str) -> bool:
        return any(name.startswith(f"{fullname}.") for name in self._modules)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code, with the submission's own view of the built-ins."""
        name = module.__name__
        if name not in self._modules and (intended := self._intended_module(name)) is not None:
            # The import system returns what is here then; `__import__` returns the top package.
            sys.modules[name] = (
                _import(intended) if "." not in intended else _import_module(intended)
            )
            return
        codes = self._prepare(name, module)
        if self.stops is None:
            for code in codes:
                run_code(code, module.__dict__)
        else:
            self.stops.run(name, codes, module.__dict__)

    def execute(self, name: str, module: ModuleType) -> None:
        """Run the code of the module called `name` in `module`, the main module."""
        for code in self._prepare(name, module):
            run_code(code, module.__dict__)

    def _prepare(self, name: str, module: ModuleType) -> tuple[CodeType, ...]:
        """Set up `module` to run the module called `name`; return that module's code."""
        submitted = self._modules[name]
        codes, tried = submitted.executable()
        file = codes[0].co_filename
        self._rule.tried[file] = tried
        module.__dict__["__builtins__"] = self._builtins
        module.__dict__["__file__"] = file
        return codes


def name_at_home(module: ModuleCode) -> str | None:
    """Return the name by which the student imports a file: `YinYang`, if graded as `yinyang`."""
    if isinstance(module.code, Exception):
        return None
    stem = module.file.removesuffix(".py")
    return stem if stem.isidentifier() and stem not in STANDARD else None


class Refuser(MetaPathFinder, Loader):
    """The last finder: gives a stand-in for a standard module that was not loaded before."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for a standard module, and for any submodule of a stand-in."""
        parent, _, name = fullname.rpartition(".")
        if parent and fullname not in _ABSENT_PARTS:
            is_known = isinstance(sys.modules.get(parent), StandIn)
        else:
            is_known = bool(parent) or name in STANDARD
        if is_known and name.startswith("_"):
            # The standard library tries to import optional private modules, and catches this.
            raise _not_allowed(fullname)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if is_known else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> StandIn:
        """Return a stand-in for the module."""
        parent = sys.modules.get(spec.name.rpartition(".")[0])
        refused = parent.__dict__["__refused__"] if isinstance(parent, StandIn) else spec.name
        return StandIn(spec.name, refused)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module empty."""


class ImportRule:
    """Decides which module the code of one submission gets for an import."""

    def __init__(self, namespace: ModuleType, packages: Iterable[str]) -> None:
        """Apply to code whose built-ins are `namespace`; `packages` are known third-party ones."""
        self._namespace: Final = vars(namespace)
        self._packages: Final = frozenset(packages)
        self.absent: Final[dict[str, None]] = {}
        """The packages that were replaced by a stand-in."""
        self.tried: Final[dict[str, frozenset[int]]] = {}
        """By file, the lines in which the error of a missing module would be caught."""
        self.clear()

    def clear(self) -> None:
        """Allow nothing until there is another submission."""
        self._own: frozenset[str] = frozenset()
        self._allowed = _ALWAYS
        self._suites: dict[str, Any] = {}
        self.absent.clear()
        self.tried.clear()

    def hold(self, own: Iterable[str], allowed: Iterable[str], suites: dict[str, Any]) -> None:
        """Allow the `own` modules of a submission and `allowed` ones.

        Code of the suite, whose globals are `suites`, may import anything.
        """
        self._own = frozenset(own)
        self._allowed = frozenset(map(_top_level, own)) | _ALWAYS | frozenset(allowed)
        self._suites = suites

    def import_(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Stand in for `__import__`."""
        if level and name and not (globals or {}).get("__package__"):
            level = 0  # in the student's folder it is in a package, here it is at top level
        real_import = partial(_import, name, globals, locals, fromlist or (), level)
        if level or globals is self._suites or not isinstance(name, str):
            return real_import()
        importer = sys._getframe(1)  # noqa: SLF001 - the rule depends on the importing code
        if (
            _top_level(name) in IDLE
            and _top_level(name) not in self._allowed
            and not self._is_tried(importer)
        ):
            return idle_module(name, _undefined_names(importer) if "*" in (fromlist or ()) else ())
        module = self._resolved(name, real_import, importer)
        if module is not None:
            return module
        names = fromlist or ()
        return _stand_in(name, _undefined_names(importer) if "*" in names else names)

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Stand in for `importlib.import_module`, which the standard library uses too."""
        real_import = partial(_import_module, name, package)
        importer = sys._getframe(1)  # noqa: SLF001 - the rule depends on the importing code
        if not self._applies_to(importer):
            return real_import()
        full = importlib.util.resolve_name(name, package)
        module = self._resolved(full, real_import, importer)
        return module if module is not None else _stand_in(full, ("*",))

    def _applies_to(self, frame: FrameType) -> bool:
        return frame.f_builtins is self._namespace and frame.f_globals is not self._suites

    def _resolved(
        self, name: str, real_import: Callable[[], ModuleType], importer: FrameType
    ) -> ModuleType | None:
        """Return the module, or None if it needs a stand-in; raises `ModuleNotFoundError`.

        Adds packages that need a stand-in to `absent`.
        """
        top_level = _top_level(name)
        if top_level in STANDARD and top_level not in self._allowed:
            # C code imports what it needs with its caller's built-ins, and then reads
            # `sys.modules`: so the module must be imported, whatever this returns.
            with suppress(ImportError):
                _import(name)
            return None
        if top_level in self._packages and top_level not in self._allowed:
            if self._is_tried(importer):
                raise _not_allowed(top_level)
            self.absent[top_level] = None
            return None
        try:
            return real_import()
        except ModuleNotFoundError as error:
            raise self._with_hint(error) from None

    def _is_tried(self, frame: FrameType | None) -> bool:
        """Return whether code in `frame` or above would catch the error of a missing module."""
        while frame is not None:
            if frame.f_lineno in self.tried.get(frame.f_code.co_filename, ()):
                return True
            frame = frame.f_back
        return False

    def _with_hint(self, error: ModuleNotFoundError) -> ModuleNotFoundError:
        """Return `error` with a hint at the likely cause: a typo, or a file not handed in."""
        name = error.name
        if name is None or error.msg != f"No module named {name!r}":
            return error  # the message has more detail already
        candidates = self._own if "." in name else {*map(_top_level, self._own), *self._allowed}
        names_by_folded = {each.casefold(): each for each in sorted(candidates - _ALWAYS)}
        if similar := get_close_matches(
            name.casefold(), names_by_folded, n=1, cutoff=_MIN_SIMILARITY
        ):
            hint = f"did you mean {names_by_folded[similar[0]]!r}?"
        elif _top_level(name) in STANDARD:
            return error
        else:
            hint = f"was {name.replace('.', '/')}.py handed in?"
        return ModuleNotFoundError(f"{error.msg}; {hint}", name=name)


def _top_level(name: str) -> str:
    return name.partition(".")[0]


def _stand_in(name: str, fromlist: Iterable[str]) -> StandIn:
    """Return the result of `import name`, or `from name import ...`, as nested stand-ins."""
    top = innermost = StandIn(_top_level(name), _top_level(name))
    for part in name.split(".")[1:]:
        innermost = _add_part(innermost, part)
    names = {*fromlist}
    if not names:
        return top
    parts = names - {"*"}
    for part in parts:
        _add_part(innermost, part)
    innermost.__dict__["__all__"] = tuple(parts)
    return innermost


def _undefined_names(importer: FrameType) -> Iterator[str]:
    """Yield `*`, and the names that `importer`, a module, reads but has not defined so far.

    The star import must bind those. For code that tests which names exist, only `*` is yielded.
    """
    names_read: set[str] = set()
    pending = [importer.f_code]
    while pending:
        code = pending.pop()
        names_read.update(code.co_names)
        pending += (each for each in code.co_consts if isinstance(each, CodeType))
    yield "*"
    if names_read.isdisjoint(_NAME_TESTS):
        yield from names_read - importer.f_globals.keys() - importer.f_builtins.keys()


def _add_part(whole: StandIn, name: str) -> StandIn:
    """Add a stand-in called `name` to `whole`, and return it."""
    part = StandIn(f"{whole.__name__}.{name}", whole.__dict__["__refused__"])
    whole.__dict__[name] = part
    return part
