"""What all pages owe all readers: axe finds nothing, the keyboard is enough, narrow is enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from browsing import Desk, chromium
from browsing import desk as a_desk
from coded_records import coded, commented
from counterexample_samples import told
from drawn_pages import page_of
from record_samples import (
    HOSTILE_TEXTS,
    case,
    group,
    hostile_record,
    record,
    yinyang_record,
)
from ruled_records import one_of_each
from widget_samples import LARGEST, SAMPLES

from grader.judging.record import Record
from grader.messages import message
from grader.plugins.regrading.attempts_page import attempts_page
from grader.reporting.deciding import Choices
from grader.reporting.index_page import IndexEntry, index_page
from grader.reporting.rendering import write_shared_files
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.verdict import Status

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

_UNGRADABLE: Final = replace(
    coded(text=f"if {'x' * 99}\n    pass\n"),
    status=Status.UNGRADABLE,
    remarks=(message("ungradable.syntax", file="f.py", line=1, column=103, message="m", text="t"),),
)


def overview(*records: Record) -> str:
    """Return the overview of a run of `records`."""
    entries = [IndexEntry.of(each, f"yinyang/{n}.html") for n, each in enumerate(records)]
    choices = {"yinyang": Choices(cases={"f/1": 1.0}, groups={"f": 1.0}, rules=["loops/f"])}
    return index_page(entries, language="en", interrupted=True, choices=choices)


PAGES: Final = {
    "good": student_page(record(group("f", case("f/1"), case("f/2")))),
    "bad": student_page(yinyang_record()),
    "widgets": page_of(*SAMPLES.values(), LARGEST["table"], LARGEST["calls"]),
    "rules": student_page(one_of_each()),
    "code": student_page(commented()),
    "hidden": student_page(told()),
    "ungradable": student_page(_UNGRADABLE),
    "index": overview(*(yinyang_record() for _ in range(40)), _UNGRADABLE, one_of_each()),
    "attempts": attempts_page(record(group("f", case("f/1"))), yinyang_record()),
    "sheet": defence_sheet(one_of_each()),
}
CLICKABLE: Final = tuple(kind for kind in PAGES if kind != "sheet")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    yield from chromium()


@pytest.fixture
def desk(browser: Browser, tmp_path: Path) -> Iterator[Desk]:
    """A desk where the browser may not complain about anything."""
    yield from a_desk(browser, tmp_path)


def axe(page: Page) -> list[str]:
    """Return what axe-core finds wrong with `page`: the rule, the place, and the reason."""
    if find_spec("axe_playwright_python") is None:
        pytest.skip("there is no axe-core: pip install axe-playwright-python")
    page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    # What axe would load for itself, the policy of the page refuses.
    found: dict[str, Any] = page.evaluate("axe.run({preload: false})")
    return [
        f"{violation['id']}: {node['target']}: {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("kind", PAGES)
def test_axe_finds_nothing(desk: Desk, kind: str) -> None:
    """No page breaks a rule of axe-core in either theme, unfolded and with the help open."""
    page = desk.open(PAGES[kind], color_scheme="light")
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert [] == axe(page)
    page.emulate_media(color_scheme="dark")
    assert [] == axe(page)
    if kind == "bad":
        page.keyboard.press("?")
        assert [] == axe(page)


_REACHABLE: Final = """
() => {
  const all = document.querySelectorAll("a[href], button, input, summary, [tabindex='0']");
  return [...all].filter((it) => it.checkVisibility() && !it.closest("dialog")).length;
}
"""
_FOCUS: Final = """
() => {
  const it = document.activeElement;
  if (it === document.body) return null;
  window.walked ??= new Set();
  const again = window.walked.has(it);
  window.walked.add(it);
  const box = it.getClientRects()[0];
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  const style = getComputedStyle(it);
  const seen = [[.5, .5], [.1, .5], [.9, .5], [.5, .1], [.5, .9]].every(([x, y]) => {
    const there = document.elementFromPoint(left + x * (right - left), top + y * (bottom - top));
    return there && (it.contains(there) || there.contains(it));
  });
  return {
    again, count: window.walked.size, what: it.outerHTML.slice(0, 200),
    seen: seen && right > left && bottom > top,
    marked: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
  };
}
"""


@pytest.mark.parametrize("kind", CLICKABLE)
def test_tab_reaches_everything_and_shows_where_it_is(desk: Desk, kind: str) -> None:
    """Each control and link gets the focus once, with an outline, in sight, under nothing."""
    page = desk.open(PAGES[kind], viewport={"width": 1000, "height": 600})
    reachable = page.evaluate(_REACHABLE)
    for _ in range(reachable):
        page.keyboard.press("Tab")
        focus = page.evaluate(_FOCUS)
        assert focus is not None
        assert (False, True, True) == (focus["again"], focus["seen"], focus["marked"]), focus
    assert reachable == focus["count"] >= 2


@pytest.mark.parametrize("kind", CLICKABLE)
def test_what_is_to_click_is_large_enough(desk: Desk, kind: str) -> None:
    """Nothing but a link inside a sentence is smaller than 24 by 24 pixels."""
    page = desk.open(PAGES[kind])
    small = page.evaluate("""
        () => [...document.querySelectorAll("a[href], button, input, summary")].filter((it) => {
          const { width, height } = it.getBoundingClientRect();
          const inSentence = it.matches("p.aside > a");
          return it.checkVisibility() && !inSentence && (width < 24 || height < 24);
        }).map((it) => it.outerHTML)
    """)
    assert [] == small


@pytest.mark.parametrize("kind", CLICKABLE)
def test_nobody_scrolls_sideways(desk: Desk, kind: str) -> None:
    """On a telephone, and at four times the size, a page is as wide as the screen."""
    page = desk.open(PAGES[kind])
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert width == page.evaluate("document.documentElement.scrollWidth")


def test_hostile_text_stays_text(desk: Desk) -> None:
    """Nothing of it runs, loads or paints, and the policy has nothing to refuse."""
    names = ("attribute", "script", "style", "comment", "template", "bidi")
    hostile = hostile_record(" ".join(HOSTILE_TEXTS[name] for name in names))
    for html in (student_page(hostile), overview(hostile, hostile), defence_sheet(hostile)):
        page = desk.open(html)
        page.keyboard.press("j")
        assert page.locator("script").count() <= 1
        assert 0 == page.locator("img, [onmouseover], [onerror]").count()
        assert page.is_visible("h1")
        assert "<script>alert(1)</script>" in page.inner_text("body")


@pytest.mark.parametrize("shares", [False, True])
def test_the_policy_refuses_what_is_not_ours(
    browser: Browser, tmp_path: Path, shares: bool
) -> None:
    """Would markup get through, then the policy stops it, and these tests would notice."""
    (tmp_path / "yinyang").mkdir()
    write_shared_files(tmp_path)
    (tmp_path / "evil.js").write_text("alert(3)", encoding="utf-8")
    desk = Desk(browser, tmp_path / "yinyang")
    attack = (
        "<script>alert(1)</script><script src='../evil.js'></script>"
        "<b style='color: red' onclick='alert(2)'>x</b>"
    )
    html = student_page(record(group("f", case("f/1"))), shares=shares)
    page = desk.open(html.replace("<main>", f"<main>{attack}"))
    assert page.is_visible(".tools .theme"), "our own script runs"
    assert "none" == page.eval_on_selector(
        ".parts, .plain", "it => getComputedStyle(it).listStyleType"
    )
    page.click("b")
    refused = desk.complaints()
    assert all("alert" in each or "style" in each or "script" in each for each in refused)
    assert not {"1", "2", "3"} & set(refused)
    kinds = {each.partition(":")[0] for each in refused}
    assert {"script-src-elem", "script-src-attr", "style-src-attr"} <= kinds
    desk.forget()
