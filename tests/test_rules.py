"""Rules on a submission as a whole: verdicts, what they cost, and when there is nothing to say."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path
from typing import Final

import pytest
from builders import HEAD, graded, submission, suite

from grader.intake.submission import Submission
from grader.intake.submissions import Entry
from grader.judging.answers import AnswerChecker
from grader.judging.judge import grade
from grader.judging.preparing import runner_for
from grader.judging.record import Record, RuleResult
from grader.judging.results import penalties
from grader.judging.rules import KINDS
from grader.judging.rules.source import Python
from grader.judging.survey_judge import SurveyJudge
from grader.judging.trials import Trials
from grader.reporting.wording import format_message
from grader.run.tasks import Task
from grader.run.worker import grade_task
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.model import Suite
from grader.suite.rules import Rule
from grader.verdict import RuleVerdict, Status

ROOT: Final = Path(__file__).resolve().parents[1]
BODY: Final = """\
defines: [total, double]
rules:
  recursion:
    - function: total
      sizes: [3, 12]
      call: total(list(range(n)))
      unit: numbers
      cap: 1
      line: 7
  loops:
    - functions: [total]
      forbid: [for, while]
      points: 2
  constructs:
    - id: no-classes
      forbid: [class]
  signature:
    - headings: ["double(number)"]
      points: 1
groups:
  - {id: total, points: 4}
  - {id: double, points: 2}
sessions:
  - id: all
    steps:
      - {do: "total([1, 2])", returns: "3", group: total}
      - {do: "total([])", returns: "0", group: total}
      - {do: double(2), returns: "4", group: double}
"""
RECURSIVE: Final = """
def total(numbers):
    if not numbers:
        return 0
    return numbers[0] + total(numbers[1:])


def double(number):
    return 2 * number
"""
LOOP: Final = """
def total(numbers):
    found = 0
    for number in numbers:
        found += number
    return found


def double(number):
    return 2 * number
