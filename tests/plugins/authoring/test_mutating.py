from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from grader.plugins.authoring.mutating import (
    MISCONCEPTIONS,
    MUTATORS,
    Mutant,
    misconception_mutants,
    mutants,
)
from grader.plugins.authoring.mutating.kinds import kind
from grader.plugins.authoring.mutating.mutants import make_mutants
from grader.plugins.authoring.mutating.parsed_module import parse_module

REFERENCE: Final = Path(__file__).parents[3] / "reference"
MODULES: Final = {
    "yinyang": ["yinyang"],
    "akari": ["akari"],
    "str8ts": ["str8ts"],
    "triomino": ["triomino"],
    "1010": ["Block", "Board", "Game", "Position"],
}
ALL: Final = {**MUTATORS, **MISCONCEPTIONS}

EXAMPLES: Final[dict[str, tuple[str, list[str]]]] = {
    "comparison": (
        "ok = 0 <= a < b == c",
        [
            "ok = 0 < a < b == c",
            "ok = 0 > a < b == c",
            "ok = 0 <= a <= b == c",
            "ok = 0 <= a > b == c",
            "ok = 0 <= a < b != c",
            "ok = 0 <= a < b <= c",
            "ok = 0 <= a < b >= c",
        ],
    ),
    "arithmetic": ("x = a + b\nx += 1", ["x = a - b", "x -= 1", "x = 1"]),
    "logic": ("x = a and b or c", ["x = a and b and c", "x = a or b or c"]),
    "operand": (
        "x = a and b and c\ny = d - e",
        ["x = (b and c)", "x = (a and c)", "x = (a and b)", "y = d"],
    ),
    "sign": ("x = not a\ny = -b", ["x = a", "y = b"]),
    "condition": (
        "if a and b:\n    x = 1\ny = [n for n in m if n]",
        [
            "if not (a and b)",
            "if False",
            "if True",
            "y = [n for n in m if not n]",
            "y = [n for n in m if True]",
        ],
    ),
    "number": ("x = 3\ny = True", ["x = 4", "x = 2", "y = False"]),
    "string": ('x = "ab"\ny = f"{x}"', ["x = 'abX'", 'x = ""', 'y = (f"{x}" + "X")']),
    "method": ("s.add(x)\nt.strip()", ["s.discard(x)", "t.lstrip()", "t.rstrip()"]),
    "function": ("x = any(s)", ["x = all(s)"]),
    "call": ("x = s.lower()\ny = len(s)", ["x = s", "y = s"]),
    "arguments": ("f(a, b, 1)", ["f(b, a, 1)"]),
    "members": ("a, b = c", ["b, a = c"]),
    "slice bound": ("x = s[a:1]", ["x = s[:1]", "x = s[a + 1:1]", "x = s[a - 1:1]", "x = s[a:]"]),
    "range bound": (
        "for i in range(n):\n    f(i)",
        ["for i in range(1, n)", "for i in range(n + 1)", "for i in range(n - 1)"],
    ),
    "index": ("x = s[i]", ["x = s[i + 1]", "x = s[i - 1]"]),
    "keyword": (
        "x = sorted(s, key=f, reverse=True)",
        ["x = sorted(s, reverse=True)", "x = sorted(s, key=f)"],
    ),
    "statement": ("def f(s):\n    s.clear()\n    return s", ["pass"]),
    "result": (
        "def f(a) -> bool:\n    return a.g()\n\n\ndef _h(a) -> bool:\n    return a.g()",
        ["return None", "return True", "return False", "return True", "return False"],
    ),
    "order": ("def f(a):\n    assert a\n    g(a)", ["g(a)\nassert a"]),
    "jump": ("for a in b:\n    break", ["continue"]),
    "branch": ("if a:\n    b()\nelse:\n    c()", ["pass"]),
    "default": ("def f(a=frozenset(), b=None): ...", ["None", "0"]),
    "name": ("def f(a: int, b: int, c: str):\n    return a", ["return b"]),
    "attribute": (
        (
            "class C:\n    def __init__(self, a: int, b: int):\n        self.a = a\n"
            "        self.b = b\n\n    def f(self):\n        return self.a"
        ),
        ["return self.b"],
    ),
    "class-level state": (
        "class C:\n    def __init__(self):\n        self.x = set()\n",
        ["x = set()\ndef __init__(self):\n    pass"],
    ),
    "attribute of the class": (
        "class C:\n    def __init__(self, x):\n        self.x = x\n",
        ["C.x = x"],
    ),
    "mutable default": (
        "def f(a):\n    x = []\n    x.append(a)\n    return x\n",
        ["def f(a, x=[]):\n    pass"],
    ),
    "global state": (
        "def f(a):\n    x = []\n    x.append(a)\n    return x\n",
        ["x = []\ndef f(a):\n    pass"],
    ),
    "remembered result": (
        (
            "class C:\n    def __init__(self):\n        self.x = []\n\n"
            "    def add(self, y):\n        self.x.append(y)\n\n    def size(self):\n"
            "        return len(self.x)\n\n    def kind(self):\n        return 1\n"
        ),
        ["import functools\n@functools.cache\ndef size(self):\n    return len(self.x)"],
    ),
    "copy of itself": (
        "class C:\n    def f(self):\n        return self\n",
        ["import copy\nreturn copy.deepcopy(self)"],
    ),
    "nothing instead of itself": ("class C:\n    def f(self):\n        return self\n", ["pass"]),
    "text instead of itself": (
        "class C:\n    def f(self):\n        return self\n",
        ["return str(self)"],
    ),
    "handed out": ("def f(x):\n    y = set(x)\n    return set(y)", ["return y"]),
    "taken over": ("def f(x):\n    y = set(x)\n    return set(y)", ["y = x"]),
    "shared rows": ("x = [[0] * n for _ in range(m)]", ["x = ([[0] * n] * m)"]),
    "other exception": (
        "def f(a):\n    assert a, 'no'\n    raise KeyError('no')",
        ["raise ValueError('no')", "if not a:\n    raise ValueError('no')"],
    ),
    "changed message": (
        "def f(a):\n    raise KeyError('no')",
        ["raise KeyError(('no').capitalize())", "raise KeyError(('no') + \".\")"],
    ),
    "no message": ("def f(a):\n    raise KeyError('no')", ["raise KeyError"]),
    "printed instead of raised": ("def f(a):\n    raise KeyError('no')", ["print('no')"]),
    "False instead of an exception": ("def f(a):\n    raise KeyError('no')", ["return False"]),
    "silent refusal": ("def f(a):\n    raise KeyError('no')", ["return None"]),
    "not checked": ("def f(a):\n    if not a:\n        raise KeyError('no')\n    g(a)", ["pass"]),
    "written before checked": (
        "def f(a):\n    if not a:\n        raise KeyError('no')\n    g(a)\n    h(a)\n    return a",
        ["g(a)\nh(a)\nif not a:\n    raise KeyError('no')"],
    ),
    "exception swallowed": (
        "def f(a):\n    assert a\n\n\ndef g(a):\n    return f(a)",
        ["try:\n    return f(a)\nexcept Exception:\n    pass"],
    ),
    "negative index allowed": ("ok = 0 <= r < n", ["ok = r < n"]),
    "no upper bound": ("ok = 0 <= r < n", ["ok = 0 <= r"]),
    "one coordinate checked": (
        "ok = 0 <= r < n and 0 <= c < m\nall(0 <= c < n for c in p)",
        [
            "ok = (0 <= c < m)",
            "ok = (0 <= r < n)",
            "all(0 <= c < n for c in p[:1])",
            "all(0 <= c < n for c in p[1:])",
        ],
    ),
    "square assumed": (
        "ok = 0 <= r < n and 0 <= c < m",
        ["ok = 0 <= r < n and 0 <= c < n", "ok = 0 <= r < m and 0 <= c < m"],
    ),
    "diagonal neighbours": (
        "STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))",
        ["STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))"],
    ),
    "cell itself counted": (
        (
            "def f(p):\n    r, c = p\n    yield r - 1, c\n    yield r + 1, c\n"
            "    yield r, c - 1\n    yield r, c + 1"
        ),
        ["yield r + 0, c + 0\nyield r, c + 1"],
    ),
    "direction forgotten": (
        "STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))",
        [
            "STEPS = ((1, 0), (0, -1), (0, 1))",
            "STEPS = ((-1, 0), (0, -1), (0, 1))",
            "STEPS = ((-1, 0), (1, 0), (0, 1))",
            "STEPS = ((-1, 0), (1, 0), (0, -1))",
        ],
    ),
    "only right and down": (
        (
            "def f(p):\n    r, c = p\n    yield r - 1, c\n    yield r + 1, c\n"
            "    yield r, c - 1\n    yield r, c + 1"
        ),
        ["pass\nyield r + 1, c\npass", "yield r - 1, c\npass\nyield r, c - 1\npass"],
    ),
    "rows and columns swapped": (
        "x = grid[r][c]\ny = table[r, c]\nr, c = p",
        ["x = grid[c][r]", "y = table[c, r]", "c, r = p"],
    ),
    "size hard-coded": (
        "class C:\n    def __init__(self, n: int):\n        self.n = n\n",
        ["self.n = 4", "self.n = 6", "self.n = 10"],
    ),
    "default always used": ("def f(n=10):\n    return n", ["n = 10\nreturn n"]),
    "counted from the other end": (
        "for i, x in enumerate(s):\n    f(t[i - 1])",
        ["for i, x in enumerate(s, 1)", "f(t[i])"],
    ),
    "printed instead of returned": ("def f(a):\n    return a", ["print(a)"]),
    "not returned": ("def f(a):\n    return f(a - 1)", ["f(a - 1)"]),
    "list instead of a set": ("def f(a):\n    return {x for x in a}", ["return [x for x in a]"]),
    "set instead of a list": ("def f(a):\n    return [x for x in a]", ["return {x for x in a}"]),
    "tuple instead of a list": ("def f(a):\n    return list(a)", ["return tuple(a)"]),
    "list instead of a tuple": ("def f(a, b):\n    return a, b", ["return list((a, b))"]),
    "pairs of a dict": ("def f(a) -> dict[int, int]:\n    return a", ["return list(a.items())"]),
    "generator returned": ("def f(a):\n    return [x for x in a]", ["return (x for x in a)"]),
    "nothing instead of an empty one": (
        "def f(a):\n    if a:\n        return []\n    return set()",
        ["return None", "return None"],
    ),
    "number for a truth value": ("def f(a):\n    return a == 1", ["return int(a == 1)"]),
    "text for a truth value": ("def f(a):\n    return a == 1", ["return str(a == 1)"]),
    "False left out": (
        "def f(a):\n    if a:\n        return False\n    return a == 1",
        ["return None", "return (a == 1) or None"],
    ),
    "text for a number": ("def f(a):\n    return len(a)", ["return str(len(a))"]),
    "float for a number": ("x = (a + 1) // 2", ["x = ((a + 1) / 2)"]),
    "success reported": ("def f(a):\n    a.clear()", ["a.clear()\nreturn True"]),
    "blanks between": ('x = "".join(s)', ['x = " ".join(s)']),
    "line end too many": ('x = "\\n".join(s)', ['x = ("\\n".join(s) + "\\n")']),
    "case lost": ("x = s.upper()", ["x = s"]),
    "blanks kept": (
        "x = s.strip()\ny = s.split()",
        ["x = s", 'y = s.split(" ")', 'y = s.split("\\n")'],
    ),
    "kept as text": ("x = int(s)", ["x = s"]),
    "kept as number": (
        "def f(line, d):\n    a, b = line.split()\n    d[a] = b",
        ["d[a] = int(b) if b.isdigit() else b"],
    ),
    "last line lost": (
        "with open(p) as f:\n    x = f.read()\n    y = list(f)",
        ['x = "".join(f.readlines()[:-1])', "y = list(f.readlines()[:-1])"],
    ),
    "line end taken for granted": (
        "with open(p) as f:\n    x = f.read()\n    y = list(f)",
        ["x = f.read()[:-1]", "y = list([line[:-1] for line in f])"],
    ),
    "part of a text": ("A = tuple('ab')\nok = x in A\nno = x in b", ['ok = x in "".join(A)']),
    "or between values": (
        "ok = x in (a, b)\nno = x not in (a, b)",
        ["ok = (x == a or b)", "no = (x != a or b)"],
    ),
    "zero taken for nothing": ("ok = x is None\nno = x is not None", ["ok = (not x)", "no = x"]),
    "same for equal": ("ok = x == {1}\nno = x == 1", ["ok = (x is {1})"]),
    "truth value as number": ("ok = type(x) is int", ["ok = isinstance(x, int)"]),
    "like enough": ("ok = isinstance(x, tuple)", ["ok = isinstance(x, (tuple, list))"]),
    "call without brackets": (
        "class C:\n    def f(self):\n        return True\n\n\nx = c.f()",
        ["x = c.f"],
    ),
    "first one decides": (
        (
            "def f(a):\n    for x in a:\n        if not x:\n            return False\n"
            "    return True\n\n\nok = any(x for x in b)"
        ),
        ["for x in a:\n…\n    return True", "ok = next((x for x in b), False)"],
    ),
    "return in the loop": (
        "def f(a):\n    n = 0\n    for x in a:\n        n += x\n    return n",
        ["for x in a:\n    n += x\n    return n\npass"],
    ),
    "made anew in the loop": (
        "def f(a):\n    n = 0\n    for x in a:\n        n += x\n    return n",
        ["for x in a:\n    n = 0\n    n += x"],
    ),
    "overwritten": ("n += x", ["n = x"]),
    "only one round": ("while todo:\n    f(todo)", ["if todo:\n    f(todo)"]),
    "only the first": (
        "for x in (a, b):\n    f(x)",
        ["for x in (a, b):\n    f(x)\n    break", "for x in [a]", "for x in [b]"],
    ),
    "same case twice": ("ok = f(a) and f(b)", ["ok = f(a) and f(a)", "ok = f(b) and f(b)"]),
    "last not looked at": ("for x in a:\n    f(x)", ["for x in list(a)[:-1]"]),
    "first not looked at": ("x = [f(y) for y in a]", ["x = [f(y) for y in list(a)[1:]]"]),
    "order lost": ("x = sorted(a)", ["x = list(a)"]),
    "doubles kept": (
        "n = len(set(a))\nm = len({f(x) for x in a})",
        ["n = len(list(a))", "m = len([f(x) for x in a])"],
    ),
    "used as a list": (
        "def f(a):\n    for x in a:\n        g(x)",
        ["for x in [a[i] for i in range(len(a))]"],
    ),
    "argument emptied": (
        "def f(a):\n    for x in a:\n        g(x)",
        ["for x in [a.pop() for _ in range(len(a))]"],
    ),
    "collections added up": (
        "def f(a: Iterable[int], b: Iterable[int]):\n    return {*a, *b}",
        ["a + b\nreturn {*a, *b}"],
    ),
    "last of equals": ("if n > best:\n    best = n", ["if n >= best"]),
    "check forgotten by one caller": (
        "def ok(a, b):\n    return a and b\n\ndef f():\n    ok(1, 2)\n\ndef g():\n    ok(3, 4)",
        [
            f"def ok_for_one_caller(a, b):\n    return {kept}\nok_for_one_caller({given})"
            for kept in ("True and b", "a and True")
            for given in ("1, 2", "3, 4")
        ],
    ),
}
"""For each mutator a program, and what each of its mutants says instead."""


