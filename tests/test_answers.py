"""Checkers: code of the author's that says which answers are right, where many are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from builders import HEAD, by_id, submission

from grader.errors import SuiteError
from grader.judging import answers
from grader.judging.answers import MAX_DEATHS, MAX_LINES, AnswerChecker
from grader.judging.judge import grade
from grader.judging.record import CaseResult, Record
from grader.judging.rules import KINDS
from grader.reporting.wording import format_message
from grader.sandbox.observation import ImportObservation, Observation, Returned
from grader.sandbox.planning import whole_session
from grader.sandbox.sandbox import FreshSandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.zygote import Zygote
from grader.suite.expectations import Accepts
from grader.suite.loading import InvalidSuite, parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.values.tree import Array, Atom, Collection, Scalar, Sequence, Value
from grader.values.tree import Mapping as Pairs
from grader.verdict import Status, Verdict

CHECKER = """
    import given_code

    SECRET = 6

    def divides(answer, number):
        if type(answer) is not int:
            return f"a whole number, not {answer!r}"
        return number % answer == 0

    def factors(answer):
        return all(divides(each, SECRET) is True for each in answer)

    def shown(answer):
        return f"{type(answer).__name__} {answer!r}"

    def says(answer, said):
        return said

    def hangs(answer):
        while answer:
            pass
        return True

    def ends(answer):
        import os
        os._exit(0)

    def counts(answer, seen=[]):
        seen.append(answer)
        return f"{len(seen)} by now"
"""


def suite_of(
    folder: Path, steps: Mapping[str, str], checker: str = CHECKER, extra: str = ""
) -> Suite:
    """Return a suite whose steps, by code, are to be accepted by expressions."""
    (folder / "checks.py").write_text(dedent(checker), encoding="utf-8")
    (folder / "given_code.py").write_text("HELLO = 1\n", encoding="utf-8")
    lines = (
        f"- {{do: {json.dumps(code)}, accepts: {json.dumps(accepts)}, group: g}}\n"
        for code, accepts in steps.items()
    )
    text = (
        f"{HEAD}given: {{given_code: given_code.py}}\n"
        f"checkers: {{checks: checks.py}}\n{extra}groups: [{{id: g, points: 4}}]\n"
        "sessions:\n- id: s\n  steps:\n  " + "  ".join(lines)
    )
    return parse_suite(text.encode(), str(folder / "suite.yaml"), KINDS)


def record_of(
    zygote: Zygote,
    folder: Path,
    steps: Mapping[str, str],
    source: str = "",
    *,
    checker: str = CHECKER,
    extra: str = "",
) -> Record:
    """Return the record of `source` on a suite with `steps`; see `suite_of`."""
    suite = suite_of(folder, steps, checker, extra)
    return grade(suite, submission(source), zygote)


def cases_of(record: Record) -> list[CaseResult]:
    """Return the cases of `record` in order."""
    return [by_id(record)[f"g/{number}"] for number in range(1, len(record.cases) + 1)]


def said(case: CaseResult) -> list[str]:
    """Return what a student is told about `case`."""
    return [format_message(each, "en") for each in case.explanation]


def test_any_right_answer_will_do(zygote: Zygote, tmp_path: Path) -> None:
    """An answer passes if the checker says True, and fails if it says False or why not."""
    accepts = "checks.divides(answer, 12)"
    steps = {"f(3)": accepts, "f(4)": accepts, "f(5)": accepts, "f('x')": accepts}
    record = record_of(zygote, tmp_path, steps, "def f(x): return x")
    assert Status.GRADED is record.status
    right, too, wrong, strange = cases_of(record)
    assert [Verdict.PASSED] * 2 == [right.verdict, too.verdict]
    assert (Verdict.WRONG, "5", None) == (wrong.verdict, wrong.got, wrong.expected)
    assert [
        "More than one answer can be right here, but the one that your code gives is not."
    ] == said(wrong)
    assert Verdict.WRONG is strange.verdict
    assert ["a whole number, not 'x'"] == said(strange)
    assert 2.0 == record.score


def test_numbers_are_not_true(zygote: Zygote, tmp_path: Path) -> None:
    """An expression may call no checker at all, and what is compared need not be true or false."""
    steps = {"1": "answer == 1", "2": "answer == 1", "3": "checks.factors([answer])"}
    verdicts = [case.verdict for case in cases_of(record_of(zygote, tmp_path, steps))]
    assert [Verdict.PASSED, Verdict.WRONG, Verdict.PASSED] == verdicts


VALUES = [
    "None",
    "True",
    "-5",
    "10 ** 30",
    "-(10 ** 4000)",
    "0.1",
    "-0.0",
    "float('-inf')",
    "float('nan')",
    "complex(0.5, float('inf'))",
    "'a\\u00e9\\'\\n\\\\\\x00'",
    "b'\\xff\\''",
    "[]",
    "[1, [2, (3,)], ()]",
    "{1}",
    "set()",
    "frozenset({'a'})",
    "{'a': [1], (1, 2): {}}",
    "range(1, 9, 2)",
    "Fraction(1, 3)",
    "Decimal('1.10')",
    "Decimal('-Infinity')",
    "Counter('aab')",
    "OrderedDict([(2, 1), (1, 2)])",
    "defaultdict(None, {1: [2]})",
]
IMPORTS = """
from collections import Counter, OrderedDict, defaultdict
from decimal import Decimal
from fractions import Fraction
"""


@pytest.fixture
def _long_numbers() -> Iterator[None]:
    """Let Python read and write numbers of up to 10,000 digits."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(10_000)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("_long_numbers")