"""


def judged(zygote: Zygote, source: str, body: str = BODY) -> Record:
    """Return the record of `source` on the suite in `body`."""
    return grade(suite(body, head=HEAD.replace("defines: []\n", "")), submission(source), zygote)


def by_rule(record: Record) -> dict[str, RuleResult]:
    """Return the rules of `record` by their id."""
    return {rule.id: rule for rule in record.rules}


def test_submission_that_keeps_to_the_rules_loses_nothing(zygote: Zygote) -> None:
    """Rules that are kept cost nothing, and say what was seen."""
    record = judged(zygote, RECURSIVE)
    assert 6 == record.score
    assert {RuleVerdict.PASSED} == {rule.verdict for rule in record.rules}
    recursion = by_rule(record)["recursion/total"]
    assert (7, "total", "total", True) == (
        recursion.spec_line,
        recursion.function,
        recursion.group,
        recursion.costs,
    )
    assert (
        "`total` is recursive: it calls itself 12 times for 12 numbers, "
        "and without those calls the answer is " in (format_message(recursion.evidence[0], "en"))
    )
    assert [2] == [hit.line for hit in recursion.hits]


def test_broken_rules_cost_what_they_say(zygote: Zygote) -> None:
    """A cap leaves so many points of its group; points of the same group come off what is left."""
    record = judged(zygote, LOOP)
    rules = by_rule(record)
    assert (RuleVerdict.BROKEN, 3) == (
        rules["recursion/total"].verdict,
        rules["recursion/total"].penalty,
    )
    assert (RuleVerdict.BROKEN, 1) == (
        rules["loops/total"].verdict,
        rules["loops/total"].penalty,
    )
    assert [("sample.py", 4, 5, "for", "    for number in numbers:")] == [
        (hit.file, hit.line, hit.column, hit.what, hit.text) for hit in rules["loops/total"].hits
    ]
    assert 6 == sum(group.points for group in record.groups)
    assert 2 == record.score


def test_remark_costs_nothing(zygote: Zygote) -> None:
    """A broken rule without points is told, and costs nothing."""
    record = judged(zygote, RECURSIVE + "\n\nclass Counter:\n    pass\n")
    rule = by_rule(record)["constructs/no-classes"]
    assert (RuleVerdict.BROKEN, 0, False) == (rule.verdict, rule.penalty, rule.costs)
    assert 6 == record.score


def test_stub_is_not_punished_twice(zygote: Zygote) -> None:
    """Who has earned nothing in a group has nothing to lose to its rules."""
    record = judged(zygote, "def total(numbers): pass\ndef double(number): return 2 * number")
    assert 2 == record.score
    assert {0} == {rule.penalty for rule in record.rules}


def test_missing_function_is_not_judged(zygote: Zygote) -> None:
    """Of a function that is not there nothing is said but that."""
    record = judged(zygote, "def double(n): return 2 * n")
    rules = by_rule(record)
    assert RuleVerdict.SKIPPED is rules["recursion/total"].verdict
    assert RuleVerdict.SKIPPED is rules["loops/total"].verdict
    assert RuleVerdict.BROKEN is rules["signature/double"].verdict
    assert ["rule.missing"] == [each.key for each in rules["recursion/total"].evidence]
    assert 1 == record.score


def test_function_that_raises_is_not_judged(zygote: Zygote) -> None:
    """A function that ends in an exception has no recursion to speak of, for all we can see."""
    record = judged(zygote, "def total(numbers): raise OSError\ndef double(number): return 0")
    (recursion,) = (rule for rule in record.rules if rule.id == "recursion/total")
    assert RuleVerdict.SKIPPED is recursion.verdict
    assert ["recursion.raised"] == [each.key for each in recursion.evidence]


def test_submission_that_cannot_be_run_has_no_rules(zygote: Zygote) -> None:
    """Where nothing can be run, there is nothing to say about rules."""
    record = judged(zygote, "def total(numbers:")
    assert (Status.UNGRADABLE, ()) == (record.status, record.rules)


FLOODS: Final = {
    "in other functions": "".join(f"def g{n}(): \n    for _ in []: pass\n" for n in range(600)),
    "in dead code": "def g():\n    return\n" + 600 * "    for _ in []: pass\n",
    "within the function": "",
}


@pytest.mark.parametrize(
    ("before", "within", "expected"),
    [
        (FLOODS["in other functions"], "for _ in []: pass", RuleVerdict.BROKEN),
        (FLOODS["in dead code"], "for _ in []: pass", RuleVerdict.BROKEN),
        ("", 500 * "[0 for _ in range(3)]; " + "sum(x for x in '')", RuleVerdict.REVIEW),
        ("def g(): pass\n" + 200 * "exec('')\n", "exec('for _ in []: pass')", RuleVerdict.REVIEW),
        (
            "".join(f"def g{n}(): pass\n" for n in range(200))
            + "def last():\n    for _ in []: pass\n",
            "; ".join(f"g{n}()" for n in range(200)) + "; last()",
            RuleVerdict.REVIEW,
        ),
    ],
    ids=["other functions", "dead code", "allowed uses", "hidden code", "calls"],
)
def test_a_flood_of_harmless_code_hides_nothing(
    zygote: Zygote, before: str, within: str, expected: RuleVerdict
) -> None:
    """What comes after it is seen; where not all is read, a person decides."""
    body = """
        defines: [f]
        rules:
          constructs:
            - {functions: [f], forbid: [for, comprehension], initialising: true}
        groups: [{id: f, points: 1}]
        sessions: [{id: all, steps: [{do: f(), returns: "1", group: f}]}]
    """
    source = f"{before}def f():\n    {within}\n    return 1\n"
    record = grade(suite(body, HEAD.replace("defines: []\n", "")), submission(source), zygote)
    assert [expected] == [rule.verdict for rule in record.rules]


def test_rules_on_code_that_runs_but_is_not_read_go_to_a_person(zygote: Zygote) -> None:
    """A module can have too many functions to be read, and hide among them what is forbidden."""
    body = """
        rules:
          constructs:
            - {forbid: [class], points: 1}
        groups: [{id: f, points: 2}]
        sessions: [{id: all, steps: [{do: f(), returns: "1", group: f}]}]
    """
    source = "class A: pass\ndef f(): return 1\n"
    (broken,) = graded(zygote, body, source).rules
    functions = "".join(f"def g{n}(): pass\n" for n in range(1_001))
    (doubtful,) = graded(zygote, body, source + functions).rules
    assert (RuleVerdict.BROKEN, RuleVerdict.REVIEW) == (broken.verdict, doubtful.verdict)


def test_parser_bomb_skips_the_rules_on_source(zygote: Zygote) -> None:
    """Source that cannot be read skips the rules on it, and costs nothing; it is no fault."""
    bomb = RECURSIVE + "\nx = " + "-" * 90_000 + "1\n"
    record = judged(zygote, bomb)
    assert record.status in {Status.GRADED, Status.UNGRADABLE}
    for rule in record.rules:
        if not rule.id.startswith("recursion"):
            assert RuleVerdict.SKIPPED is rule.verdict


def test_same_submission_gives_the_same_record(zygote: Zygote) -> None:
    """Names of instruments are drawn by lot, and leave no trace in a record."""
    assert judged(zygote, LOOP) == judged(zygote, LOOP)


def test_suite_without_rules_asks_nothing(zygote: Zygote) -> None:
    """Without rules and advice nothing is surveyed, and nothing is told."""
    body = BODY[BODY.index("groups:") :]
    record = graded(zygote, body, RECURSIVE)
    assert ((), ()) == (record.rules, record.advice)


def rule(number: int, **costs: object) -> Rule:
    """Return a rule with these costs; what it demands is all the same."""
    return Python.validate({"id": f"r{number}", "version": "3.6", **costs})


@pytest.mark.parametrize(
    ("rules", "costs"),
    [
        ([{"points": 3.0, "group": "a"}], [3]),
        ([{"points": 30.0, "group": "a"}], [10]),
        ([{"cap": 4.0, "group": "a"}], [6]),
        ([{"cap": 40.0, "group": "a"}], [0]),
        ([{"cap": 4.0, "group": "a"}, {"cap": 2.0, "group": "a"}], [6, 2]),
        ([{"cap": 4.0, "group": "a"}, {"points": 5.0, "group": "a"}], [6, 4]),
        ([{"points": 12.0}], [12]),
        ([{"points": 90.0}, {"points": 1.0, "group": "a"}], [15, 0]),
        ([{"points": 8.0}, {"points": 9.0, "group": "a"}], [8, 7]),
        ([{}], [0]),
        ([{"points": 0.1, "group": "a"}] * 3, [Fraction(1, 10)] * 3),
    ],
)
def test_penalties_never_take_what_is_not_there(
    rules: list[dict[str, object]], costs: list[Fraction]
) -> None:
    """What one rule has taken cannot be taken again, from a group or from the whole."""
    broken = [rule(number, **each) for number, each in enumerate(rules)]
    earned = {"a": Fraction(10), "b": Fraction(5)}
    assert costs == list(penalties(broken, earned).values())


def trials_of(asked: Suite, handed_in: Submission, zygote: Zygote) -> Trials:
    """Return what tries sessions of the suite on the submission."""
    return Trials(asked, runner_for(asked, handed_in, zygote), AnswerChecker(asked, zygote))


def test_files_that_the_exercise_does_not_import_are_left_out(zygote: Zygote) -> None:
    """Tests and windows that are handed in as well are no part of what the rules are about."""
    handed_in = submission("import helper\n", helper="def a(): 0", tests="def b(): 0")
    asked = suite(BODY, head=HEAD.replace("defines: []\n", ""))
    trials = trials_of(asked, handed_in, zygote)
    survey = SurveyJudge(asked, handed_in.modules, {"sample": "sample"}, trials).survey
    assert survey is not None
    assert ["helper"] == [each.place.module for each in survey.functions]


@pytest.mark.parametrize(
    ("source", "verdict"),
    [("def f(xs): return g(xs)\ndef g(xs): xs.sort()", "PASSED"), ("def f(xs): 0", "BROKEN")],
)
def test_a_function_of_the_exercise_can_be_required(
    zygote: Zygote, source: str, verdict: str
) -> None:
    """The word of a suite stands for the function of that module, whatever the file is called."""
    asked = suite(
        """
        defines: [f, g]
        rules: {constructs: [{functions: [f], require: [g]}]}
        groups: [{id: g, points: 1}]
        sessions: [{id: s, steps: [{do: "g([])", returns: "None", group: g}]}]
        """,
        head=HEAD.replace("defines: []\n", ""),
    )
    handed_in = submission(source)
    trials = trials_of(asked, handed_in, zygote)
    judge = SurveyJudge(asked, handed_in.modules, {"sample": "sample"}, trials)
    ((_, ruling),) = judge.rulings(missing=(), unloadable=(), only_alone=False, slow=())
    assert verdict == ruling.verdict.name


PUZZLES: Final = ("yinyang", "akari", "str8ts")


@pytest.mark.corpus
@pytest.mark.parametrize("exercise", ["1010", "triomino", *PUZZLES])
def test_references_break_no_rule(exercise: str, tmp_path: Path) -> None:
    """The references keep to the rules of their exercises, and nobody has to look at them."""
    asked = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    for module in asked.modules:  # without the generator that lies beside them
        shutil.copy(ROOT / "reference" / exercise / f"{module}.py", tmp_path)
    place = tmp_path if asked.binds == "modules" else tmp_path / f"{exercise}.py"
    record = grade_task(Task(asked, Entry("reference", place)))
    assert record.max_score == record.score
    assert {RuleVerdict.PASSED} >= {each.verdict for each in record.rules}
    assert len(asked.rules) == len(record.rules)


CORRECT: Final = [
    *((ROOT / "reference" / "1010" / "correct").iterdir()),
    *((ROOT / "reference" / "triomino" / "correct").iterdir()),
]


@pytest.mark.corpus
@pytest.mark.parametrize("solution", sorted(CORRECT), ids=lambda path: path.stem)
def test_correct_solutions_break_no_rule(solution: Path) -> None:
    """Nor do other right solutions, though somebody may have to look at them."""
    exercise = solution.parent.parent.name
    asked = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    record = grade_task(Task(asked, Entry(solution.name, solution)))
    assert {RuleVerdict.PASSED, RuleVerdict.REVIEW} >= {each.verdict for each in record.rules}
    assert record.max_score == record.score
