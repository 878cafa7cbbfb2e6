"""The interpreter as a submission finds it: its modules, its built-ins, its files.

It sees what it would see at home: `import helper` works, a module of its own named `random` hides
the standard one, for itself, and `exit()` ends the program. What is not there says so.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from types import CodeType, ModuleType
from typing import Final, NoReturn

from grader.executor.virtual_files import VirtualFiles


class ModuleNotAllowed(ModuleNotFoundError):
    """A submission imports a module that is not there for this exercise."""


def refuse_input(prompt: object = "") -> str:
    """Stand in for `input`: there is nobody at the keyboard."""
    raise EOFError("input() was called, but nobody answers while a submission is graded")


def leave(code: object = None) -> NoReturn:
    """Stand in for `exit` and `quit`, which the `site` module gives every program at home."""
    raise SystemExit(code)


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
        if fullname not in self._modules:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, origin=f"{fullname}.py")

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code, with the submission's own view of the built-ins."""
        code = self._modules[module.__name__]
        if isinstance(code, Exception):
            raise code
        module.__dict__["__builtins__"] = self._builtins
        module.__dict__["__file__"] = f"{module.__name__}.py"
        exec(code, module.__dict__)


class Refuser(MetaPathFinder):
    """Last in line: says which module is missing, instead of a puzzling PermissionError."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Raise `ModuleNotAllowed`: nobody before us knew the module."""
        raise ModuleNotAllowed(
            f"module {fullname!r} is not allowed in this exercise", name=fullname
        )


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
        for name in [name for name in sys.modules if name.split(".")[0] in {"grader", "ctypes"}]:
            del sys.modules[name]
        sys.modules["builtins"] = self.builtins
        sys.meta_path[:] = [
            SubmissionImporter(self._modules, self.builtins),
            importlib.machinery.BuiltinImporter,
            importlib.machinery.FrozenImporter,
            Refuser(),
        ]
        sys.path[:] = []

    def fill(self, modules: Mapping[str, CodeType | Exception], files: Mapping[str, bytes]) -> None:
        """Make `modules` importable, where they hide standard ones, and `files` readable."""
        self._modules.update(modules)
        self._files.provide(files)
        for name in modules:
            sys.modules.pop(name, None)

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
