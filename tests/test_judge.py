"""How a submission earns its points: each rule of a session, on real executors."""

from __future__ import annotations

import hashlib
import platform

import pytest
from builders import by_id, graded, submission, suite
from judged_calls import BLIND, CALLS, remarks, said, verdicts

from grader import __version__
from grader.judging.judge import grade
from grader.judging.record import LineStatus
from grader.judging.recording import Recorder
from grader.messages import message
from grader.sandbox.zygote import Zygote
from grader.verdict import Status, Verdict

COUNTER = """
    groups: [{id: g, points: 4}]
    sessions:
    - id: s
      steps:
      - {do: c = C()}
      - {do: c.peek(), returns: '0', group: g}
      - {do: c.peek(), returns: '0', group: g}
      - {do: c.peek(), returns: '0', group: g}
      - {do: c.up(), same_as: c, group: g}
"""


def test_everything_passes(zygote: Zygote) -> None:
    """A submission without mistakes has all points, and nothing is said about it."""
    source = "class C:\n  def peek(self): return 0\n  def up(self): return self\n"
    record = graded(zygote, COUNTER, source)
    assert ["PASSED"] * 4 == verdicts(record)
    assert (Status.GRADED, 4.0, 4.0) == (record.status, record.score, record.max_score)
    assert () == record.remarks
    assert not any(case.explanation or case.transcript for case in record.cases)
    assert [1.0] * 4 == [case.points for case in record.cases]


def test_the_first_failure_stands_and_victims_have_their_own_chance(zygote: Zygote) -> None:
    """A question that changes the answer fails once, where it first shows."""
    source = """
        class C:
            def __init__(self): self.n = 0
            def peek(self): self.n += 1; return self.n - 1
            def up(self): return self
    """
    record = graded(zygote, COUNTER, source)
    assert ["PASSED", "WRONG", "PASSED", "PASSED"] == verdicts(record)
    first = record.cases[1]
    assert ["wrong.value", "wrong.not_again"] == said(first)
    assert (0.0, 1.0, 3.0) == (first.points, first.max_points, record.score)
    assert ["c = C()", "c.peek()", "c.peek()"] == [line.code for line in first.transcript]
    assert ("0", "1") == (first.expected, first.got)


def test_the_smallest_session_that_shows_it_is_told(zygote: Zygote) -> None:
    """A failure that its own session shows as well is told by that one."""
    source = "class C:\n  def peek(self): return 0\n  def up(self): return C()\n"
    record = graded(zygote, COUNTER, source)
    assert ["PASSED", "PASSED", "PASSED", "WRONG"] == verdicts(record)
    last = record.cases[3]
    assert ["c = C()", "c.up()"] == [line.code for line in last.transcript]
    assert [LineStatus.DONE, LineStatus.FAILED] == [line.state for line in last.transcript]
    assert ["same.other"] == said(last)


ACTIONS = """
    groups: [{id: make, points: 1}, {id: go, points: 1}, {id: ask, points: 2}]
    sessions:
    - id: s
      steps:
      - {do: p = P(1), group: make}
      - {do: p.go(2), same_as: p, group: go}
      - {do: p.x, returns: '3', group: ask}
      - {do: p.x, returns: '3', group: ask}
      - {do: q = P(9), group: make}
      - {do: q.x, returns: '9', group: ask}
"""


