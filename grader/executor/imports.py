"""What the code of a submission may import, and what it gets when it imports something else.

The suite says which modules are allowed; those of the submission always are. The rule applies to
the submission's own code, which runs with our built-ins, and so with our `__import__`. The standard
library still imports what it needs. It is a rule for teaching: a submission can get round it, but
gains nothing, as the isolation is in the kernel.

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
_ASKING: Final = frozenset({"NameError", "globals", "locals", "vars", "dir"})
"""Names with which a program tests whether a name exists: `except NameError: memo = {}`."""
_NEAR: Final = 0.75
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
        """Keep the name of its file, and its code, perhaps marshalled, or the error of compiling.

        `bound`, if given, is applied to the code before it is run.
        """
        self.file: Final = file
        self.code: Final = code
        self._bound: Final = bound

    def executable(self) -> Compiled:
        """Return its code; raises the exception of compiling it."""
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
        """Stand for `name`; the error says that module `refused` is not allowed."""
        super().__init__(name)
        self.__dict__["__refused__"] = refused
        self.__dict__["__all__"] = ()  # for `import *`

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse, except for dunder names and lookups by Python's import system."""
        is_pythons = name.startswith("__") and name.endswith("__")
        asker = sys._getframe(1).f_globals  # noqa: SLF001 - `import` looks attributes up, too
        if is_pythons or asker.get("__name__") == "importlib._bootstrap":
            raise AttributeError(name)
        self._refuse()

    def __bool__(self) -> bool:
        """Return True, as for any module: a program may test whether it has one."""
        return True

    def _refuse(self, *_args: object, **_named: object) -> NoReturn:
        raise _not_allowed(self.__dict__["__refused__"])


_USES: Final = """
    call getitem setitem delitem iter next reversed len contains mro_entries enter exit
    instancecheck subclasscheck str format int float complex index round trunc floor ceil
    lt le gt ge eq ne neg pos abs invert
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor
"""
"""The special methods that count as a use: `2 * pi` uses `math`, too."""
for _use in _USES.split():
    setattr(StandIn, f"__{_use}__", StandIn._refuse)  # noqa: SLF001 - it is our own