def of(mutator: str, source: str) -> list[Mutant]:
    """Return the mutants that one mutator makes of a program."""
    program = parse_module("m", source)
    return list(make_mutants(program, {mutator: ALL[mutator]}, misconception=False))


def of_references() -> Iterator[tuple[str, Mutant]]:
    """Yield the mutants of all references, with the names of the exercises."""
    for exercise, modules in MODULES.items():
        for module in modules:
            source = (REFERENCE / exercise / f"{module}.py").read_text(encoding="utf-8")
            for mutant in (*mutants(module, source), *misconception_mutants(module, source)):
                yield exercise, mutant


@pytest.fixture(scope="module")
def all_mutants() -> list[tuple[str, Mutant]]:
    """The mutants of all references."""
    return list(of_references())


@pytest.mark.parametrize("mutator", ALL)
def test_an_operator_changes_what_it_is_about(mutator: str) -> None:
    """Each mutator makes the mistake that it is named after, wherever the program allows it."""
    source, expected = EXAMPLES[mutator]

    assert expected == [mutant.after for mutant in of(mutator, source)]


@pytest.mark.parametrize("mutator", MISCONCEPTIONS)
def test_a_misconception_says_what_it_is(mutator: str) -> None:
    """The misconception behind an mutator is its docstring: one sentence."""
    sentence = MISCONCEPTIONS[mutator].__doc__ or ""

    assert re.fullmatch(r'[A-Z`1"].*[.?]', sentence)


