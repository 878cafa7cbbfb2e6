"""The executor's end of the bridge, for tests in another process.

It serves one request of the tests at a time, and sends requests when the submission uses objects of
the tests. Nothing in this module protects the tests: the submission can change all of it. But by
doing so it gains nothing that it could not get by returning other results.
"""

from __future__ import annotations

import importlib
import io
import os
import pickle
import random
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from grader.executor.stdout import SharedStdout
from grader.executor.surroundings import Surroundings
from grader.plugins.own_tests.bridge.hosts import Host, Message
from grader.plugins.own_tests.bridge.operations import OPERATIONS
from grader.plugins.own_tests.bridge.proxies import look_up_on_proxies
from grader.plugins.own_tests.bridge.side import BridgeSide
from grader.plugins.own_tests.bridge.wire import SENT_BY_NAME, Uncrossable, WireTag
from grader.plugins.own_tests.bridge.writing import support_numpy
from grader.plugins.own_tests.notices import Notices
from grader.protocol import MAX_FRAMES, MAX_NAME_CHARS

_HEADROOM: Final = 200
"""Extra stack frames for the grader's code when the submission is near its recursion limit."""
# Bound when this module is loaded, because tests and submissions can replace the originals.
_set_recursion_limit: Final = sys.setrecursionlimit
_recursion_limit: Final = sys.getrecursionlimit
_reload: Final = importlib.reload
_set_random_state: Final = random.setstate
_exit_now: Final = os._exit


class Bridge(Host):
    """The host at the executor's end of the bridge."""

    def __init__(
        self,
        exchange: Callable[[Message], Message],
        surroundings: Surroundings,
        files: frozenset[str],
    ) -> None:
        """Send messages with `exchange`. Each contains what was printed since the last one.

        `files` are the names of the submission's files.
        """
        self._exchange: Final = exchange
        self._surroundings: Final = surroundings
        self.streams: Final = {
            name: SharedStdout(f"<{name}>", self._send_output) for name in ("stdout", "stderr")
        }
        self._is_building_message = False
        self._files: Final = files
        self._operations: Final[dict[str, Any]] = {
            **OPERATIONS,
            "import": self._import,
            "reload": self._reload,
            "run": self._run,
            "pickle": pickle.dumps,
            "unpickle": pickle.loads,
            "inquire": _call_on_object,
            "settle": lambda: None,  # only its reply matters: it lists the keys no longer used here
        }
        self.side: Final = BridgeSide(self)
        self._notices: Final = Notices(files)
        self._keyboard: Final = TestsKeyboard(self.side)
        self._originals: Final[dict[tuple[str, str], Any]] = {}
        self._references_by_name: Final[dict[int, list[str]]] = {}

    def begin(self) -> None:
        """Connect standard streams, files, warnings, `input` and the clock to the tests.

        Replaces them in this process for good.
        """
        if (numpy := sys.modules.get("numpy")) is not None:
            support_numpy(numpy)
        self._notices.begin()
        for name, stream in self.streams.items():
            # A program that restores `sys.stdout` from `sys.__stdout__` must also get this stream.
            sys.__dict__[name] = sys.__dict__[f"__{name}__"] = stream
        look_up_on_proxies(setattr)
        self._surroundings.show_real_time()
        for module, name in SENT_BY_NAME:
            standard_object = vars(sys.modules[module]).get(name) if module in sys.modules else None
            self._references_by_name[id(standard_object)] = [WireTag.NAMED, module, name]
        # A name that this Python lacks was registered for None, which must not be sent by name.
        self._references_by_name.pop(id(None), None)
        self._surroundings.files.look_up_outside(lambda path: self.side.request("file", path))
        vars(self._surroundings.builtins)["input"] = self._keyboard.input_line
        sys.__dict__["stdin"] = sys.__dict__["__stdin__"] = self._keyboard

    def exchange(self, message: Message) -> Message:
        """Send `message`, wait for the next message, and return that one.

        The recursion limit is raised meanwhile, as the submission may be near it.
        """
        limit = _recursion_limit()
        _set_recursion_limit(limit + _HEADROOM)
        try:
            return self._exchange(message)
        finally:
            _set_recursion_limit(limit)

    def operation(self, name: str) -> Callable[..., Any]:
        """Return the function that carries out the operation `name`."""
        function: Callable[..., Any] = self._operations[name]
        return function

    def encode_own(self, value: Any, write: Callable[[Any], Any]) -> Any:
        """Return a reference by name to `value` if both sides have it, otherwise None."""
        if (
            type(value) is ModuleType
            and value.__dict__.get("__name__") in self._surroundings.submission_modules
        ):
            return [WireTag.MODULE, value.__name__]
        return self._references_by_name.get(id(value))

    def standard_object(self, module: str, name: str) -> Any:
        """Return the object called `name` in the loaded module called `module`.

        If `name` is empty, return the module itself. Raises `Uncrossable` if there is no such
        object, or if the module is not loaded.
        """
        try:
            value: Any = sys.modules[module]
            for part in filter(None, name.split(".")):
                value = getattr(value, part)
        except (KeyError, AttributeError):
            dotted_name = ".".join(filter(None, (module, name)))
            raise Uncrossable(
                f"a submission has no {dotted_name}; use an object that executors have"
            ) from None
        return value

    def module(self, name: str) -> Any:
        """Return the module of the submission called `name`."""
        return sys.modules[name]

    def method(self, value: Any, name: str) -> Any:
        """Return the method of `value` called `name`."""
        return getattr(value, name)

    def visible_frames(self, error: BaseException) -> list[Any]:
        """Return the file, line and function of each frame of `error` in the submission.

        The innermost frame is last. If there are very many, return only the innermost ones.
        """
        lines: list[Any] = []
        traceback = error.__traceback__
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if code.co_filename in self._files:
                # A code object can have been made with a subclass of `str` as its name.
                name = str.__str__(code.co_name)[:MAX_NAME_CHARS]
                lines.append([code.co_filename, traceback.tb_lineno, name])
            traceback = traceback.tb_next
        return lines[-MAX_FRAMES:]

    def add_to_message(self, message: Message, write: Callable[[Any], Any]) -> None:
        """Add output, changed files, log records and warnings to `message`.

        Empties their buffers.
        """
        self._is_building_message = True  # while a message is being built, no request can be sent
        try:
            self._notices.add_to(message, write)
        finally:
            self._is_building_message = False
        for name, stream in self.streams.items():
            text, dropped = stream.take_kept_text()
            if text:
                message[name] = text
            if dropped:
                message["dropped"] = [*message.get("dropped", ()), name]
        if changed_files := self._surroundings.files.take_changes():
            message["files"] = [
                [path, None if data is None else data.hex()] for path, data in changed_files
            ]

    def _send_output(self) -> bool:
        """Send what has been printed, and return whether the tests accept more output.

        `SharedStdout` calls this when its buffer is full. Returns False without sending anything
        while a message is being built.
        """
        return not self._is_building_message and self.side.request("printed") is True

    def apply_message(self, message: Message, read: Callable[[Any], Any]) -> None:
        """Apply what the tests have changed: replaced functions, settings and random states.

        `read` decodes a value in the message.
        """
        if "ask" in message:  # each new request can print, even if the last one printed too much
            for stream in self.streams.values():
                stream.is_full = False
        if "holders" in message:
            self.side.tables.apply_references(*message["holders"])
        for module, name, *replacement in message.get("replaced", ()):
            namespace = vars(sys.modules[module])
            original = self._originals.setdefault((module, name), namespace.get(name))
            namespace[name] = read(replacement[0]) if replacement else original
        self._notices.apply_settings(message)
        for module, state in message.get("chance", {}).items():
            if module == "random":
                _set_random_state(state)
            elif (numpy := sys.modules.get(module)) is not None:
                numpy.set_state(state)

    # Operations in addition to those in `OPERATIONS`

    def _import(self, name: str, reload: bool) -> ModuleType:
        """Import a module, and return it. With `reload`, execute it again if it is loaded."""
        if reload:
            sys.modules.pop(name, None)
        __import__(name)
        # For a dotted name, `__import__` returns the top-level package.
        return sys.modules[name]

    def _reload(self, name: str) -> None:
        _reload(sys.modules[name])

    def _run(self, name: str, run_name: str, arguments: list[str]) -> dict[str, Any]:
        """Run a module as `runpy.run_module` does, and return its globals without dunder names.

        Replaces `sys.argv`, and the module `__main__` if `run_name` is its name.
        """
        program = ModuleType(run_name)
        sys.argv[:] = [f"{name}.py", *arguments]
        if run_name == "__main__":
            sys.modules["__main__"] = program
        self._surroundings.importer.execute(name, program)
        return {key: value for key, value in vars(program).items() if key[:2] != "__"}


