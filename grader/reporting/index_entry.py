"""The overview's data about one submission, computed as soon as its record exists.

A run has hundreds of submissions, and records are large. Only these entries stay in memory, so they
contain only counts, keys and short texts.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import TypeAdapter

from grader.judging.deciding import DecidedRecord
from grader.judging.lateness import LATENESS
from grader.judging.record import CaseResult, Record
from grader.messages import Message, message
from grader.reporting.class_analysis import Failure, failures
from grader.reporting.signs import Sign, signs
from grader.reporting.wording import Locale, Tone, lost_by_rules, tone_of
from grader.sandbox.isolation import Layers
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status, Verdict

_MAX_FACTS: Final = 3
"""How many facts about a submission are shown to staff."""
_SUSPECT: Final = frozenset({Verdict.TAMPERED, Verdict.FAULT})
STOPPED: Final = {
    "ungradable.syntax": "syntax",
    "ungradable.source": "syntax",
    "ungradable.too_much": "syntax",
    "ungradable.pasted": "syntax",
    "ungradable.empty": "empty",
    "ungradable.python2": "python2",
    "ungradable.newer": "newer",
    "ungradable.names": "names",
    "ungradable.names_near": "names",
    "ungradable.names_in_class": "names",
    **{
        f"ungradable.{name}": "file"
        for name in (
            *("document", "no_modules", "no_python", "no_python_only"),
            *("packed", "picture", "program", "shortcut", "which_file"),
        )
    },
}
"""The kinds of reasons that prevent submissions from being run, keyed by message key."""
_REFUSED_FILE: Final = "refused."
"""The start of message keys about files that were refused."""
_ABOUT_ODD_FILES: Final = frozenset(
    f"remark.{name}"
    for name in (
        *("coding", "encoding", "file_name", "module_name", "other_folder", "same_name"),
        *("shadows", "wide"),
    )
)


class ItemScore(NamedTuple):
    """The result of a submission on one group, or in one session."""

    title: str
    passed: int
    cases: int
    ran: bool = True
    """Whether any of its cases ran; a group that did not run is not wrong."""

    @property
    def share(self) -> float | None:
        """The share of its cases that passed, or None if none ran."""
        return self.passed / self.cases if self.ran and self.cases else None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """The row of one submission in the overview."""

    id: str
    student: str
    exercise: str
    exercise_title: str
    status: Status
    score: float
    max_score: float
    remarks: tuple[str, ...]
    href: str
    """The link to the student's page, relative to the overview."""
    failing: int
    """The number of cases that ran and failed."""
    groups: tuple[ItemScore, ...]
    sessions: tuple[ItemScore, ...] = ()
    failures: tuple[Failure, ...] = ()
    """The failing cases, for finding students with the same mistakes."""
    timed_out: int = 0
    """The number of cases that ran out of time."""
    staff_remarks: tuple[str, ...] = ()
    """The remarks for staff, except those in `printed`."""
    printed: tuple[str, ...] = ()
    """The remarks for staff about unexpected output."""
    odd_files: tuple[str, ...] = ()
    """The remarks about unusual files."""
    stopped: str | None = None
    """The key of the reason why it cannot be run, or None if it can be run."""
    stopped_at: Message | None = None
    """The file and line that prevent it from being run, if known."""
    faults: int = 0
    tampered: int = 0
    evidence: tuple[str, ...] = ()
    """Facts about tampering and about failures of ours, which only staff see."""
    isolation: int = 0
    """The level of isolation in which it was graded."""
    layers: Layers = ()
    lost: float = 0.0
    """The points lost by broken rules."""
    reviews: tuple[str, ...] = ()
    """The ids of rules that a person has to decide on."""
    sheet: str | None = None
    """The link to the sheet for the oral defence, relative to the overview, if there is one."""
    is_late: bool = False
    """Whether it was handed in after the deadline."""
    decisions: int = 0
    """The number of decisions in force."""
    doubted: int = 0
    """How many of them are in doubt: the finding has changed, or the subject is gone."""
    signs: tuple[Sign, ...] = ()
    """The signs that a teacher might have to ask about."""
    files: str = ""
    """A hash of the files, or "" if they contain no work by the student."""

    @classmethod
    def from_record(
        cls,
        record: Record,
        href: str,
        sheet: str | None = None,
        sessions: Mapping[str, str] | None = None,
    ) -> IndexEntry:
        """Return the entry for `record`, with links to its page (`href`) and its `sheet`.

        `sessions` has the session title of each case, keyed by case id.
        """
        locale = Locale.for_record(record)
        unpassed = [case.verdict for case in record.cases if case.verdict is not Verdict.PASSED]
        return cls(
            id=record.id,
            student=record.student,
            exercise=record.exercise,
            exercise_title=record.title,
            status=record.status,
            score=record.score,
            max_score=record.max_score,
            remarks=tuple(map(locale.sentence, record.remarks)),
            href=href,
            failing=sum(tone_of(verdict) is Tone.BAD for verdict in unpassed),
            groups=_intern(tuple(_tally(group.title, group.cases) for group in record.groups)),
            sessions=_intern(tuple(_session_tallies(record, sessions or {}))),
            failures=failures(record),
            timed_out=unpassed.count(Verdict.TIMED_OUT),
            staff_remarks=tuple(
                locale.sentence(remark) for remark in record.staff_remarks if remark.key != _PRINTED
            ),
            printed=tuple(
                locale.sentence(remark) for remark in record.staff_remarks if remark.key == _PRINTED
            ),
            odd_files=tuple(map(locale.sentence, filter(_is_about_odd_file, record.remarks))),
            stopped=_stop_key(record),
            stopped_at=_stop_location(record),
            faults=unpassed.count(Verdict.FAULT),
            tampered=unpassed.count(Verdict.TAMPERED),
            evidence=tuple(_evidence(record)),
            isolation=record.conditions.isolation,
            layers=_intern(record.conditions.layers),
            lost=lost_by_rules(record),
            reviews=tuple(r.id for r in record.rules if r.verdict is RuleVerdict.REVIEW),
            is_late=any(rule.id == LATENESS for rule in record.rules),
            sheet=sheet,
            signs=signs(record, locale),
            files=_files_hash(record),
        )

    def with_decisions(self, record: Record) -> IndexEntry:
        """Return a copy of the entry that takes account of the decisions on its `record`."""
        decisions = record.decisions if isinstance(record, DecidedRecord) else ()
        return replace(
            self,
            score=record.score,
            lost=lost_by_rules(record),
            reviews=tuple(r.id for r in record.rules if r.verdict is RuleVerdict.REVIEW),
            signs=signs(record, Locale.for_record(record)),
            decisions=len(decisions),
            doubted=sum(
                decision.is_in_doubt and not decision.is_overruled for decision in decisions
            ),
        )

    def to_json(self) -> bytes:
        """Return everything except the links, as one line of ASCII JSON."""
        # The links are not stored, because they depend on the run and its options.
        plain = _adapter().dump_python(replace(self, href="", sheet=None), mode="json")
        return json.dumps(plain, separators=(",", ":")).encode("ascii")

    @classmethod
    def from_json(cls, data: bytes, href: str, sheet: str | None = None) -> IndexEntry:
        """Return the entry in `data`, which `to_json` made, with the links `href` and `sheet`.

        Raises `ValueError` if the data is malformed.
        """
        entry = _adapter().validate_python(json.loads(data))
        return replace(
            entry,
            href=href,
            sheet=sheet,
            groups=_intern(entry.groups),
            sessions=_intern(entry.sessions),
            failures=_intern(entry.failures),
            layers=_intern(entry.layers),
        )

    @property
    def needs_person(self) -> bool:
        """Whether a person has to look at it before its score is final."""
        doubts = self.faults + self.tampered + len(self.reviews) + self.doubted
        return self.status is not Status.GRADED or doubts > 0

    @property
    def is_stopped(self) -> bool:
        """Whether it cannot be run, and a person has no other reason to look at it."""
        # A person looks at each submission that disturbed the grading, so it is not counted here.
        doubts = self.evidence or self.faults or self.tampered or self.reviews or self.doubted
        return self.stopped not in {None, _DISTURBS} and not doubts

    @property
    def counts_for_class(self) -> bool:
        """Whether it is included in the figures of the class: it was graded without faults."""
        return self.status is Status.GRADED and self.faults == 0


