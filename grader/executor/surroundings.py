"""The interpreter as a submission finds it: its modules, its built-ins, its files.

It sees what it would see at home: `import helper` works, a module of its own named `random` hides
the standard one, for itself, and `exit()` ends the program. What is not there says so; see
`grader.executor.imports` for modules. What would differ from run to run does not; see
`grader.executor.pinning`.
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
from grader.executor.hosts import Host, loaded
from grader.executor.imports import (
    STANDARD,
    ImportRule,
    ModuleCode,
    Modules,
    Refuser,
    SubmissionImporter,
    name_at_home,
)
from grader.executor.jupyter import given_to_cells, idle_display
from grader.executor.keyboard import Keyboard
from grader.executor.packages import load_packages
from grader.executor.pinning import Naps, Pins, seed_at_start
from grader.executor.renewing import Beginning
from grader.executor.virtual_files import SessionFiles

_LOCALE: Final = re.compile(r"[A-Za-z][\w-]*(\.[\w-]+)?(@\w+)?")
_query_locale: Final = locale.setlocale


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


_LARGE: Final = ("pandas", "matplotlib", "scipy", "sympy", "asyncio", "sqlite3")
_ZYGOTES_OWN: Final = frozenset({"grader", "ctypes", "socket", "_socket", "selectors"})
"""What the zygote imports for itself, and a submission is not given."""


class Surroundings:
    """The interpreter as the submission finds it: its built-ins, its importer, its files.

    Made once, in the zygote, so that a fork costs next to nothing; a child only fills it.
    """

    def __init__(self, packages: Iterable[str], hosts: Mapping[str, Host]) -> None:
        """Replace what finds modules and files in this process; ours are all loaded by now.

        `packages` are modules that everybody knows, and that need not be there.
        """
        self.hosts: Final = hosts
        self.beginning: Beginning | None = None
        self.keyboard: Keyboard | None = None
        """What lines are typed on, while there are any."""
        self._modules: Final[dict[str, ModuleCode]] = {}
        self._files: Final = SessionFiles()
        self._files.install()
        self._descriptors: Final = Descriptors(self._files)
        self.at_exit: Final = AtExit()
        self._pins: Final = Pins(seed_at_start())
        self.builtins: Final = _own_builtins(self._files)
        self._rule: Final = ImportRule(self.builtins, packages)
        vars(self.builtins)["__import__"] = self._rule.import_
        # One function for good: who keeps it, as a default value, has what is typed later, too.
        vars(self.builtins)["input"] = self._ask
        vars(importlib)["import_module"] = self._rule.import_module
        for name in [name for name in sys.modules if name.split(".")[0] in _ZYGOTES_OWN]:
            del sys.modules[name]
        sys.modules["builtins"] = self.builtins
        for name in ("codecs", "gzip", "lzma"):  # for their `open`
            vars(importlib.import_module(name))["builtins"] = self.builtins
        vars(getpass)["getpass"] = self._ask_for_password
        vars(locale)["setlocale"] = accept_locale
        self.importer: Final = SubmissionImporter(self._modules, self.builtins, self._rule)
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
        suites: dict[str, Any],
        now_s: int | None = None,
    ) -> None:
        """Make `modules` importable, where they hide standard ones, and `files` readable.

        The submission may import `imports` besides; code of which the globals are `suites` is the
        suite's own, and may import whatever there is. The clock begins at `now_s`.
        """
        for name in modules:
            top = name.partition(".")[0]
            if top in modules or top not in STANDARD:  # a folder without `__init__` hides nothing
                self._modules[name] = modules[name]
                sys.modules.pop(name, None)
        if any(module.file.endswith(".ipynb") for module in modules.values()):
            self.builtins.__dict__.update(given_to_cells())
        at_home = filter(None, map(name_at_home, self._modules.values()))
        self._rule.hold({*self._modules, *at_home}, imports, suites)
        self._files.provide(files)
        self._descriptors.install()
        self._pins.start_session(now_s)

    def _ask(self, prompt: object = "", /) -> str:
        """Stand in for `input`."""
        if self.keyboard is None:
            raise EOFError("input() was called, but nobody answers while a submission is graded")
        return self.keyboard.ask(prompt)

    def _ask_for_password(self, prompt: str = "Password: ", stream: object = None) -> str:
        """Stand in for `getpass.getpass`: what is typed is shown, as anywhere."""
        del stream
        answer: str = vars(self.builtins)["input"](prompt)
        return answer

    def remember(self) -> None:
        """Keep what the interpreter is now: what sessions find that follow each other in it.

        With large packages that is too much to keep, and to put back; others keep to themselves
        what they have been told.
        """
        self.beginning = None if sys.modules.keys() & {*_LARGE} else Beginning()

    @property
    def files(self) -> SessionFiles:
        """The files that the submission finds."""
        return self._files

    @property
    def naps(self) -> Naps:
        """How long the submission may sleep."""
        return self._pins.naps

    @property
    def own(self) -> Modules:
        """The modules of the submission."""
        return self._modules

    def tell_the_time(self) -> None:
        """Have the clock show the time, for a submission that is not alone."""
        self._pins.tell_the_time()

    @property
    def absent(self) -> list[str]:
        """The packages that the submission has imported, and that are not there."""
        return [*self._rule.absent]

    def clear(self) -> None:
        """Forget the modules and files, and what was imported of them."""
        for name in self._modules:
            sys.modules.pop(name, None)
        self._modules.clear()
        self.importer.stops = None
        for name in given_to_cells():
            self.builtins.__dict__.pop(name, None)
        self._rule.clear()
        self._files.clear()
        self._descriptors.remove()
        self.at_exit.clear()
        self.naps.forget()


def warm(modules: str, extras: str) -> Surroundings:
    """Return the surroundings of submissions, once what they may be given has been imported.

    `modules` says, as JSON, what to `preload`, which `packages` to refuse by their name, and which
    `hosts` there are;
    `extras` says of each package to import its `folder` and its `parts`.
    """
    load_packages(json.loads(extras))
    wanted: dict[str, list[str]] = json.loads(modules)
    for name in wanted["preload"]:
        importlib.import_module(name)
    return Surroundings(wanted["packages"], loaded(wanted["hosts"]))


def _own_builtins(files: SessionFiles) -> ModuleType:
    """Return a copy of `builtins` for the submission, with our `open`, `exit` and `help`.

    A submission that overwrites `len` does so for itself: our own functions keep the real one.
    """
    namespace = ModuleType("builtins", builtins.__doc__)
    namespace.__dict__.update(builtins.__dict__)
    namespace.__dict__["open"] = files.open
    namespace.__dict__["exit"] = namespace.__dict__["quit"] = leave
    namespace.__dict__["help"] = idle_display
    return namespace


def clamped(set_limit: Callable[[int], None], lowest: int, highest: int) -> Callable[[int], None]:
    """Return `sys.setrecursionlimit` with a floor and a ceiling.

    On CPython 3.11 nested C recursion ran over the C stack from 80,000 on, not at 40,000.
    """

    def setrecursionlimit(limit: int, /) -> None:
        set_limit(min(max(limit, lowest), highest))

    return setrecursionlimit
