"""Records that are damaged or foreign: refused in one sentence that names the way out."""

from __future__ import annotations

import copy
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from coded_records import commented
from command_line import grader
from decisions import on_case
from filed_runs import PLAIN, database, filed
from record_samples import case, group, record, yinyang_record
from rich.console import Console
from ruled_records import one_of_each
from widget_samples import SAMPLES

from grader.errors import RecordError
from grader.judging.record import Record
from grader.messages import message
from grader.reporting.index_entry import IndexEntry
from grader.reporting.reading import read_record
from grader.reporting.results import entry_json
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.reporting.terminal import print_record
from grader.reporting.visibility import staff_groups
from grader.store.graded import compress, decompress
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.verdict import Verdict

Place = tuple[str | int, ...]
"""Where something is in a document."""
OTHERS: Final[tuple[object, ...]] = (None, -7, "odd.key", [])
"""What may stand where something else should."""
EXIT_DAMAGED: Final = 6


def drawn() -> Record:
    """Return a record with a picture of each kind, a counterexample and a shorter session."""
    said = (message("report.how_file", file="f.py"),)
    failed = replace(
        case("f/1", Verdict.WRONG, expected="1", got="2", explanation=said),
        pictures=tuple(SAMPLES.values()),
    )
    groups = (replace(group("f", failed), counterexample=failed),)
    return replace(record(*groups), shortened=failed, staff_remarks=said)


RECORDS: Final = (yinyang_record(), one_of_each(), commented(), drawn())


def places(document: object, at: Place = ()) -> Iterator[Place]:
    """Yield where there is anything in `document`, one place of each kind."""
    known = set()
    for place in _all_places(document, at):
        kind = tuple("*" if isinstance(step, int) else step for step in place)
        if kind not in known:
            known.add(kind)
            yield place


def _all_places(document: object, at: Place) -> Iterator[Place]:
    children: Any = ()
    if isinstance(document, dict):
        children = document.items()
    elif isinstance(document, list):
        children = enumerate(document)
    for step, child in children:
        yield (*at, step)
        yield from _all_places(child, (*at, step))


def damaged(document: object) -> Iterator[object]:
    """Yield `document` with each kind of thing in it taken away, and made another one."""
    for place in places(document):
        for other in (places, *OTHERS):
            made = copy.deepcopy(document)
            parent: Any = made
            for step in place[:-1]:
                parent = parent[step]
            if other is places:
                del parent[place[-1]]
            else:
                parent[place[-1]] = other
            yield made


def data_of(document: object) -> bytes:
    """Return `document` as a store has it."""
    return compress(json.dumps(document, separators=(",", ":")).encode("ascii"))


def document_of(given: Record) -> dict[str, Any]:
    """Return what a store has of `given`, unpacked."""
    document: dict[str, Any] = json.loads(decompress(PLAIN.pack(given)))
    return document


def tell(given: Record) -> None:
    """Make every report of one record."""
    student_page(given)
    defence_sheet(given)
    entry_json(given)
    IndexEntry.from_record(given, "")
    print_record(given, Console(file=io.StringIO()), (), staff_groups(given))


@pytest.mark.corpus
@pytest.mark.parametrize("given", RECORDS, ids=["cases", "rules", "code", "pictures"])
def test_what_is_not_refused_can_be_told(given: Record) -> None:
    """Whatever is taken out of a record, or is another thing: it is refused, or all reports go."""
    entry = RunEntry(exercise=given.exercise, student=given.student, stem="an")
    told = []
    for document in damaged(document_of(given)):
        try:
            tell(read_record(entry, data_of(document), PLAIN.to_bytes()))
        except RecordError as error:
            told.append(error)
    assert len(told) > 50
    begin = f"the record of {given.student} (yinyang) cannot be read: "
    assert not [each.message for each in told if not each.message.startswith(begin)]
    assert not [each.message for each in told if "\n" in each.message]
    assert {"grade again with --fresh"} == {each.help for each in told}


def changed(*place: str | int, to: object) -> Callable[[dict[str, Any]], object]:
    """Return what makes what is at `place` in a record another thing."""

    def change(document: dict[str, Any]) -> object:
        parent: Any = document["record"]
        for step in place[:-1]:
            parent = parent[step]
        parent[place[-1]] = to
        return document

    return change


