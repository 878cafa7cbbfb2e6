"""`grader check --watch`: again on each save."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, WRONG, grader, write
from record_samples import case, group, record
from rich.console import Console

from grader.cli import watching
from grader.cli.watching import print_changes, saves
from grader.judging.record import Record
from grader.verdict import Verdict, Visibility

_QUIET: Final = 3


class Editor:
    """Does one thing after the other while somebody watches, with pauses between them."""

    def __init__(self, *actions: Callable[[], object]) -> None:
        self._actions: Final = iter(actions)
        self._quiet = 0

    def pause(self) -> None:
        """Do the next thing, after the last one has been seen; in the end press Ctrl-C."""
        self._quiet -= 1
        if self._quiet > 0:
            return
        self._quiet = _QUIET
        next(self._actions, self._interrupt)()

    @staticmethod
    def _interrupt() -> None:
        raise KeyboardInterrupt


def seen(path: Path, *actions: Callable[[], object]) -> int:
    """Return how many saves are seen at `path` while `actions` are done."""

    def count() -> Iterator[None]:
        try:
            yield from saves(path, Editor(*actions).pause)
        except KeyboardInterrupt:
            return

    return len(list(count())) - 1


def rename_onto(path: Path, text: str) -> Callable[[], object]:
    """Return what saves `text` at `path` as many editors do."""

    def save() -> None:
        beside = path.with_name("mine.py.swp")
        beside.write_text(text)
        beside.replace(path)

    return save


def test_each_save_is_seen_once(tmp_path: Path) -> None:
    """Also one that writes another file and renames it, and one that changes no length."""
    mine = tmp_path / "mine.py"
    mine.write_text("a")
    assert 3 == seen(
        mine,
        lambda: mine.write_text("bb"),
        rename_onto(mine, "cc"),
        lambda: os.utime(mine, ns=(1, 1)),
        lambda: None,
    )


def test_file_that_goes_away_and_comes_back_is_two_changes(tmp_path: Path) -> None:
    """Nobody has to start again after that."""
    mine = tmp_path / "mine.py"
    mine.write_text("a")
    assert 2 == seen(mine, mine.unlink, lambda: mine.write_text("b"))


def test_what_is_still_being_written_is_left_alone(tmp_path: Path) -> None:
    """A file that grows from look to look is one save."""
    mine = tmp_path / "mine.py"
    mine.write_text("")
    sizes = iter(range(1, 6))

    def pause() -> None:
        if (size := next(sizes, None)) is not None:
            mine.write_text("x" * size)
        elif mine.stat().st_size == 100:
            raise KeyboardInterrupt

    watched = saves(mine, pause)
    next(watched)
    next(watched)
    assert 5 == mine.stat().st_size


def test_folder_is_watched_with_all_that_counts_in_it(tmp_path: Path) -> None:
    """A new file in a folder below is seen; what git and Python put there is not."""
    for folder in ("below", ".git", "__pycache__"):
        (tmp_path / folder).mkdir()
    assert 1 == seen(
        tmp_path,
        lambda: (tmp_path / "below/new.py").write_text("x"),
        lambda: (tmp_path / ".git/HEAD").write_text("x"),
        lambda: (tmp_path / "__pycache__/new.pyc").write_text("x"),
    )


def graded(**verdicts: Verdict) -> Record:
    """Return a record with a case of each verdict."""
    cases = [case(f"f/{name}", verdict) for name, verdict in verdicts.items()]
    return record(group("f", *cases))


def told(earlier: Record | None, now: Record) -> list[str]:
    """Return the lines that tell what has changed."""
    text = StringIO()
    print_changes(earlier, now, Console(file=text, width=80))
    return text.getvalue().splitlines()[:-1]


def test_what_is_mended_and_what_is_broken_is_named() -> None:
    """A case that was not there before is neither."""
    before = graded(a=Verdict.WRONG, b=Verdict.PASSED, c=Verdict.PASSED)
    now = graded(a=Verdict.PASSED, b=Verdict.ERROR, c=Verdict.PASSED, d=Verdict.WRONG)
    assert ["✓ Fixed since the last run: f/a", "✗ Broken since the last run: f/b"] == told(
        before, now
    )
    assert ["The same cases pass as in the last run."] == told(now, now)
    assert [] == told(None, now)


def test_many_changes_are_counted() -> None:
    """Three are named, the others are a number."""
    names = [f"c{number}" for number in range(9)]
    before = graded(**dict.fromkeys(names, Verdict.WRONG))
    now = graded(**dict.fromkeys(names, Verdict.PASSED))
    assert ["✓ Fixed since the last run: f/c0, f/c1, f/c2 (+6)"] == told(before, now)


def test_hidden_cases_are_not_named() -> None:
    """Which of them has changed would tell what it asks."""

    def hidden(verdict: Verdict) -> Record:
        return record(group("f", case("f/secret", verdict, visibility=Visibility.HIDDEN)))

    said = told(hidden(Verdict.WRONG), hidden(Verdict.PASSED))
    assert ["The same cases pass as in the last run."] == said


def test_watching_goes_on_through_mistakes_until_interrupted(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A syntax error and a file that is gone are told; Ctrl-C is the usual end, with code 0."""
    mine = here / write("mine.py", WRONG)
    editor = Editor(
        lambda: mine.write_text("def double(x)\n"),
        mine.unlink,
        lambda: mine.write_text(RIGHT),
        lambda: mine.write_text(WRONG),
    )
    monkeypatch.setattr(watching, "_pause", editor.pause)
    done = grader(capfd, "check", "mine.py", "--watch")
    assert 0 == done.code
    assert ["0 of 2", "2 of 2", "0 of 2"] == [
        line[:6] for line in done.out.splitlines() if " of 2 points" in line
    ]
    assert "mine.py, line 1: this is not valid Python" in done.out
    assert "no such file" in done.err
    assert "✓ Fixed since the last run: g/1" in done.out
    assert "✗ Broken since the last run: g/1" in done.out


@pytest.mark.parametrize("option", [("--json",), ("--junit", "out.xml")])
@pytest.mark.usefixtures("here")
def test_watching_is_for_people(capfd: pytest.CaptureFixture[str], option: tuple[str, ...]) -> None:
    """What programs read is written once."""
    done = grader(capfd, "check", write("mine.py", RIGHT), "--watch", *option)
    assert 2 == done.code
