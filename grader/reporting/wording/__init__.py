"""How reports put things: words and numbers of a language, signs of verdicts, scores, conditions.

All sentences are in the files `<subject>.yaml` beside this one: under each message key the same
sentence in every language, with the same `{parameters}`. A key that ends in `_one` is the singular
of the key without it, used when `count` is 1.

A `Locale` puts fixed words and messages of a record in one language. A verdict has a glyph and a
tone beside its word, so that colour is never alone. The conditions must be the same for a
result to be the same. Foreign text is cut to a size that people read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, unique
from functools import cache, lru_cache
from typing import Final, TypeAlias, assert_never

from grader.judging.record import HiddenTally, Record
from grader.messages import Message, Parameter, message
from grader.reporting.wording.catalogs import (
    DEFAULT_LANGUAGE,
    catalog,
    fitting,
    translated_python_message,
)
from grader.sandbox.isolation import Layers, gaps
from grader.suite.model import LANGUAGES
from grader.values.foreign_text import MAX_SHOWN_CHARS, one_line, shown_text
from grader.verdict import RuleVerdict, Status, Verdict

__all__ = ("DEFAULT_LANGUAGE", "LANGUAGES", "Locale", "catalog", "phrase", "say")

OwnWords: TypeAlias = tuple[tuple[str, str], ...]
"""Sentences of a course, by their keys."""
_WITH_PYTHON_MESSAGE: Final = frozenset(
    {"ungradable.syntax", "left_out.syntax", "stop.syntax", "report.screen_python"}
)
"""Sentences with a `message` from Python, which is in English."""
_MAX_CACHED: Final = 64
"""Exercises with words of their own that are cached."""


def say(what: Message, language: str, own: OwnWords = ()) -> str:
    """Return `what` as a sentence in `language`; raises `KeyError` for an unknown key."""
    sentences = _sentences(language if language in LANGUAGES else DEFAULT_LANGUAGE, own)
    parameters = dict(what.parameters)
    key = what.key
    if "cell" in parameters:  # in a notebook, places are given by cell
        parameters["file"] = sentences["loading.cell"].format_map(parameters)
        parameters["line"] = parameters["cell_line"]
    if key in _WITH_PYTHON_MESSAGE and language != DEFAULT_LANGUAGE:
        parameters["message"] = translated_python_message(str(parameters["message"]), sentences)
    if parameters.get("count") == 1 and f"{key}_one" in sentences:
        key = f"{key}_one"
    # Foreign text is only ever a parameter, never a format that could reach attributes.
    sentence = sentences[key].format_map(parameters)
    return (
        sentence.rstrip(": ") if parameters.get("message") == "" else sentence
    )  # it ends with a message, which is empty


def _sentences(language: str, own: OwnWords) -> Mapping[str, str]:
    return _with_own(language, own) if own else catalog(language)


@lru_cache(_MAX_CACHED)
def _with_own(language: str, own: OwnWords) -> Mapping[str, str]:
    sentences = catalog(language)
    return {**sentences, **fitting(dict(own), sentences)}


def phrase(language: str, key: str, /, **parameters: Parameter) -> str:
    """Return the sentence for `key`, for templates and other code that just shows it."""
    return say(message(key, **parameters), language)


def excerpt_lines(text: str, max_chars: int, max_lines: int) -> list[str]:
    """Return the lines of `text`, made safe; the last one says how many are left out."""
    lines = shown_text(text, max_chars).split("\n")
    if len(lines) > max_lines:
        return [*lines[: max_lines - 1], f"… (+{len(lines) - max_lines + 1})"]
    return lines


def excerpt(text: str, max_chars: int, max_lines: int) -> str:
    """Return the beginning of `text`, made safe; its last line says how much is left out."""
    return "\n".join(excerpt_lines(text, max_chars, max_lines))


_SENTENCE_LINES: Final = 30
_ROUNDING: Final = 0.001
"""Scores are rounded, so a score plus the cost of rules is off by up to this much."""
_UNITS: Final = ("B", "kB", "MB", "GB")


@dataclass(frozen=True, slots=True)
class Locale:
    """Puts text in one of the languages, with a course's own sentences."""

    language: str
    own: OwnWords = ()

    @classmethod
    def of(cls, language: str) -> Locale:
        """Return the locale for `language`, or the default one if it has no catalog."""
        return cls(language if language in LANGUAGES else DEFAULT_LANGUAGE)

    @classmethod
    def of_record(cls, record: Record) -> Locale:
        """Return the locale for reports about `record`."""
        return cls(cls.of(record.language).language, record.wording)

    def __call__(self, key: str, /, **parameters: Parameter) -> str:
        """Return the fixed words `report.<key>`."""
        if not parameters and not self.own:
            return _words(self.language, key)
        return say(message(f"report.{key}", **parameters), self.language, self.own)

    def tell(self, what: Message) -> str:
        """Return a message of a record as a safe, short sentence."""
        return excerpt(say(what, self.language, self.own), MAX_SHOWN_CHARS, _SENTENCE_LINES)

    def number(self, value: float) -> str:
        """Return `value` with at most two decimals, as written in this language."""
        # Adding 0.0 turns -0.0 into 0.0, which needs no sign.
        digits = f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
        return digits.replace(".", self("decimal_mark"))

    def count(self, value: int) -> str:
        """Return a whole number; the digits of a large one are in groups of three."""
        if value < 10_000:
            return str(value)
        return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")

    def points(self, points: float, max_points: float) -> str:
        """Return "2 of 2.5 points"."""
        return self(
            "points",
            points=self.number(points),
            max=self.number(max_points),
            count=_plural(max_points),
        )

    def with_points(self, key: str, points: float) -> str:
        """Return the words `report.<key>` about a number of `points`."""
        return self(key, points=self.number(points), count=_plural(points))

    def hidden(self, tally: HiddenTally) -> str:
        """Return how many demands of hidden cases are met, in a sentence."""
        return self("hidden", met=self.number(tally.met), count=tally.demands)

    def size(self, size_bytes: float) -> str:
        """Return a number of bytes with a readable unit."""
        unit = 0
        while size_bytes >= 1000 and unit < len(_UNITS) - 1:
            size_bytes /= 1000
            unit += 1
        return f"{self.number(round(size_bytes, 1))} {_UNITS[unit]}"


