"""Finds the clauses of a spec, and the cases that test them.

A clause is a sentence of prose that demands something. Code, sessions, tables and headings are not
prose, but comments in Python code are: some specs say there what each function returns.

Demands are recognised by words and by names of parts of the program, because a spec also contains
descriptions of games, deadlines and advice:

    the sentence                                          demands
    names an exception                                    an exception
    is in a list below a demand that ends in a colon      the same as that demand
    begins with a call of a function of the suite         a result of the function
    contains `must`, in a paragraph that names a part     a duty
    contains `not` or `if`, and names a part itself       a condition
    leaves something open                                 nothing
    announces the sentences below it with a colon         nothing itself

The last two rows apply to a whole bullet, except to exceptions and definitions in it. They do not
apply if a case comes from the bullet, which shows that its author considers it a clause.

A case that earns points tests a clause if its step comes from a line of the clause. A case on a
line counts for all sentences on that line. A sentence above a list also has the cases of the list.
Example sessions test no clause, because they are on separate lines. Rules, such as a rule on
recursion, test no clause either.
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
    """A sentence of the spec that demands something, with the cases that test it."""

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
    """Weaker words, which also occur in descriptions."""
    open: re.Pattern[str]
    """Words that leave something open."""
    part_kinds: re.Pattern[str]
    """Words, such as `function`, that precede names of parts of the program."""


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
        part_kinds=_any_of("methoden?|functies?|klassen?|parameters?|eigenschap|eigenschappen"),
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
        part_kinds=_any_of("funciones|función|métodos?|clases?|parámetros?|atributos?"),
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
        part_kinds=_any_of("Methoden?|Funktion|Funktionen|Klassen?|Parameter|Attribute?"),
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
        part_kinds=_any_of("méthodes?|fonctions?|classes?|paramètres?|attributs?"),
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
        part_kinds=_any_of("methods?|functions?|class|classes|parameters?|attributes?"),
    ),
}
_EXCEPTION: Final = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_CODE: Final = re.compile(r"`[^`]+`")
_FILE: Final = re.compile(r"`[^`]*\.\w{2,4}`")
"""The name of a file, written as code."""
_QUOTED: Final = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»')
"""A quotation. Quoted words demand nothing."""
_TYPES: Final = frozenset(["int", "str", "bool", "float", "list", "tuple", "set", "dict", "bytes"])
_IN_BRACKETS: Final = re.compile(r"\((\w+)")
_CALL: Final = re.compile(r"[`*]*(\w+)`?\(")


def find_clauses(text: str, language: str, suite: Suite) -> list[SpecSentence]:
    """Return the clauses in the spec `text`, in order, with the cases in `suite` that test them.

    `language` is the language of the spec, as a key of `_WORDS`.
    """
    cases_by_line: dict[int, list[str]] = {}
    # Groups without points test readings, not demands of the spec.
    groups_with_points = {group.id for group in suite.groups if group.points > 0}
    for session in suite.sessions:
        for case in session.cases:
            line = session.steps[case.step_index].line
            if line is not None and case.group in groups_with_points:
                cases_by_line.setdefault(line, []).append(case.id)
    sentences = list(sentences_of(text.splitlines()))
    finder = _DemandFinder(_WORDS[language], _names_in_suite(suite), cases_by_line.keys())
    demands = finder.demands(sentences)
    return [
        SpecSentence(
            line=sentence.lines.start,
            text=one_line(sentence.text.replace("**", ""), _TEXT_CHARS),
            demands=demand,
            cases=tuple(
                # A case is listed once, even if it comes from several of the lines.
                dict.fromkeys(
                    case
                    for covered_sentence in covered_sentences
                    for line in covered_sentence.lines
                    for case in cases_by_line.get(line, ())
                )
            ),
        )
        for index, (sentence, demand) in enumerate(zip(sentences, demands, strict=True))
        if demand is not None
        for covered_sentences in [[sentence, *_list_items(sentences[index:])]]
    ]


def _names_in_suite(suite: Suite) -> frozenset[str]:
    """Return the names that `suite` defines, without their modules, and the ids of its groups."""
    defined = [*suite.defines, *suite.helpers, *(group.id for group in suite.groups)]
    return frozenset(name.rpartition(".")[2] for name in defined)


def _list_items(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the items of the list that the first of `sentences` introduces, if any."""
    introduction = sentences[0]
    if introduction.text.endswith(":"):
        pairs = takewhile(
            lambda pair: _is_item(pair[1], introduction, pair[0]), pairwise(sentences)
        )
        yield from (sentence for _, sentence in pairs)


