"""Rules on the source as a whole: its imports, its Python version, its docstrings.

They check the source; they do not stop it from running. If a module cannot be parsed, the others
can still break a rule, but not pass it.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, ClassVar, Final, Self, TypeAlias

from grader.judging.results import Hit, Ruling, broken, passed, skipped
from grader.judging.rules.rule import (
    MAX_HITS,
    Evidence,
    JudgedRule,
    definitions,
    in_code,
    is_nested,
    label,
    listed_name,
    not_found,
    unreadable,
    without_module,
)
from grader.messages import Message, message
from grader.sandbox.survey import FunctionSurvey, Survey, TooNew
from grader.suite import texts
from grader.suite.diagnostics import did_you_mean, quoted
from grader.suite.fields import FunctionName, Items, key, optional, parsed_by, pattern_of
from grader.suite.model import Suite
from grader.suite.rules import RuleScope
from grader.suite.vocabulary import GIVABLE_PACKAGES, PACKAGES, STANDARD, STANDARD_WORD

_NEAR: Final = 0.75
"""The least similarity of a suggested module: module names are short, and many."""
_STANDARD: Final = frozenset(sys.stdlib_module_names)
_LIBRARY: Final = dict.fromkeys((*STANDARD, *sorted(_STANDARD)))  # unlike sets, ordered

_AllowedName: TypeAlias = Annotated[
    str, parsed_by(texts.top_module), pattern_of(texts.IDENTIFIER_PATTERN)
]
_Version: TypeAlias = Annotated[
    tuple[int, int], parsed_by(texts.python_version), pattern_of(texts.VERSION_PATTERN)
]
_NOTATIONS: Final = {
    "any expression as decorator": "@(…)",
    "f-string with =": 'f"{x=}"',
    "from __future__ import annotations": "from __future__ import annotations",
    "except*": "except*",
    "match": "match",
    "parenthesized with": "with (…):",
    "positional-only parameter": "def f(x, /)",
    "quotes nested in an f-string": 'f"{"…"}"',
    "star in an index": "x[*y]",
    "type parameter": "def f[T]()",
    "type statement": "type X = …",
    "walrus": ":=",
}
"""How each newer syntax is written, the same in messages of every language."""
_MAX_KINDS: Final = 10
"""Kinds of syntax that is too new that get a sentence each."""


class Imports(JudgedRule, title="imports"):
    """Modules that a submission may import, as its source says."""

    kind: ClassVar[str] = "imports"
    summary: ClassVar[str] = "Modules that may be imported."
    example: ClassVar[dict[str, Any]] = {"allow": [STANDARD_WORD]}

    allow: Items[_AllowedName] = key(
        "Modules that may be imported, besides its own and given code. The word "
        "standard stands for the whole standard library.",
        [STANDARD_WORD],
        ["math", "random"],
    )

    def check(self, scope: RuleScope) -> None:
        """Report unknown modules."""
        given = _packages(scope.given)
        own = (scope.module, *scope.modules)
        known = {STANDARD_WORD, *_LIBRARY, *PACKAGES, *GIVABLE_PACKAGES, *given, *own}
        for index, name in enumerate(self.allow):
            if name not in known:
                near = did_you_mean(name, (STANDARD_WORD, *STANDARD, *given), cutoff=_NEAR)
                advice = "name modules of the standard library, well-known packages, or given code"
                problem = f"there is no module {quoted(name)} to import{near}"
                scope.at_value(("allow", index), problem, advice)

    def completed(self, scope: RuleScope) -> Self:
        """Allow given code as well."""
        return self.changed(allow=(*self.allow, *_packages(scope.given)))

    def sentence(self) -> Message:
        """Say what may be imported."""
        allowed = self._allowed()
        if not allowed:
            return message("demand.imports_none")
        if not set(allowed) >= _STANDARD:
            return message("demand.imports", count=len(allowed), modules=in_code(allowed))
        others = [name for name in allowed if name.partition(".")[0] not in _STANDARD]
        if others:
            return message("demand.imports_standard_and", modules=in_code(others))
        return message("demand.imports_standard")

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        survey = evidence.survey
        fine = {"__future__", *self._allowed(), *evidence.importable}
        wrong = [
            each
            for each in sorted(survey.imports, key=lambda each: each.place)
            # Relative imports stay within the submission.
            if not each.name.startswith(".") and fine.isdisjoint(_with_parents(each.name))
        ]
        if wrong:
            names = dict.fromkeys(each.name.partition(".")[0] for each in wrong)
            reason = message("syntax.imports", count=len(names), modules=in_code(names))
            hits = [Hit(place=each.place, what=listed_name(each.name)) for each in wrong]
            return broken(reason, hits=tuple(hits[:MAX_HITS]))
        if survey.unparsed:
            return skipped(unreadable(survey))
        return passed(message("syntax.imports_allowed"))

    def _allowed(self) -> list[str]:
        words = (_LIBRARY if name == STANDARD_WORD else (name,) for name in self.allow)
        return list(dict.fromkeys(name for each in words for name in each))


def _packages(modules: tuple[str, ...]) -> list[str]:
    """Return the top-level packages of `modules`, each once."""
    return list(dict.fromkeys(name.partition(".")[0] for name in modules))


def _with_parents(name: str) -> list[str]:
    """Return a dotted `name` and the names of its parent packages."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


