"""What doctest takes is derived, whatever it looks like, and asks what the spec shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
from builders import by_id, submission
from builders import suite as suite_of
from small_specs import derived

from grader.errors import GraderError
from grader.intake.submission import SourceFile, Submission
from grader.judging.judge import grade
from grader.judging.rules import KINDS
from grader.plugins.authoring.deriving.derivation import Derivation
from grader.plugins.authoring.deriving.doubts import DerivationError
from grader.plugins.authoring.deriving.proving import complete_derivation, prove, prove_steady
from grader.plugins.authoring.deriving.settings import load_settings
from grader.plugins.authoring.proof import unsteady_cases
from grader.plugins.authoring.suite_text import as_yaml
from grader.sandbox.planning import Item
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.suite.loading import parse_suite
from grader.suite.model import Suite

SETTINGS: Final = "exercise: shape\ntitle: Shape\nlanguage: en\nmodule: shape\ndefines: []\n"
RATIO: Final = """
class Ratio:
    def __init__(self, n, d):
        self.n, self.d = n, d
    def __repr__(self):
        return f'Ratio({self.n}, {self.d})'
"""
POINT: Final = """
from dataclasses import dataclass
@dataclass
class Point:
    x: int
    y: int
"""
PLAIN_POINT: Final = """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __repr__(self):
        return f'Point(x={self.x}, y={self.y})'
"""
RAISING: Final = "class Odd(ValueError): pass\ndef f(n):\n    raise Odd(f'{n} is odd')\n"
COUNTDOWN: Final = """
def countdown(n):
    while n:
        yield n
        n -= 1
"""
COUNTED: Final = """
class Thing:
    made = 0
    def __init__(self):
        Thing.made += 1
