"""Exercises of several modules: what is loaded, what is spoilt, what is tried on stand-ins."""

from __future__ import annotations

import marshal
from io import StringIO
from pathlib import Path
from textwrap import dedent

import pytest
from builders import by_id
from rich.console import Console

from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.record import CaseResult, Record, to_json
from grader.judging.rules import KINDS
from grader.reporting.student_page import student_page
from grader.reporting.terminal import print_record
from grader.reporting.wording import LANGUAGES, format_message
from grader.sandbox.planning import request, whole_session
from grader.sandbox.zygote import Zygote
from grader.suite.exercises import FitError, defining_files, find_fitting_suite
from grader.suite.hidden import merge_suites
from grader.suite.loading import parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.verdict import RuleVerdict, Status, Verdict

POINT = "def shift(p, by):\n    return (p[0] + by, p[1])\n"
SHAPE = """
import Point

def make(*points):
    return set(points)

def moved(shape, by):
    return {Point.shift(point, by) for point in shape}
"""
GAME = """
import Shape

def width(shape):
    return len({x for x, _ in shape})

def play(shape, times):
    for _ in range(times):
        shape = Shape.moved(shape, 1)
    return sorted(shape)
"""
GOOD = {"Point.py": POINT, "Shape.py": SHAPE, "Game.py": GAME}
SUITE = """
exercise: shapes
title: Shapes
language: en
modules: [Point, Shape, Game]
defines: [Point.shift, Shape.make, Shape.moved, Game.play]
stand_ins: {Point: ours/Point.py, Shape: ours/Shape.py}
limits: {cpu_s: 0.3}
groups: [{id: point, points: 1}, {id: shape, points: 1}, {id: game, points: 2}]
sessions:
- id: point
  uses: [Point]
  steps:
  - {do: "Point.shift((1, 2), 3)", returns: "(4, 2)", group: point}
- id: shape
  uses: [Shape]
  stand_ins: [Point]
  steps:
  - {do: "s = Shape.make((0, 0))"}
  - {do: "Shape.moved(s, 1)", returns: "{(1, 0)}", group: shape}
- id: game
  uses: [Shape, Game]
  stand_ins: [Point, Shape]
  steps:
  - {do: "s = Shape.make((0, 0))"}
  - {do: "Game.play(s, 2)", returns: "[(2, 0)]", group: game}
  - {do: "Game.play(s, 0)", returns: "[(0, 0)]", group: game}
"""
BOTH = "This passes with our own Point and Shape, but not with yours:"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """The suite of three modules that build on each other, two of them with stand-ins."""
    return suite_in(tmp_path)


def suite_in(folder: Path, text: str = SUITE) -> Suite:
    """Return the suite `text`, with the files of ours that it names in `folder`."""
    (folder / "ours").mkdir()
    for name, source in GOOD.items():
        (folder / "ours" / name).write_text(source, encoding="utf-8")
    return parse_suite(text.encode(), str(folder / "shapes.yaml"), KINDS)


def written(folder: Path, **files: str | None) -> Path:
    """Write a hand-in: the good modules, but for those that `files` has, by module name."""
    hand_in = folder / "hand-in"
    sources = {**GOOD, **{f"{name}.py": text for name, text in files.items()}}
    for name, text in sources.items():
        if text is not None:
            (hand_in / name).parent.mkdir(parents=True, exist_ok=True)
            (hand_in / name).write_text(dedent(text), encoding="utf-8")
    return hand_in


def graded(zygote: Zygote, suite: Suite, folder: Path, **files: str | None) -> Record:
    """Return the record of the good modules, but for those that `files` has."""
    submission = read_submission(
        Entry("student", written(folder, **files)), suite.modules, suite.defines
    )
    return grade(suite, submission, zygote)


def verdicts(record: Record) -> str:
    """Return the verdicts of all cases, in order."""
    return " ".join(case.verdict.value for case in record.cases)


def told(case: CaseResult) -> list[str]:
    """Return what is said about a case; it can be said in every language."""
    for each in case.explanation:
        assert all(format_message(each, language) for language in LANGUAGES)
    return [format_message(each, "en") for each in case.explanation]


