"""The tests' end of the bridge, which also records trouble with a submission."""

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
from grader.plugins.own_tests.bridge.hosts import Host, Message
from grader.plugins.own_tests.bridge.operations import OPERATIONS
from grader.plugins.own_tests.bridge.proxies import ProxyModule, RemoteReference, pickle_with
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
from grader.plugins.own_tests.proxying.evaluating import code_generator_calling
from grader.plugins.own_tests.proxying.exports import Exports
from grader.plugins.own_tests.proxying.files import SharedFiles
from grader.plugins.own_tests.proxying.link import Link, SubmissionEnded
from grader.plugins.own_tests.proxying.names import SharedNames
from grader.plugins.own_tests.proxying.printing import HostOutput
from grader.plugins.own_tests.proxying.random_states import RandomStates
from grader.plugins.own_tests.proxying.replacements import ReplacedFunctions
from grader.plugins.own_tests.proxying.settings_exchange import SettingsExchange
from grader.plugins.own_tests.proxying.tracebacks import (
    current_line,
    register_sources,
    traceback_of,
)
from grader.plugins.own_tests.proxying.troubles import (
    THREAD_TROUBLE,
    Trouble,
    trouble_for,
    trouble_from_executor_limit,
)
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

_NOT_OPERATORS: Final = frozenset(
    {
        *("__init__", "__new__", "__call__", "__getitem__", "__setitem__", "__delitem__"),
        *("__getattr__", "__setattr__", "__delattr__", "__set_name__", "__exit__", "__format__"),
        *("__get__", "__set__", "__delete__", "__instancecheck__", "__subclasscheck__"),
    }
)
"""Special methods whose arguments are inputs rather than expected values."""
_NAMED_OPERATIONS: Final = frozenset({"special", "get", "bind"})
"""Operations that name an attribute."""
_EMPTY_REPLIES: Final = (None, [WireTag.SINGLE, "NotImplemented"])
"""Encoded values that reveal no more than a bool does."""
_REAL_INPUT: Final = builtins.input
_MAX_TROUBLES: Final = 20


