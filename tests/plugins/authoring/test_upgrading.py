"""`grader upgrade`: what each earlier format says is read again, and nothing else is touched.

`formats/` has a small suite of each kind that was written, as it was then. Whoever changes what a
suite may say adds one of today before.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest
from command_line import grader

from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.plugins.authoring.generating.freezing import changed_by_hand
from grader.suite.diagnostics import read_source
from grader.suite.files import hidden_suite_of, load_suite, load_whole_suite
from grader.suite.formats import FORMAT
from grader.suite.model import Suite
from grader.suite.reading import read_document
from grader.verdict import Visibility

FORMATS: Final = Path(__file__).parent / "formats"
TOLD: Final = {
    "1-derived": ["yinyang.yaml: `submission_wall_s` is 60, the time of 3 sessions"],
    "1-generated": [
        "yinyang.hidden.yaml: of the pool 'g01' everybody is asked 'g01a', called 'g01'",
        "yinyang.hidden.yaml: 'g01b' is left out: it asks the same with other numbers",
        "yinyang.hidden.yaml: `content` is added: the hash of what was generated",
    ],
    "1-drawn": [
        "yinyang.hidden.yaml: `drawn` is left out: sessions are counted where they stand",
        "yinyang.hidden.yaml: `feedback` is count, as verdict was",
        "yinyang.hidden.yaml: of the pool 'g01' everybody is asked 'g01a', called 'g01'",
        "yinyang.hidden.yaml: 'g01b' is left out: it asks the same with other numbers",
    ],
    "1-timeouts": [
        "yinyang.yaml: `timeouts` is left out: a failure is waited for once",
        "yinyang.yaml: `group_timeouts` is left out: a failure is waited for once",
        "yinyang.yaml: the sentence report.rule_more is left out: 'und mehr'",
        "yinyang.hidden.yaml: of the pool 'g01' everybody is asked 'g01a', called 'g01'",
        "yinyang.hidden.yaml: 'g01b' is left out: it asks the same with other numbers",
        "yinyang.hidden.yaml: the group 'session' is not in the public suite: it has 0 points",
    ],
}
"""What is told of each, but for the number of the format."""
SUITE: Final = "yinyang.yaml"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(params=sorted(TOLD))
def earlier(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """The name of a folder of suites of an earlier format, and a copy of it."""
    return request.param, shutil.copytree(FORMATS / request.param, tmp_path / "testsuites")


def suite_in(folder: Path) -> Suite:
    """Return the whole suite in `folder`."""
    return load_whole_suite(folder / SUITE, KINDS)


def test_each_earlier_format_is_told_apart_and_read_again(
    earlier: tuple[str, Path], capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused as it is, each change is told on a line, and then it is a suite of today."""
    name, folder = earlier
    monkeypatch.chdir(folder)
    with pytest.raises(SuiteError):
        suite_in(folder)

    done = grader(capfd, "upgrade", ".")
    assert (0, "") == (done.code, done.out)
    told = done.err.splitlines()
    assert TOLD[name] == [line for line in told if "`format`" not in line]
    assert FORMAT == suite_in(folder).format
    assert {path.read_text(encoding="utf-8").count("format: 2\n") for path in _files(folder)} == {1}

    again = grader(capfd, "upgrade", ".")
    assert {"there is nothing to change"} == {
        line.partition(": ")[2] for line in again.err.splitlines()
    }


def _files(folder: Path) -> list[Path]:
    return [*folder.glob("*.yaml")]


def test_every_earlier_format_stays_here() -> None:
    """No sample of an earlier format is forgotten by the test above."""
    assert sorted(TOLD) == sorted(path.name for path in FORMATS.iterdir())


def test_nothing_else_of_the_text_is_touched(tmp_path: Path, capfd: Capture) -> None:
    """Comments, quotes and the order of keys are the author's."""
    folder = shutil.copytree(FORMATS / "1-timeouts", tmp_path / "testsuites")
    public = folder / SUITE
    before = public.read_text(encoding="utf-8")
    public.write_text(before.replace("\n", "\r\n"), encoding="utf-8", newline="")
    assert 0 == grader(capfd, "upgrade", str(public)).code
    expected = (
        before.replace("exercise:", "format: 2\nexercise:", 1)
        .replace("  timeouts: 8  # in all\n  group_timeouts: 2\n", "")
        .replace("report.rule_more: und mehr, ", "")
    )
    assert expected.replace("\n", "\r\n").encode() == public.read_bytes()


def test_what_was_generated_is_as_it_was_made(earlier: tuple[str, Path], capfd: Capture) -> None:
    """To generate anew loses nothing that was written by hand, so it does not warn of it."""
    _, folder = earlier
    grader(capfd, "upgrade", str(folder))
    hidden = hidden_suite_of(folder / SUITE)
    if hidden.is_file():
        assert not changed_by_hand(read_document(read_source(hidden.read_bytes(), "h")).data)


