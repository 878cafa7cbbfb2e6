"""The interface between the bridge and the host of one end: what the host does and permits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from grader.plugins.own_tests.bridge.proxies import RemoteReference
from grader.plugins.own_tests.bridge.wire import Malformed, Uncrossable

Message: TypeAlias = dict[str, Any]
Encoded: TypeAlias = Any
"""An encoded value in a message: JSON without floats."""


class Host:
    """The host of one end of the bridge.

    By default, it permits every request and adds nothing to messages, which is right at a
    submission's end.
    """

    hidden_names: frozenset[str] = frozenset()
    """Names that are left out when this side describes its classes."""

    def exchange(self, message: Message) -> Message:
        """Send `message`, wait for the next message, and return that one."""
        raise NotImplementedError

    def operation(self, name: str) -> Callable[..., Any]:
        """Return the function that carries out an operation.

        Raises `Malformed` if there is no such operation.
        """
        raise NotImplementedError

    def check_permitted(self, name: str, operands: tuple[Any, ...]) -> None:
        """Raise an error for the other side if this request is not allowed."""

    def before_request(self, operation: str, operands: tuple[Any, ...]) -> None:
        """Prepare for a request that this side is about to send."""

    def is_current(self, reference: RemoteReference) -> bool:
        """Return whether `reference` belongs to the other side's current process."""
        return True

    def encode_own(self, value: Any, write: Callable[[Any], Encoded]) -> Encoded | None:
        """Return the encoding of an object of this side, or None to send it as a proxy.

        `write` encodes the values inside the object.
        Raises `Uncrossable` if the other side must not get the object.
        """
        return None

    def visible_arguments(self, error: BaseException) -> tuple[Any, ...]:
        """Return those arguments of an exception that the other side is allowed to see."""
        return tuple(error.args)

    def standard_object(self, module: str, name: str) -> Any:
        """Return the object called `name` in a standard library module.

        Raises `Malformed` if the other side must not request it, `Uncrossable` if there is none.
        """
        raise Malformed("objects cannot be requested by name here")

    def module(self, name: str) -> Any:
        """Return a module of the submission; raises `Malformed` if there is none called `name`."""
        raise Malformed("modules cannot be requested here")

    def method(self, value: Any, name: str) -> Any:
        """Return a method of a value that both sides have.

        Raises `Malformed` if the other side must not request it.
        """
        raise Malformed("methods cannot be requested here")

    def used_cpu_s(self) -> float:
        """Return the CPU seconds that this side has used, or 0 if they are not limited."""
        return 0.0

    def visible_frames(self, error: BaseException) -> list[Encoded]:
        """Return the frames of the exception's traceback that the other side is allowed to see."""
        return []

    def raise_remote(self, error: BaseException, lines: Encoded) -> NoReturn:
        """Raise an exception that came from the other side.

        `lines` are the frames of its traceback on that side.
        """
        raise error

    def end_connection(self, error: Malformed) -> NoReturn:
        """End the connection, as the other side has sent an invalid message."""
        raise error

    def record_refusal(self, error: Uncrossable) -> None:
        """Record that a request or its reply could not be sent.

        This is not called if a request is not permitted: such a request only raises an error on
        the other side.
        """

    def add_to_message(self, message: Message, write: Callable[[Any], Encoded]) -> None:
        """Add the host's own data to an outgoing `message`."""

    def apply_message(self, message: Message, read: Callable[[Encoded], Any]) -> None:
        """Apply the host's data in an incoming `message`."""
