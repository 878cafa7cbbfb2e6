"""From a spec whose examples stand in its code to a suite: sessions, settings, arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from small_specs import derived, python, refusal

from grader.errors import UsageError
from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.rules import KINDS
from grader.plugins.authoring.deriving.derivation import Derivation, derive
from grader.plugins.authoring.deriving.proving import complete_derivation, prove
from grader.plugins.authoring.deriving.reading import read_spec
from grader.plugins.authoring.deriving.settings import load_settings
from grader.plugins.authoring.deriving.shortening import add_shorter_sessions
from grader.plugins.authoring.suite_text import as_yaml
from grader.sandbox.zygote import Zygote
from grader.suite.expectations import Accepts
from grader.suite.files import load_suite
from grader.suite.loading import parse_suite

ROOT: Final = Path(__file__).resolve().parents[3]
SETTINGS: Final = "exercise: ring\ntitle: Ring\nlanguage: en\nmodule: ring\ndefines: [turn]\n"
REFERENCE: Final = """\
import math


def turn(ns, k=1):
    return ns[k:] + ns[:k]


def double(n):
    return 2 * n


def both(ns):
    ns.append(0)
    return [ns, turn(ns)]


def area(n):
    return math.floor(math.pi * n * n)
"""
SPEC: Final = """\
# Rings

