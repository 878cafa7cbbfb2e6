"""What the author of a suite expects of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from grader.values.tree import Value


@dataclass(frozen=True, slots=True)
class Returns:
    """The step must return this value; `text` is how the suite writes it."""

    value: Value
    text: str
    as_lists: bool = False
    """Whether arrays and lists of rows with the same content do for each other."""


@dataclass(frozen=True, slots=True)
class Accepts:
    """The step must return an answer that code of the author's accepts: any right one will do.

    `code` is an expression in which `answer` stands for what was returned; it calls a checker.
    """

    code: str


@dataclass(frozen=True, slots=True)
class Prints:
    """The step must print this text; trailing blanks and final newlines do not count."""

    text: str


@dataclass(frozen=True, slots=True)
class Raises:
    """The step must raise this type of exception, with this message if there is one."""

    type_name: str
    message: str | None


@dataclass(frozen=True, slots=True)
class SameAs:
    """The step must return the very object that `name` is bound to."""

    name: str


@dataclass(frozen=True, slots=True)
class Completes:
    """The step, a statement, must not raise anything."""


Expectation: TypeAlias = Returns | Accepts | Prints | Raises | SameAs | Completes
