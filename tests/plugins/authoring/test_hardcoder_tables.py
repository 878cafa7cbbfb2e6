"""What is in the table of a hard-coder: recorded calls, and the answers to them."""

from __future__ import annotations

import json
from textwrap import dedent
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from grader.plugins.authoring.auditing import answer_table
from grader.plugins.authoring.auditing.call_recorder import (
    CallRecorder,
    exact_key,
    result_expression,
)


def test_only_calls_from_outside_are_heard(capsys: pytest.CaptureFixture[str]) -> None:
    """Each call is a row: arguments, outcome, what changed, what was printed."""
    original = ModuleType("original")
    source = """\
        import enum

        class Colour(enum.Enum):
            RED = 1

        class Odd(ValueError):
            pass

        def outer(numbers):
            print("out")
            return inner(numbers)

        def inner(numbers, *, by=1):
            numbers.append(by)
            if by == 2:
                raise Odd("two")
            return numbers
        """
    exec(dedent(source), vars(original))
    ear = CallRecorder()
    ear.modules.add("original")
    names: dict[str, Any] = {}
    ear.record("sample", "", original, names)
    numbers = [7]
    assert numbers is names["outer"](numbers)
    with pytest.raises(ValueError, match="two"):
        names["inner"](numbers, by=2)
    assert "out\n" == capsys.readouterr().out
    heard = json.loads(ear.dump(0, 10_000))
    assert [
        ["outer", "numbers=[7]", "numbers=list", "arguments.get('numbers')"],
        [
            "inner",
            "by=2, numbers=[7, 1]",
            "by=2, numbers=list",
            "fail(exception_class('Odd', ValueError), 'two')",
        ],
    ] == [row[:4] for row in heard["rows"]]
    assert [[{"numbers": "[7, 1]"}, "out\n"], [{"numbers": "[7, 1, 2]"}, ""]] == [
        row[4:] for row in heard["rows"]
    ]
    assert {"name": "Odd", "raised_as": "ValueError"} in heard["defined"]["sample"]
    assert not ear.dump(1, 10_000)


@pytest.mark.parametrize(
    "error",
    [
        KeyError(None),
        ValueError([1], {"a": 2.5}, b"", 7, -float("inf")),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        SystemExit(2),
    ],
)
def test_exceptions_keep_their_arguments(error: BaseException) -> None:
    """Some cannot be made without all of them, and messages show them."""
    original = ModuleType("original")
    exec("def refuse(error): raise error", vars(original))
    ear = CallRecorder()
    ear.modules.add("original")
    names: dict[str, Any] = {}
    ear.record("sample", "", original, names)
    with pytest.raises(type(error)):
        names["refuse"](error)
    ((*_, outcome, _, _),) = json.loads(ear.dump(0, 10_000))["rows"]
    with pytest.raises(type(error)) as again:
        eval(outcome, {"fail": answer_table.fail})
    assert error.args == again.value.args


def test_call_that_a_limit_ends_has_no_row() -> None:
    """Its result is unknown, and the limit is seen as without the recorder."""
    original = ModuleType("original")
    exec("def refuse(error): raise error", vars(original))
    ear = CallRecorder()
    ear.modules.add("original")
    names: dict[str, Any] = {}
    ear.record("sample", "", original, names)
    with pytest.raises(BaseException, match="limit") as caught:
        names["refuse"](BaseException("limit"))
    assert BaseException is caught.type
    assert not json.loads(ear.dump(0, 10_000))["rows"]


def test_exceptions_keep_objects_among_their_arguments() -> None:
    """A stand-in has the class and the state of the object."""
    original = ModuleType("original")
    exec("def refuse(thing): raise KeyError((1, thing))", vars(original))
    ear = CallRecorder()
    ear.modules.add("original")
    names: dict[str, Any] = {}
    ear.record("sample", "", original, names)
    with pytest.raises(KeyError):
        names["refuse"](Thing(1))
    ((*_, outcome, _, _),) = json.loads(ear.dump(0, 10_000))["rows"]
    with pytest.raises(KeyError) as again:
        eval(outcome, {"fail": answer_table.fail, "new_object": answer_table.new_object})
    assert exact_key((1, Thing(1))) == answer_table.value_key(again.value.args[0])


