"""A run of which nothing changes: what lies there stays, and whatever does not is made again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from command_line import RIGHT, SUITE, WRONG, grader, write
from decisions import on_case
from filed_runs import PATTERNS, begun, graded_from, keep, key_for, named, run_of

from grader.judging.record import Record
from grader.reporting.output import write_page, write_reports
from grader.reporting.student_page import student_page
from grader.run.keeping import FinishedSubmission, StoreKeeper, remove_stale_pages
from grader.store import keys
from grader.store.runs import Run
from grader.store.store import Store

JAN: Final = named("jan")
AN: Final = named("an")
RESULTS: Final = "results.json"
PAGE: Final = "yinyang/jan.html"
Change: TypeAlias = Callable[[Path], object]


def take(store: Store, index: int, record: Record) -> None:
    """Keep one record, and write its page so that the store knows of it."""
    entry = store.run.entries[index]
    with store.files.writing(keep(store, index, record), [entry.page]):
        write_page(store.files.folder, entry, student_page(record), None, shares=False)


def go_on(folder: Path, run: Run | None = None, *records: Record, sheets: bool = False) -> None:
    """Give the same command again, or one for another `run`, in which these come new."""
    with Store.writing(folder) as store:
        store.begin(run or run_of(JAN, AN), PATTERNS)
        keeper = keeper_of(store, folder)
        for index, each in enumerate(records or (JAN, AN)):
            if not keeper.count_if_done(index, key_for(each)):
                take(store, index, each)
        keeper.link_pending()
        remove_stale_pages(folder, store)
        write_reports(folder, store, sheets=sheets)


def keeper_of(store: Store, folder: Path) -> StoreKeeper:
    """Return what keeps a run of which nobody is told."""

    def nobody(_: FinishedSubmission) -> None:
        pass

    return StoreKeeper(store, store.run, folder, on_done=nobody)


def files(folder: Path) -> dict[str, bytes]:
    """Return what lies in `folder`, its store aside."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith("run.")
    }


def inodes(folder: Path) -> dict[str, tuple[int, int]]:
    """Return which files these are: one that is written anew is another."""
    facts = {name: (folder / name).stat() for name in files(folder)}
    return {name: (each.st_ino, each.st_mtime_ns) for name, each in facts.items()}


def edit(path: Path) -> None:
    """Change a file so that its size does not tell."""
    text = path.read_bytes()
    path.write_bytes(text[:-2] + b"#\n")


def test_what_nothing_has_changed_is_left_alone(tmp_path: Path) -> None:
    """Neither a page nor a report is written again."""
    go_on(tmp_path)
    before, is_of = inodes(tmp_path), files(tmp_path)
    go_on(tmp_path)
    assert before == inodes(tmp_path)
    assert is_of == files(tmp_path)


@pytest.mark.parametrize("name", [PAGE, RESULTS, "index.html", "*.css"])
@pytest.mark.parametrize(
    "spoil",
    [
        edit,
        Path.unlink,
        lambda path: path.write_bytes(path.read_bytes() + b"<!-- -->"),
        lambda path: (path.rename(path.with_name("x")), path.symlink_to("x")),
    ],
    ids=["edited", "gone", "longer", "linked"],
)
def test_what_was_spoilt_is_made_again(tmp_path: Path, spoil: Change, name: str) -> None:
    """A page or a report that somebody has edited or taken away comes back as it was."""
    go_on(tmp_path)
    before, (path,) = files(tmp_path), tmp_path.glob(name)
    spoil(path)
    go_on(tmp_path)
    assert before == {file: data for file, data in files(tmp_path).items() if file in before}
    assert not path.is_symlink()


def test_what_somebody_put_there_goes(tmp_path: Path) -> None:
    """A page of evidence where there is no evidence is not ours."""
    go_on(tmp_path)
    (tmp_path / "evidence.html").touch()
    go_on(tmp_path)
    assert "evidence.html" not in files(tmp_path)


OTHER: Final = named("jan", text="3")
LATER: Final = [
    (run_of(JAN, AN, language="nl"), (JAN, AN)),
    (run_of(OTHER, AN), (OTHER, AN)),
    (run_of(AN), (AN,)),
    (run_of(AN, JAN), (AN, JAN)),
    (run_of(JAN, AN, named("bo")), (JAN, AN, named("bo"))),
    (run_of(JAN, AN, sheets=True), (JAN, AN)),
]


