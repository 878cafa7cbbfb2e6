"""The wording of reports: sentences and numbers in a language, signs of verdicts, and conditions.

All sentences are in the files `<subject>.yaml` next to this module. Under each message key they
have the same sentence in every language, with the same `{parameters}`. A key that ends in `_one` is
the singular of the key without this ending, and is used if `count` is 1.

A `Locale` formats fixed words and the messages of a record in one language. A verdict has a glyph
and a tone as well as a word, so that nothing depends on colour alone. The conditions of a record
are everything that must be the same for a result to be the same. Foreign text is cut to a readable
length.
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
    translated_python_message,
    usable_sentences,
)
from grader.sandbox.isolation import Layers, gaps
from grader.suite.model import LANGUAGES
from grader.values.foreign_text import MAX_SHOWN_CHARS, one_line, safe_text
from grader.verdict import RuleVerdict, Status, Verdict

__all__ = ("DEFAULT_LANGUAGE", "LANGUAGES", "Locale", "catalog", "format_message", "phrase")

OwnWords: TypeAlias = tuple[tuple[str, str], ...]
"""A course's own sentences, as pairs of a message key and a sentence."""
_WITH_PYTHON_MESSAGE: Final = frozenset(
    {"ungradable.syntax", "left_out.syntax", "stop.syntax", "report.screen_python"}
)
"""Keys of sentences whose parameter `message` is from Python, and so in English."""
_MAX_CACHED: Final = 64
"""How many catalogs that include a course's own sentences are cached."""


def format_message(msg: Message, language: str, own: OwnWords = ()) -> str:
    """Format the message `msg` as a sentence in `language`.

    A course's `own` sentences replace those of the catalog. A language without a catalog is
    replaced with the default language. Raises `KeyError` if the key is unknown, or if a parameter
    is missing.
    """
    sentences = _sentences(language if language in LANGUAGES else DEFAULT_LANGUAGE, own)
    parameters = dict(msg.parameters)
    key = msg.key
    if "cell" in parameters:  # in a notebook, lines are given by cell
        parameters["file"] = sentences["loading.cell"].format_map(parameters)
        parameters["line"] = parameters["cell_line"]
    if key in _WITH_PYTHON_MESSAGE and language != DEFAULT_LANGUAGE:
        parameters["message"] = translated_python_message(str(parameters["message"]), sentences)
    if parameters.get("count") == 1 and f"{key}_one" in sentences:
        key = f"{key}_one"
    # Foreign text is only ever a parameter, never a format that could reach attributes.
    sentence = sentences[key].format_map(parameters)
    # A sentence with a blank `message` would end with a colon, after a no-break space in French.
    has_message = bool(str(parameters.get("message", "-")).strip())
    return sentence if has_message else sentence.rstrip().rstrip(":").rstrip()


def _sentences(language: str, own: OwnWords) -> Mapping[str, str]:
    return _merge_sentences(language, own) if own else catalog(language)


@lru_cache(_MAX_CACHED)
def _merge_sentences(language: str, own: OwnWords) -> Mapping[str, str]:
    sentences = catalog(language)
    return {**sentences, **usable_sentences(dict(own), sentences)}


def phrase(language: str, key: str, /, **parameters: Parameter) -> str:
    """Return the sentence for `key` in `language`.

    Raises `KeyError` if the key is unknown, or if a parameter is missing.
    """
    return format_message(message(key, **parameters), language)


def excerpt_lines(text: str, max_chars: int, max_lines: int) -> list[str]:
    """Return the first lines of `text`, made safe.

    If lines are omitted, the last line says how many.
    """
    lines = safe_text(text, max_chars).split("\n")
    if len(lines) > max_lines:
        return [*lines[: max_lines - 1], f"… (+{len(lines) - max_lines + 1})"]
    return lines


def excerpt(text: str, max_chars: int, max_lines: int) -> str:
    """Return the first lines of `text` as one text; see `excerpt_lines`."""
    return "\n".join(excerpt_lines(text, max_chars, max_lines))


