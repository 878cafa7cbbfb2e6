"""From the download of the hand-ins to the gradebook and the pages of the same platform."""

from __future__ import annotations

import pytest
from gradebook_headers import GOOD, HEADERS
from named_sources import found, source
from platform_desk import DOWNLOADS, TABLES
from worksheets import MARKS, SAID, WORKSHEETS, Given, mark

from grader.plugins.platforms.gradebooks.dialects import HANDMADE
from grader.plugins.platforms.gradebooks.filling import fill
from grader.plugins.platforms.pages import PageNames, page_paths
from grader.plugins.platforms.platform import Platform
from grader.seams import PLATFORMS

GIVEN = {
    **DOWNLOADS,
    "moodle, blind": [
        "Participant_1001_assignsubmission_file/akari.py",
        "Participant_1002_assignsubmission_file/akari.py",
    ],
    "user names": ["zdesmet/akari.py", "jpeeters/akari.py"],
}
OURS: list[Platform] = [*PLATFORMS.installed()]
DESK = {
    found(source(*names, texts=TABLES.get(key, {}))).layout: {key: [*names]}
    for key, names in DOWNLOADS.items()
}
"""What lies on the desk, by the layout that it has."""


@pytest.mark.parametrize(
    ("download", "worksheet"),
    [
        ("moodle", "moodle"),
        ("moodle", "moodle in Dutch"),
        ("moodle, blind", "moodle in Spanish"),
        ("canvas", "canvas"),
        ("brightspace", "brightspace"),
        ("toledo", "blackboard"),
        ("dodona", "dodona"),
        ("user names", "canvas"),
        ("plain", "brightspace"),
        ("plain", "one's own"),
        ("drive", "one's own"),
        ("classroom50", "one's own"),
        ("gradescope", "gradescope"),
    ],
)
def test_who_handed_in_is_found_in_the_gradebook(download: str, worksheet: str) -> None:
    """With all that the platform tells in a download, and with what a folder is called."""
    given = WORKSHEETS[worksheet]
    attempts = found(source(*GIVEN[download], texts=TABLES.get(download, {}))).attempts
    people = [(each.person, each.person.handle or each.person.name or "") for each in attempts]
    points = dict(zip(GIVEN[download], (12.5, 20.0), strict=True))
    marks = [
        mark(person, next(points[leaf.path] for leaf in attempt.leaves.values()), student=label)
        for attempt, (person, label) in zip(attempts, people, strict=True)
    ]
    assert given.after == fill(given.before, marks, lambda _: SAID, given.wishes).data


# Names

_STAMP = "2026-10-01-12-00-00"
NAMES = {
    "blackboard": {
        **{
            word: [f"Week_1_{user}_{word}_{_STAMP}_akari.py" for user in ("zdesmet", "jpeeters")]
            for word in ("attempt", "poging", "intento", "tentative", "versuch", "tentativo")
        },
        "a receipt alone": [f"Akari_zdesmet_attempt_{_STAMP}.txt"],
        "a group": [f"Akari_Groep 3_poging_{_STAMP}_akari.py"],
        "an archive": [f"Akari_zdesmet_attempt_{_STAMP}_work/akari.py"],
    },
    "moodle": {
        "a folder": ["Zoë De Smet_1001_assignsubmission_file/akari.py"],
        "a folder up to 4.0": ["Zoë De Smet_1001_assignsubmission_file_/akari.py"],
        "no folders": ["Jan Peeters_1002_assignsubmission_file_akari.py"],
        "typed text": [
            "Zoë De Smet_1001_assignsubmission_onlinetext/onlinetext.html",
            "Jan Peeters_1002_assignsubmission_onlinetext_onlinetext.html",
        ],
        "blind": [f"Teilnehmerin_{number}_assignsubmission_file/a.py" for number in (1, 2)],
        "a user name in front": ["zdesmet_Zoë De Smet_1001_assignsubmission_file/a.py"],
        "a team": ["Team 1_7_assignsubmission_file/a.py"],
        "teams and names": [
            f"Team {team}-{name}_{number}_assignsubmission_file/a.py"
            for team, name, number in ((1, "Zoë", 7), (1, "Jan", 8), (2, "Els", 9))
        ],
    },
    "canvas": {
        "in time": ["desmetzoe_1001_5550_akari.py"],
        "late": ["peetersjan_LATE_1002_5552_akari.py", "LATE_doejane_1003_5002_x.py"],
        "once more": ["desmetzoe_1001_5550_a.py", "desmetzoe_1001_5561_a-1.py"],
        "anonymous": [
            *("anon_a1B2c_5002_x.py", "LATE_anon_9bTzL_502_a.py"),
            *("anonymous_5Xk2q_100_a.py", "anonymous_LATE_9fTbb_101_a.py"),
        ],
        "an archive": ["desmetzoe_1001_5550_work/akari.py"],
    },
    "brightspace": {
        "a folder": [
            "31-77 - Zoë De Smet - 3 Oct 2025 1410/akari.py",
            "32-77 - Jan Peeters - Oct 3, 2025 211 PM/akari.py",
            "33-77 - Anne-Marie O'Neil - 3 oktober 2025 1412/akari.py",
            "34-77 - Jean Dupont - 3 févr. 2026 14h12/akari.py",
        ],
        "no folders": ["31-77 - Zoë De Smet - 3 Oct 2025 1410 - akari.py"],
        "the other number": [
            "77-31- Zoë -3 Oct 2025 1410/a.py",
            "77-32- Jan -3 Oct 2025 1410/a.py",
        ],
    },
}
"""What platforms call what was handed in, in all the ways that their forms have."""


