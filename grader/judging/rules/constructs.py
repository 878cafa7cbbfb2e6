"""Rules on constructs and on loops: what functions, or all code, must not use, or must use.

A function that uses a forbidden construct breaks the rule, also in a lambda or a function inside
it. One that calls a helper of the student's that uses it may evade the rule or just be well
factored: a person decides. The functions that the exercise asks for do not count as helpers, as
they have their own rules. A person also decides where the construct may be hidden in code held as
text, or behind a name made at run time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, TypeAlias

from grader.judging.results import Hit, Ruling, broken, passed, review, skipped
from grader.judging.rules.required import required, required_sentence
from grader.judging.rules.rule import (
    MAX_HITS,
    Evidence,
    JudgedRule,
    definitions,
    in_code,
    label,
    listed_name,
    not_found,
    outermost,
    unreadable,
    without_module,
)
from grader.judging.rules.using import (
    helpers_of,
    hits_of,
    position,
    uses_by_function,
    words_of,
)
from grader.messages import Message, message
from grader.sandbox.survey import Construct, Survey
from grader.suite import texts
from grader.suite.fields import FunctionName, Items, flag, key, optional, parsed_by
from grader.suite.rules import RuleScope
from grader.suite.sought import SOUGHT_PATTERN, sought_word, unknown_name
from grader.suite.vocabulary import COMPREHENSIONS, FORBIDDABLE, LOOPS, expanded_constructs
from grader.values.constraints import Noted

if TYPE_CHECKING:  # with it comes YAML, and most suites were read before
    from grader.suite.document import NodePath

_Word: TypeAlias = Annotated[
    str,
    parsed_by(sought_word),
    Noted(anyOf=[{"enum": [*FORBIDDABLE]}, {"pattern": SOUGHT_PATTERN}]),
]

_LoopName: TypeAlias = Annotated[str, parsed_by(texts.loop), Noted(enum=[*LOOPS])]


class Constructs(JudgedRule, title="constructs"):
    """Constructs, names, methods, operators and literals to do without, or to use."""

    kind: ClassVar[str] = "constructs"
    summary: ClassVar[str] = "Constructs, names, methods and operators not to use, or to use."
    example: ClassVar[dict[str, Any]] = {"forbid": ["class", "lambda", ".sort"]}

    forbid: Items[_Word] | None = optional(
        "What must not be used; see below what can stand here.",
        ["class", "map", ".sort", "%"],
        min_length=1,
    )
    require: Items[_Word] | None = optional(
        "What must be used, each of it; instead of forbid.", ["class", "generator"], min_length=1
    )
    functions: Items[FunctionName] | None = optional(
        "The functions that it is about; each is a rule of its own. Default: all code.",
        ["Board.make_board"],
        min_length=1,
    )
    initialising: bool = flag(
        "Whether a comprehension may give a data structure its first content all the same.",
        example=True,
        default=False,
    )

    @property
    def about(self) -> str | None:
        """The function, once there is one; None for all code."""
        return None if self.functions is None else self.functions[0]

    @property
    def name(self) -> str | None:
        """The function; rules on all code have numbers."""
        return self.about

    def apart(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield a rule for each function, or the rule itself if it is about all code."""
        if self.functions is None:
            yield (), self
        for index, name in enumerate(self.functions or ()):
            yield ("functions", index), self.changed(functions=(name,))

    def check(self, scope: RuleScope) -> None:
        """Report repeated or unknown names, and keys without effect."""
        if (self.forbid is None) == (self.require is None):
            advice = "write one of them; the other can be an entry of its own"
            scope.at_value((), "a rule on constructs has either 'forbid' or 'require'", advice)
        for at in ("forbid", "require"):
            if words := getattr(self, at):
                scope.check_repeated("construct", at)
            for index, word in enumerate(words or ()):
                if problem := unknown_name(word, scope.functions):
                    scope.at_value((at, index), *problem)
        if self.initialising and not {*COMPREHENSIONS}.intersection(self._constructs()):
            message = "'initialising' means nothing where comprehensions are not forbidden"
            advice = "leave it out, or forbid `comprehension` too"
            scope.at_key("initialising", message, advice)
        scope.check_functions("functions", self.functions or ())

    def sentence(self) -> Message:
        """Say what must not be used, or must be, and where."""
        if self.require is not None:
            return required_sentence(self.require, self.about)
        return _demand(self._constructs(), self.about, initialising=self.initialising)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        if self.require is not None:
            return required(evidence, self.require, self.about)
        return _judged(evidence, self._constructs(), self.about, initialising=self.initialising)

    def _constructs(self) -> tuple[str, ...]:
        return expanded_constructs(self.forbid or self.require or ())

    @property
    def sought(self) -> tuple[str, ...]:
        """The constructs to survey."""
        return self._constructs()


