"""Prepares the student's code for display, with remarks below the lines they are about.

Failed cases, rules and advice refer to lines of code; here each line refers back to them. A remark
shows only the parts of a case that students are allowed to see. Lines with remarks, and the lines
around them, have priority, because space on a page is limited.
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
from grader.reporting.rules_view import MAX_ADVICE, advice_anchor, rule_sign, sort_by_urgency
from grader.reporting.visibility import VisibleGroup
from grader.reporting.wording import Locale, Tone, VerdictView, sign, tone_of
from grader.values.foreign_text import one_line, safe_text
from grader.verdict import RuleVerdict

MAX_CODE_BYTES: Final = 40_000
"""The maximum estimated size of the lines with remarks and the lines around them."""
MAX_REST_BYTES: Final = 12_000
"""The maximum estimated size of all code; other lines are shown until it is reached."""
MAX_LINES: Final = 500
"""How many lines of a file are shown, besides those near remarks."""
MAX_REMARKS: Final = 4
"""How many remarks are shown per line."""
_CONTEXT_LINES: Final = 4
"""How many lines before and after a remark have priority."""
_MAX_OPEN: Final = 20
"""A file with more remarks than this is folded, because nobody reads that many."""
_LINE_CHARS: Final = 300
_NAME_CHARS: Final = 100
_CODE_CHARS: Final = 80
_REMARK_CHARS: Final = 200
_COMMENT_CHARS: Final = 2_000
_LINE_FRAME_BYTES: Final = 20
_REMARK_FRAME_BYTES: Final = 250
"""The estimated size of the markup around the text of a line, and around a remark."""

Location: TypeAlias = tuple[str, int]
"""A file and a line, as in a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remark:
    """A remark on a line of code."""

    sign: VerdictView
    anchor: str
    """The anchor of the case, rule or advice behind it, which might not be on the page."""
    code: str | None
    """The step of the case that it is about, or None if it is not about a case."""
    text: str


_Context: TypeAlias = Mapping[str, object]
"""Variables for the template."""
_Remarks: TypeAlias = Mapping[int, Mapping[str, _Remark]]
"""The remarks on one file, keyed by line and then by anchor."""


class _Listing(NamedTuple):
    """The code of all files as template variables."""

    files: list[_Context]
    lines: Mapping[Location, str]
    """The anchors of the lines with remarks that are shown."""


def listing(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    rest_bytes: int = MAX_REST_BYTES,
) -> _Listing:
    """Return the code of `record` with remarks from people, cases, rules and advice.

    Only cases in `groups` have remarks. Lines with remarks, and lines around them, have priority.
    Other lines are added as long as the estimated size of all code is at most `rest_bytes`. If
    `rest_bytes` is 0, a file without remarks is left out.
    """
    remarks = remarks_by_file(groups, record, locale)
    files: list[_Context] = []
    anchors: dict[Location, str] = {}  # lines that the page can link to
    bytes_left, rest_left = MAX_CODE_BYTES, rest_bytes
    for index, source in enumerate(record.sources):
        files_left = len(record.sources) - index
        file = _File(index + 1, source, remarks.get(source.name, {}))
        # The remaining files get equal shares: what a small file does not use goes to later ones.
        shown_lines, used_bytes = file.choose_lines(
            bytes_left // files_left, rest_left // files_left
        )
        if not (shown_lines or rest_bytes):
            continue
        bytes_left, rest_left = bytes_left - used_bytes, max(0, rest_left - used_bytes)
        anchors.update(
            {
                (source.name, number): file.anchor(number)
                for number in file.lines_with_remarks(shown_lines)
            }
        )
        files.append(file.view(shown_lines, locale, is_only=len(record.sources) == 1))
    return _Listing(files, anchors)


def remarks_by_file(
    groups: tuple[VisibleGroup, ...], record: Record, locale: Locale
) -> Mapping[str, _Remarks]:
    """Return the remarks, keyed by file.

    On each line, those of people come first, then those about cases, rules and advice.
    """
    remarks: dict[str, dict[int, dict[str, _Remark]]] = defaultdict(lambda: defaultdict(dict))
    for (file, line), remark in chain(
        _comment_remarks(record, locale),
        _case_remarks(groups, locale),
        _rule_remarks(record, locale),
        _advice_remarks(record, locale),
    ):
        # A rule can hit a line several times, but one remark is enough.
        remarks[file][line].setdefault(remark.anchor, remark)
    return remarks


