"""The page on the store is true: it has every column, and its queries give what it says."""

from __future__ import annotations

import re
import shlex
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import which
from typing import Final

import pytest
from command_line import RIGHT, SUITE, WRONG, process, write
from documentation import BLOCKS, REFERENCE, text_of

from grader.store.schema import APPLICATION_ID, MIGRATIONS

PAGE: Final = REFERENCE / "store.md"
QUERIES: Final = [block.text for block in BLOCKS if (block.page, block.language) == (PAGE, "sql")]
MARKS, FAILING, CHANGED, COPIES, GRADERS = range(5)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The store of a class: one has handed in anew, one has left, and two have the same files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("class"))
        suite = SUITE.format(name="double", defines="double", call="double(2)")
        write("testsuites/double.yaml", suite)
        for student, source in {"an": WRONG, "bo": WRONG, "jan": WRONG, "mo": RIGHT}.items():
            write(f"double/{student}/double.py", source)
        assert 0 == process("grade", "double", "--suites", "testsuites").code
        write("double/jan/double.py", RIGHT + "# mended\n")
        Path("double/mo/double.py").rename("mo.py")
        Path("double/mo").rmdir()
        assert 0 == process("grade", "double", "--suites", "testsuites").code
        with closing(sqlite3.connect("file:reports/run.db?mode=ro", uri=True)) as connection:
            yield connection


def test_there_are_five_queries() -> None:
    """The page is found and read."""
    assert 5 == len(QUERIES)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (
            MARKS,
            [
                ("double", "an", "graded", 0.0, 2.0),
                ("double", "bo", "graded", 0.0, 2.0),
                ("double", "jan", "graded", 2.0, 2.0),
            ],
        ),
        (FAILING, [("double", "g/1", 2, 4.0)]),
        (CHANGED, [("double", "jan", 0.0, 2.0)]),
        (COPIES, [("double", "an, bo")]),
    ],
)
def test_query_gives_what_the_page_says(
    store: sqlite3.Connection, query: int, rows: list[tuple[object, ...]]
) -> None:
    """Over a small class, each has the rows that are expected."""
    assert rows == store.execute(QUERIES[query]).fetchall()


def test_query_tells_with_what_was_graded(store: sqlite3.Connection) -> None:
    """Python, the grader, and how many submissions each has graded."""
    (row,) = store.execute(QUERIES[GRADERS]).fetchall()
    python, code, count = row
    assert re.match(r"3\.\d+", python)
    assert re.fullmatch("[0-9a-f]{64}", code)
    assert 3 == count


def test_page_has_every_column_and_no_other(store: sqlite3.Connection) -> None:
    """Who adds a column says what it means, and whether it is stable."""
    there = store.execute(
        "SELECT tables.name || '.' || columns.name"
        " FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns"
        " WHERE tables.type = 'table'"
    )
    told = re.findall(r"^\| `(\w+\.\w+)` \| (?:yes|no) \| .+ \|$", text_of(PAGE), re.MULTILINE)
    assert sorted(name for (name,) in there) == sorted(told)
    assert f"{APPLICATION_ID:#x}" in text_of(PAGE)
    assert (len(MIGRATIONS),) == store.execute("PRAGMA user_version").fetchone()


@pytest.mark.skipif(which("sqlite3") is None, reason="the program sqlite3 is not there")
def test_command_of_the_page_runs(store: sqlite3.Connection) -> None:
    """The program that comes with SQLite opens a store as the page says."""
    (_, _, path) = store.execute("PRAGMA database_list").fetchone()
    (shown,) = [block.text for block in BLOCKS if (block.page, block.language) == (PAGE, "sh")]
    done = subprocess.run(
        shlex.split(shown), cwd=Path(path).parents[1], capture_output=True, text=True, check=True
    )
    assert "│ 0 " in done.stdout