"""
CHANCE: Final = "import random\ndef draw():\n    return random.randint(1, 100)\n"
TRACE: Final = "Traceback (most recent call last):\n    ...\n"


def folder(tmp_path: Path, reference: str, settings: str = "") -> Path:
    """Return a folder with this reference of `shape`, and its settings."""
    made = tmp_path / "shape"
    made.mkdir()
    (made / "exercise.yaml").write_text(SETTINGS + settings)
    (made / "shape.py").write_text(reference)
    return made


def proven(zygote: Zygote, made: Path, spec: str) -> tuple[Derivation, Suite]:
    """Return what comes of `spec` on the reference in `made`, and its suite, proven."""
    done = derived(zygote, made, spec)
    reference = made / "shape.py"
    done = complete_derivation(done, _suite(done), reference, zygote)
    prove(_suite(done), reference, zygote, done.dependent)
    return done, _suite(done)


def _suite(done: Derivation) -> Suite:
    return parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS)


def steps(done: Derivation) -> list[dict[str, Any]]:
    """Return the steps of the first session, without what is the same in all."""
    labels = {"group", "line", "note"}
    found = done.document["sessions"][0]["steps"]
    return [{key: step[key] for key in step if key not in labels} for step in found]


def failed(zygote: Zygote, suite: Suite, source: str) -> list[str]:
    """Return the cases of `suite` that the module `source` does not pass."""
    submission = Submission(
        student="student",
        modules={"shape": SourceFile(name="shape.py", text=source, encoding="utf-8")},
        data={},
        parts={"shape": "shape"},
        raw={"shape.py": source.encode()},
    )
    record = grade(suite, submission, zygote)
    return [name for name, case in by_id(record).items() if case.verdict.value != "PASSED"]


@pytest.mark.parametrize(
    ("reference", "spec", "asked"),
    [
        (RATIO, ">>> Ratio(1, 2)\nRatio(1, 2)\n", {"shows": "Ratio(1, 2)\n"}),
        (
            RATIO,
            ">>> {'half': [Ratio(1, 2)]}\n{'half': [Ratio(1, 2)]}\n",
            {"shows": "{'half': [Ratio(1, 2)]}\n"},
        ),
        (POINT, ">>> Point(1, 2)\nPoint(x=1, y=2)\n", {"shows": "Point(x=1, y=2)\n"}),
        (
            "from math import pi\n",
            ">>> pi  # doctest: +ELLIPSIS\n3.14...\n",
            {"shows": "3.14...\n", "ellipsis": True},
        ),
        (
            "rows = [[1, 2], [3, 4]]\n",
            ">>> rows  # doctest: +NORMALIZE_WHITESPACE\n[[1, 2],\n [3, 4]]\n",
            {"returns": "[[1, 2], [3, 4]]"},
        ),
        (
            "def f():\n    print('a    1')\n",
            ">>> f()  # doctest: +NORMALIZE_WHITESPACE\na 1\n",
            {"stdout": "a 1\n", "ignore": ["blanks"]},
        ),
        (
            RAISING,
            f">>> f(3)  # doctest: +IGNORE_EXCEPTION_DETAIL\n{TRACE}shape.Odd: what?\n",
            {"raises": "Odd"},
        ),
        (RAISING, f">>> f(3)\n{TRACE}shape.Odd: 3 is odd\n", {"raises": "Odd: 3 is odd"}),
        (
            RAISING,
            f">>> y = f(3)  # doctest: +ELLIPSIS\n{TRACE}Odd: ... odd\n",
            {"raises": "Odd: ... odd", "ellipsis": True},
        ),
        (
            "from datetime import date\nday = date(2024, 3, 31)\n",
            ">>> day\ndatetime.date(2024, 3, 31)\n",
            {"shows": "datetime.date(2024, 3, 31)\n"},
        ),
        (
            "def f():\n    print('hello')\n    return 3\n",
            ">>> f()\nhello\n3\n",
            {"shows": "hello\n3\n"},
        ),
    ],
)
def test_what_is_no_value_is_shown(
    zygote: Zygote, tmp_path: Path, reference: str, spec: str, asked: dict[str, object]
) -> None:
    """Where no value can be told, the step has to show what the prompt shows."""
    done, suite = proven(zygote, folder(tmp_path, reference), spec)
    (step,) = steps(done)
    step.pop("do")
    assert asked == step
    assert [] == failed(zygote, suite, reference)
    assert 1 == len(failed(zygote, suite, "pi = rows = day = None\n"))


def test_a_representation_may_be_made_in_any_way(zygote: Zygote, tmp_path: Path) -> None:
    """A dataclass and a class with `__repr__` show the same, and `repr` runs in an executor."""
    _, suite = proven(zygote, folder(tmp_path, POINT), ">>> Point(1, 2)\nPoint(x=1, y=2)\n")
    assert [] == failed(zygote, suite, PLAIN_POINT)
    assert ["Point/1"] == failed(zygote, suite, PLAIN_POINT.replace("x={", "{"))


def test_rounded_as_printed(tmp_path: Path) -> None:
    """An array as numpy prints it asks for as many digits as that shows."""
    pytest.importorskip("numpy")
    reference = "import numpy as np\ndef f(n):\n    return np.array([n / 3, 0.0])\n"
    made = folder(tmp_path, reference, "imports: [standard, numpy]\n")
    with Zygote(packages=("numpy",)) as zygote:
        done, suite = proven(zygote, made, ">>> f(2)\narray([0.66666667, 0.        ])\n")
        assert 1e-08 == steps(done)[0]["tolerance"]
        assert [] == failed(zygote, suite, reference.replace("0.0", "-1e-17"))
        assert ["f/1"] == failed(zygote, suite, reference.replace("n / 3", "0.667"))


def test_what_doctest_skips_is_no_example(zygote: Zygote, tmp_path: Path) -> None:
    """It is neither run nor asked."""
    spec = ">>> boom()  # doctest: +SKIP\n3\n>>> limit\n2\n"
    done = derived(zygote, folder(tmp_path, "limit = 2\n"), spec)
    assert ["limit"] == [step["do"] for step in steps(done)]


def test_options_for_all_examples(zygote: Zygote, tmp_path: Path) -> None:
    """Settings name the options that doctest would be started with."""
    made = folder(tmp_path, "x = 2 / 3\n", "doctest: [ELLIPSIS]\n")
    assert "0.66...\n" == steps(derived(zygote, made, ">>> x\n0.66...\n"))[0]["shows"]
    (made / "exercise.yaml").write_text(f"{SETTINGS}doctest: [DOTS]\n")
    with pytest.raises(GraderError, match="doctest has no option 'DOTS'"):
        load_settings(made / "exercise.yaml")


@pytest.mark.parametrize(
    ("reference", "spec", "actions", "key"),
    [
        (
            COUNTDOWN,
            ">>> n = countdown(3)\n>>> next(n)\n3\n>>> next(n)\n2\n>>> list(n)\n[1]\n",
            ["next(n)", "next(n)"],
            "action",
        ),
        (
            COUNTED,
            ">>> a = Thing()\n>>> b = Thing()\n>>> isinstance(a, Thing)\nTrue\n>>> Thing.made\n2\n",
            ["a = Thing()", "b = Thing()"],
            "always",
        ),
        (
            CHANCE,
            ">>> import random; random.seed(1)\n>>> draw()\n18\n>>> draw()\n73\n>>> draw()\n98\n",
            ["import random; random.seed(1)", "draw()"],
            "always",
        ),
    ],
)
def test_what_a_case_needs_becomes_an_action(
    zygote: Zygote,
    tmp_path: Path,
    reference: str,
    spec: str,
    actions: list[str],
    key: str,
) -> None:
    """Where an earlier step changes what a later one gives, the reference shows it."""
    done, suite = proven(zygote, folder(tmp_path, reference), spec)
    assert actions == [step["do"] for step in steps(done) if key in step]
    assert len(actions) == sum(len({"action", "always"} & step.keys()) for step in steps(done))
    assert () == done.doubts
    assert [] == failed(zygote, suite, reference)


def test_a_case_that_needs_a_refusal_is_a_doubt(zygote: Zygote, tmp_path: Path) -> None:
    """A refused step is no action, so that who fails it fails the other one too; that is told."""
    reference = (
        "n = []\ndef f():\n    n.append(1)\n    assert len(n) > 1, 'again'\n    return len(n)\n"
    )
    spec = f">>> f()\n{TRACE}AssertionError: again\n>>> f() + 0\n2\n"
    done, _ = proven(zygote, folder(tmp_path, reference), spec)
    (doubt,) = done.doubts
    assert "f/1 fails without an earlier step" in doubt.message


def test_what_a_refused_step_changes_is_not_observed(zygote: Zygote, tmp_path: Path) -> None:
    """With the reference it does change, so nobody is asked to leave it."""
    reference = """
