"""What differs between the two ends of the bridge: what each does for the other, and permits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from grader.plugins.own_tests.bridge.proxies import ObjectPlace
from grader.plugins.own_tests.bridge.wire import Malformed, Uncrossable

Message: TypeAlias = dict[str, Any]
Told: TypeAlias = Any
"""What stands for a value in a message: what JSON has, but for floats."""


class Host:
    """Whom one end of the bridge serves.

    By itself it permits everything and tells nothing of its own accord, as suits a submission.
    """

    untold: frozenset[str] = frozenset()
    """Names in its classes that the other side has no use for."""

    def exchange(self, message: Message) -> Message:
        """Send `message`, wait for the next one, and return it."""
        raise NotImplementedError

    def act(self, name: str) -> Callable[..., Any]:
        """Return what carries out an act for the other side; raises `Malformed`."""
        raise NotImplementedError

    def permit(self, name: str, about: tuple[Any, ...]) -> None:
        """Raise what the other side is to be told where it may not have that done."""

    def asking(self, act: str, about: tuple[Any, ...]) -> None:
        """Take note of what this side is about to ask of the other one."""

    def life_of(self, place: ObjectPlace) -> bool:
        """Return whether what is at `place` is of the other side as it is now."""
        return True

    def own(self, value: Any, write: Callable[[Any], Told]) -> Told | None:
        """Return how an object of this side travels; None for one that stays here.

        Raises `Uncrossable` for what the other side may not even know of.
        """
        return None

    def arguments_of(self, error: BaseException) -> tuple[Any, ...]:
        """Return those of the arguments of an exception that the other side may know."""
        return tuple(error.args)

    def named(self, module: str, name: str) -> Any:
        """Return what is called so in the standard library; raises `Malformed`."""
        raise Malformed("a name that is not told")

    def module(self, name: str) -> Any:
        """Return a module of the submission; raises `Malformed`."""
        raise Malformed("a module that there is not")

    def method(self, value: Any, name: str) -> Any:
        """Return a method of a value that both sides have; raises `Malformed`."""
        raise Malformed("a method of a value")

    def patience(self) -> float:
        """Return how much computing has been done here, in seconds, where that has bounds."""
        return 0.0

    def lines_of(self, error: BaseException) -> list[Told]:
        """Return the lines of code that an exception went through, for the other side."""
        return []

    def throw(self, error: BaseException, lines: Told) -> NoReturn:
        """Raise what the other side has raised, which went through these lines there."""
        raise error

    def broken(self, error: Malformed) -> NoReturn:
        """End it all: the other side has sent what no side sends."""
        raise error

    def refused(self, error: Uncrossable) -> None:
        """Take note that a question, or the answer to it, could not be told.

        What the other side may not ask is raised there, and nobody else's business.
        """

    def leave(self, message: Message, write: Callable[[Any], Told]) -> None:
        """Add to `message` what else the other side is to know."""

    def enter(self, message: Message, read: Callable[[Told], Any]) -> None:
        """Take in what else is in `message`."""
