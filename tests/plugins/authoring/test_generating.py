"""Generating, part by part: draws, the lines of a scene, the oracle, generators."""

from __future__ import annotations

import builtins
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from grader.errors import SuiteError
from grader.plugins.authoring.generating import (
    Draws,
    HiddenGroup,
    PlacedClause,
    Scene,
    compared,
    one_of_each_clause,
)
from grader.plugins.authoring.generating.loading import MAX_PARTS, load_generator
from grader.plugins.authoring.generating.oracle import Oracle, OracleError
from grader.plugins.authoring.generating.scenes import SceneLine, lines_of
from grader.sandbox.program import Program
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits

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
CLAUSES: Final = {
    "allowed": PlacedClause(group="add", quote="adds"),
    "refused": PlacedClause(group="add-refused", quote="refuses", refused=True),
}


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


# Scenes


def test_lines_of_a_scene() -> None:
    """Set-up, a case, one with a checker, and a line of several lines; empty lines do not count."""
    lines = """
bag = Bag()

text = '''
...   one  # no label
... '''
bag.add(1)  # add: once
bag.items  # add: any ~ checks.fits(answer)
"""
    assert [
        SceneLine(code="bag = Bag()"),
        SceneLine(code="text = '''\n  one  # no label\n'''"),
        SceneLine(code="bag.add(1)", clause="add: once"),
        SceneLine(code="bag.items", clause="add: any", accepts="checks.fits(answer)"),
    ] == lines_of(Scene(topic="Bags", lines=lines))


def test_one_scene_of_each_clause_is_picked() -> None:
    """A scene is left out if it asks nothing that those before it have not asked."""
    lines = (
        "f(1)",
        "f(1)  # f: one",
        "f(2)  # f: one",
        "f(1)  # f: one\ng()  # g: two",
        "g()  # g: two",
    )
    scenes = [Scene(topic=each, lines=each) for each in lines]
    assert [scenes[1], scenes[3]] == list(one_of_each_clause(scenes))


LIFT: Final = """
class Lift:
    def __init__(self):
        self.floor, self.refusals, self.asked, self.moves = 0, 0, 0, 0
    def go(self, floor):
        if not 0 <= floor < 5:
            self.refusals += 1
            raise ValueError
        self.floor = floor
        self.moves += 1
    def open(self):
        pass
    def below(self):
        self.asked += 1
        return [*range(self.floor)]
    def __str__(self):
        return '#' * self.floor
"""


@pytest.mark.parametrize(
    ("right", "written", "is_same"),
    [
        pytest.param("", "", True, id="right"),
        pytest.param("return [*range(self.floor)]", "return None", True, id="no answer"),
        pytest.param("def below", "def under", True, id="no question"),
        pytest.param("def open", "def close", True, id="no such move"),
        pytest.param("def __str__", "def text", True, id="nothing shown"),
        pytest.param("< 5", "< 3", True, id="wrongly refused"),
        pytest.param("'#' * self.floor", "'#' * self.refusals", False, id="shows refusals"),
        pytest.param("(self.floor)]", "(self.refusals)]", False, id="answers with refusals"),
        pytest.param("< 5", "< 5 - self.refusals", False, id="refuses after refusals"),
        pytest.param("'#' * self.floor", "'#' * self.asked", False, id="shows questions"),
        pytest.param("not 0 <= floor < 5", "False", True, id="refuses nothing"),
        pytest.param("not 0 <= floor < 5", "True", False, id="refuses all"),
        pytest.param("def go", "def goes", False, id="has no moves"),
        pytest.param("self.floor = floor", "pass", False, id="always says the same"),
        pytest.param(LIFT, "class Lift:\n    pass\n", False, id="nothing written"),
    ],
)
@pytest.mark.parametrize("last_of_each", [False, True])
def test_objects_with_two_pasts_are_compared(
    right: str, written: str, is_same: bool, last_of_each: bool
) -> None:
    """What goes by more than the state is told, and so is whom no move changes; no more is."""
    assert is_same is told_of(LIFT.replace(right, written), last_of_each=last_of_each)


def test_what_the_last_refusal_leaves_behind_is_told() -> None:
    """Also where a move that works would have made up for it: some that is refused comes last."""
    leaving = LIFT.replace("self.refusals += 1", "self.left = 9")
    leaving = leaving.replace("self.floor = floor", "self.floor, self.left = floor, 0")
    leaving = leaving.replace("'#' * self.floor", "'#' * (self.floor + getattr(self, 'left', 0))")
    assert not told_of(leaving, last_of_each=False)


