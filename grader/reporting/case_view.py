"""One public case, in words and cut to size, ready to be laid out.

Pages and terminal show the same content. Cases of a group that were not tried for the same reason
share one explanation. The place in the spec is a link if the spec is online: its address is from
the suite, but lands on pages that students open, so only a web address becomes a link.
"""

from __future__ import annotations

import ast
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
    LineStatus,
    Record,
    SourceLine,
    SourceText,
    TranscriptLine,
)
from grader.reporting.comparison import Comparison, compare
from grader.reporting.wording import Locale, Tone, VerdictView, excerpt, excerpt_lines, sign
from grader.suite.texts import COMMAND
from grader.values.foreign_text import one_line, shown_text
from grader.verdict import Verdict

_MAX_URL_CHARS: Final = 2_000
_WORD: Final = re.compile(r"[^\W\d]\w*")
_BINDING: Final = re.compile(r"(?:import|from|def|class)\b|[^\W\d]\w*(?: *,[\w, ]*)? *=(?!=)")
_MARKED_STATES: Final = frozenset({LineStatus.FAILED, LineStatus.CAUSE})
AIDED_GLYPH: Final = "≈"
_WEB_ADDRESS: Final = re.compile(r"https?://[^/?#]")
_URL_CHARS: Final = "%/:=&?~#+!$,;@()*[]'"
"""Characters that mean something in a URL; all others but letters and digits are escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecLine:
    """A line of the spec, as a report refers to it."""

    text: str
    href: str | None


def spec_place(line: int | None, record: Record, locale: Locale) -> SpecLine | None:
    """Return the view of line `line` of the spec of `record`, None if no line is known."""
    return None if line is None else _spec_line(line, record.spec, record.spec_url, locale)


@lru_cache(maxsize=1_000)  # a class refers to the same few lines
def _spec_line(line: int, spec: str | None, url: str | None, locale: Locale) -> SpecLine:
    return SpecLine(text=_spec_place_text(line, spec, locale), href=_href(line, url))


def _spec_place_text(line: int, spec: str | None, locale: Locale) -> str:
    if spec is None:
        return locale("spec_line_only", line=line)
    # The suite has a path from its own folder; students know only the name.
    name = re.split(r"[/\\]", spec.rstrip("/\\"))[-1]  # on Windows, staff write \
    return locale("spec_line", spec=one_line(name, 100), line=line)


def _href(line: int, url: str | None) -> str | None:
    """Return the URL of a line of the spec, None if `url` is not a web address."""
    # No `javascript:` or `data:`: students click on it.
    if url is None or len(url) > _MAX_URL_CHARS or not _WEB_ADDRESS.match(url):
        return None
    return quote(url.replace("{line}", str(line)), safe=_URL_CHARS, errors="replace")


MAX_CODE_CHARS: Final = 2_000
_TITLE_CHARS: Final = 120
_CONTEXT_LINES: Final = 2
"""Lines of code shown before and after the one in question."""
_CONTEXT_CHARS: Final = 120
MAX_STEPS: Final = 80
"""Steps shown of a transcript: the first few, which set things up, and the last ones."""
_FIRST_STEPS: Final = 10
_TRANSCRIPT_CHARS: Final = 10_000
"""Characters of output shown per transcript, divided over its steps."""
_MIN_OUTPUT_CHARS: Final = 400
_FAILED_OUTPUT_CHARS: Final = 1_000
_STEP_LINES: Final = 40
_BOARD_KEYS: Final = frozenset(
    {"wrong.at", "wrong.cell", "wrong.more_cells", "wrong.line", "wrong.text", "wrong.set"}
    | {"wrong.missing", "wrong.missing_more", "wrong.extra", "wrong.extra_more"}
)
"""Keys of messages that repeat what a board shows."""
_TRACEBACK: Final = "Traceback (most recent call last):"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One step of a transcript, as an interpreter would show it."""

    prompts: tuple[tuple[str, str], ...]
    """Each line of its code, after its prompt."""
    output: tuple[str, ...]
    longest: int
    """Number of characters of its longest line."""
    note: str | None = None
    state: LineStatus = LineStatus.DONE
    label: str | None = None
    """What happened to it, in words, unless it simply ran."""

    @property
    def is_marked(self) -> bool:
        """Whether it failed, or kept the step that counts from being tried."""
        return self.state in _MARKED_STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """One public case."""

    anchor: str
    title: str | None
    """The name its author gave it, if that is more than a number."""
    sign: VerdictView
    points: str
    code: str
    explanation: tuple[str, ...]
    beside_board: tuple[str, ...]
    """The part of its explanation that a board does not show."""
    pictures: tuple[AnyPicture, ...]
    sides: Comparison | None
    transcript: tuple[StepView, ...]
    source: str | None
    source_text: str
    near: tuple[tuple[str, str, bool], ...]
    """Lines of the code around the place: number, text, and whether it is the line itself."""
    place: tuple[str, int] | None
    """File and line of the place, as the record has them."""
    spec: SpecLine | None
    cause: str | None

    @property
    def unnamed_cause(self) -> str | None:
        """What kept it from being tried, unless its explanation already names that."""
        if self.cause is None or any(self.cause in sentence for sentence in self.explanation):
            return None
        return self.cause

    @property
    def is_drawn(self) -> bool:
        """Whether a picture shows the difference."""
        return any(picture.is_telling for picture in self.pictures)

    @property
    def is_whole(self) -> bool:
        """Whether its session shows nothing beyond its one step and the result."""
        if self.is_drawn or len(self.transcript) != 1 or self.sides is None or not self.sides.got:
            return False
        (step,) = self.transcript
        got = ["".join(piece.text for piece in line.pieces) for line in self.sides.got]
        # True counts as 1: only the heading of a traceback, which the got side lacks, is cut off.
        output = step.output[step.output[:1] == (_TRACEBACK,) :]
        is_same = "\n".join(line for _, line in step.prompts) == self.code
        return is_same and step.note is None and list(output) in (got, [])

    @property
    def session_lines(self) -> int:
        """Number of lines in its session."""
        return sum(len(step.prompts) + len(step.output) for step in self.transcript)

    @property
    def is_passed(self) -> bool:
        """Whether it passed and there is nothing more to say about it."""
        return self.sign.tone is Tone.GOOD and not self.explanation

    @property
    def proviso(self) -> tuple[str, ...]:
        """What to say about it although it passed."""
        return self.explanation if self.sign.tone is Tone.GOOD else ()

    @property
    def in_brief(self) -> tuple[str, ...]:
        """What its one-line form says besides the verdict."""
        return self.proviso if self.is_brief else self.explanation[:1]

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to say except which case it is."""
        return self.is_brief and not self.in_brief

    @property
    def is_brief(self) -> bool:
        """Whether one line says it all: it passed, or its cause is given elsewhere."""
        return self.sign.tone in {Tone.GOOD, Tone.IDLE}


def case_view(case: CaseResult, record: Record, locale: Locale) -> CaseView:
    """Return the view of a public `case` of `record`."""
    return view_of(case, spec_place(case.spec_line, record, locale), locale, record.sources)


def view_of(
    case: CaseResult,
    spec: SpecLine | None,
    locale: Locale,
    sources: Iterable[SourceText] = (),
) -> CaseView:
    """Return the view of a public `case`, with the line of the `spec` it is about.

    With `sources`, a place in a notebook is given by its cell.
    """
    shown_sign = _sign(case, locale)
    is_compared = shown_sign.tone is not Tone.GOOD and {case.expected, case.got} != {None}
    return CaseView(
        anchor=anchor(case.id),
        title=_title(case),
        sign=shown_sign,
        points=locale.points(case.points, case.max_points),
        code=_code(case.code),
        explanation=explanation(case, locale),
        beside_board=tuple(
            locale.tell(each) for each in case.explanation if each.key not in _BOARD_KEYS
        ),
        pictures=case.pictures,
        sides=compare(case.expected, case.got) if is_compared else None,
        transcript=tuple(_transcript(case.transcript, locale)),
        source=None if case.source is None else _place_text(case.source, sources, locale),
        source_text="" if case.source is None else _code(case.source.text).strip(),
        near=() if case.source is None else tuple(_nearby(case.source, sources)),
        place=None if case.source is None else (case.source.file, case.source.line),
        spec=spec,
        cause=None if case.cause is None else _code(case.cause),
    )


def _sign(case: CaseResult, locale: Locale) -> VerdictView:
    """Return the sign of `case`; one that passed only with our stand-ins gets no tick."""
    shown = sign(case.verdict, locale)
    keys = {each.key for each in case.explanation}
    if case.verdict is Verdict.PASSED and "passed.stand_ins" in keys:
        return replace(shown, glyph=AIDED_GLYPH, word=locale("verdict_aided"))
    return shown


def _title(case: CaseResult) -> str | None:
    group, _, name = case.id.partition("/")
    is_number = not any(map(str.isalpha, name))
    return None if is_number or group != case.group else one_line(name, _TITLE_CHARS)


@lru_cache(maxsize=2_000)  # a class shares the cases and rules of its suite
def anchor(identity: str) -> str:
    """Return an HTML id for `identity`, the same in every run and safe in any page."""
    # surrogatepass: names of files need not be Unicode.
    return "c" + hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def explanation(case: CaseResult, locale: Locale) -> tuple[str, ...]:
    """Return why `case` did not pass: what the record says, or else what its verdict means.

    For a case that passed, it says how, and is usually empty.
    """
    sentences = tuple(locale.tell(message) for message in case.explanation)
    if case.verdict is Verdict.PASSED:
        return sentences
    meaning = locale(f"meaning_{case.verdict.value}")
    if sign(case.verdict, locale).tone is Tone.OURS:
        return (meaning, *sentences)
    return sentences or (meaning,)


def _place_text(source: SourceLine, sources: Iterable[SourceText], locale: Locale) -> str:
    text = next((each.text for each in sources if each.name == source.file), "")
    file, cell = one_line(source.file, 100), cell_at(source.file, text, source.line)
    place: dict[str, str | int] = {"line": source.line, **cell}
    if source.function in {"", "<module>"}:
        return locale("source_line", file=file, **place)
    function = one_line(source.function, 100)
    return locale("source_line_in", file=file, function=function, **place)


def _nearby(source: SourceLine, sources: Iterable[SourceText]) -> Iterator[tuple[str, str, bool]]:
    """Yield the lines around `source`, or only that line in a notebook or if the file is gone."""
    text = next((each.text for each in sources if each.name == source.file), "")
    lines, at = text.split("\n"), source.line
    # In a notebook, the lines around it may belong to another cell.
    if not 0 < at <= len(lines) or cell_at(source.file, text, at):
        yield "", one_line(source.text.strip(), _CONTEXT_CHARS), True
        return
    first = max(1, at - _CONTEXT_LINES)
    shown = lines[first - 1 : at + _CONTEXT_LINES]
    margin = min((len(line) - len(line.lstrip(" ")) for line in shown if line.strip()), default=0)
    for number, line in enumerate(shown, start=first):
        yield str(number), shown_text(line[margin:], _CONTEXT_CHARS), number == at


def _code(text: str) -> str:
    return excerpt(text, MAX_CODE_CHARS, _STEP_LINES)


def _transcript(steps: tuple[TranscriptLine, ...], locale: Locale) -> Iterator[StepView]:
    share = max(_MIN_OUTPUT_CHARS, _TRANSCRIPT_CHARS // max(1, len(steps)))
    surplus = len(steps) - MAX_STEPS
    if surplus <= 0:
        yield from (_step(step, share, locale) for step in steps)
        return
    yield from (_step(step, share, locale) for step in steps[:_FIRST_STEPS])
    gap = locale("steps_left_out", count=surplus)
    yield StepView(prompts=(), output=(gap,), longest=len(gap))
    yield from (_step(step, share, locale) for step in steps[_FIRST_STEPS + surplus :])


def _step(step: TranscriptLine, share: int, locale: Locale) -> StepView:
    return _step_view(step, share, locale) if step.output else _silent_step(step, locale)


@lru_cache(maxsize=2_000)  # without output it is text of the suite, not of a student
def _silent_step(step: TranscriptLine, locale: Locale) -> StepView:
    return _step_view(step, 0, locale)


def _step_view(step: TranscriptLine, share: int, locale: Locale) -> StepView:
    """Return the view of `step`, its output cut to `share` characters unless it failed."""
    failed = step.state in {LineStatus.FAILED, LineStatus.CAUSE}
    code = excerpt_lines(step.code, MAX_CODE_CHARS, _STEP_LINES)
    output = excerpt_lines(step.output, _FAILED_OUTPUT_CHARS if failed else share, _STEP_LINES)
    note = None if step.note is None or step.note in step.code else one_line(step.note)
    # The newline that ends the output of an interpreter would show as an empty line.
    while output and not output[-1]:
        output.pop()
    last = f"{code[-1]}  # {note}" if note else code[-1]
    return StepView(
        prompts=_prompts(tuple(code)),
        output=tuple(output),
        note=note,
        state=step.state,
        label=None if step.state is LineStatus.DONE else locale(f"step_{step.state.value}"),
        longest=max(map(len, (*code[:-1], last, *output))) + len(">>> "),
    )


def _decorator_lines(statement: ast.stmt) -> list[int]:
    return [each.lineno for each in getattr(statement, "decorator_list", ())]


@lru_cache(maxsize=2_000)  # code of the suite: the same for every student
def _prompts(lines: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return each of `lines` with its prompt, so that all can be typed as shown.

    Each statement starts with `>>> `, and an empty line ends a block, as at a real prompt. Lines of
    a command get no prompt: they include theirs.
    """
    if lines[0].startswith(COMMAND):
        return tuple(("", line) for line in lines)
    try:
        body = ast.parse("\n".join(lines)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # an excerpt seldom parses
        return tuple(("... " if number else ">>> ", line) for number, line in enumerate(lines))
    # The line of a decorated function is that of its `def`.
    starts = {1, *(min([each.lineno, *_decorator_lines(each)]) for each in body)}
    # Only compound statements have a body. The last one needs no empty line: nothing follows.
    blocks = {each.end_lineno for each in body[:-1] if hasattr(each, "body")}
    prompts: list[tuple[str, str]] = []
    for number, line in enumerate(lines, start=1):
        prompts.append((">>> " if number in starts else "... ", line))
        if number in blocks:
            prompts.append(("... ", ""))
    return tuple(prompts)


def skips(cases: Sequence[CaseView]) -> Iterable[CaseView]:
    """Return one of `cases` for each reason that kept some of them from being tried."""
    by_reason: dict[tuple[tuple[str, ...], str | None], CaseView] = {}
    for case in cases:
        if case.sign.tone is Tone.IDLE:
            by_reason.setdefault((case.explanation, case.cause), case)
    return by_reason.values()


def needed_steps(steps: Sequence[StepView], max_steps: int) -> tuple[int, list[int]]:
    """Return the index of the failing step, and of at most `max_steps` steps to show, up to it."""
    marked = next((index for index, each in enumerate(steps) if each.is_marked), len(steps) - 1)
    needed = list(_binding_steps(steps, marked))[: max_steps - 1]
    recent = [index for index in range(marked - 1, -1, -1) if index not in needed]
    return marked, sorted({marked, *needed, *recent[: max_steps - 1 - len(needed)]})


def _binding_steps(steps: Sequence[StepView], marked: int) -> Iterator[int]:
    """Yield the steps, latest first, that bind names which the step `marked` uses."""
    names = {*_WORD.findall(_code_of(steps[marked]))}
    for index in range(marked - 1, -1, -1):
        code = _code_of(steps[index])
        binding = _BINDING.match(code)
        bound = binding and (binding[0] if "=" in binding[0] else code)
        if bound and names & {*_WORD.findall(bound)}:
            names |= {*_WORD.findall(code)}
            yield index


def _code_of(step: StepView) -> str:
    return "\n".join(code for _, code in step.prompts)