def test_methods_and_attributes_of_a_class_are_heard() -> None:
    """What is made, asked and called from outside is a row each; what a method does is not."""
    original = ModuleType("original")
    source = """\
        import enum

        class Colour(enum.Enum):
            RED = 1

        class Base:
            pass

        class Box(Base):
            def __init__(self, size):
                self.size = size

            def __hash__(self):
                return 0

            def grow(self, by=1):
                self.size += by
                return self.twice(self.size)

            @staticmethod
            def twice(n):
                return 2 * n

            @classmethod
            def small(cls):
                return cls(1)

            @property
            def half(self):
                return self.size / 2
        """
    exec(dedent(source), vars(original))
    ear = CallRecorder()
    ear.modules.add("original")
    names: dict[str, Any] = {}
    ear.record("sample", "", original, names)
    box = names["Box"](2)
    assert (6, 3, 1.5) == (box.grow(), box.size, box.half)
    assert (8, 1) == (names["Box"].twice(4), names["Box"].small().size)
    hash(box)
    heard = json.loads(ear.dump(0, 10_000))
    called = ["Box.__init__", "Box.grow", "Box.size", "Box.half", "Box.twice", "Box.small"]
    assert [*called, "Box.size"] == [row[0] for row in heard["rows"]]
    assert ["6", "3", "1.5", "8"] == [row[3] for row in heard["rows"][1:5]]
    assert [["self"], ["self"], *[[]] * 5] == [[*row[4]] for row in heard["rows"]]
    methods = {
        "__init__": ["method", ["self", "size"]],
        "grow": ["method", ["self", "by"]],
        "twice": ["static", ["n"]],
        "small": ["class", ["cls"]],
    }
    base = {"name": "Base", "bases": [], "methods": {}}
    assert [base, {"name": "Box", "bases": ["Base"], "methods": methods}] == (
        heard["defined"]["sample"]
    )


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 7, 1.5, float("inf"), -float("inf"), 2j, "it's", b"\0", range(3)),
        *(
            [],
            [1, [2]],
            (),
            (1,),
            (1, "a"),
            {1, 2},
            set(),
            {(1,), "a"},
            frozenset({1}),
            frozenset(),
        ),
        *({}, {(1, 2): {"a"}}),
    ],
)
def test_answers_are_written_as_source(value: object) -> None:
    """The expression for a value gives it again, of the same type."""
    again = eval(result_expression(value, {}))  # the text of a literal of ours
    assert (type(value), value) == (type(again), again)


def test_arrays_are_written_as_source() -> None:
    """An array keeps its shape and the type of its elements; a number of numpy's is a number."""
    for given in (np.array([[1, -1], [0, 2]]), np.zeros((2, 0)), np.array([True])):
        again = eval(result_expression(given, {}), {"array": answer_table.array})
        assert (given.dtype, given.tolist()) == (again.dtype, again.tolist())
    assert "3" == result_expression(np.int64(3), {})


class Thing:
    """An object with slots, and with itself among what it holds."""

    __slots__ = ("held", "me", "unset")

    def __init__(self, held: object) -> None:
        self.held = held
        self.me = self


def test_keys_tell_apart_what_callers_can_tell_apart() -> None:
    """Values of different types have different keys; objects are told apart by what they hold."""
    values: list[object] = [
        *(0, False, 0.0, "0", (0,), [0], {0}, frozenset({0}), {0: 0}, {0: False}, np.array([0])),
        *(np.array([False]), int, bool, Thing(1), Thing(2), Thing([Thing(1)]), len),
    ]
    assert len(values) == len({exact_key(value) for value in values})
    assert exact_key(Thing({1: {2, 3}})) == exact_key(Thing({1: {3, 2}}))
    assert "Thing #?" == answer_table.value_key(Thing(1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([1, 2], [2, 1]),
        ([1, 2], [1]),
        ({1}, {2}),
        ({1: 2}, {3: 4}),
        ((1, {2}), (1, {3})),
        ([[1], [2]], [[1], [3]]),
    ],
)
def test_what_changes_stays_the_same_object(old: Any, new: Any) -> None:
    """A value becomes another one in place, as deep as it can be changed."""
    inner = old[1] if isinstance(old, tuple) else old
    answer_table.update_in_place(old, new)
    assert new == old
    assert (old[1] if isinstance(old, tuple) else old) is inner


def test_arrays_and_objects_change_in_place() -> None:
    """An array gets other elements, an object another state; what cannot change stays."""
    board = np.array([0, 1])
    answer_table.update_in_place(board, np.array([2, 3]))
    assert [2, 3] == board.tolist()
    old, new = answer_table.new_object("Shape", "a"), answer_table.new_object("Shape", "b")
    answer_table.update_in_place(old, new)
    assert answer_table.value_key(new) == answer_table.value_key(old) == "Shape #b"
    answer_table.update_in_place(None, 3)


def test_what_was_never_called_answers_nothing() -> None:
    """Without a row there is nothing to say, and arguments without names are known by place."""
    table = answer_table.AnswerTable([], {})
    assert table.function("unknown", ["x"])(1, 2, y=3) is None
    assert {"x": 1, "*1": 2, "y": 3} == answer_table.bind_arguments(["x"], (1, 2), {"y": 3})
    assert "(1, list)" == answer_table.loose_value_key((1, [2]))