_SENTENCE_LINES: Final = 30
_ROUNDING: Final = 0.001
"""The tolerance when a score and the cost of rules are added, because both are rounded."""
_UNITS: Final = ("B", "kB", "MB", "GB")


@dataclass(frozen=True, slots=True)
class Locale:
    """Formats text in one of the languages, with a course's own sentences."""

    language: str
    own: OwnWords = ()

    @classmethod
    def for_language(cls, language: str) -> Locale:
        """Return the locale for `language`, or the default locale if there is no catalog for it."""
        return cls(language if language in LANGUAGES else DEFAULT_LANGUAGE)

    @classmethod
    def for_record(cls, record: Record) -> Locale:
        """Return the locale for reports about `record`."""
        return cls(cls.for_language(record.language).language, record.wording)

    def __call__(self, key: str, /, **parameters: Parameter) -> str:
        """Return the fixed words with the key `report.<key>`, with these parameters filled in."""
        # Most words have no parameters, and every page needs them, so these are cached.
        if not parameters and not self.own:
            return _words(self.language, key)
        return format_message(message(f"report.{key}", **parameters), self.language, self.own)

    def sentence(self, msg: Message) -> str:
        """Format the message `msg` of a record as a safe and short sentence."""
        return excerpt(
            format_message(msg, self.language, self.own), MAX_SHOWN_CHARS, _SENTENCE_LINES
        )

    def number(self, value: float) -> str:
        """Format `value` with at most two decimals, and with the decimal mark of this language."""
        # Adding 0.0 turns -0.0 into 0.0, so that zero has no sign.
        digits = f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
        return digits.replace(".", self("decimal_mark"))

    def count(self, value: int) -> str:
        """Format a whole number; the digits of a large number are in groups of three."""
        if value < 10_000:
            return str(value)
        return f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")

    def points(self, points: float, max_points: float) -> str:
        """Return the points out of the maximum in words, such as "2 of 2.5 points"."""
        return self(
            "points",
            points=self.number(points),
            max=self.number(max_points),
            count=_plural_count(max_points),
        )

    def with_loss(
        self, key: str, lost: float, max_points: float, /, **parameters: Parameter
    ) -> str:
        """Return the words with the key `report.<key>`, with the points lost of the maximum."""
        return self(
            key,
            lost=self.number(lost),
            max=self.number(max_points),
            count=_plural_count(max_points),
            **parameters,
        )

    def with_points(self, key: str, points: float) -> str:
        """Return the words with the key `report.<key>`, with the number of `points` filled in."""
        return self(key, points=self.number(points), count=_plural_count(points))

    def hidden(self, tally: HiddenTally) -> str:
        """Return the sentence about how many demands of hidden cases are met."""
        return self("hidden", met=self.number(tally.met), count=tally.demands)

    def size(self, size_bytes: float) -> str:
        """Format a number of bytes with a suitable unit."""
        unit = 0
        while size_bytes >= 1000 and unit < len(_UNITS) - 1:
            size_bytes /= 1000
            unit += 1
        return f"{self.number(round(size_bytes, 1))} {_UNITS[unit]}"


def _plural_count(points: float) -> int:
    return 1 if points == 1 else 2  # "1 point", but "0.5 points"


@cache  # bounded by the number of keys in the catalogs
def _words(language: str, key: str) -> str:
    return phrase(language, f"report.{key}")


@unique
class Tone(Enum):
    """What a verdict requires the reader to do."""

    GOOD = "good"
    """Nothing: it is right."""
    BAD = "bad"
    """Something in the submission has to be mended."""
    IDLE = "idle"
    """Nothing yet: it was not run, for a reason given elsewhere."""
    OUR_FAULT = "ours"
    """Nothing by the student: the failure is ours."""

    __hash__ = object.__hash__  # the hash of `Enum` is that of the name, which is slow


GLYPHS: Final = {Tone.GOOD: "✓", Tone.BAD: "✗", Tone.IDLE: "–", Tone.OUR_FAULT: "!"}  # noqa: RUF001 - drawn, not read


