"""Prepares one public case for display: in words, and limited in size.

Pages and terminal show the same content. If one reason prevented several cases of a group from
being tried, they share one explanation. The line of the spec is a link if the spec is online. The
address of the spec comes from the suite, but appears on pages that students open, so it becomes a
link only if it is a web address.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from grader.intake.notebooks import cell_at
from grader.judging.pictures import AnyPicture
from grader.judging.record import (
    CaseResult,
    Record,
    SourceLine,
    SourceText,
)
from grader.reporting.comparison import Comparison, compare
from grader.reporting.session_view import MAX_CODE_CHARS, MAX_CODE_LINES, StepView, step_views
from grader.reporting.wording import Locale, Tone, VerdictView, excerpt, sign
from grader.values.foreign_text import one_line, safe_text
from grader.verdict import Verdict

_MAX_URL_CHARS: Final = 2_000
AIDED_GLYPH: Final = "≈"
_WEB_ADDRESS: Final = re.compile(r"https?://[^/?#]")
_URL_CHARS: Final = "%/:=&?~#+!$,;@()*[]'"
"""Characters with a meaning in URLs; all others except letters and digits are escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecLine:
    """A reference to a line of the spec, in words and as a link."""

    text: str
    href: str | None
    """The address of the line, or None if the spec is not online."""


def spec_reference(line: int | None, record: Record, locale: Locale) -> SpecLine | None:
    """Return the reference to `line` of the spec of `record`, or None if `line` is None."""
    return None if line is None else _spec_line(line, record.spec, record.spec_url, locale)


@lru_cache(maxsize=1_000)  # all students of a class refer to the same few lines
def _spec_line(line: int, spec: str | None, url: str | None, locale: Locale) -> SpecLine:
    return SpecLine(text=_spec_line_text(line, spec, locale), href=_href(line, url))


def _spec_line_text(line: int, spec: str | None, locale: Locale) -> str:
    """Return `line` of the spec in words, with the name of the spec's file if it is known."""
    if spec is None:
        return locale("spec_line_only", line=line)
    # The path in the suite is relative to its folder; students know only the name.
    file_name = re.split(r"[/\\]", spec.rstrip("/\\"))[-1]  # staff on Windows write backslashes
    return locale("spec_line", spec=one_line(file_name, 100), line=line)


def _href(line: int, url: str | None) -> str | None:
    """Return the URL of `line` in the spec at `url`, or None if `url` is not a web address."""
    # Students click on the link, so `javascript:` and `data:` must be refused.
    if url is None or len(url) > _MAX_URL_CHARS or not _WEB_ADDRESS.match(url):
        return None
    return quote(url.replace("{line}", str(line)), safe=_URL_CHARS, errors="replace")


