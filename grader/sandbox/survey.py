"""Surveys of a submission: facts about the syntax of its source, never the source itself.

An executor that has run no code of the submission parses it (`grader.executor.surveying`) and sends
these facts; the judge only validates their structure. Places are lines and columns as editors count
them: both start at 1, and columns are characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, TypeAlias

from grader.errors import ProtocolError
from grader.protocol import MAX_NAME_CHARS, SURVEY_CAPS
from grader.sandbox.observation import CodePlace
from grader.sandbox.sessions import SessionRunner
from grader.suite.search_terms import SearchTerm
from grader.suite.vocabulary import CONSTRUCTS
from grader.values.constraints import Bounded, ParsedBy

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationInfo

PARAMETER_KINDS: Final = ("positional", "positional only", "keyword only", "*args", "**kwargs")
TOUCHES: Final = ("index", "attribute", "unpack", "iterate", "in", "len", "operator")
"""The ways in which code can use the structure of a parameter."""
DOUBTS: Final = ("", "own", "dead")
_MAX_NUMBER: Final = (1 << 31) - 1
"""The highest line or column number in CPython."""


class _Context(NamedTuple):
    """The modules and words that the facts of a survey can contain."""

    modules: Collection[str] = ()
    words: Collection[str] = CONSTRUCTS


def _context(info: ValidationInfo) -> _Context:
    return info.context or _Context()


def _check_word(word: object, info: ValidationInfo) -> str:
    """Return `word` if it was requested, or raise `ValueError` otherwise."""
    if not isinstance(word, str) or word not in _context(info).words:
        raise ValueError("a word that was not requested")
    return word


def _parse_place(facts: object, info: ValidationInfo) -> CodePlace:
    """Return the place in `facts`.

    Raises `ValueError` if it is malformed or not in one of the context's modules.
    """
    match facts:
        case [
            str() as module,
            int() as line,
            int() as column,
            int() as end_line,
            int() as end_column,
        ]:
            numbers = line, column, end_line, end_column
        case _:
            raise ValueError("a malformed place")
    # The pattern `int()` also matches a bool.
    if module not in _context(info).modules or bool in map(type, numbers):
        raise ValueError("a place in an unknown module, or with a bool as a number")
    if not 1 <= min(numbers) <= max(numbers) <= _MAX_NUMBER or (line, column) > (
        end_line,
        end_column,
    ):
        raise ValueError("a place that is out of range, or ends before it begins")
    return CodePlace(
        module=module, line=line, column=column, end_line=end_line, end_column=end_column
    )


def _one_of(words: Collection[str]) -> ParsedBy:
    """Return the validator of a field that must be one of `words`."""

    def check(word: str) -> str:
        if word not in words:
            raise ValueError("an unknown word")
        return word

    return ParsedBy(check)


def _capped(cap: str) -> object:
    """Return the annotation that limits the length of a list to the `cap` in `SURVEY_CAPS`."""
    return Bounded(max_length=getattr(SURVEY_CAPS, cap))


def _check_name(name: object) -> str:
    """Return `name` if it is a string of allowed length, or raise `ValueError` otherwise.

    Unlike pydantic's `str`, it can contain lone surrogates, as source code can.
    """
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS:
        raise ValueError("a name that is too long or not a string")
    return name


_Name: TypeAlias = Annotated[str, ParsedBy(_check_name, replaces_validation=True)]
_Count: TypeAlias = Annotated[int, Bounded(strict=True, ge=0, le=_MAX_NUMBER)]
_Flag: TypeAlias = Annotated[bool, Bounded(strict=True)]
_Place: TypeAlias = Annotated[
    CodePlace, ParsedBy(_parse_place, replaces_validation=True, with_info=True)
]


class Construct(NamedTuple):
    """One use of something that rules look for: a construct, a name or an operator."""

    kind: Annotated[str, ParsedBy(_check_word, replaces_validation=True, with_info=True)]
    """The word for it, as in `grader.suite.search_terms`."""
    place: _Place
    function: _Name
    """Dotted name of the enclosing function, such as `Board.make_board` or `Board.Solver.solve`. A
    nested function is `Board.outer.<locals>.inner`. Outside functions, the name of the module."""
    initialises: _Flag
    """Whether a comprehension gives a data structure its first content; see `surveying`."""
    doubt: Annotated[str, _one_of(DOUBTS)] = ""
    """Why it might not count: `own` for an attribute that the submission defines, `dead` for dead
    code."""


class ParameterSurvey(NamedTuple):
    """One parameter of a function, as declared in the source."""

    name: _Name
    kind: Annotated[str, _one_of(PARAMETER_KINDS)]
    """One of `PARAMETER_KINDS`; arguments for `positional` ones can also be passed by name."""
    has_default: _Flag


class _Touch(NamedTuple):
    """A use of the structure of a parameter, such as an index, an attribute or a loop over it."""

    parameter: _Name
    how: Annotated[str, _one_of(TOUCHES)]
    place: _Place


class FunctionSurvey(NamedTuple):
    """One function, method or nested function."""

    name: _Name
    """Dotted, as in `Construct.function`."""
    place: _Place
    parameters: Annotated[tuple[ParameterSurvey, ...], _capped("parameters_per_function")]
    has_docstring: _Flag
    code_lines: _Count
    """The number of lines with code, without blank lines, comments and docstrings."""
    nesting: _Count
    """The depth of the deepest nested block, or 0 if no blocks are nested."""
    calls: Annotated[tuple[_Name, ...], _capped("calls_per_function")]
    """Dotted names of the submission's functions that the body might call or pass on, without
    duplicates and in order of appearance. Calls are resolved by name, so indirect ones are
    missing."""
    touches: Annotated[tuple[_Touch, ...], _capped("touches_per_function")]
    """Uses of the structure of its parameters."""


class ImportSurvey(NamedTuple):
    """One import of a module."""

    name: _Name
    """The dotted name as written, with its leading dots in `from . import x`."""
    place: _Place


class TooNew(NamedTuple):
    """Syntax that is newer than the requested version of Python."""

    what: _Name
    """A word of `grader.executor.syntax.newer_syntax.MIN_VERSIONS`, such as `match`."""
    since: tuple[_Count, _Count]
    place: _Place


class Repetition(NamedTuple):
    """Two sequences of statements that differ at most in names and literals."""

    first: _Place
    second: _Place
    statements: Annotated[_Count, Bounded(ge=1)]


class SuspiciousName(NamedTuple):
    """A name with which code can deceive a probe, such as `sys.setprofile`, `inspect`, `exec`."""

    name: _Name
    place: _Place
    function: _Name
    """The enclosing function, as in `Construct.function`."""


class Definition(NamedTuple):
    """The definition of a requested name, at the top level of a module."""

    name: _Name
    """Dotted."""
    place: _Place
    digest: Annotated[str, Bounded(strict=True, pattern="^[0-9a-f]{64}$")]
    """Hash of its code without comments, whitespace and docstrings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The facts about all modules of a submission that can be parsed."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    constructs: Annotated[tuple[Construct, ...], _capped("constructs")]
    functions: Annotated[tuple[FunctionSurvey, ...], _capped("functions")]
    imports: Annotated[tuple[ImportSurvey, ...], _capped("imports")]
    too_new: Annotated[tuple[TooNew, ...], _capped("too_new")]
    repeated: Annotated[tuple[Repetition, ...], _capped("repeated")]
    suspicious: Annotated[tuple[SuspiciousName, ...], _capped("suspicious")]
    starts: Mapping[_Name, Annotated[tuple[_Name, ...], _capped("starts_per_module")]]
    """The functions that might be called from outside any function: by top-level code, by Python,
    or by a library. Keyed by module."""
    unnamed: Annotated[tuple[_Name, ...], _capped("unnamed")]
    """Functions and modules that might call functions by names that are computed at run time."""
    definitions: Annotated[tuple[Definition, ...], _capped("definitions")]
    """The definitions of the requested names."""
    unparsed: Mapping[_Name, _Name]
    """The name of the exception for each module that cannot be parsed, keyed by module."""
    was_clipped: bool = False
    """Whether facts might already have been missing before some were removed from this survey."""

    @property
    def is_clipped(self) -> bool:
        """Whether facts that rules rely on might be missing because a cap was reached."""
        uses = Counter((use.kind, use.function) for use in self.constructs)
        return (
            self.was_clipped
            or len(self.constructs) >= SURVEY_CAPS.constructs
            or max(uses.values(), default=0) >= SURVEY_CAPS.constructs_per_function
            or len(self.functions) >= SURVEY_CAPS.functions
            or any(
                len(function.calls) >= SURVEY_CAPS.calls_per_function for function in self.functions
            )
            or len(self.imports) >= SURVEY_CAPS.imports
            or len(self.too_new) >= SURVEY_CAPS.too_new
            or len(self.suspicious) >= SURVEY_CAPS.suspicious
            or len(self.unnamed) >= SURVEY_CAPS.unnamed
            or any(
                len(functions) >= SURVEY_CAPS.starts_per_module
                for functions in self.starts.values()
            )
        )


