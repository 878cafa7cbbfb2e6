"""The tests' end of the bridge, which also notes what goes wrong with a submission."""

from __future__ import annotations

import builtins
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

from grader.intake.submission import SourceFile
from grader.plugins.own_tests.bridge.acts import OPERATIONS
from grader.plugins.own_tests.bridge.hosts import Host, Message
from grader.plugins.own_tests.bridge.proxies import ObjectPlace, ProxyModule, pickle_with
from grader.plugins.own_tests.bridge.side import BridgeSide
from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import (
    EXCEPTION_MODULES,
    KNOWN_IDS,
    SENT_BY_NAME,
    SPECIALS,
    Malformed,
    Unanswered,
    Uncrossable,
    WireTag,
)
from grader.plugins.own_tests.proxying.along import SettingsExchange
from grader.plugins.own_tests.proxying.chance import RandomStates
from grader.plugins.own_tests.proxying.evaluating import code_generator_calling
from grader.plugins.own_tests.proxying.exports import Exports
from grader.plugins.own_tests.proxying.files import SharedFiles
from grader.plugins.own_tests.proxying.link import Link, SubmissionEnded, Trouble, trouble_for
from grader.plugins.own_tests.proxying.names import SharedNames
from grader.plugins.own_tests.proxying.printing import HostOutput
from grader.plugins.own_tests.proxying.replaced import ReplacedFunctions
from grader.plugins.own_tests.proxying.tracebacks import (
    calling_frame,
    register_sources,
    traceback_of,
)
from grader.protocol import NOT_ALLOWED, NOT_MOVED
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

_LACKING: Final = frozenset(
    {
        *("asyncio", "concurrent", "dbm", "email", "http", "mimetypes", "optparse", "plistlib"),
        *("shelve", "sqlite3", "tarfile", "tkinter", "tomllib", "turtle", "urllib", "xml"),
        *("xmlrpc", "zipfile", "zoneinfo"),
    }
)
"""Modules that honest programs use, but that executors lack; others lead out of executors."""
_NO_OPERATORS: Final = frozenset(
    {
        *("__init__", "__new__", "__call__", "__getitem__", "__setitem__", "__delitem__"),
        *("__getattr__", "__setattr__", "__delattr__", "__set_name__", "__exit__", "__format__"),
        *("__get__", "__set__", "__delete__", "__instancecheck__", "__subclasscheck__"),
    }
)
"""Special methods whose arguments are inputs, not expected values."""
_BY_NAME: Final = frozenset({"special", "get", "bind"})
"""Acts with the name of an attribute."""
_EMPTY_ANSWERS: Final = (None, [WireTag.SINGLE, "NotImplemented"])
_REAL_INPUT: Final = builtins.input
_MAX_TROUBLES: Final = 20
_THREAD: Final = Trouble(
    verdict=Verdict.FORBIDDEN,
    message="the submission starts a thread, and there are none where it lives",
    evidence="can't start new thread",
)
_MOVED: Final = Trouble(
    verdict=Verdict.FORBIDDEN,
    message="the submission changes the current folder, which its tests do not share",
    evidence="os.chdir",
)


