"""Who may speak to a desk: nobody but the browser that was given its address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import ORIGIN, PORT, Asking, asking, handed_in
from filed_runs import filed

PATH = "/s/yinyang/an"
TOTAL = {"total": "1", "because": "So be it."}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run, which nothing here may change."""
    folder = tmp_path_factory.mktemp("guarded") / "run"
    filed(folder, handed_in("an"))
    return folder


@pytest.fixture
def browser(folder: Path) -> Iterator[Asking]:
    """A browser at its desk."""
    with asking(folder) as browser:
        yield browser


def test_the_address_opens_the_desk_once(browser: Asking) -> None:
    """It gives a cookie that no script and no other site can use, and is worth nothing then."""
    browser.cookies = {}
    address = browser.lets_in.address.removeprefix(ORIGIN)
    done = browser.get(address)
    assert (303, "/") == (done.status_code, done.headers["location"])
    cookie = done.headers["set-cookie"].lower()
    assert all(each in cookie for each in ("httponly", "samesite=strict", "path=/"))
    assert 403 == browser.get(address).status_code
    browser.cookies = {f"grader-desk-{PORT}": browser.lets_in.session}
    assert 303 == browser.get(address).status_code
    assert 200 == browser.get("/").status_code


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=x", "/desk.js", PATH, "/mistakes"])
def test_without_the_address_nothing_is_shown(browser: Asking, path: str) -> None:
    """Not even the looks, nor to who has a cookie of something else."""
    for cookies in ({}, {f"grader-desk-{PORT}": "x"}, {"other": browser.lets_in.session}):
        browser.cookies = cookies
        done = browser.get(path)
        assert 403 == done.status_code
        assert "an" not in done.text.split()


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "[::1]", ""])
def test_another_name_leads_nowhere(browser: Asking, host: str) -> None:
    """A page of others may have its own name lead to this machine."""
    assert 403 == browser.get("/", headers={"host": host}).status_code


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": "http://127.0.0.1:8124"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {},
    ],
    ids=str,
)
def test_forms_of_other_pages_are_refused(browser: Asking, headers: dict[str, str]) -> None:
    """Also where they know the word, and the cookie came along."""
    form = {"word": browser.lets_in.form_token, **TOTAL}
    done = browser.ask("POST", PATH, data=form, headers=headers)
    assert (403, 1.0) == (done.status_code, browser.score("an"))


@pytest.mark.parametrize("form", [{}, {"word": ""}, {"word": "x"}, {"word": "é"}], ids=str)
def test_forms_without_the_word_are_refused(browser: Asking, form: dict[str, str]) -> None:
    """A page of the desk has it, and nobody can guess it."""
    done = browser.ask("POST", PATH, data={**TOTAL, **form}, headers={"origin": ORIGIN})
    assert (403, 1.0) == (done.status_code, browser.score("an"))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"{}", "application/json"),
        (b"\xff=1", "application/x-www-form-urlencoded"),
        (b"a=" + b"x" * 1_000_001, "application/x-www-form-urlencoded"),
        (b"&".join([b"a=1"] * 6_000), "application/x-www-form-urlencoded"),
    ],
    ids=["json", "no text", "large", "many"],
)
def test_what_is_no_form_is_refused(browser: Asking, content: bytes, kind: str) -> None:
    """And read no further than a form can be."""
    headers = {"origin": ORIGIN, "content-type": kind}
    assert 403 == browser.ask("POST", PATH, content=content, headers=headers).status_code


@pytest.mark.parametrize(
    ("fields", "said"),
    [(5_000, "this form is from an earlier desk"), (5_001, "the form has more than 5,000 fields")],
)
def test_form_with_too_many_fields_is_told_so(browser: Asking, fields: int, said: str) -> None:
    """To load the page again would not help: it would have as many."""
    headers = {"origin": ORIGIN, "content-type": "application/x-www-form-urlencoded"}
    done = browser.ask("POST", PATH, content=b"&".join([b"a=1"] * fields), headers=headers)
    assert (403, True) == (done.status_code, said in done.text)


def test_reading_changes_nothing(browser: Asking) -> None:
    """Fields in an address are no form, and there are no other ways to ask."""
    word = browser.lets_in.form_token
    assert 200 == browser.get(PATH, params={"word": word, **TOTAL}).status_code
    assert 405 == browser.get("/undo").status_code
    assert [405, 405, 405] == [
        browser.ask(method, PATH).status_code for method in ("PUT", "DELETE", "HEAD")
    ]
    assert (1.0, []) == (browser.score("an"), list(browser.desk.store.decisions))


@pytest.mark.parametrize("path", ["/", PATH, "/desk.css", "/nowhere", "/s/yinyang/..%2f"])
def test_all_answers_are_locked(browser: Asking, path: str) -> None:
    """Nothing is kept, framed, or run but the script of the desk."""
    for cookies in (browser.cookies, {}):
        browser.cookies = cookies
        headers = browser.get(path).headers
        assert (
            "default-src 'none'; style-src 'self'; script-src 'self'"
            in headers["content-security-policy"]
        )
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert ("no-store", "nosniff") == (
            headers["cache-control"],
            headers["x-content-type-options"],
        )
