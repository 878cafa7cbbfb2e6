"""The base of all kinds of rules: the evidence, and looking up functions in it by name.

A suite of several modules writes `Board.make_board`. A suite of one module writes `make_board`,
whichever module of the submission defines it. If a module has several definitions of a name, the
last one counts, because it is the one that runs. Code inside a function, at any depth, is part of
the function.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from grader.judging.probing import ProbeRunner
from grader.judging.results import Ruling, skipped_ruling
from grader.judging.trials import Trials
from grader.messages import Message, message
from grader.sandbox.observation import CodePlace
from grader.sandbox.survey import FunctionSurvey, Survey
from grader.suite.rules import Rule
from grader.suite.session import Binds
from grader.values.foreign_text import one_line

MAX_HITS: Final = 200
"""How many positions a ruling lists, as nobody reads more."""
MAX_LISTED: Final = 12
"""How many names are listed in one sentence."""
_NAME_CHARS: Final = 80
_LOCALS: Final = ".<locals>."


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The evidence about one submission, on which the rulings of a suite's rules are based."""

    survey: Survey
    """The facts about the source; empty if the source could not be surveyed."""
    prober: ProbeRunner
    trials: Trials
    """Runs sessions of the suite on the submission."""
    passes_only_alone: bool = False
    """Whether a session passed in its own process, but not after other sessions."""
    modules: tuple[str, ...]
    """The modules of the exercise."""
    binds: Binds
    """Whether steps see modules or their names, as in the suite."""
    defines: tuple[str, ...] = ()
    """The names that a submission must define."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """The import name of each module of the exercise."""
    importable: Collection[str] = ()
    """Modules that a submission is always allowed to import: its own modules and given code."""
    source_chars: int = 0
    """The length of the student's own source code."""

    def dotted(self, function: str) -> str:
        """Return the dotted name in the submission for `function` as the suite writes it."""
        return dotted_name(function, self.modules, self.binds, self.parts)

    @property
    def required_functions(self) -> list[str]:
        """The dotted names of the functions that the exercise requires."""
        return [self.dotted(name) for name in self.defines]


def dotted_name(
    function: str, modules: tuple[str, ...], binds: Binds, parts: Mapping[str, str]
) -> str:
    """Return the dotted name in the submission for `function` as a suite writes it.

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
    """Whether judging runs the submission, in separate sessions."""

    @property
    def needed_functions(self) -> tuple[str, ...]:
        """The functions that must exist, as the suite writes them."""
        return () if self.about is None else (self.about,)

    @property
    def search_words(self) -> tuple[str, ...]:
        """The words that the survey has to search for, as in `grader.suite.search_terms`."""
        return ()

    def expect(self, evidence: Evidence) -> None:
        """Announce the rule's first probes, so that the probes of all rules can share executors."""

    @abstractmethod
    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling on the submission. Raises `ProbeLimit` if the budget is spent."""


def definitions(survey: Survey, function: str) -> tuple[FunctionSurvey, ...]:
    """Return the effective definitions of `function`: none, one, or one per module."""
    # Sorted by position, so that the last definition of a name wins.
    by_name = {
        facts.name: facts for facts in _sort_by_position(survey) if is_meant_by(facts, function)
    }
    exact = by_name.get(function)
    return tuple(by_name.values()) if exact is None else (exact,)


def is_meant_by(facts: FunctionSurvey, name: str) -> bool:
    """Return whether `name` in a suite means the function of `facts`.

    A method is meant only by a name that includes its class.
    """
    if facts.name == name:
        return True
    module, dot, function = name.rpartition(".")
    return without_module(facts) == function and (not dot or _is_module(facts.place.module, module))


def is_superseded(name: str, place: CodePlace, superseded: Mapping[str, CodePlace]) -> bool:
    """Return whether `place`, in the function `name`, is in a definition that is replaced later.

    `superseded` comes from `superseded_definitions`.
    """
    previous = superseded.get(outermost_function(name))
    return previous is not None and (place.line, place.column) < (
        previous.end_line,
        previous.end_column,
    )


def superseded_definitions(survey: Survey) -> dict[str, CodePlace]:
    """Return the last definition before the effective one, for each redefined function."""
    latest: dict[str, CodePlace] = {}
    superseded = {}
    for facts in _sort_by_position(survey):
        if facts.name in latest:
            superseded[facts.name] = latest[facts.name]
        latest[facts.name] = facts.place
    return superseded


def outermost_function(name: str) -> str:
    """Return the dotted name of the outermost function that contains `name`.

    Return `name` itself if it is not nested in a function.
    """
    return name.partition(_LOCALS)[0]


def is_nested(name: str) -> bool:
    """Return whether the function `name` is defined inside another one."""
    return _LOCALS in name


def without_module(facts: FunctionSurvey) -> str:
    """Return the name of a surveyed function without its module."""
    return facts.name.removeprefix(f"{facts.place.module}.")


def unqualified_name(function: str) -> str:
    """Return the last part of the dotted name `function`."""
    return function.rpartition(".")[2]


def name_for_list(name: str) -> str:
    """Return `name` from a submission, truncated and escaped for display."""
    # A backtick would end the code span around the name.
    return one_line(name.replace(_LOCALS, "."), _NAME_CHARS).replace("`", "'")


def format_as_code(names: Iterable[str], limit: int | None = MAX_LISTED) -> str:
    """Return the first `limit` distinct `names` as code spans, separated by commas.

    An ellipsis follows if names are left out.
    """
    formatted = [f"`{name_for_list(name)}`" for name in dict.fromkeys(names)]
    return ", ".join(
        formatted if len(formatted[:limit]) == len(formatted) else [*formatted[:limit], "…"]
    )


def unreadable_message(survey: Survey) -> Message:
    """Return a message that lists the modules that could not be parsed."""
    return message(
        "syntax.unreadable",
        count=len(survey.unparsed),
        modules=format_as_code(sorted(survey.unparsed)),
    )


def not_found_ruling(survey: Survey, function: str) -> Ruling:
    """Return the SKIPPED ruling on a `function` that is not in the survey.

    If it can be in a module that could not be parsed, the ruling says so.
    """
    module, dot, name = function.rpartition(".")
    if any(not dot or _is_module(unparsed_module, module) for unparsed_module in survey.unparsed):
        return skipped_ruling(unreadable_message(survey))
    return skipped_ruling(message("syntax.missing", function=name))


def _sort_by_position(survey: Survey) -> list[FunctionSurvey]:
    return sorted(survey.functions, key=lambda facts: facts.place)


def _is_module(imported_as: str, module: str) -> bool:
    """Return whether the submission's module `imported_as` can be the `module` of a suite.

    It can be in a folder, and its case can differ because of case-insensitive file systems.
    """
    return imported_as.rpartition(".")[2].casefold() == module.casefold()