STATUS_TONES: Final = {
    Status.GRADED: Tone.GOOD,
    Status.UNGRADABLE: Tone.BAD,
    Status.FAULT: Tone.OUR_FAULT,
}


@dataclass(frozen=True, slots=True)
class VerdictView:
    """A verdict, ready for display."""

    tone: Tone
    glyph: str
    word: str


@cache  # each page calls this hundreds of times
def tone_of(verdict: Verdict) -> Tone:
    """Return the tone of `verdict`."""
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
            return Tone.OUR_FAULT
        case _:
            assert_never(verdict)


@cache
def sign(verdict: Verdict, locale: Locale) -> VerdictView:
    """Return `verdict` ready for display, in the language of `locale`."""
    tone = tone_of(verdict)
    return VerdictView(tone, GLYPHS[tone], locale(f"verdict_{verdict.value}"))


def score_text(record: Record, locale: Locale) -> str:
    """Return the score in words; a submission with a fault has no score yet."""
    if record.status is Status.FAULT:
        return locale("no_score")
    return locale.points(record.score, record.max_score)


def lost_by_rules(record: Record) -> float:
    """Return the points that rules cost: at most those earned, because no score is negative."""
    points_earned = sum(group.points for group in record.groups)
    return min(points_earned, sum(rule.penalty for rule in record.rules))


def is_full(record: Record) -> bool:
    """Return whether the cases of `record` earned all points, not counting the cost of rules."""
    rule_cost = lost_by_rules(record)
    return record.score + rule_cost >= record.max_score - (_ROUNDING if rule_cost else 0)


def is_right(record: Record) -> bool:
    """Return whether all cases with points passed, and all rules that can cost points are kept.

    If no case has points, all cases have to pass.
    """
    if any(rule.costs and rule.verdict is RuleVerdict.BROKEN for rule in record.rules):
        return False
    if record.max_score > 0:
        return record.status is Status.GRADED and is_full(record)
    return all(case.verdict is Verdict.PASSED for case in record.cases)


def score_share(record: Record) -> float | None:
    """Return the score as a fraction from 0 to 1, or None if there is no score yet.

    If there are no points to score, the fraction is 0.
    """
    if record.status is Status.FAULT:
        return None
    if record.max_score <= 0:
        return 0.0
    return min(1.0, max(0.0, record.score / record.max_score))


Fact: TypeAlias = tuple[str, tuple[str, ...]]
"""A label, and lines of text."""

_MEBIBYTE = 1024 * 1024


def conditions(record: Record, locale: Locale) -> tuple[Fact, ...]:
    """Return the conditions under which `record` was made."""
    return tuple(_facts(record, locale))


def _facts(record: Record, locale: Locale) -> Iterator[Fact]:
    """Yield the conditions under which `record` was made, one by one."""
    record_conditions = record.conditions
    yield (
        locale("how_versions"),
        (
            f"grader {one_line(record_conditions.grader_version)}",
            f"Python {one_line(record_conditions.python_version)}",
        ),
    )
    yield locale("how_suite"), (one_line(record.exercise), _hash(record_conditions.suite_sha256))
    yield locale("how_isolation"), (level_text(record_conditions.isolation, locale),)
    yield locale("how_gaps"), gap_texts(record_conditions.layers, locale)
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
    """Return an isolation level and its meaning in words."""
    # An unknown level is described as the weakest, because it must not look safer than it is.
    described_level = level if level in {1, 2, 3} else 0
    return locale("how_level", level=level, meaning=locale(f"isolation_{described_level}"))


def gap_texts(layers: Layers, locale: Locale) -> tuple[str, ...]:
    """Return a sentence for each gap in the isolation, or one which says that there are none."""
    return tuple(map(locale.sentence, gaps(layers))) or (locale("how_no_gaps"),)


def _limits(record: Record, locale: Locale) -> Iterator[str]:
    """Yield the limits under which `record` was made, each in words."""
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
