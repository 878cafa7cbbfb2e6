"""The Haskell half of the text of Triominó: read as Python, and compared with the Python half."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from small_specs import python

SCRIPT: Final = Path(__file__).parents[3] / "reference" / "triomino" / "haskell.py"
_SPEC = importlib.util.spec_from_file_location("haskell", SCRIPT)
assert _SPEC is not None
assert _SPEC.loader is not None
haskell = importlib.util.module_from_spec(_SPEC)
sys.modules["haskell"] = haskell  # dataclasses look their module up
_SPEC.loader.exec_module(haskell)
translation, differences = haskell.translation, haskell.differences

HASKELL: Final = "```haskell\n-- So\n--    {}\nf :: Int -> Int\n```\n"
"""The Haskell half of a spec, with room for an equation on line 3."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f 3  ==  4", ("f(3)", "4")),
        ("f (g 8 (5,2))  ==  (5,4)", ("f(g(8, (5, 2)))", "(5, 4)")),
        ("f [1,-2] \"a\" 'b'  ==  [True,False]", ("f([1, -2], 'a', 'b')", "[True, False]")),
        ("f () [] == []", ("f((), [])", "[]")),
        ("f (g 1) (-2) == -1.5", ("f(g(1), -2)", "-1.5")),
        ("h 3 == 4", None),
        ("f h == 4", None),
        ("f 3 == g 3", None),
        ("f (3 + 1) == 4", None),
        ("f $ g 3 == 4", None),
        ("(f . g) 3 == 4", None),
        ("f [1..3] == 6", None),
        ("f 3 - 1 == 6", None),
        ("f -x == 6", None),
        ("f 3 == 4 == True", None),
        ("f (3 == 4", None),
        ("f 007 == 4", None),
        ("3 4 == 5", None),
        ("f 3 ==", None),
    ],
)
def test_translation(text: str, expected: tuple[str, str] | None) -> None:
    """Applications of known names and literals become Python; nothing else does."""
    assert expected == translation(text, {"f", "g"})


@pytest.mark.parametrize(
    "example",
    ["f(g(3))  ==  (4, [5])", ">>> f(g( 3 ))\n# (4,\n#  [5])"],
)
def test_half_that_agrees_says_nothing(example: str) -> None:
    """An equation that the Python half has too is confirmed; a session is not read."""
    half = HASKELL.format("f (g 3)  ==  (4,[5])\n--    λ> f 5\n--    6")
    spec = half + python(f"# {example}\ndef f(n): ...\ndef g(n): ...\n")
    assert [] == list(differences(spec))


@pytest.mark.parametrize("equation", ["f 4 == 5", "h 3 == 4", "f (3 + 1) == 5"])
def test_equation_without_counterpart_is_told(equation: str) -> None:
    """It may be an example that the Python half forgot, or one that Python cannot have."""
    spec = HASKELL.format(equation) + python("# f(3) == 4\ndef f(n): ...\n")
    assert [f"3: {equation!r} has no counterpart in the Python half"] == list(differences(spec))


def test_contradiction_is_told() -> None:
    """It is told at its line, and with both lines."""
    spec = HASKELL.format("double 3 == 5") + python("# double(3) == 6\ndef double(n): ...\n")
    said = "3: the Haskell half says 5 here, the Python half says 6 on line 7"
    assert [said] == list(differences(spec))


def test_halves_of_the_text_agree() -> None:
    """They do as they stand, and a number that is changed is found."""
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stdout)
    text = SCRIPT.with_name("spec.md").read_text(encoding="utf-8")
    assert text.count("(5,4)") > 0
    (first, *_) = differences(text.replace("(5,4)", "(5,3)", 1))
    assert "the Haskell half says (5, 3) here, the Python half says (5,4) on line" in first
