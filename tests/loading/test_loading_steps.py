"""What the keys of a step become, and how steps hang together."""

from __future__ import annotations

import pytest

from grader.judging.rules import KINDS
from grader.suite.expectations import Completes, Expectation, Prints, Raises, Returns, SameAs
from grader.suite.loading import InvalidSuite, parse_suite
from grader.suite.model import Suite
from grader.suite.steps import Step
from grader.values.tree import Atom, Collection

NONE = Returns(Atom(None), "None")


def suite_of(steps: str, observers: str = "[]", defines: str = "[YinYang]") -> Suite:
    """Return a suite with `steps`, YAML with one step on each line."""
    session = f"- id: s\n  observers: {observers}\n  steps:\n"
    lines = "".join(f"  - {line.strip()}\n" for line in steps.strip().splitlines())
    head = "exercise: x\ntitle: X\nlanguage: en\nmodule: x\n"
    groups = "groups:\n- {id: g, points: 1}\n"
    last = "  - {do: f(), group: g, case: last}\n"  # keeps the group busy
    text = f"{head}defines: {defines}\n{groups}sessions:\n{session}{lines}{last}"
    return parse_suite(text.encode(), "s.yaml", KINDS)


def steps_of(steps: str, observers: str = "[]") -> tuple[Step, ...]:
    """Return `steps` as the suite has them."""
    return suite_of(steps, observers).sessions[0].steps[:-1]


def said(steps: str, observers: str = "[]", defines: str = "[YinYang]") -> list[str]:
    """Return what is said about `steps`."""
    with pytest.raises(InvalidSuite) as caught:
        suite_of(steps, observers, defines)
    return [diagnostic.message for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("keys", "expectation", "acts"),
    [
        ("do: p = 1", None, True),
        ("do: f()", None, True),
        ("do: p = 1, group: g", Completes(), True),
        ("do: f(), group: g", NONE, True),
        ('do: f(), group: g, returns: "None"', NONE, True),
        ("do: f(), group: g, returns: '1'", Returns(Atom(1), "1"), False),
        ("do: f(), group: g, stdout: a", Prints("a"), False),
        ("do: f(), group: g, raises: E", Raises("E", None), False),
        ("do: f(), group: g, raises: 'a.b.E: x: y'", Raises("E", "x: y"), False),
        ("do: (p := f()), group: g, returns: '1'", Returns(Atom(1), "1"), True),
        ("do: p = f(), group: g, stdout: a", Prints("a"), True),
        ("do: p = f(), group: g, raises: E", Raises("E", None), False),
        ("do: f(), group: g, returns: '1', action: true", Returns(Atom(1), "1"), True),
        ("do: p = 1, action: false", None, False),
    ],
)
def test_expectation(keys: str, expectation: Expectation | None, acts: bool) -> None:
    """A step expects what its keys say or imply, and acts if later steps may need it."""
    (step,) = steps_of(f"{{{keys}}}")

    assert expectation == step.expectation
    assert acts is step.acts


def test_same_as() -> None:
    """A step that returns a named object acts, as that is how chained methods are made."""
    step = steps_of("do: p = YinYang()\n {do: p.f(), same_as: p, group: g}")[1]

    assert SameAs("p") == step.expectation
    assert step.acts


def test_literals_are_parsed() -> None:
    """An expected value is the value, with the text that the suite writes for it."""
    (step,) = steps_of('{do: f(), group: g, returns: " {1} "}')

    assert Returns(Collection("set", (Atom(1),)), "{1}") == step.expectation


def test_code_of_several_lines() -> None:
    """Code may take several lines; blank ones around it are not part of it."""
    (step,) = steps_of('{do: "\\n\\nfor i in [1]:\\n    print(i)\\n\\n", stdout: "1", group: g}')

    assert "for i in [1]:\n    print(i)" == step.code
    assert not step.is_expression
    assert ("i",) == step.binds