@pytest.mark.authoring
def test_every_operator_fits_a_reference(all_mutants: list[tuple[str, Mutant]]) -> None:
    """Each misconception fits one of our references; so does each slip but one."""
    found = {mutant.mutator for _, mutant in all_mutants}

    assert MISCONCEPTIONS.keys() <= found
    assert {"keyword"} == MUTATORS.keys() - found
    assert len(MISCONCEPTIONS) >= 25


@pytest.mark.parametrize("exercise", MODULES)
def test_a_reference_has_many_mutants(exercise: str, all_mutants: list[tuple[str, Mutant]]) -> None:
    """Each reference gives at least 150 slips, and misconceptions besides."""
    ours = [mutant for name, mutant in all_mutants if name == exercise]

    assert sum(not mutant.misconception for mutant in ours) >= 150
    assert sum(mutant.misconception for mutant in ours) >= 50


@pytest.mark.authoring
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_mutants_are_programs(all_mutants: list[tuple[str, Mutant]]) -> None:
    """Every mutant compiles, and differs from the reference where it says."""
    for exercise, mutant in all_mutants:
        source = (REFERENCE / exercise / f"{mutant.module_name}.py").read_text(encoding="utf-8")
        compile(mutant.source, f"{mutant.module_name}.py", "exec")

        assert mutant.source != source
        assert mutant.before != mutant.after
        assert mutant.before.splitlines()[0] in source


