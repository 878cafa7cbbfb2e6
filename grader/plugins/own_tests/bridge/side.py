"""One end of the bridge: sends and serves requests, and keeps shared state in step.

The sides take turns. After a message, a side waits for the next one, which is a reply or another
request. So nested calls make a stack of pending requests, and a reply belongs to the topmost one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final

from grader.plugins.own_tests.bridge.hosts import Encoded, Host, Message
from grader.plugins.own_tests.bridge.proxies import ObjectPlace, ProxyModule, ProxyType, set_place
from grader.plugins.own_tests.bridge.reading import MessageReader
from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import MADE_ELSEWHERE, Malformed, Unanswered, Uncrossable
from grader.plugins.own_tests.bridge.writing import Writer

_PATIENCE_S: Final = 2.0
"""The time that a thread waits for the lock before it checks for a deadlock."""
_MAX_WAITING: Final = 60
"""Pending requests at once; each needs some of the stack of both processes."""


class BridgeSide:
    """One end of the bridge."""

    def __init__(self, host: Host) -> None:
        """Serve `host`, which knows how to reach the other end."""
        self._host: Final = host
        self._lock: Final = RLock()  # requests nest: the other side may ask before it replies
        self._waiting = 0
        self._answering = 0
        self.tables = Tables()
        self.process = 0
        """The number of the other side's process; proxies of an earlier one are dead."""
        self._new_classes: list[Encoded] = []
        """Classes that the next message has to describe."""

    def restart(self, tables: Tables, process: int) -> None:
        """Continue with a new process on the other side, which knows the objects in `tables`."""
        self.tables, self.process = tables, process
        self._new_classes, self._waiting, self._answering = [], 0, 0

    # What is done to a proxy

    def ask(self, act: str, *about: Any) -> Any:
        """Return the result of an act on the other side; raises the exception that ended it."""
        __tracebackhide__ = True  # pytest leaves such frames out
        self._host.asking(act, about)
        try:
            with self._turn():
                return self._ask(act, about)
        except Malformed as error:
            self._host.broken(error)
        except Uncrossable as error:
            self._host.refused(error)
            raise

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until no other thread has a request pending; raises `Uncrossable` on a deadlock."""
        while not self._lock.acquire(timeout=_PATIENCE_S):
            if self._answering:
                raise Uncrossable(
                    "a thread of the tests cannot use the submission while that waits for what it"
                    " has called; let the function that it calls not wait for a thread"
                )
        try:
            yield
        finally:
            self._lock.release()

    def _ask(self, act: str, about: tuple[Any, ...]) -> Any:
        __tracebackhide__ = True
        message = self._message(lambda writer: {"ask": [act, *map(writer.write, about)]})
        if self._waiting >= _MAX_WAITING:
            raise RecursionError("the tests and the submission call each other too often in a row")
        self._waiting += 1
        try:
            reply = self._host.exchange(message)
            reader = self._take(reply)
            while "ask" in reply:
                reply = self._host.exchange(self.answer(reply, reader))
                reader = self._take(reply)
            return self._result(reply, reader)
        finally:
            self._waiting -= 1

    def _result(self, reply: Message, reader: MessageReader) -> Any:
        __tracebackhide__ = True
        if "value" in reply:
            return reader.read(reply["value"])
        if "raised" in reply:
            error = reader.read(reply["raised"])
            if isinstance(error, BaseException):
                self._host.throw(error, reply.get("lines"))
        if "refused" in reply:
            raise Unanswered(reply["refused"] if type(reply["refused"]) is str else "refused")
        raise Malformed("no answer")

    def adopt(self, cls: ProxyType, name: str, bases: tuple[type, ...], body: Any) -> None:
        """Have the other side make a class, and turn `cls` into its mirror."""
        namespace, keywords = body
        body_items = [
            (key, value)
            for key, value in namespace.items()
            if key not in MADE_ELSEWHERE or key in _SENT_NAMES
        ]
        key = self.ask("adopt", name, bases, tuple(body_items), tuple(keywords.items()))
        if type(key) is not int or key <= 0 or self.tables.remote(key) is not None:
            raise Malformed("a class that is none")
        self._register_proxy(cls, key)

    def import_module_as(self, name: str, proxy: ProxyModule, *, again: bool) -> None:
        """Import the module called `name` on the other side, and make `proxy` its proxy.

        With `again`, the module is run again even if it is loaded.
        """
        __tracebackhide__ = True
        key = self.ask("import", name, again)
        if type(key) is not int or key <= 0:
            raise Malformed("a module that is none")
        self._register_proxy(proxy, key)

    def _register_proxy(self, value: Any, key: int) -> None:
        set_place(value, ObjectPlace(self, key, self.process))
        self.tables.keep(key, value)

    # What the other side asks

    def answer(self, message: Message, reader: MessageReader) -> Message:
        """Return the reply to the request in `message`, with the `reader` of that message."""
        self._answering += 1
        try:
            return self._answer(message, reader)
        finally:
            self._answering -= 1

    def _answer(self, message: Message, reader: MessageReader) -> Message:
        try:
            value = self._performed(message["ask"], reader)
        # The connection ends: no reply is due.
        except Malformed:
            raise
        except Unanswered as error:  # of a nested request: an ordinary exception of this act
            return self._failed(error)
        except Uncrossable as refused:
            return self._refused(refused)
        except BaseException as error:  # noqa: BLE001 - it is raised on the other side
            return self._failed(error)
        try:
            return self._message(lambda writer: {"value": writer.write(value)})
        except Uncrossable as refused:
            return self._refused(refused)

    def _refused(self, refused: Uncrossable) -> Message:
        text = str(refused)
        try:
            return self._message(lambda _: {"refused": text})
        except Uncrossable:  # a shared container holds something that cannot be sent
            return {"refused": text}

    def _performed(self, request: Encoded, reader: MessageReader) -> Any:
        if type(request) is not list or not request or type(request[0]) is not str:
            raise Malformed("a question that is none")
        about = tuple(map(reader.read, request[1:]))
        act = self._host.act(request[0])
        self._host.permit(request[0], about)
        value = act(*about)
        return self.tables.key_for(value) if request[0] in _RETURNING_KEYS else value

    def _failed(self, error: BaseException) -> Message:
        lines = self._host.lines_of(error)
        try:
            return self._message(lambda writer: {"raised": writer.exception(error), "lines": lines})
        except Uncrossable as refused:
            return self._refused(refused)

    # Messages

    def _message(self, build: Callable[[Writer], Message]) -> Message:
        writer = Writer(self.tables, self._host, self._new_classes)
        message = build(writer)
        self._host.leave(message, writer.write)
        if containers := writer.containers():
            message["containers"] = containers
        if self._new_classes:
            message["classes"], self._new_classes = self._new_classes, []
        if gone := self.tables.take_released():
            message["gone"] = gone
        return message

    def _take(self, message: Message) -> MessageReader:
        """Apply the shared state in a message; return a reader for the rest of it."""
        reader = MessageReader(self.tables, self, self._host, self.process)
        if "classes" in message:
            reader.classes(message["classes"])
        if "containers" in message:
            reader.containers(message["containers"])
        self._host.enter(message, reader.read)
        if "gone" in message:
            self.tables.forget(_keys(message["gone"]))
        return reader

    def serve(self, message: Message) -> Message:
        """Return the reply to a request that is not nested in another one."""
        return self.answer(message, self._take(message))


_RETURNING_KEYS: Final = frozenset({"adopt", "import"})
"""Acts whose result is sent as a key, as the requesting side makes its own proxy."""
_SENT_NAMES: Final = frozenset({"__module__", "__qualname__", "__new__", "__getattr__"})


def _keys(encoded: Encoded) -> list[int]:
    if type(encoded) is not list or not all(type(key) is int for key in encoded):
        raise Malformed("keys that are none")
    keys: list[int] = encoded
    return keys
