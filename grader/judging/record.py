"""The record of one graded submission: plain data, from which every report is made.

A record contains neither times nor paths of this machine, so that the same submission, suite and
seed give a byte-identical record. `to_json` and `from_json` are exact inverses: a record that is
read back equals the one written, and gives the same reports.
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
from grader.suite.texts import COMMAND_PREFIX
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

if TYPE_CHECKING:
    from pydantic import TypeAdapter

RECORD_SCHEMA: Final = "grader/record/10"
"""Name and version of the format; changing any field of a record needs a new version."""
_LEFT_OUT: Final = frozenset({"also_in", "contact", "repairs", "site_url"})
"""Fields that were added later. They are omitted when empty, so that earlier records stay valid."""


@unique
class LineStatus(StrEnum):
    """The state of one line of a transcript."""

    DONE = "done"
    """The line ran; its output is below it."""
    FAILED = "failed"
    """The line that the case tests, which did not give the expected result."""
    CAUSE = "cause"
    """An earlier line that broke down, so that the tested line was not reached."""
    NOT_REACHED = "not_reached"
    """The line did not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """One step of a transcript: its code, and its output as an interpreter would show it."""

    code: str
    output: str
    state: LineStatus
    note: str | None = None

    @property
    def prompt(self) -> str:
        """The prompt to show before the code.

        It is empty for a command, whose code includes the prompt.
        """
        return "" if self.code.startswith(COMMAND_PREFIX) else ">>> "


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
    """The code of the step that the case tests."""
    verdict: Verdict
    points: float
    max_points: float
    visibility: Visibility
    explanation: tuple[Message, ...] = ()
    """Why the case did not pass, or not at once: one sentence, then messages with details."""
    expected: str | None = None
    got: str | None = None
    transcript: tuple[TranscriptLine, ...] = ()
    """The smallest session that shows the failure, up to the tested step; empty for passed
    cases."""
    source: SourceLine | None = None
    cause: str | None = None
    """For SKIPPED: the step, name or file that prevented the case from running."""
    spec_line: int | None = None
    staff_evidence: str | None = None
    """Details for staff only, such as how a reply violated the protocol."""
    pictures: tuple[AnyPicture, ...] = ()
    """Drawings of `expected` and `got`, and of calls; public cases only."""

    @property
    def is_instructor_test(self) -> bool:
        """Whether the case is an instructor's own test, whose group is the test file."""
        return self.id.startswith(f"{self.group}::")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedClause:
    """A line of the spec that some failed hidden cases test."""

    line: int
    quote: str | None
    """The quoted words that settle these cases, if the suite names a clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTally:
    """How many demands of a group's hidden cases are met.

    Cases of one clause form one demand; every other case is a demand of its own. All demands weigh
    the same, so these two numbers determine what hidden cases earn. An instructor's own tests have
    weights instead.
    """

    demands: int
    met: float
    """Partly met demands count as fractions."""


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
    """The parts of the spec that the failed hidden cases test, if they are shown to students."""
    counterexample: CaseResult | None = None
    """A public case without points that shows what went wrong in hidden cases. It has the id of its
    session."""
    searched: bool = False
    """Whether the search for a counterexample was completed, successfully or not."""

    @property
    def passed(self) -> int:
        """The number of cases that passed."""
        return sum(case.verdict is Verdict.PASSED for case in self.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleHit:
    """A place in the submission that the evidence for a rule, or a piece of advice, points to."""

    file: str
    line: int
    """Lines and columns count from 1."""
    column: int
    text: str
    """The text of the line."""
    what: str | None = None
    """A name for the code at that position, such as a construct; never a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """The result of one rule."""

    id: str
    verdict: RuleVerdict
    demand: Message
    """The demand of the rule, as a sentence."""
    evidence: tuple[Message, ...]
    """The reason for the verdict: one sentence, then messages with details."""
    penalty: float = 0.0
    """The points that breaking the rule cost."""
    costs: bool = False
    """Whether breaking the rule can cost points; otherwise it is only remarked on."""
    function: str | None = None
    group: str | None = None
    hits: tuple[RuleHit, ...] = ()
    table: tuple[TableRow, ...] = ()
    """For a rule on encapsulation, the functions that know the representation."""
    spec_line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One function, whether it knows the representation, and whether it is allowed to."""

    function: str
    knows: bool
    may_know: bool
    lines: tuple[int, ...]
    """The line numbers at which the function accesses the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One piece of advice about readability, which never costs points."""

    kind: str
    """Advice is grouped by kind: `unused`, `too_long`, or a code such as `E741`."""
    said: Message
    hits: tuple[RuleHit, ...]
    """The first positions; `count` is the total number."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A small edit with which a group passes and nothing else breaks, proven by grading."""

    group: str
    file: str
    line: int
    """The line with the mistake, counted from 1."""
    first: int
    """The first line that differs..."""
    before: str
    """... those lines as handed in..."""
    after: str
    """... and their replacement."""
    kind: str
    """The kind of edit; `report.repair_KIND` is its message."""
    is_told: bool
    """Whether the student sees the line and the kind of the edit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionFile:
    """One file of the submission."""

    name: str
    size_bytes: int
    sha256: str
    encoding: str | None
    """None for a file that is not source code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """The code in one file of the submission, for its student; never in `results.json`."""

    name: str
    """The file name, as in `SourceLine` and `RuleHit`."""
    text: str
    left_out: int = 0
    """The number of lines cut off after `text`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The conditions of grading. Under equal conditions, a submission gets equal records."""

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
    """The title of the exercise."""
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
    """The address of the spec; `{line}` in it is replaced by a line number."""
    wording: tuple[tuple[str, str], ...] = ()
    """The course's own sentences, by the message keys that they replace."""
    sources: tuple[SourceText, ...] = ()
    """The student's own code, the main file first."""
    staff_remarks: tuple[Message, ...] = ()
    """Remarks for staff, which students never see and which cost no points."""
    repairs: tuple[Repair, ...] = ()
    """At most one for each group."""
    also_in: tuple[str, ...] = ()
    """Other languages that readers can choose."""
    site_url: str = ""
    """The address of pages where the student can continue with her code."""
    contact: str = ""
    """The email address for students who want a person to look again."""
    shortened: CaseResult | None = None
    """The first failed public case, in the shortest session in which it fails the same way."""

    @property
    def cases(self) -> tuple[CaseResult, ...]:
        """All cases, group by group."""
        return tuple(chain.from_iterable(group.cases for group in self.groups))

    @property
    def needed_python(self) -> tuple[int, int] | None:
        """The Python version that the submission needs, if ours is too old for it, else None."""
        for remark in self.remarks:
            if remark.key == "ungradable.newer":
                major, minor = str(dict(remark.parameters)["needed"]).split(".")
                return int(major), int(minor)
        return None

    @property
    def isolation_gaps(self) -> list[str]:
        """The names of the gaps in isolation while the submission was graded."""
        return [gap.key.removeprefix("gap.") for gap in gaps(self.conditions.layers)]


