"""A real Chromium for tests that use pages as people do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_LISTEN: Final = """
window.violations = [];
addEventListener("securitypolicyviolation",
                 (event) => window.violations.push(`${event.violatedDirective}: ${event.sample}`));
"""


def chromium() -> Iterator[Browser]:
    """Yield a running Chromium; skip the test where there is none, or nothing to drive it."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("there is no Chromium: apt install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path)
        yield browser
        browser.close()


class Desk:
    """Opens pages from a folder, as students do, and notes whatever the browser complains about."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        """Work in `folder` with `browser`."""
        self._browser = browser
        self._folder = folder
        self._contexts: list[BrowserContext] = []
        self._pages: list[Page] = []
        self._complaints: list[str] = []

    def open(self, html: str, fragment: str = "", **options: Any) -> Page:
        """Open the page `html` at `fragment`, in a browser with `options` and an empty memory."""
        file = self._folder / f"page{len(self._contexts)}.html"
        file.write_text(html, encoding="utf-8")
        context = self._browser.new_context(**options)
        context.set_default_timeout(10_000)
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: self._complaints.append(said.text))
        page.on("pageerror", lambda error: self._complaints.append(str(error)))
        page.on("dialog", lambda dialog: self._complaints.append(dialog.message))
        page.on("request", self._note_request)
        page.add_init_script(_LISTEN)
        page.goto(f"{file.as_uri()}{fragment}")
        self._pages.append(page)
        return page

    def complaints(self) -> list[str]:
        """Return what the browser complained about so far, and every load but that of a page."""
        violations = [
            str(violation)
            for page in self._pages
            for violation in page.evaluate("window.violations ?? []")
        ]
        return self._complaints + violations

    def close(self) -> None:
        """Close all pages."""
        for context in self._contexts:
            context.close()
        self._contexts, self._pages = [], []

    def forget(self) -> None:
        """Close all pages, and forget what the browser complained about."""
        self.close()
        self._complaints = []

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self._complaints.append(request.url)


def desk(browser: Browser, folder: Path) -> Iterator[Desk]:
    """Yield a desk in `folder`; in the end the browser must have had nothing to complain about."""
    yours = Desk(browser, folder)
    yield yours
    complaints = yours.complaints()
    yours.close()
    assert [] == complaints, complaints
