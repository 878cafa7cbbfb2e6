"""A platform that somebody else brings, by the group of entry points `grader.platforms`."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from command_line import SUITE, grader, write
from named_sources import found, source

_OLAT = """\
import re

from grader.intake.layouts.recognition import AttemptBuilder
from grader.intake.people import Person
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import NamingScheme, Pages, Platform, Reading

def read(fitting):
    reading = Reading()
    for each in fitting:
        person = Person(name=each.match["name"].replace("_", " "), id=each.match["id"])
        pile = AttemptBuilder()
        pile.add_file(each.name, each.path_of(None))
        reading.attempts.append(pile.attempt(person))
        reading.owners.append((each, person))
    return reading

SCHEME = NamingScheme(
    layout="olat", title="Olat", pattern=re.compile("(?P<name>.+)_il(?P<id>[0-9]+)"), read=read
)
OLAT = Platform(
    name="olat",
    recognise=SCHEME.recognise,
    pages=Pages(scheme=SCHEME, find_prefix=lambda found: f"{found[0]}/"),
    gradebooks=(
        Dialect(name="Olat marks", languages=(Words("de", "login, name, notenzeichen"),),
                mark="notenzeichen"),
    ),
)
"""
_NAMES = ["De_Smet_Zoë_il1001/akari.py", "Peeters_Jan_il1002/akari.py"]


@pytest.fixture(autouse=True)
def _stranger(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the plug-in of a stranger, as pip would."""
    write("site/olat.py", _OLAT)
    write("site/olat-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: olat\nVersion: 1\n")
    write("site/olat-1.dist-info/entry_points.txt", "[grader.platforms]\nolat = olat:OLAT\n")
    write("testsuites/akari.yaml", SUITE.format(name="akari", defines="double", call="double(2)"))
    monkeypatch.syspath_prepend(here / "site")
    monkeypatch.delitem(sys.modules, "olat", raising=False)


def test_it_is_asked_where_ours_recognise_nothing() -> None:
    """And before names of folders are taken for those of students."""
    assert "moodle" == found(source("Zoë De Smet_1001_assignsubmission_file/akari.py")).layout
    assert "olat" not in sys.modules
    recognition = found(source(*_NAMES))
    assert ("olat", "2 of 2 names follow the naming scheme of Olat") == (
        recognition.layout,
        recognition.evidence,
    )
    assert "plain" == found(source("ann/akari.py", "bob/akari.py")).layout


def test_it_is_named_like_ours(capfd: pytest.CaptureFixture[str]) -> None:
    """For hand-ins, for pages and in the gradebook; what nobody brings is refused."""
    with zipfile.ZipFile("class.zip", "w") as archive:
        for name in _NAMES:
            archive.writestr(name, "def double(x):\n    return 2 * x\n")
    asked = ("grade", "class.zip", "--exercise", "akari", "--out", "run")
    assert 0 == grader(capfd, *asked, "--layout", "olat").code
    assert 0 == grader(capfd, "export", "run", "--feedback", "olat", "--to", "pages.zip").code
    with zipfile.ZipFile("pages.zip") as archive:
        assert [f"{name.removesuffix('.py')}.html" for name in _NAMES] == archive.namelist()
    write("marks.csv", "login,name,notenzeichen\n1001,Zoë De Smet,\n1002,Jan Peeters,\n")
    assert "Olat marks" in grader(capfd, "export", "run", "--into", "marks.csv").err
    done = grader(capfd, *asked, "--layout", "stud.ip")
    assert 2 == done.code
    assert "'stud.ip' is not one of" in done.err
    done = grader(capfd, "export", "run", "--feedback", "dodona")
    assert "'dodona' is not one of" in done.err
