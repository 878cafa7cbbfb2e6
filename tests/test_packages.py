"""Packages of a course besides numpy, in real executors: tables, figures, expressions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from textwrap import dedent

import pytest
from builders import graded

from grader.judging.record import CaseResult, Record
from grader.reporting.wording import format_message
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

ZygoteOf = Callable[[str], Zygote]


@pytest.fixture(scope="module")
def with_package() -> Iterator[ZygoteOf]:
    """What starts a zygote whose executors have a package, once for each package."""
    if sys.platform != "linux":
        pytest.skip("a zygote needs Linux")
    with ExitStack() as stack:
        known: dict[str, Zygote] = {}

        def started(package: str) -> Zygote:
            pytest.importorskip(package)
            if package not in known:
                known[package] = stack.enter_context(Zygote(packages=[package]))
            return known[package]

        yield started


def record(zygote: Zygote, package: str, source: str, *steps: tuple[str, str]) -> Record:
    """Return what comes of a source and steps, each code and a key with what is expected."""
    lines = "".join(f"      - {{do: {json.dumps(code)}, {key}, group: g}}\n" for code, key in steps)
    head = f"imports: [standard, {package}]\nwrites: [o.csv]\n"
    head += 'files: {t.csv: "a,b\\n1,x\\n2,y\\n"}\n'
    body = f"groups:\n  - {{id: g, points: 1}}\nsessions:\n  - id: s\n    steps:\n{lines}"
    return graded(zygote, f"{head}{body}", source)


def case(zygote: Zygote, package: str, source: str, code: str, expected: str) -> CaseResult:
    """Return the result of one step."""
    (found,) = record(zygote, package, source, (code, f"returns: {json.dumps(expected)}")).cases
    return found


TABLE = """
import pandas as pd
t = pd.read_csv("t.csv")
"""
T = (
    "DataFrame(columns=['a', 'b'], index=[0, 1], kinds=['int', 'text'], "
    "cells=array({}, dtype=object))"
)
CELLS = "[[1, 'x'], [2, 'y']]"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("t", T.format(CELLS)),
        ("t.a * 0.1", "Series(name='a', index=[0, 1], kind='float', values=[0.1, 0.2])"),
        ("t.set_index('b').index", "Index(values=['x', 'y'])"),
        ("pd.to_datetime('2024-02-01')", "Timestamp(text='2024-02-01T00:00:00')"),
        ("t.a.sum()", "3"),
        ("t.a.shift()[1:].tolist()", "[1.0]"),
        ("t.where(t.a > 1).b.tolist()", "[nan, 'y']"),
        ("(t.to_csv('o.csv'), open('o.csv').read())[1]", "',a,b\\n0,1,x\\n1,2,y\\n'"),
    ],
)
def test_tables(with_package: ZygoteOf, code: str, expected: str) -> None:
    """Tables travel as what they hold, and are read from the files of the suite."""
    found = case(with_package("pandas"), "pandas", TABLE, code, expected)
    assert Verdict.PASSED is found.verdict, found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "t.assign(b=['x', 'z'])",
            "(row 1, column 1, counted from 0): expected 'y', but your code gives 'z'.",
        ),
        ("t.rename(columns={'a': 'c'})", "At .columns: expected ['a', 'b'], but"),
        ("t.astype({'a': float})", "At .kinds: expected ['int', 'text'], but"),
        ("t[::-1]", "At .index: expected [0, 1], but your code gives [1, 0]."),
        ("t.to_dict()", "DataFrame"),
    ],
)
def test_tables_that_differ(with_package: ZygoteOf, change: str, said: str) -> None:
    """A wrong table is explained by its columns, index and kinds, and then cell by cell."""
    found = case(with_package("pandas"), "pandas", TABLE, change, T.format(CELLS))
    assert Verdict.WRONG is found.verdict
    assert said in " ".join(format_message(each, "en") for each in found.explanation)


def test_numbers_of_tables_have_a_tolerance(with_package: ZygoteOf) -> None:
    """The tolerance of a step holds for cells."""
    zygote, column = with_package("pandas"), "t.a / 3"
    wanted = "Series(name='a', index=[0, 1], kind='float', values=[0.33, 0.67])"
    loose = f"returns: {json.dumps(wanted)}, tolerance: 0.01"
    strict = f"returns: {json.dumps(wanted)}"
    found = record(zygote, "pandas", TABLE, (column, loose), (column, strict))
    assert [Verdict.PASSED, Verdict.WRONG] == [each.verdict for each in found.cases]


FIGURE = """
import matplotlib.pyplot as plt
figure, axes = plt.subplots()
axes.plot([1, 2], [3, 4], label="up")
axes.bar(["a", "b"], [1, 2])
axes.scatter([1], [2])
axes.set(title="T", xlabel="X", ylabel="Y")
axes.legend()
plt.tight_layout()
plt.savefig("figure.png")
plt.show()
"""
AXES = """Axes(title='T', xlabel='X', ylabel='Y', legend=['up'], lines=[[(1.0, 3.0), (2.0, 4.0)]],
    bars=[[('a', 1.0), ('b', 2.0)]], points=[[(1.0, 2.0)]])"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("plt.gca()", AXES),
        ("plt.gcf()", f"Figure(title='', axes=[{AXES}])"),
        ("plt.gca().get_title()", "'T'"),
        ("axes.set_title('Ω ß').get_window_extent(figure.canvas.get_renderer()).width > 9", "True"),
    ],
)
def test_figures(with_package: ZygoteOf, code: str, expected: str) -> None:
    """A figure is what it was made of, and nothing is drawn."""
    found = case(with_package("matplotlib"), "matplotlib", FIGURE, code, expected)
    assert Verdict.PASSED is found.verdict, found


