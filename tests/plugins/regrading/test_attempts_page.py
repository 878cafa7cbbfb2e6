"""Two attempts of one student, and two runs of a class, side by side."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from filed_runs import filed
from read_pages import OUR_TAGS, Reader
from record_samples import HOSTILE_TEXTS, case, group, hostile_record, record

from grader.errors import UsageError
from grader.judging.record import Record, SourceLine
from grader.messages import message
from grader.plugins.regrading.attempts_page import attempts_page
from grader.plugins.regrading.verbs.diff import command, report_changes
from grader.store.store import Store
from grader.verdict import Verdict, Visibility

SAID = message("wrong.value", expected="1", got="2")
SAID_AS = "Expected 1, but your code gives 2."


def attempt(*failing: str, student: str = "jan", met: int = 0) -> Record:
    """Return an attempt at three cases, of which these fail, and at two hidden demands."""
    cases = [
        case(f"f/{name}", Verdict.WRONG, code=f"f({name})", explanation=(SAID,))
        if name in failing
        else case(f"f/{name}", code=f"f({name})")
        for name in ("one", "two", "three")
    ]
    for n, verdict in enumerate([Verdict.PASSED] * met + [Verdict.WRONG] * (2 - met)):
        cases.append(case(f"f/{n}", verdict, visibility=Visibility.HIDDEN, code="secret()"))
    return record(group("f", *cases), id=student, student=student)


def part(page: str, kind: str) -> str:
    """Return the words of one section of `page`, "" where there is none."""
    found = re.search(rf'aria-labelledby="(?:step\S* )?{kind}">(.*?)</section>', page, re.DOTALL)
    return "" if found is None else " ".join(re.sub(r"<[^>]*>", " ", found[1]).split())


def test_what_broke_is_mended_and_still_fails() -> None:
    """Each once, with what was said of both attempts; what passes in both is counted."""
    page = attempts_page(attempt("one", "two"), attempt("two", "three"))
    assert "Newly broken: 1 one" not in page
    said = SAID_AS
    broke, mended, still = (part(page, kind) for kind in ("broke", "mended", "still"))
    assert f"Newly broken: 1 ✗ wrong f: {said} 1 case three f(three) Before ✓ passed" in broke
    assert f"Now ✗ wrong {said}" in broke
    assert (
        f"Fixed: 1 ✗ wrong f: {said} 1 case one f(one) Before ✗ wrong {said} Now ✓ passed" in mended
    )
    assert f"Still to fix: 1 ✗ wrong f: {said} 1 case two f(two) Before ✗ wrong {said}" in still
    assert f"Now ✗ wrong {said}" in still
    assert "0 other cases passed before and still pass." in page


def test_one_cause_is_told_once() -> None:
    """Cases that fail at one line have one row, with how many they are, whatever their parts."""
    line = SourceLine(file="x.py", line=3, function="g", text="return 1 / 0")
    cases = [
        case(f"{name}/1", Verdict.ERROR, group=name, explanation=(SAID,), source=line)
        for name in "fgh"
    ]
    crashed = record(*(group(each.group, each) for each in cases))
    whole = record(*(group(each.group, case(each.id, group=each.group)) for each in cases))
    row = f"unexpected exception {SAID_AS} In your file x.py, line 3, in g 3 cases"
    for kind, page in (
        ("broke", attempts_page(whole, crashed)),
        ("mended", attempts_page(crashed, whole)),
    ):
        assert row in part(page, kind)
        assert 1 == part(page, kind).count(" line 3")


def test_many_attempts_stand_on_one_page() -> None:
    """All scores on top, and then from each attempt to the next, the last one first."""
    page = attempts_page(attempt("one", "two"), attempt("two"), attempt("two", "three"))
    scores = " ".join(re.sub(r"<[^>]*>", " ", page.partition("</dl>")[0]).split())
    assert scores.endswith("Attempt 1 1 of 5 points Attempt 2 2 of 5 points Now 1 of 5 points")
    heads = re.findall(r'<h2 id="step.*?>(.*?)</h2>', page)
    assert ["Attempt 2 → Now", "Attempt 1 → Attempt 2"] == heads
    assert "f(three)" in part(page, "broke")
    assert "f(one)" in part(page, "mended-2")


def test_a_case_that_was_not_there_is_told_as_such() -> None:
    """It broke for nobody."""
    old = record(group("f", case("f/one")))
    page = attempts_page(old, record(group("f", case("f/one"), case("f/two", Verdict.WRONG))))
    assert "Before absent" in part(page, "still")
    assert not part(page, "broke")
    assert "1 other case passed before and still passes." in page


@pytest.mark.parametrize("verdict", [Verdict.FAULT, Verdict.NOT_RUN])
def test_what_we_could_not_tell_is_neither_broken_nor_mended(verdict: Verdict) -> None:
    """She has done nothing about it."""
    passed, untold = record(group("f", case("f/one"))), record(group("f", case("f/one", verdict)))
    for page in (attempts_page(passed, untold), attempts_page(untold, passed)):
        assert not part(page, "broke")
        assert not part(page, "mended")


def test_other_code_under_the_same_id_is_another_case() -> None:
    """A suite that has got a line more counts on from there."""
    old = record(group("f", case("f/1", Verdict.WRONG, code="f(1)")))
    page = attempts_page(old, record(group("f", case("f/1", code="f(0)"))))
    assert not part(page, "mended")


def test_of_hidden_cases_it_tells_counts() -> None:
    """As her pages do, and where they differ alone."""
    page = attempts_page(attempt(met=0), attempt(met=1))
    assert "Hidden demands met f 0 of 2 → 1 of 2" in part(page, "hidden")
    assert "secret()" not in page
    assert not part(attempts_page(attempt(), attempt()), "hidden")


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_text_stays_text(name: str) -> None:
    """No markup of a submission is markup of the page."""
    given = hostile_record(HOSTILE_TEXTS[name])
    reader = Reader(attempts_page(given, given))
    assert set(reader.tags) <= OUR_TAGS | {"dl", "dt", "dd"}
    assert not [key for key, _ in reader.attributes if key.startswith("on") or key == "style"]


def runs(folder: Path) -> tuple[Path, Path]:
    """Leave two runs of two students below `folder`: one mends a part, one breaks it."""
    old, new = folder / "old", folder / "new"
    filed(old, attempt("one"), attempt(student="fien"))
    filed(new, attempt(), attempt("two", student="fien"))
    return old, new


def test_runs_stand_side_by_side(tmp_path: Path) -> None:
    """How many and their averages, and for how many students a part is mended or broken."""
    old, new = runs(tmp_path)
    with Store.reading(old) as before, Store.reading(new) as after:
        report_changes(before, after, page=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search(r"yinyang 2 2 [\d.]+ [\d.]+", part(page, "table-1"))
    assert "yinyang f 1 1" in part(page, "table-2")


def test_one_student_has_a_page_of_her_attempts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found by a part of her name; what is printed is of her alone."""
    old, new = runs(tmp_path)
    page = tmp_path / "page.html"
    command.main(
        [str(old), str(new), "--student", "fie", "--html", str(page)], standalone_mode=False
    )
    assert "Newly broken: 1" in page.read_text(encoding="utf-8")
    printed = capsys.readouterr().out
    assert printed.startswith("1 of 1 marks change")
    assert "jan" not in printed


def test_who_has_one_attempt_has_none_to_compare(tmp_path: Path) -> None:
    """The error says which run she is not in; what else goes with her name alone is refused."""
    old, new = runs(tmp_path)
    filed(tmp_path / "more", attempt(student="late"))
    arguments = [str(old), str(tmp_path / "more"), "--student", "late"]
    with pytest.raises(UsageError, match="no older run has graded late"):
        command.main([*arguments, "--html", str(tmp_path / "p")], standalone_mode=False)
    with pytest.raises(UsageError, match="3 runs are given, and only the page of one student"):
        command.main([str(old), str(new), str(new)], standalone_mode=False)
    with pytest.raises(UsageError, match="only one run is given"):
        command.main([str(new)], standalone_mode=False)
    with pytest.raises(UsageError, match="--exercise needs --student"):
        command.main([str(old), str(new), "--exercise", "yinyang"], standalone_mode=False)
