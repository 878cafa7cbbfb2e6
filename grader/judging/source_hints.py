"""Spots common mistakes in code that does not compile, or that does nothing when run.

Lines are matched against patterns: the judge parses no student code. Findings are only hints; they
decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grader.intake.submission import SourceFile, Submission
from grader.messages import Message, message
from grader.values.foreign_text import one_line

_COMPARED: Final = re.compile(r"if[ \t(]+__name__[ \t]*==[ \t]*[\"']([^\"']*)[\"']")
_NAMED: Final = re.compile(r"[ \t]*(\w+)[ \t]*(?:#.*)?")
_DEFINED: Final = re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)")
_PASTED: Final = re.compile(
    r"\s*(>>>(\s|$)|(In|Out) ?\[\d+\]:|```|~~~|Python \d\.\d+\.\d+.* \(|Type \"help\", )"
)
"""Lines pasted along with code: prompts, interpreter headers, Markdown fences."""
_CLASS: Final = re.compile(r"class[ \t]+(\w+)")
_METHOD: Final = re.compile(r"[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)")
_SHOWN_CHARS: Final = 120


def line_of(text: str, number: int) -> str:
    """Return line `number` of `text`, or "" if it does not exist."""
    lines = text.split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else ""


def pasted_line(text: str, line: int) -> int | None:
    """Return the number of a line that was pasted along with code, if that explains the error.

    Only the first line with text and `line`, where Python stopped, are checked.
    """
    lines = text.split("\n")
    first = next((number for number, each in enumerate(lines, 1) if each.strip()), 0)
    return next((each for each in (first, line) if _PASTED.match(line_of(text, each))), None)


def class_with(text: str, name: str) -> str:
    """Return the top-level class in `text` that has a method called `name`, or ""."""
    current = ""
    for line in text.split("\n"):
        if match := _CLASS.match(line):
            current = match[1]
        elif line[:1].strip(" \t#@)"):  # any other first character begins a new statement
            current = ""
        elif current and (match := _METHOD.match(line)) and match[1] == name:
            return current
    return ""


def why_idle(submission: Submission, modules: Iterable[str]) -> Iterator[Message]:
    """Yield why `modules` of `submission` did nothing when run, if the source shows it.

    Perhaps `__name__` is compared with the wrong word, or the main function is named but not
    called, or never mentioned.
    """
    for module in modules:
        source = submission.modules.get(submission.parts.get(module, ""))
        if source is not None and (why := _why_idle(source)) is not None:
            yield why


def _why_idle(source: SourceFile) -> Message | None:
    """Return why running `source` did nothing, if it shows that."""
    file, lines = one_line(source.name), source.text.split("\n")
    defined = [match[1] for line in lines if (match := _DEFINED.match(line))]
    for number, line in enumerate(lines, 1):
        place: dict[str, str | int] = {"file": file, "line": number}
        # Matches only at the left margin.
        if (match := _COMPARED.match(line)) and match[1] != "__main__":
            text = one_line(line.strip(), _SHOWN_CHARS)
            return message("remark.main_word", **place, text=text)
        if (match := _NAMED.fullmatch(line)) and match[1] in defined:
            return message("remark.main_named", **place, name=one_line(match[1]))
    main = "main" if "main" in defined else next(reversed(defined), None)
    if main is None or _is_called(main, lines):
        return None
    return message("remark.main_uncalled", file=file, name=one_line(main))


def _is_called(name: str, lines: Iterable[str]) -> bool:
    """Return whether `name` occurs outside comments on a line other than its definition."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(
        word.search(line.partition("#")[0])
        and not ((found := _DEFINED.match(line)) and found[1] == name)
        for line in lines
    )