def test_skipped_cases_name_the_step_that_broke_down(zygote: Zygote) -> None:
    """What needs a step that raises is not tried, and says which step that is."""
    source = (
        "class P:\n  def __init__(self, x): self.x = x\n  def go(self, by): raise KeyError(by)\n"
    )
    record = graded(zygote, ACTIONS, source)
    assert {
        "make/1": Verdict.PASSED,
        "make/2": Verdict.PASSED,
        "go/1": Verdict.ERROR,
        "ask/1": Verdict.SKIPPED,
        "ask/2": Verdict.SKIPPED,
        "ask/3": Verdict.PASSED,
    } == {case.id: case.verdict for case in record.cases}
    skipped = by_id(record)["ask/1"]
    assert "p.go(2)" == skipped.cause
    assert (message("skipped.step", code="p.go(2)"),) == skipped.explanation
    states = [(line.code, line.state) for line in skipped.transcript]
    assert [("p = P(1)", LineStatus.DONE), ("p.go(2)", LineStatus.CAUSE)] == states
    error = by_id(record)["go/1"]
    assert error.source is not None
    assert (3, "go", "sample.py") == (error.source.line, error.source.function, error.source.file)
    assert "raise KeyError" in error.source.text


def test_a_wrong_answer_excuses_nothing(zygote: Zygote) -> None:
    """A step that returned the wrong thing was done; what comes after it is tried on its own."""
    source = """
        class P:
            def __init__(self, x): self.x = x
            def go(self, by): self.x += by
    """
    record = graded(zygote, ACTIONS, source)
    assert [("go/1", Verdict.WRONG)] == [
        (case.id, case.verdict) for case in record.cases if case.verdict is not Verdict.PASSED
    ]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("import os; os._exit(0)", "EXITED"),
        ("import os; os.abort()", "CRASHED"),
        ("exit()", "EXITED"),
        ("return 'x' * 10**12", "MEMORY"),
        ("import socket; socket.socket()", "FORBIDDEN"),
        ("input()", "ERROR"),
        ("return f(n)", "ERROR"),
        ("open('/etc/passwd')", "ERROR"),
        ("import os; os.closerange(3, 64)", "EXITED"),
        (BLIND.replace("\n", "\n    "), "TAMPERED"),
    ],
)
def test_one_bad_case_leaves_the_others_their_points(
    zygote: Zygote, body: str, verdict: str
) -> None:
    """However a step goes down, what comes after it is tried in a fresh executor."""
    source = f"def f(n):\n  if n == 2:\n    {body}\n  return n\ndef h(n): return n\n"
    record = graded(zygote, CALLS, source)
    assert ["PASSED", verdict, "PASSED", "PASSED", "PASSED"] == verdicts(record)
    assert 1.75 == record.score
    assert len(said(record.cases[1])) >= 1


REFUSED = """
    limits: {cpu_s: 0.2}
    groups: [{id: g, points: 2}, {id: h, points: 1}]
    sessions:
    - id: s
      observers: [str(p)]
      steps:
      - {do: p = P()}
      - {do: p.no(1), raises: 'ValueError: no', group: g}
      - {do: p.no(2), raises: 'ValueError: no', group: g}
      - {do: p.x, returns: '0', group: h}
"""


@pytest.mark.parametrize("visibility", ["public", "hidden"])
@pytest.mark.parametrize(
    ("text", "refusal", "expected"),
    [
        ("return str(self.x)", "raise ValueError('no')", ["PASSED", "PASSED", "PASSED"]),
        (
            "return str(self.x)",
            "self.x += 1; raise ValueError('no')",
            ["WRONG", "WRONG", "PASSED"],
        ),
        ("return 5", "raise ValueError('no')", ["PASSED", "PASSED", "PASSED"]),
        ("raise KeyError", "self.x += 1; raise ValueError('no')", ["PASSED", "PASSED", "WRONG"]),
        ("import os; os._exit(0)", "raise ValueError('no')", ["PASSED", "PASSED", "PASSED"]),
        ("any(iter(int, 1))", "raise ValueError('no')", ["PASSED", "PASSED", "PASSED"]),
    ],
    ids=["kept", "changed", "no text", "raising text", "killing text", "endless text"],
)
def test_a_refused_action_may_change_nothing(
    zygote: Zygote, text: str, refusal: str, expected: list[str], visibility: str
) -> None:
    """Looks before and after a refusal must agree; a look that fails is no witness, nor a fault."""
    source = f"""
        class P:
            x = 0
            def __str__(self): {text}
            def no(self, n): {refusal}
    """
    body = REFUSED.replace("- id: s", f"- id: s\n      visibility: {visibility}")
    record = graded(zygote, body, source)
    assert expected == verdicts(record)
    if expected[0] == "WRONG":
        assert ["unchanged.differs"] == said(record.cases[0])


