"""A rule on imports: which modules a submission may import, as its source says.

It is a rule about reading, not a wall. A module that cannot be read tells nothing: what the others
show to be broken is broken, and nothing is passed on their word alone.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, ClassVar, Final, Self, TypeAlias

from pydantic import ConfigDict, Field

from grader.judging.results import Hit, Ruling, broken, passed, skipped
from grader.judging.rules.functions import MOST_HITS, in_code, listed_name, unreadable
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.messages import Message, message
from grader.suite import texts
from grader.suite.diagnostics import did_you_mean, quoted
from grader.suite.fields import Items, parsed_by, pattern_of
from grader.suite.rules import Scope
from grader.suite.vocabulary import GIVABLE_PACKAGES, PACKAGES, STANDARD, STANDARD_WORD

_NEAR: Final = 0.75
"""How alike a module must be to be offered: names of modules are short, and many."""
_STANDARD: Final = frozenset(sys.stdlib_module_names)
_LIBRARY: Final = dict.fromkeys((*STANDARD, *sorted(_STANDARD)))

_AllowedName: TypeAlias = Annotated[
    str, parsed_by(texts.top_module), pattern_of(texts.IDENTIFIER_PATTERN)
]


class Imports(JudgedRule):
    """Modules that a submission may import, as its source says."""

    model_config = ConfigDict(title="imports")

    kind: ClassVar[str] = "imports"
    summary: ClassVar[str] = "Modules that may be imported."
    example: ClassVar[dict[str, Any]] = {"allow": [STANDARD_WORD]}

    allow: Items[_AllowedName] = Field(
        description="Modules that may be imported, besides its own and given code. The word "
        "standard stands for the whole standard library.",
        examples=[[STANDARD_WORD], ["math", "random"]],
    )

    def check(self, scope: Scope) -> None:
        """Report modules that nobody knows."""
        given = _packages(scope.given)
        own = (scope.module, *scope.modules)
        known = {STANDARD_WORD, *_LIBRARY, *PACKAGES, *GIVABLE_PACKAGES, *given, *own}
        for index, name in enumerate(self.allow):
            if name not in known:
                near = did_you_mean(name, (STANDARD_WORD, *STANDARD, *given), cutoff=_NEAR)
                advice = "name modules of the standard library, well-known packages, or given code"
                problem = f"there is no module {quoted(name)} to import{near}"
                scope.at_value(("allow", index), problem, advice)

    def completed(self, scope: Scope) -> Self:
        """Allow given code as well."""
        return self.model_copy(update={"allow": (*self.allow, *_packages(scope.given))})

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
            if not each.name.startswith(".") and fine.isdisjoint(_with_parents(each.name))
        ]
        if wrong:
            names = dict.fromkeys(each.name.partition(".")[0] for each in wrong)
            said = message("syntax.imports", count=len(names), modules=in_code(names))
            hits = [Hit(place=each.place, what=listed_name(each.name)) for each in wrong]
            return broken(said, hits=tuple(hits[:MOST_HITS]))
        if survey.unparsed:
            return skipped(unreadable(survey))
        return passed(message("syntax.imports_allowed"))

    def _allowed(self) -> list[str]:
        words = (_LIBRARY if name == STANDARD_WORD else (name,) for name in self.allow)
        return list(dict.fromkeys(name for each in words for name in each))


def _packages(modules: tuple[str, ...]) -> list[str]:
    """Return what `modules` are imported from, each once."""
    return list(dict.fromkeys(name.partition(".")[0] for name in modules))


def _with_parents(name: str) -> list[str]:
    """Return a dotted `name` and those of the packages that it is in."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
