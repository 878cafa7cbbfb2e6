"""What the rules of a suite demand of a submission besides right answers.

A *rule* demands something of the structure of a submission: that a function is recursive, that a
construct is not used, that a function takes constant time. Everything here is validated;
`grader.loading` makes it from YAML, one rule per function where an entry names several.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final, TypeAlias

SIZE_NAME: Final = "n"
"""The name by which the steps of a probe know its size."""


@unique
class Growth(StrEnum):
    """How something may grow, or has to grow, with a size."""

    CONSTANT = "constant"
    LOGARITHMIC = "logarithmic"
    LINEAR = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeStep:
    """One line of a probe."""

    code: str
    is_expression: bool
    binds: tuple[str, ...] = ()
    """Names that it assigns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A session that shows how a submission works inside, for several sizes.

    Each size has a session of its own, in which `n` is that size.
    """

    sizes: tuple[int, ...]
    """Ascending; one at least."""
    setup: tuple[ProbeStep, ...]
    call: ProbeStep
    """The expression that is looked into."""
    observe: tuple[ProbeStep, ...] = ()
    """Expressions that show what the call has changed."""
    also: tuple[ProbeStep, ...] = ()
    """Further calls, of which only the answers are looked at."""
    modules: tuple[str, ...] = ()
    """Of several modules those that the steps read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recursion:
    """A function must be recursive, or must not be."""

    function: str
    """As in `defines` of the suite: `Board.free_all_cells`, or a plain name."""
    required: bool
    probe: Probe
    strict: bool = True
    """Whether one that is not recursive breaks the rule; else a person decides about it."""
    helper: bool = True
    """Whether a function of the submission's own may carry the recursion."""
    loop: bool = False
    """Whether a loop next to the recursion may go through the whole input."""
    depth: Growth = Growth.LOGARITHMIC
    """How the depth must grow with the size, at least; CONSTANT asks nothing."""
    calls: Growth = Growth.CONSTANT
    """How the number of recursive calls must grow with the size, at least."""
    unit: str | None = None
    """What the size counts, in the language of the suite: `posities`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """Constructs that must not be used: in one function, or anywhere."""

    constructs: tuple[str, ...]
    """Names of constructs, see `grader.constructs`."""
    function: str | None = None
    """None for all code of the submission."""
    initialising: bool = False
    """Whether a comprehension may initialise a data structure all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imports:
    """Modules that may be imported, as the source says; a rule about reading, not a wall."""

    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a heading."""

    name: str
    has_default: bool


@unique
class Extra(StrEnum):
    """Which parameters may be added behind those of a heading."""

    NONE = "none"
    DEFAULTS = "defaults"
    """Those that have a default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A function must keep its heading: the names and the order of its parameters."""

    function: str
    parameters: tuple[Parameter, ...]
    extra: Extra


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What the call of the probe returns must not take more memory for a larger size."""

    function: str
    probe: Probe


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """The call of the probe must not take longer for a larger size than this."""

    function: str
    probe: Probe
    growth: Growth
    counted: tuple[str, ...] = ()
    """Names from the set-up whose integers are replaced by ones that count comparisons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encapsulation:
    """Only some functions of a module may know how its data is represented."""

    module: str
    """The module whose data it is; of a single module its name."""
    made_by: tuple[str, ...]
    """Functions that return such data: `Board.make_board`."""
    known_to: tuple[str, ...]
    """Functions that may know the representation, those that make it included."""
    parameter: int
    """Which argument of the other functions is the data, from 0 on."""
    probe: Probe
    """Its set-up and observations call all functions that are to be looked into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonVersion:
    """The submission must be possible in this version of Python, as far as its syntax tells."""

    major: int
    minor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Docstrings:
    """Functions must have a docstring."""

    functions: tuple[str, ...]
    """None at all for every function of the submission."""


Demand: TypeAlias = (
    Recursion
    | Forbidden
    | Imports
    | Signature
    | Memory
    | Time
    | Encapsulation
    | PythonVersion
    | Docstrings
)


def function_of(demand: Demand) -> str | None:
    """Return the one function that `demand` is about, None if it is about more."""
    match demand:
        case Recursion() | Forbidden() | Signature() | Memory() | Time():
            return demand.function
        case _:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A demand, and what it costs to go against it; without costs it is a remark."""

    id: str
    """Unique in the suite: `recursion/Board.free_all_cells`."""
    demand: Demand
    points: float | None = None
    """Points that are lost, of the group if there is one, else of the score."""
    cap: float | None = None
    """The most that the group keeps."""
    group: str | None = None
    """The group that pays."""
    line: int | None = None
    """Line of the spec that asks for it, 1-based."""

    @property
    def costs(self) -> bool:
        """Whether breaking it can cost anything."""
        return self.points is not None or self.cap is not None
