"""A desk: the queue, a student, and decisions that are those of `grader mark`."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
from asking import Asking, Renewed, asking, for_review, handed_in, unrunnable
from command_line import grader
from filed_runs import database, filed
from record_samples import HOSTILE_TEXTS, case, group, hostile_record

from grader.cli.mark import rewrite_marked_pages
from grader.errors import OutputError, UsageError
from grader.intake.lateness import Lateness, LateTerms
from grader.judging.lateness import late_result
from grader.judging.record import SourceText
from grader.plugins.desk.queue import QueueFilter
from grader.plugins.desk.renewing import Renewer
from grader.plugins.desk.rubric import read_rubric
from grader.plugins.desk.run_desk import RunDesk
from grader.store.store import Store
from grader.verdict import Verdict

RECORDS = (handed_in("an"), handed_in("bo"), for_review("cas"), unrunnable("dee"), unrunnable("ed"))
AN = "/s/yinyang/an"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with five students, to be copied."""
    folder = tmp_path_factory.mktemp("made") / "run"
    filed(folder, *RECORDS)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """The folder of that run."""
    return Path(copytree(made, tmp_path / "run"))


@pytest.fixture
def browser(folder: Path) -> Iterator[Asking]:
    """A browser at its desk."""
    with asking(folder) as browser:
        yield browser


def shown(browser: Asking, query: str = "") -> list[str]:
    """Return who stands in the queue."""
    return re.findall(r'<th scope="row"><a href="/s/yinyang/(\w+)', browser.get(f"/{query}").text)


def said(browser: Asking, path: str) -> str:
    """Return what the page at `path` says, without its markup."""
    return " ".join(re.sub(r"<[^>]+>", " ", browser.get(path).text).split())


def trail(folder: Path) -> list[tuple[Any, ...]]:
    """Return all decisions in a store, but for when they were made."""
    with database(folder) as store:
        rows = store.execute("SELECT * FROM decision ORDER BY id").fetchall()
    return [(number, *rest) for number, _uid, _at, *rest in rows]


# The queue


def test_queue_begins_with_what_needs_a_person(browser: Asking) -> None:
    """Rules before what cannot be run; who waits for nobody is found all the same."""
    assert ["cas", "dee", "ed"] == shown(browser)
    assert ["dee", "ed"] == shown(browser, "?reason=syntax")
    assert ["cas", "dee", "ed", "an", "bo"] == shown(browser, "?state=all")
    assert ["dee", "ed"] == shown(browser, "?search=E")
    assert (303, AN) == (
        (found := browser.get("/?search=AN")).status_code,
        found.headers["location"],
    )
    assert [] == shown(browser, "?exercise=akari")
    assert 404 == browser.get("/s/yinyang/nobody").status_code
    assert 404 == browser.get("/m/nothing").status_code


def test_filter_goes_from_page_to_page(browser: Asking) -> None:
    """Next and previous are those of the queue that was asked for."""
    page = browser.get("/s/yinyang/dee?reason=syntax").text
    (after,) = re.findall(r'<a href="(\S+)" data-key="n">', page)
    assert ("/s/yinyang/ed", {"reason": ["syntax"]}) == (
        urlsplit(after).path,
        parse_qs(urlsplit(after).query),
    )
    assert 'data-key="p"' not in page
    told = QueueFilter.of({"state": "all", "reason": "nonsense", "search": " x&y "})
    assert ("?state=all&search=x%26y", "") == (told.query, QueueFilter().query)


def test_page_of_a_student_says_all(browser: Asking) -> None:
    """The code with what was found at its lines, parts with points, and who decided what."""
    page = browser.get(AN).text
    assert 'data-line="f.py:2"' in page
    assert 'name="case f/2"' in page
    assert 1 == page.count("<main>") == page.count("<h1")
    assert "NameError" in page
    assert "nobody" not in page
    line = browser.get(f"{AN}?line=f.py:2").text
    assert 'value="f.py:2"' in line


