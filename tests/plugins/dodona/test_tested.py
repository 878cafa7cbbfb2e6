"""Suites as exercises of Dodona for TESTed, and exercises of TESTed as suites."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from command_line import grader

from grader.errors import UsageError
from grader.judging.rules import KINDS
from grader.plugins.dodona.tested_reading import read_tested
from grader.plugins.dodona.tested_writing import DodonaExercise, exercise_for_tested
from grader.suite.files import load_suite
from grader.suite.loading import parse_suite
from grader.suite.model import Suite

ROOT: Final = Path(__file__).parents[3]
HEAD: Final = """
format: 2
exercise: shop
title: Shop
language: en
module: shop
defines: [price]
groups: [{id: all, points: 1}]
sessions:
"""


BOMB: Final = (
    "a0: &a0 [1]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 13))
    + "tabs:\n- {tab: T, testcases: [{expression: f(), return: *a12}]}\n"
)
"""A value of 10 ** 12 parts."""


class _Loader(yaml.SafeLoader):
    """Reads a value with its tag as the two of them."""


_Loader.add_multi_constructor("!", lambda _, tag, node: (tag, node.value))


def made(steps: str) -> DodonaExercise:
    """Return the exercise that a suite of one session with these `steps` becomes."""
    lines = "\n".join(f"      {line}" for line in steps.strip().split("\n"))
    text = f"{HEAD.strip()}\n  - id: first\n    steps:\n{lines}\n"
    return exercise_for_tested(parse_suite(text.encode(), "shop.yaml", KINDS), "# Shop\n", "")


def asked(exercise: DodonaExercise) -> list[Any]:
    """Return the testcases of the only context of an exercise."""
    suite = yaml.load(exercise.files["evaluation/suite.yaml"], _Loader)
    (tab,) = suite["tabs"]
    (context,) = tab["contexts"]
    found: list[Any] = context["testcases"]
    return found


@pytest.mark.parametrize(
    ("step", "testcase"),
    [
        (
            "- {do: price(3), returns: '7', group: all}",
            {"expression": "price(3)", "return": ("expression", "7")},
        ),
        (
            "- {do: 'price(3) + 1', returns: '8', group: all}",
            {"expression": {"python": "shop.price(3) + 1"}, "return": ("expression", "8")},
        ),
        (
            "- {do: price(-1), raises: 'ValueError: too low', group: all}",
            {
                "expression": "price(-1)",
                "exception": {"message": "too low", "types": {"python": "ValueError"}},
            },
        ),
        (
            "- {do: print(price(3)), stdout: '7', group: all}",
            {"statement": {"python": "print(shop.price(3))"}, "stdout": "7"},
        ),
        (
            "- {do: price(3), shows: 'Price(7)', group: all, note: seven}",
            {
                "expression": {"python": "repr(shop.price(3))"},
                "return": "Price(7)",
                "description": "seven",
            },
        ),
        (
            "- {do: price(3), returns: 'set()', group: all, note: nothing}",
            {"expression": "price(3)", "return": ("set", []), "description": "nothing"},
        ),
        (
            "- {do: print('A'), stdout: 'a', ignore: [case], group: all}",
            {
                "statement": {"python": "print('A')"},
                "stdout": {"data": "a", "config": {"caseInsensitive": True}},
            },
        ),
    ],
)
def test_step_becomes_a_testcase(step: str, testcase: dict[str, Any]) -> None:
    """What TESTed reads as any language stays as it is; the rest is Python."""
    assert [testcase] == asked(made(step))


def test_object_goes_on_from_step_to_step() -> None:
    """A name is known in later testcases; one that TESTed uses itself has another name there."""
    steps = """
- do: from shop import *
- do: cart = Cart(2)
- do: e = price(3)
- {do: cart.add(e), same_as: cart, group: all}
- {do: shop, returns: '3', group: all}
"""
    assert asked(made(steps)) == [
        {"statement": "cart = Cart(2)"},
        {"statement": {"python": "e_ = shop.price(3)"}},
        {"expression": {"python": "cart.add(e_) is cart"}, "return": True},
        {"expression": {"python": "shop.shop"}, "return": ("expression", "3")},
    ]


def test_program_is_called_without_prompts() -> None:
    """TESTed prints no prompt, so what is on the screen before an answer is not expected there."""
    step = r"""
