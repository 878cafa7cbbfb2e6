"""Builders of records for the tests of the reports, and a few records as courses have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from grader.judging.record import (
    CaseResult,
    Conditions,
    GroupResult,
    HiddenTally,
    LineStatus,
    Record,
    SourceLine,
    SubmissionFile,
    TranscriptLine,
)
from grader.messages import Message, message
from grader.suite.limits import Limits
from grader.verdict import Status, Verdict, Visibility

HOSTILE_TEXTS: Final = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "style": "</style><style>*{display:none}</style>",
    "attribute": "\" onmouseover=\"alert(1)\" x='' href='javascript:alert(1)'",
    "comment": "--><!-- ]]> <![CDATA[ &amp; &#0;",
    "template": "{{ 7 * 7 }}{% raw %}{# #}${7*7}",
    "markup": "[bold red]boo[/bold red] [link=http://evil.example]x[/link] :smile: [/]",
    "ansi": "\x1b[31mred\x1b[2J\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x9b31m",
    "controls": "nul\x00 bell\x07 back\x08 cr\r del\x7f \x85 \ufffe\uffff",
    "surrogate": "lone \ud800 and \udfff",
    "bidi": "abc\u202etxt.exe\u2066 \u200b\u2028\ufeff",
    "long line": "x" * 1_000_000,
    "many lines": "y\n" * 200_000,
    "many brackets": "(" * 200_000,
}


def line(
    code: str = "f(1)",
    output: str = "1",
    state: LineStatus = LineStatus.DONE,
    note: str | None = None,
) -> TranscriptLine:
    """Return a line of a transcript."""
    return TranscriptLine(code=code, output=output, state=state, note=note)


def case(
    id: str = "f/1",
    verdict: Verdict = Verdict.PASSED,
    *,
    group: str = "f",
    code: str = "f(1)",
    visibility: Visibility = Visibility.PUBLIC,
    explanation: tuple[Message, ...] = (),
    expected: str | None = None,
    got: str | None = None,
    transcript: tuple[TranscriptLine, ...] = (),
    source: SourceLine | None = None,
    cause: str | None = None,
    spec_line: int | None = None,
    staff_evidence: str | None = None,
) -> CaseResult:
    """Return a case that is worth one point."""
    return CaseResult(
        id=id,
        group=group,
        code=code,
        verdict=verdict,
        points=1.0 if verdict is Verdict.PASSED else 0.0,
        max_points=1.0,
        visibility=visibility,
        explanation=explanation,
        expected=expected,
        got=got,
        transcript=transcript,
        source=source,
        cause=cause,
        spec_line=spec_line,
        staff_evidence=staff_evidence,
    )


def group(id: str = "f", *cases: CaseResult, title: str | None = None) -> GroupResult:
    """Return a group that is worth as much as its cases, and whose hidden cases have no clause."""
    hidden = [each for each in cases if each.visibility is Visibility.HIDDEN]
    met = sum(each.verdict is Verdict.PASSED for each in hidden)
    return GroupResult(
        id=id,
        title=id if title is None else title,
        points=sum(each.points for each in cases),
        max_points=sum(each.max_points for each in cases),
        cases=tuple(replace(each, group=id) for each in cases),
        hidden=HiddenTally(demands=len(hidden), met=float(met)) if hidden else None,
    )


def record(
    *groups: GroupResult,
    id: str = "student-017",
    student: str = "student-017",
    exercise: str = "yinyang",
    title: str = "Yin-Yang",
    language: str = "en",
    spec: str | None = "spec.md",
    status: Status = Status.GRADED,
    remarks: tuple[Message, ...] = (),
    files: tuple[SubmissionFile, ...] | None = None,
    isolation: int = 2,
) -> Record:
    """Return a record whose score is the sum of its groups."""
    return Record(
        id=id,
        student=student,
        exercise=exercise,
        title=title,
        language=language,
        spec=spec,
        status=status,
        score=sum(each.points for each in groups),
        max_score=sum(each.max_points for each in groups),
        remarks=remarks,
        groups=groups,
        files=(submitted_file(),) if files is None else files,
        conditions=conditions(isolation),
    )


def submitted_file(name: str = "yinyang.py") -> SubmissionFile:
    """Return a file of a submission."""
    return SubmissionFile(name=name, size_bytes=3127, sha256="4f" * 32, encoding="utf-8")


def conditions(isolation: int = 2) -> Conditions:
    """Return the conditions of an ordinary run."""
    return Conditions(
        suite_sha256="a7" * 32,
        grader_version="0.1.0",
        python_version="3.11.7",
        isolation=isolation,
        layers=(("seccomp", True), ("landlock_abi", 7), ("uid_dropped", False)),
        limits=Limits(),
    )


def hostile_record(text: str) -> Record:
    """Return a record that has `text` in every field that a submission could have a hand in."""
    told = message("report.how_file", file=text)
    cases = [
        case(
            f"{text}/{number}",
            verdict,
            code=text,
            explanation=(told, told),
            expected=f"({text}",
            got=text,
            transcript=(line(text, text, note="n" + text), line(text, text, LineStatus.FAILED)),
            source=SourceLine(file=text, line=3, function=text, text=text),
            cause=text if verdict is Verdict.SKIPPED else None,
            spec_line=7,
        )
        for number, verdict in enumerate(Verdict)
    ]
    return record(
        group(text, *cases, title=text),
        id=text,
        student=text,
        exercise=text,
        title=text,
        spec=text,
        remarks=(told,),
        files=(SubmissionFile(name=text, size_bytes=1, sha256=text, encoding=text),),
    )


def secretive_record(secret: str) -> Record:
    """Return a record whose hidden and staff cases have `secret` everywhere, and nothing else."""
    told = (message("report.how_file", file=secret),)
    secrets = [
        case(
            f"{secret}/{visibility.value}/{verdict.value}",
            verdict,
            code=secret,
            visibility=visibility,
            explanation=told,
            expected=secret,
            got=secret,
            transcript=(line(secret, secret, LineStatus.FAILED),),
            source=SourceLine(file=secret, line=1, function=secret, text=secret),
            cause=secret,
            spec_line=987654321,
            staff_evidence=secret,
        )
        for visibility in (Visibility.HIDDEN, Visibility.STAFF)
        for verdict in Verdict
    ]
    public = case("f/open", Verdict.TAMPERED, code="f(2)", staff_evidence=secret)
    only_staff = [each for each in secrets if each.visibility is Visibility.STAFF]
    return record(group("f", public, *secrets), group("staff", *only_staff, title=secret))


def one_case_per_verdict(language: str = "en") -> Record:
    """Return a record with a public case of each verdict."""
    cases = (case(f"f/{verdict.value}", verdict, expected="1", got="2") for verdict in Verdict)
    return record(group("f", *cases), language=language)


EMPTY_BOARD: Final = "------\n--W---\nWB--B-\n-BW---\n-B-B--\nB----W"
_BOARD: Final = "w-----\n--W---\nWB--B-\n-BW---\n-B-B--\nB----W"
_SHIFTED_BOARD: Final = "------\n-wW---\nWB--B-\n-BW---\n-B-B--\nB----W"
_NEW: Final = (
    "puzzel = YinYang(dimensie=6, wit=[(2, 0), (1, 2), (3, 2), (5, 5)], "
    "zwart=[(2, 1), (2, 4), (3, 1), (4, 1), (4, 3), (5, 0)])"
)


def yinyang_record() -> Record:
    """Return a record with much that is right, a wrong board, an exception, and skipped cases."""
    return record(
        *_yinyang_groups(),
        language="nl",
        student="Elise De Smet",
        remarks=(message("report.how_file", file="yinyang.py"),),
    )


def _yinyang_groups() -> Iterator[GroupResult]:
    yield group("constructor", case("constructor/1", code=_NEW), title="Een puzzel maken")
    yield group("str", case("str/1", code="print(puzzel)"), title="str(puzzel)")
    yield group("maak_wit", _wrong_board(), *_chains("maak_wit", 4), title="maak_wit")
    yield group("maak_zwart", *_refusals(), title="maak_zwart")
    yield group("maak_leeg", *_chains("maak_leeg", 2), title="maak_leeg")
    yield group("gebied", *_regions(), title="aaneengesloten_gebied")
    yield group("isopgelost", *_hidden(), title="isopgelost")


def _wrong_board() -> CaseResult:
    return case(
        "maak_wit/hoek",
        Verdict.WRONG,
        code="print(puzzel.maak_wit((0, 0)))",
        explanation=(message("report.meaning_WRONG"),),
        expected=_BOARD,
        got=_SHIFTED_BOARD,
        transcript=(
            line(_NEW, ""),
            line("print(puzzel.maak_wit((0, 0)))", _SHIFTED_BOARD, LineStatus.FAILED),
            line("puzzel.maak_zwart((3, 2))", "", LineStatus.NOT_REACHED, "positie is reeds bezet"),
        ),
        spec_line=52,
    )


def _chains(name: str, count: int) -> Iterator[CaseResult]:
    for number in range(count):
        yield case(f"{name}/{number}", code=f"print(puzzel.{name}((0, {number})).{name}((1, 0)))")


def _refusals() -> Iterator[CaseResult]:
    yield case("maak_zwart/bezet", code="puzzel.maak_zwart((3, 2))")
    yield case(
        "maak_zwart/buiten",
        Verdict.ERROR,
        code="puzzel.maak_zwart((1, 6))",
        explanation=(message("report.meaning_ERROR"),),
        expected="AssertionError: ongeldige actie",
        got="IndexError: list index out of range",
        transcript=(
            line(_NEW, ""),
            line(
                "puzzel.maak_zwart((1, 6))",
                "Traceback (most recent call last):\nIndexError: list index out of range",
                LineStatus.FAILED,
                "positie ligt buiten puzzel",
            ),
        ),
        source=SourceLine(
            file="yinyang.py",
            line=41,
            function="maak_zwart",
            text="    assert self.rooster[rij][kolom] == '-', 'ongeldige actie'",
        ),
        spec_line=62,
    )


def _regions() -> Iterator[CaseResult]:
    yield case(
        "gebied/zwart",
        Verdict.WRONG,
        code="puzzel.aaneengesloten_gebied((2, 1))",
        expected="{(1, 1), (2, 1), (3, 1), (4, 1), (5, 0), (5, 1)}",
        got="[(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]",
        transcript=(
            line(_NEW, ""),
            line("print(puzzel.maak_zwart((5, 1)))", _BOARD),
            line(
                "puzzel.aaneengesloten_gebied((2, 1))",
                "[(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]",
                LineStatus.FAILED,
            ),
        ),
        spec_line=133,
    )
    for number in range(3):
        yield case(
            f"gebied/{number}",
            Verdict.SKIPPED,
            code=f"puzzel.aaneengesloten_gebied(({number}, 2))",
            cause="print(puzzel.maak_wit((0, 0)))",
        )


def _hidden() -> Iterator[CaseResult]:
    yield case("isopgelost/1", code="puzzel.isopgelost()")
    for number, verdict in enumerate((Verdict.PASSED, Verdict.WRONG, Verdict.PASSED)):
        yield case(f"isopgelost/h{number}", verdict, visibility=Visibility.HIDDEN)
