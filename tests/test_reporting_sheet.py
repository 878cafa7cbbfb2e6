"""The sheet for an oral defence: what stands on it, where, and that it stays on its paper."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from html import unescape

import pytest
from read_pages import OUR_TAGS, Reader
from record_samples import HOSTILE_TEXTS, case, group, hostile_record, record
from ruled_records import advice, hit, rule, ruled, said

from grader.judging.deciding import Decision, Subject, apply_decisions
from grader.judging.record import Record, SourceLine, TableRow
from grader.messages import message
from grader.reporting.sheet import defence_sheet
from grader.reporting.wording import LANGUAGES, phrase
from grader.verdict import RuleVerdict, Status, Verdict

CRITERIA = ("readability", "structure", "adaptability")


def shown(given: Record) -> str:
    """Return the text of the sheet about `given`, as one reads it."""
    body = defence_sheet(given).partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def section(given: Record, anchor: str) -> str:
    """Return the text of one section of the sheet about `given`."""
    pattern = rf'aria-labelledby="{anchor}">(.*?)</section>'
    match = re.search(pattern, defence_sheet(given), re.DOTALL)
    assert match is not None
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", match[1])).split())


def criterion(given: Record, name: str) -> str:
    """Return the text below one criterion of the sheet about `given`."""
    return section(given, name)


def decision() -> Decision:
    """Return a decision to give half a point for the case `f/1`."""
    return Decision(
        uid="1",
        at="2026-06-01T10:00:00Z",
        by="An De Wit",
        exercise="yinyang",
        student="student-017",
        suite="a7" * 32,
        about=Subject.CASE,
        subject="f/1",
        points=0.5,
        because="was <nearly> right",
    )


def full(text: str, many: int = 100) -> Record:
    """Return a record that has more of everything than a sheet can hold, and `text` in it all."""
    rows = tuple(
        TableRow(function=text, knows=True, may_know=False, lines=tuple(range(99)))
        for _ in range(many)
    )
    kinds = ("recursion", "loops", "encapsulation", "cost")
    rules = [
        replace(
            rule(f"{kind}/{number}{text}", verdict, hits=(hit(text=text, what=text),) * 9),
            demand=said(text),
            evidence=(said(text),) * 5,
            table=rows if kind == "encapsulation" else (),
        )
        for kind in kinds
        for verdict in RuleVerdict
        for number in range(many // 10)
    ]
    tips = tuple(replace(advice(n, (hit(text=text),) * 3, 99), said=said(text)) for n in range(20))
    groups = [group(f"g{n}", case(verdict=Verdict.WRONG), title=text) for n in range(many)]
    return replace(
        hostile_record(text),
        rules=tuple(rules),
        advice=tips,
        groups=tuple(groups),
        remarks=(said(text),) * 9,
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_sheet_speaks_the_language_of_the_record(language: str) -> None:
    """Title, criteria and room for notes are in the record's language."""
    rules = (rule("loops/f"), rule("cost/f"))
    text = shown(ruled(*rules, language=language, tips=(advice(),)))
    for key in ("sheet", *(f"sheet_{name}" for name in CRITERIA), "sheet_notes", "sheet_signed"):
        assert phrase(language, f"report.{key}") in text


def test_who_what_and_how_many_points_stand_on_top() -> None:
    """Student, exercise, score, and what rules cost of it."""
    given = replace(ruled(rule(penalty=1.0)), student="Elise De Smet", title="1010!")
    assert "Elise De Smet 1010! 3 of 4 points 1 point lost to broken rules" in shown(given)
    assert "lost to broken rules" not in shown(ruled())


def test_what_a_person_decides_comes_first() -> None:
    """Rules under review have a box, with evidence and two answers, and stand nowhere else."""
    given = ruled(rule("recursion/f", RuleVerdict.REVIEW, hits=(hit(),)), rule("recursion/g"))
    text = shown(given)
    assert text.index("demand of recursion/f") < text.index("demand of recursion/g")
    assert 1 == text.count("demand of recursion/f")
    asked = section(given, "discuss")
    assert "evidence for recursion/f" in asked
    assert "Board.py:41:5" in asked
    assert asked.endswith("in order not in order")
    assert 'id="discuss"' not in defence_sheet(ruled(rule()))