def test_the_cases_of_a_pool_keep_their_names(tmp_path: Path, capfd: Capture) -> None:
    """They were called after the pool: so who was asked them can be compared with who is now."""
    folder = shutil.copytree(FORMATS / "1-timeouts", tmp_path / "testsuites")
    grader(capfd, "upgrade", str(folder))
    hidden = [each for each in suite_in(folder).sessions if each.visibility is Visibility.HIDDEN]
    assert ["str/g01-1", "session/g01-1", "extra/g01-1"] == [
        case.id for each in hidden for case in each.cases
    ]
    text = hidden_suite_of(folder / SUITE).read_text(encoding="utf-8")
    assert "  - {id: g01, title: De grootte van het rooster, steps: [\n" in text
    assert "g01b" not in text


def test_a_diff_writes_nothing(tmp_path: Path, capfd: Capture) -> None:
    """Who wants to see it first is shown each line that would change."""
    folder = shutil.copytree(FORMATS / "1-derived", tmp_path / "testsuites")
    done = grader(capfd, "upgrade", "--diff", str(folder))
    assert 0 == done.code
    assert ["+format: 2", "+  submission_wall_s: 60"] == [
        line
        for line in done.out.splitlines()
        if line[:1] in "+-" and line[:3] not in {"+++", "---"}
    ]
    assert (FORMATS / "1-derived" / SUITE).read_bytes() == (folder / SUITE).read_bytes()


def test_a_course_is_brought_up_as_a_whole(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suites, settings of exercises and sentences of the course, and no file of anything else."""
    shutil.copytree(FORMATS / "1-drawn", tmp_path / "testsuites")
    settings = tmp_path / "reference" / "yinyang" / "exercise.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        "# ours\nexercise: yinyang\ntitle: Yin-Yang\nlanguage: nl\nmodule: yinyang\n"
        "defines: [YinYang]\nlimits:\n  timeouts: 8\n",
        encoding="utf-8",
    )
    course = tmp_path / "grader.toml"
    course.write_text(
        'language = "nl"\n[wording.nl]\n"report.rule_more" = "meer"\n"report.first" = "Eerst"\n',
        encoding="utf-8",
    )
    (tmp_path / "compose.yaml").write_text("services: {}\n", encoding="utf-8")
    monkeypatch.chdir(settings.parent)
    done = grader(capfd, "upgrade")
    assert 0 == done.code, done.err
    assert "format" not in settings.read_text(encoding="utf-8")
    assert settings.read_text(encoding="utf-8").endswith("defines: [YinYang]\n")
    assert 'language = "nl"\n[wording.nl]\n"report.first" = "Eerst"\n' == course.read_text("utf-8")
    assert FORMAT == suite_in(tmp_path / "testsuites").format
    assert "compose" not in done.err


def test_what_only_its_author_can_change_stays(tmp_path: Path, capfd: Capture) -> None:
    """A tiling needs a checker; the other suites are brought up all the same."""
    folder = shutil.copytree(FORMATS / "1-derived", tmp_path / "testsuites")
    text = (folder / SUITE).read_text(encoding="utf-8")
    board = text.replace("yinyang", "akari").replace(
        "        group: str\n", "        tiling: {rows: 2, hole: [1, 1]}\n        group: str\n"
    )
    (folder / "akari.yaml").write_text(board, encoding="utf-8")
    done = grader(capfd, "upgrade", str(folder))
    assert 3 == done.code
    assert "the session 'voorbeeld' has steps with the key 'tiling'" in done.err
    assert f"{folder / 'akari.yaml'} stays as it was" in done.err
    assert board == (folder / "akari.yaml").read_text(encoding="utf-8")
    assert FORMAT == load_suite(folder / SUITE, KINDS).format


def test_what_would_not_be_read_is_not_written(tmp_path: Path, capfd: Capture) -> None:
    """A mistake of the author's is shown where it is, and the file waits for her."""
    folder = shutil.copytree(FORMATS / "1-derived", tmp_path / "testsuites")
    wrong = (folder / SUITE).read_text(encoding="utf-8").replace("points: 3", "points: many")
    (folder / SUITE).write_text(wrong, encoding="utf-8")
    done = grader(capfd, "upgrade", str(folder))
    assert 3 == done.code
    assert "error: 'points' must be a number, not text" in done.err
    assert wrong == (folder / SUITE).read_text(encoding="utf-8")


def test_a_folder_without_suites_is_told(tmp_path: Path, capfd: Capture) -> None:
    """Nothing done in silence would look like a course that is up to date."""
    done = grader(capfd, "upgrade", str(tmp_path))
    assert 2 == done.code
    assert "no suite and no settings in" in done.err