@pytest.mark.parametrize(
    ("run", "records"), LATER, ids=["language", "file", "left", "order", "late", "sheets"]
)
def test_what_has_changed_is_told(tmp_path: Path, run: Run, records: tuple[Record, ...]) -> None:
    """Reports are those of a run that begins with what is new."""
    sheets = run.settings.sheets
    go_on(tmp_path / "fresh", run, *records, sheets=sheets)
    go_on(tmp_path / "again")
    go_on(tmp_path / "again", run, *records, sheets=sheets)
    assert files(tmp_path / "fresh") == files(tmp_path / "again")
    go_on(tmp_path / "again")
    go_on(tmp_path / "first")
    assert files(tmp_path / "first") == files(tmp_path / "again")


def test_another_version_writes_its_own_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The overview may look otherwise in it, also where no record does."""
    go_on(tmp_path)
    before = inodes(tmp_path)
    monkeypatch.setattr(keys, "code_sha256", lambda: "another")
    go_on(tmp_path)
    after = inodes(tmp_path)
    assert {RESULTS, "index.html"} == {name for name in before if before[name] != after[name]}


def test_decision_is_told_at_once_and_kept(tmp_path: Path) -> None:
    """Results of before are gone as soon as somebody has decided; the next ones tell of it."""
    go_on(tmp_path)
    before = files(tmp_path)
    with Store.writing(tmp_path) as store:
        store.decide([on_case(JAN, "f/1", 1.0)])
        assert not (tmp_path / RESULTS).exists()
    go_on(tmp_path)
    assert before[RESULTS] != files(tmp_path)[RESULTS]


def test_results_go_before_anything_that_they_speak_of(tmp_path: Path) -> None:
    """With the first record that is another one, and with an entry that comes or goes."""
    go_on(tmp_path)
    with begun(tmp_path, JAN, AN) as store:
        assert (tmp_path / RESULTS).exists(), "nothing has changed yet"
        store.link_records({1: keep_of(store, AN)})
        assert (tmp_path / RESULTS).exists()
        keep(store, 0, OTHER, graded_from(OTHER))
        assert not (tmp_path / RESULTS).exists()
    go_on(tmp_path)
    with begun(tmp_path, JAN):
        assert not (tmp_path / RESULTS).exists()


def keep_of(store: Store, record: Record) -> int:
    """Return the id of a record that is kept."""
    entry = next(each for each in store.run.entries if each.student == record.student)
    kept = store.find_record(entry, key_for(record))
    assert kept is not None
    return kept.record_id


def test_page_that_is_taken_away_takes_the_results_along(tmp_path: Path) -> None:
    """Where a run is interrupted, the page of who is not graded yet goes; results speak of it."""
    go_on(tmp_path)
    with begun(tmp_path, JAN, AN) as store:
        store.link_records({1: keep_of(store, AN)})
        remove_stale_pages(tmp_path, store)
    assert not {RESULTS, PAGE} & files(tmp_path).keys()


def test_file_of_another_time_is_another(tmp_path: Path) -> None:
    """Its size is the same, and when it was written to is not."""
    with begun(tmp_path, JAN) as store:
        take(store, 0, JAN)
        assert store.files.currency_check()(PAGE, 1)
        assert not store.files.currency_check()(PAGE, 2), "it is of another record"
        os.utime(tmp_path / PAGE, ns=(0, 0))
        assert not store.files.currency_check()(PAGE, 1)


# Whole commands


@pytest.mark.usefixtures("here")
def test_commands_leave_alone_what_they_would_write_again(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """After a report, with pseudonyms and then without, on another suite: as a fresh run has it."""
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))
    write("double/an.py", RIGHT)
    write("double/bo.py", WRONG)

    def graded(out: str, *options: str) -> dict[str, bytes]:
        done = grader(capfd, "grade", "double", "--out", out, "--jobs", "1", *options)
        assert 0 == done.code, done.err
        return files(Path(out))

    first, before = graded("run"), inodes(Path("run"))
    assert 0 == grader(capfd, "report", "run").code
    assert first == files(Path("run"))
    reported = inodes(Path("run"))
    assert all(before[name] != reported[name] for name in (RESULTS, "double/an.html"))
    assert first == graded("run")
    assert reported == inodes(Path("run"))
    hidden = graded("hidden", "--pseudonyms")
    assert hidden == graded("hidden", "--pseudonyms")
    assert first == {name: data for name, data in graded("hidden").items() if name in first}
    text = Path("testsuites/double.yaml").read_text(encoding="utf-8")
    write("testsuites/double.yaml", text.replace("points: 2", "points: 3"))
    assert graded("run") == graded("fresh") != first
