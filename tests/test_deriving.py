"""From a spec to a suite: examples, drafts, proof on the reference, document, YAML."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from grader.cli import main
from grader.cli.derive import SCHEMA_NAME
from grader.deriving.derivation import Derivation, DerivationFailed, derive
from grader.deriving.document import _level
from grader.deriving.doubts import SpecProblem, flattened_grids, footnote_names, glued_prose
from grader.deriving.drafts import Want, drafts_of, observers
from grader.deriving.examples import Example, find_examples
from grader.deriving.proof import prove
from grader.deriving.settings import Settings, load_settings
from grader.errors import UsageError
from grader.loading import InvalidSuite, parse_suite
from grader.sandbox.zygote import Zygote
from grader.suite_text import as_yaml

ROOT: Final = Path(__file__).resolve().parents[1]
EXERCISES: Final = {"akari": 39, "str8ts": 26, "yinyang": 23}
SETTINGS: Final = "exercise: box\ntitle: Box\nlanguage: en\nmodule: box\ndefines: [Box]\n"
REFERENCE: Final = """\
class Box:
    def __init__(self, n):
        self.n = n

    def put(self, k):
        assert k > 0, 'too small'
        self.n += k
        return self

    def clear(self):
        self.n = 0

    def copy(self):
        return Box(self.n)

    def size(self):
        return self.n

    def items(self):
        return {(i, 'x') for i in range(self.n)}

    def show(self):
        print('row 1')
        print('row 2')

    def quit(self):
        raise SystemExit

    def __str__(self):
        return '#' * self.n


