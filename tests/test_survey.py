"""The survey: what the source of a submission says, found by an executor that runs none of it."""

from __future__ import annotations

import copy
from textwrap import dedent
from typing import Any

import pytest
from surveyed_sources import maybe, spans, survey, unmarked

from grader.errors import ProtocolError
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.survey import decode_survey, request_survey
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits


@pytest.mark.parametrize(("count", "is_clipped"), [(499, False), (500, True)])
def test_more_new_syntax_than_is_sent_is_told(
    zygote: Zygote, count: int, *, is_clipped: bool
) -> None:
    """What a student wrote may stand behind a flood of it in other code, which is left out."""
    source = "".join(f"def f{number}(a, /): pass\n" for number in range(count))
    found = maybe(zygote, {"m": source}, (3, 6))
    assert found is not None
    assert (count, is_clipped) == (len(found.too_new), found.is_clipped)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_python(zygote: Zygote, newline: str) -> None:
    """A line ends where Python says so, not at a form feed or another break of Unicode."""
    lines = ["x = 1\x0c; y = '\u2028\x85'", "\x0c# é", "t = 'é\x1c\t'; z = [1 for a in y]"]
    found = survey(zygote, newline.join(lines))
    (use,) = (each for each in found.constructs if each.kind == "list comprehension")
    assert (3, 16) == (use.place.line, use.place.column)


def test_imports(zygote: Zygote) -> None:
    """Imports are found wherever they stand, also those by a call with a literal name."""
    marked = dedent(
        """
        import ⟦a.b as c⟧, ⟦d⟧
        ⟦from e.f import g, h⟧
        from . import ⟦i⟧, ⟦j as k⟧
        ⟦from ..l import m⟧
        def f():
            import ⟦n⟧
            ⟦__import__('o')⟧; __import__(name)
        ⟦from importlib import import_module as im⟧
        ⟦im('p.q')⟧
        'import r'  # import s
        """
    )
    source, places = unmarked(marked)
    found = survey(zygote, source)
    names = ["a.b", "d", "e.f", ".i", ".j", "..l", "n", "o", "importlib", "p.q"]
    assert names == [each.name for each in found.imports]
    assert places == spans([each.place for each in found.imports])


BODY = """
    count = 0
    for {a} in range(1, {n}):
        if look(board, {a}):
            count += {n}
    print(count, {a})
    return count
"""


def test_names_that_are_no_unicode(zygote: Zygote) -> None:
    """A lone surrogate in a literal name hides nothing of what else the source says."""
    found = survey(zygote, "import gc\nif 0: __import__('\\udfff')\n")
    assert ["gc", "\udfff"] == [each.name for each in found.imports]
    assert ["gc"] == [name for name, _, _ in found.suspicious]


def test_repeated_stretches(zygote: Zygote) -> None:
    """A stretch that is the same but for names and literals is told once, with both places."""
    one = f"def f(board):\n    'text'{BODY.format(a='row', n=5)}"
    other = f"def g(board):\n    import x{BODY.format(a='column', n=77)}"
    found = survey(zygote, f"{one}\n{other}")
    assert [(3, 8, 6, "m", 12, 17)] == [
        (
            *(each.first.line, each.first.end_line, each.statements),
            *(each.second.module, each.second.line, each.second.end_line),
        )
        for each in found.repeated
    ]


def test_repetition_across_modules(zygote: Zygote) -> None:
    """Stretches are compared between modules, too."""
    found = survey(
        zygote,
        f"def f(board):{BODY.format(a='row', n=5)}",
        n=f"x = 1\ndef g(board):{BODY.format(a='column', n=6)}",
    )
    assert [("m", "n")] == [(each.first.module, each.second.module) for each in found.repeated]


@pytest.mark.parametrize(
    "source",
    [
        f"def f(board):{BODY.format(a='row', n=5)}",
        f"def f(board):{BODY.format(a='x', n=5)}def g(board):{BODY.format(a='x', n='h(5)')}",
        "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nx()\n" * 2,
        "import a\nimport b\nimport c\nimport d\nimport e\nimport f\nimport g\n" * 4,
        "def f(): return g(1, 2, 3)\n" * 9,
    ],
)
def test_what_is_no_repetition(zygote: Zygote, source: str) -> None:
    """Stretches that differ in structure, or have little of it, are no repetition."""
    assert () == survey(zygote, source).repeated