def parse_line_subject(subject: str) -> Location:
    """Return the file and the line in the `subject` of a decision about a line of code."""
    file, _, line = subject.rpartition(":")
    return file, int(line)


def _comment_remarks(record: Record, locale: Locale) -> Iterator[tuple[Location, _Remark]]:
    """Yield people's comments on lines that still exist, each with its location."""
    for applied in record.decisions if isinstance(record, DecidedRecord) else ():
        decision = applied.decision
        if decision.about is Subject.LINE and not applied.is_gone:
            yield (
                parse_line_subject(decision.subject),
                _Remark(
                    sign=VerdictView(
                        Tone.IDLE, "\N{LOWER RIGHT PENCIL}", locale("decided_comment")
                    ),
                    anchor=anchor(f"comment {decision.subject}"),
                    code=None,
                    text=one_line(decision.because, _COMMENT_CHARS),
                ),
            )


def _case_remarks(
    groups: tuple[VisibleGroup, ...], locale: Locale
) -> Iterator[tuple[Location, _Remark]]:
    """Yield a remark for each failing case whose line of code is known, with its location."""
    for case in chain.from_iterable(visible_group.cases for visible_group in groups):
        if tone_of(case.verdict) is Tone.BAD and case.source is not None:
            yield (
                (case.source.file, case.source.line),
                _Remark(
                    sign=sign(case.verdict, locale),
                    anchor=anchor(case.id),
                    code=one_line(case.code, _CODE_CHARS),
                    text=one_line(explanation(case, locale)[0], _REMARK_CHARS),
                ),
            )


def _rule_remarks(record: Record, locale: Locale) -> Iterator[tuple[Location, _Remark]]:
    """Yield a remark for each hit of a rule that is broken or needs review, with its location."""
    verdicts = {RuleVerdict.BROKEN, RuleVerdict.REVIEW}
    for rule in sort_by_urgency(rule for rule in record.rules if rule.verdict in verdicts):
        remark = _Remark(
            sign=rule_sign(rule.verdict, locale),
            anchor=anchor(f"rule {rule.id}"),
            code=None,
            text=one_line(locale.sentence(rule.demand), _REMARK_CHARS),
        )
        yield from (((hit.file, hit.line), remark) for hit in rule.hits)


def _advice_remarks(record: Record, locale: Locale) -> Iterator[tuple[Location, _Remark]]:
    """Yield a remark for each line that advice on the page refers to, with its location."""
    for index, item in enumerate(record.advice[:MAX_ADVICE]):
        remark = _Remark(
            sign=VerdictView(Tone.IDLE, "i", locale("code_advice")),
            anchor=advice_anchor(index),
            code=None,
            text=one_line(locale.sentence(item.said), _REMARK_CHARS),
        )
        yield from (((hit.file, hit.line), remark) for hit in item.hits)


