"""Syntax of a newer Python is told as such, and no mistake is taken for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest
from builders import graded

from grader.executor.syntax.syntax_errors import Version, diagnose_syntax_error
from grader.reporting.wording import format_message
from grader.sandbox.zygote import Zygote
from grader.verdict import Status

NEWER: Final[list[tuple[str, Version]]] = [
    ("type X = int", (3, 12)),
    ("type Cel = tuple[int, int]\ndef f(c: Cel): return c", (3, 12)),
    ("type L[T] = list[T]", (3, 12)),
    ("if 1: type X = int", (3, 12)),
    ("x = 1; type X = int", (3, 12)),
    ("type = 3\ntype X = int\nprint(type)", (3, 12)),
    ("def f[T](x: T) -> T:\n    return x", (3, 12)),
    ("async def f[T, *Ts](x): return x", (3, 12)),
    ("class A[T: int, *Ts, **P,](list):\n    pass", (3, 12)),
    ("class A[T = int]:\n    pass", (3, 13)),
    ('d = {"a": 1}\nprint(f"x {d["a"]} y")', (3, 12)),
    ("print(f'{', '.join(['a', 'b'])}')", (3, 12)),
    ('print(f"{"\\n".join(["a"])}")', (3, 12)),
    ('print(f"{\n1 +\n2}")', (3, 12)),
    ('print(f"{f"{f"{1}"}"}")', (3, 12)),
    ('print(f"""{\n1 # one\n}""")', (3, 12)),
    ('x = 1\nprint(f"{x!r:>{"5"}}")', (3, 12)),
    ('print(f"{x[1]=} {x["a"]=}" "b")', (3, 12)),
    ('print(f"{x:=^20} {x["a"]:{w}.{p}f}")', (3, 12)),
    ('print(f"{{}} {x["a"]} \\N{BULLET}")', (3, 12)),
    ('print(f"{x == "a"} {x != "b"} {x <= "c"} { {"a": 1}["a"] }")', (3, 12)),
    ('print(f"{(lambda x: x["a"])({"a": 2})}")', (3, 12)),
    ("print(rf'{x['a']}\\d')", (3, 12)),
    ('"""\ntype Y = 3\'"""\nx = "\'" # "\nprint(f"{x or "a"}")', (3, 12)),
    ('print(t"{1}")', (3, 14)),
    ("try: pass\nexcept ValueError, TypeError: pass", (3, 14)),
    ("try: pass\nexcept* ValueError, errors.Odd: pass", (3, 14)),
]
MISTAKES: Final = [
    *(
        "x = = 3",
        "def f(x)\n    return x",
        "def f(x:\n    return x",
        "if x = 3: pass",
        "for i in 3",
    ),
    *("print 'a'", "print(3", "print(3))", "x = [1, 2", "x = (1, 2]", "else: pass", "return 3 4"),
    *(
        "def f():\nreturn 3",
        "  x = 3\n y = 4",
        "if 1:\n\tx = 1\n        y = 2",
        "while True print(3)",
    ),
    *("class Board[:\n    pass", "class A B: pass", "def f[x]: pass", "def f[x, y]:\n    return x"),
    *("def f{x}: pass", "def 3f(x): pass", "f(x) = 3", "x + 1 = 2", "None = 3", "import", "from x"),
    *(
        "type X",
        "type X =",
        "type X == int",
        "type X = int = str",
        "type X int",
        "type x = 1 2",
    ),
    *("type def = 3", "typ X = int", "Type X = int", "a type X = int", "type L[] = int"),
    *("type L[T = list", "type L[T]] = list", "class A[T = int, S]: pass", "class A[T, T]: pass"),
    *("def f[T:](x): pass", "def f[T](x)\n    pass", "def f[1](x): pass", "def f['x'](x): pass"),
    *(
        "print(f'{x')",
        "print(f'x}')",
        "print(f'{}')",
        "print(f'{x y}')",
        "print(f'{x!z}')",
        "f'{x:{y}'",
    ),
    *('print(f"{d["a"}")', 'print(f"{d["a]}")', 'print(f"{d["a"]")', 'print(f"{"")', "f'{a['}']"),
    *(
        'print("a" b "c")',
        'print("he said "hi" to me")',
        "print('it's')",
        'print("a)',
        "x = '''a",
        "'a",
    ),
    *(
        'print(f"he said "hi" {x}")',
        'f"{x["a"]} {y z}"',
        'f"{"\\x"}"',
        "f'{a b['c']}'",
        'f"{}{"a"}"',
    ),
    *("try: pass\nexcept ValueError, e: pass", "try: pass\nexcept ValueError TypeError: pass"),
    *(
        "try: pass\nexcept (ValueError, : pass",
        "try: pass\nexcept ValueError as e, TypeError: pass",
    ),
    *(
        "x = t'{1",
        "print(t'{}')",
        "lambda x: return x",
        "x++",
        "x =+ * 3",
        "if x => 3: pass",
        "a ? b : c",
    ),
    *(
        "switch x:\n    case 1: pass",
        "x = 5 if y",
        "def f(a=1, b): pass",
        "f(a=1, 2)",
        "break",
        "yield",
    ),
    *(
        "del f()",
        "for 3 in x: pass",
        "async x = 3",
        "@\ndef f(): pass",
        "with open('a') f: pass",
        "\\ x",
    ),
    *(
        "x = 09",
        "x = 1_",
        "x = 0xg",
        "x = 3a",
        "x = $3",
        "x = “a”",
        "const x = 3",
        "x := 3",
        "print(x:=1, y=)",
    ),
]