class Tank:
    def __init__(self):
        self.level, self.tries = 3, 0
    def drain(self):
        self.tries += 1
        assert self.level > 5, 'empty'
"""
    spec = ">>> t = Tank()\n>>> t.level\n3\n>>> t.tries\n0\n>>> t.drain()\n"
    spec += f"{TRACE}AssertionError: empty\n"
    done, _ = proven(zygote, folder(tmp_path, reference), spec)
    assert ["t.level"] == steps(done)[-1]["unchanged"]


def test_what_acts_is_no_observer(zygote: Zygote, tmp_path: Path) -> None:
    """A method without arguments that takes something away cannot look on."""
    reference = """
class Stack:
    def __init__(self):
        self.items = [1, 2]
    def pop(self):
        return self.items.pop()
    def size(self):
        return len(self.items)
"""
    spec = f">>> s = Stack()\n>>> s.pop()\n2\n>>> s.pop()\n1\n>>> s.size()\n0\n>>> s.pop()\n{TRACE}"
    done, suite = proven(
        zygote, folder(tmp_path, reference), f"{spec}IndexError: pop from empty list\n"
    )
    assert ["s.size()"] == done.document["sessions"][0]["observers"]
    assert ["id", "title", "observers", "steps"] == [*done.document["sessions"][0]]
    assert [] == failed(zygote, suite, reference)


def test_files_that_are_written_are_no_mistake(zygote: Zygote, tmp_path: Path) -> None:
    """A name that an example hands over, and that nobody provides, is that of a file to write."""
    reference = """
