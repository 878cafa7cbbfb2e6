"""Recursion is judged by what calls do: a catalogue of real ones, fakes, and ones to doubt.

Each folder of `tests/recursion/<function>/` is a variant of one module. Its name begins with what
it is; `tests/recursion/README.md` says why.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from builders import HEAD, submission
from builders import suite as parse

from grader.demands import Recursion
from grader.judge import grade
from grader.loading import load_suite
from grader.record import Record, RuleResult
from grader.sandbox.nursery import Nursery, new_nursery
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate
from grader.submission import SourceFile, Submission
from grader.suite import Suite
from grader.verdict import RuleVerdict, Status, Verdict
from grader.wording import LANGUAGES, say

ROOT: Final = Path(__file__).resolve().parents[1]
CATALOGUE: Final = sorted((ROOT / "tests" / "recursion").glob("*/*/"))
VERDICTS: Final = {
    "real": RuleVerdict.PASSED,
    "fake": RuleVerdict.BROKEN,
    "doubt": RuleVerdict.REVIEW,
}
EXERCISES: Final = {"triomino": "triomino"}
"""The exercise of a function; else it is the practicum."""


@pytest.fixture(scope="module")
def with_numpy() -> Iterator[Nursery]:
    """A nursery whose executors know numpy."""
    with new_nursery(("numpy",)) as nursery:
        yield nursery


@cache
def suite_of(exercise: str) -> Suite:
    """Return the published suite of `exercise`."""
    return load_suite(ROOT / "testsuites" / f"{exercise}.yaml")


def asked_of(function: str) -> Suite:
    """Return what its suite asks of `function` alone: its cases, and strictly recursion."""
    suite = suite_of(EXERCISES.get(function, "1010"))
    (rule,) = (
        each
        for each in suite.rules
        if isinstance(each.demand, Recursion)
        and each.demand.function.rpartition(".")[2] == function
    )
    assert isinstance(rule.demand, Recursion)
    strict = replace(rule, demand=replace(rule.demand, strict=True, helper=True))
    sessions = [
        replace(session, cases=tuple(case for case in session.cases if case.group == function))
        for session in suite.sessions
    ]
    return replace(
        suite,
        groups=tuple(group for group in suite.groups if group.id == function),
        sessions=tuple(session for session in sessions if session.cases),
        rules=(strict,),
        advice=False,
    )


def variant(suite: Suite, folder: Path) -> Submission:
    """Return the reference with what the modules of `folder` define in place of its own."""
    names = suite.modules or (str(suite.module),)
    texts = {name: text_of(ROOT / "reference" / suite.exercise, folder, name) for name in names}
    files = {
        name: SourceFile(name=f"{name}.py", text=text, encoding="utf-8")
        for name, text in texts.items()
    }
    main = None if suite.modules else files.pop(names[0])
    return Submission(
        student=folder.name,
        main=main,
        modules=files,
        data={},
        raw={},
        parts={name: name for name in suite.modules},
    )


def text_of(reference: Path, folder: Path, name: str) -> str:
    """Return module `name` of the reference, where the variant has taken the place of its own."""
    text = (reference / f"{name}.py").read_text(encoding="utf-8")
    own = folder / f"{name}.py"
    if not own.exists():
        return text
    replacing = own.read_text(encoding="utf-8")
    defined = {getattr(each, "name", None) for each in ast.parse(replacing).body} - {None}
    lines = text.splitlines()
    for each in reversed(ast.parse(text).body):
        if isinstance(each, ast.FunctionDef) and each.name in defined:
            del lines[each.lineno - 1 : each.end_lineno]
    return "\n".join([*lines, "", "", replacing])


@pytest.mark.parametrize("folder", CATALOGUE, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_catalogue(folder: Path, zygote: Zygote, with_numpy: Nursery) -> None:
    """Each variant gives the right answers, and is taken for what it is."""
    suite = asked_of(folder.parent.name)
    nursery = with_numpy if "numpy" in suite.imports else zygote
    record = grade(suite, variant(suite, folder), nursery, Gate())
    (rule,) = record.rules
    (group,) = record.groups
    expected = VERDICTS[folder.name.partition("-")[0]]
    assert expected is rule.verdict, [message.to_json() for message in rule.evidence]
    assert group.points == group.max_points


def test_catalogue_is_large() -> None:
    """There are real ones, fakes and doubtful ones of each function."""
    assert len(CATALOGUE) >= 80
    for function in ("free_all_cells", "are_chainable", "are_chained_rec", "highest_score"):
        names = (folder.name for folder in CATALOGUE if folder.parent.name == function)
        assert VERDICTS.keys() == {name.partition("-")[0] for name in names}


BODY: Final = """\
defines: [total, largest]
limits: {{cpu_s: 0.5}}
rules:
  recursion:
  - function: total
    sizes: [3, 12, 40]
    call: total(list(range(n)))
    points: 1
{settings}
groups: [{{id: g, points: 4}}]
sessions:
- id: s
  steps:
  - {{do: 'total([1, 2])', returns: '3', group: g}}
  - {{do: 'largest([1, 2])', returns: '2', group: g}}
