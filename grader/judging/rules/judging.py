"""Judges all rules of a suite on one submission."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from grader.judging.probing.prober import ProbeRunner
from grader.judging.rules.python import Python
from grader.judging.rules.rule import Evidence, JudgedRule, Ruling, skipped
from grader.messages import message
from grader.protocol import MAX_SUBMISSION_REPLY_BYTES
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.survey import Survey
from grader.suite.model import Suite
from grader.values.display import one_line

_MOST_DEATHS: Final = 3
"""After so many probes that did not come to an end, no more are made on this submission."""
_NO_FACTS: Final = Survey(
    constructs=(), functions=(), imports=(), too_new=(), repeated=(), suspicious=(), unparsed={}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSubmission:
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
    runner: SessionRunner, subject: RuleSubmission, python: tuple[int, int] | None = None
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


def _imported(survey: Survey, subject: RuleSubmission) -> set[str]:
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
    return next((rule.version for rule in suite.rules if isinstance(rule, Python)), None)


class RuleJudge:
    """Judges the rules of one suite on one submission."""

    def __init__(
        self, suite: Suite, subject: RuleSubmission, runner: SessionRunner, survey: Survey | None
    ) -> None:
        """Probe with `runner`; `survey` are the facts about the source, None if there are none."""
        self._suite: Final = suite
        self._subject: Final = subject
        self._is_readable: Final = survey is not None
        self._runner: Final = runner
        self._prober: Final = ProbeRunner(runner)
        self._evidence: Final = Evidence(
            survey=survey or _NO_FACTS,
            prober=self._prober,
            modules=suite.modules,
            binds=suite.binds,
            defines=suite.defines,
            parts=subject.parts,
            importable={*subject.files, *suite.given, *suite.modules},
            source_chars=subject.source_chars,
        )

    def rulings(self) -> Iterator[tuple[JudgedRule, Ruling]]:
        """Yield each rule with the ruling on it, in the order of the suite."""
        for rule in self._suite.rules:
            assert isinstance(rule, JudgedRule), "suites are loaded with the kinds of this package"
            yield rule, self._why_not(rule) or rule.judge(self._evidence)

    def _why_not(self, rule: JudgedRule) -> Ruling | None:
        """Return the ruling on a rule for which there is nothing to judge."""
        for function in rule.needed:
            if function in self._subject.missing:
                return skipped(message("rule.missing", function=one_line(function, 80)))
            module = function.rpartition(".")[0]
            if module in self._subject.unloadable and not rule.reads_source:
                return skipped(message("rule.unloadable", module=module))
        if rule.reads_source and not self._is_readable:
            return skipped(message("rule.unreadable"))
        if not rule.probes:
            return None
        if rule.group in self._subject.slow or self._prober.deaths >= _MOST_DEATHS:
            return skipped(message("rule.slow"))
        if self._runner.received_bytes > MAX_SUBMISSION_REPLY_BYTES:
            return skipped(message("not_run.replies"))
        return None
