"""Distinguishes source for a newer Python from source with a mistake.

Newer syntax is replaced with older syntax that is valid at the same position. An f-string that
contains its own quotes becomes an empty string, after each of its expressions has been parsed
separately. `type Row = list` becomes `raise not list`, which also contains one expression. Only
source that then compiles is for a newer Python. So a mistake next to newer syntax is still reported
as a mistake.
"""

from __future__ import annotations

import ast
import keyword
import re
import sys
from collections.abc import Iterator
from typing import Final, TypeAlias

Version: TypeAlias = tuple[int, int]
_MAX_CHARS: Final = 60_000
"""Longer source is not analysed, because no student writes that much."""
_MAX_DEPTH: Final = 8
"""The maximum nesting of f-strings, which are translated recursively."""
_STRING: Final = re.compile(r"(?i)(?P<prefix>[bu]|b?r|rb|r?[ft]|[ft]r)?(?P<quote>'''|\"\"\"|'|\")")
_PLAIN: Final = re.compile(r"\w+|\s+|[^\w\s]")
_START: Final = r"(?m)(?P<before>^[ \t]*|[;:][ \t]*)"
# `type` is also an ordinary name: it starts an alias only before a name and `=` or `[`.
_ALIAS: Final = re.compile(_START + r"(?P<word>type)[ \t]+(?P<name>[^\W\d]\w*)[ \t]*(?=[\[=])")
_HEADER: Final = re.compile(r"\b(?P<word>def|class)[ \t]+(?P<name>[^\W\d]\w*)[ \t]*(?=\[)")
_NEXT_TOKEN: Final = {
    "type": re.compile(r"[ \t]*=(?!=)"),
    "def": re.compile(r"[ \t]*\("),
    "class": re.compile(r"[ \t]*[(:]"),
}
_STARS: Final = re.compile(r"((?:^|,)\s*)\*{1,2}(?=\w)")
_BOUND_STAR: Final = re.compile(r"\*\w+\s*:")
_EXCEPT: Final = re.compile(
    _START
    + r"except(?P<star>\*?)[ \t]+(?P<names>[\w.]+(?:[ \t]*,[ \t]*(?:\w+\.)*[A-Z]\w*)+)[ \t]*:"
)
"""Several classes without parentheses. `except ValueError, e:` does not match: it is Python 2."""
_OPENING: Final = {"(": ")", "[": "]", "{": "}"}


class _InvalidSyntaxError(Exception):
    """The source is invalid in every version of Python."""