class _File:
    """One file of a submission, with the remarks on its lines."""

    def __init__(self, number: int, source: SourceText, remarks: _Remarks) -> None:
        """Index the lines and `remarks` of `source`; the HTML ids of the lines contain `number`.

        Remarks on lines that the file does not have are dropped.
        """
        self._number: Final = number
        self._source: Final = source
        text = source.text
        # Not `splitlines`, which also splits at form feeds: Python does not count those as lines.
        self._lines: Final = text.removesuffix("\n").split("\n") if text else []
        self._remarks: Final = {
            line: list(remarks[line].values()) for line in sorted(remarks) if self._has_line(line)
        }

    def _has_line(self, line: int) -> bool:
        return 0 < line <= len(self._lines)

    def anchor(self, line: int) -> str:
        """Return the HTML id of a line, counted from 1."""
        return f"line-{self._number}-{line}"

    def lines_with_remarks(self, lines: Iterable[int]) -> Iterator[int]:
        """Yield the lines among `lines` that have remarks."""
        return (line for line in lines if line in self._remarks)

    def choose_lines(self, max_bytes: int, max_total: int) -> tuple[list[int], int]:
        """Return the numbers of the lines to show, in order, and their estimated size in bytes.

        Lines with remarks, and lines around them, get at most `max_bytes`. Other lines, from the
        start of the file, are then added as long as the total is at most `max_total`.
        """
        chosen: set[int] = set()
        used_bytes = 0
        for lines, limit in (
            (self._lines_near_remarks(), max_bytes),
            (self._first_lines(), max_total),
        ):
            for line in lines:
                if line not in chosen:
                    size = self._size(line)
                    if used_bytes + size > limit:
                        break
                    used_bytes += size
                    chosen.add(line)
        return sorted(chosen), used_bytes

    def _lines_near_remarks(self) -> Iterator[int]:
        """Yield the lines with remarks, then the lines around them; a line can be yielded twice."""
        yield from self._remarks
        for line in self._remarks:
            yield from filter(
                self._has_line, range(line - _CONTEXT_LINES, line + _CONTEXT_LINES + 1)
            )

    def _first_lines(self) -> range:
        return range(1, min(len(self._lines), MAX_LINES) + 1)

    def view(self, shown_lines: Sequence[int], locale: Locale, *, is_only: bool) -> _Context:
        """Return the template variables for the file with its `shown_lines`.

        If it is the only file of the submission, it is never folded.
        """
        remarked_count = sum(line in self._remarks for line in shown_lines)
        last_line = shown_lines[-1] if shown_lines else 0
        return {
            "is_whole": last_line == len(shown_lines),
            "name": one_line(self._source.name, _NAME_CHARS),
            "tally": locale("code_marked", count=remarked_count)
            if remarked_count
            else locale("code_unmarked"),
            "is_open": is_only or 0 < remarked_count <= _MAX_OPEN,
            "stretches": list(self._stretches(shown_lines)),
            "left_out": len(self._lines) - last_line + self._source.left_out,
        }

    def _stretches(self, shown_lines: Iterable[int]) -> Iterator[_Context]:
        """Yield runs of consecutive lines, each of which ends with remarks or before a gap."""
        previous, lines = 0, list[int]()
        for line in shown_lines:
            if lines and line != lines[-1] + 1:
                yield self._stretch(previous, lines)
                previous, lines = lines[-1], []
            lines.append(line)
            if line in self._remarks:
                yield self._stretch(previous, lines)
                previous, lines = line, []
        if lines:
            yield self._stretch(previous, lines)

    def _stretch(self, previous: int, lines: Sequence[int]) -> _Context:
        """Return the template variables for the run `lines`; only its last line can have remarks.

        `previous` is the last line shown before the run, or 0.
        """
        remarks = self._remarks.get(lines[-1], [])
        return {
            "gap": lines[0] - previous - 1,
            "lines": [self._line(line) for line in (lines[:-1] if remarks else lines)],
            "marked": self._line(lines[-1]) if remarks else None,
            "anchor": self.anchor(lines[-1]),
            "remarks": group_by_text(remarks[:MAX_REMARKS]),
            "more": len(remarks[MAX_REMARKS:]),
        }

    def _line(self, line: int) -> tuple[str, str]:
        """Return the number of a line, and its text, made safe and shortened.

        This is done as late as possible, because most lines are never shown.
        """
        return str(line), safe_text(self._lines[line - 1], _LINE_CHARS)

    def _size(self, line: int) -> int:
        """Return the estimated size in bytes of a line with its remarks."""
        remarks = self._remarks.get(line, [])[:MAX_REMARKS]
        return _LINE_FRAME_BYTES + _escaped_bytes(self._line(line)[1]) + sum(map(_size, remarks))


def group_by_text(remarks: Iterable[_Remark]) -> list[list[_Remark]]:
    """Return `remarks` grouped by verdict and text, in order of their first appearance."""
    by_text: dict[tuple[str, str], list[_Remark]] = {}
    for remark in remarks:
        by_text.setdefault((remark.sign.word, remark.text), []).append(remark)
    return list(by_text.values())


def _escaped_bytes(text: str) -> int:
    """Return the number of bytes of `text` on a page."""
    return len(escape(text).encode("utf-8"))


def _size(remark: _Remark) -> int:
    """Return the estimated size in bytes of `remark` on a page."""
    texts = (remark.sign.word, remark.code or "", remark.text)
    return _REMARK_FRAME_BYTES + sum(map(_escaped_bytes, texts))
