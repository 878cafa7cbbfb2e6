"""What a submission gets to know of the tests, and what it may have done with it."""

from __future__ import annotations

import io
import os
import random
import re
import socket
import subprocess
import sys
import types
from operator import attrgetter
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import Malformed, Uncrossable, WireTag
from grader.plugins.own_tests.proxying.exports import Exports


class Account:
    """A class of the tests."""

    def __init__(self) -> None:
        self.balance = 1
        self._secret = 42

    def pay(self) -> int:
        """Do something."""
        return self.balance


@pytest.fixture
def tables() -> Tables:
    """What is known on both sides: nothing yet."""
    return Tables()


@pytest.fixture
def exports() -> Exports:
    """The tests are what lies in this folder."""
    return Exports((Path(__file__).parent,))


def told(exports: Exports, tables: Tables, value: Any) -> Any:
    """Return how `value` travels."""
    return exports.encode(value, tables, lambda each: ["written", type(each).__name__])


def test_functions_of_the_tests_are_handed_over(exports: Exports, tables: Tables) -> None:
    """A function and a method travel as a key, a name and what they are for."""
    takes = [[1, name, False] for name in ("exports", "tables", "value")]
    assert [WireTag.FUNCTION, 1, "told", told.__doc__, takes, False] == told(exports, tables, told)
    pay = Account().pay
    assert [WireTag.FUNCTION, 2, "pay", "Do something.", [], True] == told(exports, tables, pay)
    assert told is tables.local(1)


@pytest.mark.parametrize(
    ("name", "module"),
    [
        *[(name, "numpy") for name in ("array", "sin", "sum")],
        ("linalg.norm", "numpy.linalg"),
        ("random.default_rng", "numpy.random"),
    ],
)
def test_functions_of_numpy_are_found_there(
    exports: Exports, tables: Tables, name: str, module: str
) -> None:
    """Whatever numpy makes them of, they travel by their name; what they are bound to does not."""
    numpy = pytest.importorskip("numpy")
    function = attrgetter(name)(numpy)
    assert [WireTag.NAMED, module, name.rpartition(".")[2]] == told(exports, tables, function)
    own = [WireTag.OBJECT, 1, [WireTag.KNOWN, "object"], None]
    assert own == told(exports, tables, numpy.random.default_rng(0))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (len, [WireTag.NAMED, "builtins", "len"]),
        (str.lower, [WireTag.NAMED, "builtins", "str.lower"]),
        (random.choice, [WireTag.NAMED, "random", "choice"]),
        (random, [WireTag.NAMED, "random", ""]),
        (re.Pattern, [WireTag.NAMED, "re", "Pattern"]),
        ([1].append, [WireTag.METHOD, ["written", "list"], "append"]),
        (property(len), [WireTag.BUILT, "property", [["written", "builtin_function_or_method"],
                         ["written", "NoneType"], ["written", "NoneType"]]]),
    ],
)  # fmt: skip
def test_the_standard_library_travels_by_name(
    exports: Exports, tables: Tables, value: Any, expected: object
) -> None:
    """What both sides have is looked up there: no call comes back for it."""
    assert expected == told(exports, tables, value)


@pytest.mark.parametrize("value", [pytest, pytest.raises, sys._getframe(), told.__code__])
def test_what_leads_further_is_refused(exports: Exports, tables: Tables, value: Any) -> None:
    """Modules and functions of others, frames and code stay here; the message says a way out."""
    with pytest.raises(Uncrossable, match="instances of classes that the tests define"):
        told(exports, tables, value)


@pytest.mark.parametrize(
    "value",
    [Account(), mock.Mock(), io.StringIO(), random.Random(1), iter([1])],
    ids=lambda value: type(value).__name__,
)
def test_objects_are_handed_over(exports: Exports, tables: Tables, value: Any) -> None:
    """Objects of classes of the tests, doubles, files and iterators travel as objects."""
    assert told(exports, tables, value) is None


def test_any_other_object_is_only_itself(exports: Exports, tables: Tables) -> None:
    """An object that nobody vouches for can be handed back, and that is all."""
    value: Any = subprocess.CompletedProcess("ls", 0)
    assert [WireTag.OBJECT, 1, [WireTag.KNOWN, "object"], None] == told(exports, tables, value)
    with pytest.raises(Uncrossable, match="CompletedProcess"):
        exports.check_permitted("get", (value, "args"), tables)