_TITLE_CHARS: Final = 120
_CONTEXT_LINES: Final = 2
"""Lines of code shown before and after the line in question."""
_CONTEXT_CHARS: Final = 120
_BOARD_KEYS: Final = frozenset(
    {"wrong.at", "wrong.cell", "wrong.more_cells", "wrong.line", "wrong.text", "wrong.set"}
    | {"wrong.missing", "wrong.missing_more", "wrong.extra", "wrong.extra_more"}
)
"""Keys of messages that repeat what a picture of a board shows."""
_TRACEBACK: Final = "Traceback (most recent call last):"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """A public case, ready for display."""

    anchor: str
    title: str | None
    """The name that the author gave it, if it is more than a number."""
    sign: VerdictView
    points: str
    code: str
    explanation: tuple[str, ...]
    """The sentences that explain its verdict."""
    beside_board: tuple[str, ...]
    """The sentences of its explanation that a picture of a board does not repeat."""
    pictures: tuple[AnyPicture, ...]
    sides: Comparison | None
    """The expected and the actual result, or None if it passed or has neither."""
    transcript: tuple[StepView, ...]
    source: str | None
    """The location of the failure in words, or None if it is not known."""
    source_text: str
    """The line of code at that location, or "" if it is not known."""
    near: tuple[tuple[str, str, bool], ...]
    """The lines of code around the failure: number, text, and whether it is the line itself."""
    place: tuple[str, int] | None
    """The file and line of the failure, as in the record."""
    spec: SpecLine | None
    cause: str | None
    """The code of the step that prevented it from being tried, or None."""

    @property
    def unnamed_cause(self) -> str | None:
        """The step that prevented it from being tried, or None if its explanation names it."""
        if self.cause is None or any(self.cause in sentence for sentence in self.explanation):
            return None
        return self.cause

    @property
    def is_drawn(self) -> bool:
        """Whether a picture shows the difference."""
        return any(picture.is_telling for picture in self.pictures)

    @property
    def is_whole(self) -> bool:
        """Whether the session of this case shows only the case's own step and the actual result."""
        if self.is_drawn or len(self.transcript) != 1 or self.sides is None or not self.sides.got:
            return False
        (step,) = self.transcript
        got = ["".join(piece.text for piece in line.pieces) for line in self.sides.got]
        # True is the index 1: a traceback heading, which the actual result lacks, is cut off.
        output = step.output[step.output[:1] == (_TRACEBACK,) :]
        is_same = "\n".join(line for _, line in step.prompts) == self.code
        return is_same and step.note is None and list(output) in (got, [])

    @property
    def session_lines(self) -> int:
        """The number of lines in its session."""
        return sum(len(step.prompts) + len(step.output) for step in self.transcript)

    @property
    def is_passed(self) -> bool:
        """Whether it passed without any explanation."""
        return self.sign.tone is Tone.GOOD and not self.explanation

    @property
    def proviso(self) -> tuple[str, ...]:
        """The explanation of a case that passed, if there is one; empty for any other case."""
        return self.explanation if self.sign.tone is Tone.GOOD else ()

    @property
    def in_brief(self) -> tuple[str, ...]:
        """The sentences that its one-line form has besides the verdict."""
        return self.proviso if self.is_brief else self.explanation[:1]

    @property
    def is_plain(self) -> bool:
        """Whether its one-line form has no sentences besides the verdict."""
        return self.is_brief and not self.in_brief

    @property
    def is_brief(self) -> bool:
        """Whether one line is enough: it passed, or its cause is explained elsewhere."""
        return self.sign.tone in {Tone.GOOD, Tone.IDLE}


def case_view(case: CaseResult, record: Record, locale: Locale) -> CaseView:
    """Return the view of a public `case` of `record`."""
    return build_case_view(
        case, spec_reference(case.spec_line, record, locale), locale, record.sources
    )


def build_case_view(
    case: CaseResult,
    spec: SpecLine | None,
    locale: Locale,
    sources: Iterable[SourceText] = (),
) -> CaseView:
    """Return the view of a public `case`, which tests the line of the spec that `spec` refers to.

    If the `sources` are given, the view includes the lines of code around the failure, and the
    location of a line in a notebook names its cell.
    """
    case_sign = _sign(case, locale)
    is_compared = case_sign.tone is not Tone.GOOD and {case.expected, case.got} != {None}
    return CaseView(
        anchor=anchor(case.id),
        title=_title(case),
        sign=case_sign,
        points=locale.points(case.points, case.max_points),
        code=_excerpt_code(case.code),
        explanation=explanation(case, locale),
        beside_board=tuple(
            locale.sentence(message)
            for message in case.explanation
            if message.key not in _BOARD_KEYS
        ),
        pictures=case.pictures,
        sides=compare(case.expected, case.got) if is_compared else None,
        transcript=tuple(step_views(case.transcript, locale)),
        source=None if case.source is None else _location_text(case.source, sources, locale),
        source_text="" if case.source is None else _excerpt_code(case.source.text).strip(),
        near=() if case.source is None else tuple(_lines_around(case.source, sources)),
        place=None if case.source is None else (case.source.file, case.source.line),
        spec=spec,
        cause=None if case.cause is None else _excerpt_code(case.cause),
    )


