"""How diagnostics look, and what they suggest."""

from __future__ import annotations

from typing import Any

import pytest

from grader.suite.diagnostics import Position, SuiteText, did_you_mean, join_words, quote
from grader.suite.loading import Diagnostic, InvalidSuite, render, render_all


def diagnostic(**facts: Any) -> Diagnostic:
    """Return a diagnostic; `facts` say what is special about it."""
    usual = {"file": "s.yaml", "line": 1, "column": 1, "message": "wrong"}
    return Diagnostic(**{**usual, **facts})


def test_the_style_of_compilers() -> None:
    """A diagnostic shows the file, the line, the characters at fault, and the way out."""
    shown = render(
        diagnostic(
            file="testsuites/yinyang.yaml",
            line=6,
            column=7,
            width=5,
            message="unknown key 'stdot' (did you mean 'stdout'?)",
            help="keys of a step: do, stdout",
            source="      stdot: |",
        )
    )
    expected = """\
error: unknown key 'stdot' (did you mean 'stdout'?)
  --> testsuites/yinyang.yaml:6:7
   |
 6 |       stdot: |
   |       ^^^^^
   = help: keys of a step: do, stdout"""

    assert expected == shown


def test_without_help_and_source() -> None:
    """What there is nothing to say about is left out."""
    assert "error: wrong\n  --> s.yaml:1:1" == render(diagnostic())


def test_line_numbers_of_any_length() -> None:
    """The margin is as wide as the number of the line."""
    expected = "error: wrong\n    --> s.yaml:1234:1\n     |\n1234 | abc\n     | ^"

    assert expected.splitlines()[3:] == render(diagnostic(line=1234, source="abc")).splitlines()[3:]
    assert "    --> s.yaml:1234:1" == render(diagnostic(line=1234)).splitlines()[1]


@pytest.mark.parametrize(
    ("facts", "line", "carets"),
    [
        ({"source": "a\tb", "column": 3}, "a b", "  ^"),
        ({"source": "\x1b[31mred", "column": 6}, "␛[31mred", "     ^"),
        ({"source": "a\u202eb", "column": 3}, "a\\u202eb", "       ^"),
        ({"source": "a\u202eb", "column": 2}, "a\\u202eb", " ^^^^^^"),
        ({"source": "漢字: x", "column": 5}, "漢字: x", "      ^"),
        ({"source": "漢字: x", "column": 1, "width": 2}, "漢字: x", "^^^^"),
        ({"source": "cafe\u0301: x", "column": 8}, "cafe\u0301: x", "      ^"),
        ({"source": "at 0x7f0123456789: x", "column": 20}, "at 0x7f0123456789: x", " " * 19 + "^"),
        ({"source": "abc", "column": 4}, "abc", "   ^"),
        ({"source": "abc", "column": 9}, "abc", "   ^"),
        ({"source": "abc", "column": 2, "width": 9}, "abc", " ^^"),
        ({"source": "x" * 300, "column": 1}, "x" * 100 + "…", "^"),
        ({"source": "x" * 300, "column": 200}, f"…{'x' * 100}…", " " * 51 + "^"),
        ({"source": "x" * 300, "column": 300}, f"…{'x' * 51}", " " * 51 + "^"),
        ({"source": "x" * 300, "column": 200, "width": 200}, None, " " * 51 + "^" * 50),
    ],
)
def test_carets(facts: dict[str, Any], line: str | None, carets: str) -> None:
    """The carets stand below what is at fault, however it has to be shown."""
    shown = render(diagnostic(**facts)).splitlines()

    assert line is None or f" 1 | {line}" == shown[3]
    assert f"   | {carets}" == shown[4]


def test_file_names_are_foreign_too() -> None:
    """A file name cannot command a terminal either."""
    assert "  --> a␛[2J⏎.yaml:1:1" == render(diagnostic(file="a\x1b[2J\n.yaml")).splitlines()[1]


def test_many() -> None:
    """Of many mistakes the first twenty are shown and the others counted."""
    many = InvalidSuite("s.yaml", [diagnostic(line=line) for line in range(1, 26)])

    assert 25 == len(many.diagnostics)
    assert "s.yaml: 25 errors" == many.message
    assert str(many).endswith("s.yaml:20:1\n\n... and 5 more")
    assert "... and" not in render_all(many.diagnostics[:20])


def test_order() -> None:
    """Mistakes come in the order of the file, each of them once."""
    first, second, third = (
        diagnostic(line=2, column=1),
        diagnostic(line=10, column=2),
        diagnostic(line=10, column=11),
    )
    invalid = InvalidSuite("s.yaml", [third, first, second, first])

    assert (first, second, third) == invalid.diagnostics


def test_one() -> None:
    """One error is not called errors, and a suite that is invalid ends with exit code 3."""
    invalid = InvalidSuite("s.yaml", [diagnostic()])

    assert "s.yaml: 1 error" == invalid.message
    assert 3 == invalid.exit_code


def test_line_that_is_not_there() -> None:
    """A place behind the end of the file shows no line."""
    assert "" == SuiteText.from_text("s.yaml", "a\nb").diagnostic(Position(3, 1), "wrong").source


def test_line_breaks_of_yaml() -> None:
    """Lines are counted as YAML counts them."""
    assert ("a", "b", "c", "d", "e", "") == SuiteText.from_text(
        "s.yaml", "a\r\nb\rc\u2028d\x85e\n"
    ).lines


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("stdot", " (did you mean 'stdout'?)"),
        ("STDOUT", " (did you mean 'stdout'?)"),
        ("xyzzy", ""),
        ("stdout" * 20, ""),
    ],
)
def test_suggestions(word: str, expected: str) -> None:
    """A word that comes near is suggested, capitals or not."""
    assert expected == did_you_mean(word, ("raises", "stdout"))


def test_cutoff() -> None:
    """How near is near enough can be chosen."""
    assert "" == did_you_mean("stdot", ("stdout",), cutoff=0.95)


def test_foreign_text() -> None:
    """Text of a suite is shown short, on one line and without commands to a terminal."""
    assert "'a⏎␛'" == quote("a\n\x1b")
    assert f"'{'x' * 80}… (+120)'" == quote("x" * 200)
    assert "a, ␛" == join_words(["a", "\x1b"])