class Lid(Box):
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the settings and the reference of `box`."""
    folder = tmp_path / "box"
    folder.mkdir()
    (folder / "exercise.yaml").write_text(SETTINGS)
    (folder / "box.py").write_text(REFERENCE)
    return folder


def derived(zygote: Zygote, folder: Path, spec: str) -> Derivation:
    """Return what comes of the text `spec` on the reference in `folder`."""
    settings = load_settings(folder / "exercise.yaml")
    return derive(spec, "spec.md", folder / "box.py", settings, zygote)


def steps(derivation: Derivation) -> list[dict[str, Any]]:
    """Return the steps of the only session."""
    (session,) = derivation.document["sessions"]
    found: list[dict[str, Any]] = session["steps"]
    return found


def problems(zygote: Zygote, folder: Path, spec: str) -> list[str]:
    """Return `line message` of each problem in `spec`, below a line that makes a Box of 2."""
    with pytest.raises(DerivationFailed) as caught:
        derived(zygote, folder, f">>> b = Box(2)\n{spec}")
    return [f"{problem.line} {problem.message}" for problem in caught.value.problems]


def examples(text: str) -> list[tuple[str, str | None, tuple[str, ...], str | None, int]]:
    """Return the examples of `text` as tuples."""
    return [(e.code, e.note, e.want, e.exception, e.line) for e in find_examples(text)]


# Examples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no prompt at all\n", []),
        ("", []),
        (">>> f()\n", [("f()", None, (), None, 1)]),
        ("a\n\n>>> f()\n3\n\nb\n", [("f()", None, ("3",), None, 3)]),
        (
            ">>> f()\n3\n4\n>>> g()\n",
            [("f()", None, ("3", "4"), None, 1), ("g()", None, (), None, 4)],
        ),
        (">>> f()  # outside\n3\n", [("f()", "outside", ("3",), None, 1)]),
        (">>> f()  #\n3\n", [("f()", None, ("3",), None, 1)]),
        (">>> f('# no')  # yes # more\n", [("f('# no')", "yes # more", (), None, 1)]),
        (
            ">>> f(1,  # one\n...   2)  # two\n3\n",
            [("f(1,  # one\n  2)  # two", None, ("3",), None, 1)],
        ),
        (">>> for i in x:\n...     f(i)\n", [("for i in x:\n    f(i)", None, (), None, 1)]),
        ("    >>> f()\n    3\n", [("f()", None, ("3",), None, 1)]),
        (
            ">>> f()  # no\nTraceback (most recent call last):\nValueError: x\n",
            [("f()", "no", (), "ValueError: x", 1)],
        ),
        (
            ">>> f()\nTraceback (most recent call last):\n  File 'x'\nValueError\n\nprose\n",
            [("f()", None, (), "ValueError", 1)],
        ),
    ],
)
def test_examples(text: str, expected: list[object]) -> None:
    """Prompt lines with their comments, what stands below them, and the line they are on."""
    assert expected == examples(text)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a\n\n>>> 1 +\n2\n", 3, "this example is no Python: invalid syntax"),
        (">>> if x:\n...     1\n... else\n", 1, "this example is no Python: expected ':'"),
        ("a\n>>>f()\n", 2, "this line lacks blank after >>>"),
        ("    >>> f()\n  3\n", 2, "this line has inconsistent leading whitespace"),
    ],
)
def test_example_that_cannot_be_read(text: str, line: int, said: str) -> None:
    """It is told with its line and what Python has against it."""
    with pytest.raises(SpecProblem, match=said.replace("(", r"\(")) as caught:
        find_examples(text)
    assert line == caught.value.line


# Drafts


def drafts(
    code: str, want: str = "", exception: str | None = None
) -> list[tuple[str, str, str, str | None]]:
    """Return code, want, subject and receiver of each draft of one example."""
    found = Example(
        code=code,
        note=None,
        want=tuple(want.split("|") if want else ()),
        exception=exception,
        line=1,
    )
    made = drafts_of(found)
    assert 1 == sum(draft.share for draft in made)
    return [(draft.code, draft.want.value, draft.subject, draft.receiver) for draft in made]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("b = Box(2)", [("b = Box(2)", "completes", "Box", None)]),
        ("b: Box = Box(2)", [("b: Box = Box(2)", "completes", "Box", None)]),
        ("import math", [("import math", "completes", "session", None)]),
        ("b.n += 1", [("b.n += 1", "completes", "session", None)]),
        ("f(3)", [("f(3)", "returns", "f", None)]),
        ("b.size()", [("b.size()", "returns", "size", "b")]),
        ("b.n", [("b.n", "returns", "n", "b")]),
        ("str(b)", [("str(b)", "returns", "str", "b")]),
        ("b.lid.n", [("b.lid.n", "returns", "n", "b")]),
        ("1 + 2", [("1 + 2", "returns", "session", None)]),
        ("print(b)", [("print(b)", "prints", "str", "b")]),
        ("print(f(3))", [("print(f(3))", "prints", "f", None)]),
        ("print(b, end='')", [("print(b, end='')", "returns", "str", "b")]),
        (
            "print(b.put(1))",
            [("b.put(1)", "same", "put", "b"), ("print(b)", "prints", "str", "b")],
        ),
        (
            "print(b.put(1).put(k=2))",
            [
                ("b.put(1)", "same", "put", "b"),
                ("b.put(k=2)", "same", "put", "b"),
                ("print(b)", "prints", "str", "b"),
            ],
        ),
        ("print(Box(2).put(1))", [("print(Box(2).put(1))", "prints", "put", None)]),
    ],
)
def test_drafts(code: str, expected: list[object]) -> None:
    """What is tried and on what; a printed chain becomes its actions and a look."""
    assert expected == drafts(code)


def test_draft_of_a_refusal_is_not_split() -> None:
    """Which action of a chain refuses, nobody knows; it stays one."""
    code = "print(b.put(0))"
    assert [(code, "raises", "str", None)] == [
        (one, want, "str", None) for one, want, _, _ in drafts(code, exception="AssertionError: no")
    ]


def test_shares_of_a_chain() -> None:
    """Half of the example is the look, the other half is divided among the actions."""
    made = drafts_of(find_examples(">>> print(b.put(1).put(2))\n##\n")[0])
    assert [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)] == [draft.share for draft in made]


def test_draft_binds_the_names_that_it_assigns() -> None:
    """Also those of a tuple, a loop and a walrus, each once."""
    found = find_examples(">>> a, (b, a) = f()\n>>> for i in x: c = i\n>>> (d := 3)\n3\n")
    assert [("a", "b"), ("i", "c"), ("d",)] == [drafts_of(one)[0].binds for one in found]


def test_observers_look_at_what_refuses() -> None:
    """Views without arguments of an object that refuses something, and of no other."""
    text = (
        ">>> b.size()\n2\n>>> print(b)\n##\n>>> b.n\n2\n>>> b.at(1)\n2\n"
        ">>> c.size()\n1\n>>> b.size()\n2\n"
        ">>> b.put(0)\nTraceback (most recent call last):\nAssertionError: no\n"
    )
    found = [draft for one in find_examples(text) for draft in drafts_of(one)]
    assert ["b.size()", "str(b)", "b.n"] == observers(found)
    assert [] == observers(draft for draft in found if draft.want is not Want.RAISES)


# Splitting, as the reference decides


def test_chain_of_what_returns_itself_is_split(zygote: Zygote, folder: Path) -> None:
    """Each action must give back the object, then the object is looked at."""
    done = derived(zygote, folder, ">>> b = Box(2)\n>>> print(b.put(1).put(2))\n#####\n")
    assert [
        {"do": "b = Box(2)", "group": "Box", "line": 1},
        {"do": "b.put(1)", "same_as": "b", "group": "put", "line": 2},
        {"do": "b.put(2)", "same_as": "b", "group": "put", "line": 2},
        {"do": "print(b)", "stdout": "#####\n", "group": "str-after-an-action", "line": 2},
    ] == steps(done)
    assert 2 == done.example_count


@pytest.mark.parametrize("action", ["copy()", "copy().put(1)", "copy().copy()", "put(1).copy()"])
def test_chain_of_what_returns_another_is_not_split(
    zygote: Zygote, folder: Path, action: str
) -> None:
    """An action that gives another object of the same class is printed as it stands."""
    shown = "###" if "put" in action else "##"
    done = derived(zygote, folder, f">>> b = Box(2)\n>>> print(b.{action})\n{shown}\n")
    assert f"print(b.{action})" == steps(done)[-1]["do"]
    assert f"{shown}\n" == steps(done)[-1]["stdout"]
    prove(parse_suite(as_yaml(done.document, schema="x").encode(), "x"), folder / "box.py", zygote)


def test_chain_of_what_returns_a_value_is_not_split(zygote: Zygote, folder: Path) -> None:
    """`print(b.size())` prints a number."""
    done = derived(
        zygote, folder, ">>> b = Box(2)\n>>> print(b.size())\n2\n>>> print(b.clear())\nNone\n"
    )
    assert ["print(b.size())", "print(b.clear())"] == [step["do"] for step in steps(done)[1:]]


# Reconciling


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ("b.size()\n3", "the spec shows 3, the reference returns 2"),
        ("b.size()\n2.0", "the spec shows 2.0, the reference returns 2"),
        ("b.size()\nTrue", "the spec shows True, the reference returns 2"),
        (
            "b.items()\n[(0, 'x'), (1, 'x')]",
            "the spec shows [(0, 'x'), (1, 'x')], the reference returns {(0, 'x'), (1, 'x')}",
        ),
        ("b.size()\nthree", "the spec shows three, the reference returns 2"),
        ("b.size()", "the spec shows no output, the reference gives 2"),
        ("b.show()", "the spec shows no output, the reference gives row 1⏎row 2"),
        ("b.clear()\n0", "the spec shows 0, the reference returns None"),
        ("print(b)\n###", "the reference prints something else from line 1 of the output on: '##'"),
        (
            "b.show()\nrow 1\nrow 3",
            "the reference prints something else from line 2 of the output on: 'row 2'",
        ),
        (
            "b.show()\nrow 1",
            "the reference prints something else from line 2 of the output on: 'row 2'",
        ),
        (
            "b.put(0)\n3",
            "the reference raises AssertionError: too small here, which the spec does not show",
        ),
        (
            "b.put(0)\nTraceback (most recent call last):\nAssertionError: too big",
            (
                "the spec shows AssertionError: too big, "
                "the reference raises AssertionError: too small"
            ),
        ),
        (
            "b.put(0)\nTraceback (most recent call last):\nValueError: too small",
            "the spec shows ValueError: too small, the reference raises AssertionError: too small",
        ),
        (
            "b.put(1)\nTraceback (most recent call last):\nAssertionError: too small",
            "the spec shows AssertionError: too small, the reference raises nothing",
        ),
        (
            "b.none()\n3",
            (
                "the reference raises AttributeError: 'Box' object has no attribute 'none' here, "
                "which the spec does not show"
            ),
        ),
    ],
)
def test_disagreement(zygote: Zygote, folder: Path, example: str, said: str) -> None:
    """Whatever the reference does otherwise is told with the line of the example."""
    (problem,) = problems(zygote, folder, f">>> {example}\n")
    assert problem.removesuffix("⏎") == f"2 {said}"


def test_every_disagreement_is_told(zygote: Zygote, folder: Path) -> None:
    """Not the first wrong example ends it, but all of them together."""
    spec = ">>> b.size()\n3\n>>> b.size()\n2\n>>> print(b)\n#\n>>> b.n\n4\n"
    assert ["2", "6", "8"] == [one.split()[0] for one in problems(zygote, folder, spec)]


@pytest.mark.parametrize(
    ("example", "expectation"),
    [
        ("b.size()\n2", {"returns": "2"}),
        ("b.clear()", {"returns": "None"}),
        ("b.items()\n{(1, 'x'), (0, 'x')}", {"returns": "{(0, 'x'), (1, 'x')}"}),
        ("b.items() - b.items()\nset()", {"returns": "set()"}),
        ("str(b)\n'##'", {"returns": "'##'"}),
        ("b.show()\nrow 1\nrow 2", {"stdout": "row 1\nrow 2\n"}),
        (
            "b.put(0)\nTraceback (most recent call last):\nAssertionError: too small",
            {"raises": "AssertionError: too small"},
        ),
    ],
)
def test_agreement(
    zygote: Zygote, folder: Path, example: str, expectation: Mapping[str, str]
) -> None:
    """Values are compared as values; the suite says them in an order of their own."""
    step = steps(derived(zygote, folder, f">>> b = Box(2)\n>>> {example}\n"))[1]
    assert expectation == {key: step[key] for key in step if key not in {"do", "group", "line"}}


@pytest.mark.parametrize(
    ("example", "line"),
    [
        ("b.size()\n2\nGlued prose.", 4),
        ("b.items()\n{(0, 'x'),\n (1, 'x')}\nGlued prose.", 5),
        ("print(b)\n##\nGlued prose.", 4),
        ("print(b.put(1))\n###\nGlued prose.", 4),
        ("b.show()\nrow 1\nrow 2\nGlued prose.", 5),
    ],
)
def test_prose_stuck_to_output_is_cut_off_and_told(
    zygote: Zygote, folder: Path, example: str, line: int
) -> None:
    """What follows exactly what the reference gives has lost its empty line."""
    done = derived(zygote, folder, f">>> b = Box(2)\n>>> {example}\n")
    assert (glued_prose(line, "Glued prose."),) == done.doubts
    assert "Glued" not in str(done.document)


@pytest.mark.parametrize("step", ["b.quit()", "b = Box(-1).quit()"])
def test_reference_that_ends_itself_is_told(zygote: Zygote, folder: Path, step: str) -> None:
    """An example in which the reference exits can prove nothing."""
    with pytest.raises((DerivationFailed, SpecProblem)) as caught:
        derived(zygote, folder, f">>> b = Box(2)\n>>> {step}\n>>> b.size()\n2\n")
    texts = [str(one) for one in getattr(caught.value, "problems", [caught.value])]
    assert any("SystemExit" in text or "survive" in text or "get as far" in text for text in texts)


@pytest.mark.parametrize("source", ["class Box\n", "raise ValueError('no')\n", "exit()\n"])
def test_reference_that_cannot_be_loaded_is_told(zygote: Zygote, folder: Path, source: str) -> None:
    """A reference with a syntax error, or that breaks down, derives nothing."""
    (folder / "box.py").write_text(source)
    with pytest.raises(SpecProblem, match="the reference cannot be loaded: "):
        derived(zygote, folder, ">>> b = Box(2)\n")


def test_spec_without_examples_is_told(zygote: Zygote, folder: Path) -> None:
    """There must be something to derive from."""
    with pytest.raises(SpecProblem, match="there is no example session in this spec") as caught:
        derived(zygote, folder, "Only prose.\n")
    assert "examples stand at a >>> prompt at the start of a line" == caught.value.help


# Doubts


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("read 'grid.txt1' and 'grid.txt2'", ["grid.txt1", "grid.txt2"]),
        ("the file grid.txt1, again grid.txt1", ["grid.txt1"]),
        ("grid.txt", []),
        ("other.txt1", []),
        ("grid.txt12", []),
        ("grid.txt1a", []),
        ("mygrid.txt1", []),
        ("e.g. 3.14 or v1.2", []),
    ],
)
def test_footnotes(line: str, names: list[str]) -> None:
    """A digit stuck to the name of a file that there is, told once."""
    found = list(footnote_names([line], ["grid.txt"]))
    assert names == [doubt.message.split("'")[1] for doubt in found]


@pytest.mark.parametrize(
    ("line", "is_grid"),
    [
        ("##. .#. #..", True),
        ("123 456 789", True),
        ("##..5 .6..# ...#H 9..D. #....", True),
        ("the cat sat", False),
        ("## .#", False),
        ("##. .#.", False),
        ("##. .#. #.", False),
        ("##. .#. #.. ...", False),
        ("##.  .#. #..", False),
        ("", False),
    ],
)
def test_flattened_grids(line: str, is_grid: bool) -> None:
    """As many words as each is long, at least three, and not only letters."""
    found = list(flattened_grids(["prose", line]))
    assert ([2] if is_grid else []) == [doubt.line for doubt in found]


# Document


@given(st.dictionaries(st.text("abc", max_size=3), st.integers(1, 40), min_size=1), st.data())
def test_points_are_level(cases: dict[str, int], data: st.DataObject) -> None:
    """They add up to the number of examples, and no case is worth more than one point."""
    total = data.draw(st.integers(1, sum(cases.values())))
    points = _level(cases, total)
    assert round(100 * total) == sum(round(100 * one) for one in points.values())
    assert all(0 <= points[name] <= cases[name] for name in cases)
    for name, share in points.items():
        if share < cases[name]:  # not full: it has no less than any other, cents aside
            assert share >= max(points.values()) - 0.01 * len(points)


@pytest.mark.parametrize(
    ("language", "refused", "after", "session"),
    [
        ("en", "put refused", "str after an action", "example"),
        ("nl", "put geweigerd", "str na een actie", "voorbeeld"),
        ("es", "put rechazado", "str tras una acción", "ejemplo"),
    ],
)
def test_groups_in_three_languages(
    zygote: Zygote, folder: Path, language: str, refused: str, after: str, session: str
) -> None:
    """Refusals, and looks after an action, are groups of their own."""
    (folder / "exercise.yaml").write_text(SETTINGS.replace("language: en", f"language: {language}"))
    done = derived(
        zygote,
        folder,
        ">>> b = Box(2)\n>>> print(b)\n##\n>>> print(b.put(1))\n###\n"
        ">>> b.put(0)\nTraceback (most recent call last):\nAssertionError: too small\n",
    )
    assert ["Box", "str", "put", after, refused] == [g["title"] for g in done.document["groups"]]
    assert session == done.document["sessions"][0]["id"]
    parse_suite(as_yaml(done.document, schema="x").encode(), "x")


def test_classes_with_one_name_are_told_apart(zygote: Zygote, folder: Path) -> None:
    """Where two classes have a text or a method of one name, the group names the class."""
    spec = ">>> b = Box(1)\n>>> print(b)\n#\n>>> c = Lid(2)\n>>> print(c)\n##\n>>> c.size()\n2\n"
    done = derived(zygote, folder, spec)
    titles = [group["title"] for group in done.document["groups"]]
    assert ["Box", "str Box", "Lid", "str Lid", "size"] == titles
    assert {"str-Box", "str-Lid"} < {group["id"] for group in done.document["groups"]}


def test_notes_lines_and_settings_are_kept(zygote: Zygote, folder: Path) -> None:
    """The reason of an example, its line in the spec, limits and files stand in the suite."""
    more = 'limits: {cpu_s: 0.5}\nfiles: {a.txt: "1\\n2\\n"}\n'
    (folder / "exercise.yaml").write_text(SETTINGS + more)
    done = derived(zygote, folder, "x\n>>> b = Box(2)  # a box\n")
    assert {"do": "b = Box(2)", "group": "Box", "note": "a box", "line": 2} == steps(done)[0]
    assert {"cpu_s": 0.5} == done.document["limits"]
    assert {"a.txt": "1\n2\n"} == done.document["files"]


# Emission


def test_yaml_is_quoted_where_yaml_would_retype() -> None:
    """Expectations come back as the text they were, and read well."""
    document = {
        "spec": "s.md",
        "one": "1", "no": "no", "octal": "010", "float": "1e3", "sexagesimal": "1:20",
        "text": "'x'", "block": "a\n  b\n", "list": ["a", "b"], "records": [{"x": 1}],
    }  # fmt: skip
    text = as_yaml(document, schema="../x.json")
    assert document == yaml.safe_load(text)
    assert text.startswith(
        "# yaml-language-server: $schema=../x.json\n"
        "# Derived from s.md: change the spec or its settings and derive again, not this file.\n"
    )
    assert '\none: "1"\n' in text
    assert "\nblock: |\n  a\n    b\n" in text
    assert "\nlist: [a, b]\n" in text
    assert "\nrecords:\n  - x: 1\n" in text
    assert text == as_yaml(document, schema="../x.json")


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.text(st.characters(codec="utf-8"), max_size=30))
)
@example({"a": "\x85", "b": "x\u2028\n", "c": "\ufeff", "d": " \n x \n\n", "e": "\r\n\t"})
def test_yaml_gives_back_every_text(texts: dict[str, str]) -> None:
    """Whatever a reference returns, its text survives the way through YAML."""
    document = {"spec": "s.md", **texts}
    assert document == yaml.safe_load(as_yaml(document, schema="x"))


# Settings


def test_missing_settings_are_told(tmp_path: Path) -> None:
    """The error says which file, and what it holds."""
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path / "exercise.yaml")
    assert (
        f"cannot read the settings {tmp_path / 'exercise.yaml'}: No such file or directory"
        == caught.value.message
    )
    assert str(caught.value.help).startswith("exercise.yaml stands beside the spec")


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("title: Box\n", "titel: Box\n", "2:1", "unknown key 'titel' (did you mean 'title'?)"),
        ("language: en\n", "", "1:1", "a suite needs the key 'language'"),
        ("defines: [Box]\n", "defines: [Box\n", "6:1", ""),
        ("title: Box\n", "title: 3\n", "2:8", "YAML reads `3` as a whole number"),
        ("title: Box\n", "title: Box\ngroups: []\n", "3:1", "unknown key 'groups'"),
    ],
)
def test_wrong_settings_are_told_with_their_place(
    folder: Path, old: str, new: str, place: str, said: str
) -> None:
    """Settings are read, and complained about, as suites are."""
    path = folder / "exercise.yaml"
    path.write_text(SETTINGS.replace(old, new))
    with pytest.raises(InvalidSuite) as caught:
        load_settings(path)
    places = {f"{one.line}:{one.column}": one.message for one in caught.value.diagnostics}
    assert said in places[place]
    assert f"--> {path}:{place}\n" in str(caught.value)


# Proof


def test_suite_that_the_reference_fails_is_not_proven(zygote: Zygote, folder: Path) -> None:
    """The case and the session in which it fails are named."""
    done = derived(zygote, folder, "a\n>>> b = Box(2)\n>>> b.size()\n2\n")
    text = as_yaml(done.document, schema="x").replace('returns: "2"', 'returns: "3"')
    with pytest.raises(SpecProblem) as caught:
        prove(parse_suite(text.encode(), "x"), folder / "box.py", zygote)
    assert (3, "the reference does not pass size/1 in the whole session: WRONG") == (
        caught.value.line,
        caught.value.message,
    )


# The suites of this project


def settings_of(exercise: str) -> Settings:
    """Return the settings of an exercise of this project."""
    return load_settings(ROOT / "reference" / exercise / "exercise.yaml")


@pytest.mark.parametrize("exercise", EXERCISES)
def test_committed_suite_is_what_is_derived(zygote: Zygote, exercise: str) -> None:
    """Twice the same bytes, those of the repository; every example is proven."""
    spec = ROOT / "reference" / exercise / "spec.md"
    texts = []
    for _ in range(2):
        done = derive(
            spec.read_text(encoding="utf-8"),
            f"../reference/{exercise}/spec.md",
            spec.with_name(f"{exercise}.py"),
            settings_of(exercise),
            zygote,
        )
        texts.append(as_yaml(done.document, schema=f"../{SCHEMA_NAME}"))
    committed = (ROOT / "testsuites" / f"{exercise}.yaml").read_bytes()
    assert [committed] * 2 == [text.encode() for text in texts]
    suite = parse_suite(committed, exercise)
    prove(suite, spec.with_name(f"{exercise}.py"), zygote)
    lines = {step.line for session in suite.sessions for step in session.steps}
    assert EXERCISES[exercise] == done.example_count == len(lines)
    assert EXERCISES[exercise] == suite.max_score
    worth = Counter(case.group for session in suite.sessions for case in session.cases)
    assert all(group.points <= worth[group.id] for group in suite.groups)


def test_every_example_of_this_project_is_proven() -> None:
    """88 examples in three specs."""
    texts = [(ROOT / "reference" / name / "spec.md").read_text("utf-8") for name in EXERCISES]
    assert 88 == sum(len(find_examples(text)) for text in texts) == sum(EXERCISES.values())


# The command line


def grader_derive(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Run `grader derive`; return its exit code and what it said on both channels."""
    argv, sys.argv = sys.argv, ["grader", "derive", *args]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = argv
    return (code, *capfd.readouterr())