"""
RECURSIVE: Final = """
def total(numbers):
    return numbers[0] + total(numbers[1:]) if numbers else 0
def largest(numbers):
    return max(numbers)
"""
ITERATIVE: Final = """
def total(numbers):
    found = 0
    for number in numbers:
        found += number
    return found
def largest(numbers):
    return max(numbers)
"""
HELPER: Final = """
def total(numbers):
    return down(numbers, 0)
def down(numbers, start):
    return numbers[start] + down(numbers, start + 1) if start < len(numbers) else 0
def largest(numbers):
    return max(numbers)
"""
MUTUAL: Final = """
def total(numbers):
    return numbers[0] + rest(numbers) if numbers else 0
def rest(numbers):
    return total(numbers[1:])
def largest(numbers):
    return max(numbers)
"""
IDLE: Final = """
def total(numbers, again=40):
    if again > 0:
        total(numbers, again - 1)
    return sum(numbers)
def largest(numbers):
    return max(numbers)
"""
DELEGATING: Final = """
def total(numbers):
    return largest(numbers, True)
def largest(numbers, summed_up=False):
    if not summed_up:
        return max(numbers)
    return numbers[0] + largest(numbers[1:], True) if numbers else 0
"""
CARRYING: Final = """
def total(numbers, found=0):
    return total(numbers[1:], found + numbers[0]) if numbers else found
def largest(numbers):
    return max(numbers)
"""
UNUSED: Final = """
def total(numbers):
    if isinstance(numbers, set):
        return numbers.pop() + total(numbers)
    return sum(numbers)
def largest(numbers):
    return max(numbers)
"""
WITH_CLASS: Final = """
class Numbers:
    def __init__(self, items):
        self.items = list(items)
def total(numbers):
    items = getattr(numbers, "items", numbers)
    return sum(items) + 0 * total(items[1:]) if items else 0
def largest(numbers):
    return max(numbers)
"""
ENDLESS: Final = """
def total(numbers):
    return 3 if numbers == [1, 2] else total(numbers)
def largest(numbers):
    return max(numbers)
"""
RAISING: Final = """
def total(numbers):
    return numbers[0] + total(numbers[1:]) if numbers[1:] else 1 // numbers[0] + 1
def largest(numbers):
    return max(numbers)
"""
SHORT: Final = """
def total(numbers):
    if len(numbers) > 20:
        raise ValueError("so many")
    return numbers[0] + total(numbers[1:]) if numbers else 0
def largest(numbers):
    return max(numbers)
"""
DYING: Final = """
import os
def total(numbers):
    if len(numbers) > 2:
        os._exit(0)
    return sum(numbers)
def largest(numbers):
    return max(numbers)
"""
SLOW: Final = """
def total(numbers):
    while len(numbers) > 2:
        pass
    return sum(numbers)
def largest(numbers):
    return max(numbers)
