"""A rule on encapsulation: only some functions may know how data is represented.

Two kinds of evidence. The probe runs on the submission with its data sealed (see the executor's
`sealing`), which shows which functions look into it, and where. And the source shows which
functions index, unpack or iterate over a parameter with the name that knowing functions use for the
data. The probe is certain, but covers only what ran. The source covers all code, but a parameter
may have that name by chance.

    a function accessed it that must not       broken
    only the source says that one does         a person decides
    sealing changes what the probe shows       the source alone, and a person decides
    otherwise                                  passed

A helper called only by functions that may know the representation may know it too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from grader.judging.probing import Probe, ProbeObservation
from grader.judging.record import TableRow
from grader.judging.results import Hit, Ruling, broken, passed, review, skipped
from grader.judging.rules.probes import check_setup, probe_of_setup
from grader.judging.rules.rule import (
    MAX_HITS,
    Evidence,
    JudgedRule,
    in_code,
    label,
    listed_name,
    outermost,
)
from grader.messages import Message, message
from grader.sandbox.observation import CodePlace, Observation, Raised, Returned
from grader.sandbox.survey import FunctionSurvey, Survey
from grader.suite.diagnostics import did_you_mean, listed, quoted
from grader.suite.fields import FunctionName, Items, PartName, StepCode, key, optional
from grader.suite.rules import RuleScope
from grader.values.equality import equal
from grader.values.foreign_text import one_line, shown_text
from grader.values.tree import Opaque

_SEALED: Final = Opaque("sealed data")
"""The value that arrives for sealed data."""
_RECURSION: Final = 3_000
"""Higher than Python's limit, as sealed data takes stack frames too."""
_MAX_ACCESSES: Final = 300
_MAX_ROWS: Final = 100
_MAX_LINES: Final = 50
_MAX_LINE: Final = 10**9
"""No source has more lines; anything larger was forged."""
_FUNCTION_CHARS: Final = 1_000
"""The longest name that the instruments report."""
_NAME_CHARS: Final = 80
_LOCALS: Final = ".<locals>"
_WORD: Final = re.compile(r"\w+")