def _call_on_object(module: str, name: str, value: Any, options: dict[str, Any]) -> Any:
    """Call the function `name` of a standard library module with `value`, and return the result."""
    return getattr(sys.modules[module], name)(value, **options)


class TestsKeyboard(io.TextIOBase):
    """Replaces standard input: each line comes from the tests."""

    encoding = "utf-8"
    name = "<stdin>"
    mode = "r"

    def __init__(self, tests: BridgeSide) -> None:
        """Request each line from `tests`."""
        super().__init__()
        self._tests: Final = tests

    def readable(self) -> bool:
        """Return True."""
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # of any stream
        """Return the next line."""
        return str(self._tests.request("readline", -1 if size is None else size))

    def read(self, size: int | None = -1, /) -> str:
        """Return the rest of the input, or `size` characters of it."""
        return str(self._tests.request("read", -1 if size is None else size))

    def input_line(self, prompt: object = "", /) -> str:
        """Print `prompt` and return the next line. Replaces the built-in `input`."""
        return str(self._tests.request("input", str(prompt)))


def serve(channel: Any, first: Message, surroundings: Surroundings, files: frozenset[str]) -> None:
    """Serve the tests, which have sent their `first` message, until they close `channel`.

    Never returns: the process then exits.
    """

    def exchange(message: Message) -> Message:
        """Send a message and return the next one, or exit if the tests have closed the channel."""
        try:
            channel.send(message)
        except MemoryError:  # a message that needs so much memory is over the limit as well
            channel.send({"too_long": True})
        received: Message | None = channel.receive()
        if received is None:
            # At once, because an ordinary exit would run the submission's exit handlers.
            _exit_now(0)
        return received

    bridge = Bridge(exchange, surroundings, files)
    bridge.begin()
    message = first
    while True:
        message = bridge.exchange(bridge.side.serve(message))
