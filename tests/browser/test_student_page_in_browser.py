"""What students do with their page: filter, follow links, press keys, copy, print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from browsing import Desk, chromium
from browsing import desk as a_desk
from coded_records import commented
from counterexample_samples import told
from record_samples import case, group, line, record, yinyang_record

from grader.judging.record import LineStatus
from grader.reporting.case_view import anchor
from grader.reporting.runnable import runnable_program
from grader.reporting.student_page import student_page
from grader.reporting.wording import Locale
from grader.verdict import Verdict

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
CASES: Final = "[data-status]:visible"
STORED_MS: Final = 50
PAGE: Final = student_page(yinyang_record())
PASSED: Final = anchor("maak_leeg/1")
"""A case in a group that is folded."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    yield from chromium()


@pytest.fixture
def desk(browser: Browser, tmp_path: Path) -> Iterator[Desk]:
    """A desk where the browser may not complain about anything."""
    yield from a_desk(browser, tmp_path)


def chip(page: Page, status: str) -> None:
    """Click on the chip for `status`."""
    page.click(f'[data-show="{status}"]')


def status_of(page: Page) -> str:
    """Return what the page says of how many cases it shows."""
    return page.inner_text(".filter [role=status]")


def fragment(page: Page) -> str:
    """Return what stands behind the "#" in the address."""
    return str(page.evaluate("location.hash.slice(1)"))


def open_groups(page: Page) -> list[str]:
    """Return the titles of the groups that are unfolded."""
    return page.locator("details.group[open]:visible h3").all_inner_texts()


def focused(page: Page) -> str:
    """Return the id of what has the focus."""
    return str(page.evaluate("document.activeElement.id"))


def test_chips_filter_by_status_and_say_how_many(desk: Desk) -> None:
    """Each chip has its count, that of the sentence on the result; the status says it too."""
    page = desk.open(PAGE)
    assert "12 van de 19" in page.inner_text(".result")
    chips = page.locator(".chips button").all_inner_texts()
    assert ["Alle 19", "Mislukt 4", "Geslaagd 12", "Niet geprobeerd 3"] == chips
    for status, count in (("bad", 4), ("good", 12), ("idle", 3), ("", 19)):
        chip(page, status)
        assert f"{count} van 19 getoond" == status_of(page)
        assert status == page.get_attribute(".chips [aria-pressed=true]", "data-show")
        shown = page.locator(".case[data-status]:not([data-out])")
        if status:
            assert shown.count() == page.locator(f'{CASES}.case[data-status="{status}"]').count()


def test_filtering_opens_what_fits_and_puts_back_what_was_folded(desk: Desk) -> None:
    """While a filter is on, nothing that fits is folded away; afterwards all is as it was."""
    page = desk.open(PAGE)
    before = open_groups(page)
    chip(page, "good")
    assert "maak_leeg" in open_groups(page)
    assert "aaneengesloten_gebied" not in page.inner_text("section:has(> #groups)")
    chip(page, "")
    assert before == open_groups(page)


def test_hidden_cases_are_one_thing_of_their_group(desk: Desk) -> None:
    """The sentence on them is there as long as nothing is filtered, and where a part of it fits."""
    page = desk.open(PAGE)
    box = page.locator(".hidden-cases:not([data-out])")
    assert 1 == box.count()
    page.click("details.group:has(.hidden-cases) > summary")
    assert "eisen is voldaan" in box.inner_text()
    for status, count in (("bad", 1), ("good", 1), ("idle", 0)):
        chip(page, status)
        assert count == box.count()


def test_text_finds_cases_by_what_they_say_and_by_their_group(desk: Desk) -> None:
    """Capitals do not matter; the title of a group stands for all of its cases."""
    page = desk.open(PAGE)
    page.fill(".find input", "INDEXERROR")
    assert "1 van 19 getoond" == status_of(page)
    assert page.is_visible(f"#{anchor('maak_zwart/buiten')}")
    page.fill(".find input", "gebied")
    assert "4 van 19 getoond" == status_of(page)
    page.press(".find input", "Escape")
    assert "19 van 19 getoond" == status_of(page)