@pytest.mark.parametrize("last_of_each", [False, True])
def test_moves_that_others_make_up_for_need_not_be_repeated(last_of_each: bool) -> None:
    """Who counts the moves is told where only the last one to each place is repeated."""
    counting = LIFT.replace("'#' * self.floor", "'#' * self.moves")
    assert last_of_each is not told_of(counting, last_of_each=last_of_each)


def told_of(source: str, *, last_of_each: bool) -> bool:
    """Return whether two lifts are the same, of which one has been through more, and not new."""
    lines = compared(
        "lift",
        "other",
        [("open",), *(("go", floor) for floor in (1, 9, 3, 7, 1, 4))],
        new="Lift()",
        defined=(
            "def asked(lift):\n...     return [shown(lift), answer(lambda: lift.below())]",
            "def allowed(lift):\n...     return [works(lift, 'go', floor) for floor in range(7)]",
        ),
        between=["works(lift, 'below')"],
        last_of_each=last_of_each,
    )
    names: dict[str, Any] = {}
    exec(f"{source}\nlift, other = Lift(), Lift()", names)
    *lines_before, look = lines_of(Scene(topic="Lifts", lines="\n".join(lines)))
    for line in lines_before:
        exec(line.code, names)
    same: list[bool] = eval(look.code, names)
    return same == [True, True, True]


# The oracle


@pytest.fixture
def oracle(zygote: Zygote) -> Oracle:
    """A reference with bags."""
    return oracle_on(zygote, BAG)


def oracle_on(zygote: Zygote, source: str) -> Oracle:
    """Return an oracle that asks the program `source`."""
    program = Program.from_sources({"sample": ("sample.py", dedent(source))}, {})
    return Oracle(SessionRunner(zygote, program, Limits()), ("sample",), CLAUSES)


def steps(oracle: Oracle, *lines: str) -> list[dict[str, Any]]:
    """Return the steps that come of these lines, with a bag of 3 to begin with."""
    scene = Scene(topic="Bags", lines="\n".join(["bag = Bag(3)", *lines]))
    others: list[dict[str, Any]] = oracle.session(scene)["steps"][1:]
    return others


def test_scene_outside_the_text_is_refused(zygote: Zygote) -> None:
    """What a strict reference does not answer is told with the scene, the line and the reason.

    A scene that goes on after exceptions does not go on after this.
    """
    strict = dedent("""
        class OutsideText(BaseException):
            pass

        class Few(Bag):
            def add(self, item):
                if item in self.items:
                    raise OutsideText('bags have each item once')
                return super().add(item)

        Bag = Few
        """)
    oracle = oracle_on(zygote, dedent(BAG) + strict)
    assert {"do": "bag.add(4)"} == steps(oracle, "bag.add(4)")[0]
    attempt = "try:\n...     bag.add(3)\n... except Exception:\n...     pass"
    with pytest.raises(
        OracleError,
        match=r"'Bags' goes beyond what the exercise text promises.* bags have each item once",
    ):
        steps(oracle, attempt, "bag.items  # allowed")


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
    step = {"do": code, **expected, "group": "add", "clause": "allowed"}
    assert [step] == steps(oracle, f"{code}  # allowed")


def test_oracle_says_what_is_refused(oracle: Oracle) -> None:
    """A line that raises is expected to, with its type and its message."""
    step = {"do": "bag.add(3)", "raises": "ValueError: there already"}
    labels = {"group": "add-refused", "clause": "refused"}
    assert [step | labels] == steps(oracle, "bag.add(3)  # refused")


def test_oracle_leaves_an_answer_to_a_checker(oracle: Oracle) -> None:
    """Where many answers are right, that of the reference is not expected."""
    (step,) = steps(oracle, "bag.items  # allowed ~ len(answer) == 1")
    assert {"do": "bag.items", "accepts": "len(answer) == 1"}.items() <= step.items()
    assert "returns" not in step