class Loops(JudgedRule, title="loops"):
    """Loops that functions must do without."""

    kind: ClassVar[str] = "loops"
    summary: ClassVar[str] = "Functions that must do without some kinds of loops."
    example: ClassVar[dict[str, Any]] = {"functions": ["Board.is_filled_row"], "forbid": ["for"]}

    functions: Items[FunctionName] = key(
        "The functions that it is about; each is a rule of its own.",
        ["Board.is_filled_row"],
        min_length=1,
    )
    forbid: Items[_LoopName] = key(
        "Loops that they must not have: for, while, comprehension.", ["for"], min_length=1
    )

    @property
    def about(self) -> str | None:
        """The function, once there is one."""
        return self.functions[0]

    def apart(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield a rule for each function."""
        for index, name in enumerate(self.functions):
            yield ("functions", index), self.changed(functions=(name,))

    def check(self, scope: RuleScope) -> None:
        """Report repeated loops and unknown functions."""
        scope.check_repeated("loop", "forbid")
        scope.check_functions("functions", self.functions)

    def sentence(self) -> Message:
        """Say which loops the function must not have."""
        return _demand(expanded_constructs(self.forbid), self.about)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        return _judged(evidence, expanded_constructs(self.forbid), self.about)

    @property
    def sought(self) -> tuple[str, ...]:
        """The constructs to survey."""
        return expanded_constructs(self.forbid)


_HIDING: Final = frozenset(
    (
        *("exec", "eval", "compile", "getattr", "__import__", "import_module", "attrgetter"),
        *("methodcaller", "globals", "vars", "__builtins__", "__dict__", "__getattribute__"),
        *("__globals__", "code", "codeop", "runpy", "sys.modules", "types.FunctionType"),
    )
)
"""Suspicious names that run code held as text, or look things up by names made at run time."""
_MAX_HELPERS: Final = 5
"""Helpers that get a sentence each."""


def _demand(
    constructs: tuple[str, ...], function: str | None, *, initialising: bool = False
) -> Message:
    """Say that `function`, or all code, must not use `constructs`.

    With `initialising`, a comprehension may still give a data structure its first content.
    """
    shown = in_code(_grouped(constructs), None)
    if function is None:
        if initialising:
            return message("demand.nowhere_but_initialising", constructs=shown)
        return message("demand.nowhere", constructs=shown)
    if initialising:
        return message(
            "demand.without_but_initialising", function=label(function), constructs=shown
        )
    return message("demand.without", function=label(function), constructs=shown)


def _grouped(constructs: tuple[str, ...]) -> list[str]:
    """Return `constructs`, with a single word for comprehensions if all kinds are included."""
    if not set(COMPREHENSIONS) <= set(constructs):
        return list(constructs)
    return list(
        dict.fromkeys("comprehension" if each in COMPREHENSIONS else each for each in constructs)
    )


def _judged(
    evidence: Evidence,
    constructs: tuple[str, ...],
    function: str | None,
    *,
    initialising: bool = False,
) -> Ruling:
    """Judge whether `function`, or all code, avoids `constructs`; see `_demand`."""
    survey = evidence.survey
    uses = [use for use in sorted(survey.constructs, key=position) if use.kind in constructs]
    forbidden = [use for use in uses if not (initialising and use.initialises)]
    if function is None:
        return _judged_everywhere(survey, constructs, uses, forbidden)
    roots = definitions(survey, evidence.dotted(function))
    if not roots:
        return not_found(survey, evidence.dotted(function))
    forbidden_in, shown = uses_by_function(survey, forbidden), label(function)
    if used := [use for facts in roots for use in forbidden_in[facts.name]]:
        if doubt := _doubtful_uses(used):
            return doubt
        reason = message("syntax.forbidden", function=shown, constructs=words_of(used))
        return broken(reason, hits=hits_of(used))
    reached = helpers_of(survey, [facts.name for facts in roots], evidence.exercise)
    helpers = {name: forbidden_in[name] for name in reached}
    if any(helpers.values()):
        found = [use for each in helpers.values() for use in each]
        return review(*_about_helpers(shown, survey, helpers, reached), hits=hits_of(found))
    if hiding := _hidden_code(survey, {*reached, *(outermost(facts.name) for facts in roots)}):
        return hiding
    used_in = uses_by_function(survey, uses)
    reason = message("syntax.allowed", function=shown, constructs=in_code(constructs, None))
    return passed(reason, *_initialising(use for facts in roots for use in used_in[facts.name]))


def _judged_everywhere(
    survey: Survey, constructs: tuple[str, ...], uses: list[Construct], forbidden: list[Construct]
) -> Ruling:
    """Judge whether all code avoids `constructs`; `forbidden` are the `uses` that break it."""
    if doubt := _doubtful_uses(forbidden):
        return doubt
    if forbidden:
        reason = message("syntax.forbidden_somewhere", constructs=words_of(forbidden))
        return broken(reason, hits=hits_of(forbidden))
    # A use that was found counts, but finding none proves nothing while a module is unreadable.
    if survey.unparsed:
        return skipped(unreadable(survey))
    if hiding := _hidden_code(survey, None):
        return hiding
    reason = message("syntax.allowed_everywhere", constructs=in_code(constructs, None))
    return passed(reason, *_initialising(uses))


def _doubtful_uses(uses: list[Construct]) -> Ruling | None:
    """Return REVIEW if all `uses` may be of attributes that the submission's classes define."""
    if not uses or any(use.doubt != "own" for use in uses):
        return None
    return review(message("syntax.perhaps_own", words=words_of(uses)), hits=hits_of(uses))


def _hidden_code(survey: Survey, functions: Collection[str] | None) -> Ruling | None:
    """Return REVIEW if `functions`, or all code, may run code that the source does not show."""
    found = [
        each
        for each in survey.suspicious
        if each.name in _HIDING and (functions is None or outermost(each.function) in functions)
    ]
    if not found:
        return None
    words = in_code(dict.fromkeys(each.name for each in found), None)
    hits = [Hit(place=each.place, what=each.name) for each in found[:MAX_HITS]]
    return review(message("syntax.hidden", words=words), hits=tuple(hits))


def _about_helpers(
    function: str,
    survey: Survey,
    helpers: Mapping[str, list[Construct]],
    direct: Mapping[str, bool],
) -> Iterator[Message]:
    """Yield a sentence for each helper that uses something forbidden, nearest first."""
    names = {facts.name: listed_name(without_module(facts)) for facts in survey.functions}
    offenders = [name for name, uses in helpers.items() if uses]
    for name in offenders[:_MAX_HELPERS]:
        helper, used = names.get(name, listed_name(name)), words_of(helpers[name])
        if direct[name]:
            yield message("syntax.helper", helper=helper, function=function, constructs=used)
        else:
            yield message("syntax.helper_far", helper=helper, function=function, constructs=used)


def _initialising(uses: Iterable[Construct]) -> tuple[Message, ...]:
    """Return a sentence about the uses that are allowed because they initialise, if any."""
    used = words_of(use for use in uses if use.initialises)
    return (message("syntax.initialises", constructs=used),) if used else ()
