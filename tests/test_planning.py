"""A case's own session is the smallest that brings its step into the same state."""

from __future__ import annotations

import gc
import marshal
import weakref
from types import CodeType

import pytest
from builders import suite

from grader.sandbox.planning import (
    Role,
    needed_steps,
    own_session,
    read_definitions,
    read_names,
    request,
    whole_session,
)
from grader.suite.session import Session

HEAD = "groups: [{id: g, points: 1}]\nsessions:\n- id: s\n"


def session(steps: str, observers: str = "[]") -> Session:
    """Return the session with the flow-style YAML `steps`."""
    return suite(f"{HEAD}  observers: {observers}\n  steps: [{steps}]\n").sessions[0]


GAME = session(
    """
    {do: 'p = P()'},
    {do: 'q = P()'},
    {do: 'p.move(1)', same_as: p, group: g},
    {do: 'q.move(1)', same_as: q, group: g},
    {do: 'p.move(9)', raises: ValueError, group: g},
    {do: 'p.cells()', returns: '3', group: g},
    {do: 'p.solved()', returns: 'True', group: g},
    {do: 'p = P()'},
    {do: 'p.solved()', returns: 'False', group: g},
    {do: 'p = p.turned()'},
    {do: 'p.cells()', returns: '1', group: g},
    {do: 'f(1)', returns: '1', group: g},
    """,
    observers="[str(p)]",
)


def test_what_is_always_an_action_is_needed_whatever_it_names() -> None:
    """A draw changes the next one, though they have no name in common."""
    draws = session(
        """
        {do: 'seed(1)', always: true},
        {do: 'draw()', returns: '3', always: true, group: g},
        {do: 'look()', returns: '3', group: g},
        {do: 'draw()', returns: '4', group: g},
        """
    )
    assert [(), (0,), (0, 1), (0, 1)] == [needed_steps(draws, index) for index in range(4)]
    ordinary = session("{do: 'f()', action: true}, {do: 'g()', returns: '3', group: g}")
    assert () == needed_steps(ordinary, 1)


@pytest.mark.parametrize(
    ("index", "needed"),
    [
        (0, ()),
        (1, ()),
        (2, (0,)),
        (3, (1,)),
        (4, (0, 2)),
        (5, (0, 2)),
        (6, (0, 2)),
        (8, (7,)),
        (9, (7,)),
        (10, (7, 9)),
        (11, ()),
    ],
)
def test_needed_steps(index: int, needed: tuple[int, ...]) -> None:
    """Only actions on the names that a step uses count: no question, no refusal, no old life."""
    assert needed == needed_steps(GAME, index)


def test_who_asks_the_same_twice_in_a_row_needs_the_first_time() -> None:
    """Whether an iterator can be asked again shows in the second time only."""
    twice = session(
        """
        {do: 'p = P()'},
        {do: 'list(p)', returns: '[1]', group: g},
        {do: 'len(p)', returns: '1', group: g},
        {do: 'list(p)', returns: '[1]', group: g},
        {do: 'list(p)', returns: '[1]', group: g},
        {do: 'p.move(1)', same_as: p, group: g},
        {do: 'list(p)', returns: '[2]', group: g},
        {do: 'p = P()'},
        {do: 'list(p)', returns: '[1]', group: g},
        """
    )
    needed = [needed_steps(twice, index) for index in (1, 3, 4, 6, 8)]
    assert [(0,), (0, 1), (0,), (0, 5), (7,)] == needed


def test_an_action_that_reads_another_name_needs_that_too() -> None:
    """What made an argument what it was is needed, what became of it afterwards is not."""
    steps = session(
        "{do: 'a = A()'}, {do: 'a.grow()'}, {do: 'b = B(a)'}, {do: 'a.grow()'},"
        "{do: 'b.size()', returns: '1', group: g}"
    )
    assert (0, 1, 2) == needed_steps(steps, 4)


