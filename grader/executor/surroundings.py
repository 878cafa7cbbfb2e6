"""The interpreter as a submission finds it: its modules, its built-ins, its files.

It sees what it would see at home: `import helper` works, a module of its own named `random` hides
the standard one, for itself, and `exit()` ends the program. What is not there says so: a module
that nobody has at its import, a standard one that is of no use here when it is used. Editors import
those unasked, and a program that does nothing with them must not suffer.
"""

from __future__ import annotations

import builtins
import codecs
import importlib.machinery
import locale
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from types import CodeType, ModuleType
from typing import Final, NoReturn

from grader.executor.virtual_files import VirtualFiles

_STANDARD: Final = sys.stdlib_module_names
_SUBMODULES: Final = frozenset(
    {
        *("importlib.metadata", "importlib.resources", "logging.config", "logging.handlers"),
        *("unittest.async_case", "unittest.mock"),
    }
)
"""Parts that are not there of packages that are. Of any other name it must be said that it does not
exist: `from collections import Mapping` has to fail, for who then tries another way."""
_LOCALE: Final = re.compile(r"[A-Za-z][\w-]*(\.[\w-]+)?(@\w+)?")
_query_locale: Final = locale.setlocale


class ModuleNotAllowed(ModuleNotFoundError):
    """A submission uses a module that is not there for this exercise."""


def refuse_input(prompt: object = "") -> str:
    """Stand in for `input`: there is nobody at the keyboard."""
    raise EOFError("input() was called, but nobody answers while a submission is graded")


def leave(code: object = None) -> NoReturn:
    """Stand in for `exit` and `quit`, which the `site` module gives every program at home."""
    raise SystemExit(code)


def accept_locale(category: int, name: str | Iterable[str | None] | None = None) -> str:
    """Stand in for `locale.setlocale`: none is installed here, so nothing changes."""
    if not name:
        return _query_locale(category)
    text = name if isinstance(name, str) else ".".join(filter(None, name))
    if not _LOCALE.fullmatch(text):
        raise locale.Error("unsupported locale setting")
    return text


_ZYGOTES_OWN: Final = frozenset({"grader", "ctypes", "socket", "_socket", "selectors"})
"""What the zygote imports for itself, and a submission is not given."""


class SubmissionImporter(MetaPathFinder, Loader):
    """Finds and loads the modules of the submission, from code compiled before it ran."""

    def __init__(self, modules: Mapping[str, CodeType | Exception], namespace: ModuleType) -> None:
        """Serve `modules` by name; an exception is raised when its module is imported."""
        self._modules: Final = modules
        self._builtins: Final = namespace

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for a module of the submission, None for any other."""
        if fullname in self._modules:
            code = self._modules[fullname]
            file = code.co_filename if isinstance(code, CodeType) else f"{fullname}.py"
            return importlib.machinery.ModuleSpec(
                fullname, self, origin=file, is_package=file.endswith("__init__.py")
            )
        if any(name.startswith(f"{fullname}.") for name in self._modules):
            return importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code, with the submission's own view of the built-ins."""
        code = self._modules[module.__name__]
        if isinstance(code, Exception):
            raise code
        module.__dict__["__builtins__"] = self._builtins
        module.__dict__["__file__"] = code.co_filename
        stem = code.co_filename.removesuffix(".py")
        if stem.isidentifier() and not {stem} & {*self._modules, *_STANDARD}:
            sys.modules.setdefault(stem, module)  # graded as `yinyang`, at home it is `YinYang`
        exec(code, module.__dict__)


class StandIn(ModuleType):
    """A standard module that is not there, or a name in it: whoever uses it is refused."""

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse; but let Python look for names of its own, and for what it may import."""
        is_pythons = name.startswith("__") and name.endswith("__")
        asker = sys._getframe(1).f_globals  # noqa: SLF001  # `import` asks as any program does
        if is_pythons or asker.get("__name__") == "importlib._bootstrap":
            raise AttributeError(name)
        self._refuse()

    def _refuse(self, *_args: object, **_named: object) -> NoReturn:
        name = self.__dict__["__name__"]
        while isinstance(sys.modules.get(name.rpartition(".")[0]), StandIn):
            name = name.rpartition(".")[0]
        raise ModuleNotAllowed(f"module {name!r} is not allowed in this exercise", name=name)

    __call__ = __getitem__ = __iter__ = __mro_entries__ = __or__ = __ror__ = __enter__ = _refuse


class Refuser(MetaPathFinder, Loader):
    """Last in line: gives a stand-in for a standard module that was not loaded in time."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for a standard module, and for whatever is imported from a stand-in."""
        parent, _, name = fullname.rpartition(".")
        if parent and fullname not in _SUBMODULES:
            is_known = isinstance(sys.modules.get(parent), StandIn)
        else:
            is_known = bool(parent) or name in _STANDARD
        if is_known and name.startswith("_"):
            # The standard library asks for parts of its own like this, and does without.
            raise ModuleNotAllowed(
                f"module {fullname!r} is not allowed in this exercise", name=fullname
            )
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if is_known else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> StandIn:
        """Return the stand-in."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty, for `import *` too."""
        module.__dict__["__all__"] = []


class Surroundings:
    """The interpreter as the submission finds it: its built-ins, its importer, its files.

    Made once, in the zygote, so that a fork costs next to nothing; a child only fills it.
    """

    def __init__(self) -> None:
        """Replace what finds modules and files in this process; ours are all loaded by now."""
        self._modules: Final[dict[str, CodeType | Exception]] = {}
        self._files: Final = VirtualFiles()
        self._files.install()
        self.builtins: Final = _own_builtins(self._files)
        for name in [name for name in sys.modules if name.split(".")[0] in _ZYGOTES_OWN]:
            del sys.modules[name]
        sys.modules["builtins"] = self.builtins
        vars(codecs)["builtins"] = self.builtins  # for `codecs.open`
        vars(locale)["setlocale"] = accept_locale
        sys.meta_path[:] = [
            SubmissionImporter(self._modules, self.builtins),
            importlib.machinery.BuiltinImporter,
            importlib.machinery.FrozenImporter,
            Refuser(),
        ]
        sys.path[:] = []

    def fill(self, modules: Mapping[str, CodeType | Exception], files: Mapping[str, bytes]) -> None:
        """Make `modules` importable, where they hide standard ones, and `files` readable."""
        for name in modules:
            top = name.partition(".")[0]
            if top in modules or top not in _STANDARD:  # a folder without `__init__` hides nothing
                self._modules[name] = modules[name]
                sys.modules.pop(name, None)
        self._files.provide(files)

    def clear(self) -> None:
        """Forget the modules and files, and what was imported of them."""
        for name in self._modules:
            sys.modules.pop(name, None)
        self._modules.clear()
        self._files.clear()


def _own_builtins(files: VirtualFiles) -> ModuleType:
    """Return a copy of `builtins` for the submission, with our `open`, `input` and `exit`.

    A submission that overwrites `len` does so for itself: our own functions keep the real one.
    """
    namespace = ModuleType("builtins", builtins.__doc__)
    namespace.__dict__.update(builtins.__dict__)
    namespace.__dict__["open"] = files.open
    namespace.__dict__["input"] = refuse_input
    namespace.__dict__["exit"] = namespace.__dict__["quit"] = leave
    return namespace
