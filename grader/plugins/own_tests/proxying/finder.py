"""Makes `import Board` in a test return a proxy of the module that was handed in."""

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
"""Modules between an import in a test and the finder, on the call stack."""
_CAUGHT: Final = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})
_REPLACEMENTS: Final = (
    ast.Assign, ast.AnnAssign, ast.Pass, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef,
)  # fmt: skip
_RUN_CODE: Final = compile("__loader__.run(globals())", "<submission>", "exec")


def _placeholder_method(value: Any) -> Callable[..., Any]:
    """Return a method of `Absent` that returns `value` during collection, and fails in a test."""

    def method(self: Absent, *_args: object) -> Any:
        __tracebackhide__ = True
        self._fail_in_test()
        return value

    return method


class Absent:
    """Stands for an object that could not be imported: a test that uses it gets the reason.

    While tests are collected it accepts every use, so that all tests of the file are found.
    """

    def __init__(self, reason: BaseException, workbench: Workbench) -> None:
        """Keep the reason; `workbench` tells whether a test runs."""
        object.__setattr__(self, "_reason", reason)
        object.__setattr__(self, "_workbench", workbench)

    def _fail_in_test(self, *_args: Any, **_named: Any) -> Absent:
        __tracebackhide__ = True
        reason: BaseException = object.__getattribute__(self, "_reason")
        workbench: Workbench = object.__getattribute__(self, "_workbench")
        if workbench.in_test:
            raise reason.with_traceback(None)  # the traceback grows each time
        return Absent(reason, workbench)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # Python and pytest probe for special names
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
    """Stands for a module that could not be imported."""

    def __init__(self, name: str, reason: BaseException, workbench: Workbench) -> None:
        """Stand for the module called `name`, which failed for this reason."""
        super().__init__(name)
        self.__dict__["_absent"] = Absent(reason, workbench)
        self.__dict__["__all__"] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__dict__["_absent"], name)


def reason_of(value: object) -> BaseException | None:
    """Return why `value` is absent, None if it is not."""
    if type(value) is AbsentModule:
        value = value.__dict__["_absent"]
    if type(value) is Absent:
        reason: BaseException = object.__getattribute__(value, "_reason")
        return reason
    return None