@pytest.mark.parametrize(
    ("setup", "needed"),
    [
        ("{do: import random}, {do: random.seed(42)}", (0, 1)),
        ("{do: from random import seed}, {do: seed(42)}", (0, 1)),
        ("{do: import numpy as np}, {do: 'np.random.seed(1); n = 5'}", (0, 1)),
        ("{do: import anything}", (0,)),
        ('{do: \'with open(name := "a", "w") as f: f.write(name)\'}', (0,)),
        ('{do: \'f = open("a", "w")\'}, {do: f.write(str(5))}, {do: f.close()}', (0, 1, 2)),
        ("{do: 'import sys'}, {do: 'sys.argv[1:] = [5]'}", (0, 1)),
        ("{do: 'n = 5'}, {do: 'a, *b = [n]'}, {do: 'n += 1'}", ()),
        ("{do: 'p = P()'}, {do: p.start()}", ()),
        ("{do: start()}", ()),
        ("{do: 'import random'}, {do: 'p = P()'}, {do: 'random.seed(p.n)'}", (0,)),
        ("{do: 'import random'}, {do: 'random = P()'}, {do: 'random.seed(4)'}", (0,)),
        ("{do: 'p = P()'}, {do: 'for each in p: print(each)'}", ()),
        ("{do: 'import random'}, {do: random.seed(9), raises: E, group: g}", (0,)),
        ("{do: 'import random'}, {do: 'random.choice([1])', returns: '1', group: g}", (0,)),
    ],
)
def test_set_up_that_works_without_a_name_is_needed_by_all(
    setup: str, needed: tuple[int, ...]
) -> None:
    """A seed, a file, an import; but nothing that could fail for a mistake in the submission."""
    steps = session(f"{setup}, {{do: 'f()', returns: '1', group: g}}")
    assert needed == needed_steps(steps, len(steps.steps) - 1)


def test_names_of_observers_are_needed_as_well() -> None:
    """What is looked at before and after a refused step has to exist."""
    steps = session(
        "{do: 'a = A()'}, {do: 'b = B()'}, {do: 'c = C()'},"
        "{do: 'a.no()', raises: ValueError, group: g, unchanged: [str(b)]}"
    )
    assert (0, 1) == needed_steps(steps, 3)


def test_the_whole_session_stands_between_its_observers() -> None:
    """In public, each refused step has a look before and one after it; no other step has."""
    items = whole_session(GAME)
    assert ["p.move(9)"] == [each.code for each in items[5:6]]
    assert [4, 6] == [place for place, item in enumerate(items) if item.role is Role.LOOK]
    assert list(range(12)) == [item.step_index for item in items if item.role is Role.STEP]


def test_steps_in_a_row_share_the_look_between_them() -> None:
    """What one refused step has left behind is what the next one finds."""
    steps = session(
        "{do: 'p = P()'}, {do: 'p.a()', raises: E, group: g}, {do: 'p.b()', raises: E, group: g}",
        observers="[str(p)]",
    )
    codes = [item.code for item in whole_session(steps)]
    assert ["p = P()", "str(p)", "p.a()", "str(p)", "p.b()", "str(p)"] == codes


def test_without_observers_only_steps_are_left() -> None:
    """A session can be run without looks, when a look takes the executor down."""
    plain = whole_session(GAME, observed=False)
    assert {Role.STEP} == {item.role for item in plain}
    assert len(GAME.steps) == len(plain)
    assert [0, 2, 4] == [item.step_index for item in own_session(GAME, 4, observed=False)]


def test_an_own_session_ends_with_its_step() -> None:
    """Set-up first, then the step; a refused step with its looks around it."""
    assert [0, 2, 5] == [item.step_index for item in own_session(GAME, 5)]
    codes = [item.code for item in own_session(GAME, 4)]
    assert ["p = P()", "p.move(1)", "str(p)", "p.move(9)", "str(p)"] == codes


def test_the_own_session_of_the_first_steps_is_how_the_whole_one_begins() -> None:
    """Then nothing has to be run again."""
    assert own_session(GAME, 0) == whole_session(GAME)[:1]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("p.move((i, j))", {"p", "i", "j"}),
        ("p = P(size=n)", {"P", "n"}),
        ("print(str(p))", {"print", "str", "p"}),
        ("'p'", set()),
        ("p += 1", set()),
        ("x = y; z = x", {"y", "x"}),
        ("[a for a in b]", {"a", "b"}),
    ],
)
def test_names_read(code: str, names: set[str]) -> None:
    """Names that are looked up, wherever they stand."""
    assert names == read_names(code)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("Board.drop_at(board, (i, 1))", {"Board", "Board.drop_at", "board", "i"}),
        ("x = Board.a.b", {"Board", "Board.a"}),
        ("f(Board)", {"f", "Board"}),
        ("make().cells", {"make"}),
        ("Board.limit = 3", {"Board"}),
    ],
)
def test_definitions_read(code: str, names: set[str]) -> None:
    """Names that are looked up, and what is looked up in them right away."""
    assert names == read_definitions(code)


