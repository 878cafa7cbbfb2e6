"""The interpreter as a submission sees it: its modules, its built-ins, its files.

It behaves like the student's own interpreter: `import helper` works, a module of the submission
named `random` hides the standard one from the submission, and `exit()` ends the program. The error
about a missing module names the cause; see `grader.executor.imports`. Anything that would differ
from run to run is pinned; see `grader.executor.pinning`.
"""

from __future__ import annotations

import builtins
import getpass
import importlib
import importlib.machinery
import json
import locale
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, Final, NoReturn

from grader.executor.descriptors import Descriptors
from grader.executor.ending import AtExit
from grader.executor.hosts import Host, load_hosts
from grader.executor.imports import (
    STANDARD,
    ImportRule,
    ModuleCode,
    Modules,
    Refuser,
    SubmissionImporter,
    original_module_name,
)
from grader.executor.jupyter import idle_display, names_for_cells
from grader.executor.keyboard import Keyboard
from grader.executor.packages import load_packages
from grader.executor.pinning import Naps, Pins, seed_at_start
from grader.executor.renewing import InitialState
from grader.executor.virtual_files import SessionFiles

# Language, encoding, modifier: `de_DE.UTF-8@euro`.
_LOCALE: Final = re.compile(r"[A-Za-z][\w-]*(\.[\w-]+)?(@\w+)?")
_query_locale: Final = locale.setlocale


def exit_program(code: object = None) -> NoReturn:
    """Stand in for `exit` and `quit`, which `site` normally adds; always raise `SystemExit`."""
    raise SystemExit(code)


def accept_locale(category: int, name: str | Iterable[str | None] | None = None) -> str:
    """Stand in for `locale.setlocale`: accept any valid name, but change nothing.

    No locales are installed here. Raises `locale.Error` for an invalid name.
    """
    if not name:
        return _query_locale(category)
    text = name if isinstance(name, str) else ".".join(filter(None, name))
    if not _LOCALE.fullmatch(text):
        raise locale.Error("unsupported locale setting")
    return text


_UNRESTORABLE_PACKAGES: Final = ("pandas", "matplotlib", "scipy", "sympy", "asyncio", "sqlite3")
_ZYGOTE_MODULES: Final = frozenset({"grader", "ctypes", "socket", "_socket", "selectors"})
"""Modules that the zygote imports for its own use, and that submissions cannot use."""


