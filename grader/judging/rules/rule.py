"""What all kinds of rules share: the evidence, and how functions are found in it by their names.

A suite of several modules says `Board.make_board`, one of a single module says `make_board`, in
whichever module of the submission that stands. Of several definitions in one module the last one
counts: that is the one which runs. What stands inside a function, at any depth, is part of it.
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

MOST_HITS: Final = 200
"""So many places are pointed at; a submission that uses more of them is not read that far."""
MOST_LISTED: Final = 12
"""So many names stand in one sentence."""
_NAME_CHARS: Final = 80
_LOCALS: Final = ".<locals>."


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the rules of one suite are judged by on one submission."""

    survey: Survey
    """The facts about the source; none where it could not be read."""
    prober: ProbeRunner
    trials: Trials
    """What tries sessions of the suite on the submission."""
    only_alone: bool = False
    """Whether one of them went well in a process of its own, and not behind others."""
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
        return dotted_name(function, self.modules, self.binds, self.parts)

    @property
    def exercise(self) -> list[str]:
        """The dotted names of the functions that the exercise asks for."""
        return [self.dotted(name) for name in self.defines]


def dotted_name(
    function: str, modules: tuple[str, ...], binds: Binds, parts: Mapping[str, str]
) -> str:
    """Return the name of `function`, as a suite writes it, with the module that it is in.

    `parts` says what each module of the exercise is imported by.
    """
    qualified = function if binds == "modules" else f"{modules[0]}.{function}"
    module, dot, name = qualified.partition(".")
    return f"{parts.get(module, module)}{dot}{name}"


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

    @property
    def sought(self) -> tuple[str, ...]:
        """What the survey has to look for, as in `grader.suite.sought`."""
        return ()

    def expect(self, evidence: Evidence) -> None:
        """Say what probes it begins with, so that they share executors with those of others."""

    @abstractmethod
    def judge(self, evidence: Evidence) -> Ruling:
        """Return whether the submission keeps to it."""


def definitions(survey: Survey, function: str) -> tuple[FunctionSurvey, ...]:
    """Return the definitions of `function` that count: none, one, or one for each module."""
    found = {facts.name: facts for facts in _in_order(survey) if is_called(facts, function)}
    exact = found.get(function)
    return tuple(found.values()) if exact is None else (exact,)


def is_called(facts: FunctionSurvey, name: str) -> bool:
    """Return whether a suite means this function by `name`; methods only by their full name."""
    if facts.name == name:
        return True
    module, dot, function = name.rpartition(".")
    return without_module(facts) == function and (not dot or _is_module(facts.place.module, module))


def is_superseded(name: str, place: CodePlace, former: Mapping[str, CodePlace]) -> bool:
    """Return whether what stands at `place` in the function `name` belongs to a former definition.

    `former` is that of `former_definitions`.
    """
    before = former.get(outermost(name))
    return before is not None and (place.line, place.column) < (before.end_line, before.end_column)


def former_definitions(survey: Survey) -> dict[str, CodePlace]:
    """Return, of each function that is defined anew, the definition before the one that counts."""
    last: dict[str, CodePlace] = {}
    former = {}
    for facts in _in_order(survey):
        if facts.name in last:
            former[facts.name] = last[facts.name]
        last[facts.name] = facts.place
    return former


def outermost(name: str) -> str:
    """Return the dotted name of the function that `name` is a part of: itself, unless nested."""
    return name.partition(_LOCALS)[0]


def is_nested(name: str) -> bool:
    """Return whether `name` is that of something inside a function."""
    return _LOCALS in name


def without_module(facts: FunctionSurvey) -> str:
    """Return the name of a function as its own module knows it."""
    return facts.name.removeprefix(f"{facts.place.module}.")


def label(function: str) -> str:
    """Return what a suite calls `function`, without the module."""
    return function.rpartition(".")[2]


def listed_name(name: str) -> str:
    """Return a `name` from a submission, short and harmless."""
    return one_line(name.replace(_LOCALS, "."), _NAME_CHARS).replace("`", "'")


def in_code(names: Iterable[str], most: int | None = MOST_LISTED) -> str:
    """Return `names` as code, with commas: each once, and of more than `most` the first ones."""
    shown = [f"`{listed_name(name)}`" for name in dict.fromkeys(names)]
    return ", ".join(shown if len(shown[:most]) == len(shown) else [*shown[:most], "…"])


def unreadable(survey: Survey) -> Message:
    """Return the sentence that says which modules cannot be read."""
    return message(
        "syntax.unreadable", count=len(survey.unparsed), modules=in_code(sorted(survey.unparsed))
    )


def not_found(survey: Survey, function: str) -> Ruling:
    """Return the ruling about a `function` that the survey does not know."""
    module, dot, name = function.rpartition(".")
    if any(not dot or _is_module(each, module) for each in survey.unparsed):
        return skipped(unreadable(survey))
    return skipped(message("syntax.missing", function=name))


def _in_order(survey: Survey) -> list[FunctionSurvey]:
    return sorted(survey.functions, key=lambda facts: facts.place)


def _is_module(imported_as: str, module: str) -> bool:
    """Return whether a submission's module can be the `module` of a suite.

    It may be in a folder, and its name may differ by case, as on disks where that is the same.
    """
    return imported_as.rpartition(".")[2].casefold() == module.casefold()
