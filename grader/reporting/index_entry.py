"""What the overview keeps of one submission, computed as soon as its record exists.

A run has hundreds of submissions, and records are large. Entries are all that stays in memory, so
they hold only counts, keys and short texts.
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
"""Facts shown to staff per submission."""
_SUSPECT: Final = frozenset({Verdict.TAMPERED, Verdict.FAULT})
_ABOUT_FILES: Final = "refused."
_ABOUT_ODD_FILES: Final = frozenset(
    f"remark.{what}"
    for what in (
        *("coding", "encoding", "file_name", "module_name", "other_folder", "same_name"),
        *("shadows", "wide"),
    )
)


class ItemScore(NamedTuple):
    """How a submission did on one group, or in one session."""

    title: str
    passed: int
    cases: int
    ran: bool = True
    """Whether any of its cases ran: what did not run is not wrong."""

    @property
    def share(self) -> float | None:
        """The share of its cases that passed, None if none ran."""
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
    """Link to the page of the student, relative to the overview."""
    failing: int
    """Number of cases that ran and failed."""
    groups: tuple[ItemScore, ...]
    sessions: tuple[ItemScore, ...] = ()
    failures: tuple[Failure, ...] = ()
    """What fails, and how."""
    timed_out: int = 0
    """Number of cases that ran out of time."""
    staff_remarks: tuple[str, ...] = ()
    """Other remarks for staff."""
    printed: tuple[str, ...] = ()
    """What it printed although nothing asked it to."""
    odd_files: tuple[str, ...] = ()
    """Remarks about unusual files."""
    stopped: str | None = None
    """The key of the reason why it cannot be run."""
    stopped_at: Message | None = None
    """The file and line of that reason, if a line is known."""
    faults: int = 0
    tampered: int = 0
    evidence: tuple[str, ...] = ()
    """Facts for staff about tampering and about our own failures; students never see them."""
    isolation: int = 0
    layers: Layers = ()
    lost: float = 0.0
    """Points lost by broken rules."""
    reviews: tuple[str, ...] = ()
    """Rules that a person has to decide on."""
    sheet: str | None = None
    """Link to the sheet for the oral defence, relative to the overview, if there is one."""
    is_late: bool = False
    """Whether it was handed in after the deadline."""
    decisions: int = 0
    """Number of decisions that stand."""
    doubted: int = 0
    """How many of those were made on a different finding, or are about something that is gone."""
    signs: tuple[Sign, ...] = ()
    """What a teacher may have to ask about."""
    files: str = ""
    """A hash of the files; empty if they contain no work of the student."""

    @classmethod
    def of(
        cls,
        record: Record,
        href: str,
        sheet: str | None = None,
        sessions: Mapping[str, str] | None = None,
    ) -> IndexEntry:
        """Return the entry of `record`, with its page at `href` and its sheet at `sheet`.

        `sessions` has the title of the session of each case, by the id of the case.
        """
        locale = Locale.of_record(record)
        unpassed = [case.verdict for case in record.cases if case.verdict is not Verdict.PASSED]
        return cls(
            id=record.id,
            student=record.student,
            exercise=record.exercise,
            exercise_title=record.title,
            status=record.status,
            score=record.score,
            max_score=record.max_score,
            remarks=tuple(map(locale.tell, record.remarks)),
            href=href,
            failing=sum(tone_of(verdict) is Tone.BAD for verdict in unpassed),
            groups=_interned(tuple(_tally(group.title, group.cases) for group in record.groups)),
            sessions=_interned(tuple(_session_tallies(record, sessions or {}))),
            failures=failures(record),
            timed_out=unpassed.count(Verdict.TIMED_OUT),
            staff_remarks=tuple(
                locale.tell(each) for each in record.staff_remarks if each.key != _PRINTED
            ),
            printed=tuple(
                locale.tell(each) for each in record.staff_remarks if each.key == _PRINTED
            ),
            odd_files=tuple(map(locale.tell, filter(_is_about_odd_file, record.remarks))),
            stopped=_stop_key(record),
            stopped_at=_stop_place(record),
            faults=unpassed.count(Verdict.FAULT),
            tampered=unpassed.count(Verdict.TAMPERED),
            evidence=tuple(_evidence(record)),
            isolation=record.conditions.isolation,
            layers=_interned(record.conditions.layers),
            lost=lost_by_rules(record),
            reviews=tuple(r.id for r in record.rules if r.verdict is RuleVerdict.REVIEW),
            is_late=any(rule.id == LATENESS for rule in record.rules),
            sheet=sheet,
            signs=signs(record, locale),
            files=_files_hash(record),
        )

    def decided(self, record: Record) -> IndexEntry:
        """Return a copy that includes the decisions on `record`."""
        made = record.decisions if isinstance(record, DecidedRecord) else ()
        return replace(
            self,
            score=record.score,
            lost=lost_by_rules(record),
            reviews=tuple(r.id for r in record.rules if r.verdict is RuleVerdict.REVIEW),
            signs=signs(record, Locale.of_record(record)),
            decisions=len(made),
            doubted=sum(each.is_in_doubt and not each.is_overruled for each in made),
        )

    def to_json(self) -> bytes:
        """Return everything except the links, as one line of ASCII JSON."""
        plain = _adapter().dump_python(replace(self, href="", sheet=None), mode="json")
        return json.dumps(plain, separators=(",", ":")).encode("ascii")

    @classmethod
    def from_json(cls, data: bytes, href: str, sheet: str | None = None) -> IndexEntry:
        """Return the entry that `to_json` turned into `data`; raises `ValueError` if malformed."""
        entry = _adapter().validate_python(json.loads(data))
        return replace(
            entry,
            href=href,
            sheet=sheet,
            groups=_interned(entry.groups),
            sessions=_interned(entry.sessions),
            failures=_interned(entry.failures),
            layers=_interned(entry.layers),
        )

    @property
    def needs_person(self) -> bool:
        """Whether a person has to look at it before its score means anything."""
        doubts = self.faults + self.tampered + len(self.reviews) + self.doubted
        return self.status is not Status.GRADED or doubts > 0

    @property
    def is_stopped(self) -> bool:
        """Whether it cannot be run, and nothing else needs a person."""
        doubts = self.evidence or self.faults or self.tampered or self.reviews or self.doubted
        return self.stopped not in {None, _DISTURBS} and not doubts

    @property
    def counts_for_class(self) -> bool:
        """Whether it counts for the class as a whole: it was graded, without faults."""
        return self.status is Status.GRADED and self.faults == 0


@cache
def _adapter() -> TypeAdapter[IndexEntry]:
    return TypeAdapter(IndexEntry)


_PRINTED: Final = "staff.printed"
_DISTURBS: Final = "loading.tampered"
_DOCSTRING: Final = re.compile(r"[rRuU]?(\"{3}|'{3})(?s:.*?)\1")
_EMPTY_BODY: Final = r"(?:pass|[.]{3}|return(?: None)?|raise NotImplementedError(?:\(.*\))?)?"
_IDLE_LINE: Final = re.compile(
    rf"(?:(?:(?:async )?def|class)\b.*:)? ?{_EMPTY_BODY} ?(?:#.*)?|(?:import|from)\b.*|@.*"
)
"""A line as in files handed out to be filled in: a head, an import, an empty body."""

_Value = TypeVar("_Value")
_INTERNED: Final[dict[Any, Any]] = {}
_MAX_INTERNED: Final = 2_000


def _interned(value: _Value) -> _Value:
    """Return the cached object equal to `value`, to save memory: a class has much in common."""
    if len(_INTERNED) >= _MAX_INTERNED:  # bounded, as a run may have many exercises
        _INTERNED.clear()
    interned: _Value = _INTERNED.setdefault(value, value)
    return interned


def _files_hash(record: Record) -> str:
    """Return a hash of the files with code of `record`, whatever their names.

    It is empty if nothing passes or no line does anything, as in the files that were handed out.
    """
    if not any(case.verdict is Verdict.PASSED for case in record.cases):
        return ""
    if record.sources and not any(does_something(source.text) for source in record.sources):
        return ""
    # Empty files are the same for everybody.
    hashes = {each.sha256: each.encoding is not None for each in record.files if each.size_bytes}
    # Without any code, all files that were handed in are compared.
    code = [each for each, is_code in hashes.items() if is_code] or list(hashes)
    return sha256(ascii(sorted(code)).encode("ascii")).hexdigest()[:32] if code else ""


def does_something(text: str) -> bool:
    """Return whether `text` has a line other than definition heads, imports and empty bodies."""
    lines = _DOCSTRING.sub("pass", text).splitlines()
    return any(_IDLE_LINE.fullmatch(" ".join(line.split())) is None for line in lines)


def _stop_key(record: Record) -> str | None:
    is_stopped = record.status is Status.UNGRADABLE
    return record.remarks[0].key if is_stopped and record.remarks else None


def _stop_place(record: Record) -> Message | None:
    parameters = dict(record.remarks[0].parameters) if _stop_key(record) else {}
    if not (parameters.get("line") and "file" in parameters):
        return None
    place = {
        name: parameters[name]
        for name in ("file", "line", "cell", "cell_line")
        if name in parameters
    }
    return message("stopped.at", **place)


def _evidence(record: Record) -> Iterator[str]:
    """Yield the facts about tampering and failures, each once; of a traceback its last line."""
    facts = dict.fromkeys(
        one_line(case.staff_evidence.strip().rpartition("\n")[2], 300)
        for case in record.cases
        if case.staff_evidence and (case.verdict in _SUSPECT or record.status is not Status.GRADED)
    )
    yield from list(facts)[:_MAX_FACTS]


def _tally(title: str, cases: Sequence[CaseResult]) -> ItemScore:
    unpassed = [case.verdict for case in cases if case.verdict is not Verdict.PASSED]
    passed = len(cases) - len(unpassed)
    ran = bool(passed) or any(tone_of(verdict) is Tone.BAD for verdict in unpassed)
    return ItemScore(title=title, passed=passed, cases=len(cases), ran=ran)


def _session_tallies(record: Record, sessions: Mapping[str, str]) -> Iterator[ItemScore]:
    cases: defaultdict[str, list[CaseResult]] = defaultdict(list)
    for case in record.cases:
        if (title := sessions.get(case.id)) is not None:
            cases[title].append(case)
    yield from (_tally(title, session_cases) for title, session_cases in cases.items())


def _is_about_odd_file(remark: Message) -> bool:
    return remark.key in _ABOUT_ODD_FILES or remark.key.startswith(_ABOUT_FILES)