def reading(source: str) -> tuple[SyntaxError, Version | None]:
    """Return what is told of `source`, which must not compile here."""
    with pytest.raises(SyntaxError) as caught:
        compile(source, "sample.py", "exec", dont_inherit=True)
    return diagnose_syntax_error(source, caught.value)


@pytest.mark.parametrize(("source", "version"), NEWER)
def test_newer_syntax_is_known(source: str, version: Version) -> None:
    """What only a newer Python can read is told with the first version that can."""
    if version <= sys.version_info[:2]:
        compile(source, "sample.py", "exec", dont_inherit=True)
    else:
        assert version == reading(source)[1]


@pytest.mark.parametrize("source", MISTAKES)
def test_a_mistake_is_never_called_newer(source: str) -> None:
    """No mistake of a student is excused, nor told to be something else than it is."""
    mistake, version = reading(source)
    assert version is None
    assert isinstance(mistake, SyntaxError)


@pytest.mark.parametrize("newer", [source for source, _ in NEWER])
@pytest.mark.parametrize("wrong", ["x = = 3", "def f(x)\n    return x", "print(3))"])
def test_a_mistake_beside_newer_syntax_is_told_where_it_is(newer: str, wrong: str) -> None:
    """The page points at what is wrong in every version, and not at the newer line before it."""
    mistake, version = reading(f"{newer}\n{wrong}\n")
    assert version is None
    assert newer.count("\n") + 2 == mistake.lineno


def test_programs_with_one_sign_less_are_mistakes(root: Path) -> None:
    """Each bracket, quote and colon of a real program is missed, and nothing is called newer."""
    source = (root / "reference/akari/akari.py").read_text(encoding="utf-8")
    told = []
    for at in [at for at, sign in enumerate(source) if sign in "()[]{}:'\""][::7]:
        broken = source[:at] + source[at + 1 :]
        try:
            compile(broken, "sample.py", "exec", dont_inherit=True)
        except SyntaxError as error:
            told.append(diagnose_syntax_error(broken, error)[1])
    assert len(told) > 20
    assert {None} == {*told}


@pytest.mark.parametrize(
    "source",
    ['f"{"' * 9_000, "(" * 50_000, "type x[" * 8_000, "def f[" + "," * 50_000, "f'{" * 9_000],
    ids=range(5),
)
def test_sources_that_break_readers_are_mistakes(source: str) -> None:
    """A source that is made to nest, or to be read over and over, ends as any other mistake."""
    error = SyntaxError("as given")
    assert (error, None) == diagnose_syntax_error(source, error)


BODY: Final = """
    groups: [{id: g, points: 1}]
    sessions: [{id: s, steps: [{do: f(), returns: "1", group: g}]}]
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="nothing newer is known")
def test_a_page_tells_both_versions(zygote: Zygote) -> None:
    """Who writes for a newer Python reads so, in every language, and where."""
    source = "def f(): return 1\ntry: f()\nexcept ValueError, TypeError: pass\n"
    record = graded(zygote, BODY, source)
    assert Status.UNGRADABLE is record.status
    (reason,) = record.remarks
    assert "ungradable.newer" == reason.key
    ours = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    for language in ("en", "nl", "es"):
        said = format_message(reason, language)
        assert "Python 3.14" in said
        assert ours in said
        assert "except ValueError, TypeError: pass" in said


def test_a_page_tells_of_a_mistake_beside_newer_syntax(zygote: Zygote) -> None:
    """The line that is told is the one with the mistake."""
    record = graded(
        zygote, BODY, 'def f(): return f"{"a"}"\ntry: f()\nexcept A, B: pass\nx = = 3\n'
    )
    (reason,) = record.remarks
    assert ("ungradable.syntax", 4) == (reason.key, dict(reason.parameters)["line"])
