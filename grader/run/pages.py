"""Makes pages from stored records with any engine, for instance when shards are merged.

Drafts are sent as bytes, like chunks; a worker with different code refuses them.
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
from grader.reporting.reported_record import as_reported
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.run.chunks import answer_request
from grader.run.engines import Engine
from grader.run.outcomes import parse_reply
from grader.store.keys import environment
from grader.store.runs import GradedEntry, RunEntry
from grader.store.store import Store

_PAGES_PER_CHUNK: Final = 64


class _Draft(NamedTuple):
    """The data for one page and its sheet, as sent to a worker."""

    data: bytes
    pattern: bytes
    entry: RunEntry
    decisions: Sequence[Decision]
    has_sheet: bool
    shares: bool
    """Whether the page shares its style sheet and script with other pages."""


def entries_without_page(store: Store) -> list[GradedEntry]:
    """Return the graded entries whose page or sheet is missing or outdated."""
    sheets, is_untouched = store.run.settings.sheets, store.files.currency_check()
    return [
        graded
        for graded in store.graded_entries()
        if not all(is_untouched(path, graded.record_id) for path in _paths(graded, sheets=sheets))
    ]


def _paths(graded: GradedEntry, *, sheets: bool) -> list[str]:
    return [graded.entry.page, *[graded.entry.sheet] * sheets]


def write_pages(
    folder: Path, store: Store, entries: Iterable[GradedEntry], engine: Engine
) -> Iterator[str]:
    """Write the pages of `entries`, made by `engine`; yield each student after writing the page.

    Raises `RecordError` if a record is damaged, and `HostError` if a worker is lost.
    """
    settings, remaining = store.run.settings, iter(entries)
    sheets, shares = settings.sheets, not settings.self_contained
    in_progress: deque[tuple[Sequence[GradedEntry], Future[bytes]]] = deque()

    def draft(graded: GradedEntry) -> _Draft:
        entry, data = graded.entry, store.data(graded.record_id)
        decisions = store.decisions.for_submission(*entry.identity)
        return _Draft(data, store.pattern(graded.pattern), entry, decisions, sheets, shares)

    while True:
        while len(in_progress) < engine.max_in_progress and (
            batch := list(islice(remaining, _PAGES_PER_CHUNK))
        ):
            drafts = pickle.dumps([draft(graded) for graded in batch])
            # The header is JSON, so that a worker with other code can read it, and refuse the rest.
            header = json.dumps(environment(())).encode("ascii")
            in_progress.append((batch, engine.submit(_draw_pages, header + b"\n" + drafts)))
        if not in_progress:
            return
        oldest_batch, future = in_progress.popleft()
        for graded, page in zip(oldest_batch, _wait_for_pages(future), strict=True):
            if "damage" in page:
                raise RecordError(page["damage"], help=page["help"])
            with store.files.writing(graded.record_id, _paths(graded, sheets=sheets)):
                write_page(folder, graded.entry, page["page"], page["sheet"], shares=shares)
            yield graded.entry.student


def _wait_for_pages(future: Future[bytes]) -> Sequence[dict[str, str]]:
    """Return the pages from a worker, after waiting for them.

    Raises `HostError` if the worker is lost or refuses to make them.
    """
    try:
        pages: Sequence[dict[str, str]] = parse_reply(future.result())["pages"]
    except GraderError:
        raise
    except (Exception, CancelledError) as error:
        raise HostError(
            f"a worker was lost while making pages: {error!r}",
            help="run the same command again: it resumes where it stopped",
        ) from error
    return pages


# The rest of this module runs in a worker.


def _draw_pages(data: bytes) -> bytes:
    """Return the packed pages for packed drafts; engines require bytes as argument and result."""
    return answer_request(
        data,
        lambda body: {"pages": [_page(draft) for draft in pickle.loads(body)]},  # noqa: S301 - sent by this worker's own judge
    )


def _page(draft: _Draft) -> dict[str, str | None]:
    """Return the page and sheet for `draft`, or what damage its record has, as JSON data."""
    try:
        record = read_record(draft.entry, draft.data, draft.pattern)
    except RecordError as error:
        return {"damage": error.message, "help": error.help}
    record = as_reported(record, draft.entry, draft.decisions)
    return {
        "page": student_page(record, shares=draft.shares),
        "sheet": defence_sheet(record) if draft.has_sheet else None,
    }