def test_the_filter_is_kept_in_the_address(desk: Desk) -> None:
    """A page that is loaded again, or sent on, shows the same; the way back is the empty one."""
    page = desk.open(PAGE)
    chip(page, "bad")
    page.fill(".find input", "maak & #")
    assert "show=bad&find=maak+%26+%23" == fragment(page)
    page.fill(".find input", "maak")
    assert "3 van 19 getoond" == status_of(page)
    page.reload()
    assert "3 van 19 getoond" == status_of(page)
    assert "maak" == page.input_value(".find input")
    page.evaluate("location.hash = ''")
    page.wait_for_function("document.querySelector('.find input').value === ''")
    assert "19 van 19 getoond" == status_of(page)


def test_a_permalink_arrives_in_a_folded_group(desk: Desk) -> None:
    """The group opens and the case is in sight, also for who comes with the link."""
    page = desk.open(PAGE, f"#{PASSED}", viewport={"width": 800, "height": 500})
    assert page.is_visible(f"#{PASSED}")
    assert PASSED == focused(page)
    top = page.eval_on_selector(f"#{PASSED}", "(it) => it.getBoundingClientRect().top")
    assert 0 <= top < 450


def test_a_link_to_a_line_opens_the_code(desk: Desk) -> None:
    """The code is folded at the foot until something leads there."""
    page = desk.open(student_page(commented()))
    assert page.is_hidden("#line-1-2")
    page.click("a[href='#line-1-2']:visible >> nth=0")
    page.wait_for_selector("#line-1-2", state="visible")
    assert "line-1-2" == focused(page)


def test_a_permalink_survives_a_regrade(desk: Desk) -> None:
    """The same link leads to the same case, whatever became of it and of its neighbours."""
    wrong = [case(f"f/{number}", Verdict.WRONG) for number in range(3)]
    before, after = record(group("f", *wrong)), record(group("f", wrong[2], case("f/1")))
    links = []
    for given in (before, after):
        page = desk.open(student_page(given), f"#{anchor('f/1')}")
        links.append(page.get_attribute(f"#{anchor('f/1')} .permalink", "href"))
        page.click(f"#{anchor('f/1')} .permalink")
        assert anchor("f/1") == focused(page) == fragment(page)
    assert links[0] == links[1]


def test_a_link_to_what_is_filtered_out_ends_the_filter(desk: Desk) -> None:
    """Nobody arrives at nothing."""
    page = desk.open(PAGE, "#show=bad")
    assert "4 van 19 getoond" == status_of(page)
    page.evaluate(f"location.hash = '{PASSED}'")
    page.wait_for_selector(f"#{PASSED}", state="visible")
    assert "19 van 19 getoond" == status_of(page)
    assert "" == page.get_attribute(".chips [aria-pressed=true]", "data-show")


def test_links_and_sessions_can_be_copied(desk: Desk) -> None:
    """The clipboard gets the address of the case, and the program of its session."""
    given = yinyang_record()
    wrong = next(each for each in given.cases if each.id == "maak_zwart/buiten")
    own = f"#{anchor(wrong.id)}"
    page = desk.open(PAGE, own, permissions=["clipboard-read", "clipboard-write"])
    page.click(f"{own} .link")
    assert own == "#" + str(page.evaluate("navigator.clipboard.readText()")).partition("#")[2]
    page.click(f"{own} .python")
    page.wait_for_selector(f"{own} .python:text-is('Gekopieerd')")
    program = runnable_program(wrong, given, Locale.for_language("nl"))
    assert program == page.evaluate("navigator.clipboard.readText()")


def test_copying_works_where_the_clipboard_is_closed(desk: Desk) -> None:
    """Without the clipboard of new browsers the old way is taken, and the focus stays."""
    page = desk.open(PAGE, f"#{anchor('maak_zwart/buiten')}")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.click(f"#{anchor('maak_zwart/buiten')} .python")
    page.wait_for_selector("text=Gekopieerd")
    assert page.evaluate("document.activeElement.matches('.python')")
    page.fill(".find input", "")
    page.focus(".find input")
    page.keyboard.press("Control+V")
    assert page.input_value(".find input").startswith("from yinyang import *")


def test_j_and_k_walk_along_the_failures(desk: Desk) -> None:
    """From one to the next and back, and no further than the last; folded groups open."""
    cases = [case(f"f/{number}", Verdict.WRONG) for number in range(2)]
    more = case("g/0", Verdict.ERROR, group="g")
    page = desk.open(student_page(record(group("f", *cases, case("f/9")), group("g", more))))
    page.click("details.group:has(h3:text-is('g')) > summary")
    walk = []
    for key in "kjjkkk":
        page.keyboard.press(key)
        walk.append(focused(page))
    assert [anchor(each) for each in ("f/1", "g/0", "g/0", "f/1", "f/0", "f/0")] == walk
    assert page.is_visible(f"#{anchor('g/0')}")