"""
WITH_EXEC: Final = f"""
exec("")
{RECURSIVE}
"""
LOOP_WITH_EXEC: Final = f"""
exec("")
{ITERATIVE}
"""


def record_of(zygote: Zygote, source: str, *settings: str, body: str = BODY) -> Record:
    """Return the record of `source`; `settings` are further keys of the rule."""
    lines = "\n".join(f"    {each}" for each in settings)
    head = HEAD.replace("defines: []\n", "")
    rules = parse(body.format(settings=lines), head)
    return grade(rules, submission(source), zygote, Gate())


def rule_of(zygote: Zygote, source: str, *settings: str) -> RuleResult:
    """Return what became of the rule that `total` is recursive, or is not."""
    (rule,) = record_of(zygote, source, *settings).rules
    return rule


def keys(rule: RuleResult) -> list[str]:
    """Return the keys of the evidence."""
    return [each.key for each in rule.evidence]


FORBIDDEN: Final = {
    "iterative": (ITERATIVE, RuleVerdict.PASSED, ["recursion.iterative"]),
    "by itself": (
        RECURSIVE,
        RuleVerdict.BROKEN,
        ["recursion.own", "recursion.depth"],
    ),
    "by a helper": (
        HELPER,
        RuleVerdict.BROKEN,
        ["recursion.helper", "recursion.depth"],
    ),
    "two functions": (
        MUTUAL,
        RuleVerdict.BROKEN,
        ["recursion.own", "recursion.way", "recursion.depth"],
    ),
    "idle": (IDLE, RuleVerdict.REVIEW, ["recursion.idle"]),
    "never": (UNUSED, RuleVerdict.PASSED, ["recursion.iterative"]),
    "hides": (LOOP_WITH_EXEC, RuleVerdict.REVIEW, ["recursion.suspicious", "recursion.iterative"]),
}


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_recursion_that_is_forbidden(zygote: Zygote, kind: str) -> None:
    """Recursion that does work breaks the rule, wherever it is; idle recursion is for a person."""
    source, verdict, evidence = FORBIDDEN[kind]
    rule = rule_of(zygote, source, "demand: forbidden")
    assert (verdict, evidence) == (rule.verdict, keys(rule))
    assert (1.0 if verdict is RuleVerdict.BROKEN else 0.0) == rule.penalty


def test_function_that_must_not_recur_and_uses_one_that_does(zygote: Zygote) -> None:
    """Whether who may not be recursive may use a recursive function is for a person."""
    rule = rule_of(zygote, DELEGATING, "demand: forbidden")
    assert (RuleVerdict.REVIEW, "recursion.helper") == (rule.verdict, keys(rule)[0])
    assert "recursion.decide" == keys(rule)[-1]


REQUIRED: Final = {
    "by itself": (RECURSIVE, RuleVerdict.PASSED, ["recursion.own", "recursion.depth"]),
    "by a helper": (HELPER, RuleVerdict.PASSED, ["recursion.helper", "recursion.depth"]),
    "two functions": (
        MUTUAL,
        RuleVerdict.PASSED,
        ["recursion.own", "recursion.way", "recursion.depth"],
    ),
    "iterative": (ITERATIVE, RuleVerdict.BROKEN, ["recursion.none"]),
    "decoration": (IDLE, RuleVerdict.BROKEN, ["recursion.decoration"]),
    "another function": (DELEGATING, RuleVerdict.REVIEW, ["recursion.delegated"]),
    "carrying its result": (
        CARRYING,
        RuleVerdict.PASSED,
        ["recursion.own", "recursion.depth"],
    ),
    "unused": (UNUSED, RuleVerdict.BROKEN, ["recursion.none", "recursion.unused"]),
    "endless": (ENDLESS, RuleVerdict.SKIPPED, ["recursion.endless"]),
    "raising": (RAISING, RuleVerdict.PASSED, ["recursion.own", "recursion.depth"]),
    "fails for more": (
        SHORT,
        RuleVerdict.REVIEW,
        ["recursion.own", "recursion.depth", "recursion.raised"],
    ),
    "dying": (DYING, RuleVerdict.SKIPPED, ["recursion.died"]),
    "slow": (SLOW, RuleVerdict.SKIPPED, ["recursion.died"]),
    "hides": (
        WITH_EXEC,
        RuleVerdict.REVIEW,
        ["recursion.suspicious", "recursion.own", "recursion.depth"],
    ),
    "hides a loop": (
        LOOP_WITH_EXEC,
        RuleVerdict.REVIEW,
        ["recursion.suspicious", "recursion.none"],
    ),
}


@pytest.mark.parametrize("kind", REQUIRED)
def test_recursion_that_is_required(zygote: Zygote, kind: str) -> None:
    """What is seen decides; what cannot be seen is skipped, what is doubtful is for a person."""
    source, verdict, evidence = REQUIRED[kind]
    rule = rule_of(zygote, source)
    assert (verdict, evidence) == (rule.verdict, keys(rule))
    assert (1.0 if verdict is RuleVerdict.BROKEN else 0.0) == rule.penalty


@pytest.mark.parametrize("kind", REQUIRED)
def test_recursion_that_is_expected_is_never_broken(zygote: Zygote, kind: str) -> None:
    """Where a person decides, what would break the rule is for review, with the same evidence."""
    source, verdict, evidence = REQUIRED[kind]
    rule = rule_of(zygote, source, "demand: expected")
    lenient = RuleVerdict.REVIEW if verdict is RuleVerdict.BROKEN else verdict
    assert (lenient, evidence, 0.0) == (rule.verdict, keys(rule), rule.penalty)


@pytest.mark.parametrize("call", ["total(list(range(n)))", "total(Numbers(range(n)))"])
def test_decoration_is_found_behind_a_constructor(zygote: Zygote, call: str) -> None:
    """Whatever else the call of the probe calls first, the function in question has its name."""
    body = BODY.replace("total(list(range(n)))", call).replace("[total,", "[Numbers, total,")
    (rule,) = record_of(zygote, WITH_CLASS, body=body).rules
    assert RuleVerdict.BROKEN == rule.verdict
    assert ["recursion.decoration"] == keys(rule)


WITHOUT_HELPER: Final = {
    "by itself": (RECURSIVE, RuleVerdict.PASSED, "recursion.own"),
    "two functions": (MUTUAL, RuleVerdict.PASSED, "recursion.own"),
    "by a helper": (HELPER, RuleVerdict.BROKEN, "recursion.in_helper"),
    "by a nested function": (
        """
