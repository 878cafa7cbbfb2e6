"""From a spec to a suite: proof on the reference, document, settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from small_specs import SETTINGS, box, derived, refusal

from grader.errors import UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.deriving.derivation import Derivation, derive
from grader.plugins.authoring.deriving.document import _divide_points
from grader.plugins.authoring.deriving.doubts import DerivationError, SpecError, glued_prose
from grader.plugins.authoring.deriving.examples import find_examples
from grader.plugins.authoring.deriving.proving import prove
from grader.plugins.authoring.deriving.settings import ExerciseSettings, load_settings
from grader.plugins.authoring.suite_text import as_yaml
from grader.sandbox.zygote import Zygote
from grader.suite.loading import parse_suite

ROOT: Final = Path(__file__).resolve().parents[3]
EXERCISES: Final = {"akari": 39, "str8ts": 26, "yinyang": 23}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the settings and the reference of `box`."""
    return box(tmp_path)


def steps(derivation: Derivation) -> list[dict[str, Any]]:
    """Return the steps of the only session."""
    (session,) = derivation.document["sessions"]
    found: list[dict[str, Any]] = session["steps"]
    return found


def problems(zygote: Zygote, folder: Path, spec: str) -> list[str]:
    """Return `line message` of each problem in `spec`, below a line that makes a Box of 2."""
    with pytest.raises(DerivationError) as caught:
        derived(zygote, folder, f">>> b = Box(2)\n{spec}")
    return [f"{problem.line} {problem.message}" for problem in caught.value.problems]


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
    prove(
        parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS),
        folder / "box.py",
        zygote,
    )


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
        ("b.size()\n3", "the spec shows 3, but the reference returns 2"),
        ("b.size()\n2.0", "the spec shows 2.0, but the reference returns 2"),
        ("b.size()\nTrue", "the spec shows True, but the reference returns 2"),
        (
            "b.items()\n[(0, 'x'), (1, 'x')]",
            "the spec shows [(0, 'x'), (1, 'x')], but the reference returns {(0, 'x'), (1, 'x')}",
        ),
        ("b.size()\nthree", "the spec shows three, but the reference returns 2"),
        ("b.size()", "the spec shows no output, but the reference shows 2"),
        ("b.show()", "the spec shows no output, but the reference shows row 1⏎row 2"),
        ("b.clear()\n0", "the spec shows 0, but the reference returns None"),
        (
            "print(b)\n###",
            "line 1 of the output is '###' in the spec, but the reference prints '##'",
        ),
        (
            "b.show()\nrow 1\nrow 3",
            "line 2 of the output is 'row 3' in the spec, but the reference prints 'row 2'",
        ),
        (
            "b.show()\nrow 1",
            "line 2 of the output is missing from the spec, but the reference prints 'row 2'",
        ),
        (
            "print('cafe\u0301')\ncaf\u00e9",
            (
                "line 1 of the output is 'caf\u00e9' in the spec, but the reference prints "
                "'cafe\u0301': they look the same but have different characters"
            ),
        ),
        (
            "(b.n, 'e\u0301')\n(2, '\u00e9')",
            (
                "the spec shows (2, '\u00e9'), but the reference returns (2, 'e\u0301'): they look "
                "the same but have different characters"
            ),
        ),
        (
            "print('a\\tb')\na   b",
            r"line 1 of the output is 'a   b' in the spec, but the reference prints 'a\tb'",
        ),
        (
            "b.put(0)\n3",
            "the reference raises AssertionError: too small here, which the spec does not show",
        ),
        (
            "b.put(0)\nTraceback (most recent call last):\nAssertionError: too big",
            (
                "the spec shows AssertionError: too big, but "
                "the reference raises AssertionError: too small"
            ),
        ),
        (
            "b.put(0)\nTraceback (most recent call last):\nValueError: too small",
            (
                "the spec shows ValueError: too small, "
                "but the reference raises AssertionError: too small"
            ),
        ),
        (
            "b.put(1)\nTraceback (most recent call last):\nAssertionError: too small",
            "the spec shows AssertionError: too small, but the reference raises nothing",
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


def test_printed_tab_has_a_way_out(zygote: Zygote, folder: Path) -> None:
    """Its help says what doctest makes of tabs, and each of the two ways out is one."""
    made = ">>> b = Box(2)\n"
    with pytest.raises(DerivationError) as caught:
        derived(zygote, folder, f"{made}>>> print('a\\tb')\na\tb\n")
    (problem,) = caught.value.problems
    assert (problem.help or "").startswith("doctest expands tabs in a spec")
    loosely = "print('a\\tb')  # doctest: +NORMALIZE_WHITESPACE\na\tb\n"
    for way_out in ("'a\\tb'\n'a\\tb'\n", loosely):
        assert 2 == len(steps(derived(zygote, folder, f"{made}>>> {way_out}")))


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
    with pytest.raises((DerivationError, SpecError)) as caught:
        derived(zygote, folder, f">>> b = Box(2)\n>>> {step}\n>>> b.size()\n2\n")
    texts = [str(one) for one in getattr(caught.value, "problems", [caught.value])]
    assert any("SystemExit" in text or "survive" in text or "get as far" in text for text in texts)


@pytest.mark.parametrize("source", ["class Box\n", "raise ValueError('no')\n", "exit()\n"])
def test_reference_that_cannot_be_loaded_is_told(zygote: Zygote, folder: Path, source: str) -> None:
    """A reference with a syntax error, or that breaks down, derives nothing."""
    (folder / "box.py").write_text(source)
    with pytest.raises(SpecError, match="the reference cannot be loaded: "):
        derived(zygote, folder, ">>> b = Box(2)\n")


@pytest.mark.parametrize(
    ("reference", "example", "said", "to_do"),
    [
        (
            "def f(:",
            "f()\n1",
            "cannot be loaded: SyntaxError: invalid syntax",
            "fix the reference",
        ),
        ("exit()", "f()\n1", "cannot be loaded: SystemExit", "fix the reference"),
        ("class F: pass\ndef f(): return F()", "f()\nF(1)", "the spec shows F(1)", "`__repr__`"),
        (
            "def f(): return input()",
            "f()",
            "reads more lines than are typed",
            "show the complete screen",
        ),
        ("def g(): 1", "f()\n1", "name 'f' is not defined", "define the name in the reference"),
        ("def f(): return 2", "f()\n1", "the spec shows 1", "correct the spec or the reference"),
    ],
)
def test_each_mistake_says_what_to_do(
    zygote: Zygote, folder: Path, reference: str, example: str, said: str, to_do: str
) -> None:
    """What goes wrong is followed by what an author does about it."""
    (folder / "box.py").write_text(f"{reference}\n")
    with pytest.raises((DerivationError, SpecError)) as caught:
        derived(zygote, folder, f">>> {example}\n")
    (problem,) = getattr(caught.value, "problems", [caught.value])
    assert said in str(problem)
    assert to_do in problem.help


def test_spec_without_examples_is_told(zygote: Zygote, folder: Path) -> None:
    """There must be something to derive from."""
    with pytest.raises(SpecError, match="this spec has no example session") as caught:
        derived(zygote, folder, "Only prose.\n")
    assert "write examples at a >>> prompt at the start of a line" in (caught.value.help or "")


# Document


@given(st.dictionaries(st.text("abc", max_size=3), st.integers(1, 40), min_size=1), st.data())
def test_points_are_level(cases: dict[str, int], data: st.DataObject) -> None:
    """They add up to the number of examples, and no case is worth more than one point."""
    total = data.draw(st.integers(1, sum(cases.values())))
    points = _divide_points(cases, total)
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
    parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS)


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