class Python(JudgedRule, title="python"):
    """The version of Python that must be able to read a submission."""

    kind: ClassVar[str] = "python"
    summary: ClassVar[str] = "The version of Python that must be able to read a submission."
    example: ClassVar[dict[str, Any]] = {"version": "3.6"}
    most: ClassVar[int | None] = 1

    version: _Version = key(
        "The version, in quotes. Newer syntax is against the rule; newer functions of "
        "the library are not seen.",
        "3.6",
    )

    def sentence(self) -> Message:
        """Say which version it is."""
        return message("demand.python", version=self._text())

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source, which was surveyed with this version in mind."""
        survey, asked = evidence.survey, self._text()
        if survey.too_new:
            ordered = sorted(survey.too_new, key=lambda each: each.place)
            since = {_notation(each): each.since for each in ordered}
            reasons = [
                message("syntax.too_new", what=what, since=f"{major}.{minor}", asked=asked)
                for what, (major, minor) in list(since.items())[:_MAX_KINDS]
            ]
            hits = [Hit(place=each.place, what=_notation(each)) for each in ordered]
            return broken(*reasons, hits=tuple(hits[:MAX_HITS]))
        if survey.unparsed:
            return skipped(unreadable(survey))
        return passed(message("syntax.old_enough", asked=asked))

    def _text(self) -> str:
        major, minor = self.version
        return f"{major}.{minor}"


def _notation(new: TooNew) -> str:
    return _NOTATIONS.get(new.what, listed_name(new.what))


def version_asked(suite: Suite) -> tuple[int, int] | None:
    """Return the version of Python that a rule of `suite` asks for, if any does."""
    return next((rule.version for rule in suite.rules if isinstance(rule, Python)), None)


class Docstrings(JudgedRule, title="docstrings"):
    """Functions that must have a docstring."""

    kind: ClassVar[str] = "docstrings"
    summary: ClassVar[str] = "Functions that must have a docstring."
    example: ClassVar[dict[str, Any]] = {}

    functions: Items[FunctionName] | None = optional(
        "The functions that it is about. Default: all that are neither private nor nested.",
        ["Board.make_board"],
        min_length=1,
    )

    def check(self, scope: RuleScope) -> None:
        """Report unknown functions."""
        scope.check_functions("functions", self.functions or ())

    def sentence(self) -> Message:
        """Say which functions must have a docstring."""
        if self.functions is None:
            return message("demand.docstrings")
        functions = in_code(map(label, self.functions), None)
        return message("demand.docstrings_of", count=len(self.functions), functions=functions)

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by the source."""
        survey = evidence.survey
        names = map(evidence.dotted, self.functions or ())
        named = {name: definitions(survey, name) for name in names}
        found = [facts for each in named.values() for facts in each]
        checked = found if named else _public(survey)
        bare = [facts for facts in checked if not facts.has_docstring]
        if bare:
            bare_names = [without_module(facts) for facts in bare]
            reason = message("syntax.docstrings", count=len(bare), functions=in_code(bare_names))
            hits = [
                Hit(place=facts.place, what=listed_name(without_module(facts))) for facts in bare
            ]
            return broken(reason, hits=tuple(hits[:MAX_HITS]))
        # Only now: a missing docstring is certain even if another function was not found.
        for name, each in named.items():
            if not each:
                return not_found(survey, name)
        if survey.unparsed and not named:
            return skipped(unreadable(survey))
        return passed(message("syntax.docstrings_present"))


def _public(survey: Survey) -> list[FunctionSurvey]:
    """Return the public functions: not nested, not private, and not redefined later.

    Given functions are left out.
    """
    given = {each.place for each in survey.definitions}
    own = (each for each in survey.functions if not any(map(each.place.within, given)))
    ordered = sorted(own, key=lambda facts: facts.place)
    # The last definition of a name replaces the earlier ones.
    last = {facts.name: facts for facts in ordered if not is_nested(facts.name)}
    return [
        facts
        for facts in last.values()
        if not any(part.startswith("_") for part in without_module(facts).split("."))
    ]
