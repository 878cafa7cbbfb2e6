"""Records with code that remarks hang on."""

from __future__ import annotations

from dataclasses import replace

from record_samples import case, group, record
from ruled_records import rule, said

from grader.judging.record import Advice, CaseResult, Record, RuleHit, SourceLine, SourceText
from grader.verdict import RuleVerdict, Verdict, Visibility


def broken(
    id: str = "f/1",
    line: int = 2,
    file: str = "f.py",
    visibility: Visibility = Visibility.PUBLIC,
) -> CaseResult:
    """Return a case with an exception at a line of `file`."""
    source = SourceLine(file=file, line=line, function="f", text="    return 1 / 0")
    return case(id, Verdict.ERROR, source=source, code=f"call({id!r})", visibility=visibility)


def coded(
    *cases: CaseResult, text: str = "def f():\n    return 1 / 0\n", left_out: int = 0
) -> Record:
    """Return the record of `f.py` with `text` in it."""
    sources = (SourceText(name="f.py", text=text, left_out=left_out),)
    return replace(record(group("f", *cases)), sources=sources)


def commented() -> Record:
    """Return a record with a remark of each kind in its code, and lines left out."""
    hits = [RuleHit(file="f.py", line=n, column=1, text="def f():") for n in (1, 3)]
    return replace(
        coded(broken(), text=f"def f():\n    return 1 / 0\n# {'long ' * 80}\n", left_out=2),
        rules=(
            rule("loops/f", hits=(hits[0],)),
            rule("names/f", RuleVerdict.REVIEW, hits=(hits[1],)),
        ),
        advice=(Advice(kind="unused", said=said("shorter"), hits=(hits[1],), count=1),),
    )