def _is_item(sentence: Sentence, introduction: Sentence, previous: Sentence) -> bool:
    """Return whether `sentence` is in the list that `introduction` introduces, after `previous`.

    An item has a deeper bullet than `introduction`. If neither has a bullet, an item is text that
    does not end like a sentence.
    """
    if not _follows(sentence, previous):
        return False
    if sentence.depth > introduction.depth:
        return True
    return sentence.depth == introduction.depth == -1 and not sentence.text.endswith(
        (".", "!", "?", ":")
    )


def _follows(sentence: Sentence, previous: Sentence) -> bool:
    """Return whether at most one empty line separates `sentence` from `previous`."""
    return sentence.lines.start - previous.lines.stop <= 1


def _announces(sentences: Sequence[Sentence]) -> bool:
    """Return whether the first of two sentences ends in a colon without introducing a list."""
    match sentences:
        case [first, second] if first.text.endswith(":") and _follows(second, first):
            return not _is_item(second, first, first)
        case _:
            return False


@dataclass(frozen=True, slots=True)
class _DemandFinder:
    """Finds the sentences that demand something, and the kinds of their demands."""

    words: _Words
    names: frozenset[str]
    tested: Collection[int]
    """The numbers of the lines with cases."""

    def demands(self, sentences: Sequence[Sentence]) -> list[Demand | None]:
        """Return the kind of demand that each sentence makes, or None if it demands nothing."""
        demands: list[Demand | None] = []
        introduction, previous = None, None
        for index, sentence in enumerate(sentences):
            if introduction and previous and not _is_item(sentence, introduction, previous):
                introduction = None
            is_announcing = _announces(sentences[index : index + 2])
            demand = (
                None
                if is_announcing
                else self._demand(sentence, is_listed=introduction is not None)
            )
            demands.append(demand)
            if demand is not None and sentence.text.endswith(":"):
                introduction = introduction or sentence
            previous = sentence
        return demands

    def _demand(self, sentence: Sentence, *, is_listed: bool) -> Demand | None:
        """Return the kind of demand that `sentence` makes, or None if it demands nothing.

        `is_listed` is whether `sentence` is in a list below a sentence that demands something.
        """
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
        return self._demand_by_words(sentence)

    def _demand_by_words(self, sentence: Sentence) -> Demand | None:
        """Return the demand that the words of `sentence` indicate, or None if there is none."""
        text, paragraph = _QUOTED.sub("", sentence.text), sentence.paragraph
        is_tested = not set(sentence.lines).isdisjoint(self.tested)
        if sentence.depth >= 0 and not is_tested and self.words.open.search(paragraph):
            return None
        names_part = self._names_something(paragraph)
        # A case on the line shows that its author considers the sentence a demand.
        if self.words.duty.search(text) and (is_tested or names_part):
            return Demand.DUTY
        names_part = names_part if text.endswith(":") else self._names_something(text)
        if self.words.condition.search(text) and names_part:
            return Demand.CONDITION
        return None

    def _names_something(self, text: str) -> bool:
        """Return whether `text` names a part of the program.

        An ordinary word that is also a name does not count, unless a word such as `function`
        precedes it.
        """
        if not (self.names | _TYPES).isdisjoint(_IN_BRACKETS.findall(text)):
            return True
        if set(_CODE.findall(text)) - set(_FILE.findall(text)):
            return True
        words = re.findall(r"\w+", text)
        return any(
            word in self.names and (_is_identifier(word) or self.words.part_kinds.fullmatch(before))
            for before, word in pairwise(["", *words])
        )


def _is_identifier(word: str) -> bool:
    """Return whether `word` looks like an identifier because it contains `_` or inner capitals."""
    return "_" in word or word[1:] != word[1:].lower()
