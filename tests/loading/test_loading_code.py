"""What is read from the code of a step."""

from __future__ import annotations

import pytest

from grader.suite.code import parse_code, parse_observer, written_files
from grader.suite.diagnostics import Refusal


@pytest.mark.parametrize(
    ("text", "binds", "reads"),
    [
        ("x", "", "x"),
        ("x.y[z]", "", "x z"),
        ("x = y", "x", "y"),
        ("a, (b, *c) = f(x)", "a b c", "f x"),
        ("x = y = 1", "x y", ""),
        ("x: int = 5", "x", "int"),
        ("x.y = 1", "", "x"),
        ("x['a'] = y", "", "x y"),
        ("x += y", "x", "x y"),
        ("x.y += z", "", "x z"),
        ("del x", "", "x"),
        ("for i, j in x: print(i)", "i j", "i print x"),
        ("while x: break", "", "x"),
        ("with f(x) as g, h: pass", "g", "f h x"),
        ("import a.b, c as d", "a d", ""),
        ("from a import b as c, d", "c d", ""),
        ("from a import *", "", ""),
        ("(n := f(n))", "n", "f n"),
        ("[i for i in x if i > y]", "", "x y"),
        ("{k: v for k, v in x}", "", "x"),
        ("{i for j in x for i in j}", "", "x"),
        ("sum(i for i in x)", "", "sum x"),
        ("[(w := i) for i in x]", "w", "x"),
        ("[(w := w + i) for i in x]", "w", "w x"),
        ("lambda a, *b, c=d, **e: a + b + c + e + f", "", "d f"),
        ("def f(a, b=c) -> t:\n  l = a\n  return l + b + g", "f", "c g t"),
        ("@d\nasync def f(): await g()", "f", "d g"),
        ("def f():\n  global x\n  x = y", "f", "y"),
        ("def f():\n  global x\n  x += y", "f", "x y"),
        ("def f():\n  def g(): return h + z\n  h = 1\n  return g", "f", "z"),
        ("@d\nclass C(B, k=m):\n  a = 1\n  b = a + z\n  def f(s): return s", "C", "B d m z"),
        ("def f():\n  class C: k = z\n  return C", "f", "z"),
        ("try: f()\nexcept E as e: g(e)", "", "E e f g"),
        ("match x:\n  case [a, *b]: f(a)", "a b", "a f x"),
        ("match x:\n  case {'k': c, **d}: pass", "c d", "x"),
        ("match x:\n  case C(y=e) as g: pass\n  case _: pass", "e g", "C x"),
    ],
)
def test_names(text: str, binds: str, reads: str) -> None:
    """Code binds and reads names the way Python looks them up at the top level of a module."""
    code = parse_code(text)

    assert set(binds.split()) == set(code.binds)
    assert set(reads.split()) == set(code.reads)


def test_names_are_bound_in_order() -> None:
    """Names come in the order in which they are bound, each of them once."""
    assert ("b", "a", "c") == parse_code("b = 1\na = 2\nb = 3\nc = 4").binds


def test_names_before_the_last_statement() -> None:
    """Names that are bound when the last statement raises are known apart."""
    assert ("a", "b") == parse_code("a = 1\nb = a\nc = f(b)").binds_before_last


def test_deep_functions() -> None:
    """Functions within functions take no more time than they have lines."""
    lines = [f"{' ' * depth}def f{depth}():" for depth in range(60)]
    code = parse_code("\n".join([*lines, " " * 60 + "return x"]))

    assert ("f0",) == code.binds
    assert {"x"} == code.reads


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(x)", True),
        ("# why\nf(x)", True),
        ("(f(\n  x))", True),
        ("f(x);", False),
        ("*a, b", False),
        ("x = 1", False),
        ("f()\ng()", False),
        ("1 is 1", True),
        ("'\\d'", True),
    ],
)
def test_expressions(text: str, expected: bool) -> None:
    """An expression is what `eval` takes; Python's warnings about it are Python's business."""
    assert expected is parse_code(text).is_expression