- run: shop
  argv: [-v]
  stdin: "3\n4\n"
  stdout: "How many? 3\nAge: 4\nTotal: 7\n"
  exits: 2
  group: all
"""
    assert asked(made(step)) == [
        {"stdin": "3\n4\n", "arguments": ["-v"], "stdout": "Total: 7\n", "exit_code": 2}
    ]


@pytest.mark.parametrize(
    ("step", "lost"),
    [
        ("- {do: price(3), returns: 'array([1, 2])', group: all}", "the value array([1, 2])"),
        ("- {do: price(3), returns: '0.5', tolerance: 0.1, group: all}", "compared leniently"),
        ("- {do: price(3), returns: '1', also: ['2'], group: all}", "several right answers"),
        ("- {do: price(3), raises: ValueError, group: all}", "an exception with any message"),
        ("- {do: price(3), stdin: '4', returns: '1', group: all}", "typed input for a function"),
        ("- {do: print(1), stdout: 'a ... b', ellipsis: true, group: all}", "compared leniently"),
        ('- {do: "for i in range(2):\\n  price(i)", group: all}', "a compound statement"),
    ],
)
def test_what_cannot_cross_is_named(step: str, lost: str) -> None:
    """What TESTed has no words for is left out, and said with its place."""
    exercise = made(f"- {{do: price(0), returns: '0', group: all}}\n{step}")
    assert any(each.startswith("first, step 2: ") and lost in each for each in exercise.omissions)
    assert {"expression": "price(0)", "return": ("expression", "0")} == asked(exercise)[0]


def test_lost_value_is_asked_for_all_the_same() -> None:
    """Its step may change what later ones give."""
    steps = "- {do: price(3), returns: '1', also: ['2'], group: all}\n"
    steps += "- {do: price(4), returns: '1', group: all}"
    assert asked(made(steps))[0] == {"statement": "price(3)"}


def test_code_on_several_lines_is_named() -> None:
    """It is left out with the steps after it, as these may depend on it."""
    steps = "- {do: price(3), returns: '1', group: all}\n"
    steps += r"""- {do: "'''a\nb'''", returns: "'a'", group: all}
- {do: price(4), returns: '1', group: all}"""
    exercise = made(steps)
    assert "first, step 2: a compound statement" in exercise.omissions
    assert 1 == len(asked(exercise))


def test_exercise_of_several_modules_is_refused() -> None:
    """Dodona takes one file of a student."""
    suite = load_suite(ROOT / "testsuites/1010.yaml", KINDS)
    with pytest.raises(ValueError, match="several modules"):
        exercise_for_tested(suite, "", "")


@pytest.mark.parametrize("exercise", ["akari", "str8ts", "yinyang"])
def test_exercise_comes_back_as_it_went(
    exercise: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What TESTed is given is read back: as many cases, which the reference passes."""
    packed = grader(capfd, "pack", exercise, "--tested", "--out", str(tmp_path))
    assert 0 == packed.code, packed.err
    config = json.loads((tmp_path / exercise / "config.json").read_text("utf-8"))
    assert {"test_suite": "suite.yaml"} == config["evaluation"]
    out = tmp_path / "back.yaml"
    back = grader(capfd, "derive", "--from-tested", str(tmp_path / exercise), "--out", str(out))
    assert (0, False) == (back.code, "does not pass" in back.err)
    assert "0 omitted" in back.err
    assert len(public_cases(ROOT / f"testsuites/{exercise}.yaml")) <= len(public_cases(out)) + 6


def public_cases(path: Path) -> list[str]:
    """Return the ids of the cases of the suite at `path`."""
    suite: Suite = load_suite(path, KINDS)
    return [case.id for session in suite.sessions for case in session.cases]


