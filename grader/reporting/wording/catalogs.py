"""Reads the catalogs: the sentences on each subject, in all languages, from `<subject>.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Final

from grader.suite.diagnostics import did_you_mean, quote

DEFAULT_LANGUAGE: Final = "en"


@cache
def catalog(language: str) -> Mapping[str, str]:
    """Return the sentences in `language`, keyed by message key.

    Parsing all files as YAML would cost each command 50 ms. So each sentence is on a separate line,
    quoted as in JSON, and only the lines of one language are parsed.
    """
    sentence = re.compile(rf"^(\S+):\n(?:  .*\n)*?  {language}: (.*)$", re.MULTILINE)
    folder = files(__package__).iterdir()
    texts = [path.read_text(encoding="utf-8") for path in folder if path.name.endswith(".yaml")]
    return {
        key: json.loads(sentence_json)
        for text in texts
        for key, sentence_json in sentence.findall(text)
    }


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
"""Patterns of Python's most frequent syntax error messages, with the keys of our sentences."""


def translated_python_message(message: str, sentences: Mapping[str, str]) -> str:
    """Return the translation of Python's syntax error `message` from `sentences`.

    A message that has no translation is returned unchanged.
    """
    for pattern, key in _PYTHON_MESSAGES.items():
        if (match := pattern.fullmatch(message)) is not None:
            return sentences[key].format_map(match.groupdict())
    return message


# A course can replace sentences with its own.
#
# A suite has such sentences under the keys of the catalogs, in its own language. They are copied to
# each record, so that pages made again have the same text. A sentence must have exactly the
# parameters of the one that it replaces. Otherwise it is refused when the suite is read. In a
# record, which might have been edited, it is ignored in favour of the sentence in the catalog.


def usable_sentences(own_words: Mapping[str, str], sentences: Mapping[str, str]) -> dict[str, str]:
    """Return those of a course's `own_words` that can replace one of `sentences`."""
    return {key: text for key, text in own_words.items() if not _mistake(key, text, sentences)}


def replacement_mistakes(
    own_words: Mapping[str, str], sentences: Mapping[str, str]
) -> Iterator[str]:
    """Yield the mistakes in a course's `own_words`, which should replace some of `sentences`."""
    yield from filter(None, (_mistake(key, text, sentences) for key, text in own_words.items()))


def _mistake(key: str, text: str, sentences: Mapping[str, str]) -> str | None:
    """Return the mistake in the sentence `text` of a course, or None if there is none."""
    if key not in sentences:
        kind = key.partition(".")[0]
        nearest_first = sorted(sentences, key=lambda known_key: known_key.partition(".")[0] != kind)
        return f"there is no sentence {quote(key)}{did_you_mean(key, nearest_first, cutoff=0.75)}"
    required, actual = _parameters(sentences[key]), _parameters(text)
    if actual is None:
        return f"{quote(key)}: braces must enclose a parameter, such as {{name}}"
    if required != actual:
        if not required:
            return f"{quote(key)} must not have any parameters"
        names = ", ".join(f"{{{name}}}" for name in sorted(required))
        return f"{quote(key)} must have exactly these parameters, each at least once: {names}"
    return None


def _parameters(sentence: str) -> frozenset[str] | None:
    """Return the parameters of `sentence`, or None if its braces are not plain parameters."""
    try:
        fields = [part[1:] for part in Formatter().parse(sentence) if part[1] is not None]
    except ValueError:
        return None
    is_plain = all(
        name and name.isidentifier() and not format_ and not conversion
        for name, format_, conversion in fields
    )
    return frozenset(str(name) for name, *_ in fields) if is_plain else None