@pytest.fixture
def spec(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec of `box` in the current folder, with a folder of suites."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    (folder / "testsuites").mkdir()
    (folder / "spec.md").write_text("Intro\n\n>>> b = Box(2)\n>>> b.size()\n2\n")
    return folder / "spec.md"


def test_derive_writes_the_suite(spec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It lands in the folder of suites under the name of the exercise, and is told."""
    target = spec.parent / "testsuites" / "box.yaml"
    assert (0, "", f"2 examples proven on box.py: {target}\n") == grader_derive(capfd, "spec.md")
    assert "spec: ../spec.md\n" in target.read_text()
    assert (0, "", "") == grader_derive(capfd, "spec.md", "--check")


def test_derive_check_tells_what_is_out_of_step(
    spec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A missing suite, an older one and one that is no text: exit 3, and nothing is written."""
    target = spec.parent / "testsuites" / "box.yaml"
    for old in (None, b"exercise: box\n", b"\xff\xfe\x00"):
        if old is not None:
            target.write_bytes(old)
        code, out, err = grader_derive(capfd, "spec.md", "--check")
        assert (3, "") == (code, out)
        assert (
            f"error: {target} is out of step with spec.md\n  = help: run: grader derive spec.md\n"
        ) == err
        assert old == (target.read_bytes() if target.exists() else None)


def test_derive_to_standard_output(spec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--out -` prints the suite and nothing else; no file is written."""
    code, out, err = grader_derive(capfd, "spec.md", "--out", "-")
    assert (0, "") == (code, err)
    assert "box" == parse_suite(out.encode(), "-").exercise
    assert [] == list((spec.parent / "testsuites").iterdir())


def test_derive_tells_all_wrong_examples_with_their_place(
    spec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """File, line, the line itself and a caret, for each; exit 3 and no suite."""
    spec.write_text("Intro\n\n>>> b = Box(2)\n>>> b.size()\n3\n>>> print(b)\n#\n>>> b.n\n2\n")
    code, out, err = grader_derive(capfd, "spec.md")
    assert (3, "") == (code, out)
    assert (
        "error: the spec shows 3, the reference returns 2\n"
        "  --> spec.md:4:1\n"
        "   |\n"
        " 4 | >>> b.size()\n"
        "   | ^\n"
        "   = help: correct the spec or the reference; "
    ) in err
    assert "  --> spec.md:6:1\n   |\n 6 | >>> print(b)\n" in err
    assert 2 == err.count("error: ")
    assert [] == list((spec.parent / "testsuites").iterdir())


def test_derive_warns_of_doubts(spec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A doubt is told with its place, and the suite is written all the same."""
    spec.write_text(spec.read_text() + "Glued prose.\n")
    code, _, err = grader_derive(capfd, "spec.md")
    assert 0 == code
    assert (
        "warning: text stuck to the expected output was cut off: 'Glued prose.'\n"
        "  --> spec.md:6\n"
        "  = help: the reference prints only what stands above this line; put an empty line before "
        "it\n"
    ) in err


@pytest.mark.parametrize(
    ("broken", "code", "said"),
    [
        (
            "reference",
            2,
            "error: no reference at box.py\n  = help: put a solution named box.py beside",
        ),
        (
            "settings",
            2,
            "error: cannot read the settings exercise.yaml: No such file or directory\n",
        ),
        ("encoding", 2, "error: spec.md is not UTF-8\n  = help: save it as UTF-8\n"),
        (
            "encoding of the reference",
            2,
            "error: box.py is not UTF-8\n  = help: save it as UTF-8\n",
        ),
        ("folder", 2, "Error: Invalid value for 'SPEC': File 'spec.md' is a directory.\n"),
        ("examples", 3, "error: there is no example session in this spec\n  --> spec.md:1:1\n"),
        ("syntax", 3, "error: this example is no Python: invalid syntax\n  --> spec.md:2:1\n"),
        ("empty", 3, "error: there is no example session in this spec\n  --> spec.md:1:1\n"),
    ],
)
def test_derive_errors(
    spec: Path, capfd: pytest.CaptureFixture[str], broken: str, code: int, said: str
) -> None:
    """What is missing or unreadable is told, with the exit code of its kind."""
    match broken:
        case "reference":
            Path("box.py").unlink()
        case "settings":
            Path("exercise.yaml").unlink()
        case "encoding":
            spec.write_bytes(b">>> 'caf\xe9'\n")
        case "encoding of the reference":
            Path("box.py").write_bytes(REFERENCE.encode() + b"# caf\xe9\n")
        case "folder":
            spec.unlink()
            spec.mkdir()
        case "examples":
            spec.write_text("Only prose.\n")
        case "syntax":
            spec.write_text("a\n>>> 1 +\n")
        case "empty":
            spec.write_text("")
    found = grader_derive(capfd, "spec.md")
    assert (code, "") == found[:2]
    assert said in found[2]
    assert "Traceback" not in found[2]


def test_derive_on_this_project_is_in_step(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`grader derive SPEC --check` agrees for a copy of an exercise of ours, and of its suite."""
    shutil.copytree(ROOT / "reference" / "akari", tmp_path / "reference" / "akari")
    shutil.copytree(ROOT / "testsuites", tmp_path / "testsuites")
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / SCHEMA_NAME, tmp_path / SCHEMA_NAME)
    monkeypatch.chdir(tmp_path)
    assert (0, "", "") == grader_derive(capfd, "reference/akari/spec.md", "--check")