def test_repetitions_do_not_overlap(zygote: Zygote) -> None:
    """Of many equal statements each is told of once at most, and not too many in all."""
    found = survey(zygote, "x = f(a, b, c, d, g(1), h(2))\n" * 400)
    assert 0 < len(found.repeated) <= 20
    spots = [(each.second.line, each.second.end_line) for each in found.repeated]
    assert all(
        one[1] < other[0] or other[1] < one[0] for one in spots for other in spots if one != other
    )


SUSPICIOUS = [
    ("import sys\n⟦sys.setprofile⟧(None)", ["sys.setprofile"]),
    ("import sys as s\n⟦s._getframe⟧(1)", ["sys._getframe"]),
    ("from sys import ⟦settrace as t⟧\n⟦t⟧(None)", ["sys.settrace"] * 2),
    ("import sys\n⟦sys.monitoring.register⟧", ["sys.monitoring"]),
    ("import sys\n⟦getattr(sys, 'settrace')⟧(None)", ["sys.settrace"]),
    ("import ⟦gc⟧, ⟦inspect as i⟧\n⟦from ctypes import util⟧", ["gc", "inspect", "ctypes"]),
    ("⟦__import__('gc')⟧", ["gc"]),
    ("⟦exec⟧('x'); ⟦eval⟧('x'); ⟦compile⟧", ["exec", "eval", "compile"]),
    ("⟦f.__code__⟧ = g", ["__code__"]),
    ("setattr(f, ⟦'__code__'⟧, g)", ["__code__"]),
    (
        "⟦setattr(f, name, g)⟧; ⟦getattr(f, 'na' + 'me')⟧; getattr(f, 'name')",
        ["setattr", "getattr"],
    ),
    ("⟦__builtins__⟧['len'] = 1", ["__builtins__"]),
    ("import types\n⟦types.FunctionType⟧(c, {})", ["types.FunctionType"]),
    ("⟦e.tb_frame⟧; ⟦f.__closure__⟧; ⟦f.__dict__⟧", ["tb_frame", "__closure__", "__dict__"]),
    ("⟦globals⟧()[⟦'__built'⟧ + ⟦'ins__'⟧]", ["globals", "__built", "ins__"]),
    ("⟦vars⟧(); ⟦locals⟧(); x.globals()", ["vars", "locals"]),
    ("import ⟦dis⟧\n⟦from opcode import opmap⟧", ["dis", "opcode"]),
    ("from operator import attrgetter as g\ng(⟦'__code__.co_names'⟧)", ["__code__.co_names"]),
    ("import operator\n⟦operator.attrgetter(*names)⟧; operator.attrgetter('rij')", ["attrgetter"]),
    ("⟦'{0.__code__}'⟧.format(f)", ["{0.__code__}"]),
    ("x = '{0.x}'\n⟦x.format(f)⟧; '{}'.format(f); f'{f}'.format(1)", ["format"]),
    ("class A: __slots__ = ('__rij', 'a__b')\ngetattr(a, '_A__rij')", []),
    ("import collections\n⟦collections._sys._getframe⟧", ["collections._sys"]),
    ("from random import ⟦_os⟧", ["random._os"]),
    ("import sys\n⟦sys.modules⟧; ⟦sys.exc_info⟧(); sys.maxsize", ["sys.modules", "sys.exc_info"]),
    ("import time\n⟦time.perf_counter⟧(); time.sleep(1)", ["time.perf_counter"]),
    ("try: f()\nexcept ⟦RecursionError⟧: g()", ["RecursionError"]),
    ('"A __doc."\nif __name__ == "__main__": print("__"); super().__init__()', []),
    ("import sys\nsys.setrecursionlimit(5000); sys.exit(); sys.argv[1:]", []),
    ("import re\nre.compile('exec'); compiled = 'eval'; x.exec(); x.settrace()", []),
    ("def f(eval, exec): return eval(exec)", []),
    ("import threading, traceback, sys, types, functools, itertools", []),
]


