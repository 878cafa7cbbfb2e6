"""`grader plan`, and `grader grade` on downloads: who is found, who is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import RIGHT, SUITE, grader, write
from downloads import download, zipped
from made_archives import raw_zip

from grader.cli.sources import SourceOptions, find_plans, tasks_of

CODE = RIGHT.encode()


@pytest.fixture
def suite(here: Path) -> Path:
    """An exercise that is handed in as `double.py`."""
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))
    return here


def put(name: str, files: dict[str, bytes]) -> None:
    """Write an archive."""
    Path(name).write_bytes(zipped(files))


@pytest.mark.parametrize("verb", ["plan", "grade"])
@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"double.py": CODE}, "no student was found in canvas.zip"),
        ({"work/double.py": CODE, "work/test.py": CODE}, "no student was found in canvas.zip"),
        ({}, "no student was found in canvas.zip"),
        ({"../double.py": CODE}, "no student was found in canvas.zip: "),
    ],
)
@pytest.mark.usefixtures("suite")
def test_an_archive_is_no_student(
    capfd: pytest.CaptureFixture[str], files: dict[str, bytes], said: str, verb: str
) -> None:
    """It is refused, with what would help, and nothing is graded."""
    put("canvas.zip", files)
    done = grader(capfd, verb, "canvas.zip", "--exercise", "double")
    assert (5, "") == (done.code, done.out)
    assert f"error: {said}" in done.err
    assert "  = help: " in done.err
    assert not Path("reports").exists()


@pytest.mark.parametrize("name", ["canvas.rar", "canvas.7z", "canvas.tar.gz"])
@pytest.mark.usefixtures("suite")
def test_an_archive_that_cannot_be_opened_is_no_student(
    capfd: pytest.CaptureFixture[str], name: str
) -> None:
    """It is of a kind that is not read."""
    Path(name).write_bytes(b"Rar!\x1a\7")
    done = grader(capfd, "grade", name, "--exercise", "double")
    assert 5 == done.code
    assert f"no student was found in {name}" in done.err


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\3\4 and nothing more", "canvas.zip is damaged or incomplete"),
        (zipped(download("canvas", "double.py", CODE))[:-30], "canvas.zip is damaged"),
        (raw_zip({b"ann.py": CODE, b"bob.py": CODE}, flags=1), "canvas.zip is encrypted"),
    ],
)
@pytest.mark.usefixtures("suite")
def test_a_download_that_is_not_whole_is_refused(
    capfd: pytest.CaptureFixture[str], data: bytes, said: str
) -> None:
    """Who is graded on the half of a class does not see whom the other half was."""
    Path("canvas.zip").write_bytes(data)
    done = grader(capfd, "plan", "canvas.zip", "--exercise", "double")
    assert (5, "") == (done.code, done.out)
    assert said in done.err


@pytest.mark.usefixtures("suite")
def test_hand_ins_for_another_exercise_are_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody mentions a name that the exercise asks for: no class is given zeros for that."""
    put("moodle.zip", download("moodle", "akari.py", b"class Akari:\n    pass\n"))
    done = grader(capfd, "grade", "moodle.zip", "--exercise", "double")
    assert 5 == done.code
    assert "none of the 2 hand-ins for double has a file that mentions double" in done.err
    assert "check that this is the exercise:" in done.err


@pytest.mark.usefixtures("suite")
def test_a_file_with_the_name_of_the_module_is_for_the_exercise() -> None:
    """Whatever is in it: a student who got all names wrong reads so on her page."""
    put("moodle.zip", download("moodle", "Double.py", b"def dubbel(x):\n    return x\n"))
    options = SourceOptions(exercise="double", public=True)
    (planned,) = find_plans([Path("moodle.zip")], options, reports=None, needs_suite=True)
    assert 2 == len(tasks_of(planned))


