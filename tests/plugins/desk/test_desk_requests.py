"""What students ask for at a desk, from a table until somebody has answered."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from asking import Asking, asking, for_review, handed_in
from command_line import grader
from decisions import decision
from filed_runs import filed
from record_samples import HOSTILE_TEXTS

from grader.errors import UsageError
from grader.judging.deciding import Subject
from grader.plugins.desk.student_requests import (
    StudentRequest,
    note_requests,
    stored_requests,
    unanswered,
)
from grader.reporting.asking import ask_address
from grader.store.store import Store

AN = "/s/yinyang/an"
TABLE = """Timestamp;Student;Exercise;Part;Request
9:00;an;yinyang;f;"My f(2) is right:
read the text again."
9:05;bo;;nonsense;Why?
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a run with three students."""
    filed(tmp_path / "run", handed_in("an"), handed_in("bo"), for_review("cas"))
    return tmp_path / "run"


def note(folder: Path, table: str | bytes) -> dict[StudentRequest, str]:
    """Return what the run has once `table` was read."""
    path = folder.parent / "requests.csv"
    path.write_bytes(table if isinstance(table, bytes) else table.encode())
    with Store.writing(folder) as store:
        note_requests(store, path)
        return stored_requests(store)


def shown(browser: Asking, query: str = "") -> list[str]:
    """Return who stands in the queue."""
    return re.findall(r'<th scope="row"><a href="/s/yinyang/(\w+)', browser.get(f"/{query}").text)


def test_requests_are_noted_once(folder: Path) -> None:
    """Columns of a form are left out, lines that were read before add nothing, and new ones do."""
    first = note(folder, TABLE)
    assert [
        ("yinyang", "an", "f", "My f(2) is right:\nread the text again."),
        ("yinyang", "bo", "nonsense", "Why?"),
    ] == [(each.exercise, each.student, each.part, each.words) for each in first]
    assert first == note(folder, TABLE)
    assert 3 == len(note(folder, TABLE + "9:10;cas;;;Me too.\n"))


def test_mail_that_a_page_begins_is_read(folder: Path) -> None:
    """With whatever stands above, and with lines that end as they do in mails."""
    mails = folder.parent / "mails"
    mails.mkdir()
    link = str(ask_address(replace(handed_in("an"), contact="prof@school.example"), "f"))
    body = parse_qs(urlsplit(link).query)["body"][0]
    text = f"From: An\r\nSubject: yinyang: an\r\n\r\n{body}it is.\r\nstudent: bo\r\n"
    (mails / "1.txt").write_bytes(text.encode())
    (mails / "2.txt").write_text("student: bo\n\nWhy?\n", encoding="utf-16")
    (mails / "notes.md").write_text("of my own", encoding="utf-8")
    with Store.writing(folder) as store:
        note_requests(store, mails)
        first, second = stored_requests(store)
    assert ("an", "yinyang", "f") == (first.student, first.exercise, first.part)
    assert "Please look at this again, because:\n\nit is.\nstudent: bo" == first.words
    assert ("bo", "", "Why?") == (second.student, second.part, second.words)


MAIL = b"From: =?utf-8?q?An_O=27Brien?= <an@school.example>\r\nContent-Type: "
NESTED = b"".join(
    b'multipart/mixed; boundary="%d"\r\n\r\n--%d\r\nContent-Type: ' % (n, n) for n in range(2000)
)


def test_raw_mail_is_read_with_its_sender(folder: Path) -> None:
    """In its own encoding, whatever else is attached, and where a reply quotes the form."""
    mails = folder.parent / "mails"
    mails.mkdir()
    form = b"Hi,\r\n> Student: an\r\n> \r\nM\xe1s puntos"
    kind = b'multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: text/plain; charset=latin-1'
    tail = b"\r\n--x\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--x--\r\n"
    (mails / "1.eml").write_bytes(MAIL + kind + b"\r\n\r\n" + form + tail)
    with Store.writing(folder) as store:
        assert [] == note_requests(store, mails)
        (asked,) = stored_requests(store)
    assert ("an", "Más puntos") == (asked.student, asked.words)
    assert "An O'Brien <an@school.example>" == asked.sender
    with asking(folder) as browser:
        assert "from An O&#39;Brien &lt;an@school.example&gt;" in browser.get(AN).text


def test_sender_that_cannot_be_decoded_is_kept_as_it_is(folder: Path) -> None:
    """A malformed header costs neither the email nor the others."""
    mails = folder.parent / "mails"
    mails.mkdir()
    (mails / "1.eml").write_bytes(b"From: =?utf-8?b?a?=\r\n\r\nstudent: an\r\n\r\nWhy?")
    with Store.writing(folder) as store:
        assert [] == note_requests(store, mails)
        assert ["=?utf-8?b?a?="] == [each.sender for each in stored_requests(store)]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("3.txt", b"<html>", "no line of its text begins with `student:`"),
        ("3.eml", MAIL + b"text/html\r\n\r\nstudent: an\r\n\r\nx", "it has no plain text"),
        ("3.eml", MAIL + NESTED + b"text/plain\r\n\r\nx", ""),
        ("3.eml", MAIL + b"text/plain (" + b"(" * 5000 + b"\r\n\r\nx", ""),
        (
            "3.eml",
            MAIL + b"text/plain; charset=no\r\n\r\nstudent: zoe\r\n\r\nx",
            "there is no hand-in by zoe",
        ),
        ("3.eml", b"x" * 4_000_001, "it is larger than 4,000,000 bytes"),
        ("3.txt", None, "it is not a file"),
    ],
    ids=["html", "no text", "nested", "brackets", "charset", "large", "pipe"],
)
def test_mail_that_cannot_be_read_is_named(
    folder: Path, name: str, content: bytes | None, why: str
) -> None:
    """The others are read: no student keeps a desk from opening."""
    mails = folder.parent / "mails"
    mails.mkdir()
    (mails / "4.txt").write_text("student: bo\n\nWhy?\n")
    if content is None:
        os.mkfifo(mails / name)
    else:
        (mails / name).write_bytes(content)
    with Store.writing(folder) as store:
        (problem,) = note_requests(store, mails)
        assert ["bo"] == [each.student for each in stored_requests(store)]
    assert problem.startswith(name)
    assert why in problem


@pytest.mark.parametrize("target", ["nowhere", "3.eml"], ids=["dangling", "loop"])
def test_link_to_no_mail_is_named(folder: Path, target: str) -> None:
    """A link that leads nowhere leaves out one email, not all of them."""
    mails = folder.parent / "mails"
    mails.mkdir()
    (mails / "3.eml").symlink_to(target)
    (mails / "4.txt").write_text("student: bo\n\nWhy?\n")
    with Store.writing(folder) as store:
        assert ["3.eml: it is not a file"] == note_requests(store, mails)
        assert ["bo"] == [each.student for each in stored_requests(store)]


def test_requests_that_do_not_exist_are_refused(folder: Path) -> None:
    """A path at which nothing is gets an error that says so."""
    with Store.writing(folder) as store, pytest.raises(UsageError, match="nowhere does not exist"):
        note_requests(store, folder.parent / "nowhere")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("student,part\nan,f\n", "there is no column request"),
        (b"\x00\xd8\x00", "the file is not text"),
        ("", "there is no column request and no column student"),
    ],
)
def test_what_is_no_table_is_refused(folder: Path, table: str | bytes, said: str) -> None:
    """Nothing of it is stored_requests."""
    with pytest.raises(UsageError, match=re.escape(said)):
        note(folder, table)
    with Store.reading(folder) as store:
        assert {} == stored_requests(store)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("zoe,,x", "request 2: there is no hand-in by zoe for yinyang in the run"),
        (",,x", "request 2: the student is missing"),
        ("an,akari,x", "there is no exercise akari"),
    ],
)
def test_line_with_a_mistake_is_named(folder: Path, line: str, said: str) -> None:
    """The other requests are stored_requests."""
    path = folder.parent / "requests.csv"
    path.write_text(f"student,exercise,request\nan,,x\n{line}\n")
    with Store.writing(folder) as store:
        (problem,) = note_requests(store, path)
        assert 1 == len(stored_requests(store))
    assert said in problem


def test_what_is_decided_for_many_answers_nobody(folder: Path) -> None:
    """Nor does it to take something back, so that what stood before stands again."""
    note(folder, TABLE)
    with asking(folder) as browser:
        others = re.findall(r'<a class="aside" href="(/m/\w+)"', browser.get(AN).text)[0]
        assert 303 == browser.post(others, {"comment": "Read §3."}).status_code
        assert ["an", "bo", "cas"] == shown(browser)
        browser.post(AN, {"total": "1", "because": "No."})
        assert ["bo", "cas"] == shown(browser)
        browser.post(AN, {"total": "2", "because": "Yes."})
        browser.post("/undo", {})
        assert ["an", "bo", "cas"] == shown(browser), "what stands again was said by an undo"
    with asking(folder) as browser:
        assert ["an", "bo", "cas"] == shown(browser)


def test_who_asks_comes_first_until_somebody_answers(folder: Path) -> None:
    """A comment is an answer, as is a decision; what was answered stays to be read."""
    note(folder, TABLE)
    with asking(folder) as browser:
        assert ["an", "bo", "cas"] == shown(browser)
        assert ["an", "bo"] == shown(browser, "?reason=asked")
        page = browser.get(AN).text
        assert "My f(2) is right:\nread the text again.</p>" in page
        assert re.search(r'<strong>\s*<a href="#[^"]+">f</a>\s*</strong>', page)
        assert "answered" not in page
        assert "Accept what was found" not in page
        browser.post(AN, {"do": "comment", "line": "", "comment": "It is not: see line 3."})
        assert ["bo", "cas"] == shown(browser)
        assert "answered" in browser.get(AN).text
        browser.post("/s/yinyang/bo", {"total": "1", "because": "You are right."})
    with asking(folder) as browser:
        assert ["cas"] == shown(browser)


def test_answer_that_is_taken_back_is_none(folder: Path) -> None:
    """The student waits again."""
    note(folder, TABLE)
    with asking(folder) as browser:
        browser.post(AN, {"do": "comment", "line": "", "comment": "No."})
        browser.post("/undo", {})
        assert ["an", "bo", "cas"] == shown(browser)


def test_decision_of_before_is_no_answer() -> None:
    """It may be what she asks about."""
    made = decision(handed_in("an"), Subject.PAGE)
    asked = StudentRequest(exercise="yinyang", student="an", part="", words="Why?")
    assert [asked] == unanswered({asked: "2026-11-23T09:00:01+00:00"}, [made])
    assert [] == unanswered({asked: "2026-11-23T09:00:00+00:00"}, [made])


def test_to_accept_is_no_answer(folder: Path) -> None:
    """Who asks is told something: there is nothing else to accept."""
    note(folder, TABLE)
    with asking(folder) as browser:
        done = browser.post(AN, {"do": "accept"})
    assert (400, True) == (done.status_code, "this student is waiting for an answer" in done.text)


@pytest.mark.parametrize("name", sorted(HOSTILE_TEXTS.keys() - {"surrogate"}))
def test_hostile_request_is_text(folder: Path, name: str) -> None:
    """It adds no markup to the desk, and no page gets long by it."""
    quoted = HOSTILE_TEXTS[name][:100_000].replace('"', '""').replace("\0", "")
    note(folder, f'student,request,part\nan,"{quoted}","{quoted}"\n')
    with asking(folder) as browser:
        pages = browser.get("/").text, browser.get(AN).text
    for page in pages:
        assert "<script>alert" not in page
        assert "<img" not in page
        assert " onmouseover=" not in re.sub(r">[^<]*<", "><", page)
        assert not {"\x1b", "\u202e", "\x07"} & {*page}
        assert len(page) < 100_000


def test_desk_reads_the_table_before_it_opens(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is wrong with it is told in the terminal."""
    table = folder.parent / "requests.csv"
    table.write_text("name,question\nan,Why?\n", encoding="utf-8")
    done = grader(capfd, "desk", str(folder), "--no-open", "--requests", str(table))
    assert 2 == done.code
    assert "the first line must contain `student` and `request`" in done.err