@pytest.mark.parametrize(("marked", "names"), SUSPICIOUS)
def test_names_that_can_lie_to_a_probe(zygote: Zygote, marked: str, names: list[str]) -> None:
    """What can reach the instruments of a probe is noted, and ordinary names are not."""
    source, places = unmarked(marked)
    found = survey(zygote, source)
    assert names == [name for name, _, _ in found.suspicious]
    assert places == spans([place for _, place, _ in found.suspicious])


def test_modules_of_its_own_may_hide_what_they_like(zygote: Zygote) -> None:
    """A private name of another file of the submission is nobody's business."""
    sources = {"a": ("a.py", "import b, sys\nb._private; sys._private"), "b": ("b.py", "")}
    found = request_survey(
        SessionRunner(zygote, Program.from_sources(sources, {}), Limits()), ["a", "b"]
    )
    assert found is not None
    assert ["sys._private"] == [name for name, _, _ in found.suspicious]


def test_only_what_is_asked_is_surveyed(zygote: Zygote) -> None:
    """Modules that nobody names, such as given ones, are not surveyed."""
    program = Program.from_sources({n: (f"{n}.py", f"def {n}(): pass") for n in "abc"}, {})
    found = request_survey(SessionRunner(zygote, program, Limits()), ["a", "c", "d"])
    assert found is not None
    assert ["a.a", "c.c"] == [each.name for each in found.functions]


def test_a_survey_is_the_same_once_the_program_is_compiled(zygote: Zygote) -> None:
    """That the first executors have compiled the sources makes no difference."""
    program = Program.from_sources({"m": ("m.py", "def f(): return [1 for _ in range(3)]\n")}, {})
    runner = SessionRunner(zygote, program, Limits())
    before = request_survey(runner, ["m"])
    for _ in range(3):
        assert runner.run((), modules=("m",)).is_loaded
    assert before == request_survey(runner, ["m"])
    assert before is not None


DEEP = 10_000


@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n",
        "x = 1\0\n",
        "x = '\ud800'\n",
        "(" * DEEP + ")" * DEEP,
        "x = " + "-" * 100_000 + "1",
        "x = " + "[" * 90 + "]" * 91,
        "x = " + "1 + " * 100_000 + "1",
        "x = a" + ".b" * 100_000,
        "if 1:\n" + "".join(" " * i + "if 1:\n" for i in range(1, 200)) + " " * 200 + "x",
    ],
)
def test_what_cannot_be_parsed_is_named(zygote: Zygote, source: str) -> None:
    """A module that breaks the parser is told by name, and the others are surveyed."""
    found = maybe(zygote, {"bad": source, "good": "def f(): pass\n"})
    if found is not None:  # the interpreter may die of it, which is no harm either
        assert {"bad"} == found.unparsed.keys()
        assert found.unparsed["bad"].endswith("Error")
        assert ["good.f"] == [each.name for each in found.functions]


@pytest.mark.corpus
@pytest.mark.parametrize(
    "source",
    [
        "def f(): pass\n" * 50_000,
        "def f(a, b): return a[0], f(b, [x for x in a])\n" * 5_000,
        "x = '" + "a" * 1_000_000 + "'\n",
        "x = [" + "é, " * 200_000 + "]\n",
        "x = f'" + "{a}" * 20_000 + "'\n",
        "x = 1; " * 50_000,
        "f" + "()" * 900,
        "x = " + "lambda: " * 150 + "1",
        "def f():\n" + "    x = g(1, h(2), k(3), m(4))\n" * 20_000,
        "class A:\n" + "    def m(self): return self.m()\n" * 5_000,
        "T = {" + "'a': f, " * 5_000 + "}\n" + "def f(): return T\n" * 2_000,
        "a0 = f\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(5_000)) + "def f(): a5000()\n",
        "from m import x\n" * 2_000 + "def f(): x\n" * 100,
        "import sys\n" * 10_000 + "sys.settrace\n" * 10_000,
        "é" * 200_000 + " = [" + "map, " * 50_000 + "]\n",
    ],
)
def test_large_sources_come_to_an_end(zygote: Zygote, source: str) -> None:
    """However large a source is, a survey of it ends, and holds no more than its caps allow."""
    found = maybe(zygote, {"m": source})
    if found is not None:
        assert len(found.functions) <= 5_000
        assert len(found.constructs) <= 2_000 * 5


