"""Pages and mails go back to whoever handed in, and to nobody else."""

from __future__ import annotations

import io
import zipfile
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from named_sources import source
from record_samples import HOSTILE_TEXTS, record, yinyang_record
from worksheets import BOTH, JAN, ZOE, mark

from grader.errors import OutputError, UsageError
from grader.intake.people import Person
from grader.plugins.platforms.blackboard import BLACKBOARD
from grader.plugins.platforms.brightspace import BRIGHTSPACE
from grader.plugins.platforms.canvas import CANVAS
from grader.plugins.platforms.gradebooks.mails import addresses, build_mail
from grader.plugins.platforms.gradebooks.marks import Mark
from grader.plugins.platforms.moodle import MOODLE
from grader.plugins.platforms.pages import PageArchive, PageNames, open_download, page_paths

DOWNLOADS = {
    "moodle": [
        "Group A-Zoë De Smet_1001_assignsubmission_file/akari.py",
        "Group A-Zoë De Smet_1001_assignsubmission_onlinetext/onlinetext.html",
        "Jan Peeters_1002_assignsubmission_file_akari.py",
    ],
    "canvas": [
        "desmetzoe_LATE_1001_5550_akari.py",
        "desmetzoe_LATE_1001_5551_board_2.py",
        "peetersjan_1002_5552_akari.py",
    ],
    "brightspace": [
        "Week 1/31-77 - Zoë De Smet - 3 Oct 2025 1410/akari.py",
        "Week 1/32-77 - Jan Peeters - 3 Oct 2025 1411 PM/akari.py",
        "Week 1/33-77 - Anne-Marie O'Neil - 3 oktober 2025 1412/akari.py",
        "Week 1/index.html",
    ],
    "blackboard": [
        "Week_1_zdesmet_poging_2025-10-03-14-10-00_akari.py",
        "Week_1_zdesmet_poging_2025-10-03-14-10-00.txt",
        "Week_1_jpeeters_attempt_2025-10-03-14-11-00_akari.py",
    ],
}
MARKS = (mark(ZOE, 1.0), mark(JAN, 2.0))


PAGES = {each.name: each.pages for each in (MOODLE, CANVAS, BRIGHTSPACE, BLACKBOARD) if each.pages}


def names(name: str, *download: str) -> PageNames:
    """Return the names in a download of a platform."""
    return PageNames.from_downloads(PAGES[name], [source(*(download or DOWNLOADS[name]))])


def paths(name: str, who: Mark, *, with_download: bool = True) -> list[str]:
    """Return under which names the page of `who` goes back."""
    return page_paths(PAGES[name], names(name) if with_download else None, who)[0]


@pytest.mark.parametrize(
    ("platform", "zoe", "jan"),
    [
        (
            "moodle",
            "Group A-Zoë De Smet_1001_assignsubmission_file/akari.html",
            "Jan Peeters_1002_assignsubmission_file/akari.html",
        ),
        (
            "canvas",
            "desmetzoe_LATE_1001_5551_akari.html",
            "peetersjan_1002_5552_akari.html",
        ),
        (
            "brightspace",
            "31-77 - Zoë De Smet - 3 Oct 2025 1410/akari.html",
            "32-77 - Jan Peeters - 3 Oct 2025 1411 PM/akari.html",
        ),
        (
            "blackboard",
            "Week_1_zdesmet_poging_2025-10-03-14-10-00_akari.html",
            "Week_1_jpeeters_attempt_2025-10-03-14-11-00_akari.html",
        ),
    ],
)
def test_names_are_those_of_the_download(platform: str, zoe: str, jan: str) -> None:
    """By them the platform knows whose page it is."""
    assert [[zoe], [jan]] == [paths(platform, each) for each in MARKS]


def test_names_are_made_where_the_student_is_enough() -> None:
    """Moodle knows a folder by its number, Blackboard a file by the user name."""
    zoe, _ = MARKS
    assert ["Zoë De Smet_1001_assignsubmission_file/akari.html"] == paths(
        "moodle", zoe, with_download=False
    )
    assert ["zdesmet_akari.html"] == paths("blackboard", zoe, with_download=False)
    for platform in ("canvas", "brightspace"):
        assert [] == paths(platform, zoe, with_download=False)


def test_moodle_cuts_names_at_each_underscore() -> None:
    """So none stands before the number that it looks for."""
    found = names("moodle", "Zoë_De_Smet_1001_assignsubmission_file_/a.py")
    expected = ["Zoë De Smet_1001_assignsubmission_file/akari.html"]
    assert expected == page_paths(PAGES["moodle"], found, MARKS[0])[0]


def test_id_that_is_not_in_the_download_is_no_name() -> None:
    """It may be one of another platform, and belong to somebody else there."""
    other = mark(Person(name="Els Maes", id="1003", user="emaes"), 1.0)
    for platform in PAGES:
        assert [] == paths(platform, other)


