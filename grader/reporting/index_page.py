"""The overview of a run, for staff: what needs a person first, then a table per exercise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from grader.display import one_line
from grader.isolation import Layers
from grader.record import GroupResult, Record
from grader.reporting.conditions import gaps_told, level_told
from grader.reporting.distribution import Distribution, distribution
from grader.reporting.rendering import page
from grader.reporting.score import lost_by_rules
from grader.reporting.signs import GLYPHS, Sign, Tone, tone_of
from grader.reporting.voice import Voice
from grader.verdict import RuleVerdict, Status, Verdict

_MAX_REMARKS = 3
"""Remarks shown in a row; the page of the student has them all."""
_MAX_REVIEWS = 3
"""Rules that are named among the reasons; the page of the student has them all."""
_LONG_TABLE = 25
_SUSPECT = frozenset({Verdict.TAMPERED, Verdict.FAULT})


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """What the overview tells about one submission; it outlives its record, which is larger."""

    id: str
    student: str
    exercise: str
    exercise_title: str
    status: Status
    score: float
    max_score: float
    remarks: tuple[str, ...]
    href: str
    """Where the page of the student is, relative to the overview."""
    failing: int
    """Number of cases that ran and failed."""
    groups: tuple[tuple[str, int, int], ...]
    """For each group its title, how many of its cases passed, and how many there are."""
    not_run: frozenset[str] = frozenset()
    """Titles of the groups of which no case ran: what was not run is not wrong."""
    faults: int = 0
    tampered: int = 0
    evidence: tuple[str, ...] = ()
    """What staff should know of tampering and of our own failures; students never see it."""
    isolation: int = 0
    layers: Layers = ()
    lost: float = 0.0
    """Points that rules cost."""
    reviews: tuple[str, ...] = ()
    """Rules that a person has to decide on."""
    sheet: str | None = None
    """Where the sheet for the oral defence is, relative to the overview, if there is one."""

    @classmethod
    def of(cls, record: Record, href: str, sheet: str | None = None) -> IndexEntry:
        """Return the entry of `record`, whose page is at `href`, and its sheet at `sheet`."""
        voice = Voice.of(record.language)
        verdicts = [case.verdict for case in record.cases]
        return cls(
            id=record.id,
            student=record.student,
            exercise=record.exercise,
            exercise_title=record.title,
            status=record.status,
            score=record.score,
            max_score=record.max_score,
            remarks=tuple(voice.tell(remark) for remark in record.remarks),
            href=href,
            failing=sum(tone_of(verdict) is Tone.BAD for verdict in verdicts),
            groups=tuple((g.title, g.passed, len(g.cases)) for g in record.groups),
            not_run=frozenset(group.title for group in record.groups if not _ran(group)),
            faults=verdicts.count(Verdict.FAULT),
            tampered=verdicts.count(Verdict.TAMPERED),
            evidence=tuple(_evidence(record)),
            isolation=record.conditions.isolation,
            layers=record.conditions.layers,
            lost=lost_by_rules(record),
            reviews=tuple(r.id for r in record.rules if r.verdict is RuleVerdict.REVIEW),
            sheet=sheet,
        )

    @property
    def needs_person(self) -> bool:
        """Whether somebody has to look at it before its score means anything."""
        doubts = self.faults + self.tampered + len(self.reviews)
        return self.status is not Status.GRADED or doubts > 0


def _evidence(record: Record) -> Iterator[str]:
    """Yield the facts behind tampering and failures, each once; of a traceback the last line."""
    told = dict.fromkeys(
        one_line(case.staff_evidence.strip().rpartition("\n")[2], 300)
        for case in record.cases
        if case.staff_evidence and (case.verdict in _SUSPECT or record.status is not Status.GRADED)
    )
    yield from list(told)[:_MAX_REMARKS]


def _ran(group: GroupResult) -> bool:
    return any(tone_of(case.verdict) in {Tone.GOOD, Tone.BAD} for case in group.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """How one submission did on one group."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One submission, ready to be laid out."""

    student: str
    id: str | None
    href: str
    sheet: str | None
    exercise: str
    status: Sign
    score: str
    penalty: str | None
    cells: tuple[Cell, ...]
    failing: str
    reasons: tuple[str, ...]
    """Why a person has to look at it."""
    evidence: tuple[str, ...]
    """The facts behind that, for staff."""
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One exercise, ready to be laid out."""

    anchor: str
    title: str
    exercise: str
    count: int
    graded: int
    max_score: str
    distribution: Distribution | None
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def is_long(self) -> bool:
        """Whether its table gets a box of its own to scroll in, with the heads kept in sight."""
        return len(self.rows) > _LONG_TABLE


def index_page(entries: Iterable[IndexEntry], *, language: str, interrupted: bool) -> str:
    """Return the overview of a run; `interrupted` tells that it was stopped before its end."""
    voice = Voice.of(language)
    ordered = sorted(entries, key=lambda e: (e.exercise, e.student.casefold(), e.id))
    exercises = dict.fromkeys(entry.exercise for entry in ordered)
    sections = [
        _section(number, [entry for entry in ordered if entry.exercise == exercise], voice)
        for number, exercise in enumerate(exercises, start=1)
    ]
    weakest = min(ordered, key=lambda entry: entry.isolation, default=None)
    return page(
        "index.html",
        voice,
        count=len(ordered),
        isolation=None if weakest is None else _isolation(weakest, voice),
        interrupted=interrupted,
        waiting=[_row(entry, (), voice) for entry in ordered if entry.needs_person],
        sections=sections,
    )


def _isolation(entry: IndexEntry, voice: Voice) -> tuple[str, tuple[str, ...]]:
    """Return the level at which `entry` was graded, and what that does not enforce."""
    return level_told(entry.isolation, voice), gaps_told(entry.layers, voice)


def _section(number: int, entries: list[IndexEntry], voice: Voice) -> Section:
    scores = [entry.score for entry in entries if entry.status is Status.GRADED]
    max_score = max(entry.max_score for entry in entries)
    columns = tuple(dict.fromkeys(title for entry in entries for title, _, _ in entry.groups))
    return Section(
        anchor=f"exercise-{number}",
        title=one_line(entries[0].exercise_title),
        exercise=one_line(entries[0].exercise),
        count=len(entries),
        graded=len(scores),
        max_score=voice.number(max_score),
        distribution=distribution(scores, max_score, voice) if scores else None,
        columns=tuple(one_line(title, 60) for title in columns),
        rows=tuple(_row(entry, columns, voice) for entry in entries),
    )


def _row(entry: IndexEntry, columns: tuple[str, ...], voice: Voice) -> Row:
    return Row(
        student=one_line(entry.student),
        id=one_line(entry.id) if entry.id != entry.student else None,
        href=_safe_href(entry.href),
        sheet=None if entry.sheet is None else _safe_href(entry.sheet),
        exercise=one_line(entry.exercise_title),
        status=_status_sign(entry.status, voice),
        score=GLYPHS[Tone.IDLE] if entry.status is Status.FAULT else voice.number(entry.score),
        penalty=_penalty(entry, voice),
        cells=tuple(_cells(entry, columns)),
        failing=str(entry.failing) if entry.status is Status.GRADED else GLYPHS[Tone.IDLE],
        reasons=tuple(_reasons(entry, voice)),
        evidence=entry.evidence,
        remarks=tuple(_remarks(entry)),
    )


def _penalty(entry: IndexEntry, voice: Voice) -> str | None:
    if entry.status is Status.FAULT or entry.lost <= 0:
        return None
    return voice("index_penalty", points=voice.number(entry.lost))


def _safe_href(href: str) -> str:
    """Return `href` as a relative address, whatever it was: no scheme, no host, no markup."""
    return quote(href.lstrip("/\\"), safe="/", errors="replace")


def _status_sign(status: Status, voice: Voice) -> Sign:
    match status:
        case Status.GRADED:
            tone = Tone.GOOD
        case Status.UNGRADABLE:
            tone = Tone.BAD
        case Status.FAULT:
            tone = Tone.OURS
    return Sign(tone, GLYPHS[tone], voice(f"status_{status.value}"))


def _cells(entry: IndexEntry, columns: tuple[str, ...]) -> Iterator[Cell]:
    by_title = {title: (passed, cases) for title, passed, cases in entry.groups}
    for title in columns:
        passed, cases = by_title.get(title, (0, 0))
        is_idle = title in entry.not_run or entry.status is not Status.GRADED
        if cases == 0 or (passed == 0 and is_idle):
            yield Cell(kind="idle", text=GLYPHS[Tone.IDLE])
        elif passed == cases:
            yield Cell(kind="good", text=GLYPHS[Tone.GOOD])
        elif passed == 0:
            yield Cell(kind="bad", text=GLYPHS[Tone.BAD])
        else:
            yield Cell(kind="part", text=f"{passed}/{cases}")


def _reasons(entry: IndexEntry, voice: Voice) -> Iterator[str]:
    if entry.status is not Status.GRADED:
        yield voice(f"status_{entry.status.value}")
    elif entry.faults:
        yield voice("index_faults", count=entry.faults)
    if entry.tampered:
        yield voice("index_tampered", count=entry.tampered)
    if entry.reviews:
        named = ", ".join(one_line(rule, 80) for rule in entry.reviews[:_MAX_REVIEWS])
        more = ", …" if len(entry.reviews) > _MAX_REVIEWS else ""
        yield voice("index_reviews", count=len(entry.reviews), rules=f"{named}{more}")


def _remarks(entry: IndexEntry) -> Iterator[str]:
    yield from (one_line(remark, 300) for remark in entry.remarks[:_MAX_REMARKS])
    if len(entry.remarks) > _MAX_REMARKS:
        yield f"… (+{len(entry.remarks) - _MAX_REMARKS})"
