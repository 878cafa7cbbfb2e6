"""What the rules of a suite can name: its functions, its modules, its groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.loading.document import NodePath
from grader.loading.findings import Findings
from grader.loading.forms import SuiteHead
from grader.loading.suggestions import did_you_mean, listed, quoted


@dataclass(frozen=True, slots=True)
class Scope:
    """The head of a suite as rules see it; where it is not valid, nothing is said about names."""

    findings: Findings
    head: SuiteHead | None

    @property
    def functions(self) -> tuple[str, ...]:
        """What a submission defines, or may define."""
        return () if self.head is None else (*self.head.defines, *self.head.helpers)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that are handed in, when there are several."""
        return () if self.head is None else tuple(self.head.modules)

    @property
    def names(self) -> tuple[str, ...]:
        """What the steps of a probe find bound: several modules, or what a single one defines."""
        return self.modules or self.functions

    def knows(self, function: str) -> bool:
        """Return whether submissions know `function`: it, or the class that it is a method of."""
        if self.head is None:
            return True
        return not {function, function.rpartition(".")[0]}.isdisjoint(self.functions)

    def check_function(self, path: NodePath, name: str) -> None:
        """Report the function `name` at `path` if submissions know nothing of it."""
        if not self.knows(name):
            message = f"unknown function {quoted(name)}{did_you_mean(name, self.functions)}"
            advice = f"functions in `defines` and `helpers`: {listed(self.functions)}"
            self.findings.at_value(path, message, advice)

    def check_functions(self, path: NodePath, names: Iterable[str]) -> None:
        """Report each of the functions `names`, a list at `path`, that is not known."""
        for index, name in enumerate(names):
            self.check_function((*path, index), name)
