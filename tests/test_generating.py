"""Generating, part by part: draws, the oracle, choosing, trimming, pools, shrinking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest
from builders import suite

from grader.authoring.generating import Draws, Line, Script
from grader.authoring.generating.candidates import load_generator
from grader.authoring.generating.choosing import Candidate, busy_cases, choose, trimmed
from grader.authoring.generating.generation import pooled
from grader.authoring.generating.oracle import Oracle, OracleError
from grader.authoring.generating.shrinking import Lines, shrunk, smaller_forms
from grader.errors import SuiteError
from grader.sandbox.planning import Program
from grader.sandbox.sessions import Gate, SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.suite.model import Raises, Session

BAG: Final = """
    class Bag:
        def __init__(self, *items): self.items = list(items)
        def add(self, item):
            if item in self.items: raise ValueError('there already')
            self.items.append(item)
            return self
        def make(self): return Bag()
        def show(self): print(*self.items, sep='  \\n')
"""


def lines(*codes: str) -> Lines:
    """Return lines without a group."""
    return tuple(Line(code=code) for code in codes)


def case(code: str, **facts: Any) -> Line:
    """Return a line that counts for `add`, or for `refused`."""
    return Line(code=code, group="add", refused="refused", **facts)


# Draws


def test_draws_are_the_same_everywhere() -> None:
    """The numbers of a seed are the same on every version of Python, and of this project."""
    draws = Draws("yinyang:1:7")
    assert [65, 81, 94, 39, 35, 2, 72, 28] == [draws.below(100) for _ in range(8)]
    assert [2, 3, 3, 8, 9, 3, 3, 4] == [draws.between(2, 9) for _ in range(8)]
    assert ["f", "d", "b", "e", "a", "c"] == draws.shuffled("abcdef")
    assert [6, 2, 7] == draws.some(range(10), 3)
    assert "z" == draws.choice("xyz")
    assert draws.chance(0.5)
    assert [844, 789, 66] == [Draws(seed).below(1000) for seed in ("", "é", "1")]


def test_draws_stay_within_bounds() -> None:
    """Every number from the lowest to the highest comes, and no other."""
    draws = Draws("bounds")
    assert {0, 1, 2} == {draws.below(3) for _ in range(100)}
    assert {-1, 0, 1} == {draws.between(-1, 1) for _ in range(100)}
    assert {5} == {draws.between(5, 5) for _ in range(10)}
    assert {"a", "b"} == {draws.choice("ab") for _ in range(50)}
    assert {False} == {draws.chance(0) for _ in range(50)}
    assert {True} == {draws.chance(1) for _ in range(50)}


def test_draws_of_several_items() -> None:
    """Each item is drawn once, in any order; where there are too few, all of them."""
    draws = Draws("items")
    assert list(range(20)) == sorted(draws.shuffled(range(20)))
    assert 24 == len({tuple(draws.shuffled("abcd")) for _ in range(600)})
    assert [] == draws.shuffled([])
    assert [3, 3] == [len(set(draws.some("abcdef", 3))), len(draws.some("abc", 9))]
    assert [] == draws.some("abc", 0)


# The oracle


@pytest.fixture
def oracle(zygote: Zygote) -> Oracle:
    """A reference with bags."""
    return oracle_on(zygote, BAG)


def oracle_on(zygote: Zygote, source: str) -> Oracle:
    """Return an oracle that asks the program `source`."""
    program = Program.of({"sample": ("sample.py", dedent(source))}, {})
    return Oracle(SessionRunner(zygote, program, Limits(), Gate()), ("sample",))


def steps(oracle: Oracle, *given: Line) -> list[dict[str, Any]]:
    """Return the steps that come of these lines, with a bag of 3 to begin with."""
    script = Script(topic="Bags", lines=(*lines("bag = Bag(3)"), *given))
    others: list[dict[str, Any]] = oracle.session(script)["steps"][1:]
    return others


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("bag.items", {"returns": "[3]"}),
        ("bag.items.clear()", {}),
        ("bag.show()", {"stdout": "3\n"}),
        ("bag.add(4)", {"same_as": "bag"}),
        ("bag.items = []", {}),
        ("{'a': (1.5, {2}), 'b': None}", {"returns": "{'a': (1.5, {2}), 'b': None}"}),
    ],
)
def test_oracle_says_what_a_line_gives(oracle: Oracle, code: str, expected: dict[str, Any]) -> None:
    """A value, None, what is printed, a named object, or nothing of a statement."""
    assert [{"do": code, **expected, "group": "add"}] == steps(oracle, case(code))


def test_oracle_says_what_is_refused(oracle: Oracle) -> None:
    """A line that raises counts for the group of refusals, with its type and its message."""
    expected = {"do": "bag.add(3)", "raises": "ValueError: there already", "group": "refused"}
    assert [expected] == steps(oracle, case("bag.add(3)", action=True))
    expected = {"do": "bag.items[9:][0]", "raises": "IndexError: list index out of range"}
    (step,) = steps(oracle, case("bag.items[9:][0]"))
    assert expected | {"group": "refused"} == step


def test_oracle_keeps_what_a_line_says_besides(oracle: Oracle) -> None:
    """An action, a line of the spec and a note of the line stand in its step."""
    (step,) = steps(oracle, case("bag.items", action=True, spec_line=7, note="why"))
    assert {"action": True, "line": 7, "note": "why"}.items() <= step.items()


def test_oracle_leaves_out_what_fails_without_a_group(oracle: Oracle) -> None:
    """A line that raises and is no case is left out; one that does not is set-up."""
    left = steps(oracle, Line(code="bag.add(3)", group="add"), Line(code="bag.add(5)"))
    assert [{"do": "bag.add(5)"}] == left


def test_oracle_leaves_out_observers_of_what_is_not_there(oracle: Oracle) -> None:
    """Observers look at what is bound, and are there only where something is refused."""
    other = Line(code="other = Bag(1).add(1)")
    refused = case("bag.add(3)")
    observers = ("bag.items", "other.items", "1 + 1")
    made = Script(topic="", lines=(*lines("bag = Bag(3)"), other, refused), observers=observers)
    assert ["bag.items", "1 + 1"] == oracle.session(made)["observers"]
    made = Script(topic="", lines=(*lines("bag = Bag(3)"), other), observers=observers)
    assert "observers" not in oracle.session(made)


def test_oracle_refuses_what_no_literal_can_say(oracle: Oracle) -> None:
    """An object without a name cannot be expected, and the error says what to do instead."""
    for code in ("bag.make()", "[1, (bag,)]", "{1: bag.make()}"):
        with pytest.raises(OracleError, match="no literal can say what") as raised:
            steps(oracle, case(code))
        assert raised.value.help is not None
        assert "str(...)" in raised.value.help


@pytest.mark.parametrize("code", ["while True: pass", "import os; os._exit(3)"])
def test_reference_that_ends_stops_the_generation(oracle: Oracle, code: str) -> None:
    """A reference that does not survive a line is no reference: the error has the line."""
    with pytest.raises(OracleError, match="the reference does not survive"):
        steps(oracle, Line(code=code), case("bag.items"))


def test_reference_that_does_not_load_stops_the_generation(zygote: Zygote) -> None:
    """A reference that cannot be imported is told as such."""
    for source in ("raise ValueError", "def f(:"):
        with pytest.raises(OracleError, match="the reference cannot be loaded"):
            steps(oracle_on(zygote, source), case("1"))


def test_script_is_tried_out_as_a_session(oracle: Oracle) -> None:
    """The last line is the only case; None where the reference makes no case of it."""
    made = Script(topic="T", lines=(*lines("bag = Bag(3)"), case("bag.add(3)")))
    session = oracle.try_out(made)
    assert session is not None
    assert [1] == [each.step_index for each in session.cases]
    assert Raises("ValueError", "there already") == session.steps[-1].expectation
    for last in ("bag.items", "bag.add(3)"):
        assert oracle.try_out(Script(topic="T", lines=lines("bag = Bag(3)", last))) is None


# Choosing


def candidate(name: str, kills: str, steps: int = 3, **groups: int) -> Candidate:
    """Return a candidate that kills a program for each character of `kills`."""
    return Candidate(id=name, steps=steps, kills=frozenset(kills), groups=groups)


def chosen(
    *candidates: Candidate, usual: int = 9, most: int = 9, group_cases: int = 0, twice: int = 1
) -> str:
    """Return the names of those that are chosen."""
    best = choose(candidates, usual=usual, most=most, group_cases=group_cases, twice=twice)
    return "".join(each.id for each in best)


def test_choice_is_greedy() -> None:
    """What kills most of what is left is taken, until all are killed that can be."""
    given = [candidate(*each) for each in (("a", "12"), ("b", "234"), ("c", "1"), ("d", ""))]
    assert "ba" == chosen(*given)
    assert "b" == chosen(*given, most=1)
    assert "" == chosen()


def test_ties_go_to_the_shortest_and_then_to_the_first() -> None:
    """Among sessions that kill as much the one with fewest steps is taken, then the first."""
    assert "b" == chosen(candidate("a", "12", 5), candidate("b", "12", 4), candidate("c", "34"[:0]))
    assert "a" == chosen(candidate("a", "12"), candidate("b", "21"))


def test_each_group_gets_enough_cases() -> None:
    """Groups with too few cases get more, though that kills nothing new."""
    given = [candidate("a", "1", add=2), candidate("b", "", add=3), candidate("c", "", fill=9)]
    assert "a" == chosen(*given)
    assert "acb" == chosen(*given, group_cases=4)
    assert "ac" == chosen(*given, group_cases=2)


def test_each_program_is_killed_twice_where_there_is_room() -> None:
    """A second session kills what the first ones kill; the most there may be is never exceeded."""
    given = [candidate("a", "123"), candidate("b", "12"), candidate("c", "1")]
    assert "a" == chosen(*given)
    assert "ab" == chosen(*given, twice=2)
    assert "a" == chosen(*given, twice=2, usual=1)


def test_more_than_usual_are_chosen_only_for_what_would_survive() -> None:
    """Cases of a group, and a second kill, are no reason to go beyond the usual number."""
    given = [candidate("a", "12", add=1), candidate("b", "3"), candidate("c", "123", 9, add=1)]
    assert "c" == chosen(*given, usual=1, twice=2, group_cases=2)
    assert "ab" == chosen(*given[:2], usual=1, twice=2, group_cases=2)
    assert "a" == chosen(*given[:2], usual=1, most=1)


# Trimming


def session_of(body: str) -> tuple[dict[str, Any], Session]:
    """Return a session as plain data without an id, and as it is loaded."""
    parsed = suite(f"groups: [{{id: add, points: 1}}]\nsessions:\n- id: s\n  steps:\n{body}")
    (session,) = parsed.sessions
    data = [{"do": step.code, "group": "add", "returns": "1"} for step in session.steps]
    return {"title": "T", "steps": data}, session


THREE: Final = """\
  - {do: "a = [1]", group: add}
  - {do: "a[0]", group: add, returns: "1"}
  - {do: "len(a)", group: add, returns: "1"}
