"""The truth about one graded submission: plain data, from which every report is made.

A record holds no time and no path of this machine, so that the same submission, suite and seed
give the same record byte for byte. `to_json` and `from_json` are exact: what is read back is equal
to what was written, and gives the same reports.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from grader.judging.pictures import AnyPicture
from grader.messages import Message
from grader.sandbox.isolation import Layers, gaps
from grader.suite.limits import Limits
from grader.suite.texts import COMMAND
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

if TYPE_CHECKING:
    from pydantic import TypeAdapter

RECORD_SCHEMA: Final = "grader/record/10"
"""Name and version of the format; a change of any field of a record is a new version."""
_LEFT_OUT: Final = frozenset({"also_in", "repairs", "site_url"})
"""Fields that came later: where they are empty they are left out, so earlier records are read."""


@unique
class LineStatus(StrEnum):
    """How one line of a transcript went."""

    DONE = "done"
    """It ran; what it gave stands below it."""
    FAILED = "failed"
    """This is the line that the case is about, and it did not give what was expected."""
    CAUSE = "cause"
    """This earlier line broke, so the line that the case is about was never reached."""
    NOT_REACHED = "not_reached"
    """It did not run any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """One step as it went: its code, and what it gave, as an interpreter would show it."""

    code: str
    output: str
    state: LineStatus
    note: str | None = None

    @property
    def prompt(self) -> str:
        """What stands before the code on a screen; a command has its own."""
        return "" if self.code.startswith(COMMAND) else ">>> "


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of the submission that an exception or a time-out points to."""

    file: str
    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The result of one case."""

    id: str
    group: str
    code: str
    """The step that the case is about."""
    verdict: Verdict
    points: float
    max_points: float
    visibility: Visibility
    explanation: tuple[Message, ...] = ()
    """Why it did not pass, or not at once: the first message says it, the others add detail."""
    expected: str | None = None
    got: str | None = None
    transcript: tuple[TranscriptLine, ...] = ()
    """The smallest session that shows it, up to the failing step; empty for passed cases."""
    source: SourceLine | None = None
    cause: str | None = None
    """For SKIPPED: the step whose failure kept this case from being tried."""
    spec_line: int | None = None
    staff_evidence: str | None = None
    """Detail for staff only, such as how a reply broke the protocol."""
    pictures: tuple[AnyPicture, ...] = ()
    """What of `expected` and `got` the suite has drawn, and of calls; public cases only."""

    @property
    def is_own_test(self) -> bool:
        """Whether it is a test of an instructor, of a file that is its group."""
        return self.id.startswith(f"{self.group}::")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedClause:
    """A line of the spec that hidden cases which failed are about."""

    line: int
    quote: str | None
    """The words there that settle them, if the suite says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTally:
    """How many of the demands of a group's hidden cases are met.

    Cases of one clause are one demand, another case is one by itself. All weigh the same, so what
    hidden cases earn follows from these two numbers; tests of an instructor have their own weights.
    """

    demands: int
    met: float
    """One that is met in part counts for that part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    """The result of one group; its cases are in the order of the suite."""

    id: str
    title: str
    points: float
    max_points: float
    cases: tuple[CaseResult, ...]
    hidden: HiddenTally | None = None
    """None for a group without hidden cases."""
    clauses: tuple[FailedClause, ...] = ()
    """What of the spec its hidden cases which failed are about, if that may be told."""
    counterexample: CaseResult | None = None
    """A public case that counts for nothing, and that shows what went wrong in hidden ones. Its id
    is that of its session."""
    searched: bool = False
    """Whether one was looked for to the end, and maybe not found."""

    @property
    def passed(self) -> int:
        """Number of cases that passed."""
        return sum(case.verdict is Verdict.PASSED for case in self.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleHit:
    """A place in the submission that the evidence for a rule, or a piece of advice, points to."""

    file: str
    line: int
    """Counted from 1, as columns are."""
    column: int
    text: str
    """The line as it stands there."""
    what: str | None = None
    """What stands there, such as the name of a construct; never a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """The result of one rule."""

    id: str
    verdict: RuleVerdict
    demand: Message
    """What the rule asks, in a sentence."""
    evidence: tuple[Message, ...]
    """Why the verdict is what it is: the first message says it, the others add detail."""
    penalty: float = 0.0
    """Points that it cost."""
    costs: bool = False
    """Whether breaking it can cost points; else it is a remark."""
    function: str | None = None
    group: str | None = None
    hits: tuple[RuleHit, ...] = ()
    table: tuple[TableRow, ...] = ()
    """For encapsulation: the functions, and whether each knows the representation."""
    spec_line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One function, and how it stands to the representation of the data."""

    function: str
    knows: bool
    may_know: bool
    lines: tuple[int, ...]
    """Lines of its file where it looks into the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One piece of advice about readability; never a matter of points."""

    kind: str
    """Advice of one kind stands together: `unused`, `too_long`, or a code such as `E741`."""
    said: Message
    hits: tuple[RuleHit, ...]
    """The first places; `count` says how many there are."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A small edit with which a group passes and nothing else breaks: it was graded like this."""

    group: str
    file: str
    line: int
    """What was meant is about this line, counted from 1."""
    first: int
    """The first line that differs..."""
    before: str
    """... the lines there, as they were handed in..."""
    after: str
    """... and those in their place."""
    kind: str
    """What was mended: the words for it are those of `report.repair_KIND`."""
    is_told: bool
    """Whether the student reads in which line it is, and what was mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionFile:
    """One file of the submission as it was read."""

    name: str
    size_bytes: int
    sha256: str
    encoding: str | None
    """None for a file that is not source code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """The code in one file of the submission, for its student to read; never in `results.json`."""

    name: str
    """As `SourceLine` and `RuleHit` have it."""
    text: str
    left_out: int = 0
    """Number of lines after `text` for which there was no room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """How a submission was graded: what has to be the same for the record to be the same."""

    suite_sha256: str
    grader_version: str
    python_version: str
    isolation: int
    layers: Layers
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One graded submission."""

    id: str
    student: str
    exercise: str
    title: str
    """Title of the exercise."""
    language: str
    spec: str | None
    status: Status
    score: float
    max_score: float
    remarks: tuple[Message, ...]
    groups: tuple[GroupResult, ...]
    files: tuple[SubmissionFile, ...]
    conditions: Conditions
    rules: tuple[RuleResult, ...] = ()
    advice: tuple[Advice, ...] = ()
    """Best first."""
    spec_url: str | None = None
    """Where the spec can be read; `{line}` in it stands for the number of a line."""
    wording: tuple[tuple[str, str], ...] = ()
    """Sentences of the course, by the keys of the catalogs whose sentences they replace."""
    sources: tuple[SourceText, ...] = ()
    """The student's own code, the main file first."""
    staff_remarks: tuple[Message, ...] = ()
    """What staff should look at; students never read it, and it is no matter of points."""
    repairs: tuple[Repair, ...] = ()
    """One for each group that has one."""
    also_in: tuple[str, ...] = ()
    """Other languages that a reader may choose."""
    site_url: str = ""
    """Where pages are on which the student may go on with her code."""
    shortened: CaseResult | None = None
    """A public case that fails, in the shortest session known in which it really fails so."""

    @property
    def cases(self) -> tuple[CaseResult, ...]:
        """All cases, group by group."""
        return tuple(chain.from_iterable(group.cases for group in self.groups))

    @property
    def needed_python(self) -> tuple[int, int] | None:
        """The version of Python that it is written for, where ours is too old for it."""
        for remark in self.remarks:
            if remark.key == "ungradable.newer":
                major, minor = str(dict(remark.parameters)["needed"]).split(".")
                return int(major), int(minor)
        return None

    @property
    def isolation_gaps(self) -> list[str]:
        """Names of what was not enforced while the submission was graded."""
        return [gap.key.removeprefix("gap.") for gap in gaps(self.conditions.layers)]


def to_json(record: Record) -> bytes:
    """Return `record` as one line of JSON: ASCII, and always the same bytes.

    Lone surrogates are escaped, as any JSON reader takes them.
    """
    # `dump_json` refuses lone surrogates, which names of files and results of steps can have.
    document = {"schema": RECORD_SCHEMA, "record": plain_record(record)}
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


class OtherFormat(ValueError):
    """A record was made by another grader, which wrote another format."""


def refuse_other_format(schema: object) -> None:
    """Raise `OtherFormat` if `schema` is that of another grader, `ValueError` if it is none."""
    name, _, number = RECORD_SCHEMA.rpartition("/")
    other = re.fullmatch(rf"{name}/([1-9][0-9]{{0,5}})", str(schema))
    if other is None:
        raise ValueError(f"it has the format {schema!r}, and this version reads {RECORD_SCHEMA}")
    if other[1] != number:
        whose = "an earlier" if int(other[1]) < int(number) else "a newer"
        raise OtherFormat(f"{whose} grader made it")


def from_json(data: bytes) -> Record:
    """Return the record that `to_json` made `data` of; raises `ValueError` saying what is wrong.

    Nothing is guessed: a key that a record does not have, or a value of another type, is refused.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None
    if not isinstance(document, dict) or "record" not in document:
        raise ValueError("it is no record")
    refuse_other_format(document.get("schema"))
    try:
        record = record_adapter().validate_python(document["record"])
    except ValueError as error:  # pydantic's, with every place on a line of its own
        raise ValueError(f"it is no record: {' '.join(str(error).split())}") from None
    # The validation converts, such as "1" to 1, and ignores unknown keys: that shows here.
    if plain_record(record) != document["record"]:
        raise ValueError("it has values that no record has")
    return record


def plain_record(record: Record) -> Any:
    """Return `record` as it is written: without what few have, where there is none of it."""
    plain: dict[str, Any] = record_adapter().dump_python(record, mode="json")
    return {name: each for name, each in plain.items() if each or name not in _LEFT_OUT}


@cache  # it takes a tenth of a second to make, and `grader check` needs none
def record_adapter() -> TypeAdapter[Record]:
    """Return what writes and reads records."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - as above

    return TypeAdapter(Record)


def fails_alike(one: CaseResult, other: CaseResult) -> bool:
    """Return whether both fail in the same way: the same is said of them, at the same place."""
    return (
        one.verdict is other.verdict
        and [said.key for said in one.explanation[:1]]
        == [said.key for said in other.explanation[:1]]
        and (one.verdict is not Verdict.ERROR or one.source == other.source)
    )