class Surroundings:
    """The interpreter as the submission sees it: its built-ins, its importer, its files.

    Created once, in the zygote, so that a forked executor only has to call `fill`.
    """

    def __init__(self, packages: Iterable[str], hosts: Mapping[str, Host]) -> None:
        """Replace the finders of modules in this process, the files, and several functions.

        Call this when all of our own modules are loaded, because none can be imported afterwards.
        `packages` are the names of well-known third-party packages, which need not be installed.
        """
        self.hosts: Final = hosts
        self.initial_state: InitialState | None = None
        self.keyboard: Keyboard | None = None
        """The keyboard with the current input, or None if there is no input."""
        self._modules: Final[dict[str, ModuleCode]] = {}
        self._files: Final = SessionFiles()
        self._files.install()
        self._descriptors: Final = Descriptors(self._files)
        self.at_exit: Final = AtExit()
        self._pins: Final = Pins(seed_at_start())
        self.builtins: Final = _copy_builtins(self._files)
        self._rule: Final = ImportRule(self.builtins, packages)
        vars(self.builtins)["__import__"] = self._rule.import_
        # The same function for all sessions and all input, because a program might keep it, for
        # example as a default value.
        vars(self.builtins)["input"] = self._read_line
        vars(importlib)["import_module"] = self._rule.import_module
        for name in [name for name in sys.modules if name.split(".")[0] in _ZYGOTE_MODULES]:
            del sys.modules[name]
        sys.modules["builtins"] = self.builtins  # for `import builtins`
        for name in ("codecs", "gzip", "lzma"):  # for their `open`
            vars(importlib.import_module(name))["builtins"] = self.builtins
        vars(getpass)["getpass"] = self._read_password
        vars(locale)["setlocale"] = accept_locale
        self.importer: Final = SubmissionImporter(self._modules, self.builtins, self._rule)
        # No `PathFinder`, because no file can be opened after the lockdown.
        sys.meta_path[:] = [
            self.importer,
            importlib.machinery.BuiltinImporter,
            importlib.machinery.FrozenImporter,
            Refuser(),
        ]
        sys.path[:] = []
        sys.argv[:] = sys.orig_argv[:] = [""]
        sys.executable = ""

    def fill(
        self,
        modules: Modules,
        files: Mapping[str, bytes],
        imports: Iterable[str],
        suite_globals: dict[str, Any],
        now_s: int | None = None,
    ) -> None:
        """Make `modules` importable, and `files` readable.

        A module hides a standard one of the same name. The submission is also allowed to import
        `imports`. Code of the suite, whose globals are `suite_globals`, can import anything. The
        clock starts anew, at `now_s` if that is given.
        """
        for name in modules:
            top = name.partition(".")[0]
            # A folder without `__init__.py` hides no standard module.
            if top in modules or top not in STANDARD:
                self._modules[name] = modules[name]
                sys.modules.pop(name, None)
        if any(module.file.endswith(".ipynb") for module in modules.values()):
            self.builtins.__dict__.update(names_for_cells())
        original_names = filter(None, map(original_module_name, self._modules.values()))
        self._rule.allow({*self._modules, *original_names}, imports, suite_globals)
        self._files.provide(files)
        self._descriptors.install()
        self._pins.start_session(now_s)

    def _read_line(self, prompt: object = "", /) -> str:
        """Stand in for `input`; raise `EOFError` if there is no input."""
        if self.keyboard is None:
            raise EOFError("input() was called, but nobody answers while a submission is graded")
        return self.keyboard.ask(prompt)

    def _read_password(self, prompt: str = "Password: ", stream: object = None) -> str:
        """Stand in for `getpass.getpass`, but behave like `input`, whose typed lines are shown."""
        del stream
        answer: str = vars(self.builtins)["input"](prompt)
        return answer

    def record_state(self) -> None:
        """Record the state of the interpreter, which is restored between the sessions of a lot.

        The state is not recorded if certain packages are loaded: large packages have too much
        state, and others have state that cannot be reached. `initial_state` is then None.
        """
        self.initial_state = (
            None if sys.modules.keys() & {*_UNRESTORABLE_PACKAGES} else InitialState()
        )

    @property
    def files(self) -> SessionFiles:
        """The files that the submission sees."""
        return self._files

    @property
    def naps(self) -> Naps:
        """The counter of the time that the submission sleeps."""
        return self._pins.naps

    @property
    def submission_modules(self) -> Modules:
        """The modules of the submission, by name."""
        return self._modules

    def show_real_time(self) -> None:
        """Show the real time, and really sleep, while a host works with the submission."""
        self._pins.show_real_time()

    @property
    def absent_packages(self) -> list[str]:
        """The packages that the submission has imported but that are not installed."""
        return [*self._rule.absent]

    def clear(self) -> None:
        """Remove the submission before another session, and drop its sleep limits.

        Its modules, files, permitted imports and exit handlers are all dropped.
        """
        for name in self._modules:
            sys.modules.pop(name, None)
        self._modules.clear()
        self.importer.stops = None
        for name in names_for_cells():
            self.builtins.__dict__.pop(name, None)
        self._rule.clear()
        self._files.clear()
        self._descriptors.remove()
        self.at_exit.clear()
        self.naps.drop_limits()


def load_surroundings(settings_json: str, packages_json: str) -> Surroundings:
    """Import everything that submissions can use, and return the `Surroundings` for them.

    `settings_json` has the modules to `preload`, the `packages` to refuse by name, and the `hosts`.
    `packages_json` has the `folder` and the `parts` of each package to import.
    """
    load_packages(json.loads(packages_json))
    settings: dict[str, list[str]] = json.loads(settings_json)
    for name in settings["preload"]:
        importlib.import_module(name)
    return Surroundings(settings["packages"], load_hosts(settings["hosts"]))


def _copy_builtins(files: SessionFiles) -> ModuleType:
    """Return a copy of `builtins` for the submission, with our `open`, `exit`, `quit` and `help`.

    A submission that overwrites `len` then does so only for itself: our own functions keep the real
    one.
    """
    namespace = ModuleType("builtins", builtins.__doc__)
    namespace.__dict__.update(builtins.__dict__)
    namespace.__dict__["open"] = files.open
    namespace.__dict__["exit"] = namespace.__dict__["quit"] = exit_program
    namespace.__dict__["help"] = idle_display
    return namespace


def clamp_recursion_limit(
    set_limit: Callable[[int], None], lowest: int, highest: int
) -> Callable[[int], None]:
    """Return a replacement for `sys.setrecursionlimit` that keeps the limit in this range.

    It calls `set_limit` with the nearest limit that is allowed. A highest limit is needed: on
    CPython 3.11 nested C recursion overflowed the C stack at a limit of 80,000, but not at 40,000.
    """

    def setrecursionlimit(limit: int, /) -> None:
        set_limit(min(max(limit, lowest), highest))

    return setrecursionlimit
