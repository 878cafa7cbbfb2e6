"""Surveys of a submission: facts about the syntax of its source, never the source itself.

An executor that has run no code of the submission parses it (`grader.executor.surveying`) and sends
these facts; the judge only checks their shape. Places are lines and columns as editors count them:
from 1 on, columns in characters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple, TypeAlias

from grader.errors import ProtocolError
from grader.protocol import MAX_NAME_CHARS, SURVEY_CAPS
from grader.sandbox.observation import CodePlace
from grader.sandbox.sessions import SessionRunner
from grader.suite.sought import Sought
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
    """The modules and words that facts may name."""

    modules: Collection[str] = ()
    words: Collection[str] = CONSTRUCTS


def _context(info: ValidationInfo) -> _Context:
    return info.context or _Context()


def _word(word: object, info: ValidationInfo) -> str:
    if not isinstance(word, str) or word not in _context(info).words:
        raise ValueError("a word that was not asked for")
    return word


def _place(facts: object, info: ValidationInfo) -> CodePlace:
    """Return the place in `facts`, which must be in one of the context's modules."""
    match facts:
        case [
            str() as module,
            int() as line,
            int() as column,
            int() as to_line,
            int() as to_column,
        ]:
            numbers = line, column, to_line, to_column
        case _:
            raise ValueError("a place of the wrong shape")
    if module not in _context(info).modules or bool in map(type, numbers):  # `int()` takes a bool
        raise ValueError("a place in another module")
    if not 1 <= min(numbers) <= max(numbers) <= _MAX_NUMBER or (line, column) > (
        to_line,
        to_column,
    ):
        raise ValueError("a place that is nowhere, or ends before it begins")
    return CodePlace(
        module=module, line=line, column=column, end_line=to_line, end_column=to_column
    )


def _known_word(words: Collection[str]) -> ParsedBy:
    def known(word: str) -> str:
        if word not in words:
            raise ValueError("an unknown word")
        return word

    return ParsedBy(known)


def _at_most(cap: str) -> object:
    return Bounded(max_length=getattr(SURVEY_CAPS, cap))


def _name(name: object) -> str:
    """Return `name`, which may have lone surrogates, unlike pydantic's `str`; sources may, too."""
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS:
        raise ValueError("a name of the wrong shape")
    return name


_Name: TypeAlias = Annotated[str, ParsedBy(_name, plain=True)]
_Count: TypeAlias = Annotated[int, Bounded(strict=True, ge=0, le=_MAX_NUMBER)]
_Flag: TypeAlias = Annotated[bool, Bounded(strict=True)]
_Place: TypeAlias = Annotated[CodePlace, ParsedBy(_place, plain=True, informed=True)]


class Construct(NamedTuple):
    """One use of something that rules look for: a construct, a name, an operator."""

    kind: Annotated[str, ParsedBy(_word, plain=True, informed=True)]
    """The word for it, as in `grader.suite.sought`."""
    place: _Place
    function: _Name
    """Dotted name of the function around it, `Board.make_board` or `Board.Solver.solve`; of nested
    functions `Board.outer.<locals>.inner`. Outside functions, the name of the module."""
    initialises: _Flag
    """For comprehensions: whether it gives a data structure its first content, see `surveying`."""
    doubt: Annotated[str, _known_word(DOUBTS)] = ""
    """Why it may not count: `own` if it is an attribute of the submission's own, or `dead` code."""


class ParameterSurvey(NamedTuple):
    """One parameter as the source writes it."""

    name: _Name
    kind: Annotated[str, _known_word(PARAMETER_KINDS)]
    """One of `PARAMETER_KINDS`; `positional` ones can be given by name, too."""
    has_default: _Flag


class _Touch(NamedTuple):
    """A use of the structure of a parameter: an index, an attribute, a loop over it."""

    parameter: _Name
    how: Annotated[str, _known_word(TOUCHES)]
    place: _Place


class FunctionSurvey(NamedTuple):
    """One function, method or nested function."""

    name: _Name
    """Dotted, as in `Construct.function`."""
    place: _Place
    parameters: Annotated[tuple[ParameterSurvey, ...], _at_most("parameters_of_a_function")]
    has_docstring: _Flag
    code_lines: _Count
    """Lines that hold code: neither blank, nor comment, nor docstring."""
    nesting: _Count
    """Deepest nesting of blocks in it: 0 for none."""
    calls: Annotated[tuple[_Name, ...], _at_most("calls_of_a_function")]
    """Dotted names of the submission's functions that its body may call or pass on, each once, in
    order of appearance; resolved by name, so indirect calls are missing."""
    touches: Annotated[tuple[_Touch, ...], _at_most("touches_of_a_function")]
    """Uses of the structure of its parameters."""