class Encapsulation(JudgedRule, title="encapsulation"):
    """Data of which only some functions may know how it is represented."""

    kind: ClassVar[str] = "encapsulation"
    summary: ClassVar[str] = "Data of which only some functions may know how it is represented."
    example: ClassVar[dict[str, Any]] = {
        "made_by": ["make"],
        "setup": ["board = make(4)", "show(board)"],
    }
    probes: ClassVar[bool] = True

    module: PartName | None = optional("Of several modules the one whose data it is.", "Board")
    made_by: Items[FunctionName] = key(
        "Functions that return such data.", ["Board.make_board", "Board.copy_board"], min_length=1
    )
    known_to: Items[FunctionName] = key(
        "Other functions that may know how it is represented.",
        ["Board.is_filled_at", "Board.fill_cell"],
        default_factory=tuple,
    )
    parameter: int = key(
        "Which parameter of the functions is the data, from 0 on.", 0, default=0, ge=0, le=100
    )
    setup: Items[StepCode] = key(
        "Steps that call all functions which are to be looked into.",
        ["board = Board.make_board(4)", "Board.free_row(board, 1)"],
        min_length=1,
    )

    @property
    def name(self) -> str | None:
        """The module whose data it is."""
        return self.module

    @property
    def needed(self) -> tuple[str, ...]:
        """The functions that make the data."""
        return tuple(dict.fromkeys(self.made_by))

    def check(self, scope: RuleScope) -> None:
        """Report unknown functions and modules, and errors in the probe."""
        scope.check_functions("made_by", self.made_by)
        scope.check_functions("known_to", self.known_to)
        check_setup(scope, self.setup)
        if not scope.modules:
            if self.module is not None:
                problem = "'module' means nothing for a single module"
                scope.at_key("module", problem, "leave it out")
            return
        known = f"modules to choose from: {listed(scope.modules)}"
        if self.module is None:
            problem = "the data of which module is this rule about?"
            scope.at_key("made_by", problem, f"add `module:`; {known}")
        elif self.module not in scope.modules:
            problem = f"unknown module {quoted(self.module)}"
            problem += did_you_mean(self.module, scope.modules)
            scope.at_value(("module",), problem, known)

    def completed(self, scope: RuleScope) -> Self:
        """Fill in the module, and let functions that make the data know it."""
        module = self.module or "" if scope.modules else scope.module
        known_to = tuple(dict.fromkeys((*self.made_by, *self.known_to)))
        return self.changed(module=module, known_to=known_to)

    def sentence(self) -> Message:
        """Say which functions may know the representation."""
        functions = in_code((label(name) for name in self.known_to), None)
        return message("demand.encapsulation", module=self.module or "", functions=functions)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by probing and by the source."""
        data = Representation(
            module=evidence.parts.get(self.module or "", self.module or ""),
            made_by=tuple(map(evidence.dotted, self.needed)),
            known_to=tuple(map(evidence.dotted, self.known_to)),
            parameter=self.parameter,
        )
        probe = probe_of_setup(evidence, self.setup)
        return judge_representation(data, probe, evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Representation:
    """Data whose representation only some functions may know; names are dotted."""

    module: str
    made_by: tuple[str, ...]
    known_to: tuple[str, ...]
    parameter: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Access:
    """One access to the data: by which function, where, and how that is known."""

    function: str
    """The dotted name of the outermost function."""
    place: CodePlace
    ran: bool
    """Whether the probe recorded it; else it comes from the source."""
    sure: bool = False
    """Whether it was certainly the data, not a result that happens to be it."""


def judge_representation(data: Representation, probe: Probe, evidence: Evidence) -> Ruling:
    """Return the ruling on whether only allowed functions access the representation.

    The functions of the exercise do not count as helpers.
    """
    return _Judgement(data, probe, evidence).ruling()


class _Judgement:
    def __init__(self, data: Representation, probe: Probe, evidence: Evidence) -> None:
        self._data: Final = data
        self._probe: Final = probe
        self._prober: Final = evidence.prober
        self._survey: Final = evidence.survey
        self._exercise: Final = evidence.exercise
        knowing = set(data.known_to) - set(data.made_by)
        self._names: Final = {
            function.parameters[data.parameter].name
            for function in self._survey.functions
            if function.name in knowing and len(function.parameters) > data.parameter
        }
        """Names of the data parameter in functions that know the data but do not make it."""

    def ruling(self) -> Ruling:
        """Return the ruling, after running the probe plain and with sealed data."""
        plain = self._run({})
        if not _completed(plain):
            return self._from_source(skipped(_failure_message(plain)))
        seal = {"made_by": self._data.made_by, "known_to": self._data.known_to}
        sealed = self._run({"seal": seal, "recursion": _RECURSION})
        if _made_nothing(sealed):
            return self._from_source(skipped(message("encapsulation.nothing")))
        recorded = _recorded_accesses(sealed, plain, self._survey)
        accesses = [*self._accesses_in_source(), *(recorded or [])]
        caught = {access.function for access in accesses if access.sure}
        allowed = self._allowed_functions({*self._exercise, *caught})
        wrong = [access for access in accesses if access.function not in allowed]
        return replace(
            _ruling(wrong, ran=recorded is not None), table=self._table(accesses, allowed)
        )

    def _run(self, settings: Mapping[str, Any]) -> ProbeObservation:
        size = self._probe.sizes[0]
        return self._prober.session(
            self._probe, size, settings=settings, call="{code}", transformed=False
        ).observe()

    def _from_source(self, ruling: Ruling) -> Ruling:
        """Return the ruling by the source, or `ruling` of the failed probe if it shows nothing."""
        accesses, allowed = self._accesses_in_source(), self._allowed_functions(self._exercise)
        if wrong := [access for access in accesses if access.function not in allowed]:
            by_source = _ruling(wrong, ran=False)
            ruling = replace(by_source, evidence=(*by_source.evidence, *ruling.evidence))
        return replace(ruling, table=self._table(accesses, allowed))

    def _accesses_in_source(self) -> list[_Access]:
        """Return the accesses to parameters with a name of the data, except in methods."""
        return [
            _Access(function=outermost(function.name), place=touch.place, ran=False)
            for function in self._survey.functions
            if not _is_method(function)
            for touch in function.touches
            if touch.parameter in self._names
        ]

    def _allowed_functions(self, others: Collection[str]) -> set[str]:
        """Return the functions that may know the representation, with their helpers.

        A helper is a function that only such functions call by name, and that the steps of the
        probe do not name. It is not in `others`: the exercise's own functions, and those caught
        accessing sealed data.
        """
        callers: dict[str, set[str]] = {}
        for function in self._survey.functions:
            for called in function.calls:
                callers.setdefault(outermost(called), set()).add(outermost(function.name))
        steps = (*self._probe.setup, self._probe.call, *self._probe.observe)
        named = {name for step in steps for name in _WORD.findall(step.code)}
        allowed = {*self._data.known_to, *self._data.made_by}
        helpers = {
            name: calling - {name}
            for name, calling in callers.items()
            if name not in others and name.rpartition(".")[2] not in named and calling - {name}
        }
        # Helpers may have helpers of their own: repeat until none is added.
        while new := {
            name for name, calling in helpers.items() if name not in allowed and calling <= allowed
        }:
            allowed |= new
        return allowed

    def _table(self, accesses: list[_Access], allowed: Collection[str]) -> tuple[TableRow, ...]:
        """Return a row for each function that takes the data, or accesses it."""
        lines: dict[str, set[int]] = {
            outermost(function.name): set()
            for function in sorted(self._survey.functions, key=lambda function: function.place)
            if not _is_method(function) and any(p.name in self._names for p in function.parameters)
        }
        for access in accesses:
            lines.setdefault(access.function, set()).add(access.place.line)
        rows = (
            TableRow(
                function=listed_name(name.removeprefix(f"{self._data.module}.")),
                knows=bool(found),
                may_know=name in allowed,
                lines=tuple(sorted(found))[:_MAX_LINES],
            )
            for name, found in lines.items()
        )
        return tuple(rows)[:_MAX_ROWS]


def _made_nothing(sealed: ProbeObservation) -> bool:
    """Return whether no data was made, as in an unchanged skeleton."""
    match sealed.evidence:
        case {"seal": {"missing": [], "made": 0}}:
            return True
    return False


def _ruling(wrong: list[_Access], *, ran: bool) -> Ruling:
    """Return the ruling about the `wrong` accesses; `ran` says whether the probe could show any."""
    if sure := [access for access in wrong if access.sure]:
        names = _names(sure)
        reason = message("encapsulation.broken", count=len(names), functions=in_code(names))
        return broken(reason, hits=_hits(sure))
    if wrong:
        names = _names(wrong)
        reason = message("encapsulation.suspected", count=len(names), functions=in_code(names))
        more = (
            () if any(access.ran for access in wrong) else (message("encapsulation.only_source"),)
        )
        return review(reason, *more, hits=_hits(wrong))
    return (
        passed(message("encapsulation.clean")) if ran else review(message("encapsulation.unclear"))
    )


def _names(accesses: list[_Access]) -> list[str]:
    return list(dict.fromkeys(label(access.function) for access in accesses))


def _hits(accesses: list[_Access]) -> tuple[Hit, ...]:
    return tuple(Hit(place=place) for place in sorted({access.place for access in accesses}))[
        :MAX_HITS
    ]


def _completed(observation: ProbeObservation) -> bool:
    return observation.reached and observation.died is None and observation.evidence is not None


def _failure_message(observation: ProbeObservation) -> Message:
    match observation.call.outcome:
        case Raised(type_names=(error, *_)):
            shown = one_line(error, _NAME_CHARS)
            return message("encapsulation.raised", error=shown)
        case _:
            return message("encapsulation.not_run")


def _recorded_accesses(
    sealed: ProbeObservation, plain: ProbeObservation, survey: Survey
) -> list[_Access] | None:
    """Return the accesses that the probe recorded; None if `sealed` differs from `plain`.

    Sealing is imperfect: C code that needs a real tuple rejects sealed data.
    """
    if not _completed(sealed) or sealed.evidence is None:
        return None
    before, after = (plain.call, *plain.observed), (sealed.call, *sealed.observed)
    if not all(map(_is_same, before, after)):
        return None
    # Functions listed as missing could not be sealed, so the run proves nothing.
    match sealed.evidence.get("seal"):
        case {"missing": [], "touches": list() as touches, "made": int()}:
            pass
        case _:
            return None
    # Reversed, as the last entry of a dict wins: the first touch on each line is kept.
    columns = {
        (touch.place.module, touch.place.line): touch.place
        for function in survey.functions
        for touch in reversed(function.touches)
    }
    accesses = (_access(touch, columns) for touch in touches[:_MAX_ACCESSES])
    return [access for access in accesses if access is not None]


def _is_same(plain: Observation, sealed: Observation) -> bool:
    """Return whether two steps returned and printed the same."""
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
    """Return whether two texts are equal except for addresses of objects, which differ by run."""
    return plain == sealed or shown_text(plain, len(plain)) == shown_text(sealed, len(sealed))


def _access(touch: object, places: Mapping[tuple[str, int], CodePlace]) -> _Access | None:
    """Return the access in `touch` of the evidence, or None if it is malformed."""
    match touch:
        case [str() as name, int() as line, str(), bool() as sure, int()] if (
            0 < line <= _MAX_LINE and len(name) <= _FUNCTION_CHARS
        ):
            # Code at module level goes by the name of its module.
            function = name.partition(_LOCALS)[0].removesuffix(".<module>")
            module = function.partition(".")[0]
            here = CodePlace(module=module, line=line, column=1, end_line=line, end_column=1)
            place = places.get((module, line), here)
            return _Access(function=function, place=place, ran=True, sure=sure)
        case _:
            return None


def _is_method(function: FunctionSurvey) -> bool:
    name = outermost(function.name).removeprefix(f"{function.place.module}.")
    return "." in name