def test_keys_lead_to_counterexamples(desk: Desk) -> None:
    """A small session that shows a mistake is a stop on the way, and can be copied and linked."""
    page = desk.open(student_page(told()))
    page.keyboard.press("j")
    assert page.locator(".first").get_attribute("id") == focused(page)
    assert 2 == page.locator(".first .acts button").count()


def test_keys_are_text_in_the_box_and_can_be_switched_off(desk: Desk) -> None:
    """`/` goes to the box, where letters are letters; a page without keys stays so."""
    page = desk.open(PAGE)
    page.keyboard.press("/")
    page.keyboard.type("j/?k")
    assert "j/?k" == page.input_value(".find input")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.uncheck("dialog input")
    page.click("dialog .close")
    assert "keys=off" == fragment(page)
    page.reload()
    for key in "j/?":
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement === document.body")
    assert page.is_hidden("dialog")


def test_help_opens_and_closes_by_keyboard(desk: Desk) -> None:
    """`?` opens it, Escape closes it, and the focus is where it was."""
    page = desk.open(PAGE)
    page.focus("details.group > summary >> nth=2")
    page.keyboard.press("?")
    assert page.is_visible("dialog")
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    assert page.is_hidden("dialog")
    assert "SUMMARY" == page.evaluate("document.activeElement.tagName")


