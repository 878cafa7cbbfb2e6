"""Examples that call a function which asks: the reference tells what is typed to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from small_specs import box, derived

from grader.plugins.authoring.deriving.derivation import Derivation
from grader.plugins.authoring.deriving.doubts import DerivationError
from grader.sandbox.zygote import Zygote

ASKS: Final = """
def ask_age():
    while True:
        text = input("Age? ")
        if text.isdigit():
            return int(text)
        print("Type a number.")

def older(n):
    return n + 1

def number():
    return int(input("n? "))
"""
SPEC: Final = """\
>>> older(3)
4
>>> ask_age()
Age? ten
Type a number.
Age? 12
12
>>> age = ask_age()
Age? 7
>>> older(age)
8
>>> print(ask_age())
Age? 9
9
"""


def asked(zygote: Zygote, folder: Path, spec: str, **settings: str) -> Derivation:
    """Return what comes of `spec` on the reference that asks."""
    made = box(folder)
    (made / "box.py").write_text(ASKS)
    more = "".join(f"{key}: {value}\n" for key, value in settings.items())
    text = (made / "exercise.yaml").read_text().replace("[Box]", "[ask_age, older]")
    (made / "exercise.yaml").write_text(text + more)
    return derived(zygote, made, spec)


def steps_of(found: Derivation) -> list[dict[str, Any]]:
    """Return the steps of the first session, each with what is typed and expected."""
    keys = ("do", "stdin", "shows", "stdout", "returns", "ignore")
    steps = found.document["sessions"][0]["steps"]
    return [{key: step[key] for key in keys if key in step} for step in steps]


def test_what_is_typed_is_what_stands_behind_a_prompt(zygote: Zygote, tmp_path: Path) -> None:
    """The screen is asked with what is typed; a value stands at its end as at a prompt."""
    screen = "Age? ten\nType a number.\nAge? 12\n12\n"
    assert [
        {"do": "older(3)", "returns": "4"},
        {"do": "ask_age()", "stdin": "ten\n12\n", "shows": screen},
        {"do": "age = ask_age()", "stdin": "7\n", "shows": "Age? 7\n"},
        {"do": "older(age)", "returns": "8"},
        {"do": "print(ask_age())", "stdin": "9\n", "stdout": "Age? 9\n9\n"},
    ] == steps_of(asked(zygote, tmp_path, SPEC))


def test_prompts_need_not_count(zygote: Zygote, tmp_path: Path) -> None:
    """Where the settings ignore them, they are left out."""
    _, asking, *_ = steps_of(asked(zygote, tmp_path, SPEC, ignore="[prompts]"))
    assert "Type a number.\n12\n" == asking["shows"]
    assert ["prompts"] == asking["ignore"]


def test_an_example_asks_and_raises(zygote: Zygote, tmp_path: Path) -> None:
    """What stands above the traceback is the screen, with what is typed."""
    spec = ">>> number()\nn? abc\nTraceback (most recent call last):\n    ...\nValueError\n"
    found = asked(zygote, tmp_path, spec + SPEC)
    step = found.document["sessions"][0]["steps"][0]
    assert ("abc\n", "ValueError") == (step["stdin"], step["raises"])
    (tmp_path / "other").mkdir()
    with pytest.raises(DerivationError, match="disagree: 1 problem"):
        asked(zygote, tmp_path / "other", spec.replace("ValueError", "KeyError"))


def test_several_values_stand_on_one_screen(zygote: Zygote, tmp_path: Path) -> None:
    """As at a prompt, where each of them is displayed."""
    spec = ">>> ask_age(); ask_age()\nAge? 1\n1\nAge? 2\n2\n"
    (step,) = steps_of(asked(zygote, tmp_path, spec))
    assert ("1\n2\n", "Age? 1\n1\nAge? 2\n2\n") == (step["stdin"], step["shows"])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (SPEC.replace("Type a", "Give a"), "line 2 of the screen is 'Give a number.'"),
        (">>> ask_age()\nAge? ten\nType a number.\n", "the reference reads more lines"),
        (">>> ask_age()\n12\n", "line 1 of the screen is '12' in the spec"),
        (">>> ask_age()\nAge? 12\n13\n", "line 2 of the screen is '13' in the spec"),
    ],
)
def test_a_screen_that_is_another_one_is_told(
    zygote: Zygote, tmp_path: Path, spec: str, said: str
) -> None:
    """The line of the example is named, and what the reference shows."""
    with pytest.raises(DerivationError) as caught:
        asked(zygote, tmp_path, spec)
    (problem, *others) = caught.value.problems
    assert (1 if spec.startswith(">>> ask") else 3, []) == (problem.line, others)
    assert said in str(problem)