class ImportSurvey(NamedTuple):
    """One import of a module."""

    name: _Name
    """The dotted name as written; for `from . import x` with its leading dots."""
    place: _Place


class TooNew(NamedTuple):
    """Syntax that is newer than the requested version of Python."""

    what: _Name
    """A word of `grader.executor.syntax.newer.NEWER`, such as `match`."""
    since: tuple[_Count, _Count]
    place: _Place


class Repetition(NamedTuple):
    """Two sequences of statements that are the same except for names and literals."""

    first: _Place
    second: _Place
    statements: Annotated[_Count, Bounded(ge=1)]


class SuspiciousName(NamedTuple):
    """A name with which code can deceive a probe, such as `sys.setprofile`, `inspect`, `exec`."""

    name: _Name
    place: _Place
    function: _Name
    """The function whose body it is in, as in `Construct.function`."""


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

    constructs: Annotated[tuple[Construct, ...], _at_most("constructs")]
    functions: Annotated[tuple[FunctionSurvey, ...], _at_most("functions")]
    imports: Annotated[tuple[ImportSurvey, ...], _at_most("imports")]
    too_new: Annotated[tuple[TooNew, ...], _at_most("too_new")]
    repeated: Annotated[tuple[Repetition, ...], _at_most("repeated")]
    suspicious: Annotated[tuple[SuspiciousName, ...], _at_most("suspicious")]
    starts: Mapping[_Name, Annotated[tuple[_Name, ...], _at_most("starts_of_a_module")]]
    """By module, the functions that may be called from outside any function: by its top-level
    code, by Python, or by a library."""
    unnamed: Annotated[tuple[_Name, ...], _at_most("unnamed")]
    """Functions, or modules, that may call others by names made at run time."""
    definitions: Annotated[tuple[Definition, ...], _at_most("definitions")]
    """The definitions of the requested names."""
    unparsed: Mapping[_Name, _Name]
    """Modules that cannot be parsed, each with the name of the exception."""
    was_clipped: bool = False
    """Whether facts may have been missing before others were left out here."""

    @property
    def is_clipped(self) -> bool:
        """Whether facts may be missing because a cap was reached."""
        return (
            self.was_clipped
            or len(self.functions) >= SURVEY_CAPS.functions
            or len(self.imports) >= SURVEY_CAPS.imports
            or len(self.suspicious) >= SURVEY_CAPS.suspicious
            or len(self.unnamed) >= SURVEY_CAPS.unnamed
            or any(len(each) >= SURVEY_CAPS.starts_of_a_module for each in self.starts.values())
        )


def survey_of(
    runner: SessionRunner,
    modules: Collection[str],
    python: tuple[int, int] | None = None,
    definitions: Collection[str] = (),
    sought: Collection[Sought] | None = None,
) -> Survey | None:
    """Return the survey of the sources of `modules`, or None if the executor dies or sends none.

    It lists syntax that is too new for the version `python`, if given, the `definitions` of these
    dotted names, and the uses of what is `sought`, or of all constructs if that is None.
    """
    sources = runner.sources(modules)
    request = {"survey": sources, "python": python, "definitions": list(definitions)}
    words = CONSTRUCTS if sought is None else [each.word for each in sought]
    reply = runner.asked({**request, "sought": None if sought is None else list(map(list, sought))})
    try:
        return None if reply is None else decode_survey(reply.get("survey"), sources, words)
    except ProtocolError:
        return None


def decode_survey(
    facts: object, modules: Collection[str], words: Collection[str] = CONSTRUCTS
) -> Survey:
    """Return the survey of `modules` in `facts`; raises `ProtocolError` if it is malformed.

    Constructs must be among the requested `words`.
    """
    match facts:
        case {"unparsed": dict() as unparsed} if unparsed.keys() <= set(modules):
            pass
        case _:
            raise ProtocolError("a survey of the wrong shape")
    try:
        return _adapter().validate_python(
            facts, context=_Context(set(modules) - unparsed.keys(), words)
        )
    except ValueError as error:
        raise ProtocolError("a survey of the wrong shape") from error


@cache  # building it is slow, and most submissions need none
def _adapter() -> TypeAdapter[Survey]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow, too

    return TypeAdapter(Survey)