@pytest.mark.parametrize("visibility", ["public", "hidden"])
@pytest.mark.parametrize(
    ("body", "points", "key"),
    [
        ("raise ValueError('nope')", 0.5, "raises.message"),
        ("raise ValueError", 0.5, "raises.no_message"),
        ("self.x += 1; raise ValueError('nope')", 0.0, "unchanged.differs"),
        ("raise KeyError('no')", 0.0, "raises.type"),
    ],
    ids=["message", "no message", "message and a change", "type"],
)
def test_a_refusal_with_another_message_earns_half(
    zygote: Zygote, body: str, points: float, key: str, visibility: str
) -> None:
    """It is WRONG all the same, and earns nothing when it changes something as well."""
    source = f"""
        class P:
            x = 0
            def __str__(self): return str(self.x)
            def no(self, n): {body}
    """
    record = graded(
        zygote, REFUSED.replace("- id: s", f"- id: s\n      visibility: {visibility}"), source
    )
    first = record.cases[0]
    assert ("WRONG", points, 1.0) == (first.verdict.value, first.points, first.max_points)
    assert [key] == said(first)
    assert 2 * points == record.groups[0].points


def test_hidden_cases_of_a_clause_earn_their_points_together(zygote: Zygote) -> None:
    """The record has what each case is worth, and what it has earned with the others."""
    body = """
        clauses: [{id: small, reading: s}, {id: large, reading: l}]
        groups: [{id: g, points: 4}]
        sessions:
        - id: s
          visibility: hidden
          steps:
          - {do: f(1), returns: '1', group: g, clause: small}
          - {do: f(2), returns: '2', group: g, clause: small}
          - {do: f(90), returns: '90', group: g, clause: large}
    """
    record = graded(zygote, body, "def f(n): return n if n != 2 else 3")
    assert ["PASSED", "WRONG", "PASSED"] == verdicts(record)
    earned = [(case.points, case.max_points) for case in record.cases]
    assert [(0.0, 1.0), (0.0, 1.0), (2.0, 2.0)] == earned
    assert 2.0 == record.score


@pytest.mark.parametrize("visibility", ["public", "hidden"])
def test_a_neighbour_of_a_refused_action_may_change_what_it_likes(
    zygote: Zygote, visibility: str
) -> None:
    """A look that two steps share counts for the one that must be refused, and for that alone."""
    body = f"""
        groups: [{{id: g, points: 5}}]
        sessions:
        - id: s
          visibility: {visibility}
          observers: [str(p)]
          steps:
          - {{do: p = P()}}
          - {{do: p.up(), returns: '1', group: g}}
          - {{do: p.no(), raises: ValueError, group: g}}
          - {{do: p.up(), returns: '2', group: g}}
          - {{do: p.sly(), raises: ValueError, group: g}}
          - {{do: p.no(), raises: ValueError, group: g}}
    """
    source = """
        class P:
            x = 0
            def __str__(self): return str(self.x)
            def up(self): self.x += 1; return self.x
            def no(self): raise ValueError
            def sly(self): self.x += 1; raise ValueError
    """
    record = graded(zygote, body, source)
    assert ["PASSED", "PASSED", "PASSED", "WRONG", "PASSED"] == verdicts(record)
    assert ["unchanged.differs"] == said(record.cases[3])


def test_printing_where_none_is_asked_is_remarked(zygote: Zygote) -> None:
    """Prints that were left in cost nothing, and are mentioned once."""
    record = graded(zygote, CALLS, "def f(n):\n  print('debug')\n  return n\nh = f\n")
    assert ["PASSED"] * 5 == verdicts(record)
    assert ["remark.prints"] == [each.key for each in record.remarks]