@pytest.mark.usefixtures("suite")
def test_where_nothing_can_be_run_the_exit_code_says_so(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The pages are there, with the reasons."""
    write("double/ann.py", "# double\n")
    done = grader(capfd, "grade", "double")
    assert 5 == done.code
    assert "the only hand-in could not be run" in done.err
    assert Path("reports/double/ann.html").exists()


@pytest.mark.usefixtures("suite")
def test_archives_of_one_student_each_are_a_class_together(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Whoever names several of them means that each is named after its student."""
    put("Ann.zip", {"double.py": CODE})
    put("Bob.zip", {"work/double.py": CODE})
    done = grader(capfd, "plan", "Ann.zip", "Bob.zip", "--exercise", "double")
    assert (0, True, True) == (done.code, "\nAnn " in done.out, "\nBob " in done.out)


@pytest.mark.usefixtures("suite")
def test_a_download_that_broke_off_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """Half of a class may be missing in it."""
    whole = zipped(download("moodle", "double.py", CODE * 20))
    Path("moodle.zip").write_bytes(whole[: len(whole) // 2])
    done = grader(capfd, "plan", "moodle.zip", "--exercise", "double")
    assert 5 == done.code
    assert "moodle.zip is damaged or incomplete" in done.err


@pytest.mark.parametrize("left", [["ann.py"], []])
@pytest.mark.usefixtures("suite")
def test_what_is_ours_is_no_student(capfd: pytest.CaptureFixture[str], left: list[str]) -> None:
    """A run, and the folders of a course: who grades the folder around them is told."""
    for path in ("old/run.db", "reference/double/double.py", "submissions/double/bob.py", *left):
        write(path, RIGHT)
    done = grader(capfd, "plan", ".", "--exercise", "double")
    assert (0 if left else 5) == done.code
    assert "/old is left out: it is a run, not a hand-in\n" in done.err
    for name in ("testsuites", "reference", "submissions"):
        assert f"/{name} is left out: it is part of the course, not a hand-in\n" in done.err
    told = (
        "\n1 student found" in done.out
        if left
        else "there is nothing to grade: only folders of the grader are in" in done.err
    )
    assert told, done


@pytest.mark.parametrize("given", ["old", "worksheet.csv"])
@pytest.mark.usefixtures("suite")
def test_what_is_named_by_mistake_is_refused(capfd: pytest.CaptureFixture[str], given: str) -> None:
    """A run and a gradebook are no hand-ins, whatever is in them."""
    write("old/run.db", "")
    write("old/double/ann.html", "")
    write("worksheet.csv", "name,double\n")
    done = grader(capfd, "plan", given, "--exercise", "double")
    assert (5, "") == (done.code, done.out)
    assert f"{given} is a run" in done.err or f"no folder in {given}" in done.err


@pytest.mark.usefixtures("suite")
def test_a_folder_of_pictures_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """Bytes that are no text mention nothing."""
    for name in ("ann", "bob"):
        write(f"in/{name}/a.jpg", "")
        Path(f"in/{name}/a.jpg").write_bytes(b"\xff\xd8\xff\0\0")
    assert 5 == grader(capfd, "grade", "in", "--exercise", "double").code


@pytest.mark.usefixtures("suite")
def test_a_pattern_is_a_layout(capfd: pytest.CaptureFixture[str]) -> None:
    """It tells students where no platform does; both at once say opposite things."""
    put("in.zip", {"hw-Ann--a.py": CODE, "hw-Bob--a.py": CODE})
    args = (
        "plan",
        "in.zip",
        "--exercise",
        "double",
        "--pattern",
        "hw-(?P<student>.+)--(?P<file>.+)",
    )
    done = grader(capfd, *args)
    assert (0, True, True) == (done.code, "\nAnn " in done.out, "\nBob " in done.out)
    assert 2 == grader(capfd, *args, "--layout", "plain").code


@pytest.mark.usefixtures("suite")
def test_archives_named_like_an_exercise_need_no_option(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """As a folder that is named so needs none."""
    put("double.zip", download("moodle", "double.py", CODE))
    assert grader(capfd, "plan", "double.zip").out.startswith("double:\n")


def test_without_an_exercise_there_is_a_plan_too(
    capfd: pytest.CaptureFixture[str], here: Path
) -> None:
    """Who was found does not depend on it; what is graded does."""
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))
    put("moodle.zip", download("moodle", "a.py", CODE))
    assert here.is_dir()
    assert "2 students found" in grader(capfd, "plan", "moodle.zip").out
    assert "the exercise of moodle.zip is unknown" in grader(capfd, "grade", "moodle.zip").err


@pytest.mark.parametrize("option", ["--pseudonyms", "--shard=1/2"])
@pytest.mark.usefixtures("suite")
def test_the_best_attempt_is_known_when_all_are_graded(
    capfd: pytest.CaptureFixture[str], option: str
) -> None:
    """So a share of a run cannot tell, nor one in which nobody has a name."""
    done = grader(capfd, "grade", "in", "--attempt", "best", option)
    assert (2, True) == (done.code, "contradict each other" in done.err)
