"""Links the page of a student to a page that checks, with the student's code in the address.

The code is after the `#`, which browsers do not send to servers.
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
"""Some browsers truncate longer addresses."""


def address(record: Record, case: CaseResult | None) -> str | None:
    """Return the address of the page that checks the code in `record`, opened at `case`.

    None if the record has not all of the code, or too much. Hidden cases are not opened, as the
    page has only public ones.
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
    """Return `name` with `.py` for `.ipynb`: the code of a notebook is passed on as a module."""
    return f"{stem}.py" if (stem := name.removesuffix(".ipynb")) != name else name