class Workbench(Host):
    """The host at the tests' end of the bridge, which also records trouble."""

    hidden_names = frozenset({"__setattr__", "__delattr__"})
    """A submission can set public names of the tests' objects, but must not call these methods."""
    is_reporting = False
    """Whether pytest is creating a report: a `SystemExit` would then end the tests."""
    last_raised: BaseException | None = None
    """The last exception that the submission raised, even if a test caught it."""
    has_threads = False
    """Whether the tests themselves use threads, which a submission cannot start."""
    has_operand = False
    """Whether the submission may have got an expected value of this or an earlier test."""
    failures = 0
    """How often the submission raised an exception, or trouble was recorded, so far."""
    messages_sent = 0
    """The number of messages sent to the submission so far."""

    def __init__(
        self,
        link: Link,
        modules: Mapping[str, SourceFile],
        folders: tuple[Path, ...],
        shared_folders: Callable[[], list[Path]],
        new_side: Callable[[Host], BridgeSide] = BridgeSide,
    ) -> None:
        """Communicate over `link` with the submission, which has these `modules`.

        Objects defined in `folders` are part of the tests. `shared_folders` is called at each
        access to a file, and returns folders in which both sides can read and write. `new_side`
        creates this end of the bridge.
        """
        self.link: Final = link
        self._modules: Final = modules
        self._sources: Final = {file.name: file.text for file in modules.values()}
        self._exports: Final = Exports(folders)
        self.side: Final = new_side(self)
        self.troubles: Final[list[Trouble]] = []
        """The trouble of the current test, in the order in which it was recorded."""
        self._may_leak = False
        """Whether a submission with an expected value has replied with more than a bool.
        Such a reply can reach the next process through objects that the tests keep."""
        self._files: Final = SharedFiles(shared_folders, folders, link.was_passed_by_tests)
        self.printed: Final = HostOutput(self.record_refusal)
        self._process_count = 0
        self._tables_after_collection: Tables | None = None
        # Before `ReplacedFunctions` stores the originals, as `RandomStates` wraps `random.seed`.
        self._random_states: Final = RandomStates()
        self._replaced: Final = ReplacedFunctions()
        self._uses_weakref: Final = self._mentions("weakref")
        self._names: Final = SharedNames(self._exports)
        self._settings: Final = SettingsExchange(sends_log_levels=self._mentions("logging"))
        self._operations: Final[dict[str, Callable[..., Any]]] = {
            **OPERATIONS,
            "get": self._names.get,
            "input": _read_prompted,
            "file": self._files.read,
            "printed": self.printed.has_room,
            "pickle": _refuse_pickling,
            "readline": lambda size: _input_stream().readline(size),
            "read": lambda size: _input_stream().read(size),
        }
        register_sources(self._sources.items())
        pickle_with(self.side)

    def _mentions(self, module_name: str) -> bool:
        """Return whether a module of the submission may import the module called `module_name`."""
        return any(module_name in text for text in self._sources.values())

    # Restarts

    def keep(self) -> None:
        """Store the state after collection; each restart returns to that state."""
        self.link.keep_record()
        self._tables_after_collection, self._may_leak = self.side.tables, self.has_operand
        self._replaced.keep()
        self._settings.keep()
        self._exports.changes.keep()

    def restart(self) -> None:
        """Restart the submission, and discard all state of its previous process.

        Records trouble if the submission ends while it is being restarted.
        """
        tables = self._tables_after_collection
        self._replaced.restart()
        self._settings.restart()
        self._random_states.restart()
        self._files.restart()
        self._exports.changes.restart()
        self._exports.forget()
        self._names.forget()
        assert tables is not None, "keep() is called after collection"
        self.has_operand = self._may_leak
        self._process_count += 1
        self.side.restart(tables.snapshot(), self._process_count)
        try:
            self.link.restart()
        except SubmissionEnded as ended:
            self._record_trouble(ended.trouble)

    @property
    def in_test(self) -> bool:
        """Whether collection is over, so that tests are running."""
        return self._tables_after_collection is not None

    def import_(self, name: str, proxy: ProxyModule, *, is_reload: bool) -> None:
        """Import the module called `name` into `proxy`, or raise the exception of the import.

        If the submission ends during collection, the executor is restarted without what the import
        has shared.
        """
        mark = self.link.mark()
        try:
            self.side.import_module_as(name, proxy, is_reload=is_reload)
            with suppress(AttributeError):  # the submission may have deleted `__file__`
                if type(file := self.side.request("get", proxy, "__file__")) is str:
                    proxy.__file__ = file
        except SubmissionEnded:
            if not self.in_test:  # collection continues, and imports further modules
                self.link.drop_from(mark)
                self.link.restart()
            raise

    def recover(self) -> None:
        """Replace the executor if it has ended during collection.

        Raises `SubmissionEnded` if the new one ends, too.
        """
        if self.link.has_ended:
            self.link.restart()

    def settle(self) -> None:
        """Release objects that are kept only for the submission and that it no longer uses.

        This matters only to a submission with weak references, so only such a submission gets the
        request.
        """
        if self._uses_weakref and self.messages_sent and not self.link.has_ended:
            self.side.request("settle")

    def _record_trouble(self, trouble: Trouble) -> None:
        """Record `trouble` of the current test, up to a limit, and count it as a failure."""
        self.failures += 1
        if len(self.troubles) < _MAX_TROUBLES:
            self.troubles.append(trouble)

    # The interface of `Host`

    def exchange(self, message: Message) -> Message:
        """Send `message`, wait for the next message, and return the latter.

        Raises `SubmissionEnded` if the submission ends, and records that as trouble.
        """
        __tracebackhide__ = True
        self.messages_sent += 1
        try:
            reply = self.link.exchange(message)
        except SubmissionEnded as ended:
            self._record_trouble(ended.trouble)
            raise
        self._may_leak |= self.has_operand and not _is_bool_like(reply)
        return reply

    def end_connection(self, error: Malformed) -> NoReturn:
        """Stop the submission, which has sent an invalid message; raises `SubmissionEnded`."""
        ended = self.link.end_as_tampered(str(error))
        self._record_trouble(ended.trouble)
        raise ended from error

    def record_refusal(self, error: Uncrossable) -> None:
        """Record as trouble that a value of the test, or a result, could not be sent."""
        verdict = Verdict.OUTPUT if isinstance(error, Unanswered) else Verdict.FAULT
        message = ": ".join(filter(None, (current_line(), one_line(str(error)))))
        self._record_trouble(Trouble(verdict=verdict, message=message, evidence="refused"))

    def before_request(self, operation: str, operands: tuple[Any, ...]) -> None:
        """Record whether an operator of the submission gets an operand.

        The operand may be an expected value. Looking up the method of an operator by name counts as
        well, as a call may follow. Raises `Uncrossable` if a code generator is using a string of
        the submission.
        """
        if operation not in _NAMED_OPERATIONS:
            return
        name, arguments = operands[1], operands[3] if operation == "special" else None
        if issubclass(type(operands[2 if operation == "special" else 0]), str):
            self._refuse_generating_code(operation, name)
        if name == "__getitem__" and arguments:  # such as `vars(cls)["__eq__"]`
            name, arguments = arguments[0], None
        is_operator = type(name) is str and name in SPECIALS and name not in _NOT_OPERATORS
        self.has_operand |= is_operator and arguments != ()

    def _refuse_generating_code(self, operation: str, name: object) -> None:
        """Raise `Uncrossable` if a code generator uses a string of a class of the submission."""
        code_generator = code_generator_calling(sys._getframe(2))  # noqa: SLF001 - it depends on the caller
        if code_generator is not None and (operation == "get" or name in {"__str__", "__format__"}):
            error = Uncrossable(
                f"a test lets {code_generator} generate code from a string of the submission,"
                " whose class is a subclass of str; use a string that is written in the test"
            )
            self.record_refusal(error)
            raise error

    def operation(self, name: str) -> Callable[..., Any]:
        """Return the function that carries out an operation; raises `Malformed` if unknown."""
        try:
            return self._operations[name]
        except KeyError:
            raise Malformed("unknown operation") from None

    def check_permitted(self, operation: str, operands: tuple[Any, ...]) -> None:
        """Raise `Uncrossable` or `Malformed` if the submission must not make this request."""
        self._exports.check_permitted(operation, operands, self.side.tables)

    def is_current(self, reference: RemoteReference) -> bool:
        """Return whether the object of a `reference` is in the submission's current process."""
        return reference.process in (0, self.side.process)

    def encode_own(self, value: Any, write: Callable[[Any], Any]) -> Any:
        """Return the encoding of an object of the tests, or None if it is sent as a proxy."""
        return self._exports.encode(value, self.side.tables, write)

    def visible_arguments(self, error: BaseException) -> tuple[Any, ...]:
        """Return the arguments of a built-in exception other than a failed assertion.

        Returns an empty tuple for any other exception.
        """
        # The text of a failed assertion contains expected values.
        is_plain = id(type(error)) in KNOWN_IDS and not isinstance(error, AssertionError)
        return tuple(error.args) if is_plain else ()

    def standard_object(self, module: str, name: str) -> Any:
        """Return an exception class of the standard library, or an object in `SENT_BY_NAME`.

        Raises `Malformed` for any other object.
        """
        if (module, name) in SENT_BY_NAME:
            return getattr(import_module(module), name)
        candidate = (
            getattr(import_module(module), name, None) if module in EXCEPTION_MODULES else None
        )
        if not isinstance(candidate, type) or not issubclass(candidate, Exception):
            raise Malformed("expected an exception class, or an object that is sent by its name")
        return candidate

    def module(self, name: str) -> Any:
        """Return the proxy of the submission's module called `name`.

        Raises `Malformed` if the submission has no such module.
        """
        if name not in self._modules:
            raise Malformed("the submission has no module of this name")
        return import_module(name)

    def used_cpu_s(self) -> float:
        """Return the CPU seconds that this thread has used."""
        return time.thread_time()

    def raise_remote(self, error: BaseException, lines: Any) -> NoReturn:
        """Raise an exception of the submission, with a traceback through the submission's lines.

        Records trouble if the exception is due to a limit of executors. Raises another exception
        instead if this one would stop pytest: `SubmissionEnded` or `RuntimeError`.
        """
        __tracebackhide__ = True
        self.failures += 1
        # The submission can raise exceptions that belong to the tests.
        if self.side.tables.key_of_local(error) is None:
            self.last_raised = error
        traceback = traceback_of(lines, self._sources)
        if error.args == ("can't start new thread",):
            # Tests that use threads themselves cannot be graded here: that is no student's mistake.
            verdict = Verdict.FAULT if self.has_threads else Verdict.FORBIDDEN
            self._record_trouble(replace(THREAD_TROUBLE, verdict=verdict))
        if (limit_trouble := trouble_from_executor_limit(error)) is not None:
            self._record_trouble(limit_trouble)
        if isinstance(error, KeyboardInterrupt):  # it would stop pytest, as on Ctrl-C
            ended = SubmissionEnded(trouble_for(Verdict.EXITED, "KeyboardInterrupt"))
            self._record_trouble(ended.trouble)
            raise ended.with_traceback(traceback) from None
        if self.is_reporting and not isinstance(error, Exception):
            raise RuntimeError("the submission ends the program") from None
        if traceback is None or error.__traceback__ is not None:
            raise error
        raise error.with_traceback(traceback)

    def add_to_message(self, message: Message, write: Callable[[Any], Any]) -> None:
        """Add replaced functions, settings, references and random states to `message`."""
        if replaced := self._replaced.unsent(write):
            message["replaced"] = replaced
        self._settings.add_to_message(message)
        self._names.refresh()
        if self._uses_weakref:
            message["holders"] = self.side.tables.changed_references()
        if random_states := self._random_states.unsent_states():
            message["chance"] = random_states

    def apply_message(self, message: Message, read: Callable[[Any], Any]) -> None:
        """Apply the files, output, names, log records and warnings in `message`."""
        if "files" in message:
            self._files.write(message["files"])
        self.printed.write(message)
        self._names.apply_changes()
        self._settings.apply_message(message, read)


def _is_bool_like(reply: Message) -> bool:
    """Return whether a reply consists only of a bool, None or NotImplemented, without output."""
    value = reply.get("value", reply)
    return reply.keys() <= {"value", "gone"} and (type(value) is bool or value in _EMPTY_REPLIES)


def _refuse_pickling(value: object) -> NoReturn:
    raise TypeError(f"cannot pickle {type(value).__name__!r} object of the tests")


def _read_prompted(prompt: str) -> str:
    """Return what is typed at a prompt of the submission.

    Raises `EOFError` if no test has replaced the standard input or `input`.
    """
    _input_stream()
    return builtins.input(prompt)


def _input_stream() -> Any:
    """Return the standard input; raises `EOFError` if no test has replaced it, or `input`."""
    if sys.stdin is sys.__stdin__ and builtins.input is _REAL_INPUT:
        raise EOFError("there is no input while tests run; replace input or sys.stdin in the test")
    return sys.stdin
