"""Makes `import Board` in a test return a proxy of the submission's module."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Final, cast

from grader.plugins.own_tests.bridge.proxies import MISSING, ProxyModule
from grader.plugins.own_tests.bridge.wire import Uncrossable
from grader.plugins.own_tests.proxying.workbench import Workbench

_IMPORT_MACHINERY: Final = ("grader.", "importlib")
"""Prefixes of the modules that are on the call stack between an import in a test and the finder."""
_CATCHING_CLASSES: Final = frozenset(
    {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
)
"""The names of exception classes whose handlers catch a failed import."""
_REPLACEMENT_STATEMENTS: Final = (
    ast.Assign, ast.AnnAssign, ast.Pass, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef,
)  # fmt: skip
"""Statements that a handler can use to replace what could not be imported."""
_RUN_CODE: Final = compile("__loader__.run(globals())", "<submission>", "exec")
"""The code that `runpy` gets for a module of the submission."""


def _placeholder_method(value: Any) -> Callable[..., Any]:
    """Return a method for `Absent`: it returns `value` during collection, but fails in a test."""

    def method(self: Absent, *_args: object) -> Any:
        __tracebackhide__ = True
        self._fail_in_test()
        return value

    return method


class Absent:
    """Represents an object that could not be imported; a test that uses it fails for that reason.

    During collection it accepts every use, so that pytest finds all tests in the file.
    """

    def __init__(self, reason: BaseException, workbench: Workbench) -> None:
        """Store the reason why the import failed; `workbench` knows whether a test is running."""
        object.__setattr__(self, "_reason", reason)
        object.__setattr__(self, "_workbench", workbench)

    def _fail_in_test(self, *_args: Any, **_keywords: Any) -> Absent:
        """Raise the reason if a test is running, else return another `Absent`."""
        __tracebackhide__ = True
        reason: BaseException = object.__getattribute__(self, "_reason")
        workbench: Workbench = object.__getattribute__(self, "_workbench")
        if workbench.in_test:
            raise reason.with_traceback(None)  # otherwise the traceback would grow with each use
        return Absent(reason, workbench)

    def __getattr__(self, name: str) -> Any:
        """Return an absent attribute; raises `AttributeError` if its name begins with `_`."""
        if name.startswith("_"):  # Python and pytest look for special names
            raise AttributeError(name)
        workbench: Workbench = object.__getattribute__(self, "_workbench")
        return Absent(object.__getattribute__(self, "_reason"), workbench)

    def __eq__(self, other: object) -> bool:
        __tracebackhide__ = True
        self._fail_in_test()
        return self is other

    __len__ = __index__ = _placeholder_method(0)
    __iter__, __mro_entries__ = _placeholder_method(iter(())), _placeholder_method(())
    __call__ = __getitem__ = __enter__ = _fail_in_test
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _fail_in_test
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __pow__ = __rpow__ = (
        _fail_in_test
    )
    __lt__ = __le__ = __gt__ = __ge__ = _fail_in_test
    __hash__ = object.__hash__

    def __exit__(self, *_error: object) -> None:
        """Do nothing."""


class AbsentModule(ModuleType):
    """Represents a module that could not be imported."""

    def __init__(self, name: str, reason: BaseException, workbench: Workbench) -> None:
        """Represent the module called `name`, whose import failed for this reason."""
        super().__init__(name)
        self.__dict__["_absent"] = Absent(reason, workbench)
        self.__dict__["__all__"] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__dict__["_absent"], name)


def reason_of(value: object) -> BaseException | None:
    """Return the reason why `value` is absent, or None if it is not."""
    if type(value) is AbsentModule:
        value = value.__dict__["_absent"]
    if type(value) is Absent:
        reason: BaseException = object.__getattribute__(value, "_reason")
        return reason
    return None


_SUBMISSION_MODULE_CLASSES: Final = (ProxyModule, AbsentModule)
"""Classes that represent the submission's modules in this process. Submodules of such a module
belong to the submission as well."""


class SubmissionFinder(MetaPathFinder, Loader):
    """Imports the modules of a submission as proxies."""

    def __init__(
        self,
        workbench: Workbench,
        modules: Collection[str],
        missing: Collection[str] = (),
        unfit: str | None = None,
        was_handed_in: Callable[[Path], bool] = lambda _: False,
    ) -> None:
        """Import `modules` through `workbench`.

        The `missing` modules should have been handed in, but were not. If `unfit` is not None, it
        says why all modules of the submission are absent. A file for which `was_handed_in` returns
        True is never imported as a module of the tests.
        """
        self._workbench: Final = workbench
        self._missing: Final = frozenset(missing)
        self._unfit = unfit
        self._was_handed_in: Final = was_handed_in
        self._modules: Final = frozenset(modules)
        self._loaded: set[str] = set()
        self.clashes: Final[dict[str, str]] = {}
        """Modules that both the tests and the submission have, with the tests' paths."""
        self._loaded_at_collection: frozenset[str] = frozenset()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a module of the submission, or None for most other modules.

        A module of the tests with the same name takes precedence, and is recorded as a clash. If
        Python would find another module in the submission's folder, return a spec for a module of
        that name elsewhere. Raises `ModuleNotFoundError` if there is none.
        """
        if (
            path is not None
            and type(sys.modules.get(fullname.rpartition(".")[0])) not in _SUBMISSION_MODULE_CLASSES
        ):
            return None
        is_package_name = any(name.startswith(f"{fullname}.") for name in self._modules)
        if fullname not in self._modules | self._missing and not is_package_name:
            return None if path is not None else self._trusted_spec(fullname)
        if path is None and (test_spec := self._spec_of_tests(fullname)) is not None:
            if fullname not in self._missing:
                self.clashes[fullname] = str(
                    test_spec.origin or next(iter(test_spec.submodule_search_locations or ()), "")
                )
            return test_spec
        return ModuleSpec(fullname, self, is_package=is_package_name)

    def _spec_of_tests(self, name: str) -> ModuleSpec | None:
        """Return the spec that another finder has for the module called `name`, or None.

        A module without code, or one that may have been handed in, does not count.
        """
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, None)
            if spec is not None and _has_code(spec) and not self._is_foreign(spec):
                return cast("ModuleSpec", spec)
        return None

    def _trusted_spec(self, name: str) -> ModuleSpec | None:
        """Return a spec from elsewhere for a module that Python would find among the submissions.

        The module found there would run in the process of the tests. Returns None if Python
        would not find the module there. Raises `ModuleNotFoundError` if no other folder has it.
        """
        if name in sys.builtin_module_names or not self._is_foreign(PathFinder.find_spec(name)):
            return None
        for entry in sys.path:
            spec = PathFinder.find_spec(name, [entry])
            if spec is not None and not self._is_foreign(spec):
                return spec
        reason = (
            f"No module named {name!r}, except for one in the submission's folder, which tests"
            " cannot load; put it beside the tests if they need it"
        )
        raise ModuleNotFoundError(reason, name=name)

    def _is_foreign(self, spec: ModuleSpec | None) -> bool:
        """Return whether the file, or a folder, that a spec names may have been handed in."""
        paths = [] if spec is None else [spec.origin, *(spec.submodule_search_locations or ())]
        return any(self._was_handed_in(Path(path)) for path in paths if path is not None)

    @property
    def names(self) -> set[str]:
        """The top-level names of the submission's modules, including missing ones."""
        return {name.partition(".")[0] for name in self._modules | self._missing}

    @property
    def has_imported(self) -> bool:
        """Whether the submission has been imported, or no module of the tests replaces it."""
        return bool(self._loaded) or not self.clashes

    def keep(self) -> None:
        """Remember what has been imported so far; each restart returns to that state."""
        self._loaded_at_collection = frozenset(self._loaded)

    def restart(self) -> None:
        """Forget the modules that a test has imported, so that the next test imports them again."""
        for name in self._loaded - self._loaded_at_collection:
            sys.modules.pop(name, None)
        self._loaded = set(self._loaded_at_collection)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a proxy of the module, or an absent module if the import fails.

        Raises the exception of the import if a test is running, or if the test file handles it.
        """
        if spec.name in self._missing:
            missing_error = ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name)
            if has_fallback():
                raise missing_error
            return AbsentModule(spec.name, missing_error, self._workbench)
        if self._unfit is not None:
            reason = f"the tests cannot be collected with this submission: {self._unfit}"
            return AbsentModule(spec.name, ImportError(reason), self._workbench)
        proxy = ProxyModule(spec.name)
        is_reload = spec.name in self._loaded
        try:
            self._workbench.import_(spec.name, proxy, is_reload=is_reload)
        except Uncrossable:  # the test is at fault, not the submission
            raise
        except (Exception, SystemExit) as error:
            if self._workbench.in_test or (isinstance(error, ImportError) and has_fallback()):
                raise
            return AbsentModule(spec.name, error, self._workbench)
        self._loaded.discard(spec.name)  # otherwise `exec_module` would reload it
        # Not with `setattr`, as setting an attribute of a proxy is a request.
        vars(ModuleType)["__dict__"].__get__(proxy)[MISSING] = self._placeholder_for
        return proxy

    def _placeholder_for(self, module: ModuleType, name: str, error: AttributeError) -> Absent:
        """Return a placeholder for a name that a test file imports but that the module lacks.

        Raises `error` if a test is running, or if the test file handles the failed import.
        """
        if self._workbench.in_test or has_fallback():
            raise error
        reason = f"cannot import name {name!r} from {module.__name__!r}"
        return Absent(ImportError(reason, name=module.__name__), self._workbench)

    @contextmanager
    def without_submission(self, reason: str) -> Iterator[None]:
        """Make imports in this context return absent modules, even if the modules are loaded.

        Restores the loaded modules afterwards.
        """
        loaded = {name: sys.modules.pop(name) for name in self._loaded if name in sys.modules}
        unfit, self._unfit = self._unfit, reason
        try:
            yield
        finally:
            self._unfit = unfit
            for name in self._modules:  # absent modules, too, which are not in `_loaded`
                sys.modules.pop(name, None)
            sys.modules.update(loaded)

    def exec_module(self, module: ModuleType) -> None:
        """Reload a module in the executor if it was loaded before; record that it is loaded."""
        if type(module) is ProxyModule:
            if module.__name__ in self._loaded:
                self._workbench.side.request("reload", module.__name__)
            self._loaded.add(module.__name__)

    def get_code(self, fullname: str) -> CodeType:
        """Return code, for `runpy`, that runs the module in the executor and copies its names."""
        return _RUN_CODE

    def run(self, names: dict[str, Any]) -> None:
        """Run a module in the executor with the test's `sys.argv`, and add its names to `names`."""
        __tracebackhide__ = True
        arguments = list(map(str, sys.argv[1:]))
        request = self._workbench.side.request
        names.update(request("run", names["__spec__"].name, names["__name__"], arguments))