def stopped_kind(entry: IndexEntry) -> str:
    """Return the kind of reason that prevents `entry` from being run."""
    key = entry.stopped or ""
    return "loading" if key.startswith("loading.") else STOPPED.get(key, "other")


@cache
def _adapter() -> TypeAdapter[IndexEntry]:
    return TypeAdapter(IndexEntry)


_PRINTED: Final = "staff.printed"
"""The key of the remark on unexpected output."""
_DISTURBS: Final = "loading.tampered"
"""The key of the remark on a file that disturbed the grading while it was loaded."""
_DOCSTRING: Final = re.compile(r"[rRuU]?(\"{3}|'{3})(?s:.*?)\1")
_EMPTY_BODY: Final = r"(?:pass|[.]{3}|return(?: None)?|raise NotImplementedError(?:\(.*\))?)?"
_IDLE_LINE: Final = re.compile(
    rf"(?:(?:(?:async )?def|class)\b.*:)? ?{_EMPTY_BODY} ?(?:#.*)?|(?:import|from)\b.*|@.*"
)
"""Matches a line that does nothing, as in skeletons: a definition, an import, an empty body."""

_Value = TypeVar("_Value")
_INTERNED: Final[dict[Any, Any]] = {}
_MAX_INTERNED: Final = 2_000


