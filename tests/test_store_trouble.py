"""Stores in odd places, on full disks, and files that are no stores: told, and nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection
from typing import Final

import pytest
from filed_runs import begun, database, filed, keep, named, records_of, use

from grader.errors import OutputError, RecordError, UsageError
from grader.store.places import journal_mode
from grader.store.schema import MIGRATIONS, version_of
from grader.store.store import Store

ROOM: Final = 1_000_000
# Places


MOUNTS: Final = r"""22 1 0:21 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:26 / /proc rw,nosuid - proc proc rw
41 22 0:40 / /home rw,relatime shared:2 - nfs4 server:/home rw,vers=4.2
42 41 0:41 / /home/local rw - xfs /dev/sdb1 rw
43 22 0:42 / /mnt/my\040share rw shared:3 master:1 - cifs //server/share rw
44 22 0:43 / /mnt/日本\134\011 rw - fuse.sshfs me@server: rw
45 22 0:44 / /mnt/twice rw - nfs a:/x rw
46 22 0:45 / /mnt/twice rw - ext4 /dev/sdc1 rw
"""


@pytest.mark.parametrize(
    ("folder", "journal"),
    [
        ("/srv/reports", "wal"),
        ("/home/jan/reports", "delete"),
        ("/home", "delete"),
        ("/homes/jan", "wal"),
        ("/home/local/reports", "wal"),
        ("/mnt/my share/reports", "delete"),
        ("/mnt/my", "wal"),
        ("/mnt/日本\\\t/reports", "delete"),
        ("/mnt/other", "wal"),
        ("/mnt/twice/reports", "wal"),
    ],
)
def test_journal_is_one_that_the_file_system_can_have(
    tmp_path: Path, folder: str, journal: str
) -> None:
    """On a network, memory is not shared: there a store has the older journal."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, encoding="utf-8")
    assert journal == journal_mode(Path(folder), mounts)


def test_journal_where_nobody_tells_of_file_systems(tmp_path: Path) -> None:
    """Where there is no table of them, the disk counts as a local one."""
    assert "wal" == journal_mode(tmp_path, tmp_path / "nowhere")


