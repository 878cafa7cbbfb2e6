"""The student's own code, with remarks below the lines that something points to.

A case that failed, a rule and a piece of advice each know a line; here the lines know them as well,
so that one can read either way. Only what students may see of a case comes near a line. Lines with
remarks, and what stands around them, are shown before all others: a page has only so much room.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from markupsafe import escape

from grader.judging.deciding import DecidedRecord, Subject
from grader.judging.record import Record, SourceText
from grader.reporting.case_view import anchor, explanation
from grader.reporting.rules_view import MAX_ADVICE, advice_anchor, rule_sign, urgent
from grader.reporting.visibility import VisibleGroup
from grader.reporting.wording import Locale, Tone, VerdictView, sign, tone_of
from grader.values.foreign_text import one_line, shown_text
from grader.verdict import RuleVerdict

MAX_CODE_BYTES: Final = 40_000
"""Markup, more or less, of lines with remarks and around them."""
MAX_REST_BYTES: Final = 12_000
"""What they may take for the other lines of the code to be there as well."""
MAX_LINES: Final = 500
"""Lines shown of one file, besides those around a remark."""
MAX_REMARKS: Final = 4
"""Remarks at one line."""
_AROUND: Final = 4
"""Lines before and after one with a remark that are shown first."""
_MOST_OPEN: Final = 20
"""A file of which more lines have a remark is folded: nobody reads on past so many."""
_LINE_CHARS: Final = 300
_NAME_CHARS: Final = 100
_CODE_CHARS: Final = 80
_SAID_CHARS: Final = 200
_COMMENT_CHARS: Final = 2_000
_LINE_FRAME_BYTES: Final = 20
_REMARK_FRAME_BYTES: Final = 250
"""Markup around what a line and a remark say themselves."""

Place: TypeAlias = tuple[str, int]
"""File and line, as a record has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remark:
    """What points to a line."""

    sign: VerdictView
    anchor: str
    """Of what it is about, if that is on the page."""
    code: str | None
    """Of a case: its step."""
    text: str


_Context: TypeAlias = Mapping[str, object]
"""What the template reads of one thing."""
_Remarks: TypeAlias = Mapping[int, Mapping[str, _Remark]]
"""What points to the lines of one file, by line and then by anchor."""


class _Listing(NamedTuple):
    """All files of code."""

    files: list[_Context]
    lines: Mapping[Place, str]
    """The anchors of the lines that have remarks."""


