"""What happened in a step: facts only, checked shape by shape on their way in.

An executor reports one observation per step. The facts are its own word about its own session;
`decode_observation` refuses whatever our encoder could not have sent.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from grader.decoding import decode
from grader.elements import check_elements
from grader.errors import ProtocolError
from grader.protocol import (
    MAX_FRAMES,
    MAX_MESSAGE_CHARS,
    MAX_NAME_CHARS,
    MAX_STDOUT_CHARS,
    USUAL_CAPS,
    Excess,
    ValueCaps,
)
from grader.values import Atom, TooLarge, Value
from grader.verdict import Verdict

_MAX_TYPES: Final = 20
_MAX_NAMES: Final = 500
_C_INTEGERS: Final = range(-(1 << 31), 1 << 31)
"""What the interpreter counts lines with."""
_NO_IDENTITY: Final = (type(None), bool, int, float, complex, str, bytes)
_NO_IDENTITY_EITHER: Final = {
    ("int", Excess.DIGITS),
    ("str", Excess.TEXT),
    ("bytes", Excess.TEXT),
}
"""The same types where the value is too large to travel."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One active call of the submission when an exception was raised."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """The step ended normally; `identity` numbers the very object that it gave."""

    value: Value
    identity: int | None
    bound: tuple[tuple[str, int | None], ...] = ()
    """The names that the step assigned, each with the number of its object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """The step ended with an exception."""

    type_names: tuple[str, ...]
    """Names of the exception's class and its bases, most special first."""
    message: str
    frames: tuple[Frame, ...] = ()
    """The innermost calls in the submission, outermost first."""
    depth: int = 0
    """How many calls in the submission were active in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Died:
    """The executor did not survive the step; `evidence` is for staff."""

    verdict: Verdict
    evidence: str
    on_the_clock: bool = False
    """Whether it was the clock on the wall that ran out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What happened in one step."""

    outcome: Returned | Raised | Died
    stdout: str = ""
    overflowed: bool = False
    """Whether the step printed more than its limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportObservation:
    """What happened when the submission was loaded, and the names that it defines."""

    observation: Observation
    defined: frozenset[str]


Facts: TypeAlias = dict[str, Any]


class Hearing:
    """Hears the observations of one session, which must go together.

    A new object has the next number. Frames are of files that were sent. Output ends at its limit.
    """

    def __init__(self, *, caps: ValueCaps, output_chars: int, files: Collection[str]) -> None:
        """Hear of values within `caps`, of steps that print up to `output_chars`, of `files`."""
        self._caps: Final = caps
        self._output_chars: Final = output_chars
        self._files: Final = files
        self._objects = 0

    def imported(self, facts: object) -> ImportObservation:
        """Return the observation of the import in `facts`; raises `ProtocolError`."""
        imported = decode_import(facts)
        self._check(imported.observation)
        return imported

    def observed(self, facts: object, binds: tuple[str, ...]) -> Observation:
        """Return the observation of the next step, which assigns `binds`, in `facts`."""
        observation = decode_observation(facts, binds, self._caps)
        self._check(observation)
        return observation

    def _check(self, observation: Observation) -> None:
        self._check_output(observation)
        match observation.outcome:
            case Returned(identity=identity, bound=bound):
                for number in (*(number for _, number in bound), identity):
                    self._count(number)
            case Raised(frames=frames):
                is_ours = all(frame.file in self._files for frame in frames)
                _require(is_ours, "a frame of a file that was not sent")

    def _check_output(self, observation: Observation) -> None:
        stdout = observation.stdout
        if observation.overflowed:
            least = min(self._output_chars + 1, MAX_STDOUT_CHARS)
            # What was printed as two surrogates counted twice, and arrives as one character.
            halves = len(stdout.encode("utf-16-le", "surrogatepass")) // 2
            _require(halves >= least, "an overflow without the output")
        else:
            _require(len(stdout) <= self._output_chars, "output without an overflow")

    def _count(self, number: int | None) -> None:
        if number is not None:
            _require(number <= self._objects, "an identity that skips numbers")
            self._objects = max(self._objects, number + 1)