def test_hidden_sessions_are_judged_like_public_ones(zygote: Zygote) -> None:
    """How a session travels makes no difference for what comes of it."""
    source = """
        class P:
            def __init__(self, x): self.x = x
            def go(self, by): raise KeyError(by)
    """
    public = graded(zygote, ACTIONS, source)
    hidden = graded(
        zygote, ACTIONS.replace("- id: s\n", "- id: s\n      visibility: hidden\n"), source
    )
    assert verdicts(public) == verdicts(hidden)
    assert {"hidden"} == {case.visibility.value for case in hidden.cases}
    assert public.score == hidden.score


def test_a_fault_is_ours(zygote: Zygote) -> None:
    """A fault is told to everybody, its evidence to staff, and no case is called wrong."""
    record = Recorder(suite(CALLS), submission(""), zygote.isolation).fault_record(
        "Traceback: ours"
    )
    assert Status.FAULT is record.status
    assert {"FAULT"} == set(verdicts(record))
    assert {"Traceback: ours"} == {case.staff_evidence for case in record.cases}
    assert ["fault.ours"] == said(record.cases[0])
    assert "Traceback" not in " ".join(remarks(record))


def test_a_record_says_how_it_was_made(zygote: Zygote) -> None:
    """Hashes of the suite and of each file, versions, isolation and limits stand in the record."""
    whole = suite(CALLS)
    handed_in = submission("def f(n): return n\nh = f\n")
    record = grade(whole, handed_in, zygote)
    conditions = record.conditions
    assert whole.sha256 == conditions.suite_sha256
    assert (__version__, platform.python_version()) == (
        conditions.grader_version,
        conditions.python_version,
    )
    isolation = zygote.isolation
    assert (isolation.level, isolation.layers) == (conditions.isolation, conditions.layers)
    assert whole.limits == conditions.limits
    (file,) = record.files
    assert ("sample.py", 25, "utf-8") == (file.name, file.size_bytes, file.encoding)
    assert hashlib.sha256(handed_in.raw["sample.py"]).hexdigest() == file.sha256


def test_refusal_after_a_broken_setup_earns_nothing(zygote: Zygote) -> None:
    """Who refuses all refuses the set-up too: the right refusal was never tried."""
    body = """
        groups: [{id: refused, points: 1}]
        sessions:
        - id: s
          steps:
          - {do: c = C()}
          - {do: c.up()}
          - {do: c.up(), raises: ValueError, group: refused}
    """
    source = """
        class C:
            def up(self):
                raise ValueError
    """
    record = graded(zygote, body, source)
    assert (Verdict.SKIPPED, 0.0) == (record.cases[0].verdict, record.score)


SEEDED = """
    groups: [{id: g, points: 2}]
    sessions:
    - id: s
      steps:
      - {do: import random}
      - {do: random.seed(42)}
      - {do: f(), returns: "1", group: g}
      - {do: draw(), returns: "82", group: g}
"""


def test_a_second_chance_has_the_set_up_that_has_no_name(zygote: Zygote) -> None:
    """Who fails an earlier case still meets the seed that later ones count on."""
    source = "import random\ndef f(): return 0\ndef draw(): return random.randint(1, 100)"
    record = graded(zygote, SEEDED, source)
    assert ["WRONG", "PASSED"] == verdicts(record)


OVERRIDDEN = """
    groups: [{id: g, points: 4}]
    sessions:
    - id: shown
      steps:
      - {do: "sum([1, 2])", returns: "0", group: g}
    - id: unseen
      visibility: hidden
      steps:
      - {do: "max([1, 2])", returns: "2", group: g}
      - {do: "sum([1, 2])", returns: "0", group: g}
      - {do: f(), returns: "7", group: g}
"""


