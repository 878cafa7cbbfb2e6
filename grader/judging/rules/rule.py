"""What all kinds of rules share when they are judged, and the evidence that they are judged by."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from grader.judging.probing import ProbeRunner
from grader.judging.results import Ruling
from grader.sandbox.survey import Survey
from grader.suite.model import Binds
from grader.suite.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the rules of one suite are judged by on one submission."""

    survey: Survey
    """The facts about the source; none where it could not be read."""
    prober: ProbeRunner
    modules: tuple[str, ...]
    """The modules of the exercise."""
    binds: Binds
    """What steps know of them, as in the suite."""
    defines: tuple[str, ...] = ()
    """What the suite says a submission defines."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """What each module of the exercise is imported by."""
    importable: Collection[str] = ()
    """Modules that any submission may import: its own, and given code."""
    source_chars: int = 0
    """How long the student's own source code is."""

    def dotted(self, function: str) -> str:
        """Return the name of `function`, as the suite writes it, with the module that it is in."""
        qualified = function if self.binds == "modules" else f"{self.modules[0]}.{function}"
        module, dot, name = qualified.partition(".")
        return f"{self.parts.get(module, module)}{dot}{name}"

    @property
    def exercise(self) -> list[str]:
        """The dotted names of the functions that the exercise asks for."""
        return [self.dotted(name) for name in self.defines]


class JudgedRule(Rule):
    """A rule that can be judged; each kind has a module of its own."""

    reads_source: ClassVar[bool] = True
    """Whether it cannot be judged without the facts about the source."""
    probes: ClassVar[bool] = False
    """Whether it runs the submission, in sessions of its own."""

    @property
    def needed(self) -> tuple[str, ...]:
        """The functions that it cannot do without, as the suite writes them."""
        return () if self.about is None else (self.about,)

    @abstractmethod
    def judge(self, evidence: Evidence) -> Ruling:
        """Return whether the submission keeps to it."""
