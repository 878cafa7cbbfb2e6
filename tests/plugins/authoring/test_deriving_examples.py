"""Examples of a spec: where they stand, what is tried of them, what is doubtful about a spec."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grader.plugins.authoring.deriving.consoles import find_consoles
from grader.plugins.authoring.deriving.doubts import SpecError, flattened_grids, footnote_names
from grader.plugins.authoring.deriving.drafts import DraftExpectation, drafts_of, observers
from grader.plugins.authoring.deriving.examples import Example, find_examples


def examples(text: str) -> list[tuple[str, str | None, tuple[str, ...], str | None, int]]:
    """Return the examples of `text` as tuples."""
    return [(e.code, e.note, e.want, e.exception, e.line) for e in find_examples(text)]


# Examples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no prompt at all\n", []),
        ("", []),
        (">>> f()\n", [("f()", None, (), None, 1)]),
        ("a\n\n>>> f()\n3\n\nb\n", [("f()", None, ("3",), None, 3)]),
        (
            ">>> f()\n3\n4\n>>> g()\n",
            [("f()", None, ("3", "4"), None, 1), ("g()", None, (), None, 4)],
        ),
        (">>> f()  # outside\n3\n", [("f()", "outside", ("3",), None, 1)]),
        (">>> f()  #\n3\n", [("f()", None, ("3",), None, 1)]),
        (">>> f('# no')  # yes # more\n", [("f('# no')", "yes # more", (), None, 1)]),
        (
            ">>> f(1,  # one\n...   2)  # two\n3\n",
            [("f(1,  # one\n  2)  # two", None, ("3",), None, 1)],
        ),
        (">>> for i in x:\n...     f(i)\n", [("for i in x:\n    f(i)", None, (), None, 1)]),
        ("    >>> f()\n    3\n", [("f()", None, ("3",), None, 1)]),
        (
            ">>> f()  # no\nTraceback (most recent call last):\nValueError: x\n",
            [("f()", "no", (), "ValueError: x", 1)],
        ),
        (
            ">>> f()\nTraceback (most recent call last):\n  File 'x'\nValueError\n\nprose\n",
            [("f()", None, (), "ValueError", 1)],
        ),
    ],
)
def test_examples(text: str, expected: list[object]) -> None:
    """Prompt lines with their comments, what stands below them, and the line they are on."""
    assert expected == examples(text)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a\n\n>>> 1 +\n2\n", 3, "this example is not valid Python: invalid syntax"),
        (">>> if x:\n...     1\n... else\n", 1, "this example is not valid Python: expected ':'"),
        ("a\n>>>f()\n", 2, "this line lacks blank after >>>"),
        ("    >>> f()\n  3\n", 2, "this line has inconsistent leading whitespace"),
        ("a\n\n>>> f()  # doctest: +FOO\n", 3, "this line has an invalid option: '"),
    ],
)
def test_example_that_cannot_be_read(text: str, line: int, said: str) -> None:
    """It is told with its line and what Python has against it."""
    with pytest.raises(SpecError, match=said.replace("(", r"\(")) as caught:
        find_examples(text)
    assert line == caught.value.line
    assert ("option" in said) == ("correct the doctest option" in (caught.value.help or ""))


def test_command_that_a_shell_cannot_read_is_told() -> None:
    """A quote without its other half is a mistake of the spec, on the line of the command."""
    with pytest.raises(SpecError, match="this command cannot be read: no closing quotation") as no:
        list(find_consoles('a\n\n    $ python total.py "abc\n    3\n', {"total"}))
    assert 3 == no.value.line


# Drafts


def drafts(
    code: str, want: str = "", exception: str | None = None
) -> list[tuple[str, str, str, str | None]]:
    """Return code, want, subject and receiver of each draft of one example."""
    found = Example(
        code=code,
        note=None,
        want=tuple(want.split("|") if want else ()),
        exception=exception,
        line=1,
    )
    made = drafts_of(found)
    assert 1 == sum(draft.share for draft in made)
    return [(draft.code, draft.want.value, draft.subject, draft.receiver) for draft in made]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("b = Box(2)", [("b = Box(2)", "completes", "Box", None)]),
        ("b: Box = Box(2)", [("b: Box = Box(2)", "completes", "Box", None)]),
        ("import math", [("import math", "completes", "session", None)]),
        ("b.n += 1", [("b.n += 1", "completes", "session", None)]),
        ("f(3)", [("f(3)", "returns", "f", None)]),
        ("b.size()", [("b.size()", "returns", "size", "b")]),
        ("b.n", [("b.n", "returns", "n", "b")]),
        ("str(b)", [("str(b)", "returns", "str", "b")]),
        ("b.lid.n", [("b.lid.n", "returns", "n", "b")]),
        ("1 + 2", [("1 + 2", "returns", "session", None)]),
        ("print(b)", [("print(b)", "prints", "str", "b")]),
        ("print(f(3))", [("print(f(3))", "prints", "f", None)]),
        ("print(b, end='')", [("print(b, end='')", "returns", "str", "b")]),
        (
            "print(b.put(1))",
            [("b.put(1)", "same", "put", "b"), ("print(b)", "prints", "str", "b")],
        ),
        (
            "print(b.put(1).put(k=2))",
            [
                ("b.put(1)", "same", "put", "b"),
                ("b.put(k=2)", "same", "put", "b"),
                ("print(b)", "prints", "str", "b"),
            ],
        ),
        ("print(Box(2).put(1))", [("print(Box(2).put(1))", "prints", "put", None)]),
    ],
)
def test_drafts(code: str, expected: list[object]) -> None:
    """What is tried and on what; a printed chain becomes its actions and a look."""
    assert expected == drafts(code)


def test_draft_of_a_refusal_is_not_split() -> None:
    """Which action of a chain refuses, nobody knows; it stays one."""
    code = "print(b.put(0))"
    assert [(code, "raises", "str", None)] == [
        (one, want, "str", None) for one, want, _, _ in drafts(code, exception="AssertionError: no")
    ]


def test_shares_of_a_chain() -> None:
    """Half of the example is the look, the other half is divided among the actions."""
    made = drafts_of(find_examples(">>> print(b.put(1).put(2))\n##\n")[0])
    assert [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)] == [draft.share for draft in made]


def test_draft_binds_the_names_that_it_assigns() -> None:
    """Also those of a tuple, a loop and a walrus, each once."""
    found = find_examples(">>> a, (b, a) = f()\n>>> for i in x: c = i\n>>> (d := 3)\n3\n")
    assert [("a", "b"), ("i", "c"), ("d",)] == [drafts_of(one)[0].binds for one in found]


def test_observers_look_at_what_refuses() -> None:
    """Views without arguments of an object that refuses something, and of no other."""
    text = (
        ">>> b.size()\n2\n>>> print(b)\n##\n>>> b.n\n2\n>>> b.at(1)\n2\n"
        ">>> c.size()\n1\n>>> b.size()\n2\n"
        ">>> b.put(0)\nTraceback (most recent call last):\nAssertionError: no\n"
    )
    found = [draft for one in find_examples(text) for draft in drafts_of(one)]
    assert ["b.size()", "str(b)", "b.n"] == observers(found)
    assert [] == observers(draft for draft in found if draft.want is not DraftExpectation.RAISES)


# Doubts


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("read 'grid.txt1' and 'grid.txt2'", ["grid.txt1", "grid.txt2"]),
        ("the file grid.txt1, again grid.txt1", ["grid.txt1"]),
        ("grid.txt", []),
        ("other.txt1", []),
        ("grid.txt12", []),
        ("grid.txt1a", []),
        ("mygrid.txt1", []),
        ("e.g. 3.14 or v1.2", []),
    ],
)
def test_footnotes(line: str, names: list[str]) -> None:
    """A digit stuck to the name of a file that there is, told once."""
    found = list(footnote_names([line], ["grid.txt"]))
    assert names == [doubt.message.split("'")[1] for doubt in found]


@pytest.mark.parametrize(
    ("line", "is_grid"),
    [
        ("##. .#. #..", True),
        ("123 456 789", True),
        ("##..5 .6..# ...#H 9..D. #....", True),
        ("the cat sat", False),
        ("## .#", False),
        ("##. .#.", False),
        ("##. .#. #.", False),
        ("##. .#. #.. ...", False),
        ("##.  .#. #..", False),
        ("", False),
    ],
)
def test_flattened_grids(line: str, is_grid: bool) -> None:
    """As many words as each is long, at least three, and not only letters."""
    found = list(flattened_grids(["prose", line]))
    assert ([2] if is_grid else []) == [doubt.line for doubt in found]
