"""The page for staff on what was seen of attacks: facts, what they mean, how sure they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from filed_runs import begun, take
from read_pages import Reader
from record_samples import HOSTILE_TEXTS, case, group, record
from ruled_records import rule

from grader.judging.record import Record
from grader.messages import Message, message
from grader.reporting.evidence_page import EVIDENCE_NAME, evidence_pieces
from grader.reporting.index_entry import IndexEntry
from grader.reporting.output import write_reports
from grader.reporting.signs import MAX_FACTS, SignKind, signs
from grader.reporting.wording import LANGUAGES, Locale
from grader.verdict import RuleVerdict, Status, Verdict

ENGLISH = Locale.for_language("en")


def honest(*cases: Verdict, evidence: str | None = None, **changes: object) -> Record:
    """Return a record with cases of these verdicts, which all have the same `evidence`."""
    made = [
        replace(case(f"f/{number}", verdict), staff_evidence=evidence)
        for number, verdict in enumerate(cases or (Verdict.PASSED,))
    ]
    return replace(record(group("f", *made)), **changes)  # type: ignore[arg-type]  # its fields


def doubted(*evidence: Message, verdict: RuleVerdict = RuleVerdict.REVIEW) -> Record:
    """Return a record with a rule that has this `evidence`."""
    return honest(rules=(replace(rule(), verdict=verdict, evidence=evidence),))


def remarked(key: str, **parameters: str | int) -> Record:
    """Return a record with this remark for staff."""
    return honest(staff_remarks=(message(key, **parameters),))


COPIED: dict[str, str | int] = {
    "group": "f",
    "failing": 3,
    "hidden": 3,
    "found": 2,
    "count": 2,
    "file": "m",
    "lines": "",
}
FAKED = message("recursion.beforehand", function="f")
CAPABLE = message("recursion.suspicious", names="`dis`")
SEEN = {
    SignKind.TAMPERED: honest(Verdict.TAMPERED, evidence="a reply of another shape"),
    SignKind.REFUSED: honest(Verdict.FORBIDDEN, evidence="a forbidden system call"),
    SignKind.COPIED: remarked("staff.hard_coded", **COPIED),
    SignKind.FAKED: doubted(FAKED),
    SignKind.SWITCHED: remarked("staff.unrepeatable"),
    SignKind.BLINDED: remarked("staff.looks"),
    SignKind.CAPABLE: doubted(CAPABLE),
    SignKind.SLEPT: remarked("staff.slept"),
    SignKind.PRINTED: remarked("staff.printed", text="hello"),
}


def entry_of(made: Record) -> IndexEntry:
    """Return what the overview keeps of a record, after its way through the store."""
    kept = IndexEntry.from_record(made, "").to_json()
    return IndexEntry.from_json(kept, "yinyang/elise.html")


def page_of(*records: Record, language: str = "en") -> str:
    """Return the page on `records`."""
    pieces = evidence_pieces([*map(entry_of, records)], language)
    assert pieces is not None
    return "".join(pieces)


@pytest.mark.parametrize("kind", SignKind)
def test_each_kind_is_seen_in_what_shows_it(kind: SignKind) -> None:
    """A record that shows one thing has one sign, with a fact in words."""
    (sign,) = signs(SEEN[kind], ENGLISH)
    assert kind is sign.kind
    assert all(sign.facts)


def test_recursion_that_does_not_need_its_input_is_a_sign() -> None:
    """It may do no work, like one whose answer is there before it begins."""
    (sign,) = signs(doubted(message("recursion.ignores_input", function="f")), ENGLISH)
    assert SignKind.FAKED is sign.kind


@pytest.mark.parametrize(
    "made",
    [
        honest(),
        honest(Verdict.WRONG, Verdict.CRASHED, Verdict.TIMED_OUT, evidence="killed"),
        honest(Verdict.FORBIDDEN),
        honest(Verdict.FAULT, evidence="our own trouble", status=Status.FAULT),
        honest(remarks=(message("remark.prints"),)),
        remarked("staff.budget"),
        doubted(message("recursion.delegated", function="f", other="g")),
        doubted(CAPABLE, verdict=RuleVerdict.PASSED),
        honest(Verdict.SKIPPED, evidence="killed", status=Status.UNGRADABLE),
    ],
)
def test_honest_trouble_is_no_sign(made: Record) -> None:
    """Mistakes, crashes, a module that is not allowed and our own failures accuse nobody."""
    assert () == signs(made, ENGLISH)
    assert evidence_pieces([entry_of(made)], "en") is None


def test_tampering_while_it_loads_is_told_as_such() -> None:
    """Where nothing could be run there is no step to name."""
    said = (message("loading.tampered", file="yinyang.py"),)
    made = honest(Verdict.SKIPPED, evidence="x", status=Status.UNGRADABLE, remarks=said)
    assert [(SignKind.TAMPERED, ("While the file was loaded: x",))] == [*signs(made, ENGLISH)]


def test_cases_with_one_fact_are_told_together() -> None:
    """A fact that a hundred cases show stands there once; of many facts the first ones stand."""
    (sign,) = signs(honest(*[Verdict.TAMPERED] * 9, evidence="odd"), ENGLISH)
    assert ("At `f(1)`, and in 9 cases in all: odd",) == sign.facts
    cases = [replace(case(f"f/{n}", Verdict.TAMPERED), staff_evidence=f"{n}") for n in range(20)]
    (sign,) = signs(record(group("f", *cases)), ENGLISH)
    assert MAX_FACTS + 1 == len(sign.facts)
    assert "and 14 more" == sign.facts[-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_says_of_each_kind_what_it_means_and_what_else(language: str) -> None:
    """A teacher reads for each kind what it means, what else can explain it, how sure it is."""
    page = page_of(*SEEN.values(), language=language)
    locale = Locale.for_language(language)
    for kind in SignKind:
        for key in ("", "_means", "_else"):
            said = locale(f"evidence_{kind.value}{key}").split("`")[0].split("'")[0]
            assert said in page
    assert 9 == page.count('<section class="student"')


def test_surest_comes_first() -> None:
    """Who disturbed the grading stands above who printed."""
    printed = replace(SEEN[SignKind.PRINTED], student="Anna")
    tampered = replace(SEEN[SignKind.TAMPERED], student="Zoe")
    page = page_of(printed, tampered)
    assert page.index(">Zoe<") < page.index(">Anna<")


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_hostile_text_stays_text(text: str) -> None:
    """Names and evidence are of a stranger's making."""
    made = honest(Verdict.TAMPERED, evidence=text, student=text, title=text)
    page = page_of(made)
    reader = Reader(page)
    assert {"img", "base", "form", "iframe"}.isdisjoint(reader.tags)
    assert not any(name.startswith("on") for name, _ in reader.attributes)
    assert len(page) < 60_000
    assert all(char not in page for char in "\x00\x07\x1b\x9b\u202e\u2066\ud800")


def test_large_class_of_attackers_has_a_page_of_bounded_size() -> None:
    """Nobody can make it too large to be opened."""
    cases = [
        replace(case(f"f/{n}", Verdict.TAMPERED), staff_evidence=f"{n}" * 500) for n in range(20)
    ]
    page = page_of(*[record(group("f", *cases))] * 400)
    assert 300 == page.count('<section class="student"')
    assert len(page) < 2_000_000


def test_page_is_there_while_there_is_something_to_say(tmp_path: Path) -> None:
    """It is written beside the index, which leads to it, and goes when nothing is left of it."""
    index, page = tmp_path / "index.html", tmp_path / EVIDENCE_NAME
    with begun(tmp_path, honest()) as store:
        take(tmp_path, store, 0, SEEN[SignKind.TAMPERED])
        write_reports(tmp_path, store)
        assert page.is_file()
        assert f'href="{EVIDENCE_NAME}"' in index.read_text("utf-8")
        take(tmp_path, store, 0, honest())
        write_reports(tmp_path, store)
        assert not page.exists()
        assert EVIDENCE_NAME not in index.read_text("utf-8")
