"""The page on similarity in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from browsing import Desk, chromium
from compared_programs import CLASS, ORIGINAL, class_of

from grader.plugins.similarity.page import similarity_page

pytestmark = pytest.mark.browser


def test_a_pair_is_opened_by_its_link_and_read_by_everybody(tmp_path: Path) -> None:
    """Its two sides are in sight, nothing is loaded, and axe has no complaint in light or dark."""
    copies = {"ann": CLASS[ORIGINAL], "<b>bob</b>": f"# </code><script>\n{CLASS[ORIGINAL]}"}
    found = class_of({**{str(n): text for n, text in enumerate(CLASS)}, **copies})
    codes = dict(enumerate([("a.py", text)] for text in (*CLASS, *copies.values())))
    html = similarity_page([(found, codes, [])], "en")
    for browser in chromium():
        desk = Desk(browser, tmp_path)
        for scheme in ("light", "dark"):
            page = desk.open(html, "#pair-1-2", color_scheme=scheme)
            assert page.locator("#pair-1-2 pre").count() == 2
            assert page.locator("#pair-1-2 pre").first.is_visible()
            assert [] == [each["id"] for each in Axe().run(page).response["violations"]]
        assert [] == desk.complaints()
        desk.close()