def test_answers_are_what_they_were(zygote: Zygote, tmp_path: Path) -> None:
    """A checker is handed the very value, of the same type, whatever it is made of."""
    names: dict[str, object] = {}
    exec(IMPORTS, names)
    extra = "limits: {value_chars: 100000}\n"
    record = record_of(
        zygote, tmp_path, dict.fromkeys(VALUES, "checks.shown(answer)"), IMPORTS, extra=extra
    )
    for text, case in zip(VALUES, cases_of(record), strict=True):
        value = eval(text, names)
        shown = f"{type(value).__name__} {value!r}"
        (told,) = said(case)
        assert shown[:400].replace("\n", "⏎") == told[:400], text


@pytest.fixture(scope="module")
def numpy_zygote() -> Iterator[Zygote]:
    """A zygote whose executors can be given numpy."""
    if sys.platform != "linux":
        pytest.skip("a zygote needs Linux")
    with Zygote(packages=["numpy"]) as running:
        yield running


ARRAYS = {
    "np.array([[1, 2], [3, 4]])": "int64 (2, 2) [[1, 2], [3, 4]]",
    "np.array([1, 2], dtype=np.uint8)": "uint8 (2,) [1, 2]",
    "np.array(5.5)": "float64 () 5.5",
    "np.zeros((0, 3))": "float64 (0, 3) []",
    "np.array([True])": "bool (1,) [True]",
    "np.array(['ab', 'c'])": "<U2 (2,) ['ab', 'c']",
    "np.array([[1], None], dtype=object)": "object (2,) [[1], None]",
    "np.array([[1], [2], None], dtype=object)[:2]": "object (2,) [[1], [2]]",
    "np.array([[1, 2j]])": "complex128 (1, 2) [[(1+0j), 2j]]",
    "[np.array([1])]": "list [array([1])]",
    "np.int64(5)": "int64 () 5",
    "np.float32(0.5)": "float32 () 0.5",
    "np.bool_(True)": "bool () True",
    "np.str_('a')": "<U1 () a",
}


