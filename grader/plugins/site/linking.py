"""Links a student's page to the page of the site, with the student's code in the address.

The code follows the `#`, so browsers do not send it to servers.
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
"""The longest address that no browser truncates."""


def address(record: Record, case: CaseResult | None) -> str | None:
    """Return the address of the page that checks the code in `record` and opens `case`.

    Return None if the record does not contain all of the code, or if the address would be too long.
    Hidden cases are not opened, as the page has only public ones.
    """
    if len(record.sources) != len(record.files) or any(
        source.left_out for source in record.sources
    ):
        return None
    hand_in = {
        "files": {_python_name(source.name): source.text for source in record.sources},
        "case": case.id if case and case.visibility is Visibility.PUBLIC else None,
    }
    packed = zlib.compress(json.dumps(hand_in).encode("ascii"), 9)
    data = base64.urlsafe_b64encode(packed).decode("ascii")
    page = f"{record.site_url.rstrip('/')}/{quote(record.exercise)}.html"
    return f"{page}#hand-in={data}" if len(data) <= _MAX_CHARS else None


def _python_name(name: str) -> str:
    """Return `name` with `.ipynb` replaced with `.py`, as a record has the code of notebooks."""
    return f"{stem}.py" if (stem := name.removesuffix(".ipynb")) != name else name
