"""Reads from the report on a sealed probe which functions accessed the data, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from grader.judging.probing import ProbeObservation
from grader.sandbox.observation import CodePlace, Observation, Raised, Returned
from grader.sandbox.survey import Survey
from grader.values.equality import equal
from grader.values.foreign_text import safe_text
from grader.values.tree import Opaque

_SEALED: Final = Opaque("sealed data")
"""The value that the judge receives for sealed data."""
_MAX_ACCESSES: Final = 300
_MAX_LINE: Final = 10**9
"""No source has more lines; any larger number is forged."""
_FUNCTION_CHARS: Final = 1_000
"""The longest name that the instruments report."""
_LOCALS: Final = ".<locals>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One access to the data: by which function, where, and on what evidence."""

    function: str
    """The dotted name of the outermost function."""
    place: CodePlace
    was_recorded: bool
    """Whether the probe recorded the access; otherwise it comes from the source."""
    is_certain: bool = False
    """Whether the object was certainly accessed as the data, and not as a result that happens to be
    the same object."""


def has_completed(observation: ProbeObservation) -> bool:
    """Return whether the call was reached, the executor survived, and the report arrived."""
    return observation.reached and observation.died is None and observation.evidence is not None


def has_made_nothing(sealed: ProbeObservation) -> bool:
    """Return whether the submission made no data, as an unchanged skeleton does."""
    # A function that could not be sealed might have made data unnoticed.
    match sealed.evidence:
        case {"seal": {"missing": [], "made": 0}}:
            return True
    return False


def recorded_accesses(
    sealed: ProbeObservation, plain: ProbeObservation, survey: Survey
) -> list[Access] | None:
    """Return the accesses that the sealed probe recorded. Return None if they prove nothing.

    They prove nothing if `sealed` differs from `plain`, because sealing is imperfect: C code that
    needs a real tuple rejects sealed data.
    """
    if not has_completed(sealed) or sealed.evidence is None:
        return None
    plain_steps = (plain.call, *plain.observed)
    sealed_steps = (sealed.call, *sealed.observed)
    if not all(map(_is_same, plain_steps, sealed_steps)):
        return None
    # Functions that are listed as missing could not be sealed, so the run proves nothing.
    match sealed.evidence.get("seal"):
        case {"missing": [], "touches": list() as touches, "made": int()}:
            pass
        case _:
            return None
    # Reversed, because the last entry of a dict wins: this keeps the first touch on each line.
    columns = {
        (touch.place.module, touch.place.line): touch.place
        for function in survey.functions
        for touch in reversed(function.touches)
    }
    accesses = (_parse_access(touch, columns) for touch in touches[:_MAX_ACCESSES])
    return [access for access in accesses if access is not None]


def _is_same(plain: Observation, sealed: Observation) -> bool:
    """Return whether a step has the same outcome and output with and without sealing."""
    if not _is_same_text(plain.stdout, sealed.stdout):
        return False
    match plain.outcome, sealed.outcome:
        case Returned(), Returned(value=value) if value == _SEALED:
            return True
        case Returned(value=before), Returned(value=after):
            return before == after or equal(before, after)
        case Raised(), Raised():
            is_same_type = plain.outcome.type_names == sealed.outcome.type_names
            return is_same_type and _is_same_text(plain.outcome.message, sealed.outcome.message)
        case _:
            return False


def _is_same_text(plain: str, sealed: str) -> bool:
    """Return whether two texts are equal, ignoring addresses of objects, which vary by run."""
    return plain == sealed or safe_text(plain, len(plain)) == safe_text(sealed, len(sealed))


def _parse_access(touch: object, places: Mapping[tuple[str, int], CodePlace]) -> Access | None:
    """Return the access that `touch`, an entry of the report, describes; None if it is malformed.

    `places` has positions with columns, keyed by module and line.
    """
    # The report comes from the submission's process, so nothing in it is taken on trust.
    match touch:
        case [str() as name, int() as line, str(), bool() as is_certain, int()] if (
            0 < line <= _MAX_LINE and len(name) <= _FUNCTION_CHARS
        ):
            # Code at module level is named after its module.
            function = name.partition(_LOCALS)[0].removesuffix(".<module>")
            module = function.partition(".")[0]
            start_of_line = CodePlace(
                module=module, line=line, column=1, end_line=line, end_column=1
            )
            place = places.get((module, line), start_of_line)
            return Access(function=function, place=place, was_recorded=True, is_certain=is_certain)
        case _:
            return None