class SubmissionImporter(MetaPathFinder, Loader):
    """Finds and loads the modules of the submission, from code compiled before it ran."""

    def __init__(self, modules: Modules, namespace: ModuleType, rule: ImportRule) -> None:
        """Load `modules` by name; their code runs with the built-ins in `namespace`, by `rule`."""
        self._modules: Final = modules
        self._builtins: Final = namespace
        self._rule: Final = rule
        self.stops: Stops | None = None
        """Runs modules so that those which stop are kept, if set."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for a module of the submission, None for any other."""
        if fullname in self._modules:
            file = self._modules[fullname].file
            # A folder may have the same name as the graded file in it.
            is_package = file.endswith("__init__.py") or self._has_parts(fullname)
            return importlib.machinery.ModuleSpec(
                fullname, self, origin=file, is_package=is_package
            )
        if self._has_parts(fullname):
            return importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        if self._meant(fullname) is not None:
            return importlib.machinery.ModuleSpec(fullname, self)
        return None

    def _meant(self, fullname: str) -> str | None:
        """Return the module whose name is `fullname`, ignoring case and its package.

        Both its name here and the name of its file count. None if there is none, or several.
        """
        top, last = _top(fullname), fullname.rpartition(".")[2]
        if top in STANDARD:
            return None
        asked = {fullname.casefold()}
        if top in self._modules or self._has_parts(top):
            asked.add(last.casefold())
        found = [
            name
            for name, module in self._modules.items()
            for names in [(name, name.rpartition(".")[2], name_at_home(module) or name)]
            if not asked.isdisjoint(map(str.casefold, names))
        ]
        return found[0] if len(found) == 1 else None

    def _has_parts(self, fullname: str) -> bool:
        return any(name.startswith(f"{fullname}.") for name in self._modules)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code, with the submission's own view of the built-ins."""
        name = module.__name__
        if name not in self._modules and (meant := self._meant(name)) is not None:
            # The import system returns what is here then; `__import__` returns the top package.
            sys.modules[name] = _import(meant) if "." not in meant else _import_module(meant)
            return
        codes = self._prepared(name, module)
        if self.stops is None:
            for code in codes:
                run_code(code, module.__dict__)
        else:
            self.stops.run(name, codes, module.__dict__)

    def execute(self, name: str, module: ModuleType) -> None:
        """Run the code of the module called `name` in `module`, the main module."""
        for code in self._prepared(name, module):
            run_code(code, module.__dict__)

    def _prepared(self, name: str, module: ModuleType) -> tuple[CodeType, ...]:
        """Set `module` up to run the module called `name`, and return the code of that."""
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
        """Return the stand-in."""
        parent = sys.modules.get(spec.name.rpartition(".")[0])
        refused = parent.__dict__["__refused__"] if isinstance(parent, StandIn) else spec.name
        return StandIn(spec.name, refused)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""


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
        self._allowed = frozenset(map(_top, own)) | _ALWAYS | frozenset(allowed)
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
        really = partial(_import, name, globals, locals, fromlist or (), level)
        if level or globals is self._suites or not isinstance(name, str):
            return really()
        asker = sys._getframe(1)  # noqa: SLF001 - the rule depends on the importing code
        if _top(name) in IDLE and _top(name) not in self._allowed and not self._is_tried(asker):
            return idle_module(name, _undefined(asker) if "*" in (fromlist or ()) else ())
        found = self._found(name, really, asker)
        if found is not None:
            return found
        asked = fromlist or ()
        return _stand_in(name, _undefined(asker) if "*" in asked else asked)

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Stand in for `importlib.import_module`, which the standard library uses too."""
        really = partial(_import_module, name, package)
        asker = sys._getframe(1)  # noqa: SLF001 - the rule depends on the importing code
        if not self._binds(asker):
            return really()
        full = importlib.util.resolve_name(name, package)
        found = self._found(full, really, asker)
        return found if found is not None else _stand_in(full, ("*",))

    def _binds(self, frame: FrameType) -> bool:
        return frame.f_builtins is self._namespace and frame.f_globals is not self._suites

    def _found(
        self, name: str, really: Callable[[], ModuleType], asker: FrameType
    ) -> ModuleType | None:
        """Return the module, None if it needs a stand-in; raises `ModuleNotFoundError`."""
        top = _top(name)
        if top in STANDARD and top not in self._allowed:
            # C code imports what it needs with its caller's built-ins, and then reads
            # `sys.modules`: so the module must be there, whatever this returns.
            with suppress(ImportError):
                _import(name)
            return None
        if top in self._packages and top not in self._allowed:
            if self._is_tried(asker):
                raise _not_allowed(top)
            self.absent[top] = None
            return None
        try:
            return really()
        except ModuleNotFoundError as error:
            raise self._explained(error) from None

    def _is_tried(self, asker: FrameType | None) -> bool:
        """Return whether code in `asker` or above would catch the error of a missing module."""
        while asker is not None:
            if asker.f_lineno in self.tried.get(asker.f_code.co_filename, ()):
                return True
            asker = asker.f_back
        return False

    def _explained(self, error: ModuleNotFoundError) -> ModuleNotFoundError:
        """Return `error` with a hint at the likely cause: a typo, or a file not handed in."""
        name = error.name
        if name is None or error.msg != f"No module named {name!r}":
            return error  # the message has more detail already
        known = self._own if "." in name else {*map(_top, self._own), *self._allowed}
        by_folded = {each.casefold(): each for each in sorted(known - _ALWAYS)}
        if near := get_close_matches(name.casefold(), by_folded, n=1, cutoff=_NEAR):
            hint = f"did you mean {by_folded[near[0]]!r}?"
        elif _top(name) in STANDARD:
            return error
        else:
            hint = f"was {name.replace('.', '/')}.py handed in?"
        return ModuleNotFoundError(f"{error.msg}; {hint}", name=name)


def _top(name: str) -> str:
    return name.partition(".")[0]


def _stand_in(name: str, fromlist: Iterable[str]) -> StandIn:
    """Return the result of `import name`, or `from name import ...`, as nested stand-ins."""
    top = innermost = StandIn(_top(name), _top(name))
    for part in name.split(".")[1:]:
        innermost = _part_of(innermost, part)
    wanted = {*fromlist}
    if not wanted:
        return top
    parts = wanted - {"*"}
    for part in parts:
        _part_of(innermost, part)
    innermost.__dict__["__all__"] = tuple(parts)
    return innermost


def _undefined(asker: FrameType) -> Iterator[str]:
    """Yield `*`, and the names that `asker`, a module, reads but has not defined so far.

    It must get those from the star import. Nothing but `*` is yielded to code that tests which
    names exist.
    """
    read: set[str] = set()
    waiting = [asker.f_code]
    while waiting:
        code = waiting.pop()
        read.update(code.co_names)
        waiting += (each for each in code.co_consts if isinstance(each, CodeType))
    yield "*"
    if read.isdisjoint(_ASKING):
        yield from read - asker.f_globals.keys() - asker.f_builtins.keys()


def _part_of(whole: StandIn, name: str) -> StandIn:
    part = StandIn(f"{whole.__name__}.{name}", whole.__dict__["__refused__"])
    whole.__dict__[name] = part
    return part