def _intern(value: _Value) -> _Value:
    """Return the cached object that equals `value`, or cache `value` and return it.

    This saves memory, because the submissions of a class have much in common.
    """
    if len(_INTERNED) >= _MAX_INTERNED:  # bounded, because a run can have many exercises
        _INTERNED.clear()
    interned: _Value = _INTERNED.setdefault(value, value)
    return interned


def _files_hash(record: Record) -> str:
    """Return a hash of the code files of `record`, or of all its files if none is code.

    The names of the files do not matter. Returns "" if no case passes, if no line does anything, as
    in a skeleton, or if all files are empty.
    """
    if not any(case.verdict is Verdict.PASSED for case in record.cases):
        return ""
    if record.sources and not any(does_something(source.text) for source in record.sources):
        return ""
    # Empty files prove nothing, because they are the same for everybody.
    hashes = {file.sha256: file.encoding is not None for file in record.files if file.size_bytes}
    # Only code has a known encoding. Without code, all files that were handed in are compared.
    code = [file_hash for file_hash, is_code in hashes.items() if is_code] or list(hashes)
    return sha256(ascii(sorted(code)).encode("ascii")).hexdigest()[:32] if code else ""


def does_something(text: str) -> bool:
    """Return whether `text` has lines other than signatures, imports and empty bodies."""
    lines = _DOCSTRING.sub("pass", text).splitlines()
    return any(_IDLE_LINE.fullmatch(" ".join(line.split())) is None for line in lines)


def _stop_key(record: Record) -> str | None:
    is_stopped = record.status is Status.UNGRADABLE
    return record.remarks[0].key if is_stopped and record.remarks else None


def _stop_location(record: Record) -> Message | None:
    """Return a message with the place that prevents the submission of `record` from being run.

    Returns None if the submission can be run, or if the file or line is unknown.
    """
    parameters = dict(record.remarks[0].parameters) if _stop_key(record) else {}
    if not (parameters.get("line") and "file" in parameters):
        return None
    location = {
        name: parameters[name]
        for name in ("file", "line", "cell", "cell_line")
        if name in parameters
    }
    return message("stopped.at", **location)


def _evidence(record: Record) -> Iterator[str]:
    """Yield the first few facts about tampering and failures of ours, without repeats.

    A traceback is reduced to its last line.
    """
    facts = dict.fromkeys(
        one_line(case.staff_evidence.strip().rpartition("\n")[2], 300)
        for case in record.cases
        if case.staff_evidence and (case.verdict in _SUSPECT or record.status is not Status.GRADED)
    )
    yield from list(facts)[:_MAX_FACTS]


def _tally(title: str, cases: Sequence[CaseResult]) -> ItemScore:
    """Return the result on the item called `title`, which consists of `cases`."""
    unpassed = [case.verdict for case in cases if case.verdict is not Verdict.PASSED]
    passed = len(cases) - len(unpassed)
    ran = bool(passed) or any(tone_of(verdict) is Tone.BAD for verdict in unpassed)
    return ItemScore(title=title, passed=passed, cases=len(cases), ran=ran)


def _session_tallies(record: Record, sessions: Mapping[str, str]) -> Iterator[ItemScore]:
    """Yield the result in each session; `sessions` has titles, keyed by case id."""
    cases: defaultdict[str, list[CaseResult]] = defaultdict(list)
    for case in record.cases:
        if (title := sessions.get(case.id)) is not None:
            cases[title].append(case)
    yield from (_tally(title, session_cases) for title, session_cases in cases.items())


def _is_about_odd_file(remark: Message) -> bool:
    return remark.key in _ABOUT_ODD_FILES or remark.key.startswith(_REFUSED_FILE)