def test_text() -> None:
    """Blank lines at the start and blanks at the end are no part of the code."""
    assert "x = 1\ny = 2" == parse_code("\n  \nx = 1\ny = 2 \n\n").text


@pytest.mark.parametrize(
    ("text", "problem", "at"),
    [
        ("", "there is no code here", (0, None)),
        ("# nothing", "there is no code here", (0, None)),
        ("x = (", "this is not valid Python: '(' was never closed", (4, 1)),
        ("\n\nx = (", "this is not valid Python: '(' was never closed", (6, 1)),
        ("x = 1 +", "this is not valid Python: invalid syntax", (7, 1)),
        (
            "é = f(a b)",
            "this is not valid Python: invalid syntax. Perhaps you forgot a comma?",
            (6, 3),
        ),
        ("x = 1\ny = é)", "this is not valid Python: unmatched ')'", (11, 1)),
        ("x = 1\r\ny = )", "this is not valid Python: unmatched ')'", (11, 1)),
        ("x = 1\ry = )", "this is not valid Python: unmatched ')'", (10, 1)),
        ("  x", "this is not valid Python: unexpected indent", (1, 1)),
        ("return 1", "this is not valid Python: 'return' outside function", (0, 8)),
        ("é = 1; return é", "this is not valid Python: 'return' outside function", (7, 8)),
        ("if x:\ré\ryield", "this is not valid Python: expected an indented block", (6, 1)),
        ("if x: é\ryield", "this is not valid Python: 'yield' outside function", (8, 5)),
        ("f(x=1, x=2)", "this is not valid Python: keyword argument repeated: x", (7, 3)),
        ("from __future__ import nope", "this is not valid Python: future feature nope", (0, 1)),
        ("print('\ud800')", "Python cannot parse this code", (0, None)),
        ("-" * 9000 + "1", "Python cannot parse this code", (0, None)),
        ("1" + "+1" * 9000, "Python cannot parse this code", (0, None)),
    ],
)
def test_refused(text: str, problem: str, at: tuple[int, int | None]) -> None:
    """What is no Python is refused with the reason, at the offset where the reason is."""
    with pytest.raises(Refusal) as caught:
        parse_code(text)

    assert problem == caught.value.problem[: len(problem)]
    assert "write Python as you would type it at the prompt" == caught.value.advice
    assert at == (caught.value.offset, caught.value.width)


def test_prompt() -> None:
    """Code that was copied with its prompt is recognised."""
    with pytest.raises(Refusal) as caught:
        parse_code(">>> f(x)")

    assert "remove the prompt" == caught.value.advice


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = 1", "this is not an expression, so it cannot observe anything"),
        ("f(x", "this is not valid Python: '(' was never closed"),
    ],
)
def test_observers_are_expressions(text: str, problem: str) -> None:
    """An observer has to be an expression."""
    with pytest.raises(Refusal) as caught:
        parse_observer(text)

    assert problem == caught.value.problem
    advice = "write an expression; in a list [...], put quotes around one with a comma"
    assert advice == caught.value.advice


def test_observer() -> None:
    """An observer is read as all code is."""
    assert {"str", "x"} == parse_observer("str(x)").reads


@pytest.mark.parametrize(
    ("arguments", "is_written", "is_updated"),
    [
        ("'a.txt'", False, False),
        ("'a.txt', 'rb'", False, False),
        ("'a.txt', 'w'", True, True),
        ("'a.txt', mode='a', encoding='utf-8'", True, True),
        ("mode='x', file='a.txt'", True, True),
        ("'a.txt', 'r+'", False, True),
        ("'a.txt', mode=mode", False, False),
    ],
)
def test_files_that_are_written(arguments: str, *, is_written: bool, is_updated: bool) -> None:
    """The mode decides, by place or by name; a file that is updated must exist already."""
    code = f"with open({arguments}) as file: work(file)"
    assert is_written == ("a.txt" in written_files([code]))
    assert is_updated == ("a.txt" in written_files([code], updates=True))
