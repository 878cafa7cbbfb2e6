"""What the source of a submission looks like: facts about its syntax, never the source itself.

An executor that has run nothing of the submission parses it (`grader.executor.surveying`) and sends
these facts; the judge only checks their shape. Places are lines and columns as editors count them:
from 1 on, columns in characters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from grader.errors import ProtocolError
from grader.protocol import MAX_NAME_CHARS, SURVEY_CAPS
from grader.sandbox.observation import Place
from grader.sandbox.sessions import SessionRunner
from grader.suite.vocabulary import CONSTRUCTS

PARAMETER_KINDS: Final = ("positional", "positional only", "keyword only", "*args", "**kwargs")
TOUCHES: Final = ("index", "attribute", "unpack", "iterate", "in", "len", "operator")
"""How something can look into the structure of a parameter."""
_KINDS: Final = frozenset(CONSTRUCTS)
_MOST: Final = (1 << 31) - 1
"""What the interpreter counts lines and columns with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Construct:
    """One use of a construct of `grader.suite.vocabulary`."""

    kind: str
    place: Place
    function: str
    """Dotted name of the function around it, `Board.make_board` or `Board.Solver.solve`; of nested
    functions `Board.outer.<locals>.inner`. The name of the module where there is none."""
    initialises: bool = False
    """Of comprehensions: whether it gives a data structure its first content, see `surveying`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSurvey:
    """One parameter as the source writes it."""

    name: str
    kind: str
    """One of `PARAMETER_KINDS`; `positional` can be given by name, too."""
    has_default: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Touch:
    """A look into the structure of a parameter: an index, an attribute, a loop over it."""

    parameter: str
    how: str
    """One of `TOUCHES`."""
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSurvey:
    """One function, method or nested function."""

    name: str
    """Dotted, as in `Construct.function`."""
    place: Place
    parameters: tuple[ParameterSurvey, ...]
    has_docstring: bool
    code_lines: int
    """Lines that hold code: neither blank, nor comment, nor docstring."""
    nesting: int
    """Deepest nesting of blocks in it: 0 for none."""
    calls: tuple[str, ...]
    """Dotted names of the submission's functions that its body may call or hand on, each once, in
    order of appearance; resolved by name, so an indirect call is not among them."""
    touches: tuple[_Touch, ...]
    """Looks into the structure of its parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSurvey:
    """One module that is imported."""

    name: str
    """The dotted name as written; of `from . import x` the name with its dots."""
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class TooNew:
    """Syntax that came with a later version of Python than the one asked for."""

    what: str
    """A word of `grader.executor.surveying.NEWER`, such as `match`."""
    since: tuple[int, int]
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Two stretches of statements that are the same but for names and literals."""

    first: Place
    second: Place
    statements: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The facts about all modules of a submission that can be parsed."""

    constructs: tuple[Construct, ...]
    functions: tuple[FunctionSurvey, ...]
    imports: tuple[ImportSurvey, ...]
    too_new: tuple[TooNew, ...]
    repeated: tuple[Repetition, ...]
    suspicious: tuple[tuple[str, Place], ...]
    """Names that can lie to a probe, such as `sys.setprofile`, `inspect`, `exec`."""
    unparsed: Mapping[str, str]
    """Modules that cannot be parsed, each with the name of the exception."""


def survey_of(
    runner: SessionRunner, modules: Collection[str], python: tuple[int, int] | None = None
) -> Survey | None:
    """Return what the sources of `modules` look like, None when they kill who reads them.

    It notes what is too new for the version `python`, if that is given.
    """
    sources = runner.sources(modules)
    reply = runner.asked({"survey": sources, "python": python})
    try:
        return None if reply is None else decode_survey(reply.get("survey"), sources)
    except ProtocolError:
        return None


def decode_survey(facts: object, modules: Collection[str]) -> Survey:
    """Return the survey of `modules` in `facts`; raises `ProtocolError` for any other shape."""
    match facts:
        case {
            "constructs": list() as constructs,
            "functions": list() as functions,
            "imports": list() as imports,
            "too_new": list() as too_new,
            "repeated": list() as repeated,
            "suspicious": list() as suspicious,
            "unparsed": dict() as unparsed,
            **others,
        } if not others:
            decoding = _Decoding(modules, unparsed)
        case _:
            raise ProtocolError("a survey of the wrong shape")
    caps = SURVEY_CAPS
    return Survey(
        constructs=tuple(map(decoding.construct, _at_most(caps.constructs, constructs))),
        functions=tuple(map(decoding.function, _at_most(caps.functions, functions))),
        imports=tuple(map(decoding.imported, _at_most(caps.imports, imports))),
        too_new=tuple(map(decoding.too_new, _at_most(caps.too_new, too_new))),
        repeated=tuple(map(decoding.repeated, _at_most(caps.repeated, repeated))),
        suspicious=tuple(map(decoding.suspicious, _at_most(caps.suspicious, suspicious))),
        unparsed=decoding.unparsed,
    )


