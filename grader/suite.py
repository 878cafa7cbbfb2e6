"""A suite in memory: what a submission is asked, and what is expected of it.

Everything here is validated and parsed; `grader.loading` makes it from YAML. A *session* is a list
of *steps*; a step with an expectation belongs to a *case*, the smallest thing that earns a
verdict; cases are scored together in *groups*, and the points belong to the group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from grader.limits import Limits
from grader.values import Value
from grader.verdict import Visibility


@dataclass(frozen=True, slots=True)
class Returns:
    """The step must return this value; `text` is how the suite writes it."""

    value: Value
    text: str


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


Expectation: TypeAlias = Returns | Prints | Raises | SameAs | Completes


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One line of a session."""

    code: str
    is_expression: bool
    binds: tuple[str, ...]
    """Names that the step assigns."""
    uses: frozenset[str]
    """Names that the step reads, among those that its session binds."""
    acts: bool
    """Whether the step is needed to bring later steps into their state."""
    expectation: Expectation | None = None
    observers: tuple[str, ...] = ()
    """Expressions that must give the same before and after this step."""
    note: str | None = None
    line: int | None = None
    """Line of the spec that this step comes from, 1-based."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The step of a session that earns a verdict, and the group that it counts for."""

    id: str
    """Unique in the suite: `<group>/<case>`."""
    group: str
    step_index: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Session:
    """Steps that share one executor, and the cases among them in order.

    Each session is itself only: what is worked out about it once is kept by identity.
    """

    id: str
    title: str
    visibility: Visibility
    steps: tuple[Step, ...]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cases scored together, usually one function or method and one kind of outcome."""

    id: str
    title: str
    points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One exercise's suite."""

    exercise: str
    title: str
    language: str
    spec: str | None
    """Where the spec is, as the suite names it."""
    module: str
    """Name of the module that students hand in; `yinyang` for `yinyang.py`."""
    defines: tuple[str, ...]
    """Names that a submission has to define."""
    imports: tuple[str, ...]
    """Modules that a submission may import, besides its own."""
    limits: Limits
    files: Mapping[str, str]
    """Text files that a submission can open, by name."""
    groups: tuple[Group, ...]
    sessions: tuple[Session, ...]
    sha256: str
    """Hash of the bytes that the suite was loaded from."""

    @property
    def max_score(self) -> float:
        """Points to be had for a submission that passes every case."""
        return sum(group.points for group in self.groups)