@pytest.mark.parametrize("name", ["_secret", "__mro__", "__class__", "__init__", "__reduce__"])
def test_private_names_are_not_told(exports: Exports, tables: Tables, name: str) -> None:
    """Of an object that was handed over, a name that begins with an underscore is not there."""
    account = Account()
    tables.add_local(account)
    exports.check_permitted("get", (account, "balance"), tables)
    exports.check_permitted("set", (account, "balance"), tables)
    with pytest.raises(AttributeError, match=name):
        exports.check_permitted("get", (account, name), tables)


def test_a_private_name_that_a_submission_has_set_is_its_own_until_a_test_sets_it(
    exports: Exports, tables: Tables
) -> None:
    """It may ask for what it has put there itself; not for what a test has put there since."""
    account = Account()
    tables.add_local(account)
    exports.check_permitted("set", (account, "_note", "mine"), tables)
    account.__dict__["_note"] = content = ["mine"]
    with pytest.raises(AttributeError):
        exports.check_permitted("get", (account, "_note"), tables)
    account.__dict__["_other"] = content
    with pytest.raises(AttributeError):
        exports.check_permitted("set", (account, "_other", content), tables)
    exports.check_permitted("set", (account, "_new", content), tables)
    account.__dict__["_new"] = content
    exports.check_permitted("get", (account, "_new"), tables)
    assert exports.visible_attributes(account) == {"balance": 1, "_new": content}
    account.__dict__["_new"] = "expected"
    assert exports.visible_attributes(account) == {"balance": 1}


def test_what_a_mock_has_been_asked_is_its_own(exports: Exports, tables: Tables) -> None:
    """A mock can be used like what it stands for; what it notes and will say is for the tests."""
    spy = mock.Mock(side_effect=[42])
    tables.add_local(spy)
    exports.check_permitted("call", (spy, (), ()), tables)
    exports.check_permitted("set", (spy, "mark", 1), tables)
    for act in ("get", "set", "delete"):
        for name in ("call_count", "mock_calls", "side_effect", "reset_mock", "assert_called"):
            with pytest.raises(AttributeError, match=name):
                exports.check_permitted(act, (spy, name), tables)


def test_what_executors_do_not_have_is_refused_here(exports: Exports, tables: Tables) -> None:
    """The test reads which line hands over what is not there for a submission."""
    with pytest.raises(Uncrossable, match="create_connection"):
        told(exports, tables, socket.create_connection)


@pytest.mark.parametrize("name", ["__globals__", "__closure__", "__code__", "anything"])
def test_nothing_of_a_function_is_told(exports: Exports, tables: Tables, name: str) -> None:
    """A function can be called, and that is all: its globals are the tests."""
    tables.add_local(told)
    exports.check_permitted("call", (told, (), ()), tables)
    with pytest.raises(AttributeError):
        exports.check_permitted("get", (told, name), tables)


def test_methods_of_classes_of_the_tests_stay_as_they_are(exports: Exports, tables: Tables) -> None:
    """A class can be called and asked; its methods cannot be changed, nor can it be built upon."""
    tables.add_local(Account)
    exports.check_permitted("call", (Account, (), ()), tables)
    exports.check_permitted("get", (Account, "pay"), tables)
    with pytest.raises(AttributeError):
        exports.check_permitted("set", (Account, "pay", 1), tables)
    with pytest.raises(Uncrossable):
        exports.check_permitted("adopt", (Account,), tables)


def test_new_names_and_data_can_be_set_on_a_class_that_was_handed_over(
    exports: Exports, tables: Tables
) -> None:
    """They can be set again and deleted; what `object`, or Python, gives meaning to cannot."""

    class Plugin:
        debug = False

        def run(self) -> None:
            """Do something."""

    tables.add_local(Plugin)
    with pytest.raises(AttributeError):  # of an object that was handed over, it is the class
        exports.check_permitted("set", (Plugin, "title", 1), tables)
    told(exports, tables, Plugin)
    for name in ("title", "debug"):
        exports.check_permitted("set", (Plugin, name, 1), tables)
        setattr(Plugin, name, 1)
        exports.check_permitted("set", (Plugin, name, 2), tables)
        setattr(Plugin, name, 2)
        exports.check_permitted("delete", (Plugin, name), tables)
    for name in ("run", "__len__", "_hidden", "__name__"):
        with pytest.raises(AttributeError):
            exports.check_permitted("set", (Plugin, name, 1), tables)


class Slotted:
    """Has what a slot is."""

    __slots__ = ("slot",)


class Deleting:
    """Is asked when an attribute is deleted."""

    def __delete__(self, _owner: object) -> None:
        """Do nothing."""


class Setting(Account):
    """Is asked when an attribute is set."""

    def __set__(self, _owner: object, _value: object) -> None:
        """Do nothing."""


