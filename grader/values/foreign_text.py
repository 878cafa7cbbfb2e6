"""Makes foreign text safe to show: capped, escaped, and identical from run to run.

All text that a submission can influence goes through `escape_controls` before it reaches a page or
a file, and through `log_safe` before it reaches a terminal, which can be the log of a CI system.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import east_asian_width

MAX_SHOWN_CHARS: Final = 4_000
"""Longer text is cut after this many characters; the number of omitted ones is appended."""

MEMORY_ADDRESS: Final = re.compile(r"\bat 0x[0-9a-fA-F]{6,16}>")
"""A memory address in a default `__repr__`. A bare hexadecimal number does not match, as it might
be the answer itself."""
_CONTROL_PICTURES: Final = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)}
_INVISIBLE: Final = (
    *range(0x7F, 0xA0),  # delete and the C1 controls, which some terminals execute
    0xAD,  # soft hyphen
    0x034F,  # combining grapheme joiner
    0x061C,  # Arabic letter mark, which changes direction
    0x115F,  # Hangul fillers, as are 0x1160, 0x3164 and 0xFFA0
    0x1160,
    0x17B4,  # this and the next are inherent vowels of Khmer
    0x17B5,
    *range(0x180B, 0x1810),  # Mongolian variation selectors and vowel separator
    *range(0x200B, 0x200D),  # zero width space and non-joiner
    *range(0x200E, 0x2010),  # left-to-right and right-to-left marks
    *range(0x2028, 0x202F),  # line separators and bidirectional overrides
    *range(0x2060, 0x2070),  # word joiner, invisible operators, directional isolates
    0x3164,
    *range(0xFE00, 0xFE0F),  # variation selectors, except the emoji one
    0xFEFF,  # byte order mark
    0xFFA0,
    *range(0xFFF0, 0xFFFC),  # interlinear annotations
    0xFFFE,  # this and the next are noncharacters, which XML does not allow
    0xFFFF,
    *range(0x1BCA0, 0x1BCA4),  # shorthand format controls
    *range(0x1D173, 0x1D17B),  # musical format controls
    *range(0xE0000, 0xE1000),  # tags, which are an invisible alphabet
)
"""Unicode's default ignorable characters, and others harmful to a terminal, a browser or XML.

The two characters that form emoji sequences are not included; see `_EMOJI_PART`.
"""


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


_TRANSLATION: Final[dict[int, int | str]] = {
    **_CONTROL_PICTURES,
    **{code: _escape(code) for code in _INVISIBLE},
}
_SYMBOLS: Final = "\u2190-\u2bff\U0001f000-\U0001faff"
_ALWAYS_EMOJI: Final = "".join(
    character for character in map(chr, range(0x2190, 0x2C00)) if east_asian_width(character) == "W"
)
"""Symbols that look the same with and without the emoji selector. After such a symbol, the selector
is escaped, as otherwise `⚪` and `⚪\ufe0f` could not be told apart."""
_EMOJI_PART: Final = (
    f"(?<=[{_SYMBOLS}])(?<![{_ALWAYS_EMOJI}])\ufe0f|\ufe0f(?=\u20e3)"
    f"|(?:(?<=[{_SYMBOLS}])|(?<=[{_SYMBOLS}]\ufe0f)(?<![{_ALWAYS_EMOJI}]\ufe0f))\u200d(?=[{_SYMBOLS}])"
)
"""The emoji selector and joiner where they visibly change a symbol, as in a red heart."""
_CONTEXT_DEPENDENT: Final = re.compile(f"(?P<visible>{_EMOJI_PART})|[\u200d\ufe0f\ud800-\udfff]")

_CI_COMMAND: Final = re.compile(r"^([^\S\n]*?)[^\S\n]?(?=::)|(#)(?=#\w*\[)", re.MULTILINE)
"""Commands that CI systems execute when they appear in a log: `::error::` at the start of a line,
and `##[error]`, `##vso[task.complete]` or `##teamcity[message]` anywhere."""


def escape_controls(text: str) -> str:
    r"""Return `text`, escaping all characters that could control a terminal, browser or parser.

    Newlines and tabs stay. Other control characters become their picture, such as `␛`. Invisible
    and direction-changing characters and lone surrogates become `\uXXXX` or `\UXXXXXXXX`.
    """
    if text.isascii():  # a shortcut for most text
        return text if text.isprintable() else text.translate(_TRANSLATION)
    return _CONTEXT_DEPENDENT.sub(
        lambda match: match["visible"] or _escape(ord(match[0])), text.translate(_TRANSLATION)
    )


def log_safe(text: str) -> str:
    r"""Return `text` escaped as by `escape_controls`, with commands to CI systems disabled.

    A backslash breaks up the command: `\::error::`, `#\#[error]`. It replaces a space before the
    colons, if there is one, so that columns stay aligned. It is added even outside CI, so that a
    check prints the same wherever it runs.
    """
    return _CI_COMMAND.sub(r"\1\2\\", escape_controls(text))


def count_noun(count: int, noun: str) -> str:
    """Return `count` with an English noun, such as `1 session` or `2 sessions`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def clip(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return `text`, cut after `limit` characters; the number of omitted ones is appended."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… (+{len(text) - limit})"


def safe_text(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return foreign `text` escaped and cut after `limit` characters, without memory addresses.

    If it is cut, the number of omitted characters is appended. The address in
    `<Grid object at 0x7f…>` differs from run to run and helps nobody.
    """
    if len(text) <= limit and "at 0x" not in text:
        return escape_controls(text)
    # Only the beginning, as foreign text can be huge, but more than `limit`, as removing addresses
    # shortens it.
    beginning = text[: 2 * limit]
    cleaned = MEMORY_ADDRESS.sub("at 0x…>", beginning)
    omitted = max(0, len(cleaned) - limit) + len(text) - len(beginning)
    return escape_controls(f"{cleaned[:limit]}… (+{omitted})" if omitted else cleaned)


def one_line(text: str, limit: int = 200) -> str:
    """Return foreign `text` escaped, cut after `limit` characters, and on a single line."""
    return on_one_line(safe_text(text, limit))


def on_one_line(escaped: str) -> str:
    """Return `escaped`, which contains no control characters but newlines and tabs, on one line."""
    return escaped.replace("\n", "⏎").replace("\t", " ")