def listing(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    rest_bytes: int = MAX_REST_BYTES,
) -> _Listing:
    """Return the code of `record` with what is said of its lines by cases, rules and advice.

    It has the lines that something points to, with those around them, and the others as far as
    they take no more than `rest_bytes`.
    """
    remarks = pointing(groups, record, locale)
    files: list[_Context] = []
    anchors: dict[Place, str] = {}  # of the lines that something on the page leads to
    room, rest = MAX_CODE_BYTES, rest_bytes
    for index, source in enumerate(record.sources):
        waiting = len(record.sources) - index
        file = _File(index + 1, source, remarks.get(source.name, {}))
        shown, used = file.chosen(room // waiting, rest // waiting)
        if not (shown or rest_bytes):
            continue
        room, rest = room - used, max(0, rest - used)
        anchors.update({(source.name, number): file.anchor(number) for number in file.said(shown)})
        files.append(file.view(shown, locale, is_only=len(record.sources) == 1))
    return _Listing(files, anchors)


def pointing(
    groups: tuple[VisibleGroup, ...], record: Record, locale: Locale
) -> Mapping[str, _Remarks]:
    """Return by file what points to its lines: persons first, then cases, rules and advice."""
    remarks: dict[str, dict[int, dict[str, _Remark]]] = defaultdict(lambda: defaultdict(dict))
    for (file, line), remark in chain(
        _of_persons(record, locale),
        _of_cases(groups, locale),
        _of_rules(record, locale),
        _of_advice(record, locale),
    ):
        remarks[file][line].setdefault(remark.anchor, remark)
    return remarks


def place_of(subject: str) -> Place:
    """Return the place of a line that a person has commented on, as a decision has it."""
    file, _, line = subject.rpartition(":")
    return file, int(line)


def _of_persons(record: Record, locale: Locale) -> Iterator[tuple[Place, _Remark]]:
    for each in record.decisions if isinstance(record, DecidedRecord) else ():
        decision = each.decision
        if decision.about is Subject.LINE and not each.is_gone:
            yield (
                place_of(decision.subject),
                _Remark(
                    sign=VerdictView(
                        Tone.IDLE, "\N{LOWER RIGHT PENCIL}", locale("decided_comment")
                    ),
                    anchor=anchor(f"comment {decision.subject}"),
                    code=None,
                    text=one_line(decision.because, _COMMENT_CHARS),
                ),
            )


def _of_cases(groups: tuple[VisibleGroup, ...], locale: Locale) -> Iterator[tuple[Place, _Remark]]:
    for case in chain.from_iterable(group.cases for group in groups):
        if tone_of(case.verdict) is Tone.BAD and case.source is not None:
            yield (
                (case.source.file, case.source.line),
                _Remark(
                    sign=sign(case.verdict, locale),
                    anchor=anchor(case.id),
                    code=one_line(case.code, _CODE_CHARS),
                    text=one_line(explanation(case, locale)[0], _SAID_CHARS),
                ),
            )


def _of_rules(record: Record, locale: Locale) -> Iterator[tuple[Place, _Remark]]:
    pressing = {RuleVerdict.BROKEN, RuleVerdict.REVIEW}
    for rule in urgent(rule for rule in record.rules if rule.verdict in pressing):
        remark = _Remark(
            sign=rule_sign(rule.verdict, locale),
            anchor=anchor(f"rule {rule.id}"),
            code=None,
            text=one_line(locale.tell(rule.demand), _SAID_CHARS),
        )
        yield from (((hit.file, hit.line), remark) for hit in rule.hits)


def _of_advice(record: Record, locale: Locale) -> Iterator[tuple[Place, _Remark]]:
    for index, item in enumerate(record.advice[:MAX_ADVICE]):
        remark = _Remark(
            sign=VerdictView(Tone.IDLE, "i", locale("code_advice")),
            anchor=advice_anchor(index),
            code=None,
            text=one_line(locale.tell(item.said), _SAID_CHARS),
        )
        yield from (((hit.file, hit.line), remark) for hit in item.hits)


class _File:
    """One file, and what is said at its lines."""

    def __init__(self, number: int, source: SourceText, said: _Remarks) -> None:
        self._number: Final = number
        self._source: Final = source
        text = source.text
        self._lines: Final = text.removesuffix("\n").split("\n") if text else []
        self._said: Final = {
            line: list(said[line].values()) for line in sorted(said) if self._has(line)
        }

    def _has(self, line: int) -> bool:
        return 0 < line <= len(self._lines)

    def anchor(self, line: int) -> str:
        """Return the HTML id of a line, counted from 1."""
        return f"line-{self._number}-{line}"

    def said(self, shown: Iterable[int]) -> Iterator[int]:
        """Yield those of the lines `shown` that have remarks."""
        return (line for line in shown if line in self._said)

    def chosen(self, room: int, rest: int) -> tuple[list[int], int]:
        """Return the lines to show in so many bytes, and the bytes, more or less.

        Lines that nothing is said of, nor around, are there while all take less than `rest`.
        """
        chosen: set[int] = set()
        used = 0
        for lines, limit in ((self._pointed(), room), (self._others(), rest)):
            for line in lines:
                if line not in chosen:
                    size = self._size(line)
                    if used + size > limit:
                        break
                    used += size
                    chosen.add(line)
        return sorted(chosen), used

    def _pointed(self) -> Iterator[int]:
        """Yield the lines with remarks, and then those around them, some of them twice."""
        yield from self._said
        for line in self._said:
            yield from filter(self._has, range(line - _AROUND, line + _AROUND + 1))

    def _others(self) -> range:
        return range(1, min(len(self._lines), MAX_LINES) + 1)

    def view(self, shown: Sequence[int], locale: Locale, *, is_only: bool) -> _Context:
        """Return the file with the lines `shown`; the only one is not folded by itself."""
        marked = sum(line in self._said for line in shown)
        last = shown[-1] if shown else 0
        return {
            "is_whole": last == len(shown),
            "name": one_line(self._source.name, _NAME_CHARS),
            "tally": locale("code_marked", count=marked) if marked else locale("code_unmarked"),
            "is_open": is_only or 0 < marked <= _MOST_OPEN,
            "stretches": list(self._stretches(shown)),
            "left_out": len(self._lines) - last + self._source.left_out,
        }

    def _stretches(self, shown: Iterable[int]) -> Iterator[_Context]:
        """Yield lines that follow each other, up to one with remarks or to a gap."""
        before, lines = 0, list[int]()
        for line in shown:
            if lines and line != lines[-1] + 1:
                yield self._stretch(before, lines)
                before, lines = lines[-1], []
            lines.append(line)
            if line in self._said:
                yield self._stretch(before, lines)
                before, lines = line, []
        if lines:
            yield self._stretch(before, lines)

    def _stretch(self, before: int, lines: Sequence[int]) -> _Context:
        """Return `lines`, the last of which may have remarks; `before` is the last line shown."""
        remarks = self._said.get(lines[-1], [])
        return {
            "gap": lines[0] - before - 1,
            "lines": [self._line(line) for line in (lines[:-1] if remarks else lines)],
            "marked": self._line(lines[-1]) if remarks else None,
            "anchor": self.anchor(lines[-1]),
            "remarks": said_once(remarks[:MAX_REMARKS]),
            "more": len(remarks[MAX_REMARKS:]),
        }

    def _line(self, line: int) -> tuple[str, str]:
        """Return a line, safe and short; there may be far more of them than are ever shown."""
        return str(line), shown_text(self._lines[line - 1], _LINE_CHARS)

    def _size(self, line: int) -> int:
        """Return how many bytes of a page a line and its remarks take, more or less."""
        remarks = self._said.get(line, [])[:MAX_REMARKS]
        return _LINE_FRAME_BYTES + _escaped(self._line(line)[1]) + sum(map(_size, remarks))


def said_once(remarks: Iterable[_Remark]) -> list[list[_Remark]]:
    """Return together what says the same."""
    alike: dict[tuple[str, str], list[_Remark]] = {}
    for remark in remarks:
        alike.setdefault((remark.sign.word, remark.text), []).append(remark)
    return list(alike.values())


def _escaped(text: str) -> int:
    """Return how many bytes of a page `text` takes."""
    return len(escape(text).encode("utf-8"))


def _size(remark: _Remark) -> int:
    """Return how many bytes of a page `remark` takes, more or less."""
    texts = (remark.sign.word, remark.code or "", remark.text)
    return _REMARK_FRAME_BYTES + sum(map(_escaped, texts))
