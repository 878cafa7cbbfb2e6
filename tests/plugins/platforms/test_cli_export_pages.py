"""`grader export --feedback` and `--mail`: pages go back to whoever handed in."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from exported_runs import export, leave, leave_class_of_two, of
from filed_runs import database
from worksheets import JAN, ZOE


@pytest.fixture(autouse=True)
def _somewhere(here: Path) -> None:
    """Work in a folder of its own."""


@pytest.fixture
def class_of_two(_somewhere: None) -> None:
    """A run with Zoë, who has 3 of 4, and Jan, who has all."""
    leave_class_of_two()


@pytest.mark.usefixtures("class_of_two")
def test_pages_go_back_as_moodle_takes_them(capfd: pytest.CaptureFixture[str]) -> None:
    """Each in the folder of its student, and none in that of another one."""
    done = export(capfd, "--feedback", "moodle")
    assert "2 pages: " in done.err
    assert "warning: assuming that the ids in the run are those of Moodle" in done.err
    with zipfile.ZipFile("run-feedback-moodle.zip") as archive:
        for person in (ZOE, JAN):
            name = f"{person.name}_{person.id}_assignsubmission_file/yinyang.html"
            page = archive.read(name).decode()
            others = {ZOE, JAN} - {person}
            assert str(person.name) in page
            assert not any(str(other.name) in page for other in others)


@pytest.mark.usefixtures("class_of_two")
def test_canvas_wants_the_download(capfd: pytest.CaptureFixture[str]) -> None:
    """It knows a page by the number of the file that was handed in; who has none is told."""
    assert "--download" in export(capfd, "--feedback", "canvas").err
    with zipfile.ZipFile("download.zip", "w") as download:
        download.writestr("desmetzoe_1001_55_yinyang.py", "")
    done = export(capfd, "--feedback", "canvas", "--download", "download.zip", "--to", "back.zip")
    assert "no page, because the name on the platform is unknown: 1: Jan Peeters" in done.err
    with zipfile.ZipFile("back.zip") as archive:
        assert ["desmetzoe_1001_55_yinyang.html"] == archive.namelist()


def test_download_is_found_where_it_was_graded(capfd: pytest.CaptureFixture[str]) -> None:
    """The run knows it; where it is gone the error says so, with the way out."""
    names = ("ann.py", "gone.zip", "canvas.zip", "late.zip")
    sources = tuple(str(Path(name).absolute()) for name in names)
    Path("ann.py").touch()
    leave((of("zoe", 3), ZOE), (of("jan", 4), JAN), sources=sources)
    files = {"canvas.zip": "desmetzoe_1001_55_yinyang", "late.zip": "peetersjan_LATE_1002_56_a"}
    for name, file in files.items():
        with zipfile.ZipFile(name, "w") as download:
            download.writestr(f"{file}.py", "")
    done = export(capfd, "--feedback", "canvas")
    told = f"page names come from {sources[2]}, {sources[3]}\n"
    assert (0, True) == (done.code, told in done.err)
    with zipfile.ZipFile("run-feedback-canvas.zip") as archive:
        expected = ["desmetzoe_1001_55_yinyang.html", "peetersjan_LATE_1002_56_yinyang.html"]
        assert expected == archive.namelist()
    for name in files:
        Path(name).unlink()
    done = export(capfd, "--feedback", "canvas", "--overwrite")
    assert (2, True) == (done.code, "files that still exist are not such a download" in done.err)


@pytest.mark.usefixtures("class_of_two")
def test_archive_without_a_page_is_none(capfd: pytest.CaptureFixture[str]) -> None:
    """A download of another class: nothing is left behind."""
    Path("download").mkdir()
    done = export(capfd, "--feedback", "brightspace", "--download", "download")
    assert (2, False) == (done.code, Path("run-feedback-brightspace.zip").exists())


@pytest.mark.usefixtures("class_of_two")
def test_pages_and_mails_in_folders(capfd: pytest.CaptureFixture[str]) -> None:
    """Beside the run, under the names of their students."""
    assert 0 == export(capfd, "--feedback", "folder").code
    assert 0 == export(capfd, "--mail").code
    assert {"run-feedback/yinyang/zoe-de-smet.html", "run-feedback/yinyang/jan-peeters.html"} == {
        str(path) for path in Path("run-feedback").rglob("*.html")
    }
    assert b"To: jan@uni.example" in Path("run-mail/yinyang/jan-peeters.eml").read_bytes()


def test_who_has_no_address_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Others have their mail all the same; where nobody has one there is nothing to write."""
    leave((of("zoe", 3), ZOE), (of("els", 3), None))
    assert "warning: no email address: 1: els\n" in export(capfd, "--mail").err
    leave((of("els", 3), None))
    assert 2 == export(capfd, "--mail", "--to", "other").code


@pytest.mark.usefixtures("class_of_two")
def test_damaged_record_gives_no_page(capfd: pytest.CaptureFixture[str]) -> None:
    """Nor does one of somebody else: nothing is left behind."""
    with database(Path("run")) as damaged:
        damaged.execute("UPDATE record SET data = (SELECT data FROM record WHERE student = 'zoe')")
    done = export(capfd, "--feedback", "moodle")
    assert 6 == done.code
    assert (
        "error: the record of Jan Peeters (yinyang) cannot be read: it belongs to another"
        in done.err
    )
    with database(Path("run")) as damaged:
        damaged.execute("UPDATE record SET data = x'00'")
    done = export(capfd, "--feedback", "moodle")
    assert 6 == done.code
    assert "error: the record of Zoë De Smet (yinyang) cannot be read" in done.err
    assert not list(Path().glob("*.zip"))
