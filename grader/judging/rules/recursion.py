"""A rule on recursion, judged by the observed calls, not by the look of the source.

    observation                                        verdict
    no site is re-entered                              BROKEN
    none is, but the source has a cycle of calls       REVIEW: other inputs could reach it
    cutting changes no answer                          BROKEN: the recursion is decoration
    calls are only one deep at every size              BROKEN: a loop calls it for each element
    the recursion always returns the same value        REVIEW
    the recursion grows less than the rule demands     REVIEW
    few calls do most of the work                      REVIEW
    the answer exists before the recursion begins      REVIEW
    another function of the exercise recurs            REVIEW
    the source has names that can deceive a probe      REVIEW
    otherwise                                          PASSED

Recursion in other functions of the exercise does not count: calling it is not writing it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from grader.judging.calls import Site, function_display_name
from grader.judging.probing import raised_recursion_error
from grader.judging.results import (
    Hit,
    Ruling,
    broken_ruling,
    passed_ruling,
    review_ruling,
    skipped_ruling,
)
from grader.judging.rules.concentration import Concentration
from grader.judging.rules.construct_uses import (
    possibly_recursive_function,
    relevant_suspicious_names,
)
from grader.judging.rules.cutting import CutResult, ProbeCut
from grader.judging.rules.probes import Growth, ProbeRule, grows_at_least
from grader.judging.rules.rule import Evidence, unqualified_name
from grader.messages import Message, message
from grader.sandbox.observation import Raised
from grader.suite import texts
from grader.suite.diagnostics import quote
from grader.suite.fields import Items, Observer, flag, key, optional, parsed_by
from grader.suite.rules import RuleScope
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict

_Unit: TypeAlias = Annotated[str, parsed_by(texts.size_unit)]

_ERROR_CHARS: Final = 60
_NAME_CHARS: Final = 40
_MAX_LISTED_NAMES: Final = 5
_MAX_SOURCE_CHARS: Final = 150_000
"""Longer source code is not instrumented, as that would take too long."""
_ONE_DEEP: Final = 2
"""Recursion that is no deeper than this at any size is one call deep."""
_MAX_PATH: Final = 8
"""How many functions of an indirect recursion a message names."""


class Recursion(ProbeRule, title="recursion"):
    """A function that must be recursive, or must not be."""

    kind: ClassVar[str] = "recursion"
    summary: ClassVar[str] = "Functions that must be recursive, or must not be."
    example: ClassVar[dict[str, Any]] = {
        "function": "sum_of",
        "sizes": [5, 20],
        "call": "sum_of(range(n))",
    }

    observe: Items[Observer] = key(
        "Expressions that show what the call has changed, for functions that return nothing.",
        ["Board.get_all_filled_positions(board)"],
        default_factory=tuple,
    )
    also: Items[Observer] = key(
        "Further calls whose answers must need the recursion too, such as one that "
        "gives False where the call gives True.",
        ["Board.are_chainable(board, [(1, 1), (9, 9)])"],
        default_factory=tuple,
    )
    demand: Literal["required", "expected", "forbidden"] = key(
        "Whether the function must be recursive (required), must not be (forbidden), "
        "or is for a person to judge if it is not recursive (expected).",
        "required",
        default="required",
    )
    helper: bool = flag(
        "Whether a helper of the submission may be recursive instead. If recursion is "
        "forbidden: whether recursive helpers break the rule too, or are for a person to judge.",
        example=False,
        default=True,
    )
    loop: bool = flag(
        "Whether a loop beside the recursion may have any number of iterations; calls "
        "to other functions count in any case.",
        example=True,
        default=False,
    )
    depth: Growth = key(
        "How fast the depth of the recursion must at least grow with the size: constant "
        "(it need not grow), logarithmic or linear.",
        "linear",
        default="logarithmic",
    )
    calls: Growth = key(
        "How fast the number of recursive calls must at least grow with the size.",
        "linear",
        default="constant",
    )
    unit: _Unit | None = optional("What the size counts, in the language of the suite.", "posities")

    def check(self, scope: RuleScope) -> None:
        """Report to `scope` errors in the probe, and demands on growth that cannot be judged.

        These are any demand if recursion is forbidden, and a demand to grow with a single size.
        """
        self.check_probe(scope, self.observe, self.also)
        if self.demand == "forbidden":
            for key in sorted(self.given_keys & {"depth", "calls", "loop"}):  # a set has no order
                problem = f"{quote(key)} means nothing where recursion is forbidden"
                scope.report_key(key, problem, f"remove {quote(key)}")
        elif len(self.sizes) == 1:
            growing = [key for key in ("depth", "calls") if getattr(self, key) != "constant"]
            if growing:
                advice = f"give at least two sizes, or demand no growth: `{growing[0]}: constant`"
                problem = f"one size does not show that {quote(growing[0])} grows"
                scope.report_key("sizes", problem, advice)

    def sentence(self) -> Message:
        """Return the demand: the function (or a helper) must be recursive, or must not be."""
        function = unqualified_name(self.function)
        if self.demand == "forbidden":
            return message("demand.iterative", function=function)
        if self.helper:
            return message("demand.recursive", function=function)
        return message("demand.recursive_itself", function=function)

    def expect(self, evidence: Evidence) -> None:
        """Announce the probe's session for each size."""
        probe, prober = self.probe(evidence, self.observe, self.also), evidence.prober
        prober.expect(prober.session(probe, size, settings={}) for size in probe.sizes)

    def judge(self, evidence: Evidence) -> Ruling:
        """Run the probe and return the ruling. Raises `ProbeLimit` if the budget is spent.

        The survey has positions, and names that can deceive the probe. Too long code gets REVIEW.
        """
        if evidence.source_chars > _MAX_SOURCE_CHARS:
            return review_ruling(message("rule.long"))
        return _Judgement(self, evidence).ruling()