def request_survey(
    runner: SessionRunner,
    modules: Collection[str],
    python: tuple[int, int] | None = None,
    definitions: Collection[str] = (),
    sought: Collection[SearchTerm] | None = None,
) -> Survey | None:
    """Return a survey of the sources of `modules`, or None if no valid one arrives.

    The survey lists the syntax that is too new for the version `python`, if that is set; the
    definitions of the dotted names in `definitions`; and the uses of the words in `sought`, or of
    all constructs if `sought` is None.
    """
    sources = runner.sources(modules)
    request = {"survey": sources, "python": python, "definitions": list(definitions)}
    words = CONSTRUCTS if sought is None else [wanted.word for wanted in sought]
    reply = runner.request_reply(
        {**request, "sought": None if sought is None else list(map(list, sought))}
    )
    try:
        return None if reply is None else decode_survey(reply.get("survey"), sources, words)
    except ProtocolError:
        return None


def decode_survey(
    facts: object, modules: Collection[str], words: Collection[str] = CONSTRUCTS
) -> Survey:
    """Return the survey of `modules` in `facts`, or raise `ProtocolError` if it is malformed.

    The kinds of constructs must be among the requested `words`.
    """
    match facts:
        case {"unparsed": dict() as unparsed} if unparsed.keys() <= set(modules):
            pass
        case _:
            raise ProtocolError("a malformed survey, or a survey of other modules")
    try:
        # A module that could not be parsed has no places.
        return _adapter().validate_python(
            facts, context=_Context(set(modules) - unparsed.keys(), words)
        )
    except ValueError as error:
        raise ProtocolError("a malformed survey") from error


@cache  # building the adapter is slow, and most submissions need none
def _adapter() -> TypeAdapter[Survey]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to import

    return TypeAdapter(Survey)