def save(name, text):
    with open(name, 'w') as file:
        return file.write(text)
def load(name):
    return open(name).read()
"""
    spec = ">>> save('a.txt', 'one')\n3\n>>> load('a.txt')\n'one'\n"
    done, suite = proven(zygote, folder(tmp_path, reference), spec)
    assert ["a.txt"] == done.document["writes"]
    assert [] == failed(zygote, suite, reference)
    assert ["load/1"] == failed(zygote, suite, reference.replace("(text)", "(text[::-1])"))


def test_a_liberty_of_doctest_is_named(zygote: Zygote, tmp_path: Path) -> None:
    """What only doctest takes is refused with its own reason."""
    with pytest.raises(DerivationError) as caught:
        derived(zygote, folder(tmp_path, "x = True\n"), ">>> x\n1\n>>> x == 1\n1\n")
    said = [problem.message for problem in caught.value.problems]
    assert 2 * ["the spec shows 1, but the reference shows True: only doctest accepts it"] == said


SHOP: Final = """
class Money:
    def __repr__(self): return 'Money()'
class Broke(Exception): pass
def third(n): return n / 3
def fail(n): raise Broke(f'{n} too much')
def marks(): return [1]
"""


def test_a_name_that_is_missing_costs_what_needs_it(zygote: Zygote, tmp_path: Path) -> None:
    """One line that imports all names of the exercise would cost who lacks one everything."""
    spec = (
        ">>> from shape import Money, third, Broke as Poor\n>>> Money()\nMoney()\n"
        ">>> third(6)\n2.0\n>>> isinstance(Poor(), Exception)\nTrue\n"
    )
    done, suite = proven(zygote, folder(tmp_path, SHOP), spec)
    codes = [
        "from shape import Broke as Poor",
        "Money()",
        "third(6)",
        "isinstance(Poor(), Exception)",
    ]
    assert codes == [step["do"] for step in steps(done)]
    assert 3 == done.example_count
    lacking = SHOP.replace("def third", "def thrid")
    (name,) = failed(zygote, suite, lacking)
    assert name.startswith("third")


@pytest.mark.parametrize(
    ("settings", "spec", "asked"),
    [
        ("tolerance: 0.01\n", ">>> third(1)\n0.333\n", {"returns": "0.333", "tolerance": 0.01}),
        (
            "tolerance: 1%\n",
            ">>> print(third(1))\n0.334\n",
            {"stdout": "0.334\n", "tolerance": "1%"},
        ),
        ("ignore: [types]\n", ">>> third(6)\n2\n", {"returns": "2", "ignore": ["types"]}),
        (
            "ignore: [case]\n",
            f">>> fail(3)\n{TRACE}Broke: 3 TOO much\n",
            {"raises": "Broke: 3 TOO much", "ignore": ["case"]},
        ),
        ("", f">>> fail(3)\n{TRACE}Broke: ...\n", {"raises": "Broke"}),
        ("", f">>> fail(3)\n{TRACE}shape.Broke\n", {"raises": "Broke"}),
        (
            "",
            f">>> fail(3)\n{TRACE}Broke: ... much\n",
            {"raises": "Broke: ... much", "ellipsis": True},
        ),
    ],
)
def test_the_reference_is_compared_as_students_are(
    zygote: Zygote, tmp_path: Path, settings: str, spec: str, asked: dict[str, Any]
) -> None:
    """What the author lets pass holds for the reference; dots in a traceback are any text."""
    done, _ = proven(zygote, folder(tmp_path, SHOP, settings), spec)
    (step,) = steps(done)
    step.pop("do")
    assert asked == step


@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        (">>> third(1)\n0.33...\n", r"doctest: \[ELLIPSIS\]"),
        (f">>> fail(3)\n{TRACE}Broke: no\n", r"\+IGNORE_EXCEPTION_DETAIL"),
    ],
)
def test_the_way_out_is_named(zygote: Zygote, tmp_path: Path, spec: str, advice: str) -> None:
    """Not only that the spec or the reference may be wrong."""
    with pytest.raises(DerivationError) as caught:
        derived(zygote, folder(tmp_path, SHOP), spec)
    (problem,) = caught.value.problems
    assert re.search(advice, problem.help or "")


def test_what_is_only_called_earns_nothing(zygote: Zygote, tmp_path: Path) -> None:
    """A function that is not written yet can be called; what it returns is shown later."""
    spec = ">>> m = marks()\n>>> m\n[1]\n>>> b = Money()\n"
    done, suite = proven(zygote, folder(tmp_path, SHOP), spec)
    assert 2 == done.example_count
    assert ["marks/1"] == failed(zygote, suite, SHOP.replace("return [1]", "pass"))


YEAR: Final = "import datetime\ndef f(): return str(datetime.date.today())\n"
LETTERS: Final = "def f(): return set('abc')\n"


@pytest.mark.parametrize(
    ("reference", "code", "settings", "lucky"),
    [
        (CHANCE, "draw()", "", True),
        (YEAR, "f()", "", True),
        (YEAR, "f()", 'now: "2026-03-02 09:00"\n', False),
        (LETTERS, "print(f())", "", True),
        (LETTERS, "f()", "", False),
    ],
    ids=["chance", "date", "date that is set", "order", "set"],
)
def test_an_example_is_proven_on_other_dates(
    zygote: Zygote, tmp_path: Path, reference: str, code: str, settings: str, *, lucky: bool
) -> None:
    """And with other chance and another order of sets: students have these too."""
    program = Program.from_sources({"shape": ("shape.py", reference)}, {})
    plan = (Item(step_index=0, code=code, displays=True),)
    (seen,) = SessionRunner(zygote, program, Limits()).run(plan, modules=("shape",)).observations
    made = folder(tmp_path, reference, settings)
    _, suite = proven(zygote, made, f">>> {code}\n{seen.stdout}\n")
    problems = []
    try:
        prove_steady(suite, made / "shape.py")
    except DerivationError as error:
        problems = [problem.help or "" for problem in error.problems]
    assert [True] * lucky == ["now:" in each for each in problems]


def test_a_session_in_a_quote_is_read(zygote: Zygote, tmp_path: Path) -> None:
    """As Markdown has it, with its lines where they are; other quotes stay what they are."""
    spec = "> Think first.\n\nText\n> For one:\n> >>> third(6)\n> 2.0\n>\n> and so on\n"
    (step,) = derived(zygote, folder(tmp_path, SHOP), spec).document["sessions"][0]["steps"]
    assert ("third(6)", "2.0", 5) == (step["do"], step["returns"], step["line"])


def test_luck_is_looked_for_in_a_part_of_a_suite() -> None:
    """Groups of which no session is left are no trouble: a generator need not ask all of them."""
    whole = suite_of(
        """
        groups: [{id: g, points: 1}, {id: h, points: 1}]
        sessions:
        - {id: s, steps: [{do: f(), returns: "1", group: g}]}
        - {id: t, steps: [{do: f(), returns: "1", group: h}]}
        """
    )
    program = submission("import random\ndef f(): return random.randint(1, 9)\n")
    assert {"g/1"} == unsteady_cases(
        whole.with_changes(sessions=whole.sessions[:1]), program
    ).keys()


def test_a_reference_keeps_to_the_rules(zygote: Zygote, tmp_path: Path) -> None:
    """Else every student would pay for what the reference does itself."""
    made = folder(tmp_path, COUNTED, "rules: {interference: [{}]}\n")
    spec = ">>> a = Thing()\n>>> Thing.made\n1\n"
    with pytest.raises(DerivationError) as caught:
        proven(zygote, made, spec)
    (problem,) = caught.value.problems
    assert "the reference breaks the rule interference" == problem.message
