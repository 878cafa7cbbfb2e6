"""Lines that a teacher types run on what a student handed in, in an executor of this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import Asking, asking, handed_in
from command_line import SUITE, grader, write
from filed_runs import filed

from grader.plugins.desk.trying import _prompt_lines
from grader.seams import EXTRAS

CODE = "def double(n):\n    return n + n if n else boom\n"
PATH = "/s/double/an"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a graded run of one hand-in."""
    folder = tmp_path_factory.mktemp("tried")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        suite = SUITE.format(name="double", defines="double", call="double(0)")
        write("testsuites/double.yaml", suite)
        write("double/an.py", CODE)
    return folder


@pytest.fixture
def browser(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Asking]:
    """A browser at the desk of that run."""
    monkeypatch.chdir(folder)
    if not Path("run").exists():
        assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    with asking(folder / "run") as browser:
        yield browser


def answers(browser: Asking, lines: str) -> str:
    """Return what the page shows of `lines` that were run."""
    done = browser.post(PATH, {"do": "try", "lines": lines})
    assert 200 == done.status_code, done.text
    shown = done.text.split('aria-label="What it comes to"><code>')[1].split("</code>")[0]
    return shown.replace("&gt;", ">").replace("&#34;", '"').replace("&#39;", "'")


def test_lines_are_tried_in_a_sandbox(browser: Asking) -> None:
    """Each with what it gives; nothing is stored, and a statement may have several lines."""
    lines = "x = double(2)\nx\nfor n in 1, 2:\n    print(n)\ndouble(0)\n>>> open('/etc/passwd')"
    shown = answers(browser, lines).splitlines()
    assert [">>> x = double(2)", ">>> x", "4", ">>> for n in 1, 2:", "...     print(n)"] == shown[
        :5
    ]
    assert ["1", "2", ">>> double(0)", "Traceback (most recent call last):"] == shown[5:9]
    assert any(each.startswith("NameError: name 'boom'") for each in shown)
    assert "root:" not in "".join(shown)
    assert [] == list(browser.desk.store.decisions)


def test_session_that_fails_is_there_to_be_run_again(browser: Asking) -> None:
    """What shows the mistake stands in the field, for one click."""
    page = browser.get(PATH).text
    assert "double(0)</textarea>" in page
    assert 'data-key="r"' in page
    assert "there are no lines to run" in browser.post(PATH, {"do": "try", "lines": " "}).text


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("while True: pass", "this step"),
        ("f(", "this statement is incomplete"),
        ("1 +", "SyntaxError"),
        ("for n in range(99): print(n)\r\n1", "\n9\n… (69 lines)\n79\n"),
        ("print('<script>')", "&lt;script>"),
    ],
)
def test_whatever_is_typed_comes_to_an_end(browser: Asking, lines: str, says: str) -> None:
    """Nothing that runs keeps a desk waiting for long, nor becomes markup."""
    assert says in answers(browser, lines)


def test_without_what_it_needs_nothing_is_offered(
    tmp_path: Path, browser: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No plug-in with a prompt; no suite of that name any more."""
    filed(tmp_path / "run", handed_in("an"))
    with asking(tmp_path / "run") as other:
        done = other.post("/s/yinyang/an", {"do": "try", "lines": "1"})
    assert 400 == done.status_code
    monkeypatch.setattr(type(EXTRAS), "find", lambda *_: None)
    assert "<textarea" not in browser.get(PATH).text


def test_blocks_end_as_a_prompt_wants_it() -> None:
    """With a blank line before what does not belong to them."""
    lines = [">>> if a: b", "c", "try:", "    d", "except E:", "    e", "f"]
    made = ["if a: b", "", "c", "try:", "    d", "except E:", "    e", "", "f", ""]
    assert made == list(_prompt_lines(lines))
