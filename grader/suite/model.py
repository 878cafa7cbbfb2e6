"""A suite in memory: what a submission is asked, and the expected answers.

Everything here is validated and parsed; `grader.suite.loading` builds it from YAML. A *session* is
a list of *steps*; a step with an expectation belongs to a *case*, the smallest thing that earns a
verdict; cases are scored together in *groups*, and the points belong to the group.
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
    Stopped,
    WebAddress,
    flag,
    key,
    optional,
    word_of,
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
"""The same as a tuple: kits drop types, so it cannot be taken from the `Literal`."""

_BUILTINS: Final = frozenset(vars(builtins))
_SUITE_RULES: Final[dict[str, Any]] = {
    "oneOf": [{"required": ["module"]}, {"required": ["modules"]}],
}


def _by_name(description: str, example: Mapping[str, object]) -> Any:
    closed = {"additionalProperties": False}
    return key(description, example, default_factory=dict, json_schema_extra=closed)


@unique
class Feedback(StrEnum):
    """How much a student learns about a hidden case that did not pass."""

    COUNT = "count"
    """Only how many cases of its group passed."""
    CLAUSE = "clause"
    """Also the clause of the spec that it tests."""
    COUNTEREXAMPLE = "counterexample"
    """Also a session that shows the same mistake, and that earns no points."""


@unique
class Readers(StrEnum):
    """Who sees a repair."""

    STAFF = "staff"
    """Staff see the edit; students see nothing."""
    STUDENTS = "students"
    """Students see the line and the kind of the edit; staff see the edit."""


class Generated(Form, title="generated"):
    """What generated sessions were made from."""

    called = "generated"

    version: int = key("Version of the generator.", 1, ge=1)
    seed: Remark = key("What its draws start from.", "autumn")
    reference: Sha256 = key(
        "SHA-256 of the reference that said what to expect.", "0123456789abcdef" * 4
    )
    content: Sha256 = key(
        "SHA-256 of the sessions and siblings as they were made.", "fedcba9876543210" * 4
    )


class Equivalent(Form, title="equivalent"):
    """A mutant of the reference that no session can tell from it."""

    called = "an equivalent mutant"

    mutant: MutantName = key(
        "The mutant, as the audit names it; the name changes with the code.", "3f2a91c0"
    )
    reason: Remark = key(
        "Why nobody can tell the two apart.", "both bounds are checked once more by the caller"
    )


class Formatted(Form):
    """A file that has a format number."""

    format: int = key(
        "What a suite may say, as a number: graders write it, and know by it what they cannot "
        "read. Leave it out of what you write by hand.",
        FORMAT,
        default=OLDEST,
        ge=1,
    )


class SuiteHead(Formatted):
    """The keys of a suite besides its groups, rules and sessions."""

    called = "a suite"

    exercise: Slug = key("Short name of the exercise, for files and URLs.", "yinyang")
    title: Heading = key("Name of the exercise, for people.", "Yin-Yang")
    language: LanguageCode = key("Language that students are addressed in.", "nl")
    also_in: Items[LanguageCode] = key(
        "Other languages that the reader of a student's page may choose. What this file says "
        "itself stays as it is.",
        ["en", "fr"],
        default_factory=tuple,
    )
    spec: Remark | None = optional(
        "The text that students get, relative to this file.", "../reference/yinyang/spec.md"
    )
    spec_url: WebAddress | None = optional(
        "Where students read the text. {line} in it stands for the number of a line.",
        "https://course.example/yinyang#line-{line}",
    )
    site_url: WebAddress | None = optional(
        "Where the folder is on the web that `grader site` has written. The page of a student "
        "then leads there, with her code.",
        "https://course.example/check/",
    )
    contact: MailAddress | None = optional(
        "Where students write to who want a person to look again. Their pages then have links "
        "that begin such a mail.",
        "prof@school.example",
    )
    module: Identifier = key(
        "The module that students hand in: yinyang for yinyang.py. Steps know what it "
        "defines. A suite has either this key or modules.",
        "yinyang",
        default="",
    )
    modules: Items[PartName] = key(
        "The modules that students hand in, in the order in which they build on each "
        "other. Steps know them by their names.",
        ["Position", "Board", "Game"],
        default_factory=tuple,
        min_length=1,
    )
    defines: Items[DefinedName] = key(
        "Names that a submission must define; of several modules, Board.fill_cell.",
        ["YinYang"],
        ["Board.fill_cell"],
    )
    helpers: Items[DefinedName] = key(
        "Names that a submission may define, as parts of its own making, each after "
        "those that it builds on. A group of which a step names one that is not defined does not "
        "count for that submission.",
        ["tablero"],
        default_factory=tuple,
    )
    given: dict[DottedName, SourceCode] = _by_name(
        "Code that every submission can import: files by the name of the module, "
        "from the folder of this file or from the one above. It wins over a file handed in under "
        "that name.",
        {"helper": "reference/puzzle/helper.py"},
    )
    handed_out: dict[DefinedName, Items[Sha256]] = _by_name(
        "What students were given with all its code in the files that they start from: "
        "functions and constants, each with the SHA-256 of what its code says, as "
        "grader skeleton --digests prints it; one for each edition. No rule and no advice is about "
        "what a student left as it was.",
        {"Board.print_board": ["0123456789abcdef" * 4]},
    )
    checkers: dict[PartName, SourceCode] = _by_name(
        "Code that says whether an answer is right, where many are; files by the name "
        "of the module, as in given. Submissions never meet it.",
        {"tiling": "reference/puzzle/tiling.py"},
    )
    stand_ins: dict[PartName, SourceCode] = _by_name(
        "Our own modules, on which later ones of a submission can be tried; of a single "
        "module, that with our helpers. Files by the name of the module, as in given.",
        {"Board": "reference/puzzle/Board.py"},
    )
    imports: Items[ModuleName] = key(
        "Modules that a submission may import, besides its own. The word standard "
        "stands for those that are usual.",
        ["math", "random"],
        ["standard"],
        default=(STANDARD_WORD,),
    )
    limits: Limits = key(
        "How much one session may use. Default: the defaults of all limits.",
        {"cpu_s": 1.0},
        default_factory=Limits,
    )
    files: dict[FileName, str] = _by_name(
        "Text files that a submission can open, by name.",
        {"akari.txt": "1 1 4\n"},
    )
    now: Moment | None = optional(
        "What the clock says when a session begins, in UTC; it runs on from there. Default: "
        "2026-03-02 09:00, and another moment where luck is looked for.",
        "2024-02-29 12:30",
    )
    stopped: Stopped = key(
        "What becomes of a file that breaks down, asks, leaves or never ends while it is loaded, "
        "when it has defined a name that is asked for: it is graded as it is, for a part of the "
        "points less, or with a word that a person should look (review). It is told in any case.",
        "10%",
        "review",
        default=STOPS_COST_NOTHING,
    )
    notebooks: bool = flag(
        "Whether students may hand in notebooks; else they are told to hand in a module.",
        example=True,
        default=False,
    )
    writes: Items[FileName] = key(
        "Files that steps name and that a submission writes itself, or does not find.",
        ["report.txt"],
        default_factory=tuple,
    )
    advice: bool = flag(
        "Whether students get advice on how readable their code is; it never costs points.",
        example=True,
        default=False,
    )
    repairs: Annotated[Readers, word_of(Readers)] | None = optional(
        "For whom repairs are looked for, when a submission has been graded: the smallest edit of "
        "its own file with which a group passes and nothing else breaks. For staff, or for "
        "students too, who read in which line it is and of what kind. Default: nobody. It takes "
        "a few seconds for each submission that loses points, and costs or earns none.",
        "staff",
    )
    wording: dict[MessageKey, Remark] = _by_name(
        "Sentences of reports in words of your own, by their keys in the catalog of the language. "
        "Each has the parameters of the one that it replaces.",
        {"report.first": "Begin here"},
    )
    board: Board | None = optional(
        "How the boards of the exercise look; reports draw them where a case fails.",
        {"cells": {"white": "w", "black": "b", "empty": "-"}, "positions": True},
    )
    widgets: Widgets = key(
        "What else reports draw where a case fails: tables, lines of numbers, plots, calls.",
        {"table": [{"groups": ["ranking"], "columns": ["name", "score"]}]},
        default_factory=Widgets,
    )

    @property
    def now_s(self) -> int | None:
        """`now` in seconds since 1970, None without `now`."""
        if self.now is None:
            return None
        # Without a zone it would be taken for the local time of this machine.
        return int(datetime.fromisoformat(self.now).replace(tzinfo=UTC).timestamp())


class WrittenSuite(SuiteHead, title="suite", json_schema_extra=_SUITE_RULES):
    """What a submission of one exercise is asked, what is expected of it, and for what points."""

    clauses: Items[Clause] = key(
        "What settles cases. Readings that stand here are published: students see them.",
        [{"id": "bezet", "quote": "als het vakje op positie p niet leeg is"}],
        default_factory=tuple,
    )
    packed: dict[PackedName, str] = _by_name(
        "Text of files that this file names, by the path under which it does: grader pack puts "
        "them here, so that the suite works without them.",
        {"reference/puzzle/helper.py": "LARGEST = 9\n"},
    )
    groups: Items[Group] = key(
        "Cases scored together, with their points.", [{"id": "maak_wit", "points": 4}], min_length=1
    )
    rules: RulesForm = key(
        "What a submission is asked besides right answers.",
        {"loops": [{"functions": ["maak_wit"], "forbid": ["while"]}]},
        default_factory=RulesForm,
    )
    sessions: Items[WrittenSession] = key(
        "Each session runs in a process of its own.",
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
    """Hash of the bytes that the suite was loaded from, of its given code, checkers and stand-ins,
    and of the lines of its clauses in the spec."""
    asks: str = ""
    """The same hash without titles and points: if equal, records can be rescored."""
    rules: tuple[Rule, ...] = ()
    hidden_share: float | None = None
    """The share of a group's points that its non-public cases earn together, if it has public ones
    too; None without a hidden suite, where all cases weigh the same."""
    feedback: Feedback = Feedback.COUNT
    generated: Generated | None = None
    equivalent: tuple[Equivalent, ...] = ()
    published: frozenset[str] = frozenset()
    """Ids of the clauses in the public suite, whose readings students see."""
    siblings: tuple[Session, ...] = ()
    """Small public sessions, shortest first, that earn no points: a student who fails hidden cases
    of a group sees the first one that her submission fails too."""
    seed: str = ""
    """A secret of the course, from which the inputs of probes are drawn."""

    @cached_property
    def cases(self) -> Mapping[str, tuple[tuple[Session, Case], ...]]:
        """The cases of each group, each with its session, by group id."""
        found: dict[str, list[tuple[Session, Case]]] = {group.id: [] for group in self.groups}
        for session in self.sessions:
            for case in session.cases:
                found[case.group].append((session, case))
        return {group: tuple(cases) for group, cases in found.items()}

    @cached_property
    def overridden(self) -> tuple[str, ...]:
        """The built-ins that a submission may redefine for steps.

        Those are the names that the exercise asks for, and those in its public sessions, where a
        student can see the effect of her own `sum`. She cannot know which others steps use.
        """
        public = (each for each in self.sessions if each.visibility is Visibility.PUBLIC)
        shown = {name for session in public for step in session.steps for name in step.do.reads}
        # Sorted, as it is sent to executors, and the order of a set changes from run to run.
        return tuple(sorted(_BUILTINS.intersection(shown.union(self.defines, self.helpers))))

    @property
    def named_modules(self) -> tuple[str, ...]:
        """The modules that steps refer to by name; empty if steps see the names of a single one."""
        return self.modules if self.binds == "modules" else ()

    @property
    def published_readings(self) -> list[str]:
        """The readings of the spec that students see."""
        return [each.reading for each in self.clauses if each.reading and each.id in self.published]

    @cached_property
    def asked(self) -> Mapping[str, tuple[str, ...]]:
        """The names that each module must or may define, by module name."""
        found: dict[str, list[str]] = {module: [] for module in self.modules}
        for dotted in (*self.defines, *self.helpers):
            module, _, name = dotted.rpartition(".")
            found[module or self.modules[0]].append(name)
        return {module: tuple(names) for module, names in found.items()}

    def prefix(self, module: str) -> str:
        """Return the prefix of names of `module` in steps: `Board.`, or "" for a single module."""
        return f"{module}." if self.binds == "modules" else ""


@cache
def suite_form(kinds: Kinds) -> type[WrittenSuite]:
    """Return the form of a suite that may have rules of `kinds`."""
    rules, form = WrittenSuite.form_keys["rules"], rules_form(kinds)
    entries = key(rules.description, *rules.examples, default_factory=form)
    return WrittenSuite.with_keys(rules=(form, entries))
