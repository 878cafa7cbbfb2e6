"""Judges rules, collects advice, and explains deep recursion, by the survey of the source."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from grader.intake.submission import SourceFile
from grader.judging.endless import DepthExplainer
from grader.judging.picture_making import DrawsCalls, call_drawer
from grader.judging.probing import ProbeLimit, ProbeRunner, probe_seed
from grader.judging.record import Advice
from grader.judging.results import Results, Ruling, skipped
from grader.judging.rules.rule import Evidence, JudgedRule, dotted_name
from grader.judging.rules.source import version_asked
from grader.judging.trial import Trials
from grader.messages import message
from grader.sandbox.observation import CodePlace
from grader.sandbox.survey import Survey, survey_of
from grader.seams import EXTRAS
from grader.suite.model import Suite
from grader.suite.rules import Rule
from grader.suite.session import Session
from grader.suite.sought import Sought, sought
from grader.values.foreign_text import one_line

_MAX_DEATHS: Final = 3
"""Probes that may die before no more are made on this submission."""
_NO_FACTS: Final = Survey(
    constructs=(),
    functions=(),
    imports=(),
    too_new=(),
    repeated=(),
    suspicious=(),
    starts={},
    unnamed=(),
    definitions=(),
    unparsed={},
)


class SurveyJudge:
    """Judges one submission by the survey of its source."""

    def __init__(
        self,
        suite: Suite,
        files: Mapping[str, SourceFile],
        parts: Mapping[str, str],
        trials: Trials,
    ) -> None:
        """Judge the submission that `trials` run by the rules of `suite`.

        `files` are the student's own modules, by import name; `parts` maps each module of the
        exercise to its import name.
        """
        self._suite: Final = suite
        self._files: Final = files
        self._parts: Final = parts
        self._trials: Final = trials
        self._runner: Final = trials.runner
        texts = {name: file.text for name, file in files.items()}
        self._prober: Final = ProbeRunner(trials.runner, probe_seed(suite.seed, texts))

    @cached_property
    def survey(self) -> Survey | None:
        """The facts about what the student wrote for the exercise, or None if it kills the parser.

        Files that no module of the exercise imports, such as tests and a window, are left out. So
        is unchanged given code, except for its calls.
        """
        handed_out = self._handed_out
        survey = survey_of(
            self._runner,
            self._files.keys(),
            version_asked(self._suite),
            handed_out.keys(),
            self._search_keys(),
        )
        if survey is None:
            return None
        wanted = self._imported(survey)
        given = tuple(each for each in survey.definitions if each.digest in handed_out[each.name])

        def is_own(place: CodePlace) -> bool:
            return place.module in wanted and not any(place.within(each.place) for each in given)

        return replace(
            survey,
            # Taken before filtering, which makes clipped lists look complete.
            was_clipped=survey.is_clipped,
            constructs=tuple(each for each in survey.constructs if is_own(each.place)),
            functions=tuple(each for each in survey.functions if each.place.module in wanted),
            imports=tuple(each for each in survey.imports if each.place.module in wanted),
            too_new=tuple(each for each in survey.too_new if is_own(each.place)),
            repeated=tuple(
                each for each in survey.repeated if is_own(each.first) and is_own(each.second)
            ),
            suspicious=tuple(each for each in survey.suspicious if is_own(each.place)),
            starts={name: each for name, each in survey.starts.items() if name in wanted},
            definitions=given,
            unparsed={name: why for name, why in survey.unparsed.items() if name in wanted},
        )

    def _search_keys(self) -> list[Sought]:
        """Return what rules search for; a name without a module may be one of the exercise."""
        suite = self._suite
        found = []
        # A dict as an ordered set: the survey must not depend on hash order.
        for word in {word: None for rule in suite.rules for word in _judgeable(rule).sought}:
            each = sought(word)
            if each.kind == "name":
                own = dotted_name(word, suite.modules, suite.binds, self._parts)
                each = each._replace(meanings=(*each.meanings, own))
            found.append(each)
        return found

    @property
    def _handed_out(self) -> dict[str, Collection[str]]:
        """Digests of the code handed out to students, by dotted name in the submission."""
        found: dict[str, Collection[str]] = {}
        for name, digests in self._suite.handed_out.items():
            module, _, part = name.rpartition(".")
            module = module or self._suite.modules[0]
            found[f"{self._parts.get(module, module)}.{part}"] = digests
        return found

    @property
    def given_lines(self) -> dict[str, set[int]]:
        """The line numbers of unchanged handed-out code, by file name."""
        lines: dict[str, set[int]] = {}
        for each in self.survey.definitions if self.survey is not None else ():
            file = self._files[each.place.module].name
            lines.setdefault(file, set()).update(range(each.place.line, each.place.end_line + 1))
        return lines

    def _imported(self, survey: Survey) -> set[str]:
        """Return the modules of the exercise, and the student's modules that they import."""
        wanted: set[str] = set()
        pending = set(self._parts.values())
        while pending:
            module = pending.pop()
            wanted.add(module)
            for each in survey.imports:
                name = each.name.removeprefix(".")  # `from . import x` as in a package
                if each.place.module == module and name in self._files:
                    pending.update({name} - wanted)
        return wanted

    def advice(self) -> tuple[Advice, ...]:
        """Return advice on the student's own files; empty where its plug-in is not installed."""
        advise = EXTRAS.find("advice")
        found: tuple[Advice, ...] = advise(self._files, self.survey) if advise else ()
        return found

    def why_too_deep(self, session: Session, results: Results) -> Results:
        """Return `results`, with explanations for calls that went too deep."""
        return self._depths.explained(session, results)

    def with_calls(self, session: Session, results: Results) -> Results:
        """Return `results`, with the calls to draw added to failed ones."""
        return self._calls.drawn(session, results)

    @cached_property
    def _calls(self) -> DrawsCalls:
        return call_drawer(self._suite, self._runner, self._parts)

    @cached_property
    def _depths(self) -> DepthExplainer:
        functions = self.survey.functions if self.survey is not None else ()
        parameters = {
            (facts.name, facts.place.line): [each.name for each in facts.parameters]
            for facts in functions
        }
        return DepthExplainer(self._runner, self._suite.limits.recursion, parameters)

    def rulings(
        self,
        *,
        missing: Collection[str],
        unloadable: Collection[str],
        only_alone: bool,
        slow: Collection[str],
    ) -> Iterator[tuple[JudgedRule, Ruling]]:
        """Yield each rule with the ruling on it, in the order of the suite.

        `missing` are names that the submission does not define, `unloadable` modules that cannot be
        loaded, `slow` groups with a case that used up its time or memory. `only_alone` says that
        a session passed by itself but not after others.
        """
        suite = self._suite
        evidence = Evidence(
            survey=self.survey or _NO_FACTS,
            prober=self._prober,
            trials=self._trials,
            only_alone=only_alone,
            modules=suite.modules,
            binds=suite.binds,
            defines=suite.defines,
            parts=self._parts,
            importable={*self._files, *suite.given, *suite.modules},
            source_chars=sum(len(file.text) for file in self._files.values()),
        )
        rules = list(map(_judgeable, suite.rules))

        def early_ruling(rule: JudgedRule) -> Ruling | None:
            return self._ruling_if_missing(rule, missing, unloadable) or self._ruling_if_unprobed(
                rule, slow
            )

        # All first probes are announced before any runs, so that rules share executors.
        for rule in itertools.filterfalse(early_ruling, rules):
            rule.expect(evidence)
        for rule in rules:
            # Asked again, as earlier rules used budget.
            yield rule, early_ruling(rule) or _judged(rule, evidence)

    def _ruling_if_missing(
        self, rule: JudgedRule, missing: Collection[str], unloadable: Collection[str]
    ) -> Ruling | None:
        """Return the ruling on a rule whose functions or source are missing, else None."""
        for function in rule.needed:
            if function in missing:
                return skipped(message("rule.missing", function=one_line(function, 80)))
            module = function.rpartition(".")[0]
            if module in unloadable and not rule.reads_source:
                return skipped(message("rule.unloadable", module=module))
        if rule.reads_source and self.survey is None:
            return skipped(message("rule.unreadable"))
        return None

    def _ruling_if_unprobed(self, rule: JudgedRule, slow: Collection[str]) -> Ruling | None:
        """Return the ruling on a rule that may not probe any more, else None."""
        if not rule.probes:
            return None
        if rule.group in slow or self._prober.deaths >= _MAX_DEATHS:
            return skipped(message("rule.slow"))
        if spent := self._runner.spent:
            return skipped(spent)
        return None


def _judgeable(rule: Rule) -> JudgedRule:
    assert isinstance(rule, JudgedRule), "suites are loaded with the kinds of this package"
    return rule


def _judged(rule: JudgedRule, evidence: Evidence) -> Ruling:
    """Return the ruling on `rule`, or SKIPPED if the budget runs out first."""
    try:
        return rule.judge(evidence)
    except ProbeLimit as spent:
        return skipped(spent.reason)