class Workbench(Host):
    """Connects tests to a submission, and notes its troubles."""

    hidden_names = frozenset({"__setattr__", "__delattr__"})
    """A submission sets public names of the tests' objects, but not by calling these."""

    def __init__(
        self,
        link: Link,
        modules: Mapping[str, SourceFile],
        folders: tuple[Path, ...],
        shared: Callable[[], list[Path]],
        kind: Callable[[Host], BridgeSide] = BridgeSide,
    ) -> None:
        """Reach the submission, which has these `modules`, over `link`.

        Objects defined in `folders` are part of the tests. Both sides can read and write the files
        in the `shared` folders, which is called each time. `kind` makes the end of the bridge.
        """
        self.link: Final = link
        self._modules: Final = modules
        self._sources: Final = {file.name: file.text for file in modules.values()}
        self._exports: Final = Exports(folders)
        self.side: Final = kind(self)
        self.troubles: Final[list[Trouble]] = []
        """The troubles of the current test."""
        self.is_reporting = False
        """Whether pytest is making a report: a `SystemExit` then would end the tests."""
        self.last_raised: BaseException | None = None
        """The last exception of the submission, even if it was caught."""
        self.has_threads = False
        """Whether the tests themselves use threads, which a submission cannot have."""
        self.has_operand = False
        """Whether the submission may know an expected value, of this test or an earlier one."""
        self._may_leak = False
        """Whether a submission that knew an expected value has replied with more than yes or no.
        Such a reply can reach the next process through objects that the tests keep."""
        self.raised = 0
        """The number of exceptions of the submission."""
        self.asked = 0
        """The number of messages sent to the submission."""
        self._files: Final = SharedFiles(shared, folders, link.has_been_handed)
        self.printed: Final = HostOutput(self.record_refusal)
        self._process_count = 0
        self._kept: Tables | None = None
        # It wraps `random.seed`, so it comes before `ReplacedFunctions` looks.
        self._random_states: Final = RandomStates()
        self._replaced: Final = ReplacedFunctions()
        self._is_weak: Final = any("weakref" in each for each in self._sources.values())
        self._names: Final = SharedNames(self._exports)
        self._settings: Final = SettingsExchange(
            logs=any("logging" in each for each in self._sources.values())
        )
        self._acts: Final[dict[str, Callable[..., Any]]] = {
            **OPERATIONS,
            "get": self._names.get,
            "input": _typed,
            "file": self._files.read,
            "printed": self.printed.has_room,
            "pickle": _unpicklable,
            "readline": lambda size: _keyboard().readline(size),
            "read": lambda size: _keyboard().read(size),
        }
        register_sources(self._sources.items())
        pickle_with(self.side)

    # Restarts

    def keep(self) -> None:
        """Keep the state after collection: each restart goes back to it."""
        self.link.keep_record()
        self._kept, self._may_leak = self.side.tables, self.has_operand
        self._replaced.keep()
        self._settings.keep()
        self._exports.changes.keep()

    def restart(self) -> None:
        """Restart the submission, and discard all state of its previous process."""
        kept = self._kept
        self._replaced.restart()
        self._settings.restart()
        self._random_states.restart()
        self._files.restart()
        self._exports.changes.restart()
        self._exports.forget()
        self._names.forget()
        assert kept is not None, "tests were collected"
        self.has_operand = self._may_leak
        self._process_count += 1
        self.side.restart(kept.snapshot(), self._process_count)
        try:
            self.link.restart()
        except SubmissionEnded as ended:
            self._note_trouble(ended.trouble)

    @property
    def in_test(self) -> bool:
        """Whether collection is over, and tests run."""
        return self._kept is not None

    def import_(self, name: str, proxy: ProxyModule, *, is_reload: bool) -> None:
        """Import the module called `name` into `proxy`; raises what the import raises."""
        mark = self.link.mark()
        try:
            self.side.import_module_as(name, proxy, is_reload=is_reload)
            with suppress(AttributeError):  # the submission may have deleted it
                if type(file := self.side.request("get", proxy, "__file__")) is str:
                    proxy.__file__ = file
        except SubmissionEnded:
            if not self.in_test:  # collection goes on, and imports other modules
                self.link.drop_from(mark)
                self.link.restart()
            raise

    def recover(self) -> None:
        """Start a new executor if the submission has ended during collection."""
        if self.link.has_ended:
            self.link.restart()

    def settle(self) -> None:
        """Release objects that only the submission held, but no longer does."""
        if self._is_weak and self.asked and not self.link.has_ended:
            self.side.request("settle")

    def _note_trouble(self, cause: Trouble) -> None:
        self.raised += 1
        if len(self.troubles) < _MAX_TROUBLES:
            self.troubles.append(cause)

    # The interface of `Host`

    def exchange(self, message: Message) -> Message:
        """Send `message`, wait for the next one, and return it."""
        __tracebackhide__ = True
        self.asked += 1
        try:
            reply = self.link.exchange(message)
        except SubmissionEnded as ended:
            self._note_trouble(ended.trouble)
            raise
        self._may_leak |= self.has_operand and not _is_yes_or_no(reply)
        return reply

    def end_connection(self, error: Malformed) -> NoReturn:
        """End the submission, which has sent an invalid message."""
        ended = self.link.end_as_tampered(str(error))
        self._note_trouble(ended.trouble)
        raise ended from error

    def record_refusal(self, error: Uncrossable) -> None:
        """Note that a test sent an impossible value, or that the submission returned one."""
        verdict = Verdict.OUTPUT if isinstance(error, Unanswered) else Verdict.FAULT
        message = f"{_caller()}{one_line(str(error))}"
        self._note_trouble(Trouble(verdict=verdict, message=message, evidence="refused"))

    def before_request(self, act: str, about: tuple[Any, ...]) -> None:
        """Note that an operator of the submission gets its other operand.

        That includes a lookup of the method by name, as a call of it may follow.
        """
        if act not in _BY_NAME:
            return
        name, arguments = about[1], about[3] if act == "special" else None
        if issubclass(type(about[2 if act == "special" else 0]), str):
            self._refuse_text_for_code(act, name)
        if name == "__getitem__" and arguments:  # as in `vars(cls)["__eq__"]`
            name, arguments = arguments[0], None
        is_operator = type(name) is str and name in SPECIALS and name not in _NO_OPERATORS
        self.has_operand |= is_operator and arguments != ()

    def _refuse_text_for_code(self, act: str, name: object) -> None:
        """Refuse code generators the text of a `str` subclass of the submission."""
        maker = code_generator_calling(sys._getframe(2))  # noqa: SLF001 - the caller decides
        if maker is not None and (act == "get" or name in {"__str__", "__format__"}):
            error = Uncrossable(
                f"a test has {maker} make code with a text of the submission, of a class of its"
                " own; hand over a text that stands in the test"
            )
            self.record_refusal(error)
            raise error

    def operation(self, name: str) -> Callable[..., Any]:
        """Return the function that carries out an act; raises `Malformed`."""
        try:
            return self._acts[name]
        except KeyError:
            raise Malformed("an act that there is not") from None

    def check_permitted(self, name: str, about: tuple[Any, ...]) -> None:
        """Raise an error for a request of the submission that is not permitted."""
        self._exports.check_permitted(name, about, self.side.tables)

    def is_current(self, place: ObjectPlace) -> bool:
        """Return whether the object at `place` belongs to the current process."""
        return place.process in (0, self.side.process)

    def encode_own(self, value: Any, write: Callable[[Any], Any]) -> Any:
        """Return the encoding of an object of the tests, None if it is sent as a proxy."""
        return self._exports.encode(value, self.side.tables, write)

    def visible_arguments(self, error: BaseException) -> tuple[Any, ...]:
        """Return the arguments of an exception of the tests; none of a failed assertion."""
        # The text of a failed assertion says what is expected.
        is_plain = id(type(error)) in KNOWN_IDS and not isinstance(error, AssertionError)
        return tuple(error.args) if is_plain else ()

    def standard_object(self, module: str, name: str) -> Any:
        """Return an exception of the standard library, or a function or type in `SENT_BY_NAME`."""
        if (module, name) in SENT_BY_NAME:
            return getattr(import_module(module), name)
        found = getattr(import_module(module), name, None) if module in EXCEPTION_MODULES else None
        if not isinstance(found, type) or not issubclass(found, Exception):
            raise Malformed("a name that is not told")
        return found

    def module(self, name: str) -> Any:
        """Return the proxy of a module of the submission."""
        if name not in self._modules:
            raise Malformed("a module that there is not")
        return import_module(name)

    def used_cpu_s(self) -> float:
        """Return the CPU seconds of this thread."""
        return time.thread_time()

    def raise_remote(self, error: BaseException, lines: Any) -> NoReturn:
        """Raise an exception of the submission, with a traceback through its lines there."""
        __tracebackhide__ = True
        self.raised += 1
        if self.side.tables.key_of_local(error) is None:  # exceptions of the tests can come back
            self.last_raised = error
        traceback = traceback_of(lines, self._sources)
        if error.args == ("can't start new thread",):
            self._note_trouble(
                replace(_THREAD, verdict=Verdict.FAULT) if self.has_threads else _THREAD
            )
        if (lack := lack_of(error)) is not None:
            self._note_trouble(lack)
        if isinstance(error, KeyboardInterrupt):  # pytest would stop, as at Ctrl-C
            ended = SubmissionEnded(trouble_for(Verdict.EXITED, "KeyboardInterrupt"))
            self._note_trouble(ended.trouble)
            raise ended.with_traceback(traceback) from None
        if self.is_reporting and not isinstance(error, Exception):
            raise RuntimeError("it ends the program") from None
        if traceback is None or error.__traceback__ is not None:
            raise error
        raise error.with_traceback(traceback)

    def add_to_message(self, message: Message, write: Callable[[Any], Any]) -> None:
        """Add replaced functions, settings, names, holders and random states to `message`."""
        if replaced := self._replaced.unsent(write):
            message["replaced"] = replaced
        self._settings.add_to_message(message)
        self._names.refresh()
        if self._is_weak:
            message["holders"] = self.side.tables.changed_references()
        if chance := self._random_states.unsent_states():
            message["chance"] = chance

    def apply_message(self, message: Message, read: Callable[[Any], Any]) -> None:
        """Apply the files, output, names, log records and warnings in `message`."""
        if "files" in message:
            self._files.write(message["files"])
        self.printed.write(message)
        self._names.apply_changes()
        self._settings.apply_message(message, read)