def to_json(record: Record) -> bytes:
    """Return `record` as one line of ASCII JSON. Equal records give the same bytes.

    Lone surrogates are escaped, which any JSON reader accepts.
    """
    # Pydantic's `dump_json` rejects lone surrogates, which file names and results can contain.
    document = {"schema": RECORD_SCHEMA, "record": plain_record(record)}
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


class OtherFormat(ValueError):
    """A record has the format of another version of the grader."""


def refuse_other_format(schema: object) -> None:
    """Raise `OtherFormat` if `schema` is another version of our format.

    Raises `ValueError` if it is not our format at all. The message of either error completes "The
    record cannot be read: ".
    """
    name, _, number = RECORD_SCHEMA.rpartition("/")
    match = re.fullmatch(rf"{name}/([1-9][0-9]{{0,5}})", str(schema))  # short enough for `int`
    if match is None:
        raise ValueError(f"it has the format {schema!r}, but this version reads {RECORD_SCHEMA}")
    if match[1] != number:
        age = "an earlier" if int(match[1]) < int(number) else "a newer"
        raise OtherFormat(f"it was made by {age} version of the grader")


def from_json(data: bytes) -> Record:
    """Return the record that `to_json` wrote as `data`. Raises `ValueError` if it is malformed.

    Unknown keys and values of the wrong type are rejected, not ignored or converted.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):  # arrays can be nested too deeply for the parser
        raise ValueError("it is not JSON") from None
    if not isinstance(document, dict) or "record" not in document:
        raise ValueError("it is not a record")
    refuse_other_format(document.get("schema"))
    try:
        record = record_adapter().validate_python(document["record"])
    except ValueError as error:  # pydantic's message has several lines
        raise ValueError(f"it is not a record: {' '.join(str(error).split())}") from None
    # Validation converts values such as "1" to 1, and ignores unknown keys: reject both here.
    if plain_record(record) != document["record"]:
        raise ValueError("it has values that no record has")
    return record


def plain_record(record: Record) -> Any:
    """Return `record` as plain data for JSON, without fields added later if they are empty."""
    plain: dict[str, Any] = record_adapter().dump_python(record, mode="json")
    return {name: value for name, value in plain.items() if value or name not in _LEFT_OUT}


@cache  # lazy: building the adapter takes a tenth of a second, and `grader check` needs none
def record_adapter() -> TypeAdapter[Record]:
    """Return the pydantic adapter that writes and reads records."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - as above

    return TypeAdapter(Record)