def remarks(record: Record) -> list[str]:
    """Return what is remarked in English."""
    return [format_message(each, "en") for each in record.remarks]


def test_good_modules_pass(zygote: Zygote, suite: Suite, tmp_path: Path) -> None:
    """Sessions know modules by their names; nothing is said of a submission without mistakes."""
    record = graded(zygote, suite, tmp_path)
    assert "PASSED PASSED PASSED PASSED" == verdicts(record)
    assert (4.0, ()) == (record.score, record.remarks)
    assert not any(case.explanation for case in record.cases)


def test_only_used_modules_are_imported_and_bound(zygote: Zygote, tmp_path: Path) -> None:
    """A module that a session does not use is neither loaded nor known to its steps."""
    text = SUITE.replace('do: "Point.shift((1, 2), 3)", returns: "(4, 2)"', DO_LOOK)
    record = graded(zygote, suite_in(tmp_path, text), tmp_path)
    assert Verdict.PASSED is by_id(record)["point/1"].verdict


DO_LOOK = (
    'do: "[n for n in globals() if n[0].isupper()] + '
    "[m for m in ('Shape', 'Game') if m in __import__('sys').modules]\", returns: \"['Point']\""
)


def test_a_module_that_is_not_python_spoils_its_own_sessions(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """Its cases tell file, line and text; sessions of the others go on, on stand-ins if need be."""
    record = graded(zygote, suite, tmp_path, Shape="import Point\n\ndef make(:\n")
    assert (Status.GRADED, "PASSED SKIPPED PASSED PASSED") == (record.status, verdicts(record))
    reason = (
        "Shape.py is not valid Python, so nothing in it can be run. "
        "Line 3: invalid syntax → def make(:"
    )
    case = by_id(record)["shape/1"]
    assert ["Not tried, because Shape.py cannot be loaded.", reason] == told(case)
    assert "Shape.py" == case.cause
    assert [BOTH, reason] == told(by_id(record)["game/1"])
    assert [reason] == remarks(record)
    assert 3.0 == record.score


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (None, "Shape.py is not among the files that were handed in."),
        (
            "import Point\nx = 1\ny = x / 0\n",
            (
                "Shape.py fails while it is loaded. "
                "Line 3: ZeroDivisionError: division by zero → y = x / 0"
            ),
        ),
        ("while True: pass\n", "Loading Shape.py did not end in time. "),
        ("exit()\n", "Shape.py ends the program while it is loaded, "),
        ("input()\n", "Shape.py asks for input with `input()` while it is loaded (line 1), "),
        ("import os\nos._exit(0)\n", "Shape.py ends the program while it is loaded, "),
        ("x = '\0'\n", "Shape.py cannot be read as Python: "),
        (
            "import subprocess\nsubprocess.run\n",
            "Shape.py uses the module subprocess, which is not available",
        ),
        ("import Helper\n", "Shape.py fails while it is loaded. Line 1: Mod"),
    ],
)
def test_whatever_keeps_a_module_from_being_loaded(
    zygote: Zygote, suite: Suite, tmp_path: Path, source: str | None, reason: str
) -> None:
    """Missing, late-breaking or endless: its sessions are skipped and say why, in words."""
    record = graded(zygote, suite, tmp_path, Shape=source)
    assert "PASSED SKIPPED PASSED PASSED" == verdicts(record)
    said = told(by_id(record)["shape/1"])
    assert said[1].startswith(reason)
    assert remarks(record)[0].startswith(reason)