def test_oracle_writes_down_set_up_observers_and_the_topic(oracle: Oracle) -> None:
    """What a scene says besides its cases stands in its session."""
    scene = Scene(topic="Bags", lines="bag = Bag(3)\nbag.add(4)", observers=("bag.items",))
    expected = {"title": "Bags", "observers": ["bag.items"]}
    assert expected | {"steps": [{"do": "bag = Bag(3)"}, {"do": "bag.add(4)"}]} == oracle.session(
        scene
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "bag.add(3)",
            r"the reference fails in the set-up line bag.add\(3\): ValueError: there already",
        ),
        (
            "bag.add(3)  # allowed",
            r"bag.add\(3\) should be allowed by the clause 'allowed', but the reference raises",
        ),
        (
            "bag.add(4)  # refused",
            r"bag.add\(4\) should be refused by the clause 'refused', but the reference allows it",
        ),
        ("bag.add(4)  # alowed", r"the line bag.add\(4\) has an unknown clause: alowed"),
    ],
    ids=["set-up that raises", "refused", "allowed", "no clause"],
)
def test_reference_that_does_not_do_what_a_clause_says(
    oracle: Oracle, line: str, said: str
) -> None:
    """A reference, or a scene, that is wrong about a clause stops the generation."""
    with pytest.raises(OracleError, match=said):
        steps(oracle, line)


@pytest.mark.parametrize(
    ("line", "to_do"),
    [
        ("sack.add(3)  # allowed", "if this is the example generator"),
        ("bag.add(3)", "correct the clause of the line, or the reference"),
        ("bag.add(4)  # refused", "correct the clause of the line, or the reference"),
    ],
)
def test_who_disagrees_with_the_reference_is_told_what_to_do(
    oracle: Oracle, line: str, to_do: str
) -> None:
    """A generator that was left as it came is about another exercise."""
    with pytest.raises(OracleError) as caught:
        steps(oracle, line)
    assert to_do in str(caught.value.help)


def test_oracle_refuses_what_no_literal_can_say(oracle: Oracle) -> None:
    """An object without a name cannot be expected, and the error says what to do instead."""
    for code in ("bag.make()", "[1, (bag,)]", "{1: bag.make()}"):
        with pytest.raises(OracleError, match="has no literal") as raised:
            steps(oracle, f"{code}  # allowed")
        assert raised.value.help is not None
        assert "str(...)" in raised.value.help


@pytest.mark.parametrize("code", ["while True: pass", "import os; os._exit(3)"])
def test_reference_that_ends_stops_the_generation(oracle: Oracle, code: str) -> None:
    """A reference that does not survive a line is no reference: the error has the line."""
    with pytest.raises(
        OracleError, match=r"the reference fails at .*: it (takes too long|ends the program)"
    ):
        steps(oracle, code, "bag.items  # allowed")


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        (
            Scene(topic="t", lines="("),
            "invalid line '\\(' in a scene of generator.py: this is not valid Python",
        ),
        (Scene(topic="t", lines="x = '\x1b[31m"), "invalid line 'x = '\u241b"),
        (Scene(topic="t", lines="1", uses=("nope",)), "uses unknown modules: nope"),
    ],
)
def test_scene_that_is_none_is_told(zygote: Zygote, scene: Scene, said: str) -> None:
    """What a generator got wrong is an error in words, and no accident of ours."""
    with pytest.raises(OracleError, match=said):
        oracle_on(zygote, "").session(scene)


def test_reference_that_does_not_load_stops_the_generation(zygote: Zygote) -> None:
    """A reference that cannot be imported is told as such."""
    for source in ("raise ValueError", "def f(:"):
        with pytest.raises(OracleError, match="the reference cannot be loaded"):
            steps(oracle_on(zygote, source), "1  # allowed")


# Generators

MADE: Final = """\
from grader.plugins.authoring.generating import Generator, HiddenGroup, PlacedClause, Scene
def scenes(draws):
    yield Scene(topic=f"of {draws.seed}", lines=str(draws.below(10)), observers=("x",))
GENERATOR = Generator(
    version=3,
    clauses={"b: one": PlacedClause(group="b", quote="q"), "a: two": PlacedClause(group="a")},
    groups=(HiddenGroup(id="b", title="B", points=2.5),),
    scenes=scenes,
    examples=lambda draws: [],
)
"""


def written(folder: Path, text: str) -> Path:
    """Write a generator into `folder`."""
    path = folder / "generator.py"
    path.write_text(text)
    return path


