"""Leads from the page of a student to a page that checks, with her code in the address.

It stands behind the `#`, which browsers send to no server.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Final
from urllib.parse import quote

from grader.judging.record import CaseResult, Record
from grader.verdict import Visibility

_MAX_CHARS: Final = 60_000
"""Longer addresses are cut by some browser."""


def address(record: Record, case: CaseResult | None) -> str | None:
    """Return where the student of `record` can go on with her code, beginning with `case`.

    Returns None where the record does not have all of the code, or too much of it. A page that
    checks knows public cases alone.
    """
    if len(record.sources) != len(record.files) or any(each.left_out for each in record.sources):
        return None
    handed_in = {
        "files": {_python_name(each.name): each.text for each in record.sources},
        "case": case.id if case and case.visibility is Visibility.PUBLIC else None,
    }
    packed = zlib.compress(json.dumps(handed_in).encode("ascii"), 9)
    data = base64.urlsafe_b64encode(packed).decode("ascii")
    page = f"{record.site_url.rstrip('/')}/{quote(record.exercise)}.html"
    return f"{page}#hand-in={data}" if len(data) <= _MAX_CHARS else None


def _python_name(name: str) -> str:
    """Return `name` as that of a module: of a notebook it is the code that is handed on."""
    return f"{stem}.py" if (stem := name.removesuffix(".ipynb")) != name else name
