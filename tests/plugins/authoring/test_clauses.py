"""The clauses of a spec are found among its prose, and held against the lines of cases."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from builders import suite as parse

from grader.judging.rules import KINDS
from grader.plugins.authoring.auditing.clauses import Demand, SpecSentence, find_clauses
from grader.suite.files import load_suite
from grader.suite.model import Suite

ROOT: Final = Path(__file__).resolve().parents[3]
EXERCISES: Final = ("1010", "akari", "str8ts", "triomino", "yinyang")


def suite_with(*lines: int) -> Suite:
    """Return a suite about `Puzzle`, `fill` and `is_free`, with a case on each of these lines."""
    steps = "".join(f"  - {{do: fill(1), returns: '1', group: fill, line: {n}}}\n" for n in lines)
    return parse(
        "defines: [fill, is_free, Puzzle]\n"
        "groups: [{id: fill, points: 1}]\n"
        "sessions:\n- id: s\n  steps:\n  - {do: fill(0), returns: '0', group: fill}\n" + steps,
        "exercise: sample\ntitle: Sample\nlanguage: en\nmodule: sample\n",
    )


def found(text: str, *lines: int, language: str = "en") -> list[SpecSentence]:
    """Return the clauses of a spec, with a case on each of `lines`."""
    return find_clauses(dedent(text), language, suite_with(*lines))


def demands(text: str, language: str = "en") -> list[Demand]:
    """Return what the clauses of a spec demand."""
    return [clause.demands for clause in found(text, language=language)]


def texts(text: str, *lines: int) -> list[str]:
    """Return the clauses of a spec as they are shown."""
    return [clause.text for clause in found(text, *lines)]


def untested(text: str, *lines: int) -> list[str]:
    """Return the clauses that no case on `lines` tests."""
    return [clause.text for clause in found(text, *lines) if not clause.cases]


@pytest.mark.parametrize(
    ("language", "sentence", "demand"),
    [
        ("en", "Outside, a ValueError is the answer.", Demand.EXCEPTION),
        ("en", "`fill(cell)`: the cell, filled.", Demand.DEFINITION),
        ("en", "fill(cell) is the cell, filled.", Demand.DEFINITION),
        ("en", "The function fill must fill a cell.", Demand.DUTY),
        ("en", "It returns a truth value (bool).", Demand.DUTY),
        ("en", "Ask is_free before you do: it may be full.", Demand.DUTY),
        ("en", "A cell is not `None`.", Demand.CONDITION),
        ("nl", "De functie fill moet een cel vullen.", Demand.DUTY),
        ("nl", "Anders wordt een AssertionError opgeworpen.", Demand.EXCEPTION),
        ("nl", "Als `cel` vol is, verandert er niets.", Demand.CONDITION),
        ("es", "Definir la función fill, tal que llene una casilla.", Demand.DUTY),
        ("es", "fill(c) es la casilla llena.", Demand.DEFINITION),
        ("es", "Si `c` está llena, nada cambia.", Demand.CONDITION),
        ("fr", "La fonction fill doit remplir une case.", Demand.DUTY),
        ("fr", "Sinon, fill signale une ValueError.", Demand.EXCEPTION),
        ("fr", "Si `c` est pleine, rien ne change.", Demand.CONDITION),
        ("de", "Die Funktion fill muss ein Feld füllen.", Demand.DUTY),
        ("de", "Falls `c` voll ist, ändert sich nichts.", Demand.CONDITION),
    ],
)
def test_sentences_that_demand_something(language: str, sentence: str, demand: Demand) -> None:
    """Words of the language tell, and names of exceptions and functions in all of them."""
    assert [demand] == demands(sentence, language)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "You must hand it in before Monday, or you may not come."),
        ("en", "The puzzle must be solved without lifting the pencil."),
        ("en", "You must fill in this form if you are ill."),
        ("en", "A cell has a colour (int)."),
        ("en", "The order in which `fill` looks does not matter, and must not."),
        ("en", "You must import `sample.py` first."),
        ("en", 'The old text said "fill(cell) must not raise KeyError".'),
        ("nl", "Of `fill` iets teruggeeft, is niet vastgelegd."),
        ("es", "La función fill puede devolver enteros de numpy."),
        ("fr", "Ce que renvoie `fill` dans ce cas reste ouvert."),
        ("de", "Die Reihenfolge in `fill` spielt keine Rolle."),
    ],
)
def test_sentences_that_demand_nothing(language: str, sentence: str) -> None:
    """Rules of the course or of the game, what is left open and what is quoted are no clauses."""
    assert [] == demands(sentence, language)


@pytest.mark.parametrize(
    "block",
    [
        "## The function fill must not return None",
        "```python\nfill(1)  # must not raise ValueError\n```",
        "~~~\nfill must raise ValueError\n```\nfill must raise ValueError",
        "```haskell\n-- fill must raise ValueError\n# fill must raise ValueError\n```",
        ">>> fill(1)\nTraceback (most recent call last):\nValueError: must not",
        "| `fill` | must raise ValueError |",
    ],
)
def test_what_is_no_prose(block: str) -> None:
    """Headings, code, sessions and tables are no clauses."""
    assert [] == demands(block)


def test_prose_after_a_session() -> None:
    """A session ends at an empty line, and code at its fence."""
    spec = """\
        >>> fill(1)
        2

        fill must return it (int).
        ```python
        fill(3)
        ```
        fill must keep it (int).
        """
    assert [4, 8] == [clause.line for clause in found(spec)]


def test_comments_in_code() -> None:
    """A comment in Python code is prose, but for the examples in it, which are indented."""
    spec = """\
        ```python
        # fill(cell) is the cell, filled with what
        # there is. For example,
        #    >>> fill(3)
        #    is_free(3)
        def fill(cell): ...
        ```
        """
    assert ["fill(cell) is the cell, filled with what there is."] == texts(spec)
    assert [()] == [clause.cases for clause in found(spec, 4)]
    assert [("fill/2",)] == [clause.cases for clause in found(spec, 3)]


def test_sentences_on_one_line_share_its_cases() -> None:
    """A case on a line counts for all sentences that have a part of it."""
    spec = """\
        The function fill must return the cell (int). It must not print. What
        is outside raises IndexError.

        The function is_free must return True.
        """
    assert ["The function is_free must return True."] == untested(spec, 1)
    assert 3 == len(untested(spec, 2))
    assert ["The function fill must return the cell (int).", "It must not print."] == untested(
        spec, 2, 4
    )


def test_wrapped_lines_are_joined_and_others_are_not() -> None:
    """Where the next word would have fitted in, a line is a text of its own."""
    spec = """\
        The function fill must return a cell that nobody has filled before, and that
        is free
        the function is_free must not return None
        """
    assert [
        "The function fill must return a cell that nobody has filled before, and that is free",
        "the function is_free must not return None",
    ] == texts(spec)


def test_sentence_ends() -> None:
    """Full stops in code, in formulas, and before a small letter end no sentence."""
    spec = (
        "Cel `Puzzle('. A')` must be, e.g. for $$n. X$$, free. Then fill must return 1.5. Good!\n"
    )
    assert [
        "Cel `Puzzle('. A')` must be, e.g. for $$n. X$$, free.",
        "Then fill must return 1.5.",
    ] == texts(spec)


def test_list_below_a_demand() -> None:
    """Each item demands what the sentence above does; that one has the cases of all of them."""
    spec = """\
        - `fill(cell)`: fills it. Raises a `ValueError` in these cases:
          - the cell is black;
          - the cell is full.
        - Something else entirely.

        It costs 1 point.
        """
    assert [(1, "definition"), (1, "exception"), (2, "listed"), (3, "listed")] == [
        (clause.line, clause.demands) for clause in found(spec)
    ]
    assert ["`fill(cell)`: fills it.", "the cell is black;"] == untested(spec, 3)


def test_list_whose_bullets_were_lost() -> None:
    """Lines below a colon that do not end as sentences do are items; a sentence ends the list."""
    spec = """\
        The cell (int) must keep these rules:
        it is free
        it is white
        Else a ValueError is raised.
        it is nothing
        """
    assert [1, 2, 3, 4] == [clause.line for clause in found(spec)]


def test_announcement_is_no_clause() -> None:
    """What only says that sentences follow demands nothing; what leads to code does."""
    announcing = "The class Puzzle must have these methods:\nA method fill must return an int.\n"
    assert ["A method fill must return an int."] == texts(announcing)
    assert 1 == len(texts("The class Puzzle must print this:\n\n```text\n1\n```\nThe end.\n"))


def test_bullet_about_something_open() -> None:
    """A bullet that leaves something open has no clauses, unless a case comes from it."""
    spec = """\
        - The order does not matter. If `fill` looks twice, it returns the same.
        - If `fill` looks twice, it returns the same.
        """
    assert [2] == [clause.line for clause in found(spec)]
    assert [1, 2] == [clause.line for clause in found(spec, 1)]


def test_case_makes_a_demand_a_clause() -> None:
    """Where a case comes from a line, what it demands is about the program, named or not."""
    spec = "The game must be played on a square.\n"
    assert [] == found(spec)
    assert [("fill/2",)] == [clause.cases for clause in found(spec, 1)]


def test_text_is_shown_on_one_line() -> None:
    """A clause is shown without its bullet and without stars, and is not too long."""
    spec = "- **Full.** The function fill must return `None`, " + "and " * 200 + "never more.\n"
    (text,) = texts(spec)
    assert text.startswith("The function fill must return `None`, and and")
    assert len(text) < 320


@pytest.mark.parametrize("text", ["", "\n", ">\n> \n", "- ", "```", ":", "a:\nb:\n- c:", "...\n"])
def test_specs_of_next_to_nothing(text: str) -> None:
    """Whatever a spec consists of, it can be read."""
    assert [] == found(text)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_specs_at_hand(exercise: str) -> None:
    """Each of our specs has clauses, none of them from a session, and each function has one."""
    suite = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    spec = (ROOT / "reference" / exercise / "spec.md").read_text(encoding="utf-8")
    every = find_clauses(spec, suite.language, suite)
    assert (4 if exercise == "akari" else 10) <= len(every) <= 60  # its list of methods is lost
    assert all(">>>" not in clause.text for clause in every)
    if exercise != "1010":  # whose functions are told of elsewhere
        told = " ".join(clause.text for clause in every)
        assert [] == [name for name in suite.defines if name.rpartition(".")[2] not in told]