def plan(folder: Path, text: str) -> Path:
    """Return a file with this suite of TESTed."""
    path = folder / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_contexts_become_sessions(tmp_path: Path) -> None:
    """Tabs are groups; a context is a session, a testcase without one is a session of its own."""
    path = plan(
        tmp_path,
        """
namespace: EqualChecker
tabs:
  - tab: Été
    hidden: true
    contexts:
      - testcases:
          - statement: "checker: equal_checker = EqualChecker(5)"
          - expression: checker.check(25)
            return: false
            stdout: hello
  - tab: Sets
    config: {stdout: {tryFloatingPoint: true, applyRounding: true, roundTo: 2}}
    testcases:
      - expression: 'both()'
        return: !expression "{(1, 2)}"
      - expression: 'one()'
        return: !tuple [1]
        description: why
      - expression: nothing()
      - statement: show()
        stdout: {data: "1.50", config: {caseInsensitive: true}}
      - expression: {python: equal_checker.fails()}
        exception: {message: gone, types: {python: KeyError}}
""",
    )
    alone: list[dict[str, Any]] = [
        {"do": "both()", "returns": "{(1, 2)}"},
        {"do": "one()", "returns": "(1,)", "note": "why"},
        {"do": "nothing()", "returns": "None"},
        {"do": "show()", "stdout": "1.50\n", "ignore": ["case"], "tolerance": 0.005},
        {"do": "fails()", "raises": "KeyError: gone"},
    ]
    document = read_tested(path, "fr", "Titre").document
    assert document == {
        "exercise": "plan",
        "title": "Titre",
        "language": "fr",
        "module": "equal_checker",
        "defines": ["EqualChecker", "both", "fails", "nothing", "one", "show"],
        "groups": [{"id": "été", "points": 1}, {"id": "sets", "points": 5}],
        "sessions": [
            {
                "id": "été-1",
                "title": "Été",
                "visibility": "hidden",
                "steps": [
                    {"do": "checker = EqualChecker(5)"},
                    {"do": "checker.check(25)", "shows": "hello\nFalse\n", "group": "été"},
                ],
            },
            *(
                {"id": f"sets-{number}", "title": "Sets", "steps": [{**step, "group": "sets"}]}
                for number, step in enumerate(alone, start=1)
            ),
        ],
    }


def test_main_call_becomes_a_program(tmp_path: Path) -> None:
    """What is typed and what is on the screen are those of a program, without its prompts."""
    path = plan(
        tmp_path,
        """
- unit: Main
  scripts:
    - {stdin: "3", arguments: [-v, 2], stdout: "7", exit_code: 1}
    - stdin: {path: typed.txt}
      input_files: [{path: data.csv, content: "1,2"}]
""",
    )
    (tmp_path / "typed.txt").write_text("5\n", encoding="utf-8")
    document = read_tested(path, "en", None).document
    assert {"data.csv": "1,2"} == document["files"]
    assert [session["steps"] for session in document["sessions"]] == [
        [
            {
                "run": "submission",
                "argv": ["-v", "2"],
                "stdin": "3\n",
                "stdout": "7\n",
                "ignore": ["prompts"],
                "exits": 1,
                "group": "main",
            }
        ],
        [{"run": "submission", "stdin": "5\n", "group": "main"}],
    ]