def has_fallback() -> bool:
    """Return whether the current import is in a `try` statement with a replacement.

    `with suppress(ImportError)` counts as well. A handler that ends or skips the file does not
    count, as the tests of the file would not be found.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the importing line is needed
    while frame is not None and _is_import_machinery(frame):
        frame = frame.f_back
    if frame is None:
        return False
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return False
    return any(
        isinstance(node, (ast.Try, ast.With))
        and _is_within(node.body, frame.f_lineno)
        and (_has_replacement(node) if isinstance(node, ast.Try) else _suppresses(node))
        for node in ast.walk(tree)
    )


def _is_import_machinery(frame: FrameType) -> bool:
    """Return whether `frame` can be on the stack between an import statement and the finder."""
    return frame.f_code.co_filename.startswith("<frozen importlib") or str(
        frame.f_globals.get("__name__")
    ).startswith(_IMPORT_MACHINERY)


def _is_within(body: list[ast.stmt], line: int) -> bool:
    """Return whether one of the statements in `body` spans this line."""
    return body[0].lineno <= line <= (body[-1].end_lineno or 0)


def _has_replacement(block: ast.Try) -> bool:
    """Return whether the handler of a failed import replaces the module, or ignores the failure."""
    handlers = (handler for handler in block.handlers if _catches(handler.type))
    first_handler = next(handlers, None)
    return first_handler is not None and all(
        isinstance(statement, _REPLACEMENT_STATEMENTS) for statement in first_handler.body
    )


def _suppresses(block: ast.With) -> bool:
    """Return whether a `with` statement suppresses a failed import."""
    managers = (item.context_expr for item in block.items)
    return any(
        isinstance(manager, ast.Call)
        and getattr(manager.func, "id", getattr(manager.func, "attr", None)) == "suppress"
        and any(map(_catches, manager.args))
        for manager in managers
    )


def _catches(type_: ast.expr | None) -> bool:
    """Return whether an `except` clause or `suppress` with this type catches a failed import."""
    classes = type_.elts if isinstance(type_, ast.Tuple) else [type_]
    return any(
        cls is None or (isinstance(cls, ast.Name) and cls.id in _CATCHING_CLASSES)
        for cls in classes
    )


def _has_code(spec: ModuleSpec) -> bool:
    """Return whether a spec is for a module, and not for a folder that contains only data files."""
    folders = spec.submodule_search_locations
    return spec.origin is not None or any(
        next(Path(folder).rglob("*.py"), None) is not None for folder in folders or ()
    )
