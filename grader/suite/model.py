"""A suite in memory, with the steps to run on a submission and the expected answers.

Everything here is validated and parsed; `grader.suite.loading` builds it from YAML. A *session* is
a list of *steps*. A step with an expectation belongs to a *case*, which is the smallest unit with a
verdict. Cases are scored together in *groups*, to which the points belong.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum, unique
from functools import cache, cached_property
from typing import Annotated, Any, Final, Literal, TypeAlias

from grader.suite.board import Board
from grader.suite.clauses import Clause
from grader.suite.fields import (
    DefinedName,
    DottedName,
    FileName,
    Form,
    Heading,
    Identifier,
    Items,
    MailAddress,
    MessageKey,
    ModuleName,
    Moment,
    MutantName,
    PackedName,
    PartName,
    Remark,
    Sha256,
    Slug,
    SourceCode,
    StopPolicy,
    WebAddress,
    flag,
    key,
    one_of_words,
    optional,
)
from grader.suite.formats import FORMAT, OLDEST
from grader.suite.limits import Limits
from grader.suite.rules import Kinds, Rule, RulesForm, rules_form
from grader.suite.session import Binds, Session, WrittenSession
from grader.suite.steps import Case, Group
from grader.suite.texts import STOPS_COST_NOTHING
from grader.suite.vocabulary import STANDARD_WORD
from grader.suite.widgets import Widgets
from grader.verdict import Visibility

LanguageCode: TypeAlias = Literal["de", "en", "es", "fr", "nl"]
LANGUAGES: Final = ("de", "en", "es", "fr", "nl")
"""The same codes as a tuple. They cannot be derived from the `Literal`, as kits drop types."""

_BUILTINS: Final = frozenset(vars(builtins))
_SUITE_RULES: Final[dict[str, Any]] = {
    "oneOf": [{"required": ["module"]}, {"required": ["modules"]}],
}
"""The part of the JSON Schema that requires either `module` or `modules`, for editors."""


def _name_mapping(description: str, example: Mapping[str, object]) -> Any:
    """Return an optional key of a suite whose value is a mapping from names of one type."""
    # Closed for editors, as pydantic turns the type of the names into `patternProperties`.
    closed = {"additionalProperties": False}
    return key(description, example, default_factory=dict, json_schema_extra=closed)


@unique
class Feedback(StrEnum):
    """What a student learns about a hidden case that did not pass."""

    COUNT = "count"
    """Only how many cases of its group passed."""
    CLAUSE = "clause"
    """Also the clause of the spec that it tests."""
    COUNTEREXAMPLE = "counterexample"
    """Also a session that shows the same mistake, and that earns no points."""


@unique
class RepairReaders(StrEnum):
    """Who sees a repair."""

    STAFF = "staff"
    """Staff see the edit; students see nothing."""
    STUDENTS = "students"
    """Students see the line and the kind of the edit; staff see the edit."""


class Generated(Form, title="generated"):
    """What generated sessions were made from."""

    form_name = "generated"

    version: int = key("Version of the generator.", 1, ge=1)
    seed: Remark = key("Seed of its random draws.", "autumn")
    reference: Sha256 = key("SHA-256 of the reference.", "0123456789abcdef" * 4)
    content: Sha256 = key("SHA-256 of the generated sessions and siblings.", "fedcba9876543210" * 4)


class Equivalent(Form, title="equivalent"):
    """A mutant of the reference that no session can tell from it."""

    form_name = "an equivalent mutant"

    mutant: MutantName = key(
        "Name of the mutant in the audit; it changes with the code.", "3f2a91c0"
    )
    reason: Remark = key(
        "Why no session can tell it from the reference.",
        "both bounds are checked once more by the caller",
    )


class VersionedForm(Form):
    """A file that has a format number."""

    format: int = key(
        "Version of the format. Generated files have it; leave it out of your own.",
        FORMAT,
        default=OLDEST,
        ge=1,
    )


class SuiteHead(VersionedForm):
    """The keys of a suite besides its groups, rules and sessions."""

    form_name = "a suite"

    exercise: Slug = key("Short name of the exercise, for files and URLs.", "yinyang")
    title: Heading = key("Title of the exercise.", "Yin-Yang")
    language: LanguageCode = key("Language of the pages for students.", "nl")
    also_in: Items[LanguageCode] = key(
        "Other languages to choose on a student's page. Texts of this file are not translated.",
        ["en", "fr"],
        default_factory=tuple,
    )
    spec: Remark | None = optional(
        "Path of the text for students, relative to this file.", "../reference/yinyang/spec.md"
    )
    spec_url: WebAddress | None = optional(
        "Web address of that text. {line} is replaced by a line number.",
        "https://course.example/yinyang#line-{line}",
    )
    site_url: WebAddress | None = optional(
        "Web address of the folder written by `grader site`. Students' pages link there.",
        "https://course.example/check/",
    )
    contact: MailAddress | None = optional(
        "Address for students who disagree. Their pages get links that start a mail.",
        "prof@school.example",
    )
    module: Identifier = key(
        "The module that students hand in: yinyang for yinyang.py. Steps can use its names. "
        "Required unless there are modules.",
        "yinyang",
        default="",
    )
    modules: Items[PartName] = key(
        "Several modules that students hand in, each after those it needs. Steps use them by name.",
        ["Position", "Board", "Game"],
        default_factory=tuple,
        min_length=1,
    )
    defines: Items[DefinedName] = key(
        "Names that a submission must define; with several modules, Board.fill_cell.",
        ["YinYang"],
        ["Board.fill_cell"],
    )
    helpers: Items[DefinedName] = key(
        "Names that a submission may define, each after those it needs. Groups that use a "
        "missing one do not count for that submission.",
        ["tablero"],
        default_factory=tuple,
    )
    given: dict[DottedName, SourceCode] = _name_mapping(
        "Code that submissions can import: paths by module name, relative to this folder or "
        "the one above. It replaces handed-in files of that name.",
        {"helper": "reference/puzzle/helper.py"},
    )
    handed_out: dict[DefinedName, Items[Sha256]] = _name_mapping(
        "Complete functions and constants that students were given, with digests from grader "
        "skeleton --digests, one per edition. Rules and advice ignore them while unchanged.",
        {"Board.print_board": ["0123456789abcdef" * 4]},
    )
    checkers: dict[PartName, SourceCode] = _name_mapping(
        "Code that checks answers if many are right: paths as in given. Submissions never see it.",
        {"tiling": "reference/puzzle/tiling.py"},
    )
    stand_ins: dict[PartName, SourceCode] = _name_mapping(
        "Your versions of modules, to try later modules of a submission on; for a single "
        "module, your version with the helpers. Paths as in given.",
        {"Board": "reference/puzzle/Board.py"},
    )
    imports: Items[ModuleName] = key(
        "Modules that a submission may import besides its own. standard stands for the usual ones.",
        ["math", "random"],
        ["standard"],
        default=(STANDARD_WORD,),
    )
    limits: Limits = key(
        "Limits on time, memory and output.",
        {"cpu_s": 1.0},
        default_factory=Limits,
    )
    files: dict[FileName, str] = _name_mapping(
        "Text files that submissions can open, by name.",
        {"akari.txt": "1 1 4\n"},
    )
    now: Moment | None = optional(
        "Start of the clock of each session, in UTC. Default: 2026-03-02 09:00.",
        "2024-02-29 12:30",
    )
    stopped: StopPolicy = key(
        "What to do with a file that stops while loading, after defining a required name: "
        "grade it (graded), take a share of the points (10%), or ask a person (review).",
        "10%",
        "review",
        default=STOPS_COST_NOTHING,
    )
    notebooks: bool = flag(
        "Whether students may hand in notebooks without a remark.",
        example=True,
        default=False,
    )
    writes: Items[FileName] = key(
        "Files named in steps but not in files: submissions write them, or must not find them.",
        ["report.txt"],
        default_factory=tuple,
    )
    advice: bool = flag(
        "Whether students get advice on readability. It never costs points.",
        example=True,
        default=False,
    )
    repairs: Annotated[RepairReaders, one_of_words(RepairReaders)] | None = optional(
        "Look for the smallest edit that makes a failing group pass, for staff, or also for "
        "students, who see only its line and kind. Takes seconds, and affects no points.",
        "staff",
    )
    wording: dict[MessageKey, Remark] = _name_mapping(
        "Your own sentences for reports, by key, with the same parameters.",
        {"report.first": "Begin here"},
    )
    board: Board | None = optional(
        "How to draw the boards of the exercise where a case fails.",
        {"cells": {"white": "w", "black": "b", "empty": "-"}, "positions": True},
    )
    widgets: Widgets = key(
        "Other drawings where a case fails: tables, number lines, plots, calls.",
        {"table": [{"groups": ["ranking"], "columns": ["name", "score"]}]},
        default_factory=Widgets,
    )

    @property
    def now_s(self) -> int | None:
        """`now` as a Unix timestamp, or None without `now`."""
        if self.now is None:
            return None
        # Without a time zone, `timestamp` would assume that of this machine.
        return int(datetime.fromisoformat(self.now).replace(tzinfo=UTC).timestamp())


class WrittenSuite(SuiteHead, title="suite", json_schema_extra=_SUITE_RULES):
    """What a submission of one exercise is asked, what is expected of it, and for what points."""

    clauses: Items[Clause] = key(
        "Sentences of the spec that settle cases. Students see the readings here.",
        [{"id": "bezet", "quote": "als het vakje op positie p niet leeg is"}],
        default_factory=tuple,
    )
    packed: dict[PackedName, str] = _name_mapping(
        "Contents of files that this suite names, by path. Written by grader pack.",
        {"reference/puzzle/helper.py": "LARGEST = 9\n"},
    )
    groups: Items[Group] = key(
        "Cases scored together, with their points.", [{"id": "maak_wit", "points": 4}], min_length=1
    )
    rules: RulesForm = key(
        "Demands besides right answers.",
        {"loops": [{"functions": ["maak_wit"], "forbid": ["while"]}]},
        default_factory=RulesForm,
    )
    sessions: Items[WrittenSession] = key(
        "Sessions, each of which starts with a fresh import.",
        [{"id": "voorbeeld", "steps": [{"do": "puzzel = YinYang(6, [], [])"}]}],
        min_length=1,
    )


class Suite(SuiteHead):
    """The suite of one exercise, ready for grading."""

    binds: Binds
    clauses: tuple[Clause, ...] = ()
    packed: Mapping[str, str] = key("", default_factory=dict)
    groups: tuple[Group, ...]
    sessions: tuple[Session, ...]
    sha256: str
    """Hash of everything that determines the suite: the bytes of its file, its given code, checkers
    and stand-ins, and the line numbers of its clauses in the spec."""
    asks: str = ""
    """The same hash without titles and points. If it is unchanged, records can be rescored."""
    rules: tuple[Rule, ...] = ()
    hidden_share: float | None = None
    """The share of a group's points that its non-public cases earn together if it also has public
    ones. None without a hidden suite, where all cases have the same weight."""
    feedback: Feedback = Feedback.COUNT
    generated: Generated | None = None
    equivalent: tuple[Equivalent, ...] = ()
    published: frozenset[str] = frozenset()
    """Ids of the clauses in the public suite, whose readings students see."""
    siblings: tuple[Session, ...] = ()
    """Small public sessions that earn no points, shortest first. A student who fails hidden cases
    of a group sees the first sibling with that group that her submission fails as well."""
    seed: str = ""
    """A secret of the course, from which the inputs of probes are drawn."""

    @cached_property
    def cases(self) -> Mapping[str, tuple[tuple[Session, Case], ...]]:
        """The cases of each group, paired with their sessions and keyed by group id."""
        by_group: dict[str, list[tuple[Session, Case]]] = {group.id: [] for group in self.groups}
        for session in self.sessions:
            for case in session.cases:
                by_group[case.group].append((session, case))
        return {group: tuple(cases) for group, cases in by_group.items()}

    @cached_property
    def redefinable_builtins(self) -> tuple[str, ...]:
        """The built-ins that a submission is allowed to redefine for steps.

        These are the built-ins that the exercise asks for and those that its public sessions read.
        In a public session, a student can see the effect of her own `sum`. She cannot know which
        built-ins the steps of other sessions use.
        """
        public = (session for session in self.sessions if session.visibility is Visibility.PUBLIC)
        public_reads = {
            name for session in public for step in session.steps for name in step.do.reads
        }
        # Sorted, as executors receive it and the order of a set changes from run to run.
        return tuple(sorted(_BUILTINS.intersection(public_reads.union(self.defines, self.helpers))))

    @property
    def named_modules(self) -> tuple[str, ...]:
        """The modules that steps refer to by name, or () if there is a single module."""
        return self.modules if self.binds == "modules" else ()

    @property
    def published_readings(self) -> list[str]:
        """The readings of the spec that students see."""
        return [
            clause.reading
            for clause in self.clauses
            if clause.reading and clause.id in self.published
        ]

    @cached_property
    def requested_names(self) -> Mapping[str, tuple[str, ...]]:
        """The names that a submission must or can define, keyed by module."""
        by_module: dict[str, list[str]] = {module: [] for module in self.modules}
        for dotted_name in (*self.defines, *self.helpers):
            module, _, name = dotted_name.rpartition(".")
            by_module[module or self.modules[0]].append(name)
        return {module: tuple(names) for module, names in by_module.items()}

    def prefix(self, module: str) -> str:
        """Return the prefix of the names of `module` in steps, such as `Board.`.

        It is empty if the exercise has a single module.
        """
        return f"{module}." if self.binds == "modules" else ""


@cache
def suite_form(kinds: Kinds) -> type[WrittenSuite]:
    """Return the form class of a suite whose rules can be of these `kinds`."""
    rules, form = WrittenSuite.form_keys["rules"], rules_form(kinds)
    entries = key(rules.description, *rules.examples, default_factory=form)
    return WrittenSuite.with_keys(rules=(form, entries))