def test_earlier_attempts_stand_beside_this_one(folder: Path, tmp_path: Path) -> None:
    """With points, and what was mended and broke; who is new has no such line."""
    (old, older), given = (tmp_path / "old", tmp_path / "older"), handed_in("an")
    (group,) = given.groups
    passing, wrong, raising = group.cases
    swapped = (
        replace(passing, verdict=Verdict.WRONG, points=0.0),
        replace(wrong, verdict=Verdict.PASSED, points=1.0),
        replace(raising, verdict=Verdict.PASSED, points=1.0),
    )
    filed(old, replace(given, score=2.0, groups=(replace(group, cases=swapped),)))
    filed(older, unrunnable("an"), handed_in("cas"))
    with Store.reading(older) as first, Store.reading(old) as second, Store.writing(folder) as run:
        browser = Asking(RunDesk(run, "prof", Renewed(), earlier_runs=[first, second]))
        now = f"{given.score:g} of {given.max_score:g}, 1 fixed, 2 broken"
        line = f"Attempts: 0 of 1 → 2 of {given.max_score:g} → {now}"
        assert line in said(browser, AN)
        assert "Attempts:" in said(browser, "/s/yinyang/cas")


def test_earlier_attempt_that_is_damaged_is_left_out(folder: Path, tmp_path: Path) -> None:
    """The student is decided on all the same."""
    filed(tmp_path / "old", handed_in("an"))
    with database(tmp_path / "old") as store:
        store.execute("UPDATE record SET data = x'00'")
    with Store.reading(tmp_path / "old") as old, Store.writing(folder) as run:
        browser = Asking(RunDesk(run, "prof", Renewed(), earlier_runs=[old]))
        assert "Attempts:" not in said(browser, AN)
        assert "Attempts:" not in said(browser, "/s/yinyang/bo")


# Deciding


