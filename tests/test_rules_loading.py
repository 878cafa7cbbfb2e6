"""The rules of a suite: what they become in memory, and everything that can be wrong with them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Final, get_args

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.constructs import COMPREHENSIONS, CONSTRUCTS, LOOPS
from grader.demands import (
    Docstrings,
    Encapsulation,
    Extra,
    Forbidden,
    Growth,
    Imports,
    Memory,
    Parameter,
    Probe,
    ProbeStep,
    PythonVersion,
    Recursion,
    Rule,
    Signature,
    Time,
)
from grader.deriving.document import suite_document
from grader.deriving.settings import load_settings
from grader.importable import STANDARD
from grader.loading import InvalidSuite, parse_suite, suite_schema
from grader.loading.demand_building import LEAST_RATIO
from grader.loading.document import read_document
from grader.loading.headings import parse_heading
from grader.loading.refusal import Refusal
from grader.loading.rule_fields import ExtraWord, GrowthWord
from grader.loading.rule_forms import RULE_FORMS, RulesForm
from grader.loading.source import Source
from grader.loading.texts import python_version
from grader.rules import growth
from grader.suite import Suite
from grader.suite_text import as_yaml

FOLDER: Final = Path(__file__).parent / "loading"
GOOD: Final = (FOLDER / "rules.yaml").read_text(encoding="utf-8")
MISTAKES: Final[list[dict[str, Any]]] = yaml.safe_load(
    (FOLDER / "rule_mistakes.yaml").read_text(encoding="utf-8")
)
HEAD: Final = """\
exercise: x
title: X
language: en
module: x
defines: [f, Puzzle]
helpers: [h]
groups: [{id: f, points: 2}, {id: g, points: 1}]
sessions: [{id: s, steps: [{do: f(), group: f}, {do: f(), group: g}]}]
"""
FILL: Final = "Board.fill_cell"
MAKE: Final = "Board.make_board"


def loaded(rules: object, *, head: str = HEAD) -> Suite:
    """Return the suite with these rules, as an author of a small exercise writes them."""
    text = head + yaml.safe_dump({"rules": rules}, sort_keys=False)
    return parse_suite(text.encode(), "s.yaml")


def problems(rules: object, *, head: str = HEAD) -> list[str]:
    """Return what is said about these rules; all of it tells a way out."""
    with pytest.raises(InvalidSuite) as caught:
        loaded(rules, head=head)
    assert all(one.help for one in caught.value.diagnostics)
    return [one.message for one in caught.value.diagnostics]


def ids(rules: object) -> list[str]:
    """Return what these rules are called."""
    return [rule.id for rule in loaded(rules).rules]


def step(code: str, *binds: str) -> ProbeStep:
    """Return the step of a probe that binds names, or an expression."""
    return ProbeStep(code=code, is_expression=not binds, binds=binds)


EXPECTED: Final = (
    Rule(
        id="recursion/Board.free_all_cells",
        demand=Recursion(
            function="Board.free_all_cells",
            required=True,
            probe=Probe(
                sizes=(5, 20, 80),
                setup=(
                    step("positions = tuple((k, 1) for k in range(1, n + 1))", "positions"),
                    step("board = Board.make_board(90, positions)", "board"),
                ),
                call=step("Board.free_all_cells(board, positions)"),
                observe=(step("Board.get_all_filled_positions(board)"),),
                also=(step("Board.free_all_cells(board, ())"),),
                modules=("Board",),
            ),
            helper=False,
            loop=True,
            depth=Growth.LINEAR,
            calls=Growth.LINEAR,
            unit="posities",
        ),
        cap=0.0,
        group="free_all_cells",
        line=172,
    ),
    Rule(
        id="recursion/Position.are_chained",
        demand=Recursion(
            function="Position.are_chained",
            required=False,
            probe=Probe(
                sizes=(9,),
                setup=(step("board = Board.make_board(n)", "board"),),
                call=step("Position.are_chained(Board.get_all_filled_positions(board))"),
                modules=("Position", "Board"),
            ),
        ),
    ),
    *(
        Rule(
            id=f"loops/{name}",
            demand=Forbidden(constructs=("for", *COMPREHENSIONS), function=name),
            points=0.5,
            group=group,
        )
        for name, group in ((FILL, "fill_cell"), ("Board.is_filled_at", None))
    ),
    Rule(id="constructs/1", demand=Forbidden(constructs=("class", "lambda", "map"))),
    Rule(
        id=f"constructs/{MAKE}",
        demand=Forbidden(constructs=COMPREHENSIONS, function=MAKE, initialising=True),
        group="make_board",
    ),
    Rule(id="constructs/walls", demand=Forbidden(constructs=("match",)), points=1.0),
    Rule(id="constructs/2", demand=Forbidden(constructs=("while",))),
    Rule(
        id="imports",
        demand=Imports(
            allowed=(*dict.fromkeys([*STANDARD, *sorted(sys.stdlib_module_names)]), "numpy")
        ),
    ),
    Rule(
        id="signature/Position.left",
        demand=Signature(
            function="Position.left",
            parameters=(
                Parameter(name="dimension", has_default=False),
                Parameter(name="position", has_default=False),
            ),
            extra=Extra.NONE,
        ),
    ),
    Rule(
        id=f"signature/{MAKE}",
        demand=Signature(
            function=MAKE,
            parameters=(
                Parameter(name="dimension", has_default=True),
                Parameter(name="positions_to_fill", has_default=True),
            ),
            extra=Extra.NONE,
        ),
        group="make_board",
    ),
    Rule(
        id=f"cost/{MAKE}/memory",
        demand=Memory(
            function=MAKE,
            probe=Probe(
                sizes=(8, 64, 512), setup=(), call=step("Board.make_board(n)"), modules=("Board",)
            ),
        ),
        group="make_board",
    ),
    Rule(
        id="cost/Board.is_filled_at/time",
        demand=Time(
            function="Board.is_filled_at",
            probe=Probe(
                sizes=(16, 2048),
                setup=(
                    step("position = (1, n)", "position"),
                    step("board = Board.make_board(n, {position})", "board"),
                ),
                call=step("Board.is_filled_at(board, position)"),
                modules=("Board",),
            ),
            growth=Growth.CONSTANT,
            counted=("position",),
        ),
    ),
    Rule(
        id="encapsulation/Board",
        demand=Encapsulation(
            module="Board",
            made_by=(MAKE,),
            known_to=(MAKE, FILL),
            parameter=1,
            probe=Probe(
                sizes=(1,),
                setup=(
                    step("board = Board.make_board(4)", "board"),
                    step("Board.fill_cell(board, (1, 1))"),
                ),
                call=step("None"),
                modules=("Board",),
            ),
        ),
    ),
    Rule(id="python", demand=PythonVersion(major=3, minor=6)),
    Rule(id="docstrings", demand=Docstrings(functions=(MAKE, FILL))),
    Rule(id="docstrings/all", demand=Docstrings(functions=())),
)


# What becomes of rules


def test_every_key_arrives() -> None:
    """Rules that use every key become the rules that they describe, in the order of the kinds."""
    suite = parse_suite(GOOD.encode(), "s.yaml")

    for expected, rule in zip(EXPECTED, suite.rules, strict=True):
        assert expected == rule
    assert suite.advice
    assert "https://course.example/1010#line-{line}" == suite.spec_url


def test_suite_without_rules() -> None:
    """A suite that says nothing of rules has none, gives no advice, and links nowhere."""
    suite = parse_suite(HEAD.encode(), "s.yaml")

    assert ((), False, None) == (suite.rules, suite.advice, suite.spec_url)


def test_defaults_of_recursion() -> None:
    """Recursion is required, may be in a helper, and has to go deeper for larger sizes."""
    (rule,) = loaded({"recursion": [{"function": "f", "sizes": [2, 9], "call": "f(n)"}]}).rules
    probe = Probe(sizes=(2, 9), setup=(), call=step("f(n)"))

    assert Recursion(function="f", required=True, probe=probe) == rule.demand


@pytest.mark.parametrize(
    ("word", "required", "strict"),
    [("required", True, True), ("expected", True, False), ("forbidden", False, True)],
)
def test_how_strictly_recursion_is_demanded(word: str, required: bool, strict: bool) -> None:
    """Recursion can be required, forbidden, or expected: then a person judges who does without."""
    entry = {"function": "f", "sizes": [2, 9], "call": "f(n)", "demand": word}
    (rule,) = loaded({"recursion": [entry]}).rules
    assert isinstance(rule.demand, Recursion)
    assert (required, strict) == (rule.demand.required, rule.demand.strict)


def test_single_module_names_itself() -> None:
    """In an exercise of a single module the steps know what it defines, and import nothing else."""
    entry = {"made_by": ["f"], "setup": ["x = f()", "h(x)"]}
    (rule,) = loaded({"encapsulation": [entry]}).rules

    assert "encapsulation/x" == rule.id
    assert isinstance(rule.demand, Encapsulation)
    assert ("x", ()) == (rule.demand.module, rule.demand.probe.modules)


def test_methods_are_functions() -> None:
    """A method of a class that a submission defines can have rules, and the group of its name."""
    head = HEAD.replace("id: g,", "id: fill,").replace("group: g}", "group: fill}")
    (rule,) = loaded(
        {"loops": [{"functions": ["Puzzle.fill"], "forbid": ["for"]}]}, head=head
    ).rules

    assert ("loops/Puzzle.fill", "fill") == (rule.id, rule.group)


def test_given_code_may_be_imported(tmp_path: Path) -> None:
    """Modules that are given with the exercise are always among those that are allowed."""
    (tmp_path / "ours.py").touch()
    given = "given: {src.helper: ours.py, ours: ours.py}\n"
    text = f"{HEAD}{given}rules: {{imports: [{{allow: [ours]}}]}}"
    (rule,) = parse_suite(text.encode(), str(tmp_path / "s.yaml")).rules

    assert Imports(allowed=("ours", "src")) == rule.demand


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"loops": [{"id": "a", "functions": ["f"], "forbid": ["for"]}]}, ["loops/a"]),
        (
            {"loops": [{"id": "a", "functions": ["f", "h"], "forbid": ["for"]}]},
            ["loops/a/f", "loops/a/h"],
        ),
        (
            {"constructs": [{"forbid": ["with"]}, {"forbid": ["try"]}]},
            ["constructs/1", "constructs/2"],
        ),
        ({"imports": [{"allow": []}, {"id": "b", "allow": ["math"]}]}, ["imports", "imports/b"]),
        ({"docstrings": [{}], "python": [{"version": "3.8"}]}, ["python", "docstrings"]),
        (
            {"signature": [{"headings": ["f()"]}], "docstrings": [{"id": "f", "functions": ["f"]}]},
            ["signature/f", "docstrings/f"],
        ),
    ],
)
def test_ids(rules: object, expected: list[str]) -> None:
    """Rules are called after their kind, and after their name or what they are about."""
    assert expected == ids(rules)


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ({}, (None, None, "f")),
        ({"points": 2}, (2.0, None, "f")),
        ({"cap": 1.5}, (None, 1.5, "f")),
        ({"cap": 0, "group": "g"}, (None, 0.0, "g")),
        ({"points": 0.25, "group": "g"}, (0.25, None, "g")),
    ],
)
def test_costs(costs: dict[str, object], expected: tuple[object, ...]) -> None:
    """The group that pays is the one that is named, or the one called like the function."""
    (rule,) = loaded({"loops": [{"functions": ["f"], "forbid": ["for"], **costs}]}).rules

    assert expected == (rule.points, rule.cap, rule.group)


def test_points_of_the_whole() -> None:
    """A rule without a group can cost as many points as there are."""
    (rule,) = loaded({"constructs": [{"forbid": ["class"], "points": 3}]}).rules

    assert (3.0, None) == (rule.points, rule.group)


# Headings and versions


@pytest.mark.parametrize(
    ("text", "function", "parameters"),
    [
        ("f()", "f", []),
        ("Board.f(a, b)", "Board.f", [("a", False), ("b", False)]),
        ("f(a, b=(1, [2, 3]), c=g(x)[0])", "f", [("a", False), ("b", True), ("c", True)]),
        ("f(a: int, b: str = ')(')", "f", [("a", False), ("b", True)]),
        ("f(a,\n  b,)", "f", [("a", False), ("b", False)]),
        ("f(a=1if x else 2)", "f", [("a", True)]),
        ("Board.Solver.solve(self)", "Board.Solver.solve", [("self", False)]),
    ],
)
def test_headings(text: str, function: str, parameters: list[tuple[str, bool]]) -> None:
    """A heading is a name and its parameters, of which only some have a default."""
    heading = parse_heading(text)

    assert function == heading.function
    assert parameters == [(each.name, each.has_default) for each in heading.parameters]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f", "'f' is no heading of a function"),
        ("", "'' is no function"),
        ("def f(a)", "'def f' is no function"),
        ("f (a)", "'f ' is no function"),
        ("f(a", "'f(a' is no heading of a function"),
        ("f(a):", "'f(a):' is no heading of a function"),
        ("f(a): x; y", "'f(a): x; y' is no heading of a function"),
        ("f(a): y", "'f(a): y' is no heading of a function"),
        ("f(a): pass\ng()", "'f(a): pass⏎g()' is no heading of a function"),
        ("f(a) -> int", "'f(a) -> int' is no heading of a function"),
        ("f(1)", "'f(1)' is no heading of a function"),
        ("f(a=1, b)", "'f(a=1, b)' is no heading of a function"),
        ("f(\0)", "'f(␀)' is no heading of a function"),
        ("f(a, a)", "'f(a, a)' has two parameters of one name"),
        ("f(a, /)", "a heading knows plain parameters only"),
        ("f(*, a)", "a heading knows plain parameters only"),
        ("f(*a)", "a heading knows plain parameters only"),
        ("f(**a)", "a heading knows plain parameters only"),
        ("f[T](a)", "'f[T]' is no function"),
        ("a.b.c.d()", "'a.b.c.d' is no function"),
    ],
)
def test_no_headings(text: str, said: str) -> None:
    """What is no heading, or more than one, is refused; so is what no rule can compare."""
    with pytest.raises(Refusal) as caught:
        parse_heading(text)

    assert said == caught.value.problem
    assert caught.value.advice


@pytest.mark.parametrize(
    "text", ["3", "3.", "4.0", "3.06", "2.7", "3.6.1", "3.99", " 3.6", "py3.6"]
)
def test_no_versions(text: str) -> None:
    """Only versions of Python 3 that this one knows of can be asked for."""
    with pytest.raises(Refusal):
        python_version(text)


def test_versions() -> None:
    """The oldest version and the one that is running can be asked for."""
    newest = sys.version_info[:2]

    assert (3, 0) == python_version("3.0")
    assert newest == python_version(f"{newest[0]}.{newest[1]}")


# Mistakes


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["name"])
def test_mistake(mistake: dict[str, Any]) -> None:
    """Each mistake is told in our words, at its place, with a way out."""
    assert 1 == GOOD.count(mistake["old"])
    with pytest.raises(InvalidSuite) as caught:
        parse_suite(GOOD.replace(mistake["old"], mistake["new"]).encode(), "s.yaml")
    found = caught.value.diagnostics

    assert mistake["says"] == [
        f"{one.line}:{one.column}+{one.width} {one.message}" for one in found
    ]
    assert mistake["helps"] == [one.help for one in found]


@pytest.mark.parametrize("address", [
    "course.example/1010",
    "ftp://course.example/1010",
    "javascript:alert(1)",
    "https://",
    "https://[",
    "https://course.example/a b",
    "https://course.example/{lijn}",
    "https://course.example/{",
    "//course.example",
    "https://course.example/\N{RIGHT-TO-LEFT OVERRIDE}x",
    f"https://course.example/{'x' * 500}",
])  # fmt: skip
def test_addresses_that_lead_nowhere(address: str) -> None:
    """The spec can only be on the web, and only the line in its address can vary."""
    text = HEAD + f"spec_url: {json.dumps(address)}\n"
    with pytest.raises(InvalidSuite) as caught:
        parse_suite(text.encode(), "s.yaml")

    (one,) = caught.value.diagnostics
    assert "address" in one.message


def test_single_module_has_no_modules() -> None:
    """In an exercise of a single module a rule cannot choose another."""
    entry = {"module": "x", "made_by": ["f"], "setup": ["f()"]}

    assert ["'module' means nothing for a single module"] == problems({"encapsulation": [entry]})


def test_all_mistakes_at_once() -> None:
    """Mistakes of the head, of forms and between parts are reported together."""
    rules = {
        "loops": [
            {"functions": ["f"], "forbid": ["fore"]},
            {"functions": ["ff"], "forbid": ["for"]},
        ],
        "constructs": [{"functions": ["f"], "forbid": ["with"], "cap": 5}],
        "cost": [{"function": "f", "sizes": [3, 2], "memory": "constant", "call": "f(m)"}],
    }
    about_head = "YAML reads `no` as a boolean"
    about_names = {
        "unknown function 'ff' (did you mean 'f'?)",
        "this step reads 'm', which nothing before it binds",
    }
    others = {
        "unknown loop 'fore' (did you mean 'for'?)",
        "the group 'f' is worth 2 points, so this cap costs nothing",
        "the size 2 does not come after 3",
    }

    assert others | about_names == set(problems(rules))
    assert others | {about_head} == set(problems(rules, head=HEAD.replace("X", "no")))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("abs(n)", "this call does not call 'f'"),
        ("[f][0]", "nothing here reads 'n', so the sizes make no difference"),
        ("n", "this call does not call 'f'"),
    ],
)
def test_probes_that_show_nothing(call: str, said: str) -> None:
    """A call of something else, or sizes that nothing reads, would judge everybody wrongly."""
    rules = {"cost": [{"function": "f", "sizes": [3, 99], "memory": "constant", "call": call}]}
    assert said in problems(rules)


def test_no_consequences_of_a_group_that_is_not_valid() -> None:
    """While a group is not valid nothing is said about the groups that rules name."""
    head = HEAD.replace("{id: g, points: 1}", "{id: g, points: x}")
    rules = {"constructs": [{"forbid": ["class"], "cap": 0, "group": "gg"}]}

    assert ["'points' must be a number, not text"] == problems(rules, head=head)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(
    st.integers(GOOD.index("rules:"), GOOD.index("sessions:")),
    st.integers(0, 40),
    st.text(alphabet="\t\n #&'*-:>[]{|}\"!?~01ex", max_size=6),
)
def test_damaged_rules(start: int, length: int, new: str) -> None:
    """Rules with a hole or a splinter in them load, or what is wrong is told within the file."""
    text = GOOD[:start] + new + GOOD[start + length :]
    try:
        parse_suite(text.encode(), "s.yaml")
    except InvalidSuite as invalid:
        diagnostics = invalid.diagnostics
    else:
        diagnostics = ()

    assert all(1 <= one.line <= text.count("\n") + 1 for one in diagnostics)


# Editors


def test_schema_knows_every_kind() -> None:
    """Each kind of rule is a key of `rules`, with a form of its own."""
    assert list(RULE_FORMS) == list(RulesForm.model_fields)


def test_schema_accepts_what_the_loader_accepts() -> None:
    """Rules that load are valid to an editor."""
    validator = jsonschema.Draft202012Validator(suite_schema())

    assert [] == list(validator.iter_errors(yaml.safe_load(GOOD)))


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("forbid: [match]", "forbid: [matches]", "rules/constructs/2/forbid/0"),
        ("forbid: [for, comprehension]", "forbid: [lambda]", "rules/loops/0/forbid/0"),
        ("cap: 0", "cap: 0\n      points: 1", "rules/recursion/0"),
        ("      memory: constant\n", "", "rules/cost/0"),
        ("memory: constant", "memory: constant\n      time: linear", "rules/cost/0"),
        ("sizes: [16, 2048]", "sizes: [16]", "rules/cost/1/sizes"),
        ('version: "3.6"', 'version: "2.7"', "rules/python/0/version"),
        ("depth: linear", "depth: quadratic", "rules/recursion/0/depth"),
        ("spec_url: https:", "spec_url: ftp:", "spec_url"),
        ("Position.left(dimension, position)", "Position.left", "rules/signature/0/headings/0"),
    ],
)
def test_schema_rejects_what_the_loader_rejects(old: str, new: str, place: str) -> None:
    """What an editor can see to be wrong with a rule, it marks at the place."""
    assert 1 == GOOD.count(old)
    text = GOOD.replace(old, new)
    errors = jsonschema.Draft202012Validator(suite_schema()).iter_errors(yaml.safe_load(text))

    assert [place] == ["/".join(map(str, error.absolute_path)) for error in errors]
    with pytest.raises(InvalidSuite):
        parse_suite(text.encode(), "s.yaml")


def test_words_are_those_of_the_program() -> None:
    """Growths, extras, loops and constructs are the ones that the rest of the program knows."""
    assert [each.value for each in Growth] == list(get_args(GrowthWord))
    assert [each.value for each in Extra] == list(get_args(ExtraWord))
    schema: Any = suite_schema()
    forms = schema["$defs"]
    assert [*LOOPS] == forms["LoopsForm"]["properties"]["forbid"]["items"]["enum"]
    expected = [*CONSTRUCTS, "comprehension"]
    assert expected == forms["ConstructsForm"]["properties"]["forbid"]["items"]["enum"]


def test_page_lists_the_constructs(root: Path) -> None:
    """The reference page names each construct that can be forbidden, and no other."""
    page = (root / "docs/reference/suite.md").read_text(encoding="utf-8")
    listed = page.split("<!-- constructs -->")[1].split("<!-- /constructs -->")[0]

    assert [*CONSTRUCTS, "comprehension"] == re.findall(r"`([^`]+)`", listed)


def test_sizes_are_as_far_apart_as_judging_needs() -> None:
    """Rules on time that could never be judged are refused."""
    assert growth.LEAST_RATIO == LEAST_RATIO


# Derived suites


def test_rules_go_through_a_derivation(tmp_path: Path) -> None:
    """Rules, advice and the address of the spec go from the settings into the suite as they are."""
    data = yaml.safe_load(GOOD)
    kept = {key: data[key] for key in ("rules", "advice", "spec_url")}
    path = tmp_path / "exercise.yaml"
    small = {"exercise": "x", "title": "X", "language": "nl", "module": "x", "defines": ["f"]}
    path.write_text(yaml.safe_dump({**small, **kept}, sort_keys=False), encoding="utf-8")

    text = as_yaml(suite_document(load_settings(path), "spec.md", []), schema="s.json")
    derived = read_document(Source.of("x.yaml", text)).data

    assert isinstance(derived, dict)
    assert kept == {key: derived[key] for key in kept}
    assert "    sizes: [5, 20, 80]\n" in text.replace("      ", "    ")
    path.write_text(yaml.safe_dump({**small, **{k: derived[k] for k in kept}}), encoding="utf-8")
    again = as_yaml(suite_document(load_settings(path), "spec.md", []), schema="s.json")
    assert yaml.safe_load(text) == yaml.safe_load(again)


def test_settings_without_rules_say_nothing_of_them(tmp_path: Path) -> None:
    """A derived suite has no keys about rules that its settings do not have."""
    path = tmp_path / "exercise.yaml"
    path.write_text(
        "exercise: x\ntitle: X\nlanguage: nl\nmodule: x\ndefines: [f]\n", encoding="utf-8"
    )

    document = suite_document(load_settings(path), "spec.md", [])

    assert not {"rules", "advice", "spec_url"} & document.keys()


def test_mistakes_in_the_rules_of_settings(tmp_path: Path) -> None:
    """What is wrong with a rule is told where it stands in the settings."""
    path = tmp_path / "exercise.yaml"
    path.write_text(
        "exercise: x\ntitle: X\nlanguage: nl\nmodule: x\ndefines: [f]\n"
        "rules:\n  loops:\n    - {functions: [f], forbit: [for]}\n",
        encoding="utf-8",
    )

    with pytest.raises(InvalidSuite) as caught:
        load_settings(path)

    assert [
        (8, "a rule on loops needs the key 'forbid'"),
        (8, "unknown key 'forbit' (did you mean 'forbid'?)"),
    ] == [(one.line, one.message) for one in caught.value.diagnostics]
