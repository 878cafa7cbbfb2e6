"""What the source of a submission looks like: facts about its syntax, never the source itself.

An executor that has run nothing of the submission parses it (`grader.executor.surveying`) and sends
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
"""How something can look into the structure of a parameter."""
DOUBTS: Final = ("", "own", "dead")
_MOST: Final = (1 << 31) - 1
"""What the interpreter counts lines and columns with."""


class _Context(NamedTuple):
    """What facts may name."""

    modules: Collection[str] = ()
    words: Collection[str] = CONSTRUCTS


def _context(info: ValidationInfo) -> _Context:
    return info.context or _Context()


def _word(word: object, info: ValidationInfo) -> str:
    if not isinstance(word, str) or word not in _context(info).words:
        raise ValueError("a word that was not asked for")
    return word


def _place(facts: object, info: ValidationInfo) -> CodePlace:
    """Return the place in `facts`, which has to be in one of the modules that are the context."""
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
    if module not in _context(info).modules or bool in map(type, numbers):
        raise ValueError("a place in another module")
    if not 1 <= min(numbers) <= max(numbers) <= _MOST or (line, column) > (to_line, to_column):
        raise ValueError("a place that is nowhere, or ends before it begins")
    return CodePlace(
        module=module, line=line, column=column, end_line=to_line, end_column=to_column
    )


def _among(words: Collection[str]) -> ParsedBy:
    def known(word: str) -> str:
        if word not in words:
            raise ValueError("an unknown word")
        return word

    return ParsedBy(known)


def _at_most(cap: str) -> object:
    return Bounded(max_length=getattr(SURVEY_CAPS, cap))


def _name(name: object) -> str:
    """Return `name`; unlike a `str` of pydantic it may be no Unicode, as texts in sources may."""
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS:
        raise ValueError("a name of the wrong shape")
    return name


_Name: TypeAlias = Annotated[str, ParsedBy(_name, plain=True)]
_Count: TypeAlias = Annotated[int, Bounded(strict=True, ge=0, le=_MOST)]
_Flag: TypeAlias = Annotated[bool, Bounded(strict=True)]
_Place: TypeAlias = Annotated[CodePlace, ParsedBy(_place, plain=True, informed=True)]


class Construct(NamedTuple):
    """One use of something that rules look for: a construct, a name, an operator."""

    kind: Annotated[str, ParsedBy(_word, plain=True, informed=True)]
    """The word for it, as in `grader.suite.sought`."""
    place: _Place
    function: _Name
    """Dotted name of the function around it, `Board.make_board` or `Board.Solver.solve`; of nested
    functions `Board.outer.<locals>.inner`. The name of the module where there is none."""
    initialises: _Flag
    """Of comprehensions: whether it gives a data structure its first content, see `surveying`."""
    doubt: Annotated[str, _among(DOUBTS)] = ""
    """Why it may be no use: it is an attribute of the submission's `own`, or in `dead` code."""


class ParameterSurvey(NamedTuple):
    """One parameter as the source writes it."""

    name: _Name
    kind: Annotated[str, _among(PARAMETER_KINDS)]
    """Of these `positional` can be given by name, too."""
    has_default: _Flag


class _Touch(NamedTuple):
    """A look into the structure of a parameter: an index, an attribute, a loop over it."""

    parameter: _Name
    how: Annotated[str, _among(TOUCHES)]
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
    """Dotted names of the submission's functions that its body may call or hand on, each once, in
    order of appearance; resolved by name, so an indirect call is not among them."""
    touches: Annotated[tuple[_Touch, ...], _at_most("touches_of_a_function")]
    """Looks into the structure of its parameters."""


class ImportSurvey(NamedTuple):
    """One module that is imported."""

    name: _Name
    """The dotted name as written; of `from . import x` the name with its dots."""
    place: _Place


class TooNew(NamedTuple):
    """Syntax that came with a later version of Python than the one asked for."""

    what: _Name
    """A word of `grader.executor.syntax.newer.NEWER`, such as `match`."""
    since: tuple[_Count, _Count]
    place: _Place


class Repetition(NamedTuple):
    """Two stretches of statements that are the same but for names and literals."""

    first: _Place
    second: _Place
    statements: Annotated[_Count, Bounded(ge=1)]


class SuspiciousName(NamedTuple):
    """A name that can lie to a probe, such as `sys.setprofile`, `inspect`, `exec`."""

    name: _Name
    place: _Place
    function: _Name
    """The function in whose body it stands, as in `Construct.function`."""


class Definition(NamedTuple):
    """A definition of a name that was asked for, at the top level of a module."""

    name: _Name
    """Dotted."""
    place: _Place
    digest: Annotated[str, Bounded(strict=True, pattern="^[0-9a-f]{64}$")]
    """Of its code: comments, blanks and docstrings make no difference."""


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
    """By module, the functions that may be called though no function that is called says so: its
    top-level code does, Python, or a library."""
    unnamed: Annotated[tuple[_Name, ...], _at_most("unnamed")]
    """Functions, or modules, that may call others by names made at run time."""
    definitions: Annotated[tuple[Definition, ...], _at_most("definitions")]
    """Of the names that were asked for."""
    unparsed: Mapping[_Name, _Name]
    """Modules that cannot be parsed, each with the name of the exception."""
    was_clipped: bool = False
    """Whether there may have been more facts than travelled, before some were left out here."""

    @property
    def is_clipped(self) -> bool:
        """Whether there may be more facts than travel."""
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
    """Return what the sources of `modules` look like, None when they kill who reads them.

    It notes what is too new for the version `python`, if that is given, what the `definitions` of
    these dotted names say, and where what is `sought` is used; all constructs where that is None.
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
    """Return the survey of `modules` in `facts`; raises `ProtocolError` for any other shape.

    Only uses of these `words` were asked for.
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


@cache  # it takes its time to make, and most submissions need none
def _adapter() -> TypeAdapter[Survey]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - as above

    return TypeAdapter(Survey)