def _is_yes_or_no(reply: Message) -> bool:
    """Return whether a reply is only a bool, None or NotImplemented, without output."""
    value = reply.get("value", reply)
    return reply.keys() <= {"value", "gone"} and (type(value) is bool or value in _EMPTY_ANSWERS)


def lack_of(error: BaseException) -> Trouble | None:
    """Return the trouble if `error` is for a part of Python that executors lack, else None."""
    if isinstance(error, PermissionError) and error.args[1:2] == (NOT_MOVED,):
        return _MOVED
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    top = name.partition(".")[0] if type(name) is str else ""
    if top not in sys.stdlib_module_names or error.args != (NOT_ALLOWED.format(name),):
        return None
    message = f"the submission uses {top}, which is not there where it lives"
    if top in _LACKING:
        message += "; tests of that can only be run by pytest itself, without walls"
    return Trouble(verdict=Verdict.FORBIDDEN, message=message, evidence="refused")


def _unpicklable(value: object) -> NoReturn:
    raise TypeError(f"cannot pickle {type(value).__name__!r} object of the tests")


def _typed(prompt: str) -> str:
    _keyboard()
    return builtins.input(prompt)


def _keyboard() -> Any:
    """Return the standard input; raises `EOFError` if no test has replaced it."""
    if sys.stdin is sys.__stdin__ and builtins.input is _REAL_INPUT:
        raise EOFError("nobody is at the keyboard while tests run")
    return sys.stdin


def _caller() -> str:
    """Return the current line of the tests as a prefix, `file:line: `, or an empty string."""
    frame = calling_frame()
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}: " if frame else ""
