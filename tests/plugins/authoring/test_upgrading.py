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
from grader.plugins.authoring.upgrading.changes import upgrade_text
from grader.plugins.authoring.upgrading.edits import YamlText, apply_edits
from grader.suite.diagnostics import read_source
from grader.suite.files import hidden_suite_path, load_suite, load_whole_suite
from grader.suite.formats import FORMAT
from grader.suite.model import Suite
from grader.suite.reading import read_document
from grader.verdict import Visibility

FORMATS: Final = Path(__file__).parent / "formats"
TOLD: Final = {
    "1-derived": ["yinyang.yaml: `submission_wall_s` is set to 60, the time of 3 sessions"],
    "1-generated": [
        "yinyang.hidden.yaml: the pool 'g01' is replaced with 'g01a', renamed 'g01'",
        "yinyang.hidden.yaml: 'g01b' is removed: it tests the same with other numbers",
        "yinyang.hidden.yaml: `content` is added: the hash of the generated entries",
    ],
    "1-drawn": [
        "yinyang.hidden.yaml: `drawn` is removed: all sessions in the suite count",
        "yinyang.hidden.yaml: `feedback` is changed from verdict to count, its new name",
        "yinyang.hidden.yaml: the pool 'g01' is replaced with 'g01a', renamed 'g01'",
        "yinyang.hidden.yaml: 'g01b' is removed: it tests the same with other numbers",
    ],
    "1-timeouts": [
        "yinyang.yaml: `timeouts` is removed: time-outs are no longer counted",
        "yinyang.yaml: `group_timeouts` is removed: time-outs are no longer counted",
        "yinyang.yaml: the sentence report.rule_more is removed: 'und mehr'",
        "yinyang.hidden.yaml: the pool 'g01' is replaced with 'g01a', renamed 'g01'",
        "yinyang.hidden.yaml: 'g01b' is removed: it tests the same with other numbers",
        "yinyang.hidden.yaml: the group 'session' is not in the public suite and gets 0 points",
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
    hidden = hidden_suite_path(folder / SUITE)
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
    text = hidden_suite_path(folder / SUITE).read_text(encoding="utf-8")
    assert "  - {id: g01, title: De grootte van het rooster, steps: [\n" in text
    assert "g01b" not in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{limits: {timeouts: 3}}\n", "{}\n"),
        ("{a: 1, limits: {timeouts: 3}}\n", "{a: 1}\n"),
        (
            "wording: {report.first: x, report.rule_more: y, report.changes_more: z}\na: [1, 2]\n",
            "wording: {report.first: x, }\na: [1, 2]\n",
        ),
        (
            "sessions: [{id: g1a, pool: g1}, {id: g1b, pool: g1}, {id: g1c, pool: g1}]\na: 1\n",
            "sessions: [{id: g1}, ]\na: 1\n",
        ),
    ],
)
def test_what_stands_on_one_line_is_removed_too(before: str, after: str) -> None:
    """Alone or beside others, and nothing behind it."""
    assert after == upgrade_text(before, "x", is_suite=False)[0]


