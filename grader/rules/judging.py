"""Judges all rules of a suite on one submission."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from grader.demands import (
    Demand,
    Docstrings,
    Encapsulation,
    Forbidden,
    Imports,
    Memory,
    PythonVersion,
    Recursion,
    Rule,
    Signature,
    Time,
    function_of,
)
from grader.display import one_line
from grader.messages import message
from grader.probing.prober import Prober
from grader.protocol import MAX_SUBMISSION_REPLY_BYTES
from grader.rules.cost import judge_memory, judge_time
from grader.rules.encapsulation import judge_encapsulation
from grader.rules.finding import RuleFinding, review, skipped
from grader.rules.forbidden import judge_forbidden
from grader.rules.headings import judge_signature
from grader.rules.recursion import judge_recursion
from grader.rules.syntax import judge_docstrings, judge_imports, judge_version
from grader.sessions import SessionRunner
from grader.suite import Suite
from grader.survey import Survey

_MOST_DEATHS: Final = 3
"""After so many probes that did not come to an end, no more are made on this submission."""
_MOST_SOURCE_CHARS: Final = 150_000
"""Longer source code is not rewritten to tell of its calls: it would take too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A submission, as the rules need to know it."""

    files: Collection[str]
    """The student's own modules, by the names that they are imported by."""
    parts: Mapping[str, str]
    """What each module of the exercise is imported by."""
    missing: Collection[str]
    """Names that it should define and does not, as the suite writes them."""
    unloadable: Collection[str]
    """Modules of the exercise that cannot be loaded."""
    slow: Collection[str] = ()
    """Groups of which a case used up its time or its memory."""
    source_chars: int = 0
    """How long its own source code is."""


def own_survey(
    runner: SessionRunner, subject: Subject, python: tuple[int, int] | None = None
) -> Survey | None:
    """Return the facts about what the student wrote for the exercise, None if it kills its parser.

    Files that no module of the exercise imports, such as tests and a window, are left out.
    """
    survey = runner.survey(subject.files, python)
    if survey is None:
        return None
    wanted = _imported(survey, subject)
    return replace(
        survey,
        constructs=tuple(each for each in survey.constructs if each.place.module in wanted),
        functions=tuple(each for each in survey.functions if each.place.module in wanted),
        imports=tuple(each for each in survey.imports if each.place.module in wanted),
        too_new=tuple(each for each in survey.too_new if each.place.module in wanted),
        repeated=tuple(each for each in survey.repeated if each.first.module in wanted),
        suspicious=tuple(each for each in survey.suspicious if each[1].module in wanted),
        unparsed={name: why for name, why in survey.unparsed.items() if name in wanted},
    )


def _imported(survey: Survey, subject: Subject) -> set[str]:
    """Return the modules of the exercise, and what they import of the student's own."""
    wanted: set[str] = set()
    waiting = set(subject.parts.values())
    while waiting:
        module = waiting.pop()
        wanted.add(module)
        for each in survey.imports:
            if each.place.module == module and each.name in subject.files:
                waiting.update({each.name} - wanted)
    return wanted


def version_asked(suite: Suite) -> tuple[int, int] | None:
    """Return the version of Python that a rule of `suite` asks for, if any does."""
    versions = (
        (rule.demand.major, rule.demand.minor)
        for rule in suite.rules
        if isinstance(rule.demand, PythonVersion)
    )
    return next(versions, None)


class RuleJudge:
    """Judges the rules of one suite on one submission."""

    def __init__(
        self, suite: Suite, subject: Subject, runner: SessionRunner, survey: Survey | None
    ) -> None:
        """Probe with `runner`; `survey` are the facts about the source, None if there are none."""
        self._suite: Final = suite
        self._subject: Final = subject
        self._survey: Final = survey
        self._runner: Final = runner
        self._prober: Final = Prober(runner)

    def findings(self) -> Iterator[tuple[Rule, RuleFinding]]:
        """Yield what became of each rule, in the order of the suite."""
        for rule in self._suite.rules:
            yield rule, self._why_not(rule) or self._finding(rule.demand)

    def _why_not(self, rule: Rule) -> RuleFinding | None:
        """Return the finding of a rule for which there is nothing to judge."""
        demand = rule.demand
        for function in _functions(demand):
            if function in self._subject.missing:
                return skipped(message("rule.missing", function=one_line(function, 80)))
            module = function.rpartition(".")[0]
            if module in self._subject.unloadable and not _is_static(demand):
                return skipped(message("rule.unloadable", module=module))
        if self._survey is None and _is_static(demand):
            return skipped(message("rule.unreadable"))
        if isinstance(demand, Forbidden | Signature | Imports | PythonVersion | Docstrings):
            return None
        if rule.group in self._subject.slow or self._prober.deaths >= _MOST_DEATHS:
            return skipped(message("rule.slow"))
        if self._runner.received_bytes > MAX_SUBMISSION_REPLY_BYTES:
            return skipped(message("not_run.replies"))
        if isinstance(demand, Recursion) and self._subject.source_chars > _MOST_SOURCE_CHARS:
            return review(message("rule.long"))
        return None

    def _finding(self, demand: Demand) -> RuleFinding:
        defined = [self._dotted(name) for name in self._suite.defines]
        match demand:
            case Recursion(function=function):
                of_function = replace(demand, function=self._dotted(function))
                return judge_recursion(of_function, self._prober, self._survey, defined)
            case Memory():
                return judge_memory(demand, self._prober)
            case Time():
                return judge_time(demand, self._prober)
        survey = self._survey
        assert survey is not None, "rules on the source need the source"
        match demand:
            case Forbidden():
                dotted = demand.function and self._dotted(demand.function)
                return judge_forbidden(replace(demand, function=dotted), survey, defined)
            case Signature():
                dotted = self._dotted(demand.function)
                return judge_signature(replace(demand, function=dotted), survey)
            case Docstrings(functions=functions):
                names = tuple(map(self._dotted, functions))
                return judge_docstrings(replace(demand, functions=names), survey)
            case Imports():
                own = {*self._subject.files, *self._suite.given, *self._suite.modules}
                return judge_imports(demand, survey, own)
            case PythonVersion():
                return judge_version(demand, survey)
            case Encapsulation():
                return judge_encapsulation(self._with_dotted(demand), survey, self._prober, defined)

    def _with_dotted(self, demand: Encapsulation) -> Encapsulation:
        return replace(
            demand,
            module=self._subject.parts.get(demand.module, demand.module),
            made_by=tuple(map(self._dotted, demand.made_by)),
            known_to=tuple(map(self._dotted, demand.known_to)),
        )

    def _dotted(self, function: str) -> str:
        """Return the name of `function`, as the suite writes it, with the module that it is in."""
        module, dot, name = function.partition(".")
        if not self._suite.modules:
            return f"{self._suite.module}.{function}"
        return f"{self._subject.parts.get(module, module)}{dot}{name}"


def _functions(demand: Demand) -> tuple[str, ...]:
    """Return the functions that `demand` cannot do without."""
    if isinstance(demand, Encapsulation):
        return demand.made_by
    function = function_of(demand)
    return () if function is None else (function,)


def _is_static(demand: Demand) -> bool:
    """Return whether `demand` is judged by the source."""
    return not isinstance(demand, Recursion | Memory | Time)
