"""Examples in the code of a spec: comments, equations, assertions, two languages."""

from __future__ import annotations

import pytest
from small_specs import python

from grader.plugins.authoring.code_blocks import code_blocks, comment_blocks
from grader.plugins.authoring.deriving.reading import read_spec


def examples(spec: str) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return line, code and what is shown of each example of `spec`."""
    found = [one for session in read_spec(spec).sessions for one in session.examples]
    return [(one.line, one.code, one.want) for one in found]


def doubts(spec: str) -> list[tuple[int, str]]:
    """Return line and message of each doubt about `spec`."""
    return [(doubt.line, doubt.message) for doubt in read_spec(spec).doubts]


def test_what_stands_at_prompts_of_ipython_is_read() -> None:
    """With what is shown there, an exception too; other text stays what it is."""
    spec = """
```ipython
In [1]: half(4)
Out[1]: 2.0

In [2]: for n in (1, 2):
   ...:     print(n)
   ...:
1
2

In [3]: half('a')
---------------------------------------------------------------------------
ValueError                                Traceback (most recent call last)
Cell In[3], line 1
----> 1 half('a')

ValueError: no number
```

Out[5]: no example
------------
"""
    found = [one for session in read_spec(spec).sessions for one in session.examples]
    assert [
        (3, "half(4)", ("2.0",), None),
        (6, "for n in (1, 2):\n    print(n)", ("1", "2"), None),
        (12, "half('a')", (), "ValueError: no number"),
    ] == [(one.line, one.code, one.want, one.exception) for one in found]


# Fences and comments


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```python\na\n```\n", [("python", 2, ("a",))]),
        ("```Python title=x\na\n```", [("python", 2, ("a",))]),
        ("~~~hs\na\n```\n~~~\n", [("hs", 2, ("a", "```"))]),
        ("````\n```\n````\n", [("", 2, ("```",))]),
        ("```text\na\n```\nb\n```java\nc\n", [("text", 2, ("a",)), ("java", 6, ("c",))]),
        ("```\n```\n", [("", 2, ())]),
        ("```\nns[::2]\n```\n", [("", 2, ("ns[::2]",))]),
        ("`a`\n    ```\n", []),
    ],
)
def test_fences(text: str, expected: list[object]) -> None:
    """The code between fences, where it begins, and the language that it names."""
    found = code_blocks(text.splitlines())
    assert expected == [(one.language, one.code.first_line, one.code.texts) for one in found]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("# a\n#   b\n#\n# c", [(2, (" a", "   b", "", " c"))]),
        ("x\n# a\ny\n# b", [(3, (" a",)), (5, (" b",))]),
        ("# a\n  # b", [(2, (" a",)), (3, (" b",))]),
        ("-- a\n# b\n// c", [(2, (" a",)), (3, (" b",)), (4, (" c",))]),
        ("#a\n##.#\n--->\nx  # y\n//", [(6, ("",))]),
    ],
)
def test_comment_blocks(code: str, expected: list[object]) -> None:
    """What stands on consecutive lines behind one prefix and a blank, at one indentation."""
    (code_block,) = code_blocks(f"```\n{code}\n```".splitlines())
    assert expected == [(block.first_line, block.texts) for block in comment_blocks(code_block)]


# Examples in comments


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("# >>> f()\n# 3\ndef f(): ...\n", [(2, "f()", ("3",))]),
        ("#    >>> f()\n#    [1,\n#     2]\n# prose\n", [(2, "f()", ("[1,", " 2]"))]),
        ("#    >>> f(1,\n#    ...   2)\n#    3\n", [(2, "f(1,\n  2)", ("3",))]),
        ("# prose\n#\n#    >>> f()\n#\n#    3\n", [(4, "f()", ())]),
        ("# >>> f()\n# 3\n# >>> g()\nx = 1\n", [(2, "f()", ("3",)), (4, "g()", ())]),
        ("// >>> f()\n// 3\n", [(2, "f()", ("3",))]),
        ("  # >>> f()\n  # 3\n  return 3\n", [(2, "f()", ("3",))]),
        ("x = 1\n\n# >>> f()", [(4, "f()", ())]),
    ],
)
def test_examples_in_comments(code: str, expected: list[object]) -> None:
    """They read as they would without the prefix, and keep their line; code is never shown text."""
    assert expected == examples(python(code.removesuffix("\n") + "\n"))


def test_comment_that_is_output_stays() -> None:
    """Lines of a printed board may begin with what begins a comment elsewhere."""
    spec = "```python\n>>> print(b)\n# . #\n. # .\n>>> f()  # no\n# == 3\n```\n"
    assert [(2, "print(b)", ("# . #", ". # .")), (5, "f()", ("# == 3",))] == examples(spec)


# Equations


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("f(3)  ==  4", (2, "f(3)", ("4",))),
        ("f(g(8, (5,2)))  ==  [(4,4),(4,5)]", (2, "f(g(8, (5,2)))", ("[(4,4),(4,5)]",))),
        ("f(3)  ==\n#       [1,\n#        2]", (2, "f(3)", ("[1, 2]",))),
        ("b.f(x == 3)  ==  True", (2, "b.f(x == 3)", ("True",))),
    ],
)
def test_equation(comment: str, expected: object) -> None:
    """A call, == and a literal: the call must return just that."""
    spec = python(f"#    {comment}\ndef f(n): ...\n")
    assert ([expected], []) == (examples(spec), doubts(spec))


@pytest.mark.parametrize(
    "comment",
    ["if n == 0 then", "n == 0", "f(3) == g(3)", "f(3) == 4 == 5", "f(3) ==", "f(3) == 3 + 1"],
)
def test_equation_that_is_left_out(comment: str) -> None:
    """What only looks like an equation, or equals no literal, is told."""
    spec = python(f"# {comment}\n")
    assert ([], [(2, f"this equation is omitted: {comment!r}")]) == (examples(spec), doubts(spec))


def test_equation_below_a_prompt_is_output() -> None:
    """What is shown is shown, whatever it looks like."""
    spec = python("# >>> print(e)\n# f(3) == 4\n")
    assert [(2, "print(e)", ("f(3) == 4",))] == examples(spec)


# Assertions


def asserting(helper: str, assertion: str) -> str:
    """Return a spec whose test function has one `helper` and one `assertion`, on line 4."""
    return python(f"def test_it(t=1):\n    {helper}\n    {assertion}\n    print('Verified')\n")


@pytest.mark.parametrize(
    ("helper", "assertion", "expected"),
    [
        ("pass", "assert f(3,  (1,2)) == 4", (4, "f(3, (1, 2))", ("4",))),
        ("def h(p): return g(p, 1)", "assert h(f(3)) == 4", (4, "g(f(3), 1)", ("4",))),
        ("def h(p, q): return q(p)", "assert h(3, f) == 4", (4, "f(3)", ("4",))),
        ("def h(p): return p.n", "assert f(h(3)) == 4", None),
        ("def h(p): return p[0]", "assert h(f(3)) == 4", None),
        ("def h(p): q = p; return q", "assert h(f(3)) == 4", None),
        ("def h(p, q): return p", "assert h(f(3)) == 4", (4, "f(3)", ("4",))),
        ("def h(p, q): return q", "assert h(f(3)) == 4", None),
        ("def h(p): return p", "assert h(f(3), 5) == 4", None),
        ("x = 3", "assert f(x) == 4", None),
        ("pass", "assert f(t) == 4", None),
        ("pass", "assert f(3) == g(3)", None),
        ("pass", "assert f(3)", None),
        ("pass", "assert f(3) > 4", None),
    ],
)
def test_assertion(helper: str, assertion: str, expected: object) -> None:
    """A helper of the test is put in; a test that needs more cannot be tried, and is told."""
    spec = asserting(helper, assertion)
    if expected is None:
        ((line, message),) = doubts(spec)
        assert (4, []) == (line, examples(spec))
        assert message.startswith("this assertion is omitted: ")
    else:
        assert ([expected], []) == (examples(spec), doubts(spec))


def test_only_test_functions_assert_something() -> None:
    """What a solution asserts about its own arguments is part of the solution."""
    spec = python("def f(n):\n    assert g(n) == 3\n\nassert f(3) == 4\n\ndef tester(): return 3\n")
    assert ([], []) == (examples(spec), doubts(spec))


def test_code_that_cannot_be_read_is_told() -> None:
    """Its assertions are lost, its comments are not."""
    spec = python("# >>> f()\n# 3\ndef f()\n    assert f() == 3\n")
    assert [(2, "f()", ("3",))] == examples(spec)
    assert [(4, "this code cannot be parsed: expected ':'")] == doubts(spec)
    assert [] == doubts(python("f(3) -> 4\n"))
