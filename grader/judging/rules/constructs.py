"""Rules on constructs and loops that functions, or all code, must not use or must use.

A function that uses a forbidden construct breaks the rule, even in a lambda or a nested function.
If a function calls a student's helper that uses the construct, the function might evade the rule or
just be well factored, so a person decides. The functions that the exercise requires do not count as
helpers, because they have their own rules. A person also decides if the construct could be hidden
in code that is stored as a string, or behind a name that is computed at run time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, TypeAlias

from grader.judging.results import (
    Hit,
    Ruling,
    broken_ruling,
    passed_ruling,
    review_ruling,
    skipped_ruling,
)
from grader.judging.rules.construct_uses import (
    hits_for_uses,
    kinds_in_code,
    reachable_helpers,
    source_position,
    uses_by_function,
)
from grader.judging.rules.required import judge_required, required_sentence
from grader.judging.rules.rule import (
    MAX_HITS,
    Evidence,
    JudgedRule,
    definitions,
    format_as_code,
    name_for_list,
    not_found_ruling,
    outermost_function,
    unqualified_name,
    unreadable_message,
    without_module,
)
from grader.messages import Message, message
from grader.sandbox.survey import Construct, Survey
from grader.suite import texts
from grader.suite.fields import FunctionName, Items, flag, key, optional, parsed_by
from grader.suite.rules import RuleScope
from grader.suite.search_terms import SEARCH_TERM_PATTERN, check_search_word, unknown_name
from grader.suite.vocabulary import COMPREHENSIONS, FORBIDDABLE, LOOPS, expand_constructs
from grader.values.constraints import SchemaNotes

if TYPE_CHECKING:  # at run time it would import YAML, which cached suites do not need
    from grader.suite.document import NodePath

_Word: TypeAlias = Annotated[
    str,
    parsed_by(check_search_word),
    SchemaNotes(anyOf=[{"enum": [*FORBIDDABLE]}, {"pattern": SEARCH_TERM_PATTERN}]),
]

_LoopName: TypeAlias = Annotated[str, parsed_by(texts.loop), SchemaNotes(enum=[*LOOPS])]


class Constructs(JudgedRule, title="constructs"):
    """Constructs, names, methods, operators and literals that must not or must be used."""

    kind: ClassVar[str] = "constructs"
    summary: ClassVar[str] = "Constructs, names, methods and operators not to use, or to use."
    example: ClassVar[dict[str, Any]] = {"forbid": ["class", "lambda", ".sort"]}

    forbid: Items[_Word] | None = optional(
        "What must not be used; see below for what can be listed.",
        ["class", "map", ".sort", "%"],
        min_length=1,
    )
    require: Items[_Word] | None = optional(
        "What must be used, every item of it; instead of forbid.",
        ["class", "generator"],
        min_length=1,
    )
    functions: Items[FunctionName] | None = optional(
        "The functions that the rule is about; each becomes a separate rule. Default: all code.",
        ["Board.make_board"],
        min_length=1,
    )
    initialising: bool = flag(
        "Whether a comprehension may still create the first content of a data structure.",
        example=True,
        default=False,
    )

    @property
    def about(self) -> str | None:
        """The function, once `split` has split the rule by function; None for all code."""
        return None if self.functions is None else self.functions[0]

    @property
    def name(self) -> str | None:
        """The function. Rules on all code are numbered instead."""
        return self.about

    def split(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield a copy of the rule for each function, or the rule itself if it covers all code."""
        if self.functions is None:
            yield (), self
        for index, name in enumerate(self.functions or ()):
            yield ("functions", index), self.with_changes(functions=(name,))

    def check(self, scope: RuleScope) -> None:
        """Report to `scope` repeated or unknown names, and keys without effect."""
        if (self.forbid is None) == (self.require is None):
            advice = "write one of them; the other can be an entry of its own"
            scope.report_value((), "a rule on constructs has either 'forbid' or 'require'", advice)
        for key_name in ("forbid", "require"):
            if words := getattr(self, key_name):
                scope.report_repeated("construct", key_name)
            for index, word in enumerate(words or ()):
                if problem := unknown_name(word, scope.functions):
                    scope.report_value((key_name, index), *problem)
        forbidden = expand_constructs(self.forbid or ())
        if self.initialising and not {*COMPREHENSIONS}.intersection(forbidden):
            mistake = "'initialising' means nothing where comprehensions are not forbidden"
            advice = "leave it out, or forbid `comprehension` too"
            scope.report_key("initialising", mistake, advice)
        scope.check_functions("functions", self.functions or ())

    def sentence(self) -> Message:
        """Return the demand: which constructs must not or must be used, and where."""
        if self.require is not None:
            return required_sentence(self.require, self.about)
        return _demand_message(self._constructs(), self.about, initialising=self.initialising)

    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling, based on the survey of the source."""
        if self.require is not None:
            return judge_required(evidence, self.require, self.about)
        return _judge_forbidden(
            evidence, self._constructs(), self.about, initialising=self.initialising
        )

    def _constructs(self) -> tuple[str, ...]:
        return expand_constructs(self.forbid or self.require or ())

    @property
    def search_words(self) -> tuple[str, ...]:
        """The constructs that the survey has to search for."""
        return self._constructs()


class Loops(JudgedRule, title="loops"):
    """Loops that functions must not use."""

    kind: ClassVar[str] = "loops"
    summary: ClassVar[str] = "Functions that must do without some kinds of loops."
    example: ClassVar[dict[str, Any]] = {"functions": ["Board.is_filled_row"], "forbid": ["for"]}

    functions: Items[FunctionName] = key(
        "The functions that the rule is about; each becomes a separate rule.",
        ["Board.is_filled_row"],
        min_length=1,
    )
    forbid: Items[_LoopName] = key(
        "Loops that the functions must not use: for, while, comprehension.", ["for"], min_length=1
    )

    @property
    def about(self) -> str | None:
        """The function, once `split` has split the rule by function."""
        return self.functions[0]

    def split(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield a copy of the rule for each function."""
        for index, name in enumerate(self.functions):
            yield ("functions", index), self.with_changes(functions=(name,))

    def check(self, scope: RuleScope) -> None:
        """Report to `scope` repeated loops and unknown functions."""
        scope.report_repeated("loop", "forbid")
        scope.check_functions("functions", self.functions)

    def sentence(self) -> Message:
        """Return the demand: which loops the function must not use."""
        return _demand_message(expand_constructs(self.forbid), self.about)

    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling, based on the survey of the source."""
        return _judge_forbidden(evidence, expand_constructs(self.forbid), self.about)

    @property
    def search_words(self) -> tuple[str, ...]:
        """The constructs that the survey has to search for."""
        return expand_constructs(self.forbid)


_HIDING: Final = frozenset(
    (
        *("exec", "eval", "compile", "getattr", "__import__", "import_module", "attrgetter"),
        *("methodcaller", "globals", "vars", "__builtins__", "__dict__", "__getattribute__"),
        *("__globals__", "code", "codeop", "runpy", "sys.modules", "types.FunctionType"),
    )
)
"""Suspicious names that run code stored in strings, or look up names computed at run time."""
_MAX_HELPERS: Final = 5
"""How many helpers get a sentence of their own."""


def _demand_message(
    constructs: tuple[str, ...], function: str | None, *, initialising: bool = False
) -> Message:
    """Return the demand that `function`, or all code, must not use `constructs`.

    If `initialising`, comprehensions are still allowed to initialise data structures.
    """
    construct_list = format_as_code(_group_comprehensions(constructs), None)
    if function is None:
        if initialising:
            return message("demand.nowhere_but_initialising", constructs=construct_list)
        return message("demand.nowhere", constructs=construct_list)
    if initialising:
        return message(
            "demand.without_but_initialising",
            function=unqualified_name(function),
            constructs=construct_list,
        )
    return message("demand.without", function=unqualified_name(function), constructs=construct_list)


def _group_comprehensions(constructs: tuple[str, ...]) -> list[str]:
    """Return `constructs`, with all kinds of comprehensions replaced with a single word.

    Nothing is replaced unless all kinds are included.
    """
    if not set(COMPREHENSIONS) <= set(constructs):
        return list(constructs)
    return list(
        dict.fromkeys(
            "comprehension" if construct in COMPREHENSIONS else construct
            for construct in constructs
        )
    )


def _judge_forbidden(
    evidence: Evidence,
    constructs: tuple[str, ...],
    function: str | None,
    *,
    initialising: bool = False,
) -> Ruling:
    """Return the ruling on whether `function`, or all code, avoids `constructs`.

    If `initialising`, comprehensions that initialise data structures are allowed.
    """
    survey = evidence.survey
    uses = [use for use in sorted(survey.constructs, key=source_position) if use.kind in constructs]
    forbidden = [use for use in uses if not (initialising and use.initialises)]
    if function is None:
        return _judge_all_code(survey, constructs, uses, forbidden)
    roots = definitions(survey, evidence.dotted(function))
    if not roots:
        return not_found_ruling(survey, evidence.dotted(function))
    forbidden_in, function_label = uses_by_function(survey, forbidden), unqualified_name(function)
    if own_uses := [use for facts in roots for use in forbidden_in[facts.name]]:
        if doubtful_ruling := _ruling_if_doubtful(own_uses):
            return doubtful_ruling
        reason = message(
            "syntax.forbidden", function=function_label, constructs=kinds_in_code(own_uses)
        )
        return broken_ruling(reason, hits=hits_for_uses(own_uses))
    # Maps each helper to whether the function calls it directly.
    reachable = reachable_helpers(
        survey, [facts.name for facts in roots], evidence.required_functions
    )
    uses_by_helper = {name: forbidden_in[name] for name in reachable}
    if any(uses_by_helper.values()):
        helper_uses = [use for uses_in_helper in uses_by_helper.values() for use in uses_in_helper]
        return review_ruling(
            *_helper_messages(function_label, survey, uses_by_helper, reachable),
            hits=hits_for_uses(helper_uses),
        )
    if hidden_ruling := _ruling_if_hidden(
        survey, {*reachable, *(outermost_function(facts.name) for facts in roots)}
    ):
        return hidden_ruling
    used_in = uses_by_function(survey, uses)
    reason = message(
        "syntax.allowed", function=function_label, constructs=format_as_code(constructs, None)
    )
    return passed_ruling(
        reason, *_initialising_message(use for facts in roots for use in used_in[facts.name])
    )


def _judge_all_code(
    survey: Survey, constructs: tuple[str, ...], uses: list[Construct], forbidden: list[Construct]
) -> Ruling:
    """Return the ruling on whether all code avoids `constructs`.

    `forbidden` are those of `uses` that break the rule.
    """
    if doubtful_ruling := _ruling_if_doubtful(forbidden):
        return doubtful_ruling
    if forbidden:
        reason = message("syntax.forbidden_somewhere", constructs=kinds_in_code(forbidden))
        return broken_ruling(reason, hits=hits_for_uses(forbidden))
    # Finding no use proves nothing if a module could not be parsed.
    if survey.unparsed:
        return skipped_ruling(unreadable_message(survey))
    if hidden_ruling := _ruling_if_hidden(survey, None):
        return hidden_ruling
    reason = message("syntax.allowed_everywhere", constructs=format_as_code(constructs, None))
    return passed_ruling(reason, *_initialising_message(uses))


def _ruling_if_doubtful(uses: list[Construct]) -> Ruling | None:
    """Return REVIEW if each of `uses` could refer to an attribute that the submission defines.

    Return None if `uses` is empty, or if one of them is certain.
    """
    if not uses or any(use.doubt != "own" for use in uses):
        return None
    return review_ruling(
        message("syntax.perhaps_own", words=kinds_in_code(uses)), hits=hits_for_uses(uses)
    )


def _ruling_if_hidden(survey: Survey, functions: Collection[str] | None) -> Ruling | None:
    """Return REVIEW if `functions`, or any code, could run code that the source does not show.

    Return None otherwise. If `functions` is None, all code is checked.
    """
    suspicious_names = [
        name
        for name in survey.suspicious
        if name.name in _HIDING
        and (functions is None or outermost_function(name.function) in functions)
    ]
    if not suspicious_names:
        return None
    words = format_as_code(dict.fromkeys(name.name for name in suspicious_names), None)
    hits = [Hit(place=name.place, what=name.name) for name in suspicious_names[:MAX_HITS]]
    return review_ruling(message("syntax.hidden", words=words), hits=tuple(hits))


def _helper_messages(
    function: str,
    survey: Survey,
    uses_by_helper: Mapping[str, list[Construct]],
    is_direct: Mapping[str, bool],
) -> Iterator[Message]:
    """Yield a message about each helper that uses a forbidden construct, nearest first.

    `is_direct` maps each helper to whether `function` itself calls it.
    """
    shown_names = {facts.name: name_for_list(without_module(facts)) for facts in survey.functions}
    offenders = [name for name, uses in uses_by_helper.items() if uses]
    for name in offenders[:_MAX_HELPERS]:
        helper, used = (
            shown_names.get(name, name_for_list(name)),
            kinds_in_code(uses_by_helper[name]),
        )
        if is_direct[name]:
            yield message("syntax.helper", helper=helper, function=function, constructs=used)
        else:
            yield message("syntax.helper_far", helper=helper, function=function, constructs=used)


def _initialising_message(uses: Iterable[Construct]) -> tuple[Message, ...]:
    """Return a message about those of `uses` that are allowed because they initialise, or ()."""
    used = kinds_in_code(use for use in uses if use.initialises)
    return (message("syntax.initialises", constructs=used),) if used else ()