def test_names_are_unique(all_mutants: list[tuple[str, Mutant]]) -> None:
    """No two mutants of an exercise have the same name."""
    names = [(exercise, mutant.id) for exercise, mutant in all_mutants]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[0-9a-f]{8}", name) for _, name in names)


FUNCTIONS: Final = """def f(a):
    \"\"\"Say f.\"\"\"
    return a + 1


def g(a):
    return a < 1
"""


def ids(source: str) -> dict[str, list[str]]:
    """Return the names of the mutants of each line of code."""
    found: dict[str, list[str]] = {}
    for mutant in (*mutants("m", source), *misconception_mutants("m", source)):
        found.setdefault(mutant.before, []).append(mutant.id)
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a < 1", "a < 2"),
        ('"""Say f."""', '"""Say something else."""'),
        ("    return a + 1", "    # Count on.\n    return a + 1"),
        ("def f", "import math\n\n\ndef f"),
    ],
)
def test_a_name_lasts(old: str, new: str) -> None:
    """The name of a mutant stays when only comments, docstrings or other functions change."""
    assert ids(FUNCTIONS)["return a + 1"] == ids(FUNCTIONS.replace(old, new))["return a + 1"]


@pytest.mark.parametrize(
    ("old", "new"), [("    return a + 1", "    a = a * 2\n    return a + 1"), ("def f", "def h")]
)
def test_a_name_expires(old: str, new: str) -> None:
    """No name of a mutant stays when its function changes."""
    before, after = ids(FUNCTIONS), ids(FUNCTIONS.replace(old, new))

    assert not set(before["return a + 1"]) & set(after["return a + 1"])
    assert before["return a < 1"] == after["return a < 1"]


