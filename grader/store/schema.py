"""The tables of a store, and the migrations that bring older stores up to date.

Other tools are allowed to read the tables, which `docs/reference/store.md` describes. The meaning
of a column never changes; every change to the tables is a migration with the next number.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from grader.errors import RecordError

APPLICATION_ID: Final = 0x67726472
"""Distinguishes a store from other SQLite files: `grdr` in ASCII."""
MIGRATIONS: Final = (
    """
    CREATE TABLE run (
        only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
        how TEXT NOT NULL
    ) STRICT;

    CREATE TABLE suite (
        sha256 TEXT PRIMARY KEY,
        asks TEXT NOT NULL,
        exercise TEXT NOT NULL,
        title TEXT NOT NULL,
        max_score REAL NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE pattern (
        sha256 TEXT PRIMARY KEY,
        cases BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE environment (
        sha256 TEXT PRIMARY KEY,
        facts TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE submission (
        sha256 TEXT PRIMARY KEY,
        content BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE record (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        exercise TEXT NOT NULL,
        student TEXT NOT NULL,
        submission TEXT NOT NULL REFERENCES submission (sha256),
        suite TEXT NOT NULL REFERENCES suite (sha256),
        environment TEXT NOT NULL REFERENCES environment (sha256),
        status TEXT NOT NULL CHECK (status IN ('graded', 'ungradable', 'fault')),
        score REAL NOT NULL,
        max_score REAL NOT NULL,
        isolation INTEGER NOT NULL,
        is_lasting INTEGER NOT NULL CHECK (is_lasting IN (0, 1)),
        pattern TEXT NOT NULL REFERENCES pattern (sha256),
        data BLOB NOT NULL,
        summary BLOB NOT NULL,
        overview BLOB NOT NULL
    ) STRICT;
    CREATE INDEX record_key ON record (key);
    CREATE INDEX record_submission ON record (submission);

    CREATE TABLE file (
        path TEXT PRIMARY KEY,
        record INTEGER REFERENCES record (id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE outcome (
        record INTEGER NOT NULL REFERENCES record (id) ON DELETE CASCADE,
        case_id TEXT NOT NULL,
        verdict TEXT NOT NULL,
        points REAL NOT NULL,
        max_points REAL NOT NULL,
        PRIMARY KEY (record, case_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE entry (
        position INTEGER PRIMARY KEY,
        exercise TEXT NOT NULL,
        student TEXT NOT NULL,
        stem TEXT NOT NULL,
        record INTEGER REFERENCES record (id),
        UNIQUE (exercise, student),
        UNIQUE (exercise, stem)
    ) STRICT;
    CREATE INDEX entry_record ON entry (record);

    CREATE TABLE event (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        what TEXT NOT NULL,
        facts TEXT NOT NULL
    ) STRICT;
    """,
    """
    ALTER TABLE entry ADD COLUMN platform_id TEXT;
    ALTER TABLE entry ADD COLUMN user_name TEXT;
    ALTER TABLE entry ADD COLUMN name TEXT;
    ALTER TABLE entry ADD COLUMN email TEXT;
    ALTER TABLE entry ADD COLUMN members TEXT;
    ALTER TABLE entry ADD COLUMN attempt INTEGER;
    ALTER TABLE entry ADD COLUMN submitted TEXT;
    ALTER TABLE entry ADD COLUMN is_late INTEGER CHECK (is_late IN (0, 1));
    """,
    """
    CREATE TABLE decision (
        id INTEGER PRIMARY KEY,
        uid TEXT NOT NULL UNIQUE,
        decided_at TEXT NOT NULL,
        decided_by TEXT NOT NULL,
        exercise TEXT NOT NULL,
        student TEXT NOT NULL,
        suite TEXT NOT NULL,
        about TEXT NOT NULL CHECK (about IN ('case', 'group', 'rule', 'page')),
        subject TEXT NOT NULL,
        is_undone INTEGER NOT NULL CHECK (is_undone IN (0, 1)),
        points REAL,
        verdict TEXT CHECK (verdict IN ('PASSED', 'BROKEN')),
        penalty REAL,
        because TEXT NOT NULL,
        found_verdict TEXT,
        found_points REAL,
        found_max REAL
    ) STRICT;
    CREATE INDEX decision_entry ON decision (exercise, student);
    CREATE TRIGGER decision_stays BEFORE DELETE ON decision BEGIN
        SELECT RAISE(ABORT, 'a decision is taken back by another one');
    END;
    CREATE TRIGGER decision_stands BEFORE UPDATE ON decision BEGIN
        SELECT RAISE(ABORT, 'a decision is taken back by another one');
    END;

    ALTER TABLE entry ADD COLUMN mark REAL;
    UPDATE entry SET mark = (SELECT score FROM record WHERE record.id = entry.record);
    """,
    """
    ALTER TABLE suite ADD COLUMN outline BLOB;
    """,
    """
    ALTER TABLE file ADD COLUMN stamp TEXT;

    CREATE TABLE report (
        path TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        stamp TEXT
    ) STRICT, WITHOUT ROWID;
    """,
    """
    ALTER TABLE suite DROP COLUMN outline;
    """,
    """
    ALTER TABLE decision RENAME TO earlier;
    CREATE TABLE decision (
        id INTEGER PRIMARY KEY,
        uid TEXT NOT NULL UNIQUE,
        decided_at TEXT NOT NULL,
        decided_by TEXT NOT NULL,
        exercise TEXT NOT NULL,
        student TEXT NOT NULL,
        suite TEXT NOT NULL,
        about TEXT NOT NULL CHECK (
            about IN ('case', 'group', 'rule', 'page', 'line', 'bonus', 'total', 'question')
        ),
        subject TEXT NOT NULL,
        is_undone INTEGER NOT NULL CHECK (is_undone IN (0, 1)),
        points REAL,
        verdict TEXT CHECK (verdict IN ('PASSED', 'BROKEN')),
        penalty REAL,
        because TEXT NOT NULL,
        found_verdict TEXT,
        found_points REAL,
        found_max REAL
    ) STRICT;
    INSERT INTO decision SELECT * FROM earlier ORDER BY id;
    DROP TABLE earlier;
    CREATE INDEX decision_entry ON decision (exercise, student);
    CREATE TRIGGER decision_stays BEFORE DELETE ON decision BEGIN
        SELECT RAISE(ABORT, 'a decision is taken back by another one');
    END;
    CREATE TRIGGER decision_stands BEFORE UPDATE ON decision BEGIN
        SELECT RAISE(ABORT, 'a decision is taken back by another one');
    END;
    """,
    """
    ALTER TABLE entry ADD COLUMN deadline TEXT;
    """,
)
"""The script at index n migrates a store from version n to version n + 1."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables, or 0 for a new file.

    Raises `RecordError` if the file is not a store, or if a newer grader wrote it.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if tables and application != APPLICATION_ID:
        raise RecordError(
            "it is another program's database",
            help="choose another folder, or move this file away",
        )
    if version > len(MIGRATIONS):
        raise RecordError(
            f"it has version {version}, but this grader supports versions up to {len(MIGRATIONS)}",
            help="use the grader that wrote it, or a newer one",
        )
    return int(version)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date, with each migration in its own transaction."""
    for version in range(version_of(connection), len(MIGRATIONS)):
        # `executescript` commits first, so each script has to start its own transaction.
        connection.executescript(
            f"BEGIN IMMEDIATE; {MIGRATIONS[version]}"
            f"PRAGMA application_id = {APPLICATION_ID};"
            f"PRAGMA user_version = {version + 1}; COMMIT;"
        )