def test_bars_of_another_height(with_package: ZygoteOf) -> None:
    """What differs in a figure is told by its place."""
    source = FIGURE.replace("[1, 2])\naxes.scatter", "[1, 3])\naxes.scatter")
    found = case(with_package("matplotlib"), "matplotlib", source, "plt.gca()", AXES)
    assert "At .bars: expected [[('a', 1.0), ('b', 2.0)]]" in format_message(
        found.explanation[0], "en"
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("diff(x**3, x)", "Expr(text='3*x**2')"),
        ("Rational(1, 2)", "Expr(text='1/2')"),
        ("Matrix([[x, 1]])", "Matrix(text='[[x, 1]]')"),
        ("[solve(x**2 - 4, x)]", "[[Expr(text='-2'), Expr(text='2')]]"),
        ("simplify((x + 1)**2 - x**2 - 2*x - 1) == 0", "True"),
    ],
)
def test_expressions(with_package: ZygoteOf, code: str, expected: str) -> None:
    """Expressions of sympy are compared as they are written."""
    source = "from sympy import *\nx = Symbol('x')\n"
    found = case(with_package("sympy"), "sympy", source, code, expected)
    assert Verdict.PASSED is found.verdict, found


def test_scipy(with_package: ZygoteOf) -> None:
    """What scipy computes are numbers and arrays."""
    source = "from scipy import optimize, stats\n"
    found = record(
        with_package("scipy"),
        "scipy",
        source,
        ("stats.linregress([1, 2, 3], [1, 2, 3]).slope", "returns: '1.0'"),
        ("optimize.brentq(lambda x: x - 1, 0, 3)", "returns: '1.0'"),
    )
    assert [Verdict.PASSED] * 2 == [each.verdict for each in found.cases]


@pytest.mark.parametrize("package", ["pandas", "matplotlib", "sympy", "scipy"])
def test_the_walls_stand(with_package: ZygoteOf, zygote: Zygote, package: str) -> None:
    """A zygote with a package is held by all that holds the others."""
    assert zygote.isolation == with_package(package).isolation


def test_a_table_of_ones_own_is_no_table(zygote: Zygote) -> None:
    """Without the package a class of that name is like any other."""
    source = """
        class DataFrame:
            columns = index = kinds = cells = 1
    """
    steps = "[{id: s, steps: [{do: DataFrame(), returns: '1', group: g}]}]"
    found = graded(zygote, f"groups: [{{id: g, points: 1}}]\nsessions: {steps}\n", dedent(source))
    assert "DataFrame" in format_message(found.cases[0].explanation[0], "en")


BARS = ("(0.0, 1.0), (1.0, 2.0)", "(0.0, 1.0), (1.0, 3.0)")
LIBRARY = {
    "asyncio": """
        import asyncio
        async def double(x):
            await asyncio.sleep(3 - x)
            return 2 * await asyncio.to_thread(abs, x)
        async def all_of_them():
            return await asyncio.gather(*map(double, (1, 2)))
        def f(): return asyncio.run(asyncio.wait_for(all_of_them(), 60))
        def wrong(): asyncio.run(asyncio.open_connection("127.0.0.1", 80))
        """,
    "sqlite3": """
        import sqlite3
        def f():
            with sqlite3.connect("shop.db") as shop:
                shop.execute("create table t (n)")
                shop.executemany("insert into t values (?)", [(2,), (4,)])
            shop.close()
            return [n for n, in sqlite3.connect("shop.db", 10).execute("select n from t")]
        def wrong(): sqlite3.connect("file:/etc/passwd", uri=True).execute("select 1")
        """,
    "xml": """
        import xml.etree.ElementTree as ET
        from xml.dom import minidom
        def f():
            open("a.xml", "w").write("<a><b n='2'/><b n='4'/></a>")
            assert len(minidom.parse("a.xml").getElementsByTagName("b")) == 2
            return [int(b.get("n")) for b in ET.parse("a.xml").getroot()]
        def wrong(): ET.parse("/etc/passwd")
        """,
    "zoneinfo": """
        import datetime, zoneinfo
        def f():
            zone = zoneinfo.ZoneInfo("Europe/Brussels")
            days = [datetime.datetime(2024, month, 1, tzinfo=zone) for month in (1, 7)]
            return [2 * day.utcoffset().seconds // 3600 for day in days]
        def wrong(): zoneinfo.ZoneInfo("../../etc/passwd")
        """,
}


@pytest.mark.parametrize("module", LIBRARY)
def test_modules_that_are_loaded_for_who_asks(with_package: ZygoteOf, module: str) -> None:
    """They work in memory and by the clock of the session, and reach nothing outside."""
    zygote, source = with_package(module), dedent(LIBRARY[module])
    found = record(
        zygote, module, source, ("f()", "returns: '[2, 4]'"), ("wrong()", "returns: '1'")
    )
    assert [Verdict.PASSED, Verdict.ERROR] == [each.verdict for each in found.cases]


@pytest.mark.skipif(sys.platform != "linux", reason="a zygote needs Linux")
def test_tables_plot() -> None:
    """What pandas draws is a figure like any other, and its bars are told by name."""
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    source = TABLE + "def f(): return t.plot.bar(x='b', y='a', legend=False)\n"
    bars = "Axes(title='', xlabel='b', ylabel='', legend=[], lines=[], bars=[[{}]], points=[])"
    steps = [("f()", f"returns: {json.dumps(bars.format(each))}") for each in BARS]
    with Zygote(packages=["pandas", "matplotlib"]) as zygote:
        found = record(zygote, "pandas, matplotlib", source, *steps)
    assert [Verdict.PASSED, Verdict.WRONG] == [each.verdict for each in found.cases]
