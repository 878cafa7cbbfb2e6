"""Prints lines to a terminal, from which reports on one record are built.

All text is `rich.text.Text`, which rich prints unchanged: it interprets no markup, emoji codes or
links. Colour only repeats what a glyph or a word already shows, so nothing is lost without it.
Characters that the terminal cannot encode are replaced with ASCII. The terminal might be the log of
a CI system, which executes commands found in its text, so no line contains a command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

from rich.cells import cell_len
from rich.console import Console, OverflowMethod
from rich.text import Text

from grader.judging.record import LineStatus, Record
from grader.reporting.comparison import ComparedLine, Comparison
from grader.reporting.session_view import StepView
from grader.reporting.wording import GLYPHS, Locale, Tone, VerdictView, score_share
from grader.values.foreign_text import log_safe, safe_text

Part: TypeAlias = str | tuple[str, str]
"""A part of a line: a text without style, or a text with its style."""

STYLES: Final = {Tone.GOOD: "green", Tone.BAD: "red", Tone.IDLE: "dim", Tone.OUR_FAULT: "yellow"}
_ASCII_SIGNS: Final = {
    "✓": "+",
    "✗": "x",
    "–": "-",  # noqa: RUF001 - the dash of `GLYPHS`
    "≠": "!",
    "•": "*",
    "█": "#",
    "░": ".",
    "…": "...",
    "−": "-",  # noqa: RUF001 - the minus before lost points
    "’": "'",  # noqa: RUF001 - the apostrophe in Dutch plurals
    "·": ".",
    "⏎": " / ",
}
_BAR_WIDTH: Final = 30
INDENT: Final = 4
_CONTEXT_LINES: Final = 2
"""Lines of code shown before and after the line in question."""
_MARK_MARGIN: Final = 4
"""Columns that remain free after a mark."""
_LINE_CHARS: Final = 1_000
_SIDES_GAP: Final = 6
"""Columns between the expected and the actual result if they are next to each other."""


class Lines:
    """Prints lines to one console, in one language."""

    def __init__(self, console: Console, locale: Locale) -> None:
        self.console = console
        self.locale = locale

    def bullets(self, sentences: Iterable[str]) -> None:
        """Print `sentences`, each after a bullet."""
        for sentence in sentences:
            self.line(sentence, prefix=("• ",))

    def bar(self, record: Record) -> Iterator[Part]:
        """Yield the parts of a bar that shows the score of `record`, or nothing if it has none."""
        if (share := score_share(record)) is None:
            return
        width = min(_BAR_WIDTH, self.console.width // 3)
        full = int(share * width)
        yield "█" * full, STYLES[Tone.GOOD]
        yield "░" * (width - full), "dim"

    def sides(self, sides: Comparison) -> None:
        """Print both sides next to each other if they fit, or else one below the other.

        Lines that differ get a sign, unless each side has only one line.
        """
        left, right = self._side(sides.expected, "expected"), self._side(sides.got, "got")
        pairs = list(zip_longest(sides.expected, sides.got))
        differing = [sides.is_multiline and _pair_differs(pair) for pair in pairs]
        width = max((line.cell_len for line in left), default=0)
        total_width = width + max((line.cell_len for line in right), default=0)
        if left and right and total_width + INDENT + _SIDES_GAP <= self.console.width:
            blank, rows = Text(), []
            for left_line, right_line in zip_longest(left, right, fillvalue=blank):
                padded = left_line.copy()
                padded.pad_right(width - left_line.cell_len + _SIDES_GAP)
                rows.append(padded + right_line)
            self.gutter(rows, differing)
            return
        self.gutter(left, differing)
        self.gutter(right, differing)

    def _side(self, lines: tuple[ComparedLine, ...], key: str) -> list[Text]:
        """Return the label of one side, and its lines, or nothing if there are no lines.

        `key` is the wording key of the label. A single empty line is replaced with the wording of
        `nothing`.
        """
        if not lines:
            return []
        label = self._text(((self.locale(key), "dim"),))
        if len(lines) == 1 and not any(piece.text for piece in lines[0].pieces):
            return [label, self._text(((self.locale("nothing"), "italic dim"),))]
        style = f"underline {STYLES[Tone.GOOD if key == 'expected' else Tone.BAD]}"
        return [
            label,
            *(
                self._text(tuple((p.text, style if p.differs else "") for p in line.pieces))
                for line in lines
            ),
        ]

    def put(self, text: Text) -> None:
        """Print a finished line; all other methods print through this one."""
        # soft_wrap, because lines are already wrapped, and rich must neither wrap nor crop them.
        self.console.print(text, soft_wrap=True)

    def blank(self) -> None:
        """Print an empty line."""
        self.put(Text())

    def gutter(self, lines: list[Text], differing: list[bool]) -> None:
        """Print a label and the lines below it, with a sign before each line that differs.

        `differing` has a flag for each of `lines` except the first, which is the label.
        """
        for text, differs in zip(lines, (False, *differing), strict=False):
            self._print_wrapped(text, self._text((("≠ " if differs else "  ", "red"),)), INDENT - 2)

    def step(self, step: StepView) -> None:
        """Print one step of a session and its output, with a mark if it is a marked step."""
        style = "dim italic" if step.state is LineStatus.NOT_REACHED else ""
        for index, (prompt, code) in enumerate(step.prompts):
            is_last = index == len(step.prompts) - 1
            note = f"  # {step.note}" if step.note and is_last else ""
            label = f"  ({step.label})" if step.label and not step.is_marked and is_last else ""
            gutter = (f"{GLYPHS[Tone.BAD]} " if step.is_marked and index == 0 else "  ", "red")
            parts = (code, style), (note + label, "dim")
            self.line(*parts, prefix=(gutter, (prompt, "dim")), indent=INDENT)
        self.block(step.output, style, indent=INDENT + 2)

    def block(self, lines: Sequence[str], style: str = "", *, indent: int = INDENT) -> None:
        """Print each of `lines` in one style, wrapped if it is too long."""
        for text in lines:
            self.line((text, style), indent=indent)

    def label(self, text: str) -> None:
        """Print a blank line, and then a heading for the lines that follow."""
        self.blank()
        self.line((text, "dim"), indent=INDENT)

    def cut_line(self, *parts: Part, indent: int = 0) -> None:
        """Print `parts` on one line, cut off at the edge of the console."""
        text = self._text(parts)
        overflow: OverflowMethod = "ellipsis" if self._encodable("…") == "…" else "crop"
        text.truncate(max(1, self.console.width - indent), overflow=overflow)
        self._print(text, indent)

    def line(self, *parts: Part, prefix: tuple[Part, ...] = (), indent: int = 0) -> None:
        """Print `parts` after `prefix`, wrapped; continuation lines are indented past `prefix`."""
        self._print_wrapped(self._text(parts), self._text(prefix), indent)

    def lines_around(
        self, lines: Sequence[str], number: int, column: int, *, before: int = 0
    ) -> None:
        """Print line `number` of `lines` with a mark below its `column`, and a few lines around it.

        `number` and `column` count from 1; a `column` of 0 is unknown. In the file, `before` lines
        precede the first of `lines`. A long line is cut so that the mark remains visible.
        """
        first, last = max(1, number - _CONTEXT_LINES), min(len(lines), number + _CONTEXT_LINES)
        width = len(str(last + before))
        max_width = self.console.width - width - 2 - len(" | ")
        for line_number in range(first, last + 1):
            code, margin = (
                _code(lines[line_number - 1]),
                (f"{line_number + before:>{width}} | ", "dim"),
            )
            if line_number != number:
                self.cut_line(margin, code, indent=2)
                continue
            start, mark = _mark(lines[line_number - 1], column)
            excess = cell_len(code[:start]) + _MARK_MARGIN - max_width
            cut = excess + 1 if excess > 0 and mark == "^" else 0
            visible_code = f"…{code[cut:]}" if cut else code
            self.cut_line(margin, visible_code, indent=2)
            padding = " " * cell_len(f"…{code[cut:start]}" if cut else code[:start])
            self.cut_line((f"{'':>{width}} | ", "dim"), padding, (mark, "red"), indent=2)

    def _print_wrapped(self, text: Text, prefix: Text, indent: int) -> None:
        """Print `text` after `prefix`, wrapped to the width of the console."""
        width = max(1, self.console.width - indent - prefix.cell_len)
        for index, line in enumerate(text.wrap(self.console, width, overflow="fold") or [Text()]):
            if index:
                self._print(line, indent + prefix.cell_len)
            else:
                self._print(prefix + line, indent)

    def _print(self, line: Text, indent: int) -> None:
        """Print one indented line, with any command for a CI system made harmless."""
        text = Text(" " * indent) + line
        text.rstrip()
        # Applied to the whole line, because a CI command can be composed of several parts.
        text.plain = log_safe(text.plain)
        self.put(text)

    def _text(self, parts: tuple[Part, ...]) -> Text:
        """Return `parts` as one text, with tabs expanded and unwritable characters replaced."""
        text = Text()
        for part in parts:
            content, style = (part, "") if isinstance(part, str) else part
            # Tabs are expanded because they have no fixed width, so the line could not be measured.
            text.append(self._encodable(content.expandtabs(4)), style or None)
        return text

    def _encodable(self, text: str) -> str:
        """Return `text` with characters that the console cannot write replaced with ASCII."""
        if self._can_write(text):  # a shortcut that is enough for most lines
            return text
        return "".join(char if self._can_write(char) else _ascii_for(char) for char in text)

    def _can_write(self, text: str) -> bool:
        """Return whether the encoding of the console has all characters of `text`."""
        try:
            text.encode(self.console.encoding)
        # LookupError: Python does not know the encoding of the console, so ASCII has to do.
        except (UnicodeEncodeError, LookupError):
            return False
        return True


def _ascii_for(character: str) -> str:
    escaped = character.encode("ascii", "backslashreplace").decode("ascii")
    return _ASCII_SIGNS.get(character, escaped)


def badge(sign: VerdictView) -> tuple[Part, ...]:
    """Return the glyph and the word of a verdict, in its colour."""
    style = STYLES[sign.tone]
    return (f"{sign.glyph} ", style), (sign.word, style)


def _pair_differs(pair: tuple[ComparedLine | None, ComparedLine | None]) -> bool:
    return any(line is None or line.differs for line in pair)


def _mark(line: str, column: int) -> tuple[int, str]:
    """Return the offset of the mark below `line` as it is displayed, and the mark.

    If `column` is 0, because it is unknown, or is beyond the line, the whole line is marked.
    """
    code = _code(line)
    # The dot prevents whitespace before the column from being stripped.
    start = len(_code(line[: column - 1] + ".")) - 1 if column else 0
    if 0 < column <= len(line) + 1 and start <= len(code):
        return start, "^"
    start = len(code) - len(code.lstrip())
    return start, "^" * max(1, len(code) - start)


def _code(line: str) -> str:
    return safe_text(line.rstrip().expandtabs(4), _LINE_CHARS).split("\n", 1)[0]
