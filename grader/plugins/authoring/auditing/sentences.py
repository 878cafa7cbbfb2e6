"""Splits a spec into sentences, and finds the lines of each sentence.

Code, sessions, tables and headings are not prose, but comments in Python code are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.plugins.authoring.code_blocks import PYTHON, code_blocks

_WRAPPED_CHARS: Final = 120
"""Paragraphs with longer lines are not wrapped: each of their lines is a separate text."""
_MASKED: Final = re.compile(r"`[^`]+`|\$\$.*?\$\$")
"""Code and formulas. A full stop in them does not end a sentence."""
_SENTENCE_END: Final = re.compile(r"[.!?][\"')*_»”]*\s+")
_COMMENT: Final = re.compile(r"\s*# ?(\S.*)")
"""A comment that is prose. Comments with more indentation are examples."""
_NO_PROSE: Final = re.compile(r"#{1,6} |.*\|.*\||\s*(?:-{3,}|={3,})\s*$")
"""A heading, a row of a table, or the line below a heading."""
_BULLET: Final = re.compile(r"\A(?P<indent>[ >]*)(?:[-*+]|\d{1,2}[.)])\s+(?=\S)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of prose in a spec."""

    text: str
    lines: range
    """The numbers of the lines that contain it, counted from 1."""
    paragraph: str
    """The paragraph that contains it."""
    depth: int
    """The indentation of its bullet, or -1 if it has no bullet."""


def sentences_of(lines: Sequence[str]) -> Iterator[Sentence]:
    """Yield the sentences of prose in the lines of a spec, in order."""
    for block, depth in _blocks(lines):
        for start, texts in _unwrap(block):
            yield from (
                replace(sentence, depth=depth) for sentence in _split_sentences(start, texts)
            )


def _blocks(lines: Sequence[str]) -> Iterator[tuple[list[tuple[int, str]], int]]:
    """Yield each block of consecutive lines of prose, with the depth of its bullet (-1 if none).

    The lines in a block are pairs of a line number and text.
    """
    block: list[tuple[int, str]] = []
    depth = -1
    # An empty line is added, because it ends the last block.
    for number, text in enumerate([*_blank_non_prose(lines), ""], start=1):
        bullet = _BULLET.match(text)
        is_empty = not text.strip("> ")
        if block and (bullet or is_empty):
            yield block, depth
            block, depth = [], -1
        if bullet:
            depth = len(bullet["indent"])
        if not is_empty:
            block.append((number, text))


def _blank_non_prose(lines: Sequence[str]) -> Iterator[str]:
    """Yield the prose on each of `lines` (in code, the text of a comment), or an empty string."""
    prose_in_code = dict(_prose_in_code(lines))
    in_session = False
    for number, line in enumerate(lines, start=1):
        if number in prose_in_code:
            yield prose_in_code[number]
            continue
        in_session = line.lstrip().startswith(">>>") or (in_session and bool(line.strip()))
        yield "" if in_session or _NO_PROSE.match(line) else line


def _prose_in_code(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the number and the prose of each line of fenced code, fences included.

    The prose is empty except on lines with a comment.
    """
    for code_block in code_blocks(lines):
        code = code_block.code
        yield from ((code.first_line - 1, ""), (code.line_after, ""))
        for number, text in enumerate(code.texts, start=code.first_line):
            comment = _COMMENT.fullmatch(text) if code_block.language in PYTHON else None
            yield number, comment[1] if comment else ""


def _unwrap(block: Sequence[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield each wrapped text in `block` as a list of lines, with the number of its first line.

    A line was wrapped if the first word of the next line did not fit on it. A colon ends a text.
    """
    width = max(len(text) for _, text in block)
    start, texts = block[0][0], [block[0][1]]
    for number, text in block[1:]:
        is_full = width <= _WRAPPED_CHARS and len(texts[-1]) + 1 + len(text.split()[0]) > width
        if is_full and not texts[-1].rstrip().endswith(":"):
            texts.append(text)
        else:
            yield start, texts
            start, texts = number, [text]
    yield start, texts


def _split_sentences(first_line: int, texts: Sequence[str]) -> Iterator[Sentence]:
    """Yield the sentences of a paragraph that was wrapped into `texts`, from line `first_line` on.

    Their depth is always -1, as if they had no bullet.
    """
    cleaned = [_BULLET.sub("", text.lstrip("> "), count=1).strip() for text in texts]
    paragraph = " ".join(cleaned)
    # The mask has the same length, so that offsets stay valid.
    masked = _MASKED.sub(lambda code: "X" * len(code[0]), paragraph)
    ends = [end.end() for end in _SENTENCE_END.finditer(masked)]
    # A lower-case letter or a digit continues a sentence after an abbreviation, such as `no. 3`.
    cuts = [0, *(end for end in ends if not (masked[end].islower() or masked[end].isdigit()))]
    for start, end in zip(cuts, [*cuts[1:], len(paragraph)], strict=True):
        sentence = paragraph[start:end].strip()
        lines = range(
            _line_index(start, cleaned), _line_index(start + len(sentence) - 1, cleaned) + 1
        )
        yield Sentence(
            text=sentence,
            lines=range(first_line + lines.start, first_line + lines.stop),
            paragraph=paragraph,
            depth=-1,
        )


def _line_index(offset: int, texts: Sequence[str]) -> int:
    """Return the index of the text that contains character `offset` of the joined `texts`."""
    for index, text in enumerate(texts):
        if offset <= len(text):
            return index
        offset -= len(text) + 1
    return len(texts) - 1