class _Judgement:
    """The judgement of one submission by a rule on recursion."""

    def __init__(self, rule: Recursion, evidence: Evidence) -> None:
        """Run the probe of `rule` on the submission, for all sizes or until one fails."""
        function = evidence.dotted(rule.function)
        probe = rule.probe(evidence, rule.observe, rule.also)
        self._rule: Final = rule
        self._function: Final = function
        self._cutting: Final = ProbeCut(evidence.prober, probe, function)
        self._survey: Final = evidence.survey
        words = rule.words((*rule.observe, *rule.also))
        self._suspicious: Final = relevant_suspicious_names(evidence, probe, words)
        self._other_functions: Final = frozenset(evidence.required_functions) - {function}
        self._name: Final = function_display_name(function)
        self._runs: Final = self._cutting.runs
        self._sizes: Final = [run.size for run in self._runs]
        self._candidates: Final = self._cutting.candidates()

    def ruling(self) -> Ruling:
        """Cut the recursion that the probe observed, and return the ruling."""
        if not self._runs:
            failed_observation = self._cutting.failed_observation
            # If the call returned, only the report is missing, and a person has to find out why.
            lacks_only_report = failed_observation is not None and failed_observation.all_returned
            decide = review_ruling if lacks_only_report else skipped_ruling
            return decide(self._failure_message())
        effects = self._cutting.effects()
        if self._rule.demand == "forbidden":
            return self._with_doubts(self._judge_forbidden(effects))
        ruling = self._with_doubts(self._judge_required(effects))
        # Expected recursion is not demanded, so its absence is left to a person.
        if ruling.verdict is RuleVerdict.BROKEN and self._rule.demand == "expected":
            return replace(ruling, verdict=RuleVerdict.REVIEW)
        return ruling

    def _failure_message(self) -> Message:
        """Return a message about why the probe failed at some size."""
        observation = self._cutting.failed_observation
        assert observation is not None, "a size without a run has failed"
        if observation.died is not None:
            return message("recursion.died", function=self._name)
        if raised_recursion_error(observation.call):
            return message("recursion.endless", function=self._name)
        if isinstance(observation.call.outcome, Raised):
            error = one_line(observation.call.outcome.type_names[0], _ERROR_CHARS)
            return message("recursion.raised", function=self._name, error=error)
        return message("recursion.no_evidence", function=self._name)

    # Recursion that is required

    def _judge_required(self, effects: dict[str, CutResult]) -> Ruling:
        """Return the ruling if recursion is required, based on the `effects` of cutting."""
        constant = self._sites_with(effects, CutResult.CONSTANT)
        needed = self._sites_with(effects, CutResult.MATTERS)
        if relevant := [site for site in needed if self._is_relevant(site)]:
            return self._judge_recursion(relevant)
        if relevant := [site for site in constant if self._is_relevant(site)]:
            return self._judge_constant_recursion(relevant)
        needed += constant
        if delegated := [site for site in needed if site.function in self._other_functions]:
            other = delegated[0].display_name
            return review_ruling(message("recursion.delegated", function=self._name, other=other))
        if needed:  # the recursion is in a helper, which is not allowed
            reason = message(
                "recursion.in_helper", function=self._name, helper=needed[0].display_name
            )
            return broken_ruling(reason, hits=self._hits(needed[:1]))
        idle = [site for site in self._candidates if self._is_relevant(site)]
        return self._judge_idle_recursion(idle, effects) if idle else self._judge_no_recursion()

    def _sites_with(self, effects: dict[str, CutResult], effect: CutResult) -> list[Site]:
        return [site for site in self._candidates if effects.get(site.key) is effect]

    def _is_relevant(self, site: Site) -> bool:
        """Return whether recursion in `site` counts for the function that the rule is about."""
        if site.function in self._other_functions:
            return False
        return self._rule.helper or self._cutting.is_function_itself(site)

    def _judge_recursion(self, sites: list[Site]) -> Ruling:
        """Return the ruling on recursion in `sites` that the answers depend on."""
        depths, observed = self._depths(sites), self._observed_recursion(sites)
        hits = self._hits(sites)
        calls = [sum(run.calls_to(site).reentered for site in sites) for run in self._runs]
        if self._is_shallow(depths):
            # A function that calls itself only one level deep leaves the work to a loop around it.
            includes_function = any(map(self._cutting.is_function_itself, sites))
            decide = broken_ruling if includes_function else review_ruling
            return decide(self._shallow_message(sites), *observed, hits=hits)
        # The probe failed at a larger size, so growth cannot be judged.
        if self._cutting.failed_observation is not None:
            return review_ruling(*observed, self._failure_message(), hits=hits)
        is_deep = grows_at_least(self._rule.depth, self._sizes, depths)
        if not is_deep or not grows_at_least(self._rule.calls, self._sizes, calls):
            reason = message("recursion.little", function=self._name)
            return review_ruling(reason, *observed, hits=hits)
        if concentration := self._cutting.concentration(sites, loop=self._rule.loop):
            reason = self._concentration_message(concentration)
            return review_ruling(reason, *observed, hits=hits)
        is_known = self._cutting.has_answers_beforehand(sites)
        if is_known or self._cutting.ignores_input(sites):
            key = "recursion.beforehand" if is_known else "recursion.ignores_input"
            reason = message(key, function=self._name)
            return review_ruling(reason, *observed, hits=hits)
        return Ruling(verdict=RuleVerdict.PASSED, evidence=observed, hits=hits)

    def _depths(self, sites: Sequence[Site]) -> list[int]:
        """Return the depth of the recursion in `sites` at each size."""
        return [max(run.calls_to(site).deepest for site in sites) for run in self._runs]

    def _is_shallow(self, depths: Sequence[int]) -> bool:
        """Return whether recursion of these `depths` is only one call deep but should be deeper."""
        return self._rule.depth != "constant" and max(depths) <= _ONE_DEEP

    def _shallow_message(self, sites: Sequence[Site]) -> Message:
        return message("recursion.flat", helper=sites[0].display_name)

    def _concentration_message(self, concentration: Concentration) -> Message:
        """Return a message about work that only a few calls, or the code around them, do."""
        call_count, work = concentration
        if call_count == 1:
            return message("recursion.loop", function=self._name, count=work)
        return message("recursion.few", function=self._name, places=call_count, count=work)

    def _judge_constant_recursion(self, sites: list[Site]) -> Ruling:
        """Return the ruling on recursion that is needed but could be replaced with a constant."""
        observed, hits = self._observed_recursion(sites), self._hits(sites)
        if self._is_shallow(self._depths(sites)) and any(
            map(self._cutting.is_function_itself, sites)
        ):
            return broken_ruling(self._shallow_message(sites), *observed, hits=hits)
        reason = message("recursion.constant", function=self._name, helper=sites[0].display_name)
        return review_ruling(reason, *observed, hits=hits)

    def _judge_idle_recursion(self, sites: list[Site], effects: dict[str, CutResult]) -> Ruling:
        """Return the ruling on recursion in `sites` that can be cut without effect."""
        last, site = self._runs[-1], sites[0]
        reason = message(
            "recursion.decoration",
            function=self._name,
            helper=site.display_name,
            count=last.calls_to(site).reentered,
            size=self._size_text(last.size),
        )
        is_needed = CutResult.CALL_MATTERS in effects.values()
        if is_needed or self._cutting.is_compensated(sites, last.size):
            return review_ruling(reason, message("recursion.decide"), hits=self._hits(sites))
        return broken_ruling(reason, hits=self._hits([site]))

    def _judge_no_recursion(self) -> Ruling:
        """Return the ruling if the probe observed no recursion."""
        reason = message("recursion.none", function=self._name)
        unused = possibly_recursive_function(
            self._survey, self._function, self._other_functions, with_helpers=self._rule.helper
        )
        if unused:
            detail = message("recursion.unused", helper=function_display_name(unused.name))
            return review_ruling(reason, detail, hits=(Hit(place=unused.place),))
        return broken_ruling(reason)

    # Recursion that is forbidden

    def _judge_forbidden(self, effects: dict[str, CutResult]) -> Ruling:
        """Return the ruling if recursion is forbidden, based on the `effects` of cutting."""
        sites = self._sites_with(effects, CutResult.MATTERS) or self._sites_with(
            effects, CutResult.CONSTANT
        )
        if sites:
            relevant = [site for site in sites if self._is_relevant(site)]
            sites = relevant or sites
            depths, observed = self._depths(sites), self._observed_recursion(sites)
            is_deep = max(depths) > _ONE_DEEP and grows_at_least("logarithmic", self._sizes, depths)
            if relevant and is_deep:
                return broken_ruling(*observed, hits=self._hits(sites))
            return review_ruling(*observed, message("recursion.decide"), hits=self._hits(sites))
        if self._candidates:
            idle_site = self._candidates[0]
            reason = message("recursion.idle", function=self._name, helper=idle_site.display_name)
            return review_ruling(reason, hits=self._hits([idle_site]))
        return passed_ruling(message("recursion.iterative", function=self._name))

    def _with_doubts(self, ruling: Ruling) -> Ruling:
        """Return `ruling`, changed to REVIEW if the source has names that can deceive a probe."""
        if not self._suspicious:
            return ruling
        names = list(dict.fromkeys(name.name for name in self._suspicious))[:_MAX_LISTED_NAMES]
        formatted_names = ", ".join(f"`{one_line(name, _NAME_CHARS)}`" for name in names)
        reason = message("recursion.suspicious", names=formatted_names)
        hits = (Hit(place=name.place, what=name.name) for name in self._suspicious)
        return review_ruling(reason, *ruling.evidence, hits=(*ruling.hits, *hits))

    def _observed_recursion(self, sites: Sequence[Site]) -> tuple[Message, ...]:
        """Return messages that describe the observed recursion in `sites`."""
        return (*self._call_messages(sites), self._depth_message(sites))

    def _call_messages(self, sites: Sequence[Site]) -> Iterator[Message]:
        """Yield messages about the number of recursive calls of `sites`, and any indirect path."""
        last = self._runs[-1]
        site = next((site for site in sites if self._cutting.is_function_itself(site)), sites[0])
        count, size = last.calls_to(site).reentered, self._size_text(last.size)
        if self._cutting.is_function_itself(site):
            yield message("recursion.own", function=self._name, count=count, size=size)
        else:
            yield message(
                "recursion.helper",
                function=self._name,
                helper=site.display_name,
                count=count,
                size=size,
            )
        path = [
            function_display_name(Site(key=key, entered=0, reentered=0, deepest=0).function)
            for key in last.calls.cycle(site.key)
        ]
        # A path of two names means that the function calls itself directly.
        if len(path) > 2:
            yield message("recursion.way", way=" → ".join(path[:_MAX_PATH]))

    def _depth_message(self, sites: Sequence[Site]) -> Message:
        """Return a message with the depth of the recursion in `sites` at each size."""
        return message(
            "recursion.depth",
            sizes=", ".join(map(str, self._sizes)),
            depths=", ".join(map(str, self._depths(sites))),
        )

    def _size_text(self, size: int) -> str:
        return f"{size} {self._rule.unit}" if self._rule.unit else f"n = {size}"

    def _hits(self, sites: Sequence[Site]) -> tuple[Hit, ...]:
        """Return the positions at which `sites` are defined, as far as the survey has them."""
        return tuple(
            Hit(place=facts.place)
            for site in sites
            for facts in self._survey.functions
            if facts.name == site.function and facts.place.line == site.line
        )
