"""One end of the bridge: sends and serves requests, and keeps shared state in step.

The sides take turns. After sending a message, a side waits for the next one, which is a reply or
another request. So nested calls form a stack of pending requests, and a reply belongs to the
topmost one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final

from grader.plugins.own_tests.bridge.hosts import Encoded, Host, Message
from grader.plugins.own_tests.bridge.proxies import (
    ProxyModule,
    ProxyType,
    RemoteReference,
    set_reference,
)
from grader.plugins.own_tests.bridge.reading import MessageReader
from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import NOT_MIRRORED, Malformed, Unanswered, Uncrossable
from grader.plugins.own_tests.bridge.writing import Writer

_LOCK_TIMEOUT_S: Final = 2.0
"""How long a thread waits for the lock before it checks for a deadlock."""
_MAX_PENDING: Final = 60
"""The limit on requests pending at once; each uses some stack in both processes."""


class BridgeSide:
    """One end of the bridge."""

    def __init__(self, host: Host) -> None:
        """Serve `host`, which sends and receives the messages."""
        self._host: Final = host
        # Re-entrant, as the other side can send requests before it replies.
        self._lock: Final = RLock()
        self._pending_requests = 0
        self._answers_in_progress = 0
        self.tables = Tables()
        self.process = 0
        """The number of the other side's process; proxies from an earlier process are dead."""
        self._new_classes: list[Encoded] = []
        """Classes that the next message has to describe."""

    def restart(self, tables: Tables, process: int) -> None:
        """Continue with a new process of the other side, which has the objects in `tables`."""
        self.tables, self.process = tables, process
        self._new_classes, self._pending_requests, self._answers_in_progress = [], 0, 0

    # Requests of this side

    def request(self, operation: str, *operands: Any) -> Any:
        """Return the result of an operation on the other side, or raise its exception.

        Raises `Uncrossable` if the operands or the result cannot be sent. If the other side has
        sent an invalid message, the host ends the connection.
        """
        __tracebackhide__ = True  # pytest leaves out frames that set this
        self._host.before_request(operation, operands)
        try:
            with self._exclusive_access():
                return self._send_request(operation, operands)
        except Malformed as error:
            self._host.end_connection(error)
        except Uncrossable as error:
            self._host.record_refusal(error)
            raise

    @contextmanager
    def _exclusive_access(self) -> Iterator[None]:
        """Hold the lock, so that one thread at a time sends requests.

        Raises `Uncrossable` if another thread has the lock while this side serves a request.
        Waiting for the lock would then be a deadlock.
        """
        while not self._lock.acquire(timeout=_LOCK_TIMEOUT_S):
            if self._answers_in_progress:
                raise Uncrossable(
                    "a thread of the tests cannot use the submission while the submission waits for"
                    " a function of the tests; do not let that function wait for the thread"
                )
        try:
            yield
        finally:
            self._lock.release()

    def _send_request(self, operation: str, operands: tuple[Any, ...]) -> Any:
        """Send a request, serve the requests nested in it, and return the result.

        Raises the exception of the operation, or `RecursionError` if too many requests are pending.
        """
        __tracebackhide__ = True
        message = self._build_message(
            lambda writer: {"ask": [operation, *map(writer.write, operands)]}
        )
        if self._pending_requests >= _MAX_PENDING:
            raise RecursionError(
                f"more than {_MAX_PENDING} calls between the tests and the submission are nested in"
                " each other"
            )
        self._pending_requests += 1
        try:
            reply = self._host.exchange(message)
            reader = self._apply(reply)
            while "ask" in reply:
                reply = self._host.exchange(self.answer(reply, reader))
                reader = self._apply(reply)
            return self._result(reply, reader)
        finally:
            self._pending_requests -= 1

    def _result(self, reply: Message, reader: MessageReader) -> Any:
        """Return the value in a reply, or raise the exception in it.

        Raises `Unanswered` if the other side refused the request, and `Malformed` if the reply has
        no result.
        """
        __tracebackhide__ = True
        if "value" in reply:
            return reader.read(reply["value"])
        if "raised" in reply:
            error = reader.read(reply["raised"])
            if isinstance(error, BaseException):
                self._host.raise_remote(error, reply.get("lines"))
        if "refused" in reply:
            raise Unanswered(reply["refused"] if type(reply["refused"]) is str else "refused")
        raise Malformed("a reply contains no result")

    def adopt(self, cls: ProxyType, name: str, bases: tuple[type, ...], body: Any) -> None:
        """Have the other side create a class, and turn `cls` into the mirror of that class.

        If the reply is not a new key, the host ends the connection.
        """
        namespace, keywords = body
        body_items = [
            (attribute, value)
            for attribute, value in namespace.items()
            if attribute not in NOT_MIRRORED or attribute in _SENT_NAMES
        ]
        key = self.request("adopt", name, bases, tuple(body_items), tuple(keywords.items()))
        if type(key) is not int or key <= 0 or self.tables.remote(key) is not None:
            self._host.end_connection(Malformed("a new class has an invalid key"))
        self._register_proxy(cls, key)

    def import_module_as(self, name: str, proxy: ProxyModule, *, is_reload: bool) -> None:
        """Import the module called `name` on the other side, and make `proxy` its proxy.

        With `is_reload`, the module is executed again even if it is loaded. If the reply is not
        a key, the host ends the connection.
        """
        __tracebackhide__ = True
        key = self.request("import", name, is_reload)
        if type(key) is not int or key <= 0:
            self._host.end_connection(Malformed("an imported module has an invalid key"))
        self._register_proxy(proxy, key)

    def _register_proxy(self, value: Any, key: int) -> None:
        """Make `value` the proxy of the other side's class or module that has this `key`."""
        set_reference(value, RemoteReference(self, key, self.process))
        self.tables.keep(key, value)

    # Requests of the other side

    def answer(self, message: Message, reader: MessageReader) -> Message:
        """Return the reply to the request in `message`, whose values `reader` decodes."""
        self._answers_in_progress += 1
        try:
            return self._answer(message, reader)
        finally:
            self._answers_in_progress -= 1

    def _answer(self, message: Message, reader: MessageReader) -> Message:
        """Return a reply with the result of a request, its exception, or the reason for a refusal.

        Raises `Malformed` if the request is invalid.
        """
        try:
            value = self._perform(message["ask"], reader)
        # The connection ends, so no reply is sent.
        except Malformed:
            raise
        except Unanswered as error:  # from a nested request, so it is an exception of the operation
            return self._failure(error)
        except Uncrossable as refused:
            return self._refusal(str(refused))
        except BaseException as error:  # noqa: BLE001 - the other side raises it again
            return self._failure(error)
        return self._build_reply(lambda writer: {"value": writer.write(value)})

    def _build_reply(self, build: Callable[[Writer], Message]) -> Message:
        """Return the reply that `build` makes, or a refusal if it cannot be sent."""
        try:
            return self._build_message(build)
        except Uncrossable as refused:
            text = str(refused)
        except (MemoryError, RecursionError):
            text = "the result is too large, or nested too deeply, to be sent; use a smaller one"
        # After the `except` block, as the exception keeps the memory of the failed message in use.
        return self._refusal(text)

    def _refusal(self, text: str) -> Message:
        """Return a reply that says why a request was refused, or why its result cannot be sent."""
        try:
            return self._build_message(lambda _: {"refused": text})
        # A shared container has content that cannot be sent.
        except (Uncrossable, MemoryError, RecursionError):
            return {"refused": text}

    def _perform(self, request: Encoded, reader: MessageReader) -> Any:
        """Carry out the operation that is requested, and return its result.

        Raises `Malformed` if the request is invalid. Raises whatever the host raises if the
        operation is not permitted, and whatever the operation itself raises.
        """
        if type(request) is not list or not request or type(request[0]) is not str:
            raise Malformed("expected an operation and its operands")
        operands = tuple(map(reader.read, request[1:]))
        operation = self._host.operation(request[0])
        self._host.check_permitted(request[0], operands)
        value = operation(*operands)
        return self.tables.add_permanent(value) if request[0] in _RETURNING_KEYS else value

    def _failure(self, error: BaseException) -> Message:
        """Return a reply with the exception of an operation, or a refusal if it cannot be sent."""
        lines = self._host.visible_frames(error)
        return self._build_reply(lambda writer: {"raised": writer.exception(error), "lines": lines})

    # Messages

    def _build_message(self, build: Callable[[Writer], Message]) -> Message:
        """Return the message that `build` makes, with all shared state that has changed.

        The message includes the new classes, the changed containers and the released keys, which
        are then no longer pending. Raises `Uncrossable` if a value cannot be sent.
        """
        # In this order, as values can add containers, and containers can add classes.
        writer = Writer(self.tables, self._host, self._new_classes)
        try:
            message = build(writer)
            self._host.add_to_message(message, writer.write)
            if containers := writer.containers():
                message["containers"] = containers
        except BaseException:
            # Otherwise the next message would include containers that only the failed one needs.
            self.tables.shared.forget_unsent()
            raise
        if self._new_classes:
            message["classes"], self._new_classes = self._new_classes, []
        if released_keys := self.tables.take_released():
            message["gone"] = released_keys
        return message

    def _apply(self, message: Message) -> MessageReader:
        """Apply the shared state in a message, and return a reader for its values.

        Raises `Malformed` if the message is invalid.
        """
        # In this order, as containers can refer to classes, and the host's data to both.
        reader = MessageReader(self.tables, self, self._host, self.process)
        if "classes" in message:
            reader.classes(message["classes"])
        if "containers" in message:
            reader.containers(message["containers"])
        self._host.apply_message(message, reader.read)
        if "gone" in message:
            self.tables.forget(_read_keys(message["gone"]))
        return reader

    def serve(self, message: Message) -> Message:
        """Return the reply to a request that is not nested in another one."""
        return self.answer(message, self._apply(message))


_RETURNING_KEYS: Final = frozenset({"adopt", "import"})
"""Operations whose result is sent as a key, as the requesting side creates its own proxy."""
_SENT_NAMES: Final = frozenset({"__module__", "__qualname__", "__new__", "__getattr__"})
"""Names that are sent with a class although mirrors do not copy them."""


def _read_keys(encoded: Encoded) -> list[int]:
    """Return the keys in a message; raises `Malformed` if they are not a list of integers."""
    if type(encoded) is not list or not all(type(key) is int for key in encoded):
        raise Malformed("expected a list of integer keys")
    keys: list[int] = encoded
    return keys
