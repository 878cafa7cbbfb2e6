"""The sessions of a suite, which are steps that run in order, and their YAML keys."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from grader.suite.fields import (
    Form,
    Heading,
    Id,
    Items,
    Observer,
    PartName,
    key,
    one_of_words,
    optional,
)
from grader.suite.steps import Case, Step, WrittenStep, id_as_title
from grader.verdict import Visibility

Binds: TypeAlias = Literal["names", "modules"]
"""What steps find bound when a session starts: the names that its single module defines, as after
`from yinyang import *`, or its modules themselves."""


class SessionHead(Form):
    """The keys that all sessions have, whoever can see them."""

    id: Id = key("Unique name of the session.", "voorbeeld")
    title: Heading = key(
        "Title in reports. Default: its id.",
        "Voorbeeldsessie",
        default_from=id_as_title,
    )
    uses: Items[PartName] | None = optional(
        "The modules to import before the first step, in this order. Default: all.",
        ["Board", "Game"],
        min_length=1,
    )
    stand_ins: Items[PartName] = key(
        "Modules to replace by the suite's stand_ins when a failed case of this session is "
        "tried again.",
        ["Position", "Board"],
        default_factory=tuple,
    )
    observers: Items[Observer] = key(
        "Expressions that every refused step (with raises) must leave unchanged.",
        ["str(puzzel)"],
        default_factory=tuple,
    )


class WrittenSession(SessionHead, title="session"):
    """Steps that run in order, after a fresh import."""

    form_name = "a session"

    visibility: Annotated[Visibility, one_of_words(Visibility)] = key(
        "Who sees its cases: public (students see all), hidden (students see a count), staff "
        "(students see nothing).",
        "public",
        default=Visibility.PUBLIC,
    )
    steps: Items[WrittenStep] = key(
        "The steps, in order.",
        [{"do": "puzzel = YinYang(6, [], [])", "group": "YinYang"}],
        min_length=1,
    )


class Session(SessionHead):
    """Steps that share one executor, and their cases, in order.

    Sessions compare by identity, so that caches can use them as keys.
    """

    visibility: Visibility
    steps: tuple[Step, ...]
    cases: tuple[Case, ...]
    modules: tuple[str, ...]
    """The modules imported before the first step; the suite's `binds` sets which names this
    import binds."""
    looks: tuple[str, ...] = ()
    """In a non-public session, all observers in the same list of sessions that can be evaluated in
    this one. All its steps get the same looks, so that a look does not reveal the expectation."""
    parts: tuple[Session, ...] = ()
    """The sessions that were joined into this one, each of which can also run by itself."""

    @property
    def runs_programs(self) -> bool:
        """Whether the session runs modules as programs, and so imports none before its steps."""
        return any(step.run is not None for step in self.steps)

    __eq__ = object.__eq__
    __hash__ = object.__hash__