@pytest.mark.parametrize(
    ("testcase", "lost"),
    [
        ("{expression: f(), return: !oracle {value: 1, oracle: custom_check}}", "an oracle"),
        ("{expression: f(), stdout: {data: a, oracle: custom_check}}", "the oracle custom_check"),
        ("{expression: 'f(int32(1))'}", "the TESTed type int32"),
        ("{expression: {java: f()}}", "code that is not for Python"),
        ("{expression: 'f('}", "is not valid Python"),
        ("{expression: f(), stderr: a}", "stderr"),
        ("{expression: f(), return: !expression '{[1]}'}", "cannot be hashed"),
        ("{expression: f(), stdin: {path: ../../etc/passwd}, exception: a, stdout: b}", "after"),
        ("{stdin: {path: ../secret}}", "the missing file"),
        (
            (
                "{expression: f(), stdout: {data: a,"
                " config: {tryFloatingPoint: 1, applyRounding: 1, roundTo: many}}}"
            ),
            "roundTo: many, which is not a whole number",
        ),
    ],
)
def test_what_no_suite_says_is_named(testcase: str, lost: str, tmp_path: Path) -> None:
    """It is left out, with the tab and the place where it stands."""
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    folder = tmp_path / "exercise"
    folder.mkdir()
    path = plan(folder, f"- tab: T\n  testcases:\n  - {{expression: g()}}\n  - {testcase}\n")
    (omission,) = read_tested(path, "en", None).omissions
    assert omission.startswith("T, context 2, test 1: ")
    assert lost in omission


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("language: java\ntabs: []", "is a suite for java"),
        ("a: 1", "has no tabs"),
        ("- tab: T\n  testcases: [5]", "is not a valid TESTed suite"),
        ("- tab: T\n  testcases: [{expression: 'f('}]", "can be converted"),
        ("a: [", "is not valid YAML"),
        ("[" * 5_000, "is not valid YAML"),
        ("# a\n" * 500_001, "has more than 2,000,000 bytes"),
        ("#" * 20_001, "line 1 has more than 20,000 characters"),
        (BOMB, "a value with a TESTed type"),
        (
            f"a: &a [{{expression: f()}}{', {expression: f()}' * 99}]\ntabs:\n"
            "- {tab: T, contexts: [" + "{testcases: *a}, " * 60 + "]}\n",
            "more than 5,000 tests",
        ),
    ],
)
def test_what_is_no_suite_is_refused(text: str, said: str, tmp_path: Path) -> None:
    """A file of another kind is refused in a sentence."""
    with pytest.raises(UsageError) as caught:
        read_tested(plan(tmp_path, text), "en", None)
    assert said in f"{caught.value.message} {caught.value.help}"


def test_nothing_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    """Neither by its path nor by a link, and no pipe is waited for."""
    (tmp_path / "outside.yaml").write_text("- tab: T\n", encoding="utf-8")
    folder = tmp_path / "exercise"
    (folder / "evaluation").mkdir(parents=True)
    (folder / "evaluation/plan.yaml").symlink_to(tmp_path / "outside.yaml")
    os.mkfifo(folder / "evaluation/pipe.yaml")
    (folder / "config.json").write_text(
        json.dumps({"evaluation": {"test_suite": "../../outside.yaml"}}), encoding="utf-8"
    )
    with pytest.raises(UsageError, match="has no test suite in"):
        read_tested(folder, "en", None)
    (folder / "config.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(UsageError, match="has no test suite in"):
        read_tested(folder, "en", None)


def test_rounding_without_bounds_is_bounded(tmp_path: Path) -> None:
    """Their number of places is taken for what it can be."""
    config = "{tryFloatingPoint: true, applyRounding: true, roundTo: -400}"
    text = f"- tab: T\n  config: {{stdout: {config}}}\n"
    path = plan(tmp_path, text + "  testcases: [{expression: f(), stdout: '1.5'}]\n")
    (session,) = read_tested(path, "en", None).document["sessions"]
    assert 0.5 == session["steps"][0]["tolerance"]


def test_folder_without_a_suite_is_refused(tmp_path: Path) -> None:
    """It is named, and so is where a suite belongs."""
    (tmp_path / "config.json").write_text("[", encoding="utf-8")
    with pytest.raises(UsageError, match="has no test suite in"):
        read_tested(tmp_path, "en", None)
    with pytest.raises(UsageError, match="does not exist"):
        read_tested(tmp_path / "nowhere", "en", None)


def test_suite_that_is_there_stays(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing that may have been edited is written over, and ways in are not mixed."""
    path = plan(tmp_path, "- tab: T\n  testcases: [{expression: f(), return: 1}]\n")
    (tmp_path / "out.yaml").write_text("mine", encoding="utf-8")
    done = grader(capfd, "derive", "--from-tested", str(path), "--out", str(tmp_path / "out.yaml"))
    assert (2, True) == (done.code, "already exists" in done.err)
    mixed = grader(capfd, "derive", "--from-tested", str(path), "--check")
    assert (2, True) == (mixed.code, "cannot be combined with --check" in mixed.err)
    printed = grader(capfd, "derive", "--from-tested", str(path), "--out", "-")
    assert (0, True) == (printed.code, "do: f()" in printed.out)