def _plural(points: float) -> int:
    return 1 if points == 1 else 2  # "1 point", but "0.5 points"


@cache  # as many as the catalogs have
def _words(language: str, key: str) -> str:
    return phrase(language, f"report.{key}")


@unique
class Tone(Enum):
    """What a verdict asks of the reader."""

    GOOD = "good"
    """Nothing: it is right."""
    BAD = "bad"
    """Something to mend in the submission."""
    IDLE = "idle"
    """Nothing yet: it was not run, because of something else."""
    OURS = "ours"
    """Nothing of the student: the failure is ours."""

    __hash__ = object.__hash__  # Enum hashes names, which is slow


GLYPHS: Final = {Tone.GOOD: "✓", Tone.BAD: "✗", Tone.IDLE: "–", Tone.OURS: "!"}  # noqa: RUF001 - drawn, not read


STATUS_TONES: Final = {
    Status.GRADED: Tone.GOOD,
    Status.UNGRADABLE: Tone.BAD,
    Status.FAULT: Tone.OURS,
}


@dataclass(frozen=True, slots=True)
class VerdictView:
    """A verdict, ready to be shown."""

    tone: Tone
    glyph: str
    word: str


@cache  # each page asks hundreds of times
def tone_of(verdict: Verdict) -> Tone:
    """Return what `verdict` asks of the reader."""
    match verdict:
        case Verdict.PASSED:
            return Tone.GOOD
        case (
            Verdict.WRONG
            | Verdict.ERROR
            | Verdict.TIMED_OUT
            | Verdict.MEMORY
            | Verdict.OUTPUT
            | Verdict.CRASHED
            | Verdict.EXITED
            | Verdict.FORBIDDEN
            | Verdict.TAMPERED
        ):
            return Tone.BAD
        case Verdict.SKIPPED | Verdict.NOT_RUN:
            return Tone.IDLE
        case Verdict.FAULT:
            return Tone.OURS
        case _:
            assert_never(verdict)


