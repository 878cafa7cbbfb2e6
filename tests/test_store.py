"""The store of a run: what is kept comes back, and nothing that happens to it loses anything."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from filed_runs import (
    PATTERNS,
    begun,
    database,
    filed,
    graded_from,
    keep,
    key_for,
    named,
    records_of,
    run_of,
    use,
)
from record_samples import HOSTILE_TEXTS, case, group, record, yinyang_record
from ruled_records import one_of_each

from grader.errors import OutputError, RecordError, UsageError
from grader.run.chunks import to_graded as graded_with
from grader.store import schema
from grader.store.graded import Graded, Pattern, compress, decompress
from grader.store.runs import Run, RunSettings, Shard
from grader.store.schema import MIGRATIONS
from grader.store.store import Store
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict

HOLDING: Final = """\
import sys
from pathlib import Path
from grader.store.store import Store
with Store.writing(Path(sys.argv[1])):
    print("ready", flush=True)
    sys.stdin.read()
"""


def count(folder: Path, table: str) -> int:
    """Return how many rows a table has."""
    with database(folder) as connection:
        (rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(rows)


# Records


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    """Each record with its entry and all that is told of it, in the order of the run."""
    given = [one_of_each(), yinyang_record(), named("jan")]
    with begun(tmp_path, *given) as store:
        for index in (2, 0, 1):
            keep(store, index, given[index])
    with Store.reading(tmp_path) as store:
        assert run_of(*given) == store.run
        found = list(store)
        records = records_of(store)
    assert list(run_of(*given).entries) == [entry for entry, _ in found]
    assert [by_case(graded_from(each)) for each in given] == [by_case(each) for _, each in found]
    assert given == records


def by_case(graded: Graded) -> Graded:
    """Return `graded` with its cases by their ids: a store keeps no other order of them."""
    return replace(graded, unpassed=tuple(sorted(graded.unpassed)))


def test_another_run_keeps_records_and_has_entries_of_its_own(tmp_path: Path) -> None:
    """What was graded is there for whoever is still in the list; the others are in no result."""
    jan, an = named("jan"), named("an")
    filed(tmp_path, jan, an)
    with Store.writing(tmp_path) as store:
        store.begin(run_of(named("bo"), jan), PATTERNS)
        assert [] == list(store), "nothing is taken for graded that was not asked for"
        kept = store.find_record(store.run.entries[1], key_for(jan))
        assert kept is not None
        store.link_records({1: kept.record_id})
        assert [jan] == records_of(store)
        assert run_of(named("bo"), jan) == store.run
    assert (2, 2) == (count(tmp_path, "record"), count(tmp_path, "entry"))


def test_own_record_is_known_by_its_key_and_its_student(tmp_path: Path) -> None:
    """Neither other files of hers nor the same files of another student are it."""
    jan, other, an = named("jan"), named("jan", text="3"), named("an")
    with begun(tmp_path, jan, an) as store:
        keep(store, 0, jan)
        jans, ans = store.run.entries
        assert store.find_record(jans, key_for(other)) is None
        assert store.find_record(ans, key_for(jan)) is None
        found = store.find_record(jans, key_for(jan))
        assert found is not None
        assert graded_from(jan).data == store.data(found.record_id)


def test_fault_is_no_record_of_ones_own(tmp_path: Path) -> None:
    """What we failed to grade is graded again, also after it went well for once."""
    jan = named("jan")
    fault = replace(graded_from(jan), status=Status.FAULT, is_lasting=False)
    with begun(tmp_path, jan) as store:
        (entry,) = store.run.entries
        keep(store, 0, jan, fault)
        assert store.find_record(entry, key_for(jan)) is None
        well = keep(store, 0, jan)
        keep(store, 0, jan, fault)
        found = store.find_record(entry, key_for(jan))
        assert found is not None
        assert well == found.record_id


def test_each_record_is_read_as_it_was_packed(tmp_path: Path) -> None:
    """Another version of the grader packs what is on the same suite to another pattern."""
    old = record(group("f", case("f/1"), case("f/2")), id="jan", student="jan")
    new = record(group("f", case("f/2"), case("f/1")), id="an", student="an")
    patterns = [Pattern(each.cases) for each in (old, new)]
    graded = [
        graded_with(each, pattern, {}, is_lasting=True)
        for each, pattern in zip((old, new), patterns, strict=True)
    ]
    assert len(graded[0].data) < len(graded_from(old).data), "its cases are those of the pattern"
    for index, pattern in enumerate(patterns):
        with Store.writing(tmp_path) as store:
            store.begin(run_of(old, new), {pattern.sha256: pattern.to_bytes()})
            keep(store, index, (old, new)[index], graded[index])
            for other, each in enumerate((old, new)[:index]):
                kept = store.find_record(store.run.entries[other], key_for(each))
                assert kept is not None
                store.link_records({other: kept.record_id})
    with Store.reading(tmp_path) as store:
        assert [old, new] == records_of(store)


def test_record_behind_lower_walls_than_asked_is_not_known(tmp_path: Path) -> None:
    """Whoever asks for a level must not be given what was graded below it."""
    jan = named("jan")
    with begun(tmp_path, jan) as store:
        (entry,) = store.run.entries
        kept = keep(store, 0, jan, replace(graded_from(jan), isolation=1))
        for level, found in ((0, kept), (1, kept), (2, None), (3, None)):
            own = store.find_record(entry, key_for(jan), level)
            assert (None if own is None else own.record_id) == found
            assert (store.find_lasting_data(key_for(jan), level) is None) == (found is None)


def test_only_what_lasts_is_taken_for_somebody_else(tmp_path: Path) -> None:
    """What a clock may have changed is hers alone."""
    jan = named("jan")
    with begun(tmp_path, jan) as store:
        keep(store, 0, jan, graded_from(jan, is_lasting=False))
        assert store.find_lasting_data(key_for(jan)) is None
        keep(store, 0, jan, graded_from(jan))
        assert graded_from(jan).data == store.find_lasting_data(key_for(jan))
        assert store.find_lasting_data(key_for(named("jan", text="3"))) is None


def test_record_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    """What fails halfway through leaves nothing of itself, and the store goes on."""
    jan = named("jan")
    graded = graded_from(jan)
    twice = replace(graded, unpassed=graded.unpassed * 2)
    with begun(tmp_path, jan) as store:
        with pytest.raises(RecordError):
            keep(store, 0, jan, twice)
        assert [] == list(store)
        keep(store, 0, jan)
    assert (1, 1) == (count(tmp_path, "record"), count(tmp_path, "outcome"))


@pytest.mark.parametrize("name", [*HOSTILE_TEXTS, "sql"])
def test_names_are_kept_as_they_are_shown(tmp_path: Path, name: str) -> None:
    """A student may be called anything; what no text can hold was taken out at the door."""
    student = one_line({**HOSTILE_TEXTS, "sql": "'); DROP TABLE record; --"}[name])
    given = named(student)
    filed(tmp_path, given)
    with Store.reading(tmp_path) as store:
        assert [student] == [entry.student for entry in store.run.entries]
        assert [given] == records_of(store)


def test_what_was_typed_is_kept_as_it_was(tmp_path: Path) -> None:
    """A path in another encoding is no Unicode."""
    run = run_of(named("jan"))
    odd = replace(run, settings=replace(run.settings, sources=("a\udcffb\0é",)))
    with Store.writing(tmp_path) as store:
        store.begin(odd, PATTERNS)
        assert odd == store.run


def test_settings_stand_beside_other_facts_of_a_run() -> None:
    """So do those of stores that have been written already; pages are for this time only."""
    (entry,) = run_of(named("jan")).entries
    kept: dict[str, Any] = {
        "language": "nl",
        "sheets": True,
        "self_contained": False,
        "public": False,
        "keeps_hand_ins": True,
        "least_isolation": None,
        "deadline": "2026-10-01",
        "late": "refuse",
        "suites": {},
        "sources": ["/a"],
        "grader_version": "0.1.0",
        "regrades": None,
        "has_own_tests": False,
        "shard": {"number": 3, "count": 4},
    }
    run = Run.from_json(kept, (entry,))
    settings = RunSettings(
        sheets=True,
        deadline="2026-10-01",
        late="refuse",
        sources=("/a",),
        shard=Shard(3, 4),
    )
    assert Run(entries=(entry,), language="nl", grader_version="0.1.0", settings=settings) == run
    kept["left_out"] = []
    assert kept == replace(run, settings=replace(settings, pages=False)).to_json()


def test_settings_that_tell_who_has_a_pseudonym_are_not_kept() -> None:
    """A source may be called after a student."""
    settings = RunSettings(sources=("/jan.py",), sheets=True)
    assert settings == settings.for_store()
    hidden = replace(settings, keeps_hand_ins=False)
    assert RunSettings(sheets=True, keeps_hand_ins=False) == hidden.for_store()


def test_what_happened_is_noted(tmp_path: Path) -> None:
    """The beginning of a run, and whatever is told of it, stand there in their order."""
    with begun(tmp_path, named("jan")) as store:
        store.record_event("done", graded=1)
    with database(tmp_path) as connection:
        events = connection.execute("SELECT what, facts FROM event ORDER BY id").fetchall()
    assert [("begun", '{"submissions": 1}'), ("done", '{"graded": 1}')] == events


def test_file_is_of_the_record_that_was_last_written_to_it(tmp_path: Path) -> None:
    """While it is being written it is of nobody, and so it stays if that comes to no end."""
    jan, other = named("jan"), named("jan", text="3")
    with begun(tmp_path, jan) as store:
        first, second = keep(store, 0, jan), keep(store, 0, other)
        with store.files.writing(first, ["a.html", "sheets/a.html"]):
            assert {"a.html": None, "sheets/a.html": None} == store.files.all()
        with store.files.writing(second, ["a.html"]):
            pass
        assert {"a.html": second, "sheets/a.html": first} == store.files.all()
        with suppress(OSError), store.files.writing(first, ["a.html"]):
            raise OSError
        assert {"a.html": None, "sheets/a.html": first} == store.files.all()


def test_record_is_unpacked_with_what_it_was_packed_to_or_not_at_all() -> None:
    """The numbers in it mean nothing to another pattern."""
    jan = record(group("f", case("f/1"), case("f/2", Verdict.WRONG)), id="jan", student="jan")
    before, after = Pattern((case("f/1"), case("f/2"))), Pattern((case("f/2"), case("f/1")))
    assert jan == Pattern.from_bytes(before.to_bytes()).unpack(before.pack(jan))
    with pytest.raises(ValueError, match="packed with another pattern"):
        after.unpack(before.pack(jan))


@pytest.mark.parametrize("data", [b"x", compress(b"12345"), compress(b"1234")[:-1]])
def test_what_is_far_too_large_is_damaged(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """A few bytes of a store from elsewhere must not become gigabytes."""
    monkeypatch.setattr("grader.store.graded._MAX_BYTES", 4)
    assert b"1234" == decompress(compress(b"1234"))
    with pytest.raises(ValueError, match=r"it cannot be decompressed|it is truncated"):
        decompress(data)


# Who writes and who reads


@contextmanager
def another_writer(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Have another process write in `folder`."""
    command = [sys.executable, "-c", HOLDING, str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, text=True, stdin=pipe, stdout=pipe) as writer:
        assert writer.stdout is not None
        assert "ready\n" == writer.stdout.readline()
        try:
            yield writer
        finally:
            writer.kill()