def test_arrays_are_arrays(numpy_zygote: Zygote, tmp_path: Path) -> None:
    """Arrays and numbers of numpy's own are made again with shape and type of elements."""
    checker = """
        def shown(answer):
            if isinstance(answer, list):
                return f"list {answer}"
            return f"{answer.dtype} {answer.shape} {answer.tolist()}"
        def sums(answer):
            import numpy as np
            return np.all(answer == np.array([1, 2]))
    """
    steps = dict.fromkeys(ARRAYS, "checks.shown(answer)") | {"[1, 2]": "checks.sums(answer)"}
    extra = "imports: [standard, numpy]\n"
    record = record_of(
        numpy_zygote, tmp_path, steps, "import numpy as np", checker=checker, extra=extra
    )
    *shown, last = cases_of(record)
    assert [[text] for text in ARRAYS.values()] == [said(case) for case in shown]
    assert Verdict.PASSED is last.verdict  # True of numpy's own is True


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("object()", "an object of class object, or a value that contains one"),
        ("[1, Own()]", "an object of class Own"),
        ("{'a': Point(1)}", "an object of class Point"),
        ("Color.RED", "an object of class Color"),
        ("len", "an object of class builtin_function_or_method"),
        ("[0] * 10**6", "Your code gives a value of type list with far too many elements."),
        ("'x' * 10**6", "Your code gives a value of type str with far too much text."),
        ("10 ** 10**5", "Your code gives a value of type int with far too many digits."),
        ("around()", "Your code gives a value of type list that is nested too deeply"),
    ],
)
def test_what_cannot_be_handed_over_is_wrong(
    zygote: Zygote, tmp_path: Path, code: str, told: str
) -> None:
    """An object of the submission's own and a value that is too large are answers, wrong ones."""
    source = """
        from dataclasses import dataclass
        from enum import Enum
        class Own:
            def __eq__(self, other): return True
            def __bool__(self): return True
        @dataclass
        class Point:
            x: int
        class Color(Enum):
            RED = 1
        def around():
            it = []
            it.append(it)
            return it
    """
    record = record_of(zygote, tmp_path, {code: "answer is not None"}, source)
    (case,) = record.cases
    assert (Status.GRADED, Verdict.WRONG) == (record.status, case.verdict)
    assert told in said(case)[0]


def test_large_answers_go_in_several_requests(zygote: Zygote, tmp_path: Path) -> None:
    """Answers as large as a suite allows are all checked, however many there are."""
    steps = {f"['a' * 1000] * 90 + [{n}]": f"answer[-1] == {n} > 0" for n in range(15)}
    wrong, *right = cases_of(record_of(zygote, tmp_path, steps))
    assert Verdict.WRONG is wrong.verdict
    assert {Verdict.PASSED} == {case.verdict for case in right}


def test_exceptions_and_other_verdicts_need_no_checker(zygote: Zygote, tmp_path: Path) -> None:
    """Where nothing was returned there is nothing to check: it is told as always."""
    accepts = "checks.hangs(1)[answer]"
    steps = {"1 / 0": accepts, "missing": accepts, "exit()": accepts}
    verdicts = [case.verdict for case in cases_of(record_of(zygote, tmp_path, steps))]
    assert [Verdict.ERROR, Verdict.ERROR, Verdict.EXITED] == verdicts


@pytest.mark.parametrize(
    ("accepts", "evidence"),
    [
        (
            "checks.divides(answer, 'x')",
            "the checker checks.divides(answer, 'x') failed: TypeError: ",
        ),
        ("checks.divides()[answer]", "failed: TypeError: divides() missing"),
        ("checks.says(answer, None)", "None) returned None; it must return True, False"),
        ("checks.says(answer, 1)", "returned 1; it must"),
        ("checks.says(answer, ' ')", "returned an empty string"),
        ("checks.says(answer, object())", "returned <object>"),
        ("checks.says(answer, 'x' * 10**6)", "returned <str …>"),
        ("checks.ends(answer)", "the checker checks.ends(answer) failed: "),
        ("(lambda: exit())() or answer", " failed: "),
        ("[0] * 10**10 == answer", "failed: MemoryError"),
    ],
)
def test_a_checker_that_fails_is_our_fault(
    zygote: Zygote, tmp_path: Path, accepts: str, evidence: str
) -> None:
    """The student loses nothing, staff see why, and the submission is to be graded again."""
    steps = {"12": accepts, "3": "checks.divides(answer, 12)"}
    record = record_of(zygote, tmp_path, steps)
    ours, other = cases_of(record)
    assert (Status.FAULT, Verdict.FAULT) == (record.status, ours.verdict)
    assert evidence in (ours.staff_evidence or "")
    assert "our fault" in said(ours)[0]
    assert "our fault" in format_message(record.remarks[0], "en")
    assert "TypeError" not in json.dumps([each.to_json() for each in ours.explanation])
    assert Verdict.PASSED is other.verdict


