"""The catalogs: the sentences on each subject, in all languages, in `<subject>.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Final

from grader.suite.diagnostics import did_you_mean, quoted

DEFAULT_LANGUAGE: Final = "en"


@cache
def catalog(language: str) -> Mapping[str, str]:
    """Return the sentences in `language`, by their keys.

    Parsing all languages as YAML would cost each command 50 ms. So each sentence is on a separate
    line, quoted as in JSON, and only the lines of one language are read.
    """
    sentence = re.compile(rf"^(\S+):\n(?:  .*\n)*?  {language}: (.*)$", re.MULTILINE)
    folder = files(__package__).iterdir()
    texts = [each.read_text(encoding="utf-8") for each in folder if each.name.endswith(".yaml")]
    return {key: json.loads(said) for text in texts for key, said in sentence.findall(text)}


_PYTHON_MESSAGES: Final = {
    re.compile(pattern): key
    for pattern, key in (
        (r"expected ':'", "python.colon"),
        (r"invalid syntax", "python.invalid"),
        (r"invalid syntax\. Perhaps you forgot a comma\?", "python.comma"),
        (
            r"(?:invalid syntax|cannot assign to .+)\. Maybe you meant '==' .*instead of '='\?",
            "python.equals",
        ),
        (r"unexpected indent", "python.indent"),
        (r"unindent does not match any outer indentation level", "python.unindent"),
        (r"expected an indented block.*", "python.block"),
        (r"'(?P<sign>[(\[{])' was never closed", "python.open"),
        (r"unmatched '(?P<sign>[)\]}])'", "python.close"),
        (
            r"closing parenthesis '(?P<sign>.)' does not match opening parenthesis '(?P<open>.)'.*",
            "python.mismatch",
        ),
        (r"invalid (?:non-printable )?character .*", "python.character"),
        (r"expected 'except' or 'finally' block", "python.except"),
        (r"'return' outside function", "python.return"),
        (r"'(?P<word>break|continue)' (?:outside|not properly in) loop", "python.loop"),
        (
            r"(?:non-default argument|parameter without a default) follows .*",
            "python.default",
        ),
        (r"unterminated .*string literal.*|EOL while scanning string literal", "python.string"),
        (r"unexpected EOF while parsing", "python.end"),
        (r"inconsistent use of tabs and spaces in indentation", "python.tabs"),
        (r"Missing parentheses in call to 'print'.*", "python.print"),
    )
}
"""Python's most frequent messages about syntax errors, with the key of our sentence."""


def translated_python_message(message: str, sentences: Mapping[str, str]) -> str:
    """Return the translation of Python's `message` on syntax from `sentences`, if there is one."""
    for pattern, key in _PYTHON_MESSAGES.items():
        if (match := pattern.fullmatch(message)) is not None:
            return sentences[key].format_map(match.groupdict())
    return message


# Sentences that a course replaces with its own.
#
# A suite has them under the keys of the catalogs, in its own language, and a record keeps them, so
# that pages made again have the same text. A sentence has exactly the parameters of the one that it
# replaces; otherwise it is refused when the suite is read. In a record, which may have been edited,
# it is ignored, and the sentence of the catalog is used.


def fitting(own: Mapping[str, str], sentences: Mapping[str, str]) -> dict[str, str]:
    """Return those of `own` that can replace one of `sentences`."""
    return {key: text for key, text in own.items() if not _mistake(key, text, sentences)}


def mistakes(own: Mapping[str, str], sentences: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with `own` sentences that replace some of `sentences`."""
    yield from filter(None, (_mistake(key, text, sentences) for key, text in own.items()))


def _mistake(key: str, text: str, sentences: Mapping[str, str]) -> str | None:
    """Return what is wrong with one sentence of a course, None if nothing is."""
    if key not in sentences:
        kind = key.partition(".")[0]
        nearest_first = sorted(sentences, key=lambda each: each.partition(".")[0] != kind)
        return f"there is no sentence {quoted(key)}{did_you_mean(key, nearest_first, cutoff=0.75)}"
    wanted, given = _parameters(sentences[key]), _parameters(text)
    if given is None:
        return f"{quoted(key)}: a brace must be the beginning or the end of a {{parameter}}"
    if wanted != given:
        if not wanted:
            return f"{quoted(key)} must have no parameters"
        listed = ", ".join(f"{{{each}}}" for each in sorted(wanted))
        return f"{quoted(key)} must have {listed}, each at least once and nothing else"
    return None


def _parameters(sentence: str) -> frozenset[str] | None:
    """Return the parameters of `sentence`, None if its braces mean something else."""
    try:
        parts = [part[1:] for part in Formatter().parse(sentence) if part[1] is not None]
    except ValueError:
        return None
    plain = all(
        name and name.isidentifier() and not format_ and not conversion
        for name, format_, conversion in parts
    )
    return frozenset(str(name) for name, *_ in parts) if plain else None
