"""A rule on encapsulation: only some functions may know how data is represented.

There are two kinds of evidence. The probe runs on the submission with its data sealed (see the
executor's `sealing`), which shows the functions that access the data, and where. The source shows
the functions that index, unpack or iterate over a parameter with the name that knowing functions
use for the data. What the probe shows is certain, but it covers only code that ran. The source
covers all code, but a parameter can have that name by coincidence.

    a forbidden function accessed the data     broken
    only the source shows such an access       a person decides
    sealing changes the results of the probe   the source alone, and a person decides
    otherwise                                  passed

A helper that is called only by functions that may know the representation may know it, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from grader.judging.probing import Probe, ProbeObservation
from grader.judging.record import TableRow
from grader.judging.results import (
    Hit,
    Ruling,
    broken_ruling,
    passed_ruling,
    review_ruling,
    skipped_ruling,
)
from grader.judging.rules.probes import check_setup, probe_for_setup
from grader.judging.rules.rule import (
    MAX_HITS,
    Evidence,
    JudgedRule,
    format_as_code,
    name_for_list,
    outermost_function,
    unqualified_name,
)
from grader.judging.rules.sealed_accesses import (
    Access,
    has_completed,
    has_made_nothing,
    recorded_accesses,
)
from grader.messages import Message, message
from grader.sandbox.observation import Raised
from grader.sandbox.survey import FunctionSurvey
from grader.suite.diagnostics import did_you_mean, join_words, quote
from grader.suite.fields import FunctionName, Items, PartName, StepCode, key, optional
from grader.suite.rules import RuleScope
from grader.values.foreign_text import one_line

_RECURSION_LIMIT: Final = 3_000
"""Higher than Python's default limit, because sealed data takes stack frames as well."""
_MAX_ROWS: Final = 100
_MAX_LINES: Final = 50
_NAME_CHARS: Final = 80
_WORD: Final = re.compile(r"\w+")