def test_names_are_followed() -> None:
    """A step uses the names that it reads and that an earlier step of its session binds."""
    steps = steps_of(
        """
        do: "a, b = YinYang(), q"
        do: c = [a for x in b]
        do: c += d
        do: d = print(a)
        """
    )

    assert [("a", "b"), ("c",), ("c",), ("d",)] == [step.binds for step in steps]
    assert [set(), {"a", "b"}, {"c"}, {"a"}] == [set(step.uses) for step in steps]


def test_a_refused_statement_binds_nothing() -> None:
    """What a step that raises would assign is not there afterwards; what came first is."""
    steps = steps_of(
        """
        do: p = YinYang(1)
        {do: p = YinYang(0), raises: AssertionError, group: g}
        {do: "q = 2\\np = YinYang(q)", raises: AssertionError, group: g}
        """
    )

    assert [("p",), (), ("q",)] == [step.binds for step in steps]
    assert ["no step before this one binds 'p'"] == said(
        "{do: p = YinYang(0), raises: AssertionError, group: g}\n {do: f(), same_as: p, group: g}"
    )


def test_observers_stand_around_refused_steps() -> None:
    """A refused step has its session's observers whose names are bound, or its own."""
    steps = steps_of(
        """
        {do: p.f(), raises: E, group: g}
        do: p = YinYang()
        {do: p.f(), raises: E, group: g}
        do: q = p
        {do: p.f(), raises: E, group: g}
        {do: p.f(), raises: E, group: g, unchanged: [len(p)]}
        {do: p.f(), raises: E, group: g, unchanged: []}
        {do: p.f(), group: g}
        """,
        observers="[str(p), q.r, YinYang.n]",
    )
    everything = ("str(p)", "q.r", "YinYang.n")
    expected = [
        ("YinYang.n",),
        (),
        ("str(p)", "YinYang.n"),
        (),
        everything,
        ("len(p)",),
        (),
        (),
    ]

    assert expected == [step.observers for step in steps]


def test_what_follows_from_an_unreadable_step() -> None:
    """After a step that cannot be read anything may be bound, so names are not judged."""
    steps = "do: p = = 1\n {do: f(), same_as: p, group: g}\n {do: p.f(), raises: AssertionErorr}"

    assert ["this is not valid Python: invalid syntax"] == said(steps, "[str(p)]")


def test_names_without_defines() -> None:
    """Without the names that submissions define, what observers and `raises` name is open."""
    steps = "{do: f(), raises: AssertionEror, group: g, unchanged: [x]}"

    assert ["YAML reads `5` as a whole number"] == said(steps, "[y]", "[5]")


def test_exceptions_of_the_submission() -> None:
    """An exception that is defined, bound or like no other is taken as it is."""
    steps = steps_of(
        """
        do: from m import ValuError
        {do: f(), raises: ValuError, group: g}
        {do: f(), raises: PuzzelFout, group: g}
        """
    )

    assert Raises("ValuError", None) == steps[1].expectation
    assert Raises("PuzzelFout", None) == steps[2].expectation


def test_many_names_to_choose_from() -> None:
    """A long list of names is cut off."""
    names = ", ".join(f"v{number}" for number in range(25))
    with pytest.raises(InvalidSuite) as caught:
        suite_of(f'do: "{names} = q"\n {{do: f(), same_as: zz, group: g}}')
    first = ", ".join(f"v{number}" for number in range(20))

    assert f"names to choose from: {first} and 5 more" == caught.value.diagnostics[0].help


def test_no_names_to_choose_from() -> None:
    """When nothing is bound, that is what is said."""
    with pytest.raises(InvalidSuite) as caught:
        suite_of("{do: f(), same_as: zz, group: g}")

    assert "names to choose from: nothing" == caught.value.diagnostics[0].help


def test_case_ids() -> None:
    """A case without a name is called after its number in its group, over all sessions."""
    cases = suite_of(
        """
        {do: f(), group: g}
        {do: f(), group: g, case: named}
        {do: f(), group: g}
        """
    ).sessions[0]

    assert ["g/1", "g/named", "g/3", "g/last"] == [case.id for case in cases.cases]
    assert [0, 1, 2, 3] == [case.step_index for case in cases.cases]