def test_second_writer_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    """Until that ends, however it does: nobody has to take a lock away."""
    with another_writer(tmp_path) as writer:
        with pytest.raises(OutputError) as caught, Store.writing(tmp_path):
            pass
        who = f"process {writer.pid} on {socket.gethostname()}"
        assert f"another grader is writing to {tmp_path}: {who}" == caught.value.message
        assert "wait until it is done, or choose another folder with --out" == caught.value.help
        writer.send_signal(signal.SIGKILL)
    filed(tmp_path, named("jan"))


def test_reader_need_not_wait_for_a_writer(tmp_path: Path) -> None:
    """It reads what is kept, also in the middle of what is not yet."""
    jan, an = named("jan"), named("an")
    with begun(tmp_path, jan, an) as writer:
        keep(writer, 0, jan)
        with Store.reading(tmp_path) as reader, writer._database.transaction() as connection:
            connection.execute("UPDATE entry SET record = NULL")
            assert [jan] == records_of(reader)
        keep(writer, 1, an)
        with Store.reading(tmp_path) as reader:
            assert [an] == records_of(reader)


@pytest.mark.parametrize("harm", ["unlink", "empty", "no run"])
def test_reader_in_the_first_moment_of_a_run_is_told_so(tmp_path: Path, harm: str) -> None:
    """There is a writer, and nothing to be read yet; without a writer nothing is beginning."""
    path = tmp_path / "run.db"
    with Store.writing(tmp_path):
        if harm != "no run":
            path.unlink()
        if harm == "empty":
            path.touch()
        beginning = pytest.raises(UsageError, match="has only just started, by process")
        with beginning as caught, Store.reading(tmp_path):
            pass
        assert "run the same command again in a moment" == caught.value.help
    with pytest.raises((UsageError, RecordError)) as caught_later, Store.reading(tmp_path) as store:
        list(store.run.entries)
    assert "beginning" not in caught_later.value.message


