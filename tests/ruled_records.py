"""Records with rules and advice, and what is shown of them."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from html import unescape

from record_samples import case, group, record
from rich.console import Console

from grader.judging.record import Advice, Record, RuleHit, RuleResult, TableRow
from grader.messages import Message, message
from grader.reporting.student_page import student_page
from grader.reporting.terminal import print_record
from grader.verdict import RuleVerdict

FOR_LINE = "    for cell in board[row]:"


def said(text: str) -> Message:
    """Return a message that says `text`."""
    return message("report.how_file", file=text)


def hit(line: int = 41, column: int = 5, text: str = FOR_LINE, what: str | None = "for") -> RuleHit:
    """Return a place in `Board.py`."""
    return RuleHit(file="Board.py", line=line, column=column, text=text, what=what)


def rule(
    id: str = "loops/Board.is_filled_row",
    verdict: RuleVerdict = RuleVerdict.BROKEN,
    *,
    penalty: float = 0.0,
    costs: bool = True,
    hits: tuple[RuleHit, ...] = (),
    table: tuple[TableRow, ...] = (),
    spec_line: int | None = None,
) -> RuleResult:
    """Return a rule with a demand and evidence that name it."""
    return RuleResult(
        id=id,
        verdict=verdict,
        demand=said(f"demand of {id}"),
        evidence=(said(f"evidence for {id}"), said(f"detail of {id}")),
        penalty=penalty,
        costs=costs,
        function="Board.is_filled_row",
        hits=hits,
        table=table,
        spec_line=spec_line,
    )


def advice(number: int = 0, hits: tuple[RuleHit, ...] = (), count: int = 1) -> Advice:
    """Return a piece of advice that names its number."""
    return Advice(kind="unused", said=said(f"advice {number:02}"), hits=hits, count=count)


def ruled(*rules: RuleResult, language: str = "en", tips: tuple[Advice, ...] = ()) -> Record:
    """Return the record of a submission that passes all four cases, and what rules cost it."""
    base = record(group("f", *(case(f"f/{n}") for n in range(4))), language=language)
    lost = sum(each.penalty for each in rules)
    return replace(base, rules=rules, advice=tips, score=max(0.0, base.score - lost))


def one_of_each() -> Record:
    """Return a record with a rule of each kind, in the order that asks least first."""
    return ruled(
        rule("kept", RuleVerdict.PASSED),
        rule("skipped", RuleVerdict.SKIPPED),
        rule("review", RuleVerdict.REVIEW),
        rule("remark", costs=False),
        rule("capped"),
        rule("dear", penalty=1.5),
    )


def shown(page: str) -> str:
    """Return the text of `page`, as one reads it."""
    body = page.partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def section(given: Record, anchor: str) -> str:
    """Return the markup of one section of the page about `given`."""
    page = student_page(given)
    match = re.search(rf'aria-labelledby="{anchor}">(.*?)</section>', page, re.DOTALL)
    assert match is not None
    return match[1]


def printed(given: Record, width: int = 80, encoding: str = "utf-8") -> str:
    """Return what is printed about `given` where there is no terminal."""
    data = io.BytesIO()
    text = io.TextIOWrapper(data, encoding=encoding)
    print_record(given, Console(file=text, width=width))
    text.flush()
    return data.getvalue().decode(encoding)


def hostile(text: str) -> Record:
    """Return a record whose rules and advice have `text` wherever a submission could put it."""
    hits = tuple(
        RuleHit(file=text, line=1, column=column, text=text, what=text) for column in (1, 3, 10**9)
    )
    told = said(text)
    rules = tuple(
        replace(
            rule(verdict=verdict, costs=costs, penalty=1.0 if costs else 0.0, hits=hits * 40),
            demand=told,
            evidence=(told, told),
            table=(TableRow(function=text, knows=True, may_know=False, lines=(1,) * 10_000),) * 9,
        )
        for verdict in RuleVerdict
        for costs in (True, False)
    )
    tips = (Advice(kind="E741", said=told, hits=hits, count=10**9),) * 50
    return ruled(*rules, tips=tips)