"""


def test_cases_that_show_something_stay() -> None:
    """One case stays for each program, the latest that shows it; the others where none to spare."""
    _, session = session_of(THREE)
    one, two, three = (case.id for case in session.cases)
    shown = [frozenset({one, two}), frozenset({two, three}), frozenset[str]()]
    assert {two} == busy_cases(session, shown, Counter(add=5))
    assert {three} == busy_cases(session, [frozenset({one, three})], Counter(add=5))
    spare = Counter(add=1)
    assert {two, three} == busy_cases(session, shown, spare)
    assert {"add": 0} == spare
    assert {one, two, three} == busy_cases(session, shown, Counter(add=-2))


def test_trimmed_session_keeps_what_later_lines_need() -> None:
    """Idle looks go, idle actions become set-up, and what comes after the last case goes too."""
    document, session = session_of(THREE + '  - {do: "a.append(2)", group: add}\n')
    one, two, *_ = (case.id for case in session.cases)
    setup, look = {"do": "a = [1]"}, {"do": "a[0]", "group": "add", "returns": "1"}
    assert [setup, look] == trimmed(document, session, frozenset({two}))["steps"]
    assert document["steps"][:1] == trimmed(document, session, frozenset({one}))["steps"]
    assert "T" == trimmed(document, session, frozenset({one}))["title"]


# Pools


def test_whatever_is_drawn_of_the_pools_kills_the_same() -> None:
    """An alternative may miss what another slot kills for sure, and nothing else."""
    killed = {name: frozenset(kills) for name, kills in {
        "a": "123", "a1": "12", "a2": "1", "b": "34", "b1": "4", "b2": "3",
    }.items()}  # fmt: skip
    pools = pooled([["a", "a1", "a2"], ["b", "b1", "b2"]], killed, most=30)
    assert [["a", "a1"], ["b"]] == pools
    for one in pools[0]:
        for other in pools[1]:
            assert frozenset("1234") == killed[one] | killed[other]


def test_pools_are_filled_in_turn_as_long_as_there_is_room() -> None:
    """A pool has three sessions at most, and all pools together as many as there may be."""
    names = [[f"{slot}{number}" for number in range(5)] for slot in "abc"]
    killed = {name: frozenset("1") for slot in names for name in slot}
    assert [3, 3, 3] == [len(pool) for pool in pooled(names, killed, most=30)]
    assert [2, 2, 1] == [len(pool) for pool in pooled(names, killed, most=5)]
    assert [1, 1, 1] == [len(pool) for pool in pooled(names, killed, most=2)]


# Shrinking


def codes(shrunken: Sequence[Line]) -> list[str]:
    """Return the code of lines."""
    return [line.code for line in shrunken]


def test_lines_that_are_not_needed_go() -> None:
    """What is left still shows it; the last line always stays."""
    given = lines(*(f"x{number} = 1" for number in range(9)), "look()")

    def shows(some: Lines) -> bool:
        return {"x3 = 1", "x7 = 1"} <= set(codes(some))

    assert ["x3 = 1", "x7 = 1", "look()"] == codes(shrunk(given, shows))
    assert ["look()"] == codes(shrunk(given, lambda _: True))
    assert codes(given) == codes(shrunk(given, lambda some: some == given))


def test_values_become_smaller() -> None:
    """Collections lose elements, numbers come nearer to one, and texts lose their end."""
    (line,) = shrunk(lines("f([5, 6, 7], {1, 2}, 'abcd', 9)"), lambda _: True)
    assert "f([], {1}, '', 1)" == line.code
    (line,) = shrunk(lines("f(90)"), lambda some: int(some[-1].code[2:-1]) > 41)
    assert "f(42)" == line.code
    (line,) = shrunk(lines("f(['a', 'b', 'c'])"), lambda some: "b" in some[-1].code)
    assert "f(['b'])" == line.code


def test_numbers_never_become_zero() -> None:
    """A board without rows is nobody's example, and True is no number."""
    for code in ("f(1)", "f(True)", "f(None)", "f(x)", "f(1.5)"):
        assert [] == list(smaller_forms(code))
    for number in range(2, 30):
        assert all("(0" not in form for form in smaller_forms(f"f({number})"))