def test_a_checker_that_hangs_is_our_fault(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped, other answers are checked all the same, and after some it is asked no more."""
    monkeypatch.setattr(answers, "LIMITS", answers.LIMITS.with_changes(cpu_s=0.1))
    hang, right = "checks.hangs(answer)", "checks.divides(answer, 12)"
    steps = {"1": hang, "2": right, "3": hang, "0": hang, "4": right}
    record = record_of(zygote, tmp_path, steps)
    cases = cases_of(record)
    fault, passed = Verdict.FAULT, Verdict.PASSED
    assert 2 == MAX_DEATHS
    assert [fault, passed, fault, fault, fault] == [case.verdict for case in cases]
    assert "TIMED_OUT" in (cases[0].staff_evidence or "")
    assert "the checkers died on earlier answers" in (cases[4].staff_evidence or "")


def test_a_checker_that_cannot_be_loaded(zygote: Zygote, tmp_path: Path) -> None:
    """All answers are faults, with the exception for staff."""
    record = record_of(zygote, tmp_path, {"1": "answer == 1"}, checker="import nowhere_to_be_found")
    (case,) = record.cases
    assert Verdict.FAULT is case.verdict
    assert "cannot be loaded: ModuleNotFoundError" in (case.staff_evidence or "")


@pytest.mark.parametrize(
    "forged",
    [
        Collection("set", (Sequence("list", ()),)),
        Pairs(((Sequence("list", ()), Atom(1)),)),
        Pairs((), "exit() or dict"),
        Collection("exit", ()),
        Scalar("int8", 10**9),
        Array((2,), "uint8", (Atom(-1), Atom(10**30))),
    ],
)
def test_forged_values_are_no_code(zygote: Zygote, tmp_path: Path, forged: Value) -> None:
    """What no program can return is a wrong answer, and no name in it is run."""
    suite = suite_of(tmp_path, {"1": "answer == 'no'"})
    (session,) = suite.sessions
    returned = Observation(outcome=Returned(value=forged, identity=0))
    run = SessionRun(whole_session(session), nothing_imported(), [returned])
    checker = AnswerChecker(suite, zygote)
    (outcome,) = checker.outcomes(session.steps, run).values()
    assert Verdict.WRONG is outcome.verdict


def test_answers_that_are_never_made_are_forged(
    zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers that all collide are a wrong answer, not our fault; two of them are tried."""
    monkeypatch.setattr(answers, "LIMITS", answers.LIMITS.with_changes(cpu_s=0.1))
    suite = suite_of(tmp_path, {str(number): "answer == 'no'" for number in range(3)})
    (session,) = suite.sessions
    modulus = 2**61 - 1
    colliding = tuple(Atom(number * modulus) for number in range(20_000))
    returned = [
        Observation(outcome=Returned(value=Collection("set", colliding[start:]), identity=0))
        for start in range(3)
    ]
    run = SessionRun(whole_session(session), nothing_imported(), returned)
    outcomes = AnswerChecker(suite, zygote).outcomes(session.steps, run)
    assert [Verdict.WRONG] * 3 == [outcome.verdict for outcome in outcomes.values()]


def nothing_imported() -> ImportObservation:
    """Return what a submission shows that defines nothing."""
    observation = Observation(outcome=Returned(value=Atom(None), identity=None))
    return ImportObservation(observation=observation, defined=frozenset())


def test_hostile_text_is_shown_as_text(zygote: Zygote, tmp_path: Path) -> None:
    """What a checker repeats of an answer is capped and escaped like all foreign text."""
    steps = {
        "'<b>\\x1b[31m\\u202e' + 'x' * 5000": "checks.says(answer, answer)",
        "'\\n'.join(map(str, range(99)))": "checks.says(answer, answer)",
        "\"'); import os; ('\"": "checks.shown(answer)",
        "'\\ud800'": "checks.shown(answer)",
    }
    marked, lines, quoted, lone = cases_of(record_of(zygote, tmp_path, steps))
    (told,) = said(marked)
    assert len(told) < 600
    assert told.startswith("<b>␛[31m")
    assert "\u202e" not in told
    assert MAX_LINES == len(said(lines))
    assert ["str \"'); import os; ('\""] == said(quoted)
    assert ["str '\\ud800'"] == said(lone)


def test_submissions_never_meet_a_checker(zygote: Zygote, tmp_path: Path) -> None:
    """Its module cannot be imported where the submission runs, nor is it found in memory there."""
    source = """
        import gc
        def f():
            try:
                import checks
            except ImportError:
                pass
            else:
                return "imported"
            words = ["SEC" + "RET", "grader_" + "answers"]
            for each in gc.get_objects():
                if isinstance(each, dict) and any(word in each for word in words):
                    return "found"
            return 3
    """
    record = record_of(zygote, tmp_path, {"f()": "checks.divides(answer, 12)"}, source)
    assert [Verdict.PASSED] == [case.verdict for case in record.cases]


def test_a_checker_never_meets_a_submission(zygote: Zygote, tmp_path: Path) -> None:
    """Nothing that the submission defines is there, and it has the walls of any executor."""
    checker = """
        def looks(answer):
            try:
                import sample
            except ImportError:
                pass
            else:
                return "there is a submission"
            try:
                open("/etc/passwd")
            except OSError:
                return True
            return "there are files"
    """
    record = record_of(zygote, tmp_path, {"5": "checks.looks(answer)"}, "x = 1", checker=checker)
    assert [Verdict.PASSED] == [case.verdict for case in record.cases]


def test_answers_of_a_session_share_an_executor(zygote: Zygote, tmp_path: Path) -> None:
    """One is started for all of them, and equal questions are asked once."""
    steps = {
        "1": "checks.counts(answer)",
        "2": "checks.counts(answer)",
        "3 - 1": "checks.counts(answer)",
    }
    first, second, again = cases_of(record_of(zygote, tmp_path, steps))
    assert [["1 by now"], ["2 by now"], ["2 by now"]] == [
        said(each) for each in (first, second, again)
    ]


def test_where_no_zygote_can_live(tmp_path: Path) -> None:
    """Checkers run in a process of their own there, too."""
    suite = suite_of(tmp_path, {"3": "checks.divides(answer, 12)", "5": "checks.factors([answer])"})
    with FreshSandbox() as sandbox:
        record = grade(suite, submission(""), sandbox)
    assert [Verdict.PASSED, Verdict.WRONG] == [case.verdict for case in cases_of(record)]


# Loading


def test_a_suite_with_a_checker(tmp_path: Path) -> None:
    """Its source is part of the suite and of its hash, and given to nobody."""
    suite = suite_of(tmp_path, {"3": "checks.divides(answer, 12)"})
    assert Accepts("checks.divides(answer, 12)") == suite.sessions[0].steps[0].expectation
    assert {"checks"} == suite.checkers.keys()
    assert {"given_code"} == suite.given.keys()
    changed = suite_of(tmp_path, {"3": "checks.divides(answer, 12)"}, CHECKER + "\n    x = 1\n")
    assert suite.sha256 != changed.sha256


@pytest.mark.parametrize(
    ("accepts", "message", "help_"),
    [
        (
            "x = answer",
            "this is not an expression, so it cannot accept anything",
            "write a call, such",
        ),
        (
            "checks.shown(3)",
            "this does not read 'answer', which is the value that the step returned",
            "write",
        ),
        ("checks.shown(answer", "this is not valid Python: '(' was never closed", "write Python"),
        ("", "there is no code here", "write Python"),
        ("cheks.shown(answer)", "'cheks' is not a checker (did you mean 'checks'?)", "checkers to"),
        (
            "given_code.f(answer)",
            "'given_code' is not a checker",
            "checkers to choose from: checks",
        ),
        ("checks.show(answer)", "'checks' defines no 'show' (did you mean 'shown'?)", "names that"),
    ],
)
def test_what_is_no_use_of_a_checker(
    tmp_path: Path, accepts: str, message: str, help_: str
) -> None:
    """What could never say anything about an answer is a mistake in the suite."""
    with pytest.raises(InvalidSuite) as caught:
        suite_of(tmp_path, {"3": accepts})
    (diagnostic,) = caught.value.diagnostics
    assert message == diagnostic.message
    assert (diagnostic.help or "").startswith(help_)


@pytest.mark.parametrize(
    ("checkers", "message"),
    [
        (
            "{answer: checks.py}",
            "no checker can be called 'answer', which stands for the returned value",
        ),
        (
            "{given_code: checks.py}",
            "'given_code' is the name of a given module, which checkers can import",
        ),
        ("{checks: nowhere.py}", "there is no file 'nowhere.py'"),
        ("{checks: broken.py}", "'broken.py' is not valid Python"),
        ("{a.b: checks.py}", "'a.b' is not a Python name"),
    ],
)
def test_what_is_no_checker(tmp_path: Path, checkers: str, message: str) -> None:
    """A checker is a Python file with a name of its own."""
    (tmp_path / "broken.py").write_text("def", encoding="utf-8")
    for name in ("checks", "given_code"):
        (tmp_path / f"{name}.py").write_text("def f(x): return True\n", encoding="utf-8")
    text = (
        f"{HEAD}given: {{given_code: given_code.py}}\ncheckers: {checkers}\n"
        "groups: [{id: g, points: 1}]\n"
        "sessions: [{id: s, steps: [{do: '1', returns: '1', group: g}]}]\n"
    )
    with pytest.raises(SuiteError) as caught:
        parse_suite(text.encode(), str(tmp_path / "suite.yaml"), KINDS)
    assert message in str(caught.value)


def test_a_statement_has_no_answer(tmp_path: Path) -> None:
    """Only what an expression gives can be accepted, and nothing is expected besides."""
    with pytest.raises(InvalidSuite) as caught:
        suite_of(tmp_path, {"x = 1": "checks.shown(answer)"})
    (diagnostic,) = caught.value.diagnostics
    assert "a statement has no value, so 'accepts' has no effect" == diagnostic.message


def test_hidden_steps_use_the_checkers_of_the_public_suite(tmp_path: Path) -> None:
    """A hidden suite names them as the public one does, and is told when there is none."""
    public = suite_of(tmp_path, {"3": "checks.divides(answer, 12)"})
    hidden = (
        "exercise: sample\nsessions: [{{id: h, steps: [{{do: '4', accepts: '{}', group: g}}]}}]\n"
    )
    text = hidden.format("checks.factors([answer])").encode()
    (session,) = parse_hidden_suite(text, "s.hidden.yaml", public).sessions
    assert Accepts("checks.factors([answer])") == session.steps[0].expectation
    with pytest.raises(InvalidSuite) as caught:
        parse_hidden_suite(hidden.format("other.f(answer)").encode(), "s.hidden.yaml", public)
    assert ["'other' is not a checker"] == [each.message for each in caught.value.diagnostics]


GAME = """
    import random
    secret = random.randint(1, 3)
    print("Guess from 1 to 3.")
    for number in range(1, 4):
        if int(input("? ")) == secret:
            print(f"Right after {number}.")
            break
"""
FAIR = """
    def fair(answer):
        words = answer.split()
        return words[-2:-1] == ["after"] or f"it ends with {words[-1:]}"
"""


@pytest.mark.parametrize(
    ("source", "verdict", "said"),
    [
        (GAME, Verdict.PASSED, []),
        (GAME.replace("Right after {number}.", "Yes!"), Verdict.WRONG, ["it ends with ['Yes!']"]),
        (GAME.replace("secret = ", "secret = 9 + "), Verdict.WRONG, ["it ends with ['?']"]),
        ("raise SystemExit(3)", Verdict.WRONG, []),
    ],
    ids=["right", "other words", "never right", "exit code"],
)
def test_a_checker_looks_at_a_screen(
    tmp_path: Path, zygote: Zygote, source: str, verdict: Verdict, said: list[str]
) -> None:
    """So a game of chance can be played through, whatever its secret is."""
    (tmp_path / "checks.py").write_text(dedent(FAIR), encoding="utf-8")
    text = (
        f"{HEAD}checkers: {{checks: checks.py}}\ngroups: [{{id: g, points: 1}}]\n"
        "sessions:\n- id: s\n  steps:\n"
        '  - {run: sample, stdin: "1\\n2\\n3\\n", accepts: checks.fair(answer), group: g}\n'
    )
    suite = parse_suite(text.encode(), str(tmp_path / "sample.yaml"), KINDS)
    (case,) = grade(suite, submission(source), zygote).cases
    assert verdict is case.verdict
    assert said == [dict(each.parameters)["text"] for each in case.explanation if said]