def test_group_has_a_page_for_each_member() -> None:
    """Who of them has no name on the platform is told."""
    group = mark(Person(name="Group 7", members=(*BOTH, Person(name="Els"))), 3.0)
    found, without = page_paths(PAGES["canvas"], names("canvas"), group)
    assert 2 == len(found)
    assert ["Els"] == without


def test_name_that_two_may_have_is_nobodys() -> None:
    """Two students with the same name in Brightspace: neither page is given to the other."""
    zoe = mark(Person(name="Zoë De Smet", id="5"), 1.0)
    for pairs in (("31-77", "33-77"), ("77-31", "77-33")):
        twice = [f"{pair} - Zoë De Smet - 3 Oct 2025 1410/a.py" for pair in pairs]
        found = names("brightspace", *twice)
        assert ([], ["Zoë De Smet"]) == page_paths(PAGES["brightspace"], found, zoe)


def test_second_attempt_is_of_the_same_student() -> None:
    """The page goes to one of both; and a hyphen in a name parts nothing."""
    again = "Week 1/31-77 - Zoë De Smet - 4 Oct 2025 0900/akari.py"
    found = names("brightspace", *DOWNLOADS["brightspace"], again)
    assert 1 == len(page_paths(PAGES["brightspace"], found, MARKS[0])[0])
    anne = mark(Person(name="Anne-Marie O'Neil", id="33"), 1.0)
    assert 1 == len(page_paths(PAGES["brightspace"], found, anne)[0])


@pytest.mark.parametrize("hostile", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_name_is_one_part_of_a_path(hostile: str) -> None:
    """No name of a student leads out of her folder, on any system."""
    person = Person(name=f"../../{hostile}\\..\\x", user=f"../{hostile}", id="7")
    for platform, depth in (("moodle", 2), ("blackboard", 1)):
        (path,) = paths(platform, mark(person, 1.0), with_download=False)
        parts = path.split("/")
        assert all(len(part) < 255 for part in parts)
        assert depth == len(parts)
        assert not any(
            set(part) & set('\\:*?"<>|\n\r\t\0') or part in {".", ".."} for part in parts
        )


def test_path_of_somebody_else_is_refused() -> None:
    """No page takes the place of another one in an archive."""
    zoe, jan = MARKS
    with PageArchive(io.BytesIO()) as archive:
        archive.add("a/akari.html", zoe, "Zoë")
        with pytest.raises(OutputError, match="Jan Peeters and Zoë De Smet would have the same"):
            archive.add("A/akari.html", jan, "Jan")


def test_download_is_an_archive_or_a_folder(tmp_path: Path) -> None:
    """Anything else is told."""
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as archive:
        archive.writestr("a/b.py", "")
    (tmp_path / "folder/a").mkdir(parents=True)
    (tmp_path / "folder/a/b.py").touch()
    (tmp_path / "cut.zip").write_bytes((tmp_path / "download.zip").read_bytes()[:-9])
    assert ["a/b.py"] == [*open_download(tmp_path / "download.zip").paths()]
    assert ["a/b.py"] == [*open_download(tmp_path / "folder").paths()]
    problems = {
        "folder/a/b.py": "is not an archive or a folder",
        "cut.zip": "cannot be read",
        "none.zip": "does not exist",
    }
    for name, problem in problems.items():
        with pytest.raises(UsageError, match=problem):
            open_download(tmp_path / name)


def test_mail_has_the_result_and_the_page() -> None:
    """In the language of the exercise, for one student, and not sent."""
    raw = build_mail(yinyang_record(), "elise@uni.example")
    read = message_from_bytes(raw, policy=policy.default)
    assert ("elise@uni.example", "Yin-Yang", "1") == (read["To"], read["Subject"], read["X-Unsent"])
    body = read.get_body(("plain",))
    assert body is not None
    assert "Begin bij" in body.get_content()
    (page,) = read.iter_attachments()
    assert "yinyang.html" == page.get_filename()
    assert "<!doctype html>" in page.get_content().lower()


@pytest.mark.parametrize(
    "told",
    ["a@b\r\nBcc: all@uni.example", "a@b, c@d", "a@b>", "Jan <a@b>", "a b@c", "@b", "a@", "é@b"],
)
def test_address_that_is_more_than_one_is_none(told: str) -> None:
    """What a download calls an address may be anything: no header comes in with it."""
    assert [("Jan", None)] == list(addresses(mark(Person(name="Jan", email=told), 1.0)))


def test_title_cannot_bring_in_a_header() -> None:
    """Nor what a suite is called."""
    raw = build_mail(record(title="A\r\nBcc: all@uni.example\n\n<b>"), "a@b")
    assert None is message_from_bytes(raw, policy=policy.default)["Bcc"]


def test_each_member_of_a_group_has_a_mail() -> None:
    """Members do not read each other's addresses."""
    group = mark(Person(name="Group 7", members=BOTH), 3.0)
    assert [ZOE.email, JAN.email] == [address for _, address in addresses(group)]