def test_a_request_says_nothing_about_what_is_expected() -> None:
    """What an executor is sent is code and names to bind, and not a word of an expectation."""
    secrets = session(
        "{do: 'p = P(1)'},"
        "{do: 'p.x', returns: '31337', group: g, case: secretcase, note: secretnote},"
        "{do: 'print(p)', stdout: secretout, group: g},"
        "{do: 'p.no()', raises: 'KeyError: secretmessage', group: g}"
    )
    raw = request([whole_session(secrets)], (("*", "sample"),))
    sent = marshal.loads(raw)
    assert {"import", "plans", "last"} == sent.keys()
    ((codes, binds),) = map(marshal.loads, sent["plans"])
    assert [("p",), (), (), ()] == binds
    assert all(isinstance(code, CodeType) for code in codes)
    for secret in (b"31337", b"secret", b"KeyError"):
        assert secret not in raw
    assert marshal.dumps(31337) not in raw


def test_a_request_imports_what_it_is_told_to() -> None:
    """A conversation goes on without importing anything again."""
    first = marshal.loads(request([], (("*", "sample"),)))
    assert {"import": (("*", "sample"),), "plans": [], "last": True}.items() <= first.items()
    later = marshal.loads(request([whole_session(GAME)[:1]], last=False))
    assert "import" not in later
    assert not later["last"]


CODES = (
    "p = P()",
    "q = P(0)",
    "p.move(1)",
    "p.move(2)",
    "print(p)",
    "q = P()",
    "q.move(1)",
    "p.size()",
)
EXPECTED = ("", "same_as: p", "raises: ValueError", "returns: '3'", "stdout: x")


@pytest.mark.parametrize("visibility", ["hidden", "staff"])
def test_what_is_asked_out_of_sight_does_not_hang_on_what_is_expected(visibility: str) -> None:
    """Suites that differ only in what they expect of their steps send the same, to the byte."""

    def sent(turn: int) -> bytes:
        refusal = ", raises: ValueError, group: g"
        steps = [
            f"{{do: '{code}', {EXPECTED[(turn + place) % len(EXPECTED)]}, group: g}}"
            if " = " not in code
            else f"{{do: '{code}'{refusal * (turn % 2) * (code == 'q = P(0)')}}}"
            for place, code in enumerate(CODES)
        ]
        body = ", ".join(step.replace(", , group: g", "") for step in steps)
        head = f"{HEAD}  visibility: {visibility}\n  observers: [str(p), str(q), len('x')]\n"
        (one,) = suite(f"{head}  steps: [{body}]\n").sessions
        return request([whole_session(one)], (("*", "sample"),))

    first, *others = map(sent, range(len(EXPECTED)))
    assert [first] * len(others) == others


def test_out_of_sight_all_steps_are_looked_at_alike() -> None:
    """There is a look between any two steps, with each observer whose names are there by then."""
    body = f"{HEAD}  visibility: hidden\n  observers: [str(p), str(q)]\n  steps: [STEPS]\n"
    steps = "{do: 'p = P()'}, {do: 'p.x()', returns: '1', group: g}, {do: 'q = P()'}, {do: '5'}"
    steps += ", {do: 'q.x()', raises: E, group: g, unchanged: ['len(q)']}"
    (hidden,) = suite(body.replace("STEPS", steps)).sessions
    looks = "str(p)", "str(q)", "len(q)"
    assert [
        *("p = P()", "str(p)", "p.x()", "str(p)", "q = P()"),
        *(*looks, "5", *looks, "q.x()", *looks),
    ] == [item.code for item in whole_session(hidden)]


def test_what_names_a_value_is_needed_by_who_reads_it_alone() -> None:
    """Where a suite says that it does no more: `a` stays as it was, whatever was made of it."""
    steps = "{do: 'a = [1]'}, {do: 'b = f(a)', action: false}"
    made = session(
        f"{steps}, {{do: a, returns: '[1]', group: g}}, {{do: b, returns: '2', group: g}}"
    )
    assert (0,) == needed_steps(made, 2)
    assert (0, 1) == needed_steps(made, 3)


def test_nothing_keeps_a_session_that_is_done_with() -> None:
    """What was worked out about a session goes when the session goes."""
    done = session("{do: 'p = P()'}, {do: 'p.cells()', returns: '3', group: g}")
    assert 2 == len(whole_session(done))
    assert whole_session(done) is whole_session(done)
    assert (0,) == needed_steps(done, 1)
    assert 2 == len(own_session(done, 1))
    watched = weakref.ref(done)
    del done
    gc.collect()
    assert watched() is None
