"""The interface between the bridge and the owner of one end: what that end does and permits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from grader.plugins.own_tests.bridge.proxies import ObjectPlace
from grader.plugins.own_tests.bridge.wire import Malformed, Uncrossable

Message: TypeAlias = dict[str, Any]
Encoded: TypeAlias = Any
"""An encoded value in a message: JSON without floats."""


class Host:
    """The owner of one end of the bridge.

    By default it permits everything and adds nothing to messages, as suits a submission.
    """

    hidden_names: frozenset[str] = frozenset()
    """Names that are left out of descriptions of its classes."""

    def exchange(self, message: Message) -> Message:
        """Send `message`, wait for the next one, and return it."""
        raise NotImplementedError

    def act(self, name: str) -> Callable[..., Any]:
        """Return the function that carries out an act for the other side; raises `Malformed`."""
        raise NotImplementedError

    def permit(self, name: str, about: tuple[Any, ...]) -> None:
        """Raise an error, which the other side gets, if this request is not permitted."""

    def asking(self, act: str, about: tuple[Any, ...]) -> None:
        """Note a request before this side sends it."""

    def is_current(self, place: ObjectPlace) -> bool:
        """Return whether `place` belongs to the other side's current process."""
        return True

    def own(self, value: Any, write: Callable[[Any], Encoded]) -> Encoded | None:
        """Return the encoding of an object of this side; None for one that stays here.

        Raises `Uncrossable` for an object that the other side may not know of.
        """
        return None

    def arguments_of(self, error: BaseException) -> tuple[Any, ...]:
        """Return the arguments of an exception that the other side may know."""
        return tuple(error.args)

    def named(self, module: str, name: str) -> Any:
        """Return the object of that name in the standard library; raises `Malformed`."""
        raise Malformed("a name that is not told")

    def module(self, name: str) -> Any:
        """Return a module of the submission; raises `Malformed`."""
        raise Malformed("a module that there is not")

    def method(self, value: Any, name: str) -> Any:
        """Return a method of a value that both sides have; raises `Malformed`."""
        raise Malformed("a method of a value")

    def patience(self) -> float:
        """Return the CPU seconds used here, if there is a limit on them."""
        return 0.0

    def lines_of(self, error: BaseException) -> list[Encoded]:
        """Return the frames of an exception's traceback that the other side is to see."""
        return []

    def throw(self, error: BaseException, lines: Encoded) -> NoReturn:
        """Raise an exception of the other side, with the `lines` that it went through there."""
        raise error

    def broken(self, error: Malformed) -> NoReturn:
        """End the connection: the other side has sent an invalid message."""
        raise error

    def refused(self, error: Uncrossable) -> None:
        """Note that a request or its reply could not be sent.

        A request that is not permitted only raises an error on the other side.
        """

    def leave(self, message: Message, write: Callable[[Any], Encoded]) -> None:
        """Add the host's own data to a `message` that is sent."""

    def enter(self, message: Message, read: Callable[[Encoded], Any]) -> None:
        """Apply the host's data in a `message` that came in."""