@cache
def sign(verdict: Verdict, locale: Locale) -> VerdictView:
    """Return `verdict` as `locale` shows it."""
    tone = tone_of(verdict)
    return VerdictView(tone, GLYPHS[tone], locale(f"verdict_{verdict.value}"))


def score_text(record: Record, locale: Locale) -> str:
    """Return the score in words; a submission with a fault has none yet."""
    if record.status is Status.FAULT:
        return locale("no_score")
    return locale.points(record.score, record.max_score)


def lost_by_rules(record: Record) -> float:
    """Return the points that rules cost, at most those earned: no score is below zero."""
    earned = sum(group.points for group in record.groups)
    return min(earned, sum(rule.penalty for rule in record.rules))


def is_full(record: Record) -> bool:
    """Return whether the cases of `record` earned all points, before rules cost any."""
    lost = lost_by_rules(record)
    return record.score + lost >= record.max_score - (_ROUNDING if lost else 0)


def is_right(record: Record) -> bool:
    """Return whether all cases with points passed, and all rules that cost points are kept.

    If nothing has any points, all cases count.
    """
    if any(rule.costs and rule.verdict is RuleVerdict.BROKEN for rule in record.rules):
        return False
    if record.max_score > 0:
        return record.status is Status.GRADED and is_full(record)
    return all(case.verdict is Verdict.PASSED for case in record.cases)


def score_share(record: Record) -> float | None:
    """Return the score as a number from 0 to 1, None if there is no score yet."""
    if record.status is Status.FAULT:
        return None
    if record.max_score <= 0:
        return 0.0
    return min(1.0, max(0.0, record.score / record.max_score))


Fact: TypeAlias = tuple[str, tuple[str, ...]]
"""A name, and lines of text about it."""

_MEBIBYTE = 1024 * 1024


def conditions(record: Record, locale: Locale) -> tuple[Fact, ...]:
    """Return the conditions under which `record` was made."""
    return tuple(_facts(record, locale))


def _facts(record: Record, locale: Locale) -> Iterator[Fact]:
    """Yield the conditions under which `record` was made, one by one."""
    made_by = record.conditions
    yield (
        locale("how_versions"),
        (
            f"grader {one_line(made_by.grader_version)}",
            f"Python {one_line(made_by.python_version)}",
        ),
    )
    yield locale("how_suite"), (one_line(record.exercise), _hash(made_by.suite_sha256))
    yield locale("how_isolation"), (level_text(made_by.isolation, locale),)
    yield locale("how_gaps"), gap_texts(made_by.layers, locale)
    yield locale("how_limits"), tuple(_limits(record, locale))
    for file in record.files:
        encoding = file.encoding or locale("how_no_source")
        yield (
            locale("how_file", file=one_line(file.name, 120)),
            (f"{locale.size(file.size_bytes)}, {one_line(encoding)}", _hash(file.sha256)),
        )
    if not record.files:
        yield locale("how_files"), (locale("how_no_files"),)


def level_text(level: int, locale: Locale) -> str:
    """Return an isolation level and its meaning, in words."""
    # An unknown level is described as the weakest: nothing may look safer than it is.
    known = level if level in {1, 2, 3} else 0
    return locale("how_level", level=level, meaning=locale(f"isolation_{known}"))


def gap_texts(layers: Layers, locale: Locale) -> tuple[str, ...]:
    """Return a sentence for each gap in the isolation, or one that says there are none."""
    return tuple(map(locale.tell, gaps(layers))) or (locale("how_no_gaps"),)


def _limits(record: Record, locale: Locale) -> Iterator[str]:
    limits = record.conditions.limits
    yield locale("limit_cpu", seconds=locale.number(limits.cpu_s))
    yield locale("limit_session", seconds=locale.number(limits.session_cpu_s))
    yield locale("limit_submission", seconds=locale.number(limits.submission_cpu_s))
    yield locale("limit_wall", seconds=locale.number(limits.wall_s))
    yield locale("limit_memory", mebibytes=locale.number(limits.memory_bytes / _MEBIBYTE))
    yield locale("limit_output", characters=locale.count(limits.output_chars))
    yield locale("limit_recursion", depth=locale.count(limits.recursion))


def _hash(digest: str) -> str:
    return f"SHA-256 {one_line(digest)}"
