"""Decides what a submission may import, and replaces other modules with stand-ins.

The suite lists the modules that are allowed; those of the submission always are. The rule applies
to the submission's own code, which runs with our built-ins, and so with our `__import__`. The
standard library can still import any module that it needs. The rule exists for teaching: a
submission can evade it, but gains nothing, because the isolation is in the kernel.

Other modules can be imported, since editors add imports unasked, but not used: they are replaced
with a stand-in, whether they are installed here or not. An import of a third-party package fails if
its failure would be caught, because the program then tests whether the package is installed.
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
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from grader.executor.jupyter import INERT_PACKAGES, inert_module
from grader.executor.rewriting import run_code
from grader.executor.stand_ins import StandIn, make_stand_in, not_allowed_error

if TYPE_CHECKING:
    from grader.executor.stops import Stops

STANDARD: Final = sys.stdlib_module_names
_ALWAYS_ALLOWED: Final = frozenset({"__future__", "__main__"})
"""A directive and the program itself, which are not modules that a suite could list."""
_ABSENT_PARTS: Final = frozenset(
    {
        *("importlib.metadata", "importlib.resources", "logging.config", "logging.handlers"),
        *("unittest.async_case", "unittest.mock"),
        *("urllib.error", "urllib.request", "urllib.response", "urllib.robotparser"),
    }
)
"""Submodules that are replaced with a stand-in although their package is available.

Imports of other missing names must fail, because a program can catch the error, for example of
`from collections import Mapping`."""
_NAME_TESTS: Final = frozenset({"NameError", "globals", "locals", "vars", "dir"})
"""Names by which a program can test whether a name exists, as in `except NameError: memo = {}`."""
_MIN_SIMILARITY: Final = 0.75
"""How similar to the missing name the name of a module must be to be suggested."""
_unmarshal: Final = marshal.loads
_import: Final = builtins.__import__
_import_module: Final = importlib.import_module


Compiled: TypeAlias = tuple[tuple[CodeType, ...], frozenset[int]]
"""The code objects, one for each cell of a notebook, and the lines where a failed import would be
caught."""


class ModuleCode:
    """A module of the submission, whose code is unmarshalled only when it is imported."""

    def __init__(
        self,
        file: str,
        code: Compiled | bytes | Exception,
        bind: Callable[[CodeType], CodeType] | None = None,
    ) -> None:
        """Store the name of the file, and the code, or the error that compiling it raised.

        `bind`, if given, is applied to each code object before it runs.
        """
        self.file: Final = file
        self.code: Final = code
        self._bind: Final = bind

    def executable(self) -> Compiled:
        """Return the code of the module, or raise the exception that compiling it raised."""
        if isinstance(self.code, Exception):
            raise self.code
        compiled: Compiled = _unmarshal(self.code) if isinstance(self.code, bytes) else self.code
        codes, guarded_lines = compiled
        return (codes if self._bind is None else tuple(map(self._bind, codes))), guarded_lines


Modules = Mapping[str, ModuleCode]


class SubmissionImporter(MetaPathFinder, Loader):
    """Finds and loads the modules of the submission, which were compiled before any of them ran."""

    def __init__(self, modules: Modules, namespace: ModuleType, rule: ImportRule) -> None:
        """Load the `modules` by name; they run with the built-ins in `namespace`, under `rule`."""
        self._modules: Final = modules
        self._builtins: Final = namespace
        self._rule: Final = rule
        self.stops: Stops | None = None
        """If set, this runs the modules, and can keep modules that stop early."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for a module of the submission, or None for any other module."""
        if fullname in self._modules:
            file = self._modules[fullname].file
            # A file is also a package if a folder has the same name as the graded file in it.
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
        """Return the name of the only module that `fullname` can mean, ignoring case and package.

        The module's name here and the name of its file are compared. Return None if no module
        matches, if several do, or if `fullname` is a standard module.
        """
        top_level, last_part = _top_level(fullname), fullname.rpartition(".")[2]
        # `import random` means the standard module, even next to a submitted `Random.py`.
        if top_level in STANDARD:
            return None
        candidates = {fullname.casefold()}
        if top_level in self._modules or self._has_submodules(top_level):
            candidates.add(last_part.casefold())
        matches = [
            name
            for name, module in self._modules.items()
            for names in [(name, name.rpartition(".")[2], original_module_name(module) or name)]
            if not candidates.isdisjoint(map(str.casefold, names))
        ]
        return matches[0] if len(matches) == 1 else None

    def _has_submodules(self, fullname: str) -> bool:
        return any(name.startswith(f"{fullname}.") for name in self._modules)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code, with the submission's own view of the built-ins.

        If only the intended module exists, it is imported and replaces `module` in `sys.modules`.
        """
        name = module.__name__
        if name not in self._modules and (intended := self._intended_module(name)) is not None:
            # The import system then returns this entry. `__import__` alone returns the top package.
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
        """Run the code of the module called `name` with the globals of `module`, `__main__`."""
        for code in self._prepare(name, module):
            run_code(code, module.__dict__)

    def _prepare(self, name: str, module: ModuleType) -> tuple[CodeType, ...]:
        """Set the attributes of `module` for running the module called `name`; return its code.

        Also tells the import rule on which lines a failed import would be caught.
        """
        submitted = self._modules[name]
        codes, guarded_lines = submitted.executable()
        file = codes[0].co_filename
        self._rule.guarded_lines[file] = guarded_lines
        module.__dict__["__builtins__"] = self._builtins
        module.__dict__["__file__"] = file
        return codes


def original_module_name(module: ModuleCode) -> str | None:
    """Return the name under which the student imports `module`, or None if it cannot be imported.

    A file graded as `yinyang` might have been handed in as `YinYang.py`.
    """
    if isinstance(module.code, Exception):
        return None
    stem = module.file.removesuffix(".py")
    return stem if stem.isidentifier() and stem not in STANDARD else None


class Refuser(MetaPathFinder, Loader):
    """The last finder, which finds stand-ins for standard modules that are not loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for a standard module, or for any submodule of a stand-in, else None.

        Raises `ModuleNotAllowed` if the name of such a module begins with an underscore.
        """
        parent, _, name = fullname.rpartition(".")
        if parent and fullname not in _ABSENT_PARTS:
            is_known = isinstance(sys.modules.get(parent), StandIn)
        else:
            is_known = bool(parent) or name in STANDARD
        if is_known and name.startswith("_"):
            # The standard library imports optional private modules, and catches this error.
            raise not_allowed_error(fullname)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if is_known else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> StandIn:
        """Return a stand-in for the module."""
        parent = sys.modules.get(spec.name.rpartition(".")[0])
        refused = parent.__dict__["__refused__"] if isinstance(parent, StandIn) else spec.name
        return StandIn(spec.name, refused)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stand-in has no code to run."""