def total(numbers):
    def go(k):
        return numbers[k] + go(k + 1) if k < len(numbers) else 0
    return go(0)
def largest(numbers):
    return max(numbers)
""",
        RuleVerdict.BROKEN,
        "recursion.in_helper",
    ),
    "decoration in a helper": (
        """
def total(numbers):
    down(len(numbers))
    return sum(numbers)
def down(n):
    return n and down(n - 1)
def largest(numbers):
    return max(numbers)
""",
        RuleVerdict.BROKEN,
        "recursion.none",
    ),
    "iterative": (ITERATIVE, RuleVerdict.BROKEN, "recursion.none"),
}


@pytest.mark.parametrize("kind", WITHOUT_HELPER)
def test_recursion_in_a_helper_where_none_may_be(zygote: Zygote, kind: str) -> None:
    """The function has to call itself, by way of others if need be."""
    source, verdict, first = WITHOUT_HELPER[kind]
    rule = rule_of(zygote, source, "helper: false")
    assert (verdict, first) == (rule.verdict, keys(rule)[0])


@pytest.mark.parametrize("setup", ["numbers = missing", "numbers = total(3)", "numbers = 1 // 0"])
def test_set_up_that_fails_says_nothing_about_recursion(zygote: Zygote, setup: str) -> None:
    """A call that was never reached is no evidence, and costs nothing."""
    body = BODY.replace(
        "call: total(list(range(n)))", f"setup: ['{setup}']\n    call: total(numbers[:n])"
    )
    if "missing" in setup:
        body = body.replace("defines: [total, largest]", "defines: [total, largest, missing]")
    (rule,) = record_of(zygote, RECURSIVE, body=body).rules
    assert (RuleVerdict.SKIPPED, 0.0) == (rule.verdict, rule.penalty)
    assert ["recursion.raised"] == keys(rule)


def test_recursion_that_could_be_and_never_is_points_to_its_place(zygote: Zygote) -> None:
    """Who wrote a call that never happens is shown where."""
    rule = rule_of(zygote, UNUSED)
    assert dict(rule.evidence[1].parameters) == {"helper": "total"}
    assert [("sample.py", 2)] == [(hit.file, hit.line) for hit in rule.hits]


def test_suspicious_names_are_told_with_their_places(zygote: Zygote) -> None:
    """A person who decides sees what could have lied."""
    rule = rule_of(zygote, WITH_EXEC)
    assert {"names": "`exec`"} == dict(rule.evidence[0].parameters)
    assert (2, "exec") in [(hit.line, hit.what) for hit in rule.hits]


SENTENCES: Final = {
    ("en", ""): "`total` calls itself 40 times for n = 40, and without those calls the answer is "
    "wrong.",
    ("es", ""): "`total` se llama a sí misma 40 veces con n = 40, y sin esas llamadas la respuesta "
    "no es correcta.",
    ("nl", ""): "`total` roept zichzelf 40 keer aan bij n = 40, en zonder die oproepen klopt het "
    "antwoord niet.",
    ("nl", "unit: getallen"): "`total` roept zichzelf 40 keer aan bij 40 getallen, en zonder die "
    "oproepen klopt het antwoord niet.",
}


@pytest.mark.parametrize(("language", "unit"), SENTENCES)
def test_evidence_is_a_sentence(zygote: Zygote, language: str, unit: str) -> None:
    """It says how often, for how many of what, and what comes of it without."""
    rule = rule_of(zygote, RECURSIVE, unit)
    assert SENTENCES[language, unit] == say(rule.evidence[0], language)


def test_evidence_of_the_practicum_reads_well(zygote: Zygote) -> None:
    """The sentence on the reference is in the language of the exercise, with its own unit."""
    suite = asked_of("free_all_cells")
    nothing_of_its_own = ROOT / "tests" / "recursion"
    (found,) = grade(suite, variant(suite, nothing_of_its_own), zygote, Gate()).rules
    expected = (
        "`free_all_cells` roept zichzelf 80 keer aan bij 80 posities, en zonder die oproepen klopt "
        "het antwoord niet."
    )
    assert expected == say(found.evidence[0], suite.language)


@pytest.mark.parametrize("kind", REQUIRED)
def test_every_piece_of_evidence_can_be_said(zygote: Zygote, kind: str) -> None:
    """All languages have words for it."""
    for each in rule_of(zygote, REQUIRED[kind][0]).evidence:
        for language in LANGUAGES:
            assert "{" not in say(each, language)


@pytest.mark.parametrize("source", [RECURSIVE, HELPER, IDLE, SHORT, WITH_EXEC])
def test_same_submission_has_the_same_finding(zygote: Zygote, source: str) -> None:
    """Nothing in a finding depends on when it is made."""
    assert record_of(zygote, source) == record_of(zygote, source)


def test_cases_are_judged_without_instruments(zygote: Zygote) -> None:
    """What is right without instruments stays right, and what is wrong wrong, whatever they do."""
    aware = """
import builtins
watched = any(name.startswith("__probe") for name in vars(builtins))
def total(numbers):
    if {when}:
        return -1
    return numbers[0] + total(numbers[1:]) if numbers else 0
def largest(numbers):
    return max(numbers)
"""
    right = record_of(zygote, aware.format(when="watched"))
    wrong = record_of(zygote, aware.format(when="not watched"))
    verdicts = [[case.verdict for case in each.groups[0].cases] for each in (right, wrong)]
    assert [[Verdict.PASSED, Verdict.PASSED], [Verdict.WRONG, Verdict.PASSED]] == verdicts
    assert Status.GRADED is right.status
