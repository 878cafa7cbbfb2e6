"""From the download of the hand-ins to the gradebook and the pages of the same platform."""

from __future__ import annotations

import pytest
from named_sources import found, source
from platform_desk import DOWNLOADS, TABLES
from worksheets import SAID, WORKSHEETS, mark

from grader.plugins.platforms.gradebooks.filling import fill
from grader.plugins.platforms.gradebooks.pages import Names, Platform, paths_for

GIVEN = {
    **DOWNLOADS,
    "moodle, blind": [
        "Participant_1001_assignsubmission_file/akari.py",
        "Participant_1002_assignsubmission_file/akari.py",
    ],
    "user names": ["zdesmet/akari.py", "jpeeters/akari.py"],
}
OF_PAGES = {Platform.BLACKBOARD: "toledo"}
"""How a platform is called in `DOWNLOADS`, where it has another name there."""


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


@pytest.mark.parametrize("platform", Platform)
def test_pages_go_back_to_who_handed_in(platform: Platform) -> None:
    """Under a name of the download; each has one, and none has that of another one."""
    download = DOWNLOADS[OF_PAGES.get(platform, platform)]
    names = Names.of(platform, download)
    attempts = found(source(*download)).attempts
    for attempt in attempts:
        (path,), without = paths_for(platform, names, mark(attempt.person, 1.0))
        (leaf,) = attempt.leaves.values()
        assert leaf.path.removesuffix("akari.py") == path.removesuffix("akari.html")
        assert [] == without