_STAND_IN_MODULES: Final = (ProxyModule, AbsentModule)
"""Stand-ins for modules of the submission, whose submodules are the submission's as well."""


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
        """Import `modules` from `workbench`; those that are `missing` should have been handed in.

        If the submission is `unfit`, for that reason, all become stand-ins. A file for which
        `was_handed_in` holds is never taken for a module of the tests.
        """
        self._workbench: Final = workbench
        self._missing: Final = frozenset(missing)
        self._unfit = unfit
        self._was_handed_in: Final = was_handed_in
        self._modules: Final = frozenset(modules)
        self._loaded: set[str] = set()
        self.clashes: Final[dict[str, str]] = {}
        """Modules that the tests have as well as the submission, with their paths."""
        self._kept: frozenset[str] = frozenset()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a module of the submission, None for any other.

        A module of the tests with the same name takes precedence.
        """
        if (
            path is not None
            and type(sys.modules.get(fullname.rpartition(".")[0])) not in _STAND_IN_MODULES
        ):
            return None
        is_package_name = any(name.startswith(f"{fullname}.") for name in self._modules)
        if fullname not in self._modules | self._missing and not is_package_name:
            return None if path is not None else self._trusted_spec(fullname)
        if path is None and (own := self._spec_of_tests(fullname)) is not None:
            if fullname not in self._missing:
                self.clashes[fullname] = str(
                    own.origin or next(iter(own.submodule_search_locations or ()), "")
                )
            return own
        return ModuleSpec(fullname, self, is_package=is_package_name)

    def _spec_of_tests(self, name: str) -> ModuleSpec | None:
        """Return the spec of a module of the tests, as another finder has it, or None."""
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, None)
            if spec is not None and _has_code(spec) and not self._is_foreign(spec):
                return cast("ModuleSpec", spec)
        return None

    def _trusted_spec(self, name: str) -> ModuleSpec | None:
        """Return another spec for a module that Python would find in the submission's folder.

        Such a module would run in the process of the tests. Returns None if Python would find it
        elsewhere; raises `ModuleNotFoundError` if it is only there.
        """
        if name in sys.builtin_module_names or not self._is_foreign(PathFinder.find_spec(name)):
            return None
        for entry in sys.path:
            spec = PathFinder.find_spec(name, [entry])
            if spec is not None and not self._is_foreign(spec):
                return spec
        reason = f"No module named {name!r} but the one that lies with the submission"
        raise ModuleNotFoundError(reason, name=name)

    def _is_foreign(self, spec: ModuleSpec | None) -> bool:
        places = [] if spec is None else [spec.origin, *(spec.submodule_search_locations or ())]
        return any(self._was_handed_in(Path(place)) for place in places if place is not None)

    @property
    def names(self) -> set[str]:
        """The top-level names of the submission's modules, including missing ones."""
        return {each.partition(".")[0] for each in self._modules | self._missing}

    @property
    def has_imported(self) -> bool:
        """Whether the submission has been imported, or at least no module of the tests hides it."""
        return bool(self._loaded) or not self.clashes

    def keep(self) -> None:
        """Keep what has been imported by now: each restart goes back to it."""
        self._kept = frozenset(self._loaded)

    def restart(self) -> None:
        """Forget what a test has imported."""
        for name in self._loaded - self._kept:
            sys.modules.pop(name, None)
        self._loaded = set(self._kept)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a proxy of the module, or a stand-in with the reason why there is none."""
        if spec.name in self._missing:
            missing = ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name)
            if can_do_without():
                raise missing
            return AbsentModule(spec.name, missing, self._workbench)
        if self._unfit is not None:
            text = f"with this submission the tests cannot be collected: {self._unfit}"
            return AbsentModule(spec.name, ImportError(text), self._workbench)
        proxy = ProxyModule(spec.name)
        again = spec.name in self._loaded
        try:
            self._workbench.import_(spec.name, proxy, again=again)
        except Uncrossable:  # no fault of the submission
            raise
        except (Exception, SystemExit) as error:
            if self._workbench.in_test or (isinstance(error, ImportError) and can_do_without()):
                raise
            return AbsentModule(spec.name, error, self._workbench)
        self._loaded.discard(spec.name)  # or `exec_module` would reload it
        # Not as an attribute: setting one of a proxy is a request.
        vars(ModuleType)["__dict__"].__get__(proxy)[MISSING] = self._missing_name
        return proxy

    def _missing_name(self, module: ModuleType, name: str, error: AttributeError) -> Absent:
        """Return the stand-in for a name that a test file imports and the module lacks."""
        if self._workbench.in_test or can_do_without():
            raise error
        reason = f"cannot import name {name!r} from {module.__name__!r}"
        return Absent(ImportError(reason, name=module.__name__), self._workbench)

    @contextmanager
    def without_submission(self, why: str) -> Iterator[None]:
        """Make imports in this context return stand-ins, even for loaded modules."""
        loaded = {name: sys.modules.pop(name) for name in self._loaded if name in sys.modules}
        unfit, self._unfit = self._unfit, why
        try:
            yield
        finally:
            self._unfit = unfit
            for name in self._modules:
                sys.modules.pop(name, None)
            sys.modules.update(loaded)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing with a new module; reload one that is loaded, in the executor."""
        if type(module) is ProxyModule:
            if module.__name__ in self._loaded:
                self._workbench.side.request("reload", module.__name__)
            self._loaded.add(module.__name__)

    def get_code(self, fullname: str) -> CodeType:
        """Return code for `runpy`, which runs the module in the executor and copies its names."""
        return _RUN_CODE

    def run(self, names: dict[str, Any]) -> None:
        """Run a module in the executor with the test's `sys.argv`, and add its names to `names`."""
        __tracebackhide__ = True
        arguments = list(map(str, sys.argv[1:]))
        run = self._workbench.side.request
        names.update(run("run", names["__spec__"].name, names["__name__"], arguments))


def can_do_without() -> bool:
    """Return whether the current import is in a `try` with a replacement.

    `with suppress(ImportError)` counts as well. A handler that ends or skips the file does not: its
    tests would not be found.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the line that imports
    while frame is not None and _is_import_machinery(frame):
        frame = frame.f_back
    if frame is None:
        return False
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals)))
    except (SyntaxError, ValueError):
        return False
    return any(
        isinstance(each, (ast.Try, ast.With))
        and _is_within(each.body, frame.f_lineno)
        and (_has_replacement(each) if isinstance(each, ast.Try) else _suppresses(each))
        for each in ast.walk(tree)
    )


def _is_import_machinery(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith("<frozen importlib") or str(
        frame.f_globals.get("__name__")
    ).startswith(_IMPORT_MACHINERY)


def _is_within(body: list[ast.stmt], line: int) -> bool:
    return body[0].lineno <= line <= (body[-1].end_lineno or 0)


def _has_replacement(block: ast.Try) -> bool:
    handlers = (each for each in block.handlers if _catches(each.type))
    first = next(handlers, None)
    return first is not None and all(isinstance(each, _REPLACEMENTS) for each in first.body)


def _suppresses(block: ast.With) -> bool:
    calls = (each.context_expr for each in block.items)
    return any(
        isinstance(call, ast.Call)
        and getattr(call.func, "id", getattr(call.func, "attr", None)) == "suppress"
        and any(map(_catches, call.args))
        for call in calls
    )


def _catches(type_: ast.expr | None) -> bool:
    kinds = type_.elts if isinstance(type_, ast.Tuple) else [type_]
    return any(
        each is None or (isinstance(each, ast.Name) and each.id in _CAUGHT) for each in kinds
    )


def _has_code(spec: ModuleSpec) -> bool:
    """Return whether a spec is of a module, rather than of a folder with data files only."""
    places = spec.submodule_search_locations
    return spec.origin is not None or any(
        next(Path(place).rglob("*.py"), None) is not None for place in places or ()
    )
