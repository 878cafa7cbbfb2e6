"""What all kinds of rules share: the evidence, and how functions are found in it by name.

A suite of several modules writes `Board.make_board`, a suite of one module writes `make_board`,
whichever module of the submission defines it. Of several definitions in one module the last one
counts, as that is the one which runs. Code inside a function, at any depth, is part of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from grader.judging.probing import ProbeRunner
from grader.judging.results import Ruling, skipped
from grader.judging.trial import Trials
from grader.messages import Message, message
from grader.sandbox.observation import CodePlace
from grader.sandbox.survey import FunctionSurvey, Survey
from grader.suite.rules import Rule
from grader.suite.session import Binds
from grader.values.foreign_text import one_line

MAX_HITS: Final = 200
"""Places that a ruling points at; nobody reads further."""
MAX_LISTED: Final = 12
"""Names listed in one sentence."""
_NAME_CHARS: Final = 80
_LOCALS: Final = ".<locals>."


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The evidence by which the rules of a suite are judged on one submission."""

    survey: Survey
    """The facts about the source; empty if it could not be read."""
    prober: ProbeRunner
    trials: Trials
    """Tries sessions of the suite on the submission."""
    only_alone: bool = False
    """Whether a session went well in its own process, but not after others."""
    modules: tuple[str, ...]
    """The modules of the exercise."""
    binds: Binds
    """Whether steps see modules or their names, as in the suite."""
    defines: tuple[str, ...] = ()
    """The names that a submission must define."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """The import name of each module of the exercise."""
    importable: Collection[str] = ()
    """Modules that a submission may always import: its own, and given code."""
    source_chars: int = 0
    """The length of the student's own source code."""

    def dotted(self, function: str) -> str:
        """Return the dotted name, in the submission, of `function` as the suite writes it."""
        return dotted_name(function, self.modules, self.binds, self.parts)

    @property
    def exercise(self) -> list[str]:
        """The dotted names of the functions that the exercise asks for."""
        return [self.dotted(name) for name in self.defines]


def dotted_name(
    function: str, modules: tuple[str, ...], binds: Binds, parts: Mapping[str, str]
) -> str:
    """Return the dotted name, in the submission, of `function` as a suite writes it.

    `parts` maps each module of the exercise to its import name.
    """
    qualified = function if binds == "modules" else f"{modules[0]}.{function}"
    module, dot, name = qualified.partition(".")
    return f"{parts.get(module, module)}{dot}{name}"


class JudgedRule(Rule):
    """A rule that can be judged."""

    reads_source: ClassVar[bool] = True
    """Whether judging it requires the survey of the source."""
    probes: ClassVar[bool] = False
    """Whether it runs the submission, in separate sessions."""

    @property
    def needed(self) -> tuple[str, ...]:
        """The functions that must exist, as the suite writes them."""
        return () if self.about is None else (self.about,)

    @property
    def sought(self) -> tuple[str, ...]:
        """The words that the survey looks for, as in `grader.suite.sought`."""
        return ()

    def expect(self, evidence: Evidence) -> None:
        """Announce its first probes, so that they share executors with those of other rules."""

    @abstractmethod
    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling on the submission."""


def definitions(survey: Survey, function: str) -> tuple[FunctionSurvey, ...]:
    """Return the effective definitions of `function`: none, one, or one per module."""
    # In order of place, so that the last definition of a name wins.
    found = {facts.name: facts for facts in _in_order(survey) if is_called(facts, function)}
    exact = found.get(function)
    return tuple(found.values()) if exact is None else (exact,)


def is_called(facts: FunctionSurvey, name: str) -> bool:
    """Return whether a suite means this function by `name`; methods need their full name."""
    if facts.name == name:
        return True
    module, dot, function = name.rpartition(".")
    return without_module(facts) == function and (not dot or _is_module(facts.place.module, module))


def is_superseded(name: str, place: CodePlace, former: Mapping[str, CodePlace]) -> bool:
    """Return whether `place` in the function `name` belongs to a definition that was replaced.

    `former` comes from `former_definitions`.
    """
    before = former.get(outermost(name))
    return before is not None and (place.line, place.column) < (before.end_line, before.end_column)


def former_definitions(survey: Survey) -> dict[str, CodePlace]:
    """Return, for each redefined function, the definition before the effective one."""
    last: dict[str, CodePlace] = {}
    former = {}
    for facts in _in_order(survey):
        if facts.name in last:
            former[facts.name] = last[facts.name]
        last[facts.name] = facts.place
    return former


def outermost(name: str) -> str:
    """Return the dotted name of the outermost function around `name`: itself, unless nested."""
    return name.partition(_LOCALS)[0]


def is_nested(name: str) -> bool:
    """Return whether `name` is defined inside a function."""
    return _LOCALS in name


def without_module(facts: FunctionSurvey) -> str:
    """Return the name of a function within its module."""
    return facts.name.removeprefix(f"{facts.place.module}.")


def label(function: str) -> str:
    """Return the last part of the dotted name `function`."""
    return function.rpartition(".")[2]


def listed_name(name: str) -> str:
    """Return a `name` from a submission, truncated and escaped."""
    # A backtick would end the code span that names are shown in.
    return one_line(name.replace(_LOCALS, "."), _NAME_CHARS).replace("`", "'")


def in_code(names: Iterable[str], most: int | None = MAX_LISTED) -> str:
    """Return the first `most` of `names` as code, each once, separated by commas."""
    shown = [f"`{listed_name(name)}`" for name in dict.fromkeys(names)]
    return ", ".join(shown if len(shown[:most]) == len(shown) else [*shown[:most], "…"])


def unreadable(survey: Survey) -> Message:
    """Return the message that lists the modules that cannot be parsed."""
    return message(
        "syntax.unreadable", count=len(survey.unparsed), modules=in_code(sorted(survey.unparsed))
    )


def not_found(survey: Survey, function: str) -> Ruling:
    """Return the ruling for a `function` that is not in the survey."""
    module, dot, name = function.rpartition(".")
    if any(not dot or _is_module(each, module) for each in survey.unparsed):
        return skipped(unreadable(survey))
    return skipped(message("syntax.missing", function=name))


def _in_order(survey: Survey) -> list[FunctionSurvey]:
    return sorted(survey.functions, key=lambda facts: facts.place)


def _is_module(imported_as: str, module: str) -> bool:
    """Return whether a submission's module can be the `module` of a suite.

    It may be in a folder, and its case may differ, as on case-insensitive file systems.
    """
    return imported_as.rpartition(".")[2].casefold() == module.casefold()