def test_hidden_steps_mean_the_built_ins_that_no_student_is_shown(zygote: Zygote) -> None:
    """A helper called like a built-in is in nobody's way, unless an example shows that it would."""
    source = "def sum(n): return 0\ndef max(n): return 7\ndef f(): return max(3)"
    record = graded(zygote, OVERRIDDEN, source)
    assert 4 * ["PASSED"] == verdicts(record)


REFUSALS = """
    groups: [{id: g, points: 1}]
    sessions:
    - id: s
      steps:
      - {do: f(), raises: "AssertionError: no", group: g}
"""


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("def f(): assert False, 'no'", Verdict.PASSED),
        ("def f(): raise AssertionError('no')", Verdict.PASSED),
        ("class Illegal(AssertionError): pass\ndef f(): raise Illegal('no')", Verdict.PASSED),
        ("class Illegal(AssertionError): pass\ndef f(): raise Illegal('nee')", Verdict.WRONG),
        (
            (
                "class Two(KeyError, AssertionError): __str__ = Exception.__str__\n"
                "def f(): raise Two('no')"
            ),
            Verdict.PASSED,
        ),
        (
            "class AssertionError(AssertionError): pass\ndef f(): raise AssertionError('no')",
            Verdict.PASSED,
        ),
        (
            "class AssertionError(Exception): pass\ndef f(): raise AssertionError('no')",
            Verdict.WRONG,
        ),
        (
            (
                "class AssertionError(ValueError): __module__ = 'builtins'\n"
                "def f(): raise AssertionError('no')"
            ),
            Verdict.WRONG,
        ),
        (
            (
                "import builtins\nclass AssertionError(Exception): pass\n"
                "builtins.AssertionError = AssertionError\ndef f(): raise AssertionError('no')"
            ),
            Verdict.WRONG,
        ),
        ("def f(): raise type('AssertionError', (Exception,), {})('no')", Verdict.WRONG),
        ("class SystemExit(Exception): pass\ndef f(): raise SystemExit('no')", Verdict.WRONG),
        (
            "class ModuleNotAllowed(Exception): pass\ndef f(): raise ModuleNotAllowed('no')",
            Verdict.WRONG,
        ),
        ("def f(): raise SystemExit('no')", Verdict.EXITED),
    ],
)
def test_exceptions_are_known_by_their_class(zygote: Zygote, source: str, verdict: Verdict) -> None:
    """A subclass will do, as for `except`; a class of one's own with that name is another one."""
    (result,) = graded(zygote, REFUSALS, source).cases
    assert verdict is result.verdict


def test_a_class_with_a_name_of_pythons_is_shown_with_its_module(zygote: Zygote) -> None:
    """As in any traceback, so that it shows that it is not Python's."""
    source = "class AssertionError(Exception): pass\ndef f(): raise AssertionError('no')"
    (result,) = graded(zygote, REFUSALS, source).cases
    assert "sample.AssertionError: no" == result.got
    assert ["raises.type"] == said(result)


SHOWN = """
    groups: [{id: g, points: 1}]
    sessions:
    - id: s
      steps:
      - {do: b = B()}
      - {do: print(b), stdout: "##", group: g}
      - {do: "for i in range(2): print(b.size())", stdout: "2\\n2", group: g}
      - {do: b.show(), stdout: "##", group: g}
      - {do: b.size(), returns: "2", group: g}
"""
TALKATIVE = """
    class B:
        def __str__(self): print('str', end=''); return {text}
        def size(self): print('size'); return 2
        def show(self): {show}
"""


