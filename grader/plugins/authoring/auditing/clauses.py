"""Finds the clauses of a spec, and the cases that test them.

A clause is a sentence of prose that demands something. Code, sessions, tables and headings are not
prose, but comments in Python code are: some specs say there what each function returns.

Demands are recognised by words, and by mentions of parts of the program, as specs also talk about
games, deadlines and advice:

    the sentence                                          demands
    names an exception                                    an exception
    stands in a list below a demand that ends in a colon  what that demand does
    begins with a call of a function of the suite         what the function gives
    says `must`, in a paragraph that names something      a duty
    says `not` or `if`, and names something itself        a condition
    says that something is left open                      nothing
    announces the sentences below it by a colon           nothing itself

The last two hold for a whole bullet, except its exceptions and definitions, unless a case comes
from it: its author took it for a clause.

A case that earns points tests a clause if its step comes from a line of it. A case on a line counts
for all sentences on it. A sentence above a list has the cases of the list too. Example sessions
test no clause, as they are on lines of their own; nor do rules, such as those on recursion.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from itertools import pairwise, takewhile
from typing import Final

from grader.plugins.authoring.auditing.sentences import Sentence, sentences_of
from grader.suite.model import Suite
from grader.values.foreign_text import one_line

_TEXT_CHARS: Final = 300


@unique
class Demand(StrEnum):
    """The kind of demand that makes a sentence a clause."""

    EXCEPTION = "exception"
    LISTED = "listed"
    DEFINITION = "definition"
    DUTY = "duty"
    CONDITION = "condition"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecSentence:
    """A sentence of the spec that demands something, and its cases."""

    line: int
    """The line of the spec on which it begins, 1-based."""
    text: str
    """The sentence on one line, truncated."""
    demands: Demand
    cases: tuple[str, ...]
    """The ids of the cases that test it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The words that mark demands in one language."""

    duty: re.Pattern[str]
    condition: re.Pattern[str]
    """Weaker words, which descriptions have too."""
    open: re.Pattern[str]
    """Words that leave something open."""
    named: re.Pattern[str]
    """Words that precede names in the program."""


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_WORDS: Final[Mapping[str, _Words]] = {
    "nl": _Words(
        duty=_any_of(
            "moet|moeten|mag|mogen|dient|verplicht|verwacht|definieer|zorg ervoor|weigert|geeft|"
            "geven|teruggeeft|teruggeven|werpt|werpen"
        ),
        condition=_any_of(
            "niet|niets|geen|nooit|altijd|als|indien|tenzij|enkel|alleen|elk|elke|eerst|precies|"
            "minstens|hoogstens"
        ),
        open=_any_of(
            r"geen rol|is vrij|liggen? niet vast|niet vastgelegd|niet beoordeeld|even goed|"
            r"hoeft|hoef|vragen( \S+){0,3} (niet|nooit)|niet noodzakelijk|zegt niet"
        ),
        named=_any_of("methoden?|functies?|klassen?|parameters?|eigenschap|eigenschappen"),
    ),
    "es": _Words(
        duty=_any_of(
            "debe|deben|deberá|tiene que|tienen que|hay que|ha de|definir|tal que|se pide|"
            "se verifica|devuelve|devuelven|devolver|lanza|lanzan|no puede|no pueden"
        ),
        condition=_any_of(
            "no|nunca|siempre|si|solo|sólo|solamente|únicamente|cada|exactamente|salvo|primero"
        ),
        open=_any_of(
            "no está fijado|no se fija|tampoco se fija|no se juzga|no es obligatorio|ambas|"
            # `no puede` is a duty, see above.
            "(?<!no )pueden?|valen lo mismo|no dice|tampoco dice"
        ),
        named=_any_of("funciones|función|métodos?|clases?|parámetros?|atributos?"),
    ),
    "de": _Words(
        duty=_any_of(
            "muss|müssen|soll|sollen|darf|dürfen|definiere|implementiere|verlangt|erwartet|gibt|"
            "geben|zurückgibt|liefert|löst|wirft|lehnt"
        ),
        condition=_any_of(
            "nicht|nichts|kein|keine|nie|niemals|immer|wenn|falls|sofern|nur|jede|jeder|jedes|"
            "zuerst|genau|mindestens|höchstens"
        ),
        open=_any_of(
            r"muss nicht|müssen nicht|spielt keine Rolle|ist frei|nicht festgelegt|nicht bewertet|"
            r"bleibt offen|sagt nicht|steht (dir|Ihnen) frei"
        ),
        named=_any_of("Methoden?|Funktion|Funktionen|Klassen?|Parameter|Attribute?"),
    ),
    "fr": _Words(
        duty=_any_of(
            "doit|doivent|devra|faut|peut|peuvent|définissez|définir|demandé|attendu|renvoie|"
            "renvoient|retourne|retournent|donne|lève|lèvent|refuse"
        ),
        condition=_any_of(
            "pas|rien|aucun|aucune|jamais|toujours|si|sauf|seulement|uniquement|chaque|d'abord|"
            "exactement|au moins|au plus"
        ),
        open=_any_of(
            r"pas obligé|n'importe pas|est libre|êtes libres?|n'est pas (fixé|précisé|évalué)|"
            r"reste ouvert|ne dit pas"
        ),
        named=_any_of("méthodes?|fonctions?|classes?|paramètres?|attributs?"),
    ),
    "en": _Words(
        duty=_any_of(
            "must|shall|should|has to|have to|may|returns?|raises?|define|implement|required|"
            "refuses|gives"
        ),
        condition=_any_of(
            "not|no|never|always|if|unless|only|each|every|exactly|at least|at most|first"
        ),
        open=_any_of(
            "need not|does not matter|is up to you|are free to|not specified|left open|not judged|"
            "does not say|do not ask"
        ),
        named=_any_of("methods?|functions?|class|classes|parameters?|attributes?"),
    ),
}
_EXCEPTION: Final = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_CODE: Final = re.compile(r"`[^`]+`")
_FILE: Final = re.compile(r"`[^`]*\.\w{2,4}`")
"""The name of a file, written as code."""
_QUOTED: Final = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»')
"""A quotation, which demands nothing."""
_TYPES: Final = frozenset(["int", "str", "bool", "float", "list", "tuple", "set", "dict", "bytes"])
_IN_BRACKETS: Final = re.compile(r"\((\w+)")
_CALL: Final = re.compile(r"[`*]*(\w+)`?\(")


def clauses(text: str, language: str, suite: Suite) -> list[SpecSentence]:
    """Return the clauses in the `text` of a spec, in order, with the cases of `suite`."""
    tested: dict[int, list[str]] = {}
    # Groups without points are for readings, not for demands of the spec.
    earning = {group.id for group in suite.groups if group.points > 0}
    for session in suite.sessions:
        for case in session.cases:
            line = session.steps[case.step_index].line
            if line is not None and case.group in earning:
                tested.setdefault(line, []).append(case.id)
    sentences = list(sentences_of(text.splitlines()))
    reader = _Reader(_WORDS[language], _names(suite), tested.keys())
    demands = reader.demands(sentences)
    return [
        SpecSentence(
            line=sentence.lines.start,
            text=one_line(sentence.text.replace("**", ""), _TEXT_CHARS),
            demands=demand,
            cases=tuple(
                # A case is listed once, even if it comes from several of the lines.
                dict.fromkeys(
                    case for each in own for line in each.lines for case in tested.get(line, ())
                )
            ),
        )
        for index, (sentence, demand) in enumerate(zip(sentences, demands, strict=True))
        if demand is not None
        for own in [[sentence, *_listed_below(sentences[index:])]]
    ]


def _names(suite: Suite) -> frozenset[str]:
    """Return the names that a suite uses: defined ones, without modules, and its groups."""
    defined = [*suite.defines, *suite.helpers, *(group.id for group in suite.groups)]
    return frozenset(name.rpartition(".")[2] for name in defined)


def _listed_below(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the items of the list that the first of `sentences` introduces, if any."""
    above = sentences[0]
    if above.text.endswith(":"):
        pairs = takewhile(lambda pair: _is_item(pair[1], above, pair[0]), pairwise(sentences))
        yield from (sentence for _, sentence in pairs)