def test_the_theme_can_be_turned(desk: Desk) -> None:
    """The button starts from what the system asks for, and is remembered."""
    page = desk.open(PAGE, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    assert "true" == page.get_attribute(".theme", "aria-pressed")
    page.click(".theme")
    assert "false" == page.get_attribute(".theme", "aria-pressed")
    light = page.evaluate(ground)
    assert light != dark

    def seen_again() -> object:
        page.wait_for_timeout(STORED_MS)
        page.reload()
        return page.evaluate(ground)

    # A busy browser stores what a page keeps a moment later, in another process.
    assert any(light == seen_again() for _ in range(200))
    page.click(".theme")
    assert dark == page.evaluate(ground)


def test_without_javascript_nothing_is_missing(desk: Desk) -> None:
    """Every case is there, links arrive, and there is no control that does nothing."""
    page = desk.open(PAGE, f"#{PASSED}", java_script_enabled=False)
    assert 0 == page.locator("button, input, dialog").count()
    assert page.is_visible(f"#{PASSED}")
    assert 17 == page.locator("[data-status], [data-each] > li").count()
    page.click("details.group:not([open]) > summary >> nth=0")


def test_on_paper_what_is_open_is_open_and_nothing_is_to_click(desk: Desk) -> None:
    """Print shows the rows, what failed first, and what somebody opened; no controls, in light."""
    page = desk.open(PAGE, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert 3 == page.locator(CASES).count()
    assert 5 == page.locator("#groups ~ details.group:visible").count()
    page.emulate_media(media="screen")
    chip(page, "bad")
    folded = page.locator("details:not([open])").count()
    page.emulate_media(media="print", color_scheme="dark")
    assert 4 == page.locator(f'{CASES}[data-status="bad"]').count()
    assert 0 == page.locator("button:visible, input:visible, .permalink:visible").count()
    assert "rgb(255, 255, 255)" == page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert {"avoid"} == set(
        page.eval_on_selector_all(
            ".case", "all => all.map((it) => getComputedStyle(it).breakInside)"
        )
    )
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="screen")
    assert folded == page.locator("details:not([open])").count()


def test_what_is_pressed_is_seen_with_forced_colors(desk: Desk) -> None:
    """Where the system paints, a pressed chip still differs from the others."""
    page = desk.open(PAGE, forced_colors="active")
    grounds = page.eval_on_selector_all(
        ".chips button", "all => all.map((it) => getComputedStyle(it).backgroundColor)"
    )
    assert grounds[0] not in grounds[1:]


def test_long_sessions_are_not_offered_as_a_program(desk: Desk) -> None:
    """What would not be the whole session has no button, and keeps its link."""
    steps = (line("f(0)", "0"),) * 200
    long = case(verdict=Verdict.WRONG, transcript=(*steps, line("f(1)", "2", LineStatus.FAILED)))
    page = desk.open(student_page(record(group("f", replace(long, id="f/long")))), "#show=bad")
    assert re.fullmatch("Copy link", page.inner_text(".acts"))


def test_an_old_address_never_shows_an_empty_page(desk: Desk) -> None:
    """When all is mended, a link to the failures filters nothing."""
    page = desk.open(student_page(record(group("f", case("f/1"), case("f/2")))), "#show=bad")
    assert "2 of 2 shown" == status_of(page)
    assert ["All 2", "Passed 2"] == page.locator(".chips button").all_inner_texts()


def test_following_a_link_keeps_the_keys_off(desk: Desk) -> None:
    """A link to a case ends a filter that hides it, and nothing else."""
    page = desk.open(PAGE, "#show=bad&keys=off")
    page.evaluate(f"location.hash = '{PASSED}'")
    page.wait_for_selector(f"#{PASSED}", state="visible")
    page.keyboard.press("?")
    assert page.is_hidden("dialog")


def test_what_has_no_room_is_counted(desk: Desk) -> None:
    """Chips and status say how many cases there are, also of those that the page leaves out."""
    text = "x" * 300
    step = line(output=text, state=LineStatus.FAILED)
    wrong = (case(f"f/{n}", Verdict.WRONG, got=text, transcript=(step,)) for n in range(500))
    passed = (case(f"g/{n}", code=f"g({text!r}, {n})") for n in range(200))
    page = desk.open(student_page(record(group("f", *wrong), group("g", *passed))))
    assert page.locator("li[data-status]").count() < 200
    assert ["All 700", "Failed 500", "Passed 200"] == page.locator(
        ".chips button"
    ).all_inner_texts()
    chip(page, "bad")
    assert "500 of 700 shown" == status_of(page)


def test_what_failed_is_printed_on_three_sheets(desk: Desk) -> None:
    """Of twelve parts three are told, each to where it goes wrong."""
    steps = tuple(line(f"box.put({number})", "") for number in range(60))
    groups = (
        group(
            f"g{number}",
            *(
                case(
                    f"g{number}/{at}",
                    Verdict.WRONG,
                    transcript=(*steps, line(f"box.size({at})", state=LineStatus.FAILED)),
                )
                for at in range(1, 5)
            ),
        )
        for number in range(12)
    )
    page = desk.open(student_page(record(*groups)))
    page.emulate_media(media="print")
    ends = page.locator(".cases .session .failed:visible").evaluate_all(
        "all => all.map((it) => it.getBoundingClientRect().bottom"
        " <= it.closest('.session').getBoundingClientRect().bottom + 1)"
    )
    assert [True] * 3 == ends
    sheets = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert 2 <= sheets <= 3


def test_the_code_is_one_click_away_and_so_is_the_way_back(desk: Desk) -> None:
    """From anywhere on the page the bar and `c` lead to the code, and then to where one was."""
    page = desk.open(student_page(commented()))
    page.evaluate("document.querySelectorAll('.case')[1].scrollIntoView()")
    before = page.evaluate("scrollY")
    for there, back in (("click", "click"), ("c", "c"), ("c", "click")):
        _to_code(page, there)
        assert page.locator(".lines >> nth=0").is_visible()
        assert "code" == page.evaluate("document.activeElement.id")
        _to_code(page, back)
        assert before == page.evaluate("scrollY")


def _to_code(page: Page, way: str) -> None:
    if way == "click":
        page.dispatch_event(".to-code", way)  # `click` of Playwright scrolls first
    else:
        page.keyboard.press(way)


def test_the_reader_chooses_the_language(desk: Desk) -> None:
    """One click, and the page is in that language, with what it says of itself; so is the next."""
    page = desk.open(student_page(replace(yinyang_record(), also_in=("en", "fr"))))
    page.get_by_role("button", name="English").click()
    page.wait_for_selector("html[lang=en]")
    assert "What to fix first" == page.text_content("#first")
    assert ["Nederlands", "français", "Dark"] == page.locator(".tools button").all_text_contents()[
        :3
    ]
    page.goto(page.url.partition("#")[0])
    assert "What to fix first" == page.text_content("#first")
    page.get_by_role("button", name="Nederlands").click()
    page.wait_for_selector("html[lang=nl]")
    assert "Pak dit eerst aan" == page.text_content("#first")
