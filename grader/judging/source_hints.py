"""Detects common mistakes in code that does not compile, or that does nothing when run.

Lines are only matched against patterns, because the judge never parses student code. The results
are hints and have no effect on verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grader.intake.submission import SourceFile, Submission
from grader.messages import Message, message
from grader.values.foreign_text import one_line

_NAME_COMPARISON: Final = re.compile(r"if[ \t(]+__name__[ \t]*==[ \t]*[\"']([^\"']*)[\"']")
_BARE_NAME: Final = re.compile(r"[ \t]*(\w+)[ \t]*(?:#.*)?")
_DEFINITION: Final = re.compile(r"(?:async[ \t]+)?def[ \t]+(\w+)")
_PASTED: Final = re.compile(
    r"\s*(>>>(\s|$)|(In|Out) ?\[\d+\]:|```|~~~|Python \d\.\d+\.\d+.* \(|Type \"help\", )"
)
"""Lines that are often pasted along with code: prompts, interpreter headers, Markdown fences."""
_CLASS: Final = re.compile(r"class[ \t]+(\w+)")
_METHOD: Final = re.compile(r"[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)")
_SHOWN_CHARS: Final = 120


def line_of(text: str, number: int) -> str:
    """Return line `number` of `text`, or "" if it does not exist."""
    lines = text.split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else ""


def pasted_line(text: str, line: int) -> int | None:
    """Return the number of a line that was pasted along with code and can cause a syntax error.

    Only two lines are checked: the first that is not blank, and `line`, where Python stopped.
    Return None if neither looks pasted.
    """
    lines = text.split("\n")
    first_line = next((number for number, content in enumerate(lines, 1) if content.strip()), 0)
    return next((n for n in (first_line, line) if _PASTED.match(line_of(text, n))), None)


def class_with_method(text: str, name: str) -> str:
    """Return the name of the first top-level class in `text` with a method `name`, or ""."""
    class_name = ""
    for line in text.split("\n"):
        if match := _CLASS.match(line):
            class_name = match[1]
        elif line[:1].strip(" \t#@)"):  # the class ends with any other text at the left margin
            class_name = ""
        elif class_name and (match := _METHOD.match(line)) and match[1] == name:
            return class_name
    return ""


def idleness_messages(submission: Submission, modules: Iterable[str]) -> Iterator[Message]:
    """Yield messages about why `modules` of `submission` did nothing when run.

    The detected causes are that `__name__` is compared with the wrong string, or that the main
    function is named without being called, or not mentioned at all.
    """
    for module in modules:
        source = submission.modules.get(submission.parts.get(module, ""))
        if source is not None and (reason := _explain_idle_module(source)) is not None:
            yield reason


def _explain_idle_module(source: SourceFile) -> Message | None:
    """Return a message about why running `source` did nothing, or None if no cause is detected."""
    file, lines = one_line(source.name), source.text.split("\n")
    defined = [match[1] for line in lines if (match := _DEFINITION.match(line))]
    for number, line in enumerate(lines, 1):
        location: dict[str, str | int] = {"file": file, "line": number}
        # `match` ignores indented lines, which are not at module level.
        if (match := _NAME_COMPARISON.match(line)) and match[1] != "__main__":
            text = one_line(line.strip(), _SHOWN_CHARS)
            return message("remark.main_word", **location, text=text)
        if (match := _BARE_NAME.fullmatch(line)) and match[1] in defined:
            return message("remark.main_named", **location, name=one_line(match[1]))
    # Without a function called `main`, the last function is the most likely entry point.
    main_name = "main" if "main" in defined else next(reversed(defined), None)
    if main_name is None or _is_called(main_name, lines):
        return None
    return message("remark.main_uncalled", file=file, name=one_line(main_name))


def _is_called(name: str, lines: Iterable[str]) -> bool:
    """Return whether a line other than the definition of `name` mentions it outside comments."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(
        word.search(line.partition("#")[0])
        and not ((match := _DEFINITION.match(line)) and match[1] == name)
        for line in lines
    )
