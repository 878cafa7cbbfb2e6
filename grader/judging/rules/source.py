"""Rules on the source as a whole: its imports, its Python version, its docstrings.

They check the source but do not prevent it from running. If a module cannot be parsed, the other
modules can still break a rule, but not pass it.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, ClassVar, Final, Self, TypeAlias

from grader.judging.results import Hit, Ruling, broken_ruling, passed_ruling, skipped_ruling
from grader.judging.rules.rule import (
    MAX_HITS,
    Evidence,
    JudgedRule,
    definitions,
    format_as_code,
    is_nested,
    name_for_list,
    not_found_ruling,
    unqualified_name,
    unreadable_message,
    without_module,
)
from grader.messages import Message, message
from grader.sandbox.survey import FunctionSurvey, Survey, TooNew
from grader.suite import texts
from grader.suite.diagnostics import did_you_mean, quote
from grader.suite.fields import FunctionName, Items, editor_pattern, key, optional, parsed_by
from grader.suite.model import Suite
from grader.suite.rules import RuleScope
from grader.suite.vocabulary import (
    GIVABLE_PACKAGES,
    KNOWN_PACKAGES,
    STANDARD_MODULES,
    STANDARD_WORD,
)

_MIN_SIMILARITY: Final = 0.75
"""The minimum similarity of a suggested module. It is high, as module names are short and many."""
_STANDARD: Final = frozenset(sys.stdlib_module_names)
_LIBRARY: Final = dict.fromkeys((*STANDARD_MODULES, *sorted(_STANDARD)))  # ordered, unlike a set

_AllowedName: TypeAlias = Annotated[
    str, parsed_by(texts.top_module), editor_pattern(texts.IDENTIFIER_PATTERN)
]
_Version: TypeAlias = Annotated[
    tuple[int, int], parsed_by(texts.python_version), editor_pattern(texts.VERSION_PATTERN)
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
"""The notation of each newer kind of syntax. It is the same in messages of every language."""
_MAX_KINDS: Final = 10
"""How many kinds of syntax that is too new get a sentence of their own."""


class Imports(JudgedRule, title="imports"):
    """Modules that the source of a submission may import."""

    kind: ClassVar[str] = "imports"
    summary: ClassVar[str] = "Modules that may be imported."
    example: ClassVar[dict[str, Any]] = {"allow": [STANDARD_WORD]}

    allow: Items[_AllowedName] = key(
        "Modules that may be imported, besides the submission's own and given code. The word "
        "standard stands for the whole standard library.",
        [STANDARD_WORD],
        ["math", "random"],
    )

    def check(self, scope: RuleScope) -> None:
        """Report unknown modules to `scope`."""
        given_packages = _packages(scope.given)
        own_modules = (scope.module, *scope.modules)
        known_modules = {
            STANDARD_WORD,
            *_LIBRARY,
            *KNOWN_PACKAGES,
            *GIVABLE_PACKAGES,
            *given_packages,
            *own_modules,
        }
        for index, name in enumerate(self.allow):
            if name not in known_modules:
                suggestion = did_you_mean(
                    name,
                    (STANDARD_WORD, *STANDARD_MODULES, *given_packages),
                    cutoff=_MIN_SIMILARITY,
                )
                advice = (
                    "choose modules from the standard library, well-known packages or given code"
                )
                problem = f"there is no module {quote(name)} to import{suggestion}"
                scope.report_value(("allow", index), problem, advice)

    def complete_from(self, scope: RuleScope) -> Self:
        """Return the rule with given code added to the allowed modules."""
        return self.with_changes(allow=(*self.allow, *_packages(scope.given)))

    def sentence(self) -> Message:
        """Return the demand: which modules are allowed to be imported."""
        allowed = self._allowed()
        if not allowed:
            return message("demand.imports_none")
        if not set(allowed) >= _STANDARD:
            return message("demand.imports", count=len(allowed), modules=format_as_code(allowed))
        non_standard = [name for name in allowed if name.partition(".")[0] not in _STANDARD]
        if non_standard:
            return message("demand.imports_standard_and", modules=format_as_code(non_standard))
        return message("demand.imports_standard")

    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling, based on the survey of the source."""
        survey = evidence.survey
        # Imports from `__future__` only select features of the language.
        allowed = {"__future__", *self._allowed(), *evidence.importable}
        forbidden = [
            imported
            for imported in sorted(survey.imports, key=lambda imported: imported.place)
            # Relative imports stay within the submission.
            if not imported.name.startswith(".")
            and allowed.isdisjoint(_with_parents(imported.name))
        ]
        if forbidden:
            names = dict.fromkeys(imported.name.partition(".")[0] for imported in forbidden)
            reason = message("syntax.imports", count=len(names), modules=format_as_code(names))
            hits = [
                Hit(place=imported.place, what=name_for_list(imported.name))
                for imported in forbidden
            ]
            return broken_ruling(reason, hits=tuple(hits[:MAX_HITS]))
        if survey.unparsed:
            return skipped_ruling(unreadable_message(survey))
        return passed_ruling(message("syntax.imports_allowed"))

    def _allowed(self) -> list[str]:
        """Return the allowed modules without duplicates, with `STANDARD_WORD` expanded."""
        expanded = (_LIBRARY if name == STANDARD_WORD else (name,) for name in self.allow)
        return list(dict.fromkeys(name for names in expanded for name in names))