# Settings


def test_missing_settings_are_told(tmp_path: Path) -> None:
    """The error says which file, and what it holds."""
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path / "exercise.yaml")
    assert (
        f"cannot read the settings {tmp_path / 'exercise.yaml'}: No such file or directory"
        == caught.value.message
    )
    assert str(caught.value.help).startswith("write exercise.yaml beside the spec")


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
    messages, shown = refusal(folder, SETTINGS.replace(old, new))
    assert said in messages[place]
    assert f"--> {folder / 'exercise.yaml'}:{place}\n" in shown


# Proof


def test_suite_that_the_reference_fails_is_not_proven(zygote: Zygote, folder: Path) -> None:
    """The case and the session in which it fails are named."""
    done = derived(zygote, folder, "a\n>>> b = Box(2)\n>>> b.size()\n2\n")
    text = as_yaml(done.document, schema="x").replace('returns: "2"', 'returns: "3"')
    with pytest.raises(DerivationError) as caught:
        prove(parse_suite(text.encode(), "x", KINDS), folder / "box.py", zygote)
    (problem,) = caught.value.problems
    assert (
        3,
        "the reference does not pass size/1 in the whole session: it gives another result",
    ) == (
        problem.line,
        problem.message,
    )


# The suites of this project


def settings_of(exercise: str) -> ExerciseSettings:
    """Return the settings of an exercise of this project."""
    return load_settings(ROOT / "reference" / exercise / "exercise.yaml")


@pytest.mark.authoring
@pytest.mark.parametrize("exercise", EXERCISES)
def test_committed_suite_is_what_is_derived(zygote: Zygote, exercise: str) -> None:
    """Twice the same, that of the repository but for shorter sessions; every example is proven."""
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
        texts.append(as_yaml(done.document, schema="../docs/suite.schema.json"))
    committed = (ROOT / "testsuites" / f"{exercise}.yaml").read_bytes()
    written = yaml.safe_load(committed)
    for session in written["sessions"]:
        session["steps"] = [
            {key: value for key, value in step.items() if key != "shorter"}
            for step in session["steps"]
        ]
    assert [written] * 2 == [*map(yaml.safe_load, texts)]
    assert texts[0] == texts[1]
    suite = parse_suite(committed, exercise, KINDS)
    prove(suite, spec.with_name(f"{exercise}.py"), zygote)
    lines = {step.line for session in suite.sessions for step in session.steps}
    assert EXERCISES[exercise] == done.example_count == len(lines)
    assert EXERCISES[exercise] == sum(group.points for group in suite.groups)
    worth = Counter(case.group for session in suite.sessions for case in session.cases)
    assert all(group.points <= worth[group.id] for group in suite.groups)


def test_every_example_of_this_project_is_proven() -> None:
    """88 examples in three specs."""
    texts = [(ROOT / "reference" / name / "spec.md").read_text("utf-8") for name in EXERCISES]
    assert 88 == sum(len(find_examples(text)) for text in texts) == sum(EXERCISES.values())
