"""Judges rules, collects advice, and explains deep recursion, based on the survey of the source."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from grader.intake.submission import SourceFile
from grader.judging.endless import DepthExplainer
from grader.judging.picture_making import AnyCallDrawer, call_drawer
from grader.judging.probing import ProbeLimit, ProbeRunner, probe_seed
from grader.judging.record import Advice
from grader.judging.results import Results, Ruling, review_ruling, skipped_ruling
from grader.judging.rules.rule import Evidence, JudgedRule, dotted_name
from grader.judging.rules.source import required_python_version
from grader.judging.trials import Trials
from grader.messages import message
from grader.protocol import TOO_MANY_FUNCTIONS
from grader.sandbox.observation import CodePlace
from grader.sandbox.survey import Survey, request_survey
from grader.seams import EXTRAS
from grader.suite.model import Suite
from grader.suite.rules import Rule
from grader.suite.search_terms import SearchTerm, parse_search_term
from grader.suite.session import Session
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict

_MAX_DEATHS: Final = 3
"""How many probes can die before no more are run on the submission."""
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
    """Judges one submission based on the survey of its source."""

    def __init__(
        self,
        suite: Suite,
        files: Mapping[str, SourceFile],
        parts: Mapping[str, str],
        trials: Trials,
    ) -> None:
        """Judge the submission that `trials` run by the rules of `suite`.

        `files` are the modules that the student wrote, keyed by import name; `parts` maps each
        module of the exercise to its import name.
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
        """The facts about the student's code for the exercise; None if the code kills the parser.

        Files that no module of the exercise imports, such as tests or a GUI, are left out. Of
        unchanged code that was handed out, only functions and imports are included.
        """
        handed_out = self._handed_out_digests
        survey = request_survey(
            self._runner,
            self._files.keys(),
            required_python_version(self._suite),
            handed_out.keys(),
            self._search_terms(),
        )
        if survey is None:
            return None
        modules = self._wanted_modules(survey)
        # A student who changed handed-out code has made it her own, so the digest decides.
        unchanged_definitions = tuple(
            d for d in survey.definitions if d.digest in handed_out[d.name]
        )

        def is_student_code(place: CodePlace) -> bool:
            """Return whether `place` is in code that the student wrote for the exercise."""
            return place.module in modules and not any(
                place.lies_within(definition.place) for definition in unchanged_definitions
            )

        return replace(
            survey,
            # Determined before filtering, which makes clipped lists look complete.
            was_clipped=survey.is_clipped,
            constructs=tuple(use for use in survey.constructs if is_student_code(use.place)),
            functions=tuple(f for f in survey.functions if f.place.module in modules),
            imports=tuple(i for i in survey.imports if i.place.module in modules),
            too_new=tuple(use for use in survey.too_new if is_student_code(use.place)),
            repeated=tuple(
                repetition
                for repetition in survey.repeated
                if is_student_code(repetition.first) and is_student_code(repetition.second)
            ),
            suspicious=tuple(name for name in survey.suspicious if is_student_code(name.place)),
            starts={name: called for name, called in survey.starts.items() if name in modules},
            definitions=unchanged_definitions,
            unparsed={name: reason for name, reason in survey.unparsed.items() if name in modules},
        )

    def _search_terms(self) -> list[SearchTerm]:
        """Return the constructs and names that the suite's rules search for.

        A name without a module can also mean a function of the exercise.
        """
        suite = self._suite
        terms = []
        # A dict serves as an ordered set, because the survey must not depend on hash order.
        for word in {
            word: None for rule in suite.rules for word in _as_judged_rule(rule).search_words
        }:
            term = parse_search_term(word)
            if term.kind == "name":
                dotted = dotted_name(word, suite.modules, suite.binds, self._parts)
                term = term._replace(meanings=(*term.meanings, dotted))
            terms.append(term)
        return terms

    @property
    def _handed_out_digests(self) -> dict[str, Collection[str]]:
        """Digests of the code handed out to students, keyed by dotted name in the submission."""
        by_name: dict[str, Collection[str]] = {}
        for name, digests in self._suite.handed_out.items():
            module, _, part = name.rpartition(".")
            module = module or self._suite.modules[0]
            by_name[f"{self._parts.get(module, module)}.{part}"] = digests
        return by_name

    @property
    def given_lines(self) -> dict[str, set[int]]:
        """The line numbers of handed-out code that is unchanged, keyed by file name."""
        lines: dict[str, set[int]] = {}
        for definition in self.survey.definitions if self.survey is not None else ():
            file = self._files[definition.place.module].name
            lines.setdefault(file, set()).update(
                range(definition.place.line, definition.place.end_line + 1)
            )
        return lines

    def _wanted_modules(self, survey: Survey) -> set[str]:
        """Return the modules of the exercise, and the student's modules that they import.

        Imports are followed transitively.
        """
        modules: set[str] = set()
        pending = set(self._parts.values())
        while pending:
            module = pending.pop()
            modules.add(module)
            for imported in survey.imports:
                name = imported.name.removeprefix(".")  # a relative import, as in a package
                if imported.place.module == module and name in self._files:
                    pending.update({name} - modules)
        return modules

    def advice(self) -> tuple[Advice, ...]:
        """Return advice on the student's files. It is empty if the plug-in is not installed."""
        advise = EXTRAS.find("advice")
        advice_items: tuple[Advice, ...] = advise(self._files, self.survey) if advise else ()
        return advice_items

    def explain_deep_recursion(self, session: Session, results: Results) -> Results:
        """Return `results` with explanations for cases of `session` that recursed too deeply."""
        return self._depth_explainer.add_explanations(session, results)

    def add_calls(self, session: Session, results: Results) -> Results:
        """Return `results` with pictures of the calls added to failed cases of `session`."""
        return self._call_drawer.draw_calls(session, results)

    @cached_property
    def _call_drawer(self) -> AnyCallDrawer:
        return call_drawer(self._suite, self._runner, self._parts)

    @cached_property
    def _depth_explainer(self) -> DepthExplainer:
        """The explainer of deep recursion; creating it makes the survey."""
        functions = self.survey.functions if self.survey is not None else ()
        parameters = {
            (facts.name, facts.place.line): [parameter.name for parameter in facts.parameters]
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

        `missing` are names that the submission does not define, `unloadable` are modules that
        cannot be loaded, and `slow` are groups with a case that used up its time or memory.
        `only_alone` is true if a session passed alone but not after others.
        """
        suite = self._suite
        evidence = Evidence(
            survey=self.survey or _NO_FACTS,
            prober=self._prober,
            trials=self._trials,
            passes_only_alone=only_alone,
            modules=suite.modules,
            binds=suite.binds,
            defines=suite.defines,
            parts=self._parts,
            importable={*self._files, *suite.given, *suite.modules},
            source_chars=sum(len(file.text) for file in self._files.values()),
        )
        rules = list(map(_as_judged_rule, suite.rules))

        def early_ruling(rule: JudgedRule) -> Ruling | None:
            """Return the ruling on `rule` if it cannot be judged, else None."""
            missing_ruling = self._ruling_if_missing(rule, missing, unloadable)
            return missing_ruling or self._ruling_if_unprobed(rule, slow)

        # The first probes of all rules are announced before any runs, so that they share executors.
        for rule in itertools.filterfalse(early_ruling, rules):
            rule.expect(evidence)
        for rule in rules:
            # Checked again, because earlier rules might have spent the budget.
            yield rule, early_ruling(rule) or _judge(rule, evidence)

    def _ruling_if_missing(
        self, rule: JudgedRule, missing: Collection[str], unloadable: Collection[str]
    ) -> Ruling | None:
        """Return the ruling on `rule` if its functions or the survey are missing, else None."""
        for function in rule.needed_functions:
            if function in missing:
                return skipped_ruling(message("rule.missing", function=one_line(function, 80)))
            module = function.rpartition(".")[0]
            if module in unloadable and not rule.reads_source:
                return skipped_ruling(message("rule.unloadable", module=module))
        if rule.reads_source and self.survey is None:
            # If the code can be run nevertheless, it could contain anything.
            ruling = skipped_ruling if unloadable else review_ruling
            return ruling(message("rule.unreadable"))
        return None

    def _ruling_if_unprobed(self, rule: JudgedRule, slow: Collection[str]) -> Ruling | None:
        """Return the ruling on `rule` if it needs probes but no more can run, else None."""
        if not rule.probes:
            return None
        if rule.group in slow or self._prober.deaths >= _MAX_DEATHS:
            return skipped_ruling(message("rule.slow"))
        if reason := self._runner.why_exhausted:
            return skipped_ruling(reason)
        return None


def _as_judged_rule(rule: Rule) -> JudgedRule:
    assert isinstance(rule, JudgedRule), "the loader knows only the kinds of this package"
    return rule


def _judge(rule: JudgedRule, evidence: Evidence) -> Ruling:
    """Return the ruling on `rule`, or SKIPPED if the budget runs out first.

    If facts about the source might be missing, a person has to decide on a rule that would pass.
    """
    try:
        ruling = rule.judge(evidence)
    except ProbeLimit as limit:
        return skipped_ruling(limit.reason)
    # A module that is not read, although it can be run, could contain anything.
    unread = TOO_MANY_FUNCTIONS in evidence.survey.unparsed.values()
    if unread and ruling.verdict is RuleVerdict.SKIPPED:
        return review_ruling(message("rule.clipped"))
    # A flood of harmless code could hide what breaks the rule.
    if ruling.verdict is not RuleVerdict.PASSED or not evidence.survey.is_clipped:
        return ruling
    reasons = message("rule.clipped"), *ruling.evidence
    return replace(ruling, verdict=RuleVerdict.REVIEW, evidence=reasons)