def test_what_rules_over_objects_is_not_set_on_their_class(
    exports: Exports, tables: Tables
) -> None:
    """A property by the name of an attribute that `__init__` sets would change what tests hold."""

    class Plugin:
        debug = False

    tables.add_local(Plugin)
    told(exports, tables, Plugin)
    ruling = (property(lambda _: 7), vars(Slotted)["slot"], Deleting(), Setting())
    for value in ruling:
        for name in ("title", "debug"):
            with pytest.raises(AttributeError, match="cannot change"):
                exports.check_permitted("set", (Plugin, name, value), tables)
    for value in (1, Account(), told, Setting):
        exports.check_permitted("set", (Plugin, "title", value), tables)


def test_what_may_be_set_is_forgotten_with_the_test(exports: Exports, tables: Tables) -> None:
    """In the next test a class must be handed over again, and holds nothing of a submission."""

    class Plugin:
        pass

    tables.add_local(Plugin)
    exports.changes.keep()
    told(exports, tables, Plugin)
    exports.check_permitted("set", (Plugin, "title", 1), tables)  # and then it was not set
    Plugin.title = lambda: 2  # type: ignore[attr-defined]  # by a test
    with pytest.raises(AttributeError, match="cannot change"):
        exports.check_permitted("set", (Plugin, "title", 3), tables)
    exports.changes.restart()
    with pytest.raises(AttributeError, match="cannot change"):
        exports.check_permitted("set", (Plugin, "mark", 1), tables)


def test_the_next_test_finds_a_class_as_it_was(exports: Exports, tables: Tables) -> None:
    """What was set while tests were collected stays, what was set later does not."""

    class Plugin:
        debug = False

    tables.add_local(Plugin)
    told(exports, tables, Plugin)
    exports.check_permitted("set", (Plugin, "title", 1), tables)
    Plugin.title = 1  # type: ignore[attr-defined]  # as a decorator would
    exports.changes.keep()
    for name in ("debug", "title", "mark"):
        exports.check_permitted("set", (Plugin, name, 2), tables)
        setattr(Plugin, name, 2)
    exports.changes.restart()
    assert (False, 1, False) == (Plugin.debug, vars(Plugin)["title"], hasattr(Plugin, "mark"))


@pytest.mark.parametrize(
    ("act", "about"),
    [
        ("get", (os, "system")),
        ("call", (eval, ("1",), ())),
        ("get", (Account(), "balance")),
        ("special", (Account, "__class__", Account(), (), ())),
        ("special", (type, "__call__", Account(), (), ())),
    ],
)
def test_what_was_not_handed_over_cannot_be_asked(
    exports: Exports, tables: Tables, act: str, about: tuple[Any, ...]
) -> None:
    """Asking for something that no test has handed over is no question: it ends the submission."""
    with pytest.raises(Malformed):
        exports.check_permitted(act, about, tables)


def test_a_name_is_a_text(exports: Exports, tables: Tables) -> None:
    """A name of another type is malformed."""
    value = types.SimpleNamespace()
    tables.add_local(value)
    with pytest.raises(Malformed):
        exports.check_permitted("get", (value, 1), tables)


def test_only_classes_of_the_tests_can_be_called(
    exports: Exports, tables: Tables, tmp_path: Path
) -> None:
    """A file that is handed over has a class, and that opens any other file."""
    with open(tmp_path / "a", "w") as file:
        write = file.write
        for each in (type(file), io.FileIO, Account, write):
            tables.add_local(each)
        exports.check_permitted("call", (Account, (), ()), tables)
        exports.check_permitted("call", (write, ("a",), ()), tables)
        for cls in (type(file), io.FileIO):
            with pytest.raises(TypeError, match="cannot create"):
                exports.check_permitted("call", (cls, ("/etc/passwd",), ()), tables)
            with pytest.raises(TypeError, match="cannot create"):
                exports.check_permitted(
                    "special", (type, "__call__", cls, ("/etc/passwd",), ()), tables
                )


@pytest.mark.parametrize(
    "error", [AssertionError("it is 42"), pytest.fail.Exception("it is 42")], ids=repr
)
def test_what_a_failure_says_is_not_told(
    exports: Exports, tables: Tables, error: BaseException
) -> None:
    """Where a function of the tests fails that the submission calls, it learns that it failed."""
    tables.add_local(error)
    for act in (("get", error, "args"), ("get", error, "msg"), ("repr", error)):
        with pytest.raises(AttributeError):
            exports.check_permitted(act[0], act[1:], tables)
    with pytest.raises(AttributeError):
        exports.check_permitted("special", (object, "__str__", error, (), ()), tables)
