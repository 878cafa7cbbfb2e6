"""The language a report speaks: its fixed words, the sentences of a record, and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from grader.display import MAX_SHOWN_CHARS
from grader.messages import Message, Parameter
from grader.reporting.excerpt import excerpt
from grader.wording import DEFAULT_LANGUAGE, LANGUAGES, phrase, say

_DECIMAL_COMMA: Final = frozenset({"nl", "es"})
_SENTENCE_LINES: Final = 30
_UNITS: Final = ("B", "kB", "MB", "GB")


@dataclass(frozen=True, slots=True)
class Voice:
    """Speaks one of the languages that there is a catalog for."""

    language: str

    @classmethod
    def of(cls, language: str) -> Voice:
        """Return the voice for `language`, or the default one where there is no catalog for it."""
        return cls(language if language in LANGUAGES else DEFAULT_LANGUAGE)

    def __call__(self, key: str, /, **parameters: Parameter) -> str:
        """Return the fixed words `report.<key>`."""
        return phrase(self.language, f"report.{key}", **parameters)

    def tell(self, what: Message) -> str:
        """Return a message of a record as a safe, short sentence."""
        return excerpt(say(what, self.language), MAX_SHOWN_CHARS, _SENTENCE_LINES)

    def number(self, value: float) -> str:
        """Return `value` with at most two decimals, as one writes it in this language."""
        # The second addition turns -0.0 into 0.0, which needs no sign.
        digits = f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
        return digits.replace(".", ",") if self.language in _DECIMAL_COMMA else digits

    def count(self, value: int) -> str:
        """Return a large whole number in groups of three digits, set apart as in all languages."""
        if value < 10_000:
            return str(value)
        return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")

    def points(self, points: float, max_points: float) -> str:
        """Return "2 of 2.5 points"."""
        return self(
            "points",
            points=self.number(points),
            max=self.number(max_points),
            count=1 if max_points == 1 else 2,  # "1 point", and "2.5 points"
        )

    def size(self, size_bytes: float) -> str:
        """Return a number of bytes with a readable unit."""
        unit = 0
        while size_bytes >= 1000 and unit < len(_UNITS) - 1:
            size_bytes /= 1000
            unit += 1
        return f"{self.number(round(size_bytes, 1))} {_UNITS[unit]}"