def test_a_survey_that_runs_out_of_time_or_memory_is_none(zygote: Zygote) -> None:
    """The limits of a session hold for a survey, too."""
    source = "x = [f(i) for i in range(1)]\n" * 30_000
    assert maybe(zygote, {"m": source}, limits=Limits(cpu_s=0.005)) is None
    lost = maybe(zygote, {"m": source}, limits=Limits().with_changes(memory_bytes=4_000_000))
    assert lost is None or {"m": "MemoryError"} == lost.unparsed


PLACE = ["m", 1, 2, 1, 3]
FACTS: dict[str, Any] = {
    "constructs": [["for", PLACE, "m.f", False]],
    "functions": [
        ["m.f", PLACE, [["a", "positional", False]], True, 3, 0, ["m.f"], [["a", "in", PLACE]]]
    ],
    "imports": [["a", PLACE]],
    "too_new": [["match", [3, 10], PLACE]],
    "repeated": [[PLACE, PLACE, 5]],
    "suspicious": [["gc", PLACE, "m"]],
    "starts": {"m": ["m.f"]},
    "unnamed": ["m.f"],
    "definitions": [["m.f", PLACE, "0" * 64]],
    "unparsed": {"n": "SyntaxError"},
}
MODULES = ("m", "n")


def test_facts_of_the_right_shape_are_taken() -> None:
    """What an executor of ours sends is what the judge gets."""
    found = decode_survey(FACTS, MODULES)
    assert {"n": "SyntaxError"} == found.unparsed
    assert "m.f" == found.functions[0].calls[0]
    assert (3, 10) == found.too_new[0].since


WRONG: list[tuple[list[str | int], object]] = [
    (["constructs"], None),
    (["constructs", 0], ["for", PLACE, "m.f"]),
    (["constructs", 0, 0], "goto"),
    (["constructs", 0, 3], 1),
    (["constructs", 0, 2], "x" * 201),
    (["constructs", 0, 1, 0], "n"),
    (["constructs", 0, 1, 0], "other"),
    (["constructs", 0, 1, 0], []),
    (["constructs", 0, 1, 1], 0),
    (["constructs", 0, 1, 1], True),
    (["constructs", 0, 1, 1], 1.0),
    (["constructs", 0, 1, 1], 2),
    (["constructs", 0, 1, 3], 1 << 31),
    (["constructs"], [["for", PLACE, "m.f", False]] * 20_001),
    (["functions", 0], []),
    (["functions", 0, 2, 0, 1], "sideways"),
    (["functions", 0, 2, 0, 0], 5),
    (["functions", 0, 3], None),
    (["functions", 0, 4], -1),
    (["functions", 0, 6], [["m.f"]]),
    (["functions", 0, 6], ["m.f"] * 201),
    (["functions", 0, 7, 0, 1], "kick"),
    (["imports", 0], ["a"]),
    (["too_new", 0, 1], [3]),
    (["too_new", 0, 1], ["3", 10]),
    (["repeated", 0, 2], 0),
    (["repeated"], [[PLACE, PLACE, 5]] * 21),
    (["suspicious", 0], ["gc", PLACE, 1]),
    (["starts"], []),
    (["starts", "m"], [5]),
    (["starts", "m"], ["m.f"] * 2_001),
    (["unnamed"], ["x" * 201]),
    (["definitions", 0, 2], "0" * 63),
    (["definitions", 0, 2], "g" * 64),
    (["unparsed"], []),
    (["unparsed"], {"other": "SyntaxError"}),
    (["unparsed"], {"n": None}),
    (["more"], []),
]


@pytest.mark.parametrize(("way", "value"), WRONG)
def test_facts_of_another_shape_are_refused(way: list[str | int], value: object) -> None:
    """Whatever our executor could not have sent is refused as a whole."""
    facts: Any = copy.deepcopy(FACTS)
    at = facts
    for step in way[:-1]:
        at = at[step]
    at[way[-1]] = copy.deepcopy(value)
    with pytest.raises(ProtocolError):
        decode_survey(facts, MODULES)


@pytest.mark.parametrize("facts", [None, [], {}, 5, {**FACTS, "constructs": {}}])
def test_what_is_no_survey_is_refused(facts: object) -> None:
    """A reply without a survey in it is none."""
    with pytest.raises(ProtocolError):
        decode_survey(facts, MODULES)
