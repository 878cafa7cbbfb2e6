"""What happened in a step, as facts that are validated when they are decoded.

An executor reports one observation per step of its session. Whether the facts are consistent is not
checked: by lying about the number of an object or the file of a frame, a submission gains no more
than by creating such an object, or by raising an exception in that file. Types and sizes are
checked, because the judge relies on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from grader.errors import ProtocolError
from grader.protocol import (
    MAX_FRAMES,
    MAX_MESSAGE_CHARS,
    MAX_NAME_CHARS,
    MAX_RECORDED_READS,
    MAX_STDOUT_CHARS,
    MAX_STOPS,
    NOT_ALLOWED,
    SMALL_INT_BITS,
    USUAL_CAPS,
    ValueLimits,
)
from grader.suite.vocabulary import KNOWN_PACKAGES
from grader.values.decoding import decode
from grader.values.tree import Value
from grader.verdict import Verdict

_MAX_TYPES: Final = 20
_MAX_NAMES: Final = 500
_COUNTS: Final = range(1 << SMALL_INT_BITS)
_C_INTEGERS: Final = range(-(1 << 31), 1 << 31)
"""The range of line numbers in CPython, which allows code to be compiled with negative ones."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One call in the submission that was active when an exception was raised."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class CodePlace:
    """A range of source text in a module."""

    module: str
    line: int
    column: int
    end_line: int
    end_column: int
    """The column after the last character."""

    def lies_within(self, other: CodePlace) -> bool:
        """Return whether this place lies entirely in `other`."""
        return self.module == other.module and (
            (other.line, other.column) <= (self.line, self.column)
            and (self.end_line, self.end_column) <= (other.end_line, other.end_column)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """The step ended normally; `identity` is the number of the object that it returned, if any."""

    value: Value
    identity: int | None
    bound: tuple[tuple[str, int | None], ...] = ()
    """The names that the step assigned, each with the number of its object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """The step ended with an exception."""

    type_names: tuple[str, ...]
    """The names of the exception's class and its bases, most specific first."""
    message: str
    frames: tuple[Frame, ...] = ()
    """The innermost calls in the submission, outermost first."""
    depth: int = 0
    """How many calls in the submission were active, including those not in `frames`."""

    @property
    def module(self) -> str:
        """The module that is not allowed, if the message is the executor's refusal of an import."""
        prefix, suffix = NOT_ALLOWED.split("{}")
        return self.message.removeprefix(prefix).removesuffix(suffix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Died:
    """The executor did not survive the step; `evidence` is for staff."""

    verdict: Verdict
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What happened in one step."""

    outcome: Returned | Raised | Died
    stdout: str = ""
    overflowed: bool = False
    """Whether the step printed more than its limit."""
    own_stdout: str | None = None
    """What the code of the step itself printed, if the submission printed more."""

    read_offsets: tuple[int, ...] = ()
    """Offsets in the output at which a program read, or tried to read, a line."""
    waited: bool = False
    """Whether the last of these reads only waited for Enter before the program ended."""
    units: int = field(default=0, compare=False)
    """The units that the step used, if they are counted; ignored when observations are compared."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """What the step printed and, if its own code printed less, also what that code printed."""
        return (self.stdout, self.own_stdout) if self.own_stdout else (self.stdout,)

    @property
    def shown_stdout(self) -> str:
        """What the code of the step itself, not the submission, printed or displayed."""
        return self.stdout if self.own_stdout is None else self.own_stdout


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Where a module, or a cell of a notebook, stopped while it was loaded."""

    file: str
    line: int
    """The line of the module's top-level statement."""
    raised: Raised | None = None
    limit: Verdict | None = None
    """If nothing was raised, the limit that the module exceeds unless it is cut at `line`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportObservation:
    """What happened when the submission was loaded, and the names that it defines."""

    observation: Observation
    defined: frozenset[str]
    takes: Mapping[str, range] = field(default_factory=dict)
    """How many positional arguments plain functions accept, keyed by function name. The range is
    empty for functions that cannot be called with positional arguments only."""
    absent: frozenset[str] = frozenset()
    """The packages that the submission imports but that are not installed."""
    stops: tuple[Stop, ...] = ()
    """Where modules stopped; they are graded on what they had defined by then."""


Facts: TypeAlias = dict[str, Any]


def decode_observation(
    facts: object, binds: tuple[str, ...], caps: ValueLimits = USUAL_CAPS
) -> Observation:
    """Decode the observation of a step that binds the names `binds`.

    Raises `ProtocolError` if it is malformed or the value in it exceeds one of `caps`.
    """
    facts = _require_object(facts)
    kind = "raised" if "raised" in facts else "value"
    keys = {"raised"} if kind == "raised" else {"value", "id", "bound"}
    present_keys = facts.keys() - {"own", "asked", "waited", "units"}
    _require(present_keys == keys | {"stdout", "overflow"}, "a malformed observation")
    stdout, overflowed, own_stdout = facts["stdout"], facts["overflow"], facts.get("own")
    _require(isinstance(stdout, str) and len(stdout) <= MAX_STDOUT_CHARS, "too much output")
    _require(isinstance(overflowed, bool), "an overflow that is neither true nor false")
    is_shorter = isinstance(own_stdout, str) and len(own_stdout) < len(stdout)
    _require("own" not in facts or is_shorter, "an own output that is not shorter text")
    offsets = facts.get("asked", [])
    _require(_are_offsets(offsets, len(stdout)), "reads at invalid offsets")
    waited = facts.get("waited", False)
    _require(waited is False or (waited is True and offsets), "an invalid wait for Enter")
    _require(_is_count(facts.get("units", 0)), "units that are not a count")
    outcome = (
        _decode_raised(facts["raised"])
        if kind == "raised"
        else _decode_returned(facts, binds, caps)
    )
    return Observation(
        outcome=outcome,
        stdout=stdout,
        overflowed=overflowed,
        own_stdout=own_stdout,
        read_offsets=tuple(offsets),
        waited=waited,
        units=facts.get("units", 0),
    )


def decode_import(facts: object) -> ImportObservation:
    """Decode the observation of an import; raises `ProtocolError` if it is malformed."""
    facts = dict(_require_object(facts))
    is_loaded = "raised" not in facts
    takes = facts.pop("takes", None) if is_loaded else {}
    defined, absent, stops = (
        facts.pop(key, None) if is_loaded else [] for key in ("defined", "absent", "stops")
    )
    _require(
        _are_strings(defined, _MAX_NAMES, MAX_NAME_CHARS),
        "defined names that are not a list of strings",
    )
    _require(
        isinstance(takes, dict) and takes.keys() <= {*defined},
        "argument counts for names that are not defined",
    )
    _require(all(map(_is_range, takes.values())), "malformed argument counts")
    _require(
        _are_strings(absent, len(KNOWN_PACKAGES), MAX_NAME_CHARS),
        "absent packages that are not a list of strings",
    )
    _require({*absent} <= {*KNOWN_PACKAGES}, "unknown packages")
    _require(
        isinstance(stops, list) and len(stops) <= MAX_STOPS,
        "stops that are not a list, or too many",
    )
    return ImportObservation(
        observation=decode_observation(facts, ()),
        defined=frozenset(defined),
        takes={name: range(least, most + 1) for name, (least, most) in takes.items()},
        absent=frozenset(absent),
        stops=tuple(map(_decode_stop, stops)),
    )


def _require_object(facts: object) -> Facts:
    """Return `facts` if they are a JSON object; raises `ProtocolError` otherwise."""
    if not isinstance(facts, dict):
        raise ProtocolError("an observation that is not an object")
    return facts


def _decode_returned(facts: Facts, binds: tuple[str, ...], caps: ValueLimits) -> Returned:
    """Decode the outcome of a step that returned; raises `ProtocolError` if it is malformed."""
    bound = facts["bound"]
    _require(_is_identity(facts["id"]), "an identity that is not a count")
    _require(isinstance(bound, dict) and bound.keys() == set(binds), "bindings of the wrong names")
    _require(all(map(_is_identity, bound.values())), "an identity that is not a count")
    value = decode(facts["value"], caps)
    identities = tuple((name, bound[name]) for name in binds)
    return Returned(value=value, identity=facts["id"], bound=identities)


def _decode_raised(facts: object) -> Raised:
    """Decode the exception that a step raised; raises `ProtocolError` if it is malformed."""
    keys = {"types", "message", "depth", "frames"}
    _require(isinstance(facts, dict) and facts.keys() == keys, "a malformed exception")
    assert isinstance(facts, dict)  # for mypy
    types, text, depth, frames = (facts[key] for key in ("types", "message", "depth", "frames"))
    _require(
        _are_strings(types, _MAX_TYPES, MAX_NAME_CHARS) and types, "an exception without a type"
    )
    _require(isinstance(text, str) and len(text) <= MAX_MESSAGE_CHARS, "a message that is too long")
    _require(_is_count(depth), "a depth that is not a count")
    _require(
        isinstance(frames, list) and len(frames) <= MAX_FRAMES,
        "frames that are not a list, or too many",
    )
    return Raised(
        type_names=tuple(types),
        message=text,
        depth=depth,
        frames=tuple(_decode_frame(frame) for frame in frames),
    )


def _decode_stop(facts: object) -> Stop:
    """Decode where and how a module stopped; raises `ProtocolError` if it is malformed."""
    facts = _require_object(facts)
    _require(facts.keys() == {"file", "line", "raised"}, "a malformed stop")
    frame = _decode_frame([facts["file"], facts["line"], ""])
    return Stop(file=frame.file, line=frame.line, raised=_decode_raised(facts["raised"]))


def _decode_frame(facts: object) -> Frame:
    """Decode one frame of a traceback; raises `ProtocolError` if it is malformed."""
    _require(isinstance(facts, list) and len(facts) == 3, "a malformed frame")
    assert isinstance(facts, list)  # for mypy
    file, line, function = facts
    _require(_are_strings([file, function], 2, 4 * MAX_NAME_CHARS), "a frame without names")
    # CPython reports None for instructions that belong to no line.
    _require(line is None or (type(line) is int and line in _C_INTEGERS), "a frame without a line")
    return Frame(file, line or 0, function)


def _is_identity(number: object) -> bool:
    return number is None or _is_count(number)


def _is_count(number: object) -> bool:
    return type(number) is int and number in _COUNTS  # not `isinstance`, which accepts a bool


def _are_offsets(offsets: object, end: int) -> bool:
    """Return whether `offsets` is a sorted list of offsets into a string of length `end`."""
    return (
        isinstance(offsets, list)
        and len(offsets) <= MAX_RECORDED_READS
        and all(type(offset) is int and 0 <= offset <= end for offset in offsets)
        and offsets == sorted(offsets)
    )


def _is_range(bounds: object) -> bool:
    """Return whether `bounds` is a list of two counts, the least and the most."""
    return isinstance(bounds, list) and list(map(_is_count, bounds)) == [True, True]


def _are_strings(texts: object, max_count: int, max_chars: int) -> bool:
    """Return whether `texts` is a list of strings within these limits."""
    return (
        isinstance(texts, list)
        and len(texts) <= max_count
        and all(isinstance(text, str) and len(text) <= max_chars for text in texts)
    )


def _require(condition: object, problem: str) -> None:
    """Raise `ProtocolError` with the description `problem` unless `condition` is true."""
    if not condition:
        raise ProtocolError(problem)
