"""Who hands in, as the platform tells: kept beside the record, and told wherever people read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, SUITE, Done, grader, write
from filed_runs import PATTERNS, begun, database, filed, keep, named, records_of, run_of

from grader.cli import grade, sources
from grader.intake.people import Person
from grader.reporting.output import write_reports
from grader.run.tasks import Task
from grader.store.runs import AttemptFacts, Run
from grader.store.schema import APPLICATION_ID, MIGRATIONS
from grader.store.store import Store

JAN: Final = Person(name="Jan Jansens", user="r0123456", id="_42_1", email="j.jansens@school.be")
PAIR: Final = Person(name="Group 7", members=(JAN, Person(name="Els Maes")))
SECOND: Final = AttemptFacts(
    number=2, submitted=datetime.fromisoformat("2026-10-01T14:03:00+02:00"), is_late=False
)


def run_with(person: Person | None, attempt: AttemptFacts | None = None) -> Run:
    """Return a run in which jan is known as this person."""
    run = run_of(named("jan"))
    return replace(
        run, entries=tuple(replace(each, person=person, attempt=attempt) for each in run.entries)
    )


@pytest.mark.parametrize("person", [None, JAN, PAIR, Person(id="7")])
@pytest.mark.parametrize("attempt", [None, SECOND, AttemptFacts(number=1)])
def test_person_and_attempt_come_back(
    tmp_path: Path, person: Person | None, attempt: AttemptFacts | None
) -> None:
    """With the entry they belong to, however it is asked for."""
    run = run_with(person, attempt)
    with Store.writing(tmp_path) as store:
        store.begin(run, PATTERNS)
        keep(store, 0, named("jan"))
    with Store.reading(tmp_path) as store:
        assert run == store.run
        assert list(run.entries) == [line.entry for line in store.graded_entries()]
        assert list(run.entries) == [entry for entry, _ in store]


def test_other_programs_can_read_who_it_is(tmp_path: Path) -> None:
    """Each in a column of its own; members are JSON, and times as ISO 8601 has them."""
    with Store.writing(tmp_path) as store:
        store.begin(run_with(replace(PAIR, id="g7"), SECOND), PATTERNS)
    columns = "platform_id, user_name, name, email, members, attempt, submitted, is_late"
    with database(tmp_path) as connection:
        (row,) = connection.execute(f"SELECT {columns} FROM entry")
    *known, members, number, submitted, is_late = row
    assert ["g7", None, "Group 7", None] == known
    assert ["Jan Jansens", "Els Maes"] == [each["name"] for each in json.loads(members)]
    assert (2, "2026-10-01T14:03:00+02:00", 0) == (number, submitted, is_late)


def test_store_of_the_first_version_has_all_that_was_in_it(tmp_path: Path) -> None:
    """Its tables are those of today afterwards, and nobody in it is a person yet."""
    filed(tmp_path / "new", named("jan"), named("an"))
    (tmp_path / "old").mkdir()
    with closing(sqlite3.connect(tmp_path / "old/run.db")) as old, old:
        old.executescript(MIGRATIONS[0])
        old.execute("ATTACH ? AS new", [str(tmp_path / "new/run.db")])
        tables = old.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            names = [row[1] for row in old.execute(f"PRAGMA main.table_info({table})")]
            columns = ", ".join(names)
            old.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 1")
    with Store.reading(tmp_path / "old") as store:
        assert run_of(named("jan"), named("an")) == store.run
        assert [named("jan"), named("an")] == records_of(store)
    with database(tmp_path / "old") as connection:
        assert (len(MIGRATIONS),) == connection.execute("PRAGMA user_version").fetchone()
        marks = connection.execute("SELECT mark FROM entry ORDER BY position").fetchall()
    assert [(named("jan").score,), (named("an").score,)] == marks


def test_results_tell_who_it_is(tmp_path: Path) -> None:
    """The platform's id is the id, and the rest has keys of its own; without any, none is there."""
    entries = []
    for person, attempt in ((JAN, SECOND), (PAIR, None), (None, None)):
        with Store.writing(tmp_path) as store:
            store.begin(run_with(person, attempt), PATTERNS)
            keep(store, 0, named("jan"))
            write_reports(tmp_path, store)
        (entry,) = json.loads((tmp_path / "results.json").read_bytes())["submissions"]
        entries.append(entry)
    one, pair, nobody = entries
    assert ("_42_1", "jan", "Jan Jansens") == (one["id"], one["student"], one["name"])
    assert ("r0123456", "j.jansens@school.be") == (one["user"], one["email"])
    assert (2, "2026-10-01T14:03:00+02:00") == (one["attempt"], one["submitted"])
    assert one["is_late"] is False
    assert ("jan", "Group 7") == (pair["id"], pair["name"])
    assert [JAN.name, "Els Maes"] == [each["name"] for each in pair["members"]]
    assert {"id", "student", "exercise"} == {*list(nobody)[:3]}
    assert not {"name", "user", "email", "members", "attempt"} & {*nobody}