MENDED: Final = ("groups", 0, "cases", 0)
HARMS: Final[dict[str, tuple[Callable[[dict[str, Any]], object], str]]] = {
    "sentence": (
        changed("remarks", 0, "key", to="remark.of_tomorrow"),
        "this version has no sentence 'remark.of_tomorrow'",
    ),
    "parameter": (
        changed("remarks", 0, "parameters", to=[]),
        "its message 'report.how_file' lacks the parameter 'file'",
    ),
    "verdict": (changed(*MENDED, "verdict", to="SPLENDID"), "it is not a record"),
    "type": (changed(*MENDED, "points", to="1"), "it has values that no record has"),
    "number": (changed("score", to=float("nan")), "Out of range float values"),
    "surplus": (changed("mood", to="sunny"), "it has values that no record has"),
    "pattern": (lambda document: document | {"pattern": "0" * 64}, "packed with another pattern"),
    "format": (lambda document: document | {"schema": "grader/record/x"}, "grader/record/x"),
    "somebody": (changed("student", to="bo"), "it belongs to another student or exercise"),
    "no record": (lambda _: [], "it is not a record"),
}
READERS: Final = (
    ("report", "run"),
    ("show", "run", "an"),
    ("show", "run", "an", "--json"),
    ("export", "run", "--feedback", "folder"),
    ("diff", "run", "other"),
    ("diff", "run", "other", "--student", "an", "--html", "page.html"),
    ("mark", "run", "--list"),
    ("mark", "run", "an", "--case", "f/1", "--points", "1", "--because", "well"),
)


@pytest.fixture
def run(here: Path) -> Path:
    """Return the folder of a run of two; another run beside it has graded them otherwise."""
    said = (message("report.how_file", file="f.py"),)
    for folder, got in (("run", "3"), ("other", "4")):
        one = group("f", case("f/1", Verdict.WRONG, expected="2", got=got, explanation=said))
        records = [
            replace(record(one, id=name, student=name), remarks=said) for name in ("an", "bo")
        ]
        filed(here / folder, *records)
        with Store.writing(here / folder) as store:
            store.decide([on_case(records[0], "f/1", 0.5)])
    return here / "run"


@pytest.mark.parametrize("harm", HARMS)
def test_readers_refuse_a_record_in_one_sentence(
    run: Path, capfd: pytest.CaptureFixture[str], harm: str
) -> None:
    """Each verb that reads it names the student, what is wrong and the way out; no traceback."""
    harmed, said = HARMS[harm]
    with database(run) as store:
        ((data,),) = store.execute("SELECT data FROM record WHERE student = 'an'")
        document = harmed(json.loads(decompress(data)))
        store.execute("UPDATE record SET data = ? WHERE student = 'an'", [data_of(document)])
    for reader in READERS:
        done = grader(capfd, *reader)
        assert EXIT_DAMAGED == done.code, reader
        assert "the record of an (yinyang) cannot be read: " in done.err
        assert said in done.err
        assert "help: grade again with --fresh" in done.err
        assert "Traceback" not in done.err
    assert 0 == grader(capfd, "show", "run", "bo").code
    assert 0 == grader(capfd, "runs", ".").code


ENTRIES: Final = [
    compress(b'  {\n   "id": %b\n  }' % inside).hex()
    for inside in (b"", b"null", b'null, "cases": 1', b'null, "cases": [{"id": 1}]')
]
"""What looks like an entry of `results.json` and is none."""
COLUMNS: Final = {
    "record": ("data", "summary", "overview", "pattern"),
    "pattern": ("cases",),
    "outcome": ("verdict",),
    "run": ("how",),
    "entry": ("stem", "members", "submitted"),
}


@pytest.mark.parametrize(
    ("table", "column"), [(t, c) for t, names in COLUMNS.items() for c in names]
)
def test_no_column_of_a_store_ends_in_a_traceback(
    run: Path, capfd: pytest.CaptureFixture[str], table: str, column: str
) -> None:
    """Whatever stands in a column, each verb tells what it can, or refuses with its exit code."""
    before = (run / "run.db").read_bytes()
    for value in ("x'00'", "x'789c030000000001'", "'{}'", *(f"x'{entry}'" for entry in ENTRIES)):
        with suppress(sqlite3.IntegrityError), database(run) as store:
            store.execute(f"UPDATE {table} SET {column} = {value}")
        for reader in READERS:
            done = grader(capfd, *reader)
            assert done.code in {0, 2, 6}, reader
            assert "Traceback" not in done.err
        (run / "run.db").write_bytes(before)