def test_each_kind_of_rule_has_its_criterion() -> None:
    """Cost and encapsulation are about changing the code, all others about how it is built."""
    adapting = ("encapsulation/Board", "cost/Board.is_filled_at")
    building = ("recursion/f", "loops/f", "constructs/1", "signature/f", "docstrings", "python")
    given = ruled(*(rule(each) for each in (*adapting, *building)))
    for each in adapting:
        assert f"demand of {each}" in criterion(given, "adaptability")
        assert each not in criterion(given, "structure")
    for each in building:
        assert each in criterion(given, "structure")
        assert each not in criterion(given, "adaptability")


def test_broken_rules_stand_first_with_what_they_cost() -> None:
    """The dearest comes first, then those without costs; rules that are kept come after them."""
    given = ruled(
        rule("recursion/kept", RuleVerdict.PASSED),
        rule("loops/free", costs=False),
        rule("loops/dear", penalty=2.0),
    )
    text = criterion(given, "structure")
    order = ["loops/dear −2 points", "loops/free costs no points", "recursion/kept"]
    places = [text.index(f"demand of {each}") for each in order]
    assert sorted(places) == places


def test_evidence_that_is_worth_talking_about_is_told_when_a_rule_is_kept() -> None:
    """How a function is recursive is told; that a loop is not there needs no more than its name."""
    given = ruled(rule("recursion/f", RuleVerdict.PASSED), rule("loops/g", RuleVerdict.PASSED))
    text = criterion(given, "structure")
    assert "evidence for recursion/f" in text
    assert "evidence for loops/g" not in text
    assert "Kept: loops (1)" in text


def test_rules_that_are_not_told_are_named_or_counted() -> None:
    """Beyond the first few, broken rules have their names, and all others a number by kind."""
    broken = [rule(f"loops/{number}") for number in range(6)]
    skipped = [rule(f"signature/{number}", RuleVerdict.SKIPPED) for number in range(20)]
    text = criterion(ruled(*broken, *skipped, rule("docstrings", RuleVerdict.PASSED)), "structure")
    assert "demand of loops/3" in text
    assert "Also not kept: loops/4, loops/5" in text
    assert "Kept: docstrings (1)" in text
    assert "Not checked: signature (20)" in text


def test_table_shows_those_who_should_not_know_first() -> None:
    """The functions that look where they should not, with the lines, and a mark."""
    rows = (
        TableRow(function="count_cells", knows=False, may_know=False, lines=()),
        TableRow(function="make_board", knows=True, may_know=True, lines=(3,)),
        TableRow(function="are_chained", knows=True, may_know=False, lines=(14, 17)),
    )
    text = criterion(ruled(rule("encapsulation/Board", table=rows)), "adaptability")
    assert "are_chained yes no ✗ 14, 17 make_board yes yes 3" in text
    assert "count_cells" not in text


def test_one_table_is_enough() -> None:
    """Of several tables the first is shown, so that there is room for the rest."""
    rows = (TableRow(function="are_chained", knows=True, may_know=False, lines=(14,)),)
    given = ruled(*(rule(f"encapsulation/{number}", table=rows) for number in range(3)))
    assert 1 == criterion(given, "adaptability").count("are_chained")


def test_tips_are_told_with_their_places() -> None:
    """Each piece of advice with its first places, and how many more there are."""
    tips = (advice(1, (hit(),), 5), *(advice(number) for number in range(2, 9)))
    text = criterion(ruled(tips=tips), "readability")
    assert "advice 01 Board.py:41:5, and 4 more" in text
    assert "advice 06" in text
    assert "advice 07" not in text
    assert "2 more" in text


def test_nothing_has_an_empty_heading() -> None:
    """A submission of which nothing is to be said has room for notes, and no heading but that."""
    assert ["notes"] == re.findall(r'<section[^>]* aria-labelledby="(.*?)"', defence_sheet(ruled()))
    kept = replace(rule("interference", RuleVerdict.PASSED), function=None)
    assert 'id="structure"' not in defence_sheet(ruled(kept))
    assert 'id="structure"' in defence_sheet(ruled(rule("interference")))