def test_reports_call_students_as_people_do(tmp_path: Path) -> None:
    """Overview, page and sheet; what is said of nobody else stays in the record."""
    hostile = "<b>Jan</b> ##[error]"
    with begun(tmp_path, named("jan"), sheets=True) as store:
        run = run_with(Person(name=hostile))
        store.begin(replace(run, settings=replace(run.settings, sheets=True)), PATTERNS)
        keep(store, 0, named("jan"))
        write_reports(tmp_path, store, sheets=True, pages=True)
        assert [named("jan")] == records_of(store)
    for name in ("index.html", "yinyang/jan.html", "yinyang/sheets/jan.html"):
        text = (tmp_path / name).read_text()
        assert "&lt;b&gt;Jan&lt;/b&gt;" in text, name
        assert "<b>Jan" not in text
    assert "##[" not in (tmp_path / "results.json").read_text()


def graded(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    person: Person | None,
    *options: str,
) -> Done:
    """Grade the hand-in of jan, who is this person."""

    def found(planned: sources.PlannedExercise) -> Sequence[Task]:
        tasks = sources.tasks_of(planned)
        return [replace(task, person=person, attempt=SECOND) for task in tasks]

    with monkeypatch.context() as patch:
        patch.setattr(grade, "tasks_of", found)
        return grader(capfd, "grade", "double", "--jobs", "1", *options)


@pytest.fixture
def hand_in(here: Path) -> None:
    """One hand-in, in which its student has written more names than one."""
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))
    write("double/jan.py", f"# {JAN.name} ({JAN.user}, {JAN.email})\n{RIGHT}")
    assert here.is_dir()


@pytest.mark.usefixtures("hand_in")
def test_page_follows_the_name(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is called otherwise since gets her page anew, and is not graded again."""
    page = Path("reports/double/jan.html")
    for person, called in ((None, "jan"), (JAN, "Jan Jansens"), (PAIR, "Group 7")):
        assert 0 == graded(capfd, monkeypatch, person).code
        assert f'<p class="who">{called}</p>' in page.read_text()
    with database(Path("reports")) as store:
        assert (1,) == store.execute("SELECT count(*) FROM record").fetchone()
    for known in ("jan", "group", "els", "_42_1", "r0123456"):
        assert "Group 7" in grader(capfd, "show", "reports", known).out


@pytest.mark.usefixtures("hand_in")
def test_regrade_keeps_who_it_is(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run that takes the place of another calls her as that did."""
    assert 0 == graded(capfd, monkeypatch, JAN).code
    assert 0 == grader(capfd, "regrade", "reports", "--accept").code
    assert "Jan Jansens" in Path("reports/double/jan.html").read_text()
    with Store.reading(Path("reports")) as store:
        (entry,) = store.run.entries
    assert (JAN, SECOND) == (entry.person, entry.attempt)


@pytest.mark.usefixtures("hand_in")
def test_with_pseudonyms_no_name_is_kept(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that the platform tells stands in any file but the table of who is who."""
    assert 0 == graded(capfd, monkeypatch, JAN, "--pseudonyms", "--sheets").code
    with database(Path("reports")) as store:
        kept = "\n".join(store.iterdump())
        (data,) = store.execute("SELECT count(*) FROM entry WHERE submitted IS NULL")
    assert (1,) == data
    texts = [each.read_text() for each in Path("reports").rglob("*.html")]
    with Store.reading(Path("reports")) as run:
        (record,) = records_of(run)
    for name in (JAN.name, JAN.user, JAN.email, JAN.id, "j.jansens"):
        assert name
        assert all(name.casefold() not in text.casefold() for text in [*texts, kept, repr(record)])
