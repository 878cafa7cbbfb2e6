"""Has `import Board` in a test give a proxy of the module that was handed in."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, NoReturn

from grader.bridge.proxies import MISSING, ProxyModule
from grader.bridge.wire import Uncrossable
from grader.proxying.workbench import Workbench


class Absent:
    """Stands for what could not be imported: whoever uses it gets the reason."""

    def __init__(self, reason: BaseException) -> None:
        """Keep the reason."""
        object.__setattr__(self, "_reason", reason)

    def _refuse(self, *_args: Any, **_named: Any) -> NoReturn:
        __tracebackhide__ = True
        reason: BaseException = object.__getattribute__(self, "_reason")
        raise reason.with_traceback(None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # Python, and pytest, look for names of their own
            raise AttributeError(name)
        return Absent(object.__getattribute__(self, "_reason"))

    __call__ = __iter__ = __len__ = __getitem__ = __bool__ = __eq__ = __enter__ = _refuse
    __hash__ = object.__hash__


class AbsentModule(ModuleType):
    """Stands for a module that could not be imported."""

    def __init__(self, name: str, reason: BaseException) -> None:
        """Stand for the module called `name`."""
        super().__init__(name)
        self.__dict__["_reason"] = reason
        self.__dict__["__all__"] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(self.__dict__["_reason"])


def reason_of(value: object) -> BaseException | None:
    """Return why `value` is not there, None where it is."""
    if type(value) is AbsentModule:
        module: BaseException = value.__dict__["_reason"]
        return module
    if type(value) is Absent:
        absent: BaseException = object.__getattribute__(value, "_reason")
        return absent
    return None


class SubmissionFinder(MetaPathFinder, Loader):
    """Finds the modules of a submission for the tests."""

    def __init__(
        self, workbench: Workbench, modules: Collection[str], missing: Collection[str] = ()
    ) -> None:
        """Give `modules`, by their names, from `workbench`; others should be there, and are not."""
        self._workbench: Final = workbench
        self._missing: Final = frozenset(missing)
        self._modules: Final = frozenset(modules)
        self.failed: Final[dict[str, BaseException]] = {}
        """Modules that could not be imported, and why."""
        self._loaded: set[str] = set()
        self._kept: frozenset[str] = frozenset()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a module of the submission, None for any other."""
        has_parts = any(name.startswith(f"{fullname}.") for name in self._modules)
        if fullname not in self._modules | self._missing and not has_parts:
            return None
        return ModuleSpec(fullname, self, is_package=has_parts)

    def keep(self) -> None:
        """Have each new life begin with what has been imported by now."""
        self._kept = frozenset(self._loaded)

    def begin_anew(self) -> None:
        """Forget what a test has imported."""
        for name in self._loaded - self._kept:
            sys.modules.pop(name, None)
        self._loaded = set(self._kept)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a proxy, or what says why there is none."""
        if spec.name in self._missing:
            reason = ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name)
            self.failed[spec.name] = reason
            return AbsentModule(spec.name, reason)
        proxy = ProxyModule(spec.name)
        again = spec.name in self._loaded
        try:
            self._workbench.import_(spec.name, proxy, again=again)
        except Uncrossable:
            raise
        except (Exception, SystemExit) as error:
            if self._workbench.in_test:
                raise
            self.failed[spec.name] = error
            return AbsentModule(spec.name, error)
        self._loaded.discard(spec.name)
        vars(ModuleType)["__dict__"].__get__(proxy)[MISSING] = self._missing_name
        return proxy

    def _missing_name(self, module: ModuleType, name: str, error: AttributeError) -> Absent:
        """Return what stands for a name that a file of tests imports, and that is not there."""
        if self._workbench.in_test:
            raise error
        said = f"cannot import name {name!r} from {module.__name__!r}"
        return Absent(ImportError(said, name=module.__name__))

    def exec_module(self, module: ModuleType) -> None:
        """Leave it as it is; what has been loaded already is loaded anew, where it is."""
        if type(module) is ProxyModule:
            if module.__name__ in self._loaded:
                self._workbench.side.ask("reload", module.__name__)
            self._loaded.add(module.__name__)