class _Decoding:
    """Reads facts about known modules; what cannot be parsed has none."""

    def __init__(self, modules: Collection[str], unparsed: dict[str, object]) -> None:
        self.unparsed: Final = {name: _name(why) for name, why in unparsed.items()}
        _require(self.unparsed.keys() <= set(modules), "another module")
        self._modules: Final = set(modules) - self.unparsed.keys()

    def _place(self, facts: object) -> Place:
        match facts:
            case [str() as module, int(), int(), int(), int()] if module in self._modules:
                numbers = [_number(number, 1) for number in facts[1:]]
            case _:
                raise ProtocolError("a place of the wrong shape")
        _require(numbers[:2] <= numbers[2:], "a place that ends before it begins")
        line, column, end_line, end_column = numbers
        return Place(
            module=module, line=line, column=column, end_line=end_line, end_column=end_column
        )

    def construct(self, facts: object) -> Construct:
        match facts:
            case [str() as kind, place, function, bool() as initialises] if kind in _KINDS:
                return Construct(
                    kind=kind,
                    place=self._place(place),
                    function=_name(function),
                    initialises=initialises,
                )
            case _:
                raise ProtocolError("a construct of the wrong shape")

    def function(self, facts: object) -> FunctionSurvey:
        match facts:
            case [
                name,
                place,
                list() as parameters,
                bool() as has_docstring,
                code_lines,
                nesting,
                list() as calls,
                list() as touches,
            ]:
                pass
            case _:
                raise ProtocolError("a function of the wrong shape")
        caps = SURVEY_CAPS
        return FunctionSurvey(
            name=_name(name),
            place=self._place(place),
            parameters=tuple(map(_param, _at_most(caps.parameters_of_a_function, parameters))),
            has_docstring=has_docstring,
            code_lines=_number(code_lines, 0),
            nesting=_number(nesting, 0),
            calls=tuple(map(_name, _at_most(caps.calls_of_a_function, calls))),
            touches=tuple(map(self._touch, _at_most(caps.touches_of_a_function, touches))),
        )

    def _touch(self, facts: object) -> _Touch:
        match facts:
            case [parameter, str() as how, place] if how in TOUCHES:
                return _Touch(parameter=_name(parameter), how=how, place=self._place(place))
            case _:
                raise ProtocolError("a touch of the wrong shape")

    def imported(self, facts: object) -> ImportSurvey:
        name, place = self.suspicious(facts)
        return ImportSurvey(name=name, place=place)

    def too_new(self, facts: object) -> TooNew:
        match facts:
            case [what, [major, minor], place]:
                since = _number(major, 0), _number(minor, 0)
                return TooNew(what=_name(what), since=since, place=self._place(place))
            case _:
                raise ProtocolError("newer syntax of the wrong shape")

    def repeated(self, facts: object) -> Repetition:
        match facts:
            case [first, second, statements]:
                return Repetition(
                    first=self._place(first),
                    second=self._place(second),
                    statements=_number(statements, 1),
                )
            case _:
                raise ProtocolError("a repetition of the wrong shape")

    def suspicious(self, facts: object) -> tuple[str, Place]:
        match facts:
            case [name, place]:
                return _name(name), self._place(place)
            case _:
                raise ProtocolError("a name of the wrong shape")


def _param(facts: object) -> ParameterSurvey:
    match facts:
        case [name, str() as kind, bool() as has_default] if kind in PARAMETER_KINDS:
            return ParameterSurvey(name=_name(name), kind=kind, has_default=has_default)
        case _:
            raise ProtocolError("a parameter of the wrong shape")


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ProtocolError(f"a survey with {what}")


def _at_most(most: int, facts: list[object]) -> list[object]:
    _require(len(facts) <= most, "too many facts")
    return facts


def _name(name: object) -> str:
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS:
        raise ProtocolError("a survey with a name of the wrong shape")
    return name


def _number(number: object, least: int) -> int:
    if type(number) is not int or not least <= number <= _MOST:
        raise ProtocolError("a survey with a number out of range")
    return number