@pytest.mark.parametrize(
    ("text", "show", "expected"),
    [
        ("'##'", "print('##')", ["PASSED"] * 4),
        ("'##'", "print('show'); print('##')", ["PASSED", "PASSED", "WRONG", "PASSED"]),
        ("'#\\n##'", "print('##')", ["WRONG", "PASSED", "PASSED", "PASSED"]),
        ("'#' + ''", "print('#')", ["WRONG", "PASSED", "WRONG", "PASSED"]),
        ("[print('##'), '#'][1]", "print('##')", ["WRONG", "PASSED", "PASSED", "PASSED"]),
        ("''", "print('##')", ["WRONG", "PASSED", "PASSED", "PASSED"]),
    ],
)
def test_prints_of_a_method_cost_nothing_where_the_step_prints(
    zygote: Zygote, text: str, show: str, expected: list[str]
) -> None:
    """What `print(b)` shows is asked, not what `__str__` prints meanwhile; nor is it an answer."""
    record = graded(zygote, SHOWN, TALKATIVE.format(text=text, show=show))
    assert expected == verdicts(record)
    assert ["remark.prints"] == [remark.key for remark in record.remarks]


NONE = """
    groups: [{id: g, points: 2}, {id: h, points: 2}]
    sessions:
    - id: s
      steps:
      - {do: f(1), returns: "None", group: g}
      - {do: f(2), returns: "2", group: g}
      - {do: f(3), returns: "3", group: h}
      - {do: "[f(4)]", returns: "[4]", group: h}
"""


def test_none_that_can_be_an_answer_is_no_missing_return(zygote: Zygote) -> None:
    """The hint at a `return` is for whole answers of groups in which None is never right."""
    record = graded(zygote, NONE, "def f(x): pass")
    assert [
        [],
        ["wrong.none_legal"],
        ["wrong.none"],
        ["wrong.at", "wrong.none_legal"],
    ] == [said(case) for case in record.cases]


def test_default_that_is_kept_is_told_as_such(zygote: Zygote) -> None:
    """The same call that gave another answer the second time says what to look for."""
    body = """
        groups: [{id: g, points: 3}]
        sessions:
        - id: s
          steps:
          - {do: f(1), returns: "[1]", group: g}
          - {do: f(1), returns: "[1]", group: g}
          - {do: f(2), returns: "[2]", group: g}
    """
    kept = "def f(x, seen=[]):\n    seen.append(x)\n    return list(seen)\n"
    cases = graded(zygote, body, kept).cases
    assert [[], ["wrong.length", "wrong.extra", "wrong.not_again"]] == [
        said(case) for case in cases[:2]
    ]


PRINTED_OR_RETURNED = """
    groups: [{id: g, points: 1}]
    sessions:
    - id: s
      steps:
      - {do: add(1), shows: Ratio(1), group: g}
      - {do: third(), shows: 0.33..., ellipsis: true, group: g}
      - {do: hello(), stdout: hello, group: g}
"""
RATIO = "class Ratio:\n    def __repr__(self): return 'Ratio(1)'\n"


@pytest.mark.parametrize(
    ("add", "third", "hello", "expected"),
    [
        ("return Ratio()", "return 1 / 3", "print('hello')", [[], [], []]),
        (
            "print('adding')\n    return Ratio()",
            "print(1 / 3)\n    return 1 / 3",
            "print('hello')\n    return 'hello'",
            [[], [], []],
        ),
        (
            "print(Ratio())",
            "print(1 / 3)",
            "return 'hello'",
            [
                ["wrong.printed_not_returned"],
                ["wrong.printed_not_returned"],
                ["wrong.returned_not_printed", "wrong.text_empty"],
            ],
        ),
        (
            "pass",
            "print(3)",
            "return 1",
            [["wrong.no_value"], ["wrong.no_value"], ["wrong.text_empty"]],
        ),
    ],
    ids=["right", "both", "the-other", "neither"],
)
def test_to_print_does_not_do_for_to_return(
    zygote: Zygote, add: str, third: str, hello: str, expected: list[list[str]]
) -> None:
    """Nor the other way round: at a prompt the two look alike, so which is meant is told."""
    source = (
        f"{RATIO}def add(n):\n    {add}\ndef third():\n    {third}\ndef hello():\n    {hello}\n"
    )
    assert expected == [said(case) for case in graded(zygote, PRINTED_OR_RETURNED, source).cases]