def _is_item(sentence: Sentence, above: Sentence, before: Sentence) -> bool:
    """Return whether `sentence`, which follows `before`, is in the list below `above`.

    It has a deeper bullet; or, without bullets, a line that does not end like a sentence.
    """
    if not _follows(sentence, before):
        return False
    if sentence.depth > above.depth:
        return True
    return sentence.depth == above.depth == -1 and not sentence.text.endswith((".", "!", "?", ":"))


def _follows(sentence: Sentence, before: Sentence) -> bool:
    """Return whether at most one empty line separates two sentences."""
    return sentence.lines.start - before.lines.stop <= 1


def _announces(sentences: Sequence[Sentence]) -> bool:
    """Return whether the first of two sentences ends in a colon, and the second is no list item."""
    match sentences:
        case [first, second] if first.text.endswith(":") and _follows(second, first):
            return not _is_item(second, first, first)
        case _:
            return False


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds the sentences that demand something."""

    words: _Words
    names: frozenset[str]
    tested: Collection[int]
    """The lines with cases."""

    def demands(self, sentences: Sequence[Sentence]) -> list[Demand | None]:
        """Return the demand of each of `sentences`, None if it demands nothing."""
        found: list[Demand | None] = []
        above, before = None, None
        for index, sentence in enumerate(sentences):
            if above and before and not _is_item(sentence, above, before):
                above = None
            is_announcing = _announces(sentences[index : index + 2])
            demand = None if is_announcing else self._demand(sentence, is_listed=above is not None)
            found.append(demand)
            if demand is not None and sentence.text.endswith(":"):
                above = above or sentence
            before = sentence
        return found

    def _demand(self, sentence: Sentence, *, is_listed: bool) -> Demand | None:
        text = _QUOTED.sub("", sentence.text)
        if self.words.open.search(text):
            return None
        if _EXCEPTION.search(text):
            return Demand.EXCEPTION
        if is_listed:
            return Demand.LISTED
        call = _CALL.match(text)
        if call is not None and call[1] in self.names:
            return Demand.DEFINITION
        return self._by_words(sentence)

    def _by_words(self, sentence: Sentence) -> Demand | None:
        text, paragraph = _QUOTED.sub("", sentence.text), sentence.paragraph
        is_tested = not set(sentence.lines).isdisjoint(self.tested)
        if sentence.depth >= 0 and not is_tested and self.words.open.search(paragraph):
            return None
        is_named = self._names_something(paragraph)
        # A case on the line shows that its author took it for a demand.
        if self.words.duty.search(text) and (is_tested or is_named):
            return Demand.DUTY
        is_named = is_named if text.endswith(":") else self._names_something(text)
        if self.words.condition.search(text) and is_named:
            return Demand.CONDITION
        return None

    def _names_something(self, text: str) -> bool:
        """Return whether `text` names a part of the program, not just uses the same word."""
        if not (self.names | _TYPES).isdisjoint(_IN_BRACKETS.findall(text)):
            return True
        if set(_CODE.findall(text)) - set(_FILE.findall(text)):
            return True
        words = re.findall(r"\w+", text)
        return any(
            word in self.names and (_is_made_up(word) or self.words.named.fullmatch(before))
            for before, word in pairwise(["", *words])
        )


def _is_made_up(word: str) -> bool:
    """Return whether `word` looks like an identifier: with `_`, or inner capitals."""
    return "_" in word or word[1:] != word[1:].lower()