def decode_observation(
    facts: object, binds: tuple[str, ...], caps: ValueCaps = USUAL_CAPS
) -> Observation:
    """Return the observation in `facts` of a step that assigns `binds`; raises `ProtocolError`.

    Its value must be within `caps`.
    """
    _require(isinstance(facts, dict), "an observation that is no object")
    assert isinstance(facts, dict)
    kind = "raised" if "raised" in facts else "value"
    keys = {"raised"} if kind == "raised" else {"value", "id", "bound"}
    _require(facts.keys() == keys | {"stdout", "overflow"}, "an observation of the wrong shape")
    stdout, overflowed = facts["stdout"], facts["overflow"]
    _require(isinstance(stdout, str) and len(stdout) <= MAX_STDOUT_CHARS, "too much output")
    _require(isinstance(overflowed, bool), "an overflow that is neither true nor false")
    outcome = _raised(facts["raised"]) if kind == "raised" else _returned(facts, binds, caps)
    return Observation(outcome=outcome, stdout=stdout, overflowed=overflowed)


def decode_import(facts: object) -> ImportObservation:
    """Return the observation of an import in `facts`; raises `ProtocolError`."""
    _require(isinstance(facts, dict), "an observation that is no object")
    assert isinstance(facts, dict)
    facts = dict(facts)
    defined = [] if "raised" in facts else facts.pop("defined", None)
    _require(_is_texts(defined, _MAX_NAMES, MAX_NAME_CHARS), "names that are none")
    assert isinstance(defined, list)
    _require(not any(name.startswith("__") for name in defined), "names of Python's own")
    observation = decode_observation(facts, ())
    nothing = Returned(value=Atom(None), identity=None)
    is_import = isinstance(observation.outcome, Raised) or observation.outcome == nothing
    _require(is_import, "an import that gives a value")
    return ImportObservation(observation=observation, defined=frozenset(defined))


def _returned(facts: Facts, binds: tuple[str, ...], caps: ValueCaps) -> Returned:
    bound = facts["bound"]
    _require(_is_identity(facts["id"]), "an identity that is no number")
    _require(
        isinstance(bound, dict) and bound.keys() == set(binds), "names that were not asked for"
    )
    _require(all(map(_is_identity, bound.values())), "an identity that is no number")
    value = decode(facts["value"], caps)
    check_elements(value)
    _require(_goes_with(facts["id"], value), "an identity that does not go with its value")
    identities = tuple((name, bound[name]) for name in binds)
    return Returned(value=value, identity=facts["id"], bound=identities)


def _raised(facts: object) -> Raised:
    keys = {"types", "message", "depth", "frames"}
    _require(isinstance(facts, dict) and facts.keys() == keys, "an exception of the wrong shape")
    assert isinstance(facts, dict)
    types, text, depth, frames = (facts[key] for key in ("types", "message", "depth", "frames"))
    _require(_is_texts(types, _MAX_TYPES, MAX_NAME_CHARS) and types, "an exception without a type")
    is_whole = len(types) < _MAX_TYPES
    _require("BaseException" in types or not is_whole, "an exception that is none")
    _require(isinstance(text, str) and len(text) <= MAX_MESSAGE_CHARS, "a message that is too long")
    _require(type(depth) is int and depth >= 0, "a depth that is no number")
    _require(isinstance(frames, list), "frames that are no list")
    _require(len(frames) == min(depth, MAX_FRAMES), "frames that do not go with the depth")
    return Raised(
        type_names=tuple(types),
        message=text,
        depth=depth,
        frames=tuple(_frame(frame) for frame in frames),
    )


def _frame(facts: object) -> Frame:
    _require(isinstance(facts, list) and len(facts) == 3, "a frame of the wrong shape")
    assert isinstance(facts, list)
    file, line, function = facts
    _require(_is_texts([file, function], 2, 4 * MAX_NAME_CHARS), "a frame without names")
    # The interpreter gives None for code that has no line of its own.
    _require(line is None or type(line) is int, "a frame without a line")
    _require(line is None or line in _C_INTEGERS, "a line that no file has")
    return Frame(file, line or 0, function)


def _goes_with(identity: int | None, value: Value) -> bool:
    """Return whether `value` may have that identity: values of some types have none."""
    match value:
        case Atom(content):
            return (identity is None) == isinstance(content, _NO_IDENTITY)
        case TooLarge(type_name, excess):  # a class of the submission may have any name
            return identity is not None or (type_name, excess) in _NO_IDENTITY_EITHER
        case _:
            return identity is not None


def _is_identity(number: object) -> bool:
    return number is None or (type(number) is int and number >= 0)


def _is_texts(texts: object, most: int, longest: int) -> bool:
    return (
        isinstance(texts, list)
        and len(texts) <= most
        and all(isinstance(text, str) and len(text) <= longest for text in texts)
    )


def _require(truth: object, breach: str) -> None:
    if not truth:
        raise ProtocolError(breach)
