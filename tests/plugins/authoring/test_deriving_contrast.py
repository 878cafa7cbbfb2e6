"""What the spec shows otherwise than the reference is told line by line, as the prompt has it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from small_specs import SETTINGS, derived

from grader.plugins.authoring.deriving.contrast import differing_lines
from grader.plugins.authoring.deriving.doubts import DerivationError
from grader.sandbox.zygote import Zygote

REFERENCE: Final = """
from datetime import date

class Board:
    def __repr__(self):
        return "+--+\\n|xo|\\n+--+"

class Money:
    def __repr__(self):
        return "Money(3)"

class Plain:
    pass

def day():
    return date(2026, 3, 2)

def numbers():
    return list(range(40))

def table():
    import pandas
    return pandas.DataFrame({"item": ["tea", "pen"], "price": [2.25, 1.5]})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a reference that shows what takes several lines."""
    made = tmp_path / "box"
    made.mkdir()
    text = SETTINGS.replace("[Box]", "[]")
    (made / "exercise.yaml").write_text(f"{text}imports: [standard, pandas]\n")
    (made / "box.py").write_text(REFERENCE)
    return made


def told(zygote: Zygote, folder: Path, spec: str) -> tuple[str, str]:
    """Return what is said of the only example of `spec`, and the way out."""
    with pytest.raises(DerivationError) as caught:
        derived(zygote, folder, spec)
    (problem,) = caught.value.problems
    return problem.message, problem.help or ""


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            ">>> Board()\n+--+\n|xx|\n+--+\n",
            "  +--+\n    - |xx|\n    ?   ^\n    + |xo|\n    ?   ^\n      +--+",
        ),
        (
            f">>> numbers()\n{[*range(20), *range(21, 40)]}\n",
            "   18,\n       19,\n    +  20,\n       21,",
        ),
    ],
)
def test_several_lines_are_told_line_by_line(
    zygote: Zygote, folder: Path, spec: str, said: str
) -> None:
    """From just before the first that differs, which is marked; a long list is laid out."""
    message, _ = told(zygote, folder, spec)
    heading = "the spec (-) differs from the reference (+):\n    "
    assert message.startswith(heading + said)


def test_a_table_is_told_line_by_line(folder: Path) -> None:
    """The digits that differ are seen, as pandas prints them."""
    pytest.importorskip("pandas")
    spec = ">>> table()\n  item  price\n0  tea   2.25\n1  pen   1.51\n"
    with Zygote(packages=["pandas"]) as zygote:
        message, _ = told(zygote, folder, spec)
    assert "    - 1  pen   1.51\n" in message
    assert "    + 1  pen   1.50\n" in message


@pytest.mark.parametrize(
    ("spec", "said", "advice"),
    [
        (">>> Money()\nMoney(4)\n", "the reference shows Money(3)", "correct the spec"),
        (
            ">>> Plain()\nPlain()\n",
            "shows <box.Plain object at 0x…>",
            "add a `__repr__` to the class",
        ),
        (
            ">>> day()\ndatetime.date(2026, 3, 1)\n",
            "the reference shows datetime.date(2026, 3, 2)",
            "if it depends on the date, add now:",
        ),
        (
            ">>> day\n<function day at 0x7f2a>\n",
            "shows <function",
            "replace this one with ...",
        ),
        (">>> help(day)\nHelp on day\n", "the reference returns None", "add # doctest: +SKIP"),
        (">>> input()\n'x'\n", "the reference raises EOFError", "show the typed lines after"),
    ],
)
def test_an_object_is_told_as_the_prompt_shows_it(
    zygote: Zygote, folder: Path, spec: str, said: str, advice: str
) -> None:
    """With a way out that fits it."""
    message, way_out = told(zygote, folder, spec)
    assert said in message
    assert advice in way_out


def test_long_texts_are_told_from_where_they_differ() -> None:
    """A few lines of them, and how many more there are; nothing of short values on one line."""
    lines = differing_lines("\n".join(map(str, range(100))), "\n".join(map(str, range(50))))
    assert ["  48", "  49", "- 50", "- 51"] == lines[:4]
    assert "  ... (+28)" == lines[-1]
    assert [] == differing_lines("[1]", "[2]")
