"""The same wrong answer: what counts as the same, and what is shown of it."""

from __future__ import annotations

import pytest
from record_samples import HOSTILE_TEXTS, case, group, hostile_record, line, record

from grader.judging.record import CaseResult, LineStatus, Record, SourceLine, TranscriptLine
from grader.messages import message
from grader.reporting.class_analysis import Cluster, failures, find_clusters
from grader.verdict import Verdict, Visibility


def wrong(id: str = "f/1", got: str = "2", **changes: object) -> CaseResult:
    """Return a case that gave `got`."""
    return case(id, Verdict.WRONG, expected="1", got=got, **changes)  # type: ignore[arg-type]


def raised(got: str, text: str | None) -> CaseResult:
    """Return a case that raised `got` on the line `text`."""
    source = None if text is None else SourceLine(file="x.py", line=3, function="f", text=text)
    return case("f/1", Verdict.ERROR, got=got, source=source)


def together(*submissions: CaseResult | tuple[CaseResult, ...]) -> list[Cluster]:
    """Return the clusters of submissions that have these cases."""
    return find_clusters([failures(one(cases)) for cases in submissions])


def one(cases: CaseResult | tuple[CaseResult, ...]) -> Record:
    """Return the record of a submission that has these cases."""
    return record(group("f", *(cases if isinstance(cases, tuple) else (cases,))))


def test_who_gives_the_same_makes_a_cluster() -> None:
    """Those who give something else, or are right, are not in it."""
    (cluster,) = together(wrong(), case("f/1"), wrong(got="3"), wrong())
    assert (0, 3) == cluster.members


@pytest.mark.parametrize(
    "other",
    [
        wrong("f/2"),
        wrong(got="'2'"),
        wrong(got="[2]"),
        case("f/1", Verdict.ERROR, got="2"),
        wrong(explanation=(message("wrong.type_only", expected="int", got="bool"),)),
    ],
)
def test_something_else_is_not_the_same(other: CaseResult) -> None:
    """Another case, value, type, verdict or kind of mistake makes another cluster."""
    assert [] == together(wrong(), other)


def test_addresses_do_not_tell_answers_apart() -> None:
    """Where an object lies in memory is chance."""
    assert together(
        wrong(got="<Grid object at 0x7f0000000001>"), wrong(got="<Grid object at 0x7f0000000002>")
    )


def test_exceptions_are_the_same_by_type_and_line() -> None:
    """Indentation, message and file do not matter; the line does."""
    here = raised("KeyError: 1", "    return self.cells[p]")
    assert together(here, raised("KeyError: 2", "return  self.cells[p]"))
    assert not together(here, raised("KeyError: 1", "return self.cells[q]"))
    assert not together(here, raised("IndexError: 1", "return self.cells[p]"))


def test_exceptions_from_nowhere_are_the_same_by_message() -> None:
    """A name that is missing has no line; what is missing is in the message."""
    missing = raised("AttributeError: no attribute 'maak_wit'", None)
    assert together(missing, missing)
    assert not together(missing, raised("AttributeError: no attribute 'maak_zwart'", None))


@pytest.mark.parametrize("verdict", [Verdict.TIMED_OUT, Verdict.MEMORY, Verdict.CRASHED])
def test_other_ends_are_the_same_by_verdict(verdict: Verdict) -> None:
    """What ran out of something has nothing more to compare."""
    assert together(case("f/1", verdict), case("f/1", verdict))


@pytest.mark.parametrize(
    "verdict",
    [Verdict.PASSED, Verdict.SKIPPED, Verdict.NOT_RUN, Verdict.FAULT, Verdict.TAMPERED],
)
def test_what_is_no_mistake_makes_no_cluster(verdict: Verdict) -> None:
    """What was not tried, our own mistakes and what a person has to look at are left out."""
    assert [] == together(case("f/1", verdict), case("f/1", verdict))


def test_hidden_cases_count_and_staff_cases_do_not() -> None:
    """The overview is for staff, who may know of hidden cases."""
    hidden = wrong(visibility=Visibility.HIDDEN)
    staff = wrong(visibility=Visibility.STAFF)
    assert 1 == len(together(hidden, hidden))
    assert [] == together(staff, staff)


def test_the_largest_come_first() -> None:
    """Then those that stand for more cases, then those that come earlier."""
    two, three, four = wrong("f/2"), wrong("f/3"), wrong("f/4")
    found = together((two, three, four), (two, three, four), four, (wrong("f/1"), four))
    assert [("f/4", 4), ("f/2", 2)] == [
        (cluster_case(cluster, two, four), len(cluster.members)) for cluster in found
    ]


def cluster_case(cluster: Cluster, *cases: CaseResult) -> str:
    """Return the id of the case that `cluster` is about."""
    keys = {failures(one(each))[0].key: each.id for each in cases}
    return keys[cluster.failure.key]


def test_cases_that_the_same_students_fail_are_one_cluster() -> None:
    """One mistake that shows in ten cases is told once, where it shows best."""
    long = wrong("f/1", transcript=(line("a = 1", ""), line("f(1)", "2", LineStatus.FAILED)))
    short = wrong("f/2", transcript=(line("f(2)", "2", LineStatus.FAILED),))
    (cluster,) = together((long, short), (long, short))
    assert (1, ">>> f(2)\n2") == (cluster.others, cluster.failure.session)


def test_the_smallest_session_is_the_example() -> None:
    """Of those who give the same, the one whose session is shortest shows it."""
    failing = line("f(1)", "2", LineStatus.FAILED)
    setting_up = (line("a = 1", ""), line("b = 1", ""))
    (cluster,) = together(
        wrong(transcript=(*setting_up, failing)),
        wrong(transcript=(setting_up[0], failing)),
        wrong(),
    )
    assert 1 == cluster.example
    assert ">>> a = 1\n>>> f(1)\n2" == cluster.failure.session


def test_long_sessions_keep_their_ends() -> None:
    """The first step makes the object, the last one fails; of the rest there is what fits."""
    steps: list[TranscriptLine] = [line(f"step({n})", "") for n in range(500)]
    failing = line("for x in y:\n    f(x)", "z" * 10_000 + "\n" * 500, LineStatus.FAILED)
    (kept,) = failures(one(wrong(transcript=(*steps, failing))))
    assert kept.session.startswith(">>> step(0)\n… (+491)\n>>> step(492)\n")
    assert ">>> for x in y:\n...     f(x)\nzzz" in kept.session
    assert len(kept.session) < 2_000


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_little_is_kept_of_much(name: str) -> None:
    """Ten megabytes in every field leave a few kilobytes, without anything that is obeyed."""
    kept = failures(hostile_record(HOSTILE_TEXTS[name]))
    texts = [t for one in kept for t in (one.code, one.expected, one.got, one.line, one.session)]
    assert kept
    assert sum(map(len, texts)) < 40_000
    assert not {"\x1b", "\u202e", "\ud800"} & set("".join(texts))


def test_submission_that_fails_thousands_of_cases_is_cut_short() -> None:
    """A thousand keys and a few sessions stay of it."""
    transcript = (line("f(1)", "x" * 5_000, LineStatus.FAILED),)
    kept = failures(one(tuple(wrong(f"f/{n}", transcript=transcript) for n in range(5_000))))
    assert 1_000 == len(kept)
    assert sum(len(each.session) for each in kept) < 65_000


def test_texts_are_shared_between_submissions() -> None:
    """What many show is kept in memory once."""
    transcript = (line("f(1)", "2" * 200, LineStatus.FAILED),)
    first, second = (failures(one(wrong(transcript=transcript)))[0] for _ in range(2))
    assert first.session is second.session