def test_the_same_change_twice_has_two_names() -> None:
    """Two changes that look the same are told apart."""
    first, second = of("statement", "def f(a):\n    a.g()\n    a.g()\n    a.h()\n")[:2]

    assert (first.before, first.after) == (second.before, second.after)
    assert first.id != second.id


def test_what_does_the_same_is_no_mutant() -> None:
    """A change that gives the same code as the original, or as an earlier mutant, is left out."""
    assert ["pass"] == [m.after for m in of("statement", "def f(a):\n    a()\n    pass\n")]
    assert [] == of("logic", "x = 1 and 2\n")[1:]
    assert ["if False"] == [m.after for m in of("number", "if True:\n    x()\n")]


@pytest.mark.parametrize(
    "source",
    [
        '"""Doc."""\nimport a\n',
        "Position = tuple[int, int]\n",
        "T = TypeVar('T')\n",
        "if TYPE_CHECKING:\n    x = 1\n",
        "if __name__ == '__main__':\n    f()\n",
        "def f(a: Literal[1]) -> Literal[2]: ...\n",
        "open(encoding='utf-8')\n",
    ],
)
def test_what_is_idle_is_left_alone(source: str) -> None:
    """Docstrings, annotations, types, imports and what makes a script have no mutants."""
    assert [] == [m.after for op in ("number", "string", "comparison") for m in of(op, source)]