```python
from math import floor, pi
import math as m

# turn(ns) is ns turned by one. For instance,
#    >>> turn([1, 2, 3])
#    [2,
#     3, 1]
def turn(ns, k=1):
    raise SystemExit

# double(n) is twice n. For instance,
#    double(3)  ==  6
#    double(m.floor(2.5))  ==  4
def double(n):
    return 2 * n

# both(ns) is ns with a 0, and that turned.
#    >>> ring = [1, 2]
#    >>> a, b = both(ring)
#    >>> turn(b)
#    [0, 1, 2]
def both(ns):
    ...

def test_ring():
    def first(ns):
        return ns[0]

    assert turn([1, 2], 1) == \\
        [2, 1]
    assert first(both([])) == [0]

# >>> test_ring()
# Verified
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the settings and the reference of `ring`."""
    (tmp_path / "ring").mkdir()
    (tmp_path / "ring" / "exercise.yaml").write_text(SETTINGS)
    (tmp_path / "ring" / "ring.py").write_text(REFERENCE)
    return tmp_path / "ring"


def sessions(derivation: Derivation) -> dict[str, list[dict[str, Any]]]:
    """Return the steps of each session, by its id."""
    return {session["id"]: session["steps"] for session in derivation.document["sessions"]}


# From the text to the suite


def test_suite_of_examples_in_code(zygote: Zygote, folder: Path) -> None:
    """One session for all, one for the comment that binds names; imports and names are set-up."""
    done = derived(zygote, folder, SPEC)
    assert {
        "example": [
            {"do": "import math as m", "line": 5},
            {"do": "turn([1, 2, 3])", "returns": "[2, 3, 1]", "group": "turn", "line": 8},
            {"do": "double(3)", "returns": "6", "group": "double", "line": 15},
            {"do": "double(m.floor(2.5))", "returns": "4", "group": "double", "line": 16},
            {"do": "turn([1, 2], 1)", "returns": "[2, 1]", "group": "turn", "line": 32},
        ],
        "example-turn": [
            {"do": "ring = [1, 2]", "line": 21},
            {"do": "a, b = both(ring)", "line": 22},
            {"do": "turn(b)", "returns": "[0, 1, 2]", "group": "turn", "line": 23},
        ],
    } == sessions(done)
    assert "Example session of the spec: turn" == done.document["sessions"][1]["title"]
    assert (5, [34]) == (done.example_count, [doubt.line for doubt in done.doubts])
    assert {"turn": 3, "double": 2} == {g["id"]: g["points"] for g in done.document["groups"]}
    suite = parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS)
    prove(suite, folder / "ring.py", zygote)


def test_comments_that_bind_names_have_sessions_of_their_own(zygote: Zygote, folder: Path) -> None:
    """Each knows nothing of the others; one that shows nothing is none."""
    comment = "# >>> n = {}\n# >>> double(n)\n# {}\nx = 1\n"
    spec = python(f"{comment.format(2, 4)}{comment.format(3, 6)}# >>> n = 4\n")
    done = derived(zygote, folder, spec)
    assert {
        "example-double": ["n = 2", "double(n)"],
        "example-double-2": ["n = 3", "double(n)"],
    } == {name: [step["do"] for step in steps] for name, steps in sessions(done).items()}
    assert 2 == len({session["title"] for session in done.document["sessions"]})
    parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS)


def test_spec_with_only_equations_is_enough(zygote: Zygote, folder: Path) -> None:
    """Nothing need stand at a prompt."""
    done = derived(zygote, folder, python("# double(3) == 6\n"))
    assert [{"do": "double(3)", "returns": "6", "group": "double", "line": 2}] == [
        step for steps in sessions(done).values() for step in steps
    ]
    assert () == done.doubts


# What the settings add


BY_HAND: Final = """\
points: {double: 7.5, larger: 2}
sessions:
  - id: larger
    visibility: hidden
    steps:
      - do: double(30)
        returns: "60"
        group: larger
      - do: |
          x = 1
          y = 2
"""


def test_points_and_sessions_of_the_settings(zygote: Zygote, folder: Path) -> None:
    """Points given are points had, the rest is levelled; sessions come last, a step on a line."""
    (folder / "exercise.yaml").write_text(SETTINGS + BY_HAND)
    done = derived(zygote, folder, SPEC)
    assert [("turn", 3), ("double", 7.5), ("larger", 2)] == [
        (group["id"], group["points"]) for group in done.document["groups"]
    ]
    text = as_yaml(done.document, schema="x")
    assert '      - {do: double(30), returns: "60", group: larger}\n' in text
    assert yaml.safe_load(BY_HAND)["sessions"][0] == yaml.safe_load(text)["sessions"][-1]
    suite = parse_suite(text.encode(), "x", KINDS)
    assert ("larger", "HIDDEN") == (suite.sessions[-1].id, suite.sessions[-1].visibility.name)
    prove(suite, folder / "ring.py", zygote)


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("7.5", "-1", "6:18", "a group cannot be worth -1 points"),
        ("7.5", "much", "6:18", "'double' must be a number, not text"),
        ("do: double(30)", "does: double(30)", "11:9", "unknown key 'does' (did you mean 'do'?)"),
        ('"60"', "60", "12:18", "YAML reads `60` as a whole number"),
        ("visibility: hidden", "visibility: dark", "9:17", "unknown visibility 'dark'"),
    ],
)
def test_wrong_additions_are_told_with_their_place(
    folder: Path, old: str, new: str, place: str, said: str
) -> None:
    """They are checked as the same parts of a suite are, in the file where they stand."""
    messages, _ = refusal(folder, SETTINGS + BY_HAND.replace(old, new))
    assert said in messages[place]


def test_helper_that_is_missing_costs_its_own_group(zygote: Zygote, folder: Path) -> None:
    """Who does without a function that is not in `defines` keeps the points of all others."""
    done = derived(zygote, folder, SPEC)
    suite = parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS)
    (folder / "other.py").write_text(REFERENCE.replace("def double", "def twice"))
    submission = read_submission(Entry("other", folder / "other.py"), suite.modules, suite.defines)
    record = grade(suite, submission, zygote)
    assert {"turn": 3, "double": 0} == {group.id: group.points for group in record.groups}


def test_given_code_is_there_for_the_reference_and_the_suite(zygote: Zygote, folder: Path) -> None:
    """It is named from the folder that holds both."""
    (folder / "exercise.yaml").write_text(f"{SETTINGS}given: {{tools.turning: ring/kit.py}}\n")
    (folder / "kit.py").write_text("def twice(n):\n    return 2 * n\n")
    (folder / "ring.py").write_text(
        "from tools.turning import twice as double\ndef turn(ns): return ns\n"
    )
    done = derived(zygote, folder, python("# double(3) == 6\n"))
    assert {"tools.turning": "ring/kit.py"} == done.document["given"]
    suite = parse_suite(
        as_yaml(done.document, schema="x").encode(), str(folder / "suite.yaml"), KINDS
    )
    prove(suite, folder / "ring.py", zygote)


def test_stand_in_for_helpers_goes_along(zygote: Zygote, folder: Path) -> None:
    """It is named as given code is."""
    (folder / "exercise.yaml").write_text(
        f"{SETTINGS}helpers: [double]\nstand_ins: {{ring: r.py}}\n"
    )
    assert {"ring": "r.py"} == derived(zygote, folder, SPEC).document["stand_ins"]


def test_answer_shown_may_be_one_of_many(zygote: Zygote, folder: Path) -> None:
    """Then the settings say which are right, in place of the value that the example shows."""
    (folder / "ways.py").write_text("def same(a, b):\n    return sorted(a) == sorted(b)\n")
    more = (
        "checkers: {ways: ring/ways.py}\n"
        'accepts: {"turn([1, 2, 3])": "ways.same(answer, [1, 2, 3])"}\n'
    )
    (folder / "exercise.yaml").write_text(SETTINGS + more)
    done = derived(zygote, folder, SPEC)
    (shown,) = (step for step in sessions(done)["example"] if step["do"] == "turn([1, 2, 3])")
    accepts = {"accepts": "ways.same(answer, [1, 2, 3])"}
    assert {"do": "turn([1, 2, 3])", **accepts, "group": "turn", "line": 8} == shown


def test_an_example_is_an_action_where_the_settings_say_so(zygote: Zygote, folder: Path) -> None:
    """The step says it, and the others do not."""
    (folder / "exercise.yaml").write_text(f"{SETTINGS}actions: ['turn([1, 2, 3])']\n")
    steps = sessions(derived(zygote, folder, SPEC))["example"]
    assert ["turn([1, 2, 3])"] == [step["do"] for step in steps if step.get("action")]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "actions: [turn(0)]\n",
            r"`actions` in exercise.yaml lists turn\(0\), which is not an example",
        ),
        (
            "accepts: {turn(0): x}\n",
            r"`accepts` in exercise.yaml lists turn\(0\), which is not an example",
        ),
        ("given: {kit: ring/none.py}\n", "`given` in exercise.yaml lists the file ring/none.py"),
    ],
)
def test_settings_that_nothing_can_be_derived_from(
    zygote: Zygote, folder: Path, more: str, said: str
) -> None:
    """Examples that are none, and given code that is not there."""
    (folder / "exercise.yaml").write_text(SETTINGS + more)
    with pytest.raises(UsageError, match=said):
        derived(zygote, folder, SPEC)


# Arrays, and the exercise that has them


@pytest.fixture(scope="module")
def numpy_zygote() -> Iterator[Zygote]:
    """A zygote whose executors can be given numpy."""
    pytest.importorskip("numpy")
    with Zygote(packages=("numpy",)) as running:
        yield running


@pytest.mark.parametrize(
    ("more", "elsewhere"), [("", [False] * 2), ("as_lists: true\n", [True] * 2)]
)
def test_lists_of_rows_do_where_the_text_compares_rows(
    numpy_zygote: Zygote, folder: Path, more: str, elsewhere: list[bool]
) -> None:
    """There, and wherever an array is shown if the settings say so; elsewhere an array is one."""
    (folder / "exercise.yaml").write_text(f"{SETTINGS}imports: [numpy]\n{more}")
    (folder / "ring.py").write_text(
        "import numpy as np\ndef eye(n): return np.identity(n, dtype=int)\n"
        "def pair(n): return {n: (n, eye(n))}\ndef size(n): return np.int64(n)\n"
    )
    spec = python(
        "# >>> eye(1)\n# array([[1]])\n# >>> pair(1)\n# {1: (1, array([[1]]))}\n#\n# size(2) == 2\n"
        "def test_eye():\n    def rows(p): return p.tolist()\n    assert rows(eye(1)) == [[1]]\n"
    )
    found = sessions(derived(numpy_zygote, folder, spec))["example"]
    assert ["eye(1)", "pair(1)", "size(2)", "eye(1)"] == [step["do"] for step in found]
    assert [*elsewhere, False, True] == [step.get("as_lists", False) for step in found]


@pytest.mark.authoring
def test_triomino_suite_is_what_is_derived(numpy_zygote: Zygote) -> None:
    """Every example of the Python half is proven."""
    spec = ROOT / "reference" / "triomino" / "spec.md"
    text = spec.read_text(encoding="utf-8")
    settings = load_settings(spec.with_name("exercise.yaml"))
    reference = spec.with_name("triomino.py")
    done = derive(text, "../reference/triomino/spec.md", reference, settings, numpy_zygote)
    assert (23, ()) == (done.example_count, done.doubts)
    committed = ROOT / "testsuites" / "triomino.yaml"
    suite = parse_suite(as_yaml(done.document, schema="").encode(), str(committed), KINDS)
    done = complete_derivation(done, suite, reference, numpy_zygote)
    done = add_shorter_sessions(done, suite, reference, numpy_zygote)
    assert committed.read_text("utf-8") == as_yaml(
        done.document, schema="../docs/suite.schema.json"
    )
    prove(load_suite(committed, KINDS), reference, numpy_zygote)


def test_triomino_steps_share_nothing() -> None:
    """Solutions may change the board that they are given: each step makes its own."""
    text = (ROOT / "reference" / "triomino" / "spec.md").read_text("utf-8")
    common, combina = read_spec(text).sessions
    bound = [example.code for example in common.examples if example.expression is None]
    assert ["import numpy as np"] == bound
    assert "combina(inicial, [s1, s2, s3, s4])" == combina.examples[-1].code
    assert [True, True, True, False] == [example.is_setup for example in combina.examples]


def test_triomino_boards_by_hand_are_all_there() -> None:
    """Every hole of the small boards, and some of each larger size."""
    suite = load_suite(ROOT / "testsuites" / "triomino.yaml", KINDS)
    numbers = r"(\d+), {}\((\d+), (\d+)\)\)"
    called, accepted = (
        re.compile(start + numbers.format(name))
        for start, name in ((r"triomino\(", ""), (r"teselado\.cubre\(answer, filas=", "hueco="))
    )
    tried = set()
    for step in (step for session in suite.sessions for step in session.steps):
        if isinstance(step.expectation, Accepts) and step.code.startswith("triomino("):
            asked, expected = called.fullmatch(step.code), accepted.fullmatch(step.expectation.code)
            assert asked is not None, step
            assert expected is not None, step
            assert asked.groups() == expected.groups()
            tried.add(tuple(map(int, asked.groups())))
    small = {(n, i, j) for n in (2, 4) for i in range(1, n + 1) for j in range(1, n + 1)}
    assert small <= tried
    assert {8, 16, 32} == {n for n, _, _ in tried - small}
