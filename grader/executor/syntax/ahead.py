"""Tells source for a newer Python from source with a mistake, when this Python cannot compile it.

Syntax of newer versions is replaced by older syntax that may stand in the same place: an f-string
with its own quotes inside becomes an empty text, once each of its expressions has been parsed by
itself, and `type Row = list` becomes `raise not list`, which takes one expression too. Only source
that compiles after that is for a newer Python. So a mistake, also one beside newer syntax, is still
reported as a mistake.
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
"""Longer source is not analysed: no student writes so much."""
_MAX_NESTED: Final = 8
_STRING: Final = re.compile(r"(?i)(?P<prefix>[bu]|b?r|rb|r?[ft]|[ft]r)?(?P<quote>'''|\"\"\"|'|\")")
_PLAIN: Final = re.compile(r"\w+|\s+|[^\w\s]")
_START: Final = r"(?m)(?P<before>^[ \t]*|[;:][ \t]*)"
# `type` is an ordinary name elsewhere: only a name and `=` or `[` after it make an alias.
_ALIAS: Final = re.compile(_START + r"(?P<word>type)[ \t]+(?P<name>[^\W\d]\w*)[ \t]*(?=[\[=])")
_HEADING: Final = re.compile(r"\b(?P<word>def|class)[ \t]+(?P<name>[^\W\d]\w*)[ \t]*(?=\[)")
_FOLLOWS: Final = {
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
"""Several classes without parentheses. `except ValueError, e:` is Python 2, and not matched."""
_OPENING: Final = {"(": ")", "[": "]", "{": "}"}


class _NoNewer(Exception):
    """The source has a mistake in every version."""


def explained(source: str, error: SyntaxError) -> tuple[SyntaxError, Version | None]:
    """Return the mistake in `source`, which raised `error`, and the newer version it needs, if any.

    If there is a mistake in any version after newer syntax, return that mistake instead.
    """
    if len(source) > _MAX_CHARS:
        return error, None
    older = _Older(source)
    try:
        compile(older.text(), "<older>", "exec", dont_inherit=True)
    except SyntaxError as mistake:
        return mistake if older.needed else error, None
    except (_NoNewer, ValueError, RecursionError, MemoryError, OverflowError):
        return error, None
    return error, older.needed


class _Older:
    """Translates source to an older Python, and records which versions it needed."""

    def __init__(self, source: str) -> None:
        self._source: Final = source
        self.versions: Final[set[Version]] = set()

    @property
    def needed(self) -> Version | None:
        """The version of Python that it needs, if newer than this one."""
        newest = max(self.versions, default=(0, 0))
        return newest if newest > sys.version_info[:2] else None

    def text(self) -> str:
        """Return the source without newer syntax, with its string literals emptied."""
        parts = []
        at = 0
        while at < len(self._source):
            part, at = self._part(at, 0)
            parts.append(part)
        text = _EXCEPT.sub(self._parenthesized, "".join(parts))
        return self._without_types(text)

    def _part(self, at: int, nested: int) -> tuple[str, int]:
        """Return the translated token at `at` (a word, sign, comment or string), and its end."""
        source = self._source
        if source[at] == "#":
            end = source.find("\n", at)
            return "", end if end >= 0 else len(source)
        if string := _STRING.match(source, at):
            prefix = (string["prefix"] or "").lower()
            if set(prefix) & set("ft"):
                return self._f_string(string, prefix, nested)
            end = self._end(string.end(), string["quote"])
            is_bytes = isinstance(_literal_of(source[at:end]), bytes)
            # Bytes stay bytes: beside text they are a mistake in every version.
            return ("b" if is_bytes else "") + _empty(source[at:end]), end
        plain = _PLAIN.match(source, at)
        assert plain is not None, "a word, a blank or a sign"
        return plain[0], plain.end()

    def _end(self, at: int, quote: str) -> int:
        """Return the end of the string whose contents begin at `at`, after its `quote`."""
        source = self._source
        while not source.startswith(quote, at):
            if at >= len(source) or (source[at] == "\n" and len(quote) == 1):
                raise _NoNewer
            at += 2 if source[at] == "\\" else 1
        return at + len(quote)

    def _f_string(self, string: re.Match[str], prefix: str, nested: int) -> tuple[str, int]:
        """Return an f-string as it is, or an empty text if it has newer syntax, and its end."""
        if nested > _MAX_NESTED:
            raise _NoNewer
        before = set(self.versions)
        self.versions.clear()
        if "t" in prefix:
            self.versions.add((3, 14))
        quote = string["quote"]
        end = self._literal(string.end(), quote, "r" in prefix, nested) + len(quote)
        is_new = bool(self.versions)
        self.versions.update(before)
        text = self._source[string.start() : end]
        return (_empty(text) if is_new else text), end

    def _literal(
        self, at: int, quote: str, is_raw: bool, nested: int, *, spec: bool = False
    ) -> int:
        """Return the end of the text at `at`: its `quote`, or for a `spec` its brace."""
        source, start, said = self._source, at, []
        while not source.startswith("}" if spec else quote, at):
            if at >= len(source) or (source[at] == "\n" and len(quote) == 1):
                raise _NoNewer
            if source.startswith(("{{", "}}"), at) and not spec:
                at += 2
            elif source[at] == "{":
                said.append(source[start:at])
                start = at = self._field(at + 1, quote, is_raw, nested)
            elif source[at] == "}" or source.startswith(quote, at):
                raise _NoNewer
            elif source.startswith("\\N{", at) and not is_raw:
                at = source.find("}", at) + 1 or len(source)
            else:
                at += 2 if source[at] == "\\" and source[at + 1 : at + 2] not in {"{", "}"} else 1
        for text in (*said, source[start:at]):
            _literal_of(f"{'r' if is_raw else ''}{quote}{text}{quote}")
        return at

    def _field(self, at: int, quote: str, is_raw: bool, nested: int) -> int:
        """Return the end, after its brace, of the field whose expression begins at `at`."""
        source, start, parts = self._source, at, []
        open_brackets: list[str] = []
        while at < len(source) and (open_brackets or not self._is_end(at)):
            part, end = self._part(at, nested + 1)
            if part in _OPENING:
                open_brackets.append(_OPENING[part])
            elif open_brackets and part == open_brackets[-1]:
                open_brackets.pop()
            elif part == "\\" and not source.startswith("\n", end):
                raise _NoNewer
            if source[at] == "#":
                self.versions.add((3, 12))
            parts.append(part)
            at = end
        expression = source[start:at]
        if quote in expression or "\\" in expression or ("\n" in expression and len(quote) == 1):
            self.versions.add((3, 12))
        _read("".join(parts))
        rest = re.compile(r"(=\s*)?(![rsa])?").match(source, at)
        at = rest.end() if rest else at
        if source.startswith(":", at):
            at = self._literal(at + 1, quote, is_raw, nested, spec=True)
        if not source.startswith("}", at):
            raise _NoNewer
        return at + 1

    def _is_end(self, at: int) -> bool:
        """Return whether an expression ends here; `=` ends one, as in `f"{x=}"`."""
        rest = self._source[at : at + 2]
        if rest[:1] == "=":
            before = self._source[at - 1 : at]
            return rest != "==" and before not in {"=", "!", "<", ">", ":"}
        return rest[:1] in {"}", ":"} or (rest[:1] == "!" and rest != "!=")

    def _parenthesized(self, found: re.Match[str]) -> str:
        self.versions.add((3, 14))
        return f"{found['before']}except{found['star']} ({found['names']}):"

    def _without_types(self, text: str) -> str:
        """Return `text` without type aliases and type parameters."""
        parts, at = [], 0
        for found in _headings(text):
            if found.start() < at:
                continue  # within the brackets of the previous one
            end = self._behind_parameters(text, found.end())
            follows = _FOLLOWS[found["word"]].match(text, end)
            if follows is None or keyword.iskeyword(found["name"]):
                raise _NoNewer
            if found["word"] == "type":
                self.versions.add((3, 12))
                parts.append(f"{text[at : found.start()]}{found['before']}raise not ")
                at = follows.end()
            else:
                parts.append(text[at : found.end()])
                at = end
        return "".join((*parts, text[at:]))

    def _behind_parameters(self, text: str, at: int) -> int:
        """Return the end of the type parameters that may begin at `at`."""
        if text[at] != "[":
            return at
        depth = 0
        for end in range(at, len(text)):
            depth += (text[end] in _OPENING) - (text[end] in _OPENING.values())
            if not depth:
                self._take(text[at + 1 : end])
                return end + 1
        raise _NoNewer

    def _take(self, parameters: str) -> None:
        """Record the version that type `parameters` need, by parsing them as those of a function.

        Unlike those, ones with stars may be anywhere, and cannot have a bound.
        """
        if not parameters.strip() or _BOUND_STAR.search(parameters):
            raise _NoNewer
        heading = "def f(" + _STARS.sub(r"\1", parameters) + "\n): pass"
        try:
            compile(heading, "<older>", "exec", dont_inherit=True)  # refuses duplicate names
        except SyntaxError as error:
            raise _NoNewer from error
        match ast.parse(heading).body:
            case [ast.FunctionDef(args=ast.arguments([], [_, *_], None, [], [], None) as taken)]:
                self.versions.add((3, 13) if taken.defaults else (3, 12))
            case _:
                raise _NoNewer


def _empty(text: str) -> str:
    """Return a string literal with only the newlines of `text`, so that line numbers stay."""
    lines = text.count("\n")
    return '"""' + "\n" * lines + '"""' if lines else '""'


def _headings(text: str) -> Iterator[re.Match[str]]:
    """Yield the starts of type aliases, and of headings with type parameters, in order."""
    found = (*_ALIAS.finditer(text), *_HEADING.finditer(text))
    yield from sorted(found, key=re.Match.start)


def _read(expression: str) -> None:
    if not expression.strip():
        raise _NoNewer
    try:
        ast.parse(f"({expression}\n)", mode="eval")  # it may span lines
    except SyntaxError as error:
        raise _NoNewer from error


def _literal_of(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError) as error:
        raise _NoNewer from error