def test_generator_comes_home_as_it_was_written(tmp_path: Path, zygote: Zygote) -> None:
    """Facts keep their order and type; scenes are those of the draws that it is asked for."""
    made = load_generator(written(tmp_path, MADE), zygote)
    assert 3 == made.version
    assert [("b: one", "q"), ("a: two", None)] == [(k, c.quote) for k, c in made.clauses.items()]
    assert (HiddenGroup(id="b", title="B", points=2.5),) == made.groups
    (scene,) = made.scenes(Draws("it's {0} \\"))
    drawn = str(Draws("it's {0} \\").below(10))
    assert Scene(topic="of it's {0} \\", lines=drawn, observers=("x",)) == scene
    assert () == made.examples(Draws("1"))


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (None, "the generator does not exist"),
        ("x = 1", "does not define GENERATOR"),
        ("GENERATOR = 3", "does not define GENERATOR"),
        ("\n1 / 0", r"cannot be used: ZeroDivisionError: division by zero, generator.py:2"),
        ("def f(:", "cannot be used: SyntaxError"),
        ("raise SystemExit(0)", "cannot be used: SystemExit"),
        ("open('/etc/passwd')", "cannot be used: FileNotFoundError"),
        ("import os; os.abort()", "cannot be used: .*CRASHED"),
        (MADE.replace("version=3", "version='x'"), "cannot be used: version: .*integer"),
        (MADE.replace("group='a'", "group=1").replace('"a")', "1)"), "cannot be used: clauses"),
        (MADE.replace("version=3", "version=print"), "cannot be used: TypeError"),
    ],
)
def test_generator_that_cannot_be_used(
    tmp_path: Path, zygote: Zygote, write: str | None, said: str
) -> None:
    """Whoever writes a generator reads where it is and what is wrong with it."""
    path = tmp_path / "generator.py"
    if write is not None:
        path.write_text(write)
    with pytest.raises(SuiteError, match=f"generator.*{said}|{said}.*generator"):
        load_generator(path, zygote)


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        ("3", "TypeError"),
        ("[Scene(topic=1, lines='x')]", "0.topic: Input should be a valid string"),
        ("[Scene(topic='t', lines='x' * 1_000_000)] * 5", "too much text in one draw"),
        ("[1 / 0]", "ZeroDivisionError"),
    ],
)
def test_scenes_that_are_none(tmp_path: Path, zygote: Zygote, examples: str, said: str) -> None:
    """What a generator makes is checked when it comes home."""
    text = MADE.replace("lambda draws: []", f"lambda draws: {examples}")
    made = load_generator(written(tmp_path, text), zygote)
    with pytest.raises(SuiteError, match=said):
        made.examples(Draws("1"))


def test_scenes_come_home_in_parts(tmp_path: Path, zygote: Zygote) -> None:
    """They may be longer than the longest text that an executor gives back."""
    text = MADE.replace('f"of {draws.seed}"', "'é' * 300_000")
    (scene,) = load_generator(written(tmp_path, text), zygote).scenes(Draws("1"))
    assert 300_000 == len(scene.topic)
    assert MAX_PARTS > 8


def test_generator_runs_where_a_submission_runs(tmp_path: Path, zygote: Zygote) -> None:
    """It may come from anybody: it writes no file, and this process never runs a line of it."""
    witness = tmp_path / "witness"
    hostile = f"""\
import builtins, os, sys
for attempt in (lambda: open({str(witness)!r}, "w").write("x"),
                lambda: os.system({f"touch {witness}"!r}),
                lambda: setattr(sys.modules["grader.protocol"], "witness", 1)):
    try:
        attempt()
    except BaseException:
        pass
builtins.witness = 1
"""
    assert 3 == load_generator(written(tmp_path, hostile + MADE), zygote).version
    assert not witness.exists()
    assert not hasattr(builtins, "witness")


def test_generator_finds_what_lies_beside_it(tmp_path: Path, zygote: Zygote) -> None:
    """Modules and packages beside it can be imported; links lead nowhere."""
    (tmp_path / "number.py").write_text("NUMBER = 4\n")
    inner = tmp_path / "parts" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "parts" / "__init__.py").write_text("")
    (inner / "__init__.py").write_text("")
    (inner / "last.py").write_text("from number import NUMBER\nNUMBER += 1\n")
    (tmp_path / "linked.py").symlink_to(tmp_path / "number.py")
    text = f"""\
try:
    import linked
except ModuleNotFoundError:
    from parts.inner.last import NUMBER
{MADE.replace("version=3", "version=NUMBER")}"""
    assert 5 == load_generator(written(tmp_path, text), zygote).version


def test_an_object_is_asked_as_the_prompt_shows_it(zygote: Zygote) -> None:
    """As in a spec: its class says how it is displayed, and who only prints that is told apart."""
    source = f"{dedent(BAG)}\nclass Coin:\n    def __repr__(self): return 'Coin()'\n"
    (*_, one, many) = steps(oracle_on(zygote, source), "Coin()  # allowed", "[Coin()]  # allowed")
    assert ["Coin()\n", "[Coin()]\n"] == [one["shows"], many["shows"]]