class Encapsulation(JudgedRule, title="encapsulation"):
    """Data whose representation only some functions may know."""

    kind: ClassVar[str] = "encapsulation"
    summary: ClassVar[str] = "Data whose representation only some functions may know."
    example: ClassVar[dict[str, Any]] = {
        "made_by": ["make"],
        "setup": ["board = make(4)", "show(board)"],
    }
    probes: ClassVar[bool] = True

    module: PartName | None = optional(
        "The module whose data it is, if there are several.", "Board"
    )
    made_by: Items[FunctionName] = key(
        "Functions that return such data.", ["Board.make_board", "Board.copy_board"], min_length=1
    )
    known_to: Items[FunctionName] = key(
        "Other functions that may know how the data is represented.",
        ["Board.is_filled_at", "Board.fill_cell"],
        default_factory=tuple,
    )
    parameter: int = key(
        "The index of the parameter that is the data, counted from 0.", 0, default=0, ge=0, le=100
    )
    setup: Items[StepCode] = key(
        "Steps that call all functions that are to be examined.",
        ["board = Board.make_board(4)", "Board.free_row(board, 1)"],
        min_length=1,
    )

    @property
    def name(self) -> str | None:
        """The module whose data the rule is about."""
        return self.module

    @property
    def needed_functions(self) -> tuple[str, ...]:
        """The functions that make the data."""
        return tuple(dict.fromkeys(self.made_by))

    def check(self, scope: RuleScope) -> None:
        """Report to `scope` unknown functions and modules, and errors in the probe."""
        scope.check_functions("made_by", self.made_by)
        scope.check_functions("known_to", self.known_to)
        check_setup(scope, self.setup)
        if not scope.modules:
            if self.module is not None:
                problem = "'module' means nothing for a single module"
                scope.report_key("module", problem, "leave it out")
            return
        advice = f"modules to choose from: {join_words(scope.modules)}"
        if self.module is None:
            problem = "the data of which module is this rule about?"
            scope.report_key("made_by", problem, f"add `module:`; {advice}")
        elif self.module not in scope.modules:
            problem = f"unknown module {quote(self.module)}"
            problem += did_you_mean(self.module, scope.modules)
            scope.report_value(("module",), problem, advice)

    def complete_from(self, scope: RuleScope) -> Self:
        """Return the rule with its module, and with `known_to` including all of `made_by`."""
        module = self.module or "" if scope.modules else scope.module
        known_to = tuple(dict.fromkeys((*self.made_by, *self.known_to)))
        return self.with_changes(module=module, known_to=known_to)

    def sentence(self) -> Message:
        """Return the demand: which functions are allowed to know the representation."""
        functions = format_as_code((unqualified_name(name) for name in self.known_to), None)
        return message("demand.encapsulation", module=self.module or "", functions=functions)

    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling, based on a probe and on the survey of the source."""
        data = Representation(
            module=evidence.parts.get(self.module or "", self.module or ""),
            made_by=tuple(map(evidence.dotted, self.needed_functions)),
            known_to=tuple(map(evidence.dotted, self.known_to)),
            parameter=self.parameter,
        )
        probe = probe_for_setup(evidence, self.setup)
        return judge_representation(data, probe, evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Representation:
    """Data whose representation only some functions are allowed to know; names are dotted."""

    module: str
    made_by: tuple[str, ...]
    known_to: tuple[str, ...]
    parameter: int


def judge_representation(data: Representation, probe: Probe, evidence: Evidence) -> Ruling:
    """Return the ruling on whether only allowed functions access the representation of `data`.

    Runs `probe` plain and sealed. The functions of the exercise do not count as helpers.
    """
    return _Judgement(data, probe, evidence).ruling()


class _Judgement:
    """The judgement of one submission by a rule on the encapsulation of `data`."""

    def __init__(self, data: Representation, probe: Probe, evidence: Evidence) -> None:
        self._data: Final = data
        self._probe: Final = probe
        self._prober: Final = evidence.prober
        self._survey: Final = evidence.survey
        self._exercise: Final = evidence.required_functions
        knowing = set(data.known_to) - set(data.made_by)
        self._parameter_names: Final = {
            function.parameters[data.parameter].name
            for function in self._survey.functions
            if function.name in knowing and len(function.parameters) > data.parameter
        }
        """Names of the parameter for the data in functions that know the data but do not make
        it."""

    def ruling(self) -> Ruling:
        """Run the probe plain and with sealed data, and return the ruling."""
        plain = self._run({})
        if not has_completed(plain):
            return self._rule_by_source(skipped_ruling(_failure_message(plain)))
        seal = {"made_by": self._data.made_by, "known_to": self._data.known_to}
        sealed = self._run({"seal": seal, "recursion": _RECURSION_LIMIT})
        if has_made_nothing(sealed):
            return self._rule_by_source(skipped_ruling(message("encapsulation.nothing")))
        accesses_in_probe = recorded_accesses(sealed, plain, self._survey)
        accesses = [*self._accesses_in_source(), *(accesses_in_probe or [])]
        caught_functions = {access.function for access in accesses if access.is_certain}
        allowed = self._allowed_functions({*self._exercise, *caught_functions})
        wrong_accesses = [access for access in accesses if access.function not in allowed]
        return replace(
            _ruling(wrong_accesses, is_probe_complete=accesses_in_probe is not None),
            table=self._table(accesses, allowed),
        )

    def _run(self, settings: Mapping[str, Any]) -> ProbeObservation:
        """Run the probe with `settings` for the instruments, and return its observation."""
        size = self._probe.sizes[0]
        return self._prober.session(
            self._probe, size, settings=settings, call="{code}", transformed=False
        ).observe()

    def _rule_by_source(self, ruling: Ruling) -> Ruling:
        """Return the ruling based on the source alone.

        If the source shows no wrong access, return `ruling`, the one on the failed probe.
        """
        accesses, allowed = self._accesses_in_source(), self._allowed_functions(self._exercise)
        if wrong_accesses := [access for access in accesses if access.function not in allowed]:
            source_ruling = _ruling(wrong_accesses, is_probe_complete=False)
            evidence = (*source_ruling.evidence, *ruling.evidence)
            ruling = replace(source_ruling, evidence=evidence)
        return replace(ruling, table=self._table(accesses, allowed))

    def _accesses_in_source(self) -> list[Access]:
        """Return the accesses to parameters with a name used for the data, except in methods."""
        return [
            Access(
                function=outermost_function(function.name), place=touch.place, was_recorded=False
            )
            for function in self._survey.functions
            if not _is_method(function)
            for touch in function.touches
            if touch.parameter in self._parameter_names
        ]

    def _allowed_functions(self, excluded: Collection[str]) -> set[str]:
        """Return the functions that are allowed to know the representation, with their helpers.

        A helper is a function that only these functions, and other helpers, call by name, and that
        no step of the probe names. Functions in `excluded` are never helpers: the exercise's own
        functions, and those that were caught accessing sealed data.
        """
        callers: dict[str, set[str]] = {}
        for function in self._survey.functions:
            for called in function.calls:
                callers.setdefault(outermost_function(called), set()).add(
                    outermost_function(function.name)
                )
        steps = (*self._probe.setup, self._probe.call, *self._probe.observe)
        named_in_probe = {name for step in steps for name in _WORD.findall(step.code)}
        allowed = {*self._data.known_to, *self._data.made_by}
        helpers = {
            name: caller_names - {name}
            for name, caller_names in callers.items()
            if name not in excluded
            and name.rpartition(".")[2] not in named_in_probe
            and caller_names - {name}
        }
        # Helpers can have helpers themselves: repeat until no function is added.
        while new_helpers := {
            name
            for name, caller_names in helpers.items()
            if name not in allowed and caller_names <= allowed
        }:
            allowed |= new_helpers
        return allowed

    def _table(self, accesses: list[Access], allowed: Collection[str]) -> tuple[TableRow, ...]:
        """Return a table row for each function that has the data as a parameter or accesses it."""
        lines: dict[str, set[int]] = {
            outermost_function(function.name): set()
            for function in sorted(self._survey.functions, key=lambda function: function.place)
            if not _is_method(function)
            and any(p.name in self._parameter_names for p in function.parameters)
        }
        for access in accesses:
            lines.setdefault(access.function, set()).add(access.place.line)
        rows = (
            TableRow(
                function=name_for_list(name.removeprefix(f"{self._data.module}.")),
                knows=bool(line_numbers),
                may_know=name in allowed,
                lines=tuple(sorted(line_numbers))[:_MAX_LINES],
            )
            for name, line_numbers in lines.items()
        )
        return tuple(rows)[:_MAX_ROWS]


def _ruling(wrong_accesses: list[Access], *, is_probe_complete: bool) -> Ruling:
    """Return the ruling on `wrong_accesses`, made by functions that must not access the data.

    If `is_probe_complete`, the probe would have recorded any access.
    """
    if certain_accesses := [access for access in wrong_accesses if access.is_certain]:
        names = _function_names(certain_accesses)
        reason = message("encapsulation.broken", count=len(names), functions=format_as_code(names))
        return broken_ruling(reason, hits=_hits(certain_accesses))
    if wrong_accesses:
        names = _function_names(wrong_accesses)
        reason = message(
            "encapsulation.suspected", count=len(names), functions=format_as_code(names)
        )
        extra_messages = (
            ()
            if any(access.was_recorded for access in wrong_accesses)
            else (message("encapsulation.only_source"),)
        )
        return review_ruling(reason, *extra_messages, hits=_hits(wrong_accesses))
    return (
        passed_ruling(message("encapsulation.clean"))
        if is_probe_complete
        else review_ruling(message("encapsulation.unclear"))
    )


def _function_names(accesses: list[Access]) -> list[str]:
    return list(dict.fromkeys(unqualified_name(access.function) for access in accesses))


def _hits(accesses: list[Access]) -> tuple[Hit, ...]:
    return tuple(Hit(place=place) for place in sorted({access.place for access in accesses}))[
        :MAX_HITS
    ]


def _failure_message(observation: ProbeObservation) -> Message:
    """Return a message about why the plain probe failed."""
    match observation.call.outcome:
        case Raised(type_names=(error, *_)):
            type_name = one_line(error, _NAME_CHARS)
            return message("encapsulation.raised", error=type_name)
        case _:
            return message("encapsulation.not_run")


def _is_method(function: FunctionSurvey) -> bool:
    """Return whether `function` is a method or nested in one."""
    name = outermost_function(function.name).removeprefix(f"{function.place.module}.")
    return "." in name
