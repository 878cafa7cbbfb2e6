"""From the download of the hand-ins to the gradebook and the pages of the same platform."""

from __future__ import annotations

import pytest
from named_sources import found, source
from worksheets import SAID, WORKSHEETS, mark

from grader.gradebooks.filling import fill
from grader.gradebooks.pages import Names, Platform, paths_for

RECEIPT = "Name: {} ({})\nAssignment: Akari\nDate Submitted: Friday\nFiles:\n"
INFO = (
    "filename,id,username,last_name,first_name,full_name,email,status,submission_id,"
    "name_en,name_nl,exercise_id,created_at\n"
    "Akari/Zoë De Smet.py,1001,zdesmet,Zoë,De Smet,Zoë De Smet,zoe.desmet@uni.example,"
    "correct,1,Akari,Akari,77,2025-10-07 21:15:02 +0200\n"
    "Akari/Jan Peeters.py,1002,jpeeters,Jan,Peeters,Jan Peeters,jan@uni.example,"
    "correct,2,Akari,Akari,77,2025-10-07 21:15:02 +0200\n"
)
DOWNLOADS = {
    "moodle": [
        "Zoë De Smet_1001_assignsubmission_file/akari.py",
        "Jan Peeters_1002_assignsubmission_file/akari.py",
    ],
    "moodle, blind": [
        "Participant_1001_assignsubmission_file/akari.py",
        "Participant_1002_assignsubmission_file/akari.py",
    ],
    "canvas": ["desmetzoe_1001_5550_akari.py", "peetersjan_LATE_1002_5552_akari.py"],
    "brightspace": [
        "31-77 - Zoë De Smet - 3 Oct 2025 1410/akari.py",
        "32-77 - Jan Peeters - 3 Oct 2025 1411/akari.py",
    ],
    "blackboard": [
        "Akari_zdesmet_poging_2025-10-03-14-10-00_akari.py",
        "Akari_jpeeters_poging_2025-10-03-14-11-00_akari.py",
    ],
    "dodona": ["Akari/Zoë De Smet.py", "Akari/Jan Peeters.py"],
    "user names": ["zdesmet/akari.py", "jpeeters/akari.py"],
    "names": ["De Smet Zoë/akari.py", "peeters_jan/akari.py"],
}


@pytest.mark.parametrize(
    ("download", "worksheet"),
    [
        ("moodle", "moodle"),
        ("moodle", "moodle in Dutch"),
        ("moodle, blind", "moodle in Spanish"),
        ("canvas", "canvas"),
        ("brightspace", "brightspace"),
        ("blackboard", "blackboard"),
        ("dodona", "dodona"),
        ("user names", "canvas"),
        ("names", "brightspace"),
        ("names", "one's own"),
    ],
)
def test_who_handed_in_is_found_in_the_gradebook(download: str, worksheet: str) -> None:
    """With all that the platform tells in a download, and with what a folder is called."""
    given = WORKSHEETS[worksheet]
    texts = {"info.csv": INFO} if download == "dodona" else {}
    attempts = found(source(*DOWNLOADS[download], texts=texts)).attempts
    people = [(each.person, each.person.handle or each.person.name or "") for each in attempts]
    points = dict(zip(DOWNLOADS[download], (12.5, 20.0), strict=True))
    marks = [
        mark(person, next(points[leaf.path] for leaf in attempt.leaves.values()), student=label)
        for attempt, (person, label) in zip(attempts, people, strict=True)
    ]
    assert given.after == fill(given.before, marks, lambda _: SAID, given.wishes).data


@pytest.mark.parametrize("platform", Platform)
def test_pages_go_back_to_who_handed_in(platform: Platform) -> None:
    """Under a name of the download; each has one, and none has that of another one."""
    names = Names.of(platform, DOWNLOADS[platform])
    attempts = found(source(*DOWNLOADS[platform])).attempts
    for attempt in attempts:
        (path,), without = paths_for(platform, names, mark(attempt.person, 1.0))
        (leaf,) = attempt.leaves.values()
        assert leaf.path.removesuffix("akari.py") == path.removesuffix("akari.html")
        assert [] == without