def test_reader_changes_nothing(tmp_path: Path) -> None:
    """Whatever somebody does with a store that is read only, the file stays as it is."""
    filed(tmp_path, named("jan"))
    before = (tmp_path / "run.db").read_bytes()
    with Store.reading(tmp_path) as store, pytest.raises(OutputError, match="readonly"):
        store.record_event("done")
    assert before == (tmp_path / "run.db").read_bytes()


def test_at_rest_a_store_is_one_file(tmp_path: Path) -> None:
    """So it can be copied and sent, and read where nobody may write."""
    filed(tmp_path, named("jan"))
    with Store.reading(tmp_path):
        pass
    assert ["run.db", "run.lock"] == sorted(path.name for path in tmp_path.glob("run.*"))
    with database(tmp_path) as connection:
        assert ("delete",) == connection.execute("PRAGMA journal_mode").fetchone()


def test_reader_does_not_keep_a_writer_from_its_end(tmp_path: Path) -> None:
    """Who still reads when a run is done does no harm, and the next run is not in the way."""
    with begun(tmp_path, named("jan")) as writer:
        keep(writer, 0, named("jan"))
        reading = Store.reading(tmp_path)
        reader = reading.__enter__()
        rows = iter(reader)
        next(rows)
    assert [] == list(rows)
    reading.__exit__(None, None, None)
    filed(tmp_path, named("jan"), named("an"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_nobody_else_may_look_into_a_store(tmp_path: Path) -> None:
    """It holds what hidden cases asked, also while it is written."""
    before = os.umask(0)
    try:
        with begun(tmp_path, named("jan")) as store:
            keep(store, 0, named("jan"))
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("run.db*")}
    finally:
        os.umask(before)
    assert {"run.db", "run.db-wal", "run.db-shm"} == modes.keys()
    assert {0o600} == set(modes.values())


def test_error_of_whoever_uses_a_store_stays_what_it_is(tmp_path: Path) -> None:
    """What fails beside a store is not told as if its file were damaged."""
    for opened in (Store.writing, Store.reading):
        filed(tmp_path, named("jan"))
        with pytest.raises(BrokenPipeError), opened(tmp_path):
            raise BrokenPipeError


# Versions


def test_store_of_an_older_version_becomes_one_of_today(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever opens it, to read or to write, has all that was in it."""
    newer = (*MIGRATIONS, "ALTER TABLE event ADD COLUMN who TEXT;")
    for name, opened in {"read": Store.reading, "written": Store.writing}.items():
        filed(tmp_path / name, named("jan"))
        with monkeypatch.context() as patch:
            patch.setattr(schema, "MIGRATIONS", newer)
            patch.setattr("grader.store.store.MIGRATIONS", newer)
            with opened(tmp_path / name) as store:
                assert [named("jan")] == records_of(store)
                assert [(len(newer),)] == store._database.rows("PRAGMA user_version")
                assert store._database.rows("SELECT who FROM event")


def test_decisions_of_an_older_version_stay(tmp_path: Path) -> None:
    """Row by row, in their order, and nobody can change them then either."""
    filed(tmp_path, named("jan"))
    with database(tmp_path) as store:
        of_decisions = MIGRATIONS[2].partition("ALTER TABLE entry")[0]
        store.executescript(
            f"DROP TABLE decision; {of_decisions}"
            "ALTER TABLE entry DROP COLUMN deadline; PRAGMA user_version = 6;"
        )
        store.executemany(
            "INSERT INTO decision VALUES (?, ?, 't', 'b', 'yinyang', 'jan', 's', 'page', '', 0,"
            " NULL, NULL, NULL, 'x', NULL, NULL, NULL)",
            [(3, "b"), (7, "a")],
        )
    with Store.reading(tmp_path) as reading:
        assert ["b", "a"] == [each.uid for each in reading.decisions]
    with database(tmp_path) as store:
        assert [3, 7] == [row[0] for row in store.execute("SELECT id FROM decision ORDER BY id")]
        store.execute(
            "INSERT INTO decision SELECT 9, 'c', 't', 'b', 'yinyang', 'jan', 's', 'total', '', 0,"
            " 1.0, NULL, NULL, 'x', NULL, NULL, NULL"
        )
        for statement in ("UPDATE decision SET because = 'y'", "DELETE FROM decision"):
            with pytest.raises(sqlite3.IntegrityError, match="taken back by another one"):
                store.execute(statement)


def test_migration_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store is never between two versions."""
    filed(tmp_path, named("jan"))
    broken = (*MIGRATIONS, "DROP TABLE outcome; DROP TABLE nonsense;")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", broken)
        with pytest.raises(OutputError, match="no such table"), Store.writing(tmp_path):
            pass
    use(tmp_path)
