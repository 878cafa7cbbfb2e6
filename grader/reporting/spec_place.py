"""Where the text of an exercise says something: in words, and as a link where that text is online.

The address comes from the suite, which staff writes, but it stands in pages that students open: it
is a web address or it is no link at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from grader.display import one_line
from grader.record import Record
from grader.reporting.voice import Voice

_MAX_URL_CHARS: Final = 2_000
_WEB: Final = re.compile(r"https?://[^/?#]")
_IN_URLS: Final = "%/:=&?~#+!$,;@()*[]'"
"""Characters that mean something in an address; what is no letter or digit else is escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecPlace:
    """A line of the text of an exercise."""

    text: str
    href: str | None


def spec_place(line: int | None, record: Record, voice: Voice) -> SpecPlace | None:
    """Return where line `line` of the spec of `record` is, if a line is known."""
    if line is None:
        return None
    return SpecPlace(text=_told(line, record.spec, voice), href=_href(line, record.spec_url))


def _told(line: int, spec: str | None, voice: Voice) -> str:
    if spec is None:
        return voice("spec_line_only", line=line)
    # The suite names it from its own folder; students know it by its name alone.
    name = re.split(r"[/\\]", spec.rstrip("/\\"))[-1]
    return voice("spec_line", spec=one_line(name, 100), line=line)


def _href(line: int, url: str | None) -> str | None:
    """Return the address of a line: of the web, and of nothing else."""
    if url is None or len(url) > _MAX_URL_CHARS or not _WEB.match(url):
        return None
    return quote(url.replace("{line}", str(line)), safe=_IN_URLS, errors="replace")