def diagnose_syntax_error(source: str, error: SyntaxError) -> tuple[SyntaxError, Version | None]:
    """Return the mistake in `source`, and the newer version that the source needs, or None.

    The mistake is `error`, which compiling `source` raised. But if the source also contains newer
    syntax and a mistake that is one in every version, that mistake is returned instead.
    """
    if len(source) > _MAX_CHARS:
        return error, None
    older = _OlderSyntax(source)
    try:
        compile(older.translate(), "<older>", "exec", dont_inherit=True)
    except SyntaxError as mistake:
        return mistake if older.needed_version else error, None
    except (_InvalidSyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return error, None
    return error, older.needed_version


class _OlderSyntax:
    """Translates source to an older Python, and records which versions it needed.

    The methods raise `_InvalidSyntaxError` if the source is invalid in every version.
    """

    def __init__(self, source: str) -> None:
        self._source: Final = source
        self.versions: Final[set[Version]] = set()

    @property
    def needed_version(self) -> Version | None:
        """The version of Python that the source needs, or None if this one is new enough."""
        newest = max(self.versions, default=(0, 0))
        return newest if newest > sys.version_info[:2] else None

    def translate(self) -> str:
        """Return the source in older syntax, with its string literals emptied.

        Records the versions of the newer syntax in `versions`.
        """
        tokens = []
        position = 0
        while position < len(self._source):
            token, position = self._translate_token(position, 0)
            tokens.append(token)
        older_text = _EXCEPT.sub(self._add_parentheses, "".join(tokens))
        return self._remove_types(older_text)

    def _translate_token(self, position: int, depth: int) -> tuple[str, int]:
        """Return the translated token at `position`, and the position after it.

        A token is a word, a punctuation mark, whitespace, a comment or a string. `depth` is the
        number of f-strings around it.
        """
        source = self._source
        if source[position] == "#":
            end = source.find("\n", position)
            return "", end if end >= 0 else len(source)
        if string := _STRING.match(source, position):
            prefix = (string["prefix"] or "").lower()
            if set(prefix) & set("ft"):
                return self._translate_f_string(string, prefix, depth)
            end = self._end_of_string(string.end(), string["quote"])
            is_bytes = isinstance(_evaluate_literal(source[position:end]), bytes)
            # Bytes stay bytes, since concatenating them with text is a mistake in every version.
            return ("b" if is_bytes else "") + _empty_string_like(source[position:end]), end
        plain = _PLAIN.match(source, position)
        assert plain is not None, "the pattern matches any character"
        return plain[0], plain.end()

    def _end_of_string(self, position: int, quote: str) -> int:
        """Return the position after the closing `quote` of a string that starts at `position`.

        Raises `_InvalidSyntaxError` if the string does not end.
        """
        source = self._source
        while not source.startswith(quote, position):
            if position >= len(source) or (source[position] == "\n" and len(quote) == 1):
                raise _InvalidSyntaxError
            position += 2 if source[position] == "\\" else 1
        return position + len(quote)

    def _translate_f_string(
        self, string: re.Match[str], prefix: str, depth: int
    ) -> tuple[str, int]:
        """Return the f-string, emptied if it has newer syntax, and the position after it.

        Records the versions of newer syntax. Raises `_InvalidSyntaxError` if it is invalid.
        """
        if depth > _MAX_DEPTH:
            raise _InvalidSyntaxError
        # Cleared for now, so that they show whether this very f-string has newer syntax.
        earlier_versions = set(self.versions)
        self.versions.clear()
        if "t" in prefix:
            self.versions.add((3, 14))
        quote = string["quote"]
        end = self._end_of_literal(string.end(), quote, "r" in prefix, depth) + len(quote)
        is_newer = bool(self.versions)
        self.versions.update(earlier_versions)
        text = self._source[string.start() : end]
        return (_empty_string_like(text) if is_newer else text), end

    def _end_of_literal(
        self, position: int, quote: str, is_raw: bool, depth: int, *, is_spec: bool = False
    ) -> int:
        """Return the position where the text of an f-string, or of a format specification, ends.

        The text begins at `position`. It ends before the closing `quote`, or if `is_spec`, before
        the brace that closes the field. Records the versions of newer syntax. Raises
        `_InvalidSyntaxError` if the text does not end, or is invalid.
        """
        source, start, texts = self._source, position, []
        while not source.startswith("}" if is_spec else quote, position):
            if position >= len(source) or (source[position] == "\n" and len(quote) == 1):
                raise _InvalidSyntaxError
            if source.startswith(("{{", "}}"), position) and not is_spec:
                position += 2
            elif source[position] == "{":
                texts.append(source[start:position])
                start = position = self._end_of_field(position + 1, quote, is_raw, depth)
            elif source[position] == "}" or source.startswith(quote, position):
                raise _InvalidSyntaxError
            elif source.startswith("\\N{", position) and not is_raw:
                position = source.find("}", position) + 1 or len(source)
            else:
                following = source[position + 1 : position + 2]
                position += 2 if source[position] == "\\" and following not in {"{", "}"} else 1
        for text in (*texts, source[start:position]):
            _evaluate_literal(f"{'r' if is_raw else ''}{quote}{text}{quote}")
        return position

    def _end_of_field(self, position: int, quote: str, is_raw: bool, depth: int) -> int:
        """Return the position after the closing brace of the field that starts at `position`.

        Adds to `versions` the version of Python that each newer feature in the field needs. Raises
        `_InvalidSyntaxError` if the field is invalid.
        """
        source, start, parts = self._source, position, []
        open_brackets: list[str] = []
        while position < len(source) and (open_brackets or not self._ends_expression(position)):
            part, end = self._translate_token(position, depth + 1)
            if part in _OPENING:
                open_brackets.append(_OPENING[part])
            elif open_brackets and part == open_brackets[-1]:
                open_brackets.pop()
            elif part == "\\" and not source.startswith("\n", end):
                raise _InvalidSyntaxError
            if source[position] == "#":
                self.versions.add((3, 12))
            parts.append(part)
            position = end
        expression = source[start:position]
        if quote in expression or "\\" in expression or ("\n" in expression and len(quote) == 1):
            self.versions.add((3, 12))
        _parse_expression("".join(parts))
        rest = re.compile(r"(=\s*)?(![rsa])?").match(source, position)
        position = rest.end() if rest else position
        if source.startswith(":", position):
            position = self._end_of_literal(position + 1, quote, is_raw, depth, is_spec=True)
        if not source.startswith("}", position):
            raise _InvalidSyntaxError
        return position + 1

    def _ends_expression(self, position: int) -> bool:
        """Return whether the expression in the field of an f-string ends at `position`.

        It also ends at `=`, as in `f"{x=}"`, unless that is part of a comparison.
        """
        rest = self._source[position : position + 2]
        if rest[:1] == "=":
            previous = self._source[position - 1 : position]
            return rest != "==" and previous not in {"=", "!", "<", ">", ":"}
        return rest[:1] in {"}", ":"} or (rest[:1] == "!" and rest != "!=")

    def _add_parentheses(self, clause: re.Match[str]) -> str:
        """Return the `except` clause with parentheses, and record the version that it needs."""
        self.versions.add((3, 14))
        return f"{clause['before']}except{clause['star']} ({clause['names']}):"

    def _remove_types(self, text: str) -> str:
        """Return `text` without type parameters, and with type aliases replaced.

        `type X = value` becomes `raise not value`, which is a statement in any version. Records the
        versions of both.
        """
        parts, position = [], 0
        for header in _find_headers(text):
            if header.start() < position:
                continue  # within the brackets of the previous header
            end = self._end_of_parameters(text, header.end())
            following = _NEXT_TOKEN[header["word"]].match(text, end)
            if following is None or keyword.iskeyword(header["name"]):
                raise _InvalidSyntaxError
            if header["word"] == "type":
                self.versions.add((3, 12))
                parts.append(f"{text[position : header.start()]}{header['before']}raise not ")
                position = following.end()
            else:
                parts.append(text[position : header.end()])
                position = end
        return "".join((*parts, text[position:]))

    def _end_of_parameters(self, text: str, position: int) -> int:
        """Return the position after the type parameters that might begin at `position`.

        That is `position` itself if none do. Records the version that they need. Raises
        `_InvalidSyntaxError` if they are invalid.
        """
        if text[position] != "[":
            return position
        open_count = 0
        for end in range(position, len(text)):
            open_count += (text[end] in _OPENING) - (text[end] in _OPENING.values())
            if not open_count:
                self._record_parameters(text[position + 1 : end])
                return end + 1
        raise _InvalidSyntaxError

    def _record_parameters(self, parameters: str) -> None:
        """Record the version that the type `parameters` need.

        They are parsed as function parameters. Unlike function parameters, type parameters with
        stars can be at any position, and cannot have a bound.
        """
        if not parameters.strip() or _BOUND_STAR.search(parameters):
            raise _InvalidSyntaxError
        header = "def f(" + _STARS.sub(r"\1", parameters) + "\n): pass"
        try:
            # `ast.parse` would accept duplicate names.
            compile(header, "<older>", "exec", dont_inherit=True)
        except SyntaxError as error:
            raise _InvalidSyntaxError from error
        match ast.parse(header).body:
            case [
                ast.FunctionDef(args=ast.arguments([], [_, *_], None, [], [], None) as arguments)
            ]:
                self.versions.add((3, 13) if arguments.defaults else (3, 12))
            case _:
                raise _InvalidSyntaxError


def _empty_string_like(text: str) -> str:
    """Return an empty string literal with as many newlines as `text`, to keep line numbers."""
    newlines = text.count("\n")
    return '"""' + "\n" * newlines + '"""' if newlines else '""'


def _find_headers(text: str) -> Iterator[re.Match[str]]:
    """Yield the starts of type aliases, and of headers with type parameters, in source order."""
    matches = (*_ALIAS.finditer(text), *_HEADER.finditer(text))
    yield from sorted(matches, key=re.Match.start)


def _parse_expression(expression: str) -> None:
    """Raise `_InvalidSyntaxError` unless `expression` is a valid expression."""
    if not expression.strip():
        raise _InvalidSyntaxError
    try:
        ast.parse(f"({expression}\n)", mode="eval")  # in parentheses it can span lines
    except SyntaxError as error:
        raise _InvalidSyntaxError from error


def _evaluate_literal(text: str) -> object:
    """Return the value of the literal `text`, or raise `_InvalidSyntaxError`."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError) as error:
        raise _InvalidSyntaxError from error