def test_a_session_that_keeps_its_id_is_not_told_as_renamed() -> None:
    """The id of its pool can be that of a session."""
    text = "sessions:\n- {id: g01, pool: g01}\n- {id: g01b, pool: g01}\n"
    upgraded, messages = upgrade_text(text, "x", is_suite=False)
    assert "sessions:\n- {id: g01}\n" == upgraded
    assert "the pool 'g01' is replaced with 'g01'" == messages[0]


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
    assert f"{folder / 'akari.yaml'} was not changed" in done.err
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
    assert "the folder contains no suites or settings: " in done.err


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("3", "a newer grader wrote this: it has format 3, and this one reads up to 2"),
        ("-1", "'format' must be at least 1"),
        ('"2"', "'format' must be a whole number, not text"),
        ("true", "'format' must be a whole number, not a boolean"),
        ("[2]", "'format' must be a whole number, not a list"),
        ("null", "'format' must be a whole number, not nothing"),
        ("0x2", "not every YAML reader reads `0x2` as a whole number"),
        ("9" * 20, f"not every YAML reader reads `{'9' * 20}` as a whole number"),
        ("!!python/name:os.system 2", "tags are not allowed (`!!python/name:os.system`)"),
    ],
)
def test_a_format_that_was_never_ours_is_refused(
    written: str, said: str, tmp_path: Path, capfd: Capture
) -> None:
    """It is told as `check` tells it, of the public suite and of the hidden one, and both stay."""
    folder = shutil.copytree(FORMATS / "1-generated", tmp_path / "testsuites")
    for path in _files(folder):
        path.write_text(f"format: {written}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    before = {path: path.read_bytes() for path in _files(folder)}
    with pytest.raises(SuiteError) as refused:
        suite_in(folder)
    assert said in str(refused.value)

    done = grader(capfd, "upgrade", str(folder))
    assert 3 == done.code
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert [f"error: {said}"] * 2 == errors
    assert before == {path: path.read_bytes() for path in _files(folder)}


@pytest.mark.parametrize(
    ("was", "broken", "said", "line"),
    [
        ("title: Yin-Yang", "title: *x", "aliases are not allowed (`*x`)", 4),
        ("timeouts: 8", "timeouts: &x 8", "anchors are not allowed (`&x`)", 10),
    ],
)
def test_an_alias_keeps_no_other_file_back(
    was: str, broken: str, said: str, line: int, tmp_path: Path, capfd: Capture
) -> None:
    """It is told with its line, also where the anchor is in what would be left out."""
    folder = shutil.copytree(FORMATS / "1-timeouts", tmp_path / "testsuites")
    text = (folder / SUITE).read_text(encoding="utf-8")
    other = folder / "akari.yaml"
    aliased = text.replace(was, broken).replace("group_timeouts: 2", "group_timeouts: *x")
    other.write_text(aliased, encoding="utf-8")
    before = other.read_bytes()
    done = grader(capfd, "upgrade", str(folder))
    assert 3 == done.code
    assert f"error: {said}\n  --> {other}:{line}:" in done.err
    assert before == other.read_bytes()
    assert FORMAT == suite_in(folder).format


def test_a_link_stays_a_link(tmp_path: Path, capfd: Capture) -> None:
    """What it leads to is brought up, with the rights that it has."""
    folder = shutil.copytree(FORMATS / "1-derived", tmp_path / "testsuites")
    target = (folder / SUITE).rename(tmp_path / "shared.yaml")
    target.chmod(0o640)
    (folder / SUITE).symlink_to("../shared.yaml")
    assert 0 == grader(capfd, "upgrade", str(folder)).code
    assert (folder / SUITE).is_symlink()
    assert FORMAT == load_suite(target, KINDS).format
    assert 0o640 == target.stat().st_mode & 0o777


def test_a_read_only_file_is_not_replaced(tmp_path: Path, capfd: Capture) -> None:
    """Somebody wanted it to stay as it is; what would change can be seen all the same."""
    folder = shutil.copytree(FORMATS / "1-derived", tmp_path / "testsuites")
    path = folder / SUITE
    path.chmod(0o444)
    done = grader(capfd, "upgrade", str(folder))
    assert 6 == done.code
    assert f"error: {path} is read-only\n" in done.err
    assert f"{path} was not changed" in done.err
    assert (FORMATS / "1-derived" / SUITE).read_bytes() == path.read_bytes()
    assert 0 == grader(capfd, "upgrade", "--diff", str(folder)).code


def test_what_is_no_file_keeps_no_other_back(tmp_path: Path, capfd: Capture) -> None:
    """A folder with the name of a suite is skipped; a link that leads nowhere is a mistake."""
    folder = shutil.copytree(FORMATS / "1-derived", tmp_path / "testsuites")
    (folder / "a.yaml").mkdir()
    done = grader(capfd, "upgrade", str(folder))
    assert (0, 1) == (done.code, done.err.count("a.yaml"))
    assert f"warning: skipped, because it is a folder: {folder / 'a.yaml'}" in done.err
    assert FORMAT == suite_in(folder).format

    (folder / "b.yaml").symlink_to("nowhere.yaml")
    done = grader(capfd, "upgrade", str(folder))
    assert 3 == done.code
    assert f"cannot read the suite {folder / 'b.yaml'}: no such file" in done.err
    assert f"{folder / SUITE}: there is nothing to change" in done.err


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{}", "a suite needs the key 'exercise'"),
        ("wording: [report.rule_more]", "'wording' must be a mapping, not a list"),
        ("wording: {report.rule_more: 0x2}", "YAML reads `0x2` as a whole number"),
        ("generated: 5", "unknown key 'generated'"),
        ("sessions: [5, {id: a, pool: g}]", "unknown key 'pool'"),
        ("sessions: [{id: 0x2, pool: g}, {id: b, pool: g}]", "unknown key 'pool'"),
        ("sessions: [{id: 0x2, steps: [{tiling: {}}]}]", "a session has steps with the key"),
    ],
)
def test_what_no_grader_ever_wrote_is_told(
    written: str, said: str, tmp_path: Path, capfd: Capture
) -> None:
    """A change leaves alone what it cannot make sense of: the loader says what is wrong with it."""
    path = tmp_path / SUITE
    path.write_text(written, encoding="utf-8")
    done = grader(capfd, "upgrade", str(path))
    assert 3 == done.code
    assert said in done.err
    assert "object at" not in done.err
    assert written == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("removed", ["a", "b", "ab", "bc", "ac", "abc", "cd", "abd"])
def test_keys_of_an_entry_can_be_removed_together(removed: str) -> None:
    """The first key that stays begins where the first one did, behind the dash."""
    text = "sessions:\n- a: 1\n  b: 2\n  c: 3\n  d: 4\n"
    document = YamlText(text)
    edits = [document.remove(("sessions", 0, key)) for key in removed]
    left = read_document(read_source(apply_edits(text, edits).encode(), "s.yaml")).data
    assert {"sessions": [{k: n for n, k in enumerate("abcd", 1) if k not in removed}]} == left
