"""Makes pages of stored records with any engine, for instance when shards are merged.

Drafts are sent as bytes, like chunks; a worker with other code refuses them.
"""

from __future__ import annotations

import json
import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from grader.errors import GraderError, HostError, RecordError
from grader.judging.deciding import Decision
from grader.reporting.output import write_page
from grader.reporting.reading import read_record
from grader.reporting.reported import as_reported
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.run.chunks import reply
from grader.run.engines import Engine
from grader.run.outcomes import answered
from grader.store.keys import environment
from grader.store.runs import GradedEntry, RunEntry
from grader.store.store import Store

_PAGES_PER_CHUNK: Final = 64


class _Draft(NamedTuple):
    """The data for one page."""

    data: bytes
    pattern: bytes
    entry: RunEntry
    decisions: Sequence[Decision]
    sheet: bool
    shares: bool


def unwritten(store: Store) -> list[GradedEntry]:
    """Return the graded submissions without an up-to-date page."""
    sheets, is_untouched = store.run.settings.sheets, store.files.untouched()
    return [
        line
        for line in store.lines()
        if not all(is_untouched(path, line.record_id) for path in _paths(line, sheets=sheets))
    ]


def _paths(line: GradedEntry, *, sheets: bool) -> list[str]:
    return [line.entry.page, *[line.entry.sheet] * sheets]


def write_pages(
    folder: Path, store: Store, lines: Iterable[GradedEntry], engine: Engine
) -> Iterator[str]:
    """Write the pages of `lines`, made by `engine`; yield each student after writing the page.

    Raises `RecordError` if a record is damaged, and `HostError` if a worker is lost.
    """
    settings, remaining = store.run.settings, iter(lines)
    sheets, shares = settings.sheets, not settings.self_contained
    sent: deque[tuple[Sequence[GradedEntry], Future[bytes]]] = deque()

    def draft(line: GradedEntry) -> _Draft:
        decisions = store.decisions.of(*line.entry.name)
        pattern = store.pattern(line.pattern)
        return _Draft(store.data(line.record_id), pattern, line.entry, decisions, sheets, shares)

    while True:
        while len(sent) < engine.ahead and (batch := list(islice(remaining, _PAGES_PER_CHUNK))):
            drafts = pickle.dumps([draft(line) for line in batch])
            head = json.dumps(environment(())).encode("ascii")
            sent.append((batch, engine.submit(_draw_pages, head + b"\n" + drafts)))
        if not sent:
            return
        ready, future = sent.popleft()
        for line, page in zip(ready, _drawn_pages(future), strict=True):
            if "damage" in page:
                raise RecordError(page["damage"], help=page["help"])
            with store.files.writing(line.record_id, _paths(line, sheets=sheets)):
                write_page(folder, line.entry, page["page"], page["sheet"], shares=shares)
            yield line.entry.student


def _drawn_pages(future: Future[bytes]) -> Sequence[dict[str, str]]:
    """Return the pages that a worker has made; raises `HostError` if it is lost."""
    try:
        pages: Sequence[dict[str, str]] = answered(future.result())["pages"]
    except GraderError:
        raise
    except (Exception, CancelledError) as error:
        raise HostError(
            f"a worker was lost while it made pages: {error!r}",
            help="give the same command again: it goes on",
        ) from error
    return pages


# In a worker


def _draw_pages(data: bytes) -> bytes:
    """Return the packed pages of packed drafts; takes and returns bytes, as engines require."""
    return reply(data, lambda body: {"pages": [_page(each) for each in pickle.loads(body)]})  # noqa: S301 - from the judge that this is a worker of


def _page(draft: _Draft) -> dict[str, str | None]:
    try:
        record = read_record(draft.entry, draft.data, draft.pattern)
    except RecordError as error:
        return {"damage": error.message, "help": error.help}
    record = as_reported(record, draft.entry, draft.decisions)
    return {
        "page": student_page(record, shares=draft.shares),
        "sheet": defence_sheet(record) if draft.sheet else None,
    }
