"""The truth about one graded submission: plain data, from which every report is made.

A record holds no time and no path of this machine, so that the same submission, suite and seed
give the same record byte for byte. `run_document` gives the summary over a run that other tools
read; its format is `grader/run/1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final, TypeAlias

from grader.grids import Picture
from grader.isolation import Layers, gaps
from grader.limits import Limits
from grader.messages import Message
from grader.verdict import RuleVerdict, Status, Verdict, Visibility

RUN_SCHEMA: Final = "grader/run/1"
MAX_SUMMED_HITS: Final = 50
"""Places of one rule, or of one piece of advice, in `results.json`."""
_MAX_NAME_CHARS: Final = 200
_MAX_SAID_CHARS: Final = 4_000

Teller: TypeAlias = Callable[[Message], str]
"""Puts a message in words."""


@unique
class LineState(StrEnum):
    """What became of one line of a transcript."""

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
    state: LineState
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of the submission that an exception or a time-out points to."""

    file: str
    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What became of one case."""

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
    pictures: tuple[Picture, ...] = ()
    """The boards in `expected` and `got`, where the suite says how they look; public cases only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupResult:
    """What became of one group; its cases are in the order of the suite."""

    id: str
    title: str
    points: float
    max_points: float
    cases: tuple[CaseResult, ...]
    clauses: tuple[int, ...] = ()
    """The lines of the spec that its hidden cases which failed are about, if that may be told."""
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
    """What became of one rule."""

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
class AdviceItem:
    """One piece of advice about readability; never a matter of points."""

    kind: str
    """Advice of one kind stands together: `unused`, `too_long`, or a code such as `E741`."""
    said: Message
    hits: tuple[RuleHit, ...]
    """The first places; `count` says how many there are."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedFile:
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
    drawn: tuple[str, ...] = ()
    """The sessions that were drawn from the pools of the hidden suite; for staff."""


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
    files: tuple[SubmittedFile, ...]
    conditions: Conditions
    rules: tuple[RuleResult, ...] = ()
    advice: tuple[AdviceItem, ...] = ()
    """Best first."""
    spec_url: str | None = None
    """Where the spec can be read; `{line}` in it stands for the number of a line."""
    sources: tuple[SourceText, ...] = ()
    """The student's own code, the main file first."""
    staff_remarks: tuple[Message, ...] = ()
    """What staff should look at; students never read it, and it is no matter of points."""

    @property
    def cases(self) -> tuple[CaseResult, ...]:
        """All cases, group by group."""
        return tuple(case for group in self.groups for case in group.cases)


def isolation_gaps(record: Record) -> list[str]:
    """Return the names of what was not enforced while `record` came to be."""
    return [gap.key.removeprefix("gap.") for gap in gaps(record.conditions.layers)]


def run_document(summaries: Iterable[dict[str, object]]) -> dict[str, object]:
    """Return `results.json` for the summaries of the records of one run."""
    return {"schema": RUN_SCHEMA, "submissions": list(summaries)}


def summary(record: Record, tell: Teller) -> dict[str, object]:
    """Return the entry of `record` in `results.json`; `tell` puts what it says in words."""
    entry: dict[str, object] = {
        "id": record.id,
        "student": record.student,
        "exercise": record.exercise,
        "status": record.status.value,
        "score": record.score,
        "max_score": record.max_score,
        "isolation": record.conditions.isolation,
        "isolation_gaps": isolation_gaps(record),
        "remarks": [tell(remark) for remark in record.remarks],
        "cases": [_case_summary(case) for case in record.cases],
        "rules": [_rule_summary(rule, tell) for rule in record.rules],
    }
    if shown := {each.id: each.counterexample.id for each in record.groups if each.counterexample}:
        entry["counterexamples"] = shown
    if record.conditions.drawn:
        entry["drawn"] = list(record.conditions.drawn)
    if record.staff_remarks:
        entry["staff_remarks"] = [tell(remark) for remark in record.staff_remarks]
    if record.advice:
        entry["advice"] = [_advice_summary(item, tell) for item in record.advice]
    return entry


def _case_summary(case: CaseResult) -> dict[str, object]:
    return {
        "id": case.id,
        "group": case.group,
        "verdict": case.verdict.value,
        "points": case.points,
        "max_points": case.max_points,
        "visibility": case.visibility.value,
    }


def _rule_summary(rule: RuleResult, tell: Teller) -> dict[str, object]:
    return {
        "id": rule.id,
        "verdict": rule.verdict.value,
        "evidence": " ".join(tell(said)[:_MAX_SAID_CHARS] for said in rule.evidence),
        "penalty": rule.penalty,
        "costs": rule.costs,
        "function": rule.function,
        "group": rule.group,
        "hits": _places(rule.hits),
    }


def _advice_summary(item: AdviceItem, tell: Teller) -> dict[str, object]:
    return {
        "kind": item.kind,
        "text": tell(item.said)[:_MAX_SAID_CHARS],
        "count": item.count,
        "places": _places(item.hits),
    }


def _places(hits: tuple[RuleHit, ...]) -> list[list[object]]:
    """Return the first places as `[file, line, column, what]`."""
    return [
        [
            hit.file[:_MAX_NAME_CHARS],
            hit.line,
            hit.column,
            None if hit.what is None else hit.what[:_MAX_NAME_CHARS],
        ]
        for hit in hits[:MAX_SUMMED_HITS]
    ]
