"""A site in a real browser: from a server, from a disk, and without a network."""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from browsing import chromium
from click.testing import CliRunner

from grader.cli.check_submission import EntryWorker
from grader.errors import HostError
from grader.intake.submissions import single_entry
from grader.judging.record import CaseResult, Record
from grader.plugins.site.linking import address
from grader.plugins.site.verb import command
from grader.reporting.wording import Locale, score_text
from grader.sandbox.sandbox import new_sandbox
from grader.verdict import Verdict

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.browser

ROOT: Final = Path(__file__).parents[3]
REFERENCE: Final = ROOT / "reference/yinyang/yinyang.py"
SAMPLES: Final = ("segers_xander.py", "jacobs_robbe.py")
"""One with a mistake, and one that raises."""
HOSTILE: Final = {
    "loop": "while True: pass",
    "flood": "while True: print('x' * 1000)",
    "memory": "full = [0] * 10**10",
    "js": "import js; js.document.title = 'gone'",
    "proxies": (
        "import gc\n"
        "found = [each for each in gc.get_objects() if type(each).__name__ == 'JsFinder']\n"
        "found[0].jsproxies['pyodide_js']\n"
        "YinYang = None"
    ),
    "code": "from pyodide.code import run_js; run_js('fetch(\"/\")')",
}
"""What stands behind a right solution, which is graded for what comes before."""
SPOILING: Final = """\
import gc
for each in gc.get_objects():
    if type(each).__name__ == "function" and each.__qualname__.startswith("start."):
        for cell in each.__closure__ or ():
            if "JsProxy" in type(cell.cell_contents).__name__:
                cell.cell_contents = None
gc.collect()
"""
"""Takes from the worker what it cannot do without."""
_WAIT_MS: Final = 60_000
_LISTEN: Final = """
window.violations = [];
addEventListener("securitypolicyviolation",
                 (event) => window.violations.push(event.violatedDirective));
"""