def _packages(modules: tuple[str, ...]) -> list[str]:
    """Return the top-level packages of `modules` without duplicates."""
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
    max_count: ClassVar[int | None] = 1

    version: _Version = key(
        "The version, in quotes. Newer syntax breaks the rule; newer functions of "
        "the library are not detected.",
        "3.6",
    )

    def sentence(self) -> Message:
        """Return the demand: the version that must be able to read the code."""
        return message("demand.python", version=self._version_text())

    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling. The survey has already compared the source with the rule's version."""
        survey, version = evidence.survey, self._version_text()
        if survey.too_new:
            ordered = sorted(survey.too_new, key=lambda use: use.place)
            # Several uses of one notation get only one message.
            since_by_notation = {_notation(use): use.since for use in ordered}
            reasons = [
                message("syntax.too_new", what=notation, since=f"{major}.{minor}", asked=version)
                for notation, (major, minor) in list(since_by_notation.items())[:_MAX_KINDS]
            ]
            hits = [Hit(place=use.place, what=_notation(use)) for use in ordered]
            return broken_ruling(*reasons, hits=tuple(hits[:MAX_HITS]))
        if survey.unparsed:
            return skipped_ruling(unreadable_message(survey))
        return passed_ruling(message("syntax.old_enough", asked=version))

    def _version_text(self) -> str:
        major, minor = self.version
        return f"{major}.{minor}"


def _notation(new: TooNew) -> str:
    return _NOTATIONS.get(new.what, name_for_list(new.what))


def required_python_version(suite: Suite) -> tuple[int, int] | None:
    """Return the version of Python in a rule of `suite`. Return None if there is no such rule."""
    return next((rule.version for rule in suite.rules if isinstance(rule, Python)), None)


class Docstrings(JudgedRule, title="docstrings"):
    """Functions that must have a docstring."""

    kind: ClassVar[str] = "docstrings"
    summary: ClassVar[str] = "Functions that must have a docstring."
    example: ClassVar[dict[str, Any]] = {}

    functions: Items[FunctionName] | None = optional(
        "The functions that the rule is about. Default: all that are neither private nor nested.",
        ["Board.make_board"],
        min_length=1,
    )

    def check(self, scope: RuleScope) -> None:
        """Report unknown functions to `scope`."""
        scope.check_functions("functions", self.functions or ())

    def sentence(self) -> Message:
        """Return the demand: which functions must have a docstring."""
        if self.functions is None:
            return message("demand.docstrings")
        functions = format_as_code(map(unqualified_name, self.functions), None)
        return message("demand.docstrings_of", count=len(self.functions), functions=functions)

    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling, based on the survey of the source."""
        survey = evidence.survey
        names = map(evidence.dotted, self.functions or ())
        functions_by_name = {name: definitions(survey, name) for name in names}
        named_functions = [facts for functions in functions_by_name.values() for facts in functions]
        checked = named_functions if functions_by_name else _public_functions(survey)
        undocumented = [facts for facts in checked if not facts.has_docstring]
        if undocumented:
            undocumented_names = [without_module(facts) for facts in undocumented]
            reason = message(
                "syntax.docstrings",
                count=len(undocumented),
                functions=format_as_code(undocumented_names),
            )
            hits = [
                Hit(place=facts.place, what=name_for_list(without_module(facts)))
                for facts in undocumented
            ]
            return broken_ruling(reason, hits=tuple(hits[:MAX_HITS]))
        # Checked last, as a missing docstring is certain even if some other function was not found.
        for name, functions in functions_by_name.items():
            if not functions:
                return not_found_ruling(survey, name)
        if survey.unparsed and not functions_by_name:
            return skipped_ruling(unreadable_message(survey))
        return passed_ruling(message("syntax.docstrings_present"))


def _public_functions(survey: Survey) -> list[FunctionSurvey]:
    """Return the public functions that the student wrote, by position.

    These functions are neither nested nor private, are not redefined later, and are not part of
    given code.
    """
    given_places = {definition.place for definition in survey.definitions}
    student_functions = (
        definition
        for definition in survey.functions
        if not any(map(definition.place.lies_within, given_places))
    )
    ordered = sorted(student_functions, key=lambda facts: facts.place)
    # Later definitions of a name replace earlier ones.
    effective = {facts.name: facts for facts in ordered if not is_nested(facts.name)}
    return [
        facts
        for facts in effective.values()
        if not any(part.startswith("_") for part in without_module(facts).split("."))
    ]