def test_code_of_several_lines_is_left_alone() -> None:
    """A file that is written line by line keeps its lines."""
    code = "text = '''\n3 4\n'''\nopen('a.txt', 'w').write(text)"
    assert [code, "f()"] == codes(shrunk(lines(code, "f()"), lambda some: len(some) == 2))


def test_tries_are_bounded_and_none_is_made_twice() -> None:
    """So that the same session always shrinks to the same, tries are counted."""
    tried: list[Lines] = []

    def shows(some: Lines) -> bool:
        tried.append(some)
        return False

    shrunk(lines(*(f"f([{number}, 8, 9])" for number in range(99))), shows, tries=40)
    assert 40 == len(tried) == len(set(tried))


# Generators


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (None, "no generator at"),
        ("x = 1", "binds no GENERATOR"),
        ("GENERATOR = 3", "binds no GENERATOR"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("def f(:", "cannot be loaded: SyntaxError"),
        ("raise SystemExit(0)", "cannot be loaded: SystemExit"),
    ],
)
def test_generator_that_cannot_be_used(tmp_path: Path, write: str | None, said: str) -> None:
    """Whoever writes a generator reads where it is and what is wrong with it."""
    path = tmp_path / "generator.py"
    if write is not None:
        path.write_text(write)
    with pytest.raises(SuiteError, match=f"generator.*{said}|{said}.*generator"):
        load_generator(path)


def test_shrinking_keeps_what_a_line_counts_for() -> None:
    """A smaller line counts for the same group."""
    shows: Callable[[Lines], bool] = lambda some: some[-1].group == "add"  # noqa: E731 - one look
    (line,) = shrunk([case("f(8)", spec_line=4)], shows)
    assert case("f(1)", spec_line=4) == line