def test_a_broken_helper_is_blamed_on_the_module_that_imports_it(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """A file besides the exercise's modules has no stand-in; the module that needs it has."""
    record = graded(zygote, suite, tmp_path, Shape=f"import tools\n{SHAPE}", tools="def f(:\n")
    assert "PASSED SKIPPED PASSED PASSED" == verdicts(record)
    assert (
        "A module that Shape.py imports is not valid Python: invalid syntax (tools.py, line 1)"
        in (remarks(record))
    )


def test_an_endless_recursion_in_a_helper_is_blamed_on_one_module(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """Where all frames that are known lie in a file besides, it is the module that was loaded."""
    deep = "def f(): f()\nf()\n"
    record = graded(zygote, suite, tmp_path, Shape=f"import tools\n{SHAPE}", tools=deep)
    said = told(by_id(record)["shape/1"])
    assert said[1].startswith("Shape.py fails while it is loaded. ")


def test_helpers_besides_are_imported(zygote: Zygote, suite: Suite, tmp_path: Path) -> None:
    """A submission may have modules of its own, beside those of the exercise."""
    point = "from tools import add\ndef shift(p, by): return (add(p[0], by), p[1])\n"
    record = graded(zygote, suite, tmp_path, Point=point, tools="def add(a, b): return a + b\n")
    assert 4.0 == record.score


def test_a_module_that_needs_a_broken_one_without_stand_in(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """A broken module spoils sessions that use it through an import; those are told the cause."""
    alone = suite.with_changes(
        sessions=tuple(each.with_changes(stand_ins=()) for each in suite.sessions),
    )
    record = graded(zygote, alone, tmp_path, Point="x = 1 / 0\n")
    assert Status.GRADED is record.status
    assert "SKIPPED SKIPPED SKIPPED SKIPPED" == verdicts(record)
    assert "Point.py" == by_id(record)["game/1"].cause


def test_a_module_that_needs_a_name_of_another_is_tried_on_ours(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """What it imports is not there, so it cannot be loaded; with the stand-in it can."""
    game = GAME.replace("import Shape\n", "import Shape\nfrom Shape import moved\n")
    record = graded(zygote, suite, tmp_path, Shape="x = 1\n", Game=game)
    assert Verdict.PASSED is by_id(record)["game/1"].verdict
    assert Verdict.PASSED is not by_id(record)["shape/1"].verdict


def test_ungradable_when_no_module_can_be_loaded(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """Then there is nothing to try, on stand-ins either, and each reason is told once."""
    files = {"Point": "x = 1 / 0\n", "Shape": "import Game\n", "Game": None}
    record = graded(zygote, suite, tmp_path, **files)
    assert Status.UNGRADABLE is record.status
    assert [
        (
            "Point.py fails while it is loaded. "
            "Line 1: ZeroDivisionError: division by zero → x = 1 / 0"
        ),
        "Game.py is not among the files that were handed in.",
    ] == remarks(record)


def test_circular_imports_work_as_they_do_at_home(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """Modules may import each other, as long as none needs a name of the other too early."""
    record = graded(zygote, suite, tmp_path, Point=f"import Shape\n{POINT}")
    assert 4.0 == record.score
    record = graded(zygote, suite, tmp_path, Point=f"from Shape import make\n{POINT}")
    assert "PASSED PASSED PASSED PASSED" == verdicts(record)
    assert "partially initialized module" in told(by_id(record)["shape/1"])[1]


def test_modules_may_all_stand_in_one_file(zygote: Zygote, suite: Suite, tmp_path: Path) -> None:
    """What each of them is asked for is found there, and its student is told."""
    game = GAME.replace("import Shape\n", "").replace("Shape.", "")
    shape = SHAPE.replace("import Point\n", "").replace("Point.", "")
    record = graded(zygote, suite, tmp_path, Shape=None, Point=None, Game=POINT + shape + game)
    assert 4.0 == record.score
    said = [
        f"Game.py was graded; the file should be named {name}.py." for name in ("Point", "Shape")
    ]
    assert said == remarks(record)


def test_a_missing_function_skips_the_cases_that_name_it(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """A near miss in the same module is offered; a stand-in has the function, so it is tried."""
    record = graded(
        zygote, suite, tmp_path, Shape=SHAPE.replace("def make", "def make_"), Point="def f(): 0\n"
    )
    assert "SKIPPED SKIPPED PASSED PASSED" == verdicts(record)
    near = (
        "Not tried, because your file does not define `Shape.make`. Did you call it `Shape.make_`"
    )
    assert told(by_id(record)["shape/1"])[0].startswith(near)
    assert ["Not tried, because your file does not define `Point.shift`."] == told(
        by_id(record)["point/1"]
    )
    assert [BOTH, told(by_id(record)["shape/1"])[0]] == told(by_id(record)["game/1"])


def test_a_mistake_in_an_earlier_module_costs_the_later_one_nothing(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """What does not pass on the submission's own modules and passes on ours has passed."""
    record = graded(zygote, suite, tmp_path, Point=POINT.replace("+", "-"))
    assert "WRONG PASSED PASSED PASSED" == verdicts(record)
    assert "This passes with our own Point, but" in told(by_id(record)["shape/1"])[0]
    assert [BOTH, "At [0]: expected (2, 0), but your code gives (-2, 0)."] == told(
        by_id(record)["game/1"]
    )
    assert () == by_id(record)["game/2"].explanation
    assert (3.0, 1.0) == (record.score, by_id(record)["game/1"].points)


def test_a_mistake_of_its_own_stays(zygote: Zygote, suite: Suite, tmp_path: Path) -> None:
    """What fails on stand-ins too is told as it failed on the submission's own modules."""
    record = graded(
        zygote,
        suite,
        tmp_path,
        Point=POINT.replace("+", "-"),
        Game=GAME.replace("return sorted(shape)", "return shape"),
    )
    assert "WRONG PASSED WRONG WRONG" == verdicts(record)
    assert "{(-2, 0)}" == by_id(record)["game/1"].got


def test_a_game_that_looks_into_its_own_shapes(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """On stand-ins another representation breaks down; the submission's own failure stays."""
    shape = """
        def make(*points): return {"points": list(points)}
        def moved(shape, by): return {"points": [(x - by, y) for x, y in shape["points"]]}
    """
    game = """
        import Shape
        def play(shape, times):
            for _ in range(times): shape = Shape.moved(shape, 1)
            return sorted(shape["points"])
    """
    record = graded(zygote, suite, tmp_path, Shape=shape, Game=game)
    assert "WRONG WRONG PASSED" == " ".join(verdicts(record).split()[1:])
    case = by_id(record)["game/1"]
    assert ["At [0]: expected (2, 0), but your code gives (-2, 0)."] == told(case)


def test_what_fails_only_in_the_session_is_not_excused(zygote: Zygote, tmp_path: Path) -> None:
    """A case that passes in its own session has nothing to gain from stand-ins: it has failed."""
    text = SUITE.replace("Game.play(s, 2)", "Game.play(s, 0)").replace("[(2, 0)]", "[(0, 0)]")
    game = """
        seen = []
        def play(shape, times):
            seen.append(shape)
            return sorted(shape) if len(seen) == 1 else None
    """
    record = graded(zygote, suite_in(tmp_path, text), tmp_path, Game=game)
    assert "PASSED PASSED PASSED WRONG" == verdicts(record)


def test_a_case_about_a_stand_in_is_not_tried_on_it(zygote: Zygote, tmp_path: Path) -> None:
    """Where nothing of the submission is left, ours would earn the points."""
    text = SUITE.replace("Game.play(s, 0)", "Shape.moved(s, 0)").replace(
        'returns: "[(0, 0)]"', 'returns: "{(0, 0)}"'
    )
    record = graded(
        zygote, suite_in(tmp_path, text), tmp_path, Shape=SHAPE.replace("by) for", "by + 1) for")
    )
    assert Verdict.PASSED is by_id(record)["game/1"].verdict
    assert Verdict.WRONG is by_id(record)["game/2"].verdict


def test_a_disturbed_grading_is_not_covered_up(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """A person is to see TAMPERED, whatever stand-ins would have made of it."""
    body = "import os\n    for fd in range(3, 64):\n        try: os.write(fd, b'x' * 64)\n"
    shape = SHAPE.replace(
        "    return {Point", f"    {body}        except OSError: pass\n    return {{Point"
    )
    record = graded(zygote, suite, tmp_path, Shape=shape)
    assert Verdict.TAMPERED is by_id(record)["game/1"].verdict


def test_stand_ins_are_not_run_for_ever(zygote: Zygote, tmp_path: Path) -> None:
    """A try on stand-ins that does not end is ended as any other is, and the next is tried."""
    text = SUITE.replace("cpu_s: 0.3", "cpu_s: 0.2")
    game = "def play(shape, times):\n    while True: pass\n"
    record = graded(zygote, suite_in(tmp_path, text), tmp_path, Game=game)
    assert "PASSED PASSED TIMED_OUT TIMED_OUT" == verdicts(record)


def test_hidden_sessions_are_tried_on_stand_ins(zygote: Zygote, tmp_path: Path) -> None:
    """In the same way, and nothing of them is shown."""
    text = SUITE.replace("- id: game", "- id: game\n  visibility: hidden")
    record = graded(zygote, suite_in(tmp_path, text), tmp_path, Point=None)
    assert ["PASSED", "PASSED"] == verdicts(record).split()[2:]
    assert "Game.play" not in student_page(record)


def test_what_is_sent_is_the_same_on_stand_ins(suite: Suite) -> None:
    """No expectation and no name of the session's goes with it, only the modules to import."""
    session = suite.sessions[2]
    imported = ("Shape", "Shape"), ("Game", "game")
    sent = marshal.loads(request([whole_session(session)], imported))
    assert imported == sent.pop("import")
    assert {"plans", "last"} == sent.keys()


def test_reports_say_that_a_case_was_tried_on_ours(
    zygote: Zygote, suite: Suite, tmp_path: Path
) -> None:
    """Page and terminal tell it of a case that passed; its points are whole."""
    record = graded(zygote, suite, tmp_path, Shape="def make(:\n")
    screen = StringIO()
    print_record(record, Console(file=screen, width=200))
    for text in (student_page(record), screen.getvalue()):
        assert BOTH in text
        assert "Shape.py is not valid Python" in text


def test_a_module_in_small_letters_is_found(zygote: Zygote, suite: Suite, tmp_path: Path) -> None:
    """`shape.py` is taken for Shape, under the name that its own author imports it by."""
    files = {
        "Shape": None,
        "shape": SHAPE,
        "Game": GAME.replace("import Shape", "import shape as Shape"),
    }
    record = graded(zygote, suite, tmp_path, **files)
    assert 4.0 == record.score
    assert ["shape.py was taken for Shape.py; mind the capitals in file names."] == (
        remarks(record)
    )
    files["shape"] = "def make(:\n"
    assert "PASSED SKIPPED PASSED PASSED" == verdicts(graded(zygote, suite, tmp_path, **files))


GIVEN = SUITE.replace("limits:", "given: {Tools: ours/Point.py, src.Tools: ours/Point.py}\nlimits:")


@pytest.mark.parametrize("imported", ["import Tools", "import src.Tools as Tools"])
def test_given_code_can_be_imported(zygote: Zygote, tmp_path: Path, imported: str) -> None:
    """The code that goes with an exercise is there, also as part of a package."""
    point = f"{imported}\nshift = Tools.shift\n"
    record = graded(zygote, suite_in(tmp_path, GIVEN), tmp_path, Point=point)
    assert (4.0, ()) == (record.score, record.remarks)


def test_given_code_wins(zygote: Zygote, tmp_path: Path) -> None:
    """A file of that name is not used, which is said unless it is the given code itself."""
    suite = suite_in(tmp_path, GIVEN)
    point = "from Tools import shift\n"
    assert () == graded(zygote, suite, tmp_path, Point=point, Tools=POINT).remarks
    record = graded(zygote, suite, tmp_path, Point=point, Tools="def shift(p, by): return 0\n")
    assert 4.0 == record.score
    assert ["Tools.py was not used: "] == [text[:23] for text in remarks(record)]


def test_the_record_is_the_same_each_time(zygote: Zygote, suite: Suite, tmp_path: Path) -> None:
    """Skipped modules and stand-ins depend on nothing but the submission and the suite."""
    files = {"Shape": "x = {'a', 'b'}\nx.y\n", "Point": "def f(): return 1\n"}
    first, again = (graded(zygote, suite, tmp_path, **files) for _ in range(2))
    assert to_json(first) == to_json(again)
    assert "SKIPPED SKIPPED PASSED PASSED" == verdicts(first)


OTHER = """
exercise: other
title: Other
language: en
module: other
defines: [shift, play]
groups: [{id: g, points: 1}]
sessions: [{id: s, steps: [{do: f(), group: g}]}]
"""


PROGRAM = """
exercise: throws
title: Throws
language: en
module: dice
defines: []
groups: [{id: g, points: 1}]
sessions: [{id: s, steps: [{run: dice, group: g}]}]
"""


def test_a_program_is_found_by_the_name_of_its_file(tmp_path: Path) -> None:
    """It need not define anything; by another name nobody knows which exercise it is for."""
    paths = {"throws": tmp_path / "throws.yaml", "other": tmp_path / "other.yaml"}
    paths["throws"].write_text(PROGRAM, encoding="utf-8")
    paths["other"].write_text(OTHER, encoding="utf-8")
    for name in ("Dice.py", "own.py"):
        (tmp_path / name).write_text("print(input())\n", encoding="utf-8")
    suite = find_fitting_suite(Entry("Dice", tmp_path / "Dice.py"), paths, KINDS)
    assert "throws" == suite.exercise
    with pytest.raises(FitError):
        find_fitting_suite(Entry("own", tmp_path / "own.py"), paths, KINDS)


def test_the_exercise_is_found_from_the_modules(suite: Suite, tmp_path: Path) -> None:
    """Names count in the module that they belong to; three modules are no folder of hand-ins."""
    hand_in = written(tmp_path, Shape="def make(:\n")
    paths = {"shapes": tmp_path / "shapes.yaml", "other": tmp_path / "other.yaml"}
    paths["shapes"].write_text(SUITE, encoding="utf-8")
    paths["other"].write_text(OTHER, encoding="utf-8")
    assert suite.sha256 == find_fitting_suite(Entry("student", hand_in), paths, KINDS).sha256
    assert 1 == len(defining_files(hand_in, suite.defines))
    for student in ("a", "b", "c"):
        (hand_in / student).mkdir()
        (hand_in / student / "Point.py").write_text(POINT, encoding="utf-8")
    assert 4 == len(defining_files(hand_in, suite.defines))


def test_who_passes_on_a_stand_in_has_left_nothing_behind(zygote: Zygote, tmp_path: Path) -> None:
    """Hidden sessions that run together, and pass by themselves on our modules only, break no rule.

    It is what another module of hers does wrong that they failed for.
    """
    public = suite_in(
        tmp_path,
        SUITE.replace("groups:", "clauses: [{id: c, reading: r}]\ngroups:")
        + "rules: {interference: [{points: 1}]}\n",
    )
    steps = (
        '[{do: "Game.play({(0, 0)}, %d)", returns: "[(%d, 0)]", group: game, clause: c, case: h%d}]'
    )
    sessions = "".join(
        f"- {{id: g{n}, uses: [Shape, Game], stand_ins: [Point, Shape],"
        f" steps: {steps % (n, n, n)}}}\n"
        for n in (1, 2, 3)
    )
    digest = "ab" * 32
    generated = f"{{version: 1, seed: '1', reference: {digest}, content: {digest}}}"
    text = f"exercise: shapes\ngenerated: {generated}\nsessions:\n{sessions}"
    hidden = parse_hidden_suite(text.encode(), str(tmp_path / "hidden.yaml"), public)
    wrong = "def shift(point, by):\n    return (point[0] + 2 * by, point[1])\n"
    record = graded(zygote, merge_suites(public, hidden), tmp_path, Point=wrong)
    assert {"PASSED"} == {case.verdict for case in record.cases if case.id[-2:] in {"h1", "h2"}}
    (ruling,) = record.rules
    assert RuleVerdict.PASSED is ruling.verdict
