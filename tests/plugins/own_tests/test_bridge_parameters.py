"""What a function takes is known to who has only a proxy of it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from own_tests import make_folders, summary, verdicts

from grader.plugins.own_tests.bridge.parameters import parameters_of, signature_of
from grader.plugins.own_tests.bridge.wire import Malformed


def plain(a: int, b: str = "x") -> None:
    """Have a default."""


def all_kinds(a: int, /, b: int, c: int = 1, *rest: int, d: int, e: int = 2, **named: int) -> None:
    """Have one of each."""


def only_names(*, d: int = 1, e: int) -> None:
    """Have a default before what has none."""


@functools.wraps(all_kinds)
def wrapped(*args: Any, **named: Any) -> None:
    """Take what `all_kinds` takes."""


class Counter:
    """Has methods."""

    def bump(self, by: int = 1) -> None:
        """Lose `self`."""

    def gather(*args: Any) -> None:
        """Lose nothing, as `self` is one of them."""


def _shape(signature: inspect.Signature) -> list[tuple[str, object, bool]]:
    return [
        (each.name, each.kind, each.default is not each.empty)
        for each in signature.parameters.values()
    ]


@pytest.mark.parametrize(
    "function",
    [plain, all_kinds, only_names, wrapped, Counter().bump, Counter().gather, lambda: 0],
)
def test_a_signature_crosses(function: Callable[..., Any]) -> None:
    """It has the names, kinds and defaults that `inspect` finds where the function is."""
    told = parameters_of(function)
    assert _shape(inspect.signature(function)) == _shape(signature_of(told))


def test_what_a_foreign_thing_takes_is_not_asked() -> None:
    """To say what is wrapped would run it: nothing is told."""

    class Foreign:
        @property
        def __signature__(self) -> object:
            raise AssertionError("it was asked")

    def around() -> None: ...

    vars(around)["__wrapped__"] = Foreign()
    assert parameters_of(around) is None

    def endless() -> None: ...

    vars(endless)["__wrapped__"] = endless
    assert parameters_of(endless) is None


@pytest.mark.parametrize("names", [[f"a{at}" for at in range(256)], ["a" * 201]])
def test_what_the_other_side_would_refuse_is_not_told(names: list[str]) -> None:
    """A function with too many parameters, or too long names of them, has no signature there."""
    function = eval(f"lambda {', '.join(names)}: 0")
    assert parameters_of(function) is None


@pytest.mark.parametrize(
    "told",
    [
        7,
        [[1, "a"]],
        [[9, "a", False]],
        [[-1, "a", False]],
        [["1", "a", False]],
        [[1, "a b", False]],
        [[1, "a", False], [1, "a", False]],
        [[1, "a", True], [1, "b", False]],
        [[1, f"a{at}", False] for at in range(300)],
    ],
)
def test_what_is_no_signature_is_refused(told: object) -> None:
    """No side sends it."""
    with pytest.raises(Malformed):
        signature_of(told)


@pytest.mark.own_tests
def test_a_submission_asks_what_a_function_of_the_tests_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What curries it, or a method, knows when it has all arguments; a wrong one still fails."""
    place = make_folders(tmp_path, monkeypatch)
    (place / "tests" / "test_curry.py").write_text(
        "import sol\n"
        "class Box:\n"
        "    def volume(self, a, b): return a * b\n"
        "def test_function(): assert sol.curry(lambda a, b, c: a + b + c)(1)(2)(3) == 6\n"
        "def test_method(): assert sol.curry(Box().volume)(2)(3) == 6\n"
        "def test_wrong(): assert sol.curry(lambda a, b: a)(1) == 1\n"
    )
    (place / "handed" / "sol.py").write_text(
        "import inspect\n"
        "def curry(function):\n"
        "    most = len(inspect.signature(function).parameters)\n"
        "    def more(*args):\n"
        "        return function(*args) if len(args) >= most else lambda x: more(*args, x)\n"
        "    return more\n"
    )
    expected = {"test_function": "PASSED", "test_method": "PASSED", "test_wrong": "WRONG"}
    assert expected == verdicts(summary("tests", "--submission=handed"))