def test_decisions_are_those_of_mark(
    tmp_path: Path, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same lines in the store, the same marks, and, once renewed, the same files."""
    other = Path(copytree(folder, tmp_path / "other"))
    why = ("--because", "We talked.", "--by", "prof")
    for arguments in (
        ("an", "--case", "f/2", "--points", "0,5", *why),
        ("an", "--bonus", "--points", "-0.25", *why),
        ("an", "--line", "f.py:2", "--comment", "Why x?", "--by", "prof"),
        ("cas", "--rule", "loops/f", "--verdict", "broken", "--penalty", "0.5", *why),
        ("dee", "--total", "--points", "0.5", *why),
        ("dee", "--total", "--undo", "--by", "prof"),
    ):
        assert 0 == grader(capfd, "mark", str(other), *arguments).code
    with (
        Store.writing(folder) as store,
        Renewer(folder / "run.db") as renewer,
    ):
        browser = Asking(RunDesk(store, "prof", renewer))
        talked = {"because": "We talked."}
        done = browser.post(AN, {"case f/2": "0,5", "bonus": "-0.25", **talked})
        assert (303, AN) == (done.status_code, done.headers["location"])
        browser.post(AN, {"do": "comment", "line": "f.py:2", "comment": "Why x?"})
        broken = {"rule loops/f": "broken", "penalty loops/f": "0.5"}
        browser.post("/s/yinyang/cas", {**broken, **talked})
        browser.post("/s/yinyang/dee", {"total": "0.5", **talked})
        browser.post("/s/yinyang/dee", {"do": "undo", "about": "total", "subject": ""})
    assert trail(other) == trail(folder)
    pages = [f"yinyang/{name}.html" for name in ("an", "cas", "dee")]
    for name in ("results.json", "index.html", *pages):
        told = [re.sub("T[0-9:]{8}", "", (each / name).read_text()) for each in (other, folder)]
        assert told[0] == told[1], name


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"case f/2": "2", "because": "x"}, "2 is more than the maximum for the case: 1"),
        ({"case f/2": "1"}, "the reason, which the student reads, is missing"),
        ({"total": "many", "because": "x"}, "is not a number of points"),
        ({"rule loops/f": "perhaps", "because": "x"}, "unknown verdict 'perhaps'"),
        ({"case nothing": "1", "because": "x"}, "there is no case nothing"),
        ({"because": "x"}, "neither points nor a verdict is filled in"),
        ({"do": "comment", "line": "g.py:1", "comment": "x"}, "there is no line g.py:1"),
        ({"do": "comment", "line": "", "comment": ""}, "there is nothing to decide"),
        ({"do": "comment"}, "this form is not from a page of this desk"),
        ({"do": "undo", "about": "page"}, "there is no comment to undo"),
        ({"do": "undo", "about": "x"}, "this form is not from a page of this desk"),
        ({"do": "accept", "n": ""}, "nothing here is waiting for a person"),
    ],
    ids=str,
)
def test_what_cannot_be_decided_is_told(browser: Asking, form: dict[str, str], why: str) -> None:
    """Nothing is stored, and what was typed stands there still."""
    path = AN if form.get("do") == "accept" else "/s/yinyang/cas"
    done = browser.post(path, {"bonus": "0.75", **form} if "total" in form else form)
    assert 400 == done.status_code
    assert why in done.text.replace("&#39;", "'")
    assert [] == list(browser.desk.store.decisions)
    if "total" in form:
        assert 'value="many"' in done.text
        assert 'value="0.75"' in done.text


@pytest.mark.parametrize("late_s", [3_600, None])
def test_lateness_can_be_waived(tmp_path: Path, late_s: int | None) -> None:
    """It is a rule on the page, and waits for a person where nobody knows how late it was."""
    terms = LateTerms(percent=Fraction(50))
    late = Lateness(late_s=late_s, deadline="2026-10-01 23:59", terms=terms)
    given = handed_in("fay")
    cost, rule = late_result(late, Fraction(given.score), Fraction(given.max_score))
    filed(tmp_path / "run", replace(given, score=given.score - float(cost), rules=(rule,)))
    with asking(tmp_path / "run") as browser:
        assert (["fay"] if late_s is None else []) == shown(browser)
        page = browser.get("/s/yinyang/fay").text
        assert 'name="rule lateness"' in page
        assert "The deadline was 2026-10-01 23:59." in page
        assert given.score - float(cost) == browser.score("fay")
        waived = {"rule lateness": "kept", "because": "She was ill."}
        assert 303 == browser.post("/s/yinyang/fay", waived).status_code
        assert given.score == browser.score("fay")
        assert [] == shown(browser)


def test_accepting_settles_and_goes_on(browser: Asking) -> None:
    """A rule that waits is kept; what cannot be run has its points in all; then comes the next."""
    done = browser.post("/s/yinyang/cas", {"do": "accept"})
    assert "/s/yinyang/dee" == done.headers["location"]
    done = browser.post("/s/yinyang/dee?reason=syntax", {"do": "accept"})
    assert "/s/yinyang/ed?reason=syntax" == done.headers["location"]
    assert ["ed"] == shown(browser)
    assert ["cas", "dee"] == shown(browser, "?state=decided")
    assert [("rule", "loops/f", None), ("total", "", 0.0)] == [
        (each.about.value, each.subject, each.points) for each in browser.desk.store.decisions
    ]
    assert "(by prof, " in said(browser, "/s/yinyang/dee")


def test_accepting_a_doubt_decides_again_on_what_is_found_now(folder: Path) -> None:
    """It is no doubt any more; what is gone is taken back."""
    with asking(folder) as browser:
        browser.post(AN, {"case f/2": "0.5", "because": "Nearly."})
        browser.post(AN, {"do": "comment", "line": "f.py:2", "comment": "Why?"})
    with database(folder) as store:
        store.execute("DROP TRIGGER decision_stands")
        store.execute("UPDATE decision SET found_verdict = 'ERROR' WHERE about = 'case'")
        store.execute("UPDATE decision SET subject = 'f.py:9' WHERE about = 'line'")
    with asking(folder, by="dean") as browser:
        assert "an" in shown(browser, "?reason=doubt")
        browser.post(AN, {"do": "accept"})
        assert "an" not in shown(browser)
        last, gone = list(browser.desk.store.decisions)[2:]
        assert ("WRONG", 0.5, "Nearly.", "dean") == (
            *((last.finding and last.finding[:1]) or ()),
            *(last.points, last.because, last.by),
        )
        assert gone.is_undone


def test_undo_has_what_stood_before_stand_again(browser: Asking) -> None:
    """One form after the other, back to the beginning; a further one says that there is none."""
    browser.post(AN, {"total": "1.5", "because": "First."})
    browser.post(AN, {"total": "2", "bonus": "1", "because": "Second."})
    done = browser.post("/undo", {"back": f"{AN}?state=all"})
    assert f"{AN}?state=all" == done.headers["location"]
    assert 1.5 == browser.score("an")
    assert "undone for an" in said(browser, AN)
    assert ["First."] == [
        each.decision.because
        for each in browser.desk.record(browser.desk.row(("yinyang", "an"))).decisions  # type: ignore[attr-defined]
    ]
    browser.post("/undo", {"back": "//evil.example"})
    assert 1.0 == browser.score("an")
    done = browser.post("/undo", {"back": "https://evil.example"})
    assert "/" == done.headers["location"]
    assert "there is nothing to undo" in said(browser, "/")


def test_who_decides_is_told(folder: Path) -> None:
    """With the time, and what was taken back since; anything that stands can be taken back."""
    with asking(folder, by="dean") as browser:
        browser.post(AN, {"total": "1.5", "because": "Once."})
    with asking(folder, by="prof") as browser:
        browser.post(AN, {"total": "2", "because": "Twice."})
        text = said(browser, AN)
        assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d total: 2 points \(by prof, ", text)
        assert re.search(r"total: 1.5 points \(by dean, [^)]*\): Once. no longer", text)
        browser.post(AN, {"do": "undo", "about": "total", "subject": ""})
        assert 1.0 == browser.score("an")


# One mistake, several students


def mistake(browser: Asking, text: str) -> str:
    """Return the address of the mistake in whose row `text` stands."""
    rows = browser.get("/mistakes").text.split("<tr>")
    (row,) = [each for each in rows if text in each]
    return "".join(re.findall(r'href="(/m/\w+)"', row))


def test_same_answer_is_decided_on_for_all(browser: Asking) -> None:
    """Points of that case, and a comment below what the page says already."""
    browser.post(AN, {"do": "comment", "line": "", "comment": "Mine."})
    path = mistake(browser, "f(2)")
    assert path in browser.get(AN).text
    assert "2 students make this mistake" in said(browser, path)
    form = {"points": "0.5", "because": "A misreading.", "comment": "See §3."}
    assert 303 == browser.post(path, form).status_code
    assert [1.5, 1.5, 1.0] == [browser.score(name) for name in ("an", "bo", "cas")]
    comments = [e.because for e in browser.desk.store.decisions if e.about.value == "page"]
    assert ["Mine.", "Mine.\nSee §3.", "See §3."] == comments
    assert "stored for 2 students" in said(browser, "/")
    again = browser.post(path, {"comment": "See §3."})
    assert (400, True) == (
        again.status_code,
        "of these students already have that comment" in again.text,
    )
    browser.post("/undo", {"back": "/"})
    assert [1.0, 1.0] == [browser.score(name) for name in ("an", "bo")]


def test_same_exception_is_commented_on_at_its_line(browser: Asking) -> None:
    """Of each who makes it; a comment that was written is offered again."""
    path = mistake(browser, "f(3)")
    assert 303 == browser.post(path, {"comment": "x is not defined."}).status_code
    assert [("line", "f.py:2")] * 3 == [
        (each.about.value, each.subject) for each in browser.desk.store.decisions
    ]
    assert '<option value="x is not defined.">' in browser.get("/s/yinyang/dee").text
    assert "From your teacher" in said(browser, AN)
    assert 400 == browser.post(path, {"because": "x"}).status_code
    assert 404 == browser.post("/m/nothing", {"comment": "x"}).status_code


def test_same_reason_that_nothing_runs_has_a_total(browser: Asking) -> None:
    """Points are those of the whole."""
    path = mistake(browser, "f.py")
    assert 303 == browser.post(path, {"points": "0.25", "because": "A comma."}).status_code
    assert [0.25, 0.25] == [browser.score(name) for name in ("dee", "ed")]
    assert ["cas"] == shown(browser)


def test_missing_part_is_a_mistake_too(tmp_path: Path) -> None:
    """Points are those of the part; who could be tried on it is not among them."""
    given = handed_in("an")
    lacking = replace(
        given, groups=(*given.groups, group("g", case("g/1", Verdict.SKIPPED), title="Go"))
    )
    right = replace(given, id="cas", student="cas", groups=(group("g", case("g/1")),))
    filed(tmp_path / "run", lacking, replace(lacking, id="bo", student="bo"), right)
    with asking(tmp_path / "run") as browser:
        path = mistake(browser, "no case in this part can be tried: Go")
        assert 303 == browser.post(path, {"points": "0.5", "because": "In the text."}).status_code
        made = [(e.student, e.about, e.subject, e.points) for e in browser.desk.store.decisions]
        assert [("an", "group", "g", 0.5), ("bo", "group", "g", 0.5)] == made


# A rubric


RUBRIC = """\
yinyang:
  - {id: names, points: 0.5, text: Names say what they hold.}
  - {id: copied, points: -0.25, text: Part of it was copied.}
"""


def test_items_of_a_rubric_are_given_and_taken_back(folder: Path, tmp_path: Path) -> None:
    """To one by a button, which says whether it was given, or to all who make a mistake."""
    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    with asking(folder, rubric=tmp_path / "rubric.yaml") as browser:
        for item in ("names", "copied"):
            assert 303 == browser.post(AN, {"do": "item", "item": item}).status_code
        assert (1.25, 2) == (browser.score("an"), browser.get(AN).text.count('aria-pressed="true"'))
        assert "bonus names: 0.5 points (by prof, " in said(browser, AN)
        browser.post(AN, {"do": "item", "item": "names"})
        assert 0.75 == browser.score("an")
        path = mistake(browser, "f(2)")
        browser.post(path, {"item": "copied"})
        assert [0.75, 0.75] == [browser.score(name) for name in ("an", "bo")]
        for form in ({"item": "copied"}, {"item": "nothing"}):
            assert 400 == browser.post(path, form).status_code
        assert 400 == browser.post(AN, {"do": "item", "item": "x"}).status_code
        browser.post("/undo", {})
        assert [0.75, 1.0] == [browser.score(name) for name in ("an", "bo")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [{id: x, points: 1}]", "is not a valid rubric: text of item 1 of a: it is missing"),
        (
            "a: [{id: x y, points: 1, text: t}]",
            "is not a valid rubric: id of item 1 of a: write 1 to 60",
        ),
        (
            "a: [{id: x, points: 1, text: t, more: 1}]",
            "is not a valid rubric: more of item 1 of a: this key",
        ),
        ("a: [{id: x, points: 1, text: t}, {id: x, points: 2, text: u}]", "have the same id"),
        ("a: [", "is not valid YAML"),
        ("a: 2026-02-31", "is not valid YAML"),
        ("", "is not a valid rubric: the whole file: it is not a mapping"),
        (None, "cannot read"),
    ],
)
def test_what_is_no_rubric_is_told(tmp_path: Path, text: str | None, why: str) -> None:
    """Before anything is served."""
    path = tmp_path / "rubric.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UsageError, match=re.escape(why)):
        read_rubric(path)


# Text of others


@pytest.mark.parametrize("kind", [k for k in HOSTILE_TEXTS if " " not in k and k != "surrogate"])
def test_text_of_others_stays_text(tmp_path: Path, kind: str) -> None:
    """Whatever a hand-in or a form says: no markup, nothing that turns the direction of text."""
    text = HOSTILE_TEXTS[kind]
    typed = text.encode("utf-8", "replace").decode().replace("\x00", "")
    hostile = hostile_record(text)
    hostile = replace(
        hostile, exercise="yinyang", sources=(SourceText(name=text[:50], text=f"{text}\n" * 3),)
    )
    filed(tmp_path / "run", hostile, replace(hostile, id="b", student="b"))
    with asking(tmp_path / "run", by=typed) as browser:
        paths = [row.path for row in browser.desk.rows]
        browser.post(paths[0], {"do": "comment", "line": "", "comment": typed})
        browser.post(paths[0], {"do": "comment", "line": typed, "comment": typed})
        told = quote(typed)
        paths += [f"/?search={told}", f"{paths[0]}?line={told}", "/?state=all", "/mistakes"]
        paths += re.findall(r'href="(/m/\w+)"', browser.get("/mistakes").text)
        pages = [browser.get(path) for path in paths]
        pages.append(browser.post(paths[0], {"total": typed, "because": typed, "bonus": typed}))
    for each in pages:
        assert not re.search('<(img|style|script>)|onmouseover="', each.text), each.url
        assert not set("\u202e\u2066\x1b\x07") & set(each.text), each.url


# What is written, and when


def test_a_killed_desk_loses_nothing(folder: Path) -> None:
    """What was answered is in the store; the pages are those of today with the next desk."""
    start = "import sys; sys.argv[:1] = ['grader']; from grader.cli.verbs import main; main()"
    command = [sys.executable, "-c", start, "desk", str(folder), "--no-open", "--by", "prof"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with closing(process.stdout), suppress(ProcessLookupError):
        address = process.stdout.readline().strip()
        with httpx.Client(follow_redirects=True, trust_env=False) as client:
            page = client.get(address).text
            word = re.findall(r'name="word" value="(\w+)"', page)[0]
            base = address.partition("/?")[0]
            form = {"word": word, "do": "comment", "line": "", "comment": "Kept."}
            (folder / "yinyang/an.html").write_text("of before")
            done = client.post(f"{base}{AN}", data=form, headers={"origin": base})
            os.kill(process.pid, signal.SIGKILL)
            assert 200 == done.status_code
    process.wait(10)
    assert [("page", "Kept.")] == [(row[5], row[11]) for row in trail(folder)]
    with Renewer(folder / "run.db"):
        pass
    assert "Kept." in (folder / "yinyang/an.html").read_text()
    told = json.loads((folder / "results.json").read_bytes())["submissions"]
    assert ["an"] == [each["id"] for each in told if "decisions" in each]


def test_reports_are_written_once_for_several_decisions(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what goes wrong is told on the pages, as nothing that was decided is lost by it."""
    calls = []
    monkeypatch.setattr(
        "grader.plugins.desk.renewing.write_reports", lambda *_, **__: calls.append(1)
    )

    def refuse(*_: object, **__: object) -> None:
        raise UsageError("the disk is full")

    with Store.writing(folder) as store, Renewer(folder / "run.db") as renewer:
        browser = Asking(RunDesk(store, "prof", renewer))
        for points in ("1", "1.5", "2"):
            browser.post(AN, {"total": points, "because": "x"})
    assert len(calls) == 1
    monkeypatch.setattr("grader.plugins.desk.renewing.rewrite_marked_pages", refuse)
    monkeypatch.setattr("grader.plugins.desk.renewing.write_reports", refuse)
    with Store.writing(folder), Renewer(folder / "run.db") as renewer:
        renewer.renew([("yinyang", "an")])
    assert "the disk is full" == renewer.problem


def test_pages_that_failed_are_written_later(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is told of an error any more that has passed."""
    writes = ["database is locked"]

    def fail_once(*arguments: Any) -> None:
        if writes:
            raise sqlite3.OperationalError(writes.pop())
        rewrite_marked_pages(*arguments)

    monkeypatch.setattr("grader.plugins.desk.renewing.rewrite_marked_pages", fail_once)
    with Store.writing(folder) as store, Renewer(folder / "run.db") as renewer:
        browser = Asking(RunDesk(store, "prof", renewer))
        browser.post(AN, {"do": "comment", "line": "", "comment": "Kept."})
    assert ([], "") == (writes, renewer.problem)
    assert "Kept." in (folder / "yinyang/an.html").read_text()


def test_a_page_that_cannot_be_written_stops_no_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that come after it in the run are written, though it is tried again each time."""
    before = (folder / "yinyang/bo.html").read_text()

    def refuse_ann(path: Path, store: Store, marked: Any) -> None:
        if ("yinyang", "an") in marked:
            raise OutputError("the page is open elsewhere")
        rewrite_marked_pages(path, store, marked)

    monkeypatch.setattr("grader.plugins.desk.renewing.rewrite_marked_pages", refuse_ann)
    with Store.writing(folder) as store, Renewer(folder / "run.db") as renewer:
        browser = Asking(RunDesk(store, "prof", renewer))
        for page in (AN, "/s/yinyang/bo"):
            browser.post(page, {"do": "comment", "line": "", "comment": "Kept."})
    assert "the page is open elsewhere" == renewer.problem
    assert before != (folder / "yinyang/bo.html").read_text()


def test_what_cannot_be_stored_is_told(browser: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody takes for stored what is not."""

    def refuse(*_: object) -> None:
        raise OutputError("the disk is full")

    monkeypatch.setattr(browser.desk.store, "decide", refuse)
    done = browser.post(AN, {"total": "1", "because": "x"})
    assert (500, True) == (done.status_code, "the disk is full" in done.text)
    assert "stored" not in said(browser, AN)


def test_second_desk_is_refused(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As is any other writer, and as a desk is on what is no run."""
    with Store.writing(folder):
        done = grader(capfd, "desk", str(folder), "--no-open")
    assert 6 == done.code
    assert "another grader is writing to" in done.err
    done = grader(capfd, "desk", str(folder.parent), "--no-open")
    assert "is not the folder of a run" in done.err


@pytest.mark.parametrize("package", ["uvicorn", "starlette"])
def test_without_the_extra_it_says_what_to_install(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    package: str,
) -> None:
    """One sentence, and the way out."""
    for name in [each for each in sys.modules if each.startswith("grader.plugins.desk")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [each for each in sys.modules if each.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    done = grader(capfd, "desk", str(folder), "--no-open")
    assert 2 == done.code
    assert "which is not installed" in done.err
    assert "pip install 'sessiongrader[desk]'" in done.err


def test_pages_wait_for_nobody(folder: Path) -> None:
    """Whose page is to be written is noted, and the answer goes out."""
    with asking(folder) as browser:
        browser.post(AN, {"total": "1", "because": "x"})
        renewed = browser.desk._renewer
    assert isinstance(renewed, Renewed)
    assert [("yinyang", "an")] == renewed