class Site(NamedTuple):
    """A site in a folder, the page of one file beside it, and the address of the server."""

    alone: Path
    address: str


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site that is served, with Yin-Yang on it."""
    folder = tmp_path_factory.mktemp("site")
    for name, options in (("public", []), ("stick", ["--alone"])):
        args = [str(folder / name), "--exercise", "yinyang", *options]
        done = CliRunner().invoke(command, args)
        if isinstance(done.exception, HostError):
            pytest.skip(done.exception.message)
        assert 0 == done.exit_code, done.output
    handler = functools.partial(Quiet, directory=str(folder / "public"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://localhost:{server.server_port}/yinyang.html"
        yield Site(folder / "stick/yinyang.html", address)
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing of what is asked for."""

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    yield from chromium()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has been nowhere before."""
    made = browser.new_context()
    made.set_default_timeout(_WAIT_MS)
    made.add_init_script(_LISTEN)
    yield made
    made.close()


@pytest.fixture(scope="module")
def page(site: Site, context: BrowserContext) -> Page:
    """The page of the site, for the first time."""
    return opened(context, site.address)


def opened(context: BrowserContext, address: str) -> Page:
    """Return the page at `address`, ready to check."""
    page = context.new_page()
    page.goto(address)
    page.locator("#status").filter(has_text="Klaar").wait_for()
    return page


def checked(page: Page, text: str) -> str:
    """Type `text`, check it, and return what the page of the result says."""
    page.locator("#status").evaluate("(status) => { status.textContent = ''; }")
    page.locator("#result").evaluate("(frame) => { frame.removeAttribute('srcdoc'); }")
    page.fill("#code", text)
    page.keyboard.press("Control+Enter")
    page.locator("#status").filter(has_text=re.compile(r"\d s\)$")).wait_for()
    page.frame_locator("#result").locator("h1").wait_for()
    said = page.frame_locator("#result").locator("body").inner_text()
    return re.sub(r"\s+", " ", said)


def typed(page: Page, *lines: str) -> str:
    """Type `lines` at the prompt; return what it shows below the last of them."""
    for line in lines:
        page.locator("#typed").press_sequentially(line)
        page.locator("#typed").press("Enter")
    page.locator(".typed-line").filter(has_text=lines[-1]).last.locator("+ .said").wait_for()
    return page.locator("#log .said").last.inner_text()


def judged(path: Path) -> Record:
    """Return the record of `grader check`."""
    with EntryWorker("yinyang", ROOT / "testsuites", new_sandbox()) as worker:
        return worker.record_of(single_entry(path))


def score(record: Record) -> str:
    """Return how a page tells the score."""
    return score_text(record, Locale.for_record(record))


def test_page_says_what_check_says(page: Page) -> None:
    """Points are those of `grader check`, and nothing that is hostile does more than end itself."""
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    for name in reversed(SAMPLES):
        sample = ROOT / "submissions/yinyang" / name
        assert score(judged(sample)) in checked(page, sample.read_text("utf-8"))
    look_at_marks(page)
    right = REFERENCE.read_text("utf-8")
    for name, line in HOSTILE.items():
        assert "23 van de 23 punten" in checked(page, f"{right}\n{line}\n"), name
    assert "Yin-Yang" == page.title()
    assert [] == [url for url in requests if not url.startswith("blob:")]


def look_at_marks(page: Page) -> None:
    """Look at the marks in the editor: they say what the page says, and nothing of it is markup."""
    assert page.locator("#code .tok-keyword").count()
    first = page.locator("#lines li").first
    assert "Regel 28 fout: Het type van de uitzondering klopt" in first.inner_text()
    first.locator("button").click()
    page.locator(".cm-lint-marker").first.hover()
    tooltip = page.locator(".cm-tooltip")
    assert "<script>alert(1)</script>" in tooltip.inner_text()
    assert 0 == page.locator("#lines script, .cm-tooltip script").count()
    assert [] == Axe().run(page).response["violations"]
    page.locator("#code").press("Escape")
    page.locator("#code").press("Tab")
    assert page.locator("#check").evaluate("(button) => button === document.activeElement")


def test_one_check_spoils_no_other(page: Page) -> None:
    """A worker in which something went wrong serves no other session."""
    right = REFERENCE.read_text("utf-8")
    checked(page, f"{right}\n{SPOILING}")
    assert "23 van de 23 punten" in checked(page, right)


def test_page_tells_what_has_changed(page: Page) -> None:
    """The status says which cases are mended, and which are broken, since the last time."""
    right = REFERENCE.read_text("utf-8")
    checked(page, right)
    checked(page, f"{right}\nYinYang.isopgelost = lambda self: 1 / 0\n")
    assert "Stuk sinds de vorige keer: isopgelost/1" in page.inner_text("#status")
    assert "Regel" in page.inner_text("#lines")
    page.fill("#code", right)  # it checks by itself
    page.locator("#status").filter(
        has_text="Opgelost sinds de vorige keer: isopgelost/1"
    ).wait_for()
    assert page.locator("#marks").is_hidden()
    page.set_input_files("#files", ROOT / "submissions/yinyang" / SAMPLES[0])
    page.frame_locator("#result").get_by_text("19 van de 23 punten").first.wait_for()
    assert "sinds de vorige keer" not in page.inner_text("#status"), "it is another file"
    page.locator("#code").press("Control+z")  # what was there before the file
    page.keyboard.press("Control+Enter")
    page.locator("#status").filter(has_text="Opgelost sinds de vorige keer").wait_for()


def test_session_goes_on_at_a_prompt(page: Page) -> None:
    """A session that fails is gone through; one can type on, even after a loop without an end."""
    right = REFERENCE.read_text("utf-8")
    endless = "def endless():\n    while True: pass\n"
    checked(page, f"{right}\n{endless}YinYang.isopgelost = lambda self: '<b>no</b>'\n")
    page.locator("#prompt > summary").press("Enter")
    page.locator("#log .said").filter(has_text="'<b>no</b>'").wait_for()
    assert "84" == typed(page, "def twice(n):", "return 2 * n", "", "twice(42)")
    assert typed(page, "'<i>' + 1").startswith("Traceback (most recent call last):\nTypeError: ")
    assert "<i>ended</i>" == typed(page, "print('<i>ended</i>')")
    page.locator("#typed").fill("endless()")
    page.locator("#typed").press("Enter")
    page.locator("#log .said").filter(has_text="opnieuw begonnen").wait_for()
    assert "True" == typed(page, "isinstance(puzzel, YinYang)")
    assert 0 == page.locator("#log :is(b, i)").count()
    page.locator("#typed").press("ArrowUp")
    assert "isinstance(puzzel, YinYang)" == page.input_value("#typed")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [] == Axe().run(page).response["violations"]
    # The browser styles what it puts in the place of a selection, which is refused.
    assert {*page.evaluate("window.violations")} <= {"style-src-attr"}


def test_page_works_without_a_network(site: Site, page: Page) -> None:
    """What was loaded once is there when there is no network, and opens a link with code in it."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.context.set_offline(offline=True)
    sample = judged(ROOT / "submissions/yinyang" / SAMPLES[0])
    handed_in = address(replace(sample, site_url=site.address.rpartition("/")[0]), case_of(sample))
    again = page.context.new_page()
    again.goto(str(handed_in))
    again.locator("#log .typed-line").first.wait_for()
    page.context.set_offline(offline=False)
    assert site.address == again.url, "who copies it does not copy the code"
    assert score(sample) in again.frame_locator("#result").locator("body").inner_text()
    assert case_of(sample).id == again.locator("#session").input_value()
    again.close()


def case_of(record: Record) -> CaseResult:
    """Return the first case that fails."""
    return next(case for case in record.cases if case.verdict is Verdict.WRONG)


def test_old_browser_is_told(site: Site, context: BrowserContext) -> None:
    """Where WebAssembly cannot wait, the page says so, and loads nothing."""
    page = context.new_page()
    page.add_init_script("delete WebAssembly.Suspending")
    page.goto(site.address)
    page.locator("#status").filter(has_text="Deze browser is te oud").wait_for()
    page.close()


def test_page_works_from_a_disk(site: Site, context: BrowserContext) -> None:
    """A page of one file needs no server."""
    page = opened(context, site.alone.as_uri())
    assert "23 van de 23 punten" in checked(page, REFERENCE.read_text("utf-8"))
    assert page.locator("#code .tok-keyword").count()
    assert [] == page.evaluate("window.violations")
    page.close()
