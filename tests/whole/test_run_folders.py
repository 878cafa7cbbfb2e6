"""The folder of a run: what is taken away there, and what gets another name."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import RIGHT, SUITE, grader, write
from filed_runs import begun, database, filed, named, run_of, take

from grader.run.keeping import tidy
from grader.store.store import Store

PLAIN_SUITE = SUITE.format(name="double", defines="double", call="double(2)")


def lay_out(*students: str) -> None:
    """Write a class of these students, with the suite of their exercise."""
    write("testsuites/double.yaml", PLAIN_SUITE)
    for student in students:
        write(f"double/{student}.py", f"# {student}\n{RIGHT}")


def pages(folder: Path) -> list[str]:
    """Return the names of the pages in `folder`."""
    return sorted(path.name for path in folder.glob("*/*.html"))


def test_page_of_somebody_else_is_taken_away(tmp_path: Path) -> None:
    """Her name went to somebody who is not graded yet: else hers would be taken for his."""
    jan, other = named("jan"), named("Jan!")
    with begun(tmp_path, jan) as store, store.files.writing(1, [store.run.entries[0].page]):
        take(tmp_path, store, 0, jan)
    with Store.writing(tmp_path) as store:
        store.begin(run_of(other, jan), {})
        assert ["jan", "jan-2"] == [entry.stem for entry in store.run.entries]
        tidy(tmp_path, store)
    assert [] == pages(tmp_path)


def test_only_pages_are_taken_away(tmp_path: Path) -> None:
    """Whoever has written into a store cannot have other files taken away by it."""
    folder, kept = tmp_path / "run", tmp_path / "kept.html"
    filed(folder, named("jan"))
    inside = next(folder.glob("*/jan.html")).with_name("notes.txt")
    for path in (kept, inside):
        path.write_text("kept", encoding="utf-8")
    with database(folder) as store:
        below = inside.parent.name
        names = ("../kept.html", f"{below}/../../kept.html", str(kept), f"{below}/notes.txt")
        store.executemany("INSERT INTO file VALUES (?, NULL, NULL)", [(name,) for name in names])
    with Store.writing(folder) as store:
        tidy(folder, store)
    assert kept.exists()
    assert inside.exists()


@pytest.mark.usefixtures("here")
def test_fresh_run_leaves_hand_ins_where_they_are(capfd: pytest.CaptureFixture[str]) -> None:
    """In a folder that gets another name they would not be found, and nobody could be graded."""
    lay_out("jan")
    arguments = ("grade", "double", "--out", "double")
    assert 0 == grader(capfd, *arguments).code
    done = grader(capfd, *arguments, "--fresh")
    assert 2 == done.code
    assert "hand-ins are inside double, which --fresh would rename\n" in done.err
    assert Path("double/jan.py").exists()


def test_folder_without_a_name_cannot_get_another(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told, before anything is graded; a regrade of it stands beside it all the same."""
    lay_out("jan")
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    monkeypatch.setenv("GRADER_SUITES", str(here / "testsuites"))
    monkeypatch.chdir("run")
    for arguments in (
        ("grade", "../double", "--out", ".", "--fresh"),
        ("regrade", ".", "--accept"),
    ):
        done = grader(capfd, *arguments)
        assert 2 == done.code
        assert (
            "error: the earlier run cannot be renamed, because its folder was given as '.'\n"
            in done.err
        )
    assert 0 == grader(capfd, "regrade", ".").code
    assert (here / "run-regraded" / "run.db").exists()


@pytest.mark.usefixtures("here")
def test_runs_of_ours_are_no_hand_ins(capfd: pytest.CaptureFixture[str]) -> None:
    """Those that were set aside, or regraded, lie beside the run; hand-ins may lie there too."""
    lay_out("jan")
    write("double/run.py/main.py", RIGHT)
    arguments = ("grade", "double", "--out", "double/run")
    assert 0 == grader(capfd, *arguments).code
    assert 0 == grader(capfd, *arguments, "--fresh").code
    assert 0 == grader(capfd, "regrade", "double/run").code
    done = grader(capfd, *arguments)
    assert 0 == done.code
    for name in ("run", "run.1", "run-regraded"):
        assert (
            f"double/{name} is left out: it is the folder for the reports, not a hand-in\n"
            in done.err
        )
    with Store.reading(Path("double/run")) as store:
        assert ["jan", "run.py"] == [entry.student for entry in store.run.entries]