@pytest.mark.parametrize("mutator", ["default always used", "collections added up"])
def test_function_of_only_a_docstring_is_no_trouble(mutator: str) -> None:
    """A reference can have a function that does nothing."""
    source = 'def f(a: list[int], b: list[int], c: int = 1) -> None:\n    """Nothing."""\n'
    assert [] == of(mutator, source)


def test_the_rest_of_the_text_stays() -> None:
    """A mutant keeps comments and layout, also around characters of several bytes."""
    source = "# ★ één\nx = (  'é' +  # a + b\n  a)\n"

    (mutant,) = of("arithmetic", source)

    assert source.replace("'é' +", "'é' -") == mutant.source
    assert 2 == mutant.line


def test_line_ends_do_not_matter() -> None:
    """A source with the line ends of another system has the same mutants."""
    assert ids(FUNCTIONS) == ids(FUNCTIONS.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{1}", "set"),
        ("[x for x in a]", "list"),
        ("f'{a}'", "str"),
        ("not a", "bool"),
        ("{1} | a", "set"),
        ("[].copy()", "list"),
        ("'a'.join(b)", "str"),
        ("f(1)", "tuple"),
        ("g()", "set"),
        ("CONSTANT", "dict"),
        ("unknown", None),
        ("a.b", None),
        ("a()()", None),
    ],
)
def test_a_kind_is_guessed(source: str, expected: str | None) -> None:
    """The type of a value is told from its text, as far as that goes."""
    context = (
        "Pair = tuple[int, int]\nCONSTANT = {}\n"
        "def f(a) -> Pair: ...\ndef g():\n    x: set[int] = h()\n    return x\n"
        f"def last():\n    return {source}\n"
    )
    program = parse_module("m", context)
    last = program.tree.body[-1]
    assert isinstance(last, ast.FunctionDef)
    assert isinstance(last.body[0], ast.Return)

    assert expected == kind(program, last.body[0].value)
