"""A site in a real browser: from a server, from a disk, and without a network."""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from browsing import chromium
from click.testing import CliRunner

from grader.cli.check_submission import EntryWorker
from grader.errors import HostError
from grader.intake.submissions import single_entry
from grader.judging.record import Record
from grader.plugins.site.verb import command
from grader.reporting.wording import Locale, score_text
from grader.sandbox.sandbox import new_sandbox

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


def judged(path: Path) -> Record:
    """Return the record of `grader check`."""
    with EntryWorker("yinyang", ROOT / "testsuites", new_sandbox()) as worker:
        return worker.record_of(single_entry(path))


def score(record: Record) -> str:
    """Return how a page tells the score."""
    return score_text(record, Locale.of_record(record))


def test_page_says_what_check_says(page: Page) -> None:
    """Points are those of `grader check`, and nothing that is hostile does more than end itself."""
    requests: list[str] = []
    page.context.on("request", lambda request: requests.append(request.url))
    assert [] == Axe().run(page).response["violations"]
    for name in SAMPLES:
        sample = ROOT / "submissions/yinyang" / name
        assert score(judged(sample)) in checked(page, sample.read_text("utf-8"))
    right = REFERENCE.read_text("utf-8")
    for name, line in HOSTILE.items():
        assert "23 van de 23 punten" in checked(page, f"{right}\n{line}\n"), name
    assert "Yin-Yang" == page.title()
    assert [] == [url for url in requests if not url.startswith("blob:")]


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
    checked(page, right)
    assert "Opgelost sinds de vorige keer: isopgelost/1" in page.inner_text("#status")


def test_page_works_without_a_network(site: Site, page: Page) -> None:
    """What was loaded once is there when there is no network."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.context.set_offline(offline=True)
    again = opened(page.context, site.address)
    page.context.set_offline(offline=False)
    assert "23 van de 23 punten" in checked(again, REFERENCE.read_text("utf-8"))
    again.close()


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
    page.close()