def test_question_has_what_its_answer_comes_to() -> None:
    """A failure is a question, with the call, what is expected and given, and the line of code."""
    failed = case(
        verdict=Verdict.ERROR,
        code="f(3)",
        explanation=(message("error.index", message="list index out of range"),),
        expected="[<7>]",
        got="IndexError",
        source=SourceLine(file="f.py", line=12, function="f", text="return row[at]"),
    )
    text = section(record(group("f", failed, title="Rows")), "questions")
    asked = phrase("en", "report.sheet_ask_error", line=12)
    order = (
        asked,
        "Rows (−1)",
        "list index out of range",
        "f(3)",
        "[<7>]",
        "IndexError",
        "row[at]",
    )
    places = [text.index(each) for each in order]
    assert sorted(places) == places


def test_broken_rule_is_a_question_too() -> None:
    """Below the first broken rule of a criterion stands what to ask; a kept one raises nothing."""
    asked = phrase("en", "report.sheet_ask_rule")
    both = ruled(rule("loops/f"), rule("loops/g"))
    assert 1 == criterion(both, "structure").count(asked)
    assert asked not in shown(ruled(rule("recursion/f", RuleVerdict.PASSED)))


def test_facts_are_told_with_what_else_can_explain_them() -> None:
    """Evidence has a heading of its own; what a rule says already does not stand there again."""
    given = replace(ruled(), staff_remarks=(message("staff.slept", seconds="3"),))
    told = section(given, "facts")
    assert phrase("en", "report.sheet_ask_fact") in told
    assert phrase("en", "report.evidence_slept_else") in told
    idle = replace(
        rule("recursion/f", RuleVerdict.REVIEW),
        evidence=(message("recursion.suspicious", names="`sys`"),),
    )
    assert 'id="facts"' not in defence_sheet(ruled(idle))


def test_decisions_are_told() -> None:
    """What a person has decided stands there: points, reason, and by whom."""
    wrong = case("f/1", Verdict.WRONG, code="f(<1>)")
    given = apply_decisions(record(group("f", wrong)), [decision()])
    told = section(given, "decided")
    assert "f(<1>)" in told
    assert "0 → 0.5 of 1 point" in told
    assert "was <nearly> right" in told
    assert "An De Wit, 2026-06-01" in told


def test_failing_groups_are_told_in_short() -> None:
    """What fails has its title and its tally; what passes takes no room."""
    given = record(
        group("good", case(), title="fine"),
        group("bad", case("a", code="secret()"), case("b", Verdict.WRONG), title="drop_at"),
    )
    assert "drop_at: 1 of 2 passed" in section(given, "failing")
    assert "fine" not in section(given, "failing")
    assert "secret" not in shown(given)


@pytest.mark.parametrize("status", [Status.UNGRADABLE, Status.FAULT])
def test_what_could_not_be_graded_says_so(status: Status) -> None:
    """The sheet of a submission without a result says why."""
    remark = message("report.how_file", file="no such class")
    given = replace(record(), status=status, remarks=(remark,))
    assert phrase("en", f"report.notice_{status.value}") in shown(given)
    assert "no such class" in shown(given)


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_stays_text(name: str) -> None:
    """Whatever a submission says: our tags only, nothing to obey, nowhere to go, and not huge."""
    for given in (hostile_record(HOSTILE_TEXTS[name]), full(HOSTILE_TEXTS[name], 10)):
        page = defence_sheet(given)
        reader = Reader(page)
        assert set() == set(reader.tags) - OUR_TAGS
        assert [] == reader.open_tags
        assert {"data:,"} == set(reader.values("href"))
        assert not [key for key, _ in reader.attributes if key.startswith("on") or key == "style"]
        kinds = {unicodedata.category(each) for each in set(page) - set("\n\t")}
        assert not kinds & {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
        assert len(page.encode("utf-8")) < 100_000


def test_sheet_is_cut_to_its_measure() -> None:
    """However much there is to tell, there is no more text than one side holds."""
    assert len(shown(full("x" * 500))) < 5_000


def test_sheet_is_the_same_each_time() -> None:
    """The same record gives the same sheet, byte for byte."""
    assert defence_sheet(full("x")) == defence_sheet(full("x"))