def test_store_on_a_network_is_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the older journal it keeps and gives back just the same."""
    monkeypatch.setattr("grader.store.store.journal_mode", lambda _: "delete")
    with begun(tmp_path, named("jan")) as store:
        keep(store, 0, named("jan"))
        assert not (tmp_path / "run.db-wal").exists()
        with Store.reading(tmp_path) as reader:
            assert [named("jan")] == records_of(reader)


@pytest.mark.parametrize("name", ["a b", "50%25", "x?mode=ro", "#x", "ünï\u202e", "a\udcff", "'"])
def test_folder_may_be_called_anything(tmp_path: Path, name: str) -> None:
    """What means something in an address means nothing in the name of a folder."""
    filed(tmp_path / name, named("jan"))
    with Store.reading(tmp_path / name) as store:
        assert 1 == len(list(store))


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """The error names the place, and the way out."""
    (tmp_path / "file").touch()
    with pytest.raises(OutputError) as caught, Store.writing(tmp_path / "file" / "out"):
        pass
    assert f"cannot create {tmp_path}/file/out: Not a directory" == caught.value.message
    assert "choose another folder with --out" == caught.value.help


def test_full_disk_costs_what_did_not_fit(tmp_path: Path) -> None:
    """The error names the way out; what was kept is there, and with room again it goes on."""
    jan, large = named("jan"), named("an", text=os.urandom(100_000).hex())
    with begun(tmp_path, jan, large) as store:
        keep(store, 0, jan)
        (pages,) = store._database.connection.execute("PRAGMA page_count").fetchone()
        store._database.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(OutputError) as caught:
            keep(store, 1, large)
        assert f"cannot use {tmp_path}/run.db: database or disk is full" == caught.value.message
        assert "run the same command again to resume" in (caught.value.help or "")
        assert [jan] == records_of(store)
        store._database.connection.execute(f"PRAGMA max_page_count = {ROOM}")
        keep(store, 1, large)
    with Store.reading(tmp_path) as store:
        assert [jan, large] == records_of(store)


# What is no store, and what is one no more


def test_folder_without_a_run_is_told(tmp_path: Path) -> None:
    """The error says which file is looked for, and which folder should be named."""
    with (
        pytest.raises(UsageError, match=r"contains no run\.db") as caught,
        Store.reading(tmp_path),
    ):
        pass
    assert "--out" in (caught.value.help or "")
    assert [] == list(tmp_path.iterdir())


def of_a_newer_grader(path: Path) -> None:
    """Make the store at `path` one of a version to come."""
    with database(path.parent) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


def of_another_program(path: Path) -> None:
    """Make the file at `path` a database of others."""
    path.unlink()
    with database(path.parent) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")


def no_database(path: Path) -> None:
    """Make the file at `path` one of another kind."""
    path.write_text("Dear reader, this is no database.\n" * 100)


def half(path: Path) -> None:
    """Take the second half of the file at `path` away."""
    os.truncate(path, path.stat().st_size // 2)


def overwritten(path: Path) -> None:
    """Write over the file at `path`, but for its first page."""
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (
            of_a_newer_grader,
            "cannot be used: it has version 9, but this grader supports versions up to 8",
        ),
        (of_another_program, "cannot be used: it is another program's database"),
        (no_database, "is damaged: file is not a database"),
        (half, "is damaged: database disk image is malformed"),
        (overwritten, "is damaged: database disk image is malformed"),
    ],
)
def test_what_is_no_store_of_ours_is_told_and_left_as_it_is(
    tmp_path: Path, harm: Callable[[Path], None], said: str
) -> None:
    """Neither reading nor writing makes it worse: somebody may still rescue it."""
    filed(tmp_path, *(named(f"student-{number}") for number in range(20)))
    path = tmp_path / "run.db"
    harm(path)
    before = path.read_bytes()
    with pytest.raises(RecordError) as read:
        use(tmp_path)
    assert f"{path} {said}" == read.value.message
    assert read.value.help is not None
    if harm is not overwritten:  # its first page says nothing of that
        with pytest.raises(RecordError, match=said), Store.writing(tmp_path):
            pass
    assert before == path.read_bytes()


def test_store_that_disappears_while_it_is_opened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run can be replaced at any time."""
    filed(tmp_path, named("jan"))

    def version_then_nothing(connection: Connection) -> int:
        (tmp_path / "run.db").unlink()
        return version_of(connection)

    monkeypatch.setattr("grader.store.store.version_of", version_then_nothing)
    with pytest.raises(OutputError, match="unable to open"), Store.reading(tmp_path):
        pass


def test_trouble_with_the_first_result_is_told(tmp_path: Path) -> None:
    """As with all others: SQLite already reads it when it is asked for them."""
    filed(tmp_path, named("jan"))
    with Store.reading(tmp_path) as store:
        with database(tmp_path) as other:
            other.execute("ALTER TABLE record RENAME TO gone")
        with pytest.raises(OutputError, match="no such table"):
            list(store)


def test_empty_file_is_a_store_to_be(tmp_path: Path) -> None:
    """That is what a kill in the first moment leaves: the next run begins there."""
    (tmp_path / "run.db").touch()
    with pytest.raises(RecordError, match="no run is recorded in it"):
        use(tmp_path)
    filed(tmp_path, named("jan"))
    use(tmp_path)


@pytest.mark.parametrize("stem", ["../../jan", "/etc/passwd", "jan\n", "", "."])
def test_no_entry_leads_out_of_the_folder(tmp_path: Path, stem: str) -> None:
    """Whatever somebody wrote into it, a store names files below its folder only."""
    filed(tmp_path, named("jan"))
    with database(tmp_path) as connection:
        connection.execute("UPDATE entry SET stem = ?", [stem])
    with Store.reading(tmp_path) as store, pytest.raises(RecordError, match="is damaged"):
        assert store.run.entries