def _sign(case: CaseResult, locale: Locale) -> VerdictView:
    """Return the sign for `case`, which is not a tick if it passed only with our stand-ins."""
    verdict_sign = sign(case.verdict, locale)
    keys = {message.key for message in case.explanation}
    if case.verdict is Verdict.PASSED and "passed.stand_ins" in keys:
        return replace(verdict_sign, glyph=AIDED_GLYPH, word=locale("verdict_aided"))
    return verdict_sign


def _title(case: CaseResult) -> str | None:
    """Return the name of `case` within its group, or None if it is only a number."""
    group, _, name = case.id.partition("/")
    is_number = not any(map(str.isalpha, name))
    return None if is_number or group != case.group else one_line(name, _TITLE_CHARS)


@lru_cache(maxsize=2_000)  # all students share the cases and rules of the suite
def anchor(identity: str) -> str:
    """Return an HTML id for `identity`, which is the same in every run and safe on any page."""
    # File names can contain lone surrogates, which would raise without surrogatepass.
    return "c" + hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def explanation(case: CaseResult, locale: Locale) -> tuple[str, ...]:
    """Return the sentences that explain the verdict of `case`.

    They come from the record. If the record has none, the only sentence is the meaning of the
    verdict. For a failure of ours, the meaning comes first, and then the sentences. A case that
    passed usually has no sentences.
    """
    sentences = tuple(locale.sentence(message) for message in case.explanation)
    if case.verdict is Verdict.PASSED:
        return sentences
    meaning = locale(f"meaning_{case.verdict.value}")
    if sign(case.verdict, locale).tone is Tone.OUR_FAULT:
        return (meaning, *sentences)
    return sentences or (meaning,)


def _location_text(source: SourceLine, sources: Iterable[SourceText], locale: Locale) -> str:
    """Return the location of `source` in words: file, line and, if known, function and cell."""
    text = next((file.text for file in sources if file.name == source.file), "")
    file_name, cell = one_line(source.file, 100), cell_at(source.file, text, source.line)
    location: dict[str, str | int] = {"line": source.line, **cell}
    if source.function in {"", "<module>"}:
        return locale("source_line", file=file_name, **location)
    function = one_line(source.function, 100)
    return locale("source_line_in", file=file_name, function=function, **location)


def _lines_around(
    source: SourceLine, sources: Iterable[SourceText]
) -> Iterator[tuple[str, str, bool]]:
    """Yield the number and text of each line around `source`, and whether it is `source` itself.

    In a notebook, or if the file is not in `sources`, only the line itself is yielded, without a
    number.
    """
    text = next((file.text for file in sources if file.name == source.file), "")
    lines, failing_line = text.split("\n"), source.line
    # In a notebook, the lines around it might belong to another cell.
    if not 0 < failing_line <= len(lines) or cell_at(source.file, text, failing_line):
        yield "", one_line(source.text.strip(), _CONTEXT_CHARS), True
        return
    first = max(1, failing_line - _CONTEXT_LINES)
    context = lines[first - 1 : failing_line + _CONTEXT_LINES]
    indent = min((len(line) - len(line.lstrip(" ")) for line in context if line.strip()), default=0)
    for number, line in enumerate(context, start=first):
        yield str(number), safe_text(line[indent:], _CONTEXT_CHARS), number == failing_line


def _excerpt_code(text: str) -> str:
    return excerpt(text, MAX_CODE_CHARS, MAX_CODE_LINES)


def distinct_skips(cases: Sequence[CaseView]) -> Iterable[CaseView]:
    """Return one case for each reason that prevented some of `cases` from being tried."""
    by_reason: dict[tuple[tuple[str, ...], str | None], CaseView] = {}
    for case in cases:
        if case.sign.tone is Tone.IDLE:
            by_reason.setdefault((case.explanation, case.cause), case)
    return by_reason.values()