@pytest.mark.parametrize(
    ("platform", "names"),
    [
        pytest.param(platform, names, id=f"{platform.name}, {kind}")
        for platform in OURS
        if platform.pages is not None
        for kind, names in (DESK[platform.name] | NAMES.get(platform.name, {})).items()
    ],
)
def test_pages_go_back_to_who_handed_in(platform: Platform, names: list[str]) -> None:
    """What a page is called, the platform would take for a hand-in of the same student."""
    assert platform.pages is not None
    download = source(*names)
    known = PageNames.from_downloads(platform.pages, [download])
    whose: dict[str, str | None] = {}
    for attempt in found(download, layout=platform.name).attempts:
        for person in attempt.person.members or (attempt.person,):
            (path,), without = page_paths(platform.pages, known, mark(person, 1.0))
            whose[path] = person.id or person.user or person.name
            assert [] == without
    scheme = platform.pages.scheme
    back = scheme.read(scheme.match_names(source(*whose))[0]).owners
    assert whose == {fit.name.path: who.id or who.user or who.name for fit, who in back}
    assert all(path.endswith("akari.html") for path in whose)


def test_page_follows_the_receipt() -> None:
    """It tells a user name with `_` in it, and where an assignment ends that is called so too."""
    platform = next(each for each in OURS if each.name == "blackboard")
    assert platform.pages is not None
    for stem, user in (
        (f"Test_j_doe_attempt_{_STAMP}", "j_doe"),
        (f"T_ann_attempt_2024-01-01-00-00-00_v2_bob_attempt_{_STAMP}", "bob"),
    ):
        download = source(f"{stem}_a.py", texts={f"{stem}.txt": f"Name: J. Doe ({user})\n"})
        (attempt,) = found(download).attempts
        known = PageNames.from_downloads(platform.pages, [download])
        expected: tuple[list[str], list[str]] = ([f"{stem}_akari.html"], [])
        assert expected == page_paths(platform.pages, known, mark(attempt.person, 1.0))


def test_canvas_has_no_page_for_typed_text() -> None:
    """It ignores what belongs to no attachment, so who typed it is told to be without a page."""
    platform = next(each for each in OURS if each.name == "canvas")
    assert platform.pages is not None
    download = source("maesjan_7_text.html")
    known = PageNames.from_downloads(platform.pages, [download])
    (attempt,) = found(download).attempts
    assert ([], ["x"]) == page_paths(platform.pages, known, mark(attempt.person, 1.0))


# Gradebooks


def test_each_language_of_a_platform_is_tried() -> None:
    """One that is added to a dialect needs a gradebook in it, as the platform writes it."""
    dialects = [*(dialect for platform in OURS for dialect in platform.gradebooks), HANDMADE]
    spoken = {(each.name, words.language) for each in dialects for words in each.languages}
    first = {(each.name, each.languages[0].language) for each in dialects}
    assert spoken == first | (HEADERS.keys() & spoken)
    assert {name for name, _ in first} == {each.dialect for each in WORKSHEETS.values()}


@pytest.mark.parametrize("given", HEADERS.values(), ids=map(" in ".join, HEADERS))
def test_gradebook_is_filled_in_each_language(given: Given) -> None:
    """Its header is known, and who is in a row, where marks go, and how they are written."""
    done = fill(given.before, MARKS, lambda _: GOOD, given.wishes)
    assert given.dialect == done.dialect
    assert given.after == done.data
