"""The site of this documentation: Sphinx, with the pages as they stand.

The pages are written for GitHub, and stay so. What a site needs besides is worked out here: its
contents, from the lists of links in each `README.md`, and a page to begin with.
"""

import base64
import json
import re
import shutil
import zlib
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

project = "grader"
extensions = ["myst_parser"]
root_doc = "README"
myst_heading_anchors = 4
html_theme = "furo"
html_title = "grader"

_SECTION: Final = re.compile(r"^## (.+)$", re.MULTILINE)
_LISTED: Final = re.compile(r"^(?:-|\d+\.|\|) ?\[[^]]+\]\(([\w/-]+)\.md\)", re.MULTILINE)
_REPORTS: Final = """
## A class, graded

<a href="reports/index.html">The overview of a class</a> of made-up students, and from there the
page of each.

## Try it here

<a href="check/akari.html{tried}">A solution of Akari that fails</a>, checked in your browser while
you change it. Or bring <a href="check/index.html">your own file</a> for one of the exercises.
Nothing is installed, and nothing is sent.
"""
_TRIED: Final = Path(__file__).parents[1] / "submissions/akari/bogaert_milan.py"


def setup(app: Sphinx) -> None:
    """Have Sphinx call us."""
    app.connect("source-read", _with_contents)
    app.connect("build-finished", _begin_with_contents)


def _with_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Add to a `README` the contents of the site that its lists of links are."""
    if name.rpartition("/")[2] != "README":
        return
    head, *parts = _SECTION.split(source[0])
    for caption, text in [("", head), *zip(parts[::2], parts[1::2], strict=True)]:
        if listed := _LISTED.findall(text):
            above = f":caption: {caption}\n" if caption else ""
            pages = "\n".join(dict.fromkeys(listed))
            source[0] += f"\n```{{toctree}}\n:hidden:\n{above}\n{pages}\n```\n"
    if name == root_doc and app.tags.has("reports"):
        source[0] += _REPORTS.format(tried=_handed_in(_TRIED))


def _handed_in(file: Path) -> str:
    """Return what stands behind an address for a page that checks to begin with `file`."""
    files = {file.name: file.read_text("utf-8")}
    packed = zlib.compress(json.dumps({"files": files, "case": None}).encode(), 9)
    return f"#hand-in={base64.urlsafe_b64encode(packed).decode()}"


def _begin_with_contents(app: Sphinx, error: Exception | None) -> None:
    """Give the page with the contents the name that a server looks for."""
    if error is None and app.builder.format == "html":
        shutil.copy(Path(app.outdir, f"{root_doc}.html"), Path(app.outdir, "index.html"))