class ImportRule:
    """Decides which module the code of one submission gets for an import."""

    def __init__(self, namespace: ModuleType, packages: Iterable[str]) -> None:
        """Apply the rule to code with the built-ins `namespace`.

        `packages` are the names of well-known third-party packages.
        """
        self._namespace: Final = vars(namespace)
        self._packages: Final = frozenset(packages)
        self.absent: Final[dict[str, None]] = {}
        """The packages that were replaced with a stand-in, as keys in order."""
        self.guarded_lines: Final[dict[str, frozenset[int]]] = {}
        """For each file, the lines where the error about a missing module would be caught."""
        self.clear()

    def clear(self) -> None:
        """Forget the submission, and allow nothing until `allow` is called for another one."""
        self._submission_modules: frozenset[str] = frozenset()
        self._allowed = _ALWAYS_ALLOWED
        self._suite_globals: dict[str, Any] = {}
        self.absent.clear()
        self.guarded_lines.clear()

    def allow(
        self,
        submission_modules: Iterable[str],
        allowed: Iterable[str],
        suite_globals: dict[str, Any],
    ) -> None:
        """Allow the `submission_modules`, and the `allowed` modules.

        Code of the suite, whose globals are `suite_globals`, can import anything.
        """
        self._submission_modules = frozenset(submission_modules)
        self._allowed = (
            frozenset(map(_top_level, submission_modules)) | _ALWAYS_ALLOWED | frozenset(allowed)
        )
        self._suite_globals = suite_globals

    def import_(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Stand in for `__import__`, and apply the rule to the importing code.

        Return the module or a stand-in for it. Raises `ModuleNotFoundError` if there is no such
        module, and `ModuleNotAllowed` for a package if the program would catch a failed import.
        """
        if level and name and not (globals or {}).get("__package__"):
            level = 0  # a module of a package in the student's folder is graded at top level
        real_import = partial(_import, name, globals, locals, fromlist or (), level)
        if level or globals is self._suite_globals or not isinstance(name, str):
            return real_import()
        importer = sys._getframe(1)  # noqa: SLF001 - the rule depends on the importing code
        if (
            _top_level(name) in INERT_PACKAGES
            and _top_level(name) not in self._allowed
            and not self._is_guarded(importer)
        ):
            return inert_module(name, _undefined_names(importer) if "*" in (fromlist or ()) else ())
        module = self._resolve(name, real_import, importer)
        if module is not None:
            return module
        names = fromlist or ()
        return make_stand_in(name, _undefined_names(importer) if "*" in names else names)

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Stand in for `importlib.import_module`, and apply the rule if the submission calls it.

        The standard library calls it, too, and can import anything.
        """
        real_import = partial(_import_module, name, package)
        importer = sys._getframe(1)  # noqa: SLF001 - the rule depends on the importing code
        if not self._applies_to(importer):
            return real_import()
        full_name = importlib.util.resolve_name(name, package)
        module = self._resolve(full_name, real_import, importer)
        return module if module is not None else make_stand_in(full_name, ("*",))

    def _applies_to(self, frame: FrameType) -> bool:
        """Return whether the code in `frame` is the submission's, the only code under the rule."""
        return frame.f_builtins is self._namespace and frame.f_globals is not self._suite_globals

    def _resolve(
        self, name: str, real_import: Callable[[], ModuleType], importer: FrameType
    ) -> ModuleType | None:
        """Return the module called `name`, or None if it must be replaced with a stand-in.

        Adds packages that need a stand-in to `absent`. Raises `ModuleNotFoundError` if there is no
        such module, and `ModuleNotAllowed` for a package if the program would catch a failed
        import.
        """
        top_level = _top_level(name)
        if top_level in STANDARD and top_level not in self._allowed:
            # C code imports modules with the built-ins of its caller, and then reads `sys.modules`.
            # So the module must be imported, whatever this returns.
            with suppress(ImportError):
                _import(name)
            return None
        if top_level in self._packages and top_level not in self._allowed:
            if self._is_guarded(importer):
                raise not_allowed_error(top_level)
            self.absent[top_level] = None
            return None
        try:
            return real_import()
        except ModuleNotFoundError as error:
            raise self._with_hint(error) from None

    def _is_guarded(self, frame: FrameType | None) -> bool:
        """Return whether the code in `frame` or one of its callers would catch a failed import."""
        while frame is not None:
            if frame.f_lineno in self.guarded_lines.get(frame.f_code.co_filename, ()):
                return True
            frame = frame.f_back
        return False

    def _with_hint(self, error: ModuleNotFoundError) -> ModuleNotFoundError:
        """Return `error` with a hint at its likely cause: a typo, or a file that was not handed in.

        Return it unchanged if it already says more, or if a part of a standard module is missing.
        """
        name = error.name
        if name is None or error.msg != f"No module named {name!r}":
            return error  # the message is already more specific
        candidates = (
            self._submission_modules
            if "." in name
            else {*map(_top_level, self._submission_modules), *self._allowed}
        )
        names_by_folded = {
            candidate.casefold(): candidate for candidate in sorted(candidates - _ALWAYS_ALLOWED)
        }
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


def _undefined_names(importer: FrameType) -> Iterator[str]:
    """Yield `*`, and the names that `importer`, a module, reads but has not defined so far.

    A star import must bind those names. For code that tests which names exist, only `*` is yielded.
    """
    names_read: set[str] = set()
    pending = [importer.f_code]
    while pending:
        code = pending.pop()
        names_read.update(code.co_names)
        pending += (constant for constant in code.co_consts if isinstance(constant, CodeType))
    yield "*"
    if names_read.isdisjoint(_NAME_TESTS):
        yield from names_read - importer.f_globals.keys() - importer.f_builtins.keys()
