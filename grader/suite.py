"""A suite in memory: what a submission is asked, and what is expected of it.

Everything here is validated and parsed; `grader.loading` makes it from YAML. A *session* is a list
of *steps*; a step with an expectation belongs to a *case*, the smallest thing that earns a
verdict; cases are scored together in *groups*, and the points belong to the group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import TypeAlias

from grader.demands import Rule
from grader.grids import Board
from grader.limits import Limits
from grader.values import Value
from grader.verdict import Visibility


@dataclass(frozen=True, slots=True)
class Returns:
    """The step must return this value; `text` is how the suite writes it."""

    value: Value
    text: str
    as_lists: bool = False
    """Whether arrays and lists of rows with the same content do for each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiles:
    """The step must return a board that L-triominoes cover, all but the cell of the hole.

    A cell of the board holds the number of its piece, and the hole holds -1.
    """

    rows: int
    columns: int
    hole: tuple[int, int]
    """Row and column, from 1 on."""


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


Expectation: TypeAlias = Returns | Tiles | Prints | Raises | SameAs | Completes


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
    modules: tuple[str, ...] = ()
    """Modules that are imported before the first step, each bound to its name; none where the
    exercise has a single module, whose own names are bound."""
    stand_ins: tuple[str, ...] = ()
    """Modules that give way to ours when a case that did not pass is tried once more."""
    pool: str | None = None
    """The pool that it is in: of the sessions in a pool each student gets one. They have the same
    cases, by their ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cases scored together, usually one function or method and one kind of outcome."""

    id: str
    title: str
    points: float


@unique
class Feedback(StrEnum):
    """How much a student is told about a hidden case that did not pass."""

    VERDICT = "verdict"
    """The verdict, and nothing else."""
    CLAUSE = "clause"
    """The clause of the spec that it is about as well."""
    COUNTEREXAMPLE = "counterexample"
    """A session that shows the same mistake as well, and that is in no suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """What generated sessions were made from."""

    version: int
    """Version of the generator."""
    seed: str
    drawn: int
    """How many sessions were drawn from the seed, to choose from."""
    reference: str
    """Hash of the reference that said what to expect; see `grader.references`."""
    content: str
    """Hash of the sessions and siblings as they were made; see `grader.generating.freezing`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalent:
    """A mutant of the reference that no session can tell from it."""

    mutant: str
    """Eight hexadecimal digits, which change with the code that is mutated."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One exercise's suite."""

    exercise: str
    title: str
    language: str
    spec: str | None
    """Where the spec is, as the suite names it."""
    module: str | tuple[str, ...]
    """What students hand in: the name of a single module, `yinyang` for `yinyang.py`, or the names
    of several, in the order in which they build on each other."""
    defines: tuple[str, ...]
    """Names that a submission has to define; of several modules, `Board.fill_cell`."""
    imports: tuple[str, ...]
    """Modules that a submission may import, besides its own."""
    limits: Limits
    files: Mapping[str, str]
    """Text files that a submission can open, by name."""
    groups: tuple[Group, ...]
    sessions: tuple[Session, ...]
    sha256: str
    """Hash of the bytes that the suite was loaded from, its given code and stand-ins included."""
    given: Mapping[str, str] = field(default_factory=dict)
    """Source code that every submission can import, by the name of the module."""
    helpers: tuple[str, ...] = ()
    """Names that a submission may define; groups that need a missing one do not count for it."""
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """Source code of ours that can take the place of a module, by the name of the module."""
    rules: tuple[Rule, ...] = ()
    advice: bool = False
    """Whether students get advice on how readable their code is."""
    spec_url: str | None = None
    """Where the spec can be read; `{line}` in it stands for the number of a line."""
    board: Board | None = None
    """How the boards of the exercise look; None where it has none."""
    hidden_share: float | None = None
    """The part of the points of a group that its cases that are not public earn together, where it
    has public ones too; None without a hidden suite: there all cases weigh the same."""
    feedback: Feedback = Feedback.VERDICT
    generated: Generated | None = None
    equivalent: tuple[Equivalent, ...] = ()
    siblings: tuple[Session, ...] = ()
    """Small public sessions, shortest first, that count for nothing and are in no other one: a
    student who fails hidden cases of a group sees the first that fails with her as well."""
    seed: str = ""
    """From this, a secret of the course, it is drawn which sessions of its pools a student gets."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that students hand in, when there are several; none for a single one."""
        return () if isinstance(self.module, str) else self.module

    @property
    def max_score(self) -> float:
        """Points to be had for a submission that passes every case."""
        return sum(group.points for group in self.groups)
